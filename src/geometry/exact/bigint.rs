//! Exact integers for the rare ray that floating point cannot decide.
//!
//! Every finite `f32` is a whole multiple of 2^-149, so every determinant of the ray
//! test is a whole multiple of 2^-447 below 2^389: it fits in 1024 bits. Plain integers
//! have no rounding, no underflow and do not care for the floating-point environment.
//! The numbers of most rays and triangles are not that far apart, and 256 bits hold all that comes of
//! them, which takes a tenth of the time; and mostly [128](super::int128) do.

use std::cmp::Ordering;

use crate::geometry::ray::Ray;
use crate::geometry::vec3_f64::Corners;

/// Limbs for all determinants of the ray test.
pub(super) const ALL: usize = 16;

/// Limbs for those of numbers that are not far apart.
pub(super) const FEW: usize = 4;

/// So many bits numbers may be apart for `FEW` limbs. A difference has one more; a determinant is a sum
/// of six products of three, and sometimes one of three determinants, which takes another five; and a
/// quotient takes 32.
const APART: u32 = 72;
const _: () = assert!(3 * (APART + 1) + 5 + 32 <= 64 * FEW as u32);

/// A power of two, of which numbers are whole multiples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit(u32);

impl Unit {
    /// That of all finite numbers: 2^-149.
    pub(super) const LEAST: Self = Self(1);

    /// That of some finite numbers, if determinants of them fit in `FEW` limbs.
    pub(super) fn of_few(numbers: &[f32]) -> Option<Self> {
        Self::of(numbers, APART)
    }

    /// The greatest of some finite numbers, if none of them is two to the power of `apart` units or more.
    pub(super) fn of(numbers: &[f32], apart: u32) -> Option<Self> {
        let (mut least, mut most) = (u32::MAX, 0);
        for &number in numbers {
            let (mantissa, exponent) = split(number);
            if mantissa != 0 {
                least = least.min(exponent + mantissa.trailing_zeros());
                most = most.max(exponent + 64 - mantissa.leading_zeros());
            }
        }
        if most == 0 {
            return Some(Self::LEAST);
        }
        (most - least <= apart).then_some(Self(least))
    }

    /// How many make one.
    pub(super) fn per_one(self) -> f64 {
        f64::from_bits(u64::from(1023 + 150 - self.0) << 52)
    }
}

/// A number's size: the first times 2 to the power of the second less 150.
fn split(number: f32) -> (u64, u32) {
    let bits = number.to_bits();
    let exponent = bits >> 23 & 0xff;
    let fraction = u64::from(bits & 0x7f_ffff);
    // Subnormal numbers have no hidden bit and the exponent of the least normal ones.
    if exponent == 0 { (fraction, 1) } else { (fraction | 1 << 23, exponent) }
}

/// A signed integer: a magnitude, least limb first, and a sign.
#[derive(Clone, Copy, Debug)]
pub(super) struct Int<const LIMBS: usize> {
    negative: bool,
    limbs: [u64; LIMBS],
}

impl<const LIMBS: usize> Int<LIMBS> {
    const ZERO: Self = Self { negative: false, limbs: [0; LIMBS] };

    /// `number` in units, of which it is a whole multiple.
    pub(super) fn from_f32(number: f32, Unit(unit): Unit) -> Self {
        let (mantissa, exponent) = split(number);
        let mut int = Self::ZERO;
        if mantissa == 0 {
            return int;
        }
        int.limbs[0] = mantissa >> unit.saturating_sub(exponent);
        let mut int = int.shifted_left(exponent.saturating_sub(unit));
        int.negative = number.is_sign_negative();
        int
    }

