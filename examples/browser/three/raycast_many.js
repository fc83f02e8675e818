import { Matrix4, Sphere } from 'three';

import { refuse } from '../src/error.js';
import { intersectionOf } from './intersection.js';
import { castAll, castFirst, startOf } from './part.js';
import { refuseMoving } from './refusal.js';

const sphere = new Sphere();

/**
 * Casts at each instance of an `InstancedMesh`.
 *
 * @param {any} mesh
 * @param {any} tree
 * @param {any} raycaster
 * @param {import('three').Intersection[]} intersects
 */
export function raycastInstanced(mesh, tree, raycaster, intersects) {
  if (mesh.material === undefined) return;
  refuseMoving(mesh);
  const { geometry, material } = mesh;
  const start = startOf(tree);
  if (geometry.boundingSphere === null) geometry.computeBoundingSphere();
  const matrixWorld = new Matrix4();
  const part = { tree, start, geometry, material, matrixWorld, object: mesh };
  const nearest = new Nearest(raycaster);
  for (let instanceId = 0; instanceId < mesh.count; instanceId++) {
    mesh.getMatrixAt(instanceId, matrixWorld);
    matrixWorld.premultiply(mesh.matrixWorld);
    if (misses(raycaster, geometry.boundingSphere, matrixWorld)) continue;
    castAt(part, { instanceId }, nearest, intersects);
  }
  nearest.giveTo(intersects);
}

/**
 * Casts at each visible instance of a `BatchedMesh`. `trees` has one for each geometry.
 *
 * @param {any} mesh
 * @param {readonly any[]} trees
 * @param {any} raycaster
 * @param {import('three').Intersection[]} intersects
 */
export function raycastBatched(mesh, trees, raycaster, intersects) {
  const { geometry, material } = mesh;
  const matrixWorld = new Matrix4();
  const nearest = new Nearest(raycaster);
  // There is no public list of instances: three's own `raycast` goes through this one.
  for (const [batchId, { active, visible, geometryIndex }] of mesh._instanceInfo.entries()) {
    if (!active || !visible) continue;
    const tree = trees[geometryIndex];
    if (!tree) refuse(`geometry ${geometryIndex} of a batched mesh has no tree`);
    // Where it is now: `optimize` moves geometries.
    const { start } = mesh.getGeometryRangeAt(geometryIndex);
    mesh.getMatrixAt(batchId, matrixWorld);
    matrixWorld.premultiply(mesh.matrixWorld);
    mesh.getBoundingSphereAt(geometryIndex, sphere);
    if (misses(raycaster, sphere, matrixWorld)) continue;
    const part = { tree, start, geometry, material, matrixWorld, object: mesh };
    castAt(part, { batchId }, nearest, intersects);
  }
  nearest.giveTo(intersects);
}

/**
 * Whether a ray stays away from a sphere: most instances are passed over so.
 *
 * @param {any} raycaster
 * @param {Sphere} bounds
 * @param {Matrix4} matrixWorld
 */
function misses({ ray }, bounds, matrixWorld) {
  sphere.copy(bounds).applyMatrix4(matrixWorld);
  // Rounding must not lose what touches it.
  sphere.radius *= 1.0001;
  return !ray.intersectsSphere(sphere);
}

/** The nearest intersection of many parts, if only that is asked for. */
class Nearest {
  /** @param {any} raycaster */
  constructor(raycaster) {
    this.raycaster = raycaster;
    this.far = raycaster.far;
    this.intersection = /** @type {any} */ (null);
  }

  /** @param {any} intersection */
  offer(intersection) {
    if (this.intersection && intersection.distance >= this.intersection.distance) return;
    this.intersection = intersection;
    this.far = Math.min(this.far, intersection.distance);
  }

  /** @param {any[]} intersects */
  giveTo(intersects) {
    if (this.intersection) intersects.push(this.intersection);
  }
}

/**
 * @param {import('./part.js').Part} part
 * @param {{ instanceId: number } | { batchId: number }} id
 * @param {Nearest} nearest
 * @param {any[]} intersects
 */
function castAt(part, id, nearest, intersects) {
  const { raycaster } = nearest;
  const toIntersection = (/** @type {any} */ hit, /** @type {number} */ group) =>
    Object.assign(intersectionOf(part, raycaster, hit, group), id);
  if (!raycaster.firstHitOnly) {
    castAll(part, raycaster, (hit, group) => intersects.push(toIntersection(hit, group)));
    return;
  }
  const first = castFirst(part, raycaster, nearest.far);
  if (first) nearest.offer(toIntersection(first.hit, first.group));
}
