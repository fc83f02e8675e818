/**
 * Bakes meshes to the bytes of a `.hbvh` file, in the page or in a worker.
 *
 * The same meshes and options give the same bytes on every machine, also in the Rust crate.
 *
 * ```js
 * import { load, bake } from 'hitscan/bake';
 *
 * await load();
 * const { bytes } = bake([{ name: 'floor', positions, indices }]);
 * ```
 */

import type { Matrix, ModuleSource } from './hitscan.js';

export type { ErrorCode, Matrix, ModuleSource } from './hitscan.js';
export { HitscanError } from './hitscan.js';

/** Loads the bake module: see `load` of `hitscan`. Each of the two has to be loaded. */
export function load(source?: ModuleSource): Promise<void>;

/** Whether `load` has finished. */
export function isLoaded(): boolean;

/** Triangles. */
export interface MeshInput {
  /** Three numbers for each vertex. */
  positions: Float32Array;
  /** Three for each triangle. Without them, three vertices in a row are a triangle. */
  indices?: Uint32Array | Uint16Array | Uint8Array;
  /** The number of each triangle's material. */
  materials?: Uint32Array;
  /** Default: empty. */
  name?: string;
  /** Moves the triangles. Default: the identity. */
  transform?: Matrix;
  /** Layers (32 bits). Default: all bits. */
  mask?: number;
  /** A number of the caller's, which hits can be looked up by. Default: 0. */
  userId?: bigint;
}

export interface BakeOptions {
  /** More quality takes more time, and makes questions faster. Default: `'balanced'`. */
  quality?: 'fast' | 'balanced' | 'best';
  /** What happens to triangles with a NaN or an infinite coordinate. Default: `'refuse'`. */
  badTriangles?: 'refuse' | 'skip';
  /** Names of the materials, by number. */
  materialNames?: readonly string[];
  /** Bytes of the caller's own, which travel with the tree. */
  userData?: Uint8Array;
  /** Is called during the bake, with 0 to 1. If it throws, the bake stops and throws the same. */
  onProgress?: (done: number) => void;
}

/** What a bake made. */
export interface Baked {
  /** The file, for `Tree.open`. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Triangles in the tree. */
  triangles: number;
  /** Triangles that were skipped, because they have no area or are not finite. */
  skipped: number;
}

/** Bakes meshes. The arrays are not kept. */
export function bake(meshes: readonly MeshInput[], options?: BakeOptions): Baked;

/** Formats of models that can be baked as they are. Draco is not supported. */
export type ModelFormat = 'glb' | 'obj' | 'ply' | 'stl' | 'off';

/** Bakes the bytes of a model: each of its meshes, with its name and materials. */
export function bakeModel(
  bytes: ArrayBuffer | ArrayBufferView,
  format: ModelFormat,
  options?: Omit<BakeOptions, 'materialNames'>,
): Baked;
