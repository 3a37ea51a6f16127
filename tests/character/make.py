"""Makes the sample character: a small dragon with a skeleton, a texture, a morph target and three clips.

    python make.py character.glb character.png

It needs numpy only. `bindpose convert` writes the other formats from the glTF file.
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from pathlib import Path

import numpy as np

RATE = 30
TALL = 1.25
TEXTURE = 256

BONES: list[tuple[str, str | None, tuple[float, float, float]]] = [
    ("root", None, (0, 0, 0)),
    ("hips", "root", (0, 0.40, 0)),
    ("spine", "hips", (0, 0.52, 0)),
    ("chest", "spine", (0, 0.64, 0.01)),
    ("head", "chest", (0, 0.80, 0.03)),
    ("tail_1", "hips", (0, 0.36, -0.16)),
    ("tail_2", "tail_1", (0, 0.27, -0.40)),
    ("tail_3", "tail_2", (0, 0.24, -0.62)),
]
for side, sign in (("l", 1), ("r", -1)):
    BONES += [
        (f"arm_{side}", "chest", (0.17 * sign, 0.66, 0.05)),
        (f"hand_{side}", f"arm_{side}", (0.29 * sign, 0.52, 0.12)),
        (f"leg_{side}", "hips", (0.13 * sign, 0.33, 0)),
        (f"shin_{side}", f"leg_{side}", (0.15 * sign, 0.20, 0.03)),
        (f"foot_{side}", f"shin_{side}", (0.16 * sign, 0.08, 0.03)),
    ]
NAMES = [name for name, _, _ in BONES]
TIPS = {"head": (0, 1.1, 0.1), "tail_3": (0, 0.30, -0.84), "hand_l": (0.36, 0.42, 0.2), "hand_r": (-0.36, 0.42, 0.2), "foot_l": (0.17, 0.04, 0.17), "foot_r": (-0.17, 0.04, 0.17)}
"""The ends of bones without a child."""


def ellipsoid(p: np.ndarray, centre, radii) -> np.ndarray:
    radii = np.array(radii)
    q = (p - np.array(centre)) / radii
    k0, k1 = np.linalg.norm(q, axis=-1), np.linalg.norm(q / radii, axis=-1)
    return k0 * (k0 - 1) / np.maximum(k1, 1e-9)


def cone(p: np.ndarray, a, b, ra: float, rb: float) -> np.ndarray:
    """A capsule with another radius at each end."""
    a, b = np.array(a, float), np.array(b, float)
    t = np.clip(((p - a) @ (b - a)) / ((b - a) @ (b - a)), 0, 1)
    return np.linalg.norm(p - a - t[..., None] * (b - a), axis=-1) - (ra + (rb - ra) * t)


def blend(a: np.ndarray, b: np.ndarray, k: float) -> np.ndarray:
    h = np.clip(0.5 + 0.5 * (b - a) / k, 0, 1)
    return b + (a - b) * h - k * h * (1 - h)


def distance(p: np.ndarray) -> np.ndarray:
    """Returns the distance to the skin; negative inside."""
    q = p * np.array([1, 1, 1.0])
    q = np.concatenate([np.abs(p[..., :1]), p[..., 1:]], axis=-1)
    d = ellipsoid(q, (0, 0.45, 0.0), (0.235, 0.27, 0.22))
    d = blend(d, ellipsoid(q, (0, 0.62, 0.02), (0.19, 0.2, 0.17)), 0.08)
    d = blend(d, cone(q, (0, 0.66, 0.02), (0, 0.84, 0.04), 0.13, 0.14), 0.06)
    head = ellipsoid(q, (0, 0.985, 0.05), (0.245, 0.215, 0.225))
    head = blend(head, ellipsoid(q, (0, 0.905, 0.24), (0.165, 0.105, 0.14)), 0.07)
    head = blend(head, ellipsoid(q, (0.05, 0.96, 0.345), (0.035, 0.03, 0.035)), 0.03)
    d = blend(d, head, 0.05)
    tail = cone(q, (0, 0.38, -0.12), (0, 0.27, -0.4), 0.15, 0.095)
    tail = blend(tail, cone(q, (0, 0.27, -0.4), (0, 0.24, -0.62), 0.095, 0.06), 0.04)
    tail = blend(tail, cone(q, (0, 0.24, -0.62), (0, 0.29, -0.8), 0.065, 0.05), 0.03)
    d = blend(d, tail, 0.07)
    arm = cone(q, (0.16, 0.66, 0.05), (0.29, 0.52, 0.12), 0.07, 0.058)
    arm = blend(arm, cone(q, (0.29, 0.52, 0.12), (0.35, 0.44, 0.18), 0.058, 0.062), 0.03)
    d = blend(d, arm, 0.04)
    leg = cone(q, (0.12, 0.33, 0), (0.15, 0.18, 0.03), 0.13, 0.095)
    leg = blend(leg, cone(q, (0.15, 0.18, 0.03), (0.16, 0.08, 0.03), 0.095, 0.085), 0.04)
    leg = blend(leg, ellipsoid(q, (0.165, 0.055, 0.1), (0.1, 0.06, 0.14)), 0.04)
    d = blend(d, leg, 0.05)
    return d


SPIKES = [
    ("head", (0, 1.17, -0.04), (0, 1.3, -0.1), 0.05),
    ("head", (0, 1.06, -0.13), (0, 1.14, -0.26), 0.05),
    ("head", (0, 0.93, -0.12), (0, 0.95, -0.26), 0.045),
    ("chest", (0, 0.75, -0.09), (0, 0.79, -0.24), 0.05),
    ("spine", (0, 0.6, -0.14), (0, 0.65, -0.3), 0.055),
    ("hips", (0, 0.44, -0.17), (0, 0.52, -0.33), 0.05),
    ("tail_1", (0, 0.37, -0.34), (0, 0.5, -0.41), 0.045),
    ("tail_2", (0, 0.31, -0.53), (0, 0.41, -0.6), 0.038),
    ("tail_3", (0, 0.29, -0.68), (0, 0.38, -0.73), 0.03),
    ("tail_3", (0, 0.27, -0.74), (0, 0.36, -0.97), 0.075),
    ("head", (0.13, 1.12, 0.0), (0.25, 1.33, -0.08), 0.055),
    ("head", (-0.13, 1.12, 0.0), (-0.25, 1.33, -0.08), 0.055),
]
"""Horns and spikes: the bone that they are on, base, tip and radius."""


def spike(base, tip, radius: float, sides: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns points, normals and triangles of a cone."""
    base, tip = np.array(base, float), np.array(tip, float)
    along = (tip - base) / np.linalg.norm(tip - base)
    across = np.cross(along, [0.0, 0.6, 0.8])
    across /= np.linalg.norm(across)
    other = np.cross(along, across)
    angles = 2 * np.pi * np.arange(sides) / sides
    out = np.cos(angles)[:, None] * across + np.sin(angles)[:, None] * other
    points = np.concatenate([base + radius * out, np.repeat(tip[None], sides, axis=0)])
    triangles = [[i, (i + 1) % sides, sides + i] for i in range(sides)]
    return points, np.concatenate([out, out]), np.array(triangles)


