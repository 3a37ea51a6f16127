"""Renaming and removing what files mean."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import bindpose
import pytest


def test_a_name_is_replaced_wherever_it_is(hero: Path) -> None:
    file = bindpose.open(hero)
    renamed = bindpose.rename(file, bones={"root": "hips", "top": "root"})
    assert file["joints[*].name"] == ["hips", "root"]
    assert file["joints[1].parent_name"] == "hips"
    assert {(own.kind, own.old, own.new, own.file) for own in renamed} == {
        ("bone", "root", "hips", 0),
        ("bone", "top", "root", 0),
    }
    names = bindpose.names(file)
    assert [own.text for own in names if own.kind == "bone" and own.is_definition] == ["hips", "root"]


def test_references_have_their_objects(hero: Path) -> None:
    references = bindpose.references(bindpose.open(hero))
    parent = bindpose.Reference("joints[1].parent_name", "bone", "object", "joints[0]")
    assert parent in references
    assert {own.kind for own in references} >= {"bone", "vertex", "group"}
    assert all((own.target is None) == (own.status != "object") for own in references)


def test_all_files_are_renamed_or_none(folder: Path) -> None:
    body, run = bindpose.open("body.psk"), bindpose.open("run.psa")
    renamed = bindpose.rename(body, run, bones={"top": "spine", "tail": "end"})
    assert {own.file for own in renamed} == {0, 1}
    assert "spine" in [own.text for own in bindpose.names(body)]
    before = body.encode(), run.encode()
    with pytest.raises(bindpose.BindposeError, match="nobody"):
        bindpose.rename(body, run, bones={"spine": "top", "nobody": "somebody"})
    with pytest.raises(bindpose.BindposeError):
        bindpose.rename(body, run, bones={"end": "x" * 100})
    assert (body.encode(), run.encode()) == before
    with pytest.raises(TypeError, match="at least one file"):
        bindpose.rename(bones={"a": "b"})


def test_scaling_multiplies_lengths(folder: Path) -> None:
    body, run = bindpose.open("body.psk"), bindpose.open("run.psa")
    before = bindpose.scene(body, run, rate=30)
    bindpose.transform(body, run, scale=2)
    after = bindpose.scene(body, run, rate=30)
    assert (after.meshes[0].positions == before.meshes[0].positions * 2).all()
    assert (after.clips[0].sample(0).translations == before.clips[0].sample(0).translations * 2).all()
    data = body.encode()
    for factor in (0, -1, float("nan")):
        with pytest.raises(bindpose.BindposeError, match="a factor is a positive number"):
            bindpose.transform(body, scale=factor)
    assert body.encode() == data


def test_files_are_rotated_and_moved_as_the_command_does(folder: Path) -> None:
    body, run = bindpose.open("body.psk"), bindpose.open("run.psa")
    bindpose.transform(body, run, scale=0.5, up="y", rotate=[("z", 90), ("x", -30)], translate=(1, 2, 3))
    options = ["--scale", "0.5", "--up", "y", "--rotate", "z=90", "--rotate", "x=-30", "--translate", "1,2,3"]
    command = [sys.executable, "-m", "bindpose", "transform", "body.psk", "run.psa", *options, "--out-dir", "moved"]
    subprocess.run(command, check=True, capture_output=True)
    assert body.encode() == Path("moved/body.psk").read_bytes()
    assert run.encode() == Path("moved/run.psa").read_bytes()


def test_files_are_retimed(folder: Path) -> None:
    slow, fast = bindpose.open("run.psa"), bindpose.open("run.psa")
    rate = slow["sequences[0].rate"]
    frames = slow["sequences[0].num_raw_frames"]
    bindpose.transform(fast, fps=rate * 2)
    assert (fast["sequences[0].rate"], fast["sequences[0].num_raw_frames"]) == (rate * 2, frames)
    bindpose.transform(slow, fps=rate * 2, keep_duration=True)
    assert slow["sequences[0].rate"] == rate * 2
    assert slow["sequences[0].num_raw_frames"] > frames


def test_transformations_that_are_refused_change_nothing(folder: Path) -> None:
    body, run = bindpose.open("body.psk"), bindpose.open("run.psa")
    before = body.encode(), run.encode()
    with pytest.raises(bindpose.BindposeError, match="not a number"):
        bindpose.transform(run, body, scale=2, translate=(float("nan"), 0, 0))
    # A mesh has no frame rate.
    with pytest.raises(bindpose.BindposeError):
        bindpose.transform(run, body, fps=60)
    with pytest.raises(ValueError, match="not an axis"):
        bindpose.transform(body, rotate=[("w", 90)])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="up="):
        bindpose.transform(body, up="x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected scale"):
        bindpose.transform(body)
    with pytest.raises(TypeError, match="requires fps"):
        bindpose.transform(body, scale=2, keep_duration=True)
    assert (body.encode(), run.encode()) == before


def test_a_removed_bone_is_gone_from_the_set(folder: Path) -> None:
    body = bindpose.open("body.psk")
    bones = [bone.name for bone in bindpose.scene(body).skeleton.bones]
    assert bindpose.remove(body, bones=["a"]) == 1
    assert [bone.name for bone in bindpose.scene(body).skeleton.bones] == [name for name in bones if name != "a"]
    with pytest.raises(bindpose.BindposeError, match="tall"):
        bindpose.remove(body, bones=["tall"])


def test_two_edits_are_merged_or_conflict(hero: Path) -> None:
    base = bindpose.open(hero)
    ours, theirs = base.copy(), base.copy()
    ours["joints[0].name"], theirs["joints[0].name"] = "hips", "pelvis"
    merged = bindpose.merge3(base, ours, theirs)
    assert merged.file == ours
    assert [(own.ours, own.theirs) for own in merged.conflicts] == [("hips", "pelvis")]
    with pytest.raises(bindpose.BindposeError, match="one format"):
        bindpose.merge3(base, ours, bindpose.blank("psk"))
