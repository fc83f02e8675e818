//! A run of rays: which neighbours go through the tree together, and which each on a way of its own.
//!
//! ```text
//! lines        rows of neighbours, put in an order that makes tiles of a picture's lines
//! together     tiles, through the tree as packets
//! nearby       unlike rays, put in the order of where they begin
//! alone        unlike rays, in waves or one by one
//! ```

mod coherent;
mod incoherent;
mod morton;
mod tiles;

use std::ops::Range;

use smallvec::SmallVec;

use self::coherent::Together;
use self::incoherent::Alone;
use self::morton::Place;
use self::tiles::Lines;
use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::platform::prefetch_slice;
use crate::simd::{self, InstructionSet};
use crate::traverse::collect::collector::Collector;
use crate::traverse::packet::{Group, RAYS, ROW};
use crate::traverse::prefetch::is_large;

/// So many unlike rays in a row are a wave of their own.
const LONG: usize = 128;

/// Rays from here and there that nobody goes with, by their numbers.
type Odd = SmallVec<[u32; ODD + LONG]>;

/// So many of them are asked before others join them: a shorter stretch, or a tile.
const ODD: usize = 384;
const _: () = assert!(RAYS <= LONG);

/// Unlike rays are asked so many at a time, at the most: few enough for the caches to hold what was looked at of
/// them, and for their numbers to be kept on the stack.
pub(crate) const UNLIKE: usize = 1 << 14;
const _: () = assert!(UNLIKE.is_multiple_of(RAYS));

/// One row of so many is looked at to tell whether it is worth to look at the others. (One of four would send
/// a block now and then into waves of which half might have gone together.)
const TELLING: usize = 2;

/// So many rays ahead are asked for.
const AHEAD: usize = 8 * RAYS;

/// The most rays of a run: their numbers are kept in half the room.
const MOST: usize = 1 << 31;

/// Asks each ray the same question. `first` is the index of the first of `rays` in the batch.
pub(crate) fn ask<G: Group>(
    tree: &TreeView<'_>,
    (first, rays): (usize, &[Ray]),
    input: <G::One as Collector>::Input,
    isa: InstructionSet,
    results: &mut [<G::One as Collector>::Output],
) {
    for (i, (rays, results)) in rays.chunks(MOST).zip(results.chunks_mut(MOST)).enumerate() {
        let first = first + i * MOST;
        let bundle = Bundle::<G> {
            tree,
            first,
            rays,
            input,
            isa,
            results,
            odd: Odd::new(),
            apart: 0,
            soon: 0,
        };
        bundle.ask();
    }
}

/// Rays that are asked the same, and who among them is still to be.
struct Bundle<'a, G: Group> {
    tree: &'a TreeView<'a>,
    /// The index of the first of `rays` in the batch.
    first: usize,
    rays: &'a [Ray],
    input: <G::One as Collector>::Input,
    isa: InstructionSet,
    results: &'a mut [<G::One as Collector>::Output],
    odd: Odd,
    /// So many tiles are not worth a try.
    apart: usize,
    /// Rays from here on are looked at next: a tile's time is enough to ask for as many.
    soon: usize,
}

