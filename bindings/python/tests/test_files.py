"""Opening, reading, editing and writing files."""

from __future__ import annotations

import copy
import io
import math
import mmap
import os
import pickle
import re
import stat
import sys
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bindpose
import numpy as np
import pytest
from conftest import SAMPLES, all_samples

if TYPE_CHECKING:
    from typing_extensions import Buffer


@pytest.mark.parametrize("path", all_samples(), ids=lambda path: path.name)
def test_every_sample_encodes_to_its_bytes(path: Path) -> None:
    data = path.read_bytes()
    outcome = bindpose.roundtrip(path)
    if outcome.verdict in ("undecodable", "unknown-format", "limit"):
        with pytest.raises(bindpose.BindposeError):
            bindpose.open(path)
        return
    file = bindpose.open(path)
    assert file.encode() == data
    assert outcome.verdict == ("lossless" if file.damage is None else "damaged")
    rebuilt = bindpose.from_json(file.to_json())
    assert rebuilt.encode() == data


def test_paths_and_buffers_are_accepted(hero: Path) -> None:
    data = hero.read_bytes()
    with hero.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        inputs: list[Path | str | Buffer] = [hero, str(hero), data, bytearray(data), memoryview(data), mapped]
        assert [bindpose.open(own).encode() == data for own in inputs] == [True] * 6
    assert bindpose.decode(bytearray(data)).encode() == data
    assert bindpose.open(hero).name == "hero"
    assert bindpose.open(data).name == ""
    with pytest.raises(TypeError, match="expected a path, a binary file or a buffer such as bytes, got int"):
        bindpose.open(7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="reads paths"):
        bindpose.decode("hero.ms3d")  # type: ignore[arg-type]


def test_a_changed_buffer_does_not_change_the_file(hero: Path) -> None:
    data = bytearray(hero.read_bytes())
    file = bindpose.decode(data)
    data[:4] = b"oops"
    assert file.encode() == hero.read_bytes()


def test_unchanged_bytes_are_not_copied(hero: Path) -> None:
    data = hero.read_bytes()
    file = bindpose.decode(data)
    assert file.encode() is data
    file["joints[0].name"] = "hips"
    assert file.encode() is not data
    assert file.encode() is file.encode()


def test_values_have_the_types_of_their_fields(hero: Path) -> None:
    file = bindpose.open(hero)
    assert file["version"] == 4
    assert file["joints[0].name"] == "root"
    assert file["animation.fps"] == pytest.approx(24.0)
    assert isinstance(file["animation.fps"], float)
    position = file["vertices[1].position"]
    assert isinstance(position, tuple) and len(position) == 3
    assert file["joints[*].name"] == ["root", "top"]
    assert file["joints[-1].name"] == "top"
    assert file['joints["top"].name'] == "top"
    assert file.get("joints[7].name") is None
    assert file.get("joints[7].name", "none") == "none"
    assert "joints[1]" in file
    assert "joints[7]" not in file
    assert dict(file.get_all("joints[*].name")) == {"joints[0].name": "root", "joints[1].name": "top"}


def test_records_are_mappings(hero: Path) -> None:
    file = bindpose.open(hero)
    joint = file["joints[0]"]
    assert isinstance(joint, bindpose.Record)
    assert joint.path == "joints[0]"
    assert list(joint) == joint.keys()
    assert len(joint) == len(joint.keys())
    assert dict(joint)["name"] == "root"
    assert [name for name, _ in joint.items()] == joint.keys()
    assert len(joint.values()) == len(joint)
    assert joint["position.x"] == joint["position"][0]
    assert "name" in joint and "colour" not in joint
    assert joint.get("colour") is None
    joint["name"] = "hips"
    assert file["joints[0].name"] == "hips"
    with pytest.raises(bindpose.BindposeError, match="has no field `nam`"):
        joint["nam"]


