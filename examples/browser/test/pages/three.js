// A page as a user of three.js would write it: a tree for a mesh that moves, and picking.

import { Tree, load } from 'hitscan';
import { bake, load as loadBake } from 'hitscan/bake';
import { acceleratedRaycast, geometryInput } from 'hitscan/three';
import { bakeInWorker, bakeModelInWorker } from 'hitscan/worker';
import * as THREE from 'three';

const renderer = new THREE.WebGLRenderer({ canvas: document.querySelector('canvas') });
const camera = new THREE.PerspectiveCamera(50, 640 / 400, 0.1, 100);
camera.position.set(0, 0, 10);
const scene = new THREE.Scene();
scene.background = new THREE.Color(0xdfe5ec);
scene.add(new THREE.HemisphereLight(0xffffff, 0x445566, 3));

await Promise.all([load(), loadBake()]);
const geometry = new THREE.TorusKnotGeometry(1.5, 0.5, 200, 32);
geometry.hitscan = Tree.open(bake([geometryInput(geometry)]).bytes);
const knot = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color: 0x4f83cc }));
knot.name = 'knot';
knot.raycast = acceleratedRaycast;
scene.add(knot);

const raycaster = new THREE.Raycaster();
raycaster.firstHitOnly = true;
const marker = new THREE.Mesh(
  new THREE.SphereGeometry(0.12),
  new THREE.MeshBasicMaterial({ color: 0xff9628 }),
);

/** What is at a pixel: by the tree, and by three alone. */
function pick(x, y) {
  scene.updateMatrixWorld();
  raycaster.setFromCamera(new THREE.Vector2((x / 640) * 2 - 1, 1 - (y / 400) * 2), camera);
  const [ours] = raycaster.intersectObject(knot);
  const theirs = [];
  THREE.Mesh.prototype.raycast.call(knot, raycaster, theirs);
  theirs.sort((a, b) => a.distance - b.distance);
  if (ours) scene.add(marker);
  if (ours) marker.position.copy(ours.point);
  renderer.render(scene, camera);
  return [ours, theirs[0]].map(
    (hit) => hit && { faceIndex: hit.faceIndex, distance: hit.distance },
  );
}

function moveTo(x, y, z) {
  knot.position.set(x, y, z);
  knot.rotation.set(0.5, 0.7, 0);
}

/** Bakes a geometry in a worker. Gives whether the bytes are as in the page, and the progress. */
async function bakeAside(url) {
  const worker = new Worker(url, { type: 'module' });
  const steps = [];
  const { bytes, triangles } = await bakeInWorker(worker, [geometryInput(geometry)], {
    onProgress: (done) => steps.push(done),
  });
  const here = bake([geometryInput(geometry)]).bytes;
  const isSame = bytes.length === here.length && bytes.every((byte, i) => byte === here[i]);
  const isKept = geometry.attributes.position.array.length > 0;

  const copy = geometry.clone();
  await bakeInWorker(worker, [geometryInput(copy)], { arrays: 'transfer' });
  const isMoved = copy.attributes.position.array.length === 0;

  const failures = await Promise.allSettled([
    bakeInWorker(worker, [{ positions: new Float32Array([0, 0, NaN, 1, 0, 0, 0, 1, 0]) }]),
    bakeModelInWorker(worker, new Uint8Array(8), 'glb'),
  ]);
  const errors = failures.map(({ reason }) => [reason?.name, reason?.code, reason?.message]);
  const again = await bakeInWorker(worker, [geometryInput(geometry)]);
  worker.terminate();
  return { triangles, isSame, isKept, isMoved, steps, errors, again: again.bytes.length };
}

/** What a bake says in a worker whose file is missing, twice. */
async function bakeNowhere() {
  const worker = new Worker('missing.js', { type: 'module' });
  const ask = () => bakeInWorker(worker, [geometryInput(geometry)]).catch((error) => error.code);
  return [await ask(), await ask()];
}

pick(320, 200);
Object.assign(window, { pick, moveTo, bakeAside, bakeNowhere, isReady: true });
