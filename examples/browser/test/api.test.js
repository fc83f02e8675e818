import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import * as baker from 'hitscan/bake';
import {
  ClosestPoint,
  Contact,
  Hit,
  HitBatch,
  HitscanError,
  NONE,
  Scene,
  SurfaceBatch,
  Tree,
  load,
} from 'hitscan';

import { square } from './level.js';

const moved = (x, y, z) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];
const down = /** @type {const} */ ([[0.5, 0, 9], [0, 0, -1]]);

/** Three squares, one behind the other. */
let walls;

before(async () => {
  await Promise.all([load(), baker.load()]);
  const corners = (z) => Float32Array.of(-1, -1, z, 1, -1, z, 1, 1, z, -1, 1, z);
  const indices = Uint16Array.of(0, 1, 2, 0, 2, 3);
  const meshes = [
    { positions: corners(2), indices, name: 'near', mask: 1, userId: 2n ** 63n + 5n },
    { positions: corners(1), indices, name: 'middle', mask: 2, materials: Uint32Array.of(1, 0) },
    { positions: corners(0), indices, name: 'fär', transform: moved(0, 0, -1) },
  ];
  const userData = Uint8Array.of(1, 2, 3);
  const { bytes, triangles } = baker.bake(meshes, { materialNames: ['wood', 'steel'], userData });
  assert.equal(triangles, 6);
  walls = Tree.open(bytes);
});

test('a tree knows its meshes', () => {
  assert.deepEqual([walls.meshCount, walls.triangleCount], [3, 6]);
  const { min, max } = walls.bounds();
  assert.deepEqual([min.x, min.y, min.z, max.x, max.y, max.z], [-1, -1, -1, 1, 1, 2]);
  const near = { name: 'near', triangles: 2, vertices: 4, userId: 2n ** 63n + 5n, mask: 1 };
  assert.deepEqual(walls.mesh(0), near);
  assert.equal(walls.mesh(3), null);
  assert.equal(walls.meshName(2), 'fär');
  assert.equal(walls.materialName(1), 'steel');
  assert.equal(walls.materialName(2), null);
  assert.deepEqual(walls.triangle(2, 0), Float32Array.of(-1, -1, -1, 1, -1, -1, 1, 1, -1));
  assert.equal(walls.triangle(2, 2), null);
  assert.deepEqual(walls.userData(), Uint8Array.of(1, 2, 3));
});

test('options say what counts', () => {
  const mesh = (options) => walls.closestHit(...down, options)?.mesh;
  assert.equal(mesh(), 0);
  assert.equal(mesh({ mask: 2 }), 1);
  assert.equal(mesh({ facing: 'back' }), undefined);
  assert.equal(mesh({ facing: 'front', tMin: 8.5 }), 2);
  assert.equal(mesh({ tMax: 6.5 }), undefined);
  assert.equal(mesh({ filter: (hit) => hit.mesh === 2 }), 2);
  assert.equal(walls.anyHit(...down, { filter: () => false }), false);
  assert.equal(walls.closestPoint([0, 0, 9], { mask: 2 }).mesh, 1);
  assert.equal(walls.closestPoint([0, 0, 9], { maxDistance: 6 }), null);
  assert.equal(walls.anyWithin([0, 0, 3], 1, { mask: 2 }), false);
  walls.setMask(0, 0);
  assert.equal(mesh(), 1);
  walls.setMask(0, 1);
  assert.equal(mesh(), 0);
});

