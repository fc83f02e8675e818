/** Calls the exports of a module with strange numbers, blocks and inputs. */

const STRANGE = [
  0, -0, 1, -1, 2, 3, 0.5, NaN, Infinity, -Infinity, 1e-45, 3e38, 1e10, 255, 256, 65536,
  0x7fffffff, 0x80000000, 0xffffffff, -2147483648,
];

/** A xorshift generator. */
export function randomOf(seed) {
  let state = seed;
  return (count) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % count;
  };
}

/**
 * Calls every export but those that are left out; a trap throws. Gives the names, and how many
 * calls were faults.
 */
export function fuzz(module, { rounds, handles = [], left = [] }) {
  const random = randomOf(1);
  const names = Object.keys(module.exports).filter((name) => {
    return typeof module.exports[name] === 'function' && !['make_room', ...left].includes(name);
  });
  let faults = 0;
  for (let round = 0; round < rounds; round++) {
    const call = module.exports[names[round % names.length]];
    module.look();
    // Small kinds at the start of the block are shapes.
    for (let i = 0; i < 48; i++) module.f32[module.block + i] = STRANGE[random(STRANGE.length)];
    module.u32[module.block] = random(9);
    module.u32[module.block + 1] = random(70);
    const input = module.room(random(4) * 16 * random(40));
    for (let i = 0; i < input.length; i += 4) {
      new DataView(input.buffer, input.byteOffset).setFloat32(i, STRANGE[random(20)], true);
    }
    const numbers = Array.from({ length: 12 }, () => STRANGE[random(STRANGE.length)]);
    // Small numbers are counts that can be right.
    for (let i = 0; i < 4; i++) if (random(2)) numbers[i] = random(12);
    // The last number of each says whether there is a filter, which is not fuzzed.
    numbers[call.length - 1] = 0;
    if (handles.length && (call.length === 1 || random(8) > 0)) {
      numbers[0] = handles[random(handles.length)];
    }
    faults += Number(call(...numbers) < 0);
  }
  return { names, faults };
}
