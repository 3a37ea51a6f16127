# SPDX-License-Identifier: GPL-3.0-or-later
"""Files with other keys: the lists that keys are in grow and shrink, and all other bytes stay."""

from __future__ import annotations

import itertools
import json
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import bindpose
import numpy as np
import numpy.typing as npt

_FRAMES = {"psa", "unigine-anim"}
"""The formats with a key of each bone in each frame."""
_SAME_TIME = 1e-4
_SAME_FRAME = 0.02
_INTEGER_LIST = struct.pack("<HI", 6, 2)
"""What precedes the time of a key and the number of its values in a binary `.x` file."""


@dataclass
class Wanted:
    """The keys that a curve of a file should have."""

    clip: int
    bone: int
    channel: str
    source: Any | None
    """Where its keys are in the file; `None` if they are not values of their own."""
    seconds: npt.NDArray[np.float64]
    """(k,): the times, ascending."""
    origins: npt.NDArray[np.int64]
    """(k,): the number of each key among those of the curve; -1 for new ones."""
    is_other: bool
    """Whether the curve has other keys in the file."""
    is_frozen: bool
    """Whether the curve changes and has no source, as one that is constant in a file of frames."""


class _CannotError(Exception):
    """Keys that a file cannot have."""


def with_keys(files: Sequence[Any], scene: Any, wanted: list[Wanted]) -> tuple[list[Any], list[str]]:
    """Returns files whose curves have other keys, and what is refused. New keys have the values of a neighbour."""
    made, refused = list(files), []
    for clip in dict.fromkeys(own.clip for own in wanted):
        own = [keys for keys in wanted if keys.clip == clip]
        place = next((keys.source.file for keys in own if keys.source is not None), None)
        try:
            if place is None:
                raise _CannotError("the file does not store keys as values of their own")
            if made[place].format in _FRAMES:
                made[place] = _with_frames(made[place], scene, clip, own)
            elif any(keys.is_other for keys in own):
                made[place] = _resized(made[place], scene.clips[clip], own)
        except (_CannotError, bindpose.BindposeError) as error:
            refused.append(f"clip {scene.clips[clip].name!r}: keys were added, removed or moved in time: {error}")
    return made, refused


def with_curves(files: Sequence[Any], scene: Any, new: list[Wanted]) -> list[Any]:
    """Returns files with further curves, as far as they can have them. `source` is that of another curve of the bone."""
    made = list(files)
    for own in new:
        file = made[own.source.file]
        if file.format not in _NEW_LISTS:
            continue
        try:
            beside = [Wanted(own.clip, own.bone, own.source.attribute, own.source, own.seconds, own.origins, False, False)]
            clock = _Clock.of(file, scene.clips[own.clip], beside)
            made[own.source.file] = _NEW_LISTS[file.format](file, own, [clock.value(seconds) for seconds in own.seconds.tolist()])
        except (_CannotError, bindpose.BindposeError):
            # It is refused by name as any other curve.
            continue
    return made


def _with_list(file: Any, own: Wanted, times: list[float]) -> Any:
    """Returns a MilkShape 3D file with keys of the bind pose."""
    path = f"{own.source.list.rpartition('.')[0]}.{_LISTS_OF_JOINTS.get(own.channel, '')}"
    if own.channel not in _LISTS_OF_JOINTS or len(file[path]):
        raise _CannotError("the joint has keys, or cannot have them")
    file = file.copy()
    for row, time in enumerate(times):
        file.append(path)
        file[f"{path}[{row}].time"] = float(str(np.float32(time)))
    return file


def _with_object(file: Any, own: Wanted, times: list[float]) -> Any:
    """Returns an `.x` file with keys of no movement."""
    animation, found, _ = own.source.list.partition(".AnimationKey[")
    kind, value = _KEYS_OF_X[own.channel]
    if not found:
        raise _CannotError("the keys are not those of an animation")
    file = file.copy()
    rows = ",\n ".join(f"{round(time)};{value}" for time in times)
    file.append(animation, f"AnimationKey {{\n {kind};\n {len(times)};\n {rows};\n}}")
    return file


_LISTS_OF_JOINTS = {"translation": "position_keys", "rotation": "rotation_keys"}
_KEYS_OF_X = {"rotation": (0, "4;1.0,0.0,0.0,0.0;;"), "scale": (1, "3;1.0,1.0,1.0;;"), "translation": (2, "3;0.0,0.0,0.0;;")}
"""The number of a kind of keys, and a key."""
_NEW_LISTS = {"ms3d": _with_list, "x": _with_object}
"""What adds the keys of a curve to a file, by format."""


