# SPDX-License-Identifier: GPL-3.0-or-later
"""The export into the original: the files of an import with the changes that were made in Blender, and everything else as it was."""

from __future__ import annotations

from pathlib import PureWindowsPath
from typing import Any

import bindpose
import bpy
import numpy as np

from .actions import CLIP, channels_of, imported_actions
from .added_clips import CannotAddError, ClipFiles, clip_of
from .armatures import BONE, REST, bones_of, measure
from .bundle import IMPORT, Bundle
from .changed_bones import CannotChangeBonesError, ChangedBones, added_to, removed_from, unchanged
from .changed_keys import ChangedKeys
from .changed_materials import ChangedMaterials
from .changed_meshes import ChangedMesh
from .curves import CHANNELS, path_of
from .fingerprint import changed_faces, faces_of, name_of, new_actions, notes, pose_of, refusals, shading_of, shape_value_of
from .materials import imported_materials
from .meshes import KEYS, MESH, in_edit_mode
from .names import NAME, decoded, encoded, several, stored, without_prefix
from .report import Report, some
from .resized import with_curves, with_keys
from .rewritten import CannotRewriteError, rewritten
from .rig import Rig
from .shared_rigs import imported_as, is_shared, mark_of, shared_armature
from .solve import Edit, solve

class RefusedError(Exception):
    """Changes that the original files cannot represent."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("\n".join(reasons))
        self.reasons = reasons


def changed_files(collection: bpy.types.Collection, with_normals: bool = False) -> dict[str, bytes]:
    """Returns the bytes of `changed`."""
    return {name: file.encode() for name, file in changed(collection, with_normals).items()}


def changed(collection: bpy.types.Collection, with_normals: bool = False, report: Report | None = None) -> dict[str, Any]:
    """Returns the decoded files of an import by their names, with the changes that were made since.

    Normals are changed only on request: those of Blender follow the vertices. The report gets the changes that no file has.

    Raises `RefusedError` if something changed that they cannot represent.
    """
    bundle = Bundle.stored_in(collection)
    if bundle is None:
        raise RefusedError([f"collection {collection.name!r} has no original files; import them with the option to keep them"])
    edited = in_edit_mode(filter(None, [*collection.objects, shared_armature(collection)]))
    if edited:
        raise RefusedError([f"objects are in edit mode in another scene: {some(edited)}"])
    try:
        made = _Changes(bundle, collection, with_normals)
        files = made.files()
    except UnicodeEncodeError as error:
        raise RefusedError([f"the encoding of the files, {bundle.options.encoding}, does not have all characters of {error.object!r}"]) from error
    except bindpose.BindposeError as error:
        raise RefusedError([str(error)]) from error
    for line in (*notes(collection), *made.notes) if report else ():
        report.warn(line)
    return files


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
        self.imported = self.scene
        self.rig = Rig.of(self.scene, bundle.options.orientation)
        self.bones = unchanged({} if self.armature is None else bones_of(self.armature, self.mark))
        self.parts = (None, *range(len(self.clips)))
        """`None` for the model, and the number of each file of clips."""
        self._compared_keys: dict[int | None, list[ChangedKeys]] = {}
        self._compared_meshes: dict[int, ChangedMesh] = {}
        self.rewritten: set[int] = set()
        """The meshes whose lists are those of Blender already."""
        self.refused: list[str] = []
        self.notes: list[str] = []
        """Changes that are not written, and do not have to be."""

    def files(self) -> dict[str, Any]:
        """Returns the files by name."""
        if self.armature is not None and not self.is_shared:
            measure(self.armature, self.rig)
        self._change_bones()
        bones = self._renamed_bones()
        for part in self.parts:
            self._resize(part)
        self._rewrite_meshes()
        edits = self._changed_meshes()
        rewritten = [self.meshes[index] for index in self.rewritten]
        materials = ChangedMaterials(self.scene, list(self.meshes.values()), rewritten, self.key, self.bundle.options.encoding)
        edits += materials.edits()
        textures = materials.textures()
        self.refused += materials.refused
        added = self._new_actions()
        self.refused += refusals(self.collection, self._claimed(), set(added))
        of_clips = {part: self._edited_keys(part) for part in self.parts}
        actions = self._renamed_clips()
        removed = {part: self._removed_clips(part) for part in self.parts}
        if self.refused:
            raise RefusedError(self.refused)
        self.model = self._solved(self.model, edits + of_clips.pop(None))
        self.model = self._solved(self.model, self._changed_shape_keys())
        for part, own in of_clips.items():
            self.clips[part] = self._solved([*self.model, self.clips[part]], own)[-1]
        if self.refused:
            raise RefusedError(self.refused)
        self._remove_materials()
        new = self._add_clips(added)
        everything = [*self.model, *self.clips, *new.values()]
        for kind, names in (("bones", bones), ("materials", materials.names()), ("textures", textures)):
            self._rename(everything, kind, names)
        for part, names in actions.items():
            self._rename(self.model if part is None else [self.clips[part]], "clips", names)
        for part, names in removed.items():
            self._remove_clips(part, names)
        if self.refused:
            raise RefusedError(self.refused)
        names = [part.name for part in (*self.bundle.model, *self.bundle.clips)] + list(new)
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise RefusedError([f"several files from different folders have the name {some(twice)}"])
        return {_own_name(name): file for name, file in zip(names, [*self.model, *self.clips, *new.values()], strict=True)}

    def _rename(self, files: list[Any], kind: str, names: dict[str, str]) -> None:
        """Renames bones, materials, clips or textures by their former names."""
        try:
            bindpose.rename(*files, **{kind: names})
        except bindpose.BindposeError as error:
            self.refused.append(f"{kind} were renamed: {some(list(names.values()))}: {error}")

    def _new_actions(self) -> list[bpy.types.Action]:
        return [] if self.armature is None or self.is_shared else new_actions(self.collection)

    def _add_clips(self, actions: list[bpy.types.Action]) -> dict[str, Any]:
        """Adds the clips of new actions, and returns new files by their names."""
        if not actions:
            return {}
        files = ClipFiles(self.bundle, self.model, self.clips)
        for action in actions:
            try:
                clip, rate = clip_of(action, self.armature)
                files.add(self.bones.placed(clip), rate)
            except (CannotAddError, bindpose.BindposeError) as error:
                self.refused.append(f"actions were added: {action.name!r}: {error}")
        return files.new

    def _claimed(self) -> set[str]:
        """Returns the properties that other edits write, that an action animates, or that the file does not have."""
        claimed = {name_of(index) for index, mesh in enumerate(self.scene.meshes) if not mesh.name}
        claimed |= {key for index in self.rewritten for key in faces_of(index)} | self.bones.claimed
        if self.with_normals:
            claimed |= {shading_of(index) for index, mesh in enumerate(self.scene.meshes) if mesh.normals is not None}
        for part in self.parts:
            claimed |= self._poses_of_removed_clips(part)
        data = self.armature and self.armature.animation_data
        claimed |= self._animated_shape_keys()
        if self.is_shared or not data or not (data.action or data.nla_tracks):
            return claimed
        actions = [*(action for action in bpy.data.actions if action.get(IMPORT) == self.key), *self._new_actions()]
        animated = {curve.data_path for action in actions for curve in channels_of(action)}
        for index, bone in bones_of(self.armature).items():
            claimed |= {pose_of(index, own) for own in CHANNELS for name in (bone.name, bone[NAME]) if path_of(name, own) in animated}
        return claimed

    def _animated_shape_keys(self) -> set[str]:
        """Returns the values of shape keys that the action of an import moves."""
        claimed = set()
        for index, thing in self.meshes.items():
            keys = thing.data.shape_keys
            data = keys and keys.animation_data
            if data and (data.action or data.nla_tracks):
                own = [action for action in bpy.data.actions if action.get(IMPORT) == self.key and action.get(MESH) == index]
                animated = {curve.data_path for action in own for curve in channels_of(action)}
                paths = [f'key_blocks["{bpy.utils.escape_identifier(block.name)}"].value' for block in keys.key_blocks]
                claimed |= {shape_value_of(index, number) for number, path in enumerate(paths) if path in animated}
        return claimed

    def _solved(self, files: list[Any], edits: list[Edit]) -> list[Any]:
        if not edits:
            return files
        files, failed = solve(files, self.bundle.scene_of, edits)
        if failed:
            self.refused.append(f"the file cannot store the new values of {some(failed)}")
        return files

    def _change_bones(self) -> None:
        """Adds and removes the bones that were added to the armature, and removed from it."""
        own = self.scene.skeleton.bones
        if self.armature is None:
            if own:
                self.refused.append("the armature was removed")
            return
        removed = removed_from(self.armature, self.scene, self.mark)
        # Those of other models, or of the owner of a shared armature, are not in the files.
        added = [] if self.is_shared else added_to(self.armature)
        if not removed and not added:
            return
        changed = ChangedBones(self.bundle, self.armature, self.scene, self.model, self.clips)
        names = [decoded(own[index].name, self.bundle.options.encoding) for index in removed]
        if self.is_shared:
            self.refused.append(f"bones were removed: {some(names)}: the armature is that of another import")
            return
        try:
            changed.change(removed, added)
        except CannotChangeBonesError as error:
            reason = {"removed": some(names), "added": some([bone.name for bone in added])}
            self.refused += [f"bones were {what}: {items}: {error}" for what, items in reason.items() if items]
            return
        self.model, self.clips, self.scene, self.bones = changed.model, changed.clips, changed.scene, changed.bones
        self.rig = changed.rig()

    def _renamed_bones(self) -> dict[str, str]:
        own = self.scene.skeleton.bones
        names, moved, unclear = {}, [], []
        twice = several(bone.name for bone in own)
        for index, bone in self.bones.own.items():
            if index not in self.bones.former or index >= len(own):
                continue
            if self.is_shared:
                name, rest = imported_as(self.collection, index)
            else:
                name, rest = bone[NAME], np.array(bone[REST], np.float64).reshape(4, 4)
            if bone.name != name:
                names[stored(own[index].name)] = encoded(bone.name, self.bundle.options.encoding)
                unclear += [bone.name] if own[index].name in twice else []
            if np.abs(np.array(bone.matrix_local) - rest).max() > 1e-4 * max(float(np.abs(rest).max()), 1e-3):
                moved.append(bone.name)
        if unclear:
            self.refused.append(f"bones were renamed: {some(unclear)}: other bones have the same name in the files")
        if moved:
            self.refused.append(f"bones were moved in edit mode: {some(moved)}")
        return names

    def _rewrite_meshes(self) -> None:
        """Replaces the lists of meshes with other vertices, faces, weights or materials of faces, where the file allows it."""
        faces = set() if self.refused or self.is_shared else changed_faces(self.collection)
        for index, thing in self.meshes.items():
            if self.refused or self.is_shared or index >= len(self.scene.meshes):
                continue
            own = ChangedMesh(self.scene, thing, self.rig)
            self._compare(own)
            self._compared_meshes[index] = own
            place = next((source.file for source in self.scene.sources if source.mesh == index), None)
            if place is None or not (own.refused or index in faces):
                continue
            try:
                if not self.bones.is_in_order:
                    raise CannotRewriteError("new bones are between those of the file")
                materials = imported_materials(self.meshes.values(), self.key)
                self.model[place] = rewritten(self.bundle, self.model, self.scene, place, thing, self.armature, own.shape, materials)
                self.rewritten.add(index)
                self.scene = self._scene(None)
            except (CannotRewriteError, bindpose.BindposeError) as error:
                # Their changes are refused by name.
                self.refused.append(f"mesh {thing.name!r} is not written anew: {error}")

    def _remove_materials(self) -> None:
        """Removes the materials that meshes which were written anew have no longer."""
        left = imported_materials(self.meshes.values(), self.key).keys()
        former = {group.material for index in self.rewritten for group in self.imported.meshes[index].primitives} - {None}
        twice = several(material.name for material in self.imported.materials)
        for own in [self.imported.materials[index].name for index in sorted(former - left)]:
            name = stored(own)
            if own in twice:
                self.refused.append(f"the material {name!r} was removed: other materials have the same name in the files")
                continue
            try:
                bindpose.remove(*self.model, materials=[name])
            except bindpose.BindposeError as error:
                self.refused.append(f"the material {name!r} was removed: {error}")

    def _compare(self, own: ChangedMesh) -> None:
        """Compares the vertices, faces and weights of a mesh."""
        if self.armature is None:
            own.has_other_topology()
            return
        strange = own.strange_groups(self.bones.own)
        if strange:
            self.notes.append(f"mesh {own.thing.name!r}: weights of vertex groups without a bone of the files are not written: {some(strange)}")
        if not own.has_other_topology():
            own.refuse_other_weights(self.bones.own)

    def _changed_meshes(self) -> list[Edit]:
        edits: list[Edit] = []
        for index, mesh in enumerate(self.scene.meshes):
            if index not in self.meshes:
                self.refused.append(f"mesh {mesh.name!r} was removed")
                continue
            if index in self.rewritten:
                continue
            own = self._compared_meshes.get(index) if not self.rewritten else None
            if own is None:
                own = ChangedMesh(self.scene, self.meshes[index], self.rig)
                self._compare(own)
            if not own.is_other:
                edits += own.edits(self.with_normals)
                if not self.with_normals and own.has_other_normals():
                    self.notes.append(f"mesh {own.thing.name!r}: its normals stay as they are in the file; the option Normals writes those of Blender")
            self.refused += own.refused
        return edits

    def _changed_shape_keys(self) -> list[Edit]:
        """Returns the changed shape keys, whose displacements are relative to the vertices."""
        kept = [thing for index, thing in self.meshes.items() if index not in self.rewritten]
        shaped = [thing for thing in kept if thing.data.shape_keys or KEYS in thing]
        scene = self.bundle.scene_of(self.model) if shaped else self.scene
        edits: list[Edit] = []
        for thing in shaped:
            own = ChangedMesh(scene, thing, self.rig)
            edits += own.shape_keys()
            self.refused += own.refused
            self.notes += own.notes
        return edits

    def _resize(self, part: int | None) -> None:
        """Adds and removes keys of the clips of the model, or of a file of clips."""
        self._compared_keys[part] = self._changed_keys(part)
        new = [own for changed in self._compared_keys[part] for own in changed.new_curves()]
        if new:
            self._store(part, with_curves(self._files(part), self._scene(part), new))
            self._compared_keys[part] = self._changed_keys(part)
        wanted = [own for changed in self._compared_keys[part] for own in changed.wanted()]
        if not wanted:
            return
        self._compared_keys.clear()
        files, refused = with_keys(self._files(part), self._scene(part), wanted)
        self.refused += refused
        self._store(part, files)

    def _store(self, part: int | None, files: list[Any]) -> None:
        self.model = files[: len(self.model)]
        if part is None:
            self.scene = self._scene(None)
        else:
            self.clips[part] = files[-1]

    def _files(self, part: int | None) -> list[Any]:
        return self.model if part is None else [*self.model, self.clips[part]]

    def _scene(self, part: int | None) -> Any:
        return self.bundle.scene_of(self._files(part))

    def _edited_keys(self, part: int | None) -> list[Edit]:
        """Returns the changed keys of the clips of the model, or of a file of clips."""
        edits: list[Edit] = []
        known = self._compared_keys.get(part)
        for changed in self._changed_keys(part) if known is None or self.rewritten else known:
            edits += changed.edits()
            self.refused += changed.refused
        return edits

    def _changed_keys(self, part: int | None) -> list[ChangedKeys]:
        """Returns the keys of the clips of the model, or of a file of clips, that have an action."""
        scene, rig = self.scene, self.rig
        if part is not None:
            scene = self._scene(part)
            rig = self.rig.for_clip(self.scene, scene)
        actions, bake = self._actions(part), self.bundle.options.bake
        own = [index for index in self._imported(part, scene) if index in actions]
        return [ChangedKeys(actions[index], index, scene, rig, self.bones, bake) for index in own]

    def _imported(self, part: int | None, scene: Any) -> list[int]:
        """Returns the clips of the model, or of a file of clips, that had an action for the bones."""
        number = -1 if part is None else part
        own = self._clips_of(part, scene) if self.armature is not None else {}
        return [index for index, clip in own.items() if clip.tracks and (number, index) not in self.bundle.left_out]

    def _clips_of(self, part: int | None, scene: Any) -> dict[int, Any]:
        """Returns the clips of the model, or of a file of clips, by their index in its scene."""
        first = 0 if part is None else len(self.scene.clips)
        return dict(enumerate(scene.clips[first:], first))

    def _removed_clips(self, part: int | None) -> list[str]:
        """Returns the names of the clips whose action was removed."""
        scene, actions = self.scene if part is None else self._scene(part), self._actions(part)
        own = self._clips_of(part, scene)
        gone = [index for index in self._imported(part, scene) if index not in actions]
        left = {clip.name for index, clip in own.items() if index not in gone}
        unclear = {own[index].name for index in gone} & left
        if unclear:
            self.refused.append(f"actions of clips were removed: other clips have the same name in the files: {some(sorted(unclear))}")
        return list(dict.fromkeys(stored(own[index].name) for index in gone))

    def _poses_of_removed_clips(self, part: int | None) -> set[str]:
        """Returns the poses of bones that are left of clips whose action was removed."""
        scene, actions = self.scene if part is None else self._scene(part), self._actions(part)
        own = [scene.clips[index] for index in self._imported(part, scene) if index not in actions]
        tracks = [track for clip in own for track in clip.tracks if track.bone in self.bones.former]
        return {pose_of(self.bones.former[track.bone], channel) for track in tracks for channel in CHANNELS if getattr(track, channel)}

    def _remove_clips(self, part: int | None, names: list[str]) -> None:
        """Removes clips from the files, one by one to say which of them cannot be."""
        files = self.model if part is None else [self.clips[part]]
        for name in names:
            try:
                if not any(own.kind == "clip" for file in files for own in bindpose.names(file)):
                    raise RefusedError(["the file is one animation without a name"])
                bindpose.remove(*files, clips=[name])
            except (bindpose.BindposeError, RefusedError) as error:
                self.refused.append(f"the action of clip {name!r} was removed: {error}")

    def _actions(self, part: int | None) -> dict[int, bpy.types.Action]:
        """Returns the actions of the bones by the index of their clip."""
        own = [action for action in imported_actions(self.key) if MESH not in action]
        return {int(action[CLIP][1]): action for action in own if action[CLIP][0] == (-1 if part is None else part)}

    def _renamed_clips(self) -> dict[int | None, dict[str, str]]:
        renamed: dict[int | None, dict[str, str]] = {}
        for part in self.parts:
            scene = self.scene if part is None else self.bundle.scene_of([*self.model, self.clips[part]])
            twice = several(clip.name for clip in self._clips_of(part, scene).values())
            for index, action in self._actions(part).items():
                if action.name != action[NAME]:
                    old = stored(scene.clips[index].name)
                    if scene.clips[index].name in twice:
                        self.refused.append(f"clips were renamed: {action.name!r}: other clips have the same name in the files")
                    renamed.setdefault(part, {})[old] = encoded(without_prefix(action), self.bundle.options.encoding)
        return renamed


def _own_name(name: str) -> str:
    """Returns the name of a file, which leads to no other folder: a .blend from elsewhere can state any."""
    if name in {"", ".", ".."} or PureWindowsPath(name).name != name:
        raise RefusedError([f"{name!r} is not the name of a file"])
    return name
