//! Which nodes of the binary tree stay.
//!
//! The optimal collapse of Ylitie, Karras and Laine (2017, section 3.2), by dynamic
//! programming: the least cost of showing a subtree to its parent as at most 1, 2, ... 15
//! children, each a leaf block or a wide node of its own. Only what was decided is kept; the
//! costs are gone when the parent has used them.

use std::mem;
use std::sync::atomic::{AtomicU32, Ordering};

use super::buffers::Buffers;
use super::bvh2::{Bvh2, Bvh2Node, Child, PRIM_FLAG};
use super::progress::{ProgressMonitor, STAGE_UNITS};
use super::ray_sample::{RaySample, RaySet};
use super::{BakeOptions, Leaves, no_memory};
use crate::bvh::WIDTH;
use crate::error::BakeError;
use crate::platform::{memory, parallel};

/// Children that one side of a split can have at most: the other has one.
const MAX_SIDE: usize = WIDTH - 1;

/// What is best done with an inner node of the binary tree: in the bits `4 i..4 i + 4`, how many of at most
/// `i + 2` children its left side shows (0: it is best shown as fewer), and in the last bit, whether it is
/// a leaf block when it is to be one child.
#[derive(Clone, Copy, Default)]
struct Choice(u64);

/// A [`Choice`], to be noted by any thread.
pub(super) type AtomicChoice = [AtomicU32; 2];

impl Choice {
    const LEAF: Self = Self(1 << 63);

    fn is_leaf(self) -> bool {
        self.0 & Self::LEAF.0 != 0
    }

    fn set_left(&mut self, children: usize, on_left: u8) {
        self.0 |= u64::from(on_left) << (4 * (children - 2));
    }

    /// How many of at most `children` its left side shows.
    fn left(self, children: usize) -> usize {
        (self.0 >> (4 * (children - 2)) & 15) as usize
    }

    /// As how many of at most `children` it is best shown.
    fn shown_as(self, children: usize) -> usize {
        let fewer = self.0 & ((1 << (4 * (children - 1))) - 1);
        1 + (u64::BITS - fewer.leading_zeros()).div_ceil(4) as usize
    }

    fn note(self, place: &AtomicChoice) {
        place[0].store(self.0 as u32, Ordering::Relaxed);
        place[1].store((self.0 >> 32) as u32, Ordering::Relaxed);
    }

    fn noted(place: &AtomicChoice) -> Self {
        let [low, high] = place.each_ref().map(|half| half.load(Ordering::Relaxed));
        Self(u64::from(high) << 32 | u64::from(low))
    }
}

/// The binary tree and what stays of it.
pub(crate) struct Collapsed {
    pub(crate) tree: Bvh2,
    pub(super) choices: Vec<AtomicChoice>,
}

/// Works out every node's choice, such that rays like those of the sample cost least.
pub(crate) fn collapse(
    tree: Bvh2,
    sample: &RaySample,
    options: &BakeOptions,
    buffers: &mut Buffers,
    monitor: &ProgressMonitor<'_>,
) -> Result<Collapsed, BakeError> {
    let old = mem::take(&mut buffers.choices);
    let choices = memory::zeros(old, tree.nodes.len());
    let choices: Vec<AtomicChoice> = choices.map_err(|error| no_memory("choices", error))?;
    if let Some(root) = tree.root {
        let work = Collapser {
            tree: &tree,
            sample,
            choices: &choices,
            options,
            monitor,
            units_each: f64::from(STAGE_UNITS) / tree.references as f64,
        };
        let (met, rays) = sample.whole(tree.bounds(root));
        work.choose_subtree(root, met, rays);
        monitor.check()?;
    }
    Ok(Collapsed { tree, choices })
}

struct Collapser<'a, 'm> {
    tree: &'a Bvh2,
    sample: &'a RaySample,
    choices: &'a [AtomicChoice],
    options: &'a BakeOptions,
    monitor: &'a ProgressMonitor<'m>,
    /// The work of a reference.
    units_each: f64,
}

/// What a subtree costs.
#[derive(Clone, Copy)]
struct Costs {
    /// As at most `i + 1` children.
    of: [f32; MAX_SIDE],
    /// References in it.
    count: usize,
    /// More children are of no use, [`WIDTH`] at most.
    most: usize,
}

impl Costs {
    fn of_leaf(cost: f32, count: usize) -> Self {
        Self { of: [cost; MAX_SIDE], count, most: 1 }
    }
}

impl Collapser<'_, '_> {
    /// Chooses for a subtree, whose box `met` meet, all of `rays`.
    fn choose_subtree(&self, root: Child, met: RaySet, mut rays: Vec<u32>) -> Costs {
        if self.tree.is_serial(root) {
            let costs = self.choose_serial(root, met, &mut rays);
            self.monitor.advance((costs.count as f64 * self.units_each) as u32);
            return costs;
        }
        let node = &self.tree.nodes[root as usize];
        let area = self.tree.half_area(root);
        let [left, right] = [node.left, node.right].map(|child| {
            let bounds = self.tree.bounds(child);
            let met = self.sample.within(met, area, bounds, &mut rays);
            (child, met.alone(&mut rays))
        });
        let choose_subtree = |(child, (met, rays))| self.choose_subtree(child, met, rays);
        let (left, right) = parallel::join(true, || choose_subtree(left), || choose_subtree(right));
        self.choose(root, met.chance(area) as f32, &left, &right)
    }

