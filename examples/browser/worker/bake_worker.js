/**
 * Bakes in a worker: see `hitscan/worker`. Import this file in a worker of your own, or make a
 * worker of it.
 */

import { bake, bakeModel, load } from '../bake.js';

self.addEventListener('message', async ({ data }) => {
  if (data?.hitscan !== 'bake') return;
  const { id, meshes, bytes, format, options, tells } = data;
  const tell = (/** @type {any} */ answer, /** @type {Transferable[]} */ transfer = []) =>
    self.postMessage({ hitscan: 'bake', id, ...answer }, { transfer });
  const onProgress = tells ? (/** @type {number} */ done) => tell({ done }) : undefined;
  try {
    await load();
    const baked = meshes
      ? bake(meshes, { ...options, onProgress })
      : bakeModel(bytes, format, { ...options, onProgress });
    tell({ baked }, [baked.bytes.buffer]);
  } catch (error) {
    const { code = 'stopped', message } = /** @type {any} */ (error);
    tell({ error: { code, message } });
  }
});
