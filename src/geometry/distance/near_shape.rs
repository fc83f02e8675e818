//! A convex shape, and how far triangles are from it.

use glam::Vec3;

use super::point_distance::Feature;
use super::segment_distance::nearest_pair;
use crate::array::Each;
use crate::geometry::contact::moving_solid::feature;
use crate::geometry::convex_core::{Points, TOLERANCE};
use crate::geometry::convex_shape::ConvexShape;
use crate::geometry::core_distance::nearest;
use crate::geometry::shape::{Shape, finite_bounds};
use crate::geometry::support::Support;
use crate::geometry::triangle::Triangle;
use crate::geometry::vec3_f64::{
    Corners, Vec3F64, add, dot, is_finite, max, max_abs, min, scale, sub, to_f64,
};

impl ConvexShape {
    /// How far the shape is from a triangle: zero if they touch, and only then. `None` if the shape
    /// is empty or the triangle is not finite.
    ///
    /// This is the reference that [`Bvh::closest_to_shape`](crate::Bvh::closest_to_shape) equals.
    /// There it is told how exact it is.
    ///
    /// ```
    /// use hitscan::geometry::ConvexShape;
    /// use hitscan::{Aabb, Triangle};
    ///
    /// let crate_of_wood = ConvexShape::from(Aabb::from_min_max([0.0; 3], [1.0; 3]));
    /// let at = |x: f32| Triangle::new([x, 4.0, 0.0], [x, 4.0, 1.0], [x + 1.0, 6.0, 0.0]);
    /// assert_eq!(crate_of_wood.distance(&at(0.0)), Some(3.0));
    /// assert_eq!(crate_of_wood.distance(&at(5.0)), Some(5.0));
    /// ```
    #[must_use]
    pub fn distance(&self, triangle: &Triangle) -> Option<f32> {
        let shape = NearShape::new(self)?;
        Some(shape.to_triangle(&triangle.to_arrays(), f32::INFINITY)?.distance)
    }
}

/// A convex shape, prepared for questions about how far triangles are from it.
#[derive(Clone, Debug)]
pub(crate) struct NearShape {
    /// All of it is within a radius of the hull of these; none of a box along the axes.
    points: Points,
    radius: f64,
    /// The largest number that it is made of.
    size: f64,
    /// The least and the greatest coordinates of points, or of the box.
    bounds: [Vec3F64; 2],
    /// The middle of a ball that holds all of it, and the radius.
    ball: (Vec3F64, f64),
    /// A point in the middle, from which sides of triangles are seen.
    center: Vec3,
    /// What decides whether it touches a triangle. None of a shape that is on its way.
    exact: Option<Shape>,
}

/// How far a triangle is from a shape, and where they are nearest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriangleDistance {
    /// Zero if they touch, and only then.
    pub(crate) distance: f32,
    /// A point of the triangle.
    pub(crate) point: Vec3F64,
    /// A point of the shape.
    pub(crate) on_shape: Vec3F64,
    /// Of the triangle's second and third corner.
    pub(crate) weights: [f32; 2],
    pub(crate) feature: Feature,
}

impl NearShape {
    /// `None` if the shape is empty.
    pub(crate) fn new(shape: &ConvexShape) -> Option<Self> {
        let exact = Shape::from(shape);
        let (points, radius, size) = match shape {
            ConvexShape::Aabb(bounds) => {
                let [low, high] = finite_bounds(bounds)?.each(|corner| corner.each(f64::from));
                let bounds = [low, high];
                let half = scale(sub(high, low), 0.5);
                let size = max(max_abs(low), max_abs(high));
                let ball = (add(low, half), dot(half, half).sqrt() + size * TOLERANCE);
                let (points, center) = (Points::new(), exact.center());
                return Some(Self {
                    points,
                    radius: 0.0,
                    size: 0.0,
                    bounds,
                    ball,
                    center,
                    exact: Some(exact),
                });
            }
            ConvexShape::Hull(hull) => {
                let points: Points = hull.points().map(to_f64).collect();
                let size = points.iter().fold(0.0, |size, &point| max(max_abs(point), size));
                (points, 0.0, size)
            }
            _ => {
                let (points, radius, size) = Support::of(&exact)?.into_core();
                (points.into_iter().collect(), radius, size)
            }
        };
        let center = exact.center();
        Some(Self { exact: Some(exact), ..Self::of_core(points, radius, size, center) })
    }

    /// All that is within a radius of the hull of some points.
    fn of_core(points: Points, radius: f64, size: f64, center: Vec3) -> Self {
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for point in &points {
            bounds[0] = [0, 1, 2].each(|k| min(point[k], bounds[0][k]));
            bounds[1] = [0, 1, 2].each(|k| max(point[k], bounds[1][k]));
        }
        let middle = scale(add(bounds[0], bounds[1]), 0.5);
        let ways = points.iter().map(|&point| sub(point, middle));
        let square = ways.fold(0.0, |most, way| max(dot(way, way), most));
        // A rounding is less than the room that is left around it.
        let ball = (middle, square.sqrt() + radius);
        Self { points, radius, size, bounds, ball, center, exact: None }
    }

    /// The same with the corners of a box along the axes as its points.
    pub(crate) fn with_points(self) -> Self {
        if !self.points.is_empty() {
            return self;
        }
        let sides = self.bounds;
        let corner = |i: usize| [0, 1, 2].each(|k: usize| sides[i >> k & 1][k]);
        let points: Points = (0..8).map(corner).collect();
        let size = max(max_abs(sides[0]), max_abs(sides[1]));
        Self { points, size, ..self }
    }

