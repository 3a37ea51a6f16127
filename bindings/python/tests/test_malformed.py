"""Hostile files raise `BindposeError` and nothing else. Set BINDPOSE_MALFORMED to a folder of them."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import bindpose
import pytest
from conftest import all_samples

FOLDER = os.environ.get("BINDPOSE_MALFORMED")
LIMITS = bindpose.Limits(max_memory=64 << 20)


def exercise(data: bytes, path: Path, format: str | None = None) -> None:
    """Calls everything that reads a file."""
    found = bindpose.examine(path, format=format, limits=LIMITS)
    assert found.outcome.verdict != "not-lossless"
    try:
        file = bindpose.open(path, format=format, limits=LIMITS)
    except bindpose.BindposeError:
        return
    assert file.encode() == data
    for field in zip(range(100), file.map(), strict=False):
        file.get(field[1].path)
    file.check()
    try:
        scene = bindpose.scene(file)
        scene.to_glb()
        scene.posed()
        for clip in scene.clips[:2]:
            clip.sample([clip.start, clip.end])
        bindpose.rescue(path, format=format, limits=LIMITS)
    except bindpose.BindposeError:
        pass


@pytest.mark.skipif(FOLDER is None, reason="BINDPOSE_MALFORMED is not set")
def test_hostile_files_raise_errors_only() -> None:
    folder = Path(FOLDER or "")
    with (folder / "INDEX.tsv").open(encoding="utf-8", newline="") as index:
        rows = list(csv.DictReader(index, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) > 100
    names = {own.name for own in bindpose.formats()}
    for row in rows:
        path = folder / row["name"]
        exercise(path.read_bytes(), path, row["as"] if row["as"].split(":")[0] in names else None)


def test_truncated_samples_raise_errors_only(tmp_path: Path) -> None:
    for sample in all_samples():
        data = sample.read_bytes()[:4096]
        path = tmp_path / sample.name
        for length in {0, 1, len(data) // 3, len(data) // 2, max(len(data) - 1, 0)}:
            path.write_bytes(data[:length])
            exercise(data[:length], path)
