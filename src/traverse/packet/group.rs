//! A group: the rays that leave a packet at a child go through its subtree together.
//!
//! They share the stack, but not the tests: each ray tests all children of a node at once, as a
//! single ray does, and a child is entered with those rays that hit its box (Tsakok 2009). Tests of
//! different rays do not wait for each other, and no branch depends on one ray. So a ray's way
//! through the subtree takes little more than its tests.

use std::mem::MaybeUninit;

use super::collect::PacketCollector;
use super::lanes::{Lanes, Mask, RAYS, RayRows};
use super::rays::Packet;
use crate::array::Each;
use crate::bvh::{LANES, LEAF, LeafBlock, MAX_DEPTH, Node, TreeView, WIDTH};
use crate::simd::{BlockVector, Isa, Vector};
use crate::traverse::prefetch::Prefetcher;
use crate::traverse::ray::leaf_test::{Edges, block_candidates, corners, offer_candidates};
use crate::traverse::walk::Bound as _;

/// The most rays of a group. The rays that enter a child are counted as bits of an `f32`, which
/// has no more.
pub(super) const MAX_GROUP: u32 = 24;
const _: () = assert!(MAX_GROUP <= f32::MANTISSA_DIGITS);

/// Lanes are found this many at a time.
const LANES_AT_ONCE: usize = 8;

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
    #[inline(always)]
    fn new(mut rays: Mask) -> Self {
        debug_assert!(rays.count_ones() <= MAX_GROUP);
        let active = (1 << rays.count_ones()) - 1;
        let mut group = Self { lanes: [0; u32::BITS as usize], active };
        // Some at a time: a branch for each would be mispredicted at the last.
        for lanes in group.lanes.chunks_exact_mut(LANES_AT_ONCE) {
            for lane in lanes {
                *lane = rays.trailing_zeros() as u8;
                rays &= rays.wrapping_sub(1);
            }
            if rays == 0 {
                break;
            }
        }
        group
    }

    /// A bit for each lane of these rays.
    #[inline(always)]
    fn mask(&self, mut rays: u32) -> Mask {
        let mut mask = 0;
        while rays != 0 {
            mask |= 1 << self.lane(rays.trailing_zeros());
            rays &= rays - 1;
        }
        mask
    }

    #[inline(always)]
    fn lane(&self, ray: u32) -> usize {
        self.lanes[ray as usize % self.lanes.len()] as usize % RAYS
    }
}

/// Sends some rays of a packet through a subtree, whose root is `child`.
///
/// # Safety
/// As for [`WalkPacket::new`](super::walk::WalkPacket::new). The child is one of the tree, and at
/// most [`MAX_GROUP`] rays are `leaving`.
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
    let whole = group.active;
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
                let done = whole & !group.active;
                if done != 0 {
                    let done = group.mask(done);
                    packet.retire::<I::Wide>(isa, done);
                    collector.occlude(done);
                }
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
/// The stack belongs to a walk in a valid tree.
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

