# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures are image nodes in the places of their roles, and materials are blended as their files state."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bindpose
import bpy
import headless
import numpy as np
import pytest
from conftest import SAMPLES

ROLES = [
    "color",
    "normal",
    "height",
    "specular",
    "specular-power",
    "roughness",
    "metalness",
    "opacity",
    "emission",
    "environment",
    "sphere",
    "occlusion",
    "metallic-roughness",
    "mask",
    "other",
]
UNCONNECTED = {"environment", "sphere", "mask", "other"}


def images_in(folder: Path, *names: str) -> list[Path]:
    """Writes an image of each name."""
    paths = [folder / f"{name}.png" for name in names]
    folder.mkdir(parents=True, exist_ok=True)
    for path in paths:
        image = bpy.data.images.new(path.stem, 4, 4)
        image.filepath_raw, image.file_format = str(path), "PNG"
        image.save()
        bpy.data.images.remove(image)
    return paths


def made(folder: Path, *roles: str, **values: Any) -> tuple[bpy.types.Material, list[str]]:
    """Creates a material with an image of each role, and returns it with the messages."""
    names = [f"T{number} {role}" for number, role in enumerate(roles)]
    own = bindpose.Material(**{**blank(), "name": "coat", "textures": names, "texture_roles": list(roles), **values})
    report = headless.report.Report("import")
    images = dict(zip(names, images_in(folder, *names), strict=True))
    (material,) = headless.materials.add_materials(SimpleNamespace(materials=[own]), images, report)
    return material, report.warnings


def blank() -> dict[str, Any]:
    fields = bindpose.scene(SAMPLES / "corpus/psk/plane.psk").materials[0]
    return {name: getattr(fields, name) for name in type(fields).__match_args__}


def node_of(material: bpy.types.Material, kind: str) -> Any:
    (node,) = (node for node in material.node_tree.nodes if node.type == kind)
    return node


def source(socket: Any) -> Any:
    (link,) = socket.links
    return link.from_node


def image_in(socket: Any) -> str:
    return Path(source(socket).image.filepath).stem.split()[1]


def test_images_are_connected_by_their_roles(tmp_path: Path) -> None:
    roles = [role for role in ROLES if role not in ("specular-power", "roughness", "metalness")]
    material, warnings = made(tmp_path, *roles)
    shader = node_of(material, "BSDF_PRINCIPLED")
    for socket, role in {"Base Color": "color", "Specular Tint": "specular", "Alpha": "opacity", "Emission Color": "emission"}.items():
        assert image_in(shader.inputs[socket]) == role
    bump = source(shader.inputs["Normal"])
    assert image_in(bump.inputs["Height"]) == "height"
    assert image_in(source(bump.inputs["Normal"]).inputs["Color"]) == "normal"
    for socket, channel in {"Roughness": "Green", "Metallic": "Blue"}.items():
        (link,) = shader.inputs[socket].links
        assert link.from_socket.name == channel and image_in(link.from_node.inputs["Color"]) == "metallic-roughness"
    assert image_in(node_of(material, "GROUP").inputs["Occlusion"]) == "occlusion"
    assert shader.inputs["Emission Strength"].default_value == 1
    nodes = {node.label: node for node in material.node_tree.nodes if node.type == "TEX_IMAGE"}
    assert list(nodes) == [*(role for role in roles if role != "height"), "height"]
    assert {role for role, node in nodes.items() if not node.outputs["Color"].links} == UNCONNECTED
    are_colors = {role for role, node in nodes.items() if not node.image.colorspace_settings.is_data}
    assert are_colors == {"color", "specular", "emission", "environment", "sphere", "other"}
    (line,) = (line for line in warnings if "not connected" in line)
    assert all(f"({role})" in line for role in UNCONNECTED) and line.count("(") == len(UNCONNECTED)
    assert any("green of normal maps" in line for line in warnings)


