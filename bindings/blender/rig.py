# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones of a scene in Blender: their rest pose, and poses relative to it.

Blender's bones are rigid in the rest pose. A vertex moves with the matrix of its bone in the pose times the inverse of that in the rest
pose, and a scene multiplies the matrix of the pose by an inverse bind matrix. So the rest pose follows from the inverse bind matrices,
and what is left of them, such as a scale, is applied to the vertices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .space import TO_BLENDER, Array, conjugate, permutation_towards, quaternion, rigid, times


@dataclass
class Rig:
    """The bones of a scene, in the axes of Blender."""

    parents: list[int]
    """The index of the parent of each bone; -1 for roots."""
    rest: Array
    """(n, 4, 4): the matrix of each bone in the rest pose, in the space of the armature."""
    turns: Array
    """(n, 4, 4): the rotation from the axes of each bone in Blender to those in the scene."""

    @classmethod
    def of(cls, scene: Any, orientation: str) -> Rig:
        """Returns the bones of a scene."""
        model = np.asarray(scene.skeleton.bind_pose.model, np.float64)
        parents = [int(parent) for parent in scene.skeleton.parents]
        rest = [rigid(matrix) for matrix in model]
        # The first mesh of a bone determines its rest pose.
        for bone, matrix in reversed(_binds(scene)):
            rest[bone] = rigid(matrix)
        matrices = np.array([np.eye(4) if own is None else own for own in rest]).reshape(-1, 4, 4)
        turns = np.tile(np.eye(4), (len(parents), 1, 1))
        if orientation == "CHILDREN":
            for bone, direction in enumerate(_directions(matrices, parents)):
                turns[bone] = permutation_towards(matrices[bone][:3, :3].T @ direction)
        return cls(parents, TO_BLENDER @ matrices @ turns, turns)

    def lengths(self) -> Array:
        """Returns the length of each bone: the distance to its nearest child, or that of its parent."""
        heads = self.rest[:, :3, 3]
        size = float(np.ptp(heads, axis=0).max()) if len(heads) else 0.0
        least = max(size * 1e-3, 1e-5)
        lengths = np.zeros(len(heads))
        for bone, parent in enumerate(self.parents):
            if parent >= 0:
                distance = float(np.linalg.norm(heads[bone] - heads[parent]))
                if distance > least and (lengths[parent] == 0 or distance < lengths[parent]):
                    lengths[parent] = distance
        usual = float(np.median(lengths[lengths > 0])) if (lengths > 0).any() else max(size, 1.0) * 0.1
        return np.where(lengths > 0, lengths, max(usual * 0.5, least))

    def joint_matrices(self, mesh: Any) -> tuple[Array, npt.NDArray[Any]]:
        """Returns for each joint of a mesh the matrix from the mesh to the rest pose in Blender, and the bone."""
        bones = np.asarray(mesh.joint_bones, np.int64)
        unturned = self.rest @ np.linalg.inv(self.turns) if len(self.rest) else self.rest
        return unturned[bones] @ np.asarray(mesh.inverse_binds, np.float64), bones

    def basis(self, bone: int) -> Basis:
        """Returns the conversion of the transforms of a bone."""
        parent = self.parents[bone]
        if parent < 0:
            above = np.linalg.inv(self.rest[bone]) @ TO_BLENDER
        else:
            above = np.linalg.inv(self.rest[bone]) @ self.rest[parent] @ np.linalg.inv(self.turns[parent])
        return Basis(above, quaternion(above), quaternion(self.turns[bone]), np.abs(self.turns[bone][:3, :3]))


@dataclass
class Basis:
    """The conversion of the transforms of a bone: relative to its parent in a scene, and relative to its rest pose in Blender."""

    above: Array
    above_turn: Array
    turn: Array
    axes: Array

    def translation(self, values: npt.NDArray[Any]) -> Array:
        """Converts translations to locations."""
        return np.asarray(values, np.float64) @ self.above[:3, :3].T + self.above[:3, 3]

    def rotation(self, values: npt.NDArray[Any]) -> Array:
        """Converts rotations."""
        return times(times(self.above_turn, values), self.turn)

    def scale(self, values: npt.NDArray[Any]) -> Array:
        """Converts scale factors."""
        return np.asarray(values, np.float64) @ self.axes

    def from_translation(self, values: npt.NDArray[Any]) -> Array:
        """Converts locations to translations."""
        return np.linalg.solve(self.above[:3, :3], (np.asarray(values, np.float64) - self.above[:3, 3]).T).T

    def from_rotation(self, values: npt.NDArray[Any]) -> Array:
        """Converts rotations of Blender to those of the scene."""
        return times(times(conjugate(self.above_turn), values), conjugate(self.turn))

    def from_scale(self, values: npt.NDArray[Any]) -> Array:
        """Converts scale factors of Blender to those of the scene."""
        return np.asarray(values, np.float64) @ self.axes.T


def _binds(scene: Any) -> list[tuple[int, Array]]:
    """Returns the bone and the bind matrix of each used joint of each mesh."""
    pairs: list[tuple[int, Array]] = []
    for mesh in scene.meshes:
        if mesh.joint_bones is None:
            continue
        used = np.unique(mesh.joints[mesh.weights > 0])
        for joint in used:
            matrix = np.asarray(mesh.inverse_binds[joint], np.float64)
            if (matrix == np.eye(4)).all():
                # Vertices that follow a frame as a whole.
                continue
            if np.isfinite(matrix).all() and abs(np.linalg.det(matrix)) > 1e-30:
                pairs.append((int(mesh.joint_bones[joint]), np.linalg.inv(matrix)))
    return pairs


def _directions(matrices: Array, parents: list[int]) -> Array:
    """Returns the direction from each bone to the middle of its children; that of its parent to it, if it has none."""
    heads = matrices[:, :3, 3]
    sums, counts = np.zeros((len(parents), 3)), np.zeros(len(parents))
    for bone, parent in enumerate(parents):
        if parent >= 0:
            sums[parent] += heads[bone]
            counts[parent] += 1
    directions = np.tile([0.0, 1.0, 0.0], (len(parents), 1))
    for bone, parent in enumerate(parents):
        if counts[bone]:
            directions[bone] = sums[bone] / counts[bone] - heads[bone]
        elif parent >= 0:
            directions[bone] = heads[bone] - heads[parent]
    return directions
