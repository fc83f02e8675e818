//! Many unlike rays in flight: each takes a step in turn.
//!
//! One ray alone waits for memory, and for branches that are guessed wrong at every step: which way
//! the walk goes on depends on what was met last. Here the same step is taken for one ray after the
//! other, node by node and block by block, without such branches, so that the processor works on
//! several at a time; and what a ray needs next is asked for before its next turn.
//!
//! ```text
//! flight     one ray, its subtrees put off, its visitor
//! queues     who is to meet a node next, who a leaf block
//! ```

mod flight;
mod queues;
#[cfg(test)]
mod tests;

use std::hint::select_unpredictable;
use std::mem::MaybeUninit;

use flight::Flight;
use queues::{FLIGHTS, Kind, Queues};

use super::cast::Cast;
use super::leaf::{Edges, Terms, corners, row};
use super::look::look;
use super::slabs::Slabs;
use super::visitor::Visitor;
use crate::bvh::{BvhView, LANES, LEAF, LeafBlock, Node, WIDTH};
use crate::geometry::Ray;
use crate::simd::{Isa, Task, Vector, Wave as _};

/// The last word is said on so many rays at once.
const DONE: usize = 16;

/// Asks each ray the same question.
///
/// # Safety
/// The CPU has the instruction set `I`, switched on. The tree is valid. There are as many results as
/// rays.
#[inline(always)]
pub(crate) unsafe fn walk<I: Isa, V: Visitor<Input: Copy> + Copy>(
    tree: &BvhView<'_>,
    rays: &[Ray],
    input: V::Input,
    results: &mut [V::Output],
) {
    let mut wave = Wave::<V> {
        tree,
        rays,
        flights: [const { MaybeUninit::uninit() }; FLIGHTS],
        queues: Queues::EMPTY,
        free: std::array::from_fn(|i| i as u8),
        landed: FLIGHTS,
    };
    let mut fresh = 0;
    // SAFETY: the caller vouches for everything.
    unsafe {
        while fresh < rays.len() || wave.landed < FLIGHTS {
            while fresh < rays.len() && wave.landed > 0 {
                wave.start::<I>(fresh, input, results);
                fresh += 1;
            }
            wave.meet_nodes::<I>(input, results);
            wave.meet_blocks::<I>();
            wave.look::<I>();
            let on_their_way = wave.queues.len(Kind::Node) + wave.queues.len(Kind::Block);
            if wave.queues.len(Kind::End) >= DONE || on_their_way == 0 {
                wave.finish::<I>(results);
            }
        }
    }
}

struct Wave<'a, V> {
    tree: &'a BvhView<'a>,
    rays: &'a [Ray],
    flights: [MaybeUninit<Flight<V>>; FLIGHTS],
    queues: Queues,
    /// The first `landed` of these have no ray.
    free: [u8; FLIGHTS],
    landed: usize,
}

