# SPDX-License-Identifier: GPL-3.0-or-later
"""Each property that the import sets, as its source shows, is edited: the edit is written, refused by name, or in the report."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bindpose
import bpy
import headless
import numpy as np
import pytest
from conftest import SAMPLES

MODULES = ("importer", "actions", "armatures", "attachments", "materials", "meshes", "textures", "shared_rigs", "other_rigs")
"""The modules that set properties of an import."""
OWN = {"self", "bundle"}
"""The names of objects that are not Blender's."""


def targets(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from target.elts if isinstance(target, ast.Tuple) else [target]
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        yield node.target


def set_properties() -> dict[str, str]:
    """Returns the names of the properties that the modules assign, and where."""
    found = {}
    for name in MODULES:
        for node in ast.walk(ast.parse((headless.ROOT / f"{name}.py").read_text())):
            for target in targets(node):
                if isinstance(target, ast.Attribute) and not (isinstance(target.value, ast.Name) and target.value.id in OWN):
                    found[target.attr] = f"{name}.py:{node.lineno}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "foreach_set":
                found[ast.literal_eval(node.args[0])] = f"{name}.py:{node.lineno}"
    return found


NOT_COMPARED = {
    "action": "which action is shown",
    "action_slot": "which action is shown",
    "active": "the selection",
    "display_type": "the display",
    "empty_display_size": "the display",
    "empty_display_type": "the display",
    "fps": "the frame rate of the scene; that of each clip is kept",
    "fps_base": "the frame rate of the scene; that of each clip is kept",
    "frame_end": "the frame range of the scene",
    "frame_start": "the frame range of the scene",
    "id_root": "Blender does not change the type of an action that is used",
    "label": "the display of a node",
    "show_in_front": "the display",
    "type": "the display of a key",
    "use_fake_user": "whether Blender keeps what nothing uses",
    "loop_start": "that of another face count, which `vertex_index` edits",
    "tail": "with `head`, in edit mode",
    "matrix": "with `head`, in edit mode",
}
"""What is no part of a model, with the reason."""


@pytest.fixture
def collection(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """The import of a sample."""
    if request.param == "morphs":
        clips = bindpose.open(SAMPLES / "corpus/psk/curves.psa")
        clips.update({field.path: "bulge" for field in clips.map() if field.value == "smile"})
        clips.save(tmp_path / "curves.psa")
        return headless.load(SAMPLES / "corpus/psk/morphs.pskx", tmp_path / "curves.psa")[0][0]
    if request.param == "lit":
        (tmp_path / "skin.png").write_bytes((SAMPLES / "character/dragon.png").read_bytes())
        square = bindpose.Mesh(
            "square",
            positions=[[0, 0, 0], [1, 0, 0], [1, 1, 0]],
            uvs=[np.zeros((3, 2))],
            primitives=[bindpose.Primitive(material=0, triangles=[[0, 1, 2]])],
        )
        glow = bindpose.Material("glow", emissive=(0.5, 0.25, 0.125), textures=["skin.png"])
        bindpose.Scene(meshes=[square], materials=[glow]).write(tmp_path / "square.x")
        return headless.load(tmp_path / "square.x")[0][0]
    if request.param == "additive":
        shutil.copy(SAMPLES / "corpus/psk/plane.psk", tmp_path)
        shutil.copy(SAMPLES / "character/dragon.png", tmp_path / "skin.png")
        for own in bindpose.scene(tmp_path / "plane.psk").materials:
            (tmp_path / f"{own.name}.mat").write_text("Diffuse=skin\n")
            (tmp_path / f"{own.name}.props.txt").write_text("BlendMode = BLEND_Additive (3)\n")
        return headless.load(tmp_path / "plane.psk")[0][0]
    if request.param == "colored":
        return headless.load(SAMPLES / "corpus/psk/colored.psk")[0][0]
    return headless.load(SAMPLES / "character/dragon.ms3d")[0][0]


def thing(collection: Any, kind: str = "MESH") -> Any:
    return next(own for own in collection.objects if own.type == kind)


def material(collection: Any) -> Any:
    return next(own for own in thing(collection).data.materials if any(node.type == "TEX_IMAGE" for node in own.node_tree.nodes))


def node(collection: Any, kind: str) -> Any:
    return next(own for own in material(collection).node_tree.nodes if own.type == kind)


def shader(collection: Any) -> Any:
    return node(collection, "BSDF_PRINCIPLED")


def block(collection: Any) -> Any:
    return thing(collection).data.shape_keys.key_blocks[1]


def curve(collection: Any) -> Any:
    """Returns the curve with the most values."""
    curves = headless.actions.channels_of(thing(collection, "ARMATURE").animation_data.action)
    return max(curves, key=lambda own: len({point.co[1] for point in own.keyframe_points}))


def moved_bone(collection: Any) -> None:
    bpy.context.view_layer.objects.active = thing(collection, "ARMATURE")
    bpy.ops.object.mode_set(mode="EDIT")
    thing(collection, "ARMATURE").data.edit_bones[2].head.x += 0.5
    bpy.ops.object.mode_set(mode="OBJECT")


def other_parent(collection: Any) -> None:
    bpy.context.view_layer.objects.active = thing(collection, "ARMATURE")
    bpy.ops.object.mode_set(mode="EDIT")
    bones = thing(collection, "ARMATURE").data.edit_bones
    bones[-1].parent = bones[0]
    bpy.ops.object.mode_set(mode="OBJECT")


def pose(name: str, value: Any) -> Callable[[Any], None]:
    """Poses a bone without a clip."""

    def edit(collection: Any) -> None:
        armature = thing(collection, "ARMATURE")
        armature.animation_data_clear()
        setattr(armature.pose.bones[1], name, value)

    return edit


def turn_a_face(collection: Any) -> None:
    data = thing(collection).data
    corners = headless.meshes.corners_of(thing(collection))
    corners[:3] = corners[2::-1]
    data.loops.foreach_set("vertex_index", corners)
    data.update()


def assign(place: Callable[[Any], Any], name: str, value: Any) -> Callable[[Any], None]:
    return lambda collection: setattr(place(collection), name, value)


def move(place: Callable[[Any], Any]) -> Callable[[Any], None]:
    def edit(collection: Any) -> None:
        place(collection).co.x += 0.25

    return edit


def group_of_nodes(collection: Any) -> None:
    """Images of occlusion are in a group."""
    nodes = material(collection).node_tree.nodes
    nodes.new("ShaderNodeGroup").node_tree = bpy.data.node_groups.new("other", "ShaderNodeTree")


def other_image(collection: Any) -> None:
    node(collection, "TEX_IMAGE").image = bpy.data.images.new("other", 4, 4)


def colors(collection: Any) -> None:
    layer = thing(collection).data.color_attributes["Color"].data
    point = headless.meshes.corners_of(thing(collection))[0]
    for corner in np.flatnonzero(headless.meshes.corners_of(thing(collection)) == point).tolist():
        layer[corner].color = (1.0, 0.5, 0.25, 1.0)


def uvs(collection: Any) -> None:
    point = headless.meshes.corners_of(thing(collection))[0]
    for corner in np.flatnonzero(headless.meshes.corners_of(thing(collection)) == point).tolist():
        thing(collection).data.uv_layers[0].data[corner].uv = (0.25, 0.125)


def glowing(collection: Any) -> None:
    """Emission has a colour and a strength."""
    shader(collection).inputs["Emission Color"].default_value = (0.25, 0.5, 0.75, 1.0)
    shader(collection).inputs["Emission Strength"].default_value = 1.0


def key(collection: Any) -> None:
    curve(collection).keyframe_points[1].co.y += 0.01


def muted_group(collection: Any) -> None:
    action = thing(collection, "ARMATURE").animation_data.action
    own = curve(collection)
    own.group = action.groups.new("muted")
    own.group.mute = True


def armature_data(collection: Any) -> Any:
    return thing(collection, "ARMATURE")


def face(collection: Any) -> Any:
    return thing(collection).data.polygons[0]


EDITS: dict[str, list[tuple[str, Callable[[Any], None]]]] = {
    "co": [("dragon", key), ("dragon", move(lambda own: thing(own).data.vertices[0])), ("morphs", move(lambda own: block(own).data[3]))],
    "color": [("colored", colors)],
    "default_value": [
        *(("dragon", assign(lambda own, name=name: shader(own).inputs[name], "default_value", 0.25)) for name in ("Alpha", "Roughness", "Emission Strength")),
        *(
            (sample, assign(lambda own, name=name: shader(own).inputs[name], "default_value", (0.25, 0.5, 0.75, 1.0)))
            for sample, name in (("lit", "Specular Tint"), ("additive", "Specular Tint"))
        ),
        ("dragon", glowing),
        ("lit", assign(lambda own: node(own, "VECT_MATH").inputs[1], "default_value", (1.0, 1.0, 1.0))),
    ],
    "diffuse_color": [("dragon", assign(material, "diffuse_color", (0.0, 0.0, 1.0, 1.0)))],
    "group": [("dragon", muted_group)],
    "head": [("dragon", moved_bone)],
    "image": [("dragon", other_image)],
    "interpolation": [("dragon", lambda own: [setattr(point, "interpolation", "CONSTANT") for point in curve(own).keyframe_points])],
    "is_active_output": [("additive", assign(lambda own: node(own, "OUTPUT_MATERIAL"), "is_active_output", True))],
    "is_data": [("dragon", lambda own: setattr(node(own, "TEX_IMAGE").image.colorspace_settings, "is_data", True))],
    "location": [("dragon", pose("location", (1, 0, 0))), ("dragon", lambda own: setattr(thing(own), "location", (1, 0, 0)))],
    "material_index": [("dragon", lambda own: (thing(own).data.materials.append(None), setattr(face(own), "material_index", 1)))],
    "matrix_basis": [("morphs", lambda own: setattr(thing(own, "EMPTY"), "location", (3, 0, 0)))],
    "name": [
        ("dragon", assign(thing, "name", "other")),
        ("dragon", assign(armature_data, "name", "other")),
        ("dragon", assign(material, "name", "other")),
        ("dragon", lambda own: setattr(thing(own, "ARMATURE").data.bones[1], "name", "other")),
        ("dragon", lambda own: setattr(thing(own).vertex_groups[0], "name", "other")),
        ("dragon", lambda own: setattr(thing(own).data.uv_layers[0], "name", "other")),
        ("colored", lambda own: setattr(thing(own).data.color_attributes[0], "name", "other")),
        ("morphs", lambda own: setattr(block(own), "name", "other")),
        ("morphs", assign(lambda own: thing(own, "EMPTY"), "name", "other")),
        ("morphs", lambda own: setattr(thing(own, "ARMATURE").animation_data.action, "name", "other")),
    ],
    "node_tree": [("dragon", group_of_nodes)],
    "object": [("dragon", lambda own: setattr(thing(own).modifiers[0], "object", None))],
    "operation": [("lit", assign(lambda own: node(own, "VECT_MATH"), "operation", "ADD"))],
    "parent": [("dragon", other_parent), ("dragon", assign(thing, "parent", None)), ("morphs", assign(lambda own: thing(own, "EMPTY"), "parent", None))],
    "parent_bone": [("morphs", lambda own: setattr(thing(own, "EMPTY"), "parent_bone", thing(own, "ARMATURE").data.bones[0].name))],
    "parent_type": [("morphs", assign(lambda own: thing(own, "EMPTY"), "parent_type", "OBJECT"))],
    "rotation_mode": [("dragon", pose("rotation_mode", "XYZ"))],
    "rotation_quaternion": [("dragon", pose("rotation_quaternion", (0, 1, 0, 0)))],
    "scale": [("dragon", pose("scale", (2, 1, 1)))],
    "slider_max": [("morphs", assign(block, "slider_max", 1.0))],
    "slider_min": [("morphs", assign(block, "slider_min", 0.0))],
    "surface_render_method": [("dragon", assign(material, "surface_render_method", "BLENDED"))],
    "use_backface_culling": [("dragon", lambda own: setattr(material(own), "use_backface_culling", not material(own).use_backface_culling))],
    "use_nodes": [("dragon", assign(material, "use_nodes", False))],
    "use_smooth": [("dragon", lambda own: setattr(face(own), "use_smooth", False))],
    "uv": [("dragon", uvs)],
    "value": [("morphs", lambda own: (thing(own).data.shape_keys.animation_data_clear(), setattr(block(own), "value", 0.5)))],
    "vertex_index": [("dragon", turn_a_face)],
    # What the import leaves as Blender has it, and what has an effect.
    "mute": [
        ("dragon", assign(shader, "mute", True)),
        ("dragon", assign(lambda own: node(own, "TEX_IMAGE"), "mute", True)),
        ("morphs", assign(block, "mute", True)),
        ("dragon", assign(curve, "mute", True)),
    ],
    "weights": [("dragon", lambda own: thing(own).vertex_groups[0].add([0, 1, 2], 0.125, "REPLACE"))],
    "links": [("dragon", lambda own: material(own).node_tree.links.remove(material(own).node_tree.links[0]))],
}
"""Edits of each property, with the sample that has it."""


def test_each_property_that_the_import_sets_has_an_edit() -> None:
    found = set_properties()
    missing = found.keys() - EDITS.keys() - NOT_COMPARED.keys()
    assert not missing, {name: found[name] for name in missing}
    assert not NOT_COMPARED.keys() - found.keys(), "the import does not set them any more"


CASES = [(sample, name, number) for name, edits in EDITS.items() for number, (sample, _) in enumerate(edits)]


@pytest.mark.parametrize(("collection", "name", "number"), CASES, ids=lambda own: str(own), indirect=["collection"])
def test_an_edit_is_written_refused_or_reported(collection: Any, name: str, number: int) -> None:
    def result() -> Any:
        report = headless.report.Report("export")
        try:
            files = headless.original.changed(collection, report=report)
        except headless.original.RefusedError as error:
            return str(error)
        return {own: file.encode() for own, file in files.items()}, report.lines

    before = result()
    assert not isinstance(before, str), before
    if name == "use_nodes" and bpy.app.version >= (5, 0):
        pytest.skip("materials always have nodes")
    EDITS[name][number][1](collection)
    bpy.context.view_layer.update()
    assert result() != before, "the edit is dropped without a word"
