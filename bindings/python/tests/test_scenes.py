"""Scenes: meshes, skeletons and clips."""

from __future__ import annotations

import json
import shutil
import struct
from pathlib import Path
from typing import Any

import bindpose
import pytest
from conftest import SAMPLES, all_samples

np = pytest.importorskip("numpy")


@pytest.mark.parametrize("path", all_samples(), ids=lambda path: path.name)
def test_every_sample_is_a_scene(path: Path) -> None:
    try:
        file = bindpose.open(path)
    except bindpose.BindposeError:
        return
    scene = bindpose.scene(file, rate=30)
    for mesh in scene.meshes:
        count = len(mesh.positions)
        assert mesh.positions.shape == (count, 3)
        assert mesh.triangles.max(initial=0) < count
        for values, width in [(mesh.normals, 3), (mesh.tangents, 4), (mesh.colors, 4), *((uv, 2) for uv in mesh.uvs)]:
            assert values is None or values.shape == (count, width)
        assert sum(len(own.triangles) for own in mesh.primitives) == len(mesh.triangles)
        if mesh.weights is not None and mesh.joints is not None and mesh.joint_bones is not None:
            sums = mesh.weights.sum(axis=1)
            assert np.all(np.isclose(sums, 1, atol=1e-5) | (sums == 0))
            assert mesh.joint_bones.max(initial=0) < len(scene.skeleton.bones)
    for clip in scene.clips:
        pose = clip.sample([clip.start, clip.end])
        assert pose.model.shape == (2, len(scene.skeleton.bones), 4, 4)
    assert scene.to_glb().startswith(b"glTF")


def test_matrices_multiply_column_vectors(folder: Path) -> None:
    scene = bindpose.scene("body.psk", "run.psa", rate=30)
    bind = scene.skeleton.bind_pose
    for index, bone in enumerate(scene.skeleton.bones):
        assert scene.skeleton.parents[index] == (-1 if bone.parent is None else bone.parent)
        parent = np.eye(4) if bone.parent is None else bind.model[bone.parent]
        assert np.allclose(bind.model[index], parent @ bind.local[index], atol=1e-5)
        assert np.allclose(bind.local[index][:3, 3], bone.translation)
        assert bind.rotations[index].tolist() == pytest.approx(bone.rotation)


def test_sockets_are_attachments_of_bones() -> None:
    path = next(path for path in all_samples() if path.name == "morphs.pskx")
    scene = bindpose.scene(path)
    (socket,) = scene.attachments
    assert isinstance(socket, bindpose.Attachment) and socket.bone is not None
    assert (socket.name, scene.skeleton.bones[socket.bone].name) == ("hand", "top")
    assert [own.name for own in bindpose.scene(scene).attachments] == ["hand"]


def test_posed_vertices_are_those_of_the_skinning_equation(folder: Path) -> None:
    scene = bindpose.scene("body.psk", "run.psa", rate=30)
    clip = scene.clips[0]
    seconds = (clip.start + clip.end) / 3
    mesh = scene.meshes[0]
    assert mesh.joints is not None and mesh.weights is not None
    assert mesh.joint_bones is not None and mesh.inverse_binds is not None
    palette = clip.sample(seconds).model[mesh.joint_bones] @ mesh.inverse_binds
    points = np.concatenate([mesh.positions, np.ones((len(mesh.positions), 1))], axis=1)
    moved = np.einsum("vk,vkij,vj->vi", mesh.weights, palette[mesh.joints], points)[:, :3]
    still = mesh.weights.sum(axis=1) == 0
    moved[still] = mesh.positions[still]
    assert np.allclose(scene.posed(clip, seconds)[0].positions, moved, atol=1e-5)
    by_name = scene.posed(clip.name, seconds)[0].positions
    assert np.array_equal(by_name, scene.posed(0, seconds)[0].positions)
    assert not np.allclose(moved, scene.posed()[0].positions)


def test_one_time_has_no_dimension(folder: Path) -> None:
    clip = bindpose.scene("body.psk", "run.psa", rate=30).clips[0]
    one, many = clip.sample(0.1), clip.sample(np.array([0.1, 0.2]))
    assert one.model.shape == many.model.shape[1:]
    assert np.array_equal(one.rotations, many.rotations[0])


def test_curves_have_the_sampled_values(folder: Path) -> None:
    scene = bindpose.scene("body.psk", "run.psa", rate=30)
    clip = scene.clips[0]
    for track in clip.tracks:
        if track.translation is not None:
            sampled = clip.sample(track.translation.times).translations[:, track.bone]
            assert np.allclose(sampled, track.translation.values, atol=1e-5)


def test_settings_are_applied(folder: Path) -> None:
    usual = bindpose.scene("hero.ms3d").meshes[0].positions
    assert np.allclose(bindpose.scene("hero.ms3d", unit=0.01).meshes[0].positions, usual * 0.01)
    raised = bindpose.scene("hero.ms3d", up="z").meshes[0].positions
    assert np.allclose(raised, np.stack([usual[:, 0], usual[:, 2], -usual[:, 1]], axis=1))
    with pytest.raises(ValueError, match='expected up="y" or "z", got "x"'):
        bindpose.scene("hero.ms3d", up="x")  # type: ignore[arg-type]
    for unit in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="expected a unit from"):
            bindpose.scene("hero.ms3d", unit=unit)
    with pytest.raises(TypeError, match="at least one file"):
        bindpose.scene()


