/** @typedef {import('./shading.js').Colour} Colour */

/** Colours from cheap to dear, which also a printer and most eyes tell apart: viridis. */
const STOPS = [
  [68, 1, 84],
  [59, 82, 139],
  [33, 145, 140],
  [94, 201, 98],
  [253, 231, 37],
];

/**
 * The colour of a number of nodes and leaf blocks. The first stands for one, and each for four times
 * the one before.
 *
 * @param {number} cost
 * @param {Colour} out
 */
export function writeHeat(cost, out) {
  const most = STOPS.length - 1;
  const place = Math.min(0.5 * Math.log2(Math.max(cost, 1)), most);
  const low = Math.min(Math.floor(place), most - 1);
  for (let c = 0; c < 3; c++) {
    out[c] = STOPS[low][c] + (place - low) * (STOPS[low + 1][c] - STOPS[low][c]);
  }
}
