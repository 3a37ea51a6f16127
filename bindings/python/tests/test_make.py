"""Scenes that are made of arrays."""

from __future__ import annotations

import io
import math
import pickle
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bindpose
import numpy as np
import pytest
from bindpose import Attachment, Bone, Clip, Curve, Material, Mesh, Morph, MorphTrack, Primitive, Scene, Track
from conftest import SAMPLES, all_samples

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


SETS = [
    ["hero.ms3d"],
    ["hero.psk", "hero.psa"],
    ["hero.x"],
    ["hero.csf", "hero.cmf", "hero.caf"],
    ["hero.mesh_skinned", "hero.anim", "hero.skeleton"],
    ["hero.max-skeleton.skel", "hero.max-mesh.mesh", "hero.max-animation.anim"],
    ["hero.iqm"],
    ["hero.glb"],
]


def assert_nods(again: Scene) -> None:
    top = max(mesh.positions[:, 1].max() for mesh in again.posed("nod" if len(again.clips) > 1 else again.clips[0], 1.0))
    expected = character().posed("nod", 1.0)[0].positions[:, 1].max()
    assert abs(top - expected) < 2e-3, (top, expected)


@pytest.mark.parametrize("paths", SETS, ids=lambda paths: paths[0])
def test_a_character_made_in_numpy_is_written_to_every_family_and_read_back(tmp_path: Path, paths: list[str]) -> None:
    assert_nods(bindpose.scene(*character().write(*(tmp_path / path for path in paths)).paths))


def test_the_sets_have_every_format_with_bones_meshes_or_clips(tmp_path: Path) -> None:
    paths = [path for own in SETS[:-1] for path in character().write(*(tmp_path / path for path in own)).paths]
    assert {bindpose.open(path).format for path in paths} == {own.name for own in WRITABLE} - {"cal3d-material", "cal3d-morph"}


def statue() -> Scene:
    """The character without bones, which some versions cannot have."""
    (body,) = character().meshes
    still = body._replace(joints=None, weights=None, joint_bones=None, inverse_binds=None, morphs=())
    return Scene(name="hero", meshes=[still], materials=character().materials)


WRITABLE = [own for own in bindpose.formats() if own.writable]
DIALECTS = [f"{own.name}:{dialect}" for own in WRITABLE for dialect in [*own.dialects, *own.versions]]


def test_formats_list_their_versions() -> None:
    versions = {own.name: own.versions for own in WRITABLE}
    assert versions["x"] == ["txt", "bin", "tzip", "bzip"]
    assert "ms14" in versions["unigine-mesh"] and "an11" in versions["unigine-anim"] and versions["psk"] == []


@pytest.mark.parametrize("format", DIALECTS)
def test_every_dialect_and_version_is_written_and_read_back(format: str) -> None:
    name, _, dialect = format.partition(":")
    hero = statue() if dialect == "ms15" else character()
    if format == "cal3d-morph:classic":
        # Its meshes have no morph targets.
        with pytest.raises(bindpose.BindposeError, match="morph targets that meshes of the version have"):
            hero.encode(format)
        return
    for file, data in hero.encode(format).items():
        again = bindpose.decode(data, format=format if dialect in next(own for own in WRITABLE if own.name == name).dialects else name)
        assert again.format == name and again.roundtrip().verdict == "lossless", file


@pytest.mark.parametrize("format", ["x:zip", "psk:bin", "unigine-mesh:ms99", "ms3d:extra4"])
def test_an_unknown_version_is_an_error(format: str) -> None:
    with pytest.raises(bindpose.BindposeError, match="expected one of|has no dialects"):
        character().encode(format)


def test_versions_differ() -> None:
    assert character().encode("x:bin")["hero.x"].startswith(b"xof 0303bin")
    assert character().encode("unigine-mesh:ms14")["hero.mesh"].startswith(b"ms14")


def test_a_scene_is_encoded_in_memory(tmp_path: Path) -> None:
    hero = character()
    files = hero.encode("cal3d-skeleton", "cal3d-mesh", "cal3d-animation", "cal3d-material")
    assert [Path(name).suffix for name in files] == [".csf", ".cmf", ".caf", ".crf"]
    named = [bindpose.decode(data, name=Path(name).stem) for name, data in files.items()]
    assert_nods(bindpose.scene(*named))
    written = hero.write(tmp_path / "hero.psk", tmp_path / "hero.psa").paths
    assert hero.encode("psk", "psa") == {path.name: path.read_bytes() for path in written}
    assert hero.encode("glb")["hero.glb"] == hero.to_glb()
    with pytest.raises(TypeError, match="unexpected keyword argument 'speed'"):
        hero.encode("psk", speed=1)  # type: ignore[call-arg]


