//! All rays of a wave, and what is to be done for each.

use std::mem::MaybeUninit;

use super::node_stage::MetNodes;
use super::queues::{FLIGHTS, Kind, Place, Queues};
use super::ray_state::Flight;
use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::traverse::collect::collector::Collector;
use crate::traverse::prefetch::Prefetcher;

/// Rays in flight.
pub(crate) struct Wave<'a, V> {
    pub(crate) tree: &'a TreeView<'a>,
    pub(crate) rays: &'a [Ray],
    pub(crate) flights: [MaybeUninit<Flight<V>>; FLIGHTS],
    pub(crate) queues: Queues,
    pub(crate) met: MetNodes,
    /// Where the tree's nodes and blocks are.
    prefetcher: Prefetcher,
}

impl<'a, V: Collector> Wave<'a, V> {
    pub(crate) fn new(tree: &'a TreeView<'a>, rays: &'a [Ray]) -> Self {
        Self {
            tree,
            rays,
            flights: [const { MaybeUninit::uninit() }; FLIGHTS],
            queues: Queues::EMPTY,
            met: MetNodes::NONE,
            prefetcher: Prefetcher::new(tree),
        }
    }

    /// Sends a flight on from a leaf block, as [`Flight::go_on`] has it, to what comes next.
    ///
    /// # Safety
    /// The tree is valid; the flight has a ray, and has entered a leaf block.
    #[inline(always)]
    pub(crate) unsafe fn go_on(&mut self, place: Place, stay: u32) {
        // SAFETY: the flight has a ray and is at a leaf block; what lies on top of its subtrees then
        // was put off by it, or is the end.
        unsafe {
            let flight = flight(&mut self.flights, place);
            flight.go_on(stay);
            self.enter(place, stay);
        }
    }

    /// Sends a flight to what is to be done with the subtree on top, which is asked for; if `stay` is 1, to look at the
    /// leaf block that is there.
    ///
    /// # Safety
    /// The tree is valid; the flight has a ray, and what [`Flight::entered`] asks for; if it stays, it has met a leaf
    /// block.
    #[inline(always)]
    pub(crate) unsafe fn enter(&mut self, place: Place, stay: u32) {
        // SAFETY: the caller's flight has a ray and something on top.
        unsafe {
            let flight = flight(&mut self.flights, place);
            let child = flight.entered();
            flight.at = self.prefetcher.prefetch_child(child);
            self.queues.push(Kind::of(child).or_look(stay), place);
        }
    }
}

/// Where a flight is, by where the first one is.
#[inline(always)]
pub(crate) fn at<V>(first: *mut Flight<V>, place: Place) -> *mut Flight<V> {
    first.wrapping_byte_add(place.bytes())
}

/// A flight with a ray.
///
/// # Safety
/// The place is one of these, and has a ray.
#[inline(always)]
pub(crate) unsafe fn flight<V>(
    flights: &mut [MaybeUninit<Flight<V>>],
    place: Place,
) -> &mut Flight<V> {
    // SAFETY: a place is one of the flights, and who calls knows that this one is written.
    unsafe { &mut *at(flights.as_mut_ptr().cast(), place) }
}
