//! Lemma 84 against inputs whose roundings go the wrong way. A search keeps what comes nearest to a
//! bound: none may be exceeded, and none may be much larger than the largest error found.
//!
//! The truth is computed in `f64`, whose errors are less than a millionth of the bounds.

use super::*;
use crate::simd::{self, InstructionSet, Isa, Task};
use crate::test_rng::climb;

struct Case {
    bounds: [[f32; 3]; 2],
    corners: [[f32; 3]; 3],
}

type Real = [f64; 3];

impl Case {
    fn new(numbers: &[f32; 15]) -> Option<Self> {
        let point = |i: usize| [0, 1, 2].map(|k| numbers[3 * i + k]);
        let (min, max) = (point(0), point(1));
        let fits = numbers.iter().all(|x| x.abs() < 2.0) && (0..3).all(|k| min[k] <= max[k]);
        fits.then(|| Self { bounds: [min, max], corners: [point(2), point(3), point(4)] })
    }

    /// The gaps on all axes, without rounding.
    fn gaps(&self) -> Vec<f64> {
        let [min, max] = self.bounds.map(|corner| corner.map(f64::from));
        let half: Real = [0, 1, 2].map(|k| (max[k] - min[k]) / 2.0);
        let corners: [Real; 3] =
            self.corners.map(|v| [0, 1, 2].map(|k| f64::from(v[k]) - (min[k] + max[k]) / 2.0));
        let side =
            |i: usize, j: usize| -> Real { [0, 1, 2].map(|k| corners[j][k] - corners[i][k]) };
        let product = |a: Real, b: Real| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let across = |a: Real, b: Real| -> Real {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let on = |axis: Real, vertices: &[usize]| {
            let at = vertices.iter().map(|&i| product(axis, corners[i]));
            let (low, high) =
                at.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
            low.max(-high) - product(axis.map(f64::abs), half)
        };
        let mut gaps = Vec::new();
        for (i, j, opposite) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
            for k in 0..3 {
                let mut axis = [0.0; 3];
                axis[k] = 1.0;
                gaps.push(on(across(axis, side(i, j)), &[i, opposite]));
            }
        }
        gaps.push(on(across(side(0, 1), side(2, 0)), &[0]));
        gaps
    }
}

impl Task for &Case {
    type Output = Vec<[f64; 2]>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Vec<[f64; 2]> {
        let mut block = LeafBlock::EMPTY;
        block.set_corners(0, &self.corners);
        let first = |vector: I::Leaf| {
            let mut lanes = [0.0f32; 16];
            vector.replace_at(&mut lanes, 0);
            f64::from(lanes[0])
        };
        let test = BoxTest::new(1.0, &self.bounds);
        let gaps = test.gaps::<I::Leaf>(isa, &block, 0);
        gaps.iter().map(|&Gap { gap, doubt }| [first(gap), first(doubt)]).collect()
    }
}

/// Searches for the worst of some axes.
fn worst(axes: std::ops::Range<usize>) -> f64 {
    let score = |numbers: &[f32; 15]| {
        let case = Case::new(numbers)?;
        let truth = case.gaps();
        let mut worst = 0.0f64;
        for isa in InstructionSet::available() {
            for (i, [gap, doubt]) in simd::run(isa, &case).into_iter().enumerate() {
                let part = (gap - truth[i]).abs() / doubt;
                assert!(part <= 1.0, "{isa}, axis {i}: {part} at {numbers:?}");
                worst = worst.max(if axes.contains(&i) { part } else { 0.0 });
            }
        }
        Some(worst)
    };
    let start = |x: f32| [x, -0.9, 0.2, 1.1, 1.3, 0.7, 0.5, x, -1.2, 1.4, -0.3, 0.8, 0.1, 1.7, -x];
    let steps = if cfg!(miri) { 20 } else { 4_000 };
    let (worst, numbers) = climb(&[0.3, 0.77, 1.01, -0.6].map(start), steps, score);
    println!("{worst} of the bound at {numbers:?}");
    worst
}

#[test]
fn no_gap_is_off_by_more_than_its_bound() {
    let (edges, normal) = (worst(0..9), worst(9..10));
    assert!(cfg!(miri) || (edges > 0.1 && normal > 0.05), "{edges} {normal}");
}

/// Every answer that is certain is right: against the exact one.
#[test]
fn what_is_certain_is_right() {
    let mut state = 4;
    let mut number = || (crate::test_rng::number(&mut state) * 8.0).round() / 8.0;
    let (mut certain, mut apart, mut unclear) = (0, 0, 0);
    for _ in 0..if cfg!(miri) { 50 } else { 5_000 } {
        let mut numbers: [f32; 15] = std::array::from_fn(|_| number());
        for k in 0..3 {
            numbers[3 + k] = numbers[k] + numbers[3 + k].abs();
        }
        let Some(case) = Case::new(&numbers) else { continue };
        let [min, max] = case.bounds;
        let shape = crate::geometry::Shape::from(crate::geometry::Aabb::from_min_max(min, max));
        let truth = shape.overlap_corners(&case.corners).is_some();
        let is_near = (0..3).all(|k| {
            let at = case.corners.map(|corner| corner[k]);
            at.iter().any(|&x| x <= max[k]) && at.iter().any(|&x| x >= min[k])
        });
        if !is_near {
            continue;
        }
        struct Both<'a>(&'a Case);
        impl Task for Both<'_> {
            type Output = (u32, u32);

            #[inline(always)]
            fn run<I: Isa>(self, isa: I) -> (u32, u32) {
                let mut block = LeafBlock::EMPTY;
                block.set_corners(0, &self.0.corners);
                BoxTest::new(1.0, &self.0.bounds).touches::<I::Leaf>(isa, &block)
            }
        }
        for isa in InstructionSet::available() {
            let (possible, sure) = simd::run(isa, Both(&case));
            assert!(possible & 1 == 1 || !truth, "{isa} {numbers:?}");
            assert!(sure & 1 == 0 || truth, "{isa} {numbers:?}");
            certain += sure & 1;
            apart += u32::from(possible & 1 == 0);
            unclear += possible & !sure & 1;
        }
    }
    println!("{certain} touch, {apart} are apart, {unclear} unclear");
    assert!(cfg!(miri) || (certain > 500 && apart > 200 && unclear > 50));
}
