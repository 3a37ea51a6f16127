"""Reads, checks and edits skeletal mesh and animation files without losing a byte.

>>> hero = bindpose.open("hero.ms3d")
>>> hero["joints[0].name"] = "hips"
>>> hero.save("renamed.ms3d")
"""

from . import _bindpose
from ._bindpose import *


def __getattr__(name: str) -> object:
    """Imports the types of results when they are first needed: they take longer than everything else."""
    if not name.startswith("_") or name == "__all__":
        from . import _convert, _records

        types = {key: value for key, value in vars(_records).items() if hasattr(value, "_fields")}
        types |= {own.__name__: own for own in (_convert.Converted, _convert.convert, _convert.extract)}
        globals().update(types, __all__=sorted(key for key in [*_bindpose.__all__, *types] if not key.startswith("_")))
        if name in globals():
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Returns all public names."""
    __getattr__("__all__")
    return list(globals())
