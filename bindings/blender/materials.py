# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials of a scene."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

from .armatures import NAME
from .report import Report

MATERIAL = "bindpose_material"
"""The custom property of a material with its index in the scene."""
IMAGE = "bindpose_image"
"""The custom property of a material with the name of its imported image."""


def add_materials(scene: Any, images: dict[str, Path] | None, report: Report) -> list[bpy.types.Material]:
    """Creates the materials of a scene, with the images of their textures."""
    missing: list[str] = []
    materials = [_add_material(own, images or {}, missing) for own in scene.materials]
    for index, material in enumerate(materials):
        material[MATERIAL], material[NAME] = index, material.name
    if missing and images is not None:
        names = ", ".join(repr(name) for name in dict.fromkeys(missing))
        report.warn(f"no image for {names}")
    return materials


def _add_material(own: Any, images: dict[str, Path], missing: list[str]) -> bpy.types.Material:
    material = bpy.data.materials.new(own.name or "Material")
    if material.node_tree is None:
        material.use_nodes = True
    material.use_backface_culling = not own.double_sided
    material.diffuse_color = own.color
    if own.alpha != "opaque" and hasattr(material, "surface_render_method"):
        material.surface_render_method = "DITHERED" if own.alpha == "mask" else "BLENDED"
    nodes, links = material.node_tree.nodes, material.node_tree.links
    shader = _shader_of(material)
    shader.inputs["Base Color"].default_value = (*own.color[:3], 1.0)
    shader.inputs["Alpha"].default_value = own.color[3]
    shader.inputs["Roughness"].default_value = 0.8
    shader.inputs["Emission Color"].default_value = (*own.emissive, 1.0)
    shader.inputs["Emission Strength"].default_value = 1.0 if any(own.emissive) else 0.0
    texture = own.color_texture
    path = images.get(texture) if texture else None
    if path is None:
        missing += [texture] if texture else []
        return material
    node = nodes.new("ShaderNodeTexImage")
    node.location = (-400, 200)
    node.image = bpy.data.images.load(str(path), check_existing=True)
    links.new(node.outputs["Color"], shader.inputs["Base Color"])
    if any(own.emissive):
        # The texture is multiplied with the emissive colour, too.
        product = nodes.new("ShaderNodeVectorMath")
        product.operation, product.location = "MULTIPLY", (-200, -200)
        product.inputs[1].default_value = own.emissive
        links.new(node.outputs["Color"], product.inputs[0])
        links.new(product.outputs["Vector"], shader.inputs["Emission Color"])
    material[IMAGE] = path.name
    if own.alpha != "opaque":
        links.new(node.outputs["Alpha"], shader.inputs["Alpha"])
    return material


def _shader_of(material: bpy.types.Material) -> Any:
    """Returns the node that determines the look of a material."""
    nodes = material.node_tree.nodes if material.node_tree else []
    return next((node for node in nodes if node.type == "BSDF_PRINCIPLED"), None)


def look_of(material: bpy.types.Material) -> dict[str, tuple[float, ...]] | None:
    """Returns the colours of a material as in a scene; `None` if it is of another kind."""
    shader = _shader_of(material)
    if shader is None:
        return None
    color, emission = (shader.inputs[name].default_value for name in ("Base Color", "Emission Color"))
    is_lit = shader.inputs["Emission Strength"].default_value > 0
    return {"color": (*color[:3], shader.inputs["Alpha"].default_value), "emissive": tuple(emission[:3]) if is_lit else (0.0, 0.0, 0.0)}


def image_of(material: bpy.types.Material) -> str | None:
    """Returns the file name of the image of a material."""
    shader = _shader_of(material)
    links = shader.inputs["Base Color"].links if shader else ()
    image = next((link.from_node.image for link in links if link.from_node.type == "TEX_IMAGE"), None)
    return Path(bpy.path.abspath(image.filepath)).name if image else None
