"""Conversions give the files of the command, and parts of files keep what is not removed."""

from __future__ import annotations

import pickle
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bindpose
import numpy as np
import pytest



def command(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "bindpose", *arguments], check=True, capture_output=True)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("to", ["cal3d", "unreal", "max", "unigine", "ms3d", "x:bin", "iqm", "glb"])
def test_files_are_those_of_the_command(folder: Path, to: str) -> None:
    converted = bindpose.convert("body.psk", "run.psa", to=to)
    command("convert", "body.psk", "run.psa", "--to", to, "--out-dir", "expected")
    assert converted.files == contents(folder / "expected")
    assert converted.paths == []


@pytest.mark.parametrize("options", [{"clips": "Wave"}, {"clips": ["W*"], "up": "y"}, {"unit": 1.0, "rate": 15, "max_influences": 1}])
def test_options_are_those_of_the_command(folder: Path, options: dict[str, Any]) -> None:
    converted = bindpose.convert("body.psk", "run.psa", to="ms3d", out_dir="made", **options)
    clips = options.get("clips", [])
    arguments = [f"--clip={own}" for own in ([clips] if isinstance(clips, str) else clips)]
    arguments += [f"--{name.replace('_', '-')}={value}" for name, value in options.items() if name != "clips"]
    command("convert", "body.psk", "run.psa", "--to", "ms3d", "--out-dir", "expected", *arguments)
    assert contents(folder / "made") == contents(folder / "expected") == converted.files
    assert [path.name for path in converted.paths] == list(converted.files)


def test_a_loss_is_an_error_if_it_is_to_be(folder: Path) -> None:
    assert bindpose.convert("hero.ms3d", to="max-skeleton").losses
    with pytest.raises(ValueError, match="contents are lost"):
        bindpose.convert("hero.ms3d", to="max-skeleton", strict=True, out_dir="made")
    assert not (folder / "made").exists()


@pytest.mark.parametrize("form", ["bin", "tzip", "bzip", "txt"])
def test_another_form_of_a_file_keeps_its_objects(folder: Path, form: str) -> None:
    whole = bindpose.convert("hero.x", to=f"x:{form}").files["hero.x"]
    command("convert", "hero.x", "--to", form, "-o", "expected.x")
    assert whole == (folder / "expected.x").read_bytes()
    assert bindpose.convert(bindpose.open("hero.x"), to=f"x:{form}").files["hero.x"] == whole
    assert bindpose.decode(whole).form == form


def test_a_form_that_a_format_does_not_have_is_refused(folder: Path) -> None:
    with pytest.raises(bindpose.BindposeError, match="ms3d files have one form"):
        bindpose.open("hero.ms3d").in_form("bin")
    with pytest.raises(bindpose.BindposeError, match="no form `xml`; expected one of txt, bin, tzip, bzip"):
        bindpose.open("hero.x").in_form("xml")


def test_the_spelling_that_another_form_loses_is_a_loss(folder: Path) -> None:
    text = bindpose.open("hero.x").in_form("txt").encode()
    (folder / "text.x").write_bytes(text)
    assert bindpose.convert("text.x", to="x:tzip", strict=True).losses == []
    assert [loss.kind for loss in bindpose.convert("text.x", to="x:bin").losses] == ["metadata"]
    with pytest.raises(ValueError, match="contents are lost"):
        bindpose.convert("text.x", to="x:bin", strict=True)


def test_binary_keeps_the_size_of_floats(folder: Path) -> None:
    double = bindpose.open("hero.x").in_form("txt").in_form("bin64")
    assert double.encode()[8:16] == b"bin 0064"
    assert double.in_form("bzip").encode()[8:16] == b"bzip0064"
    assert double.in_form("bzip32").encode()[8:16] == b"bzip0032"


def test_clips_are_extracted_as_by_the_command(folder: Path) -> None:
    own = bindpose.extract("body.psk", "run.psa", clips=re.compile("^W"), out_dir="made")
    command("extract", "run.psa", "--clip", "Wave", "-o", "expected.psa")
    assert own.files == {"run.psa": (folder / "expected.psa").read_bytes()} == contents(folder / "made")
    assert (folder / "run.psa").read_bytes() != own.files["run.psa"]


def test_materials_are_extracted_as_by_the_command(folder: Path) -> None:
    name = bindpose.scene("hero.ms3d").materials[0].name
    own = bindpose.extract("hero.ms3d", materials=name)
    command("extract", "hero.ms3d", "--material", name, "-o", "expected.ms3d")
    assert own.files == {"hero.ms3d": (folder / "expected.ms3d").read_bytes()}


