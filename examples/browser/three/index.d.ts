/**
 * Picking in three.js with baked trees.
 *
 * ```js
 * import { load, Tree } from 'hitscan';
 * import * as baker from 'hitscan/bake';
 * import { acceleratedRaycast, geometryInput } from 'hitscan/three';
 *
 * await Promise.all([load(), baker.load()]);
 * const { bytes } = baker.bake([geometryInput(mesh.geometry)]);
 * mesh.geometry.hitscan = Tree.open(bytes);
 * mesh.raycast = acceleratedRaycast;
 * raycaster.firstHitOnly = true;
 * const [hit] = raycaster.intersectObject(mesh);
 * ```
 *
 * A tree is as its geometry was when it was baked: bake again when vertices, the index or the draw
 * range change. Meshes may move, turn, scale and change their materials at any time.
 */

import type { BufferGeometry, Intersection, Mesh, Raycaster } from 'three';

import type { MeshInput } from '../bake.js';
import type { RayQuestions, Tree } from '../hitscan.js';

/** A tree of `hitscan` or of `hitscan/rays`. */
export type RayTree = RayQuestions & Pick<Tree, 'meshCount' | 'mesh'>;

declare module 'three' {
  interface BufferGeometry {
    /** Baked from `geometryInput(geometry)`. */
    hitscan?: RayTree | null;
  }
  interface BatchedMesh {
    /**
     * A tree for each geometry by its number, each baked from
     * `geometryInput(mesh.geometry, { range: mesh.getGeometryRangeAt(number) })`.
     */
    hitscan?: readonly RayTree[] | null;
  }
  interface Raycaster {
    /** Whether each object gives its nearest intersection only, which is faster. */
    firstHitOnly?: boolean;
  }
}

/**
 * Takes the place of `raycast` of a `Mesh`, an `InstancedMesh` or a `BatchedMesh`, or of
 * `Mesh.prototype`. Where there is no tree, three's own method answers. The intersections have the
 * fields that three gives them, and obey `near`, `far`, the side of each material, and groups.
 *
 * The ray is rounded to 32 bits, and a ray through an edge that two triangles share never gets
 * between them.
 *
 * Throws a `HitscanError` for a skinned mesh with a tree, and for one whose morph targets are
 * active, because their vertices move.
 */
export function acceleratedRaycast(
  this: Mesh,
  raycaster: Raycaster,
  intersects: Intersection[],
): void;

/** The same for one mesh, with a tree that is kept elsewhere. */
export function raycastMesh(
  mesh: Mesh,
  tree: RayTree,
  raycaster: Raycaster,
  intersects: Intersection[],
): void;

/** Options of `geometryInput`. */
export interface GeometryOptions {
  /** Default: the geometry's own. */
  name?: string;
  /** The part of the index, or of the vertices, that is baked. Default: the draw range. */
  range?: { start: number; count: number };
  /** Layers (32 bits). Default: all bits. */
  mask?: number;
}

/**
 * A geometry as `bake` takes it: the triangles of its draw range, with its groups as materials.
 * Arrays that fit are not copied: do not transfer them, or the geometry loses them.
 */
export function geometryInput(geometry: BufferGeometry, options?: GeometryOptions): MeshInput;
