//! Ray streams: many independent rays in flight, advanced a stage at a time.
//!
//! A single incoherent ray mostly waits: for the memory of its next node, and for mispredicted
//! branches, because its way depends on what it hit last. A stream keeps many such rays in flight.
//! Each ray waits in the queue of the stage that it needs next:
//!
//! ```text
//! node      test the boxes of a node, push the children that are hit    then node, leaf or done
//! leaf      test the triangles of a leaf block, with error bounds       then resolve, or as above
//! resolve   offer the triangles that may be hit, cull the stack         then node, leaf or done
//! done      compute the result; the place is free for another ray
//! ```
//!
//! A stage runs for all rays in its queue. Its loop has no branch that depends on a ray, so the
//! processor works on several rays at once. As soon as a ray's next node or leaf block is known, it
//! is prefetched: when the ray's turn comes, other rays have had theirs.
//!
//! The node and leaf stages are software pipelines. The parts of a stage depend on each other, and
//! one ray's chain of them is as long as a processor looks ahead. So a turn of the loop does the
//! first part for one ray, and the later parts for rays a few entries before it. This also spreads
//! the prefetches over the computation. The last rays stay in the pipeline until others follow or
//! no stage has anything else to do: filling and draining it costs mispredicted branches.
//!
//! Sources: a state machine per lookup, with prefetching, is asynchronous memory access chaining
//! (Kocberber, Falsafi and Grot 2015). Streams of rays through one tree: Tsakok 2009; Barringer and
//! Akenine-Möller 2014.

mod leaf_stage;
mod node_stage;
mod queues;
mod ray_state;
#[cfg(test)]
mod tests;

use bytemuck::Zeroable;

pub(crate) use self::leaf_stage::{LeafStage, MAX_AT_ONCE, resolve};
pub(crate) use self::node_stage::NodeStage;
pub(crate) use self::queues::{Queues, RAYS_IN_FLIGHT, SENTINEL, Stage, StateOffset};
pub(crate) use self::ray_state::{RayState, RayStream, Space, state_at};
use crate::array::Each;
use crate::bvh::{ROOT, TreeView};
use crate::geometry::Ray;
use crate::platform::prefetch_value;
use crate::simd::{Isa, Task};
use crate::traverse::collect::Collector;
use crate::traverse::collect::batch::{Batch, BatchCollector};
use crate::traverse::prefetch::Prefetcher;
use crate::traverse::ray::{self, f64_fallback};

/// A stream of fewer rays than this is no faster than the rays one by one.
pub(crate) const MIN_STREAM: usize = 16;

/// Results are computed when this many rays are done.
const DONE_AT_ONCE: usize = 16;

/// Traces all rays, or those with the given indices.
///
/// # Safety
/// The tree is valid, as for [`ray::walk`](crate::traverse::ray::walk), but may be empty.
#[inline(always)]
pub(crate) unsafe fn walk<I: Isa, C: BatchCollector>(
    isa: I,
    Batch { tree, first, rays, input }: Batch<'_, C::Input>,
    indices: Option<&[u32]>,
    results: &mut [C::Output],
) {
    let mut stream =
        RayStream::<C, _>::new(OneTree { tree, rays, prefetcher: Prefetcher::new(tree) });
    let mut pending = C::Pending::zeroed();
    let root = (&tree.facts, 0.0, tree.nodes);
    // The first `free_count` of these states are free.
    let mut free: [_; RAYS_IN_FLIGHT] = StateOffset::all(size_of::<RayState<C, ()>>());
    let mut free_count = RAYS_IN_FLIGHT;
    let count = indices.map_or(rays.len(), <[u32]>::len);
    let mut next = 0;
    while next < count || free_count < RAYS_IN_FLIGHT {
        while next < count && free_count > 0 {
            let index = indices.map_or(next, |indices| indices[next] as usize);
            // The result is written while other rays start, which would wait for its memory.
            prefetch_value(&results[index]);
            let (ray, offset) = (&rays[index], free[free_count - 1]);
            // SAFETY: the offset belongs to a state, which may be unwritten.
            let state = unsafe { &mut *state_at(stream.states.as_mut_ptr(), offset).cast() };
            // Made anew where it is needed: a copy of one in memory would wait for its stores.
            let new_collector = || C::new(input, first + index, ray.t_max);
            if RayState::start(isa, state, root, ray, index, new_collector(), |_: *mut ()| ()) {
                stream.queues.push(Stage::NODE, offset);
                free_count -= 1;
            } else {
                let mut collector = new_collector();
                f64_fallback::walk(tree, ray, &mut collector);
                results[index] = collector.finish(isa, ray);
            }
            next += 1;
        }
        // Results computed before these rays started. Written right away, they would still have
        // been in the making.
        C::write(&mut pending, tree, rays, results);
        if step(isa, &mut stream) && stream.queues.len(Stage::DONE) < DONE_AT_ONCE {
            continue;
        }
        let done_count = stream.queues.len(Stage::DONE).min(C::MAX_BATCH);
        let done = stream.queues.take(Stage::DONE, done_count);
        // The rays that take the free places next. (Without indices they follow each other.)
        if let Some(indices) = indices {
            for &index in indices.iter().skip(next).take(done_count) {
                prefetch_value(&rays[index as usize]);
            }
        }
        let (first_state, queues) = (stream.states.as_mut_ptr(), &stream.queues);
        let collectors = done.clone().map(|entry| {
            // SAFETY: a ray that is done keeps its state until its place is free, below.
            let state = unsafe { &*state_at(first_state, queues.ray(Stage::DONE, entry)) };
            (state.ray_index, &state.collector)
        });
        C::compute(isa, collectors, tree, rays, results, &mut pending);
        for entry in done {
            free[free_count] = stream.queues.ray(Stage::DONE, entry);
            free_count += 1;
        }
    }
    C::write(&mut pending, tree, rays, results);
}

