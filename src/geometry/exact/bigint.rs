//! Integers of a fixed number of words. 1024 bits hold every determinant of the triangle test
//! without rounding.

use std::cmp::Ordering;

use super::number::{Number, Ordered, cross, difference, dot};
use crate::array::Each;
use crate::geometry::ray::Ray;
use crate::geometry::vec3_f64::Corners;

/// An integer of 1024 bits.
///
/// **Lemma 4 (1024-bit range).** Every finite `f32` is a whole multiple of 2^-149 below 2^277 of
/// them. A difference of two is below 2^278 units, a determinant, the sum of six products of
/// three differences, below 6 * 2^834 < 2^837, and the difference of three determinants below
/// 2^839. A quotient shifts such a number by at most 32 bits: below 2^871, less than 2^1024.
pub(in crate::geometry) type Int1024 = Int<[u64; 16]>;

/// An integer of 3392 bits.
///
/// **Lemma 82 (range of overlap tests).** In units of 2^-149, to the power of its degree, every
/// number fits. A coordinate is below 2^277, a difference below 2^278.
///
/// - A box's heights are differences. Their determinants are below 2^837 and fit into 1024 bits.
/// - A frustum's heights are below 2^556, their determinants below 6 * 2^1668 < 2^1671.
/// - For a segment, the largest numbers are squares of triple products, which are below 2^839:
///   2^1678, and squares of radii times squares of normals: 2^554 * 2^1116. Their differences
///   are below 2^1679.
/// - Where the segment moves until a time, all numbers are scaled by 2^203 at most, so that the way
///   is whole. A coordinate is below 2^481 and a difference below 2^482. The squares and products
///   are below 2^2900.
/// - A parallelepiped's normals are below 2^555. A local coordinate, with a unit, is below 2^984,
///   and a determinant times a bound is below 2^1111: heights are below 2^1112.
/// - A triangle's normal is below 2^557, its edges' normals are below 2^836, and heights over them
///   are below 2^1116. Determinants of these are below 6 * 2^3348 < 2^3351.
/// - On the axes of a moving parallelepiped, normals are below 2^557, heights below 2^1117 and
///   speeds below 2^986. Products of one of each are below 2^2104.
/// - On the axes of a moving hull, normals are below 2^557, the difference of two doubled heights
///   is below 2^839, and a speed below 2^837. The difference of two products of one of each is
///   below 2^1677.
pub(in crate::geometry) type Int3392 = Int<[u64; 53]>;

/// A signed integer: a sign and a magnitude, lowest word first.
///
/// Most numbers are far from filling all words: the multiples of 2^-149 that ordinary coordinates
/// are end in many zeros, and begin with as many. So only some words are worked on.
#[derive(Clone, Copy, Debug)]
pub(in crate::geometry) struct Int<Words: ?Sized> {
    negative: bool,
    /// All words before this one are zero, and all from `end` on.
    start: usize,
    end: usize,
    words: Words,
}

/// An integer of any length, behind a pointer: what is computed is compiled once for all lengths.
type AnyInt = Int<[u64]>;

impl<const WORDS: usize> Int<[u64; WORDS]> {
    const ZERO: Self = Self { negative: false, start: 0, end: 0, words: [0; WORDS] };
    pub(super) const ONE: Self = Self::of_word(1);

    pub(super) const fn of_word(word: u64) -> Self {
        let mut int = Self::ZERO;
        int.words[0] = word;
        int.end = 1;
        int
    }

    /// A finite number in units of 2^-149.
    pub(super) fn from_f32(number: f32) -> Self {
        let mut int = Self::ZERO;
        any_mut(&mut int).set_f32(number);
        int
    }

    /// Times a power of two.
    pub(super) fn scaled(&self, places: u32) -> Self {
        Self { negative: self.negative, ..self.shifted_left(places) }
    }

    pub(super) fn signum(&self) -> i32 {
        any(self).sign()
    }

    pub(super) fn neg(mut self) -> Self {
        self.negative = !self.negative;
        self
    }

    #[inline(never)]
    pub(super) fn add(&self, other: &Self) -> Self {
        let mut sum = *self;
        any_mut(&mut sum).add_signed(other, other.negative);
        sum
    }

    #[inline(never)]
    pub(super) fn sub(&self, other: &Self) -> Self {
        let mut difference = *self;
        any_mut(&mut difference).add_signed(other, !other.negative);
        difference
    }

