//! Tiles of coherent rays, traced as packets.

use bytemuck::Zeroable;
use smallvec::SmallVec;

use super::batched::{Batched, PacketRays};
use crate::platform::prefetch_slice;
use crate::simd::{self, InstructionSet};
use crate::traverse::packet::{Gather, Mask, Packet, RAYS, ROW, ROWS, RayRows, lanes};

/// After this many rays of a tile that do not lead a packet, its other rays are left over.
const MAX_FAILED_LEADS: usize = 2;

/// A packet whose rays left it more than this many times each is divergent: the triangles
/// are smaller than the gaps between its rays.
const MAX_LEFT_PER_RAY: usize = 2;

/// After a divergent packet, this many tiles form no packets.
const SKIPPED_TILES: usize = 4;

/// The memory of the next tile is prefetched in up to this many parts: one at first, two with each
/// packet.
const PREFETCH_PARTS: usize = 3;

/// Left-over rays are traced when there are this many.
pub(crate) const MAX_LEFTOVER: usize = 384;

/// Shorter runs of incoherent rays join the left-over rays.
pub(crate) const MAX_SHORT_RUN: usize = 128;
const _: () = assert!(RAYS <= MAX_SHORT_RUN);

/// The indices of left-over rays: those that form no packet. There is room for a last tile or run.
pub(crate) type Leftover = SmallVec<[u32; MAX_LEFTOVER + MAX_SHORT_RUN]>;

/// What the tiles of a batch hand on from one to the next.
pub(crate) struct TileState {
    pub(crate) leftover: Leftover,
    /// How many more tiles form no packets, since a packet was divergent.
    pub(crate) skip: usize,
    /// The index of the next rays to prefetch. It goes up by a tile's rays with each tile.
    pub(crate) prefetch_from: usize,
}

/// Traces rows tile by tile, each given by the index of its first ray. Returns how many rows it has
/// traced: it stops early if the left-over rays have to be traced first. This is no kernel, but
/// calls some for each packet.
pub(super) fn trace_tiles<'a, B: Batched<'a>>(
    batch: B,
    isa: InstructionSet,
    rows: &[u32],
    results: &mut [B::Answer],
    state: &mut TileState,
) -> usize {
    let (first, rays, facts) = (batch.first(), batch.rays(), batch.facts());
    let TileState { leftover, skip, prefetch_from } = state;
    let mut packet = Packet::zeroed();
    let mut done = 0;
    let mut memory = B::Memory::default();
    while done < rows.len() && leftover.len() < MAX_LEFTOVER {
        let tile = &rows[done..rows.len().min(done + ROWS)];
        done += tile.len();
        let ray_rows = RayRows::new((first, rays), tile);
        // Prefetches the results of the next tile, whose rows are too far apart for the
        // hardware, and as many of the rays that come next. In parts, because a processor waits
        // when too many cache lines are requested at once.
        let next = &rows[done..rows.len().min(done + ROWS)];
        let mut parts = 0..ROWS;
        let mut prefetch = |results: &[_]| {
            for part in parts.by_ref().take(ROWS.div_ceil(PREFETCH_PARTS)) {
                let first = *prefetch_from + part * ROW;
                prefetch_slice(rays.get(first..first + ROW).unwrap_or(&[]));
                if let Some(&row) = next.get(part) {
                    prefetch_slice(&results[row as usize..][..ROW]);
                }
            }
        };
        prefetch(results);

        let mut left = Mask::MAX >> (RAYS - tile.len() * ROW);
        let mut failed: Mask = 0;
        while left != 0 && *skip == 0 && (failed.count_ones() as usize) < MAX_FAILED_LEADS {
            let gather = Gather {
                packet: &mut packet,
                facts,
                rays: &ray_rows,
                wanted: (left, B::MIN_RAYS),
                max_difference: B::MAX_DIRECTION_DIFFERENCE,
            };
            let taken = simd::run_many(isa, gather);
            if taken == 0 {
                let lead = left & left.wrapping_neg();
                failed |= lead;
                left ^= lead;
                continue;
            }
            prefetch(results);
            left &= !taken;
            let rays = &PacketRays { rows: &ray_rows, starts: tile, taken };
            // SAFETY: the packet has just been gathered of these rays.
            let left_packet = unsafe {
                let prefetch = &mut prefetch;
                batch.trace_packet(isa, &mut packet, rays, &mut memory, prefetch, results)
            };
            if left_packet > MAX_LEFT_PER_RAY * taken.count_ones() as usize {
                *skip = SKIPPED_TILES + 1;
            }
        }
        *prefetch_from += RAYS;
        *skip = skip.saturating_sub(1);
        for lane in lanes(left | failed) {
            leftover.push(tile[lane / ROW] + (lane % ROW) as u32);
        }
    }
    done
}
