// The viewer in a browser without a graphics card: mouse, keyboard, touch, files, links.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { chromiumForTests, skip } from './chromium.js';
import { COURTYARD, EYE, MODEL, PIXELS, makeFiles } from './viewer_cases.js';

const chromium = chromiumForTests();
/** @type {any} */
let made;

before(async () => {
  if (!skip) made = await makeFiles();
});
after(() => made?.remove());

/** @param {any} page @param {string} id */
function textOf(page, id) {
  return page.$eval(`#${id}`, (/** @type {any} */ found) => found.textContent);
}

/** Waits until an element says something. @type {(page: any, id: string, text: string) => any} */
async function until(page, id, text) {
  const says = (/** @type {string} */ id, /** @type {string} */ text) =>
    document.getElementById(id)?.textContent === text;
  try {
    await page.waitForFunction(says, { timeout: 20_000 }, id, text);
  } catch {
    assert.fail(`#${id} says "${await textOf(page, id)}", not "${text}"`);
  }
}

/** The viewer with an open file. @type {(file: string, view?: string, look?: any) => any} */
async function viewer(file, view = '', look = {}) {
  const opened = await chromium.open(`/viewer/index.html${view}`, look);
  await choose(opened.page, file);
  await opened.page.waitForSelector('#panel:not([hidden])', { timeout: 60_000 });
  return opened;
}

/** @param {any} page @param {string} file */
async function choose(page, file) {
  await (await page.$('#chooser')).uploadFile(file);
}

/** Waits until the address has another view, and gives its numbers. @param {any} page */
async function nextView(page, before = '') {
  /** @type {(before: string) => boolean} */
  const isNew = (before) => location.hash.length > 1 && location.hash !== before;
  await page.waitForFunction(isNew, { timeout: 20_000 }, before);
  const hash = await page.evaluate(() => location.hash);
  const parts = new URLSearchParams(hash.slice(1));
  const numbers = (/** @type {string} */ name) => (parts.get(name) ?? '').split(',').map(Number);
  return { hash, eye: numbers('eye'), look: numbers('look') };
}

/** @param {any} page @param {string} hash */
function goTo(page, hash) {
  return page.evaluate((/** @type {string} */ hash) => (location.hash = hash), hash);
}

/** @param {any} opened */
async function closeQuietly({ page, strangers, errors }) {
  await page.close();
  assert.deepEqual(strangers, [], 'nothing is asked of other servers');
  assert.deepEqual(errors, []);
}

test('names ten meshes under the mouse', { skip }, async () => {
  const opened = await viewer(made.files.tree, COURTYARD);
  const { page } = opened;
  assert.equal(await textOf(page, 'file-summary'), '1,709 meshes, 149,744 triangles');
  const box = await (await page.$('#panel')).boundingBox();
  for (const [x, y, mesh] of PIXELS) {
    await page.mouse.move(x + 0.5, y + 0.5);
    await until(page, 'panel-mesh', mesh);
  }
  assert.equal(await textOf(page, 'panel-title'), 'Under the mouse');
  assert.match(await textOf(page, 'panel-time'), /^\d+ ns$/);
  await page.mouse.move(180, 100);
  await until(page, 'panel-mesh', 'nothing');
  assert.deepEqual(await (await page.$('#panel')).boundingBox(), box, 'the panel stays in place');

  await page.mouse.click(570.5, 350.5);
  await until(page, 'panel-title', 'Chosen');
  await until(page, 'panel-mesh', 'fountain_basin/fountain_basin');
  await page.mouse.move(180, 100);
  await until(page, 'panel-mesh', 'fountain_basin/fountain_basin');
  await drawn(page);
  await chromium.picture(page, 'viewer-light');
  await closeQuietly(opened);
});

/** Waits until the picture is sharp, and in long runs until it is smooth. @param {any} page */
async function drawn(page) {
  const rays = process.env.HITSCAN_LONG ? '[data-rays="24"]' : ':not([data-rays="0"])';
  await page.waitForSelector(`#picture${rays}`, { timeout: 120_000 });
}

