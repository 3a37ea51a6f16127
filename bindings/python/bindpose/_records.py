"""Results, as named tuples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from ._bindpose import BindposeError, File

    Floats = npt.NDArray[np.float32]
    """Floats of 32 bits; a `memoryview` without numpy. Arrays are read-only: copy one to change it."""
    Indices = npt.NDArray[np.uint32]
    """Integers; a `memoryview` without numpy."""
    _Rows = Any
    """An array of numpy, or a `memoryview` without it, where a scene gives it; nested sequences of numbers are accepted, too."""
    _Array = npt.NDArray[np.number[Any]]
    """An array that is accepted; a scene gives a tuple."""

Verdict = Literal["lossless", "damaged", "undecodable", "unknown-format", "limit", "not-lossless"]
Severity = Literal["error", "warning", "info", "hint"]
Kind = Literal["bone", "material", "clip", "texture"]


_T = TypeVar("_T")


def _is_same(a: Any, b: Any) -> bool:
    if hasattr(a, "shape") or hasattr(b, "shape"):
        return getattr(a, "shape", None) == getattr(b, "shape", None) and _is_all(a == b)
    if type(a) in {list, tuple} and type(b) in {list, tuple}:
        return len(a) == len(b) and all(map(_is_same, a, b))
    return bool(a == b)


def _is_all(same: Any) -> bool:
    return bool(same.all() if hasattr(same, "all") else same)


def _compares_arrays(cls: type[_T]) -> type[_T]:
    """Compares records by the values of their arrays; a tuple would compare arrays with arrays."""

    def __eq__(self: Any, other: object) -> bool:
        return isinstance(other, cls) and all(map(_is_same, self, other))  # type: ignore[call-overload]

    def __ne__(self: Any, other: object) -> bool:
        return not self == other

    for method in (__eq__, __ne__):
        setattr(cls, method.__name__, method)
    cls.__hash__ = None  # type: ignore[assignment]
    return cls


class Rule(NamedTuple):
    """A rule that valid files obey."""

    code: str
    """Family and name: `psk/weight-bone-out-of-range`. Rules of the family `any` apply to all formats."""
    severity: Severity
    """The severity of a violation."""
    summary: str
    """What a violation is, in one sentence."""
    why: str
    """Why it matters, how tools react, and what to do."""
    source: str
    """The source of the rule."""
    example: str
    """An example of a finding: the path and the message."""
    fixable: bool
    """Whether `bindpose check --fix` can repair some violations."""


class Format(NamedTuple):
    """A supported format."""

    name: str
    """The short name: `ms3d`."""
    title: str
    """The full name."""
    extensions: list[str]
    """File extensions without the dot."""
    dialects: list[str]
    """The dialects, the default first; empty if there is only one layout."""
    versions: list[str]
    """The versions and encodings that `Scene.write` accepts after the name, as in `x:bin`, the usual one first; files state theirs."""
    forms: list[str]
    """The forms that files with the same content can have, as in `File.in_form`, the usual one first; empty if there is one."""
    magic: bytes
    """The bytes at the start of every file; empty if there are none."""
    writable: bool
    """Whether `Scene.write` can write it."""


class Finding(NamedTuple):
    """A violation of a rule at a place in a file."""

    rule: str
    """The code of the rule: `any/not-finite`."""
    severity: Severity
    """The severity of the rule."""
    path: str
    """The field, record or list; empty if the file as a whole is meant."""
    start: int
    """The offset of its first byte."""
    end: int
    """The offset after its last byte."""
    message: str
    """What is wrong, with the actual and the expected value."""


class Report(NamedTuple):
    """The findings in a file."""

    findings: list[Finding]
    """The findings in the order of the file, up to the maximum per rule."""
    more: dict[str, int]
    """The number of further findings, by the code of the rule."""


class Outcome(NamedTuple):
    """Whether a file re-encodes identically."""

    verdict: Verdict
    """`lossless`; `damaged` if the file re-encodes identically but cannot be decoded to its end; `undecodable`;
    `unknown-format`; `limit` if it exceeds a limit; `not-lossless` for a bug in bindpose."""
    error: BindposeError | None
    """Where and why, unless the verdict is `lossless`."""
    format: str | None
    """The name of the format; `None` if it is unknown."""
    dialect: str | None
    """The dialect of the file; `None` if the format has one layout."""
    writer: str | None
    """The program that wrote the file; `None` if it left no marks."""
    opaque: int
    """The number of bytes without known meaning."""
    rest: int
    """The number of bytes after the place where decoding stopped."""


class Examination(NamedTuple):
    """The verdict on a file and its findings."""

    outcome: Outcome
    """Whether the file re-encodes identically."""
    findings: list[Finding]
    """The findings; of a file that cannot be decoded, possible causes."""
    more: dict[str, int]
    """The number of further findings, by the code of the rule."""


class Field(NamedTuple):
    """A field of a file with its bytes."""

    start: int
    """The offset of the first byte."""
    end: int
    """The offset after the last byte."""
    path: str
    """The path."""
    type: str
    """The type: `u16`, `f32`, `text`, `blob`."""
    value: int | float | str | bytes
    """The value."""


class Entry(NamedTuple):
    """An object of a file, or a group of objects of one kind."""

    kind: str
    """What it is: `bone`, `bones` for their group, or the name of a template of `.x`."""
    name: str | None
    """The name; `None` for a group, and for an object of `.x` without a name."""
    contents: list[str]
    """What it contains: `24 vertices`, or the path of a texture."""
    path: str | None
    """The path of its record; of a mesh, that of its first list of positions. `None` if no record of the file is the object."""
    offset: int | None
    """The offset of the first byte of the values at the path."""
    size: int | None
    """The number of bytes from there to the end of the last value at the path."""
    children: list[Entry]
    """The entries below it."""


class Difference(NamedTuple):
    """A difference between two files."""

    path: str
    """The path in the first file, or in the second if the first does not have it."""
    change: Literal["changed", "added", "removed", "moved"]
    """The kind of difference."""
    a: str | int | None
    """The value in the first file as text; for `moved`, the index."""
    b: str | int | None
    """The value in the second file as text; for `moved`, the index."""
    a_range: tuple[int, int]
    """The bytes in the first file; an empty range at the place of insertion if it does not have the value."""
    b_range: tuple[int, int]
    """The bytes in the second file; an empty range at the place of insertion if it does not have the value."""


class Name(NamedTuple):
    """The name of an object, where the object is defined or where another one refers to it."""

    kind: Kind
    """The kind of the object."""
    text: str
    """The name."""
    path: str
    """The field."""
    is_definition: bool
    """Whether the object is defined here. Paths of images are not definitions."""


class Reference(NamedTuple):
    """A value that refers to an object by index or name."""

    path: str
    """The field."""
    kind: str
    """The kind of the object: `bone`, `vertex`."""
    status: Literal["object", "none", "missing", "elsewhere"]
    """Whether it refers to an object of the file, to none, to one that is not there, or to one of another file."""
    target: str | None
    """The path of the object."""


class Renamed(NamedTuple):
    """A name that was replaced."""

    file: int
    """The index of the file among the arguments."""
    kind: Kind
    """The kind of the object."""
    path: str
    """The field."""
    old: str
    """The former name."""
    new: str
    """The new name."""


class LostField(NamedTuple):
    """A difference between a damaged file and the valid file made from it."""

    path: str
    """The list or field in the damaged file; empty if the file as a whole is meant."""
    message: str
    """What is lost or changed."""


class Rescued(NamedTuple):
    """A valid file with what could be read of a damaged one."""

    data: bytes
    """The bytes of the valid file."""
    losses: list[LostField]
    """What differs from the damaged file; empty if it was not damaged."""


class Repaired(NamedTuple):
    """A violation of a rule that was repaired."""

    rule: str
    """The code of the rule."""
    start: int
    """The offset of the first replaced byte, in the file after the repairs before this one."""
    end: int
    """The offset after the last one."""
    message: str
    """What was wrong."""


class Fixed(NamedTuple):
    """A repaired file."""

    data: bytes
    """The bytes of the file."""
    repairs: list[Repaired]
    """The repairs in their order; empty if there was nothing to repair."""


class Proposal(NamedTuple):
    """The dialect that fits a file best."""

    dialect: str
    """The dialect."""
    why: str
    """The reason."""


class Conflict(NamedTuple):
    """A place that two edits of a file have changed."""

    place: str
    """The path in the original."""
    ours: str
    """What the first edit did there."""
    theirs: str
    """What the second edit did there."""


class Merged(NamedTuple):
    """A file with two edits."""

    file: File
    """The file; where the edits conflict, with the first one."""
    conflicts: list[Conflict]
    """The differences that contradict each other."""
    caused: list[Finding]
    """The findings of the result that follow from neither edit alone."""


class Measure(NamedTuple):
    """How far a result is off, at most."""

    metres: float
    """The distance in metres."""
    degrees: float
    """The angle in degrees."""
    scale: float
    """The difference of scale."""
    seconds: float | None
    """The time in seconds at which it is off most, if it is known."""


class Loss(NamedTuple):
    """Contents that a scene or a format cannot represent, or that are invalid."""

    file: str
    """The name of the file."""
    what: str
    """The lost contents."""
    why: str
    """The reason."""
    kind: str
    """``geometry``, ``motion``, ``material``, ``names`` or ``metadata``."""
    name: str
    """What is lost and why, in one word: ``unused-vertices``."""
    subjects: tuple[tuple[str, str], ...]
    """The kinds and names of the objects that have the loss; one of another kind contains those before."""
    count: int | None  # type: ignore[assignment]  # named as in reports; it hides a method of tuples
    """How many are lost, if they are counted."""
    measure: Measure | None
    """How far the result is off."""
    avoid: tuple[str, float | None] | None
    """The argument that avoids the loss, and its value if it is known: of `Scene` for what is lost in reading, of `Scene.write` otherwise."""


class Written(NamedTuple):
    """The files that represent a scene."""

    paths: list[Path]
    """The files."""
    losses: list[Loss]
    """What they do not represent, in addition to `Scene.losses`."""


@_compares_arrays
class Source(NamedTuple):
    """The records of a file that values of a scene come from, such as the positions of a mesh or the keys of a curve.

    A value whose components are in several fields has a source for each of them.

    >>> scene = bindpose.scene("hero.ms3d")
    >>> positions = next(source for source in scene.sources if source.mesh == 0 and source.attribute == "position")
    >>> positions.path(1)
    'vertices[1].position'
    """

    file: int
    """The index of the file among the arguments of `scene`."""
    list: str
    """The path of the list of records; for a material, that of the record."""
    field: str
    """The field of a record with the value; empty if the record itself is the value."""
    records: Indices
    """(n,): the index of the record of each vertex, triangle, displacement or key; 4294967295 where the value comes from no
    record. A curve can have further keys, which come from no record. Empty for a material."""
    attribute: Literal["position", "normal", "uv", "color", "displacement", "translation", "rotation", "scale", "emissive"]
    """What the values are."""
    mesh: int | None
    """The index of the mesh, for its vertices, its triangles, or the displacements of a morph target."""
    uv_set: int | None
    """The index of the set of texture coordinates, for `uv`."""
    corner: int | None
    """0, 1 or 2 if the records are those of the triangles: the corner that has the value. `None` for the vertices."""
    morph: int | None
    """The index of the morph target, for `displacement`."""
    clip: int | None
    """The index of the clip, for keys."""
    bone: int | None
    """The index of the bone, for keys."""
    material: int | None
    """The index of the material."""

    def path(self, index: int = 0) -> str:
        """Returns the path of the value that a vertex, triangle, displacement or key comes from."""
        record = self.list if self.material is not None else f"{self.list}[{self.records[index]}]"
        separator = "." if record and self.field and self.field[0] != "[" else ""
        return f"{record}{separator}{self.field}"


class Bone(NamedTuple):
    """A bone in the bind pose, relative to its parent: scale, then rotation, then translation."""

    name: str
    """The name, which need not be unique."""
    parent: int | None = None
    """The index of the parent, which can follow its child; `None` for a root."""
    translation: tuple[float, float, float] | _Array = (0.0, 0.0, 0.0)
    """The translation in metres."""
    rotation: tuple[float, float, float, float] | _Array = (0.0, 0.0, 0.0, 1.0)
    """The rotation as a unit quaternion x, y, z, w."""
    scale: tuple[float, float, float] | _Array = (1.0, 1.0, 1.0)
    """The scale factors."""


@_compares_arrays
class Pose(NamedTuple):
    """The transforms of n bones; of t times, if several were asked for: their arrays begin with a dimension of t."""

    translations: Floats
    """(n, 3): translations relative to the parents, in metres."""
    rotations: Floats
    """(n, 4): rotations relative to the parents, as unit quaternions x, y, z, w."""
    scales: Floats
    """(n, 3): scale factors."""
    local: Floats
    """(n, 4, 4): the matrices of these transforms, from bone space to the space of the parent."""
    model: Floats
    """(n, 4, 4): the matrices from bone space to model space."""


class Attachment(NamedTuple):
    """A named place, such as the socket that a weapon is attached to, relative to its bone."""

    name: str
    """The name."""
    bone: int | None = None
    """The index of the bone; `None` for a place in model space."""
    translation: tuple[float, float, float] | _Array = (0.0, 0.0, 0.0)
    """The translation in metres."""
    rotation: tuple[float, float, float, float] | _Array = (0.0, 0.0, 0.0, 1.0)
    """The rotation as a unit quaternion x, y, z, w."""
    scale: tuple[float, float, float] | _Array = (1.0, 1.0, 1.0)
    """The scale factors."""


@_compares_arrays
class Skeleton(NamedTuple):
    """A hierarchy of n bones with one or several roots."""

    bones: tuple[Bone, ...]
    """The bones."""
    parents: npt.NDArray[np.int32]
    """(n,): the indices of the parents; -1 for roots."""
    bind_pose: Pose
    """The bind pose."""


@_compares_arrays
class Primitive(NamedTuple):
    """Triangles of one material."""

    name: str = ""
    """The name; often empty."""
    material: int | None = None
    """The index of the material."""
    triangles: _Rows = ()
    """(t, 3): the indices of the vertices, counterclockwise seen from outside."""


@_compares_arrays
class Morph(NamedTuple):
    """A morph target: d displaced vertices."""

    name: str
    """The name."""
    vertices: _Rows
    """(d,): the indices of the vertices, ascending. No two are equal."""
    positions: _Rows
    """(d, 3): displacements of positions in metres."""
    normals: _Rows | None = None
    """(d, 3): displacements of normals."""


@_compares_arrays
class Mesh(NamedTuple):
    """Triangles over v shared vertices, with a skin of j joints and at most k influences per vertex."""

    name: str = ""
    """The name."""
    bone: int | None = None
    """The bone that a mesh without a skin is attached to; its vertices are in the space of that bone. All other vertices are in
    model space, in the bind pose."""
    positions: _Rows = ()
    """(v, 3): positions in metres."""
    normals: _Rows | None = None
    """(v, 3): normals, which point outwards."""
    tangents: _Rows | None = None
    """(v, 4): the direction of increasing u, and 1 if v increases along the cross product of normal and tangent, otherwise -1."""
    uvs: Sequence[_Rows] = ()
    """(v, 2) each: sets of texture coordinates from the top left."""
    colors: _Rows | None = None
    """(v, 4): red, green, blue and alpha from 0 to 1."""
    triangles: _Rows = ()
    """(t, 3): the triangles of all primitives."""
    primitives: Sequence[Primitive] = ()
    """The triangles by material."""
    joints: _Rows | None = None
    """(v, k): the joints that move each vertex, the strongest first; 0 in unused places. `None` without a skin."""
    weights: _Rows | None = None
    """(v, k): their weights, which sum to 1; 0 in unused places."""
    joint_bones: _Rows | None = None
    """(j,): the bone of each joint."""
    inverse_binds: _Rows | None = None
    """(j, 4, 4): the matrices from mesh space to bone space in the bind pose."""
    morphs: Sequence[Morph] = ()
    """The morph targets."""


@_compares_arrays
class PosedMesh(NamedTuple):
    """The v vertices of a mesh in a pose, in model space."""

    positions: Floats
    """(v, 3): positions in metres."""
    normals: Floats | None
    """(v, 3): normals of unit length; `None` if the mesh has none."""


class Material(NamedTuple):
    """A material."""

    name: str
    """The name."""
    color: tuple[float, float, float, float] | _Array = (1.0, 1.0, 1.0, 1.0)
    """The base colour: red, green, blue and opacity from 0 to 1."""
    emissive: tuple[float, float, float] | _Array = (0.0, 0.0, 0.0)
    """The emissive colour: red, green and blue from 0 to 1. Added to the lit colour before the texture is multiplied with the sum."""
    textures: Sequence[str] = ()
    """The paths of the textures as in the file, that of the colour first: see `texture_roles`."""
    alpha: Literal["opaque", "mask", "blend", "additive", "modulate"] = "opaque"
    """How it is blended with what is behind it: the alpha modes of glTF, and two that it lacks."""
    double_sided: bool = False
    """Whether back faces are visible."""
    unlit: bool = False
    """Whether the material is unlit."""
    ambient: tuple[float, float, float] | _Array = (0.0, 0.0, 0.0)
    """The ambient colour of fixed-function lighting: red, green and blue; zero if the format does not store it."""
    specular: tuple[float, float, float] | _Array = (0.0, 0.0, 0.0)
    """The specular colour of fixed-function lighting."""
    shininess: float = 0.0
    """The specular exponent."""
    texture_roles: Sequence[str] = ()
    """What each texture is for: `"color"`, `"normal"`, `"emission"` and others, or `"other"`."""

    @property
    def color_texture(self) -> str | None:
        """The path of the colour texture."""
        return next((path for path, role in zip(self.textures, self.texture_roles) if role == "color"), None)


@_compares_arrays
class Curve(NamedTuple):
    """Keys of k times; constant before the first key and after the last one."""

    times: _Rows
    """(k,): the times in seconds, ascending. No two are equal."""
    values: _Rows
    """(k, 3) for translations and scales, (k, 4) for rotations as unit quaternions x, y, z, w, (k,) for weights."""
    interpolation: Literal["step", "linear", "cubic-spline"] = "linear"
    """The interpolation, as in glTF; rotations follow the shortest arc."""
    tangents: _Rows | None = None
    """(k, 2, ...): in and out tangents of a cubic spline, per second."""


class Track(NamedTuple):
    """The animation of a bone, relative to its parent. A channel without a curve keeps the value of the bind pose."""

    bone: int
    """The index of the bone."""
    translation: Curve | None = None
    """The translation in metres."""
    rotation: Curve | None = None
    """The rotation."""
    scale: Curve | None = None
    """The scale factors."""


class MorphTrack(NamedTuple):
    """The weight of morph targets over time."""

    targets: str | Sequence[tuple[int, int]]
    """The name of the targets in any mesh; or single targets, each by the index of its mesh and its index there."""
    weight: Curve
    """The weight."""
