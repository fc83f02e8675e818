//! The steps that flights take: the same one for all that wait for it.
//!
//! A step is taken in parts: boxes are met, what was met is sorted, what comes next is asked for. A whole
//! step is a chain of results that wait for each other, as long as a processor looks ahead. So each time
//! round, every part is taken for another flight, a later part for one a few places before: the processor
//! has several in hand at once, none of which waits for another, and memory is asked little by little
//! while there is something to reckon, not for all at once.

use std::mem::MaybeUninit;

use super::flight::Flight;
use super::queues::{FLIGHTS, Kind, Queues};
use crate::bvh::{BvhView, LANES, ROOT, WIDTH};
use crate::geometry::Ray;
use crate::query::ahead::{ask_for, is_large};
use crate::query::leaf::{Edges, Terms, corners, row};
use crate::query::look::look;
use crate::query::slabs::Slabs;
use crate::query::traverse;
use crate::query::visitor::Visitor;
use crate::simd::{Isa, Task, Vector, Wave as _, opaque_number};

/// Rays in flight.
pub(super) struct Wave<'a, V> {
    tree: &'a BvhView<'a>,
    rays: &'a [Ray],
    pub(super) flights: [MaybeUninit<Flight<V>>; FLIGHTS],
    pub(super) queues: Queues,
    /// Whether the tree is larger than a cache.
    large: bool,
    /// Those of a node's children that the last flights have met, and where.
    met: [u32; RING],
    enter: [Enter; RING],
}

/// From the flight that takes one part of a node's step to the one that takes the next part.
const NODE_LAG: usize = 4;
/// The same of a leaf block's step.
const BLOCK_LAG: usize = 6;
/// No two flights between the first part of a step and the second have the same place.
const RING: usize = 8;
const _: () = assert!(NODE_LAG < RING);

/// Where a ray enters each of a node's children.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Enter([f32; WIDTH]);

/// Which of `count` flights takes a part of the step that lags so far behind, when the first part is `i`'s.
#[inline(always)]
fn behind(i: usize, lag: usize, count: usize) -> Option<usize> {
    // (What is less than nothing is large.)
    let earlier = i.wrapping_sub(lag);
    (earlier < count).then_some(earlier)
}

/// A flight with a ray.
///
/// # Safety
/// It has one.
#[inline(always)]
unsafe fn flight<V>(flights: &mut [MaybeUninit<Flight<V>>], number: u8) -> &mut Flight<V> {
    // SAFETY: queues hold numbers of flights that have a ray.
    unsafe { flights.get_unchecked_mut(number as usize).assume_init_mut() }
}

impl<'a, V: Visitor> Wave<'a, V> {
    pub(super) fn new(tree: &'a BvhView<'a>, rays: &'a [Ray]) -> Self {
        Self {
            tree,
            rays,
            flights: [const { MaybeUninit::uninit() }; FLIGHTS],
            queues: Queues::EMPTY,
            large: is_large(tree),
            met: [0; RING],
            enter: [Enter([0.0; WIDTH]); RING],
        }
    }

    /// The one that ended `i`th.
    ///
    /// # Safety
    /// It did, with a ray.
    #[inline(always)]
    pub(super) unsafe fn done(&self, i: usize) -> &Flight<V> {
        let number = self.queues.at(Kind::END, i) as usize;
        // SAFETY: the caller vouches for it.
        unsafe { self.flights.get_unchecked(number).assume_init_ref() }
    }

    /// The step that most flights wait for, taken by each of them: `false` if all have ended.
    ///
    /// # Safety
    /// The CPU has the instruction set `I`, switched on. The tree is valid, and whoever is in a queue
    /// has a ray, and work of that kind.
    #[inline(always)]
    pub(super) unsafe fn step<I: Isa>(&mut self) -> bool {
        let [nodes, blocks, looks] =
            [Kind::NODE, Kind::BLOCK, Kind::LOOK].map(|kind| self.queues.len(kind));
        // SAFETY: the caller vouches for it.
        unsafe {
            if nodes >= blocks && nodes >= looks {
                I::apart(MeetNodes(self));
            } else if blocks >= looks {
                I::apart(MeetBlocks(self));
            } else {
                self.look::<I>();
            }
        }
        nodes + blocks + looks > 0
    }

    /// # Safety
    /// As for [`step`](Self::step).
    #[inline(always)]
    unsafe fn meet_nodes<I: Isa>(&mut self) {
        let (tree, rays, large) = (self.tree, self.rays, self.large);
        let count = self.queues.begin(Kind::NODE);
        for i in 0..count + 2 * NODE_LAG {
            if let Some(i) = behind(i, 2 * NODE_LAG, count) {
                let number = self.queues.at(Kind::NODE, i);
                // SAFETY: the caller vouches for the CPU and the tree; whoever waits for a node has a ray
                // and a node, and whatever is put off has `END` below it.
                unsafe { self.go_on(tree, large, number, 0) };
            }
            if let Some(i) = behind(i, NODE_LAG, count) {
                let number = self.queues.at(Kind::NODE, i);
                let (met, enter) = (self.met[i % RING], &self.enter[i % RING].0);
                // SAFETY: as above.
                unsafe {
                    let flight = flight(&mut self.flights, number);
                    let node = tree.nodes.get_unchecked(flight.next as usize);
                    if !flight.put_off::<I>(enter, &node.child, met) {
                        I::apart(WalkAlone { tree, rays, flight });
                    }
                }
            }
            if i < count {
                let number = self.queues.at(Kind::NODE, i);
                // SAFETY: as above.
                unsafe {
                    let flight = flight(&mut self.flights, number);
                    let node = tree.nodes.get_unchecked(flight.next as usize);
                    flight.visitor.at_node();
                    let slabs = Slabs::<I::Node>::new(&flight.prepared);
                    let enter = &mut self.enter[i % RING].0;
                    self.met[i % RING] = slabs.meet(node, flight.t_max, enter);
                }
            }
        }
    }

