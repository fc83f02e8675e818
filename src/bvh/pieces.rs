//! A tree whose triangles move, piece by piece on all threads.

use super::cost::subtree_area;
use super::{LeafBlock, Node};
use crate::geometry::Aabb;
use crate::platform::parallel;

#[cfg(test)]
mod tests;

/// Nodes of a piece, at least. The nodes of one piece and their leaf blocks fit into a cache.
const PIECE_NODES: usize = 128;
/// Trees of more nodes are worth several threads.
const PARALLEL_NODES: usize = 512;
/// An area that is not known yet.
const UNKNOWN: f64 = -1.0;

/// How triangles and the boxes around them move.
pub(super) trait Motion: Sync {
    /// The data that is remembered from node to node of a piece.
    type State: Default + Send;

    /// Moves the leaf blocks of a node, and the boxes in it that do not depend on the nodes below.
    /// The first of `blocks` has the number `first`.
    fn move_node(
        &self,
        state: &mut Self::State,
        node: &mut Node,
        blocks: &mut [LeafBlock],
        first: usize,
    );

    /// The new box of a child, from its present box and the box around all its contents.
    fn enclose(&self, present: &Aabb, below: &Aabb) -> Aabb;
}

/// The numbers of the node and the leaf block after the end of a piece.
#[derive(Clone, Copy)]
pub(super) struct PieceEnd {
    node: usize,
    block: usize,
}

/// Some nodes and the leaf blocks that are their children.
struct Piece<'a> {
    nodes: &'a mut [Node],
    first_node: usize,
    areas: &'a mut [f64],
    blocks: &'a mut [LeafBlock],
    first_block: usize,
}

/// Whether a tree of this many nodes is worth several threads.
pub(super) fn is_large(nodes: &[Node]) -> bool {
    nodes.len() > PARALLEL_NODES
}

/// Moves a tree, and finds its [areas](super::cost::subtree_areas). Returns the states of the
/// pieces, in order, which end at `ends`. All results are the same for any number of threads.
pub(super) fn move_tree<M: Motion>(
    motion: &M,
    ends: &[PieceEnd],
    nodes: &mut [Node],
    blocks: &mut [LeafBlock],
    areas: &mut [f64],
) -> Vec<M::State> {
    let worthwhile = is_large(nodes);
    let moved = parallel::map_each(worthwhile, pieces(ends, nodes, blocks, areas), |piece| {
        let Piece { nodes, first_node, areas, blocks, first_block } = piece;
        let mut state = M::State::default();
        for node in &mut *nodes {
            motion.move_node(&mut state, node, blocks, first_block);
        }
        let mut left = Vec::new();
        // Children come after their parents, so backwards every child is done first.
        for at in (0..nodes.len()).rev() {
            if !join(motion, nodes, areas, at, first_node) {
                areas[at] = UNKNOWN;
                left.push(first_node + at);
            }
        }
        (state, left)
    });
    let (states, left): (Vec<_>, Vec<_>) = moved.into_iter().unzip();
    for at in left.into_iter().rev().flatten() {
        join(motion, nodes, areas, at, 0);
    }
    states
}

/// Puts the boxes of nodes below into a node, and adds up its area, if all below are known.
/// `first` is the number of the first node.
fn join<M: Motion>(
    motion: &M,
    nodes: &mut [Node],
    areas: &mut [f64],
    at: usize,
    first: usize,
) -> bool {
    let (node, after) = nodes.split_at_mut(at + 1);
    let node = &mut node[at];
    let known =
        |below: usize| areas.get(below.wrapping_sub(first)).is_some_and(|&area| area != UNKNOWN);
    if !node.inner().all(|(_, below)| known(below)) {
        return false;
    }
    for (lane, below) in node.inner() {
        let below = after[below - first - at - 1].whole();
        node.set_bounds(lane, &motion.enclose(&node.bounds(lane), &below));
    }
    areas[at] = subtree_area(node, |below| areas[below - first]);
    true
}

/// Where a tree is cut, which all changes of it leave as it is: where leaf blocks are in the order
/// of the nodes above them, as a bake writes them. A piece ends where all blocks so far belong to
/// the nodes so far. In a file they may be in another order; then there may be one piece only.
pub(super) fn ends(nodes: &[Node], blocks: usize) -> Vec<PieceEnd> {
    let mut ends = Vec::new();
    let (mut count, mut end, mut first) = (0, 0, 0);
    for (number, node) in (1..).zip(nodes) {
        for (_, block) in node.leaves() {
            count += 1;
            end = end.max(block + 1);
        }
        if count == end && number - first >= PIECE_NODES && number < nodes.len() {
            ends.push(PieceEnd { node: number, block: end });
            first = number;
        }
    }
    ends.push(PieceEnd { node: nodes.len(), block: blocks });
    ends
}

fn pieces<'a>(
    ends: &[PieceEnd],
    mut nodes: &'a mut [Node],
    mut blocks: &'a mut [LeafBlock],
    mut areas: &'a mut [f64],
) -> Vec<Piece<'a>> {
    let mut first = PieceEnd { node: 0, block: 0 };
    let piece = |&end: &PieceEnd| {
        let (count, blocks_count) = (end.node - first.node, end.block - first.block);
        let piece = Piece {
            nodes: nodes.split_off_mut(..count).unwrap_or_default(),
            first_node: first.node,
            areas: areas.split_off_mut(..count).unwrap_or_default(),
            blocks: blocks.split_off_mut(..blocks_count).unwrap_or_default(),
            first_block: first.block,
        };
        first = end;
        piece
    };
    ends.iter().map(piece).collect()
}