@pytest.mark.parametrize(
    ("role", "socket", "kind", "sockets"),
    [
        ("normal", "Normal", "NORMAL_MAP", ["Color"]),
        ("height", "Normal", "BUMP", ["Height"]),
        ("specular-power", "Roughness", "INVERT", ["Color"]),
        ("roughness", "Roughness", "TEX_IMAGE", []),
        ("metalness", "Metallic", "TEX_IMAGE", []),
        ("opacity", "Alpha", "TEX_IMAGE", []),
    ],
)
def test_one_image_is_enough(tmp_path: Path, role: str, socket: str, kind: str, sockets: list[str]) -> None:
    material, _ = made(tmp_path, role)
    node = source(node_of(material, "BSDF_PRINCIPLED").inputs[socket])
    assert node.type == kind
    assert all(image_in(node.inputs[name]) == role for name in sockets)


def test_metal_keeps_its_place_beside_an_image_of_metal_and_roughness(tmp_path: Path) -> None:
    material, _ = made(tmp_path, "metalness", "metallic-roughness")
    shader = node_of(material, "BSDF_PRINCIPLED")
    assert image_in(shader.inputs["Metallic"]) == "metalness"
    (link,) = shader.inputs["Roughness"].links
    assert image_in(link.from_node.inputs["Color"]) == "metallic-roughness"


def test_the_second_image_of_a_role_is_not_connected(tmp_path: Path) -> None:
    material, warnings = made(tmp_path, "color", "height", "height", "color")
    assert len([node for node in material.node_tree.nodes if node.type == "TEX_IMAGE"]) == 4
    assert len([node for node in material.node_tree.nodes if node.type == "BUMP"]) == 1
    assert any("'T2 height.png' (height)" in line and "'T3 color.png' (color)" in line for line in warnings)


def test_an_image_in_two_roles_is_loaded_for_colours_and_for_values(tmp_path: Path) -> None:
    (path,) = images_in(tmp_path, "both")
    own = bindpose.Material(**{**blank(), "textures": ["both"] * 2, "texture_roles": ["color", "opacity"]})
    scene = SimpleNamespace(materials=[own, own])
    for material in headless.materials.add_materials(scene, {"both": path}, headless.report.Report("import")):
        shader = node_of(material, "BSDF_PRINCIPLED")
        spaces = [source(shader.inputs[name]).image.colorspace_settings.is_data for name in ("Base Color", "Alpha")]
        assert spaces == [False, True]
    assert len(bpy.data.images) == 2


def test_every_missing_image_is_reported() -> None:
    own = bindpose.Material(**{**blank(), "textures": ["a", "b"], "texture_roles": ["color", "normal"]})
    report = headless.report.Report("import")
    headless.materials.add_materials(SimpleNamespace(materials=[own]), {}, report)
    assert report.warnings == ["no image for 'a', 'b'"]


def test_an_image_of_emission_is_multiplied_with_the_emissive_colour(tmp_path: Path) -> None:
    material, _ = made(tmp_path, "color", "emission", emissive=(1.0, 0.5, 0.0))
    product = source(node_of(material, "BSDF_PRINCIPLED").inputs["Emission Color"])
    assert np.allclose(product.inputs[1].default_value, (1.0, 0.5, 0.0))
    assert image_in(product.inputs[0]) == "emission"


def shown(material: bpy.types.Material) -> Any:
    """Returns the node that the renderers show."""
    output = material.node_tree.get_output_node("ALL")
    return source(output.inputs["Surface"])


@pytest.mark.parametrize(("roles", "color"), [(["color", "emission"], "color"), (["emission"], "emission"), ([], None)])
def test_additive_materials_add_light_to_the_background(tmp_path: Path, roles: list[str], color: str | None) -> None:
    material, _ = made(tmp_path, *roles, alpha="additive", color=(0.2, 0.4, 0.6, 0.5))
    total = shown(material)
    light, background = (source(socket) for socket in total.inputs)
    assert (total.type, light.type, background.type) == ("ADD_SHADER", "EMISSION", "BSDF_TRANSPARENT")
    if color:
        assert image_in(light.inputs["Color"]) == color
    else:
        assert not light.inputs["Color"].links and np.allclose(light.inputs["Color"].default_value[:3], (0.2, 0.4, 0.6))
    assert np.isclose(light.inputs["Strength"].default_value, 0.5)
    assert np.allclose(background.inputs["Color"].default_value, 1)
    assert material.surface_render_method == "BLENDED"


