"""What callers get wrong is an error that says what was expected, and of the type that Python has for it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import bindpose
import pytest


class InBytes:
    """A path as `os.DirEntry` has it in a folder that is given as bytes."""

    def __init__(self, path: Path) -> None:
        self.path = os.fsencode(path)

    def __fspath__(self) -> bytes:
        return self.path


def test_paths_can_be_bytes(hero: Path) -> None:
    assert bindpose.open(InBytes(hero)).name == "hero"  # type: ignore[arg-type]


@pytest.mark.parametrize("key", [0, None, slice(0, 1), b"joints"])
def test_a_file_has_paths_as_keys(hero: Path, key: Any) -> None:
    file = bindpose.open(hero)
    for use in (lambda: file[key], lambda: file.__setitem__(key, 1), lambda: file.__delitem__(key)):
        with pytest.raises(TypeError, match=r'expected a path such as "joints\[0\].name", got '):
            use()


def test_a_file_is_no_sequence(hero: Path) -> None:
    file = bindpose.open(hero)
    with pytest.raises(TypeError, match="is not iterable"):
        list(file)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="cannot convert"):
        bytes(file)  # type: ignore[call-overload]


@pytest.mark.parametrize("index", [1 << 70, -(1 << 70), 9, -9])
def test_indices_of_no_element_are_index_errors(hero: Path, index: int) -> None:
    joints = bindpose.open(hero)["joints"]
    for use in (lambda: joints[index], lambda: joints.__setitem__(index, 1), lambda: joints.__delitem__(index)):
        with pytest.raises(IndexError, match="index out of range"):
            use()  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("value", [1 << 400, -(1 << 400), (1 << 400, 0, 0)])
def test_integers_of_any_size_are_refused_as_values(hero: Path, value: Any) -> None:
    file = bindpose.open(hero)
    with pytest.raises(bindpose.BindposeError, match="an integer of more than 127 bits is out of range"):
        file["vertices[0].position" if isinstance(value, tuple) else "vertices[0].flags"] = value


@pytest.mark.parametrize("value", [{1.0, 2.0, 3.0}, frozenset({1, 2, 3}), {1: 0, 2: 0, 3: 0}])
def test_values_without_an_order_are_refused(hero: Path, value: Any) -> None:
    file = bindpose.open(hero)
    with pytest.raises(TypeError, match="expected a number, text, bytes or a sequence, got "):
        file["vertices[0].position"] = value


def test_any_mapping_is_one(folder: Path) -> None:
    hero = bindpose.open("hero.ms3d")
    hero.update(MappingProxyType({"vertices[0].flags": 1}))
    assert hero["vertices[0].flags"] == 1
    assert bindpose.rename(hero, bones=MappingProxyType({"root": "hips"}))
    scene = bindpose.scene(hero, ranges=MappingProxyType({"start": (0, 0.01)}))
    assert [clip.name for clip in scene.clips] == ["start"]
    assert len(scene.retarget(scene, bones=MappingProxyType({"top": "hips", "hips": "top"})).clips) == 2
    assert scene.to_glb(images=MappingProxyType({}))
    bindpose.save_set(MappingProxyType({"other.ms3d": hero}))
    assert Path("other.ms3d").read_bytes() == hero.encode()


USES: list[Callable[[bindpose.File], Any]] = [
    lambda file: file.update([("vertices[0].flags", 1)]),  # type: ignore[arg-type]
    lambda file: bindpose.rename(file, bones=["root"]),  # type: ignore[arg-type]
    lambda file: bindpose.save_set([file]),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("use", USES)
def test_what_is_no_mapping_is_refused(hero: Path, use: Callable[[bindpose.File], Any]) -> None:
    with pytest.raises(TypeError, match="expected a mapping such as a dict, got list"):
        use(bindpose.open(hero))


def test_two_files_with_one_path_are_refused(folder: Path) -> None:
    hero, body = bindpose.open("hero.ms3d"), bindpose.open("body.psk")
    before = Path("hero.ms3d").read_bytes()
    Path("link.ms3d").symlink_to("hero.ms3d")
    for other in ("./hero.ms3d", str(folder / "hero.ms3d"), "link.ms3d"):
        with pytest.raises(ValueError, match="several files would be written to this path"):
            bindpose.save_set({"hero.ms3d": body, other: hero})
    with pytest.raises(ValueError, match="several files would be written to this path"):
        bindpose.scene(hero).write("new.psk", "./new.psk")
    with pytest.raises(ValueError, match="several files would have this name"):
        bindpose.scene(hero).encode("psk", "psk")
    assert Path("hero.ms3d").read_bytes() == before
    assert not Path("new.psk").exists()


def test_numbers_below_zero_are_value_errors() -> None:
    for name in ("max_memory", "max_memory_per_byte", "max_depth"):
        for value in (-1, 1 << 70):
            with pytest.raises(ValueError, match=f"expected {name} of 0 or more"):
                bindpose.Limits(**{name: value})
    for jobs in (0, -1):
        with pytest.raises(ValueError, match="jobs must be 1 or more"):
            bindpose.examine_many([b""], jobs=jobs)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers that send signals")
@pytest.mark.parametrize("jobs", [1, 2])
def test_many_files_are_interrupted(hero: Path, jobs: int) -> None:
    assert threading.current_thread() is threading.main_thread()
    files = [hero.read_bytes()] * 100_000
    start = time.perf_counter()
    bindpose.examine_many(files[:2_000], jobs=jobs)
    whole = 50 * (time.perf_counter() - start)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    former = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        start = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            bindpose.examine_many(files, jobs=jobs)
        assert time.perf_counter() - start < whole / 2
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


COUNTS: list[tuple[str, Callable[[Path, int], Any]]] = [
    ("most", lambda path, value: bindpose.check(path, most=value)),
    ("most", lambda path, value: bindpose.check_set([path], most=value)),
    ("most", lambda path, value: bindpose.examine(path, most=value)),
    ("most", lambda path, value: bindpose.examine_many([path.read_bytes()], most=value)),
    ("most", lambda path, value: bindpose.open(path).check(most=value)),
    ("start", lambda path, value: bindpose.open(path).map(start=value)),
    ("stop", lambda path, value: bindpose.open(path).map(stop=value)),
    ("jobs", lambda path, value: bindpose.examine_many([path.read_bytes()], jobs=value)),
    ("max_memory", lambda path, value: bindpose.Limits(max_memory=value)),
    ("max_depth", lambda path, value: bindpose.Limits(max_depth=value)),
]


@pytest.mark.parametrize("value", [-1, -(1 << 200), 10**20, 1 << 127, 1 << 200])
@pytest.mark.parametrize(("name", "use"), COUNTS)
def test_counts_out_of_range_are_value_errors(hero: Path, name: str, use: Callable[[Path, int], Any], value: int) -> None:
    with pytest.raises(ValueError, match=f"expected {name} of 0 or more, and less than 2|jobs must be 1 or more"):
        use(hero, value)
    with pytest.raises(TypeError):
        use(hero, 1.5)  # type: ignore[arg-type]
    use(hero, 3)
