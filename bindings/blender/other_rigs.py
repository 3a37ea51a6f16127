# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips on an armature that is not from their files: bones are paired by names, and poses are fitted to its rest pose."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import permutations, product
from pathlib import Path
from typing import Any

import bindpose
import bpy
import numpy as np
from mathutils import Quaternion

from .actions import add_clip
from .names import decoded
from .new_rigs import NewRig
from .preferences import Options
from .report import Report, some
from .space import TO_BLENDER, Array

_SAME_PLACE = 0.01
"""The distance between bones in the same rest pose, relative to the size of the skeleton."""
_SAME_SIZE = 0.05
"""The relative difference between bones of the same length."""
_SAME_OFFSET = 0.1
"""The distance between bones at the same place relative to their parents, relative to their length."""
_MOST, _ALL = 0.6, 0.9
"""The shares of the bones at the same place from which on keys are in the axes of an armature: if their file has no rest pose of its own, and if it has one."""
_LARGEST_TABLE = 16 << 20


def read_table(path: Path) -> dict[str, str]:
    """Returns the names of bones of an armature by those in files, from a table with lines OLD,NEW or bone,OLD,NEW.

    Raises:
        OSError: if the table cannot be read.
        ValueError: if it is not such a table.
    """
    if path.stat().st_size > _LARGEST_TABLE:
        raise ValueError(f"{path.name}: the table is larger than {_LARGEST_TABLE >> 20} MiB")
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name}: the table is not UTF-8: {error}") from error
    table: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        row = next(csv.reader([line]), []) if line.strip() and not line.startswith("#") else []
        if not row or row in (["old", "new"], ["kind", "old", "new"]) or (len(row) == 3 and row[0] in {"material", "clip", "texture"}):
            continue
        if len(row) not in {2, 3} or (len(row) == 3 and row[0] != "bone") or not row[-2]:
            raise ValueError(f"{path.name}: line {number}: expected OLD,NEW or bone,OLD,NEW")
        if row[-2] in table or row[-1] in table.values():
            raise ValueError(f"{path.name}: line {number}: another line has the same bone")
        table[row[-2]] = row[-1]
    if not table:
        raise ValueError(f"{path.name}: the table has no bones")
    return table


def paired(names: list[str], targets: Iterable[str], table: Mapping[str, str]) -> dict[int, str]:
    """Returns the target of each name, by its index: that of a table, the same name, or the only one that differs in case and padding."""
    free = dict.fromkeys(targets)
    pairs: dict[int, str] = {}
    for key_of in (str, _folded):
        by_key: dict[str, list[str]] = {}
        for target in free:
            by_key.setdefault(key_of(target), []).append(target)
        wanted: dict[str, list[int]] = {}
        for index, name in enumerate(names):
            if index not in pairs:
                wanted.setdefault(key_of(table.get(name, name)), []).append(index)
        for key, indices in wanted.items():
            # Blender numbers equal names.
            numbered = [key, *(f"{key}.{number:03}" for number in range(1, len(indices)))]
            if key_of is str and len(indices) > 1 and all(name in free for name in numbered):
                pairs.update(zip(indices, numbered, strict=True))
                for name in numbered:
                    del free[name]
                continue
            # Of several bones none is the right one.
            if len(indices) == len(by_key.get(key, ())) == 1:
                pairs[indices[0]] = by_key[key][0]
                del free[by_key[key][0]]
    return dict(sorted(pairs.items()))


def _folded(name: str) -> str:
    return re.sub(r"[\s_]+", " ", name).strip().casefold()


