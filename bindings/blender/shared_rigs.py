# SPDX-License-Identifier: GPL-3.0-or-later
"""Models on an armature that exists: the parts of a character, which are files of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from .armatures import ADDED_BONE
from .bundle import IMPORT
from .names import decoded
from .other_rigs import paired
from .report import Report, some
from .rig import Rig

_ARMATURE = "bindpose_armature"
"""The custom property of an imported collection with the armature of another origin that its meshes follow."""
_NAMES, _REST = "bindpose_armature_names", "bindpose_armature_rest"
"""The custom properties of a collection with the names and the rest poses that the bones of this armature had."""
_SAME_PLACE = 1e-3
"""The distance between bones in the same rest pose, relative to the size of the skeleton."""


def share(
    armature: bpy.types.Object, scene: Any, rig: Rig, name: str, table: Mapping[str, str], encoding: str, report: Report
) -> list[str] | None:
    """Returns the bone of an armature for each bone of a scene, after adding those that it lacks; `None` if none has the same name.

    `name` is that of the model in messages.
    """
    names = [decoded(bone.name, encoding) for bone in scene.skeleton.bones]
    pairs = paired(names, [bone.name for bone in armature.data.bones], table)
    if not pairs:
        report.warn(f"{name}: no bone has the name of one of {armature.name!r}; the model has an armature of its own")
        return None
    size = max(float(np.ptp(rig.rest[:, :3, 3], axis=0).max()), 1e-9)
    places = {index: np.array(armature.data.bones[own].matrix_local, np.float64)[:3, 3] for index, own in pairs.items()}
    moved = [pairs[index] for index, place in places.items() if np.linalg.norm(place - rig.rest[index, :3, 3]) > _SAME_PLACE * size]
    if moved:
        report.warn(f"{name}: bones of {armature.name!r} have another rest pose, and move the meshes as if it were that of the files: {some(moved)}")
    missing = [index for index in range(len(names)) if index not in pairs]
    if missing:
        report.warn(f"{name}: bones that were added to {armature.name!r}: {some([names[index] for index in missing])}")
        pairs |= _add(armature, names, rig, missing, pairs)
    return [pairs[index] for index in range(len(names))]


def _add(armature: bpy.types.Object, names: list[str], rig: Rig, missing: list[int], pairs: dict[int, str]) -> dict[int, str]:
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bones, lengths = armature.data.edit_bones, rig.lengths()
    added = {}
    for index in missing:
        own = bones.new(names[index] or "bone")
        own.head, own.tail = (0, 0, 0), (0, float(lengths[index]), 0)
        own.matrix = Matrix(rig.rest[index].tolist())
        own[ADDED_BONE] = True
        added[index] = own.name
    for index, name in added.items():
        parent = rig.parents[index]
        bones[name].parent = bones[(pairs | added)[parent]] if parent >= 0 else None
    bpy.ops.object.mode_set(mode="OBJECT")
    return added


def mark_of(collection: bpy.types.Collection) -> str:
    """Returns the custom property of the bones of a shared armature with their index in the scene of an import."""
    return f"bindpose_{collection[IMPORT]}"


def keep_shared(collection: bpy.types.Collection, armature: bpy.types.Object, names: list[str]) -> None:
    """Stores which bones of an armature those of an import are, and how they are now."""
    collection[_ARMATURE] = armature
    collection[_NAMES] = names
    collection[_REST] = [value for name in names for row in armature.data.bones[name].matrix_local for value in row]
    for index, name in enumerate(names):
        armature.data.bones[name][mark_of(collection)] = index


def shared_armature(collection: bpy.types.Collection) -> bpy.types.Object | None:
    """Returns the armature of another origin that an import follows."""
    return collection.get(_ARMATURE)


def is_shared(collection: bpy.types.Collection) -> bool:
    """Returns whether an import follows an armature of another origin, which may be removed."""
    return _NAMES in collection


def imported_as(collection: bpy.types.Collection, index: int) -> tuple[str, Any]:
    """Returns the name and the rest pose of a bone of a shared armature at the time of the import."""
    rest = collection[_REST][16 * index : 16 * index + 16]
    return collection[_NAMES][index], np.array(rest, np.float64).reshape(4, 4)
