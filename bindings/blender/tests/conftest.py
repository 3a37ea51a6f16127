# SPDX-License-Identifier: GPL-3.0-or-later
"""The samples of the repository and the model of our own; nothing runs without Blender's module."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

pytest.importorskip("bpy", reason="pip install bpy", exc_type=ImportError)

SAMPLES = HERE.parents[2] / "tests"
STATUS = pytest.StashKey[int]()


@pytest.fixture(autouse=True)
def blender() -> Iterator[None]:
    """An empty Blender with the add-on."""
    import headless

    headless.empty()
    headless.addon.register()
    yield
    headless.addon.unregister()


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """The files of the model of our own by family."""
    import model

    return model.write(tmp_path_factory.mktemp("models"))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave without unloading Blender's module, which can crash when Python does that after all tests."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(config.stash.get(STATUS, 1))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Remember the result for the end."""
    session.config.stash[STATUS] = int(exitstatus)
