"""The evaluator, on files with known values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from build import SHORT, UBYTE, USHORT, Builder, Rig, matrix, spline, turn
from compare import farthest
from gltf import Gltf

X, Y, Z = np.eye(3)
TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)


@pytest.fixture
def read(tmp_path: Path):
    def written(build: Builder, suffix: str = ".glb") -> Gltf:
        path = tmp_path / f"model{suffix}"
        build.write(path)
        return Gltf(path)

    return written


def triangle(points=TRIANGLE, indices=(0, 1, 2), node=None, **more) -> Builder:
    build = Builder()
    build.node(mesh=build.mesh(build.primitive(points, indices, **more)), **(node or {}))
    return build


def first(model: Gltf, clip=None, time=0.0) -> np.ndarray:
    return model.triangles(clip, time)[0]


def near(a, b) -> bool:
    return np.allclose(a, b, atol=1e-6)


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_buffers_are_in_the_file_or_beside_it(read, suffix):
    assert near(first(read(triangle(), suffix)), TRIANGLE)


def test_buffers_are_in_uris(tmp_path):
    (tmp_path / "uri.gltf").write_text(triangle().gltf())
    assert near(first(Gltf(tmp_path / "uri.gltf")), TRIANGLE)


def test_strips_and_fans_keep_the_winding(read):
    square = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], float)
    strip = read(triangle(square, (0, 1, 2, 3), mode=5)).triangles()
    assert near(strip, square[[[0, 1, 2], [1, 3, 2]]])
    assert near(read(triangle(square, (0, 1, 3, 2), mode=6)).triangles(), square[[[1, 3, 0], [3, 2, 0]]])
    assert len(read(triangle(square, (0, 1, 2, 3), mode=1)).triangles()) == 0


@pytest.mark.parametrize("index_type", [UBYTE, USHORT])
def test_indices_have_any_type(read, index_type):
    assert near(first(read(triangle(indices=(2, 0, 1), index_type=index_type))), TRIANGLE[[2, 0, 1]])


def test_normalised_integers_are_from_minus_one_to_one(read):
    build = triangle()
    values = build.accessor(TRIANGLE * [-1, 0.5, 1], SHORT, True)
    build.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = values
    model = read(build)
    assert np.allclose(first(model), TRIANGLE * [-1, 0.5, 1], atol=1e-4)
    assert model.json["bufferViews"][-1]["byteStride"] == 8


def test_sparse_values_replace_those_of_the_view_or_zeros(read):
    build = triangle()
    sparse = {
        "count": 1,
        "indices": {"bufferView": build.view(b"\x02"), "componentType": UBYTE},
        "values": {"bufferView": build.view(np.array([5, 6, 7], "<f4").tobytes())},
    }
    build.json["accessors"][0]["sparse"] = sparse
    assert near(first(read(build)), [[0, 0, 0], [1, 0, 0], [5, 6, 7]])
    del build.json["accessors"][0]["bufferView"]
    assert near(first(read(build)), [[0, 0, 0], [0, 0, 0], [5, 6, 7]])


def test_nodes_scale_then_turn_then_move(read):
    node = {"translation": [10, 0, 0], "rotation": turn(Z, 90), "scale": [2, 1, 1]}
    expected = [[10, 0, 0], [10, 2, 0], [9, 0, 0]]
    assert near(first(read(triangle(node=node))), expected)
    columns = matrix([10, 0, 0], turn(Z, 90), [2, 1, 1]).T.ravel()
    assert near(first(read(triangle(node={"matrix": columns}))), expected)


def test_mirrored_triangles_are_turned_over(read):
    assert near(first(read(triangle(node={"scale": [-1, 1, 1]}))), [[0, 0, 0], [0, 1, 0], [-1, 0, 0]])


def moving(path: str, values, kind="LINEAR", times=(1, 2, 4)) -> Builder:
    build = triangle()
    build.clip("moving", (0, path, times, values, kind))
    return build


def test_steps_and_lines_hold_the_first_and_the_last_value(read):
    moves = [[0, 0, 0], [1, 0, 0], [0, 0, 4]]
    line, step = read(moving("translation", moves)), None
    assert line.end(0) == 4
    for time, x, z in [(0, 0, 0), (1.5, 0.5, 0), (2, 1, 0), (3, 0.5, 2), (9, 0, 4)]:
        assert near(first(line, 0, time)[0], [x, 0, z])
    step = read(moving("translation", moves, "STEP"))
    for time, x, z in [(0, 0, 0), (1.99, 0, 0), (2, 1, 0), (3.9, 1, 0), (4, 0, 4)]:
        assert near(first(step, 0, time)[0], [x, 0, z])


def test_splines_have_tangents_in_units_per_second(read):
    # x = t² from 0 to 2 seconds.
    keys = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [4, 0, 0], [4, 0, 0], [4, 0, 0]], float)
    model = read(moving("translation", keys, "CUBICSPLINE", (0, 2)))
    for time in (0, 0.5, 1, 1.3, 2):
        assert near(first(model, 0, time)[0], [time**2, 0, 0])
    turns = spline(np.array([turn(Z, 0), turn(Z, 90)]), np.zeros((2, 4)))
    assert near(first(read(moving("rotation", turns, "CUBICSPLINE", (0, 2))), 0, 1)[1], [np.sqrt(0.5), np.sqrt(0.5), 0])


def test_rotations_are_spherical_on_the_shorter_way(read):
    model = read(moving("rotation", [turn(Z, 0), -turn(Z, 90), turn(Z, 170)]))
    for time, degrees in [(1.5, 45), (1 + 1 / 3, 30), (3, 130)]:
        angle = np.radians(degrees)
        assert near(first(model, 0, time)[1], [np.cos(angle), np.sin(angle), 0])


def test_weights_are_those_of_the_clip_or_node_or_mesh(read):
    build = Builder()
    targets = [{"POSITION": build.accessor(np.tile(own, (3, 1)))} for own in (X, 2 * Y)]
    primitive = build.primitive(TRIANGLE, (0, 1, 2), targets=targets)
    build.node(mesh=build.mesh(primitive, weights=[1, 0.5]))
    assert near(first(read(build))[0], [1, 1, 0])
    build.json["nodes"][0]["weights"] = [0, 1]
    assert near(first(read(build))[0], [0, 2, 0])
    build.clip("smile", (0, "weights", [0, 1], np.array([0, 0, 1, 0.25])))
    assert near(first(read(build), 0, 0.5)[0], [0.5, 0.25, 0])


def test_skins_bend_as_their_joints_and_ignore_the_node_of_the_mesh(read):
    rig = Rig(mesh_node={"translation": [9, 9, 9]})
    rig.clip("bend", (rig.joints[1], "rotation", [0], [turn(Z, 90)]))
    model = read(rig)
    assert near(model.triangles()[0], rig.points[rig.faces[0]])
    # The tip, at 1.5, is turned about the second joint, at 0.5.
    at_rest, bent = model.triangles().reshape(-1, 3), model.triangles(0).reshape(-1, 3)
    high = at_rest[:, 1] > 1
    assert near(bent[high], np.stack([0.5 - at_rest[high, 1], 0.5 + at_rest[high, 0], at_rest[high, 2]], 1))


def test_the_bind_pose_is_that_of_the_inverse_matrices(read):
    rig = Rig(rest={1: turn(Z, 40)})
    model = read(rig)
    assert near(model.triangles(is_bound=True)[0], rig.points[rig.faces[0]])
    assert not near(model.triangles()[-1], rig.points[rig.faces[-1]])


def test_triangles_are_compared_in_any_order_and_from_any_corner():
    a = np.random.default_rng(0).random((50, 4, 3, 3))
    b = np.roll(a[::-1], 1, 2).copy()
    assert farthest(a, b).max() < 1e-12
    b[7, 2, 1] += [0, 0, 0.125]
    assert near(farthest(a, b), [0, 0, 0.125, 0])
    # Nor is a triangle the same from its other side.
    assert farthest(a, a[:, :, [0, 2, 1]]).max() > 0.1
