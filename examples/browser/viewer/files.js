import { element } from './element.js';

/**
 * Gives files that are chosen or dropped, or named in the page's address by `?open=`.
 *
 * @param {(name: string, read: () => Promise<ArrayBuffer>) => void} open
 */
export function takeFiles(open) {
  const chooser = /** @type {HTMLInputElement} */ (element('chooser'));
  for (const button of document.querySelectorAll('.choose')) {
    button.addEventListener('click', () => chooser.click());
  }
  const take = (/** @type {File | undefined} */ file) => {
    if (file) open(file.name, () => file.arrayBuffer());
  };
  chooser.addEventListener('change', () => {
    take(chooser.files?.[0]);
    // The same file can be chosen again.
    chooser.value = '';
  });
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    document.body.classList.add('is-dropping');
  });
  document.addEventListener('dragleave', ({ relatedTarget }) => {
    if (!relatedTarget) document.body.classList.remove('is-dropping');
  });
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('is-dropping');
    take(event.dataTransfer?.files[0]);
  });
  const named = new URLSearchParams(location.search).get('open');
  if (named) open(named.split('/').pop() ?? named, () => fetchHere(named));
}

/** @param {string} address */
async function fetchHere(address) {
  const url = new URL(address, location.href);
  if (url.origin !== location.origin) throw new Error('files of other servers are not opened');
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the server answers ${response.status} for ${url.pathname}`);
  return response.arrayBuffer();
}
