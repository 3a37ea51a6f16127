"""Verdicts, findings, rules and formats."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import bindpose
import pytest
from conftest import SAMPLES, all_samples


def test_examinations_agree_with_round_trip_and_check() -> None:
    paths = all_samples()
    data = [path.read_bytes() for path in paths]
    found = bindpose.examine_many(data, names=paths)
    for own, path in zip(found, paths, strict=True):
        assert own.outcome[0] == bindpose.roundtrip(path).verdict
        if own.outcome.verdict in ("lossless", "damaged"):
            report = bindpose.check(path)
            assert (own.findings, own.more) == (report.findings, report.more)
    again = bindpose.examine_many(data, names=paths, jobs=3)
    assert [own.outcome.verdict for own in again] == [own.outcome.verdict for own in found]
    assert bindpose.examine_many(data[:1])[0].outcome.verdict == bindpose.examine(data[0]).outcome.verdict


def test_no_content_raises(folder: Path) -> None:
    assert bindpose.examine(b"To do:").outcome.verdict == "unknown-format"
    assert bindpose.examine(b"MS3D", format="ms3d").outcome.verdict == "undecodable"
    assert bindpose.examine("truncated.ms3d").outcome.verdict == "damaged"
    error = bindpose.examine("truncated.ms3d").outcome.error
    assert error is not None and error.offset > 0
    assert bindpose.examine_many([]) == []
    with pytest.raises(TypeError):
        bindpose.examine_many([1])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="expected 0 names, got 1"):
        bindpose.examine_many([], names=["hero.ms3d"])
    with pytest.raises(ValueError, match="jobs must be 1 or more"):
        bindpose.examine_many([], jobs=0)


def test_findings_have_rule_place_and_message() -> None:
    path = SAMPLES / "corpus/ms3d/rules.ms3d"
    report = bindpose.check(path)
    rules = {own.code: own for own in bindpose.rules()}
    assert report.findings
    for own in report.findings:
        assert rules[own.rule].severity == own.severity
        assert 0 <= own.start <= own.end <= path.stat().st_size
        assert own.message
    few = bindpose.check(path, most=1)
    assert len(few.findings) == len({own.rule for own in few.findings})
    assert bindpose.open(path).check(most=1) == few
    with pytest.raises(bindpose.BindposeError):
        bindpose.check(b"MS3D", format="ms3d")


def test_sets_are_checked_together() -> None:
    folder = SAMPLES / "corpus/psk"
    reports = bindpose.check_set([folder / "set.psk", bindpose.open(folder / "set_strangers.psa")])
    assert [own.rule for own in reports[1].findings if own.rule.startswith("psk/set-")]


def test_sets_are_checked_by_the_names_of_their_files() -> None:
    folder = SAMPLES / "corpus/unigine"
    paths = [folder / "sn10.skeleton", folder / "sk10.mesh_skinned"]

    def rules(files: list[Any]) -> set[str]:
        return {own.rule for report in bindpose.check_set(files) for own in report.findings}

    skeleton, mesh = (path.read_bytes() for path in paths)
    for files in (
        paths,
        [bindpose.open(path) for path in paths],
        [bindpose.decode(skeleton, name="other"), bindpose.decode(mesh, name="mesh")],
    ):
        assert "unigine/set-skeleton" in rules(files)
    # The mesh names `hero.skeleton`.
    assert "unigine/set-skeleton" not in rules([bindpose.decode(skeleton, name="hero"), paths[1]])
    # What is called nothing is not called otherwise.
    assert "unigine/set-skeleton" not in rules([skeleton, paths[1]])


def test_formats_and_rules_are_complete() -> None:
    names = [own.name for own in bindpose.formats()]
    assert len(set(names)) == len(names) >= 15
    assert next(own for own in bindpose.formats() if own.name == "ms3d").magic == b"MS3D000000"
    assert next(own for own in bindpose.formats() if own.name == "max-mesh").dialects == ["p12", "p16"]
    assert {own.severity for own in bindpose.rules()} == {"error", "warning", "info", "hint"}


def test_results_are_pickled(folder: Path) -> None:
    found = bindpose.examine("truncated.ms3d")
    again = pickle.loads(pickle.dumps(found))
    assert again.findings == found.findings
    assert str(again.outcome.error) == str(found.outcome.error)
    assert again.outcome.error.offset == found.outcome.error.offset  # type: ignore[union-attr]


def test_the_command_comes_with_the_package(folder: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(arguments, capture_output=True, text=True, check=False)

    module = (sys.executable, "-m", "bindpose")
    done = run(*module, "roundtrip", "hero.ms3d")
    assert done.returncode == 0, done.stderr
    assert run(*module, "roundtrip", "truncated.ms3d").returncode == 1
    assert run(*module, "get", "hero.ms3d", "nothing").returncode == 2
    assert run(*module, "--version").stdout == f"bindpose {bindpose.__version__}\n"
    script = Path(sys.executable).with_name("bindpose.exe" if os.name == "nt" else "bindpose")
    assert run(str(script), "get", "hero.ms3d", "joints[0].name").stdout == run(
        *module, "get", "hero.ms3d", "joints[0].name"
    ).stdout


def test_a_file_is_repaired(folder: Path) -> None:
    path = next(
        path for path in sorted((SAMPLES / "damaged").rglob("*")) if path.is_file() and path.suffix != ".md" and _repairs(path)
    )
    fixed = bindpose.fix(path)
    assert fixed.data != path.read_bytes() and fixed.repairs[0].rule in {rule.code for rule in bindpose.rules() if rule.fixable}
    assert bindpose.fix(path, rules=[]) == (path.read_bytes(), [])
    assert bindpose.fix(fixed.data, format=bindpose.open(path).format).repairs == []


def _repairs(path: Path) -> bool:
    try:
        return bool(bindpose.fix(path).repairs)
    except bindpose.BindposeError:
        return False


def test_dialects_are_proposed() -> None:
    for name, dialect in {"quad.max-mesh+p16.mesh": "p16", "two.max-skeleton+m48.skel": "m48", "two.max-skeleton+m64.skel": "m64"}.items():
        path = SAMPLES / "corpus/max" / name
        found = bindpose.propose(path.read_bytes(), format=name.split(".")[1].split("+")[0])
        assert found is not None and found.dialect == dialect and found.why


def test_schemas_are_those_of_the_repository() -> None:
    assert bindpose.schema("psk") == (SAMPLES.parent / "schemas/psk.ksy").read_text(encoding="utf-8")
    assert bindpose.schema("psk", imhex=True) == (SAMPLES.parent / "schemas/psk.hexpat").read_text(encoding="utf-8")
    assert json.loads(bindpose.schema("cal3d-mesh:xml", json=True))
    with pytest.raises(bindpose.BindposeError, match="unknown format"):
        bindpose.schema("fbx")
