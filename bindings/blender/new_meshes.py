# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of an export as meshes of a new scene."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import bindpose
import bpy
import numpy as np
import numpy.typing as npt

from .meshes import corner_normals_of, corners_of, flipped, positions_of, uvs_of, values_of
from .names import in_order, own_name
from .new_materials import NewMaterials
from .new_rigs import NewRig
from .report import Report, some
from .space import FROM_BLENDER, Array

SURFACES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}
"""The types of objects that have faces."""
_SAME_NORMAL = 2e-3
"""The difference between equal normals of a vertex: Blender stores angles of 16 bits."""
_STILL = 1e-7
"""The displacement of a point that a shape key does not displace, relative to the size of the mesh."""


@dataclass(eq=False)
class NewMesh:
    """A mesh of an export."""

    thing: bpy.types.Object
    own: Any
    """The mesh of the scene."""
    rig: NewRig | None = None
    """The armature that moves it."""
    morphs: list[str] = field(default_factory=list)
    """The names of the shape keys that the morph targets are from."""


@dataclass
class _Key:
    """A shape key."""

    name: str
    moved: Array
    """(v, 3): the displacement of each vertex."""
    turned: Array
    """(c, 3): the difference of the normal at each corner."""


@dataclass
class _Final:
    """An object after its modifiers, but for armatures."""

    data: bpy.types.Mesh
    positions: npt.NDArray[np.float32]
    keys: list[_Key]


def armature_of(thing: bpy.types.Object) -> bpy.types.Object | None:
    """Returns the armature that deforms an object, or one of whose bones is its parent."""
    for modifier in thing.modifiers:
        if modifier.type == "ARMATURE" and modifier.object is not None and modifier.show_viewport:
            return modifier.object
    is_moved = thing.parent is not None and thing.parent.type == "ARMATURE" and thing.parent_type in {"ARMATURE", "BONE"}
    return thing.parent if is_moved else None


