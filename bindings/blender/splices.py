# SPDX-License-Identifier: GPL-3.0-or-later
"""Files with the lists of a mesh of another file, and values of their own where they did not change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import bindpose
import numpy as np

from .bundle import Bundle
from .preferences import space_of

NEAR = 1e-5
"""The difference of a value that did not change, relative to the size of the mesh or to 1."""
_SAME_NORMAL = 5e-3
_LISTS = ("PNTS", "VTXW", "FACE", "RAWW", "VTXN", "VERT", "EXTR", "MRPH")
"""The starts of the names of the chunks of a PSK file that are those of the mesh."""
_OWN = ("VTXN", "VERT", "EXTR")
"""Those that a file need not have, and gets only if it had them."""


class CannotRewriteError(Exception):
    """A mesh that the file cannot have."""


def form_of(file: Any) -> str:
    """Returns the format of a file with its dialect or version, as a scene is written in it."""
    version = file["id"] if file.format == "unigine-mesh" else file.dialect
    return f"{file.format}:{version}" if version else str(file.format)


def authored_files(bundle: Bundle, scene: Any, file: Any) -> Iterator[tuple[Any, list[Any]]]:
    """Yields files of the format of another one, with the axes that it can have, and what they do not represent."""
    space = space_of(bundle.options.unit, bundle.options.up)
    known = f"{file.format}:{file.dialect}" if file.dialect else file.format
    for up in (space["up"],) if space["up"] else (None, "z", "y"):
        data = BytesIO()
        losses = scene.write(data, format=form_of(file), unit=space["unit"], up=up).losses
        yield bindpose.decode(data.getvalue(), format=known, name=file.name), losses


def _psk(file: Any, authored: Any, _scene: Any, _mesh: int, added: int) -> Any:
    """Returns a PSK file with the lists of another one, and values of its own where they did not change."""
    tree, other = json.loads(file.to_json()), json.loads(authored.to_json())
    before = {chunk["id"]: chunk["records"] for chunk in tree["file"]["chunks"]}
    after = {chunk["id"]: chunk["records"] for chunk in other["file"]["chunks"]}
    _renumber_psk(before, after)
    _keep(before, after)
    chunks = []
    replaced = {chunk["id"] for chunk in tree["file"]["chunks"] if chunk["id"].startswith(_LISTS)}
    for chunk in tree["file"]["chunks"]:
        name = chunk["id"]
        if name == "MATT0000":
            own, new = _rows(chunk["records"], "materials"), _rows(after[name], "materials")
            if len(new) != len(own) + added:
                raise CannotRewriteError("its materials are not those of the scene")
            own += new[len(own) :]
        elif name in replaced:
            same = [own for own in other["file"]["chunks"] if own["id"] == name or own["id"][:4] == name[:4] == "FACE"]
            if same:
                chunk = {**chunk, "id": same[0]["id"], "data_size": same[0]["data_size"], "records": same[0]["records"]}
            elif name.startswith(("MRPH", *_OWN)):
                raise CannotRewriteError(f"it would lose {name}")
        chunks.append(chunk)
    missing = [own["id"] for own in other["file"]["chunks"] if own["id"].startswith("MRPH") and own["id"] not in before]
    if missing:
        raise CannotRewriteError(f"the file has no {missing[0]}")
    tree["file"]["chunks"] = chunks
    return _made(file, tree)


def _numbers(own: list[str], others: list[str]) -> list[int]:
    """Returns the number of each bone of another file in a file: writers have an order of their own."""
    if own == others:
        return list(range(len(own)))
    if sorted(own) != sorted(others) or len(set(own)) < len(own):
        raise CannotRewriteError("several bones have the same name")
    return [own.index(name) for name in others]


def _renumber_psk(before: dict[str, Any], after: dict[str, Any]) -> None:
    skeletons = [_of(chunks, "REFSKEL") for chunks in (before, after)]
    if not all(own and "bones" in own for own in skeletons) or "weights" not in after.get("RAWWEIGHTS", {}):
        return
    names = [[_named(bone, own["bones"]) for bone in _rows(own, "bones")] for own in skeletons if own]
    numbers, at = _numbers(*names), _columns(after["RAWWEIGHTS"], "weights")["bone_index"]
    for row in _rows(after["RAWWEIGHTS"], "weights"):
        row[at] = numbers[row[at]]


def _named(row: Any, table: Any) -> str:
    """Returns the name of a record of a table."""
    return str(row[table["fields"].index("name")] if isinstance(table, dict) else row["name"])


def _made(file: Any, tree: dict[str, Any]) -> Any:
    form = f"{file.format}:{file.dialect}" if file.dialect else file.format
    return bindpose.decode(bindpose.from_json(json.dumps(tree)).encode(), format=form, name=file.name)


def _rows(records: dict[str, Any], kind: str) -> list[Any]:
    own = records[kind]
    return own["rows"] if isinstance(own, dict) else own  # type: ignore[no-any-return]


def _columns(records: dict[str, Any], kind: str) -> dict[str, int]:
    return {name: place for place, name in enumerate(records[kind]["fields"])}


def _of(chunks: dict[str, Any], start: str) -> dict[str, Any] | None:
    return next((records for name, records in chunks.items() if name.startswith(start)), None)


def _keep(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Gives new records the values of those of the file that are the same, but for rounding, and what a scene does not have of faces."""
    old, new = (_rows(chunks["PNTS0000"], "points") for chunks in (before, after))
    size = max(float(np.ptp(np.array(old), axis=0).max()), 1e-9) if old else 1.0
    known = by_place(old, NEAR * size)
    origin = [known(point) for point in new]
    for place, index in enumerate(origin):
        if index is not None:
            new[place] = old[index]
    if (normals := _of(before, "VTXN")) and (others := _of(after, "VTXN")):
        own, rows = _rows(normals, "normals"), _rows(others, "normals")
        for place, index in enumerate(origin):
            if index is not None and index < len(own) and np.abs(np.subtract(rows[place], own[index])).max() < _SAME_NORMAL:
                rows[place] = own[index]
    _keep_wedges_and_faces(before, after, origin)
    _keep_morphs(before, after, origin, size)
    weights = [chunks.get("RAWWEIGHTS") for chunks in (before, after)]
    if all(own and "weights" in own for own in weights):
        at = _columns(weights[0], "weights")
        own = {(row[at["point_index"]], row[at["bone_index"]]): row[at["weight"]] for row in _rows(weights[0], "weights")}
        for row in _rows(weights[1], "weights"):
            former = own.get((origin[row[at["point_index"]]], row[at["bone_index"]]))
            if former is not None and abs(former - row[at["weight"]]) < NEAR:
                row[at["weight"]] = former


