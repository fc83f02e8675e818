//! Tiles of neighbours, through the tree as packets.

use super::{ODD, Odd};
use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::platform::prefetch_slice;
use crate::simd::{Isa, Task};
use crate::traverse::collect::collector::Collector;
use crate::traverse::packet;
use crate::traverse::packet::{Group, Mask, Packet, RAYS, ROW, ROWS, Rows};

/// Fewer neighbours than this are as soon done alone.
const LEAST: u32 = 6;

/// So many rays of a tile may look for company in vain.
const TRIES: usize = 2;

/// Rays of a packet that had to go on by themselves so often, each, have little in common: the level is
/// finer than they are close.
const STRAYS: usize = 2;

/// So many times a tile asks for a part of what comes next.
const PARTS: usize = 3;

/// So many tiles after such a packet are not put together.
const APART: usize = 4;

/// Rows that may go together, tile by tile, as a task for an instruction set. Says how many were
/// done: not all, if there are odd ones to be asked first.
pub(crate) struct Together<'a, G: Group> {
    pub(crate) tree: &'a TreeView<'a>,
    /// The index of the first of `rays` in the batch.
    pub(crate) first: usize,
    pub(crate) rays: &'a [Ray],
    /// The numbers of their first rays.
    pub(crate) rows: &'a [u32],
    pub(crate) input: <G::One as Collector>::Input,
    pub(crate) results: &'a mut [<G::One as Collector>::Output],
    /// Those that do not go with others after all.
    pub(crate) odd: &'a mut Odd,
    /// So many tiles are not worth a try.
    pub(crate) apart: &'a mut usize,
    /// Rays from here on are looked at next.
    pub(crate) soon: &'a mut usize,
}

impl<G: Group> Task for Together<'_, G> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let Self { tree, first, rays, rows, input, results, odd, apart, soon } = self;
        let mut packet = Packet::ROOM;
        let mut done = 0;
        let mut occluder = None;
        while done < rows.len() && odd.len() < ODD {
            let tile = &rows[done..rows.len().min(done + ROWS)];
            done += tile.len();
            let from = Rows::new(first, rays, tile);
            // Where the next tile's results go, for its rows are far apart, so that nobody but us asks for them
            // in time; and as many of the rays that are looked at next. Little by little: a processor waits for
            // no more than a few lines at a time.
            let next = &rows[done..rows.len().min(done + ROWS)];
            let mut parts = 0..ROWS;
            let mut ask = |results: &[_]| {
                for part in parts.by_ref().take(ROWS.div_ceil(PARTS)) {
                    let first = *soon + part * ROW;
                    prefetch_slice(rays.get(first..first + ROW).unwrap_or(&[]));
                    if let Some(&row) = next.get(part) {
                        prefetch_slice(&results[row as usize..][..ROW]);
                    }
                }
            };
            ask(results);

            let mut left = Mask::MAX >> (RAYS - tile.len() * ROW);
            let mut in_vain: Mask = 0;
            while left != 0 && *apart == 0 && (in_vain.count_ones() as usize) < TRIES {
                let taken = packet.fill::<I::Wide>(isa, tree, &from, left);
                if taken.count_ones() < LEAST {
                    let first = left & left.wrapping_neg();
                    in_vain |= first;
                    left ^= first;
                    continue;
                }
                ask(results);
                left &= !taken;
                let mut group = G::new(input);
                // SAFETY: the view is of a valid tree; `fill` has put these rays into the packet, and an
                // occluder is a block that an earlier packet was shown.
                let strays = unsafe {
                    let strays = packet::walk::<I, G>(
                        isa,
                        tree,
                        &from,
                        &mut packet,
                        taken,
                        &mut occluder,
                        &mut group,
                    );
                    ask(results);
                    group.finish(isa, &packet, rays, tile, taken, results);
                    strays
                };
                if strays > STRAYS * taken.count_ones() as usize {
                    *apart = APART + 1;
                }
            }
            *soon += RAYS;
            *apart = apart.saturating_sub(1);
            let mut left = left | in_vain;
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                left &= left - 1;
                odd.push(tile[lane / ROW] + (lane % ROW) as u32);
            }
        }
        done
    }
}
