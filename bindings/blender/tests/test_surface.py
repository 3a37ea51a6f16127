# SPDX-License-Identifier: GPL-3.0-or-later
"""The export into the original writes texture coordinates, normals, colours, shape keys and materials."""

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
from test_original import differences

POINT = 5


def mesh_in(collection: Any) -> Any:
    return next(thing for thing in collection.objects if headless.meshes.MESH in thing)


def corners_of_point(thing: Any) -> np.ndarray:
    corners = np.flatnonzero(headless.meshes.corners_of(thing) == POINT)
    assert len(corners) > 1
    return corners


def scenes(paths: list[Path], data: dict[str, bytes]) -> tuple[Any, Any]:
    """The scene of the files and that of the result."""
    files = [bindpose.open(path) for path in paths]
    changed = [bindpose.decode(data[path.name], format=file.format, name=path.stem) for path, file in zip(paths, files, strict=True)]
    return bindpose.scene(*files, rate=model.RATE), bindpose.scene(*changed, rate=model.RATE)


def at_corners(mesh: Any, values: Any) -> np.ndarray:
    return np.asarray(values)[mesh.triangles].reshape(-1, values.shape[1])


def changed_rows(before: np.ndarray, after: np.ndarray, near: float) -> np.ndarray:
    return np.flatnonzero((np.abs(before - after) > near).any(axis=1))


@pytest.mark.parametrize("family", [family for family in model.SETS if family != "max"])
def test_changed_texture_coordinates(models: dict[str, list[Path]], family: str) -> None:
    made, _ = headless.load(*models[family])
    thing = mesh_in(made[0])
    corners = corners_of_point(thing)
    for corner in corners:
        thing.data.uv_layers[0].data[int(corner)].uv = (0.25, 0.125)
    data = headless.original.changed_files(made[0])
    before, after = (scene.meshes[0] for scene in scenes(models[family], data))
    values = [at_corners(mesh, mesh.uvs[0]) for mesh in (before, after)]
    rows = changed_rows(*values, 1e-6)
    assert len(rows) == len(corners)
    assert np.allclose(values[1][rows], [0.25, 0.875], atol=1e-6)
    found = sum(differences(models[family], data).values(), [])
    assert {own.path.replace("!", ".").rsplit(".", 1)[-1].split("[")[0].rstrip("0123456789") for own in found} <= {"u", "v", "s", "t", "uvs", "uv", "x", "y", "value", "vertex_data_"}, found


@pytest.mark.parametrize("family", ["ms3d", "unigine", "directx", "cal3d", "iqm"])
def test_changed_normals(models: dict[str, list[Path]], family: str) -> None:
    made, _ = headless.load(*models[family])
    assert headless.original.changed_files(made[0], with_normals=True) == {path.name: path.read_bytes() for path in models[family]}
    thing = mesh_in(made[0])
    normals = headless.meshes.corner_normals_of(thing)
    corners = corners_of_point(thing)
    normals[corners] = np.array([0.6, 0.0, 0.8])
    thing.data.normals_split_custom_set(normals)
    same = headless.original.changed_files(made[0])
    assert same == {path.name: path.read_bytes() for path in models[family]}
    data = headless.original.changed_files(made[0], with_normals=True)
    before, after = (scene.meshes[0] for scene in scenes(models[family], data))
    values = [at_corners(mesh, mesh.normals) for mesh in (before, after)]
    rows = changed_rows(*values, 1e-3)
    assert len(rows) == len(corners)
    assert np.allclose(values[1][rows], [0.6, 0.8, 0.0], atol=5e-3)


@pytest.mark.parametrize("sample", ["psk/colored.psk", "cal3d/colors.cmf"])
def test_changed_colours(sample: str) -> None:
    path = SAMPLES / "corpus" / sample
    made, _ = headless.load(path)
    thing = mesh_in(made[0])
    colors = headless.meshes.colors_of(thing)
    point = headless.meshes.corners_of(thing)[0]
    corners = np.flatnonzero(headless.meshes.corners_of(thing) == point)
    for corner in corners:
        thing.data.color_attributes["Color"].data[int(corner)].color = (1.0, 0.4, 0.2, float(colors[corner][3]))
    data = headless.original.changed_files(made[0])
    _, after = (scene.meshes[0] for scene in scenes([path], data))
    assert np.allclose(at_corners(after, after.colors)[corners][:, :3], [1.0, 0.4, 0.2], atol=1e-6)
    found = sum(differences([path], data).values(), [])
    assert found and all("color" in own.path or ".bytes[" in own.path for own in found), found


@pytest.mark.parametrize("sample", ["psk/morphs.pskx", "cal3d/morphs.cmf", "cal3d/morphs1301.cmf"])
def test_changed_shape_keys(sample: str) -> None:
    path = SAMPLES / "corpus" / sample
    made, _ = headless.load(path)
    thing = mesh_in(made[0])
    first = bindpose.scene(path).meshes[thing[headless.meshes.MESH]]
    number = next(index for index, morph in enumerate(first.morphs) if len(morph.vertices))
    block = thing.data.shape_keys.key_blocks[number + 1]
    shape = headless.shape.Shape.of(bindpose.scene(path).move_bind_scale(), thing[headless.meshes.MESH], headless.rig.Rig.of(bindpose.scene(path), "FILE"))
    point = int(shape.point_of[first.morphs[number].vertices[0]])
    block.data[point].co.z += 0.5
    data = headless.original.changed_files(made[0])
    before, after = (scene.meshes[thing[headless.meshes.MESH]] for scene in scenes([path], data))
    assert np.allclose(after.positions, before.positions)
    moved = after.morphs[number].positions - before.morphs[number].positions
    assert np.allclose(moved[0], [0, 0.5, 0], atol=1e-5)
    found = sum(differences([path], data).values(), [])
    assert found and all("morph" in own.path or "position_delta" in own.path for own in found), found


