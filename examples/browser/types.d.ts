/** The types of arguments and answers. `hitscan` exports all of them. */

import type { Instance } from './hitscan.js';

/** What a module may be loaded from. */
export type ModuleSource =
  | WebAssembly.Module
  | ArrayBuffer
  | ArrayBufferView<ArrayBuffer>
  | URL
  | string
  | Response
  | PromiseLike<WebAssembly.Module | ArrayBuffer | Response>;

/** How an error came about. */
export type ErrorCode =
  /** A call before `load`. */
  | 'not-loaded'
  /** A use after `dispose`, or of an instance that was removed. */
  | 'disposed'
  /** An argument of a wrong type or size. */
  | 'argument'
  /** The bytes are not a sound file. The message says where. */
  | 'file'
  /** The scene refuses a change. */
  | 'scene'
  /** A mesh is not closed, so it has no inside. */
  | 'not-closed'
  /** The bake refuses its input. */
  | 'bake'
  /** There is not enough memory. */
  | 'memory'
  /** The module stopped. Nothing can be asked of it any more. */
  | 'stopped';

/**
 * A point or a direction: `[x, y, z]`, a typed array, or an object such as a vector of three.js.
 */
export type Point =
  | ArrayLike<number>
  | { readonly x: number; readonly y: number; readonly z: number };

/** A point or a direction in an answer. It can be written to. */
export interface Vector {
  x: number;
  y: number;
  z: number;
}

/** A box along the axes. One without any point has `min` above `max`. */
export interface Box {
  min: Vector;
  max: Vector;
}

/**
 * Sixteen numbers in columns, as the `elements` of a matrix of three.js. The last row must be
 * `0 0 0 1`.
 */
export type Matrix = ArrayLike<number>;

/** The sides of a triangle that count. A triangle's front is the side from which its corners turn
 * counter-clockwise. */
export type Facing = 'both' | 'front' | 'back';

/** What a question looks for. */
export interface QueryOptions {
  /** Default: `'both'`. */
  facing?: Facing;
  /** Meshes and instances count that are in one of these layers (32 bits). Default: all bits. */
  mask?: number;
  /**
   * Only triangles count for which this returns `true`. It must depend on the hit alone, and it
   * may be called any number of times, in any order. The hit is valid during the call only. What
   * the function throws, the question throws. Where a mask is enough, a mask is faster.
   *
   * `index` is the number of the ray in its batch: zero where there is one only.
   */
  filter?: (hit: Readonly<TriangleHit>, index: number) => boolean;
}

/** Options of a ray. */
export interface RayOptions extends QueryOptions {
  /** Hits before this count do not count, in units of the direction. Default: 0. */
  tMin?: number;
  /** Hits after this do not count. Default: `Infinity`. */
  tMax?: number;
}

/** Options of a question about a point. */
export interface NearOptions extends QueryOptions {
  /** Triangles further away do not count. Default: `Infinity`. */
  maxDistance?: number;
}

/** A triangle that was found, in the caller's own numbers. */
export interface TriangleHit {
  /** Distance of a ray's hit in units of the ray's direction. Distance of a near point. */
  t: number;
  /** Weight of the triangle's second corner: 0 to 1. */
  u: number;
  /** Weight of the triangle's third corner: 0 to 1. */
  v: number;
  /** Whether it is the front side. */
  front: boolean;
  /** The mesh, as numbered in the bake. */
  mesh: number;
  /** The triangle, as numbered in its mesh. */
  triangle: number;
  /** The material, if the mesh has materials. */
  material: number | null;
  /** The instance, if a scene was asked. */
  instance: Instance | null;
}

/** A part of a triangle. Edge 0 is from corner 0 to corner 1. */
export type Feature =
  | 'face'
  | 'edge0'
  | 'edge1'
  | 'edge2'
  | 'vertex0'
  | 'vertex1'
  | 'vertex2';

/** A box along the axes. */
export interface BoxShape {
  kind: 'box';
  min: Point;
  max: Point;
}

/** A box that is moved by a matrix. */
export interface OrientedBoxShape {
  kind: 'orientedBox';
  min: Point;
  max: Point;
  transform: Matrix;
}

/** A sphere. */
export interface SphereShape {
  kind: 'sphere';
  center: Point;
  radius: number;
}

/** All points within `radius` of the segment from `a` to `b`. */
export interface CapsuleShape {
  kind: 'capsule';
  a: Point;
  b: Point;
  radius: number;
}

/** The convex hull of 1 to 64 points. */
export interface HullShape {
  kind: 'hull';
  points: readonly Point[];
}

/** A triangle. */
export interface TriangleShape {
  kind: 'triangle';
  a: Point;
  b: Point;
  c: Point;
}

/** What a camera sees. */
export interface FrustumShape {
  kind: 'frustum';
  /** Projection times view, in columns. Its last row may be anything. */
  viewProjection: Matrix;
  /** Depths of the near and the far plane. Default: `'minus-one-to-one'`, as in WebGL. */
  depth?: 'minus-one-to-one' | 'zero-to-one' | 'one-to-zero';
}

/** A volume, which can stand in a scene as an instance. */
export type Volume = BoxShape | OrientedBoxShape | SphereShape | CapsuleShape;

/** A shape that can move. */
export type ConvexShape = Volume | HullShape;

/** A shape that triangles may touch. */
export type Shape = ConvexShape | FrustumShape | TriangleShape;

/** What a tree knows about a mesh. */
export interface MeshInfo {
  name: string;
  triangles: number;
  vertices: number;
  /** The number that the bake was given. */
  userId: bigint;
  /** Layers. */
  mask: number;
}

/** How an instance is put into a scene. */
export interface InstanceOptions {
  /** Default: the identity. */
  transform?: Matrix;
  /** Layers. Default: all bits. */
  mask?: number;
  /** A number of the caller's. Default: 0. */
  userId?: bigint;
  /** Default: empty. */
  name?: string;
}

/** A volume that a ray meets. */
export interface VolumeHit {
  instance: Instance;
  /** Where the ray enters, in units of its direction. */
  enter: number;
  /** Where it leaves. */
  exit: number;
  originInside: boolean;
}

/** Options of a ray that looks for volumes. */
export interface VolumeOptions {
  tMin?: number;
  tMax?: number;
  mask?: number;
}
