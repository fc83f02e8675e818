// Judges `hitscan/three` by three's own `raycast`: the same intersections, in every field.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import * as THREE from 'three';

import { bake, load as loadBake } from '../bake.js';
import { HitscanError, Tree, load } from '../hitscan.js';
import { acceleratedRaycast, geometryInput } from '../three/index.js';
import { randomGeometry, randomMatrix, randomRay } from './three_cases.js';

const SIDES = /** @type {const} */ ([THREE.FrontSide, THREE.BackSide, THREE.DoubleSide]);
const DOWN = new THREE.Vector3(0, 0, -1);
const RAYS = process.env.HITSCAN_LONG ? 20_000 : 300;

before(() => Promise.all([load(), loadBake()]));

for (const kind of /** @type {const} */ (['indexed', 'plain', 'interleaved', 'packed'])) {
  test(`${kind} geometry, each side`, () => {
    for (const side of SIDES) {
      const geometry = randomGeometry(kind);
      geometry.hitscan = bakeTree(geometry);
      compare(placed(new THREE.Mesh(geometry, material(side))));
    }
  });
}

test('draw ranges', () => {
  for (const kind of /** @type {const} */ (['indexed', 'plain'])) {
    const geometry = randomGeometry(kind, 120);
    geometry.setDrawRange(33, 3 * 70);
    geometry.hitscan = bakeTree(geometry);
    compare(placed(new THREE.Mesh(geometry, material(THREE.DoubleSide))));
  }
});

test('groups with materials of different sides, with gaps and overlaps', () => {
  const geometry = randomGeometry('indexed', 100);
  geometry.addGroup(0, 90, 0);
  geometry.addGroup(90, 60, 1);
  geometry.addGroup(180, 60, 2);
  geometry.addGroup(210, 60, 0);
  geometry.setDrawRange(30, 228);
  geometry.hitscan = bakeTree(geometry);
  compare(placed(new THREE.Mesh(geometry, SIDES.map(material))));

  const tree = geometry.hitscan;
  const hit = tree.closestHit([0, 0, 9], [0, 0, -1]);
  assert.ok(hit === null || hit.material === null || hit.material < 3);
});

test('instances', () => {
  const geometry = randomGeometry('indexed', 12);
  geometry.hitscan = bakeTree(geometry);
  const mesh = placed(new THREE.InstancedMesh(geometry, material(THREE.FrontSide), 8));
  for (let i = 0; i < mesh.count; i++) mesh.setMatrixAt(i, randomMatrix());
  compare(mesh);
});

test('a batched mesh, whose geometries move in the buffers', () => {
  const mesh = new THREE.BatchedMesh(8, 400, 600, material(THREE.DoubleSide));
  const geometries = [10, 20, 30].map((count) => {
    const geometry = randomGeometry('indexed', count);
    return mesh.addGeometry(geometry);
  });
  for (let i = 0; i < 6; i++) {
    mesh.setMatrixAt(mesh.addInstance(geometries[i % 3]), randomMatrix());
  }
  mesh.hitscan = geometries.map((number) =>
    bakeTree(mesh.geometry, { range: mesh.getGeometryRangeAt(number) }));
  mesh.setVisibleAt(4, false);
  mesh.deleteInstance(1);
  compare(placed(mesh));
  mesh.deleteGeometry(geometries[0]);
  mesh.optimize();
  compare(mesh);
});

test('a moved mesh is hit where it is', () => {
  const geometry = new THREE.BoxGeometry();
  geometry.hitscan = bakeTree(geometry);
  const mesh = new THREE.Mesh(geometry, material(THREE.FrontSide));
  mesh.raycast = acceleratedRaycast;
  const raycaster = new THREE.Raycaster(new THREE.Vector3(0, 0, 9), DOWN);
  assert.equal(raycaster.intersectObject(mesh)[0].distance, 8.5);
  mesh.position.set(0.25, 0, -3);
  mesh.updateMatrixWorld();
  const [hit] = raycaster.intersectObject(mesh);
  assert.equal(hit.distance, 11.5);
  assert.deepEqual(hit.point.toArray(), [0, 0, -2.5]);
  mesh.position.x = 2;
  mesh.updateMatrixWorld();
  assert.equal(raycaster.intersectObject(mesh).length, 0);
  mesh.scale.setScalar(0);
  mesh.updateMatrixWorld();
  assert.equal(raycaster.intersectObject(mesh).length, 0);
});

