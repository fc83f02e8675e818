//! The reference ray–triangle test, held against an exact judge that knows nothing of it.
//!
//! `Triangle::intersect` promises that it hits exactly when the real ray meets the real
//! triangle, and that `t`, `u` and `v` are the real values rounded once. The judge here works
//! with whole numbers of any size, and by another way than the reference does: the plane of the
//! triangle gives `t`, the point that it gives is tried against the three edges by cross products
//! along the normal, and quotients are rounded bit by bit. No error is allowed: no wrong hit or
//! miss, no wrong bit, whatever the pair.
//!
//! `HITSCAN_LONG=100` asks more than ten million pairs.

mod support;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hitscan::glam::Vec3;
use hitscan::{Level, Ray, Triangle};
use num_bigint::{BigInt, BigUint, Sign};
use support::{Random, long};

// --- The judge ---------------------------------------------------------------------------

/// `x` as a whole number times a power of two, the number odd (or zero).
fn parts(x: f32) -> (i64, i32) {
    let bits = x.to_bits();
    let exponent = (bits >> 23 & 0xff) as i32;
    let fraction = i64::from(bits & 0x7f_ffff);
    let (mantissa, exponent) = if exponent == 0 {
        (fraction, -149)
    } else {
        (fraction | 1 << 23, exponent - 150)
    };
    if mantissa == 0 {
        return (0, i32::MAX);
    }
    let zeros = mantissa.trailing_zeros();
    let sign = if bits >> 31 == 1 { -1 } else { 1 };
    (sign * (mantissa >> zeros), exponent + zeros as i32)
}

/// All of these as whole multiples of one power of two, and which power it is.
fn whole<const N: usize>(xs: [Vec3; N]) -> ([[BigInt; 3]; N], i32) {
    let parts = xs.map(|v| v.to_array().map(parts));
    let least = parts.iter().flatten().map(|p| p.1).min().unwrap();
    let ints = parts.map(|v| {
        v.map(|(m, e)| {
            if m == 0 {
                BigInt::from(0)
            } else {
                BigInt::from(m) << (e - least)
            }
        })
    });
    (ints, if least == i32::MAX { 0 } else { least })
}

type Big3 = [BigInt; 3];

fn minus(a: &Big3, b: &Big3) -> Big3 {
    [0, 1, 2].map(|k| &a[k] - &b[k])
}

fn cross(a: &Big3, b: &Big3) -> Big3 {
    [0, 1, 2].map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        &a[i] * &b[j] - &a[j] * &b[i]
    })
}

fn dot(a: &Big3, b: &Big3) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

/// `n / d * 2^exponent` rounded to the nearest `f32`, ties to even, for a positive `d`.
fn rounded(n: &BigInt, d: &BigUint, exponent: i32) -> f32 {
    if n.sign() == Sign::NoSign {
        return 0.0;
    }
    // The size lies between 2^(k-1) and 2^(k+1). `q` counts it in units of 2^(k-25), so that it
    // has at least 25 bits, and `rest` tells whether that is all.
    let n_bits = n.bits() as i32 - d.bits() as i32;
    let k = n_bits + exponent;
    let unit = k - 25;
    let shift = 25 - n_bits;
    let (top, bottom) = if shift >= 0 {
        (n.magnitude() << shift, d.clone())
    } else {
        (n.magnitude().clone(), d << -shift)
    };
    let whole = &top / &bottom;
    let rest = whole.clone() * bottom != top;
    let q = u64::try_from(whole).expect("at most 27 bits");
    let bits = 64 - q.leading_zeros() as i32;
    let last = (unit + bits - 24).max(-149);
    let drop = last - unit;
    let mut mantissa = 0;
    if drop < 60 {
        mantissa = q >> drop;
        let (low, half) = (q & ((1 << drop) - 1), 1 << (drop - 1));
        if low > half || low == half && (rest || mantissa & 1 == 1) {
            mantissa += 1;
        }
    }
    // 2^128 and more is infinite; all else is exact in `f64`, and then in `f32`.
    let size = if last > 104 {
        f32::INFINITY
    } else {
        (mantissa as f64 * f64::from_bits(((1023 + last) as u64) << 52)) as f32
    };
    if n.sign() == Sign::Minus { -size } else { size }
}

