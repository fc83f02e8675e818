/**
 * Times this package and three-mesh-bvh in one run, on the same triangles, rays and points.
 *
 * `node bench/bench.js [--json] [LEVEL.tri]...`: without a level, the torus of three-mesh-bvh's own
 * benchmark.
 */

import { readFileSync } from 'node:fs';
import { Box3, DoubleSide, Ray, Sphere, Vector3 } from 'three';
import { CENTER, MeshBVH, SAH } from 'three-mesh-bvh';

import * as baker from 'hitscan/bake';
import * as rays from 'hitscan/rays';
import { ClosestPoint, Hit, HitBatch, Tree, load } from 'hitscan';

import { levels, path } from './levels.js';

const COUNT = 4096;
const ROUNDS = 15;

const random = (() => {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
})();

/**
 * The least time of some calls in nanoseconds each, after one that warms up. The least, because
 * other programs only add to it.
 */
function timesOf(contenders, count, rounds = ROUNDS) {
  const times = contenders.map(() => Infinity);
  for (let round = -1; round < rounds; round++) {
    contenders.forEach((call, i) => {
      const start = process.hrtime.bigint();
      call();
      const time = Number(process.hrtime.bigint() - start) / count;
      if (round >= 0) times[i] = Math.min(times[i], time);
    });
  }
  return times;
}

function pointsOf({ min, max }, count) {
  const one = () => new Vector3().lerpVectors(min, max, 0);
  return Array.from({ length: count }, () => {
    const point = one();
    for (const k of /** @type {const} */ (['x', 'y', 'z'])) {
      point[k] = Math.fround(min[k] + (max[k] - min[k]) * random());
    }
    return point;
  });
}

function directions(count) {
  return Array.from({ length: count }, () => {
    const direction = new Vector3();
    do {
      direction.set(random() - 0.5, random() - 0.5, random() - 0.5);
    } while (direction.lengthSq() > 0.25 || direction.lengthSq() < 0.01);
    direction.normalize();
    return new Vector3(...direction.toArray().map(Math.fround));
  });
}

/** Measures one level, and gives rows of a table. */
function measure({ name, geometry }) {
  const rows = [];
  const row = (what, ours, theirs) => rows.push({ level: name, what, ours, theirs });
  const positions = geometry.attributes.position.array;
  const indices = geometry.index.array;
  const meshes = [{ positions, indices: Uint32Array.from(indices) }];

  // The build of three-mesh-bvh puts the index in order, so each begins with the same.
  const original = indices.slice();
  const build = (strategy) => {
    geometry.index.array.set(original);
    return new MeshBVH(geometry, { strategy });
  };
  let bytes = new Uint8Array();
  const [fast, center] = timesOf(
    [() => (bytes = baker.bake(meshes, { quality: 'fast' }).bytes), () => build(CENTER)],
    1,
    9,
  );
  row('bake, fast, against build', fast, center);
  const [balanced, sah] = timesOf(
    [() => (bytes = baker.bake(meshes).bytes), () => build(SAH)],
    1,
    9,
  );
  row('bake, balanced, against build (SAH)', balanced, sah);
  const [opening] = timesOf([() => Tree.open(bytes).dispose()], 1, 15);
  row('open a file, against build', opening, center);

  const tree = Tree.open(bytes);
  const small = rays.Tree.open(bytes);
  const bounds = new Box3().setFromBufferAttribute(geometry.attributes.position);
  const origins = pointsOf(bounds, COUNT);
  const ways = directions(COUNT);
  const list = new Float32Array(8 * COUNT);
  const points = new Float32Array(3 * COUNT);
  origins.forEach((origin, i) => {
    list.set([...origin, ...ways[i], 0, Infinity], 8 * i);
    points.set(origin.toArray(), 3 * i);
  });
  const theirRays = origins.map((origin, i) => new Ray(origin, ways[i]));
  const radius = 0.02 * bounds.getSize(new Vector3()).length();
  const spheres = origins.map((origin) => new Sphere(origin, radius));

  for (const [label, strategy] of [['', CENTER], [' (SAH)', SAH]]) {
    const bvh = build(strategy);
    check(tree, bvh, theirRays, origins);
    const hit = new Hit();
    const batch = new HitBatch(COUNT);
    const [single, many, smallSingle, theirs] = timesOf(
      [
        () => origins.forEach((origin, i) => tree.closestHit(origin, ways[i], null, hit)),
        () => tree.closestHitBatch(list, null, batch),
        () => origins.forEach((origin, i) => small.closestHit(origin, ways[i], null, hit)),
        () => theirRays.forEach((ray) => bvh.raycastFirst(ray, DoubleSide)),
      ],
      COUNT,
    );
    row(`first hit${label}`, single, theirs);
    row(`first hit, in a batch${label}`, many, theirs);
    row(`first hit, small module${label}`, smallSingle, theirs);
    const hits = [];
    row(`all hits${label}`, ...timesOf(
      [
        () => origins.forEach((origin, i) => tree.allHits(origin, ways[i], null, hits)),
        () => theirRays.forEach((ray) => bvh.raycast(ray, DoubleSide)),
      ],
      COUNT,
    ));
    const near = new ClosestPoint();
    const target = {};
    row(`closest point${label}`, ...timesOf(
      [
        () => origins.forEach((origin) => tree.closestPoint(origin, null, near)),
        () => origins.forEach((origin) => bvh.closestPointToPoint(origin, target)),
      ],
      COUNT,
    ));
    row(`sphere overlap${label}`, ...timesOf(
      [
        () => origins.forEach((origin) => tree.anyWithin(origin, radius)),
        () => spheres.forEach((sphere) => bvh.intersectsSphere(sphere)),
      ],
      COUNT,
    ));
  }
  return rows;
}