def gradient(p: np.ndarray) -> np.ndarray:
    step = 1e-3
    slopes = [distance(p + step * axis) - distance(p - step * axis) for axis in np.eye(3)]
    normal = np.stack(slopes, axis=-1)
    return normal / np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-9)


def skin_surface(cell: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns the points and triangles of the surface: a point in each cell that the surface passes, projected to it."""
    low, high = np.array([-0.5 - cell / 2, -0.06, -0.94]), np.array([0.5, 1.36, 0.48])
    # The plane x = 0 is in the middle of cells, so that both sides are mirrored.
    counts = np.ceil((high - low) / cell).astype(int)
    counts[0] += 1 - counts[0] % 2
    low[0] = -counts[0] * cell / 2
    axes = [low[i] + cell * np.arange(counts[i] + 1) for i in range(3)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    inside = distance(grid) < 0
    corners = np.stack([inside[x : x + counts[0], y : y + counts[1], z : z + counts[2]] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    crossed = corners.any(axis=0) & ~corners.all(axis=0)
    index = np.full(crossed.shape, -1)
    index[crossed] = np.arange(crossed.sum())
    points = low + cell * (np.argwhere(crossed) + 0.5)
    for _ in range(12):
        points = points - 0.8 * distance(points)[:, None] * gradient(points)
    triangles = []
    for axis in range(3):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        first = inside[tuple(slice(0, counts[i]) if i == axis else slice(0, counts[i] + 1) for i in range(3))]
        second = inside[tuple(slice(1, counts[i] + 1) if i == axis else slice(0, counts[i] + 1) for i in range(3))]
        for edge in np.argwhere(first != second):
            if edge[a] == 0 or edge[b] == 0 or edge[a] > counts[a] - 1 or edge[b] > counts[b] - 1:
                continue
            quad = []
            for da, db in ((-1, -1), (0, -1), (0, 0), (-1, 0)):
                at = edge.copy()
                at[a] += da
                at[b] += db
                quad.append(index[tuple(at)])
            if not first[tuple(edge)]:
                quad.reverse()
            p = points[quad]
            if np.linalg.norm(p[0] - p[2]) <= np.linalg.norm(p[1] - p[3]):
                triangles += [[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]]
            else:
                triangles += [[quad[1], quad[2], quad[3]], [quad[1], quad[3], quad[0]]]
    return points, np.array(triangles)


def skin_uv(p: np.ndarray) -> np.ndarray:
    """Returns texture coordinates: around the vertical axis, mirrored at the front and the back, and down."""
    around = np.abs(np.arctan2(p[:, 0], p[:, 2] + 0.02)) / np.pi
    return np.stack([0.02 + 0.96 * around, 0.02 + 0.88 * (1 - np.clip(p[:, 1] / 1.32, 0, 1))], axis=-1)


SWATCH = {"white": 0.1, "black": 0.3, "mouth": 0.5, "horn": 0.7, "light": 0.9}
"""The places of plain colours in the lowest row of the texture."""


def swatch(name: str, count: int) -> np.ndarray:
    return np.tile([SWATCH[name], 0.965], (count, 1))


def ball(centre, radii, rings: int = 5, sides: int = 8) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns points, normals and triangles of an ellipsoid with its pole towards +z."""
    points, triangles = [], []
    for ring in range(rings + 1):
        polar = np.pi * ring / rings * 0.62
        for s in range(sides):
            a = 2 * np.pi * s / sides
            points.append([np.sin(polar) * np.cos(a), np.sin(polar) * np.sin(a), np.cos(polar)])
    for ring in range(rings):
        for s in range(sides):
            a, b = ring * sides + s, ring * sides + (s + 1) % sides
            if ring:
                triangles.append([a, a + sides, b])
            triangles.append([b, a + sides, b + sides])
    unit = np.array(points)
    return unit * radii + centre, unit, np.array(triangles)


def on_face(x: float, y: float) -> np.ndarray:
    """Returns the point of the face at x and y."""
    low, high = 0.0, 0.6
    for _ in range(40):
        z = (low + high) / 2
        low, high = (z, high) if distance(np.array([x, y, z])) < 0 else (low, z)
    return np.array([x, y, low])


def mouth(smile: float, count: int = 11) -> np.ndarray:
    """Returns the points of the strip that is the mouth."""
    points = []
    for t in np.linspace(-1, 1, count):
        x, y = (0.105 + 0.02 * smile) * t, 0.87 + smile * 0.055 * (t * t - 0.25) - 0.008 * (1 - t * t)
        width = (0.007 + 0.012 * smile * (1 - t * t)) * (1 - 0.55 * t * t)
        for dy in (width, -width):
            p = on_face(x, y + dy)
            points.append(p + 0.004 * gradient(p))
    return np.array(points)


def character() -> dict[str, np.ndarray]:
    points, triangles = skin_surface(0.074)
    parts = [(points, gradient(points), skin_uv(points), triangles, None)]
    for sign in (1, -1):
        centre = np.array([0.105 * sign, 1.03, 0.215])
        for offset, radii, colour in (((0, 0, 0), (0.062, 0.075, 0.05), "white"), ((0.004 * sign, -0.004, 0.017), (0.036, 0.047, 0.042), "black"), ((0.014, 0.018, 0.048), (0.012, 0.014, 0.014), "light")):
            p, n, t = ball(centre + offset, radii, *((3, 6) if colour == "light" else (4, 10)))
            parts.append((p, n, swatch(colour, len(p)), t, "head"))
    for bone, base, tip, radius in SPIKES:
        p, n, t = spike(base, tip, radius)
        parts.append((p, n, swatch("horn", len(p)), t, bone))
    p = mouth(0.15)
    strip = [[i, i + 1, i + 2] if i % 2 == 0 else [i + 1, i, i + 2] for i in range(len(p) - 2)]
    parts.append((p, gradient(p), swatch("mouth", len(p)), np.array(strip), "head"))
    first = sum(len(part[0]) for part in parts[:-1])
    rest = len(parts[0][0])
    rigid = [np.tile(np.eye(len(NAMES))[NAMES.index(part[4])], (len(part[0]), 1)) for part in parts[1:]]
    weights = np.concatenate([skin_weights(points), *rigid])
    offsets = np.cumsum([0] + [len(part[0]) for part in parts[:-1]])
    smile = np.zeros((first + len(p), 3))
    smile[first:] = mouth(1.0) - p
    cheek = np.exp(-(((np.abs(points[:, 0]) - 0.13) / 0.05) ** 2 + ((points[:, 1] - 0.915) / 0.05) ** 2 + ((points[:, 2] - 0.25) / 0.08) ** 2))
    smile[:rest] = cheek[:, None] * np.array([0, 0.016, 0.008])
    smile[np.linalg.norm(smile, axis=1) < 1e-3] = 0
    flat = [np.concatenate([part[i] for part in parts]) for i in range(3)]
    return {
        "positions": flat[0],
        "normals": flat[1],
        "uvs": flat[2],
        "triangles": np.concatenate([part[3] + offset for part, offset in zip(parts, offsets, strict=True)]),
        "weights": weights,
        "smile": smile,
    }


THICK = {"hips": 0.2, "spine": 0.2, "chest": 0.16, "head": 0.2, "tail": 0.08, "arm": 0.065, "hand": 0.06, "leg": 0.12, "shin": 0.09, "foot": 0.07}
"""The distance of the skin from the bones."""


def skin_weights(p: np.ndarray) -> np.ndarray:
    """Returns the weight of each bone for each point, from the distances to the bones."""
    places = {name: np.array(place, float) for name, _, place in BONES}
    near = []
    for name, _, _ in BONES:
        children = [places[child] for child, parent, _ in BONES if parent == name]
        ends = [np.array(TIPS[name], float)] if name in TIPS else children
        if name in ("hips", "chest"):
            ends = [places["spine" if name == "hips" else "head"]]
        far = np.min([cone(p, places[name], end + 1e-6, 0, 0) for end in ends], axis=0)
        near.append(np.full(len(p), 9.0) if name == "root" else far - THICK.get(name.split("_")[0], 0.1))
    near = np.stack(near, axis=-1)
    weights = np.exp(-(((near - near.min(axis=1, keepdims=True)) / 0.045) ** 2))
    weights[weights < 0.04] = 0
    order = np.argsort(-weights, axis=1)[:, 4:]
    np.put_along_axis(weights, order, 0, axis=1)
    return weights / weights.sum(axis=1, keepdims=True)


def turn(x: float = 0, y: float = 0, z: float = 0) -> np.ndarray:
    """Returns a quaternion: turns about x, then y, then z."""
    q = np.array([0.0, 0, 0, 1])
    for axis, angle in ((0, x), (1, y), (2, z)):
        r = np.zeros(4)
        r[axis], r[3] = np.sin(angle / 2), np.cos(angle / 2)
        v, w, u, s = r[:3], r[3], q[:3], q[3]
        q = np.append(w * u + s * v + np.cross(v, u), w * s - v @ u)
    return q


def idle(t: float) -> tuple[dict, float, float]:
    a = np.pi * t
    pose = {
        "spine": turn(0.03 * np.sin(a)),
        "chest": turn(0.04 * np.sin(a - 0.4)),
        "head": turn(-0.05 * np.sin(a - 0.5), 0.12 * np.sin(a)),
        "tail_1": turn(0, 0.16 * np.sin(a)),
        "tail_2": turn(0, 0.2 * np.sin(a - 0.7)),
        "tail_3": turn(0.05, 0.24 * np.sin(a - 1.4)),
    }
    for side, sign in (("l", 1), ("r", -1)):
        pose[f"arm_{side}"] = turn(0.05 * np.sin(a), 0, -sign * (0.12 + 0.04 * np.sin(a)))
        pose[f"hand_{side}"] = turn(0, 0, -sign * 0.08 * np.sin(a))
    return pose, 0.004 * np.sin(a), 0.0


def walk(t: float) -> tuple[dict, float, float]:
    a = 2 * np.pi * t
    pose = {
        "hips": turn(0.06, 0.1 * np.sin(a), 0.05 * np.sin(a)),
        "spine": turn(0.02, -0.08 * np.sin(a)),
        "chest": turn(0.02, -0.1 * np.sin(a), -0.04 * np.sin(a)),
        "head": turn(-0.08 + 0.04 * np.cos(2 * a), 0.08 * np.sin(a)),
        "tail_1": turn(0.05, -0.22 * np.sin(a)),
        "tail_2": turn(0, -0.25 * np.sin(a - 0.6)),
        "tail_3": turn(0, -0.28 * np.sin(a - 1.2)),
    }
    for side, sign in (("l", 1), ("r", -1)):
        s, c = sign * np.sin(a), sign * np.cos(a)
        pose[f"leg_{side}"] = turn(-0.62 * s)
        pose[f"shin_{side}"] = turn(0.75 * max(0.0, c) + 0.08)
        pose[f"foot_{side}"] = turn(0.3 * s - 0.25 * max(0.0, c))
        pose[f"arm_{side}"] = turn(0.55 * s, 0, -sign * 0.15)
        pose[f"hand_{side}"] = turn(-0.25 + 0.15 * s)
    return pose, 0.022 * np.cos(2 * a), 0.0


def wave(t: float) -> tuple[dict, float, float]:
    pose, lift, _ = idle(t)
    up = np.clip(min(t, 2 - t) / 0.35, 0, 1)
    up = up * up * (3 - 2 * up)
    swing = np.sin(2 * np.pi * 2 * (t - 0.3)) * up
    pose["arm_r"] = turn(0, 0.25 * up, -1.45 * up + 0.12 * (1 - up))
    pose["hand_r"] = turn(0, 0, -0.55 * up + 0.5 * swing)
    pose["head"] = turn(-0.06 * up, 0.1 * up, 0.16 * up + 0.03 * swing)
    pose["chest"] = turn(0, 0, -0.06 * up)
    return pose, lift, up


CLIPS = {"idle": (idle, 2.0), "walk": (walk, 1.0), "wave": (wave, 2.0)}


class Glb:
    """A glTF file with one buffer."""

    def __init__(self) -> None:
        self.bytes, self.views, self.accessors = b"", [], []

    def add(self, values: np.ndarray, kind: str, component: int = 5126, bounds: bool = False) -> int:
        dtype = {5126: "<f4", 5125: "<u4", 5123: "<u2", 5121: "u1"}[component]
        data = np.ascontiguousarray(values, dtype=dtype)
        own = {"bufferView": self.view(data.tobytes()), "componentType": component, "count": len(data), "type": kind}
        if bounds:
            rows = data.reshape(len(data), -1)
            own |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self.accessors.append(own)
        return len(self.accessors) - 1

    def view(self, data: bytes) -> int:
        self.views.append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)})
        self.bytes += data + b"\0" * (-len(data) % 4)
        return len(self.views) - 1

    def write(self, path: Path, document: dict) -> None:
        document |= {"asset": {"version": "2.0"}, "buffers": [{"byteLength": len(self.bytes)}], "bufferViews": self.views, "accessors": self.accessors}
        text = json.dumps(document, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(self.bytes), 0x004E4942) + self.bytes
        path.write_bytes(struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks)