def _deltas(chunks: dict[str, Any]) -> list[tuple[str, list[Any]]]:
    """Returns the names of the morph targets with their displacements."""
    if "morph_infos" not in chunks.get("MRPHINFO", {}) or "morph_deltas" not in chunks.get("MRPHDATA", {}):
        return []
    rows, own, start = _rows(chunks["MRPHDATA"], "morph_deltas"), [], 0
    columns = _columns(chunks["MRPHINFO"], "morph_infos") if isinstance(chunks["MRPHINFO"]["morph_infos"], dict) else None
    for info in _rows(chunks["MRPHINFO"], "morph_infos"):
        name, count = (info[columns[field]] if columns else info[field] for field in ("name", "num_vertices"))
        own.append((name, rows[start : start + count]))
        start += count
    return own


def _keep_morphs(before: dict[str, Any], after: dict[str, Any], origin: list[int | None], size: float) -> None:
    """Gives displacements that did not change, with their normals, the values of the file."""
    pairs = list(zip(_deltas(before), _deltas(after), strict=False))
    if not pairs:
        return
    at, to = _columns(before["MRPHDATA"], "morph_deltas"), _columns(after["MRPHDATA"], "morph_deltas")
    for (name, old), (other, new) in pairs:
        known = {row[at["point_index"]]: row for row in old} if name == other else {}
        for row in new:
            former = known.get(origin[row[to["point_index"]]])
            if former is not None and np.abs(np.subtract(former[at["position_delta"]], row[to["position_delta"]])).max() < NEAR * size:
                for field in ("position_delta", "normal_delta"):
                    row[to[field]] = former[at[field]]