def test_clips_are_found_by_name_and_index(folder: Path) -> None:
    scene = bindpose.scene("body.psk", "run.psa", rate=30)
    with pytest.raises(ValueError, match="no clip is named"):
        scene.posed("none")
    with pytest.raises(IndexError):
        scene.posed(7)
    with pytest.raises(TypeError):
        scene.posed(1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="another scene"):
        bindpose.scene("body.psk", "run.psa").posed(scene.clips[0])
    assert scene.meshes is scene.meshes
    assert scene.losses == [] or all(isinstance(own, bindpose.Loss) for own in scene.losses)


def test_the_only_clip_is_cut_into_ranges(folder: Path) -> None:
    (whole,) = bindpose.scene("hero.ms3d").clips
    half = whole.end / 2
    first, second = bindpose.scene("hero.ms3d", ranges={"up": (0, half), "down": (half, whole.end)}).clips
    assert (first.name, second.name, second.start) == ("up", "down", 0)
    assert np.allclose(second.sample([0]).local, whole.sample([half]).local, atol=1e-5)
    for ranges, why in [({"up": (1, 0)}, "not after the end"), ({"up": (0, 99)}, "ends at")]:
        with pytest.raises(ValueError, match=why):
            bindpose.scene("hero.ms3d", ranges=ranges)
    with pytest.raises(ValueError, match="no clip to cut"):
        bindpose.scene("body.psk", ranges={"up": (0, 1)})


def test_a_scene_is_read_back_from_gltf(folder: Path) -> None:
    scene = bindpose.scene("hero.ms3d")
    data = scene.to_glb()
    length = struct.unpack_from("<I", data, 12)[0]
    names = [node.get("name") for node in json.loads(data[20 : 20 + length])["nodes"]]
    assert "root" in names and json.loads(scene.to_gltf())["asset"]["version"] == "2.0"
    written = scene.write("hero.glb")
    assert written.paths == [Path("hero.glb")]
    assert [own.what for own in written.losses] == ["textures (1)", "ambient and specular colours and shininess (1)"]
    for again in [bindpose.scene("hero.glb"), bindpose.scene(data)]:
        assert np.allclose(np.sort(again.meshes[0].positions, axis=0), np.sort(scene.meshes[0].positions, axis=0))


def test_writing_a_format_lists_what_is_lost(folder: Path) -> None:
    scene = bindpose.scene("body.psk", "run.psa", rate=30)
    written = scene.write("body.ms3d")
    assert written.paths == [Path("body.ms3d")]
    again = bindpose.open("body.ms3d")
    assert again.check().findings == [own for own in again.check().findings if own.severity != "error"]
    assert again["joints[*].name"] == [bone.name for bone in scene.skeleton.bones]
    assert "clip" in " ".join(own.what for own in scene.write("copy.psk").losses)
    both = scene.write("copy.psk", "copy.psa")
    assert both.paths == [Path("copy.psk"), Path("copy.psa")]
    assert not any(own.what.startswith("clip") for own in both.losses)
    copied = bindpose.scene("copy.psk", "copy.psa", rate=30)
    assert [own.name for own in copied.clips] == [own.name for own in scene.clips]
    assert np.allclose(copied.posed(0, 0.05)[0].positions, scene.posed(0, 0.05)[0].positions, atol=1e-4)
    with pytest.raises(TypeError, match="at least one path"):
        scene.write()
    with pytest.raises(bindpose.BindposeError, match="the extension determines no format"):
        scene.write("body.obj")
    unwritable = [own for own in bindpose.formats() if not own.writable]
    for own in unwritable:
        with pytest.raises(bindpose.BindposeError, match="cannot be written"):
            scene.write("body.bin", format=own.name)


def test_bounds_enclose_the_bind_pose(folder: Path) -> None:
    scene = bindpose.scene("hero.ms3d")
    assert scene.bounds is not None
    low, high = scene.bounds
    positions = np.concatenate([own.positions for own in scene.posed()])
    assert np.allclose(positions.min(axis=0), low) and np.allclose(positions.max(axis=0), high)
    assert bindpose.scene(bindpose.blank("ms3d")).bounds is None


@pytest.mark.parametrize("path", all_samples(), ids=lambda path: path.name)
def test_sources_are_values_of_the_file(path: Path) -> None:
    try:
        file = bindpose.open(path)
    except bindpose.BindposeError:
        return
    scene = bindpose.scene(file, rate=30)
    for source in scene.sources:
        for index, value in values_of(scene, source):
            stored = file.get_all(source.path(index))
            assert stored, source.path(index)
            if source.attribute == "uv":
                assert all(any(np.float32(own) in (part, 1 - part) for part in value) for _, own in stored)