def add_clips_to(
    armature: bpy.types.Object,
    files: list[Any],
    takes: Callable[[str], bool],
    name: str,
    table: Mapping[str, str],
    options: Options,
    report: Report,
    prefix: str,
) -> list[tuple[bpy.types.Action, Any]] | None:
    """Adds clips of decoded files to an armature as actions, and returns them with their user; `None` if no bones have the same names.

    `name` is that of the file in messages.
    """
    scene = bindpose.scene(*files, **options.settings())
    report.warn_of_losses(scene.losses)
    taken = [index for index, clip in enumerate(scene.clips) if takes(decoded(clip.name, options.encoding))]
    clips = [scene.clips[index] for index in taken]
    names = [decoded(bone.name, options.encoding) for bone in scene.skeleton.bones]
    pairs = paired(names, [bone.name for bone in armature.data.bones], table)
    if not pairs:
        report.warn(
            f"{name}: no bone has the name of one of {armature.name!r}; choose the skeleton of the animations too, or a table of bones"
        )
        return None
    _report_pairs(armature, names, pairs, {track.bone for clip in clips for track in clip.tracks}, name, table, report)
    if not clips:
        return []
    rig = NewRig.of(armature, 0, np.eye(4))
    places = {other: rig.index[target] for other, target in pairs.items()}
    reason = _why_unfitted(scene, clips, places, rig, name, report)
    if reason:
        rig, fitted = _unfitted(rig, files, taken, scene, places, f"{name}: {reason}", options, report)
    else:
        rig, fitted = _fitted(rig, scene, clips, places, name, report)
    bones = {place: bone.name for place, bone in enumerate(rig.bones)}
    moved = {bones[track.bone] for clip in fitted for track in clip.tracks if track.rotation is not None}
    euler = [own.name for own in armature.pose.bones if own.name in moved and own.rotation_mode != "QUATERNION"]
    for bone in euler:
        armature.pose.bones[bone].rotation_mode = "QUATERNION"
    if euler:
        report.warn(f"bones of {armature.name!r} that now rotate by quaternions, as the clips do: {some(euler)}")
    if any(clip.morphs for clip in clips):
        report.warn(f"{name}: tracks of morph targets are left out, as the meshes are from other files")
    added = []
    for clip in fitted:
        added += add_clip(clip, rig.rig, armature, [], options, report, bones, prefix)
    return added


def _report_pairs(
    armature: bpy.types.Object, names: list[str], pairs: dict[int, str], moved: set[int], file: str, table: Mapping[str, str], report: Report
) -> None:
    unpaired = [names[index] for index in sorted(moved) if index not in pairs]
    if unpaired:
        report.warn(f"{file}: bones that {armature.name!r} does not have: {some(unpaired)}")
    others = [f"{names[index]} = {target}" for index, target in pairs.items() if names[index] != target and names[index] not in table]
    if others:
        report.warn(f"{file}: bones paired by similar names: {some(others)}")
    unknown = [old for old in table if old not in names] + [new for new in table.values() if new not in armature.data.bones]
    if unknown:
        report.warn(f"{file}: bones of the table that the file or {armature.name!r} does not have: {some(unknown)}")


def _why_unfitted(scene: Any, clips: list[Any], places: dict[int, int], rig: NewRig, file: str, report: Report) -> str:
    """Returns why the keys of clips are used as they are, and not fitted by the rest pose of their file; empty if they are fitted."""
    binds = np.asarray(scene.skeleton.bind_pose.model, np.float64)
    if len(places) > 1 and not np.ptp(binds[list(places), :3, 3], axis=0).any():
        return "it states no rest pose for its keys"
    parents = [int(parent) for parent in scene.skeleton.parents]
    # Writers of PSA do not know the hierarchy, or the rest pose.
    has_hierarchy = sum(parent < 0 for parent in parents) == 1 and (len(parents) < 3 or any(parent > 0 for parent in parents))
    locals_of = [bone.translation for bone in scene.skeleton.bones]
    is_known = has_hierarchy and _at_rest(clips, dict(enumerate(range(len(parents)))), locals_of, parents) >= _MOST
    binds = TO_BLENDER @ binds
    indices = list(places.items())
    if is_known and not _differing(binds, _facing(binds, rig.rig.rest, indices) @ rig.rig.rest, indices, rig.rig.parents):
        return ""
    share = _at_rest(clips, places, [bone.translation for bone in rig.skeleton()], rig.rig.parents)
    if share >= (_ALL if is_known else _MOST):
        return "its keys fit the armature, but its rest pose does not"
    if not is_known:
        report.warn(f"{file}: its rest pose or hierarchy is not that of its keys, and the bones of {rig.armature.name!r} have other axes; poses can be wrong")
    return ""


