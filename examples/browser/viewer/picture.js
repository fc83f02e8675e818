import { SurfaceBatch } from '../hitscan.js';
import { RAY } from './camera.js';
import { OpenSky } from './open_sky.js';

/** @typedef {import('./shading.js').Colour} Colour */

/**
 * Some pixels: a ray for each, its hit, whether something near hides it from the sky, and how many
 * nodes and leaf blocks it looks at.
 *
 * @typedef {object} Samples
 * @property {Float32Array} rays
 * @property {SurfaceBatch} hits
 * @property {Uint8Array | null} hidden null if it was not asked
 * @property {Uint32Array | null} costs null if they were not asked
 */

/** Rays that are asked together: enough for packets, and little enough to stop in time. */
const CHUNK = 8192;

/** The coarsest picture has one ray for a square of this many pixels. */
const COARSEST = 16;

/** After the finest, pixels get more rays, this many in all. */
const RAYS_PER_PIXEL = 24;

/** The first ray of a pixel counts as this many, so that the next do not make it grainy. */
const FIRST = 6;

/** A canvas that is filled by rays, coarse at first, then sharper, and smooth at last. */
export class Picture {
  #canvas;
  #context;
  #shading;
  #rays = new Float32Array(0);
  #hits = new SurfaceBatch(CHUNK);
  #sky = new OpenSky();
  /** The picture of a pass, which is drawn larger if it is coarse. */
  #small = document.createElement('canvas');
  #image = new ImageData(1, 1);
  /** Sums of all passes of full size. */
  #sums = new Float32Array(0);
  #step = 1;
  #reach = 1;
  /** How many rays each pixel has had. */
  #pass = 0;
  #row = 0;
  /** Rows before this are shown. */
  #shown = 0;
  #isDone = true;
  #isFirst = true;
  /** What a ray takes, in milliseconds: measured, to know which pass a moment is enough for. */
  #rayTime = 0.002;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {import('./shading.js').Shading} shading
   */
  constructor(canvas, shading) {
    this.#canvas = canvas;
    this.#context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    this.#shading = shading;
  }

  /** Whether the picture is as good as it gets. */
  get isDone() {
    return this.#isDone;
  }

  /** How many rays each pixel has had at least; zero while the picture is coarse. */
  get raysPerPixel() {
    return this.#pass;
  }

  /**
   * Begins again, because the view has changed.
   *
   * @param {number} budget milliseconds that the first pass may take
   * @param {number} reach how near something has to be to darken a place
   */
  restart(budget, reach) {
    this.#reach = reach;
    const pixels = this.#canvas.width * this.#canvas.height;
    this.#step = COARSEST;
    while (this.#step > 1 && ((4 * pixels) / this.#step ** 2) * this.#rayTime < budget) {
      this.#step /= 2;
    }
    this.#pass = 0;
    this.#isDone = false;
    this.#isFirst = true;
    this.#beginPass();
  }

