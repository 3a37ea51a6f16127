// What is drawn over the model: its bones, and the chosen vertex.
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Points, PointsMaterial, Vector3 } from "three";
import { isDrawable } from "./framing.js";
import { ASIDE } from "./shadow.js";

const OVER = { depthTest: false, depthWrite: false, transparent: true, toneMapped: false };

function geometryOf(points, ...names) {
  const geometry = new BufferGeometry();
  for (const name of names) geometry.setAttribute(name, new BufferAttribute(new Float32Array(points * 3), 3));
  return geometry;
}

/** Adds an object over all others of a scene. */
function over(scene, object, order) {
  object.renderOrder = order;
  object.frustumCulled = false;
  object.layers.set(ASIDE);
  scene.add(object);
  return object;
}

function remove(object) {
  object.removeFromParent();
  object.geometry.dispose();
  object.material.dispose();
}

/** Bones as lines from their parents, with a square for each joint. */
export class BoneLines {
  #bones;
  #colors;
  #parents;
  /** The pairs of a parent and its child. */
  #links;
  #lines;
  #joints;

  /** @param {{line, joint, chosen}} colors */
  constructor(scene, bones, parents, colors) {
    this.#bones = bones;
    this.#colors = colors;
    this.#parents = parents;
    this.#links = parents.flatMap((parent, bone) => (parent === null ? [] : [[parent, bone]]));
    this.#lines = over(scene, new LineSegments(geometryOf(this.#links.length * 2, "position", "color"), new LineBasicMaterial({ ...OVER, vertexColors: true, opacity: 0.75 })), 10);
    this.#joints = over(scene, new Points(geometryOf(bones.length, "position", "color"), new PointsMaterial({ ...OVER, vertexColors: true, size: 3.5, sizeAttenuation: false })), 10);
    this.paint(-1);
  }

  set visible(on) {
    this.#lines.visible = this.#joints.visible = on;
  }

  /** Colours the bones; `chosen` is the index of the chosen one. */
  paint(chosen) {
    const { line, joint, chosen: own } = this.#colors;
    const paint = (attribute, index, color) => attribute.setXYZ(index, color.r, color.g, color.b);
    const lines = this.#lines.geometry.getAttribute("color");
    this.#links.forEach(([parent], link) => {
      const color = parent === chosen ? own : line;
      paint(lines, 2 * link, color);
      paint(lines, 2 * link + 1, color);
    });
    lines.needsUpdate = true;
    const joints = this.#joints.geometry.getAttribute("color");
    this.#bones.forEach((_, bone) => paint(joints, bone, bone === chosen ? own : joint));
    joints.needsUpdate = true;
  }

  /** Moves the lines to where the bones are. A bone that cannot be drawn is at its parent, which precedes it. */
  place() {
    const joints = this.#joints.geometry.getAttribute("position");
    const at = new Vector3();
    this.#bones.forEach((bone, index) => {
      if (bone) at.setFromMatrixPosition(bone.matrixWorld);
      if (!isDrawable(at)) at.fromArray(joints.array, 3 * (this.#parents[index] ?? index));
      if (!isDrawable(at)) at.set(0, 0, 0);
      joints.setXYZ(index, at.x, at.y, at.z);
    });
    joints.needsUpdate = true;
    const lines = this.#lines.geometry.getAttribute("position");
    this.#links.forEach((link, index) => link.forEach((bone, end) => {
      lines.setXYZ(2 * index + end, joints.getX(bone), joints.getY(bone), joints.getZ(bone));
    }));
    lines.needsUpdate = true;
  }

  remove() {
    remove(this.#lines);
    remove(this.#joints);
  }
}

/** The mark of a vertex. */
export class VertexMark {
  #point;

  constructor(scene, color) {
    this.#point = over(scene, new Points(geometryOf(1, "position"), new PointsMaterial({ ...OVER, color, size: 9, sizeAttenuation: false })), 11);
    this.visible = false;
  }

  set visible(on) {
    this.#point.visible = on;
  }

  place(at) {
    if (!isDrawable(at)) return;
    const position = this.#point.geometry.getAttribute("position");
    position.setXYZ(0, ...at);
    position.needsUpdate = true;
  }

  remove() {
    remove(this.#point);
  }
}
