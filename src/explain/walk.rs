//! The walk of a ray through a tree, step by step.

use std::collections::HashMap;

use super::boxes::Below;
use super::why_not::numbers;
use crate::bvh::{Bvh, LANES, ROOT, TreeView};
use crate::geometry::{Aabb, Ray, Triangle};
use crate::query::{QueryStats, Question};
use crate::simd::{Plainest, Task};
use crate::traverse::{
    Any, Cast, CastInside, Closest, Collector, Hit, Query, QueryFilter, Record, Recorded, Refusal,
    Verdict, Visit, judge,
};

/// What a query of one ray looks at, in its order, and why it ends.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Walk {
    /// The nodes and leaf blocks, as they are visited.
    pub steps: Vec<Step>,
    /// Why nothing comes after the last step.
    pub end: End,
    /// The answer: of [`Question::ClosestHit`] the nearest hit; of [`Question::AnyHit`] a hit in
    /// the leaf block that ended the walk.
    pub hit: Option<Hit>,
}

/// A step of a walk.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// The boxes of a node's children are tested.
    Node {
        /// The node's number; the root is 0.
        node: u32,
        /// How many nodes are above it.
        depth: u32,
        /// Its children, in the order of the tree.
        children: Vec<Child>,
    },
    /// The triangles of a leaf block are tested.
    Block {
        /// The block's number.
        block: u32,
        /// How many nodes are above it.
        depth: u32,
        /// Its triangles.
        triangles: Vec<Tested>,
    },
}

/// A child of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Child {
    /// Its box.
    pub bounds: Aabb,
    /// What it is.
    pub below: Below,
    /// What the ray does at its box.
    pub entry: Entry,
}

/// What a ray does at a box. All `t` are rounded, and the walk tests boxes that are larger by some
/// roundings.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Entry {
    /// The ray enters it at this `t`: it is visited, or put off for later.
    Enters {
        /// As the walk counts it; at least the ray's `t_min`.
        t: f32,
    },
    /// The ray would enter it at this `t`, which is past the best hit so far.
    PastBest {
        /// In units of the ray's direction.
        t: f32,
    },
    /// The line is in the box from `enter` to `exit`, which is outside of the ray's interval.
    OutsideInterval {
        /// Where the line enters the box.
        enter: f32,
        /// Where it leaves the box.
        exit: f32,
    },
    /// The line misses it.
    Misses,
}

/// A triangle that a walk has tested.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tested {
    /// The mesh.
    pub mesh: u32,
    /// The triangle, as numbered in its mesh.
    pub triangle: u32,
    /// Its vertices as they are stored: see [`Bvh::triangle`](crate::Bvh::triangle).
    pub vertices: Triangle,
    /// What became of it.
    pub outcome: Outcome,
}

/// What becomes of a triangle that a walk tests. Decided without rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// It is hit at this `t`, nearer than all before it: the best so far. For
    /// [`Question::AnyHit`] each hit counts as that.
    Best {
        /// In units of the ray's direction.
        t: f32,
    },
    /// It is hit at this `t`, but what was found before it is nearer; or equally near, with lower
    /// numbers.
    Farther {
        /// In units of the ray's direction.
        t: f32,
    },
    /// It is the best so far already: a spatial split has put it into several leaf blocks.
    Again {
        /// In units of the ray's direction.
        t: f32,
    },
    /// It is hit at this `t`, and the query refuses it.
    Refused {
        /// In units of the ray's direction.
        t: f32,
        /// The part of the query that does.
        by: Refusal,
    },
    /// The ray's line meets it at this `t`, outside of the ray's interval.
    OutsideInterval {
        /// In units of the ray's direction.
        t: f32,
    },
    /// The ray's line does not meet it.
    Missed,
}

