//! Shows a visitor the triangles that a ray may hit.

use super::leaf_test::Glance;
use crate::bvh::{LANES, LeafBlock};
use crate::geometry::Ray;
use crate::traverse::collect::collector::{Glimpse, Sure, Visitor, decide};

/// Takes a block's triangles that the ray may hit; `false` ends the walk.
#[inline(always)]
pub(crate) fn look<V: Visitor>(
    ray: &Ray,
    block: &LeafBlock,
    index: u32,
    glance: &Glance,
    visitor: &mut V,
) -> bool {
    if glance.sure != 0 {
        let mut lane = glance.sure.trailing_zeros() as usize % LANES;
        let mut may = glance.may;
        if V::ORDERED && may & (may - 1) != 0 {
            (lane, may) = nearest(glance);
        }
        let sure = Sure {
            slot: index * LANES as u32 + lane as u32,
            least: glance.least[lane],
            most: glance.most[lane],
        };
        let alone = may & (may - 1) == 0;
        if alone || !V::ORDERED {
            match visitor.glimpse(sure) {
                Glimpse::Enough => return false,
                Glimpse::Taken if alone => return true,
                Glimpse::Taken | Glimpse::Unclear => {}
            }
        }
    }
    look_closely(ray, block, index, glance.may, visitor)
}

/// Of the triangles that the ray is sure to hit, the one that is met at the latest first; and all that
/// may be met no later.
#[inline(always)]
fn nearest(glance: &Glance) -> (usize, u8) {
    let mut rest = glance.sure;
    let mut nearest = rest.trailing_zeros() as usize % LANES;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize % LANES;
        rest &= rest - 1;
        if glance.most[lane] < glance.most[nearest] {
            nearest = lane;
        }
    }
    let mut later = 0u8;
    for lane in 0..LANES {
        later |= u8::from(glance.least[lane] > glance.most[nearest]) << lane;
    }
    (nearest, glance.may & (glance.vague | !later))
}

/// Asks the reference about each of some triangles. Rarely needed, so kept out of the walk.
#[inline(never)]
pub(crate) fn look_closely<V: Visitor>(
    ray: &Ray,
    block: &LeafBlock,
    index: u32,
    mut mask: u8,
    visitor: &mut V,
) -> bool {
    visitor.settle(ray);
    while mask != 0 {
        let lane = mask.trailing_zeros();
        mask &= mask - 1;
        if !decide(ray, block, index, lane, visitor) {
            return false;
        }
    }
    true
}
