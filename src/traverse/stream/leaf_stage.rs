//! A leaf block's step: its triangles are met, what comes next is asked for.

use super::flights::{Wave, at, flight};
use super::queues::{Kind, Place, last};
use super::ray_state::Flight;
use crate::bvh::LANES;
use crate::simd::{BlockVector, Isa, Task, Vector, opaque_number};
use crate::traverse::collect::collector::Collector;
use crate::traverse::ray::leaf_test::{Candidates, Edges, TriangleTerms, corners};

/// From the flight that takes the first part of the step to the one that takes the second.
const LAG: usize = 4;

/// Blocks that may be met at once.
pub(crate) const MOST: usize = 2;
const _: () = assert!(LAG.is_multiple_of(MOST));

/// The step, taken by all that wait for it, but for its last part by the last of them (and who is left over of those
/// that take it at once): of a wave as [`step`](super::steps::step) asks for it. A task, so that its loop may be a
/// function of its own.
pub(crate) struct MeetBlocks<'w, 'a, V>(pub(crate) &'w mut Wave<'a, V>);

impl<V: Collector> Task for MeetBlocks<'_, '_, V> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let wave = self.0;
        let at_once = I::Blocks::LANES / LANES;
        debug_assert!(at_once <= MOST);
        let first = wave.queues.open(Kind::BLOCK).start;
        let count = wave.queues.len(Kind::BLOCK) / at_once * at_once;
        for i in wave.queues.take(Kind::BLOCK, count).step_by(at_once) {
            // SAFETY: a flight is queued for a block only when it has a ray and has entered one; the
            // one `LAG` before has taken the first part.
            unsafe {
                if i >= first + LAG {
                    for k in 0..at_once {
                        leave(wave, i - LAG + k);
                    }
                }
                meet(isa, wave, i, i + at_once - 1);
            }
        }
    }
}

/// The last part of the step, for the last of those who took it; and all of it for who is left over.
pub(crate) struct LeaveBlocks<'w, 'a, V>(pub(crate) &'w mut Wave<'a, V>);

impl<V: Collector> Task for LeaveBlocks<'_, '_, V> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let wave = self.0;
        let met = last(LAG, &wave.queues.open(Kind::BLOCK));
        let count = wave.queues.len(Kind::BLOCK);
        let left = wave.queues.take(Kind::BLOCK, count);
        // SAFETY: those left over wait with a ray and a block each; after the loop they, too, have
        // taken the first part, as those before them.
        unsafe {
            for i in left.clone() {
                meet(isa, wave, i, i);
            }
            for i in met.start..left.end {
                leave(wave, i);
            }
        }
        wave.queues.close(Kind::BLOCK);
    }
}

/// The last part: the `i`th goes on, or is looked at more closely.
///
/// # Safety
/// The tree is valid, and the `i`th has taken the first part, and not this one.
#[inline(always)]
unsafe fn leave<V: Collector>(wave: &mut Wave<'_, V>, i: usize) {
    let place = wave.queues.at(Kind::BLOCK, i);
    // SAFETY: who has taken the first part has a ray, a block and a glance at it.
    unsafe {
        let flight = flight(&mut wave.flights, place);
        flight.collector.on_block(flight.block());
        let stay = opaque_number(u32::from(flight.candidates.assume_init_ref().possible != 0));
        wave.go_on(place, stay);
    }
}

/// The first part: those from the `i`th to the `end`th, as many as are met at once at the most, meet their blocks.
///
/// # Safety
/// The tree is valid, and these have rays and blocks.
#[inline(always)]
unsafe fn meet<I: Isa, V: Collector>(isa: I, wave: &mut Wave<'_, V>, i: usize, end: usize) {
    let at_once = I::Blocks::LANES / LANES;
    let places: [Place; MOST] =
        std::array::from_fn(|k| wave.queues.at(Kind::BLOCK, end.min(i + k)));
    // SAFETY: each place has a ray at a block of the tree. Nothing else holds the flights; they are
    // read before glances are written, one at a time, through pointers.
    unsafe {
        let first = wave.flights.as_mut_ptr().cast();
        let flights: [*mut Flight<V>; MOST] = places.map(|place| at(first, place));
        let verdict = {
            let flights = flights.map(|flight| &*flight);
            let blocks = flights.map(|flight| flight.block());
            let splat =
                |number: fn(&_) -> f32| I::Blocks::splat_eights(isa, |k| number(&flights[k].setup));
            let terms =
                TriangleTerms::of(splat, I::Blocks::splat_eights(isa, |k| flights[k].z_max));
            let row = |which: usize, axis: usize| {
                I::Blocks::load_eights(isa, |k| flights[k].setup.row.of(blocks[k], which, axis))
            };
            Edges::of(&terms, corners(row)).judge(&terms)
        };
        // (Who is left over is there twice: by the address, then.)
        let candidates = flights.map(|flight| (&raw mut (*flight).candidates).cast::<Candidates>());
        verdict.t_lo.store_eights(|k| {
            let candidates = candidates[k];
            &mut *(&raw mut (*candidates).t_lo).cast()
        });
        verdict.t_hi.store_eights(|k| {
            let candidates = candidates[k];
            &mut *(&raw mut (*candidates).t_hi).cast()
        });
        for (k, candidates) in candidates.into_iter().enumerate().take(at_once) {
            let mask = |mask: u32| (mask >> (LANES * k)) as u8;
            (&raw mut (*candidates).possible).write(mask(verdict.possible));
            (&raw mut (*candidates).certain).write(mask(verdict.certain));
            (&raw mut (*candidates).unbounded).write(mask(verdict.unbounded));
        }
    }
}
