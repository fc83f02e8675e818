//! Which nodes of the binary tree become wide nodes and leaf blocks.
//!
//! The optimal collapse of Ylitie, Karras and Laine ("Efficient Incoherent Ray Traversal on GPUs
//! Through Compressed Wide BVHs", 2017, section 3.2) by dynamic programming: for every subtree, the
//! least cost of showing it to its parent as at most 1, 2, ... 15 children, each of which is a leaf
//! block or a wide node. Only the choices are stored; a subtree's costs are dropped as soon as its
//! parent has used them.

use std::sync::atomic::{AtomicU32, Ordering};

use smallvec::SmallVec;

use super::bvh2::{Bvh2, Bvh2Node, Child, PRIM_FLAG};
use super::preset::Leaves;
use super::progress::{ProgressMonitor, STAGE_UNITS};
use super::ray_sample::{RaySample, RaySet};
use crate::bvh::{LANES, WIDTH};
use crate::error::BakeError;
use crate::platform::{memory, parallel};

/// The most children that one side of a binary node can have in a wide node: the other side has at
/// least one.
const MAX_SIDE: usize = WIDTH - 1;

/// The best way to show a binary node in the wide tree. Bits `4 i..4 i + 4`: how many children its
/// left side gets of at most `i + 2`, or 0 if it is best shown as fewer children. The highest bit:
/// as a single child it is a leaf block.
#[derive(Clone, Copy, Default)]
struct Choice(u64);

/// A [`Choice`] that any thread may store. (Two halves: not every CPU has 64-bit atomics.)
pub(super) type StoredChoice = [AtomicU32; 2];

impl Choice {
    const LEAF: Self = Self(1 << 63);

    fn is_leaf(self) -> bool {
        self.0 & Self::LEAF.0 != 0
    }

    fn set_left(&mut self, children: usize, on_left: u8) {
        self.0 |= u64::from(on_left) << (4 * (children - 2));
    }

    /// How many of at most `children` the left side gets.
    fn left(self, children: usize) -> usize {
        (self.0 >> (4 * (children - 2)) & 15) as usize
    }

    /// The best number of children, of at most `children`.
    fn best_count(self, children: usize) -> usize {
        let fewer = self.0 & ((1 << (4 * (children - 1))) - 1);
        1 + (u64::BITS - fewer.leading_zeros()).div_ceil(4) as usize
    }

    fn store(self, place: &StoredChoice) {
        place[0].store(self.0 as u32, Ordering::Relaxed);
        place[1].store((self.0 >> 32) as u32, Ordering::Relaxed);
    }

    fn load(place: &StoredChoice) -> Self {
        let [low, high] = place.each_ref().map(|half| half.load(Ordering::Relaxed));
        Self(u64::from(high) << 32 | u64::from(low))
    }
}

/// The binary tree, and which of its nodes are nodes of the wide tree.
pub(super) struct Collapsed {
    pub(super) tree: Bvh2,
    choices: Vec<StoredChoice>,
}

/// Makes the choice for every node, so that rays like the sample's cost least.
pub(super) fn collapse(
    tree: Bvh2,
    sample: &RaySample,
    leaves: Leaves,
    monitor: &ProgressMonitor<'_>,
) -> Result<Collapsed, BakeError> {
    let choices = memory::zeros(tree.nodes.len());
    let choices: Vec<StoredChoice> =
        choices.map_err(|error| BakeError::out_of_memory("collapse choices", error))?;
    if let Some(root) = tree.root {
        let units_each = f64::from(STAGE_UNITS) / tree.references as f64;
        let collapser =
            Collapser { tree: &tree, sample, choices: &choices, leaves, monitor, units_each };
        let (hitting, rays) = sample.whole(tree.bounds(root));
        collapser.choose_parallel(root, hitting, rays);
        monitor.check()?;
    }
    Ok(Collapsed { tree, choices })
}

struct Collapser<'a, 'm> {
    tree: &'a Bvh2,
    sample: &'a RaySample,
    choices: &'a [StoredChoice],
    leaves: Leaves,
    monitor: &'a ProgressMonitor<'m>,
    /// The work of a reference.
    units_each: f64,
}

/// What a subtree costs.
#[derive(Clone, Copy)]
struct Costs {
    /// As at most `i + 1` children.
    of: [f32; MAX_SIDE],
    /// References in the subtree.
    references: usize,
    /// The most children that are of use, at most [`WIDTH`].
    max_children: usize,
}

impl Costs {
    fn of_leaf(cost: f32, references: usize) -> Self {
        Self { of: [cost; MAX_SIDE], references, max_children: 1 }
    }
}

impl Collapser<'_, '_> {
    /// Chooses for a subtree, on several threads. `rays` are those that hit its box.
    fn choose_parallel(&self, root: Child, hitting: RaySet, mut rays: Vec<u32>) -> Costs {
        if self.tree.is_serial(root) {
            let costs = self.choose_serial(root, hitting, &mut rays);
            self.monitor.advance((costs.references as f64 * self.units_each) as u32);
            return costs;
        }
        let node = &self.tree.nodes[root as usize];
        let area = self.tree.half_area(root);
        let [left, right] = [node.left, node.right].map(|child| {
            let bounds = self.tree.bounds(child);
            let hitting = self.sample.within(hitting, area, bounds, &mut rays);
            (child, hitting.split_off(&mut rays))
        });
        let choose = |(child, (hitting, rays))| self.choose_parallel(child, hitting, rays);
        let (left, right) = parallel::join(true, || choose(left), || choose(right));
        self.choose(root, hitting.chance(area) as f32, &left, &right)
    }

