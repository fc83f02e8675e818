//! The check that the nodes make a tree (invariants I11 to I14, I18): one pass without recursion,
//! in which nothing is used as an index before it has been compared with what it indexes.

use super::super::header::invalid;
use super::lanes::{Slot, check_node};
use crate::bvh::{LEAF, MAX_DEPTH, Node, WIDTH};
use crate::error::LoadError;

/// The shape of a sound tree.
pub(super) struct Shape {
    /// Levels of nodes.
    pub(super) depth: u32,
    /// The lane that refers to each leaf block.
    parents: Vec<Lane>,
}

/// A lane of a node: sixteen times the node's number, and the lane's.
type Lane = u32;

/// No lane has referred to it yet. There are fewer nodes than this number would need.
const NONE: Lane = u32::MAX;

fn lane_of(node: usize, lane: usize) -> Lane {
    (node * WIDTH + lane) as Lane
}

impl Shape {
    /// Checks the nodes of a tree with this number of leaf blocks.
    pub(super) fn check(nodes: &[Node], blocks: usize) -> Result<Self, LoadError> {
        if nodes.is_empty() && blocks != 0 {
            let message = format!("there are {blocks} leaf blocks, but no nodes");
            return Err(invalid("I18", message));
        }
        let mut shape = Self { depth: 0, parents: vec![NONE; blocks] };
        let mut node_parents = vec![NONE; nodes.len()];
        let mut levels = vec![0u8; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            let slot = match node_parents[index] {
                NONE if index == 0 => Slot::ROOT,
                NONE => {
                    let message = format!("node {index}: no node before it refers to it");
                    return Err(invalid("I13", message));
                }
                parent => Slot::of(nodes, parent),
            };
            let level = u32::from(levels[index]) + 1;
            if level > MAX_DEPTH {
                let message = format!("node {index} is on level {level}, expected {MAX_DEPTH}");
                return Err(invalid("I14", message));
            }
            shape.depth = shape.depth.max(level);
            let used = check_node(node, &slot, index)?;
            for (lane, &child) in node.child[..used].iter().enumerate() {
                let number = (child & !LEAF) as usize;
                let place = if child & LEAF != 0 {
                    shape.parents.get_mut(number)
                } else if number > index {
                    node_parents.get_mut(number)
                } else {
                    None
                };
                match place {
                    Some(parent) if *parent == NONE => *parent = lane_of(index, lane),
                    _ => return Err(bad_child(index, lane, child, nodes.len(), blocks)),
                }
                if child & LEAF == 0 {
                    levels[number] = level as u8;
                }
            }
        }
        if let Some(number) = shape.parents.iter().position(|&parent| parent == NONE) {
            let message = format!("leaf block {number}: no node refers to it");
            return Err(invalid("I13", message));
        }
        Ok(shape)
    }

    /// The box that a leaf block must lie in.
    pub(super) fn slot(&self, nodes: &[Node], block: usize) -> Slot {
        Slot::of(nodes, self.parents[block])
    }
}

#[cold]
fn bad_child(node: usize, lane: usize, child: u32, nodes: usize, blocks: usize) -> LoadError {
    let (what, count) = if child & LEAF != 0 { ("leaf block", blocks) } else { ("node", nodes) };
    let number = child & !LEAF;
    let why = if number as usize >= count {
        format!("there are {count} only")
    } else if child & LEAF == 0 && number as usize <= node {
        "a child lies behind its parent".to_owned()
    } else {
        "something else refers to it too".to_owned()
    };
    let message = format!("node {node}, lane {lane}: child is {what} {number}, but {why}");
    invalid("I13", message)
}
