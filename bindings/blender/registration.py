# SPDX-License-Identifier: GPL-3.0-or-later
"""The registration of classes with Blender, and their menu entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bpy


def registration(classes: Sequence[type], menu: Any = None, entry: Any = None) -> tuple[Callable[[], None], Callable[[], None]]:
    """Returns the functions that register classes and a menu entry, and remove them."""
    add, remove = bpy.utils.register_classes_factory(classes)

    def register() -> None:
        add()
        if menu is not None:
            menu.append(entry)

    def unregister() -> None:
        if menu is not None:
            menu.remove(entry)
        remove()

    return register, unregister
