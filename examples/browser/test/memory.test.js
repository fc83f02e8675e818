import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { Hit, HitBatch, Scene, Tree, load } from 'hitscan';
import { module } from '../src/query_module.js';

import { level, square } from './level.js';

const long = Number(process.env.HITSCAN_LONG ?? 0);

let bytes;
before(async () => {
  await load();
  bytes = await level();
});

const size = () => module.exports.memory.buffer.byteLength;

test('memory that grows between calls is looked at again', () => {
  const tree = Tree.open(bytes);
  const before = tree.closestHit([0, 5, 0], [0, -1, 0]);
  const out = new Hit();
  for (let i = 0; i < 4; i++) {
    module.exports.memory.grow(1);
    assert.deepEqual(tree.closestHit([0, 5, 0], [0, -1, 0], null, out), before);
    module.exports.memory.grow(1);
    assert.deepEqual(tree.allHits([0, 5, 0], [0, -1, 0])[0], before);
    module.exports.memory.grow(1);
    assert.equal(tree.anyOverlap({ kind: 'sphere', center: before.point, radius: 1 }), true);
    module.exports.memory.grow(1);
    assert.equal(tree.meshName(before.mesh)?.length > 0, true);
  }
  tree.dispose();
});

test('memory that grows inside of calls is looked at again', () => {
  const tree = Tree.open(bytes);
  const expected = tree.closestHit([0, 5, 0], [0, -1, 0]);
  const before = size();
  const count = 400_000;
  const rays = new Float32Array(8 * count);
  for (let i = 0; i < count; i++) rays.set([0, 5, 0, 0, -1, 0, 0, Infinity], 8 * i);
  const batch = tree.closestHitBatch(rays, null, new HitBatch(count));
  assert.ok(size() > before, 'it has grown');
  assert.deepEqual([batch.t[count - 1], batch.mesh[0]], [expected.t, expected.mesh]);
  assert.equal(tree.anyHitBatch(rays).every((found) => found === 1), true);

  const filter = () => {
    module.exports.memory.grow(1);
    return true;
  };
  assert.deepEqual(tree.closestHit([0, 5, 0], [0, -1, 0], { filter }), expected);
  assert.deepEqual(tree.allHits([0, 5, 0], [0, -1, 0], { filter })[0], expected);
  tree.dispose();
});

test('disposed trees and scenes throw, and twice is once', async () => {
  const tree = Tree.open(bytes);
  const scene = new Scene();
  const instance = scene.insert(tree, { name: 'level' });
  scene.commit();
  const expected = tree.closestHit([0, 5, 0], [0, -1, 0]).t;
  tree.dispose();
  tree.dispose();
  for (const use of [
    () => tree.closestHit([0, 5, 0], [0, -1, 0]),
    () => tree.anyHitBatch(new Float32Array(8)),
    () => tree.anyOverlap({ kind: 'sphere', center: [0, 0, 0], radius: 1 }),
    () => tree.meshCount,
    () => tree.bounds(),
    () => tree.contains([0, 0, 0]),
    () => scene.insert(tree),
  ]) {
    assert.throws(use, { code: 'disposed' });
  }
  assert.equal(scene.closestHit([0, 5, 0], [0, -1, 0]).t, expected, 'the scene keeps the tree');
  scene.dispose();
  assert.throws(() => scene.commit(), { code: 'disposed' });
  assert.throws(() => instance.setMask(1), { code: 'disposed' });
  assert.equal(module.exports.open_count(), 0);
});

test('opening and disposing again and again takes no memory', async () => {
  const small = await square();
  const cycle = () => {
    const tree = Tree.open(small);
    const scene = new Scene();
    scene.insert(tree).setTransform([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1]);
    scene.commit();
    const hits = [tree, scene].map((asked) => asked.closestHit([0.5, 0, 9], [0, 0, -1]).t);
    assert.deepEqual(hits, [9, 4]);
    tree.dispose();
    scene.dispose();
  };
  for (let i = 0; i < 1000; i++) cycle();
  const before = size();
  const count = long > 1 ? 1_000_000 : 5000;
  for (let i = 0; i < count; i++) cycle();
  assert.equal(size(), before);
  assert.equal(module.exports.open_count(), 0);
});
