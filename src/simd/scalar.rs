//! Plain code for any CPU: the compiler makes of it what the target's baseline has.

use super::{Columns, Isa, Lone, Point, Quad, Task, Vector, Wave};

pub(crate) struct Scalar;

impl Isa for Scalar {
    type Node = F32s<8>;
    type Leaf = F32s<8>;
    type Point = F32s<4>;
    type Quad = F64s;
    type Wave = Scalar;

    const FUSES: bool = false;

    unsafe fn apart<T: Task>(task: T) -> T::Output {
        run(task)
    }
}

impl Columns for Scalar {}

impl Lone for Scalar {
    type Boxes = F32s<8>;
}

/// Runs a task. (Out of line as those of other sets, or whoever picks one would need the room of this one.)
#[inline(never)]
pub(crate) fn run<T: Task>(task: T) -> T::Output {
    // SAFETY: plain code runs anywhere.
    unsafe { task.run::<Scalar>() }
}

impl Wave for Scalar {
    type Eights = F32s<8>;

    #[inline(always)]
    unsafe fn load_eights(from: impl Fn(usize) -> *const f32) -> Self::Eights {
        // SAFETY: the caller vouches for the CPU and for the numbers.
        unsafe { Vector::load(from(0)) }
    }

    #[inline(always)]
    unsafe fn splat_eights(number: impl Fn(usize) -> f32) -> Self::Eights {
        // SAFETY: the caller vouches for the CPU.
        unsafe { Vector::splat(number(0)) }
    }

    #[inline(always)]
    unsafe fn store_eights(eights: Self::Eights, to: impl Fn(usize) -> *mut f32) {
        // SAFETY: the caller vouches for the CPU and for the room.
        unsafe { eights.store(to(0)) };
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct F32s<const N: usize>([f32; N]);

impl<const N: usize> F32s<N> {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut out = self;
        for i in 0..N {
            out.0[i] = f(self.0[i], other.0[i]);
        }
        out
    }
}

// SAFETY: the trait's methods are unsafe for the sake of other sets. Plain code runs anywhere: those without a note
// of their own need nothing of their caller.
impl<const N: usize> Vector for F32s<N> {
    const LANES: usize = N;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for `N` numbers; arrays of `f32` have its alignment.
        Self(unsafe { from.cast::<[f32; N]>().read() })
    }
    #[inline(always)]
    unsafe fn load_fours(from: impl Fn(usize) -> *const f32) -> Self {
        let mut fours = [0.0; N];
        for (i, number) in fours.iter_mut().enumerate() {
            // SAFETY: the caller vouches for the numbers.
            *number = unsafe { *from(i / 4).add(i % 4) };
        }
        Self(fours)
    }
    #[inline(always)]
    unsafe fn transpose_fours(rows: [Self; 4]) -> [Self; 4] {
        let mut columns = rows;
        for (k, column) in columns.iter_mut().enumerate() {
            for (i, number) in column.0.iter_mut().enumerate() {
                *number = rows[i % 4].0[i / 4 * 4 + k];
            }
        }
        columns
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller vouches for room for `N` numbers.
        unsafe { to.cast::<[f32; N]>().write(self.0) }
    }
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        Self([x; N])
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
        self.zip(other, |a, b| f32::from_bits(a.to_bits() ^ (b.to_bits() & (1 << 31))))
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
    unsafe fn choose(mut self, other: Self, bits: u32) -> Self {
        for i in 0..N {
            if bits >> i & 1 != 0 {
                self.0[i] = other.0[i];
            }
        }
        self
    }
    #[inline(always)]
    unsafe fn le(self, other: Self) -> u32 {
        let mut mask = 0;
        for i in 0..N {
            mask |= u32::from(self.0[i] <= other.0[i]) << i;
        }
        mask
    }
}

// SAFETY: the trait's methods are unsafe for the sake of other sets. Plain code runs anywhere: those without a note
// of their own need nothing of their caller.
impl Point for F32s<4> {
    #[inline(always)]
    unsafe fn of(x: f32, y: f32, z: f32) -> Self {
        Self([x, y, z, 0.0])
    }
    #[inline(always)]
    unsafe fn turn(self) -> Self {
        let [x, y, z, w] = self.0;
        Self([y, z, x, w])
    }
    #[inline(always)]
    unsafe fn splat_last(self) -> Self {
        Self([self.0[2]; 4])
    }
    #[inline(always)]
    unsafe fn where_negative(self, bits: Self) -> Self {
        self.zip(bits, |a, b| if a.is_sign_negative() { b } else { f32::from_bits(0) })
    }
    #[inline(always)]
    unsafe fn first(self) -> f32 {
        self.0[0]
    }
    #[inline(always)]
    unsafe fn to_array(self) -> [f32; 4] {
        self.0
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| f32::from_bits(a.to_bits() ^ b.to_bits()))
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct F64s([f64; 4]);

impl F64s {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

// SAFETY: the trait's methods are unsafe for the sake of other sets. Plain code runs anywhere: those without a note
// of their own need nothing of their caller.
impl Quad for F64s {
    #[inline(always)]
    unsafe fn of(x: [f32; 4]) -> Self {
        Self(x.map(f64::from))
    }
    #[inline(always)]
    unsafe fn thrice(x: f32) -> Self {
        let x = f64::from(x);
        Self([0.0, x, x, x])
    }
    #[inline(always)]
    unsafe fn new(x: [f64; 4]) -> Self {
        Self(x)
    }
    #[inline(always)]
    unsafe fn to_array(self) -> [f64; 4] {
        self.0
    }
    #[inline(always)]
    unsafe fn turn(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([c, d, a, b])
    }
    #[inline(always)]
    unsafe fn swap(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([b, a, d, c])
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, addend: Self) -> Self {
        self.zip(factor, |a, b| a * b).zip(addend, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn mul_sub(self, factor: Self, subtrahend: Self) -> Self {
        self.zip(factor, |a, b| a * b).zip(subtrahend, |a, b| a - b)
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        Self(self.0.map(f64::abs))
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    unsafe fn rounded(one: Self, other: Self) -> Option<[f32; 3]> {
        let narrow = |Self([_, a, b, c]): Self| [a as f32, b as f32, c as f32];
        let (one, other) = (narrow(one), narrow(other));
        let same = one.map(f32::to_bits) == other.map(f32::to_bits);
        same.then_some(one)
    }
}
