//! When a moving shape may touch the boxes of a node's children.
//!
//! It may be too early, never too late.

use std::mem::MaybeUninit;

use glam::Vec3;

use super::moving_box::SweepBox;
use super::round::{RoundSweep, RoundTest};
use super::setup::{SweepSetup, SweepTest, limit};
use super::slabs::SlabsTest;
use crate::array::Each;
use crate::bvh::{Facts, Node, WIDTH};
use crate::geometry::{ALONG_AXES, Aabb, Sweep, TurnedBounds, dot, max_abs, round_down, round_up};
use crate::simd::{Isa, Vector, opaque};
use crate::traverse::near::scale_to_one;
use crate::traverse::place::{LEAST, Place};
use crate::traverse::ray::setup::EPSILON;
use crate::traverse::walk::NodeTest;

#[cfg(test)]
mod bounds;

/// A moving shape, by the box around it, and by a round shape or a box that may fit it better.
pub(crate) struct SweepNodes {
    pub(super) setup: SweepSetup,
    pub(super) around: Around,
}

/// What a moving shape is in.
pub(super) enum Around {
    Round(RoundSweep),
    Box(SweepBox),
}

/// Coordinates in a tree that are larger are given up.
const LARGE: f64 = 1e38;

impl SweepNodes {
    /// `facts` are the facts of the tree.
    pub(crate) fn new(facts: &Facts, sweep: &Sweep) -> Self {
        let setup = SweepSetup::new(facts, sweep);
        Self { around: Around::new(setup.scale(), sweep), setup }
    }

    /// The same in a tree that stands elsewhere: for nodes only. `facts` are the facts of the tree.
    ///
    /// **Lemma 98 (sweeps in a placed tree).** Let `w` be a point of a triangle in the world that
    /// the shape touches at `t`, and `v` its point of the tree. So `w - t m` is in the shape, where
    /// `m` is the motion. By Lemma 94, with `S` at least the size of shape and motion too, `v` is
    /// then in the box of the shape, moved by the inverse, plus `t` times the motion there, but for
    /// the error of that lemma and the rounding of the motion, `e` times itself, or 2^-150 where it
    /// is below the range of `f32`. The same holds for a box that is turned.
    ///
    /// A round shape's segment and motion come back to within `2^-28 S` of themselves, as in Lemma
    /// 96. So `v - t m` is moved to within `2 e S + 2^-149` of the radius around the segment, and
    /// that is no shorter than the distance in the tree times the least stretch of Lemma 95.
    pub(crate) fn in_place(place: &Place<'_>, facts: &Facts, sweep: &Sweep) -> Self {
        Self::with_room(1.0, place, facts, sweep)
    }

    /// With this part of the errors of the lemma.
    #[inline(always)]
    fn with_room(room: f64, place: &Place<'_>, facts: &Facts, sweep: &Sweep) -> Self {
        let (transform, epsilon) = (place.transform(), f64::from(EPSILON));
        let (segment, radius) = sweep.core();
        // Parts of a shape that are farther away than this do not get there.
        let near = [0, 1, 2].each(|k| place.reach()[k] + f64::from(sweep.motion()[k].abs()));
        let near = Vec3::from(near.each(round_up));
        let bounds = sweep.bounds().intersection(&Aabb { min: -near, max: near });
        let corners = segment.unwrap_or([bounds.min.to_array(), bounds.max.to_array()]);
        let numbers = [sweep.motion(), corners[0], corners[1]];
        let size = numbers.as_flattened().iter().fold(radius, |size, x| size.max(x.abs()));

        let local_motion = transform.vector_to_local(sweep.motion());
        let local_ends = corners.each(|corner| transform.point_to_local(corner));
        let [mut low, mut high] = match segment {
            Some(_) => around(&local_ends, radius, &transform.inverse()),
            None => place.box_to_local(corners),
        };
        let error = place.error_in_tree(size.into());
        let of_motion = |k: usize| 2.0 * epsilon * f64::abs(local_motion[k]) + LEAST;
        let off = [0, 1, 2].each(|k| room * (error[k] + of_motion(k)));
        for k in 0..3 {
            (low[k], high[k]) = (low[k] - off[k], high[k] + off[k]);
        }
        // Also false for infinite bounds. Their errors are infinite, so each coordinate is infinite
        // or NaN.
        if !(max_abs(low) < LARGE && max_abs(high) < LARGE && max_abs(local_motion) < LARGE) {
            return Self::everywhere(facts);
        }
        let motion = local_motion.each(|x| x as f32);
        let largest = |k: usize| max_abs([low[k], high[k], local_motion[k]]) as f32;
        let scale = scale_to_one(facts, [0, 1, 2].each(largest));
        let bounds = [low.each(round_down).into(), high.each(round_up).into()];

        let [x, y, z] = place.stretch();
        let size = place.size().max(size.into());
        let radius = f64::from(radius) + room * (2.0 * epsilon * size + LEAST);
        let of_motion = of_motion(0) + of_motion(1) + of_motion(2);
        let radius = radius / x.min(y).min(z) + room * of_motion;
        let around = match segment {
            Some(_) if radius < LARGE => {
                Around::Round(RoundSweep::new(scale, &local_ends, radius, motion))
            }
            _ => {
                let bounds = sweep.turned_bounds();
                let bounds = bounds.unwrap_or_else(|| TurnedBounds::new(&ALONG_AXES, &corners));
                let mut bounds = bounds.to_local(transform);
                bounds.error = [0, 1, 2].each(|k| bounds.error[k] + off[k]);
                let turned = SweepBox::turned(scale, &bounds, local_motion);
                let aligned = || SweepBox::aligned(scale, &[low, high], motion);
                Around::Box(turned.unwrap_or_else(aligned))
            }
        };
        Self { setup: SweepSetup::scaled(scale, bounds, motion), around }
    }

