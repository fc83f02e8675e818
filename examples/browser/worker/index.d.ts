/**
 * Bakes in a worker that the caller makes, so that the page does not stand still.
 *
 * ```js
 * // bake_worker.js
 * import 'hitscan/bake-worker';
 *
 * // page.js
 * import { bakeInWorker } from 'hitscan/worker';
 *
 * const worker = new Worker(new URL('./bake_worker.js', import.meta.url), { type: 'module' });
 * const { bytes } = await bakeInWorker(worker, [{ name: 'floor', positions, indices }]);
 * ```
 *
 * One worker bakes one after the other. What a bake throws, the promise is rejected with. So it is
 * if the worker does not start, unless it had failed before the first call: ask a worker soon after
 * it is made. A worker that is terminated leaves its promises open.
 */

import type { Baked, BakeOptions, MeshInput, ModelFormat } from '../bake.js';

/** How arrays get into the worker. */
export interface ArrayOptions {
  /**
   * `'transfer'` moves them, which is faster: the caller's arrays are empty afterwards. So are
   * other arrays of the same buffers. Default: `'copy'`.
   */
  arrays?: 'copy' | 'transfer';
}

/**
 * `bake` of `hitscan/bake`, in a worker. What `onProgress` throws, the promise is rejected with;
 * the bake itself goes on to its end.
 */
export function bakeInWorker(
  worker: Worker,
  meshes: readonly MeshInput[],
  options?: BakeOptions & ArrayOptions,
): Promise<Baked>;

/** `bakeModel` of `hitscan/bake`, in a worker. */
export function bakeModelInWorker(
  worker: Worker,
  bytes: ArrayBuffer | ArrayBufferView,
  format: ModelFormat,
  options?: Omit<BakeOptions, 'materialNames'> & ArrayOptions,
): Promise<Baked>;
