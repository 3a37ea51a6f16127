# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that were added or removed since an import: those of the files follow, where the format allows it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import bindpose
import bpy
import numpy as np

from .armatures import ADDED_BONE, BONE, REST, TURN, bones_of
from .bundle import Bundle
from .fingerprint import has_settings, parent_of
from .names import decoded, encoded, stored
from .new_rigs import NewRig
from .report import some
from .rig import Rig
from .splices import authored_files, form_of

_NEAR = 1e-4
"""The difference of a bind pose that is the same, relative to the size of the skeleton."""


class CannotChangeBonesError(Exception):
    """Bones that the files cannot have, or cannot lack."""


@dataclass
class Bones:
    """The bones of an armature by their index in the scene of the files."""

    own: dict[int, bpy.types.Bone]
    former: dict[int, int]
    """The index at the import of each bone that has one."""
    has_removed: bool = False
    """Whether actions can have curves of bones that are no longer there."""
    below_removed: set[int] = field(default_factory=set)
    """The bones whose parent was removed."""
    order: list[int] | None = None
    """The place in the scene of each bone in the order of new files, if it is another one."""

    @property
    def claimed(self) -> set[str]:
        """The properties that follow from the removed bones."""
        return {parent_of(self.former[index]) for index in self.below_removed}

    @property
    def is_in_order(self) -> bool:
        """Whether the bones have the order of new files."""
        return self.order is None or self.order == sorted(self.order)

    def put(self, order: list[int]) -> None:
        """Moves each bone to another place in the scene."""
        self.own = {order[index]: bone for index, bone in self.own.items()}
        self.former = {order[index]: former for index, former in self.former.items()}
        self.below_removed = {order[index] for index in self.below_removed}
        self.order = order

    def placed(self, clip: Any) -> Any:
        """Returns a clip of the bones in the order of new files as one of the scene."""
        if self.order is None:
            return clip
        tracks = [track._replace(bone=self.order[track.bone]) for track in clip.tracks]
        return bindpose.Clip(clip.name, tracks, clip.morphs, has_root_motion=clip.has_root_motion)


def unchanged(found: dict[int, bpy.types.Bone]) -> Bones:
    """Returns the bones of an armature that has those of the files."""
    return Bones(found, {index: index for index in found})


def removed_from(armature: bpy.types.Object, scene: Any, mark: str) -> list[int]:
    """Returns the bones of a scene that an armature does not have."""
    found = bones_of(armature, mark)
    return [index for index in range(len(scene.skeleton.bones)) if index not in found]


def added_to(armature: bpy.types.Object) -> list[bpy.types.Bone]:
    """Returns the bones of an armature that are not from the import of its files or of others, in the order of new files."""
    own = set(bones_of(armature).values())
    return [bone for bone in NewRig.of(armature, 0).bones if bone not in own and ADDED_BONE not in bone]


