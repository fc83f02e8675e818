//! Object splits: a set of references split by a plane between their centroids, found with bins
//! (Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007).

use glam::Vec4;
use smallvec::SmallVec;

use super::super::bounds::Bounds;
use super::super::preset::{Axes, Preset};
use super::super::prim_ref::{PARALLEL_LEN, PrimRef};
use super::super::progress::{PIECE_LEN, Pass};
use super::sah::{self, AreaScale, Bins, Plane};
use crate::platform::parallel;
use crate::platform::prefetch_ahead;

/// The most bins on an axis.
const MAX_BINS: usize = 32;
/// Sets of fewer references use half the bins.
const FEWER_BINS_BELOW: usize = 64;
/// From this many references on, two sets of bins are filled in turn.
const TWO_SETS_FROM: usize = 512;
/// From this many on, four.
const FOUR_SETS_FROM: usize = 2048;

/// How centroids fall into bins. The first and the last bin are half as wide as the others. The
/// fourth lanes are padding.
struct CentroidGrid {
    origin: Vec4,
    /// Distances from the origin are raised to this, which lies in the first bin, so that no
    /// product is denormal: some processors take a hundred times as long for those.
    least: Vec4,
    scale: Vec4,
}

/// Rounds a small number that is added to it: the last bits of the sum are the integer.
pub(super) const ROUND_TO_INT: f32 = (3 << 22) as f32;

impl CentroidGrid {
    fn new(centroids: &Bounds, bins: usize) -> Self {
        let (mut least, mut scale) = (Vec4::ONE, Vec4::ZERO);
        for k in 0..3 {
            let width = centroids.max[k] - centroids.min[k];
            // If the width is zero, or too large or too small for `f32`, the scale stays zero and
            // all centroids fall into one bin. Such a set is split at the median.
            let each = (bins - 1) as f32 / width;
            if width > 0.0 && each.is_finite() {
                (least[k], scale[k]) = (width * (1.0 / 256.0), each);
            }
        }
        Self { origin: Vec4::from_array(centroids.min), least, scale }
    }

    /// The bins of a reference's centroid on all axes, each added to [`ROUND_TO_INT`].
    #[inline(always)]
    fn rounded(&self, prim: &PrimRef) -> Vec4 {
        let from_origin = prim.centroids() - self.origin;
        let at = from_origin.max(self.least) * self.scale;
        at + Vec4::splat(ROUND_TO_INT)
    }

    /// The same, as integers of which the last bits count.
    #[inline(always)]
    fn bins(&self, prim: &PrimRef) -> [u32; 4] {
        bytemuck::cast(self.rounded(prim).to_array())
    }
}

/// A split of a set: references whose centroids are in bins below the plane go left.
pub(super) struct ObjectSplit {
    pub(super) plane: Plane,
    grid: CentroidGrid,
}

impl ObjectSplit {
    /// The cheapest split, the first if some are equal. `None` if all centroids share a bin on
    /// every axis.
    pub(super) fn best(
        prims: &[PrimRef],
        bounds: &Bounds,
        centroids: &Bounds,
        preset: &Preset,
        pass: Pass<'_, '_>,
    ) -> Option<Self> {
        let bins = if prims.len() < FEWER_BINS_BELOW { preset.bins / 2 } else { preset.bins };
        let grid = CentroidGrid::new(centroids, bins);
        let areas = AreaScale::new(bounds)?;
        let plane = match axes(preset.axes, centroids)[..] {
            [a] => cheapest_plane([a], prims, &grid, bins, &areas, pass),
            [a, b] => cheapest_plane([a, b], prims, &grid, bins, &areas, pass),
            _ => cheapest_plane([0, 1, 2], prims, &grid, bins, &areas, pass),
        }?;
        Some(Self { plane, grid })
    }

