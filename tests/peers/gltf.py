"""Computes where the triangles of a glTF file are at a time, after the specification of glTF 2.0 alone.

    model = Gltf("model.glb")
    model.triangles()              # at rest: an array of triangles, corners and coordinates in metres
    model.triangles(0, 0.5)        # half a second into the first clip

Sections of the specification are named where they decide something: https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import numpy as np

COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
SHAPES = {"SCALAR": (), "VEC2": (2,), "VEC3": (3,), "VEC4": (4,), "MAT2": (2, 2), "MAT3": (3, 3), "MAT4": (4, 4)}
TRIANGLES, STRIP, FAN = 4, 5, 6
RAISED = {"KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"}


@dataclass
class Surface:
    """The triangles of a primitive at a node."""

    node: int
    points: np.ndarray
    targets: np.ndarray
    corners: np.ndarray
    skin: int | None
    joints: np.ndarray
    weights: np.ndarray


class Gltf:
    def __init__(self, path: str | Path) -> None:
        self.folder, data = Path(path).parent, Path(path).read_bytes()
        self.chunk = b""
        if data[:4] == b"glTF":
            data, self.chunk = chunks(data)
        self.json = json.loads(data)
        if unread := RAISED & set(self.json.get("extensionsUsed", [])):
            raise ValueError(f"{path}: {', '.join(unread)} is not supported")
        self.nodes = self.json.get("nodes", [])
        self.animations = self.json.get("animations", [])
        self.clips = [own.get("name", "") for own in self.animations]
        self.parents = {child: at for at, node in enumerate(self.nodes) for child in node.get("children", [])}
        self.accessor, self.buffer = cache(self.read_accessor), cache(self.read_buffer)
        self.rest = self.pose()
        self.surfaces = [own for node in self.shown() for own in self.surfaces_of(node)]

    # Buffers, 3.6

    def read_buffer(self, index: int) -> bytes:
        uri = self.json["buffers"][index].get("uri")
        if uri is None:
            return self.chunk
        if uri.startswith("data:"):
            return base64.b64decode(uri.partition(",")[2])
        return (self.folder / unquote(uri)).read_bytes()

    def elements(self, own: dict, view: int, offset: int, count: int) -> np.ndarray:
        """Elements of a buffer view. Columns of matrices are aligned to 4 bytes."""
        component, shape = np.dtype(COMPONENTS[own["componentType"]]), SHAPES[own["type"]]
        pitch = component.itemsize * (shape[-1] if shape else 1)
        if len(shape) == 2:
            pitch = -(-pitch // 4) * 4
        place = self.json["bufferViews"][view]
        stride = place.get("byteStride", pitch * (shape[0] if len(shape) == 2 else 1))
        strides = {0: (stride,), 1: (stride, component.itemsize), 2: (stride, pitch, component.itemsize)}[len(shape)]
        start = place.get("byteOffset", 0) + offset
        return np.ndarray((count, *shape), component, self.buffer(place["buffer"]), start, strides).copy()

    def read_accessor(self, index: int) -> np.ndarray:
        """The elements of an accessor; matrices in columns. 3.6.2"""
        own = self.json["accessors"][index]
        values = np.zeros((own["count"], *SHAPES[own["type"]]), COMPONENTS[own["componentType"]])
        if "bufferView" in own:
            values = self.elements(own, own["bufferView"], own.get("byteOffset", 0), own["count"])
        if sparse := own.get("sparse"):
            at, new = sparse["indices"], sparse["values"]
            places = {"componentType": at["componentType"], "type": "SCALAR"}
            rows = self.elements(places, at["bufferView"], at.get("byteOffset", 0), sparse["count"])
            values[rows] = self.elements(own, new["bufferView"], new.get("byteOffset", 0), sparse["count"])
        if own.get("normalized"):
            most = np.iinfo(values.dtype).max
            return np.maximum(values.astype(float) / most, -1.0)
        return values

    def floats(self, index: int) -> np.ndarray:
        return self.accessor(index).astype(float)

    # Meshes, 3.7

    def shown(self) -> list[int]:
        """The nodes of the default scene; all, if there are no scenes."""
        scenes = self.json.get("scenes")
        if not scenes:
            return list(range(len(self.nodes)))
        found, next_ones = [], list(reversed(scenes[self.json.get("scene", 0)].get("nodes", [])))
        while next_ones:
            found.append(next_ones.pop())
            next_ones += reversed(self.nodes[found[-1]].get("children", []))
        return found

    def surfaces_of(self, node: int) -> list[Surface]:
        own = self.nodes[node]
        if "mesh" not in own:
            return []
        primitives = self.json["meshes"][own["mesh"]]["primitives"]
        return [
            self.surface(node, own.get("skin"), one) for one in primitives if one.get("mode", TRIANGLES) >= TRIANGLES
        ]

    def surface(self, node: int, skin: int | None, primitive: dict) -> Surface:
        attributes = primitive["attributes"]
        points = self.floats(attributes["POSITION"])
        targets = [
            self.floats(own["POSITION"]) if "POSITION" in own else np.zeros_like(points)
            for own in primitive.get("targets", [])
        ]
        indices = self.accessor(primitive["indices"]).astype(int) if "indices" in primitive else np.arange(len(points))
        sets = [own for own in sorted(attributes) if own.startswith("JOINTS_")] if skin is not None else []
        joints = [self.accessor(attributes[own]).astype(int) for own in sets]
        weights = [self.floats(attributes[own.replace("JOINTS", "WEIGHTS")]) for own in sets]
        joints, weights = [np.concatenate(own, 1) if sets else np.zeros((len(points), 0)) for own in (joints, weights)]
        # Weights sum up to 1, except for rounding. 3.7.3.3
        total = weights.sum(1, keepdims=True)
        weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
        corners = triangles(indices, primitive.get("mode", TRIANGLES))
        # Where the transform of a node mirrors, triangles are seen from the other side. 3.7.4
        if skin is None and np.linalg.det(self.rest[node, :3, :3]) < 0:
            corners = corners[:, [0, 2, 1]]
        return Surface(node, points, np.array(targets), corners, skin if sets else None, joints.astype(int), weights)

    # Animations, 3.11

    def end(self, clip: int) -> float:
        """The time of the last key in seconds."""
        inputs = [self.accessor(own["input"]) for own in self.animations[clip]["samplers"]]
        return float(max((keys[-1] for keys in inputs if len(keys)), default=0.0))

    def animated(self, clip: int | None, time: float) -> dict[tuple[int, str], np.ndarray]:
        """The values that a clip gives properties of nodes."""
        if clip is None:
            return {}
        values = {}
        for channel in self.animations[clip]["channels"]:
            target, sampler = channel["target"], self.animations[clip]["samplers"][channel["sampler"]]
            if "node" in target:
                values[target["node"], target["path"]] = self.sample(sampler, time, target["path"] == "rotation")
        return values

    def sample(self, sampler: dict, time: float, is_rotation: bool) -> np.ndarray:
        """The value of a sampler at a time. Appendix C"""
        times, values = self.floats(sampler["input"]), self.floats(sampler["output"])
        kind = sampler.get("interpolation", "LINEAR")
        # Weights of all targets are one key; a cubic spline has the tangents before and after each value.
        values = values.reshape(len(times), 3 if kind == "CUBICSPLINE" else 1, -1)
        points = values[:, 1] if kind == "CUBICSPLINE" else values[:, 0]
        after = int(np.searchsorted(times, time, side="right"))
        if after == 0 or after == len(times) or kind == "STEP":
            return unit(points[max(after - 1, 0)]) if is_rotation else points[max(after - 1, 0)]
        start, step = times[after - 1], times[after] - times[after - 1]
        share = (time - start) / step
        a, b = points[after - 1], points[after]
        if kind == "CUBICSPLINE":
            return spline(a, values[after - 1, 2] * step, b, values[after, 0] * step, share, is_rotation)
        return slerp(a, b, share) if is_rotation else a + (b - a) * share

    # Poses

    def pose(self, clip: int | None = None, time: float = 0.0) -> np.ndarray:
        """The matrices of all nodes in the space of the scene. 3.5.2"""
        values = self.animated(clip, time)
        return self.place(lambda node: self.local(node, values), {})

    def place(self, local: Callable[[int], np.ndarray], known: dict[int, np.ndarray]) -> np.ndarray:
        """The matrices of nodes, from those relative to their parents, except where they are known."""
        placed = dict(known)
        for index in range(len(self.nodes)):
            line = [index]
            while line[-1] not in placed and line[-1] in self.parents:
                line.append(self.parents[line[-1]])
            for node in reversed(line):
                if node not in placed:
                    own = local(node)
                    placed[node] = placed[self.parents[node]] @ own if node in self.parents else own
        return np.array([placed[index] for index in range(len(self.nodes))]).reshape(-1, 4, 4)

    def local(self, index: int, values: dict[tuple[int, str], np.ndarray]) -> np.ndarray:
        node = self.nodes[index]
        if "matrix" in node:
            return np.array(node["matrix"], float).reshape(4, 4).T
        translation, rotation, scale = (
            values.get((index, path), node.get(path, default))
            for path, default in (("translation", [0, 0, 0]), ("rotation", [0, 0, 0, 1]), ("scale", [1, 1, 1]))
        )
        return of_parts(translation, rotation, scale)

    def target_weights(self, node: int, values: dict[tuple[int, str], np.ndarray]) -> np.ndarray:
        """The weights of morph targets: of the clip, else of the node, else of the mesh. 3.7.2.2"""
        mesh = self.json["meshes"][self.nodes[node]["mesh"]]
        default = self.nodes[node].get("weights", mesh.get("weights", []))
        return np.asarray(values.get((node, "weights"), default), float)

    def bind_pose(self) -> np.ndarray:
        """The matrices of nodes when skins were bound: joints are where all their skins say, other nodes follow. 3.7.3.1"""
        stated: dict[int, list[np.ndarray]] = {}
        for index, skin in enumerate(self.json.get("skins", [])):
            for joint, matrix in zip(skin["joints"], self.inverse_binds(index)):
                stated.setdefault(joint, []).append(np.linalg.inv(matrix))
        agreed = {joint: own[0] for joint, own in stated.items() if np.allclose(own, own[0], atol=1e-4)}
        top = next((joint for joint in agreed if not self.above(joint) & agreed.keys()), None)
        if top is not None:
            # Points in other units than the nodes.
            rescaling = self.rest[top] @ np.linalg.inv(agreed[top])
            if abs(np.linalg.det(rescaling[:3, :3]) - 1) > 1e-3:
                agreed = {joint: rescaling @ own for joint, own in agreed.items()}
        return self.place(lambda node: self.local(node, {}), agreed)

    def above(self, node: int) -> set[int]:
        """The nodes above a node."""
        found = set()
        while node in self.parents:
            node = self.parents[node]
            found.add(node)
        return found

    def triangles(self, clip: int | None = None, time: float = 0.0, is_bound: bool = False) -> np.ndarray:
        """All triangles in the space of the scene.

        `is_bound`: where skins were bound, instead of where the nodes are at rest.
        """
        placed = self.bind_pose() if is_bound else self.pose(clip, time)
        values, found = self.animated(clip, time), [np.zeros((0, 3, 3))]
        for own in self.surfaces:
            points, weights = own.points, self.target_weights(own.node, values)
            if len(own.targets) and len(weights):
                points = points + np.tensordot(weights, own.targets[: len(weights)], 1)
            if own.skin is None:
                points = apply(placed[own.node], points)
            else:
                points = deform(self.palette(own.skin, placed), own.joints, own.weights, points)
            found.append(points[own.corners])
        return np.concatenate(found)

    def inverse_binds(self, skin: int) -> np.ndarray:
        own = self.json["skins"][skin]
        if "inverseBindMatrices" not in own:
            return np.tile(np.eye(4), (len(own["joints"]), 1, 1))
        return self.floats(own["inverseBindMatrices"]).transpose(0, 2, 1)[: len(own["joints"])]

    def palette(self, skin: int, placed: np.ndarray) -> np.ndarray:
        """The matrices that move the vertices of each joint. 3.7.3"""
        return placed[self.json["skins"][skin]["joints"]] @ self.inverse_binds(skin)


def chunks(data: bytes) -> tuple[bytes, bytes]:
    """The JSON and the binary chunk of a .glb file. 4.4"""
    found, at = {}, 12
    while at + 8 <= len(data):
        length, kind = struct.unpack_from("<I4s", data, at)
        found.setdefault(kind, data[at + 8 : at + 8 + length])
        at += 8 + length
    return found[b"JSON"], found.get(b"BIN\0", b"")


def triangles(indices: np.ndarray, mode: int) -> np.ndarray:
    """The corners of the triangles of a list, strip or fan. 3.7.2.1"""
    if mode == TRIANGLES:
        return indices[: len(indices) // 3 * 3].reshape(-1, 3)
    first = np.arange(max(len(indices) - 2, 0))
    if mode == FAN:
        return indices[np.stack([first + 1, first + 2, np.zeros_like(first)], 1)]
    return indices[np.stack([first, first + 1 + first % 2, first + 2 - first % 2], 1)]


def apply(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def deform(palette: np.ndarray, joints: np.ndarray, weights: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points moved by the weighted mean of the matrices of their joints."""
    moved = np.zeros_like(points)
    for joint, weight in zip(joints.T, weights.T):
        matrices = palette[joint, :3]
        moved += weight[:, None] * (np.einsum("vij,vj->vi", matrices[:, :, :3], points) + matrices[:, :, 3])
    return moved


