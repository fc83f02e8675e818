//! SSE2, the baseline of x86-64.

use std::arch::x86_64::*;

use super::vector::vector;
use super::{Columns, Isa, Lone, Point, Quad, Task, Vector};

pub(crate) struct Sse;

impl Isa for Sse {
    type Node = F32x4;
    type Leaf = F32x4;
    type Point = F32x4;
    type Quad = F64x4;
    type Wave = super::scalar::Scalar;

    const FUSES: bool = false;

    unsafe fn apart<T: Task>(task: T) -> T::Output {
        // SAFETY: the caller vouches for the CPU.
        unsafe { run(task) }
    }
}

impl Columns for Sse {}

impl Lone for Sse {
    type Boxes = F32x4;
}

/// Runs a task with the instruction set switched on. (Out of line though every caller has the set: see the
/// scalar one.)
///
/// # Safety
/// The CPU has SSE2.
#[inline(never)]
#[target_feature(enable = "sse2")]
pub(crate) unsafe fn run<T: Task>(task: T) -> T::Output {
    // SAFETY: the caller vouches for the CPU, and the attribute switches the set on.
    unsafe { task.run::<Sse>() }
}

/// Writes a [`Vector`] and [`Point`] over SSE2's four `f32`; sets differ in how they multiply and add, and in
/// how they turn a point, which is given as expressions over `a`, `b`, `c` and the number of an axis.
macro_rules! fours {
    ($type:ident, ($a:ident, $b:ident, $c:ident)
        mul_add: $mul_add:expr, mul_sub_from: $mul_sub_from:expr,
        turn_last: ($axis:ident) $turn_last:expr $(,)?
    ) => {
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $type(__m128);

        vector! {
            $type, 4, (p, x, $a, $b, $c)
            load: Self(_mm_loadu_ps(p)),
            store: _mm_storeu_ps(p, $a.0),
            splat: Self(_mm_set1_ps(x)),
            add: Self(_mm_add_ps($a.0, $b.0)),
            sub: Self(_mm_sub_ps($a.0, $b.0)),
            mul: Self(_mm_mul_ps($a.0, $b.0)),
            div: Self(_mm_div_ps($a.0, $b.0)),
            mul_add: Self($mul_add),
            mul_sub_from: Self($mul_sub_from),
            min: Self(_mm_min_ps($a.0, $b.0)),
            max: Self(_mm_max_ps($a.0, $b.0)),
            later: Self(_mm_max_ps($a.0, $b.0)),
            sooner: Self(_mm_min_ps($a.0, $b.0)),
            abs: Self(_mm_andnot_ps(_mm_set1_ps(-0.0), $a.0)),
            flip_sign: Self(_mm_xor_ps($a.0, _mm_and_ps(_mm_set1_ps(-0.0), $b.0))),
            le: _mm_movemask_ps(_mm_cmple_ps($a.0, $b.0)) as u32,
            no_later: _mm_movemask_ps(_mm_cmple_ps($a.0, $b.0)) as u32,
            load_fours: (from) Self(_mm_loadu_ps(from(0))),
            transpose_fours: (rows) {
                let [a, b, c, d] = rows.map(|row| row.0);
                let (ab_low, ab_high) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
                let (cd_low, cd_high) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
                [
                    Self(_mm_movelh_ps(ab_low, cd_low)),
                    Self(_mm_movehl_ps(cd_low, ab_low)),
                    Self(_mm_movelh_ps(ab_high, cd_high)),
                    Self(_mm_movehl_ps(cd_high, ab_high)),
                ]
            },
            choose: (bits) {
                let each = _mm_setr_epi32(1, 2, 4, 8);
                let set = _mm_and_si128(_mm_set1_epi32(bits as i32), each);
                let set = _mm_castsi128_ps(_mm_cmpeq_epi32(set, each));
                Self(_mm_or_ps(_mm_and_ps(set, $b.0), _mm_andnot_ps(set, $a.0)))
            },
        }

        impl Point for $type {
            #[inline(always)]
            unsafe fn of(x: f32, y: f32, z: f32) -> Self {
                // SAFETY: the caller vouches for the CPU; that holds for each below.
                unsafe { Self(_mm_setr_ps(x, y, z, 0.0)) }
            }
            #[inline(always)]
            unsafe fn turn(self) -> Self {
                // SAFETY: as above.
                unsafe { Self(_mm_shuffle_ps::<0b11_00_10_01>(self.0, self.0)) }
            }
            #[inline(always)]
            unsafe fn turn_last(self, $axis: usize) -> Self {
                let $a = self;
                // SAFETY: as above; four numbers are four numbers.
                unsafe { Self($turn_last) }
            }
            #[inline(always)]
            unsafe fn splat_last(self) -> Self {
                // SAFETY: as above.
                unsafe { Self(_mm_shuffle_ps::<0b10_10_10_10>(self.0, self.0)) }
            }
            #[inline(always)]
            unsafe fn where_negative(self, bits: Self) -> Self {
                // SAFETY: as above.
                unsafe {
                    let negative = _mm_srai_epi32::<31>(_mm_castps_si128(self.0));
                    Self(_mm_and_ps(_mm_castsi128_ps(negative), bits.0))
                }
            }
            #[inline(always)]
            unsafe fn first(self) -> f32 {
                // SAFETY: as above.
                unsafe { _mm_cvtss_f32(self.0) }
            }
            #[inline(always)]
            unsafe fn to_array(self) -> [f32; 4] {
                // SAFETY: both are four `f32`.
                unsafe { std::mem::transmute(self.0) }
            }
            #[inline(always)]
            unsafe fn xor(self, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self(_mm_xor_ps(self.0, other.0)) }
            }
        }
    };
}
pub(super) use fours;

