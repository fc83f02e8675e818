//! Memory of the tree that is soon needed, asked for in time.

use std::hint::select_unpredictable;

use crate::bvh::{BvhView, LEAF, LeafBlock, MAX_BLOCKS, MAX_NODES, Node, WIDTH};
use crate::prefetch::{LINE, prefetch};

/// What caches hold, about.
const CACHE: usize = 16 << 20;

/// Whether a tree is larger than a cache.
#[inline(always)]
pub(super) fn is_large(tree: &BvhView<'_>) -> bool {
    size_of_val(tree.nodes) + size_of_val(tree.blocks) > CACHE
}

/// The bits of a number: that of a node or of a leaf block.
const NUMBER: u32 = (1 << 30) - 1;
const _: () = assert!(MAX_NODES <= NUMBER as usize);
const _: () = assert!(MAX_BLOCKS <= NUMBER as usize);

/// Asks memory for a leaf block, or a node: for all of it, or all but its last part, which comes soon enough by
/// itself if the node is near. Says where it is, if it is one of the tree's.
#[inline(always)]
pub(super) fn ask_for(tree: &BvhView<'_>, child: u32, all: bool) -> *const u8 {
    const NEAR: usize = size_of::<LeafBlock>() / LINE;
    const FAR: usize = size_of::<Node>() / LINE;
    let index = (child & NUMBER) as usize;
    let node = tree.nodes.as_ptr().wrapping_add(index).cast::<u8>();
    let block = tree.blocks.as_ptr().wrapping_add(index).cast::<u8>();
    let at = select_unpredictable(child & LEAF == 0, node, block);
    // As many lines of either, for a branch would be guessed wrong; the next block is often wanted.
    for line in 0..NEAR {
        prefetch(at.wrapping_add(LINE * line));
    }
    if all {
        for line in NEAR..FAR {
            prefetch(at.wrapping_add(LINE * line));
        }
    }
    at
}

const _: () = assert!(size_of::<LeafBlock>() <= size_of::<Node>());

/// Asks memory for the children of a node whose bits are set, all of them.
#[inline(always)]
pub(super) fn ask_for_children(tree: &BvhView<'_>, node: &Node, mut mask: u32) {
    while mask != 0 {
        let lane = mask.trailing_zeros() as usize % WIDTH;
        mask &= mask - 1;
        ask_for(tree, node.child[lane], true);
    }
}
