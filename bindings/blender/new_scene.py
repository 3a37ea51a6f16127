# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of an export as a new scene."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import bindpose
import bpy
import numpy as np
from mathutils import Matrix

from .attachments import ATTACHMENT
from .meshes import MESH, in_edit_mode
from .names import in_order, own_name, shown
from .new_clips import NewClips, scene_rate
from .new_materials import NewMaterials
from .new_meshes import SURFACES, armature_of, meshes_of
from .new_rigs import NewRig, rigs_of
from .report import Report, some
from .space import FROM_BLENDER, TO_BLENDER

_GLTF = {".glb", ".gltf"}
_EMBEDDED = {".png", ".jpg", ".jpeg"}


class NewScene:
    """The scene of some objects, with the images of its materials."""

    def __init__(self, things: list[bpy.types.Object], path: Path, source: str | None, every_frame: bool, report: Report) -> None:
        """`source` is one of those in `SOURCES`; `None` for no clips."""
        surfaces = [thing for thing in things if thing.type in SURFACES]
        armatures = [thing for thing in things if thing.type == "ARMATURE"]
        armatures += [own for own in map(armature_of, surfaces) if own is not None]
        edited = in_edit_mode(dict.fromkeys([*surfaces, *armatures]))
        if edited:
            raise ValueError(f"objects are in edit mode in another scene: {some(edited)}")
        with _visible([*surfaces, *dict.fromkeys(armatures)], report):
            self._make(things, surfaces, dict.fromkeys(armatures), path, source, every_frame, report)

    def _make(
        self,
        things: list[bpy.types.Object],
        surfaces: list[bpy.types.Object],
        armatures: dict[bpy.types.Object, None],
        path: Path,
        source: str | None,
        every_frame: bool,
        report: Report,
    ) -> None:
        materials = NewMaterials(path.parent, report)
        parts: dict[str, Any] = {"materials": materials.add_all(in_order(surfaces, MESH))}
        with at_rest(armatures):
            rigs = rigs_of(armatures, report)
            meshes = meshes_of(surfaces, rigs, materials, MESH, report)
            parts["attachments"] = _attachments(things, rigs)
        parts["meshes"] = [mesh.own for mesh in meshes]
        _report_others(things, report)
        clips = NewClips(rigs, meshes, every_frame, report)
        parts["skeleton"] = [bone for rig in rigs for bone in rig.skeleton()]
        parts["clips"] = clips.made(source) if source is not None else []
        clips.report_still(parts["clips"])
        rates = clips.rates or {scene_rate()}
        self.rate = rates.pop() if len(rates) == 1 else None
        """The frame rate of all clips; `None` if they have different ones."""
        self.own = bindpose.Scene(name=shown(path.stem), **parts)
        self.images = materials.images

    def with_images(self, path: Path, folder: Path, report: Report) -> Any:
        """Returns the scene with what the format of a file embeds: copies of the images in a folder."""
        if path.suffix.lower() not in _GLTF:
            others = [texture for texture in self.images if not (path.parent / texture).is_file()]
            if others:
                report.warn(f"images are not copied; the files name those that are not in their folder: {some(others)}")
            return self.own
        for texture, image in self.images.items():
            try:
                _save(image, folder / Path(texture))
            except RuntimeError as error:
                report.warn(f"image {image.name!r}: {str(error).strip()}")
        return self.own.with_images(folder)


def _save(image: bpy.types.Image, path: Path) -> None:
    """Saves an image as PNG, if it is not PNG or JPEG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source = Path(bpy.path.abspath(image.filepath))
    if path.suffix.lower() in _EMBEDDED and image.packed_file:
        path.write_bytes(image.packed_file.data)
    elif path.suffix.lower() in _EMBEDDED and image.filepath and source.is_file() and not image.is_dirty:
        shutil.copyfile(source, path)
    else:
        copy = image.copy()
        copy.file_format, copy.filepath_raw = "PNG", str(path.with_suffix(".png"))
        try:
            copy.save()
        finally:
            bpy.data.images.remove(copy)


@contextmanager
def _visible(things: list[bpy.types.Object], report: Report) -> Iterator[None]:
    """Shows objects meanwhile, as Blender does not evaluate hidden ones."""
    layer = bpy.context.view_layer
    with ExitStack() as undo:
        for thing in things:
            undo.callback(setattr, thing, "hide_viewport", thing.hide_viewport)
            thing.hide_viewport = False
            if thing.name in layer.objects:
                undo.callback(thing.hide_set, thing.hide_get())
                thing.hide_set(False)
        hidden = [thing.name for thing in things if not thing.visible_get()]
        if hidden:
            report.warn(f"objects of hidden collections are written without their modifiers and constraints: {some(hidden)}")
        yield


@contextmanager
def at_rest(armatures: dict[bpy.types.Object, None]) -> Iterator[None]:
    """Shows armatures in the rest pose meanwhile."""
    before = {own.data: own.data.pose_position for own in armatures}
    for data in before:
        data.pose_position = "REST"
    bpy.context.view_layer.update()
    try:
        yield
    finally:
        for data, position in before.items():
            data.pose_position = position
        bpy.context.view_layer.update()


def _attachments(things: list[bpy.types.Object], rigs: list[NewRig]) -> list[Any]:
    """Returns the empties that are attachments."""
    found = []
    for thing in things:
        if thing.type != "EMPTY" or ATTACHMENT not in thing:
            continue
        rig = next((own for own in rigs if own.armature == thing.parent), None)
        bone = rig.index.get(thing.parent_bone) if rig is not None and thing.parent_type == "BONE" else None
        place = FROM_BLENDER @ np.array(thing.matrix_world, np.float64) @ TO_BLENDER
        if rig is not None and bone is not None:
            place = np.linalg.inv(rig.model[bone - rig.first]) @ place
        location, turn, scale = Matrix(place.tolist()).decompose()
        found.append(bindpose.Attachment(own_name(thing), bone, tuple(location), (*turn[1:], turn[0]), tuple(scale)))
    return found


def _report_others(things: list[bpy.types.Object], report: Report) -> None:
    """Reports objects and properties of them that a scene does not have."""
    others = [thing.name for thing in things if not (thing.type in SURFACES or thing.type == "ARMATURE" or ATTACHMENT in thing or _is_parent(thing))]
    if others:
        report.warn(f"objects that are not meshes, armatures or attachments are not written: {some(others)}")
    graph = bpy.context.evaluated_depsgraph_get()
    # An instance is valid until the next one.
    instances = (own for own in graph.object_instances if own.is_instance and own.parent is not None)
    # The surfaces of curves and texts are instances of themselves.
    makers = {own.parent.original for own in instances if own.parent.type == "MESH" or own.instance_object.original != own.parent.original}
    instanced = [thing.name for thing in things if thing in makers and thing.name not in others]
    if instanced:
        report.warn(f"instances are not written until they are made real: those of {some(instanced)}")
    moving = [thing.name for thing in things if thing.type != "ARMATURE" and thing.animation_data and thing.animation_data.action]
    if moving:
        report.warn(f"animations of objects other than armatures are not written: {some(moving)}")


def _is_parent(thing: bpy.types.Object) -> bool:
    """Returns whether an object only places others."""
    return thing.type == "EMPTY" and bool(thing.children) and thing.instance_type == "NONE"
