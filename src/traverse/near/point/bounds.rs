//! Searches for inputs that need the bounds of Lemmas 72 and 96.

use super::*;
use crate::geometry::{Aabb, InstanceTransform};
use crate::simd::{InstructionSet, Task, run};
use crate::test_rng::{climb, number};
use crate::traverse::place::bounds::{
    TINY as TINY_SIZE, facts_of_point, map_of, starts as starts_of_maps, steps, tiny_map_of,
};

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
            let setup = PointSetup { minus: [-x[3], -x[4], -x[5]], ..PointSetup::UNIT };
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
/// the room. Corner and point are multiplied by `size`, and the map is made of the rest.
fn needed(
    numbers: &[f32; 18],
    size: f32,
    map: fn(&[f32]) -> Option<InstanceTransform>,
) -> Option<f64> {
    let transform = map(numbers)?;
    let [corner, point] =
        [12, 15].map(|i| [numbers[i], numbers[i + 1], numbers[i + 2]].map(|x| x * size));
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
}

#[test]
fn points_in_a_placed_tree_are_no_farther_away_than_the_room_and_a_fifth_is_needed() {
    for (size, map) in [(1.0, map_of as fn(&[f32]) -> _), (TINY_SIZE, tiny_map_of)] {
        let score = |numbers: &[f32; 18]| needed(numbers, size, map);
        let (worst, numbers) = climb(&starts_of_maps(12), steps(), score);
        println!("{worst} of the room at {numbers:?}");
        assert!(worst <= 1.0, "{worst} {numbers:?}");
        assert!(cfg!(miri) || worst > 0.2, "{worst}");
    }
}
