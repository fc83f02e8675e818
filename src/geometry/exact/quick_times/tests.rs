use std::sync::Arc;

use super::super::axes::{Solid, exact};
use super::super::bigint::Int3392;
use super::super::number::{Number, Ordered};
use super::super::polytope::{Polytope, Topology};
use super::super::turned_box::{TurnedBox, has_volume};
use super::*;
use crate::geometry::ConvexHull;
use crate::geometry::vec3_f64::Corners;
use crate::test_rng::{bits, climb, number, point};

/// Every time that is certain is what integers say, to the last bit. How many are: touching, later
/// or apart, in doubt.
fn compare(solid: &impl Solid, motion: [f32; 3], corners: &Corners, seen: &mut [u32; 3]) {
    let truth = exact(&solid.axes::<Int3392>(motion, corners));
    let t = truth.unwrap_or(0.7);
    for bound in [1.0, t, t.next_down().max(0.0), t * 0.5] {
        let expected = truth.filter(|&t| t <= bound).map(f32::to_bits);
        let found = solid.quick(motion, corners, bound);
        let kind = match found {
            None => 2,
            Some(found) => {
                let found = found.map(f32::to_bits);
                assert_eq!(found, expected, "{motion:?} {corners:?} {bound}");
                usize::from(found.is_none())
            }
        };
        seen[kind] += 1;
    }
}

#[test]
fn quick_times_are_exact_or_in_doubt() {
    let (mut state, mut boxes, mut hulls) = (5, [0; 3], [0; 3]);
    for i in 0..if cfg!(miri) { 20 } else { 4_000 } {
        let size = [1.0, 1e-30, 1e30, 1e3][i % 4];
        let is_whole = i / 4 % 4 == 0;
        let mut next = |size: f32| point(&mut state, size, is_whole);
        let mut columns = [next(1.0), next(1.0), next(1.0), next(size)];
        let (a, b) = (next(size * 0.5), next(size * 0.5));
        let local = [f32::min, f32::max].map(|f| [0, 1, 2].map(|k| f(a[k], b[k])));
        let mut motion = next([size, size * 8.0, 0.0, size][i / 16 % 4]);
        let mut corners = [next(size), next(size), next(size)];
        let hull = [next(size), next(size), next(size), next(size), next(size)];
        match bits(&mut state) % 8 {
            0 => corners[2] = corners[0],
            1 => corners = [corners[1]; 3],
            2 => corners = corners.map(|[x, _, z]| [x, motion[1], z]),
            3 => motion = [0.0, motion[1], 0.0],
            4 => columns[0] = [columns[0][0], 0.0, 0.0],
            // It just touches, or all but touches.
            5 => corners[0] = [0, 1, 2].map(|k| hull[1][k] + motion[k] * 0.5),
            _ => {}
        }
        if has_volume(&columns) {
            compare(&TurnedBox { columns, local }, motion, &corners, &mut boxes);
        }
        if let Ok(hull) = ConvexHull::from_points(hull) {
            let polytope: &Polytope = hull.polytope();
            compare(polytope, motion, &corners, &mut hulls);
        }
    }
    println!("touching, later or apart, in doubt: boxes {boxes:?}, hulls {hulls:?}");
    for [touching, later, unclear] in [boxes, hulls] {
        assert!(cfg!(miri) || (touching > 500 && later > 5_000 && unclear < 4_000));
    }
}

/// A whole number.
#[derive(Clone, Copy)]
struct Whole(i128);

impl Number for Whole {
    fn from_f32(number: f32) -> Self {
        assert!(number.fract() == 0.0);
        Self(number as i128)
    }

    fn add(&self, other: &Self) -> Self {
        Self(self.0 + other.0)
    }

    fn sub(&self, other: &Self) -> Self {
        Self(self.0 - other.0)
    }

    fn mul(&self, other: &Self) -> Self {
        Self(self.0 * other.0)
    }

    fn sign(&self) -> Option<i32> {
        Some(self.0.signum() as i32)
    }
}

impl Ordered for Whole {
    fn abs(&self) -> Self {
        Self(self.0.abs())
    }

