# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of files and in files that are not UTF-8, or that the encoding of the files does not have."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import bindpose
import bpy
import headless
import pytest
from conftest import SAMPLES

CHARACTER = SAMPLES / "character"
FOREIGN = os.fsdecode(b"dr\xe4gon")


def copied(name: str, folder: Path) -> Path:
    """Copies a file of the sample character to one whose name is not UTF-8."""
    path = folder / (FOREIGN + Path(name).suffix)
    try:
        shutil.copy(CHARACTER / name, path)
    except OSError:
        pytest.skip("the names of files are UTF-8")
    return path


def test_files_with_foreign_names_are_imported_and_written(tmp_path: Path) -> None:
    paths = [copied(name, tmp_path) for name in ("dragon.psk", "dragon.psa")]
    before = {path: path.read_bytes() for path in paths}
    assert bpy.ops.import_scene.bindpose(filepath=str(paths[0])) == {"FINISHED"}
    assert bpy.ops.import_scene.bindpose(filepath=str(paths[1])) == {"FINISHED"}
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    collection = bpy.data.collections["dr\ufffdgon"]
    for path in paths:
        path.unlink()
    bpy.context.view_layer.objects.active = collection.objects[0]
    assert bpy.ops.export_scene.bindpose_original(directory=str(tmp_path)) == {"FINISHED"}
    assert {path: path.read_bytes() for path in paths} == before


def test_clips_are_named_by_foreign_names_of_files(tmp_path: Path) -> None:
    mesh = CHARACTER / "unigine" / "dragon.mesh"
    path = copied("unigine/walk.anim", tmp_path)
    headless.load(mesh, path)
    assert [action.name for action in bpy.data.actions] == ["dr\ufffdgon"]


def test_a_folder_with_a_foreign_name(tmp_path: Path) -> None:
    copied("dragon.ms3d", tmp_path)
    folder = tmp_path / FOREIGN
    folder.mkdir()
    copied("dragon.ms3d", folder)
    (folder / f"{FOREIGN}.psk").write_bytes(b"ACTRHEAD")
    assert bpy.ops.import_scene.bindpose_folder(directory=str(folder)) == {"FINISHED"}
    assert sorted(own.name for own in bpy.data.collections) == ["dr\ufffdgon", "dr\ufffdgon.001"]
    assert "dr\ufffdgon.psk: " in bpy.data.texts["Bindpose import"].as_string()


def test_new_files_with_foreign_names(tmp_path: Path) -> None:
    headless.load(CHARACTER / "dragon.ms3d")
    path = copied("dragon.glb", tmp_path).with_suffix(".ms3d")
    assert bpy.ops.export_scene.bindpose(filepath=str(path)) == {"FINISHED"}
    assert bindpose.open(path).format == "ms3d"


def test_an_image_with_a_foreign_name_is_written(tmp_path: Path) -> None:
    (collection,), _ = headless.load(CHARACTER / "dragon.ms3d")
    nodes = (node for material in bpy.data.materials for node in material.node_tree.nodes)
    next(node for node in nodes if node.type == "TEX_IMAGE").image = bpy.data.images.load(str(copied("dragon.png", tmp_path)))
    assert b"dr\xe4gon.png\0" in headless.original.changed_files(collection)["dragon.ms3d"]


def test_a_name_that_the_encoding_lacks_is_refused() -> None:
    (collection,), _ = headless.load(CHARACTER / "dragon.psk", encoding="cp1252")
    next(thing for thing in collection.objects if thing.type == "ARMATURE").data.bones["hips"].name = "бёдра"
    with pytest.raises(headless.original.RefusedError, match="cp1252, does not have all characters of 'бёдра'"):
        headless.original.changed_files(collection)
