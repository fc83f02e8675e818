//! Rays and the interval in which one meets a convex volume.

use bytemuck::{Pod, Zeroable};
use glam::{Affine3A, Mat4, Vec2, Vec3};
use serde::{Deserialize, Serialize};

use super::vec3_f64::{add, dot, product, round_down, round_up, scale, sub, to_f32, to_f64};
use crate::array::Each;

#[cfg(test)]
mod tests;

/// A ray: the points `origin + t * dir` with `t_min <= t <= t_max`.
///
/// The direction need not be of unit length; every `t` is in units of it. `t_min` may be negative
/// and `t_max` infinite. A ray with a zero direction, with an origin or a direction that is not
/// finite, with a NaN bound, or with `t_min > t_max`, hits nothing.
///
/// **The ends of the interval** belong to it, and are compared with the `t` that a hit reports: the
/// exact value, rounded once to `f32`. So a hit outside of the interval counts if it is off by so
/// little that its `t` is rounded to the end. Behind the origin by less than the smallest number,
/// `t` may be minus zero, which is not less than a `t_min` of zero. All that casts rays does the
/// same: trees, scenes, batches, [`Triangle::intersect`](super::Triangle::intersect).
///
/// In memory it is eight `f32` in the order of its fields, so `bytemuck` casts slices of rays to
/// bytes and back. Files of rays have the same order: see [`write_rays`](crate::file::write_rays).
/// It goes through serde too, but JSON has no infinity: there give it a finite `t_max`.
///
/// ```
/// use hitscan::Ray;
///
/// let ray = Ray::new([0.0, 2.0, 0.0], [0.0, -2.0, 0.0]).with_range(0.0, 10.0);
/// assert_eq!(ray.at(0.5).to_array(), [0.0, 1.0, 0.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
#[repr(C)]
pub struct Ray {
    /// Where `t` is zero.
    pub origin: Vec3,
    /// The direction; `t` is in units of its length.
    pub dir: Vec3,
    /// The smallest `t` that counts as a hit (inclusive), as it is reported.
    pub t_min: f32,
    /// The largest `t` that counts as a hit (inclusive), as it is reported.
    pub t_max: f32,
}

impl Ray {
    /// A ray from `origin` along `dir` without an end: `t` in `0..=inf`.
    #[must_use]
    pub fn new(origin: impl Into<Vec3>, dir: impl Into<Vec3>) -> Self {
        Self { origin: origin.into(), dir: dir.into(), t_min: 0.0, t_max: f32::INFINITY }
    }

    /// The same ray with another closed interval of `t`.
    #[must_use]
    pub fn with_range(self, t_min: f32, t_max: f32) -> Self {
        Self { t_min, t_max, ..self }
    }

