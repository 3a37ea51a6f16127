# SPDX-License-Identifier: GPL-3.0-or-later
"""Preferences of the add-on, and the options of an import, which start with them."""

from dataclasses import asdict, dataclass
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty

from .names import ENCODINGS
from .registration import registration


@dataclass(frozen=True)
class Options:
    """The options of an import, which are stored with the imported objects."""

    unit: float = 0.0
    up: str = "AUTO"
    rate: float = 0.0
    orientation: str = "FILE"
    bake: bool = True
    set_rate: bool = True
    encoding: str = "utf-8"
    images: bool = True
    max_streams: bool = False
    keep_files: bool = True

    def settings(self) -> dict[str, Any]:
        """Returns the arguments of `bindpose.scene`."""
        return {**space_of(self.unit, self.up), "rate": self.rate or None}

    def as_dict(self) -> dict[str, Any]:
        """Returns the options by name."""
        return asdict(self)


class SpaceProperties:
    """The properties of an import or export for the conventions of a file."""

    unit: FloatProperty(  # type: ignore[valid-type]
        name="Unit",
        description="Length of a unit of the file in metres; 0 for that of the format",
        default=0.0,
        min=0.0,
        precision=4,
    )
    up: EnumProperty(  # type: ignore[valid-type]
        name="Up",
        description="Up axis of the file",
        items=[("AUTO", "As the format", "The convention of the format"), ("Y", "Y", "Y is up"), ("Z", "Z", "Z is up")],
        default="AUTO",
    )

    def space(self) -> dict[str, Any]:
        """Returns the arguments `unit` and `up` of bindpose."""
        return space_of(self.unit, self.up)


def space_of(unit: float, up: str) -> dict[str, Any]:
    """Returns the arguments `unit` and `up` of bindpose; `None` is the convention of the format."""
    return {"unit": unit or None, "up": None if up == "AUTO" else up.lower()}


class OptionProperties(SpaceProperties):
    """The properties of an import that have defaults in the preferences."""

    orientation: EnumProperty(  # type: ignore[valid-type]
        name="Bones",
        description="Axes of the bones; the animation is the same in both cases",
        items=[
            ("FILE", "As in the file", "The axes of the file"),
            ("CHILDREN", "Towards children", "The axis of the file that is nearest to the direction of the children is along the bone"),
        ],
        default="FILE",
    )
    bake: BoolProperty(  # type: ignore[valid-type]
        name="Key every frame",
        description="Add keys between those of the file, because Blender interpolates rotations differently",
        default=True,
    )
    set_rate: BoolProperty(  # type: ignore[valid-type]
        name="Set frame rate",
        description="Set the frame rate of the Blender scene to that of the first clip",
        default=True,
    )
    rate: FloatProperty(  # type: ignore[valid-type]
        name="Rate",
        description="Frames per second of clips whose file does not specify them; 0 for the usual rate of the format",
        default=0.0,
        min=0.0,
    )
    encoding: EnumProperty(  # type: ignore[valid-type]
        name="Names",
        description="Encoding of names that are not UTF-8",
        items=ENCODINGS,
        default="utf-8",
    )
    images: BoolProperty(  # type: ignore[valid-type]
        name="Images",
        description="Load the images of textures: those in the folder of the file, and those that UE Viewer lists beside it",
        default=True,
    )
    max_streams: BoolProperty(  # type: ignore[valid-type]
        name="3ds Max streams",
        description="Read .skel, .mesh and .anim files of no other format as streams of the 3ds Max exporter, which have no marks",
        default=False,
    )
    keep_files: BoolProperty(  # type: ignore[valid-type]
        name="Keep the files",
        description="Keep the bytes of the files in the .blend, for the export into the original",
        default=True,
    )

    def chosen(self) -> Options:
        """Returns the values of the properties."""
        return Options(**{name: getattr(self, name) for name in Options.__dataclass_fields__})

    def draw_options(self, layout: bpy.types.UILayout) -> None:
        """Draws the properties."""
        layout.use_property_split = True
        for name in Options.__dataclass_fields__:
            layout.prop(self, name)


class BindposePreferences(OptionProperties, bpy.types.AddonPreferences):
    """The defaults of imports."""

    bl_idname = __package__

    def draw(self, _context: bpy.types.Context) -> None:
        """Draws the preferences."""
        self.draw_options(self.layout)


def use_defaults(operator: OptionProperties, context: bpy.types.Context) -> None:
    """Sets the properties of an operator that the caller did not set to the preferences."""
    addon = context.preferences.addons.get(__package__)
    if addon is None or addon.preferences is None:
        return
    for name in Options.__dataclass_fields__:
        if not operator.properties.is_property_set(name):  # type: ignore[attr-defined]
            setattr(operator, name, getattr(addon.preferences, name))


register, unregister = registration((BindposePreferences,))
