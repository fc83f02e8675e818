//! Shapes that turn while they move.

use glam::Vec3;

use super::convex_shape::ConvexShape;
use super::distance::near_shape::NearShape;
use super::sine::{self, sine_and_cosine};
use super::vec3_f64::{Vec3F64, add, cross, dot, max, max_abs, round_up, scale, sub, to_f64, unit};

/// A turn about a line, at a constant rate: see
/// [`Bvh::first_contact_turning`](crate::Bvh::first_contact_turning).
///
/// ```
/// use hitscan::geometry::Turn;
/// use hitscan::glam::{Quat, Vec3};
///
/// let half = Turn::new(Vec3::ZERO, Vec3::Y, std::f32::consts::PI);
/// let (axis, angle) = Quat::from_rotation_z(0.5).to_axis_angle();
/// let of_body = Turn::new([0.0, 1.0, 0.0], axis, angle);
/// assert_eq!((half.center, of_body.center), (Vec3::ZERO, Vec3::Y));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// A point of the line at the start. It moves along with the shape.
    pub center: Vec3,
    /// The direction of the line, of any length but zero.
    pub axis: Vec3,
    /// The angle of the whole turn, in radians: counter-clockwise, if the axis points at the one
    /// who looks. No larger than 2^20, which is more than 160,000 full turns.
    pub angle: f32,
}

impl Turn {
    /// A turn about the line through a point in a direction.
    #[must_use]
    pub fn new(center: impl Into<Vec3>, axis: impl Into<Vec3>, angle: f32) -> Self {
        Self { center: center.into(), axis: axis.into(), angle }
    }
}

/// A shape that moves and turns at constant rates.
#[derive(Clone, Debug)]
pub(crate) struct Turning {
    start: NearShape,
    motion: Vec3F64,
    center: Vec3F64,
    /// Of unit length.
    axis: Vec3F64,
    angle: f64,
    /// No point of the shape goes a longer way.
    way: f64,
    /// No coordinate on the way is larger.
    size: f64,
}

impl Turning {
    /// `None` if the shape is empty or without end, the axis is zero, the angle too large, or a
    /// number is not finite.
    pub(crate) fn new(shape: &ConvexShape, motion: Vec3, turn: &Turn) -> Option<Self> {
        let Turn { center, axis, angle } = *turn;
        if ![motion, center, axis].iter().all(|v| v.is_finite()) || !angle.is_finite() {
            return None;
        }
        let start = NearShape::new(shape)?.with_points();
        let (motion, center, axis) = (to_f64(motion), to_f64(center), unit(to_f64(axis)));
        let angle = f64::from(angle);
        let reach = start.points().iter().fold(0.0, |reach, &point| {
            let across = cross(axis, sub(point, center));
            max(dot(across, across).sqrt(), reach)
        });
        let length = dot(motion, motion).sqrt();
        // With room for roundings. A radius adds nothing: a turned ball is the same ball.
        let way = (length + angle.abs() * reach) * (1.0 + ROOM);
        let size = 2.0 * start.size() + 3.0 * max_abs(center) + max_abs(motion);
        let is_sound = axis != [0.0; 3] && angle.abs() <= sine::MOST && size < f64::from(f32::MAX);
        is_sound.then_some(Self { start, motion, center, axis, angle, way, size })
    }

    /// The longest way that a point of the shape goes, or more.
    pub(crate) fn way(&self) -> f64 {
        self.way
    }

    /// The largest coordinate on the way, or more.
    pub(crate) fn size(&self) -> f64 {
        self.size
    }

    /// The shape at a time from 0 to 1. Its points are computed in `f64`: the middle is moved, and
    /// the way from there is turned (Rodrigues 1840).
    pub(crate) fn at(&self, t: f32) -> NearShape {
        if t == 0.0 {
            return self.start.clone();
        }
        let t = f64::from(t);
        let [sine, cosine] = sine_and_cosine(self.angle * t);
        let center = add(self.center, scale(self.motion, t));
        self.start.moved(self.size, |point| {
            let way = sub(point, self.center);
            let along = scale(self.axis, dot(self.axis, way) * (1.0 - cosine));
            let across = scale(cross(self.axis, way), sine);
            add(center, add(scale(way, cosine), add(along, across)))
        })
    }

    /// The farthest that something can be and still be touched after this time, rounded up.
    pub(crate) fn way_from(&self, t: f32) -> f32 {
        round_up(self.way * (1.0 - f64::from(t)))
    }
}

/// More than some roundings.
const ROOM: f64 = 1.0 / (1u64 << 40) as f64;
