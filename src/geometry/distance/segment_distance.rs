//! Segments and triangles that are clearly near or apart.

use super::point_distance::Feature;
use crate::array::Each;
use crate::geometry::exact::near_segment::Segment;
use crate::geometry::real::Real;
use crate::geometry::vec3_f64::{
    Corners, add, cross, difference, dot, max, max_abs, min, scale, sub,
};

#[cfg(test)]
mod tests;

/// More than all roundings of a point, of its distance and of its height, in parts of the largest
/// coordinate.
const MARGIN: f64 = 1.0 / (1u64 << 46) as f64;

/// Whether a triangle has a point within a distance of a segment, where that is clear in `f64`.
///
/// **Lemma 85 (clear distances).** The answer is right. Proof: a pair of points, one of each, is
/// found that is about the nearest. Each is a sum of vertices with weights from 0 to 1, and off by
/// less than [`MARGIN`] of the largest coordinate: ten roundings of numbers no larger than twice
/// that. So if they are nearer to each other than the distance by more than that, there are such
/// points. The way from one to the other is a direction, whatever its errors. If the heights of all
/// vertices in this direction are above the heights of both ends by more than the distance, there
/// is a plane between the triangle and all points near the segment. A height passes five roundings.
/// Nothing overflows, and what underflows is less than the margin.
pub(in crate::geometry) fn is_clearly_near(
    segment: &Segment,
    radius: f32,
    corners: &Corners,
) -> Option<bool> {
    // Relative to one end: two points of the segment, then the triangle.
    let to = difference(segment[1], segment[0]);
    let corners = (*corners).each(|corner| difference(corner, segment[0]));
    let size = corners.iter().fold(max_abs(to), |size, &corner| max(max_abs(corner), size));
    let nearest = nearest_pair(to, &corners);
    let (way, radius) = (nearest.way, f64::from(radius));
    let length = nearest.distance();
    if length + size * MARGIN <= radius {
        return Some(true);
    }
    let least = corners.iter().fold(f64::INFINITY, |least, &corner| least.min(dot(way, corner)));
    let most = max(dot(way, to), 0.0);
    (least - most > (radius + size * MARGIN) * length).then_some(false)
}

/// A point of a segment and one of a triangle.
#[derive(Clone, Copy)]
pub(in crate::geometry) struct Pair<T = f64> {
    square: T,
    /// The way from the first to the second.
    pub(in crate::geometry) way: [T; 3],
    /// The weights of the triangle's second and third vertex.
    pub(in crate::geometry) weights: [T; 2],
    pub(in crate::geometry) feature: Feature,
    /// Whether the first is an end of the segment.
    pub(in crate::geometry) is_of_end: bool,
}

/// About the nearest points of the segment that leads from zero to `to` and a triangle.
#[inline]
pub(in crate::geometry) fn nearest_pair<T: Real>(to: [T; 3], corners: &[[T; 3]; 3]) -> Pair<T> {
    let (zero, one) = (T::from(0.0), T::from(1.0));
    let mut nearest = Pair {
        square: T::from(f64::INFINITY),
        way: [zero; 3],
        weights: [zero; 2],
        feature: Feature::Vertex(0),
        is_of_end: true,
    };
    let face = Face::new(corners);
    let is_point = to == [zero; 3];
    nearest.consider_face(&face, [zero; 3]);
    if !is_point {
        let (from_height, to_height) = (face.height([zero; 3]), face.height(to));
        nearest.consider_face(&face, to);
        if from_height * to_height < zero {
            // It may go through the face.
            nearest.consider_face(&face, scale(to, from_height / (from_height - to_height)));
        }
    }
    for i in 0..3 {
        let (from, end) = (corners[i], corners[(i + 1) % 3]);
        let (way, at, part) =
            if is_point { to_segment(from, end) } else { between_segments(to, from, end) };
        let square = dot(way, way);
        if square < nearest.square {
            let feature = if at == zero {
                Feature::Vertex(i as u8)
            } else if at == one {
                Feature::Vertex((i as u8 + 1) % 3)
            } else {
                Feature::Edge(i as u8)
            };
            let mut weights = [zero; 3];
            weights[i] = one - at;
            weights[(i + 1) % 3] = at;
            let (weights, is_of_end) = ([weights[1], weights[2]], part == zero || part == one);
            nearest = Pair { square, way, weights, feature, is_of_end };
        }
    }
    nearest
}

