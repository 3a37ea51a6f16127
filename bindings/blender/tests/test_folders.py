# SPDX-License-Identifier: GPL-3.0-or-later
"""All models of a folder are imported at once, each with its own animations."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import bpy
import headless
import pytest
from conftest import SAMPLES

CHARACTER = SAMPLES / "character"


@pytest.fixture
def depot(models: dict[str, list[Path]], tmp_path: Path) -> Path:
    """A folder with models of several families, and one below it."""
    folder = tmp_path / "depot"
    (folder / "below").mkdir(parents=True)
    own = [CHARACTER / "dragon.psk", CHARACTER / "dragon.psa", *models["psk"], *sorted((CHARACTER / "cal3d").iterdir()), models["ms3d"][0]]
    for path in own:
        shutil.copy(path, folder / path.name)
    shutil.copy(CHARACTER / "dragon.ms3d", folder / "below" / "deep.ms3d")
    (folder / "broken.psk").write_bytes(b"ACTRHEAD")
    (folder / "notes.txt").write_text("Not a model")
    return folder


def imported() -> dict[str, list[str]]:
    """The files of each import by the number of its objects."""
    found = {}
    for collection in bpy.data.collections:
        own = headless.bundle.Bundle.stored_in(collection)
        if own is not None:
            found[collection.name] = sorted(part.name for part in [*own.model, *own.clips])
    return found


def test_each_model_of_a_folder_has_a_collection(depot: Path) -> None:
    assert bpy.ops.import_scene.bindpose_folder(directory=str(depot), prefix="{name}_") == {"FINISHED"}
    cal3d = sorted(path.name for path in (CHARACTER / "cal3d").iterdir())
    expected = [["dragon.psa", "dragon.psk"], ["plant.psa", "plant.psk"], ["plant.ms3d"], cal3d]
    assert sorted(imported().values()) == sorted(expected)
    assert len([own for own in bpy.data.objects if own.type == "ARMATURE"]) == 4
    above = bpy.data.collections["depot"]
    assert {own.name for own in above.children} == set(imported()) and list(bpy.context.scene.collection.children) == [above]
    names = {action.name for action in bpy.data.actions}
    assert {"dragon_idle", "plant_sway"} <= names and all(name.startswith(("dragon_", "plant_")) for name in names)
    lines = bpy.data.texts["Bindpose import"].as_string().splitlines()
    assert any(line.startswith("broken.psk") for line in lines)
    for collection in above.children:
        changed = headless.original.changed_files(collection)
        assert changed == {name: (depot / name).read_bytes() for name in changed}


def test_subfolders_are_collections_on_request(depot: Path) -> None:
    assert bpy.ops.import_scene.bindpose_folder(directory=str(depot), subfolders=True, clips="walk") == {"FINISHED"}
    assert [own.name for own in bpy.data.collections["below"].children] == ["deep"]
    assert len(imported()) == 5
    assert all("walk" in action.name for action in bpy.data.actions)


def test_clips_of_all_models_have_the_rate_of_the_first(depot: Path) -> None:
    bpy.ops.import_scene.bindpose_folder(directory=str(depot))
    assert len({action[headless.actions.FPS] for action in bpy.data.actions}) == 1


def test_a_folder_without_models_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no models"):
        bpy.ops.import_scene.bindpose_folder(directory=str(tmp_path))
    with pytest.raises(RuntimeError, match="ghost"):
        bpy.ops.import_scene.bindpose_folder(directory=str(tmp_path / "ghost"))


def parts(*paths: Path) -> list[Any]:
    options, report = headless.preferences.Options(), headless.report.Report("import")
    return [headless.bundle.read(path, options, report) for path in paths]


def test_characters_of_cal3d_are_told_apart_by_name(models: dict[str, list[Path]]) -> None:
    dragon, plant = sorted((CHARACTER / "cal3d").iterdir()), sorted(models["cal3d"])
    sets, alone = headless.folders.sets_of(parts(*dragon, *plant))
    assert alone == []
    assert sorted(sorted(part.name for part in own) for own in sets) == [[path.name for path in own] for own in (dragon, plant)]


def test_animations_without_a_model_are_sets_by_their_bones(models: dict[str, list[Path]], tmp_path: Path) -> None:
    again = Path(shutil.copy(models["psk"][1], tmp_path / "again.psa"))
    sets, alone = headless.folders.sets_of(parts(CHARACTER / "dragon.psa", models["psk"][1], again))
    assert [[part.name for part in own] for own in sets] == [["dragon.psa"], ["plant.psa", "again.psa"]] and alone == []
    sets, alone = headless.folders.sets_of(parts(*models["cal3d"][2:3], CHARACTER / "cal3d/dragon.crf"))
    assert sets == [] and len(alone) == 2
