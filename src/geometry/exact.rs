//! Exact integers for the rare ray that floating point cannot decide.
//!
//! Every finite `f32` is a whole multiple of 2^-149, so every determinant of the ray
//! test is a whole multiple of 2^-447 below 2^389: it fits in 1024 bits. Plain integers
//! have no rounding, no underflow and do not care for the floating-point environment.

use std::cmp::Ordering;

const LIMBS: usize = 16;

/// A signed integer of up to 1024 bits: a magnitude, least limb first, and a sign.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Int {
    negative: bool,
    limbs: [u64; LIMBS],
}

impl Int {
    const ZERO: Self = Self {
        negative: false,
        limbs: [0; LIMBS],
    };

    /// `value * 2^149`, which is whole for every finite `f32`.
    pub(crate) fn from_f32(value: f32) -> Self {
        let bits = value.to_bits();
        let exponent = (bits >> 23) & 0xff;
        let fraction = u64::from(bits & 0x7f_ffff);
        // Subnormal numbers have no hidden bit and the exponent of the least normal ones.
        let (mantissa, shift) = if exponent == 0 {
            (fraction, 0)
        } else {
            (fraction | 1 << 23, exponent - 1)
        };
        let mut int = Self::ZERO;
        int.limbs[0] = mantissa;
        let mut int = int.shifted_left(shift);
        int.negative = bits >> 31 == 1;
        int
    }

    pub(crate) fn signum(&self) -> i32 {
        match (self.limbs == [0; LIMBS], self.negative) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => -1,
        }
    }

    pub(crate) fn neg(mut self) -> Self {
        self.negative = !self.negative;
        self
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        if self.negative == other.negative {
            let mut sum = *self;
            let mut carry = false;
            for (a, b) in sum.limbs.iter_mut().zip(other.limbs) {
                let (s, c0) = a.overflowing_add(b);
                let (s, c1) = s.overflowing_add(u64::from(carry));
                (*a, carry) = (s, c0 | c1);
            }
            return sum;
        }
        let (mut large, small) = match cmp_limbs(&self.limbs, &other.limbs) {
            Ordering::Less => (*other, self),
            _ => (*self, other),
        };
        sub_limbs(&mut large.limbs, &small.limbs);
        large
    }

    pub(crate) fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    pub(crate) fn mul(&self, other: &Self) -> Self {
        let mut product = Self {
            negative: self.negative != other.negative,
            limbs: [0; LIMBS],
        };
        for (i, &a) in self.limbs.iter().enumerate().filter(|&(_, &a)| a != 0) {
            let mut carry = 0u64;
            for j in 0..LIMBS - i {
                let wide = u128::from(a) * u128::from(other.limbs[j])
                    + u128::from(product.limbs[i + j])
                    + u128::from(carry);
                product.limbs[i + j] = wide as u64;
                carry = (wide >> 64) as u64;
            }
        }
        product
    }

    fn bits(&self) -> u32 {
        match self.limbs.iter().rposition(|&limb| limb != 0) {
            Some(top) => top as u32 * 64 + 64 - self.limbs[top].leading_zeros(),
            None => 0,
        }
    }

    fn shifted_left(&self, shift: u32) -> Self {
        let (limbs, bits) = (shift as usize / 64, shift % 64);
        let mut out = Self {
            negative: self.negative,
            limbs: [0; LIMBS],
        };
        for i in (limbs..LIMBS).rev() {
            let low = self.limbs[i - limbs];
            let below = if i > limbs {
                self.limbs[i - limbs - 1]
            } else {
                0
            };
            // A shift by 64 would overflow; the two steps shift by 64 when `bits` is 0.
            out.limbs[i] = low << bits | (below >> 1) >> (63 - bits);
        }
        out
    }

    fn halve(&mut self) {
        for i in 0..LIMBS {
            let above = if i + 1 < LIMBS { self.limbs[i + 1] } else { 0 };
            self.limbs[i] = self.limbs[i] >> 1 | above << 63;
        }
    }

    /// `self / divisor`, rounded once to the nearest `f32` (ties to even), as IEEE 754
    /// rounds any quotient. The divisor must not be zero.
    pub(crate) fn quotient(&self, divisor: &Self) -> f32 {
        if self.signum() == 0 {
            return 0.0;
        }
        // Scale both so that the whole part of the quotient has 31 or 32 bits.
        let shift = 31 + divisor.bits() as i32 - self.bits() as i32;
        let mut rest = self.shifted_left(shift.max(0) as u32);
        let mut step = divisor
            .shifted_left((-shift).max(0) as u32)
            .shifted_left(32);
        let mut whole = 0u64;
        for _ in 0..=32 {
            whole <<= 1;
            if cmp_limbs(&rest.limbs, &step.limbs) != Ordering::Less {
                sub_limbs(&mut rest.limbs, &step.limbs);
                whole |= 1;
            }
            step.halve();
        }
        // One more bit tells whether anything is left over, so that the conversion below
        // sees on which side of a tie the quotient lies (rounding to odd).
        let odd = whole << 1 | u64::from(rest.signum() != 0);
        let scale = f64::from_bits(((1023 - shift - 1) as u64) << 52);
        let value = (odd as f64 * scale) as f32;
        if self.negative == divisor.negative {
            value
        } else {
            -value
        }
    }
}

