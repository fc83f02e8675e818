//! Triangles.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::aabb::Aabb;
use super::exact::intersect_exact;
use super::ray::Ray;
use super::vec3_f64::{
    Corners, Vec3F64, add, cross, distance_squared, dot, max_abs, scale, sub, to_f32, to_f64,
};
use crate::array::Each;

#[cfg(test)]
mod tests;

/// Three vertices, counter-clockwise as seen from the front.
///
/// All methods take constant time; lengths are in the units of the vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// First vertex.
    pub v0: Vec3,
    /// Second vertex; `u` is its weight.
    pub v1: Vec3,
    /// Third vertex; `v` is its weight.
    pub v2: Vec3,
}

/// A side of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Face {
    /// The ray sees the vertices counter-clockwise.
    Front,
    /// The ray sees the vertices clockwise.
    Back,
}

/// Where a ray hits a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleHit {
    /// Distance in units of the ray's direction.
    pub t: f32,
    /// Weight of the second vertex, in `0..=1`.
    pub u: f32,
    /// Weight of the third vertex, in `0..=1`.
    pub v: f32,
    /// The side that is hit.
    pub face: Face,
}

impl Triangle {
    /// A triangle from its three vertices.
    #[must_use]
    pub fn new(v0: impl Into<Vec3>, v1: impl Into<Vec3>, v2: impl Into<Vec3>) -> Self {
        Self { v0: v0.into(), v1: v1.into(), v2: v2.into() }
    }

    /// The normal `(v1 - v0) x (v2 - v0)`: it points to the front and is as long as twice the area.
    ///
    /// Computed in `f64` and rounded once, so it is zero where the area is below the range of
    /// `f32`. See [`unit_normal`](Self::unit_normal) for one that keeps its direction.
    #[must_use]
    pub fn normal(&self) -> Vec3 {
        to_f32(self.normal_f64())
    }

    /// The normal scaled to unit length; it points to the front. Zero if the triangle
    /// [is degenerate](Self::is_degenerate). Computed in `f64` and rounded once, for triangles of
    /// any size.
    #[must_use]
    pub fn unit_normal(&self) -> Vec3 {
        let normal = self.normal_f64();
        // Squares of tiny components would underflow, and of huge ones overflow.
        let size = max_abs(normal);
        if size == 0.0 || !size.is_finite() {
            return Vec3::ZERO;
        }
        let normal = normal.each(|x| x / size);
        to_f32(scale(normal, 1.0 / dot(normal, normal).sqrt()))
    }

    /// The area.
    #[must_use]
    pub fn area(&self) -> f32 {
        let normal = self.normal_f64();
        (0.5 * dot(normal, normal).sqrt()) as f32
    }