/// Where the real line meets the real triangle.
#[derive(Debug)]
struct Truth {
    t: f32,
    u: f32,
    v: f32,
    front: bool,
    /// Whether it is exactly on an edge.
    on_edge: bool,
}

enum Verdict {
    Hit(Truth),
    Miss,
    /// The line runs along the plane, or there is none.
    Parallel,
}

fn judge(triangle: &Triangle, ray: &Ray) -> Verdict {
    let ([a, b, c, o], unit) = whole([triangle.v0, triangle.v1, triangle.v2, ray.origin]);
    let ([d], unit_of_dir) = whole([ray.dir]);
    let normal = cross(&minus(&b, &a), &minus(&c, &a));
    let along = dot(&normal, &d);
    if along.sign() == Sign::NoSign {
        return Verdict::Parallel;
    }
    let front = along.sign() == Sign::Minus;
    let mut far = dot(&normal, &minus(&a, &o));
    if front {
        far = -far;
    }
    let along = BigInt::from(along.magnitude().clone());
    // The point, times `along`.
    let point = [0, 1, 2].map(|k| &o[k] * &along + &far * &d[k]);
    let weight = |from: &Big3, to: &Big3| {
        let from_there = [0, 1, 2].map(|k| &point[k] - &from[k] * &along);
        dot(&cross(&minus(to, from), &from_there), &normal)
    };
    let (w, u, v) = (weight(&b, &c), weight(&c, &a), weight(&a, &b));
    if [&w, &u, &v]
        .iter()
        .any(|weight| weight.sign() == Sign::Minus)
    {
        return Verdict::Miss;
    }
    let on_edge = [&w, &u, &v]
        .iter()
        .any(|weight| weight.sign() == Sign::NoSign);
    let area = (dot(&normal, &normal) * &along).magnitude().clone();
    Verdict::Hit(Truth {
        t: rounded(&far, along.magnitude(), unit - unit_of_dir),
        u: rounded(&u, &area, 0),
        v: rounded(&v, &area, 0),
        front,
        on_edge,
    })
}

/// The documented predicate, written down again.
fn is_degenerate(triangle: &Triangle) -> bool {
    let [a, b, c] = [triangle.v0, triangle.v1, triangle.v2].map(|v| v.to_array().map(f64::from));
    let (p, q) = (
        [0, 1, 2].map(|k| b[k] - a[k]),
        [0, 1, 2].map(|k| c[k] - a[k]),
    );
    (0..3).all(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        p[i] * q[j] - p[j] * q[i] == 0.0
    })
}

// --- The pairs -----------------------------------------------------------------------------

type Pair = (Triangle, Ray);

struct Kind {
    name: &'static str,
    make: fn(&mut Random) -> Pair,
    /// The least and the greatest share of hits: what shows that the pairs are what they
    /// are meant to be.
    hits: (f64, f64),
}

