//! References to triangles with their boxes (Embree's `PrimRef`): the items that are split.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use glam::Vec4;

use super::bounds::Bounds;
use super::progress::{PIECE_LEN, Pass};
use super::triangles::InputTriangle;
use crate::platform::parallel;
use crate::platform::prefetch_ahead;

/// Sets of at least this many references are worth more than one thread.
pub(super) const PARALLEL_LEN: usize = 1 << 15;

/// A reference to a triangle, with the box of the whole triangle or of the part that a spatial
/// split left. Two times sixteen bytes, of which four numbers are compared at a time.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(16))]
pub(super) struct PrimRef {
    pub(super) min: [f32; 3],
    /// The triangle's index among the input triangles.
    pub(super) index: u32,
    pub(super) max: [f32; 3],
    pad: u32,
}

impl PrimRef {
    /// A reference to a whole triangle.
    pub(super) fn new(index: u32, corners: &[[f32; 3]; 3]) -> Self {
        let mut bounds = Bounds::EMPTY;
        for &[x, y, z] in corners {
            bounds.extend(&[x, y, z, 0.0]);
        }
        Self::with_bounds(index, &bounds)
    }

    #[inline(always)]
    pub(super) fn with_bounds(index: u32, bounds: &Bounds) -> Self {
        Self { min: bounds.min(), index, max: bounds.max(), pad: 0 }
    }

    #[inline(always)]
    pub(super) fn bounds(&self) -> Bounds {
        let [min, max] = bytemuck::cast(*self);
        Bounds { min, max }
    }

    /// Keys in a total order: by triangle, then by box.
    pub(super) fn order_key(&self) -> (u32, [[u32; 3]; 2]) {
        (self.index, [self.min, self.max].map(|corner| corner.map(ordered_bits)))
    }

    /// Twice the centroid of the box on an axis. Everything that is done with centroids gives the
    /// same result if all of them are doubled, and halving a denormal takes some processors a
    /// hundred times as long as adding it. Beyond 2^127 the sum is infinite; such sets are split
    /// at the median.
    #[inline(always)]
    pub(super) fn centroid(&self, axis: usize) -> f32 {
        self.min[axis] + self.max[axis]
    }

    /// The same on all axes. The fourth lane is padding.
    #[inline(always)]
    pub(super) fn centroids(&self) -> Vec4 {
        let Bounds { min, max } = self.bounds();
        Vec4::from_array(min) + Vec4::from_array(max)
    }
}

/// Integers in the order of the numbers, as [`f32::total_cmp`] has it.
pub(super) fn ordered_bits(number: f32) -> u32 {
    let bits = number.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// Makes a reference to each triangle, and returns the box of all.
pub(super) fn refer_to(
    triangles: &[InputTriangle],
    prims: &mut [PrimRef],
    pass: Pass<'_, '_>,
) -> Bounds {
    let chunks = triangles.chunks(PIECE_LEN).zip(prims.chunks_mut(PIECE_LEN)).enumerate();
    let refer = |(chunk, (triangles, prims)): (usize, (&[InputTriangle], &mut [PrimRef]))| {
        let mut bounds = Bounds::EMPTY;
        for (i, (triangle, prim)) in pass.over(triangles).iter().zip(prims).enumerate() {
            *prim = PrimRef::new((chunk * PIECE_LEN + i) as u32, &triangle.corners);
            bounds.merge(&prim.bounds());
        }
        bounds
    };
    let bounds = parallel::map_each(true, chunks.collect(), refer);
    bounds.iter().fold(Bounds::EMPTY, Bounds::merged)
}

/// The box of some references.
pub(super) fn bounds_of(prims: &[PrimRef], pass: Pass<'_, '_>) -> Bounds {
    let bounds_of = |prims: &[PrimRef]| {
        let boxes = pass.over(prims).iter().map(PrimRef::bounds);
        boxes.fold(Bounds::EMPTY, |all, one| all.merged(&one))
    };
    parallel::fold(prims, PARALLEL_LEN, bounds_of, |a, b| a.merged(&b))
}

/// The box of the [`centroid`](PrimRef::centroid)s of some references, doubled as they are.
pub(super) fn centroid_bounds(prims: &[PrimRef], pass: Pass<'_, '_>) -> Bounds {
    let bounds_of = |prims: &[PrimRef]| {
        // Four boxes in turn, so that a comparison need not wait for the one before.
        let mut boxes = [Bounds::EMPTY; 4];
        let mut extend = |prims: &[PrimRef]| {
            for (bounds, prim) in boxes.iter_mut().zip(prims) {
                bounds.extend(&prim.centroids().to_array());
            }
        };
        let (rows, rest) = pass.over(prims).as_chunks::<4>();
        for row in rows {
            prefetch_ahead(row);
            extend(row);
        }
        extend(rest);
        boxes.iter().fold(Bounds::EMPTY, Bounds::merged)
    };
    parallel::fold(prims, PARALLEL_LEN, bounds_of, |a, b| a.merged(&b))
}

/// Moves references to where `to` is, in their order. If the bake does not go on, not all.
pub(super) fn move_to(prims: &mut [PrimRef], from: Range<usize>, to: usize, pass: Pass<'_, '_>) {
    if from.start == to {
        return;
    }
    let count = from.len();
    let pieces = count.div_ceil(PIECE_LEN);
    for i in 0..pieces {
        // In the order that overwrites no reference that is still to be moved.
        let piece = if to > from.start { pieces - 1 - i } else { i };
        let (first, end) = (piece * PIECE_LEN, count.min((piece + 1) * PIECE_LEN));
        if !pass.advance(end - first) {
            return;
        }
        prims.copy_within(from.start + first..from.start + end, to + first);
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::bake::progress::ProgressMonitor;

    #[test]
    fn moving_in_pieces_equals_moving_at_once() {
        let mut callback = |_| ControlFlow::Continue(());
        let monitor = ProgressMonitor::new(&mut callback);
        let prims = 0..4 * PIECE_LEN as u32;
        let prims: Vec<_> = prims.map(|i| PrimRef::with_bounds(i, &Bounds::EMPTY)).collect();
        let indices = |prims: &[PrimRef]| prims.iter().map(|prim| prim.index).collect::<Vec<_>>();
        for count in [0, 1, PIECE_LEN - 1, PIECE_LEN, 2 * PIECE_LEN + 3] {
            for from in [0, 5, PIECE_LEN] {
                for to in [0, 3, 5, 6, PIECE_LEN - 1, PIECE_LEN, 4 * PIECE_LEN - count] {
                    if to + count > prims.len() {
                        continue;
                    }
                    let (mut moved, mut expected) = (prims.clone(), prims.clone());
                    let pass = Pass::new(&monitor, 0, prims.len());
                    move_to(&mut moved, from..from + count, to, pass);
                    expected.copy_within(from..from + count, to);
                    assert!(indices(&moved) == indices(&expected), "{count} {from} {to}");
                }
            }
        }
    }
}
