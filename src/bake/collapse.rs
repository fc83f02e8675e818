//! Which nodes of the binary tree stay.
//!
//! The optimal collapse of Ylitie, Karras and Laine (2017, section 3.2), by dynamic
//! programming: the least cost of showing a subtree to its parent as at most 1, 2, ... 15
//! children, each a leaf block or a wide node of its own. Only what was decided is kept; the
//! costs are gone when the parent has used them.

use std::mem;

use bytemuck::Zeroable;

use super::binary::{Binary, BinaryTree, Child, PACKED, PRIM};
use super::buffers::Buffers;
use super::monitor::{Monitor, WHOLE};
use super::{BakeOptions, Leaves, no_memory};
use crate::bvh::WIDTH;
use crate::{BakeError, memory, parallel};

/// Children that one side of a split can have at most: the other has one.
const MOST: usize = WIDTH - 1;
/// What is best done with an inner node of the binary tree.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C)]
pub(crate) struct Choice {
    /// How many of at most `i + 2` children its left side shows. 0: it is best shown as fewer.
    left: [u8; WIDTH - 1],
    /// Whether it is a leaf block, when it is to be one child.
    leaf: bool,
}

impl Choice {
    const LEAF: Self = Self {
        left: [0; WIDTH - 1],
        leaf: true,
    };
}

/// The binary tree and what stays of it.
pub(crate) struct Collapsed {
    pub(crate) tree: BinaryTree,
    pub(super) choices: Vec<Choice>,
}

/// Works out every node's choice.
pub(crate) fn collapse(
    tree: BinaryTree,
    options: &BakeOptions,
    buffers: &mut Buffers,
    monitor: &Monitor<'_>,
) -> Result<Collapsed, BakeError> {
    let old = mem::take(&mut buffers.choices);
    let choices = memory::zeros(old, tree.nodes.len());
    let mut choices: Vec<Choice> = choices.map_err(|error| no_memory("choices", error))?;
    if let Some(root) = tree.root {
        // Areas are taken as parts of the whole, so that no scale overflows or vanishes.
        let scale = 1.0 / tree.half_area(root);
        let work = Work {
            tree: &tree,
            options,
            scale,
            monitor,
            units_each: f64::from(WHOLE) / tree.references as f64,
        };
        work.fill(root, &mut choices, 0);
        monitor.check()?;
    }
    Ok(Collapsed { tree, choices })
}

struct Work<'a, 'm> {
    tree: &'a BinaryTree,
    options: &'a BakeOptions,
    scale: f64,
    monitor: &'a Monitor<'m>,
    /// The work of a reference.
    units_each: f64,
}

/// What a subtree costs.
#[derive(Clone, Copy)]
struct Costs {
    /// As at most `i + 1` children.
    of: [f32; MOST],
    /// References in it.
    count: usize,
    /// More children are of no use, [`WIDTH`] at most.
    most: usize,
}

impl Costs {
    fn of_leaf(cost: f32, count: usize) -> Self {
        Self {
            of: [cost; MOST],
            count,
            most: 1,
        }
    }
}

impl Work<'_, '_> {
    /// Chooses for a subtree whose nodes' choices are `choices`, the first of them node `first`'s.
    fn fill(&self, root: Child, choices: &mut [Choice], first: usize) -> Costs {
        if root & PRIM != 0 || choices.len() + 1 < PACKED {
            let costs = self.fill_packed(root, choices, first);
            self.monitor
                .advance((costs.count as f64 * self.units_each) as u32);
            return costs;
        }
        let node = &self.tree.nodes[root as usize];
        let (left_choices, rest) = choices.split_at_mut(root as usize - first);
        let (choice, right_choices) = rest.split_at_mut(1);
        let (left, right) = parallel::join(
            true,
            || self.fill(node.left, left_choices, first),
            || self.fill(node.right, right_choices, root as usize + 1),
        );
        let costs;
        (choice[0], costs) = self.choose(self.area(root), &left, &right);
        costs
    }

