import { BatchedMesh, InstancedMesh, Mesh, SkinnedMesh } from 'three';

import { raycastBatched, raycastInstanced } from './raycast_many.js';
import { raycastMesh } from './raycast_mesh.js';

/** Three's own methods, as they are before anyone replaces them. */
const raycastOf = new Map(
  [BatchedMesh, InstancedMesh, SkinnedMesh, Mesh].map((Class) => [Class, Class.prototype.raycast]),
);

/**
 * Takes the place of a mesh's `raycast`. Without a tree, three's own answers.
 *
 * @this {any}
 * @param {import('three').Raycaster} raycaster
 * @param {import('three').Intersection[]} intersects
 */
export function acceleratedRaycast(raycaster, intersects) {
  const tree = this.isBatchedMesh ? this.hitscan : this.geometry.hitscan;
  if (!tree) {
    const Class = [...raycastOf.keys()].find((Each) => this instanceof Each) ?? Mesh;
    raycastOf.get(Class)?.call(this, raycaster, intersects);
  } else if (this.isBatchedMesh) {
    raycastBatched(this, tree, raycaster, intersects);
  } else if (this.isInstancedMesh) {
    raycastInstanced(this, tree, raycaster, intersects);
  } else {
    raycastMesh(this, tree, raycaster, intersects);
  }
}
