/**
 * The small module: trees and rays, without points, shapes and scenes. It has the same names as
 * `hitscan`.
 */

import type { Box, MeshInfo, ModuleSource } from './hitscan.js';

import { RayQuestions } from './hitscan.js';

export type {
  Box,
  ErrorCode,
  Facing,
  MeshInfo,
  ModuleSource,
  Point,
  QueryOptions,
  RayOptions,
  TriangleHit,
  Vector,
} from './hitscan.js';
export { Hit, HitBatch, HitscanError, NONE, RayQuestions, SurfaceBatch } from './hitscan.js';

/** Loads the small module: see `load` of `hitscan`. */
export function load(source?: ModuleSource): Promise<void>;

/** Whether `load` has finished. */
export function isLoaded(): boolean;

/** A baked tree that rays can be cast through: see `Tree` of `hitscan`. */
export class Tree extends RayQuestions {
  private constructor();
  static open(bytes: ArrayBuffer | ArrayBufferView): Tree;
  readonly meshCount: number;
  readonly triangleCount: number;
  bounds(): Box;
  mesh(mesh: number): MeshInfo | null;
  meshName(mesh: number): string | null;
  materialName(material: number): string | null;
  triangle(mesh: number, triangle: number, out?: Float32Array): Float32Array | null;
  setMask(mesh: number, mask: number): void;
  userData(): Uint8Array;
  dispose(): void;
}
