# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes and materials of new files have what Blender shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix
from new_files import action, assert_shown, body, made, rig, two_rigs


def test_a_selected_mesh_has_its_skeleton() -> None:
    _, dog = two_rigs()
    scene, _ = made(*dog.children)
    assert [bone.name for bone in scene.skeleton.bones] == ["dog_0", "dog_1"] and len(scene.clips) == 2


PLACES = {
    "moved": lambda: Matrix.Translation((1, 2, 3)),
    "turned": lambda: Matrix.Rotation(0.7, 4, (1, 2, 3)),
    "scaled": lambda: Matrix.Rotation(0.5, 4, "Z") @ Matrix.Diagonal((2, 2, 2, 1)),
    "mirrored": lambda: Matrix.Diagonal((-1, 1, 1, 1)),
    "stretched": lambda: Matrix.Diagonal((1, 1, 3, 1)),
}


@pytest.mark.parametrize("place", PLACES)
def test_the_transform_of_an_armature_is_applied(place: str) -> None:
    armature = rig(bones=3)
    thing = body(armature)
    thing.matrix_basis = Matrix.Translation((0.1, 0, 0)) @ Matrix.Diagonal((1, -1, 1, 1))
    action(armature, "turn", range(1, 11), angle=0.4)
    armature.pose.bones[0].location = (0.1, 0.2, 0.3)
    armature.matrix_basis = PLACES[place]()
    bpy.context.view_layer.update()
    scene, messages = made()
    assert bool(messages) == (place in {"mirrored", "stretched"}), messages
    assert np.allclose(scene.skeleton.bind_pose.scales, 1, atol=1e-6)
    # A turn of what is stretched shears, which clips cannot.
    assert_shown(scene, range(1, 2 if place == "stretched" else 11))
    mesh = scene.meshes[0]
    corners = np.asarray(mesh.positions)[np.asarray(mesh.triangles)]
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert ((faces * np.asarray(mesh.normals)[np.asarray(mesh.triangles)[:, 0]]).sum(axis=1) > 0).all()


def test_modifiers_are_applied() -> None:
    armature = rig()
    thing = body(armature)
    mirror = thing.modifiers.new("Mirror", "MIRROR")
    mirror.use_mirror_merge = False
    action(armature, "turn", range(1, 6))
    thing.shape_key_add(name="Basis")
    key = thing.shape_key_add(name="fat")
    for point in key.data:
        point.co.x *= 2
    key.value = 0.5
    scene, messages = made()
    assert messages == [] and len(scene.meshes[0].triangles) == 2 * 2 * len(thing.data.polygons)
    assert_shown(scene, range(1, 6))
    mirror.show_viewport = False
    scene, messages = made()
    assert any("modifiers that are hidden are not applied: 'Mirror'" in line for line in messages)
    thing.modifiers["Armature"].show_viewport = False
    assert any("'Armature', 'Mirror'" in line for line in made()[1])
    assert len(scene.meshes[0].triangles) == 2 * len(thing.data.polygons)


def test_shape_keys_have_their_values() -> None:
    armature = rig()
    thing = body(armature)
    action(armature, "turn", range(1, 11))
    thing.shape_key_add(name="Basis")
    for name, axis in (("fat", 0), ("deep", 1), ("muted", 2)):
        for point in thing.shape_key_add(name=name).data:
            point.co[axis] *= 1.5
    keys = thing.data.shape_keys.key_blocks
    keys["fat"].value, keys["muted"].mute = 0.25, True
    for frame, value in ((1, 0.0), (10, 1.0)):
        keys["deep"].value = value
        keys["deep"].keyframe_insert("value", frame=frame)
    scene, messages = made(source="ACTIVE")
    assert [morph.name for morph in scene.meshes[0].morphs] == ["fat", "deep"]
    assert [line for line in messages if "muted shape keys are not written: 'muted'" in line] == messages
    assert_shown(scene, range(1, 11))
    assert [clip.name for clip in made()[0].clips] == [thing.data.shape_keys.animation_data.action.name, "turn"]
    assert any("values of shape keys are not written: 'fat'" in line for line in made(source=None)[1])
    curve = keys["fat"].driver_add("value")
    curve.driver.expression = "frame / 10"
    bpy.context.scene.frame_set(1)
    assert_shown(made(source="ACTIVE")[0], range(1, 11))


