# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of a clip as Blender has them: at frames, relative to the rest pose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from .rig import Rig
from .space import Array, continuous

MAX_FRAMES = 100_000
"""The most frames of a clip that get keys of their own; clips of files that make sense have fewer."""
LAST_FRAME = 1_048_574
"""The last frame that Blender has."""

CHANNELS = {"translation": "location", "rotation": "rotation_quaternion", "scale": "scale"}
"""The properties of a pose bone by the curves of a track."""
REST_OF = {"translation": (0.0, 0.0, 0.0), "rotation": (1.0, 0.0, 0.0, 0.0), "scale": (1.0, 1.0, 1.0)}
"""The values of these properties in the rest pose."""

_CHUNK = 512
_AT_ONCE = 200_000
"""The most keys that are converted in one step."""
_SAME_FRAME = 0.02
_MERGED = 0.01
_ROUNDING = 2e-4
_SAME_TIME = 1e-4
"""The time between keys that differ by rounding, in seconds."""


def path_of(bone: str, channel: str) -> str:
    """Returns the path of a property of a pose bone; of the start of all its properties for no channel."""
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"].{CHANNELS.get(channel, "")}'


@dataclass
class Keys:
    """The keys of a property of a bone."""

    bone: int
    channel: str
    frames: npt.NDArray[np.float32]
    """(k,): the frames, ascending."""
    values: npt.NDArray[np.float32]
    """(k, c): the components in Blender's order; quaternions are w, x, y, z."""
    key_of: npt.NDArray[np.int64]
    """(k,): the index of the key of the curve; -1 for keys between those of the curve."""
    interpolation: str
    """That of Blender."""


def keys_of(clip: Any, rig: Rig, fps: float, bake: bool) -> Iterator[Keys]:
    """Yields the keys of all bones that a clip animates."""
    between = Between(clip, fps) if bake else None
    curves = [(track.bone, channel, curve) for track in clip.tracks for channel in CHANNELS if (curve := getattr(track, channel)) is not None]
    found: dict[int, Keys] = {}
    for places in _alike(curves, 0 if between is None else len(between.frames)):
        bones = [curves[place][0] for place in places]
        _, channel, first = curves[places[0]]
        values = np.stack([np.asarray(curves[place][2].values, np.float64) for place in places])
        own = _Alike(bones, channel, np.asarray(first.times, np.float64) * fps, values, first.interpolation == "step")
        found |= zip(places, own.keys(rig, between), strict=True)
    yield from (found[place] for place in range(len(curves)))


