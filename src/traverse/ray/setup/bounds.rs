//! The padding of Lemma 21 against inputs whose roundings go the wrong way: it is never too small,
//! and more than a third of it is needed.

use super::*;
use crate::bvh::Facts;
use crate::simd::{self, InstructionSet, Isa, Task};
use crate::test_rng::{climb, number};
use crate::traverse::ray::node_test::SlabTest;
use crate::traverse::walk::NodeTest;

/// A ray from `origin` along the first axis, and a plane across it.
struct Case {
    origin: f32,
    dir: f32,
    t_min: f32,
    plane: f32,
    t: f32,
}

impl Case {
    fn new([origin, plane, dir]: [f32; 3], t_min: f32) -> Option<Self> {
        let fits =
            (0.01..16.0).contains(&(origin.abs() + plane.abs())) && (0.5..8.0).contains(&dir.abs());
        // Exact but for the division, as good as the reference's quotient.
        let t = ((f64::from(plane) - f64::from(origin)) / f64::from(dir)) as f32;
        (fits && t >= t_min).then_some(Self { origin, dir, t_min, plane, t })
    }
}

/// How far behind the hit the ray enters the plane, in units of what Lemma 21 counts in.
impl Task for &Case {
    type Output = f64;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> f64 {
        let thin = 1.0 / 1024.0;
        let (mut facts, mut node) = (Facts::EMPTY, Node::EMPTY);
        facts.size = [self.plane.abs(), thin, thin, 0.0];
        for (k, size) in [self.plane, thin, thin].into_iter().enumerate() {
            (node.min[k][0], node.max[k][0]) = (if k == 0 { size } else { -size }, size);
        }
        let tree = TreeView { facts, ..TreeView::EMPTY };
        // The hit is the end of the range.
        let ray = Ray::new([self.origin, 0.0, 0.0], [self.dir, 0.0, 0.0]);
        let ray = ray.with_range(self.t_min, self.t);
        let mut setup = MaybeUninit::uninit();
        assert!(set_up_ray::<I::Point>(isa, &tree, &ray, &mut setup));
        // SAFETY: it was written.
        let setup = unsafe { setup.assume_init_ref() };
        let limit = NodeTest::<I>::limit(setup, self.t);
        let mut enter = MaybeUninit::uninit();
        let test = SlabTest::<I::Node>::new(isa, setup);
        let mask = test.intersect_node(&node, limit, &mut enter);
        assert!(mask & 1 != 0, "lost: {ray:?}, plane {}", self.plane);
        // SAFETY: the test writes all lanes.
        let enter = unsafe { enter.assume_init() }[0];
        let scale = f64::from(self.origin.abs()) + f64::from(self.plane.abs());
        (f64::from(enter) - f64::from(limit)) * f64::from(self.dir.abs())
            / (f64::from(EPSILON) * scale)
    }
}

/// The part of the padding, in the lemma's units, that a search finds a need for.
fn needed(padding: f64, t_min: f32, starts: &[[f32; 3]]) -> f64 {
    let mut best = 0f64;
    for isa in InstructionSet::available() {
        let steps = if cfg!(miri) { 2 } else { 6000 };
        let (found, numbers) = climb(starts, steps, |&numbers| {
            let case = Case::new(numbers, t_min)?;
            Some(1.0 + simd::run(isa, &case) / padding)
        });
        println!("{isa}: {found:.3} of {padding} at {numbers:?}");
        best = best.max(found);
    }
    best
}

fn starts(worst: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let mut state = 1;
    let mut number = || number(&mut state);
    let random = (0..4).map(|_| [4.0 * number(), 4.0 * number(), 1.5 + number()]);
    worst.iter().copied().chain(random).collect()
}

#[test]
fn boxes_are_padded_by_what_rounding_takes() {
    let worst = [[-1.9322296, 0.22285563, 1.9156317], [-1.9815544, 0.2058489, 1.9443586]];
    let found = needed(8.0, 0.0, &starts(&worst));
    assert!(cfg!(miri) || found > 1.0 / 3.0, "{found}");
}

/// All `t` are shifted, by as much as the whole tree can need.
#[test]
fn boxes_are_padded_by_more_where_t_is_shifted() {
    let worst = [[-0.99519217, 0.030764878, 3.7881496], [-1.0577223, 4.6409097, 1.7995683]];
    let found = needed(24.0, f32::MIN, &starts(&worst));
    assert!(cfg!(miri) || found > 1.0 / 3.0, "{found}");
}
