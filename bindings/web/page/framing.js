// Where the camera is so that points are in its view, and how keys turn it.
import { Box3, Spherical, Vector3 } from "three";

/** The share of the stage that a model fills. */
const FILL = 0.86;
/** The height of the tools over the stage in pixels. */
const TOOLS = 54;
/** The largest coordinate that is drawn. With larger ones, single precision has no room for the rest of a model, and overflows in the projection. */
const FARTHEST = 1e12;

/** Returns whether a point can be drawn: one at a finite place that is not too far away. */
export const isDrawable = ({ x, y, z }) => Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) <= FARTHEST;

/**
 * Moves a camera as close as possible while all points are in its view, looking in a direction in degrees; `hasTools` if there are tools
 * over the stage. Returns the box around the points, and what the camera looks at.
 */
export function frame(camera, points, { yaw, pitch }, { width, height, hasTools }) {
  const box = new Box3().setFromPoints(points);
  const half = Math.tan((camera.fov * Math.PI) / 360);
  const [across, down] = [half * camera.aspect * FILL, half * FILL];
  // On narrow stages the tools are above the model.
  const up = hasTools && width < 700 ? half * Math.min(FILL, 1 - (2 * TOOLS) / Math.max(height, 4 * TOOLS)) : down;
  const back = new Vector3().setFromSpherical(new Spherical(1, ((90 - pitch) * Math.PI) / 180, (yaw * Math.PI) / 180));
  camera.position.copy(back);
  camera.lookAt(0, 0, 0);
  const turn = camera.quaternion.clone().invert();
  // A point is in the view if |x - eye.x| <= across * (eye.z - z); each side bounds eye.z and eye.x. The same holds for y, with up and down.
  const most = [-Infinity, -Infinity, -Infinity, -Infinity];
  let front = -Infinity;
  for (const point of points) {
    const { x, y, z } = point.applyQuaternion(turn);
    [x + across * z, -x + across * z, y + up * z, -y + down * z].forEach((side, at) => { most[at] = Math.max(most[at], side); });
    front = Math.max(front, z);
  }
  const [right, left, top, bottom] = most;
  const extent = box.getSize(new Vector3()).length() || 1;
  const depth = Math.max((right + left) / (2 * across), (top + bottom) / (up + down), front + extent / 50);
  const eye = new Vector3((right - left) / 2, (top - bottom + (down - up) * depth) / 2, depth).applyQuaternion(camera.quaternion);
  const middle = box.getCenter(new Vector3());
  const distance = Math.max(eye.clone().sub(middle).dot(back), extent / 50);
  camera.near = extent / 1000;
  camera.far = extent * 100;
  camera.updateProjectionMatrix();
  camera.position.copy(eye);
  return { box, target: eye.clone().addScaledVector(back, -distance) };
}

/** Turns or moves a camera around a point as a key says; returns whether it did. */
export function turn(camera, target, key) {
  const angle = new Spherical().setFromVector3(camera.position.clone().sub(target));
  const by = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[key];
  const zoom = { "+": 0.9, "=": 0.9, "-": 1.1 }[key];
  if (!by && !zoom) return false;
  if (by) {
    angle.theta += by[0];
    angle.phi += by[1];
  }
  angle.radius *= zoom ?? 1;
  camera.position.setFromSpherical(angle.makeSafe()).add(target);
  return true;
}
