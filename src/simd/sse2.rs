//! SSE2, the baseline of x86-64.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::scalar::ScalarF32;
use super::vector::{TURNED, inlined, intrinsics};
use super::{F32x4, F64x4, Isa, Task, Vector};

/// Proof of SSE2, which every x86-64 has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Sse2;

impl Sse2 {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        Some(Self)
    }
}

impl Isa for Sse2 {
    type Wide = Sse2F32x4<Self>;
    type Node = Sse2F32x4<Self>;
    type Leaf = Sse2F32x4<Self>;
    type Blocks = ScalarF32<8, Self>;
    type Point = Sse2F32x4<Self>;
    type F64x4 = Sse2F64x4<Self>;

    // Not inlined though every caller has the set: see `Scalar`.
    #[inline(never)]
    fn call_outlined<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }
}

/// A token of x86-64, where every CPU has SSE2.
///
/// # Safety
/// If the set [fuses](Self::FUSES), detection has found AVX and FMA.
pub(crate) unsafe trait X86: Isa {
    /// Whether a product and a sum are one instruction.
    const FUSES: bool;
}

/// A token of a set that includes AVX2 and FMA.
///
/// # Safety
/// Detection has found both.
#[cfg_attr(hitscan_no_avx2, allow(dead_code))]
pub(super) unsafe trait HasAvx2: X86 {}

// SAFETY: SSE2 is part of x86-64, and `FUSES` is false.
unsafe impl X86 for Sse2 {
    const FUSES: bool = false;
}

/// Four `f32`.
#[derive(Clone, Copy)]
pub(crate) struct Sse2F32x4<I>(__m128, I);

impl<I: X86> Vector for Sse2F32x4<I> {
    type Isa = I;
    type Array = [f32; 4];

    inlined! { fn isa(self) -> I { self.1 } }

    intrinsics! {
        fn load(isa: I, from: &[f32; 4]) -> Self { Self(_mm_loadu_ps(from.as_ptr()), isa) }
        fn store(self, to: &mut MaybeUninit<[f32; 4]>) {
            _mm_storeu_ps(to.as_mut_ptr().cast(), self.0);
        }
        fn splat(isa: I, x: f32) -> Self { Self(_mm_set1_ps(x), isa) }
        fn load_fours['a](isa: I, from: impl Fn(usize) -> &'a [f32; 4]) -> Self {
            Self(_mm_loadu_ps(from(0).as_ptr()), isa)
        }
        fn transpose_fours(rows: [Self; 4]) -> [Self; 4] {
            let [Self(a, isa), Self(b, _), Self(c, _), Self(d, _)] = rows;
            let (ab_low, ab_high) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
            let (cd_low, cd_high) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
            [
                Self(_mm_movelh_ps(ab_low, cd_low), isa),
                Self(_mm_movehl_ps(cd_low, ab_low), isa),
                Self(_mm_movelh_ps(ab_high, cd_high), isa),
                Self(_mm_movehl_ps(cd_high, ab_high), isa),
            ]
        }
        fn add(self, other: Self) -> Self { Self(_mm_add_ps(self.0, other.0), self.1) }
        fn sub(self, other: Self) -> Self { Self(_mm_sub_ps(self.0, other.0), self.1) }
        fn mul(self, other: Self) -> Self { Self(_mm_mul_ps(self.0, other.0), self.1) }
        fn div(self, other: Self) -> Self { Self(_mm_div_ps(self.0, other.0), self.1) }
        fn mul_add(self, factor: Self, addend: Self) -> Self {
            if I::FUSES {
                Self(_mm_fmadd_ps(self.0, factor.0, addend.0), self.1)
            } else {
                self.mul(factor).add(addend)
            }
        }
        fn mul_sub_from(self, factor: Self, minuend: Self) -> Self {
            if I::FUSES {
                Self(_mm_fnmadd_ps(self.0, factor.0, minuend.0), self.1)
            } else {
                minuend.sub(self.mul(factor))
            }
        }
        fn min(self, other: Self) -> Self { Self(_mm_min_ps(self.0, other.0), self.1) }
        fn max(self, other: Self) -> Self { Self(_mm_max_ps(self.0, other.0), self.1) }
        fn abs(self) -> Self { Self(_mm_andnot_ps(_mm_set1_ps(-0.0), self.0), self.1) }
        fn flip_sign(self, other: Self) -> Self {
            Self(_mm_xor_ps(self.0, _mm_and_ps(_mm_set1_ps(-0.0), other.0)), self.1)
        }
        // Comparisons of integers (`max_nonneg` and the like) would need SSE4.1.
        fn le(self, other: Self) -> u32 { _mm_movemask_ps(_mm_cmple_ps(self.0, other.0)) as u32 }
        fn choose(self, other: Self, bits: u32) -> Self {
            let each = _mm_setr_epi32(1, 2, 4, 8);
            let set = _mm_and_si128(_mm_set1_epi32(bits as i32), each);
            let set = _mm_castsi128_ps(_mm_cmpeq_epi32(set, each));
            Self(_mm_or_ps(_mm_and_ps(set, other.0), _mm_andnot_ps(set, self.0)), self.1)
        }
    }
}

