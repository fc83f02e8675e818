//! The check of the lanes of one node or one leaf block (invariants I11, I12, I15, and what one
//! block can tell of I16 and I17).
//!
//! Each goes through a test without branches, which compiles to vector code. Only what fails it is
//! tested lane by lane, for the error message.

use super::super::header::invalid;
use crate::bvh::{LANES, LeafBlock, Node, UNUSED_COORDINATE, UNUSED_ID, WIDTH};
use crate::error::LoadError;

const AXES: [&str; 3] = ["x", "y", "z"];

/// The box that a node or a leaf block must lie in.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    min: [f32; 3],
    max: [f32; 3],
}

impl Slot {
    /// Every finite box lies in it.
    pub(super) const ROOT: Self = Self { min: [f32::MIN; 3], max: [f32::MAX; 3] };

    /// The box of a tree with this root.
    pub(super) fn whole(root: &Node) -> Self {
        let whole = root.whole();
        Self { min: whole.min.to_array(), max: whole.max.to_array() }
    }

    /// The box of a lane's child. `lane` is sixteen times the node's number plus the lane's.
    pub(super) fn of(nodes: &[Node], lane: u32) -> Self {
        let (node, lane) = (&nodes[lane as usize / WIDTH], lane as usize % WIDTH);
        Self { min: node.min.map(|plane| plane[lane]), max: node.max.map(|plane| plane[lane]) }
    }
}

/// All ones where it holds, so that the compiler keeps lanes in vector registers.
fn mask(condition: bool) -> u32 {
    u32::from(condition).wrapping_neg()
}

fn is_blank(coordinate: f32) -> u32 {
    mask(coordinate.to_bits() == UNUSED_COORDINATE)
}

/// Checks a node's boxes and unused lanes; returns how many lanes are used.
pub(super) fn check_node(node: &Node, slot: &Slot, index: usize) -> Result<usize, LoadError> {
    // 0 marks an unused lane: the root is not a child.
    let mut inside = node.child.map(|child| mask(child != 0));
    let mut blank = inside.map(|used| !used);
    let used = count(&inside);
    for axis in 0..3 {
        let (low, high) = (slot.min[axis], slot.max[axis]);
        for lane in 0..WIDTH {
            let (min, max) = (node.min[axis][lane], node.max[axis][lane]);
            inside[lane] &= mask(min >= low) & mask(max <= high) & mask(min <= max);
            blank[lane] &= mask(min == f32::INFINITY) & mask(max == f32::NEG_INFINITY);
        }
    }
    if sound(&inside, &blank, used) { Ok(used) } else { Err(explain_node(node, slot, index)) }
}

/// Checks a leaf block's vertices, unused lanes and ids; returns how many lanes are used, and a bit
/// for each of them whose triangle does not lie within the lane's box, but within the `whole`
/// tree's.
pub(super) fn check_block(
    block: &LeafBlock,
    slot: &Slot,
    whole: &Slot,
    index: usize,
    total: u32,
) -> Result<(usize, u32), LoadError> {
    let blank = blank_lanes(block);
    let used = LANES - count(&block.id.map(|id| mask(id == UNUSED_ID)));
    let inside = lanes_inside(block, slot, total);
    if sound(&inside, &blank, used) {
        return Ok((used, 0));
    }
    if sound(&lanes_inside(block, whole, total), &blank, used) {
        let bits = (0..used).map(|lane| (!inside[lane] & 1) << lane);
        return Ok((used, bits.sum()));
    }
    Err(explain_block(block, whole, index, total))
}

/// Lanes whose id is below the total and greater than the one before, and whose vertices are in a
/// box.
fn lanes_inside(block: &LeafBlock, slot: &Slot, total: u32) -> [u32; LANES] {
    let mut inside = block.id.map(|id| mask(id < total));
    for lane in 1..LANES {
        inside[lane] &= mask(block.id[lane - 1] < block.id[lane]);
    }
    let [first, second, third] = &block.vertex;
    for axis in 0..3 {
        let (low, high) = (slot.min[axis], slot.max[axis]);
        for lane in 0..LANES {
            let (a, b, c) = (first[axis][lane], second[axis][lane], third[axis][lane]);
            inside[lane] &= mask(a >= low) & mask(b >= low) & mask(c >= low);
            inside[lane] &= mask(a <= high) & mask(b <= high) & mask(c <= high);
        }
    }
    inside
}