def test_the_opacity_of_additive_materials_is_the_strength_of_their_light(tmp_path: Path) -> None:
    material, _ = made(tmp_path, "color", "opacity", alpha="additive")
    assert image_in(source(shown(material).inputs[0]).inputs["Strength"]) == "opacity"


def test_modulated_materials_filter_the_background(tmp_path: Path) -> None:
    material, _ = made(tmp_path, "color", alpha="modulate")
    glass = shown(material)
    assert glass.type == "BSDF_TRANSPARENT" and image_in(glass.inputs["Color"]) == "color"
    assert material.surface_render_method == "BLENDED"


@pytest.mark.parametrize("alpha", ["additive", "modulate"])
def test_blended_materials_show_the_colour_of_their_image_over_the_background(tmp_path: Path, alpha: str) -> None:
    (path,) = images_in(tmp_path, "T_Coat")
    image = bpy.data.images.load(str(path))
    image.pixels[:] = [1.0, 0.0, 0.0, 1.0] * 16
    image.save()
    own = bindpose.Material(**{**blank(), "textures": ["T_Coat"], "texture_roles": ["color"], "alpha": alpha})
    (material,) = headless.materials.add_materials(SimpleNamespace(materials=[own]), {"T_Coat": path}, headless.report.Report("import"))
    pixel = rendered(material, tmp_path / "out.png")
    assert np.allclose(pixel, [1.5, 0.5, 0.5] if alpha == "additive" else [0.5, 0.0, 0.0], atol=0.02), pixel


def rendered(material: bpy.types.Material, target: Path) -> np.ndarray:
    """Renders a plane over a grey background, and returns the linear colour in the middle."""
    bpy.ops.mesh.primitive_plane_add(size=4)
    bpy.context.object.data.materials.append(material)
    scene = bpy.context.scene
    scene.camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.camera.location = (0, 0, 2)
    scene.collection.objects.link(scene.camera)
    scene.world = bpy.data.worlds.new("world")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.5, 0.5, 0.5, 1.0)
    scene.render.engine, scene.cycles.samples = "CYCLES", 4
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.render.image_settings.file_format, scene.render.filepath = "OPEN_EXR", str(target.with_suffix(".exr"))
    bpy.ops.render.render(write_still=True)
    values = np.array(bpy.data.images.load(scene.render.filepath).pixels).reshape(8, 8, 4)
    return values[4, 4, :3]


PROPERTIES = "BlendMode = BLEND_{0} (3)\n"


@pytest.fixture
def depot(tmp_path: Path) -> Path:
    """A mesh in a folder as UE Viewer writes it; the materials have images of several roles."""
    mesh = tmp_path / "Game/Hero/plane.psk"
    mesh.parent.mkdir(parents=True)
    shutil.copy(SAMPLES / "corpus/psk/plane.psk", mesh)
    images_in(tmp_path / "Game/Textures", "T_Coat_D", "T_Coat_N", "T_Coat_S", "T_Coat_P", "T_Coat_E", "T_Coat_C")
    for own in bindpose.scene(mesh).materials:
        text = "Diffuse=T_Coat_D\nNormal=T_Coat_N\nSpecular=T_Coat_S\nSpecPower=T_Coat_P\nEmissive=T_Coat_E\nCube=T_Coat_C\n"
        (mesh.parent / f"{own.name}.mat").write_text(text)
    return mesh


def test_the_images_that_ue_viewer_lists_are_connected(depot: Path) -> None:
    _, report = headless.load(depot)
    assert report.errors == [] and any("'T_Coat_C.png' (environment)" in line for line in report.warnings)
    for material in bpy.data.materials:
        shader = node_of(material, "BSDF_PRINCIPLED")
        images = {name: source(shader.inputs[name]) for name in ("Base Color", "Specular Tint", "Emission Color")}
        assert [Path(node.image.filepath).stem for node in images.values()] == ["T_Coat_D", "T_Coat_S", "T_Coat_E"]
        for name, target in {"Normal": "T_Coat_N", "Roughness": "T_Coat_P"}.items():
            assert Path(source(source(shader.inputs[name]).inputs["Color"]).image.filepath).stem == target
    assert len(bpy.data.images) == 6


