/** Hits of many rays, a column for each field. */
export class HitBatch {
  length = 0;

  /** @param {number} [capacity] */
  constructor(capacity = 0) {
    this._makeRoom(capacity);
  }

  /** @param {number} capacity */
  _makeRoom(capacity) {
    this.t = new Float32Array(capacity);
    this.u = new Float32Array(capacity);
    this.v = new Float32Array(capacity);
    this.front = new Uint8Array(capacity);
    this.mesh = new Uint32Array(capacity);
    this.triangle = new Uint32Array(capacity);
    this.material = new Uint32Array(capacity);
    this.instance = new Uint32Array(capacity);
  }

  /**
   * Copies the last output: see `wasm/query/src/batch.rs`.
   *
   * @param {import('./module.js').Module} module
   * @param {number} count
   */
  _read(module, count) {
    if (this.t.length < count) this._makeRoom(count);
    this.length = count;
    const start = module.outputAddress() >>> 2;
    const column = (/** @type {number} */ i) => [start + i * count, start + (i + 1) * count];
    const { f32, u32 } = module;
    this.t.set(f32.subarray(...column(0)));
    this.u.set(f32.subarray(...column(1)));
    this.v.set(f32.subarray(...column(2)));
    this.front.set(u32.subarray(...column(3)));
    this.mesh.set(u32.subarray(...column(4)));
    this.triangle.set(u32.subarray(...column(5)));
    this.material.set(u32.subarray(...column(6)));
    this.instance.set(u32.subarray(...column(7)));
    return start + 8 * count;
  }
}

/** Hits of many rays, with points and normals. */
export class SurfaceBatch extends HitBatch {
  /** @param {number} capacity */
  _makeRoom(capacity) {
    super._makeRoom(capacity);
    this.point = new Float32Array(3 * capacity);
    this.normal = new Float32Array(3 * capacity);
  }

  /**
   * @param {import('./module.js').Module} module
   * @param {number} count
   */
  _read(module, count) {
    const start = super._read(module, count);
    const [middle, end] = [start + 3 * count, start + 6 * count];
    this.point.set(module.f32.subarray(start, middle));
    this.normal.set(module.f32.subarray(middle, end));
    return end;
  }
}

/** Closest points of many points. */
export class ClosestPointBatch extends HitBatch {
  /** @param {number} capacity */
  _makeRoom(capacity) {
    super._makeRoom(capacity);
    this.point = new Float32Array(3 * capacity);
  }

  /**
   * @param {import('./module.js').Module} module
   * @param {number} count
   */
  _read(module, count) {
    const end = super._read(module, count);
    this.point.set(module.f32.subarray(end, end + 3 * count));
    return end + 3 * count;
  }
}
