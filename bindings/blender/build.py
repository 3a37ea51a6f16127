# SPDX-License-Identifier: GPL-3.0-or-later
"""Packs the extension with Blender's own tool.

    python build.py --blender-ext PATH/blender_ext.py --wheels FOLDER -o FOLDER

The wheels of bindpose in the folder become part of the extension, each for its platform. `blender_ext.py` is part of Blender: in
`scripts/addons_core/bl_pkg/cli`. The result is validated.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent

PLATFORMS = {"manylinux": "linux", "linux": "linux", "macosx": "macos", "win": "windows"}
MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


def platform_of(wheel: Path) -> str:
    """Returns the platform of a wheel in Blender's terms, such as `linux-x64`."""
    tag = wheel.stem.rsplit("-", 1)[-1]
    system = next(own for prefix, own in PLATFORMS.items() if tag.startswith(prefix))
    machine = next(own for suffix, own in MACHINES.items() if tag.endswith(suffix))
    return f"{system}-{machine}"


def staged(folder: Path, wheels: list[Path]) -> Path:
    """Copies the extension with its wheels."""
    source = folder / "bindpose"
    shutil.copytree(HERE, source, ignore=shutil.ignore_patterns("__pycache__", "tests", "wheels", "build.py"))
    (source / "wheels").mkdir()
    for wheel in wheels:
        shutil.copy(wheel, source / "wheels")
    manifest = source / "blender_manifest.toml"
    names = "".join(f'  "./wheels/{wheel.name}",\n' for wheel in wheels)
    platforms = ", ".join(f'"{own}"' for own in sorted({platform_of(wheel) for wheel in wheels}))
    text = manifest.read_text(encoding="utf-8")
    before, marker, after = text.partition("# build.py adds the wheels and their platforms.\n")
    if not marker:
        raise SystemExit(f"{manifest}: the line for the wheels is missing")
    manifest.write_text(f"{before}platforms = [{platforms}]\nwheels = [\n{names}]\n{after}", encoding="utf-8")
    return source


def run(tool: list[str], *arguments: str) -> None:
    """Runs Blender's tool; it says itself what is wrong."""
    code = subprocess.run([*tool, *arguments], check=False).returncode
    if code:
        raise SystemExit(code)


def main() -> None:
    """Packs the extension."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blender-ext", required=True, type=Path, help="blender_ext.py of Blender")
    parser.add_argument("--wheels", required=True, type=Path, help="the folder of the wheels")
    parser.add_argument("-o", "--output", required=True, type=Path, help="the folder of the result")
    arguments = parser.parse_args()
    wheels = sorted(arguments.wheels.glob("bindpose-*-abi3-*.whl"))
    if not wheels:
        raise SystemExit(f"{arguments.wheels}: no wheel of bindpose for all versions of Python")
    arguments.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source = staged(Path(folder), wheels)
        tool = [sys.executable, str(arguments.blender_ext)]
        run(tool, "build", "--source-dir", str(source), "--output-dir", str(arguments.output))
    for package in arguments.output.glob("bindpose-*.zip"):
        run(tool, "validate", str(package))


if __name__ == "__main__":
    main()
