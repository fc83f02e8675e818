/** Asks what `wasm/cases` asks natively, and makes the same words of the answers. */

/** Numbers of a question in its row. */
export const QUESTION = 43;

const FEATURES = ['face', 'edge0', 'edge1', 'edge2', 'vertex0', 'vertex1', 'vertex2'];
const LOCATIONS = ['outside', 'inside', 'surface'];
const NONE = 0xffffffff;

/** The question in a row of numbers. */
export function questionOf(row) {
  const at = (i) => Array.from(row.subarray(i, i + 3));
  const [a, b, c, motion, min, max] = [8, 11, 14, 17, 20, 23].map(at);
  const radius = row[26];
  const transform = row.slice(27, 43);
  const sum = a.map((x, k) => Math.fround(x + motion[k]));
  const shapes = [
    { kind: 'box', min, max },
    { kind: 'sphere', center: a, radius },
    { kind: 'capsule', a, b, radius },
    { kind: 'triangle', a, b, c },
    { kind: 'orientedBox', min, max, transform },
    { kind: 'hull', points: [a, { x: b[0], y: b[1], z: b[2] }, c, Float32Array.from(sum)] },
  ];
  const options = { tMin: row[6], tMax: row[7] };
  return { origin: at(0), direction: at(3), options, a, motion, radius, transform, shapes };
}

/** Words, and numbers as words. */
export class Words {
  list = [];
  #f32 = new Float32Array(1);
  #u32 = new Uint32Array(this.#f32.buffer);

  number(number) {
    this.#f32[0] = number;
    this.list.push(this.#u32[0]);
  }

  vector({ x, y, z }) {
    this.number(x);
    this.number(y);
    this.number(z);
  }

  hit({ t, u, v, front, mesh, triangle, material, instance }) {
    [t, u, v].forEach((number) => this.number(number));
    this.list.push(Number(front), mesh, triangle, material ?? NONE, instance?.slot ?? NONE);
  }

  hits(hits) {
    this.list.push(hits.length);
    for (const hit of hits) {
      this.hit(hit);
      this.vector(hit.point);
      this.vector(hit.normal);
    }
  }

  near(near) {
    this.list.push(near.length);
    for (const one of near) {
      this.hit(one);
      this.vector(one.point);
      this.list.push(FEATURES.indexOf(one.feature));
      this.number(one.distance);
    }
  }

  overlaps(overlaps) {
    this.list.push(overlaps.length);
    for (const overlap of overlaps) {
      this.hit(overlap);
      this.list.push(Number(overlap.inside));
    }
  }

  contacts(contacts) {
    this.list.push(contacts.length);
    for (const contact of contacts) {
      this.hit(contact);
      this.vector(contact.point);
      this.vector(contact.normal);
      this.vector(contact.faceNormal);
      this.list.push(FEATURES.indexOf(contact.feature));
      this.number(contact.depth);
    }
  }
}

const one = (answer) => (answer ? [answer] : []);

/** All that trees and scenes can be asked alike. */
export function askAll(words, asked, { origin, direction, options, a, motion, radius, shapes }) {
  words.hits(one(asked.closestHit(origin, direction, options)));
  words.list.push(Number(asked.anyHit(origin, direction, options)));
  words.hits(asked.allHits(origin, direction, options));
  words.near(one(asked.closestPoint(a)));
  words.near(asked.allWithin(a, radius));
  words.list.push(Number(asked.anyWithin(a, radius)));
  for (const shape of shapes) {
    words.overlaps(asked.allOverlaps(shape));
    words.list.push(Number(asked.anyOverlap(shape)));
    if (shape.kind === 'triangle') continue;
    words.contacts(asked.allContacts(shape, motion));
    words.contacts(one(asked.firstContact(shape, motion)));
    words.contacts(asked.penetrations(shape));
  }
}

/** Questions that need a closed mesh. */
export function askInside(words, tree, { a }) {
  const at = a.map((x) => Math.fround(x * Math.fround(0.1)));
  words.list.push(LOCATIONS.indexOf(tree.contains(at)));
  words.number(tree.signedDistance(at));
}

/** Moves two instances, commits, and asks the scene. */
export function askScene(words, scene, question) {
  for (const name of ['cube 3', 'ball']) scene.find(name).setTransform(question.transform);
  scene.commit();
  askAll(words, scene, question);
  const ray = [question.origin, question.direction, question.options];
  const first = scene.closestVolumeHit(...ray);
  for (const { instance, enter, exit, originInside } of [
    ...scene.allVolumeHits(...ray),
    ...one(first),
  ]) {
    words.list.push(instance.slot);
    words.number(enter);
    words.number(exit);
    words.list.push(Number(originInside));
  }
  for (const shape of question.shapes) {
    words.list.push(Number(scene.anyVolumeOverlap(shape)));
    words.list.push(...scene.allVolumeOverlaps(shape).map((instance) => instance.slot));
  }
}
