//! Rays of a batch through a scene, many in flight.
//!
//! A [stream](crate::traverse::stream) whose rays go from one tree into another. Two stages are
//! added to its own:
//!
//! ```text
//! instance  move the ray into the coordinates of an instance's tree      then node, or the next
//! leave     take what was found there, and go on where the ray was       then node, instance, done
//! ```
//!
//! The stack of a ray holds subtrees of the tree of instances and, above a second sentinel,
//! subtrees of the tree that the ray is in. Nodes of both are tested by the same stage.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;

use super::collectors::KeepBest;
use super::many::ManyInScene;
use super::to_local::ray_to_local;
use super::{PlacedInstance, TopLevelView};
use crate::array::Each;
use crate::bvh::{LEAF, LeafBlock, Node, TreeView};
use crate::geometry::Ray;
use crate::platform::{CACHE_LINE, prefetch_value};
use crate::simd::{Isa, Task};
use crate::traverse::collect::{Collector, QueryFilter};
use crate::traverse::instance_id::InstanceId;
use crate::traverse::prefetch::{NUMBER, prefetch_lines};
use crate::traverse::ray::f64_fallback;
use crate::traverse::ray::setup::{RaySetup, set_up_ray};
use crate::traverse::stream::{
    LeafStage, MAX_AT_ONCE, NodeStage, RAYS_IN_FLIGHT, RayState, RayStream, Space, Stage,
    StateOffset, drain, resolve, state_at,
};

/// Results are written when this many rays are done.
const DONE_AT_ONCE: usize = 8;

/// The trees of a scene, for a stream.
struct SceneSpace<'a, K> {
    asked: ManyInScene<'a, K>,
    /// A filter for each ray in flight, which its collector borrows, and one more. The array is not
    /// touched otherwise.
    filters: *mut QueryFilter<'a>,
    kept: PhantomData<(&'a mut QueryFilter<'a>, K)>,
}

/// Where a ray is.
struct InScene<'a, K> {
    /// Where the nodes and the leaves lie of the tree that it is in, and their sizes.
    first: [*const u8; 2],
    size: [usize; 2],
    /// The stages for its children, by their two highest bits.
    stages: [Stage; 4],
    /// Where on the stack the sentinel of this tree lies.
    floor: u32,
    /// The tree of instances that it goes through.
    top: u32,
    /// Where it is, and the ray in the coordinates of that tree: since it went into an instance.
    instance: InstanceId,
    local: MaybeUninit<Ray>,
    /// The setup in the world, and what matters.
    world: MaybeUninit<RaySetup>,
    t_max: f32,
    kept: K,
    lifetime: PhantomData<&'a ()>,
}

/// The stages of the children of a tree of instances, and of the trees that stand there.
const IN_WORLD: [Stage; 4] = [Stage::NODE, Stage::DONE, Stage::INSTANCE, Stage::INSTANCE];
const IN_INSTANCE: [Stage; 4] = [Stage::NODE, Stage::LEAVE, Stage::LEAF, Stage::LEAF];

impl<K: KeepBest> InScene<'_, K> {
    /// Writes the place of a ray in a tree of instances.
    ///
    /// # Safety
    /// The pointer is to room for it.
    #[inline(always)]
    unsafe fn start(place: *mut Self, ray: &Ray, top: usize, view: &TopLevelView<'_>) {
        // SAFETY: as the caller says. One by one, because most of it needs no value.
        unsafe {
            (&raw mut (*place).instance).write(InstanceId::NONE);
            (&raw mut (*place).top).write(top as u32);
            (&raw mut (*place).t_max).write(ray.t_max);
            (&raw mut (*place).kept).write(K::default());
            (*place).go_into_world(view);
        }
    }

    /// It is in this tree of instances.
    #[inline(always)]
    fn go_into_world(&mut self, view: &TopLevelView<'_>) {
        self.first = [view.top.nodes.as_ptr().cast(), view.top.instances.as_ptr().cast()];
        self.size = [size_of::<Node>(), size_of::<PlacedInstance>()];
        self.stages = IN_WORLD;
        self.floor = 0;
    }

    /// It is in this tree of triangles.
    #[inline(always)]
    fn go_into_tree(&mut self, tree: &TreeView<'_>, floor: u32) {
        self.first = [tree.nodes.as_ptr().cast(), tree.blocks.as_ptr().cast()];
        self.size = [size_of::<Node>(), size_of::<LeafBlock>()];
        self.stages = IN_INSTANCE;
        self.floor = floor;
    }
}