@pytest.mark.parametrize("mode", ["Opaque", "Additive", "Modulate"])
def test_the_original_is_the_same_whatever_images_a_depot_adds(depot: Path, mode: str) -> None:
    for own in bindpose.scene(depot).materials:
        (depot.parent / f"{own.name}.props.txt").write_text(PROPERTIES.format(mode))
    collections, _ = headless.load(depot)
    assert headless.original.changed_files(collections[0])[depot.name] == depot.read_bytes()
    nodes = [node for node in bpy.data.materials[0].node_tree.nodes if node.type == "TEX_IMAGE"]
    nodes[1].image = nodes[0].image
    with pytest.raises(headless.original.RefusedError, match="states no texture of it"):
        headless.original.changed_files(collections[0])


def test_changed_images_of_every_role_change_their_paths(tmp_path: Path) -> None:
    path = tmp_path / "coat.ms3d"
    file = bindpose.open(SAMPLES / "corpus/ms3d/full.ms3d")
    file["materials[0].texture"], file["materials[0].alphamap"] = "skins\\coat.png", "skins\\holes.png"
    file.save(path)
    images_in(tmp_path, "coat", "holes", "other", "more")
    collections, _ = headless.load(path)
    assert headless.original.changed_files(collections[0])[path.name] == path.read_bytes()
    material = next(own for own in bpy.data.materials if own[headless.materials.MATERIAL] == 0)
    shader = node_of(material, "BSDF_PRINCIPLED")
    for socket, name in {"Base Color": "other", "Alpha": "more"}.items():
        source(shader.inputs[socket]).image = bpy.data.images.load(str(tmp_path / f"{name}.png"))
    data = headless.original.changed_files(collections[0])[path.name]
    (changed, *_) = bindpose.scene(bindpose.decode(data, format="ms3d")).materials
    assert changed.textures == ("skins\\other.png", "skins\\more.png")


@pytest.mark.parametrize(("alpha", "kept"), [("additive", "blend"), ("modulate", "modulate")])
def test_new_files_have_the_colour_and_blending_of_blended_materials(depot: Path, tmp_path: Path, alpha: str, kept: str) -> None:
    for own in bindpose.scene(depot).materials:
        (depot.parent / f"{own.name}.props.txt").write_text(PROPERTIES.format(alpha.title()))
    headless.load(depot)
    outputs = [own.node_tree.get_output_node("ALL").name for own in bpy.data.materials]
    for name in ("copy.psk", "copy.ms3d"):
        assert bpy.ops.export_scene.bindpose(filepath=str(tmp_path / name)) == {"FINISHED"}
    assert {own.alpha for own in bindpose.scene(tmp_path / "copy.psk").materials} == {kept}
    textures = [own.color_texture for own in bindpose.scene(tmp_path / "copy.ms3d").materials]
    assert all(own and own.endswith("T_Coat_D.png") for own in textures), textures
    assert [own.node_tree.get_output_node("ALL").name for own in bpy.data.materials] == outputs


def test_new_files_have_the_images_of_all_roles(tmp_path: Path) -> None:
    roles = ["color", "specular", "specular-power", "emission", "opacity", "height", "environment"]
    material, _ = made(tmp_path, *roles, alpha="blend")
    bpy.ops.mesh.primitive_plane_add()
    bpy.context.object.data.materials.append(material)
    links = {(link.from_node.name, link.to_node.name, link.to_socket.name) for link in material.node_tree.links}
    for name in ("copy.cmf", "copy.ms3d"):
        assert bpy.ops.export_scene.bindpose(filepath=str(tmp_path / name)) == {"FINISHED"}
    (own,) = bindpose.scene(tmp_path / "copy.ms3d").materials
    assert dict(zip(own.texture_roles, own.textures, strict=True)) == {"color": "T0 color.png", "opacity": "T4 opacity.png"}
    assert own.alpha == "blend"
    (own,) = bindpose.scene(tmp_path / "copy.crf").materials
    assert {Path(path).stem.split()[1] for path in own.textures} == set(roles)
    assert {(link.from_node.name, link.to_node.name, link.to_socket.name) for link in material.node_tree.links} == links
    assert "textures" not in material