    fn min(&self, other: &Self) -> Self {
        Self(self.0.min(other.0))
    }

    fn max(&self, other: &Self) -> Self {
        Self(self.0.max(other.0))
    }
}

/// The numbers on an axis are off by this part of the bound of Lemma 104.
fn part((real, whole): (&impl CrossAxes, &impl Axes<Whole>), largest: f64, number: usize) -> f64 {
    let (found, truth) = (real.axis(number), whole.axis(number));
    let off = |found: f64, truth: Whole| (found as i128 - truth.0).unsigned_abs() as f64;
    let ends = off(found.low, truth.low).max(off(found.high, truth.high));
    let room = ROOM * largest * size(&real.factors(number));
    (ends + off(found.speed, truth.speed)) / room
}

/// Numbers are so large that all are whole, and sums and products are rounded.
fn is_sound(numbers: &[f32]) -> bool {
    numbers.iter().all(|x| ((1 << 23) as f32..(1 << 28) as f32).contains(&x.abs()))
}

fn starts<const N: usize>() -> [[f32; N]; 4] {
    let mut state = 3;
    [(); 4].map(|()| {
        [(); N].map(|()| {
            let size = (1.0 + number(&mut state).abs()) * f32::exp2((bits(&mut state) % 5) as f32);
            (size * (1 << 23) as f32).copysign(number(&mut state))
        })
    })
}

fn three(numbers: &[f32], first: usize) -> [f32; 3] {
    [numbers[first], numbers[first + 1], numbers[first + 2]]
}

/// The normal of the triangle, one of a face, and one across two edges.
const KINDS: [usize; 3] = [0, 2, 7];

#[test]
fn axes_of_boxes_are_off_by_no_more_than_their_room() {
    for kind in KINDS {
        let score = |numbers: &[f32; 30]| {
            let columns = [0, 3, 6, 9].map(|i| three(numbers, i));
            let local = [three(numbers, 12), three(numbers, 15)];
            let is_box = (0..3).all(|k| local[0][k] < local[1][k]);
            if !is_sound(numbers) || !is_box {
                return None;
            }
            let (motion, corners) = (three(numbers, 18), [21, 24, 27].map(|i| three(numbers, i)));
            let solid = TurnedBox { columns, local };
            let axes = (&solid.axes::<f64>(motion, &corners), &solid.axes(motion, &corners));
            let part = part(axes, solid.largest(motion, &corners), kind);
            assert!(part <= 1.0, "{numbers:?}");
            Some(part)
        };
        let mut starts = starts::<30>();
        for start in &mut starts {
            (12..15).for_each(|k| start[k] = -start[k].abs());
            (15..18).for_each(|k| start[k] = start[k].abs());
        }
        let (best, numbers) = climb(&starts, if cfg!(miri) { 20 } else { 20_000 }, score);
        println!("{best} of the bound at {numbers:?}");
        assert!(cfg!(miri) || best > 0.03, "{best}");
    }
}

#[test]
fn axes_of_hulls_are_off_by_no_more_than_their_room() {
    let topology = Arc::new(Topology {
        faces: vec![[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]],
        on: vec![0b0111, 0b1011, 0b1101, 0b1110],
        edges: vec![[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]],
        beside: vec![[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]],
    });
    for kind in KINDS {
        let score = |numbers: &[f32; 24]| {
            if !is_sound(numbers) {
                return None;
            }
            let (motion, corners) = (three(numbers, 0), [3, 6, 9].map(|i| three(numbers, i)));
            let solid = Polytope {
                points: [12, 15, 18, 21].map(|i| three(numbers, i)).to_vec(),
                topology: topology.clone(),
            };
            let axes = (&solid.axes::<f64>(motion, &corners), &solid.axes(motion, &corners));
            let part = part(axes, axes.0.largest(), kind);
            assert!(part <= 1.0, "{numbers:?}");
            Some(part)
        };
        let (best, numbers) = climb(&starts(), if cfg!(miri) { 20 } else { 20_000 }, score);
        println!("{best} of the bound at {numbers:?}");
        assert!(cfg!(miri) || best > 0.08, "{best}");
    }
}
