"""Models in Maya, 3ds Max, Houdini and Unreal's editor: what their interfaces take, as plain lists and arrays.

The functions need no host. What a script in the host does with their results is in their docstrings, and in the manual.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import bindpose
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

CENTIMETRES = 100.0
"""The unit of Maya, 3ds Max as most studios set it, and Unreal, by that of a scene."""
Z_UP = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
"""The matrix from a scene to right-handed axes with Z up, as 3ds Max has."""
LEFT_HANDED = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
"""The matrix from a scene to left-handed axes with Z up, as Unreal has."""


class Joint(NamedTuple):
    """A bone in its bind pose."""

    name: str
    parent: int | None
    matrix: list[list[float]]
    """The local matrix by rows, for row vectors: the translation is the last row."""


class Geometry(NamedTuple):
    """A mesh with one value of each kind for each point."""

    name: str
    points: Array
    """(n, 3)"""
    triangles: Array
    """(m, 3)"""
    normals: Array | None
    uvs: Array | None
    """(n, 2), from the bottom left"""
    materials: Array
    """(m,): the index of the material of each triangle; -1 for none"""
    weights: Array | None
    """(n, bones): the weight of each bone of the skeleton"""


def changed(matrices: Array, axes: Array, unit: float) -> Array:
    """Returns matrices (..., 4, 4) for column vectors in other axes and another unit."""
    moved = axes @ np.asarray(matrices, np.float64) @ np.linalg.inv(axes)
    moved[..., :3, 3] *= unit
    return moved  # type: ignore[no-any-return]


def joints(scene: bindpose.Scene, axes: Array, unit: float) -> list[Joint]:
    """Returns the bones, parents before their children as in the scene."""
    model = changed(scene.skeleton.bind_pose.model, axes, unit)
    found = []
    for index, bone in enumerate(scene.skeleton.bones):
        local = model[index] if bone.parent is None else np.linalg.inv(model[bone.parent]) @ model[index]
        found.append(Joint(bone.name, bone.parent, local.T.tolist()))
    return found


def geometry(scene: bindpose.Scene, index: int, axes: Array, unit: float) -> Geometry:
    """Returns a mesh in the bind pose."""
    mesh = scene.meshes[index]
    posed = scene.posed()[index]
    triangles, materials = np.asarray(mesh.triangles, np.int64), np.full(len(mesh.triangles), -1)
    first = 0
    for primitive in mesh.primitives:
        count = len(primitive.triangles)
        materials[first : first + count] = -1 if primitive.material is None else primitive.material
        first += count
    if np.linalg.det(axes[:3, :3]) < 0:
        # Mirrored axes turn the faces inside out.
        triangles = triangles[:, ::-1]
    turned = None if posed.normals is None else np.asarray(posed.normals, np.float64) @ axes[:3, :3].T
    uvs = np.asarray(mesh.uvs[0], np.float64) * (1, -1) + (0, 1) if len(mesh.uvs) else None
    return Geometry(
        mesh.name,
        np.asarray(posed.positions, np.float64) @ axes[:3, :3].T * unit,
        triangles,
        turned,
        uvs,
        materials,
        weights(scene, index),
    )


def weights(scene: bindpose.Scene, index: int) -> Array | None:
    """Returns the weights of all bones for each vertex of a mesh; `None` for a mesh without a skin."""
    mesh = scene.meshes[index]
    if mesh.weights is None or mesh.joints is None or mesh.joint_bones is None:
        return None
    bones = np.asarray(mesh.joint_bones, np.int64)[mesh.joints]
    table = np.zeros((len(bones), len(scene.skeleton.bones)))
    np.add.at(table, (np.arange(len(bones))[:, None], bones), mesh.weights)
    return table


def frames(scene: bindpose.Scene, clip: int | str, rate: float, axes: Array, unit: float) -> Array:
    """Returns the local matrices of the bones in each frame of a clip: (frames, bones, 4, 4), for row vectors."""
    own = next(found for place, found in enumerate(scene.clips) if clip in (place, found.name))
    times = own.start + np.arange(round((own.end - own.start) * rate) + 1) / rate
    model = changed(own.sample(times).model, axes, unit)
    local = model.copy()
    for index, bone in enumerate(scene.skeleton.bones):
        if bone.parent is not None:
            local[:, index] = np.linalg.inv(model[:, bone.parent]) @ model[:, index]
    return np.swapaxes(local, -1, -2)


def maya(scene: bindpose.Scene, index: int = 0) -> dict[str, Any]:
    """Returns what OpenMaya takes: Y up, centimetres, and flat lists.

    In Maya, with `import maya.api.OpenMaya as om`, `import maya.api.OpenMayaAnim as oma` and `from maya import cmds`:

        made = maya(scene)
        mesh = om.MFnMesh()
        mesh.create(om.MPointArray(made["points"]), made["counts"], made["connects"], made["us"], made["vs"])
        mesh.assignUVs(made["counts"], made["connects"])
        names = [cmds.createNode("joint", name=joint.name) for joint in made["joints"]]
        for name, joint in zip(names, made["joints"]):
            if joint.parent is not None:
                cmds.parent(name, names[joint.parent], relative=True)
            cmds.xform(name, matrix=sum(joint.matrix, []))
        skin = cmds.skinCluster(names, om.MFnDagNode(mesh.parent(0)).fullPathName(), toSelectedBones=True)[0]

    and then `MFnSkinCluster.setWeights` with `made["weights"]`, whose columns are the joints.
    """
    own, axes = geometry(scene, index, np.eye(4), CENTIMETRES), np.eye(4)
    return {
        "name": own.name,
        "points": own.points.tolist(),
        "counts": [3] * len(own.triangles),
        "connects": own.triangles.reshape(-1).tolist(),
        "us": [] if own.uvs is None else own.uvs[:, 0].tolist(),
        "vs": [] if own.uvs is None else own.uvs[:, 1].tolist(),
        "joints": joints(scene, axes, CENTIMETRES),
        "weights": [] if own.weights is None else own.weights.reshape(-1).tolist(),
    }


def max_mesh(scene: bindpose.Scene, index: int = 0) -> dict[str, Any]:
    """Returns what MAXScript's `mesh` and `skinOps` take: Z up, centimetres, and indices from 1.

    In 3ds Max, with `from pymxs import runtime as rt`:

        made = max_mesh(scene)
        points = [rt.Point3(*own) for own in made["points"]]
        node = rt.mesh(name=made["name"], vertices=points, faces=[rt.Point3(*own) for own in made["faces"]], materialIDs=made["materials"])
        bones = [rt.BoneSys.createBone(rt.Point3(*own), rt.Point3(*own), rt.Point3(0, 0, 1)) for own in made["places"]]
        skin = rt.Skin()
        rt.addModifier(node, skin)
        for bone in bones:
            rt.skinOps.addBone(skin, bone, 1)
        for vertex, (of, values) in enumerate(made["influences"], 1):
            rt.skinOps.replaceVertexWeights(skin, vertex, of, values)
    """
    own, bones = geometry(scene, index, Z_UP, CENTIMETRES), joints(scene, Z_UP, CENTIMETRES)
    placed = changed(scene.skeleton.bind_pose.model, Z_UP, CENTIMETRES)
    table = np.zeros((len(own.points), len(bones))) if own.weights is None else own.weights
    return {
        "name": own.name,
        "points": own.points.tolist(),
        "faces": (own.triangles + 1).tolist(),
        "materials": (own.materials + 1).clip(1).tolist(),
        "joints": bones,
        "places": placed[:, :3, 3].tolist(),
        "influences": [((np.flatnonzero(row) + 1).tolist(), row[row > 0].tolist()) for row in table],
    }


def houdini(scene: bindpose.Scene, index: int = 0) -> dict[str, Any]:
    """Returns what a Python SOP sets: Y up, metres, clockwise polygons, and attributes as flat lists.

    In Houdini, in a Python SOP, with `geo = hou.pwd().geometry()`:

        made = houdini(scene)
        points = geo.createPoints(made["P"])
        geo.createPolygons([[points[own] for own in triangle] for triangle in made["polygons"]])
        for name, values in made["attributes"].items():
            geo.addAttrib(hou.attribType.Point, name, (0.0,) * (len(values) // len(points)))
            geo.setPointFloatAttribValues(name, values)

    `made["captures"]` are the bones of each point with their weights, for a `boneCapture` attribute; `made["rest"]` the matrices of a KineFX
    skeleton, whose points have `localtransform` and `name`.
    """
    own = geometry(scene, index, np.eye(4), 1.0)
    attributes = {}
    if own.normals is not None:
        attributes["N"] = own.normals.reshape(-1).tolist()
    if own.uvs is not None:
        attributes["uv"] = np.pad(own.uvs, ((0, 0), (0, 1))).reshape(-1).tolist()
    table = np.zeros((len(own.points), 0)) if own.weights is None else own.weights
    return {
        "P": own.points.tolist(),
        # Houdini's polygons are clockwise, seen from outside.
        "polygons": own.triangles[:, ::-1].tolist(),
        "attributes": attributes,
        "captures": [list(zip(np.flatnonzero(row).tolist(), row[row > 0].tolist(), strict=True)) for row in table],
        "rest": joints(scene, np.eye(4), 1.0),
    }


def unreal(scene: bindpose.Scene, clip: int | str, rate: float = 30.0) -> dict[str, dict[str, Array]]:
    """Returns what `AnimationDataController` takes: left-handed with Z up, centimetres, and a key of each bone in each frame.

    In Unreal's editor, for an `AnimSequence` of the same skeleton:

        controller = sequence.controller
        keys = unreal(scene, "Walk")
        controller.set_frame_rate(unreal_module.FrameRate(30, 1))
        controller.set_number_of_frames(unreal_module.FrameNumber(len(next(iter(keys.values()))["translation"]) - 1))
        for bone, own in keys.items():
            controller.add_bone_curve(bone)
            controller.set_bone_track_keys(
                bone,
                [unreal_module.Vector(*value) for value in own["translation"]],
                [unreal_module.Quat(*value) for value in own["rotation"]],
                [unreal_module.Vector(*value) for value in own["scale"]],
            )

    `unreal_module` is the module `unreal` of the editor. Its importer reads meshes as `scene.write("hero.glb")` writes them; this is for clips of a
    skeleton that the project has.
    """
    local = np.swapaxes(frames(scene, clip, rate, LEFT_HANDED, CENTIMETRES), -1, -2)
    scale = np.linalg.norm(local[..., :3, :3], axis=-2)
    turns = quaternions(local[..., :3, :3] / scale[..., None, :])
    return {
        bone.name: {"translation": local[:, index, :3, 3], "rotation": turns[:, index], "scale": scale[:, index]}
        for index, bone in enumerate(scene.skeleton.bones)
    }


def quaternions(matrices: Array) -> Array:
    """Returns the rotations (..., 3, 3) as unit quaternions x, y, z, w."""
    m = np.asarray(matrices, np.float64)
    # The products of the components with each other; the largest row is the most exact.
    x, y, z = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    a, b, c = m[..., 2, 1], m[..., 0, 2], m[..., 1, 0]
    d, e, f = m[..., 1, 2], m[..., 2, 0], m[..., 0, 1]
    rows = np.stack(
        [
            np.stack([1 + x - y - z, c + f, b + e, a - d], axis=-1),
            np.stack([c + f, 1 - x + y - z, a + d, b - e], axis=-1),
            np.stack([b + e, a + d, 1 - x - y + z, c - f], axis=-1),
            np.stack([a - d, b - e, c - f, 1 + x + y + z], axis=-1),
        ],
        axis=-2,
    )
    best = np.einsum("...ii->...i", rows).argmax(axis=-1)
    chosen = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    return chosen / np.linalg.norm(chosen, axis=-1, keepdims=True)  # type: ignore[no-any-return]
