import { element } from './element.js';

/** The panel that names what is hit. Its rows are always there, so that nothing jumps. */
export class Panel {
  #title = element('panel-title');
  #rows = /** @type {Record<string, HTMLElement>} */ ({});
  #spoken = element('spoken');

  constructor() {
    for (const row of document.querySelectorAll('#panel dd')) {
      this.#rows[row.id.replace('panel-', '')] = /** @type {HTMLElement} */ (row);
    }
  }

  /**
   * @param {string} title where it is
   * @param {import('./picker.js').Picked} picked
   */
  show(title, picked) {
    this.#title.textContent = title;
    const { hit } = picked;
    this.#write('mesh', hit ? picked.mesh : 'nothing');
    this.#write('instance', hit ? picked.instance : '');
    this.#write('material', hit ? picked.material : '');
    this.#write('triangle', hit ? String(hit.triangle) : '');
    this.#write('point', hit ? vector(hit.point) : '');
    this.#write('normal', hit ? vector(hit.normal) : '');
    this.#write('distance', hit ? hit.t.toPrecision(5) : '');
    this.#write('time', `${Math.round(picked.nanoseconds)} ns`);
  }

  /**
   * Says what was chosen to those who listen.
   *
   * @param {import('./picker.js').Picked} picked
   */
  speak({ hit, mesh, material }) {
    this.#spoken.textContent = hit
      ? `${mesh}, ${material}, ${hit.t.toPrecision(3)} away`
      : 'nothing is hit';
  }

  /**
   * @param {string} row
   * @param {string} text
   */
  #write(row, text) {
    this.#rows[row].textContent = text || '–';
    this.#rows[row].title = text;
  }
}

/** @param {{ x: number, y: number, z: number }} vector */
function vector({ x, y, z }) {
  return [x, y, z].map((part) => part.toFixed(3)).join(', ');
}
