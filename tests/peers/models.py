"""Makes a glTF model for each feature that a conversion can get wrong: `MODELS` has their functions by name."""

from __future__ import annotations

import numpy as np

from build import (
    BYTE,
    HEIGHTS,
    SHORT,
    TYPES,
    UBYTE,
    UINT,
    USHORT,
    Builder,
    Rig,
    X,
    Y,
    Z,
    influences,
    matrix,
    spline,
    tube,
    turn,
)

MODELS = {}


def model(make):
    MODELS[make.__name__] = make
    return make


# Clips


@model
def linear():
    return Rig().wave()


@model
def steps():
    rig = Rig()
    turns, moves = [turn(Z, own) for own in (0, 40, -30, 10)], [[0, 0.5, 0], [0.1, 0.5, 0], [0, 0.7, 0.2], [0, 0.5, 0]]
    rig.clip(
        "steps",
        (rig.joints[1], "rotation", [0, 0.3, 0.61, 1.0], turns, "STEP"),
        (rig.joints[2], "translation", [0, 0.3, 0.61, 1.0], moves, "STEP"),
    )
    return rig


@model
def splines():
    rig, times = Rig(), [0, 0.4, 1.0]
    turns = np.array([turn(Z, own) for own in (0, 60, -30)])
    moves = np.array([[0, 0.5, 0], [0.1, 0.6, 0], [0, 0.5, 0.1]])
    scales = np.array([[1, 1, 1], [1.2, 1.2, 1.2], [0.9, 0.9, 0.9]])
    rig.clip(
        "splines",
        (
            rig.joints[1],
            "rotation",
            times,
            spline(turns, np.array([[0, 0, 0.8, 0.1], [0, 0.3, 0.5, 0], [0, 0, -0.5, 0]])),
            "CUBICSPLINE",
        ),
        (
            rig.joints[2],
            "translation",
            times,
            spline(moves, np.array([[0.5, 0, 0], [0, 0, 1.0], [0, -1, 0]])),
            "CUBICSPLINE",
        ),
    )
    rig.clip("growing", (rig.joints[2], "scale", times, spline(scales, np.full((3, 3), 0.3)), "CUBICSPLINE"))
    return rig


@model
def keys_between_frames():
    return Rig().wave(times=(0, 0.317, 0.831)).wave("uneven", times=(0, 0.1234567, 1.00001), degrees=(10, 80, 0))


@model
def rates():
    rig = Rig()
    for rate in (12, 24, 25, 29.97, 60, 120):
        times = np.arange(9) / rate
        rig.wave(f"at_{rate:g}".replace(".", "_"), times, degrees=[37 * np.sin(own) for own in range(9)])
    return rig


@model
def late_start():
    return Rig().wave("late", times=(1, 1.5, 2.2), degrees=(20, 60, -40))


@model
def late_start_of_one_track():
    rig = Rig()
    rig.clip(
        "mixed",
        (rig.joints[1], "rotation", [0, 1], [turn(Z, 0), turn(Z, 40)]),
        (rig.joints[2], "rotation", [0.4, 0.7], [turn(Z, 30), turn(Z, -40)]),
    )
    return rig


@model
def single_key():
    return Rig().wave("pose", times=(0,), degrees=(45,)).wave("late_pose", times=(0.5,), degrees=(-45,))


@model
def single_pose():
    """The only clip has no duration."""
    return Rig().wave("pose", times=(0,), degrees=(45,))


@model
def long_ways():
    """Rotations of almost 180 degrees between keys far apart, and quaternions of either sign."""
    rig, times = Rig(), [0, 1, 2, 3]
    signs = np.array([1, -1, 1, -1])[:, None]
    turns = np.array([turn(X + 0.2 * Y, own) for own in (0, 170, 20, -150)]) * signs
    rig.clip("signs", (rig.joints[1], "rotation", times, turns), (rig.joints[2], "rotation", times, turns[::-1]))
    return rig


