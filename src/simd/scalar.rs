//! Plain code for any CPU: the compiler makes of it what the target's baseline has.

use super::{Isa, Vector};

pub(crate) struct Scalar;

impl Isa for Scalar {
    type Node = F32x8;
    type Leaf = F32x8;
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct F32x8([f32; 8]);

impl F32x8 {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut out = self;
        for i in 0..8 {
            out.0[i] = f(self.0[i], other.0[i]);
        }
        out
    }
}

impl Vector for F32x8 {
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for eight numbers; arrays of `f32` have its alignment.
        Self(unsafe { from.cast::<[f32; 8]>().read() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller vouches for room for eight numbers.
        unsafe { to.cast::<[f32; 8]>().write(self.0) }
    }
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        Self([x; 8])
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, addend: Self) -> Self {
        self.zip(factor, |a, b| a * b).zip(addend, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn mul_sub_from(self, factor: Self, minuend: Self) -> Self {
        self.zip(factor, |a, b| a * b).zip(minuend, |a, b| b - a)
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        self.zip(self, |a, _| a.abs())
    }
    #[inline(always)]
    unsafe fn flip_sign(self, other: Self) -> Self {
        self.zip(other, |a, b| {
            f32::from_bits(a.to_bits() ^ (b.to_bits() & (1 << 31)))
        })
    }
    #[inline(always)]
    unsafe fn later(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { self.max(other) }
    }
    #[inline(always)]
    unsafe fn sooner(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { self.min(other) }
    }
    #[inline(always)]
    unsafe fn no_later(self, other: Self) -> u32 {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { self.le(other) }
    }
    #[inline(always)]
    unsafe fn le(self, other: Self) -> u32 {
        let mut mask = 0;
        for i in 0..8 {
            mask |= u32::from(self.0[i] <= other.0[i]) << i;
        }
        mask
    }
}
