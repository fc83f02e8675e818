import { Questions } from './questions.js';
import { module } from './query_module.js';
import { xOf, yOf, zOf } from './point.js';
import { withTreeData } from './tree_data.js';

const LOCATIONS = /** @type {const} */ (['outside', 'inside', 'surface']);

/** A baked tree. */
export class Tree extends withTreeData(Questions) {
  /** @param {ArrayBuffer | ArrayBufferView} bytes */
  static open(bytes) {
    module.input(bytes);
    return new Tree(module, module.call('open_tree'));
  }

  /**
   * @param {any} point
   * @param {number} [mask]
   */
  contains(point, mask = -1) {
    const { _module, _handle } = this;
    return LOCATIONS[_module.call('contains', _handle, xOf(point), yOf(point), zOf(point), mask)];
  }

  /**
   * @param {any} point
   * @param {number} [maxDistance]
   * @param {number} [mask]
   */
  signedDistance(point, maxDistance = Infinity, mask = -1) {
    const { _module, _handle } = this;
    const [x, y, z] = [xOf(point), yOf(point), zOf(point)];
    const found = _module.call('signed_distance', _handle, x, y, z, maxDistance, mask);
    return found ? _module.f32[_module.block] : null;
  }
}
