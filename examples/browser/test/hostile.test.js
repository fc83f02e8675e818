import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import * as baker from 'hitscan/bake';
import { HitscanError, Scene, Tree, load } from 'hitscan';
import { module } from '../src/query_module.js';

import { level, square } from './level.js';

const ROUNDS = 2000 * Number(process.env.HITSCAN_LONG ?? 1);

let bytes;
before(async () => {
  await load();
  bytes = await level();
});

/** A xorshift generator. */
function randomOf(seed) {
  let state = seed;
  return (count) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % count;
  };
}

const STRANGE = [
  0, -0, 1, -1, 2, 3, 0.5, NaN, Infinity, -Infinity, 1e-45, 3e38, 1e10, 255, 256, 65536,
  0x7fffffff, 0x80000000, 0xffffffff, -2147483648,
];

test('no export stops for strange numbers', async () => {
  const random = randomOf(1);
  const tree = Tree.open(bytes);
  const scene = Scene.open(new Scene().toBytes());
  scene.insert(tree);
  scene.insert({ kind: 'sphere', center: [0, 0, 0], radius: 3 });
  scene.commit();
  // Not these: they would free the tree, fill the memory, or make too many scenes.
  const left = ['close', 'make_room', 'new_scene'];
  const names = Object.keys(module.exports).filter((name) => {
    return typeof module.exports[name] === 'function' && !left.includes(name);
  });
  assert.ok(names.length > 35, names.join());
  const handles = [tree._handle, scene._handle];
  let faults = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const name = names[round % names.length];
    module.look();
    // Small kinds at the start of the block are shapes.
    for (let i = 0; i < 48; i++) module.f32[module.block + i] = STRANGE[random(STRANGE.length)];
    module.u32[module.block] = random(9);
    module.u32[module.block + 1] = random(70);
    module.exports.make_room(random(4) * 16 * random(40));
    const numbers = Array.from({ length: 12 }, () => STRANGE[random(STRANGE.length)]);
    if (random(8) > 0) numbers[0] = handles[random(2)];
    // The filter is the last number of each, and one is never asked for here.
    numbers[module.exports[name].length - 1] = 0;
    if (module.exports[name].length === 1) numbers[0] = handles[random(2)];
    const status = module.exports[name](...numbers);
    faults += Number(status < 0);
  }
  assert.ok(faults > ROUNDS / 100, `${faults} faults`);
  tree.dispose();
  scene.dispose();
});

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
  const { Module } = await import('../src/module.js');
  const code = await import('../dist/rays.js');
  const stopped = new Module('hitscan/rays', code.default, 'open_tree', { accepts: () => 1 });
  await stopped.load();
  const trap = () => {
    throw new WebAssembly.RuntimeError('unreachable');
  };
  stopped.exports = { ...stopped.exports, close: trap };
  assert.throws(() => stopped.call('close', 1), { code: 'stopped' });
  assert.throws(() => stopped.call('open_tree'), { code: 'stopped', message: /load the page/ });
});
