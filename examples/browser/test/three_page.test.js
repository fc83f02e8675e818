// A page with three.js in a browser: picking, moving, baking in a worker.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { chromiumForTests, skip } from './chromium.js';

const chromium = chromiumForTests({ webgl: 'with' });

async function open() {
  const opened = await chromium.open('/test/pages/three.html', { width: 640, height: 400 });
  await opened.page.waitForFunction('window.isReady', { timeout: 60_000 });
  return opened;
}

/** @param {any} page @param {string} call */
function ask(page, call) {
  return page.evaluate(call);
}

test('picks a mesh, moves it, and picks again', { skip }, async () => {
  const { page, strangers, errors } = await open();
  const same = ([ours, theirs]) => {
    assert.equal(ours.faceIndex, theirs.faceIndex);
    assert.ok(Math.abs(ours.distance - theirs.distance) < 1e-4);
    return ours;
  };
  const before = same(await ask(page, 'pick(250, 170)'));
  assert.deepEqual(await ask(page, 'pick(560, 350)'), [null, null]);
  await ask(page, 'moveTo(2.5, -1.6, 1)');
  assert.deepEqual(await ask(page, 'pick(250, 170)'), [null, null]);
  const after = same(await ask(page, 'pick(490, 250)'));
  assert.notEqual(after.faceIndex, before.faceIndex);
  await chromium.picture(page, 'three');
  assert.deepEqual(strangers, []);
  assert.deepEqual(errors.filter((text) => !/WebGL|GPU/.test(text)), []);
});

for (const url of ['../../worker/bake_worker.js', 'own_worker.js']) {
  test(`bakes in the worker ${url}`, { skip }, async () => {
    const { page, strangers } = await open();
    const baked = await ask(page, `bakeAside('${url}')`);
    assert.equal(baked.triangles, 2 * 200 * 32);
    assert.ok(baked.isSame, 'the worker bakes the same bytes');
    assert.ok(baked.isKept && baked.isMoved, 'arrays are copied, or moved where asked');
    assert.ok(baked.steps.length > 1);
    assert.ok(baked.steps.every((done, i) => done >= (baked.steps[i - 1] ?? 0) && done <= 1));
    const [notFinite, noModel] = baked.errors;
    assert.deepEqual(notFinite.slice(0, 2), ['HitscanError', 'bake']);
    assert.equal(noModel[0], 'HitscanError');
    for (const [, , message] of baked.errors) assert.match(message, /^.+$/);
    assert.ok(baked.again > 0, 'and it goes on');
    assert.deepEqual(strangers, []);
  });
}

test('says that a worker did not start', { skip }, async () => {
  const { page } = await open();
  assert.deepEqual(await ask(page, 'bakeNowhere()'), ['stopped', 'stopped']);
});