def _alike(curves: list[tuple[int, str, Any]], frames: int) -> Iterator[list[int]]:
    """Yields the numbers of curves of a channel with keys at the same times, which are converted in one step."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for place, (_, channel, curve) in enumerate(curves):
        times, values = np.asarray(curve.times), np.asarray(curve.values)
        is_constant = len(times) < 2 or bool((values == values[0]).all())
        groups.setdefault((channel, curve.interpolation, is_constant, times.tobytes()), []).append(place)
    for places in groups.values():
        count = max(len(curves[places[0]][2].times), frames, 1)
        step = max(_AT_ONCE // count, 1)
        yield from (places[start : start + step] for start in range(0, len(places), step))


def frames_of(clip: Any, fps: float) -> tuple[float, float]:
    """Returns the first and the last frame of a clip."""
    return clip.start * fps, clip.end * fps


def is_too_long(clip: Any, fps: float) -> bool:
    """Returns whether the time span of a clip is implausibly long."""
    start, end = frames_of(clip, fps)
    return not (end - start <= MAX_FRAMES and abs(start) <= LAST_FRAME and end <= LAST_FRAME)


class Between:
    """The poses at whole frames, for those between the keys of curves."""

    def __init__(self, clip: Any, fps: float) -> None:
        start, end = frames_of(clip, fps)
        if is_too_long(clip, fps):
            end = start
        self.frames = np.arange(np.ceil(start - _SAME_FRAME), np.floor(end + _SAME_FRAME) + 1)
        self._clip = clip
        self._times = self.frames / fps
        self._poses: dict[str, Array] = {}

    def values(self, channel: str, bone: int, chosen: npt.NDArray[Any]) -> Array:
        """Returns the values of a bone at some of the frames."""
        if not self._poses:
            self._sample()
        return self._poses[channel][chosen, bone]

    def _sample(self) -> None:
        parts: dict[str, list[Any]] = {"translation": [], "rotation": [], "scale": []}
        for start in range(0, len(self._times), _CHUNK):
            pose = self._clip.sample(self._times[start : start + _CHUNK].tolist())
            parts["translation"].append(pose.translations)
            parts["rotation"].append(pose.rotations)
            parts["scale"].append(pose.scales)
        self._poses = {channel: np.concatenate(own) for channel, own in parts.items()}


@dataclass
class _Alike:
    """Curves of a channel with keys at the same times."""

    bones: list[int]
    channel: str
    frames: npt.NDArray[np.float64]
    """(k,): the frames of the keys."""
    values: npt.NDArray[np.float64]
    """(b, k, c): the values of each bone."""
    is_stepped: bool

    def keys(self, rig: Rig, between: Between | None) -> Iterator[Keys]:
        """Yields the keys of each bone, with those between them that Blender needs."""
        frames, values = self.frames, self.values
        frames = np.where(np.abs(frames - np.rint(frames)) < _ROUNDING, np.rint(frames), frames)
        key_of = np.arange(len(frames))
        # Nothing is between equal values.
        if between is not None and not self.is_stepped and (values != values[:, :1]).any():
            chosen = _missing(between.frames, frames)
            if len(chosen):
                added = np.stack([between.values(self.channel, bone, chosen) for bone in self.bones])
                frames, values = np.concatenate([frames, between.frames[chosen]]), np.concatenate([values, added], axis=1)
                key_of = np.concatenate([key_of, np.full(len(chosen), -1)])
                order = np.argsort(frames, kind="stable")
                frames, values, key_of = frames[order], values[:, order], key_of[order]
        converted = getattr(rig.bases(self.bones), self.channel)(values)
        if self.channel == "rotation":
            converted = np.roll(continuous(converted), 1, axis=-1)
        # Blender merges keys that are closer; the file keeps its own.
        apart = np.append(np.diff(frames) > _MERGED, True) & (np.abs(frames) <= LAST_FRAME)
        interpolation = "CONSTANT" if self.is_stepped else "LINEAR"
        rounded, finite = converted.astype(np.float32), np.isfinite(converted).all(axis=-1)
        own_frames = np.clip(frames, -LAST_FRAME - 1, LAST_FRAME + 1).astype(np.float32)
        for bone, own, is_finite in zip(self.bones, rounded, finite, strict=True):
            kept = apart & is_finite
            yield Keys(bone, self.channel, own_frames[kept], own[kept], key_of[kept], interpolation)


def _missing(whole: npt.NDArray[Any], frames: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Returns the indices of whole frames inside the span of a curve that have no key."""
    rounded = np.rint(frames)
    if (np.diff(rounded) == 1).all() and (np.abs(frames - rounded) <= _SAME_FRAME).all():
        return np.empty(0, np.int64)
    after = np.searchsorted(frames, whole)
    last = len(frames) - 1
    distance = np.minimum(np.abs(frames[np.clip(after, 0, last)] - whole), np.abs(frames[np.clip(after - 1, 0, last)] - whole))
    inside = (whole > frames[0]) & (whole < frames[-1])
    return np.flatnonzero(inside & (distance > _SAME_FRAME))


def rate_of(clip: Any) -> float | None:
    """Returns the frame rate of a clip, if its keys are at frames of a plausible one."""
    gaps = [np.diff(np.asarray(curve.times, np.float64)) for track in clip.tracks for curve in track[1:] if curve is not None]
    # A last key at the end of a file is close to that of the last frame.
    gaps = [kept for own in gaps if len(kept := own[own > _SAME_TIME])]
    if not gaps:
        return None
    closest = min(gaps, key=lambda own: float(own.min()))
    # The times are rounded: all keys together have the most accurate rate.
    frames = np.rint(closest / closest.min())
    rate = float(frames.sum() / closest.sum())
    if not 5 <= rate <= 240 or np.abs(closest * rate - frames).max() > 0.1:
        return None
    return float(round(rate)) if abs(rate - round(rate)) < 1e-4 * rate else rate
