//! Lemma 86 against inputs whose roundings go the wrong way. A search keeps what comes nearest to
//! the bound: it may not be exceeded, and may not be much larger than the largest error found.

use glam::Vec3;

use super::*;
use crate::geometry::{Aabb, Capsule, ConvexShape, Sphere};
use crate::simd::{self, InstructionSet, Task};
use crate::test_rng::{bits, climb, number, point};

/// A shape's box, its motion, and another box.
#[derive(Clone, Copy, Debug)]
struct Case {
    shape: [[f32; 3]; 2],
    motion: [f32; 3],
    other: [[f32; 3]; 2],
    scale: f32,
}

impl Case {
    /// When the boxes touch, in `f64`: exact but for some roundings of 2^-53.
    fn interval(&self) -> [f64; 2] {
        let (mut enter, mut exit) = (0.0f64, f64::INFINITY);
        for k in 0..3 {
            let [low, high] = self.shape.map(|corner| f64::from(corner[k]));
            let [min, max] = self.other.map(|corner| f64::from(corner[k]));
            let along = f64::from(self.motion[k]);
            let (near, far) =
                if along < 0.0 { (max - low, min - high) } else { (min - high, max - low) };
            if along != 0.0 {
                (enter, exit) = (enter.max(near / along), exit.min(far / along));
            } else if near > 0.0 || far < 0.0 {
                exit = f64::NEG_INFINITY;
            }
        }
        [enter, exit]
    }
}

/// When the boxes touch, as a node's child and as a triangle, for a motion of any length.
impl Task for &Case {
    type Output = [[f32; 2]; 2];

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> [[f32; 2]; 2] {
        let [min, max] = self.shape.map(Vec3::from);
        let setup = SweepSetup::scaled(self.scale, [min, max], self.motion);
        fn first<V: Vector>(isa: V::Isa, setup: &SweepSetup, case: &Case) -> [f32; 2] {
            let test = SweepTest::<V>::new(isa, setup);
            let [low, high] = case.other.map(|corner| corner.map(|x| V::splat(isa, x)));
            let (enter, exit) = test.interval(low, high);
            let mut lanes = [[0.0f32; 16]; 2];
            enter.replace_at(&mut lanes[0], 0);
            exit.replace_at(&mut lanes[1], 0);
            [lanes[0][0], lanes[1][0]]
        }
        [first::<I::Node>(isa, &setup, self), first::<I::Leaf>(isa, &setup, self)]
    }
}

/// Boxes that touch at one moment only: on one axis the shape enters when it leaves on another.
#[test]
fn no_box_is_entered_after_it_is_left() {
    let score = |numbers: &[f32; 6]| {
        let [low, high, x, y, along, across] = *numbers;
        let fits = numbers.iter().all(|n| (1e-3..3.0).contains(&n.abs())) && low < high;
        if !fits || along < 0.01 || across < 0.01 {
            return None;
        }
        // Entered on x at the time when y is left.
        let shape = [[low, low, -1.0], [high, high, 1.0]];
        let t = (f64::from(x) - f64::from(high)) / f64::from(along);
        let last = t * f64::from(across) + f64::from(low);
        if !(0.0..8.0).contains(&t) || last.abs() > 3.0 {
            return None;
        }
        let other = [[x, y.min(-3.0), -0.5], [x + 1.0, round_up(last), 0.5]];
        let case = Case { shape, motion: [along, across, 0.0], other, scale: 1.0 };
        let [enter, exit] = case.interval();
        if enter > exit {
            return None;
        }
        let mut worst = 0.0f64;
        for isa in InstructionSet::available() {
            for [from, to] in simd::run(isa, &case) {
                assert!(from <= to, "{isa} {numbers:?}");
                let room = enter * f64::from(SPARE - 1.0);
                let used = f64::from(from) - f64::from(to) / f64::from(SPARE) + (exit - enter);
                worst = worst.max(used / room);
            }
        }
        Some(worst)
    };
    let starts = [
        [-0.3, 0.7, 1.9, 0.9, 0.77, 0.61],
        [0.21, 0.35, 2.9, 1.2, 1.3, 0.9],
        [-1.7, -0.4, 0.3, 0.1, 0.15, 0.11],
        [0.9, 1.1, 2.0, 2.0, 0.3, 0.2],
    ];
    let (best, numbers) = climb(&starts, if cfg!(miri) { 20 } else { 8_000 }, score);
    println!("{best} of the bound at {numbers:?}");
    assert!(cfg!(miri) || best > 0.2, "{best}");
}

