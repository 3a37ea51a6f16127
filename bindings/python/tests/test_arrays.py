"""Arrays of numbers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

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
        ("vertices.position", [["a"] * 3] * 6, "expected numbers, got text"),
        ("vertices.position", [[None] * 3] * 6, "expected numbers, got NoneType"),
        ("vertices.position", [[1j] * 3] * 6, "expected numbers, got complex128"),
        ("vertices.position", [[10**400] * 3] * 6, "expected numbers from"),
        ("vertices.flags", [10**30] * 6, "expected "),
        ("vertices.flags", [None] * 6, "expected numbers, got NoneType"),
        ("vertices.flags", ["1"] * 6, "expected numbers, got text"),
        ("joints.name", ["n" * 33] * 2, "expected texts of at most 32 bytes, got 33"),
        ("joints.name", np.array([b"n" * 40, b"n"]), "expected texts of at most 32 bytes, got 40"),
        ("joints.name", ["\u00e4" * 17] * 2, "expected texts of at most 32 bytes, got 34"),
        ("joints.name", [None, None], "expected text or bytes, got NoneType"),
        ("joints.name", ["a", 1], "expected text or bytes, got int"),
        ("joints.name", [1, 2], "expected text or bytes, got int"),
        ("joints.name", np.array([1, 2]), "expected text or bytes, got int64"),
        ("vertices", [1, 2, 3, 4, 5, 6], "expected a structure of flags, position, bone_id, reference_count, got int64"),
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
scene = bindpose.scene("hero.ms3d")
mesh = scene.meshes[0]
assert mesh.positions.shape == (6, 3)
for scene in (scene, bindpose.scene("body.psk", "run.psa"), bindpose.scene("hero.x")):
    clips = [bindpose.Clip(clip.name, clip.tracks, clip.morphs) for clip in scene.clips]
    assert scene.replace(meshes=scene.meshes, skeleton=scene.skeleton, clips=clips) == scene
for wrong in ([[0, 0], [0, 0]], [[0, 0, 0], [0, 0]], [0, 0, 0], [[1e300, 0, 0]], 7, [[0, 0, "a"]]):
    try:
        bindpose.Scene(meshes=[bindpose.Mesh(positions=wrong)])
    except ValueError as error:
        assert str(error).startswith("meshes[0].positions: ")
    else:
        raise AssertionError(wrong)
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


def restructured(array: Any, **changes: Any) -> Any:
    """Returns a structured array with the fields in the opposite order, some of them in other types."""
    names = array.dtype.names[::-1]
    made = np.zeros(array.shape, [(name, changes[name].dtype if name in changes else array.dtype[name].base, array.dtype[name].shape) for name in names])
    for name in names:
        made[name] = changes.get(name, array[name])
    return made


def test_fields_of_structures_are_matched_by_name(hero: Path) -> None:
    file = bindpose.open(hero)
    vertices = file.array("vertices")
    file.set_array("vertices", restructured(vertices))
    assert file.encode() == hero.read_bytes()
    flags, positions = np.arange(6, dtype=np.float64), vertices["position"].astype(np.float64) + 1
    file.set_array("vertices", restructured(vertices, flags=flags, position=positions))
    one = bindpose.open(hero)
    one.set_array("vertices.flags", flags)
    one.set_array("vertices.position", positions)
    assert file.encode() == one.encode() != hero.read_bytes()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("flags", 300, "flags: expected integers from 0 to 255"),
        ("flags", -1, "flags: expected integers from 0 to 255"),
        ("flags", 1.5, "flags: expected integers from 0 to 255"),
        ("flags", np.nan, "flags: expected integers from 0 to 255"),
        ("flags", "1", "flags: expected numbers, got text"),
        ("position", 1e300, "position: expected numbers of at most 3.4e"),
        ("bone_id", 1e10, "bone_id: expected integers from 0 to 255"),
    ],
)
def test_fields_of_structures_are_converted_as_arrays_are(hero: Path, field: str, value: Any, message: str) -> None:
    file = bindpose.open(hero)
    vertices = file.array("vertices")
    with pytest.raises(ValueError, match=message):
        file.set_array("vertices", restructured(vertices, **{field: np.full(vertices[field].shape, value)}))
    assert file.encode() == hero.read_bytes()


def test_structures_with_other_fields_are_refused(hero: Path) -> None:
    file = bindpose.open(hero)
    vertices = file.array("vertices")
    names = list(vertices.dtype.names or ())
    renamed = np.zeros(6, [("other" if name == "flags" else name, vertices.dtype[name].base, vertices.dtype[name].shape) for name in names])
    wider = np.zeros(6, [(name, vertices.dtype[name].base, (4,) if name == "position" else vertices.dtype[name].shape) for name in names])
    for values, message in ((vertices[names[1:]], "expected a structure of"), (renamed, "got a structure of other"), (wider, "position: expected the shape")):
        with pytest.raises(ValueError, match=message):
            file.set_array("vertices", values)
    with pytest.raises(ValueError, match="expected numbers, got a structure of"):
        file.set_array("vertices.flags", vertices)
    assert file.encode() == hero.read_bytes()


@pytest.mark.parametrize("names", [["hip", "n" * 32], [b"hip", "n" * 32], np.array(["hip", "n" * 32]), np.array([b"hip", b"n" * 32], "S50"), ("hip", bytearray(b"n" * 32))])
def test_texts_of_every_kind_are_set(hero: Path, names: Any) -> None:
    file = bindpose.open(hero)
    file.set_array("joints.name", names)
    assert file["joints[*].name"] == ["hip", "n" * 32]


@pytest.mark.parametrize("path", all_samples()[::7], ids=lambda path: path.name)
def test_setting_the_own_array_changes_nothing(path: Path) -> None:
    try:
        file = bindpose.open(path)
    except bindpose.BindposeError:
        pytest.skip("no file")
    before = file.encode()
    tried: set[str] = set()
    for field in file.map():
        name = field.path.split("[")[0]
        if name in tried or len(tried) > 12:
            continue
        tried.add(name)
        try:
            own = file.array(name)
            file.set_array(name, own)
        except bindpose.BindposeError:
            continue
        if own.dtype.names:
            try:
                file.set_array(name, restructured(own))
            except bindpose.BindposeError:
                continue
    assert file.encode() == before
