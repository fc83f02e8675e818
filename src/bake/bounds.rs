//! Boxes of which four numbers are compared at a time.

use super::prim_ref::PrimRef;
use super::weight::weight;
use crate::geometry::half_area;

/// A box. The fourth numbers are spare, and what lies there are no numbers to reckon with.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(super) struct Bounds {
    pub(super) min: [f32; 4],
    pub(super) max: [f32; 4],
}

/// The lesser of two numbers, the first of equals. (Not `f32::min`, which may return either of two
/// zeros of different sign.)
#[inline(always)]
pub(super) fn lesser(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// The greater of two numbers, the first of equals.
#[inline(always)]
pub(super) fn greater(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

impl Bounds {
    /// Of nothing.
    pub(super) const EMPTY: Self = Self { min: [f32::INFINITY; 4], max: [f32::NEG_INFINITY; 4] };

    /// A reference's.
    #[inline(always)]
    pub(super) fn of(prim: &PrimRef) -> Self {
        let [min, max] = bytemuck::cast(*prim);
        Self { min, max }
    }

    pub(super) fn of_all(prims: &[PrimRef]) -> Self {
        let mut all = Self::EMPTY;
        for prim in prims {
            all.merge(&Self::of(prim));
        }
        all
    }

    pub(super) fn min(&self) -> [f32; 3] {
        let [x, y, z, _] = self.min;
        [x, y, z]
    }

    pub(super) fn max(&self) -> [f32; 3] {
        let [x, y, z, _] = self.max;
        [x, y, z]
    }

    /// How wide it is on an axis.
    pub(super) fn width(&self, axis: usize) -> f64 {
        f64::from(self.max[axis]) - f64::from(self.min[axis])
    }

    /// The axis on which it is widest, the first of equals.
    pub(super) fn widest(&self) -> usize {
        let width = |k| self.width(k);
        (1..3).fold(0, |best, k| if width(k) > width(best) { k } else { best })
    }

    /// Takes in a point.
    #[inline(always)]
    pub(super) fn extend(&mut self, point: &[f32; 4]) {
        for k in 0..4 {
            self.min[k] = lesser(self.min[k], point[k]);
            self.max[k] = greater(self.max[k], point[k]);
        }
    }

    /// Takes in another box.
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

    /// The part in another box, if there is one.
    #[inline(always)]
    pub(super) fn within(mut self, other: &Self) -> Option<Self> {
        let mut any = true;
        for k in 0..4 {
            self.min[k] = greater(self.min[k], other.min[k]);
            self.max[k] = lesser(self.max[k], other.max[k]);
            any &= k == 3 || self.min[k] <= self.max[k];
        }
        any.then_some(self)
    }

    /// Half its surface area.
    pub(super) fn half_area(&self) -> f64 {
        half_area(&self.min(), &self.max())
    }

    /// What `count` references in it [weigh](weight) by the surface area heuristic; 0 for none.
    pub(super) fn cost(&self, count: u32) -> f64 {
        if count == 0 { 0.0 } else { self.half_area() * f64::from(weight(count)) }
    }
}
