//! Distances from a point compared by their difference.
//!
//! From far away all points of a level are about as far. A distance in `f64` is off by 2^-53 of
//! itself, and from 1e16 units that is a unit. The difference of two squared distances can be had
//! without that loss: `|p - x|^2 - |p - y|^2` is the sum of `(x - y) (x - p + y - p)` over the
//! axes, and is off by some 2^-51 of those products. Where `x` and `y` have the same coordinate
//! nothing is lost at all, as on floors and walls. Where the products cancel, as for vertices that
//! are level as seen from far away, the sum is made anew without rounding.

use std::cmp::Ordering;

use self::exact_sum::ExactSum;
use super::{Feature, PointDistance};
use crate::array::Each;
use crate::geometry::exact::two_sum;
use crate::geometry::vec3_f64::{Corners, Vec3F64, dot, sub};

mod exact_sum;

/// About the closest point of a triangle. Squared distances are given as seen from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReferencePoint {
    at: Vec3F64,
    /// The squared distance of a point that is certainly in the triangle is at most this much
    /// larger than the squared distance of `at`.
    excess: f64,
}

/// Room for the roundings of a difference.
///
/// **Lemma 114 (differences of squared distances).** Let `u = 2^-53`. The differences of numbers
/// are rounded once, so that a product is off by `u` of itself for `x - y`, by `2 u` of `(|x - y|)
/// (|x - p| + |y - p|)` for the sum of the other two, and by `u` for itself; adding three up takes
/// `2 u` more. That is `6 u`, less than `8 u`, of the sum of those products. The same holds for `(x
/// - p) . (v - x)`. Nothing overflows or underflows, as coordinates are `f32` or near to some.
const ROOM: f64 = 8.0 / (1u64 << 53) as f64;

/// A sum of products, and a bound on its error.
#[derive(Clone, Copy, Default)]
struct Sum {
    value: f64,
    error: f64,
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, value: f64, size: f64) {
        self.value += value;
        self.error += size.abs() * ROOM;
    }

    /// This, if it is certain whether it is more than `than`; otherwise `exact`.
    #[inline(always)]
    fn unless_in_doubt(self, than: f64, exact: impl FnOnce() -> ExactSum) -> Self {
        if (self.value - than).abs() > self.error || self.error == 0.0 {
            return self;
        }
        let value = exact().value();
        // As Lemma 115 has it.
        Self { value, error: value.abs() * ROOM }
    }
}

/// `|point - x|^2 - |point - y|^2`.
#[inline(always)]
fn rounded_difference(point: Vec3F64, [x, y]: [Vec3F64; 2]) -> Sum {
    let mut sum = Sum::default();
    for k in 0..3 {
        let (way, from_x, from_y) = (x[k] - y[k], x[k] - point[k], y[k] - point[k]);
        sum.add(way * (from_x + from_y), way * (from_x.abs() + from_y.abs()));
    }
    sum
}

/// The same, compared to `than`.
#[inline(always)]
fn difference_of_squares(point: Vec3F64, of: [Vec3F64; 2], than: f64) -> Sum {
    rounded_difference(point, of).unless_in_doubt(than, || exact_difference(point, of))
}

#[cold]
#[inline(never)]
fn exact_difference(point: Vec3F64, [x, y]: [Vec3F64; 2]) -> ExactSum {
    let mut sum = ExactSum::new();
    for k in (0..3).filter(|&k| x[k] != y[k]) {
        let way = two_sum(x[k], -y[k]);
        sum.add_product(way, two_sum(x[k], y[k]));
        sum.add_product(-2.0 * point[k], way);
    }
    sum
}

/// `(x - point) . (to - x)`, compared to zero.
#[inline(always)]
fn product_of_ways(point: Vec3F64, x: Vec3F64, to: Vec3F64) -> Sum {
    let (way, on) = (sub(x, point), sub(to, x));
    let size = dot(way.each(f64::abs), on.each(f64::abs));
    let sum = Sum { value: dot(way, on), error: size * ROOM };
    sum.unless_in_doubt(0.0, || exact_product(point, x, to))
}

