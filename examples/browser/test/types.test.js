// Compiles `types.ts`, which uses the hand-written types.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

test('the types are those that a user of three.js needs', () => {
  const compiler = here('../node_modules/typescript/bin/tsc');
  const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', here('tsconfig.json')]);
  assert.equal(status, 0, String(stdout));
});
