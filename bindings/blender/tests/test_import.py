# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports show what bindpose computes."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from types import SimpleNamespace

import bindpose
import bpy
import exact
import headless
import model
import numpy as np
import pytest
from conftest import SAMPLES
from mathutils import Matrix, Quaternion, Vector

FAMILIES = list(model.SETS)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("orientation", ["FILE", "CHILDREN"])
def test_evaluated_vertices_are_those_of_bindpose(models: dict[str, list[Path]], family: str, orientation: str) -> None:
    made, report = headless.load(*models[family], orientation=orientation)
    assert report.errors == [] and len(made) == 1
    assert len(made[0].objects) >= 2
    found = headless.errors(made[0])
    assert len(found) == 1 and max(found.values()) < exact.LIMIT, found


@pytest.mark.parametrize("folder", sorted(path.name for path in (SAMPLES / "corpus").iterdir() if path.is_dir()))
def test_every_sample_is_imported_exactly_or_refused(folder: Path) -> None:
    sets = exact.sets_in(SAMPLES / "corpus" / folder)
    assert sets
    assert [own for own in sets if not exact.run(own)] == []


def test_a_clip_is_assigned_and_kept(models: dict[str, list[Path]]) -> None:
    made, _ = headless.load(*models["psk"])
    armature = next(thing for thing in made[0].objects if thing.type == "ARMATURE")
    action = armature.animation_data.action
    assert action.name == "sway" and action.use_fake_user
    assert bpy.context.scene.render.fps == model.RATE
    assert (bpy.context.scene.frame_start, bpy.context.scene.frame_end) == (0, model.FRAMES - 1)


def test_many_clips_go_to_the_armature_of_an_earlier_import(models: dict[str, list[Path]], tmp_path: Path) -> None:
    mesh, clip = models["psk"]
    made, _ = headless.load(mesh)
    armature = next(thing for thing in made[0].objects if thing.type == "ARMATURE")
    paths = [shutil.copy(clip, tmp_path / f"clip_{index}.psa") for index in range(20)]
    own = headless.report.Report("import")
    again = headless.importer.import_files([Path(path) for path in paths], headless.preferences.Options(), own, armature)
    assert again == made and own.errors == []
    assert len([action for action in bpy.data.actions if headless.actions.CLIP in action]) == 20
    assert len(headless.errors(made[0])) == 20 or max(headless.errors(made[0]).values()) < exact.LIMIT


def test_missing_bones_are_one_line(models: dict[str, list[Path]], tmp_path: Path) -> None:
    mesh, clip = models["psk"]
    file = bindpose.open(clip)
    bindpose.rename(file, bones={"stem_4": "other", "stem_5": "another"})
    file.save(tmp_path / "other.psa")
    _, report = headless.load(mesh, tmp_path / "other.psa")
    lines = [line for line in report.warnings if "bone" in line]
    assert len(lines) == 1 and "tracks (2)" in lines[0]


def test_sparse_keys_are_those_of_the_file(models: dict[str, list[Path]]) -> None:
    bpy.context.scene.render.fps = 60
    made, _ = headless.load(*models["ms3d"], bake=False, set_rate=False)
    armature = next(thing for thing in made[0].objects if thing.type == "ARMATURE")
    curves = headless.actions.channels_of(armature.animation_data.action)
    turns = [curve for curve in curves if curve.data_path.endswith("rotation_quaternion")]
    assert turns and all(len(curve.keyframe_points) == model.FRAMES for curve in turns)


def test_an_absurd_time_span_is_capped(models: dict[str, list[Path]], tmp_path: Path) -> None:
    file = bindpose.open(models["ms3d"][0])
    file["joints[0].rotation_keys[-1].time"] = 1e9
    file["animation.total_frames"] = 2_000_000_000
    file.save(tmp_path / "long.ms3d")
    made, report = headless.load(tmp_path / "long.ms3d")
    assert len(made) == 1
    assert any("frames" in line and "limit is 100000" in line for line in report.warnings), report.warnings
    assert bpy.context.scene.frame_end <= 1_048_574


