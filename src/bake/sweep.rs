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
    let mut best: Option<Cheapest> = None;
    let mut least = f64::INFINITY;
    for axis in 0..3 {
        let mut rights = [(0.0, false); N];
        let mut right = Group::EMPTY;
        for bin in (1..bins).rev() {
            right.merge(&end(axis, bin));
            rights[bin] = (right.cost(), right.count > 0);
        }
        let mut left = Group::EMPTY;
        for bin in 1..bins {
            left.merge(&begin(axis, bin - 1));
            let (right_cost, right_any) = rights[bin];
            let cost = left.cost() + right_cost;
            if cost < least && left.count > 0 && right_any {
                least = cost;
                best = Some(Cheapest {
                    axis,
                    bin,
                    cost,
                    left,
                    right: Group::EMPTY,
                });
            }
        }
    }
    if let Some(best) = &mut best {
        for bin in (best.bin..bins).rev() {
            best.right.merge(&end(best.axis, bin));
        }
    }
    best
}
