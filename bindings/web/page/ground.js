// The ground under the model.
import { GridHelper } from "three";

export class Ground {
  #scene;
  #grid = null;
  #cell = 1;
  color = "#888";

  constructor(scene) {
    this.#scene = scene;
  }

  /** Builds the grid under a box, around a place that has travelled. */
  build(box, travel, visible) {
    if (this.#grid) {
      this.#scene.remove(this.#grid);
      this.#grid.dispose();
    }
    const extent = Math.max(box.max.x - box.min.x, box.max.z - box.min.z, (box.max.y - box.min.y) / 2, 1e-6);
    const cell = 10 ** Math.floor(Math.log10(extent / 2));
    const cells = 2 * Math.ceil(extent / cell);
    this.#grid = new GridHelper(cells * cell, cells, this.color, this.color);
    this.#grid.material.transparent = true;
    this.#grid.material.opacity = 0.35;
    this.#grid.position.y = Math.min(0, box.min.y);
    this.#cell = cell;
    this.visible = visible;
    this.place(travel);
    this.#scene.add(this.#grid);
  }

  set visible(on) {
    if (this.#grid) this.#grid.visible = on;
  }

  /** Moves the grid with the camera, by whole cells. */
  place({ x, z }) {
    if (!this.#grid) return;
    [this.#grid.position.x, this.#grid.position.z] = [x, z].map((way) => Math.round(way / this.#cell) * this.#cell);
  }
}
