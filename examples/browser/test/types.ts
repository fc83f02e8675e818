// Compiled only, by `tsc --project test`: uses of the types that must and must not compile.

import { bake, bakeModel, type Baked } from 'hitscan/bake';
import * as small from 'hitscan/rays';
import {
  ClosestPoint,
  Hit,
  HitBatch,
  HitscanError,
  NONE,
  Scene,
  SurfaceBatch,
  Tree,
  load,
  type Instance,
  type Shape,
} from 'hitscan';

await load();
await load(new URL('https://example.org/query.wasm'));
await small.load(fetch('rays.wasm'));

const baked: Baked = bake([{ positions: new Float32Array(9) }], { quality: 'best' });
bakeModel(new Uint8Array(0), 'glb', { onProgress: (done: number) => void done });
const tree: Tree = Tree.open(baked.bytes);
const hit: Hit | null = tree.closestHit([0, 0, 0], { x: 0, y: 0, z: 1 }, { tMax: 5 }, new Hit());
const t: number | undefined = hit?.point.x;
const near: ClosestPoint | null = tree.closestPoint(new Float32Array(3));
const surface: SurfaceBatch = tree.closestHitBatch(new Float32Array(8), null, new SurfaceBatch());
const plain: HitBatch = tree.closestHitBatch(new Float32Array(8));
const isNone: boolean = plain.mesh[0] === NONE;
const shape: Shape = { kind: 'capsule', a: [0, 0, 0], b: [0, 1, 0], radius: 1 };
tree.anyOverlap(shape, { filter: (found, index) => found.instance === null && index === 0 });
const scene = new Scene();
const instance: Instance = scene.insert(tree, { name: 'a', userId: 5n });
instance.setTransform(new Float32Array(16));
small.Tree.open(baked.bytes).anyHit([0, 0, 0], [0, 0, 1]);
const error = new HitscanError('file', 'x');
const code: string = error.code;

// @ts-expect-error: a frustum cannot move.
tree.firstContact({ kind: 'frustum', viewProjection: [] }, [0, 0, 0]);
// @ts-expect-error: the small module knows no points.
small.Tree.open(baked.bytes).closestPoint([0, 0, 0]);
// @ts-expect-error: a tree is opened.
new Tree();
// @ts-expect-error: no such quality.
bake([], { quality: 'good' });
// @ts-expect-error: a batch is typed.
tree.closestHitBatch([0, 0, 0, 0, 0, 1, 0, 1]);

void [t, near, surface, isNone, code];
