//! Coherent rays through a scene: together through the tree of instances, and into an instance if
//! enough of them enter it. The others go in one by one.

use std::mem::MaybeUninit;
use std::ops::ControlFlow;

use bytemuck::Zeroable as _;
use glam::Vec3;

use super::collectors::{KeepBest, SceneCollector};
use super::many::ManyInScene;
use super::to_local::ray_to_local;
use super::{InstanceLeaves, TopLevelView, visit_all};
use crate::bvh::{LEAF, ROOT, TreeView, WIDTH};
use crate::geometry::Ray;
use crate::simd::{self, Isa, Task};
use crate::traverse::collect::QueryFilter;
use crate::traverse::options::Query;
use crate::traverse::packet::{
    Gather, Mask, Packet, PacketCollector as _, RAYS, RETIRED, ROWS, RayRows, WalkPacket, lanes,
};
use crate::traverse::prefetch::prefetch_node;
use crate::traverse::ray::setup::{RaySetup, set_up_padded};
use crate::traverse::schedule::PacketRays;
use crate::traverse::stack::Stack;
use crate::traverse::walk::{Bound as _, walk_to_leaves};

/// Fewer rays than this go into an instance one by one. (For any hit, all do: most end
/// there. With a filter, too.)
const MIN_TOGETHER: u32 = 12;

/// If at most this many rays hit a child, they go on by themselves.
const MAX_LEAVING: u32 = 1;

/// A packet's rays on their way through a scene.
struct Walk<'a, 'w, K> {
    asked: &'w ManyInScene<'a, K>,
    packet: &'w mut Packet,
    rays: &'w PacketRays<'w>,
    kept: [K; RAYS],
    /// The setups of rays that have gone on by themselves, for each whose bit is set.
    setups: [MaybeUninit<RaySetup>; RAYS],
    is_set_up: Mask,
    left_packet: usize,
}

/// A packet's way through a scene, as a task for an instruction set. What each of its rays keeps,
/// and how many times one left the packet.
pub(super) struct WalkScene<'a, 'w, K> {
    asked: &'w ManyInScene<'a, K>,
    packet: &'w mut Packet,
    rays: &'w PacketRays<'w>,
}

impl<'a, 'w, K> WalkScene<'a, 'w, K> {
    /// # Safety
    /// The packet has been gathered of these rays, for the facts of the scene.
    #[inline(always)]
    pub(super) unsafe fn new(
        asked: &'w ManyInScene<'a, K>,
        packet: &'w mut Packet,
        rays: &'w PacketRays<'w>,
    ) -> Self {
        Self { asked, packet, rays }
    }
}

impl<K: KeepBest> Task for WalkScene<'_, '_, K> {
    type Output = ([K; RAYS], usize);

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Self { asked, packet, rays } = self;
        let mut walk = Walk {
            asked,
            packet,
            rays,
            kept: [K::default(); RAYS],
            setups: [const { MaybeUninit::uninit() }; RAYS],
            is_set_up: 0,
            left_packet: 0,
        };
        for view in asked.tops.levels.iter().filter(|view| !view.top.nodes.is_empty()) {
            // SAFETY: as the caller of `new` says; the tree has a node.
            unsafe { walk.go_through(isa, view) };
        }
        (walk.kept, walk.left_packet)
    }
}

/// Asks a tree with coherent rays in its coordinates, if enough of those that are `wanted` are
/// coherent. Gives those that were asked.
fn ask_together<K: KeepBest>(
    tree: &TreeView<'_>,
    query: &Query<'_>,
    all_rays: &[Ray; RAYS],
    wanted: Mask,
    found: &mut [K::Found; RAYS],
) -> Mask {
    const STARTS: [u32; ROWS] = [0, 8, 16, 24, 32, 40, 48, 56];
    let rays = &RayRows::new((0, all_rays), &STARTS);
    let mut packet = Packet::zeroed();
    let gather = Gather {
        packet: &mut packet,
        facts: (&tree.facts, 0.0),
        rays,
        wanted: (wanted, MIN_TOGETHER),
        max_difference: K::Packet::MAX_DIRECTION_DIFFERENCE,
    };
    let taken = simd::run_many(query.isa, gather);
    if taken == 0 {
        return 0;
    }
    let query_filter = &QueryFilter::new(tree, query);
    let (mut collector, occluder) = (K::Packet::new(query_filter), &mut None);
    // SAFETY: a view is of a valid tree, for which the packet has been gathered.
    let walk =
        unsafe { WalkPacket::new(tree, rays, (&mut packet, taken), occluder, &mut collector) };
    simd::run_many(query.isa, walk);
    collector.finish(query.isa, &packet, all_rays, &STARTS, taken, found);
    taken
}

