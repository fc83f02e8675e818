//! A group: the rays that leave a packet at a child go through its subtree together.
//!
//! They share the stack, but not the tests: each ray tests all children of a node at once, as a
//! single ray does, and a child is entered with those rays that hit its box (Tsakok 2009). Tests of
//! different rays do not wait for each other, and no branch depends on one ray. So a ray's way
//! through the subtree takes little more than its tests.

use std::mem::MaybeUninit;

use super::collect::PacketCollector;
use super::lanes::{Mask, RayRows};
use super::rays::{Packet, RETIRED};
use crate::bvh::{LEAF, MAX_DEPTH, Node, TreeView, WIDTH};
use crate::simd::{Isa, Vector};
use crate::traverse::prefetch::Prefetcher;
use crate::traverse::ray::leaf_test::{block_candidates, offer_candidates};
use crate::traverse::walk::Bound as _;

/// The most rays of a group. The rays that enter a child are counted as bits of an `f32`, which
/// has no more.
pub(super) const MAX_GROUP: u32 = 24;
const _: () = assert!(MAX_GROUP <= f32::MANTISSA_DIGITS);

/// Entries enough for every valid tree: each node above the current one leaves all children but
/// one, and the current one pushes all.
const STACK: usize = (WIDTH - 1) * MAX_DEPTH as usize + 1;

/// A subtree to come back to.
#[derive(Clone, Copy)]
struct Entry {
    child: u32,
    /// A bit for each ray of the group that enters it.
    rays: u32,
    /// Where the first of them does, if the order matters.
    enter: f32,
}

/// Rays of a packet that go through a subtree together.
struct Group {
    /// The lane of each. Longer than a group, so that every bit has one.
    lanes: [u8; u32::BITS as usize],
    /// A bit for each ray that needs more tests.
    active: u32,
}

impl Group {
    fn new(mut rays: Mask) -> Self {
        debug_assert!(rays.count_ones() <= MAX_GROUP);
        let mut group = Self { lanes: [0; u32::BITS as usize], active: 0 };
        for lane in &mut group.lanes {
            if rays == 0 {
                break;
            }
            *lane = rays.trailing_zeros() as u8;
            rays &= rays - 1;
            group.active = group.active << 1 | 1;
        }
        group
    }

    #[inline(always)]
    fn lane(&self, ray: u32) -> usize {
        self.lanes[ray as usize % self.lanes.len()] as usize
    }
}

