//! Prefetching: the tree's memory that is needed soon.

use std::ops::Range;

use crate::bvh::{LEAF, LeafBlock, MAX_BLOCKS, MAX_NODES, Node, TreeView, WIDTH};
use crate::platform::{CACHE_LINE, prefetch_line};

/// About the size of a cache.
pub(crate) const CACHE: usize = 16 << 20;

/// Whether a tree is larger than a cache.
#[inline(always)]
pub(crate) fn is_large(tree: &TreeView<'_>) -> bool {
    size_of_val(tree.nodes) + size_of_val(tree.blocks) > CACHE
}

/// Prefetches a leaf block, all of it.
#[inline(always)]
pub(crate) fn prefetch_block(tree: &TreeView<'_>, index: u32) {
    prefetch_lines(tree.blocks.as_ptr().wrapping_add(index as usize).cast(), 0..NEAR);
}

/// Prefetches a node, all of it.
#[inline(always)]
pub(crate) fn prefetch_node(nodes: &[Node], index: u32) {
    prefetch_lines(nodes.as_ptr().wrapping_add(index as usize).cast(), 0..FAR);
}

/// The bits of a child that number a node or a leaf block.
pub(crate) const NUMBER: u32 = (1 << 30) - 1;
const _: () = assert!(MAX_NODES <= NUMBER as usize);
const _: () = assert!(MAX_BLOCKS <= NUMBER as usize);

/// Where a tree's nodes and leaf blocks are, by the first two bits of a child: without a branch.
pub(crate) struct Prefetcher {
    first: [*const u8; 4],
    size: [usize; 4],
    large: bool,
}

impl Prefetcher {
    pub(crate) fn new(tree: &TreeView<'_>) -> Self {
        let (nodes, blocks) = (tree.nodes.as_ptr().cast(), tree.blocks.as_ptr().cast());
        let (node, block) = (size_of::<Node>(), size_of::<LeafBlock>());
        const _: () = assert!(LEAF == 2 << 30);
        Self {
            first: [nodes, nodes, blocks, blocks],
            size: [node, node, block, block],
            large: is_large(tree),
        }
    }

    /// Where a child is, if it is one of the tree's.
    #[inline(always)]
    fn at(&self, child: u32) -> *const u8 {
        let kind = (child >> 30) as usize;
        let index = (child & NUMBER) as usize;
        self.first[kind].wrapping_add(index.wrapping_mul(self.size[kind]))
    }

    /// Prefetches a leaf block or a node, and gives its address, if it is one of the tree's. In a
    /// tree that a cache holds, its last part is left out: it comes soon enough by itself.
    #[inline(always)]
    pub(crate) fn prefetch_child(&self, child: u32) -> *const u8 {
        let at = self.at(child);
        // As many lines for a block as for a node: a branch would be mispredicted, and the next
        // block is often needed too.
        prefetch_lines(at, 0..NEAR);
        if self.large {
            prefetch_lines(at, NEAR..FAR);
        }
        at
    }

    /// Prefetches the children of a node whose bits are set, all of each.
    #[inline(always)]
    pub(crate) fn prefetch_children(&self, node: &Node, mut mask: u32) {
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize % WIDTH;
            mask &= mask - 1;
            prefetch_lines(self.at(node.child[lane]), 0..FAR);
        }
    }
}

/// The cache lines of a leaf block, and of a node.
const NEAR: usize = size_of::<LeafBlock>() / CACHE_LINE;
const FAR: usize = size_of::<Node>() / CACHE_LINE;
const _: () = assert!(NEAR <= FAR);

#[inline(always)]
pub(crate) fn prefetch_lines(at: *const u8, lines: Range<usize>) {
    for line in lines {
        prefetch_line(at.wrapping_add(CACHE_LINE * line));
    }
}