def _fitted(rig: NewRig, scene: Any, clips: list[Any], places: dict[int, int], file: str, report: Report) -> tuple[NewRig, list[Any]]:
    """Returns the bones of an armature, turned to face as those of a scene, and the clips of the scene for them."""
    armature, indices = rig.armature, list(places.items())
    theirs = TO_BLENDER @ np.asarray(scene.skeleton.bind_pose.model, np.float64)
    turn = _facing(theirs, rig.rig.rest, indices)
    if (turn != np.eye(4)).any():
        rig = NewRig.of(armature, 0, turn)
    differing = [rig.bones[place].name for place in _differing(theirs, rig.rig.rest, indices, rig.rig.parents)]
    if differing:
        report.warn(f"{file}: {armature.name!r} has another rest pose, to which the clips are fitted, at the bones {some(differing)}")
    # Names that only pairs share.
    bones = [_renamed(bone, f"to {places.get(index, f'no {index}')}") for index, bone in enumerate(scene.skeleton.bones)]
    own = [_renamed(bone, f"to {place}") for place, bone in enumerate(rig.skeleton())]
    fitted = bindpose.Scene(skeleton=own).retarget(bindpose.Scene(skeleton=bones, clips=clips))
    return rig, list(fitted.clips)


def _unfitted(
    rig: NewRig, files: list[Any], taken: list[int], scene: Any, places: dict[int, int], reason: str, options: Options, report: Report
) -> tuple[NewRig, list[Any]]:
    """Returns clips with keys relative to the bones of an armature, for files whose rest pose and hierarchy say nothing, as in most PSA."""
    armature = rig.armature
    # With the hierarchy of the armature, by which a root is known.
    names = {place: scene.skeleton.bones[other].name for other, place in places.items()}
    own = [_renamed(bone, names.get(place, f"no {place}")) for place, bone in enumerate(rig.skeleton())]
    read = bindpose.scene(bindpose.Scene(skeleton=own), *files, **options.settings())
    clips = [read.clips[index] for index in taken]
    tracks = [track for clip in clips for track in clip.tracks if track.bone < len(own)]
    first = next((TO_BLENDER @ _rotation(track.rotation.values[0]) for track in tracks if _is_root(track, rig)), None)
    if first is not None:
        # The root is turned the least from its rest pose.
        root = rig.rig.rest[0] @ rig.rig.turns[0].T
        upright = [_homogeneous(turn) for turn in _RIGHT_ANGLES if turn[2, 2] == 1]
        turn = max(upright, key=lambda turn: float(np.trace((turn @ root)[:3, :3].T @ first[:3, :3])))
        if (turn != np.eye(4)).any():
            rig = NewRig.of(armature, 0, turn)
    size = _size(*_offsets(tracks, dict(enumerate(range(len(own)))), [bone.translation for bone in own], rig.rig.parents))
    scaled = f", with lengths times {size:.4g}" if size != 1 else ""
    report.warn(f"{reason}; these are used in the axes of the bones of {armature.name!r}{scaled}")
    moved = []
    for clip in clips:
        chosen = [_moved(track, size) for track in clip.tracks if track.bone < len(own)]
        moved.append(bindpose.Clip(clip.name, chosen, has_root_motion=clip.has_root_motion))
    return rig, list(bindpose.Scene(skeleton=rig.skeleton(), clips=moved).clips)


def _offsets(tracks: list[Any], places: dict[int, int], own: list[Any], parents: list[int]) -> tuple[Array, Array]:
    """Returns where bones are relative to their parents: at the start of clips, and in a rest pose."""
    pairs = [
        (track.translation.values[0], own[places[track.bone]])
        for track in tracks
        if track.translation is not None and len(track.translation.values) and parents[places[track.bone]] >= 0
    ]
    offsets = np.array(pairs, np.float64).reshape(-1, 2, 3)
    return offsets[:, 0], offsets[:, 1]


def _size(theirs: Array, own: Array) -> float:
    """Returns how much longer bones are."""
    lengths = np.stack([np.linalg.norm(theirs, axis=1), np.linalg.norm(own, axis=1)], axis=1)
    lengths = lengths[(lengths > 1e-6 * max(float(lengths.max(initial=0.0)), 1e-9)).all(axis=1)]
    size = float(np.median(lengths[:, 1] / lengths[:, 0])) if len(lengths) else 1.0
    return 1.0 if abs(size - 1) < _SAME_SIZE else size


