/** Every error that this package throws. */
export class HitscanError extends Error {
  /**
   * @param {import('../hitscan.js').ErrorCode} code
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.name = 'HitscanError';
    this.code = code;
  }
}

/** The codes of faults by their number below zero: see `wasm/border/src/fault.rs`. */
const CODES = [, 'disposed', 'argument', 'file', 'scene', 'not-closed', 'memory', 'bake'];

/** @param {number} status below zero */
export function codeOf(status) {
  return CODES[-status] ?? 'stopped';
}

/**
 * Throws an error about an argument.
 *
 * @param {string} message
 * @returns {never}
 */
export function refuse(message) {
  throw new HitscanError('argument', message);
}