def test_lists_are_sequences(hero: Path) -> None:
    file = bindpose.open(hero)
    joints = file["joints"]
    assert isinstance(joints, bindpose.List)
    assert len(joints) == 2
    assert [joint["name"] for joint in joints] == ["root", "top"]
    assert [joint["name"] for joint in reversed(joints)] == ["top", "root"]
    assert [joint.path for joint in joints[-1:]] == ["joints[1]"]
    assert joints[-1]["name"] == joints["top"]["name"] == "top"
    for index in (2, -3):
        with pytest.raises(IndexError):
            joints[index]
    with pytest.raises(TypeError):
        joints[1.5]  # type: ignore[index]
    indices = file["groups[0].triangle_indices"]
    assert list(indices) == [indices[0], *indices[1:]]
    assert indices[0] in indices
    assert indices.count(indices[0]) == list(indices).count(indices[0])
    assert indices.index(indices[-1]) == list(indices).index(indices[-1])
    with pytest.raises(ValueError):
        indices.index("none")
    new = joints.append()
    assert new.path == "joints[2]" and new["name"] == ""
    del joints[2]
    assert len(joints) == 2


def test_an_edit_changes_its_bytes_only(hero: Path) -> None:
    before = hero.read_bytes()
    file = bindpose.decode(before)
    field = next(file.map("joints[0].name"))
    file["joints[0].name"] = "hips"
    after = file.encode()
    assert len(after) == len(before)
    assert after[: field.start] + after[field.end :] == before[: field.start] + before[field.end :]
    assert bindpose.decode(after)["joints[0].name"] == "hips"


def test_setting_accepts_numbers_text_bytes_and_sequences(hero: Path) -> None:
    file = bindpose.open(hero)
    file["animation.fps"] = 30
    assert file["animation.fps"] == 30.0
    file["vertices[0].position"] = (1, 2.5, -3)
    assert file["vertices[0].position"] == (1.0, 2.5, -3.0)
    file["joints[*].name"] = ["a", "b"]
    assert file["joints[*].name"] == ["a", "b"]
    file["vertices[*].flags"] = 2
    assert set(file["vertices[*].flags"]) == {2}
    file["animation.fps"] = b"\x01\x00\x80\x7f"
    assert next(file.map("animation.fps")).type == "f32"
    assert b"\x01\x00\x80\x7f" in file.encode()
    file["joints[0].name"] = b"\xb9\xc7".ljust(32, b"\0")
    name = file["joints[0].name"]
    assert name.encode("utf-8", "surrogateescape") == b"\xb9\xc7"
    file["joints[1].name"] = name
    assert file["joints[1].name"] == name


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("animation.fps", "fast", "expected f32, got text"),
        ("vertices[0].flags", 256, "256 is out of range: 0 to 255"),
        ("vertices[0].flags", -1, "-1 is out of range: 0 to 255"),
        ("vertices[0].position", (1, 2), "expected 3 values, got 2"),
        ("joints[*].name", ["a"], "expected 2 values, got 1"),
        ("animation.fps", [1.0], "expected one value, got a sequence"),
        ("nothing", 1, "has no field `nothing`"),
        ("vertices[", 1, ""),
    ],
)
def test_a_refused_value_changes_nothing(hero: Path, path: str, value: object, message: str) -> None:
    file = bindpose.open(hero)
    with pytest.raises(bindpose.BindposeError) as caught:
        file[path] = value  # type: ignore[assignment]
    assert message in str(caught.value)
    assert file.encode() == hero.read_bytes()


def test_one_refused_value_of_several_changes_none(hero: Path) -> None:
    file = bindpose.open(hero)
    with pytest.raises(bindpose.BindposeError):
        file["vertices[*].flags"] = [1, 1, 1, 1, 1, 999]
    assert file.encode() == hero.read_bytes()


