# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that were added to an imported armature or removed from it are written into the original, or refused by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bindpose
import bpy
import headless
import model
import numpy as np
import pytest
from test_grown import FORMS, FRAMES, files_of, poses


def armature_in(collection: Any) -> Any:
    return next(thing for thing in collection.objects if thing.type == "ARMATURE")


@contextmanager
def edited(collection: Any) -> Iterator[Any]:
    """The bones in edit mode."""
    armature = armature_in(collection)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    yield armature.data.edit_bones
    bpy.ops.object.mode_set(mode="OBJECT")


def give_weights(collection: Any, old: str, new: str) -> None:
    """Adds the weights of a vertex group to another one, and removes it."""
    for thing in collection.objects:
        if thing.type == "MESH" and old in thing.vertex_groups:
            former, heir = thing.vertex_groups[old], thing.vertex_groups[new]
            weights = {at.index: own.weight for at in thing.data.vertices for own in at.groups if own.group == former.index}
            for vertex, weight in weights.items():
                heir.add([vertex], weight, "ADD")
            thing.vertex_groups.remove(former)


def removed_leaf(collection: Any) -> None:
    give_weights(collection, "stem_5", "stem_4")
    with edited(collection) as bones:
        bones.remove(bones["stem_5"])


def removed_middle(collection: Any) -> None:
    give_weights(collection, "stem_3", "stem_2")
    with edited(collection) as bones:
        bones.remove(bones["stem_3"])


def added_leaf(collection: Any) -> None:
    with edited(collection) as bones:
        tip = bones.new("tip")
        tip.head, tip.tail, tip.roll = (0.125, 0.25, 1.75), (0.25, 0.25, 2.0), 0.5
        tip.parent = bones["stem_5"]


def added_with_weights(collection: Any) -> None:
    added_leaf(collection)
    thing = next(thing for thing in collection.objects if thing.type == "MESH")
    for group in thing.vertex_groups:
        group.remove([0, 1, 2])
    thing.vertex_groups.new(name="tip").add([0, 1, 2], 1.0, "REPLACE")


def added_between_with_weights(collection: Any) -> None:
    """The writers of new files put it elsewhere."""
    with edited(collection) as bones:
        thorn = bones.new("thorn")
        thorn.head, thorn.tail = (0.25, 0, 0.5), (0.5, 0, 0.5)
        thorn.parent = bones["stem_1"]
    thing = next(thing for thing in collection.objects if thing.type == "MESH")
    for group in thing.vertex_groups:
        group.remove([0, 1, 2])
    thing.vertex_groups.new(name="thorn").add([0, 1, 2], 1.0, "REPLACE")


def copied_bone(collection: Any) -> None:
    with edited(collection) as bones:
        copy = bones.new("stem_2.001")
        copy.head, copy.tail = (0.5, 0, 0.5), (0.5, 0, 1)
        copy.parent = bones["stem_1"]
        for name, value in bones["stem_2"].items():
            copy[name] = value


def added_and_removed(collection: Any) -> None:
    removed_leaf(collection)
    with edited(collection) as bones:
        for name, parent in (("hook", "stem_1"), ("hook_end", "hook")):
            own = bones.new(name)
            own.head, own.tail = (0.5, 0, 0.5 + len(name) / 16), (0.5, 0.25, 1)
            own.parent = bones[parent]


ADDING = ("ms3d", "psk", "cal3d", "unigine", "directx", "max", "x:bin")
REMOVING = ("ms3d", "psk", "unigine", "cal3d", "directx", "x:bin", "xml")
EDITS: dict[Callable[[Any], None], tuple[str, ...]] = {
    removed_leaf: (*REMOVING, "max"),
    removed_middle: REMOVING,
    added_leaf: ADDING,
    added_with_weights: ("ms3d", "psk", "cal3d", "unigine"),
    added_between_with_weights: ("ms3d", "psk", "cal3d"),
    copied_bone: ADDING,
    added_and_removed: ADDING,
}
"""The changes of bones, with the families that can have them."""


def hierarchy(collection: Any) -> dict[str, str | None]:
    return {bone.name: bone.parent and bone.parent.name for bone in armature_in(collection).data.bones}


def places(collection: Any) -> dict[str, np.ndarray]:
    return {bone.name: np.array(bone.matrix_local) for bone in armature_in(collection).data.bones}


@pytest.mark.parametrize("edit", [removed_middle, added_and_removed])
def test_bones_that_point_to_their_children(models: dict[str, list[Path]], edit: Callable[[Any], None], tmp_path: Path) -> None:
    check(models["ms3d"], edit, tmp_path, orientation="CHILDREN")


@pytest.mark.parametrize("family", [*model.SETS, *FORMS])
@pytest.mark.parametrize("edit", list(EDITS), ids=lambda edit: edit.__name__)
def test_bones_are_written_or_refused(models: dict[str, list[Path]], edit: Callable[[Any], None], family: str, tmp_path: Path) -> None:
    paths = files_of(models, family, tmp_path)
    if family in EDITS[edit]:
        check(paths, edit, tmp_path)
        return
    (collection,), _ = headless.load(*paths)
    edit(collection)
    with pytest.raises(headless.original.RefusedError, match="bones were (added|removed): '|clip '|has other weights of 3|would show another mesh"):
        headless.original.changed_files(collection)


def check(paths: list[Path], edit: Callable[[Any], None], folder: Path, **options: Any) -> None:
    """The files show what Blender shows after an edit."""
    (collection,), _ = headless.load(*paths, **options)
    edit(collection)
    data = headless.original.changed_files(collection)
    expected, bones, rest = poses(collection, FRAMES[:60:7]), hierarchy(collection), places(collection)
    for path in paths:
        (folder / path.name).write_bytes(data[path.name])
    headless.empty()
    bpy.context.scene.render.fps = model.RATE
    (again,), report = headless.load(*(folder / path.name for path in paths), set_rate=False, **options)
    assert not report.errors
    assert hierarchy(again) == bones
    for name, place in places(again).items():
        # Which axis points to the children of a bone depends on these.
        own = slice(3, None) if options else slice(None)
        assert np.abs(place - rest[name])[:, own].max() < 1e-4, name
    for own, former in zip(poses(again, FRAMES[:60:7]), expected, strict=True):
        assert np.linalg.norm(own[:, None] - former[None], axis=2).min(axis=1).max() < 2e-4
    for path in paths:
        assert not [own for own in bindpose.check(folder / path.name).findings if own.severity == "error"], path.name
