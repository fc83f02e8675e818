//! A few references parted by a plane between any two centroids: all planes are tried, which for so
//! few is cheaper than bins.

use super::prim::{Group, Prim};

/// The most references.
pub(super) const FEW: usize = 16;

/// Puts two to [`FEW`] references in order along an axis, such that parting them after the returned
/// number is cheapest by the surface area heuristic. Of equals it is the one that halves best, or
/// many triangles in one place would make a chain; then the first, axis by axis.
pub(super) fn part(prims: &mut [Prim]) -> usize {
    let count = prims.len();
    if count <= 2 {
        return 1;
    }
    let mut least = (f64::INFINITY, 0);
    let mut best = (1, [0; FEW]);
    for axis in 0..3 {
        let order = order(prims, axis);
        let group = |group: &mut Group, place: usize| {
            group.add(&prims[usize::from(order[place])]);
            group.cost()
        };
        let mut right = Group::EMPTY;
        let mut rights = [0.0; FEW];
        for place in (1..count).rev() {
            rights[place] = group(&mut right, place);
        }
        let mut left = Group::EMPTY;
        for place in 1..count {
            let cost = group(&mut left, place - 1) + rights[place];
            let rank = (cost, (2 * place).abs_diff(count));
            if rank < least {
                least = rank;
                best = (place, order);
            }
        }
    }
    let (left, order) = best;
    let mut before = [Prim::empty(0); FEW];
    before[..count].copy_from_slice(prims);
    for (prim, place) in prims.iter_mut().zip(order) {
        *prim = before[usize::from(place)];
    }
    left
}

/// The references' places in order of their centroids; equal ones as they come.
fn order(prims: &[Prim], axis: usize) -> [u8; FEW] {
    let mut keys = [0.0; FEW];
    let mut order = [0; FEW];
    for (i, prim) in prims.iter().enumerate() {
        let key = prim.centroid(axis);
        let mut at = i;
        while at > 0 && keys[at - 1] > key {
            keys[at] = keys[at - 1];
            order[at] = order[at - 1];
            at -= 1;
        }
        keys[at] = key;
        order[at] = i as u8;
    }
    order
}