  /**
   * Draws until a time, and at least one chunk. The first pass is drawn whole.
   *
   * @param {import('./open_level.js').Level} level
   * @param {import('./camera.js').Camera} camera
   * @param {number} until by `performance.now()`
   */
  draw(level, camera, until) {
    this.#shading.look(camera.basis());
    this.#shown = this.#row;
    do {
      const { width, height } = this.#image;
      const rows = Math.max(1, Math.floor(CHUNK / width));
      const end = Math.min(this.#row + rows, height);
      const start = performance.now();
      this.#drawRows(level, camera, this.#row, end);
      const each = (performance.now() - start) / (width * (end - this.#row));
      this.#rayTime += 0.2 * (each - this.#rayTime);
      this.#row = end;
      if (end === height) {
        this.#show();
        this.#nextPass();
      }
    } while (!this.#isDone && (this.#isFirst || performance.now() < until));
    // A coarse picture is shown whole, or there would be seams.
    if (this.#step === 1) this.#show();
  }

  /** Shows the rows that were drawn. */
  #show() {
    const { width, height } = this.#image;
    if (this.#step === 1) {
      const rows = this.#row - this.#shown;
      if (rows > 0) this.#context.putImageData(this.#image, 0, 0, 0, this.#shown, width, rows);
      this.#shown = this.#row;
      return;
    }
    const small = /** @type {CanvasRenderingContext2D} */ (this.#small.getContext('2d'));
    small.putImageData(this.#image, 0, 0);
    const size = [width * this.#step, height * this.#step];
    this.#context.drawImage(this.#small, 0, 0, size[0], size[1]);
  }

  #beginPass() {
    const width = Math.ceil(this.#canvas.width / this.#step);
    const height = Math.ceil(this.#canvas.height / this.#step);
    this.#row = 0;
    this.#shown = 0;
    if (this.#image.width !== width || this.#image.height !== height) {
      this.#image = new ImageData(width, height);
      [this.#small.width, this.#small.height] = [width, height];
    }
    if (this.#step > 1 || this.#pass > 0) return;
    const count = 3 * width * height;
    if (this.#sums.length === count) this.#sums.fill(0);
    else this.#sums = new Float32Array(count);
  }

  #nextPass() {
    this.#isFirst = false;
    if (this.#step > 1) this.#step /= 2;
    else this.#pass++;
    this.#isDone = this.#pass === RAYS_PER_PIXEL;
    if (!this.#isDone) this.#beginPass();
  }

  /** @type {(level: any, camera: any, first: number, end: number) => void} */
  #drawRows({ questions, inspector }, camera, first, end) {
    const { width } = this.#image;
    const count = width * (end - first);
    if (this.#rays.length < RAY * count) this.#rays = new Float32Array(RAY * count);
    const rays = this.#rays.subarray(0, RAY * count);
    // A coarse pass sees what the full picture sees, also at the right and lower edge.
    const [wide, tall] = [this.#canvas.width / this.#step, this.#canvas.height / this.#step];
    const size = { width: wide, height: tall, columns: width };
    camera.writeRays(rays, size, first, end, shiftOf(this.#pass));
    const start = first * width;
    /** @type {Samples} */
    const samples = { rays, hits: this.#hits, hidden: null, costs: null };
    if (this.#shading.mode === 'cost' && inspector) {
      samples.costs = inspector.rayCosts(rays);
    } else {
      questions.closestHitBatch(rays, null, this.#hits);
      // The first picture comes sooner without it.
      const place = { start, pass: this.#pass };
      if (this.#pass > 0) samples.hidden = this.#sky.ask(questions, samples, this.#reach, place);
    }
    this.#colour(samples, start, count);
  }

  /**
   * @param {Samples} samples
   * @param {number} start the first pixel
   * @param {number} count
   */
  #colour(samples, start, count) {
    const { data } = this.#image;
    const colour = /** @type {Colour} */ ([0, 0, 0]);
    const isSharp = this.#step === 1;
    const [weight, sum] = this.#pass === 0 ? [FIRST, FIRST] : [1, FIRST + this.#pass];
    for (let i = 0; i < count; i++) {
      this.#shading.write(samples, i, colour);
      const [pixel, place] = [4 * (start + i), 3 * (start + i)];
      for (let c = 0; c < 3; c++) {
        if (isSharp) colour[c] = (this.#sums[place + c] += weight * colour[c]) / sum;
        data[pixel + c] = colour[c];
      }
      data[pixel + 3] = 255;
    }
  }
}

/**
 * Where in a pixel the ray of a pass goes: in the middle at first, then spread evenly.
 *
 * @param {number} pass
 * @returns {[number, number]}
 */
function shiftOf(pass) {
  return [(0.5 + pass * 0.7548776662466927) % 1, (0.5 + pass * 0.5698402909980532) % 1];
}
