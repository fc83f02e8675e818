//! Four numbers at once, for formulas that are written once for one number and for four.

use crate::geometry::Number;
use crate::simd::F64x4;

/// A number of each of four questions.
#[derive(Clone, Copy)]
pub(crate) struct Four<Q>(pub(crate) Q);

impl<Q: F64x4> Number for Four<Q> {
    #[inline(always)]
    fn constant(self, x: f64) -> Self {
        Self(Q::new(self.0.isa(), [x; 4]))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.add(other.0))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0.sub(other.0))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0.mul(other.0))
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(self.0.div(other.0))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs())
    }

    #[inline(always)]
    fn if_less(self, other: Self, then: Self, otherwise: Self) -> Self {
        Self(self.0.if_less(other.0, then.0, otherwise.0))
    }

    #[inline(always)]
    fn all_less(self, other: Self) -> bool {
        self.0.less(other.0) == 0b1111
    }
}