class NewMeshes:
    """Makes meshes, while the armatures are in the rest pose."""

    def __init__(self, rigs: list[NewRig], materials: NewMaterials, report: Report) -> None:
        self._rigs = {rig.armature: rig for rig in rigs}
        self._materials, self._report = materials, report

    def made(self, thing: bpy.types.Object) -> NewMesh | None:
        """Returns the mesh of an object; `None` if it has no faces."""
        with self._final(thing) as final:
            if final is None or not len(final.data.polygons):
                self._report.warn(f"object {thing.name!r}: it has no faces; left out")
                return None
            return self._made(thing, final)

    def _made(self, thing: bpy.types.Object, final: _Final) -> NewMesh:
        armature = armature_of(thing)
        rig = None if armature is None else self._rigs[armature]
        world = FROM_BLENDER @ np.array(thing.matrix_world, np.float64)
        bone, joints, weights = None, None, None
        if rig is not None:
            is_child = not any(own.type == "ARMATURE" for own in thing.modifiers) and thing.parent_type == "BONE"
            if is_child and thing.parent_bone in rig.index:
                bone = rig.index[thing.parent_bone]
                world = np.linalg.inv(rig.model[bone - rig.first]) @ world
            else:
                joints, weights = self._weights(thing, final.data, rig)
        vertices = _Vertices(final)
        triangles, slots = vertices.triangles()
        if np.linalg.det(world[:3, :3]) < 0:
            triangles = triangles[:, ::-1]
        at = vertices.points
        normals = vertices.normals @ _of_normals(world[:3, :3])
        if not np.isfinite(final.positions[at]).all():
            raise ValueError(f"object {thing.name!r}: positions of vertices are infinite or no numbers")
        loose = len(final.positions) - len(np.unique(at))
        if loose:
            self._report.warn(f"mesh {thing.name!r}: {loose} vertices without faces are not written")
        morphs = _morphs(final, vertices, world[:3, :3])
        own = bindpose.Mesh(
            own_name(thing),
            bone=bone,
            positions=final.positions[at] @ world[:3, :3].T + world[:3, 3],
            normals=normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30),
            uvs=[flipped(values) for values in vertices.uvs],
            colors=None if vertices.colors is None else np.clip(vertices.colors, 0, 1),
            primitives=[
                bindpose.Primitive(material=self._materials.index_of(thing, slot), triangles=triangles[slots == slot])
                for slot in np.unique(slots).tolist()
            ],
            joints=None if joints is None else joints[at],
            weights=None if weights is None else weights[at],
            joint_bones=None if joints is None or rig is None else np.arange(rig.first, rig.first + len(rig.bones), dtype=np.uint32),
            inverse_binds=None if joints is None or rig is None else np.linalg.inv(rig.model),
            morphs=morphs,
        )
        self._report_colors(thing, final.data)
        return NewMesh(thing, own, rig, [morph.name for morph in morphs])

    @contextmanager
    def _final(self, thing: bpy.types.Object) -> Iterator[_Final | None]:
        """Evaluates an object; its data are removed at the end."""
        applied = [own for own in thing.modifiers if own.show_viewport and own.type != "ARMATURE"]
        hidden = [own.name for own in thing.modifiers if not own.show_viewport]
        if hidden:
            self._report.warn(f"object {thing.name!r}: modifiers that are hidden are not applied: {some(hidden)}")
        keys = self._keys(thing)
        if thing.type == "MESH" and not applied:
            yield _Final(thing.data, positions_of(thing), [_key(thing, own) for own in keys])
        elif not keys:
            final = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
            data = final.to_mesh(preserve_all_data_layers=True, depsgraph=bpy.context.evaluated_depsgraph_get())
            yield None if data is None else _Final(data, values_of(data.vertices, "co", 3), [])
            final.to_mesh_clear()
        else:
            with _copied(thing) as copy:
                yield self._with_keys(copy, [own.name for own in keys])

    def _keys(self, thing: bpy.types.Object) -> list[bpy.types.ShapeKey]:
        """Returns the shape keys of an object that are written."""
        keys = getattr(thing.data, "shape_keys", None)
        if keys is None:
            return []
        if not keys.use_relative or thing.type != "MESH":
            self._report.warn(f"object {thing.name!r}: shape keys that are not relative, or not of a mesh, are not written")
            return []
        muted = [own.name for own in keys.key_blocks if own.mute]
        if muted:
            self._report.warn(f"object {thing.name!r}: muted shape keys are not written: {some(muted)}")
        return [own for own in keys.key_blocks if own != keys.reference_key and not own.mute]

    def _with_keys(self, copy: bpy.types.Object, names: list[str]) -> _Final:
        """Returns an object with modifiers, which are applied to each shape key."""
        blocks = copy.data.shape_keys.key_blocks
        for block in blocks:
            block.value = 0.0
        base = _evaluated(copy)
        positions, normals = values_of(base.vertices, "co", 3), _corner_normals(base)
        keys = []
        for name in names:
            low, high = blocks[name].slider_min, blocks[name].slider_max
            blocks[name].slider_min, blocks[name].slider_max, blocks[name].value = min(low, 0.0), max(high, 1.0), 1.0
            data = _evaluated(copy)
            if len(data.vertices) == len(positions) and len(data.loops) == len(normals):
                keys.append(_Key(name, values_of(data.vertices, "co", 3).astype(np.float64) - positions, _corner_normals(data) - normals))
            else:
                self._report.warn(f"shape key {name!r}: modifiers change the number of vertices; it is not written")
            blocks[name].value = 0.0
        return _Final(_evaluated(copy), positions, keys)

    def _weights(self, thing: bpy.types.Object, data: bpy.types.Mesh, rig: NewRig) -> tuple[Any, Any]:
        """Returns the joints and weights of each vertex."""
        modifiers = [own for own in thing.modifiers if own.type == "ARMATURE" and own.show_viewport and own.object]
        for own in modifiers[1:]:
            self._report.warn(f"object {thing.name!r}: a mesh has one armature; the modifier {own.name!r} is not written")
        for own in modifiers[:1]:
            names = {"use_bone_envelopes": "bone envelopes", "use_deform_preserve_volume": "Preserve Volume", "vertex_group": "a vertex group"}
            used = [name for key, name in names.items() if getattr(own, key)]
            if used:
                self._report.warn(f"object {thing.name!r}: its armature uses {', '.join(used)}; files have weights alone")
        deforming = {bone.name: place for place, bone in enumerate(rig.bones) if bone.use_deform}
        joint_of = [deforming.get(group.name, -1) for group in thing.vertex_groups]
        found = [
            (at.index, joint_of[own.group], own.weight)
            for at in data.vertices
            for own in at.groups
            if own.weight > 0 and own.group < len(joint_of) and joint_of[own.group] >= 0
        ]
        if not found:
            self._report.warn(f"object {thing.name!r}: no vertex has a weight of a bone; it does not move")
            return None, None
        points, bones, values = (np.array(own) for own in zip(*found, strict=True))
        free = len(data.vertices) - len(np.unique(points))
        if free:
            self._report.warn(f"object {thing.name!r}: {free} vertices have no weight of a bone; they do not move")
        # The place of each influence among those of its vertex.
        slots = np.arange(len(points)) - np.searchsorted(points, points)
        shape = len(data.vertices), int(slots.max()) + 1
        joints, weights = np.zeros(shape, np.uint32), np.zeros(shape, np.float32)
        joints[points, slots], weights[points, slots] = bones, values
        return joints, weights

    def _report_colors(self, thing: bpy.types.Object, data: bpy.types.Mesh) -> None:
        layers = _colors(data)
        if len(layers) > 1:
            self._report.warn(f"object {thing.name!r}: files have one colour attribute; not written: {some([own.name for own in layers[1:]])}")


