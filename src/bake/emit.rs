//! The last stage: the wide tree, written out depth first, parents before children.

use std::mem::MaybeUninit;

use smallvec::SmallVec;

use super::bvh2::{Bvh2, Child, PRIM_FLAG};
use super::collapse::{Children, Collapsed};
use super::progress::{Pass, ProgressMonitor, STAGE_UNITS};
use super::triangles::InputTriangle;
use crate::bvh::{LANES, LEAF, LeafBlock, MAX_BLOCKS, MAX_DEPTH, MAX_NODES, Node, WIDTH, chance};
use crate::error::{BakeError, BakeErrorKind};
use crate::platform::{memory, parallel, prefetch_line};

/// The tree as queries use it.
pub(super) struct WideTree {
    pub(super) nodes: Vec<Node>,
    pub(super) blocks: Vec<LeafBlock>,
    pub(super) depth: u32,
    /// Used lanes of all leaf blocks.
    pub(super) references: usize,
}

/// The work of measuring the tree.
const MEASURE_UNITS: u32 = STAGE_UNITS / 8;
/// The work of writing the nodes.
const NODE_UNITS: u32 = STAGE_UNITS / 4;
/// The work of computing the tree's cost.
pub(super) const COST_UNITS: u32 = STAGE_UNITS / 32;
/// The rest of the stage: the work of writing the leaf blocks.
const BLOCK_UNITS: u32 = STAGE_UNITS - MEASURE_UNITS - NODE_UNITS - COST_UNITS;

/// Leaves after which progress is reported.
const REPORT_LEAVES: usize = 1 << 10;
/// Children of nodes down to this level are worth another thread.
const FORK_LEVELS: u32 = 3;
/// How many leaves ahead triangles are prefetched.
const PREFETCH_LEAVES: usize = 4;

/// The triangles of a leaf, by their indices among the input triangles; then [`NO_TRIANGLE`].
pub(super) type LeafTriangles = [u32; LANES];
const NO_TRIANGLE: u32 = u32::MAX;

/// Writes the tree. The nodes of a subtree lie together, and so do its leaves: once their numbers
/// are known, threads write subtrees independently. The leaf blocks, which take most memory, are
/// written last, when the binary tree has been freed.
pub(super) fn emit(
    collapsed: Collapsed,
    triangles: &[InputTriangle],
    monitor: &ProgressMonitor<'_>,
) -> Result<WideTree, BakeError> {
    let Some(root) = collapsed.tree.root else {
        return Ok(WideTree { nodes: Vec::new(), blocks: Vec::new(), depth: 0, references: 0 });
    };
    let mut sizes = Vec::new();
    // As if a leaf had two references; there are rarely fewer.
    let units_each = f64::from(MEASURE_UNITS) * 2.0 / collapsed.tree.references as f64;
    let whole = Emitter { units_each, collapsed: &collapsed, monitor }.measure(root, 1, &mut sizes);
    monitor.check()?;
    if whole.leaves > MAX_BLOCKS {
        return Err(too_many("leaf blocks"));
    }
    if whole.nodes > MAX_NODES {
        return Err(too_many("nodes"));
    }
    let units_each = f64::from(NODE_UNITS) / whole.leaves as f64;
    let emitter = Emitter { units_each, collapsed: &collapsed, monitor };
    let nodes =
        memory::room(whole.nodes).map_err(|error| BakeError::out_of_memory("nodes", error))?;
    let leaves =
        memory::room(whole.leaves).map_err(|error| BakeError::out_of_memory("leaves", error))?;
    let write = |nodes: &mut [MaybeUninit<Node>]| {
        let write = |leaves: &mut [MaybeUninit<LeafTriangles>]| {
            emitter.write(root, &sizes, Slot { nodes, node: 0, leaves, leaf: 0 }, 1)
        };
        // SAFETY: `write` returns `Ok` only when each subtree has written its own leaves and passed
        // the rest on; it asserts that the measured sizes leave none over.
        unsafe { memory::fill(leaves, whole.leaves, write) }
    };
    // SAFETY: as with the leaves, a subtree writes its first node and passes all others on.
    let (nodes, (leaves, written)) = unsafe { memory::fill(nodes, whole.nodes, write) }?;
    // The traversal stack has no room for more. The split's limit on binary levels ensures it.
    assert!(written.depth <= MAX_DEPTH);
    drop(collapsed);

    let blocks = write_blocks(&leaves, triangles, monitor)?;
    Ok(WideTree { nodes, blocks, depth: written.depth, references: written.references })
}

fn too_many(what: &str) -> BakeError {
    let message = format!("the tree has more {what} than can be numbered");
    BakeError::new(BakeErrorKind::TooLarge, message)
}

