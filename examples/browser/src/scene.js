import { refuse } from './error.js';
import { Instance, handleOf } from './instance.js';
import { maskOf } from './options.js';
import { readBox, writeRay } from './point.js';
import { module } from './query_module.js';
import { Questions } from './questions.js';
import { writeShape } from './shape.js';

const utf8 = new TextEncoder();

/** Words of a row of a volume hit: see `wasm/query/src/volume.rs`. */
const VOLUME_ROW = 5;

/** Trees and volumes that stand in many places, and move. */
export class Scene extends Questions {
  /** By slot. Before a commit those that stood there before come after the newest. */
  #slots = /** @type {Instance[][]} */ ([]);
  /** Slots where an instance was removed or put in since the last commit. */
  #changed = new Set();

  /** @param {number} [handle] @internal */
  constructor(handle) {
    super(module, handle ?? module.call('new_scene'));
    this._scene = this;
  }

  /** @param {ArrayBuffer | ArrayBufferView} bytes */
  static open(bytes) {
    module.input(bytes);
    const scene = new Scene(module.call('open_scene'));
    for (const [slot, generation] of scene.#handles(module.call('instances', scene._handle))) {
      scene.#add(new Instance(scene, slot, generation));
    }
    return scene;
  }

  /**
   * @param {any} body
   * @param {import('../hitscan.js').InstanceOptions} [options]
   */
  insert(body, { transform, mask = -1, userId = 0n, name = '' } = {}) {
    module.input(utf8.encode(name));
    const tree = handleOf(module, body);
    const id = BigInt.asUintN(64, BigInt(userId));
    const halves = [Number(id & 0xffffffffn), Number(id >> 32n)];
    module.call('insert', this._handle, tree, mask, ...halves);
    const { u32, block } = module;
    const instance = this.#add(new Instance(this, u32[block], u32[block + 1]));
    if (transform) {
      try {
        instance.setTransform(transform);
      } catch (error) {
        instance.remove();
        throw error;
      }
    }
    return instance;
  }

  /** @param {Instance} instance */
  #add(instance) {
    (this.#slots[instance.slot] ??= []).unshift(instance);
    this.#changed.add(instance.slot);
    return instance;
  }

  /**
   * @param {Instance[]} instances
   * @param {ArrayLike<number>} transforms
   */
  setTransforms(instances, transforms) {
    const count = instances.length;
    if (transforms.length !== 16 * count) refuse('there are sixteen numbers for each instance');
    const words = new Uint32Array(18 * count);
    instances.forEach((instance, i) => {
      if (instance.scene !== this) refuse('an instance is of another scene');
      words.set(instance._handle(), 2 * i);
    });
    new Float32Array(words.buffer, 8 * count).set(transforms);
    module.input(words);
    module.call('set_transforms', this._handle, count);
  }

  commit() {
    module.call('commit', this._handle);
    for (const slot of this.#changed) {
      this.#slots[slot] = this.#slots[slot].filter((instance) => !instance._isRemoved);
    }
    this.#changed.clear();
  }

  /** @param {Instance} instance @internal */
  _removed(instance) {
    this.#changed.add(instance.slot);
  }

  instances() {
    return this.#slots.flat().filter((instance) => !instance._isRemoved);
  }

  /** @param {string} name */
  find(name) {
    return this.instances().find((instance) => instance.name === name) ?? null;
  }

  /** @param {number} slot */
  instanceAt(slot) {
    return this.#slots[slot]?.find((instance) => !instance._isRemoved) ?? null;
  }

  /**
   * The instance of a hit.
   *
   * @param {number} slot
   * @param {number} generation
   * @internal
   */
  _instanceOf(slot, generation) {
    return this.#slots[slot]?.find((instance) => instance._is(generation)) ?? null;
  }

  bounds() {
    module.call('bounds', this._handle);
    return readBox(module.f32, module.block);
  }

  toBytes() {
    module.call('scene_bytes', this._handle);
    const bytes = module.outputBytes();
    module.release(bytes.length);
    return bytes;
  }

  /** @type {(origin: any, direction: any, options?: any) => any} */
  closestVolumeHit(origin, direction, options) {
    writeRay(module, origin, direction, options);
    const found = module.call('closest_volume_hit', this._handle, maskOf(options));
    return found ? this.#volumeHit(module.block) : null;
  }

  /** @type {(origin: any, direction: any, options?: any) => any[]} */
  allVolumeHits(origin, direction, options) {
    writeRay(module, origin, direction, options);
    const count = module.call('all_volume_hits', this._handle, maskOf(options));
    const start = module.outputAddress() >>> 2;
    return Array.from({ length: count }, (_, i) => this.#volumeHit(start + VOLUME_ROW * i));
  }

  /** @type {(shape: any, mask?: number) => boolean} */
  anyVolumeOverlap(shape, mask = -1) {
    module.check();
    writeShape(module, shape);
    return module.call('any_volume_overlap', this._handle, mask) === 1;
  }

  /** @type {(shape: any, mask?: number) => Instance[]} */
  allVolumeOverlaps(shape, mask = -1) {
    module.check();
    writeShape(module, shape);
    const count = module.call('all_volume_overlaps', this._handle, mask);
    return this.#handles(count).map(([slot, generation]) => this._instanceOf(slot, generation));
  }

  /** @param {number} at */
  #volumeHit(at) {
    const { f32, u32 } = module;
    return {
      instance: this._instanceOf(u32[at], u32[at + 1]),
      enter: f32[at + 2],
      exit: f32[at + 3],
      originInside: u32[at + 4] === 1,
    };
  }

  /**
   * The slots and generations of the last output.
   *
   * @param {number} count
   */
  #handles(count) {
    const start = module.outputAddress() >>> 2;
    const words = module.u32.slice(start, start + 2 * count);
    return Array.from({ length: count }, (_, i) => [words[2 * i], words[2 * i + 1]]);
  }
}
