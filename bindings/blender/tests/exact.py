# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports files into Blender, and compares the evaluated vertices with those that bindpose computes.

    pip install bpy numpy bindpose
    python exact.py FOLDER...

Every file with a mesh or a skeleton is imported, and every file with animations together with the model in its folder that has most of
its bones. Prints a line for each: the error relative to the size, whether the export into the original without an edit gives the same
bytes, and the time of the import. The exit code is 1 if an error exceeds 1e-4 or bytes differ.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from pathlib import Path

import bindpose
from headless import bundle, empty, errors, load, original, preferences

LIMIT = 1e-4


def described(path: Path) -> tuple[set[str], bool, bool] | None:
    """Returns the bones of a file, and whether it is a model and has clips; `None` if it has neither."""
    try:
        scene = bindpose.scene(bindpose.open(path, format=bundle.format_of(path, preferences.Options(max_streams=True))))
    except (bindpose.BindposeError, OSError):
        return None
    names = {bone.name.lower() for bone in scene.skeleton.bones}
    is_model = bool(scene.meshes) or (bool(names) and not scene.clips)
    return names, is_model, bool(scene.clips)


def sets_in(folder: Path) -> list[list[Path]]:
    """Returns the sets of files to import."""
    known = {path: described(path) for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".tsv"}
    models = {path: own[0] for path, own in known.items() if own and own[1]}
    skeletons = {path: names for path, names in models.items() if path.suffix.lower() in {".csf", ".xsf", ".skel"}}
    sets: list[list[Path]] = []
    for path, own in known.items():
        if own is None or own[1]:
            sets.append([path])
        if own is None or (own[1] and own[0]) or not (own[0] or own[1]):
            continue
        nearby = {model: names for model, names in (skeletons or models).items() if model.parent == path.parent and model != path}
        partner = max(nearby, key=lambda model: (len(nearby[model] & own[0]), model.stem[:4] == path.stem[:4]), default=None)
        if partner is not None and (nearby[partner] & own[0] or skeletons):
            sets.append([partner, path])
        elif own[2]:
            sets.append([path])
    return sets


def run(paths: list[Path]) -> bool:
    """Imports a set, and prints what came of it."""
    empty()
    names = " + ".join(path.name for path in paths)
    start = time.perf_counter()
    try:
        made, report = load(*paths, max_streams=True)
        seconds = time.perf_counter() - start
        found: dict[str, float] = {}
        same = True
        for collection in made:
            found |= errors(collection)
            parts = bundle.Bundle.stored_in(collection)
            data = {part.name: part.data for part in [*parts.model, *parts.clips]}
            same &= original.changed_files(collection) == data
    except Exception as error:  # A traceback must not end the run.
        print(f"FAILED  {names}: {type(error).__name__}: {error}", flush=True)
        traceback.print_exc(file=sys.stderr)
        return False
    if not made:
        print(f"refused {names}: {'; '.join(report.errors)}", flush=True)
        return True
    worst = max(found.values())
    inexact = [line for line in report.warnings if "approximat" in line]
    is_good = same and (worst <= LIMIT or bool(inexact))
    verdict = "ok     " if is_good and worst <= LIMIT else "approx " if is_good else "WRONG  "
    notes = f"  {inexact[0]}" if inexact else ""
    print(f"{verdict} {names}: error {worst:.1e}, {'same bytes' if same else 'OTHER BYTES'}, {seconds:.2f} s, {len(found)} poses{notes}", flush=True)
    return is_good


def main() -> int:
    """Runs over the folders."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--filter", default="", help="only sets with this text in a name")
    arguments = parser.parse_args()
    sets = [own for folder in arguments.folders for own in sets_in(folder) if any(arguments.filter in path.name for path in own)]
    good = [run(own) for own in sets]
    print(f"{sum(good)} passed, {len(good) - sum(good)} failed")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
