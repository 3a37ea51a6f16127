# SPDX-License-Identifier: GPL-3.0-or-later
"""Matrices and quaternions of many bones or vertices at once; quaternions are x, y, z, w as in scenes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

TO_BLENDER: Array = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
"""From the axes of scenes, with Y up, to those of Blender, with Z up."""


FROM_BLENDER: Array = np.linalg.inv(TO_BLENDER)
"""From the axes of Blender to those of scenes."""


def rigid(matrix: npt.NDArray[Any]) -> Array | None:
    """Returns the nearest rotation with the same translation; `None` if the matrix has none."""
    matrix = np.asarray(matrix, np.float64)
    if not np.isfinite(matrix).all() or abs(np.linalg.det(matrix[:3, :3])) < 1e-30:
        return None
    left, _, right = np.linalg.svd(matrix[:3, :3])
    turn = left @ right
    if np.linalg.det(turn) < 0:
        turn = left @ np.diag([1.0, 1, -1]) @ right
    result = np.eye(4)
    result[:3, :3] = turn
    result[:3, 3] = matrix[:3, 3]
    return result


def quaternion(matrix: npt.NDArray[Any]) -> Array:
    """Returns the quaternion of a rotation matrix."""
    m = np.asarray(matrix, np.float64)[:3, :3]
    # The largest of the four squares keeps the result accurate.
    squares = np.array([1 + m[0, 0] - m[1, 1] - m[2, 2], 1 - m[0, 0] + m[1, 1] - m[2, 2], 1 - m[0, 0] - m[1, 1] + m[2, 2], 1 + m.trace()])
    sums = [
        [squares[0], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]],
        [m[0, 1] + m[1, 0], squares[1], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]],
        [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], squares[2], m[1, 0] - m[0, 1]],
        [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], squares[3]],
    ]
    own = np.array(sums[int(squares.argmax())])
    return own / np.linalg.norm(own)


def times(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> Array:
    """Returns the products of quaternions: first `b`, then `a`."""
    ax, ay, az, aw = np.moveaxis(np.asarray(a, np.float64), -1, 0)
    bx, by, bz, bw = np.moveaxis(np.asarray(b, np.float64), -1, 0)
    return np.stack(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ],
        axis=-1,
    )


def conjugate(a: npt.NDArray[Any]) -> Array:
    """Returns the inverses of unit quaternions."""
    return np.asarray(a, np.float64) * [-1, -1, -1, 1]


def continuous(rotations: Array) -> Array:
    """Returns unit quaternions of the same rotations, each in the hemisphere of the one before."""
    rotations = rotations / np.maximum(np.linalg.norm(rotations, axis=-1, keepdims=True), 1e-30)
    turns = (rotations[..., 1:, :] * rotations[..., :-1, :]).sum(axis=-1) < 0
    signs = np.where(np.logical_xor.accumulate(turns, axis=-1), -1.0, 1.0)
    rotations[..., 1:, :] *= signs[..., None]
    return rotations


def transformed(matrices: npt.NDArray[Any], points: npt.NDArray[Any]) -> Array:
    """Returns points after the matrix of each."""
    return np.einsum("vij,vj->vi", matrices[:, :3, :3], points) + matrices[:, :3, 3]


def permutation_towards(direction: npt.NDArray[Any]) -> Array:
    """Returns the rotation by right angles whose Y axis is nearest to a direction."""
    axis = int(np.abs(direction).argmax())
    result = np.eye(4)
    y = np.eye(3)[axis] * np.sign(direction[axis] or 1.0)
    # Another axis becomes X; the third one follows.
    x = np.eye(3)[0 if axis != 0 else 1]
    result[:3, :3] = np.stack([x, y, np.cross(x, y)], axis=1)
    return result
