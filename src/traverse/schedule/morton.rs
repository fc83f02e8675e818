//! Unlike rays in the order of where they begin.
//!
//! Whichever way rays run, those that begin near each other have the same nodes and leaf blocks before
//! them. Where the tree is larger than the caches, rays that come shuffled, or from all over a level, are
//! therefore asked along a Z-order curve (Morton 1966) through the places where they begin, so that those
//! who come next find what the last ones have brought.

use glam::{Vec3, Vec4};

use super::UNLIKE;
use crate::geometry::Ray;
use crate::platform::prefetch_ahead;

/// Fewer are over too soon to come back to anything.
const LEAST: usize = 1 << 12;

/// Halvings of the box in which rays begin: a cell for every few of them.
const HALVINGS: usize = 12;

/// Halvings along one axis, at the most.
const ALONG: usize = 5;
const _: () = assert!(HALVINGS <= 3 * ALONG);

/// Pairs of neighbours that tell whether rays begin all over the place.
const PAIRS: usize = 64;

/// From one to the next it is such a part of the way across, at least. (Between random points in a box it is a
/// third.)
const FAR: f32 = 0.125;

/// The box in which rays begin, all but a few.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    min: Vec3,
    extent: Vec3,
}

impl Place {
    /// Where rays begin that do so all over the place, if they do: in the order that they have, each is far
    /// from the last.
    pub(crate) fn of_scattered(rays: &[Ray]) -> Option<Self> {
        if rays.len() < LEAST {
            return None;
        }
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let mut way = Vec3::ZERO;
        for part in rays.chunks_exact(rays.len() / PAIRS).take(PAIRS) {
            let (a, b) = (part[0].origin, part[1].origin);
            way += (b - a).abs();
            min = min.min(a).min(b);
            max = max.max(a).max(b);
        }
        let extent = max - min;
        let far = FAR * PAIRS as f32 * extent.element_sum();
        (way.element_sum() > far).then_some(Self { min, extent })
    }
}

/// Cells that a place is cut into, numbered along the curve.
struct Cells {
    min: Vec4,
    /// Cells in a unit of length.
    scale: Vec4,
    /// For each axis and each row of cells along it, the bits of their numbers that say so.
    bits: [[u16; 1 << ALONG]; 3],
}

impl Cells {
    /// The place is halved across its longest side, and so on.
    fn new(place: &Place) -> Self {
        let mut sides = place.extent;
        let mut rows = [1; 3];
        let mut bits = [[0; 1 << ALONG]; 3];
        let mut axes = [0; HALVINGS];
        for axis in &mut axes {
            let open = (0..3).filter(|&axis| rows[axis] < 1 << ALONG);
            *axis = open.max_by(|&a, &b| sides[a].total_cmp(&sides[b])).unwrap_or(0);
            sides[*axis] *= 0.5;
            rows[*axis] *= 2;
        }
        // The last halving of an axis is the last bit of a row's number.
        let mut place_of = [0; 3];
        for (bit, &axis) in axes.iter().rev().enumerate() {
            for (row, bits) in bits[axis].iter_mut().enumerate() {
                *bits |= ((row >> place_of[axis] & 1) << bit) as u16;
            }
            place_of[axis] += 1;
        }
        let rows = Vec3::from_array(rows.map(|rows| rows as f32));
        Self { min: place.min.extend(0.0), scale: (rows / place.extent).extend(0.0), bits }
    }

    /// The number of the cell in which a ray begins: of any, if it begins somewhere else.
    #[inline(always)]
    fn of(&self, ray: &Ray) -> usize {
        const LAST: f32 = ((1 << ALONG) - 1) as f32;
        /// Numbers of this size have no bits for what is less than one.
        const WHOLE: f32 = (1 << 23) as f32;
        let origin = ray.origin.extend(ray.t_min);
        let row = (origin - self.min) * self.scale - 0.5;
        let row = row.clamp(Vec4::ZERO, Vec4::splat(LAST)) + WHOLE;
        let row = row.to_array().map(|row| row.to_bits() as usize);
        let bits = |axis: usize| self.bits[axis][row[axis] % (1 << ALONG)];
        usize::from(bits(0) | bits(1) | bits(2))
    }
}

