//! Sets of references halved by a plane between their centroids: the binned surface area
//! heuristic (Wald 2007).

use glam::Vec4;
use smallvec::SmallVec;

use super::super::areas::AreaScale;
use super::super::bounds::Bounds;
use super::super::pass::{PIECE_LEN, Pass};
use super::super::prim_ref::{PARALLEL_LEN, PrimRef};
use super::super::{Axes, BakeOptions};
use super::sah::{self, BestPlane, Bins};
use crate::platform::parallel;
use crate::platform::prefetch_ahead;

/// The most bins that an axis is cut into.
pub(in crate::bake) const MAX_BINS: usize = 32;
/// Below this many references half the bins do as well.
const FEWER_BINS_BELOW: usize = 64;
/// From this many on, two sets of bins are filled in turns.
const TWO_SETS_FROM: usize = 512;
/// From this many on, four.
const FOUR_SETS_FROM: usize = 2048;

/// How centroids fall into bins: the first and the last are half as wide as the others. Fourth numbers
/// are spare.
struct CentroidGrid {
    origin: Vec4,
    /// Less than this from the origin is in the first bin. It is there so that no product is too
    /// small for a normal number, with which some processors take a hundred times as long.
    least: Vec4,
    scale: Vec4,
}

/// A number to which a smaller one is added to round it: the sum's last bits are the whole number.
pub(super) const ROUND_TO_INT: f32 = (3 << 22) as f32;

