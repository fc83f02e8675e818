//! Rays along an axis, such as ground probes: two coordinates decide, and `f64` mostly holds their
//! products.
//!
//! On levels built on a grid such rays often pass exactly through edges, where error bounds decide
//! nothing.
//!
//! **Lemma 99 (rays along an axis).** Let `e = 2^-53`. The differences of the corners from the
//! origin are exact, and those on the two other axes have at most 26 bits, so their products are
//! exact. Each of the three areas, a difference of two products, is rounded once: its sign is
//! exact. If the ray hits, all areas have one sign or are zero, so their sum is off by 3 `e` of
//! itself. A weight, the quotient of an area and the sum, is off by 5 `e` of itself. The mean of
//! the heights, weighted with the areas, has four roundings of at most `e` of the largest height,
//! the sum of the areas gives three, the product with the direction one, and the quotient one:
//! `t` is off by 9 `e` of the largest height over the direction. Bounds are 8 and 12 `e`, for
//! their own roundings.

use crate::array::Each;
use crate::geometry::ray::Ray;
use crate::geometry::vec3_f64::{Corners, max_abs, round_within};

#[cfg(test)]
mod tests;

/// One rounding of a number near one.
const EPSILON: f64 = 1.0 / (1u64 << 53) as f64;

/// The bits that a number of at most 26 does not have.
const LOW_BITS: u64 = (1 << 27) - 1;

/// Where a ray along an axis passes a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Determinants {
    /// The areas of the triangles of the origin and two corners, seen along the axis. They belong
    /// to the weights of the second, the third and the first corner.
    areas: [f64; 3],
    sum: f64,
    /// The heights of the same corners above the origin.
    heights: [f64; 3],
    dir: f64,
}

/// The axis that a direction runs along, if it does.
#[inline(always)]
pub(super) fn axis_of(dir: [f32; 3]) -> Option<usize> {
    match dir.each(|d| d == 0.0) {
        [false, true, true] => Some(0),
        [true, false, true] => Some(1),
        [true, true, false] => Some(2),
        _ => None,
    }
}

impl Determinants {
    /// Of a ray along this axis. `None` if `f64` does not hold the products, or a number is not
    /// finite.
    #[inline(always)]
    pub(super) fn new(ray: &Ray, axis: usize, corners: &Corners) -> Option<Self> {
        let (origin, dir) = (ray.origin.to_array(), f64::from(ray.dir.to_array()[axis]));
        let axes = [(axis + 1) % 3, (axis + 2) % 3, axis];
        let mut ways = [[0.0; 3]; 3];
        let (mut exact, mut bits) = (dir.is_finite(), 0);
        for (way, corner) in ways.iter_mut().zip(corners) {
            for (way, k) in way.iter_mut().zip(axes) {
                let (from, to) = (f64::from(origin[k]), f64::from(corner[k]));
                *way = to - from;
                // The difference of the larger from the rounded difference is exact. For numbers
                // that are not finite it is NaN.
                exact &= (to - *way == from) & (*way + from == to);
            }
            bits |= way[0].to_bits() | way[1].to_bits();
        }
        if !exact || bits & LOW_BITS != 0 {
            return None;
        }
        let [a, b, c] = ways;
        let area = |p: [f64; 3], q: [f64; 3]| p[0] * q[1] - p[1] * q[0];
        let areas = [area(c, a), area(a, b), area(b, c)];
        let sum = areas[0] + areas[1] + areas[2];
        Some(Self { areas, sum, heights: [b[2], c[2], a[2]], dir })
    }

    /// The sign of the determinant, and the signs of the three weights times it. If the weights'
    /// signs differ, the first may be wrong.
    pub(super) fn signs(&self) -> (i32, [i32; 3]) {
        let sign = |x: f64| i32::from(x > 0.0) - i32::from(x < 0.0);
        let side = -sign(self.dir);
        (side * sign(self.sum), self.areas.each(|area| side * sign(area)))
    }

    /// `t` and the weights of the second and third vertex, rounded once, if error bounds leave no
    /// doubt about the last bit. The ray must hit the triangle.
    pub(super) fn quotients(&self) -> Option<[f32; 3]> {
        let [t, u, v] = self.bounded();
        let rounded = |[x, error]: [f64; 2]| round_within(x, error);
        Some([rounded(t)?, rounded(u)?, rounded(v)?])
    }

    /// The same in `f64`, each with the bound on its error.
    fn bounded(&self) -> [[f64; 2]; 3] {
        let Self { areas, sum, heights: [b, c, a], dir } = *self;
        // Zero and not its negative.
        let weight = |area: f64| if area == 0.0 { 0.0 } else { area / sum };
        let [u, v] = [weight(areas[0]), weight(areas[1])];
        let t = if a == b && a == c {
            let error = if dir.abs() == 1.0 { 0.0 } else { 2.0 * EPSILON };
            [a / dir, error * (a / dir).abs()]
        } else {
            let height = areas[0] * b + areas[1] * c + areas[2] * a;
            let largest = max_abs(self.heights);
            [height / (sum * dir), 12.0 * EPSILON * (largest / dir).abs()]
        };
        [t, [u, 8.0 * EPSILON * u], [v, 8.0 * EPSILON * v]]
    }
}
