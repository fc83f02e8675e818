//! Shows a visitor the triangles that a ray may hit.

use super::leaf::Glance;
use super::visitor::{Glimpse, Sure, Visitor, decide};
use crate::bvh::{LANES, LeafBlock};
use crate::geometry::Ray;

/// Takes a block's triangles that the ray may hit; `false` ends the walk.
#[inline(always)]
pub(super) fn look<V: Visitor>(
    ray: &Ray,
    block: &LeafBlock,
    index: u32,
    glance: &Glance,
    visitor: &mut V,
) -> bool {
    let lane = glance.sure.trailing_zeros() as usize % LANES;
    let one = glance.may & (glance.may - 1) == 0;
    if glance.sure != 0 && (one || !V::ORDERED) {
        let sure = Sure {
            slot: index * LANES as u32 + lane as u32,
            least: glance.least[lane],
            most: glance.most[lane],
        };
        match visitor.glimpse(sure) {
            Glimpse::Enough => return false,
            Glimpse::Taken if one => return true,
            Glimpse::Taken | Glimpse::Unclear => {}
        }
    }
    look_closely(ray, block, index, glance.may, visitor)
}

/// Asks the reference about each of some triangles. Rarely needed, so kept out of the walk.
#[inline(never)]
pub(super) fn look_closely<V: Visitor>(
    ray: &Ray,
    block: &LeafBlock,
    index: u32,
    mut mask: u32,
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
