import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import * as baker from 'hitscan/bake';
import { HitscanError, Scene, Tree, load } from 'hitscan';
import { Module } from '../src/module.js';
import { module } from '../src/query_module.js';

import { fuzz, randomOf } from './fuzz.js';
import { level, square } from './level.js';

const ROUNDS = 2000 * Number(process.env.HITSCAN_LONG ?? 1);

let bytes;
before(async () => {
  await load();
  bytes = await level();
});

test('no export of the query module stops for strange numbers', async () => {
  const tree = Tree.open(bytes);
  const scene = Scene.open(new Scene().toBytes());
  scene.insert(tree);
  scene.insert({ kind: 'sphere', center: [0, 0, 0], radius: 3 });
  scene.commit();
  const handles = [tree._handle, scene._handle];
  // Not these: they would free the tree, or make too many scenes.
  const left = ['close', 'new_scene'];
  const { names, faults } = fuzz(module, { rounds: ROUNDS, handles, left });
  assert.ok(names.length > 35, names.join());
  assert.ok(faults > ROUNDS / 100, `${faults} faults`);
  tree.dispose();
  scene.dispose();
});

for (const [name, needed] of [['rays', 'open_tree'], ['inspect', 'walk']]) {
  test(`no export of the module ${name} stops for strange numbers`, async () => {
    const other = await moduleOf(name, needed);
    other.input(bytes);
    const handles = [other.call('open_tree')];
    const { faults } = fuzz(other, { rounds: ROUNDS, handles, left: ['close'] });
    assert.ok(faults > 0);
    assert.equal(other.call('mesh_count', handles[0]) > 0, true, 'it has not stopped');
  });
}

test('no export of the bake module stops for strange numbers', async () => {
  const other = await moduleOf('bake', 'bake_model');
  const { names, faults } = fuzz(other, { rounds: 10 * ROUNDS });
  assert.ok(names.length > 5 && faults > ROUNDS / 100, `${names}: ${faults} faults`);
});

/** A module of its own, that a trap would stop for this test only. */
async function moduleOf(name, needed) {
  const { default: packed } = await import(`../dist/${name}.js`);
  const other = new Module(name, packed, needed, { accepts: () => 1, progress: () => 1 });
  await other.load();
  return other;
}

test('damaged files are refused with a reason', async () => {
  const random = randomOf(2);
  const small = await square();
  const scene = new Scene();
  scene.insert(Tree.open(small), { name: 'a' });
  scene.commit();
  for (const [Type, sound] of [[Tree, small], [Scene, scene.toBytes()]]) {
    let refused = 0;
    for (let i = 0; i < 2000; i++) {
      const damaged = sound.slice(0, i % 3 === 0 ? random(sound.length) : sound.length);
      for (let k = random(3) + 1; k > 0 && damaged.length; k--) {
        damaged[random(damaged.length)] ^= 1 << random(8);
      }
      try {
        Type.open(damaged).dispose();
      } catch (error) {
        assert.ok(error instanceof HitscanError && error.code === 'file', String(error));
        assert.ok(error.message.length > 10, error.message);
        refused++;
      }
    }
    assert.ok(refused > 1900, `${refused}`);
    Type.open(sound).dispose();
  }
});

test('arguments of a wrong kind are refused', () => {
  const tree = Tree.open(bytes);
  const scene = new Scene();
  const instance = scene.insert(tree);
  const wrong = /** @type {any[]} */ ([undefined, null, 'x', 7, {}, [], ['a', 'b', 'c'], [1, 2]]);
  for (const value of wrong) {
    for (const call of [
      () => tree.closestHit(value, [0, 0, 1]),
      () => tree.closestHit([0, 0, 1], value, { tMax: 5 }),
      () => tree.closestPoint(value),
      () => tree.anyOverlap(value),
      () => tree.anyOverlap({ kind: 'sphere', center: value, radius: 1 }),
      () => tree.firstContact({ kind: 'sphere', center: [0, 0, 0], radius: 1 }, value),
      () => instance.setTransform(value),
      () => tree.closestHitBatch(value),
      () => tree.closestHit([0, 0, 0], [0, 0, 1], { facing: value ?? 'none' }),
      () => scene.insert(value),
      () => Tree.open(value),
    ]) {
      assert.throws(call, { code: 'argument' }, `${call}: ${value}`);
    }
  }
  const flat = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  assert.throws(() => instance.setTransform(flat), { code: 'scene' });
  assert.throws(() => instance.setTransform(flat.fill(2)), { code: 'argument' });
  assert.throws(() => tree.contains([0, 0, 0]), { code: 'not-closed' });
  assert.throws(() => tree.setMask(1e6, 0), { code: 'argument' });
  assert.throws(() => baker.bake([{ positions: Float32Array.of(NaN, 0, 0, 1, 0, 0, 0, 1, 0) }]), {
    code: 'bake',
  });
  assert.throws(() => baker.bakeModel(new Uint8Array(9), 'glb'), { code: 'file' });
  for (const options of [{ mask: 1n }, { tMin: Symbol('x') }, { tMax: 5n }]) {
    assert.throws(() => tree.closestHit([0, 5, 0], [0, -1, 0], options), { code: 'argument' });
  }
  assert.throws(() => tree.anyWithin([0, 0, 0], 1n), { code: 'argument' });
  assert.throws(() => module.room(2 ** 33), { code: 'memory' });
  assert.throws(() => module.room(0x7fffffff), { code: 'memory' });
  assert.equal(tree.anyHit([0, 5, 0], [0, -1, 0]), true, 'it has not stopped');
  tree.dispose();
  scene.dispose();
});

test('filters may throw, ask and dispose', () => {
  const tree = Tree.open(bytes);
  const ray = /** @type {const} */ ([[0, 5, 0], [0, -1, 0]]);
  const expected = tree.closestHit(...ray);
  const broken = () => {
    throw new RangeError('mine');
  };
  assert.throws(() => tree.closestHit(...ray, { filter: broken }), { message: 'mine' });
  assert.throws(() => tree.allHits(...ray, { filter: broken }), { message: 'mine' });
  const asking = (hit) => {
    assert.throws(() => tree.anyHit(...ray, { filter: broken }), { message: 'mine' });
    assert.deepEqual(tree.closestHit(...ray), expected);
    return hit.mesh === expected.mesh;
  };
  assert.deepEqual(tree.closestHit(...ray, { filter: asking }), expected);
  const other = Tree.open(bytes);
  const disposing = () => {
    other.dispose();
    return true;
  };
  assert.equal(other.closestHit(...ray, { filter: disposing })?.t, expected.t);
  assert.throws(() => other.closestHit(...ray), { code: 'disposed' });
  assert.deepEqual(tree.closestHit(...ray), expected);
  tree.dispose();
});

test('a module that has stopped says so', async () => {
  const stopped = await moduleOf('rays', 'open_tree');
  const trap = () => {
    throw new WebAssembly.RuntimeError('unreachable');
  };
  stopped.exports = { ...stopped.exports, close: trap };
  assert.throws(() => stopped.call('close', 1), { code: 'stopped' });
  assert.throws(() => stopped.call('open_tree'), { code: 'stopped', message: /load the page/ });
});