def test_files_are_written_into_file_objects(tmp_path: Path) -> None:
    hero, buffer = character(), io.BytesIO()
    assert hero.write(buffer, format="ms3d").paths == []
    assert buffer.getvalue() == hero.encode("ms3d")["hero.ms3d"]
    with open(tmp_path / "hero.psk", "wb") as file:
        hero.write(file)
    assert (tmp_path / "hero.psk").read_bytes() == hero.encode("psk")["hero.psk"]
    file_of_scene = bindpose.File.from_scene(hero, "x:bin")
    file_of_scene.save(saved := io.BytesIO())
    assert saved.getvalue() == hero.encode("x:bin")["hero.x"]
    with pytest.raises(bindpose.BindposeError, match="2 files of this format"):
        hero.replace(clips=[hero.clips[0], Clip("rest", hero.clips[0].tracks)]).write(io.BytesIO(), format="cal3d-animation")


def test_images_of_a_scene_are_embedded(tmp_path: Path) -> None:
    image = bytes.fromhex("89504e470d0a1a0a") + bytes(16)
    (tmp_path / "skin.png").write_bytes(image)
    character().write(tmp_path / "hero.ms3d")
    again = bindpose.scene(tmp_path / "hero.ms3d")
    again.write(tmp_path / "hero.glb")
    assert image in (tmp_path / "hero.glb").read_bytes()
    assert image in again.encode("glb")["hero.glb"]


def test_scenes_and_clips_are_pickled(tmp_path: Path) -> None:
    hero = character()
    again = pickle.loads(pickle.dumps(hero))
    assert again.to_glb() == hero.to_glb() and again.name == "hero"
    assert (again.skeleton, again.meshes, again.materials) == (hero.skeleton, hero.meshes, hero.materials)
    clip = pickle.loads(pickle.dumps(hero.clips[0]))
    assert (clip.name, clip.tracks, clip.morphs) == ("nod", hero.clips[0].tracks, hero.clips[0].morphs)
    (tmp_path / "skin.png").write_bytes(b"")
    hero.write(tmp_path / "hero.ms3d")
    with_images = bindpose.scene(tmp_path / "hero.ms3d")
    assert pickle.loads(pickle.dumps(with_images)).images == with_images.images != {}


def test_records_with_arrays_are_compared() -> None:
    a, b = character(), character()
    assert a.meshes[0] == b.meshes[0] and a.skeleton == b.skeleton and a.clips[0].tracks == b.clips[0].tracks
    assert not a.meshes[0] != b.meshes[0]
    moved = a.meshes[0]._replace(positions=a.meshes[0].positions + 1)
    assert a.meshes[0] != moved and moved != a.meshes[0]
    assert a.meshes[0]._replace(positions=a.meshes[0].positions[:2]) != a.meshes[0]
    other: object = tuple(a.skeleton)
    assert a.meshes[0] != other and a.meshes[0]._replace(colors=a.meshes[0].positions) != a.meshes[0]


def test_notebooks_show_a_table() -> None:
    shown = character().replace(name="<b>")._repr_html_()
    assert "&lt;b&gt;" in shown and "<th>vertices</th><td>10</td>" in shown and "nod" in shown
    assert "<td>ms3d</td>" in bindpose.blank("ms3d")._repr_html_()


PARTS = ["skeleton", "meshes", "materials", "clips", "attachments"]


def numbers_in(value: Any) -> Iterator[Any]:
    """Yields all numbers of parts of a scene."""
    if isinstance(value, (float, np.ndarray)):
        yield np.asarray(value)
    elif isinstance(value, Clip):
        yield from numbers_in((value.tracks, value.morphs))
    elif isinstance(value, (tuple, list)):
        for own in value:
            yield from numbers_in(own)


@pytest.mark.parametrize("path", all_samples(), ids=lambda path: path.name)
def test_a_scene_made_of_the_parts_of_another_is_equal(path: Path) -> None:
    try:
        own = bindpose.scene(path)
    except bindpose.BindposeError:
        pytest.skip("no scene")
    parts: dict[str, Any] = {name: getattr(own, name) for name in PARTS}
    if not all(np.isfinite(numbers).all() for numbers in numbers_in((*parts.values(), own.skeleton.bones))):
        with pytest.raises(ValueError, match="expected numbers that are finite"):
            Scene(name=own.name, **parts)
    made = pickle.loads(pickle.dumps(own)).replace(**parts)
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


