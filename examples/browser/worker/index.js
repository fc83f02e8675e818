import { HitscanError } from '../src/error.js';

/**
 * A bake that a worker is at.
 *
 * @typedef {object} Job
 * @property {(baked: import('../bake.js').Baked) => void} resolve
 * @property {(error: unknown) => void} reject
 * @property {((done: number) => void) | undefined} onProgress
 */

/** The page's side of a worker. */
class Desk {
  #jobs = /** @type {Map<number, Job>} */ (new Map());
  #nextId = 0;
  #hasAnswered = false;
  #failure = /** @type {HitscanError | null} */ (null);

  /** @param {Worker} worker */
  constructor(worker) {
    this.worker = worker;
    worker.addEventListener('message', ({ data }) => {
      if (data?.hitscan === 'bake') this.#answered(data);
    });
    worker.addEventListener('error', (event) => this.#failed(event));
  }

  /**
   * @param {object} request
   * @param {any} options
   * @param {Transferable[]} transfer
   * @returns {Promise<import('../bake.js').Baked>}
   */
  ask(request, { onProgress, ...options }, transfer) {
    return new Promise((resolve, reject) => {
      if (this.#failure) throw this.#failure;
      const id = this.#nextId++;
      const tells = Boolean(onProgress);
      const message = { hitscan: 'bake', id, ...request, options, tells };
      this.worker.postMessage(message, { transfer });
      this.#jobs.set(id, { resolve, reject, onProgress });
    });
  }

  /** @param {any} answer */
  #answered({ id, done, baked, error }) {
    this.#hasAnswered = true;
    const job = this.#jobs.get(id);
    if (!job) return;
    try {
      if (done !== undefined) return job.onProgress?.(done);
      if (error) throw new HitscanError(error.code, error.message);
      job.resolve(baked);
    } catch (thrown) {
      job.reject(thrown);
    }
    this.#jobs.delete(id);
  }

  /**
   * A worker that fails before its first answer has not started. Later errors are of other code in
   * it: a bake answers for its own.
   *
   * @param {ErrorEvent} event
   */
  #failed({ message }) {
    if (this.#hasAnswered) return;
    const reason = message ? `: ${message}` : '';
    this.#failure = new HitscanError('stopped', `the worker did not start${reason}`);
    for (const { reject } of this.#jobs.values()) reject(this.#failure);
    this.#jobs.clear();
  }
}

const desks = /** @type {WeakMap<Worker, Desk>} */ (new WeakMap());

/** @param {Worker} worker */
function deskOf(worker) {
  const desk = desks.get(worker) ?? new Desk(worker);
  desks.set(worker, desk);
  return desk;
}

/**
 * @param {Worker} worker
 * @param {readonly import('../bake.js').MeshInput[]} meshes
 * @param {any} [options]
 */
export function bakeInWorker(worker, meshes, { arrays = 'copy', ...options } = {}) {
  const transfer = new Set(arrays === 'transfer' ? meshes.flatMap(buffersOf) : []);
  return deskOf(worker).ask({ meshes }, options, [...transfer]);
}

/** @param {import('../bake.js').MeshInput} mesh */
function buffersOf({ positions, indices, materials }) {
  return [positions, indices, materials].flatMap((array) => (array ? [array.buffer] : []));
}

/**
 * @param {Worker} worker
 * @param {ArrayBuffer | ArrayBufferView} bytes
 * @param {import('../bake.js').ModelFormat} format
 * @param {any} [options]
 */
export function bakeModelInWorker(worker, bytes, format, { arrays = 'copy', ...options } = {}) {
  const buffer = ArrayBuffer.isView(bytes) ? bytes.buffer : bytes;
  const transfer = arrays === 'transfer' ? [/** @type {ArrayBuffer} */ (buffer)] : [];
  return deskOf(worker).ask({ bytes, format }, options, transfer);
}
