//! Meshes whose coordinates are denormal are split at a larger scale. Processors may take a hundred
//! times as long for denormals, and reciprocals of their widths are infinite.

use super::super::bounds::Bounds;
use super::super::bvh2::Bvh2Node;
use super::super::prim_ref::PrimRef;
use super::super::progress::{PIECE_LEN, Pass, ProgressMonitor};
use super::super::triangles::InputTriangle;
use crate::geometry::{round_down, round_up};
use crate::platform::parallel;

/// Below this, scaling cannot overflow.
const LIMIT: f32 = 1.0 / (1u64 << 63) as f32;
/// 2^100: scaling up is exact.
const SCALE: f32 = f32::from_bits((127 + 100) << 23);

/// Whether all coordinates are small enough to be scaled.
pub(super) fn needs_scaling(whole: &Bounds) -> bool {
    let corners = [whole.min(), whole.max()];
    corners.as_flattened().iter().all(|x| x.abs() < LIMIT)
}

/// Changes each item. If the bake does not go on, not all.
fn for_each<T: Send>(
    items: &mut [T],
    monitor: &ProgressMonitor<'_>,
    change: impl Fn(&mut T) + Sync,
) {
    let pass = Pass::new(monitor, 0, items.len());
    let pieces = items.chunks_mut(PIECE_LEN).collect();
    parallel::map_each(true, pieces, |piece: &mut [T]| {
        if pass.advance(piece.len()) {
            piece.iter_mut().for_each(&change);
        }
    });
}

/// Multiplies all coordinates.
pub(super) fn scale_up(
    triangles: &mut [InputTriangle],
    prims: &mut [PrimRef],
    whole: &mut Bounds,
    monitor: &ProgressMonitor<'_>,
) {
    let scale = |point: &mut [f32; 3]| *point = point.map(|x| x * SCALE);
    for_each(triangles, monitor, |triangle| triangle.corners.iter_mut().for_each(scale));
    for_each(prims, monitor, |prim| {
        scale(&mut prim.min);
        scale(&mut prim.max);
    });
    whole.min = whole.min.map(|x| x * SCALE);
    whole.max = whole.max.map(|x| x * SCALE);
}

/// Scales back: exactly for triangles and the boxes of whole triangles, outwards for the boxes of
/// parts.
pub(super) fn scale_back(
    triangles: &mut [InputTriangle],
    prims: &mut [PrimRef],
    nodes: &mut [Bvh2Node],
    monitor: &ProgressMonitor<'_>,
) {
    let back = |x: f32| f64::from(x) / f64::from(SCALE);
    let down = |point: [f32; 3]| point.map(|x| round_down(back(x)));
    let up = |point: [f32; 3]| point.map(|x| round_up(back(x)));
    for_each(triangles, monitor, |triangle| triangle.corners = triangle.corners.map(down));
    for_each(prims, monitor, |prim| (prim.min, prim.max) = (down(prim.min), up(prim.max)));
    for_each(nodes, monitor, |node| (node.min, node.max) = (down(node.min), up(node.max)));
}
