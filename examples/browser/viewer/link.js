/**
 * The part of the page's address that keeps the view, such as `eye=1,2,3&look=90,-10&show=meshes`.
 */

const DEGREES = Math.PI / 180;

/**
 * @param {import('./camera.js').Camera} camera
 * @param {string} mode
 */
export function toHash({ eye, yaw, pitch, up }, mode) {
  const rounded = (/** @type {number} */ number) => String(Number(number.toPrecision(7)));
  const look = [yaw / DEGREES, pitch / DEGREES].map((angle) => String(Number(angle.toFixed(2))));
  const parts = [`eye=${eye.map(rounded)}`, `look=${look}`];
  if (mode !== 'shaded') parts.push(`show=${mode}`);
  if (up !== 'y') parts.push(`up=${up}`);
  return `#${parts.join('&')}`;
}

/**
 * Reads a view into a camera. Gives the mode, or `null` if there is no view in it.
 *
 * @param {string} hash
 * @param {import('./camera.js').Camera} camera
 * @param {readonly string[]} modes
 */
export function fromHash(hash, camera, modes) {
  const parts = new URLSearchParams(hash.slice(1));
  const eye = numbers(parts.get('eye'), 3);
  const look = numbers(parts.get('look'), 2);
  if (!eye || !look) return null;
  camera.up = parts.get('up') === 'z' ? 'z' : 'y';
  camera.eye = /** @type {[number, number, number]} */ (eye);
  [camera.yaw, camera.pitch] = [0, 0];
  camera.turn(look[0] * DEGREES, look[1] * DEGREES);
  const mode = parts.get('show') ?? '';
  return modes.includes(mode) ? mode : 'shaded';
}

/**
 * @param {string | null} text
 * @param {number} count
 */
function numbers(text, count) {
  const read = (text ?? '').split(',').map(Number);
  return text && read.length === count && read.every(Number.isFinite) ? read : null;
}
