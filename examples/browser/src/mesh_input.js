import { refuse } from './error.js';

const utf8 = new TextEncoder();

/** Bits for the parts that a mesh has: see `wasm/bake/src/mesh.rs`. */
const [INDICES, MATERIALS, TRANSFORM] = [1, 2, 4];

/**
 * Gives a mesh to the bake module.
 *
 * @param {import('./module.js').Module} module
 * @param {import('../bake.js').MeshInput} mesh
 */
export function addMesh(module, mesh) {
  const { positions, indices, materials, name = '', transform, mask = -1, userId = 0n } = mesh;
  if (!(positions instanceof Float32Array) || positions.length % 3 !== 0) {
    refuse('positions are a Float32Array with three numbers for each vertex');
  }
  if (indices && !isUnsigned(indices)) refuse('indices are an unsigned typed array');
  if (materials && !(materials instanceof Uint32Array)) refuse('materials are a Uint32Array');
  if (transform && transform.length !== 16) refuse('a matrix has sixteen numbers, in columns');
  const label = utf8.encode(name);
  const parts = [positions, indices, materials, transform && Float32Array.from(transform)];
  const words = parts.reduce((sum, part) => sum + (part?.length ?? 0), 0);

  const bytes = module.room(4 * words + label.length);
  let at = bytes.byteOffset;
  for (const part of parts) {
    if (!part) continue;
    const To = part instanceof Float32Array ? Float32Array : Uint32Array;
    new To(bytes.buffer, at, part.length).set(part);
    at += 4 * part.length;
  }
  bytes.set(label, 4 * words);

  const has = (indices ? INDICES : 0) | (materials ? MATERIALS : 0) | (transform ? TRANSFORM : 0);
  const counts = [positions.length / 3, indices?.length ?? 0, materials?.length ?? 0];
  const id = BigInt.asUintN(64, BigInt(userId));
  const halves = [Number(id & 0xffffffffn), Number(id >> 32n)];
  module.call('add_mesh', ...counts, has, mask, ...halves);
}

/** @param {unknown} array */
function isUnsigned(array) {
  return [Uint32Array, Uint16Array, Uint8Array].some((Type) => array instanceof Type);
}
