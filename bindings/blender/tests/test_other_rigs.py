# SPDX-License-Identifier: GPL-3.0-or-later
"""Animations move armatures that are not from their files."""

from __future__ import annotations

import shutil
from math import radians
from pathlib import Path
from typing import Any

import bindpose
import bpy
import headless
import numpy as np
import pytest
from conftest import SAMPLES
from mathutils import Matrix

CHARACTER = SAMPLES / "character"
MESH, CLIPS = CHARACTER / "dragon.psk", CHARACTER / "dragon.psa"


def a_rig(turn: float = 0.0, roll: float = 0.0, scale: float = 1.0, names: dict[str, str] | None = None) -> tuple[Any, Any]:
    """A mesh and an armature of the dragon with nothing that an import marks, turned around Z, with bones in other axes."""
    (collection,), _ = headless.load(MESH)
    armature = next(own for own in collection.objects if own.type == "ARMATURE")
    mesh = next(own for own in collection.objects if own.type == "MESH")
    size = Matrix.Rotation(turn, 4, "Z") @ Matrix.Scale(scale, 4)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in armature.data.edit_bones:
        bone.matrix = Matrix.Rotation(turn, 4, "Z") @ bone.matrix @ Matrix.Rotation(roll, 4, "X") @ Matrix.Rotation(roll, 4, "Y")
        bone.translate((size @ bone.head) - bone.head if not turn else Matrix.Scale(scale, 4) @ bone.head - bone.head)
    bpy.ops.object.mode_set(mode="OBJECT")
    if mesh.data.shape_keys:
        mesh.shape_key_clear()
    mesh.data.transform(size)
    for bone in armature.data.bones:
        bone.name = (names or {}).get(bone.name, bone.name)
    for thing in (collection, armature, mesh, *armature.data.bones):
        for key in [key for key in thing.keys() if key.startswith("bindpose")]:
            del thing[key]
    bpy.context.view_layer.objects.active = armature
    return armature, mesh


def add(*paths: Path, **choices: Any) -> Any:
    """Imports files while the armature is active, and returns the report."""
    report = headless.report.Report("import")
    own = headless.importer.Choices(**choices)
    headless.importer.import_files(list(paths), headless.preferences.Options(), report, bpy.context.active_object, own)
    assert report.errors == []
    return report


def error(armature: Any, mesh: Any, turn: float, scale: float) -> float:
    """The largest distance to the vertices that bindpose computes, relative to the size, in all clips."""
    scene = bindpose.scene(MESH, CLIPS)
    fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    place = np.array(Matrix.Rotation(turn, 4, "Z"))[:3, :3] * scale @ headless.space.TO_BLENDER[:3, :3]
    worst = 0.0
    for clip in scene.clips:
        headless.actions.assign(bpy.data.actions[clip.name], armature)
        for frame in (0, int(clip.end * fps * 0.4)):
            bpy.context.scene.frame_set(frame)
            found = headless.evaluated(mesh)
            expected = np.asarray(scene.replace(clips=[clip_without_morphs(clip)]).posed(0, frame / fps)[0].positions, np.float64) @ place.T
            size = np.ptp(expected, axis=0).max()
            # The points of the file, in any order.
            nearest = [np.abs(expected - vertex).max(axis=1).min() for vertex in found[::7]]
            worst = max(worst, max(nearest) / size)
    return worst


def clip_without_morphs(clip: Any) -> Any:
    return bindpose.Clip(clip.name, clip.tracks)


@pytest.mark.parametrize(("turn", "roll", "scale"), [(0.0, 0.0, 1.0), (0.0, 0.7, 1.0), (radians(90), 0.7, 1.0), (radians(180), 0.0, 100.0)])
def test_clips_move_an_armature_with_other_axes(turn: float, roll: float, scale: float) -> None:
    armature, mesh = a_rig(turn, roll, scale)
    count = len(bpy.data.objects)
    report = add(CLIPS)
    assert len(bpy.data.objects) == count and not [line for line in report.warnings if "bone" in line], report.warnings
    assert armature.animation_data.action.name == "idle"
    assert error(armature, mesh, turn, scale) < 1e-4


def test_bones_are_paired_by_case_and_padding_and_by_a_table(tmp_path: Path) -> None:
    names = {"hips": "HIPS ", "tail_1": "Tail 1", "spine": "Rücken", "root": "Other root"}
    armature, mesh = a_rig(names=names)
    table = tmp_path / "bones.csv"
    table.write_text("old,new\n# A comment\nspine,Rücken\nbone,ghost,HIPS\nmaterial,a,b\n", "utf-8")
    report = add(CLIPS, table=headless.other_rigs.read_table(table))
    lines = "\n".join(report.warnings)
    assert "'hips = HIPS '" in lines and "'tail_1 = Tail 1'" in lines and "does not have: 'root'" in lines and "'ghost'" in lines
    curves = headless.actions.channels_of(bpy.data.actions["walk"])
    moved = {curve.data_path.split('"')[1] for curve in curves}
    assert {"HIPS ", "Tail 1", "Rücken"} <= moved
    assert error(armature, mesh, 0.0, 1.0) < 1e-4


