"""Models of features of clips and skeletons."""

from __future__ import annotations

import numpy as np

from build import model, Builder, turn, matrix, tube, influences, Rig, spline, BYTE, UBYTE, SHORT, USHORT, HEIGHTS, X, Y, Z

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


@model
def soldiers():
    """Two nodes with one skinned mesh and skeletons of their own."""
    rig = Rig()
    rig.node(name="second body", mesh=0, skin=1)
    parent, joints, places, place = None, [], [], np.eye(4)
    for index, name in enumerate(("root", "middle", "tip")):
        move = [2, 0, 0] if index == 0 else [0, 0.5, 0]
        parent = rig.node(parent, name=name, translation=move)
        joints.append(parent)
        place = place @ matrix([0, 0.5 if index else 0, 0])
        places.append(place)
    rig.skin(joints, places)
    rig.clip("march", (joints[1], "rotation", [0, 1], [turn(Z, 0), turn(Z, 50)]), (rig.joints[1], "rotation", [0, 1], [turn(X, 0), turn(X, 50)]))
    return rig


@model
def many_bones():
    """A chain of 300 bones."""
    build = Builder()
    points, faces = tube(60, 5, 3.0)
    parent, joints = None, []
    for index in range(300):
        parent = build.node(parent, name=f"bone_{index}", translation=[0, 0.01 if index else 0, 0])
        joints.append(parent)
    heights = np.arange(300) / 100
    own, weights = influences(points, heights)
    primitive = build.primitive(points, faces)
    primitive["attributes"] |= {"JOINTS_0": build.accessor(own, USHORT), "WEIGHTS_0": build.accessor(weights)}
    skin = build.skin(joints, [matrix([0, own, 0]) for own in heights])
    build.node(name="snake", mesh=build.mesh(primitive, name="snake"), skin=skin)
    build.clip("curl", *((joint, "rotation", [0, 1], [turn(Z, 0), turn(Z, 1)]) for joint in joints[1:]))
    return build


@model
def names_alike():
    """Names of bones that differ in case, in blanks at the end, and after 70 letters."""
    rig = Rig(joint_names=("Bone", "bone", "bone "))
    for own in ("first", "second"):
        joint = rig.node(rig.joints[2], name="b" * 70 + own, translation=[0, 0.2, 0])
        rig.joints.append(joint)
    return rig.wave()


@model
def clips_alike():
    rig = Rig()
    for at, name in enumerate(("walk", "Walk", "walk ", "w" * 80 + "a", "w" * 80 + "b")):
        rig.wave(name, degrees=(0, 10 * at, 60 - 30 * at))
    return rig
