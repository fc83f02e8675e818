import { NONE } from '../hitscan.js';
import { RAY } from './camera.js';

/** Numbers whose multiples spread evenly: R. Roberts' sequence in two dimensions. */
const [SPREAD_A, SPREAD_B] = [0.7548776662466927, 0.5698402909980532];

/** How far a ray starts from the surface, as a part of its length. */
const LIFT = 1e-3;

/**
 * Which points see nothing near them, along one ray each. Over many passes this is how open a place
 * is: corners darken.
 */
export class OpenSky {
  #rays = new Float32Array(0);
  #answers = new Uint8Array(0);

  /**
   * Gives 1 for each hit whose ray is stopped.
   *
   * @param {any} questions
   * @param {import('./picture.js').Samples} samples
   * @param {number} reach how long the rays are
   * @param {{ start: number, pass: number }} where the first pixel; each pass has other rays
   * @returns {Uint8Array}
   */
  ask(questions, { hits, rays }, reach, { start, pass }) {
    const { normal, point, length: count } = hits;
    if (this.#answers.length < count) {
      this.#rays = new Float32Array(RAY * count);
      this.#answers = new Uint8Array(count);
    }
    const around = this.#rays.subarray(0, RAY * count);
    for (let i = 0; i < count; i++) {
      const at = RAY * i;
      // A pixel of the sky asks along nothing.
      const length = hits.mesh[i] === NONE ? -1 : reach;
      const ahead = dot(normal, 3 * i, rays, at + 3);
      const side = ahead > 0 ? -1 : 1;
      const [a, b] = placeOf(start + i, pass);
      writeLobe(around, at + 3, normal, 3 * i, side, a, b);
      for (let axis = 0; axis < 3; axis++) {
        const lift = LIFT * reach * side * normal[3 * i + axis];
        around[at + axis] = point[3 * i + axis] + lift;
      }
      around[at + 6] = 0;
      around[at + 7] = length;
    }
    return questions.anyHitBatch(around, null, this.#answers);
  }
}

/** @type {(a: Float32Array, i: number, b: Float32Array, j: number) => number} */
function dot(a, i, b, j) {
  return a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2];
}

/**
 * Two numbers from 0 to 1 for a pixel and a pass.
 *
 * @param {number} pixel
 * @param {number} pass
 */
function placeOf(pixel, pass) {
  const mixed = Math.imul(pixel ^ (pixel >>> 15), 0x2c1b3c6d);
  const hash = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  const [a, b] = [(hash >>> 16) / 65536, (hash & 65535) / 65536];
  return [(a + pass * SPREAD_A) % 1, (b + pass * SPREAD_B) % 1];
}

/**
 * Writes a direction around a normal, of which more are near it: the point of a sphere that rests
 * on the surface.
 *
 * @type {(out: Float32Array, at: number, normals: Float32Array, from: number, side: number,
 *   a: number, b: number) => void}
 */
function writeLobe(out, at, normals, from, side, a, b) {
  const [z, turn] = [2 * a - 1, 2 * Math.PI * b];
  const flat = Math.sqrt(1 - z * z) * 0.999;
  out[at] = side * normals[from] + flat * Math.cos(turn);
  out[at + 1] = side * normals[from + 1] + flat * Math.sin(turn);
  out[at + 2] = side * normals[from + 2] + 0.999 * z;
}
