//! The rays that leave a packet, together through a subtree.

use std::mem::MaybeUninit;

use super::collect::PacketCollector;
use super::lanes::{Mask, RayRows};
use super::rays::{Packet, RETIRED};
use crate::bvh::{LEAF, MAX_DEPTH, TreeView, WIDTH};
use crate::simd::{Isa, Vector as _};
use crate::traverse::prefetch::Prefetcher;
use crate::traverse::ray::leaf_test::{block_candidates, offer_candidates};

/// The most rays of a group: a number of so many bits is exact in an `f32`.
pub(super) const MAX_GROUP: usize = 24;

/// Entries enough for every valid tree: each node but the deepest leaves all children but one.
const STACK: usize = MAX_DEPTH as usize * (WIDTH - 1) + 1;

/// A subtree, and a bit for each ray of the group that enters it.
#[derive(Clone, Copy)]
struct Entry {
    child: u32,
    rays: u32,
}

#[inline(always)]
pub(super) unsafe fn walk_group<I: Isa, C: PacketCollector>(
    isa: I,
    tree: &TreeView<'_>,
    rays: &RayRows<'_>,
    packet: &mut Packet,
    mut leaving: Mask,
    child: u32,
    prefetcher: &Prefetcher,
    collector: &mut C,
) {
    let mut lanes = [0u8; MAX_GROUP];
    let mut count = 0;
    while leaving != 0 {
        lanes[count] = leaving.trailing_zeros() as u8;
        leaving &= leaving - 1;
        count += 1;
    }
    let mut alive: u32 = (1 << count) - 1;
    let mut stack = [const { MaybeUninit::<Entry>::uninit() }; STACK];
    let mut top = 0;
    let mut next = Entry { child, rays: alive };
    loop {
        if next.child & LEAF == 0 {
            let node = unsafe { tree.nodes.get_unchecked(next.child as usize) };
            // A sum of powers of two for each child.
            let zero = I::Wide::splat(isa, 0.0);
            let mut sums = [zero; WIDTH];
            let mut any = 0;
            let mut left = next.rays;
            while left != 0 {
                let i = left.trailing_zeros() as usize;
                left &= left - 1;
                let lane = unsafe { *lanes.get_unchecked(i) } as usize;
                let mask = packet.intersect_children::<I::Wide>(isa, node, lane);
                any |= mask;
                let bit = I::Wide::splat(isa, f32::from_bits((127 + i as u32) << 23));
                let mut first = 0;
                while first < WIDTH {
                    let sum = &mut sums[first / I::Wide::LANES];
                    *sum = sum.choose(sum.add(bit), mask >> first);
                    first += I::Wide::LANES;
                }
            }
            let mut entering = [0f32; WIDTH];
            let mut first = 0;
            while first < WIDTH {
                sums[first / I::Wide::LANES].replace_at(&mut entering, first);
                first += I::Wide::LANES;
            }
            prefetcher.prefetch_children(node, any);
            while any != 0 {
                let lane = any.trailing_zeros() as usize % WIDTH;
                any &= any - 1;
                let entry = Entry { child: node.child[lane], rays: entering[lane] as u32 };
                unsafe { stack.get_unchecked_mut(top).write(entry) };
                top += 1;
            }
        } else {
            let index = next.child & !LEAF;
            let block = unsafe { tree.blocks.get_unchecked(index as usize) };
            let mut left = next.rays;
            while left != 0 {
                let i = left.trailing_zeros() as usize;
                left &= left - 1;
                let lane = unsafe { *lanes.get_unchecked(i) } as usize;
                let terms = packet.triangle_terms::<I::Leaf>(isa, lane);
                let Some(candidates) = block_candidates(&terms, &packet.block_rows, block) else {
                    continue;
                };
                let mut single = collector.single(lane, rays.index(lane), packet.t_max.0[lane]);
                if !offer_candidates(rays.ray(lane), block, index, &candidates, &mut single) {
                    packet.set_t_max(lane, RETIRED);
                    collector.update(lane, &single);
                    alive &= !(1 << i);
                }
            }
            if alive == 0 {
                return;
            }
        }
        loop {
            if top == 0 {
                return;
            }
            top -= 1;
            next = unsafe { stack.get_unchecked(top).assume_init() };
            next.rays &= alive;
            if next.rays != 0 {
                break;
            }
        }
    }
}
