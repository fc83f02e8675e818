/** Bakes in a worker: see `hitscan/worker`. Import it in a worker of your own. */
export {};
