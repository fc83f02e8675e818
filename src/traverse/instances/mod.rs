//! Questions of scenes: a walk through a tree of instances, and at each leaf a walk through the
//! tree that stands there.
//!
//! ```text
//! collectors   what a query keeps of the hits in instances: closest, any, all
//! count        what the walks of a ray test
//! record       the same, in their order
//! many         rays of a batch, and what they are asked
//! batch        which of them go together
//! packet       coherent rays together, through the tree of instances and into instances
//! stream       incoherent rays, many in flight
//! to_local     a ray in the coordinates of an instance's tree
//! gone         which instances have left the tree since it was built
//! visit        the instances that may matter to a question about a point, a shape or a volume
//! nearest      which triangles are near a point
//! near_shape   which triangle is nearest to a shape
//! overlap      what touches a shape
//! whole        which instances touch a shape
//! inside       whether a point is inside a closed surface
//! sweep        what stops a shape that moves
//! snap         which vertices and edges are near a ray
//! volumes      the same questions about volumes, in plain code
//! ```

mod batch;
mod collectors;
#[cfg(feature = "stats")]
mod count;
mod gone;
mod inside;
mod many;
mod near_shape;
mod nearest;
mod overlap;
mod packet;
#[cfg(feature = "stats")]
mod record;
mod snap;
mod stream;
mod sweep;
mod to_local;
mod visit;
mod volumes;
mod whole;

#[cfg(test)]
mod bounds;

use std::mem::MaybeUninit;
use std::ops::ControlFlow;

use collectors::SceneCollector;
pub(crate) use collectors::{
    AllInstances, AnyInstance, ClosestInstance, Keep, KeepBest, SceneQuery,
};
#[cfg(feature = "stats")]
pub(crate) use count::CountedInstances;
pub(crate) use gone::Gone;
pub(crate) use inside::InsideInScene;
pub(crate) use many::ManyInScene;
pub(crate) use near_shape::NearShapeInScene;
pub(crate) use nearest::NearInScene;
pub(crate) use overlap::OverlapInScene;
#[cfg(feature = "stats")]
pub(crate) use record::{RecordedInstances, SceneVisit};
pub(crate) use snap::snap_in_scene;
pub(crate) use sweep::SweepInScene;
use to_local::ray_to_local;
pub use volumes::VolumeHit;
pub(crate) use volumes::{VolumesInScene, volume_bounds};
pub use whole::InstanceOverlap;
pub(crate) use whole::InstancesTouching;

use super::instance_id::InstanceId;
use super::options::Query;
use super::prefetch::prefetch_lines;
use super::ray::setup::set_up_padded;
use super::stack::Stack;
use super::walk::{Bound as _, VisitLeaf, walk_to_leaves};
use crate::bvh::{Bvh, Facts, Node, ROOT, TreeView};
use crate::geometry::{InstanceTransform, Ray, Volume};
use crate::platform::CACHE_LINE;
use crate::simd::{Isa, Plainest, Task};

/// What stands somewhere in the world: an instance, as a ray sees it.
// In this order, and at the start of a cache line, because a ray reads the first two lines.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct PlacedInstance {
    /// Its layers.
    pub(crate) mask: u32,
    /// The number of its tree in [`TopLevels::trees`], if it is one.
    pub(crate) tree: u32,
    pub(crate) id: InstanceId,
    pub(crate) transform: InstanceTransform,
    pub(crate) user_id: u64,
}

const _: () = assert!(size_of::<PlacedInstance>() == 3 * CACHE_LINE);

/// A tree of instances. Its nodes are as in any tree, and its leaves are instances.
#[derive(Clone, Debug)]
pub(crate) struct TopLevel {
    pub(crate) nodes: Vec<Node>,
    /// In the order of the leaves.
    pub(crate) instances: Vec<PlacedInstance>,
    /// In the same order, in the world: if volumes stand there.
    pub(crate) volumes: Vec<Volume>,
    pub(crate) facts: InstanceFacts,
}

impl TopLevel {
    /// A tree without instances.
    pub(crate) const EMPTY: Self = Self {
        nodes: Vec::new(),
        instances: Vec::new(),
        volumes: Vec::new(),
        facts: InstanceFacts::EMPTY,
    };
}

