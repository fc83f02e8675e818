//! Shapes that can move.

use glam::Vec3;

use super::aabb::Aabb;
use super::capsule::Capsule;
use super::convex_hull::ConvexHull;
use super::obb::Obb;
use super::shape::{Shape, finite_bounds};
use super::sphere::Sphere;
use super::turned_bounds::ALONG_AXES;
use super::vec3_f64::{dot, min, to_f64};
use crate::array::Each;

/// A shape that can move until it touches something: see
/// [`Bvh::first_contact`](crate::Bvh::first_contact).
///
/// Every such shape can be turned into one with `into`, and one into a [`Shape`]; a [`ConvexHull`]
/// is not copied.
///
/// ```
/// use hitscan::geometry::ConvexShape;
/// use hitscan::{Aabb, Sphere, Triangle};
///
/// let wall = Triangle::new([4.0, -1.0, -1.0], [4.0, 3.0, -1.0], [4.0, -1.0, 3.0]);
/// let bodies: [ConvexShape; 2] = [
///     Sphere::new([0.0; 3], 0.5).into(),
///     Aabb::from_center_half_size([0.0; 3], [1.0, 0.5, 0.5]).into(),
/// ];
/// let ahead = |body: &ConvexShape| body.first_contact([8.0, 0.0, 0.0], &wall);
/// let times = bodies.each_ref().map(|body| ahead(body).map(|contact| contact.t));
/// assert_eq!(times, [Some(0.4375), Some(0.375)]);
/// ```
///
/// A frustum cannot move:
///
/// ```compile_fail,E0277
/// # let (bvh, _) = hitscan::Builder::new().bake(&[] as &[Mesh])?;
/// # let frustum = hitscan::geometry::Frustum::from_planes(&[], [0.0; 3]).unwrap();
/// let contact = bvh.first_contact(frustum, [1.0, 0.0, 0.0], &hitscan::Query::new());
/// # Ok::<(), hitscan::BakeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConvexShape {
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
}

impl ConvexShape {
    /// The lowest height of a point of the shape in a direction of unit length, rounded. The shape
    /// is not empty.
    pub(crate) fn lowest(&self, direction: Vec3) -> f64 {
        let height = |point: Vec3| dot(to_f64(direction), to_f64(point));
        let of_box = |columns: [[f32; 3]; 4], [low, high]: [[f32; 3]; 2]| {
            let [x, y, z, origin] = columns.each(|column| height(column.into()));
            let least =
                |k: usize, side: f64| min(side * f64::from(low[k]), side * f64::from(high[k]));
            origin + least(0, x) + least(1, y) + least(2, z)
        };
        match self {
            Self::Aabb(bounds) => {
                finite_bounds(bounds).map_or(0.0, |local| of_box(ALONG_AXES, local))
            }
            Self::Obb(obb) => {
                let (columns, local) = obb.columns_and_local();
                of_box(columns, local)
            }
            Self::Sphere(sphere) => height(sphere.center) - f64::from(sphere.radius),
            Self::Capsule(Capsule { a, b, radius }) => {
                min(height(*a), height(*b)) - f64::from(*radius)
            }
            Self::Hull(hull) => hull.points().map(height).fold(f64::INFINITY, min),
        }
    }
}

macro_rules! from_each {
    ($($kind:ident),*) => { $(
        impl From<$kind> for ConvexShape {
            fn from(shape: $kind) -> Self {
                Self::$kind(shape)
            }
        }
    )* };
}
from_each!(Aabb, Obb, Sphere, Capsule);

impl From<ConvexHull> for ConvexShape {
    fn from(hull: ConvexHull) -> Self {
        Self::Hull(hull)
    }
}

impl From<&ConvexHull> for ConvexShape {
    fn from(hull: &ConvexHull) -> Self {
        Self::Hull(hull.clone())
    }
}

impl From<ConvexShape> for Shape {
    fn from(shape: ConvexShape) -> Self {
        match shape {
            ConvexShape::Aabb(bounds) => Self::Aabb(bounds),
            ConvexShape::Obb(obb) => Self::Obb(obb),
            ConvexShape::Sphere(sphere) => Self::Sphere(sphere),
            ConvexShape::Capsule(capsule) => Self::Capsule(capsule),
            ConvexShape::Hull(hull) => Self::Hull(hull),
        }
    }
}

impl From<&ConvexShape> for Shape {
    fn from(shape: &ConvexShape) -> Self {
        shape.clone().into()
    }
}

impl From<&Self> for ConvexShape {
    fn from(shape: &Self) -> Self {
        shape.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_height_is_that_of_the_lowest_point() {
        let local = Aabb::from_min_max([1.0, -2.0, 3.0], [2.0, 4.0, 7.0]);
        let columns = [Vec3::new(0.0, 2.0, 0.0), Vec3::new(-3.0, 0.0, 0.0), Vec3::Z];
        let [a, b, c] = columns;
        let turned = Obb::from_axes([5.0, -6.0, 8.0], columns, [1.0, 2.0, 3.0]).expect("sound");
        let corners = (0..8).map(|i| {
            let sign = |k: u32| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
            Vec3::new(5.0, -6.0, 8.0) + a * sign(0) + b * 2.0 * sign(1) + c * 3.0 * sign(2)
        });
        let hull = ConvexHull::from_points(corners.clone()).expect("a box");
        let ends = [Vec3::new(1.0, 5.0, -2.0), Vec3::new(4.0, -1.0, 2.0)];
        for direction in [Vec3::X, Vec3::NEG_Y, Vec3::new(0.6, 0.0, -0.8), Vec3::new(0.0, 0.8, 0.6)]
        {
            let least = |points: &[Vec3]| {
                let heights = points.iter().map(|&point| dot(to_f64(direction), to_f64(point)));
                heights.fold(f64::INFINITY, f64::min)
            };
            let all: Vec<Vec3> = corners.clone().collect();
            let of_local: Vec<Vec3> = (0..8).map(|i| local.corner(i)).collect();
            for (shape, expected) in [
                (ConvexShape::from(local), least(&of_local)),
                (turned.into(), least(&all)),
                (hull.clone().into(), least(&all)),
                (Sphere::new(ends[0], 0.75).into(), least(&ends[..1]) - 0.75),
                (Capsule::new(ends[0], ends[1], 0.5).into(), least(&ends) - 0.5),
            ] {
                let found = shape.lowest(direction);
                assert!(
                    (found - expected).abs() < 1e-6,
                    "{shape:?} {direction}: {found} {expected}"
                );
            }
        }
        assert_eq!(ConvexShape::from(Aabb::EMPTY).lowest(Vec3::X), 0.0);
    }
}