    /// Chooses for a subtree, on this thread. `hitting` are the last of `rays`.
    fn choose_serial(&self, root: Child, hitting: RaySet, rays: &mut Vec<u32>) -> Costs {
        let area = self.tree.half_area(root);
        let chance = hitting.chance(area) as f32;
        if root & PRIM_FLAG != 0 || !self.monitor.keep_going() {
            return Costs::of_leaf(chance, 1);
        }
        let node = &self.tree.nodes[root as usize];
        if let Some(references) = self.unsplit_leaf(node) {
            Choice::LEAF.store(&self.choices[root as usize]);
            return Costs::of_leaf(chance, references);
        }
        let count = rays.len();
        let mut choose = |child| {
            let hitting = self.sample.within(hitting, area, self.tree.bounds(child), rays);
            let costs = self.choose_serial(child, hitting, rays);
            rays.truncate(count);
            costs
        };
        let (left, right) = (choose(node.left), choose(node.right));
        self.choose(root, chance, &left, &right)
    }

    /// The number of references of a node that the split left as a leaf. (Two references may be a
    /// leaf or not: that is to be chosen.)
    fn unsplit_leaf(&self, node: &Bvh2Node) -> Option<usize> {
        let count = node.prim_range()?.len();
        let is_leaf = match self.leaves {
            Leaves::FirstFit => count <= LANES,
            Leaves::Cheapest => count > 2,
        };
        is_leaf.then_some(count)
    }

    /// Chooses for a node with these sides, whose box is hit with this chance. Testing a node's
    /// boxes and testing a leaf block's triangles cost 1 each.
    fn choose(&self, root: Child, chance: f32, left: &Costs, right: &Costs) -> Costs {
        let references = left.references + right.references;
        let leaf_cost = if references <= LANES { chance } else { f32::INFINITY };
        if leaf_cost.is_finite() && self.leaves == Leaves::FirstFit {
            Choice::LEAF.store(&self.choices[root as usize]);
            return Costs::of_leaf(leaf_cost, references);
        }
        let max_children = (left.max_children + right.max_children).min(WIDTH);
        let (on_left, sides_cost) = best_shares(&left.of, &right.of, max_children);
        let node_cost = chance + sides_cost;
        let (mut choice, mut least) = if leaf_cost <= node_cost {
            (Choice::LEAF, leaf_cost)
        } else {
            (Choice::default(), node_cost)
        };
        choice.set_left(WIDTH, on_left);
        let mut of = [least; MAX_SIDE];
        for children in 2..=max_children.min(MAX_SIDE) {
            let (on_left, cost) = if children == max_children {
                (on_left, sides_cost)
            } else {
                best_shares(&left.of, &right.of, children)
            };
            if cost < least {
                least = cost;
                choice.set_left(children, on_left);
            }
            of[children - 1] = least;
        }
        of[max_children.min(MAX_SIDE)..].fill(least);
        choice.store(&self.choices[root as usize]);
        Costs { of, references, max_children }
    }
}

/// The best way to share `children` between two sides, at least one each: how many the left side
/// gets, the least if some are equal, and the cost.
#[inline(always)]
fn best_shares(left: &[f32; MAX_SIDE], right: &[f32; MAX_SIDE], children: usize) -> (u8, f32) {
    let mut best = (1, f32::INFINITY);
    for on_left in 1..children {
        let cost = left[on_left - 1] + right[children - on_left - 1];
        if cost < best.1 {
            best = (on_left as u8, cost);
        }
    }
    best
}

/// The children of a wide node.
pub(super) type Children = SmallVec<[Child; WIDTH]>;

impl Collapsed {
    fn choice(&self, node: Child) -> Choice {
        Choice::load(&self.choices[node as usize])
    }

    /// Whether a child of a wide node is a leaf block.
    pub(super) fn is_leaf(&self, child: Child) -> bool {
        child & PRIM_FLAG != 0 || self.choice(child).is_leaf()
    }

    /// The children of the wide node that stands for `root`, in order.
    pub(super) fn children(&self, root: Child) -> Children {
        let mut children = Children::new();
        if self.is_leaf(root) {
            // Only the root of a tree of a single leaf block, which has one node above it.
            children.push(root);
        } else {
            self.open(root, WIDTH, &mut children);
        }
        children
    }

    /// Shares at most `count` children between the two sides of `node`.
    fn open(&self, node: Child, count: usize, out: &mut Children) {
        let Bvh2Node { left, right, .. } = self.tree.nodes[node as usize];
        let on_left = self.choice(node).left(count);
        self.show(left, on_left, out);
        self.show(right, count - on_left, out);
    }

    /// Shows `child` as at most `count` children.
    fn show(&self, child: Child, count: usize, out: &mut Children) {
        let count = match child & PRIM_FLAG {
            0 => self.choice(child).best_count(count),
            _ => 1,
        };
        if count == 1 {
            out.push(child);
        } else {
            self.open(child, count, out);
        }
    }
}
