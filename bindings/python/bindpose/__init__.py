"""Reads, checks and edits skeletal mesh and animation files without losing a byte.

>>> hero = bindpose.open("hero.ms3d")
>>> hero["joints[0].name"] = "hips"
>>> hero.save("renamed.ms3d")
"""

from . import _bindpose
from ._bindpose import *


def __getattr__(name: str) -> object:
    """Imports the types of results when they are first needed: they take longer than everything else."""
    from . import _records

    types = {key: value for key, value in vars(_records).items() if hasattr(value, "_fields")}
    own = {**types, "__all__": sorted(name for name in {*_bindpose.__all__, *types} if not name.startswith("_"))}
    if name not in own:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals().update(own)
    return own[name]


def __dir__() -> list[str]:
    """Returns all public names."""
    names: list[str] = __getattr__("__all__")
    return names
