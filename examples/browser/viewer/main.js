import { element } from './element.js';
import { takeFiles } from './files.js';
import { Inspection } from './inspection.js';
import { Notice } from './notice.js';
import { closeLevel, openLevel } from './open_level.js';
import { MODES } from './shading.js';
import { View } from './view.js';

const notice = new Notice();
const view = new View(/** @type {HTMLCanvasElement} */ (element('picture')));
const inspection = new Inspection(view);
const mode = /** @type {HTMLSelectElement} */ (element('mode'));
const up = /** @type {HTMLSelectElement} */ (element('up'));
const whole = /** @type {HTMLButtonElement} */ (element('whole'));

for (const name of MODES) mode.add(new Option(name));
mode.addEventListener('change', () => view.setMode(mode.value));
up.addEventListener('change', () => view.setUp(/** @type {'y' | 'z'} */ (up.value)));
whole.addEventListener('click', () => view.lookAtAll());
view.onLinked = () => {
  mode.value = view.mode;
  up.value = view.camera.up;
};

/** Files that were opened: an older one that is ready later is not shown. */
let opened = 0;

takeFiles(async (name, read) => {
  const number = ++opened;
  notice.progress(`Opening ${name}`, null);
  try {
    const level = await openLevel(await read(), name, (done) => {
      if (number === opened) notice.progress(`Baking ${name}`, done);
    });
    if (number !== opened) return closeLevel(level);
    show(level);
  } catch (error) {
    if (number === opened) notice.error(`${name}: ${/** @type {Error} */ (error).message}`);
  }
});

addEventListener('error', ({ message }) => notice.error(message));
addEventListener('unhandledrejection', ({ reason }) => notice.error(reason.message));

/** @param {import('./open_level.js').Level} level */
function show(level) {
  notice.hide();
  element('welcome').hidden = true;
  element('panel').hidden = false;
  element('file-name').textContent = level.name;
  element('file-summary').textContent = level.summary;
  for (const control of [mode, up, whole]) control.disabled = false;
  mode.options[MODES.indexOf('cost')].disabled = !level.bytes;
  inspection.setLevel(level);
  view.setLevel(level);
}
