//! Searches for inputs that need the bounds of Lemmas 72, 73 and 96.

use super::*;
use crate::bvh::UNUSED_ID;
use crate::geometry::{Aabb, PointDistance};
use crate::simd::{InstructionSet, Task, run};
use crate::test_rng::{climb, number};
use crate::traverse::place::bounds::{facts_of_point, map_of, starts as starts_of_maps, steps};

/// A setup for points near the origin and coordinates up to 1.
const UNIT: PointSetup = PointSetup { scale: [1.0; 3], minus: [0.0; 3], room: 0.0 };

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

struct NodeTask<'a>(&'a PointSetup, &'a Node);

impl Task for NodeTask<'_> {
    type Output = [f32; WIDTH];

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> [f32; WIDTH] {
        let mut entry = MaybeUninit::uninit();
        let loaded = NodeTest::<I>::load(self.0, isa);
        <PointSetup as NodeTest<I>>::intersect(&loaded, self.1, f32::MAX, &mut entry);
        // SAFETY: the test writes all numbers.
        unsafe { entry.assume_init() }
    }
}

/// The squared distance of a box, against the limit for its true distance.
#[test]
fn no_box_is_entered_past_its_distance() {
    let (count, steps) = if cfg!(miri) { (3, 3) } else { (60, 400) };
    for isa in InstructionSet::available() {
        let score = |x: &[f32; 6]| {
            if x.iter().any(|x| !(1e-3..=1.0).contains(x)) {
                return None;
            }
            let setup = PointSetup { minus: [-x[3], -x[4], -x[5]], ..UNIT };
            let mut node = Node::EMPTY;
            // The point is below the box on all axes: its corner is the nearest point.
            let min = [0, 1, 2].map(|k| x[k] + x[k + 3]);
            let exact = [0, 1, 2].map(|k| f64::from(min[k]) - f64::from(x[k + 3]));
            for k in 0..3 {
                (node.min[k][0], node.max[k][0]) = (min[k], 3.0);
            }
            let square = exact.iter().map(|x| x * x).sum::<f64>();
            let entry = f64::from(run(isa, NodeTask(&setup, &node))[0]);
            // In units of what the limit allows.
            Some(((entry / square - 1.0) / (16.0 * f64::from(EPSILON))).max(0.0))
        };
        let mut state = 5;
        let starts: Vec<[f32; 6]> =
            (0..count).map(|_| [0f32; 6].map(|_| number(&mut state).abs().max(1e-3))).collect();
        let (worst, _) = climb(&starts, steps, score);
        println!("{isa}: {worst} of the limit's margin");
        assert!(worst <= 1.0, "{isa}: {worst}");
    }
}

/// Lemma 96: how much farther away than its moved corner a point of a tree is found, as a part of
/// the room.
#[test]
fn points_in_a_placed_tree_are_no_farther_away_than_the_room_and_a_fifth_is_needed() {
    let score = |numbers: &[f32; 18]| {
        let transform = map_of(numbers)?;
        let [corner, point] = [12, 15].map(|i| [numbers[i], numbers[i + 1], numbers[i + 2]]);
        let facts = facts_of_point(corner);
        let place = &Place::new(&transform, &facts);
        let [moved, ..] = place.corners(&[corner; 3]);
        let world = PointSetup::new(&facts_of_point(moved), point);
        let local = world.in_place(place, &facts, point);
        let mut node = Node::EMPTY;
        node.set_bounds(0, &Aabb { min: corner.into(), max: corner.into() });
        let way = [0, 1, 2].map(|k| f64::from(moved[k]) - f64::from(point[k]));
        let exact = way.iter().map(|x| x * x).sum::<f64>().sqrt() * f64::from(world.scale[0]);
        let mut worst = f64::NEG_INFINITY;
        for isa in [InstructionSet::scalar(), InstructionSet::detect()] {
            let found = f64::from(run(isa, NodeTask(&local, &node))[0]);
            let found = (found / (1.0 + 16.0 * f64::from(EPSILON))).sqrt();
            worst = worst.max((found - exact) / f64::from(local.room));
        }
        Some(worst)
    };
    let (worst, numbers) = climb(&starts_of_maps(12), steps(), score);
    println!("{worst} of the room at {numbers:?}");
    assert!(worst <= 1.0, "{worst} {numbers:?}");
    assert!(cfg!(miri) || worst > 0.2, "{worst}");
}