const KINDS: [Kind; 21] = [
    Kind {
        name: "plain",
        make: plain,
        hits: (0.2, 0.8),
    },
    Kind {
        name: "grazing",
        make: grazing,
        hits: (0.2, 0.8),
    },
    Kind {
        name: "grazing an axis plane",
        make: grazing_flat,
        hits: (0.2, 0.9),
    },
    Kind {
        name: "sliver",
        make: sliver,
        hits: (0.1, 0.9),
    },
    Kind {
        name: "tiny",
        make: tiny,
        hits: (0.2, 0.8),
    },
    Kind {
        name: "huge",
        make: huge,
        hits: (0.2, 0.8),
    },
    Kind {
        name: "far from zero",
        make: far,
        hits: (0.2, 0.8),
    },
    Kind {
        name: "aimed at an edge",
        make: at_edge,
        hits: (0.2, 0.9),
    },
    Kind {
        name: "aimed at a vertex",
        make: at_vertex,
        hits: (0.1, 0.9),
    },
    Kind {
        name: "exactly at an edge or vertex",
        make: exactly_at_edge,
        hits: (0.9, 1.0),
    },
    Kind {
        name: "a hair off an edge",
        make: off_edge,
        hits: (0.3, 0.9),
    },
    Kind {
        name: "a hair off the plane",
        make: off_plane,
        hits: (0.2, 1.0),
    },
    Kind {
        name: "origin on the triangle",
        make: from_triangle,
        hits: (0.2, 1.0),
    },
    Kind {
        name: "in the plane",
        make: in_plane,
        hits: (0.0, 0.0),
    },
    Kind {
        name: "axis-aligned",
        make: along_axis,
        hits: (0.1, 0.9),
    },
    Kind {
        name: "denormal",
        make: denormal,
        hits: (0.05, 0.9),
    },
    Kind {
        name: "mixed exponents",
        make: mixed,
        hits: (0.01, 0.9),
    },
    Kind {
        name: "any bits",
        make: any_bits,
        hits: (0.005, 0.9),
    },
    Kind {
        name: "ties of rounding",
        make: tie,
        hits: (0.9, 1.0),
    },
    Kind {
        name: "next to no area",
        make: flat,
        hits: (0.0, 0.9),
    },
    Kind {
        name: "extremes",
        make: extreme,
        hits: (0.02, 0.9),
    },
];

fn triangle(random: &mut Random, scale: f32, at: Vec3) -> Triangle {
    let mut corner = || random.in_box(Vec3::NEG_ONE, Vec3::ONE) * scale + at;
    Triangle {
        v0: corner(),
        v1: corner(),
        v2: corner(),
    }
}

/// A point of the triangle's plane in or near it, as well as `f32` can say it.
fn near(random: &mut Random, t: &Triangle) -> Vec3 {
    let (u, v) = (random.range(-0.1, 1.0), random.range(-0.1, 1.0));
    let (u, v) = if u + v > 1.1 {
        (1.0 - u, 1.0 - v)
    } else {
        (u, v)
    };
    t.v0 * (1.0 - u - v) + t.v1 * u + t.v2 * v
}

fn towards(random: &mut Random, origin: Vec3, target: Vec3) -> Ray {
    let length = [1.0, 1.0, -0.37, 8.0, 1e-4, 3e3][random.below(6)];
    line(origin, (target - origin) * length)
}

/// The whole line.
fn line(origin: Vec3, dir: Vec3) -> Ray {
    Ray::new(origin, dir).with_range(f32::NEG_INFINITY, f32::INFINITY)
}

fn scaled(random: &mut Random, scale: f32, at: Vec3, reach: f32) -> Pair {
    let t = triangle(random, scale, at);
    let target = near(random, &t);
    let origin = random.in_box(Vec3::NEG_ONE, Vec3::ONE) * reach + at;
    let ray = towards(random, origin, target);
    (t, ray)
}

fn plain(random: &mut Random) -> Pair {
    scaled(random, 1.0, Vec3::ZERO, 2.0)
}

fn tiny(random: &mut Random) -> Pair {
    let reach = [1e-6, 1e-3, 1.0][random.below(3)];
    scaled(random, 1e-6, Vec3::ZERO, reach)
}

fn huge(random: &mut Random) -> Pair {
    let reach = [1e10, 1e6, 1.0][random.below(3)];
    scaled(random, 1e10, Vec3::ZERO, reach)
}

fn far(random: &mut Random) -> Pair {
    let at = random.direction() * 1e6;
    let scale = [10.0, 100.0, 1000.0][random.below(3)];
    if random.below(2) == 0 {
        scaled(random, scale, at, 10.0 * scale)
    } else {
        let t = triangle(random, scale, at);
        let origin = random.in_box(Vec3::NEG_ONE, Vec3::ONE);
        let target = near(random, &t);
        let ray = towards(random, origin, target);
        (t, ray)
    }
}

fn angle(random: &mut Random) -> f32 {
    10f32.powf(random.range(-9.0, -2.0))
}

