# SPDX-License-Identifier: GPL-3.0-or-later
"""What changed of a mesh since its import: vertices, normals, texture coordinates, colours and shape keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from .meshes import KEYS, MESH, colors_of, corner_normals_of, corners_of, flipped, imported_normals, positions_of, uvs_of, values_of
from .rig import Rig
from .shape import Shape, size_of
from .solve import Edit, kept

_NEAR = 2e-6
"""The difference that rounding makes, relative to the size of a mesh or to 1."""
_SAME_NORMAL = 5e-3
"""The difference between equal normals: Blender stores angles of 16 bits."""
_SAME_SHOWN = 1e-4
"""The difference between normals that Blender computes of equal meshes."""

Reads = Callable[[Any], npt.NDArray[np.float64]]


class ChangedMesh:
    """The changes of a mesh, as edits of its files; `refused` has those that the files cannot represent."""

    def __init__(self, scene: Any, thing: bpy.types.Object, rig: Rig) -> None:
        self.scene, self.thing, self.index = scene, thing, int(thing[MESH])
        self.own = scene.meshes[self.index]
        self.shape = Shape.of(scene, self.index, rig)
        self.size = size_of(self.shape.positions)
        self.refused: list[str] = []
        self.notes: list[str] = []
        """Changes that are not written, and do not have to be."""
        self.is_other = False
        """Whether the file has other vertices or triangles, if they were compared."""
        triangles = np.flatnonzero(self.shape.kept)
        self.triangles = np.repeat(triangles, 3)
        """The triangle of the scene of each corner in Blender."""
        self.vertices = np.asarray(self.own.triangles, np.int64)[triangles].reshape(-1)
        """The vertex of the scene at each corner in Blender."""

    def has_other_topology(self) -> bool:
        """Returns whether vertices or triangles were added, removed or reordered, which is refused."""
        count, corners = len(positions_of(self.thing)), corners_of(self.thing)
        expected = self.shape.point_of[self.vertices]
        if count != len(self.shape.positions) or len(corners) != len(expected):
            triangles = sum(len(own.vertices) - 2 for own in self.thing.data.polygons)
            self._refuse(
                f"has {count} vertices and {triangles} triangles, the file {len(self.shape.positions)} and {len(expected) // 3}"
            )
        elif (corners != expected).any():
            self._refuse("has other triangles than the file")
        self.is_other = bool(self.refused)
        return self.is_other

    def edits(self, with_normals: bool) -> list[Edit]:
        """Returns the changes of everything but shape keys, which depend on the vertices."""
        edits = self._moved_vertices() + self._changed_uvs() + self._changed_colors()
        return edits + (self._changed_normals() if with_normals else [])

    def strange_groups(self, bones_of: dict[int, bpy.types.Bone]) -> list[str]:
        """Returns the vertex groups without a bone of the file that have weights, which files do not have."""
        bones = {bone.name for bone in bones_of.values()}
        strange = {group.index: group.name for group in self.thing.vertex_groups if group.name not in bones}
        used = {own.group for at in self.thing.data.vertices for own in at.groups if own.weight > 0} if strange else set()
        return [name for index, name in strange.items() if index in used]

    def refuse_other_weights(self, bones_of: dict[int, bpy.types.Bone]) -> None:
        """Refuses vertex groups that differ from the influences of bones."""
        bones = {bone.name: index for index, bone in bones_of.items()}
        of_group = [bones.get(group.name, -1) for group in self.thing.vertex_groups]
        found = {
            (of_group[own.group], at.index): own.weight
            for at in self.thing.data.vertices
            for own in at.groups
            if own.weight > 0 and of_group[own.group] >= 0
        }
        expected = {
            (bone, point): min(weight, 1.0)
            for bone, points, weights in self.shape.groups
            for point, weight in zip(points.tolist(), weights.tolist(), strict=True)
        }
        changed = {point for _, point in found.keys() ^ expected.keys()}
        changed |= {key[1] for key in found.keys() & expected.keys() if abs(found[key] - expected[key]) > _NEAR}
        if changed:
            self._refuse(f"has other weights of {len(changed)} vertices")

    def _refuse(self, reason: str) -> None:
        self.refused.append(f"mesh {self.thing.name!r} {reason}")

    def _sources(self, attribute: str, **target: int) -> list[Any]:
        own = [source for source in self.scene.sources if source.mesh == self.index and source.attribute == attribute]
        return [source for source in own if all(getattr(source, name) == value for name, value in target.items())]

    def _moved_vertices(self) -> list[Edit]:
        positions = positions_of(self.thing)
        moved = np.flatnonzero(~_are_near(positions, self.shape.positions, _NEAR * self.size))
        if not len(moved):
            return []
        unknown = int((~np.isfinite(self.shape.positions[moved])).any(axis=1).sum())
        if unknown:
            self._refuse(f"has other positions of {unknown} vertices whose positions in the file are no numbers")
            return []
        sources = self._sources("position")
        if not sources:
            self._refuse("was moved, but the file has each of its vertices in several fields")
            return []
        vertices = self.shape.vertices[moved]
        before = np.asarray(self.own.positions)
        targets = kept(self.shape.from_blender(moved, positions[moved]), before[vertices], _NEAR * size_of(before))
        edits = []
        for vertex, target in zip(vertices.tolist(), targets, strict=True):
            paths = [source.path(vertex) for source in sources]
            edits.append(Edit(sources[0].file, paths, self._reads(lambda mesh: mesh.positions, vertex), target))
        return edits

    def _changed_uvs(self) -> list[Edit]:
        layers = uvs_of(self.thing)
        if len(layers) != len(self.own.uvs):
            self._refuse(f"has {len(layers)} sets of texture coordinates, the file {len(self.own.uvs)}")
            return []
        edits = []
        for number, (values, before) in enumerate(zip(layers, self.own.uvs, strict=True)):
            is_same = _equal(values, flipped(before)[self.vertices])
            sources = self._sources("uv", uv_set=number)
            edits += self._at_corners("texture coordinates", sources, ~is_same, flipped(values), lambda mesh, n=number: mesh.uvs[n])
        return edits

    def _changed_colors(self) -> list[Edit]:
        if self.own.colors is None:
            return []
        values = colors_of(self.thing)
        if values is None:
            self._refuse("has no colours, the file has them")
            return []
        is_same = _equal(values, np.asarray(self.own.colors, np.float32)[self.vertices])
        return self._at_corners("colours", self._sources("color"), ~is_same, values, lambda mesh: mesh.colors)

    def _other_normals(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Returns the normals at the corners in Blender, and which of them differ from those of the file."""
        values = corner_normals_of(self.thing)
        before = self.shape.directions(self.own.normals)[self.vertices]
        is_same = (np.abs(values - before) <= _SAME_NORMAL).all(axis=1)
        # Blender has no normals at corners of triangles without area.
        areas = values_of(self.thing.data.polygons, "area", 1)[:, 0]
        is_other = ~(is_same | np.repeat(areas <= 1e-10 * self.size**2, 3))
        if is_other.any():
            is_other &= (np.abs(values - imported_normals(self.own, self.shape)) > _SAME_SHOWN).any(axis=1)
        return values, is_other

    def has_other_normals(self) -> bool:
        """Returns whether Blender shows other normals than the file has."""
        return self.own.normals is not None and bool(self._other_normals()[1].any())

    def _changed_normals(self) -> list[Edit]:
        if self.own.normals is None:
            return []
        values, is_other = self._other_normals()
        targets = self.shape.normals_from_blender(self.vertices, values)
        return self._at_corners("normals", self._sources("normal"), is_other, targets, lambda mesh: mesh.normals, _SAME_NORMAL)

    def _at_corners(
        self, what: str, sources: list[Any], changed: npt.NDArray[np.bool_], values: Any, read: Callable[[Any], Any], near: float = _NEAR
    ) -> list[Edit]:
        """Returns the edits for an attribute; `changed` and `values` have a row for each corner in Blender."""
        if not changed.any():
            return []
        if not sources:
            self._refuse(f"has other {what}, which the file does not store as such")
            return []
        places = self._places(sources[0])
        edited, first = np.unique(places[changed], return_index=True)
        rows = np.flatnonzero(changed)[first]
        if edited[-1] >= np.iinfo(np.uint32).max:
            self._refuse(f"has other {what} at corners for which the file has none")
            return []
        shared = np.isin(places, edited)
        of_place = values[rows][np.searchsorted(edited, places[shared])]
        apart = int((np.abs(values[shared] - of_place) > near).any(axis=1).sum())
        if apart:
            self._refuse(f"has different {what} at {apart} corners that share theirs in the file")
            return []
        edits = []
        before = np.asarray(read(self.own), np.float64)[self.vertices[rows]]
        if not np.isfinite(before).all():
            self._refuse(f"has other {what} at corners whose {what} in the file are no numbers")
            return []
        targets = kept(values[rows], before, _NEAR * np.maximum(np.abs(before), 1))
        for row, target in zip(rows.tolist(), targets, strict=True):
            corner, triangle, vertex = row % 3, int(self.triangles[row]), int(self.vertices[row])
            paths = [own.path(vertex if own.corner is None else triangle) for own in sources if own.corner in {None, corner}]
            reads = self._reads_corner(read, triangle, corner)
            edits.append(Edit(sources[0].file, paths, reads, target))
        return edits

    def _places(self, source: Any) -> npt.NDArray[np.int64]:
        """Returns a number for each corner in Blender; corners with the same number have one value in the file."""
        records = np.asarray(source.records, np.int64)
        if source.corner is None:
            return records[self.vertices]
        return records[self.triangles] * 3 + np.arange(len(self.triangles)) % 3

    def _reads(self, read: Callable[[Any], Any], vertex: int) -> Reads:
        """Returns the value of a vertex in a scene; by a corner of a triangle, because other vertices can be equal there."""
        at = np.flatnonzero(np.asarray(self.own.triangles).reshape(-1) == vertex)
        if len(at):
            return self._reads_corner(read, int(at[0]) // 3, int(at[0]) % 3)
        return lambda scene: np.asarray(read(scene.meshes[self.index])[vertex], np.float64)

    def _reads_corner(self, read: Callable[[Any], Any], triangle: int, corner: int) -> Reads:
        def value(scene: Any) -> npt.NDArray[np.float64]:
            mesh = scene.meshes[self.index]
            return np.asarray(read(mesh)[mesh.triangles[triangle, corner]], np.float64)

        return value

    def shape_keys(self) -> list[Edit]:
        """Returns the changed displacements of shape keys, if the vertices are those of the file."""
        keys = self.thing.data.shape_keys
        blocks = [] if keys is None else [block for block in keys.key_blocks if block != keys.reference_key]
        if [block.name for block in blocks] != list(self.thing.get(KEYS, [])):
            self._refuse("has added, removed or renamed shape keys")
            return []
        basis = positions_of(self.thing)
        edits = []
        for number, (block, morph) in enumerate(zip(blocks, self.own.morphs, strict=True)):
            points, before = self.shape.displacements(morph)
            expected = np.zeros(basis.shape)
            expected[points] = before
            displacements = values_of(block.data, "co", 3).astype(np.float64) - basis
            changed = np.flatnonzero((np.abs(displacements - expected) > 2 * _NEAR * self.size).any(axis=1))
            sources = self._sources("displacement", morph=number)
            deltas = {int(point): delta for delta, point in reversed(list(enumerate(self.shape.point_of[morph.vertices])))}
            missing = sum(point not in deltas for point in changed.tolist())
            if missing or (len(changed) and not sources):
                self._refuse(f"has a shape key {block.name!r} that displaces {missing or len(changed)} points that it does not displace in the file")
                continue
            if len(changed) and np.asarray(morph.normals).any():
                self.notes.append(f"mesh {self.thing.name!r}: the normals of the shape key {block.name!r} stay as they are in the file")
            targets = self.shape.displacements_from_blender(changed, displacements[changed])
            for point, target in zip(changed.tolist(), targets, strict=True):
                delta = deltas[point]
                target = kept(target, morph.positions[delta], 2 * _NEAR * self.size)
                paths = [source.path(delta) for source in sources]
                edits.append(Edit(sources[0].file, paths, self._reads_displacement(number, int(morph.vertices[delta])), target))
        return edits

    def _reads_displacement(self, morph: int, vertex: int) -> Reads:
        def value(scene: Any) -> npt.NDArray[np.float64]:
            own = scene.meshes[self.index].morphs[morph]
            at = int(np.searchsorted(own.vertices, vertex))
            is_there = at < len(own.vertices) and own.vertices[at] == vertex
            return np.asarray(own.positions[at], np.float64) if is_there else np.zeros(3)

        return value


def _equal(values: npt.NDArray[np.float32], before: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
    return _are_near(values, before, _NEAR * np.maximum(np.abs(before), 1))


def _are_near(values: npt.NDArray[Any], before: npt.NDArray[Any], near: Any) -> npt.NDArray[np.bool_]:
    is_same = (values == before) | (np.isnan(values) & np.isnan(before))
    return np.all(is_same | (np.abs(values - before) <= near), axis=1)  # type: ignore[no-any-return]
