"""Samples of the repository, under the names that the examples use."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[3] / "tests"

FILES = {
    "hero.ms3d": "corpus/ms3d/full.ms3d",
    "truncated.ms3d": "damaged/ms3d/cut_in_keys.ms3d",
    "body.psk": "corpus/psk/set.psk",
    "run.psa": "corpus/psk/set.psa",
    "hero.x": "corpus/directx/skinned.x",
    "stream.skel": "corpus/max/two.max-skeleton+m48.skel",
}


def all_samples() -> list[Path]:
    """Every valid and every damaged sample."""
    folders = [SAMPLES / "corpus", SAMPLES / "damaged"]
    others = {".md", ".expected"}
    return sorted(path for folder in folders for path in folder.rglob("*") if path.is_file() and path.suffix not in others)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with copies of samples, which is the current one during the test."""
    for name, sample in FILES.items():
        shutil.copy(SAMPLES / sample, tmp_path / name)
    before = Path.cwd()
    os.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)


@pytest.fixture
def hero(folder: Path) -> Path:
    """The path of a MilkShape 3D model with two joints and six vertices."""
    return folder / "hero.ms3d"