NUMBERS = {
    "skeleton": ["translation", "rotation", "scale"],
    "attachments": ["translation", "rotation", "scale"],
    "materials": ["color", "emissive", "ambient", "specular", "shininess"],
    "meshes": ["positions", "normals", "tangents", "uvs", "colors", "weights", "inverse_binds", "morphs[0].positions", "morphs[0].normals"],
    "clips": [
        *(f"tracks[0].{channel}.{part}" for channel in ("translation", "rotation", "scale") for part in ("times", "values", "tangents")),
        *(f"morphs[0].weight.{part}" for part in ("times", "values", "tangents")),
    ],
}
"""Every member of a scene with numbers that are no indices."""


def whole_scene() -> Scene:
    """A scene with all members."""
    hero = character()
    (body,) = hero.meshes
    body = body._replace(tangents=np.tile([1, 0, 0, 1], (10, 1)), colors=np.ones((10, 4)))

    def curve(*value: float) -> Curve:
        values = np.array([value, value])
        return Curve([0.0, 1.0], values, "cubic-spline", np.zeros((2, 2, len(value))))

    weight = Curve([0.0, 1.0], [0.0, 1.0], "cubic-spline", np.zeros((2, 2)))
    track = Track(1, translation=curve(0, 1, 0), rotation=curve(0, 0, 0, 1), scale=curve(1, 1, 1))
    clips = [Clip("nod", [track], [MorphTrack("smile", weight)])]
    return hero.replace(meshes=[body], clips=clips, attachments=[Attachment("hand", 1)])


def with_number(own: Any, path: str, number: float) -> Any:
    """Returns a record, a clip or a tuple in which the last number of a member is another one."""
    name, _, rest = path.partition(".")
    name, _, place = name.partition("[")
    former = getattr(own, name)
    if place:
        items = list(former)
        items[0] = with_number(items[0], rest, number)
        value: Any = items
    elif rest:
        value = with_number(former, rest, number)
    elif name == "uvs":
        value = [np.where(np.arange(former[0].size).reshape(former[0].shape) == former[0].size - 1, number, former[0])]
    elif isinstance(former, float):
        value = number
    else:
        value = np.array(former, np.float32)
        value.reshape(-1)[-1] = number
        value = tuple(value.tolist()) if isinstance(former, tuple) else value
    if isinstance(own, Clip):
        return Clip(own.name, value if name == "tracks" else own.tracks, value if name == "morphs" else own.morphs)
    return own._replace(**{name: value})


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(("part", "path"), [(part, path) for part, paths in NUMBERS.items() for path in paths])
def test_numbers_that_are_not_finite_are_errors_at_their_place(part: str, path: str, number: float) -> None:
    own = whole_scene()
    parts = list(getattr(own, part).bones if part == "skeleton" else getattr(own, part))
    place = re.escape(path if path.startswith(("tracks", "morphs")) else f"{part}[{len(parts) - 1}]")
    with pytest.raises(ValueError, match=place):
        parts[-1] = with_number(parts[-1], path, number)
        changed: dict[str, Any] = {part: parts}
        own.replace(**changed)


def test_every_member_with_numbers_is_tried() -> None:
    """So that a new member is checked, too."""
    own = whole_scene()
    indices = {"bone", "parent", "material", "triangles", "primitives", "joints", "joint_bones", "vertices", "targets"}

    def members(value: Any, path: str) -> Iterator[str]:
        if isinstance(value, Clip):
            yield from members(value.tracks[:1], f"{path}tracks")
            yield from members(value.morphs[:1], f"{path}morphs")
        elif hasattr(value, "_fields"):
            for name in value._fields:
                if name not in indices:
                    yield from members(getattr(value, name), f"{path}.{name}" if path else name)
        elif isinstance(value, (float, np.ndarray)) or (isinstance(value, tuple) and value and isinstance(value[0], float)):
            yield path
        elif isinstance(value, (tuple, list)) and value and isinstance(value[0], np.ndarray):
            yield path
        elif isinstance(value, (tuple, list)) and value and not isinstance(value[0], str):
            yield from members(value[0], f"{path}[0]")

    for part, expected in NUMBERS.items():
        first = (own.skeleton.bones if part == "skeleton" else getattr(own, part))[0]
        assert sorted(members(first, "")) == sorted(expected), part