/// What a ray collects in an instance.
type CollectorHere<'a, K> = <K as KeepBest>::Collector<'a>;

// SAFETY: nodes, leaves and stages belong to the tree that the ray is in. Its sentinel leads to one
// of two stages that look at no child.
unsafe impl<'a, K> Space<CollectorHere<'a, K>> for SceneSpace<'a, K>
where
    K: KeepBest,
{
    type Place = InScene<'a, K>;

    #[inline(always)]
    fn locate(&self, place: &InScene<'a, K>, child: u32) -> (*const u8, Stage) {
        let (is_leaf, index) = ((child >> 31) as usize, (child & NUMBER) as usize);
        let at = place.first[is_leaf].wrapping_add(index.wrapping_mul(place.size[is_leaf]));
        prefetch_lines(at, 0..size_of::<LeafBlock>() / CACHE_LINE);
        (at, place.stages[(child >> 30) as usize])
    }

    #[inline(always)]
    fn floor(place: &InScene<'a, K>) -> u32 {
        place.floor
    }

    // SAFETY: asks for what the trait does.
    #[inline(always)]
    unsafe fn ray<'s>(&'s self, place: &'s InScene<'a, K>, _: usize) -> &'s Ray {
        // SAFETY: a ray that tests a leaf block is in an instance.
        unsafe { place.local.assume_init_ref() }
    }

    // SAFETY: asks for what the trait does.
    #[cold]
    #[inline(never)]
    unsafe fn walk_alone<I: Isa>(isa: I, stream: &mut SceneStream<'a, K>, ray: StateOffset) {
        // SAFETY: the ray has a state, as it has just tested a node.
        let state = unsafe { stream.states.get(ray) };
        let asked = &stream.space.asked;
        state.place.kept = asked.cast_alone(isa, state.ray_index);
        state.place.top = asked.tops.levels.len() as u32;
        state.place.stages = IN_WORLD;
        state.clear_stack();
    }
}

type SceneStream<'a, K> = RayStream<CollectorHere<'a, K>, SceneSpace<'a, K>>;
type SceneState<'a, K> = RayState<CollectorHere<'a, K>, InScene<'a, K>>;

/// Traces the rays with these indices, or all.
#[inline(always)]
pub(super) fn walk<'a, I: Isa, K: KeepBest>(
    isa: I,
    asked: ManyInScene<'a, K>,
    indices: Option<&[u32]>,
    results: &mut [K::Answer],
) {
    let ManyInScene { tops, rays, .. } = asked;
    let first_top = tops.levels.iter().position(|view| !view.top.nodes.is_empty());
    let (Some(first_top), Some(some_tree)) = (first_top, tops.trees.first()) else {
        results.fill_with(|| K::default().answer());
        return;
    };
    let view = &tops.levels[first_top];
    let filter = asked.question(0).filter_in(InstanceId::NONE, some_tree.view(), None);
    // The last is for rays that are in no instance yet. It is not asked.
    let mut filters = [filter; RAYS_IN_FLIGHT + 1];
    let filters = filters.as_mut_ptr();
    let mut stream = SceneStream::<'a, K>::new(SceneSpace { asked, filters, kept: PhantomData });
    let root = (&tops.facts.boxes, tops.facts.padding, view.top.nodes.as_slice());
    let mut free: [_; RAYS_IN_FLIGHT] = StateOffset::all(size_of::<SceneState<'a, K>>());
    let mut free_count = RAYS_IN_FLIGHT;
    let count = indices.map_or(rays.len(), <[u32]>::len);
    let mut next = 0;
    while next < count || free_count < RAYS_IN_FLIGHT {
        while next < count && free_count > 0 {
            let index = indices.map_or(next, |indices| indices[next] as usize);
            let (ray, offset) = (&rays[index], free[free_count - 1]);
            prefetch_value(&results[index]);
            // SAFETY: the offset belongs to a state, which may be unwritten.
            let state = unsafe { &mut *state_at(stream.states.as_mut_ptr(), offset).cast() };
            // SAFETY: it is there, and stays as it is.
            let no_filter = unsafe { &*filters.add(RAYS_IN_FLIGHT) };
            let collector = Collector::new(no_filter, 0, ray.t_max);
            // SAFETY: the pointer is to room for the value.
            let place = |place| unsafe { InScene::start(place, ray, first_top, view) };
            if SceneState::<'a, K>::start(isa, state, root, ray, index, collector, place) {
                stream.queues.push(Stage::NODE, offset);
                free_count -= 1;
            } else {
                results[index] = asked.cast_alone(isa, index).answer();
            }
            next += 1;
        }
        if step(isa, &mut stream) && stream.queues.len(Stage::DONE) < DONE_AT_ONCE {
            continue;
        }
        let done = stream.queues.len(Stage::DONE);
        if let Some(indices) = indices {
            for &index in indices.iter().skip(next).take(done) {
                prefetch_value(&rays[index as usize]);
            }
        }
        for entry in stream.queues.take(Stage::DONE, done) {
            let ray = stream.queues.ray(Stage::DONE, entry);
            // SAFETY: a ray that is done has a state.
            if unsafe { finish(isa, &mut stream, ray, results) } {
                free[free_count] = ray;
                free_count += 1;
            }
        }
    }
}

