"""Converts glTF models to every family and back, and compares the surfaces at rest and at five times of each clip.

A result may be off by 1e-4 of the size of the model. Where it is off by more, a loss of geometry or motion must say so,
and by at least as much if it has a measure. Prints each case without such a loss, and exits with 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from compare import clips, farthest, poses, size, times
from gltf import Gltf
from models import MODELS

FAMILIES = ["ms3d", "unreal", "x", "cal3d", "cal3d:xml", "unigine", "max"]
TOLERANCE = 1e-4
# Losses of geometry and motion that move no corner.
WITHOUT_EFFECT = {"normals-computed", "tangents", "lengths-of-directions", "unused-vertices", "sums-of-weights", "morph-tex-coords"}
IMAGES = {".png", ".jpg", ".bmp", ".dds"}


@dataclass
class Loss:
    kind: str
    name: str
    text: str
    measure: dict | None


def run(*command) -> tuple[int, list[Loss], str]:
    """The exit code, the losses that a command reports, and the last line of its messages."""
    done = subprocess.run([str(own) for own in command], capture_output=True, text=True)
    losses = []
    for line in done.stdout.splitlines():
        own = json.loads(line)
        losses.append(Loss(own["kind"], own["loss"], f"{own['what']}: {own['why']}", own["measure"]))
    return done.returncode, losses, done.stderr.strip()


def convert(bindpose: Path, model: Path, family: str, folder: Path) -> tuple[Path | None, list[Loss], str]:
    """Converts a model to a family and its files back; the result is None if the family is refused."""
    status, losses, message = run(bindpose, "convert", model, "--to", family, "--out-dir", folder, "--loss-report", "json", "-q", "--force")
    if status:
        return None, losses, message
    files = [own for own in sorted(folder.rglob("*")) if own.is_file() and own.suffix.lower() not in IMAGES]
    back = folder.with_suffix(".glb")
    # Formats without a rate are written at 30 frames per second.
    status, more, message = run(bindpose, "export", *files, "-o", back, "--rate", "30", "--loss-report", "--format", "json", "-q", "--force")
    return (None if status else back), losses + more, message


def permits(losses: list[Loss], off: float, whole: float, what: str) -> bool:
    """Whether a loss says that the result is off by as much."""
    for own in losses:
        if own.name in WITHOUT_EFFECT or own.kind not in (("geometry",) if what == "rest" else ("geometry", "motion")):
            continue
        if own.measure is None or what == "duration":
            return True
        degrees, scale = own.measure.get("degrees", 0), own.measure.get("scale", 0)
        if off <= own.measure.get("metres", 0) + (math.radians(degrees) + scale) * whole:
            return True
    return False


def faults(source: Gltf, result: Gltf, losses: list[Loss]) -> list[str]:
    """What differs without a loss."""
    found = []
    is_moved = any(own.name == "rest-poses" for own in losses)
    rest = source.triangles(is_bound=is_moved)
    whole = max(size(rest), size(source.triangles())) or 1.0
    if len(rest) != len(result.triangles()):
        found.append(("rest", f"{len(result.triangles())} triangles instead of {len(rest)}", math.inf))
    if not len(result.triangles()):
        return found
    off = farthest(poses(source, None, [], is_moved), poses(result, None, [])).max()
    found.append(("rest", f"at rest {off / whole:.1e}", off))
    together = clips(source, result, is_moved)
    for clip, (there, off) in together.items():
        name, end, after = source.clips[clip], source.end(clip), result.end(there)
        found.append(("clip", f"clip {name!r} {off.max() / whole:.1e} at {times(end)[int(off.argmax())]:.3f} s", off.max()))
        if abs(after - end) > 1e-4 + 1e-4 * end:
            found.append(("duration", f"clip {name!r} lasts {after:.4f} s instead of {end:.4f} s", math.inf))
    for clip in set(range(len(source.clips))) - set(together):
        found.append(("clip", f"clip {source.clips[clip]!r} is missing", math.inf))
    return [(what, off / whole, permits(losses, off, whole, kind)) for kind, what, off in found if off > TOLERANCE * whole]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bindpose", type=Path)
    parser.add_argument("models", type=Path, nargs="*", help="glTF files [default: models of each feature]")
    parser.add_argument("--only", help="names of models, with commas")
    parser.add_argument("--family", action="append")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("-v", action="store_true")
    arguments = parser.parse_args()
    counts = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = arguments.keep or Path(scratch)
        models = arguments.models
        if not models:
            models = []
            for name, make in MODELS.items():
                if arguments.only and name not in arguments.only.split(","):
                    continue
                models.append(scratch / f"{name}.glb")
                make().write(models[-1])
        for number, model in enumerate(models):
            try:
                source = Gltf(model)
            except Exception as error:
                print(f"{model}: cannot be read: {error!r}")
                continue
            for family in arguments.family or FAMILIES:
                label = f"{model.name if not arguments.models else model}, {family}"
                folder = scratch / f"{number}_{model.stem}_{family.replace(':', '_')}"
                back, losses, message = convert(arguments.bindpose, model, family, folder)
                if back is None:
                    counts["refused"] += 1
                    print(f"{label}: refused: {message.splitlines()[0] if message else ''}")
                    continue
                differences = faults(source, Gltf(back), losses)
                for what, off, is_permitted in differences:
                    if arguments.v or not is_permitted:
                        print(f"{label}: {what}{' (a loss)' if is_permitted else '   <<<'}")
                if differences and arguments.v or any(not own[2] for own in differences):
                    for own in losses:
                        if own.kind in ("geometry", "motion"):
                            print(f"      {own.name}: {own.text}")
                counts["faulty" if any(not own[2] for own in differences) else "a loss" if differences else "exact"] += 1
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    sys.exit(counts["faulty"] > 0)


if __name__ == "__main__":
    main()