/// Why a walk ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// The ray can hit nothing: see [`Ray`].
    InvalidRay,
    /// The tree has no triangles.
    EmptyTree,
    /// The first hit is enough.
    FirstHit,
    /// All boxes that the ray enters before its best hit were visited.
    NothingNearer {
        /// How many boxes were put off, and then left out because the best hit is nearer.
        left_out: u32,
    },
    /// All boxes that the ray enters were visited, and nothing was hit. Along the line there are
    /// more boxes, before or after the ray's interval.
    IntervalOver,
    /// All boxes that the ray's line enters were visited, and nothing was hit.
    NothingLeft,
}

impl Walk {
    /// How much was looked at: the same as [`Bvh::query_stats`](crate::Bvh::query_stats).
    #[must_use]
    pub fn stats(&self) -> QueryStats {
        let mut stats = QueryStats::default();
        for step in &self.steps {
            match step {
                Step::Node { .. } => stats.nodes += 1,
                Step::Block { triangles, .. } => {
                    stats.blocks += 1;
                    stats.triangles += triangles.len() as u32;
                }
            }
        }
        stats
    }
}

impl Bvh {
    /// What a query of one ray looks at, in plain order: one node after the other, as
    /// [`query_stats`](Self::query_stats) counts them. It is the same on every machine and for
    /// every [`InstructionSet`](crate::InstructionSet), up to the rounding of box tests.
    ///
    /// Takes the time of the query for each step, and some kilobytes.
    ///
    /// ```
    /// use hitscan::explain::{End, Outcome, Step};
    /// use hitscan::query::Question;
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let floor = Mesh::from_soup(vec![[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[floor])?;
    /// let down = Ray::new([0.0, 2.0, 0.0], [0.0, -1.0, 0.0]);
    /// let walk = bvh.explain(&down, &Query::new(), Question::ClosestHit);
    /// let [Step::Node { .. }, Step::Block { triangles, .. }] = &walk.steps[..] else { panic!() };
    /// assert_eq!(triangles[0].outcome, Outcome::Best { t: 2.0 });
    /// assert_eq!(walk.end, End::NothingNearer { left_out: 0 });
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn explain(&self, ray: &Ray, query: &Query<'_>, question: Question) -> Walk {
        let tree = self.view();
        if !ray.is_castable() || tree.nodes.is_empty() {
            let end = if ray.is_castable() { End::EmptyTree } else { End::InvalidRay };
            return Walk { steps: Vec::new(), end, hit: None };
        }
        let filter = &QueryFilter::new(tree, query);
        let record = Record::new(tree, ray);
        let (hit, any) = match question {
            Question::ClosestHit => (recorded::<Closest<'_>>(filter, ray, &record), false),
            Question::AnyHit => (None, recorded::<Any<'_>>(filter, ray, &record)),
        };
        let mut teller = Teller { filter, ray, question, best: None };
        teller.tell(&record.take_visits(), hit, any)
    }
}

/// The answer to a question whose walk is recorded.
fn recorded<'a, V>(filter: &'a QueryFilter<'a>, ray: &'a Ray, record: &'a Record<'a>) -> V::Output
where
    V: Collector<Input = &'a QueryFilter<'a>> + 'a,
{
    let input = (filter, record);
    let cast = Cast::<Recorded<'a, V>> { tree: filter.tree, ray, index: 0, input };
    CastInside(cast).run(Plainest)
}

/// Turns what was recorded into steps.
pub(super) struct Teller<'a> {
    pub(super) filter: &'a QueryFilter<'a>,
    pub(super) ray: &'a Ray,
    pub(super) question: Question,
    /// The best hit of the steps so far; in a scene, of other instances too.
    pub(super) best: Option<Hit>,
}

impl Teller<'_> {
    pub(super) fn tell(&mut self, visits: &[Visit], hit: Option<Hit>, any: bool) -> Walk {
        // The depth of each child that was entered, until it is visited.
        let mut put_off = HashMap::from([(Below::of(ROOT), 0)]);
        let mut steps = Vec::with_capacity(visits.len());
        for visit in visits {
            let step = match visit {
                Visit::Node(node, entries) => {
                    let depth = put_off.remove(&Below::Node(*node)).unwrap_or_default();
                    let children = self.children(*node, entries);
                    for child in &children {
                        if let Entry::Enters { .. } = child.entry {
                            put_off.insert(child.below, depth + 1);
                        }
                    }
                    Step::Node { node: *node, depth, children }
                }
                Visit::Block(block) => {
                    let depth = put_off.remove(&Below::Block(*block)).unwrap_or_default();
                    Step::Block { block: *block, depth, triangles: self.triangles(*block) }
                }
            };
            steps.push(step);
        }
        let hit = if any { self.best } else { hit };
        let end = match hit {
            Some(_) if any => End::FirstHit,
            Some(_) => End::NothingNearer { left_out: put_off.len() as u32 },
            None if self.best.is_some() => End::NothingNearer { left_out: 0 },
            None if steps.iter().any(is_cut_by_interval) => End::IntervalOver,
            None => End::NothingLeft,
        };
        Walk { steps, end, hit }
    }

    fn children(&self, node: u32, entries: &[Option<f32>]) -> Vec<Child> {
        let node = &self.filter.tree.nodes[node as usize];
        let child = |lane: usize| {
            let bounds = node.bounds(lane);
            let entry = match entries[lane] {
                Some(t) => Entry::Enters { t },
                None => not_entered(self.ray, &bounds),
            };
            Child { bounds, below: Below::of(node.child[lane]), entry }
        };
        (0..node.len()).map(child).collect()
    }

    fn triangles(&mut self, block: u32) -> Vec<Tested> {
        let tree: &TreeView<'_> = self.filter.tree;
        let stored = &tree.blocks[block as usize];
        let mut tested = Vec::with_capacity(LANES);
        for lane in 0..stored.len() {
            let slot = block * LANES as u32 + lane as u32;
            let Some(verdict) = judge(self.filter, self.ray, slot) else { continue };
            let Some((mesh, triangle)) = numbers(tree, stored.id[lane]) else { continue };
            let [v0, v1, v2] = stored.corners(lane).map(Into::into);
            let (vertices, outcome) = (Triangle { v0, v1, v2 }, self.outcome(verdict));
            tested.push(Tested { mesh, triangle, vertices, outcome });
        }
        tested
    }

    fn outcome(&mut self, verdict: Verdict) -> Outcome {
        match verdict {
            Verdict::Missed => Outcome::Missed,
            Verdict::OutsideInterval(t) => Outcome::OutsideInterval { t },
            Verdict::Refused(by, Hit { t, .. }) => Outcome::Refused { t, by },
            Verdict::Accepted(hit) => {
                let t = hit.t;
                match self.best {
                    Some(best) if best.key() == hit.key() => Outcome::Again { t },
                    Some(best) if (best.t, best.key()) < (t, hit.key()) => match self.question {
                        Question::ClosestHit => Outcome::Farther { t },
                        Question::AnyHit => Outcome::Best { t },
                    },
                    _ => {
                        self.best = Some(hit);
                        Outcome::Best { t }
                    }
                }
            }
        }
    }
}

/// Why a box was not entered.
pub(super) fn not_entered(ray: &Ray, bounds: &Aabb) -> Entry {
    match bounds.ray_interval(ray) {
        None => Entry::Misses,
        Some(interval) => match interval.clipped(ray) {
            Some(inside) => Entry::PastBest { t: inside.enter },
            None => Entry::OutsideInterval { enter: interval.enter, exit: interval.exit },
        },
    }
}

/// Whether a step has left something out that is on the ray's line, before or after its interval.
pub(super) fn is_cut_by_interval(step: &Step) -> bool {
    match step {
        Step::Node { children, .. } => {
            children.iter().any(|child| matches!(child.entry, Entry::OutsideInterval { .. }))
        }
        Step::Block { triangles, .. } => {
            triangles.iter().any(|one| matches!(one.outcome, Outcome::OutsideInterval { .. }))
        }
    }
}
