//! Boxes, laid out so that four numbers are compared at a time.

use crate::geometry::half_area;

/// A box. The fourth lane is padding: its values mean nothing.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(super) struct Bounds {
    pub(super) min: [f32; 4],
    pub(super) max: [f32; 4],
}

/// The lesser of two numbers, the first if they are equal. `f32::min` may return either of two
/// zeros of different sign.
#[inline(always)]
pub(super) fn lesser(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// The greater of two numbers, the first if they are equal.
#[inline(always)]
pub(super) fn greater(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

impl Bounds {
    /// The empty box.
    pub(super) const EMPTY: Self = Self { min: [f32::INFINITY; 4], max: [f32::NEG_INFINITY; 4] };

    pub(super) fn min(&self) -> [f32; 3] {
        let [x, y, z, _] = self.min;
        [x, y, z]
    }

    pub(super) fn max(&self) -> [f32; 3] {
        let [x, y, z, _] = self.max;
        [x, y, z]
    }

    /// The width along an axis.
    pub(super) fn width(&self, axis: usize) -> f64 {
        f64::from(self.max[axis]) - f64::from(self.min[axis])
    }

    /// The axis along which the box is widest, the first if some are equal.
    pub(super) fn widest_axis(&self) -> usize {
        let width = |k| self.width(k);
        (1..3).fold(0, |best, k| if width(k) > width(best) { k } else { best })
    }

    /// Grows the box to hold a point.
    #[inline(always)]
    pub(super) fn extend(&mut self, point: &[f32; 4]) {
        for k in 0..4 {
            self.min[k] = lesser(self.min[k], point[k]);
            self.max[k] = greater(self.max[k], point[k]);
        }
    }

    /// Grows the box to hold another.
    #[inline(always)]
    pub(super) fn merge(&mut self, other: &Self) {
        for k in 0..4 {
            self.min[k] = lesser(self.min[k], other.min[k]);
            self.max[k] = greater(self.max[k], other.max[k]);
        }
    }

    #[inline(always)]
    pub(super) fn merged(mut self, other: &Self) -> Self {
        self.merge(other);
        self
    }

    /// The part that two boxes share, if there is one.
    #[inline(always)]
    pub(super) fn intersection(mut self, other: &Self) -> Option<Self> {
        let mut any = true;
        for k in 0..4 {
            self.min[k] = greater(self.min[k], other.min[k]);
            self.max[k] = lesser(self.max[k], other.max[k]);
            any &= k == 3 || self.min[k] <= self.max[k];
        }
        any.then_some(self)
    }

    /// Half the surface area.
    pub(super) fn half_area(&self) -> f64 {
        half_area(&self.min(), &self.max())
    }
}
