# SPDX-License-Identifier: GPL-3.0-or-later
"""The import of files, by menu and by drag and drop."""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bindpose
import bpy
from bpy.props import BoolProperty, CollectionProperty, StringProperty
from bpy_extras.io_utils import ImportHelper

from .actions import CLIP, add_clip, assign
from .armatures import add_armature, bones_of, measure
from .attachments import add_attachments
from .bundle import IMPORT, Bundle, Part, bundles, collection_of, read
from .curves import rate_of
from .fingerprint import mark, mark_action
from .materials import add_materials
from .meshes import MESH, add_mesh, bind
from .names import decoded, keep_name, matcher
from .preferences import OptionProperties, Options, use_defaults
from .registration import registration
from .report import Report, some
from .rig import Rig
from .shape import Shape

EXTENSIONS = sorted({f".{extension}" for own in bindpose.formats() for extension in own.extensions})


Takes = Callable[[str], bool]
"""Returns whether a clip is imported, by its name."""


def _takes_all(_name: str) -> bool:
    return True


def import_files(
    paths: list[Path], options: Options, report: Report, armature: bpy.types.Object | None = None, takes: Takes = _takes_all
) -> list[bpy.types.Collection]:
    """Imports files. Animations without a mesh or a skeleton go to an armature of an earlier import, if one is given."""
    left_out: dict[str, None] = {}

    def noted(name: str) -> bool:
        is_taken = takes(name)
        if not is_taken:
            left_out[name] = None
        return is_taken

    made = _import(paths, options, report, armature, noted)
    if left_out:
        report.warn(f"clips that were not chosen: {some(list(left_out))}")
    return made


def _import(
    paths: list[Path], options: Options, report: Report, armature: bpy.types.Object | None, takes: Takes
) -> list[bpy.types.Collection]:
    parts = [part for part in (read(path, options, report) for path in paths) if part is not None]
    parts += [part for part in (read(path, options, report) for path in _beside(paths, report)) if part is not None]
    target = collection_of(armature)
    known = None if target is None else Bundle.stored_in(target)
    if parts and known is not None and target is not None and all(part.is_clip for part in parts):
        _add_clips(known, parts, target, report, takes)
        return [target]
    return [_add_model(bundle, paths, report, takes) for bundle in bundles(parts, options)]


def _beside(paths: list[Path], report: Report) -> list[Path]:
    """Returns the files beside others that belong to them."""
    try:
        found = bindpose.sidecars(*paths)
    except OSError:
        # The error was reported when the file was read.
        return []
    for path in found:
        report.warn(f"read {path.name} too, which belongs to the files")
    return found


def _add_model(bundle: Bundle, paths: list[Path], report: Report, takes: Takes) -> bpy.types.Collection:
    scene, options = bundle.scene(), bundle.options
    textured = scene.with_images(*paths) if options.images else scene
    report.warn_of_losses(scene.losses)
    collection = bpy.data.collections.new(bundle.name)
    bpy.context.scene.collection.children.link(collection)
    rig = Rig.of(scene, options.orientation)
    armature = add_armature(scene, rig, options.encoding, collection) if scene.skeleton.bones else None
    names = [] if armature is None else [bone.name for bone in _in_order(armature, len(rig.parents))]
    add_attachments(scene, rig, armature, options.encoding, collection)
    materials = add_materials(textured, textured.images if options.images else None, report)
    for index, own in enumerate(scene.meshes):
        shape = Shape.of(scene, index, rig)
        thing = add_mesh(scene, index, shape, materials, report)
        thing.name = thing.data.name = decoded(own.name, options.encoding) or bundle.name
        keep_name(thing, own.name or thing.name)
        collection.objects.link(thing)
        if armature is not None:
            bind(thing, armature, shape, names)
    clips, bundle.clips = bundle.clips, []
    if options.set_rate:
        everything = [*scene.clips, *(clip for part in clips for clip in part.scene.clips)]
        _set_rate([clip for clip in everything if takes(decoded(clip.name, options.encoding))] or everything)
    bundle.store(collection)
    mark(collection)
    added = _add_actions(bundle, scene.clips, -1, 0, rig, collection, report, takes)
    added += _add_clips(bundle, clips, collection, report, takes)
    _show_first(added)
    return collection


def _add_clips(
    bundle: Bundle, parts: list[Part], collection: bpy.types.Collection, report: Report, takes: Takes
) -> list[tuple[Any, Any]]:
    """Adds files of animations to an imported model, and makes the first clip the current one."""
    files = [part.file() for part in bundle.model]
    model = bundle.scene_of(files)
    rig = Rig.of(model, bundle.options.orientation)
    added = []
    for part in parts:
        bundle.clips.append(part)
        scene = bundle.scene_of([*files, part.file()])
        known = set(model.losses)
        report.warn_of_losses(loss for loss in scene.losses if loss not in known)
        if len(scene.skeleton.bones) > len(rig.parents):
            report.warn(f"{part.name}: {len(scene.skeleton.bones) - len(rig.parents)} bones are not in the armature")
        first = len(model.clips)
        own = rig.for_clip(model, scene)
        added += _add_actions(bundle, scene.clips[first:], len(bundle.clips) - 1, first, own, collection, report, takes)
    bundle.store(collection)
    _show_first(added)
    return added