    /// Half the surface area of what the boxes of both sides share, and the part of it that lies
    /// around the plane's axis. If the sides were cut apart, the latter could be saved.
    pub(super) fn overlap(&self) -> [f64; 2] {
        let Plane { axis, left, right, .. } = &self.plane;
        let Some(shared) = left.bounds.intersection(&right.bounds) else {
            return [0.0; 2];
        };
        let width = |k: usize| shared.width(k % 3);
        let around = width(*axis) * (width(axis + 1) + width(axis + 2));
        [shared.half_area(), around]
    }

    /// Moves the references that go left to the front, and returns their number; `None` if the
    /// bake does not go on.
    pub(super) fn partition(&self, prims: &mut [PrimRef], pass: Pass<'_, '_>) -> Option<usize> {
        let Plane { axis, bin, .. } = self.plane;
        // On the other axes nothing is less than this.
        let mut first_right = [f32::NEG_INFINITY; 4];
        first_right[axis] = ROUND_TO_INT + bin as f32;
        let first_right = Vec4::from_array(first_right);
        partition(prims, |prim| self.grid.rounded(prim).cmplt(first_right).any(), pass)
    }
}

/// The axes to look for planes on. Slabs have small surface areas, but make bad subtrees: so a set
/// is not split on an axis along which it is much narrower than along another.
fn axes(axes: Axes, centroids: &Bounds) -> SmallVec<[usize; 3]> {
    let widest = centroids.widest_axis();
    let enough = match axes {
        Axes::All => 0.25 * centroids.width(widest),
        Axes::Widest => f64::INFINITY,
    };
    (0..3).filter(|&k| k == widest || centroids.width(k) >= enough).collect()
}

fn cheapest_plane<const AXES: usize>(
    axes: [usize; AXES],
    prims: &[PrimRef],
    grid: &CentroidGrid,
    bins: usize,
    areas: &AreaScale,
    pass: Pass<'_, '_>,
) -> Option<Plane> {
    if prims.len() >= TWO_SETS_FROM {
        return cheapest_of_many(axes, prims, grid, areas, pass);
    }
    // Small sets are many, and arrays that are no larger than needed save much of their time.
    match bins {
        ..=8 => cheapest_of_few::<8, AXES>(axes, prims, grid, areas, pass),
        9..=16 => cheapest_of_few::<16, AXES>(axes, prims, grid, areas, pass),
        _ => cheapest_of_few::<MAX_BINS, AXES>(axes, prims, grid, areas, pass),
    }
}

fn cheapest_of_few<const N: usize, const AXES: usize>(
    axes: [usize; AXES],
    prims: &[PrimRef],
    grid: &CentroidGrid,
    areas: &AreaScale,
    pass: Pass<'_, '_>,
) -> Option<Plane> {
    let mut filled = [Bins::<N>::EMPTY; AXES];
    for prim in pass.over(prims) {
        add(prim, &axes, grid, &mut filled);
    }
    cheapest_between(&axes, &mut filled, areas)
}

fn cheapest_of_many<const AXES: usize>(
    axes: [usize; AXES],
    prims: &[PrimRef],
    grid: &CentroidGrid,
    areas: &AreaScale,
    pass: Pass<'_, '_>,
) -> Option<Plane> {
    let mut filled = [Bins::EMPTY; AXES];
    if prims.len() <= PARALLEL_LEN {
        fill(pass.over(prims), &axes, grid, &mut filled);
    } else {
        let fill = |prims: &[PrimRef]| {
            let mut filled = [Bins::EMPTY; AXES];
            fill(pass.over(prims), &axes, grid, &mut filled);
            filled
        };
        filled = parallel::fold(prims, PARALLEL_LEN, fill, |mut filled, others| {
            merge(&mut filled, &others);
            filled
        });
    }
    cheapest_between(&axes, &mut filled, areas)
}

#[inline(always)]
fn cheapest_between<const N: usize, const AXES: usize>(
    axes: &[usize; AXES],
    filled: &mut [Bins<N>; AXES],
    areas: &AreaScale,
) -> Option<Plane> {
    // A centroid begins and ends in the same bin.
    for bins in &mut *filled {
        bins.exits = bins.entries;
    }
    sah::cheapest_plane(axes, filled, areas)
}

