# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes with other vertices, faces, weights or materials of faces: their lists in the original are written anew, and everything else in it stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bindpose
import bpy
import numpy as np
import numpy.typing as npt

from .bundle import Bundle
from .meshes import MESH
from .names import encoded, own_name
from .new_materials import NewMaterials
from .new_meshes import NewMeshes
from .new_rigs import NewRig
from .new_scene import at_rest
from .report import Report
from .shape import Shape
from .space import FROM_BLENDER
from .splices import NEAR, SPLICES, CannotRewriteError, authored_files, by_place

class _Materials(NewMaterials):
    """The materials of an import, and new ones after them."""

    def __init__(self, known: dict[int, bpy.types.Material], count: int, report: Report) -> None:
        super().__init__(Path(), report)
        self._imported, self._count = {own: index for index, own in known.items()}, count
        self.new: list[bpy.types.Material] = []

    def index_of(self, thing: bpy.types.Object, slot: int) -> int | None:
        """Returns the material of faces by their slot."""
        slots = thing.material_slots
        own = slots[min(slot, len(slots) - 1)].material if slots else None
        if own is None:
            return None
        if own in self._imported:
            return self._imported[own]
        if own not in self.new:
            self.new.append(own)
        return self._count + self.new.index(own)

    def made(self, own: bpy.types.Material, name: str) -> Any:
        """Returns a new material of the scene."""
        return self._material(own)._replace(name=name)


def rewritten(
    bundle: Bundle,
    files: list[Any],
    scene: Any,
    place: int,
    thing: bpy.types.Object,
    armature: bpy.types.Object | None,
    shape: Shape,
    known: dict[int, bpy.types.Material],
) -> Any:
    """Returns the file of a model that has a mesh, with the mesh that Blender has now. `shape` is that of the import, and `known` are its materials.

    Raises:
        CannotRewriteError: if the file cannot have it.
    """
    file = files[place]
    if file.format not in SPLICES:
        raise CannotRewriteError(f"{file.format} files keep theirs")
    report = Report("mesh")
    # The armature can have bones of other models, too.
    rigs = [] if armature is None else [NewRig.of(armature, 0).first_bones(len(scene.skeleton.bones))]
    materials = _Materials(known, len(scene.materials), report)
    with at_rest({rig.armature: None for rig in rigs}):
        made = NewMeshes(rigs, materials, report).made(thing)
    if made is None or report.warnings:
        raise CannotRewriteError("; ".join(report.warnings))
    index = int(thing[MESH])
    own = _with_left_out(made.own, scene.meshes[index], shape)
    own = _grouped(own, scene.meshes[index].primitives, scene.materials, materials.new)
    meshes = [own if number == index else mesh for number, mesh in enumerate(scene.meshes)]
    added = [materials.made(new, encoded(own_name(new), bundle.options.encoding)) for new in materials.new]
    wanted = scene.replace(meshes=meshes, materials=[*scene.materials, *added], clips=[])
    former = {loss.name for _, losses in authored_files(bundle, scene.replace(clips=[]), file) for loss in losses}
    for authored, losses in authored_files(bundle, wanted, file):
        # Of new materials, files have what they have of all materials.
        lost = [f"{loss.what}: {loss.why}" for loss in losses if loss.name not in former and loss.kind != "material"]
        if lost:
            raise CannotRewriteError("; ".join(lost))
        new = SPLICES[file.format](file, authored, wanted, index, len(added))
        if _same(wanted.meshes[index], bundle.scene_of([*files[:place], new, *files[place + 1 :]]).meshes[index]):
            return new
    raise CannotRewriteError("the file would show another mesh")


