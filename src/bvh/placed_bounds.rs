//! The box of a tree that stands somewhere in the world.

use super::{Node, TreeView, WIDTH};
use crate::geometry::{Aabb, InstanceTransform, round_down, round_up};

#[cfg(test)]
mod tests;

/// The largest sizes that are computed in `f32`: far from where sums overflow.
const LARGE: f32 = 1e30;

/// A box that holds all triangles of a tree, moved by the map without rounding: that around the
/// moved boxes of the root's children. It is often much smaller than the moved box of the whole,
/// for the corners of a turned box stick out.
pub(crate) fn placed_bounds(tree: &TreeView<'_>, transform: &InstanceTransform) -> Aabb {
    let Some(root) = tree.nodes.first() else { return Aabb::EMPTY };
    let (rows, translation) = (transform.rows(), transform.translation());
    let mut moved = Aabb::EMPTY;
    for k in 0..3 {
        let row = rows[k];
        let size: f32 = (0..3).map(|axis| row[axis].abs() * tree.facts.size[axis]).sum();
        if size > LARGE {
            return transform.bounds_to_world(&tree.facts.bounds());
        }
        let (low, high) = least_and_greatest(root, row);
        // Three products and two sums, each rounded by at most 2^-24 of what it is part of; the
        // smallest are rounded by at most 2^-150.
        let error = 3.1 / (1 << 24) as f64 * f64::from(size) + f64::from(f32::MIN_POSITIVE);
        let to = f64::from(translation[k]);
        // The sums in `f64` are rounded by less than a hundredth of that, or of a rounding to
        // `f32`, which is outwards.
        moved.min[k] = round_down(f64::from(low) - error + to - to.abs() / (1u64 << 50) as f64);
        moved.max[k] = round_up(f64::from(high) + error + to + to.abs() / (1u64 << 50) as f64);
    }
    moved
}

/// The least and the greatest of what a row of a matrix makes of the boxes of a node.
#[inline(always)]
fn least_and_greatest(node: &Node, row: [f32; 3]) -> (f32, f32) {
    let mut lows = [0f32; WIDTH];
    let mut highs = [0f32; WIDTH];
    for axis in 0..3 {
        let element = row[axis];
        let (near, far) = if element < 0.0 {
            (&node.max[axis], &node.min[axis])
        } else {
            (&node.min[axis], &node.max[axis])
        };
        for lane in 0..WIDTH {
            lows[lane] += element * near[lane];
            highs[lane] += element * far[lane];
        }
    }
    // Unused lanes are infinite the wrong way round, or no numbers: they change nothing.
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    for lane in 0..WIDTH {
        low = if lows[lane] < low { lows[lane] } else { low };
        high = if highs[lane] > high { highs[lane] } else { high };
    }
    (low, high)
}
