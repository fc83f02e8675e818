//! The wide tree, written out: parents before children, depth first.

use std::mem::{self, MaybeUninit};

use smallvec::SmallVec;

use super::buffers::Buffers;
use super::bvh2::{Bvh2, Child, PRIM_FLAG};
use super::collapse::Collapsed;
use super::measure::{FORK_LEVELS, REPORT_LEAVES, SubtreeSize, measure};
use super::pass::Pass;
use super::progress::{ProgressMonitor, STAGE_UNITS};
use super::triangles::InputTriangle;
use super::{BakeOptions, no_memory};
use crate::bvh::{LANES, LEAF, LeafBlock, MAX_BLOCKS, MAX_DEPTH, MAX_NODES, Node, WIDTH, chance};
use crate::error::{BakeError, BakeErrorKind};
use crate::platform::{memory, parallel, prefetch_line};

/// What the queries walk through.
pub(crate) struct WideTree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) blocks: Vec<LeafBlock>,
    pub(crate) depth: u32,
    /// Lanes in use in all leaf blocks: a triangle counts in each that it is in.
    pub(crate) references: usize,
}

/// The work of measuring, a part of the whole.
const MEASURE_UNITS: u32 = STAGE_UNITS / 8;
/// The work of writing the nodes.
const NODE_UNITS: u32 = STAGE_UNITS / 4;
/// The work of adding up what rays through it cost.
pub(super) const COST_UNITS: u32 = STAGE_UNITS / 32;
/// What is left: for writing the leaf blocks.
const BLOCK_UNITS: u32 = STAGE_UNITS - MEASURE_UNITS - NODE_UNITS - COST_UNITS;

/// The triangles of a leaf, by their numbers among those kept; then [`NO_TRIANGLE`].
pub(super) type LeafTriangles = [u32; LANES];
const NO_TRIANGLE: u32 = u32::MAX;
/// Leaves from the one that is written to the one whose triangles are asked for.
const PREFETCH_LEAVES: usize = 4;

/// Writes the tree. Every subtree's nodes lie together, and so do its leaves: as soon as their
/// numbers are known, threads can write subtrees apart. The leaf blocks, which need most room, come
/// last, when the binary tree is gone.
pub(crate) fn emit(
    collapsed: Collapsed,
    kept: &[InputTriangle],
    options: &BakeOptions,
    buffers: &mut Buffers,
    monitor: &ProgressMonitor<'_>,
) -> Result<WideTree, BakeError> {
    let Some(root) = collapsed.tree.root else {
        return Ok(WideTree { nodes: Vec::new(), blocks: Vec::new(), depth: 0, references: 0 });
    };
    let (whole, sizes) = measure(&collapsed, root, MEASURE_UNITS, monitor)?;
    if whole.leaves > MAX_BLOCKS {
        return Err(too_many("leaf blocks"));
    }
    if whole.nodes > MAX_NODES {
        return Err(too_many("nodes"));
    }
    let emitter = Emitter {
        units_each: f64::from(NODE_UNITS) / whole.leaves as f64,
        collapsed: &collapsed,
        options,
        monitor,
        sizes,
    };
    let nodes = memory::room(whole.nodes).map_err(|error| no_memory("nodes", error))?;
    let leaves = memory::room_in(mem::take(&mut buffers.leaves), whole.leaves);
    let leaves = leaves.map_err(|error| no_memory("leaves", error))?;
    let write = |nodes: &mut [MaybeUninit<Node>]| {
        let write = |leaves: &mut [MaybeUninit<LeafTriangles>]| {
            let place = Slot { nodes, node: 0, leaves, leaf: 0 };
            emitter.write(root, place, 1)
        };
        // SAFETY: a whole tree's leaves are written, or there is an error.
        unsafe { memory::fill(leaves, whole.leaves, write) }
    };
    // SAFETY: the same of its nodes.
    let (nodes, (leaves, written)) = unsafe { memory::fill(nodes, whole.nodes, write) }?;
    // Rays have no room for more; `BakeOptions::depth` sees to it.
    assert!(written.depth <= MAX_DEPTH);
    buffers.give_back_tree(collapsed);

    let blocks = blocks(&leaves, kept, monitor)?;
    buffers.give_back_leaves(leaves);
    Ok(WideTree { nodes, blocks, depth: written.depth, references: written.references })
}

