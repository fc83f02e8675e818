//! The walk of a ray through a scene, step by step.

use std::collections::HashMap;

use glam::Affine3A;

use super::walk::{End, Entry, Teller, Walk, is_cut_by_interval, not_entered};
use crate::bvh::{LEAF, WIDTH};
use crate::geometry::{Aabb, Ray};
use crate::query::{QueryStats, Question};
use crate::scene::Snapshot;
use crate::simd::{Plainest, Task};
use crate::traverse::{
    AnyInstance, CastInScene, ClosestInstance, Hit, InstanceId, KeepBest, Query, QueryFilter,
    RecordedInstances, SceneQuery, SceneVisit, TopLevelView, Visit,
};

/// What a query of one ray looks at in a scene, in its order, and why it ends.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SceneWalk {
    /// The nodes of the trees of instances, and the instances that are asked, as they are visited.
    pub steps: Vec<SceneStep>,
    /// Why nothing comes after the last step. [`End::EmptyTree`] if no tree stands anywhere.
    pub end: End,
    /// The answer: of [`Question::ClosestHit`] the nearest hit; of [`Question::AnyHit`] a hit in
    /// the leaf block that ended the walk.
    pub hit: Option<Hit>,
}

/// A step of a walk through a scene.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SceneStep {
    /// The boxes of the children of a node are tested.
    Node {
        /// Which tree of instances the node is of: 0 of what stands still, 1 of what is new, 2 of
        /// what moves. They are walked in this order.
        level: u8,
        /// The node's number; the root is 0.
        node: u32,
        /// How many nodes are above it.
        depth: u32,
        /// Its children, in the order of the tree.
        children: Vec<SceneChild>,
    },
    /// The tree of an instance is asked.
    Instance {
        /// The instance.
        instance: InstanceId,
        /// Where it stands.
        transform: Affine3A,
        /// The ray in its coordinates: see [`Snapshot::local_ray`]. Its interval is the whole one.
        ray: Ray,
        /// The walk in the tree. Its `hit` is the nearest hit there, unless what was found in
        /// other instances is nearer.
        walk: Walk,
    },
}

/// A child of a node of a tree of instances.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SceneChild {
    /// Its box, in the world.
    pub bounds: Aabb,
    /// What it is.
    pub below: SceneBelow,
    /// What the ray does at its box. What is entered is visited or put off, but for instances that
    /// the query does not see.
    pub entry: Entry,
}

/// What a box of a tree of instances is around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SceneBelow {
    /// The node of this number.
    Node(u32),
    /// An instance that the query sees.
    Instance(InstanceId),
    /// An instance whose mask has no bit of the query's. It is not asked.
    Masked {
        /// The instance.
        instance: InstanceId,
        /// Its mask.
        mask: u32,
    },
    /// Nothing any more: an instance that has moved, or left, since this tree was built.
    Gone,
}

impl SceneWalk {
    /// How much was looked at: the same as [`Snapshot::query_stats`].
    #[must_use]
    pub fn stats(&self) -> QueryStats {
        let mut stats = QueryStats::default();
        for step in &self.steps {
            match step {
                SceneStep::Node { .. } => stats.nodes += 1,
                SceneStep::Instance { walk, .. } => {
                    let inside = walk.stats();
                    stats.nodes += inside.nodes;
                    stats.blocks += inside.blocks;
                    stats.triangles += inside.triangles;
                }
            }
        }
        stats
    }
}

impl Snapshot {
    /// What a query of one ray looks at, in plain order, as
    /// [`Bvh::explain`](crate::Bvh::explain): the nodes of the trees of instances, and the walk in
    /// each instance that is asked. Volumes have trees of their own, which such a ray does not
    /// look at.
    ///
    /// The steps depend on how the instances came to be where they are, because that shapes the
    /// trees of instances. A ray whose numbers are beyond the range of their boxes asks all
    /// instances, without nodes.
    ///
    /// Takes the time of the query for each step, and some kilobytes.
    ///
    /// ```
    /// use hitscan::explain::{End, SceneStep};
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::query::Question;
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let floor = Mesh::from_soup(vec![[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]]);
    /// let (floor, _report) = Builder::new().bake(&[floor])?;
    /// let mut scene = Scene::new();
    /// let up = Affine3A::from_translation(Vec3::Y);
    /// let lift = scene.insert(Instance::new(floor).with_transform(up))?;
    /// let down = Ray::new([0.0, 3.0, 0.0], [0.0, -1.0, 0.0]);
    /// let walk = scene.commit().explain(&down, &Query::new(), Question::ClosestHit);
    /// let [SceneStep::Node { .. }, SceneStep::Instance { instance, walk: inside, .. }] =
    ///     &walk.steps[..]
    /// else {
    ///     panic!()
    /// };
    /// assert_eq!((*instance, inside.hit.map(|hit| hit.t)), (lift, Some(2.0)));
    /// assert_eq!(walk.end, End::NothingNearer { left_out: 0 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn explain(&self, ray: &Ray, query: &Query<'_>, question: Question) -> SceneWalk {
        let tops = self.tops();
        let is_empty = tops.levels.iter().all(|view| view.top.nodes.is_empty());
        if is_empty || !ray.is_castable() {
            let end = if ray.is_castable() { End::EmptyTree } else { End::InvalidRay };
            return SceneWalk { steps: Vec::new(), end, hit: None };
        }
        let teller = SceneTeller { snapshot: self, ray, query, question, best: None };
        match question {
            Question::ClosestHit => {
                let (hit, visits) = self.recorded::<ClosestInstance>(ray, query);
                teller.tell(visits, hit, |hit| (hit, false))
            }
            Question::AnyHit => {
                let (_, visits) = self.recorded::<AnyInstance>(ray, query);
                teller.tell(visits, None, |any| (None, any))
            }
        }
    }

    /// The answer to a question, and what was looked at.
    fn recorded<K: KeepBest>(
        &self,
        ray: &Ray,
        query: &Query<'_>,
    ) -> (K::Answer, Vec<SceneVisit<K::Found>>) {
        let (tops, query) = (&self.tops(), SceneQuery::new(query));
        let kept = RecordedInstances::<K>::new(tops, ray);
        let recorded = CastInScene { tops, ray, query, kept }.run(Plainest);
        (recorded.kept.answer(), recorded.visits)
    }
}

