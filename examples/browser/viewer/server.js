/** A plain server of static files: `npm run viewer`. Any other does as well. */

import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

/** The folder of the package, which is served. */
export const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

const TYPES = /** @type {Record<string, string>} */ ({
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
});

/**
 * @param {number} port 0 is any that is free
 * @returns {Promise<{ origin: string, close: () => void }>}
 */
export async function serve(port) {
  const server = createServer(({ url = '/' }, response) => {
    const path = pathOf(url);
    if (path === null) {
      response.writeHead(404).end();
      return;
    }
    const type = TYPES[extname(path)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type });
    createReadStream(path).on('error', () => response.destroy()).pipe(response);
  });
  await new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(null));
  });
  const { port: own } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { origin: `http://127.0.0.1:${own}`, close: () => server.close() };
}

/**
 * The file of an address inside of the package, or null.
 *
 * @param {string} url
 */
function pathOf(url) {
  try {
    const { pathname } = new URL(url, 'http://localhost');
    const path = join(PACKAGE, normalize(decodeURIComponent(pathname)));
    const isFile = path.startsWith(PACKAGE) && statSync(path, { throwIfNoEntry: false })?.isFile();
    return isFile ? path : null;
  } catch {
    return null;
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const { origin } = await serve(8080);
  console.log(`${origin}/viewer/index.html`);
}
