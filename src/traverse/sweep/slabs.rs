//! When a turned box that moves may touch the boxes of a node's children, by its own axes.
//!
//! Times may be too early, never too late.

use super::moving_box::{SPREAD, SweepBox};
use super::setup::{SPARE, TINY};
use super::times::{LEAST_SPEED, ROOM};
use crate::array::Each;
use crate::simd::Vector;
use crate::traverse::vectors::{add, dot, scale_add, size, splat_rows, sub};

#[cfg(test)]
mod bounds;

/// The box in registers. Sizes and ways are doubled, so that nothing has to be halved.
///
/// **Lemma 106 (slabs).** As in Lemma 102, on the box's own axes: the heights of a box are the
/// heights of its middle and of half its size. The error of each is less than the error of a
/// vertex's height and a rounding more.
pub(super) struct SlabsTest<V> {
    scale: V,
    minus: [V; 3],
    rows: [[V; 3]; 3],
    /// Of the box, on each axis.
    sides: [V; 3],
    /// Of the speed.
    inverse: [V; 3],
    far: V,
}

impl<V: Vector> SlabsTest<V> {
    /// Of a box that is turned by these rows.
    #[inline(always)]
    pub(super) fn new(isa: V::Isa, moving: &SweepBox, rows: &[[f32; 3]; 3]) -> Self {
        let three = |[x, y, z]: [f32; 3]| [V::splat(isa, x), V::splat(isa, y), V::splat(isa, z)];
        let inverse = |x: f32| 1.0 / (x + x).abs().max(LEAST_SPEED).copysign(x);
        Self {
            scale: V::splat(isa, moving.scale),
            minus: three(moving.minus),
            rows: splat_rows(isa, rows),
            sides: three(moving.half.each(|x| x + x + 2.0 * LEAST_SPEED)),
            inverse: three(moving.motion.each(inverse)),
            far: V::splat(isa, moving.far),
        }
    }

    /// When each box is entered and left, given the same by other axes.
    #[inline(always)]
    pub(super) fn narrow(&self, low: [V; 3], high: [V; 3], (enter, exit): (V, V)) -> (V, V) {
        let splat = |x: f32| V::splat(self.scale.isa(), x);
        let low = scale_add(low, self.scale, self.minus);
        let high = scale_add(high, self.scale, self.minus);
        let far = size(low).max(size(high)).mul_add(splat(SPREAD), self.far);
        let room = far.mul(splat(2.0 * ROOM));
        let (middle, sides) = (add(low, high), sub(high, low));
        let (mut first, mut last) = (enter, splat(f32::INFINITY));
        for k in 0..3 {
            let [x, y, z] = self.rows[k];
            let at = dot(self.rows[k], middle).mul(self.inverse[k]);
            let half = dot([x.abs(), y.abs(), z.abs()], sides).add(self.sides[k].add(room));
            let part = self.inverse[k].abs();
            first = half.mul_sub_from(part, at).max(first);
            last = half.mul_add(part, at).min(last);
        }
        (first, last.mul_add(splat(SPARE), splat(TINY)).min(exit))
    }
}
