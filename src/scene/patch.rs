//! Takes leaves out of a tree and puts others in, without building it anew.
//!
//! That is ten times as fast, and the tree gets worse with each leaf put in. So it is built anew
//! now and then: see [`levels`](super::levels).

use crate::bvh::{LEAF, MAX_DEPTH, MAX_NODES, Node, ROOT, WIDTH};
use crate::geometry::Aabb;

#[cfg(test)]
mod tests;

/// Takes out all leaves that are gone, and makes every box as small as its other contents allow.
/// Children must lie after their parents. Nodes without children stay where they are, and nothing
/// leads to them.
pub(super) fn take_out(nodes: &mut [Node], is_gone: impl Fn(u32) -> bool) {
    for number in (0..nodes.len()).rev() {
        let (nodes, below) = nodes.split_at_mut(number + 1);
        let node = &mut nodes[number];
        let mut kept = 0;
        for lane in 0..node.len() {
            let child = node.child[lane];
            let bounds = if child & LEAF == 0 {
                below[child as usize - number - 1].whole()
            } else if is_gone(child & !LEAF) {
                continue;
            } else {
                node.bounds(lane)
            };
            if !bounds.is_empty() {
                node.set_bounds(kept, &bounds);
                node.child[kept] = child;
                kept += 1;
            }
        }
        for lane in kept..node.len() {
            node.set_bounds(lane, &Aabb::EMPTY);
            node.child[lane] = 0;
        }
    }
}

/// The tree would be deeper than [`MAX_DEPTH`], or have too many nodes.
#[derive(Debug)]
pub(super) struct TooDeep;

/// Puts a leaf in where boxes grow least. There must be a root.
pub(super) fn put_in(nodes: &mut Vec<Node>, leaf: u32, bounds: &Aabb) -> Result<(), TooDeep> {
    let mut number = ROOT as usize;
    for _ in 1..MAX_DEPTH {
        let next = nodes.len() as u32;
        if next as usize >= MAX_NODES {
            return Err(TooDeep);
        }
        let node = &mut nodes[number];
        match Way::best(node, bounds) {
            Way::Here(lane) => {
                node.set_bounds(lane, bounds);
                node.child[lane] = LEAF | leaf;
                return Ok(());
            }
            Way::Down(lane) => {
                let mut grown = node.bounds(lane);
                grown.extend_box(bounds);
                node.set_bounds(lane, &grown);
                number = node.child[lane] as usize;
            }
            Way::Beside(lane) => {
                let mut pair = Node::EMPTY;
                pair.set_bounds(0, &node.bounds(lane));
                pair.child[0] = node.child[lane];
                pair.set_bounds(1, bounds);
                pair.child[1] = LEAF | leaf;
                node.set_bounds(lane, &pair.whole());
                node.child[lane] = next;
                nodes.push(pair);
                return Ok(());
            }
        }
    }
    Err(TooDeep)
}

/// Where a new leaf goes from a node.
enum Way {
    /// To this lane, which is free.
    Here(usize),
    /// Into the subtree in this lane.
    Down(usize),
    /// Into a new node, with the leaf in this lane.
    Beside(usize),
}

impl Way {
    /// A subtree whose box need not grow; or else a free lane, which makes no other box larger; or
    /// else where the surface area grows least.
    fn best(node: &Node, bounds: &Aabb) -> Self {
        let len = node.len();
        let (areas, grown) = areas(node, bounds);
        let is_leaf = |lane: usize| node.child[lane] & LEAF != 0;
        let inside = (0..len).filter(|&lane| !is_leaf(lane) && grown[lane] <= areas[lane]);
        if let Some(lane) = inside.min_by(|&a, &b| areas[a].total_cmp(&areas[b])) {
            return Self::Down(lane);
        }
        if len < WIDTH {
            return Self::Here(len);
        }
        let cost = |lane: usize| grown[lane] - if is_leaf(lane) { 0.0 } else { areas[lane] };
        let best = (0..len).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).expect("lanes are full");
        if is_leaf(best) { Self::Beside(best) } else { Self::Down(best) }
    }
}

/// Half the surface areas of the boxes of all lanes, as they are and together with another box.
fn areas(node: &Node, bounds: &Aabb) -> ([f32; WIDTH], [f32; WIDTH]) {
    let (mut areas, mut grown) = ([0.0; WIDTH], [0.0; WIDTH]);
    for lane in 0..WIDTH {
        let (mut size, mut grown_size) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            let (low, high) = (node.min[k][lane], node.max[k][lane]);
            size[k] = high - low;
            let (other_low, other_high) = (bounds.min[k], bounds.max[k]);
            let low = if low < other_low { low } else { other_low };
            let high = if high > other_high { high } else { other_high };
            grown_size[k] = high - low;
        }
        let area = |[x, y, z]: [f32; 3]| x * y + y * z + z * x;
        (areas[lane], grown[lane]) = (area(size), area(grown_size));
    }
    (areas, grown)
}