    pub(super) fn signum(&self) -> i32 {
        match (self.limbs == [0; LIMBS], self.negative) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => -1,
        }
    }

    pub(super) fn neg(mut self) -> Self {
        self.negative = !self.negative;
        self
    }

    pub(super) fn add(&self, other: &Self) -> Self {
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
        let (mut large, small) = match self.cmp_size(other) {
            Ordering::Less => (*other, self),
            _ => (*self, other),
        };
        large.shrink(small);
        large
    }

    pub(super) fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    pub(super) fn mul(&self, other: &Self) -> Self {
        let mut product = Self { negative: self.negative != other.negative, limbs: [0; LIMBS] };
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
        let mut out = Self { negative: self.negative, limbs: [0; LIMBS] };
        for i in (limbs..LIMBS).rev() {
            let low = self.limbs[i - limbs];
            let below = if i > limbs { self.limbs[i - limbs - 1] } else { 0 };
            // A shift by 64 would overflow; the two steps shift by 64 when `bits` is 0.
            out.limbs[i] = low << bits | (below >> 1) >> (63 - bits);
        }
        out
    }

    /// 128 bits, from this one on.
    fn part(&self, bit: u32) -> u128 {
        let (limb, bit) = (bit as usize / 64, bit % 64);
        let limb = |i: usize| u128::from(self.limbs.get(limb + i).copied().unwrap_or(0));
        let above = limb(1) | limb(2) << 64;
        // (In two steps, as above.)
        limb(0) >> bit | (above << 1) << (63 - bit)
    }

    /// `self / divisor`, rounded once to the nearest `f32` (ties to even), as IEEE 754
    /// rounds any quotient. The divisor must not be zero.
    pub(super) fn quotient(&self, divisor: &Self) -> f32 {
        if self.signum() == 0 {
            return 0.0;
        }
        // Scale both so that the whole part of the quotient has 31 or 32 bits, and the divisor 64 or
        // more.
        let (over, under) = (self.bits(), divisor.bits());
        let bits = under.max(64).max(over.saturating_sub(31));
        let rest = self.shifted_left(bits + 31 - over);
        let step = divisor.shifted_left(bits - under);
        // From the 64 highest bits of the divisor the quotient is what it is, or one more.
        let high = bits - 64;
        let mut whole = Self::ZERO;
        whole.limbs[0] = (rest.part(high) / step.part(high)) as u64;
        let mut product = whole.mul(&step);
        if product.cmp_size(&rest) == Ordering::Greater {
            whole.limbs[0] -= 1;
            product.shrink(&step);
        }
        // One more bit tells whether anything is left over, so that the conversion below
        // sees on which side of a tie the quotient lies (rounding to odd).
        let odd = whole.limbs[0] << 1 | u64::from(product.limbs != rest.limbs);
        let shift = 31 + under as i32 - over as i32;
        let scale = f64::from_bits(((1023 - shift - 1) as u64) << 52);
        let value = (odd as f64 * scale) as f32;
        if self.negative == divisor.negative { value } else { -value }
    }

    fn cmp_size(&self, other: &Self) -> Ordering {
        self.limbs.iter().rev().cmp(other.limbs.iter().rev())
    }

    /// Takes off the other's size, which is no larger.
    fn shrink(&mut self, other: &Self) {
        let mut borrow = false;
        for (a, &b) in self.limbs.iter_mut().zip(&other.limbs) {
            let (d, b0) = a.overflowing_sub(b);
            let (d, b1) = d.overflowing_sub(u64::from(borrow));
            (*a, borrow) = (d, b0 | b1);
        }
    }
}

type Int3<const LIMBS: usize> = [Int<LIMBS>; 3];

fn sub3<const LIMBS: usize>(a: [f32; 3], b: [f32; 3], unit: Unit) -> Int3<LIMBS> {
    std::array::from_fn(|k| Int::from_f32(a[k], unit).sub(&Int::from_f32(b[k], unit)))
}

fn cross<const LIMBS: usize>(a: &Int3<LIMBS>, b: &Int3<LIMBS>) -> Int3<LIMBS> {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i].mul(&b[j]).sub(&a[j].mul(&b[i]))
    })
}

fn dot<const LIMBS: usize>(a: &Int3<LIMBS>, b: &Int3<LIMBS>) -> Int<LIMBS> {
    a[0].mul(&b[0]).add(&a[1].mul(&b[1])).add(&a[2].mul(&b[2]))
}

