"""Converts glTF models to every family and back, and compares the surfaces at rest and at five times of each clip.

Results may be off by 1e-4 of the size of the model, or by the precision that the page of the format states. Where they
are off by more, a loss of geometry or motion must report it, with at least that measure if it has one. Prints each
difference without such a loss, and exits with 1 if there is one.
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

import rigs  # noqa: F401, its models
import surfaces  # noqa: F401
from build import MODELS
from compare import clips, rests, size, times
from gltf import Gltf

FAMILIES = ["glb", "ms3d", "unreal", "x", "cal3d", "cal3d:xml", "unigine", "iqm", "max"]
TOLERANCE = 1e-4
# In clips. Weights of MS3D are whole hundredths: docs/formats/ms3d.md.
PRECISION = {"ms3d": 5e-3}
# Losses of geometry that move no corner.
WITHOUT_EFFECT = {
    "lengths-of-directions", "morph-tangents", "morph-tex-coords", "normals-computed", "normals-not-unit",
    "normals-without-direction", "sums-of-weights", "tangents", "tex-coord-sets", "unused-vertices",
}  # fmt: skip
IMAGES = {".png", ".jpg", ".bmp", ".dds"}


@dataclass
class Loss:
    kind: str
    name: str
    text: str
    measure: dict | None


@dataclass
class Difference:
    """What differs: "rest", "clip" or "duration", and by how much of the size."""

    what: str
    text: str
    off: float


class Refused(Exception):
    """A command failed."""


def run(*command) -> list[Loss]:
    """Runs a command, and returns the losses that it reports."""
    done = subprocess.run([str(own) for own in command], capture_output=True, text=True)
    if done.returncode:
        raise Refused(done.stderr.strip())
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    losses = [line for line in lines if "loss" in line]
    return [Loss(own["kind"], own["loss"], f"{own['what']}: {own['why']}", own["measure"]) for own in losses]


def convert(bindpose: Path, model: Path, family: str, folder: Path) -> tuple[Path, list[Loss]]:
    """Converts a model to a family, and all its files back; "glb" is the model as it is exported again."""
    back, report = folder / "back.glb", ("--quiet", "--loss-report")
    if family == "glb":
        folder.mkdir()
        return back, run(bindpose, "export", model, "-o", back, *report, "--format", "json")
    losses = run(bindpose, "convert", model, "--to", family, "--out-dir", folder, *report, "json")
    files = [own for own in sorted(folder.rglob("*")) if own.is_file() and own.suffix.lower() not in IMAGES]
    # Formats without a rate are written at 30 frames per second.
    losses += run(bindpose, "export", *files, "-o", back, "--rate", "30", *report, "--format", "json")
    return back, losses


def differences(source: Gltf, result: Gltf, is_bound: bool) -> list[Difference]:
    rest, found = source.triangles(is_bound=is_bound), []
    whole = max(size(rest), size(source.triangles())) or 1.0
    if len(rest) != len(result.triangles()):
        found.append(Difference("rest", f"{len(result.triangles())} triangles instead of {len(rest)}", math.inf))
    if not len(result.triangles()):
        return found
    off = rests(source, result, is_bound) / whole
    found.append(Difference("rest", f"{off:.1e} at rest", off))
    partners = clips(source, result)
    for clip, (there, far) in partners.items():
        name, end, after, off = source.clips[clip], source.end(clip), result.end(there), far.max() / whole
        found.append(Difference("clip", f"{off:.1e} in clip {name!r} at {times(end)[far.argmax()]:.3f} s", off))
        if abs(after - end) > TOLERANCE * max(end, 1):
            found.append(Difference("duration", f"clip {name!r} lasts {after:.4f} s instead of {end:.4f} s", math.inf))
    missing = set(range(len(source.clips))) - set(partners)
    found += [Difference("clip", f"no clip {source.clips[clip]!r}", math.inf) for clip in sorted(missing)]
    return found


def scales(source: Gltf) -> bool:
    """Whether the scale of nodes can change: by a clip, or because turned nodes are in a node of uneven scale."""
    paths = {own["target"]["path"] for animation in source.animations for own in animation["channels"]}
    return "scale" in paths or any("matrix" in own or len(set(own.get("scale", [1]))) > 1 for own in source.nodes)


def covers(loss: Loss, own: Difference, whole: float) -> bool:
    """Whether a loss reports a difference. Its measure is that of a bone; a rotation moves points about it."""
    if loss.name in WITHOUT_EFFECT or loss.kind not in (
        ("geometry",) if own.what == "rest" else ("geometry", "motion")
    ):
        return False
    if loss.measure is None or own.what == "duration":
        return True
    most = loss.measure["metres"] / whole + math.radians(loss.measure["degrees"]) + loss.measure["scale"]
    return own.off <= 1.01 * most + TOLERANCE


def examine(bindpose: Path, model: Path, family: str, folder: Path) -> tuple[str, list[str]]:
    """The verdict, and what differs without a loss."""
    source = Gltf(model)
    try:
        back, losses = convert(bindpose, model, family, folder)
    except Refused as refused:
        # Of our own models, only what exceeds a limit of the format may be refused.
        is_expected = model.stem not in MODELS or "the format holds" in str(refused)
        return "refused" if is_expected else "faulty", str(refused).splitlines()[:1]
    if not scales(source):
        losses = [own for own in losses if own.name != "scale-animated"]
    found = differences(source, Gltf(back), any(own.name == "rest-poses" for own in losses))
    precision = {"clip": PRECISION.get(family, TOLERANCE)}
    seen = [own for own in found if own.off > precision.get(own.what, TOLERANCE)]
    whole = size(source.triangles()) or 1.0
    silent = [own for own in seen if not any(covers(loss, own, whole) for loss in losses)]
    if silent:
        return "faulty", [own.text for own in silent] + [
            f"  {own.name}: {own.text}" for own in losses if own.kind in ("geometry", "motion")
        ]
    return ("with losses" if seen else "exact"), []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bindpose", type=Path)
    parser.add_argument("models", type=Path, nargs="*", help="glTF files, or names of models [default: all models]")
    parser.add_argument("--to", action="append", help="a family; repeatable [default: all]")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for number, model in enumerate(arguments.models or MODELS):
            if str(model) in MODELS:
                make, model = MODELS[str(model)], Path(scratch) / f"{model}.glb"
                make().write(model)
            for family in arguments.to or FAMILIES:
                folder = Path(scratch) / f"{number}-{family.replace(':', '-')}"
                verdict, texts = examine(arguments.bindpose, model, family, folder)
                counts[verdict] += 1
                for text in texts:
                    print(
                        f"{model if model in arguments.models else model.stem}, {family}: {verdict}: {text}", flush=True
                    )
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    sys.exit(counts["faulty"] > 0)


if __name__ == "__main__":
    main()
