//! The traversal of a packet.

use super::collect::PacketCollector;
use super::group::{MAX_GROUP, walk_group};
use super::lanes::{Mask, RAYS, RayRows};
use super::rays::{Packet, RETIRED};
use crate::bvh::{LANES, LEAF, LeafBlock, ROOT, TreeView, WIDTH};
use crate::simd::{Isa, Task, Vector as _};
use crate::traverse::collect::Collector;
use crate::traverse::prefetch::Prefetcher;
use crate::traverse::ray::leaf_test::resolve_exact;
use crate::traverse::stack::Stack;
use crate::traverse::walk::Bound as _;

/// A packet's way through a tree, as a task for an instruction set: one function for the packets of
/// trees and of scenes. Offers each ray's collector the triangles that the ray may hit. Returns how
/// many times a ray left the packet, if that may show that the packet is too wide.
pub(crate) struct WalkPacket<'a, C> {
    tree: &'a TreeView<'a>,
    rays: &'a RayRows<'a>,
    packet: &'a mut Packet,
    taken: Mask,
    occluder: &'a mut Option<u32>,
    collector: &'a mut C,
}

impl<'a, C: PacketCollector> WalkPacket<'a, C> {
    /// `occluder` is for queries for any hit. If the packet before ended at a leaf block, because
    /// all its rays had found a hit, it is that block, and this packet tests it first (see
    /// [`coherence`](crate::traverse::ray::coherence)).
    ///
    /// # Safety
    /// As for [the walk of a ray](crate::traverse::ray::walk). The packet has been gathered from
    /// `rays` for this tree, and its rays are those whose bits are set in `taken`. The occluder is
    /// a block of the tree.
    #[inline(always)]
    pub(crate) unsafe fn new(
        tree: &'a TreeView<'a>,
        rays: &'a RayRows<'a>,
        (packet, taken): (&'a mut Packet, Mask),
        occluder: &'a mut Option<u32>,
        collector: &'a mut C,
    ) -> Self {
        Self { tree, rays, packet, taken, occluder, collector }
    }
}

impl<C: PacketCollector> Task for WalkPacket<'_, C> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let Self { tree, rays, packet, taken, occluder, collector } = self;
        // SAFETY: as the caller of `new` says.
        unsafe { walk(isa, tree, rays, packet, taken, occluder, collector) }
    }
}

/// # Safety
/// As for [`WalkPacket::new`].
#[inline(always)]
unsafe fn walk<I: Isa, C: PacketCollector>(
    isa: I,
    tree: &TreeView<'_>,
    rays: &RayRows<'_>,
    packet: &mut Packet,
    taken: Mask,
    occluder: &mut Option<u32>,
    collector: &mut C,
) -> usize {
    let mut left_packet = 0;
    let mut entries = Stack::room();
    let mut top = 0;
    let mut stack = Stack::new(&mut entries, &mut top);
    let mut t_max = packet.largest_t_max::<I::Wide>(isa);
    if C::Single::ANY
        && let Some(index) = occluder.take()
    {
        // SAFETY: the caller promises that the occluder is a block of the tree.
        let block = unsafe { tree.blocks.get_unchecked(index as usize) };
        t_max = intersect_leaf(isa, rays, packet, (taken, t_max), (block, index), collector);
        if t_max < 0.0 {
            *occluder = Some(index);
            return left_packet;
        }
    }
    let prefetcher = Prefetcher::new(tree);
    const { assert!(C::MAX_LEAVING[0] <= MAX_GROUP && C::MAX_LEAVING[1] <= MAX_GROUP) };
    let max_leaving = C::MAX_LEAVING[usize::from(packet.frustum.converges)];
    let mut number = ROOT;
    loop {
        // SAFETY: the number is the root's, or the number of a child which is a node of this valid
        // tree.
        let node = unsafe { tree.nodes.get_unchecked(number as usize) };
        let mut enter = [0f32; WIDTH];
        // The stack holds places, a node and a lane each, because a child's box is tested ray by
        // ray only when its turn comes.
        let place = |lane: usize| number * WIDTH as u32 + lane as u32;
        let interval = &packet.interval;
        let mut mask = interval.intersect_children::<I::Wide>(isa, node, t_max, &mut enter);
        if packet.frustum.converges {
            mask &= packet.frustum.intersect_children::<I::Wide>(isa, &packet.block_rows, node);
        }
        // SAFETY: the mask has bits for lanes of a node only, and only this walk pushes to the
        // stack, whose size is enough for the deepest valid tree.
        let mut next = unsafe {
            match mask {
                0 => stack.pop(t_max),
                mask => {
                    prefetcher.prefetch_children(node, mask);
                    Some(place(stack.push_rest(mask, &enter, C::Single::ORDERED, place)))
                }
            }
        };
        number = loop {
            let Some(place) = next else { return left_packet };
            let lane = place as usize % WIDTH;
            // SAFETY: only places of nodes that this walk has read are pushed.
            let node = unsafe { tree.nodes.get_unchecked(place as usize / WIDTH) };
            let hit = packet.intersect_child::<I::Wide>(isa, node, lane);
            if hit != 0 {
                let child = node.child[lane];
                let count = hit.count_ones();
                if count <= max_leaving {
                    // Only rays that need the nearest hit are counted: they would be faster in a
                    // stream. Rays that need any are at least as fast in groups.
                    if !C::Single::ANY {
                        left_packet += count as usize;
                    }
                    // SAFETY: the child is of this valid tree, for which the packet was gathered.
                    unsafe {
                        let tree = (tree, &prefetcher);
                        walk_group(isa, tree, rays, packet, hit, child, collector);
                    }
                    t_max = limit::<I, C>(isa, packet, t_max);
                } else if child & LEAF == 0 {
                    break child;
                } else {
                    let index = child & !LEAF;
                    // SAFETY: a child of a valid tree that is not a node is a leaf block.
                    let block = unsafe { tree.blocks.get_unchecked(index as usize) };
                    let leaf = (block, index);
                    t_max = intersect_leaf(isa, rays, packet, (hit, t_max), leaf, collector);
                    if C::Single::ANY && t_max < 0.0 {
                        *occluder = Some(index);
                        return left_packet;
                    }
                }
            }
            // SAFETY: everything on the stack was pushed by this walk.
            next = unsafe { stack.pop(t_max) };
        };
    }
}

