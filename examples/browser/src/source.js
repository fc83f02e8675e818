import { HitscanError } from './error.js';

/**
 * Compiles a module from anything that `load` takes.
 *
 * @param {import('../hitscan.js').ModuleSource} source
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compile(source) {
  const found = await source;
  if (found instanceof WebAssembly.Module) return found;
  if (found instanceof ArrayBuffer || ArrayBuffer.isView(found)) return WebAssembly.compile(found);
  if (found instanceof Response) return WebAssembly.compile(await bytesOf(found));
  if (typeof found === 'string' || found instanceof URL) {
    return WebAssembly.compile(await bytesOf(await fetch(found)));
  }
  const kinds = 'a WebAssembly.Module, bytes, a Response or a URL';
  throw new HitscanError('argument', `load() takes ${kinds}`);
}

/** @param {Response} response */
async function bytesOf(response) {
  if (!response.ok) {
    throw new HitscanError('argument', `load(): ${response.url}: status ${response.status}`);
  }
  return response.arrayBuffer();
}

/**
 * The bytes of a module that is packed in a string: compressed by gzip, then base64.
 *
 * @param {string} packed
 */
export function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}
