# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that an import belongs to: a model and its animations. Their bytes are kept in the .blend."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bindpose
import bpy

from .names import shown
from .preferences import Options
from .report import Report

IMPORT = "bindpose_import"
"""The custom property of a collection and its actions that distinguishes imports."""

_KEY = "bindpose"


@dataclass
class Part:
    """A file."""

    name: str
    """The name without the folder."""
    format: str
    """The format with its dialect."""
    data: bytes
    scene: Any = field(default=None, repr=False)
    """The scene of the file alone, while it is imported."""

    @property
    def stem(self) -> str:
        """The name without its extension, and without the format that it may state before that."""
        return re.sub(rf"\.{re.escape(self.format.split(':')[0])}(\+[^.]*)?$", "", shown(Path(self.name).stem))

    def file(self) -> Any:
        """Decodes the file."""
        return bindpose.decode(self.data, format=self.format, name=self.stem)

    @property
    def is_clip(self) -> bool:
        """Whether the file has animations and no mesh."""
        return bool(self.scene.clips) and not self.scene.meshes

    @property
    def is_config(self) -> bool:
        """Whether the file states which tracks of animations are used."""
        return self.format.split(":")[0] == "psa-config"

    @property
    def is_skeleton(self) -> bool:
        """Whether the file has bones and nothing else."""
        return bool(self.scene.skeleton.bones) and not self.scene.clips and not self.scene.meshes


def read(path: Path, options: Options, report: Report) -> Part | None:
    """Reads a file; what is wrong with it becomes a message."""
    try:
        file = bindpose.open(path, format=format_of(path, options))
    except bindpose.BindposeError as error:
        reason = error.message if error.kind in {"unknown-format", "foreign", "empty"} else str(error).removeprefix(shown(f"{path}: "))
        report.error(f"{path.name}: {reason}")
        return None
    except OSError as error:
        report.error(f"{path.name}: {error.strerror or error}")
        return None
    if file.damage is not None:
        report.warn(f"{path.name}: the file is damaged; imported up to {file.damage}")
    own = f"{file.format}:{file.dialect}" if file.dialect else file.format
    return Part(path.name, own, path.read_bytes(), bindpose.scene(file, **options.settings()))


_MAX_STREAMS = {".skel": "max-skeleton", ".mesh": "max-mesh", ".anim": "max-animation"}


def format_of(path: Path, options: Options) -> str | None:
    """Returns the format of a file that its name and content do not determine, with the dialect that fits it best."""
    if not options.max_streams or bindpose.roundtrip(path).verdict != "unknown-format":
        return None
    name = _MAX_STREAMS.get(path.suffix.lower())
    return name and f"{name}:{bindpose.propose(path, format=name).dialect}"


@dataclass
class Bundle:
    """A model, and files of animations."""

    options: Options
    model: list[Part]
    clips: list[Part] = field(default_factory=list)
    left_out: list[tuple[int, int]] = field(default_factory=list)
    """The clips that were not imported: the index of the file, -1 for the model, and that of the clip."""

    @property
    def name(self) -> str:
        """The name of the model: that of the first file with a mesh."""
        meshes = [part for part in self.model if part.scene is not None and part.scene.meshes]
        return (meshes or self.model)[0].stem

    def scene(self, clip: int | None = None) -> Any:
        """Returns the scene of the model, or of the model with one of the files of animations."""
        return self.scene_of([part.file() for part in self.parts(clip)])

    def scene_of(self, files: list[Any]) -> Any:
        """Returns the scene of decoded files."""
        return bindpose.scene(*files, **self.options.settings()).move_bind_scale()

    def parts(self, clip: int | None = None) -> list[Part]:
        """Returns the files of a scene."""
        return self.model if clip is None else [*self.model, self.clips[clip]]

    def store(self, collection: bpy.types.Collection) -> None:
        """Keeps the files in a collection."""
        collection[IMPORT] = collection.get(IMPORT) or uuid.uuid4().hex
        collection[_KEY] = {
            "options": self.options.as_dict(),
            "model": {str(index): _stored(part) for index, part in enumerate(self.model)},
            "clips": {str(index): _stored(part) for index, part in enumerate(self.clips)},
            "left_out": [number for pair in self.left_out for number in pair],
        }

    @classmethod
    def stored_in(cls, collection: bpy.types.Collection) -> Bundle | None:
        """Returns the files of an imported collection; `None` if there are none."""
        own = collection.get(_KEY)
        if own is None:
            return None
        options = Options(**{name: own["options"][name] for name in Options.__dataclass_fields__})
        options = Options(**{name: type(value)(getattr(options, name)) for name, value in Options().as_dict().items()})
        left_out = [int(number) for number in own.get("left_out", ())]
        pairs = list(zip(left_out[::2], left_out[1::2], strict=True))
        return cls(options, _parts(own.get("model")), _parts(own.get("clips")), pairs)


def _stored(part: Part) -> dict[str, Any]:
    return {"name": part.name, "format": part.format, "data": part.data}


def _parts(group: Any) -> list[Part]:
    own = [] if group is None else [group[str(index)] for index in range(len(group.keys()))]
    return [Part(part["name"], part["format"], bytes(part["data"])) for part in own]


def collection_of(thing: bpy.types.Object | None) -> bpy.types.Collection | None:
    """Returns the imported collection of an object."""
    own = [] if thing is None else thing.users_collection
    return next((collection for collection in own if _KEY in collection), None)


def bundles(parts: list[Part], options: Options) -> list[Bundle]:
    """Sorts files into models with their animations."""
    clips = [part for part in parts if part.is_clip]
    models = [part for part in parts if part.scene.meshes]
    others = [part for part in parts if not part.is_clip and not part.scene.meshes]
    if not models and not any(part.is_skeleton for part in others):
        # The first animation is the skeleton of all.
        return [Bundle(options, [*others, clips[0]], clips[1:])] if clips else [Bundle(options, [part]) for part in others]
    if len(models) <= 1 or any(part.is_skeleton for part in others):
        return [Bundle(options, [*models, *others], clips)]
    found = [Bundle(options, [part, *others]) for part in models]
    for clip in clips:
        names = _bone_names(clip)
        max(found, key=lambda own: len(names & _bone_names(own.model[0]))).clips.append(clip)
    return found


def _bone_names(part: Part) -> set[str]:
    return {bone.name.lower() for bone in part.scene.skeleton.bones}