impl<K: KeepBest> Walk<'_, '_, K> {
    /// # Safety
    /// As for [`WalkScene::new`]. The tree has a node.
    #[inline(always)]
    unsafe fn go_through<I: Isa>(&mut self, isa: I, view: &TopLevelView<'_>) {
        let (mut entries, mut height) = (Stack::room(), 0);
        let mut stack = Stack::new(&mut entries, &mut height);
        let mut t_max = self.packet.largest_t_max::<I::Wide>(isa);
        if t_max < 0.0 {
            return;
        }
        let nodes = view.top.nodes.as_slice();
        let mut number = ROOT;
        loop {
            // SAFETY: the number is the root's, or the number of a child that is a node.
            let node = unsafe { nodes.get_unchecked(number as usize) };
            let mut enter = [0f32; WIDTH];
            let place = |lane: usize| number * WIDTH as u32 + lane as u32;
            let interval = &self.packet.interval;
            let mask = interval.intersect_children::<I::Wide>(isa, node, t_max, &mut enter);
            // SAFETY: the mask has bits for lanes of a node only, and only this walk pushes to the
            // stack, whose size is enough for the deepest valid tree.
            let mut next = unsafe {
                match mask {
                    0 => stack.pop(t_max),
                    mask => Some(place(stack.push_rest(mask, &enter, K::ORDERED, place))),
                }
            };
            number = loop {
                let Some(place) = next else { return };
                let lane = place as usize % WIDTH;
                // SAFETY: only places of nodes that this walk has read are pushed.
                let node = unsafe { nodes.get_unchecked(place as usize / WIDTH) };
                let child = node.child[lane];
                if child & LEAF == 0 {
                    prefetch_node(nodes, child);
                } else {
                    view.prefetch(child & !LEAF);
                }
                let hit = self.packet.intersect_child::<I::Wide>(isa, node, lane);
                if hit != 0 {
                    if child & LEAF == 0 && hit.count_ones() > MAX_LEAVING {
                        break child;
                    }
                    let mut hit = hit;
                    if child & LEAF != 0
                        && !self.asked.query.has_filter()
                        && K::ORDERED
                        && hit.count_ones() >= MIN_TOGETHER
                    {
                        hit = self.go_together(isa, view, child & !LEAF, hit);
                    }
                    for lane in lanes(hit) {
                        // SAFETY: the child is of this tree.
                        unsafe { self.go_alone(isa, view, child, lane) };
                    }
                    t_max = self.packet.largest_t_max::<I::Wide>(isa);
                    if t_max < 0.0 {
                        return;
                    }
                }
                // SAFETY: everything on the stack was pushed by this walk.
                next = unsafe { stack.pop(t_max) };
            };
        }
    }

    /// Rays go into an instance together, those that are coherent there. Gives the others.
    #[inline(always)]
    fn go_together<I: Isa>(
        &mut self,
        isa: I,
        view: &TopLevelView<'_>,
        index: u32,
        hit: Mask,
    ) -> Mask {
        let query = self.asked.query;
        let Some(instance) = view.get(index, query) else { return 0 };
        let Some(tree) = self.asked.tops.tree(instance) else { return 0 };
        let mut local = [Ray::new(Vec3::ZERO, Vec3::ZERO); RAYS];
        for lane in lanes(hit) {
            let (ray, t_max) = (self.rays.rows.ray(lane), self.packet.t_max.0[lane]);
            local[lane] = ray_to_local(isa, &instance.transform, ray, t_max);
        }
        let mut found = [K::NOTHING; RAYS];
        let taken = ask_together::<K>(tree, query, &local, hit, &mut found);
        for lane in lanes(taken) {
            let flow = self.kept[lane].take(instance.id, found[lane], self.packet.t_max.0[lane]);
            match flow {
                ControlFlow::Continue(t_max) => self.packet.set_t_max(lane, t_max),
                ControlFlow::Break(()) => self.packet.set_t_max(lane, RETIRED),
            }
        }
        hit & !taken
    }

    /// A ray of the packet goes through a subtree by itself: to an instance, or to those below a
    /// node.
    ///
    /// # Safety
    /// The child is one of the tree's.
    #[inline(always)]
    unsafe fn go_alone<I: Isa>(
        &mut self,
        isa: I,
        view: &TopLevelView<'_>,
        child: u32,
        lane: usize,
    ) {
        let (tops, ray) = (self.asked.tops, self.rays.rows.ray(lane));
        let query = self.asked.question(self.rays.rows.index(lane) - self.asked.first);
        let t_max = self.packet.t_max.0[lane];
        let mut collector = SceneCollector::new(query, t_max, self.kept[lane]);
        let leaves = InstanceLeaves { tops, view, ray };
        let flow = if child & LEAF != 0 {
            leaves.visit_one(isa, child & !LEAF, &mut collector)
        } else {
            self.left_packet += 1;
            if self.is_set_up >> lane & 1 == 0 {
                let facts = tops.facts;
                let setup = &mut self.setups[lane];
                if !set_up_padded::<I::Point>(isa, &facts.boxes, ray, facts.padding, setup) {
                    visit_all(tops, ray, &mut collector);
                    self.take(lane, collector, ControlFlow::Break(()));
                    return;
                }
                self.is_set_up |= 1 << lane;
            }
            let (mut entries, mut height) = (Stack::room(), 0);
            let mut stack = Stack::new(&mut entries, &mut height);
            // SAFETY: the setup has been written; the child is one of the tree's; what builds the
            // tree keeps to the depth, and to the numbers of the nodes and instances there are.
            unsafe {
                let (nodes, tests) =
                    (&view.top.nodes, (self.setups[lane].assume_init_ref(), &leaves));
                let collector = &mut collector;
                walk_to_leaves::<I, _, _, _, false>(isa, nodes, tests, child, &mut stack, collector)
            }
        };
        self.take(lane, collector, flow);
    }

    /// Takes what a ray has found. `Break` if it needs to know no more.
    #[inline(always)]
    fn take(&mut self, lane: usize, collector: SceneCollector<'_, K>, flow: ControlFlow<()>) {
        match flow {
            ControlFlow::Continue(()) => self.packet.set_t_max(lane, collector.bound()),
            ControlFlow::Break(()) => self.packet.set_t_max(lane, RETIRED),
        }
        self.kept[lane] = collector.kept;
    }
}
