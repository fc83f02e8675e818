/**
 * The modules, and how each is built. The small one is optimized for size: rays through it take
 * hardly longer, and opening a file takes longer.
 */
export const MODULES = [
  { name: 'query', crate: 'query', features: ['shapes'], profile: 'release' },
  { name: 'rays', crate: 'query', features: [], profile: 'small' },
  { name: 'inspect', crate: 'query', features: ['inspect'], profile: 'small' },
  { name: 'bake', crate: 'bake', features: [], profile: 'release' },
];