@pytest.mark.parametrize("kind", ["clips", "meshes", "materials"])
def test_a_name_that_nothing_has_is_refused(folder: Path, kind: str) -> None:
    with pytest.raises(ValueError, match="matches 'absent'"):
        bindpose.convert("body.psk", "run.psa", to="ms3d", **{kind: "absent"})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="matches 'absent'"):
        bindpose.extract("body.psk", "run.psa", **{kind: "absent"})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="needs"):
        bindpose.extract("run.psa")


def two_meshes(name: str) -> bindpose.Scene:
    triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    names = [f"{name}_{part}" for part in ("head", "body")]
    meshes = [
        bindpose.Mesh(own, positions=triangle + place, uvs=[triangle[:, :2]], primitives=[bindpose.Primitive(material=place, triangles=[[0, 1, 2]])])
        for place, own in enumerate(names)
    ]
    return bindpose.Scene(name=name, meshes=meshes, materials=[bindpose.Material(f"{own}_skin") for own in names])


def test_each_file_gets_what_is_extracted_of_its_own_meshes(folder: Path) -> None:
    for name in ("cat", "dog"):
        two_meshes(name).write(f"{name}.x")

    def extracted(names: str) -> dict[str, list[str]]:
        return {name: [mesh.name for mesh in bindpose.scene(data).meshes] for name, data in bindpose.extract("cat.x", "dog.x", meshes=names).files.items()}

    assert extracted("*") == {"cat.x": ["cat_head", "cat_body"], "dog.x": ["dog_head", "dog_body"]}
    assert extracted("*_head") == {"cat.x": ["cat_head"], "dog.x": ["dog_head"]}
    assert extracted("dog_body") == {"dog.x": ["dog_body"]}
    with pytest.raises(ValueError, match="no mesh matches"):
        extracted("cow")


def test_extracted_files_of_one_name_are_refused(folder: Path) -> None:
    for name in ("a", "b"):
        Path(name).mkdir()
        bindpose.open("run.psa").save(f"{name}/run.psa")
        bindpose.open("body.psk").save(f"{name}/body.psk")
    for files, names in ((("a/run.psa", "b/run.psa"), {"clips": "W*"}), (("a/body.psk", "b/body.psk"), {"materials": "*"})):
        with pytest.raises(ValueError, match="several files have the name"):
            bindpose.extract(*files, **names)  # type: ignore[arg-type]


def test_a_conversion_needs_a_file() -> None:
    with pytest.raises(TypeError, match=r"convert\(\) needs at least one file"):
        bindpose.convert(to="psk")


PIXEL = bytes([0, 0, 255])
TGA = bytes([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0]) + PIXEL
BMP = b"BM" + struct.pack("<IIIIiiHHIIiiII", 58, 0, 54, 40, 1, 1, 1, 24, 0, 4, 0, 0, 0, 0) + PIXEL + b"\0"
DDS = struct.pack("<4s7I44x2I4s5I4I4x", b"DDS ", 124, 0x81007, 4, 4, 8, 0, 0, 32, 4, b"DXT1", *[0] * 5, 0x1000, 0, 0, 0) + bytes([0, 0xF8, 0x1F, 0, 0, 0, 0, 0])


@pytest.mark.parametrize("data", [("tga", TGA), ("bmp", BMP), ("dds", DDS), ("pcx", b"")], ids=lambda own: own[0])
def test_images_are_converted_as_by_the_command(folder: Path, data: tuple[str, bytes]) -> None:
    extension, content = data
    two_meshes("cat").replace(materials=[bindpose.Material("fur", textures=[f"fur.{extension}"], texture_roles=["color"])] * 2).write("cat.x")
    Path(f"fur.{extension}").write_bytes(content)
    command("export", "cat.x", "-o", "expected.glb")
    expected = Path("expected.glb").read_bytes()
    assert (b"image/png" in expected) == bool(content)
    assert bindpose.convert("cat.x", to="glb").files == {"cat.glb": expected}
    written = bindpose.scene("cat.x").write("own.glb")
    assert Path("own.glb").read_bytes() == expected
    assert bool(written.losses) == (not content)


