# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of new files have in common: rigs of Blender, and what it shows."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import bindpose
import bpy
import headless
import numpy as np
from mathutils import Matrix


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


def two_rigs() -> tuple[Any, Any]:
    rigs = rig("cat"), rig("dog")
    for own, names in zip(rigs, (["cat_run", "cat_sit"], ["dog_run", "dog_sit"]), strict=True):
        body(own)
        for name in names:
            action(own, name, range(1, 11))
    rigs[1].location.x = 3
    bpy.context.view_layer.update()
    return rigs


def walking(armature: Any) -> None:
    for frame, place in ((1, (0, 0, 0)), (10, (0, 2, 0))):
        armature.location = place
        armature.keyframe_insert("location", frame=frame)


def driven(armature: Any) -> None:
    curve = armature.pose.bones[0].driver_add("location", 0)
    curve.driver.expression = "frame / 10"
