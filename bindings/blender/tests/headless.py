# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on in Blender without a window: `pip install bpy bindpose`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np

ROOT = Path(__file__).resolve().parents[1]


def _load() -> ModuleType:
    """Loads the folder of the add-on as a package."""
    spec = importlib.util.spec_from_file_location("bindpose_blender", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


addon = _load()
from bindpose_blender import (  # noqa: E402
    actions,
    armatures,
    bundle,
    clip_list,
    curves,
    exporter,
    folders,
    importer,
    materials,
    meshes,
    names,
    new_scene,
    original,
    other_rigs,
    preferences,
    report,
    rig,
    shape,
    space,
)


def empty() -> None:
    """Empties Blender."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


def load(*paths: Path, **options: Any) -> tuple[list[Any], Any]:
    """Imports files, and returns the collections and the report."""
    own = report.Report("import")
    made = importer.import_files(list(paths), preferences.Options(**options), own)
    return made, own


def evaluated(thing: Any) -> np.ndarray:
    """Returns the vertices of an object after its modifiers."""
    graph = bpy.context.evaluated_depsgraph_get()
    final = thing.evaluated_get(graph)
    data = final.to_mesh()
    positions = np.empty(len(data.vertices) * 3, np.float32)
    data.vertices.foreach_get("co", positions)
    final.to_mesh_clear()
    return positions.reshape(-1, 3)


def clips_of(collection: Any) -> list[tuple[Any, list[tuple[Any, Any]]]]:
    """Returns the clips of an import: the scene and index of each, and its actions with their users."""
    own = bundle.Bundle.stored_in(collection)
    armature = next((thing for thing in collection.objects if thing.type == "ARMATURE"), None)
    shaped = [thing for thing in collection.objects if thing.type == "MESH" and thing.data.shape_keys]
    found = []
    for part in (None, *range(len(own.clips))):
        scene = own.scene(part)
        first = 0 if part is None else len(own.scene().clips)
        for index in range(first, len(scene.clips)):
            mark = [-1 if part is None else part, index]
            users = []
            for action in bpy.data.actions:
                if list(action.get(actions.CLIP, ())) == mark:
                    owner = next((thing.data.shape_keys for thing in shaped if thing[meshes.MESH] == action.get(meshes.MESH)), armature)
                    users.append((action, owner))
            found.append(((scene, index), users))
    return found


def error_at(collection: Any, scene: Any, clip: int | None, frame: float) -> float:
    """Returns the largest distance between evaluated vertices and those of bindpose, relative to the size."""
    render = bpy.context.scene.render
    whole = int(np.floor(frame))
    bpy.context.scene.frame_set(whole, subframe=float(frame - whole))
    seconds = frame * render.fps_base / render.fps
    posed = scene.posed(clip, seconds)
    of_rig = rig.Rig.of(scene, bundle.Bundle.stored_in(collection).options.orientation)
    everything = np.concatenate([np.zeros((0, 3)), *(own.positions for own in posed)])
    everything = everything[np.isfinite(everything).all(axis=1)]
    size = max(float(np.ptp(everything, axis=0).max()), 1e-30) if len(everything) else 1.0
    worst = 0.0
    for thing in collection.objects:
        if meshes.MESH not in thing:
            continue
        index = thing[meshes.MESH]
        points = shape.Shape.of(scene, index, of_rig).point_of
        expected = np.asarray(posed[index].positions, np.float64) @ space.TO_BLENDER[:3, :3].T
        finite = np.isfinite(expected).all(axis=1)
        if not finite.any():
            continue
        distance = np.linalg.norm(evaluated(thing)[points][finite] - expected[finite], axis=1)
        worst = max(worst, float(distance.max()) / size)
    return worst


def errors(collection: Any, times: int = 5) -> dict[str, float]:
    """Returns the largest error of each clip at some frames, and that of the bind pose without a clip."""
    own = bundle.Bundle.stored_in(collection)
    found = {}
    clips = clips_of(collection)
    if not clips:
        return {"": error_at(collection, own.scene(), None, 0)}
    render = bpy.context.scene.render
    for (scene, index), users in clips:
        clear(collection)
        for action, owner in users:
            actions.assign(action, owner)
        clip = scene.clips[index]
        fps = render.fps / render.fps_base
        start, end = np.clip([clip.start * fps, clip.end * fps], -1_000_000, 1_000_000)
        frames = [start, *np.round(np.linspace(start, end, times)[1:-1]), end]
        found[f"{clip.name} {index}"] = max(error_at(collection, scene, index, float(np.clip(frame, start, end))) for frame in frames)
    return found


def clear(collection: Any) -> None:
    """Poses the armature as the model is without a clip."""
    parts = bundle.Bundle.stored_in(collection)
    scene = parts.scene()
    for thing in collection.objects:
        owners = [thing, thing.data.shape_keys] if thing.type == "MESH" and thing.data.shape_keys else [thing]
        for owner in owners:
            if owner.animation_data:
                owner.animation_data.action = None
        if thing.type == "ARMATURE":
            for bone in thing.pose.bones:
                bone.location, bone.rotation_quaternion, bone.scale = (0, 0, 0), (1, 0, 0, 0), (1, 1, 1)
            armatures.pose(scene, rig.Rig.of(scene, parts.options.orientation), thing)
        elif thing.data.shape_keys:
            for block in thing.data.shape_keys.key_blocks:
                block.value = 0
