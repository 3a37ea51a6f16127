"""Records what other programs read of the sample character: tests/witnesses/READER-FAMILY.txt.

`cargo test` compares these texts with the scenes of bindpose, without the programs. A line is one of

    # comment
    files NAME...              in tests/character
    pose rest | CLIP SECONDS   of the corners that follow
    corner X Y Z [NX NY NZ] [/ U V] [= BONE WEIGHT ...]
    bone NAME X Y Z

Places are in the axes and the unit of glTF (metres, Y up), texture coordinates have their origin at the upper left.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from gltf import Gltf
from peers import HERE, placed, run

ROOT = HERE.parent
CHARACTER = ROOT / "character"
CLIP = "walk"
# Of the clip, not on frames.
SHARES = (0.1, 0.37, 0.9)
# Every so many corners are kept.
STEP = 61


def text(numbers):
    return " ".join(f"{number:.6g}" for number in np.asarray(numbers, float) + 0.0)


def corner(place, normal=(), uv=(), weights=None):
    line = ["corner", text(place)]
    if len(normal):
        line.append(text(normal))
    if len(uv):
        line += ["/", text(uv)]
    if weights:
        line.append("= " + " ".join(f"{name} {weight:.5g}" for name, weight in sorted(weights.items())))
    return " ".join(line)


def z_up(place):
    """From right-handed axes with Z up."""
    x, y, z = place
    return [x, z, -y]


def of_gltf(model, files):
    """What assimp reads, as it exports it to glTF."""
    yield "files " + " ".join(files)
    yield "pose rest"
    for surface, primitive, names in primitives(model):
        attributes = primitive["attributes"]
        normals = model.floats(attributes["NORMAL"]) if "NORMAL" in attributes else None
        uvs = model.floats(attributes["TEXCOORD_0"]) if "TEXCOORD_0" in attributes else None
        own = surface.points if surface.skin is not None else None
        for at in surface.corners.reshape(-1)[::STEP]:
            place = own[at] if own is not None else (model.rest[surface.node] @ [*surface.points[at], 1])[:3]
            weights = {names[j]: w for j, w in zip(surface.joints[at], surface.weights[at]) if w > 0}
            # Of MS3D, assimp reads the first bone alone.
            weights = weights if len(weights) > 1 or not files[0].endswith("ms3d") else None
            yield corner(place, () if normals is None else normals[at], () if uvs is None else uvs[at], weights)
    clip = next((at for at, name in enumerate(model.clips) if CLIP in name), None)
    # The clips of MS3D are ranges of one, in which assimp 5.2 adds translations without the rotation of the bind pose.
    for share in SHARES if clip is not None else ():
        time = model.end(clip) * share
        yield f"pose {CLIP} {time:.6g}"
        for place in model.triangles(clip, time).reshape(-1, 3)[::STEP]:
            yield corner(place)


def primitives(model):
    """The surfaces of a model with their primitives and the names of their bones."""
    found = iter(model.surfaces)
    for node in model.shown():
        if "mesh" in model.nodes[node]:
            for primitive in model.json["meshes"][model.nodes[node]["mesh"]]["primitives"]:
                surface = next(found)
                joints = model.json["skins"][surface.skin]["joints"] if surface.skin is not None else []
                yield surface, primitive, [model.nodes[joint].get("name", "") for joint in joints]


def by_assimp(name, scratch):
    version = next(line for line in run("assimp", "version").splitlines() if line.startswith("Version"))
    yield f"# assimp {version.split()[1]}"
    result = scratch / "assimp.glb"
    run("assimp", "export", CHARACTER / name, result, "-fglb2")
    yield from of_gltf(Gltf(result), [name])


def by_libcal3d(scratch):
    yield "# libcal3d 0.11.0"
    program = scratch / "reader"
    run("c++", "-O1", "-w", HERE / "cal3d.cpp", "-o", program, "-lcal3d")
    files = ["cal3d/dragon.csf", "cal3d/dragon.cmf", "cal3d/dragon.crf", f"cal3d/dragon_{CLIP}.caf"]
    yield "files " + " ".join(files)
    lines = run(program, "--core", *[CHARACTER / file for file in files]).splitlines()
    yield "pose rest"
    at = 0
    for line in lines:
        words = line.split()
        if words[0] == "core":
            place, normal, uv = (list(map(float, words[from_:to])) for from_, to in ((1, 4), (4, 7), (7, 9)))
            weights = {name: float(weight) for name, weight in zip(words[9::2], words[10::2])}
            if at % STEP == 0:
                yield corner(z_up(place), z_up(normal), uv, weights)
            at += 1
        elif len(words) == 2:
            at = 0
            yield f"pose {CLIP} {float(words[1]):.6g}"
        else:
            if at % STEP == 0:
                yield corner(z_up(map(float, words)))
            at += 1


def by_psk_psa_py(scratch):
    from importlib.metadata import version

    from psk_psa_py.psa.reader import PsaReader
    from psk_psa_py.psk.reader import read_psk_from_file

    yield f"# psk_psa_py {version('psk-psa-py')}"
    yield "files dragon.psk dragon.psa"
    psk = read_psk_from_file(str(CHARACTER / "dragon.psk"))
    names = [bone.name.decode() for bone in psk.bones]
    weights = {}
    for own in psk.weights:
        weights.setdefault(own.point_index, {})[names[own.bone_index]] = own.weight
    yield "pose rest"
    corners = [wedge for face in psk.faces for wedge in face.wedge_indices]
    for index in corners[::STEP]:
        wedge = psk.wedges[index]
        point = psk.points[wedge.point_index]
        normal = psk.vertex_normals[wedge.point_index]
        place = np.array([point.x, point.y, point.z]) / 100
        normal = z_up([normal.x, normal.y, normal.z])
        yield corner(z_up(place), normal, [wedge.u, wedge.v], weights[wedge.point_index])
    with PsaReader.from_path(str(CHARACTER / "dragon.psa")) as psa:
        sequence, keys = psa.sequences[CLIP], psa.read_sequence_keys(CLIP)
        parents = [bone.parent_index for bone in psa.bones]
        names = [bone.name.decode() for bone in psa.bones]
        for frame in (0, sequence.frame_count // 3, sequence.frame_count - 1):
            row = keys[frame * len(names) : (frame + 1) * len(names)]
            yield f"pose {CLIP} {frame / sequence.fps:.6g}"
            for name, place in zip(names, placed(parents, [(key.location, key.rotation) for key in row])):
                yield f"bone {name} {text(np.array(z_up(place)) / 100)}"


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        for name, lines in {
            "assimp-ms3d": by_assimp("dragon.ms3d", scratch),
            "assimp-x": by_assimp("dragon.x", scratch),
            "libcal3d": by_libcal3d(scratch),
            "psk_psa_py": by_psk_psa_py(scratch),
        }.items():
            (ROOT / "witnesses" / f"{name}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