class ChangedBones:
    """Changes the files of an import to the bones that its armature has."""

    def __init__(self, bundle: Bundle, armature: bpy.types.Object, scene: Any, model: list[Any], clips: list[Any]) -> None:
        self.bundle, self.armature, self.former = bundle, armature, scene
        self.model, self.clips = model, clips
        self.scene = scene
        found = bones_of(armature)
        self._kept = sorted(found)
        self._all = [*(found[index] for index in self._kept), *added_to(armature)]
        self.bones = Bones(dict(enumerate(self._all)), dict(enumerate(self._kept)))

    def change(self, removed: list[int], added: list[bpy.types.Bone]) -> None:
        """Removes bones from all files, and adds others to the file of the skeleton.

        Raises:
            CannotChangeBonesError: if the files cannot have them or need them, or have the bones below them elsewhere than Blender.
        """
        if removed:
            self._remove(removed)
        if added:
            self._add(added)

    def _remove(self, removed: list[int]) -> None:
        # Bones before their parents, whose keys are in the space of these.
        parents = self.former.skeleton.parents
        for index in sorted(removed, key=lambda own: -_depth(parents, own)):
            files = [file.copy() for file in (*self.model, *self.clips)]
            try:
                bindpose.remove(*files, bones=[stored(self.former.skeleton.bones[index].name)])
            except bindpose.BindposeError as error:
                raise CannotChangeBonesError(str(error)) from error
            self.model, self.clips = files[: len(self.model)], files[len(self.model) :]
        self.scene = self.bundle.scene_of(self.model)
        self._check_kept(self._kept)
        self.bones.has_removed = True
        self.bones.below_removed = {index for index, former in self.bones.former.items() if int(parents[former]) in removed}

    def _add(self, added: list[bpy.types.Bone]) -> None:
        """Adds bones after those that the files have."""
        odd = [bone.name for bone in added if has_settings(bone, self.armature)]
        if odd:
            raise CannotChangeBonesError(f"they have constraints, settings or a pose that no action has: {some(odd)}")
        places = [place for place, file in enumerate(self.model) if file.format in _APPENDS]
        if len(places) != 1 or self.model[places[0]].dialect == "xml":
            forms = " and ".join(dict.fromkeys(form_of(file) for file in self.model))
            raise CannotChangeBonesError(f"{forms} files keep theirs")
        (place,) = places
        file, before = self.model[place], self.scene
        made = NewRig.of(self.armature, 0).skeleton()[len(self._kept) : len(self._all)]
        if any(own.parent is not None and own.parent >= len(self._all) for own in made):
            raise CannotChangeBonesError("they are below bones of other models")
        new = [own._replace(name=encoded(bone.name, self.bundle.options.encoding)) for own, bone in zip(made, added, strict=True)]
        twice = {own.name for own in new} & {own.name for own in before.skeleton.bones}
        if twice:
            raise CannotChangeBonesError(f"the files have bones of these names: {some(sorted(twice))}")
        wanted = before.replace(skeleton=[*before.skeleton.bones, *new], clips=[])
        for changed in self._with_new(file, wanted, len(before.skeleton.bones)):
            model = [*self.model[:place], changed, *self.model[place + 1 :]]
            scene = self.bundle.scene_of(model)
            order = _order(scene, wanted)
            if order is not None:
                self.model, self.scene = model, scene
                self.bones.put(order)
                return
        raise CannotChangeBonesError("the file would show them elsewhere")

    def _with_new(self, file: Any, wanted: Any, first: int) -> Iterator[Any]:
        """Yields files with the bones of a scene from a number on, with the axes that a file can have."""
        try:
            for authored, _ in authored_files(self.bundle, wanted, file):
                changed = file.copy()
                _APPENDS[file.format](changed, authored, wanted.skeleton.bones, first)
                yield changed
        except (bindpose.BindposeError, KeyError) as error:
            raise CannotChangeBonesError(str(error)) from error

    def rig(self) -> Rig:
        """Returns the bones with the rest pose and the axes that Blender has."""
        found = Rig.of(self.scene, self.bundle.options.orientation)
        for index, bone in self.bones.own.items():
            found.turns[index] = np.array(bone.get(TURN, np.eye(4).reshape(-1)), np.float64).reshape(4, 4)
        found.measure({index: _rest(bone) for index, bone in self.bones.own.items()})
        return found

    def _check_kept(self, kept: list[int]) -> None:
        """Compares the bones that are left with those of Blender."""
        bones, former = self.scene.skeleton.bones, self.former.skeleton.bones
        if [bone.name for bone in bones] != [former[index].name for index in kept]:
            raise CannotChangeBonesError("other bones have the same name, or the files have other ones")
        number = {bone.name: place for place, bone in enumerate(self._all)}
        above = [None if bone.parent is None else number[bone.parent.name] for bone in self._all[: len(kept)]]
        gone = set(range(len(former))) - set(kept)
        moved = [
            decoded(bone.name, self.bundle.options.encoding)
            for bone, index, parent in zip(bones, kept, above, strict=True)
            if bone.parent != parent and former[index].parent in gone
        ]
        if moved:
            raise CannotChangeBonesError(f"bones below them have another parent in the files: {some(moved)}")
        before = np.asarray(self.former.skeleton.bind_pose.model, np.float64)[kept]
        if not _is_near(np.asarray(self.scene.skeleton.bind_pose.model, np.float64), before):
            raise CannotChangeBonesError("bones below them would be elsewhere")


def _rest(bone: bpy.types.Bone) -> Any:
    return np.array(bone[REST] if BONE in bone and REST in bone else bone.matrix_local, np.float64).reshape(4, 4)


def _depth(parents: Any, bone: int) -> int:
    depth = 0
    while (bone := int(parents[bone])) >= 0:
        depth += 1
    return depth


