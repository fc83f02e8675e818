/** Lines are cut off this near to the eye, as a part of the level's size. */
const NEAR = 1e-4;

/** The corners of a box by number: bit 0 is along x. The pairs of them that edges join. */
const EDGES = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((corner) =>
  [1, 2, 4].filter((axis) => !(corner & axis)).map((axis) => [corner, corner | axis]),
);

const COLOURS = {
  box: 'rgb(90 170 255 / 55%)',
  entered: 'rgb(40 150 255)',
  passed: 'rgb(200 80 200 / 60%)',
  best: 'rgb(255 150 40)',
};

/** Lines over the picture: the boxes of a depth, and one step of a walk. */
export class Overlay {
  /** Six numbers for each box. */
  boxes = new Float32Array(0);
  step = /** @type {import('../inspect.js').Step | null} */ (null);
  #canvas;
  #context;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    this.#context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  }

  /**
   * @param {import('./camera.js').Camera} camera
   * @param {{ width: number, height: number }} size of the picture
   * @param {number} levelSize
   */
  draw(camera, { width, height }, levelSize) {
    if (this.#canvas.width !== width) this.#canvas.width = width;
    if (this.#canvas.height !== height) this.#canvas.height = height;
    this.#context.clearRect(0, 0, width, height);
    this.#context.lineWidth = Math.max(1, height / 700);
    const line = this.#lineOf(camera, { width, height }, NEAR * levelSize);
    this.#stroke(COLOURS.box, () => {
      for (let i = 0; i < this.boxes.length; i += 6) drawBox(this.boxes.subarray(i, i + 6), line);
    });
    if (this.step) this.#drawStep(this.step, line);
  }

  /** @type {(step: import('../inspect.js').Step, line: Line) => void} */
  #drawStep(step, line) {
    if (step.kind === 'leaf') {
      for (const { corners, outcome } of step.triangles) {
        this.#stroke(outcome === 'best' ? COLOURS.best : COLOURS.passed, () => {
          const [a, b, c] = [0, 3, 6].map((i) => corners.subarray(i, i + 3));
          for (const [from, to] of [[a, b], [b, c], [c, a]]) line(from, to);
        });
      }
      return;
    }
    // What is entered is drawn last, over the others.
    for (const isEntered of [false, true]) {
      this.#stroke(isEntered ? COLOURS.entered : COLOURS.passed, () => {
        for (const { bounds: { min, max }, entry } of step.children) {
          const box = [min.x, min.y, min.z, max.x, max.y, max.z];
          if ((entry === 'enters') === isEntered) drawBox(box, line);
        }
      });
    }
  }

  /**
   * @param {string} colour
   * @param {() => void} draw
   */
  #stroke(colour, draw) {
    this.#context.strokeStyle = colour;
    this.#context.beginPath();
    draw();
    this.#context.stroke();
  }

  /**
   * What adds a line between two points of the level.
   *
   * @type {(camera: import('./camera.js').Camera, size: { width: number, height: number },
   *   near: number) => Line}
   */
  #lineOf(camera, { width, height }, near) {
    const view = camera.viewer(height);
    return (from, to) => {
      let [a, b] = [view(from), view(to)];
      if (a[2] > b[2]) [a, b] = [b, a];
      if (b[2] < near) return;
      if (a[2] < near) {
        const part = (near - a[2]) / (b[2] - a[2]);
        a = a.map((x, i) => x + part * (b[i] - x));
      }
      const [ax, ay, bx, by] = [a[0] / a[2], a[1] / a[2], b[0] / b[2], b[1] / b[2]];
      this.#context.moveTo(0.5 * width + ax, 0.5 * height - ay);
      this.#context.lineTo(0.5 * width + bx, 0.5 * height - by);
    };
  }
}

/** @typedef {(from: ArrayLike<number>, to: ArrayLike<number>) => void} Line */

/** @type {(box: ArrayLike<number>, line: Line) => void} */
function drawBox(box, line) {
  const corner = (/** @type {number} */ number) =>
    [0, 1, 2].map((axis) => box[axis + 3 * ((number >> axis) & 1)]);
  for (const [from, to] of EDGES) line(corner(from), corner(to));
}
