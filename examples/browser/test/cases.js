/** The native cases, which `wasm/cases` writes. They are written once for all tests. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));
const target = process.env.HITSCAN_BROWSER_TARGET ?? join(folder, 'target');

/** The number of questions: more of them with `HITSCAN_LONG`. */
const COUNT = 24 * Number(process.env.HITSCAN_LONG ?? 1);

/** The path of the model that the cases are made of. */
export const model = join(folder, '../../data/level.glb');

let written = '';

/** The bytes of a file of the cases. */
export function file(name) {
  if (!written) {
    const cargo = ['run', '--release', '--quiet', '--package', 'cases'];
    const made = mkdtempSync(join(tmpdir(), 'hitscan-cases-'));
    process.on('exit', () => rmSync(made, { recursive: true, force: true }));
    execFileSync('cargo', [...cargo, '--target-dir', target, '--', made, model, String(COUNT)], {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    written = made;
  }
  return readFileSync(join(written, name));
}

/** The same as numbers. */
export function numbers(name) {
  const { buffer, byteOffset, length } = file(name);
  return new Float32Array(buffer.slice(byteOffset, byteOffset + length));
}

/** The same as words. */
export function words(name) {
  return new Uint32Array(numbers(name).buffer);
}
