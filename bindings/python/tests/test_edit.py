"""Renaming and removing what files mean."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bindpose
import pytest


def command(*arguments: str) -> list[dict[str, Any]]:
    """The objects that a command prints."""
    done = subprocess.run([sys.executable, "-m", "bindpose", *arguments], check=True, capture_output=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


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


def test_references_are_followed_as_by_the_command(folder: Path) -> None:
    hero = bindpose.open("hero.ms3d")
    for path in ("vertices[*].bone_id->name", "joints[1].parent_name->position", "joints[0].name"):
        done = command("get", "hero.ms3d", path, "--format", "json")
        paths = [line["path"] for line in done]
        found = [own for path in bindpose.follow(hero, path) for own, _ in hero.get_all(path)]
        assert list(dict.fromkeys(found)) == list(dict.fromkeys(paths)) != []
    assert bindpose.follow(hero, "vertices[5].bone_id->") == ["joints[1]"]
    assert hero["vertices[5].bone_id->name"] == "top"
    assert hero["vertices[*].bone_id->name"] == ["root"] * 4 + ["top"] * 2
    assert hero["vertices[5].bone_id->"]["name"] == "top"
    assert "vertices[5].bone_id->name" in hero and "vertices[5].bone_id->size" not in hero
    hero["vertices[5].bone_id->flags"] = 3
    assert hero["joints[1].flags"] == 3
    hero["vertices[5].bone_id"] = 0
    assert bindpose.follow(hero, "vertices[5].bone_id->name") == ["joints[0].name"]
    hero["vertices[5].bone_id"] = 7
    with pytest.raises(bindpose.BindposeError, match="refers to an object that is not there"):
        bindpose.follow(hero, "vertices[5].bone_id->name")
    with pytest.raises(bindpose.BindposeError, match="does not refer to an object"):
        bindpose.follow(hero, "vertices[0].position->name")


def flat(entries: list[bindpose.Entry], depth: int = 0) -> Iterator[tuple[int, bindpose.Entry]]:
    for entry in entries:
        yield depth, entry
        yield from flat(entry.children, depth + 1)


@pytest.mark.parametrize("name", ["hero.ms3d", "body.psk", "run.psa", "hero.x", "stream.skel", "truncated.ms3d"])
@pytest.mark.parametrize("depth", [None, 2])
def test_the_tree_is_that_of_the_command(folder: Path, name: str, depth: int | None) -> None:
    form, arguments = (None, []) if name != "stream.skel" else ("max-skeleton:m48", ["--as", "max-skeleton:m48"])
    file = bindpose.open(name, format=form)
    own = list(flat(bindpose.tree(file, depth=depth)))
    limit = [] if depth is None else [f"--depth={depth}"]
    expected = command("tree", name, "--format", "json", "--encoding", "utf-8", *arguments, *limit)
    assert own and len(own) == len(expected)
    for (level, entry), node in zip(own, expected, strict=True):
        assert (level, entry.kind, entry.name, entry.contents, entry.path) == (
            node["depth"],
            node["kind"],
            node["name"],
            node["contents"],
            node.get("path"),
        )


def test_entries_of_a_tree_have_their_bytes(folder: Path) -> None:
    file = bindpose.open("hero.ms3d")
    entries = [own for _, own in flat(bindpose.tree(file))]
    placed = [own for own in entries if own.path is not None]
    assert {own.kind for own in placed} >= {"bone", "mesh", "material"}
    for own in placed:
        assert own.offset is not None and own.size is not None
        fields = list(file.map(own.path))
        assert (own.offset, own.offset + own.size) == (fields[0].start, fields[-1].end)
    assert all((own.path is None) == (own.offset is None) == (own.size is None) for own in entries)
    text = bindpose.open("hero.x")
    frame = next(own for _, own in flat(bindpose.tree(text)) if own.kind == "Frame")
    places = {own.path: own for own in text.map(frame.path)}
    assert places and frame.offset is not None and frame.size is not None
    assert (frame.offset, frame.offset + frame.size) == (min(own.start for own in places.values()), max(own.end for own in places.values()))


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
        with pytest.raises(bindpose.BindposeError, match="the factor must be a positive number"):
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


USES: list[Callable[..., Any]] = [
    lambda *files: bindpose.transform(*files, scale=2),
    lambda *files: bindpose.transform(*files, translate=(1, 2, 3)),
    lambda *files: bindpose.rename(*files, bones={"root": "hips"}),
    lambda *files: bindpose.remove(*files, bones=["top"]),
]


@pytest.mark.parametrize("use", USES)
def test_a_file_that_is_given_twice_is_changed_once(hero: Path, use: Callable[..., Any]) -> None:
    once, twice = bindpose.open(hero), bindpose.open(hero)
    assert use(once) == use(twice, twice, twice)
    assert once.encode() == twice.encode() != hero.read_bytes()


def test_renamed_objects_have_the_index_of_their_argument(folder: Path) -> None:
    body, run = bindpose.open("body.psk"), bindpose.open("run.psa")
    assert {own.file for own in bindpose.rename(body, body, run, bones={"top": "spine"})} == {0, 2}


def test_no_file_is_changed_if_another_thread_changes_one(folder: Path) -> None:
    files = [bindpose.open("hero.ms3d") for _ in range(4)]
    ended = threading.Event()

    def edit() -> None:
        number = 0
        while not ended.is_set():
            number = (number + 1) % 2
            files[-1]["vertices[0].flags"] = number

    thread = threading.Thread(target=edit)
    thread.start()
    failed = 0
    try:
        for _ in range(400):
            before = [file["vertices[1].position"] for file in files]
            try:
                bindpose.transform(*files, translate=(1, 0, 0))
            except RuntimeError:
                failed += 1
                assert [file["vertices[1].position"] for file in files] == before
            if failed > 5:
                break
    finally:
        ended.set()
        thread.join()
    assert len({file["vertices[1].position"] for file in files}) == 1


@pytest.mark.parametrize("options", [{"rotate": []}, {"rotate": [], "translate": (0, 0, 0)}, {"rotate": [("x", 0)]}, {"translate": (-0.0, 0.0, 0.0)}])
def test_a_transformation_that_moves_nothing_changes_no_byte(hero: Path, options: dict[str, Any]) -> None:
    file = bindpose.open(hero)
    file["vertices[0].position"] = (-0.0, 0.0, -0.0)
    before = file.encode()
    bindpose.transform(file, **options)
    assert file.encode() == before
