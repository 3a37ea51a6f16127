# SPDX-License-Identifier: GPL-3.0-or-later
"""The list in which clips are chosen before they are imported."""

from typing import Any

import bpy
from bpy.props import BoolProperty, CollectionProperty, IntProperty, StringProperty

from .bundle import read
from .importer import ImportProperties
from .names import decoded, matcher
from .registration import registration
from .report import Report


class ClipItem(bpy.types.PropertyGroup):
    """A clip that can be imported; its name is that of the clip."""

    is_chosen: BoolProperty(name="", description="Import this clip", default=True)  # type: ignore[valid-type]


class BINDPOSE_UL_clips(bpy.types.UIList):
    """A list of clips, which Blender can filter by name."""

    def draw_item(
        self, _context: Any, layout: bpy.types.UILayout, _data: Any, item: Any, _icon: int, _active: Any, _property: str, _index: int = 0
    ) -> None:
        """Draws a clip."""
        layout.prop(item, "is_chosen", text=item.name)


def _choose_matching(operator: Any, _context: bpy.types.Context) -> None:
    try:
        takes = matcher(operator.clips)
    except ValueError:
        # It is not complete yet.
        return
    for item in operator.listed:
        item.is_chosen = takes(item.name)


class ImportClips(ImportProperties, bpy.types.Operator):
    """Import the selected clips of files"""

    bl_idname = "import_scene.bindpose_clips"
    bl_label = "Choose Clips"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    filepath: StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})  # type: ignore[valid-type]
    listed: CollectionProperty(type=ClipItem, options={"SKIP_SAVE"})  # type: ignore[valid-type]
    active: IntProperty(options={"HIDDEN", "SKIP_SAVE"})  # type: ignore[valid-type]
    clips: StringProperty(  # type: ignore[valid-type]
        name="Select",
        description="Select the clips with this in their name; * and ? are wildcards, and text between slashes is a regular expression",
        options={"SKIP_SAVE"},
        update=_choose_matching,
    )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Shows the clips."""
        self.list_clips()
        return context.window_manager.invoke_props_dialog(self, width=400)

    def list_clips(self) -> None:
        """Lists the clips of the files; those that match are selected."""
        options, report = self.chosen(), Report("Bindpose import")
        parts = [part for part in (read(path, options, report) for path in self.paths()) if part is not None]
        self.listed.clear()
        for name in dict.fromkeys(decoded(clip.name, options.encoding) for part in parts for clip in part.scene.clips):
            self.listed.add().name = name
        _choose_matching(self, bpy.context)

    def draw(self, _context: bpy.types.Context) -> None:
        """Draws the list."""
        self.layout.prop(self, "clips", icon="VIEWZOOM")
        self.layout.template_list("BINDPOSE_UL_clips", "", self, "listed", self, "active", rows=12)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Imports the files with the selected clips."""
        names = {item.name for item in self.listed if item.is_chosen}
        return self.imported(context, names.__contains__)


register, unregister = registration((ClipItem, BINDPOSE_UL_clips, ImportClips))