/// How many nodes and leaves a subtree has.
#[derive(Clone, Copy)]
struct SubtreeSize {
    nodes: usize,
    leaves: usize,
}

struct Emitter<'a, 'm> {
    /// The work of a leaf.
    units_each: f64,
    collapsed: &'a Collapsed,
    monitor: &'a ProgressMonitor<'m>,
}

/// The memory of a subtree, and the indices of its first node and leaf.
struct Slot<'a> {
    nodes: &'a mut [MaybeUninit<Node>],
    node: usize,
    leaves: &'a mut [MaybeUninit<LeafTriangles>],
    leaf: usize,
}

/// A child of a wide node.
struct NodeChild {
    subtree: Child,
    /// As in [`Node::child`].
    number: u32,
    /// The expected cost of a ray that hits its box, from there on.
    cost: f64,
}

/// What has been written of a subtree.
struct Written {
    /// As in [`NodeChild`].
    cost: f64,
    depth: u32,
    references: usize,
    /// Leaves that have not been reported to the monitor.
    unreported: usize,
}

impl Emitter<'_, '_> {
    /// Finds the size of a wide node's subtree. Appends it, then the sizes of the nodes below, in
    /// the order of the nodes. If the bake does not go on, the sizes must not be used.
    fn measure(&self, root: Child, level: u32, sizes: &mut Vec<SubtreeSize>) -> SubtreeSize {
        let mut size = SubtreeSize { nodes: 1, leaves: 0 };
        if !self.monitor.keep_going() {
            return size;
        }
        let place = sizes.len();
        sizes.push(size);
        let children = self.collapsed.children(root);
        let inner = |child: &Child| !self.collapsed.is_leaf(*child);
        let below: Children = children.iter().copied().filter(inner).collect();
        size.leaves += children.len() - below.len();
        let mut reported = 0;
        let mut add = |below: SubtreeSize| {
            size.nodes += below.nodes;
            size.leaves += below.leaves;
            if below.leaves >= REPORT_LEAVES {
                reported += below.leaves;
            }
        };
        if level <= FORK_LEVELS {
            let measure = |child| {
                let mut sizes = Vec::new();
                (self.measure(child, level + 1, &mut sizes), sizes)
            };
            for (below, its_sizes) in parallel::map_each(true, below.into_vec(), measure) {
                add(below);
                sizes.extend(its_sizes);
            }
        } else {
            for child in below {
                add(self.measure(child, level + 1, sizes));
            }
        }
        if size.leaves >= REPORT_LEAVES {
            let unreported = size.leaves - reported;
            self.monitor.advance((unreported as f64 * self.units_each) as u32);
        }
        sizes[place] = size;
        size
    }

    /// Writes the subtree of a wide node: all of its slot.
    fn write(
        &self,
        root: Child,
        sizes: &[SubtreeSize],
        slot: Slot<'_>,
        level: u32,
    ) -> Result<Written, BakeError> {
        let Slot { nodes, node: at, leaves, leaf: first_leaf } = slot;
        let (this, mut nodes) = nodes.split_at_mut(1);
        let children = self.collapsed.children(root);
        let is_leaf = |child: &&Child| self.collapsed.is_leaf(**child);
        let own = children.iter().filter(is_leaf).count();
        let (own_leaves, mut leaves) = leaves.split_at_mut(own);
        let mut written = Written { cost: 0.0, depth: level, references: 0, unreported: own };

        let mut lanes: SmallVec<[NodeChild; WIDTH]> = SmallVec::new();
        let mut below = Vec::with_capacity(children.len() - own);
        let (mut next_node, mut next_leaf) = (at + 1, first_leaf + own);
        let mut leaf = 0;
        for &child in &children {
            let number;
            if self.collapsed.is_leaf(child) {
                number = LEAF | (first_leaf + leaf) as u32;
                let triangles = leaf_triangles(&self.collapsed.tree, child);
                written.references += triangles.len();
                let mut padded = [NO_TRIANGLE; LANES];
                padded[..triangles.len()].copy_from_slice(&triangles);
                own_leaves[leaf].write(padded);
                leaf += 1;
            } else {
                number = next_node as u32;
                let size = sizes[next_node];
                let (its_nodes, other_nodes) = nodes.split_at_mut(size.nodes);
                let (its_leaves, other_leaves) = leaves.split_at_mut(size.leaves);
                let slot =
                    Slot { nodes: its_nodes, node: next_node, leaves: its_leaves, leaf: next_leaf };
                below.push((child, slot));
                (nodes, leaves) = (other_nodes, other_leaves);
                next_node += size.nodes;
                next_leaf += size.leaves;
            }
            lanes.push(NodeChild { subtree: child, number, cost: 1.0 });
        }
        // The caller's unsafe code relies on it: all that was measured is written.
        assert!(nodes.is_empty() && leaves.is_empty());

        let write = |(child, slot)| self.write(child, sizes, slot, level + 1);
        let mut inner = lanes.iter_mut().filter(|lane| lane.number & LEAF == 0);
        for below in parallel::map_each(level <= FORK_LEVELS, below, write) {
            let below = below?;
            if let Some(lane) = inner.next() {
                lane.cost = below.cost;
            }
            written.depth = written.depth.max(below.depth);
            written.references += below.references;
            written.unreported += below.unreported;
        }
        if written.unreported >= REPORT_LEAVES {
            self.monitor.advance((written.unreported as f64 * self.units_each) as u32);
            self.monitor.check()?;
            written.unreported = 0;
        }
        written.cost = self.cost(root, &lanes);
        this[0].write(self.node(&mut lanes));
        Ok(written)
    }

