import { BackSide, FrontSide } from 'three';

/**
 * The options of a question about a part.
 *
 * @param {import('./part.js').Part} part
 * @param {number} tMin
 * @param {number} tMax
 */
export function optionsFor(part, tMin, tMax) {
  if (!Array.isArray(part.material)) {
    return { tMin, tMax, facing: facingOf(part.material) };
  }
  // Triangles outside of all groups are not drawn, and each material has its own side.
  const filter = (/** @type {any} */ hit) =>
    countedGroups(part, part.start + 3 * hit.triangle, hit.front).length > 0;
  return { tMin, tMax, filter };
}

/** The only group of a mesh with one material. */
const ONE = [0];

/**
 * The materials that show a triangle from this side, by number.
 *
 * @param {import('./part.js').Part} part
 * @param {number} corner where the triangle begins in the geometry's index
 * @param {boolean} front
 * @returns {number[]}
 */
export function countedGroups({ geometry, material }, corner, front) {
  if (!Array.isArray(material)) return ONE;
  const counted = [];
  for (const { start, count, materialIndex } of geometry.groups) {
    const isInside = start <= corner && corner < start + count;
    if (isInside && shows(material[materialIndex], front)) counted.push(materialIndex);
  }
  return counted;
}

/**
 * @param {any} material
 * @param {boolean} front
 */
function shows(material, front) {
  if (!material) return false;
  const facing = facingOf(material);
  return facing === 'both' || (facing === 'front') === front;
}

/** @param {any} material */
function facingOf({ side }) {
  if (side === FrontSide) return 'front';
  return side === BackSide ? 'back' : 'both';
}
