/** Turning, in radians for a drag over the whole height of the picture. */
const TURN = 1.6;
/** Walking, in seconds of walking for a drag over the whole height, or a turn of the wheel. */
const WALK = 6;
const WHEEL = 0.004;
/** A press that moves less than this many pixels is a click. */
const STILL = 5;

/**
 * Mouse, pen and touch. One finger or a button turns, two fingers walk and sink or rise, apart and
 * together they go forward and back.
 */
export class Pointers {
  #element;
  #act;
  #down = /** @type {Map<number, { x: number, y: number }>} */ (new Map());
  /** How far the pointers have moved since the first was pressed. */
  #moved = 0;
  #wereMany = false;

  /**
   * @param {HTMLElement} element
   * @param {{
   *   turn: (right: number, up: number) => void,
   *   walk: (right: number, up: number, forward: number) => void,
   *   hover: (x: number, y: number) => void,
   *   choose: (x: number, y: number) => void,
   * }} act points are in pixels of the page, walks in seconds
   */
  constructor(element, act) {
    this.#element = element;
    this.#act = act;
    element.addEventListener('pointerdown', (event) => this.#press(event));
    element.addEventListener('pointermove', (event) => this.#move(event));
    element.addEventListener('pointerup', (event) => this.#release(event));
    element.addEventListener('pointercancel', ({ pointerId }) => this.#down.delete(pointerId));
    element.addEventListener('wheel', (event) => {
      event.preventDefault();
      act.walk(0, 0, -event.deltaY * WHEEL);
    }, { passive: false });
  }

  /** @param {PointerEvent} event */
  #press({ pointerId, clientX, clientY }) {
    if (this.#down.size === 0) {
      this.#moved = 0;
      this.#wereMany = false;
    }
    this.#down.set(pointerId, { x: clientX, y: clientY });
    this.#wereMany ||= this.#down.size > 1;
    this.#element.setPointerCapture(pointerId);
  }

  /** @param {PointerEvent} event */
  #move({ pointerId, clientX, clientY, pointerType }) {
    const before = this.#down.get(pointerId);
    if (!before) {
      if (pointerType !== 'touch') this.#act.hover(clientX, clientY);
      return;
    }
    const [right, down] = [clientX - before.x, clientY - before.y];
    this.#moved += Math.hypot(right, down);
    const gap = this.#gap();
    this.#down.set(pointerId, { x: clientX, y: clientY });
    if (this.#moved < STILL) return;
    const height = this.#element.clientHeight;
    if (this.#down.size === 1) {
      // The level follows the finger.
      this.#act.turn((-right / height) * TURN, (down / height) * TURN);
    } else {
      const scale = WALK / height / this.#down.size;
      this.#act.walk(-right * scale, down * scale, 2 * (this.#gap() - gap) * scale);
    }
  }

  /** How far the first two pointers are from each other. */
  #gap() {
    const [a, b] = this.#down.values();
    return b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  }

  /** @param {PointerEvent} event */
  #release({ pointerId, clientX, clientY }) {
    if (!this.#down.delete(pointerId)) return;
    const isClick = this.#moved < STILL && !this.#wereMany;
    if (isClick) this.#act.choose(clientX, clientY);
  }
}
