//! Sets of references halved by a plane between their centroids: the binned surface area
//! heuristic (Wald 2007).

use glam::Vec4;

use super::areas::Areas;
use super::bounds::Bounds;
use super::pass::{PIECE, Pass};
use super::prim::{CHUNK, Prim};
use super::sweep::{Bins, Cheapest};
use crate::parallel;

/// The most bins that an axis is cut into.
pub(super) const BINS: usize = 32;
/// Below this many references half the bins do as well.
const FEW: usize = 64;
/// From this many on, two sets of bins are filled in turns.
const MANY: usize = 512;

/// How centroids fall into bins: the first and the last are half as wide as the others. Fourth numbers
/// are spare.
struct Grid {
    origin: Vec4,
    /// Less than this from the origin is in the first bin. It is there so that no product is too
    /// small for a normal number, with which some processors take a hundred times as long.
    least: Vec4,
    scale: Vec4,
}

/// A number to which a smaller one is added to round it: the sum's last bits are the whole number.
const ROUNDER: f32 = (3 << 22) as f32;

impl Grid {
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
        Self {
            origin: Vec4::from_array(centroids.min),
            least,
            scale,
        }
    }

    /// The bins of a reference's centroid on all axes, as numbers of which the last bits count.
    #[inline(always)]
    fn bins(&self, prim: &Prim) -> [u32; 4] {
        let from_origin = prim.centroids() - self.origin;
        let at = from_origin.max(self.least) * self.scale;
        bytemuck::cast((at + Vec4::splat(ROUNDER)).to_array())
    }
}

/// Where to part a set: references whose centroids are in bins below `bin` go left.
pub(super) struct ObjectPlane {
    pub(super) place: Cheapest,
    grid: Grid,
}

impl ObjectPlane {
    /// The plane of least cost; the first of equals. `None` if all centroids share a bin on
    /// every axis.
    pub(super) fn best(
        prims: &[Prim],
        bounds: &Bounds,
        centroids: &Bounds,
        bins: usize,
        pass: Pass<'_, '_>,
    ) -> Option<Self> {
        let bins = if prims.len() < FEW { bins / 2 } else { bins };
        let grid = Grid::new(centroids, bins);
        let areas = Areas::within(bounds);
        // Small sets are many, and arrays no larger than they need save much of their time.
        let place = match bins {
            ..=8 => cheapest::<8>(prims, &grid, &areas, pass),
            9..=16 => cheapest::<16>(prims, &grid, &areas, pass),
            _ => cheapest::<BINS>(prims, &grid, &areas, pass),
        }?;
        Some(Self { place, grid })
    }

    /// Half the surface area that both sides share.
    pub(super) fn overlap(&self) -> f64 {
        let Cheapest { left, right, .. } = &self.place;
        left.bounds.overlap(&right.bounds)
    }

    /// Moves those that go left to the front, and returns their number; `None` if the bake is not to
    /// go on.
    pub(super) fn part(&self, prims: &mut [Prim], pass: Pass<'_, '_>) -> Option<usize> {
        let Cheapest { axis, bin, .. } = self.place;
        let goes_left = |prim: &Prim| self.grid.bins(prim)[axis] as usize % BINS < bin;
        part(prims, goes_left, pass)
    }
}

fn cheapest<const N: usize>(
    prims: &[Prim],
    grid: &Grid,
    areas: &Areas,
    pass: Pass<'_, '_>,
) -> Option<Cheapest> {
    let fill = |prims: &[Prim]| Filled::<N>::of(pass.over(prims), grid);
    let Filled { boxes, counts } = parallel::fold(prims, CHUNK, fill, Filled::merge);
    let bins = Bins {
        boxes,
        begins: counts,
        ends: counts,
    };
    bins.cheapest(areas)
}

/// All bins of the three axes, and how many references are in each.
struct Filled<const N: usize> {
    boxes: [[Bounds; N]; 3],
    counts: [[u32; N]; 3],
}

impl<const N: usize> Filled<N> {
    const EMPTY: Self = Self {
        boxes: [[Bounds::EMPTY; N]; 3],
        counts: [[0; N]; 3],
    };

    fn of(prims: &[Prim], grid: &Grid) -> Self {
        let mut filled = Self::EMPTY;
        if prims.len() < MANY {
            prims.iter().for_each(|prim| filled.add(prim, grid));
            return filled;
        }
        // Neighbours are often in one bin, and would have to wait for each other.
        let mut others = Self::EMPTY;
        let (pairs, rest) = prims.as_chunks::<2>();
        for [a, b] in pairs {
            filled.add(a, grid);
            others.add(b, grid);
        }
        rest.iter().for_each(|prim| filled.add(prim, grid));
        filled.merge(others)
    }

    #[inline(always)]
    fn add(&mut self, prim: &Prim, grid: &Grid) {
        const { assert!(N.is_power_of_two()) }
        let (bounds, bins) = (Bounds::of(prim), grid.bins(prim));
        for axis in 0..3 {
            let bin = bins[axis] as usize % N;
            self.boxes[axis][bin].merge(&bounds);
            self.counts[axis][bin] += 1;
        }
    }

    fn merge(mut self, other: Self) -> Self {
        for axis in 0..3 {
            for bin in 0..N {
                self.boxes[axis][bin].merge(&other.boxes[axis][bin]);
                self.counts[axis][bin] += other.counts[axis][bin];
            }
        }
        self
    }
}

/// Moves those that go left to the front, and returns their number; `None` if the bake is not to go
/// on.
pub(super) fn part(
    prims: &mut [Prim],
    goes_left: impl Fn(&Prim) -> bool,
    pass: Pass<'_, '_>,
) -> Option<usize> {
    let mut left = 0;
    for first in (0..prims.len()).step_by(PIECE) {
        let end = prims.len().min(first + PIECE);
        if !pass.goes_over(end - first) {
            return None;
        }
        // Each changes places with the first that does not go left, itself if need be: no branch waits
        // for what cannot be foreseen.
        for i in first..end {
            let prim = prims[i];
            prims[i] = prims[left];
            prims[left] = prim;
            left += usize::from(goes_left(&prim));
        }
    }
    Some(left)
}
