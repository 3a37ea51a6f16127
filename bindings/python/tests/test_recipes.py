"""The recipes give the answers of the command. Those whose packages are not installed are skipped."""

from __future__ import annotations

import doctest
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import bindpose
import pytest
from conftest import all_samples

RECIPES = Path(__file__).resolve().parents[1] / "recipes"


@pytest.fixture
def depot(tmp_path: Path) -> Path:
    """A folder with every sample, and files of other kinds."""
    folder = tmp_path / "depot"
    for index, path in enumerate(all_samples()):
        own = folder / str(index % 7)
        own.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, own / f"{index}_{path.name}")
    (folder / "empty.ms3d").write_bytes(b"")
    return folder


def run(*arguments: str, folder: Path) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def answer_of_the_command(depot: Path) -> dict[str, tuple[Any, ...]]:
    """The verdicts of the command by file name."""
    files = sorted(str(path) for path in depot.rglob("*") if path.is_file())
    done = subprocess.run(
        [sys.executable, "-m", "bindpose", "roundtrip", "--format", "json", *files], capture_output=True, text=True, check=False, cwd=depot
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {Path(row["path"]).name: (row["verdict"], row["format"], row["offset"], row["rest"]) for row in rows if "verdict" in row}


def answer_of_the_recipe(results: Path) -> dict[str, tuple[Any, ...]]:
    import pyarrow.dataset

    rows = pyarrow.dataset.dataset(results, format="parquet").to_table().to_pylist()
    found = {Path(row["path"]).name: (row["verdict"], row["format"], row["offset"], row["rest"]) for row in rows}
    assert len(found) == len(rows)
    return found


@pytest.mark.parametrize(("recipe", "package"), [("examine_daft.py", "daft"), ("examine_ray.py", "ray")])
def test_a_recipe_agrees_with_the_command_and_resumes(tmp_path: Path, depot: Path, recipe: str, package: str) -> None:
    pytest.importorskip(package)
    pytest.importorskip("pyarrow")
    script, results = str(RECIPES / recipe), tmp_path / "results"
    first = run(script, f"{depot}/0/*", str(results), folder=tmp_path)
    assert first.startswith(f"{len(list((depot / '0').iterdir()))} files examined")
    run(script, f"{depot}/**/*", str(results), folder=tmp_path)
    assert run(script, f"{depot}/**/*", str(results), folder=tmp_path).startswith("0 files examined")
    expected, actual = answer_of_the_command(depot), answer_of_the_recipe(results)
    assert len(expected) > 150
    assert actual == expected


def test_the_examples_of_the_recipes_hold(folder: Path) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    text = (RECIPES / "README.md").read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in text.split("```pycon\n")[1:]]
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", "README.md", 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_notebook_runs(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("ipykernel")
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(RECIPES / "skeleton.ipynb", as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    outputs = [output.output_type for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert "display_data" in outputs and "error" not in outputs
    assert (folder / "skeleton.svg").stat().st_size > 10_000


def test_rows_have_the_columns_that_the_readme_describes() -> None:
    pytest.importorskip("pyarrow")
    sys.path.insert(0, str(RECIPES))
    import rows

    text = (RECIPES / "README.md").read_text(encoding="utf-8")
    assert [name for name in rows.SCHEMA.names if f"`{name}`" not in text] == []
    (row,) = rows.rows(["a"], [None])
    assert row["verdict"] == "io-error"
    assert rows.result(bindpose.examine(b"To do:"))["verdict"] == "unknown-format"
