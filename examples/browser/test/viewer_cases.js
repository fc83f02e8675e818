// The project's level, for the tests of the viewer, and what is seen in it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { bakeModel, load as loadBake } from '../bake.js';
import { Scene, Tree, load } from '../hitscan.js';

export const MODEL = fileURLToPath(new URL('../../../data/level.glb', import.meta.url));

/** In the courtyard: see `data/README.md`. The picture has 960 by 600 pixels. */
export const COURTYARD = '#eye=9.5,2.4,10.2&look=-41.6,-3.4';
export const EYE = '9.5,2.4,10.2';

/**
 * Pixels of this picture, the mesh that is seen there, and where to look so that it is at the
 * centre. `hitscan ray` of the command line gives the same names.
 */
export const PIXELS = /** @type {[number, number, string, string][]} */ ([
  [880, 120, 'library_wall_south/library_wall_south', '-1.272,13.781'],
  [120, 140, 'hall_arcade_east/hall_arcade_east', '-78.977,12.549'],
  [440, 200, 'tree_broad.001/tree_broad/1', '-46.434,8.724'],
  [500, 220, 'refectory_wall_south/refectory_wall_south', '-39.08,6.358'],
  [160, 240, 'cloister_roof/cloister_roof', '-76.112,3.248'],
  [660, 260, 'arcade_north/arcade_north', '-20.322,1.386'],
  [80, 320, 'terrain/terrain', '-82.578,-4.492'],
  [520, 320, 'fountain_bowl/fountain_bowl', '-36.568,-5.918'],
  [720, 320, 'boulder.003/boulder', '-13.995,-5.269'],
  [570, 350, 'fountain_basin/fountain_basin', '-30.426,-9.459'],
]);

/** Bakes the level, and makes a scene and a broken file of it, in a folder of its own. */
export async function makeFiles() {
  await Promise.all([load(), loadBake()]);
  const folder = mkdtempSync(join(tmpdir(), 'hitscan-viewer-'));
  const write = (/** @type {string} */ name, /** @type {Uint8Array} */ bytes) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const { bytes } = bakeModel(readFileSync(MODEL), 'glb');
  const scene = new Scene();
  const tree = Tree.open(bytes);
  scene.insert(tree, { name: 'here' });
  const aside = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 200, 0, 0, 1];
  scene.insert(tree, { name: 'there', transform: aside });
  scene.commit();
  const broken = bytes.slice();
  broken[broken.length >> 1] ^= 1;
  const files = {
    tree: write('level.hbvh', bytes),
    scene: write('two.hscn', scene.toBytes()),
    broken: write('broken.hbvh', broken),
    short: write('short.hbvh', bytes.slice(0, 40)),
    other: write('notes.txt', new TextEncoder().encode('no level')),
  };
  return { files, remove: () => rmSync(folder, { recursive: true }) };
}
