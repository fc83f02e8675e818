//! The node stage: tests the boxes of a node, pushes the children that are hit, enters the first.

use super::queues::{Stage, last};
use super::ray_state::{NODE_RESULTS, RayStream, Space};
use crate::bvh::{Node, WIDTH};
use crate::simd::{Isa, Task};
use crate::traverse::collect::Collector;
use crate::traverse::ray::node_test::SlabTest;

/// Entries from one part of the stage to the next.
///
/// **Lemma 62 (node results).** The result of entry `i` is at `i % NODE_RESULTS` until its children
/// are pushed. That is done in the turn of entry `i + LAG`, before that entry is tested, or by a
/// drain. The next result in that place is the result of entry `i + NODE_RESULTS`, which is later.
const LAG: usize = 3;
const _: () = assert!(LAG < NODE_RESULTS);

/// Runs the stage for all rays that wait for it. The last ones stay in the pipeline, unless it
/// `drains`: then the parts that they lack are done too. A task, because a loop in its own function
/// has all registers to itself.
pub(crate) struct NodeStage<'s, C, S: Space<C>> {
    pub(crate) stream: &'s mut RayStream<C, S>,
    pub(crate) drains: bool,
}

impl<C: Collector, S: Space<C>> Task for NodeStage<'_, C, S> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { stream, drains } = self;
        let count = stream.queues.len(Stage::NODE);
        let first = stream.queues.undrained(Stage::NODE).start;
        for i in stream.queues.take(Stage::NODE, count) {
            // SAFETY: entry `i` is at a node (Lemma 64). Those `LAG` and twice `LAG` before it have
            // done one and two parts (Lemma 61). The test writes numbers to `t_near`, nothing else.
            unsafe {
                // It pops nothing (it has pushed its children), and is not to be resolved.
                if i >= first + 2 * LAG {
                    stream.enter(stream.queues.ray(Stage::NODE, i - 2 * LAG), 0, 0);
                }
                if i >= first + LAG {
                    push_children(isa, stream, i - LAG);
                }
                let ray = stream.queues.ray(Stage::NODE, i);
                let state = stream.states.get(ray);
                let t_near: *mut [f32; WIDTH] = &mut stream.node_t_near[i % NODE_RESULTS].0;
                let slab_test = SlabTest::<I::Wide>::new(isa, &state.setup);
                stream.node_masks[i % NODE_RESULTS] =
                    slab_test.intersect_node(state.current(), state.t_max, &mut *t_near.cast());
            }
        }
        if !drains {
            return;
        }
        let undrained = stream.queues.undrained(Stage::NODE);
        // SAFETY: the last `LAG` entries lack two parts, those before them the last one (Lemma 61).
        unsafe {
            for i in last(LAG, &undrained) {
                push_children(isa, stream, i);
            }
            for i in last(2 * LAG, &undrained) {
                stream.enter(stream.queues.ray(Stage::NODE, i), 0, 0);
            }
        }
        stream.queues.set_drained(Stage::NODE);
    }
}

/// The second part: pushes the children that the ray of an entry enters.
///
/// # Safety
/// The entry has done the first part, and not yet this one.
#[inline(always)]
unsafe fn push_children<I: Isa, C: Collector, S: Space<C>>(
    isa: I,
    stream: &mut RayStream<C, S>,
    entry: usize,
) {
    let mask = stream.node_masks[entry % NODE_RESULTS];
    let ray = stream.queues.ray(Stage::NODE, entry);
    let t_near = &stream.node_t_near[entry % NODE_RESULTS].0;
    // SAFETY: the ray is still at the node of its first part (Lemma 64), whose result is kept
    // (Lemma 62).
    unsafe {
        let state = stream.states.get(ray);
        let node: &Node = state.current();
        if !state.push(isa, t_near, &node.child, mask) {
            S::walk_alone(isa, stream, ray);
        }
    }
}
