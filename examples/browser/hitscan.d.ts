/**
 * Rays, points and shapes against baked trees and scenes.
 *
 * The answers have the same bits as the answers of the Rust crate, on every machine.
 *
 * ```js
 * import { load, Tree } from 'hitscan';
 *
 * await load();
 * const tree = Tree.open(await (await fetch('level.hbvh')).arrayBuffer());
 * const hit = tree.closestHit([0, 5, 0], [0, -1, 0]);
 * if (hit) console.log(hit.t, tree.meshName(hit.mesh));
 * ```
 */

import type {
  Box,
  ConvexShape,
  ErrorCode,
  Feature,
  InstanceOptions,
  Matrix,
  MeshInfo,
  ModuleSource,
  NearOptions,
  Point,
  QueryOptions,
  RayOptions,
  Shape,
  TriangleHit,
  Vector,
  Volume,
  VolumeHit,
  VolumeOptions,
} from './types.js';

export type * from './types.js';

/**
 * Loads the query module. Call it once, before anything else. Later calls wait for the first.
 *
 * Without an argument the module inside of the package is used. A string is a URL. Edge workers
 * pass the `WebAssembly.Module` that they import. A failed load may be tried again.
 */
export function load(source?: ModuleSource): Promise<void>;

/** Whether `load` has finished. */
export function isLoaded(): boolean;

/** Every error that this package throws. */
export class HitscanError extends Error {
  constructor(code: ErrorCode, message: string, options?: ErrorOptions);
  readonly code: ErrorCode;
}

/**
 * Where a ray hits. An object of this class can be passed to be written to, so that nothing is
 * allocated for each question.
 */
export class Hit implements TriangleHit {
  constructor();
  t: number;
  u: number;
  v: number;
  front: boolean;
  mesh: number;
  triangle: number;
  material: number | null;
  instance: Instance | null;
  /** The point of the triangle that is hit; in a scene, in the world. */
  readonly point: Vector;
  /**
   * The normal of the front side, of unit length; in a scene, in the world. Zero if the triangle
   * has no area.
   */
  readonly normal: Vector;
}

/** The point of a triangle that is closest to a point. Here `t` is the distance. */
export class ClosestPoint implements TriangleHit {
  constructor();
  t: number;
  u: number;
  v: number;
  front: boolean;
  mesh: number;
  triangle: number;
  material: number | null;
  instance: Instance | null;
  /** The distance, the exact value rounded once. */
  distance: number;
  /** The closest point. */
  readonly point: Vector;
  /** The part of the triangle that it is on. */
  feature: Feature;
}

/** A triangle that a shape touches. Here `t` is 0, and `u` and `v` name its middle. */
export class Overlap implements TriangleHit {
  constructor();
  t: number;
  u: number;
  v: number;
  front: boolean;
  mesh: number;
  triangle: number;
  material: number | null;
  instance: Instance | null;
  /** Whether the shape holds the whole triangle. */
  inside: boolean;
}

/** Where a shape that moves touches a triangle. */
export class Contact implements TriangleHit {
  constructor();
  /** When: 0 at the start of the motion, 1 at its end. */
  t: number;
  u: number;
  v: number;
  front: boolean;
  mesh: number;
  triangle: number;
  material: number | null;
  instance: Instance | null;
  /** A point of the triangle that is touched. */
  readonly point: Vector;
  /** From the triangle towards the shape, of unit length. */
  readonly normal: Vector;
  /** The normal of the triangle's plane, on the side that `normal` leads to. */
  readonly faceNormal: Vector;
  feature: Feature;
  /** How far the shape has to move along `normal` to be out. Zero if it is out at the start. */
  depth: number;
}

/**
 * Hits of many rays, one array for each field. A ray without a hit has `t` of `Infinity` and `mesh`
 * of `NONE`. One batch can be passed again and again.
 */
export class HitBatch {
  /** Room for this many hits. It grows if more are written. */
  constructor(capacity?: number);
  /** How many rays were asked. The arrays may be longer. */
  readonly length: number;
  readonly t: Float32Array;
  readonly u: Float32Array;
  readonly v: Float32Array;
  /** 1 for a front, else 0. */
  readonly front: Uint8Array;
  readonly mesh: Uint32Array;
  readonly triangle: Uint32Array;
  /** `NONE` where the mesh has no materials. */
  readonly material: Uint32Array;
  /** The `slot` of the instance: see `Scene.instanceAt`. `NONE` where a tree was asked. */
  readonly instance: Uint32Array;
}

