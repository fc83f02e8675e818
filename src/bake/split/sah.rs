//! The surface area heuristic (Goldsmith and Salmon 1987): what a plane costs, and the cheapest of
//! the planes between bins (Wald 2007).

use glam::{Mat4, Vec4};

use super::super::bounds::Bounds;
use crate::bvh::LANES;

/// What a set of references costs a ray that hits its box: their number, plus half of the places
/// that their leaf blocks would leave empty. A block costs the same however full it is; half,
/// because the planes further down decide which references share a block.
#[inline(always)]
pub(super) fn set_cost(count: u32) -> f32 {
    let blocks = count.div_ceil(LANES as u32);
    0.5 * (count as i32 as f32 + LANES as f32 * blocks as i32 as f32)
}

/// Computes surface areas in `f32`, four boxes at a time: most of the time of a split goes into it.
/// Boxes are scaled so that the widest side of the whole set is 1. So areas do not overflow, and
/// those that vanish do not matter.
#[derive(Clone, Copy)]
pub(super) struct AreaScale {
    scale: f32,
}

impl AreaScale {
    /// For boxes within these bounds. `None` if a width overflows.
    #[inline(always)]
    pub(super) fn new(bounds: &Bounds) -> Option<Self> {
        let width = |k: usize| bounds.max[k] - bounds.min[k];
        let most = width(0).max(width(1)).max(width(2));
        let scale = if most > 0.0 { 1.0 / most } else { 1.0 };
        // The reciprocal of a denormal may overflow.
        let scale = scale.min(f32::MAX);
        most.is_finite().then_some(Self { scale })
    }

    /// Half the areas of four boxes; infinite for empty boxes.
    #[inline(always)]
    pub(super) fn half_areas(&self, boxes: &[Bounds; 4]) -> Vec4 {
        let widths = |b: &Bounds| Vec4::from_array(b.max) - Vec4::from_array(b.min);
        let [a, b, c, d] = boxes;
        let sides = Mat4::from_cols(widths(a), widths(b), widths(c), widths(d)).transpose();
        let x = sides.x_axis * self.scale;
        let y = sides.y_axis * self.scale;
        let z = sides.z_axis * self.scale;
        x * y + (x + y) * z
    }
}

/// The bins of an axis.
#[derive(Clone, Copy)]
pub(super) struct Bins<const N: usize> {
    /// The box of what lies in each bin.
    pub(super) boxes: [Bounds; N],
    /// How many references begin in each bin.
    pub(super) entries: [u32; N],
    /// How many references end in each bin.
    pub(super) exits: [u32; N],
}

/// One side of a plane.
#[derive(Clone, Copy)]
pub(super) struct Side {
    pub(super) bounds: Bounds,
    pub(super) count: u32,
}

impl Side {
    /// Its share of the plane's cost.
    pub(super) fn cost(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        self.bounds.half_area() * f64::from(set_cost(self.count))
    }
}

/// A plane below bin `bin` on an axis, and what lies on its two sides.
pub(super) struct Plane {
    pub(super) axis: usize,
    pub(super) bin: usize,
    pub(super) left: Side,
    pub(super) right: Side,
}

impl Plane {
    pub(super) fn cost(&self) -> f64 {
        self.left.cost() + self.right.cost()
    }
}

/// The cheapest plane between the bins of some axes, given with their numbers; the first if some
/// are equal. References that begin in a bin count on the left of the planes above it, and those
/// that end there count on the right of the planes below. `None` if no plane has something on both
/// sides.
pub(super) fn cheapest_plane<const N: usize, const AXES: usize>(
    axes: &[usize; AXES],
    bins: &[Bins<N>; AXES],
    areas: &AreaScale,
) -> Option<Plane> {
    let mut least = u64::MAX;
    for (axis, bins) in bins.iter().enumerate() {
        least = least.min(bins.least_cost(areas, axis * N));
    }
    if least >= u64::from(f32::INFINITY.to_bits()) << 32 {
        return None;
    }
    let plane = least as u32 as usize;
    let (axis, bin) = (plane / N, plane % N);
    let side = |boxes: &[Bounds], counts: &[u32]| Side {
        bounds: boxes.iter().fold(Bounds::EMPTY, Bounds::merged),
        count: counts.iter().sum(),
    };
    let bins = &bins[axis];
    Some(Plane {
        axis: axes[axis],
        bin,
        left: side(&bins.boxes[..bin], &bins.entries[..bin]),
        right: side(&bins.boxes[bin..], &bins.exits[bin..]),
    })
}