def _keep_wedges_and_faces(before: dict[str, Any], after: dict[str, Any], origin: list[int | None]) -> None:
    (old, at), (new, _) = ((_rows(own["VTXW0000"], "wedges"), _columns(own["VTXW0000"], "wedges")) for own in (before, after))

    def point(row: list[Any]) -> int:
        return int(row[at["point_index_low"]]) + (int(row[at["point_index_high"]]) << 16 if len(new) > 65536 else 0)

    own = {(point(row), round(row[at["u"]] / NEAR), round(row[at["v"]] / NEAR)): row for row in old}
    for row in new:
        former = own.get((origin[point(row)], round(row[at["u"]] / NEAR), round(row[at["v"]] / NEAR)))
        if former is not None:
            row[at["u"]], row[at["v"]] = former[at["u"]], former[at["v"]]
    faces = [_of(chunks, "FACE") for chunks in (before, after)]
    kinds = [next(iter(own)) for own in faces if own]
    if len(kinds) != 2 or not all(own and isinstance(own[kind], dict) for own, kind in zip(faces, kinds, strict=True)):
        return
    columns = [_columns(own, kind) for own, kind in zip(faces, kinds, strict=True)]

    def corners(row: list[Any], columns: dict[str, int], wedges: list[Any], name: Any) -> tuple[Any, ...]:
        return tuple(sorted((name(point(wedges[wedge])) for wedge in row[columns["wedge_indices"]]), key=str))

    former = {corners(row, columns[0], old, int): row for row in _rows(faces[0], kinds[0])}
    for row in _rows(faces[1], kinds[1]):
        same = former.get(corners(row, columns[1], new, origin.__getitem__))
        if same is not None:
            for name in ("aux_material_index", "smoothing_groups"):
                row[columns[1][name]] = same[columns[0][name]]


def by_place(points: list[Any], cell: float) -> Any:
    """Returns the index of the point at a place, among some that are further from each other; `None` if there is none."""
    rounded: dict[tuple[int, ...], int] = {}
    for index, point in enumerate(points):
        rounded.setdefault(tuple(round(value / cell) for value in point), index)

    def find(point: list[float]) -> int | None:
        at = [value / cell for value in point]
        # A point can be on either side of a border.
        for shift in ((0, 0, 0), *_SHIFTS):
            found = rounded.get(tuple(round(value + own) for value, own in zip(at, shift, strict=True)))
            if found is not None:
                return found
        return None

    return find


_SHIFTS = [tuple(shift) for shift in (np.stack(np.meshgrid(*[[-0.4, 0.4]] * 3), axis=-1).reshape(-1, 3)).tolist()]