@model
def full_turns():
    rig, times = Rig(), np.arange(9) / 4
    turns = [turn(Y, 100 * own) for own in range(9)]
    rig.clip(
        "spin",
        (rig.joints[0], "rotation", times, turns),
        (rig.joints[2], "rotation", times, [turn(Z, 90 * own) for own in range(9)]),
    )
    return rig


@model
def moving_root():
    rig = Rig()
    rig.clip(
        "walk",
        (rig.joints[0], "translation", [0, 0.5, 2], [[0, 0, 0], [0, 0.2, 3], [7, 0, 9]]),
        (rig.joints[0], "rotation", [0, 2], [turn(Y, 0), turn(Y, 120)]),
    )
    return rig


@model
def scaled_clip():
    rig, times = Rig(), [0, 0.5, 1]
    rig.clip("grow", (rig.joints[1], "scale", times, [[1, 1, 1], [2, 2, 2], [0.5, 0.5, 0.5]]))
    rig.clip(
        "stretch",
        (rig.joints[1], "scale", times, [[1, 1, 1], [1, 2, 1], [1, 0.5, 1]]),
        (rig.joints[2], "rotation", times, [turn(Z, own) for own in (0, 45, 90)]),
    )
    return rig


@model
def quantized_clip():
    rig = Rig()
    values = rig.accessor([turn(Z, own) for own in (0, 40, -70)], SHORT, True)
    small = rig.accessor([turn(Z, own) for own in (0, 40, -70)], BYTE, True)
    rig.clip("short", (rig.joints[1], "rotation", [0, 0.5, 1], values), (rig.joints[2], "rotation", [0, 0.5, 1], small))
    return rig


@model
def names_of_clips():
    """Two clips of one name, one without a name, and one whose name is a path."""
    return Rig().wave("same").wave("same", degrees=(0, -50, 30)).wave(None, degrees=(5, 15, 25)).wave("a/b|c", degrees=(60, 0, 0))


@model
def armature_moves():
    """The node above the joints has a transform, and a clip that moves it."""
    rig = Rig(above={"translation": [0.3, 0, 0.2], "rotation": turn(X, 30)})
    rig.clip(
        "above",
        (rig.above, "translation", [0, 1], [[0.3, 0, 0.2], [2, 1, 0]]),
        (rig.above, "rotation", [0, 1], [turn(X, 30), turn(Y, 80)]),
    )
    rig.wave()
    return rig


# Skeletons


@model
def posed():
    """The nodes are at rest in another pose than that in which the skin was bound."""
    return Rig(rest={1: turn(Z, 40), 2: turn(X, -30)}).wave()


@model
def posed_without_clips():
    return Rig(rest={1: turn(Z, 40), 2: turn(X, -30)})


@model
def posed_in_part():
    """The clip moves one bone; another has its pose at rest."""
    rig = Rig(rest={1: turn(Z, 40), 2: turn(X, -30)})
    rig.clip("part", (rig.joints[2], "rotation", [0, 1], [turn(X, -30), turn(X, 60)]))
    return rig


@model
def centimetres():
    """An armature of 0.01, and joints in centimetres, as exporters of FBX files write them."""
    rig = Rig(above={"scale": [0.01] * 3, "rotation": turn(X, -90)})
    for joint in rig.joints[1:]:
        rig.json["nodes"][joint]["translation"] = [0, 50, 0]
    rig.shape["attributes"]["POSITION"] = rig.accessor(rig.points * 100)
    rig.json["skins"][0]["inverseBindMatrices"] = rig.accessor(np.array([np.linalg.inv(matrix([0, 50 * own, 0])).T for own in range(3)]))
    rig.clip(
        "wave",
        (rig.joints[1], "rotation", [0, 0.5, 1], [turn(Z, own) for own in (0, 50, -20)]),
        (rig.joints[0], "translation", [0, 1], [[0, 0, 0], [0, 0, 40]]),
    )
    return rig


@model
def centimetres_and_posed():
    rig = centimetres()
    rig.json["nodes"][rig.joints[1]]["rotation"] = turn(Z, 40).tolist()
    return rig