    /// The smallest box around the three vertices.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb::from_points([self.v0, self.v1, self.v2])
    }

    /// The point with weight `u` of `v1`, `v` of `v2` and `1 - u - v` of `v0`.
    ///
    /// It is computed in `f64` and rounded once, so it is off the triangle by no more than the
    /// rounding of its coordinates, however far a ray has travelled to it. [`Ray::at`] is as far
    /// off as `t` is rounded. For a hit of a tree use [`Bvh::point`](crate::Bvh::point), which also
    /// takes care of mirrored meshes.
    ///
    /// ```
    /// use hitscan::{Ray, Triangle};
    ///
    /// let triangle = Triangle::new([0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]);
    /// let ray = Ray::new([1.0, 2.0, 5.0], [0.0, 0.0, -1.0]);
    /// let hit = triangle.intersect_moller_trumbore(&ray).expect("aimed at it");
    /// assert_eq!(triangle.point_at(hit.u, hit.v), ray.at(hit.t));
    /// ```
    #[must_use]
    pub fn point_at(&self, u: f32, v: f32) -> Vec3 {
        let [a, b, c] = [self.v0, self.v1, self.v2].each(to_f64);
        let (u, v) = (f64::from(u), f64::from(v));
        let sum = add(scale(a, 1.0 - u - v), scale(b, u));
        to_f32(add(sum, scale(c, v)))
    }

    /// The point of the triangle that is nearest to `point`.
    ///
    /// It lies inside the face or on an edge (the regions of Ericson, *Real-Time Collision
    /// Detection*, 2004, 5.1.5). A degenerate triangle is treated as the line or point that its
    /// vertices span.
    #[must_use]
    pub fn closest_point(&self, point: impl Into<Vec3>) -> Vec3 {
        let point = to_f64(point.into());
        let [a, b, c] = [self.v0, self.v1, self.v2].each(to_f64);
        let (ab, ac, from_a) = (sub(b, a), sub(c, a), sub(point, a));
        let normal = cross(ab, ac);
        let square = dot(normal, normal);
        let u = dot(cross(from_a, ac), normal);
        let v = dot(cross(ab, from_a), normal);
        if square > 0.0 && u >= 0.0 && v >= 0.0 && u + v <= square {
            let along = add(scale(ab, u / square), scale(ac, v / square));
            return to_f32(add(a, along));
        }
        let mut nearest = closest_on_segment(a, b, point);
        for (from, to) in [(b, c), (c, a)] {
            let candidate = closest_on_segment(from, to, point);
            if distance_squared(candidate, point) < distance_squared(nearest, point) {
                nearest = candidate;
            }
        }
        to_f32(nearest)
    }

    /// Where the ray hits the triangle: the watertight test, and the reference that every query
    /// equals bit for bit.
    ///
    /// Both sides are hit; edges and vertices belong to the triangle. `None` when the ray cannot
    /// hit anything (see [`Ray`]), when the triangle [is degenerate](Self::is_degenerate), when
    /// the ray runs in its plane, or when `t` is outside `t_min..=t_max` or not finite. `t`, `u`
    /// and `v` are the exact values rounded once, for all finite coordinates, and it is the rounded
    /// `t` that is compared with the interval.
    ///
    /// This is the test of Möller and Trumbore (1997) with error bounds, and with exact integers
    /// where the bounds leave a doubt (after Shewchuk, "Adaptive Precision Floating-Point
    /// Arithmetic", 1997).
    ///
    /// ```
    /// use hitscan::{Face, Ray, Triangle};
    ///
    /// let triangle = Triangle::new([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    /// // Through the middle of an edge, which belongs to the triangle.
    /// let hit = triangle.intersect(&Ray::new([0.5, 0.5, 2.0], [0.0, 0.0, -1.0]));
    /// let hit = hit.expect("aimed at it");
    /// assert_eq!((hit.t, hit.u, hit.v, hit.face), (2.0, 0.5, 0.5, Face::Front));
    /// ```
    #[must_use]
    pub fn intersect(&self, ray: &Ray) -> Option<TriangleHit> {
        if !ray.is_castable() {
            return None;
        }
        let corners = || self.to_arrays();
        let hit = intersect_exact(ray, &corners)?;
        if !ray.admits(hit.t) {
            return None;
        }
        let (u, v) = hit.barycentrics(ray, &corners);
        Some(TriangleHit { t: hit.t, u, v, face: face(hit.front) })
    }

    /// Whether the triangle has no area: whether `(v1 - v0) x (v2 - v0)` is zero when the
    /// differences, then the products, then their differences are computed in `f64`.
    ///
    /// The builder skips such triangles, and no ray hits them. A triangle with a coordinate
    /// that is not finite counts as degenerate.
    #[must_use]
    pub fn is_degenerate(&self) -> bool {
        let normal = self.normal_f64();
        normal == [0.0; 3] || !normal.iter().all(|n| n.is_finite())
    }

    pub(crate) fn to_arrays(self) -> Corners {
        [self.v0.to_array(), self.v1.to_array(), self.v2.to_array()]
    }

    /// The textbook test, of Möller and Trumbore ("Fast, Minimum Storage Ray/Triangle
    /// Intersection", 1997): both sides, within the ray's bounds.
    ///
    /// These are the published formulas without the published epsilon: only a determinant of zero
    /// counts as parallel, so triangles of any size are hit. Computed in `f64` and rounded at the
    /// end. It is simple and accurate, but **not watertight**: a ray at a shared edge may slip
    /// between two triangles. Queries use [`intersect`](Self::intersect).
    #[must_use]
    pub fn intersect_moller_trumbore(&self, ray: &Ray) -> Option<TriangleHit> {
        if !ray.is_castable() {
            return None;
        }
        let [a, b, c] = [self.v0, self.v1, self.v2].each(to_f64);
        let (edge1, edge2) = (sub(b, a), sub(c, a));
        let dir = to_f64(ray.dir);
        let p = cross(dir, edge2);
        let determinant = dot(edge1, p);
        if determinant == 0.0 {
            return None;
        }
        let from_a = sub(to_f64(ray.origin), a);
        let u = dot(from_a, p) / determinant;
        let q = cross(from_a, edge1);
        let v = dot(dir, q) / determinant;
        let t = dot(edge2, q) / determinant;
        let hit =
            TriangleHit { t: t as f32, u: u as f32, v: v as f32, face: face(determinant > 0.0) };
        // The rounded `t` decides, so that the reported hit lies within the bounds. All of this is
        // false for NaN, which vertices that are not finite give.
        (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && ray.admits(hit.t)).then_some(hit)
    }

    /// The normal in `f64`.
    fn normal_f64(&self) -> Vec3F64 {
        let [a, b, c] = [self.v0, self.v1, self.v2].each(to_f64);
        cross(sub(b, a), sub(c, a))
    }
}

fn face(front: bool) -> Face {
    if front { Face::Front } else { Face::Back }
}

fn closest_on_segment(from: Vec3F64, to: Vec3F64, point: Vec3F64) -> Vec3F64 {
    let along = sub(to, from);
    let square = dot(along, along);
    let reach = dot(sub(point, from), along);
    if reach <= 0.0 {
        from
    } else if reach >= square {
        to
    } else {
        add(from, scale(along, reach / square))
    }
}
