# SPDX-License-Identifier: GPL-3.0-or-later
"""New files have what Blender shows, and an import that is exported unchanged is the same again; everything left out is named."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import bindpose
import bpy
import exact
import headless
import numpy as np
import pytest
from conftest import SAMPLES
from mathutils import Matrix

CHARACTER = SAMPLES / "character"
SETS = {
    "ms3d": ["dragon.ms3d"],
    "psk": ["dragon.psk", "dragon.psa"],
    "x": ["dragon.x"],
    "cal3d": ["cal3d/dragon.csf", "cal3d/dragon.cmf", "cal3d/dragon.crf", "cal3d/dragon_walk.caf"],
    "unigine": ["unigine/dragon.mesh", "unigine/walk.anim"],
}


def made(*things: Any, source: str | None = "ACTIONS", every_frame: bool = False) -> tuple[bindpose.Scene, list[str]]:
    """The new scene of objects, of all by default, and the messages."""
    report = headless.report.Report("export")
    new = headless.new_scene.NewScene(list(things) or list(bpy.context.scene.objects), Path("/new.psk"), source, every_frame, report)
    return new.own, report.lines


def rig(name: str = "rig", bones: int = 2) -> Any:
    """An armature whose bones follow each other upwards, each a metre long."""
    data = bpy.data.armatures.new(name)
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    bpy.context.view_layer.objects.active = thing
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for index in range(bones):
        bone = data.edit_bones.new(f"{name}_{index}")
        bone.head, bone.tail, bone.parent = (0, 0, index), (0, 0, index + 1), above
        above = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return thing


def body(armature: Any) -> Any:
    """A pillar that an armature deforms."""
    count = len(armature.data.bones)
    corners = [(-0.3, -0.2), (0.3, -0.2), (0.3, 0.2), (-0.3, 0.2)]
    vertices = [(x, y, z / 2) for z in range(2 * count + 1) for x, y in corners]
    sides = [(own, (own + 1) % 4, (own + 1) % 4 + 4, own + 4) for own in range(4)]
    faces = [tuple(4 * ring + corner for corner in side) for ring in range(2 * count) for side in sides]
    data = bpy.data.meshes.new("body")
    data.from_pydata(vertices, [], faces)
    thing = bpy.data.objects.new("body", data)
    bpy.context.scene.collection.objects.link(thing)
    for index, bone in enumerate(armature.data.bones):
        group = thing.vertex_groups.new(name=bone.name)
        for vertex in data.vertices:
            weight = max(0.0, 1 - abs(vertex.co.z - index - 0.5))
            if weight:
                group.add([vertex.index], weight, "REPLACE")
    thing.parent = armature
    thing.modifiers.new("Armature", "ARMATURE").object = armature
    return thing


def action(armature: Any, name: str, frames: range, bone: int = 1, angle: float = 1.0, mode: str = "QUATERNION") -> Any:
    """An action that turns a bone, and the next one the other way; keys are Blender's usual ones, with handles."""
    armature.animation_data_create().action = own = bpy.data.actions.new(name)
    for sign, pose in zip((1, -1), armature.pose.bones[bone:], strict=False):
        pose.rotation_mode = mode
        for frame in frames:
            turn = Matrix.Rotation(sign * angle * (frame - frames[0]) / max(len(frames) - 1, 1), 4, "X")
            pose.rotation_quaternion, pose.rotation_euler = turn.to_quaternion(), turn.to_euler()
            pose.keyframe_insert("rotation_quaternion" if mode == "QUATERNION" else "rotation_euler", frame=frame)
    own.use_fake_user = True
    return own


