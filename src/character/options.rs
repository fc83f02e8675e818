//! How a character moves.

use glam::Vec3;

use crate::geometry::Capsule;

/// How a character moves: see [`Bvh::move_and_slide`](crate::Bvh::move_and_slide).
///
/// Lengths are in units of the world. Those that are not set are fractions of the capsule's radius,
/// so the defaults suit any unit. A number that is NaN counts as not set, a negative one as zero,
/// one beyond 2^60 as that.
///
/// ```
/// use hitscan::character::MoveOptions;
///
/// // Stairs of 0.3, and slopes of up to 60 degrees, whose cosine is 0.5.
/// let options = MoveOptions::new().step_height(0.3).steepest(0.5);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MoveOptions {
    up: Option<Vec3>,
    steepest: Option<f32>,
    step_height: Option<f32>,
    ground_snap: Option<f32>,
    skin: Option<f32>,
}

impl MoveOptions {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with another upward direction, of any length but zero. Default: +Y.
    #[must_use]
    pub fn up(mut self, up: impl Into<Vec3>) -> Self {
        self.up = Some(up.into());
        self
    }

    /// The same with another steepest ground to stand on and to walk up: the upward part of its
    /// normal, which is the cosine of its slope, 0 to 1. A steeper surface is a wall. Default:
    /// 0.7071, 45 degrees.
    #[must_use]
    pub fn steepest(mut self, cosine: f32) -> Self {
        self.steepest = Some(cosine);
        self
    }

    /// The same with another height of the highest step to climb. The capsule climbs a step with
    /// its round end, so more than nine tenths of its radius counts as that much. Default: half of
    /// the radius.
    ///
    /// A step is an edge of ground to stand on, this far above the lowest point of the capsule or
    /// less. On the way up the capsule stands on the edge.
    #[must_use]
    pub fn step_height(mut self, height: f32) -> Self {
        self.step_height = Some(height);
        self
    }

    /// The same with another distance that a character that has stood on the ground follows it
    /// down: down slopes and stairs, over bumps. Default: the step height.
    #[must_use]
    pub fn ground_snap(mut self, distance: f32) -> Self {
        self.ground_snap = Some(distance);
        self
    }

    /// The same with another distance that is kept from everything: a motion ends this far before
    /// what is in its way. Default: a twentieth of the radius. It is never less than 2^-20 of the
    /// capsule's largest coordinate, so that no rounding reaches through it.
    #[must_use]
    pub fn skin(mut self, distance: f32) -> Self {
        self.skin = Some(distance);
        self
    }

    pub(super) fn limits(&self, body: &Capsule) -> Limits {
        let length = |set: Option<f32>, default: f32| {
            set.filter(|length| !length.is_nan()).unwrap_or(default).clamp(0.0, LARGEST)
        };
        let radius = body.radius;
        let far = body.a.abs().max(body.b.abs()).max_element();
        let step = length(self.step_height, 0.5 * radius).min(HIGHEST_STEP * radius);
        Limits {
            up: self.up.and_then(Vec3::try_normalize).unwrap_or(Vec3::Y),
            steepest: length(self.steepest, std::f32::consts::FRAC_1_SQRT_2).min(1.0),
            step,
            snap: length(self.ground_snap, step),
            skin: length(self.skin, 0.05 * radius).max(far * LEAST_SKIN),
        }
    }
}

/// The highest step in parts of the radius. Beyond it the edge is nearly beside the round end.
const HIGHEST_STEP: f32 = 0.9;

/// The largest coordinate, radius, motion or length: squares of some are far within the range of
/// `f32`.
const LARGEST: f32 = (1u64 << 60) as f32;

/// Whether a capsule can be moved: it is not empty, and no number is larger than [`LARGEST`].
pub(super) fn is_sound(body: &Capsule, motion: Vec3) -> bool {
    let vectors = body.a.abs().max(body.b.abs()).max(motion.abs());
    // Also false for NaN, of which `max` takes the other number, but `is_empty` does not.
    !body.is_empty() && motion.is_finite() && vectors.max_element().max(body.radius) <= LARGEST
}

/// The least skin in parts of the largest coordinate.
const LEAST_SKIN: f32 = 1.0 / (1 << 20) as f32;

/// The options for one capsule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Of unit length.
    pub(super) up: Vec3,
    pub(super) steepest: f32,
    pub(super) step: f32,
    pub(super) snap: f32,
    pub(super) skin: f32,
}

impl Limits {
    pub(super) fn height(&self, v: Vec3) -> f32 {
        v.dot(self.up)
    }

    /// Whether a way is no steeper than ground may be.
    pub(super) fn is_walkable(&self, way: Vec3) -> bool {
        let height = self.height(way);
        height * height <= (1.0 - self.steepest * self.steepest) * way.length_squared()
    }

    /// A vector with its upward part multiplied.
    pub(super) fn stretched(&self, v: Vec3, factor: f32) -> Vec3 {
        v + self.up * (self.height(v) * (factor - 1.0))
    }

    /// The nearest that anything may be. In between this and the skin nothing moves, so roundings
    /// do not push a character around.
    pub(super) fn nearest(&self) -> f32 {
        0.5 * self.skin
    }

    /// A surface as near as this is touched.
    pub(super) fn touching(&self) -> f32 {
        1.5 * self.skin
    }
}
