//! The stages of points in flight.

use std::mem::MaybeUninit;

use super::state::{IN_FLIGHT, PointState, PointStream, STACK_CAPACITY};
use crate::array::Each;
use crate::bvh::{LANES, LEAF, LeafBlock, Node};
use crate::simd::{Isa, Task, Vector};
use crate::traverse::near::point::PointTest;
use crate::traverse::near::triangle_distances::{Distances, MAX_AT_ONCE, distances_at_once};
use crate::traverse::stream::Stage;

/// Tests the boxes of nodes, and enters the nearest. In two loops: the code that a branch chooses
/// then waits for no long chain of results.
pub(super) struct NodeStage<'s>(pub(super) &'s mut PointStream);

impl Task for NodeStage<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let stream = self.0;
        let all = stream.queues.take(Stage::NODE, stream.queues.len(Stage::NODE));
        let mut tested = [const { (MaybeUninit::uninit(), 0) }; IN_FLIGHT];
        for (i, (entry, mask)) in all.clone().zip(&mut tested) {
            let point = stream.queues.ray(Stage::NODE, i);
            // SAFETY: the point is at a node (Lemma 101).
            unsafe {
                let state = stream.state(point);
                let test = PointTest::<I::Wide>::new(isa, &state.setup);
                *mask = test.boxes(&*state.current.cast::<Node>(), state.limit, entry);
            }
        }
        for (i, (entry, mask)) in all.zip(&tested) {
            let point = stream.queues.ray(Stage::NODE, i);
            // SAFETY: as above. The test has written all of `entry`, and gives bits of used lanes.
            // There is room for the children (Lemma 100).
            unsafe {
                let state = stream.state(point);
                let (node, top) = (&*state.current.cast::<Node>(), state.top);
                let keys = &mut *state.keys.as_mut_ptr().add(top).cast();
                let children = &mut *state.children.as_mut_ptr().add(top).cast();
                isa.put_off::<true>(entry.assume_init_ref(), &node.child, *mask, keys, children);
                state.top = top + mask.count_ones() as usize - 1;
                if state.top >= STACK_CAPACITY {
                    state.give_up();
                }
                stream.enter(point);
            }
        }
    }
}

/// Tests the triangles of leaf blocks, and enters the nearest child that is left. In two loops, as
/// above.
pub(super) struct LeafStage<'s>(pub(super) &'s mut PointStream);

impl Task for LeafStage<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let stream = self.0;
        let all = stream.queues.take(Stage::LEAF, stream.queues.len(Stage::LEAF));
        let at_once = const { I::Blocks::LANES / LANES };
        const { assert!(I::Blocks::LANES / LANES <= MAX_AT_ONCE) };
        // Where a vector is not full, it repeats the last point, and writes it past the others.
        let mut tested = [const { MaybeUninit::<Distances>::uninit() }; IN_FLIGHT + MAX_AT_ONCE];
        let first: *mut Distances = tested.as_mut_ptr().cast();
        for i in all.clone().step_by(at_once) {
            let points: [_; MAX_AT_ONCE] =
                [0, 1].each(|k| stream.queues.ray(Stage::LEAF, (i + k).min(all.end - 1)));
            let states: *const PointState = stream.states.as_ptr().cast();
            // SAFETY: the points are at leaf blocks (Lemma 101), and the places are of the array.
            unsafe {
                let states = points.each(|point| &*states.wrapping_byte_add(point.bytes()));
                let setups = states.each(|state| &state.setup);
                let blocks = states.each(|state| &*state.current.cast::<LeafBlock>());
                let to = [0, 1].each(|k| first.wrapping_add(i - all.start + k));
                distances_at_once::<I::Blocks>(isa, setups, blocks, to);
            }
        }
        for (i, distances) in all.zip(&tested) {
            let point = stream.queues.ray(Stage::LEAF, i);
            // SAFETY: as above. The block is on top of the stack, whose keys below are written
            // (Lemma 100).
            unsafe {
                let (state, distances) = (stream.state(point), distances.assume_init_ref());
                let index = state.children.get_unchecked(state.top).assume_init() & !LEAF;
                state.set_bound(state.bound.min(distances.most()));
                let mut mask = distances.within::<I::Leaf>(isa, state.bound);
                while mask != 0 {
                    let lane = mask.trailing_zeros() as usize % LANES;
                    mask &= mask - 1;
                    let candidate = distances.candidate(lane, index * LANES as u32 + lane as u32);
                    state.keep(candidate);
                }
                if state.has_given_up() {
                    state.give_up();
                } else {
                    // All but the sentinel, and without this block.
                    let keys = state.keys.as_mut_ptr().cast::<u32>().add(1);
                    let children = state.children.as_mut_ptr().cast::<u32>().add(1);
                    state.top = isa.keep(keys, children, state.top - 1, state.limit);
                }
                stream.enter(point);
            }
        }
    }
}