impl<const N: usize> Bins<N> {
    pub(super) const EMPTY: Self =
        Self { boxes: [Bounds::EMPTY; N], entries: [0; N], exits: [0; N] };

    pub(super) fn merge(&mut self, other: &Self) {
        for bin in 0..N {
            self.boxes[bin].merge(&other.boxes[bin]);
            self.entries[bin] += other.entries[bin];
            self.exits[bin] += other.exits[bin];
        }
    }

    /// The least cost of a plane as bits, and below them the plane's number, counted from `first`.
    /// Costs are positive, so their bits are in the same order.
    #[inline(always)]
    fn least_cost(&self, areas: &AreaScale, first: usize) -> u64 {
        let (mut right_areas, mut right_counts) = ([0.0; N], [0; N]);
        let (mut right, mut count) = (Bounds::EMPTY, 0);
        for four in (0..N).step_by(4).rev() {
            let mut rights = [Bounds::EMPTY; 4];
            for i in (0..4).rev() {
                right.merge(&self.boxes[four + i]);
                rights[i] = right;
                count += self.exits[four + i];
                right_counts[four + i] = count;
            }
            right_areas[four..four + 4].copy_from_slice(&areas.half_areas(&rights).to_array());
        }
        let (mut left, mut count) = (Bounds::EMPTY, 0);
        // For each of four lanes, the first of the cheapest planes.
        let (mut least, mut at) = ([f32::INFINITY; 4], [0; 4]);
        for four in (0..N).step_by(4) {
            let mut lefts = [Bounds::EMPTY; 4];
            let mut counts = [0; 4];
            for i in 0..4 {
                lefts[i] = left;
                counts[i] = count;
                left.merge(&self.boxes[four + i]);
                count += self.entries[four + i];
            }
            let lefts = areas.half_areas(&lefts).to_array();
            for i in 0..4 {
                let bin = four + i;
                // With nothing on one side it is infinity times zero: NaN, which is not less.
                let on_left = lefts[i] * set_cost(counts[i]);
                let cost = on_left + right_areas[bin] * set_cost(right_counts[bin]);
                let less = cost < least[i];
                least[i] = if less { cost } else { least[i] };
                at[i] = if less { bin as u32 } else { at[i] };
            }
        }
        let numbered = least.iter().zip(at).map(|(cost, bin)| {
            let plane = (first + bin as usize) as u64;
            u64::from(cost.to_bits()) << 32 | plane
        });
        numbered.fold(u64::MAX, u64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_blocks_cost_what_they_hold() {
        let costs = [0, 1, 4, 7, 8, 9, 16, 17].map(set_cost);
        assert_eq!(costs, [0.0, 4.5, 6.0, 7.5, 8.0, 12.5, 16.0, 20.5]);
        // The most references that a plane may have on one side.
        assert_eq!(set_cost((1 << 31) - 1), (1u32 << 31) as f32);
    }

    /// Otherwise references in one place, which make one block, would be split into a chain.
    #[test]
    fn what_fits_a_block_costs_the_same_however_it_is_split() {
        for count in 2..=LANES as u32 {
            for left in 1..count {
                let split = set_cost(left) + set_cost(count - left);
                assert_eq!(split, set_cost(1) + set_cost(count - 1));
            }
        }
    }
}
