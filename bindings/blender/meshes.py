# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of a scene as objects of Blender."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import bpy
import numpy as np

from .report import Report
from .shape import Shape

MESH = "bindpose_mesh"
"""The custom property of an object with the index of its mesh in the scene."""
KEYS = "bindpose_keys"
"""The custom property of an object with the names of its imported shape keys."""

_COLORS = "Color"


class HasMesh(Protocol):
    """An object, or anything else with a mesh."""

    data: Any


def add_mesh(scene: Any, index: int, shape: Shape, materials: list[bpy.types.Material], report: Report) -> bpy.types.Object:
    """Creates the object of a mesh."""
    own = scene.meshes[index]
    data = bpy.data.meshes.new(own.name or scene.name)
    _add_triangles(data, own, shape)
    _add_materials(data, own, shape, materials)
    corners = np.asarray(own.triangles, np.int64)[shape.kept].reshape(-1)
    _add_uvs(data, own, corners, report)
    if own.colors is not None:
        colors = data.color_attributes.new(_COLORS, "FLOAT_COLOR", "CORNER")
        colors.data.foreach_set("color", np.ascontiguousarray(own.colors[corners], np.float32).reshape(-1))
    _finish(data, own, shape)
    thing = bpy.data.objects.new(data.name, data)
    thing[MESH] = index
    _add_shape_keys(thing, own, shape)
    left_out = len(shape.kept) - int(shape.kept.sum())
    if left_out:
        report.warn(f"mesh {data.name!r}: {left_out} triangles have the points of another one, or less than three; left out")
        for material in filter(None, data.materials):
            # They are often back faces.
            material.use_backface_culling = False
    if shape.inexact:
        report.warn(f"mesh {data.name!r}: the bones of {shape.inexact} vertices have different bind poses; these are approximated")
    return thing


def imported_normals(own: Any, shape: Shape) -> np.ndarray:
    """Returns the normals that Blender shows at the corners of an imported mesh, which can be others than those of the file."""
    data = bpy.data.meshes.new("normals")
    try:
        _add_triangles(data, own, shape)
        _finish(data, own, shape)
        return values_of(data.corner_normals, "vector", 3)
    finally:
        bpy.data.meshes.remove(data)


def _finish(data: bpy.types.Mesh, own: Any, shape: Shape) -> None:
    data.update(calc_edges=True)
    if own.normals is not None:
        corners = np.asarray(own.triangles, np.int64)[shape.kept].reshape(-1)
        # Blender reads a list much faster than an array.
        data.normals_split_custom_set(shape.directions(own.normals)[corners].tolist())


def _add_triangles(data: bpy.types.Mesh, own: Any, shape: Shape) -> None:
    triangles = shape.point_of[np.asarray(own.triangles, np.int64)[shape.kept]]
    count = len(triangles)
    data.vertices.add(len(shape.positions))
    data.vertices.foreach_set("co", shape.positions.reshape(-1))
    data.loops.add(count * 3)
    data.loops.foreach_set("vertex_index", triangles.astype(np.int32).reshape(-1))
    data.polygons.add(count)
    data.polygons.foreach_set("loop_start", np.arange(0, count * 3, 3, dtype=np.int32))
    data.polygons.foreach_set("use_smooth", np.ones(count, bool))


def _add_materials(data: bpy.types.Mesh, own: Any, shape: Shape, materials: list[bpy.types.Material]) -> None:
    used: list[int | None] = []
    slots = np.zeros(len(shape.kept), np.int32)
    start = 0
    for primitive in own.primitives:
        if primitive.material not in used:
            used.append(primitive.material)
            data.materials.append(None if primitive.material is None else materials[primitive.material])
        slots[start : start + len(primitive.triangles)] = used.index(primitive.material)
        start += len(primitive.triangles)
    data.polygons.foreach_set("material_index", slots[shape.kept])


def _add_uvs(data: bpy.types.Mesh, own: Any, corners: Any, report: Report) -> None:
    for number, uvs in enumerate(own.uvs):
        layer = data.uv_layers.new(name="UVMap" if number == 0 else f"UVMap.{number:03}", do_init=False)
        if layer is None:
            report.warn(f"mesh {data.name!r}: Blender has at most {number} sets of texture coordinates, the file {len(own.uvs)}")
            return
        layer.data.foreach_set("uv", flipped(uvs)[corners].reshape(-1))


def flipped(uvs: Any) -> np.ndarray:
    """Converts texture coordinates between the top left and the bottom left of the image."""
    return (np.asarray(uvs, np.float32) * [1, -1] + [0, 1]).astype(np.float32)


def _add_shape_keys(thing: bpy.types.Object, own: Any, shape: Shape) -> None:
    if not own.morphs:
        return
    thing.shape_key_add(name="Basis", from_mix=False)
    for morph in own.morphs:
        points, moved = shape.displacements(morph)
        positions = shape.positions.copy()
        positions[points] += moved.astype(np.float32)
        key = thing.shape_key_add(name=morph.name, from_mix=False)
        key.data.foreach_set("co", positions.reshape(-1))
        key.slider_min, key.slider_max, key.value = -10.0, 10.0, 0.0
    thing[KEYS] = [key.name for key in thing.data.shape_keys.key_blocks][1:]


def bind(thing: bpy.types.Object, armature: bpy.types.Object, shape: Shape, names: list[str]) -> None:
    """Attaches an object to an armature. `names` are those of the bones."""
    thing.parent = armature
    for bone, points, weights in shape.groups:
        group = thing.vertex_groups.new(name=names[bone])
        # One call for all points of a weight.
        for weight in np.unique(weights):
            group.add(points[weights == weight].tolist(), float(weight), "REPLACE")
    modifier = thing.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature


def positions_of(thing: bpy.types.Object) -> np.ndarray:
    """Returns the vertices of an object without its modifiers and shape keys."""
    keys = thing.data.shape_keys
    return values_of(keys.reference_key.data if keys else thing.data.vertices, "co", 3)


def in_edit_mode(things: Iterable[bpy.types.Object]) -> list[str]:
    """Returns the names of objects whose data Blender has elsewhere until edit mode ends."""
    return [thing.name for thing in things if getattr(thing.data, "is_editmode", False)]


def corners_of(thing: HasMesh) -> np.ndarray:
    """Returns the vertex at each corner of an object."""
    corners = np.empty(len(thing.data.loops), np.int32)
    thing.data.loops.foreach_get("vertex_index", corners)
    return corners


def uvs_of(thing: HasMesh) -> list[np.ndarray]:
    """Returns the sets of texture coordinates at the corners of an object."""
    return [values_of(layer.data, "uv", 2) for layer in thing.data.uv_layers]


def colors_of(thing: bpy.types.Object) -> np.ndarray | None:
    """Returns the colours at the corners of an object."""
    layer = thing.data.color_attributes.get(_COLORS)
    is_known = layer is not None and layer.domain == "CORNER"
    return values_of(layer.data, "color", 4) if is_known else None


def corner_normals_of(thing: HasMesh) -> np.ndarray:
    """Returns the normals at the corners of an object."""
    return values_of(thing.data.corner_normals, "vector", 3)


def values_of(items: Any, name: str, width: int) -> np.ndarray:
    """Returns a property of all items of a collection of Blender."""
    values = np.empty(len(items) * width, np.float32)
    items.foreach_get(name, values)
    return values.reshape(-1, width)