def values_of(scene: bindpose.Scene, source: bindpose.Source) -> list[tuple[int, list[float]]]:
    """Some of the values of a source, with their indices."""
    if source.material is not None:
        return [(0, list(getattr(scene.materials[source.material], source.attribute)))]
    if source.clip is not None:
        track = next(own for own in scene.clips[source.clip].tracks if own.bone == source.bone)
        curve = getattr(track, source.attribute)
        assert len(source.records) <= len(curve.times)
        # Keys can lack a part that is constant.
        return []
    assert source.mesh is not None
    mesh = scene.meshes[source.mesh]
    if source.morph is not None:
        morph = mesh.morphs[source.morph]
        assert len(source.records) == len(morph.vertices)
        return [(index, list(morph.positions[index])) for index in range(len(morph.vertices))]
    lists: dict[str, Any] = {"position": mesh.positions, "normal": mesh.normals, "color": mesh.colors}
    values = mesh.uvs[source.uv_set] if source.uv_set is not None else lists[source.attribute]
    if source.corner is not None:
        assert len(source.records) == len(mesh.triangles)
        return [(index, list(values[row[source.corner]])) for index, row in enumerate(mesh.triangles)]
    assert len(source.records) == len(mesh.positions)
    # Vertices that no triangle uses can refer to records that do not exist.
    used = [int(vertex) for vertex in mesh.triangles[-1]]
    return [(vertex, list(values[vertex])) for vertex in used if source.records[vertex] != 0xFFFFFFFF]


def test_a_source_determines_its_vertex(folder: Path) -> None:
    file = bindpose.open("body.psk")
    before = bindpose.scene(file)
    source = next(own for own in before.sources if own.attribute == "position")
    file[source.path(2) + "[0]"] = 25.0
    after = bindpose.scene(file)
    moved = np.flatnonzero((after.meshes[0].positions != before.meshes[0].positions).any(axis=1))
    assert set(moved) == set(np.flatnonzero(source.records == source.records[2]))


# An image of one red pixel.
TGA = bytes([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0, 0, 0, 255])


def test_images_are_embedded_in_gltf(folder: Path) -> None:
    scene = bindpose.scene("hero.ms3d")
    (texture, *_) = scene.materials[0].textures
    image = b"\x89PNG\r\n\x1a\n" + bytes(16)
    assert image in scene.to_glb({texture: image})
    with pytest.raises(bindpose.BindposeError, match="cannot be decoded"):
        scene.to_glb({texture: b"BM"})
    Path("skin.tga").write_bytes(TGA)
    converted = scene.to_glb({texture: Path("skin.tga")})
    assert b"image/png" in converted and bindpose.scene(converted).images


def test_images_of_a_depot_are_found(folder: Path) -> None:
    image = b"\x89PNG\r\n\x1a\n" + bytes(16)
    shutil.copy(SAMPLES / "corpus/psk/plane.psk", "plane.psk")
    (name,) = {own.name for own in bindpose.scene("plane.psk").materials}
    for path, data in {
        "Game/Hero/plane.psk": (folder / "plane.psk").read_bytes(),
        f"Game/Materials/{name}.mat": b"Normal=T_Body_N\n",
        f"Game/Materials/{name}.props.txt": b"A[1] =\n{\n A[0] = { ParameterName=Base, ParameterValue=Texture2D'/Game/T_Body' }\n}\n",
        "Game/Textures/T_Body.png": image,
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    scene = bindpose.scene("Game/Hero/plane.psk")
    assert scene.materials[0].textures == ("T_Body",)
    assert scene.images == {"T_Body": (folder / "Game/Textures/T_Body.png").resolve()}
    assert image in scene.to_glb(scene.images)
    assert scene.move_bind_scale().images == scene.images
    alone = bindpose.scene("Game/Hero/plane.psk", sidecars=False)
    assert alone.images == {} and alone.materials[0].textures == ()
    assert alone.with_images("Game/Hero/plane.psk").images == scene.images
    assert bindpose.scene("plane.psk", textures=["Game"]).images == scene.images
    assert bindpose.scene("plane.psk").images == {}


def test_files_that_belong_to_a_file_are_listed(folder: Path) -> None:
    assert bindpose.sidecars("body.psk", "run.psa") == []
    shutil.copy(SAMPLES / "corpus/psk/tracks.config", folder / "run.config")
    assert bindpose.sidecars("body.psk", "run.psa") == [Path("run.config")]
    assert bindpose.sidecars("run.psa", "run.config") == []


def test_names_in_a_code_page_are_text_on_demand(folder: Path) -> None:
    file = bindpose.open("hero.ms3d")
    text, raw = "\u30dc\u30fc\u30f3", r"\x83{\x81[\x83\x93"
    file["joints[0].name"] = text.encode("cp932").ljust(32, b"\0")
    for encoding, name in {None: raw, "auto": text, "cp932": text, "utf-8": raw}.items():
        assert bindpose.scene(file, encoding=encoding).skeleton.bones[0].name == name
    with pytest.raises(ValueError, match="cp932"):
        bindpose.scene(file, encoding="cp1")