class _Vertices:
    """The vertices of a mesh of a scene: the corners of a mesh of Blender that differ, in the order of its vertices."""

    def __init__(self, final: _Final) -> None:
        self._data = data = final.data
        corners = corners_of(final)
        normals = corner_normals_of(final)
        uvs = uvs_of(final)
        colors = _corner_colors(data, corners)
        # Zeros have signs.
        values = [(part + np.float32(0)).view(np.int32) for part in (*uvs, *([] if colors is None else [colors]))]
        rows = np.concatenate([corners[:, None], _numbered(normals, corners)[:, None], *values], axis=1)
        whole = rows.view(np.dtype((np.void, rows.shape[1] * 4))).reshape(-1)
        _, first, number = np.unique(whole, return_index=True, return_inverse=True)
        order = np.lexsort((first, corners[first]))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        self._at_corner = place[number.reshape(-1)]
        first = first[order]
        self.corners = first
        """The first corner of Blender."""
        self.points = corners[first].astype(np.int64)
        """The vertex of Blender."""
        self.normals = normals[first].astype(np.float64)
        self.uvs = [values[first] for values in uvs]
        self.colors = None if colors is None else colors[first]

    def triangles(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int32]]:
        """Returns the triangles, and the slot of the material of each."""
        self._data.calc_loop_triangles()
        triangles = self._data.loop_triangles
        corners, polygons = np.empty(len(triangles) * 3, np.int32), np.empty(len(triangles), np.int32)
        triangles.foreach_get("loops", corners)
        triangles.foreach_get("polygon_index", polygons)
        slots = np.empty(len(self._data.polygons), np.int32)
        self._data.polygons.foreach_get("material_index", slots)
        return self._at_corner[corners].reshape(-1, 3).astype(np.uint32), slots[polygons]


