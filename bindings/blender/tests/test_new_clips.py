# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips of new files have what Blender shows."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import bindpose
import bpy
import headless
import numpy as np
import pytest
from conftest import SAMPLES
from mathutils import Matrix
from new_files import action, assert_shown, body, driven, error_at, made, rig, times_of, two_rigs, walking


def test_the_sequences_of_a_psa_are_the_same(tmp_path: Path) -> None:
    file = bindpose.open(SAMPLES / "character" / "dragon.psa")
    file["chunks[2].records[*].rate"] = 30.337
    file.save(tmp_path / "dragon.psa")
    headless.load(SAMPLES / "character" / "dragon.psk", tmp_path / "dragon.psa")
    target = tmp_path / "copy"
    target.mkdir()
    assert bpy.ops.export_scene.bindpose(filepath=str(target / "dragon.psk")) == {"FINISHED"}
    again = bindpose.open(target / "dragon.psa")
    for name in ("name", "rate", "raw_frame_count", "frame_count"):
        if f"chunks[2].records[0].{name}" in file:
            assert again[f"chunks[2].records[*].{name}"] == file[f"chunks[2].records[*].{name}"]
    own, other = bindpose.scene(target / "dragon.psa"), bindpose.scene(tmp_path / "dragon.psa")
    assert times_of(own) == times_of(other)
    for a, b in zip(own.clips, other.clips, strict=True):
        assert np.allclose(a.sample([0.0, 1.0]).local, b.sample([0.0, 1.0]).local, atol=2e-6)


@pytest.mark.parametrize("first", [0, 1, 12, -5])
@pytest.mark.parametrize("rate", [24.0, 30.337])
def test_an_action_has_a_key_for_each_of_its_frames(tmp_path: Path, first: int, rate: float) -> None:
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = math.ceil(rate), math.ceil(rate) / rate
    armature = rig()
    body(armature)
    action(armature, "turn", range(first, first + 24))
    assert bpy.ops.export_scene.bindpose(filepath=str(tmp_path / "hero.psk")) == {"FINISHED"}
    sequence = bindpose.open(tmp_path / "hero.psa")["chunks[2].records[0]"]
    assert sequence["rate"] == pytest.approx(rate, rel=1e-6)
    (clip,) = bindpose.scene(tmp_path / "hero.psk", tmp_path / "hero.psa").clips
    # Tracks that are constant have fewer.
    assert max(len(track.rotation.times) for track in clip.tracks) == 24
    assert clip.end == pytest.approx(23 / rate, rel=1e-5)
    assert_shown(made()[0], range(first, first + 24))


def test_a_set_range_is_that_of_the_clip() -> None:
    armature = rig()
    body(armature)
    own = action(armature, "turn", range(1, 25))
    own.use_frame_range, own.frame_start, own.frame_end = True, 5, 30
    scene, _ = made()
    assert (scene.clips[0].start, scene.clips[0].end) == pytest.approx((0, 25 / 24))
    assert_shown(scene, range(5, 31))


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "AXIS_ANGLE"])
@pytest.mark.parametrize("interpolation", ["BEZIER", "LINEAR", "CONSTANT"])
def test_clips_are_what_blender_shows_between_keys(mode: str, interpolation: str) -> None:
    armature = rig(bones=3)
    body(armature)
    if mode == "AXIS_ANGLE":
        pose = armature.pose.bones[1]
        pose.rotation_mode = mode
        for frame, angle in ((1, 0.0), (20, 1.5)):
            pose.rotation_axis_angle = (angle, 1, 0, 0)
            pose.keyframe_insert("rotation_axis_angle", frame=frame)
    else:
        action(armature, "turn", range(1, 25, 23), angle=2.0, mode=mode)
    armature.pose.bones[0].keyframe_insert("location", frame=1)
    armature.pose.bones[0].location = (0.5, 0.25, 0.0)
    armature.pose.bones[0].keyframe_insert("location", frame=20)
    for curve in headless.actions.channels_of(armature.animation_data.action):
        for point in curve.keyframe_points:
            point.interpolation = interpolation
    scene, _ = made()
    assert_shown(scene, range(1, 21), near=2e-4)
    if interpolation == "CONSTANT":
        assert {curve.interpolation for track in scene.clips[0].tracks for curve in track[1:] if curve} == {"step"}
    every, _ = made(every_frame=True)
    assert {len(curve.times) for track in every.clips[0].tracks for curve in track[1:] if curve} == ({24, 20} if mode != "AXIS_ANGLE" else {20})


