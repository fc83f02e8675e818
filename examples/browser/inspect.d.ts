/**
 * What questions look at, for tools and debug drawing: how much of a tree each ray of a picture
 * costs, the boxes of a depth, and the walk of a ray step by step.
 */

import type { Box, ModuleSource, Point } from './hitscan.js';

export type { Box, ErrorCode, ModuleSource, Point, Vector } from './hitscan.js';
export { HitscanError } from './hitscan.js';

/** Loads the module: see `load` of `hitscan`. Each entry has to be loaded. */
export function load(source?: ModuleSource): Promise<void>;

/** Whether `load` has finished. */
export function isLoaded(): boolean;

/** A child of a node, as a walk sees it. */
export interface Child {
  bounds: Box;
  below: 'node' | 'leaf';
  /** Its number among the nodes or leaf blocks. */
  number: number;
  entry: 'enters' | 'past-best' | 'outside-interval' | 'misses';
  /** Where the ray enters the box; NaN if it misses it. */
  t: number;
}

/** A triangle that a walk has tested. */
export interface TestedTriangle {
  mesh: number;
  triangle: number;
  outcome: 'best' | 'farther' | 'again' | 'refused' | 'outside-interval' | 'missed';
  /** Where the ray's line meets it; NaN if it does not. */
  t: number;
  /** Nine coordinates. */
  corners: Float32Array;
}

/** A node whose children's boxes are tested, or a leaf block whose triangles are. */
export type Step =
  | { kind: 'node'; number: number; depth: number; children: Child[] }
  | { kind: 'leaf'; number: number; depth: number; triangles: TestedTriangle[] };

/** What the question for the nearest hit of a ray looks at, in its order. */
export interface Walk {
  steps: Step[];
  /** Why nothing comes after the last step. */
  end: 'invalid-ray' | 'empty-tree' | 'nothing-nearer' | 'interval-over' | 'nothing-left';
  /** How many boxes were left out because the best hit is nearer. */
  leftOut: number;
}

/** A baked tree, to look into. It is another copy than a `Tree` of the same bytes. */
export class Inspector {
  private constructor();
  /** Opens the bytes of a `.hbvh` file, which are checked and copied. */
  static open(bytes: ArrayBuffer | ArrayBufferView): Inspector;
  /**
   * How many nodes and leaf blocks the question for the nearest hit of each ray looks at. `rays`
   * has eight numbers for each, as in `closestHitBatch`. The numbers are the same on every machine.
   */
  rayCosts(rays: Float32Array, out?: Uint32Array): Uint32Array;
  /** The boxes of a depth, six numbers each: the least corner and the greatest. 0 is the root. */
  boxesAt(depth: number): Float32Array;
  /** The walk of a ray. */
  walk(origin: Point, direction: Point, options?: { tMin?: number; tMax?: number } | null): Walk;
  /** Frees the memory. Every later call throws, but `dispose`. */
  dispose(): void;
}
