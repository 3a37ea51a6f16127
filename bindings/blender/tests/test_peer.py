# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of PSK and PSA files agree with io_scene_psk_psa, an add-on by others: https://github.com/DarklightGames/io_scene_psk_psa.

BINDPOSE_PSK_ADDON is the folder that contains its folder `io_scene_psk_psa`, of version 7.1.0 (tag `blender-4.2`) for Blender 4.2, or of 9.1.2
for 5.x with the wheel that comes with it. 7.1.0 ignores scale keys.
"""

from __future__ import annotations

import importlib
import itertools
import os
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import bindpose
import bpy
import headless
import numpy as np
import pytest
from conftest import SAMPLES

WHERE = "BINDPOSE_PSK_ADDON"
SETS = {
    "plant": None,
    "dragon": ("character/dragon.psk", "character/dragon.psa"),
    "set": ("corpus/psk/set.psk", "corpus/psk/set.psa"),
}


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The package of the add-on."""
    folder = os.environ.get(WHERE)
    if not folder:
        pytest.skip(f"io_scene_psk_psa is not there: {WHERE} names the folder that contains it")
    unpacked = tmp_path_factory.mktemp("wheels")
    for wheel in Path(folder, "io_scene_psk_psa", "wheels").glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(unpacked)
    added = [folder, str(unpacked)]
    sys.path[:0] = added
    yield importlib.import_module("io_scene_psk_psa")
    sys.path[:] = [own for own in sys.path if own not in added]


def module_of(peer: ModuleType, name: str) -> Any:
    return importlib.import_module(f"{peer.__name__}.{name}")


def load(peer: ModuleType, psk: Path, psa: Path) -> tuple[Any, Any, list[str]]:
    """Imports files with the add-on; returns armature, mesh and the names of sequences."""
    models, clips = module_of(peer, "psk.importer"), module_of(peer, "psa.importer")
    options = models.PskImportOptions()
    options.should_import_materials = False
    if hasattr(options, "name"):
        # 7.1.0
        options.name = "peer"
        data = module_of(peer, "psk.reader").read_psk(str(psk))
        result = models.import_psk(data, bpy.context, options)
        reader = module_of(peer, "psa.reader").PsaReader(str(psa))
    else:
        data = importlib.import_module("psk_psa_py.psk.reader").read_psk_from_file(str(psk))
        result = models.import_psk(data, bpy.context, "peer", options)
        reader = importlib.import_module("psk_psa_py.psa.reader").PsaReader.from_path(str(psa))
    armature = next(own for own in bpy.data.objects if own.type == "ARMATURE" and own.name.startswith("peer"))
    mesh = next(own for own in bpy.data.objects if own.type == "MESH" and own.find_armature() == armature)
    chosen = clips.PsaImportOptions()
    chosen.sequence_names = list(reader.sequences)
    chosen.should_write_metadata = False
    clips.import_psa(bpy.context, reader, armature, chosen)
    assert result is not None
    return armature, mesh, chosen.sequence_names


def frames_of(action: Any) -> list[float]:
    """Returns the frames of the keys of an action."""
    curve = max(headless.actions.channels_of(action), key=lambda own: len(own.keyframe_points))
    return [point.co[0] for point in curve.keyframe_points]


def at(thing: Any, frame: float) -> np.ndarray:
    bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1))
    return headless.evaluated(thing).astype(np.float64)


def rotations() -> Iterator[np.ndarray]:
    """Yields the rotations by right angles."""
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1, -1), repeat=3):
            matrix = np.zeros((3, 3))
            matrix[range(3), order] = signs
            if np.linalg.det(matrix) > 0:
                yield matrix


def nearest(points: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, float]:
    """Returns the nearest other point for each one, and the largest distance."""
    distances = np.linalg.norm(points[:, None] - others[None], axis=2)
    return distances.argmin(axis=1), float(distances.min(axis=1).max())


