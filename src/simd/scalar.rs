//! Plain code for any CPU, which the compiler translates to the target's baseline.

use std::mem::MaybeUninit;

use bytemuck::{AnyBitPattern, NoUninit};

use super::vector::inlined;
use super::{BlockVector, F32x4, F64x4, Isa, Task, Vector};
use crate::array::Each;

/// The token of plain code, which anyone may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Scalar;

impl Scalar {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        Some(Self)
    }
}

impl Isa for Scalar {
    // Four lanes: with eight, the same loops unrolled are twice the code.
    type Wide = ScalarF32<4, Self>;
    type Node = ScalarF32<4, Self>;
    type Leaf = ScalarF32<4, Self>;
    type Blocks = ScalarF32<8, Self>;
    type Point = ScalarF32<4, Self>;
    type F64x4 = ScalarF64x4<Self>;

    // Not inlined, as in other sets, or `run` would need this function's stack frame for every set.
    #[inline(never)]
    fn call_outlined<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }
}

/// An array instead of a vector, for any instruction set.
#[derive(Clone, Copy)]
pub(crate) struct ScalarF32<const N: usize, I>([f32; N], I);

impl<const N: usize, I: Isa> ScalarF32<N, I> {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut out = self;
        for i in 0..N {
            out.0[i] = f(self.0[i], other.0[i]);
        }
        out
    }
}

impl<const N: usize, I: Isa> Vector for ScalarF32<N, I>
where
    [f32; N]: NoUninit + AnyBitPattern,
{
    type Isa = I;
    type Array = [f32; N];

    inlined! {
        fn isa(self) -> I { self.1 }
        fn load(isa: I, from: &[f32; N]) -> Self { Self(*from, isa) }
        fn store(self, to: &mut MaybeUninit<[f32; N]>) { to.write(self.0); }
        fn splat(isa: I, x: f32) -> Self { Self([x; N], isa) }
        fn load_fours['a](isa: I, from: impl Fn(usize) -> &'a [f32; 4]) -> Self {
            let mut fours = [0.0; N];
            for (i, number) in fours.iter_mut().enumerate() {
                *number = from(i / 4)[i % 4];
            }
            Self(fours, isa)
        }
        fn transpose_fours(rows: [Self; 4]) -> [Self; 4] {
            let mut columns = rows;
            for (k, column) in columns.iter_mut().enumerate() {
                for (i, number) in column.0.iter_mut().enumerate() {
                    *number = rows[i % 4].0[i / 4 * 4 + k];
                }
            }
            columns
        }
        fn add(self, other: Self) -> Self { self.zip(other, |a, b| a + b) }
        fn sub(self, other: Self) -> Self { self.zip(other, |a, b| a - b) }
        fn mul(self, other: Self) -> Self { self.zip(other, |a, b| a * b) }
        fn div(self, other: Self) -> Self { self.zip(other, |a, b| a / b) }
        fn min(self, other: Self) -> Self { self.zip(other, |a, b| if a < b { a } else { b }) }
        fn max(self, other: Self) -> Self { self.zip(other, |a, b| if a > b { a } else { b }) }
        fn abs(self) -> Self { self.zip(self, |a, _| a.abs()) }
        fn flip_sign(self, other: Self) -> Self {
            self.zip(other, |a, b| f32::from_bits(a.to_bits() ^ (b.to_bits() & (1 << 31))))
        }
        fn choose(mut self, other: Self, bits: u32) -> Self {
            for i in 0..N {
                if bits >> i & 1 != 0 {
                    self.0[i] = other.0[i];
                }
            }
            self
        }
        fn le(self, other: Self) -> u32 {
            let mut mask = 0;
            for i in 0..N {
                mask |= u32::from(self.0[i] <= other.0[i]) << i;
            }
            mask
        }
    }
}

