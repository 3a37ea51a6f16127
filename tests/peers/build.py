"""Makes glTF files."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path

import numpy as np

FLOAT, BYTE, UBYTE, SHORT, USHORT, UINT = 5126, 5120, 5121, 5122, 5123, 5125
TYPES = {FLOAT: "<f4", BYTE: "i1", UBYTE: "u1", SHORT: "<i2", USHORT: "<u2", UINT: "<u4"}
KINDS = {(): "SCALAR", (2,): "VEC2", (3,): "VEC3", (4,): "VEC4", (4, 4): "MAT4"}
X, Y, Z = np.eye(3)

MODELS = {}
"""Functions that make a model, by name."""


def model(make):
    MODELS[make.__name__] = make
    return make


class Builder:
    """A glTF file in the making."""

    def __init__(self) -> None:
        self.json: dict = {"asset": {"version": "2.0"}, "scenes": [{"nodes": []}], "scene": 0}
        self.data = b""

    def add(self, name: str, value: dict) -> int:
        self.json.setdefault(name, []).append(value)
        return len(self.json[name]) - 1

    def view(self, data: bytes, **more: int) -> int:
        self.data += bytes(-len(self.data) % 4)
        self.data += data
        return self.add(
            "bufferViews", {"buffer": 0, "byteOffset": len(self.data) - len(data), "byteLength": len(data)} | more
        )

    def accessor(self, values, component: int = FLOAT, is_normalised: bool = False) -> int:
        """An accessor with its own view. Normalised values are stored as integers."""
        values = np.asarray(values, float)
        kind, limits = KINDS[values.shape[1:]], {"min": values.min(0), "max": values.max(0)}
        if is_normalised:
            values = np.rint(values * np.iinfo(TYPES[component]).max)
            limits = {"min": values.min(0), "max": values.max(0)}
        own = {"bufferView": 0, "componentType": component, "count": len(values), "type": kind}
        if component == FLOAT and kind in ("SCALAR", "VEC3"):
            own |= {key: np.atleast_1d(value.astype("<f4")).tolist() for key, value in limits.items()}
        if is_normalised:
            own["normalized"] = True
        stored = values.astype(TYPES[component]).reshape(len(values), -1)
        # Each element of vertex data starts at a multiple of four.
        padding = -stored[0].nbytes % 4 if len(stored) and kind != "SCALAR" else 0
        stride = {"byteStride": stored[0].nbytes + padding} if padding else {}
        own["bufferView"] = self.view(b"".join(row.tobytes() + bytes(padding) for row in stored), **stride)
        return self.add("accessors", own)

    def node(self, parent: int | None = None, **own) -> int:
        index = self.add(
            "nodes",
            {key: np.asarray(value).tolist() if isinstance(value, np.ndarray) else value for key, value in own.items()},
        )
        siblings = (
            self.json["scenes"][0]["nodes"] if parent is None else self.json["nodes"][parent].setdefault("children", [])
        )
        siblings.append(index)
        return index

    def primitive(self, points, faces, index_type: int = USHORT, **more) -> dict:
        return {
            "attributes": {"POSITION": self.accessor(points)},
            "indices": self.accessor(np.ravel(faces), index_type),
        } | more

    def mesh(self, *primitives: dict, **more) -> int:
        return self.add("meshes", {"primitives": list(primitives)} | more)

    def skin(self, joints: list[int], binds, **more) -> int:
        inverse = np.array([np.linalg.inv(own).T for own in binds])
        return self.add("skins", {"joints": list(joints), "inverseBindMatrices": self.accessor(inverse)} | more)

    def clip(self, name: str | None, *channels) -> int:
        """A clip of channels (node, path, times, values), with an interpolation if it is not linear."""
        own: dict = {"samplers": [], "channels": []}
        if name is not None:
            own["name"] = name
        for node, path, times, values, *kind in channels:
            values = values if isinstance(values, int) else self.accessor(values)
            own["samplers"].append(
                {"input": self.accessor(times), "output": values, "interpolation": (kind or ["LINEAR"])[0]}
            )
            own["channels"].append({"sampler": len(own["samplers"]) - 1, "target": {"node": node, "path": path}})
        return self.add("animations", own)

    def glb(self) -> bytes:
        data = self.data + bytes(-len(self.data) % 4)
        text = json.dumps(self.json | {"buffers": [{"byteLength": len(self.data)}]}).encode()
        text += b" " * (-len(text) % 4)
        parts = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
        return struct.pack("<4sII", b"glTF", 2, 12 + len(parts)) + parts

    def gltf(self, uri: str | None = None) -> str:
        """The text of a .gltf file whose data is in a file or, by default, in the text."""
        uri = uri or "data:application/octet-stream;base64," + base64.b64encode(self.data).decode()
        return json.dumps(self.json | {"buffers": [{"byteLength": len(self.data), "uri": uri}]})

    def write(self, path: Path) -> None:
        if path.suffix == ".glb":
            path.write_bytes(self.glb())
        else:
            path.with_suffix(".bin").write_bytes(self.data)
            path.write_text(self.gltf(path.stem.replace(" ", "%20") + ".bin"))


def turn(axis, degrees: float) -> np.ndarray:
    half = np.radians(degrees) / 2
    return np.append(np.asarray(axis) / np.linalg.norm(axis) * np.sin(half), np.cos(half))


def matrix(translation=(0, 0, 0), rotation=(0, 0, 0, 1), scale=(1, 1, 1)) -> np.ndarray:
    x, y, z, w = rotation
    own = np.eye(4)
    own[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    own[:3, :3] *= np.asarray(scale, float)
    own[:3, 3] = translation
    return own


def tube(rings: int = 9, sides: int = 7, high: float = 1.5):
    """Points and faces of a tube along y that no rotation maps to itself."""
    points, faces = [], []
    for ring in range(rings):
        for side in range(sides):
            angle = 2 * np.pi * side / sides
            wide = 0.12 + 0.015 * side + 0.02 * np.sin(ring)
            points.append([wide * np.cos(angle), high * ring / (rings - 1), wide * np.sin(angle)])
    for ring in range(rings - 1):
        for side in range(sides):
            a, b = ring * sides + side, ring * sides + (side + 1) % sides
            faces += [[a, a + sides, b], [b, a + sides, b + sides]]
    return np.array(points), np.array(faces)


def influences(points, heights):
    """The two joints that are next to each point by height, and their weights."""
    height = np.clip(points[:, 1], heights[0], heights[-1] - 1e-9)
    lower = np.searchsorted(heights, height, side="right") - 1
    lower = np.minimum(lower, len(heights) - 2)
    share = (height - heights[lower]) / (heights[lower + 1] - heights[lower])
    joints, weights = np.zeros((len(points), 4)), np.zeros((len(points), 4))
    joints[:, 0], joints[:, 1], weights[:, 0], weights[:, 1] = lower, lower + 1, 1 - share, share
    joints[weights == 0] = 0
    return joints, weights


HEIGHTS = np.array([0.0, 0.5, 1.0])


class Rig(Builder):
    """A tube on a chain of three bones. `joints` are the nodes of the bones, `body` is that of the mesh."""

    def __init__(
        self, scale=(1, 1, 1), rest=None, bind=None, mesh_node=None, joint_names=("root", "middle", "tip"), above=None
    ) -> None:
        super().__init__()
        self.body = self.node(name="body", **(mesh_node or {}))
        parent = self.node(name="armature", **above) if above else None
        self.above = parent
        self.joints, places, place = [], [], np.eye(4)
        for index, name in enumerate(joint_names):
            move = np.array([0, 0.5 if index else 0, 0])
            own = {"translation": move, "scale": np.array(scale) if index == 0 else np.ones(3)}
            place = place @ matrix(move, scale=own["scale"])
            places.append(place)
            if rest and index in rest:
                own["rotation"] = rest[index]
            parent = self.node(parent, **own, **({"name": name} if name is not None else {}))
            self.joints.append(parent)
        self.points, self.faces = tube()
        self.points[:, 1] *= scale[1]
        self.points[:, 0] *= scale[0]
        self.points[:, 2] *= scale[2]
        joints, weights = influences(self.points / np.array(scale), np.array(HEIGHTS))
        attributes = {"JOINTS_0": self.accessor(joints, UBYTE), "WEIGHTS_0": self.accessor(weights)}
        primitive = self.primitive(self.points, self.faces)
        primitive["attributes"] |= attributes
        self.json["nodes"][self.body] |= {
            "mesh": self.mesh(primitive, name="body"),
            "skin": self.skin(self.joints, bind if bind is not None else places),
        }

    @property
    def shape(self) -> dict:
        return self.json["meshes"][0]["primitives"][0]

    def wave(self, name: str | None = "wave", times=(0, 0.5, 1.0), kind: str = "LINEAR", degrees=(0, 50, -20)) -> "Rig":
        values = [turn(Z + 0.3 * X, own) for own in degrees]
        self.clip(
            name,
            (self.joints[1], "rotation", times, values, kind),
            (self.joints[2], "rotation", times, values[::-1], kind),
        )
        return self


def spline(points, tangents):
    """The keys of a cubic spline: tangent, point, tangent."""
    return np.stack([tangents, points, tangents], 1).reshape(-1, np.shape(points)[-1])
