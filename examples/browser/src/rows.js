import { Vector, readVector } from './point.js';

/** In rows and in the arrays of a batch: no mesh, no material, no instance. */
export const NONE = 0xffffffff;

/**
 * @template T
 * @typedef {(to: T, module: import('./module.js').Module, at: number, scene: any) => void} Read
 */

/** Words of a row in a list: see `wasm/query/src/row.rs`. */
export const ROW = 20;

const FEATURES = ['face', 'edge0', 'edge1', 'edge2', 'vertex0', 'vertex1', 'vertex2'];

/** A triangle that was found. */
export class TriangleHit {
  t = 0;
  u = 0;
  v = 0;
  front = true;
  mesh = 0;
  triangle = 0;
  material = /** @type {number | null} */ (null);
  instance = /** @type {any} */ (null);
}

/** Where a ray hits. */
export class Hit extends TriangleHit {
  point = new Vector();
  normal = new Vector();
}

/** The closest point of a triangle. */
export class ClosestPoint extends TriangleHit {
  distance = 0;
  point = new Vector();
  feature = FEATURES[0];
}

/** A triangle that a shape touches. */
export class Overlap extends TriangleHit {
  inside = false;
}

/** Where a shape that moves touches a triangle. */
export class Contact extends TriangleHit {
  point = new Vector();
  normal = new Vector();
  faceNormal = new Vector();
  feature = FEATURES[0];
  depth = 0;
}

/**
 * Reads the part of a row that all answers have.
 *
 * @param {TriangleHit} hit
 * @param {import('./module.js').Module} module
 * @param {number} at the row's first word
 * @param {any} scene that was asked, or null
 */
export function readTriangleHit(hit, { f32, u32 }, at, scene) {
  hit.t = f32[at];
  hit.u = f32[at + 1];
  hit.v = f32[at + 2];
  hit.front = u32[at + 3] === 1;
  hit.mesh = u32[at + 4];
  hit.triangle = u32[at + 5];
  hit.material = u32[at + 6] === NONE ? null : u32[at + 6];
  hit.instance = scene === null ? null : scene._instanceOf(u32[at + 7], u32[at + 8]);
}

/** @type {Read<Hit>} */
export function readHit(hit, module, at, scene) {
  readTriangleHit(hit, module, at, scene);
  readVector(hit.point, module.f32, at + 9);
  readVector(hit.normal, module.f32, at + 12);
}

/** @type {Read<ClosestPoint>} */
export function readClosestPoint(near, module, at, scene) {
  readTriangleHit(near, module, at, scene);
  readVector(near.point, module.f32, at + 9);
  near.feature = FEATURES[module.u32[at + 18]];
  near.distance = module.f32[at + 19];
}

/** @type {Read<Overlap>} */
export function readOverlap(overlap, module, at, scene) {
  readTriangleHit(overlap, module, at, scene);
  overlap.inside = module.u32[at + 9] === 1;
}

/** @type {Read<Contact>} */
export function readContact(contact, module, at, scene) {
  readTriangleHit(contact, module, at, scene);
  readVector(contact.point, module.f32, at + 9);
  readVector(contact.normal, module.f32, at + 12);
  readVector(contact.faceNormal, module.f32, at + 15);
  contact.feature = FEATURES[module.u32[at + 18]];
  contact.depth = module.f32[at + 19];
}

/**
 * Reads the rows of the last output into a list, whose objects are used again.
 *
 * @template T
 * @param {import('./module.js').Module} module
 * @param {number} count
 * @param {new () => T} Answer
 * @param {Read<T>} read
 * @param {any} scene
 * @param {T[]} out
 */
export function readRows(module, count, Answer, read, scene, out) {
  const start = count && module.outputAddress() >>> 2;
  for (let i = 0; i < count; i++) {
    read((out[i] ??= new Answer()), module, start + i * ROW, scene);
  }
  out.length = count;
  module.release(count * ROW * 4);
  return out;
}
