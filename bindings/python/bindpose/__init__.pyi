"""Everything public: the compiled module, and the types of its results."""

from ._bindpose import *
from ._bindpose import __version__ as __version__
from ._records import *

__all__: list[str]
