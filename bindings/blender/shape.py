# SPDX-License-Identifier: GPL-3.0-or-later
"""The vertices of a mesh of a scene in Blender: a vertex for each point of the file, with everything else at the corners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .rig import Rig
from .space import TO_BLENDER, Array, transformed

EXACT = 1e-5
"""The distance relative to the size of a mesh above which a vertex is reported as inexact."""


@dataclass
class Shape:
    """The points of a mesh, in the order of Blender's vertices."""

    vertices: npt.NDArray[np.int64]
    """The first vertex of the scene at each point."""
    point_of: npt.NDArray[np.int64]
    """The point of each vertex of the scene."""
    matrices: Array
    """(p, 4, 4): from mesh space to the rest pose in Blender, for each point."""
    positions: npt.NDArray[np.float32]
    """(p, 3): the points in the rest pose in Blender."""
    groups: list[tuple[int, npt.NDArray[np.int64], npt.NDArray[np.float32]]]
    """For each bone: the points that it moves, and their weights."""
    kept: npt.NDArray[np.bool_]
    """(t,): the triangles that Blender can have: with three different points, and not those of an earlier one."""
    inexact: int
    """The number of points whose bones do not agree on the rest pose."""

    @classmethod
    def of(cls, scene: Any, index: int, rig: Rig) -> Shape:
        """Returns the points of a mesh."""
        mesh = scene.meshes[index]
        count = len(mesh.positions)
        source = next((own for own in scene.sources if own.mesh == index and own.attribute == "position"), None)
        records = np.arange(count) if source is None else np.asarray(source.records)
        _, vertices, point_of = np.unique(records, return_index=True, return_inverse=True)
        own = np.asarray(mesh.positions, np.float64)[vertices]
        matrices, groups, inexact = _bound(scene, mesh, rig, vertices, own)
        point_of = point_of.reshape(-1)
        kept = _distinct(point_of[np.asarray(mesh.triangles, np.int64)])
        return cls(vertices, point_of, matrices, transformed(matrices, own).astype(np.float32), groups, kept, inexact)

    def from_blender(self, points: npt.NDArray[Any], positions: npt.NDArray[Any]) -> Array:
        """Returns positions in Blender's rest pose as positions of the scene."""
        matrices = self.matrices[points]
        moved = np.asarray(positions, np.float64) - matrices[:, :3, 3]
        return np.linalg.solve(matrices[:, :3, :3], moved[..., None])[..., 0]

    def directions(self, normals: npt.NDArray[Any]) -> Array:
        """Returns the normals of all vertices of the scene in Blender's rest pose."""
        linear = self.matrices[:, :3, :3]
        cofactors = np.cross(linear[:, [1, 2, 0]], linear[:, [2, 0, 1]])
        turned = np.einsum("vij,vj->vi", cofactors[self.point_of], np.asarray(normals, np.float64))
        return turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-30)

    def normals_from_blender(self, vertices: npt.NDArray[Any], normals: npt.NDArray[Any]) -> Array:
        """Returns normals in Blender's rest pose as those of vertices of the scene."""
        linear = self.matrices[self.point_of[vertices], :3, :3]
        turned = np.einsum("vji,vj->vi", linear, np.asarray(normals, np.float64)) * np.sign(np.linalg.det(linear))[:, None]
        return turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-30)

    def displacements_from_blender(self, points: npt.NDArray[Any], displacements: npt.NDArray[Any]) -> Array:
        """Returns displacements of points in Blender as those of the scene."""
        return np.linalg.solve(self.matrices[points, :3, :3], np.asarray(displacements, np.float64)[..., None])[..., 0]

    def displacements(self, morph: Any) -> tuple[npt.NDArray[np.int64], Array]:
        """Returns the points that a morph target displaces, and their displacements."""
        points, first = np.unique(self.point_of[np.asarray(morph.vertices, np.int64)], return_index=True)
        moved = np.asarray(morph.positions, np.float64)[first]
        return points, np.einsum("vij,vj->vi", self.matrices[points, :3, :3], moved)


def size_of(positions: npt.NDArray[Any]) -> float:
    """Returns the largest extent of the finite ones of some positions."""
    finite = positions[np.isfinite(positions).all(axis=1)]
    return max(float(np.ptp(finite, axis=0).max()), 1e-30) if len(finite) else 1.0


def _distinct(triangles: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    ordered = np.sort(triangles, axis=1)
    kept = np.zeros(len(triangles), bool)
    kept[np.unique(ordered, axis=0, return_index=True)[1]] = True
    return kept & (ordered[:, 0] != ordered[:, 1]) & (ordered[:, 1] != ordered[:, 2])


Groups = list[tuple[int, npt.NDArray[np.int64], npt.NDArray[np.float32]]]


def _bound(scene: Any, mesh: Any, rig: Rig, vertices: npt.NDArray[Any], own: Array) -> tuple[Array, Groups, int]:
    count = len(vertices)
    everywhere = np.tile(TO_BLENDER, (count, 1, 1))
    if mesh.joints is None:
        if mesh.bone is None:
            return everywhere, [], 0
        bone = int(mesh.bone)
        matrices = np.tile(rig.rest[bone] @ np.linalg.inv(rig.turns[bone]), (count, 1, 1))
        return matrices, [(bone, np.arange(count), np.ones(count, np.float32))], 0
    joints, weights = np.asarray(mesh.joints)[vertices], np.asarray(mesh.weights, np.float64)[vertices]
    if not weights.size:
        return everywhere, [], 0
    of_joints, bones = rig.joint_matrices(mesh)
    matrices = np.einsum("vk,vkij->vij", weights, of_joints[joints])
    still = weights.sum(axis=1) == 0
    matrices[still] = TO_BLENDER
    placed = transformed(matrices, own)
    size = size_of(placed)
    apart = np.zeros(count)
    for slot in range(weights.shape[1]):
        distance = np.linalg.norm(transformed(of_joints[joints[:, slot]], own) - placed, axis=1)
        apart = np.maximum(apart, np.where(weights[:, slot] > 0, distance, 0))
    return matrices, _groups(bones[joints], weights), int((apart > EXACT * size).sum())


def _groups(bones: npt.NDArray[Any], weights: Array) -> Groups:
    """Returns the points and weights of each bone; a bone can be that of several joints."""
    points = np.broadcast_to(np.arange(len(bones))[:, None], bones.shape)
    used = weights > 0
    count = len(bones)
    keys, inverse = np.unique(bones[used].astype(np.int64) * count + points[used], return_inverse=True)
    sums = np.zeros(len(keys))
    np.add.at(sums, inverse.reshape(-1), weights[used])
    groups = []
    for bone in np.unique(keys // count) if count else []:
        own = keys // count == bone
        groups.append((int(bone), keys[own] % count, sums[own].astype(np.float32)))
    return groups
