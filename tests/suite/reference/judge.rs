//! Where a ray meets a triangle, in integers of any size.

use hitscan::glam::Vec3;
use hitscan::{Ray, Triangle};
use num_bigint::{BigInt, BigUint, Sign};

/// `x` as a whole number times a power of two, the number odd (or zero).
pub(crate) fn parts(x: f32) -> (i64, i32) {
    let bits = x.to_bits();
    let exponent = (bits >> 23 & 0xff) as i32;
    let fraction = i64::from(bits & 0x7f_ffff);
    let (mantissa, exponent) =
        if exponent == 0 { (fraction, -149) } else { (fraction | 1 << 23, exponent - 150) };
    if mantissa == 0 {
        return (0, i32::MAX);
    }
    let zeros = mantissa.trailing_zeros();
    let sign = if bits >> 31 == 1 { -1 } else { 1 };
    (sign * (mantissa >> zeros), exponent + zeros as i32)
}

/// All of these as integer multiples of one power of two, and its exponent.
pub(crate) fn whole<const N: usize>(xs: [Vec3; N]) -> ([[BigInt; 3]; N], i32) {
    let parts = xs.map(|v| v.to_array().map(parts));
    let least = parts.iter().flatten().map(|p| p.1).min().unwrap();
    let ints = parts.map(|v| {
        v.map(|(m, e)| if m == 0 { BigInt::from(0) } else { BigInt::from(m) << (e - least) })
    });
    (ints, if least == i32::MAX { 0 } else { least })
}

pub(crate) type Big3 = [BigInt; 3];

pub(crate) fn minus(a: &Big3, b: &Big3) -> Big3 {
    [0, 1, 2].map(|k| &a[k] - &b[k])
}

pub(crate) fn cross(a: &Big3, b: &Big3) -> Big3 {
    [0, 1, 2].map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        &a[i] * &b[j] - &a[j] * &b[i]
    })
}

pub(crate) fn dot(a: &Big3, b: &Big3) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

/// `n / d * 2^exponent` rounded to the nearest `f32`, ties to even, for a positive `d`.
pub(crate) fn rounded(n: &BigInt, d: &BigUint, exponent: i32) -> f32 {
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

/// Where the exact line meets the exact triangle.
#[derive(Debug)]
pub(crate) struct Truth {
    pub(crate) t: f32,
    pub(crate) u: f32,
    pub(crate) v: f32,
    pub(crate) front: bool,
    /// Whether it is exactly on an edge.
    pub(crate) on_edge: bool,
}

pub(crate) enum Verdict {
    Hit(Truth),
    Miss,
    /// The line is parallel to the plane, or there is no line.
    Parallel,
}

pub(crate) fn judge(triangle: &Triangle, ray: &Ray) -> Verdict {
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
    if [&w, &u, &v].iter().any(|weight| weight.sign() == Sign::Minus) {
        return Verdict::Miss;
    }
    let on_edge = [&w, &u, &v].iter().any(|weight| weight.sign() == Sign::NoSign);
    let area = (dot(&normal, &normal) * &along).magnitude().clone();
    Verdict::Hit(Truth {
        t: rounded(&far, along.magnitude(), unit - unit_of_dir),
        u: rounded(&u, &area, 0),
        v: rounded(&v, &area, 0),
        front,
        on_edge,
    })
}

/// The documented predicate, implemented independently.
pub(crate) fn is_degenerate(triangle: &Triangle) -> bool {
    let [a, b, c] = [triangle.v0, triangle.v1, triangle.v2].map(|v| v.to_array().map(f64::from));
    let (p, q) = ([0, 1, 2].map(|k| b[k] - a[k]), [0, 1, 2].map(|k| c[k] - a[k]));
    (0..3).all(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        p[i] * q[j] - p[j] * q[i] == 0.0
    })
}
