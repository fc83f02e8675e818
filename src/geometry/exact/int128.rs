//! Integers of 128 bits, for numbers that are not far apart in magnitude.
//!
//! A ray exactly through an edge or a vertex is beyond what error bounds can decide, and it is
//! common on levels built on a grid: straight down onto the centre of a tile. There all numbers
//! are whole multiples of a power of two, and the determinants are products of machine integers.

use super::bigint::mantissa_and_exponent;
use crate::array::Each;
use crate::geometry::ray::Ray;
use crate::geometry::vec3_f64::{Corners, difference, round_within};

/// The largest number of bits that numbers may span, from the lowest bit of any to the highest.
///
/// **Lemma 3 (128-bit range).** Numbers below 2^39 units have differences below 2^40; `f64`
/// holds these and `i64` too. A determinant, the sum of six products of three, is below
/// 6 * 2^120 < 2^123, and the difference of three determinants below 2^125, within an `i128`.
const SPAN: u32 = 39;

/// The determinants of [`intersect_exact`](super::intersect_exact) as integers: the whole, and
/// the weights and `t` times the whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Determinants {
    det: i128,
    u: i128,
    v: i128,
    t: i128,
    /// The power of two that turns `t / det` into the ray's units.
    scale: f64,
}

impl Determinants {
    /// The determinants of finite numbers; `None` where 128 bits do not hold them.
    pub(super) fn new(ray: &Ray, corners: &Corners) -> Option<Self> {
        let (origin, dir) = (ray.origin.to_array(), ray.dir.to_array());
        let [a, b, c] = *corners;
        let points = units_per_one([origin, a, b, c].as_flattened())?;
        let dirs = units_per_one(&dir)?;
        // Lemma 3: no difference is rounded, and no conversion cuts bits off.
        let whole = |v: [f64; 3], unit: f64| v.each(|x| (x * unit) as i64);
        let e1 = whole(difference(b, a), points);
        let e2 = whole(difference(c, a), points);
        let s = whole(difference(origin, a), points);
        let d = whole(dir.each(f64::from), dirs);
        let (normal, q) = (cross(e1, e2), cross(s, d));
        Some(Self {
            det: -dot(d, normal),
            u: dot(e2, q),
            v: -dot(e1, q),
            t: dot(s, normal),
            scale: dirs / points,
        })
    }

    /// The sign of the whole, and the signs of the three weights times the whole.
    pub(super) fn signs(&self) -> (i32, [i32; 3]) {
        let sign = |x: i128| x.signum() as i32;
        let w = self.det - self.u - self.v;
        (sign(self.det), [sign(self.u), sign(self.v), sign(w)])
    }

    /// The sign of the origin's height over the triangle's plane.
    pub(super) fn origin_side(&self) -> i32 {
        self.t.signum() as i32
    }

    /// `t` and the weights of the second and third vertex, rounded once, if error bounds leave
    /// no doubt about the last bit. The whole must not be zero.
    pub(super) fn quotients(&self) -> Option<[f32; 3]> {
        let quotient = |over: i128, scale: f64| {
            if over == 0 {
                return Some(0.0);
            }
            let quotient = over as f64 / self.det as f64 * scale;
            // Three roundings of 2^-53; the fourth is for the bound itself.
            round_within(quotient, quotient.abs() * (4.0 / (1u64 << 53) as f64))
        };
        Some([quotient(self.t, self.scale)?, quotient(self.u, 1.0)?, quotient(self.v, 1.0)?])
    }
}

/// The sign of the area of a triangle in a plane: 1 if its points are counter-clockwise. `None`
/// where 128 bits do not hold it.
pub(super) fn area_side(points: &[[f32; 2]; 3]) -> Option<i32> {
    let unit = units_per_one(points.as_flattened())?;
    let [a, b, c] = points.each(|point| point.each(f64::from));
    // Lemma 3: no difference is rounded.
    let way = |to: [f64; 2]| [0, 1].each(|k| ((to[k] - a[k]) * unit) as i128);
    let ([x, y], [u, v]) = (way(b), way(c));
    Some((x * v - y * u).signum() as i32)
}

