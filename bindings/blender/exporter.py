# SPDX-License-Identifier: GPL-3.0-or-later
"""The export: into the original files, and as new files."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import bindpose
import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from .bundle import collection_of
from .new_clips import SOURCES
from .new_scene import NewScene
from .original import RefusedError, changed
from .preferences import SpaceProperties
from .registration import registration
from .report import Report

FORMATS = [own for own in bindpose.formats() if own.writable]


def export_original(
    collection: bpy.types.Collection, folder: Path, only_changed: bool, with_normals: bool = False, report: Report | None = None
) -> list[Path]:
    """Writes the files of an import to a folder, all or none, and returns their paths."""
    files = {folder / name: file for name, file in changed(collection, with_normals, report).items()}
    if only_changed:
        files = {path: file for path, file in files.items() if not path.is_file() or path.read_bytes() != file.encode()}
    bindpose.save_set(files)
    return list(files)


class ExportOriginal(bpy.types.Operator):
    """Write the changes of an imported model into its files; everything else in them stays as it is"""

    bl_idname = "export_scene.bindpose_original"
    bl_label = "Export into the Original"
    bl_options = {"REGISTER"}

    directory: StringProperty(subtype="DIR_PATH", name="Folder", description="Folder of the files; existing files are replaced")  # type: ignore[valid-type]
    filter_folder: BoolProperty(default=True, options={"HIDDEN"})  # type: ignore[valid-type]
    only_changed: BoolProperty(  # type: ignore[valid-type]
        name="Only changed files", description="Leave files alone whose contents would be the same", default=True
    )
    with_normals: BoolProperty(  # type: ignore[valid-type]
        name="Normals", description="Also write the normals that Blender has, which follow moved vertices", default=False
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Returns whether the active object was imported with its files."""
        cls.poll_message_set("the active object was not imported with the option to keep its files")
        return collection_of(context.active_object) is not None

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Asks for the folder."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Writes the files."""
        collection = collection_of(context.active_object)
        if not self.directory:
            self.report({"ERROR"}, "no folder is selected")
            return {"CANCELLED"}
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        folder = Path(self.directory)
        return _run(self, lambda report: export_original(collection, folder, self.only_changed, self.with_normals, report))


