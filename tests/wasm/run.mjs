// Bakes a model in a WebAssembly module without imports: run.mjs module model out threads.
import { readFile, writeFile } from "node:fs/promises";

const [path, model, out, threads] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(await readFile(path), {});
const { memory, take, bake_taken } = instance.exports;

const bytes = await readFile(model);
const at = take(bytes.length);
new Uint8Array(memory.buffer).set(bytes, at);
const answer = bake_taken(at, bytes.length, Number(threads)) >>> 0;
const [failed, length] = new Uint32Array(memory.buffer.slice(answer, answer + 8));
const result = new Uint8Array(memory.buffer, answer + 8, length);
if (failed) throw new Error(new TextDecoder().decode(result));
await writeFile(out, result);