def test_two_rigs_have_all_clips_and_each_its_own(tmp_path: Path) -> None:
    cat, dog = two_rigs()
    scene, messages = made()
    assert messages == [] and [clip.name for clip in scene.clips] == ["cat_run", "cat_sit", "dog_run", "dog_sit"]
    assert [{scene.skeleton.bones[track.bone].name[:3] for track in clip.tracks} for clip in scene.clips] == [{"cat"}] * 2 + [{"dog"}] * 2
    for thing in bpy.context.scene.objects:
        thing.select_set(thing in (dog, *dog.children))
    target = tmp_path / "dog.psk"
    assert bpy.ops.export_scene.bindpose(filepath=str(target), use_selection=True) == {"FINISHED"}
    assert [clip.name for clip in bindpose.scene(target, target.with_suffix(".psa")).clips] == ["dog_run", "dog_sit"]
    assert any("not written: 'cat_run', 'cat_sit'" in line for line in made(dog, *dog.children)[1])


def test_the_source_of_clips(tmp_path: Path) -> None:
    cat, dog = two_rigs()
    assert [clip.name for clip in made(source="ACTIVE")[0].clips] == ["cat_sit", "dog_sit"]
    assert made(source=None)[0].clips == ()
    for start, marker in ((3, "first"), (7, "second")):
        bpy.context.scene.timeline_markers.new(marker, frame=start)
    bpy.context.scene.frame_end = 12
    scene, _ = made(source="MARKERS")
    assert [(clip.name, round(clip.end * 24)) for clip in scene.clips] == [("first", 3), ("second", 5)]
    assert_shown(scene, range(3, 7), "first")
    assert_shown(scene, range(7, 13), "second")
    assert made(source="NLA")[0].clips == ()
    data = cat.animation_data
    strip = data.nla_tracks.new().strips.new("gallop", 20, bpy.data.actions["cat_run"])
    strip.name, strip.scale = "gallop", 2
    muted = data.nla_tracks.new()
    muted.strips.new("muted", 60, bpy.data.actions["cat_run"])
    muted.mute = True
    scene, _ = made(cat, *cat.children, source="NLA")
    assert [(clip.name, round(clip.end * 24)) for clip in scene.clips] == [("gallop", 18)]
    data.action = dog.animation_data.action = None
    for pose in dog.pose.bones:
        pose.matrix_basis = Matrix()
    assert_shown(made(source="NLA")[0], range(20, 39), "gallop")
    with pytest.raises(TypeError, match="enum"):
        bpy.ops.export_scene.bindpose(filepath=str(tmp_path / "hero.psk"), clips="OTHER")


def test_actions_without_a_user_go_to_the_rig_with_their_bones() -> None:
    cat, dog = two_rigs()
    cat.animation_data.action = dog.animation_data.action = None
    scene, _ = made()
    assert [(clip.name, scene.skeleton.bones[clip.tracks[0].bone].name[:3]) for clip in scene.clips] == [
        ("cat_run", "cat"),
        ("cat_sit", "cat"),
        ("dog_run", "dog"),
        ("dog_sit", "dog"),
    ]


def constrained(armature: Any) -> None:
    target = bpy.data.objects.new("target", None)
    bpy.context.scene.collection.objects.link(target)
    for frame, place in ((1, (0, 0, 3)), (10, (1, 0, 2))):
        target.location = place
        target.keyframe_insert("location", frame=frame)
    constraint = armature.pose.bones[2].constraints.new("IK")
    constraint.target = target


def carried(armature: Any) -> None:
    cart = bpy.data.objects.new("cart", None)
    bpy.context.scene.collection.objects.link(cart)
    armature.parent = cart
    for frame, place in ((1, (0, 0, 0)), (10, (3, 0, 0))):
        cart.location = place
        cart.keyframe_insert("location", frame=frame)


def unscaled(armature: Any) -> None:
    armature.data.bones[1].inherit_scale = "NONE"
    armature.pose.bones[0].scale = (2, 2, 2)