impl CentroidGrid {
    fn new(centroids: &Bounds, bins: usize) -> Self {
        let (mut least, mut scale) = (Vec4::ONE, Vec4::ZERO);
        for k in 0..3 {
            let width = centroids.max[k] - centroids.min[k];
            // Zero keeps all centroids in one bin where they are one, or too far apart or too
            // near to tell: such a set is halved by count.
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

    /// The same, as numbers of which the last bits count.
    #[inline(always)]
    fn bins(&self, prim: &PrimRef) -> [u32; 4] {
        bytemuck::cast(self.rounded(prim).to_array())
    }
}

/// Where to part a set: references whose centroids are in bins below `bin` go left.
pub(super) struct ObjectSplit {
    pub(super) place: BestPlane,
    grid: CentroidGrid,
}

impl ObjectSplit {
    /// The plane of least cost; the first of equals. `None` if all centroids share a bin on
    /// every axis.
    pub(super) fn best(
        prims: &[PrimRef],
        bounds: &Bounds,
        centroids: &Bounds,
        options: &BakeOptions,
        pass: Pass<'_, '_>,
    ) -> Option<Self> {
        let bins = options.bins as usize;
        let bins = if prims.len() < FEWER_BINS_BELOW { bins / 2 } else { bins };
        let grid = CentroidGrid::new(centroids, bins);
        let areas = AreaScale::within(bounds)?;
        let place = match axes(options.axes, centroids)[..] {
            [a] => cheapest([a], prims, &grid, bins, &areas, pass),
            [a, b] => cheapest([a, b], prims, &grid, bins, &areas, pass),
            _ => cheapest([0, 1, 2], prims, &grid, bins, &areas, pass),
        }?;
        Some(Self { place, grid })
    }

    /// Half the surface area of what both sides share, and the part of it that goes around: what
    /// cutting all in two at a plane across it could save. (The rest is there though both sides
    /// only touch.)
    pub(super) fn overlap(&self) -> [f64; 2] {
        let BestPlane { axis, left, right, .. } = &self.place;
        let Some(shared) = left.bounds.within(&right.bounds) else {
            return [0.0; 2];
        };
        let width = |k: usize| shared.width(k % 3);
        let around = width(*axis) * (width(axis + 1) + width(axis + 2));
        [shared.half_area(), around]
    }

    /// Moves those that go left to the front, and returns their number; `None` if the bake is not to
    /// go on.
    pub(super) fn partition(&self, prims: &mut [PrimRef], pass: Pass<'_, '_>) -> Option<usize> {
        let BestPlane { axis, bin, .. } = self.place;
        // On other axes nothing is less.
        let mut first_right = [f32::NEG_INFINITY; 4];
        first_right[axis] = ROUND_TO_INT + bin as f32;
        let first_right = Vec4::from_array(first_right);
        let goes_left = |prim: &PrimRef| self.grid.rounded(prim).cmplt(first_right).any();
        partition(prims, goes_left, pass)
    }
}

/// The axes to look for planes on. SpatialGrid look cheap, but what comes of them is not: so no set is parted on an axis
/// along which it is much narrower than along another.
fn axes(axes: Axes, centroids: &Bounds) -> SmallVec<[usize; 3]> {
    let widest = centroids.widest();
    let enough = match axes {
        Axes::All => 0.25 * centroids.width(widest),
        Axes::Widest => f64::INFINITY,
    };
    let looked_at = |&k: &usize| k == widest || centroids.width(k) >= enough;
    (0..3).filter(looked_at).collect()
}

fn cheapest<const AXES: usize>(
    axes: [usize; AXES],
    prims: &[PrimRef],
    grid: &CentroidGrid,
    bins: usize,
    areas: &AreaScale,
    pass: Pass<'_, '_>,
) -> Option<BestPlane> {
    // Small sets are many, and arrays no larger than they need save much of their time.
    match bins {
        ..=8 => cheapest_of::<8, AXES>(axes, prims, grid, areas, pass),
        9..=16 => cheapest_of::<16, AXES>(axes, prims, grid, areas, pass),
        _ => cheapest_of::<MAX_BINS, AXES>(axes, prims, grid, areas, pass),
    }
}

fn cheapest_of<const N: usize, const AXES: usize>(
    axes: [usize; AXES],
    prims: &[PrimRef],
    grid: &CentroidGrid,
    areas: &AreaScale,
    pass: Pass<'_, '_>,
) -> Option<BestPlane> {
    let mut filled = [Bins::<N>::EMPTY; AXES];
    if prims.len() <= PARALLEL_LEN {
        // In their place: to hand so many bins on takes as long as to fill them with a few references.
        fill(pass.over(prims), &axes, grid, &mut filled);
    } else {
        let fill = |prims: &[PrimRef]| {
            let mut filled = [Bins::<N>::EMPTY; AXES];
            fill(pass.over(prims), &axes, grid, &mut filled);
            filled
        };
        filled = parallel::fold(prims, PARALLEL_LEN, fill, |mut filled, others| {
            merge(&mut filled, &others);
            filled
        });
    }
    // A centroid begins and ends at once.
    for bins in &mut filled {
        bins.exits = bins.entries;
    }
    sah::cheapest(&axes, &filled, areas)
}

/// Puts references into the bins of their centroids, where they count as beginning.
fn fill<const N: usize, const AXES: usize>(
    prims: &[PrimRef],
    axes: &[usize; AXES],
    grid: &CentroidGrid,
    filled: &mut [Bins<N>; AXES],
) {
    match prims.len() {
        ..TWO_SETS_FROM => prims.iter().for_each(|prim| add(prim, axes, grid, filled)),
        TWO_SETS_FROM..FOUR_SETS_FROM => fill_in_turns::<2, N, AXES>(prims, axes, grid, filled),
        _ => fill_in_turns::<4, N, AXES>(prims, axes, grid, filled),
    }
}

/// The same with several sets of bins: neighbours are often in one bin, and would have to wait for each other.
fn fill_in_turns<const SETS: usize, const N: usize, const AXES: usize>(
    prims: &[PrimRef],
    axes: &[usize; AXES],
    grid: &CentroidGrid,
    filled: &mut [Bins<N>; AXES],
) {
    let mut sets = [[Bins::<N>::EMPTY; AXES]; SETS];
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
    let (bounds, places) = (Bounds::of(prim), grid.bins(prim));
    for (bins, &axis) in filled.iter_mut().zip(axes) {
        let bin = places[axis] as usize % N;
        bins.boxes[bin].merge(&bounds);
        bins.entries[bin] += 1;
    }
}

fn merge<const N: usize, const AXES: usize>(
    filled: &mut [Bins<N>; AXES],
    others: &[Bins<N>; AXES],
) {
    for (bins, others) in filled.iter_mut().zip(others) {
        bins.merge(others);
    }
}

/// Moves those that go left to the front, and returns their number; `None` if the bake is not to go
/// on.
pub(super) fn partition(
    prims: &mut [PrimRef],
    goes_left: impl Fn(&PrimRef) -> bool,
    pass: Pass<'_, '_>,
) -> Option<usize> {
    let mut left = 0;
    for first in (0..prims.len()).step_by(PIECE_LEN) {
        let end = prims.len().min(first + PIECE_LEN);
        if !pass.advance_over(end - first) {
            return None;
        }
        // Each changes places with the first that does not go left, itself if need be: no branch waits
        // for what cannot be foreseen.
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
    fn no_planes_are_looked_for_on_narrow_axes() {
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
        // Farther apart than any number says.
        assert_eq!(axes(Axes::All, [f32::INFINITY, 1.0, 1.0]), [0]);
    }
}