@pytest.mark.parametrize("is_option", [True, False])
def test_a_table_is_an_option_or_one_of_the_files(tmp_path: Path, is_option: bool) -> None:
    armature, mesh = a_rig(names={"spine": "Rücken", "hips": "Becken"})
    table = Path(tmp_path / "bones.CSV")
    table.write_text("spine,Rücken\nhips,Becken\n", "utf-8")
    shutil.copy(CLIPS, tmp_path)
    files = [{"name": CLIPS.name}, *([] if is_option else [{"name": table.name}])]
    own = {"bones_table": str(table)} if is_option else {}
    assert bpy.ops.import_scene.bindpose(directory=str(tmp_path), files=files, **own) == {"FINISHED"}
    assert error(armature, mesh, 0.0, 1.0) < 1e-4
    curves = headless.actions.channels_of(bpy.data.actions["walk"])
    assert {"Rücken", "Becken"} <= {curve.data_path.split('"')[1] for curve in curves}


@pytest.mark.parametrize(
    ("names", "targets", "table", "expected"),
    [
        (["Bip01_Spine"], ["bip01 spine"], {}, {0: "bip01 spine"}),
        (["spine", "SPINE"], ["Spine"], {}, {}),
        (["spine"], ["Spine", "SPINE"], {}, {}),
        (["spine", "SPINE"], ["Spine", "SPINE"], {}, {0: "Spine", 1: "SPINE"}),
        (["a", "b"], ["a", "b"], {"a": "b", "b": "a"}, {0: "b", 1: "a"}),
        (["a  "], [" A"], {}, {0: " A"}),
        (["a", "b", "a"], ["a.001", "b", "a"], {}, {0: "a", 1: "b", 2: "a.001"}),
        (["a", "a"], ["a"], {}, {}),
    ],
)
def test_pairs(names: list[str], targets: list[str], table: dict[str, str], expected: dict[int, str]) -> None:
    assert headless.other_rigs.paired(names, targets, table) == expected


@pytest.mark.parametrize("text", ["", "a\n", "a,b,c\n", ",b\n", "a,b\na,c\n", "a,b\nc,b\n", "# a,b\n"])
def test_a_table_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    armature, _ = a_rig()
    table = tmp_path / "bones.csv"
    table.write_text(text)
    with pytest.raises(RuntimeError, match=r"bones\.csv"):
        bpy.ops.import_scene.bindpose(filepath=str(CLIPS), bones_table=str(table))
    assert not bpy.data.actions and bpy.context.active_object == armature


@pytest.mark.parametrize(("turn", "scale"), [(0.0, 1.0), (radians(90), 1.0), (0.0, 100.0)])
def test_an_animation_without_a_rest_pose_has_that_of_the_armature(tmp_path: Path, turn: float, scale: float) -> None:
    file = bindpose.open(CLIPS)
    for index in range(len(file["chunks[1].records"])):
        # As UE Viewer writes them.
        file[f"chunks[1].records[{index}].position"] = (0.0, 0.0, 0.0)
        file[f"chunks[1].records[{index}].orientation"] = (0.0, 0.0, 0.0, 1.0)
        file[f"chunks[1].records[{index}].parent_index"] = 0
    file.save(tmp_path / "dragon.psa")
    armature, mesh = a_rig(turn=turn, scale=scale)
    report = add(tmp_path / "dragon.psa")
    lines = [line for line in report.warnings if "no rest pose" in line]
    assert len(lines) == 1 and ("times 100" in lines[0]) == (scale == 100), report.warnings
    assert error(armature, mesh, turn, scale) < 1e-4


@pytest.mark.parametrize("roll", [0.0, 0.7])
def test_a_rest_pose_without_a_hierarchy_is_not_used(tmp_path: Path, roll: float) -> None:
    file = bindpose.open(CLIPS)
    for index in range(len(file["chunks[1].records"])):
        file[f"chunks[1].records[{index}].parent_index"] = 0
    file.save(tmp_path / "dragon.psa")
    armature, mesh = a_rig(roll=roll)
    lines = [line for line in add(tmp_path / "dragon.psa").warnings if "rest pose" in line]
    if roll:
        # The axes of the bones of the file are unknown.
        assert any("poses can be wrong" in line for line in lines), lines
    else:
        assert len(lines) == 1 and "its keys fit the armature" in lines[0]
        assert error(armature, mesh, 0.0, 1.0) < 1e-4


def test_an_animation_with_several_roots_has_the_hierarchy_of_the_armature(tmp_path: Path) -> None:
    file = bindpose.open(CLIPS)
    # Links to parents that do not exist, as in files of Harry Potter 2.
    for index in (1, 4):
        file[f"chunks[1].records[{index}].parent_index"] = 1000
    file.save(tmp_path / "dragon.psa")
    armature, mesh = a_rig()
    add(tmp_path / "dragon.psa")
    assert error(armature, mesh, 0.0, 1.0) < 1e-4