fn grazing(random: &mut Random) -> Pair {
    let t = triangle(random, 1.0, Vec3::ZERO);
    let normal = t.normal().normalize_or_zero();
    let (p, q) = (near(random, &t), near(random, &t));
    let dir = (p - q).normalize_or_zero() + normal * angle(random);
    let ray = line(p - dir * random.range(0.1, 3.0), dir);
    (t, ray)
}

/// As above where the angle can really be as small as it is meant to be.
fn grazing_flat(random: &mut Random) -> Pair {
    let axis = random.below(3);
    let level = [0.0, 1.0, -1000.0, 0.1][random.below(4)];
    let mut t = triangle(random, 1.0, Vec3::ZERO);
    for corner in [&mut t.v0, &mut t.v1, &mut t.v2] {
        corner[axis] = level;
    }
    let (p, q) = (near(random, &t), near(random, &t));
    let mut dir = p - q;
    let slope = angle(random);
    dir[axis] = slope;
    let mut origin = p - dir;
    // Such rays start in the plane, unless it has room below it.
    origin[axis] = level - if level == 0.0 { slope } else { 0.0 };
    (t, line(origin, dir))
}

fn sliver(random: &mut Random) -> Pair {
    let mut t = triangle(random, 1.0, Vec3::ZERO);
    let width = 10f32.powf(random.range(-7.5, -3.0));
    let between = t.v0.lerp(t.v1, random.range(-0.5, 1.5));
    t.v2 = between + random.direction() * width;
    let target = near(random, &t);
    let origin = random.in_box(Vec3::splat(-2.0), Vec3::splat(2.0));
    let ray = towards(random, origin, target);
    (turned(random, t), ray)
}

/// The same triangle from another corner, and from either side.
fn turned(random: &mut Random, t: Triangle) -> Triangle {
    let mut corners = [t.v0, t.v1, t.v2];
    corners.rotate_left(random.below(3));
    if random.below(2) == 0 {
        corners.swap(1, 2);
    }
    let [v0, v1, v2] = corners;
    Triangle { v0, v1, v2 }
}

fn at_edge(random: &mut Random) -> Pair {
    let t = triangle(random, 1.0, Vec3::ZERO);
    let t = turned(random, t);
    let along = [0.5, 0.25, 0.75, random.unit()][random.below(4)];
    let target = t.v0 + (t.v1 - t.v0) * along;
    let origin = random.in_box(Vec3::splat(-3.0), Vec3::splat(3.0));
    let ray = towards(random, origin, target);
    (t, ray)
}

fn at_vertex(random: &mut Random) -> Pair {
    let t = triangle(random, 1.0, Vec3::ZERO);
    let t = turned(random, t);
    let origin = random.in_box(Vec3::splat(-3.0), Vec3::splat(3.0));
    let ray = towards(random, origin, t.v0);
    (t, ray)
}

fn int(random: &mut Random, bits: u32) -> i64 {
    i64::from(random.next() >> (32 - bits)) - (1 << (bits - 1))
}

fn ints(random: &mut Random, bits: u32) -> [i64; 3] {
    [(); 3].map(|()| int(random, bits))
}

fn sum(terms: &[(i64, [i64; 3])]) -> [i64; 3] {
    [0, 1, 2].map(|k| terms.iter().map(|(times, v)| times * v[k]).sum())
}

/// Whole numbers as a vector, exactly.
fn exactly(v: [i64; 3]) -> Vec3 {
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

fn exactly_at_edge(random: &mut Random) -> Pair {
    let (a, b, c) = (ints(random, 19), ints(random, 19), ints(random, 19));
    let o = ints(random, 20);
    // Four times a point of an edge, a vertex among them.
    let times = int(random, 2) + 2;
    let target = sum(&[(times, a), (4 - times, b)]);
    let d = sum(&[(1, target), (-4, o)]);
    let t = Triangle {
        v0: exactly(a),
        v1: exactly(b),
        v2: exactly(c),
    };
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

/// A small vector `d` that is `k` steps off the plane of `a` and `b`, where a step is the
/// least that whole numbers can be off it: the triple product of the three is near 2^-65 of
/// what its size would be, far below what `f64` can tell from zero. With the multiples of `a`
/// and `b` that it is nearest to (within one of each).
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

/// A ray that passes the edge from `v0` to `v2` as near as whole numbers can, on either side or
/// through it.
fn off_edge(random: &mut Random) -> Pair {
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
        let t = Triangle {
            v0: exactly(base),
            v1: corner(third),
            v2: corner(edge),
        };
        let ray = line(corner(s), exactly(d));
        let t = turned(random, t);
        return exact_scale(random, (t, ray));
    }
}

/// A ray that rises out of the plane as slowly as whole numbers can, or not at all.
fn off_plane(random: &mut Random) -> Pair {
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
        let t = Triangle {
            v0: exactly(base),
            v1: corner(p),
            v2: corner(q),
        };
        let t = turned(random, t);
        return exact_scale(random, (t, line(exactly(o), exactly(d))));
    }
}

