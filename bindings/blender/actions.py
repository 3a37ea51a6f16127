# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips of a scene as actions of Blender."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from .armatures import bones_of
from .bundle import IMPORT
from .curves import LAST_FRAME, MAX_FRAMES, Keys, frames_of, is_too_long, keys_of, path_of
from .meshes import MESH
from .names import NAME, PREFIX, decoded, keep_name
from .preferences import Options
from .report import Report
from .rig import Rig

CLIP = "bindpose_clip"
"""The custom property of an action with the index of its file, and that of its clip in the file."""
FPS = "bindpose_fps"
"""The custom property of an action with the frames per second of its keys."""
_ACTIONS = "bindpose_actions"
"""The custom property of a collection with the actions of its import, which follow it to another .blend that links or appends it."""

ADDED = 2
"""Blender's number of the type Breakdown, that of the keys that an import adds between those of the file."""
INTERPOLATION = {"CONSTANT": 0, "LINEAR": 1}
"""Blender's numbers of the interpolations that clips have."""


def channels_of(action: bpy.types.Action, owner: Any = None) -> Any:
    """Returns the curves of an action. `owner` is a new user of a slot of its own."""
    if not hasattr(action, "layers"):
        return action.fcurves
    if owner is None:
        bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
        return bags[0].fcurves if bags else []
    slot = action.slots[0] if action.slots else action.slots.new(id_type=owner.id_type, name=owner.name)
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True).fcurves


def in_other_slots(action: bpy.types.Action) -> list[Any]:
    """Returns the curves of an action that are not in its first slot."""
    if not hasattr(action, "layers"):
        return []
    bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
    return [curve for bag in bags[1:] for curve in bag.fcurves]


def imported_actions(key: str) -> set[bpy.types.Action]:
    """Returns the actions of an import without copies of them: that with the name of the import, or else the first one."""
    found: dict[tuple[Any, ...], bpy.types.Action] = {}
    for action in bpy.data.actions:
        if action.get(IMPORT) == key and CLIP in action:
            own = (*action[CLIP], action.get(MESH))
            if own not in found or action.name == action.get(NAME):
                found[own] = action
    return set(found.values())


def keep_actions(collection: bpy.types.Collection) -> None:
    """Stores which actions belong to an imported collection."""
    collection[_ACTIONS] = {str(number): action for number, action in enumerate(imported_actions(collection[IMPORT]))}


def assign(action: bpy.types.Action, owner: Any) -> None:
    """Makes an action the current one of an object or of shape keys."""
    data = owner.animation_data or owner.animation_data_create()
    data.action = action
    if hasattr(data, "action_slot") and data.action_slot is None and action.slots:
        data.action_slot = action.slots[0]


def add_clip(
    clip: Any,
    rig: Rig,
    armature: bpy.types.Object | None,
    meshes: list[bpy.types.Object],
    options: Options,
    report: Report,
    bones: dict[int, str] | None = None,
    prefix: str = "",
) -> list[tuple[bpy.types.Action, Any]]:
    """Creates the actions of a clip, each with its user: one for the bones, and one for each mesh with morph targets.

    `bones` are the names of the bones of the armature by their index in the scene, if they are not those of its import.
    """
    render = bpy.context.scene.render
    fps = render.fps / render.fps_base
    name = decoded(clip.name, options.encoding)
    if is_too_long(clip, fps):
        start, end = frames_of(clip, fps)
        report.warn(
            f"clip {name!r}: it has {end - start:.3g} frames, from {start:.3g} to {end:.3g}; only keys of the file up to frame "
            f"{LAST_FRAME} are imported, and none between them (the limit is {MAX_FRAMES} frames)"
        )
    added = []
    if armature is not None and clip.tracks:
        action = _new_action(name, clip, fps, "OBJECT", prefix)
        curves = channels_of(action, armature)
        if bones is None:
            bones = {index: bone.name for index, bone in bones_of(armature).items()}
        for keys in keys_of(clip, rig, fps, options.bake):
            if keys.bone in bones:
                _add_keys(curves, keys, bones[keys.bone])
        added.append((action, armature))
    for thing in meshes:
        own = _morph_tracks(clip, thing)
        if own:
            action = _new_action(name, clip, fps, "KEY", prefix)
            action[MESH] = thing[MESH]
            curves = channels_of(action, thing.data.shape_keys)
            for target, track in own:
                pairs = np.stack([np.asarray(track.weight.times, np.float64) * fps, track.weight.values], axis=1).astype(np.float32)
                path = f'key_blocks["{bpy.utils.escape_identifier(target)}"].value'
                _add_curve(curves, path, 0, "", pairs, np.full(len(pairs), INTERPOLATION["LINEAR"], np.int32))
            added.append((action, thing.data.shape_keys))
    return added


