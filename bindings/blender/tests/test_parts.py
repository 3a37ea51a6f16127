# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a character are files of their own, and follow one armature."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bindpose
import bpy
import headless
import numpy as np
import pytest
from conftest import SAMPLES

BODY, CLIPS = (SAMPLES / "character" / name for name in ("dragon.psk", "dragon.psa"))


@pytest.fixture
def head(tmp_path: Path) -> Path:
    """A part whose bones differ in case, and have one that the body lacks."""
    scene = bindpose.scene(BODY)
    bones = list(scene.skeleton.bones)
    (above,) = (index for index, bone in enumerate(bones) if bone.name == "hips")
    own = [bindpose.Bone(bone.name.upper(), bone.parent, translation=bone.translation, rotation=bone.rotation, scale=bone.scale) for bone in bones]
    own.append(bindpose.Bone("horn", above, translation=(0.0, 0.5, 0.0)))
    mesh = scene.meshes[0]
    part = bindpose.Mesh(
        "head", positions=mesh.positions, triangles=mesh.triangles, joints=mesh.joints, weights=mesh.weights, joint_bones=mesh.joint_bones
    )
    path = tmp_path / "head.psk"
    bindpose.Scene(skeleton=own, meshes=[part]).write(path)
    return path


def armatures() -> list[Any]:
    return [own for own in bpy.data.objects if own.type == "ARMATURE"]


def add_part(path: Path, **options: Any) -> tuple[Any, Any, Any]:
    """Imports the body with its clips, and a part on its armature. Returns both collections and the armature."""
    (body,), _ = headless.load(BODY, CLIPS)
    (armature,) = armatures()
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.import_scene.bindpose(filepath=str(path), armature="SELECTED", **options) == {"FINISHED"}
    (part,) = (own for own in bpy.data.collections if own != body)
    return body, part, armature


def lines() -> list[str]:
    return bpy.data.texts["Bindpose import"].as_string().splitlines()


def test_a_part_follows_the_armature_of_another(head: Path) -> None:
    body, part, armature = add_part(head)
    assert armatures() == [armature]
    (mesh,) = part.objects
    assert mesh.parent == armature and mesh.modifiers[0].object == armature
    assert "horn" in armature.data.bones and armature.data.bones["horn"].parent.name == "hips"
    assert any("added" in line and "'horn'" in line for line in lines())
    assert not any("rest pose" in line for line in lines())
    own = next(thing for thing in body.objects if thing.type == "MESH")
    if own.data.shape_keys:
        own.shape_key_clear()
    bpy.context.scene.frame_set(10)
    found, expected = (headless.evaluated(thing) for thing in (mesh, own))
    assert np.ptp(expected, axis=0).max() > 0
    assert max(np.linalg.norm(expected - vertex, axis=1).min() for vertex in found[::5]) < 1e-4


def test_all_parts_are_exported_into_their_originals(head: Path) -> None:
    body, part, armature = add_part(head)
    assert headless.original.changed_files(body) == {path.name: path.read_bytes() for path in (BODY, CLIPS)}
    assert headless.original.changed_files(part) == {head.name: head.read_bytes()}
    armature.data.bones["hips"].name = "pelvis"
    files = {**headless.original.changed(body), **headless.original.changed(part)}
    names = {name: {bone.name for bone in bindpose.scene(file).skeleton.bones} for name, file in files.items()}
    assert all("pelvis" in own for own in names.values()) and "horn" in names["head.psk"] - names["dragon.psk"]
    part.objects[0].data.vertices[0].co.x += 0.5
    assert headless.original.changed_files(part)["head.psk"] != head.read_bytes()


def test_changes_of_the_shared_armature_are_refused(head: Path) -> None:
    _, part, armature = add_part(head)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones["horn"].head.x += 0.3
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(headless.original.RefusedError, match="moved in edit mode: 'horn'"):
        headless.original.changed_files(part)
    bpy.data.objects.remove(armature)
    with pytest.raises(headless.original.RefusedError, match="the armature was removed"):
        headless.original.changed_files(part)


def test_animations_go_to_the_armature_of_a_selected_part(head: Path) -> None:
    body, part, armature = add_part(head)
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    bpy.context.view_layer.objects.active = part.objects[0]
    assert bpy.ops.import_scene.bindpose(filepath=str(CLIPS)) == {"FINISHED"}
    assert armature.animation_data.action is not None and armatures() == [armature]


def test_a_part_with_clips_and_a_new_armature(models: dict[str, list[Path]]) -> None:
    (body,), _ = headless.load(SAMPLES / "character/dragon.ms3d")
    (armature,) = armatures()
    bpy.context.view_layer.objects.active = armature
    count = len(bpy.data.actions)
    assert bpy.ops.import_scene.bindpose(filepath=str(SAMPLES / "character/dragon.ms3d"), armature="SELECTED") == {"FINISHED"}
    assert armatures() == [armature] and len(bpy.data.actions) > count
    (part,) = (own for own in bpy.data.collections if own != body)
    path = SAMPLES / "character/dragon.ms3d"
    assert headless.original.changed_files(part) == {path.name: path.read_bytes()}
    # Of other bones, or on request, a model has its own.
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.import_scene.bindpose(filepath=str(models["psk"][0]), armature="SELECTED") == {"FINISHED"}
    assert len(armatures()) == 2 and any("armature of its own" in line for line in lines())
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.import_scene.bindpose(filepath=str(CLIPS), armature="NEW") == {"FINISHED"}
    assert len(armatures()) == 3


def test_meshes_and_bones_of_the_owner_change_beside_those_of_a_part(head: Path) -> None:
    body, part, armature = add_part(head)
    thing = next(own for own in body.objects if own.type == "MESH")
    former = [bone.name for bone in bindpose.scene(BODY).skeleton.bones]
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for name, parent in (("hat", "head"), ("ring", "horn")):
        own = armature.data.edit_bones.new(name)
        own.head, own.tail, own.parent = (0, 0, 1.5), (0, 0, 2), armature.data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(headless.original.RefusedError, match="bones were added: 'hat', 'ring': they are below bones of other models"):
        headless.original.changed_files(body)
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones["ring"])
    bpy.ops.object.mode_set(mode="OBJECT")
    for group in thing.vertex_groups:
        group.remove([0, 1, 2])
    thing.vertex_groups.new(name="hat").add([0, 1, 2], 1.0, "REPLACE")
    data = headless.original.changed_files(body)
    scene = bindpose.scene(bindpose.decode(data["dragon.psk"]), bindpose.decode(data["dragon.psa"]))
    assert [bone.name for bone in scene.skeleton.bones] == [*former, "hat"]
    (mesh,) = scene.meshes
    is_on_hat = (mesh.joint_bones[mesh.joints] == len(former)) & (mesh.weights > 0)
    assert is_on_hat.any() and np.allclose(mesh.weights[is_on_hat], 1)
    assert headless.original.changed_files(part) == {head.name: head.read_bytes()}
