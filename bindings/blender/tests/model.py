# SPDX-License-Identifier: GPL-3.0-or-later
"""A model of our own in every family: a plant with leaves whose stem sways, for tests and for the pictures of the manual.

    python model.py FOLDER
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import bindpose
import numpy as np

SEGMENTS, SIDES, BONES, FRAMES, RATE = 24, 20, 6, 31, 30
HEIGHT = 2.0

SETS = {
    "ms3d": ["plant.ms3d"],
    "psk": ["plant.psk", "plant.psa"],
    "unigine": ["plant.mesh", "plant.anim"],
    "directx": ["plant.x"],
    "cal3d": ["plant.csf", "plant.cmf", "plant.crf", "plant.caf"],
    "max": ["plant.max-skeleton.skel", "plant.max-mesh.mesh", "plant.max-animation.anim"],
    "iqm": ["plant.iqm"],
}
"""The files of the model by family."""


def stem() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Returns positions, normals, texture coordinates and triangles of a tube with leaves, along Y."""
    positions, normals, uvs, triangles = [], [], [], []
    for ring in range(SEGMENTS + 1):
        share = ring / SEGMENTS
        radius = 0.16 * (1 - share) ** 0.7 + 0.03 + 0.02 * np.sin(share * 40)
        for side in range(SIDES):
            angle = 2 * np.pi * side / SIDES
            normal = np.array([np.cos(angle), 0.1, np.sin(angle)])
            positions.append([radius * np.cos(angle), HEIGHT * share, radius * np.sin(angle)])
            normals.append(normal / np.linalg.norm(normal))
            uvs.append([side / SIDES, share])
    for ring in range(SEGMENTS):
        for side in range(SIDES):
            a, b = ring * SIDES + side, ring * SIDES + (side + 1) % SIDES
            triangles += [[a, a + SIDES, b], [b, a + SIDES, b + SIDES]]
    for leaf in range(14):
        share, angle = 0.2 + 0.055 * leaf, leaf * 2.4
        out, base = np.array([np.cos(angle), 0.0, np.sin(angle)]), np.array([0, HEIGHT * share, 0])
        across = np.cross(out, [0, 1, 0])
        length = 0.55 * (1.15 - share)
        first = len(positions)
        for step in range(7):
            t = step / 6
            centre = base + out * (0.08 + length * t) + np.array([0, 1, 0]) * (0.35 * length * np.sin(2.6 * t))
            width = 0.16 * length * np.sin(np.pi * min(t * 0.95 + 0.05, 1.0)) * 1.6
            slope = np.array([0, 1, 0]) * 0.9 - out * 0.35
            for sign in (-1, 1):
                positions.append(centre + across * width * sign + [0, 0.25 * width, 0])
                normals.append(slope / np.linalg.norm(slope))
                uvs.append([0.5 + 0.5 * sign, t])
        for step in range(6):
            a = first + 2 * step
            triangles += [[a, a + 1, a + 2], [a + 1, a + 3, a + 2], [a, a + 2, a + 1], [a + 1, a + 2, a + 3]]
    own = (np.array(positions, np.float32), np.array(normals, np.float32), np.array(uvs, np.float32))
    return *own, np.array(triangles, np.uint16)


def glb() -> bytes:
    """Returns the model as glTF."""
    positions, normals, uvs, triangles = stem()
    length = HEIGHT / BONES
    place = np.clip(positions[:, 1] / length - 0.5, 0, BONES - 1)
    low = np.minimum(place.astype(int), BONES - 2)
    joints = np.stack([low, low + 1, low * 0, low * 0], axis=1).astype(np.uint8)
    weights = np.zeros((len(positions), 4), np.float32)
    weights[:, 1] = place - low
    weights[:, 0] = 1 - weights[:, 1]
    binds = np.tile(np.eye(4, dtype=np.float32), (BONES, 1, 1))
    binds[:, 3, 1] = -length * np.arange(BONES)
    times = (np.arange(FRAMES) / RATE).astype(np.float32)
    data, views, accessors = bytearray(), [], []

    def accessor(values: np.ndarray, kind: str, code: int) -> int:
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": values.nbytes})
        own = {"bufferView": len(views) - 1, "componentType": code, "count": len(values), "type": kind}
        if kind in {"VEC3", "SCALAR"}:
            flat = values.reshape(len(values), -1)
            own |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        accessors.append(own)
        data.extend(values.tobytes())
        data.extend(b"\0" * (-len(data) % 4))
        return len(accessors) - 1

    attributes = {
        "POSITION": accessor(positions, "VEC3", 5126),
        "NORMAL": accessor(normals, "VEC3", 5126),
        "TEXCOORD_0": accessor(uvs, "VEC2", 5126),
        "JOINTS_0": accessor(joints, "VEC4", 5121),
        "WEIGHTS_0": accessor(weights, "VEC4", 5126),
    }
    count = (SEGMENTS * SIDES) * 2
    parts = [accessor(part.reshape(-1), "SCALAR", 5123) for part in (triangles[:count], triangles[count:])]
    inverse = accessor(binds.reshape(-1, 16), "MAT4", 5126)
    time = accessor(times, "SCALAR", 5126)
    samplers, channels = [], []
    for bone in range(BONES):
        phase = times * 2 * np.pi - bone * 0.7
        angles = np.stack([0.1 * np.sin(phase), 0.08 * np.cos(phase), 0.1 * np.cos(phase)], axis=1)
        half = np.linalg.norm(angles, axis=1, keepdims=True) / 2
        turns = np.concatenate([angles / (2 * half) * np.sin(half), np.cos(half)], axis=1).astype(np.float32)
        samplers.append({"input": time, "output": accessor(turns, "VEC4", 5126)})
        channels.append({"sampler": bone, "target": {"node": bone, "path": "rotation"}})
    nodes = [
        {"name": f"stem_{bone}", "translation": [0, length if bone else 0, 0]} | ({"children": [bone + 1]} if bone + 1 < BONES else {})
        for bone in range(BONES)
    ]
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, BONES]}],
        "nodes": [*nodes, {"name": "plant", "mesh": 0, "skin": 0}],
        "skins": [{"joints": list(range(BONES)), "inverseBindMatrices": inverse}],
        "materials": [
            {"name": "bark", "pbrMetallicRoughness": {"baseColorFactor": [0.25, 0.13, 0.05, 1.0]}},
            {"name": "leaf", "pbrMetallicRoughness": {"baseColorFactor": [0.05, 0.3, 0.04, 1.0]}},
        ],
        "meshes": [
            {"name": "plant", "primitives": [{"attributes": attributes, "indices": part, "material": own} for own, part in enumerate(parts)]}
        ],
        "animations": [{"name": "sway", "samplers": samplers, "channels": channels}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(data)}],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    total = 12 + 8 + len(text) + 8 + len(data)
    return struct.pack("<4sIIII", b"glTF", 2, total, len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + bytes(data)


def write(folder: Path) -> dict[str, list[Path]]:
    """Writes the model in every family, and returns the files."""
    scene = bindpose.scene(glb())
    written = {}
    for family, names in SETS.items():
        own = folder / family
        own.mkdir(parents=True, exist_ok=True)
        written[family] = list(scene.write(*[own / name for name in names], rate=RATE).paths)
    return written


if __name__ == "__main__":
    for paths in write(Path(sys.argv[1])).values():
        print(*paths)