def test_limits_hold_for_images(folder: Path) -> None:
    two_meshes("cat").replace(materials=[bindpose.Material("fur", textures=["fur.tga"], texture_roles=["color"])] * 2).write("cat.x")
    # 256 x 256 pixels in runs of 128.
    Path("fur.tga").write_bytes(bytes([0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 24, 0]) + bytes([255, 0, 0, 0]) * 512)
    bindpose.scene("cat.x").write("cat.glb")
    limited = bindpose.scene("cat.x", limits=bindpose.Limits(max_memory=100_000))
    for scene in (limited, limited.select(meshes="*"), limited.replace(name="cat")):
        with pytest.raises(bindpose.BindposeError, match="memory"):
            scene.write("cat.glb")


def test_scaled_bones_are_converted_as_by_the_command(folder: Path) -> None:
    triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    mesh = bindpose.Mesh("own", positions=triangle, triangles=[[0, 1, 2]], joints=[[0]] * 3, weights=[[1]] * 3)
    scene = bindpose.Scene(name="own", skeleton=[bindpose.Bone("hip", scale=(2, 2, 2))], meshes=[mesh])
    Path("own.glb").write_bytes(scene.to_glb())
    command("convert", "own.glb", "--to", "glb", "--out-dir", "expected")
    made = bindpose.convert("own.glb", to="glb").files
    assert made == contents(folder / "expected")
    assert bindpose.scene(made["own.glb"]).skeleton != scene.skeleton == bindpose.scene("own.glb").skeleton


def test_images_in_gltf_stay_and_have_the_names_of_the_command(folder: Path) -> None:
    scene = two_meshes("cat").replace(materials=[bindpose.Material("", textures=["a.tga"], texture_roles=["color"])] * 2)
    data = scene.to_glb({"a.tga": TGA}).replace(b'"name":"a.tga"', b'"eman":"a.tga"')
    Path("cat.glb").write_bytes(data)
    read = bindpose.scene("cat.glb")
    assert list(read.images) == ["cat.png"] and read.materials[0].textures == ("cat.png",)
    command("convert", "cat.glb", "--to", "glb", "--out-dir", "expected")
    made = bindpose.convert("cat.glb", to="glb")
    assert made.files == contents(folder / "expected")
    again = bindpose.scene(made.files["cat.glb"])
    assert list(again.images.values()) == list(read.images.values())
    assert pickle.loads(pickle.dumps(read)).images == read.images == bindpose.scene(read).images == read.with_images("cat.glb").images
    assert list(bindpose.scene(data).images) == ["image.png"]


NAMES = ["../../e9", "/tmp/e9", "a/../../e9", "..", ".", "a\\..\\e9", "C:\\e9", "", "\udc80", "e9\0"]


@pytest.mark.parametrize("name", NAMES)
def test_no_name_leads_out_of_the_directory_of_results(folder: Path, name: str) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    file = bindpose.decode(Path("run.psa").read_bytes(), name=name)
    model = bindpose.decode(Path("hero.x").read_bytes(), name=name)
    for made in (
        bindpose.extract(file, clips="*", out_dir="q/r/clips"),
        bindpose.convert(model, to="x:bin", out_dir="q/r/form"),
        bindpose.convert("body.psk", to="psk", name=name, out_dir="q/r/scene"),
    ):
        assert made.paths and {path.resolve().parents[1] for path in made.paths} == {(folder / "q/r").resolve()}
        assert [path.name for path in made.paths] == list(made.files)
    outside = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and folder / "q/r" not in path.parents}
    assert outside == before and not (folder.parent / "e9.psa").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")
@pytest.mark.parametrize("is_dangling", [False, True])
def test_links_in_the_directory_of_results_are_not_followed(folder: Path, is_dangling: bool) -> None:
    target = folder / "target"
    if not is_dangling:
        target.write_bytes(b"kept")
    Path("out").mkdir()
    for name in ("hero.x", "run.psa", "run.ms3d"):
        Path("out", name).symlink_to("../target")
    uses: list[Callable[[], Any]] = [
        lambda: bindpose.convert("hero.x", to="x:bin", out_dir="out"),
        lambda: bindpose.convert("body.psk", "run.psa", to="ms3d", name="run", out_dir="out"),
        lambda: bindpose.extract("run.psa", clips="*", out_dir="out"),
    ]
    for use in uses:
        with pytest.raises(OSError, match="is a link, which is not followed"):
            use()
    two = part_of("clips")
    two = two.replace(clips=[two.clips[0], bindpose.Clip("jump", two.clips[0].tracks)])
    path = two.write("out/walks.caf").paths[-1]
    path.unlink()
    path.symlink_to("../target")
    with pytest.raises(OSError, match="is a link, which is not followed"):
        two.write("out/walks.caf")
    assert target.exists() != is_dangling and (is_dangling or target.read_bytes() == b"kept")
    # The caller named these.
    Path("target.psk").touch()
    Path("named.psk").symlink_to("target.psk")
    bindpose.scene("body.psk").write("named.psk")
    assert Path("named.psk").is_symlink() and Path("target.psk").stat().st_size
    Path("linked").symlink_to("made", target_is_directory=True)
    Path("made").mkdir()
    assert bindpose.extract("run.psa", clips="*", out_dir="linked").paths == [Path("linked/run.psa")]


