//! The steps that flights take: the same one for all that wait for it.
//!
//! A step is taken in parts: boxes are met, what was met is sorted, what comes next is asked for. A whole
//! step is a chain of results that wait for each other, as long as a processor looks ahead. So each time
//! round, every part is taken for another flight, a later part for one a few places before: the processor
//! has several in hand at once, none of which waits for another, and memory is asked little by little
//! while there is something to reckon, not for all at once. The last few are left where they are until
//! others come behind them or nobody else waits, for a step that runs dry is predict_child wrong, part by part, each time.

use super::flights::{Wave, flight};
use super::leaf_stage;
use super::leaf_stage::{LeaveBlocks, MeetBlocks};
use super::node_stage::{LeaveNodes, MeetNodes};
use super::queues::Kind;
use crate::bvh::LEAF;
use crate::simd::Isa;
use crate::traverse::collect::collector::Collector;
use crate::traverse::ray::leaf_test::offer_candidates;

/// The step that most flights wait for, taken by each of them, but for what the last of them leave for later; where
/// nobody waits, what was left. `false` if there was nothing, for all have ended.
///
/// # Safety
/// The tree is valid, and whoever is in a queue, or in the middle
/// of a step, has a ray, and work of that kind.
#[inline(always)]
pub(crate) unsafe fn step<I: Isa, V: Collector>(isa: I, wave: &mut Wave<'_, V>) -> bool {
    let [nodes, blocks, looks] =
        [Kind::NODE, Kind::BLOCK, Kind::LOOK].map(|kind| wave.queues.len(kind));
    // SAFETY: `look_closer` asks for what this function does.
    unsafe {
        if nodes >= blocks && nodes >= looks && nodes > 0 {
            isa.call_outlined(MeetNodes(wave));
        } else if blocks >= looks && blocks >= leaf_stage::MOST {
            isa.call_outlined(MeetBlocks(wave));
        } else if looks > 0 {
            look_closer(isa, wave);
        } else {
            let before = wave.queues.came_in_all();
            isa.call_outlined(LeaveNodes(wave));
            isa.call_outlined(LeaveBlocks(wave));
            return wave.queues.came_in_all() != before;
        }
    }
    true
}

/// Shows visitors the triangles that their rays may hit.
///
/// # Safety
/// As for [`step`].
#[inline(always)]
unsafe fn look_closer<I: Isa, V: Collector>(isa: I, wave: &mut Wave<'_, V>) {
    let rays = wave.rays;
    let count = wave.queues.len(Kind::LOOK);
    for i in wave.queues.take(Kind::LOOK, count) {
        let place = wave.queues.at(Kind::LOOK, i);
        // SAFETY: a flight is queued to look only after its ray has met a block and left a glance.
        unsafe {
            let flight = flight(&mut wave.flights, place);
            let (index, block) = (flight.entered() & !LEAF, flight.block());
            let ray = &rays[flight.number];
            if offer_candidates(
                ray,
                block,
                index,
                flight.candidates.assume_init_ref(),
                &mut flight.collector,
            ) {
                if V::ORDERED {
                    flight.forget(isa);
                }
                wave.go_on(place, 0);
            } else {
                wave.queues.push(Kind::END, place);
            }
        }
    }
}