/// What the tests of boxes need to know of all instances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InstanceFacts {
    /// Of their boxes, and of their translations.
    pub(crate) boxes: Facts,
    /// How much larger boxes must be: see [`padding`].
    padding: f32,
}

impl InstanceFacts {
    pub(crate) const EMPTY: Self = Self { boxes: Facts::EMPTY, padding: 0.0 };

    /// Of a tree of instances with these nodes, before any is [added](Self::add).
    pub(crate) fn new(nodes: &[Node]) -> Self {
        Self { boxes: Facts::new(nodes, &[]), padding: 0.0 }
    }

    /// Adds an instance whose box is in the tree.
    pub(crate) fn add(&mut self, instance: &PlacedInstance) {
        for (size, offset) in self.boxes.size.iter_mut().zip(instance.transform.translation()) {
            *size = size.max(offset.abs());
        }
        self.padding = self.padding.max(padding(instance.transform.amplification()));
    }

    /// The same boxes, with room for numbers as large as the numbers of another tree.
    pub(crate) fn widened(mut self, other: &Self) -> Self {
        for (size, other) in self.boxes.size.iter_mut().zip(other.boxes.size) {
            *size = size.max(other);
        }
        self.padding = self.padding.max(other.padding);
        self
    }

    /// Of two trees together.
    pub(crate) fn merged(&self, other: &Self) -> Self {
        Self { boxes: self.boxes.merged(&other.boxes), padding: self.padding.max(other.padding) }
    }
}

/// A tree of instances as a snapshot shows it.
#[derive(Clone, Copy)]
pub(crate) struct TopLevelView<'a> {
    pub(crate) top: &'a TopLevel,
    pub(crate) gone: &'a Gone,
}

/// How many trees of instances a snapshot has.
pub(crate) const LEVELS: usize = 3;

/// All trees of instances of a snapshot, in the order in which questions go through them.
pub(crate) struct TopLevels<'a> {
    pub(crate) levels: [TopLevelView<'a>; LEVELS],
    /// Of all of them.
    pub(crate) facts: &'a InstanceFacts,
    /// The trees that stand there.
    pub(crate) trees: &'a [Bvh],
}

impl<'a> TopLevels<'a> {
    /// The tree that stands at an instance.
    #[inline(always)]
    fn tree(&self, instance: &PlacedInstance) -> Option<&'a TreeView<'a>> {
        Some(self.trees.get(instance.tree as usize)?.view())
    }
}

/// How many units of Lemma 21 boxes of instances must be larger, if no rounding of a ray's numbers
/// is [amplified](InstanceTransform::amplification) more than this.
///
/// # Lemma 92 (padding of instances): no box test loses a hit in an instance
///
/// The box of an instance holds all points of its tree, moved without rounding. A hit at `t` is at
/// `q = o' + t d'`, where `o'` and `d'` are origin and direction in the tree's coordinates, each
/// number rounded once: by at most `EPSILON` of itself. With `A` and `B` for the linear part and
/// its inverse, `c` for the translation, `p` for the moved point `A q + c`, the line in the world
/// passes `p` at `t` by at most
///
/// `EPSILON |A| (|B| |o - c| + |B| |t d|) <= EPSILON |A||B| (|o| + |c| + |p - o|)`
///
/// on each axis. `scale` of Lemma 21 is at least `|o|` plus the larger of `|p|` and `|c|`, so this
/// is at most `2 k EPSILON scale`, where `k` is the amplification. The inverse in `f64`, and the
/// rounding of numbers below the range of `f32`, take less than a hundredth of `k` more, since `A`
/// is no larger than 2^60 and rays outside the range of `set_up_ray` do not use the boxes.
pub(crate) fn padding(amplification: f32) -> f32 {
    2.01 * amplification
}

impl<'a> TopLevelView<'a> {
    /// Prefetches the part of an instance that is read first.
    #[inline(always)]
    fn prefetch(&self, index: u32) {
        let instance = self.top.instances.as_ptr().wrapping_add(index as usize);
        prefetch_lines(instance.cast(), 0..2);
    }