    /// The same, on this thread.
    fn fill_packed(&self, root: Child, choices: &mut [Choice], first: usize) -> Costs {
        let area = self.area(root);
        let leaf = |count: usize| Costs::of_leaf(area * self.options.leaf_cost, count);
        if root & PRIM != 0 || !self.monitor.goes_on() {
            return leaf(1);
        }
        let node = &self.tree.nodes[root as usize];
        if let Some(count) = self.first_fit(node) {
            choices[root as usize - first] = Choice::LEAF;
            return leaf(count);
        }
        let left = self.fill_packed(node.left, choices, first);
        let right = self.fill_packed(node.right, choices, first);
        let (choice, costs) = self.choose(area, &left, &right);
        choices[root as usize - first] = choice;
        costs
    }

    /// Half a subtree's surface area, as a part of the whole.
    fn area(&self, root: Child) -> f32 {
        (self.tree.half_area(root) * self.scale) as f32
    }

    /// How many references are in a leaf that is taken as it comes.
    fn first_fit(&self, node: &Binary) -> Option<usize> {
        if self.options.leaves != Leaves::FirstFit {
            return None;
        }
        let count = node.run()?.len();
        (count <= self.options.leaf_triangles as usize).then_some(count)
    }

    /// Chooses for a node of this area with these sides.
    fn choose(&self, area: f32, left: &Costs, right: &Costs) -> (Choice, Costs) {
        let count = left.count + right.count;
        let as_leaf = if count <= self.options.leaf_triangles as usize {
            area * self.options.leaf_cost
        } else {
            f32::INFINITY
        };
        if as_leaf.is_finite() && self.options.leaves == Leaves::FirstFit {
            return (Choice::LEAF, Costs::of_leaf(as_leaf, count));
        }
        let mut choice = Choice::zeroed();
        let most = (left.most + right.most).min(WIDTH);
        let (on_left, split) = shares(&left.of, &right.of, most);
        let wide_cost = area * self.options.node_cost + split;
        choice.left[WIDTH - 2] = on_left;
        choice.leaf = as_leaf <= wide_cost;
        let mut least = if choice.leaf { as_leaf } else { wide_cost };
        let mut of = [least; MOST];
        for children in 2..=most.min(MOST) {
            let (on_left, cost) = if children == most {
                (on_left, split)
            } else {
                shares(&left.of, &right.of, children)
            };
            if cost < least {
                least = cost;
                choice.left[children - 2] = on_left;
            }
            of[children - 1] = least;
        }
        of[most.min(MOST)..].fill(least);
        (choice, Costs { of, count, most })
    }
}

/// The best way to share out `children` between two sides, at least one each: how many the left
/// side gets (the least of equals), and the cost.
#[inline(always)]
fn shares(left: &[f32; MOST], right: &[f32; MOST], children: usize) -> (u8, f32) {
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
    /// Whether a child of a wide node is a leaf block.
    pub(crate) fn is_leaf(&self, child: Child) -> bool {
        child & PRIM != 0 || self.choices[child as usize].leaf
    }

    /// The children of the wide node that stands for `root`, in order.
    pub(crate) fn children(&self, root: Child) -> Children {
        let mut children = Children {
            nodes: [0; WIDTH],
            len: 0,
        };
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
        let Binary { left, right, .. } = self.tree.nodes[node as usize];
        let on_left = usize::from(self.choices[node as usize].left[most - 2]);
        self.show(left, on_left, out);
        self.show(right, most - on_left, out);
    }

    /// Shows `child` as at most `most` children.
    fn show(&self, child: Child, most: usize, out: &mut Children) {
        let mut most = most;
        if child & PRIM == 0 {
            // As few as give the best cost.
            let left = &self.choices[child as usize].left;
            while most > 1 && left[most - 2] == 0 {
                most -= 1;
            }
        } else {
            most = 1;
        }
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