    #[inline(never)]
    pub(super) fn mul(&self, other: &Self) -> Self {
        let mut product = Self::ZERO;
        any_mut(&mut product).set_product(self, other);
        product
    }

    /// The magnitude, shifted.
    fn shifted_left(&self, shift: u32) -> Self {
        let mut shifted = Self::ZERO;
        any_mut(&mut shifted).set_shifted(self, shift);
        shifted
    }

    /// `self / divisor`, rounded once to the nearest `f32` (ties to even), as IEEE 754 rounds
    /// any quotient. The divisor must not be zero.
    pub(super) fn quotient(&self, divisor: &Self) -> f32 {
        if self.signum() == 0 {
            return 0.0;
        }
        // Scale both so that the whole part of the quotient has 31 or 32 bits, and the divisor
        // 64 or more.
        let (over, under) = (any(self).bits(), any(divisor).bits());
        let bits = under.max(64).max(over.saturating_sub(31));
        let rest = self.shifted_left(bits + 31 - over);
        let step = divisor.shifted_left(bits - under);
        // The 64 highest bits of the divisor give the quotient or one more than it.
        let high = bits - 64;
        let whole = any(&rest).bits_from(high) / any(&step).bits_from(high);
        let mut whole = Self::of_word(whole as u64);
        let mut product = whole.mul(&step);
        if any(&product).cmp_magnitude(&rest) == Ordering::Greater {
            whole.words[0] -= 1;
            any_mut(&mut product).subtract_magnitude(&step);
        }
        // One more bit tells whether a remainder is left, so that the conversion below sees on
        // which side of a tie the quotient lies (rounding to odd).
        let odd = whole.words[0] << 1 | u64::from(product.words != rest.words);
        let shift = 31 + under as i32 - over as i32;
        let scale = f64::from_bits(((1023 - shift - 1) as u64) << 52);
        let value = (odd as f64 * scale) as f32;
        if self.negative == divisor.negative { value } else { -value }
    }
}

/// The same integer, of any length.
fn any(int: &AnyInt) -> &AnyInt {
    int
}

fn any_mut(int: &mut AnyInt) -> &mut AnyInt {
    int
}

