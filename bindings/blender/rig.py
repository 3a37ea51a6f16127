# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones of a scene in Blender: their rest pose, and poses relative to it.

Blender's bones are rigid in the rest pose. A vertex moves with the matrix of its bone in the pose times the inverse of that in the rest
pose, and a scene multiplies the matrix of the pose by an inverse bind matrix. So the rest pose follows from the inverse bind matrices,
and what is left of them, such as a scale, is applied to the vertices.
"""

from __future__ import annotations

from dataclasses import dataclass, field
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
    scales: Array
    """(n, 4, 4): what the inverse bind matrix of each bone has in a scene with another clip, relative to that of the model."""
    _bases: dict[int, Basis] = field(default_factory=dict, repr=False)

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
        return cls(parents, TO_BLENDER @ matrices @ turns, turns, np.tile(np.eye(4), (len(parents), 1, 1)))

    def for_clip(self, model: Any, scene: Any) -> Rig:
        """Returns the bones for a clip in a scene of its own, in which `move_bind_scale` may have moved less than in the model."""
        count = len(self.parents)
        binds = [np.asarray(own.skeleton.bind_pose.model[:count], np.float64) for own in (model, scene)]
        scales = self.scales.copy()
        for bone, (own, other) in enumerate(zip(*binds, strict=True)):
            if np.abs(own - other).max() > 1e-9 and rigid(other) is not None:
                scales[bone] = np.linalg.inv(other) @ own
        for own, other in zip(model.meshes, scene.meshes, strict=False):
            if own.joint_bones is None:
                continue
            for joint, bone in enumerate(own.joint_bones):
                before, after = (np.asarray(mesh.inverse_binds[joint], np.float64) for mesh in (own, other))
                if _is_bind(before):
                    scales[bone] = after @ np.linalg.inv(before)
        return self if (scales == self.scales).all() else Rig(self.parents, self.rest, self.turns, scales)

    def measure(self, rest: dict[int, Array]) -> None:
        """Replaces rest poses of bones by those that Blender has, which are rounded."""
        for bone, matrix in rest.items():
            if (self.rest[bone] != matrix).any():
                self.rest[bone] = matrix
                self._bases.clear()

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
        if bone not in self._bases:
            self._bases[bone] = self._basis(bone)
        return self._bases[bone]

    def bases(self, bones: list[int]) -> Basis:
        """Returns the conversion of the transforms of several bones: of (b, k, c) values, k of each."""
        own = [self.basis(bone) for bone in bones]
        parts = [np.stack([getattr(basis, part) for basis in own])[:, None] for part in ("above", "above_turn", "turn", "axes")]
        return Basis(*parts)

    def _basis(self, bone: int) -> Basis:
        parent = self.parents[bone]
        above = np.linalg.inv(self.rest[bone]) @ TO_BLENDER
        if parent >= 0:
            above = np.linalg.inv(self.rest[bone]) @ self.rest[parent] @ np.linalg.inv(self.scales[parent] @ self.turns[parent])
        turn = rigid(above)
        factor = np.cbrt(np.linalg.det(above[:3, :3]) * np.linalg.det(self.scales[bone][:3, :3]))
        axes = np.abs(self.turns[bone][:3, :3]) * factor
        return Basis(above, quaternion(np.eye(4) if turn is None else turn), quaternion(self.turns[bone]), axes)


@dataclass
class Basis:
    """The conversion of the transforms of a bone: relative to its parent in a scene, and relative to its rest pose in Blender."""

    above: Array
    above_turn: Array
    turn: Array
    axes: Array

    def translation(self, values: npt.NDArray[Any]) -> Array:
        """Converts translations to locations."""
        return (self.above[..., :3, :3] @ np.asarray(values, np.float64)[..., None])[..., 0] + self.above[..., :3, 3]

    def rotation(self, values: npt.NDArray[Any]) -> Array:
        """Converts rotations."""
        return times(times(self.above_turn, values), self.turn)

    def scale(self, values: npt.NDArray[Any]) -> Array:
        """Converts scale factors."""
        return (np.asarray(values, np.float64)[..., None, :] @ self.axes)[..., 0, :]

    def from_translation(self, values: npt.NDArray[Any]) -> Array:
        """Converts locations to translations."""
        return np.linalg.solve(self.above[:3, :3], (np.asarray(values, np.float64) - self.above[:3, 3]).T).T

    def from_rotation(self, values: npt.NDArray[Any]) -> Array:
        """Converts rotations of Blender to those of the scene."""
        return times(times(conjugate(self.above_turn), values), conjugate(self.turn))

    def from_scale(self, values: npt.NDArray[Any]) -> Array:
        """Converts scale factors of Blender to those of the scene."""
        return np.asarray(values, np.float64) @ np.linalg.inv(self.axes)


def _binds(scene: Any) -> list[tuple[int, Array]]:
    """Returns the bone and the bind matrix of each used joint of each mesh, without what all joints of the mesh scale by."""
    pairs: list[tuple[int, Array]] = []
    for mesh in scene.meshes:
        if mesh.joint_bones is None:
            continue
        inverses = np.asarray(mesh.inverse_binds, np.float64)
        used = [joint for joint in np.unique(mesh.joints[mesh.weights > 0]) if _is_bind(inverses[joint])]
        if used:
            binds = np.linalg.inv(inverses[used])
            unscaled = _without_scale(binds[:, :3, :3]) @ binds
            pairs += [(int(mesh.joint_bones[joint]), own) for joint, own in zip(used, unscaled, strict=True)]
    return pairs


def _is_bind(inverse: Array) -> bool:
    """Returns whether an inverse bind matrix belongs to a bind pose; that of vertices that follow a frame as a whole is the identity."""
    return bool(np.isfinite(inverse).all() and abs(np.linalg.det(inverse)) > 1e-30 and (inverse != np.eye(4)).any())


def _without_scale(axes: Array) -> Array:
    """Returns the matrix that makes the axes of joints orthonormal.

    If a mesh is scaled before it is bound, all joints agree on the product of their axes with the transposed ones.
    """
    values, vectors = np.linalg.eigh(np.median(axes @ axes.transpose(0, 2, 1), axis=0))
    result = np.eye(4)
    result[:3, :3] = vectors @ np.diag(1 / np.sqrt(np.maximum(values, 1e-30))) @ vectors.T
    return result


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