/// The inverse of the largest power of two that divides all of some finite numbers; `None` if
/// they span more than [`SPAN`] bits.
fn units_per_one(numbers: &[f32]) -> Option<f64> {
    let (low, high) = span(numbers);
    if high == 0 {
        return Some(1.0);
    }
    (high - low <= SPAN).then(|| f64::from_bits(u64::from(1023 + 150 - low) << 52))
}

/// The lowest bit of any of some finite numbers, and the one above the highest; zero twice if all
/// are zero.
pub(super) fn span<'a>(numbers: impl IntoIterator<Item = &'a f32>) -> (u32, u32) {
    let (mut low, mut high) = (u32::MAX, 0);
    for (mantissa, exponent) in numbers.into_iter().map(|&x| mantissa_and_exponent(x)) {
        if mantissa != 0 {
            low = low.min(exponent + mantissa.trailing_zeros());
            high = high.max(exponent + 64 - mantissa.leading_zeros());
        }
    }
    (low.min(high), high)
}

fn cross(a: [i64; 3], b: [i64; 3]) -> [i128; 3] {
    let product = |x: i64, y: i64| i128::from(x) * i128::from(y);
    [
        product(a[1], b[2]) - product(a[2], b[1]),
        product(a[2], b[0]) - product(a[0], b[2]),
        product(a[0], b[1]) - product(a[1], b[0]),
    ]
}

fn dot(a: [i64; 3], b: [i128; 3]) -> i128 {
    i128::from(a[0]) * b[0] + i128::from(a[1]) * b[1] + i128::from(a[2]) * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::exact::bigint::{Int1024, determinants};
    use crate::test_rng;

    /// Rays and triangles of whole numbers, large and small, and of numbers with as many bits as
    /// 128-bit determinants allow.
    #[test]
    fn signs_and_quotients_are_those_of_larger_integers() {
        let mut state = 1;
        let mut number = |i: usize| {
            let bits = test_rng::bits(&mut state);
            let size = match i % 3 {
                0 => (bits % 5) as f32,
                1 => (bits % 1024) as f32 / 32.0,
                _ => f32::from_bits(0x3f80_0000 + (bits >> 20) as u32 % (16 << 23)),
            };
            if bits >> 63 == 0 { size } else { -size }
        };
        let (mut seen, mut on_edges, mut plain) = (0, 0, 0);
        for i in 0..if cfg!(miri) { 60 } else { 60_000 } {
            let mut point = || [number(i), number(i), number(i)];
            let corners = [point(), point(), point()];
            let scale = [1.0, 1.0 / (1u64 << 40) as f32, (1u64 << 60) as f32][i / 3 % 3];
            let ray = Ray::new(point(), point().map(|x| x * scale));
            let Some(int128) = Determinants::new(&ray, &corners) else {
                continue;
            };
            seen += 1;
            let [det, u, v, t] = determinants(&ray, &corners);
            let w = det.sub(&u).sub(&v);
            let signs = (det.signum(), [&u, &v, &w].map(Int1024::signum));
            assert_eq!(int128.signs(), signs, "{ray:?} {corners:?}");
            if signs.0 == 0 {
                continue;
            }
            on_edges += usize::from(signs.1.contains(&0));
            if let Some(quotients) = int128.quotients() {
                plain += 1;
                let right = [t, u, v].map(|over| over.quotient(&det).to_bits());
                assert_eq!(quotients.map(f32::to_bits), right, "{ray:?} {corners:?}");
            }
        }
        println!("{seen}, {on_edges} on edges, {plain} without larger integers");
        assert!(cfg!(miri) || (seen > 50_000 && on_edges > 2_000 && plain > 40_000));
    }

    #[test]
    fn numbers_that_are_too_far_apart_are_left_to_larger_integers() {
        let corners = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];
        let is_held = |from: f32, dir: f32| {
            let ray = Ray::new([0.25, from, 0.0], [0.0, dir, 1.0]);
            Determinants::new(&ray, &corners).is_some()
        };
        assert!(is_held(0.5, 0.0));
        assert!(is_held(1.0 / (1u64 << 38) as f32, 1.0 / (1u64 << 38) as f32));
        assert!(!is_held(1.0 / (1u64 << 39) as f32, 0.0));
        assert!(!is_held(0.5, 1.0 / (1u64 << 39) as f32));
    }
}