@model
def scaled_bones():
    return Rig(scale=(2, 2, 2)).wave()


@model
def bones_of_uneven_scale():
    return Rig(scale=(1, 2, 1)).wave()


@model
def mirrored_bones():
    return Rig(scale=(-1, 1, 1)).wave()


@model
def matrices_of_nodes():
    rig = Rig()
    for index in rig.joints:
        node = rig.json["nodes"][index]
        node["matrix"] = matrix(node.pop("translation"), scale=node.pop("scale")).T.ravel().tolist()
    rig.json["nodes"][rig.joints[2]] = {"name": "tip", "translation": [0, 0.5, 0]}
    rig.clip("tip", (rig.joints[2], "rotation", [0, 1], [turn(Z, 0), turn(Z, 60)]))
    return rig


@model
def mesh_node_is_elsewhere():
    """The node of a skinned mesh has a transform, which has no effect."""
    return Rig(mesh_node={"translation": [5, 5, 5], "scale": [3, 3, 3], "rotation": turn(Y, 77)}).wave()


@model
def several_roots():
    rig = Rig()
    points, faces = tube(4, 5, 0.4)
    other = rig.node(name="other root", translation=[1, 0, 0])
    joints, weights = np.zeros((len(points), 4)), np.tile([1.0, 0, 0, 0], (len(points), 1))
    primitive = rig.primitive(points + X, faces)
    primitive["attributes"] |= {"JOINTS_0": rig.accessor(joints, UBYTE), "WEIGHTS_0": rig.accessor(weights)}
    rig.node(name="second", mesh=rig.mesh(primitive, name="second"), skin=rig.skin([other], [matrix([1, 0, 0])]))
    rig.clip(
        "both",
        (other, "rotation", [0, 1], [turn(Z, 0), turn(Z, 70)]),
        (rig.joints[1], "rotation", [0, 1], [turn(X, 0), turn(X, 50)]),
    )
    return rig


@model
def joints_in_another_order():
    rig = Rig()
    skin = rig.json["skins"][0]
    order = [2, 0, 1]
    skin["joints"] = [rig.joints[own] for own in order]
    skin["inverseBindMatrices"] = rig.accessor(np.array([np.linalg.inv(matrix([0, HEIGHTS[own], 0])).T for own in order]))
    joints, weights = influences(rig.points, HEIGHTS)
    rig.shape["attributes"]["JOINTS_0"] = rig.accessor(np.array([order.index(own) for own in range(3)])[joints.astype(int)], UBYTE)
    return rig.wave()


@model
def nodes_without_names():
    return Rig(joint_names=(None, None, None)).wave()


@model
def nodes_of_one_name():
    return Rig(joint_names=("bone", "bone", "bone")).wave()


@model
def names_with_other_letters():
    return Rig(
        joint_names=(
            "Wurzel ä",
            "中間",
            "tip of the very long name of a bone that has more than sixty-four letters in all",
        )
    ).wave()


@model
def without_inverse_binds():
    rig = Rig()
    del rig.json["skins"][0]["inverseBindMatrices"]
    return rig.wave()


@model
def two_skins_bound_apart():
    """Two meshes on the same bones, bound in different poses."""
    rig = Rig()
    points, faces = tube(5, 5, 1.0)
    bent = [np.eye(4), matrix([0, 0.5, 0], turn(Z, 90)), matrix([0, 0.5, 0], turn(Z, 90)) @ matrix([0, 0.5, 0])]
    joints, weights = np.zeros((len(points), 4)), np.tile([1.0, 0, 0, 0], (len(points), 1))
    joints[:, 0] = 1
    primitive = rig.primitive(points * [0.5, 0.5, 0.5] + [0, 0.5, 0], faces)
    primitive["attributes"] |= {"JOINTS_0": rig.accessor(joints, UBYTE), "WEIGHTS_0": rig.accessor(weights)}
    rig.node(name="cuff", mesh=rig.mesh(primitive, name="cuff"), skin=rig.skin(rig.joints, bent))
    return rig.wave()


