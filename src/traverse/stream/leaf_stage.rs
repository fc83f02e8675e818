//! The leaf and the resolve stage: test the triangles of a leaf block, offer the candidates.

use super::queues::{Stage, last};
use super::ray_state::{RayState, RayStream, Space, state_at};
use crate::array::Each;
use crate::bvh::{LANES, LEAF, LeafBlock};
use crate::simd::{BlockVector, Isa, Task, Vector, opaque_number};
use crate::traverse::collect::Collector;
use crate::traverse::ray::leaf_test::offer_candidates;
use crate::traverse::ray::leaf_test::{Candidates, Edges, TriangleTerms, corners};

/// Entries from the first part of the stage to the second.
const LAG: usize = 4;

/// Leaf blocks that the widest vectors test at once.
pub(crate) const MAX_AT_ONCE: usize = 2;
const _: () = assert!(LAG.is_multiple_of(MAX_AT_ONCE));

/// Runs the leaf stage for all rays that wait for it, except a rest that does not fill a vector.
/// The last ones stay in the pipeline, unless it `drains`: then the second part is done for them,
/// and both parts for the rest.
pub(crate) struct LeafStage<'s, C, S: Space<C>> {
    pub(crate) stream: &'s mut RayStream<C, S>,
    pub(crate) drains: bool,
}

impl<C: Collector, S: Space<C>> Task for LeafStage<'_, C, S> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { stream, drains } = self;
        let at_once = I::Blocks::LANES / LANES;
        debug_assert!(at_once <= MAX_AT_ONCE);
        let first = stream.queues.undrained(Stage::LEAF).start;
        let count = stream.queues.len(Stage::LEAF) / at_once * at_once;
        for i in stream.queues.take(Stage::LEAF, count).step_by(at_once) {
            // SAFETY: the entries from `i` on are at leaf blocks (Lemma 64), and those `LAG` before
            // have been tested (Lemma 61).
            unsafe {
                if i >= first + LAG {
                    for k in 0..at_once {
                        leave_block(stream, i - LAG + k);
                    }
                }
                test_blocks(isa, stream, i, i + at_once - 1);
            }
        }
        if !drains {
            return;
        }
        let tested = last(LAG, &stream.queues.undrained(Stage::LEAF));
        let count = stream.queues.len(Stage::LEAF);
        let rest = stream.queues.take(Stage::LEAF, count);
        // SAFETY: the entries of the rest are at leaf blocks (Lemma 64). After the first loop they
        // have been tested, as the last `LAG` before them have (Lemma 61).
        unsafe {
            for i in rest.clone() {
                test_blocks(isa, stream, i, i);
            }
            for i in tested.start..rest.end {
                leave_block(stream, i);
            }
        }
        stream.queues.set_drained(Stage::LEAF);
    }
}

/// The first part: tests the blocks of the entries from `first` to `last`, as many as a vector
/// holds or fewer.
///
/// # Safety
/// These entries have been taken, and not yet tested.
#[inline(always)]
unsafe fn test_blocks<I: Isa, C: Collector, S: Space<C>>(
    isa: I,
    stream: &mut RayStream<C, S>,
    first: usize,
    last: usize,
) {
    // Where the vector is not full, the last entry is there several times.
    let rays: [_; MAX_AT_ONCE] =
        [0, 1].each(|k| stream.queues.ray(Stage::LEAF, last.min(first + k)));
    let first_state = stream.states.as_mut_ptr();
    let states: [*mut RayState<C, S::Place>; MAX_AT_ONCE] =
        rays.each(|ray| state_at(first_state, ray));
    // SAFETY: the states are written, and each is at a leaf block (Lemma 64). They are only read
    // until the test is over. Then only the candidates are written, one place at a time.
    unsafe {
        let result = {
            let states = states.each(|state| &*state);
            let blocks = states.each(|state| state.current::<LeafBlock>());
            let splat =
                |number: fn(&_) -> f32| I::Blocks::splat_eights(isa, |k| number(&states[k].setup));
            let z_max = I::Blocks::splat_eights(isa, |k| states[k].z_max);
            let terms = TriangleTerms::of(splat, z_max);
            let row = |which: usize, axis: usize| {
                I::Blocks::load_eights(isa, |k| states[k].setup.row.of(blocks[k], which, axis))
            };
            Edges::of(&terms, corners(row)).judge(&terms)
        };
        let candidates = states.each(|state| (&raw mut (*state).candidates).cast::<Candidates>());
        result.t_lo.store_eights(|k| &mut *(&raw mut (*candidates[k]).t_lo).cast());
        result.t_hi.store_eights(|k| &mut *(&raw mut (*candidates[k]).t_hi).cast());
        for (k, candidates) in candidates.into_iter().enumerate().take(I::Blocks::LANES / LANES) {
            let mask = |mask: u32| (mask >> (LANES * k)) as u8;
            (&raw mut (*candidates).possible).write(mask(result.possible));
            (&raw mut (*candidates).certain).write(mask(result.certain));
            (&raw mut (*candidates).unbounded).write(mask(result.unbounded));
        }
    }
}

/// The second part: sends the ray to the resolve stage if it may hit a triangle of the block, else
/// to the next child on its stack.
///
/// # Safety
/// The entry has done the first part, and not yet this one.
#[inline(always)]
unsafe fn leave_block<C: Collector, S: Space<C>>(stream: &mut RayStream<C, S>, entry: usize) {
    let ray = stream.queues.ray(Stage::LEAF, entry);
    // SAFETY: the ray is still at its block, and has candidates (Lemma 64). The block is on top of
    // the stack, so there is something to pop.
    unsafe {
        let state = stream.states.get(ray);
        state.collector.on_block(state.current());
        let possible = state.candidates.assume_init_ref().possible;
        let resolve = opaque_number(u32::from(possible != 0));
        stream.enter(ray, 1 - resolve, resolve);
    }
}

/// The resolve stage: offers each ray's candidates to its collector. No pipeline, for here branches
/// depend on the rays.
#[inline(always)]
pub(crate) fn resolve<I: Isa, C: Collector, S: Space<C>>(isa: I, stream: &mut RayStream<C, S>) {
    let count = stream.queues.len(Stage::RESOLVE);
    for i in stream.queues.take(Stage::RESOLVE, count) {
        let ray = stream.queues.ray(Stage::RESOLVE, i);
        // SAFETY: the leaf stage has left candidates and the block they are of, which is on top of
        // the stack until this ray enters another child (Lemma 64).
        unsafe {
            let state = stream.states.get(ray);
            let (index, block) = (state.top_child() & !LEAF, state.current());
            let (candidates, collector) =
                (state.candidates.assume_init_ref(), &mut state.collector);
            let ray_data = stream.space.ray(&state.place, state.ray_index);
            if offer_candidates(ray_data, block, index, candidates, collector) {
                state.cull(isa, S::floor(&state.place), state.collector.bound());
                stream.enter(ray, 1, 0);
            } else {
                stream.queues.push(Stage::DONE, ray);
            }
        }
    }
}
