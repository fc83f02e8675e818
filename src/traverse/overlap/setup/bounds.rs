//! Lemmas 83 and 97 against inputs whose roundings go the wrong way. A search keeps what comes
//! nearest to the bound: it may not be exceeded, and may not be much larger than the largest error
//! found.

use super::*;
use crate::simd::{self, InstructionSet, Task};
use crate::test_rng::climb;
use crate::traverse::place::bounds::{TINY, facts_of_point, map_of, starts, steps, tiny_map_of};

/// The height of a point over a plane.
struct Height<'a>(&'a Plane, [f32; 3]);

impl Task for Height<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> f32 {
        let splat = |x: f32| I::Node::splat(isa, x);
        let mut lanes = [0.0f32; 16];
        dot(self.0.normal.map(splat), self.1.map(splat)).replace_at(&mut lanes, 0);
        lanes[0]
    }
}

#[test]
fn no_point_on_a_plane_is_found_below_it() {
    let score = |numbers: &[f32; 6]| {
        let normal = [0, 1, 2].map(|k| f64::from(numbers[k]));
        let point = [numbers[3], numbers[4], numbers[5]];
        let height: f64 = (0..3).map(|k| normal[k] * f64::from(point[k])).sum();
        let plane = Plane::new(normal, height, point.map(f32::abs))?;
        let exact = height * 0.0625 / max_abs(normal);
        let mut worst = 0.0f64;
        for isa in InstructionSet::available() {
            let found = simd::run(isa, Height(&plane, point));
            assert!(plane.least <= found, "{isa} {numbers:?}");
            worst = worst.max((exact - f64::from(found)) / (exact - f64::from(plane.least)));
        }
        Some(worst)
    };
    let starts = [
        [0.3, 0.7, -1.1, 1.3, 0.1, 0.9],
        [1.0, 1e-3, 0.4, 1e9, -3e9, 7e8],
        [1e-30, 3e-30, -2e-30, 1e-20, 3e-20, 5e-20],
        [3e38, 1e38, -2e38, 3e38, 2e38, -1e38],
        [1e-45, 3e-43, 7e-40, 3e38, 1e-40, 1e-44],
    ];
    let (best, numbers) = climb(&starts, if cfg!(miri) { 20 } else { 4_000 }, score);
    println!("{best} of the bound at {numbers:?}");
    assert!(cfg!(miri) || best > 0.2, "{best}");
}

/// A corner in the world on a plane, and its point of the tree: of ordinary numbers, and of some of
/// the least above zero.
#[test]
fn no_point_of_a_placed_tree_is_found_below_a_plane_that_its_corner_is_on() {
    let cases = [(1.0, map_of as fn(&[f32]) -> _, 0.3), (TINY, tiny_map_of, 0.05)];
    for (size, map, part) in cases {
        let score = |numbers: &[f32; 18]| {
            let transform = map(numbers)?;
            let [corner, normal] = [12, 15].map(|i| [numbers[i], numbers[i + 1], numbers[i + 2]]);
            let corner = corner.map(|x| x * size);
            let facts = facts_of_point(corner);
            let place = &Place::new(&transform, &facts);
            let [moved, ..] = place.corners(&[corner; 3]);
            let normal = normal.map(f64::from);
            let height = dot_f64(normal, moved.map(f64::from));
            let plane = Plane::in_place(normal, height, place, corner.map(f32::abs))?;
            let local = transform.linear().map(|column| dot_f64(column, normal));
            // What the height would be without any rounding.
            let exact = height - dot_f64(normal, transform.translation().map(f64::from));
            let exact = exact * 0.0625 / max_abs(local);
            let mut worst = 0.0f64;
            for isa in [InstructionSet::scalar(), InstructionSet::detect()] {
                let found = simd::run(isa, Height(&plane, corner));
                assert!(plane.least <= found, "{isa} {numbers:?}");
                worst = worst.max((exact - f64::from(found)) / (exact - f64::from(plane.least)));
            }
            Some(worst)
        };
        let (best, numbers) = climb(&starts(12), steps(), score);
        println!("{best} of the bound at {numbers:?}");
        assert!(cfg!(miri) || best > part, "{best}");
    }
}
