//! Rays and triangles whose hits are hard to decide.

use hitscan::glam::Vec3;
use hitscan::{Ray, Triangle};

use super::lattice::{exactly, exactly_at_edge, int, ints, off_edge, off_plane, sum};
use crate::support::Random;

pub(crate) type Pair = (Triangle, Ray);

pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) make: fn(&mut Random) -> Pair,
    /// The smallest and the largest share of hits, to check that the pairs are as intended.
    pub(crate) hits: (f64, f64),
}

pub(crate) const KINDS: [Kind; 21] = [
    Kind { name: "plain", make: plain, hits: (0.2, 0.8) },
    Kind { name: "grazing", make: grazing, hits: (0.2, 0.8) },
    Kind { name: "grazing an axis plane", make: grazing_flat, hits: (0.2, 0.9) },
    Kind { name: "sliver", make: sliver, hits: (0.1, 0.9) },
    Kind { name: "tiny", make: tiny, hits: (0.2, 0.8) },
    Kind { name: "huge", make: huge, hits: (0.2, 0.8) },
    Kind { name: "far from zero", make: far, hits: (0.2, 0.8) },
    Kind { name: "aimed at an edge", make: at_edge, hits: (0.2, 0.9) },
    Kind { name: "aimed at a vertex", make: at_vertex, hits: (0.1, 0.9) },
    Kind { name: "exactly at an edge or vertex", make: exactly_at_edge, hits: (0.9, 1.0) },
    Kind { name: "a hair off an edge", make: off_edge, hits: (0.3, 0.9) },
    Kind { name: "a hair off the plane", make: off_plane, hits: (0.2, 1.0) },
    Kind { name: "origin on the triangle", make: from_triangle, hits: (0.2, 1.0) },
    Kind { name: "in the plane", make: in_plane, hits: (0.0, 0.0) },
    Kind { name: "axis-aligned", make: along_axis, hits: (0.1, 0.9) },
    Kind { name: "denormal", make: denormal, hits: (0.05, 0.9) },
    Kind { name: "mixed exponents", make: mixed, hits: (0.01, 0.9) },
    Kind { name: "any bits", make: any_bits, hits: (0.005, 0.9) },
    Kind { name: "ties of rounding", make: tie, hits: (0.9, 1.0) },
    Kind { name: "next to no area", make: flat, hits: (0.0, 0.9) },
    Kind { name: "extremes", make: extreme, hits: (0.02, 0.9) },
];

fn triangle(random: &mut Random, scale: f32, at: Vec3) -> Triangle {
    let mut corner = || random.in_box(Vec3::NEG_ONE, Vec3::ONE) * scale + at;
    Triangle { v0: corner(), v1: corner(), v2: corner() }
}

/// A point of the triangle's plane in or near the triangle, rounded to `f32`.
fn near(random: &mut Random, t: &Triangle) -> Vec3 {
    let (u, v) = (random.range(-0.1, 1.0), random.range(-0.1, 1.0));
    let (u, v) = if u + v > 1.1 { (1.0 - u, 1.0 - v) } else { (u, v) };
    t.v0 * (1.0 - u - v) + t.v1 * u + t.v2 * v
}

fn towards(random: &mut Random, origin: Vec3, target: Vec3) -> Ray {
    let length = [1.0, 1.0, -0.37, 8.0, 1e-4, 3e3][random.below(6)];
    line(origin, (target - origin) * length)
}

/// The whole line.
pub(crate) fn line(origin: Vec3, dir: Vec3) -> Ray {
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

/// As above, in a plane where the angle is exact.
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
    // Such rays start in the plane if it is at zero.
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

/// The same triangle with another first corner, and with either orientation.
pub(crate) fn turned(random: &mut Random, t: Triangle) -> Triangle {
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
    let mut t = Triangle { v0: exactly(base), v1: corner(p), v2: corner(q) };
    let mut small = || int(random, 3);
    let mut origin = exactly(sum(&[(1, base), (small(), p), (small(), q)]));
    let mut dir = exactly(sum(&[(small(), p), (small(), q)]));
    if small() == 0 {
        // In an axis-aligned plane, where all numbers are exact.
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
    let t = Triangle { v0: corner(), v1: corner(), v2: corner() };
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
    let (t, origin) = (Triangle { v0: point(), v1: point(), v2: point() }, point());
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
    let t = Triangle { v0: point(), v1: point(), v2: point() };
    let (origin, dir) = (point(), point());
    if dir.to_array() == [0.0; 3] || random.below(2) == 0 {
        return (t, line(origin, dir));
    }
    // Halved, so that few of them overflow.
    let aim = near(random, &t) * 0.5 - origin * 0.5;
    (t, line(origin, if aim.is_finite() && aim != Vec3::ZERO { aim } else { dir }))
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
    let t = Triangle { v0: corners[0], v1: corners[1], v2: corners[2] };
    (t, line(origin, dir))
}

/// Triangles without area, or with less than `f64` can show.
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

/// The largest and the smallest numbers together.
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
    let t = Triangle { v0: point(), v1: point(), v2: point() };
    let (origin, mut dir) = (point(), point());
    if dir == Vec3::ZERO {
        dir.x = 1.0;
    }
    (t, line(origin, dir))
}
