// The vertices of drawn meshes, and the bones that move them.
import { Box3, Raycaster, Vector2, Vector3 } from "three";
import { isDrawable } from "./framing.js";

const SLOTS = [0, 1, 2, 3];

/** Returns the position of a vertex in the current pose. */
export const posed = ({ object, index }) => object.localToWorld(object.getVertexPosition(index, new Vector3()));

/** Returns at most about `most` positions of vertices of an object in the current pose, in the order of its triangles. */
export function posedPoints(object, most) {
  const { index, attributes: { position } } = object.geometry;
  const count = index?.count ?? position.count;
  const step = Math.max(1, Math.floor(count / most));
  const points = [];
  for (let at = 0; at < count; at += step) points.push(posed({ object, index: index ? index.getX(at) : at }));
  return points;
}

/**
 * Removes the triangles of an object that have a corner that cannot be drawn; returns their number. The pose is only looked at if it is suspect:
 * most models have no such corner.
 */
export function dropTriangles(object, isSuspect) {
  const { index, attributes: { position } } = object.geometry;
  const point = new Vector3();
  const place = isSuspect ? (vertex) => posed({ object, index: vertex }) : (vertex) => point.fromBufferAttribute(position, vertex);
  const far = new Set([...Array(position.count).keys()].filter((vertex) => !isDrawable(place(vertex))));
  if (!far.size) return 0;
  const corners = [...(index?.array ?? Array(position.count).keys())];
  const kept = corners.filter((_, at) => corners.slice(at - (at % 3), at - (at % 3) + 3).every((vertex) => !far.has(vertex)));
  object.geometry.setIndex(kept);
  return (corners.length - kept.length) / 3;
}

/** Sets the bounds of a geometry to those of its triangles: truncated files also have vertices without triangles. */
export function boundTriangles(geometry) {
  const { index, attributes: { position }, morphAttributes } = geometry;
  if (!index || morphAttributes.position) return;
  const point = new Vector3();
  geometry.boundingBox = new Box3();
  for (let corner = 0; corner < index.count; corner++) geometry.boundingBox.expandByPoint(point.fromBufferAttribute(position, index.getX(corner)));
}

/** Returns the bones that move a vertex, the strongest first, each with its share. */
export function influences({ object, index }) {
  if (!object.isSkinnedMesh) return [];
  const { skinIndex, skinWeight } = object.geometry.attributes;
  const slots = SLOTS.map((slot) => ({ bone: object.skeleton.bones[skinIndex.getComponent(index, slot)]?.userData.bone, weight: skinWeight.getComponent(index, slot) }));
  return slots.filter(({ bone, weight }) => weight > 0 && bone !== undefined).sort((a, b) => b.weight - a.weight);
}

/**
 * Returns the vertices that a bone moves, and those that it moves alone, each as its mesh and its index; `meshes` are the meshes of objects. The
 * objects of a mesh, one of each material, have the same vertices.
 */
export function weighted(meshes, bone) {
  const [all, alone] = [[], []];
  const ofMeshes = new Map([...meshes].map(([object, mesh]) => [mesh, object]));
  for (const [mesh, { skeleton, geometry }] of ofMeshes) {
    const joint = skeleton?.bones.findIndex((own) => own.userData.bone === bone) ?? -1;
    const { skinIndex, skinWeight } = geometry.attributes;
    if (joint < 0) continue;
    for (let vertex = 0; vertex < skinIndex.count; vertex++) {
      let share = 0;
      for (const slot of SLOTS) if (skinIndex.getComponent(vertex, slot) === joint) share += skinWeight.getComponent(vertex, slot);
      if (share > 0) all.push([mesh, vertex]);
      if (share > 0.999) alone.push([mesh, vertex]);
    }
  }
  return { all, alone };
}

/** Returns the corner nearest to a place of the triangle there, `{ object, index }`; null if there is none. The place is a share of the canvas. */
export function vertexAt(objects, camera, { x, y }) {
  const ray = new Raycaster();
  ray.setFromCamera(new Vector2(2 * x - 1, 1 - 2 * y), camera);
  // The sphere around a skinned mesh is that of the pose in which it was last asked for.
  for (const object of objects) if (object.isSkinnedMesh) object.computeBoundingSphere();
  const [hit] = ray.intersectObjects(objects, false);
  if (!hit) return null;
  const corners = [hit.face.a, hit.face.b, hit.face.c].map((index) => ({ object: hit.object, index }));
  const distance = (corner) => posed(corner).distanceTo(hit.point);
  return corners.sort((a, b) => distance(a) - distance(b))[0];
}
