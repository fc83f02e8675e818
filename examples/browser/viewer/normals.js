import { Hit, NONE } from '../hitscan.js';
import { RAY } from './camera.js';

/** The normals of triangles that were seen: asked for once, by a ray that hits the triangle. */
export class Normals {
  #questions;
  /** By instance and mesh; then by triangle, where the normal is in `#normals`. */
  #places = /** @type {Map<number, Map<number, number>>} */ (new Map());
  #normals = new Float32Array(3 * 4096);
  #count = 0;
  #hit = new Hit();

  /** @param {any} questions */
  constructor(questions) {
    this.#questions = questions;
  }

  /**
   * Writes the normals of a batch, three numbers for each ray.
   *
   * @param {Float32Array} rays
   * @param {import('../hitscan.js').HitBatch} hits
   * @param {Float32Array} out
   */
  write(rays, hits, out) {
    let [mesh, instance] = /** @type {number[]} */ ([NONE, NONE]);
    let places = new Map();
    for (let i = 0; i < hits.length; i++) {
      if (hits.mesh[i] === NONE) continue;
      if (hits.mesh[i] !== mesh || hits.instance[i] !== instance) {
        [mesh, instance] = [hits.mesh[i], hits.instance[i]];
        places = this.#placesOf(mesh, instance);
      }
      const triangle = hits.triangle[i];
      let place = places.get(triangle);
      if (place === undefined) {
        place = this.#ask(rays, i);
        places.set(triangle, place);
      }
      for (let axis = 0; axis < 3; axis++) out[3 * i + axis] = this.#normals[place + axis];
    }
  }

  /**
   * @param {number} mesh
   * @param {number} instance
   */
  #placesOf(mesh, instance) {
    const key = (instance === NONE ? 0 : instance) * 2 ** 32 + mesh;
    const places = this.#places.get(key) ?? new Map();
    this.#places.set(key, places);
    return places;
  }

  /**
   * @param {Float32Array} rays
   * @param {number} i
   */
  #ask(rays, i) {
    const place = 3 * this.#count++;
    if (place === this.#normals.length) {
      const larger = new Float32Array(2 * place);
      larger.set(this.#normals);
      this.#normals = larger;
    }
    const ray = rays.subarray(RAY * i, RAY * (i + 1));
    const hit = this.#questions.closestHit(ray.subarray(0, 3), ray.subarray(3, 6), null, this.#hit);
    if (hit) this.#normals.set([hit.normal.x, hit.normal.y, hit.normal.z], place);
    return place;
  }
}