fn from_triangle(random: &mut Random) -> Pair {
    let dir = random.direction();
    let t = triangle(random, 1.0, Vec3::ZERO);
    let origin = match random.below(4) {
        0 => near(random, &t),
        1 => t.v0,
        2 => t.v1,
        _ => t.v1 + (t.v2 - t.v1) * random.unit(),
    };
    (t, line(origin, dir))
}

fn in_plane(random: &mut Random) -> Pair {
    let (base, p, q) = (ints(random, 18), ints(random, 18), ints(random, 18));
    let corner = |v| exactly(sum(&[(1, base), (4, v)]));
    let mut t = Triangle {
        v0: exactly(base),
        v1: corner(p),
        v2: corner(q),
    };
    let mut small = || int(random, 3);
    let mut origin = exactly(sum(&[(1, base), (small(), p), (small(), q)]));
    let mut dir = exactly(sum(&[(small(), p), (small(), q)]));
    if small() == 0 {
        // In a plane of two axes, where no numbers are too long.
        let (axis, level) = (random.below(3), random.range(-9.0, 9.0));
        dir = random.direction();
        for v in [&mut t.v0, &mut t.v1, &mut t.v2, &mut origin] {
            v[axis] = level;
        }
        dir[axis] = [0.0, -0.0][random.below(2)];
    }
    let t = turned(random, t);
    (t, line(origin, dir))
}

fn along_axis(random: &mut Random) -> Pair {
    let t = triangle(random, 1.0, Vec3::ZERO);
    let target = match random.below(4) {
        0 => t.v0,
        1 => t.v0 + (t.v1 - t.v0) * 0.5,
        _ => near(random, &t),
    };
    let axis = random.below(3);
    let zero = [0.0, -0.0][random.below(2)];
    let mut dir = Vec3::splat(zero);
    dir[axis] = [1.0, -1.0, 0.1, -1e3][random.below(4)];
    if random.below(3) == 0 {
        dir[(axis + 1) % 3] = [0.5, -1.0][random.below(2)];
    }
    (t, line(target - dir * random.range(0.0, 3.0), dir))
}

fn subnormal(random: &mut Random) -> f32 {
    let bits = random.next() & 0x80ff_ffff;
    f32::from_bits(bits & !(0x7f_ffff >> random.below(23)) | bits & 0xff)
}

fn denormal(random: &mut Random) -> Pair {
    let mut corner = || Vec3::from_array([(); 3].map(|()| subnormal(random)));
    let t = Triangle {
        v0: corner(),
        v1: corner(),
        v2: corner(),
    };
    let origin = corner();
    let target = near(random, &t);
    let mut dir = target - origin;
    if random.below(2) == 0 {
        dir = Vec3::from_array(dir.to_array().map(|x| x * 1e30));
    }
    (t, line(origin, dir))
}

fn mixed(random: &mut Random) -> Pair {
    let mut number = || {
        let exponent = 127 + random.below(120) as u32 - 60;
        f32::from_bits(random.next() & 0x807f_ffff | exponent << 23)
    };
    let mut point = || Vec3::from_array([number(), number(), number()]);
    let (t, origin) = (
        Triangle {
            v0: point(),
            v1: point(),
            v2: point(),
        },
        point(),
    );
    if random.below(4) == 0 {
        let dir = random.direction();
        return (t, line(origin, dir));
    }
    let target = near(random, &t);
    (t, line(origin, target - origin))
}