def _add_actions(
    bundle: Bundle, clips: list[Any], part: int, first: int, rig: Rig, collection: bpy.types.Collection, report: Report, takes: Takes
) -> list[tuple[Any, Any]]:
    armature = _armature_in(collection)
    if armature is not None:
        measure(armature, rig)
    meshes = [thing for thing in collection.objects if MESH in thing]
    added = []
    for index, clip in enumerate(clips):
        if not takes(decoded(clip.name, bundle.options.encoding)):
            bundle.left_out.append((part, first + index))
            continue
        for action, owner in add_clip(clip, rig, armature, meshes, bundle.options, report):
            action[CLIP] = [part, first + index]
            action[IMPORT] = collection[IMPORT]
            if MESH in action:
                mark_action(action)
            added.append((action, owner))
    return added


def _show_first(added: list[tuple[Any, Any]]) -> None:
    """Assigns the first clip, and fits the frame range to it."""
    if not added:
        return
    first = list(added[0][0][CLIP])
    for action, owner in added:
        if list(action[CLIP]) == first:
            assign(action, owner)
    start, end = added[0][0].frame_range
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = max(int(start), 0), max(min(round(end), 1_048_574), 1)
    scene.frame_set(scene.frame_start)


def _set_rate(clips: list[Any]) -> None:
    rate = next((rate for rate in map(rate_of, clips) if rate), None)
    if rate:
        render = bpy.context.scene.render
        render.fps = math.ceil(rate)
        render.fps_base = render.fps / rate


def _armature_in(collection: bpy.types.Collection) -> bpy.types.Object | None:
    return next((thing for thing in collection.objects if thing.type == "ARMATURE"), None)


def _in_order(armature: bpy.types.Object, count: int) -> list[bpy.types.Bone]:
    own = bones_of(armature)
    return [own[index] for index in range(count)]


class ImportProperties(OptionProperties):
    """The files and the options of an import."""

    files: CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})  # type: ignore[valid-type]
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})  # type: ignore[valid-type]
    clips: StringProperty(  # type: ignore[valid-type]
        name="Clips",
        description="Import only clips with this in their name; * and ? are wildcards, and text between slashes is a regular expression",
        options={"SKIP_SAVE"},
    )

    def paths(self) -> list[Path]:
        """Returns the files."""
        names = [own.name for own in self.files if own.name]
        return [Path(self.directory) / name for name in names] or [Path(self.filepath)]  # type: ignore[attr-defined]

    def imported(self, context: bpy.types.Context, takes: Takes) -> set[str]:
        """Imports the files."""
        report = Report("Bindpose import")
        paths = self.paths()
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        start = time.perf_counter()
        made = import_files(paths, self.chosen(), report, context.active_object, takes)
        if not made and not report.errors:
            report.error("the files contain no mesh, bones or animations")
        seconds = time.perf_counter() - start
        objects = sum(len(collection.objects) for collection in made)
        report.show(self, f"{objects} objects from {len(paths)} files in {seconds:.2f} s" if made else "")
        return {"FINISHED"} if made else {"CANCELLED"}


class ImportBindpose(ImportProperties, bpy.types.Operator, ImportHelper):
    """Import models and animations: a mesh, its skeleton, its materials, and any number of animations"""

    bl_idname = "import_scene.bindpose"
    bl_label = "Import Skeletal Models"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    filter_glob: StringProperty(default=";".join(f"*{own}" for own in EXTENSIONS), options={"HIDDEN"})  # type: ignore[valid-type]
    choose: BoolProperty(  # type: ignore[valid-type]
        name="Choose clips", description="Show the clips of the files, and import those that are selected", default=False
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Shows the options: in the file browser, or alone for files that were dropped."""
        use_defaults(self, context)
        return self.invoke_popup(context) if self.files else super().invoke(context, event)

    def draw(self, _context: bpy.types.Context) -> None:
        """Draws the options."""
        self.draw_options(self.layout)
        self.layout.prop(self, "clips")
        self.layout.prop(self, "choose")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Imports the files, or shows their clips first."""
        try:
            takes = matcher(self.clips)
        except ValueError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if self.choose and not bpy.app.background:
            files = [{"name": own.name} for own in self.files]
            options = {**self.chosen().as_dict(), "filepath": self.filepath, "directory": self.directory, "files": files}
            bpy.ops.import_scene.bindpose_clips("INVOKE_DEFAULT", clips=self.clips, **options)
            return {"FINISHED"}
        return self.imported(context, takes)


class BINDPOSE_FH_import(bpy.types.FileHandler):
    """Files that can be dropped on a window."""

    bl_idname = "BINDPOSE_FH_import"
    bl_label = "Skeletal models"
    bl_import_operator = ImportBindpose.bl_idname
    bl_file_extensions = ";".join(EXTENSIONS)

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        """Returns whether files can be dropped. Blender does not name them here; the import decides by their content."""
        return context.area is not None and context.area.type in {"VIEW_3D", "OUTLINER"}


def _menu(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    self.layout.operator(ImportBindpose.bl_idname, text="Skeletal Models (.ms3d .psk .psa .mesh .anim .x .cmf …)")


register, unregister = registration((ImportBindpose, BINDPOSE_FH_import), bpy.types.TOPBAR_MT_file_import, _menu)
