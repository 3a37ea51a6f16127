# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports and exports skeletal meshes and animations with the package bindpose."""

from . import clip_list, exporter, folders, importer, preferences

_MODULES = (preferences, importer, folders, clip_list, exporter)


def register() -> None:
    """Registers all classes and menu entries."""
    for module in _MODULES:
        module.register()


def unregister() -> None:
    """Removes all classes and menu entries."""
    for module in reversed(_MODULES):
        module.unregister()
