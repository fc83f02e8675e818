import { HitscanError, codeOf } from './error.js';
import { compile, unpack } from './source.js';

/** Words of the block: see `wasm/border/src/block.rs`. */
const BLOCK_WORDS = 256;

/** More bytes than this no module can have in one piece. */
const MOST_BYTES = 0x7fffffff;

/** Inputs and outputs larger than this are freed after the call. */
const KEPT_BYTES = 1 << 20;

/** Errors after which a module is in the middle of something: a trap, and an exhausted stack. */
const STOPS = ['RuntimeError', 'RangeError', 'InternalError'];

const utf8 = new TextDecoder();

/** A module, from before it is loaded on, and its memory. */
export class Module {
  /** Its exports: one of these each throws until it is loaded. */
  exports = /** @type {any} */ (null);
  /** All memory, as numbers. Empty after the memory has grown, until `refresh`. */
  f32 = new Float32Array();
  u32 = new Uint32Array();
  /** Where the block is in these. */
  block = 0;

  /** What the module calls: see `callbacks`. */
  #callbacks;
  #packed;
  #needed;
  #loadFirst;
  #loading = /** @type {Promise<void> | null} */ (null);
  #thrown = /** @type {{ error: unknown } | null} */ (null);

  /**
   * @param {string} entry of the package, such as `hitscan`
   * @param {string} packed the module inside of the package
   * @param {string} needed an export that no smaller module has
   * @param {Record<string, (...numbers: number[]) => number>} callbacks imports of the module
   */
  constructor(entry, packed, needed, callbacks) {
    this.#packed = packed;
    this.#needed = needed;
    this.#callbacks = callbacks;
    this.#loadFirst = `call "await load()" of '${entry}' first`;
  }

  get isLoaded() {
    return this.exports !== null;
  }

  /** @param {import('../hitscan.js').ModuleSource} [source] */
  load(source) {
    this.#loading ??= this.#load(source ?? unpack(this.#packed)).catch((error) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  /** @param {import('../hitscan.js').ModuleSource} source */
  async #load(source) {
    const module = await compile(source);
    const callbacks = Object.fromEntries(
      Object.entries(this.#callbacks).map(([name, callback]) => [name, this.#guarded(callback)]),
    );
    const { exports } = await WebAssembly.instantiate(module, { hitscan: callbacks });
    if (!(exports.memory instanceof WebAssembly.Memory) || !exports[this.#needed]) {
      throw new HitscanError('argument', 'load() was given another module');
    }
    this.exports = exports;
    this.block = this.exports.block_address() >>> 2;
    this.refresh();
  }

  /**
   * Nothing is thrown through the module, which would not let go of anything. It is thrown when the
   * call is over.
   *
   * @param {(...numbers: number[]) => number} callback
   */
  #guarded(callback) {
    return (/** @type {number[]} */ ...numbers) => {
      if (this.#thrown) return 0;
      try {
        return callback(...numbers);
      } catch (error) {
        this.#thrown = { error };
        return 0;
      }
    };
  }

  /** Throws if the module is not loaded. */
  check() {
    if (!this.isLoaded) throw new HitscanError('not-loaded', this.#loadFirst);
  }

  /** Looks at the memory again, after it has grown. */
  refresh() {
    const { buffer } = this.exports.memory;
    this.f32 = new Float32Array(buffer);
    this.u32 = new Uint32Array(buffer);
  }

  /** Looks at the memory again if it has grown. */
  look() {
    if (this.u32.length === 0) this.refresh();
  }

  /**
   * The answer of a call: throws what a callback threw, or the fault that it stands for.
   *
   * @param {number} status
   */
  answer(status) {
    if (this.#thrown) {
      const { error } = this.#thrown;
      this.#thrown = null;
      throw error;
    }
    if (status < 0) throw new HitscanError(codeOf(status), utf8.decode(this.outputBytes()));
    this.look();
    return status;
  }

  /**
   * Calls an export, and gives its answer. The commonest questions call exports themselves.
   *
   * @param {string} name
   * @param {...number} numbers
   */
  call(name, ...numbers) {
    this.check();
    try {
      var status = this.exports[name](...numbers);
    } catch (error) {
      throw this.stopped(error);
    }
    return this.answer(status);
  }

  /**
   * The error for a call that threw. If the module has stopped, from now on every call throws one.
   *
   * @param {unknown} cause
   */
  stopped(cause) {
    // An argument that is no number, such as a bigint, never gets into the module.
    if (cause instanceof TypeError) return new HitscanError('argument', cause.message, { cause });
    const isStop = STOPS.some((name) => /** @type {Error} */ (cause)?.name === name);
    if (!isStop) return cause;
    const stop = () => {
      const message = `the module has stopped (${/** @type {Error} */ (cause)?.message})`;
      return new HitscanError('stopped', `${message}; load the page again`, { cause });
    };
    const throwing = () => {
      throw stop();
    };
    const { memory } = this.exports;
    const names = Object.keys(this.exports);
    this.exports = { ...Object.fromEntries(names.map((name) => [name, throwing])), memory };
    return stop();
  }

  /**
   * Copies bytes in, for the next call.
   *
   * @param {ArrayBuffer | ArrayBufferView} bytes
   */
  input(bytes) {
    this.check();
    const view = ArrayBuffer.isView(bytes)
      ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      : bytes instanceof ArrayBuffer && new Uint8Array(bytes);
    if (!view) throw new HitscanError('argument', 'bytes are an ArrayBuffer or a view of one');
    this.room(view.length).set(view);
  }

  /**
   * Room for bytes that the next call takes.
   *
   * @param {number} length
   */
  room(length) {
    this.check();
    try {
      var address = length > MOST_BYTES ? 0 : this.exports.make_room(length) >>> 0;
    } catch (error) {
      throw this.stopped(error);
    }
    this.look();
    if (address === 0) {
      throw new HitscanError('memory', `there is not enough memory for ${length} bytes`);
    }
    return new Uint8Array(this.exports.memory.buffer, address, length);
  }

  /** Where the last output begins, in bytes. */
  outputAddress() {
    this.look();
    return this.u32[this.block + BLOCK_WORDS - 2];
  }

  /** The length of the last output, in its own unit: words or bytes. */
  outputLength() {
    this.look();
    return this.u32[this.block + BLOCK_WORDS - 1];
  }

  /** A copy of the last output's bytes. */
  outputBytes() {
    const [address, length] = [this.outputAddress(), this.outputLength()];
    return new Uint8Array(this.exports.memory.buffer, address, length).slice();
  }

  /** The last output as text. */
  outputText() {
    return utf8.decode(this.outputBytes());
  }

  /**
   * Frees inputs and outputs of this size, if it is large.
   *
   * @param {number} bytes
   */
  release(bytes) {
    if (bytes > KEPT_BYTES) this.exports.clear();
  }
}