/// Writes the numbers of some rays, [`UNLIKE`] at the most, of which the first has number `first`, along the curve.
pub(crate) fn order(place: &Place, rays: &[Ray], first: usize, numbers: &mut [u32]) {
    let cells = Cells::new(place);
    let mut starts = [0u16; 1 << HALVINGS];
    let mut cell_of = [0u16; UNLIKE];
    let cell_of = &mut cell_of[..rays.len()];
    for (ray, cell_of) in rays.iter().zip(&mut *cell_of) {
        prefetch_ahead(std::slice::from_ref(ray));
        let cell = cells.of(ray);
        *cell_of = cell as u16;
        starts[cell] += 1;
    }
    let mut start = 0;
    for count in &mut starts {
        start += std::mem::replace(count, start);
    }
    for (number, &cell) in (first as u32..).zip(&*cell_of) {
        let next = &mut starts[usize::from(cell)];
        numbers[usize::from(*next)] = number;
        *next += 1;
    }
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

    fn ordered(place: &Place, rays: &[Ray], first: usize) -> Vec<u32> {
        let mut numbers = vec![u32::MAX; rays.len()];
        order(place, rays, first, &mut numbers);
        numbers
    }

    /// How far it is from one to the next.
    fn way(rays: &[Ray], numbers: &[u32]) -> f32 {
        let origin = |number: u32| rays[number as usize].origin;
        let pairs = numbers.windows(2);
        pairs.map(|pair| origin(pair[0]).distance(origin(pair[1]))).sum()
    }

    #[test]
    fn the_way_from_ray_to_ray_is_short() {
        let boxes = [Vec3::ONE, Vec3::new(9.0, 4.0, 0.1), Vec3::new(1.0, 0.0, 0.0)];
        for sides in boxes.map(|sides| 100.0 * sides) {
            let rays = scattered(UNLIKE, sides);
            let place = Place::of_scattered(&rays).unwrap();
            let numbers = ordered(&place, &rays, 0);
            let as_they_came: Vec<u32> = (0..UNLIKE as u32).collect();
            let (before, after) = (way(&rays, &as_they_came), way(&rays, &numbers));
            println!("{sides}: {before} before, {after} after");
            assert!(after < 0.15 * before);
            // What is in order needs none.
            let rays: Vec<Ray> = numbers.iter().map(|&number| rays[number as usize]).collect();
            assert!(Place::of_scattered(&rays).is_none());
        }
    }

    #[test]
    fn rays_in_lines_stay_as_they_are() {
        let line = |i: usize| Vec3::new((i % 256) as f32, (i / 256) as f32, 0.0);
        let lines: Vec<Ray> = (0..UNLIKE).map(|i| Ray::new(line(i), Vec3::Z)).collect();
        assert!(Place::of_scattered(&lines).is_none());
        let one_point = vec![Ray::new(Vec3::ONE, Vec3::Z); UNLIKE];
        assert!(Place::of_scattered(&one_point).is_none());
        assert!(Place::of_scattered(&scattered(LEAST - 1, Vec3::ONE)).is_none());
        assert!(Place::of_scattered(&scattered(LEAST, Vec3::ONE)).is_some());
    }

    proptest! {
        #[test]
        fn each_number_is_written_once(
            count in LEAST..UNLIKE,
            first in 0usize..1 << 30,
            sides in prop::array::uniform3(prop::num::f32::ANY),
            strange in prop::collection::vec(prop::array::uniform3(prop::num::f32::ANY), 0..200),
        ) {
            let mut rays = scattered(count, Vec3::from_array(sides));
            let place = Place::of_scattered(&rays).unwrap_or(Place {
                min: Vec3::ZERO,
                extent: Vec3::from_array(sides),
            });
            for (ray, origin) in rays.iter_mut().step_by(5).zip(&strange) {
                ray.origin = Vec3::from_array(*origin);
            }
            let mut numbers = ordered(&place, &rays, first);
            numbers.sort_unstable();
            prop_assert!(numbers.into_iter().eq((first as u32..).take(count)));
        }
    }
}
