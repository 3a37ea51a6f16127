"""Everything public: the compiled module, and the types of its results."""

from ._bindpose import *
from ._bindpose import __version__ as __version__
from ._convert import Converted as Converted
from ._convert import convert as convert
from ._convert import extract as extract
from ._records import *

__all__: list[str]