impl<I: X86> F32x4 for Sse2F32x4<I> {
    intrinsics! {
        fn new(isa: I, x: f32, y: f32, z: f32) -> Self { Self(_mm_setr_ps(x, y, z, 0.0), isa) }
        fn turn(self) -> Self { Self(_mm_shuffle_ps::<0b11_00_10_01>(self.0, self.0), self.1) }
        fn turn_last(self, axis: usize) -> Self {
            if I::FUSES {
                let lanes = _mm_loadu_si128(TURNED[axis % 4].as_ptr().cast());
                return Self(_mm_permutevar_ps(self.0, lanes), self.1);
            }
            // Without a branch, and without writing single numbers that are then read as a vector:
            // all rotations are computed, and two of them masked out.
            let masked = |point: Self, masks: &[[u32; 4]; 4]| {
                _mm_and_ps(point.0, _mm_loadu_ps(masks[axis % 4].as_ptr().cast()))
            };
            let (once, twice) = (masked(self.turn(), &ONCE), masked(self.turn().turn(), &TWICE));
            Self(_mm_or_ps(_mm_or_ps(masked(self, &NEVER), once), twice), self.1)
        }
        fn splat_last(self) -> Self {
            Self(_mm_shuffle_ps::<0b10_10_10_10>(self.0, self.0), self.1)
        }
        fn where_negative(self, bits: Self) -> Self {
            let negative = _mm_srai_epi32::<31>(_mm_castps_si128(self.0));
            Self(_mm_and_ps(_mm_castsi128_ps(negative), bits.0), self.1)
        }
        fn first(self) -> f32 { _mm_cvtss_f32(self.0) }
        fn to_array(self) -> [f32; 4] { std::mem::transmute(self.0) }
        fn xor(self, other: Self) -> Self { Self(_mm_xor_ps(self.0, other.0), self.1) }
    }
}

/// All bits set where a point is not rotated, rotated once, and rotated twice, by the axis that
/// comes last.
const NEVER: [[u32; 4]; 4] = [[0; 4], [0; 4], [u32::MAX; 4], [u32::MAX; 4]];
const ONCE: [[u32; 4]; 4] = [[u32::MAX; 4], [0; 4], [0; 4], [0; 4]];
const TWICE: [[u32; 4]; 4] = [[0; 4], [u32::MAX; 4], [0; 4], [0; 4]];

/// Four `f64`, two by two.
#[derive(Clone, Copy)]
pub(crate) struct Sse2F64x4<I>([__m128d; 2], I);

impl<I: X86> Sse2F64x4<I> {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(__m128d, __m128d) -> __m128d) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([f(a, c), f(b, d)], self.1)
    }
}

impl<I: X86> F64x4 for Sse2F64x4<I> {
    type Isa = I;