/// Of all sizes and speeds, and where the motion is zero or all but zero along an axis.
#[test]
fn no_box_that_is_touched_is_lost() {
    let (mut state, mut touched, mut named) = (2, 0, 0);
    for i in 0..if cfg!(miri) { 100 } else { 200_000 } {
        let size = [1.0, 1e-3, 1e-12, 1e-25][i % 4];
        let grid = i / 4 % 2 == 0;
        let mut point = |size: f32| {
            [0; 3].map(|_| {
                let x = number(&mut state) * size;
                if grid { (x / size * 3.0).round() * size } else { x }
            })
        };
        let boxed = |a: [f32; 3], b: [f32; 3]| {
            [f32::min, f32::max].map(|f: fn(f32, f32) -> f32| [0, 1, 2].map(|k| f(a[k], b[k])))
        };
        let (shape, other) = (boxed(point(size), point(size)), boxed(point(size), point(size)));
        let mut motion = point([size, 1.0, 1e-20, 1e-38][i / 8 % 4]);
        if i / 32 % 2 == 0 {
            motion[i % 3] = [0.0, -0.0, 1e-30, -1e-42][i / 64 % 4];
        }
        let scale = [1.0, 0.5, 2.0][i % 3];
        let case = Case { shape, motion, other, scale };
        let [enter, exit] = case.interval();
        if exit >= 0.0 && enter <= exit && enter <= 1.0 {
            touched += 1;
            for isa in InstructionSet::available() {
                for [from, to] in simd::run(isa, &case) {
                    assert!(from <= to.min(limit(enter as f32)), "{isa} {case:?}: {from} {to}");
                }
            }
        } else {
            let [[from, to], _] = simd::run(InstructionSet::scalar(), &case);
            named += usize::from(from <= to.min(limit(1.0)));
        }
    }
    println!("{touched} touched, {named} named in vain");
    assert!(cfg!(miri) || touched > 20_000);
}

/// Eight copies of a triangle.
struct Deep<'a> {
    setup: &'a SweepSetup,
    block: &'a LeafBlock,
    depth: f32,
}

impl Task for Deep<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> u32 {
        self.setup.touches(isa, self.block, Cut { t: 0.0, depth: self.depth, ..Cut::NONE }).mask
    }
}

/// A triangle that is as deep as the deepest is kept, and most that are not are cut off.
#[test]
fn what_is_as_deep_is_not_cut() {
    let (mut state, mut kept, mut cut) = (3, 0, 0);
    for i in 0..if cfg!(miri) { 30 } else { 60_000 } {
        let (size, grid) = ([1.0, 1e-3, 1e-12, 1e15][i % 4], i / 4 % 2 == 0);
        let mut next = |size: f32| point(&mut state, size, grid);
        let (at, motion, half) = (next(size), next(size), next(size).map(f32::abs));
        let (a, b, c) = (next(size), next(size * 0.3), next(size * 0.3));
        let corners = [a, [0, 1, 2].map(|k| a[k] + b[k]), [0, 1, 2].map(|k| a[k] + c[k])];
        let end = [0, 1, 2].map(|k| at[k] + half[(k + 1) % 3]);
        let shape: ConvexShape = match bits(&mut state) % 3 {
            0 => Sphere::new(at, half[0]).into(),
            1 => Capsule::new(at, end, half[0]).into(),
            _ => Aabb::from_center_half_size(at, half).into(),
        };
        let Some(sweep) = Sweep::new(&shape, motion.into()) else { continue };
        let Some(first) = sweep.first_touch(&corners, 0.0) else { continue };
        let contact = sweep.contact(&corners, &first);
        let mut block = LeafBlock::EMPTY;
        for lane in 0..LANES {
            block.set_corners(lane, &corners);
        }
        let bounds = [sweep.bounds().min, sweep.bounds().max];
        let all = [bounds[0].to_array(), bounds[1].to_array(), motion];
        let all = all.iter().chain(&corners).flatten();
        let largest = all.fold(0f32, |most, x| most.max(x.abs()));
        let setup = SweepSetup::scaled(2f32.powi(-largest.log2().floor() as i32), bounds, motion);
        for isa in InstructionSet::available() {
            let named = |depth| simd::run(isa, Deep { setup: &setup, block: &block, depth });
            assert_eq!(named(contact.depth), 0xff, "{isa} {shape:?} {corners:?}");
            cut += usize::from(named(contact.depth * 2.0 + size * 0.01) == 0);
        }
        kept += InstructionSet::available().len();
    }
    println!("{kept} kept, {cut} of them cut off if less deep");
    assert!(cfg!(miri) || (kept > 10_000 && cut * 4 > kept));
}
