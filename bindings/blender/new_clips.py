# SPDX-License-Identifier: GPL-3.0-or-later
"""The actions of an export as clips of a new scene."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import bindpose
import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Quaternion

from .actions import CLIP, FPS, INTERPOLATION, assign
from .armatures import POSE
from .bundle import IMPORT
from .curves import CHANNELS, MAX_FRAMES, path_of
from .meshes import MESH
from .names import NAME, own_name
from .new_keys import are_added, by_path, curve_of, curves_for, frames_and_values, ints, needed, quaternions, split, values_at
from .new_meshes import NewMesh
from .new_rigs import NewRig
from .report import Report, some
from .space import FROM_BLENDER, Array, continuous

SOURCES = [
    ("ACTIONS", "Actions", "All actions of the exported armatures and shape keys"),
    ("ACTIVE", "Active actions", "The action that each exported armature has now"),
    ("NLA", "NLA strips", "The strips of NLA tracks that are not muted"),
    ("MARKERS", "Timeline markers", "The time from each marker to the next one, as it is played"),
]
"""What becomes a clip."""

_Owner = NewRig | NewMesh
_REST = {"translation": (0.0, 0.0, 0.0), "rotation": (0.0, 0.0, 0.0, 1.0), "scale": (1.0, 1.0, 1.0)}
_TURNS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
_POSED = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
_SAME_FRAME = 0.02
_NEAR = 1e-6
_SHEAR = 1e-3


@dataclass
class _Draft:
    """A clip that is to be made."""

    name: str
    start: float
    """The first frame."""
    end: float
    rate: float
    origin: float
    """The frame at the time 0."""
    owners: list[tuple[_Owner, bpy.types.Action | None]]
    """What it moves, with the action; without one, as Blender plays it."""
    keeps_keys: bool = False
    """Whether the keys of rotations are those of a file, between which files interpolate otherwise than Blender."""
    has_range: bool = False
    """Whether the frames are set, and not those of the keys."""
    is_strip: bool = False
    """Whether strips are played without the current action."""

    def times(self, frames: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        return ((frames - self.origin) / self.rate).astype(np.float32)

    def whole(self, start: float, end: float) -> npt.NDArray[np.float64]:
        """Returns the whole frames of a span, and its ends; the ends alone of one that is too long."""
        if end - start > MAX_FRAMES:
            return np.array([start, end])
        inside = np.arange(np.ceil(start - _SAME_FRAME), np.floor(end + _SAME_FRAME) + 1)
        inside = inside[(inside > start + _SAME_FRAME) & (inside < end - _SAME_FRAME)]
        return np.unique(np.concatenate([[start], inside, [end]]))


class NewClips:
    """Makes the clips of armatures and meshes."""

    def __init__(self, rigs: list[NewRig], meshes: list[NewMesh], every_frame: bool, report: Report) -> None:
        self._rigs, self._meshes = rigs, [mesh for mesh in meshes if mesh.morphs]
        self._everything: list[_Owner] = [*self._rigs, *self._meshes]
        self._index = {mesh: index for index, mesh in enumerate(meshes)}
        self._every_frame, self._report = every_frame, report
        self.rates: set[float] = set()
        """The frame rates of the clips."""
        self._owned = {action: owners for action in bpy.data.actions if (owners := self._owners(action))}
        self._animated = {rig: self._animated_of(rig) for rig in rigs}
        for rig in rigs:
            rig.stills = self._stills(rig)

    def made(self, source: str) -> list[Any]:
        """Returns the clips of a source."""
        drafts = {"ACTIONS": self._all, "ACTIVE": self._active, "NLA": self._strips, "MARKERS": self._markers}[source]()
        missing = {"NLA": "there are no NLA strips", "MARKERS": "there are no timeline markers"}
        if not drafts and source in missing:
            self._report.warn(f"{missing[source]}; no clips are written")
        clips = [self._clip(draft) for draft in drafts]
        return [clip for clip in clips if clip is not None]

    def of(self, action: bpy.types.Action) -> Any:
        """Returns the clip of an action; `None` if it moves nothing."""
        draft = _draft_of([(own, action) for own in self._owned.get(action, self._everything)])
        return None if draft is None else self._clip(draft)

    def moves(self, action: bpy.types.Action) -> bool:
        """Returns whether an action moves what is exported."""
        return action in self._owned

    def report_still(self, clips: list[Any]) -> None:
        """Reports values of shape keys that no clip has."""
        for mesh in self._meshes if not clips else ():
            names = [name for name in mesh.morphs if mesh.thing.data.shape_keys.key_blocks[name].value != 0]
            if names:
                self._report.warn(f"object {mesh.thing.name!r}: without clips, the values of shape keys are not written: {some(names)}")

    # What moves what.

    def _owners(self, action: bpy.types.Action) -> list[_Owner]:
        """Returns what an action moves: its users, what it was imported for, or the armature that has most of its bones."""
        everything = self._everything
        users = [own for own in everything if action in _actions_of(_id_of(own))]
        if users:
            return users
        key = action.get(IMPORT)
        if key is not None and any(own.get(IMPORT) == key for own in bpy.data.collections):
            return [own for own in everything if _is_of_import(own, action, key)]
        if any(action in _actions_of(own) for own in _other_ids(everything)):
            return []
        paths = {curve.data_path for curve in curves_for(action, None)}
        shares = [len(paths & _paths_of(own)) for own in everything]
        most = max(shares, default=0)
        return [everything[shares.index(most)]] if most else []

    def _animated_of(self, rig: NewRig) -> set[str]:
        return {curve.data_path for action, owners in self._owned.items() if rig in owners for curve in curves_for(action, rig.armature)}

    # Drafts.

    def _all(self) -> list[_Draft]:
        groups: dict[Any, list[tuple[_Owner, bpy.types.Action]]] = {}
        # Copies have other names.
        for action in sorted(self._owned, key=lambda own: own.name != own.get(NAME, own.name)):
            owners = self._owned[action]
            # The bones and the meshes of an imported clip have an action each.
            key = (action[IMPORT], *action[CLIP]) if CLIP in action and IMPORT in action else action
            if any(own in owners for own, _ in groups.get(key, ())):
                key = action
            groups.setdefault(key, []).extend((own, action) for own in owners)
        others = [own.name for own in bpy.data.actions if own not in self._owned]
        if others:
            self._report.warn(f"actions that move no exported armature or shape key are not written: {some(others)}")
        # Imported clips have an order; the names of actions are sorted.
        order = sorted(groups, key=lambda own: tuple(own[1:]) if isinstance(own, tuple) else (np.inf, 0))
        return [draft for draft in map(_draft_of, (groups[key] for key in order)) if draft is not None]

    def _active(self) -> list[_Draft]:
        groups: dict[Any, list[tuple[_Owner, bpy.types.Action]]] = {}
        for own in self._everything:
            action = _active_of(_id_of(own))
            if action is not None:
                above = own.rig if isinstance(own, NewMesh) else None
                key = action if above is None else _active_of(above.armature) or action
                groups.setdefault(key, []).append((own, action))
        return [draft for draft in map(_draft_of, groups.values()) if draft is not None]

    def _strips(self) -> list[_Draft]:
        drafts: dict[tuple[str, float, float], _Draft] = {}
        rate = scene_rate()
        for own in self._everything:
            for strip in _strips_of(_id_of(own)):
                key = strip.name, strip.frame_start, strip.frame_end
                draft = drafts.setdefault(key, _Draft(*key, rate, strip.frame_start, [], has_range=True, is_strip=True))
                draft.owners.append((own, None))
        return list(drafts.values())

    def _markers(self) -> list[_Draft]:
        scene = bpy.context.scene
        markers = sorted(scene.timeline_markers, key=lambda own: own.frame)
        ends = [*(own.frame - 1 for own in markers[1:]), scene.frame_end]
        owners: list[tuple[_Owner, bpy.types.Action | None]] = [(own, None) for own in self._everything]
        spans = [(own, end) for own, end in zip(markers, ends, strict=False) if end >= own.frame]
        return [_Draft(own.name, own.frame, end, scene_rate(), own.frame, owners, has_range=True) for own, end in spans]

    # Clips.

    def _clip(self, draft: _Draft) -> Any:
        self.rates.add(draft.rate)
        if draft.end - draft.start > MAX_FRAMES:
            span = f"{draft.end - draft.start:.3g} frames"
            self._report.warn(f"clip {draft.name!r}: it has {span}; none are written between its keys (the limit is {MAX_FRAMES} frames)")
        tracks, morphs = [], []
        sampled: list[tuple[_Owner, bpy.types.Action | None]] = []
        for own, action in draft.owners:
            if action is None or not _is_plain(own, action):
                sampled.append((own, action))
            elif isinstance(own, NewRig):
                tracks += self._tracks(own, action, draft)
            else:
                morphs += self._morphs(own, action, draft)
        if sampled:
            more_tracks, more_morphs = self._sampled(sampled, draft)
            tracks, morphs = tracks + more_tracks, morphs + more_morphs
        morphs += self._still_morphs(draft)
        if not tracks and not morphs:
            self._report.warn(f"clip {draft.name!r}: it has no keys of exported bones or shape keys; not written")
            return None
        return bindpose.Clip(draft.name, tracks, morphs)

    def _tracks(self, rig: NewRig, action: bpy.types.Action, draft: _Draft) -> list[Any]:
        """Returns the tracks of an action that determines the pose alone."""
        curves = by_path(curves_for(action, rig.armature))
        tracks = []
        used = set()
        for place, bone in enumerate(rig.bones):
            pose = rig.armature.pose.bones[bone.name]
            parts = {}
            for channel in CHANNELS:
                path = path_of(bone.name, "") + _property(pose, channel)
                used.add(path)
                parts[channel] = self._curve(rig, place, channel, curves.get(path, {}), draft)
            if any(parts.values()):
                tracks.append(bindpose.Track(rig.first + place, **parts))
        others = sorted(set(curves) - used)
        if others:
            self._report.warn(f"action {action.name!r}: curves of no exported property are not written: {some(others)}")
        return tracks

    def _curve(self, rig: NewRig, place: int, channel: str, curves: dict[int, Any], draft: _Draft) -> Any:
        """Returns a curve of a bone; `None` if it stays in the bind pose."""
        pose = rig.armature.pose.bones[rig.bones[place].name]
        if not curves or (channel == "translation" and rig.bones[place].use_connect):
            return None
        is_turn = channel == "rotation"
        is_exact = not is_turn or (draft.keeps_keys and pose.rotation_mode == "QUATERNION")
        frames, is_step = self._frames(list(curves.values()), draft, is_exact)
        values = np.tile(np.array(tuple(getattr(pose, _property(pose, channel))), np.float64), (len(frames), 1))
        for index, curve in curves.items():
            values[:, index] = values_at(curve, frames)
        converted = rig.channel(place, channel, quaternions(values, pose.rotation_mode) if is_turn else values)
        if is_turn:
            converted = continuous(converted)
        if draft.keeps_keys and not self._every_frame:
            kept = needed(frames, converted, are_added(list(curves.values()), frames))
            frames, converted = frames[kept], converted[kept]
        return curve_of(draft.times(frames), converted, "step" if is_step else "linear")

    def _frames(self, curves: list[Any], draft: _Draft, is_exact: bool) -> tuple[npt.NDArray[np.float64], bool]:
        """Returns the frames of the keys of curves, and whether values stay until the next key.

        `is_exact` is whether files interpolate as Blender does between linear keys. Otherwise whole frames are added.
        """
        keys = np.unique(np.concatenate([frames_and_values(curve)[:, 0] for curve in curves])).astype(np.float64)
        kinds = set(np.concatenate([ints(curve, "interpolation") for curve in curves]).tolist())
        is_free = all(not curve.modifiers and curve.extrapolation == "CONSTANT" for curve in curves)
        inside = keys[(keys >= draft.start - _SAME_FRAME) & (keys <= draft.end + _SAME_FRAME)]
        if not is_free or not len(inside):
            return draft.whole(draft.start, draft.end), False
        if draft.has_range:
            inside = np.unique(np.concatenate([[draft.start], inside, [draft.end]]))
        if kinds == {INTERPOLATION["CONSTANT"]} and not self._every_frame:
            return inside, True
        if kinds == {INTERPOLATION["LINEAR"]} and is_exact and not self._every_frame:
            return inside, False
        whole = draft.whole(float(inside[0]), float(inside[-1]))
        near = np.searchsorted(inside, whole)
        last = len(inside) - 1
        distance = np.minimum(np.abs(inside[np.clip(near, 0, last)] - whole), np.abs(inside[np.clip(near - 1, 0, last)] - whole))
        return np.unique(np.concatenate([inside, whole[distance > _SAME_FRAME]])), False

    def _stills(self, rig: NewRig) -> dict[tuple[int, str], Array]:
        """Returns the channels of a pose that are not those of the rest pose: without actions, if an action animates them."""
        stills = {}
        for place, bone in enumerate(rig.bones):
            pose = rig.armature.pose.bones[bone.name]
            for channel in CHANNELS:
                if channel == "translation" and bone.use_connect:
                    continue
                name = _property(pose, channel)
                value = np.array([tuple(getattr(pose, name))], np.float64)
                value = quaternions(value, pose.rotation_mode) if channel == "rotation" else value
                if path_of(pose.name, "") + name in self._animated[rig]:
                    value = np.array([_without_action(pose, channel)])
                if np.abs(value - _REST[channel]).max() > _NEAR:
                    stills[place, channel] = rig.channel(place, channel, value)[0]
        return stills

    def _morphs(self, mesh: NewMesh, action: bpy.types.Action, draft: _Draft) -> list[Any]:
        curves = by_path(curves_for(action, mesh.thing.data.shape_keys))
        tracks = []
        for number, name in enumerate(mesh.morphs):
            curve = curves.pop(_path_of_key(name), {}).get(0)
            if curve is not None:
                frames, is_step = self._frames([curve], draft, is_exact=True)
                tracks.append(self._morph_track(mesh, number, draft, frames, values_at(curve, frames), is_step))
        if curves:
            self._report.warn(f"action {action.name!r}: curves of no exported property are not written: {some(sorted(curves))}")
        return tracks

    def _still_morphs(self, draft: _Draft) -> list[Any]:
        """Returns tracks of shape keys that no action animates, and whose value is not 0."""
        moved = [own for own, _ in draft.owners]
        tracks = []
        for mesh in self._meshes:
            keys = mesh.thing.data.shape_keys
            if mesh in moved and _has_drivers(keys) or (mesh.rig is not None and not any(own is mesh.rig or own is mesh for own in moved)):
                continue
            animated = {curve.data_path for action in _actions_of(keys) for curve in curves_for(action, keys)}
            for number, name in enumerate(mesh.morphs):
                value = keys.key_blocks[name].value
                if value != 0 and _path_of_key(name) not in animated:
                    tracks.append(self._morph_track(mesh, number, draft, np.array([draft.start]), np.array([value]), False))
        return tracks

    def _morph_track(self, mesh: NewMesh, number: int, draft: _Draft, frames: Any, values: Any, is_step: bool) -> Any:
        curve = curve_of(draft.times(frames), values, "step" if is_step else "linear")
        return bindpose.MorphTrack([(self._index[mesh], number)], curve)

    # Poses that Blender evaluates.

    def _sampled(self, owners: list[tuple[_Owner, bpy.types.Action | None]], draft: _Draft) -> tuple[list[Any], list[Any]]:
        """Returns tracks with a key at each frame."""
        frames = draft.whole(draft.start, draft.end)
        rigs = [own for own, _ in owners if isinstance(own, NewRig)]
        meshes = [own for own, _ in owners if isinstance(own, NewMesh)]
        poses: dict[NewRig, list[Array]] = {rig: [] for rig in rigs}
        values: dict[NewMesh, list[list[float]]] = {mesh: [] for mesh in meshes}
        with self._played(owners, draft.is_strip):
            for frame in frames.tolist():
                whole = int(np.floor(frame))
                bpy.context.scene.frame_set(whole, subframe=frame - whole)
                graph = bpy.context.evaluated_depsgraph_get()
                for rig in rigs:
                    poses[rig].append(_pose_of(rig, rig.armature.evaluated_get(graph)))
                for mesh in meshes:
                    blocks = mesh.thing.data.shape_keys.evaluated_get(graph).key_blocks
                    values[mesh].append([blocks[name].value for name in mesh.morphs])
        tracks = [track for rig in rigs for track in self._sampled_tracks(rig, np.array(poses[rig]), frames, draft)]
        morphs = []
        for mesh in meshes:
            for number, own in enumerate(np.array(values[mesh]).T):
                if own.any():
                    morphs.append(self._morph_track(mesh, number, draft, frames, own, False))
        return tracks, morphs

    def _sampled_tracks(self, rig: NewRig, poses: Array, frames: Any, draft: _Draft) -> Iterator[Any]:
        """Yields the tracks for matrices of all bones in the scene, for each frame."""
        heads = rig.model[:, :3, 3]
        size = max(float(np.ptp(heads, axis=0).max()), 1e-3) if len(heads) else 1.0
        binds = rig.skeleton()
        sheared = []
        times = draft.times(frames)
        for place, (bone, parent) in enumerate(zip(rig.bones, rig.rig.parents, strict=True)):
            local = poses[:, place] if parent < 0 else np.linalg.pinv(poses[:, parent]) @ poses[:, place]
            translation, rotation, scale, shear = split(local)
            if shear > _SHEAR:
                sheared.append(bone.name)
            parts: dict[str, Any] = {}
            bind = binds[place]
            # The root has keys at any rate, for the length of the clip.
            if place == 0 or (1 - np.abs(rotation @ bind.rotation)).max() > 1e-10:
                parts["rotation"] = curve_of(times, continuous(rotation))
            if np.abs(translation - bind.translation).max() > 2 * _NEAR * size:
                parts["translation"] = curve_of(times, translation)
            if np.abs(scale - bind.scale).max() > 1e-5:
                parts["scale"] = curve_of(times, scale)
            if parts:
                yield bindpose.Track(rig.first + place, **parts)
        if sheared:
            self._report.warn(f"clip {draft.name!r}: shear of bones, which clips do not have, is not written: {some(sheared)}")

    @contextmanager
    def _played(self, owners: list[tuple[_Owner, bpy.types.Action | None]], are_strips: bool) -> Iterator[None]:
        """Assigns actions, or none where strips are played, meanwhile, and restores actions, poses and the current frame."""
        scene = bpy.context.scene
        with ExitStack() as undo:
            undo.callback(scene.frame_set, scene.frame_current, subframe=scene.frame_subframe)
            for rig in self._rigs:
                undo.callback(_restore_pose, rig.armature, [[tuple(getattr(pose, name)) for name in _POSED] for pose in rig.armature.pose.bones])
            for own, action in owners:
                if action is not None or are_strips:
                    undo.enter_context(_assigned(action, _id_of(own)))
                    if isinstance(own, NewRig):
                        self._reset(own)
            yield

    def _reset(self, rig: NewRig) -> None:
        """Moves bones that actions animate to where they are without one: other actions leave their poses behind."""
        for pose in rig.armature.pose.bones:
            for channel in CHANNELS:
                name = _property(pose, channel)
                if path_of(pose.name, "") + name in self._animated[rig]:
                    value = tuple(_without_action(pose, channel))
                    setattr(pose, name, _turned(value, pose) if channel == "rotation" else value)


def _draft_of(pairs: list[tuple[_Owner, bpy.types.Action]]) -> _Draft | None:
    """Returns the clip of actions of the same name or import, which start together."""
    action = pairs[0][1]
    actions = {own for _, own in pairs}
    spans = [(own.frame_start, own.frame_end) if own.use_frame_range else tuple(own.frame_range) for own in actions]
    start, end = min(own[0] for own in spans), max(own[1] for own in spans)
    is_kept = CLIP in action and not action.use_frame_range and start >= 0
    rate = float(action.get(FPS, 0.0)) or scene_rate()
    owners: list[tuple[_Owner, bpy.types.Action | None]] = list(pairs)
    return _Draft(own_name(action), start, end, rate, 0.0 if is_kept else start, owners, CLIP in action, action.use_frame_range)


def scene_rate() -> float:
    """Returns the frames per second of Blender's scene."""
    render = bpy.context.scene.render
    return float(render.fps / render.fps_base)


