//! The order of incoherent rays: along a Z-order curve (Morton 1966) through their origins.
//!
//! Rays that start near each other need the same nodes and leaf blocks, wherever they go. If the
//! tree is larger than the caches and rays come shuffled, or from all over a level, this order lets
//! rays find in the caches what the rays before them have loaded.

use glam::{Vec3, Vec4};

use crate::array::Each;
use crate::geometry::Ray;
use crate::platform::prefetch_ahead;

/// The most incoherent rays that are traced at a time: few enough for the caches to hold the tree's
/// parts that they need.
pub(crate) const MAX_INCOHERENT: usize = 1 << 14;

/// A shorter run ends before it needs anything again.
const MIN_RAYS: usize = 1 << 12;

/// The bits of a cell's number, so that there is a cell for every few rays.
const CELL_BITS: usize = 12;

/// The most bits along one axis.
const AXIS_BITS: usize = 5;
const _: () = assert!(CELL_BITS <= 3 * AXIS_BITS);

/// How many pairs of neighbors are sampled to tell whether origins are scattered.
const PAIRS: usize = 64;

/// Origins are scattered if neighbors are at least this part of the bounds' extent apart. Random
/// points in a box are a third apart.
const SCATTERED: f32 = 0.125;

/// The box that contains the origins of most rays.
#[derive(Clone, Copy)]
pub(crate) struct OriginBounds {
    min: Vec3,
    extent: Vec3,
}

impl OriginBounds {
    /// The bounds of rays that are worth sorting: each origin is far from the last one.
    pub(crate) fn of_scattered(rays: &[Ray]) -> Option<Self> {
        if rays.len() < MIN_RAYS {
            return None;
        }
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let mut distance = Vec3::ZERO;
        for part in rays.chunks_exact(rays.len() / PAIRS).take(PAIRS) {
            let (a, b) = (part[0].origin, part[1].origin);
            distance += (b - a).abs();
            min = min.min(a).min(b);
            max = max.max(a).max(b);
        }
        let extent = max - min;
        let far = SCATTERED * PAIRS as f32 * extent.element_sum();
        (distance.element_sum() > far).then_some(Self { min, extent })
    }
}

/// The cells of a grid, numbered along the curve.
struct Cells {
    min: Vec4,
    /// Cells per unit of length.
    scale: Vec4,
    /// For each axis and coordinate in the grid, its bits of the cell's number.
    bits: [[u16; 1 << AXIS_BITS]; 3],
}

impl Cells {
    /// Halves the bounds again and again, each time across the longest side.
    fn new(bounds: &OriginBounds) -> Self {
        let mut sides = bounds.extent;
        let mut counts = [1; 3];
        let mut bits = [[0; 1 << AXIS_BITS]; 3];
        let mut axes = [0; CELL_BITS];
        for axis in &mut axes {
            let open = (0..3).filter(|&axis| counts[axis] < 1 << AXIS_BITS);
            *axis = open.max_by(|&a, &b| sides[a].total_cmp(&sides[b])).unwrap_or(0);
            sides[*axis] *= 0.5;
            counts[*axis] *= 2;
        }
        // The last halving of an axis gives the lowest bit of its coordinate.
        let mut next_bit = [0; 3];
        for (bit, &axis) in axes.iter().rev().enumerate() {
            for (coordinate, bits) in bits[axis].iter_mut().enumerate() {
                *bits |= ((coordinate >> next_bit[axis] & 1) << bit) as u16;
            }
            next_bit[axis] += 1;
        }
        let counts = Vec3::from_array(counts.each(|count| count as f32));
        Self { min: bounds.min.extend(0.0), scale: (counts / bounds.extent).extend(0.0), bits }
    }

    /// The cell of a ray's origin. Any cell, if the origin is out of bounds.
    #[inline(always)]
    fn of(&self, ray: &Ray) -> usize {
        const LAST: f32 = ((1 << AXIS_BITS) - 1) as f32;
        /// Added to a number, it leaves the integer part in the lowest bits.
        const INTEGER: f32 = (1 << 23) as f32;
        let origin = ray.origin.extend(ray.t_min);
        let cell = (origin - self.min) * self.scale - 0.5;
        let cell = cell.clamp(Vec4::ZERO, Vec4::splat(LAST)) + INTEGER;
        let cell = cell.to_array().each(|coordinate| coordinate.to_bits() as usize);
        let bits = |axis: usize| self.bits[axis][cell[axis] % (1 << AXIS_BITS)];
        usize::from(bits(0) | bits(1) | bits(2))
    }
}