/// Sends some rays of a packet through a subtree, whose root is `child`.
///
/// # Safety
/// As for [`walk`](super::walk::walk). The child is one of the tree, and at most [`MAX_GROUP`] rays
/// are `leaving`.
#[inline(always)]
pub(super) unsafe fn walk_group<I: Isa, C: PacketCollector>(
    isa: I,
    (tree, prefetcher): (&TreeView<'_>, &Prefetcher),
    rays: &RayRows<'_>,
    packet: &mut Packet,
    leaving: Mask,
    child: u32,
    collector: &mut C,
) {
    let mut group = Group::new(leaving);
    let mut stack = [const { MaybeUninit::<Entry>::uninit() }; STACK];
    let mut top = 0;
    let mut next = Entry { child, rays: group.active, enter: 0.0 };
    loop {
        if next.child & LEAF == 0 {
            // SAFETY: a child of a valid tree that is not a leaf block is a node.
            let node = unsafe { tree.nodes.get_unchecked(next.child as usize) };
            let children = intersect_node::<I, C>(isa, packet, &group, next.rays, node);
            prefetcher.prefetch_children(node, children.mask);
            // SAFETY: this walk goes down a valid tree, a node at a time.
            unsafe { push::<C>(&mut stack, &mut top, node, &children) };
        } else {
            let index = next.child & !LEAF;
            intersect_leaf(isa, tree, rays, packet, (&mut group, next.rays), index, collector);
        }
        next = loop {
            if top == 0 {
                return;
            }
            top -= 1;
            // SAFETY: all entries below the old `top` are written.
            let entry = unsafe { stack.get_unchecked(top).assume_init() };
            let rays = entry.rays & group.active;
            if rays != 0 {
                break Entry { rays, ..entry };
            }
        };
    }
}

/// The children of a node that some rays enter.
struct Children {
    /// A bit for each child.
    mask: u32,
    /// For each child the rays that enter it, as a sum of powers of two.
    rays: [f32; WIDTH],
    /// Where the first ray enters each, if the order matters.
    enter: [f32; WIDTH],
}

#[inline(always)]
fn intersect_node<I: Isa, C: PacketCollector>(
    isa: I,
    packet: &Packet,
    group: &Group,
    mut rays: u32,
    node: &Node,
) -> Children {
    let mut mask = 0;
    let mut sums = [I::Wide::splat(isa, 0.0); WIDTH];
    let mut enters = [I::Wide::splat(isa, f32::INFINITY); WIDTH];
    while rays != 0 {
        let ray = rays.trailing_zeros();
        rays &= rays - 1;
        let bit = I::Wide::splat(isa, (1u32 << ray) as f32);
        packet.intersect_children::<I::Wide>(isa, node, group.lane(ray), |first, enter, hit| {
            let i = first / I::Wide::LANES;
            mask |= hit << first;
            sums[i] = sums[i].choose(sums[i].add(bit), hit);
            if C::Single::ORDERED {
                enters[i] = enters[i].choose(enters[i].min(enter), hit);
            }
        });
    }
    let mut children = Children { mask, rays: [0.0; WIDTH], enter: [0.0; WIDTH] };
    for i in 0..WIDTH / I::Wide::LANES {
        sums[i].replace_at(&mut children.rays, i * I::Wide::LANES);
        if C::Single::ORDERED {
            enters[i].replace_at(&mut children.enter, i * I::Wide::LANES);
        }
    }
    children
}

/// Pushes the children that are entered, the nearest last if the order matters.
///
/// # Safety
/// The stack is that of a walk in a valid tree.
#[inline(always)]
unsafe fn push<C: PacketCollector>(
    stack: &mut [MaybeUninit<Entry>; STACK],
    top: &mut usize,
    node: &Node,
    children: &Children,
) {
    let bottom = *top;
    let mut mask = children.mask;
    debug_assert!(bottom + mask.count_ones() as usize <= STACK);
    while mask != 0 {
        let lane = mask.trailing_zeros() as usize % WIDTH;
        mask &= mask - 1;
        let (rays, enter) = (children.rays[lane] as u32, children.enter[lane]);
        let entry = Entry { child: node.child[lane], rays, enter };
        let mut at = *top;
        // SAFETY: no walk in a valid tree has more entries, and those below `top` are written.
        unsafe {
            while C::Single::ORDERED && at > bottom {
                let below = stack.get_unchecked(at - 1).assume_init();
                if below.enter >= enter {
                    break;
                }
                stack.get_unchecked_mut(at).write(below);
                at -= 1;
            }
            stack.get_unchecked_mut(at).write(entry);
        }
        *top += 1;
    }
}

/// Tests a leaf block for each ray by itself.
#[inline(always)]
fn intersect_leaf<I: Isa, C: PacketCollector>(
    isa: I,
    tree: &TreeView<'_>,
    rays: &RayRows<'_>,
    packet: &mut Packet,
    (group, mut entering): (&mut Group, u32),
    index: u32,
    collector: &mut C,
) {
    // SAFETY: a child of a valid tree that is not a node is a leaf block.
    let block = unsafe { tree.blocks.get_unchecked(index as usize) };
    while entering != 0 {
        let ray = entering.trailing_zeros();
        entering &= entering - 1;
        let lane = group.lane(ray);
        let terms = packet.triangle_terms::<I::Leaf>(isa, lane);
        let Some(candidates) = block_candidates(&terms, &packet.block_rows, block) else {
            continue;
        };
        let mut single = collector.single(lane, rays.index(lane), packet.t_max.0[lane]);
        if offer_candidates(rays.ray(lane), block, index, &candidates, &mut single) {
            packet.set_t_max(lane, single.bound());
        } else {
            packet.set_t_max(lane, RETIRED);
            group.active &= !(1 << ray);
        }
        collector.update(lane, &single);
    }
}