impl<I: Isa> BlockVector for ScalarF32<8, I> {
    inlined! {
        fn load_eights['a](isa: I, from: impl Fn(usize) -> &'a [f32; 8]) -> Self {
            Self::load(isa, from(0))
        }
        fn splat_eights(isa: I, number: impl Fn(usize) -> f32) -> Self {
            Self::splat(isa, number(0))
        }
        fn store_eights['a](self, to: impl Fn(usize) -> &'a mut MaybeUninit<[f32; 8]>) {
            self.store(to(0));
        }
    }
}

impl<I: Isa> F32x4 for ScalarF32<4, I> {
    inlined! {
        fn new(isa: I, x: f32, y: f32, z: f32) -> Self { Self([x, y, z, 0.0], isa) }
        fn turn(self) -> Self {
            let [x, y, z, w] = self.0;
            Self([y, z, x, w], self.1)
        }
        fn splat_last(self) -> Self { Self([self.0[2]; 4], self.1) }
        fn where_negative(self, bits: Self) -> Self {
            self.zip(bits, |a, b| if a.is_sign_negative() { b } else { f32::from_bits(0) })
        }
        fn first(self) -> f32 { self.0[0] }
        fn to_array(self) -> [f32; 4] { self.0 }
        fn xor(self, other: Self) -> Self {
            self.zip(other, |a, b| f32::from_bits(a.to_bits() ^ b.to_bits()))
        }
    }
}

/// As [`ScalarF32`].
#[derive(Clone, Copy)]
pub(crate) struct ScalarF64x4<I>([f64; 4], I);

impl<I: Isa> ScalarF64x4<I> {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self([0, 1, 2, 3].each(|k: usize| f(self.0[k], other.0[k])), self.1)
    }
}

impl<I: Isa> F64x4 for ScalarF64x4<I> {
    type Isa = I;

    inlined! {
        fn new(isa: I, x: [f64; 4]) -> Self { Self(x, isa) }
        fn from_f32(isa: I, x: [f32; 4]) -> Self { Self(x.each(f64::from), isa) }
        fn splat_yzw(isa: I, x: f32) -> Self {
            let x = f64::from(x);
            Self([0.0, x, x, x], isa)
        }
        fn to_array(self) -> [f64; 4] { self.0 }
        fn swap_halves(self) -> Self {
            let [a, b, c, d] = self.0;
            Self([c, d, a, b], self.1)
        }
        fn swap_pairs(self) -> Self {
            let [a, b, c, d] = self.0;
            Self([b, a, d, c], self.1)
        }
        fn sub(self, other: Self) -> Self { self.zip(other, |a, b| a - b) }
        fn add(self, other: Self) -> Self { self.zip(other, |a, b| a + b) }
        fn mul(self, other: Self) -> Self { self.zip(other, |a, b| a * b) }
        fn div(self, other: Self) -> Self { self.zip(other, |a, b| a / b) }
        fn sqrt(self) -> Self { self.zip(self, |a, _| a.sqrt()) }
        fn abs(self) -> Self { self.zip(self, |a, _| a.abs()) }
        fn max(self, other: Self) -> Self { self.zip(other, |a, b| if a > b { a } else { b }) }
        fn to_f32(self) -> [f32; 4] { self.0.each(|x| x as f32) }
        fn if_less(self, other: Self, then: Self, otherwise: Self) -> Self {
            let lane =
                |k: usize| if self.0[k] < other.0[k] { then.0[k] } else { otherwise.0[k] };
            Self([0, 1, 2, 3].each(lane), self.1)
        }
        fn less(self, other: Self) -> u32 {
            let [a, b, c, d] = [0, 1, 2, 3].each(|k: usize| u32::from(self.0[k] < other.0[k]) << k);
            a | b | c | d
        }
        fn isa(self) -> I { self.1 }
        fn rounded(one: Self, other: Self) -> ([f32; 4], u32) {
            let (one, other) = (one.to_f32(), other.to_f32());
            let same = |k: usize| u32::from(one[k].to_bits() == other[k].to_bits()) << k;
            let [a, b, c, d] = [0, 1, 2, 3].each(same);
            (one, a | b | c | d)
        }
    }
}
