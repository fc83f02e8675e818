// A worker of the page's own, which bakes too.

import '../../worker/bake_worker.js';

self.addEventListener('message', ({ data }) => {
  if (data === 'ping') self.postMessage('pong');
});
