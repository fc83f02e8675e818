/** @typedef {[number, number, number]} Vector */

/** Numbers of a ray in a batch: see `closestHitBatch`. */
export const RAY = 8;

const DEGREES = Math.PI / 180;
/** The field of view belongs to the picture's height. */
const HALF_HEIGHT = Math.tan(33 * DEGREES);
const STEEPEST = 89 * DEGREES;
/** Room around a level, as a part of the picture's size. */
const MARGIN = 1.1;

/** An eye, and the way it looks. */
export class Camera {
  /** The axis that points up in the level. */
  up = /** @type {'y' | 'z'} */ ('y');
  eye = /** @type {Vector} */ ([0, 0, 0]);
  /** Angles to the right and up, in radians. */
  yaw = 0;
  pitch = 0;

  /** @param {Vector} v with y up */
  #toWorld([x, y, z]) {
    return /** @type {Vector} */ (this.up === 'y' ? [x, y, z] : [x, -z, y]);
  }

  /** The directions of the picture in the level, each of unit length. */
  basis() {
    const [sinYaw, cosYaw] = [Math.sin(this.yaw), Math.cos(this.yaw)];
    const [sinPitch, cosPitch] = [Math.sin(this.pitch), Math.cos(this.pitch)];
    return {
      right: this.#toWorld([cosYaw, 0, sinYaw]),
      up: this.#toWorld([-sinYaw * sinPitch, cosPitch, cosYaw * sinPitch]),
      forward: this.#toWorld([sinYaw * cosPitch, sinPitch, -cosYaw * cosPitch]),
      above: this.#toWorld([0, 1, 0]),
    };
  }

  /**
   * @param {number} right radians
   * @param {number} up radians
   */
  turn(right, up) {
    this.yaw = Math.atan2(Math.sin(this.yaw + right), Math.cos(this.yaw + right));
    this.pitch = Math.min(Math.max(this.pitch + up, -STEEPEST), STEEPEST);
  }

  /**
   * Forward and right as the eye looks, and straight up.
   *
   * @param {number} right
   * @param {number} up
   * @param {number} forward
   */
  move(right, up, forward) {
    const basis = this.basis();
    for (let i = 0; i < 3; i++) {
      this.eye[i] += right * basis.right[i] + up * basis.above[i] + forward * basis.forward[i];
    }
  }

  /**
   * Looks at all of a box, from a corner above it, so that it fills the picture.
   *
   * @param {{ min: any, max: any }} box
   * @param {number} aspect width by height
   */
  lookAtAll({ min, max }, aspect) {
    this.yaw = -35 * DEGREES;
    this.pitch = -35 * DEGREES;
    const { right, up, forward } = this.basis();
    const axes = ['x', 'y', 'z'];
    const center = axes.map((axis) => 0.5 * (min[axis] + max[axis]));
    let back = 0;
    for (let corner = 0; corner < 8; corner++) {
      const at = axes.map((axis, i) => ((corner >> i) & 1 ? max : min)[axis] - center[i]);
      const across = Math.abs(dot(at, right)) / (aspect * HALF_HEIGHT);
      const high = Math.abs(dot(at, up)) / HALF_HEIGHT;
      back = Math.max(back, MARGIN * Math.max(across, high) - dot(at, forward));
    }
    this.eye = /** @type {Vector} */ (center.map((middle, i) => middle - back * forward[i]));
  }

  /**
   * Writes the rays of some rows of a picture. `width` and `height` are in pixels, of which the
   * last column may be a part; `shift` moves each ray inside of its pixel.
   *
   * @param {Float32Array} rays
   * @param {{ width: number, height: number, columns: number }} size
   * @param {number} firstRow
   * @param {number} endRow
   * @param {[number, number]} shift 0.5 is the middle
   */
  writeRays(rays, { width, height, columns }, firstRow, endRow, [shiftX, shiftY]) {
    const { right, up, forward } = this.basis();
    const scale = (2 * HALF_HEIGHT) / height;
    let at = 0;
    for (let row = firstRow; row < endRow; row++) {
      const y = (0.5 * height - row - shiftY) * scale;
      for (let column = 0; column < columns; column++) {
        const x = (column + shiftX - 0.5 * width) * scale;
        const length = Math.hypot(x, y, 1);
        for (let i = 0; i < 3; i++) {
          rays[at + i] = this.eye[i];
          rays[at + 3 + i] = (x * right[i] + y * up[i] + forward[i]) / length;
        }
        rays[at + 6] = 0;
        rays[at + 7] = Infinity;
        at += RAY;
      }
    }
  }

  /**
   * What gives points as the eye sees them: to the right and up in pixels at a depth of one, and
   * the depth.
   *
   * @param {number} height of the picture in pixels
   * @returns {(point: ArrayLike<number>) => number[]}
   */
  viewer(height) {
    const { right, up, forward } = this.basis();
    const [x, y, z] = this.eye;
    const scale = height / (2 * HALF_HEIGHT);
    return (point) => {
      const from = [point[0] - x, point[1] - y, point[2] - z];
      return [scale * dot(from, right), scale * dot(from, up), dot(from, forward)];
    };
  }

  /**
   * The direction through a point of the picture, of which `x` and `y` are 0 to 1 from the upper
   * left corner.
   *
   * @param {number} x
   * @param {number} y
   * @param {number} aspect width by height
   * @returns {Vector}
   */
  directionAt(x, y, aspect) {
    const { right, up, forward } = this.basis();
    const across = (x - 0.5) * aspect * 2 * HALF_HEIGHT;
    const high = (0.5 - y) * 2 * HALF_HEIGHT;
    const length = Math.hypot(across, high, 1);
    return /** @type {Vector} */ (
      [0, 1, 2].map((i) => (across * right[i] + high * up[i] + forward[i]) / length)
    );
  }
}

/** @type {(a: readonly number[], b: readonly number[]) => number} */
function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
