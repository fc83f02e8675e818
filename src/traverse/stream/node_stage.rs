//! A node's step: its boxes are met, what was met is sorted, what comes next is asked for.

use super::flights::{Wave, flight};
use super::queues::{Kind, last};
use super::ray_state::Flight;
use crate::bvh::{ROOT, TreeView, WIDTH};
use crate::geometry::Ray;
use crate::simd::{Isa, Task};
use crate::traverse::collect::collector::Collector;
use crate::traverse::ray;
use crate::traverse::ray::node_test::SlabTest;

/// From the flight that takes one part of the step to the one that takes the next part.
const LAG: usize = 3;
/// No two flights between the first part and the second have the same entry.
const RING: usize = 4;
const _: () = assert!(LAG < RING);

/// Where a ray enters each of a node's children.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Enter([f32; WIDTH]);

/// Those of a node's children that the last flights have met, and where.
pub(crate) struct MetNodes {
    children: [u32; RING],
    enter: [Enter; RING],
}

impl MetNodes {
    pub(crate) const NONE: Self = Self { children: [0; RING], enter: [Enter([0.0; WIDTH]); RING] };
}

/// The step, taken by all that wait for it, but for its last parts by the last of them: of a wave as
/// [`step`](super::steps::step) asks for it. A task, so that its loop may be a function of its own.
pub(crate) struct MeetNodes<'w, 'a, V>(pub(crate) &'w mut Wave<'a, V>);

impl<V: Collector> Task for MeetNodes<'_, '_, V> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let wave = self.0;
        let (tree, rays) = (wave.tree, wave.rays);
        let count = wave.queues.len(Kind::NODE);
        let first = wave.queues.open(Kind::NODE).start;
        for i in wave.queues.take(Kind::NODE, count) {
            // SAFETY: a flight waits here only with a ray and a node; the ones `LAG` and twice `LAG`
            // before have taken one part and two. Stores write no more than numbers to `enter`.
            unsafe {
                if i >= first + 2 * LAG {
                    leave(wave, i - 2 * LAG);
                }
                if i >= first + LAG {
                    put_off(isa, wave, tree, rays, i - LAG);
                }
                let place = wave.queues.at(Kind::NODE, i);
                let flight = flight(&mut wave.flights, place);
                let node = flight.node();
                flight.collector.on_node();
                let slab_test = SlabTest::<I::Wide>::new(isa, &flight.setup);
                let enter: *mut [f32; WIDTH] = &mut wave.met.enter[i % RING].0;
                wave.met.children[i % RING] =
                    slab_test.intersect_node(node, flight.t_max, &mut *enter.cast());
            }
        }
    }
}

/// The last parts of the step, for the last of those who took it.
pub(crate) struct LeaveNodes<'w, 'a, V>(pub(crate) &'w mut Wave<'a, V>);

impl<V: Collector> Task for LeaveNodes<'_, '_, V> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let wave = self.0;
        let (tree, rays) = (wave.tree, wave.rays);
        let open = wave.queues.open(Kind::NODE);
        // SAFETY: the last `LAG` lack the second part and the last, those before them the last alone.
        unsafe {
            for i in last(LAG, &open) {
                put_off(isa, wave, tree, rays, i);
            }
            for i in last(2 * LAG, &open) {
                leave(wave, i);
            }
        }
        wave.queues.close(Kind::NODE);
    }
}

/// The second part: what the `i`th has met is sorted and put off.
///
/// # Safety
/// The tree is valid, and the `i`th has taken the first part, and not this one.
#[inline(always)]
unsafe fn put_off<I: Isa, V: Collector>(
    isa: I,
    wave: &mut Wave<'_, V>,
    tree: &TreeView<'_>,
    rays: &[Ray],
    i: usize,
) {
    let place = wave.queues.at(Kind::NODE, i);
    let (met, enter) = (wave.met.children[i % RING], &wave.met.enter[i % RING].0);
    // SAFETY: since its first part the `i`th is at the same node, whose children it met.
    unsafe {
        let flight = flight(&mut wave.flights, place);
        let node = flight.node();
        if !flight.put_off(isa, enter, &node.child, met) {
            isa.call_outlined(WalkAlone { tree, rays, flight });
        }
    }
}

/// The last part: the `i`th goes on.
///
/// # Safety
/// The tree is valid, and the `i`th has taken the second part, and not this one.
#[inline(always)]
unsafe fn leave<V: Collector>(wave: &mut Wave<'_, V>, i: usize) {
    let place = wave.queues.at(Kind::NODE, i);
    // SAFETY: by its second part the `i`th has put off the node's children.
    unsafe { wave.enter(place, 0) };
}

/// Brings a flight to its end that has put off more than there is room for.
struct WalkAlone<'w, V> {
    tree: &'w TreeView<'w>,
    rays: &'w [Ray],
    flight: &'w mut Flight<V>,
}

impl<V: Collector> Task for WalkAlone<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { tree, rays, flight } = self;
        let ray = &rays[flight.number];
        let (setup, collector) = (&flight.setup, &mut flight.collector);
        // From the root again: what the visitor has seen already changes nothing.
        // SAFETY: the flight's ray was prepared for this tree when it started.
        unsafe { ray::walk::<I, V, false>(isa, tree, ray, setup, ROOT, collector) };
        flight.forget_all();
    }
}
