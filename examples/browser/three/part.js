import { Matrix3, Matrix4, Vector3 } from 'three';

import { refuse } from '../src/error.js';
import { Hit } from '../src/rows.js';
import { countedGroups, optionsFor } from './sides.js';

/**
 * What a ray is cast at: the triangles of one tree, at one place.
 *
 * @typedef {object} Part
 * @property {any} tree
 * @property {number} start where the baked triangles begin in the geometry's index
 * @property {any} geometry
 * @property {any} material one, or an array
 * @property {Matrix4} matrixWorld
 * @property {any} object what intersections name
 */

/** The direction of the last ray, as the geometry sees it. */
export const localDirection = new Vector3();

const inverse = new Matrix4();
const linear = new Matrix3();
const origin = new Vector3();
const firstHit = new Hit();
const hits = /** @type {Hit[]} */ ([]);

/** Where the triangles of a tree begin in the index of the geometry. */
const starts = /** @type {WeakMap<object, number>} */ (new WeakMap());

/**
 * The bake keeps it as the mesh's number: see `geometryInput`.
 *
 * @param {any} tree
 */
export function startOf(tree) {
  let start = starts.get(tree);
  if (start === undefined) {
    if (tree.meshCount !== 1) refuse('the tree of a geometry has one mesh: see geometryInput');
    start = Number(tree.mesh(0).userId);
    starts.set(tree, start);
  }
  return start;
}

/**
 * Gives the nearest hit up to a distance, and the number of its group; or null. The hit is written
 * to by the next call.
 *
 * @param {Part} part
 * @param {any} raycaster
 * @param {number} far
 */
export function castFirst(part, raycaster, far) {
  if (!aim(part, raycaster)) return null;
  const options = optionsFor(part, Math.max(raycaster.near, 0), far);
  const hit = part.tree.closestHit(origin, localDirection, options, firstHit);
  if (!hit) return null;
  const [group] = countedGroups(part, part.start + 3 * hit.triangle, hit.front);
  return { hit, group };
}

/**
 * Gives every hit in order, once for each group that it is in.
 *
 * @param {Part} part
 * @param {any} raycaster
 * @param {(hit: Hit, group: number) => void} give
 */
export function castAll(part, raycaster, give) {
  if (!aim(part, raycaster)) return;
  const options = optionsFor(part, Math.max(raycaster.near, 0), raycaster.far);
  for (const hit of part.tree.allHits(origin, localDirection, options, hits)) {
    const corner = part.start + 3 * hit.triangle;
    for (const group of countedGroups(part, corner, hit.front)) give(hit, group);
  }
}

/**
 * Moves the ray to where the part was baked. The direction keeps the length that it gets there, so
 * that `t` is the distance in the world. False if the part is flattened to nothing.
 *
 * @param {Part} part
 * @param {any} raycaster
 */
function aim(part, raycaster) {
  inverse.copy(part.matrixWorld).invert();
  origin.copy(raycaster.ray.origin).applyMatrix4(inverse);
  linear.setFromMatrix4(inverse);
  localDirection.copy(raycaster.ray.direction).normalize().applyMatrix3(linear);
  return localDirection.lengthSq() > 0;
}
