import { module } from './src/rays_module.js';

export { HitBatch, SurfaceBatch } from './src/batches.js';
export { HitscanError } from './src/error.js';
export { RayQuestions } from './src/ray_questions.js';
export { Hit, NONE } from './src/rows.js';
export { Tree } from './src/ray_tree.js';

/** @param {import('./hitscan.js').ModuleSource} [source] */
export function load(source) {
  return module.load(source);
}

export function isLoaded() {
  return module.isLoaded;
}
