"""Scenes that are made of arrays."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import bindpose
import numpy as np
import pytest
from bindpose import Bone, Clip, Curve, Material, Mesh, Morph, MorphTrack, Primitive, Scene, Track
from conftest import all_samples

SQUARE = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]


def character() -> Scene:
    """A strip of two bones, of which the upper one turns, with a smile."""
    half = math.sqrt(0.5)
    bones = [Bone("hip"), Bone("head", parent=0, translation=(0, 1, 0))]
    rows = np.arange(5) / 2
    positions = np.stack([np.tile([-0.5, 0.5], 5), np.repeat(rows, 2), np.zeros(10)], axis=1)
    quads = [[[i, i + 1, i + 3], [i, i + 3, i + 2]] for i in range(0, 8, 2)]
    weights = np.clip(np.repeat(rows, 2), 0, 1)
    mesh = Mesh(
        "body",
        positions=positions,
        normals=np.tile([0, 0, 1], (10, 1)),
        uvs=[positions[:, :2] / 2],
        primitives=[Primitive(material=0, triangles=np.reshape(quads, (-1, 3)))],
        joints=np.tile([0, 1], (10, 1)),
        weights=np.stack([1 - weights, weights], axis=1),
        morphs=[Morph("smile", [8, 9], [[0, 0.1, 0], [0, 0.1, 0]])],
    )
    turn = Curve([0, 1], [[0, 0, 0, 1], [0, 0, half, half]])
    nod = Clip("nod", [Track(1, rotation=turn)], [MorphTrack("smile", Curve([0, 1], [0, 1]))])
    red = Material("skin", color=(1, 0.5, 0.5, 1), textures=["skin.png"])
    return Scene(name="hero", skeleton=bones, meshes=[mesh], materials=[red], clips=[nod])


def test_a_character_made_in_numpy_is_written_to_every_family_and_read_back(tmp_path: Path) -> None:
    hero = character()
    for paths in [
        ["hero.ms3d"],
        ["hero.psk", "hero.psa"],
        ["hero.x"],
        ["hero.csf", "hero.cmf", "hero.caf"],
        ["hero.mesh_skinned", "hero.anim", "hero.skeleton"],
        ["hero.glb"],
    ]:
        written = hero.write(*(tmp_path / path for path in paths))
        again = bindpose.scene(*written.paths)
        top = max(mesh.positions[:, 1].max() for mesh in again.posed("nod" if len(again.clips) > 1 else again.clips[0], 1.0))
        expected = hero.posed("nod", 1.0)[0].positions[:, 1].max()
        assert abs(top - expected) < 2e-3, (paths, top, expected)


@pytest.mark.parametrize("path", all_samples(), ids=lambda path: path.name)
def test_a_scene_made_of_the_parts_of_another_is_equal(path: Path) -> None:
    try:
        own = bindpose.scene(path)
    except bindpose.BindposeError:
        pytest.skip("no scene")
    parts: dict[str, Any] = {name: getattr(own, name) for name in ["skeleton", "meshes", "materials", "clips", "attachments"]}
    made = Scene(name=own.name, **parts)
    for mine, other in zip(made.meshes, own.meshes, strict=True):
        for field, expected in other._asdict().items():
            got = getattr(mine, field)
            if isinstance(expected, np.ndarray):
                np.testing.assert_allclose(got, expected, rtol=1e-6, err_msg=field)
            elif field not in ["uvs", "primitives", "morphs"]:
                assert got == expected, field
        assert [len(own.vertices) for own in mine.morphs] == [len(own.vertices) for own in other.morphs]
    # As text: numbers can be NaN.
    assert repr((made.materials, made.attachments)) == repr((own.materials, own.attachments))
    assert [bone.name for bone in made.skeleton.bones] == [bone.name for bone in own.skeleton.bones]
    for index, clip in enumerate(own.clips):
        times = [clip.start, (clip.start + clip.end) / 2, clip.end]
        np.testing.assert_allclose(made.clips[index].sample(times).model, clip.sample(times).model, rtol=1e-5, atol=1e-6)
    assert own.replace().to_glb() == own.to_glb()


def test_parts_that_are_replaced_leave_the_others(hero: Path) -> None:
    own = bindpose.scene(hero)
    made = own.replace(clips=[], name="still")
    assert (made.name, len(made.clips), len(own.clips)) == ("still", 0, 1)
    assert made.meshes[0].positions.tolist() == own.meshes[0].positions.tolist()
    with pytest.raises(AttributeError):
        own.meshes.clear()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"meshes": [Mesh(positions=SQUARE, triangles=[[0, 1, 9]])]}, r"meshes\[0\].primitives\[0\].triangles\[0\]: refers to vertex 9"),
        ({"meshes": [Mesh(positions=[[0, 0], [1, 1]])]}, r"meshes\[0\].positions: expected an array of rows of 3"),
        ({"meshes": [Mesh(positions=SQUARE, normals=[[0, 0, 1]])]}, r"meshes\[0\].normals: has 1 value"),
        ({"meshes": [Mesh(positions=SQUARE, triangles=[[0, 1, -1]])]}, r"meshes\[0\].triangles: expected integers"),
        ({"meshes": [Mesh(positions=[["a", "b", "c"]])]}, r"meshes\[0\].positions: "),
        ({"skeleton": [Bone("a", parent=3)]}, r"skeleton\[0\].parent"),
        ({"skeleton": [Bone("a", parent=1), Bone("b", parent=0)]}, r"parent"),
        ({"clips": [Clip("c", [Track(4)])]}, r"clips\[0\].tracks\[0\].bone: refers to bone 4"),
        ({"meshes": [Mesh(positions=SQUARE, primitives=[Primitive(material=0)])]}, r"material: refers to material 0"),
        ({"materials": [Material("m", alpha="glass")]}, r"materials\[0\].alpha: unknown blending"),  # type: ignore[arg-type]
    ],
)
def test_contradictions_are_errors_at_their_place(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Scene(**parts)


def test_curves_have_a_value_for_each_time() -> None:
    with pytest.raises(ValueError, match=r"tracks\[0\].translation.values: expected 2 values of 3 numbers"):
        Clip("c", [Track(0, translation=Curve([0, 1], [[0, 0, 0]]))])
    with pytest.raises(ValueError, match="expected step, linear or cubic-spline"):
        Clip("c", [Track(0, translation=Curve([0], [[0, 0, 0]], "smooth"))])  # type: ignore[arg-type]
