/** What each key does: to the right, up, forward; turn to the right and up. */
const KEYS = /** @type {Record<string, number[]>} */ ({
  KeyW: [0, 0, 1, 0, 0],
  KeyS: [0, 0, -1, 0, 0],
  KeyA: [-1, 0, 0, 0, 0],
  KeyD: [1, 0, 0, 0, 0],
  PageUp: [0, 1, 0, 0, 0],
  PageDown: [0, -1, 0, 0, 0],
  ArrowLeft: [0, 0, 0, -1, 0],
  ArrowRight: [0, 0, 0, 1, 0],
  ArrowUp: [0, 0, 0, 0, 1],
  ArrowDown: [0, 0, 0, 0, -1],
});

/** Turning, in radians for each second. */
const TURN = 1.2;
const FASTER = 4;

/** Walks and turns while keys are held. */
export class Motion {
  /** Units of the level for each second. */
  speed = 1;
  #held = /** @type {Set<string>} */ (new Set());
  #isFast = false;

  /**
   * @param {HTMLElement} element that has to have the focus
   * @param {() => void} onStart
   */
  constructor(element, onStart) {
    element.addEventListener('keydown', (event) => {
      this.#isFast = event.shiftKey;
      if (!KEYS[event.code] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.#held.add(event.code);
      onStart();
    });
    element.addEventListener('keyup', (event) => {
      this.#isFast = event.shiftKey;
      this.#held.delete(event.code);
    });
    element.addEventListener('blur', () => this.#held.clear());
  }

  get isMoving() {
    return this.#held.size > 0;
  }

  /**
   * @param {import('./camera.js').Camera} camera
   * @param {number} seconds
   */
  apply(camera, seconds) {
    const sum = [0, 0, 0, 0, 0];
    for (const key of this.#held) KEYS[key].forEach((part, i) => (sum[i] += part));
    const walk = seconds * this.speed * (this.#isFast ? FASTER : 1);
    camera.turn(sum[3] * seconds * TURN, sum[4] * seconds * TURN);
    camera.move(sum[0] * walk, sum[1] * walk, sum[2] * walk);
  }
}