def _numbered(normals: np.ndarray, corners: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Returns a number for each normal; equal ones of a vertex have the same."""
    numbers = np.zeros(len(normals), np.int32)
    left, number = np.arange(len(normals)), 0
    while len(left):
        vertices, first = np.unique(corners[left], return_index=True)
        reference = normals[left[first]][np.searchsorted(vertices, corners[left])]
        is_same = ~(np.abs(normals[left] - reference) > _SAME_NORMAL).any(axis=1)
        numbers[left[is_same]] = number
        left, number = left[~is_same], number + 1
    return numbers


def _colors(data: bpy.types.Mesh) -> list[Any]:
    """Returns the colour attributes of a mesh, that which is written first."""
    found = [own for own in data.color_attributes if not own.name.startswith(".")]
    active = data.color_attributes.active_color
    return sorted(found, key=lambda own: active is None or own.name != active.name)


def _corner_colors(data: bpy.types.Mesh, corners: npt.NDArray[Any]) -> np.ndarray | None:
    for layer in _colors(data)[:1]:
        values = values_of(layer.data, "color", 4)
        return values if layer.domain == "CORNER" else values[corners]
    return None


def _of_normals(axes: Array) -> Array:
    """Returns what normals, as rows, are multiplied by when points are by a matrix, apart from a factor. The matrix can be flat."""
    cofactors = np.stack([np.cross(axes[:, (own + 1) % 3], axes[:, (own + 2) % 3]) for own in range(3)])
    size = float(np.abs(cofactors).max())
    return cofactors * (-1 if np.linalg.det(axes) < 0 else 1) / (size or 1.0)  # type: ignore[no-any-return]


def _morphs(final: _Final, vertices: _Vertices, axes: Array) -> list[Any]:
    """Returns the shape keys as morph targets of the vertices that they displace."""
    size, at = max(float(np.ptp(final.positions, axis=0).max()), 1e-30), vertices.points
    turn = _of_normals(axes)
    length = np.maximum(np.linalg.norm(vertices.normals @ turn, axis=1, keepdims=True), 1e-30)
    morphs = []
    for key in final.keys:
        moved = key.moved[at]
        displaced = np.flatnonzero((np.abs(moved) > _STILL * size).any(axis=1))
        turned = (key.turned[vertices.corners] @ turn / length)[displaced]
        turned[np.abs(turned).max(axis=1, initial=0.0) < _SAME_NORMAL] = 0
        morphs.append(bindpose.Morph(key.name, displaced.astype(np.uint32), moved[displaced] @ axes.T, turned))
    return morphs


def _key(thing: bpy.types.Object, block: bpy.types.ShapeKey) -> _Key:
    """Returns a shape key, which a vertex group limits."""
    moved = values_of(block.data, "co", 3).astype(np.float64) - values_of(block.relative_key.data, "co", 3)
    turned = _split_normals(block) - _split_normals(block.relative_key)
    group = thing.vertex_groups.get(block.vertex_group) if block.vertex_group else None
    if group is not None:
        share = np.zeros(len(moved))
        for vertex in thing.data.vertices:
            share[vertex.index] = sum(own.weight for own in vertex.groups if own.group == group.index)
        moved *= share[:, None]
        turned *= share[corners_of(thing)][:, None]
    return _Key(block.name, moved, turned)


def _split_normals(block: bpy.types.ShapeKey) -> Array:
    return np.array(block.normals_split_get(), np.float64).reshape(-1, 3)


def _corner_normals(data: bpy.types.Mesh) -> Array:
    return values_of(data.corner_normals, "vector", 3).astype(np.float64)


def _evaluated(thing: bpy.types.Object) -> bpy.types.Mesh:
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    return thing.evaluated_get(graph).to_mesh(preserve_all_data_layers=True, depsgraph=graph)


@contextmanager
def _copied(thing: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """Copies an object whose shape keys nothing animates."""
    copy = thing.copy()
    copy.data = data = thing.data.copy()
    copy.animation_data_clear()
    data.shape_keys.animation_data_clear()
    copy.hide_viewport = copy.show_only_shape_key = False
    bpy.context.scene.collection.objects.link(copy)
    try:
        yield copy
    finally:
        bpy.data.objects.remove(copy)
        bpy.data.meshes.remove(data)


def meshes_of(things: list[bpy.types.Object], rigs: list[NewRig], materials: NewMaterials, mark: str, report: Report) -> list[NewMesh]:
    """Returns the meshes of objects, in the order of an import."""
    maker = NewMeshes(rigs, materials, report)
    made = [maker.made(thing) for thing in in_order(things, mark)]
    return [own for own in made if own is not None]
