"""Reads .glb files and computes where their vertices are at a time."""

import bisect
import json
import math
import struct

COMPONENTS = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
NORMALISED = {5120: 127.0, 5121: 255.0, 5122: 32767.0, 5123: 65535.0}
IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]


def times(a, b):
    """The product of two matrices in columns."""
    return [
        sum(a[4 * k + row] * b[4 * column + k] for k in range(4))
        for column in range(4)
        for row in range(4)
    ]


def apply(matrix, point):
    x, y, z = point
    return [matrix[row] * x + matrix[4 + row] * y + matrix[8 + row] * z + matrix[12 + row] for row in range(3)]


def of_parts(translation, rotation, scale):
    x, y, z, w = rotation
    columns = [
        [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
        [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
        [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
    ]
    rows = [[value * factor for value in column] + [0] for column, factor in zip(columns, scale)]
    return rows[0] + rows[1] + rows[2] + list(translation) + [1]


def slerp(a, b, share):
    dot = sum(p * q for p, q in zip(a, b))
    if dot < 0:
        b, dot = [-q for q in b], -dot
    angle = math.acos(min(1.0, dot))
    if angle < 1e-6:
        mixed = [p + (q - p) * share for p, q in zip(a, b)]
    else:
        one, other = math.sin((1 - share) * angle), math.sin(share * angle)
        mixed = [(p * one + q * other) / math.sin(angle) for p, q in zip(a, b)]
    length = math.sqrt(sum(p * p for p in mixed))
    return [p / length for p in mixed]


class Glb:
    def __init__(self, path):
        data = open(path, "rb").read()
        magic, _, _ = struct.unpack_from("<4sII", data)
        assert magic == b"glTF", path
        length, _ = struct.unpack_from("<II", data, 12)
        self.json = json.loads(data[20 : 20 + length])
        self.binary = data[28 + length :]
        self.nodes = self.json.get("nodes", [])
        self.parents = {child: at for at, node in enumerate(self.nodes) for child in node.get("children", [])}
        self.clips = [own.get("name", "") for own in self.json.get("animations", [])]

    def accessor(self, index):
        own = self.json["accessors"][index]
        assert "sparse" not in own, "sparse accessors are not supported"
        width, kind = WIDTHS[own["type"]], own["componentType"]
        if "bufferView" not in own:
            return [[0] * width] * own["count"]
        view = self.json["bufferViews"][own["bufferView"]]
        row = struct.Struct("<%d%s" % (width, COMPONENTS[kind]))
        step = view.get("byteStride", row.size)
        start = view.get("byteOffset", 0) + own.get("byteOffset", 0)
        rows = [row.unpack_from(self.binary, start + at * step) for at in range(own["count"])]
        if own.get("normalized"):
            rows = [[max(value / NORMALISED[kind], -1.0) for value in row] for row in rows]
        return rows

    def pose(self, clip=None, time=0.0):
        """The matrices of all nodes in model space."""
        parts = [
            {
                "translation": node.get("translation", [0, 0, 0]),
                "rotation": node.get("rotation", [0, 0, 0, 1]),
                "scale": node.get("scale", [1, 1, 1]),
            }
            for node in self.nodes
        ]
        if clip is not None:
            animation = self.json["animations"][clip]
            for channel in animation["channels"]:
                target = channel["target"]
                if target["path"] != "weights" and "node" in target:
                    sampler = animation["samplers"][channel["sampler"]]
                    parts[target["node"]][target["path"]] = self.sample(sampler, time, target["path"] == "rotation")
        placed = {}

        def place(index):
            if index not in placed:
                own = self.nodes[index].get("matrix") or of_parts(**parts[index])
                parent = self.parents.get(index)
                placed[index] = times(place(parent), own) if parent is not None else own
            return placed[index]

        return [place(index) for index in range(len(self.nodes))]

    def sample(self, sampler, time, is_rotation):
        keys = [row[0] for row in self.accessor(sampler["input"])]
        values = self.accessor(sampler["output"])
        kind = sampler.get("interpolation", "LINEAR")
        if kind == "CUBICSPLINE":
            values = values[1::3]
        after = bisect.bisect_right(keys, time)
        if after == 0 or after == len(keys) or kind == "STEP":
            return values[max(after - 1, 0)]
        a, b = values[after - 1], values[after]
        share = (time - keys[after - 1]) / (keys[after] - keys[after - 1])
        return slerp(a, b, share) if is_rotation else [p + (q - p) * share for p, q in zip(a, b)]

    def end(self, clip):
        return max(self.accessor(own["input"])[-1][0] for own in self.json["animations"][clip]["samplers"])

    def corners(self, clip=None, time=0.0, is_bound=False):
        """The corners of all triangles in model space, ordered by mesh and primitive."""
        placed = self.pose(clip, time)
        corners = []
        for index, node in enumerate(self.nodes):
            if "mesh" not in node:
                continue
            palette = None
            if "skin" in node:
                skin = self.json["skins"][node["skin"]]
                inverse = [IDENTITY] * len(skin["joints"])
                if "inverseBindMatrices" in skin:
                    inverse = self.accessor(skin["inverseBindMatrices"])
                palette = [IDENTITY if is_bound else times(placed[joint], own) for joint, own in zip(skin["joints"], inverse)]
            for primitive in self.json["meshes"][node["mesh"]]["primitives"]:
                corners += self.primitive(primitive, palette, placed[index])
        return corners

    def primitive(self, own, palette, place):
        attributes = own["attributes"]
        points = self.accessor(attributes["POSITION"])
        if palette:
            sets = [at for at in range(2) if f"JOINTS_{at}" in attributes]
            joints = [self.accessor(attributes[f"JOINTS_{at}"]) for at in sets]
            weights = [self.accessor(attributes[f"WEIGHTS_{at}"]) for at in sets]
            moved = []
            for at, point in enumerate(points):
                sum_of = [0.0, 0.0, 0.0]
                whole = sum(sum(rows[at]) for rows in weights) or 1.0
                for rows, shares in zip(joints, weights):
                    for joint, share in zip(rows[at], shares[at]):
                        if share:
                            there = apply(palette[joint], point)
                            sum_of = [a + b * share / whole for a, b in zip(sum_of, there)]
                moved.append(sum_of)
            points = moved
        else:
            points = [apply(place, point) for point in points]
        indices = range(len(points))
        if "indices" in own:
            indices = [row[0] for row in self.accessor(own["indices"])]
        return [points[index] for index in indices]
