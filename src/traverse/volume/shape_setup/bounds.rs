//! Lemma 83 against inputs whose roundings go the wrong way. A search keeps what comes nearest to
//! the bound: it may not be exceeded, and may not be much larger than what is found.

use super::*;
use crate::simd::{self, InstructionSet, Task};
use crate::test_rng::climb;

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