/** The same, with points and normals as in `Hit`: zeros where nothing is hit. It takes longer. */
export class SurfaceBatch extends HitBatch {
  /** Three numbers for each ray. */
  readonly point: Float32Array;
  /** Three numbers for each ray. */
  readonly normal: Float32Array;
}

/** Closest points of many points. `t` is the distance, and `Infinity` where nothing is near. */
export class ClosestPointBatch extends HitBatch {
  /** Three numbers for each point. */
  readonly point: Float32Array;
}

/** In the arrays of a batch: no mesh, no material, no instance. */
export const NONE: 0xffffffff;

/** Questions about rays. */
export abstract class RayQuestions {
  /** The nearest hit, or `null`. Of equally near triangles it is the one of the lowest number. */
  closestHit(origin: Point, direction: Point, options?: RayOptions | null, out?: Hit): Hit | null;
  /** Whether there is any hit: the question for lines of sight. */
  anyHit(origin: Point, direction: Point, options?: RayOptions | null): boolean;
  /**
   * Every hit in order of `t`, each triangle once. The objects in `out` are written to again, and
   * its length is set.
   */
  allHits(origin: Point, direction: Point, options?: RayOptions | null, out?: Hit[]): Hit[];
  /**
   * The nearest hit of each ray. `rays` has eight numbers for each: origin, direction, `tMin`,
   * `tMax`. `tMin` and `tMax` of the options are not looked at. For points and normals, pass a
   * `SurfaceBatch`.
   */
  closestHitBatch<Batch extends HitBatch = HitBatch>(
    rays: Float32Array,
    options?: QueryOptions | null,
    out?: Batch,
  ): Batch;
  /** Whether each ray hits anything: 1 or 0. */
  anyHitBatch(rays: Float32Array, options?: QueryOptions | null, out?: Uint8Array): Uint8Array;
}

/** Questions about points and shapes. */
export abstract class Questions extends RayQuestions {
  /** The point of all triangles that is closest to a point, or `null`. */
  closestPoint(point: Point, options?: NearOptions | null, out?: ClosestPoint): ClosestPoint | null;
  /** The same for many points, of three numbers each. */
  closestPointBatch(
    points: Float32Array,
    options?: NearOptions | null,
    out?: ClosestPointBatch,
  ): ClosestPointBatch;
  /** Whether a triangle is within a distance of a point: a sphere touches something. */
  anyWithin(point: Point, distance: number, options?: QueryOptions | null): boolean;
  /** All triangles within a distance, nearest first. */
  allWithin(
    point: Point,
    distance: number,
    options?: QueryOptions | null,
    out?: ClosestPoint[],
  ): ClosestPoint[];
  /** Whether a shape touches any triangle. */
  anyOverlap(shape: Shape, options?: QueryOptions | null): boolean;
  /** All triangles that a shape touches, in order of their numbers. */
  allOverlaps(shape: Shape, options?: QueryOptions | null, out?: Overlap[]): Overlap[];
  /** What stops a shape on its way, or `null`. */
  firstContact(
    shape: ConvexShape,
    motion: Point,
    options?: QueryOptions | null,
    out?: Contact,
  ): Contact | null;
  /** What a shape touches on its way, in order of time. */
  allContacts(
    shape: ConvexShape,
    motion: Point,
    options?: QueryOptions | null,
    out?: Contact[],
  ): Contact[];
  /** The planes that a shape has to be pushed out of, deepest first. */
  penetrations(shape: ConvexShape, options?: QueryOptions | null, out?: Contact[]): Contact[];
}

/**
 * A baked tree. Its memory is freed by `dispose`, not by the garbage collector. A scene keeps the
 * trees that stand in it, also after their `dispose`.
 */
export class Tree extends Questions {
  private constructor();
  /** Opens the bytes of a `.hbvh` file, which are checked and copied. */
  static open(bytes: ArrayBuffer | ArrayBufferView): Tree;