def _with_left_out(made: Any, former: Any, shape: Shape) -> Any:
    """Returns a mesh with the triangles that Blender cannot have, such as back faces, where their points and the faces of the same points are left."""
    left_out = np.flatnonzero(~shape.kept)
    if not len(left_out):
        return made
    placed = shape.positions @ FROM_BLENDER[:3, :3].T.astype(np.float32)
    positions = np.asarray(made.positions, np.float64)
    known = by_place(positions.tolist(), NEAR * max(float(np.ptp(positions, axis=0).max()), 1e-9))
    point_of = np.array([known(point) for point in positions.tolist()])
    at: dict[int, list[int]] = {}
    for vertex, point in enumerate(point_of.tolist()):
        at.setdefault(point, []).append(vertex)
    faces = {tuple(sorted(set(own))): group.material for group in made.primitives for own in point_of[np.asarray(group.triangles)].tolist()}
    uvs = [np.asarray(own.uvs[0], np.float64) if len(own.uvs) else np.zeros((len(own.positions), 2)) for own in (former, made)]
    materials = [group.material for group in former.primitives for _ in range(len(group.triangles))]
    sides = {tuple(sorted(points)): materials[own] for own, points in enumerate(shape.point_of[np.asarray(former.triangles)].tolist()) if shape.kept[own]}
    added: dict[int | None, list[list[int]]] = {}
    left = [group.material for group in made.primitives]
    for triangle in left_out.tolist():
        vertices = np.asarray(former.triangles, np.int64)[triangle]
        points = [known(place) for place in placed[shape.point_of[vertices]].tolist()]
        if None in points or (len(set(points)) == 3 and tuple(sorted(points)) not in faces):
            continue
        corners = [min(at[point], key=lambda own: np.abs(uvs[1][own] - uvs[0][vertex]).sum()) for point, vertex in zip(points, vertices, strict=True)]
        material = materials[triangle]
        if sides.get(tuple(sorted(shape.point_of[vertices].tolist()))) == material:
            # Both sides have one material.
            material = faces.get(tuple(sorted(points)), material)
        # Faces without an area have any that is left.
        added.setdefault(material if material in left else left[0], []).append(corners)
    groups = [group._replace(triangles=np.concatenate([group.triangles, added.pop(group.material, np.empty((0, 3)))]).astype(np.uint32)) for group in made.primitives]
    return made._replace(primitives=groups)


def _grouped(made: Any, former: list[Any], materials: list[Any], new: list[bpy.types.Material]) -> Any:
    """Returns a mesh whose groups have the names and the order that they have in the file, where materials tell them apart."""
    places = {}
    for place, group in enumerate(former):
        if places.setdefault(group.material, place) != place and group.name:
            raise CannotRewriteError("several groups have the same material")
    groups = []
    for group in made.primitives:
        place = places.get(group.material, len(former))
        is_new = group.material is not None and group.material >= len(materials)
        name = former[place].name if place < len(former) else own_name(new[group.material - len(materials)]) if is_new else made.name
        groups.append((place, group._replace(name=name)))
    return made._replace(primitives=[group for _, group in sorted(groups, key=lambda pair: pair[0])])


def _same(made: Any, again: Any) -> bool:
    """Returns whether two meshes have the same triangles, in any order, weights and morph targets."""
    found = []
    for own in (made, again):
        corners = np.asarray(own.triangles).reshape(-1)
        found.append([np.asarray(values, np.float64)[corners] for values in (own.positions, *own.uvs)])
    if [values.shape for values in found[0]] != [values.shape for values in found[1]]:
        return False
    for values, others in zip(*found, strict=True):
        size = max(float(np.ptp(values, axis=0).max()), 1e-9)
        if np.abs(np.sort(values, axis=0) - np.sort(others, axis=0)).max() > 1e-4 * size:
            return False
    size = max(float(np.abs(found[0][0]).max(initial=0.0)), 1e-9)
    if not _are_near(*(_moments(own, size) for own in (made, again))):
        return False
    facts = [
        (
            sorted((str(group.material), len(group.triangles)) for group in own.primitives),
            [(morph.name, len(morph.vertices) > 0) for morph in own.morphs],
        )
        for own in (made, again)
    ]
    return bool(facts[0] == facts[1])


def _moments(own: Any, size: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Returns for each bone the sums of its weights and of the places that it moves, at all corners, and the number of these."""
    corners = np.asarray(own.triangles, np.int64).reshape(-1)
    if own.joints is None or not np.asarray(own.weights).size:
        return np.zeros((0, 4)), np.zeros(0, np.int64)
    bones = np.asarray(own.joint_bones, np.int64)[np.asarray(own.joints, np.int64)[corners]]
    weights = np.asarray(own.weights, np.float64)[corners]
    places = np.concatenate([np.ones((len(corners), 1)), np.asarray(own.positions, np.float64)[corners] / size], axis=1)
    sums = np.zeros((int(bones.max(initial=-1)) + 1, 4))
    np.add.at(sums, bones.reshape(-1), (weights[..., None] * places[:, None]).reshape(-1, 4))
    return sums, np.bincount(bones[weights > 0], minlength=len(sums))


_QUANTUM = 0.02
"""The most that a weight of a corner differs in a file that rounds weights to hundredths."""


def _are_near(own: tuple[Any, Any], other: tuple[Any, Any]) -> bool:
    count = max(len(own[0]), len(other[0]))
    sums = [np.pad(values, ((0, count - len(values)), (0, 0))) for values, _ in (own, other)]
    numbers = np.maximum(*(np.pad(values, (0, count - len(values))) for _, values in (own, other)))
    return bool((np.abs(sums[0] - sums[1]) <= _QUANTUM * numbers[:, None] + 1e-3).all())