test('answers are written to the objects that are given', () => {
  const hit = new Hit();
  assert.equal(walls.closestHit(...down, { mask: 2 }, hit), hit);
  assert.equal(hit.t, 8);
  assert.equal(hit.material, hit.triangle === 0 ? 1 : 0);
  assert.deepEqual({ ...hit.point }, { x: 0.5, y: 0, z: 1 });
  assert.deepEqual({ ...hit.normal }, { x: 0, y: 0, z: 1 });
  const hits = [hit];
  assert.equal(walls.allHits(...down, null, hits), hits);
  assert.deepEqual(hits.map(({ t }) => t), [7, 8, 10]);
  assert.equal(hits[0], hit);
  assert.deepEqual(walls.allHits([5, 5, 9], down[1], null, hits), []);
  const near = new ClosestPoint();
  assert.equal(walls.closestPoint({ x: 2, y: 0.5, z: 2 }, null, near), near);
  assert.deepEqual([near.distance, near.mesh, near.point.x], [1, 0, 1]);
  const contact = new Contact();
  const ball = { kind: 'sphere', center: [0.5, 0, 4], radius: 1 };
  assert.equal(walls.firstContact(ball, [0, 0, -4], null, contact), contact);
  assert.deepEqual([contact.t, contact.normal.z, contact.depth], [0.25, 1, 0]);
  assert.equal(walls.firstContact(ball, [0, 0, 4]), null);
});

test('batches keep their arrays, and filters know the ray', () => {
  const rays = new Float32Array(24);
  for (let i = 0; i < 3; i++) rays.set([0.5, 0, 9, 0, 0, i === 1 ? 1 : -1, 0, Infinity], 8 * i);
  const batch = new SurfaceBatch(8);
  const { t } = batch;
  assert.equal(walls.closestHitBatch(rays, null, batch), batch);
  assert.equal(batch.t, t);
  assert.deepEqual([batch.length, ...t.subarray(0, 3)], [3, 7, Infinity, 7]);
  assert.deepEqual([...batch.normal.subarray(0, 6)], [0, 0, 1, 0, 0, 0]);
  assert.deepEqual([...batch.point.subarray(6, 9)], [0.5, 0, 2]);
  assert.deepEqual([...batch.mesh.subarray(0, 2), batch.instance[0]], [0, NONE, NONE]);
  const filter = (hit, ray) => hit.mesh === ray;
  const found = walls.closestHitBatch(rays, { filter }, new HitBatch());
  assert.deepEqual([...found.mesh.subarray(0, 3)], [0, NONE, 2]);
  assert.deepEqual([...walls.anyHitBatch(rays)], [1, 0, 1]);
  assert.throws(() => walls.anyHitBatch(rays, null, new Uint8Array(2)), { code: 'argument' });
  assert.throws(() => walls.closestHitBatch(rays.subarray(1)), { code: 'argument' });
  assert.equal(walls.closestHitBatch(new Float32Array(0)).length, 0);
});

test('instances are moved, hidden, replaced and removed', async () => {
  const tree = Tree.open(await square());
  const scene = new Scene();
  const first = scene.insert(tree, { name: 'first', userId: 9n });
  const second = scene.insert(tree, { transform: moved(0, 0, 5), name: 'second', mask: 2 });
  const top = (options) => scene.closestHit(...down, options)?.instance ?? null;
  assert.equal(top(), null, 'nothing is committed');
  scene.commit();
  assert.equal(top(), second);
  assert.equal(top({ mask: 1 }), first);
  assert.equal(top({ filter: (hit) => hit.instance === first }), first);
  assert.deepEqual([first.name, first.userId, first.isVolume], ['first', 9n, false]);
  const names = [first.meshName(0), first.meshName(1), first.materialName(0)];
  assert.deepEqual(names, ['square', null, null]);
  assert.equal(first.mesh(0)?.triangles, 2);
  assert.equal(scene.find('second'), second);
  assert.equal(scene.find('third'), null);
  assert.deepEqual([...second.transform()], moved(0, 0, 5));

  scene.setTransforms([first, second], [...moved(0, 0, 6), ...moved(0, 0, 1)]);
  assert.equal(scene.closestHit(...down).t, 4, 'questions see the last commit');
  scene.commit();
  assert.deepEqual([top(), scene.closestHit(...down).point.z], [first, 6]);
  assert.equal(scene.instanceAt(first.slot), first);
  first.disable();
  scene.commit();
  assert.equal(top(), second);
  first.enable();
  second.setMask(0);
  scene.commit();
  assert.equal(top(), first);

  first.remove();
  assert.equal(top(), first, 'it is there until the commit');
  assert.throws(() => first.setMask(1), { code: 'disposed' });
  const third = scene.insert(tree, { transform: moved(0, 0, 8) });
  assert.equal(top(), first);
  scene.commit();
  assert.equal(top(), third);
  assert.deepEqual(new Set(scene.instances()), new Set([second, third]));
  third.replace(walls);
  scene.commit();
  assert.equal(scene.closestHit([0.5, 0, 19], down[1]).point.z, 10);
  assert.ok(Math.abs(scene.bounds().max.z - 10) < 1e-4);
  assert.throws(() => scene.insert(tree, { transform: [1] }), { code: 'argument' });
  scene.commit();
  assert.equal(scene.instances().length, 2, 'nothing is left of a failed insert');

  const again = Scene.open(scene.toBytes());
  const hit = again.closestHit([0.5, 0, 19], down[1]);
  assert.deepEqual([hit.point.z, hit.instance?.slot], [10, third.slot]);
  assert.equal(again.find('second')?.name, 'second');
});