test('names ten meshes by keyboard, and walks', { skip }, async () => {
  const opened = await viewer(made.files.tree, COURTYARD, { scheme: 'dark' });
  const { page } = opened;
  for (const [, , mesh, look] of PIXELS) {
    await goTo(page, `#eye=${EYE}&look=${look}`);
    await until(page, 'panel-mesh', mesh);
    assert.equal(await textOf(page, 'panel-title'), 'At the centre');
    await page.keyboard.press('Enter');
    await until(page, 'panel-title', 'Chosen');
    assert.ok((await textOf(page, 'spoken')).startsWith(`${mesh}, `));
    await page.keyboard.press('Escape');
    await until(page, 'panel-title', 'At the centre');
  }
  await drawn(page);
  await chromium.picture(page, 'viewer-dark');

  let view = await nextView(page);
  const keys = /** @type {[string, (before: any, after: any) => boolean][]} */ ([
    ['KeyW', (a, b) => Math.hypot(a.eye[0] - b.eye[0], a.eye[2] - b.eye[2]) > 0.05],
    ['PageUp', (a, b) => b.eye[1] > a.eye[1]],
    ['PageDown', (a, b) => b.eye[1] < a.eye[1]],
    ['ArrowLeft', (a, b) => b.look[0] < a.look[0]],
    ['ArrowUp', (a, b) => b.look[1] > a.look[1]],
  ]);
  for (const [key, isDone] of keys) {
    await page.keyboard.press(key, { delay: 200 });
    const next = await nextView(page, view.hash);
    assert.ok(isDone(view, next), `${key}: ${view.hash} to ${next.hash}`);
    view = next;
  }
  await closeQuietly(opened);
});

test('a link keeps the view', { skip }, async () => {
  const view = `${COURTYARD}&show=meshes`;
  const opened = await viewer(made.files.tree, view);
  const { page } = opened;
  assert.equal(await page.$eval('#mode', (/** @type {any} */ mode) => mode.value), 'meshes');
  await drawn(page);
  await chromium.picture(page, 'viewer-meshes');
  await page.select('#mode', 'normals');
  assert.equal((await nextView(page, view)).hash, `${COURTYARD}&show=normals`);
  await closeQuietly(opened);
});

test('works by touch', { skip }, async () => {
  const look = { width: 420, height: 780, hasTouch: true };
  const opened = await viewer(made.files.tree, COURTYARD, look);
  const { page } = opened;
  await page.touchscreen.tap(210, 400);
  await until(page, 'panel-title', 'Chosen');
  await drawn(page);
  await chromium.picture(page, 'viewer-touch');

  const start = await nextView(page);
  await page.touchscreen.touchStart(100, 300);
  await page.touchscreen.touchMove(200, 300);
  await page.touchscreen.touchEnd();
  const turned = await nextView(page, start.hash);
  assert.ok(turned.look[0] < start.look[0], 'the level follows the finger');
  assert.deepEqual(turned.eye, start.eye);

  const fingers = await page.createCDPSession();
  const touch = (/** @type {string} */ type, /** @type {number[]} */ ...heights) =>
    fingers.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: heights.map((y, id) => ({ x: 200, y, id })),
    });
  await touch('touchStart', 300);
  await touch('touchStart', 300, 340);
  await touch('touchMove', 250, 390);
  await touch('touchEnd');
  const walked = await nextView(page, turned.hash);
  assert.deepEqual(walked.look, turned.look);
  const [east, south] = [walked.eye[0] - turned.eye[0], walked.eye[2] - turned.eye[2]];
  const yaw = (turned.look[0] * Math.PI) / 180;
  assert.ok(east * Math.sin(yaw) - south * Math.cos(yaw) > 0.1, 'fingers apart go forward');
  await closeQuietly(opened);
});

test('bakes a model in a worker, and opens a scene', { skip }, async () => {
  const opened = await viewer(MODEL, COURTYARD);
  const { page } = opened;
  assert.equal(await textOf(page, 'file-summary'), '1,709 meshes, 149,744 triangles');
  await page.mouse.move(570.5, 350.5);
  await until(page, 'panel-mesh', 'fountain_basin/fountain_basin');

  await choose(page, made.files.scene);
  await until(page, 'file-summary', '2 instances');
  // Another level is seen whole at first.
  assert.notDeepEqual((await nextView(page, COURTYARD)).eye, [9.5, 2.4, 10.2]);
  assert.ok(await page.$eval('#boxes', (/** @type {any} */ boxes) => boxes.disabled));
  await goTo(page, COURTYARD);
  await until(page, 'panel-instance', 'here');
  await until(page, 'panel-mesh', 'fountain_basin/fountain_basin');
  const there = COURTYARD.replace('9.5,', '209.5,');
  await goTo(page, there);
  await until(page, 'panel-instance', 'there');
  await until(page, 'panel-mesh', 'fountain_basin/fountain_basin');
  await page.click('#whole');
  await drawn(page);
  await chromium.picture(page, 'viewer-scene');
  await closeQuietly(opened);
});

