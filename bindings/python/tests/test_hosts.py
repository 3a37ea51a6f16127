"""The recipes for other programs: their joints, weights and keys move the points as the scene does."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from pathlib import Path
from typing import Any

import bindpose
import numpy as np
import numpy.typing as npt
import pytest
from conftest import SAMPLES

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "recipes"))
import hosts

Array = npt.NDArray[Any]
CHARACTER = SAMPLES / "character"
SETS = [("dragon.psk", "dragon.psa"), ("dragon.x",), ("dragon.ms3d",), ("dragon.iqm",)]


@pytest.fixture(params=SETS, ids=lambda names: names[0])
def scene(request: pytest.FixtureRequest) -> bindpose.Scene:
    return bindpose.scene(*(CHARACTER / name for name in request.param))


def worlds(joints: list[hosts.Joint], local: Array) -> Array:
    """Returns the matrices of bones in the world of the host, for row vectors, as hosts multiply them."""
    found: dict[int, Array] = {}

    def of(index: int) -> Array:
        if index not in found:
            parent = joints[index].parent
            found[index] = local[index] if parent is None else local[index] @ of(parent)
        return found[index]

    return np.array([of(index) for index in range(len(joints))])


def moved(points: Array, weights: Array, bind: Array, posed: Array) -> Array:
    """Returns the points that a skin of a host shows."""
    skin = np.linalg.inv(bind) @ posed
    points = np.insert(points, 3, 1, axis=1)
    result: Array = np.einsum("vb,vi,bij->vj", weights, points, skin)[:, :3]
    return result


@pytest.mark.parametrize("host", ["maya", "max", "houdini", "unreal"])
def test_a_skin_moves_as_in_the_scene(scene: bindpose.Scene, host: str) -> None:
    axes = {"maya": np.eye(4), "houdini": np.eye(4), "max": hosts.Z_UP, "unreal": hosts.LEFT_HANDED}[host]
    unit = 1.0 if host == "houdini" else hosts.CENTIMETRES
    joints = hosts.joints(scene, axes, unit)
    bind = worlds(joints, np.array([joint.matrix for joint in joints]))
    index = next(place for place, mesh in enumerate(scene.meshes) if mesh.weights is not None)
    own = hosts.geometry(scene, index, axes, unit)
    size = float(np.ptp(own.points, axis=0).max())
    assert own.weights is not None
    # Morph targets move points, too.
    for clip in (clip for clip in scene.clips if not clip.morphs):
        keys = hosts.frames(scene, clip.name, 30.0, axes, unit)
        for frame in (0, len(keys) // 2, len(keys) - 1):
            posed = worlds(joints, keys[frame])
            expected = np.asarray(scene.posed(clip, clip.start + frame / 30)[index].positions, np.float64) @ axes[:3, :3].T * unit
            shown = moved(own.points, own.weights, bind, posed)
            assert np.abs(shown - expected).max() < 1e-6 * size


def test_maya_takes_flat_lists(scene: bindpose.Scene) -> None:
    made = hosts.maya(scene)
    mesh = scene.meshes[0]
    assert np.allclose(np.array(made["points"]) / 100, mesh.positions, atol=1e-4)
    assert sum(made["counts"]) == len(made["connects"]) and max(made["connects"]) < len(made["points"])
    assert len(made["us"]) == len(made["vs"]) in {0, len(made["points"])}
    assert len(made["weights"]) in {0, len(made["points"]) * len(made["joints"])}


def test_3ds_max_takes_indices_from_1(scene: bindpose.Scene) -> None:
    made = hosts.max_mesh(scene)
    assert np.min(made["faces"]) >= 1 and np.max(made["faces"]) <= len(made["points"])
    assert np.min(made["materials"]) >= 1
    assert [joint.name for joint in made["joints"]] == [bone.name for bone in scene.skeleton.bones]
    for bones, values in made["influences"]:
        assert not bones or (min(bones) >= 1 and max(bones) <= len(made["joints"]) and abs(sum(values) - 1) < 1e-3)
    # The height of the scene is that along Z.
    heights = np.asarray(scene.meshes[0].positions)[:, 1] * 100
    assert np.allclose(np.array(made["points"])[:, 2], heights, atol=1e-2)


def test_houdini_takes_clockwise_polygons(scene: bindpose.Scene) -> None:
    made = hosts.houdini(scene)
    corners = np.array(made["P"])[np.array(made["polygons"])]
    theirs = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    ours = np.asarray(scene.meshes[0].positions, np.float64)[scene.meshes[0].triangles]
    outside = np.cross(ours[:, 1] - ours[:, 0], ours[:, 2] - ours[:, 0])
    assert np.allclose(theirs, -outside, atol=1e-6)
    assert len(made["captures"]) == len(made["P"])
    assert all(len(values) % len(made["P"]) == 0 for values in made["attributes"].values())


def test_unreal_takes_a_key_of_each_bone_in_each_frame(scene: bindpose.Scene) -> None:
    keys = hosts.unreal(scene, 0)
    clip = scene.clips[0]
    count = round((clip.end - clip.start) * 30) + 1
    assert list(keys) == list(dict.fromkeys(bone.name for bone in scene.skeleton.bones))
    local = np.swapaxes(hosts.frames(scene, 0, 30.0, hosts.LEFT_HANDED, hosts.CENTIMETRES), -1, -2)
    for index, bone in enumerate(scene.skeleton.bones):
        own = keys[bone.name]
        assert own["translation"].shape == own["scale"].shape == (count, 3)
        assert np.allclose(np.linalg.norm(own["rotation"], axis=1), 1)
        x, y, z, w = own["rotation"].T
        turned = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)], axis=-1)
        assert np.allclose(turned * own["scale"][:, :1], local[:, index, :3, 0], atol=1e-5)


@pytest.mark.parametrize("recipe", ["maya", "max_mesh", "houdini", "unreal"])
def test_the_scripts_for_the_hosts_are_python(recipe: str) -> None:
    text = inspect.getdoc(getattr(hosts, recipe)) or ""
    script = textwrap.dedent("\n".join(line for line in text.splitlines() if line.startswith("    ")))
    names = {node.id for node in ast.walk(ast.parse(script)) if isinstance(node, ast.Name)}
    assert recipe in names and "scene" in names