  readonly meshCount: number;
  readonly triangleCount: number;
  /** The box of all triangles. */
  bounds(): Box;
  /** Facts about a mesh; `null` past the last. */
  mesh(mesh: number): MeshInfo | null;
  /** The name of a mesh; `null` past the last. */
  meshName(mesh: number): string | null;
  /** The name of a material, or `null`. */
  materialName(material: number): string | null;
  /**
   * The nine coordinates of a triangle as it is stored: counter-clockwise as seen from the front,
   * so a mesh whose transform mirrors has the second and third corner exchanged. `null` if there is
   * no such triangle, or the bake skipped it. The first call makes a table, which takes time in
   * proportion to the number of triangles.
   */
  triangle(mesh: number, triangle: number, out?: Float32Array): Float32Array | null;
  /** Puts a mesh into other layers: 0 hides it. */
  setMask(mesh: number, mask: number): void;
  /** The caller's own bytes that travel with the tree. */
  userData(): Uint8Array;

  /** Whether a point is inside, outside or on the surface. The meshes must be closed. */
  contains(point: Point, mask?: number): 'inside' | 'outside' | 'surface';
  /**
   * The distance to the surface, negative inside, or `null` beyond `maxDistance`. The meshes must
   * be closed.
   */
  signedDistance(point: Point, maxDistance?: number, mask?: number): number | null;

  /** Frees the memory. Every later call throws, but `dispose`. */
  dispose(): void;
}

/** A tree or a volume that stands in a scene. Changes take effect at `Scene.commit`. */
export class Instance {
  private constructor();
  readonly scene: Scene;
  /** Its place in the scene, which the arrays of a batch hold. */
  readonly slot: number;
  readonly name: string;
  readonly userId: bigint;
  /** Whether it is a volume, and not a tree. */
  readonly isVolume: boolean;
  /** Where it will stand, in columns. */
  transform(out?: Float32Array): Float32Array;
  setTransform(transform: Matrix): void;
  setMask(mask: number): void;
  /** Takes part again. */
  enable(): void;
  /** Takes no part any more, until it is enabled. */
  disable(): void;
  /** Puts another tree or volume in its place. */
  replace(body: Tree | Volume): void;
  /** Removes it from the scene. Every later call throws. */
  remove(): void;
  /** As `Tree.mesh`, of the tree that stands here. */
  mesh(mesh: number): MeshInfo | null;
  /** As `Tree.meshName`, of the tree that stands here. */
  meshName(mesh: number): string | null;
  /** As `Tree.materialName`, of the tree that stands here. */
  materialName(material: number): string | null;
}

/**
 * Trees that stand in many places, and move; and volumes. Questions see the scene as it was at the
 * last `commit`. Its memory is freed by `dispose`.
 */
export class Scene extends Questions {
  /** An empty scene. */
  constructor();
  /** Opens the bytes of a `.hscn` file, which are checked and copied. */
  static open(bytes: ArrayBuffer | ArrayBufferView): Scene;

  insert(body: Tree | Volume, options?: InstanceOptions): Instance;
  /** Moves many: sixteen numbers for each. All are moved, or none. */
  setTransforms(instances: readonly Instance[], transforms: ArrayLike<number>): void;
  /** Makes all changes visible to questions. */
  commit(): void;
  /** The instances, in order of their slots. */
  instances(): Instance[];
  /** The first instance of a name, or `null`. */
  find(name: string): Instance | null;
  /** The instance that a batch names by its slot, or `null`. */
  instanceAt(slot: number): Instance | null;
  /** The box of all that takes part. */
  bounds(): Box;
  /** The bytes of a `.hscn` file. */
  toBytes(): Uint8Array;

  /** The first volume that a ray meets, or `null`. A ray that starts inside meets it at `tMin`. */
  closestVolumeHit(
    origin: Point,
    direction: Point,
    options?: VolumeOptions | null,
  ): VolumeHit | null;
  /** All volumes that a ray meets. */
  allVolumeHits(origin: Point, direction: Point, options?: VolumeOptions | null): VolumeHit[];
  /** Whether a shape touches any volume. */
  anyVolumeOverlap(shape: Shape, mask?: number): boolean;
  /** All volumes that a shape touches. */
  allVolumeOverlaps(shape: Shape, mask?: number): Instance[];

  /** Frees the memory. Every later call throws, but `dispose`. */
  dispose(): void;
}