fn any_bits(random: &mut Random) -> Pair {
    let mut number = || {
        loop {
            let x = f32::from_bits(random.next());
            if x.is_finite() {
                return x;
            }
        }
    };
    let mut point = || Vec3::from_array([number(), number(), number()]);
    let t = Triangle {
        v0: point(),
        v1: point(),
        v2: point(),
    };
    let (origin, dir) = (point(), point());
    if dir.to_array() == [0.0; 3] || random.below(2) == 0 {
        return (t, line(origin, dir));
    }
    // Halved, so that few of them overflow.
    let aim = near(random, &t) * 0.5 - origin * 0.5;
    (
        t,
        line(
            origin,
            if aim.is_finite() && aim != Vec3::ZERO {
                aim
            } else {
                dir
            },
        ),
    )
}

/// A hit whose `t` and `u` need 25 bits: half way between two numbers.
fn tie(random: &mut Random) -> Pair {
    let axis = random.below(3);
    let (x, y) = ((axis + 1) % 3, (axis + 2) % 3);
    // An odd number of steps of 2^-24 above 1/2, so that the sum with 1 needs 25 bits.
    let odd = |random: &mut Random| 0.5 + (random.next() >> 9 | 1) as f32 / (1 << 24) as f32;
    let mut corners = [Vec3::ZERO; 3];
    let level = odd(random);
    for corner in &mut corners {
        corner[x] = -1.0;
        corner[y] = -1.0;
        corner[axis] = level;
    }
    corners[1][x] = 1.0;
    corners[2][y] = 7.0;
    let mut origin = Vec3::ZERO;
    origin[x] = odd(random) - [0.0, 1.0][random.below(2)];
    origin[y] = -1.0 + 1e-4 * random.unit();
    origin[axis] = -1.0;
    let mut dir = Vec3::ZERO;
    dir[axis] = [1.0, -1.0, 4.0, 0.125][random.below(4)];
    let t = Triangle {
        v0: corners[0],
        v1: corners[1],
        v2: corners[2],
    };
    (t, line(origin, dir))
}

/// Triangles whose area `f64` may not see, or that have none.
fn flat(random: &mut Random) -> Pair {
    let a = ints(random, 20);
    let step = ints(random, 17);
    let mut t = Triangle {
        v0: exactly(a),
        v1: exactly(sum(&[(1, a), (2, step)])),
        v2: exactly(sum(&[(1, a), (5, step)])),
    };
    let along = random.range(0.0, 5.0);
    let mut target = t.v0.lerp(t.v2, along / 5.0);
    match random.below(4) {
        0 => {}
        1 => t.v2 = t.v1,
        2 => {
            let axis = random.below(3);
            t.v2[axis] = t.v2[axis].next_up();
            target = t.v2.lerp(t.v1, random.unit());
        }
        _ => {
            // Wider than 53 bits: the differences are rounded.
            let axis = random.below(3);
            t.v0[axis] = 1e-20;
            t.v1[axis] = 3e-19;
            target = t.v0.lerp(t.v2, random.unit());
        }
    }
    let origin = exactly(ints(random, 20));
    let t = turned(random, t);
    let ray = towards(random, origin, target);
    (t, ray)
}

/// The largest and the smallest numbers that there are, side by side.
fn extreme(random: &mut Random) -> Pair {
    const ODD: [f32; 12] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        -f32::MIN_POSITIVE,
        f32::from_bits(1),
        f32::EPSILON,
        1e10,
        -16777215.0,
    ];
    let mut number = || ODD[random.below(ODD.len())];
    let mut point = || Vec3::from_array([number(), number(), number()]);
    let t = Triangle {
        v0: point(),
        v1: point(),
        v2: point(),
    };
    let (origin, mut dir) = (point(), point());
    if dir == Vec3::ZERO {
        dir.x = 1.0;
    }
    (t, line(origin, dir))
}

// --- The trial -----------------------------------------------------------------------------

