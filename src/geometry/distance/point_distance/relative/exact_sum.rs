//! Sums of products of `f64` without rounding.
//!
//! Far away, what differs between two vertices is often nothing in the terms that are multiplied by
//! the distance, and all of it in the others: those are lost next to the sizes of the first, but
//! not next to their sum.

use crate::array::Each;
use crate::geometry::exact::{Double, halves, two_sum};

/// A sum, as numbers whose bits do not overlap, the smallest first (Shewchuk, "Adaptive precision
/// floating-point arithmetic and fast robust geometric predicates", 1997).
///
/// **Lemma 115 (sums without rounding).** Of the sum of up to [`MOST`] products no bit is lost, and
/// its value is off by less than `2^-50` of itself; where the sum is zero, so is the value. Proof:
/// a factor is cut into halves of 26 bits, whose products are exact. A sum of two numbers, rounded,
/// and what it loses are exact together. The parts do not overlap, and all but the largest together
/// are less than its last bit. Nothing overflows or underflows: factors are made of `f32`, and are
/// multiples of some `2^-300`.
pub(super) struct ExactSum {
    parts: [f64; MOST],
    count: usize,
}

/// Three axes, with six products of a factor that is the sum of two each: four products of halves.
const MOST: usize = 72;

impl ExactSum {
    pub(super) fn new() -> Self {
        Self { parts: [0.0; MOST], count: 0 }
    }

    pub(super) fn add(&mut self, x: f64) {
        if x == 0.0 {
            return;
        }
        let (mut sum, mut kept) = (x, 0);
        for i in 0..self.count {
            let [next, lost] = two_sum(sum, self.parts[i]).parts();
            if lost != 0.0 {
                self.parts[kept] = lost;
                kept += 1;
            }
            sum = next;
        }
        if sum != 0.0 {
            self.parts[kept] = sum;
            kept += 1;
        }
        self.count = kept;
    }

    pub(super) fn add_product(&mut self, a: impl Into<Double>, b: impl Into<Double>) {
        let (a, b) = (a.into().parts(), b.into().parts().each(halves));
        for a in a.into_iter().filter(|&a| a != 0.0).flat_map(halves) {
            for b in b.as_flattened() {
                self.add(a * b);
            }
        }
    }

    /// The sum, rounded.
    pub(super) fn value(&self) -> f64 {
        self.parts[..self.count].iter().sum()
    }
}

#[cfg(test)]
mod tests;