def part_of(what: str) -> bindpose.Scene:
    """A scene with one kind of parts."""
    bones = [bindpose.Bone("hip")]
    clip = bindpose.Clip("walk", [bindpose.Track(0, translation=bindpose.Curve([0, 1], [[0, 0, 0], [0, 0, 1]]))])
    parts: dict[str, bindpose.Scene] = {
        "bones": bindpose.Scene(name="own", skeleton=bones),
        "meshes": two_meshes("own"),
        "clips": bindpose.Scene(name="own", skeleton=bones, clips=[clip]),
        "all": two_meshes("own").replace(skeleton=bones, clips=[clip]),
    }
    return parts[what]


@pytest.mark.parametrize("to", ["cal3d", "cal3d:xml", "max", "unigine", "unreal"])
@pytest.mark.parametrize("what", ["bones", "meshes", "clips", "all"])
def test_a_family_has_the_files_that_the_command_writes(folder: Path, to: str, what: str) -> None:
    scene = part_of(what)
    Path("own.glb").write_bytes(scene.to_glb())
    done = subprocess.run([sys.executable, "-m", "bindpose", "convert", "own.glb", "--to", to, "--out-dir", "expected"], capture_output=True, check=False)
    expected = contents(folder / "expected") if (folder / "expected").exists() else {}
    if not expected:
        assert done.returncode != 0
        with pytest.raises(bindpose.BindposeError):
            bindpose.convert("own.glb", to=to)
        return
    made = bindpose.convert("own.glb", to=to, out_dir="made")
    assert made.files == expected == contents(folder / "made")
    assert (to == "cal3d" and what in ("meshes", "all")) <= ("own.cfg" in made.files)


def test_a_family_without_anything_to_write_is_an_error(folder: Path) -> None:
    for to in ("cal3d", "max", "unigine", "unreal"):
        with pytest.raises(bindpose.BindposeError, match="has nothing that these formats can have"):
            bindpose.convert(bindpose.Scene(name="empty"), to=to, out_dir="made")
    assert not Path("made").exists()


@pytest.mark.parametrize("format", ["ms3d", "psa", "cal3d-animation", "x", "unigine-anim"])
def test_a_clip_that_no_scene_has_is_an_error(folder: Path, format: str) -> None:
    scene = bindpose.scene("body.psk", "run.psa")
    message = r'no clip is named "zz"; the names are \[.*"Wave"'
    uses: list[Callable[[], Any]] = [
        lambda: scene.encode(format, clip="zz"),
        lambda: scene.write("made.file", format=format, clip="zz"),
        lambda: bindpose.File.from_scene(scene, format, clip="zz"),
        lambda: bindpose.convert("body.psk", "run.psa", to=format, clip="zz", out_dir="made"),
    ]
    for use in uses:
        with pytest.raises(ValueError, match=message):
            use()
    assert not Path("made").exists() and not Path("made.file").exists()


def test_names_that_are_not_unicode_are_those_of_open(folder: Path) -> None:
    data = Path("hero.ms3d").read_bytes()
    path = Path("a\udc80b.ms3d")
    try:
        path.write_bytes(data)
        expected = bindpose.open(path).name
    except (OSError, UnicodeError):
        expected = "a\ufffdb"
    file = bindpose.decode(data, name="a\udc80b")
    assert file.name == expected
    assert bindpose.scene(file).name == bindpose.scene(file).replace(name="a\udc80b").name == bindpose.Scene(name="a\udc80b").name == expected
    assert list(bindpose.convert(file, to="psk").files) == list(bindpose.convert("hero.ms3d", to="psk", name="a\udc80b").files)
    if path.exists():
        made = bindpose.extract(path, meshes="*", out_dir="made")
        assert [own.name for own in made.paths] == [path.name] and Path("made", path.name).exists()
