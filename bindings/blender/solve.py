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


@dataclass
class Edit:
    """A value of a file that is to change."""

    file: int
    """The index of the file."""
    path: str
    """The path of the value."""
    read: Callable[[Any], npt.NDArray[np.float64]]
    """Returns what the scene has of it."""
    target: npt.NDArray[np.float64]
    """What the scene should have."""
    sizes: tuple[int, ...] = (3,)
    """The number of components of each curve that comes from the value."""


class _Value:
    """The numbers of an edit in a file."""

    def __init__(self, files: Sequence[Any], edit: Edit) -> None:
        self.edit = edit
        leaves = files[edit.file].get_all(edit.path)
        self.paths = [path for path, _ in leaves]
        self.is_integer = any(isinstance(own, int) for _, own in leaves)
        self.first = np.array([own for _, own in leaves], np.float64)
        self.own = self.first

    @property
    def width(self) -> float:
        """The difference for derivatives: large for integers, which are quantised."""
        if self.is_integer:
            return 64.0
        return 2.0 ** (np.ceil(np.log2(max(float(np.abs(self.own).max()), 2.0**-4))) - 12)

    def changed(self, offset: npt.NDArray[np.float64]) -> dict[str, int | float]:
        """Returns the numbers that differ from the first ones, by their paths."""
        values = self.own + offset
        rounded = np.round(values) if self.is_integer else values.astype(np.float32).astype(np.float64)
        pairs = zip(self.paths, rounded.tolist(), self.first.tolist(), strict=True)
        return {path: int(own) if self.is_integer else own for path, own, first in pairs if own != first}


def solve(files: Sequence[Any], build: Callable[[list[Any]], Any], edits: Sequence[Edit]) -> list[Any]:
    """Returns changed copies of files. `build` returns the scene of files; the edits are independent of each other."""
    values = [_Value(files, edit) for edit in edits]

    def written(offsets: Sequence[npt.NDArray[np.float64]]) -> list[Any]:
        copies = [file.copy() for file in files]
        changes: list[dict[str, int | float]] = [{} for _ in files]
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
    for _ in range(_STEPS):
        if all(not own.any() for own in left):
            break
        slopes = [np.zeros((len(own), len(value.own))) for own, value in zip(left, values, strict=True)]
        for component in range(max(len(value.own) for value in values)):
            offsets = [_unit(value, component) for value in values]
            moved = residuals(build(written(offsets)))
            for slope, before, after, value in zip(slopes, left, moved, values, strict=True):
                if component < len(value.own):
                    slope[:, component] = (before - after) / value.width
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
    return written(still)


def _step(edit: Edit, slope: npt.NDArray[np.float64], left: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Returns the smallest step, leaving out directions without an effect, such as the length of a quaternion."""
    # Translations and rotations of one matrix have different units.
    blocks = np.split(slope, np.cumsum(edit.sizes)[:-1])
    factors = [1 / (np.linalg.norm(block, axis=1).max() or 1) for block in blocks]
    rows = np.repeat(factors, edit.sizes)
    return np.linalg.lstsq(slope * rows[:, None], left * rows, rcond=_NO_EFFECT)[0]


def _unit(value: _Value, component: int) -> npt.NDArray[np.float64]:
    offset = np.zeros_like(value.own)
    if component < len(offset):
        offset[component] = value.width
    return offset
