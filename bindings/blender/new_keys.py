# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of curves as arrays."""

from __future__ import annotations

from typing import Any

import bindpose
import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Euler, Quaternion

from .actions import ADDED
from .space import Array, quaternion

_REDUNDANT = 2e-5


def curves_for(action: bpy.types.Action, owner: Any) -> list[Any]:
    """Returns the curves of an action for an owner that is not muted; of all owners for `None`."""
    if not hasattr(action, "layers"):
        curves = list(action.fcurves)
    else:
        data = owner.animation_data if owner is not None else None
        bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
        if data is not None and data.action == action and data.action_slot is not None:
            bags = [bag for bag in bags if bag.slot == data.action_slot]
        elif owner is not None:
            bags = [bag for bag in bags if bag.slot.target_id_type in {owner.id_type, "UNSPECIFIED"}]
        curves = [curve for bag in bags for curve in bag.fcurves]
    return [curve for curve in curves if not is_muted(curve)]


def is_muted(curve: Any) -> bool:
    """Returns whether Blender ignores a curve, or the group that it is in."""
    return bool(curve.mute or (curve.group is not None and curve.group.mute))


def by_path(curves: list[Any]) -> dict[str, dict[int, Any]]:
    found: dict[str, dict[int, Any]] = {}
    for curve in curves:
        if len(curve.keyframe_points) or curve.modifiers:
            found.setdefault(curve.data_path, {}).setdefault(curve.array_index, curve)
    return found


def frames_and_values(curve: Any) -> np.ndarray:
    values = np.empty(len(curve.keyframe_points) * 2, np.float32)
    curve.keyframe_points.foreach_get("co", values)
    return values.reshape(-1, 2)


def ints(curve: Any, name: str) -> np.ndarray:
    values = np.empty(len(curve.keyframe_points), np.int32)
    curve.keyframe_points.foreach_get(name, values)
    return values


def are_added(curves: list[Any], frames: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Returns which frames have keys that an import added only."""
    added, others = (
        np.concatenate([frames_and_values(curve)[(ints(curve, "type") == ADDED) == is_added, 0] for curve in curves]) for is_added in (True, False)
    )
    return np.isin(frames, added) & ~np.isin(frames, others)


def needed(frames: npt.NDArray[np.float64], values: Array, added: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Returns which keys are those of a file, or have other values than the interpolation between these."""
    kept = ~added
    kept[[0, -1]] = True
    while not kept.all():
        left = np.flatnonzero(~kept)
        after = np.searchsorted(frames[kept], frames[left])
        a, b = np.flatnonzero(kept)[after - 1], np.flatnonzero(kept)[after]
        share = ((frames[left] - frames[a]) / (frames[b] - frames[a]))[:, None]
        between = _slerp(values[a], values[b], share) if values.shape[1] == 4 else values[a] * (1 - share) + values[b] * share
        is_other = (np.abs(between - values[left]) > _REDUNDANT * np.maximum(np.abs(between), 1)).any(axis=1)
        if not is_other.any():
            break
        kept[left[is_other]] = True
    return kept


def _slerp(a: Array, b: Array, share: Array) -> Array:
    """Returns the rotations between unit quaternions in the same hemisphere."""
    angle = np.arccos(np.clip((a * b).sum(axis=1, keepdims=True), -1, 1))
    is_small = angle < 1e-4
    sine = np.where(is_small, 1, np.sin(angle))
    weights = (np.where(is_small, own, np.sin(own * angle) / sine) for own in (1 - share, share))
    return next(weights) * a + next(weights) * b


def between(frames: npt.NDArray[np.float64], values: Array, at: npt.NDArray[Any], are_turns: bool, are_steps: bool) -> Array:
    """Returns the values at some frames between those of keys, as files interpolate; the nearest one before and after all keys."""
    after = np.searchsorted(frames, at, side="right")
    a, b = np.clip(after - 1, 0, len(frames) - 1), np.clip(after, 0, len(frames) - 1)
    span = frames[b] - frames[a]
    share = (np.where(span > 0, at - frames[a], 0) / np.where(span > 0, span, 1))[:, None]
    if are_steps:
        return values[a]
    if are_turns:
        return _slerp(values[a], values[b] * np.where((values[a] * values[b]).sum(axis=1, keepdims=True) < 0, -1, 1), share)
    return values[a] * (1 - share) + values[b] * share


def values_at(curve: Any, frames: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Returns the values of a curve at frames."""
    own = frames_and_values(curve)
    if len(own) == len(frames) and not curve.modifiers and (own[:, 0] == frames).all():
        return own[:, 1].astype(np.float64)
    return np.array([curve.evaluate(frame) for frame in frames.tolist()])


def quaternions(values: npt.NDArray[np.float64], mode: str) -> Array:
    """Returns rotations of a mode as quaternions x, y, z, w."""
    if mode == "AXIS_ANGLE":
        values = np.array([tuple(Quaternion(own[1:], own[0])) for own in values.tolist()])
    elif mode != "QUATERNION":
        values = np.array([tuple(Euler(own, mode).to_quaternion()) for own in values.tolist()])
    turns = np.roll(values, -1, axis=1)
    lengths = np.linalg.norm(turns, axis=1, keepdims=True)
    # As Blender shows zero.
    return np.where(lengths > 1e-30, turns / np.maximum(lengths, 1e-30), [0.0, 0.0, 0.0, 1.0])


def curve_of(times: npt.NDArray[np.float32], values: npt.NDArray[Any], interpolation: str = "linear") -> Any:
    """Returns a curve. Frames can be so near that they have one time; the last one counts."""
    is_last = np.append(np.diff(times) != 0, True)[: len(times)]
    return bindpose.Curve(times[is_last], np.asarray(values, np.float32)[is_last], interpolation)


def split(matrices: Array) -> tuple[Array, Array, Array, float]:
    """Returns translations, rotations and scale factors of matrices, and how much of them is left."""
    axes = matrices[:, :3, :3]
    scale = np.linalg.norm(axes, axis=1)
    unit = axes / np.maximum(scale, 1e-30)[:, None, :]
    mirrored = np.linalg.det(unit) < 0
    unit[mirrored, :, 0] *= -1
    scale[mirrored, 0] *= -1
    left, _, right = np.linalg.svd(unit)
    turns = left @ right
    shear = float(np.abs(turns * scale[:, None, :] - axes).max()) if len(axes) else 0.0
    return matrices[:, :3, 3], np.array([quaternion(own) for own in turns]), scale, shear
