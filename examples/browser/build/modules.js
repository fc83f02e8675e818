/** The modules: how each is built, and the most bytes that it may have when compressed. */
export const MODULES = [
  { name: 'query', crate: 'query', features: ['shapes'] },
  { name: 'rays', crate: 'query', features: [] },
  { name: 'bake', crate: 'bake', features: [] },
];
