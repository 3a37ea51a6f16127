# SPDX-License-Identifier: GPL-3.0-or-later
"""What an import set that the export into the original does not write: a change of it is refused by name."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from .actions import CLIP, channels_of, imported_actions, in_other_slots
from .armatures import BONE, bones_of
from .bundle import IMPORT
from .curves import CHANNELS, path_of
from .materials import MATERIAL, imported_materials, is_of, shader_of
from .meshes import MESH, positions_of, values_of
from .new_keys import is_muted
from .report import some
from .shared_rigs import shared_armature
from .textures import IMAGE, TEXTURE
from .textures import name_of as name_of_image

_OBJECT = "bindpose_object"
"""The custom property of an object with its key among those of its import."""
_PRINTS = "bindpose_fingerprint"
"""The custom property of a collection with a hash of each property; that of an action of shape keys with the hash of its curves."""
_CLAIMED_INPUTS = {"Base Color", "Alpha", "Emission Color"}
"""The inputs of Principled BSDF that the export writes."""
_OF_ARMATURES = ("use_vertex_groups", "use_bone_envelopes", "use_deform_preserve_volume", "vertex_group", "invert_vertex_group", "use_multi_modifier")
"""The settings of modifiers that move vertices."""
_INTERNAL = "."
"""The first character of the names of attributes of Blender's own."""


@dataclass(frozen=True)
class _Property:
    """A property of an imported object."""

    key: str
    """The key, which does not depend on names."""
    change: str
    """What a change of it is."""
    label: str
    """The name of the object."""
    value: Any
    is_noted: bool = False
    """Whether a change is reported and not refused: no file has the property, and it moves no vertex."""

    @property
    def print(self) -> str:
        """The hash of the value."""
        data = self.value if isinstance(self.value, bytes) else repr(self.value).encode()
        return hashlib.sha1(data, usedforsecurity=False).hexdigest()[:12]


def mark(collection: bpy.types.Collection) -> None:
    """Stores the properties of an import, before its actions are assigned."""
    empties = 0
    for thing in collection.objects:
        if MESH in thing:
            thing[_OBJECT] = f"mesh {thing[MESH]}"
        elif thing.type == "ARMATURE":
            thing[_OBJECT] = "armature"
        else:
            thing[_OBJECT], empties = f"attachment {empties}", empties + 1
        for material in getattr(thing.data, "materials", ()):
            if material is not None and MATERIAL in material:
                material[IMPORT] = collection[IMPORT]
    collection[_PRINTS] = json.dumps({own.key: own.print for own in _properties(collection)})


def mark_action(action: bpy.types.Action) -> None:
    """Stores the curves of an action of shape keys."""
    action[_PRINTS] = _curves(action).print


def name_of(mesh: int) -> str:
    """Returns the key of the name of a mesh."""
    return f"mesh {mesh} own name"


def shading_of(mesh: int) -> str:
    """Returns the key of the shading of a mesh, which its normals have too."""
    return f"mesh {mesh} shading"


def faces_of(mesh: int) -> list[str]:
    """Returns the keys of the materials and the shading of the faces of a mesh."""
    return [f"mesh {mesh} {name}" for name in ("slots", "faces", "shading")]


def changed_faces(collection: bpy.types.Collection) -> set[int]:
    """Returns the meshes whose faces have other materials."""
    before = json.loads(collection.get(_PRINTS, "{}"))
    changed = set()
    for thing in collection.objects:
        if thing.type == "MESH" and _OBJECT in thing:
            own = {found.key: found.print for found in _of_mesh(thing, collection)}
            keys = faces_of(int(thing[MESH]))[:2]
            if any(before.get(key, own[key]) != own[key] for key in keys):
                changed.add(int(thing[MESH]))
    return changed


def shape_value_of(mesh: int, number: int) -> str:
    """Returns the key of the value of a shape key, which an action can animate."""
    return f"mesh {mesh} shape {number} value"


def parent_of(bone: int) -> str:
    """Returns the key of the parent of a bone."""
    return f"bone {bone} parent"


def pose_of(bone: int, channel: str) -> str:
    """Returns the key of the pose of a bone, which an action can animate."""
    return f"bone {bone} {channel}"


def refusals(collection: bpy.types.Collection, claimed: set[str], written: set[bpy.types.Action]) -> list[str]:
    """Returns the changes of an import that are not written, but for those of properties that are claimed by their keys, and some actions."""
    if _PRINTS not in collection:
        return []
    changed = _changed(collection, claimed, is_noted=False)
    changed |= {change: labels for change, labels in _strangers(collection, _prints(collection), written).items() if labels}
    return _lines(changed)


