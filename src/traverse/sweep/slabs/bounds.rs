//! Lemma 106 against inputs whose roundings go the wrong way. What part of the bound they reach is
//! printed. It is small: Lemma 102, from which the constant is, has room for axes that are products
//! of rounded numbers.

use super::*;
use crate::simd::{self, InstructionSet, Isa, Task};
use crate::test_rng::{climb, number};

/// A box, and a turned one that moves along the first of its axes.
struct Case {
    moving: SweepBox,
    /// The first axis.
    row: [f32; 3],
    low: [f32; 3],
    high: [f32; 3],
}

/// When the box is entered and left.
impl Task for &Case {
    type Output = [f32; 2];

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> [f32; 2] {
        // The other two axes keep nothing apart.
        let rows = [self.row, [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let test = SlabsTest::<I::Node>::new(isa, &self.moving, &rows);
        let splat = |x: f32| I::Node::splat(isa, x);
        let any = (splat(f32::NEG_INFINITY), splat(f32::INFINITY));
        let (enter, exit) = test.narrow(self.low.map(splat), self.high.map(splat), any);
        [enter, exit].map(|x| {
            let mut lanes = [0.0f32; 16];
            x.replace_at(&mut lanes, 0);
            lanes[0]
        })
    }
}

impl Case {
    /// On the first axis, in `f64`: twice the height where the boxes begin to touch, and twice that
    /// where they cease to, and what these may be off by.
    fn truth(&self) -> ([f64; 2], f64) {
        let Self { moving, row, low, high } = self;
        let seen = |of: &[f32; 3]| [0, 1, 2].map(|k| f64::from(of[k]) + f64::from(moving.minus[k]));
        let (row, low, high) = (row.map(f64::from), seen(low), seen(high));
        let middle = (0..3).map(|k| row[k] * (low[k] + high[k])).sum::<f64>();
        let reach = (0..3).map(|k| row[k].abs() * (high[k] - low[k])).sum::<f64>();
        let reach = reach + 2.0 * f64::from(moving.half[0]);
        let h = low.iter().chain(&high).fold(0.0f64, |h, x| h.max(x.abs()));
        let room = f64::from(2.0 * ROOM) * (f64::from(SPREAD) * h + f64::from(moving.far));
        ([middle - reach, middle + reach], room)
    }
}

#[test]
fn heights_of_slabs_are_off_by_no_more_than_their_room() {
    let score = |numbers: &[f32; 13]| {
        if numbers.iter().any(|x| !(1e-3..2.0).contains(&x.abs())) {
            return None;
        }
        let three = |first: usize| [numbers[first], numbers[first + 1], numbers[first + 2]];
        let length = three(0).iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
        let row = three(0).map(|x| (f64::from(x) / length) as f32);
        let (one, other, half) = (three(6), three(9), numbers[12].abs());
        // Twice the speed is 1, so times are heights, and the products with the inverse of the
        // speed are exact.
        let speed = 0.5;
        let moving = SweepBox {
            far: half + speed,
            ..SweepBox::of_box(three(3), [half, 16.0, 16.0], [speed, 0.0, 0.0])
        };
        let low = [0, 1, 2].map(|k| one[k].min(other[k]));
        let high = [0, 1, 2].map(|k| one[k].max(other[k]));
        let case = Case { moving, row, low, high };
        let ([first, last], room) = case.truth();
        let mut worst = 0.0f64;
        for isa in InstructionSet::available() {
            let [enter, exit] = simd::run(isa, &case).map(f64::from);
            let off = (enter + room - first) / room;
            assert!(off <= 1.0, "{isa} {numbers:?}");
            // Times before the start do not matter.
            assert!(last < 0.0 || last <= exit, "{isa} {numbers:?}");
            worst = worst.max(off);
        }
        Some(worst)
    };
    let mut state = 3;
    let starts = [(); 6].map(|()| [(); 13].map(|()| number(&mut state) * 0.9 + 0.05));
    let (best, numbers) = climb(&starts, if cfg!(miri) { 20 } else { 10_000 }, score);
    println!("{best} of the bound at {numbers:?}");
    assert!(cfg!(miri) || best > 0.0, "no roundings were found");
}