fn too_many(what: &str) -> BakeError {
    let message = format!("there are more {what} than can be numbered");
    BakeError::new(BakeErrorKind::TooLarge, message)
}

struct Emitter<'a, 'm> {
    collapsed: &'a Collapsed,
    options: &'a BakeOptions,
    monitor: &'a ProgressMonitor<'m>,
    /// The work of a leaf.
    units_each: f64,
    /// Of the nodes' subtrees, by their numbers.
    sizes: Vec<SubtreeSize>,
}

/// The room that a subtree has, and the numbers of its first node and leaf.
struct Slot<'a> {
    nodes: &'a mut [MaybeUninit<Node>],
    node: usize,
    leaves: &'a mut [MaybeUninit<LeafTriangles>],
    leaf: usize,
}

/// A child of a node.
struct ChildLane {
    child: Child,
    /// As in [`Node::child`].
    number: u32,
    /// What a ray that meets its box is expected to cost from there on.
    cost: f64,
}

/// What has been written of a subtree.
struct Emitted {
    /// As of a [`Lane`].
    cost: f64,
    depth: u32,
    references: usize,
    /// Leaves that the monitor has not been told of.
    untold: usize,
}

impl Emitter<'_, '_> {
    /// Writes the subtree of a node that stays: all of its place.
    fn write(&self, root: Child, place: Slot<'_>, level: u32) -> Result<Emitted, BakeError> {
        let Slot { nodes, node: at, leaves, leaf: first_leaf } = place;
        let (this, mut nodes) = nodes.split_at_mut(1);
        let children = self.collapsed.children(root);
        let children = children.as_slice();
        let is_leaf = |child: &&Child| self.collapsed.is_leaf(**child);
        let own = children.iter().filter(is_leaf).count();
        let (own_leaves, mut leaves) = leaves.split_at_mut(own);
        let mut written = Emitted { cost: 0.0, depth: level, references: 0, untold: own };

        let mut lanes: SmallVec<[ChildLane; WIDTH]> = SmallVec::new();
        let mut below = Vec::with_capacity(children.len() - own);
        let (mut next_node, mut next_leaf) = (at + 1, first_leaf + own);
        let mut leaf = 0;
        for &child in children {
            let number;
            if self.collapsed.is_leaf(child) {
                number = LEAF | (first_leaf + leaf) as u32;
                let triangles = triangles(&self.collapsed.tree, child);
                written.references += triangles.len();
                let mut padded = [NO_TRIANGLE; LANES];
                padded[..triangles.len()].copy_from_slice(&triangles);
                own_leaves[leaf].write(padded);
                leaf += 1;
            } else {
                number = next_node as u32;
                let size = self.sizes[next_node];
                let (its_nodes, other_nodes) = nodes.split_at_mut(size.nodes);
                let (its_leaves, other_leaves) = leaves.split_at_mut(size.leaves);
                let place =
                    Slot { nodes: its_nodes, node: next_node, leaves: its_leaves, leaf: next_leaf };
                below.push((child, place));
                (nodes, leaves) = (other_nodes, other_leaves);
                next_node += size.nodes;
                next_leaf += size.leaves;
            }
            lanes.push(ChildLane { child, number, cost: f64::from(self.options.leaf_cost) });
        }
        // What was measured is what is written: the callers rely on it.
        assert!(nodes.is_empty() && leaves.is_empty());

        let write = |(child, place)| self.write(child, place, level + 1);
        let mut inner = lanes.iter_mut().filter(|lane| lane.number & LEAF == 0);
        for below in parallel::map_each(level <= FORK_LEVELS, below, write) {
            let below = below?;
            if let Some(lane) = inner.next() {
                lane.cost = below.cost;
            }
            written.depth = written.depth.max(below.depth);
            written.references += below.references;
            written.untold += below.untold;
        }
        if written.untold >= REPORT_LEAVES {
            self.monitor.advance((written.untold as f64 * self.units_each) as u32);
            self.monitor.check()?;
            written.untold = 0;
        }
        written.cost = self.cost(root, &lanes);
        this[0].write(self.node(&mut lanes));
        Ok(written)
    }

