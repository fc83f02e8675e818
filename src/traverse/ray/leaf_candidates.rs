//! Shows a visitor the triangles that a ray may hit.

use super::leaf_test::Candidates;
use crate::bvh::{LANES, LeafBlock};
use crate::geometry::Ray;
use crate::traverse::collect::collector::{CertainHit, Collector, Offered, offer_exact};

/// Takes a block's triangles that the ray may hit; `false` ends the walk.
#[inline(always)]
pub(crate) fn offer_candidates<V: Collector>(
    ray: &Ray,
    block: &LeafBlock,
    index: u32,
    candidates: &Candidates,
    collector: &mut V,
) -> bool {
    if candidates.certain != 0 {
        let mut lane = candidates.certain.trailing_zeros() as usize % LANES;
        let mut possible = candidates.possible;
        if V::ORDERED && possible & (possible - 1) != 0 {
            (lane, possible) = nearest(candidates);
        }
        let certain = CertainHit {
            slot: index * LANES as u32 + lane as u32,
            t_lo: candidates.t_lo[lane],
            t_hi: candidates.t_hi[lane],
        };
        let alone = possible & (possible - 1) == 0;
        if alone || !V::ORDERED {
            match collector.offer_certain(certain) {
                Offered::Done => return false,
                Offered::Taken if alone => return true,
                Offered::Taken | Offered::Unclear => {}
            }
        }
    }
    resolve_exact(ray, block, index, candidates.possible, collector)
}

/// Of the triangles that the ray is sure to hit, the one that is met at the latest first; and all that
/// may be met no later.
#[inline(always)]
fn nearest(candidates: &Candidates) -> (usize, u8) {
    let mut rest = candidates.certain;
    let mut nearest = rest.trailing_zeros() as usize % LANES;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize % LANES;
        rest &= rest - 1;
        if candidates.t_hi[lane] < candidates.t_hi[nearest] {
            nearest = lane;
        }
    }
    let mut later = 0u8;
    for lane in 0..LANES {
        later |= u8::from(candidates.t_lo[lane] > candidates.t_hi[nearest]) << lane;
    }
    (nearest, candidates.possible & (candidates.unbounded | !later))
}

/// Asks the reference about each of some triangles. Rarely needed, so kept out of the walk.
#[inline(never)]
pub(crate) fn resolve_exact<V: Collector>(
    ray: &Ray,
    block: &LeafBlock,
    index: u32,
    mut mask: u8,
    collector: &mut V,
) -> bool {
    collector.resolve(ray);
    while mask != 0 {
        let lane = mask.trailing_zeros();
        mask &= mask - 1;
        if !offer_exact(ray, block, index, lane, collector) {
            return false;
        }
    }
    true
}