test('shows what rays cost, the boxes of a depth, and the walk of a ray', { skip }, async () => {
  const opened = await viewer(made.files.tree, `${COURTYARD}&show=cost`);
  const { page } = opened;
  await page.waitForSelector('#legend:not([hidden])');
  await drawn(page);
  await page.waitForFunction(hasColours, { timeout: 20_000 }, '#picture', 200);
  await chromium.picture(page, 'viewer-cost');

  assert.ok(!(await page.evaluate(hasColours, '#overlay', 2)), 'no lines yet');
  await page.select('#boxes', 'depth 2');
  await page.waitForFunction(hasColours, { timeout: 20_000 }, '#overlay', 2);
  await drawn(page);
  await chromium.picture(page, 'viewer-boxes');
  await page.select('#boxes', '');
  await page.waitForFunction(`!(${hasColours})('#overlay', 2)`);

  await page.select('#mode', 'shaded');
  await page.mouse.click(570.5, 350.5);
  await page.waitForSelector('#step:not([disabled])');
  assert.match(await textOf(page, 'step-text'), /^The ray walks through the tree in \d+ steps\.$/);
  await page.click('#walk summary');
  await page.focus('#step');
  const said = [];
  const steps = await page.$eval('#step', (/** @type {any} */ step) => Number(step.max));
  for (let i = 0; i < steps; i++) {
    await page.keyboard.press('ArrowRight');
    said.push(await textOf(page, 'step-text'));
    if (i !== 3) continue;
    await page.waitForFunction(hasColours, { timeout: 20_000 }, '#overlay', 2);
    await chromium.picture(page, 'viewer-step');
  }
  assert.match(said[0], /^1\. Node at depth 0: enters \d+ of \d+ boxes\.$/);
  assert.match(said.join(), /Leaf at depth \d+: \d+ triangles, a nearer hit/);
  assert.match(said.at(-1) ?? '', /; then nothing .+\.$/);
  assert.ok(await page.evaluate(hasColours, '#overlay', 2), 'the step is drawn');
  await closeQuietly(opened);
});

/** Whether a canvas has more than a number of colours. Runs in the page. */
function hasColours(/** @type {string} */ selector, /** @type {number} */ count) {
  const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector(selector));
  const { width, height } = canvas;
  const image = canvas.getContext('2d')?.getImageData(0, 0, width, height);
  return new Set(new Uint32Array(image?.data.buffer ?? new ArrayBuffer(0))).size > count;
}

test('says in one line what is wrong with a file', { skip }, async () => {
  const opened = await chromium.open('/viewer/index.html');
  const { page } = opened;
  await chromium.picture(page, 'viewer-empty');
  const cases = [
    [made.files.broken, /^broken\.hbvh: .*checksum/],
    [made.files.short, /^short\.hbvh: ./],
    [made.files.other, /^notes\.txt: this is none of /],
  ];
  for (const [file, message] of cases) {
    await choose(page, file);
    await page.waitForSelector('#notice.is-error');
    const text = await textOf(page, 'notice-text');
    assert.match(text, message);
    assert.doesNotMatch(text, /\n/);
    await chromium.picture(page, 'viewer-error');
    await page.$eval('#notice', (/** @type {any} */ notice) => notice.classList.remove('is-error'));
  }
  // What was open stays, and another file can be opened.
  await choose(page, made.files.tree);
  await page.waitForSelector('#panel:not([hidden])');
  assert.ok(await page.$eval('#notice', (/** @type {any} */ notice) => notice.hidden));
  await closeQuietly(opened);
});

test('does not ask other servers for a file', { skip }, async () => {
  const elsewhere = 'https://example.com/a.hbvh';
  const { page, strangers } = await chromium.open(`/viewer/index.html?open=${elsewhere}`);
  await until(page, 'notice-text', 'a.hbvh: files of other servers are not opened');
  assert.deepEqual(strangers, []);
});

test('opens a file that is dropped', { skip }, async () => {
  const opened = await chromium.open('/viewer/index.html');
  await opened.page.evaluate(() => {
    const dropped = new DataTransfer();
    const stl = 'solid one\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n'
      + 'vertex 0 1 0\nendloop\nendfacet\nendsolid one\n';
    dropped.items.add(new File([stl], 'one.stl'));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, bubbles: true }));
  });
  await until(opened.page, 'file-summary', '1 mesh, 1 triangle');
  await closeQuietly(opened);
});
