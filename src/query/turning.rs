//! What stops a shape that moves and turns.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::bvh::Bvh;
use crate::geometry::{ConvexShape, NearShape, TOLERANCE, Turn, Turning, round_down};
use crate::traverse::{Query, ShapeDistance};

/// Where a shape ends that moves and turns, before it touches something.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurningContact {
    /// Until then the way is free, in units of the motion: 0 to 1.
    pub t: f32,
    /// The triangle that is nearest to the shape then.
    pub near: ShapeDistance,
    /// Why it ends there.
    pub end: TurningEnd,
}

/// Why a [`TurningContact`] ends where it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum TurningEnd {
    /// Something is no farther away than the tolerance, or the shape touches it at the start.
    Near,
    /// It took too many steps to come nearer. The way may be free beyond: ask again from there.
    Unfinished,
}

/// The most steps. A way that leads straight to something takes two or three, one that brushes
/// along something at ten times the tolerance some tens.
const MOST_STEPS: usize = 256;

impl Bvh {
    /// How far a shape gets that moves by `motion` and turns meanwhile, both at constant rates: a
    /// box along the axes or in any position, a sphere, a capsule, a convex hull. `None` if the way
    /// is free.
    ///
    /// A point `p` of the shape is at `c + t * motion + R (p - c)` at the time `t`, where `c` is
    /// the center of the turn, and `R` turns by `t * angle` about its axis.
    ///
    /// - **Never past a contact.** At no time up to [`t`](TurningContact::t) does the shape touch
    ///   anything, unless it does at the start; then `t` is 0. Rotations are computed without the
    ///   platform's sine, so the answer is the same on every machine.
    /// - **It ends a little before**: as soon as something is no farther away than `tolerance`,
    ///   also where the shape would have passed it. [`near`](TurningContact::near) says what it is,
    ///   and the direction from its point to the point of the shape is a normal. A tolerance below
    ///   2^-20 of the longest way of a point, or below what `f32` can tell of the largest
    ///   coordinate, some 2^-20 of it, counts as that.
    /// - **In at most 256 steps** (conservative advancement: Mirtich, "Impulse-based Dynamic
    ///   Simulation of Rigid Body Systems", 1996). A step is as long as the shape cannot get nearer
    ///   to anything than half the tolerance, for no point of it moves faster than `|motion| +
    ///   |angle| * reach`, where the reach is the largest distance of a corner from the axis, of
    ///   round shapes of a center or an end of the middle line. If that
    ///   many do not reach a contact, `end` is [`Unfinished`](TurningEnd::Unfinished): so it may be
    ///   for long ways that brush along something, at a small multiple of a small tolerance.
    ///
    /// Each step asks for the [nearest triangle](Self::closest_to_shape), which is what it costs.
    /// `None`, too, if the shape is empty, the axis is zero, the angle is larger than 2^20, or a
    /// number is not finite. [`first_contact`](Self::first_contact) is exact, and faster, for what
    /// does not turn.
    ///
    /// With [`Facing::Front`](crate::Facing::Front) only triangles count whose front side the
    /// middle of the shape is on at the start. The query's filter is called with
    /// [`ShapeDistance::hit`].
    ///
    /// ```
    /// use hitscan::geometry::Turn;
    /// use hitscan::glam::Vec3;
    /// use hitscan::{Aabb, Builder, Mesh, Query};
    ///
    /// // A door, a quarter of a turn from closed, and a crate behind it.
    /// let side = vec![[0.5, 0.0, -0.5], [0.5, 2.0, -0.5], [0.5, 0.0, -2.0]];
    /// let (bvh, _report) = Builder::new().bake(&[Mesh::from_soup(side)])?;
    /// let door = Aabb::from_min_max([0.0, 0.0, -0.05], [1.0, 2.0, 0.05]);
    /// let closing = Turn::new(Vec3::ZERO, Vec3::Y, std::f32::consts::FRAC_PI_2);
    /// let query = Query::new();
    /// let end = bvh.first_contact_turning(door, Vec3::ZERO, &closing, 0.001, &query).unwrap();
    /// // Its side is at an angle of 45 degrees, less the half of its thickness.
    /// assert!(end.t > 0.45 && end.t < 0.5 && end.near.distance <= 0.001);
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn first_contact_turning(
        &self,
        shape: impl Into<ConvexShape>,
        motion: impl Into<Vec3>,
        turn: &Turn,
        tolerance: f32,
        query: &Query<'_>,
    ) -> Option<TurningContact> {
        let turning = Turning::new(&shape.into(), motion.into(), turn)?;
        advance(&turning, tolerance, &|shape, within| self.nearest_to(shape, within, query))
    }
}

/// The least tolerance, in parts of the longest way of a point, and of a number that is one to six
/// times the largest coordinate.
const LEAST: [f64; 2] = [1.0 / (1 << 20) as f64, 1.0 / (1 << 22) as f64];

/// Moves a shape until something is near, by steps on which nothing can be touched. `nearest` gives
/// the nearest triangle within a distance.
///
/// **Lemma 119 (advancement).** Nothing is touched on the way. A distance is off by less than
/// [`TOLERANCE`] of the largest coordinate (Lemma 117; the turned points are off by some 2^-48 of
/// it), and its rounding by 2^-24 of itself. From the distance that is certain, less half the
/// tolerance, no point gets farther in a step than the rest. If the distance is above the
/// tolerance, a step is no shorter than a third of it, which at the least tolerance is more than
/// two roundings of the time: so each gets on.
pub(crate) fn advance(
    turning: &Turning,
    tolerance: f32,
    nearest: &dyn Fn(&NearShape, f32) -> Option<ShapeDistance>,
) -> Option<TurningContact> {
    if tolerance.is_nan() {
        return None;
    }
    let least = f64::max(LEAST[0] * turning.way(), LEAST[1] * turning.size());
    let tolerance = f64::max(tolerance.into(), least);
    let off = 2.0 * TOLERANCE * turning.size();
    let (mut t, mut end) = (0.0f32, TurningEnd::Near);
    for step in 1.. {
        let within = turning.way_from(t) + tolerance as f32;
        let near = nearest(&turning.at(t), within.next_up())?;
        let distance = f64::from(near.distance);
        if distance > tolerance && step == MOST_STEPS {
            end = TurningEnd::Unfinished;
        } else if distance > tolerance {
            let way = distance * (1.0 - f64::from(f32::EPSILON)) - off - 0.5 * tolerance;
            t = round_down(f64::from(t) + way / turning.way());
            if t < 1.0 {
                continue;
            }
            // The triangle that is nearest at the end of the way is not touched.
            return None;
        }
        return Some(TurningContact { t, near, end });
    }
    None
}