/// Turns what was recorded into steps.
struct SceneTeller<'a> {
    snapshot: &'a Snapshot,
    ray: &'a Ray,
    query: &'a Query<'a>,
    question: Question,
    /// The best hit of the steps so far.
    best: Option<Hit>,
}

/// What was entered, until it is visited.
#[derive(PartialEq, Eq, Hash)]
enum PutOff {
    Node(usize, u32),
    Instance(InstanceId),
}

impl SceneTeller<'_> {
    /// `of_found` makes a hit of what was found in an instance, or tells whether there is any.
    fn tell<F>(
        mut self,
        visits: Vec<SceneVisit<F>>,
        hit: Option<Hit>,
        of_found: fn(F) -> (Option<Hit>, bool),
    ) -> SceneWalk {
        let mut put_off = HashMap::new();
        let mut steps = Vec::with_capacity(visits.len());
        for visit in visits {
            let step = match visit {
                SceneVisit::Node { level, node, entries } => {
                    let depth = put_off.remove(&PutOff::Node(level, node)).unwrap_or_default();
                    let children = self.children(level, node, &entries);
                    for child in &children {
                        let Entry::Enters { .. } = child.entry else { continue };
                        match child.below {
                            SceneBelow::Node(child) => {
                                put_off.insert(PutOff::Node(level, child), depth + 1);
                            }
                            SceneBelow::Instance(instance) => {
                                put_off.insert(PutOff::Instance(instance), depth + 1);
                            }
                            SceneBelow::Masked { .. } | SceneBelow::Gone => {}
                        }
                    }
                    SceneStep::Node { level: level as u8, node, depth, children }
                }
                SceneVisit::Instance { instance, ray, visits, found } => {
                    put_off.remove(&PutOff::Instance(instance));
                    match self.instance(instance, ray, &visits, of_found(found)) {
                        Some(step) => step,
                        None => continue,
                    }
                }
            };
            steps.push(step);
        }
        let any = self.question == Question::AnyHit;
        let hit = if any { self.best } else { hit };
        let end = match hit {
            Some(_) if any => End::FirstHit,
            Some(_) => End::NothingNearer { left_out: put_off.len() as u32 },
            None if steps.iter().any(is_cut) => End::IntervalOver,
            None => End::NothingLeft,
        };
        SceneWalk { steps, end, hit }
    }

    fn children(&self, level: usize, node: u32, entries: &[Option<f32>; WIDTH]) -> Vec<SceneChild> {
        let view = &self.snapshot.tops().levels[level];
        let node = &view.top.nodes[node as usize];
        let child = |lane: usize| {
            let bounds = node.bounds(lane);
            let entry = match entries[lane] {
                Some(t) => Entry::Enters { t },
                None => not_entered(self.ray, &bounds),
            };
            SceneChild { bounds, below: below(view, node.child[lane], self.query), entry }
        };
        (0..node.len()).map(child).collect()
    }

    /// The step into an instance.
    fn instance(
        &mut self,
        instance: InstanceId,
        ray: Ray,
        visits: &[Visit],
        (hit, any): (Option<Hit>, bool),
    ) -> Option<SceneStep> {
        let bvh = self.snapshot.bvh(instance)?;
        let transform = self.snapshot.transform(instance)?;
        // What is past the best hit of other instances is told as that, not as past the end.
        let ray = Ray { t_max: self.ray.t_max, ..ray };
        let filter = &QueryFilter::in_instance(bvh.view(), self.query, (instance, 0), None);
        let (question, best) = (self.question, self.best);
        let mut teller = Teller { filter, ray: &ray, question, best };
        let walk = teller.tell(visits, hit.map(|hit| Hit { instance, ..hit }), any);
        self.best = teller.best;
        Some(SceneStep::Instance { instance, transform, ray, walk })
    }
}

/// What a child of a node of a tree of instances is.
fn below(view: &TopLevelView<'_>, child: u32, query: &Query<'_>) -> SceneBelow {
    if child & LEAF == 0 {
        return SceneBelow::Node(child);
    }
    let index = child & !LEAF;
    match view.top.instances.get(index as usize).filter(|_| !view.gone.contains(index)) {
        None => SceneBelow::Gone,
        Some(placed) if placed.mask & query.mask == 0 => {
            SceneBelow::Masked { instance: placed.id, mask: placed.mask }
        }
        Some(placed) => SceneBelow::Instance(placed.id),
    }
}

/// Whether a step has left something out that is on the ray's line, before or after its interval.
fn is_cut(step: &SceneStep) -> bool {
    match step {
        SceneStep::Node { children, .. } => {
            children.iter().any(|child| matches!(child.entry, Entry::OutsideInterval { .. }))
        }
        SceneStep::Instance { walk, .. } => walk.steps.iter().any(is_cut_by_interval),
    }
}