#[cold]
#[inline(never)]
fn exact_product(point: Vec3F64, x: Vec3F64, to: Vec3F64) -> ExactSum {
    let mut sum = ExactSum::new();
    for k in (0..3).filter(|&k| x[k] != to[k]) {
        sum.add_product(two_sum(x[k], -point[k]), two_sum(to[k], -x[k]));
    }
    sum
}

impl ReferencePoint {
    /// The closest point to `point` of the triangle with these corners, as far as `distance` has
    /// it.
    ///
    /// It is a corner itself, or made of weights: then a point of the triangle, which is made of
    /// those weights without any rounding, is within 2^-48 of the corners' largest coordinate on
    /// each axis. Where all corners that it is made of have the same coordinate, it has that too.
    pub(crate) fn new(distance: &PointDistance, point: [f32; 3], corners: &Corners) -> Self {
        let corners = (*corners).each(|corner| corner.each(f64::from));
        let point = point.each(f64::from);
        let found = Self::found(distance, point, corners);
        if distance.is_certain { found } else { found.or_nearer(point, corners) }
    }

    /// This one, or the nearest on an edge. From far away, all three edges are about as far, and
    /// the closest point has been taken for one of any of them.
    #[cold]
    #[inline(never)]
    fn or_nearer(self, point: Vec3F64, corners: [Vec3F64; 3]) -> Self {
        let mut nearest = self;
        for (a, b) in [(0, 1), (1, 2), (2, 0)].each(|(i, j)| (corners[i], corners[j])) {
            let along = -product_of_ways(point, a, b).value;
            let edge = sub(b, a);
            let part = along / dot(edge, edge);
            let ends = [Self { at: a, excess: 0.0 }, Self { at: b, excess: 0.0 }];
            let between =
                (part > 0.0 && part < 1.0).then(|| Self::mean(point, [a, b, a], [part, 0.0]));
            for other in ends.into_iter().chain(between) {
                let than = nearest.excess - other.excess;
                let order = difference_of_squares(point, [other.at, nearest.at], than);
                if order.value < than {
                    nearest = other;
                }
            }
        }
        nearest
    }

    /// The closest point as it was found.
    fn found(distance: &PointDistance, point: Vec3F64, corners: [Vec3F64; 3]) -> Self {
        let second = distance.weights[0].clamp(0.0, 1.0);
        let third = distance.weights[1].clamp(0.0, 1.0).min(1.0 - second);
        let weights = [1.0 - second - third, second, third];
        let edge = |i: usize, weight: f64| {
            Self::mean(point, [corners[i], corners[(i + 1) % 3], corners[i]], [weight, 0.0])
        };
        match distance.feature {
            Feature::Vertex(i) => Self { at: corners[usize::from(i) % 3], excess: 0.0 },
            Feature::Edge(i) => edge(usize::from(i) % 3, weights[(usize::from(i) + 1) % 3]),
            // On an edge, as far as is known.
            Feature::Face if weights[0] <= 0.0 => edge(1, third),
            Feature::Face if second == 0.0 => edge(2, weights[0]),
            Feature::Face if third == 0.0 => edge(0, second),
            Feature::Face => Self::mean(point, corners, [second, third]),
        }
    }

    /// The mean of some points: those but the first have weights.
    fn mean(point: Vec3F64, [a, b, c]: [Vec3F64; 3], [second, third]: [f64; 2]) -> Self {
        if third == 0.0 && (second == 0.0 || second == 1.0) {
            return Self { at: if second == 0.0 { a } else { b }, excess: 0.0 };
        }
        let (ab, ac) = (sub(b, a), sub(c, a));
        let at = [0, 1, 2].each(|k| a[k] + (ab[k] * second + ac[k] * third));
        let mut excess = 0.0;
        for k in 0..3 {
            if ab[k] != 0.0 || ac[k] != 0.0 {
                let off = a[k].abs().max(b[k].abs()).max(c[k].abs()) * (4.0 * ROOM);
                excess += (2.0 * (at[k] - point[k]).abs() + off) * off;
            }
        }
        Self { at, excess: excess * (1.0 + ROOM) }
    }

    /// A point that is certainly in a triangle.
    pub(crate) fn corner(at: [f32; 3]) -> Self {
        Self { at: at.each(f64::from), excess: 0.0 }
    }