def error_at(scene: bindpose.Scene, clip: Any, frame: float, first: float = 0.0) -> float:
    """The largest distance of the vertices of a scene from those that Blender shows at a frame."""
    render = bpy.context.scene.render
    bpy.context.scene.frame_set(math.floor(frame), subframe=frame % 1)
    shown = [
        headless.evaluated(thing) @ np.array(thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)[:3, :3].T
        + np.array(thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)[:3, 3]
        for thing in bpy.context.scene.objects
        if thing.type == "MESH"
    ]
    points = np.concatenate(shown) @ np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    posed = np.concatenate([own.positions for own in scene.posed(clip, (frame - first) * render.fps_base / render.fps)])
    return float(np.linalg.norm(posed[:, None] - points[None], axis=2).min(axis=1).max())


def assert_shown(scene: bindpose.Scene, frames: range, clip: Any = None, near: float = 1e-4) -> None:
    clip = scene.clips[0] if clip is None else clip
    errors = {frame: error_at(scene, clip, frame, frames[0]) for frame in frames}
    assert max(errors.values()) < near, errors


def times_of(scene: bindpose.Scene) -> dict[str, list[list[float]]]:
    """The times of the rotations of each bone by clip."""
    return {clip.name: [np.asarray(track.rotation.times).round(4).tolist() for track in clip.tracks if track.rotation] for clip in scene.clips}


def assert_same(before: bindpose.Scene, after: bindpose.Scene) -> None:
    """Compares bones, meshes and clips."""
    assert [bone.name for bone in after.skeleton.bones] == [bone.name for bone in before.skeleton.bones]
    assert (after.skeleton.parents == before.skeleton.parents).all()
    assert np.allclose(after.skeleton.bind_pose.model, before.skeleton.bind_pose.model, atol=1e-4)
    # In some families, a clip alone has the name of its file.
    assert [*times_of(after).values()] == [*times_of(before).values()]
    assert [len(mesh.triangles) for mesh in after.meshes] == [len(mesh.triangles) for mesh in before.meshes]
    for own, other in zip(after.meshes, before.meshes, strict=True):
        for read in (lambda mesh: mesh.positions, lambda mesh: mesh.uvs[0], lambda mesh: weights_of(mesh, len(before.skeleton.bones))):
            assert np.allclose(*(np.asarray(read(mesh))[np.asarray(mesh.triangles)] for mesh in (own, other)), atol=1e-4)
        if own.normals is not None and other.normals is not None:
            corners = [np.asarray(mesh.normals)[np.asarray(mesh.triangles)] for mesh in (own, other)]
            assert np.abs(corners[0] - corners[1]).max() < 0.01
    for own, other in zip(after.clips, before.clips, strict=True):
        times = np.linspace(other.start, other.end, 7).tolist()
        assert np.allclose(own.sample(times).model, other.sample(times).model, atol=2e-3)


def weights_of(mesh: Any, bones: int) -> np.ndarray:
    """The weight of each bone for each vertex."""
    weights = np.zeros((len(mesh.positions), bones))
    for joints, values in zip(np.asarray(mesh.joints).T, np.asarray(mesh.weights).T, strict=True):
        np.add.at(weights, (np.arange(len(weights)), np.asarray(mesh.joint_bones)[joints]), values)
    return weights


@pytest.mark.parametrize("family", SETS)
@pytest.mark.parametrize("orientation", ["FILE", "CHILDREN"])
def test_an_import_is_the_same_in_a_new_file(tmp_path: Path, family: str, orientation: str) -> None:
    paths = [CHARACTER / name for name in SETS[family]]
    headless.load(*paths, orientation=orientation)
    target = tmp_path / next(path.name for path in paths if path.suffix in {".ms3d", ".psk", ".x", ".cmf", ".mesh"})
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
            before, (after, _) = bundle.scene(0 if bundle.clips else None), made(*collection.objects)
            count = len(after.skeleton.bones)
            assert [bone.name for bone in after.skeleton.bones] == [bone.name for bone in before.skeleton.bones[:count]], paths
            bounds = np.abs(before.skeleton.bind_pose.model[:count, :3, 3])
            near = 1e-4 * max(float(np.nan_to_num(bounds).max(initial=0)), 1)
            assert np.allclose(after.skeleton.bind_pose.model, before.skeleton.bind_pose.model[:count], atol=near, equal_nan=True), paths
            clips = {clip.name: clip for clip in before.clips}
            for clip in after.clips:
                times = np.linspace(clip.start, clip.end, 5).tolist()
                expected = clips[clip.name].sample(times).model[:, :count]
                # Blender has no keys that are not finite.
                finite = np.isfinite(expected)
                assert np.allclose(clip.sample(times).model[finite], expected[finite], atol=near), (paths, clip.name)


