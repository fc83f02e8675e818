//! Whether two convex shapes touch.

use smallvec::SmallVec;

use super::aabb::Aabb;
use super::convex_hull::ConvexHull;
use super::convex_shape::ConvexShape;
use super::frustum::Frustum;
use super::shape::{Shape, finite_bounds};
use super::support::Support;
use super::vec3_f64::{
    Vec3F64, add, cross, dot, max, max_abs, round_down, round_up, scale, sub, to_f64,
};
use crate::array::Each;

#[cfg(test)]
mod tests;

/// Shapes that are nearer to each other than this touch, in parts of the largest coordinate of
/// both.
pub(crate) const TOLERANCE: f64 = 1.0 / (1u64 << 40) as f64;
/// More than any search has needed: it ends where it gets no nearer.
const MAX_STEPS: usize = 100;

impl Shape {
    /// Whether two shapes have a point in common. False if one is empty.
    ///
    /// Computed in `f64`. Shapes that are apart by less than 2^-40 of the largest coordinate of
    /// both touch; for an oriented box, of the largest number that its corners are summed up from.
    /// Surfaces belong to shapes, and so does the space inside: a box overlaps a shape within it.
    /// Of a frustum or a box along the axes only the part near the other shape counts, so that one
    /// that reaches to infinity is as exact as any.
    ///
    /// Finds the nearest points of both (Gilbert, Johnson and Keerthi, "A fast procedure for
    /// computing the distance between complex objects in three-dimensional space", 1988), and ends
    /// as soon as there is a plane between them.
    ///
    /// ```
    /// use hitscan::geometry::Shape;
    /// use hitscan::{Aabb, Capsule, Sphere};
    ///
    /// let trigger = Shape::from(Aabb::from_min_max([0.0; 3], [4.0, 2.0, 4.0]));
    /// let player = |x: f32| Capsule::new([x, 0.5, 1.0], [x, 1.5, 1.0], 0.5);
    /// assert!(trigger.overlaps(player(2.0)) && trigger.overlaps(player(4.5)));
    /// assert!(!trigger.overlaps(player(4.75)));
    /// assert!(!trigger.overlaps(Sphere::new([5.0, 3.0, 2.0], 1.4)));
    /// ```
    #[must_use]
    pub fn overlaps(&self, other: impl Into<ConvexShape>) -> bool {
        self.overlaps_shape(&other.into().into())
    }

    /// The same for two that are both of this type, of which `other` is no frustum.
    pub(crate) fn overlaps_shape(&self, other: &Self) -> bool {
        let bounds = || Support::of(self).map_or(Aabb::EMPTY, |support| support.bounds());
        Core::near(other, bounds).is_some_and(|other| self.overlaps_core(&other))
    }

    fn overlaps_core(&self, other: &Core) -> bool {
        Core::near(self, || other.bounds()).is_some_and(|core| core.touches(other))
    }
}

/// As many as a hull may have, so that nothing is allocated.
type Points = SmallVec<[Vec3F64; ConvexHull::MOST_CORNERS]>;

/// The points within a distance of the hull of some points.
struct Core {
    points: Points,
    radius: f64,
    /// The largest number that it is made of.
    size: f64,
}

impl Core {
    fn hull(points: Points) -> Self {
        let size = points.iter().fold(0.0, |size, &point| max(max_abs(point), size));
        Self { points, radius: 0.0, size }
    }

