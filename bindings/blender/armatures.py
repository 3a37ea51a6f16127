# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons of a scene as armatures of Blender."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from .names import NAME, decoded, keep_name
from .rig import Rig
from .space import TO_BLENDER

BONE = "bindpose_bone"
"""The custom property of a bone with its index in the scene."""
REST = "bindpose_rest"
"""The custom property with the rest pose of a bone after the import."""
POSE = "bindpose_pose"
"""The custom property of a bone with its location, rotation and scale without a clip, if it is not in the rest pose then."""
ADDED_BONE = "bindpose_added"
"""The custom property of a bone that the import of another model added to an armature."""
TURN = "bindpose_turn"
"""The custom property with the rotation of the axes of a bone from those of the file, if there is one."""


def add_armature(scene: Any, rig: Rig, encoding: str, collection: bpy.types.Collection) -> bpy.types.Object:
    """Creates the armature of a scene, and poses it as the scene is without a clip."""
    data = bpy.data.armatures.new(scene.name)
    armature = bpy.data.objects.new(scene.name, data)
    collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bones, lengths = [], rig.lengths()
    for index, bone in enumerate(scene.skeleton.bones):
        own = data.edit_bones.new(decoded(bone.name, encoding) or "bone")
        own.head, own.tail = (0, 0, 0), (0, float(lengths[index]), 0)
        own.matrix = Matrix(rig.rest[index].tolist())
        own[BONE] = index
        bones.append(own)
    for own, parent in zip(bones, rig.parents, strict=True):
        own.parent = bones[parent] if parent >= 0 else None
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in data.bones:
        index = bone[BONE]
        keep_name(bone, scene.skeleton.bones[index].name)
        bone[REST] = [value for row in bone.matrix_local for value in row]
        if (rig.turns[index] != np.eye(4)).any():
            bone[TURN] = rig.turns[index].reshape(-1).tolist()
    data.display_type = "STICK"
    armature.show_in_front = True
    measure(armature, rig)
    pose(scene, rig, armature)
    return armature


def bones_of(armature: bpy.types.Object, mark: str = BONE) -> dict[int, bpy.types.Bone]:
    """Returns the imported bones by their index in the scene, which is in the custom property `mark`; not copies of them."""
    found: dict[int, bpy.types.Bone] = {}
    for bone in armature.data.bones:
        if mark in bone and (int(bone[mark]) not in found or bone.name == bone.get(NAME)):
            found[int(bone[mark])] = bone
    return found


def in_file_order(armature: bpy.types.Object) -> list[bpy.types.Bone]:
    """Returns the bones in the order of an import, and further ones after them, those of other models last."""
    known = {bone.name: bone for _, bone in sorted(bones_of(armature).items())}
    others = [bone for bone in armature.data.bones if bone.name not in known]
    return [*known.values(), *sorted(others, key=lambda bone: ADDED_BONE in bone)]


def measure(armature: bpy.types.Object, rig: Rig) -> None:
    """Replaces the rest pose by the one that Blender has, which is rounded."""
    known = {index: bone for index, bone in bones_of(armature).items() if index < len(rig.rest) and REST in bone}
    rig.measure({index: np.array(bone[REST], np.float64).reshape(4, 4) for index, bone in known.items()})


def pose(scene: Any, rig: Rig, armature: bpy.types.Object) -> None:
    """Poses an armature as its scene is without a clip, where its bones are not in that pose."""
    bind = scene.skeleton.bind_pose
    # Rounding is not a pose.
    size = max(float(np.abs(rig.rest[:, :3, 3]).max()), 1e-3)
    placed = TO_BLENDER @ np.asarray(bind.model, np.float64) @ rig.turns
    if np.abs(placed[:, :3, :3] - rig.rest[:, :3, :3]).max() <= 1e-5 and np.abs(placed - rig.rest).max() <= 1e-5 * size:
        return
    names = {index: bone.name for index, bone in bones_of(armature).items()}
    for index, name in names.items():
        own = armature.pose.bones[name]
        own.rotation_mode = "QUATERNION"
        basis = rig.basis(index)
        location, scale = basis.translation(bind.translations[index]), basis.scale(bind.scales[index])
        x, y, z, w = basis.rotation(bind.rotations[index]).tolist()
        if np.abs(location).max() > 1e-5 * size:
            own.location = location.tolist()
        if np.abs([x, y, z]).max() > 1e-5:
            own.rotation_quaternion = (w, x, y, z)
        if np.abs(scale - 1).max() > 1e-5:
            own.scale = scale.tolist()
        own.bone[POSE] = [*own.location, *own.rotation_quaternion, *own.scale]