def _new_action(name: str, clip: Any, fps: float, owner: str, prefix: str) -> bpy.types.Action:
    """Creates an action for owners of a type, which Blender requires of an assigned one."""
    action = bpy.data.actions.new(prefix + name)
    if prefix:
        action[PREFIX] = prefix
    if not hasattr(action, "layers"):
        action.id_root = owner
    action.use_fake_user = True
    keep_name(action, clip.name)
    action[FPS] = fps
    return action


def _add_keys(curves: Any, keys: Keys, bone: str) -> None:
    path = path_of(bone, keys.channel)
    added = np.where(keys.key_of < 0, ADDED, 0).astype(np.int32)
    types = added if added.any() else None
    pairs = np.empty((keys.values.shape[1], len(keys.frames), 2), np.float32)
    pairs[..., 0], pairs[..., 1] = keys.frames, keys.values.T
    interpolation = np.full(len(keys.frames), INTERPOLATION[keys.interpolation], np.int32)
    for index, own in enumerate(pairs):
        _add_curve(curves, path, index, bone, own, interpolation, types)


# The name of this argument depends on the version; Blender 4.4 and 4.5 have none.
_CURVES = getattr(bpy.types, "ActionChannelbagFCurves", None) or bpy.types.ActionFCurves
_GROUP = next((name for name in ("group_name", "action_group") if name in _CURVES.bl_rna.functions["new"].parameters), None)


def _new_curve(curves: Any, path: str, index: int, group: str) -> Any:
    """Adds a curve to those of a new action, in a group."""
    if _GROUP is not None:
        return curves.new(path, index=index, **{_GROUP: group})
    curve = curves.new(path, index=index)
    if group:
        groups = curve.id_data.layers[0].strips[0].channelbags[0].groups
        curve.group = groups.get(group) or groups.new(group)
    return curve


def _add_curve(curves: Any, path: str, index: int, group: str, pairs: Any, interpolation: Any, types: Any = None) -> None:
    """Adds a curve with keys: frame and value, interpolation and type of each."""
    curve = _new_curve(curves, path, index, group)
    points = curve.keyframe_points
    points.add(len(pairs))
    points.foreach_set("co", pairs.reshape(-1))
    points.foreach_set("interpolation", interpolation)
    if types is not None:
        points.foreach_set("type", types)
    curve.update()


def _morph_tracks(clip: Any, thing: bpy.types.Object) -> list[tuple[str, Any]]:
    """Returns the shape keys of an object that a clip animates."""
    keys = thing.data.shape_keys
    if keys is None or MESH not in thing:
        return []
    blocks = [block.name for block in keys.key_blocks][1:]
    found: dict[str, Any] = {}
    for track in clip.morphs:
        if isinstance(track.targets, str):
            chosen = [name for name in blocks if name == track.targets]
        else:
            chosen = [blocks[target] for mesh, target in track.targets if mesh == thing[MESH] and target < len(blocks)]
        for name in chosen:
            found.setdefault(name, track)
    return list(found.items())
