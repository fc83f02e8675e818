//! Convex shapes as the points within a distance of the hull of some points.

use smallvec::SmallVec;

use super::aabb::Aabb;
use super::convex_hull::ConvexHull;
use super::frustum::Frustum;
use super::shape::{Shape, finite_bounds};
use super::support::Support;
use super::vec3_f64::{
    Vec3F64, add, cross, dot, max, max_abs, round_down, round_up, scale, sub, to_f64,
};
use crate::array::Each;

/// Shapes that are nearer to each other than this touch, in parts of the largest coordinate of
/// both.
pub(crate) const TOLERANCE: f64 = 1.0 / (1u64 << 40) as f64;

/// As many as a hull may have, so that nothing is allocated.
pub(super) type Points = SmallVec<[Vec3F64; ConvexHull::MOST_CORNERS]>;

/// The points within a distance of the hull of some points.
pub(super) struct Core {
    pub(super) points: Points,
    pub(super) radius: f64,
    /// The largest number that it is made of.
    pub(super) size: f64,
}

impl Core {
    fn hull(points: Points) -> Self {
        let size = points.iter().fold(0.0, |size, &point| max(max_abs(point), size));
        Self { points, radius: 0.0, size }
    }

    /// The part of a shape that is in a box, at least. `None` if there is none. The box is only
    /// asked for where it is needed.
    pub(super) fn near(shape: &Shape, bounds: impl FnOnce() -> Aabb) -> Option<Self> {
        Some(match shape {
            Shape::Aabb(shape) => {
                let sides = finite_bounds(&shape.intersection(&bounds()))?;
                let corner = |i: usize| [0, 1, 2].each(|k: usize| f64::from(sides[i >> k & 1][k]));
                Self::hull((0..8).map(corner).collect())
            }
            Shape::Frustum(frustum) => Self::hull(corners_of(frustum, &bounds())?),
            Shape::Hull(hull) => Self::hull(hull.points().map(to_f64).collect()),
            _ => {
                let (points, radius, size) = Support::of(shape)?.into_core();
                Self { points: points.into_iter().collect(), radius, size: max(radius, size) }
            }
        })
    }

    /// A box around it, with room for what counts as touching.
    pub(super) fn bounds(&self) -> Aabb {
        let reach = self.radius + 2.0 * TOLERANCE * self.size;
        let mut bounds = Aabb::EMPTY;
        for point in &self.points {
            bounds.extend_point(point.each(|x| round_down(x - reach)));
            bounds.extend_point(point.each(|x| round_up(x + reach)));
        }
        bounds
    }
}

/// The corners of the part of a frustum that is in a box. `None` if there is none.
fn corners_of(frustum: &Frustum, bounds: &Aabb) -> Option<Points> {
    let sides = finite_bounds(bounds)?.each(|corner| corner.each(f64::from));
    // Relative to the middle of the box, so that large numbers cancel once.
    let middle = scale(add(sides[0], sides[1]), 0.5);
    let size = max(max_abs(sub(sides[1], middle)), f64::MIN_POSITIVE);
    let mut planes = SmallVec::<[(Vec3F64, f64); 12]>::new();
    for plane in frustum.planes() {
        let [x, y, z, w] = plane.to_array().each(f64::from);
        let (length, height) = (max_abs([x, y, z]), dot([x, y, z], middle) + w);
        if length == 0.0 && w < 0.0 {
            return None;
        }
        if length > 0.0 {
            planes.push((scale([x, y, z], 1.0 / length), height / length));
        }
    }
    for k in 0..3 {
        let mut normal = [0.0; 3];
        for (sign, side) in [(1.0, sides[0]), (-1.0, sides[1])] {
            normal[k] = sign;
            planes.push((normal, sign * (middle[k] - side[k])));
        }
    }
    let slack = size * TOLERANCE;
    let mut corners = SmallVec::new();
    for k in 2..planes.len() {
        for j in 1..k {
            for i in 0..j {
                let [(a, a_offset), (b, b_offset), (c, c_offset)] = [i, j, k].each(|i| planes[i]);
                let normals = [cross(b, c), cross(c, a), cross(a, b)];
                let offsets = [a_offset, b_offset, c_offset].each(|offset| -offset);
                let sum = [0, 1, 2].each(|i| scale(normals[i], offsets[i]));
                let corner = scale(add(add(sum[0], sum[1]), sum[2]), 1.0 / dot(a, normals[0]));
                // Also false where two planes are parallel and this is no number.
                if planes.iter().all(|&(normal, offset)| dot(normal, corner) + offset >= -slack) {
                    corners.push(add(corner, middle));
                }
            }
        }
    }
    (!corners.is_empty()).then_some(corners)
}
