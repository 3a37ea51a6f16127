# SPDX-License-Identifier: GPL-3.0-or-later
"""The named places of a scene, such as sockets, as empties."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from .armatures import bones_of
from .names import decoded, keep_name
from .rig import Rig
from .space import TO_BLENDER

ATTACHMENT = "bindpose_attachment"
"""The custom property of an empty that is an attachment, also in glTF."""


def add_attachments(
    scene: Any, rig: Rig, armature: bpy.types.Object | None, names: list[str], encoding: str, collection: bpy.types.Collection
) -> None:
    """Adds an empty for each attachment, below its bone. `names` are those of the bones."""
    bones = {} if armature is None else {index: armature.data.bones[name] for index, name in enumerate(names)}
    mine = {} if armature is None else bones_of(armature)
    for own in scene.attachments:
        empty = bpy.data.objects.new(decoded(own.name, encoding) or "attachment", None)
        empty[ATTACHMENT] = True
        keep_name(empty, own.name)
        empty.empty_display_type = "ARROWS"
        collection.objects.link(empty)
        x, y, z, w = own.rotation
        place = np.array(Matrix.LocRotScale(Vector(own.translation), Quaternion((w, x, y, z)), Vector(own.scale)))
        bone = bones.get(-1 if own.bone is None else own.bone)
        if bone is None:
            empty.matrix_basis = Matrix((TO_BLENDER @ place @ np.linalg.inv(TO_BLENDER)).tolist())
            continue
        empty.parent, empty.parent_type, empty.parent_bone = armature, "BONE", bone.name
        empty.empty_display_size = bone.length / 4
        # Blender places children of a bone at its tail.
        relative = rig.turns[own.bone].T @ place @ np.linalg.inv(TO_BLENDER)
        if mine.get(own.bone) != bone:
            # The armature is of another origin, with other axes.
            relative = np.linalg.inv(np.array(bone.matrix_local, np.float64)) @ rig.rest[own.bone] @ relative
        empty.matrix_basis = Matrix.Translation((0, -bone.length, 0)) @ Matrix(relative.tolist())
