//! Numbers whose signs are known, so that a test is written once: for `f64` with a bound on its
//! error, and for integers, which decide what the bounds leave open.

use crate::array::Each;

/// A number made of `f32` by sums and products.
pub(in crate::geometry) trait Number: Copy {
    fn from_f32(number: f32) -> Self;
    fn add(&self, other: &Self) -> Self;
    fn sub(&self, other: &Self) -> Self;
    fn mul(&self, other: &Self) -> Self;
    /// -1, 0 or 1; `None` if it is in doubt.
    fn sign(&self) -> Option<i32>;

    fn negative(&self) -> Self {
        Self::from_f32(0.0).sub(self)
    }

    fn difference(a: f32, b: f32) -> Self {
        Self::from_f32(a).sub(&Self::from_f32(b))
    }

    /// Of products of two.
    #[inline(always)]
    fn sum_of<const LEN: usize>(products: [[f32; 2]; LEN]) -> Self {
        products.iter().fold(Self::from_f32(0.0), |sum, &[a, b]| {
            sum.add(&Self::from_f32(a).mul(&Self::from_f32(b)))
        })
    }
}

/// One that also knows the larger of two.
pub(in crate::geometry) trait Ordered: Number {
    fn abs(&self) -> Self;
    fn min(&self, other: &Self) -> Self;
    fn max(&self, other: &Self) -> Self;
}

/// A number in `f64` and a bound on its error.
///
/// **Lemma 80 (running error).** The exact value is within `error` of `value`. Proof: let `e` be
/// 2^-53. A rounded sum is off by `e` times its size at most, and a rounded product by that or, if
/// it underflows, by 2^-1075. The errors of the terms and factors come on top. The bound itself is
/// the sum of at most five numbers that are not negative, two of them products. Each passes six
/// roundings at most, for which `SPARE` has room, unless it underflows: by 2^-1075 each, for which
/// `TINY` has room. A number that overflows has an infinite error or is NaN: its sign is in doubt.
/// Zero without an error is exact, and stays so in products.
#[derive(Clone, Copy, Debug)]
pub(in crate::geometry) struct Approx {
    value: f64,
    error: f64,
}

const ROUNDING: f64 = 1.0 / (1u64 << 53) as f64;
const SPARE: f64 = 1.0 + 8.0 * ROUNDING * 2.0;
/// Four times the least number above zero.
const TINY: f64 = 4.0 * f64::from_bits(1);

impl Approx {
    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.value == 0.0 && self.error == 0.0
    }

    #[inline(always)]
    fn sum(&self, other: &Self, value: f64) -> Self {
        Self { value, error: (self.error + other.error + ROUNDING * value.abs()) * SPARE }
    }

    /// Of two numbers that have no error.
    #[inline(always)]
    pub(super) fn product(a: f64, b: f64) -> Self {
        let one = |value| Self { value, error: 0.0 };
        if b == 1.0 { one(a) } else { one(a).mul(&one(b)) }
    }
}

impl Number for Approx {
    #[inline(always)]
    fn from_f32(number: f32) -> Self {
        Self { value: f64::from(number), error: 0.0 }
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        self.sum(other, self.value + other.value)
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        self.sum(other, self.value - other.value)
    }

    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::from_f32(0.0);
        }
        let value = self.value * other.value;
        let error = self.value.abs() * other.error
            + other.value.abs() * self.error
            + self.error * other.error
            + ROUNDING * value.abs();
        Self { value, error: error * SPARE + TINY }
    }

    #[inline(always)]
    fn sign(&self) -> Option<i32> {
        if self.is_zero() {
            Some(0)
        } else {
            (self.value.abs() > self.error).then_some(if self.value > 0.0 { 1 } else { -1 })
        }
    }
}

