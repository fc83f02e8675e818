import packed from '../dist/rays.js';
import { Module } from './module.js';
import { accepts } from './options.js';

/** The small query module, for rays alone. */
export const module = new Module('hitscan/rays', packed, 'open_tree', { accepts });
