import { intersectionOf } from './intersection.js';
import { castAll, castFirst, startOf } from './part.js';
import { refuseMoving } from './refusal.js';

/**
 * Casts the ray of a raycaster at a mesh, whose geometry the tree was baked from.
 *
 * @param {any} mesh
 * @param {any} tree
 * @param {any} raycaster
 * @param {import('three').Intersection[]} intersects
 */
export function raycastMesh(mesh, tree, raycaster, intersects) {
  const { geometry, material, matrixWorld } = mesh;
  if (material === undefined) return;
  refuseMoving(mesh);
  const part = { tree, start: startOf(tree), geometry, material, matrixWorld, object: mesh };
  if (!raycaster.firstHitOnly) {
    castAll(part, raycaster, (hit, group) => {
      intersects.push(intersectionOf(part, raycaster, hit, group));
    });
    return;
  }
  const first = castFirst(part, raycaster, raycaster.far);
  if (first) intersects.push(intersectionOf(part, raycaster, first.hit, first.group));
}