impl AnyInt {
    /// Whether no word is worked on: then all are zero. Zero may have some.
    fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    #[inline(never)]
    fn sign(&self) -> i32 {
        let is_zero = (self.start..self.end).all(|i| self.words[i] == 0);
        match (is_zero, self.negative) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => -1,
        }
    }

    /// Becomes a finite number in units of 2^-149. It is zero before.
    #[inline(never)]
    fn set_f32(&mut self, number: f32) {
        let (mantissa, exponent) = mantissa_and_exponent(number);
        let (word, bit) = ((exponent - 1) as usize / 64, (exponent - 1) % 64);
        self.negative = number.is_sign_negative();
        if mantissa != 0 {
            (self.start, self.end) = (word, word + 1);
            self.words[word] = mantissa << bit;
            // A shift by 64 would overflow, so a shift by `64 - bit` is made in two steps.
            let above = (mantissa >> 1) >> (63 - bit);
            if above != 0 {
                self.words[word + 1] = above;
                self.end = word + 2;
            }
        }
    }

    /// Adds the magnitude of another, which is negative or not.
    #[inline(never)]
    fn add_signed(&mut self, other: &Self, negative: bool) {
        if other.is_empty() {
            return;
        }
        if self.is_empty() {
            (self.negative, self.start, self.end) = (negative, other.start, other.start);
        }
        if self.negative == negative {
            self.add_magnitude(other);
        } else if self.cmp_magnitude(other) == Ordering::Less {
            self.negative = negative;
            self.set_difference(other, |own, others| [others, own]);
        } else {
            self.subtract_magnitude(other);
        }
    }

    fn add_magnitude(&mut self, other: &Self) {
        (self.start, self.end) = (self.start.min(other.start), self.end.max(other.end));
        let mut carry = false;
        for i in self.start..self.end {
            let (s, c0) = self.words[i].overflowing_add(other.words[i]);
            let (s, c1) = s.overflowing_add(u64::from(carry));
            (self.words[i], carry) = (s, c0 | c1);
        }
        if carry && self.end < self.words.len() {
            self.words[self.end] = 1;
            self.end += 1;
        }
    }

    /// Becomes the product of two. It is zero before.
    #[inline(never)]
    fn set_product(&mut self, one: &Self, other: &Self) {
        self.negative = one.negative != other.negative;
        if one.is_empty() || other.is_empty() {
            return;
        }
        let length = self.words.len();
        self.start = one.start + other.start;
        self.end = (one.end + other.end).min(length);
        for i in one.start..one.end {
            let a = u128::from(one.words[i]);
            if a == 0 {
                continue;
            }
            let mut carry = 0;
            for j in other.start..other.end.min(length - i) {
                let sum = a * u128::from(other.words[j]) + u128::from(self.words[i + j]) + carry;
                self.words[i + j] = sum as u64;
                carry = sum >> 64;
            }
            // The word after the last takes the carry. Nothing has come to it yet.
            if i + other.end < length {
                self.words[i + other.end] = carry as u64;
            }
        }
    }

    /// The length of the magnitude in bits.
    fn bits(&self) -> u32 {
        match self.words.iter().rposition(|&word| word != 0) {
            Some(top) => top as u32 * 64 + 64 - self.words[top].leading_zeros(),
            None => 0,
        }
    }

    /// Becomes the magnitude of another, shifted. It is zero before.
    #[inline(never)]
    fn set_shifted(&mut self, other: &Self, shift: u32) {
        let (words, bits) = (shift as usize / 64, shift % 64);
        let length = self.words.len();
        self.start = (other.start + words).min(length);
        self.end = (other.end + words + 1).min(length);
        for i in words..length {
            let low = other.words[i - words];
            let below = if i > words { other.words[i - words - 1] } else { 0 };
            // A shift by 64 would overflow, so a shift by `64 - bits` is made in two steps.
            self.words[i] = low << bits | (below >> 1) >> (63 - bits);
        }
    }

    /// 128 bits of the magnitude, the lowest of which is number `bit`.
    fn bits_from(&self, bit: u32) -> u128 {
        let (first, bit) = (bit as usize / 64, bit % 64);
        let word = |i: usize| u128::from(self.words.get(first + i).copied().unwrap_or(0));
        let above = word(1) | word(2) << 64;
        word(0) >> bit | (above << 1) << (63 - bit)
    }

    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        let mut order = Ordering::Equal;
        for i in (self.start.min(other.start)..self.end.max(other.end)).rev() {
            order = self.words[i].cmp(&other.words[i]);
            if order.is_ne() {
                break;
            }
        }
        order
    }

    /// Subtracts a magnitude that is no larger.
    fn subtract_magnitude(&mut self, other: &Self) {
        self.set_difference(other, |own, others| [own, others]);
    }

    /// Becomes the difference of two magnitudes, its own and another, of which `order` puts the
    /// larger one first.
    fn set_difference(&mut self, other: &Self, order: impl Fn(u64, u64) -> [u64; 2]) {
        (self.start, self.end) = (self.start.min(other.start), self.end.max(other.end));
        let mut borrow = false;
        for i in self.start..self.end {
            let [large, small] = order(self.words[i], other.words[i]);
            let (d, b0) = large.overflowing_sub(small);
            let (d, b1) = d.overflowing_sub(u64::from(borrow));
            (self.words[i], borrow) = (d, b0 | b1);
        }
        while self.end > self.start && self.words[self.end - 1] == 0 {
            self.end -= 1;
        }
    }
}

/// A finite number's magnitude: the first times 2 to the power of the second less 150.
pub(super) fn mantissa_and_exponent(number: f32) -> (u64, u32) {
    let bits = number.to_bits();
    let exponent = bits >> 23 & 0xff;
    let fraction = u64::from(bits & 0x7f_ffff);
    // Subnormal numbers have no hidden bit, and the exponent of the smallest normal ones.
    if exponent == 0 { (fraction, 1) } else { (fraction | 1 << 23, exponent) }
}

impl<const WORDS: usize> Number for Int<[u64; WORDS]> {
    fn from_f32(number: f32) -> Self {
        Self::from_f32(number)
    }

    fn add(&self, other: &Self) -> Self {
        self.add(other)
    }

    fn sub(&self, other: &Self) -> Self {
        self.sub(other)
    }

    fn mul(&self, other: &Self) -> Self {
        self.mul(other)
    }

    fn sign(&self) -> Option<i32> {
        Some(self.signum())
    }
}

impl<const WORDS: usize> Ordered for Int<[u64; WORDS]> {
    fn abs(&self) -> Self {
        Self { negative: false, ..*self }
    }

    fn min(&self, other: &Self) -> Self {
        if self.sub(other).signum() > 0 { *other } else { *self }
    }

    fn max(&self, other: &Self) -> Self {
        if self.sub(other).signum() < 0 { *other } else { *self }
    }
}

