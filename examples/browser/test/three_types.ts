// The types as a user of three.js meets them. Is compiled, not run.

import { Tree } from 'hitscan';
import { bake } from 'hitscan/bake';
import { Tree as SmallTree } from 'hitscan/rays';
import { acceleratedRaycast, geometryInput, raycastMesh } from 'hitscan/three';
import { bakeInWorker } from 'hitscan/worker';
import { BatchedMesh, BufferGeometry, Mesh, Raycaster, type Intersection } from 'three';

export async function example(mesh: Mesh, batched: BatchedMesh, worker: Worker) {
  const geometry: BufferGeometry = mesh.geometry;
  geometry.hitscan = Tree.open(bake([geometryInput(geometry, { name: 'wall' })]).bytes);
  geometry.hitscan = SmallTree.open((await bakeInWorker(worker, [geometryInput(geometry)])).bytes);
  batched.hitscan = [geometry.hitscan];
  mesh.raycast = acceleratedRaycast;
  batched.raycast = acceleratedRaycast;

  const raycaster = new Raycaster();
  raycaster.firstHitOnly = true;
  const found: Intersection[] = [];
  raycastMesh(mesh, geometry.hitscan, raycaster, found);
  // @ts-expect-error a geometry is not a tree
  mesh.geometry.hitscan = geometry;
  return found[0]?.faceIndex;
}
