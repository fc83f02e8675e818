//! The cheapest of the planes between bins, by the surface area heuristic (Goldsmith and Salmon
//! 1987, Wald 2007).

use super::areas::{Areas, key, plane};
use super::bounds::Bounds;

/// What lies in the bins of the three axes.
pub(super) struct Bins<const N: usize> {
    /// The box of it.
    pub(super) boxes: [[Bounds; N]; 3],
    /// How many references begin there.
    pub(super) begins: [[u32; N]; 3],
    /// How many end there.
    pub(super) ends: [[u32; N]; 3],
}

/// One side of a plane.
#[derive(Clone, Copy)]
pub(super) struct Side {
    pub(super) bounds: Bounds,
    pub(super) count: u32,
}

impl Side {
    /// Its part in the surface area heuristic.
    pub(super) fn cost(&self) -> f64 {
        self.bounds.cost(self.count)
    }
}

/// A plane: below bin `bin` on one axis, and what is on its two sides.
pub(super) struct Cheapest {
    pub(super) axis: usize,
    pub(super) bin: usize,
    pub(super) left: Side,
    pub(super) right: Side,
}

impl Cheapest {
    pub(super) fn cost(&self) -> f64 {
        self.left.cost() + self.right.cost()
    }
}

impl<const N: usize> Bins<N> {
    pub(super) const EMPTY: Self = Self {
        boxes: [[Bounds::EMPTY; N]; 3],
        begins: [[0; N]; 3],
        ends: [[0; N]; 3],
    };

    /// Sweeps over the planes between the bins on each axis; the first of equals wins. What begins in a
    /// bin counts on the left side of planes above, and what ends there on the right side of planes below.
    /// `None` if no plane has something on both sides.
    pub(super) fn cheapest(&self, areas: &Areas) -> Option<Cheapest> {
        let mut least = u64::MAX;
        for axis in 0..3 {
            least = least.min(self.least_key(areas, axis));
        }
        let plane = usize::from(plane(least)?);
        let (axis, bin) = (plane / N, plane % N);
        let side = |boxes: &[Bounds], counts: &[u32]| Side {
            bounds: boxes.iter().fold(Bounds::EMPTY, Bounds::merged),
            count: counts.iter().sum(),
        };
        Some(Cheapest {
            axis,
            bin,
            left: side(&self.boxes[axis][..bin], &self.begins[axis][..bin]),
            right: side(&self.boxes[axis][bin..], &self.ends[axis][bin..]),
        })
    }

    #[inline(always)]
    fn least_key(&self, areas: &Areas, axis: usize) -> u64 {
        let boxes = &self.boxes[axis];
        let (mut right_areas, mut right_counts) = ([0.0; N], [0; N]);
        let (mut right, mut count) = (Bounds::EMPTY, 0);
        for first in (0..N).step_by(4).rev() {
            let mut rights = [Bounds::EMPTY; 4];
            for i in (0..4).rev() {
                right.merge(&boxes[first + i]);
                rights[i] = right;
                count += self.ends[axis][first + i];
                right_counts[first + i] = count;
            }
            right_areas[first..first + 4].copy_from_slice(&areas.of(&rights).to_array());
        }
        let (mut left, mut count) = (Bounds::EMPTY, 0);
        let mut least = u64::MAX;
        for first in (0..N).step_by(4) {
            let mut lefts = [Bounds::EMPTY; 4];
            let mut counts = [0; 4];
            for i in 0..4 {
                lefts[i] = left;
                counts[i] = count;
                left.merge(&boxes[first + i]);
                count += self.begins[axis][first + i];
            }
            let lefts = areas.of(&lefts).to_array();
            for i in 0..4 {
                let bin = first + i;
                // Nothing on one side makes it infinity times zero, which is no number.
                let on_left = lefts[i] * counts[i] as i32 as f32;
                let cost = on_left + right_areas[bin] * right_counts[bin] as i32 as f32;
                least = least.min(key(cost, 0, (axis * N + bin) as u16));
            }
        }
        least
    }
}