test('without a tree, three answers; a mesh whose vertices move is refused', () => {
  const geometry = new THREE.BoxGeometry();
  const plain = new THREE.Mesh(geometry, material(THREE.FrontSide));
  const raycaster = new THREE.Raycaster(new THREE.Vector3(0.1, 0.2, 9), DOWN);
  const [theirs] = raycaster.intersectObject(plain);
  plain.raycast = acceleratedRaycast;
  assert.deepEqual(raycaster.intersectObject(plain)[0], theirs);

  const tree = bakeTree(geometry);
  geometry.hitscan = tree;
  const skinned = new THREE.SkinnedMesh(geometry, material(THREE.FrontSide));
  skinned.raycast = acceleratedRaycast;
  assert.throws(() => raycaster.intersectObject(skinned), isRefusal(/skinned/));

  const morphed = geometry.clone();
  morphed.morphAttributes.position = [geometry.attributes.position];
  morphed.hitscan = tree;
  const mesh = new THREE.Mesh(morphed, material(THREE.FrontSide));
  mesh.raycast = acceleratedRaycast;
  assert.equal(raycaster.intersectObject(mesh).length, 1);
  mesh.morphTargetInfluences = [0.5];
  assert.throws(() => raycaster.intersectObject(mesh), isRefusal(/morph/));

  assert.throws(() => geometryInput(new THREE.BufferGeometry()), isRefusal(/positions/));
  const two = bake([geometryInput(geometry), geometryInput(geometry)]);
  geometry.hitscan = Tree.open(two.bytes);
  assert.throws(() => raycaster.intersectObject(plain), isRefusal(/one mesh/));
});

/** @param {RegExp} reason */
function isRefusal(reason) {
  return (/** @type {any} */ error) =>
    error instanceof HitscanError && error.code === 'argument' && reason.test(error.message);
}

/** @param {any} geometry @param {any} [options] */
function bakeTree(geometry, options) {
  return Tree.open(bake([geometryInput(geometry, options)]).bytes);
}

/** @param {THREE.Side} side */
function material(side) {
  return new THREE.MeshBasicMaterial({ side });
}

/**
 * @template {THREE.Object3D} T
 * @param {T} mesh
 */
function placed(mesh) {
  mesh.matrixWorld.copy(randomMatrix());
  return mesh;
}

/**
 * Casts random rays both ways. Three is not watertight and rounds in another place, so a hit at an
 * edge, at `near` or `far`, or of a grazing ray may differ. These are few.
 *
 * @param {any} mesh
 */
function compare(mesh) {
  const raycaster = new THREE.Raycaster();
  let [compared, different] = [0, 0];
  for (let i = 0; i < RAYS; i++) {
    randomRay(raycaster.ray);
    [raycaster.near, raycaster.far] = i % 2 ? [0, Infinity] : [2, 9];
    const [theirs, ours] = [Object.getPrototypeOf(mesh).raycast, acceleratedRaycast].map((cast) => {
      const found = /** @type {any[]} */ ([]);
      cast.call(mesh, raycaster, found);
      return found.sort((a, b) => a.distance - b.distance);
    });
    const numbers = new Set([...theirs, ...ours].map(idOf));
    for (const id of numbers) {
      const [mine, other] = [ours, theirs].map((hits) => hits.find((hit) => idOf(hit) === id));
      compared++;
      if (!mine || !other || !isSame(mine, other)) different++;
    }
    assertFirst(mesh, raycaster, ours);
  }
  assert.ok(different <= 0.005 * compared, `${different} of ${compared} hits differ`);
  assert.ok(compared > RAYS / 4, `only ${compared} hits were compared`);
}

/** @param {any} hit */
function idOf({ faceIndex, face, instanceId, batchId }) {
  return [faceIndex, face.materialIndex, instanceId, batchId].join();
}

/** @param {any} ours @param {any} theirs */
function isSame(ours, theirs) {
  assert.deepEqual(Object.keys(ours).sort(), Object.keys(theirs).sort());
  assert.equal(ours.object, theirs.object);
  const { a, b, c } = theirs.face;
  assert.deepEqual([ours.face.a, ours.face.b, ours.face.c], [a, b, c]);
  assert.ok(ours.face.normal.distanceTo(theirs.face.normal) < 1e-6);
  const names = ['point', 'uv', 'uv1', 'normal', 'barycoord'];
  const numbers = (/** @type {any} */ hit) =>
    [hit.distance, ...names.flatMap((name) => hit[name].toArray())];
  const [mine, other] = [numbers(ours), numbers(theirs)];
  assert.equal(mine.length, other.length);
  return mine.every((number, i) => Math.abs(number - other[i]) < 1e-4);
}

/**
 * With `firstHitOnly`, an object gives the nearest of all.
 *
 * @param {any} mesh
 * @param {any} raycaster
 * @param {any[]} all
 */
function assertFirst(mesh, raycaster, all) {
  raycaster.firstHitOnly = true;
  const found = /** @type {any[]} */ ([]);
  acceleratedRaycast.call(mesh, raycaster, found);
  raycaster.firstHitOnly = false;
  assert.equal(found.length, Math.min(all.length, 1));
  if (found.length) assert.ok(Math.abs(found[0].distance - all[0].distance) < 1e-5);
}