test('volumes are picked and entered', () => {
  const scene = new Scene();
  const ball = scene.insert({ kind: 'sphere', center: [0, 0, 0], radius: 2 }, { name: 'ball' });
  const box = scene.insert({ kind: 'box', min: [-1, -1, 4], max: [1, 1, 6] }, { mask: 2 });
  scene.commit();
  const hit = scene.closestVolumeHit(...down);
  assert.deepEqual([hit.instance, hit.enter, hit.exit, hit.originInside], [box, 3, 5, false]);
  assert.equal(scene.closestVolumeHit(...down, { mask: 1 }).instance, ball);
  assert.equal(scene.closestVolumeHit(...down, { tMax: 2 }), null);
  assert.deepEqual(scene.allVolumeHits(...down).map(({ instance }) => instance), [box, ball]);
  const shape = { kind: 'capsule', a: [0, 0, 0], b: [0, 0, 5], radius: 0.5 };
  assert.deepEqual(scene.allVolumeOverlaps(shape), [ball, box]);
  assert.equal(scene.anyVolumeOverlap(shape, 4), true, 'the ball is in all layers');
  assert.equal(scene.closestHit(...down), null, 'a volume stops no ray');
  assert.equal(ball.isVolume, true);
  assert.throws(() => ball.replace(walls), { code: 'scene' });
  ball.replace({ kind: 'sphere', center: [0, 0, 50], radius: 1 });
  scene.commit();
  assert.deepEqual(scene.allVolumeOverlaps(shape), [box]);
});

test('a frustum selects what a camera sees', () => {
  // Looks down from z = 5, 90 degrees wide, from 1 to 3.5: at the nearest square only.
  const [near, far] = [1, 3.5];
  const [a, b] = [(far + near) / (near - far), (2 * far * near) / (near - far)];
  const viewProjection = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, a, -1, 0, 0, -5 * a + b, 5];
  const found = walls.allOverlaps({ kind: 'frustum', viewProjection });
  assert.deepEqual(found.map(({ mesh, inside }) => [mesh, inside]), [[0, true], [0, true]]);
});

test('a bake tells its progress, and stops for an error', () => {
  const positions = Float32Array.from({ length: 90_000 }, (_, i) => Math.fround(Math.sin(i)));
  const told = [];
  baker.bake([{ positions }], { onProgress: (done) => told.push(done) });
  assert.ok(told.length > 2 && told.every((done, i) => i === 0 || done >= told[i - 1]));
  assert.equal(told.at(-1), 1);
  const onProgress = () => {
    throw new HitscanError('argument', 'enough');
  };
  assert.throws(() => baker.bake([{ positions }], { onProgress }), { message: 'enough' });
  const nested = () => baker.bake([{ positions }]);
  assert.throws(() => baker.bake([{ positions }], { onProgress: nested }), { code: 'argument' });
  assert.equal(baker.bake([{ positions }]).triangles, 10_000);
});