    intrinsics! {
        fn new(isa: I, x: [f64; 4]) -> Self {
            let [a, b, c, d] = x;
            Self([_mm_setr_pd(a, b), _mm_setr_pd(c, d)], isa)
        }
        fn from_f32(isa: I, x: [f32; 4]) -> Self {
            let pair = |a, b| _mm_cvtps_pd(_mm_unpacklo_ps(_mm_set_ss(a), _mm_set_ss(b)));
            Self([pair(x[0], x[1]), pair(x[2], x[3])], isa)
        }
        fn splat_yzw(isa: I, x: f32) -> Self {
            let twice = _mm_cvtps_pd(_mm_set1_ps(x));
            Self([_mm_unpacklo_pd(_mm_setzero_pd(), twice), twice], isa)
        }
        fn to_array(self) -> [f64; 4] {
            let [a, c] = self.0;
            let second = |x| _mm_cvtsd_f64(_mm_unpackhi_pd(x, x));
            [_mm_cvtsd_f64(a), second(a), _mm_cvtsd_f64(c), second(c)]
        }
        fn swap_pairs(self) -> Self {
            let [a, b] = self.0;
            Self([_mm_shuffle_pd::<1>(a, a), _mm_shuffle_pd::<1>(b, b)], self.1)
        }
        fn sub(self, other: Self) -> Self { self.zip(other, |a, b| _mm_sub_pd(a, b)) }
        fn add(self, other: Self) -> Self { self.zip(other, |a, b| _mm_add_pd(a, b)) }
        fn mul(self, other: Self) -> Self { self.zip(other, |a, b| _mm_mul_pd(a, b)) }
        fn div(self, other: Self) -> Self { self.zip(other, |a, b| _mm_div_pd(a, b)) }
        fn sqrt(self) -> Self { self.zip(self, |a, _| _mm_sqrt_pd(a)) }
        fn if_less(self, other: Self, then: Self, otherwise: Self) -> Self {
            let mask = self.zip(other, |a, b| _mm_cmplt_pd(a, b));
            let (then, other) = (
                mask.zip(then, |mask, a| _mm_and_pd(mask, a)),
                mask.zip(otherwise, |mask, a| _mm_andnot_pd(mask, a)),
            );
            then.zip(other, |a, b| _mm_or_pd(a, b))
        }
        fn less(self, other: Self) -> u32 {
            let [a, b] = self.zip(other, |a, b| _mm_cmplt_pd(a, b)).0;
            (_mm_movemask_pd(a) | _mm_movemask_pd(b) << 2) as u32
        }
        fn abs(self) -> Self {
            let ([a, b], sign) = (self.0, _mm_set1_pd(-0.0));
            Self([_mm_andnot_pd(sign, a), _mm_andnot_pd(sign, b)], self.1)
        }
        fn max(self, other: Self) -> Self { self.zip(other, |a, b| _mm_max_pd(a, b)) }
        fn to_f32(self) -> [f32; 4] {
            let [a, b] = self.0;
            std::mem::transmute(_mm_movelh_ps(_mm_cvtpd_ps(a), _mm_cvtpd_ps(b)))
        }
        fn rounded(one: Self, other: Self) -> ([f32; 4], u32) {
            let narrow = |[a, b]: [__m128d; 2]| _mm_movelh_ps(_mm_cvtpd_ps(a), _mm_cvtpd_ps(b));
            with_equal(one.1, narrow(one.0), narrow(other.0))
        }
    }

    inlined! {
        fn swap_halves(self) -> Self { Self([self.0[1], self.0[0]], self.1) }
        fn isa(self) -> I { self.1 }
    }
}

intrinsics! {
    /// One vector, and a bit for each lane in which the other has the same bits.
    pub(super) fn with_equal[I: X86](_isa: I, one: __m128, other: __m128) -> ([f32; 4], u32) {
        let equal = _mm_cmpeq_epi32(_mm_castps_si128(one), _mm_castps_si128(other));
        let bits = _mm_movemask_ps(_mm_castsi128_ps(equal)) as u32;
        (std::mem::transmute::<__m128, [f32; 4]>(one), bits)
    }
}