    /// The expected cost of a ray that hits a node's box, from there on.
    fn cost(&self, node: Child, lanes: &[NodeChild]) -> f64 {
        let whole = self.collapsed.tree.half_area(node);
        let costs = lanes.iter().map(|lane| {
            let area = self.collapsed.tree.half_area(lane.subtree);
            chance(area, whole) * lane.cost
        });
        1.0 + costs.sum::<f64>()
    }

    /// A node of these children, the cheapest last: any-hit queries begin there. (After Nah and
    /// Manocha, "SATO", 2014, who order by the chance of a hit for the cost. Here all children
    /// have the same chance: estimating it from the triangles' areas saves no more time.)
    fn node(&self, lanes: &mut [NodeChild]) -> Node {
        lanes.sort_by(|a, b| b.cost.total_cmp(&a.cost));
        let mut node = Node::EMPTY;
        for (i, lane) in lanes.iter().enumerate() {
            let (min, max) = self.collapsed.tree.bounds(lane.subtree);
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
fn leaf_triangles(tree: &Bvh2, root: Child) -> SmallVec<[u32; LANES]> {
    let mut triangles = SmallVec::new();
    collect_triangles(tree, root, &mut triangles);
    triangles.sort_unstable();
    triangles.dedup();
    triangles
}

fn collect_triangles(tree: &Bvh2, child: Child, triangles: &mut SmallVec<[u32; LANES]>) {
    if child & PRIM_FLAG != 0 {
        triangles.push(tree.prims[(child & !PRIM_FLAG) as usize].index);
        return;
    }
    let node = &tree.nodes[child as usize];
    if let Some(range) = node.prim_range() {
        triangles.extend(tree.prims[range].iter().map(|prim| prim.index));
    } else {
        collect_triangles(tree, node.left, triangles);
        collect_triangles(tree, node.right, triangles);
    }
}

/// Writes the leaf blocks. Input triangles are in the order of their ids, and so are the triangles
/// of each block.
fn write_blocks(
    leaves: &[LeafTriangles],
    triangles: &[InputTriangle],
    monitor: &ProgressMonitor<'_>,
) -> Result<Vec<LeafBlock>, BakeError> {
    let indices = |leaf: &LeafTriangles| {
        leaf.map(|index| index as usize).into_iter().take_while(|&i| i != NO_TRIANGLE as usize)
    };
    let blocks = memory::room(leaves.len())
        .map_err(|error| BakeError::out_of_memory("leaf blocks", error))?;
    let pass = Pass::new(monitor, BLOCK_UNITS, leaves.len());
    let write = |blocks: &mut [MaybeUninit<LeafBlock>]| {
        let pieces = blocks.chunks_mut(REPORT_LEAVES).zip(leaves.chunks(REPORT_LEAVES));
        parallel::map_each(true, pieces.collect(), |(blocks, leaves)| {
            let leaves = pass.over(leaves);
            for (i, (block, leaf)) in blocks.iter_mut().zip(leaves).enumerate() {
                if let Some(ahead) = leaves.get(i + PREFETCH_LEAVES) {
                    indices(ahead).for_each(|index| {
                        prefetch_line(triangles.as_ptr().wrapping_add(index).cast())
                    });
                }
                let block = block.write(LeafBlock::EMPTY);
                for (lane, index) in indices(leaf).enumerate() {
                    let triangle = &triangles[index];
                    block.set_corners(lane, &triangle.corners);
                    block.id[lane] = triangle.id;
                }
            }
        });
        monitor.check()
    };
    // SAFETY: `over` hands out a whole piece of leaves, each of which writes its block, unless the
    // bake stops; then `check` is an error.
    let (blocks, ()) = unsafe { memory::fill(blocks, leaves.len(), write) }?;
    Ok(blocks)
}
