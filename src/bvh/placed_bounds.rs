//! The box of a tree that stands somewhere in the world.

use glam::Vec4;

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
    let elements = row.map(Vec4::splat);
    // For each axis, which planes make the sum least: the minima or the maxima.
    let near = row.map(|element| usize::from(element < 0.0));
    let sides = [&node.min, &node.max];
    // Of four lanes. (Lane by lane these loops were compiled to scalar code.)
    let sum = |four: usize, side: usize| {
        let product = |axis: usize| {
            let (fours, _) = sides[near[axis] ^ side][axis].as_chunks::<4>();
            elements[axis] * Vec4::from_array(fours[four])
        };
        product(0) + product(1) + product(2)
    };
    let sums = |four| (sum(four, 0), sum(four, 1));
    // The first lane is always used; unused ones are infinite the wrong way round, or no numbers.
    let (low, high) = sums(0);
    let (mut least, mut greatest) = (Vec4::splat(low.x), Vec4::splat(high.x));
    for (low, high) in (0..WIDTH / 4).map(sums) {
        least = Vec4::select(low.cmplt(least), low, least);
        greatest = Vec4::select(high.cmpgt(greatest), high, greatest);
    }
    let (least, greatest) = (least.to_array(), greatest.to_array());
    (
        least.into_iter().fold(least[0], |best, x| if x < best { x } else { best }),
        greatest.into_iter().fold(greatest[0], |best, x| if x > best { x } else { best }),
    )
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