def _id_of(own: _Owner) -> Any:
    """Returns what has the animation data."""
    return own.armature if isinstance(own, NewRig) else own.thing.data.shape_keys


def _active_of(own: Any) -> bpy.types.Action | None:
    return own.animation_data.action if own is not None and own.animation_data else None


def _strips_of(own: Any) -> list[Any]:
    tracks = own.animation_data.nla_tracks if own is not None and own.animation_data else ()
    return [strip for track in tracks if not track.mute for strip in track.strips if not strip.mute]


def _actions_of(own: Any) -> set[bpy.types.Action]:
    """Returns the actions that something has now, or in its strips."""
    if own is None or own.animation_data is None:
        return set()
    strips = {strip.action for track in own.animation_data.nla_tracks for strip in track.strips}
    return {own for own in (own.animation_data.action, *strips) if own is not None}


def _other_ids(owners: Iterable[_Owner]) -> Iterator[Any]:
    known = [_id_of(own) for own in owners]
    for own in (*bpy.data.objects, *bpy.data.shape_keys):
        if own not in known:
            yield own


def _is_of_import(own: _Owner, action: bpy.types.Action, key: str) -> bool:
    thing = own.armature if isinstance(own, NewRig) else own.thing
    if not any(collection.get(IMPORT) == key for collection in thing.users_collection):
        return False
    return MESH not in action if isinstance(own, NewRig) else action.get(MESH) == thing.get(MESH, -1)


