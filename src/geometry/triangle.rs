//! Triangles.

use glam::Vec3;

use super::exact::intersect_exact;
use super::plane::line_parameter;
use super::vec3_f64::{
    Wide, add, cross, difference, distance_squared, dot, narrow, scale, sub, wide,
};
use super::{Aabb, Ray};

#[cfg(test)]
mod tests;

/// Three vertices, counter-clockwise as seen from the front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// First vertex.
    pub v0: Vec3,
    /// Second vertex; `u` is its weight.
    pub v1: Vec3,
    /// Third vertex; `v` is its weight.
    pub v2: Vec3,
}

/// Where and how a ray meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleHit {
    /// Distance in units of the ray's direction.
    pub t: f32,
    /// Weight of the second vertex.
    pub u: f32,
    /// Weight of the third vertex.
    pub v: f32,
    /// Whether the ray comes from the front (sees the vertices counter-clockwise).
    pub front: bool,
}

impl Triangle {
    /// A triangle from its three vertices.
    #[must_use]
    pub fn new(v0: impl Into<Vec3>, v1: impl Into<Vec3>, v2: impl Into<Vec3>) -> Self {
        Self { v0: v0.into(), v1: v1.into(), v2: v2.into() }
    }

    /// The normal `(v1 - v0) x (v2 - v0)`, as long as twice the area; it points to
    /// the front. Computed in `f64` and rounded once: to zero, where the area is that small. See
    /// [`unit_normal`](Self::unit_normal) for one to reckon with.
    #[must_use]
    pub fn normal(&self) -> Vec3 {
        narrow(self.wide_normal())
    }

    /// The normal, of unit length; it points to the front. Zero if the triangle [has no
    /// area](Self::is_degenerate). Computed in `f64` and rounded once, for triangles of any size.
    #[must_use]
    pub fn unit_normal(&self) -> Vec3 {
        let normal = self.wide_normal();
        // Products of the least numbers would vanish, and of the greatest be infinite.
        let size = normal.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        if size == 0.0 || !size.is_finite() {
            return Vec3::ZERO;
        }
        let normal = normal.map(|x| x / size);
        narrow(scale(normal, 1.0 / dot(normal, normal).sqrt()))
    }

    /// The area.
    #[must_use]
    pub fn area(&self) -> f32 {
        let normal = self.wide_normal();
        (0.5 * dot(normal, normal).sqrt()) as f32
    }

