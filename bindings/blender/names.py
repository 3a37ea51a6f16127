# SPDX-License-Identifier: GPL-3.0-or-later
"""Names in the encoding of a file, and as text."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Any

NAME = "bindpose_name"
"""The custom property with the name that an import gave to a bone, an action, a material or an object."""
_TITLE = "bindpose_title"
"""The custom property with the name in the scene, where Blender has another one: its names are unique, decoded and of at most 63 bytes."""
PREFIX = "bindpose_prefix"
"""The custom property of an action with the prefix that an import gave to its name, and that files do not have."""

ENCODINGS = [
    ("utf-8", "UTF-8", "Bytes that are not UTF-8 are shown as \\xNN"),
    ("cp1252", "Western (1252)", "Western European"),
    ("cp1250", "Central European (1250)", "Central European"),
    ("cp1251", "Cyrillic (1251)", "Cyrillic"),
    ("cp932", "Japanese (932)", "Shift JIS"),
    ("cp936", "Chinese, simplified (936)", "GBK"),
    ("cp950", "Chinese, traditional (950)", "Big5"),
    ("cp949", "Korean (949)", "EUC-KR"),
]

# A byte that is not ASCII, any other byte, or a backslash.
_FOREIGN = re.compile(r"\\x[89a-f][0-9a-f]")
_ESCAPED = re.compile(r"\\x([0-9a-f]{2})|\\\\")


def _bytes_of(name: str) -> bytes:
    """Returns the bytes of a name of a scene, in which `\\xNN` is a byte if the name is not UTF-8."""
    if not _FOREIGN.search(name):
        return name.encode()
    data = bytearray()
    last = 0
    for found in _ESCAPED.finditer(name):
        data += name[last : found.start()].encode()
        data += b"\\" if found[1] is None else bytes.fromhex(found[1])
        last = found.end()
    return bytes(data + name[last:].encode())


def shown(name: str) -> str:
    """Returns the name of a file as text, which Blender needs: bytes that are not UTF-8 are replaced, as the package bindpose does it."""
    return os.fsencode(name).decode("utf-8", "replace")


def decoded(name: str, encoding: str) -> str:
    """Returns a name of a scene as text."""
    if not _FOREIGN.search(name):
        return name
    try:
        return _bytes_of(name).decode(encoding)
    except UnicodeDecodeError:
        return name


def stored(name: str) -> str:
    """Returns a name of a scene as `bindpose.rename` takes it: bytes that are not UTF-8 are surrogates."""
    return _bytes_of(name).decode("utf-8", "surrogateescape")


def encoded(name: str, encoding: str) -> str:
    """Returns text as `bindpose.rename` takes it, in the encoding of the file."""
    return name.encode(encoding, "surrogateescape").decode("utf-8", "surrogateescape")


def keep_name(item: Any, name: str) -> None:
    """Stores the name of something imported, and that in the scene if it is another one."""
    item[NAME] = item.name
    if name != item.name:
        item[_TITLE] = name


def own_name(item: Any) -> str:
    """Returns the name for a file: that of an import, unless the item was renamed."""
    return str(item[_TITLE]) if _TITLE in item and item.name == item.get(NAME) else without_prefix(item)


def several(names: Iterable[str]) -> set[str]:
    """Returns the names that occur more than once: `bindpose.rename` and `bindpose.remove` find all of them."""
    return {name for name, count in Counter(names).items() if count > 1}


def without_prefix(item: Any) -> str:
    """Returns the name of something in Blender without the prefix that an import gave to it."""
    return str(item.name).removeprefix(str(item.get(PREFIX, "")))


def in_order(items: Iterable[Any], mark: str) -> list[Any]:
    """Returns items in the order of an import, which is their number in a custom property, and further ones after them."""
    own = list(items)
    numbers = [item[mark] for item in own if mark in item]
    # Several imports and copies have the same numbers.
    return sorted(own, key=lambda item: item.get(mark, len(own) + max(numbers))) if len(numbers) == len(set(numbers)) > 0 else own


def matcher(text: str) -> Callable[[str], bool]:
    """Returns whether names match a text: they contain it, with `*` and `?` as wildcards, or a regular expression between slashes.

    Raises:
        ValueError: if the regular expression is invalid.
    """
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        try:
            expression = re.compile(text[1:-1], re.IGNORECASE)
        except re.error as error:
            raise ValueError(f"{text}: {error}") from error
        return lambda name: expression.search(name) is not None
    pattern = f"*{text.lower().replace('[', '[[]')}*"
    return lambda name: fnmatchcase(name.lower(), pattern)
