# SPDX-License-Identifier: GPL-3.0-or-later
"""The materials of an export as those of a new scene."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import bindpose
import bpy

from .materials import BLENDING, MATERIAL, MISSING, shader_of
from .names import in_order, own_name
from .report import Report, some
from .textures import OCCLUSION, ROLE

_SOCKETS = {
    "Base Color": "color",
    "Normal": "other",
    "Specular Tint": "specular",
    "Roughness": "roughness",
    "Metallic": "metalness",
    "Alpha": "opacity",
    "Emission Color": "emission",
}
"""The roles of images that are connected to Principled BSDF."""
_THROUGH = {
    ("NORMAL_MAP", "Color"): "normal",
    ("BUMP", "Height"): "height",
    ("INVERT", "Color"): "specular-power",
    ("SEPARATE_COLOR", "Color"): "metallic-roughness",
}
"""The roles of images that are connected to it through the input of another node."""
_OF_SOCKET = {"specular-power": "Roughness"}
"""The sockets of roles that a node gives at one of them only."""


class NewMaterials:
    """The materials of an export, and the images of their textures."""

    def __init__(self, folder: Path, report: Report) -> None:
        self.images: dict[str, bpy.types.Image] = {}
        """The images by the paths of the textures."""
        self._folder, self._report = folder, report
        self._known: dict[bpy.types.Material, int] = {}

    def add_all(self, things: list[bpy.types.Object]) -> list[Any]:
        """Returns the materials of objects."""
        used = dict.fromkeys(slot.material for thing in things for slot in thing.material_slots if slot.material)
        self._known = {material: index for index, material in enumerate(in_order(used, MATERIAL))}
        return [self._material(material) for material in self._known]

    def index_of(self, thing: bpy.types.Object, slot: int) -> int | None:
        """Returns the material of faces by their slot."""
        slots = thing.material_slots
        # As Blender shows them.
        return self._known.get(slots[min(slot, len(slots) - 1)].material) if slots else None

    def _material(self, own: bpy.types.Material) -> Any:
        shader = shader_of(own)
        if shader is None:
            self._report.warn(f"material {own.name!r}: it has no Principled BSDF; the colour of the viewport is written")
            return bindpose.Material(own_name(own), color=_limited(own.diffuse_color), double_sided=not own.use_backface_culling)
        textures = self._textures(own, shader)
        color, alpha, emission, strength = (
            shader.inputs[name].default_value for name in ("Base Color", "Alpha", "Emission Color", "Emission Strength")
        )
        if MATERIAL not in own:
            # Blender has one or the other.
            roles = [role for _, role in textures]
            color = (1.0, 1.0, 1.0) if "color" in roles else color
            emission = (1.0, 1.0, 1.0) if "emission" in roles else emission
        return bindpose.Material(
            own_name(own),
            color=_limited((*color[:3], 1.0 if shader.inputs["Alpha"].links and MATERIAL not in own else alpha)),
            emissive=_limited(value * strength for value in emission[:3]),
            textures=[path for path, _ in textures],
            texture_roles=[role for _, role in textures],
            alpha=_alpha(own, shader),
            double_sided=not own.use_backface_culling,
        )

    def _textures(self, own: bpy.types.Material, shader: Any) -> list[tuple[str, str]]:
        """Returns the textures of a material with their roles, each once."""
        roles: dict[Any, str] = {}
        other = []
        for name, role in _SOCKETS.items():
            socket = shader.inputs.get(name)
            found = list(_images(socket, role, name)) if socket is not None else []
            for node, its_role in found:
                roles.setdefault(node, its_role)
            if socket is not None and socket.links and not found:
                other.append(name)
        for node in own.node_tree.nodes:
            if node.type == "GROUP" and node.node_tree and node.node_tree.name == OCCLUSION and "Occlusion" in node.inputs:
                for image, role in _images(node.inputs["Occlusion"], "occlusion", ""):
                    roles.setdefault(image, role)
            elif ROLE in node and node.type == "TEX_IMAGE":
                roles.setdefault(node, node[ROLE])
        if other:
            self._report.warn(f"material {own.name!r}: nodes other than images are not written, connected to {some(other)}")
        textures = [(self._path(node.image), node.image, role) for node, role in roles.items() if node.image]
        self.images |= {path: image for path, image, _ in textures}
        missing = list(own.get(MISSING, ()))
        return list(dict.fromkeys([*((path, role) for path, _, role in textures), *zip(missing[::2], missing[1::2], strict=True)]))

    def _path(self, image: bpy.types.Image) -> str:
        """Returns the path of an image for a file: relative to its folder if the image is below it, otherwise the name alone."""
        path = Path(bpy.path.abspath(image.filepath)) if image.filepath else Path(image.name)
        if not path.suffix:
            path = path.with_name(f"{path.name}.png")
        return path.relative_to(self._folder).as_posix() if path.is_relative_to(self._folder) else path.name


def _limited(color: Iterable[float]) -> tuple[float, ...]:
    """Returns a colour in the range of files."""
    return tuple(min(max(value, 0.0), 1.0) for value in color)


def _alpha(own: bpy.types.Material, shader: Any) -> str:
    alpha = shader.inputs["Alpha"]
    is_blended = own.surface_render_method == "BLENDED"
    if BLENDING in own and is_blended:
        return str(own[BLENDING])
    if MATERIAL in own:
        return "blend" if is_blended else "mask" if alpha.links else "opaque"
    return "blend" if alpha.links or alpha.default_value < 1 else "opaque"


def _images(socket: Any, role: str, name: str) -> Iterator[tuple[Any, str]]:
    """Yields the image nodes that a socket depends on, with their roles."""
    for link in socket.links:
        node = link.from_node
        if not link.is_valid:
            continue
        if node.type == "TEX_IMAGE":
            yield node, role
            continue
        for own in node.inputs:
            through = _THROUGH.get((node.type, own.name), role)
            yield from _images(own, through if _OF_SOCKET.get(through, name) == name else role, name)