def _ms3d(file: Any, authored: Any, _scene: Any, _mesh: int, added: int) -> Any:
    """Returns a MilkShape 3D file with the vertices, triangles and groups of another one."""
    tree, other = json.loads(file.to_json()), json.loads(authored.to_json())
    before, after = tree["file"], other["file"]
    groups, new_groups = ({(group["name"], group["material_index"]): group for group in own["groups"]} for own in (before, after))
    left = [key for key in groups if key in new_groups]
    if left != list(new_groups)[: len(left)] or len(groups) != len(before["groups"]) or len(new_groups) != len(after["groups"]):
        raise CannotRewriteError("groups would change their order")
    if len(left) < len(groups) and any(own.get("groups") for own in before.get("comments", {}).get("lists", {}).values()):
        raise CannotRewriteError("groups with comments would be removed")
    if len(after["materials"]) != len(before["materials"]) + added:
        raise CannotRewriteError("its materials are not those of the scene")
    _renumber_ms3d(before, after)
    origin = _keep_vertices(before["vertices"], after["vertices"])
    _keep_triangles(before["triangles"], after["triangles"], origin)
    for key in left:
        new_groups[key]["flags"] = groups[key]["flags"]
    before["materials"] += after["materials"][len(before["materials"]) :]
    extra, new_extra = (own.get("vertex_extra", {}).get("records", {}) for own in (before, after))
    kind = next(iter(extra), None)
    if kind is not None and kind in new_extra:
        _keep_extra(extra[kind], new_extra[kind], origin)
        _keep_weights(*((own["vertices"], own["vertex_extra"]["records"][kind]) for own in (before, after)), origin)
        before["vertex_extra"]["records"] = new_extra
    elif new_extra and any(row[0][0] != 255 for rows in new_extra.values() for row in rows["rows"]):
        raise CannotRewriteError("vertices would have more bones than the file has for each")
    for name in ("vertices", "triangles", "groups"):
        before[name] = after[name]
    return _made(file, tree)


def _renumber_ms3d(before: dict[str, Any], after: dict[str, Any]) -> None:
    names = [[joint["name"] for joint in own["joints"]] for own in (before, after)]
    numbers = _numbers(*names) + [_NO_JOINT] * (_NO_JOINT + 1 - len(names[0]))
    at = after["vertices"]["fields"].index("bone_id")
    for row in after["vertices"]["rows"]:
        row[at] = numbers[row[at]]
    for records in after.get("vertex_extra", {}).get("records", {}).values():
        at = records["fields"].index("bone_ids")
        for row in records["rows"]:
            row[at] = [numbers[own] for own in row[at]]


_NO_JOINT = 255
"""The number of no joint in a MilkShape 3D file."""


def _keep_vertices(old: dict[str, Any], new: dict[str, Any]) -> list[int | None]:
    """Gives vertices the values of those of the file at the same place, whose numbers it returns."""
    at = {name: place for place, name in enumerate(new["fields"])}
    points = [[row[at["position"]] for row in own["rows"]] for own in (old, new)]
    known = by_place(points[0], NEAR * max(float(np.ptp(np.array(points[0]), axis=0).max()), 1e-9))
    origin = [known(point) for point in points[1]]
    for row, index in zip(new["rows"], origin, strict=True):
        if index is not None:
            for name in ("flags", "position"):
                row[at[name]] = old["rows"][index][at[name]]
    return origin


def _keep_triangles(old: dict[str, Any], new: dict[str, Any], origin: list[int | None]) -> None:
    at = {name: place for place, name in enumerate(new["fields"])}
    former = {tuple(sorted(row[at["vertex_indices"]])): row for row in old["rows"]}
    for row in new["rows"]:
        own = [origin[vertex] for vertex in row[at["vertex_indices"]]]
        same = None if None in own else former.get(tuple(sorted(index for index in own if index is not None)))
        if same is None:
            continue
        for name in ("flags", "smoothing_group"):
            row[at[name]] = same[at[name]]
        for corner, index in enumerate(own):
            other = same[at["vertex_indices"]].index(index)
            for name, near in (("vertex_normals", _SAME_NORMAL), ("s", NEAR), ("t", NEAR)):
                if np.abs(np.subtract(row[at[name]][corner], same[at[name]][other])).max() < near:
                    row[at[name]][corner] = same[at[name]][other]


def _keep_extra(old: dict[str, Any], new: dict[str, Any], origin: list[int | None]) -> None:
    at = {name: place for place, name in enumerate(new["fields"])}
    if "extra" in at:
        for row, index in zip(new["rows"], origin, strict=True):
            if index is not None:
                row[at["extra"]] = old["rows"][index][at["extra"]]


