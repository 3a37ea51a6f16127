"""Types of the compiled module; its docstrings describe the functions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from re import Pattern
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, TypeVar, final, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer, Unpack

from ._records import (
    Bone,
    Attachment,
    Difference,
    Entry,
    Examination,
    Field,
    Fixed,
    Format,
    Loss,
    Material,
    Mesh,
    Merged,
    MorphTrack,
    Name,
    Reference,
    Outcome,
    Pose,
    PosedMesh,
    Proposal,
    Renamed,
    Report,
    Rescued,
    Rule,
    Skeleton,
    Source,
    Track,
    Written,
)

_T = TypeVar("_T")
_Path: TypeAlias = str | PathLike[str]
_Buffer: TypeAlias = Buffer | npt.NDArray[Any]
_Input: TypeAlias = _Path | _Buffer | _Readable | _ArchivePath
_New: TypeAlias = int | float | np.generic | str | _Buffer | Sequence[_New]
_Images: TypeAlias = Mapping[str, _Buffer | str | PathLike[str]]
_Axis: TypeAlias = Literal["y", "z"]
_Names: TypeAlias = str | Pattern[str] | Sequence[str | Pattern[str]]

class _Readable(Protocol):
    def read(self) -> bytes: ...

class _ArchivePath(Protocol):
    def read_bytes(self) -> bytes: ...

class _Writable(Protocol):
    def write(self, data: bytes, /) -> int | None: ...

class _Options(TypedDict, total=False):
    up: _Axis | None
    unit: float | None
    rate: float | None
    max_influences: int | None
    tangents: bool
    clip: str | None
    program: Literal["ue2", "ue4", "blender", "umodel"] | None

__version__: str

class BindposeError(ValueError):
    """A file that cannot be decoded or encoded, a path that selects nothing, or a value that does not fit.

    Attributes:
        offset (int): the byte of the file; 0 if the error concerns no byte.
        path (str): the field, such as `joints[3].name`; empty if there is none.
        kind (str): `truncated`, `magic`, `unknown-format`, `foreign`, `empty`, `count`, `unknown`, `limit`, `syntax`,
            `encode`, `path`, `value`, `io` or `internal`.
        message (str): the reason without offset and path.
    """
    offset: int
    path: str
    kind: Literal[
        "truncated",
        "magic",
        "unknown-format",
        "foreign",
        "empty",
        "count",
        "unknown",
        "limit",
        "syntax",
        "encode",
        "path",
        "value",
        "io",
        "internal",
    ]
    message: str

@final
class Limits:
    """Limits on the resources that decoding one file takes.

    Args:
        max_memory: the memory in bytes for a file of any size; by default 256 MiB.
        max_memory_per_byte: additional memory in bytes for each byte of the file; by default 8.
        max_depth: the deepest nesting of objects; by default 1048576.

    >>> bindpose.Limits(max_memory=1 << 20)
    Limits(max_memory=1048576, max_memory_per_byte=8, max_depth=1048576)
    """
    def __new__(
        cls, *, max_memory: int | None = None, max_memory_per_byte: int | None = None, max_depth: int | None = None
    ) -> Limits: ...
    @staticmethod
    def none() -> Limits:
        """Limits that allow everything, for trusted files."""
    @property
    def max_memory(self) -> int:
        """The memory in bytes for a file of any size."""
    @property
    def max_memory_per_byte(self) -> int:
        """Additional memory in bytes for each byte of the file."""
    @property
    def max_depth(self) -> int:
        """The deepest nesting of objects."""

@final
class File:
    """A decoded file.

    `file[path]` is the value at a path such as `joints[3].name`: a number, a text, bytes, a tuple for an array of fixed length,
    a `Record`, a `List`, or `None` for a part that is not present. A path that selects several values, such as
    `joints[*].name`, gives a list. Assigning changes these values and no other byte.

    >>> hero = bindpose.open("hero.ms3d")
    >>> hero["joints[0].name"]
    'root'
    >>> hero["joints[0].name"] = "hips"
    >>> hero["joints[*].name"]
    ['hips', 'top']
    """
    @property
    def name(self) -> str:
        """The name without folder and extension; empty for a file from a buffer."""
    @property
    def format(self) -> str:
        """The name of the format, such as `ms3d`."""
    @property
    def dialect(self) -> str | None:
        """The dialect; `None` if the format has one layout."""
    @property
    def form(self) -> str | None:
        """The form: one of `Format.forms`; `None` if the format has one."""
    @property
    def extension(self) -> str:
        """The usual extension of files of this format, dialect and version, without the dot."""
    @property
    def writer(self) -> str | None:
        """The program that wrote the file; `None` if it left no marks."""
    @property
    def damage(self) -> BindposeError | None:
        """Where and why decoding stopped, as a `BindposeError`; `None` if the file is not damaged."""
    def __getitem__(self, path: str, /) -> Any: ...
    def __setitem__(self, path: str, value: _New, /) -> None: ...
    def __delitem__(self, path: str, /) -> None: ...
    def __contains__(self, path: str, /) -> bool: ...
    @overload
    def get(self, path: str) -> Any:
        """Returns the value at a path, or `default` if the path selects nothing.

        >>> bindpose.open("hero.ms3d").get("joints[7].name", "none")
        'none'
        """
    @overload
    def get(self, path: str, default: _T) -> Any | _T:
        """Returns the value at a path, or `default` if the path selects nothing.

        >>> bindpose.open("hero.ms3d").get("joints[7].name", "none")
        'none'
        """
    def get_all(self, path: str) -> list[tuple[str, int | float | str | bytes]]:
        """Returns all single values at a path, each with its own path: those that a pattern selects, and all that a record or a
        list consists of.

        >>> bindpose.open("hero.ms3d").get_all("joints[*].name")
        [('joints[0].name', 'root'), ('joints[1].name', 'top')]

        Raises:
            BindposeError: if the path is malformed or selects nothing.
        """
    def update(self, values: Mapping[str, _New]) -> None:
        """Assigns values by their paths, such as those that `get_all` returns, in one pass. All of them change, or none.

        The result is that of assigning each of them.

        >>> hero = bindpose.open("hero.ms3d")
        >>> hero.update({path: 2 * value for path, value in hero.get_all("vertices[*].position")})
        >>> hero["vertices[1].position"]
        (2.0, 0.0, 0.0)

        Raises:
            BindposeError: if a path selects nothing, or a value does not fit.
        """
    def append(self, path: str, objects: str | None = None) -> str | None:
        """Appends an element of zeros to the list at a path, also to lists that must have the same length. Returns its path.

        >>> hero = bindpose.open("hero.ms3d")
        >>> hero.append("joints")
        'joints[2]'

        With `objects`, appends objects of an `.x` file, given as text, to the object at a path, or to the file if the path is empty.

        >>> model = bindpose.open("hero.x")
        >>> model.append("", "AnimTicksPerSecond {\\n 30;\\n}")
        'AnimTicksPerSecond[1]'

        Raises:
            BindposeError: if the path does not select a list, its length is fixed, or the text is not one of objects.
        """
    def create(self, path: str, value: str | None = None) -> list[str]:
        """Creates the missing part at a path and its missing parents, and returns their paths.

        A choice takes the form named by `value`, a list gets another element, and a part with a single field takes `value` or
        zero.

        Raises:
            BindposeError: if the part already exists, or another field decides whether it exists.
        """
    def in_form(self, form: str) -> File:
        """Returns the file with the same content in a form of `Format.forms`. Text and binary lose white space, comments and the notation of
        numbers. Binary `.x` files keep the size of floats, unless the form ends with it: `bin64`.

        >>> bindpose.open("hero.x").in_form("bin").encode()[:16]
        b'xof 0303bin 0032'

        Raises:
            BindposeError: if the file has no such form, is damaged, or has content that the other form does not represent.
        """
    def _in_form(self, form: str) -> tuple[File, list[Loss]]: ...
    def array(self, path: str) -> npt.NDArray[Any]:
        """Returns the numbers at a path as a numpy array: `vertices.position` has the shape `(n, 3)`.

        A list that the path names without a selector contributes all its elements. Where elements have a fixed size, the array
        is a read-only view of the bytes of the file, and nothing is copied; after an edit, the file is encoded again first.
        Numbers in text, and elements between parts of variable size, are copied. A record gives a structured array. Without
        numpy, the result is a `memoryview`; that of a structured array has the bytes of each element in its last dimension.

        >>> bindpose.open("hero.ms3d").array("vertices.position").shape
        (6, 3)

        Raises:
            BindposeError: if the path selects nothing, text that is not a number, or elements of different layouts.
        """
    def set_array(self, path: str, values: npt.ArrayLike) -> None:
        """Sets the numbers at a path from an array or a sequence of the same shape. No other byte changes.

        >>> hero = bindpose.open("hero.ms3d")
        >>> hero.set_array("vertices.position", hero.array("vertices.position") * 2)

        Args:
            path: as for `array`.
            values: numbers that the type in the file can store, and only floats are rounded to it; text or bytes for texts of a fixed
                size. For a record, a structured array with fields of the same names, in any order. Without numpy, a buffer of
                exactly the bytes.

        Raises:
            BindposeError: if the path selects nothing, or values that decide how others are read.
            ValueError: if shape, fields, kind, length or range of the values do not fit.
        """
    def encode(self) -> bytes:
        """Returns the bytes of the file. Those of an unchanged file are the bytes that it was decoded from.

        Raises:
            BindposeError: if a list is too long for its count, or lists that share a count have different lengths.
        """
    def save(self, path: _Path | _Writable) -> None:
        """Writes the file to a path: all bytes or, after an error, none. A file object is written directly.

        Raises:
            OSError: if the file cannot be written.
            BindposeError: as `encode`.
        """
    def to_json(self) -> str:
        """Returns the file as JSON, from which `from_json` rebuilds the same bytes."""
    def map(self, path: str | None = None, *, start: int = 0, stop: int | None = None) -> Map:
        """Iterates over the fields of the file in their order: byte range, path, type and value.

        >>> next(bindpose.open("hero.ms3d").map("version")).value
        4

        Args:
            path: only fields within this path; the whole file by default.
            start: only fields that end after this offset. Those before it are not visited.
            stop: only fields that begin before this offset.

        Raises:
            BindposeError: if the path selects nothing.
        """
    def diff(self, other: File) -> list[Difference]:
        """Returns the differences between this file and another of the same format, in the order of this one.

        Elements are matched by name, so an added, removed or renamed one is one difference.

        >>> old, new = bindpose.open("hero.ms3d"), bindpose.open("hero.ms3d")
        >>> new["joints[0].name"] = "hips"
        >>> [(change.path, change.a, change.b) for change in old.diff(new)]
        [('joints[0].name', 'root', 'hips')]

        Raises:
            ValueError: if the files have different formats.
        """
    def check(self, *, most: int = 20) -> Report:
        """Checks the rules of the format. Returns a `Report` with at most `most` findings per rule.

        Raises:
            BindposeError: as `encode`.
        """
    def roundtrip(self) -> Outcome:
        """Encodes the file, decodes it, and compares. Returns an `Outcome`.

        Raises:
            BindposeError: as `encode`.
        """
    def copy(self) -> File:
        """Returns a copy, which changes independently."""
    @staticmethod
    def from_scene(scene: Scene, format: str, **options: Unpack[_Options]) -> File:
        """Returns the only file that represents a scene in a format. `options` are those of `Scene.write`.

        >>> bindpose.File.from_scene(bindpose.scene("hero.ms3d"), "psk").format
        'psk'

        Raises:
            BindposeError: as `Scene.write`, or if the scene has several files of the format.
        """
    def _repr_html_(self) -> str: ...
    def __copy__(self) -> File: ...
    def __deepcopy__(self, memo: Any, /) -> File: ...

@final
class Record:
    """A record of a file: fields by their names, in the order of the file.

    It refers to a path: after elements before it were appended or deleted, it is another record.

    >>> joint = bindpose.open("hero.ms3d")["joints[0]"]
    >>> joint["name"]
    'root'
    >>> joint.keys()[:2]
    ['flags', 'name']
    """
    @property
    def path(self) -> str:
        """The path from the root of the file."""
    def keys(self) -> list[str]:
        """The names of the fields, in the order of the file."""
    def values(self) -> list[Any]:
        """The values of the fields, in the order of the file."""
    def items(self) -> list[tuple[str, Any]]:
        """The names of the fields with their values, in the order of the file."""
    @overload
    def get(self, path: str) -> Any:
        """Returns the value at a path from this record, or `default` if the path selects nothing."""
    @overload
    def get(self, path: str, default: _T) -> Any | _T:
        """Returns the value at a path from this record, or `default` if the path selects nothing."""
    def __getitem__(self, path: str, /) -> Any: ...
    def __setitem__(self, path: str, value: _New, /) -> None: ...
    def __delitem__(self, path: str, /) -> None: ...
    def __contains__(self, path: str, /) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...

@final
class List:
    """A list of a file.

    It has the methods of a sequence; elements are values, records or lists. It refers to a path: after elements before it
    were appended or deleted, it is another list.

    >>> joints = bindpose.open("hero.ms3d")["joints"]
    >>> len(joints)
    2
    >>> [joint["name"] for joint in joints]
    ['root', 'top']
    """
    @property
    def path(self) -> str:
        """The path from the root of the file."""
    def append(self) -> Any:
        """Appends an element of zeros, also to lists that must have the same length, and returns it.

        Raises:
            BindposeError: if the list has a fixed length.
        """
    def index(self, value: object) -> int:
        """Returns the index of the first element that is equal to a value.

        Raises:
            ValueError: if there is none.
        """
    def count(self, value: object) -> int:
        """Returns the number of elements that are equal to a value."""
    def __getitem__(self, index: int | slice | str, /) -> Any: ...
    def __setitem__(self, index: int, value: _New, /) -> None: ...
    def __delitem__(self, index: int, /) -> None: ...
    def __contains__(self, value: object, /) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __reversed__(self) -> Iterator[Any]: ...

@final
class Map:
    """An iterator over the fields of a file."""
    def __iter__(self) -> Map: ...
    def __next__(self) -> Field: ...

@final
class Scene:
    """Bones, meshes, materials and clips of one or several files, in the conventions of glTF.

    It is right-handed with Y up and Z towards the viewer. Lengths are in metres and times in seconds. Matrices multiply column
    vectors. Quaternions are x, y, z, w. Triangles are counterclockwise, seen from outside. Texture coordinates start at the top
    left.

    >>> hero = bindpose.scene("hero.ms3d")
    >>> [bone.name for bone in hero.skeleton.bones]
    ['root', 'top']
    >>> hero.meshes[0].positions.shape
    (6, 3)

    A scene can also be made of parts, and does not change: `replace` returns another one.

    >>> square = bindpose.Mesh("square", positions=[[0, 0, 0], [1, 0, 0], [1, 1, 0]], triangles=[[0, 1, 2]])
    >>> bindpose.Scene(meshes=[square]).write("square.x").losses
    []

    Args:
        name: the name of files and objects without their own.
        skeleton: the bones: a `Skeleton`, or a sequence of `Bone`.
        meshes: the meshes: `Mesh`. Without `primitives`, `triangles` have no material. Without `joint_bones`, the joints are the
            bones; without `inverse_binds`, they are bound in the bind pose of the skeleton.
        materials: the materials: `Material`.
        clips: the animations: `Clip`.
        attachments: the named places on bones: `Attachment`.

    Raises:
        ValueError: if an array has another shape than documented, an index refers to nothing, or a number is infinite or NaN. The
            message names the place.
    """
    def __new__(
        cls,
        *,
        name: str = "scene",
        skeleton: Skeleton | Sequence[Bone] | None = None,
        meshes: Sequence[Mesh] | None = None,
        materials: Sequence[Material] | None = None,
        clips: Sequence[Clip] | None = None,
        attachments: Sequence[Attachment] | None = None,
    ) -> Scene: ...
    def replace(
        self,
        *,
        name: str | None = None,
        skeleton: Skeleton | Sequence[Bone] | None = None,
        meshes: Sequence[Mesh] | None = None,
        materials: Sequence[Material] | None = None,
        clips: Sequence[Clip] | None = None,
        attachments: Sequence[Attachment] | None = None,
    ) -> Scene:
        """Returns the scene with other parts, as for the constructor; those that are not given stay.

        Only a scene that has numbers which are infinite or NaN, as some files do, can get parts with such.

        >>> hero = bindpose.scene("hero.ms3d")
        >>> hero.replace(clips=[]).clips
        ()

        Raises:
            ValueError: as the constructor.
        """
    @property
    def name(self) -> str:
        """The name of the first file, without folder and extension."""
    @property
    def skeleton(self) -> Skeleton:
        """The bones with their bind pose: a `Skeleton`."""
    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """The named places on bones, such as sockets: a tuple of `Attachment`."""
    @property
    def meshes(self) -> tuple[Mesh, ...]:
        """The meshes: a tuple of `Mesh`."""
    @property
    def materials(self) -> tuple[Material, ...]:
        """The materials: a tuple of `Material`."""
    @property
    def clips(self) -> tuple[Clip, ...]:
        """The animations: a tuple of `Clip`."""
    @property
    def images(self) -> dict[str, Path | bytes]:
        """The images of textures, by the names in `Material.textures`: their paths, or their bytes where they are parts of glTF. Textures
        without an image are left out.

        >>> bindpose.scene("hero.ms3d").images
        {}
        """
    @property
    def losses(self) -> list[Loss]:
        """What the scene does not represent: a list of `Loss`. Blend masks, blend profiles and retargeting, which only `write` uses, are
        listed too.
        """
    @property
    def sources(self) -> list[Source]:
        """The records of the files that vertices and keys come from: a list of `Source`.

        Values that are computed from several fields, and those of glTF files, have no source.
        """
    @property
    def bounds(self) -> tuple[tuple[float, float, float], tuple[float, float, float]] | None:
        """The corners of the box around all vertices in the bind pose, in metres; `None` if there are none."""
    def posed(self, clip: Clip | str | int | None = None, seconds: float = 0.0) -> list[PosedMesh]:
        """Returns the vertices of every mesh in model space, with skin and morph targets: a list of `PosedMesh`.

        >>> run = bindpose.scene("body.psk", "run.psa", rate=30)
        >>> run.posed(run.clips[0], 0.5)[0].positions.shape == run.meshes[0].positions.shape
        True

        Args:
            clip: a clip of this scene, its name or its index; the bind pose by default.
            seconds: the time.

        Raises:
            ValueError: if no clip has the name, or the time is not a number.
        """
    def preview(
        self,
        clip: Clip | str | int | None = None,
        seconds: float = 0.0,
        *,
        size: tuple[int, int] = (512, 512),
        yaw: float = 30.0,
        pitch: float = 15.0,
        bones: bool = False,
        background: tuple[int, int, int] | None = None,
    ) -> bytes:
        """Returns a picture of the scene as the bytes of a PNG file, as `bindpose preview` draws it.

        >>> bindpose.scene("hero.ms3d").preview(size=(64, 64))[1:4]
        b'PNG'

        Args:
            clip: a clip of this scene, its name or its index; the bind pose by default.
            seconds: the time.
            size: width and height in pixels, at most 2048.
            yaw: the direction of the camera in degrees: 0 is in front of the model, 90 is on the positive X axis.
            pitch: the elevation of the camera in degrees.
            bones: whether bones are drawn over the meshes.
            background: red, green and blue from 0 to 255; transparent by default.

        Raises:
            ValueError: if the size is 0 or too large, no clip has the name, or the time is not a number.
        """
    def _repr_png_(self) -> bytes: ...
    def select(self, *, clips: _Names | None = None, meshes: _Names | None = None, materials: _Names | None = None) -> Scene:
        """Returns the scene with some of its clips, or with the triangles of some meshes or materials and what they use.

        >>> run = bindpose.scene("body.psk", "run.psa", rate=30)
        >>> [clip.name for clip in run.select(clips="W*").clips]
        ['Wave']

        Args:
            clips: names, globs such as `walk*`, or patterns of `re.compile`; one or a sequence of them. All by default.
            meshes: as `clips`, for the meshes and the groups of triangles in them.
            materials: as `clips`, for the materials that triangles have.

        Raises:
            ValueError: if nothing has one of the names.
        """
    def retarget(self, other: Scene, *, bones: Mapping[str, str] | None = None) -> Scene:
        """Returns this scene with the clips of another one in addition, fitted to its bones.

        Bones are paired by name; bones without a pair keep their bind pose. Both skeletons must have the same pose and orientation in their bind poses.

        >>> hero = bindpose.scene("hero.ms3d")
        >>> [len(clip.tracks) for clip in hero.replace(clips=[]).retarget(hero, bones={"top": "root"}).clips]
        [1]

        Args:
            other: the scene with the clips and their skeleton.
            bones: the names of bones of this scene by those of the other, for bones with other names.

        Raises:
            ValueError: if a bone has no such name, no bones are paired, or the other scene has no bind pose.
        """
    def move_bind_scale(self) -> Scene:
        """Returns the scene with bones whose bind pose has no scale, where vertices can stay where they are at any time.

        The scale moves to the inverse bind matrices, to meshes without a skin, to children and clips. A bone keeps a non-uniform
        scale if a clip turns or scales a bone below it.
        """
    def with_images(self, *files: _Path, textures: Sequence[_Path] = ()) -> Scene:
        """Returns the scene with the images that are found beside files. `scene` finds those beside files that are given by path.

        A texture is searched in the directory of each file by its path and by its name alone, ignoring case, with any extension of an
        image. Materials without a colour texture, as in PSK files, get the image with their name, and those that UE Viewer's `NAME.mat`
        or `NAME.props.txt` lists.

        >>> bindpose.scene("body.psk").with_images("body.psk").images
        {}

        Args:
            files: the files that the scene was built from, or directories that contain them.
            textures: directories that are searched with all below them.
        """
    def to_glb(self, images: _Images | None = None) -> bytes:
        """Returns the scene as the bytes of a `.glb` file.

        >>> hero = bindpose.scene("hero.ms3d")
        >>> hero.to_glb()[:4]
        b'glTF'
        >>> linked = hero.to_glb({texture: "skin.png" for texture in hero.materials[0].textures})
        >>> b"skin.png" in linked
        True

        Args:
            images: the images by the path of their texture, as in `Material.textures`: the bytes of a file, its path as in `Scene.images`,
                or as a string the URI of a PNG or JPEG file. Other formats are converted to PNG. Other textures are left out.

        Raises:
            OSError: if an image cannot be read.
            BindposeError: if the file exceeds 4 GiB, or an image cannot be decoded.
        """
    def to_gltf(self, images: _Images | None = None) -> str:
        """Returns the scene as the text of a `.gltf` file with an embedded buffer; `images` as for `to_glb`."""
    def write(
        self,
        *paths: _Path | _Writable,
        format: str | None = None,
        **options: Unpack[_Options],
    ) -> Written:
        """Writes the scene as files, and returns a `Written`: the paths and what the files do not represent.

        The extensions determine the formats: `.glb`, `.gltf`, or that of a format with `Format.writable`. Give a path for each part
        of a set: `hero.psk` for the mesh and `hero.psa` for the clips. A format with one clip or material per file gives several
        files beside the path. The images that the scene has are embedded in glTF, as PNG unless they are JPEG.

        >>> written = bindpose.scene("hero.ms3d").write("copy.ms3d")
        >>> [path.name for path in written.paths]
        ['copy.ms3d']

        Args:
            paths: the files; existing ones are replaced. A file object gets the bytes of its file; without a name it needs `format`.
            format: the name of the format, with its dialect or version: `"x:bin"`. By default, the extension determines it.
            up: the up axis of the files, `"y"` or `"z"`; by default the convention of the format.
            unit: the length of a unit of the files in metres; by default that of the format.
            rate: frames per second, for formats with a fixed rate.
            max_influences: the maximum number of influences per vertex.
            tangents: whether to compute tangents if the format stores them and the scene has none.
            clip: the name of the clip, for formats with one clip per file.
            program: the program that psk and psa files are for: `"ue2"`, `"ue4"`, `"blender"` or `"umodel"`.

        Raises:
            OSError: if a file cannot be written.
            BindposeError: if scenes cannot be written in a format, or the scene exceeds a limit of it.
            ValueError: if no clip has the name.
        """
    def encode(self, *formats: str, **options: Unpack[_Options]) -> dict[str, bytes]:
        """Returns the files that represent the scene in some formats, by name.

        >>> list(bindpose.scene("body.psk", "run.psa").encode("psk", "psa"))
        ['body.psk', 'body.psa']

        Args:
            formats: the names of formats, as for `write`.
            options: the other keyword arguments of `write`.

        Raises:
            BindposeError: as `write`.
        """
    def _converted(self, formats: Sequence[tuple[str, bool]], **options: Unpack[_Options]) -> tuple[dict[str, bytes], list[Loss]]: ...
    def _repr_html_(self) -> str: ...

@final
class Clip:
    """An animation of a scene. One that is made of tracks is a part of the scene that it is given to.

    >>> walk = bindpose.Clip("walk", [bindpose.Track(0, translation=bindpose.Curve([0, 1], [[0, 0, 0], [0, 0, 2]]))])
    >>> walk.end
    1.0

    Args:
        name: the name.
        tracks: the tracks of bones: `Track`.
        morphs: the tracks of morph targets: `MorphTrack`.
        has_root_motion: whether the movement of the root is that of the character through the world.

    Raises:
        ValueError: if an array has another shape than documented, two keys of a curve have one time, two tracks have one bone, or
            a rotation is zero, infinite or NaN. Other rotations get unit length.
    """
    def __new__(
        cls,
        name: str,
        tracks: Sequence[Track] | None = None,
        morphs: Sequence[MorphTrack] | None = None,
        *,
        has_root_motion: bool = False,
    ) -> Clip: ...
    @property
    def name(self) -> str:
        """The name."""
    @property
    def start(self) -> float:
        """The time of the first key in seconds; 0 if there are no keys."""
    @property
    def end(self) -> float:
        """The time of the last key in seconds; 0 if there are no keys."""
    @property
    def has_root_motion(self) -> bool:
        """Whether the movement of the root is that of the character through the world."""
    @property
    def tracks(self) -> list[Track]:
        """The tracks of bones: a list of `Track`."""
    @property
    def morphs(self) -> list[MorphTrack]:
        """The tracks of morph targets: a list of `MorphTrack`."""
    def sample(self, times: float | np.number[Any] | Iterable[float] | npt.NDArray[np.number[Any]]) -> Pose:
        """Returns the pose of all bones at some times, as `Pose`; bones without a track are in the bind pose.

        >>> clip = bindpose.scene("body.psk", "run.psa", rate=30).clips[0]
        >>> clip.sample([0.0, 0.5]).rotations.shape
        (2, 4, 4)

        Args:
            times: a time in seconds, or a sequence of n times, which become the first dimension of the arrays.
        """

def open(file: _Input, *, format: str | None = None, limits: Limits | None = None) -> File:
    """Opens a file by its path, reads a file object, or decodes a buffer.

    Name and content determine the format. A damaged file is decoded up to the damage: see `File.damage`.

    >>> bindpose.open("hero.ms3d").format
    'ms3d'

    Args:
        file: a path, a file that is opened in binary mode, such as the member of an archive, or a buffer such as `bytes`.
        format: the name of the format, with a dialect if it has several: `max-mesh:p12`.
        limits: limits on the resources that decoding takes.

    Raises:
        OSError: if the file cannot be read; `FileNotFoundError` if there is none.
        BindposeError: if no format matches, or the file cannot be decoded.
    """
def decode(data: _Buffer, *, format: str | None = None, limits: Limits | None = None, name: str = "") -> File:
    """Decodes a file from a buffer: `bytes`, `bytearray`, `memoryview`, `mmap` and others.

    `bytes` are not copied, others are.

    >>> with open("hero.ms3d", "rb") as file:
    ...     bindpose.decode(file.read())["joints[0].name"]
    'root'

    Args:
        data: the bytes.
        format: the name of the format, with a dialect if it has several; by default, the content determines it.
        limits: limits on the resources that decoding takes.
        name: the name of the file without folder and extension, for scenes.

    Raises:
        BindposeError: if no format matches, or the file cannot be decoded.
    """
def from_json(text: str) -> File:
    """Rebuilds a file from the output of `File.to_json`, edited or not.

    Omitted counts, lengths and tags are derived.

    >>> text = bindpose.open("hero.ms3d").to_json()
    >>> bindpose.from_json(text.replace('"top"', '"spine"'))["joints[1].name"]
    'spine'

    Raises:
        BindposeError: if the text is not JSON, does not have the structure of its format, or gives no valid file. `offset` is
            then that in the UTF-8 text.
    """
def blank(format: str) -> File:
    """Returns the smallest valid file of a format.

    >>> bindpose.blank("ms3d")["joints"]
    <List joints, 0 elements>

    Raises:
        BindposeError: if there is no such format.
    """
def roundtrip(file: _Input, *, format: str | None = None, limits: Limits | None = None) -> Outcome:
    """Decodes a file, encodes it, and compares the bytes. Returns an `Outcome`; no content of a file raises an error.

    >>> bindpose.roundtrip("hero.ms3d").verdict
    'lossless'
    >>> bindpose.roundtrip(b"MS3D000000").verdict
    'damaged'

    Args:
        file: a path, a binary file, or a buffer such as `bytes`.
        format: the name of the format; by default, name and content determine it.
        limits: limits on the resources that decoding takes.

    Raises:
        OSError: if the file cannot be read.
    """
def check(
    file: File | _Input, *, format: str | None = None, limits: Limits | None = None, most: int = 20
) -> Report:
    """Checks the rules of a file. Returns a `Report`.

    >>> [finding.rule for finding in bindpose.check("hero.ms3d").findings if finding.severity == "error"]
    []

    Args:
        file: a `File`, a path, a binary file, or a buffer such as `bytes`.
        format: the name of the format; by default, name and content determine it.
        limits: limits on the resources that decoding takes.
        most: the maximum number of findings per rule; further ones are counted.

    Raises:
        OSError: if the file cannot be read.
        BindposeError: if the file cannot be decoded; `examine` reports such files.
    """
def check_set(files: Sequence[File | _Input], *, most: int = 20) -> list[Report]:
    """Checks related files as a set: a mesh, its skeleton, its animations. Returns a `Report` for each file.

    The reports have the findings about references between the files only. References to files by name are checked if all files
    have names: those that are given as paths, and files that were opened or decoded with a name.

    >>> bindpose.check_set(["body.psk", "run.psa"])[1].findings[0].message
    '"Top" is called "top" in the mesh'

    Args:
        files: files, paths, binary files or buffers.
        most: the maximum number of findings per rule and file.

    Raises:
        OSError: if a file cannot be read.
        BindposeError: if a file cannot be decoded.
    """
def examine(
    file: _Input, *, format: str | None = None, limits: Limits | None = None, most: int = 20
) -> Examination:
    """Decodes, re-encodes and checks a file. Returns an `Examination`; no content of a file raises an error.

    The findings of a file that cannot be decoded are possible causes.

    >>> found = bindpose.examine("hero.ms3d")
    >>> found.outcome.verdict, found.outcome.format
    ('lossless', 'ms3d')

    Args:
        file: a path, a binary file, or a buffer such as `bytes`.
        format: the name of the format; by default, name and content determine it.
        limits: limits on the resources that decoding takes.
        most: the maximum number of findings per rule; further ones are counted.

    Raises:
        OSError: if the file cannot be read.
    """
def examine_many(
    files: Iterable[_Buffer],
    *,
    names: Sequence[_Path] | None = None,
    format: str | None = None,
    limits: Limits | None = None,
    most: int = 20,
    jobs: int = 1,
) -> list[Examination]:
    """As `examine`, for many buffers, in the same order. The interpreter lock is released for all of them together.

    >>> data = [pathlib.Path(name).read_bytes() for name in ("hero.ms3d", "body.psk")]
    >>> [found.outcome.format for found in bindpose.examine_many(data)]
    ['ms3d', 'psk']

    Args:
        files: buffers such as `bytes`.
        names: the names of the files; extensions distinguish formats that the content does not.
        format: the name of the format of all files; by default, name and content of each determine it.
        limits: limits on the resources that decoding one file takes.
        most: the maximum number of findings per rule and file.
        jobs: the number of files that are examined at a time.
    """
def names(file: File) -> list[Name]:
    """Returns the names of bones, materials, clips and textures in a file, with every reference to them: a list of `Name`.

    >>> [name.path for name in bindpose.names(bindpose.open("hero.ms3d")) if name.text == "root"]
    ['joints[0].name', 'joints[1].parent_name']

    Raises:
        BindposeError: if the text of the file cannot be interpreted.
    """
def references(file: File) -> list[Reference]:
    """Returns the references in a file: a list of `Reference`. Those by index come first, then those by name.

    >>> hero = bindpose.open("hero.ms3d")
    >>> [own.path for own in bindpose.references(hero) if own.target == "joints[0]"]
    ['vertices[0].bone_id', 'vertices[1].bone_id', 'vertices[2].bone_id', 'vertices[3].bone_id', 'joints[1].parent_name']

    Raises:
        BindposeError: if the text of the file cannot be interpreted.
    """
def follow(file: File, path: str) -> list[str]:
    """Returns the paths of what a path selects that goes on at the objects that values refer to, after `->`.

    >>> hero = bindpose.open("hero.ms3d")
    >>> bindpose.follow(hero, "joints[1].parent_name->name")
    ['joints[0].name']
    >>> [hero[path] for path in bindpose.follow(hero, "vertices[*].bone_id->name")]
    ['root', 'root', 'root', 'root', 'top', 'top']

    A path that ends with `->` selects the objects themselves.

    >>> bindpose.follow(hero, "vertices[5].bone_id->")
    ['joints[1]']

    Raises:
        BindposeError: if a part of the path selects nothing, or a value that refers to no object of the file.
    """
def tree(file: File, *, depth: int | None = None, encoding: str | None = None) -> list[Entry]:
    """Returns the objects of a file as a tree, as the command `tree` prints it: a list of `Entry`.

    Bones are below their parents, followed by meshes, materials with their textures, and clips; in `.x` files, objects are below the
    objects that contain them.

    >>> bones = bindpose.tree(bindpose.open("hero.ms3d"))[0]
    >>> root = bones.children[0]
    >>> root.kind, root.name, root.path, [child.name for child in root.children]
    ('bone', 'root', 'joints[0]', ['top'])

    Args:
        file: the file.
        depth: the number of levels; all by default.
        encoding: as for `scene`.

    Raises:
        BindposeError: if the text of the file cannot be interpreted.
    """
def rename(
    *files: File,
    bones: Mapping[str, str] | None = None,
    materials: Mapping[str, str] | None = None,
    clips: Mapping[str, str] | None = None,
    textures: Mapping[str, str] | None = None,
) -> list[Renamed]:
    """Renames objects of files and every reference to them. Returns a list of `Renamed`.

    All files are changed, or none. Two objects can exchange their names.

    >>> hero = bindpose.open("hero.ms3d")
    >>> [(renamed.path, renamed.new) for renamed in bindpose.rename(hero, bones={"root": "hips"})]
    [('joints[0].name', 'hips'), ('joints[1].parent_name', 'hips')]

    Args:
        files: the files, such as a mesh and its animations.
        bones: the new names of bones by their former ones.
        materials: as `bones`, for materials.
        clips: as `bones`, for animations.
        textures: as `bones`, for the paths of images.

    Raises:
        BindposeError: if no file has a name, a new name does not fit, or two objects would have the same name.
    """
def remove(
    *files: File,
    bones: Sequence[str] | None = None,
    materials: Sequence[str] | None = None,
    clips: Sequence[str] | None = None,
    textures: Sequence[str] | None = None,
) -> int:
    """Removes objects of files and what refers to them. Returns the number of removed objects.

    All files are changed, or none. The children and the weights of a bone go to its parent, and the children keep their place in
    the bind pose and in clips. The keys of a clip go with it. A material goes only where no triangle needs it.

    >>> bindpose.remove(bindpose.open("body.psk"), bones=["a"])
    1

    Args:
        files: the files, such as a mesh and its animations.
        bones: the names of bones.
        materials: the names of materials.
        clips: the names of animations.
        textures: the paths of images.

    Raises:
        BindposeError: if no file has a name, something needs the object, or the format does not allow it.
    """
def merge3(base: File, ours: File, theirs: File) -> Merged:
    """Merges two edits of a file, and returns a `Merged`: the file with both, the conflicts, and the findings that neither has.

    Only one of the edits can add, remove and move elements; indices refer to the same objects.

    >>> base = bindpose.open("hero.ms3d")
    >>> ours, theirs = base.copy(), base.copy()
    >>> ours["joints[0].name"] = "hips"
    >>> theirs["vertices[0].flags"] = 1
    >>> merged = bindpose.merge3(base, ours, theirs)
    >>> merged.file["joints[0].name"], merged.file["vertices[0].flags"], merged.conflicts
    ('hips', 1, [])

    Raises:
        BindposeError: if the files have different formats or dialects or are damaged, or a value cannot be set by itself.
    """
def merge(file: File, *others: File) -> None:
    """Adds the clips or the meshes of other files of the same format to a file, after its own. Bones are matched by name.

    PSA files have the same bones, in any order. The first PSK file has all bones, in the same bind pose. Binary meshes of Cal3D
    belong to one skeleton.

    >>> run, jump = bindpose.open("run.psa"), bindpose.open("run.psa")
    >>> jumps = {name.text: "jump " + name.text for name in bindpose.names(jump) if name.kind == "clip"}
    >>> _ = bindpose.rename(jump, clips=jumps)
    >>> bindpose.merge(run, jump)
    >>> len(bindpose.scene("body.psk", run).clips)
    4

    Args:
        file: the file that is changed.
        others: the files that are added, in this order.

    Raises:
        BindposeError: if the formats differ, only one file has a bone, two clips have the same name, or the format cannot contain
            the result. The file is unchanged then.
    """
def save_set(files: Mapping[_Path, File | bytes]) -> None:
    """Writes files to paths, all or none.

    If one cannot be written, the others keep their old contents; so they do if the program is killed, after the next run that
    writes in one of their folders.

    >>> body, run = bindpose.open("body.psk"), bindpose.open("run.psa")
    >>> bindpose.save_set({"body.psk": body, "run.psa": run})

    Args:
        files: the files, or their bytes, by their paths.

    Raises:
        OSError: if a file cannot be written.
        ValueError: if two paths are those of the same file.
        BindposeError: as `File.encode`.
    """
def transform(
    *files: File,
    scale: float | None = None,
    up: _Axis | None = None,
    rotate: Sequence[tuple[Literal["x", "y", "z"], float]] | None = None,
    translate: Sequence[float] | npt.NDArray[np.number[Any]] | None = None,
    fps: float | None = None,
    keep_duration: bool = False,
) -> None:
    """Scales, rotates, moves and re-times files with everything that follows: bind poses, clips, normals, morph targets, bounds.

    The operations are applied in this order: scale, up, rotate, translate. All files are changed, or none. Animations of Cal3D and
    DirectX can only be rotated and moved together with the file that has their bones.

    >>> hero = bindpose.open("hero.ms3d")
    >>> bindpose.transform(hero, scale=100, translate=(0, 0, -4.5))
    >>> hero["vertices[1].position"]
    (100.0, 0.0, -4.5)
    >>> bindpose.transform(hero, fps=48)
    >>> hero["animation.fps"]
    48.0

    Args:
        files: the files, such as a mesh and its animations.
        scale: the factor of all lengths, greater than 0.
        up: the axis that points up afterwards where the other one did: `"y"` for files with Z up, `"z"` for files with Y up.
        rotate: axes of the files with angles in degrees, such as `[("z", 180)]`; counterclockwise about the origin, in this order.
        translate: the distances along x, y and z, in the unit of the files after scaling.
        fps: the frame rate of all clips, of MilkShape 3D and PSA files. Frames are kept, so clips become shorter or longer.
        keep_duration: whether clips keep their length instead, and their keys are sampled at the new rate.

    Raises:
        TypeError: if there is no file or no operation.
        BindposeError: if a number is invalid, or contents cannot follow, such as compressed animation sets of `.x` files.
    """
def rescue(file: _Input, *, format: str | None = None, limits: Limits | None = None) -> Rescued:
    """Returns a valid file with what can be read of a damaged one, as `Rescued`: its bytes and what is lost.

    >>> [(loss.path, loss.message) for loss in bindpose.rescue("truncated.ms3d").losses]
    [('joints[1].position_keys', '2 of 3 elements kept')]

    Args:
        file: a path, a binary file, or a buffer such as `bytes`.
        format: the name of the format; by default, name and content determine it.
        limits: limits on the resources that decoding takes.

    Raises:
        OSError: if the file cannot be read.
        BindposeError: if nothing can be read, or what can be read is not a valid file.
    """
def fix(
    file: _Input, *, rules: Sequence[str] | None = None, format: str | None = None, limits: Limits | None = None
) -> Fixed:
    """Repairs a file, and returns a `Fixed`: its bytes and what was repaired. Other bytes stay as they are.

    >>> bindpose.fix("hero.ms3d").repairs
    []

    Args:
        file: a path, a binary file, or a buffer such as `bytes`.
        rules: the codes of rules whose violations are repaired; by default, all with `Rule.fixable`.
        format: the name of the format; by default, name and content determine it.
        limits: limits on the resources that decoding takes.

    Raises:
        OSError: if the file cannot be read.
        BindposeError: if no format matches.
    """
def propose(file: _Input, *, format: str | None = None) -> Proposal | None:
    """Returns the dialect that fits a file best, as a `Proposal`; `None` if the format has one layout.

    >>> bindpose.propose("hero.ms3d")

    Args:
        file: a path, a binary file, or a buffer such as `bytes`.
        format: the name of the format; by default, name and content determine it.

    Raises:
        OSError: if the file cannot be read.
        BindposeError: if no format matches.
    """
def schema(format: str, *, json: bool = False, imhex: bool = False) -> str:
    """Returns the Kaitai Struct schema of a format, the JSON Schema for the output of `File.to_json`, or a pattern for ImHex.

    >>> "id: ms3d" in bindpose.schema("ms3d")
    True

    Args:
        format: the name of the format, with a dialect if it has several.
        json: whether to return the JSON Schema.
        imhex: whether to return the pattern for the hex editor ImHex.

    Raises:
        BindposeError: if there is no such format.
    """
def rules() -> list[Rule]:
    """Returns every rule, family by family.

    >>> len(bindpose.rules()) > 100
    True
    """
def formats() -> list[Format]:
    """Returns every supported format.

    >>> [format.name for format in bindpose.formats() if "psk" in format.extensions]
    ['psk']
    """
def scene(
    *files: File | Scene | _Input,
    up: _Axis | None = None,
    unit: float | None = None,
    rate: float | None = None,
    full_weight: int | None = None,
    limits: Limits | None = None,
    sidecars: bool = True,
    textures: Sequence[_Path] = (),
    encoding: str | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
) -> Scene:
    """Builds a scene from files: a mesh, its skeleton, clips and materials, in any order.

    Bones of different files are matched by name. glTF files are read too, without the nodes of other programs that hold no mesh, joint or
    moving node.

    >>> run = bindpose.scene("body.psk", "run.psa", rate=30)
    >>> len(run.meshes), len(run.clips)
    (1, 2)

    Args:
        files: files, paths, binary files, buffers or scenes.
        up: the up axis of the files, `"y"` or `"z"`; by default the convention of each format.
        unit: the length of a unit of the files in metres; by default that of each format.
        rate: frames or ticks per second of clips whose file does not specify them.
        full_weight: the integer weight that means 1, in MilkShape 3D files 100 or 255.
        limits: limits on the resources that decoding one file takes, and one image.
        sidecars: whether to read files beside those paths that belong to them, such as `run.config` beside `run.psa`, unless files of
            their format are given, and to find the images of textures: see `Scene.images`.
        textures: directories that are searched for images with all below them.
        encoding: the encoding of names that are not UTF-8, such as `"cp932"`, or `"auto"` to guess it from all names. By default, bytes
            of such names are `\\\\xNN`, which is what `rename` takes.
        ranges: the clips that the only clip is cut into, as `{"walk": (0, 1.2)}`: where they start and end in seconds.

    Raises:
        OSError: if a file cannot be read.
        BindposeError: if a file cannot be decoded.
        ValueError: if the files have no clip or several, or a range ends after the clip.
    """
def sidecars(*files: _Input) -> list[Path]:
    """Returns the files beside files that belong to them, such as `run.config` beside `run.psa`: a list of paths.

    A set that has a file of the format of a sidecar takes no other.

    >>> bindpose.sidecars("body.psk", "run.psa")
    []

    Raises:
        OSError: if a file cannot be read.
    """
def _run(args: Sequence[str]) -> int: ...
def _safe_name(name: str, extension: str) -> str: ...
def _save_below(directory: _Path, files: Mapping[str, bytes]) -> None: ...
def _restore_clip(name: str, tracks: Sequence[Track], morphs: Sequence[MorphTrack], has_root_motion: bool) -> Clip: ...
def _restore_scene(parts: Mapping[str, Any], images: Mapping[str, Path | bytes]) -> Scene: ...
def _restore(data: Buffer, format: str, name: str) -> File: ...
