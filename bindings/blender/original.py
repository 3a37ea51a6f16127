# SPDX-License-Identifier: GPL-3.0-or-later
"""The export into the original: the files of an import with the changes that were made in Blender, and everything else as it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PureWindowsPath
from typing import Any

import bindpose
import bpy
import numpy as np
import numpy.typing as npt

from .actions import CLIP, FPS, INTERPOLATION, channels_of
from .armatures import ADDED_BONE, BONE, REST, bones_of, measure
from .bundle import IMPORT, Bundle
from .changed_materials import ChangedMaterials
from .changed_meshes import ChangedMesh
from .curves import CHANNELS, Keys, keys_of, path_of
from .fingerprint import name_of, pose_of, refusals, shading_of
from .meshes import KEYS, MESH
from .names import NAME, decoded, encoded, stored, without_prefix
from .report import some
from .rig import Rig
from .shared_rigs import imported_as, is_shared, mark_of, shared_armature
from .solve import Edit, solve

_NEAR = 2e-6
"""The difference that rounding makes, relative to the value of a key."""


class RefusedError(Exception):
    """Changes that the original files cannot represent."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("\n".join(reasons))
        self.reasons = reasons


def changed_files(collection: bpy.types.Collection, with_normals: bool = False) -> dict[str, bytes]:
    """Returns the bytes of `changed`."""
    return {name: file.encode() for name, file in changed(collection, with_normals).items()}


def changed(collection: bpy.types.Collection, with_normals: bool = False) -> dict[str, Any]:
    """Returns the decoded files of an import by their names, with the changes that were made since.

    Normals are changed only on request: those of Blender follow the vertices.

    Raises `RefusedError` if something changed that they cannot represent.
    """
    bundle = Bundle.stored_in(collection)
    if bundle is None:
        raise RefusedError([f"collection {collection.name!r} has no original files; import them with the option to keep them"])
    try:
        return _Changes(bundle, collection, with_normals).files()
    except bindpose.BindposeError as error:
        raise RefusedError([str(error)]) from error