def test_elements_are_appended_and_deleted(hero: Path) -> None:
    file = bindpose.open(hero)
    assert file.append("joints") == "joints[2]"
    assert file["num_joints"] == 3
    del file["joints[2]"]
    assert file.encode() == hero.read_bytes()
    del file["joints"][1]["rotation_keys[0]"]
    assert len(file["joints[1].rotation_keys"]) == 2
    blank = bindpose.blank("ms3d")
    assert "comments" not in blank
    assert blank.create("comments.model", "a comment")
    assert blank["comments.lists.model[0].text"] == "a comment"


def test_values_survive_a_file_without_them(hero: Path) -> None:
    file = bindpose.blank("ms3d")
    assert len(file["joints"]) == 0
    assert list(file["joints"]) == []
    with pytest.raises(bindpose.BindposeError, match="unknown format `gltf`"):
        bindpose.blank("gltf")


def test_saving_replaces_a_file_and_keeps_its_permissions(hero: Path) -> None:
    file = bindpose.open(hero)
    file["joints[0].name"] = "hips"
    file.save("new.ms3d")
    assert Path("new.ms3d").read_bytes() == file.encode()
    hero.chmod(0o640)
    file.save(hero)
    assert hero.read_bytes() == file.encode()
    if sys.platform != "win32":
        assert stat.S_IMODE(hero.stat().st_mode) == 0o640
    assert [path.name for path in hero.parent.iterdir() if path.name.startswith(".")] == []
    with pytest.raises(FileNotFoundError) as caught:
        file.save("missing/new.ms3d")
    assert caught.value.filename == "missing/new.ms3d"


