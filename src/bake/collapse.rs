//! Which nodes of the binary tree stay.
//!
//! The optimal collapse of Ylitie, Karras and Laine (2017, section 3.2), by dynamic
//! programming: `cost[n][i]` is the least cost of showing the subtree of node `n` to its parent
//! as at most `i + 1` children, each a leaf block or a wide node of its own.

use super::monitor::Monitor;
use super::split::Binary;
use super::{Stage, parallel};
use crate::bvh::{LANES, WIDTH};

/// What it costs to test the sixteen boxes of a node.
pub(crate) const NODE_COST: f32 = 1.0;
/// What it costs to test the eight triangles of a leaf block, by measurement on levels.
pub(crate) const LEAF_COST: f32 = 1.0;

/// Children that one side of a split can have at most: the other has one.
const MOST: usize = WIDTH - 1;
/// Subtrees from this size on are worth another thread.
const FORK: usize = 4096;
/// Subtrees of this size are told to the monitor.
const REPORT: usize = 1024;

/// The least costs of a binary node, and what they come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    cost: [f32; MOST],
    /// Whether the node is best a leaf block, when it is to be one child.
    pub(crate) leaf: bool,
}

/// Works out every node's choice.
pub(crate) fn collapse(nodes: &[Binary], monitor: &Monitor<'_>) -> Vec<Choice> {
    let mut choices = vec![
        Choice {
            cost: [0.0; MOST],
            leaf: true
        };
        nodes.len()
    ];
    if let Some(root) = nodes.first() {
        // Areas are taken as parts of the whole, so that no scale overflows or vanishes.
        fill(nodes, &mut choices, 1.0 / root.half_area(), monitor);
    }
    choices
}

fn fill(nodes: &[Binary], choices: &mut [Choice], scale: f64, monitor: &Monitor<'_>) {
    if monitor.is_cancelled() {
        return;
    }
    let node = &nodes[0];
    let area = (node.half_area() * scale) as f32;
    let count = node.count as usize;
    if count == 1 {
        choices[0] = Choice {
            cost: [area * LEAF_COST; MOST],
            leaf: true,
        };
        return;
    }
    let right = node.right();
    {
        let (left_choices, right_choices) = choices[1..].split_at_mut(right - 1);
        parallel::join(
            count >= FORK,
            || fill(&nodes[1..right], left_choices, scale, monitor),
            || fill(&nodes[right..], right_choices, scale, monitor),
        );
    }
    let (left_cost, right_cost) = (&choices[1].cost, &choices[right].cost);
    let leaf_cost = if count <= LANES {
        area * LEAF_COST
    } else {
        f32::INFINITY
    };
    let (_, split) = shares(left_cost, right_cost, WIDTH);
    let wide_cost = area * NODE_COST + split;
    let mut cost = [0.0; MOST];
    cost[0] = leaf_cost.min(wide_cost);
    for i in 1..MOST {
        // More children than triangles are of no use.
        cost[i] = if i < count {
            shares(left_cost, right_cost, i + 1).1.min(cost[i - 1])
        } else {
            cost[i - 1]
        };
    }
    choices[0] = Choice {
        cost,
        leaf: leaf_cost <= wide_cost,
    };
    if count >= REPORT {
        let told = |n: usize| if n >= REPORT { n } else { 0 };
        let left = node.left as usize;
        monitor.advance(Stage::Collapse, count - told(left) - told(count - left));
    }
}

/// The best way to share out `children` between two sides, at least one each: how many the left
/// side gets (the least of equals), and the cost.
fn shares(left: &[f32; MOST], right: &[f32; MOST], children: usize) -> (usize, f32) {
    let mut best = (1, f32::INFINITY);
    for on_left in 1..children {
        let cost = left[on_left - 1] + right[children - on_left - 1];
        if cost < best.1 {
            best = (on_left, cost);
        }
    }
    best
}

/// The children of the wide node that stands for binary node `root`, as binary nodes, in order.
pub(crate) fn children(nodes: &[Binary], choices: &[Choice], root: usize) -> Children {
    let mut children = Children {
        nodes: [0; WIDTH],
        len: 0,
    };
    let node = &nodes[root];
    if node.count == 1 || choices[root].leaf {
        // Only the whole tree's root: a tree of one leaf block has one node above it.
        children.push(root);
        return children;
    }
    open(nodes, choices, root, WIDTH, &mut children);
    children
}

/// Shares `most` children out below `node`, which is not to be a child itself.
fn open(nodes: &[Binary], choices: &[Choice], node: usize, most: usize, out: &mut Children) {
    let (left, right) = (node + 1, node + nodes[node].right());
    let (on_left, _) = shares(&choices[left].cost, &choices[right].cost, most);
    show(nodes, choices, left, on_left, out);
    show(nodes, choices, right, most - on_left, out);
}

/// Shows `node` as at most `most` children.
fn show(nodes: &[Binary], choices: &[Choice], node: usize, most: usize, out: &mut Children) {
    let cost = &choices[node].cost;
    // As few as give the best cost.
    let mut most = most;
    while most > 1 && cost[most - 2] <= cost[most - 1] {
        most -= 1;
    }
    if most == 1 {
        out.push(node);
    } else {
        open(nodes, choices, node, most, out);
    }
}

/// Up to sixteen binary nodes.
pub(crate) struct Children {
    nodes: [usize; WIDTH],
    len: usize,
}

impl Children {
    fn push(&mut self, node: usize) {
        self.nodes[self.len] = node;
        self.len += 1;
    }

    pub(crate) fn as_slice(&self) -> &[usize] {
        &self.nodes[..self.len]
    }
}