def notes(collection: bpy.types.Collection) -> list[str]:
    """Returns the changes of an import that no file has."""
    changed = _changed(collection, set(), is_noted=True)
    for change, label in _shown_otherwise(collection):
        changed.setdefault(change, []).append(label)
    return [f"{line}: not written, as files do not have them" for line in _lines(changed)]


def _shown_otherwise(collection: bpy.types.Collection) -> Iterator[tuple[str, str]]:
    """Yields what Blender shows otherwise than the files have it, and the import never sets."""
    meshes = [thing for thing in collection.objects if _OBJECT in thing and thing.type == "MESH"]
    for thing in meshes:
        if not np.array_equal(positions_of(thing), values_of(thing.data.vertices, "co", 3), equal_nan=True):
            yield "vertices elsewhere than in the first shape key, which Blender shows", thing.name
    for thing in (own for own in collection.objects if _OBJECT in own):
        if any(own.type == "ARMATURE" and not (own.show_viewport and own.show_render) for own in thing.modifiers):
            yield "hidden modifiers", thing.name
        if any(len(data.nla_tracks) for data in _animations_of(thing)):
            yield "NLA tracks", thing.name
        if any(data.action_influence != 1 or data.action_blend_type != "REPLACE" for data in _animations_of(thing)):
            yield "influences and blending of actions", thing.name
        if thing.type == "ARMATURE":
            if thing.data.pose_position == "REST":
                yield "armatures that are shown in the rest pose", thing.name
            yield from (("bones that are connected to their parents", bone.name) for bone in bones_of(thing).values() if bone.use_connect)
    for action in sorted(imported_actions(collection[IMPORT]), key=lambda own: own.name):
        if action.use_frame_range:
            yield "manual frame ranges of actions", action.name
    for material in imported_materials(meshes, collection[IMPORT]).values():
        shader = shader_of(material)
        if shader and shader.inputs["Emission Strength"].default_value == 0 and any(shader.inputs["Emission Color"].default_value[:3]):
            yield "colours of emission without strength", material.name
        for node in material.node_tree.nodes if material.node_tree else ():
            if getattr(node, "image", None) and node.image.is_dirty:
                yield "unsaved pixels of images", node.image.name


def _prints(collection: bpy.types.Collection) -> dict[str, str]:
    own = json.loads(collection.get(_PRINTS, "{}"))
    return own | {_curves(action).key: action[_PRINTS] for action in _marked_actions(collection)}


def _changed(collection: bpy.types.Collection, claimed: set[str], *, is_noted: bool) -> dict[str, list[str]]:
    before = _prints(collection)
    changed: dict[str, list[str]] = {}
    for own in _properties(collection):
        if own.is_noted == is_noted and own.key not in claimed and before.get(own.key, own.print) != own.print:
            changed.setdefault(own.change, []).append(own.label)
    return changed


def _lines(changed: dict[str, list[str]]) -> list[str]:
    return [f"{change}: {some(list(dict.fromkeys(labels)))}" for change, labels in changed.items()]


def _things_of(collection: bpy.types.Collection) -> set[bpy.types.Object]:
    """Returns the objects of an import, and those that follow them and are of no other one."""
    children = (child for thing in collection.objects for child in thing.children_recursive)
    return {*collection.all_objects, *(child for child in children if not any(IMPORT in own for own in child.users_collection))}


def new_actions(collection: bpy.types.Collection) -> list[bpy.types.Action]:
    """Returns actions of the bones of an import that are from elsewhere, and copies of its own."""
    things = _things_of(collection)
    found = [*_new_actions(collection, things), *_copied_actions(collection, things)]
    return sorted((action for action in found if MESH not in action), key=lambda action: action.name)


def _strangers(collection: bpy.types.Collection, before: dict[str, str], written: set[bpy.types.Action]) -> dict[str, list[str]]:
    """Returns objects and actions that the import did not make, and objects that are gone."""
    things = _things_of(collection)
    keys = [thing.get(_OBJECT) for thing in things]
    gone = {key.removesuffix(" place") for key in before if key.endswith(" place")} - set(keys)
    copies = {key for key in keys if keys.count(key) > 1}
    return {
        "objects were added": sorted(thing.name for thing in things if _OBJECT not in thing),
        "objects were copied": sorted(thing.name for thing in things if thing.get(_OBJECT) in copies - {None}),
        "attachments were removed": sorted(key for key in gone if key.startswith("attachment")),
        "actions were added": sorted({action.name for action in _new_actions(collection, things) if action not in written}),
        "actions were copied": sorted(action.name for action in _copied_actions(collection, things) if action not in written),
    }


