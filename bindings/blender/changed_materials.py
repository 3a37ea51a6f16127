# SPDX-License-Identifier: GPL-3.0-or-later
"""What changed of the materials since their import: colours, names and images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import PureWindowsPath
from typing import Any

import bpy
import numpy as np

from .materials import image_of, imported_materials, look_of
from .names import NAME, encoded, several, stored
from .solve import Edit
from .textures import IMAGE, replaced_images


class ChangedMaterials:
    """The changes of the materials of an import; `refused` has those that the files cannot represent."""

    def __init__(self, scene: Any, things: list[bpy.types.Object], rewritten: list[bpy.types.Object], key: str, encoding: str) -> None:
        """`rewritten` are the objects whose files have new materials already, and `key` is that of the import."""
        self.scene, self.encoding = scene, encoding
        self.own = imported_materials(things, key)
        others = [
            f"mesh {thing.name!r} has another material: {material.name!r}"
            for thing in things
            if thing not in rewritten
            for material in filter(None, thing.data.materials)
            if material not in self.own.values()
        ]
        self.refused = list(dict.fromkeys(others))

    def edits(self) -> list[Edit]:
        """Returns the changes of colours."""
        edits = []
        twice = several(own.name for own in self.scene.materials)
        for index, material in self.own.items():
            if material.name != material[NAME] and self.scene.materials[index].name in twice:
                self.refused.append(f"materials were renamed: {material.name!r}: other materials have the same name in the files")
            look = look_of(material)
            for attribute in ("color", "emissive") if look else ():
                before = np.asarray(getattr(self.scene.materials[index], attribute), np.float64)
                target = np.asarray(look[attribute], np.float64)
                if np.abs(target - before).max() <= 1e-6:
                    continue
                sources = [own for own in self.scene.sources if own.material == index and own.attribute == attribute]
                if not sources:
                    self.refused.append(f"material {material.name!r}: the file stores no {attribute} of it")
                    continue
                edits.append(Edit(sources[0].file, [own.path() for own in sources], _reads(index, attribute), target))
        return edits

    def names(self) -> dict[str, str]:
        """Returns the changed names by the former ones."""
        renamed = {index: own for index, own in self.own.items() if own.name != own[NAME]}
        return {stored(self.scene.materials[index].name): encoded(own.name, self.encoding) for index, own in renamed.items()}

    def textures(self) -> dict[str, str]:
        """Returns the changed paths of textures by the former ones. Images keep the folder that the file states."""
        changed: dict[str, str] = {}
        left = Counter(texture for own in self.scene.materials for texture in own.textures)
        users: dict[str, str] = {}
        for index, material in self.own.items():
            for former, image in self._changed_images(index, material):
                if image is None or not former:
                    self.refused.append(f"material {material.name!r}: {'its image was removed' if former else 'the file states no texture of it'}")
                    continue
                name = PureWindowsPath(former).name
                target = encoded(former.removesuffix(name) + image, self.encoding)
                left[former] -= 1
                if changed.setdefault(stored(former), target) != target:
                    left[former] += 1
                users[former] = material.name
        for former, name in users.items():
            if left[former] > 0:
                self.refused.append(f"material {name!r}: other materials have the same texture {former!r}")
        return changed

    def _changed_images(self, index: int, material: bpy.types.Material) -> Iterator[tuple[str | None, str | None]]:
        """Returns the textures with other images, as far as the file states them, and the names of these."""
        own = self.scene.materials[index]
        image = image_of(material)
        if image != material.get(IMAGE):
            yield own.color_texture, image
        for texture, name in replaced_images(material):
            yield texture if texture in own.textures else None, name


def _reads(material: int, attribute: str) -> Any:
    return lambda scene: np.asarray(getattr(scene.materials[material], attribute), np.float64)