impl<T: Real> Pair<T> {
    pub(in crate::geometry) fn distance(&self) -> T {
        self.square.sqrt()
    }

    /// The same in `f64`.
    pub(in crate::geometry) fn rounded(&self) -> Pair {
        Pair {
            square: self.square.to_f64(),
            way: self.way.each(T::to_f64),
            weights: self.weights.each(T::to_f64),
            feature: self.feature,
            is_of_end: self.is_of_end,
        }
    }

    /// The way from a point to its foot in the face.
    fn consider_face(&mut self, face: &Face<'_, T>, point: [T; 3]) {
        let (zero, one) = (T::from(0.0), T::from(1.0));
        let Face { corners, e1, e2, normal, inverse } = *face;
        let way = sub(point, corners[0]);
        let u = dot(cross(way, e2), normal) * inverse;
        let v = dot(cross(e1, way), normal) * inverse;
        // Also false for NaN.
        if u >= zero && v >= zero && u + v <= one {
            let way = sub(add(corners[0], add(scale(e1, u), scale(e2, v))), point);
            let square = dot(way, way);
            if square < self.square {
                *self = Self { square, way, weights: [u, v], feature: Feature::Face, ..*self };
            }
        }
    }
}

/// What feet in a face are computed with.
struct Face<'a, T> {
    corners: &'a [[T; 3]; 3],
    e1: [T; 3],
    e2: [T; 3],
    normal: [T; 3],
    /// Of the normal's square.
    inverse: T,
}

impl<'a, T: Real> Face<'a, T> {
    #[inline]
    fn new(corners: &'a [[T; 3]; 3]) -> Self {
        let (e1, e2) = (sub(corners[1], corners[0]), sub(corners[2], corners[0]));
        let normal = cross(e1, e2);
        Self { corners, e1, e2, normal, inverse: T::from(1.0) / dot(normal, normal) }
    }

    #[inline]
    fn height(&self, point: [T; 3]) -> T {
        dot(self.normal, sub(point, self.corners[0]))
    }
}

/// The shortest way from zero to the segment between two points, and where it ends there, from 0
/// to 1, and where it begins.
#[inline]
fn to_segment<T: Real>(from: [T; 3], to: [T; 3]) -> ([T; 3], T, T) {
    let v = sub(to, from);
    let t = unit(-dot(v, from) / dot(v, v));
    (add(from, scale(v, t)), t, T::from(0.0))
}

/// The shortest way from the segment that leads from zero to `u`, to the one between two points;
/// where it ends there, from 0 to 1, and where it begins.
///
/// Where the two are at an angle `x`, the quotient of scalar products that is usual here (Ericson
/// 2005, "Real-Time Collision Detection", 5.1.9) is off by `2^-53 / x^2`: at `2^-26` it says
/// nothing, and may be the wrong end. The quotient of cross products is off by `2^-53 / x`, which
/// moves the ends apart by a rounding at any angle.
#[inline]
fn between_segments<T: Real>(u: [T; 3], from: [T; 3], to: [T; 3]) -> ([T; 3], T, T) {
    let v = sub(to, from);
    let (a, b, c) = (dot(u, u), dot(u, v), dot(v, v));
    let (d, e) = (dot(u, from), dot(v, from));
    let across = cross(u, v);
    // Zero for parallel segments, of which all points are as good.
    let first = unit(dot(cross(from, v), across) / dot(across, across));
    let t = unit((b * first - e) / c);
    // The best for this `t`: it differs where `t` was cut off.
    let s = unit((b * t + d) / a);
    (sub(add(from, scale(v, t)), scale(u, s)), t, s)
}

/// The nearest number from 0 to 1; 0 for NaN.
fn unit<T: Real>(x: T) -> T {
    if x > T::from(0.0) { min(x, T::from(1.0)) } else { T::from(0.0) }
}
