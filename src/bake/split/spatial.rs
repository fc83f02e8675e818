//! Spatial splits: a set of references split by a plane that cuts triangles in two (Stich,
//! Friedrich and Dietrich, "Spatial Splits in Bounding Volume Hierarchies", 2009).

use super::super::bounds::Bounds;
use super::super::prim_ref::{PrimRef, move_to};
use super::super::progress::{PIECE_LEN, Pass};
use super::super::triangles::InputTriangle;
use super::clip::cut;
use super::sah::{self, AreaScale, Plane, Side};
use super::spatial_bins::{self, SlabGrid, SpatialBins};
use crate::error::BakeError;
use crate::platform::parallel;

/// In sets of at least this many references, a sample decides which axes are tried.
const SAMPLED_FROM: usize = 256;
/// References that one thread bins at a time: few, since each may lie in all slabs.
const BIN_CHUNK: usize = 1 << 12;

/// A split of a set: the parts of triangles below the plane go left, the others right.
pub(super) struct SpatialSplit {
    pub(super) plane: Plane,
    at: f32,
}

/// How many references went to either side of a plane.
pub(super) struct Partition {
    pub(super) left: usize,
    pub(super) right: usize,
    /// Places of the left side. The right side begins behind them.
    pub(super) left_places: usize,
}

impl Partition {
    /// Divides `places`: the spare ones in proportion to the references.
    pub(super) fn new(places: usize, left: usize, right: usize) -> Self {
        let spare = places - left - right;
        // A single reference is split no further.
        let share = match left {
            1 => 0,
            _ => (spare as u64 * left as u64 / (left + right) as u64) as usize,
        };
        Self { left, right, left_places: left + share }
    }
}

impl SpatialSplit {
    /// The cheapest split, the first if some are equal. `None` if no plane has something on both
    /// sides.
    pub(super) fn best(
        prims: &[PrimRef],
        bounds: &Bounds,
        triangles: &[InputTriangle],
        pass: Pass<'_, '_>,
    ) -> Option<Self> {
        let areas = AreaScale::new(bounds)?;
        let mut grid = SlabGrid::new(bounds);
        if prims.len() >= SAMPLED_FROM {
            grid.choose_axes(prims);
        }
        let fill = |prims: &[PrimRef]| spatial_bins::fill(pass.over(prims), &grid, triangles);
        let merge = |mut filled: SpatialBins, others: SpatialBins| {
            filled.iter_mut().zip(&others).for_each(|(bins, others)| bins.merge(others));
            filled
        };
        let filled = parallel::fold(prims, BIN_CHUNK, fill, merge);
        let plane = sah::cheapest_plane(&[0, 1, 2], &filled, &areas)?;
        let at = grid.planes[plane.axis][plane.bin];
        Some(Self { plane, at })
    }

    /// Splits the first `count` of `prims`; the places behind them are spare. The left side comes
    /// to lie at the front, and the right side behind the left side's share of the spare places.
    ///
    /// A triangle across the plane stays whole on one side if that is cheaper, or if no place is
    /// left for another reference. A reference whose box holds no point of its triangle is dropped.
    ///
    /// `None` if all references fell to one side: they are then in another order, and some boxes
    /// may be smaller. `None`, too, if the bake does not go on.
    pub(super) fn partition(
        &self,
        prims: &mut [PrimRef],
        count: usize,
        triangles: &[InputTriangle],
        pass: Pass<'_, '_>,
    ) -> Option<Partition> {
        let (axis, at) = (self.plane.axis, self.at);
        // In this order: references below the plane, across it, above it.
        let (mut across, mut next, mut above) = (0, 0, count);
        while next < above {
            let seen = next + count - above;
            if seen.is_multiple_of(PIECE_LEN) && !pass.advance(0) {
                return None;
            }
            let (min, max) = (prims[next].min[axis], prims[next].max[axis]);
            if min < at && max <= at {
                prims.swap(across, next);
                across += 1;
                next += 1;
            } else if min >= at {
                above -= 1;
                prims.swap(next, above);
            } else {
                next += 1;
            }
        }

        let mut spare = prims.len() - count;
        let mut sides = Sides { left: self.plane.left, right: self.plane.right };
        let mut to_right = Vec::new();
        if let Err(error) = to_right.try_reserve_exact(above - across) {
            pass.fail(BakeError::out_of_memory("triangles across a plane", error));
            return None;
        }
        let mut left = across;
        for i in across..above {
            if i.is_multiple_of(BIN_CHUNK) && !pass.advance(0) {
                return None;
            }
            let prim = prims[i];
            let parts = match sides.choose(&prim, spare > 0) {
                Choice::Left => [Some(prim), None],
                Choice::Right => [None, Some(prim)],
                Choice::Both => cut(&prim, &triangles[prim.index as usize].corners, axis, at),
            };
            if let [Some(_), Some(_)] = parts {
                spare -= 1;
            }
            if let Some(part) = parts[0] {
                prims[left] = part;
                left += 1;
            }
            to_right.extend(parts[1]);
        }
        let right = to_right.len() + count - above;
        if left == 0 || right == 0 {
            let begin = above - to_right.len();
            prims[begin..above].copy_from_slice(&to_right);
            return None;
        }
        let partition = Partition::new(prims.len(), left, right);
        let begin = partition.left_places;
        let end = begin + to_right.len();
        move_to(prims, above..count, end, pass);
        prims[begin..end].copy_from_slice(&to_right);
        Some(partition)
    }
}

/// What the two sides of a plane will hold.
struct Sides {
    left: Side,
    right: Side,
}

/// Where a triangle across the plane goes.
enum Choice {
    Left,
    Right,
    Both,
}

impl Sides {
    /// Whether a triangle across the plane is better cut or left whole on one side ("reference
    /// unsplitting", section 4.4 of the paper). The counts assume that all triangles that have not
    /// been chosen for are cut.
    fn choose(&mut self, prim: &PrimRef, may_cut: bool) -> Choice {
        let bounds = prim.bounds();
        let wide = |side: &Side| Side { bounds: side.bounds.merged(&bounds), ..*side };
        let fewer = |side: &Side| Side { count: side.count.saturating_sub(1), ..*side };
        let (wide_left, wide_right) = (wide(&self.left), wide(&self.right));
        let (less_left, less_right) = (fewer(&self.left), fewer(&self.right));
        let both = self.left.cost() + self.right.cost();
        let only_left = wide_left.cost() + less_right.cost();
        let only_right = less_left.cost() + wide_right.cost();
        if may_cut && both < only_left && both < only_right {
            Choice::Both
        } else if only_left <= only_right {
            self.left = wide_left;
            self.right = less_right;
            Choice::Left
        } else {
            self.left = less_left;
            self.right = wide_right;
            Choice::Right
        }
    }
}
