# SPDX-License-Identifier: GPL-3.0-or-later
"""New files have what Blender shows, and an import that is exported unchanged is the same again; everything left out is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bindpose
import bpy
import exact
import headless
import numpy as np
import pytest
from conftest import SAMPLES
from new_files import action, assert_same, body, driven, made, rig, two_rigs, walking

CHARACTER = SAMPLES / "character"
SETS = {
    "ms3d": ["dragon.ms3d"],
    "psk": ["dragon.psk", "dragon.psa"],
    "x": ["dragon.x"],
    "cal3d": ["cal3d/dragon.csf", "cal3d/dragon.cmf", "cal3d/dragon.crf", "cal3d/dragon_walk.caf"],
    "unigine": ["unigine/dragon.mesh", "unigine/walk.anim"],
    "iqm": ["dragon.iqm"],
}


@pytest.mark.parametrize("family", SETS)
@pytest.mark.parametrize("orientation", ["FILE", "CHILDREN"])
def test_an_import_is_the_same_in_a_new_file(tmp_path: Path, family: str, orientation: str) -> None:
    paths = [CHARACTER / name for name in SETS[family]]
    headless.load(*paths, orientation=orientation)
    target = tmp_path / next(path.name for path in paths if path.suffix in {".ms3d", ".psk", ".x", ".cmf", ".mesh", ".iqm"})
    assert bpy.ops.export_scene.bindpose(filepath=str(target)) == {"FINISHED"}
    written = sorted(tmp_path.iterdir(), key=lambda path: path.suffix not in {".csf", ".cmf", ".mesh", ".psk"})
    before, after = bindpose.scene(*paths, rate=30), bindpose.scene(*written, rate=30)
    assert_same(before, after)
    headless.empty()
    headless.load(*written, orientation=orientation)
    assert_same(after, made()[0])


@pytest.mark.parametrize("folder", sorted(path.name for path in (SAMPLES / "corpus").iterdir() if path.is_dir()))
def test_every_sample_has_the_same_bones_and_poses(folder: str) -> None:
    for paths in exact.sets_in(SAMPLES / "corpus" / folder):
        headless.empty()
        collections, _ = headless.load(*paths, max_streams=True)
        for collection in collections:
            bundle = headless.bundle.Bundle.stored_in(collection)
            before = bundle.scene(0 if bundle.clips else None)
            try:
                after, _ = made(*collection.objects)
            except ValueError as error:
                findings = [own for part in bundle.parts(0 if bundle.clips else None) for own in part.file().check().findings]
                assert "finite" in str(error) and any(own.severity == "error" for own in findings), (paths, error)
                continue
            count = len(after.skeleton.bones)
            assert [bone.name for bone in after.skeleton.bones] == [bone.name for bone in before.skeleton.bones[:count]], paths
            bounds = np.abs(before.skeleton.bind_pose.model[:count, :3, 3])
            near = 1e-4 * max(float(np.nan_to_num(bounds).max(initial=0)), 1)
            assert np.allclose(after.skeleton.bind_pose.model, before.skeleton.bind_pose.model[:count], atol=near, equal_nan=True), paths
            # Several clips can have one name.
            clips = {(clip.name, round(clip.end - clip.start, 4)): clip for clip in before.clips}
            for clip in after.clips:
                times = np.linspace(clip.start, clip.end, 5).tolist()
                expected = clips[clip.name, round(clip.end - clip.start, 4)].sample(times).model[:, :count]
                # Blender has no keys that are not finite.
                finite = np.isfinite(expected)
                assert np.allclose(clip.sample(times).model[finite], expected[finite], atol=near), (paths, clip.name)


def test_a_rig_of_blender_has_its_bones_alone(tmp_path: Path) -> None:
    armature = rig(bones=3)
    body(armature)
    assert bpy.ops.export_scene.bindpose(filepath=str(tmp_path / "hero.psk")) == {"FINISHED"}
    assert [bone.name for bone in bindpose.scene(tmp_path / "hero.psk").skeleton.bones] == ["rig_0", "rig_1", "rig_2"]
    scene, messages = made()
    assert messages == [] and [bone.parent for bone in scene.skeleton.bones] == [None, 0, 1]
    assert np.allclose(scene.skeleton.bind_pose.model[2][:3, 3], [0, 2, 0], atol=1e-6)


def test_an_export_leaves_everything_as_it_was(tmp_path: Path) -> None:
    cat, dog = two_rigs()
    walking(cat)
    driven(dog)
    thing = dog.children[0]
    thing.shape_key_add(name="Basis")
    thing.shape_key_add(name="fat").value = 0.5
    thing.modifiers.new("Subdivision", "SUBSURF")
    dog.pose.bones[0].rotation_quaternion = (0.5, 0.5, 0.5, 0.5)
    bpy.context.scene.frame_set(4)

    def state() -> Any:
        poses = [tuple(tuple(row) for row in pose.matrix_basis) for own in (cat, dog) for pose in own.pose.bones]
        counts = [len(own) for own in (bpy.data.objects, bpy.data.meshes, bpy.data.actions, bpy.data.images, bpy.data.armatures)]
        return poses, counts, [own.animation_data.action for own in (cat, dog)], bpy.context.scene.frame_current, cat.data.pose_position

    before = state()
    for source in ("ACTIONS", "ACTIVE", "NLA", "MARKERS"):
        assert bpy.ops.export_scene.bindpose(filepath=str(tmp_path / "hero.psk"), clips=source) == {"FINISHED"}
        assert state() == before


def test_equal_names_of_several_imports_are_those_of_the_files(models: dict[str, list[Path]]) -> None:
    headless.load(*models["psk"])
    (second,), _ = headless.load(*models["psk"])
    before = bindpose.scene(*models["psk"])
    scene, messages = made(*second.objects)
    assert bpy.data.actions["sway.001"] and [clip.name for clip in scene.clips] == ["sway"]
    assert [own.name for own in scene.materials] == [own.name for own in before.materials]
    assert any("not written: 'sway'" in line for line in messages)
    bpy.data.actions["sway.001"].name = "wave"
    assert [clip.name for clip in made(*second.objects)[0].clips] == ["wave"]


def test_hidden_objects_are_evaluated() -> None:
    armature = rig(bones=3)
    thing = body(armature)
    thing.modifiers.new("Array", "ARRAY")
    action(armature, "turn", range(1, 6))
    walking(armature)
    shown, _ = made()
    armature.hide_set(True)
    thing.hide_viewport = True
    hidden, messages = made()
    assert messages == [] and armature.hide_get() and thing.hide_viewport
    assert all(np.array_equal(a.positions, b.positions) for a, b in zip(shown.meshes, hidden.meshes, strict=True))
    times = [0.0, 0.1]
    assert np.allclose(shown.clips[0].sample(times).model, hidden.clips[0].sample(times).model)


def test_everything_that_is_left_out_is_named() -> None:
    armature = rig()
    thing = body(armature)
    action(armature, "turn", range(1, 5))
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    hat = bpy.data.objects.new("hat", bpy.data.meshes.new("hat"))
    for own in (camera, hat):
        bpy.context.scene.collection.objects.link(own)
    thing.keyframe_insert("location", frame=1)
    thing.modifiers["Armature"].use_deform_preserve_volume = True
    thing.vertex_groups.remove(thing.vertex_groups[0])
    armature.pose.bones[0]["power"] = 1.0
    armature.pose.bones[0].keyframe_insert('["power"]', frame=1)
    armature.data.bones[0].bbone_segments = 4
    _, messages = made()
    for part in [
        "attachments are not written: 'camera'",
        "object 'hat': it has no faces",
        "animations of objects other than armatures are not written: 'body'",
        "Preserve Volume",
        "vertices have no weight of a bone",
        "curves of no exported property",
        "bendy bones",
        "actions that move no exported armature or shape key are not written: 'bodyAction'",
    ]:
        assert any(part in line for line in messages), (part, messages)
    assert len(messages) == 8


def exporter_of(collection: Any, path: Path) -> Any:
    """Adds an exporter to a collection, as the button in its properties does."""
    layer = next(own for own in bpy.context.view_layer.layer_collection.children if own.collection == collection)
    bpy.context.view_layer.active_layer_collection = layer
    assert bpy.ops.collection.exporter_add(name="BINDPOSE_FH_export") == {"FINISHED"}
    collection.exporters[0].export_properties.filepath = str(path)
    return collection.exporters[0].export_properties


def test_collections_are_exported_by_their_exporters(models: dict[str, list[Path]], tmp_path: Path) -> None:
    (plant,), _ = headless.load(*models["psk"])
    (dragon,), _ = headless.load(SAMPLES / "character" / "dragon.ms3d")
    for collection in (plant, dragon):
        exporter_of(collection, tmp_path / f"{collection.name}.psk")
    assert bpy.ops.collection.exporter_export(index=0) == {"FINISHED"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dragon.psa", "dragon.psk"]
    bpy.context.view_layer.active_layer_collection = bpy.context.view_layer.layer_collection.children[plant.name]
    assert bpy.ops.collection.exporter_export(index=0) == {"FINISHED"}
    for name, clips in {"plant": ["sway"], "dragon": ["idle", "walk", "wave"]}.items():
        scene = bindpose.scene(tmp_path / f"{name}.psk", tmp_path / f"{name}.psa")
        assert [clip.name for clip in scene.clips] == clips


def test_an_exporter_has_options_of_its_own(models: dict[str, list[Path]], tmp_path: Path) -> None:
    (plant,), _ = headless.load(*models["psk"])
    options = exporter_of(plant, tmp_path / "plant.psk")
    options.animations = False
    assert bpy.ops.collection.exporter_export(index=0) == {"FINISHED"}
    assert [path.name for path in tmp_path.iterdir()] == ["plant.psk"]
    with pytest.raises(RuntimeError, match="no collection 'ghost'"):
        bpy.ops.export_scene.bindpose(filepath=str(tmp_path / "copy.psk"), collection="ghost")