    /// The same, on this thread; `met` are the last of `rays`.
    fn choose_serial(&self, root: Child, met: RaySet, rays: &mut Vec<u32>) -> Costs {
        let area = self.tree.half_area(root);
        let chance = met.chance(area) as f32;
        let leaf = |count: usize| Costs::of_leaf(chance * self.options.leaf_cost, count);
        if root & PRIM_FLAG != 0 || !self.monitor.keep_going() {
            return leaf(1);
        }
        let node = &self.tree.nodes[root as usize];
        if let Some(count) = self.leaf_as_it_came(node) {
            self.note(root, Choice::LEAF);
            return leaf(count);
        }
        let count = rays.len();
        let mut choose_subtree = |child| {
            let met = self.sample.within(met, area, self.tree.bounds(child), rays);
            let costs = self.choose_serial(child, met, rays);
            rays.truncate(count);
            costs
        };
        let (left, right) = (choose_subtree(node.left), choose_subtree(node.right));
        self.choose(root, chance, &left, &right)
    }

    fn note(&self, node: Child, choice: Choice) {
        choice.note(&self.choices[node as usize]);
    }

    /// How many references are in a set that is a leaf as it came. (Two of them may be, or each by itself.)
    fn leaf_as_it_came(&self, node: &Bvh2Node) -> Option<usize> {
        let count = node.run()?.len();
        let is_leaf = match self.options.leaves {
            Leaves::FirstFit => count <= self.options.leaf_triangles as usize,
            Leaves::Cheapest => count > 2,
        };
        is_leaf.then_some(count)
    }

    /// Chooses for a node with these sides, whose box is met with this chance.
    fn choose(&self, root: Child, chance: f32, left: &Costs, right: &Costs) -> Costs {
        let count = left.count + right.count;
        let as_leaf = if count <= self.options.leaf_triangles as usize {
            chance * self.options.leaf_cost
        } else {
            f32::INFINITY
        };
        if as_leaf.is_finite() && self.options.leaves == Leaves::FirstFit {
            self.note(root, Choice::LEAF);
            return Costs::of_leaf(as_leaf, count);
        }
        let most = (left.most + right.most).min(WIDTH);
        let (on_left, split) = shares(&left.of, &right.of, most);
        let wide_cost = chance * self.options.node_cost + split;
        let (mut choice, mut least) = if as_leaf <= wide_cost {
            (Choice::LEAF, as_leaf)
        } else {
            (Choice::default(), wide_cost)
        };
        choice.set_left(WIDTH, on_left);
        let mut of = [least; MAX_SIDE];
        for children in 2..=most.min(MAX_SIDE) {
            let (on_left, cost) = if children == most {
                (on_left, split)
            } else {
                shares(&left.of, &right.of, children)
            };
            if cost < least {
                least = cost;
                choice.set_left(children, on_left);
            }
            of[children - 1] = least;
        }
        of[most.min(MAX_SIDE)..].fill(least);
        self.note(root, choice);
        Costs { of, count, most }
    }
}

/// The best way to share out `children` between two sides, at least one each: how many the left
/// side gets (the least of equals), and the cost.
#[inline(always)]
fn shares(left: &[f32; MAX_SIDE], right: &[f32; MAX_SIDE], children: usize) -> (u8, f32) {
    let mut best = (1, f32::INFINITY);
    for on_left in 1..children {
        let cost = left[on_left - 1] + right[children - on_left - 1];
        if cost < best.1 {
            best = (on_left as u8, cost);
        }
    }
    best
}

impl Collapsed {
    fn choice(&self, node: Child) -> Choice {
        Choice::noted(&self.choices[node as usize])
    }

    /// Whether a child of a wide node is a leaf block.
    pub(crate) fn is_leaf(&self, child: Child) -> bool {
        child & PRIM_FLAG != 0 || self.choice(child).is_leaf()
    }

    /// The children of the wide node that stands for `root`, in order.
    pub(crate) fn children(&self, root: Child) -> Children {
        let mut children = Children { nodes: [0; WIDTH], len: 0 };
        if self.is_leaf(root) {
            // Only the whole tree's root: a tree of one leaf block has one node above it.
            children.push(root);
        } else {
            self.open(root, WIDTH, &mut children);
        }
        children
    }

    /// Shares `most` children out below `node`, which is not to be a child itself.
    fn open(&self, node: Child, most: usize, out: &mut Children) {
        let Bvh2Node { left, right, .. } = self.tree.nodes[node as usize];
        let on_left = self.choice(node).left(most);
        self.show(left, on_left, out);
        self.show(right, most - on_left, out);
    }

    /// Shows `child` as at most `most` children.
    fn show(&self, child: Child, most: usize, out: &mut Children) {
        let most = match child & PRIM_FLAG {
            0 => self.choice(child).shown_as(most),
            _ => 1,
        };
        if most == 1 {
            out.push(child);
        } else {
            self.open(child, most, out);
        }
    }
}

/// Up to sixteen subtrees.
pub(crate) struct Children {
    nodes: [Child; WIDTH],
    len: usize,
}

impl Children {
    fn push(&mut self, node: Child) {
        self.nodes[self.len] = node;
        self.len += 1;
    }

    pub(crate) fn as_slice(&self) -> &[Child] {
        &self.nodes[..self.len]
    }
}