# Vertices


@model
def normalised_weights():
    rig = Rig()
    joints, weights = influences(rig.points, HEIGHTS)
    for at, component in enumerate((UBYTE, USHORT)):
        most = np.iinfo(TYPES[component]).max
        first = np.rint(weights[:, 0] * most)
        exact = np.stack([first, most - first, 0 * first, 0 * first], 1) / most
        primitive = rig.primitive(rig.points + at * 0.7 * X, rig.faces)
        primitive["attributes"] |= {
            "JOINTS_0": rig.accessor(joints, component),
            "WEIGHTS_0": rig.accessor(exact, component, True),
        }
        rig.json["meshes"][0]["primitives"].append(primitive)
    return rig.wave()


@model
def eight_influences():
    rig = Rig()
    bones = [rig.node(rig.joints[2], name=f"finger_{own}", translation=[0.1 * own - 0.3, 0.3, 0]) for own in range(6)]
    skin = rig.json["skins"][0]
    skin["joints"] += bones
    places = [matrix([0, own, 0]) for own in HEIGHTS] + [matrix([0.1 * own - 0.3, 1.3, 0]) for own in range(6)]
    skin["inverseBindMatrices"] = rig.accessor(np.array([np.linalg.inv(own).T for own in places]))
    random = np.random.default_rng(1)
    weights = random.random((len(rig.points), 8)) + 0.05
    weights /= weights.sum(1, keepdims=True)
    joints = np.array([random.permutation(9)[:8] for _ in rig.points])
    for at in range(2):
        own = slice(4 * at, 4 * at + 4)
        rig.shape["attributes"] |= {
            f"JOINTS_{at}": rig.accessor(joints[:, own], UBYTE),
            f"WEIGHTS_{at}": rig.accessor(weights[:, own]),
        }
    rig.clip(
        "fingers",
        *((bone, "rotation", [0, 1], [turn(X, 0), turn(X, 30 + 5 * at)]) for at, bone in enumerate(bones)),
        (rig.joints[1], "rotation", [0, 1], [turn(Z, 0), turn(Z, 60)]),
    )
    return rig


@model
def seams():
    """Points at one place with weights of their own: the sheets part in the clip."""
    rig = Rig()
    joints, weights = influences(rig.points, HEIGHTS)
    joints[:, 0], weights[:] = 2, [1, 0, 0, 0]
    primitive = rig.primitive(rig.points, rig.faces)
    primitive["attributes"] |= {"JOINTS_0": rig.accessor(joints, UBYTE), "WEIGHTS_0": rig.accessor(weights)}
    rig.json["meshes"][0]["primitives"].append(primitive)
    return rig.wave()


@model
def sparse_points():
    rig = Rig()
    rows = np.array([3, 10, 11, 40])
    moved = rig.points[rows] + [0.05, 0.02, -0.1]
    own = rig.json["accessors"][rig.shape["attributes"]["POSITION"]]
    own["sparse"] = {
        "count": len(rows),
        "indices": {"bufferView": rig.view(rows.astype("<u2").tobytes()), "componentType": USHORT},
        "values": {"bufferView": rig.view(moved.astype("<f4").tobytes())},
    }
    return rig.wave()


@model
def interleaved():
    """Points and weights in one view."""
    rig = Rig()
    _, weights = influences(rig.points, HEIGHTS)
    view = rig.view(np.concatenate([rig.points, weights], 1).astype("<f4").tobytes(), byteStride=28)
    for name, offset in (("POSITION", 0), ("WEIGHTS_0", 12)):
        rig.json["accessors"][rig.shape["attributes"][name]] |= {"bufferView": view, "byteOffset": offset}
    return rig.wave()