    /// The least box around the three vertices.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb::from_points([self.v0, self.v1, self.v2])
    }

    /// The point with weight `u` of `v1`, `v` of `v2` and `1 - u - v` of `v0`: the
    /// second way from a hit to its point, beside [`Ray::at`].
    ///
    /// Computed in `f64` and rounded once, so it is off the triangle by no more than
    /// the rounding of its coordinates, however far the ray has come.
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
        let [a, b, c] = [self.v0, self.v1, self.v2].map(wide);
        let (u, v) = (f64::from(u), f64::from(v));
        let sum = add(scale(a, 1.0 - u - v), scale(b, u));
        narrow(add(sum, scale(c, v)))
    }

    /// The point of the triangle that is nearest to `point`.
    ///
    /// It lies over the face or on an edge (the regions of Ericson, *Real-Time
    /// Collision Detection*, 2004, 5.1.5). A triangle without area is the line or
    /// the point that it looks like.
    #[must_use]
    pub fn closest_point(&self, point: impl Into<Vec3>) -> Vec3 {
        let point = wide(point.into());
        let [a, b, c] = [self.v0, self.v1, self.v2].map(wide);
        let (ab, ac, from_a) = (sub(b, a), sub(c, a), sub(point, a));
        let normal = cross(ab, ac);
        let square = dot(normal, normal);
        let u = dot(cross(from_a, ac), normal);
        let v = dot(cross(ab, from_a), normal);
        if square > 0.0 && u >= 0.0 && v >= 0.0 && u + v <= square {
            let along = add(scale(ab, u / square), scale(ac, v / square));
            return narrow(add(a, along));
        }
        let mut nearest = closest_on_segment(a, b, point);
        for (from, to) in [(b, c), (c, a)] {
            let candidate = closest_on_segment(from, to, point);
            if distance_squared(candidate, point) < distance_squared(nearest, point) {
                nearest = candidate;
            }
        }
        narrow(nearest)
    }

    /// The watertight ray test, and the reference that every kernel equals bit for bit.
    ///
    /// Both sides are hit; an edge and a vertex belong to the triangle. `None` when the ray
    /// is not one that can hit anything (see [`Ray`]), when the triangle
    /// [is degenerate](Self::is_degenerate), when the ray runs in its plane, when `t` lies
    /// outside `t_min..=t_max`, or would not be finite. `t`, `u` and `v` are the exact
    /// values rounded once, for all finite coordinates.
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
        Some(TriangleHit { t: hit.t, u, v, front: hit.front })
    }

    /// Whether the triangle has no area: whether `(v1 - v0) x (v2 - v0)` is zero, with the
    /// differences, then the products, then their differences taken in `f64`.
    ///
    /// The builder leaves out such triangles, and no ray hits them. A triangle with a
    /// coordinate that is not finite counts as degenerate.
    #[must_use]
    pub fn is_degenerate(&self) -> bool {
        let [a, b, c] = self.to_arrays();
        let normal = cross(difference(b, a), difference(c, a));
        normal == [0.0; 3] || !normal.iter().all(|n| n.is_finite())
    }

    pub(crate) fn to_arrays(self) -> [[f32; 3]; 3] {
        [self.v0.to_array(), self.v1.to_array(), self.v2.to_array()]
    }

    /// The test of Möller and Trumbore ("Fast, Minimum Storage Ray/Triangle
    /// Intersection", 1997): both sides, within the ray's bounds.
    ///
    /// The published formulas without the published epsilon: only a determinant of
    /// zero is parallel, so triangles of any size are hit. Evaluated in `f64` and
    /// rounded at the end.
    ///
    /// It is fast and accurate, but **not watertight**: each triangle rounds in its
    /// own way, and a ray at a shared edge may slip between two. Queries use
    /// [`intersect`](Self::intersect).
    #[must_use]
    pub fn intersect_moller_trumbore(&self, ray: &Ray) -> Option<TriangleHit> {
        if !ray.is_castable() {
            return None;
        }
        let [a, b, c] = [self.v0, self.v1, self.v2].map(wide);
        let (edge1, edge2) = (sub(b, a), sub(c, a));
        let dir = wide(ray.dir);
        let p = cross(dir, edge2);
        let determinant = dot(edge1, p);
        if determinant == 0.0 || !determinant.is_finite() {
            return None;
        }
        let from_a = sub(wide(ray.origin), a);
        let u = dot(from_a, p) / determinant;
        let q = cross(from_a, edge1);
        let v = dot(dir, q) / determinant;
        let t = dot(edge2, q) / determinant;
        hit_at(ray, t, u, v, determinant > 0.0)
    }

    /// The direct test: where the ray meets the plane of the triangle, and whether
    /// that point is inside (Snyder and Barr, "Ray Tracing Complex Models Containing
    /// Surface Tessellations", 1987, with areas in place of a projection).
    ///
    /// An alternative and a cross-check that shares no formula with the others; both
    /// sides, within the ray's bounds, no epsilon, **not watertight**. Evaluated in
    /// `f64` and rounded at the end.
    #[must_use]
    pub fn intersect_plane_first(&self, ray: &Ray) -> Option<TriangleHit> {
        if !ray.is_castable() {
            return None;
        }
        let [a, b, c] = [self.v0, self.v1, self.v2].map(wide);
        let normal = self.wide_normal();
        let square = dot(normal, normal);
        if square == 0.0 || !square.is_finite() {
            return None;
        }
        let t = line_parameter(a, normal, ray)?;
        let point = add(wide(ray.origin), scale(wide(ray.dir), t));
        let from_a = sub(point, a);
        let u = dot(cross(from_a, sub(c, a)), normal) / square;
        let v = dot(cross(sub(b, a), from_a), normal) / square;
        hit_at(ray, t, u, v, dot(normal, wide(ray.dir)) < 0.0)
    }

    /// The normal in `f64`.
    pub(super) fn wide_normal(&self) -> Wide {
        let [a, b, c] = [self.v0, self.v1, self.v2].map(wide);
        cross(sub(b, a), sub(c, a))
    }
}

/// A hit, if the weights are those of a point inside and the ray reaches it.
fn hit_at(ray: &Ray, t: f64, u: f64, v: f64, front: bool) -> Option<TriangleHit> {
    let hit = TriangleHit { t: t as f32, u: u as f32, v: v as f32, front };
    // The rounded `t` decides, so that what is reported lies within the bounds.
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && ray.admits(hit.t)).then_some(hit)
}

fn closest_on_segment(from: Wide, to: Wide, point: Wide) -> Wide {
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