@pytest.mark.parametrize("modifier", [None, "TRIANGULATE"])
def test_shape_keys_turn_normals(modifier: str | None) -> None:
    thing = body(rig())
    thing.shape_key_add(name="Basis")
    for point in thing.shape_key_add(name="leaning").data:
        point.co.x += point.co.z
    if modifier:
        thing.modifiers.new("other", modifier)
    mesh = made(source=None)[0].meshes[0]
    (morph,) = mesh.morphs
    # Planes that lean by 45 degrees; the normals of others stay.
    turned = np.asarray(mesh.normals)[morph.vertices] + morph.normals
    leaning = np.zeros(mesh.positions.shape)
    leaning[morph.vertices] = morph.positions
    corners = (mesh.positions + leaning)[mesh.triangles]
    planes = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    planes /= np.linalg.norm(planes, axis=1, keepdims=True)
    expected = {int(vertex): [] for vertex in morph.vertices}
    for triangle, plane in zip(mesh.triangles.tolist(), planes, strict=True):
        for vertex in triangle:
            if vertex in expected:
                expected[vertex].append(plane)
    for normal, own in zip(turned, expected.values(), strict=True):
        assert max(float(normal @ plane) for plane in own) > 0.5 and abs(np.linalg.norm(normal) - 1) < 1e-2
    assert np.abs(morph.normals).max() > 0.2


def test_layers_of_a_mesh() -> None:
    thing = body(rig())
    data = thing.data
    for name in ("first", "second"):
        layer = data.uv_layers.new(name=name)
        layer.data.foreach_set("uv", np.linspace(0, 1, 2 * len(data.loops), dtype=np.float32))
    colors = data.color_attributes.new("paint", "BYTE_COLOR", "POINT")
    for own in colors.data:
        own.color = (1.0, 0.0, 0.0, 0.5)
    data.color_attributes.new("other", "FLOAT_COLOR", "CORNER")
    data.color_attributes.active_color = colors
    data.vertices.add(2)
    normals = np.tile([0.0, 0.6, 0.8], (len(data.loops), 1))
    data.normals_split_custom_set(normals.tolist())
    scene, messages = made()
    (mesh,) = scene.meshes
    assert len(mesh.uvs) == 2 and np.allclose(mesh.colors, [1, 0, 0, 0.5], atol=0.01)
    assert np.allclose(mesh.normals, [0, 0.8, -0.6], atol=2e-3)
    assert any("not written: 'other'" in line for line in messages) and any("2 vertices without faces" in line for line in messages)


def test_colours_are_limited_to_those_of_files() -> None:
    thing = body(rig())
    layer = thing.data.color_attributes.new("bright", "FLOAT_COLOR", "POINT")
    for own in layer.data:
        own.color = (4.0, -1.0, 0.5, 1.0)
    material = bpy.data.materials.new("bright")
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (4.0, 0.0, 0.5, 1.0)
    thing.data.materials.append(material)
    scene, _ = made()
    assert np.allclose(scene.meshes[0].colors, [1, 0, 0.5, 1]) and scene.materials[0].color == (1, 0, 0.5, 1)


def test_materials_and_images_of_blender(tmp_path: Path) -> None:
    thing = body(rig())
    thing.data.uv_layers.new()
    image = bpy.data.images.new("bark", 4, 4)
    image.pack()
    for name in ("bark", "plain", "glow"):
        material = bpy.data.materials.new(name)
        material.use_nodes = True
        thing.data.materials.append(material)
    bark, plain, glow = thing.data.materials
    tree = bark.node_tree
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    tree.links.new(node.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    noise = tree.nodes.new("ShaderNodeTexNoise")
    tree.links.new(noise.outputs["Fac"], tree.nodes["Principled BSDF"].inputs["Roughness"])
    shader = plain.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (0.2, 0.4, 0.6, 1.0)
    shader.inputs["Alpha"].default_value = 0.5
    plain.use_backface_culling = True
    glow.node_tree.nodes.clear()
    for face in thing.data.polygons:
        face.material_index = face.index % 3
    scene, messages = made()
    assert [own.name for own in scene.materials] == ["bark", "plain", "glow"]
    assert (scene.materials[0].color, scene.materials[0].textures, scene.materials[0].texture_roles) == ((1, 1, 1, 1), ("bark.png",), ("color",))
    assert scene.materials[1].color == pytest.approx((0.2, 0.4, 0.6, 0.5)) and scene.materials[1].alpha == "blend"
    assert (scene.materials[0].double_sided, scene.materials[1].double_sided) == (True, False)
    assert any("'Roughness'" in line for line in messages) and any("'glow': it has no Principled BSDF" in line for line in messages)
    assert [own.material for own in scene.meshes[0].primitives] == [0, 1, 2]
    assert bpy.ops.export_scene.bindpose(filepath=str(tmp_path / "hero.glb")) == {"FINISHED"}
    assert b"\x89PNG" in (tmp_path / "hero.glb").read_bytes()
    assert len(bpy.data.images) == 1


def test_a_curve_and_a_child_of_a_bone_are_meshes() -> None:
    armature = rig()
    body(armature)
    action(armature, "turn", range(1, 6))
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(0, 0, 2))
    cube = bpy.context.object
    cube.parent, cube.parent_type, cube.parent_bone = armature, "BONE", "rig_1"
    bpy.ops.object.text_add(location=(3, 0, 0))
    scene, messages = made()
    assert messages == [] and [mesh.bone for mesh in scene.meshes] == [None, 1, None]
    cube.select_set(True)
    bpy.data.objects.remove(bpy.data.objects["Text"])
    assert_shown(made()[0], range(1, 6))


