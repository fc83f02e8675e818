//! The cheapest of the planes between bins, by the surface area heuristic (Goldsmith and Salmon
//! 1987, Wald 2007).

use super::prim::Group;

/// A plane: below bin `bin` on one axis, and what is on its two sides.
pub(super) struct Cheapest {
    pub(super) axis: usize,
    pub(super) bin: usize,
    pub(super) cost: f64,
    pub(super) left: Group,
    pub(super) right: Group,
}

/// Sweeps over the planes between `bins` bins on each axis, at most `N`; the first of equals wins.
/// `begin(axis, bin)` counts what begins in a bin, as the left side does, and `end` what ends
/// there. `None` if no plane has something on both sides.
pub(super) fn cheapest<const N: usize>(
    bins: usize,
    begin: impl Fn(usize, usize) -> Group,
    end: impl Fn(usize, usize) -> Group,
) -> Option<Cheapest> {
    let mut best = None;
    let mut least = f64::INFINITY;
    for axis in 0..3 {
        let mut rights = [Group::EMPTY; N];
        let mut right = Group::EMPTY;
        for bin in (1..bins).rev() {
            right.merge(&end(axis, bin));
            rights[bin] = right;
        }
        let mut left = Group::EMPTY;
        for bin in 1..bins {
            left.merge(&begin(axis, bin - 1));
            let right = &rights[bin];
            let cost = left.cost() + right.cost();
            if left.count > 0 && right.count > 0 && cost < least {
                least = cost;
                best = Some(Cheapest {
                    axis,
                    bin,
                    cost,
                    left,
                    right: *right,
                });
            }
        }
    }
    best
}
