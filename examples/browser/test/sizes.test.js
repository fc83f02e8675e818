import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { MODULES } from '../build/modules.js';

const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url));

test('no module is larger than sizes.json says, nor much smaller', () => {
  const sizes = JSON.parse(read('sizes.json').toString());
  assert.deepEqual(Object.keys(sizes), MODULES.map(({ name }) => name));
  for (const [name, kilobytes] of Object.entries(sizes)) {
    const found = gzipSync(read(`dist/${name}.wasm`), { level: 9 }).length / 1000;
    assert.ok(found <= kilobytes, `${name}: ${found} KB compressed, at most ${kilobytes}`);
    assert.ok(found > 0.9 * kilobytes, `${name}: only ${found} KB compressed: lower sizes.json`);
  }
});

test('the package holds the modules, compressed', async () => {
  for (const { name } of MODULES) {
    const { default: packed } = await import(`../dist/${name}.js`);
    const { unpack } = await import('../src/source.js');
    assert.ok(Buffer.from(await unpack(packed)).equals(read(`dist/${name}.wasm`)), name);
    assert.ok(statSync(new URL(`../dist/${name}.js`, import.meta.url)).size < 700_000);
  }
});
