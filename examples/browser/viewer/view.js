import { NONE } from '../hitscan.js';
import { Camera } from './camera.js';
import { element } from './element.js';
import { fromHash, toHash } from './link.js';
import { Motion } from './motion.js';
import { Panel } from './panel.js';
import { pick } from './picker.js';
import { Picture } from './picture.js';
import { Pointers } from './pointers.js';
import { MODES, Shading } from './shading.js';

/** Milliseconds of a frame in which rays are cast. */
const BUDGET = 14;
/** A larger picture is drawn smaller, and made larger by the browser. */
const MOST_PIXELS = 2_500_000;
/** Seconds of walking along the diagonal of a level. */
const ACROSS = 20;
/** How near something has to be to darken a place, along the diagonal. */
const NEAR = 0.015;
/** How long the view has to be still before it gets into the address, in milliseconds. */
const STILL = 250;

const darkScheme = matchMedia('(prefers-color-scheme: dark)');

/** The level as it is seen, and what is asked about it. */
export class View {
  camera = new Camera();
  /** Is called when an address has changed the mode or the axis. */
  onLinked = () => {};
  #level = /** @type {import('./open_level.js').Level | null} */ (null);
  #canvas;
  #shading = new Shading();
  #picture;
  #panel = new Panel();
  #motion;
  /** Where the mouse is, 0 to 1; null where the centre counts, as for the keyboard. */
  #mouse = /** @type {[number, number] | null} */ (null);
  #isAimNew = false;
  #isViewNew = false;
  #frame = 0;
  #frameTime = 0;
  #still = 0;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    this.#picture = new Picture(canvas, this.#shading);
    this.#motion = new Motion(canvas, () => this.#useKeyboard());
    new Pointers(canvas, {
      turn: (right, up) => this.#change(() => this.camera.turn(right, up)),
      walk: (right, up, forward) => this.#change(() => {
        const { speed } = this.#motion;
        this.camera.move(right * speed, up * speed, forward * speed);
      }),
      hover: (x, y) => this.#hover(x, y),
      choose: (x, y) => this.#choose(this.#placeOf(x, y)),
    });
    canvas.addEventListener('keydown', (event) => this.#key(event));
    // The address itself may have been written over since.
    addEventListener('hashchange', ({ newURL }) => this.#followLink(new URL(newURL).hash));
    new ResizeObserver(() => this.#resize()).observe(canvas);
    const setScheme = () => {
      this.#shading.setScheme(darkScheme.matches ? 'dark' : 'light');
      this.#redraw();
    };
    darkScheme.addEventListener('change', setScheme);
    setScheme();
  }

  get #aspect() {
    return this.#canvas.width / this.#canvas.height;
  }

  get mode() {
    return this.#shading.mode;
  }

  /** @param {import('./open_level.js').Level} level */
  setLevel(level) {
    this.#level?.questions.dispose();
    this.#level = level;
    this.#shading.chosen = null;
    const { min, max } = level.questions.bounds();
    const size = Math.hypot(max.x - min.x, max.y - min.y, max.z - min.z);
    this.#motion.speed = size > 0 && size < Infinity ? size / ACROSS : 1;
    this.#shading.depth = this.#motion.speed * ACROSS;
    // The ring around it shows when the focus is moved by keyboard.
    this.#canvas.focus(/** @type {any} */ ({ preventScroll: true, focusVisible: false }));
    this.#panel.show('Under the mouse', null);
    if (!this.#followLink(location.hash)) this.lookAtAll();
  }

  /** @param {string} mode */
  setMode(mode) {
    this.#shading.mode = mode;
    this.#redraw();
  }

  /** @param {'y' | 'z'} up */
  setUp(up) {
    this.camera.up = up;
    this.lookAtAll();
  }

  lookAtAll() {
    const box = this.#level?.questions.bounds();
    if (box && box.min.x <= box.max.x) this.#change(() => this.camera.lookAtAll(box, this.#aspect));
    else this.#redraw();
  }

  /** @param {string} hash */
  #followLink(hash) {
    const mode = fromHash(hash, this.camera, MODES);
    if (mode === null) return false;
    this.#shading.mode = mode;
    this.onLinked();
    this.#redraw();
    return true;
  }

  /** @param {() => void} change of the camera */
  #change(change) {
    change();
    this.#redraw();
  }

  #redraw() {
    this.#isViewNew = true;
    this.#isAimNew = true;
    this.#schedule();
  }

  #schedule() {
    if (!this.#level || this.#frame !== 0) return;
    this.#frame = requestAnimationFrame((time) => this.#draw(time));
  }

  /** @param {number} time */
  #draw(time) {
    this.#frame = 0;
    if (!this.#level) return;
    if (this.#motion.isMoving) {
      // After a pause, the first frame counts as one of usual length.
      const seconds = Math.min(time - this.#frameTime, 50) / 1000;
      this.#change(() => this.#motion.apply(this.camera, seconds));
    }
    this.#frameTime = time;
    if (this.#isViewNew) {
      this.#isViewNew = false;
      this.#picture.restart(BUDGET, NEAR * this.#shading.depth);
      clearTimeout(this.#still);
      this.#still = setTimeout(() => this.#link(), STILL);
    }
    this.#picture.draw(this.#level.questions, this.camera, performance.now() + BUDGET);
    if (this.#isAimNew) this.#aim();
    this.#canvas.dataset.rays = String(this.#picture.raysPerPixel);
    if (this.#motion.isMoving || !this.#picture.isDone) this.#schedule();
  }

  #link() {
    history.replaceState(null, '', toHash(this.camera, this.mode));
  }

  /** Names what is under the mouse or at the centre, unless something is chosen. */
  #aim() {
    this.#isAimNew = false;
    element('cross').hidden = this.#mouse !== null;
    if (this.#shading.chosen) return;
    const title = this.#mouse ? 'Under the mouse' : 'At the centre';
    this.#panel.show(title, this.#pick(this.#mouse ?? [0.5, 0.5]));
  }

  /** @param {[number, number]} place */
  #pick([x, y]) {
    const { questions } = /** @type {import('./open_level.js').Level} */ (this.#level);
    return pick(questions, this.camera.eye, this.camera.directionAt(x, y, this.#aspect));
  }

  /** @type {(x: number, y: number) => [number, number]} */
  #placeOf(x, y) {
    const { left, top, width, height } = this.#canvas.getBoundingClientRect();
    return [(x - left) / width, (y - top) / height];
  }

  /** @type {(x: number, y: number) => void} */
  #hover(x, y) {
    this.#mouse = this.#placeOf(x, y);
    this.#isAimNew = true;
    this.#schedule();
  }

  #useKeyboard() {
    this.#mouse = null;
    this.#isAimNew = true;
    this.#schedule();
  }

  /** @param {[number, number]} place */
  #choose(place) {
    if (!this.#level) return;
    const picked = this.#pick(place);
    const { hit } = picked;
    if (!hit) return this.#letGo();
    this.#shading.chosen = {
      mesh: hit.mesh,
      instance: hit.instance?.slot ?? NONE,
      triangle: hit.triangle,
    };
    this.#panel.show('Chosen', picked);
    this.#panel.speak(picked);
    this.#redraw();
  }

  #letGo() {
    this.#shading.chosen = null;
    this.#redraw();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.code === 'Enter') {
      this.#useKeyboard();
      this.#choose([0.5, 0.5]);
    } else if (event.code === 'Escape') this.#letGo();
    else if (event.code === 'Home') this.lookAtAll();
    else return;
    event.preventDefault();
  }

  #resize() {
    const { clientWidth, clientHeight } = this.#canvas;
    const most = Math.sqrt(MOST_PIXELS / Math.max(clientWidth * clientHeight, 1));
    const scale = Math.min(devicePixelRatio, most);
    this.#canvas.width = Math.max(1, Math.round(clientWidth * scale));
    this.#canvas.height = Math.max(1, Math.round(clientHeight * scale));
    this.#redraw();
  }
}
