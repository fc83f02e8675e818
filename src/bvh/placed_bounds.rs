//! The box of a tree that stands somewhere in the world.

use super::{Facts, Node, TreeView, WIDTH};
use crate::geometry::{Aabb, InstanceTransform, round_down, round_up};

#[cfg(test)]
mod tests;

/// The largest sizes that are computed in `f32`: far from where sums overflow.
const LARGE: f32 = 1e30;

/// A box that holds all triangles of a tree, moved by the map without rounding, or with the
/// roundings of [`InstanceTransform::point_to_world`]: that around the
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
        let (low, high) = least_and_greatest(root, &tree.facts, row);
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
fn least_and_greatest(node: &Node, facts: &Facts, row: [f32; 3]) -> (f32, f32) {
    // Along a single axis the box of the whole is as good.
    if let Some(axis) = only_axis(row) {
        let (a, b) = (row[axis] * facts.min[axis], row[axis] * facts.max[axis]);
        return if a < b { (a, b) } else { (b, a) };
    }
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
    (reduce(lows, f32::INFINITY, |a, b| a < b), reduce(highs, f32::NEG_INFINITY, |a, b| a > b))
}

/// The axis of the only element of a row that is not zero.
fn only_axis(row: [f32; 3]) -> Option<usize> {
    match row.map(|element| element == 0.0) {
        [_, true, true] => Some(0),
        [true, _, true] => Some(1),
        [true, true, _] => Some(2),
        _ => None,
    }
}

/// The least or the greatest. `start` is what unused lanes may count as: they are infinite the
/// wrong way round, or no numbers.
#[inline(always)]
fn reduce(lanes: [f32; WIDTH], start: f32, is_better: impl Fn(f32, f32) -> bool) -> f32 {
    // Four at a time: a chain of sixteen would be waited for.
    let mut best = [start; 4];
    for four in lanes.as_chunks::<4>().0 {
        for (best, &x) in best.iter_mut().zip(four) {
            *best = if is_better(x, *best) { x } else { *best };
        }
    }
    best.into_iter().fold(start, |best, x| if is_better(x, best) { x } else { best })
}