/// A ray is at the end of a tree of instances, or needs to know no more. `true` if it is done,
/// and its answer written; else it is in the next tree.
///
/// # Safety
/// The ray has a state.
#[inline(always)]
unsafe fn finish<'a, I: Isa, K: KeepBest>(
    isa: I,
    stream: &mut SceneStream<'a, K>,
    ray: StateOffset,
    results: &mut [K::Answer],
) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        let state = stream.states.get(ray);
        let place = &mut state.place;
        if place.stages == IN_INSTANCE {
            let found = state.collector.finish(isa, place.local.assume_init_ref());
            let _ = place.kept.take(place.instance, found, place.t_max);
        } else {
            let tops = &stream.space.asked.tops.levels;
            let mut rest = (place.top as usize + 1)..tops.len();
            if let Some(top) = rest.find(|&top| !tops[top].top.nodes.is_empty()) {
                place.top = top as u32;
                place.go_into_world(&tops[top]);
                state.push_root();
                stream.enter(ray, 0, 0);
                return false;
            }
        }
        results[state.ray_index] = state.place.kept.answer();
        true
    }
}

/// The instance stage: moves rays into the coordinates of the trees that they go into.
struct InstanceStage<'s, 'a, K: KeepBest>(&'s mut SceneStream<'a, K>);

impl<K: KeepBest> Task for InstanceStage<'_, '_, K> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let stream = self.0;
        let count = stream.queues.len(Stage::INSTANCE);
        for entry in stream.queues.take(Stage::INSTANCE, count) {
            let ray = stream.queues.ray(Stage::INSTANCE, entry);
            // SAFETY: the ray is at an instance.
            unsafe { go_into_instance(isa, stream, ray) };
        }
    }
}

