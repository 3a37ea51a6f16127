"""The rows of results that the recipes write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bindpose
import pyarrow as pa

FINDING = pa.struct(
    [
        ("rule", pa.string()),
        ("severity", pa.string()),
        ("path", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("message", pa.string()),
    ]
)

RESULT = [
    ("verdict", pa.string()),
    ("format", pa.string()),
    ("dialect", pa.string()),
    ("writer", pa.string()),
    ("opaque", pa.int64()),
    ("rest", pa.int64()),
    ("offset", pa.int64()),
    ("field", pa.string()),
    ("message", pa.string()),
    ("findings", pa.list_(FINDING)),
    ("more", pa.int64()),
]

SCHEMA = pa.schema([("path", pa.string()), ("size", pa.int64()), *RESULT])

UNREADABLE = {"verdict": "io-error", "opaque": 0, "rest": 0, "findings": [], "more": 0}


def result(found: bindpose.Examination) -> dict[str, Any]:
    """Returns the columns of an examined file."""
    outcome, error = found.outcome, found.outcome.error
    if outcome.format is None:
        error = None
    return {
        "verdict": outcome.verdict,
        "format": outcome.format,
        "dialect": outcome.dialect,
        "writer": outcome.writer,
        "opaque": outcome.opaque,
        "rest": outcome.rest,
        "offset": error and error.offset,
        "field": error and error.path,
        "message": error and error.message,
        "findings": [finding._asdict() for finding in found.findings],
        "more": sum(found.more.values()),
    }


def results(paths: Sequence[str], contents: Sequence[bytes | None]) -> list[dict[str, Any]]:
    """Examines the contents of files; `None` stands for one that could not be read."""
    readable = [content for content in contents if content is not None]
    names = [path for path, content in zip(paths, contents, strict=True) if content is not None]
    found = iter(bindpose.examine_many(readable, names=names))
    return [dict(UNREADABLE) if content is None else result(next(found)) for content in contents]


def rows(paths: Sequence[str], contents: Sequence[bytes | None]) -> list[dict[str, Any]]:
    """Returns the rows of files."""
    pairs = zip(paths, contents, results(paths, contents), strict=True)
    return [{"path": path, "size": len(content or b""), **own} for path, content, own in pairs]
