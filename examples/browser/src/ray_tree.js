import { RayQuestions } from './ray_questions.js';
import { module } from './rays_module.js';
import { withTreeData } from './tree_data.js';

/** A baked tree, for rays alone. */
export class Tree extends withTreeData(RayQuestions) {
  /** @param {ArrayBuffer | ArrayBufferView} bytes */
  static open(bytes) {
    module.input(bytes);
    return new Tree(module, module.call('open_tree'));
  }
}
