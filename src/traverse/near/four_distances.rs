//! The distances of four triangles at once, in `f64` with bounds on their errors.

use crate::array::Each;
use crate::geometry::{NUMBERS, PointDistance, closest_of};
use crate::simd::{F64x4, Isa, Task};
use crate::traverse::found::Found;
use crate::traverse::four::Four;

/// Points and triangles: the same as [`PointDistance::new`] of each.
pub(super) struct FourDistances<'a>(pub(super) [(&'a [f32; 3], &'a Found); 4]);

impl Task for FourDistances<'_> {
    type Output = [PointDistance; 4];

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> [PointDistance; 4] {
        let mut numbers = [[Four(I::F64x4::new(isa, [0.0; 4])); 3]; 4];
        let Self([a, b, c, d]) = self;
        for k in 0..3 {
            for i in 0..3 {
                let lanes = [a, b, c, d].each(|(_, found)| found.corners[i][k]);
                numbers[i][k] = Four(I::F64x4::from_f32(isa, lanes));
            }
            numbers[3][k] = Four(I::F64x4::from_f32(isa, [a, b, c, d].each(|(point, _)| point[k])));
        }
        let [first, second, third, point] = numbers;
        let closest = closest_of(point, [first, second, third]);
        let mut of_points = [[0.0; NUMBERS]; 4];
        for i in 0..NUMBERS {
            let lanes = closest[i].0.to_array();
            for point in 0..4 {
                of_points[point][i] = lanes[point];
            }
        }
        of_points.refs().each(PointDistance::from_numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::LeafBlock;
    use crate::simd::{InstructionSet, run};
    use crate::test_rng;

    /// Triangles of all sizes and shapes, some on a grid, and points near, on and far from them.
    fn case(i: usize, state: &mut u64) -> ([f32; 3], [[f32; 3]; 3]) {
        let mut point = |size: f32| {
            [0; 3].map(|_| {
                let x = test_rng::number(state);
                if i.is_multiple_of(3) { (4.0 * x).round() * size } else { x * size }
            })
        };
        let size = [1.0, 1e-3, 1e-30, 1e30][i / 3 % 4];
        let mut corners = [point(size), point(size), point(size)];
        match i / 12 % 5 {
            1 => corners[2] = [0, 1, 2].map(|k| 0.3 * corners[0][k] + 0.7 * corners[1][k]),
            2 => corners[1] = corners[0],
            3 => corners = corners.map(|[x, y, _]| [x, y, size]),
            _ => {}
        }
        let at = match i / 60 % 4 {
            1 => corners[0],
            2 => [0, 1, 2].map(|k| 0.25 * (corners[0][k] + corners[1][k]) + 0.5 * corners[2][k]),
            3 => point(100.0 * size),
            _ => point(size),
        };
        (at, corners)
    }

    #[test]
    fn four_at_once_have_the_bits_of_one_after_the_other() {
        let state = &mut 9;
        let mut kinds = std::collections::BTreeSet::new();
        for i in 0..if cfg!(miri) { 20 } else { 5_000 } {
            // Four of a kind, or of several.
            let cases = [0, 1, 2, 3].map(|k| case(if i % 2 == 0 { i } else { 60 * i + k }, state));
            let found = cases.map(|(_, corners)| {
                let mut block = LeafBlock::EMPTY;
                block.set_corners(0, &corners);
                Found::new(&block, 0, 0)
            });
            let of = [0, 1, 2, 3].map(|k| (&cases[k].0, &found[k]));
            let expected = cases.map(|(at, corners)| PointDistance::new(at, &corners));
            kinds.extend(expected.map(|distance| format!("{:?}", distance.feature)));
            for isa in InstructionSet::available() {
                let distances = run(isa, FourDistances(of));
                // As text: every bit counts, the sign of zero too.
                assert_eq!(format!("{distances:?}"), format!("{expected:?}"), "{isa} {cases:?}");
            }
        }
        assert!(cfg!(miri) || kinds.len() == 7, "{kinds:?}");
    }
}