def test_more_than_256_bones(tmp_path: Path) -> None:
    file = bindpose.open(SAMPLES / "corpus/psk/set.psk")
    count = 300
    while len(file["bones"]) < count:
        file.append("bones")
    for index in range(count):
        file[f"bones[{index}].name"] = f"bone_{index}"
        file[f"bones[{index}].parent_index"] = max(index - 1, 0)
        file[f"bones[{index}].position"] = (0.0, 0.0, 1.0)
        file[f"bones[{index}].orientation"] = (0.0, 0.0, 0.0, 1.0)
    file.save(tmp_path / "many.psk")
    made, _ = headless.load(tmp_path / "many.psk")
    armature = next(thing for thing in made[0].objects if thing.type == "ARMATURE")
    assert len(armature.data.bones) == count
    assert headless.original.changed_files(made[0])["many.psk"] == (tmp_path / "many.psk").read_bytes()


def test_names_are_decoded(tmp_path: Path) -> None:
    sample = SAMPLES / "corpus/ms3d/gbk.ms3d"
    raw, _ = headless.load(sample)
    made, _ = headless.load(sample, encoding="cp936")
    names = [[bone.name for thing in own[0].objects if thing.type == "ARMATURE" for bone in thing.data.bones] for own in (raw, made)]
    materials = [material.name for material in bpy.data.materials]
    assert names[0] != names[1] or any("\\x" in name for name in materials)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("empty.ms3d", b"", "empty"),
        ("text.x", b"\nThis is a note.\n", "unrecognised format"),
        ("cut.psk", b"ACTRHEAD", "ends inside"),
    ],
)
def test_what_is_not_a_model_is_refused_with_a_reason(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(RuntimeError, match=name):
        bpy.ops.import_scene.bindpose(filepath=str(path))
    _, report = headless.load(path)
    assert any(reason in line for line in report.errors), report.errors


def test_the_operators_import_and_export(models: dict[str, list[Path]], tmp_path: Path) -> None:
    mesh, clip = models["psk"]
    files = [{"name": mesh.name}, {"name": clip.name}]
    assert bpy.ops.import_scene.bindpose(directory=str(mesh.parent), files=files) == {"FINISHED"}
    bpy.context.view_layer.objects.active = bpy.data.objects["plant"]
    assert bpy.ops.export_scene.bindpose_original(directory=str(tmp_path)) == {"FINISHED"}
    assert [(tmp_path / path.name).read_bytes() == path.read_bytes() for path in (mesh, clip)] == [True, True]


@pytest.mark.parametrize(("target", "count"), [("copy.ms3d", 1), ("copy.psk", 2), ("copy.mesh", 2), ("copy.x", 1), ("copy.cmf", 5), ("copy.iqm", 1)])
def test_a_scene_is_exported_as_a_new_file(models: dict[str, list[Path]], tmp_path: Path, target: str, count: int) -> None:
    headless.load(*models["ms3d"])
    assert bpy.ops.export_scene.bindpose(filepath=str(tmp_path / target)) == {"FINISHED"}
    written = sorted(tmp_path.iterdir())
    assert len(written) == count, written
    assert all(bindpose.roundtrip(path).verdict == "lossless" for path in written)
    first, again = (bindpose.scene(*paths, rate=model.RATE) for paths in (models["ms3d"], written))
    before, after = (np.concatenate([mesh.positions for mesh in own.posed(own.clips[0], 0.5)]) for own in (first, again))
    spread = [np.stack([own.min(axis=0), own.max(axis=0)]) for own in (before, after)]
    assert np.allclose(*spread, atol=2e-3 * model.HEIGHT)


@pytest.mark.parametrize("source", ["dragon.psk dragon.psa", "dragon.x", "dragon.ms3d", "dragon.iqm", "cal3d/*", "unigine/*", "max/*"])
def test_a_new_file_has_all_clips_and_the_same_bones(tmp_path: Path, source: str) -> None:
    character = SAMPLES / "character"
    paths = sorted(path for pattern in source.split() for path in character.glob(pattern))
    headless.load(*paths)
    assert bpy.ops.export_scene.bindpose(filepath=str(tmp_path / "copy.psk")) == {"FINISHED"}
    before, after = bindpose.scene(*paths), bindpose.scene(*tmp_path.iterdir())
    assert sorted(bone.name for bone in after.skeleton.bones) == sorted(bone.name for bone in before.skeleton.bones)
    spans = [{clip.name: clip.end - clip.start for clip in own.clips} for own in (before, after)]
    assert len(spans[0]) == 3 and spans[1] == pytest.approx(spans[0], abs=1 / 24)


def test_the_model_has_files_of_every_format_that_is_written(models: dict[str, list[Path]]) -> None:
    """So that a new family is in the tests of all families."""
    formats = {bindpose.open(path).format for paths in models.values() for path in paths}
    # The plant has no morph targets, and a UNIGINE skeleton is for files with several meshes.
    assert formats == {own.name for own in headless.exporter.FORMATS} - {"cal3d-morph", "unigine-skeleton"}
    assert set(headless.importer.EXTENSIONS) == {f".{extension}" for own in bindpose.formats() for extension in own.extensions}


def test_selected_objects_have_their_own_clips(models: dict[str, list[Path]], tmp_path: Path) -> None:
    (collection,), _ = headless.load(*models["psk"])
    headless.load(SAMPLES / "character" / "dragon.ms3d")
    bpy.ops.object.select_all(action="DESELECT")
    for thing in collection.objects:
        thing.select_set(True)
    assert bpy.ops.export_scene.bindpose(filepath=str(tmp_path / "copy.psk"), use_selection=True) == {"FINISHED"}
    assert [clip.name for clip in bindpose.scene(*sorted(tmp_path.iterdir())).clips] == ["sway"]


@pytest.mark.parametrize("sample", ["quad.max-mesh+p16.mesh", "two.max-skeleton+m48.skel", "two.max-skeleton+m64.skel", "walk.max-animation+m48.anim"])
def test_the_dialect_of_a_stream_follows_from_its_content(tmp_path: Path, sample: str) -> None:
    stated = SAMPLES / "corpus" / "max" / sample
    name, _, extension = sample.partition(".max-")
    path = tmp_path / f"{name}.{extension.rsplit('.')[-1]}"
    shutil.copy(stated, path)
    (collection,), report = headless.load(path, max_streams=True)
    assert report.errors == []
    (part,) = headless.bundle.Bundle.stored_in(collection).model
    file = bindpose.open(stated)
    assert part.format == f"{file.format}:{file.dialect}"
    assert headless.original.changed_files(collection)[path.name] == path.read_bytes()


@pytest.mark.parametrize("rate", [30.337, 29.97, 24.0, 12.5])
def test_the_rate_of_a_clip_is_kept(tmp_path: Path, rate: float) -> None:
    mesh, clips = (SAMPLES / "character" / name for name in ("dragon.psk", "dragon.psa"))
    file = bindpose.open(clips)
    file["chunks[2].records[*].rate"] = rate
    own = tmp_path / "dragon.psa"
    file.save(own)
    (collection,), _ = headless.load(mesh, own)
    render = bpy.context.scene.render
    assert render.fps / render.fps_base == pytest.approx(rate, rel=1e-6)
    action = next(thing for thing in collection.objects if thing.type == "ARMATURE").animation_data.action
    frames = {point.co.x for curve in headless.actions.channels_of(action) for point in curve.keyframe_points}
    assert frames == set(range(len(frames)))
    assert headless.original.changed_files(collection)["dragon.psa"] == own.read_bytes()
    assert bpy.ops.export_scene.bindpose(filepath=str(tmp_path / "copy.psk")) == {"FINISHED"}
    before, after = bindpose.scene(mesh, own), bindpose.scene(tmp_path / "copy.psk", tmp_path / "copy.psa")
    keys = [{clip.name: max(len(track.rotation.times) for track in clip.tracks) for clip in scene.clips} for scene in (before, after)]
    assert keys[0] == keys[1]
    ends = [{clip.name: clip.end for clip in scene.clips} for scene in (before, after)]
    assert ends[1] == pytest.approx(ends[0], rel=1e-5)


def test_images_and_tracks_of_a_depot_are_found(tmp_path: Path) -> None:
    mesh, clips = tmp_path / "Game/Hero/plane.psk", tmp_path / "Game/Hero/wave.psa"
    mesh.parent.mkdir(parents=True)
    for name, target in {"plane.psk": mesh, "wave.psa": clips, "tracks.config": clips.with_suffix(".config")}.items():
        shutil.copy(SAMPLES / "corpus/psk" / name, target)
    materials, textures = tmp_path / "Game/Materials", tmp_path / "Game/Textures"
    for folder in (materials, textures):
        folder.mkdir()
    image = bpy.data.images.new("T_Body", 4, 4)
    image.filepath_raw, image.file_format = str(textures / "T_Body.png"), "PNG"
    image.save()
    names = [own.name for own in bindpose.scene(mesh).materials]
    for name in names:
        (materials / f"{name}.mat").write_text("Diffuse=T_Body\n")
    _, report = headless.load(mesh, clips)
    assert report.errors == [] and any("wave.config" in line for line in report.warnings)
    nodes = [node for own in bpy.data.materials for node in own.node_tree.nodes if node.type == "TEX_IMAGE"]
    assert len(nodes) == len(names) and {Path(node.image.filepath).name for node in nodes} == {"T_Body.png"}


@pytest.mark.parametrize("orientation", ["FILE", "CHILDREN"])
def test_sockets_are_empties_and_sockets_again(tmp_path: Path, orientation: str) -> None:
    path = SAMPLES / "corpus" / "psk" / "morphs.pskx"
    headless.load(path, orientation=orientation)
    (empty,) = (thing for thing in bpy.data.objects if thing.type == "EMPTY")
    assert empty.name == "hand" and empty.parent_bone == "top"
    before, target = bindpose.scene(path), tmp_path / "copy.psk"
    assert bpy.ops.export_scene.bindpose(filepath=str(target)) == {"FINISHED"}
    after = bindpose.scene(target)
    places = [_places(own) for own in (before, after)]
    assert list(places[0]) == list(places[1]) == ["hand"]
    assert np.allclose(places[0]["hand"], places[1]["hand"], atol=1e-4)


def _places(scene: bindpose.Scene) -> dict[str, np.ndarray]:
    """The matrices of attachments in model space."""
    places = {}
    for own in scene.attachments:
        above = np.eye(4) if own.bone is None else scene.skeleton.bind_pose.model[own.bone]
        x, y, z, w = own.rotation
        local = Matrix.LocRotScale(Vector(own.translation), Quaternion((w, x, y, z)), Vector(own.scale))
        places[own.name] = above @ np.array(local)
    return places


DRAGON = [SAMPLES / "character" / name for name in ("dragon.psk", "dragon.psa")]


def names_of_clips() -> list[str]:
    """The names of the imported clips; those that move shape keys too have two actions."""
    return list(dict.fromkeys(headless.names.own_name(action) for action in bpy.data.actions))


@pytest.mark.parametrize(
    ("text", "chosen"),
    [("", ["idle", "walk", "wave"]), ("WA", ["walk", "wave"]), ("w*e", ["wave"]), ("/^(idle|walk)$/", ["idle", "walk"]), ("[", []), ("run", [])],
)
def test_clips_are_imported_by_their_names(text: str, chosen: list[str]) -> None:
    files = [{"name": path.name} for path in DRAGON]
    assert bpy.ops.import_scene.bindpose(directory=str(DRAGON[0].parent), files=files, clips=text) == {"FINISHED"}
    assert names_of_clips() == chosen
    left_out = [name for name in ("idle", "walk", "wave") if name not in chosen]
    text_of = bpy.data.texts.get("Bindpose import")
    lines = text_of.as_string().splitlines() if text_of else []
    expected = [f"clips that were not chosen: {', '.join(map(repr, left_out))}"] if left_out else []
    assert [line for line in lines if "not chosen" in line] == expected
    (collection,) = (own for own in bpy.data.collections if headless.bundle.Bundle.stored_in(own))
    assert headless.original.changed_files(collection) == {path.name: path.read_bytes() for path in DRAGON}


def test_an_invalid_expression_imports_nothing() -> None:
    with pytest.raises(RuntimeError, match="unterminated"):
        bpy.ops.import_scene.bindpose(filepath=str(DRAGON[0]), clips="/(/")
    assert not bpy.data.objects


def test_chosen_clips_are_imported() -> None:
    files = [{"name": path.name} for path in DRAGON]
    chosen = [{"name": "idle", "is_chosen": False}, {"name": "walk", "is_chosen": True}, {"name": "wave", "is_chosen": False}]
    assert bpy.ops.import_scene.bindpose_clips(directory=str(DRAGON[0].parent), files=files, listed=chosen) == {"FINISHED"}
    assert names_of_clips() == ["walk"]
    # Others of the same file follow.
    armature = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.import_scene.bindpose(filepath=str(DRAGON[1]), clips="wave") == {"FINISHED"}
    assert names_of_clips() == ["walk", "wave"]


def test_the_list_of_clips_selects_those_that_match() -> None:
    class Items(list):
        def add(self) -> SimpleNamespace:
            self.append(SimpleNamespace(name="", is_chosen=True))
            return self[-1]

    operator = SimpleNamespace(listed=Items(), clips="/^wa/", chosen=headless.preferences.Options, paths=lambda: DRAGON)
    headless.clip_list.ImportClips.list_clips(operator)
    assert [(item.name, item.is_chosen) for item in operator.listed] == [("idle", False), ("walk", True), ("wave", True)]
    operator.clips = "/(/"
    headless.clip_list._choose_matching(operator, bpy.context)
    assert [item.is_chosen for item in operator.listed] == [False, True, True]


def test_a_loss_of_several_files_is_one_message(models: dict[str, list[Path]], tmp_path: Path) -> None:
    paths = []
    for path in models["cal3d"]:
        paths.append(tmp_path / path.name)
        paths[-1].write_bytes(path.read_bytes())
    for name in "abcd":
        material = bindpose.open(models["cal3d"][2])
        material["diffuse"] = (255, 255, 255, 0)
        paths.append(tmp_path / f"{name}.crf")
        material.save(paths[-1])
    _, report = headless.load(*paths)
    (line,) = (line for line in report.warnings if "opacities of materials" in line)
    assert line.startswith("a, b, c and 1 more: opacities of materials (1): ")


def test_constant_curves_have_the_keys_of_the_file(models: dict[str, list[Path]]) -> None:
    """Nothing is between equal values: a key at each frame takes most of the time of an import."""
    (collection,), _ = headless.load(*models["psk"])
    (action,) = [own for own in bpy.data.actions if headless.actions.CLIP in own]
    curves = list(headless.actions.channels_of(action))
    constant = [curve for curve in curves if len({point.co[1] for point in curve.keyframe_points}) == 1]
    assert {len(curve.keyframe_points) for curve in constant if ".location" in curve.data_path} == {2}
    assert max(len(curve.keyframe_points) for curve in curves) == model.FRAMES
    assert max(headless.errors(collection).values()) < 1e-5


def test_an_import_or_export_of_nothing_is_refused(models: dict[str, list[Path]]) -> None:
    headless.load(*models["psk"])
    operators = {
        "no file is selected": lambda: bpy.ops.import_scene.bindpose(filepath=""),
        "no folder is selected": lambda: bpy.ops.import_scene.bindpose_folder(directory=""),
        "/absent: No such file or directory": lambda: bpy.ops.import_scene.bindpose_folder(directory="/absent"),
    }
    for message, run in operators.items():
        with pytest.raises(RuntimeError, match=message):
            run()
    with pytest.raises(RuntimeError, match="no folder is selected"):
        bpy.ops.export_scene.bindpose_original(directory="")


def test_keys_at_the_end_of_time_are_left_out() -> None:
    turn = bindpose.Curve([0, 1, 3e38], [[0, 0, 0, 1], [0.6, 0, 0, 0.8], [0, 0.6, 0, 0.8]])
    scene = bindpose.Scene(skeleton=[bindpose.Bone("root")], clips=[bindpose.Clip("long", [bindpose.Track(0, rotation=turn)])])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (keys,) = headless.curves.keys_of(scene.clips[0], headless.rig.Rig.of(scene, "FILE"), 30.0, bake=True)
    assert keys.frames.tolist() == [0.0, 30.0]


def test_files_are_decoded_whose_names_are_not_unicode() -> None:
    path = SAMPLES / "character" / "dragon.ms3d"
    part = headless.bundle.Part("a\udcff.ms3d", "ms3d", path.read_bytes(), bindpose.scene(path))
    assert part.file().encode() == path.read_bytes() and part.file().name == "a\ufffd"
