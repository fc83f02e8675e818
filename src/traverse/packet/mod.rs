//! Many rays that run much the same way, through the tree together (Wald et al. 2001; the thick
//! ray as in Boulos et al. 2006 and Wald, Boulos and Shirley 2007).
//!
//! A node's children are first met by the beam of all rays; those that remain are met by each ray
//! when their turn comes. A subtree that few of them meet is left to the walk of single rays.
//!
//! ```text
//! group     what a query does with the triangles that they meet
//! fill      which rays go together, and what is worked out of them once
//! rows      where they come from
//! ready     the rays, ready: what boxes and triangles they meet
//! beam      all of them as one thick ray
//! shaft     all of them around the one in the middle: what none of them passes through
//! slants    all of them as that one sees them
//! facets    the triangles of a leaf block as it sees them, and which of the rays hit one
//! lanes     a number of each
//! ```

pub(crate) mod collect;
pub(crate) mod frustum;
pub(crate) mod interval;
pub(crate) mod lanes;
pub(crate) mod rays;
pub(crate) mod results;
pub(crate) mod rows;
pub(crate) mod setup;
pub(crate) mod slants;
#[cfg(test)]
mod tests;
pub(crate) mod triangle_test;

pub(crate) use collect::{AnyGroup, ClosestGroup, Group};
pub(crate) use lanes::{Lanes, Mask, RAYS, ROW, ROWS, WHOLE_ROW};
pub(crate) use rays::Packet;
use rays::RETIRED;
pub(crate) use rows::Rows;

use crate::bvh::{LANES, LEAF, LeafBlock, ROOT, TreeView, WIDTH};
use crate::simd::{Isa, Vector as _};
use crate::traverse::collect::collector::Collector;
use crate::traverse::prefetch::Prefetcher;
use crate::traverse::ray;
use crate::traverse::ray::leaf_test::resolve_exact;
use crate::traverse::walk::Stack;

/// At most so many rays go on one by one.
const FEW: u32 = 5;

/// Shows each ray's visitor the triangles that the ray may meet. Says how often a ray had to go on by
/// itself.
///
/// Where any hit will do, and all rays of the packet before have found one, `occluder` is the leaf block in
/// which the last of them did: it is looked at first (see [`last`](super::last)).
///
/// # Safety
/// As for [`ray::walk`]; the packet is of these rays, those whose bits are set in `taken`. The occluder is a
/// block of the tree.
#[inline(always)]
pub(crate) unsafe fn walk<I: Isa, G: Group>(
    isa: I,
    tree: &TreeView<'_>,
    rays: &Rows<'_>,
    packet: &mut Packet,
    taken: Mask,
    occluder: &mut Option<u32>,
    group: &mut G,
) -> usize {
    let mut strays = 0;
    let mut entries = Stack::room();
    let mut top = 0;
    let mut stack = Stack::new(&mut entries, &mut top);
    let mut ceiling = packet.ceiling::<I::Wide>(isa);
    if let Some(index) = occluder.take() {
        // SAFETY: the occluder is a block of the tree, as the caller says.
        ceiling =
            unsafe { meet_leaf::<I, G>(isa, tree, rays, packet, (taken, ceiling), index, group) };
        if ceiling < 0.0 {
            *occluder = Some(index);
            return strays;
        }
    }
    let prefetcher = Prefetcher::new(tree);
    let mut number = ROOT;
    loop {
        // SAFETY: the number is the root's, or that of a valid tree's child that is a node.
        let node = unsafe { tree.nodes.get_unchecked(number as usize) };
        let mut enter = [0f32; WIDTH];
        // A subtree goes by its place, for its box is still to be met.
        let place = |lane: usize| number * WIDTH as u32 + lane as u32;
        // SAFETY: the mask is of a node's lanes, and the stack that of a valid tree's walk.
        let mut next = unsafe {
            let mut mask = packet.beam.meet_children::<I::Wide>(isa, node, ceiling, &mut enter);
            if packet.shaft.converges {
                mask &= packet.shaft.meet_children::<I::Wide>(isa, &packet.row, node);
            }
            match mask {
                0 => stack.pop(ceiling),
                mask => {
                    prefetcher.prefetch_children(node, mask);
                    Some(place(stack.push_rest(mask, &enter, G::One::ORDERED, place)))
                }
            }
        };
        number = loop {
            let Some(place) = next else { return strays };
            let lane = place as usize % WIDTH;
            // SAFETY: places are of nodes that have been here.
            let node = unsafe { tree.nodes.get_unchecked(place as usize / WIDTH) };
            let inside = packet.meet::<I::Wide>(isa, node, lane);
            if inside != 0 {
                let child = node.child[lane];
                if inside.count_ones() <= FEW {
                    strays += inside.count_ones() as usize;
                    // SAFETY: the child is of this tree, for which each ray of the packet is worked out.
                    ceiling = unsafe {
                        part::<I, G>(isa, tree, rays, packet, inside, child, group);
                        packet.ceiling::<I::Wide>(isa)
                    };
                } else if child & LEAF == 0 {
                    break child;
                } else {
                    let index = child & !LEAF;
                    // SAFETY: in a valid tree, a child that is no node is a block.
                    ceiling = unsafe {
                        meet_leaf::<I, G>(isa, tree, rays, packet, (inside, ceiling), index, group)
                    };
                    if G::One::ANY && ceiling < 0.0 {
                        *occluder = Some(index);
                        return strays;
                    }
                }
            }
            // SAFETY: the stack holds the places that this walk has put off.
            next = unsafe { stack.pop(ceiling) };
        };
    }
}