def test_the_sequences_of_a_psa_are_the_same(tmp_path: Path) -> None:
    file = bindpose.open(CHARACTER / "dragon.psa")
    file["chunks[2].records[*].rate"] = 30.337
    file.save(tmp_path / "dragon.psa")
    headless.load(CHARACTER / "dragon.psk", tmp_path / "dragon.psa")
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


def test_a_rig_of_blender_has_its_bones_alone(tmp_path: Path) -> None:
    armature = rig(bones=3)
    body(armature)
    assert bpy.ops.export_scene.bindpose(filepath=str(tmp_path / "hero.psk")) == {"FINISHED"}
    assert [bone.name for bone in bindpose.scene(tmp_path / "hero.psk").skeleton.bones] == ["rig_0", "rig_1", "rig_2"]
    scene, messages = made()
    assert messages == [] and [bone.parent for bone in scene.skeleton.bones] == [None, 0, 1]
    assert np.allclose(scene.skeleton.bind_pose.model[2][:3, 3], [0, 2, 0], atol=1e-6)


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


def two_rigs() -> tuple[Any, Any]:
    rigs = rig("cat"), rig("dog")
    for own, names in zip(rigs, (["cat_run", "cat_sit"], ["dog_run", "dog_sit"]), strict=True):
        body(own)
        for name in names:
            action(own, name, range(1, 11))
    rigs[1].location.x = 3
    bpy.context.view_layer.update()
    return rigs


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


def test_a_selected_mesh_has_its_skeleton() -> None:
    _, dog = two_rigs()
    scene, _ = made(*dog.children)
    assert [bone.name for bone in scene.skeleton.bones] == ["dog_0", "dog_1"] and len(scene.clips) == 2


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


PLACES = {
    "moved": lambda: Matrix.Translation((1, 2, 3)),
    "turned": lambda: Matrix.Rotation(0.7, 4, (1, 2, 3)),
    "scaled": lambda: Matrix.Rotation(0.5, 4, "Z") @ Matrix.Diagonal((2, 2, 2, 1)),
    "mirrored": lambda: Matrix.Diagonal((-1, 1, 1, 1)),
    "stretched": lambda: Matrix.Diagonal((1, 1, 3, 1)),
}


@pytest.mark.parametrize("place", PLACES)
def test_the_transform_of_an_armature_is_applied(place: str) -> None:
    armature = rig(bones=3)
    thing = body(armature)
    thing.matrix_basis = Matrix.Translation((0.1, 0, 0)) @ Matrix.Diagonal((1, -1, 1, 1))
    action(armature, "turn", range(1, 11), angle=0.4)
    armature.pose.bones[0].location = (0.1, 0.2, 0.3)
    armature.matrix_basis = PLACES[place]()
    bpy.context.view_layer.update()
    scene, messages = made()
    assert bool(messages) == (place in {"mirrored", "stretched"}), messages
    assert np.allclose(scene.skeleton.bind_pose.scales, 1, atol=1e-6)
    # A turn of what is stretched shears, which clips cannot.
    assert_shown(scene, range(1, 2 if place == "stretched" else 11))
    mesh = scene.meshes[0]
    corners = np.asarray(mesh.positions)[np.asarray(mesh.triangles)]
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert ((faces * np.asarray(mesh.normals)[np.asarray(mesh.triangles)[:, 0]]).sum(axis=1) > 0).all()


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


