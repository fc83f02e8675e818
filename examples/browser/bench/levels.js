/** Triangles to measure with. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BufferAttribute, BufferGeometry, TorusGeometry } from 'three';

/** three-mesh-bvh's own benchmark: a torus of 420,000 triangles. */
function torus() {
  return { name: 'torus', geometry: new TorusGeometry(5, 5, 700, 300) };
}

/** A `.tri` file: a number of triangles, then nine numbers for each, little-endian. */
function triangles(path) {
  const { buffer, byteOffset, byteLength } = readFileSync(path);
  const positions = new Float32Array(buffer.slice(byteOffset + 4, byteOffset + byteLength));
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  const index = Uint32Array.from({ length: positions.length / 3 }, (_, i) => i);
  geometry.setIndex(new BufferAttribute(index, 1));
  return { name: /([^/]*)\.tri$/.exec(path)?.[1] ?? path, geometry };
}

/** The torus, and the `.tri` files that are named. */
export function levels(paths) {
  return [torus(), ...paths.map((path) => triangles(path))];
}

/** The path of a file of the package. */
export const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
