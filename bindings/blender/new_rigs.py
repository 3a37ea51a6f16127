# SPDX-License-Identifier: GPL-3.0-or-later
"""The armatures of an export as the skeleton of a new scene."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import bindpose
import bpy
import numpy as np
import numpy.typing as npt

from .armatures import TURN, in_file_order
from .names import own_name
from .report import Report, some
from .rig import Rig
from .space import FROM_BLENDER, Array, quaternion, rigid


@dataclass(eq=False)
class NewRig:
    """An armature of an export."""

    armature: bpy.types.Object
    bones: list[bpy.types.Bone]
    """The bones in the order of the scene."""
    first: int
    """The index of the first bone in the scene."""
    placed: Array
    """(n, 4, 4): the matrices of the bones in the rest pose, in the world of Blender, with the scale of the armature."""
    rig: Rig
    """The rest pose in the world of Blender, without a scale."""
    stills: dict[tuple[int, str], Array] = field(default_factory=dict)
    """What bones have instead of the rest pose as long as no action moves them, by the place of the bone and the channel."""

    @classmethod
    def of(cls, armature: bpy.types.Object, first: int, world: Array | None = None) -> NewRig:
        """Returns an armature with its transform applied, or with another one."""
        bones = in_file_order(armature)
        index = {bone.name: place for place, bone in enumerate(bones)}
        parents = [-1 if bone.parent is None else index[bone.parent.name] for bone in bones]
        world = np.array(armature.matrix_world, np.float64) if world is None else world
        placed = np.array([world @ np.array(bone.matrix_local, np.float64) for bone in bones]).reshape(-1, 4, 4)
        found = [rigid(matrix) for matrix in placed]
        rest = np.array([np.eye(4) if own is None else own for own in found]).reshape(-1, 4, 4)
        turns = np.array([np.array(bone.get(TURN, np.eye(4).reshape(-1)), np.float64) for bone in bones]).reshape(-1, 4, 4)
        return cls(armature, bones, first, placed, Rig(parents, rest, turns, np.tile(np.eye(4), (len(bones), 1, 1))))

    def first_bones(self, count: int) -> NewRig:
        """Returns the armature with some of its bones alone."""
        own = self.rig
        rig = Rig(own.parents[:count], own.rest[:count], own.turns[:count], own.scales[:count])
        return replace(self, bones=self.bones[:count], placed=self.placed[:count], rig=rig)

    @property
    def model(self) -> Array:
        """(n, 4, 4): the matrices of the bones in the rest pose, in the scene."""
        return FROM_BLENDER @ self.rig.rest @ self.rig.turns.transpose(0, 2, 1)

    @property
    def index(self) -> dict[str, int]:
        """The indices of the bones in the scene by their names in Blender."""
        return {bone.name: self.first + place for place, bone in enumerate(self.bones)}

    @property
    def scale(self) -> float | None:
        """The factor that the transform of the armature scales by; `None` if it mirrors, or has a factor for each axis."""
        axes = np.array(self.armature.matrix_world, np.float64)[:3, :3]
        size = float(np.cbrt(np.linalg.det(axes)))
        is_uniform = size > 0 and np.allclose(axes @ axes.T, np.eye(3) * size**2, rtol=0, atol=1e-5 * size**2)
        return (1.0 if abs(size - 1) < 1e-6 else size) if is_uniform else None

    def skeleton(self) -> list[Any]:
        """Returns the bones of the scene."""
        model = self.model
        bones = []
        for place, (bone, parent) in enumerate(zip(self.bones, self.rig.parents, strict=True)):
            local = model[place] if parent < 0 else np.linalg.inv(model[parent]) @ model[place]
            pose = {"translation": local[:3, 3], "rotation": quaternion(local), "scale": np.ones(3)}
            pose |= {channel: value for (own, channel), value in self.stills.items() if own == place}
            above = None if parent < 0 else self.first + parent
            bones.append(bindpose.Bone(own_name(bone), above, **{channel: tuple(value.tolist()) for channel, value in pose.items()}))
        return bones

    def channel(self, place: int, channel: str, values: npt.NDArray[Any]) -> Array:
        """Converts properties of a pose bone, with quaternions x, y, z, w, to those of the bone in the scene."""
        basis = self.rig.basis(place)
        if channel == "rotation":
            return basis.from_rotation(values)
        return basis.from_translation(values * (self.scale or 1.0)) if channel == "translation" else basis.from_scale(values)


def rigs_of(armatures: Iterable[bpy.types.Object], report: Report) -> list[NewRig]:
    """Returns armatures, whose bones follow each other in the scene."""
    rigs: list[NewRig] = []
    for armature in armatures:
        rigs.append(NewRig.of(armature, sum(len(own.bones) for own in rigs)))
        if rigs[-1].scale is None and len(rigs[-1].bones):
            report.warn(f"armature {armature.name!r}: it is mirrored, or scaled differently along its axes; its poses are approximated")
        if any(bone.bbone_segments > 1 for bone in armature.data.bones):
            report.warn(f"armature {armature.name!r}: bendy bones are written as straight ones")
    names = [name for rig in rigs for bone in rig.bones if (name := own_name(bone))]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1] if len(set(names)) < len(names) else []
    if twice:
        report.warn(f"several bones have the same name, by which most formats find them: {some(twice)}")
    return rigs
