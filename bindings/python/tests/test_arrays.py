"""Arrays of numbers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import bindpose
import pytest
from conftest import all_samples

np = pytest.importorskip("numpy")


def test_positions_are_a_view_of_the_file(hero: Path) -> None:
    data = hero.read_bytes()
    file = bindpose.decode(data)
    positions = file.array("vertices.position")
    assert positions.shape == (6, 3)
    assert positions.strides == (15, 4)
    assert positions.dtype == np.float32
    assert positions.tolist() == [list(own) for own in file["vertices[*].position"]]
    assert not positions.flags.writeable
    shown = np.frombuffer(data, np.uint8)
    assert np.shares_memory(positions, shown)


def test_a_view_keeps_the_bytes_that_it_shows(hero: Path) -> None:
    file = bindpose.open(hero)
    before = file.array("vertices.position")
    copy = before.copy()
    file["vertices[0].position"] = (9, 9, 9)
    assert (before == copy).all()
    assert file.array("vertices.position")[0].tolist() == [9, 9, 9]
    del file
    assert (before == copy).all()


def test_records_are_structured(hero: Path) -> None:
    file = bindpose.open(hero)
    vertices = file.array("vertices")
    assert vertices.shape == (6,)
    assert vertices.dtype.itemsize == 15
    assert vertices["position"].tolist() == file.array("vertices.position").tolist()
    assert vertices["flags"].tolist() == file["vertices[*].flags"]
    names = file.array("joints.name")
    assert names.tolist() == [b"root", b"top"]


def test_setting_an_array_changes_its_bytes_only(hero: Path) -> None:
    file = bindpose.open(hero)
    positions = file.array("vertices.position")
    file.set_array("vertices.position", positions.astype(np.float64) * 2)
    assert (file.array("vertices.position") == positions * 2).all()
    differences = bindpose.open(hero).diff(file)
    assert {own.path.split(".", 1)[1][:8] for own in differences} <= {"position"}
    file.set_array("vertices.position", positions)
    assert file.encode() == hero.read_bytes()
    file.set_array("vertices.flags", [1, 2, 3, 4, 5, 6])
    assert file["vertices[*].flags"] == [1, 2, 3, 4, 5, 6]
    vertices = file.array("vertices").copy()
    vertices["position"][:, 1] = 5
    file.set_array("vertices", vertices)
    assert [own[1] for own in file["vertices[*].position"]] == [5] * 6


@pytest.mark.parametrize(
    ("path", "values", "message"),
    [
        ("vertices.position", [[1, 2, 3]], r"expected the shape \(6, 3\), got \(1, 3\)"),
        ("vertices.flags", [1, 2, 3, 4, 5, 256], "expected integers from 0 to 255"),
        ("vertices.flags", [1, 2, 3, 4, 5, 2.5], "expected integers from 0 to 255"),
        ("vertices.flags", [1, 2, 3, 4, 5, -1], "expected integers from 0 to 255"),
        ("vertices.position", [["a"] * 3] * 6, "Cannot cast"),
        ("num_vertices", 4, "is the number of elements of `vertices`"),
        ("comments", 4, "is not a number"),
    ],
)
def test_an_array_that_does_not_fit_changes_nothing(hero: Path, path: str, values: object, message: str) -> None:
    file = bindpose.open(hero)
    with pytest.raises(ValueError, match=message):
        file.set_array(path, values)  # type: ignore[arg-type]
    assert file.encode() == hero.read_bytes()


def test_numbers_in_text_are_copied(folder: Path) -> None:
    file = bindpose.open("hero.x")
    path = next(field.path for field in file.map() if field.type != "text" and isinstance(field.value, (int, float)))
    assert file.array(path).dtype.kind in "if"


def test_arrays_have_the_values_of_the_file() -> None:
    tried = 0
    for path in all_samples():
        try:
            file = bindpose.open(path)
        except bindpose.BindposeError:
            continue
        for field in file.map():
            try:
                array = file.array(field.path)
            except bindpose.BindposeError:
                continue
            tried += 1
            if array.dtype.kind in "iuf" and array.size == 1 and isinstance(field.value, (int, float)):
                assert np.array_equal(array.ravel()[0], np.asarray(field.value).astype(array.dtype), equal_nan=True)
            if tried % 50 == 0:
                break
    assert tried > 1000


def test_no_numpy_gives_memoryviews(hero: Path) -> None:
    code = """
import sys
sys.modules["numpy"] = None
import bindpose
file = bindpose.open("hero.ms3d")
positions = file.array("vertices.position")
assert isinstance(positions, memoryview) and positions.shape == (6, 3) and positions.format == "f"
assert [tuple(own) for own in positions.tolist()] == file["vertices[*].position"]
assert file.array("vertices").shape == (6, 15)
file.set_array("vertices.position", bytes(72))
assert set(file["vertices[*].position"]) == {(0.0, 0.0, 0.0)}
try:
    file.set_array("vertices.position", bytes(71))
except ValueError as error:
    assert str(error) == "expected 72 bytes, got 71"
else:
    raise AssertionError
assert bindpose.blank("ms3d").array("vertices.position").nbytes == 0
mesh = bindpose.scene("hero.ms3d").meshes[0]
assert mesh.positions.shape == (6, 3)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.filterwarnings("error")
def test_numbers_that_a_type_does_not_have_are_refused(hero: Path) -> None:
    file = bindpose.open(hero)
    before = file.encode()
    with pytest.raises(ValueError, match="expected numbers of at most 3.4e"):
        file.set_array("vertices.position", np.full((6, 3), 1e300))
    with pytest.raises(ValueError, match="expected integers from 0 to 255"):
        file.set_array("vertices.flags", np.full(6, np.nan))
    assert file.encode() == before
    file.set_array("vertices.position", np.full((6, 3), np.inf))
    assert np.isinf(file.array("vertices.position")).all()
