# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of a file for given values of its scene.

The conventions of each format are known to bindpose alone, which converts files to scenes. This finds the values of a file with which
it gives the wanted scene, by Newton's method with differences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_STEPS = 8
_NO_EFFECT = 0.03
_QUANTUM = 5e-3


@dataclass
class Edit:
    """A value of a file that is to change."""

    file: int
    """The index of the file."""
    paths: list[str]
    """The paths of the value: of its components, if they are in several fields."""
    read: Callable[[Any], npt.NDArray[np.float64]]
    """Returns what the scene has of it."""
    target: npt.NDArray[np.float64]
    """What the scene should have."""
    sizes: tuple[int, ...] = ()
    """The number of components of each curve that comes from the value, if there are several."""


def kept(target: npt.NDArray[Any], before: npt.NDArray[Any], near: Any) -> npt.NDArray[np.float64]:
    """Returns what the scene should have, with the components of the file where only rounding differs."""
    target, before = np.asarray(target, np.float64), np.asarray(before, np.float64)
    return np.where(np.abs(target - before) <= near, before, target)


class _Value:
    """The numbers of an edit in a file."""

    def __init__(self, files: Sequence[Any], edit: Edit) -> None:
        self.edit = edit
        leaves = [leaf for path in edit.paths for leaf in files[edit.file].get_all(path)]
        self.paths = [path for path, _ in leaves]
        self.is_integer = any(isinstance(own, int) for _, own in leaves)
        self.is_text = any(isinstance(own, str) for _, own in leaves)
        self.first = np.array([own for _, own in leaves], np.float64)
        self.own = self.first

    @property
    def widths(self) -> npt.NDArray[np.float64]:
        """The differences for derivatives: large for integers, which are quantised, and towards zero, so that none overflows."""
        if self.is_integer:
            return np.where(self.own >= 64, -64.0, 64.0)
        width = 2.0 ** (np.ceil(np.log2(max(float(np.abs(self.own).max()), 2.0**-4))) - 12)
        return np.full(len(self.own), width)

    def changed(self, offset: npt.NDArray[np.float64]) -> dict[str, int | float | str]:
        """Returns the numbers that differ from the first ones as integers or floats of 32 bits, by their paths."""
        values = self.own + offset
        rounded, first = (np.round(values), self.first) if self.is_integer else (values.astype(np.float32), self.first.astype(np.float32))
        convert = int if self.is_integer else str if self.is_text else _shortest
        return {self.paths[index]: convert(rounded[index]) for index in np.flatnonzero(rounded != first)}


def _shortest(value: np.float32) -> float:
    """Returns the shortest number that is the same float of 32 bits: files of text show it."""
    return float(str(value))


def solve(files: Sequence[Any], build: Callable[[list[Any]], Any], edits: Sequence[Edit]) -> tuple[list[Any], list[str]]:
    """Returns changed copies of files, and the paths of values that cannot be what they should.

    `build` returns the scene of files; the edits are independent of each other.
    """
    values = [_Value(files, edit) for edit in edits]

    def written(offsets: Sequence[npt.NDArray[np.float64]]) -> list[Any]:
        copies = [file.copy() for file in files]
        changes: list[dict[str, int | float | str]] = [{} for _ in files]
        for value, offset in zip(values, offsets, strict=True):
            changes[value.edit.file] |= value.changed(offset)
        for copy, own in zip(copies, changes, strict=True):
            if own:
                copy.update(own)
        return copies

    def residuals(scene: Any) -> list[npt.NDArray[np.float64]]:
        return [value.edit.target - value.edit.read(scene) for value in values]

    still = [np.zeros_like(value.own) for value in values]
    left = residuals(build(written(still)))
    wanted = list(left)
    for _ in range(_STEPS):
        if all(not own.any() for own in left):
            break
        slopes = [np.zeros((len(own), len(value.own))) for own, value in zip(left, values, strict=True)]
        for component in range(max(len(value.own) for value in values)):
            offsets = [_unit(value, component) for value in values]
            moved = residuals(build(written(offsets)))
            for slope, before, after, value in zip(slopes, left, moved, values, strict=True):
                if component < len(value.own):
                    slope[:, component] = (before - after) / value.widths[component]
        before = [value.own for value in values]
        for value, slope, own in zip(values, slopes, left, strict=True):
            value.own = value.own + _step(value.edit, slope, own)
        after = residuals(build(written(still)))
        is_better = False
        for index, value in enumerate(values):
            if np.linalg.norm(after[index]) < np.linalg.norm(left[index]):
                is_better, left[index] = True, after[index]
            else:
                value.own = before[index]
        if not is_better:
            break
    failed = [edit.paths[0] for edit, own, first in zip(edits, left, wanted, strict=True) if _is_missed(edit, own, first)]
    return written(still), failed


def _is_missed(edit: Edit, left: npt.NDArray[np.float64], wanted: npt.NDArray[np.float64]) -> bool:
    """Returns whether a component did not come nearer to its target. What a quantised value cannot represent is small."""
    is_far = np.abs(left) > 0.5 * np.abs(wanted)
    return bool((is_far & (np.abs(left) > _QUANTUM * np.maximum(np.abs(edit.target), 1))).any())


def _step(edit: Edit, slope: npt.NDArray[np.float64], left: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Returns the smallest step, leaving out directions without an effect, such as the length of a quaternion."""
    # Translations and rotations of one matrix have different units.
    sizes = edit.sizes or (len(edit.target),)
    blocks = np.split(slope, np.cumsum(sizes)[:-1])
    factors = [1 / (np.linalg.norm(block, axis=1).max() or 1) for block in blocks]
    rows = np.repeat(factors, sizes)
    return np.linalg.lstsq(slope * rows[:, None], left * rows, rcond=_NO_EFFECT)[0]


def _unit(value: _Value, component: int) -> npt.NDArray[np.float64]:
    offset = np.zeros_like(value.own)
    if component < len(offset):
        offset[component] = value.widths[component]
    return offset
