"""Draws a clip of a model as an animated PNG, with the command. It needs Pillow.

    python picture.py bindpose dragon.glb wave 2.0 wave.png
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

RATE = 12
VIEW = ["--size", "320x340", "--yaw", "-20", "--background", "f4f5f7"]


def draw(bindpose: str, model: str, clip: str, seconds: float, folder: Path) -> list[Image.Image]:
    frames = []
    for number in range(round(seconds * RATE)):
        path = folder / f"{number}.png"
        subprocess.run([bindpose, "preview", model, "-o", path, "--clip", clip, "--time", str(number / RATE), *VIEW], check=True)
        frames.append(Image.open(path).convert("RGB"))
    return frames


def main(bindpose: str, model: str, clip: str, seconds: str, target: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        frames = draw(bindpose, model, clip, float(seconds), Path(folder))
    # All frames share the colours of the first one.
    palette = frames[0].quantize(128, dither=Image.Dither.NONE)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    first.save(target, save_all=True, append_images=others, duration=1000 // RATE, loop=0, optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
