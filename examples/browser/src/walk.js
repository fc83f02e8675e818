import { readBox } from './point.js';

/** Words of a child and of a triangle: see `wasm/query/src/inspect.rs`. */
const [CHILD, TESTED] = [10, 13];

const ENTRIES = ['enters', 'past-best', 'outside-interval', 'misses'];
const OUTCOMES = ['best', 'farther', 'again', 'refused', 'outside-interval', 'missed'];
const ENDS = ['invalid-ray', 'empty-tree', 'nothing-nearer', 'interval-over', 'nothing-left'];

/**
 * Reads the walk in the last output.
 *
 * @param {import('./module.js').Module} module
 * @param {number} count of the steps
 */
export function readWalk(module, count) {
  const { f32, u32, block } = module;
  const [end, leftOut] = [ENDS[u32[block]], u32[block + 1]];
  const steps = [];
  let at = module.outputAddress() >>> 2;
  for (let i = 0; i < count; i++) {
    const [kind, number, depth, size] = u32.subarray(at, at + 4);
    at += 4;
    const parts = Array.from({ length: size }, (_, k) =>
      kind === 0 ? readChild(f32, u32, at + k * CHILD) : readTested(f32, u32, at + k * TESTED),
    );
    at += size * (kind === 0 ? CHILD : TESTED);
    steps.push(
      kind === 0
        ? { kind: 'node', number, depth, children: parts }
        : { kind: 'leaf', number, depth, triangles: parts },
    );
  }
  return { steps, end, leftOut };
}

/**
 * @param {Float32Array} f32
 * @param {Uint32Array} u32
 * @param {number} at
 */
function readChild(f32, u32, at) {
  return {
    bounds: readBox(f32, at),
    below: u32[at + 6] === 0 ? 'node' : 'leaf',
    number: u32[at + 7],
    entry: ENTRIES[u32[at + 8]],
    t: f32[at + 9],
  };
}

/**
 * @param {Float32Array} f32
 * @param {Uint32Array} u32
 * @param {number} at
 */
function readTested(f32, u32, at) {
  return {
    mesh: u32[at],
    triangle: u32[at + 1],
    outcome: OUTCOMES[u32[at + 2]],
    t: f32[at + 3],
    corners: f32.slice(at + 4, at + TESTED),
  };
}
