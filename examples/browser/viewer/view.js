import { Aim } from './aim.js';
import { Camera } from './camera.js';
import { element } from './element.js';
import { inspectorOf } from './inspection.js';
import { fromHash, toHash } from './link.js';
import { Motion } from './motion.js';
import { closeLevel } from './open_level.js';
import { Overlay } from './overlay.js';
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
  /** Is called with the ray that hits what was chosen. */
  onChosen = (/** @type {{ origin: number[], direction: number[] } | null} */ _ray) => {};
  overlay = new Overlay(/** @type {HTMLCanvasElement} */ (element('overlay')));
  #level = /** @type {import('./open_level.js').Level | null} */ (null);
  #canvas;
  #shading = new Shading();
  #picture;
  #motion;
  #aim = new Aim(this.#shading);
  #isViewNew = false;
  #areLinesNew = false;
  #frame = 0;
  #frameTime = 0;
  #still = 0;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    this.#picture = new Picture(canvas, this.#shading);
    this.#motion = new Motion(canvas, () => this.#aimAt(null));
    new Pointers(canvas, {
      turn: (right, up) => this.#change(() => this.camera.turn(right, up)),
      walk: (right, up, forward) => this.#change(() => {
        const { speed } = this.#motion;
        this.camera.move(right * speed, up * speed, forward * speed);
      }),
      hover: (x, y) => this.#aimAt(this.#placeOf(x, y)),
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
    const isFirst = this.#level === null;
    closeLevel(this.#level);
    this.#level = level;
    this.#aim.letGo();
    const { min, max } = level.questions.bounds();
    const size = Math.hypot(max.x - min.x, max.y - min.y, max.z - min.z);
    this.#motion.speed = size > 0 && size < Infinity ? size / ACROSS : 1;
    this.#shading.depth = this.#motion.speed * ACROSS;
    // The ring around it shows when the focus is moved by keyboard.
    this.#canvas.focus(/** @type {any} */ ({ preventScroll: true, focusVisible: false }));
    // Later the address is about the level before.
    if (!isFirst || !this.#followLink(location.hash)) this.setMode(this.mode).lookAtAll();
  }

  /** @param {string} mode */
  setMode(mode) {
    this.#shading.mode = mode;
    element('legend').hidden = mode !== 'cost' || !this.#level?.bytes;
    if (mode === 'cost' && this.#level) inspectorOf(this.#level).then(() => this.#redraw());
    this.#redraw();
    return this;
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
    this.setMode(mode);
    this.onLinked();
    return true;
  }

  /** Draws what is over the picture again. */
  drawLines() {
    this.#areLinesNew = true;
    this.#schedule();
  }

  /** @param {() => void} change of the camera */
  #change(change) {
    change();
    this.#redraw();
  }

  #redraw() {
    this.#isViewNew = true;
    this.#areLinesNew = true;
    this.#aim.isNew = true;
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
    this.#picture.draw(this.#level, this.camera, performance.now() + BUDGET);
    if (this.#areLinesNew) {
      this.#areLinesNew = false;
      this.overlay.draw(this.camera, this.#canvas, this.#shading.depth);
    }
    if (this.#aim.isNew) this.#aim.look(this.#level.questions, this.camera, this.#aspect);
    this.#canvas.dataset.rays = String(this.#picture.raysPerPixel);
    if (this.#motion.isMoving || !this.#picture.isDone) this.#schedule();
  }

  #link() {
    history.replaceState(null, '', toHash(this.camera, this.mode));
  }

  /** @type {(x: number, y: number) => [number, number]} */
  #placeOf(x, y) {
    const { left, top, width, height } = this.#canvas.getBoundingClientRect();
    return [(x - left) / width, (y - top) / height];
  }

  /** @param {[number, number] | null} place */
  #aimAt(place) {
    this.#aim.moveTo(place);
    this.#schedule();
  }

  /** @param {[number, number]} place */
  #choose(place) {
    if (!this.#level) return;
    this.onChosen(this.#aim.choose(this.#level.questions, this.camera, this.#aspect, place));
    this.#redraw();
  }

  #letGo() {
    this.onChosen(this.#aim.letGo());
    this.#redraw();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.code === 'Enter') {
      this.#aimAt(null);
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
