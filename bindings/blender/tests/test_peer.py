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


@pytest.mark.parametrize("name", list(SETS))
def test_poses_are_those_of_the_other_add_on(peer: ModuleType, models: dict[str, list[Path]], name: str) -> None:
    files = SETS[name]
    paths = models["psk"] if files is None else [SAMPLES / own for own in files]
    scene = bindpose.scene(*paths, sidecars=False)
    if name != "plant":
        # Both read files without those beside them.
        paths = [path for path in paths if path.suffix in {".psk", ".psa"}]
    armature, mesh, sequences = load(peer, *paths)
    (collection,), _ = headless.load(*paths)
    own = next(thing for thing in collection.objects if thing.type == "MESH")
    rig = next(thing for thing in collection.objects if thing.type == "ARMATURE")
    clips = {tuple(clip): action for clip, action in _actions(collection)}
    assert len(clips) == len(scene.clips) == len(sequences)
    headless.clear(collection)
    rest, other_rest = at(own, 0), at(mesh, 0)
    size = float(np.ptp(rest, axis=0).max())
    scale = size / float(np.ptp(other_rest, axis=0).max())
    turn = min(rotations(), key=lambda matrix: nearest(rest, other_rest @ matrix.T * scale)[1])
    pairs, apart = nearest(rest, other_rest @ turn.T * scale)
    assert apart < 1e-4 * size, "the rest poses are the same, but for axes and unit"
    worst = 0.0
    for action, sequence in zip(clips.values(), sequences, strict=True):
        headless.actions.assign(action, rig)
        headless.actions.assign(bpy.data.actions[sequence], armature)
        ours, theirs = frames_of(action), frames_of(bpy.data.actions[sequence])
        count = min(len(ours), len(theirs))
        for key in {0, count // 3, count - 1}:
            step = (ours[-1] - ours[0]) / max(len(theirs) - 1, 1)
            shown = at(own, ours[0] + key * step)
            expected = (at(mesh, theirs[key]) @ turn.T * scale)[pairs]
            worst = max(worst, float(np.linalg.norm(shown - expected, axis=1).max()) / size)
    assert worst < 1e-4


def _actions(collection: Any) -> list[tuple[Any, Any]]:
    own = [action for action in bpy.data.actions if headless.actions.CLIP in action and headless.meshes.MESH not in action]
    return sorted(((list(action[headless.actions.CLIP]), action) for action in own), key=lambda pair: pair[0])
