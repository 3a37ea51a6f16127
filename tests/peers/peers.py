"""Converts a .glb file to every format, and compares the results with the original.

Each result is read by bindpose and, where it is installed, by a program that does not belong to bindpose: assimp,
psk_psa_py and libcal3d. Prints a line for each reader with the largest distance of vertices or bones, relative to the
size of the model. Exits with 1 if one exceeds its tolerance.
"""

import argparse
import importlib.util
import math
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from compare import clips, compare, farthest, size, times, unmatched
from gltf import Gltf, of_parts

HERE = Path(__file__).parent

# What `convert --to` writes, and the tolerance of vertices in clips. Weights of MS3D are hundredths, those of IQM parts of 255.
# UNIGINE 2.19 does not store the rate of clips, so they are resampled to 30 frames per second.
FORMATS = {
    "ms3d": ("ms3d", 1e-3),
    "unreal": ("unreal", 1e-5),
    "x": ("x", 1e-5),
    "cal3d": ("cal3d", 1e-5),
    "cal3d-xml": ("cal3d:xml", 1e-5),
    "unigine": ("unigine:2.19", 5e-2),
    "iqm": ("iqm", 2e-3),
}

# The others are written with one pose beside the clips: that in which the mesh was bound.
WITH_REST = {"x"}