def _keep_weights(before: tuple[Any, Any], after: tuple[Any, Any], origin: list[int | None]) -> None:
    """Gives vertices whose bones have the weights of the file the order of these in the file, where weights are equal."""
    places = [[{name: place for place, name in enumerate(own["fields"])} for own in pair] for pair in (before, after)]

    def influences(pair: tuple[Any, Any], at: list[dict[str, int]], index: int) -> tuple[list[int], list[int]]:
        own, extra = (rows["rows"][index] for rows in pair)
        return [own[at[0]["bone_id"]], *extra[at[1]["bone_ids"]]], extra[at[1]["weights"]]

    for place, index in enumerate(origin):
        if index is None:
            continue
        former, made = influences(before, places[0], index), influences(after, places[1], place)
        if made != former and sorted(zip(*made, strict=False)) == sorted(zip(*former, strict=False)) and made[0][3:] == former[0][3:]:
            own, extra = (rows["rows"][place] for rows in after)
            own[places[1][0]["bone_id"]], *extra[places[1][1]["bone_ids"]] = former[0]
            extra[places[1][1]["weights"]] = former[1]


def _cal3d(file: Any, authored: Any, scene: Any, mesh: int, added: int) -> Any:
    """Returns a Cal3D mesh with a submesh of another one."""
    tree, other = json.loads(file.to_json()), json.loads(authored.to_json())
    before, after = tree["file"].get("submeshes"), other["file"].get("submeshes")
    if before is None or after is None:
        raise CannotRewriteError("XML files keep theirs")
    if added or len(before) != len(after):
        raise CannotRewriteError("materials are files of their own, and each submesh has one")
    own, new = before[mesh], after[mesh]
    if own["springs"] or own["num_lod_steps"]:
        raise CannotRewriteError("the mesh has springs or levels of detail")
    (skeleton,) = scene.replace(meshes=[], clips=[]).encode("cal3d-skeleton").values()
    names = [bone.name for bone in scene.skeleton.bones], [bone["name"] for bone in bindpose.decode(skeleton)["bones"]]
    numbers = _numbers(*names)
    for influences in (vertex["influences"] for vertex in new["vertices"]):
        at = influences["fields"].index("bone_id")
        for row in influences["rows"]:
            row[at] = numbers[row[at]]
    points = [[vertex["position"] for vertex in part["vertices"]] for part in (own, new)]
    known = by_place(points[0], NEAR * max(float(np.ptp(np.array(points[0]), axis=0).max()), 1e-9))
    for vertex in new["vertices"]:
        index = known(vertex["position"])
        if index is not None:
            vertex["position"] = own["vertices"][index]["position"]
    before[mesh] = {**new, "material_id": own["material_id"]}
    return _made(file, tree)


def _unigine(file: Any, authored: Any, _scene: Any, mesh: int, added: int) -> Any:
    """Returns a UNIGINE mesh with a surface of another one."""
    tree, other = json.loads(file.to_json()), json.loads(authored.to_json())
    (before,), (after,) = tree["file"].values(), other["file"].values()
    count = len(before["surfaces"])
    if added or count != len(after["surfaces"]):
        raise CannotRewriteError("the file has no materials, and a surface for each mesh")
    own = before["surfaces"][mesh]
    for name, value in after.items():
        if name in ("bounds", "memory"):
            before[name] = value
        elif name in _OF_SURFACES and len(before.get(name, ())) == count:
            before[name][mesh] = value[mesh]
    before["surfaces"][mesh] |= {name: own[name] for name in ("name", "lightmap") if name in own}
    return _made(file, tree)


_OF_SURFACES = ("surfaces", "geometry", "trees")
"""The lists of a UNIGINE mesh with an element for each surface."""

SPLICES = {"psk": _psk, "ms3d": _ms3d, "cal3d-mesh": _cal3d, "unigine-mesh": _unigine}
"""What returns a file with the lists of a mesh of another one, by format: of the file, the other one, the scene that this one has, the mesh and the number of new materials."""