    /// A line cast: from `a` (`t = 0`) to `b` (`t = 1`), both ends included.
    ///
    /// The start is exact. The end is rounded: on each axis it is off from `b` by at most 2^-24
    /// times the distance on that axis. So a triangle that `a` lies on is
    /// in the way, at `t = 0`, unless the ray runs in its plane; one that `b` lies on may be hit
    /// or missed.
    ///
    /// Where a target lies on a surface, start there, and choose whether that surface counts. From
    /// a [hit](crate::Bvh::point), whose point is rounded, use
    /// [`Bvh::ray_from`](crate::Bvh::ray_from).
    ///
    /// ```
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let ramp = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[ramp])?;
    /// let (target, eye) = ([1.0, 0.0, 0.0], [0.1, 0.9, 0.3]); // the target is a corner of it
    /// let sight = Ray::between(target, eye);
    /// assert!(bvh.any_hit(&sight, &Query::new()));
    /// // Past all that the target lies on exactly.
    /// let sight = sight.with_range(f32::MIN_POSITIVE, 1.0);
    /// assert!(!bvh.any_hit(&sight, &Query::new()));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    // Lemma 8 (ends of a line). A triangle that contains `a` and is hit has `t = 0` exactly: the
    // line meets its plane once, and is at `a` for `t = 0`. Such a triangle is hit, because a hit
    // is decided for the exact ray. Any `t_min` above zero leaves it out, and nothing that is
    // farther away than that: `f32::MIN_POSITIVE`, the smallest that is not denormal. The end is
    // at `a + dir`, and a difference that is rounded once is off by 2^-24 of itself at most (it
    // has no error at all where it would underflow).
    #[must_use]
    pub fn between(a: impl Into<Vec3>, b: impl Into<Vec3>) -> Self {
        let (a, b) = (a.into(), b.into());
        Self { origin: a, dir: b - a, t_min: 0.0, t_max: 1.0 }
    }

    /// The ray under a screen position: from the near plane into the scene.
    ///
    /// `position` and `viewport` are in the same unit, usually pixels: `(0, 0)` is the upper left
    /// corner of the viewport and `y` points down. The center of pixel `(i, j)` is at
    /// `(i + 0.5, j + 0.5)`. A position outside the viewport is allowed.
    ///
    /// [`DepthRange`] says which `depth` goes with which projection.
    ///
    /// The direction has unit length, so `t` is the distance from the near plane. The ray does not
    /// end at the far plane. Perspective and orthographic projections work, also with an infinite
    /// far plane.
    ///
    /// Far from the origin, use a [`Camera`](super::Camera): an inverse in `f32` is off by a pixel
    /// from about a thousand units on.
    ///
    /// `None` when no such ray exists: the viewport is not of positive size, an argument is not
    /// finite (the inverse of a singular matrix is not), or the near plane is at infinity.
    ///
    /// ```
    /// use hitscan::glam::camera::rh::{proj::directx, view::look_at_mat4};
    /// use hitscan::glam::Vec3;
    /// use hitscan::{Ray, geometry::DepthRange};
    ///
    /// // A camera at the height of the eyes that looks at a thing on the floor.
    /// let (eye, target) = (Vec3::new(0.0, 1.7, 5.0), Vec3::new(1.0, 0.0, -2.0));
    /// let projection = directx::perspective(1.2, 800.0 / 600.0, 0.1, 100.0);
    /// let inverse = (projection * look_at_mat4(eye, target, Vec3::Y)).inverse();
    ///
    /// // Under the middle of the screen.
    /// let ray = Ray::from_screen([400.0, 300.0], [800.0, 600.0], &inverse, DepthRange::ZeroToOne)
    ///     .expect("a camera like this can be inverted");
    /// assert!(ray.origin.distance(eye) < 0.11);
    /// assert!(ray.dir.distance((target - eye).normalize()) < 1e-5);
    /// ```
    #[must_use]
    pub fn from_screen(
        position: impl Into<Vec2>,
        viewport: impl Into<Vec2>,
        inverse_view_projection: &Mat4,
        depth: DepthRange,
    ) -> Option<Self> {
        let columns = columns(inverse_view_projection);
        Self::from_clip(clip(position.into(), viewport.into())?, &columns, depth)
    }

    /// The ray through a position in clip space. The matrix is given by columns.
    pub(super) fn from_clip(
        [x, y]: [f64; 2],
        [a, b, c, d]: &[[f64; 4]; 4],
        depth: DepthRange,
    ) -> Option<Self> {
        let unproject = |z: f64| {
            let row = |r: usize| a[r] * x + b[r] * y + c[r] * z + d[r];
            ([row(0), row(1), row(2)], row(3))
        };
        let (z_near, z_far) = depth.near_and_far();
        let (near, near_w) = unproject(z_near);
        let (far, far_w) = unproject(z_far);

        // This is `far / far_w - near / near_w` times both weights. They have the same sign for
        // all that a camera sees, except that a weight of zero may be rounded to either sign.
        let along = sub(scale(far, near_w), scale(near, far_w));
        let dir = scale(along, 1.0 / dot(along, along).sqrt());
        let ray = Self::new(to_f32(scale(near, 1.0 / near_w)), to_f32(dir));
        ray.is_castable().then_some(ray)
    }

    /// The ray in other coordinates: origin and direction moved by the map, computed in `f64`.
    ///
    /// `t` keeps its meaning, because the direction is scaled like everything else. So one tree
    /// can stand in several places of a level: transform the ray by the inverse of each placement,
    /// and take the hit with the smallest `t`.
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let door = Mesh::from_soup(vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 3.0, 0.0]]);
    /// let (door, _) = Builder::new().bake(&[door])?;
    /// let places = [5.0, 2.0, 9.0].map(|z| Affine3A::from_translation(Vec3::new(0.0, 0.0, z)));
    ///
    /// let mut ray = Ray::new([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    /// let mut nearest = None;
    /// for (i, place) in places.iter().enumerate() {
    ///     if let Some(hit) = door.closest_hit(&ray.transformed(&place.inverse()), &Query::new()) {
    ///         // The other doors need not look farther.
    ///         ray.t_max = hit.t;
    ///         nearest = Some((i, hit));
    ///     }
    /// }
    /// assert_eq!(nearest.map(|(i, hit)| (i, hit.t)), Some((1, 2.0)));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn transformed(&self, transform: &Affine3A) -> Self {
        let columns = transform.matrix3.to_cols_array_2d().each(|c| c.each(f64::from));
        let along = |v: Vec3| product(columns, to_f64(v));
        let to = transform.translation.to_array().each(f64::from);
        Self { origin: to_f32(add(along(self.origin), to)), dir: to_f32(along(self.dir)), ..*self }
    }

    /// The point `origin + t * dir`, in `f32`.
    ///
    /// [`Triangle::point_at`](super::Triangle::point_at) stays closer to the triangle when `t` is
    /// large.
    #[must_use]
    pub fn at(&self, t: f32) -> Vec3 {
        self.origin + t * self.dir
    }

    /// Whether the ray can hit anything.
    pub(crate) fn is_castable(&self) -> bool {
        self.has_line() && self.t_min <= self.t_max
    }

    /// Whether origin and direction define a line.
    pub(super) fn has_line(&self) -> bool {
        self.origin.is_finite() && self.dir.is_finite() && self.dir != Vec3::ZERO
    }

    /// Whether a hit at `t` counts: finite and within the bounds.
    pub(super) fn admits(&self, t: f32) -> bool {
        t.is_finite() && self.t_min <= t && t <= self.t_max
    }
}