    /// Made of points elsewhere, with coordinates up to `size`: not to be asked of a box that has
    /// no points. Whether it touches something is then decided in `f64`.
    pub(crate) fn moved(&self, size: f64, mut to: impl FnMut(Vec3F64) -> Vec3F64) -> Self {
        let points = self.points.iter().map(|&point| to(point)).collect();
        Self::of_core(points, self.radius, size, self.center)
    }

    /// All of it is within a radius of the hull of these.
    pub(crate) fn points(&self) -> &[Vec3F64] {
        &self.points
    }

    /// The least and the greatest coordinates of what all of it is within a radius of, and the
    /// radius.
    pub(crate) fn core(&self) -> ([Vec3F64; 2], f64) {
        (self.bounds, self.radius)
    }

    /// The middle of a ball that holds all of it, and the radius, but for a rounding.
    pub(crate) fn ball(&self) -> (Vec3F64, f64) {
        self.ball
    }

    /// The largest number that it is made of; zero for a box along the axes, of which only the part
    /// near a triangle counts.
    pub(crate) fn size(&self) -> f64 {
        max(self.size, self.radius)
    }

    /// A point in the middle.
    pub(crate) fn center(&self) -> Vec3 {
        self.center
    }

    /// How far a triangle is from the shape. `None` if that is more than `bound` when it is
    /// rounded, or if the triangle is not finite.
    ///
    /// **Lemma 117 (distances of shapes).** Before it is rounded, a distance is off by less than
    /// [`TOLERANCE`] of the largest number that the shape or the triangle is made of, as far as the
    /// search ends with bounds as near as that. Points are sums of numbers no larger than twice
    /// that, with weights from 0 to 1, of some ten roundings each; corners of an oriented box take
    /// three more.
    pub(crate) fn to_triangle(&self, corners: &Corners, bound: f32) -> Option<TriangleDistance> {
        if !is_finite(corners) {
            return None;
        }
        let triangle = (*corners).each(|corner| corner.each(f64::from));
        // What rounds to the bound counts.
        let past = f64::from(bound.next_up()) + self.radius;
        let (near, size) = self.nearest(&triangle, past)?;
        let length = dot(near.way, near.way).sqrt();
        let size = triangle.iter().fold(max(self.radius, size), |size, &v| max(max_abs(v), size));
        let apart = length - self.radius;
        let is_clear = near.at_least - self.radius > size * TOLERANCE;
        let touches = || match &self.exact {
            Some(shape) => shape.overlap_corners(corners).is_some(),
            None => apart <= 0.0,
        };
        let distance = if !is_clear && touches() {
            0.0
        } else {
            // Apart by less than can be told is not zero.
            (apart as f32).max(f32::from_bits(1))
        };
        // Also false for NaN, of a shape without end.
        let is_far = distance > bound;
        let [a, b, c] = triangle;
        let [s, u, v] = near.weights;
        let point = add(scale(a, s), add(scale(b, u), scale(c, v)));
        let on_shape = if distance == 0.0 {
            point
        } else {
            add(point, scale(near.way, max(apart, 0.0) / length))
        };
        (!is_far).then(|| TriangleDistance {
            distance,
            point,
            on_shape,
            weights: [u as f32, v as f32],
            feature: feature(&near.weights),
        })
    }

    /// The nearest points of a triangle and the core, and the largest number of the part of the
    /// shape that counts.
    fn nearest(&self, triangle: &[Vec3F64; 3], past: f64) -> Option<(CoreDistance, f64)> {
        match *self.points {
            [] => {
                // The part of a box that is nearest to some point of the triangle's box: so numbers
                // are no larger than they must be.
                let [low, high] = self.bounds;
                let side = |k: usize, of: fn(f64, f64) -> f64| {
                    let [a, b, c] = triangle.refs().each(|corner| corner[k]);
                    min(max(of(of(a, b), c), low[k]), high[k])
                };
                let sides = [0, 1, 2].each(|k| [side(k, min), side(k, max)]);
                let corner = |i: usize| [0, 1, 2].each(|k: usize| sides[k][i >> k & 1]);
                let corners = [0, 1, 2, 3, 4, 5, 6, 7].each(corner);
                let size = corners.iter().fold(0.0, |size, &point| max(max_abs(point), size));
                Some((CoreDistance::new(&corners, triangle, past)?, size))
            }
            [a, b] => {
                let pair = nearest_pair(sub(b, a), &triangle.refs().each(|&corner| sub(corner, a)));
                let [u, v] = pair.weights;
                let (weights, at_least) = ([1.0 - u - v, u, v], pair.distance());
                let near = CoreDistance { way: scale(pair.way, -1.0), weights, at_least };
                (at_least <= past).then_some((near, self.size))
            }
            ref points => Some((CoreDistance::new(points, triangle, past)?, self.size)),
        }
    }
}

/// Where a core and a triangle are nearest to each other.
struct CoreDistance {
    /// From the point of the triangle to the point of the core; zero if they overlap.
    way: Vec3F64,
    /// The weights of the triangle's corners in its point.
    weights: [f64; 3],
    /// There is a plane between them with so much room, or zero.
    at_least: f64,
}

/// The search ends where the two bounds of a distance differ by less, in parts of it.
const ENOUGH: f64 = 1.0 / (1u64 << 46) as f64;

impl CoreDistance {
    /// `None` as soon as a plane shows that they are farther apart than `past`.
    fn new(points: &[Vec3F64], triangle: &[Vec3F64; 3], past: f64) -> Option<Self> {
        let is_decided =
            |at_least: f64, at_most: f64| at_least > past || at_most - at_least <= ENOUGH * at_most;
        let near = nearest(points, triangle, [0.0; 3], &is_decided);
        let mut weights = [0.0; 3];
        for (corner, weight) in near.parts {
            weights[corner] += weight;
        }
        let (way, at_least) = (near.way, near.at_least);
        (at_least <= past).then_some(Self { way, weights, at_least })
    }
}
