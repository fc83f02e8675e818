import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';

import * as baker from 'hitscan/bake';
import * as rays from 'hitscan/rays';
import { Scene, Tree, load } from 'hitscan';

import { QUESTION, Words, askAll, askInside, askScene, questionOf } from './ask.js';
import { file, model, numbers, words } from './cases.js';

before(() => Promise.all([load(), rays.load(), baker.load()]));

function questions() {
  const rows = numbers('questions.f32');
  return Array.from({ length: rows.length / QUESTION }, (_, i) =>
    questionOf(rows.subarray(i * QUESTION, (i + 1) * QUESTION)),
  );
}

test('every answer has the bits of the native one', () => {
  const tree = Tree.open(file('level.hbvh'));
  const cube = Tree.open(file('cube.hbvh'));
  const scene = Scene.open(file('scene.hscn'));
  const native = words('answers.u32');
  let at = 0;
  for (const [i, question] of questions().entries()) {
    const asked = new Words();
    askAll(asked, tree, question);
    askInside(asked, cube, question);
    askScene(asked, scene, question);
    const expected = native.subarray(at, at + asked.list.length);
    const differs = asked.list.findIndex((word, k) => word !== expected[k]);
    assert.equal(differs, -1, `question ${i}: word ${differs} of ${asked.list.length}`);
    at += asked.list.length;
  }
  assert.equal(at, native.length);
  assert.ok(at > 100_000, `${at} words`);
});

test('batches, and the small module, have the bits of single questions', () => {
  const rows = numbers('questions.f32');
  const all = questions();
  const list = new Float32Array(8 * all.length);
  const points = new Float32Array(3 * all.length);
  all.forEach(({ a }, i) => {
    list.set(rows.subarray(i * QUESTION, i * QUESTION + 8), 8 * i);
    points.set(a, 3 * i);
  });
  const scene = Scene.open(file('scene.hscn'));
  const trees = [Tree, rays.Tree].map((Type) => Type.open(file('level.hbvh')));
  for (const asked of [scene, ...trees]) {
    const batch = asked.closestHitBatch(list);
    const any = asked.anyHitBatch(list);
    assert.equal(batch.length, all.length);
    all.forEach(({ origin, direction, options }, i) => {
      const hit = asked.closestHit(origin, direction, options);
      assert.deepEqual(
        [batch.t[i], batch.mesh[i], batch.triangle[i], any[i]],
        hit ? [hit.t, hit.mesh, hit.triangle, 1] : [Infinity, 0xffffffff, 0xffffffff, 0],
      );
      assert.equal(asked.anyHit(origin, direction, options), hit !== null);
    });
  }
  const [tree, small] = trees;
  for (const { origin, direction, options } of all) {
    assert.deepEqual(
      small.allHits(origin, direction, options),
      tree.allHits(origin, direction, options),
    );
  }
  for (const asked of [scene, tree]) {
    const near = asked.closestPointBatch(points);
    all.forEach(({ a }, i) => {
      const { distance, point, triangle } = asked.closestPoint(a);
      const found = Array.from(near.point.subarray(3 * i, 3 * i + 3));
      assert.deepEqual(
        [near.t[i], near.triangle[i], ...found],
        [distance, triangle, point.x, point.y, point.z],
      );
    });
  }
});

test('bakes have the bytes of native ones', () => {
  const positions = numbers('positions.f32');
  for (const quality of ['fast', 'best']) {
    const mesh = { positions, name: 'scattered', userId: 7n };
    const { bytes, triangles, skipped } = baker.bake([mesh], { quality });
    assert.ok(Buffer.from(bytes).equals(file(`${quality}.hbvh`)), quality);
    assert.deepEqual([triangles, skipped], [3960, 40]);
  }
  const { bytes } = baker.bakeModel(readFileSync(model), 'glb');
  assert.ok(Buffer.from(bytes).equals(file('level.hbvh')));
});

test('scenes have the bytes of native ones', () => {
  const bytes = file('scene.hscn');
  assert.ok(Buffer.from(Scene.open(bytes).toBytes()).equals(bytes));
});
