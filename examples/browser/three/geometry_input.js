import { refuse } from '../src/error.js';
import { NONE } from '../src/rows.js';

/**
 * A geometry as `bake` takes it: the triangles that are drawn, and the groups as materials. Arrays
 * that fit are not copied.
 *
 * @param {any} geometry
 * @param {import('./index.js').GeometryOptions} [options]
 * @returns {import('../bake.js').MeshInput}
 */
export function geometryInput(geometry, { name, range, mask } = {}) {
  const { position } = geometry.attributes;
  if (!position) refuse('a geometry without positions cannot be baked');
  if (position.itemSize < 3) refuse('positions have three numbers for each vertex');
  const { index } = geometry;
  const { start, end } = drawn(range ?? geometry.drawRange, (index ?? position).count);
  const triangles = index
    ? indexed(position, index, start, end)
    : { positions: vertices(position, start, end) };
  return {
    ...triangles,
    materials: materialsOf(geometry.groups, start, end),
    name: name ?? geometry.name,
    mask,
    // Lets `acceleratedRaycast` find the triangles in the geometry's index again.
    userId: BigInt(start),
  };
}

/**
 * The part of the index that has whole triangles.
 *
 * @param {{ start: number, count: number }} range
 * @param {number} all
 */
function drawn({ start, count }, all) {
  const from = Math.min(Math.max(start, 0), all);
  const to = Math.min(Math.max(start + count, from), all);
  return { start: from, end: to - ((to - from) % 3) };
}

/**
 * @param {any} position
 * @param {any} index
 * @param {number} start
 * @param {number} end
 */
function indexed(position, index, start, end) {
  if (start === 0 && end === index.count) {
    const indices = isPlain(index, 1) && isUnsigned(index.array) ? index.array : readIndex(index);
    return { positions: vertices(position, 0, position.count), indices };
  }
  // A part often needs few of the vertices.
  const indices = readIndex(index).subarray(start, end);
  const [first, last] = extent(indices);
  return {
    positions: vertices(position, first, Math.min(last + 1, position.count)),
    indices: indices.map((i) => i - first),
  };
}

/** @param {any} index */
function readIndex(index) {
  return Uint32Array.from({ length: index.count }, (_, i) => index.getX(i));
}

/**
 * The least and the greatest index.
 *
 * @param {Uint32Array} indices
 */
function extent(indices) {
  let [first, last] = [NONE, 0];
  for (const i of indices) {
    first = Math.min(first, i);
    last = Math.max(last, i);
  }
  return indices.length === 0 ? [0, -1] : [first, last];
}

/**
 * @param {any} position may be interleaved, or of any type of numbers
 * @param {number} from
 * @param {number} to
 */
function vertices(position, from, to) {
  if (isPlain(position, 3) && position.array instanceof Float32Array) {
    return position.array.subarray(3 * from, 3 * to);
  }
  const out = new Float32Array(3 * (to - from));
  for (let i = from, at = 0; i < to; i++) {
    out[at++] = position.getX(i);
    out[at++] = position.getY(i);
    out[at++] = position.getZ(i);
  }
  return out;
}

/**
 * Whether the numbers lie in the array one after the other, as they are.
 *
 * @param {any} attribute
 * @param {number} itemSize
 */
function isPlain(attribute, itemSize) {
  const { isInterleavedBufferAttribute, normalized, array } = attribute;
  const isWhole = array?.length === attribute.count * itemSize;
  return !isInterleavedBufferAttribute && !normalized && attribute.itemSize === itemSize && isWhole;
}

/** @param {unknown} array */
function isUnsigned(array) {
  return [Uint32Array, Uint16Array, Uint8Array].some((Type) => array instanceof Type);
}

/**
 * The material of each triangle, of the first group that it is in.
 *
 * @param {{ start: number, count: number, materialIndex?: number }[]} groups
 * @param {number} start
 * @param {number} end
 */
function materialsOf(groups, start, end) {
  if (groups.length === 0) return undefined;
  const materials = new Uint32Array((end - start) / 3).fill(NONE);
  for (const group of [...groups].reverse()) {
    // Triangle `i` belongs to a group that holds its first corner, `start + 3 * i`.
    const from = Math.ceil((group.start - start) / 3);
    const to = Math.ceil((group.start + group.count - start) / 3);
    materials.fill(group.materialIndex ?? 0, Math.max(from, 0), Math.max(to, 0));
  }
  return materials;
}
