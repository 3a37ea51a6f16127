# SPDX-License-Identifier: GPL-3.0-or-later
"""The export into the original refuses by name what it does not write: an edit of each property that an import sets."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bindpose
import bpy
import headless
import model
import pytest
from conftest import SAMPLES


def mesh_in(collection: Any) -> Any:
    return next(thing for thing in collection.objects if thing.type == "MESH")


def armature_in(collection: Any) -> Any:
    return next(thing for thing in collection.objects if thing.type == "ARMATURE")


def curves_in(collection: Any) -> Any:
    return headless.actions.channels_of(armature_in(collection).animation_data.action)


def other_weights(collection: Any) -> None:
    mesh_in(collection).vertex_groups[2].add([0, 1, 2], 0.125, "REPLACE")


def removed_weights(collection: Any) -> None:
    mesh_in(collection).vertex_groups[1].remove(range(500))


def moved_mesh(collection: Any) -> None:
    mesh_in(collection).location.x += 1


def scaled_armature(collection: Any) -> None:
    armature_in(collection).scale = (2, 2, 2)


def face_material(collection: Any) -> None:
    data = mesh_in(collection).data
    data.materials.append(data.materials[0] if data.materials else None)
    data.polygons[0].material_index = len(data.materials) - 1


def no_materials(collection: Any) -> None:
    mesh_in(collection).data.materials.clear()


def other_parent_of_mesh(collection: Any) -> None:
    mesh_in(collection).parent = None


def other_parent_of_bone(collection: Any) -> None:
    armature = armature_in(collection)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    bones["stem_4"].parent = bones["stem_0"]
    bpy.ops.object.mode_set(mode="OBJECT")


def new_object(collection: Any) -> None:
    collection.objects.link(bpy.data.objects.new("hat", bpy.data.meshes.new("hat")))


def copied_object(collection: Any) -> None:
    copy = mesh_in(collection).copy()
    copy.data = copy.data.copy()
    collection.objects.link(copy)


def new_action(collection: Any) -> None:
    armature = armature_in(collection)
    own = bpy.data.actions.new("jump")
    former = armature.animation_data.action
    headless.actions.assign(own, armature)
    armature.pose.bones[1].keyframe_insert("location", frame=3)
    armature.pose.bones[1].keyframe_insert("rotation_euler", frame=3)
    own.use_fake_user = True
    headless.actions.assign(former, armature)


def new_channel(collection: Any) -> None:
    armature_in(collection).pose.bones[1].keyframe_insert("rotation_euler", frame=1)


def bezier(collection: Any) -> None:
    # One with a key at each frame: between others, handles make a movement that files with frames have.
    for point in max(curves_in(collection), key=lambda curve: len(curve.keyframe_points)).keyframe_points:
        point.interpolation = "BEZIER"
        point.handle_right.y += 1


def muted_curve(collection: Any) -> None:
    curves_in(collection)[0].mute = True


def modifier(collection: Any) -> None:
    mesh_in(collection).modifiers.new("smooth", "SUBSURF")


def constraint(collection: Any) -> None:
    armature_in(collection).pose.bones["stem_2"].constraints.new("LIMIT_ROTATION")


def driver(collection: Any) -> None:
    mesh_in(collection).driver_add("location", 0)


def flat_shading(collection: Any) -> None:
    for polygon in mesh_in(collection).data.polygons:
        polygon.use_smooth = False


def roughness(collection: Any) -> None:
    material = bpy.data.materials[0]
    headless.materials.shader_of(material).inputs["Roughness"].default_value = 0.1


def removed_node(collection: Any) -> None:
    tree = bpy.data.materials[0].node_tree
    tree.links.remove(tree.links[0])


def color_attribute(collection: Any) -> None:
    mesh_in(collection).data.color_attributes.new("paint", "BYTE_COLOR", "CORNER")


def pose(collection: Any) -> None:
    armature = armature_in(collection)
    armature.animation_data_clear()
    armature.pose.bones["stem_2"].location = (1, 0, 0)


def bone_without_deform(collection: Any) -> None:
    armature_in(collection).data.bones["stem_2"].use_deform = False


def copied_bone(collection: Any) -> None:
    armature = armature_in(collection)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    copy = bones.new("copy")
    copy.tail = (0, 0, 1)
    for name, value in bones["stem_2"].items():
        copy[name] = value
    bpy.ops.object.mode_set(mode="OBJECT")


def moved_otherwise(collection: Any) -> None:
    mesh_in(collection).delta_location.x += 1


def envelopes(collection: Any) -> None:
    mesh_in(collection).modifiers[0].use_bone_envelopes = True


def volume(collection: Any) -> None:
    mesh_in(collection).modifiers[0].use_deform_preserve_volume = True


def other_node(collection: Any) -> None:
    bpy.data.materials[0].node_tree.nodes.new("ShaderNodeRGB")


def copied_material(collection: Any) -> None:
    data = mesh_in(collection).data
    data.materials.append(data.materials[0].copy())
    data.polygons[0].material_index = len(data.materials) - 1


REFUSED: dict[Callable[[Any], None], str] = {
    other_weights: "has other weights of",
    removed_weights: "has other weights of",
    moved_mesh: "objects were moved, turned or scaled: ",
    scaled_armature: "objects were moved, turned or scaled: ",
    face_material: "objects have other materials: ",
    no_materials: "objects have other materials: ",
    other_parent_of_mesh: "objects have other parents: ",
    other_parent_of_bone: "bones have other parents: 'stem_4'",
    new_object: "objects were added: 'hat'",
    copied_object: "objects were copied: ",
    new_action: "actions were added: 'jump': action 'jump': curves of no exported property",
    new_channel: "curves were added: 'pose.bones[\"stem_1\"].rotation_euler'",
    bezier: "keys have another interpolation",
    muted_curve: "curves are muted, extrapolated or modified",
    modifier: "objects have other modifiers or constraints: ",
    constraint: "bones have constraints: 'stem_2'",
    driver: "objects have drivers: ",
    flat_shading: "faces are shaded otherwise: ",
    roughness: "materials have other values: ",
    removed_node: "materials have other nodes or blending: ",
    color_attribute: "meshes have other colour attributes: ",
    pose: "bones have a pose that no action has: ",
    bone_without_deform: "bones have other settings: 'stem_2'",
    copied_bone: "bones were added: 'copy': ",
    moved_otherwise: "objects were moved, turned or scaled: ",
    envelopes: "armatures deform objects otherwise: ",
    volume: "armatures deform objects otherwise: ",
    other_node: "materials have other nodes or blending: ",
    copied_material: "objects have other materials: ",
}
WRITTEN = {(edit, family) for edit in (other_weights, face_material) for family in ("psk", "ms3d", "cal3d")} | {(no_materials, "ms3d")}
WRITTEN |= {(edit, "unigine") for edit in (other_weights, removed_weights, no_materials)}
WRITTEN |= {(copied_material, family) for family in ("psk", "ms3d")}
# PSK files have one root, and Inter-Quake Models keep their bones.
WRITTEN |= {(copied_bone, family) for family in model.SETS if family not in {"psk", "iqm"}}
"""The edits that a family has in its files."""
WITHOUT_MATERIALS = {"unigine", "max"}


@pytest.mark.parametrize("family", list(model.SETS))
@pytest.mark.parametrize("edit", list(REFUSED), ids=lambda edit: edit.__name__)
def test_an_edit_that_is_not_written_is_refused(models: dict[str, list[Path]], edit: Callable[[Any], None], family: str) -> None:
    (collection,), _ = headless.load(*models[family])
    if edit in {roughness, removed_node, other_node, copied_material} and family in WITHOUT_MATERIALS:
        pytest.skip("the files have no materials")
    if (edit, family) in WRITTEN:
        pytest.skip("the edit is written")
    edit(collection)
    with pytest.raises(headless.original.RefusedError) as refused:
        headless.original.changed_files(collection)
    assert REFUSED[edit] in str(refused.value)


def below_another_object(collection: Any) -> None:
    pivot = bpy.data.objects.new("pivot", None)
    bpy.context.scene.collection.objects.link(pivot)
    armature_in(collection).parent = pivot
    pivot.location.x = 3


def another_import(collection: Any) -> Any:
    """Returns the armature of the same files, imported again."""
    own = armature_in(collection)
    headless.load(*[Path(part) for part in collection["files"]])
    return next(thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing != own)


def deformed_by_another_import(collection: Any) -> None:
    mesh_in(collection).modifiers[0].object = another_import(collection)


def below_another_import(collection: Any) -> None:
    mesh_in(collection).parent = another_import(collection)


def new_root(collection: Any) -> None:
    armature = armature_in(collection)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    root = bones.new("master")
    root.tail = (0, 0, 1)
    bones["stem_0"].parent = root
    bpy.ops.object.mode_set(mode="OBJECT")


def material_of_the_object(collection: Any) -> None:
    slot = mesh_in(collection).material_slots[0]
    slot.link = "OBJECT"
    slot.material = bpy.data.materials.new("own")


def muted_group(collection: Any) -> None:
    action = armature_in(collection).animation_data.action
    group = action.groups.new("arms")
    for curve in curves_in(collection):
        curve.group = group
    group.mute = True


def animated_material(collection: Any) -> None:
    shader = headless.materials.shader_of(bpy.data.materials[0])
    shader.inputs["Base Color"].keyframe_insert("default_value", frame=1)


def driven_material(collection: Any) -> None:
    headless.materials.shader_of(bpy.data.materials[0]).inputs["Base Color"].driver_add("default_value", 0)


def animated_object(collection: Any) -> None:
    mesh_in(collection).keyframe_insert("location", frame=1)


def relative_bone(collection: Any) -> None:
    armature_in(collection).data.bones["stem_2"].use_relative_parent = True


REFUSED_EVERYWHERE: dict[Callable[[Any], None], str] = {
    below_another_object: "objects have other parents: ",
    below_another_import: "objects have other parents: ",
    deformed_by_another_import: "objects have other modifiers or constraints: ",
    new_root: "bones have other parents: 'stem_0'",
    material_of_the_object: "objects have other materials: ",
    muted_group: "curves are muted, extrapolated or modified",
    animated_material: "materials have animations or drivers: ",
    driven_material: "materials have animations or drivers: ",
    animated_object: ": it moves no bone",
    relative_bone: "bones have other settings: 'stem_2'",
}
"""Edits that no family has in its files, as `REFUSED`."""


@pytest.mark.parametrize("edit", list(REFUSED_EVERYWHERE), ids=lambda edit: edit.__name__)
def test_an_edit_that_no_file_has_is_refused(models: dict[str, list[Path]], edit: Callable[[Any], None]) -> None:
    (collection,), _ = headless.load(*models["directx"])
    collection["files"] = [str(path) for path in models["directx"]]
    edit(collection)
    assert REFUSED_EVERYWHERE[edit] in refused(collection)


@pytest.mark.skipif(bpy.app.version < (4, 4), reason="actions have no slots")
def test_curves_in_another_slot_are_refused(models: dict[str, list[Path]]) -> None:
    (collection,), _ = headless.load(*models["directx"])
    thing, own = mesh_in(collection), armature_in(collection).animation_data.action
    data = thing.animation_data_create()
    data.action, data.action_slot = own, own.slots.new(id_type="OBJECT", name="mesh")
    assert headless.original.changed_files(collection)
    thing.keyframe_insert("location", frame=1)
    assert "clip 'sway': curves were added: 'location'" in refused(collection)


def test_an_action_of_new_shape_keys_is_refused(models: dict[str, list[Path]]) -> None:
    (collection,), _ = headless.load(SAMPLES / "corpus" / "psk" / "morphs.pskx")
    keys = mesh_in(collection).data.shape_keys
    keys.key_blocks[1].keyframe_insert("value", frame=1)
    assert f"actions were added: {keys.animation_data.action.name!r}: it moves no bone" in refused(collection)


def dragon() -> Any:
    """The sample character with an image."""
    (collection,), _ = headless.load(SAMPLES / "character" / "dragon.ms3d")
    return collection


def refused(collection: Any) -> str:
    with pytest.raises(headless.original.RefusedError) as reasons:
        headless.original.changed_files(collection)
    return str(reasons.value)


def image_node() -> Any:
    nodes = (node for material in bpy.data.materials for node in material.node_tree.nodes)
    return next(node for node in nodes if node.type == "TEX_IMAGE")


@pytest.mark.parametrize(("name", "value"), [("interpolation", "Closest"), ("extension", "CLIP"), ("mute", True)])
def test_settings_of_nodes_are_refused(name: str, value: Any) -> None:
    collection = dragon()
    setattr(image_node(), name, value)
    assert "materials have other values: " in refused(collection)


def test_the_colour_space_of_an_image_is_refused() -> None:
    collection = dragon()
    image_node().image.colorspace_settings.name = "Non-Color"
    assert "materials have other values: " in refused(collection)


def turned_image(node: Any) -> None:
    node.texture_mapping.rotation.z = 1


def brighter_image(node: Any) -> None:
    node.color_mapping.brightness = 2


def opaque_image(node: Any) -> None:
    node.image.alpha_mode = "NONE"


@pytest.mark.parametrize("edit", [turned_image, brighter_image, opaque_image])
def test_settings_of_images_are_refused(edit: Callable[[Any], None]) -> None:
    collection = dragon()
    edit(image_node())
    assert "materials have other values: " in refused(collection)


def test_painted_images_are_in_the_report() -> None:
    collection, report = dragon(), headless.report.Report("export")
    image = image_node().image
    image.pixels = [1.0] * len(image.pixels)
    assert headless.original.changed(collection, report=report)
    assert report.warnings == [f"unsaved pixels of images: {image.name!r}: not written, as files do not have them"]


def test_a_material_of_another_import_is_refused(models: dict[str, list[Path]]) -> None:
    (collection,), _ = headless.load(*models["directx"])
    own = list(mesh_in(collection).data.materials)
    headless.load(*models["directx"])
    other = next(material for material in bpy.data.materials if material not in own)
    mesh_in(collection).data.materials[0] = other
    assert "objects have other materials: " in refused(collection)


def set_value(block: Any) -> None:
    block.value = 0.5


def mute(block: Any) -> None:
    block.mute = True


def limit(block: Any) -> None:
    thing = next(own for own in bpy.data.objects if own.type == "MESH")
    block.vertex_group = thing.vertex_groups[0].name if thing.vertex_groups else thing.vertex_groups.new(name="part").name


@pytest.mark.parametrize(("edit", "reason"), [(set_value, "have a value"), (mute, "have other settings"), (limit, "have other settings")])
def test_properties_of_shape_keys_are_refused(edit: Callable[[Any], None], reason: str) -> None:
    (collection,), _ = headless.load(SAMPLES / "corpus" / "psk" / "morphs.pskx")
    edit(mesh_in(collection).data.shape_keys.key_blocks[1])
    assert f"shape keys {reason}" in refused(collection)


def test_the_value_of_the_first_shape_key_is_not_an_edit() -> None:
    path = SAMPLES / "corpus" / "psk" / "morphs.pskx"
    (collection,), _ = headless.load(path)
    block = mesh_in(collection).data.shape_keys.key_blocks[0]
    block.value = 1 - block.value
    assert headless.original.changed_files(collection) == {path.name: path.read_bytes()}


def longer_bone(collection: Any) -> None:
    armature = armature_in(collection)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones[-1].length *= 2
    bpy.ops.object.mode_set(mode="OBJECT")


def renamed_uvs(collection: Any) -> None:
    mesh_in(collection).data.uv_layers[0].name = "lightmap"


def viewport_color(collection: Any) -> None:
    mesh_in(collection).data.materials[0].diffuse_color = (1, 0, 0, 1)


def helper_group(collection: Any) -> None:
    mesh_in(collection).vertex_groups.new(name="selection").add([0, 1], 1.0, "REPLACE")


def turned_normals(collection: Any) -> None:
    data = mesh_in(collection).data
    data.normals_split_custom_set([(0.0, 0.0, 1.0)] * len(data.loops))


def renamed_armature(collection: Any) -> None:
    armature_in(collection).name = "skeleton"


def hidden_modifier(collection: Any) -> None:
    mesh_in(collection).modifiers[0].show_viewport = False


def shown_at_rest(collection: Any) -> None:
    armature_in(collection).data.pose_position = "REST"


def pushed_down(collection: Any) -> None:
    data = armature_in(collection).animation_data
    data.nla_tracks.new().strips.new("sway", 1, data.action)
    data.action = None


def half_influence(collection: Any) -> None:
    armature_in(collection).animation_data.action_influence = 0.5


def connected_bone(collection: Any) -> None:
    armature = armature_in(collection)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones["stem_3"].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")


def manual_range(collection: Any) -> None:
    armature_in(collection).animation_data.action.use_frame_range = True


def moved_below_shape_keys(collection: Any) -> None:
    mesh = mesh_in(collection)
    mesh.shape_key_add(name="Basis")
    mesh.data.vertices[0].co.x += 1


def dark_emission(collection: Any) -> None:
    headless.materials.shader_of(mesh_in(collection).data.materials[0]).inputs["Emission Color"].default_value = (1, 0, 0, 1)


def own_data(collection: Any) -> None:
    mesh_in(collection).data = mesh_in(collection).data.copy()


NOTED: dict[Callable[[Any], None], str] = {
    moved_below_shape_keys: "vertices elsewhere than in the first shape key, which Blender shows: ",
    dark_emission: "colours of emission without strength: ",
    own_data: "names of the data of objects: ",
    hidden_modifier: "hidden modifiers: ",
    shown_at_rest: "armatures that are shown in the rest pose: ",
    pushed_down: "NLA tracks: ",
    half_influence: "influences and blending of actions: ",
    connected_bone: "bones that are connected to their parents: 'stem_3'",
    manual_range: "manual frame ranges of actions: ",
    longer_bone: "lengths of bones: ",
    renamed_armature: "names of armatures: 'skeleton'",
    renamed_uvs: "names of sets of texture coordinates: ",
    viewport_color: "colours of materials in the viewport: ",
    helper_group: "weights of vertex groups without a bone of the files are not written: 'selection'",
    turned_normals: "its normals stay as they are in the file",
}
"""What no file has and moves no vertex."""


@pytest.mark.parametrize("edit", list(NOTED), ids=lambda edit: edit.__name__)
def test_what_no_file_has_is_in_the_report(models: dict[str, list[Path]], edit: Callable[[Any], None]) -> None:
    (collection,), _ = headless.load(*models["directx"])
    report = headless.report.Report("export")
    assert headless.original.changed(collection, report=report)
    assert not report.lines
    edit(collection)
    made = headless.original.changed(collection, report=report)
    assert {name: file.encode() for name, file in made.items()} == {path.name: path.read_bytes() for path in models["directx"]}
    assert any(NOTED[edit] in line for line in report.warnings), report.lines


def test_a_name_of_a_mesh_that_the_file_has_is_refused(models: dict[str, list[Path]]) -> None:
    (collection,), _ = headless.load(*models["directx"])
    mesh_in(collection).name = "bush"
    with pytest.raises(headless.original.RefusedError, match="objects were renamed: 'bush'"):
        headless.original.changed_files(collection)


def test_keys_of_shape_keys_are_refused(tmp_path: Path) -> None:
    folder = SAMPLES / "corpus" / "psk"
    clips = bindpose.open(folder / "curves.psa")
    for field in clips.map():
        if field.value == "smile":
            clips[field.path] = "bulge"
    clips.save(tmp_path / "curves.psa")
    (collection,), _ = headless.load(folder / "morphs.pskx", tmp_path / "curves.psa")
    action = next(own for own in bpy.data.actions if headless.meshes.MESH in own)
    assert headless.original.changed_files(collection)
    headless.actions.channels_of(action)[0].keyframe_points[0].co.y += 0.5
    with pytest.raises(headless.original.RefusedError, match="keys of shape keys were changed"):
        headless.original.changed_files(collection)


def test_what_is_not_an_edit_is_not_refused(models: dict[str, list[Path]]) -> None:
    (collection,), _ = headless.load(*models["psk"])
    (other,), _ = headless.load(SAMPLES / "character" / "dragon.ms3d")
    new_action(other)
    bpy.context.scene.frame_set(12)
    mesh_in(collection).hide_render = True
    mesh_in(collection).select_set(True)
    assert headless.original.changed_files(collection) == {path.name: path.read_bytes() for path in models["psk"]}


@pytest.mark.parametrize("family", ["ms3d", "unigine", "cal3d", "max"])
def test_names_that_files_do_not_have_are_refused(models: dict[str, list[Path]], family: str) -> None:
    (collection,), _ = headless.load(*models[family])
    armature_in(collection).animation_data.action.name = "wobble"
    assert "clips were renamed: 'wobble': no clip is named" in refused(collection)


def test_names_that_do_not_fit_are_refused(models: dict[str, list[Path]]) -> None:
    (collection,), _ = headless.load(*models["ms3d"])
    armature_in(collection).data.bones["stem_3"].name = "x" * 63
    mesh_in(collection).data.materials[0].name = "y" * 63
    reasons = refused(collection)
    assert f"bones were renamed: '{'x' * 63}': " in reasons
    assert f"materials were renamed: '{'y' * 63}': " in reasons


@pytest.mark.parametrize("kind", ["MESH", "ARMATURE"])
def test_edit_mode_in_another_scene_is_refused(models: dict[str, list[Path]], kind: str, tmp_path: Path) -> None:
    (collection,), _ = headless.load(*models["ms3d"])
    thing = next(own for own in collection.objects if own.type == kind)
    bpy.context.view_layer.objects.active = thing
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.window.scene = bpy.data.scenes.new("other")
    bpy.context.scene.collection.children.link(collection)
    reason = f"objects are in edit mode in another scene: '{thing.name}'"
    assert refused(collection) == reason
    with pytest.raises(RuntimeError, match=reason):
        bpy.ops.export_scene.bindpose(filepath=str(tmp_path / "new.ms3d"))


def test_values_that_are_no_numbers_in_the_file_are_refused(tmp_path: Path) -> None:
    path, broken = SAMPLES / "character" / "dragon.psk", tmp_path / "dragon.psk"
    file = bindpose.open(path)
    points, wedges = (next(f"{chunk.path}.records" for chunk in file["chunks"] if chunk["id"] == name) for name in ("PNTS0000", "VTXW0000"))
    data = bytearray(path.read_bytes())
    for place in (f"{points}[0]", f"{wedges}[9].u"):
        start = next(iter(file.map(place))).start
        data[start : start + 4] = struct.pack("<f", float("nan"))
    broken.write_bytes(data)
    (collection,), _ = headless.load(broken)
    assert headless.original.changed_files(collection) == {"dragon.psk": broken.read_bytes()}
    data = mesh_in(collection).data
    uvs = next(own for own in data.uv_layers[0].uv if not math.isfinite(own.vector.x))
    uvs.vector.x = 0.5
    data.shape_keys.key_blocks[0].data[0].co = (0, 0, 0)
    reasons = refused(collection)
    assert "has other positions of 1 vertices whose positions in the file are no numbers" in reasons
    assert "has other texture coordinates at corners whose texture coordinates in the file are no numbers" in reasons
