import { HitscanError, refuse } from './error.js';
import { writeMatrix } from './point.js';
import { NONE } from './rows.js';
import { writeShape } from './shape.js';
import { Tree } from './tree.js';
import { readMesh } from './tree_data.js';

/** A tree or a volume that stands in a scene. */
export class Instance {
  #generation;
  /** Whether it was removed. Questions see it until the next commit. */
  _isRemoved = false;

  /**
   * @param {any} scene
   * @param {number} slot
   * @param {number} generation
   * @internal
   */
  constructor(scene, slot, generation) {
    this.scene = scene;
    this.slot = slot;
    this.#generation = generation;
    this.#call('instance');
    const { u32, block } = scene._module;
    this.userId = BigInt(u32[block + 17]) << 32n | BigInt(u32[block + 16]);
    this.isVolume = u32[block + 19] === 1;
    this.name = scene._module.outputText();
  }

  /** @param {number} generation */
  _is(generation) {
    return this.#generation === generation;
  }

  _handle() {
    return [this.slot, this.#generation];
  }

  /** @type {(name: string, ...numbers: number[]) => number} */
  #call(name, ...numbers) {
    if (this._isRemoved) throw new HitscanError('disposed', 'this instance was removed');
    const { _module, _handle } = this.scene;
    return _module.call(name, _handle, this.slot, this.#generation, ...numbers);
  }

  transform(out = new Float32Array(16)) {
    this.#call('instance');
    const { f32, block } = this.scene._module;
    out.set(f32.subarray(block, block + 16));
    return out;
  }

  /** @param {ArrayLike<number>} transform */
  setTransform(transform) {
    const { _module: module } = this.scene;
    module.look();
    writeMatrix(module.f32, module.block, transform);
    this.#call('set_transform');
  }

  /** @param {number} mask */
  setMask(mask) {
    this.#call('set_instance_mask', mask);
  }

  enable() {
    this.#call('set_enabled', 1);
  }

  disable() {
    this.#call('set_enabled', 0);
  }

  /** @param {any} body */
  replace(body) {
    this.#call('replace', handleOf(this.scene._module, body));
  }

  remove() {
    this.#call('remove');
    this._isRemoved = true;
    this.scene._removed(this);
  }

  /** @param {number} mesh */
  mesh(mesh) {
    const found = this.#call('instance_mesh', mesh);
    return found ? readMesh(this.scene._module, () => this.meshName(mesh)) : null;
  }

  /** @param {number} mesh */
  meshName(mesh) {
    return this.#name(mesh, NONE);
  }

  /** @param {number} material */
  materialName(material) {
    return this.#name(NONE, material);
  }

  /**
   * @param {number} mesh
   * @param {number} material
   */
  #name(mesh, material) {
    const found = this.#call('instance_name', mesh, material);
    return found ? this.scene._module.outputText() : null;
  }
}

/**
 * The handle of a tree; or 0, and the volume is in the block.
 *
 * @param {import('./module.js').Module} module
 * @param {any} body
 */
export function handleOf(module, body) {
  if (body instanceof Tree) {
    if (body._handle === 0) throw new HitscanError('disposed', 'this tree was disposed of');
    return body._handle;
  }
  if (body === null || typeof body !== 'object') refuse('a tree or a volume stands in a scene');
  writeShape(module, body);
  return 0;
}