def _resized(file: Any, clip: Any, wanted: list[Wanted]) -> Any:
    if any(own.source is None and own.is_other for own in wanted):
        raise _CannotError("some of them are not values of their own in the file")
    lists: dict[str, list[Wanted]] = {}
    for own in wanted:
        if own.source is not None:
            lists.setdefault(own.source.list, []).append(own)
    clock = _Clock.of(file, clip, wanted)
    # Each list is replaced at its place, so that those before it keep their paths.
    for path, own in sorted(lists.items(), key=lambda item: _numbers(item[0]), reverse=True):
        if any(keys.is_other for keys in own):
            rows, seconds = _rows(clip, own)
            file = (_with_rows if _has_rows(file, path) else _with_tokens)(file, path, rows)
            for row, own_seconds in enumerate(seconds):
                if own_seconds is not None:
                    clock.set(file, path, row, own_seconds)
    return _with_length(file, clip, max(float(own.seconds[-1]) for own in wanted))


def _with_length(file: Any, clip: Any, seconds: float) -> Any:
    """Returns a file that states the length of a clip, if it stated that of the former one."""
    path, factor = {"ms3d": ("animation.total_frames", file.get("animation.fps", 0)), "cal3d-animation": ("duration", 1)}.get(file.format, ("", 0))
    former = file.get(path) if path else None
    if former is not None and abs(float(former) - clip.end * factor) < _SAME_FRAME:
        shortest = str(np.float32(seconds * factor))
        file[path] = round(seconds * factor) if isinstance(former, int) else shortest if isinstance(former, str) else float(shortest)
    return file


