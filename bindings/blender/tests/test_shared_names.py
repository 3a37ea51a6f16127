# SPDX-License-Identifier: GPL-3.0-or-later
"""Files in which several bones, materials, clips or textures have one name: an edit of one of them changes no other."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import bindpose
import bpy
import headless
import pytest
from conftest import SAMPLES

CHARACTER = SAMPLES / "character"


def refused(collection: Any) -> str:
    with pytest.raises(headless.original.RefusedError) as reasons:
        headless.original.changed_files(collection)
    return str(reasons.value)


def imported(files: dict[Path, Any]) -> Any:
    """Imports files whose export into the original is the same."""
    for path, file in files.items():
        file.save(path)
    (collection,), _ = headless.load(*files)
    assert headless.original.changed_files(collection) == {path.name: path.read_bytes() for path in files}
    return collection


def test_one_of_two_bones_is_not_renamed(tmp_path: Path) -> None:
    file = bindpose.open(CHARACTER / "dragon.ms3d")
    file["joints[5].name"] = "leg_l"
    collection = imported({tmp_path / "dragon.ms3d": file})
    armature = next(thing for thing in collection.objects if thing.type == "ARMATURE")
    armature.data.bones["leg_l.001"].name = "leg_r"
    assert refused(collection) == "bones were renamed: 'leg_r': other bones have the same name in the files"


@pytest.fixture
def two_clips(tmp_path: Path) -> Any:
    """An import with two clips of one name."""
    files = {tmp_path / name: bindpose.open(CHARACTER / name) for name in ("dragon.psk", "dragon.psa")}
    file = files[tmp_path / "dragon.psa"]
    place = next(f"{chunk.path}.records" for chunk in file["chunks"] if chunk["id"] == "ANIMINFO")
    file[f"{place}[1].name"] = "idle"
    return imported(files)


def test_one_of_two_clips_is_not_renamed(two_clips: Any) -> None:
    bpy.data.actions["idle.001"].name = "rest"
    assert "clips were renamed: 'rest': other clips have the same name in the files" in refused(two_clips)


@pytest.mark.parametrize("name", ["idle", "idle.001"])
def test_one_of_two_clips_is_not_removed(two_clips: Any, name: str) -> None:
    bpy.data.actions.remove(bpy.data.actions[name])
    assert "actions of clips were removed: other clips have the same name in the files: 'idle'" in refused(two_clips)


def test_both_clips_are_removed(two_clips: Any) -> None:
    for name in ("idle", "idle.001"):
        bpy.data.actions.remove(bpy.data.actions[name])
    files = headless.original.changed_files(two_clips)
    assert [clip.name for clip in bindpose.scene(files["dragon.psk"], files["dragon.psa"]).clips] == ["wave"]


def two_materials(folder: Path, names: tuple[str, str]) -> Any:
    """Imports a model with two materials of one texture."""
    (collection,), _ = headless.load(CHARACTER / "dragon.ms3d")
    data = next(thing for thing in collection.objects if thing.type == "MESH").data
    data.materials.append(data.materials[0].copy())
    data.polygons[0].material_index = 1
    file = bindpose.decode(headless.original.changed_files(collection)["dragon.ms3d"])
    for index, name in enumerate(names):
        file[f"materials[{index}].name"] = name
    for image in ("dragon.png", "other.png"):
        shutil.copy(CHARACTER / "dragon.png", folder / image)
    headless.empty()
    return imported({folder / "dragon.ms3d": file})


def test_one_of_two_materials_is_not_renamed(tmp_path: Path) -> None:
    collection = two_materials(tmp_path, ("skin", "skin"))
    bpy.data.materials["skin.001"].name = "scales"
    assert refused(collection) == "materials were renamed: 'scales': other materials have the same name in the files"


def test_one_of_two_materials_is_not_removed(tmp_path: Path) -> None:
    collection = two_materials(tmp_path, ("skin", "skin"))
    thing = next(thing for thing in collection.objects if thing.type == "MESH")
    thing.data.materials.pop(index=1)
    assert "the material 'skin' was removed: other materials have the same name in the files" in refused(collection)


@pytest.mark.parametrize("names", [["horn"], ["skin", "horn"]])
def test_the_image_of_a_shared_texture(names: list[str], tmp_path: Path) -> None:
    collection = two_materials(tmp_path, ("skin", "horn"))
    for name in names:
        nodes = bpy.data.materials[name].node_tree.nodes
        next(node for node in nodes if node.type == "TEX_IMAGE").image = bpy.data.images.load(str(tmp_path / "other.png"), check_existing=True)
    if len(names) == 1:
        assert refused(collection) == "material 'horn': other materials have the same texture 'dragon.png'"
        return
    file = bindpose.decode(headless.original.changed_files(collection)["dragon.ms3d"])
    assert [own["texture"] for own in file["materials"]] == ["other.png", "other.png"]