def test_another_rest_pose_is_reported() -> None:
    armature, _ = a_rig()
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones["tail_2"].translate(armature.data.edit_bones["tail_2"].vector * 2)
    bpy.ops.object.mode_set(mode="OBJECT")
    report = add(CLIPS)
    assert any("another rest pose" in line and "'tail_2'" in line for line in report.warnings), report.warnings


def test_bones_that_rotate_by_angles_are_named() -> None:
    armature, mesh = a_rig()
    armature.pose.bones["hips"].rotation_mode = "XYZ"
    report = add(CLIPS)
    assert any("quaternions" in line and "'hips'" in line for line in report.warnings)
    assert error(armature, mesh, 0.0, 1.0) < 1e-4


def test_animations_of_other_bones_get_an_armature_of_their_own(models: dict[str, list[Path]]) -> None:
    armature, _ = a_rig()
    report = add(models["psk"][1])
    assert any("no bone has the name" in line for line in report.warnings)
    assert [own for own in bpy.data.objects if own.type == "ARMATURE" and own != armature]


def test_a_skeleton_names_the_bones_of_an_animation() -> None:
    armature, mesh = a_rig()
    add(CHARACTER / "cal3d/dragon.csf", CHARACTER / "cal3d/dragon_walk.caf")
    assert armature.animation_data.action.name.endswith("walk")
    assert len([own for own in bpy.data.objects if own.type == "ARMATURE"]) == 1


def test_a_prefix_is_in_blender_only(tmp_path: Path) -> None:
    files = [{"name": path.name} for path in (MESH, CLIPS)]
    assert bpy.ops.import_scene.bindpose(directory=str(MESH.parent), files=files, prefix="gnome_") == {"FINISHED"}
    assert {"gnome_idle", "gnome_walk", "gnome_wave"} <= {action.name for action in bpy.data.actions}
    (collection,) = (own for own in bpy.data.collections if headless.bundle.Bundle.stored_in(own))
    assert headless.original.changed_files(collection) == {path.name: path.read_bytes() for path in (MESH, CLIPS)}
    bpy.data.actions["gnome_walk"].name = "gnome_run"
    bpy.data.actions["gnome_idle"].name = "idle by hand"
    changed = headless.original.changed(collection)["dragon.psa"]
    names = {"idle by hand", "run", "wave"}
    assert {clip.name for clip in bindpose.scene(changed).clips} == names
    assert bpy.ops.export_scene.bindpose(filepath=str(tmp_path / "copy.psk")) == {"FINISHED"}
    assert {clip.name for clip in bindpose.scene(tmp_path / "copy.psa").clips} == names


def test_a_prefix_of_actions_on_another_armature_is_not_in_new_files(tmp_path: Path) -> None:
    a_rig()
    add(CLIPS, prefix="gnome_")
    assert {action.name for action in bpy.data.actions} == {"gnome_idle", "gnome_walk", "gnome_wave"}
    assert bpy.ops.export_scene.bindpose(filepath=str(tmp_path / "copy.psk")) == {"FINISHED"}
    assert {clip.name for clip in bindpose.scene(tmp_path / "copy.psa").clips} == {"idle", "walk", "wave"}


@pytest.mark.parametrize("is_imported", [True, False])
def test_the_config_beside_an_animation_is_used(tmp_path: Path, is_imported: bool) -> None:
    for name, target in {"plane.psk": "plane.psk", "wave.psa": "wave.psa", "tracks.config": "wave.config"}.items():
        shutil.copy(SAMPLES / "corpus/psk" / name, tmp_path / target)
    (collection,), _ = headless.load(tmp_path / "plane.psk")
    armature = next(own for own in collection.objects if own.type == "ARMATURE")
    if not is_imported:
        for thing in (collection, armature, *armature.data.bones):
            for key in [key for key in thing.keys() if key.startswith("bindpose")]:
                del thing[key]
    bpy.context.view_layer.objects.active = armature
    report = add(tmp_path / "wave.psa")
    assert len([own for own in bpy.data.objects if own.type == "ARMATURE"]) == 1 and any("wave.config" in line for line in report.warnings)
    curves = headless.actions.channels_of(armature.animation_data.action)
    moved = {curve.data_path.split('"')[1] for curve in curves if len({round(point.co.y, 5) for point in curve.keyframe_points}) > 1}
    # It removes the tracks of the other bone.
    assert "top" not in moved
    if is_imported:
        assert set(headless.original.changed_files(collection)) == {"plane.psk", "wave.psa", "wave.config"}
        shutil.copy(tmp_path / "wave.psa", tmp_path / "again.psa")
        (tmp_path / "again.config").write_text("[RemoveTracks]\nWave.0=all\n")
        bpy.context.view_layer.objects.active = armature
        assert any(line.startswith("again.config: it is not used") for line in add(tmp_path / "again.psa").warnings)
