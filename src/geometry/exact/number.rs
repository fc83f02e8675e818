//! Numbers whose signs are known, so that a test is written once: for `f64` with a bound on its
//! error, and for integers, which decide what the bounds leave open.

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
            (self.value.abs() > self.error).then(|| if self.value > 0.0 { 1 } else { -1 })
        }
    }
}

pub(in crate::geometry) fn difference<N: Number>(a: [f32; 3], b: [f32; 3]) -> [N; 3] {
    std::array::from_fn(|k| N::from_f32(a[k]).sub(&N::from_f32(b[k])))
}

pub(in crate::geometry) fn cross<N: Number>(a: &[N; 3], b: &[N; 3]) -> [N; 3] {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i].mul(&b[j]).sub(&a[j].mul(&b[i]))
    })
}

pub(in crate::geometry) fn dot<N: Number>(a: &[N; 3], b: &[N; 3]) -> N {
    a[0].mul(&b[0]).add(&a[1].mul(&b[1])).add(&a[2].mul(&b[2]))
}
