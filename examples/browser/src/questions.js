import { ClosestPointBatch } from './batches.js';
import { facingOf, filtered, maskOf } from './options.js';
import { xOf, yOf, zOf } from './point.js';
import { RayQuestions } from './ray_questions.js';
import {
  ClosestPoint,
  Contact,
  Overlap,
  readClosestPoint,
  readContact,
  readOverlap,
  readRows,
} from './rows.js';
import { writeShape } from './shape.js';

/** Questions about rays, points and shapes, to a tree or a scene. */
export class Questions extends RayQuestions {
  /** @type {(point: any, options?: any, out?: ClosestPoint) => ClosestPoint | null} */
  closestPoint(point, options, out) {
    const module = this._module;
    const ask = module.exports.closest_point;
    const distance = options?.maxDistance ?? Infinity;
    if (module.answer(this.#near(ask, point, distance, options)) === 0) return null;
    const near = out ?? new ClosestPoint();
    readClosestPoint(near, module, module.block, this._scene);
    return near;
  }

  /** @type {(points: Float32Array, options?: any, out?: ClosestPointBatch) => ClosestPointBatch} */
  closestPointBatch(points, options, out = new ClosestPointBatch()) {
    const distance = options?.maxDistance ?? Infinity;
    const count = this._askMany('closest_point_batch', points, 3, options, [distance]);
    out._read(this._module, count);
    this._module.release(points.byteLength);
    return out;
  }

  /** @type {(point: any, distance: number, options?: any) => boolean} */
  anyWithin(point, distance, options) {
    const module = this._module;
    return module.answer(this.#near(module.exports.any_within, point, distance, options)) === 1;
  }

  /**
   * @param {any} point
   * @param {number} distance
   * @param {any} [options]
   * @param {ClosestPoint[]} [out]
   */
  allWithin(point, distance, options, out = []) {
    const module = this._module;
    const count = module.answer(this.#near(module.exports.all_within, point, distance, options));
    return readRows(module, count, ClosestPoint, readClosestPoint, this._scene, out);
  }

  /**
   * Calls an export with a point.
   *
   * @param {Function} ask
   * @param {any} point
   * @param {number} distance
   * @param {any} options
   */
  #near(ask, point, distance, options) {
    if (options) return this.#nearWith(ask, point, distance, options);
    try {
      return ask(this._handle, xOf(point), yOf(point), zOf(point), distance, 0, -1, 0);
    } catch (error) {
      throw this._module.stopped(error);
    }
  }

  /**
   * The same with options.
   *
   * @param {Function} ask
   * @param {any} point
   * @param {number} distance
   * @param {any} options
   */
  #nearWith(ask, point, distance, options) {
    const module = this._module;
    return filtered(module, this._scene, options, (filter) => {
      const [x, y, z] = [xOf(point), yOf(point), zOf(point)];
      const [facing, mask] = [facingOf(options), maskOf(options)];
      try {
        return ask(this._handle, x, y, z, distance, facing, mask, filter);
      } catch (error) {
        throw module.stopped(error);
      }
    });
  }

  /** @type {(shape: any, options?: any) => boolean} */
  anyOverlap(shape, options) {
    return this.#askShape('any_overlap', shape, options, []) === 1;
  }

  /** @type {(shape: any, options?: any, out?: Overlap[]) => Overlap[]} */
  allOverlaps(shape, options, out = []) {
    const count = this.#askShape('all_overlaps', shape, options, []);
    return readRows(this._module, count, Overlap, readOverlap, this._scene, out);
  }

  /** @type {(shape: any, motion: any, options?: any, out?: Contact) => Contact | null} */
  firstContact(shape, motion, options, out) {
    const way = [xOf(motion), yOf(motion), zOf(motion)];
    if (this.#askShape('first_contact', shape, options, way) === 0) return null;
    const contact = out ?? new Contact();
    readContact(contact, this._module, this._module.block, this._scene);
    return contact;
  }

  /** @type {(shape: any, motion: any, options?: any, out?: Contact[]) => Contact[]} */
  allContacts(shape, motion, options, out = []) {
    const way = [xOf(motion), yOf(motion), zOf(motion)];
    const count = this.#askShape('all_contacts', shape, options, way);
    return readRows(this._module, count, Contact, readContact, this._scene, out);
  }

  /** @type {(shape: any, options?: any, out?: Contact[]) => Contact[]} */
  penetrations(shape, options, out = []) {
    const count = this.#askShape('penetrations', shape, options, []);
    return readRows(this._module, count, Contact, readContact, this._scene, out);
  }

  /**
   * Calls an export with a shape.
   *
   * @param {string} name
   * @param {any} shape
   * @param {any} options
   * @param {number[]} numbers that the export takes before the options
   */
  #askShape(name, shape, options, numbers) {
    const module = this._module;
    module.check();
    writeShape(module, shape);
    return filtered(module, this._scene, options, (filter) =>
      module.call(name, this._handle, ...numbers, facingOf(options), maskOf(options), filter),
    );
  }
}
