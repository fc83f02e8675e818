//! Meshes whose numbers are too small for normal ones are split at a larger scale: processors take a
//! hundred times as long for the others, and reciprocals of their widths are infinite.

use super::super::bounds::Bounds;
use super::super::bvh2::Bvh2Node;
use super::super::pass::{PIECE_LEN, Pass};
use super::super::prim_ref::PrimRef;
use super::super::progress::ProgressMonitor;
use super::super::triangles::InputTriangle;
use crate::geometry::{round_down, round_up};
use crate::platform::parallel;

/// Below this size, no number is so large that enlarging could overflow.
const TINY: f32 = 1.0 / (1u64 << 63) as f32;
/// 2^100, so that enlarging is exact.
const SCALE: f32 = f32::from_bits((127 + 100) << 23);

/// Whether all numbers are tiny.
pub(super) fn needs_scaling(whole: &Bounds) -> bool {
    let ends = [whole.min(), whole.max()];
    ends.as_flattened().iter().all(|x| x.abs() < TINY)
}

/// If the bake is not to go on, not to all.
fn each<T: Send>(items: &mut [T], monitor: &ProgressMonitor<'_>, change: impl Fn(&mut T) + Sync) {
    let pass = Pass::new(monitor, 0, items.len());
    let pieces = items.chunks_mut(PIECE_LEN).collect();
    parallel::map_each(true, pieces, |piece: &mut [T]| {
        if pass.advance_over(piece.len()) {
            piece.iter_mut().for_each(&change);
        }
    });
}

/// Multiplies everything.
pub(super) fn scale_up(
    kept: &mut [InputTriangle],
    prims: &mut [PrimRef],
    whole: &mut Bounds,
    monitor: &ProgressMonitor<'_>,
) {
    let scale_up = |point: &mut [f32; 3]| *point = point.map(|x| x * SCALE);
    each(kept, monitor, |kept| {
        kept.corners.iter_mut().for_each(scale_up);
    });
    each(prims, monitor, |prim| {
        scale_up(&mut prim.min);
        scale_up(&mut prim.max);
    });
    whole.min = whole.min.map(|x| x * SCALE);
    whole.max = whole.max.map(|x| x * SCALE);
}

/// Takes it back: exactly for triangles and the boxes around them, outwards for those of parts.
pub(super) fn scale_back(
    kept: &mut [InputTriangle],
    prims: &mut [PrimRef],
    nodes: &mut [Bvh2Node],
    monitor: &ProgressMonitor<'_>,
) {
    let back = |x: f32| f64::from(x) / f64::from(SCALE);
    let down = |point: [f32; 3]| point.map(|x| round_down(back(x)));
    let up = |point: [f32; 3]| point.map(|x| round_up(back(x)));
    each(kept, monitor, |kept| kept.corners = kept.corners.map(down));
    each(prims, monitor, |prim| (prim.min, prim.max) = (down(prim.min), up(prim.max)));
    each(nodes, monitor, |node| (node.min, node.max) = (down(node.min), up(node.max)));
}
