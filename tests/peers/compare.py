"""Compares the triangles of two glTF files at rest and at five times of each clip.

Prints the largest distance of two corners, relative to the size of the first file. Exits with 1 if it exceeds the
tolerance. Triangles can be in another order and start at another corner; they are paired by where they are at all times.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from gltf import Gltf

TIMES = 5
NEAR = 8
MOST = 500


def size(points: np.ndarray) -> float:
    """The largest extent of points."""
    points = points.reshape(-1, points.shape[-1])
    return float((points.max(0) - points.min(0)).max()) if len(points) else 0.0


def times(end: float) -> list[float]:
    """Times from the start to the end; those within are not on frames of usual rates."""
    return [end * share for share in (0, 0.2613, 0.4917, 0.7379, 1)]


def apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The distances of triangles in each pose: the largest of their corners, which start at any of the three.

    Dimensions: triangles (b can have candidates before them), poses, corners, coordinates.
    """
    turned = [np.linalg.norm(a - np.roll(b, turn, -2), axis=-1).max(-1) for turn in range(3)]
    best = np.argmin([own.max(-1) for own in turned], 0)
    return np.choose(best[..., None], turned)


def nearest(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The distances of triangles from the nearest of others in each pose. Of many without a close one, some are tried."""
    same = apart(a, b) if len(a) == len(b) else np.full(a.shape[:2], np.inf)
    is_close = same.max(1) <= 1e-6 * size(a)
    far = a[~is_close]
    if len(far) > MOST:
        far = far[np.random.default_rng(0).choice(len(far), MOST, replace=False)]
    found, middle = [same[is_close]], a.mean((0, 2))[:, None]
    others = (b - middle).mean(2).reshape(len(b), -1)
    for start in range(0, len(far), 256) if len(b) else ():
        rows = far[start : start + 256]
        squares = (others**2).sum(1) - 2 * (rows - middle).mean(2).reshape(len(rows), -1) @ others.T
        candidates = np.argpartition(squares, min(NEAR, len(b)) - 1, 1)[:, :NEAR].T
        tried = np.array([apart(rows, b[own]) for own in candidates])
        found.append(tried[tried.max(2).argmin(0), np.arange(len(rows))])
    return np.concatenate(found)


def farthest(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The largest distance of a triangle from the nearest one of the other side in each pose."""
    both = [nearest(a, b), nearest(b, a)]
    return np.max([own.max(0) for own in both if len(own)], 0, initial=0)


def unmatched(points: np.ndarray, others: np.ndarray) -> float:
    """The largest distance of a point from the nearest of the others: some programs merge and reorder vertices."""
    points, others = (np.unique(own.reshape(-1, 3).round(7), axis=0) for own in (points, others))
    parts = np.array_split(points, len(points) // 256 + 1)
    return max(float(np.linalg.norm(own[:, None] - others, axis=2).min(1).max()) for own in parts)


def moved(model: Gltf, clip: int, at: list[float]) -> np.ndarray:
    """The triangles at times of a clip."""
    return np.stack([model.triangles(clip, time) for time in at], 1)


def rests(a: Gltf, b: Gltf, is_bound: bool = False) -> float:
    """The largest distance at rest.

    `is_bound`: the model was written at rest in the bind pose of its skins.
    """
    return float(farthest(a.triangles(is_bound=is_bound)[:, None], b.triangles()[:, None]).max())


def clips(a: Gltf, b: Gltf) -> dict[int, tuple[int, np.ndarray]]:
    """For each clip its partner, and the largest distances at five times.

    Clips of one name are partners; of the others, which formats rename, those that move the triangles alike.
    """
    names = [[own for own in model.clips if model.clips.count(own) == 1] for model in (a, b)]
    named = {a.clips.index(own): b.clips.index(own) for own in names[0] if own in names[1]}
    left, found = [there for there in range(len(b.clips)) if there not in named.values()], {}
    for clip in sorted(range(len(a.clips)), key=lambda own: own not in named):
        at = times(a.end(clip))
        own = moved(a, clip, at)
        tried = {there: farthest(own, moved(b, there, at)) for there in ([named[clip]] if clip in named else left)}
        if tried:
            end = a.end(clip)
            there = min(tried, key=lambda own: (round(tried[own].max(), 4), abs(b.end(own) - end)))
            found[clip] = there, tried[there]
            if clip not in named:
                left.remove(there)
    return found


def compare(a: Gltf, b: Gltf, is_bound: bool = False) -> dict[str, float]:
    """The largest distance at rest and in each clip, relative to the size."""
    whole = size(a.triangles(is_bound=is_bound))
    worst = {"rest": rests(a, b, is_bound) / whole}
    for clip, (_, far) in clips(a, b).items():
        worst[a.clips[clip]] = far.max() / whole
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source")
    parser.add_argument("result")
    parser.add_argument("--tolerance", type=float, default=1e-5)
    arguments = parser.parse_args()
    worst = compare(Gltf(arguments.source), Gltf(arguments.result))
    for name, far in worst.items():
        print(f"{name}: {far:.1e}")
    sys.exit(max(worst.values()) > arguments.tolerance)


if __name__ == "__main__":
    main()
