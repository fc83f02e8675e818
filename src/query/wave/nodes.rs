//! A node's step: its boxes are met, what was met is sorted, what comes next is asked for.

use super::flight::Flight;
use super::flights::{Wave, flight};
use super::queues::{Kind, behind};
use crate::bvh::{BvhView, ROOT, WIDTH};
use crate::geometry::Ray;
use crate::query::slabs::Slabs;
use crate::query::traverse;
use crate::query::visitor::Visitor;
use crate::simd::{Isa, Task};

/// From the flight that takes one part of the step to the one that takes the next part.
const LAG: usize = 4;
/// No two flights between the first part and the second have the same place.
const RING: usize = 8;
const _: () = assert!(LAG < RING);

/// Where a ray enters each of a node's children.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Enter([f32; WIDTH]);

/// The step, taken by all that wait for it: of a wave as [`step`](super::steps::step) asks for it. A task, so that its
/// loop may be a function of its own.
pub(super) struct MeetNodes<'w, 'a, V>(pub(super) &'w mut Wave<'a, V>);

impl<V: Visitor> Task for MeetNodes<'_, '_, V> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa>(self) {
        let wave = self.0;
        let (tree, rays, large) = (wave.tree, wave.rays, wave.large);
        let count = wave.queues.begin(Kind::NODE);
        // Those of a node's children that the last flights have met, and where.
        let mut met = [0; RING];
        let mut enter = [Enter([0.0; WIDTH]); RING];
        for i in 0..count + 2 * LAG {
            if let Some(i) = behind(i, 2 * LAG, count) {
                let number = wave.queues.at(Kind::NODE, i);
                // SAFETY: the caller vouches for the CPU and the tree; whoever waits for a node has a ray
                // and a node, and whatever is put off has `END` below it.
                unsafe { wave.go_on(tree, large, number, 0) };
            }
            if let Some(i) = behind(i, LAG, count) {
                let number = wave.queues.at(Kind::NODE, i);
                let (met, enter) = (met[i % RING], &enter[i % RING].0);
                // SAFETY: as above.
                unsafe {
                    let flight = flight(&mut wave.flights, number);
                    let node = tree.nodes.get_unchecked(flight.next as usize);
                    if !flight.put_off::<I>(enter, &node.child, met) {
                        I::apart(WalkAlone { tree, rays, flight });
                    }
                }
            }
            if i < count {
                let number = wave.queues.at(Kind::NODE, i);
                // SAFETY: as above.
                unsafe {
                    let flight = flight(&mut wave.flights, number);
                    let node = tree.nodes.get_unchecked(flight.next as usize);
                    flight.visitor.at_node();
                    let slabs = Slabs::<I::Node>::new(&flight.prepared);
                    let enter = &mut enter[i % RING].0;
                    met[i % RING] = slabs.meet(node, flight.t_max, enter);
                }
            }
        }
    }
}

/// Brings a flight to its end that has put off more than there is room for.
struct WalkAlone<'w, V> {
    tree: &'w BvhView<'w>,
    rays: &'w [Ray],
    flight: &'w mut Flight<V>,
}

impl<V: Visitor> Task for WalkAlone<'_, V> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa>(self) {
        let Self { tree, rays, flight } = self;
        let ray = &rays[flight.number];
        let (prepared, visitor) = (&flight.prepared, &mut flight.visitor);
        // From the root again: what the visitor has seen already changes nothing.
        // SAFETY: the caller vouches for the CPU, and who made the task for the tree.
        unsafe { traverse::walk::<I, V, false>(tree, ray, prepared, ROOT, visitor) };
        flight.forget_all();
    }
}
