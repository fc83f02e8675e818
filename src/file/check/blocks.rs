//! The check of leaf blocks: that they hold triangles of the meshes, within their boxes
//! (invariants I15 to I17), piece by piece on all threads.

use std::sync::atomic::{AtomicU32, Ordering};

use super::super::checksum::PIECE;
use super::super::header::invalid;
use super::ids::Ids;
use super::lanes::{Slot, check_block};
use super::nodes::Shape;
use crate::bvh::{Keyed, LANES, LeafBlock, Node, UNUSED_ID};
use crate::error::LoadError;
use crate::platform::parallel;

/// Leaf blocks in a piece.
pub(in crate::file) const PIECE_BLOCKS: usize = PIECE / size_of::<LeafBlock>();

/// The facts that are known before the first leaf block is checked.
pub(super) struct Frame<'a> {
    nodes: &'a [Node],
    shape: &'a Shape,
    /// Triangles of all meshes, skipped ones counted.
    total: u32,
    /// The box of the whole tree.
    whole: Slot,
    /// The number of leaf blocks.
    count: usize,
}

impl<'a> Frame<'a> {
    pub(super) fn new(nodes: &'a [Node], shape: &'a Shape, total: u32, count: usize) -> Self {
        let whole = Slot::whole(nodes.first().unwrap_or(&Node::EMPTY));
        Self { nodes, shape, total, whole, count }
    }

    /// How many threads may have a [`Seen`] each, if all of these together are to take no more
    /// memory than the ids in the leaf blocks.
    pub(super) fn workers(&self) -> usize {
        Ids::most(self.total, self.count)
    }
}

/// What was found in some of the leaf blocks.
pub(in crate::file) struct Seen {
    ids: Ids,
    /// Used lanes.
    references: u64,
    /// Places of triangles that reach out of their lane's box.
    outside: Vec<u32>,
}

impl Seen {
    pub(super) fn nothing(frame: &Frame<'_>) -> Self {
        Self { ids: Ids::new(frame.total, frame.count), references: 0, outside: Vec::new() }
    }

    /// Checks leaf blocks; the number of the first is `first`.
    pub(super) fn look(
        &mut self,
        frame: &Frame<'_>,
        first: usize,
        blocks: &[LeafBlock],
    ) -> Result<(), LoadError> {
        for (number, block) in (first..).zip(blocks) {
            let slot = frame.shape.slot(frame.nodes, number);
            let (used, outside) = check_block(block, &slot, &frame.whole, number, frame.total)?;
            self.references += used as u64;
            self.ids.insert(&block.id);
            if outside != 0 {
                let lanes = (0..LANES).filter(|lane| outside >> lane & 1 != 0);
                self.outside.extend(lanes.map(|lane| (number * LANES + lane) as u32));
            }
        }
        Ok(())
    }

    pub(super) fn merge(mut self, other: Self) -> Self {
        self.ids.merge(other.ids);
        self.references += other.references;
        self.outside.extend_from_slice(&other.outside);
        self
    }

    /// After all leaf blocks: checks the triangles that are in several of them.
    pub(super) fn finish(mut self, blocks: &[LeafBlock]) -> Result<Found, LoadError> {
        let found = Found { triangles: self.ids.finish(), references: self.references };
        check_outside(blocks, &self.ids, self.outside)?;
        let repetitions = (found.references - found.triangles) as usize;
        if repetitions > 0 && !repeated_agree(blocks, &self.ids) {
            check_repeated(blocks, &self.ids, repetitions)?;
        }
        Ok(found)
    }
}

/// What was found in all of the leaf blocks.
pub(super) struct Found {
    /// Different triangles.
    pub(super) triangles: u64,
    /// Used lanes.
    pub(super) references: u64,
}

/// Checks that a triangle that reaches out of its lane's box was cut: that it is in another leaf
/// block too.
fn check_outside(blocks: &[LeafBlock], ids: &Ids, mut outside: Vec<u32>) -> Result<(), LoadError> {
    outside.sort_unstable();
    for place in outside {
        let (number, lane) = (place as usize / LANES, place as usize % LANES);
        let id = blocks[number].id[lane];
        if !ids.is_repeated(id) {
            let message = format!(
                "leaf block {number}: triangle {id} is in no other, and not within its lane's box"
            );
            return Err(invalid("I16", message));
        }
    }
    Ok(())
}

/// A triangle's vertices, bit for bit, in one of its places.
fn corners(blocks: &[LeafBlock], place: u32) -> [[u32; 3]; 3] {
    let (block, lane) = (place as usize / LANES, place as usize % LANES);
    blocks[block].corners(lane).map(|corner| corner.map(f32::to_bits))
}

/// Whether every triangle has the same vertices in all its places; `false` also where that is not
/// easily told. Works on all threads: the first to come to a triangle writes down its place, and
/// the others compare theirs with that.
fn repeated_agree(blocks: &[LeafBlock], ids: &Ids) -> bool {
    const NOWHERE: u32 = u32::MAX;
    let Ids::Bits(bits) = ids else {
        return false;
    };
    let ranks = bits.ranks();
    let first: Vec<AtomicU32> = (0..ranks.count).map(|_| AtomicU32::new(NOWHERE)).collect();
    let agree = |all: &mut bool, (piece, some): (usize, &[LeafBlock])| {
        for (number, block) in (piece * PIECE_BLOCKS..).zip(some) {
            for (lane, &id) in block.id.iter().enumerate() {
                let Some(rank) = (id != UNUSED_ID).then(|| ranks.rank(id)).flatten() else {
                    continue;
                };
                let place = (number * LANES + lane) as u32;
                let order = Ordering::Relaxed;
                if let Err(other) = first[rank].compare_exchange(NOWHERE, place, order, order) {
                    *all &= corners(blocks, place) == corners(blocks, other);
                }
            }
        }
    };
    let pieces = blocks.chunks(PIECE_BLOCKS).enumerate();
    let agreed = parallel::share(usize::MAX, pieces, || true, agree);
    agreed.into_iter().all(|all| all)
}

/// Checks that a triangle has the same vertices in all its places, and names the first that has
/// not.
fn check_repeated(blocks: &[LeafBlock], ids: &Ids, repetitions: usize) -> Result<(), LoadError> {
    // At most twice as many places as there are repetitions.
    let mut places = Vec::with_capacity(2 * repetitions);
    for (number, block) in blocks.iter().enumerate() {
        let lanes = block.id.iter().enumerate();
        let lanes = lanes.filter(|&(_, &id)| id != UNUSED_ID && ids.is_repeated(id));
        let keyed = |(lane, &id)| Keyed::new(id, (number * LANES + lane) as u32);
        places.extend(lanes.map(keyed));
    }
    Keyed::sort(&mut places);
    for pair in places.windows(2) {
        let ([id, other], [one, two]) =
            ([pair[0].key(), pair[1].key()], [pair[0].number(), pair[1].number()]);
        if id == other && corners(blocks, one) != corners(blocks, two) {
            let message = format!(
                "triangle {id} has other vertices in leaf block {} than in leaf block {}",
                two as usize / LANES,
                one as usize / LANES
            );
            return Err(invalid("I17", message));
        }
    }
    Ok(())
}
