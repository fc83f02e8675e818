//! Rays and the interval in which one meets a convex volume.

use glam::{Affine3A, Mat4, Vec2, Vec3};

use super::vec3_f64::{add, dot, narrow, round_down, round_up, scale, sub, wide};

#[cfg(test)]
mod tests;

/// A ray: the points `origin + t * dir` with `t_min <= t <= t_max`.
///
/// The direction need not be of unit length; every `t` is in units of it.
/// `t_min` may be negative and `t_max` infinite.
///
/// A ray with no direction, with an origin or a direction that is not finite, with
/// a NaN bound, or with `t_min > t_max`, hits nothing.
///
/// In memory it is eight `f32` in the order of its fields.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Ray {
    /// Where `t` is zero.
    pub origin: Vec3,
    /// The step that `t` counts.
    pub dir: Vec3,
    /// The least `t` that counts as a hit, itself included.
    pub t_min: f32,
    /// The greatest `t` that counts as a hit, itself included.
    pub t_max: f32,
}

impl Ray {
    /// A ray from `origin` along `dir`, without end: `t` in `0..=inf`.
    #[must_use]
    pub fn new(origin: impl Into<Vec3>, dir: impl Into<Vec3>) -> Self {
        Self { origin: origin.into(), dir: dir.into(), t_min: 0.0, t_max: f32::INFINITY }
    }

    /// The same ray with another closed interval of `t`.
    #[must_use]
    pub fn with_range(self, t_min: f32, t_max: f32) -> Self {
        Self { t_min, t_max, ..self }
    }

    /// A line cast: from `a` (`t = 0`) to `b` (`t = 1`), both ends included. So a triangle that `a` or `b` lies
    /// on is in the way: leave the ends out by [`with_range`](Self::with_range), or that triangle by
    /// [`any_hit_where`](crate::Bvh::any_hit_where).
    #[must_use]
    pub fn between(a: impl Into<Vec3>, b: impl Into<Vec3>) -> Self {
        let (a, b) = (a.into(), b.into());
        Self { origin: a, dir: b - a, t_min: 0.0, t_max: 1.0 }
    }

    /// The ray under a screen position: from the near plane into the scene.
    ///
    /// `position` and `viewport` are in the same unit, as a rule pixels: `(0, 0)` is
    /// the upper left corner of the viewport and `y` points down. A position outside
    /// the viewport is as good as one inside. The center of pixel `(i, j)` is at
    /// `(i + 0.5, j + 0.5)`.
    ///
    /// The direction has unit length, so `t` is the distance from the near plane;
    /// the ray has no end, though the far plane may be nearer. Perspective and
    /// orthographic projections work, and those with the far plane at infinity: two
    /// points are taken back through the matrix in homogeneous coordinates, and
    /// their difference is a direction even where one of them has `w = 0`.
    ///
    /// `None` when no such ray exists: the viewport is not of positive size, an
    /// argument is not finite (the inverse of a singular matrix is not), or the
    /// near plane is at infinity.
    ///
    /// ```
    /// use glam::{Mat4, Vec3};
    /// use hitscan::{Ray, geometry::DepthRange};
    ///
    /// // A camera two units above the origin that looks down, depth 1 to 0.
    /// let near = Vec3::new(0.0, 1.9, 0.0);
    /// let projection = Mat4::from_cols_array(&[
    ///     1.0, 0.0, 0.0, 0.0, //
    ///     0.0, 1.0, 0.0, 0.0,
    ///     0.0, 0.0, 0.0, -1.0,
    ///     0.0, 0.0, 0.1, 0.0,
    /// ]);
    /// let view = Mat4::from_rotation_x(1.5707964) * Mat4::from_translation(-Vec3::Y * 2.0);
    /// let inverse = (projection * view).inverse();
    /// let ray = Ray::from_screen([400.0, 300.0], [800.0, 600.0], &inverse, DepthRange::OneToZero)
    ///     .expect("a camera like this can be inverted");
    /// assert!(ray.origin.distance(near) < 1e-5);
    /// assert!(ray.dir.distance(-Vec3::Y) < 1e-5);
    /// ```
    #[must_use]
    pub fn from_screen(
        position: impl Into<Vec2>,
        viewport: impl Into<Vec2>,
        inverse_view_projection: &Mat4,
        depth: DepthRange,
    ) -> Option<Self> {
        let (position, viewport) = (position.into(), viewport.into());
        if !(viewport.x > 0.0 && viewport.y > 0.0) {
            return None;
        }
        let x = 2.0 * f64::from(position.x) / f64::from(viewport.x) - 1.0;
        let y = 1.0 - 2.0 * f64::from(position.y) / f64::from(viewport.y);
        let m = inverse_view_projection.to_cols_array().map(f64::from);
        let unproject = |z: f64| {
            let row = |r: usize| m[r] * x + m[4 + r] * y + m[8 + r] * z + m[12 + r];
            ([row(0), row(1), row(2)], row(3))
        };
        let (z_near, z_far) = depth.near_and_far();
        let (near, near_w) = unproject(z_near);
        let (far, far_w) = unproject(z_far);

        // far / far_w - near / near_w, times both weights. They have the same sign
        // for all that a camera sees, and the one at infinity may round to either.
        let along = sub(scale(far, near_w), scale(near, far_w));
        let dir = scale(along, 1.0 / dot(along, along).sqrt());
        let ray = Self::new(narrow(scale(near, 1.0 / near_w)), narrow(dir));
        ray.is_castable().then_some(ray)
    }