class _Changes:
    def __init__(self, bundle: Bundle, collection: bpy.types.Collection, with_normals: bool) -> None:
        self.bundle, self.collection, self.with_normals = bundle, collection, with_normals
        self.key = collection[IMPORT]
        self.is_shared = is_shared(collection)
        own = (thing for thing in collection.objects if thing.type == "ARMATURE")
        self.armature = shared_armature(collection) if self.is_shared else next(own, None)
        self.mark = mark_of(collection) if self.is_shared else BONE
        self.meshes = {int(own[MESH]): own for own in collection.objects if MESH in own}
        self.model = [part.file() for part in bundle.model]
        self.clips = [part.file() for part in bundle.clips]
        self.scene = bundle.scene_of(self.model)
        self.rig = Rig.of(self.scene, bundle.options.orientation)
        self.refused: list[str] = []

    def files(self) -> dict[str, Any]:
        """Returns the files by name."""
        bones = self._renamed_bones()
        if self.armature is not None and not self.is_shared:
            measure(self.armature, self.rig)
        edits = self._changed_meshes()
        materials = ChangedMaterials(self.scene, list(self.meshes.values()), self.bundle.options.encoding)
        edits += materials.edits()
        textures = materials.textures()
        self.refused += materials.refused
        self.refused += refusals(self.collection, self._claimed())
        of_clips = {part: self._changed_keys(part) for part in (None, *range(len(self.clips)))}
        actions = self._renamed_clips()
        if self.refused:
            raise RefusedError(self.refused)
        self.model = self._solved(self.model, edits + of_clips.pop(None))
        self.model = self._solved(self.model, self._changed_shape_keys())
        for part, own in of_clips.items():
            self.clips[part] = self._solved([*self.model, self.clips[part]], own)[-1]
        if self.refused:
            raise RefusedError(self.refused)
        everything = [*self.model, *self.clips]
        bindpose.rename(*everything, bones=bones, materials=materials.names(), textures=textures)
        for part, names in actions.items():
            files = self.model if part is None else [self.clips[part]]
            bindpose.rename(*files, clips=names)
        parts = [*self.bundle.model, *self.bundle.clips]
        return {_own_name(part.name): file for part, file in zip(parts, everything, strict=True)}

    def _claimed(self) -> set[str]:
        """Returns the properties that other edits write, that an action animates, or that the file does not have."""
        claimed = {name_of(index) for index, mesh in enumerate(self.scene.meshes) if not mesh.name}
        if self.with_normals:
            claimed |= {shading_of(index) for index, mesh in enumerate(self.scene.meshes) if mesh.normals is not None}
        data = self.armature and self.armature.animation_data
        if self.is_shared or not data or not data.action:
            return claimed
        actions = [action for action in bpy.data.actions if action.get(IMPORT) == self.key]
        animated = {curve.data_path for action in actions for curve in channels_of(action)}
        for index, bone in bones_of(self.armature).items():
            claimed |= {pose_of(index, own) for own in CHANNELS for name in (bone.name, bone[NAME]) if path_of(name, own) in animated}
        return claimed

    def _solved(self, files: list[Any], edits: list[Edit]) -> list[Any]:
        if not edits:
            return files
        files, failed = solve(files, self.bundle.scene_of, edits)
        if failed:
            self.refused.append(f"the file cannot store the new values of {some(failed)}")
        return files

    def _renamed_bones(self) -> dict[str, str]:
        own = self.scene.skeleton.bones
        if self.armature is None:
            if own:
                self.refused.append("the armature was removed")
            return {}
        found = bones_of(self.armature, self.mark)
        removed = [decoded(bone.name, self.bundle.options.encoding) for index, bone in enumerate(own) if index not in found]
        if removed:
            self.refused.append(f"bones were removed: {some(removed)}")
        # Bones of other models, or of the owner of a shared armature, are not in the files.
        others = [] if self.is_shared else [bone for bone in self.armature.data.bones if ADDED_BONE not in bone]
        added = [bone.name for bone in others if BONE not in bone or found[bone[BONE]] != bone]
        if added:
            self.refused.append(f"bones were added: {some(added)}")
        names, moved = {}, []
        for index, bone in found.items():
            if self.is_shared:
                name, rest = imported_as(self.collection, index)
            else:
                name, rest = bone[NAME], np.array(bone[REST], np.float64).reshape(4, 4)
            if bone.name != name:
                names[stored(own[index].name)] = encoded(bone.name, self.bundle.options.encoding)
            if np.abs(np.array(bone.matrix_local) - rest).max() > 1e-4 * max(float(np.abs(rest).max()), 1e-3):
                moved.append(bone.name)
        if moved:
            self.refused.append(f"bones were moved in edit mode: {some(moved)}")
        return names

    def _changed_meshes(self) -> list[Edit]:
        edits: list[Edit] = []
        for index, mesh in enumerate(self.scene.meshes):
            if index not in self.meshes:
                self.refused.append(f"mesh {mesh.name!r} was removed")
                continue
            own = ChangedMesh(self.scene, self.meshes[index], self.rig)
            if not own.has_other_topology():
                edits += own.edits(self.with_normals)
                if self.armature is not None:
                    own.refuse_other_weights(bones_of(self.armature, self.mark))
            self.refused += own.refused
        return edits

    def _changed_shape_keys(self) -> list[Edit]:
        """Returns the changed shape keys, whose displacements are relative to the vertices."""
        shaped = [thing for thing in self.meshes.values() if thing.data.shape_keys or KEYS in thing]
        scene = self.bundle.scene_of(self.model) if shaped else self.scene
        edits: list[Edit] = []
        for thing in shaped:
            own = ChangedMesh(scene, thing, self.rig)
            edits += own.shape_keys()
            self.refused += own.refused
        return edits

    def _changed_keys(self, part: int | None) -> list[Edit]:
        """Returns the changed keys of the clips of the model, or of a file of clips."""
        actions = self._actions(part)
        scene = self.scene if part is None else None
        first, rig = 0, self.rig
        if part is not None:
            first, scene = len(self.scene.clips), self.bundle.scene_of([*self.model, self.clips[part]])
            rig = self.rig.for_clip(self.scene, scene)
        sources = {(own.clip, own.bone, own.attribute): own for own in scene.sources if own.clip is not None}
        edits: list[Edit] = []
        bones = {} if self.armature is None else bones_of(self.armature, self.mark)
        for index in range(first, len(scene.clips)):
            clip = scene.clips[index]
            if not clip.tracks or self.armature is None or (-1 if part is None else part, index) in self.bundle.left_out:
                continue
            if index not in actions:
                self.refused.append(f"the action of clip {clip.name!r} was removed")
                continue
            changed = _ChangedKeys(actions[index], index, scene, sources, rig, bones)
            edits += changed.edits(self.bundle.options.bake)
            self.refused += changed.refused
        return edits

    def _actions(self, part: int | None) -> dict[int, bpy.types.Action]:
        """Returns the actions of the bones by the index of their clip."""
        own = [action for action in bpy.data.actions if action.get(IMPORT) == self.key and MESH not in action]
        return {int(action[CLIP][1]): action for action in own if action[CLIP][0] == (-1 if part is None else part)}

    def _renamed_clips(self) -> dict[int | None, dict[str, str]]:
        renamed: dict[int | None, dict[str, str]] = {}
        for part in (None, *range(len(self.clips))):
            scene = self.scene if part is None else self.bundle.scene_of([*self.model, self.clips[part]])
            for index, action in self._actions(part).items():
                if action.name != action[NAME]:
                    old = stored(scene.clips[index].name)
                    renamed.setdefault(part, {})[old] = encoded(without_prefix(action), self.bundle.options.encoding)
        return renamed


