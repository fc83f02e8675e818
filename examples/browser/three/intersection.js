import { Triangle, Vector2, Vector3 } from 'three';

import { localDirection } from './part.js';

const a = new Vector3();
const b = new Vector3();
const c = new Vector3();

/**
 * What three's own `raycast` gives for a hit of the last ray that was cast at the part.
 *
 * @param {import('./part.js').Part} part
 * @param {any} raycaster
 * @param {any} hit
 * @param {number} materialIndex
 * @returns {any}
 */
export function intersectionOf(part, raycaster, hit, materialIndex) {
  const { geometry, matrixWorld, object } = part;
  const { position, uv, uv1, normal } = geometry.attributes;
  const corner = part.start + 3 * hit.triangle;
  const [ia, ib, ic] = cornersAt(geometry.index, corner);
  a.fromBufferAttribute(position, ia);
  b.fromBufferAttribute(position, ib);
  c.fromBufferAttribute(position, ic);

  const barycoord = new Vector3(1 - hit.u - hit.v, hit.u, hit.v);
  /** @type {(attribute: any, target: any) => any} */
  const interpolated = (attribute, target) =>
    Triangle.getInterpolatedAttribute(attribute, ia, ib, ic, barycoord, target);
  const point = interpolated(position, new Vector3()).applyMatrix4(matrixWorld);
  const intersection = /** @type {any} */ ({
    distance: raycaster.ray.origin.distanceTo(point),
    point,
    object,
  });
  if (uv) intersection.uv = interpolated(uv, new Vector2());
  if (uv1) intersection.uv1 = interpolated(uv1, new Vector2());
  const faceNormal = Triangle.getNormal(a, b, c, new Vector3());
  if (normal) {
    intersection.normal = interpolated(normal, new Vector3());
    if (intersection.normal.dot(localDirection) > 0) intersection.normal.negate();
  }
  intersection.face = { a: ia, b: ib, c: ic, normal: faceNormal, materialIndex };
  intersection.barycoord = barycoord;
  intersection.faceIndex = Math.floor(corner / 3);
  return intersection;
}

/**
 * @param {any} index
 * @param {number} corner
 */
function cornersAt(index, corner) {
  if (!index) return [corner, corner + 1, corner + 2];
  return [index.getX(corner), index.getX(corner + 1), index.getX(corner + 2)];
}
