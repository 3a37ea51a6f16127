// The axes in the corner of the stage: always over the model, on a disc.
import { CanvasTexture, Sprite, SpriteMaterial } from "three";
import { ViewHelper } from "three/addons/helpers/ViewHelper.js";

/** The diameter of the disc in the unit of the axes, of which the corner has four. */
const DIAMETER = 3.1;

export class Axes extends ViewHelper {
  #disc = new Sprite(new SpriteMaterial({ map: circle(), depthWrite: false, toneMapped: false, alphaTest: 0.5, transparent: false }));

  constructor(camera, canvas) {
    super(camera, canvas);
    this.setLabels("X", "Y", "Z");
    this.location = { top: 6, right: 6, bottom: null, left: null };
    this.#disc.scale.setScalar(DIAMETER);
    this.#disc.renderOrder = -1;
    this.add(this.#disc);
  }

  set color(color) {
    this.#disc.material.color.set(color);
  }
}

/** A white disc. */
function circle(size = 128) {
  const canvas = Object.assign(document.createElement("canvas"), { width: size, height: size });
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.arc(size / 2, size / 2, size / 2 - 1, 0, 2 * Math.PI);
  context.fill();
  return new CanvasTexture(canvas);
}