def _paths_of(own: _Owner) -> set[str]:
    """Returns the paths of curves that move an armature or a mesh."""
    if isinstance(own, NewMesh):
        return {_path_of_key(name) for name in own.morphs}
    return {path_of(bone.name, "") + name for bone in own.bones for name in _POSED}


def _path_of_key(name: str) -> str:
    return f'key_blocks["{bpy.utils.escape_identifier(name)}"].value'


def _property(pose: bpy.types.PoseBone, channel: str) -> str:
    """Returns the property of a bone with a channel, which depends on the mode of its rotation."""
    return _TURNS.get(pose.rotation_mode, "rotation_euler") if channel == "rotation" else CHANNELS[channel]


def _without_action(pose: bpy.types.PoseBone, channel: str) -> tuple[float, ...]:
    """Returns a channel of a bone as it was imported, with quaternions x, y, z, w; that of the rest pose otherwise."""
    kept = pose.bone.get(POSE)
    if kept is None:
        return _REST[channel]
    location, (w, *turn), scale = kept[:3], kept[3:7], kept[7:]
    return {"translation": tuple(location), "rotation": (*turn, w), "scale": tuple(scale)}[channel]


def _turned(value: tuple[float, ...], pose: bpy.types.PoseBone) -> Any:
    """Returns a rotation x, y, z, w in the mode of a bone."""
    turn = Quaternion((value[3], *value[:3]))
    if pose.rotation_mode == "AXIS_ANGLE":
        axis, angle = turn.to_axis_angle()
        return (angle, *axis)
    return turn if pose.rotation_mode == "QUATERNION" else turn.to_euler(pose.rotation_mode)


