# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages of an import or export."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from .names import shown

_SHOWN = 12
_FILES = 3


def some(names: list[str], listed: int = 5) -> str:
    """Returns the first of some names as a list."""
    more = f" and {len(names) - listed} more" if len(names) > listed else ""
    return ", ".join(repr(name) for name in names[:listed]) + more


class Report:
    """The messages of an operation: in the status bar, in a window, and all of them in a text of the file."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.errors: list[str] = []
        self.warnings: list[str] = []

    def error(self, message: str) -> None:
        """Adds a reason why something was not done."""
        self.errors.append(shown(message))

    def warn(self, message: str) -> None:
        """Adds something that was done differently from what the file says; once, if it is repeated."""
        if (text := shown(message)) not in self.warnings:
            self.warnings.append(text)

    def warn_of_losses(self, losses: Iterable[object]) -> None:
        """Adds what a scene or a format does not represent; what several files have in common once."""
        files: dict[str, dict[str, None]] = {}
        for loss in losses:
            files.setdefault(f"{loss.what}: {loss.why}", {})[loss.file] = None  # type: ignore[attr-defined]
        for text, names in files.items():
            more = f" and {len(names) - _FILES} more" if len(names) > _FILES else ""
            self.warn(f"{', '.join(list(names)[:_FILES])}{more}: {text}")

    @property
    def lines(self) -> list[str]:
        """All messages, errors first."""
        return [*self.errors, *self.warnings]

    def show(self, operator: bpy.types.Operator, summary: str) -> None:
        """Reports the summary and the messages."""
        for line in self.errors:
            operator.report({"ERROR"}, line)
        for line in self.warnings[:_SHOWN]:
            operator.report({"WARNING"}, line)
        if self.lines:
            self._write()
        if len(self.warnings) > _SHOWN:
            more = len(self.warnings) - _SHOWN
            operator.report({"WARNING"}, f"{more} more messages are in the text {self.title!r}")
        if summary:
            operator.report({"INFO"}, shown(summary))

    def _write(self) -> None:
        text = bpy.data.texts.get(self.title) or bpy.data.texts.new(self.title)
        text.clear()
        text.write("\n".join(self.lines) + "\n")