/// Offers the triangles of a leaf block to the rays whose bits are set in `hit`. Returns the
/// largest `t_max` after that.
#[inline(always)]
fn intersect_leaf<I: Isa, C: PacketCollector>(
    isa: I,
    rays: &RayRows<'_>,
    packet: &mut Packet,
    (hit, t_max): (Mask, f32),
    leaf: (&LeafBlock, u32),
    collector: &mut C,
) -> f32 {
    let Packet { interval, frustum, block_rows, tests, .. } = packet;
    let triangles = interval.intersect_triangles::<I::Leaf>(isa, leaf.0, t_max)
        & frustum.intersect_triangles::<I::Leaf>(isa, block_rows, leaf.0, tests);
    if frustum.is_divergent() {
        offer_triangles::<I, C, true>(isa, rays, packet, hit, leaf, triangles, collector);
    } else {
        offer_triangles::<I, C, false>(isa, rays, packet, hit, leaf, triangles, collector);
    }
    limit::<I, C>(isa, packet, t_max)
}

/// The largest `t_max` of the rays that need more tests, where `t_max` is the value before. For
/// any-hit rays it stays until none is left, then it is [`RETIRED`].
#[inline(always)]
fn limit<I: Isa, C: PacketCollector>(isa: I, packet: &Packet, t_max: f32) -> f32 {
    if !C::Single::ANY {
        packet.largest_t_max::<I::Wide>(isa)
    } else if packet.active == 0 {
        RETIRED
    } else {
        t_max
    }
}