@pytest.mark.parametrize("scale", [(1, 0, 1), (1, -1, 0), (0, 0, 0)])
def test_objects_that_are_flat_are_written(scale: tuple[float, float, float]) -> None:
    bpy.ops.mesh.primitive_cube_add()
    own = bpy.context.active_object
    own.shape_key_add(name="Basis")
    own.shape_key_add(name="wide").data[0].co.x -= 1
    own.scale = scale
    (mesh,) = made()[0].meshes
    expected = np.array([own.matrix_world @ vertex.co for vertex in own.data.vertices]) @ np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    assert {tuple(point) for point in np.round(expected + 0.0, 5).tolist()} == {tuple(point) for point in np.round(mesh.positions + 0.0, 5).tolist()}


@pytest.mark.parametrize("scale", [(1, 2, 3), (-1, 2, 1), (-1, -1, -2)])
def test_normals_follow_the_scale_of_an_object(scale: tuple[float, float, float]) -> None:
    bpy.ops.mesh.primitive_monkey_add()
    own = bpy.context.active_object
    own.scale = scale
    (mesh,) = made()[0].meshes
    bpy.ops.object.transform_apply(scale=True)
    (applied,) = made()[0].meshes
    # Blender turns a mesh inside out when a mirroring scale is applied.
    side = np.sign(np.prod(scale))
    for point, normal in zip(mesh.positions, mesh.normals, strict=True):
        near = np.abs(applied.positions - point).max(axis=1) < 1e-5
        assert np.abs(side * applied.normals[near] - normal).max(axis=1).min() < 1e-2


def test_vertices_that_are_not_finite_are_refused() -> None:
    bpy.ops.mesh.primitive_cube_add()
    bpy.context.active_object.data.vertices[0].co.x = float("nan")
    with pytest.raises(ValueError, match="object 'Cube': positions of vertices are infinite or no numbers"):
        made()


def scattered(thing: bpy.types.Object, other: bpy.types.Object) -> None:
    group = bpy.data.node_groups.new("scatter", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    source, end, scatter, info, both = (
        group.nodes.new(kind)
        for kind in ("NodeGroupInput", "NodeGroupOutput", "GeometryNodeInstanceOnPoints", "GeometryNodeObjectInfo", "GeometryNodeJoinGeometry")
    )
    info.inputs["Object"].default_value = other
    group.links.new(source.outputs[0], scatter.inputs["Points"])
    group.links.new(info.outputs["Geometry"], scatter.inputs["Instance"])
    for own in (scatter, source):
        group.links.new(own.outputs[0], both.inputs[0])
    group.links.new(both.outputs[0], end.inputs[0])
    thing.modifiers.new("scatter", "NODES").node_group = group


def at_vertices(thing: bpy.types.Object, other: bpy.types.Object) -> None:
    other.parent = thing
    thing.instance_type = "VERTS"


@pytest.mark.parametrize("instance", [scattered, at_vertices])
def test_instances_are_reported(instance: Callable[[Any, Any], None]) -> None:
    bpy.ops.mesh.primitive_cone_add()
    other = bpy.context.object
    bpy.ops.mesh.primitive_cube_add()
    instance(bpy.context.object, other)
    _, messages = made(bpy.context.object)
    assert messages == ["instances are not written until they are made real: those of 'Cube'"]
