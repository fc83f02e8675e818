import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';

import puppeteer from 'puppeteer-core';

import { PACKAGE, serve } from '../viewer/server.js';

const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const chromium = PLACES.find((place) => place && existsSync(place));

/** Why the tests of a file are skipped, or false. */
export const skip = chromium ? false : 'Chromium is not installed (set CHROMIUM to its path)';
if (skip) console.log(`skipped: ${skip}`);

const FLAGS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // No name of another server means anything, also to workers.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];
const WITHOUT_GPU = ['--disable-gpu'];
const WITH_WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

/** Where screenshots are kept. */
const PICTURES = join(PACKAGE, 'target/screenshots');

/**
 * A browser and a server for the tests of a file.
 *
 * @param {{ webgl?: 'with' | 'without' }} [options]
 */
export function chromiumForTests({ webgl = 'without' } = {}) {
  /** @type {any} */
  const running = { server: null, browser: null, profile: '' };
  before(async () => {
    if (skip) return;
    running.profile = mkdtempSync(join(tmpdir(), 'hitscan-chromium-'));
    running.server = await serve(0);
    running.browser = await puppeteer.launch({
      executablePath: chromium,
      headless: true,
      userDataDir: running.profile,
      args: [...FLAGS, ...(webgl === 'with' ? WITH_WEBGL : WITHOUT_GPU)],
      protocolTimeout: 120_000,
    });
    mkdirSync(PICTURES, { recursive: true });
  });
  after(async () => {
    await running.browser?.close();
    running.server?.close();
    if (running.profile) rmSync(running.profile, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    /**
     * A page, and lists of what it asked of other servers, and of its errors.
     *
     * @param {string} path
     * @param {{ width?: number, height?: number, hasTouch?: boolean, scheme?: string }} [look]
     */
    async open(path, { width = 960, height = 600, hasTouch = false, scheme = 'light' } = {}) {
      const { origin } = running.server;
      const page = await running.browser.newPage();
      const strangers = /** @type {string[]} */ ([]);
      const errors = /** @type {string[]} */ ([]);
      page.on('request', (/** @type {any} */ request) => {
        const url = request.url();
        const isOwn = url.startsWith(`${origin}/`) || /^(data|blob):/.test(url);
        if (!isOwn) strangers.push(url);
      });
      page.on('pageerror', (/** @type {Error} */ error) => errors.push(error.message));
      page.on('console', (/** @type {any} */ message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      await page.setViewport({ width, height, hasTouch });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await page.goto(origin + path);
      return { page, strangers, errors };
    },
    /**
     * Keeps a screenshot in `target/screenshots`.
     *
     * @param {any} page
     * @param {string} name
     */
    async picture(page, name) {
      await page.screenshot({ path: join(PICTURES, `${name}.png`) });
    },
  };
}
