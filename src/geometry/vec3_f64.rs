//! Vectors of `f64`, and conversions to `f32` that round in a known direction.
//!
//! The product of two `f32` is exact in `f64`, so tests made of few of them need no epsilon. The
//! formulas are written out here because every operation's order is part of the answer's bits.

use glam::Vec3;

use super::real::Real;
use crate::array::Each;

pub(super) type Vec3F64 = [f64; 3];

/// The three vertices of a triangle.
pub(crate) type Corners = [[f32; 3]; 3];

/// Whether no coordinate is NaN or infinite.
pub(crate) fn is_finite(corners: &Corners) -> bool {
    corners.as_flattened().iter().all(|x| x.is_finite())
}

#[inline(always)]
pub(crate) fn to_f64(v: Vec3) -> Vec3F64 {
    v.to_array().each(f64::from)
}

#[inline(always)]
pub(crate) fn to_f32(v: Vec3F64) -> Vec3 {
    Vec3::from(v.each(|x| x as f32))
}

#[inline(always)]
pub(crate) fn add<T: Real>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(super) fn sub<T: Real>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `a - b` of `f32` vectors, rounded to `f64`.
#[inline(always)]
pub(crate) fn difference(a: [f32; 3], b: [f32; 3]) -> Vec3F64 {
    [
        f64::from(a[0]) - f64::from(b[0]),
        f64::from(a[1]) - f64::from(b[1]),
        f64::from(a[2]) - f64::from(b[2]),
    ]
}

#[inline(always)]
pub(crate) fn scale<T: Real>(a: [T; 3], s: T) -> [T; 3] {
    a.each(|x| x * s)
}

/// Scaled to unit length; zero if it is zero.
pub(super) fn unit(v: Vec3F64) -> Vec3F64 {
    let size = max_abs(v);
    if size == 0.0 || !size.is_finite() {
        return [0.0; 3];
    }
    let v = scale(v, 1.0 / size);
    scale(v, 1.0 / dot(v, v).sqrt())
}

/// A direction across a line of unit length, or any if that is zero: towards `wished`, if that is
/// possible.
pub(super) fn across(line: Vec3F64, wished: Vec3F64) -> Vec3F64 {
    let rest = |v: Vec3F64| sub(v, scale(line, dot(v, line)));
    let candidates = [wished, [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]];
    let is_across = |v: &Vec3F64| max_abs(rest(*v)) > 1.0 / 1024.0;
    candidates.into_iter().find(is_across).map_or([0.0, 1.0, 0.0], |v| unit(rest(v)))
}

/// A matrix of these columns times a vector.
#[inline(always)]
pub(super) fn product([a, b, c]: [Vec3F64; 3], [x, y, z]: Vec3F64) -> Vec3F64 {
    add(add(scale(a, x), scale(b, y)), scale(c, z))
}

#[inline(always)]
pub(crate) fn dot<T: Real>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The sum of the magnitudes that `dot` adds: the measure of its rounding error.
pub(super) fn dot_magnitude(a: Vec3F64, b: Vec3F64) -> f64 {
    (a[0] * b[0]).abs() + (a[1] * b[1]).abs() + (a[2] * b[2]).abs()
}

#[inline(always)]
pub(crate) fn cross<T: Real>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn distance_squared(a: Vec3F64, b: Vec3F64) -> f64 {
    let d = sub(a, b);
    dot(d, d)
}

/// The largest magnitude of the three components.
#[inline(always)]
pub(crate) fn max_abs<T: Real>(a: [T; 3]) -> T {
    max(a[0].abs(), max(a[1].abs(), a[2].abs()))
}

/// The larger of the two; `b` if one is NaN.
#[inline(always)]
pub(crate) fn max<T: Real>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// The smaller of the two; `b` if one is NaN.
#[inline(always)]
pub(super) fn min<T: Real>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// The largest `f32` that is not above `x`.
pub(crate) fn round_down(x: f64) -> f32 {
    // Zero has the sign of `x` too. Without a branch, which would often be predicted wrong.
    let (nearest, bits) = (x as f32, (x as f32).to_bits());
    let step = u32::from(f64::from(nearest) > x);
    f32::from_bits(if nearest.is_sign_negative() { bits + step } else { bits - step })
}

/// The smallest `f32` that is not below `x`.
pub(crate) fn round_up(x: f64) -> f32 {
    -round_down(-x)
}

/// `x` rounded to `f32`, if every number within `error` of it rounds to the same.
#[inline(always)]
pub(super) fn round_within(x: f64, error: f64) -> Option<f32> {
    let (low, high) = ((x - error) as f32, (x + error) as f32);
    (low.to_bits() == high.to_bits()).then_some(low)
}

/// A lower bound of `a - b`: the difference itself where `f64` holds it, as it does unless the
/// two are more than 2^29 apart in scale.
pub(super) fn difference_down(a: f64, b: f64) -> f64 {
    let difference = a - b;
    // What rounding took away (Knuth's two-sum, which is exact); NaN for infinities.
    let rest = difference - a;
    let error = (a - (difference - rest)) - (b + rest);
    if error < 0.0 { difference.next_down() } else { difference }
}

/// An upper bound of `a - b`, like [`difference_down`].
pub(super) fn difference_up(a: f64, b: f64) -> f64 {
    // A subtraction, since a negation would turn zero into negative zero.
    0.0 - difference_down(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_goes_to_the_named_side() {
        for x in [0.1, -0.1, 1e300, -1e300, 1e-300, -1e-300, 1.0, 0.0] {
            assert!(f64::from(round_down(x)) <= x);
            assert!(f64::from(round_up(x)) >= x);
        }
        assert_eq!(round_down(1e300), f32::MAX);
        assert_eq!(round_up(1e300), f32::INFINITY);
        assert_eq!((round_down(0.5), round_up(0.5)), (0.5, 0.5));
    }

    #[test]
    fn differences_that_do_not_fit_are_bounded() {
        let (big, small) = (1e20, 1e-20);
        assert!(difference_down(big, small) < big);
        assert_eq!(difference_up(big, small), big);
        assert!(difference_up(big, -small) > big);
        assert_eq!(difference_down(big, -small), big);
        assert_eq!(difference_down(3.0, 1.0), 2.0);
        assert_eq!(difference_up(f64::INFINITY, 1.0), f64::INFINITY);
        assert_eq!(difference_down(f64::NEG_INFINITY, 1.0), f64::NEG_INFINITY);
    }
}
