# SPDX-License-Identifier: GPL-3.0-or-later
"""The export into the original changes what was edited, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bindpose
import bpy
import headless
import model
import numpy as np
import pytest
from conftest import SAMPLES
from mathutils import Vector

FAMILIES = list(model.SETS)


def reopened(folder: Path) -> Any:
    """Saves the file of Blender and opens it again; returns the imported collection."""
    path = folder / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    headless.empty()
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return next(own for own in bpy.data.collections if headless.bundle.Bundle.stored_in(own))


def armature_in(collection: Any) -> Any:
    return next(thing for thing in collection.objects if thing.type == "ARMATURE")


def differences(paths: list[Path], data: dict[str, bytes]) -> dict[str, list[Any]]:
    found = {}
    for path in paths:
        before = bindpose.open(path)
        after = bindpose.decode(data[path.name], format=before.format)
        # The length of packed content follows from it.
        found[path.name] = [own for own in before.diff(after) if not own.path.endswith(".len_packed")]
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_without_an_edit_the_bytes_are_the_same(models: dict[str, list[Path]], family: str, tmp_path: Path) -> None:
    headless.load(*models[family])
    data = headless.original.changed_files(reopened(tmp_path))
    assert data == {path.name: path.read_bytes() for path in models[family]}


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "max"])
def test_edits_change_their_values_only(models: dict[str, list[Path]], family: str, tmp_path: Path) -> None:
    headless.load(*models[family])
    collection = reopened(tmp_path)
    thing = next(own for own in collection.objects if own.type == "MESH" and len(own.data.vertices) >= 100)
    for vertex in thing.data.vertices[:100]:
        vertex.co.z += 0.125
    armature = armature_in(collection)
    armature.data.bones["stem_3"].name = "middle"
    curves = headless.actions.channels_of(armature.animation_data.action)
    turn = [curve for curve in curves if curve.data_path == 'pose.bones["stem_2"].rotation_quaternion']
    angle = 0.4
    former = [curve.keyframe_points[10].co[1] for curve in turn]
    for curve, value in zip(turn, [np.cos(angle), np.sin(angle), 0, 0], strict=True):
        curve.keyframe_points[10].co[1] = value
    if family in WITHOUT_KEYS:
        with pytest.raises(headless.original.RefusedError, match="clip 'sway'"):
            headless.original.changed_files(collection)
        for curve, value in zip(turn, former, strict=True):
            curve.keyframe_points[10].co[1] = value
    data = headless.original.changed_files(collection)
    found = differences(models[family], data)
    renamed = [own for own in sum(found.values(), []) if own.b == "middle" or "stem_3" in str(own.a) or own.path in NAMES]
    assert renamed
    records = edited_records(models[family], thing[headless.meshes.MESH])
    left = {own.path for own in sum(found.values(), []) if own not in renamed}
    for paths in records:
        assert left & paths, f"none of {sorted(paths)} changed"
        left -= paths
    assert left == set()
    check_scene(models[family], data, None if family in WITHOUT_KEYS else angle)


NAMES = {"sections.text", "sections.joints[3].name"}
"""The name of the bone in an Inter-Quake Model: its place in a text of all names."""
WITHOUT_KEYS = {"iqm"}
"""The families whose keys are not values of their own in the file."""


def edited_records(paths: list[Path], mesh: int) -> list[set[str]]:
    """Returns the numbers of each record that the edits of the test change."""
    files = [bindpose.open(path) for path in paths]
    scene = bindpose.scene(*files, rate=model.RATE)
    vertices = next(own for own in scene.sources if own.mesh == mesh and own.attribute == "position")
    turns = next((own for own in scene.sources if own.bone == 2 and own.attribute == "rotation"), None)
    _, first = np.unique(vertices.records, return_index=True)
    places = [(vertices.file, vertices.path(int(vertex))) for vertex in first[:100]]
    if turns is not None:
        places.append((turns.file, turns.path(10)))
    return [{path for path, _ in files[file].get_all(place)} for file, place in places]


def check_scene(paths: list[Path], data: dict[str, bytes], angle: float | None) -> None:
    """The scene of the result has the edits."""
    before = bindpose.scene(*paths, rate=model.RATE)
    files = [bindpose.decode(data[path.name], format=bindpose.open(path).format, name=path.stem) for path in paths]
    after = bindpose.scene(*files, rate=model.RATE)
    assert [bone.name for bone in after.skeleton.bones][3] == "middle"
    moved = sum(
        int((np.abs(b.positions - a.positions).max(axis=1) > 1e-3).sum()) for a, b in zip(before.meshes, after.meshes, strict=True)
    )
    assert moved >= 100
    raised = [b.positions - a.positions for a, b in zip(before.meshes, after.meshes, strict=True)]
    highest = np.concatenate(raised)
    assert np.allclose(highest[np.abs(highest).max(axis=1) > 1e-3], [0, 0.125, 0], atol=1e-5)
    turned = after.clips[0].sample(10 / model.RATE).rotations[2]
    if angle is not None:
        assert abs(abs(turned[3]) - np.cos(angle)) < 1e-3
    for frame in (9, 11) if angle is not None else (9, 10, 11):
        same = [own.clips[0].sample(frame / model.RATE).rotations[2] for own in (before, after)]
        assert np.allclose(*same, atol=1e-6)


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "max"])
def test_only_moved_coordinates_change(models: dict[str, list[Path]], family: str) -> None:
    made, _ = headless.load(*models[family])
    thing = next(own for own in made[0].objects if own.type == "MESH" and len(own.data.vertices) >= 200)
    for vertex in thing.data.vertices[:200]:
        vertex.co.x += 0.125
    found = sum(differences(models[family], headless.original.changed_files(made[0])).values(), [])
    assert len(found) == 200, found
    assert all(float(own.b) == float(str(np.float32(own.b))) for own in found), found


@pytest.mark.parametrize("source", ["dragon.ms3d", "dragon.psk", "dragon.x", "dragon.iqm", "unigine/dragon.mesh", "cal3d/*"])
def test_only_edited_components_change(source: str) -> None:
    paths = sorted((SAMPLES / "character").glob(source))
    (collection,), _ = headless.load(*paths)
    data = next(own for own in collection.objects if own.type == "MESH").data
    points = data.shape_keys.key_blocks if data.shape_keys else [data]
    for block in points:
        for point in getattr(block, "data", data.vertices):
            # As the tools of Blender round.
            point.co += Vector((1e-7, -1e-7, 0.125))
    for corner in data.uv_layers[0].uv:
        corner.vector.x += 0.125
    files = [bindpose.open(path) for path in paths]
    before = bindpose.scene(*files).meshes[0]
    data = headless.original.changed_files(collection)
    after = bindpose.scene(*[bindpose.decode(data[path.name], format=file.format) for path, file in zip(paths, files, strict=True)]).meshes[0]
    assert (after.positions[:, [0, 2]] == before.positions[:, [0, 2]]).all() and (after.positions[:, 1] != before.positions[:, 1]).all()
    assert (after.uvs[0][:, 1] == before.uvs[0][:, 1]).all() and (after.uvs[0][:, 0] != before.uvs[0][:, 0]).all()


def test_only_edited_components_of_shape_keys_change() -> None:
    path = SAMPLES / "character" / "dragon.psk"
    (collection,), _ = headless.load(path)
    blocks = next(own for own in collection.objects if own.type == "MESH").data.shape_keys.key_blocks
    for base, point in zip(blocks[0].data, blocks[1].data, strict=True):
        if (point.co - base.co).length > 1e-4:
            point.co.x += 0.125
    found = differences([path], headless.original.changed_files(collection))[path.name]
    assert found and all(own.path.endswith(".position_delta[0]") for own in found), found


def test_only_edited_components_of_keys_change() -> None:
    paths = [SAMPLES / "character" / name for name in ("dragon.psk", "dragon.psa")]
    (collection,), _ = headless.load(*paths)
    curves = headless.actions.channels_of(armature_in(collection).animation_data.action)
    curve = next(own for own in curves if own.data_path == 'pose.bones["hips"].location' and own.array_index == 0)
    for key in curve.keyframe_points:
        key.co.y += 0.125
    found = differences(paths, headless.original.changed_files(collection))[paths[1].name]
    assert len(found) == len(curve.keyframe_points) and all(own.path.endswith(".position[0]") for own in found), found


def test_values_that_a_file_has_in_several_fields_are_refused(models: dict[str, list[Path]]) -> None:
    made, _ = headless.load(*models["max"])
    thing = next(own for own in made[0].objects if own.type == "MESH")
    thing.data.vertices[0].co.z += 1
    with pytest.raises(headless.original.RefusedError, match="several fields"):
        headless.original.changed_files(made[0])


def test_changes_of_the_topology_are_refused_by_name(models: dict[str, list[Path]]) -> None:
    made, _ = headless.load(*models["psk"])
    armature = armature_in(made[0])
    thing = next(own for own in made[0].objects if own.type == "MESH")
    thing.data.vertices.add(1)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones["stem_5"])
    added = armature.data.edit_bones.new("extra")
    added.tail = (0, 1, 0)
    armature.data.edit_bones["stem_1"].tail.x += 0.3
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(headless.original.RefusedError) as refused:
        headless.original.changed_files(made[0])
    text = str(refused.value)
    for expected in ("bones were removed: 'stem_5'", "bones were added: 'extra'", "684 vertices", "'stem_1'"):
        assert expected in text, text


def test_a_renamed_clip_and_bone_change_all_files(models: dict[str, list[Path]]) -> None:
    made, _ = headless.load(*models["psk"])
    armature = armature_in(made[0])
    armature.data.bones["stem_0"].name = "root"
    armature.animation_data.action.name = "wind"
    data = headless.original.changed_files(made[0])
    found = differences(models["psk"], data)
    assert [(own.a, own.b) for own in found["plant.psk"]] == [("stem_0", "root")]
    assert {(own.a, own.b) for own in found["plant.psa"]} == {("stem_0", "root"), ("sway", "wind")}


@pytest.mark.parametrize("source", ["dragon.ps*", "dragon.x", "dragon.iqm", "cal3d/*", "unigine/*"])
def test_a_renamed_bone_of_several_clips(source: str) -> None:
    paths = sorted((SAMPLES / "character").glob(source))
    made, _ = headless.load(*paths)
    bones = armature_in(made[0]).data.bones
    former = [bone.name for bone in bones][3:5]
    bones[former[1]].name = "renamed"
    bones[former[0]].name = former[1]
    files = [bindpose.open(path) for path in paths]
    bindpose.rename(*files, bones={former[0]: former[1], former[1]: "renamed"})
    assert headless.original.changed_files(made[0]) == {path.name: file.encode() for path, file in zip(paths, files, strict=True)}


@pytest.mark.parametrize("name", ["/home/u/.bashrc", "../hero.psk", "a/b.psk", "..\\b.psk", "C:b.psk", "..", ""])
def test_a_name_that_leads_to_another_folder_is_refused(models: dict[str, list[Path]], name: str, tmp_path: Path) -> None:
    collection = headless.load(*models["psk"])[0][0]
    collection["bindpose"]["model"]["0"]["name"] = name
    with pytest.raises(headless.original.RefusedError, match="is not the name of a file"):
        headless.exporter.export_original(collection, tmp_path, only_changed=True)
    assert not list(tmp_path.iterdir())


def test_a_replaced_file_keeps_its_permissions(models: dict[str, list[Path]], tmp_path: Path) -> None:
    collection = headless.load(*models["psk"])[0][0]
    path = tmp_path / models["psk"][0].name
    path.write_bytes(b"another")
    path.chmod(0o640)
    assert path in headless.exporter.export_original(collection, tmp_path, only_changed=True)
    assert path.stat().st_mode & 0o777 == 0o640
    assert path.read_bytes() == models["psk"][0].read_bytes()


def test_a_file_that_is_imported_again_adds_what_is_missing() -> None:
    paths = [SAMPLES / "character" / name for name in ("dragon.psk", "dragon.psa")]
    (collection,), _ = headless.load(*paths)
    armature = armature_in(collection)
    bpy.data.actions.remove(bpy.data.actions["walk"])
    bpy.data.actions["idle"].name = "rest"
    before = {action.name for action in bpy.data.actions}
    bpy.context.view_layer.objects.active = armature
    report = headless.report.Report("import")
    headless.importer.import_files(paths[1:], headless.preferences.Options(), report, armature)
    assert {action.name for action in bpy.data.actions} == before | {"walk"}
    assert [line for line in report.warnings if "imported before keep their actions: 'idle', 'wave'" in line]
    data = headless.original.changed_files(collection)
    assert [clip.name for clip in bindpose.scene(data["dragon.psk"], data["dragon.psa"]).clips] == ["rest", "walk", "wave"]


def test_files_of_one_name_are_refused(tmp_path: Path) -> None:
    path = SAMPLES / "character" / "dragon.psa"
    (collection,), _ = headless.load(SAMPLES / "character" / "dragon.psk", path)
    other = bindpose.open(path)
    bindpose.rename(other, clips={"walk": "run"})
    other.save(tmp_path / path.name)
    headless.importer.import_files([tmp_path / path.name], headless.preferences.Options(), headless.report.Report("import"), armature_in(collection))
    with pytest.raises(headless.original.RefusedError, match="several files from different folders have the name 'dragon.psa'"):
        headless.original.changed_files(collection)


def test_undo_keeps_files_and_clips_together(tmp_path: Path) -> None:
    folder = SAMPLES / "character"
    bpy.ops.ed.undo_push(message="start")
    bpy.ops.import_scene.bindpose(directory=str(folder), files=[{"name": "dragon.psk"}, {"name": "dragon.psa"}])
    bpy.ops.ed.undo_push(message="import")
    bpy.ops.ed.undo()
    assert not bpy.data.collections and not bpy.data.actions
    bpy.ops.ed.redo()
    armature = armature_in(bpy.data.collections["dragon"])
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="POSE")
    assert bpy.ops.export_scene.bindpose_original(directory=str(tmp_path)) == {"FINISHED"}
    bpy.ops.import_scene.bindpose(directory=str(folder / "unigine"), files=[{"name": path.name} for path in (folder / "unigine").glob("*.anim")])
    bpy.ops.ed.undo_push(message="other import")
    bpy.ops.ed.undo()
    collection = bpy.data.collections["dragon"]
    assert headless.original.changed_files(collection) == {path.name: path.read_bytes() for path in (folder / "dragon.psk", folder / "dragon.psa")}


def test_copies_of_a_scene_do_not_change_each_other() -> None:
    paths = [SAMPLES / "character" / name for name in ("dragon.psk", "dragon.psa")]
    (collection,), _ = headless.load(*paths)
    bpy.ops.scene.new(type="FULL_COPY")
    copy = next(own for own in bpy.data.collections if own != collection)
    assert armature_in(copy).animation_data.action != armature_in(collection).animation_data.action
    assert headless.original.changed_files(collection) == {path.name: path.read_bytes() for path in paths}


@pytest.mark.parametrize("link", [False, True])
def test_a_collection_in_another_blend_has_all_its_actions(link: bool, tmp_path: Path) -> None:
    paths = [SAMPLES / "character" / name for name in ("dragon.psk", "dragon.psa")]
    headless.load(*paths)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    headless.empty()
    with bpy.data.libraries.load(str(tmp_path / "scene.blend"), link=link) as (_, data):
        data.collections = ["dragon"]
    (collection,) = data.collections
    bpy.context.scene.collection.children.link(collection)
    assert headless.original.changed_files(collection) == {path.name: path.read_bytes() for path in paths}


def test_a_folder_with_the_name_of_a_file_is_named(models: dict[str, list[Path]], tmp_path: Path) -> None:
    (collection,), _ = headless.load(*models["ms3d"])
    (tmp_path / "plant.ms3d").mkdir()
    bpy.context.view_layer.objects.active = armature_in(collection)
    with pytest.raises(RuntimeError) as error:
        bpy.ops.export_scene.bindpose_original(directory=str(tmp_path))
    assert "None" not in str(error.value)
