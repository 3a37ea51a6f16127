# SPDX-License-Identifier: GPL-3.0-or-later
"""The import of files, by menu and by drag and drop."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import bindpose
import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, StringProperty
from bpy_extras.io_utils import ImportHelper

from .actions import CLIP, add_clip, assign, imported_actions, keep_actions
from .armatures import add_armature, bones_of, measure
from .attachments import add_attachments
from .bundle import IMPORT, Bundle, Part, bundles, collection_of, read
from .curves import rate_of
from .fingerprint import mark, mark_action
from .materials import add_materials
from .meshes import MESH, add_mesh, bind
from .names import decoded, keep_name, matcher, shown
from .new_meshes import armature_of
from .other_rigs import add_clips_to, read_table
from .preferences import OptionProperties, Options, use_defaults
from .registration import registration
from .report import Report, some
from .rig import Rig
from .shared_rigs import keep_shared, share
from .shape import Shape

EXTENSIONS = sorted({f".{extension}" for own in bindpose.formats() for extension in own.extensions})


Takes = Callable[[str], bool]
"""Returns whether a clip is imported, by its name."""


def _takes_all(_name: str) -> bool:
    return True


ARMATURES = [
    ("AUTO", "Automatic", "Animations alone move the armature of the active object; models have armatures of their own"),
    ("NEW", "New", "All files have new armatures"),
    ("SELECTED", "Selected", "Models follow the armature of the active object, and animations move it"),
]


@dataclass(frozen=True)
class Choices:
    """What is chosen for one import only."""

    takes: Takes = _takes_all
    prefix: str = ""
    """The start of the names of actions, which files do not have; `{name}` in it is the name of the model."""
    table: Mapping[str, str] = field(default_factory=dict)
    """The names of bones of the armature by those in the files."""
    onto: str = "AUTO"
    """One of `ARMATURES`."""

    def prefix_of(self, model: str) -> str:
        """Returns the start of the names of the actions of a model."""
        return self.prefix.replace("{name}", model)


def import_files(
    paths: list[Path], options: Options, report: Report, active: bpy.types.Object | None = None, choices: Choices | None = None
) -> list[bpy.types.Collection]:
    """Imports files. Animations without a mesh go to the armature of the active object, if one is given."""
    choices = choices or Choices()
    left_out: dict[str, None] = {}

    def noted(name: str) -> bool:
        is_taken = choices.takes(name)
        if not is_taken:
            left_out[name] = None
        return is_taken

    made = _import(paths, options, report, active, replace(choices, takes=noted))
    if left_out:
        report.warn(f"clips that were not chosen: {some(list(left_out))}")
    return made


def _import(
    paths: list[Path], options: Options, report: Report, active: bpy.types.Object | None, choices: Choices
) -> list[bpy.types.Collection]:
    parts = [part for part in (read(path, options, report) for path in paths) if part is not None]
    parts += [part for part in (read(path, options, report) for path in _beside(paths, report)) if part is not None]
    armature = None if choices.onto == "NEW" else _armature_of(active)
    made: list[bpy.types.Collection] = []
    is_selected = armature is not None and choices.onto == "SELECTED"
    if armature is None and choices.onto == "SELECTED":
        report.warn("the active object has no armature; the files have new ones")
    if is_selected and any(part.scene.meshes for part in parts):
        models = [part for part in parts if not part.is_clip and not part.is_config]
        made = [_add_model(bundle, paths, report, choices, armature) for bundle in bundles(models, options)]
        # The skeleton can be that of the animations.
        parts = [part for part in parts if part.is_clip or ((part.is_skeleton or part.is_config) and len(models) < len(parts))]
    if choices.onto != "NEW":
        moved = _add_motion(parts, armature, active, is_selected, options, report, choices)
        if moved is not None:
            return [*made, *(own for own in moved if own not in made)]
    return made + [_add_model(bundle, paths, report, choices) for bundle in bundles(parts, options)]


def _add_motion(
    parts: list[Part],
    armature: bpy.types.Object | None,
    active: bpy.types.Object | None,
    is_selected: bool,
    options: Options,
    report: Report,
    choices: Choices,
) -> list[bpy.types.Collection] | None:
    """Adds animations to what is selected; returns `None` if the files are not such."""
    if not parts:
        return [] if is_selected else None
    target = collection_of(armature or active)
    known = None if target is None else Bundle.stored_in(target)
    clips, others = ([part for part in parts if part.is_clip == is_clip] for is_clip in (True, False))
    if known is not None and target is not None and not choices.table and clips and all(part.is_config for part in others):
        _add_configs(known, others, report)
        _add_clips(known, clips, target, report, choices)
        return [target]
    is_motion = bool(clips) and all(part.is_skeleton or part.is_config for part in others)
    if armature is not None and is_motion and (known is None or choices.table or is_selected):
        added = _add_to_other(armature, parts, options, report, choices)
        if added is not None:
            return list(armature.users_collection)[:1]
    return None


def _add_configs(bundle: Bundle, parts: list[Part], report: Report) -> None:
    """Adds files that state which tracks are used to a model, where this changes no animation that it has."""
    for part in parts:
        if any(own.data == part.data for own in bundle.model if own.is_config):
            continue
        if bundle.clips or any(own.is_config for own in bundle.model):
            report.warn(f"{part.name}: it is not used, because the armature has animations without it; import these files together")
        else:
            bundle.model.append(part)


def _armature_of(thing: bpy.types.Object | None) -> bpy.types.Object | None:
    return thing if thing is None or thing.type == "ARMATURE" else armature_of(thing)


def _add_to_other(
    armature: bpy.types.Object, parts: list[Part], options: Options, report: Report, choices: Choices
) -> list[tuple[Any, Any]] | None:
    """Adds animations to an armature of other files; returns `None` if it has none of their bones."""
    skeletons = [part.file() for part in parts if not part.is_clip]
    added: list[tuple[Any, Any]] = []
    fits = False
    for part in parts:
        if part.is_clip:
            own = _add_taken(armature, [*skeletons, part.file()], part.stem, options, report, choices)
            fits |= own is not None
            added += own or []
    if added:
        assign(*added[0])
        _fit_range(added[0][0])
    return added if fits else None


def _add_taken(
    armature: bpy.types.Object, files: list[Any], name: str, options: Options, report: Report, choices: Choices
) -> list[tuple[Any, Any]] | None:
    return add_clips_to(armature, files, choices.takes, name, choices.table, options, report, choices.prefix_of(name))


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


def _add_model(
    bundle: Bundle, paths: list[Path], report: Report, choices: Choices, shared: bpy.types.Object | None = None
) -> bpy.types.Collection:
    """Adds a model with an armature of its own, or on an armature that is shared with others if their bones have the same names."""
    scene, options = bundle.scene(), bundle.options
    textured = scene.with_images(*paths) if options.images else scene
    report.warn_of_losses(scene.losses)
    collection = bpy.data.collections.new(bundle.name)
    bpy.context.scene.collection.children.link(collection)
    rig = Rig.of(scene, options.orientation)
    armature, names = _armature_for(bundle, scene, rig, collection, report, choices, shared)
    shared = shared if armature == shared else None
    add_attachments(scene, rig, armature, names, options.encoding, collection)
    materials = add_materials(textured, textured.images if options.images else None, report)
    for index, own in enumerate(scene.meshes):
        shape = Shape.of(scene, index, rig)
        thing = add_mesh(scene, index, shape, materials, report)
        thing.name = thing.data.name = decoded(own.name, options.encoding) or bundle.name
        keep_name(thing, own.name or thing.name)
        collection.objects.link(thing)
        if armature is not None:
            bind(thing, armature, shape, names)
    if shared is not None:
        return _share(bundle, scene, shared, names, collection, report, choices)
    clips, bundle.clips = bundle.clips, []
    if options.set_rate:
        everything = [*scene.clips, *(clip for part in clips for clip in part.scene.clips)]
        _set_rate([clip for clip in everything if choices.takes(decoded(clip.name, options.encoding))] or everything)
    bundle.store(collection)
    mark(collection)
    added = _add_actions(bundle, scene.clips, -1, 0, rig, collection, report, choices)
    added += _add_clips(bundle, clips, collection, report, choices)
    _show_first(added)
    return collection


def _armature_for(
    bundle: Bundle,
    scene: Any,
    rig: Rig,
    collection: bpy.types.Collection,
    report: Report,
    choices: Choices,
    shared: bpy.types.Object | None,
) -> tuple[bpy.types.Object | None, list[str]]:
    """Returns the armature of a model, and the names of its bones."""
    if not scene.skeleton.bones:
        return None, []
    encoding = bundle.options.encoding
    names = None if shared is None else share(shared, scene, rig, bundle.name, choices.table, encoding, report)
    if names is not None:
        return shared, names
    armature = add_armature(scene, rig, encoding, collection)
    return armature, [bone.name for bone in _in_order(armature, len(rig.parents))]


def _share(
    bundle: Bundle,
    scene: Any,
    armature: bpy.types.Object,
    names: list[str],
    collection: bpy.types.Collection,
    report: Report,
    choices: Choices,
) -> bpy.types.Collection:
    """Finishes a model on an armature of another origin. The clips of its files become actions that belong to no file."""
    bundle.left_out = [(-1, index) for index in range(len(scene.clips))]
    bundle.store(collection)
    keep_shared(collection, armature, names)
    mark(collection)
    if scene.clips:
        added = _add_taken(armature, [part.file() for part in bundle.model], bundle.name, bundle.options, report, choices)
        if added:
            report.warn(f"{bundle.name}: its clips are new actions of {armature.name!r}; the export into the original keeps those of the files")
    return collection


def _add_clips(
    bundle: Bundle, parts: list[Part], collection: bpy.types.Collection, report: Report, choices: Choices
) -> list[tuple[Any, Any]]:
    """Adds files of animations to an imported model, and makes the first clip the current one."""
    files = [part.file() for part in bundle.model]
    model = bundle.scene_of(files)
    rig = Rig.of(model, bundle.options.orientation)
    added = []
    for part in parts:
        # The file can have clips that were not imported, or whose action was removed.
        number = next((number for number, own in enumerate(bundle.clips) if (own.name, own.data) == (part.name, part.data)), len(bundle.clips))
        bundle.clips[number : number + 1] = [part]
        scene = bundle.scene_of([*files, part.file()])
        known = set(model.losses)
        report.warn_of_losses(loss for loss in scene.losses if loss not in known)
        if len(scene.skeleton.bones) > len(rig.parents):
            report.warn(f"{part.name}: {len(scene.skeleton.bones) - len(rig.parents)} bones are not in the armature")
        first = len(model.clips)
        own = rig.for_clip(model, scene)
        added += _add_actions(bundle, scene.clips[first:], number, first, own, collection, report, choices)
    bundle.store(collection)
    _show_first(added)
    return added


def _add_actions(
    bundle: Bundle, clips: list[Any], part: int, first: int, rig: Rig, collection: bpy.types.Collection, report: Report, choices: Choices
) -> list[tuple[Any, Any]]:
    armature = _armature_in(collection)
    if armature is not None:
        measure(armature, rig)
    meshes = [thing for thing in collection.objects if MESH in thing]
    there = {tuple(action[CLIP]) for action in imported_actions(collection[IMPORT]) if armature is None or MESH not in action}
    added, known = [], []
    for index, clip in enumerate(clips):
        place, name = (part, first + index), decoded(clip.name, bundle.options.encoding)
        if place in there:
            known.append(name)
            continue
        left_out = [own for own in bundle.left_out if own != place]
        bundle.left_out = left_out if choices.takes(name) else [*left_out, place]
        if not choices.takes(name):
            continue
        for action, owner in add_clip(clip, rig, armature, meshes, bundle.options, report, prefix=choices.prefix_of(bundle.name)):
            action[CLIP] = [part, first + index]
            action[IMPORT] = collection[IMPORT]
            if MESH in action:
                mark_action(action)
            added.append((action, owner))
    keep_actions(collection)
    if known:
        report.warn(f"clips that were imported before keep their actions: {some(known)}")
    return added


def _show_first(added: list[tuple[Any, Any]]) -> None:
    """Assigns the first clip, and fits the frame range to it."""
    if not added:
        return
    first = list(added[0][0][CLIP])
    for action, owner in added:
        if list(action[CLIP]) == first:
            assign(action, owner)
    _fit_range(added[0][0])


def _fit_range(action: bpy.types.Action) -> None:
    start, end = action.frame_range
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


_TABLE = ".csv"
"""The extension of tables of bones."""


class ImportProperties(OptionProperties):
    """The files and the options of an import."""

    files: CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})  # type: ignore[valid-type]
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})  # type: ignore[valid-type]
    clips: StringProperty(  # type: ignore[valid-type]
        name="Clips",
        description="Import only clips with this in their name; * and ? are wildcards, and text between slashes is a regular expression",
        options={"SKIP_SAVE"},
    )
    prefix: StringProperty(  # type: ignore[valid-type]
        name="Prefix",
        description="Start of the names of the actions, which the files do not have; {name} is the name of the model",
        options={"SKIP_SAVE"},
    )
    armature: EnumProperty(  # type: ignore[valid-type]
        name="Armature", description="The armature of the files", items=ARMATURES, default="AUTO", options={"SKIP_SAVE"}
    )
    bones_table: StringProperty(  # type: ignore[valid-type]
        name="Table of bones",
        description="A CSV file with lines OLD,NEW: the name in the files, and that in the armature. It can also be selected with the files",
        options={"SKIP_SAVE"},
    )

    def paths(self) -> list[Path]:
        """Returns the files, without a table of bones among them."""
        return [path for path in self._selected() if path.suffix.lower() != _TABLE]

    def _selected(self) -> list[Path]:
        names = [own.name for own in self.files if own.name]
        return [Path(self.directory) / name for name in names] or [Path(self.filepath)]  # type: ignore[attr-defined]

    def _table(self) -> dict[str, str]:
        tables = [path for path in self._selected() if path.suffix.lower() == _TABLE]
        if self.bones_table:
            tables = [Path(bpy.path.abspath(self.bones_table))]
        if len(tables) > 1:
            raise ValueError("several tables of bones are selected")
        return read_table(tables[0]) if tables else {}

    def imported(self, context: bpy.types.Context, takes: Takes) -> set[str]:
        """Imports the files."""
        report = Report("Bindpose import")
        if not self.filepath and not any(own.name for own in self.files):  # type: ignore[attr-defined]
            self.report({"ERROR"}, "no file is selected")
            return {"CANCELLED"}
        paths = self.paths()
        try:
            choices = Choices(takes, self.prefix, self._table(), self.armature)
        except (OSError, ValueError) as error:
            self.report({"ERROR"}, shown(str(error)))
            return {"CANCELLED"}
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        start = time.perf_counter()
        made = import_files(paths, self.chosen(), report, context.active_object, choices)
        if not made and not report.errors:
            report.error("the files contain no mesh, bones or animations")
        seconds = time.perf_counter() - start
        objects = sum(len(collection.objects) for collection in made)
        report.show(self, f"{objects} objects from {len(paths)} files in {seconds:.2f} s" if made else "")
        return {"FINISHED"} if made else {"CANCELLED"}


_PASSED = ("filepath", "directory", "prefix", "armature", "bones_table")
"""The properties that the choice of clips takes over, besides the options."""


class ImportBindpose(ImportProperties, bpy.types.Operator, ImportHelper):
    """Import models and animations: a mesh, its skeleton, its materials, and any number of animations"""

    bl_idname = "import_scene.bindpose"
    bl_label = "Import Skeletal Models"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    filter_glob: StringProperty(default=";".join(f"*{own}" for own in [*EXTENSIONS, _TABLE]), options={"HIDDEN"})  # type: ignore[valid-type]
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
        for name in ("clips", "choose", "prefix", "armature", "bones_table"):
            self.layout.prop(self, name)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Imports the files, or shows their clips first."""
        try:
            takes = matcher(self.clips)
        except ValueError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if self.choose and not bpy.app.background:
            files = [{"name": own.name} for own in self.files]
            options = {**self.chosen().as_dict(), **{name: getattr(self, name) for name in _PASSED}, "files": files}
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
    self.layout.operator(ImportBindpose.bl_idname, text="Skeletal Models (.ms3d .psk .psa .mesh .anim .x .cmf .iqm …)")


register, unregister = registration((ImportBindpose, BINDPOSE_FH_import), bpy.types.TOPBAR_MT_file_import, _menu)