    /// An instance that is still there, in a layer of the query, and not left out.
    #[inline(always)]
    fn get(&self, index: u32, query: &Query<'_>) -> Option<&'a PlacedInstance> {
        let instance = self.top.instances.get(index as usize)?;
        let is_seen = instance.mask & query.mask != 0 && query.except != Some(instance.id);
        (is_seen && !self.gone.contains(index)).then_some(instance)
    }
}

/// A ray asked of trees of instances, as a task for an instruction set. Gives what it has kept.
pub(crate) struct CastInScene<'a, K> {
    pub(crate) tops: &'a TopLevels<'a>,
    pub(crate) ray: &'a Ray,
    pub(crate) query: SceneQuery<'a>,
    pub(crate) kept: K,
}

impl<K: Keep> Task for CastInScene<'_, K> {
    type Output = K;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> K {
        let Self { tops, ray, query, kept } = self;
        let facts = tops.facts;
        let mut collector = SceneCollector::new(query, ray.t_max, kept);
        let mut setup = MaybeUninit::uninit();
        if set_up_padded::<I::Point>(isa, &facts.boxes, ray, facts.padding, &mut setup) {
            // SAFETY: it has just been written.
            let setup = unsafe { setup.assume_init_ref() };
            for view in tops.levels.iter().filter(|view| !view.top.nodes.is_empty()) {
                let (mut entries, mut height) = (Stack::room(), 0);
                let mut stack = Stack::new(&mut entries, &mut height);
                let tests = (setup, &InstanceLeaves { tops, view, ray });
                let (nodes, collector) = (&view.top.nodes, &mut collector);
                // SAFETY: the tree has a node; what builds it keeps to the depth, and to the
                // numbers of the nodes and instances that there are.
                let flow = unsafe {
                    walk_to_leaves::<I, _, _, _, false>(
                        isa, nodes, tests, ROOT, &mut stack, collector,
                    )
                };
                if flow.is_break() {
                    break;
                }
            }
        } else {
            visit_all(tops, ray, &mut collector);
        }
        collector.kept
    }
}

struct InstanceLeaves<'a> {
    tops: &'a TopLevels<'a>,
    view: &'a TopLevelView<'a>,
    ray: &'a Ray,
}

impl InstanceLeaves<'_> {
    /// The instance of this number, if it is there and seen, is asked.
    #[inline(always)]
    fn visit_one<I: Isa, K: Keep>(
        &self,
        isa: I,
        index: u32,
        collector: &mut SceneCollector<'_, K>,
    ) -> ControlFlow<()> {
        let instance = self.view.get(index, collector.query());
        let Some(instance) = instance else { return ControlFlow::Continue(()) };
        let Some(tree) = self.tops.tree(instance) else { return ControlFlow::Continue(()) };
        let ray = ray_to_local(isa, &instance.transform, self.ray, collector.bound());
        collector.ask(isa, tree, &ray, instance.id)
    }
}

/// All instances are asked: for rays whose numbers are so large or so small that no box test holds
/// for them. Too rare to be compiled for each instruction set.
#[cold]
#[inline(never)]
fn visit_all<K: Keep>(tops: &TopLevels<'_>, ray: &Ray, collector: &mut SceneCollector<'_, K>) {
    if !ray.is_castable() {
        return;
    }
    for view in &tops.levels {
        let leaves = InstanceLeaves { tops, view, ray };
        for index in 0..view.top.instances.len() as u32 {
            if leaves.visit_one(Plainest, index, collector).is_break() {
                return;
            }
        }
    }
}

impl<'a, I: Isa, K: Keep> VisitLeaf<I, SceneCollector<'a, K>> for InstanceLeaves<'_> {
    // SAFETY: asks for nothing: the number of the instance is checked.
    #[inline(always)]
    unsafe fn visit(
        &self,
        isa: I,
        index: u32,
        collector: &mut SceneCollector<'a, K>,
    ) -> ControlFlow<()> {
        self.visit_one(isa, index, collector)
    }

    #[inline(always)]
    fn prefetch(&self, index: u32) {
        self.view.prefetch(index);
    }
}