def _run(operator: bpy.types.Operator, write: Callable[[Report], list[Path]]) -> set[str]:
    """Writes files, and reports what was written or why nothing was."""
    report = Report("Bindpose export")
    written: list[Path] = []
    try:
        written = write(report)
    except RefusedError as error:
        for reason in error.reasons:
            report.error(reason)
        report.error("nothing was written; undo these changes, or export new files")
    except ValueError as error:
        notes = "; ".join(getattr(error, "__notes__", []))
        report.error(f"nothing was written: {error}" + (f"; {notes}" if notes else ""))
    except OSError as error:
        report.error(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    names = ", ".join(path.name for path in written)
    report.show(operator, "" if report.errors else f"wrote {names}" if written else "no file changed")
    return {"CANCELLED"} if report.errors else {"FINISHED"}


class ExportBindpose(SpaceProperties, bpy.types.Operator, ExportHelper):
    """Export the scene or the selected objects as new files"""

    bl_idname = "export_scene.bindpose"
    bl_label = "Export Skeletal Model"
    bl_options = {"REGISTER", "PRESET"}

    filename_ext = ""
    check_extension = None
    format: EnumProperty(  # type: ignore[valid-type]
        name="Format",
        description="Format of the file",
        items=[("AUTO", "By extension", "The extension determines the format"), *((own.name, own.title, own.name) for own in FORMATS)],
        default="AUTO",
    )
    use_selection: BoolProperty(name="Selected objects", description="Export the selected objects only", default=False)  # type: ignore[valid-type]
    collection: StringProperty(  # type: ignore[valid-type]
        name="Collection", description="Export the objects of this collection and of those in it only", options={"HIDDEN", "SKIP_SAVE"}
    )
    max_influences: IntProperty(  # type: ignore[valid-type]
        name="Influences", description="The most bones that move a vertex; 0 for the limit of the format", default=0, min=0
    )
    animations: BoolProperty(name="Animations", description="Export clips of armatures and shape keys", default=True)  # type: ignore[valid-type]
    clips: EnumProperty(name="Clips", description="What becomes a clip", items=SOURCES, default="ACTIONS")  # type: ignore[valid-type]
    every_frame: BoolProperty(  # type: ignore[valid-type]
        name="Key every frame",
        description="Write a key at each frame, even where those of the action are enough",
        default=False,
    )
    tangents: BoolProperty(name="Tangents", description="Compute tangents if the format stores them", default=False)  # type: ignore[valid-type]
    companions: BoolProperty(  # type: ignore[valid-type]
        name="All files of the family",
        description="Also write the files beside the mesh that the format needs: animations, skeleton and materials",
        default=True,
    )

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """Writes the files."""
        return _run(self, self._write)

    def _objects(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        things = list(context.selected_objects if self.use_selection else context.scene.objects)
        if not self.collection:
            return things
        if self.collection not in bpy.data.collections:
            raise ValueError(f"there is no collection {self.collection!r}")
        own = bpy.data.collections[self.collection].all_objects
        return [thing for thing in own if thing in things] if self.use_selection else list(own)

    def _write(self, report: Report) -> list[Path]:
        context, path = bpy.context, Path(bpy.path.abspath(self.filepath))
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        things = self._objects(context)
        made = NewScene(things, path, self.clips if self.animations else None, self.every_frame, report)
        paths = paths_of(path, made.own) if self.companions else [path]
        with tempfile.TemporaryDirectory() as folder:
            written = made.with_images(path, Path(folder), report).write(
                *paths,
                format=None if self.format == "AUTO" or len(paths) > 1 else self.format,
                **self.space(),
                rate=made.rate,
                max_influences=self.max_influences or None,
                tangents=self.tangents,
            )
        report.warn_of_losses(written.losses)
        return list(written.paths)


class BINDPOSE_FH_export(bpy.types.FileHandler):
    """The export as an exporter of a collection, which Blender lists in the properties of collections."""

    bl_idname = "BINDPOSE_FH_export"
    bl_label = "Skeletal model"
    bl_export_operator = ExportBindpose.bl_idname
    # The first one is that of new exporters.
    bl_file_extensions = ";".join(dict.fromkeys([".psk", *sorted(f".{extension}" for own in FORMATS for extension in own.extensions)]))


_FAMILIES = [
    {"mesh": ".psk", "clip": ".psa"},
    {"mesh": ".mesh", "clip": ".anim"},
    {"skeleton": ".skeleton", "mesh": ".mesh_skinned", "clip": ".anim"},
    {"skeleton": ".csf", "mesh": ".cmf", "clip": ".caf", "material": ".crf"},
    {"skeleton": ".xsf", "mesh": ".xmf", "clip": ".xaf", "material": ".xrf"},
]
"""The extensions of formats with several files for a model."""


def paths_of(path: Path, scene: object) -> list[Path]:
    """Returns the files of a model: a mesh and the files beside it that its family needs for the scene."""
    has = {
        "mesh": bool(scene.meshes),  # type: ignore[attr-defined]
        "skeleton": bool(scene.skeleton.bones),  # type: ignore[attr-defined]
        "clip": bool(scene.clips),  # type: ignore[attr-defined]
        "material": bool(scene.materials),  # type: ignore[attr-defined]
    }
    family = next((own for own in _FAMILIES if path.suffix.lower() == own["mesh"]), {})
    return [path, *(path.with_suffix(own) for kind, own in family.items() if kind != "mesh" and has[kind])]


def _menu(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    self.layout.operator(ExportBindpose.bl_idname, text="Skeletal Model (.ms3d .psk .psa .mesh .anim .x .cmf .iqm …)")
    self.layout.operator(ExportOriginal.bl_idname, text="Into the Original (bindpose)")


register, unregister = registration((ExportOriginal, ExportBindpose, BINDPOSE_FH_export), bpy.types.TOPBAR_MT_file_export, _menu)