def test_a_scene_of_a_file_keeps_numbers_that_are_not_finite() -> None:
    """It can be changed, pickled and written, or is refused with a message."""
    file = bindpose.open(SAMPLES / "corpus/ms3d/full.ms3d")
    file["vertices[0].position"] = (math.nan, 0.0, 0.0)
    own = bindpose.scene(file)
    again = pickle.loads(pickle.dumps(own)).replace(name="other", meshes=own.meshes)
    assert np.isnan(again.meshes[0].positions).any()
    with pytest.raises(ValueError, match=r"meshes\[0\].positions\[\d+\]: expected numbers that are finite"):
        own.replace(clips=[]).encode("glb") and Scene(meshes=own.meshes, skeleton=own.skeleton, materials=own.materials)
    for format in WRITABLE:
        try:
            assert all(bindpose.roundtrip(data) for data in own.encode(format.name).values())
        except bindpose.BindposeError as error:
            assert str(error)


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
        ({"meshes": [Mesh(positions=[[0, 0], [1, 1]])]}, r"got the shape \(2, 2\)"),
        ({"meshes": [Mesh(positions=SQUARE, uvs=np.zeros((4, 2)))]}, r"meshes\[0\].uvs: .*\(4, 2\); put a single set into a list"),  # type: ignore[arg-type]
        ({"meshes": [Mesh(positions=SQUARE, colors=np.full((4, 4), 255, np.uint8))]}, r"colors: expected numbers from 0 to 1, got integers"),
        ({"meshes": [Mesh(positions=np.array(SQUARE) * 1e300)]}, r"meshes\[0\].positions: expected numbers of at most 3.4e\+38"),
        ({"meshes": [Mesh(positions=SQUARE, joints=[[0]] * 4)]}, r"meshes\[0\].weights: is missing"),
        ({"meshes": [Mesh(positions=SQUARE, weights=[[1]] * 4)]}, r"meshes\[0\].joints: is missing"),
        (
            {"skeleton": [Bone("a")], "meshes": [Mesh(positions=SQUARE, joints=[[0]] * 4, weights=[[1]] * 4, inverse_binds=[np.ones((4, 4))])]},
            r"meshes\[0\].inverse_binds\[0\]: expected a matrix whose last row is 0, 0, 0, 1",
        ),
        (
            {"meshes": [Mesh(positions=SQUARE, triangles=[[0, 1, 2]], primitives=[Primitive(triangles=[[0, 2, 3]])])]},
            r"meshes\[0\].triangles: are not those of the primitives",
        ),
        ({"skeleton": [Bone("a", parent=-1)]}, r"skeleton\[0\].parent: expected an index or None, got -1"),
        ({"skeleton": [Bone("a", rotation=(0, 0, 0, 0))]}, r"skeleton\[0\].rotation: expected a quaternion"),
        ({"skeleton": [Bone("a", rotation=(math.nan, 0, 0, 1))]}, r"skeleton\[0\].rotation: expected a quaternion"),
        ({"skeleton": [Bone("a", rotation=(0, 0, 1))]}, r"skeleton\[0\].rotation: expected a sequence of length 4"),  # type: ignore[arg-type]
        ({"materials": [Material("m", color=(1, 1, 1))]}, r"materials\[0\].color: expected a sequence of length 4"),  # type: ignore[arg-type]
    ],
)
def test_contradictions_are_errors_at_their_place(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Scene(**parts)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"skeleton": ["root"]}, r"skeleton\[0\]: expected a Bone, got str"),
        ({"meshes": Mesh("m", positions=SQUARE)}, r"meshes\[0\]: expected a Mesh, got str"),
        ({"meshes": 3}, "meshes: expected a sequence of Mesh, got int"),
        ({"clips": [("walk", [])]}, r"clips\[0\]: expected a Clip, got tuple"),
        ({"skeleton": [Bone(7)]}, r"skeleton\[0\].name: "),  # type: ignore[arg-type]
        ({"materials": [Material("m", textures="skin.png")]}, r"materials\[0\].textures: "),
    ],
)
def test_objects_of_another_class_are_errors_at_their_place(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Scene(**parts)


@pytest.mark.filterwarnings("error")
def test_numbers_of_any_layout_are_taken() -> None:
    own = np.array(SQUARE, np.float32)
    frozen = own.copy()
    frozen.flags.writeable = False
    given = [own.astype(">f8"), own.astype(np.float16), np.asfortranarray(own), np.repeat(own, 2, axis=1)[:, ::2], frozen, own.astype(int), own.data]
    for positions in given:
        made = Scene(meshes=[Mesh(positions=positions, triangles=np.array([[0, 1, 2]], ">i8"))]).meshes[0]
        assert made.positions.tolist() == own.tolist() and made.triangles.tolist() == [[0, 1, 2]]
    with pytest.raises(ValueError, match="expected integers"):
        Scene(meshes=[Mesh(positions=SQUARE, triangles=[[0, math.nan, 2]])])
    empty = Scene(meshes=[Mesh(positions=np.empty((0, 3)), triangles=np.empty((0, 3)))])
    assert empty.meshes[0].positions.shape == (0, 3) and empty.encode("psk")


def test_scenes_and_clips_are_equal_by_their_parts() -> None:
    hero = character()
    assert hero == character() == pickle.loads(pickle.dumps(hero)) and hash(hero) == hash(character())
    assert hero != hero.replace(name="other") and hero != hero.replace(clips=[])
    others: list[object] = ["hero", None, hero.meshes]
    assert hero not in others
    (body,) = hero.meshes
    assert hero != hero.replace(meshes=[body._replace(positions=body.positions * 2)])
    assert hero.clips[0] == character().clips[0] and hash(hero.clips[0]) == hash(character().clips[0])
    assert hero.clips[0] != Clip("nod", hero.clips[0].tracks) and hero.clips[0] in character().clips
    assert bindpose.scene(hero.encode("glb")["hero.glb"]) == bindpose.scene(hero.encode("glb")["hero.glb"])


def test_arguments_out_of_range_are_named() -> None:
    hero = character()
    with pytest.raises(ValueError, match="from 1 to 2048, got -1 x 8"):
        hero.preview(size=(-1, 8))
    with pytest.raises(ValueError, match="from 0 to 255, got"):
        hero.preview(background=(300, 0, 0))
    assert hero.preview(-1, size=(8, 8)) == hero.preview("nod", size=(8, 8))
    with pytest.raises(IndexError, match="clip -2 is out of range: the scene has 1"):
        hero.preview(-2)
    with pytest.raises(ValueError, match="max_influences of 1 or more, got 0"):
        hero.encode("psk", max_influences=0)
    with pytest.raises(TypeError, match="a file object without a name needs format="):
        hero.write(io.BytesIO())
    for times in ("a", [[0.0]], None):
        with pytest.raises(TypeError, match="expected a time in seconds, or a sequence of times"):
            hero.clips[0].sample(times)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a time is not a number"):
        hero.clips[0].sample([0.0, float("nan")])


def test_curves_have_a_value_for_each_time() -> None:
    with pytest.raises(ValueError, match=r"tracks\[0\].translation.values: expected the shape \(2, 3\), got \(1, 3\)"):
        Clip("c", [Track(0, translation=Curve([0, 1], [[0, 0, 0]]))])
    with pytest.raises(ValueError, match=r"tracks\[0\].translation.tangents: is missing"):
        Clip("c", [Track(0, translation=Curve([0], [[0, 0, 0]], "cubic-spline"))])
    with pytest.raises(ValueError, match=r"tracks\[0\].bone: expected an index or None, got -1"):
        Clip("c", [Track(-1)])
    with pytest.raises(ValueError, match="expected step, linear or cubic-spline"):
        Clip("c", [Track(0, translation=Curve([0], [[0, 0, 0]], "smooth"))])  # type: ignore[arg-type]


def test_a_scene_is_drawn(tmp_path: Path) -> None:
    hero = character()
    picture = hero.preview("nod", 1.0, size=(96, 64))
    assert picture[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", picture[16:24]) == (96, 64)
    assert picture != hero.preview(size=(96, 64)) and picture == hero.preview(0, 1.0, size=(96, 64))
    assert hero._repr_png_() != picture
    hero.write(tmp_path / "hero.ms3d")
    plain = bindpose.scene(tmp_path / "hero.ms3d").preview()
    (tmp_path / "skin.png").write_bytes(hero.preview(size=(8, 8), background=(0, 0, 255), yaw=90))
    assert bindpose.scene(tmp_path / "hero.ms3d").preview() != plain
    with pytest.raises(ValueError, match="from 1 to 2048"):
        hero.preview(size=(0, 4096))


def test_clips_are_fitted_to_another_skeleton() -> None:
    hero = character()
    tall = hero.replace(skeleton=[Bone("pelvis"), Bone("head", parent=0, translation=(0, 3, 0))], meshes=[], clips=[])
    nodding = tall.retarget(hero, bones={"hip": "pelvis"})
    assert [clip.name for clip in nodding.clips] == ["nod"] and tall.clips == ()
    turned = [own.clips[0].sample(1.0).rotations[1] for own in (hero, nodding)]
    np.testing.assert_allclose(turned[0], turned[1], atol=1e-5)
    with pytest.raises(ValueError, match="no bone is named"):
        tall.retarget(hero, bones={"tail": "head"})
    with pytest.raises(ValueError, match="same name"):
        tall.retarget(hero.replace(skeleton=[Bone("a"), Bone("b", parent=0, translation=(0, 1, 0))]))


def test_extensions_determine_format_and_dialect(tmp_path: Path) -> None:
    hero = character()
    hero.write(tmp_path / "hero.xsf", tmp_path / "hero.XMF")
    assert (tmp_path / "hero.XMF").read_bytes().startswith(b'<HEADER MAGIC="XMF"')
    assert list(hero.encode("cal3d-skeleton:xml", "cal3d-mesh:xml", "cal3d-mesh")) == ["hero.xsf", "hero.xmf", "hero.cmf"]
    # The extensions of meshes and clips of 3ds Max are those of UNIGINE, too.
    streams = [tmp_path / "hero.skel", tmp_path / "hero.mesh", tmp_path / "hero.anim"]
    hero.write(*streams)
    formats = ["max-skeleton", "max-mesh", "max-animation"]
    assert [path.read_bytes() for path in streams] == list(hero.encode(*formats).values())
    hero.write(tmp_path / "hero.skeleton", *streams[1:])
    assert [bindpose.open(path).format for path in streams[1:]] == ["unigine-mesh", "unigine-anim"]


@pytest.mark.parametrize("path", [7, b"hero.ms3d"])
def test_objects_that_cannot_be_written_to_are_refused(path: object) -> None:
    with pytest.raises(TypeError, match=f"expected a path or a binary file, got {type(path).__name__}"):
        character().write(path, format="ms3d")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected a path or a binary file"):
        bindpose.blank("ms3d").save(path)  # type: ignore[arg-type]


def test_files_in_text_mode_are_refused(folder: Path) -> None:
    with open("hero.txt", "w+", encoding="utf-8") as file:
        with pytest.raises(TypeError, match="binary mode"):
            bindpose.open(file)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="binary mode"):
            character().write(file, format="ms3d")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="binary mode"):
            bindpose.blank("ms3d").save(file)  # type: ignore[arg-type]
    assert Path("hero.txt").read_bytes() == b""


