import { element } from './element.js';

/** One line about what goes on, or what went wrong. */
export class Notice {
  #box = element('notice');
  #text = element('notice-text');
  #bar = /** @type {HTMLProgressElement} */ (element('progress'));

  /**
   * @param {string} text
   * @param {number | null} done 0 to 1, if it is known
   */
  progress(text, done) {
    this.#show(text, false);
    this.#bar.hidden = false;
    if (done === null) this.#bar.removeAttribute('value');
    else this.#bar.value = done;
  }

  /** @param {string} text */
  error(text) {
    this.#show(text, true);
    this.#bar.hidden = true;
  }

  hide() {
    this.#box.hidden = true;
  }

  /**
   * @param {string} text
   * @param {boolean} isError
   */
  #show(text, isError) {
    this.#box.hidden = false;
    this.#box.classList.toggle('is-error', isError);
    // The text is not touched while it stays the same, or it would be read aloud again.
    if (this.#text.textContent !== text) this.#text.textContent = text;
  }
}
