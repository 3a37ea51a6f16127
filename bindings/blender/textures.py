# SPDX-License-Identifier: GPL-3.0-or-later
"""The textures of a material as image nodes, connected to Principled BSDF by their roles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from .report import Report

IMAGE = "bindpose_image"
"""The custom property of a material with the name of its imported image of the colour, and of an image node with that of its own."""
TEXTURE = "bindpose_texture"
"""The custom property of an image node with the path of its texture in the scene."""
ROLE = "bindpose_role"
"""The custom property of an image node with the role of its texture in the scene."""
OCCLUSION = "glTF Material Output"
"""The node group in which Blender's glTF exporter expects occlusion, which no shader has a socket for."""

_Connect = Callable[[Any, Any, Any], None]


@dataclass(frozen=True)
class _Place:
    """Where the images of a role go. Of those with the same socket, the first one is connected."""

    socket: str
    connect: _Connect
    is_color: bool = False
    hint: str = ""


def _to(socket: str) -> _Connect:
    def connect(tree: Any, shader: Any, color: Any) -> None:
        tree.links.new(color, shader.inputs[socket])

    return connect


def _through(kind: str, socket: str, target: str) -> _Connect:
    def connect(tree: Any, shader: Any, color: Any) -> None:
        node = _new_node(tree, kind, color.node)
        for link in shader.inputs[target].links:
            # The heights of a surface that has an image of normals are added to these.
            tree.links.new(link.from_socket, node.inputs[target])
        tree.links.new(color, node.inputs[socket])
        tree.links.new(node.outputs[0], shader.inputs[target])

    return connect


def _metallic_roughness(tree: Any, shader: Any, color: Any) -> None:
    node = _new_node(tree, "ShaderNodeSeparateColor", color.node)
    tree.links.new(color, node.inputs["Color"])
    tree.links.new(node.outputs["Green"], shader.inputs["Roughness"])
    if not shader.inputs["Metallic"].links:
        tree.links.new(node.outputs["Blue"], shader.inputs["Metallic"])


def _occlusion(tree: Any, _shader: Any, color: Any) -> None:
    group = bpy.data.node_groups.get(OCCLUSION)
    if group is None:
        group = bpy.data.node_groups.new(OCCLUSION, "ShaderNodeTree")
        group.interface.new_socket("Occlusion", socket_type="NodeSocketFloat")
    node = _new_node(tree, "ShaderNodeGroup", color.node)
    node.node_tree = group
    if "Occlusion" in node.inputs:
        tree.links.new(color, node.inputs["Occlusion"])


_GREEN = "green of normal maps is taken to point up, as in OpenGL; in most images of Unreal it points down: invert it if bumps look like dents"
_GLOSS = "images of the sharpness of reflections are inverted to roughness"

_PLACES = {
    "color": _Place("Base Color", _to("Base Color"), is_color=True),
    "normal": _Place("Normal", _through("ShaderNodeNormalMap", "Color", "Normal"), hint=_GREEN),
    "height": _Place("Height", _through("ShaderNodeBump", "Height", "Normal")),
    "specular": _Place("Specular Tint", _to("Specular Tint"), is_color=True),
    "specular-power": _Place("Roughness", _through("ShaderNodeInvert", "Color", "Roughness"), hint=_GLOSS),
    "roughness": _Place("Roughness", _to("Roughness")),
    "metalness": _Place("Metallic", _to("Metallic")),
    "metallic-roughness": _Place("Roughness", _metallic_roughness),
    "opacity": _Place("Alpha", _to("Alpha")),
    "emission": _Place("Emission Color", _to("Emission Color"), is_color=True),
    "occlusion": _Place("Occlusion", _occlusion),
}
"""The places of roles. Images of other roles are nodes without a connection."""


class TextureNodes:
    """The images of the textures of all materials as nodes."""

    def __init__(self, images: dict[str, Path]) -> None:
        self.images = images
        self.missing: dict[str, None] = {}
        self.unconnected: dict[str, None] = {}
        self.hints: dict[str, None] = {}

    def add(self, tree: Any, shader: Any, own: Any) -> dict[str, str]:
        """Adds the image nodes of a material, and connects them to its shader. Returns the textures without an image, and their roles."""
        taken: set[str] = set()
        missing: dict[str, str] = {}
        # Heights are added to normals.
        for texture, role in sorted(zip(own.textures, own.texture_roles, strict=True), key=lambda pair: pair[1] == "height"):
            path = self.images.get(texture)
            if path is None:
                self.missing[repr(texture)], missing[texture] = None, role
                continue
            marks = {TEXTURE: texture, ROLE: role, IMAGE: path.name}
            place = _PLACES.get(role)
            node = _image_node(tree, path, is_color=role != "mask" if place is None else place.is_color)
            node.label = role
            for name, mark in marks.items():
                node[name] = mark
            if place is None or place.socket in taken:
                self.unconnected[f"{path.name!r} ({role})"] = None
                continue
            taken.add(place.socket)
            place.connect(tree, shader, node.outputs["Color"])
            if place.hint:
                self.hints[place.hint] = None
        return missing

    def report(self, report: Report) -> None:
        """Reports images that are missing, are not connected, or may mean something else."""
        if self.missing:
            report.warn(f"no image for {', '.join(self.missing)}")
        if self.unconnected:
            report.warn(f"image nodes without a place in the shader, not connected: {', '.join(self.unconnected)}")
        for hint in self.hints:
            report.warn(hint)


def name_of(image: bpy.types.Image) -> str:
    """Returns the file name of an image."""
    return Path(bpy.path.abspath(image.filepath)).name


def replaced_images(material: bpy.types.Material) -> Iterator[tuple[str, str | None]]:
    """Returns the textures, except that of the base colour, whose nodes have another image than the imported one, and its name."""
    for node in material.node_tree.nodes if material.node_tree else ():
        if TEXTURE not in node or any(link.to_socket.name == "Base Color" for link in node.outputs["Color"].links):
            continue
        name = name_of(node.image) if node.image else None
        if name != node[IMAGE]:
            yield node[TEXTURE], name


def _image_node(tree: Any, path: Path, *, is_color: bool) -> Any:
    node = tree.nodes.new("ShaderNodeTexImage")
    node.location = (-900, 300 - 300 * sum(own.type == "TEX_IMAGE" for own in tree.nodes))
    node.image = _image(path, is_color=is_color)
    return node


def _image(path: Path, *, is_color: bool) -> bpy.types.Image:
    """Loads an image, once for colours and once for other values."""
    known = (own for own in bpy.data.images if own.filepath and Path(bpy.path.abspath(own.filepath)) == path)
    image = next((own for own in known if own.colorspace_settings.is_data != is_color), None)
    if image is None:
        image = bpy.data.images.load(str(path))
        if not is_color:
            image.colorspace_settings.is_data = True
    return image


def _new_node(tree: Any, kind: str, after: Any) -> Any:
    node = tree.nodes.new(kind)
    node.location = (after.location[0] + 350, after.location[1])
    return node