def test_gltf_is_no_file() -> None:
    with pytest.raises(bindpose.BindposeError, match="cannot be glTF"):
        bindpose.File.from_scene(character(), "glb")


def shapes_of(count: int, *row: int) -> list[tuple[int, ...]]:
    """Shapes with as many numbers as `count` rows of a shape, and others."""
    size = count * math.prod(row)
    near = [(size,), (1, size), (size, 1), (count, 1, *row), (count, *row, 1), (1, count, *row), (*row, count), (count + 1, *row), (0, 7), ()]
    return [shape for shape in dict.fromkeys(near) if shape != (count, *row)]


@pytest.mark.parametrize("interpolation", ["linear", "cubic-spline"])
@pytest.mark.parametrize(("channel", "row"), [("translation", (3,)), ("rotation", (4,)), ("scale", (3,)), ("weight", ())])
def test_curves_have_the_documented_shape_only(channel: str, row: tuple[int, ...], interpolation: Any) -> None:
    def made(values: Any, tangents: Any, times: Any) -> Clip:
        curve = Curve(times, values, interpolation, tangents)
        return Clip("c", morphs=[MorphTrack("smile", curve)]) if channel == "weight" else Clip("c", [Track(0, **{channel: curve})])

    times, values, tangents = np.arange(5), np.ones((5, *row)), np.ones((5, 2, *row))
    assert made(values, tangents, times).end == 4
    for shape in shapes_of(5, *row):
        with pytest.raises(ValueError, match=rf"{channel}.values: expected the shape"):
            made(np.ones(shape), tangents, times)
        with pytest.raises(ValueError, match=rf"{channel}.times: |{channel}.values: "):
            made(values, tangents, np.arange(math.prod(shape)).reshape(shape) if shape else 1.0)
    for shape in shapes_of(5, 2, *row) if interpolation == "cubic-spline" else ():
        with pytest.raises(ValueError, match=rf"{channel}.tangents: expected the shape"):
            made(values, np.ones(shape), times)
    assert made(np.ones((0, *row)), np.ones((0, 2, *row)), []).tracks is not None and made([], [], []).tracks is not None


