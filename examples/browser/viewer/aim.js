import { NONE } from '../hitscan.js';
import { element } from './element.js';
import { Panel } from './panel.js';
import { pick } from './picker.js';

/** What is under the mouse or at the centre, and what was chosen there. */
export class Aim {
  /** Whether it has to be looked at again. */
  isNew = false;
  #panel = new Panel();
  #shading;
  /** Where the mouse is, 0 to 1; null where the centre counts, as for the keyboard. */
  #mouse = /** @type {[number, number] | null} */ (null);

  /** @param {import('./shading.js').Shading} shading */
  constructor(shading) {
    this.#shading = shading;
  }

  /** @param {[number, number] | null} place */
  moveTo(place) {
    this.#mouse = place;
    this.isNew = true;
  }

  /**
   * Names what is there, unless something is chosen.
   *
   * @param {any} questions
   * @param {import('./camera.js').Camera} camera
   * @param {number} aspect
   */
  look(questions, camera, aspect) {
    this.isNew = false;
    element('cross').hidden = this.#mouse !== null;
    if (this.#shading.chosen) return;
    const title = this.#mouse ? 'Under the mouse' : 'At the centre';
    const [x, y] = this.#mouse ?? [0.5, 0.5];
    this.#panel.show(title, pick(questions, camera.eye, camera.directionAt(x, y, aspect)));
  }

  /**
   * Chooses what is at a place. Gives the ray that hits it, or null.
   *
   * @param {any} questions
   * @param {import('./camera.js').Camera} camera
   * @param {number} aspect
   * @param {[number, number]} place
   */
  choose(questions, camera, aspect, [x, y]) {
    const ray = { origin: [...camera.eye], direction: camera.directionAt(x, y, aspect) };
    const picked = pick(questions, ray.origin, ray.direction);
    const { hit } = picked;
    if (!hit) return this.letGo();
    const { mesh, triangle } = hit;
    this.#shading.chosen = { mesh, triangle, instance: hit.instance?.slot ?? NONE };
    this.#panel.show('Chosen', picked);
    this.#panel.speak(picked);
    return ray;
  }

  letGo() {
    this.#shading.chosen = null;
    this.isNew = true;
    return null;
  }
}