/// Tests a leaf block for rays that need not know what they hit: as many at once as a vector holds,
/// without a branch for a ray, which would often be mispredicted. Returns those for which it is not
/// certain what the block does.
#[inline(always)]
fn occlude<I: Isa>(
    isa: I,
    block: &LeafBlock,
    packet: &Packet,
    (group, entering): (&mut Group, u32),
) -> u32 {
    let at_once = I::Blocks::LANES / LANES;
    let (mut certain, mut possible) = (0, 0);
    let mut rest = entering;
    while rest != 0 {
        let one = rest & rest.wrapping_neg();
        let others = rest ^ one;
        let bits = [one, if others == 0 { one } else { others & others.wrapping_neg() }];
        let lanes = bits.each(|bit| group.lane(bit.trailing_zeros()));
        let splat = |of: &Lanes| I::Blocks::splat_eights(isa, |k| of.0[lanes[k % lanes.len()]]);
        let terms = packet.triangle_terms(isa, splat);
        let row = |which: usize, k: usize| {
            I::Blocks::load_eights(isa, |_| packet.block_rows.of(block, which, k))
        };
        let verdict = Edges::of(&terms, corners(row)).judge(&terms);
        for (k, bit) in bits.into_iter().enumerate().take(at_once) {
            let has = |mask: u32| u32::from((mask >> (LANES * k)) as u8 != 0).wrapping_neg();
            certain |= has(verdict.certain) & bit;
            possible |= has(verdict.possible) & bit;
            rest &= !bit;
        }
    }
    group.active &= !certain;
    possible & !certain
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
    if I::BRANCH_FREE && collector.takes_any() {
        entering = occlude(isa, block, packet, (group, entering));
    }
    while entering != 0 {
        let ray = entering.trailing_zeros();
        entering &= entering - 1;
        let lane = group.lane(ray);
        let splat = |lanes: &Lanes| I::Leaf::splat(isa, lanes.0[lane]);
        let terms = packet.triangle_terms(isa, splat);
        let Some(candidates) = block_candidates(&terms, &packet.block_rows, block) else {
            continue;
        };
        let mut single = collector.single(lane, rays.index(lane), packet.t_max.0[lane]);
        if offer_candidates(rays.ray(lane), block, index, &candidates, &mut single) {
            packet.set_t_max(lane, single.bound());
        } else {
            group.active &= !(1 << ray);
        }
        collector.update(lane, &single);
    }
}

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;
    use glam::Vec3;

    use super::*;
    use crate::bake::Builder;
    use crate::bvh::ROOT;
    use crate::geometry::Ray;
    use crate::mesh::Mesh;
    use crate::simd::{self, InstructionSet, Task};
    use crate::test_rng;
    use crate::traverse::hit::Hit;
    use crate::traverse::options::Query;
    use crate::traverse::packet::{AnyPacket, ClosestPacket, RAYS};

    const FIRSTS: [u32; 8] = [0, 8, 16, 24, 32, 40, 48, 56];

    /// What the rays of a group hit, nothing for others.
    struct Grouped<'a> {
        tree: &'a TreeView<'a>,
        rays: &'a [Ray; RAYS],
        group: Mask,
        set: InstructionSet,
    }

    impl Grouped<'_> {
        #[inline(always)]
        fn walk<I: Isa, C: PacketCollector>(
            &self,
            isa: I,
            mut collector: C,
            results: &mut [<C::Single as crate::traverse::collect::Collector>::Output],
        ) {
            let Self { tree, rays, group, set } = *self;
            let rows = RayRows::new((0, rays), &FIRSTS);
            let mut packet = Packet::zeroed();
            let taken =
                packet.gather::<I::Wide>(isa, (&tree.facts, 0.0), &rows, (Mask::MAX, 1), 1.0);
            assert_eq!(taken, Mask::MAX);
            let tree = (tree, &Prefetcher::new(tree));
            // SAFETY: the test bakes this tree and gathers the packet for it.
            unsafe { walk_group(isa, tree, &rows, &mut packet, group, ROOT, &mut collector) };
            collector.finish(set, &packet, rays, &FIRSTS, taken, results);
        }
    }

    impl Task for Grouped<'_> {
        type Output = (Vec<bool>, Vec<Option<Hit>>);

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Self::Output {
            let query = &Query::new();
            let query_filter = &self.tree.query_filter(query);
            let (mut any, mut closest) = (vec![false; RAYS], vec![None; RAYS]);
            self.walk(isa, AnyPacket::new(query_filter), &mut any);
            self.walk(isa, ClosestPacket::new(query_filter), &mut closest);
            (any, closest)
        }
    }

    #[test]
    fn rays_of_a_group_hit_what_each_hits_by_itself() {
        let mut state = 5;
        let mut point = |size: f32| {
            let mut number = || size * test_rng::number(&mut state);
            Vec3::new(number(), number(), number())
        };
        let triangles = if cfg!(miri) { 40 } else { 600 };
        let corners = (0..triangles).flat_map(|_| {
            let middle = point(10.0);
            [(); 3].map(|()| (middle + point(1.5)).to_array())
        });
        let mesh = Mesh::from_soup(corners.collect::<Vec<_>>());
        let (bvh, _) = Builder::new().bake(&[mesh]).unwrap();
        let rays: [Ray; RAYS] = std::array::from_fn(|i| {
            let dir = Vec3::new(0.5, -0.6, 1.0) + point(0.2);
            let ray = Ray::new(Vec3::new(-8.0, 8.0, -16.0) + point(0.5), dir);
            if i % 3 == 0 { ray.with_range(0.0, 12.0) } else { ray }
        });
        let query = &Query::new();
        let alone = rays.map(|ray| bvh.closest_hit(&ray, query));
        let hits = alone.iter().flatten().count();
        assert!(cfg!(miri) || (10..55).contains(&hits), "{hits}");
        let full = (1 << MAX_GROUP) - 1;
        for isa in InstructionSet::available() {
            for group in [1, 1 << 63, 0b1011_0110, full, full << (RAYS - MAX_GROUP as usize)] {
                let (any, closest) =
                    simd::run(isa, Grouped { tree: bvh.view(), rays: &rays, group, set: isa });
                for (i, alone) in alone.iter().enumerate() {
                    let expected = alone.filter(|_| group >> i & 1 != 0);
                    assert_eq!(closest[i], expected, "{isa}: {group:b}, {i}");
                    assert_eq!(any[i], expected.is_some(), "{isa}: {group:b}, {i}");
                }
            }
        }
    }
}
