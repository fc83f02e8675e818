//! A leaf block's step: its triangles are met, what comes next is asked for.

use super::flights::{Wave, at, flight};
use super::queues::{Kind, Place, last};
use super::ray_state::Flight;
use crate::bvh::LANES;
use crate::simd::{self, Isa, Task, Vector, Wave as _, opaque_number};
use crate::traverse::collect::collector::Visitor;
use crate::traverse::ray::leaf_test::{Edges, Glance, Terms, corners, row};

/// From the flight that takes the first part of the step to the one that takes the second.
const LAG: usize = 4;

/// Blocks that may be met at once.
pub(crate) const MOST: usize = 2;
const _: () = assert!(LAG.is_multiple_of(MOST));

/// The step, taken by all that wait for it, but for its last part by the last of them (and who is left over of those
/// that take it at once): of a wave as [`step`](super::steps::step) asks for it. A task, so that its loop may be a
/// function of its own.
pub(crate) struct MeetBlocks<'w, 'a, V>(pub(crate) &'w mut Wave<'a, V>);

impl<V: Visitor> Task for MeetBlocks<'_, '_, V> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa>(self) {
        let wave = self.0;
        let at_once = <I::Wave as simd::Wave>::Eights::LANES / LANES;
        debug_assert!(at_once <= MOST);
        let first = wave.queues.open(Kind::BLOCK).start;
        let count = wave.queues.len(Kind::BLOCK) / at_once * at_once;
        for i in wave.queues.take(Kind::BLOCK, count).step_by(at_once) {
            // SAFETY: the caller vouches for the CPU and the tree; whoever waits for a block has a ray
            // and a block.
            unsafe {
                if i >= first + LAG {
                    for k in 0..at_once {
                        leave(wave, i - LAG + k);
                    }
                }
                meet::<I, V>(wave, i, i + at_once - 1);
            }
        }
    }
}

/// The last part of the step, for the last of those who took it; and all of it for who is left over.
pub(crate) struct LeaveBlocks<'w, 'a, V>(pub(crate) &'w mut Wave<'a, V>);

impl<V: Visitor> Task for LeaveBlocks<'_, '_, V> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa>(self) {
        let wave = self.0;
        let met = last(LAG, &wave.queues.open(Kind::BLOCK));
        let count = wave.queues.len(Kind::BLOCK);
        let left = wave.queues.take(Kind::BLOCK, count);
        // SAFETY: as above; those that were met before have taken the first part.
        unsafe {
            for i in left.clone() {
                meet::<I, V>(wave, i, i);
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
unsafe fn leave<V: Visitor>(wave: &mut Wave<'_, V>, i: usize) {
    let place = wave.queues.at(Kind::BLOCK, i);
    // SAFETY: the caller vouches for it.
    unsafe {
        let flight = flight(&mut wave.flights, place);
        flight.visitor.at_block(flight.block());
        let stay = opaque_number(u32::from(flight.glance.assume_init_ref().may != 0));
        wave.go_on(place, stay);
    }
}

/// The first part: those from the `i`th to the `end`th, as many as are met at once at the most, meet their blocks.
///
/// # Safety
/// The CPU has the instruction set `I`, switched on; the tree is valid, and these have rays and blocks.
#[inline(always)]
unsafe fn meet<I: Isa, V: Visitor>(wave: &mut Wave<'_, V>, i: usize, end: usize) {
    let at_once = <I::Wave as simd::Wave>::Eights::LANES / LANES;
    let places: [Place; MOST] =
        std::array::from_fn(|k| wave.queues.at(Kind::BLOCK, end.min(i + k)));
    // SAFETY: the caller vouches for it.
    unsafe {
        let first = wave.flights.as_mut_ptr().cast();
        let flights: [*mut Flight<V>; MOST] = places.map(|place| at(first, place));
        let verdict = {
            let flights = flights.map(|flight| &*flight);
            let blocks = flights.map(|flight| flight.block());
            let splat =
                |number: fn(&_) -> f32| I::Wave::splat_eights(|k| number(&flights[k].prepared));
            let terms = Terms::of(splat, I::Wave::splat_eights(|k| flights[k].z_max));
            let row = |which: usize, axis: usize| {
                I::Wave::load_eights(|k| row(&flights[k].prepared, blocks[k], which, axis))
            };
            Edges::of(&terms, corners(row)).judge(&terms)
        };
        // (Who is left over is there twice: by the address, then.)
        let glances = flights.map(|flight| (&raw mut (*flight).glance).cast::<Glance>());
        I::Wave::store_eights(verdict.least, |k| {
            let glance = glances[k];
            (&raw mut (*glance).least).cast()
        });
        I::Wave::store_eights(verdict.most, |k| {
            let glance = glances[k];
            (&raw mut (*glance).most).cast()
        });
        for (k, glance) in glances.into_iter().enumerate().take(at_once) {
            let mask = |mask: u32| (mask >> (LANES * k)) as u8;
            (&raw mut (*glance).may).write(mask(verdict.may));
            (&raw mut (*glance).sure).write(mask(verdict.sure));
            (&raw mut (*glance).vague).write(mask(verdict.vague));
        }
    }
}
