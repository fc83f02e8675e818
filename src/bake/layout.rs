//! The wide tree, written out: parents before children, depth first.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU32, Ordering};

use smallvec::SmallVec;

use super::binary::{BinaryTree, Child, PRIM};
use super::collapse::Collapsed;
use super::gather::Kept;
use super::monitor::Monitor;
use super::{Stage, no_memory};
use crate::bvh::{LANES, LEAF, LeafBlock, MAX_BLOCKS, MAX_NODES, Node};
use crate::{BakeError, BakeErrorKind, memory, parallel};

/// What the queries walk through.
pub(crate) struct Wide {
    pub(crate) nodes: Vec<Node>,
    pub(crate) blocks: Vec<LeafBlock>,
    pub(crate) depth: u32,
    /// Lanes in use in all leaf blocks: a triangle counts in each that it is in.
    pub(crate) references: usize,
}

/// Triangles after which the monitor is told.
const REPORT: usize = 1 << 13;
/// Children of nodes down to this level are worth another thread.
const FORK_LEVELS: u32 = 3;

/// Writes the tree. Every subtree's nodes lie together, and so do its leaf blocks: as soon as their
/// numbers are known, threads can write subtrees apart.
pub(crate) fn layout(
    collapsed: &Collapsed,
    kept: &[Kept],
    monitor: &Monitor<'_>,
) -> Result<Wide, BakeError> {
    let Some(root) = collapsed.tree.root else {
        return Ok(Wide {
            nodes: Vec::new(),
            blocks: Vec::new(),
            depth: 0,
            references: 0,
        });
    };
    let sizes = memory::filled(collapsed.tree.nodes.len(), |_| {
        [AtomicU32::new(0), AtomicU32::new(0)]
    });
    let layout = Layout {
        collapsed,
        kept,
        monitor,
        sizes: sizes.map_err(|error| no_memory("sizes of subtrees", error))?,
    };
    let whole = layout.measure(root, 1);
    if whole.blocks > MAX_BLOCKS {
        return Err(too_many("leaf blocks"));
    }
    if whole.nodes > MAX_NODES {
        return Err(too_many("nodes"));
    }
    let nodes = memory::room(whole.nodes).map_err(|error| no_memory("nodes", error))?;
    let blocks = memory::room(whole.blocks).map_err(|error| no_memory("leaf blocks", error))?;
    let write = |nodes: &mut [MaybeUninit<Node>]| {
        let write = |blocks: &mut [MaybeUninit<LeafBlock>]| {
            layout.write(
                root,
                Place {
                    nodes,
                    node: 0,
                    blocks,
                    block: 0,
                },
                1,
            )
        };
        // SAFETY: a whole tree's blocks are written, or there is an error.
        unsafe { memory::fill(blocks, whole.blocks, write) }
    };
    // SAFETY: the same of its nodes.
    let (nodes, (blocks, written)) = unsafe { memory::fill(nodes, whole.nodes, write) }?;
    Ok(Wide {
        nodes,
        blocks,
        depth: written.depth,
        references: written.references,
    })
}

fn too_many(what: &str) -> BakeError {
    let message = format!("there are more {what} than can be numbered");
    BakeError::new(BakeErrorKind::TooLarge, message)
}

struct Layout<'a, 'm> {
    collapsed: &'a Collapsed,
    kept: &'a [Kept],
    monitor: &'a Monitor<'m>,
    /// Nodes and leaf blocks of the subtrees of the nodes that stay, by their number in the binary
    /// tree.
    sizes: Vec<[AtomicU32; 2]>,
}

/// How much room a subtree needs.
#[derive(Clone, Copy)]
struct Size {
    nodes: usize,
    blocks: usize,
}

/// The room that a subtree has, and the numbers of its first node and leaf block.
struct Place<'a> {
    nodes: &'a mut [MaybeUninit<Node>],
    node: usize,
    blocks: &'a mut [MaybeUninit<LeafBlock>],
    block: usize,
}

/// What has been written of a subtree.
struct Written {
    depth: u32,
    references: usize,
    /// References that the monitor has not been told of.
    untold: usize,
}