    /// All of a tree is touched at once.
    fn everywhere(facts: &Facts) -> Self {
        let scale = scale_to_one(facts, [0.0; 3]);
        let corners = [Vec3::NEG_INFINITY, Vec3::INFINITY];
        Self {
            setup: SweepSetup::scaled(scale, corners, [0.0; 3]),
            around: Around::Box(SweepBox::aligned(scale, &[[0.0; 3]; 2], [0.0; 3])),
        }
    }
}

impl Around {
    pub(super) fn new(scale: f32, sweep: &Sweep) -> Self {
        let motion = sweep.motion();
        if let (Some(ends), radius) = sweep.core() {
            let ends = ends.each(|end| end.each(f64::from));
            return Self::Round(RoundSweep::new(scale, &ends, radius.into(), motion));
        }
        let turned = sweep
            .turned_bounds()
            .and_then(|bounds| SweepBox::turned(scale, &bounds, motion.each(f64::from)));
        Self::Box(turned.unwrap_or_else(|| {
            let bounds = [sweep.bounds().min, sweep.bounds().max];
            SweepBox::aligned(scale, &bounds.each(|v| v.to_array().each(f64::from)), motion)
        }))
    }
}

/// A box around all that an inverse takes to within a distance of a segment, which is given as it
/// is there.
fn around(ends: &[[f64; 3]; 2], radius: f32, [a, b, c]: &[[f64; 3]; 3]) -> [[f64; 3]; 2] {
    let mut corners = *ends;
    for k in 0..3 {
        let row = [a[k], b[k], c[k]];
        let reach = f64::from(radius) * dot(row, row).sqrt();
        corners[0][k] = ends[0][k].min(ends[1][k]) - reach;
        corners[1][k] = ends[0][k].max(ends[1][k]) + reach;
    }
    corners
}

/// The same in registers.
pub(crate) struct Loaded<V> {
    boxes: SweepTest<V>,
    around: LoadedAround<V>,
}

enum LoadedAround<V> {
    Round(RoundTest<V>),
    Turned(SlabsTest<V>),
    /// The test of the boxes is enough.
    Aligned,
}

// SAFETY: all numbers of `entry` are written, `LANES` at a time. The planes of an unused lane are
// infinite the wrong way round, and the shape's are finite, so it is entered at infinity, and the
// limit is finite.
unsafe impl<I: Isa> NodeTest<I> for SweepNodes {
    type Loaded<'a> = Loaded<I::Node>;

    #[inline(always)]
    fn load(&self, isa: I) -> Loaded<I::Node> {
        let around = match opaque(&self.around) {
            Around::Round(round) => LoadedAround::Round(RoundTest::new(isa, round, 1.0)),
            Around::Box(moving) => match &moving.rows {
                Some(rows) => LoadedAround::Turned(SlabsTest::new(isa, moving, rows)),
                None => LoadedAround::Aligned,
            },
        };
        Loaded { boxes: SweepTest::new(isa, opaque(&self.setup)), around }
    }

    #[inline(always)]
    fn limit(&self, bound: f32) -> f32 {
        limit(bound)
    }

    #[inline(always)]
    fn intersect(
        test: &Loaded<I::Node>,
        node: &Node,
        limit: f32,
        entry: &mut MaybeUninit<[f32; WIDTH]>,
    ) -> u32 {
        let isa = test.boxes.isa();
        let limit = I::Node::splat(isa, limit);
        let mut mask = 0;
        let mut first = 0;
        while first < WIDTH {
            let load = |row: &[f32; WIDTH]| I::Node::load_at(isa, row, first);
            let low = [load(&node.min[0]), load(&node.min[1]), load(&node.min[2])];
            let high = [load(&node.max[0]), load(&node.max[1]), load(&node.max[2])];
            let (mut enter, mut exit) = test.boxes.interval(low, high);
            match &test.around {
                LoadedAround::Round(round) => {
                    enter = round.box_is_touched_from(low, high, enter).max(enter);
                }
                LoadedAround::Turned(slabs) => {
                    (enter, exit) = slabs.narrow(low, high, (enter, exit));
                }
                LoadedAround::Aligned => {}
            }
            enter.store_at(entry, first);
            mask |= enter.le(exit.min(limit)) << first;

            first += I::Node::LANES;
        }
        mask
    }
}