@model
def quantized_points():
    """Positions of 16 bits, which the inverse bind matrices scale."""
    rig = Rig()
    rig.shape["attributes"]["POSITION"] = rig.accessor(rig.points / 2, SHORT, True)
    binds = [np.linalg.inv(matrix([0, own, 0])) @ matrix(scale=[2] * 3) for own in HEIGHTS]
    rig.json["skins"][0]["inverseBindMatrices"] = rig.accessor(np.array([own.T for own in binds]))
    rig.json |= {"extensionsUsed": ["KHR_mesh_quantization"], "extensionsRequired": ["KHR_mesh_quantization"]}
    return rig.wave()


@model
def strips_and_fans():
    rig = Rig()
    joints, weights = influences(rig.points, HEIGHTS)
    attributes = rig.shape["attributes"]
    ring = rig.accessor(np.ravel([[own, own + 7] for own in range(7)] + [[0, 7]]), UINT)
    fan = rig.accessor([56, 57, 58, 59, 60, 61, 62], UBYTE)
    plain = rig.accessor(rig.points[np.ravel(rig.faces)] + X)
    loose = {
        "POSITION": plain,
        "JOINTS_0": rig.accessor(joints[np.ravel(rig.faces)], USHORT),
        "WEIGHTS_0": rig.accessor(weights[np.ravel(rig.faces)]),
    }
    rig.json["meshes"][0]["primitives"] = [
        {"attributes": attributes, "indices": ring, "mode": 5},
        {"attributes": attributes, "indices": fan, "mode": 6},
        {"attributes": loose},
    ]
    return rig.wave()


@model
def loose_and_degenerate():
    """Vertices without triangles, and triangles without an area."""
    rig = Rig()
    rig.shape["indices"] = rig.accessor(np.concatenate([np.ravel(rig.faces[:40]), [0, 0, 1, 2, 2, 2]]), USHORT)
    return rig.wave()


# Meshes without a skin


@model
def rigid():
    """A mesh at a joint, one at a moving node, and one that stands still."""
    rig = Rig()
    points, faces = tube(4, 5, 0.4)
    mesh = lambda name: rig.mesh(rig.primitive(points, faces), name=name)
    rig.node(rig.joints[2], name="hat", mesh=mesh("hat"), translation=[0, 0.1, 0], rotation=turn(X, 20))
    mover = rig.node(name="mover", mesh=mesh("mover"), translation=[1, 0, 0])
    rig.node(name="still", mesh=mesh("still"), translation=[-1, 0, 0], scale=[1, 2, 1], rotation=turn(Z, 30))
    rig.wave()
    rig.clip(
        "moving",
        (mover, "translation", [0, 1], [[1, 0, 0], [2, 1, 0]]),
        (mover, "rotation", [0, 1], [turn(Y, 0), turn(Y, 90)]),
    )
    return rig


@model
def mirrored_nodes():
    build = Builder()
    points, faces = tube(4, 5, 0.4)
    above = build.node(name="above", scale=[-1, 1, 1])
    build.node(above, name="left", mesh=build.mesh(build.primitive(points, faces), name="left"), translation=[1, 0, 0])
    build.node(name="right", mesh=build.mesh(build.primitive(points, faces), name="right"), translation=[1, 0, 0])
    return build


@model
def sheared_nodes():
    build = Builder()
    points, faces = tube(4, 5, 0.4)
    above = build.node(name="above", scale=[1, 3, 1])
    build.node(above, name="sheared", mesh=build.mesh(build.primitive(points, faces), name="sheared"), rotation=turn(Z, 40))
    return build


@model
def sheared_moving_nodes():
    build = sheared_nodes()
    build.clip("turn", (1, "rotation", [0, 1], [turn(Z, 40), turn(Z, -40)]))
    return build


@model
def instances():
    build = Builder()
    points, faces = tube(4, 5, 0.4)
    mesh = build.mesh(build.primitive(points, faces), name="post")
    for own in range(3):
        build.node(name=f"post_{own}", mesh=mesh, translation=[own, 0, 0])
    return build


@model
def moving_instances():
    build = instances()
    for own in range(3):
        build.clip(f"jump_{own}", (own, "translation", [0, 1], [[own, 0, 0], [own, 1 + own, 0]]))
    return build


