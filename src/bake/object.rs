//! Sets of references halved by a plane between their centroids: the binned surface area
//! heuristic (Wald 2007).

use super::prim::{CHUNK, Extent, Group, Prim, lesser};
use super::sweep::{Cheapest, cheapest};
use crate::parallel;

/// The most bins that an axis is cut into.
pub(super) const BINS: usize = 32;
/// Below this many references half the bins do as well.
const FEW: usize = 64;

/// How centroids fall into bins.
struct Grid {
    origin: [f32; 3],
    scale: [f32; 3],
    last: f32,
}

impl Grid {
    fn new(extent: &Extent, bins: usize) -> Self {
        let scale = [0, 1, 2].map(|k| {
            let width = extent.centroid_max[k] - extent.centroid_min[k];
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
            scale,
            last: (bins - 1) as f32,
        }
    }

    #[inline(always)]
    fn bin(&self, prim: &Prim, axis: usize) -> usize {
        let at = (prim.centroid(axis) - self.origin[axis]) * self.scale[axis];
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
    pub(super) fn best(prims: &[Prim], extent: &Extent, bins: usize) -> Option<Self> {
        let bins = if prims.len() < FEW { bins / 2 } else { bins };
        // Small sets are many, and arrays no larger than they need save much of their time.
        match bins {
            ..=8 => Self::best_of::<8>(prims, extent, bins),
            9..=16 => Self::best_of::<16>(prims, extent, bins),
            _ => Self::best_of::<BINS>(prims, extent, bins),
        }
    }

    fn best_of<const N: usize>(prims: &[Prim], extent: &Extent, bins: usize) -> Option<Self> {
        let grid = Grid::new(extent, bins);
        let filled = parallel::fold(
            prims,
            CHUNK,
            |prims| Filled::<N>::of(prims, &grid),
            Filled::merge,
        );
        let group = |axis: usize, bin: usize| filled.0[axis][bin];
        let place = cheapest::<N>(bins, group, group)?;
        Some(Self { place, grid })
    }

    /// Half the surface area that both sides share.
    pub(super) fn overlap(&self) -> f64 {
        self.place.left.overlap(&self.place.right)
    }

    /// Moves those that go left to the front, and returns their number.
    pub(super) fn part(&self, prims: &mut [Prim]) -> usize {
        swap_partition(prims, |prim| {
            self.grid.bin(prim, self.place.axis) < self.place.bin
        })
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

/// Swaps those for which `left` holds to the front and returns their number.
fn swap_partition(prims: &mut [Prim], left: impl Fn(&Prim) -> bool) -> usize {
    let (mut front, mut back) = (0, prims.len());
    loop {
        while front < back && left(&prims[front]) {
            front += 1;
        }
        while front < back && !left(&prims[back - 1]) {
            back -= 1;
        }
        if front >= back {
            return front;
        }
        prims.swap(front, back - 1);
        front += 1;
        back -= 1;
    }
}
