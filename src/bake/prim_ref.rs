//! References to triangles, boxed: what the split works on.

use std::cmp::Ordering;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use glam::Vec4;

use super::bounds::{Bounds, greater, lesser};
use super::pass::{PIECE_LEN, Pass};
use crate::platform::parallel;
use crate::platform::prefetch_ahead;

/// Sets from this size on are worth more than one thread.
pub(super) const PARALLEL_LEN: usize = 1 << 15;

/// A reference to a triangle and the box of what it stands for: the whole triangle, or the part
/// of it that a spatial split left. Two times sixteen bytes, of which four numbers are compared at a
/// time.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(16))]
pub(crate) struct PrimRef {
    pub(crate) min: [f32; 3],
    /// Which of the kept triangles it is.
    pub(crate) index: u32,
    pub(crate) max: [f32; 3],
    pad: u32,
}

impl PrimRef {
    /// A reference to a whole triangle.
    pub(crate) fn new(index: u32, corners: &[[f32; 3]; 3]) -> Self {
        let mut prim = Self::empty(index);
        for corner in corners {
            prim.extend(corner);
        }
        prim
    }

    /// A reference to no part of a triangle.
    pub(super) fn empty(index: u32) -> Self {
        Self { min: [f32::INFINITY; 3], index, max: [f32::NEG_INFINITY; 3], pad: 0 }
    }

    /// A reference to a part of a triangle.
    #[inline(always)]
    pub(super) fn of(index: u32, bounds: &Bounds) -> Self {
        Self { min: bounds.min(), index, max: bounds.max(), pad: 0 }
    }

    #[inline(always)]
    pub(super) fn extend(&mut self, point: &[f32; 3]) {
        for k in 0..3 {
            self.min[k] = lesser(self.min[k], point[k]);
            self.max[k] = greater(self.max[k], point[k]);
        }
    }

    /// The part in another reference's box, if there is one.
    #[inline(always)]
    pub(super) fn within(mut self, other: &Self) -> Option<Self> {
        for k in 0..3 {
            self.min[k] = greater(self.min[k], other.min[k]);
            self.max[k] = lesser(self.max[k], other.max[k]);
        }
        (0..3).all(|k| self.min[k] <= self.max[k]).then_some(self)
    }

    /// By triangle, then by which part of it.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let by_part = |a: &[f32; 3], b: &[f32; 3]| {
            let axes = (0..3).map(|k| a[k].total_cmp(&b[k]));
            axes.fold(Ordering::Equal, Ordering::then)
        };
        let by_min = || by_part(&self.min, &other.min);
        let by_max = || by_part(&self.max, &other.max);
        let by_triangle = self.index.cmp(&other.index);
        by_triangle.then_with(by_min).then_with(by_max)
    }

    /// Twice the middle of its box on an axis: what is done with centroids is the same for all of them
    /// doubled, and to halve the smallest numbers takes some processors a hundred times as long as to
    /// add them. (Beyond 2^127 sums are infinite, and sets are halved by count.)
    #[inline(always)]
    pub(super) fn centroid(&self, axis: usize) -> f32 {
        self.min[axis] + self.max[axis]
    }

    /// The same on all axes; the fourth is spare.
    #[inline(always)]
    pub(super) fn centroids(&self) -> Vec4 {
        let Bounds { min, max } = Bounds::of(self);
        Vec4::from_array(min) + Vec4::from_array(max)
    }
}

/// Moves references to where `to` is, in their order. If the bake is not to go on, not all.
pub(super) fn move_to(prims: &mut [PrimRef], from: Range<usize>, to: usize, pass: Pass<'_, '_>) {
    if from.start == to {
        return;
    }
    let count = from.len();
    let pieces = count.div_ceil(PIECE_LEN);
    for i in 0..pieces {
        // Such that none is written over that is still to go.
        let piece = if to > from.start { pieces - 1 - i } else { i };
        let (first, end) = (piece * PIECE_LEN, count.min((piece + 1) * PIECE_LEN));
        if !pass.advance_over(end - first) {
            return;
        }
        prims.copy_within(from.start + first..from.start + end, to + first);
    }
}

/// The box of the [`centroid`](PrimRef::centroid)s of some references, and so doubled.
pub(super) fn centroids(prims: &[PrimRef], pass: Pass<'_, '_>) -> Bounds {
    let of = |prims: &[PrimRef]| centroids_of_some(pass.over(prims));
    parallel::fold(prims, PARALLEL_LEN, of, |a, b| a.merged(&b))
}

/// Takes the centroid of each reference into a box of its own.
#[inline(always)]
fn extend(turns: &mut [Bounds; 4], prims: &[PrimRef]) {
    for (turn, prim) in turns.iter_mut().zip(prims) {
        turn.extend(&prim.centroids().to_array());
    }
}

fn centroids_of_some(prims: &[PrimRef]) -> Bounds {
    // In turns, so that not each comparison waits for the last.
    let mut turns = [Bounds::EMPTY; 4];
    let (rows, rest) = prims.as_chunks::<4>();
    for row in rows {
        prefetch_ahead(row);
        extend(&mut turns, row);
    }
    extend(&mut turns, rest);
    turns.iter().fold(Bounds::EMPTY, Bounds::merged)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::bake::progress::ProgressMonitor;

    #[test]
    fn what_is_moved_piece_by_piece_is_whole() {
        let mut callback = |_| ControlFlow::Continue(());
        let monitor = ProgressMonitor::new(&mut callback);
        let prims: Vec<_> = (0..4 * PIECE_LEN as u32).map(PrimRef::empty).collect();
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