class Aligned:
    """What the other add-on shows of files, in the axes and the unit in which ours shows them, and in the order of its vertices."""

    def __init__(self, peer: ModuleType, paths: list[Path]) -> None:
        self.armature, self.mesh, self.sequences = load(peer, *paths)
        (self.collection,), _ = headless.load(*paths)
        self.own = next(thing for thing in self.collection.objects if thing.type == "MESH")
        headless.clear(self.collection)
        rest, other_rest = at(self.own, 0), at(self.mesh, 0)
        self.size = float(np.ptp(rest, axis=0).max())
        scale = self.size / float(np.ptp(other_rest, axis=0).max())
        self._turn = min(rotations(), key=lambda matrix: nearest(rest, other_rest @ matrix.T * scale)[1]) * scale
        self._pairs, self.apart = nearest(rest, other_rest @ self._turn.T)

    def shown(self, frame: float) -> np.ndarray:
        return (at(self.mesh, frame) @ self._turn.T)[self._pairs]

    def poses(self) -> Iterator[tuple[Any, str, int, float, np.ndarray]]:
        """Yields our action, the sequence, the number of a key, the frame of ours, and the vertices of the other add-on."""
        actions = [action for _, action in _actions(self.collection)]
        assert len(actions) == len(self.sequences)
        for action, sequence in zip(actions, self.sequences, strict=True):
            ours, theirs = frames_of(action), frames_of(bpy.data.actions[sequence])
            step = (ours[-1] - ours[0]) / max(len(theirs) - 1, 1)
            count = min(len(ours), len(theirs))
            for key in sorted({0, count // 3, count - 1}):
                headless.actions.assign(bpy.data.actions[sequence], self.armature)
                yield action, sequence, key, ours[0] + key * step, self.shown(theirs[key])


def files_of(models: dict[str, list[Path]], name: str) -> list[Path]:
    files = SETS[name]
    # Both read files without those beside them.
    return models["psk"] if files is None else [SAMPLES / own for own in files]


@pytest.mark.parametrize("name", list(SETS))
def test_poses_are_those_of_the_other_add_on(peer: ModuleType, models: dict[str, list[Path]], name: str) -> None:
    paths = files_of(models, name)
    other = Aligned(peer, paths)
    assert len(other.sequences) == len(bindpose.scene(*paths, sidecars=False).clips)
    assert other.apart < 1e-4 * other.size, "the rest poses are the same, but for axes and unit"
    rig = next(thing for thing in other.collection.objects if thing.type == "ARMATURE")
    for action, _, _, frame, expected in other.poses():
        headless.actions.assign(action, rig)
        assert float(np.linalg.norm(at(other.own, frame) - expected, axis=1).max()) / other.size < 1e-4


RECORD = SAMPLES / "witnesses" / "io_scene_psk_psa.txt"
"""What the other add-on shows of the sample character, in the notation of `tests/peers/witnesses.py`."""
STEP = 23
"""Every so many vertices are kept."""


def recorded(peer: ModuleType) -> Iterator[str]:
    """Yields the lines of the record."""
    paths = files_of({}, "dragon")
    version = tomllib.loads(Path(os.environ[WHERE], "io_scene_psk_psa", "blender_manifest.toml").read_text())["version"]
    other = Aligned(peer, paths)
    yield f"# io_scene_psk_psa {version} in Blender {bpy.app.version_string}, turned and scaled to the axes of glTF and metres"
    yield f"files {' '.join(path.name for path in paths)}"
    headless.actions.assign(bpy.data.actions[other.sequences[0]], other.armature)
    other.armature.animation_data.action = None
    for bone in other.armature.pose.bones:
        bone.matrix_basis.identity()
    render = bpy.context.scene.render
    own = [("rest", other.shown(0))]
    own += [(f"{sequence} {frame * render.fps_base / render.fps:.6g}", shown) for _, sequence, _, frame, shown in other.poses()]
    for name, shown in own:
        yield f"pose {name}"
        for place in shown[::STEP] @ headless.space.TO_BLENDER[:3, :3]:
            yield "corner " + " ".join(f"{number:.6g}" for number in place + 0.0)


def places(lines: list[str]) -> np.ndarray:
    return np.array([line.split()[1:] for line in lines if line.startswith("corner ")], np.float64)


def test_the_record_is_that_of_the_other_add_on(peer: ModuleType) -> None:
    lines = list(recorded(peer))
    if os.environ.get("BLESS"):
        RECORD.write_text("\n".join(lines) + "\n")
    known = RECORD.read_text().splitlines()
    assert [line for line in lines[1:] if not line.startswith("corner")] == [line for line in known[1:] if not line.startswith("corner")]
    assert np.abs(places(lines) - places(known)).max() < 1e-5


def test_poses_are_the_recorded_ones() -> None:
    lines = RECORD.read_text().splitlines()
    paths = [SAMPLES / "character" / name for name in lines[1].split()[1:]]
    (collection,), _ = headless.load(*paths)
    rig = next(thing for thing in collection.objects if thing.type == "ARMATURE")
    mesh = next(thing for thing in collection.objects if thing.type == "MESH")
    render = bpy.context.scene.render
    starts = [number for number, line in enumerate(lines) if line.startswith("pose ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        name, _, seconds = lines[start].removeprefix("pose ").partition(" ")
        headless.clear(collection)
        if name != "rest":
            headless.actions.assign(bpy.data.actions[name], rig)
        shown = at(mesh, float(seconds or 0) * render.fps / render.fps_base)[::STEP] @ headless.space.TO_BLENDER[:3, :3]
        assert np.abs(shown - places(lines[start:end])).max() < 2e-5, name
    assert len(starts) > 3


def _actions(collection: Any) -> list[tuple[Any, Any]]:
    own = [action for action in bpy.data.actions if headless.actions.CLIP in action and headless.meshes.MESH not in action]
    return sorted(((list(action[headless.actions.CLIP]), action) for action in own), key=lambda pair: pair[0])