SHAPES: dict[str, tuple[int, ...]] = {
    "positions": (4, 3),
    "normals": (4, 3),
    "tangents": (4, 4),
    "colors": (4, 4),
    "triangles": (4, 3),
    "joints": (4, 2),
    "weights": (4, 2),
    "joint_bones": (2,),
    "inverse_binds": (2, 4, 4),
}


@pytest.mark.parametrize("field", SHAPES)
def test_meshes_have_arrays_of_the_documented_shapes_only(field: str) -> None:
    triangles = [[0, 1, 2], [0, 2, 3], [0, 1, 2], [0, 2, 3]]
    whole = Mesh(
        positions=SQUARE,
        normals=SQUARE,
        tangents=np.ones((4, 4)),
        colors=np.ones((4, 4)),
        triangles=triangles,
        joints=np.tile([0, 1], (4, 1)),
        weights=np.full((4, 2), 0.5),
        joint_bones=[0, 1],
        inverse_binds=np.tile(np.eye(4), (2, 1, 1)),
    )
    bones = [Bone("a"), Bone("b")]
    Scene(skeleton=bones, meshes=[whole])
    own = np.asarray(getattr(whole, field))
    others = [shape for shape in shapes_of(SHAPES[field][0], *SHAPES[field][1:]) if math.prod(shape) == own.size]
    for values in [*(own.reshape(shape) for shape in others), np.zeros((0, 7), own.dtype)]:
        changed: dict[str, Any] = {field: values}
        with pytest.raises(ValueError, match=r"meshes\[0\]"):
            Scene(skeleton=bones, meshes=[whole._replace(**changed)])


