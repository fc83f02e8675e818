import { refuse } from './error.js';
import { HitBatch, SurfaceBatch } from './batches.js';
import { facingOf, filtered, maskOf } from './options.js';
import { xOf, yOf, zOf } from './point.js';
import { Hit, readHit, readRows } from './rows.js';

/** Numbers of a ray in a batch. */
const RAY = 8;

/** Questions about rays, to a tree or a scene. */
export class RayQuestions {
  /**
   * @param {import('./module.js').Module} module
   * @param {number} handle
   * @internal
   */
  constructor(module, handle) {
    this._module = module;
    this._handle = handle;
    /** What finds the instances of hits; null for a tree. */
    this._scene = /** @type {any} */ (null);
  }

  /** @type {(origin: any, direction: any, options?: any, out?: Hit) => Hit | null} */
  closestHit(origin, direction, options, out) {
    const module = this._module;
    if (module.answer(this.#cast(module.exports.closest_hit, origin, direction, options)) === 0) {
      return null;
    }
    const hit = out ?? new Hit();
    readHit(hit, module, module.block, this._scene);
    return hit;
  }

  /** @type {(origin: any, direction: any, options?: any) => boolean} */
  anyHit(origin, direction, options) {
    const module = this._module;
    return module.answer(this.#cast(module.exports.any_hit, origin, direction, options)) === 1;
  }

  /** @type {(origin: any, direction: any, options?: any, out?: Hit[]) => Hit[]} */
  allHits(origin, direction, options, out = []) {
    const module = this._module;
    const count = module.answer(
      this.#cast(module.exports.all_hits, origin, direction, options),
    );
    return readRows(module, count, Hit, readHit, this._scene, out);
  }

  /**
   * Calls an export with a ray.
   *
   * @param {Function} ask
   * @param {any} origin
   * @param {any} direction
   * @param {any} options
   */
  #cast(ask, origin, direction, options) {
    if (options) return this.#castWith(ask, origin, direction, options);
    try {
      return ask(
        this._handle,
        xOf(origin), yOf(origin), zOf(origin),
        xOf(direction), yOf(direction), zOf(direction),
        0, Infinity, 0, -1, 0,
      );
    } catch (error) {
      throw this._module.stopped(error);
    }
  }

  /**
   * The same with options.
   *
   * @param {Function} ask
   * @param {any} origin
   * @param {any} direction
   * @param {any} options
   */
  #castWith(ask, origin, direction, options) {
    const module = this._module;
    return filtered(module, this._scene, options, (filter) => {
      try {
        return ask(
          this._handle,
          xOf(origin), yOf(origin), zOf(origin),
          xOf(direction), yOf(direction), zOf(direction),
          options.tMin ?? 0, options.tMax ?? Infinity, facingOf(options), maskOf(options), filter,
        );
      } catch (error) {
        throw module.stopped(error);
      }
    });
  }

  /** @type {(rays: Float32Array, options?: any, out?: HitBatch) => HitBatch} */
  closestHitBatch(rays, options, out = new HitBatch()) {
    const surface = Number(out instanceof SurfaceBatch);
    const count = this._askMany('closest_hit_batch', rays, RAY, options, [surface]);
    out._read(this._module, count);
    this._module.release(rays.byteLength);
    return out;
  }

  /** @type {(rays: Float32Array, options?: any, out?: Uint8Array) => Uint8Array} */
  anyHitBatch(rays, options, out) {
    const count = this._askMany('any_hit_batch', rays, RAY, options, []);
    const found = out ?? new Uint8Array(count);
    if (found.length < count) refuse(`there is room for ${found.length} of ${count} answers`);
    const address = this._module.outputAddress();
    found.set(new Uint8Array(this._module.exports.memory.buffer, address, count));
    this._module.release(rays.byteLength);
    return found;
  }

  /**
   * Asks about what an array holds.
   *
   * @param {string} name of the export
   * @param {Float32Array} array
   * @param {number} size numbers for each ray or point
   * @param {any} options
   * @param {number[]} numbers that the export takes before the options
   */
  _askMany(name, array, size, options, numbers) {
    if (!(array instanceof Float32Array) || array.length % size !== 0) {
      refuse(`a batch is a Float32Array with ${size} numbers for each of its elements`);
    }
    const module = this._module;
    module.input(array);
    return filtered(module, this._scene, options, (filter) =>
      module.call(name, this._handle, ...numbers, facingOf(options), maskOf(options), filter),
    );
  }

  /** Frees the memory. */
  dispose() {
    if (this._handle === 0) return;
    this._module.call('close', this._handle);
    this._handle = 0;
  }
}
