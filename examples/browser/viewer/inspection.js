import { element } from './element.js';
import { sayStep } from './steps.js';

/** The greatest depth whose boxes can be shown: deeper ones are too small to be told apart. */
const DEEPEST = 9;

/**
 * What looks into a level: loaded when it is first asked for, because most visits do without.
 *
 * @param {import('./open_level.js').Level} level
 * @returns {Promise<any>} null for a scene, which consists of many trees
 */
export async function inspectorOf(level) {
  if (level.inspector || !level.bytes) return level.inspector;
  const { Inspector, load } = await import('../inspect.js');
  await load();
  // Meanwhile the level may have been closed, or another call may have been faster.
  if (level.bytes) level.inspector ??= Inspector.open(level.bytes);
  return level.inspector;
}

/** Shows the boxes of a depth, and the walk of the chosen ray step by step. */
export class Inspection {
  #view;
  #level = /** @type {import('./open_level.js').Level | null} */ (null);
  #boxes = /** @type {HTMLSelectElement} */ (element('boxes'));
  #step = /** @type {HTMLInputElement} */ (element('step'));
  #text = element('step-text');
  #walk = /** @type {import('../inspect.js').Walk | null} */ (null);

  /** @param {import('./view.js').View} view */
  constructor(view) {
    this.#view = view;
    this.#boxes.add(new Option('none', ''));
    for (let depth = 0; depth <= DEEPEST; depth++) this.#boxes.add(new Option(`depth ${depth}`));
    this.#boxes.addEventListener('change', () => this.#showBoxes());
    this.#step.addEventListener('input', () => this.#showStep());
    view.onChosen = (ray) => this.#showWalk(ray);
  }

  /** @param {import('./open_level.js').Level} level */
  setLevel(level) {
    this.#level = level;
    this.#boxes.value = '';
    this.#boxes.disabled = !level.bytes;
    this.#view.overlay.boxes = new Float32Array(0);
    this.#showWalk(null);
  }

  async #showBoxes() {
    const depth = this.#boxes.selectedIndex - 1;
    const level = /** @type {import('./open_level.js').Level} */ (this.#level);
    const inspector = depth < 0 ? null : await inspectorOf(level);
    if (level !== this.#level) return;
    this.#view.overlay.boxes = inspector?.boxesAt(depth) ?? new Float32Array(0);
    this.#view.drawLines();
  }

  /** @param {{ origin: number[], direction: number[] } | null} ray */
  async #showWalk(ray) {
    const level = this.#level;
    const inspector = ray && level && (await inspectorOf(level));
    if (level !== this.#level) return;
    this.#walk = inspector ? inspector.walk(ray.origin, ray.direction) : null;
    this.#step.disabled = !this.#walk;
    this.#step.max = String(this.#walk ? this.#walk.steps.length : 0);
    this.#step.value = '0';
    this.#showStep();
  }

  /** Step 0 shows nothing: the picture is as usual until the first step is asked for. */
  #showStep() {
    const [walk, number] = [this.#walk, Number(this.#step.value)];
    this.#view.overlay.step = walk?.steps[number - 1] ?? null;
    this.#view.drawLines();
    if (!walk) {
      const isTree = Boolean(this.#level?.bytes);
      this.#text.textContent = isTree
        ? 'Choose something to see how its ray walks through the tree.'
        : 'The walk of a ray is shown in trees, not in scenes.';
    } else if (number === 0) {
      this.#text.textContent = `The ray walks through the tree in ${walk.steps.length} steps.`;
    } else {
      this.#text.textContent = `${number}. ${sayStep(walk, number - 1)}.`;
    }
    this.#step.setAttribute('aria-valuetext', this.#text.textContent);
  }
}
