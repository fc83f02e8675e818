const ENDS = {
  'invalid-ray': 'the ray is not valid',
  'empty-tree': 'the tree is empty',
  'nothing-nearer': 'nothing that is left can be nearer',
  'interval-over': 'the interval is over',
  'nothing-left': 'nothing is left',
};

/**
 * Says in a line what happens in one step of a walk.
 *
 * @param {import('../inspect.js').Walk} walk
 * @param {number} i
 */
export function sayStep({ steps, end }, i) {
  const step = steps[i];
  const last = i === steps.length - 1 ? `; then ${ENDS[end]}` : '';
  if (step.kind === 'node') {
    const entered = step.children.filter(({ entry }) => entry === 'enters').length;
    return `Node at depth ${step.depth}: enters ${entered} of ${step.children.length} boxes${last}`;
  }
  const isBetter = step.triangles.some(({ outcome }) => outcome === 'best');
  const found = isBetter ? 'a nearer hit' : 'no nearer hit';
  return `Leaf at depth ${step.depth}: ${step.triangles.length} triangles, ${found}${last}`;
}