/// Sends a few rays through a subtree one by one.
///
/// # Safety
/// As for [`walk`].
#[inline(always)]
unsafe fn part<I: Isa, G: Group>(
    isa: I,
    tree: &TreeView<'_>,
    rays: &Rows<'_>,
    packet: &mut Packet,
    mut inside: Mask,
    child: u32,
    group: &mut G,
) {
    while inside != 0 {
        let lane = inside.trailing_zeros() as usize;
        inside &= inside - 1;
        let setup = packet.one(lane);
        let mut collector = group.one(lane, rays.index(lane), packet.t_max.0[lane]);
        // SAFETY: a packet's ray by itself is as `set_up_ray` would have made it for this tree.
        let more = unsafe {
            ray::walk::<I, _, false>(isa, tree, rays.ray(lane), &setup, child, &mut collector)
        };
        packet.set_t_max(lane, if more { collector.t_max() } else { RETIRED });
        group.put(lane, &collector);
    }
}

/// Shows the rays whose bits are set a block's triangles. The greatest `t` that counts for any ray from then on.
///
/// # Safety
/// As for [`walk`]; the tree has the block.
#[inline(always)]
unsafe fn meet_leaf<I: Isa, G: Group>(
    isa: I,
    tree: &TreeView<'_>,
    rays: &Rows<'_>,
    packet: &mut Packet,
    (inside, ceiling): (Mask, f32),
    index: u32,
    group: &mut G,
) -> f32 {
    // SAFETY: the caller knows that the tree has the block.
    unsafe {
        let block = tree.blocks.get_unchecked(index as usize);
        let triangles = packet.beam.meet_triangles::<I::Leaf>(isa, block, ceiling)
            & packet.shaft.meet_triangles::<I::Leaf>(isa, &packet.row, block, &mut packet.facets);
        let at = (block, index);
        if packet.shaft.is_apart() {
            meet_block::<I, G, true>(isa, rays, packet, inside, at, triangles, group);
        } else {
            meet_block::<I, G, false>(isa, rays, packet, inside, at, triangles, group);
        }
        packet.ceiling::<I::Wide>(isa)
    }
}

/// Shows the rays whose bits are set those of a block's triangles whose bits are set: to each first
/// those that it is sure to hit, after which the rest are mostly of no more interest.
#[inline(always)]
fn meet_block<I: Isa, G: Group, const APART: bool>(
    isa: I,
    rays: &Rows<'_>,
    packet: &mut Packet,
    mut inside: Mask,
    (block, index): (&LeafBlock, u32),
    mut triangles: u32,
    group: &mut G,
) {
    let lanes = I::Wide::LANES;
    // The rays for which a triangle is unclear.
    let mut unclear: [Mask; LANES] = [0; LANES];
    while triangles != 0 {
        let triangle = triangles.trailing_zeros();
        triangles &= triangles - 1;
        let slot = index * LANES as u32 + triangle;
        let mut open: Mask = 0;
        let facet = packet.facets.facet::<I::Wide>(isa, triangle);
        let mut first = 0;
        while first < RAYS {
            let here = (inside >> first) as u32 & (u32::MAX >> (32 - lanes));
            if here != 0 {
                let mut verdict = facet.judge::<APART>(packet, first);
                verdict.certain &= here;
                open |= Mask::from(verdict.possible & here) << first;
                let (taken, done) = group.offer_certain(&mut packet.t_max, first, slot, &verdict);
                open &= !(taken | done);
                inside &= !done;
                packet.retire::<I::Wide>(isa, first, done);
            }
            first += lanes;
        }
        unclear[triangle as usize % LANES] = open;
    }
    for (triangle, &unclear) in unclear.iter().enumerate() {
        let mut rest = unclear & inside;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let mut collector = group.one(lane, rays.index(lane), packet.t_max.0[lane]);
            if resolve_exact(rays.ray(lane), block, index, 1 << triangle, &mut collector) {
                packet.set_t_max(lane, collector.t_max());
            } else {
                packet.set_t_max(lane, RETIRED);
                inside &= !(1 << lane);
            }
            group.put(lane, &collector);
        }
    }
}
