//! Directions across two ways between points, and which of two points is higher along one.

use super::bigint::Int1024;
use super::number;
use crate::array::Each;
use crate::geometry::vec3_f64::{Vec3F64, cross, difference, dot};

#[cfg(test)]
mod tests;

/// A height in `f64` may be off by this much, in parts of the magnitudes that it is made of.
///
/// **Lemma 116 (heights).** Let `e = 2^-53`, and `s` be the sum of the magnitudes of the two
/// products in a component of the normal. Factors are off by `e` times themselves, so a product is
/// off by `3 e`, the component by `4 e s` and `s` itself by as much. The difference of two points
/// is off by `e`, the product with it by `6 e`, and the sum of three by `2 e` more: `8 e` of the
/// sum of `s` times the difference, which is rounded as often. Three factors neither overflow nor
/// underflow, and where all products have a factor that is zero, the height is zero.
const ROOM: f64 = 16.0 / (1u64 << 53) as f64;

/// A direction across two ways, each from one point to another.
pub(in crate::geometry) struct Normal {
    ways: [[[f32; 3]; 2]; 2],
    value: Vec3F64,
    /// The magnitudes of the products in each component.
    magnitude: Vec3F64,
}

impl Normal {
    pub(in crate::geometry) fn across(ways: [[[f32; 3]; 2]; 2]) -> Self {
        let [a, b] = [difference(ways[0][1], ways[0][0]), difference(ways[1][1], ways[1][0])];
        let products = |p: usize, q: usize| (a[p] * b[q]).abs() + (a[q] * b[p]).abs();
        Self {
            ways,
            value: cross(a, b),
            magnitude: [products(1, 2), products(2, 0), products(0, 1)],
        }
    }

    /// Of the plane through three points.
    pub(in crate::geometry) fn of([a, b, c]: [[f32; 3]; 3]) -> Self {
        Self::across([[a, b], [a, c]])
    }

    /// How much higher `to` is than `from`, times the length of the normal: in `f64`.
    #[inline(always)]
    pub(in crate::geometry) fn height(&self, from: [f32; 3], to: [f32; 3]) -> f64 {
        dot(self.value, difference(to, from))
    }

    /// What a height may be off by, of points whose coordinates differ by no more than `size`.
    pub(in crate::geometry) fn room(&self, size: f64) -> f64 {
        let [x, y, z] = self.magnitude;
        ROOM * (x + y + z) * size
    }

    /// Whether `to` is higher than `from`, 1, or lower, -1, or neither: without rounding.
    #[inline]
    pub(in crate::geometry) fn sign(&self, from: [f32; 3], to: [f32; 3]) -> i32 {
        let way = difference(to, from);
        let (height, room) = (dot(self.value, way), ROOM * dot(self.magnitude, way.each(f64::abs)));
        if height > room {
            1
        } else if height < -room {
            -1
        } else if room == 0.0 {
            0
        } else {
            self.exact_sign(from, to)
        }
    }

    #[cold]
    fn exact_sign(&self, from: [f32; 3], to: [f32; 3]) -> i32 {
        let [a, b] = self.ways;
        let way = |[from, to]: [[f32; 3]; 2]| number::difference::<Int1024>(to, from);
        number::dot(&number::cross(&way(a), &way(b)), &way([from, to])).signum()
    }
}
