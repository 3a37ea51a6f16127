// The ground under the model: a grid, and a soft shadow.
import { Box3, GridHelper, Vector3 } from "three";
import { ASIDE, Shadow } from "./shadow.js";

export class Ground {
  #scene;
  #shadow;
  #grid = null;
  #visible = true;
  #cell = 1;
  #color = "#888";
  /** The box of the model, and how far it had travelled then. */
  #box = new Box3(new Vector3(-1, 0, -1), new Vector3(1, 2, 1));
  #start = new Vector3();

  constructor(scene) {
    this.#scene = scene;
    this.#shadow = new Shadow(scene);
  }

  /** Builds the grid again in a colour. */
  paint(color, travel) {
    this.#color = color;
    this.build(this.#box, this.#start);
    this.place(travel);
  }

  /** Builds the grid under the box of a model that has travelled. */
  build(box, travel) {
    [this.#box, this.#start] = [box, travel.clone()];
    if (this.#grid) {
      this.#scene.remove(this.#grid);
      this.#grid.dispose();
    }
    const extent = Math.max(box.max.x - box.min.x, box.max.z - box.min.z, (box.max.y - box.min.y) / 2, 1e-6);
    const cell = 10 ** Math.floor(Math.log10(extent / 2));
    const cells = 2 * Math.ceil(extent / cell);
    this.#grid = new GridHelper(cells * cell, cells, this.#color, this.#color);
    this.#grid.material.transparent = true;
    this.#grid.material.opacity = 0.35;
    this.#grid.position.y = Math.min(0, box.min.y);
    this.#grid.layers.set(ASIDE);
    this.#cell = cell;
    this.#shadow.build(box, this.#grid.position.y, travel);
    this.visible = this.#visible;
    this.place(travel);
    this.#scene.add(this.#grid);
  }

  set visible(on) {
    this.#visible = this.#shadow.visible = on;
    if (this.#grid) this.#grid.visible = on;
  }

  /** Draws the shadow again. */
  shade(renderer) {
    if (this.#visible) this.#shadow.draw(renderer, this.#scene);
  }

  /** Moves the grid with the camera, by whole cells. */
  place(travel) {
    if (!this.#grid) return;
    this.#shadow.place(travel);
    const { x, z } = travel;
    [this.#grid.position.x, this.#grid.position.z] = [x, z].map((way) => Math.round(way / this.#cell) * this.#cell);
  }
}
