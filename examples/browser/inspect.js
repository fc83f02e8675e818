import packed from './dist/inspect.js';
import { refuse } from './src/error.js';
import { Module } from './src/module.js';
import { accepts } from './src/options.js';
import { writeRay } from './src/point.js';
import { readWalk } from './src/walk.js';

export { HitscanError } from './src/error.js';

const module = new Module('hitscan/inspect', packed, 'walk', { accepts });

/** @param {import('./hitscan.js').ModuleSource} [source] */
export function load(source) {
  return module.load(source);
}

export function isLoaded() {
  return module.isLoaded;
}

/** A baked tree, to look into. */
export class Inspector {
  #handle;

  /** @param {number} handle */
  constructor(handle) {
    this.#handle = handle;
  }

  /** @param {ArrayBuffer | ArrayBufferView} bytes */
  static open(bytes) {
    module.input(bytes);
    return new Inspector(module.call('open_tree'));
  }

  /** @type {(rays: Float32Array, out?: Uint32Array) => Uint32Array} */
  rayCosts(rays, out) {
    if (!(rays instanceof Float32Array) || rays.length % 8 !== 0) {
      refuse('a batch is a Float32Array with 8 numbers for each of its elements');
    }
    module.input(rays);
    const count = module.call('ray_costs', this.#handle);
    const costs = out ?? new Uint32Array(count);
    if (costs.length < count) refuse(`there is room for ${costs.length} of ${count} answers`);
    const start = module.outputAddress() >>> 2;
    costs.set(module.u32.subarray(start, start + count));
    module.release(rays.byteLength);
    return costs;
  }

  /** @param {number} depth */
  boxesAt(depth) {
    const count = module.call('boxes_at', this.#handle, depth);
    const start = module.outputAddress() >>> 2;
    return module.f32.slice(start, start + 6 * count);
  }

  /** @type {(origin: any, direction: any, options?: any) => any} */
  walk(origin, direction, options) {
    writeRay(module, origin, direction, options);
    return readWalk(module, module.call('walk', this.#handle));
  }

  dispose() {
    if (this.#handle === 0) return;
    module.call('close', this.#handle);
    this.#handle = 0;
  }
}
