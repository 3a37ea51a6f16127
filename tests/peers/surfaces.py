"""Models of features of vertices, of meshes without a skin, and of morph targets."""

from __future__ import annotations

import numpy as np

from build import model, Builder, turn, matrix, tube, influences, Rig, UBYTE, SHORT, USHORT, UINT, TYPES, HEIGHTS, X, Y, Z

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

    def mesh(name):
        return rig.mesh(rig.primitive(points, faces), name=name)

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


@model
def lips():
    """Two sheets at one place, one of which a morph target moves."""
    rig = Rig()
    upper = dict(rig.shape, targets=[{"POSITION": rig.accessor(rig.points * 0 + [0, 0, 0.3])}])
    lower = dict(rig.shape, targets=[{"POSITION": rig.accessor(rig.points * 0 + [0, 0, -0.2])}])
    mesh = rig.json["meshes"][0]
    mesh["primitives"], mesh["weights"] = [upper, lower], [0]
    rig.clip("open", (rig.body, "weights", [0, 0.5, 1], np.array([0, 1, 0.5])))
    return rig


@model
def morphs_of_two_meshes():
    """Targets of one name in two meshes, whose weights differ."""
    rig = morphed(Rig(), [0, 0])
    rig.points = rig.points + X
    joints, weights = influences(rig.points, HEIGHTS)
    primitive = rig.primitive(rig.points, rig.faces, targets=rig.shape["targets"])
    primitive["attributes"] |= {"JOINTS_0": rig.accessor(joints, UBYTE), "WEIGHTS_0": rig.accessor(weights)}
    mesh = rig.mesh(primitive, name="other", weights=[0, 0], extras={"targetNames": ["up", "wide"]})
    other = rig.node(name="other", mesh=mesh, skin=0)
    first, second = np.array([0, 0, 1, 0.5, 0, 1.0]), np.array([0, 0, 0, 1.0, 1, 0])
    rig.clip("smile", (rig.body, "weights", [0, 0.5, 1], first), (other, "weights", [0, 0.5, 1], second))
    return rig


@model
def instances_with_weights():
    build = Builder()
    points, faces = tube(4, 5, 0.4)
    targets = [{"POSITION": build.accessor(points * 0 + [0, 0.3, 0])}]
    mesh = build.mesh(build.primitive(points, faces, targets=targets), name="post", weights=[0])
    for own in range(2):
        build.node(name=f"post_{own}", mesh=mesh, translation=[own, 0, 0], weights=[0.5 * own])
    build.clip("jump", (0, "weights", [0, 1], np.array([0, 1.0])), (1, "weights", [0, 1], np.array([0.5, 0.25])))
    return build


@model
def skins_of_two_units():
    """Each mesh is unpacked by inverse bind matrices of its own; only one skin has the last joint."""
    rig = Rig()
    skin = rig.json["skins"][0]
    for at, (scale, joints) in enumerate(((2, rig.joints), (4, rig.joints[:2]))):
        points = rig.points + at * 0.6 * X
        own, weights = influences(points, HEIGHTS)
        primitive = rig.primitive(points / scale, rig.faces)
        primitive["attributes"] |= {"JOINTS_0": rig.accessor(np.minimum(own, len(joints) - 1), UBYTE), "WEIGHTS_0": rig.accessor(weights)}
        binds = [matrix([0, high, 0]) @ matrix(scale=[1 / scale] * 3) for high in HEIGHTS[: len(joints)]]
        if at == 0:
            rig.json["meshes"][0]["primitives"] = [primitive]
            skin["inverseBindMatrices"] = rig.accessor([np.linalg.inv(own).T for own in binds])
        else:
            rig.node(name="second", mesh=rig.mesh(primitive, name="second"), skin=rig.skin(joints, binds))
    return rig.wave()


@model
def repeated_joints():
    """Influences of one joint twice, and in any order."""
    rig = Rig()
    joints, weights = influences(rig.points, HEIGHTS)
    joints[:, 2:] = joints[:, :2][:, ::-1]
    rig.shape["attributes"] |= {
        "JOINTS_0": rig.accessor(joints, UBYTE),
        "WEIGHTS_0": rig.accessor(np.concatenate([weights[:, :2] * 0.25, weights[:, :2][:, ::-1] * 0.75], 1)),
    }
    return rig.wave()


@model
def rigid_chain():
    """Nodes with meshes in each other, which clips move and scale; no skin."""
    build = Builder()
    points, faces = tube(4, 5, 0.4)
    parent, nodes = None, []
    for own in range(3):
        mesh = build.mesh(build.primitive(points, faces), name=f"part_{own}")
        parent = build.node(parent, name=f"part_{own}", mesh=mesh, translation=[0, 0.4, 0], scale=[0.8] * 3)
        nodes.append(parent)
    build.clip("bow", *((node, "rotation", [0, 0.5, 1], [turn(X, own) for own in (0, 40, -10)]) for node in nodes))
    build.clip("grow", (nodes[1], "scale", [0, 1], [[0.8] * 3, [1.6] * 3]))
    return build


@model
def many_vertices():
    """More vertices than 16 bits count."""
    build = Builder()
    points, faces = tube(300, 230, 3.0)
    build.node(name="tower", mesh=build.mesh(build.primitive(points, faces, UINT), name="tower"))
    return build