    /// The ray in other coordinates: origin and direction by the map, worked out in `f64`; `t` is what it
    /// was, for the direction is as much longer or shorter as everything is.
    ///
    /// So many trees, each at rest in coordinates of its own, and one of them in several places, answer as one
    /// level does: the ray goes to each by the inverse of where it stands, and the nearest hit is the one with
    /// the least `t`.
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
    ///         // The others need not look beyond.
    ///         ray.t_max = hit.t;
    ///         nearest = Some((i, hit));
    ///     }
    /// }
    /// assert_eq!(nearest.map(|(i, hit)| (i, hit.t)), Some((1, 2.0)));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn transformed(&self, transform: &Affine3A) -> Self {
        let columns = transform.matrix3.to_cols_array_2d().map(|c| c.map(f64::from));
        let along = |v: Vec3| {
            let [x, y, z] = wide(v);
            add(add(scale(columns[0], x), scale(columns[1], y)), scale(columns[2], z))
        };
        let to = transform.translation.to_array().map(f64::from);
        Self { origin: narrow(add(along(self.origin), to)), dir: narrow(along(self.dir)), ..*self }
    }

    /// The point `origin + t * dir`: the first way from a hit to its point.
    ///
    /// The other, [`BvhView::point`](crate::BvhView::point), stays closer to
    /// the triangle when `t` is large.
    #[must_use]
    pub fn at(&self, t: f32) -> Vec3 {
        self.origin + t * self.dir
    }

    /// Whether the ray can hit anything at all (contract C5).
    pub(crate) fn is_castable(&self) -> bool {
        self.has_line() && self.t_min <= self.t_max
    }

    /// Whether origin and direction make a line, whatever the bounds.
    pub(super) fn has_line(&self) -> bool {
        self.origin.is_finite() && self.dir.is_finite() && self.dir != Vec3::ZERO
    }

    /// Whether a hit at `t` counts: finite and within the bounds.
    pub(super) fn admits(&self, t: f32) -> bool {
        t.is_finite() && self.t_min <= t && t <= self.t_max
    }
}

/// Where a ray is inside a convex volume: `enter <= t <= exit`.
///
/// The whole line is meant, whatever the ray's own bounds are; `enter` is negative
/// when the volume begins behind the origin.
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
    /// The part that lies within `ray.t_min..=ray.t_max`; `None` when there is none.
    ///
    /// Its `enter` is the first `t` at which the ray, as bounded, is in the volume.
    #[must_use]
    pub fn clipped(&self, ray: &Ray) -> Option<Self> {
        // Where a bound is NaN, so is the outcome, and the comparison fails.
        let enter = if self.enter > ray.t_min { self.enter } else { ray.t_min };
        let exit = if self.exit < ray.t_max { self.exit } else { ray.t_max };
        (enter <= exit).then_some(Self { enter, exit, origin_inside: self.origin_inside })
    }

    /// Rounds an interval to `f32` so that it does not lose a point.
    pub(super) fn outward(enter: f64, exit: f64, origin_inside: bool) -> Self {
        let (mut enter, mut exit) = (round_down(enter), round_up(exit));
        if origin_inside {
            enter = if enter > 0.0 { 0.0 } else { enter };
            exit = if exit < 0.0 { 0.0 } else { exit };
        }
        Self { enter, exit, origin_inside }
    }
}

/// Which depth values the near and the far plane of a projection map to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthRange {
    /// Near is 0, far is 1, possibly at infinity (Vulkan, Direct3D, Metal, WebGPU).
    ZeroToOne,
    /// Near is 1, far is 0, possibly at infinity (reversed-Z).
    OneToZero,
    /// Near is -1, far is 1, possibly at infinity (OpenGL).
    NegativeOneToOne,
}

impl DepthRange {
    fn near_and_far(self) -> (f64, f64) {
        match self {
            Self::ZeroToOne => (0.0, 1.0),
            Self::OneToZero => (1.0, 0.0),
            Self::NegativeOneToOne => (-1.0, 1.0),
        }
    }
}
