"""Compares the triangles of two .glb files at rest and at five times of each clip.

Prints the largest distance of two corners, relative to the size of the first file. Exits with 1 if it exceeds the
tolerance. Triangles are paired by their places at rest, because some formats sort them by material; their first corners may
differ.
"""

import argparse
import sys
from itertools import product

from gltf import Glb


def size(corners):
    """The largest extent of points."""
    return max(max(axis) - min(axis) for axis in zip(*corners))


def distance(a, b):
    return max(abs(p - q) for p, q in zip(a, b))


def triangles(corners):
    return [corners[at : at + 3] for at in range(0, len(corners), 3)]


def apart(one, other):
    """The largest distance of the corners of two triangles that start at any corner."""
    return min(max(map(distance, one, other[turn:] + other[:turn])) for turn in range(3))


def cell(point, width):
    return tuple(round(value / width) for value in point)


def around(place):
    return [tuple(map(sum, zip(place, step))) for step in product((0, -1, 1), repeat=3)]


def pairing(a, b):
    """For each triangle of a model at rest, the index of the nearest one of another model."""
    if len(a) != len(b):
        raise SystemExit(f"{len(b)} corners instead of {len(a)}")
    width = size(a) * 1e-3
    middles = [[sum(axis) / 3 for axis in zip(*own)] for own in triangles(b)]
    cells = {}
    for index, middle in enumerate(middles):
        cells.setdefault(cell(middle, width), []).append(index)
    others, order = triangles(b), []
    for own in triangles(a):
        place = cell([sum(axis) / 3 for axis in zip(*own)], width)
        near = [(apart(own, others[index]), index, key) for key in around(place) for index in cells.get(key, [])]
        if not near:
            raise SystemExit(f"no triangle is near {own}")
        # Of equal triangles, such as the sides of a sheet, each is used once.
        _, index, key = min(near)
        cells[key].remove(index)
        order.append(index)
    return order


def farthest(a, b, order):
    """The largest distance of two corners of paired triangles."""
    others = triangles(b)
    return max(apart(own, others[index]) for own, index in zip(triangles(a), order))


def unmatched(points, others):
    """The largest distance of a point from the nearest of the others: some programs merge and reorder vertices."""
    cells = {}
    width = size(points) * 1e-3
    for other in others:
        cells.setdefault(cell(other, width), []).append(other)
    worst = 0.0
    for point in points:
        near = [other for key in around(cell(point, width)) for other in cells.get(key, [])]
        worst = max(worst, min((distance(point, other) for other in near), default=width))
    return worst


def times(end):
    return [end * share / 4 for share in range(5)]


def pairs(a, b):
    """The clips of two files that have the same name, or a name that ends like it; else those in the same order."""
    named = [(at, there) for at, own in enumerate(a) for there, name in enumerate(b) if name.endswith(own)]
    return named or list(zip(range(len(a)), range(len(b))))


def compare(a, b, is_bound=False):
    """The largest distance at rest and in each clip, relative to the size.

    `is_bound`: the model was written at rest in the bind pose of its skins.
    """
    rest = a.corners(is_bound=is_bound)
    whole = size(rest)
    order = pairing(rest, b.corners())
    worst = {"rest": farthest(rest, b.corners(), order) / whole}
    for clip, other in pairs(a.clips, b.clips):
        far = [farthest(a.corners(clip, time), b.corners(other, time), order) for time in times(a.end(clip))]
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
