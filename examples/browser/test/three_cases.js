// Random geometries, places and rays for the tests of `hitscan/three`.

import * as THREE from 'three';

let state = 1;

/** A number from 0 to 1, the same in each run. */
export function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
}

/** @param {number} size */
function around(size) {
  return (random() - 0.5) * 2 * size;
}

/** @param {any} ray through the middle, from a few units away */
export function randomRay(ray) {
  ray.origin.set(around(1), around(1), around(1)).normalize().multiplyScalar(8);
  const target = new THREE.Vector3(around(2), around(2), around(2));
  ray.direction.subVectors(target, ray.origin).normalize();
}

/** Turned, moved, stretched along each axis, and mirrored at times. */
export function randomMatrix() {
  const turn = new THREE.Quaternion(around(1), around(1), around(1), around(1)).normalize();
  const stretch = () => (0.5 + random()) * (random() < 0.3 ? -1 : 1);
  return new THREE.Matrix4().compose(
    new THREE.Vector3(around(1), around(1), around(1)),
    turn,
    new THREE.Vector3(stretch(), stretch(), stretch()),
  );
}

/**
 * Triangles in no order, with normals and two sets of texture coordinates.
 *
 * @param {'indexed' | 'plain' | 'interleaved' | 'packed'} kind
 * @param {number} [triangles]
 */
export function randomGeometry(kind, triangles = 60) {
  const geometry = new THREE.BufferGeometry();
  const isIndexed = kind !== 'plain';
  const vertices = isIndexed ? 2 * triangles : 3 * triangles;
  const numbers = (/** @type {number} */ size, /** @type {number} */ reach) =>
    Float32Array.from({ length: size * vertices }, () => around(reach));
  geometry.setAttribute('position', positions(kind, numbers, vertices));
  geometry.setAttribute('normal', new THREE.BufferAttribute(numbers(3, 1), 3));
  geometry.setAttribute('uv', new THREE.BufferAttribute(numbers(2, 1), 2));
  geometry.setAttribute('uv1', new THREE.BufferAttribute(numbers(2, 1), 2));
  if (isIndexed) {
    const any = () => Math.floor(random() * vertices);
    const Type = kind === 'packed' ? Uint16Array : Uint32Array;
    geometry.setIndex(new THREE.BufferAttribute(Type.from({ length: 3 * triangles }, any), 1));
  }
  return geometry;
}

/** @type {(kind: string, numbers: Function, vertices: number) => any} */
function positions(kind, numbers, vertices) {
  if (kind === 'interleaved') {
    return new THREE.InterleavedBufferAttribute(
      new THREE.InterleavedBuffer(numbers(5, 3), 5), 3, 2,
    );
  }
  if (kind === 'packed') {
    // Whole numbers that stand for -1 to 1.
    const packed = Int16Array.from(numbers(3, 32767));
    return new THREE.BufferAttribute(packed, 3, true);
  }
  return new THREE.BufferAttribute(numbers(3, 3), 3);
}
