# SPDX-License-Identifier: GPL-3.0-or-later
"""What changed of the keys of an action since its import: their values, and those that were added, removed or moved in time."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .actions import FPS, INTERPOLATION, channels_of, in_other_slots
from .changed_bones import Bones
from .curves import CHANNELS, REST_OF, Keys, keys_of, path_of
from .names import NAME
from .new_keys import are_added, between, frames_and_values, ints, is_muted, values_at
from .report import some
from .resized import Wanted
from .rig import Rig
from .solve import Edit, kept

_NEAR = 2e-6
"""The difference that rounding makes, relative to the value of a key."""
_REDUNDANT = 2e-5
"""The difference of a key from the interpolation between its neighbours, up to which it is not needed."""
_BETWEEN = 1e-3
"""The same for keys between those of a file that has one for each frame."""
_SAME_FRAME = 2e-3
_OF_BONES = "pose.bones["
"""The start of the paths of properties of bones."""

_Read = Callable[[Any], Any]


@dataclass
class _Now:
    """The keys of a property as Blender has them."""

    curves: list[Any]
    frames: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    """(k, c): the components; rotations are unit quaternions."""
    is_added: npt.NDArray[np.bool_]
    """Whether a key is one that the import adds between those of the file, or is between the keys of a curve that is not straight."""

    @classmethod
    def of(cls, curves: list[Any], interpolation: str, channel: str) -> _Now:
        frames = np.unique(np.concatenate([frames_and_values(curve)[:, 0] for curve in curves])).astype(np.float64)
        frames = frames[np.append(True, np.diff(frames) > _SAME_FRAME)]
        is_added = are_added(curves, frames.astype(np.float32))
        own = cls(curves, frames, _unit(_values(curves, frames), channel), is_added)
        bent = np.setdiff1d(np.concatenate([_bent(curve, interpolation) for curve in curves]), np.rint(frames))
        return own.with_frames(bent, channel) if len(bent) else own

    def with_frames(self, frames: npt.NDArray[np.float64], channel: str) -> _Now:
        """Returns the keys with the values at further frames."""
        own, is_added = np.concatenate([self.frames, frames]), np.concatenate([self.is_added, np.ones(len(frames), bool)])
        order = np.argsort(own, kind="stable")
        return _Now(self.curves, own[order], _unit(_values(self.curves, own[order]), channel), is_added[order])

    def at(self, keys: Keys) -> npt.NDArray[np.float64]:
        """Returns the values at the keys of a file."""
        place = _places(keys.frames, self.frames)
        frames = np.where(place >= 0, self.frames[place], keys.frames)
        return _unit(_values(self.curves, frames), keys.channel)


class _Still:
    """A curve that an action does not have, with the value of the rest pose at some frames."""

    mute, group, modifiers, extrapolation = False, None, (), "CONSTANT"

    def __init__(self, frames: npt.NDArray[np.float32], value: float, interpolation: str) -> None:
        self._columns = {
            "co": np.stack([frames, np.full(len(frames), value, np.float32)], axis=1).reshape(-1),
            "type": np.zeros(len(frames), np.int32),
            "interpolation": np.full(len(frames), INTERPOLATION[interpolation], np.int32),
        }
        self._value, self._count = value, len(frames)

    @property
    def keyframe_points(self) -> _Still:
        return self

    def __len__(self) -> int:
        return self._count

    def foreach_get(self, name: str, values: npt.NDArray[Any]) -> None:
        values[:] = self._columns[name]

    def evaluate(self, _frame: float) -> float:
        return self._value


class ChangedKeys:
    """The changes of the keys of an action; `refused` has those that the file cannot represent."""

    def __init__(self, action: Any, index: int, scene: Any, rig: Rig, bones: Bones, bake: bool) -> None:
        self.action, self.index, self.scene, self.rig, self.bones = action, index, scene, rig, bones.own
        self.sources = {(own.bone, own.attribute): own for own in scene.sources if own.clip == index}
        self._refused: dict[str, list[str]] = {}
        self._names = {bone.name for bone in self.bones.values()}
        self._curves = {(curve.data_path, curve.array_index): curve for curve in channels_of(action)}
        self._below_removed = bones.below_removed
        if bones.has_removed:
            paths = tuple(path_of(name, "") for bone in self.bones.values() for name in (bone.name, bone.get(NAME, bone.name)))
            self._curves = {key: curve for key, curve in self._curves.items() if key[0].startswith(paths) or not key[0].startswith(_OF_BONES)}
        self._fps = float(action[FPS])
        self._keys = list(keys_of(scene.clips[index], rig, self._fps, bake))
        self._known: dict[tuple[int, str], _Now] = {}

    @property
    def refused(self) -> list[str]:
        """What the file cannot represent, with the names of bones."""
        return [f"clip {self.action.name!r}: {reason}: {some(names)}" for reason, names in self._refused.items()]

    def wanted(self) -> list[Wanted]:
        """Returns the keys that the file should have of each curve that has others now, or of all curves if there is one."""
        found, is_other = [], False
        for keys in self._keys:
            if not len(keys.frames):
                continue
            own = self._own_curves(keys)
            if own is None:
                return []
            wanted = self._wanted(keys, self._now(keys, own))
            is_other |= wanted.is_other or wanted.is_frozen
            found.append(wanted)
        return found if is_other else []

    def new_curves(self) -> list[Wanted]:
        """Returns properties of animated bones that have keys now, and none in the file."""
        known = {(keys.bone, keys.channel) for keys in self._keys}
        found = []
        for index, channel in itertools.product(sorted({bone for bone, _ in known} & self.bones.keys()), CHANNELS):
            path = self._path(self.bones[index], channel)
            own = [self._curves.get((path, component)) for component in range(4 if channel == "rotation" else 3)]
            beside = next((source for (bone, _), source in self.sources.items() if bone == index), None)
            if (index, channel) in known or beside is None or not all(curve is not None and len(curve.keyframe_points) for curve in own):
                continue
            now = _Now.of(own, "LINEAR", channel)
            # Files can interpolate otherwise between keys that are further apart.
            now = now.with_frames(_whole(now.frames), channel)
            found.append(Wanted(self.index, index, channel, beside, now.frames / self._fps, np.full(len(now.frames), -1), True, False))
        return found

    def edits(self) -> list[Edit]:
        """Returns the changes of values."""
        wanted: dict[tuple[int, str], list[tuple[_Read, Any]]] = {}
        known: dict[tuple[int, str], list[tuple[_Read, Any]]] = {}
        expected: set[tuple[str, int]] = set()
        for keys in self._keys:
            if keys.bone not in self.bones:
                # It was removed, which is refused.
                return []
            path = self._path(self.bones[keys.bone], keys.channel)
            expected |= {(path, component) for component in range(keys.values.shape[1])}
            own = self._own_curves(keys)
            if not len(keys.frames):
                # Its values are not finite.
                if own is not None:
                    self._refuse(keys, "keys were added to a curve without keys")
            elif own is None:
                self._refuse(keys, "curves were removed")
            else:
                self._compare(keys, own, wanted, known)
        added = {path for path, _ in self._curves.keys() - expected}
        added |= {curve.data_path for curve in in_other_slots(self.action)}
        if added and expected:
            self._refused["curves were added"] = sorted(added)
        # A value that several curves come from, such as a matrix, keeps those that did not change.
        edits = []
        for (file, path), pairs in wanted.items():
            both = pairs + known.get((file, path), [])
            target = np.concatenate([np.atleast_1d(value) for _, value in both])
            sizes = tuple(len(value) for _, value in both)
            edits.append(Edit(file, [path], _reads_all([read for read, _ in both]), target, sizes))
        return edits

    def _own_curves(self, keys: Keys) -> list[Any] | None:
        """Returns the curves of a property of a bone; `None` if one is missing."""
        if keys.bone not in self.bones:
            return None
        path = self._path(self.bones[keys.bone], keys.channel)
        own = [self._curves.get((path, component)) for component in range(keys.values.shape[1])]
        if keys.bone in self._below_removed and not any(own):
            # The file moves the bone as the removed one did.
            return [_Still(keys.frames, value, keys.interpolation) for value in REST_OF[keys.channel]]
        return own if all(curve is not None and len(curve.keyframe_points) for curve in own) else None

    def _refuse(self, keys: Keys, reason: str) -> None:
        names = self._refused.setdefault(f"{keys.channel} {reason}", [])
        if self.bones[keys.bone].name not in names:
            names.append(self.bones[keys.bone].name)

    def _curve(self, keys: Keys) -> Any:
        return getattr(next(track for track in self.scene.clips[self.index].tracks if track.bone == keys.bone), keys.channel)

    def _now(self, keys: Keys, curves: list[Any]) -> _Now:
        key = keys.bone, keys.channel
        if key not in self._known:
            self._known[key] = _Now.of(curves, keys.interpolation, keys.channel)
        return self._known[key]

    def _stored(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """Returns which keys are those of the file."""
        source = self.sources.get((keys.bone, keys.channel))
        return (keys.key_of >= 0) & (keys.key_of < (len(keys.key_of) if source is None else len(source.records)))

    def _wanted(self, keys: Keys, now: _Now) -> Wanted:
        stored, kind = self._stored(keys), (keys.channel == "rotation", keys.interpolation == "CONSTANT")
        now, kept = self._needed(keys, now, stored, kind)
        place = _places(now.frames, keys.frames)
        origins = np.where((place >= 0) & stored[place], keys.key_of[place], -1)[kept]
        is_other = not np.isin(np.flatnonzero(stored), place).all() or bool((origins < 0).any())
        source = self.sources.get((keys.bone, keys.channel))
        apart = _deviation(keys.frames, _unit(keys.values, keys.channel), now.frames, now.values, kind)
        is_frozen = source is None and bool((apart > _NEAR * np.maximum(np.abs(now.values).max(axis=1), 1)).any())
        return Wanted(self.index, keys.bone, keys.channel, source, now.frames[kept] / self._fps, origins, is_other, is_frozen)

    def _needed(
        self, keys: Keys, now: _Now, stored: npt.NDArray[np.bool_], kind: tuple[bool, bool]
    ) -> tuple[_Now, npt.NDArray[np.bool_]]:
        """Returns keys with those at further frames, and which of them the file should have."""
        place = _places(now.frames, keys.frames)
        is_base, own = place >= 0, _unit(keys.values, keys.channel)
        is_same = is_base & _are_same(now.values, own[place])
        kept = is_base & stored[place]
        is_complete = bool(np.isin(np.flatnonzero(stored), place).all())
        if is_complete and is_same.all():
            return now, kept
        is_spline = self._curve(keys).interpolation == "cubic-spline" and not (is_complete and (is_same | kept).all())
        # Blender interpolates the components of quaternions, and the spline between keys depends on others.
        new = _whole(now.frames) if is_spline else _turning(now.frames, place) if kind[0] else np.empty(0)
        if len(new):
            now = now.with_frames(new, keys.channel)
            place = _places(now.frames, keys.frames)
            is_base = place >= 0
        kept = (is_base & stored[place]) | (~now.is_added & ~is_base) | is_spline
        before = _deviation(keys.frames[stored], own[stored], now.frames, np.where(is_base[:, None], own[place], np.nan), kind)
        while not kept.all():
            apart = _deviation(now.frames[kept], now.values[kept], now.frames, now.values, kind)
            near = _REDUNDANT * np.maximum(np.abs(now.values).max(axis=1), 1) + np.nan_to_num(before)
            if not (more := ~kept & (apart > near)).any():
                break
            kept |= more
        return now, kept

    def _compare(self, keys: Keys, own: list[Any], wanted: dict[Any, Any], known: dict[Any, Any]) -> None:
        if any(is_muted(curve) or curve.modifiers or curve.extrapolation != "CONSTANT" for curve in own):
            self._refuse(keys, "curves are muted, extrapolated or modified")
        if any(_is_bent_within_frames(curve, keys.interpolation) for curve in own):
            self._refuse(keys, "keys have another interpolation")
        now, stored = self._now(keys, own), self._stored(keys)
        values = now.at(keys)
        changed = ~_are_same(values, _unit(keys.values, keys.channel))
        source = self.sources.get((keys.bone, keys.channel))
        self._refuse_others(keys, now, values, changed, stored)
        if (changed & stored).any() and source is None:
            self._refuse(keys, "is not stored as a value of its own for each frame")
        if source is None:
            return
        curve = self._curve(keys)
        converted = self._from_blender(keys, values)
        for row in np.flatnonzero(stored).tolist():
            key = int(keys.key_of[row])
            place = (source.file, source.path(key))
            reads = _reads_key(self.index, keys.bone, keys.channel, key)
            if not changed[row]:
                known.setdefault(place, []).append((reads, np.asarray(curve.values[key], np.float64)))
                continue
            target = converted[row]
            if keys.channel == "rotation" and float(np.dot(target, curve.values[key])) < 0:
                target = -target
            target = kept(target, curve.values[key], _NEAR * np.maximum(np.abs(curve.values[key]), 1))
            wanted.setdefault(place, []).append((reads, target))

    def _refuse_others(self, keys: Keys, now: _Now, values: npt.NDArray[Any], changed: npt.NDArray[np.bool_], stored: npt.NDArray[np.bool_]) -> None:
        """Refuses keys that the file does not have, if they are not where the keys of the file lead."""
        place = _places(now.frames, keys.frames)
        others = (place < 0) | (~stored[place] & changed[place])
        if not others.any() or not stored.any():
            return
        kind = keys.channel == "rotation", keys.interpolation == "CONSTANT"
        size = np.maximum(np.abs(now.values).max(axis=1), 1)
        apart = _deviation(keys.frames[stored], values[stored], now.frames, now.values, kind) > _BETWEEN * size
        if (others & apart).any():
            self._refuse(keys, "keys are between those of the file, or after them")

    def _path(self, bone: Any, channel: str) -> str:
        """Returns the path of a property of a bone. Blender renames the bones of the assigned action only; others have the former name."""
        former = bone.get(NAME, bone.name)
        names = [bone.name, former] if former in self._names else [former, bone.name]
        paths = [path_of(name, channel) for name in names]
        return next((path for path in paths if (path, 0) in self._curves), paths[0])

    def _from_blender(self, keys: Keys, values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        basis = self.rig.basis(keys.bone)
        if keys.channel != "rotation":
            return getattr(basis, f"from_{keys.channel}")(values)  # type: ignore[no-any-return]
        return basis.from_rotation(np.roll(values, -1, axis=1))


def _values(curves: list[Any], frames: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.stack([values_at(curve, frames) for curve in curves], axis=1)


def _unit(values: npt.NDArray[Any], channel: str) -> npt.NDArray[np.float64]:
    values = np.asarray(values, np.float64)
    if channel != "rotation":
        return values
    return values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-30)


def _are_same(values: npt.NDArray[Any], before: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    return (np.abs(values - before) <= _NEAR * np.maximum(np.abs(before), 1)).all(axis=1)  # type: ignore[no-any-return]


def _places(frames: npt.NDArray[Any], among: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Returns the index of the same frame among others for each frame; -1 if there is none."""
    after = np.searchsorted(among, frames)
    pairs = [np.clip(after - 1, 0, len(among) - 1), np.clip(after, 0, len(among) - 1)]
    distances = [np.abs(among[own] - frames) for own in pairs]
    nearest = np.where(distances[0] < distances[1], *pairs)
    return np.where(np.abs(among[nearest] - frames) <= _SAME_FRAME + 1e-6 * np.abs(frames), nearest, -1)