def walking(armature: Any) -> None:
    for frame, place in ((1, (0, 0, 0)), (10, (0, 2, 0))):
        armature.location = place
        armature.keyframe_insert("location", frame=frame)


def unscaled(armature: Any) -> None:
    armature.data.bones[1].inherit_scale = "NONE"
    armature.pose.bones[0].scale = (2, 2, 2)


def driven(armature: Any) -> None:
    curve = armature.pose.bones[0].driver_add("location", 0)
    curve.driver.expression = "frame / 10"


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


def test_modifiers_are_applied() -> None:
    armature = rig()
    thing = body(armature)
    mirror = thing.modifiers.new("Mirror", "MIRROR")
    mirror.use_mirror_merge = False
    action(armature, "turn", range(1, 6))
    thing.shape_key_add(name="Basis")
    key = thing.shape_key_add(name="fat")
    for point in key.data:
        point.co.x *= 2
    key.value = 0.5
    scene, messages = made()
    assert messages == [] and len(scene.meshes[0].triangles) == 2 * 2 * len(thing.data.polygons)
    assert_shown(scene, range(1, 6))
    mirror.show_viewport = False
    scene, messages = made()
    assert any("modifiers that are hidden are not applied: 'Mirror'" in line for line in messages)
    thing.modifiers["Armature"].show_viewport = False
    assert any("'Armature', 'Mirror'" in line for line in made()[1])
    assert len(scene.meshes[0].triangles) == 2 * len(thing.data.polygons)


def test_shape_keys_have_their_values() -> None:
    armature = rig()
    thing = body(armature)
    action(armature, "turn", range(1, 11))
    thing.shape_key_add(name="Basis")
    for name, axis in (("fat", 0), ("deep", 1), ("muted", 2)):
        for point in thing.shape_key_add(name=name).data:
            point.co[axis] *= 1.5
    keys = thing.data.shape_keys.key_blocks
    keys["fat"].value, keys["muted"].mute = 0.25, True
    for frame, value in ((1, 0.0), (10, 1.0)):
        keys["deep"].value = value
        keys["deep"].keyframe_insert("value", frame=frame)
    scene, messages = made(source="ACTIVE")
    assert [morph.name for morph in scene.meshes[0].morphs] == ["fat", "deep"]
    assert [line for line in messages if "muted shape keys are not written: 'muted'" in line] == messages
    assert_shown(scene, range(1, 11))
    assert [clip.name for clip in made()[0].clips] == [thing.data.shape_keys.animation_data.action.name, "turn"]
    assert any("values of shape keys are not written: 'fat'" in line for line in made(source=None)[1])
    curve = keys["fat"].driver_add("value")
    curve.driver.expression = "frame / 10"
    bpy.context.scene.frame_set(1)
    assert_shown(made(source="ACTIVE")[0], range(1, 11))


@pytest.mark.parametrize("modifier", [None, "TRIANGULATE"])
def test_shape_keys_turn_normals(modifier: str | None) -> None:
    thing = body(rig())
    thing.shape_key_add(name="Basis")
    for point in thing.shape_key_add(name="leaning").data:
        point.co.x += point.co.z
    if modifier:
        thing.modifiers.new("other", modifier)
    mesh = made(source=None)[0].meshes[0]
    (morph,) = mesh.morphs
    # Planes that lean by 45 degrees; the normals of others stay.
    turned = np.asarray(mesh.normals)[morph.vertices] + morph.normals
    leaning = np.zeros(mesh.positions.shape)
    leaning[morph.vertices] = morph.positions
    corners = (mesh.positions + leaning)[mesh.triangles]
    planes = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    planes /= np.linalg.norm(planes, axis=1, keepdims=True)
    expected = {int(vertex): [] for vertex in morph.vertices}
    for triangle, plane in zip(mesh.triangles.tolist(), planes, strict=True):
        for vertex in triangle:
            if vertex in expected:
                expected[vertex].append(plane)
    for normal, own in zip(turned, expected.values(), strict=True):
        assert max(float(normal @ plane) for plane in own) > 0.5 and abs(np.linalg.norm(normal) - 1) < 1e-2
    assert np.abs(morph.normals).max() > 0.2


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