impl<G: Group> Bundle<'_, G> {
    fn ask(mut self) {
        let rays = self.rays;
        let mut lines = Lines::new(self.tree);
        // Rays from here on up to the block are unlike.
        let mut unlike = 0;
        let mut likely = true;
        for (i, block) in rays.chunks(RAYS).enumerate() {
            let first = i * RAYS;
            if likely {
                // Of each row little more is looked at than where it begins: too little for the processor
                // to see what is next.
                prefetch_slice(rays.get(first + AHEAD..first + AHEAD + RAYS).unwrap_or(&[]));
            }
            let rows = block.chunks_exact(ROW);
            let alike = |row: &&[Ray]| alike(&row[0], &row[ROW - 1]);
            // Unlike rays come many at a time, and some rows tell: the others had better come from memory
            // when they are asked.
            likely = rows.clone().step_by(TELLING).any(|row| alike(&row));
            // (Without a row, there are none to go with.)
            if !likely || 2 * rows.clone().filter(alike).count() < rows.len() {
                if first - unlike == UNLIKE {
                    self.leave(unlike..first);
                    unlike = first;
                }
                continue;
            }
            self.leave(unlike..first);
            unlike = first + block.len();
            if lines.is_full() {
                self.soon = first;
                self.together(lines.tiles());
            }
            lines.take(first, rows);
            self.leave(unlike - block.len() % ROW..unlike);
        }
        self.together(lines.tiles());
        self.leave(unlike..rays.len());
        self.ask_odd();
    }

    /// These rays, [`UNLIKE`] at the most, have nobody to go with.
    fn leave(&mut self, stretch: Range<usize>) {
        if stretch.len() < LONG {
            self.odd.extend(stretch.map(|number| number as u32));
            if self.odd.len() >= ODD {
                self.ask_odd();
            }
            return;
        }
        let place = if is_large(self.tree) {
            Place::of_scattered(&self.rays[stretch.clone()])
        } else {
            None
        };
        match place {
            Some(place) => self.ask_nearby(&place, stretch),
            None => self.ask_alone(stretch),
        }
    }

    /// Asks rays in the order that they have.
    fn ask_alone(&mut self, stretch: Range<usize>) {
        let alone = Alone::<G::One> {
            tree: self.tree,
            first: self.first + stretch.start,
            rays: &self.rays[stretch.clone()],
            numbers: None,
            input: self.input,
            results: &mut self.results[stretch],
        };
        simd::run(self.isa, alone);
    }

    /// Asks rays in the order of where they begin. (The room for their numbers is not for all to carry.)
    #[inline(never)]
    fn ask_nearby(&mut self, place: &Place, stretch: Range<usize>) {
        let mut numbers = [0; UNLIKE];
        let numbers = &mut numbers[..stretch.len()];
        morton::order(place, &self.rays[stretch.clone()], stretch.start, numbers);
        let alone = Alone::<G::One> {
            tree: self.tree,
            first: self.first,
            rays: self.rays,
            numbers: Some(numbers),
            input: self.input,
            results: self.results,
        };
        simd::run(self.isa, alone);
    }

    /// Asks the odd ones.
    fn ask_odd(&mut self) {
        if self.odd.is_empty() {
            return;
        }
        let alone = Alone::<G::One> {
            tree: self.tree,
            first: self.first,
            rays: self.rays,
            numbers: Some(&self.odd),
            input: self.input,
            results: self.results,
        };
        simd::run(self.isa, alone);
        self.odd.clear();
    }

    /// These rows may go together, tile by tile.
    fn together(&mut self, mut rows: &[u32]) {
        while !rows.is_empty() {
            let together = Together::<G> {
                tree: self.tree,
                first: self.first,
                rays: self.rays,
                rows,
                input: self.input,
                results: self.results,
                odd: &mut self.odd,
                apart: &mut self.apart,
                soon: &mut self.soon,
            };
            let done = simd::run(self.isa, together);
            rows = &rows[done..];
            if self.odd.len() >= ODD {
                self.ask_odd();
            }
        }
    }
}

/// Whether two rays may run much the same way: not much is lost if they do not.
#[inline(always)]
fn alike(a: &Ray, b: &Ray) -> bool {
    let (a, b) = (a.dir, b.dir);
    let signs = (a.x.to_bits() ^ b.x.to_bits())
        | (a.y.to_bits() ^ b.y.to_bits())
        | (a.z.to_bits() ^ b.z.to_bits());
    // The square of the cosine of the angle between them. (Of two conditions, so that there is one
    // branch, which unlike rays rarely take.)
    let cosine = a.dot(b);
    (signs >> 31 == 0) & (cosine * cosine >= 0.8 * a.length_squared() * b.length_squared())
}