/// # Safety
/// The ray has just finished an entry of a queue, with an instance on top of its stack.
#[inline(always)]
unsafe fn go_into_instance<'a, I: Isa, K: KeepBest>(
    isa: I,
    stream: &mut SceneStream<'a, K>,
    ray: StateOffset,
) {
    let ManyInScene { tops, rays, query, .. } = stream.space.asked;
    // SAFETY: it has a state.
    let state = unsafe { stream.states.get(ray) };
    let index = state.top_child() & !LEAF;
    let view = &tops.levels[state.place.top as usize];
    let seen = view.get(index, query).and_then(|one| Some((one, tops.tree(one)?)));
    let Some((instance, tree)) = seen else {
        // SAFETY: as the caller says.
        return unsafe { stream.enter(ray, 1, 0) };
    };
    let t_max = state.place.t_max;
    let local = ray_to_local(isa, &instance.transform, &rays[state.ray_index], t_max);
    state.place.local.write(local);
    state.place.instance = instance.id;
    let filter = stream.space.asked.question(state.ray_index).filter_in(instance.id, tree, None);
    // SAFETY: there is a filter for each state. What borrows the old one is replaced next.
    let filter = unsafe {
        let filter_of_ray = stream.space.filters.add(ray.bytes() / size_of::<SceneState<'a, K>>());
        filter_of_ray.write(filter);
        &*filter_of_ray
    };
    state.collector = Collector::new(filter, 0, t_max);
    state.place.world.write(state.setup);
    // SAFETY: a setup is put in its place, or nothing written.
    let setup = unsafe { &mut *(&raw mut state.setup).cast() };
    if set_up_ray::<I::Point>(isa, tree, &local, setup) && state.push_root() {
        state.t_max = t_max + state.setup.shift;
        state.z_max = state.setup.z_max(t_max);
        state.place.go_into_tree(tree, state.top - 1);
        // SAFETY: as the caller says.
        return unsafe { stream.enter(ray, 0, 0) };
    }
    f64_fallback::walk(tree, &local, &mut state.collector);
    // SAFETY: as the caller says.
    unsafe { leave_instance(isa, stream, ray) };
}

/// The leave stage: takes what was found.
struct LeaveStage<'s, 'a, K: KeepBest>(&'s mut SceneStream<'a, K>);

impl<K: KeepBest> Task for LeaveStage<'_, '_, K> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let stream = self.0;
        let count = stream.queues.len(Stage::LEAVE);
        for entry in stream.queues.take(Stage::LEAVE, count) {
            let ray = stream.queues.ray(Stage::LEAVE, entry);
            // SAFETY: the sentinel of the instance's tree is on top of the stack.
            unsafe { leave_instance(isa, stream, ray) };
        }
    }
}

/// # Safety
/// The ray has just finished an entry of a queue. On top of its stack is what stands for the
/// instance: its child, or its tree's sentinel.
#[inline(always)]
unsafe fn leave_instance<'a, I: Isa, K: KeepBest>(
    isa: I,
    stream: &mut SceneStream<'a, K>,
    ray: StateOffset,
) {
    // SAFETY: it has a state, which is in a tree of instances again.
    unsafe {
        let state = stream.states.get(ray);
        let found = state.collector.finish(isa, state.place.local.assume_init_ref());
        let t_max = state.place.t_max;
        let flow = state.place.kept.take(state.place.instance, found, t_max);
        state.setup = state.place.world.assume_init();
        state.place.go_into_world(&stream.space.asked.tops.levels[state.place.top as usize]);
        match flow {
            ControlFlow::Continue(t) if t < t_max => {
                state.place.t_max = t;
                state.cull(isa, 0, t);
            }
            ControlFlow::Continue(_) => state.t_max = t_max + state.setup.shift,
            ControlFlow::Break(()) => {
                state.place.top = stream.space.asked.tops.levels.len() as u32;
                return stream.queues.push(Stage::DONE, ray);
            }
        }
        stream.enter(ray, 1, 0);
    }
}

/// Runs the stage that most rays wait for, as `step` of a stream through one tree does.
#[inline(always)]
fn step<'a, I: Isa, K: KeepBest>(isa: I, stream: &mut SceneStream<'a, K>) -> bool {
    let waiting = |stage| stream.queues.len(stage);
    let [nodes, leaves, to_resolve] = [Stage::NODE, Stage::LEAF, Stage::RESOLVE].each(waiting);
    let [instances, to_leave] = [Stage::INSTANCE, Stage::LEAVE].each(waiting);
    let most = nodes.max(leaves).max(to_resolve).max(instances).max(to_leave);
    if nodes == most && nodes > 0 {
        isa.call_outlined(NodeStage { stream, drains: false });
    } else if instances == most && instances > 0 {
        isa.call_outlined(InstanceStage(stream));
    } else if leaves == most && leaves >= MAX_AT_ONCE {
        isa.call_outlined(LeafStage { stream, drains: false });
    } else if to_leave > to_resolve {
        isa.call_outlined(LeaveStage(stream));
    } else if to_resolve > 0 {
        resolve(isa, stream);
    } else {
        return drain(isa, stream);
    }
    true
}
