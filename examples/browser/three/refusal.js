import { refuse } from '../src/error.js';

/**
 * Throws for meshes whose triangles move on the graphics card: a tree knows where they were baked.
 *
 * @param {any} mesh
 */
export function refuseMoving(mesh) {
  if (mesh.isSkinnedMesh) {
    refuse('a skinned mesh moves its vertices, and a tree does not: cast at its bones or bounds');
  }
  const { morphTargetInfluences: influences, geometry } = mesh;
  if (geometry.morphAttributes.position && influences?.some((/** @type {number} */ i) => i !== 0)) {
    refuse('a mesh with active morph targets moves its vertices, and a tree does not');
  }
}