    /// Sends a flight on to what comes next, as [`Flight::go_on`] has it, which is asked for.
    ///
    /// # Safety
    /// As for [`step`](Self::step); the flight has a ray and is not over.
    #[inline(always)]
    unsafe fn go_on(&mut self, tree: &BvhView<'_>, large: bool, number: u8, stay: u32) {
        // SAFETY: the caller vouches for it.
        unsafe {
            let flight = flight(&mut self.flights, number);
            let kind = flight.go_on(stay);
            ask_for(tree, flight.next, large);
            self.queues.push(kind, number);
        }
    }

    /// # Safety
    /// As for [`step`](Self::step).
    #[inline(always)]
    unsafe fn meet_blocks<I: Isa>(&mut self) {
        let (tree, large) = (self.tree, self.large);
        /// Blocks that may be met at once.
        const MOST: usize = 2;
        let at_once = <I::Wave as crate::simd::Wave>::Eights::LANES / LANES;
        debug_assert!(at_once <= MOST);
        let count = self.queues.begin(Kind::BLOCK);
        for i in (0..count + BLOCK_LAG).step_by(at_once) {
            for i in i..i + at_once {
                let Some(i) = behind(i, BLOCK_LAG, count) else {
                    continue;
                };
                let number = self.queues.at(Kind::BLOCK, i);
                // SAFETY: the caller vouches for the CPU and the tree; whoever waits for a block has a ray
                // and a block.
                unsafe {
                    let flight = flight(&mut self.flights, number);
                    flight
                        .visitor
                        .at_block(tree.blocks.get_unchecked(flight.block()));
                    let stay = opaque_number(u32::from(flight.glance.may != 0));
                    self.go_on(tree, large, number, stay);
                }
            }
            if i >= count {
                continue;
            }
            let last = count - 1;
            let numbers: [u8; MOST] =
                std::array::from_fn(|k| self.queues.at(Kind::BLOCK, last.min(i + k)));
            // SAFETY: as above.
            unsafe {
                let first = self.flights.as_mut_ptr().cast::<Flight<V>>();
                let flights = numbers.map(|number| first.add(number as usize));
                let verdict = {
                    let flights = flights.map(|flight| &*flight);
                    let blocks = flights.map(|flight| tree.blocks.get_unchecked(flight.block()));
                    let splat = |number: fn(&_) -> f32| {
                        I::Wave::splat_eights(|k| number(&flights[k].prepared))
                    };
                    let terms = Terms::of(splat, I::Wave::splat_eights(|k| flights[k].z_max));
                    let row = |which: usize, axis: usize| {
                        I::Wave::load_eights(|k| row(&flights[k].prepared, blocks[k], which, axis))
                    };
                    Edges::of(&terms, corners(row)).judge(&terms)
                };
                let glances = flights.map(|flight| &raw mut (*flight).glance);
                I::Wave::store_eights(verdict.least, |k| {
                    let glance = glances[k];
                    (&raw mut (*glance).least).cast()
                });
                I::Wave::store_eights(verdict.most, |k| {
                    let glance = glances[k];
                    (&raw mut (*glance).most).cast()
                });
                for (k, flight) in flights.into_iter().enumerate().take(at_once) {
                    let mask = |mask: u32| (mask >> (LANES * k)) & 0xff;
                    let glance = &mut (*flight).glance;
                    glance.may = mask(verdict.may);
                    glance.sure = mask(verdict.sure);
                    glance.vague = mask(verdict.vague);
                }
            }
        }
    }

    /// Shows visitors the triangles that their rays may hit.
    ///
    /// # Safety
    /// As for [`step`](Self::step).
    #[inline(always)]
    unsafe fn look<I: Isa>(&mut self) {
        let (tree, rays, large) = (self.tree, self.rays, self.large);
        for i in 0..self.queues.begin(Kind::LOOK) {
            let number = self.queues.at(Kind::LOOK, i);
            // SAFETY: the caller vouches for the CPU and the tree; whoever waits here has a ray and
            // has met a block.
            unsafe {
                let flight = flight(&mut self.flights, number);
                let block = flight.block();
                let ray = &rays[flight.number];
                let (index, block) = (block as u32, tree.blocks.get_unchecked(block));
                if look(ray, block, index, &flight.glance, &mut flight.visitor) {
                    if V::ORDERED {
                        flight.forget::<I>();
                    }
                    self.go_on(tree, large, number, 0);
                } else {
                    self.queues.push(Kind::END, number);
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

/// A step of all that wait for a node.
struct MeetNodes<'w, 'a, V>(&'w mut Wave<'a, V>);

impl<V: Visitor> Task for MeetNodes<'_, '_, V> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa>(self) {
        // SAFETY: the caller vouches for it.
        unsafe { self.0.meet_nodes::<I>() };
    }
}

/// A step of all that wait for a leaf block.
struct MeetBlocks<'w, 'a, V>(&'w mut Wave<'a, V>);

impl<V: Visitor> Task for MeetBlocks<'_, '_, V> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa>(self) {
        // SAFETY: the caller vouches for it.
        unsafe { self.0.meet_blocks::<I>() };
    }
}