/// The determinants of a finite ray and triangle: `det`, then `u`, `v` and `t` times `det`.
pub(super) fn determinants(ray: &Ray, corners: &Corners) -> [Int1024; 4] {
    let e1 = difference(corners[1], corners[0]);
    let e2 = difference(corners[2], corners[0]);
    let s = difference(ray.origin.to_array(), corners[0]);
    let d = ray.dir.to_array().each(Int1024::from_f32);
    let (normal, q) = (cross(&e1, &e2), cross(&s, &d));
    [dot(&d, &normal).neg(), dot(&e2, &q), dot(&e1, &q).neg(), dot(&s, &normal)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_rng::bits;

    /// The hardware rounds the quotient of two `f32` correctly.
    #[test]
    fn quotients_of_floats_are_ieee_quotients() {
        let mut state = 1;
        let mut next = || f32::from_bits(bits(&mut state) as u32);
        let mut seen = 0;
        while seen < 20_000 {
            let (a, b) = (next(), next());
            if !a.is_finite() || !b.is_finite() || b == 0.0 {
                continue;
            }
            let right = (a / b).to_bits() & if a == 0.0 { 0 } else { !0 };
            let quotient = Int1024::from_f32(a).quotient(&Int1024::from_f32(b));
            assert_eq!(quotient.to_bits(), right, "{a} / {b}");
            seen += 1;
        }
    }

    /// The largest determinants that finite numbers have, against the same numbers scaled down
    /// by a power of two: nothing overflows.
    #[test]
    fn the_largest_determinants_fit() {
        let mut state = 1;
        for _ in 0..2_000 {
            let mut next = || if bits(&mut state) < 1 << 31 { f32::MAX } else { -f32::MAX };
            let numbers: [f32; 15] = std::array::from_fn(|_| next());
            let answers = [1.0, 2f32.powi(-100)].map(|scale| {
                let point = |i: usize| [0, 1, 2].map(|k| numbers[3 * i + k] * scale);
                let ray = Ray::new(point(0), point(1));
                let [det, u, v, t] = determinants(&ray, &[point(2), point(3), point(4)]);
                let w = det.sub(&u).sub(&v);
                let bits = [det, u, v, w, t].map(|x| x.signum());
                let quotients = (det.signum() != 0).then(|| [t, u, v].map(|x| x.quotient(&det)));
                (bits, quotients)
            });
            assert_eq!(answers[0], answers[1]);
        }
    }

    /// The highest words of the divisor alone give one too much here.
    #[test]
    fn quotients_close_to_ties_round_to_the_right_side() {
        let sum =
            |numbers: [f32; 2]| Int1024::from_f32(numbers[0]).add(&Int1024::from_f32(numbers[1]));
        let divisor = sum([2f32.powi(100), 1.0]);
        let under = divisor.mul(&Int1024::from_f32(1.0));
        for (tie, even, below, above) in [(3.0, 4.0, 2.0, 4.0), (1.0, 0.0, 0.0, 2.0)] {
            let over = divisor.mul(&sum([2f32.powi(24), tie]));
            let rounded = |over: Int1024| over.quotient(&under) - 2f32.powi(24);
            assert_eq!(rounded(over), even);
            assert_eq!(rounded(over.sub(&Int1024::ONE)), below);
            assert_eq!(rounded(over.add(&Int1024::ONE)), above);
        }
    }

    #[test]
    fn a_product_may_fill_all_words() {
        let one = Int::<[u64; 2]>::ONE;
        let product = one.shifted_left(63).mul(&one.shifted_left(64));
        assert_eq!(product.words, [0, 1 << 63]);
        let ones = Int::<[u64; 2]>::of_word(!0);
        assert_eq!(ones.mul(&ones.neg()).words, [1, !0 - 1]);
    }

    #[test]
    fn ring_operations_agree_with_i128() {
        let whole = |x: i32| Int1024::from_f32(x as f32);
        for (a, b, c) in [(3, -7, 11), (-5, -5, 2), (1 << 20, -(1 << 21), 9), (0, 4, -4)] {
            let exact = i128::from(a) * i128::from(b) - i128::from(c) * i128::from(a);
            let int = whole(a).mul(&whole(b)).sub(&whole(c).mul(&whole(a)));
            assert_eq!(int.signum(), exact.signum() as i32);
            let unit = whole(1).mul(&whole(1));
            assert_eq!(int.quotient(&unit), exact as f32);
        }
    }
}