#[derive(Clone, Copy, Default)]
struct Count {
    pairs: usize,
    hits: usize,
    on_edge: usize,
    parallel: usize,
    /// Hits and misses that the test of Möller and Trumbore gets wrong, in `f64`.
    moller_trumbore: usize,
}

/// Compares the two on one pair.
fn try_pair(t: &Triangle, ray: &Ray, count: &mut Count) -> Result<(), String> {
    let degenerate = is_degenerate(t);
    if degenerate != t.is_degenerate() {
        return Err(format!("is_degenerate says {}", t.is_degenerate()));
    }
    let verdict = if ray.dir == Vec3::ZERO || degenerate {
        Verdict::Miss
    } else {
        judge(t, ray)
    };
    let truth = match verdict {
        Verdict::Hit(truth) if truth.t.is_finite() => Some(truth),
        Verdict::Parallel => {
            count.parallel += 1;
            None
        }
        _ => None,
    };
    count.pairs += 1;
    count.hits += usize::from(truth.is_some());
    count.on_edge += usize::from(truth.as_ref().is_some_and(|truth| truth.on_edge));
    count.moller_trumbore +=
        usize::from(t.intersect_moller_trumbore(ray).is_some() != truth.is_some());

    let got = t.intersect(ray);
    let bits = |t: f32, u: f32, v: f32, front: bool| (t.to_bits(), u.to_bits(), v.to_bits(), front);
    let is = got.map(|h| bits(h.t, h.u, h.v, h.front));
    let should = truth.as_ref().map(|h| bits(h.t, h.u, h.v, h.front));
    if is != should {
        return Err(format!("the reference says {got:?}, the judge {truth:?}"));
    }
    // The interval is closed, and what is rounded is what counts.
    if let Some(Truth { t: at, .. }) = truth {
        for (t_min, t_max, inside) in [
            (at, at, true),
            (f32::NEG_INFINITY, at, true),
            (f32::NEG_INFINITY, at.next_down(), false),
            (at.next_up(), f32::INFINITY, false),
            (at, at.next_down(), false),
            (0.0, f32::INFINITY, at >= 0.0),
            (f32::NAN, at, false),
            (at, f32::NAN, false),
        ] {
            let got = t.intersect(&ray.with_range(t_min, t_max));
            if got.map(|h| bits(h.t, h.u, h.v, h.front)) != should.filter(|_| inside) {
                return Err(format!(
                    "{t_min}..={t_max} gives {got:?}, the judge {truth:?}"
                ));
            }
        }
    }
    Ok(())
}

const CHUNK: usize = 1000;

#[test]
fn every_bit_is_the_exact_one() {
    println!(
        "the scalar reference; kernels here: {:?}",
        Level::available()
    );
    let chunks = 5 * long();
    let next = AtomicUsize::new(0);
    let counts = Mutex::new([Count::default(); KINDS.len()]);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let task = next.fetch_add(1, Ordering::Relaxed);
                    let (chunk, which) = (task / KINDS.len(), task % KINDS.len());
                    if chunk >= chunks {
                        return;
                    }
                    let kind = &KINDS[which];
                    let mut random = Random::new(((which as u64) << 32) + chunk as u64);
                    let mut count = Count::default();
                    for number in 0..CHUNK {
                        let (t, ray) = (kind.make)(&mut random);
                        if let Err(error) = try_pair(&t, &ray, &mut count) {
                            panic!(
                                "{}, chunk {chunk}, pair {number}: {error}\n{t:?}\n{ray:?}",
                                kind.name
                            );
                        }
                    }
                    let total = &mut counts.lock().unwrap()[which];
                    total.pairs += count.pairs;
                    total.hits += count.hits;
                    total.on_edge += count.on_edge;
                    total.parallel += count.parallel;
                    total.moller_trumbore += count.moller_trumbore;
                }
            });
        }
    });

    let counts = counts.into_inner().unwrap();
    let mut all = Count::default();
    println!(
        "{:30} {:>10} {:>10} {:>10} {:>10} {:>16}",
        "", "pairs", "hits", "on edges", "parallel", "wrong by M.-T."
    );
    for (kind, count) in KINDS.iter().zip(&counts) {
        let Count {
            pairs,
            hits,
            on_edge,
            parallel,
            moller_trumbore,
        } = *count;
        println!(
            "{:30} {pairs:>10} {hits:>10} {on_edge:>10} {parallel:>10} {moller_trumbore:>16}",
            kind.name
        );
        all.pairs += pairs;
        all.hits += hits;
        all.on_edge += on_edge;
        all.parallel += parallel;
        all.moller_trumbore += moller_trumbore;
    }
    println!(
        "{:30} {:>10} {:>10} {:>10} {:>10} {:>16}",
        "all, without a difference",
        all.pairs,
        all.hits,
        all.on_edge,
        all.parallel,
        all.moller_trumbore
    );

    // The pairs are as hard as they are meant to be.
    assert_eq!(all.pairs, chunks * CHUNK * KINDS.len());
    for (kind, count) in KINDS.iter().zip(&counts) {
        let share = count.hits as f64 / count.pairs as f64;
        let (least, most) = kind.hits;
        assert!(
            least <= share && share <= most,
            "{}: {share} of the pairs hit",
            kind.name
        );
    }
    assert!(
        all.on_edge > all.pairs / 50,
        "few rays are exactly on an edge"
    );
    assert!(
        all.moller_trumbore > all.pairs / 100,
        "plain f64 would do for these pairs"
    );
}

