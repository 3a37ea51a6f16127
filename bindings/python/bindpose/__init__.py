"""Reads, checks and edits skeletal mesh and animation files without losing a byte.

>>> hero = bindpose.open("hero.ms3d")
>>> hero["joints[0].name"] = "hips"
>>> hero.save("renamed.ms3d")
"""

from ._bindpose import (
    BindposeError,
    Clip,
    File,
    Limits,
    List,
    Map,
    Record,
    Scene,
    __version__,
    blank,
    check,
    check_set,
    decode,
    examine,
    examine_many,
    formats,
    from_json,
    merge,
    names,
    open,
    remove,
    rename,
    rescue,
    roundtrip,
    rules,
    scene,
    transform,
)
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._records import (
        Bone,
        Curve,
        Difference,
        Examination,
        Field,
        Finding,
        Format,
        Loss,
        LostField,
        Material,
        Mesh,
        Morph,
        MorphTrack,
        Name,
        Outcome,
        Pose,
        PosedMesh,
        Primitive,
        Renamed,
        Report,
        Rescued,
        Rule,
        Skeleton,
        Source,
        Track,
        Written,
    )

__all__ = [
    "BindposeError",
    "Bone",
    "Clip",
    "Curve",
    "Difference",
    "Examination",
    "Field",
    "File",
    "Finding",
    "Format",
    "Limits",
    "List",
    "Loss",
    "LostField",
    "Map",
    "Material",
    "Mesh",
    "Morph",
    "MorphTrack",
    "Name",
    "Outcome",
    "Pose",
    "PosedMesh",
    "Primitive",
    "Record",
    "Renamed",
    "Report",
    "Rescued",
    "Rule",
    "Scene",
    "Skeleton",
    "Source",
    "Track",
    "Written",
    "__version__",
    "blank",
    "check",
    "check_set",
    "decode",
    "examine",
    "examine_many",
    "formats",
    "from_json",
    "merge",
    "names",
    "open",
    "remove",
    "rename",
    "rescue",
    "roundtrip",
    "rules",
    "scene",
    "transform",
]


def __getattr__(name: str) -> object:
    """Imports the types of results when they are first needed: they take longer than everything else."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _records

    value: object = getattr(_records, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Returns all public names."""
    return __all__