def _has_drivers(own: Any) -> bool:
    return own is not None and own.animation_data is not None and len(own.animation_data.drivers) > 0


def _is_plain(own: _Owner, action: bpy.types.Action) -> bool:
    """Returns whether an action alone determines the pose."""
    if isinstance(own, NewMesh):
        return not _has_drivers(own.thing.data.shape_keys)
    armature = own.armature
    if own.scale is None or _has_drivers(armature) or _has_drivers(armature.data) or armature.constraints or _is_carried(armature):
        return False
    if any(constraint.enabled for pose in armature.pose.bones for constraint in pose.constraints):
        return False
    flags = (bone.use_inherit_rotation and bone.use_local_location and bone.inherit_scale == "FULL" for bone in own.bones)
    moves = any(not curve.data_path.startswith("pose.bones[") for curve in curves_for(action, armature))
    return all(flags) and not moves


def _is_carried(thing: bpy.types.Object) -> bool:
    """Returns whether something above an object can move it."""
    parent = thing.parent
    return parent is not None and (parent.type == "ARMATURE" or bool(parent.animation_data) or bool(parent.constraints) or _is_carried(parent))


@contextmanager
def _assigned(action: bpy.types.Action | None, own: Any) -> Iterator[None]:
    """Makes an action the only one of an object or of shape keys meanwhile; for `None`, its strips play alone."""
    data = own.animation_data or own.animation_data_create()
    before, slot, uses_nla = data.action, getattr(data, "action_slot", None), data.use_nla
    data.use_nla = action is None
    if before != action:
        data.action = None
        if action is not None:
            assign(action, own)
    try:
        yield
    finally:
        data.use_nla, data.action = uses_nla, before
        if slot is not None:
            data.action_slot = slot


def _restore_pose(armature: bpy.types.Object, values: list[list[tuple[float, ...]]]) -> None:
    for pose, own in zip(armature.pose.bones, values, strict=True):
        for name, value in zip(_POSED, own, strict=True):
            setattr(pose, name, value)


def _pose_of(rig: NewRig, armature: bpy.types.Object) -> Array:
    """Returns the matrices of the bones of an evaluated armature in the scene."""
    world = np.array(armature.matrix_world, np.float64)
    posed = np.array([np.array(armature.pose.bones[bone.name].matrix, np.float64) for bone in rig.bones]).reshape(-1, 4, 4)
    moved = world @ posed @ np.linalg.pinv(rig.placed)
    return FROM_BLENDER @ moved @ rig.rig.rest @ rig.rig.turns.transpose(0, 2, 1)
