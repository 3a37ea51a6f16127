# SPDX-License-Identifier: GPL-3.0-or-later
"""The import of all models in a folder, each into a collection of its own."""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty

from .bundle import Part, read
from .importer import EXTENSIONS, Choices, ImportProperties, import_files
from .names import matcher, shown
from .preferences import Options, use_defaults
from .registration import registration
from .report import Report, some

_BY_NUMBER = {"cal3d", "max"}
"""The families whose meshes and animations have the numbers of bones, not their names."""
_FAMILY = {"psa": "psk"}


def sets_of(parts: list[Part]) -> tuple[list[list[Part]], list[Part]]:
    """Sorts the files of a folder into models with their skeletons, animations and materials, and files that belong to none."""
    families: dict[str, list[Part]] = {}
    for part in parts:
        own = part.format.split(":")[0].split("-")[0]
        families.setdefault(_FAMILY.get(own, own), []).append(part)
    found: list[list[Part]] = []
    alone: list[Part] = []
    for family, own in families.items():
        sets, rest = _sets_of_family(own, family in _BY_NUMBER)
        found += sets
        alone += rest
    return found, alone


def _sets_of_family(parts: list[Part], by_number: bool) -> tuple[list[list[Part]], list[Part]]:
    sets = [[part] for part in parts if part.is_skeleton]
    skeletons = list(sets)
    for part in parts:
        if part.scene.meshes:
            # A mesh with another skeleton has a set of its own.
            own = _best(part, skeletons, by_number)
            if own is None:
                sets.append([part])
            else:
                own.append(part)
    models = list(sets)
    alone = []
    for part in parts:
        if part.is_skeleton or part.scene.meshes:
            continue
        own = _best(part, models, by_number or not part.is_clip)
        if own is not None:
            own.append(part)
        elif part.is_clip:
            own = next((other for other in sets if other[0].is_clip and _bones(other[0]) == _bones(part)), None)
            if own is None:
                sets.append([part])
            else:
                own.append(part)
        else:
            alone.append(part)
    return sets, alone


def _best(part: Part, sets: list[list[Part]], by_number: bool) -> list[Part] | None:
    """Returns the set that a file belongs to, whose first file has the bones."""
    if by_number and len(sets) == 1:
        return sets[0]
    fits = [(0 if by_number else len(_bones(part) & _bones(own[0])), _shared_start(part.stem, own[0].stem)) for own in sets]
    best = max(range(len(sets)), key=lambda index: fits[index], default=None)
    return None if best is None or not fits[best][1 if by_number else 0] else sets[best]


def _bones(part: Part) -> set[str]:
    return {bone.name.lower() for bone in part.scene.skeleton.bones}


def _shared_start(a: str, b: str) -> int:
    return len(os.path.commonprefix([a.lower(), b.lower()]))


def import_folder(folder: Path, subfolders: bool, options: Options, report: Report, choices: Choices) -> list[bpy.types.Collection]:
    """Imports all models of a folder. The collections of each folder are in one with its name."""
    made: list[bpy.types.Collection] = []
    failed = Report(report.title)
    for directory in _folders(folder) if subfolders else [folder]:
        paths = sorted(path for path in directory.iterdir() if path.suffix.lower() in EXTENSIONS and path.is_file())
        parts = [part for part in (read(path, options, failed) for path in paths) if part is not None]
        sets, alone = sets_of([part for part in parts if part.scene.meshes or part.is_skeleton or part.is_clip or part.scene.materials])
        if alone:
            report.warn(f"{directory.name}: files that belong to no model were skipped: {some([part.name for part in alone])}")
        own: list[bpy.types.Collection] = []
        for files in sets:
            # Actions that exist have the frame rate of the first clip.
            rate = options.set_rate and not made and not own
            own += import_files([directory / part.name for part in files], replace(options, set_rate=rate), report, None, choices)
        if own:
            _gather(own, shown(directory.name))
        made += own
    for line in failed.lines:
        report.warn(line)
    return made


def _folders(folder: Path) -> Iterator[Path]:
    # Links to folders are not followed.
    for directory, names, _files in os.walk(folder):
        names[:] = sorted(name for name in names if not name.startswith("."))
        yield Path(directory)


def _gather(collections: list[bpy.types.Collection], name: str) -> None:
    """Moves collections of the scene into a new one."""
    above = bpy.data.collections.new(name)
    root = bpy.context.scene.collection
    root.children.link(above)
    for own in collections:
        root.children.unlink(own)
        above.children.link(own)


class ImportFolder(ImportProperties, bpy.types.Operator):
    """Import all models in a folder with their animations, each into a collection of its own"""

    bl_idname = "import_scene.bindpose_folder"
    bl_label = "Import Folder"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    filter_folder: BoolProperty(default=True, options={"HIDDEN"})  # type: ignore[valid-type]
    filter_glob: StringProperty(default=";".join(f"*{own}" for own in EXTENSIONS), options={"HIDDEN"})  # type: ignore[valid-type]
    subfolders: BoolProperty(name="Subfolders", description="Import the models in the folders below, too", default=False)  # type: ignore[valid-type]

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Asks for the folder."""
        use_defaults(self, context)
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def draw(self, _context: bpy.types.Context) -> None:
        """Draws the options."""
        self.draw_options(self.layout)
        for name in ("subfolders", "clips", "prefix"):
            self.layout.prop(self, name)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Imports the models."""
        report, folder, start = Report("Bindpose import"), Path(bpy.path.abspath(self.directory)), time.perf_counter()
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        made: list[bpy.types.Collection] = []
        if not self.directory:
            self.report({"ERROR"}, "no folder is selected")
            return {"CANCELLED"}
        try:
            choices = Choices(matcher(self.clips), self.prefix, onto="NEW")
            made = import_folder(folder, self.subfolders, self.chosen(), report, choices)
        except OSError as error:
            report.error(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        except ValueError as error:
            report.error(str(error))
        if not made and not report.errors:
            report.error(f"{folder}: the folder contains no models or animations")
        objects = sum(len(collection.objects) for collection in made)
        seconds = time.perf_counter() - start
        report.show(self, f"{len(made)} models with {objects} objects in {seconds:.2f} s" if made else "")
        return {"FINISHED"} if made else {"CANCELLED"}


def _menu(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    self.layout.operator(ImportFolder.bl_idname, text="Folder of Skeletal Models")


register, unregister = registration((ImportFolder,), bpy.types.TOPBAR_MT_file_import, _menu)
