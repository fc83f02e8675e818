import { NONE } from '../hitscan.js';
import { writeHeat } from './heat.js';

/** @typedef {[number, number, number]} Colour red, green and blue, 0 to 255 */
/** @typedef {import('../hitscan.js').HitBatch} HitBatch */

/** What can be drawn. */
export const MODES = ['shaded', 'meshes', 'materials', 'normals', 'facing', 'distance', 'cost'];

/** The least light on a surface that turns away from the lamp. */
const AMBIENT = 0.2;

/** The part of the light that a place keeps that something near hides from the sky. */
const HIDDEN = 0.15;

/** Quiet colours, so that materials are told apart in daylight. */
const DAYLIGHT = [
  [226, 219, 206],
  [232, 230, 226],
  [205, 201, 192],
  [219, 224, 228],
  [214, 189, 172],
  [205, 172, 156],
  [196, 180, 158],
  [178, 166, 152],
  [176, 182, 190],
  [214, 202, 160],
  [196, 212, 216],
  [206, 188, 196],
  [186, 176, 160],
  [188, 202, 178],
];

/** Skies: the colour at the horizon and the colour straight up. */
const SKIES = {
  light: [[236, 239, 243], [186, 203, 224]],
  dark: [[44, 50, 60], [20, 23, 29]],
};

/** The colours of a picture. */
export class Shading {
  mode = 'shaded';
  sky = SKIES.light;
  /** The hit that stands out, if any. */
  chosen = /** @type {{ mesh: number, instance: number, triangle: number } | null} */ (null);
  /** Distances are drawn up to this. */
  depth = 1;
  /** Directions in the level, of unit length: to the lamp, and straight up. */
  lamp = [0, 1, 0];
  above = [0, 1, 0];

  /** @param {'light' | 'dark'} scheme */
  setScheme(scheme) {
    this.sky = SKIES[scheme];
  }

  /**
   * Prepares for a view: see `Camera.basis`.
   *
   * @param {{ right: number[], up: number[], forward: number[], above: number[] }} basis
   */
  look({ right, up, forward, above }) {
    this.above = above;
    // The lamp is above the left shoulder, so that no surface in view is black.
    const lamp = [0, 1, 2].map((i) => up[i] - 0.6 * right[i] - forward[i]);
    const length = Math.hypot(...lamp);
    this.lamp = lamp.map((part) => part / length);
  }

  /**
   * The colour of one of some pixels.
   *
   * @param {import('./picture.js').Samples} samples
   * @param {number} i
   * @param {Colour} out
   */
  write({ rays, hits, hidden, costs }, i, out) {
    if (costs) {
      writeHeat(costs[i], out);
      return;
    }
    if (hits.mesh[i] === NONE) {
      this.#writeSky(rays, i, out);
      return;
    }
    const normals = hits.normal;
    const [nx, ny, nz] = [normals[3 * i], normals[3 * i + 1], normals[3 * i + 2]];
    const ahead = nx * rays[8 * i + 3] + ny * rays[8 * i + 4] + nz * rays[8 * i + 5];
    // Both sides are lit: the normal is turned to the eye.
    const side = ahead > 0 ? -1 : 1;
    if (this.mode === 'normals') {
      out[0] = 127.5 + 127.5 * side * nx;
      out[1] = 127.5 + 127.5 * side * ny;
      out[2] = 127.5 + 127.5 * side * nz;
    } else {
      this.#writeTint(hits, i, out);
      const light = this.#light(side * nx, side * ny, side * nz);
      scale(out, hidden?.[i] ? HIDDEN * light : light);
    }
    if (this.chosen) this.#markChosen(hits, i, out);
  }

  /** @type {(hits: HitBatch, i: number, out: Colour) => void} */
  #writeTint(hits, i, out) {
    const instance = hits.instance[i] === NONE ? 0 : hits.instance[i];
    if (this.mode === 'meshes') {
      tint(hits.mesh[i] + 977 * instance, 0.55, out);
    } else if (this.mode === 'materials') {
      tint(hits.material[i], 0.55, out);
    } else if (this.mode === 'facing') {
      copy(out, hits.front[i] ? FRONT : BACK);
    } else if (this.mode === 'distance') {
      const near = 255 / (1 + (8 * hits.t[i]) / this.depth);
      out[0] = out[1] = out[2] = near;
    } else {
      const number = hits.material[i] === NONE ? hits.mesh[i] : hits.material[i];
      copy(out, DAYLIGHT[number % DAYLIGHT.length]);
    }
  }

  /**
   * A surface that turns away darkens slowly, so that its shape shows everywhere; what faces up
   * gets a little more from the sky.
   *
   * @type {(x: number, y: number, z: number) => number}
   */
  #light(x, y, z) {
    const { lamp, above } = this;
    const half = 0.5 + 0.5 * (x * lamp[0] + y * lamp[1] + z * lamp[2]);
    const sky = 0.5 + 0.5 * (x * above[0] + y * above[1] + z * above[2]);
    return AMBIENT + (0.92 - AMBIENT) * half * half + 0.12 * sky;
  }

  /** @type {(rays: Float32Array, i: number, out: Colour) => void} */
  #writeSky(rays, i, out) {
    const { above, sky } = this;
    const [x, y, z] = [rays[8 * i + 3], rays[8 * i + 4], rays[8 * i + 5]];
    const high = Math.max(x * above[0] + y * above[1] + z * above[2], 0);
    for (let c = 0; c < 3; c++) out[c] = sky[0][c] + (sky[1][c] - sky[0][c]) * high;
  }

  /** @type {(hits: HitBatch, i: number, out: Colour) => void} */
  #markChosen(hits, i, out) {
    const { mesh, instance, triangle } = /** @type {any} */ (this.chosen);
    if (hits.mesh[i] !== mesh || hits.instance[i] !== instance) return;
    const part = hits.triangle[i] === triangle ? 0.75 : 0.28;
    mix(out, MARK, part);
  }
}

/** Sides of triangles: see the command line's `render`. */
const [FRONT, BACK] = [[190, 190, 190], [214, 48, 38]];

/** @type {Colour} */
const MARK = [255, 150, 40];

/**
 * A colour for a number: neighbours differ.
 *
 * @param {number} number
 * @param {number} strength of the colour, 0 to 1
 * @param {Colour} out
 */
function tint(number, strength, out) {
  // Steps of the golden ratio around the circle of hues.
  const hue = (0.08 + 0.618034 * (number % 65536)) % 1;
  for (let c = 0; c < 3; c++) {
    const wave = Math.abs(((hue + c / 3) % 1) * 2 - 1);
    out[c] = 235 * (1 - strength * wave);
  }
}

/** @type {(out: Colour, colour: readonly number[]) => void} */
function copy(out, colour) {
  for (let c = 0; c < 3; c++) out[c] = colour[c];
}

/** @type {(out: Colour, factor: number) => void} */
function scale(out, factor) {
  for (let c = 0; c < 3; c++) out[c] *= factor;
}

/** @type {(out: Colour, other: Colour, part: number) => void} */
function mix(out, other, part) {
  for (let c = 0; c < 3; c++) out[c] += (other[c] - out[c]) * part;
}