/// Where the line of a ray is inside a convex volume: `enter <= t <= exit`.
///
/// The whole line counts, not only the ray's `t_min..=t_max`. `enter` is negative when the volume
/// begins behind the origin, and `exit` too when it ends there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayInterval {
    /// Where the line enters the volume.
    pub enter: f32,
    /// Where the line leaves it.
    pub exit: f32,
    /// Whether the ray's origin lies in the volume (its surface included).
    pub origin_inside: bool,
}

impl RayInterval {
    /// The part within `ray.t_min..=ray.t_max`; `None` when it is empty. Its `enter` is the first
    /// `t` at which the bounded ray is in the volume.
    ///
    /// ```
    /// use hitscan::{Ray, Sphere};
    ///
    /// let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
    /// let interval = Sphere::new([0.0; 3], 2.0).ray_interval(&ray).expect("starts inside");
    /// assert_eq!((interval.enter, interval.exit), (-2.0, 2.0));
    /// let clipped = interval.clipped(&ray).expect("part of it is in front");
    /// assert_eq!((clipped.enter, clipped.exit), (0.0, 2.0));
    /// ```
    #[must_use]
    pub fn clipped(&self, ray: &Ray) -> Option<Self> {
        // A NaN bound makes the comparison fail.
        let enter = if self.enter > ray.t_min { self.enter } else { ray.t_min };
        let exit = if self.exit < ray.t_max { self.exit } else { ray.t_max };
        (enter <= exit).then_some(Self { enter, exit, origin_inside: self.origin_inside })
    }

    /// Rounds outward to `f32`; `t = 0` belongs to the interval when the origin is inside.
    pub(super) fn outward(enter: f64, exit: f64, origin_inside: bool) -> Self {
        let (mut enter, mut exit) = (round_down(enter), round_up(exit));
        if origin_inside {
            enter = if enter > 0.0 { 0.0 } else { enter };
            exit = if exit < 0.0 { 0.0 } else { exit };
        }
        Self { enter, exit, origin_inside }
    }
}

/// The depth values that a projection gives the near and the far plane.
///
/// Of glam's functions in `camera::rh::proj` and `camera::lh::proj`, the functions in `opengl` go
/// with `NegativeOneToOne`, the functions in `directx` with `ZeroToOne`, but its
/// `perspective_infinite_reverse` with `OneToZero`. The functions in `vulkan` are like `directx`,
/// but their `y` points down: give [`Ray::from_screen`] the position's `y` as counted from the
/// lower edge of the viewport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthRange {
    /// Near is 0, far is 1, possibly at infinity (Vulkan, Direct3D, Metal, WebGPU).
    ZeroToOne,
    /// Near is 1, far is 0, possibly at infinity (reversed-Z).
    OneToZero,
    /// Near is -1, far is 1, possibly at infinity (OpenGL).
    NegativeOneToOne,
}

/// The columns of a matrix.
pub(super) fn columns(matrix: &Mat4) -> [[f64; 4]; 4] {
    matrix.to_cols_array_2d().each(|column| column.each(f64::from))
}

/// A position in a viewport as clip coordinates; `None` if the viewport has no size.
pub(super) fn clip(position: Vec2, viewport: Vec2) -> Option<[f64; 2]> {
    (viewport.x > 0.0 && viewport.y > 0.0).then(|| {
        let x = 2.0 * f64::from(position.x) / f64::from(viewport.x) - 1.0;
        [x, 1.0 - 2.0 * f64::from(position.y) / f64::from(viewport.y)]
    })
}

impl DepthRange {
    pub(super) fn near_and_far(self) -> (f64, f64) {
        match self {
            Self::ZeroToOne => (0.0, 1.0),
            Self::OneToZero => (1.0, 0.0),
            Self::NegativeOneToOne => (-1.0, 1.0),
        }
    }
}