impl<V: Visitor<Input: Copy> + Copy> Wave<'_, V> {
    /// A flight with a ray.
    ///
    /// # Safety
    /// It has one.
    #[inline(always)]
    unsafe fn flight(&mut self, number: u8) -> &mut Flight<V> {
        // SAFETY: queues hold numbers of flights that have a ray.
        unsafe {
            self.flights
                .get_unchecked_mut(number as usize)
                .assume_init_mut()
        }
    }

    /// Takes up a ray. One of the flights must be free.
    ///
    /// # Safety
    /// As for [`walk`].
    #[inline(always)]
    unsafe fn start<I: Isa>(&mut self, ray: usize, input: V::Input, results: &mut [V::Output]) {
        let free = self.free[self.landed - 1];
        let room = &mut self.flights[free as usize];
        // It is written when other rays are being taken up, which then would have to wait.
        I::Wave::prefetch((&raw const results[ray]).cast());
        // SAFETY: the caller vouches for the CPU and the tree.
        unsafe {
            if Flight::start::<I>(room, self.tree, &self.rays[ray], ray, input).is_some() {
                self.landed -= 1;
                self.queues.push(Kind::Node, free);
            } else {
                results[ray] = self.alone::<I>(ray, input);
            }
        }
    }

    /// A ray by itself.
    ///
    /// # Safety
    /// As for [`walk`].
    #[cold]
    #[inline(always)]
    unsafe fn alone<I: Isa>(&self, ray: usize, input: V::Input) -> V::Output {
        let (tree, ray) = (self.tree, &self.rays[ray]);
        // SAFETY: the caller vouches for the CPU and the tree.
        unsafe { Cast::<V> { tree, ray, input }.run::<I>() }
    }

    /// The flight is free for another ray.
    #[inline(always)]
    fn land(&mut self, flight: u8) {
        self.free[self.landed] = flight;
        self.landed += 1;
    }

    /// # Safety
    /// As for [`walk`].
    #[inline(always)]
    unsafe fn meet_nodes<I: Isa>(&mut self, input: V::Input, results: &mut [V::Output]) {
        let tree = self.tree;
        for i in 0..self.queues.begin(Kind::Node) {
            let number = self.queues.at(Kind::Node, i);
            // SAFETY: the caller vouches for the CPU and the tree; whoever waits for a node has a ray
            // and a node.
            unsafe {
                let flight = self.flight(number);
                let node = tree.nodes.get_unchecked(flight.next as usize);
                let slabs = Slabs::<I::Node>::new(&flight.prepared);
                let mut enter = [0f32; WIDTH];
                let mask = slabs.meet(node, flight.t_max, &mut enter);
                if flight.put_off::<I>(&enter, &node.child, mask) {
                    let kind = flight.go_on(true);
                    ask_for::<I>(tree, flight.next);
                    self.queues.push(kind, number);
                } else {
                    let ray = flight.number as usize;
                    results[ray] = self.alone::<I>(ray, input);
                    self.land(number);
                }
            }
        }
    }

    /// # Safety
    /// As for [`walk`].
    #[inline(always)]
    unsafe fn meet_blocks<I: Isa>(&mut self) {
        let tree = self.tree;
        /// Blocks that may be met at once.
        const MOST: usize = 2;
        let at_once = <I::Wave as crate::simd::Wave>::Eights::LANES / LANES;
        let count = self.queues.begin(Kind::Block);
        for i in (0..count).step_by(at_once) {
            let last = count - 1;
            let numbers: [u8; MOST] =
                std::array::from_fn(|k| self.queues.at(Kind::Block, last.min(i + k)));
            // SAFETY: the caller vouches for the CPU and the tree; whoever waits for a block has a ray
            // and a block.
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
                for k in 0..at_once.min(count - i) {
                    let flight = &mut *flights[k];
                    flight
                        .visitor
                        .at_block(tree.blocks.get_unchecked(flight.block()));
                    let mask = |mask: u32| mask >> (LANES * k) & 0xff;
                    flight.glance.may = mask(verdict.may);
                    flight.glance.sure = mask(verdict.sure);
                    flight.glance.vague = mask(verdict.vague);
                    let none = flight.glance.may == 0;
                    let kind = flight.go_on(none);
                    ask_for::<I>(tree, flight.next);
                    let kind = select_unpredictable(none, kind, Kind::Look);
                    self.queues.push(kind, numbers[k]);
                }
            }
        }
    }

    /// Shows visitors the triangles that their rays may hit.
    ///
    /// # Safety
    /// As for [`walk`].
    #[inline(always)]
    unsafe fn look<I: Isa>(&mut self) {
        let (tree, rays) = (self.tree, self.rays);
        for i in 0..self.queues.begin(Kind::Look) {
            let number = self.queues.at(Kind::Look, i);
            // SAFETY: the caller vouches for the CPU and the tree; whoever waits here has a ray and
            // has met a block.
            unsafe {
                let flight = self.flight(number);
                let block = flight.block();
                let ray = &rays[flight.number as usize];
                let (index, block) = (block as u32, tree.blocks.get_unchecked(block));
                let kind = if !look(ray, block, index, &flight.glance, &mut flight.visitor) {
                    Kind::End
                } else {
                    if V::ORDERED {
                        flight.forget::<I>();
                    }
                    let kind = flight.go_on(true);
                    ask_for::<I>(tree, flight.next);
                    kind
                };
                self.queues.push(kind, number);
            }
        }
    }

    /// Writes the results of the rays that are done.
    ///
    /// # Safety
    /// As for [`walk`].
    #[inline(always)]
    unsafe fn finish<I: Isa>(&mut self, results: &mut [V::Output]) {
        let done = 0..self.queues.begin(Kind::End);
        let (queues, flights) = (&self.queues, &self.flights);
        let visitors = done.clone().map(|i| {
            let number = queues.at(Kind::End, i) as usize;
            // SAFETY: whoever is done has a ray.
            let flight = unsafe { flights.get_unchecked(number).assume_init_ref() };
            (flight.number as usize, &flight.visitor)
        });
        // SAFETY: the caller vouches for the CPU.
        unsafe { V::finish_all::<I>(visitors, self.rays, results) };
        for i in done {
            self.land(self.queues.at(Kind::End, i));
        }
    }
}

/// Asks memory for a node or a leaf block.
#[inline(always)]
fn ask_for<I: Isa>(tree: &BvhView<'_>, child: u32) {
    let index = (child & (flight::END - 1)) as usize;
    let node = tree.nodes.as_ptr().wrapping_add(index).cast::<u8>();
    let block = tree.blocks.as_ptr().wrapping_add(index).cast::<u8>();
    let at = select_unpredictable(child & LEAF == 0, node, block);
    // As many lines of either, for a branch would be guessed wrong; the next block is often wanted.
    for line in 0..size_of::<Node>() / 64 {
        I::Wave::prefetch(at.wrapping_add(64 * line));
    }
}

const _: () = assert!(size_of::<LeafBlock>() <= size_of::<Node>());