fours! {
    F32x4, (a, b, c)
    mul_add: _mm_add_ps(_mm_mul_ps(a.0, b.0), c.0),
    mul_sub_from: _mm_sub_ps(c.0, _mm_mul_ps(a.0, b.0)),
    // No branch, and nothing written one by one and then read as a vector: all turns are made, and two of
    // them masked out.
    turn_last: (axis) {
        let masked = |point: Self, masks: &[[u32; 4]; 4]| {
            _mm_and_ps(point.0, _mm_loadu_ps(masks[axis % 4].as_ptr().cast()))
        };
        let (once, twice) = (masked(a.turn(), &ONCE), masked(a.turn().turn(), &TWICE));
        _mm_or_ps(_mm_or_ps(masked(a, &NEVER), once), twice)
    },
}

/// All bits of a point if it is not to be turned, to be turned once, and twice; by the axis that is to come
/// last.
const NEVER: [[u32; 4]; 4] = [[0; 4], [0; 4], [u32::MAX; 4], [u32::MAX; 4]];
const ONCE: [[u32; 4]; 4] = [[u32::MAX; 4], [0; 4], [0; 4], [0; 4]];
const TWICE: [[u32; 4]; 4] = [[0; 4], [u32::MAX; 4], [0; 4], [0; 4]];

/// Four `f64`, two by two.
#[derive(Clone, Copy)]
pub(crate) struct F64x4([__m128d; 2]);

impl F64x4 {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(__m128d, __m128d) -> __m128d) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([f(a, c), f(b, d)])
    }
}

impl Quad for F64x4 {
    #[inline(always)]
    unsafe fn of([a, b, c, d]: [f32; 4]) -> Self {
        // SAFETY: the caller vouches for the CPU; that holds for each below.
        unsafe {
            let pair = |a, b| _mm_cvtps_pd(_mm_unpacklo_ps(_mm_set_ss(a), _mm_set_ss(b)));
            Self([pair(a, b), pair(c, d)])
        }
    }
    #[inline(always)]
    unsafe fn thrice(x: f32) -> Self {
        // SAFETY: as above.
        unsafe {
            let twice = _mm_cvtps_pd(_mm_set1_ps(x));
            Self([_mm_unpacklo_pd(_mm_setzero_pd(), twice), twice])
        }
    }
    #[inline(always)]
    unsafe fn new([a, b, c, d]: [f64; 4]) -> Self {
        // SAFETY: as above.
        unsafe { Self([_mm_setr_pd(a, b), _mm_setr_pd(c, d)]) }
    }
    #[inline(always)]
    unsafe fn to_array(self) -> [f64; 4] {
        // SAFETY: as above.
        unsafe {
            let [a, c] = self.0;
            let second = |x| _mm_cvtsd_f64(_mm_unpackhi_pd(x, x));
            [_mm_cvtsd_f64(a), second(a), _mm_cvtsd_f64(c), second(c)]
        }
    }
    #[inline(always)]
    unsafe fn turn(self) -> Self {
        let [a, b] = self.0;
        Self([b, a])
    }
    #[inline(always)]
    unsafe fn swap(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(self.0.map(|x| _mm_shuffle_pd::<1>(x, x))) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: as above.
        self.zip(other, |a, b| unsafe { _mm_sub_pd(a, b) })
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: as above.
        self.zip(other, |a, b| unsafe { _mm_add_pd(a, b) })
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        // SAFETY: as above.
        self.zip(other, |a, b| unsafe { _mm_mul_pd(a, b) })
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, addend: Self) -> Self {
        // SAFETY: as above.
        unsafe { self.mul(factor).add(addend) }
    }
    #[inline(always)]
    unsafe fn mul_sub(self, factor: Self, subtrahend: Self) -> Self {
        // SAFETY: as above.
        unsafe { self.mul(factor).sub(subtrahend) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(self.0.map(|x| _mm_andnot_pd(_mm_set1_pd(-0.0), x))) }
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: as above.
        self.zip(other, |a, b| unsafe { _mm_max_pd(a, b) })
    }
    #[inline(always)]
    unsafe fn rounded(one: Self, other: Self) -> Option<[f32; 3]> {
        // SAFETY: as above.
        unsafe {
            let narrow = |Self([a, b])| _mm_movelh_ps(_mm_cvtpd_ps(a), _mm_cvtpd_ps(b));
            last_three_if_alike(narrow(one), narrow(other))
        }
    }
}

/// The last three lanes, if they have the same bits as those of another vector.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
pub(super) unsafe fn last_three_if_alike(one: __m128, other: __m128) -> Option<[f32; 3]> {
    // SAFETY: the caller vouches for the CPU; a vector is four `f32`.
    unsafe {
        let alike = _mm_cmpeq_epi32(_mm_castps_si128(one), _mm_castps_si128(other));
        let [_, a, b, c]: [f32; 4] = std::mem::transmute(one);
        (_mm_movemask_ps(_mm_castsi128_ps(alike)) & 0b1110 == 0b1110).then_some([a, b, c])
    }
}