/// The determinants in integers: of the whole, `u`, `v` and `t`.
pub(super) fn determinants<const LIMBS: usize>(
    ray: &Ray,
    corners: &Corners,
    unit: Unit,
) -> [Int<LIMBS>; 4] {
    let (origin, dir) = (ray.origin.to_array(), ray.dir.to_array());
    let e1 = sub3(corners[1], corners[0], unit);
    let e2 = sub3(corners[2], corners[0], unit);
    let s = sub3(origin, corners[0], unit);
    let d = dir.map(|d| Int::from_f32(d, unit));
    let normal = cross(&e1, &e2);
    let q = cross(&s, &d);
    [dot(&d, &normal).neg(), dot(&e2, &q), dot(&e1, &q).neg(), dot(&s, &normal)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_rng::bits;

    /// Hardware rounds quotients of two `f32` rightly.
    #[test]
    fn quotients_of_floats_are_ieee_quotients() {
        let mut state = 1;
        let mut next = || f32::from_bits(bits(&mut state) as u32);
        let (mut seen, mut seen_few) = (0, 0);
        while seen < 20_000 {
            let (a, b) = (next(), next());
            if !a.is_finite() || !b.is_finite() || b == 0.0 {
                continue;
            }
            let right = (a / b).to_bits() & if a == 0.0 { 0 } else { !0 };
            let int = |x| Int::<ALL>::from_f32(x, Unit::LEAST);
            assert_eq!(int(a).quotient(&int(b)).to_bits(), right, "{a} / {b}");
            seen += 1;
            if let Some(unit) = Unit::of_few(&[a, b]) {
                let int = |x| Int::<FEW>::from_f32(x, unit);
                assert_eq!(int(a).quotient(&int(b)).to_bits(), right, "{a} / {b}");
                seen_few += 1;
            }
        }
        assert!(seen_few > 5_000);
    }

    /// Numbers as far apart as may be, and determinants as large as can be.
    #[test]
    fn few_limbs_hold_what_comes_of_numbers_that_are_not_far_apart() {
        let mut state = 1;
        let least = 1e-5f32.to_bits() >> 23 << 23;
        for _ in 0..20_000 {
            let mut next = || {
                let bits = bits(&mut state);
                // Most are the least or the greatest there may be.
                let size = match bits % 8 {
                    0 => 0,
                    1 | 2 => least,
                    3..=6 => least + ((APART - 23) << 23) - 1,
                    _ => least + (bits as u32 >> 3) % ((APART - 23) << 23),
                };
                let size = f32::from_bits(size);
                if bits >> 31 == 0 { size } else { -size }
            };
            let mut three = || [next(), next(), next()];
            let numbers = [three(), three(), three(), three(), three(), three()];
            let unit = Unit::of_few(numbers.as_flattened()).unwrap();
            let [few, all] = [
                signs_and_quotients::<FEW>(&numbers, unit),
                signs_and_quotients::<ALL>(&numbers, Unit::LEAST),
            ];
            assert_eq!(few, all, "{numbers:?}");
        }
        assert!(Unit::of_few(&[f32::MIN_POSITIVE, 1.0]).is_none());
        assert!(Unit::of_few(&[0.0, -0.0]).is_some());
    }

    fn signs_and_quotients<const LIMBS: usize>(
        [a, b, c, d, e, f]: &[[f32; 3]; 6],
        unit: Unit,
    ) -> ([i32; 3], [Option<u32>; 2]) {
        let [x, y, z] = [[a, b], [c, d], [e, f]].map(|[a, b]| sub3::<LIMBS>(*a, *b, unit));
        let (one, other) = (dot(&x, &cross(&y, &z)), dot(&y, &cross(&x, &x)));
        // Three determinants.
        let most = one.sub(&dot(&z, &cross(&x, &y)).neg()).sub(&one.neg());
        let quotient =
            |a: &Int<LIMBS>, b: &Int<LIMBS>| (b.signum() != 0).then(|| a.quotient(b).to_bits());
        (
            [one.signum(), other.signum(), most.signum()],
            [quotient(&most, &one), quotient(&z[0].mul(&z[0]).mul(&z[0]), &most)],
        )
    }

    #[test]
    fn ring_operations_agree_with_i128() {
        let whole = |x: i32| Int::<ALL>::from_f32(x as f32, Unit::LEAST);
        for (a, b, c) in [(3, -7, 11), (-5, -5, 2), (1 << 20, -(1 << 21), 9), (0, 4, -4)] {
            let exact = i128::from(a) * i128::from(b) - i128::from(c) * i128::from(a);
            let int = whole(a).mul(&whole(b)).sub(&whole(c).mul(&whole(a)));
            assert_eq!(int.signum(), exact.signum() as i32);
            let unit = whole(1).mul(&whole(1));
            assert_eq!(int.quotient(&unit), exact as f32);
        }
    }
}
