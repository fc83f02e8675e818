import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { Tree, load } from 'hitscan';
import * as inspect from 'hitscan/inspect';

import { level } from './level.js';

let bytes;
before(async () => {
  assert.throws(() => inspect.Inspector.open(new Uint8Array(1)), { code: 'not-loaded' });
  await Promise.all([load(), inspect.load()]);
  bytes = await level();
});

test('the walk of a ray ends at its hit, and costs are its steps', () => {
  const tree = Tree.open(bytes);
  const inspector = inspect.Inspector.open(bytes);
  const ray = /** @type {const} */ ([[0, 5, 0], [0.1, -1, 0.2]]);
  const { steps, end } = inspector.walk(...ray);
  assert.equal(end, 'nothing-nearer');
  const tested = steps.flatMap((step) => (step.kind === 'leaf' ? step.triangles : []));
  const best = tested.filter(({ outcome }) => outcome === 'best').at(-1);
  const hit = tree.closestHit(...ray);
  assert.deepEqual([best.mesh, best.triangle, best.t], [hit.mesh, hit.triangle, hit.t]);
  assert.deepEqual(best.corners, tree.triangle(hit.mesh, hit.triangle));
  const rays = Float32Array.of(...ray.flat(), 0, Infinity, 0, 1e6, 0, 0, 1, 0, 0, 1);
  const costs = inspector.rayCosts(rays);
  assert.equal(costs[0], steps.length);
  assert.ok(costs[1] <= 1);
  assert.equal(inspector.walk([0, 0, 0], [0, 0, 0]).end, 'invalid-ray');
});

test('the boxes of a depth lie in the tree', () => {
  const inspector = inspect.Inspector.open(bytes);
  const { min, max } = Tree.open(bytes).bounds();
  assert.deepEqual([...inspector.boxesAt(0)], [min.x, min.y, min.z, max.x, max.y, max.z]);
  const boxes = inspector.boxesAt(1);
  assert.ok(boxes.length > 6 && boxes.length <= 6 * 16);
  for (let i = 0; i < boxes.length; i += 6) {
    assert.ok(boxes[i] >= min.x && boxes[i + 3] <= max.x && boxes[i] <= boxes[i + 3]);
  }
  assert.equal(inspector.boxesAt(0xffffffff).length, 0);
  inspector.dispose();
  assert.throws(() => inspector.boxesAt(0), { code: 'disposed' });
});