/// Adds many references to the bins of their centroids, as entries only.
fn fill<const AXES: usize>(
    prims: &[PrimRef],
    axes: &[usize; AXES],
    grid: &CentroidGrid,
    filled: &mut [Bins<MAX_BINS>; AXES],
) {
    if prims.len() < FOUR_SETS_FROM {
        fill_in_turn::<2, AXES>(prims, axes, grid, filled);
    } else {
        fill_in_turn::<4, AXES>(prims, axes, grid, filled);
    }
}

/// The same with several sets of bins in turn. Neighbours often fall into one bin and would have
/// to wait for each other.
fn fill_in_turn<const SETS: usize, const AXES: usize>(
    prims: &[PrimRef],
    axes: &[usize; AXES],
    grid: &CentroidGrid,
    filled: &mut [Bins<MAX_BINS>; AXES],
) {
    let mut sets = [[Bins::EMPTY; AXES]; SETS];
    let (rows, rest) = prims.as_chunks::<SETS>();
    for row in rows {
        prefetch_ahead(row);
        for (prim, set) in row.iter().zip(&mut sets) {
            add(prim, axes, grid, set);
        }
    }
    for (prim, set) in rest.iter().zip(&mut sets) {
        add(prim, axes, grid, set);
    }
    for set in &sets {
        merge(filled, set);
    }
}

#[inline(always)]
fn add<const N: usize, const AXES: usize>(
    prim: &PrimRef,
    axes: &[usize; AXES],
    grid: &CentroidGrid,
    filled: &mut [Bins<N>; AXES],
) {
    const { assert!(N.is_power_of_two()) }
    let (bounds, places) = (prim.bounds(), grid.bins(prim));
    for (bins, &axis) in filled.iter_mut().zip(axes) {
        let bin = places[axis] as usize % N;
        bins.boxes[bin].merge(&bounds);
        bins.entries[bin] += 1;
    }
}

fn merge<const AXES: usize>(filled: &mut [Bins<MAX_BINS>; AXES], others: &[Bins<MAX_BINS>; AXES]) {
    for (bins, others) in filled.iter_mut().zip(others) {
        bins.merge(others);
    }
}

/// Moves the references that go left to the front, and returns their number; `None` if the bake
/// does not go on.
pub(super) fn partition(
    prims: &mut [PrimRef],
    goes_left: impl Fn(&PrimRef) -> bool,
    pass: Pass<'_, '_>,
) -> Option<usize> {
    let mut left = 0;
    for first in (0..prims.len()).step_by(PIECE_LEN) {
        let end = prims.len().min(first + PIECE_LEN);
        if !pass.advance(end - first) {
            return None;
        }
        // Each reference changes places with the first that does not go left, or with itself: no
        // branch depends on where it goes.
        #[expect(
            clippy::manual_swap,
            reason = "`swap` reads the reference once more: a tenth of a bake's time"
        )]
        for i in first..end {
            let prim = prims[i];
            prims[i] = prims[left];
            prims[left] = prim;
            left += usize::from(goes_left(&prim));
        }
    }
    Some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_axes_are_left_out() {
        let axes = |which: Axes, widths: [f32; 3]| {
            let [x, y, z] = widths;
            let centroids = Bounds { min: [0.0; 4], max: [x, y, z, 0.0] };
            axes(which, &centroids).to_vec()
        };
        assert_eq!(axes(Axes::All, [2.0, 4.0, 3.0]), [0, 1, 2]);
        assert_eq!(axes(Axes::All, [1.0, 4.0, 0.99]), [0, 1]);
        assert_eq!(axes(Axes::All, [0.0, 0.5, 4.0]), [2]);
        assert_eq!(axes(Axes::All, [0.0; 3]), [0, 1, 2]);
        assert_eq!(axes(Axes::Widest, [2.0, 4.0, 4.0]), [1]);
        // A width that overflows.
        assert_eq!(axes(Axes::All, [f32::INFINITY, 1.0, 1.0]), [0]);
    }
}
