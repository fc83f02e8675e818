//! Shapes that triangles may touch.

use glam::Vec3;

use super::aabb::Aabb;
use super::capsule::Capsule;
use super::containment::Containment;
use super::convex_hull::ConvexHull;
use super::distance::point_distance::PointDistance;
use super::distance::segment_distance::is_clearly_near;
use super::exact::axes::Solid as _;
use super::exact::half_spaces::{
    clip, has_area, of_box, of_parallelepiped, of_planes, of_triangle,
};
use super::exact::near_segment::{Segment, holds, near_segment};
use super::exact::{Approx, Int1024, Int3392};
use super::frustum::Frustum;
use super::obb::Obb;
use super::sphere::Sphere;
use super::triangle::Triangle;
use super::vec3_f64::{Corners, add, is_finite, scale, to_f32, to_f64};
use crate::array::Each;

#[cfg(test)]
mod tests;

/// A shape that triangles may touch, of any kind: see
/// [`Bvh::all_overlaps`](crate::Bvh::all_overlaps).
///
/// Every shape can be turned into one with `into`, a [`ConvexShape`](super::ConvexShape)
/// too; a [`ConvexHull`] is not
/// copied.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// A box along the axes.
    Aabb(Aabb),
    /// A box in any position.
    Obb(Obb),
    /// A sphere.
    Sphere(Sphere),
    /// A capsule.
    Capsule(Capsule),
    /// The convex hull of some points.
    Hull(ConvexHull),
    /// The frustum of a camera, or another intersection of half spaces.
    Frustum(Frustum),
    /// A triangle. One without an area is the segment or the point that its vertices span.
    Triangle(Triangle),
}

macro_rules! from_each {
    ($($kind:ident),*) => { $(
        impl From<$kind> for Shape {
            fn from(shape: $kind) -> Self {
                Self::$kind(shape)
            }
        }
    )* };
}
from_each!(Aabb, Obb, Sphere, Capsule, Frustum, Triangle);

impl From<ConvexHull> for Shape {
    fn from(hull: ConvexHull) -> Self {
        Self::Hull(hull)
    }
}

impl From<&ConvexHull> for Shape {
    fn from(hull: &ConvexHull) -> Self {
        Self::Hull(hull.clone())
    }
}

impl From<&Self> for Shape {
    fn from(shape: &Self) -> Self {
        shape.clone()
    }
}

impl Shape {
    /// Whether the shape and a triangle have a point in common, and whether the shape holds the
    /// whole triangle. `None` if they are apart, or the shape is empty.
    ///
    /// Decided without rounding, for the shape and the triangle that the numbers describe. Surfaces
    /// belong to shapes: touching is enough. This is the reference that every overlap query equals.
    /// A triangle without an area is a segment or a point. `None` if the triangle is not finite, or
    /// the shape is a triangle that is not finite.
    ///
    /// ```
    /// use hitscan::geometry::{Containment, Shape};
    /// use hitscan::{Aabb, Triangle};
    ///
    /// let shape = Shape::from(Aabb::from_min_max([0.0; 3], [1.0; 3]));
    /// let at = |x: f32| Triangle::new([x, 0.5, 0.5], [x + 1.0, 0.5, 0.5], [x, 1.0, 0.5]);
    /// assert_eq!(shape.overlap(&at(0.0)), Some(Containment::Inside));
    /// assert_eq!(shape.overlap(&at(1.0)), Some(Containment::Touching));
    /// assert_eq!(shape.overlap(&at(1.0000001)), None);
    /// ```
    #[must_use]
    pub fn overlap(&self, triangle: &Triangle) -> Option<Containment> {
        self.overlap_corners(&triangle.to_arrays())
    }