/// Lanes that are as unused ones have to be.
fn blank_lanes(block: &LeafBlock) -> [u32; LANES] {
    let mut blank = block.id.map(|id| mask(id == UNUSED_ID));
    for planes in &block.vertex {
        for plane in planes {
            for lane in 0..LANES {
                blank[lane] &= is_blank(plane[lane]);
            }
        }
    }
    blank
}

/// How many lanes hold all ones. A search for the first that does not would be a branch that is
/// hard to predict.
fn count<const N: usize>(lanes: &[u32; N]) -> usize {
    let sum: u32 = lanes.iter().map(|lane| lane & 1).sum();
    sum as usize
}

/// At least one lane is used, the first `used` lanes are inside, the others blank.
///
/// Out of line on purpose: the masks then have to lie in memory as arrays, which is what
/// makes the compiler compute them as vectors (measured: half as long for a leaf block).
#[inline(never)]
fn sound<const N: usize>(inside: &[u32; N], blank: &[u32; N], used: usize) -> bool {
    let mut all = mask(used > 0);
    for lane in 0..N {
        let is_used = mask(lane < used);
        all &= (inside[lane] & is_used) | (blank[lane] & !is_used);
    }
    all == u32::MAX
}

#[cold]
fn explain_node(node: &Node, slot: &Slot, index: usize) -> LoadError {
    let used = node.child.iter().position(|&child| child == 0);
    let used = used.unwrap_or(WIDTH);
    if used == 0 {
        return invalid("I11", format!("node {index} has no children"));
    }
    for lane in 0..WIDTH {
        let child = node.child[lane];
        for (axis, name) in AXES.iter().enumerate() {
            let (min, max) = (node.min[axis][lane], node.max[axis][lane]);
            let (low, high) = (slot.min[axis], slot.max[axis]);
            let (invariant, expected) = if lane >= used {
                if child == 0 && min == f32::INFINITY && max == f32::NEG_INFINITY {
                    continue;
                }
                ("I11", "an unused lane, inf to -inf, child 0".to_owned())
            } else if !(min.is_finite() && max.is_finite() && min <= max) {
                ("I12", "finite numbers in order".to_owned())
            } else if !(min >= low && max <= high) {
                ("I12", format!("within its parent's {low:?} to {high:?}"))
            } else {
                continue;
            };
            return invalid(
                invariant,
                format!(
                    "node {index}, lane {lane}, child {child:#x}: {name} is {min:?} to {max:?}, \
                     expected {expected}"
                ),
            );
        }
    }
    // Not reached, as this repeats the test that the node failed.
    invalid("I12", format!("node {index}"))
}

#[cold]
fn explain_block(block: &LeafBlock, whole: &Slot, index: usize, total: u32) -> LoadError {
    let used = block.id.iter().position(|&id| id == UNUSED_ID);
    let used = used.unwrap_or(LANES);
    if used == 0 {
        return invalid("I15", format!("leaf block {index} holds no triangle"));
    }
    for lane in 0..LANES {
        let id = block.id[lane];
        let place = format!("leaf block {index}, lane {lane}");
        if lane < used && id >= total {
            return invalid("I17", format!("{place}: triangle {id} of {total} is not there"));
        }
        if lane > 0 && lane < used && id <= block.id[lane - 1] {
            let before = block.id[lane - 1];
            let message = format!("{place}: id {id:#x} is not greater than {before:#x} before it");
            return invalid("I17", message);
        }
        for (vertex, planes) in block.vertex.iter().enumerate() {
            for (axis, name) in AXES.iter().enumerate() {
                let found = planes[axis][lane];
                let (low, high) = (whole.min[axis], whole.max[axis]);
                let (invariant, expected) = if lane >= used {
                    if id == UNUSED_ID && found.to_bits() == UNUSED_COORDINATE {
                        continue;
                    }
                    let bits = format!("{UNUSED_COORDINATE:#x}, id {UNUSED_ID:#x}");
                    ("I15", format!("an unused lane, {bits}"))
                } else if !(found >= low && found <= high) {
                    ("I16", format!("within the tree's box, {low:?} to {high:?}"))
                } else {
                    continue;
                };
                return invalid(
                    invariant,
                    format!(
                        "{place}, id {id:#x}: {name} of vertex {vertex} is {found:?} ({:#x}), \
                         expected {expected}",
                        found.to_bits()
                    ),
                );
            }
        }
    }
    // As in `explain_node`.
    invalid("I16", format!("leaf block {index}"))
}