/// A number in `f64` and the sum of the magnitudes that it is made of.
///
/// **Lemma 88 (magnitudes).** It is made of `f32`, and of sums of products of two `f32` that are
/// not rounded, which is usual for the way from one vertex to another. A product of two `f32` never
/// is rounded; what a sum loses is known (Knuth, "The Art of Computer Programming 2", 1969). If
/// nothing that goes into it passes more than 30 roundings, the exact value is within
/// [`error`](Self::error) of `value`. Proof: each of the products that it is the sum of gains a
/// factor between `1 - 2^-53` and `1 + 2^-53` in each rounding; the sum of their magnitudes is
/// `magnitude`, up to the same factors. The least and the greatest of two numbers are off by no
/// more than one of the two. Five factors neither overflow nor underflow. Where each product has a
/// factor that is zero, the value is zero, and so is the bound.
#[derive(Clone, Copy, Debug)]
pub(in crate::geometry) struct Estimate {
    pub(in crate::geometry) value: f64,
    magnitude: f64,
}

impl Estimate {
    #[inline(always)]
    pub(in crate::geometry) fn error(&self) -> f64 {
        self.magnitude * (32.0 * ROUNDING)
    }
}

impl Number for Estimate {
    #[inline(always)]
    fn from_f32(number: f32) -> Self {
        let value = f64::from(number);
        Self { value, magnitude: value.abs() }
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        let magnitude = self.magnitude + other.magnitude;
        Self { value: self.value + other.value, magnitude }
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        let magnitude = self.magnitude + other.magnitude;
        Self { value: self.value - other.value, magnitude }
    }

    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        Self { value: self.value * other.value, magnitude: self.magnitude * other.magnitude }
    }

    #[inline(always)]
    fn difference(a: f32, b: f32) -> Self {
        Self::sum_of([[1.0, a], [-1.0, b]])
    }

    #[inline(always)]
    fn sum_of<const LEN: usize>(products: [[f32; 2]; LEN]) -> Self {
        let (mut value, mut magnitude, mut lost) = (0.0, 0.0, 0.0);
        for [a, b] in products {
            let product = f64::from(a) * f64::from(b);
            let sum = value + product;
            let back = sum - value;
            lost += ((value - (sum - back)) + (product - back)).abs();
            (value, magnitude) = (sum, magnitude + product.abs());
        }
        Self { value, magnitude: if lost == 0.0 { value.abs() } else { magnitude } }
    }

    #[inline(always)]
    fn sign(&self) -> Option<i32> {
        if self.magnitude == 0.0 {
            Some(0)
        } else {
            (self.value.abs() > self.error()).then_some(if self.value > 0.0 { 1 } else { -1 })
        }
    }
}

impl Ordered for Estimate {
    #[inline(always)]
    fn abs(&self) -> Self {
        Self { value: self.value.abs(), ..*self }
    }

    #[inline(always)]
    fn min(&self, other: &Self) -> Self {
        let magnitude = self.magnitude.max(other.magnitude);
        Self { value: self.value.min(other.value), magnitude }
    }

    #[inline(always)]
    fn max(&self, other: &Self) -> Self {
        let magnitude = self.magnitude.max(other.magnitude);
        Self { value: self.value.max(other.value), magnitude }
    }
}

/// A number of which only the value is asked: the same value as in an [`Estimate`].
impl Number for f64 {
    #[inline(always)]
    fn from_f32(number: f32) -> Self {
        number.into()
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        self - other
    }

    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        self * other
    }

    #[inline(always)]
    fn sign(&self) -> Option<i32> {
        None
    }
}

impl Ordered for f64 {
    #[inline(always)]
    fn abs(&self) -> Self {
        Self::abs(*self)
    }

    #[inline(always)]
    fn min(&self, other: &Self) -> Self {
        Self::min(*self, *other)
    }

    #[inline(always)]
    fn max(&self, other: &Self) -> Self {
        Self::max(*self, *other)
    }
}

#[inline]
pub(in crate::geometry) fn difference<N: Number>(a: [f32; 3], b: [f32; 3]) -> [N; 3] {
    [0, 1, 2].each(|k: usize| N::difference(a[k], b[k]))
}

#[inline]
pub(in crate::geometry) fn point<N: Number>(point: [f32; 3]) -> [N; 3] {
    point.each(N::from_f32)
}

