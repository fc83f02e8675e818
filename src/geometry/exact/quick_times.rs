//! The first try at the time at which a solid touches a triangle: in `f64`, with one bound on all
//! errors of an axis.

use super::axes::{Axes, Axis};
use crate::geometry::vec3_f64::{max, min};

/// A number on an axis may be off by this much, for each unit of the axis and of the largest
/// number.
///
/// **Lemma 104 (quick times).** Let `e = 2^-53`, and `z` be at least all that a coordinate of a
/// vertex, of the solid and of the motion is the sum of, as [`Axes`] doubles them. A vertex is the
/// sum of eight numbers at most: it is off by `7 e z`. What the solid is made of, and edges, are
/// off by `e` times themselves. Let `s` be the sum of the magnitudes of the products in the normal,
/// which are off by `3 e` each, and the normal by `4 e s`. A height, of three products, is off by
/// `14 e s z`, what the solid reaches by `11 e s z` with the sum of three sides, and the difference
/// of the two by `3 e s z` more. The speed, for a time up to 1, is off by `7 e s z`. That is 35 in
/// all. Five factors neither underflow nor overflow.
pub(super) const ROOM: f64 = 40.0 / (1u64 << 53) as f64;
const SPARE: f64 = 1.0 / (1u64 << 50) as f64;

/// Axes that are across two vectors each.
pub(super) trait CrossAxes: Axes<f64> {
    fn factors(&self, number: usize) -> [[f64; 3]; 2];
}

/// As [`Solid::first_touch`](super::axes::Solid::first_touch): `None` if it is in doubt. `largest`
/// is `z` of Lemma 104.
#[inline(always)]
pub(super) fn quick(moving: &impl CrossAxes, largest: f64, bound: f32) -> Option<Option<f32>> {
    let (mut times, room) = (Times::ALL, ROOM * largest);
    for number in 0..moving.count() {
        let Axis { low, high, speed, .. } = moving.axis(number);
        times.narrow([low, high], speed, room * size(&moving.factors(number)));
        if times.are_after(bound) {
            return Some(None);
        }
    }
    times.first(bound)
}

/// The magnitudes of the products in a cross product, added.
#[inline(always)]
pub(super) fn size([a, b]: &[[f64; 3]; 2]) -> f64 {
    let products = |p: usize, q: usize| (a[p] * b[q]).abs() + (a[q] * b[p]).abs();
    products(0, 1) + products(1, 2) + products(2, 0)
}

/// Bounds on when the last axis is entered and the first is left.
///
/// With the errors of heights and speed on the safe side, three roundings of a quotient are left,
/// for which [`SPARE`] has room.
pub(super) struct Times {
    enter: [f64; 2],
    exit: [f64; 2],
}

impl Times {
    /// Of all times from 0 to 1.
    pub(super) const ALL: Self = Self { enter: [0.0; 2], exit: [1.0; 2] };

    /// By an axis on which solid and triangle touch while `speed t` is between the two. All of them
    /// may be off by `room`, for times up to 1.
    #[inline(always)]
    pub(super) fn narrow(&mut self, [least, most]: [f64; 2], speed: f64, room: f64) {
        let (low, high) = if speed < 0.0 { (-most, -least) } else { (least, most) };
        // Zero times infinity is NaN, and says nothing.
        let inverse = 1.0 / speed.abs();
        self.enter[0] = max((low - room) * inverse, self.enter[0]);
        self.enter[1] = max((low + room) * inverse, self.enter[1]);
        self.exit[0] = min((high - room) * inverse, self.exit[0]);
        self.exit[1] = min((high + room) * inverse, self.exit[1]);
    }

    /// A time before which it is not touched.
    #[inline(always)]
    fn least(&self) -> f64 {
        self.enter[0] * (1.0 - SPARE)
    }

    /// Whether it is certainly not touched at `bound` or before.
    #[inline(always)]
    pub(super) fn are_after(&self, bound: f32) -> bool {
        let least = self.least();
        least > 1.0 || least as f32 > bound || least > self.exit[1] * (1.0 + SPARE)
    }

    #[inline(always)]
    pub(super) fn first(&self, bound: f32) -> Option<Option<f32>> {
        if self.are_after(bound) {
            return Some(None);
        }
        // It is touched by then.
        let most = self.enter[1] * (1.0 + SPARE);
        let t = most as f32;
        let is_certain = most <= self.exit[0] * (1.0 - SPARE) && self.least() as f32 == t;
        is_certain.then_some((t <= bound).then_some(t))
    }
}

#[cfg(test)]
mod tests;
