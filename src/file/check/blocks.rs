//! Whether the leaf blocks hold triangles of the meshes, within their boxes (invariants I15 to
//! I17), piece by piece on all threads.

use super::super::header::invalid;
use super::ids::{Ids, Repeated};
use super::lanes::{Slot, check_block};
use super::nodes::Shape;
use crate::LoadError;
use crate::bvh::{LANES, LeafBlock, Node, UNUSED_ID};

/// What is known before the first leaf block is looked at.
pub(super) struct Frame<'a> {
    pub(super) nodes: &'a [Node],
    pub(super) shape: &'a Shape,
    /// Triangles of all meshes, dropped ones counted.
    pub(super) total: u32,
    /// The box of everything.
    whole: Slot,
    /// Leaf blocks that there are.
    count: usize,
}

impl<'a> Frame<'a> {
    pub(super) fn new(nodes: &'a [Node], shape: &'a Shape, total: u32, count: usize) -> Self {
        let whole = Slot::whole(nodes.first().unwrap_or(&Node::EMPTY));
        Self {
            nodes,
            shape,
            total,
            whole,
            count,
        }
    }

    /// How many threads may have a [`Seen`] each, so that these are never larger than the ids that
    /// they are about.
    pub(super) fn workers(&self) -> usize {
        Ids::most(self.total, self.count)
    }
}

/// What some of the leaf blocks hold.
pub(in crate::file) struct Seen {
    ids: Ids,
    /// Used lanes.
    references: u64,
    /// Places of triangles that are not all within their lane's box.
    outside: Vec<u32>,
}

impl Seen {
    pub(super) fn nothing(frame: &Frame<'_>) -> Self {
        Self {
            ids: Ids::new(frame.total, frame.count),
            references: 0,
            outside: Vec::new(),
        }
    }

    /// Looks at leaf blocks from the `first` on.
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
                self.outside
                    .extend(lanes.map(|lane| (number * LANES + lane) as u32));
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

    /// All have been looked at: checks what has to do with triangles being in several leaf blocks.
    pub(super) fn finish(mut self, blocks: &[LeafBlock]) -> Result<Found, LoadError> {
        let found = Found {
            triangles: self.ids.different(),
            references: self.references,
        };
        let repetitions = (found.references - found.triangles) as usize;
        if repetitions > 0 || !self.outside.is_empty() {
            let repeated = self.ids.repeated(blocks);
            check_outside(blocks, &repeated, self.outside)?;
            check_repeated(blocks, &repeated, repetitions)?;
        }
        Ok(found)
    }
}

/// What all of the leaf blocks hold.
pub(super) struct Found {
    /// Different triangles.
    pub(super) triangles: u64,
    /// Used lanes.
    pub(super) references: u64,
}

/// Checks that what is not all within its lane's box was cut: that the rest is elsewhere.
fn check_outside(
    blocks: &[LeafBlock],
    repeated: &Repeated,
    mut outside: Vec<u32>,
) -> Result<(), LoadError> {
    outside.sort_unstable();
    for place in outside {
        let (number, lane) = (place as usize / LANES, place as usize % LANES);
        let id = blocks[number].id[lane];
        if !repeated.contains(id) {
            let message = format!(
                "leaf block {number}: triangle {id} is in no other, and not within its lane's box"
            );
            return Err(invalid("I16", message));
        }
    }
    Ok(())
}

/// Checks that a triangle has the same vertices wherever it is.
fn check_repeated(
    blocks: &[LeafBlock],
    repeated: &Repeated,
    repetitions: usize,
) -> Result<(), LoadError> {
    // At most twice as many places as there are repetitions.
    let mut places = Vec::with_capacity(2 * repetitions);
    for (number, block) in blocks.iter().enumerate() {
        let lanes = block.id.iter().enumerate();
        let lanes = lanes.filter(|&(_, &id)| id != UNUSED_ID && repeated.contains(id));
        places.extend(lanes.map(|(lane, &id)| (id, (number * LANES + lane) as u32)));
    }
    places.sort_unstable();
    let corners = |place: u32| {
        let (block, lane) = (place as usize / LANES, place as usize % LANES);
        blocks[block]
            .corners(lane)
            .map(|corner| corner.map(f32::to_bits))
    };
    for pair in places.windows(2) {
        let [(id, one), (other, two)] = [pair[0], pair[1]];
        if id == other && corners(one) != corners(two) {
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
