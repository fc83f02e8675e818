import { Hit } from '../hitscan.js';

/** How long the same ray is asked again and again, in milliseconds, to know what one takes. */
const MEASURED = 1;
/** Before that, the machine gets used to it. */
const UNMEASURED = 0.4;

/**
 * What a ray hits.
 *
 * @typedef {object} Picked
 * @property {Hit | null} hit
 * @property {string} mesh
 * @property {string} instance empty in a tree
 * @property {string} material
 * @property {number} nanoseconds that the question took, on average
 */

/**
 * Asks for the nearest hit, and names it.
 *
 * @param {any} questions
 * @param {number[]} origin
 * @param {number[]} direction
 * @returns {Picked}
 */
export function pick(questions, origin, direction) {
  const out = new Hit();
  const hit = questions.closestHit(origin, direction, null, out);
  const nanoseconds = timeOf(() => questions.closestHit(origin, direction, null, out));
  if (!hit) return { hit, mesh: '', instance: '', material: '', nanoseconds };
  const names = hit.instance ?? questions;
  return {
    hit,
    mesh: names.meshName(hit.mesh) || `mesh ${hit.mesh}`,
    instance: hit.instance ? hit.instance.name || `instance ${hit.instance.slot}` : '',
    material: materialName(names, hit.material),
    nanoseconds,
  };
}

/**
 * @param {any} names
 * @param {number | null} material
 */
function materialName(names, material) {
  if (material === null) return 'none';
  return names.materialName(material) || `material ${material}`;
}

/**
 * The clock of a page is too coarse for one question.
 *
 * @param {() => void} ask
 */
function timeOf(ask) {
  repeat(ask, UNMEASURED);
  const { count, taken } = repeat(ask, MEASURED);
  return (1e6 * taken) / count;
}

/**
 * @param {() => void} ask
 * @param {number} time in milliseconds
 */
function repeat(ask, time) {
  const start = performance.now();
  let [count, taken] = [0, 0];
  while (taken < time) {
    for (let i = 0; i < 20; i++) ask();
    count += 20;
    taken = performance.now() - start;
  }
  return { count, taken };
}
