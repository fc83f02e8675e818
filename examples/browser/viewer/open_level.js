import { Scene, Tree, load } from '../hitscan.js';
import { bakeModelInWorker } from '../worker/index.js';

/**
 * A level that questions can be asked of.
 *
 * @typedef {object} Level
 * @property {any} questions a tree or a scene
 * @property {any} inspector of a tree, once it was asked for: see `inspectorOf`
 * @property {ArrayBuffer | Uint8Array<ArrayBuffer> | null} bytes of a tree
 * @property {string} name of the file
 * @property {string} summary what it holds, in a few words
 */

/** How files of each kind begin. */
const KINDS = [
  { kind: 'tree', start: '\x89HBVH' },
  { kind: 'scene', start: '\x89HSCN' },
  { kind: 'glb', start: 'glTF' },
];

/** Models without a beginning of their own are told by the end of their name. */
const MODELS = ['glb', 'obj', 'ply', 'stl', 'off'];

/**
 * Opens the bytes of a baked file, or bakes a model.
 *
 * @param {ArrayBuffer} bytes
 * @param {string} name of the file
 * @param {(done: number) => void} onProgress
 * @returns {Promise<Level>}
 */
export async function openLevel(bytes, name, onProgress) {
  await load();
  const kind = kindOf(bytes, name);
  if (kind === 'scene') {
    const scene = Scene.open(bytes);
    const count = scene.instances().length;
    const summary = counted(count, 'instance');
    return { questions: scene, inspector: null, bytes: null, name, summary };
  }
  const baked = kind === 'tree' ? bytes : (await bakeModel(bytes, kind, onProgress)).bytes;
  const tree = Tree.open(baked);
  const meshes = counted(tree.meshCount, 'mesh', 'meshes');
  const summary = `${meshes}, ${counted(tree.triangleCount, 'triangle')}`;
  return { questions: tree, inspector: null, bytes: baked, name, summary };
}

/**
 * Frees the memory of a level.
 *
 * @param {Level | null} level
 */
export function closeLevel(level) {
  if (!level) return;
  level.questions.dispose();
  level.inspector?.dispose();
  level.bytes = null;
}

/**
 * @param {ArrayBuffer} bytes
 * @param {any} format
 * @param {(done: number) => void} onProgress
 */
async function bakeModel(bytes, format, onProgress) {
  const url = new URL('../worker/bake_worker.js', import.meta.url);
  // Each model gets a new one, because the memory of a module never shrinks.
  const worker = new Worker(url, { type: 'module' });
  try {
    const options = { onProgress, badTriangles: /** @type {const} */ ('skip') };
    return await bakeModelInWorker(worker, bytes, format, options);
  } finally {
    worker.terminate();
  }
}

/**
 * @param {ArrayBuffer} bytes
 * @param {string} name
 */
function kindOf(bytes, name) {
  const start = String.fromCharCode(...new Uint8Array(bytes, 0, Math.min(8, bytes.byteLength)));
  const known = KINDS.find((each) => start.startsWith(each.start));
  if (known) return known.kind;
  const extension = name.split('.').pop()?.toLowerCase() ?? '';
  // A damaged file is opened by its name, so that the message says what is wrong with it.
  if (extension === 'hbvh') return 'tree';
  if (extension === 'hscn') return 'scene';
  if (MODELS.includes(extension)) return extension;
  throw new Error('this is none of .hbvh, .hscn, .glb, .obj, .ply, .stl and .off');
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