@model
def still():
    build = Builder()
    build.node(name="tube", mesh=build.mesh(build.primitive(*tube()), name="tube"))
    return build


@model
def beside_the_scene():
    """A second scene has another mesh."""
    rig = Rig()
    points, faces = tube(4, 5, 0.4)
    rig.node(name="hidden", mesh=rig.mesh(rig.primitive(points, faces), name="hidden"), translation=[4, 0, 0])
    rig.json["scenes"].append({"nodes": [rig.json["scenes"][0]["nodes"].pop()]})
    return rig.wave()


@model
def tiny():
    rig = Rig(above={"scale": [1e-3] * 3})
    return rig.wave()


@model
def small():
    """Bones of half a millimetre, which a clip moves by less than 0.1 mm between frames."""
    rig = Rig()
    for joint in rig.joints[1:]:
        rig.json["nodes"][joint]["translation"] = [0, 5e-4, 0]
    rig.shape["attributes"]["POSITION"] = rig.accessor(rig.points * 1e-3)
    rig.json["skins"][0]["inverseBindMatrices"] = rig.accessor([matrix([0, -1e-3 * own, 0]).T for own in HEIGHTS])
    moves = [[0, 5e-4, 0], [9e-5, 5e-4, 0], [0, 5e-4, 0]]
    rig.clip("shake", (rig.joints[1], "translation", [0, 0.3179, 0.6271], moves, "STEP"))
    return rig


@model
def slight_turns():
    """Rotations between frames that are off by less than 0.02 degrees."""
    times = np.array([0, 0.31379, 0.6271, 0.94443])
    return Rig().wave("nod", times, degrees=(0, 0.5, -0.5, 0.4))


@model
def huge():
    rig = Rig(above={"scale": [1e3] * 3})
    return rig.wave()


@model
def far_from_the_origin():
    rig = Rig(above={"translation": [1000, 0, 1000]})
    return rig.wave()


# Morph targets


def morphed(rig, weights=None, node_weights=None):
    up = np.where(rig.points[:, 1:2] > 0.7, [[0.2, 0.1, 0]], 0.0)
    wide = rig.points * [0.5, 0, 0.5]
    rig.shape["targets"] = [{"POSITION": rig.accessor(up)}, {"POSITION": rig.accessor(wide)}]
    mesh = rig.json["meshes"][0]
    mesh["extras"] = {"targetNames": ["up", "wide"]}
    if weights:
        mesh["weights"] = weights
    if node_weights:
        rig.json["nodes"][rig.body]["weights"] = node_weights
    return rig


@model
def morphs():
    rig = morphed(Rig(), [0, 0])
    rig.clip("smile", (rig.body, "weights", [0, 0.5, 1], np.array([0, 0, 1, 0.5, 0, 1.0])))
    return rig.wave()


@model
def default_weights():
    rig = morphed(Rig(), [0.5, 0.25])
    rig.clip("smile", (rig.body, "weights", [0, 0.5, 1], np.array([0.5, 0.25, 1, 0.5, 0, 1.0])))
    return rig.wave()


@model
def weights_of_the_node():
    return morphed(Rig(), [0.5, 0.25], [0, 1]).wave()


@model
def morph_splines():
    rig = morphed(Rig(), [0, 0])
    keys = np.array([0, 0, 0, 0, 1, 0.5, 1, 0.2, 1, 0.5, 0, 0, 0, -1, 0.2, 1, 0, 0])
    rig.clip("smile", (rig.body, "weights", [0, 0.5, 1], keys, "CUBICSPLINE"))
    return rig


@model
def morph_steps():
    rig = morphed(Rig(), [0, 0])
    rig.clip(
        "smile",
        (rig.body, "weights", [0, 0.5, 1], np.array([0, 0, 1, 0.5, 0, 1.0]), "STEP"),
        (rig.joints[1], "rotation", [0, 1], [turn(Z, 0), turn(Z, 40)]),
    )
    return rig
