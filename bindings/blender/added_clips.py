# SPDX-License-Identifier: GPL-3.0-or-later
"""New actions as clips of the original files, or of files beside them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

import bindpose
import bpy
import numpy as np

from .bundle import Bundle, Part
from .new_clips import NewClips
from .new_rigs import NewRig
from .preferences import space_of
from .report import Report

_NEAR = 1e-3
"""The difference of a pose that is the same after it was written, relative to the size of the skeleton."""
_SAME_AXES = 5e-3
"""The difference of the axes of a bone that is the same."""
_TICKS = 4800
"""The ticks per second of `.x` files that bindpose writes."""
_CHANNELS = ("translation", "rotation", "scale")


class CannotAddError(Exception):
    """A clip that the files cannot have."""


def clip_of(action: bpy.types.Action, armature: bpy.types.Object) -> tuple[Any, float]:
    """Returns a new action of an imported armature as a clip, and its frame rate."""
    report = Report("clip")
    clips = NewClips([NewRig.of(armature, 0)], [], False, report)
    if not clips.moves(action):
        raise CannotAddError("it moves no bone")
    clip = clips.of(action)
    if clip is None or report.warnings:
        raise CannotAddError("; ".join(report.warnings))
    return clip, clips.rates.pop()


class ClipFiles:
    """The files that new clips go to. The model is that of the files, before anything was renamed."""

    def __init__(self, bundle: Bundle, model: list[Any], clips: list[Any]) -> None:
        self.bundle, self.model, self.clips = bundle, model, clips
        self.new: dict[str, Any] = {}
        """New files by their names."""
        self._scene = bundle.scene_of(model)

    def add(self, clip: Any, rate: float) -> None:
        """Adds a clip to the files.

        Raises:
            CannotAddError: if they cannot have it.
        """
        for place, made in self._candidates(clip, rate):
            if self._has(made, clip):
                if isinstance(place, str):
                    self.new[place] = made
                elif place < len(self.model):
                    self.model[place] = made
                else:
                    self.clips[place - len(self.model)] = made
                return
        raise CannotAddError("the files would show another pose")

    def _candidates(self, clip: Any, rate: float) -> Iterator[tuple[int | str, Any]]:
        """Yields files with the clip: the number of the file, or the name of a new one. The last clip of the first that shows it is used."""
        files, parts = [*self.model, *self.clips], [*self.bundle.model, *self.bundle.clips]
        formats = [file.format for file in files]
        if own := next((_REFUSES[form] for form in formats if form in _REFUSES), None):
            raise CannotAddError(own)
        for form in ("psa", "x"):
            if form in formats:
                place = formats.index(form)
                merge = _merged if form == "psa" else _appended
                yield from ((place, made) for own in self._authored(clip, rate, form, files[place]) for made in merge(files[place], own))
                return
        known = next((part for part in reversed(parts) if part.format.split(":")[0] in _FORMATS), None)
        form = known.format if known else next((_NEW[own] for own in formats if own in _NEW), None)
        if form is None:
            raise CannotAddError("the files have no animations")
        name = self._name(clip, form, known)
        yield from ((name, own) for own in self._authored(clip, rate, form, None))

    def _name(self, clip: Any, form: str, known: Part | None) -> str:
        extension = next(own.extensions[0] for own in bindpose.formats() if own.name == form.split(":")[0])
        suffixes = "".join(PurePosixPath(known.name).suffixes) if known else f".{extension}"
        name = "".join(letter if letter.isalnum() or letter in " -_." else "_" for letter in clip.name) + suffixes
        if name in {*self.new, *(part.name for part in (*self.bundle.model, *self.bundle.clips))}:
            raise CannotAddError(f"there is a file {name!r}")
        return name

    def _authored(self, clip: Any, rate: float, form: str, file: Any | None) -> Iterator[Any]:
        """Yields files that have this clip alone, with the axes that a file can have."""
        scene = self._scene.replace(clips=[clip], attachments=[])
        if form == "psa" and file is not None:
            scene = _with_bones_of(file, self._scene, clip)
        scene = scene.replace(meshes=[], materials=[]) if form == "x" else scene
        space = space_of(self.bundle.options.unit, self.bundle.options.up)
        for up in (space["up"],) if space["up"] else (None, "z", "y"):
            encoded = scene.encode(form, rate=rate, unit=space["unit"], up=up)
            yield bindpose.decode(next(iter(encoded.values())), format=form, name=clip.name)

    def _has(self, made: Any, clip: Any) -> bool:
        """Returns whether the last clip of a file is this one."""
        same = [index for index, file in enumerate(self.model) if file.format == made.format == "x"]
        files = [made if index in same else file for index, file in enumerate(self.model)]
        scene = self.bundle.scene_of(files if same else [*files, made])
        found = [own for own in scene.clips if own.name == clip.name] or scene.clips[-1:]
        if not found:
            return False
        times = np.linspace(clip.start, clip.end, 9)
        wanted = self._scene.replace(clips=[clip]).clips[0].sample(times).model
        shown = found[-1].sample(times + found[-1].start - clip.start).model[:, : wanted.shape[1]]
        size = max(float(np.ptp(wanted[..., :3, 3])), 1e-6)
        if wanted.shape != shown.shape:
            return False
        apart = np.abs(wanted - shown)
        return bool(apart[..., :3, 3].max() < _NEAR * size and apart[..., :3, :3].max() < _SAME_AXES)


_REFUSES = {
    "ms3d": "MilkShape 3D files have one animation",
    "iqm": "all animations of an Inter-Quake Model share the steps of their values",
}
"""Why files of a format get no clips."""
_FORMATS = {"unigine-anim", "cal3d-animation", "max-animation"}
"""The formats of files of one clip."""
_NEW = {"psk": "psa", "unigine-mesh": "unigine-anim", "cal3d-skeleton": "cal3d-animation", "max-skeleton": "max-animation"}
"""The format of the animations beside a model without any."""


def _with_bones_of(file: Any, model: Any, clip: Any) -> Any:
    """Returns a scene with the bones of a PSA file. All bones of the model get keys, as the bind pose in the file can be another one."""
    own = bindpose.scene(file)
    names = [bone.name for bone in own.skeleton.bones]
    tracks = {model.skeleton.bones[track.bone].name: track for track in clip.tracks}
    strangers = sorted(tracks.keys() - set(names))
    if strangers:
        raise CannotAddError(f"the PSA file does not have the bones {strangers}")
    made = []
    for bone in model.skeleton.bones:
        if bone.name in names:
            track = tracks.get(bone.name, bindpose.Track(0))
            parts = {name: getattr(track, name) or bindpose.Curve([0.0], [getattr(bone, name)]) for name in _CHANNELS[:2]}
            made.append(bindpose.Track(names.index(bone.name), **parts, scale=track.scale))
    return own.replace(clips=[bindpose.Clip(clip.name, made)])


def _merged(file: Any, own: Any) -> Iterator[Any]:
    made = file.copy()
    bindpose.merge(made, own)
    yield made


def _appended(file: Any, own: Any) -> Iterator[Any]:
    """Yields an `.x` file with the animation set of another one, in the ticks that the file can have."""
    ticks = file.get("AnimTicksPerSecond[0].AnimTicksPerSecond", _TICKS)
    for rate in dict.fromkeys((ticks, _TICKS)):
        scaled = own.copy()
        if rate != _TICKS:
            times = own.get_all("AnimationSet[*].Animation[*].AnimationKey[*].keys[*].time")
            scaled.update({path: round(value * rate / _TICKS) for path, value in times})
        text = scaled.encode().decode("utf-8", "surrogateescape")
        made = file.copy()
        made.append("", text[text.index("\nAnimationSet ") + 1 :])
        yield made
