//! Rays and the interval in which one meets a convex volume.

use glam::Vec3;

/// A ray: the points `origin + t * dir` with `t_min <= t <= t_max`.
///
/// The direction need not be of unit length; every `t` is in units of it.
/// `t_min` may be negative and `t_max` infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
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
        Self {
            origin: origin.into(),
            dir: dir.into(),
            t_min: 0.0,
            t_max: f32::INFINITY,
        }
    }

    /// The same ray with another closed interval of `t`.
    #[must_use]
    pub fn with_range(self, t_min: f32, t_max: f32) -> Self {
        Self {
            t_min,
            t_max,
            ..self
        }
    }

    /// A line cast: from `a` (`t = 0`) to `b` (`t = 1`), both ends included.
    #[must_use]
    pub fn between(a: impl Into<Vec3>, b: impl Into<Vec3>) -> Self {
        let (a, b) = (a.into(), b.into());
        Self {
            origin: a,
            dir: b - a,
            t_min: 0.0,
            t_max: 1.0,
        }
    }

    /// The point `origin + t * dir`.
    #[must_use]
    pub fn at(&self, t: f32) -> Vec3 {
        self.origin + t * self.dir
    }

    /// Whether the ray can hit anything at all.
    pub(crate) fn is_castable(&self) -> bool {
        self.origin.is_finite()
            && self.dir.is_finite()
            && self.dir.to_array() != [0.0; 3]
            // False for a NaN too.
            && self.t_min <= self.t_max
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

/// Which depth values the near and the far plane of a projection map to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthRange {
    /// Near is 0, far is 1 (Vulkan, Direct3D, Metal, WebGPU).
    ZeroToOne,
    /// Near is 1, far is 0, possibly at infinity (reversed-Z).
    OneToZero,
    /// Near is -1, far is 1 (OpenGL).
    NegativeOneToOne,
}
