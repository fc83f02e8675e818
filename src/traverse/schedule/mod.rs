//! The schedule of a batch: which rays are traced together as packets, and which as a stream.
//!
//! ```text
//! mod          splits a batch into coherent and incoherent runs
//! tiles        orders rows of coherent rays so that a picture's lines become tiles
//! coherent     traces tiles as packets
//! morton       orders incoherent rays by their origins
//! incoherent   traces incoherent rays
//! batched      what it needs to know of the batch
//! one_tree     batches of rays through one tree: packets, streams, or one by one
//! ```

mod batched;
mod coherent;
mod incoherent;
mod morton;
mod one_tree;
mod tiles;

use std::marker::PhantomData;
use std::ops::Range;

pub(crate) use self::batched::{Batched, PacketRays};
use self::coherent::{Leftover, MAX_LEFTOVER, MAX_SHORT_RUN, TileState, trace_tiles};
use self::incoherent::Incoherent;
pub(crate) use self::morton::MAX_INCOHERENT;
use self::morton::OriginBounds;
use self::one_tree::{Input, OneTree};
use self::tiles::Tiles;
use crate::geometry::Ray;
use crate::platform::prefetch_slice;
use crate::simd::{self, InstructionSet};
use crate::traverse::collect::Collector;
use crate::traverse::collect::batch::Batch;
use crate::traverse::packet::{PacketCollector, RAYS, ROW};

const _: () = assert!(MAX_INCOHERENT.is_multiple_of(RAYS));

/// Every second row tells whether a block may be coherent. With every fourth, a block that is half
/// coherent would sometimes go into a stream.
const SAMPLE_STEP: usize = 2;

/// How many rays ahead rays are prefetched.
const PREFETCH_AHEAD: usize = 8 * RAYS;

/// The most rays of a schedule, so that indices fit into half of a `u32`.
const MAX_RAYS: usize = 1 << 31;

/// Traces rays through a tree with the same query.
pub(crate) fn trace_tree<C: PacketCollector>(
    batch: Batch<'_, Input<C>>,
    isa: InstructionSet,
    results: &mut [<C::Single as Collector>::Output],
) {
    trace(OneTree::<C>(batch), isa, results);
}

/// Traces rays with the same query.
pub(crate) fn trace<'a, B: Batched<'a>>(batch: B, isa: InstructionSet, results: &mut [B::Answer]) {
    for (i, results) in results.chunks_mut(MAX_RAYS).enumerate() {
        let first = i * MAX_RAYS;
        let batch = batch.part(first..first + results.len());
        let state = TileState { leftover: Leftover::new(), skip: 0, prefetch_from: 0 };
        Schedule { batch, isa, results, state, lifetime: PhantomData }.trace();
    }
}

/// A batch, and which of its rays are left to trace.
struct Schedule<'a, 's, B: Batched<'a>> {
    batch: B,
    isa: InstructionSet,
    results: &'s mut [B::Answer],
    state: TileState,
    lifetime: PhantomData<&'a ()>,
}

impl<'a, B: Batched<'a>> Schedule<'a, '_, B> {
    fn trace(mut self) {
        let rays = self.batch.rays();
        let mut tiles = Tiles::new(self.batch.facts().0);
        // The rays from here up to the current block are incoherent.
        let mut run_start = 0;
        let mut may_be_coherent = true;
        for (i, block) in rays.chunks(RAYS).enumerate() {
            let first = i * RAYS;
            if may_be_coherent {
                // Little more than the start of each row is read: too little for the hardware to
                // see what comes next.
                let ahead = first + PREFETCH_AHEAD;
                prefetch_slice(rays.get(ahead..ahead + RAYS).unwrap_or(&[]));
            }
            let rows = block.chunks_exact(ROW);
            let is_coherent = |row: &&[Ray]| are_coherent(&row[0], &row[ROW - 1]);
            // Incoherent blocks mostly follow each other, and some rows are enough to tell. The
            // other rows are better read from memory when they are traced.
            may_be_coherent = rows.clone().step_by(SAMPLE_STEP).any(|row| is_coherent(&row));
            // A block without a whole row has no coherent one.
            if !may_be_coherent || 2 * rows.clone().filter(is_coherent).count() < rows.len() {
                if first - run_start == MAX_INCOHERENT {
                    self.trace_incoherent(run_start..first);
                    run_start = first;
                }
                continue;
            }
            self.trace_incoherent(run_start..first);
            run_start = first + block.len();
            if tiles.is_full() {
                self.state.prefetch_from = first;
                self.trace_coherent(tiles.take_ordered());
            }
            tiles.push(first, rows);
            self.trace_incoherent(run_start - block.len() % ROW..run_start);
        }
        self.trace_coherent(tiles.take_ordered());
        self.trace_incoherent(run_start..rays.len());
        self.trace_leftover();
    }

    /// Traces a run of incoherent rays, at most [`MAX_INCOHERENT`]. A short run that is not the
    /// whole batch joins the left-over rays.
    fn trace_incoherent(&mut self, run: Range<usize>) {
        let is_short = run.len() < MAX_SHORT_RUN;
        if is_short && run.len() < self.batch.rays().len() {
            self.state.leftover.extend(run.map(|index| index as u32));
            if self.state.leftover.len() >= MAX_LEFTOVER {
                self.trace_leftover();
            }
            return;
        }
        let rays = &self.batch.rays()[run.clone()];
        let scattered = if !is_short && self.batch.is_large() {
            OriginBounds::of_scattered(rays)
        } else {
            None
        };
        match scattered {
            Some(bounds) => self.trace_sorted(&bounds, run),
            None => {
                let batch = self.batch.part(run.clone());
                let (indices, results) = (None, &mut self.results[run]);
                let lifetime = PhantomData;
                simd::run_many(self.isa, Incoherent { batch, indices, results, lifetime });
            }
        }
    }

    /// Traces rays in the order of their origins.
    fn trace_sorted(&mut self, bounds: &OriginBounds, run: Range<usize>) {
        let indices = morton::order(bounds, &self.batch.rays()[run.clone()], run.start);
        self.trace_indices(&indices);
    }

    fn trace_leftover(&mut self) {
        if !self.state.leftover.is_empty() {
            let leftover = std::mem::take(&mut self.state.leftover);
            self.trace_indices(&leftover);
        }
    }

    fn trace_indices(&mut self, indices: &[u32]) {
        let (batch, indices) = (self.batch, Some(indices));
        let (results, lifetime) = (&mut *self.results, PhantomData);
        simd::run_many(self.isa, Incoherent { batch, indices, results, lifetime });
    }

    /// Traces rows tile by tile.
    fn trace_coherent(&mut self, mut rows: &[u32]) {
        while !rows.is_empty() {
            let done = trace_tiles(self.batch, self.isa, rows, self.results, &mut self.state);
            rows = &rows[done..];
            if self.state.leftover.len() >= MAX_LEFTOVER {
                self.trace_leftover();
            }
        }
    }
}

/// Whether two rays are similar enough to be traced together. A wrong answer costs little.
#[inline(always)]
fn are_coherent(a: &Ray, b: &Ray) -> bool {
    let (a, b) = (a.dir, b.dir);
    let signs = (a.x.to_bits() ^ b.x.to_bits())
        | (a.y.to_bits() ^ b.y.to_bits())
        | (a.z.to_bits() ^ b.z.to_bits());
    // By the square of the cosine of the angle between them. Both conditions make one branch, which
    // incoherent rays rarely take.
    let cosine = a.dot(b);
    (signs >> 31 == 0) & (cosine * cosine >= 0.8 * a.length_squared() * b.length_squared())
}
