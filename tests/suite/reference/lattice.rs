//! Pairs in small integers, in which a ray passes an edge or a plane as closely as possible.

use hitscan::Triangle;
use hitscan::glam::Vec3;

use super::pairs::{Pair, line, turned};
use crate::support::Random;

pub(crate) fn int(random: &mut Random, bits: u32) -> i64 {
    i64::from(random.next() >> (32 - bits)) - (1 << (bits - 1))
}

pub(crate) fn ints(random: &mut Random, bits: u32) -> [i64; 3] {
    [(); 3].map(|()| int(random, bits))
}

pub(crate) fn sum(terms: &[(i64, [i64; 3])]) -> [i64; 3] {
    [0, 1, 2].map(|k| terms.iter().map(|(times, v)| times * v[k]).sum())
}

/// Whole numbers as a vector, exactly.
pub(crate) fn exactly(v: [i64; 3]) -> Vec3 {
    Vec3::from_array(v.map(|x| {
        assert_eq!(x as f32 as i64, x, "{x} is no f32");
        x as f32
    }))
}

/// Moves an exact pair to another power of two, which changes nothing.
fn exact_scale(random: &mut Random, (mut t, mut ray): Pair) -> Pair {
    let power = |random: &mut Random| f32::from_bits((127 + random.below(80) as u32 - 40) << 23);
    let (scale, length) = (power(random), power(random));
    for v in [&mut t.v0, &mut t.v1, &mut t.v2, &mut ray.origin] {
        *v *= scale;
    }
    ray.dir *= length;
    (t, ray)
}

pub(crate) fn exactly_at_edge(random: &mut Random) -> Pair {
    let (a, b, c) = (ints(random, 19), ints(random, 19), ints(random, 19));
    let o = ints(random, 20);
    // Four times a point of an edge, a vertex among them.
    let times = int(random, 2) + 2;
    let target = sum(&[(times, a), (4 - times, b)]);
    let d = sum(&[(1, target), (-4, o)]);
    let t = Triangle { v0: exactly(a), v1: exactly(b), v2: exactly(c) };
    let ray = line(exactly(o), exactly(d));
    let t = turned(random, t);
    exact_scale(random, (t, ray))
}

fn extended_gcd(a: i128, b: i128) -> (i128, i128, i128) {
    let (mut r, mut x, mut y) = ((a, b), (1, 0), (0, 1));
    while r.1 != 0 {
        let q = r.0 / r.1;
        r = (r.1, r.0 - q * r.1);
        x = (x.1, x.0 - q * x.1);
        y = (y.1, y.0 - q * y.1);
    }
    (r.0, x.0, y.0)
}

/// A small vector `d` that is `k` steps off the plane of `a` and `b`, where a step is the smallest
/// distance that integers allow: the triple product of the three is about 2^-65 of the product of
/// their lengths, too little for `f64` to tell from zero. Also returns the multiples of `a` and `b`
/// that are nearest to it, within one of each.
fn off(a: [i64; 3], b: [i64; 3], k: i64) -> Option<([i64; 3], f64, f64)> {
    let (wide_a, wide_b) = (a.map(i128::from), b.map(i128::from));
    let n = [0, 1, 2].map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        wide_a[i] * wide_b[j] - wide_a[j] * wide_b[i]
    });
    let (g, x, y) = extended_gcd(n[0], n[1]);
    let (all, z, w) = extended_gcd(g, n[2]);
    if all == 0 {
        return None;
    }
    let k = i128::from(k);
    let mut d = [x * z * k, y * z * k, w * k];
    // Bring it near zero along `a` and `b`.
    let f = |v: [i128; 3]| v.map(|x| x as f64);
    let dot = |p: [f64; 3], q: [f64; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    let (fa, fb) = (f(wide_a), f(wide_b));
    let (aa, ab, bb) = (dot(fa, fa), dot(fa, fb), dot(fb, fb));
    let det = aa * bb - ab * ab;
    if det < 1e-4 * aa * bb {
        return None;
    }
    let mut left = (0.0, 0.0);
    for _ in 0..6 {
        let (da, db) = (dot(f(d), fa), dot(f(d), fb));
        left = ((da * bb - db * ab) / det, (db * aa - da * ab) / det);
        let (i, j) = (left.0.round() as i128, left.1.round() as i128);
        for k in 0..3 {
            d[k] -= i * wide_a[k] + j * wide_b[k];
        }
        left = (left.0 - left.0.round(), left.1 - left.1.round());
    }
    let small = d.iter().all(|x| x.abs() < 1 << 24);
    small.then(|| (d.map(|x| x as i64), left.0, left.1))
}

/// A ray that passes the edge from `v0` to `v2` as closely as integers allow, on either side, or
/// goes through it.
pub(crate) fn off_edge(random: &mut Random) -> Pair {
    loop {
        let (base, edge, s) = (ints(random, 20), ints(random, 21), ints(random, 21));
        let third = ints(random, 21);
        let k = [1, -1, 2, -2, 0, 1, -1][random.below(7)];
        let Some((d, along, back)) = off(edge, s, k) else {
            continue;
        };
        // d = along * edge + back * s + a hair. With whole multiples added, it meets the
        // edge's line at -along / back of the edge.
        let (i, j) = (random.below(5) as i64 - 2, random.below(5) as i64 - 2);
        let at = -(along + i as f64) / (back + j as f64);
        let d = sum(&[(1, d), (i, edge), (j, s)]);
        if !(at > 0.01 && at < 0.99) || d.iter().any(|x| x.abs() >= 1 << 24) {
            continue;
        }
        let corner = |v| exactly(sum(&[(1, base), (1, v)]));
        let t = Triangle { v0: exactly(base), v1: corner(third), v2: corner(edge) };
        let ray = line(corner(s), exactly(d));
        let t = turned(random, t);
        return exact_scale(random, (t, ray));
    }
}

/// A ray that leaves the plane at the smallest angle that integers allow, or lies in it.
pub(crate) fn off_plane(random: &mut Random) -> Pair {
    loop {
        let (base, p, q) = (ints(random, 19), ints(random, 18), ints(random, 18));
        let k = [1, -1, 2, -3, 1, -1, 1, 0][random.below(8)];
        let Some((d, ..)) = off(p, q, k) else {
            continue;
        };
        let d = sum(&[(1, d), (int(random, 2), p), (int(random, 2), q)]);
        // Inside, on an edge, on a vertex, outside.
        let (i, j) = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 0), (0, 0), (3, 3)][random.below(7)];
        let times = int(random, 2);
        let o = sum(&[(1, base), (i, p), (j, q), (-times, d)]);
        let corner = |v| exactly(sum(&[(1, base), (4, v)]));
        let t = Triangle { v0: exactly(base), v1: corner(p), v2: corner(q) };
        let t = turned(random, t);
        return exact_scale(random, (t, line(exactly(o), exactly(d))));
    }
}