class _ChangedKeys:
    """The keys of an action that differ from those of its clip."""

    def __init__(self, action: Any, index: int, scene: Any, sources: dict[Any, Any], rig: Rig, bones: dict[int, Any]) -> None:
        self.action, self.index, self.scene, self.sources, self.rig, self.bones = action, index, scene, sources, rig, bones
        self._refused: dict[str, list[str]] = {}
        self.names = {bone.name for bone in bones.values()}
        self.expected: set[tuple[str, int]] = set()
        self.curves = {(curve.data_path, curve.array_index): curve for curve in channels_of(action)}

    def edits(self, bake: bool) -> list[Edit]:
        """Returns the changes of the file."""
        clip = self.scene.clips[self.index]
        wanted: dict[tuple[int, str], list[tuple[Callable[[Any], Any], Any]]] = {}
        known: dict[tuple[int, str], list[tuple[Callable[[Any], Any], Any]]] = {}
        for keys in keys_of(clip, self.rig, float(self.action[FPS]), bake):
            self._compare(keys, wanted, known)
        added = {path for path, _ in self.curves.keys() - self.expected}
        if added and self.expected:
            self._refused["curves were added"] = sorted(added)
        # A value that several curves come from, such as a matrix, keeps those that did not change.
        edits = []
        for (file, path), own in wanted.items():
            both = own + known.get((file, path), [])
            target = np.concatenate([np.atleast_1d(value) for _, value in both])
            sizes = tuple(len(value) for _, value in both)
            edits.append(Edit(file, [path], _reads_all([read for read, _ in both]), target, sizes))
        return edits

    @property
    def refused(self) -> list[str]:
        """What the file cannot represent, with the names of bones."""
        return [f"clip {self.action.name!r}: {reason}: {some(names)}" for reason, names in self._refused.items()]

    def _refuse(self, keys: Keys, reason: str) -> None:
        names = self._refused.setdefault(f"{keys.channel} {reason}", [])
        if self.bones[keys.bone].name not in names:
            names.append(self.bones[keys.bone].name)

    def _compare(self, keys: Keys, wanted: dict[Any, Any], known: dict[Any, Any]) -> None:
        if keys.bone not in self.bones:
            # It was removed, which is refused.
            self.expected |= self.curves.keys()
            return
        path = self._path(self.bones[keys.bone], keys.channel)
        own = [self.curves.get((path, component)) for component in range(keys.values.shape[1])]
        self.expected |= {(path, component) for component in range(len(own))}
        read = [_points(curve) for curve in own if curve is not None]
        if len(read) != len(own) or any(not _same_frames(points, keys.frames) for points in read):
            self._refuse(keys, "keys were added, removed or moved in time")
            return
        if any(_is_bent(curve, keys.interpolation) for curve in own):
            self._refuse(keys, "keys have another interpolation, or their curves are muted, extrapolated or modified")
        values = np.stack([points[:, 1] for points in read], axis=1)
        changed = ~(np.abs(values - keys.values) <= _NEAR * np.maximum(np.abs(keys.values), 1)).all(axis=1)
        source = self.sources.get((self.index, keys.bone, keys.channel))
        if (changed & (keys.key_of < 0)).any():
            self._refuse(keys, "keys between those of the file were changed")
        curve = getattr(next(track for track in self.scene.clips[self.index].tracks if track.bone == keys.bone), keys.channel)
        rows = np.flatnonzero(changed & (keys.key_of >= 0))
        if len(rows) and source is None:
            self._refuse(keys, "is not stored as a value of its own for each frame")
            return
        if source is None:
            return
        converted = self._from_blender(keys, values)
        for row in np.flatnonzero(keys.key_of >= 0).tolist():
            key = int(keys.key_of[row])
            if key >= len(source.records):
                if changed[row]:
                    self._refuse(keys, "keys at the end are not in the file")
                continue
            place = (source.file, source.path(key))
            reads = _reads_key(self.index, keys.bone, keys.channel, key)
            if not changed[row]:
                known.setdefault(place, []).append((reads, np.asarray(curve.values[key], np.float64)))
                continue
            target = converted[row]
            if keys.channel == "rotation" and float(np.dot(target, curve.values[key])) < 0:
                target = -target
            wanted.setdefault(place, []).append((reads, target))

    def _path(self, bone: Any, channel: str) -> str:
        """Returns the path of a property of a bone. Blender renames the bones of the assigned action only; others have the former name."""
        names = [bone.name, bone[NAME]] if bone[NAME] in self.names else [bone[NAME], bone.name]
        paths = [path_of(name, channel) for name in names]
        return next((path for path in paths if (path, 0) in self.curves), paths[0])

    def _from_blender(self, keys: Keys, values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        basis = self.rig.basis(keys.bone)
        if keys.channel != "rotation":
            return getattr(basis, f"from_{keys.channel}")(values)  # type: ignore[no-any-return]
        turned = np.roll(np.asarray(values, np.float64), -1, axis=1)
        turned /= np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-30)
        return basis.from_rotation(turned)


