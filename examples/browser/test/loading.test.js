import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

import { Scene, Tree, isLoaded, load } from 'hitscan';
import * as baker from 'hitscan/bake';
import * as rays from 'hitscan/rays';

import { level } from './level.js';

const dist = new URL('../dist/', import.meta.url);

/** Runs a module in a worker, and gives what it posts. */
function inWorker(code, workerData) {
  const url = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  return new Promise((resolve, reject) => {
    const worker = new Worker(url, { workerData });
    worker.on('message', resolve).on('error', reject);
  });
}

const asks = (entry) => `
  import { parentPort, workerData } from 'node:worker_threads';
  import { Tree, load } from '${new URL(`../${entry}.js`, import.meta.url)}';
  await load(workerData.source);
  const hit = Tree.open(workerData.bytes).closestHit([0, 5, 0], [0, -1, 0]);
  parentPort.postMessage([hit.t, hit.mesh]);
`;

test('before loading, every way in says what to call', () => {
  assert.equal(isLoaded(), false);
  const bytes = new Uint8Array(64);
  const calls = [
    [() => Tree.open(bytes), 'hitscan'],
    [() => Scene.open(bytes), 'hitscan'],
    [() => new Scene(), 'hitscan'],
    [() => rays.Tree.open(bytes), 'hitscan/rays'],
    [() => baker.bake([]), 'hitscan/bake'],
    [() => baker.bakeModel(bytes, 'glb'), 'hitscan/bake'],
  ];
  for (const [call, entry] of calls) {
    const message = `call "await load()" of '${entry}' first`;
    assert.throws(call, { name: 'HitscanError', code: 'not-loaded', message });
  }
});

test('a load that fails may be tried again', async () => {
  await assert.rejects(load(new Uint8Array(8)), WebAssembly.CompileError);
  await assert.rejects(load(/** @type {any} */ (7)), { code: 'argument' });
  const empty = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  await assert.rejects(load(empty), { code: 'argument', message: /another module/ });
  await assert.rejects(load(readFileSync(new URL('rays.wasm', dist))), { code: 'argument' });
  assert.equal(isLoaded(), false);
  await Promise.all([load(), load()]);
  assert.equal(isLoaded(), true);
});

test('bundlers find the modules by name', () => {
  for (const name of ['query', 'rays', 'bake', 'inspect']) {
    const url = import.meta.resolve(`hitscan/${name}.wasm`);
    assert.ok(WebAssembly.validate(readFileSync(new URL(url))), url);
  }
});

test('workers load modules, bytes, URLs, and what the package holds', async () => {
  const bytes = await level();
  await load();
  const hit = Tree.open(bytes).closestHit([0, 5, 0], [0, -1, 0]);
  for (const [entry, name] of [['hitscan', 'query'], ['rays', 'rays']]) {
    const wasm = readFileSync(new URL(`${name}.wasm`, dist));
    const url = `data:application/wasm;base64,${wasm.toString('base64')}`;
    for (const source of [new WebAssembly.Module(wasm), wasm, url, undefined]) {
      assert.deepEqual(await inWorker(asks(entry), { source, bytes }), [hit.t, hit.mesh]);
    }
  }
});
