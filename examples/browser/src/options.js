import { refuse } from './error.js';
import { TriangleHit, readTriangleHit } from './rows.js';

/** @param {{ facing?: string } | null | undefined} options */
export function facingOf(options) {
  const facing = options?.facing;
  if (facing === undefined || facing === 'both') return 0;
  if (facing === 'front') return 1;
  if (facing === 'back') return 2;
  return refuse("facing is 'both', 'front' or 'back'");
}

/** @param {{ mask?: number } | null | undefined} options */
export function maskOf(options) {
  return options?.mask ?? -1;
}

/**
 * The filters of the questions that are being asked: a filter may ask, too.
 *
 * @type {{ filter: Function, scene: any, module: any }[]}
 */
const asking = [];

/**
 * Asks with a filter.
 *
 * @param {import('./module.js').Module} module
 * @param {any} scene
 * @param {any} options
 * @param {(filter: number) => number} ask calls the export: with 1 if there is a filter, else 0
 */
export function filtered(module, scene, options, ask) {
  const filter = options?.filter;
  if (!filter) return ask(0);
  if (typeof filter !== 'function') refuse('filter is a function');
  asking.push({ filter, scene, module });
  try {
    return ask(1);
  } finally {
    asking.pop();
  }
}

/**
 * What the module calls for each hit.
 *
 * @param {number} index of the ray in its batch
 */
export function accepts(index) {
  const { filter, scene, module } = asking[asking.length - 1];
  module.look();
  const hit = new TriangleHit();
  readTriangleHit(hit, module, module.block, scene);
  return filter(hit, index >>> 0) ? 1 : 0;
}
