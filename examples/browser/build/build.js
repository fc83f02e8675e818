/**
 * Builds the modules into `dist/`: for each a `.wasm` file, and a `.js` file with the same bytes,
 * compressed, in a string. `node build/build.js rays` builds one of them.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { MODULES } from './modules.js';

const folder = fileURLToPath(new URL('..', import.meta.url));
const target = process.env.HITSCAN_BROWSER_TARGET ?? join(folder, 'target');
const optimizer = join(folder, 'node_modules/binaryen/bin/wasm-opt');

/** What `wasm-opt` may use: what Rust's target has, and vectors. */
const FEATURES = [
  'bulk-memory',
  'multivalue',
  'mutable-globals',
  'nontrapping-float-to-int',
  'reference-types',
  'sign-ext',
  'simd',
];

/** @param {{ name: string, crate: string, features: string[], profile: string }} module */
function build({ name, crate, features, profile }) {
  const cargo = ['build', '--profile', profile, '--package', crate];
  cargo.push('--no-default-features', '--features', features.join(','));
  cargo.push('--target', 'wasm32-unknown-unknown');
  execFileSync('cargo', [...cargo, '--target-dir', target], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, RUSTFLAGS: '-C target-feature=+simd128' },
  });
  const built = join(target, `wasm32-unknown-unknown/${profile}/${crate}.wasm`);
  const optimized = join(folder, `dist/${name}.wasm`);
  const enabled = FEATURES.map((feature) => `--enable-${feature}`);
  const strip = ['--strip-producers', '--strip-target-features'];
  const flags = ['-O3', ...enabled, ...strip];
  const command = [optimizer, ...flags, built, '-o', optimized];
  execFileSync(process.execPath, command, { stdio: 'inherit' });
  const wasm = readFileSync(optimized);
  const packed = gzipSync(wasm, { level: 9 });
  const text = `export default '${packed.toString('base64')}';\n`;
  writeFileSync(join(folder, `dist/${name}.js`), text);
  console.log(`${name}: ${wasm.length} bytes, ${packed.length} compressed`);
}

mkdirSync(join(folder, 'dist'), { recursive: true });
const wanted = process.argv.slice(2);
for (const module of MODULES) {
  if (wanted.length === 0 || wanted.includes(module.name)) build(module);
}
