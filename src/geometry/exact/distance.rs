//! Distances from a point to a triangle, compared exactly.
//!
//! A squared distance is a quotient of two polynomials of the coordinates. It is kept as such, in
//! integers.

use std::cmp::Ordering;

use super::bigint::Int3392;
use super::number::{cross, difference, dot};
use crate::geometry::vec3_f64::Corners;

/// **Lemma 70 (range of compared distances).** In units of 2^-149 a difference is below 2^278. The
/// numerator of a squared distance to a plane is the square of a triple product (Lemma 4), below
/// 2^1674; its denominator, the square of a cross product, is below 2^1118. The other quotients are
/// smaller. Two distances are compared by a product of one's numerator with the other's
/// denominator: below 2^2792. With the square of a sum of two numbers it is 2^1118 * 2^558 at most.
/// All are less than 2^3392.
type Wide = Int3392;

/// A squared distance: a quotient.
#[derive(Clone, Copy)]
pub(crate) struct SquaredDistance {
    over: Wide,
    under: Wide,
}

impl SquaredDistance {
    /// The squared distance from a point to a triangle. All coordinates are finite.
    #[cold]
    #[inline(never)]
    pub(crate) fn new(point: [f32; 3], corners: &Corners) -> Self {
        #[cfg(test)]
        crate::test_work::count_exact();
        let normal =
            cross(&difference(corners[1], corners[0]), &difference(corners[2], corners[0]));
        let square: Wide = dot(&normal, &normal);
        let inside = |i: usize| {
            let edge = difference(corners[(i + 1) % 3], corners[i]);
            let inward = dot(&cross(&edge, &difference(point, corners[i])), &normal);
            inward.signum() >= 0
        };
        if square.signum() != 0 && (0..3).all(inside) {
            let height = dot(&difference(point, corners[0]), &normal);
            return Self { over: height.mul(&height), under: square };
        }
        let edge = |i: usize| Self::to_segment(point, corners[i], corners[(i + 1) % 3]);
        edge(0).least(edge(1)).least(edge(2))
    }

    fn to_segment(point: [f32; 3], from: [f32; 3], to: [f32; 3]) -> Self {
        let (edge, way) = (difference(to, from), difference(point, from));
        let (along, length): (Wide, Wide) = (dot(&way, &edge), dot(&edge, &edge));
        let to_point = |way: [Wide; 3]| Self { over: dot(&way, &way), under: Wide::ONE };
        if along.signum() <= 0 {
            to_point(way)
        } else if along.sub(&length).signum() >= 0 {
            to_point(difference(point, to))
        } else {
            let over = dot(&way, &way).mul(&length).sub(&along.mul(&along));
            Self { over, under: length }
        }
    }

    fn least(self, other: Self) -> Self {
        if other.cmp(&self) == Ordering::Less { other } else { self }
    }

    /// Which one is nearer.
    pub(crate) fn cmp(&self, other: &Self) -> Ordering {
        let difference = self.over.mul(&other.under).sub(&other.over.mul(&self.under));
        difference.signum().cmp(&0)
    }

    /// Compares it with the square of the mean of two finite numbers that are not negative.
    pub(crate) fn cmp_mean(&self, a: f32, b: f32) -> Ordering {
        let sum = Wide::from_f32(a).add(&Wide::from_f32(b));
        let four = Wide::ONE.add(&Wide::ONE).add(&Wide::ONE).add(&Wide::ONE);
        let difference = self.over.mul(&four).sub(&sum.mul(&sum).mul(&self.under));
        difference.signum().cmp(&0)
    }
}
