//! Many rays that run much the same way, through the tree together (Wald et al. 2001; the thick
//! ray as in Boulos et al. 2006 and Wald, Boulos and Shirley 2007).
//!
//! A node's children are first met by the beam of all rays; those that remain are met by each ray
//! when their turn comes. A subtree that few of them meet is left to the walk of single rays.
//!
//! ```text
//! fill      which rays go together, and what is worked out of them once
//! ready     the rays, ready: what boxes and triangles they meet
//! beam      all of them as one thick ray
//! lanes     a number of each
//! ```

mod beam;
mod fill;
mod lanes;
mod ready;
#[cfg(test)]
mod tests;

pub(crate) use lanes::RAYS;
pub(crate) use ready::Packet;
use ready::RETIRED;

use super::leaf::{Verdict, judge};
use super::look::look_closely;
use super::stack::Stack;
use super::traverse;
use super::visitor::{Glimpse, Sure, Visitor};
use crate::bvh::{BvhView, LANES, LEAF, LeafBlock, ROOT, WIDTH};
use crate::geometry::Ray;
use crate::simd::{Isa, Vector};

/// At most so many rays go on one by one.
const FEW: u32 = 5;

/// Shows each ray's visitor the triangles that the ray may meet. Says how often a ray had to go on by
/// itself.
///
/// # Safety
/// As for [`traverse::walk`]; the packet is of these rays, and there are as many visitors.
#[inline(always)]
pub(crate) unsafe fn walk<I: Isa, V: Visitor>(
    tree: &BvhView<'_>,
    rays: &[Ray],
    packet: &mut Packet,
    visitors: &mut [V],
) -> usize {
    let mut strays = 0;
    let mut entries = Stack::room();
    let mut top = 0;
    let mut stack = Stack::new(&mut entries, &mut top);
    // SAFETY: the caller vouches for the instruction set.
    let mut ceiling = unsafe { packet.ceiling::<I::Node>() };
    let mut number = ROOT;
    loop {
        // SAFETY: the tree is valid.
        let node = unsafe { tree.nodes.get_unchecked(number as usize) };
        let mut enter = [0f32; WIDTH];
        // A subtree goes by its place, for its box is still to be met.
        let place = |lane: usize| number * WIDTH as u32 + lane as u32;
        // SAFETY: the caller vouches for the instruction set; the walk is that of a valid tree.
        let mut next = unsafe {
            match packet
                .beam
                .meet_children::<I::Node>(node, ceiling, &mut enter)
            {
                0 => stack.pop(ceiling),
                mask => Some(stack.take(mask, &enter, V::ORDERED, place)),
            }
        };
        number = loop {
            let Some(place) = next else { return strays };
            let lane = place as usize % WIDTH;
            // SAFETY: places are of nodes that have been here.
            let node = unsafe { tree.nodes.get_unchecked(place as usize / WIDTH) };
            // SAFETY: the caller vouches for the instruction set.
            let inside = unsafe { packet.meet::<I::Node>(node, lane) };
            if inside != 0 {
                let child = node.child[lane];
                if inside.count_ones() <= FEW {
                    strays += inside.count_ones() as usize;
                    // SAFETY: as above, and the child is of this tree.
                    unsafe { part::<I, V>(tree, rays, packet, inside, child, visitors) };
                } else if child & LEAF == 0 {
                    break child;
                } else {
                    let index = child & !LEAF;
                    // SAFETY: the tree is valid, and the caller vouches for the rest.
                    unsafe {
                        let block = tree.blocks.get_unchecked(index as usize);
                        let triangles = packet.beam.meet_triangles::<I::Leaf>(block, ceiling);
                        meet_block::<I, V>(rays, packet, inside, block, index, triangles, visitors);
                    }
                }
                // SAFETY: the caller vouches for the instruction set.
                ceiling = unsafe { packet.ceiling::<I::Node>() };
            }
            // SAFETY: the walk is that of a valid tree.
            next = unsafe { stack.pop(ceiling) };
        };
    }
}

