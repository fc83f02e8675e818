//! When a moving shape may touch the boxes of a node's children.
//!
//! It may be too early, never too late.

use std::mem::MaybeUninit;

use super::sweep_axes::{AxesTest, SweepAxes};
use super::sweep_setup::{SweepSetup, SweepTest, limit};
use crate::bvh::{Node, WIDTH};
use crate::simd::{Isa, Vector, opaque};
use crate::traverse::walk::NodeTest;

/// A moving shape, by the box around it and, if it is round, also by the way to each box.
pub(super) struct SweepNodes<'a> {
    pub(super) setup: &'a SweepSetup,
    pub(super) axes: &'a SweepAxes,
}

/// The same in registers.
pub(super) struct Loaded<V> {
    boxes: SweepTest<V>,
    round: Option<AxesTest<V>>,
}

// SAFETY: all numbers of `entry` are written, `LANES` at a time. The planes of an unused lane are
// infinite the wrong way round, and the shape's are finite, so it is entered at infinity, and the
// limit is finite.
unsafe impl<I: Isa> NodeTest<I> for SweepNodes<'_> {
    type Loaded<'a>
        = Loaded<I::Node>
    where
        Self: 'a;

    #[inline(always)]
    fn load(&self, isa: I) -> Loaded<I::Node> {
        let axes = opaque(self.axes);
        let round = if axes.is_round() { Some(AxesTest::new(isa, axes, 1.0)) } else { None };
        Loaded { boxes: SweepTest::new(isa, opaque(self.setup)), round }
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
            let (mut enter, exit) = test.boxes.interval(low, high);
            if let Some(round) = &test.round {
                enter = round.box_is_touched_from(low, high, enter).max(enter);
            }
            enter.store_at(entry, first);
            mask |= enter.le(exit.min(limit)) << first;

            first += I::Node::LANES;
        }
        mask
    }
}