def rotation_of(clip: Clip) -> Any:
    """Returns the rotation of the first track."""
    return clip.tracks[0].rotation


def test_rotations_of_tracks_get_unit_length() -> None:
    random = np.random.default_rng(5)
    keys = random.normal(size=(40, 4)).astype(np.float32)
    units = (keys / np.linalg.norm(keys, axis=1, keepdims=True)).astype(np.float32)
    times = np.arange(40) / 10
    for factors in (np.full((40, 1), 7.0), 10.0 ** random.uniform(-18, 18, (40, 1))):
        long, unit = (Clip("c", [Track(0, rotation=Curve(times, values))]) for values in (keys * factors, units))
        np.testing.assert_allclose(rotation_of(long).values, rotation_of(unit).values, atol=1e-6)
        poses = [Scene(skeleton=[Bone("a")], clips=[own]).clips[0].sample(times + 0.03).model for own in (long, unit)]
        np.testing.assert_allclose(poses[0], poses[1], atol=1e-5)
    same = Clip("c", [Track(0, rotation=Curve(times, units))])
    assert rotation_of(same).values.tolist() == units.tolist()
    tangents = random.normal(size=(40, 2, 4)).astype(np.float32)
    one, two = (Clip("c", [Track(0, rotation=Curve(times, units * factor, "cubic-spline", tangents * factor))]) for factor in (1.0, 3.0))
    np.testing.assert_allclose(rotation_of(one).tangents, rotation_of(two).tangents, atol=1e-5)


@pytest.mark.parametrize("value", [(0, 0, 0, 0), (math.nan, 0, 0, 1), (math.inf, 0, 0, 0)])
def test_rotations_of_tracks_without_a_direction_are_refused(value: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"tracks\[1\].rotation.values\[2\]: expected a quaternion of finite numbers other than 0"):
        Clip("c", [Track(0), Track(1, rotation=Curve([0, 1, 2], [(0, 0, 0, 1), (0, 0, 0, 2), value]))])


def test_what_is_stated_twice_is_refused() -> None:
    for times in ([0, 1, 1], [1, 0, 1], [0.0, 1, -0.0]):
        with pytest.raises(ValueError, match=r"tracks\[0\].scale.times\[2\]: another key has the time"):
            Clip("c", [Track(0, scale=Curve(times, np.ones((3, 3))))])
    with pytest.raises(ValueError, match=r"tracks\[2\].bone: bone 4 has another track"):
        Clip("c", [Track(4), Track(0), Track(4)])
    with pytest.raises(ValueError, match=r"meshes\[0\].morphs\[0\].vertices\[1\]: vertex 3 has another displacement"):
        Scene(meshes=[Mesh(positions=SQUARE, morphs=[Morph("m", [3, 3], np.zeros((2, 3)))])])
    backwards = Scene(meshes=[Mesh(positions=SQUARE, morphs=[Morph("m", [3, 1], [[0, 0, 3], [0, 0, 1]])])]).meshes[0].morphs[0]
    assert backwards.vertices.tolist() == [1, 3] and backwards.positions[:, 2].tolist() == [1, 3]