    pub(crate) fn overlap_corners(&self, corners: &Corners) -> Option<Containment> {
        if !is_finite(corners) {
            return None;
        }
        match self {
            Self::Aabb(bounds) => {
                let bounds = finite_bounds(bounds)?;
                clip::<Approx>(&of_box(&bounds, corners))
                    .unwrap_or_else(|| exact(clip::<Int1024>(&of_box(&bounds, corners))))
            }
            Self::Obb(obb) => {
                let (columns, local) = obb.columns_and_local();
                of_parallelepiped::<Approx>(&columns, &local, corners)
                    .and_then(|heights| clip(&heights))
                    .unwrap_or_else(|| {
                        let heights = of_parallelepiped::<Int3392>(&columns, &local, corners);
                        exact(heights.and_then(|heights| clip(&heights)))
                    })
            }
            Self::Sphere(Sphere { center, radius }) => {
                let point = center.to_array();
                // Also false for NaN.
                let is_sound = center.is_finite() && *radius >= 0.0;
                if !is_sound
                    || !PointDistance::new(point, corners).is_within(*radius, point, corners)
                {
                    return None;
                }
                Some(containment(&[point; 2], *radius, corners))
            }
            Self::Capsule(capsule) if capsule.is_empty() => None,
            Self::Capsule(Capsule { radius: f32::INFINITY, .. }) => Some(Containment::Inside),
            Self::Capsule(Capsule { a, b, radius }) => {
                overlap_segment(&[a.to_array(), b.to_array()], *radius, corners)
            }
            Self::Hull(hull) => {
                let touches = |corners: &Corners| {
                    hull.polytope().first_touch([0.0; 3], corners, 0.0).is_some()
                };
                touches(corners).then(|| {
                    let inside = corners.iter().all(|&corner| touches(&[corner; 3]));
                    if inside { Containment::Inside } else { Containment::Touching }
                })
            }
            Self::Frustum(frustum) => {
                let planes = &frustum.planes().each(|plane| plane.to_array());
                clip::<Approx>(&of_planes(planes, corners))
                    .unwrap_or_else(|| exact(clip::<Int3392>(&of_planes(planes, corners))))
            }
            Self::Triangle(triangle) => {
                let triangle = &triangle.to_arrays();
                if !is_finite(triangle) {
                    return None;
                }
                let has_area = has_area::<Approx>(triangle)
                    .unwrap_or_else(|| has_area::<Int1024>(triangle) == Some(true));
                if !has_area {
                    // In this order the ends of points on a line are first and last.
                    let mut points = *triangle;
                    points.sort_unstable_by(|a, b| {
                        a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal)
                    });
                    return overlap_segment(&[points[0], points[2]], 0.0, corners);
                }
                clip::<Approx>(&of_triangle(triangle, corners))
                    .unwrap_or_else(|| exact(clip::<Int3392>(&of_triangle(triangle, corners))))
            }
        }
    }

    /// Whether all of a box is in the shape: all of its corners, as shapes are convex.
    pub(crate) fn holds_box(&self, bounds: &Aabb) -> bool {
        let corners = bounds.corners().each(|corner| corner.to_array());
        [[0, 1, 2], [3, 4, 5], [6, 7, 7]].iter().all(|three: &[usize; 3]| {
            let corners = three.each(|i| corners[i]);
            self.overlap_corners(&corners) == Some(Containment::Inside)
        })
    }

    /// A point in the middle, from which sides of triangles are seen: finite, if the shape is not
    /// empty.
    pub(crate) fn center(&self) -> Vec3 {
        let center = match self {
            Self::Aabb(bounds) => finite_bounds(bounds).map_or(Vec3::ZERO, |[min, max]| {
                Aabb { min: min.into(), max: max.into() }.center()
            }),
            Self::Obb(obb) => obb.center(),
            Self::Sphere(sphere) => sphere.center,
            Self::Capsule(capsule) => Aabb::from_points([capsule.a, capsule.b]).center(),
            Self::Hull(hull) => Aabb::from_points(hull.points()).center(),
            Self::Frustum(frustum) => frustum.eye(),
            Self::Triangle(triangle) => {
                let [a, b, c] = [triangle.v0, triangle.v1, triangle.v2].each(to_f64);
                to_f32(scale(add(add(a, b), c), 1.0 / 3.0))
            }
        };
        // What overflows is far away all the same.
        center.map(|x| if x.is_nan() { 0.0 } else { x.clamp(-f32::MAX, f32::MAX) })
    }
}

/// The corners of a box without the part that no finite point is in. `None` if it is empty.
pub(crate) fn finite_bounds(bounds: &Aabb) -> Option<[[f32; 3]; 2]> {
    let whole = Aabb { min: Vec3::splat(-f32::MAX), max: Vec3::splat(f32::MAX) };
    let bounds = bounds.intersection(&whole);
    (!bounds.is_empty()).then(|| [bounds.min.to_array(), bounds.max.to_array()])
}

fn overlap_segment(segment: &Segment, radius: f32, corners: &Corners) -> Option<Containment> {
    match is_clearly_near(segment, radius, corners) {
        Some(near) => near.then(|| containment(segment, radius, corners)),
        None => near_segment::<Approx>(segment, radius, corners)
            .unwrap_or_else(|| exact(near_segment::<Int3392>(segment, radius, corners))),
    }
}

/// Whether a triangle has a point within a distance of a segment.
pub(super) fn touches_segment(segment: &Segment, radius: f32, corners: &Corners) -> bool {
    overlap_segment(segment, radius, corners).is_some()
}

/// Of a triangle that touches a capsule or a sphere.
fn containment(segment: &Segment, radius: f32, corners: &Corners) -> Containment {
    let inside = corners.iter().all(|&corner| holds(segment, radius, corner));
    if inside { Containment::Inside } else { Containment::Touching }
}

/// What was decided in integers, where no sign is in doubt.
#[cold]
fn exact(decided: Option<Option<Containment>>) -> Option<Containment> {
    decided.flatten()
}