fn cmp_limbs(a: &[u64; LIMBS], b: &[u64; LIMBS]) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

/// `a -= b` for `a >= b`.
fn sub_limbs(a: &mut [u64; LIMBS], b: &[u64; LIMBS]) {
    let mut borrow = false;
    for (a, &b) in a.iter_mut().zip(b) {
        let (d, b0) = a.overflowing_sub(b);
        let (d, b1) = d.overflowing_sub(u64::from(borrow));
        (*a, borrow) = (d, b0 | b1);
    }
}

pub(crate) type Int3 = [Int; 3];

pub(crate) fn sub3(a: [f32; 3], b: [f32; 3]) -> Int3 {
    std::array::from_fn(|k| Int::from_f32(a[k]).sub(&Int::from_f32(b[k])))
}

pub(crate) fn cross(a: &Int3, b: &Int3) -> Int3 {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i].mul(&b[j]).sub(&a[j].mul(&b[i]))
    })
}

pub(crate) fn dot(a: &Int3, b: &Int3) -> Int {
    a[0].mul(&b[0]).add(&a[1].mul(&b[1])).add(&a[2].mul(&b[2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Divides through `f64`, which is exact enough to compare where both operands have
    /// 24 bits: the quotient of two of them is never within 2^-50 of a tie without being one.
    #[test]
    fn quotients_of_floats_are_ieee_quotients() {
        let mut state = 1u64;
        let mut next = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            f32::from_bits((state >> 32) as u32)
        };
        let mut seen = 0;
        while seen < 20_000 {
            let (a, b) = (next(), next());
            if !a.is_finite() || !b.is_finite() || b == 0.0 {
                continue;
            }
            let got = Int::from_f32(a).quotient(&Int::from_f32(b));
            assert_eq!(
                got.to_bits(),
                (a / b).to_bits() & if a == 0.0 { 0 } else { !0 },
                "{a} / {b}"
            );
            seen += 1;
        }
    }

    #[test]
    fn ring_operations_agree_with_i128() {
        let whole = |x: i32| Int::from_f32(x as f32);
        for (a, b, c) in [
            (3, -7, 11),
            (-5, -5, 2),
            (1 << 20, -(1 << 21), 9),
            (0, 4, -4),
        ] {
            let exact = i128::from(a) * i128::from(b) - i128::from(c) * i128::from(a);
            let int = whole(a).mul(&whole(b)).sub(&whole(c).mul(&whole(a)));
            assert_eq!(int.signum(), exact.signum() as i32);
            let unit = whole(1).mul(&whole(1));
            assert_eq!(int.quotient(&unit), exact as f32);
        }
    }
}