def _new_actions(collection: bpy.types.Collection, things: Iterable[bpy.types.Object]) -> Iterator[bpy.types.Action]:
    """Yields actions that use or could use the objects of an import and are from elsewhere."""
    key = collection[IMPORT]
    used, elsewhere = _used_actions(things)
    bones = {bone.name for thing in things if thing.type == "ARMATURE" for bone in thing.data.bones}
    paths = tuple(path_of(name, "") for name in bones)
    for action in bpy.data.actions:
        if IMPORT in action:
            is_new = action in used and action[IMPORT] != key
        else:
            is_new = action in used or (action not in elsewhere and any(curve.data_path.startswith(paths) for curve in channels_of(action)))
        if is_new:
            yield action


def _used_actions(things: Iterable[bpy.types.Object]) -> tuple[set[bpy.types.Action], set[bpy.types.Action]]:
    """Returns the actions of some objects, and those of all others."""
    others = (thing for thing in bpy.data.objects if thing not in things)
    used, elsewhere = ({action for thing in own for action in _actions_of(thing)} for own in (things, others))
    return used, elsewhere


def _actions_of(thing: bpy.types.Object) -> Iterator[bpy.types.Action]:
    for data in _animations_of(thing):
        strips = [strip.action for track in data.nla_tracks for strip in track.strips]
        yield from filter(None, [data.action, *strips])


def _animations_of(thing: bpy.types.Object) -> Iterator[bpy.types.AnimData]:
    for own in (thing, thing.data, getattr(thing.data, "shape_keys", None)):
        data = getattr(own, "animation_data", None)
        if data is not None:
            yield data


def _copied_actions(collection: bpy.types.Collection, things: Iterable[bpy.types.Object]) -> Iterator[bpy.types.Action]:
    """Yields copies of the actions of an import, but for those of copies of its objects elsewhere."""
    own = imported_actions(collection[IMPORT])
    used, elsewhere = _used_actions(things)
    copies = (action for action in bpy.data.actions if action.get(IMPORT) == collection[IMPORT] and action not in own)
    yield from (action for action in copies if action in used or action not in elsewhere)


def _properties(collection: bpy.types.Collection) -> Iterator[_Property]:
    meshes = [thing for thing in collection.objects if _OBJECT in thing and thing.type == "MESH"]
    for thing in collection.objects:
        if _OBJECT not in thing:
            continue
        yield from _of_object(thing, collection)
        if thing.type == "ARMATURE":
            for index, bone in bones_of(thing).items():
                yield from _of_bone(index, bone, thing)
        elif thing.type == "MESH":
            yield from _of_mesh(thing, collection)
    for index, material in imported_materials(meshes, collection[IMPORT]).items():
        yield from _of_material(index, material)
    yield from map(_curves, _marked_actions(collection))


def _marked_actions(collection: bpy.types.Collection) -> list[bpy.types.Action]:
    return [action for action in bpy.data.actions if _PRINTS in action and action.get(IMPORT) == collection[IMPORT]]


def _key_of(thing: bpy.types.Object | None, collection: bpy.types.Collection) -> str | None:
    """Returns the key of an object of an import, or of the armature that it shares; the name of any other object."""
    if thing is None:
        return None
    is_own = collection.objects.get(thing.name) == thing or thing == shared_armature(collection)
    return thing.get(_OBJECT) if is_own else f"other object {thing.name}"