    /// What a ray that meets a node's box is expected to cost from there on.
    fn cost(&self, node: Child, lanes: &[ChildLane]) -> f64 {
        let whole = self.collapsed.tree.half_area(node);
        let costs = lanes.iter().map(|lane| {
            let area = self.collapsed.tree.half_area(lane.child);
            chance(area, whole) * lane.cost
        });
        f64::from(self.options.node_cost) + costs.sum::<f64>()
    }

    /// A node of these children, the cheapest last: a ray that asks whether there is any hit begins
    /// there. (By the chance of a hit for the cost, as of Nah and Manocha 2014, but that all have the same
    /// chance: to reckon with their triangles' areas saves no more time.)
    fn node(&self, lanes: &mut [ChildLane]) -> Node {
        lanes.sort_by(|a, b| b.cost.total_cmp(&a.cost));
        let mut node = Node::EMPTY;
        for (i, lane) in lanes.iter().enumerate() {
            let (min, max) = self.collapsed.tree.bounds(lane.child);
            for k in 0..3 {
                node.min[k][i] = min[k];
                node.max[k][i] = max[k];
            }
            node.child[i] = lane.number;
        }
        node
    }
}

/// The triangles of a binary subtree of at most eight references, each once, in order.
fn triangles(tree: &Bvh2, root: Child) -> SmallVec<[u32; LANES]> {
    let mut triangles = SmallVec::new();
    collect(tree, root, &mut triangles);
    triangles.sort_unstable();
    triangles.dedup();
    triangles
}

/// The triangles that a subtree refers to.
fn collect(tree: &Bvh2, child: Child, triangles: &mut SmallVec<[u32; LANES]>) {
    if child & PRIM_FLAG != 0 {
        triangles.push(tree.prims[(child & !PRIM_FLAG) as usize].index);
        return;
    }
    let node = &tree.nodes[child as usize];
    if let Some(run) = node.run() {
        triangles.extend(tree.prims[run].iter().map(|prim| prim.index));
    } else {
        collect(tree, node.left, triangles);
        collect(tree, node.right, triangles);
    }
}

/// The leaves' blocks.
fn blocks(
    leaves: &[LeafTriangles],
    kept: &[InputTriangle],
    monitor: &ProgressMonitor<'_>,
) -> Result<Vec<LeafBlock>, BakeError> {
    let blocks = memory::room(leaves.len()).map_err(|error| no_memory("leaf blocks", error))?;
    let pass = Pass::new(monitor, BLOCK_UNITS, leaves.len());
    let write = |blocks: &mut [MaybeUninit<LeafBlock>]| {
        let some = blocks.chunks_mut(REPORT_LEAVES).zip(leaves.chunks(REPORT_LEAVES));
        parallel::map_each(true, some.collect(), |(blocks, leaves)| {
            let leaves = pass.over(leaves);
            for (i, (block, leaf)) in blocks.iter_mut().zip(leaves).enumerate() {
                if let Some(ahead) = leaves.get(i + PREFETCH_LEAVES) {
                    in_leaf(ahead)
                        .for_each(|index| prefetch_line(kept.as_ptr().wrapping_add(index).cast()));
                }
                write_block(block.write(LeafBlock::EMPTY), leaf, kept);
            }
        });
        monitor.check()
    };
    // SAFETY: every leaf's block is written, or there is an error.
    let (blocks, ()) = unsafe { memory::fill(blocks, leaves.len(), write) }?;
    Ok(blocks)
}

/// Where the triangles of a leaf are among those kept.
fn in_leaf(leaf: &LeafTriangles) -> impl Iterator<Item = usize> {
    let triangles = leaf.iter().take_while(|&&index| index != NO_TRIANGLE);
    triangles.map(|&index| index as usize)
}

/// Writes a leaf into an empty block. InputTriangle triangles are in order of their ids, and so are those of the
/// block.
fn write_block(block: &mut LeafBlock, leaf: &LeafTriangles, kept: &[InputTriangle]) {
    for (lane, index) in in_leaf(leaf).enumerate() {
        let triangle = &kept[index];
        block.set_corners(lane, &triangle.corners);
        block.id[lane] = triangle.id;
    }
}