def texture() -> np.ndarray:
    """Returns the pixels of the texture: skin with a belly, stripes and spots, and plain colours in the lowest rows."""
    v, u = (np.mgrid[0:TEXTURE, 0:TEXTURE] + 0.5) / TEXTURE
    height = (0.9 - v) / 0.88
    base, dark, belly = np.array([62, 160, 148.0]), np.array([34, 108, 118.0]), np.array([246, 226, 170.0])
    shade = np.clip((u - 0.15) / 0.85, 0, 1)[..., None]
    image = base + (dark - base) * shade**1.5
    stripes = np.clip(4 * (np.sin(height * 46 + 0.6 * np.sin(u * 9)) - 0.55), 0, 1) * np.clip((u - 0.62) / 0.2, 0, 1) * (height < 0.72)
    image += (np.array([28, 84, 100.0]) - image) * 0.7 * stripes[..., None]
    numbers = np.random.default_rng(7)
    for _ in range(34):
        cu, cv, r = numbers.uniform(0.35, 0.95), numbers.uniform(0.04, 0.72), numbers.uniform(0.008, 0.022)
        spot = np.clip(1.6 - np.hypot((u - cu) * 0.7, v - cv) / r, 0, 1)
        image += (np.array([112, 206, 178.0]) - image) * 0.75 * spot[..., None]
    tummy = np.clip((0.19 - 0.12 * np.abs(height - 0.42) - u) / 0.035, 0, 1) * np.clip((height - 0.2) / 0.05, 0, 1) * np.clip((0.62 - height) / 0.04, 0, 1)
    bands = 1 - 0.09 * (np.sin(height * 85) > 0.55)
    image += (belly * bands[..., None] - image) * tummy[..., None]
    muzzle = np.clip((0.16 - u) / 0.04, 0, 1) * np.clip((height - 0.62) / 0.02, 0, 1) * np.clip((0.735 - height) / 0.02, 0, 1)
    image += (np.array([132, 208, 180.0]) - image) * 0.55 * muzzle[..., None]
    image += (np.array([244, 186, 96.0]) - image) * (np.clip((height - 0.93) / 0.03, 0, 1))[..., None]
    low = v > 0.93
    for name, colour in {"white": (250, 250, 246), "black": (24, 26, 34), "mouth": (120, 36, 52), "horn": (244, 186, 96), "light": (255, 255, 255)}.items():
        image[low & (np.abs(u - SWATCH[name]) < 0.1)] = colour
    return np.clip(image, 0, 255).astype(np.uint8)


