# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials of a scene."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import bpy

from .bundle import IMPORT
from .names import NAME, keep_name
from .report import Report
from .textures import IMAGE, TextureNodes, name_of

MATERIAL = "bindpose_material"
"""The custom property of a material with its index in the scene."""


MISSING = "bindpose_missing"
"""The custom property of a material with the textures whose images were not found, each before its role."""


def imported_materials(things: Iterable[bpy.types.Object], key: str) -> dict[int, bpy.types.Material]:
    """Returns the materials of an import that objects have, by their index, without copies: those with the name of the import, or the first ones."""
    found: dict[int, bpy.types.Material] = {}
    for material in (own for thing in things for own in thing.data.materials if own is not None and is_of(own, key)):
        if int(material[MATERIAL]) not in found or material.name == material.get(NAME):
            found[int(material[MATERIAL])] = material
    return found


def is_of(material: bpy.types.Material, key: str) -> bool:
    """Returns whether a material is one of an import, or a copy of one."""
    return MATERIAL in material and material.get(IMPORT, key) == key


def add_materials(scene: Any, images: dict[str, Path] | None, report: Report) -> list[bpy.types.Material]:
    """Creates the materials of a scene, with the images of their textures."""
    textures = TextureNodes(images or {})
    materials = [_add_material(own, textures) for own in scene.materials]
    for index, (material, own) in enumerate(zip(materials, scene.materials, strict=True)):
        material[MATERIAL] = index
        keep_name(material, own.name)
    if images is not None:
        textures.report(report)
    return materials


def _add_material(own: Any, textures: TextureNodes) -> bpy.types.Material:
    material = bpy.data.materials.new(own.name or "Material")
    if material.node_tree is None:
        material.use_nodes = True
    material.use_backface_culling = not own.double_sided
    material.diffuse_color = own.color
    if own.alpha != "opaque":
        material.surface_render_method = "DITHERED" if own.alpha == "mask" else "BLENDED"
    tree, shader = material.node_tree, shader_of(material)
    shader.inputs["Base Color"].default_value = (*own.color[:3], 1.0)
    shader.inputs["Alpha"].default_value = own.color[3]
    shader.inputs["Roughness"].default_value = 0.8
    shader.inputs["Emission Color"].default_value = (*own.emissive, 1.0)
    missing = textures.add(tree, shader, own)
    if missing:
        material[MISSING] = [text for pair in missing.items() for text in pair]
    color, emission, alpha = (shader.inputs[name] for name in ("Base Color", "Emission Color", "Alpha"))
    if any(own.emissive):
        _multiply(tree, emission.links or color.links, own.emissive, emission)
    shader.inputs["Emission Strength"].default_value = 1.0 if any(own.emissive) or emission.links else 0.0
    if own.alpha != "opaque" and color.links and not alpha.links:
        tree.links.new(color.links[0].from_node.outputs["Alpha"], alpha)
    image = image_of(material)
    if image is not None:
        material[IMAGE] = image
    if own.alpha in _BLENDINGS:
        material[BLENDING] = own.alpha
        _BLENDINGS[own.alpha](tree, shader)
    return material


def _multiply(tree: Any, links: Any, factor: Any, target: Any) -> None:
    """Multiplies the image of links with a colour."""
    for link in tuple(links):
        product = tree.nodes.new("ShaderNodeVectorMath")
        product.operation, product.location = "MULTIPLY", (-200, -200)
        product.inputs[1].default_value = factor
        tree.links.new(link.from_socket, product.inputs[0])
        tree.links.new(product.outputs["Vector"], target)


def _add_to_background(tree: Any, shader: Any) -> None:
    """Shows the colour as light that is added to the background."""
    light, background, total = (tree.nodes.new(f"ShaderNode{kind}") for kind in ("Emission", "BsdfTransparent", "AddShader"))
    color, emission = shader.inputs["Base Color"], shader.inputs["Emission Color"]
    _copy(tree, emission if emission.links and not color.links else color, light.inputs["Color"])
    _copy(tree, shader.inputs["Alpha"], light.inputs["Strength"])
    tree.links.new(light.outputs[0], total.inputs[0])
    tree.links.new(background.outputs[0], total.inputs[1])
    light.location, background.location, total.location = (0, 500), (0, 650), (300, 500)
    _show(tree, total)


def _multiply_with_background(tree: Any, shader: Any) -> None:
    """Shows the colour as that of a filter."""
    glass = tree.nodes.new("ShaderNodeBsdfTransparent")
    _copy(tree, shader.inputs["Base Color"], glass.inputs["Color"])
    glass.location = (300, 500)
    _show(tree, glass)


_BLENDINGS = {"additive": _add_to_background, "modulate": _multiply_with_background}
BLENDING = "blending"
"""The custom property of a material with its blending, if Blender has none of the kind; also in glTF."""


def _copy(tree: Any, source: Any, target: Any) -> None:
    target.default_value = source.default_value
    for link in source.links:
        tree.links.new(link.from_socket, target)


def _show(tree: Any, shader: Any) -> None:
    """Gives a tree another output, which is shown instead of that of Principled BSDF."""
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    output.location = (500, 500)
    tree.links.new(shader.outputs[0], output.inputs["Surface"])
    output.is_active_output = True


def shader_of(material: bpy.types.Material) -> Any:
    """Returns the node that determines the look of a material."""
    nodes = material.node_tree.nodes if material.node_tree else []
    return next((node for node in nodes if node.type == "BSDF_PRINCIPLED"), None)


def look_of(material: bpy.types.Material) -> dict[str, tuple[float, ...]] | None:
    """Returns the colours of a material as in a scene; `None` if it is of another kind."""
    shader = shader_of(material)
    if shader is None:
        return None
    color, emission = (shader.inputs[name].default_value for name in ("Base Color", "Emission Color"))
    is_lit = shader.inputs["Emission Strength"].default_value > 0
    return {"color": (*color[:3], shader.inputs["Alpha"].default_value), "emissive": tuple(emission[:3]) if is_lit else (0.0, 0.0, 0.0)}


def image_of(material: bpy.types.Material) -> str | None:
    """Returns the file name of the image of a material."""
    shader = shader_of(material)
    links = shader.inputs["Base Color"].links if shader else ()
    image = next((link.from_node.image for link in links if link.from_node.type == "TEX_IMAGE"), None)
    return name_of(image) if image else None
