import { module } from './src/query_module.js';

export { ClosestPointBatch, HitBatch, SurfaceBatch } from './src/batches.js';
export { HitscanError } from './src/error.js';
export { Instance } from './src/instance.js';
export { Questions } from './src/questions.js';
export { RayQuestions } from './src/ray_questions.js';
export { ClosestPoint, Contact, Hit, NONE, Overlap } from './src/rows.js';
export { Scene } from './src/scene.js';
export { Tree } from './src/tree.js';

/** @param {import('./hitscan.js').ModuleSource} [source] */
export function load(source) {
  return module.load(source);
}

export function isLoaded() {
  return module.isLoaded;
}