def test_a_set_is_saved_whole_or_not_at_all(hero: Path) -> None:
    file = bindpose.open(hero)
    before = hero.read_bytes()
    file["joints[0].name"] = "hips"
    with pytest.raises(FileNotFoundError) as caught:
        bindpose.save_set({hero: file, "missing/new.ms3d": file})
    assert caught.value.filename == "missing/new.ms3d"
    assert hero.read_bytes() == before
    Path("folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        bindpose.save_set({hero: file, "folder": file})
    assert hero.read_bytes() == before
    bindpose.save_set({hero: file, "folder/new.ms3d": file})
    assert hero.read_bytes() == Path("folder/new.ms3d").read_bytes() == file.encode()
    assert [path.name for path in hero.parent.iterdir() if path.name.startswith(".")] == []


def test_the_map_covers_every_byte(hero: Path) -> None:
    data = hero.read_bytes()
    file = bindpose.decode(data)
    end = 0
    for field in file.map():
        assert field.start == end
        end = field.end
    assert end == len(data)
    fields = list(file.map())
    middle = fields[len(fields) // 2]
    assert next(file.map(start=middle.start)) == middle
    assert [own.path for own in file.map(start=middle.start, stop=middle.end)] == [middle.path]
    assert [own.value for own in file.map("joints[*].name")] == ["root", "top"]
    assert {type(own.value) for own in fields} <= {int, float, str, bytes}


def test_a_map_is_of_the_file_at_its_beginning(hero: Path) -> None:
    file = bindpose.open(hero)
    rows = file.map("joints[1].name")
    file["joints[1].name"] = "spine"
    assert next(rows).value == "top"
    assert next(file.map("joints[1].name")).value == "spine"


def test_differences_are_paired_by_name(hero: Path) -> None:
    a, b = bindpose.open(hero), bindpose.open(hero)
    assert a.diff(b) == []
    b["joints[0].name"] = "hips"
    (change,) = a.diff(b)
    assert change == ("joints[0].name", "changed", "root", "hips", change.a_range, change.b_range)
    b = bindpose.open(hero)
    b.append("joints")
    assert ("joints[2]", "added", None) in [own[:3] for own in a.diff(b)]
    with pytest.raises(ValueError, match="cannot compare ms3d with psk"):
        a.diff(bindpose.open("body.psk"))


def test_copies_are_independent(hero: Path) -> None:
    file = bindpose.open(hero)
    for other in [file.copy(), copy.copy(file), copy.deepcopy(file), pickle.loads(pickle.dumps(file))]:
        assert other == file
        other["joints[0].name"] = "hips"
        assert other != file
        assert file["joints[0].name"] == "root"
    assert pickle.loads(pickle.dumps(file)).name == "hero"


def test_damage_is_an_error_that_is_not_raised(folder: Path) -> None:
    file = bindpose.open("truncated.ms3d")
    damage = file.damage
    assert isinstance(damage, bindpose.BindposeError)
    assert damage.kind == "truncated"
    assert damage.path != ""
    assert 0 < damage.offset <= os.path.getsize("truncated.ms3d")
    assert "file ends inside" in damage.message
    assert bindpose.open("hero.ms3d").damage is None
    rescued = bindpose.rescue("truncated.ms3d")
    assert bindpose.open(rescued.data).damage is None
    assert rescued.losses


def test_errors_state_file_offset_path_and_kind(folder: Path) -> None:
    Path("notes.txt").write_text("To do:")
    with pytest.raises(bindpose.BindposeError) as unknown:
        bindpose.open("notes.txt")
    assert str(unknown.value) == "notes.txt: unrecognised format"
    assert unknown.value.kind == "unknown-format"
    assert "format=" in unknown.value.__notes__[0]
    with pytest.raises(bindpose.BindposeError, match="the file is empty") as empty:
        bindpose.decode(b"")
    assert empty.value.kind == "empty"
    for name in ("pointer.x", "pointer.txt"):
        Path(name).write_text("version https://git-lfs.github.com/spec/v1\n")
        with pytest.raises(bindpose.BindposeError) as foreign:
            bindpose.open(name)
        assert str(foreign.value) == f"{name}: the file is a Git LFS pointer"
        assert foreign.value.kind == "foreign"
        assert foreign.value.__notes__ == ["help: download the file itself with `git lfs pull`"]
        error = bindpose.examine(name).outcome.error
        assert error is not None
        assert error.kind == "foreign"
    Path("short.ms3d").write_bytes(b"MS3D")
    with pytest.raises(bindpose.BindposeError) as short:
        bindpose.open("short.ms3d")
    assert str(short.value).startswith("short.ms3d: 0x00000000")
    assert (short.value.offset, short.value.kind) == (0, "truncated")
    assert isinstance(short.value, ValueError)
    again = pickle.loads(pickle.dumps(short.value))
    assert (again.offset, again.kind, again.message) == (0, "truncated", short.value.message)
    with pytest.raises(bindpose.BindposeError) as empty:
        bindpose.decode(b"", format="ms3d")
    assert empty.value.kind == "empty"
    with pytest.raises(bindpose.BindposeError, match="unknown format `obj`"):
        bindpose.open("hero.ms3d", format="obj")


def test_system_errors_keep_the_name_of_the_file(folder: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        bindpose.open("missing.ms3d")
    assert missing.value.filename == "missing.ms3d"
    assert missing.value.errno == 2
    with pytest.raises(OSError):
        bindpose.open(folder)


def test_limits_are_applied(folder: Path) -> None:
    path = next(path for path in all_samples() if path.name == "skinned_tzip.x")
    assert bindpose.open(path).damage is None
    assert bindpose.Limits().max_memory == 256 << 20
    assert bindpose.Limits.none().max_depth > bindpose.Limits().max_depth
    tight = bindpose.Limits(max_memory=16, max_memory_per_byte=2)
    assert repr(tight) == "Limits(max_memory=16, max_memory_per_byte=2, max_depth=1048576)"
    with pytest.raises(bindpose.BindposeError) as caught:
        bindpose.open(path, limits=tight)
    assert caught.value.kind == "limit"
    assert bindpose.roundtrip(path, limits=tight).verdict == "limit"


def test_threads_share_a_file(hero: Path) -> None:
    file = bindpose.open(hero)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(200):
                file[f"vertices[{number}].position"] = (turn, number, 0)
                assert file[f"vertices[{number}].position"] == (turn, number, 0)
                file.encode()
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert [file[f"vertices[{number}].position"] for number in range(3)] == [(199, number, 0) for number in range(3)]


def test_files_are_read_from_file_objects(hero: Path, tmp_path: Path) -> None:
    own = bindpose.open(hero)
    with open(hero, "rb") as file:
        read = bindpose.open(file)
    assert read == own and read.name == "hero"
    assert bindpose.open(io.BytesIO(hero.read_bytes())) == own
    archive = tmp_path / "models.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.write(hero, "models/hero.ms3d")
    with zipfile.ZipFile(archive) as packed, packed.open("models/hero.ms3d") as member:
        assert bindpose.open(member) == own
    path = zipfile.Path(archive, "models/hero.ms3d")
    assert bindpose.open(path).name == "hero" and bindpose.scene(path).name == "hero"
    with pytest.raises(TypeError, match="binary mode"):
        bindpose.open(io.StringIO("text"))  # type: ignore[arg-type]


def test_views_and_limits_are_pickled(hero: Path) -> None:
    own = bindpose.open(hero)
    own["joints[0].name"] = "hips"
    assert pickle.loads(pickle.dumps(own["joints[0]"]))["name"] == "hips"
    assert [joint["name"] for joint in pickle.loads(pickle.dumps(own["joints"]))] == ["hips", "top"]
    limits = bindpose.Limits(max_memory=1 << 20, max_depth=7)
    assert pickle.loads(pickle.dumps(limits)) == limits


@pytest.mark.parametrize("sample", ["directx/skinned.x", "cal3d/light.xsf"])
def test_text_has_the_shortest_number_of_a_float32(sample: str) -> None:
    own = bindpose.open(SAMPLES / "corpus" / sample)
    number = next(field.path for field in own.map() if isinstance(field.value, (float, str)) and re.fullmatch(r"-?\d+\.\d+", str(field.value)))
    own[number] = np.float32(0.11853)
    assert b"0.11853" in own.encode() and b"0.118529" not in own.encode()
    own.set_array(number, np.float32(0.31487))
    assert b"0.31487" in own.encode() and b"0.314869" not in own.encode()


def test_records_and_lists_are_equal_by_their_fields(hero: Path) -> None:
    a, b = bindpose.open(hero), bindpose.open(hero)
    assert a["joints[0]"] == b["joints[0]"] and a["joints"] == b["joints"]
    assert a["joints[0]"] != a["joints[1]"] and a["joints"] != a["vertices"] and a["joints[0]"] != "root"
    assert a["joints"].index(b["joints[1]"]) == 1
    b["joints[0].flags"] = 9
    assert a["joints[0]"] != b["joints[0]"] and a["joints"] != b["joints"]


class Text:
    def read(self) -> str:
        return "MS3D"


def test_a_file_that_reads_no_bytes_is_refused() -> None:
    with pytest.raises(TypeError, match=r"expected bytes from read\(\), got str"):
        bindpose.open(Text())  # type: ignore[arg-type]


def test_an_unknown_rule_to_fix_is_an_error(hero: Path) -> None:
    with pytest.raises(ValueError, match="there is no rule \"any/nothing\""):
        bindpose.fix(hero, rules=["any/nothing"])


VALUES: list[Any] = [0, 1, -1, 3, 300, 0.5, 3.0, 0.1, -0.0, math.nan, math.inf, 1e300, np.float32(0.1), np.float64(0.1), "", "a", "1", "0.5", b"", b"a", b"\0\0\0\0", True]
VALUES += [(1, 2, 3), [0.5], "hex:00", "\udcff", np.float32(math.nan)]


def assigned(file: bindpose.File, values: dict[str, Any]) -> bytes | None:
    """Returns the bytes after assignments; `None` if one is refused."""
    own = file.copy()
    try:
        for path, value in values.items():
            own[path] = value
        return own.encode()
    except bindpose.BindposeError:
        return None


def updated(file: bindpose.File, values: dict[str, Any]) -> bytes | None:
    """Returns the bytes after an update; `None` if it is refused, which changes nothing."""
    own = file.copy()
    try:
        own.update(values)
    except bindpose.BindposeError:
        assert own.encode() == file.encode()
        return None
    return own.encode()


@pytest.mark.parametrize("path", all_samples()[::3], ids=lambda path: path.name)
def test_an_update_is_an_assignment_of_each_value(path: Path) -> None:
    try:
        file = bindpose.open(path)
    except bindpose.BindposeError:
        pytest.skip("no file")
    fields: dict[tuple[str, str], bindpose.Field] = {}
    for field in file.map():
        fields.setdefault((field.type, re.sub(r"\[\d+\]", "", field.path)), field)
    for field in list(fields.values())[:25]:
        for value in [*VALUES, field.value]:
            expected = assigned(file, {field.path: value})
            assert updated(file, {field.path: value}) == expected, (field, value)
    free = {field.path: field.value for field in file.map() if assigned(file, {field.path: field.value}) is not None}
    assert updated(file, free) == file.encode()
    changed = {name: 1 - value if isinstance(value, (int, float)) else value for name, value in list(free.items())[:50]}
    assert updated(file, changed) == assigned(file, changed)


def test_an_update_of_own_values_keeps_every_byte(folder: Path) -> None:
    hero = bindpose.open("hero.ms3d")
    hero.set_array("vertices.position", np.full((6, 3), np.frombuffer(b"\x01\x02\xc0\xff", "<f4")[0]))
    before = hero.encode()
    hero.update(dict(hero.get_all("vertices[*].position")))
    assert hero.encode() == before
    text = Path("hero.x").read_bytes().replace(b"0.5;", b"0.50000;")
    model = bindpose.decode(text)
    values = {field.path: field.value for field in model.map() if assigned(model, {field.path: field.value}) is not None}
    assert any(isinstance(value, float) for value in values.values())
    model.update(values)
    assert model.encode() == text


def test_an_update_takes_patterns_and_the_last_value_of_a_path(hero: Path) -> None:
    file, expected = bindpose.open(hero), bindpose.open(hero)
    values: dict[str, Any] = {"vertices[*].flags": 1, "vertices[0].flags": 2, "vertices[1].position": (1, 2, 3), "joints[root].name": "hips"}
    file.update(values)
    for path, value in values.items():
        expected[path] = value
    assert file.encode() == expected.encode() and file["vertices[*].flags"] == [2, 1, 1, 1, 1, 1]


class Slow(io.RawIOBase):
    """A file that takes a part of what it is given, as a pipe does."""

    def __init__(self, *counts: Any) -> None:
        self.counts, self.data = list(counts), b""

    def write(self, data: Any) -> Any:
        count = self.counts.pop(0) if self.counts else 10
        if isinstance(count, int) and 0 < count <= 10:
            count = min(count, len(data))
            self.data += bytes(data[:count])
        return count


class Parts:
    """A file that takes everything and does not say so."""

    def __init__(self) -> None:
        self.data = b""

    def write(self, data: Any) -> None:
        self.data += bytes(data)


@pytest.mark.parametrize("use", [lambda file, stream: file.save(stream), lambda file, stream: bindpose.scene(file).write(stream, format="ms3d")])
def test_all_bytes_are_written_to_a_file_object(hero: Path, use: Callable[[bindpose.File, Any], Any]) -> None:
    file = bindpose.open(hero)
    use(file, whole := io.BytesIO())
    use(file, slow := Slow(1, 7))
    assert slow.data == whole.getvalue() and len(slow.data) > 500
    use(file, parts := Parts())
    assert parts.data == whole.getvalue()
    for wrong in (0, None, -1, 1 << 70, "10"):
        with pytest.raises(OSError, match=re.escape(f"write() returned {wrong}")):
            use(file, Slow(5, wrong))
