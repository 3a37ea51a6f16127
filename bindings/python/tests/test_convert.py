"""Conversions give the files of the command, and parts of files keep what is not removed."""

from __future__ import annotations

import re
import subprocess
import sys
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


def test_a_form_that_a_format_does_not_have_is_refused(folder: Path) -> None:
    with pytest.raises(bindpose.BindposeError, match="no form"):
        bindpose.open("hero.ms3d").in_form("bin")


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
