//! Integers of 128 bits for rays that floating point cannot decide, of numbers that are not far apart.
//!
//! A ray through an edge or a vertex, exactly, is beyond what bounds on errors can tell, and on levels made of
//! whole or half units it is common: straight down in the middle of a tile. With all numbers as whole multiples of a
//! power of two, one for points and one for directions, the determinants are products of machine integers.

use super::bigint::Unit;
use crate::geometry::ray::Ray;
use crate::geometry::vec3_f64::{Corners, difference, round_within};

/// So many bits numbers may be apart. A difference has one more; a determinant is a sum of six products of three, and
/// sometimes one of three determinants, which takes another five.
const APART: u32 = 39;
const _: () = assert!(3 * (APART + 1) + 5 < 127);

/// The determinants of [`intersect_exact`](super::intersect_exact): of the whole, and of the weights and `t` times that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Determinants {
    det: i128,
    u: i128,
    v: i128,
    t: i128,
    /// What `t` by `det` is to be multiplied by: a power of two.
    scale: f64,
}

impl Determinants {
    /// Those of finite numbers, where 128 bits hold them.
    pub(super) fn of(ray: &Ray, corners: &Corners) -> Option<Self> {
        let (origin, dir) = (ray.origin.to_array(), ray.dir.to_array());
        let [a, b, c] = *corners;
        let points = Unit::of([origin, a, b, c].as_flattened(), APART)?.per_one();
        let dirs = Unit::of(&dir, APART)?.per_one();
        // (Neither differences nor products are rounded, nor are the integers cut off.)
        let whole = |v: [f64; 3], unit: f64| v.map(|x| (x * unit) as i64);
        let e1 = whole(difference(b, a), points);
        let e2 = whole(difference(c, a), points);
        let s = whole(difference(origin, a), points);
        let d = whole(dir.map(f64::from), dirs);
        let (normal, q) = (cross(e1, e2), cross(s, d));
        Some(Self {
            det: -dot(d, normal),
            u: dot(e2, q),
            v: -dot(e1, q),
            t: dot(s, normal),
            scale: dirs / points,
        })
    }

    /// The sign of the whole, and of what the three weights are times that.
    pub(super) fn signs(&self) -> (i32, [i32; 3]) {
        let sign = |x: i128| x.signum() as i32;
        let w = self.det - self.u - self.v;
        (sign(self.det), [sign(self.u), sign(self.v), sign(w)])
    }

    /// `t` and the weights of the second and third vertex, rounded once, if bounds on their errors leave no doubt
    /// about them. The whole is not zero.
    pub(super) fn quotients(&self) -> Option<[f32; 3]> {
        Some([
            self.quotient(self.t, self.scale)?,
            self.quotient(self.u, 1.0)?,
            self.quotient(self.v, 1.0)?,
        ])
    }

    fn quotient(&self, over: i128, scale: f64) -> Option<f32> {
        if over == 0 {
            return Some(0.0);
        }
        let quotient = over as f64 / self.det as f64 * scale;
        // Three roundings; the bound has room for its own.
        round_within(quotient, quotient.abs() * (4.0 / (1u64 << 53) as f64))
    }
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
    use crate::geometry::exact::bigint::{ALL, Int, determinants};
    use crate::test_rng;

    /// Rays and triangles of whole numbers, large and small, and of numbers that have as many bits as there may be.
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
            let Some(int128) = Determinants::of(&ray, &corners) else {
                continue;
            };
            seen += 1;
            let [det, u, v, t] = determinants::<ALL>(&ray, &corners, Unit::LEAST);
            let w = det.sub(&u).sub(&v);
            let signs = (det.signum(), [&u, &v, &w].map(Int::signum));
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
            Determinants::of(&ray, &corners).is_some()
        };
        assert!(is_held(0.5, 0.0));
        assert!(is_held(1.0 / (1u64 << 38) as f32, 1.0 / (1u64 << 38) as f32));
        assert!(!is_held(1.0 / (1u64 << 39) as f32, 0.0));
        assert!(!is_held(0.5, 1.0 / (1u64 << 39) as f32));
    }
}