def test_layers_of_a_mesh() -> None:
    thing = body(rig())
    data = thing.data
    for name in ("first", "second"):
        layer = data.uv_layers.new(name=name)
        layer.data.foreach_set("uv", np.linspace(0, 1, 2 * len(data.loops), dtype=np.float32))
    colors = data.color_attributes.new("paint", "BYTE_COLOR", "POINT")
    for own in colors.data:
        own.color = (1.0, 0.0, 0.0, 0.5)
    data.color_attributes.new("other", "FLOAT_COLOR", "CORNER")
    data.color_attributes.active_color = colors
    data.vertices.add(2)
    normals = np.tile([0.0, 0.6, 0.8], (len(data.loops), 1))
    data.normals_split_custom_set(normals.tolist())
    scene, messages = made()
    (mesh,) = scene.meshes
    assert len(mesh.uvs) == 2 and np.allclose(mesh.colors, [1, 0, 0, 0.5], atol=0.01)
    assert np.allclose(mesh.normals, [0, 0.8, -0.6], atol=2e-3)
    assert any("not written: 'other'" in line for line in messages) and any("2 vertices without faces" in line for line in messages)


def test_materials_and_images_of_blender(tmp_path: Path) -> None:
    thing = body(rig())
    thing.data.uv_layers.new()
    image = bpy.data.images.new("bark", 4, 4)
    image.pack()
    for name in ("bark", "plain", "glow"):
        material = bpy.data.materials.new(name)
        material.use_nodes = True
        thing.data.materials.append(material)
    bark, plain, glow = thing.data.materials
    tree = bark.node_tree
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    tree.links.new(node.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    noise = tree.nodes.new("ShaderNodeTexNoise")
    tree.links.new(noise.outputs["Fac"], tree.nodes["Principled BSDF"].inputs["Roughness"])
    shader = plain.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (0.2, 0.4, 0.6, 1.0)
    shader.inputs["Alpha"].default_value = 0.5
    plain.use_backface_culling = True
    glow.node_tree.nodes.clear()
    for face in thing.data.polygons:
        face.material_index = face.index % 3
    scene, messages = made()
    assert [own.name for own in scene.materials] == ["bark", "plain", "glow"]
    assert (scene.materials[0].color, scene.materials[0].textures, scene.materials[0].texture_roles) == ((1, 1, 1, 1), ["bark.png"], ["color"])
    assert scene.materials[1].color == pytest.approx((0.2, 0.4, 0.6, 0.5)) and scene.materials[1].alpha == "blend"
    assert (scene.materials[0].double_sided, scene.materials[1].double_sided) == (True, False)
    assert any("'Roughness'" in line for line in messages) and any("'glow': it has no Principled BSDF" in line for line in messages)
    assert [own.material for own in scene.meshes[0].primitives] == [0, 1, 2]
    assert bpy.ops.export_scene.bindpose(filepath=str(tmp_path / "hero.glb")) == {"FINISHED"}
    assert b"\x89PNG" in (tmp_path / "hero.glb").read_bytes()
    assert len(bpy.data.images) == 1


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


def test_a_curve_and_a_child_of_a_bone_are_meshes() -> None:
    armature = rig()
    body(armature)
    action(armature, "turn", range(1, 6))
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(0, 0, 2))
    cube = bpy.context.object
    cube.parent, cube.parent_type, cube.parent_bone = armature, "BONE", "rig_1"
    bpy.ops.object.text_add(location=(3, 0, 0))
    scene, messages = made()
    assert messages == [] and [mesh.bone for mesh in scene.meshes] == [None, 1, None]
    cube.select_set(True)
    bpy.data.objects.remove(bpy.data.objects["Text"])
    assert_shown(made()[0], range(1, 6))


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