def _numbers(path: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\[(\d+)\]", path))


def _rows(clip: Any, wanted: list[Wanted]) -> tuple[list[int], list[float | None]]:
    """Returns the records of a list that curves share, and the times of new ones: any record for a new one, to be changed."""
    found: list[tuple[float, int | None]] = []
    for own in wanted:
        times = np.asarray(_curve(clip, own).times, np.float64)
        for seconds, origin in zip(own.seconds.tolist(), own.origins.tolist(), strict=True):
            found.append((float(times[origin]), int(own.source.records[origin])) if origin >= 0 else (seconds, None))
    rows: list[tuple[float, int | None]] = []
    for seconds, origin in sorted(found, key=lambda pair: (pair[0], pair[1] is None)):
        if rows and seconds - rows[-1][0] <= _SAME_TIME and (origin is None or origin == rows[-1][1]):
            continue
        rows.append((seconds, origin))
    known = [origin for _, origin in rows if origin is not None] or [0]
    last, records, seconds_of = known[0], [], []
    for seconds, origin in rows:
        last = last if origin is None else origin
        records.append(last)
        seconds_of.append(seconds if origin is None else None)
    return records, seconds_of


def _curve(clip: Any, own: Wanted) -> Any:
    return getattr(next(track for track in clip.tracks if track.bone == own.bone), own.channel)


@dataclass
class _Clock:
    """The times of keys in a file: numbers that are proportional to seconds."""

    factor: float
    offset: float
    is_integer: bool
    is_text: bool

    @classmethod
    def of(cls, file: Any, clip: Any, wanted: list[Wanted]) -> _Clock:
        pairs, is_text = [], False
        for own in wanted:
            if own.source is None or not len(own.source.records):
                continue
            times = np.asarray(_curve(clip, own).times, np.float64)
            for key in {0, len(own.source.records) - 1}:
                leaves = file.get_all(f"{own.source.list}[{own.source.records[key]}]")
                is_text |= isinstance(leaves[0][1], str)
                pairs.append((float(times[key]), _time_of(leaves)[1]))
        (first, raw), (last, last_raw) = min(pairs), max(pairs)
        if last - first <= _SAME_TIME:
            raise _CannotError("the clip has no two times in the file")
        factor = (float(last_raw) - float(raw)) / (last - first)
        # Most files have seconds or whole numbers of ticks.
        factor = round(factor) if abs(factor - round(factor)) < 1e-4 * abs(factor) else factor
        return cls(factor, float(raw) - first * factor, isinstance(raw, int), is_text)

    def value(self, seconds: float) -> float:
        """Returns a time in the file."""
        return self.offset + self.factor * seconds

    def set(self, file: Any, path: str, row: int, seconds: float) -> None:
        place, _ = _time_of(file.get_all(f"{path}[{row}]"))
        value = self.value(seconds)
        shortest = str(np.float32(value))
        file.update({place: round(value) if self.is_integer else shortest if self.is_text else float(shortest)})


def _time_of(leaves: list[tuple[str, Any]]) -> tuple[str, Any]:
    """Returns the path and the value of the time of a key: its first number."""
    for path, value in leaves:
        try:
            return path, value if isinstance(value, int) else float(value)
        except (TypeError, ValueError):
            continue
    raise _CannotError("the file does not state their times")


def _has_rows(file: Any, path: str) -> bool:
    """Returns whether a list is one of the file, and not a view of its tokens."""
    return all(own.startswith(path) for own, _ in file.get_all(f"{path}[0]"))


def _with_rows(file: Any, path: str, records: list[int]) -> Any:
    """Returns a file in which a list has copies of some of its records, in another order."""
    count = len(file[path])
    values = {record: file.get_all(f"{path}[{record}]") for record in set(records)}
    file = file.copy()
    for _ in range(len(records) - count):
        file.append(path)
    for last in range(count - 1, len(records) - 1, -1):
        del file[f"{path}[{last}]"]
    changes = {}
    for row, record in enumerate(records):
        if row != record:
            start = len(f"{path}[{record}]")
            changes |= {f"{path}[{row}]{place[start:]}": value for place, value in values[record]}
    if changes:
        file.update(changes)
    return file


def _with_tokens(file: Any, path: str, records: list[int]) -> Any:
    """As `_with_rows`, for an object of an `.x` file or XML, whose keys are tokens between others."""
    data = file.encode()
    is_x, is_text = file.format == "x", file.format != "x" or file["encoding"] == "txt "
    if not is_text and file["encoding"] != "bin ":
        raise _CannotError("the file is compressed")
    # The first two numbers are the kind or the bone, and the count of the keys.
    count = list(itertools.islice(file.map(path.removesuffix(".keys")), 2))[1]
    if not is_x and not data[: count.start].upper().endswith(b'NUMKEYFRAMES="'):
        raise _CannotError("the file does not state their number where it usually is")
    fields = [list(file.map(f"{path}[{row}]")) for row in range(int(count.value))]
    starts, ends = [own[0].start for own in fields], [own[-1].end for own in fields]
    if len(fields) == 1 < len(records) and not is_x:
        raise _CannotError("a single key does not show how the file separates keys")
    usual = data[ends[0] : starts[1]] if len(fields) > 1 else b";;,\n" if is_text else _INTEGER_LIST
    if not is_text and not usual.endswith(_INTEGER_LIST):
        raise _CannotError("the file has several keys in one list of numbers")
    content = [data[starts[records[0]] : ends[records[0]]]]
    for before, record in itertools.pairwise(records):
        between = data[ends[before] : starts[record]] if record == before + 1 else usual
        content += [between, data[starts[record] : ends[record]]]
    number = str(len(records)).encode() if is_text else struct.pack("<I", len(records))
    whole = [data[: count.start], number, data[count.end : starts[0]], *content, data[ends[-1] :]]
    return bindpose.decode(b"".join(whole), format=_format_of(file), name=file.name)


def _with_frames(file: Any, scene: Any, clip: int, wanted: list[Wanted]) -> Any:
    """Returns a file in which a clip has more or fewer frames at its end. New ones are copies of the last one."""
    counts = [_frames_of(scene.clips[clip], own) for own in wanted if own.source is not None]
    times = next((own for own in counts if own is not None), None)
    if times is None:
        raise _CannotError("the clip has a single frame")
    start, step, old = times
    places = (np.concatenate([own.seconds for own in wanted if own.is_other] or [own.seconds for own in wanted]) - start) / step
    if (np.abs(places - np.rint(places)) > _SAME_FRAME).any():
        raise _CannotError("the file has a key at each frame, and none between them")
    new = round(float(max((own.seconds[-1] - start) / step for own in wanted))) + 1
    if places.min() < -_SAME_FRAME:
        raise _CannotError("the first frame of the file would not be the first one")
    tree = json.loads(file.to_json())
    row = next(int(own.source.records[0]) for own in wanted if own.source is not None)
    frozen = [(scene.skeleton.bones[own.bone].name, own.channel) for own in wanted if own.is_frozen]
    if file.format == "psa":
        _resize_sequence(tree["file"]["chunks"], row, old, new, frozen)
    else:
        body = next(body for body in tree["file"].values() if isinstance(body, dict) and "frames" in body)
        body["frames"] = _held(body["frames"], old, new, 1)
        names = [bone["name"] for bone in body["bones"]]
        for name, channel in frozen if new > 1 else ():
            own = body["frames"][1][body["bone_indices"].index(_index(names, name))]
            _nudge(own, {"translation": "position"}.get(channel, channel))
    again = bindpose.from_json(json.dumps(tree))
    return bindpose.decode(again.encode(), format=_format_of(file), name=file.name)


def _index(names: list[str], name: str) -> int:
    if names.count(name) != 1:
        raise _CannotError(f"the file does not have exactly one bone {name!r}")
    return names.index(name)


def _nudge(key: dict[str, Any], field: str) -> None:
    """Changes a value, so that the scene has a key of the curve for each frame, which all get their values afterwards."""
    if field not in key:
        raise _CannotError(f"the file has no {field} in its frames")
    key[field] = [key[field][0] + 0.01, *key[field][1:]]


def _format_of(file: Any) -> str:
    return f"{file.format}:{file.dialect}" if file.dialect else str(file.format)


def _frames_of(clip: Any, own: Wanted) -> tuple[float, float, int] | None:
    """Returns the start, the time between frames and the number of frames of a curve with a key at each frame."""
    count = len(own.source.records)
    times = np.asarray(_curve(clip, own).times, np.float64)[:count]
    return (float(times[0]), float(times[-1] - times[0]) / (count - 1), count) if count > 1 else None


def _held(rows: list[Any], old: int, new: int, width: int) -> list[Any]:
    """Returns the rows of another number of frames, each of some rows."""
    kept = rows[: min(old, new) * width]
    return kept + kept[-width:] * max(new - old, 0)


def _resize_sequence(chunks: list[Any], row: int, old: int, new: int, frozen: list[tuple[str, str]]) -> None:
    """Changes the number of frames of the sequence of a PSA file that has a key."""
    if new != old and {key for chunk in chunks for key in chunk["records"]} & {"curves", "sparse_sequences", "sparse_sequences68"}:
        raise _CannotError("the file has curves, or keys with times of their own")
    sequences = next(_records(chunks, "sequences"))
    own = next((sequence for sequence in sequences if 0 <= row - sequence["first_raw_frame"] * sequence["total_bones"] < old * sequence["total_bones"]), None)
    if own is None or own["num_raw_frames"] != old:
        raise _CannotError("the sequences do not have the keys of the file one after the other")
    bones, first = own["total_bones"], own["first_raw_frame"]
    for kind in ("keys", "scale_keys"):
        for rows in _records(chunks, kind):
            if len(rows) >= (first + old) * bones:
                rows[first * bones : (first + old) * bones] = _held(rows[first * bones : (first + old) * bones], old, new, bones)
    names = [bone["name"] for bone in next(_records(chunks, "bones"))]
    for name, channel in frozen if new > 1 else ():
        keys = next(chunk["records"]["keys"] for chunk in chunks if "keys" in chunk["records"])
        fields = dict(zip(keys["fields"], range(len(keys["fields"])), strict=True))
        own_key = keys["rows"][(first + 1) * bones + _index(names, name)]
        changed = {field: own_key[at] for field, at in fields.items()}
        _nudge(changed, {"translation": "position", "rotation": "orientation"}.get(channel, channel))
        own_key[:] = changed.values()
    own |= {
        "num_raw_frames": new,
        "track_time": new if own["track_time"] == old else new / own["rate"] if own["rate"] else own["track_time"],
        "key_quotum": bones * new if own["key_quotum"] == bones * old else own["key_quotum"],
    }
    for sequence in sequences:
        if sequence is not own and sequence["first_raw_frame"] >= first + old:
            sequence["first_raw_frame"] += new - old


def _records(chunks: list[Any], kind: str) -> Iterator[Any]:
    """Yields the records of a kind of all chunks."""
    for chunk in chunks:
        if kind in chunk["records"]:
            own = chunk["records"][kind]
            yield own["rows"] if isinstance(own, dict) else own