    /// The part of a shape that is in a box, at least. `None` if there is none. The box is only
    /// asked for where it is needed.
    fn near(shape: &Shape, bounds: impl FnOnce() -> Aabb) -> Option<Self> {
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
    fn bounds(&self) -> Aabb {
        let reach = self.radius + 2.0 * TOLERANCE * self.size;
        let mut bounds = Aabb::EMPTY;
        for point in &self.points {
            bounds.extend_point(point.each(|x| round_down(x - reach)));
            bounds.extend_point(point.each(|x| round_up(x + reach)));
        }
        bounds
    }

    fn touches(&self, other: &Self) -> bool {
        let radius = self.radius + other.radius;
        let size = max(radius, max(self.size, other.size));
        if size == 0.0 || radius == f64::INFINITY {
            return true;
        }
        let in_units = |core: &Self| -> Points {
            core.points.iter().map(|&point| scale(point, 1.0 / size)).collect()
        };
        !are_apart(&in_units(self), &in_units(other), radius / size + TOLERANCE)
    }
}

/// Whether the hulls of some points are farther from each other than `reach`. No coordinate is
/// larger than 1.
fn are_apart(one: &[Vec3F64], other: &[Vec3F64], reach: f64) -> bool {
    let lowest = |points: &[Vec3F64], direction: Vec3F64| {
        let mut best = (f64::INFINITY, points[0]);
        for &point in points {
            let height = dot(direction, point);
            if height < best.0 {
                best = (height, point);
            }
        }
        best.1
    };
    // Of the differences of all points, those whose hull has the point nearest to zero.
    let mut simplex = SmallVec::<[Vec3F64; 4]>::from_slice(&[sub(one[0], other[0])]);
    let mut nearest = simplex[0];
    for _ in 0..MAX_STEPS {
        let square = dot(nearest, nearest);
        let length = square.sqrt();
        if length <= reach {
            return false;
        }
        let next = sub(lowest(one, nearest), lowest(other, scale(nearest, -1.0)));
        // No point of the differences is lower: a plane at this height is between.
        if dot(nearest, next) > reach * length {
            return true;
        }
        if simplex.contains(&next) {
            return false;
        }
        simplex.push(next);
        (nearest, simplex) = nearest_to_zero(&simplex);
        if dot(nearest, nearest) >= square {
            return false;
        }
    }
    false
}

/// The point nearest to zero of the hull of one to four points, and the points that span the part
/// of the hull which it is in.
fn nearest_to_zero(points: &[Vec3F64]) -> (Vec3F64, SmallVec<[Vec3F64; 4]>) {
    let mut best = (f64::INFINITY, [0.0; 3], SmallVec::new());
    // Fewer points first: of equally near choices they are the better ones.
    for count in 1..=points.len() {
        for choice in (1u32..1 << points.len()).filter(|choice| choice.count_ones() == count as u32)
        {
            let chosen = (0..points.len()).filter(|i| choice >> i & 1 == 1).map(|i| points[i]);
            let chosen: SmallVec<[Vec3F64; 4]> = chosen.collect();
            let Some(foot) = foot(&chosen) else { continue };
            let square = dot(foot, foot);
            if square < best.0 {
                best = (square, foot, chosen);
            }
        }
    }
    (best.1, best.2)
}

/// The foot of the perpendicular from zero to a point, a line, a plane or the space that points
/// span, if it is inside the part between them.
fn foot(points: &[Vec3F64]) -> Option<Vec3F64> {
    match *points {
        [a] => Some(a),
        [a, b] => {
            let along = sub(b, a);
            let at = -dot(a, along) / dot(along, along);
            (0.0 < at && at < 1.0).then(|| add(a, scale(along, at)))
        }
        [a, b, c] => {
            let (to_b, to_c) = (sub(b, a), sub(c, a));
            let normal = cross(to_b, to_c);
            let square = dot(normal, normal);
            let u = dot(cross(to_c, a), normal) / square;
            let v = dot(cross(a, to_b), normal) / square;
            // Not the weighted sum of the points, which loses more where zero is near the plane.
            (u > 0.0 && v > 0.0 && u + v < 1.0).then(|| scale(normal, dot(a, normal) / square))
        }
        [a, b, c, d] => {
            let volume = |a, b, c| dot(a, cross(b, c));
            let parts = [volume(b, d, c), volume(a, c, d), volume(a, d, b), volume(a, b, c)];
            let is_inside = parts.iter().all(|&x| x > 0.0) || parts.iter().all(|&x| x < 0.0);
            is_inside.then_some([0.0; 3])
        }
        _ => None,
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