def _own_name(name: str) -> str:
    """Returns the name of a file, which leads to no other folder: a .blend from elsewhere can state any."""
    if name in {"", ".", ".."} or PureWindowsPath(name).name != name:
        raise RefusedError([f"{name!r} is not the name of a file"])
    return name


def _points(curve: Any) -> npt.NDArray[np.float32]:
    points = np.empty(len(curve.keyframe_points) * 2, np.float32)
    curve.keyframe_points.foreach_get("co", points)
    return points.reshape(-1, 2)


def _is_bent(curve: Any, interpolation: str) -> bool:
    """Returns whether a curve has other values between its keys than the file."""
    kinds = np.empty(len(curve.keyframe_points), np.int32)
    curve.keyframe_points.foreach_get("interpolation", kinds)
    return bool((kinds != INTERPOLATION[interpolation]).any() or curve.mute or curve.modifiers or curve.extrapolation != "CONSTANT")


def _same_frames(points: npt.NDArray[Any], frames: npt.NDArray[Any]) -> bool:
    return len(points) == len(frames) and bool(np.allclose(points[:, 0], frames, rtol=1e-6, atol=1e-3))


def _reads_key(clip: int, bone: int, channel: str, key: int) -> Callable[[Any], npt.NDArray[np.float64]]:
    def read(scene: Any) -> npt.NDArray[np.float64]:
        track = next(own for own in scene.clips[clip].tracks if own.bone == bone)
        return np.asarray(getattr(track, channel).values[key], np.float64)

    return read


def _reads_all(reads: list[Callable[[Any], Any]]) -> Callable[[Any], npt.NDArray[np.float64]]:
    return lambda scene: np.concatenate([np.atleast_1d(read(scene)) for read in reads])
