//! Searches for inputs that need the bounds of Lemma 73.

use super::*;
use crate::bvh::UNUSED_ID;
use crate::geometry::PointDistance;
use crate::simd::{InstructionSet, Isa, Task, run};
use crate::test_rng::{climb, number};

const UNIT: PointSetup = PointSetup::UNIT;

struct LeafTask<'a>(&'a PointSetup, &'a LeafBlock);

impl Task for LeafTask<'_> {
    type Output = Distances;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Distances {
        leaf_distances::<I::Leaf>(isa, self.0, self.1, f32::INFINITY).0
    }
}

fn block_of(corners: &[[f32; 3]; 3]) -> LeafBlock {
    let mut block = LeafBlock::EMPTY;
    block.set_corners(0, corners);
    block.id[0] = 0;
    assert_eq!(block.id[1], UNUSED_ID);
    block
}

/// How many of a triangle's `error`s its least distance is too large, and its greatest too small.
fn excess(isa: InstructionSet, corners: &[[f32; 3]; 3]) -> [f64; 2] {
    let distances = run(isa, LeafTask(&UNIT, &block_of(corners)));
    let distance = PointDistance::new([0.0; 3], corners);
    let [least, most, error] =
        [distances.least[0], distances.most[0], distances.error[0]].map(f64::from);
    let (low, high) = (distance.at_least(), distance.at_most());
    [(least.sqrt() - high) / error, (low - most.sqrt()) / error]
}

fn corners_of(x: &[f32; 9]) -> [[f32; 3]; 3] {
    [[x[0], x[1], x[2]], [x[3], x[4], x[5]], [x[6], x[7], x[8]]]
}

fn starts(count: usize) -> Vec<[f32; 9]> {
    let mut state = 7;
    (0..count)
        .map(|i| {
            let mut corners = [0f32; 9].map(|_| number(&mut state));
            if i % 3 == 1 {
                // Small and far.
                for k in 3..9 {
                    corners[k] = corners[k % 3] + 1e-3 * corners[k];
                }
            }
            if i % 3 == 2 {
                // A needle.
                for k in 6..9 {
                    corners[k] = 0.3 * corners[k - 6] + 0.7 * corners[k - 3] + 1e-4 * corners[k];
                }
            }
            corners
        })
        .collect()
}

#[test]
fn no_triangle_is_nearer_than_its_bound() {
    let (count, steps) = if cfg!(miri) { (3, 3) } else { (60, 400) };
    let mut best = 0f64;
    for isa in InstructionSet::available() {
        let mut worst = [0.0; 2];
        for which in 0..2 {
            let score = |x: &[f32; 9]| {
                let in_range = x.iter().all(|x| x.abs() <= 1.0);
                in_range.then(|| excess(isa, &corners_of(x))[which].max(0.0))
            };
            worst[which] = climb(&starts(count), steps, score).0;
        }
        println!("{isa}: {worst:?} of the bound");
        assert!(worst[0] <= 1.0 && worst[1] <= 1.0, "{isa}: {worst:?}");
        best = best.max(worst[0]).max(worst[1]);
    }
    assert!(cfg!(miri) || best > 1.0 / 3.0, "{best}: needlessly wide");
}

/// Triangles of all sizes, also so small that squares underflow.
#[test]
fn tiny_and_huge_triangles_are_not_lost() {
    let mut state = 3;
    for i in 0..if cfg!(miri) { 30 } else { 3_000 } {
        let size = 10f32.powi(-(i % 40));
        let far = [0.0, 1.0, 1e-10][i as usize / 40 % 3];
        let at = [0; 3].map(|_| far * number(&mut state));
        let corners = [(); 3].map(|()| at.map(|x| x + size * number(&mut state)));
        if corners.as_flattened().iter().any(|x| x.abs() > 4.0) {
            continue;
        }
        let distance = PointDistance::new([0.0; 3], &corners);
        for isa in InstructionSet::available() {
            let distances = run(isa, LeafTask(&UNIT, &block_of(&corners)));
            let bound = UNIT.scaled(distance.at_most());
            assert!(distances.candidate(0, 0).is_within(bound), "{isa} {corners:?}");
            assert!(distances.most() >= distance.at_least() as f32, "{isa} {corners:?}");
        }
    }
}

/// Two points, each with a block.
struct AtOnceTask<'a>([&'a PointSetup; 2], [&'a LeafBlock; 2]);

impl Task for AtOnceTask<'_> {
    type Output = [Distances; 2];

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> [Distances; 2] {
        let mut distances = MaybeUninit::<[Distances; 2]>::uninit();
        let first: *mut Distances = distances.as_mut_ptr().cast();
        for i in (0..2).step_by(I::Blocks::LANES / LANES) {
            let last = (i + 1).min(1);
            let (points, blocks) = ([self.0[i], self.0[last]], [self.1[i], self.1[last]]);
            // SAFETY: there is room for both.
            unsafe {
                let to = [first.add(i), first.add(last)];
                distances_at_once::<I::Blocks>(isa, points, blocks, to);
            }
        }
        // SAFETY: both are written: by one turn of the loop, or by two.
        unsafe { distances.assume_init() }
    }
}

#[test]
fn two_blocks_at_once_have_the_distances_of_each() {
    let mut state = 4;
    let mut coordinate = || number(&mut state);
    for _ in 0..if cfg!(miri) { 5 } else { 500 } {
        let blocks = [(); 2].map(|()| {
            let mut block = LeafBlock::EMPTY;
            for lane in 0..LANES - 1 {
                block.set_corners(lane, &[(); 3].map(|()| [(); 3].map(|()| coordinate())));
            }
            block
        });
        let setups = [(); 2].map(|()| {
            let mut setup = UNIT;
            setup.minus = [(); 3].map(|()| coordinate());
            setup
        });
        for isa in InstructionSet::available() {
            let both = run(isa, AtOnceTask([&setups[0], &setups[1]], [&blocks[0], &blocks[1]]));
            for i in 0..2 {
                let alone = run(isa, LeafTask(&setups[i], &blocks[i]));
                for lane in 0..LANES - 1 {
                    let numbers = |of: &Distances| [of.least, of.most, of.error].map(|x| x[lane]);
                    assert_eq!(numbers(&both[i]), numbers(&alone), "{isa} {lane}");
                }
            }
        }
    }
}
