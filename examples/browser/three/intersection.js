import { Triangle, Vector2, Vector3 } from 'three';

const a = new Vector3();
const b = new Vector3();
const c = new Vector3();

/**
 * What three's own `raycast` gives for a hit.
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
  const [ia, ib, ic] = [0, 1, 2].map((i) => geometry.index?.getX(corner + i) ?? corner + i);
  a.fromBufferAttribute(position, ia);
  b.fromBufferAttribute(position, ib);
  c.fromBufferAttribute(position, ic);

  const barycoord = new Vector3(1 - hit.u - hit.v, hit.u, hit.v);
  const interpolated = (/** @type {any} */ attribute, /** @type {any} */ target) =>
    /** @type {any} */ (Triangle).getInterpolatedAttribute(attribute, ia, ib, ic, barycoord, target);
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
    intersection.normal = towards(interpolated(normal, new Vector3()), part, raycaster);
  }
  intersection.face = { a: ia, b: ib, c: ic, normal: faceNormal, materialIndex };
  intersection.barycoord = barycoord;
  intersection.faceIndex = Math.floor(corner / 3);
  return intersection;
}

/**
 * Turns a normal of the geometry against the ray, as three does.
 *
 * @param {Vector3} normal
 * @param {import('./part.js').Part} part
 * @param {any} raycaster
 */
function towards(normal, { matrixWorld }, raycaster) {
  // The ray's direction in the geometry, up to its length.
  a.copy(raycaster.ray.direction).transformDirection(matrixWorld.clone().invert());
  return normal.dot(a) > 0 ? normal.negate() : normal;
}