def png(pixels: np.ndarray) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def main(target: Path, image: Path) -> None:
    own, file = character(), Glb()
    places = {name: np.array(place, float) for name, _, place in BONES}
    nodes: list[dict] = []
    for name, parent, place in BONES:
        node = {"name": name, "translation": (np.array(place, float) - (places[parent] if parent else 0)).tolist()}
        children = [NAMES.index(child) for child, above, _ in BONES if above == name]
        nodes.append(node | ({"children": children} if children else {}))
    inverse = np.tile(np.eye(4), (len(BONES), 1, 1))
    inverse[:, 3, :3] = [-places[name] for name in NAMES]
    joints = np.argsort(-own["weights"], axis=1)[:, :4]
    weights = np.take_along_axis(own["weights"], joints, axis=1)
    joints[weights == 0] = 0
    attributes = {
        "POSITION": file.add(own["positions"], "VEC3", bounds=True),
        "NORMAL": file.add(own["normals"], "VEC3"),
        "TEXCOORD_0": file.add(own["uvs"], "VEC2"),
        "JOINTS_0": file.add(joints, "VEC4", 5121),
        "WEIGHTS_0": file.add(weights, "VEC4"),
    }
    smile = file.add(own["smile"], "VEC3", bounds=True)
    primitive = {"attributes": attributes, "indices": file.add(own["triangles"].reshape(-1), "SCALAR", 5123), "material": 0, "targets": [{"POSITION": smile}]}
    animations = []
    for name, (pose_at, seconds) in CLIPS.items():
        times = np.arange(int(seconds * RATE) + 1) / RATE
        poses = [pose_at(float(t)) for t in times]
        clock = file.add(times, "SCALAR", bounds=True)
        channels, samplers = [], []

        def channel(node: int, path: str, values: np.ndarray, kind: str) -> None:
            channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
            samplers.append({"input": clock, "output": file.add(values, kind)})

        for bone in poses[0][0]:
            channel(NAMES.index(bone), "rotation", np.array([pose[0][bone] for pose in poses]), "VEC4")
        hips = places["hips"]
        channel(NAMES.index("hips"), "translation", np.array([hips + [0, pose[1], 0] for pose in poses]), "VEC3")
        if any(pose[2] for pose in poses):
            channel(len(BONES), "weights", np.array([pose[2] for pose in poses]), "SCALAR")
        animations.append({"name": name, "channels": channels, "samplers": samplers})
    pixels = png(texture())
    image.write_bytes(pixels)
    file.write(
        target,
        {
            "scene": 0,
            "scenes": [{"nodes": [0, len(BONES)]}],
            "nodes": [*nodes, {"name": "body", "mesh": 0, "skin": 0}],
            "meshes": [{"name": "body", "primitives": [primitive], "extras": {"targetNames": ["smile"]}}],
            "skins": [{"joints": list(range(len(BONES))), "skeleton": 0, "inverseBindMatrices": file.add(inverse, "MAT4")}],
            "materials": [{"name": "dragon", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicFactor": 0, "roughnessFactor": 0.8}}],
            "textures": [{"source": 0}],
            "images": [{"uri": image.name, "name": image.stem}],
            "animations": animations,
        },
    )
    print(len(own["positions"]), "vertices,", len(own["triangles"]), "triangles")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