#[inline]
pub(in crate::geometry) fn add<N: Number>(a: &[N; 3], b: &[N; 3]) -> [N; 3] {
    [0, 1, 2].each(|k: usize| a[k].add(&b[k]))
}

#[inline]
pub(in crate::geometry) fn sub<N: Number>(a: &[N; 3], b: &[N; 3]) -> [N; 3] {
    [0, 1, 2].each(|k: usize| a[k].sub(&b[k]))
}

#[inline]
pub(in crate::geometry) fn cross<N: Number>(a: &[N; 3], b: &[N; 3]) -> [N; 3] {
    [0, 1, 2].each(|k: usize| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i].mul(&b[j]).sub(&a[j].mul(&b[i]))
    })
}

#[inline]
pub(in crate::geometry) fn dot<N: Number>(a: &[N; 3], b: &[N; 3]) -> N {
    a[0].mul(&b[0]).add(&a[1].mul(&b[1])).add(&a[2].mul(&b[2]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::exact::Int1024;
    use crate::test_rng::climb;

    /// A triple product of differences, times a number.
    fn product<N: Number>(numbers: &[f32; 13]) -> N {
        let point = |i: usize| [0, 1, 2].map(|k| numbers[3 * i + k]);
        let way = |i: usize| difference::<N>(point(i), point(0));
        dot(&cross(&way(1), &way(2)), &way(3)).mul(&N::from_f32(numbers[12]))
    }

    /// Numbers of 22 binary places: products of four fit into 128 bits.
    const PLACES: f32 = (1u32 << 22) as f32;

    #[derive(Clone, Copy)]
    struct Whole(i128);

    impl Number for Whole {
        fn from_f32(number: f32) -> Self {
            Self((number * PLACES) as i128)
        }
        fn add(&self, other: &Self) -> Self {
            Self(self.0 + other.0)
        }
        fn sub(&self, other: &Self) -> Self {
            Self(self.0 - other.0)
        }
        fn mul(&self, other: &Self) -> Self {
            Self(self.0 * other.0)
        }
        fn sign(&self) -> Option<i32> {
            Some(self.0.signum() as i32)
        }
    }

    #[test]
    fn errors_are_within_their_bounds_which_are_not_much_too_large() {
        let score = |numbers: &[f32; 13]| {
            let numbers = numbers.map(|x| (x.clamp(-2.0, 2.0) * PLACES).round() / PLACES);
            let found: Approx = product(&numbers);
            let part = part_of_bound(&numbers, found.value, found.error);
            if let Some(sign) = found.sign() {
                assert_eq!(Some(sign), product::<Int1024>(&numbers).sign(), "{numbers:?}");
            }
            Some(part)
        };
        let (best, numbers) = climb(&[START; 4], if cfg!(miri) { 50 } else { 20_000 }, score);
        println!("{best} of the bound at {numbers:?}");
        assert!(cfg!(miri) || best > 0.1, "{best}");
    }

    const START: [f32; 13] = [0.3, 0.7, -1.1, 1.3, 0.1, 0.9, -0.7, 1.7, 0.2, 1.9, -1.3, 0.6, 1.1];

    #[test]
    fn error_bounds_grow_with_what_they_are_multiplied_by() {
        let exact = |x: f32| Approx::from_f32(x);
        let third = exact(1.0).add(&exact(2f32.powi(-60)));
        assert!(third.error > 0.0);
        for product in [third.mul(&exact(-4.0)), exact(-4.0).mul(&third)] {
            assert!(product.error >= 4.0 * third.error, "{product:?}");
        }
        let square = third.mul(&third);
        assert!(square.error >= 2.0 * third.value * third.error, "{square:?}");
        // The errors alone.
        let rest = third.sub(&exact(1.0));
        assert_eq!(rest.value, 0.0);
        assert!(rest.mul(&rest).error >= rest.error * rest.error);
        // With room for the rounding of the bound itself.
        assert!(exact(3.0).mul(&exact(5.0)).error > ROUNDING * 15.0);
        assert!(exact(3.0).add(&exact(5.0)).error > ROUNDING * 8.0);
        let sum = square.sub(&third);
        assert!(sum.error >= square.error + third.error, "{sum:?}");
    }

    #[test]
    fn error_bounds_do_not_depend_on_units() {
        for unit in [2f32.powi(-20), 2f32.powi(20)] {
            let (numbers, power) = (START.map(|x| x * unit), f64::from(unit).powi(4));
            let [one, other] = [START, numbers].map(|numbers| product::<Approx>(&numbers).error);
            assert_eq!(one * power, other);
            let [one, other] =
                [START, numbers].map(|numbers| product::<Estimate>(&numbers).error());
            assert_eq!(one * power, other);
        }
    }

    #[test]
    fn signs_of_estimates_are_known_or_in_doubt() {
        let estimate = |x: f32| Estimate::from_f32(x);
        let (three, four) = (estimate(3.0), estimate(-4.0));
        assert_eq!([three.sign(), four.sign()], [Some(1), Some(-1)]);
        assert_eq!(three.mul(&four).sub(&four.mul(&three)).sign(), None);
        assert_eq!(three.mul(&estimate(0.0)).sign(), Some(0));
    }

    /// The error of a product in parts of its bound.
    fn part_of_bound(numbers: &[f32; 13], found: f64, error: f64) -> f64 {
        let scale = f64::from(PLACES).powi(4);
        let off = (found * scale) as i128 - product::<Whole>(numbers).0;
        let part = off.unsigned_abs() as f64 / (error * scale);
        assert!(part <= 1.0, "{numbers:?}");
        part
    }

    /// A product passes six roundings, of the 32 that there is room for.
    #[test]
    fn errors_of_estimates_are_within_their_bounds() {
        let score = |numbers: &[f32; 13]| {
            let numbers = numbers.map(|x| (x.clamp(-2.0, 2.0) * PLACES).round() / PLACES);
            let found: Estimate = product(&numbers);
            if let Some(sign) = found.sign() {
                assert_eq!(Some(sign), product::<Int1024>(&numbers).sign(), "{numbers:?}");
            }
            Some(part_of_bound(&numbers, found.value, found.error()))
        };
        let (best, numbers) = climb(&[START; 4], if cfg!(miri) { 50 } else { 20_000 }, score);
        println!("{best} of the bound at {numbers:?}");
        assert!(cfg!(miri) || best > 0.02, "{best}");
    }

    #[test]
    fn what_a_sum_loses_counts_and_what_cancels_does_not() {
        let lossy = Estimate::sum_of([[1e30, 1.0], [1.0, 1.0], [-1e30, 1.0]]);
        assert!(lossy.value.abs() + lossy.error() >= 1.0 && lossy.sign().is_none());
        let sound = Estimate::sum_of([[1e10, 1.0], [1.0, 1.0], [-1e10, 1.0]]);
        assert_eq!((sound.value, sound.magnitude), (1.0, 1.0));
    }

    #[test]
    fn numbers_that_overflow_or_underflow_are_in_doubt() {
        let [huge, tiny, zero] = [f32::MAX, f32::from_bits(1), 0.0].map(Approx::from_f32);
        let power = |x: Approx, n: usize| (1..n).fold(x, |product, _| product.mul(&x));
        assert_eq!(power(huge, 7).sign(), Some(1));
        assert_eq!(power(huge, 9).sign(), None);
        assert_eq!(power(huge, 9).sub(&power(huge, 9)).sign(), None);
        assert_eq!(power(tiny, 7).sign(), Some(1));
        assert_eq!(power(tiny, 9).sign(), None);
        assert_eq!(power(huge, 9).mul(&zero).sign(), Some(0));
        assert_eq!(huge.sub(&huge).sign(), Some(0));
        assert_eq!(Approx::from_f32(1.0).sub(&Approx::from_f32(1.0f32.next_up())).sign(), Some(-1));
    }
}