impl Layout<'_, '_> {
    /// Finds and notes the size of the subtree of a node that stays.
    fn measure(&self, root: Child, level: u32) -> Size {
        let mut size = Size {
            nodes: 1,
            blocks: 0,
        };
        let children = self.collapsed.children(root);
        let inner = |child: &&Child| !self.collapsed.is_leaf(**child);
        let below: Vec<Child> = children.as_slice().iter().filter(inner).copied().collect();
        size.blocks += children.as_slice().len() - below.len();
        let measure = |child| self.measure(child, level + 1);
        for below in parallel::map_each(level <= FORK_LEVELS, below, measure) {
            size.nodes += below.nodes;
            size.blocks += below.blocks;
        }
        // A tree of a single reference has no binary node; its size is not looked up either.
        if let Some([nodes, blocks]) = self.sizes.get(root as usize) {
            // There are fewer than 2^32 references, and no more of either than of those.
            nodes.store(size.nodes as u32, Ordering::Relaxed);
            blocks.store(size.blocks as u32, Ordering::Relaxed);
        }
        size
    }

    fn size(&self, root: Child) -> Size {
        let [nodes, blocks] = &self.sizes[root as usize];
        Size {
            nodes: nodes.load(Ordering::Relaxed) as usize,
            blocks: blocks.load(Ordering::Relaxed) as usize,
        }
    }

    /// Writes the subtree of a node that stays: all of its place.
    fn write(&self, root: Child, place: Place<'_>, level: u32) -> Result<Written, BakeError> {
        let Place {
            nodes,
            node: at,
            blocks,
            block: first_block,
        } = place;
        let mut written = Written {
            depth: level,
            references: 0,
            untold: 0,
        };
        let (this, mut nodes) = nodes.split_at_mut(1);
        let children = self.collapsed.children(root);
        let children = children.as_slice();
        let leaves = children
            .iter()
            .filter(|&&child| self.collapsed.is_leaf(child))
            .count();
        let (own_blocks, mut blocks) = blocks.split_at_mut(leaves);

        let mut node = Node::EMPTY;
        let mut below = Vec::with_capacity(children.len() - leaves);
        let (mut next_node, mut next_block) = (at + 1, first_block + leaves);
        let mut leaf = 0;
        for (lane, &child) in children.iter().enumerate() {
            let (min, max) = self.collapsed.tree.bounds(child);
            for k in 0..3 {
                node.min[k][lane] = min[k];
                node.max[k][lane] = max[k];
            }
            if self.collapsed.is_leaf(child) {
                node.child[lane] = LEAF | (first_block + leaf) as u32;
                let block = block(&self.collapsed.tree, child, self.kept);
                written.references += block.len();
                own_blocks[leaf].write(block);
                leaf += 1;
            } else {
                node.child[lane] = next_node as u32;
                let size = self.size(child);
                let (its_nodes, other_nodes) = nodes.split_at_mut(size.nodes);
                let (its_blocks, other_blocks) = blocks.split_at_mut(size.blocks);
                let place = Place {
                    nodes: its_nodes,
                    node: next_node,
                    blocks: its_blocks,
                    block: next_block,
                };
                below.push((child, place));
                (nodes, blocks) = (other_nodes, other_blocks);
                next_node += size.nodes;
                next_block += size.blocks;
            }
        }
        this[0].write(node);
        // What was measured is what is written: the callers rely on it.
        assert!(nodes.is_empty() && blocks.is_empty());
        written.untold = written.references;

        let write = |(child, place)| self.write(child, place, level + 1);
        for below in parallel::map_each(level <= FORK_LEVELS, below, write) {
            let below = below?;
            written.depth = written.depth.max(below.depth);
            written.references += below.references;
            written.untold += below.untold;
        }
        if written.untold >= REPORT {
            self.monitor.advance(Stage::Layout, written.untold);
            self.monitor.check()?;
            written.untold = 0;
        }
        Ok(written)
    }
}

/// The leaf block of a binary subtree of at most eight references.
fn block(tree: &BinaryTree, root: Child, kept: &[Kept]) -> LeafBlock {
    let mut triangles = SmallVec::<[u32; LANES]>::new();
    collect(tree, root, &mut triangles);
    // Kept triangles are in order of their ids.
    triangles.sort_unstable();
    triangles.dedup();
    let mut block = LeafBlock::EMPTY;
    for (lane, &index) in triangles.iter().enumerate() {
        let triangle = &kept[index as usize];
        block.set_corners(lane, &triangle.corners);
        block.id[lane] = triangle.id;
    }
    block
}

/// The triangles that a subtree refers to.
fn collect(tree: &BinaryTree, child: Child, triangles: &mut SmallVec<[u32; LANES]>) {
    if child & PRIM != 0 {
        triangles.push(tree.prims[(child & !PRIM) as usize].index);
    } else {
        let node = &tree.nodes[child as usize];
        collect(tree, node.left, triangles);
        collect(tree, node.right, triangles);
    }
}
