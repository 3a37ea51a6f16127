"""Compares where Blender moves the vertices of a .glb file with the file itself: at rest and in its clips."""

import sys

import bpy
import numpy as np

from compare import size, unmatched
from gltf import Gltf


def evaluated():
    """The vertices of all meshes in the axes of glTF."""
    graph = bpy.context.evaluated_depsgraph_get()
    points = []
    for own in bpy.data.objects:
        if own.type == "MESH" and not own.hide_get() and own.users_scene and own.vertex_groups:
            placed = own.evaluated_get(graph)
            points += [placed.matrix_world @ vertex.co for vertex in placed.data.vertices]
    return np.array([[point.x, point.z, -point.y] for point in points])


def main(path, tolerance=1e-3):
    source = Gltf(path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path)
    scene, whole, failed = bpy.context.scene, size(source.triangles()), False
    rate = scene.render.fps / scene.render.fps_base
    rig = next(own for own in bpy.data.objects if own.type == "ARMATURE")
    for clip, name in enumerate(source.clips):
        action = next(own for own in bpy.data.actions if own.name.startswith(name))
        for track in rig.animation_data.nla_tracks:
            track.mute = True
        rig.animation_data.action = action
        if hasattr(action, "slots") and action.slots:
            rig.animation_data.action_slot = action.slots[0]
        first, worst = action.frame_range[0], 0.0
        for share in range(5):
            frame = round((action.frame_range[1] - first) * share / 4)
            scene.frame_set(int(first) + frame)
            worst = max(worst, unmatched(evaluated(), source.triangles(clip, frame / rate)) / whole)
        print(f"{name}: {worst:.1e}")
        failed |= worst > tolerance
    sys.exit(failed)


if __name__ == "__main__":
    main(sys.argv[1])