def _deviation(
    frames: npt.NDArray[Any], values: npt.NDArray[Any], at: npt.NDArray[Any], own: npt.NDArray[Any], kind: tuple[bool, bool]
) -> npt.NDArray[np.float64]:
    """Returns how far values at some frames are from the interpolation between keys. `kind` tells whether they are rotations, and steps."""
    if not len(frames):
        return np.full(len(at), np.inf)
    expected = between(np.asarray(frames, np.float64), np.asarray(values, np.float64), at, *kind)
    apart = np.abs(expected - own).max(axis=1)
    return np.minimum(apart, np.abs(expected + own).max(axis=1)) if kind[0] else apart


def _whole(frames: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Returns the whole frames between keys that have none."""
    return np.setdiff1d(np.arange(np.ceil(frames[0]), np.floor(frames[-1]) + 1), np.rint(frames))


def _turning(frames: npt.NDArray[np.float64], place: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Returns the whole frames between keys that do not follow each other in the file."""
    spans = np.flatnonzero((place[:-1] < 0) | (np.diff(place) != 1))
    found = [np.arange(np.floor(frames[own] + _SAME_FRAME) + 1, np.ceil(frames[own + 1] - _SAME_FRAME)) for own in spans.tolist()]
    return np.concatenate([np.empty(0), *found])


def _bent(curve: Any, interpolation: str) -> npt.NDArray[np.float64]:
    """Returns the whole frames between keys where a curve is not interpolated as in the file."""
    frames, kinds = frames_and_values(curve)[:, 0].astype(np.float64), ints(curve, "interpolation")
    spans = np.flatnonzero(kinds[:-1] != INTERPOLATION[interpolation])
    found = [np.arange(np.floor(frames[own]) + 1, np.ceil(frames[own + 1])) for own in spans.tolist()]
    return np.concatenate([np.empty(0), *found])


def _is_bent_within_frames(curve: Any, interpolation: str) -> bool:
    """Returns whether a curve that is not interpolated as in the file is elsewhere between keys that are no whole frame apart."""
    points, kinds = frames_and_values(curve).astype(np.float64), ints(curve, "interpolation")
    spans = np.flatnonzero((kinds[:-1] != INTERPOLATION[interpolation]) & (np.diff(points[:, 0]) <= 1 + _SAME_FRAME))
    for own in spans.tolist():
        (start, first), (end, last) = points[own], points[own + 1]
        expected = first if interpolation == "CONSTANT" else (first + last) / 2
        if abs(curve.evaluate((start + end) / 2) - expected) > _BETWEEN * max(abs(expected), 1):
            return True
    return False


def _reads_key(clip: int, bone: int, channel: str, key: int) -> Callable[[Any], npt.NDArray[np.float64]]:
    def read(scene: Any) -> npt.NDArray[np.float64]:
        track = next((own for own in scene.clips[clip].tracks if own.bone == bone), None)
        curve = track and getattr(track, channel)
        if curve is None:
            return np.asarray(getattr(scene.skeleton.bones[bone], channel), np.float64)
        # A curve of equal keys has fewer of them in a scene.
        return np.asarray(curve.values[min(key, len(curve.values) - 1)], np.float64)

    return read


def _reads_all(reads: list[_Read]) -> Callable[[Any], npt.NDArray[np.float64]]:
    return lambda scene: np.concatenate([np.atleast_1d(read(scene)) for read in reads])
