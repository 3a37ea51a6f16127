# SPDX-License-Identifier: GPL-3.0-or-later
"""The export into the original writes lists that grow or shrink where the format can, and refuses others by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bindpose
import bmesh
import bpy
import headless
import model
import numpy as np
import pytest
from conftest import SAMPLES

FRAMES = np.arange(0, 40, 0.5)
TURN = 'pose.bones["stem_2"].rotation_quaternion'


def curves_in(collection: Any) -> Any:
    armature = next(thing for thing in collection.objects if thing.type == "ARMATURE")
    return list(headless.actions.channels_of(armature.animation_data.action))


def turns_in(collection: Any) -> Any:
    return [curve for curve in curves_in(collection) if curve.data_path == TURN]


def insert(curves: list[Any], frame: float, values: tuple[float, ...], interpolation: str = "LINEAR") -> None:
    for curve, value in zip(curves, values, strict=True):
        curve.keyframe_points.insert(frame, value).interpolation = interpolation


def remove(curves: list[Any], frames: Callable[[float], bool]) -> None:
    for curve in curves:
        for point in reversed([point for point in curve.keyframe_points if frames(point.co[0])]):
            curve.keyframe_points.remove(point)


def key_between(collection: Any) -> None:
    insert(turns_in(collection), 10.5, (0.8, 0.6, 0, 0))


def key_of_one_component(collection: Any) -> None:
    insert(turns_in(collection)[1:2], 10.5, (0.6,))


def keys_removed(collection: Any) -> None:
    remove(turns_in(collection), lambda frame: 5 <= frame <= 8)


def first_key_removed(collection: Any) -> None:
    remove(turns_in(collection), lambda frame: frame == 0)


def curve_shortened(collection: Any) -> None:
    remove(turns_in(collection), lambda frame: frame > 20)


def clip_shortened(collection: Any) -> None:
    for curve in curves_in(collection):
        value = curve.evaluate(20)
        remove([curve], lambda frame: frame > 20)
        curve.keyframe_points.insert(20, value).interpolation = "LINEAR"


def clip_prolonged(collection: Any) -> None:
    insert(turns_in(collection), 35, (0.8, 0, 0.6, 0))


def curved_key(collection: Any) -> None:
    remove(turns_in(collection), lambda frame: 10 < frame < 20)
    insert(turns_in(collection), 15, (0.8, 0, 0.6, 0), "BEZIER")
    for curve in turns_in(collection):
        curve.keyframe_points[10].interpolation = "BEZIER"


def keys_moved(collection: Any) -> None:
    for curve in curves_in(collection):
        for point in curve.keyframe_points:
            point.co.x += 5
        curve.update()


def constant_curve_animated(collection: Any) -> None:
    armature = next(thing for thing in collection.objects if thing.type == "ARMATURE")
    curves = [curve for curve in curves_in(collection) if curve.data_path == 'pose.bones["stem_1"].location']
    before = [curve.evaluate(0) for curve in curves] or [0, 0, 0]
    for frame, value in ((0, 0.0), (15, 0.5), (30, 0.0)):
        armature.pose.bones["stem_1"].location = (before[0] + value, *before[1:])
        armature.pose.bones["stem_1"].keyframe_insert("location", frame=frame)
    for curve in curves_in(collection):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def scale_animated(collection: Any) -> None:
    armature = next(thing for thing in collection.objects if thing.type == "ARMATURE")
    for frame, value in ((0, 1.0), (15, 1.5), (30, 1.0)):
        armature.pose.bones["stem_1"].scale = (value, value, value)
        armature.pose.bones["stem_1"].keyframe_insert("scale", frame=frame)
    for curve in curves_in(collection):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


WRITTEN = ("ms3d", "directx", "cal3d")
IN_FRAMES = (*WRITTEN, "psk", "unigine")
KEYS: dict[Callable[[Any], None], tuple[str, ...]] = {
    key_between: WRITTEN,
    key_of_one_component: WRITTEN,
    keys_removed: IN_FRAMES,
    first_key_removed: IN_FRAMES,
    curve_shortened: IN_FRAMES,
    clip_shortened: IN_FRAMES,
    clip_prolonged: IN_FRAMES,
    curved_key: IN_FRAMES,
    keys_moved: IN_FRAMES,
    constant_curve_animated: IN_FRAMES,
    scale_animated: ("directx",),
}
"""The changes of keys, with the families that can have them."""


def poses(collection: Any, frames: np.ndarray) -> np.ndarray:
    """Returns the vertices at frames."""
    things = [thing for thing in collection.objects if thing.type == "MESH"]
    found = []
    for frame in frames.tolist():
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
        found.append(np.concatenate([headless.evaluated(thing) for thing in things]))
    return np.array(found)


FORMS = {"x:bin": ("directx", ["plant.x"]), "xml": ("cal3d", ["plant.xsf", "plant.xmf", "plant.xrf", "plant.xaf"])}
"""Further forms of files, with their family."""


def files_of(models: dict[str, list[Path]], form: str, folder: Path) -> list[Path]:
    """Returns the files of the model in a family or another form."""
    if form in models:
        return models[form]
    family, names = FORMS[form]
    own = form if ":" in form else None
    return list(bindpose.scene(*models[family]).write(*[folder / name for name in names], format=own, rate=model.RATE).paths)


@pytest.mark.parametrize("form", [*model.SETS, *FORMS])
@pytest.mark.parametrize("edit", list(KEYS), ids=lambda edit: edit.__name__)
def test_keys_are_written_or_refused(models: dict[str, list[Path]], edit: Callable[[Any], None], form: str, tmp_path: Path) -> None:
    paths = files_of(models, form, tmp_path)
    (collection,), _ = headless.load(*paths)
    render = bpy.context.scene.render
    assert abs(render.fps / render.fps_base - model.RATE) < 1e-3
    edit(collection)
    if FORMS.get(form, (form,))[0] not in KEYS[edit]:
        with pytest.raises(headless.original.RefusedError, match="clip '"):
            headless.original.changed_files(collection)
        return
    expected = poses(collection, FRAMES)
    end = max(curve.range()[1] for curve in curves_in(collection))
    data = headless.original.changed_files(collection)
    others = {path.name for path in paths if data[path.name] == path.read_bytes()}
    assert len(others) == len(paths) - 1, "only the file with the clip changes"
    for path in paths:
        (tmp_path / path.name).write_bytes(data[path.name])
    headless.empty()
    bpy.context.scene.render.fps = model.RATE
    (again,), _ = headless.load(*(tmp_path / path.name for path in paths), set_rate=False)
    apart = np.abs(poses(again, FRAMES) - expected).max(axis=(1, 2))
    assert apart[::2].max() < 2e-4 and apart.max() < 0.02, dict(zip(FRAMES.tolist(), apart.tolist(), strict=True))
    assert abs(max(curve.range()[1] for curve in curves_in(again)) - end) < 1e-3


SEPARATE = {"psk", "directx", "iqm"}
"""The families with files of several clips."""


@pytest.mark.parametrize("family", list(model.SETS))
def test_a_removed_clip_is_removed_or_refused(models: dict[str, list[Path]], family: str) -> None:
    (collection,), _ = headless.load(*models[family])
    bpy.data.actions.remove(next(action for action in bpy.data.actions if headless.actions.CLIP in action))
    if family not in SEPARATE:
        with pytest.raises(headless.original.RefusedError, match="was removed: the file is one animation"):
            headless.original.changed_files(collection)
        return
    files = [bindpose.open(path) for path in models[family]]
    bindpose.remove(*files, clips=["sway"])
    data = headless.original.changed_files(collection)
    assert data == {path.name: file.encode() for path, file in zip(models[family], files, strict=True)}
    assert not bindpose.scene(*files).clips


WITHOUT_NEW_CLIPS = {"ms3d": "one animation", "iqm": "share the steps"}
"""The families whose files get no clips, with the reason."""


def new_action(collection: Any) -> str:
    """An action that lasts a second and turns one bone."""
    armature = next(thing for thing in collection.objects if thing.type == "ARMATURE")
    former = armature.animation_data.action
    own = bpy.data.actions.new("jump")
    headless.actions.assign(own, armature)
    pose = armature.pose.bones["stem_2"]
    for frame, turn in ((0, (1, 0, 0, 0)), (15, (0.8, 0.6, 0, 0)), (30, (1, 0, 0, 0))):
        pose.rotation_quaternion = turn
        pose.keyframe_insert("rotation_quaternion", frame=frame)
    own.use_fake_user = True
    headless.actions.assign(former, armature)
    return own.name


def copied_action(collection: Any) -> str:
    armature = next(thing for thing in collection.objects if thing.type == "ARMATURE")
    own = armature.animation_data.action.copy()
    own.use_fake_user = True
    turns = [curve for curve in headless.actions.channels_of(own) if curve.data_path == TURN]
    for curve, value in zip(turns, (0.8, 0.6, 0, 0), strict=True):
        curve.keyframe_points[10].co.y = value
    return own.name


def shown(collection: Any, name: str, frames: np.ndarray) -> np.ndarray:
    armature = next(thing for thing in collection.objects if thing.type == "ARMATURE")
    headless.clear(collection)
    headless.actions.assign(bpy.data.actions[name], armature)
    return poses(collection, frames)


@pytest.mark.parametrize("form", [*model.SETS, *FORMS])
@pytest.mark.parametrize("edit", [new_action, copied_action])
def test_a_new_action_is_a_new_clip_or_refused(models: dict[str, list[Path]], edit: Callable[[Any], str], form: str, tmp_path: Path) -> None:
    paths = files_of(models, form, tmp_path)
    (collection,), _ = headless.load(*paths)
    name = edit(collection)
    former = [bindpose.scene(*paths).clips]
    if form in WITHOUT_NEW_CLIPS:
        with pytest.raises(headless.original.RefusedError, match=f"actions were added: '{name}': .*{WITHOUT_NEW_CLIPS[form]}"):
            headless.original.changed_files(collection)
        return
    data = headless.original.changed_files(collection)
    expected = shown(collection, name, FRAMES[:61:2])
    same = {path.name for path in paths if data[path.name] == path.read_bytes()}
    assert len(same) >= len(paths) - 1, "the model stays as it is"
    (tmp_path / "new").mkdir()
    for own, content in data.items():
        (tmp_path / "new" / own).write_bytes(content)
    headless.empty()
    bpy.context.scene.render.fps = model.RATE
    (again,), _ = headless.load(*sorted((tmp_path / "new").iterdir()), set_rate=False)
    actions = [action.name for action in bpy.data.actions if headless.actions.CLIP in action]
    assert len(actions) == len(former[0]) + 1
    found = next(own for own in actions if own.startswith(name))
    assert np.abs(shown(again, found, FRAMES[:61:2]) - expected).max() < 2e-3


def mesh_in(collection: Any) -> Any:
    return next(thing for thing in collection.objects if thing.type == "MESH")


def edited(collection: Any, change: Callable[[Any], None]) -> None:
    """Changes a mesh as in edit mode."""
    data = mesh_in(collection).data
    own = bmesh.new()
    own.from_mesh(data)
    own.faces.ensure_lookup_table()
    own.verts.ensure_lookup_table()
    change(own)
    own.to_mesh(data)
    own.free()
    data.update()


def faces_deleted(collection: Any) -> None:
    edited(collection, lambda own: bmesh.ops.delete(own, geom=list(own.faces[:50]), context="FACES"))


def vertices_deleted(collection: Any) -> None:
    edited(collection, lambda own: bmesh.ops.delete(own, geom=list(own.verts[:30]), context="VERTS"))


def faces_extruded(collection: Any) -> None:
    def change(own: Any) -> None:
        made = bmesh.ops.extrude_face_region(own, geom=list(own.faces[:4]))["geom"]
        bmesh.ops.translate(own, verts=[vertex for vertex in made if isinstance(vertex, bmesh.types.BMVert)], vec=(0.2, 0, 0))

    edited(collection, change)


def weights_painted(collection: Any) -> None:
    thing = mesh_in(collection)
    for group in thing.vertex_groups:
        group.remove([0, 1, 2])
    thing.vertex_groups[2].add([0, 1, 2], 1.0, "REPLACE")


def material_added(collection: Any) -> None:
    data = mesh_in(collection).data
    data.materials.append(bpy.data.materials.new("moss"))
    for polygon in data.polygons[:20]:
        polygon.material_index = len(data.materials) - 1


def materials_of_faces(collection: Any) -> None:
    data = mesh_in(collection).data
    for polygon in data.polygons[:20]:
        polygon.material_index = 1 - polygon.material_index


def material_removed(collection: Any) -> None:
    data = mesh_in(collection).data
    for polygon in data.polygons:
        polygon.material_index = 0
    data.materials.pop(index=len(data.materials) - 1)


MESHES: dict[Callable[[Any], None], tuple[str, ...]] = {
    edit: ("psk", "ms3d", "cal3d", "unigine") for edit in (faces_deleted, vertices_deleted, faces_extruded, weights_painted)
} | {edit: ("psk", "ms3d") for edit in (material_added, materials_of_faces, material_removed)}
"""The changes of meshes, with the families that can have them."""


MESH_FILES = {"psk": "plant.psk", "ms3d": "plant.ms3d", "cal3d": "plant.cmf", "unigine": "plant.mesh"}


def materials_at(collection: Any) -> list[Any]:
    """Returns the middle and the material of each face, in an order of its own."""
    found = []
    for thing in collection.objects:
        if thing.type == "MESH":
            names = [slot.material.name.split(".")[0] if slot.material else "" for slot in thing.material_slots]
            data = thing.data
            data.calc_loop_triangles()
            for triangle in data.loop_triangles:
                middle = np.mean([data.vertices[vertex].co for vertex in triangle.vertices], axis=0)
                found.append(((middle / 1e-3).round().astype(int).tolist(), names[triangle.material_index] if names else ""))
    return sorted(found)


@pytest.mark.parametrize("family", [*model.SETS, *FORMS])
@pytest.mark.parametrize("edit", list(MESHES), ids=lambda edit: edit.__name__)
def test_meshes_are_written_or_refused(models: dict[str, list[Path]], edit: Callable[[Any], None], family: str, tmp_path: Path) -> None:
    paths = files_of(models, family, tmp_path)
    if edit is material_removed and family == "unigine":
        pytest.skip("the files have no materials")
    (collection,), _ = headless.load(*paths)
    edit(collection)
    if family not in MESHES[edit]:
        with pytest.raises(headless.original.RefusedError, match="mesh '|materials"):
            headless.original.changed_files(collection)
        return
    data = headless.original.changed_files(collection)
    frames = np.array([0, 7, 20])
    expected = poses(collection, frames)
    faces = materials_at(collection)
    assert [path.name for path in paths if data[path.name] != path.read_bytes()] == [MESH_FILES[family]], "other files stay as they are"
    for path in paths:
        (tmp_path / path.name).write_bytes(data[path.name])
    headless.empty()
    (again,), _ = headless.load(*(tmp_path / path.name for path in paths))
    assert materials_at(again) == faces
    for own, former in zip(poses(again, frames), expected, strict=True):
        # Points with several normals are several in the file, and those without a face are not there.
        assert np.linalg.norm(own[:, None] - former[None], axis=2).min(axis=1).max() < 1e-4
    counts = [sum(len(mesh.triangles) for mesh in bindpose.scene(*own).meshes) for own in (paths, sorted(tmp_path.iterdir()))]
    if edit is material_removed:
        names = [material.name for material in bindpose.scene(*sorted(tmp_path.iterdir())).materials]
        assert names == [material.name for material in bindpose.scene(*paths).materials][:-1]
    if edit in {weights_painted, material_added, materials_of_faces}:
        assert counts[0] == counts[1], "faces that Blender cannot have are still there"
    if family == "psk":
        check_psk(paths[0], tmp_path / paths[0].name, edit)


def check_psk(before: Path, after: Path, edit: Callable[[Any], None]) -> None:
    """What did not change has its bytes."""
    former, own = bindpose.open(before), bindpose.open(after)
    for name in ("ACTRHEAD", "REFSKELT"):
        places = [next(chunk.path for chunk in file["chunks"] if chunk["id"] == name) for file in (former, own)]
        assert [value for _, value in former.get_all(places[0])] == [value for _, value in own.get_all(places[1])]
    if edit is faces_deleted:
        known = {tuple(point) for point in former.array("points").tolist()}
        assert {tuple(point) for point in own.array("points").tolist()} <= known


def test_more_influences_than_a_file_has_are_refused(models: dict[str, list[Path]]) -> None:
    (collection,), _ = headless.load(*models["ms3d"])
    thing = mesh_in(collection)
    for group in thing.vertex_groups:
        group.add([0], 0.2, "REPLACE")
    with pytest.raises(headless.original.RefusedError, match="is not written anew: .*influence"):
        headless.original.changed_files(collection)


def test_a_copy_of_a_material_is_a_new_one(models: dict[str, list[Path]]) -> None:
    (collection,), _ = headless.load(*models["ms3d"])
    data = mesh_in(collection).data
    copy = data.materials[0].copy()
    copy.name = "moss"
    headless.materials.shader_of(copy).inputs["Base Color"].default_value = (0.25, 0.5, 0.125, 1)
    headless.materials.shader_of(data.materials[0]).inputs["Base Color"].default_value = (0.75, 0.5, 0.25, 1)
    data.materials.append(copy)
    for polygon in data.polygons[:20]:
        polygon.material_index = len(data.materials) - 1
    (content,) = headless.original.changed_files(collection).values()
    colors = {material.name: material.color[:3] for material in bindpose.scene(content).materials}
    assert colors["moss"] == pytest.approx((0.25, 0.5, 0.125))
    assert colors["bark"] == pytest.approx((0.75, 0.5, 0.25)), "the colour of a material of a mesh that is written anew"


def test_displacements_that_did_not_change_keep_their_normals(tmp_path: Path) -> None:
    file = bindpose.open(SAMPLES / "corpus" / "psk" / "morphs.pskx")
    deltas = next(chunk.path for chunk in file["chunks"] if chunk["id"] == "MRPHDATA")
    file[f"{deltas}.records[0].normal_delta"] = (0.25, -0.5, 0.125)
    file.save(tmp_path / "morphs.pskx")
    (collection,), _ = headless.load(tmp_path / "morphs.pskx")
    edited(collection, lambda own: bmesh.ops.delete(own, geom=[face for face in own.faces if 3 in [vertex.index for vertex in face.verts]], context="FACES"))
    (content,) = headless.original.changed_files(collection).values()
    (first, _) = bindpose.scene(content, sidecars=False).meshes[0].morphs
    before = bindpose.scene(file).meshes[0].morphs[0]
    assert len(first.vertices) == 1 and np.abs(before.normals).max() > 0.2
    assert np.allclose(first.normals, before.normals[:1])


def test_vertices_of_ms3d_keep_their_first_bone() -> None:
    path = SAMPLES / "character" / "dragon.ms3d"
    (collection,), _ = headless.load(path)
    faces_deleted(collection)
    before, after = bindpose.open(path), bindpose.decode(headless.original.changed_files(collection)[path.name])
    bones = [{tuple(own["position"]): own["bone_id"] for own in file["vertices"]} for file in (before, after)]
    assert len(after["triangles"]) < len(before["triangles"])
    assert bones[1].items() <= bones[0].items()