@pytest.mark.parametrize("change", [constrained, carried, walking, unscaled, driven])
def test_what_moves_bones_besides_their_keys_is_evaluated(change: Any) -> None:
    armature = rig(bones=3)
    body(armature)
    action(armature, "turn", range(1, 11), angle=0.4)
    change(armature)
    bpy.context.scene.frame_set(1)
    scene, _ = made()
    assert_shown(scene, range(1, 11), near=1e-3)


def test_a_pose_without_keys_is_kept() -> None:
    armature = rig(bones=3)
    body(armature)
    action(armature, "turn", range(1, 11))
    armature.pose.bones[0].scale = (1, 2, 1)
    armature.pose.bones[0].location = (0.5, 0, 0)
    bpy.context.scene.frame_set(5)
    assert_shown(made()[0], range(1, 11), near=1e-3)
    armature.animation_data.action = None
    bpy.data.actions.remove(bpy.data.actions["turn"])
    for pose in armature.pose.bones:
        pose.rotation_quaternion = (0.9, 0.1, 0, 0)
    scene, _ = made()
    assert error_at(scene, None, 5) < 1e-3


@pytest.mark.skipif(bpy.app.version < (4, 4), reason="actions have no slots")
def test_an_action_with_slots_is_one_clip() -> None:
    cat, dog = two_rigs()
    own = cat.animation_data.action
    thing = cat.children[0]
    thing.shape_key_add(name="Basis")
    key = thing.shape_key_add(name="fat")
    for point in key.data:
        point.co.x *= 2
    for owner in (dog, thing.data.shape_keys):
        data = owner.animation_data or owner.animation_data_create()
        data.action = own
        data.action_slot = own.slots.new(id_type=owner.id_type, name=owner.name)
    for frame in (1, 10):
        key.value = frame / 10
        key.keyframe_insert("value", frame=frame)
        dog.pose.bones[0].location.x = frame
        dog.pose.bones[0].keyframe_insert("location", frame=frame)
    scene, _ = made(source="ACTIVE")
    (clip,) = scene.clips
    names = [scene.skeleton.bones[track.bone].name for track in clip.tracks]
    assert names == ["cat_1", "dog_0"] and len(clip.morphs) == 1
    assert_shown(scene, range(1, 11))


def test_a_copied_action_is_a_clip_of_its_own(models: dict[str, list[Path]]) -> None:
    headless.load(*models["psk"])
    bpy.data.actions["sway"].copy().name = "slow"
    scene, _ = made()
    assert [clip.name for clip in scene.clips] == ["sway", "slow"]
    assert all(len({track.bone for track in clip.tracks}) == len(clip.tracks) for clip in scene.clips)


def test_imported_clips_keep_their_rate(models: dict[str, list[Path]], tmp_path: Path) -> None:
    headless.load(*models["psk"])
    bpy.context.scene.render.fps = 24
    assert bpy.ops.export_scene.bindpose(filepath=str(tmp_path / "plant.psk")) == {"FINISHED"}
    own, other = bindpose.open(models["psk"][1]), bindpose.open(tmp_path / "plant.psa")
    assert other["chunks[2].records[0].rate"] == own["chunks[2].records[0].rate"]


def test_a_file_whose_last_frame_has_two_keys_has_a_rate(tmp_path: Path) -> None:
    render = bpy.context.scene.render
    render.fps, render.fps_base = 30, 1.001
    armature = rig()
    body(armature)
    action(armature, "run", range(1, 11))
    assert bpy.ops.export_scene.bindpose(filepath=str(tmp_path / "body.ms3d")) == {"FINISHED"}
    headless.empty()
    headless.load(tmp_path / "body.ms3d")
    render = bpy.context.scene.render
    assert render.fps / render.fps_base == pytest.approx(30 / 1.001, rel=1e-6)


def test_keys_at_one_time_and_zero_quaternions_are_written() -> None:
    keys = sys.modules["bindpose_blender.new_keys"]
    curve = keys.curve_of(np.array([0, 1, 1, 2, 2], np.float32), np.arange(15.0).reshape(5, 3))
    assert curve.times.tolist() == [0, 1, 2] and curve.values[:, 0].tolist() == [0, 6, 12]
    assert keys.curve_of(np.array([0], np.float32), [[1, 2, 3]]).values.tolist() == [[1, 2, 3]]
    assert keys.quaternions(np.array([[0.0, 0, 0, 0], [0, 2, 0, 0]]), "QUATERNION").tolist() == [[0, 0, 0, 1], [1, 0, 0, 0]]