@pytest.mark.parametrize("number", [-0.01, 1.01, 255.0])
@pytest.mark.parametrize("make", [lambda own: own.astype(np.float32), lambda own: own.tolist(), lambda own: own])
def test_colours_out_of_range_are_refused(number: float, make: Any) -> None:
    colors = np.ones((4, 4))
    assert Scene(meshes=[Mesh(positions=SQUARE, colors=make(colors + 1e-7))]).meshes[0].colors is not None
    colors[2, 1] = number
    with pytest.raises(ValueError, match=r"meshes\[0\].colors\[2\]: expected numbers from 0 to 1"):
        Scene(meshes=[Mesh(positions=SQUARE, colors=make(colors))])
    for name, count in (("color", 4), ("emissive", 3)):
        with pytest.raises(ValueError, match=rf"materials\[0\].{name}: expected numbers from 0 to 1"):
            Scene(materials=[Material("m", **{name: (number,) * count})])  # type: ignore[arg-type]


def members_of(value: Any) -> Iterator[Any]:
    """Yields all parts of a scene."""
    yield value
    if isinstance(value, (tuple, list)):
        for own in value:
            yield from members_of(own)


@pytest.mark.parametrize("path", all_samples()[::5], ids=lambda path: path.name)
def test_the_parts_of_a_scene_do_not_change(path: Path) -> None:
    try:
        own = bindpose.scene(path)
    except bindpose.BindposeError:
        pytest.skip("no scene")
    for name in ("skeleton", "meshes", "materials", "attachments"):
        for member in members_of(getattr(own, name)):
            assert not isinstance(member, (list, dict, set)), name
            assert not (isinstance(member, np.ndarray) and member.flags.writeable), name


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_pickles(protocol: int) -> None:
    hero = character()
    moving = Clip("run", hero.clips[0].tracks, has_root_motion=True)
    limits = bindpose.Limits(max_memory=5, max_depth=7)
    for own in (hero, hero.clips[0], moving, limits, hero.skeleton, hero.meshes):
        assert pickle.loads(pickle.dumps(own, protocol)) == own
    assert pickle.loads(pickle.dumps(moving, protocol)).has_root_motion


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Clip("c", [Track(0, translation=5)]), TypeError, r"tracks\[0\].translation: expected a Curve, got int"),  # type: ignore[arg-type]
        (lambda: Clip("c", morphs=[MorphTrack("m", [0, 1])]), TypeError, r"morphs\[0\].weight: expected a Curve, got list"),  # type: ignore[arg-type]
        (lambda: Clip("c", morphs=[MorphTrack(5, Curve([0], [1]))]), TypeError, r"morphs\[0\].targets: expected the name .*, got int"),  # type: ignore[arg-type]
        (lambda: Clip("c", morphs=[MorphTrack([(0, 1), (0, -1)], Curve([0], [1]))]), ValueError, r"morphs\[0\].targets\[1\]: expected indices of 0 or more"),
        (lambda: Clip("c", morphs=[MorphTrack([(0, 1 << 80)], Curve([0], [1]))]), ValueError, r"morphs\[0\].targets\[0\]: expected a pair of indices"),
        (lambda: Clip("c", morphs=[MorphTrack([3], Curve([0], [1]))]), ValueError, r"morphs\[0\].targets\[0\]: expected a pair of indices"),  # type: ignore[list-item]
        (lambda: character().select(clips=b"x"), TypeError, "expected names, globs or patterns of re.compile, got bytes"),  # type: ignore[arg-type]
        (lambda: character().select(clips=[7]), TypeError, "expected names, globs or patterns of re.compile, got int"),  # type: ignore[list-item]
        (lambda: character().select(meshes=7), TypeError, "expected names, globs or patterns of re.compile, got int"),  # type: ignore[arg-type]
        (lambda: character().posed("nod", math.nan), ValueError, "a time is not a number"),
        (lambda: character().preview("nod", math.nan), ValueError, "a time is not a number"),
    ],
)
def test_mistakes_in_arguments_are_named(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_arrays_are_taken_where_the_types_state_them(hero: Path) -> None:
    """With the types of the stub, which mypy checks here."""
    bone = Bone("a", translation=np.array([1, 2, 3]), rotation=np.array([0.0, 0, 0, 1]), scale=np.ones(3, np.float32))
    own = Scene(skeleton=[bone], clips=[Clip("c", [Track(0, scale=Curve([0], [[1, 1, 1]]))])])
    assert own.skeleton.bones[0].translation == (1, 2, 3)
    assert own.clips[0].sample(np.float32(1)).local.shape == own.clips[0].sample(1).local.shape
    data = np.frombuffer(hero.read_bytes(), np.uint8)
    file = bindpose.open(data)
    file["vertices[0].position"] = np.array([4, 5, 6])
    assert file["vertices[0].position"] == (4, 5, 6) and bindpose.decode(data).encode() == hero.read_bytes()
    bindpose.transform(file, translate=np.array([1, 0, 0]))
    assert file["vertices[0].position"] == (5, 5, 6)
