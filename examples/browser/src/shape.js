import { refuse } from './error.js';
import { writeMatrix, writePoint } from './point.js';

/**
 * @typedef {(shape: any, f32: Float32Array, u32: Uint32Array, at: number) => void} Write
 * @typedef {{ kind: number, write: Write }} Kind
 */

/** How each kind of shape lies in the block: see `wasm/query/src/shape.rs`. */
const KINDS = /** @type {Record<string, Kind>} */ ({
  box: { kind: 0, write: writeBox },
  orientedBox: {
    kind: 1,
    write(shape, f32, _, at) {
      writeBox(shape, f32, _, at);
      writeMatrix(f32, at + 6, shape.transform);
    },
  },
  sphere: {
    kind: 2,
    write(shape, f32, _, at) {
      writePoint(f32, at, shape.center);
      f32[at + 3] = numberOf(shape.radius);
    },
  },
  capsule: {
    kind: 3,
    write(shape, f32, _, at) {
      writePoint(f32, at, shape.a);
      writePoint(f32, at + 3, shape.b);
      f32[at + 6] = numberOf(shape.radius);
    },
  },
  hull: {
    kind: 4,
    write({ points }, f32, u32, at) {
      if (!(points?.length >= 1 && points.length <= 64)) refuse('a hull has 1 to 64 points');
      u32[at] = points.length;
      for (let i = 0; i < points.length; i++) writePoint(f32, at + 1 + 3 * i, points[i]);
    },
  },
  triangle: {
    kind: 5,
    write(shape, f32, _, at) {
      writePoint(f32, at, shape.a);
      writePoint(f32, at + 3, shape.b);
      writePoint(f32, at + 6, shape.c);
    },
  },
  frustum: {
    kind: 6,
    write(shape, f32, u32, at) {
      const depth = DEPTHS.indexOf(shape.depth ?? DEPTHS[0]);
      if (depth < 0) refuse(`the depth of a frustum is one of ${DEPTHS.join(', ')}`);
      u32[at] = depth;
      writeMatrix(f32, at + 1, shape.viewProjection);
    },
  },
});

const DEPTHS = ['minus-one-to-one', 'zero-to-one', 'one-to-zero'];

/** @type {Write} */
function writeBox(shape, f32, _, at) {
  writePoint(f32, at, shape.min);
  writePoint(f32, at + 3, shape.max);
}

/** @param {unknown} number */
function numberOf(number) {
  return typeof number === 'number' ? number : refuse('a radius is a number');
}

/**
 * Writes a shape to the block.
 *
 * @param {import('./module.js').Module} module
 * @param {any} shape
 */
export function writeShape(module, shape) {
  const name = shape?.kind;
  if (typeof name !== 'string' || !Object.hasOwn(KINDS, name)) {
    refuse(`the kind of a shape is one of ${Object.keys(KINDS).join(', ')}`);
  }
  const { kind, write } = KINDS[name];
  module.look();
  module.u32[module.block] = kind;
  write(shape, module.f32, module.u32, module.block + 1);
}