/// The indices of rays along the curve. There are at most [`MAX_INCOHERENT`], and `first` is the
/// index of the first. Arrays as long as the rays are not on the stack, because they would take
/// most of it.
pub(crate) fn order(bounds: &OriginBounds, rays: &[Ray], first: usize) -> Vec<u32> {
    let cells = Cells::new(bounds);
    let mut starts = [0u16; 1 << CELL_BITS];
    let mut cell_of = vec![0u16; rays.len()];
    for (ray, cell_of) in rays.iter().zip(&mut cell_of) {
        prefetch_ahead(std::slice::from_ref(ray));
        let cell = cells.of(ray);
        *cell_of = cell as u16;
        starts[cell] += 1;
    }
    let mut start = 0;
    for count in &mut starts {
        start += std::mem::replace(count, start);
    }
    let mut indices = vec![0; rays.len()];
    for (index, &cell) in (first as u32..).zip(&cell_of) {
        let next = &mut starts[usize::from(cell)];
        indices[usize::from(*next)] = index;
        *next += 1;
    }
    indices
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::test_rng;

    /// Rays from random points of a box.
    fn scattered(count: usize, sides: Vec3) -> Vec<Ray> {
        let mut state = 1u64;
        let mut number = || test_rng::number(&mut state);
        let mut ray = |_| Ray::new(sides * Vec3::new(number(), number(), number()), Vec3::X);
        (0..count).map(&mut ray).collect()
    }

    /// The length of the path from origin to origin.
    fn path_length(rays: &[Ray], indices: &[u32]) -> f32 {
        let origin = |index: u32| rays[index as usize].origin;
        let pairs = indices.windows(2);
        pairs.map(|pair| origin(pair[0]).distance(origin(pair[1]))).sum()
    }

    #[test]
    fn sorted_neighbors_start_close_together() {
        let boxes = [Vec3::ONE, Vec3::new(9.0, 4.0, 0.1), Vec3::new(1.0, 0.0, 0.0)];
        for sides in boxes.map(|sides| 100.0 * sides) {
            let rays = scattered(MAX_INCOHERENT, sides);
            let bounds = OriginBounds::of_scattered(&rays).unwrap();
            let indices = order(&bounds, &rays, 0);
            let unsorted: Vec<u32> = (0..MAX_INCOHERENT as u32).collect();
            let (before, after) = (path_length(&rays, &unsorted), path_length(&rays, &indices));
            println!("{sides}: {before} before, {after} after");
            assert!(after < 0.15 * before);
            // Sorted rays are not sorted again.
            let rays: Vec<Ray> = indices.iter().map(|&index| rays[index as usize]).collect();
            assert!(OriginBounds::of_scattered(&rays).is_none());
        }
    }

    #[test]
    fn rays_in_lines_are_not_sorted() {
        let line = |i: usize| Vec3::new((i % 256) as f32, (i / 256) as f32, 0.0);
        let lines: Vec<Ray> = (0..MAX_INCOHERENT).map(|i| Ray::new(line(i), Vec3::Z)).collect();
        assert!(OriginBounds::of_scattered(&lines).is_none());
        let one_point = vec![Ray::new(Vec3::ONE, Vec3::Z); MAX_INCOHERENT];
        assert!(OriginBounds::of_scattered(&one_point).is_none());
        assert!(OriginBounds::of_scattered(&scattered(MIN_RAYS - 1, Vec3::ONE)).is_none());
        assert!(OriginBounds::of_scattered(&scattered(MIN_RAYS, Vec3::ONE)).is_some());
    }

    proptest! {
        #[test]
        fn every_index_is_written_once(
            count in MIN_RAYS..MAX_INCOHERENT,
            first in 0usize..1 << 30,
            sides in prop::array::uniform3(prop::num::f32::ANY),
            strange in prop::collection::vec(prop::array::uniform3(prop::num::f32::ANY), 0..200),
        ) {
            let mut rays = scattered(count, Vec3::from_array(sides));
            let bounds = OriginBounds::of_scattered(&rays).unwrap_or(OriginBounds {
                min: Vec3::ZERO,
                extent: Vec3::from_array(sides),
            });
            for (ray, origin) in rays.iter_mut().step_by(5).zip(&strange) {
                ray.origin = Vec3::from_array(*origin);
            }
            let mut indices = order(&bounds, &rays, first);
            indices.sort_unstable();
            prop_assert!(indices.into_iter().eq((first as u32..).take(count)));
        }
    }
}