def _order(scene: Any, wanted: Any) -> list[int] | None:
    """Returns the place of each bone of a scene in another one; `None` if these are other bones."""
    places = {bone.name: place for place, bone in enumerate(scene.skeleton.bones)}
    names = [bone.name for bone in wanted.skeleton.bones]
    if len(places) != len(names) or len(scene.skeleton.bones) != len(names) or places.keys() != set(names):
        return None
    order = [places[name] for name in names]
    for bone, place in zip(wanted.skeleton.bones, order, strict=True):
        if scene.skeleton.bones[place].parent != (None if bone.parent is None else order[bone.parent]):
            return None
    poses = [np.asarray(own.skeleton.bind_pose.model, np.float64) for own in (scene, wanted)]
    return order if _is_near(poses[0][order], poses[1]) else None


def _is_near(matrices: Any, others: Any) -> bool:
    if matrices.shape != others.shape:
        return False
    size = max(float(np.abs(others[:, :3, 3]).max(initial=0.0)), 1e-6)
    apart = np.abs(matrices - others)
    return bool(apart[:, :3, 3].max(initial=0.0) <= _NEAR * size and apart[:, :3, :3].max(initial=0.0) <= _NEAR)


def _copy(file: Any, path: str, authored: Any, other: str, name: str) -> str:
    """Appends the element of a list of another file that has a name, and returns its path."""
    source = next((f"{other}[{place}]" for place, own in enumerate(authored[other]) if own["name"] == name), None)
    if source is None:
        raise CannotChangeBonesError(f"the format cannot have the name {name!r}")
    made = str(file.append(path))
    values = ((own[len(source) :], value) for own, value in authored.get_all(source))
    file.update({made + own: value for own, value in values if not own.startswith(_FOLLOWING)})
    return made


_FOLLOWING = (".len_", ".num_", ".child_ids")
"""The starts of fields of a bone that follow from others, or from the bones below it."""


def _by_names(file: Any, authored: Any, bones: list[Any], first: int) -> None:
    path = "joints" if file.format == "ms3d" else "bones"
    for bone in bones[first:]:
        _copy(file, path, authored, path, bone.name)


def _psk(file: Any, authored: Any, bones: list[Any], first: int) -> None:
    path, other = (next((f"{chunk.path}.records" for chunk in own["chunks"] if chunk["id"].startswith("REFSKEL")), None) for own in (file, authored))
    if path is None or other is None:
        raise CannotChangeBonesError("the file has no skeleton")
    for bone in bones[first:]:
        if bone.parent is None:
            raise CannotChangeBonesError("PSK files have one root")
        made = _copy(file, path, authored, other, bone.name)
        file[f"{made}.parent_index"] = bone.parent
        file[f"{path}[{bone.parent}].num_children"] += 1


def _cal3d(file: Any, authored: Any, bones: list[Any], first: int) -> None:
    for index, bone in enumerate(bones[first:], first):
        made = _copy(file, "bones", authored, "bones", bone.name)
        if bone.parent is not None:
            file[f"{made}.parent_id"] = bone.parent
            file[file.append(f"bones[{bone.parent}].child_ids")] = index


def _unigine(file: Any, authored: Any, bones: list[Any], first: int) -> None:
    names = [own["name"] for own in authored["bones"]]
    for index, bone in enumerate(bones[first:], first):
        made = _copy(file, "bones", authored, "bones", bone.name)
        file[f"{made}.parent"] = -1 if bone.parent is None else bone.parent
        source = f"transforms[{names.index(bone.name)}]"
        file.update({f"transforms[{index}]{own[len(source) :]}": value for own, value in authored.get_all(source)})


def _x(file: Any, authored: Any, bones: list[Any], first: int) -> None:
    def frame(bone: Any | None) -> str:
        above = None if bone is None else bone.parent
        return "" if bone is None else ".".join(filter(None, [frame(None if above is None else bones[above]), f"Frame[{json.dumps(bone.name)}]"]))

    for bone in bones[first:]:
        matrix = authored.get_all(f"{frame(bone)}.FrameTransformMatrix[0].frameMatrix")
        numbers = ",".join(str(np.float32(value)) for _, value in matrix)
        above = None if bone.parent is None else bones[bone.parent]
        file.append(frame(above), f"Frame {bone.name} {{\n FrameTransformMatrix {{\n {numbers};;\n }}\n}}")


_APPENDS: dict[str, Callable[[Any, Any, list[Any], int], None]] = {
    "ms3d": _by_names,
    "psk": _psk,
    "cal3d-skeleton": _cal3d,
    "unigine-mesh": _unigine,
    "x": _x,
    "max-skeleton": _by_names,
}
"""What appends bones of another file to one, by format: those of a scene from a number on."""