/// Offers some of a block's triangles to some rays: first the certain hits of all triangles, then
/// the unclear ones by the exact test. By then they are mostly out of range.
#[inline(always)]
fn offer_triangles<I: Isa, C: PacketCollector, const DIVERGENT: bool>(
    isa: I,
    rays: &RayRows<'_>,
    packet: &mut Packet,
    mut hit: Mask,
    (block, index): (&LeafBlock, u32),
    mut triangles: u32,
    collector: &mut C,
) {
    let lanes = I::Wide::LANES;
    // The rays for which each triangle is unclear.
    let mut unclear: [Mask; LANES] = [0; LANES];
    let mut found: Mask = 0;
    while triangles != 0 {
        let triangle = triangles.trailing_zeros();
        triangles &= triangles - 1;
        let slot = index * LANES as u32 + triangle;
        let mut left: Mask = 0;
        let test = packet.tests.splat::<I::Wide>(isa, triangle);
        let mut first = 0;
        while first < RAYS && first < packet.width {
            let here = (hit >> first) as u32 & (u32::MAX >> (32 - lanes));
            if here != 0 {
                let mut verdict = test.test::<DIVERGENT>(&packet.relative, &packet.t_max, first);
                verdict.certain &= here;
                left |= Mask::from(verdict.possible & here) << first;
                let (taken, done) =
                    collector.offer_certain(&mut packet.t_max, first, slot, &verdict);
                left &= !(taken | done);
                hit &= !done;
                found |= done;
            }
            first += lanes;
        }
        unclear[triangle as usize % LANES] = left;
    }
    if found != 0 {
        packet.retire::<I::Wide>(isa, found);
    }
    for (triangle, &unclear) in unclear.iter().enumerate() {
        let mut rest = unclear & hit;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let mut single = collector.single(lane, rays.index(lane), packet.t_max.0[lane]);
            if resolve_exact(rays.ray(lane), block, index, 1 << triangle, &mut single) {
                packet.set_t_max(lane, single.bound());
            } else {
                packet.retire::<I::Wide>(isa, 1 << lane);
                hit &= !(1 << lane);
            }
            collector.update(lane, &single);
        }
    }
}

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;
    use glam::Vec3;

    use super::*;
    use crate::bake::Builder;
    use crate::geometry::Ray;
    use crate::mesh::Mesh;
    use crate::simd::{self, InstructionSet};
    use crate::traverse::options::Query;
    use crate::traverse::packet::AnyPacket;

    const ALL: Mask = Mask::MAX;
    const FIRSTS: [u32; 8] = [0, 8, 16, 24, 32, 40, 48, 56];

    /// The rays of one line of a picture.
    fn line() -> [Ray; RAYS] {
        std::array::from_fn(|i| Ray::new([1.0, 2.0, 20.0], [0.1 + 0.001 * i as f32, 0.2, -1.0]))
    }

    /// Which rays hit anything, and the leaf block that the next packet tests first.
    struct Occluded<'a> {
        tree: TreeView<'a>,
        rays: &'a [Ray; RAYS],
        occluder: Option<u32>,
        set: InstructionSet,
    }

    impl Task for Occluded<'_> {
        type Output = (Vec<bool>, Option<u32>);

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Self::Output {
            let Self { tree, rays, mut occluder, set } = self;
            let query = &Query::new();
            let query_filter = &tree.query_filter(query);
            let mut packet = Packet::zeroed();
            let mut found = vec![false; RAYS];
            let rows = RayRows::new((0, rays), &FIRSTS);
            // SAFETY: the test bakes this tree, gathers the packet for it, and names its blocks.
            unsafe {
                let taken = packet.gather::<I::Wide>(isa, (&tree.facts, 0.0), &rows, (ALL, 1), 0.5);
                let mut collector = AnyPacket::new(query_filter);
                walk(isa, &tree, &rows, &mut packet, taken, &mut occluder, &mut collector);
                collector.finish(set, &packet, rays, &FIRSTS, taken, &mut found);
            }
            (found, occluder)
        }
    }

    #[test]
    fn the_next_packet_tests_the_last_occluder_first() {
        // Two walls of eight triangles, one behind the other. Rays to one, to both, and past both.
        let wall = |z: f32, right: f32| {
            (0..8).flat_map(move |i| {
                let z = z - 0.01 * i as f32;
                [[-50.0, -50.0, z], [right, -50.0, z], [right, 150.0, z]]
            })
        };
        let corners: Vec<[f32; 3]> = wall(0.0, 4.0).chain(wall(-40.0, 50.0)).collect();
        let (bvh, _) = Builder::new().bake(&[Mesh::from_soup(corners)]).unwrap();
        let tree = bvh.view();
        assert_eq!(tree.blocks.len(), 2);
        let aim = |x: f32| line().map(|ray| Ray::new(ray.origin + Vec3::new(x, 0.0, 0.0), ray.dir));
        for isa in InstructionSet::available() {
            let ask = |rays: &[Ray; RAYS], occluder: Option<u32>| {
                simd::run(isa, Occluded { tree: *tree, rays, occluder, set: isa })
            };
            for (rays, some, all) in [
                (aim(-10.0), true, true),
                (aim(-0.5), true, true),
                (aim(20.0), true, true),
                (aim(40.5), true, false),
                (aim(300.0), false, false),
            ] {
                let (found, next) = ask(&rays, None);
                assert_eq!(found.contains(&true), some, "{isa}: {rays:?}");
                assert_eq!(!found.contains(&false), all, "{isa}: {rays:?}");
                assert_eq!(next.is_some(), all, "{isa}");
                for occluder in [0, 1] {
                    let (again, next) = ask(&rays, Some(occluder));
                    assert_eq!(again, found, "{isa}: {occluder}, {rays:?}");
                    assert_eq!(next.is_some(), all, "{isa}");
                }
                // A block that occludes all rays stays the occluder.
                if let Some(next) = next {
                    assert_eq!(ask(&rays, Some(next)).1, Some(next), "{isa}");
                }
            }
        }
    }
}