def run(*command):
    done = subprocess.run([str(own) for own in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr or done.stdout}")
    return done.stdout


def bones(model, clip=None, time=0.0):
    """The positions of nodes in model space, by name."""
    return {node.get("name"): matrix[:3, 3] for node, matrix in zip(model.nodes, model.pose(clip, time))}


def distance(a, b):
    return np.abs(np.subtract(a, b)).max()


def by_assimp(source, folder, name):
    """Vertices at rest and bones in clips, as assimp reads them.

    Of MS3D, assimp 5.2 adds the translation of a key to that of the bone without the rotation of the bind pose.
    """
    file = next(folder.glob(f"*.{name}"))
    result = folder / "assimp.glb"
    run("assimp", "export", file, result, "-fglb2")
    other, whole = Gltf(result), size(source.triangles())
    at_rest = source.triangles(is_bound=name not in WITH_REST)
    yield "vertices at rest", unmatched(at_rest, other.triangles()) / whole, 1e-5
    if not other.clips:
        return
    far = 0.0
    for clip, (there, _) in clips(source, other).items():
        for time in times(source.end(clip)):
            a, b = bones(source, clip, time), bones(other, there, time)
            far = max(far, *(distance(place, b[name]) for name, place in a.items() if name in b))
    yield "bones in clips", far / whole, 5e-2 if name == "ms3d" else 1e-5


def conjugate(own):
    return [-own.x, -own.y, -own.z, own.w]


def placed(parents, parts):
    """The positions of bones of PSK and PSA. The rotations of all bones but the root are inverse."""
    matrices = []
    for parent, (location, rotation) in zip(parents, parts):
        is_root = not matrices
        turn = [rotation.x, rotation.y, rotation.z, rotation.w] if is_root else conjugate(rotation)
        own = of_parts([location.x, location.y, location.z], turn, [1, 1, 1])
        matrices.append(own if is_root else matrices[parent] @ own)
    return [matrix[:3, 3] for matrix in matrices]


def lengths(points):
    """The distances from the first point, which are the same in any axes."""
    return [math.dist(points[0], point) for point in points]


def by_psk_psa_py(source, folder, _):
    """Points and the distances between bones in clips, as psk_psa_py reads them. Its unit is a centimetre."""
    from psk_psa_py.psa.reader import PsaReader
    from psk_psa_py.psk.reader import read_psk_from_file

    psk = read_psk_from_file(str(next(folder.glob("*.psk"))))
    corners, whole = source.triangles(is_bound=True), size(source.triangles())
    assert len(psk.faces) == len(corners), "other triangles"
    # Z is up, and one axis is mirrored.
    read = [psk.points[psk.wedges[index].point_index] for face in psk.faces for index in face.wedge_indices]
    extents = [np.ptp([getattr(point, axis) for point in read]) / 100 for axis in "xyz"]
    own = np.ptp(corners.reshape(-1, 3), axis=0)
    yield "size of the mesh", distance(sorted(extents), sorted(own)) / whole, 1e-5
    with PsaReader.from_path(str(next(folder.glob("*.psa")))) as psa:
        names = [bone.name.decode() for bone in psa.bones]
        parents = [bone.parent_index for bone in psa.bones]
        far = 0.0
        for clip, name in enumerate(source.clips):
            sequence = psa.sequences[name]
            keys = psa.read_sequence_keys(name)
            for frame in range(0, sequence.frame_count, 7):
                row = keys[frame * len(names) : (frame + 1) * len(names)]
                there = lengths(placed(parents, [(key.location, key.rotation) for key in row]))
                a = bones(source, clip, frame / sequence.fps)
                here = lengths([a[own] for own in names])
                far = max(far, *(abs(p - q / 100) for p, q in zip(here, there)))
        yield "bones in clips", far / whole, 1e-5


def by_libcal3d(source, folder, _):
    """Vertices in clips, as libcal3d moves them."""
    program = folder.parent / "reader"
    if not program.exists():
        run("c++", "-O1", "-w", HERE / "cal3d.cpp", "-o", program, "-lcal3d")
    files = [file for end in ("sf", "mf", "rf", "af") for file in sorted(folder.glob(f"*{end}"))]
    names = [file.stem for file in files if file.suffix.endswith("af")]
    poses = []
    for line in run(program, *files).splitlines():
        numbers = [float(word) for word in line.split()]
        if len(numbers) == 2:
            poses.append((int(numbers[0]), numbers[1], []))
        else:
            # Z is up.
            x, y, z = numbers
            poses[-1][2].append([x, z, -y])
    far = 0.0
    for at, name in enumerate(names):
        clip = next((clip for clip, own in enumerate(source.clips) if name.endswith(own)), at)
        own = [(time, corners) for there, time, corners in poses if there == at]
        here = np.stack([source.triangles(clip, time) for time, _ in own], 1)
        there = np.stack([np.reshape(corners, (-1, 3, 3)) for _, corners in own], 1)
        far = max(far, farthest(here, there).max())
    yield "vertices in clips", far / size(source.triangles()), 1e-5


PEERS = [
    ("assimp", "ms3d", lambda: shutil.which("assimp"), by_assimp),
    ("assimp", "x", lambda: shutil.which("assimp"), by_assimp),
    ("assimp", "iqm", lambda: shutil.which("assimp"), by_assimp),
    ("psk_psa_py", "unreal", lambda: importlib.util.find_spec("psk_psa_py"), by_psk_psa_py),
    ("libcal3d", "cal3d", lambda: Path("/usr/include/cal3d/cal3d.h").exists(), by_libcal3d),
    ("libcal3d", "cal3d-xml", lambda: Path("/usr/include/cal3d/cal3d.h").exists(), by_libcal3d),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bindpose")
    parser.add_argument("model", help="a .glb file with a skin and clips")
    arguments = parser.parse_args()
    source, failed = Gltf(arguments.model), []

    def report(reader, name, what, far, tolerance):
        print(f"{reader:12} {name:10} {what:18} {far:.1e}")
        if not far <= tolerance:
            failed.append((reader, name, what))

    with tempfile.TemporaryDirectory() as scratch:
        for name, (to, tolerance) in FORMATS.items():
            folder = Path(scratch) / name
            run(arguments.bindpose, "convert", arguments.model, "--to", to, "--out-dir", folder, "--quiet")
            files = [file for file in sorted(folder.iterdir()) if file.suffix not in (".png", ".jpg")]
            result = Path(scratch) / f"{name}.glb"
            run(arguments.bindpose, "check", *files)
            run(arguments.bindpose, "export", *files, "-o", result, "--quiet")
            worst = compare(source, Gltf(result), name not in WITH_REST)
            report("bindpose", name, "vertices at rest", worst.pop("rest"), 1e-5)
            report("bindpose", name, "vertices in clips", max(worst.values()), tolerance)
        for reader, name, is_installed, read in PEERS:
            if not is_installed():
                print(f"{reader:12} {name:10} is not installed")
                continue
            for what, far, tolerance in read(source, Path(scratch) / name, name):
                report(reader, name, what, far, tolerance)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