def _at_rest(clips: list[Any], places: dict[int, int], rest: list[Any], parents: list[int]) -> float:
    """Returns the share of the bones of clips that are where those of a rest pose are: then the keys are in its axes."""
    theirs, own = _offsets([track for clip in clips for track in clip.tracks if track.bone in places], places, rest, parents)
    if not len(theirs):
        return 0.0
    lengths = np.linalg.norm(own, axis=1)
    near = np.linalg.norm(theirs * _size(theirs, own) - own, axis=1) <= _SAME_OFFSET * np.maximum(lengths, float(np.median(lengths)))
    return float(near.mean())


def _is_root(track: Any, rig: NewRig) -> bool:
    return track.bone == 0 and rig.rig.parents[0] < 0 and track.rotation is not None and len(track.rotation.values) > 0


def _rotation(values: Any) -> Array:
    x, y, z, w = (float(value) for value in values)
    return np.array(Quaternion((w, x, y, z)).to_matrix().to_4x4(), np.float64)


def _homogeneous(turn: Array) -> Array:
    result = np.eye(4)
    result[:3, :3] = turn
    return result


def _moved(track: Any, size: float) -> Any:
    """Returns a track with longer or shorter displacements."""
    curve = track.translation
    if curve is not None and size != 1:
        tangents = curve.tangents if curve.tangents is None else np.asarray(curve.tangents) * np.float32(size)
        curve = curve._replace(values=np.asarray(curve.values) * np.float32(size), tangents=tangents)
    return track._replace(translation=curve)


def _renamed(bone: Any, name: str) -> Any:
    return bindpose.Bone(name, bone.parent, translation=bone.translation, rotation=bone.rotation, scale=bone.scale)


def _facing(theirs: Array, own: Array, indices: list[tuple[int, int]]) -> Array:
    """Returns the rotation by right angles that makes an armature face as other bones."""
    a, b = (heads[[index[side] for index in indices], :3, 3] for side, heads in enumerate((theirs, own)))
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    a, b = (heads / max(float(np.linalg.norm(heads)), 1e-9) for heads in (a, b))
    errors = [float(np.linalg.norm(a - b @ turn.T)) for turn in _RIGHT_ANGLES]
    # Small differences, as of a skeleton along one axis, are no reason to turn it.
    errors[0] -= 1e-3
    return _homogeneous(_RIGHT_ANGLES[int(np.argmin(errors))])


def _differing(theirs: Array, own: Array, indices: list[tuple[int, int]], parents: list[int]) -> list[int]:
    """Returns the bones whose direction from the next paired one above, or whose distance to it, is another one; sizes do not matter."""
    others = {place: other for other, place in indices}
    vectors = {}
    for place, other in others.items():
        above = parents[place]
        while above >= 0 and above not in others:
            above = parents[above]
        if above >= 0:
            vectors[place] = (theirs[other, :3, 3] - theirs[others[above], :3, 3], own[place, :3, 3] - own[above, :3, 3])
    lengths = np.array([[np.linalg.norm(vector) for vector in pair] for pair in vectors.values()]).reshape(-1, 2)
    lengths = lengths[(lengths > 0).all(axis=1)]
    scale = float(np.median(lengths[:, 1] / lengths[:, 0])) if len(lengths) else 1.0
    size = max(float(np.ptp(own[list(others), :3, 3], axis=0).max()), 1e-9)
    return [place for place, (a, b) in vectors.items() if np.linalg.norm(a * scale - b) > _SAME_PLACE * size]


def _right_angles() -> list[Array]:
    """Returns the rotations by right angles, the identity first."""
    found = []
    for order, signs in product(permutations(range(3)), product((1.0, -1.0), repeat=3)):
        matrix = np.eye(3)[list(order)] * np.array(signs)[:, None]
        if np.linalg.det(matrix) > 0:
            found.append(matrix)
    return found


_RIGHT_ANGLES = _right_angles()