/// The judge itself, where the answer is known: hardware rounds quotients of two `f32` rightly.
#[test]
fn the_judge_rounds_as_hardware_does() {
    println!("the judge alone; kernels here: {:?}", Level::available());
    let mut random = Random::new(77);
    let mut checked = 0;
    while checked < 20_000 * long().min(20) {
        let (a, b) = (f32::from_bits(random.next()), f32::from_bits(random.next()));
        // Half of them near each other, so that the quotient is an ordinary number; and some
        // with few bits, so that there are ties and exact ones.
        let b = if checked % 2 == 0 {
            b
        } else {
            f32::from_bits(a.to_bits() ^ b.to_bits() >> 8)
        };
        let b = if checked % 3 == 0 {
            f32::from_bits(b.to_bits() & !0xf_ffff)
        } else {
            b
        };
        if !a.is_finite() || !b.is_finite() || a == 0.0 || b == 0.0 {
            continue;
        }
        let ((m, e), (n, f)) = (parts(a), parts(b));
        let top = BigInt::from(m * n.signum());
        let got = rounded(&top, BigInt::from(n).magnitude(), e - f);
        assert_eq!(got.to_bits(), (a / b).to_bits(), "{a:e} / {b:e}");
        checked += 1;
    }
}

/// What the judge says of a case that can be done in the head.
#[test]
fn the_judge_knows_the_simple_case() {
    println!("the judge alone; kernels here: {:?}", Level::available());
    let t = Triangle::new([0.0, 0.0, 2.0], [4.0, 0.0, 2.0], [0.0, 8.0, 2.0]);
    let from_below = Ray::new([1.0, 2.0, 0.0], [0.0, 0.0, 4.0]);
    let Verdict::Hit(hit) = judge(&t, &from_below) else {
        panic!("it is hit")
    };
    assert_eq!(
        (hit.t, hit.u, hit.v, hit.front, hit.on_edge),
        (0.5, 0.25, 0.25, false, false)
    );
    let on_edge = Ray::new([4.0, 0.0, 0.0], [-2.0, 4.0, 2.0]);
    let Verdict::Hit(hit) = judge(&t, &on_edge) else {
        panic!("it is hit")
    };
    assert_eq!(
        (hit.t, hit.u, hit.v, hit.front, hit.on_edge),
        (1.0, 0.5, 0.5, false, true)
    );
    assert!(matches!(
        judge(&t, &Ray::new([5.0, 0.0, 0.0], [0.0, 0.0, 1.0])),
        Verdict::Miss
    ));
    assert!(matches!(
        judge(&t, &Ray::new([0.0, 0.0, 2.0], [1.0, 1.0, 0.0])),
        Verdict::Parallel
    ));
}