/** Both give the same, but for rounding and rays at edges. */
function check(tree, bvh, theirRays, origins) {
  let differ = 0;
  for (const ray of theirRays) {
    const ours = tree.closestHit(ray.origin, ray.direction)?.t ?? Infinity;
    const theirs = bvh.raycastFirst(ray, DoubleSide)?.distance ?? Infinity;
    if (ours !== theirs && !(Math.abs(ours - theirs) < 1e-3 * (1 + theirs))) differ++;
  }
  if (differ > theirRays.length / 50) throw new Error(`${differ} of the first hits differ`);
  for (const origin of origins.slice(0, 500)) {
    const ours = tree.closestPoint(origin).distance;
    const theirs = bvh.closestPointToPoint(origin).distance;
    if (!(Math.abs(ours - theirs) < 1e-3 * (1 + theirs))) throw new Error('closest points differ');
  }
}

const text = (time) => {
  if (time < 1e4) return `${time.toFixed(0)} ns`;
  if (time < 1e6) return `${(time / 1e3).toFixed(1)} µs`;
  return `${(time / 1e6).toFixed(time < 1e7 ? 1 : 0)} ms`;
};

/** The version of a package. */
function version(name) {
  const text = readFileSync(path(`node_modules/${name}/package.json`), 'utf8');
  return JSON.parse(text).version;
}

const given = process.argv.slice(2);
await Promise.all([load(), rays.load(), baker.load()]);
const found = levels(given.filter((argument) => !argument.startsWith('--')));
const rows = found.flatMap(measure);
if (given.includes('--json')) {
  console.log(JSON.stringify(rows));
} else {
  console.log(`Node ${process.versions.node}, three ${version('three')}, ` +
    `three-mesh-bvh ${version('three-mesh-bvh')}\n`);
  console.log(`| question | ${found.map(({ name }) => name).join(' | ')} |`);
  console.log(`|---|${'---|'.repeat(found.length)}`);
  for (const what of new Set(rows.map((row) => row.what))) {
    const cells = rows.filter((row) => row.what === what).map(({ ours, theirs }) => {
      return `${text(ours)} / ${text(theirs)}: **${(theirs / ours).toFixed(1)}**`;
    });
    console.log(`| ${what} | ${cells.join(' | ')} |`);
  }
}
