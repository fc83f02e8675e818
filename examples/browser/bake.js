import packed from './dist/bake.js';
import { refuse } from './src/error.js';
import { addMesh } from './src/mesh_input.js';
import { Module } from './src/module.js';

export { HitscanError } from './src/error.js';

const QUALITIES = ['fast', 'balanced', 'best'];
const FORMATS = ['glb', 'obj', 'ply', 'stl', 'off'];

const utf8 = new TextEncoder();

/** What the bake that is going on tells about its progress. */
let onProgress = /** @type {((done: number) => void) | undefined} */ (undefined);

const module = new Module('hitscan/bake', packed, 'bake_model', {
  progress(done) {
    onProgress?.(done);
    return 1;
  },
});

/** @param {import('./hitscan.js').ModuleSource} [source] */
export function load(source) {
  return module.load(source);
}

export function isLoaded() {
  return module.isLoaded;
}

/** @type {(meshes: readonly any[], options?: any) => import('./bake.js').Baked} */
export function bake(meshes, options = {}) {
  return run(options, (numbers) => {
    for (const mesh of meshes) addMesh(module, mesh);
    for (const name of options.materialNames ?? []) {
      module.input(utf8.encode(name));
      module.call('add_material_name');
    }
    module.call('bake', ...numbers);
  });
}

/** @type {(bytes: any, format: string, options?: any) => import('./bake.js').Baked} */
export function bakeModel(bytes, format, options = {}) {
  const number = FORMATS.indexOf(format);
  if (number < 0) refuse(`the format of a model is one of ${FORMATS.join(', ')}`);
  return run(options, (numbers) => {
    module.input(bytes);
    module.call('bake_model', number, ...numbers);
  });
}

/**
 * Bakes. Of the memory only the answer is left afterwards.
 *
 * @param {import('./bake.js').BakeOptions} options
 * @param {(numbers: number[]) => void} start
 */
function run({ quality = 'balanced', badTriangles = 'refuse', userData, onProgress: tell }, start) {
  module.check();
  if (onProgress) refuse('a bake cannot begin inside of onProgress');
  if (!QUALITIES.includes(quality)) refuse(`quality is one of ${QUALITIES.join(', ')}`);
  if (!['refuse', 'skip'].includes(badTriangles)) refuse("badTriangles is 'refuse' or 'skip'");
  onProgress = tell;
  try {
    if (userData) {
      module.input(userData);
      module.call('set_user_data');
    }
    start([QUALITIES.indexOf(quality), Number(badTriangles === 'skip'), Number(Boolean(tell))]);
    const [triangles, skipped] = module.u32.subarray(module.block, module.block + 2);
    return { bytes: module.outputBytes(), triangles, skipped };
  } finally {
    onProgress = undefined;
    module.release(Infinity);
  }
}