/// A tree by itself. It is valid, but may be empty.
struct OneTree<'a> {
    tree: &'a TreeView<'a>,
    rays: &'a [Ray],
    prefetcher: Prefetcher,
}

// SAFETY: the tree is valid. It has one sentinel, for rays that are done.
unsafe impl<C: Collector> Space<C> for OneTree<'_> {
    type Place = ();

    #[inline(always)]
    fn locate(&self, (): &(), child: u32) -> (*const u8, Stage) {
        (self.prefetcher.prefetch_child(child), Stage::of(child))
    }

    #[inline(always)]
    fn floor((): &()) -> u32 {
        0
    }

    // SAFETY: asks for nothing.
    #[inline(always)]
    unsafe fn ray<'s>(&'s self, (): &'s (), index: usize) -> &'s Ray {
        &self.rays[index]
    }

    // SAFETY: asks for what the trait does.
    #[inline(always)]
    unsafe fn walk_alone<I: Isa>(isa: I, stream: &mut RayStream<C, Self>, ray: StateOffset) {
        isa.call_outlined(WalkAlone { stream, ray });
    }
}

/// Traces a ray whose stack is too small with the walk for single rays. It has tested a node.
struct WalkAlone<'s, 'a, C: Collector> {
    stream: &'s mut RayStream<C, OneTree<'a>>,
    ray: StateOffset,
}

impl<C: Collector> Task for WalkAlone<'_, '_, C> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { stream, ray } = self;
        let OneTree { tree, rays, .. } = stream.space;
        // SAFETY: the ray has a state, as it has just tested a node. The setup was made of this ray
        // for this tree, which is valid and has a node.
        unsafe {
            let state = stream.states.get(ray);
            state.clear_stack();
            // It begins at the root. To offer a triangle to a collector twice changes nothing.
            let (ray, collector) = (&rays[state.ray_index], &mut state.collector);
            ray::walk::<I, C, false>(isa, tree, ray, &state.setup, ROOT, collector);
        }
    }
}

/// Runs the stage that most rays wait for. If none do, drains the pipelines; `false` if these were
/// empty, too: then all rays are done.
#[inline(always)]
fn step<I: Isa, C: Collector, S: Space<C>>(isa: I, stream: &mut RayStream<C, S>) -> bool {
    let [nodes, leaves, to_resolve] =
        [Stage::NODE, Stage::LEAF, Stage::RESOLVE].each(|stage| stream.queues.len(stage));
    if nodes >= leaves && nodes >= to_resolve && nodes > 0 {
        isa.call_outlined(NodeStage { stream, drains: false });
    } else if leaves >= to_resolve && leaves >= MAX_AT_ONCE {
        isa.call_outlined(LeafStage { stream, drains: false });
    } else if to_resolve > 0 {
        resolve(isa, stream);
    } else {
        return drain(isa, stream);
    }
    true
}

/// Finishes the entries in the pipelines. `false` if they were empty.
#[inline(always)]
pub(crate) fn drain<I: Isa, C: Collector, S: Space<C>>(
    isa: I,
    stream: &mut RayStream<C, S>,
) -> bool {
    let before = stream.queues.total_pushed();
    isa.call_outlined(NodeStage { stream: &mut *stream, drains: true });
    isa.call_outlined(LeafStage { stream: &mut *stream, drains: true });
    stream.queues.total_pushed() != before
}