def _of_object(thing: bpy.types.Object, collection: bpy.types.Collection) -> Iterator[_Property]:
    key, name = thing[_OBJECT], thing.name
    turn = tuple(thing.rotation_euler), tuple(thing.rotation_quaternion), thing.rotation_mode
    place = tuple(thing.location), turn, tuple(thing.scale), [tuple(row) for row in thing.matrix_parent_inverse]
    yield _Property(f"{key} place", "objects were moved, turned or scaled", name, place)
    parent = thing.parent
    bone = parent.data.bones.get(thing.parent_bone) if parent and parent.type == "ARMATURE" else None
    above = _key_of(parent, collection), thing.parent_type, bone and bone.get(BONE)
    yield _Property(f"{key} parent", "objects have other parents", name, above)
    deltas = tuple(thing.delta_location), tuple(thing.delta_rotation_euler), tuple(thing.delta_rotation_quaternion), tuple(thing.delta_scale)
    yield _Property(f"{key} deltas", "objects were moved, turned or scaled", name, deltas)
    modifiers = [(own.type, own.type == "ARMATURE" and _key_of(own.object, collection)) for own in thing.modifiers]
    yield _Property(f"{key} modifiers", "objects have other modifiers or constraints", name, (modifiers, [own.type for own in thing.constraints]))
    settings = [[getattr(own, setting) for setting in _OF_ARMATURES] for own in thing.modifiers if own.type == "ARMATURE"]
    yield _Property(f"{key} deforming", "armatures deform objects otherwise", name, settings)
    drivers = sum(len(data.drivers) for data in _animations_of(thing))
    yield _Property(f"{key} drivers", "objects have drivers", name, drivers)
    is_armature = thing.type == "ARMATURE"
    change = "names of armatures" if is_armature else "objects were renamed"
    yield _Property(f"{key} own name", change, name, name, is_noted=is_armature)
    if thing.data is not None:
        yield _Property(f"{key} data name", "names of the data of objects", name, thing.data.name, is_noted=True)


def _of_bone(index: int, bone: bpy.types.Bone, armature: bpy.types.Object) -> Iterator[_Property]:
    own = armature.pose.bones[bone.name]
    yield _Property(parent_of(index), "bones have other parents", bone.name, bone.parent and bone.parent.get(BONE, bone.parent.name))
    flags = (*_settings(bone), own.rotation_mode)
    yield _Property(f"bone {index} flags", "bones have other settings", bone.name, flags)
    yield _Property(f"bone {index} relative", "bones have other settings", bone.name, bone.use_relative_parent)
    yield _Property(f"bone {index} length", "lengths of bones", bone.name, round(bone.length, 5), is_noted=True)
    yield _Property(f"bone {index} constraints", "bones have constraints", bone.name, [constraint.type for constraint in own.constraints])
    for channel, name in CHANNELS.items():
        yield _Property(pose_of(index, channel), "bones have a pose that no action has", bone.name, tuple(getattr(own, name)))


def _settings(bone: bpy.types.Bone) -> tuple[Any, ...]:
    return bone.use_deform, bone.use_inherit_rotation, bone.use_local_location, bone.inherit_scale, bone.bbone_segments


_USUAL = (True, True, True, "FULL", 1)
"""The settings of bones that Blender makes."""


def has_settings(bone: bpy.types.Bone, armature: bpy.types.Object) -> bool:
    """Returns whether a bone that an import did not make has properties that files do not have."""
    own = armature.pose.bones[bone.name]
    moved = np.abs(np.array(own.matrix_basis) - np.eye(4)).max() > 1e-6
    return bool(moved or len(own.constraints) or _settings(bone) != _USUAL)


def _of_mesh(thing: bpy.types.Object, collection: bpy.types.Collection) -> Iterator[_Property]:
    key, name, data = thing[_OBJECT], thing.name, thing.data
    slots = [None if own is None else own[MATERIAL] if is_of(own, collection[IMPORT]) else own.name for own in data.materials]
    yield _Property(f"{key} slots", "objects have other materials", name, slots)
    of_object = [(number, own.material and own.material.name) for number, own in enumerate(thing.material_slots) if own.link == "OBJECT"]
    yield _Property(f"{key} slots of the object", "objects have other materials", name, of_object)
    yield _Property(f"{key} faces", "faces have other materials", name, _all(data.polygons, "material_index", np.int32))
    shading = _all(data.polygons, "use_smooth", bool) + _all(data.edges, "use_edge_sharp", bool)
    yield _Property(f"{key} shading", "faces are shaded otherwise", name, shading)
    colors = [own.name for own in data.color_attributes if not own.name.startswith(_INTERNAL)]
    yield _Property(f"{key} colors", "meshes have other colour attributes", name, colors)
    yield _Property(f"{key} uvs", "names of sets of texture coordinates", name, [own.name for own in data.uv_layers], is_noted=True)
    keys = data.shape_keys
    for number, block in enumerate(keys.key_blocks if keys else ()):
        label = f"{name}: {block.name}"
        if block != keys.reference_key or not keys.use_relative:
            # That of the first one has no effect, and is 0 or 1 depending on the version of Blender.
            yield _Property(shape_value_of(int(thing[MESH]), number), "shape keys have a value that no action has", label, block.value)
        above = block.relative_key.name if keys.use_relative else None
        settings = block.mute, block.vertex_group, above
        sliders = block.slider_min, block.slider_max
        yield _Property(f"{key} shape {number} range", "ranges of shape keys", label, sliders, is_noted=True)
        yield _Property(f"{key} shape {number} settings", "shape keys have other settings", label, settings)


