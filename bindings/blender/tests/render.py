# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders the model of our own, imported from the files of each family, with Cycles.

    python render.py OUT.png
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path
from typing import Any

import bpy
import model
import numpy as np
from headless import empty, load
from mathutils import Vector

WIDTH, HEIGHT, SAMPLES = 220, 330, 24
FRAME = 8


def camera_for(center: Vector, size: float) -> Any:
    """Adds a camera that shows a sphere, and a sun."""
    scene = bpy.context.scene
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.location = center + Vector((0.5, -1.0, 0.25)).normalized() * size * 1.75
    camera.rotation_euler = (center - camera.location).to_track_quat("-Z", "Y").to_euler()
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.data.angle = 1.8, 0.1
    sun.rotation_euler = (math.radians(50), 0, math.radians(30))
    for thing in (camera, sun):
        scene.collection.objects.link(thing)
    scene.camera = camera
    scene.world = bpy.data.worlds.new("world")
    if scene.world.node_tree is None:
        scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.3, 0.33, 0.38, 1.0)
    return scene


def rendered(paths: list[Path], target: Path) -> np.ndarray:
    """Renders a model at a frame of its clip, and returns the pixels from the top."""
    empty()
    made, _ = load(*paths)
    scene = camera_for(Vector((0, 0, model.HEIGHT * 0.53)), model.HEIGHT)
    scene.frame_set(FRAME)
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.seed, scene.cycles.use_denoising = SAMPLES, 1, False
    scene.render.resolution_x, scene.render.resolution_y = WIDTH, HEIGHT
    scene.render.filepath = str(target)
    scene.view_settings.view_transform = "Standard"
    bpy.ops.render.render(write_still=True)
    return pixels(target)


def pixels(path: Path) -> np.ndarray:
    """Returns the pixels of an image."""
    image = bpy.data.images.load(str(path))
    values = np.empty(WIDTH * HEIGHT * 4, np.float32)
    image.pixels.foreach_get(values)
    return values.reshape(HEIGHT, WIDTH, 4)


def main() -> None:
    """Renders all families side by side."""
    with tempfile.TemporaryDirectory() as folder:
        files = model.write(Path(folder))
        parts = [rendered(paths, Path(folder) / f"{family}.png") for family, paths in files.items()]
    image = bpy.data.images.new("all", WIDTH * len(parts), HEIGHT)
    image.pixels.foreach_set(np.concatenate(parts, axis=1).reshape(-1))
    image.filepath_raw, image.file_format = sys.argv[1], "PNG"
    image.save()


if __name__ == "__main__":
    main()
