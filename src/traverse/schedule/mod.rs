//! The schedule of a batch: which rays are traced together as packets, and which as a stream.
//!
//! ```text
//! mod          splits a batch into coherent and incoherent runs
//! tiles        orders rows of coherent rays so that a picture's lines become tiles
//! coherent     traces tiles as packets
//! morton       orders incoherent rays by their origins
//! incoherent   traces incoherent rays as a stream, or one by one
//! ```

mod coherent;
mod incoherent;
mod morton;
mod tiles;

use std::ops::Range;

use self::coherent::{Coherent, Leftover, MAX_LEFTOVER, MAX_SHORT_RUN, TileState};
use self::incoherent::Incoherent;
pub(crate) use self::morton::MAX_INCOHERENT;
use self::morton::OriginBounds;
use self::tiles::Tiles;
use crate::geometry::Ray;
use crate::platform::prefetch_slice;
use crate::simd::{self, InstructionSet};
use crate::traverse::collect::Collector;
use crate::traverse::collect::batch::Batch;
use crate::traverse::packet::{PacketCollector, RAYS, ROW};
use crate::traverse::prefetch::is_large;

const _: () = assert!(MAX_INCOHERENT.is_multiple_of(RAYS));

/// Every second row tells whether a block may be coherent. With every fourth, a block that is half
/// coherent would sometimes go into a stream.
const SAMPLE_STEP: usize = 2;

/// How many rays ahead rays are prefetched.
const PREFETCH_AHEAD: usize = 8 * RAYS;

/// The most rays of a schedule, so that indices fit into half of a `u32`.
const MAX_RAYS: usize = 1 << 31;

/// What the collectors of a packet are made of.
type Input<C> = <<C as PacketCollector>::Single as Collector>::Input;

/// Traces rays with the same query.
pub(crate) fn trace<C: PacketCollector>(
    batch: Batch<'_, Input<C>>,
    isa: InstructionSet,
    results: &mut [<C::Single as Collector>::Output],
) {
    let chunks = batch.rays.chunks(MAX_RAYS).zip(results.chunks_mut(MAX_RAYS));
    for (i, (rays, results)) in chunks.enumerate() {
        let batch = Batch { first: batch.first + i * MAX_RAYS, rays, ..batch };
        let state = TileState { leftover: Leftover::new(), skip: 0, prefetch_from: 0 };
        Schedule::<C> { batch, isa, results, state }.trace();
    }
}

/// A batch, and what is left to trace of it.
struct Schedule<'a, C: PacketCollector> {
    batch: Batch<'a, Input<C>>,
    isa: InstructionSet,
    results: &'a mut [<C::Single as Collector>::Output],
    state: TileState,
}

impl<C: PacketCollector> Schedule<'_, C> {
    fn trace(mut self) {
        let rays = self.batch.rays;
        let mut tiles = Tiles::new(self.batch.tree);
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

    /// Traces a run of incoherent rays, at most [`MAX_INCOHERENT`]. A short run joins the left-over
    /// rays.
    fn trace_incoherent(&mut self, run: Range<usize>) {
        if run.len() < MAX_SHORT_RUN {
            self.state.leftover.extend(run.map(|index| index as u32));
            if self.state.leftover.len() >= MAX_LEFTOVER {
                self.trace_leftover();
            }
            return;
        }
        let rays = &self.batch.rays[run.clone()];
        let scattered =
            if is_large(self.batch.tree) { OriginBounds::of_scattered(rays) } else { None };
        match scattered {
            Some(bounds) => self.trace_sorted(&bounds, run),
            None => {
                let batch = Batch { first: self.batch.first + run.start, rays, ..self.batch };
                let results = &mut self.results[run];
                simd::run(self.isa, Incoherent::<C::Single> { batch, indices: None, results });
            }
        }
    }

    /// Traces rays in the order of their origins. Out of line, because the indices take much of the
    /// stack.
    #[inline(never)]
    fn trace_sorted(&mut self, bounds: &OriginBounds, run: Range<usize>) {
        let mut indices = [0; MAX_INCOHERENT];
        let indices = &mut indices[..run.len()];
        morton::order(bounds, &self.batch.rays[run.clone()], run.start, indices);
        self.trace_indices(indices);
    }

    fn trace_leftover(&mut self) {
        if !self.state.leftover.is_empty() {
            let leftover = std::mem::take(&mut self.state.leftover);
            self.trace_indices(&leftover);
        }
    }

    fn trace_indices(&mut self, indices: &[u32]) {
        let (batch, indices) = (self.batch, Some(indices));
        simd::run(self.isa, Incoherent::<C::Single> { batch, indices, results: self.results });
    }

    /// Traces rows tile by tile.
    fn trace_coherent(&mut self, mut rows: &[u32]) {
        while !rows.is_empty() {
            let (batch, results, state) = (self.batch, &mut *self.results, &mut self.state);
            let done = simd::run(self.isa, Coherent::<C> { batch, rows, results, state });
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
