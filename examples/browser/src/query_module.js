import packed from '../dist/query.js';
import { Module } from './module.js';
import { accepts } from './options.js';

/** The query module. */
export const module = new Module('hitscan', packed, 'open_scene', { accepts });
