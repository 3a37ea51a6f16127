"""Conversions between formats, and parts of files, as the commands `convert` and `extract` make them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _bindpose

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._bindpose import File, Limits, Scene, _Axis, _Input, _Names, _Options
    from ._records import Loss


_FAMILIES = {"cal3d": "cal3d-", "max": "max-", "unigine": "unigine-", "unreal": "ps"}
"""The starts of the names of the formats of a family."""


class Converted(NamedTuple):
    """The files that a conversion makes."""

    files: dict[str, bytes]
    """The bytes of the files by their names."""
    losses: list[Loss]
    """What they do not represent of the input."""
    paths: list[Path]
    """The files that were written; none without a directory."""


def convert(
    *files: File | Scene | _Input,
    to: str | Sequence[str],
    out_dir: str | PathLike[str] | None = None,
    name: str | None = None,
    clips: _Names | None = None,
    meshes: _Names | None = None,
    materials: _Names | None = None,
    strict: bool = False,
    from_up: _Axis | None = None,
    from_unit: float | None = None,
    from_rate: float | None = None,
    full_weight: int | None = None,
    textures: Sequence[str | PathLike[str]] = (),
    encoding: str | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    sidecars: bool = True,
    limits: Limits | None = None,
    **options: Unpack[_Options],
) -> Converted:
    """Converts files that form one scene to other formats, as the command `convert`. Returns a `Converted`.

    >>> converted = bindpose.convert("body.psk", "run.psa", to="unreal", clips="W*", name="hero")
    >>> list(converted.files)
    ['hero.psk', 'hero.psa']
    >>> bindpose.convert("hero.x", to="x:bin").files["hero.x"][:16]
    b'xof 0303bin 0032'

    A file alone that is converted to another form of its format, such as `x:bin` or `cal3d-mesh:xml`, keeps all objects.
    In glTF, bones have no scale in the bind pose: see `Scene.move_bind_scale`.

    Args:
        files: a mesh with its skeleton, clips and materials, as for `scene`.
        to: the formats: names as for `Scene.write`, such as `glb`, `ms3d`, `psk` or `x:bin`, or `cal3d`, `max`, `unigine` and `unreal`
            for all files of a family, also with a dialect or version.
        out_dir: the directory that the files are written to, all or none; existing ones are replaced, and links in it are not followed. By
            default, none is written.
        name: the start of the names of the results; by default, the name of the first file.
        clips: names of clips, globs such as `walk*`, or patterns of `re.compile`; all by default.
        meshes: as `clips`, for meshes and groups of triangles, with the vertices and materials that they use.
        materials: as `clips`, for materials and the triangles that have them.
        strict: whether a loss is an error.
        from_up: the up axis of the input, `"y"` or `"z"`; by default the convention of each format.
        from_unit: the length of a unit of the input in metres; by default that of each format.
        from_rate: frames or ticks per second of clips whose file does not specify them.
        full_weight: as for `scene`.
        textures: directories that are searched for images, which glTF contains. Other formats state their paths.
        encoding: as for `scene`.
        ranges: as for `scene`.
        sidecars: as for `scene`.
        limits: limits on the resources that decoding one file takes.
        options: the conventions of the results, as for `Scene.write`: `up`, `unit`, `rate`, `max_influences`, `tangents`, `clip`,
            `program`.

    Raises:
        OSError: if a file cannot be read or written.
        BindposeError: if a file cannot be decoded, or the scene exceeds a limit of a format.
        ValueError: if nothing has one of the names, or something is lost and `strict` is set. Nothing is written then.
    """
    if not files:
        raise TypeError("convert() needs at least one file")
    formats = [to] if isinstance(to, str) else list(to)
    given = (name, clips, meshes, materials, from_up, from_unit, from_rate, full_weight, encoding, ranges)
    if len(files) == len(formats) == 1 and not options and all(own is None for own in given):
        other = _in_form(files[0], formats[0], limits)
        if other is not None:
            return _permitted(*other, strict, out_dir)
    scene = _bindpose.scene(
        *files,
        up=from_up,
        unit=from_unit,
        rate=from_rate,
        full_weight=full_weight,
        limits=limits,
        sidecars=sidecars,
        textures=textures,
        encoding=encoding,
        ranges=ranges,
    )
    losses = scene.losses
    scene = scene.select(clips=clips, meshes=meshes, materials=materials)
    if name is not None:
        scene = scene.replace(name=name)
    if all(own in {"glb", "gltf"} for own in formats):
        scene = scene.move_bind_scale()
    made, lost = scene._converted([format for own in formats for format in _formats(own)], **options)
    return _permitted(made, losses + lost, strict, out_dir)


def extract(
    *files: File | _Input,
    clips: _Names | None = None,
    meshes: _Names | None = None,
    materials: _Names | None = None,
    out_dir: str | PathLike[str] | None = None,
    limits: Limits | None = None,
) -> Converted:
    """Extracts clips, meshes or materials of files into files of the same format, as the command `extract`. Returns a `Converted`.

    Other clips are removed with their keys, and every other byte stays; files without clips are left out. With `meshes` or
    `materials`, files with meshes are written anew with those of their triangles that are named and what they use, and others are
    left out.

    >>> extracted = bindpose.extract("run.psa", clips="W*")
    >>> [clip.name for clip in bindpose.scene(extracted.files["run.psa"]).clips]
    ['Wave']

    Args:
        files: files that belong together.
        clips: names of clips, globs such as `walk*`, or patterns of `re.compile`; all by default.
        meshes: as `clips`, for meshes and groups of triangles.
        materials: as `clips`, for materials and the triangles that have them.
        out_dir: the directory that the files are written to, all or none; existing ones are replaced, and links in it are not followed. By
            default, none is written.
        limits: limits on the resources that decoding one file takes.

    Raises:
        OSError: if a file cannot be read or written.
        BindposeError: if a file cannot be decoded, or a clip cannot be removed from its file.
        TypeError: if nothing is named.
        ValueError: if nothing has one of the names, or files have the same name. Nothing is written then.
    """
    if clips is None and meshes is None and materials is None:
        raise TypeError("extract() needs clips, meshes or materials")
    own = [file.copy() if isinstance(file, _bindpose.File) else _bindpose.open(file, limits=limits) for file in files]
    names = [_name_of(file, decoded) for file, decoded in zip(files, own, strict=True)]
    scenes = [_bindpose.scene(file, limits=limits) for file in own]
    if meshes is not None or materials is not None:
        return _parts(own, names, clips, meshes, materials, out_dir)
    held = [index for index, scene in enumerate(scenes) if scene.clips]
    kept = {clip.name for clip in _all_clips(own).select(clips=clips).clips}
    for clip in {clip.name: clip for index in held for clip in scenes[index].clips}:
        if clip not in kept:
            _bindpose.remove(*(own[index] for index in held), clips=[clip])
    return _written(_by_name([(names[index], own[index].encode()) for index in held]), [], out_dir)


def _all_clips(files: list[File]) -> Scene:
    scenes = [_bindpose.scene(file) for file in files]
    return _bindpose.Scene(clips=[_bindpose.Clip(clip.name) for scene in scenes for clip in scene.clips])


def _parts(
    files: list[File], names: list[str], clips: _Names | None, meshes: _Names | None, materials: _Names | None, out_dir: str | PathLike[str] | None
) -> Converted:
    """Returns files with meshes, written anew."""
    # Something has each of the names.
    _bindpose.scene(*files).select(clips=clips, meshes=meshes, materials=materials)
    is_model = [bool(_bindpose.scene(file).meshes) for file in files]
    others = [file for file, has_meshes in zip(files, is_model, strict=True) if not has_meshes]
    made: list[tuple[str, bytes]] = []
    losses: list[Any] = []
    for file, name in (pair for pair, has_meshes in zip(zip(files, names, strict=True), is_model, strict=True) if has_meshes):
        whole = _bindpose.scene(file, *others)
        try:
            scene = whole.select(clips=clips, meshes=meshes, materials=materials)
        except ValueError:
            if sum(is_model) == 1:
                raise
            # The meshes of other files have the names.
            continue
        encoded, lost = scene.replace(name=Path(name).stem)._converted([(_form_of(file), False)])
        made.append((name, next(iter(encoded.values()))))
        losses += [*whole.losses, *lost]
    return _written(_by_name(made), losses, out_dir)


def _by_name(files: list[tuple[str, bytes]]) -> dict[str, bytes]:
    """Returns files by their names, which must differ."""
    made = dict(files)
    if len(made) < len(files):
        names = [name for name, _ in files]
        raise ValueError(f"several files have the name {next(name for name in names if names.count(name) > 1)!r}")
    return made


def _form_of(file: File) -> str:
    """Returns the format of a file with its dialect, or its form."""
    form = file.dialect or file.form
    return f"{file.format}:{form}" if form else file.format


def _in_form(file: File | Scene | _Input, to: str, limits: Limits | None) -> tuple[dict[str, bytes], list[Any]] | None:
    """Returns a file in another form of its format, and what is lost; `None` if that is not what is wanted."""
    format, _, form = to.partition(":")
    if not form or isinstance(file, _bindpose.Scene):
        return None
    if not isinstance(file, _bindpose.File):
        try:
            own = _bindpose.open(file, limits=limits)
        except _bindpose.BindposeError:
            # It can be glTF.
            return None
    else:
        own = file
    known = {own.name: own for own in _bindpose.formats()}
    if own.format != format or form not in known[format].forms:
        return None
    other, losses = own._in_form(form)
    path = Path(_name_of(file, own))
    suffix = path.suffix if own.extension == other.extension else f".{other.extension}"
    return {path.with_suffix(suffix).name: other.encode()}, losses


def _name_of(file: File | _Input, decoded: File) -> str:
    """Returns the name of a file with its extension."""
    if isinstance(file, (str, PathLike)):
        return Path(os.fsdecode(file)).name
    return _bindpose._safe_name(decoded.name or "file", decoded.extension)


def _formats(to: str) -> list[tuple[str, bool]]:
    """Returns the formats of a family, which may have no files; another name alone."""
    family, _, form = to.partition(":")
    start = _FAMILIES.get(family)
    if start is None:
        return [(to, False)]
    known = [own for own in _bindpose.formats() if own.name.startswith(start) and own.writable]
    return [(f"{own.name}:{form}" if form in {*own.dialects, *own.versions} else own.name, True) for own in known]


def _permitted(
    files: dict[str, bytes], losses: list[Any], strict: bool, out_dir: str | PathLike[str] | None
) -> Converted:
    """Writes files, unless something is lost and that is an error."""
    if strict and losses:
        raise ValueError(f"not written, because contents are lost: {'; '.join(f'{own.what}: {own.why}' for own in losses)}")
    return _written(files, losses, out_dir)


def _written(files: dict[str, bytes], losses: list[Any], out_dir: str | PathLike[str] | None) -> Converted:
    if out_dir is None:
        return Converted(files, losses, [])
    _bindpose._save_below(out_dir, files)
    return Converted(files, losses, [Path(out_dir) / name for name in files])