/// Sends a few rays through a subtree one by one.
///
/// # Safety
/// As for [`walk`].
#[inline(always)]
unsafe fn part<I: Isa, V: Visitor>(
    tree: &BvhView<'_>,
    rays: &[Ray],
    packet: &mut Packet,
    mut inside: u32,
    child: u32,
    visitors: &mut [V],
) {
    while inside != 0 {
        let lane = inside.trailing_zeros() as usize;
        inside &= inside - 1;
        let prepared = packet.one(lane);
        let (ray, visitor) = (&rays[lane], &mut visitors[lane]);
        // SAFETY: the caller vouches for it.
        let more = unsafe { traverse::walk::<I, V>(tree, ray, &prepared, child, visitor) };
        packet.t_max.0[lane] = if more { visitor.t_max() } else { RETIRED };
    }
}

/// Shows the rays whose bits are set those of a block's triangles whose bits are set: to each first
/// those that it is sure to hit, after which the rest are mostly of no more interest.
///
/// # Safety
/// As for [`walk`].
#[inline(always)]
unsafe fn meet_block<I: Isa, V: Visitor>(
    rays: &[Ray],
    packet: &mut Packet,
    mut inside: u32,
    block: &LeafBlock,
    index: u32,
    mut triangles: u32,
    visitors: &mut [V],
) {
    let lanes = I::Node::LANES;
    // The rays for which a triangle is unclear.
    let mut unclear = [0u32; LANES];
    while triangles != 0 {
        let triangle = triangles.trailing_zeros();
        triangles &= triangles - 1;
        let slot = index * LANES as u32 + triangle;
        let unclear = &mut unclear[triangle as usize % LANES];
        // SAFETY: the caller vouches for the instruction set and for the packet.
        let corners = unsafe { packet.corners::<I::Node>(block, triangle) };
        let mut first = 0;
        while first < RAYS {
            let here = inside >> first & (u32::MAX >> (32 - lanes));
            if here != 0 {
                // SAFETY: the caller vouches for the instruction set; packets are a whole number
                // of vectors.
                let verdict = unsafe { judge(&packet.terms::<I::Node>(first), corners) };
                if let Some(verdict) = verdict {
                    *unclear |= (verdict.may & !verdict.sure & here) << first;
                    let verdict = Verdict {
                        sure: verdict.sure & here,
                        ..verdict
                    };
                    // SAFETY: the caller vouches for the instruction set.
                    let (taken, done) =
                        unsafe { take_sure(packet, first, slot, &verdict, visitors) };
                    *unclear |= (verdict.sure << first) & !taken & !done;
                    inside &= !done;
                }
            }
            first += lanes;
        }
    }
    for (triangle, &unclear) in unclear.iter().enumerate() {
        let mut rest = unclear & inside;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let visitor = &mut visitors[lane];
            if look_closely(&rays[lane], block, index, 1 << triangle, visitor) {
                packet.t_max.0[lane] = visitor.t_max();
            } else {
                packet.t_max.0[lane] = RETIRED;
                inside &= !(1 << lane);
            }
        }
    }
}

/// Lets the rays from `first` on that are sure to hit a triangle take note of it. Bits for those that
/// did, and for those that have seen all they want.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn take_sure<T: Vector, V: Visitor>(
    packet: &mut Packet,
    first: usize,
    slot: u32,
    verdict: &Verdict<T>,
    visitors: &mut [V],
) -> (u32, u32) {
    let (mut taken, mut done) = (0, 0);
    let mut sure = verdict.sure;
    if sure == 0 {
        return (taken, done);
    }
    let (mut least, mut most) = ([0f32; RAYS], [0f32; RAYS]);
    // SAFETY: the caller vouches for the CPU; vectors are no longer than packets.
    unsafe {
        verdict.least.store(least.as_mut_ptr());
        verdict.most.store(most.as_mut_ptr());
    }
    while sure != 0 {
        let i = sure.trailing_zeros() as usize;
        sure &= sure - 1;
        let lane = first + i;
        let visitor = &mut visitors[lane];
        let (least, most) = (least[i], most[i]);
        match visitor.glimpse(Sure { slot, least, most }) {
            Glimpse::Taken => {
                packet.t_max.0[lane] = visitor.t_max();
                taken |= 1 << lane;
            }
            Glimpse::Enough => {
                packet.t_max.0[lane] = RETIRED;
                done |= 1 << lane;
            }
            Glimpse::Unclear => {}
        }
    }
    (taken, done)
}
