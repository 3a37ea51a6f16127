"""Compares the triangles of two .glb files at rest and at five times of each clip.

Prints the largest distance of two corners, relative to the size of the first file. Exits with 1 if it exceeds the
tolerance. The triangles must be in the same order; their first corners may differ.
"""

import argparse
import sys

from gltf import Glb


def size(corners):
    """The largest extent of points."""
    return max(max(axis) - min(axis) for axis in zip(*corners))


def distance(a, b):
    return max(abs(p - q) for p, q in zip(a, b))


def farthest(a, b):
    """The largest distance of two corners of triangles that start at any corner."""
    if len(a) != len(b):
        raise SystemExit(f"{len(b)} corners instead of {len(a)}")
    far = 0.0
    for at in range(0, len(a), 3):
        one, other = a[at : at + 3], b[at : at + 3]
        turns = [other[turn:] + other[:turn] for turn in range(3)]
        far = max(far, min(max(map(distance, one, turned)) for turned in turns))
    return far


def unmatched(points, others):
    """The largest distance of a point from the nearest of the others: some programs merge and reorder vertices."""
    cells = {}
    whole = size(points) * 1e-3
    for other in others:
        cells.setdefault(tuple(round(value / whole) for value in other), []).append(other)
    worst = 0.0
    steps = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]
    for point in points:
        cell = [round(value / whole) for value in point]
        near = [other for step in steps for other in cells.get(tuple(a + b for a, b in zip(cell, step)), [])]
        worst = max(worst, min((distance(point, other) for other in near), default=whole))
    return worst


def times(end):
    return [end * share / 4 for share in range(5)]


def pairs(a, b):
    """The clips of two files that have the same name, or a name that ends like it; else those in the same order."""
    named = [(at, there) for at, own in enumerate(a) for there, name in enumerate(b) if name.endswith(own)]
    return named or list(zip(range(len(a)), range(len(b))))


def compare(a, b):
    """The largest distance at rest and in each clip, relative to the size."""
    rest = a.corners()
    whole = size(rest)
    worst = {"rest": farthest(rest, b.corners()) / whole}
    for clip, other in pairs(a.clips, b.clips):
        far = [farthest(a.corners(clip, time), b.corners(other, time)) for time in times(a.end(clip))]
        worst[a.clips[clip]] = max(far) / whole
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source")
    parser.add_argument("result")
    parser.add_argument("--tolerance", type=float, default=1e-5)
    arguments = parser.parse_args()
    worst = compare(Glb(arguments.source), Glb(arguments.result))
    for name, far in worst.items():
        print(f"{name}: {far:.1e}")
    sys.exit(max(worst.values()) > arguments.tolerance)


if __name__ == "__main__":
    main()