def _of_material(index: int, material: bpy.types.Material) -> Iterator[_Property]:
    nodes = material.node_tree.nodes if material.node_tree else ()
    links = [(link.from_node, link.from_socket, link.to_node, link.to_socket) for link in material.node_tree.links] if nodes else []
    ends = sorted((a.type, out.name, b.type, into.name) for a, out, b, into in links)
    blending = material.surface_render_method, material.use_backface_culling
    yield _Property(f"material {index} nodes", "materials have other nodes or blending", material.name, (ends, blending))
    names = sorted(node.name for node in nodes), sorted(node[TEXTURE] for node in nodes if TEXTURE in node)
    yield _Property(f"material {index} names of nodes", "materials have other nodes or blending", material.name, names)
    yield _Property(f"material {index} display", "colours of materials in the viewport", material.name, tuple(material.diffuse_color), is_noted=True)
    yield _Property(f"material {index} use", "materials have other nodes or blending", material.name, material.use_nodes)
    animated = [own for own in (material, material.node_tree) if own is not None and own.animation_data]
    moved = [(own.animation_data.action is not None, len(own.animation_data.drivers), len(own.animation_data.nla_tracks)) for own in animated]
    yield _Property(f"material {index} animation", "materials have animations or drivers", material.name, [own for own in moved if any(own)])
    shader = shader_of(material)
    for node in nodes:
        # The export writes what it can of the inputs of the shader.
        values = _settings_of(node) if node == shader else itertools.chain(_inputs_of(node), _settings_of(node))
        for name, value in values:
            yield _Property(f"material {index} {node.name} {name}", "materials have other values", f"{material.name}: {node.name}", value)
    for own in shader.inputs if shader else ():
        if own.name not in _CLAIMED_INPUTS and hasattr(own, "default_value"):
            yield _Property(f"material {index} {own.identifier}", "materials have other values", f"{material.name}: {own.name}", _input(own))


def _inputs_of(node: Any) -> Iterator[tuple[str, Any]]:
    """Yields the values of inputs without a link."""
    for own in node.inputs:
        if not own.links and hasattr(own, "default_value"):
            yield own.identifier, _input(own)


def _settings_of(node: Any) -> Iterator[tuple[str, Any]]:
    """Yields what else decides on the result of a node, but for its image, whose name is written."""
    if getattr(node, "node_tree", None):
        yield "group", node.node_tree.name
    yield from _values_of(node)
    for name in ("texture_mapping", "color_mapping", "image_user"):
        own = getattr(node, name, None)
        yield from ((f"{name}.{setting}", value) for setting, value in (_values_of(own) if own else ()))
    # Another image has settings of its own.
    if getattr(node, "image", None) and node.get(IMAGE) == name_of_image(node.image):
        yield "colours", node.image.colorspace_settings.name
        yield "opacity", node.image.alpha_mode
        yield "source", node.image.source


def _values_of(item: Any) -> Iterator[tuple[str, Any]]:
    """Yields the values that can be set, but for those of the display."""
    for own in item.bl_rna.properties:
        is_shown = own.identifier in _OF_NODE_DISPLAY or own.identifier.startswith(("show_", "bl_"))
        if own.type not in {"POINTER", "COLLECTION"} and not own.is_readonly and not is_shown:
            value = getattr(item, own.identifier)
            yield own.identifier, tuple(value) if getattr(own, "is_array", False) else value


_OF_NODE_DISPLAY = {
    *("hide", "select", "name", "label", "location", "location_absolute", "width", "height", "use_custom_color", "color", "warning_propagation"),
    # Blender sets it while it draws.
    "frame_current",
}


def _input(own: Any) -> Any:
    value = own.default_value
    if own.name == "Emission Strength":
        # Whether there is emission is written with its colour.
        return value if value not in {0.0, 1.0} else None
    return value if isinstance(value, (float, int, str)) else tuple(value)


def _curves(action: bpy.types.Action) -> _Property:
    parts = [(curve.data_path, is_muted(curve), _all(curve.keyframe_points, "co", np.float32, 2)) for curve in (*channels_of(action), *in_other_slots(action))]
    return _Property(f"action {list(action[CLIP])} {action[MESH]}", "keys of shape keys were changed", action.name, parts)


def _all(items: Any, name: str, kind: Any, width: int = 1) -> bytes:
    values = np.zeros(len(items) * width, kind)
    items.foreach_get(name, values)
    return values.tobytes()
