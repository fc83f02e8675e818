/** Levels for tests that need no native answers. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import * as baker from 'hitscan/bake';

/** The bytes of the project's own level, baked. */
export async function level() {
  await baker.load();
  const model = fileURLToPath(new URL('../../../data/level.glb', import.meta.url));
  return baker.bakeModel(readFileSync(model), 'glb').bytes;
}

/** The bytes of a square in the plane of `z`, from -1 to 1, front towards +z, named. */
export async function square(z = 0, mesh = {}) {
  await baker.load();
  const positions = Float32Array.of(-1, -1, z, 1, -1, z, 1, 1, z, -1, 1, z);
  const indices = Uint16Array.of(0, 1, 2, 0, 2, 3);
  return baker.bake([{ positions, indices, name: 'square', ...mesh }]).bytes;
}