    /// Whether `x` is farther from `point` than the triangle of this reference is, without a doubt.
    #[inline(always)]
    pub(crate) fn is_nearer_than(&self, point: Vec3F64, x: Vec3F64) -> bool {
        let Sum { value, error } = difference_of_squares(point, [x, self.at], self.excess);
        value - error > self.excess
    }

    /// About how much larger the squared distance of `x` from `point` is than the squared distance
    /// of this one.
    #[inline(always)]
    pub(crate) fn difference(&self, point: Vec3F64, x: Vec3F64) -> f64 {
        difference_of_squares(point, [x, self.at], 0.0).value
    }

    /// Bounds of the squared distance from `point` of the triangle with these corners, of which
    /// this is about the closest point, less the squared distance of `from`.
    ///
    /// For all `x` in the triangle `|p - x|^2 >= |p - at|^2 + 2 (at - p) . (x - at)`, wherever `at`
    /// is, as the left side is convex, and the right side is least at a corner (the bound of Frank
    /// and Wolfe, 1956).
    fn bounds(&self, point: Vec3F64, corners: &Corners, from: Vec3F64) -> [f64; 2] {
        let Sum { value, error } = difference_of_squares(point, [self.at, from], 0.0);
        let mut least = 0f64;
        for corner in corners {
            let Sum { value, error } = product_of_ways(point, self.at, (*corner).each(f64::from));
            least = least.min(value - error);
        }
        [value - error + 2.0 * least, value + error + self.excess]
    }

    /// Whether a lower bound of the squared distance from `point` of the triangle with these
    /// corners, of which `other` is about the closest point, is past the upper bound for the
    /// triangle of this reference.
    pub(crate) fn is_nearer_than_triangle(
        &self,
        point: Vec3F64,
        (other, corners): (&Self, &Corners),
    ) -> bool {
        other.bounds(point, corners, self.at)[0] > self.excess
    }
}

impl PointDistance {
    /// Which of two triangles is nearer to the same point, if the difference of their squared
    /// distances tells. Also where both have their closest point at the same vertex.
    pub(super) fn cmp_by_difference(
        &self,
        corners: &Corners,
        (other, other_corners): (&Self, &Corners),
        point: [f32; 3],
    ) -> Option<Ordering> {
        let one = ReferencePoint::new(self, point, corners);
        let another = ReferencePoint::new(other, point, other_corners);
        let point = point.each(f64::from);
        let [low, high] = one.bounds(point, corners, one.at);
        let [other_low, other_high] = another.bounds(point, other_corners, one.at);
        if high < other_low {
            Some(Ordering::Less)
        } else if other_high < low {
            Some(Ordering::Greater)
        } else if low == high && other_low == other_high {
            // No rounding was left to allow for.
            low.partial_cmp(&other_low)
        } else {
            None
        }
    }

    /// Whether the triangle with these corners is as near as `limit`, or farther, if its squared
    /// distance less the squared distance of the origin of coordinates tells.
    pub(super) fn cmp_with_limit(
        &self,
        limit: f32,
        point: [f32; 3],
        corners: &Corners,
    ) -> Option<Ordering> {
        let reference = ReferencePoint::new(self, point, corners);
        let limit = f64::from(limit);
        let point = point.each(f64::from);
        // Squares of `f32` are exact.
        let squares =
            [limit * limit, -point[0] * point[0], -point[1] * point[1], -point[2] * point[2]];
        let (from_origin, error) = sum_of_four(squares);
        let [low, high] = reference.bounds(point, corners, [0.0; 3]);
        if high < from_origin - error {
            Some(Ordering::Less)
        } else if low > from_origin + error {
            Some(Ordering::Greater)
        } else {
            None
        }
    }
}

/// The sum of four numbers, and a bound on its error. What additions lose is added up as well, and
/// only that is rounded.
fn sum_of_four(numbers: [f64; 4]) -> (f64, f64) {
    let (mut sum, mut rest, mut lost) = (0.0f64, 0.0f64, 0.0f64);
    for x in numbers {
        let next = sum + x;
        // What was lost, without rounding (Knuth's sum of two).
        let part = next - sum;
        rest += (sum - (next - part)) + (x - part);
        lost = lost.max(rest.abs());
        sum = next;
    }
    let whole = sum + rest;
    (whole, lost * 4.0 * f64::EPSILON + whole.abs() * f64::EPSILON)
}

#[cfg(test)]
mod tests;