def test_shape_keys_displace_the_points_of_the_file_only() -> None:
    made, _ = headless.load(SAMPLES / "corpus/psk/morphs.pskx")
    thing = mesh_in(made[0])
    for point in thing.data.shape_keys.key_blocks[1].data:
        point.co.x += 1
    thing.data.shape_keys.key_blocks[2].name = "other"
    with pytest.raises(headless.original.RefusedError, match="added, removed or renamed shape keys"):
        headless.original.changed_files(made[0])


@pytest.mark.parametrize("family", ["ms3d", "directx", "cal3d"])
def test_changed_materials(models: dict[str, list[Path]], family: str) -> None:
    made, _ = headless.load(*models[family])
    material = mesh_in(made[0]).data.materials[0]
    index = material[headless.materials.MATERIAL]
    shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (0.2, 0.4, 0.6, 1.0)
    if family != "cal3d":
        material.name = "rind"
    data = headless.original.changed_files(made[0])
    before, after = (scene.materials[index] for scene in scenes(models[family], data))
    assert np.allclose(after.color, [0.2, 0.4, 0.6, before.color[3]], atol=3e-3)
    assert after.name == (before.name if family == "cal3d" else "rind")
    found = sum(differences(models[family], data).values(), [])
    assert len(found) <= 5, found


def test_a_changed_image_changes_the_path_of_the_texture(tmp_path: Path) -> None:
    path = tmp_path / "hero.ms3d"
    path.write_bytes((SAMPLES / "corpus/ms3d/full.ms3d").read_bytes())
    texture = bindpose.scene(path).materials[0].textures[0]
    image = bpy.data.images.new("skin", 4, 4)
    for name in (texture.replace("\\", "/").rsplit("/", 1)[-1], "other.png"):
        image.filepath_raw, image.file_format = str((tmp_path / name).with_suffix(".png")), "PNG"
        image.save()
    made, _ = headless.load(path)
    material = mesh_in(made[0]).data.materials[0]
    node = next(node for node in material.node_tree.nodes if node.type == "TEX_IMAGE")
    assert headless.original.changed_files(made[0])["hero.ms3d"] == path.read_bytes()
    node.image = bpy.data.images.load(str(tmp_path / "other.png"))
    data = headless.original.changed_files(made[0])
    (found,) = differences([path], data)["hero.ms3d"]
    assert found.a.replace("\\\\", "\\") == texture and found.b.endswith("other.png")


def test_a_texture_is_multiplied_with_the_emissive_colour(tmp_path: Path) -> None:
    source = bindpose.open(SAMPLES / "corpus/ms3d/full.ms3d")
    for part, value in enumerate((1.0, 0.5, 0.0)):
        source[f"materials[0].emissive[{part}]"] = value
    path = tmp_path / "hero.ms3d"
    path.write_bytes(source.encode())
    texture = bindpose.scene(path).materials[0].textures[0].replace("\\", "/").rsplit("/", 1)[-1]
    image = bpy.data.images.new("skin", 4, 4)
    image.filepath_raw, image.file_format = str((tmp_path / texture).with_suffix(".png")), "PNG"
    image.save()
    made, _ = headless.load(path)
    material = mesh_in(made[0]).data.materials[0]
    shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    product = shader.inputs["Emission Color"].links[0].from_node
    assert product.inputs[0].links[0].from_node.type == "TEX_IMAGE"
    assert np.allclose(product.inputs[1].default_value, bindpose.scene(path).materials[0].emissive)
    assert headless.original.changed_files(made[0])["hero.ms3d"] == path.read_bytes()


def test_values_that_corners_share_must_agree(models: dict[str, list[Path]]) -> None:
    made, _ = headless.load(*models["cal3d"])
    thing = mesh_in(made[0])
    corner = int(corners_of_point(thing)[0])
    thing.data.uv_layers[0].data[corner].uv = (0.5, 0.5)
    with pytest.raises(headless.original.RefusedError, match="different texture coordinates at .* corners that share"):
        headless.original.changed_files(made[0])


@pytest.mark.parametrize("apart", [0.0, 0.008, 0.012, 0.1])
def test_normals_that_blender_averages_stay_as_they_are(tmp_path: Path, apart: float) -> None:
    path = tmp_path / "square.ms3d"
    square = bindpose.Mesh(
        "square",
        positions=[[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]],
        normals=[[0, 0, 1]] * 4,
        uvs=[np.zeros((4, 2))],
        primitives=[bindpose.Primitive(triangles=[[0, 1, 2], [0, 2, 3]])],
    )
    bindpose.Scene(meshes=[square]).write(path)
    file = bindpose.open(path)
    for triangle, angle in enumerate((0.0, apart)):
        for corner in range(3):
            file[f"triangles[{triangle}].vertex_normals[{corner}]"] = (np.sin(angle), 0.0, np.cos(angle))
    file.save(path)
    (collection,), _ = headless.load(path)
    report = headless.report.Report("export")
    assert headless.original.changed(collection, report=report)[path.name].encode() == path.read_bytes()
    assert not report.lines
    assert headless.original.changed_files(collection, with_normals=True)[path.name] == path.read_bytes()
    (own,) = collection.objects
    own.data.vertices[0].co.y += 1
    assert headless.original.changed(collection, report=report)
    assert len(report.lines) == 1
