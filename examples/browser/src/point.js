import { refuse } from './error.js';

/** @typedef {import('../hitscan.js').Point} Point */

/**
 * A coordinate of an array or of an object. An argument of another type is refused: as a number it
 * would be a NaN, and the answer a miss.
 *
 * @param {any} point
 */
export function xOf(point) {
  const x = point?.x ?? point?.[0];
  return typeof x === 'number' ? x : noPoint();
}

/** @param {any} point */
export function yOf(point) {
  const y = point?.y ?? point?.[1];
  return typeof y === 'number' ? y : noPoint();
}

/** @param {any} point */
export function zOf(point) {
  const z = point?.z ?? point?.[2];
  return typeof z === 'number' ? z : noPoint();
}

/** @returns {never} */
function noPoint() {
  return refuse('a point or a direction is [x, y, z] or { x, y, z }, of numbers');
}

/**
 * Writes three numbers.
 *
 * @param {Float32Array} to
 * @param {number} at
 * @param {Point} point
 */
export function writePoint(to, at, point) {
  to[at] = xOf(point);
  to[at + 1] = yOf(point);
  to[at + 2] = zOf(point);
}

/**
 * Writes a ray into a module's block.
 *
 * @param {import('./module.js').Module} module
 * @param {Point} origin
 * @param {Point} direction
 * @param {import('../hitscan.js').RayOptions} [options]
 */
export function writeRay(module, origin, direction, options) {
  module.look();
  const { f32, block } = module;
  writePoint(f32, block, origin);
  writePoint(f32, block + 3, direction);
  f32[block + 6] = options?.tMin ?? 0;
  f32[block + 7] = options?.tMax ?? Infinity;
}

/**
 * Writes sixteen numbers.
 *
 * @param {Float32Array} to
 * @param {number} at
 * @param {import('../hitscan.js').Matrix} matrix
 */
export function writeMatrix(to, at, matrix) {
  if (matrix?.length !== 16) refuse('a matrix has sixteen numbers, in columns');
  to.set(matrix, at);
}

export class Vector {
  x = 0;
  y = 0;
  z = 0;
}

/**
 * @param {Vector} vector
 * @param {Float32Array} from
 * @param {number} at
 */
export function readVector(vector, from, at) {
  vector.x = from[at];
  vector.y = from[at + 1];
  vector.z = from[at + 2];
}

/**
 * The box in a row of six numbers.
 *
 * @param {Float32Array} from
 * @param {number} at
 */
export function readBox(from, at) {
  const [min, max] = [new Vector(), new Vector()];
  readVector(min, from, at);
  readVector(max, from, at + 3);
  return { min, max };
}
