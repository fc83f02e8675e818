/**
 * Rays, points and shapes against baked trees and scenes.
 *
 * The answers have the same bits as those of the Rust crate, on every machine.
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

/** What a module may be loaded from. */
export type ModuleSource =
  | WebAssembly.Module
  | ArrayBuffer
  | ArrayBufferView<ArrayBuffer>
  | URL
  | string
  | Response
  | PromiseLike<WebAssembly.Module | ArrayBuffer | Response>;

/**
 * Loads the query module. Call it once, before anything else. Later calls wait for the first.
 *
 * Without an argument the module inside of the package is used. A string is a URL. Edge workers
 * pass the `WebAssembly.Module` that they import. A failed load may be tried again.
 */
export function load(source?: ModuleSource): Promise<void>;

/** Whether `load` has finished. */
export function isLoaded(): boolean;

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

/** Every error that this package throws. */
export class HitscanError extends Error {
  constructor(code: ErrorCode, message: string, options?: ErrorOptions);
  readonly code: ErrorCode;
}

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

/** A part of a triangle. Edge 0 is from corner 0 to corner 1. */
export type Feature =
  | 'face'
  | 'edge0'
  | 'edge1'
  | 'edge2'
  | 'vertex0'
  | 'vertex1'
  | 'vertex2';

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

/** A triangle that a shape touches. Here `t`, `u` and `v` are those of a point of it. */
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
  /** What is known about a mesh; `null` past the last. */
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

/** A tree or a volume that stands in a scene. Changes take effect at `Scene.commit`. */
export class Instance {
  private constructor();
  readonly scene: Scene;
  /** Its place in the scene: what is in the arrays of a batch. */
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

/** A volume that a ray meets. */
export interface VolumeHit {
  instance: Instance;
  /** Where the ray enters, in units of its direction. */
  enter: number;
  /** Where it leaves. */
  exit: number;
  originInside: boolean;
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

/** Options of a ray that looks for volumes. */
export interface VolumeOptions {
  tMin?: number;
  tMax?: number;
  mask?: number;
}
