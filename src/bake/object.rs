//! Sets of references halved by a plane between their centroids: the binned surface area
//! heuristic (Wald 2007).

use super::pass::{PIECE, Pass};
use super::prim::{CHUNK, Extent, Group, Prim, greater, lesser};
use super::sweep::{Cheapest, cheapest};
use crate::parallel;

/// The most bins that an axis is cut into.
pub(super) const BINS: usize = 32;
/// Below this many references half the bins do as well.
const FEW: usize = 64;

/// How centroids fall into bins.
struct Grid {
    origin: [f32; 3],
    /// Less than this from the origin is in the first bin. It is there so that no product is too
    /// small for a normal number, with which some processors take a hundred times as long.
    least: [f32; 3],
    scale: [f32; 3],
    last: f32,
}

impl Grid {
    fn new(extent: &Extent, bins: usize) -> Self {
        let widths = [0, 1, 2].map(|k| extent.centroid_max[k] - extent.centroid_min[k]);
        let scale = widths.map(|width| {
            // Zero keeps all centroids in one bin where they are one, or too far apart or too
            // near to tell: such a set is halved by count.
            let scale = bins as f32 / width;
            if width > 0.0 && scale.is_finite() {
                scale
            } else {
                0.0
            }
        });
        Self {
            origin: extent.centroid_min,
            least: widths.map(|width| width * (1.0 / 256.0)),
            scale,
            last: (bins - 1) as f32,
        }
    }

    #[inline(always)]
    fn bin(&self, prim: &Prim, axis: usize) -> usize {
        let from_origin = prim.centroid(axis) - self.origin[axis];
        let at = greater(from_origin, self.least[axis]) * self.scale[axis];
        // Rounding may carry the last centroid past the last bin.
        lesser(at, self.last) as usize
    }
}

/// All bins of the three axes, at most `N` each.
struct Filled<const N: usize>([[Group; N]; 3]);

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
        extent: &Extent,
        bins: usize,
        pass: Pass<'_, '_>,
    ) -> Option<Self> {
        let bins = if prims.len() < FEW { bins / 2 } else { bins };
        // Small sets are many, and arrays no larger than they need save much of their time.
        match bins {
            ..=8 => Self::best_of::<8>(prims, extent, bins, pass),
            9..=16 => Self::best_of::<16>(prims, extent, bins, pass),
            _ => Self::best_of::<BINS>(prims, extent, bins, pass),
        }
    }

    fn best_of<const N: usize>(
        prims: &[Prim],
        extent: &Extent,
        bins: usize,
        pass: Pass<'_, '_>,
    ) -> Option<Self> {
        let grid = Grid::new(extent, bins);
        let fill = |prims: &[Prim]| Filled::<N>::of(pass.over(prims), &grid);
        let filled = parallel::fold(prims, CHUNK, fill, Filled::merge);
        let group = |axis: usize, bin: usize| filled.0[axis][bin];
        let place = cheapest::<N>(bins, group, group)?;
        Some(Self { place, grid })
    }

    /// Half the surface area that both sides share.
    pub(super) fn overlap(&self) -> f64 {
        self.place.left.overlap(&self.place.right)
    }

    /// Moves those that go left to the front, and returns their number; `None` if the bake is not to
    /// go on.
    pub(super) fn part(&self, prims: &mut [Prim], pass: Pass<'_, '_>) -> Option<usize> {
        let left = self.place.left.count as usize;
        let goes_left = |prim: &Prim| self.grid.bin(prim, self.place.axis) < self.place.bin;
        part(prims, left, goes_left, pass).then_some(left)
    }
}

impl<const N: usize> Filled<N> {
    fn of(prims: &[Prim], grid: &Grid) -> Self {
        let mut filled = Self([[Group::EMPTY; N]; 3]);
        for prim in prims {
            for axis in 0..3 {
                filled.0[axis][grid.bin(prim, axis)].add(prim);
            }
        }
        filled
    }

    fn merge(mut self, other: Self) -> Self {
        for (row, others) in self.0.iter_mut().zip(&other.0) {
            for (bin, other) in row.iter_mut().zip(others) {
                bin.merge(other);
            }
        }
        self
    }
}

/// Moves those that go left, `left` in all, to the front: the first of the others changes places with
/// the last of them, and so on. Returns whether the bake is to go on.
pub(super) fn part(
    prims: &mut [Prim],
    left: usize,
    goes_left: impl Fn(&Prim) -> bool,
    pass: Pass<'_, '_>,
) -> bool {
    let (front, back) = prims.split_at_mut(left);
    let mut pieces = back.rchunks_mut(PIECE);
    let mut behind = [].iter_mut().rev();
    for piece in front.chunks_mut(PIECE) {
        if !pass.goes_over(piece.len()) {
            return false;
        }
        for prim in piece.iter_mut().filter(|prim| !goes_left(prim)) {
            let other = loop {
                if let Some(other) = behind.find(|prim| goes_left(prim)) {
                    break other;
                }
                match pieces.next() {
                    Some(next) if pass.goes_over(next.len()) => behind = next.iter_mut().rev(),
                    // There are as many on one side as on the other.
                    _ => return false,
                }
            };
            std::mem::swap(prim, other);
        }
    }
    pass.goes_on()
}