def of_parts(translation: np.ndarray, rotation: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The matrix that scales, then rotates by a quaternion, then moves."""
    x, y, z, w = rotation
    matrix = np.eye(4)
    matrix[:3, :3] = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    ) * np.asarray(scale, float)
    matrix[:3, 3] = translation
    return matrix


def unit(quaternion: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(quaternion)
    return quaternion / length if length > 0 else np.array([0.0, 0.0, 0.0, 1.0])


def slerp(a: np.ndarray, b: np.ndarray, share: float) -> np.ndarray:
    """The rotation on the shorter way between two. C.4"""
    a, b = unit(a), unit(b)
    dot = a @ b
    if dot < 0:
        b, dot = -b, -dot
    angle = np.arccos(min(1.0, dot))
    if angle < 1e-6:
        return unit(a + (b - a) * share)
    return unit((a * np.sin((1 - share) * angle) + b * np.sin(share * angle)) / np.sin(angle))


def spline(
    a: np.ndarray, out: np.ndarray, b: np.ndarray, into: np.ndarray, share: float, is_rotation: bool
) -> np.ndarray:
    """A cubic spline of Hermite between two values with tangents. C.5"""
    t, tt, ttt = share, share**2, share**3
    value = (2 * ttt - 3 * tt + 1) * a + (ttt - 2 * tt + t) * out + (3 * tt - 2 * ttt) * b + (ttt - tt) * into
    return unit(value) if is_rotation else value
