//! A tree of instances, built once and then shared by all snapshots that show it.

use std::sync::Arc;

use crate::bvh::{Bvh, Facts, Node, placed_bounds};
use crate::geometry::Aabb;
use crate::traverse::{PlacedTree, TopLevelView, padding};

use super::build::{Item, build};

/// A tree of instances. It never changes.
#[derive(Debug)]
pub(super) struct TopLevel {
    nodes: Vec<Node>,
    /// In the order of the leaves.
    instances: Vec<PlacedTree>,
    facts: Facts,
    padding: f32,
}

impl TopLevel {
    pub(super) const EMPTY: Self =
        Self { nodes: Vec::new(), instances: Vec::new(), facts: Facts::EMPTY, padding: 0.0 };

    /// Builds a tree. Each item's number is given to `instance`, which gives what stands there.
    pub(super) fn build(
        mut items: Vec<Item>,
        instance: impl Fn(u32) -> Option<PlacedTree>,
    ) -> Self {
        let nodes = build(&mut items);
        let instances: Vec<_> = items.iter().filter_map(|item| instance(item.number())).collect();
        let mut facts = Facts::new(&nodes, &[]);
        let mut amplification = 0f32;
        for PlacedTree { transform, .. } in &instances {
            for (size, offset) in facts.size.iter_mut().zip(transform.translation()) {
                *size = size.max(offset.abs());
            }
            amplification = amplification.max(transform.amplification());
        }
        Self { nodes, instances, facts, padding: padding(amplification) }
    }

    pub(super) fn instances(&self) -> &[PlacedTree] {
        &self.instances
    }
}

/// A tree of instances as a snapshot shows it: without those that have left it since.
#[derive(Clone, Debug)]
pub(super) struct ShownLevel {
    pub(super) top: Arc<TopLevel>,
    /// A bit for each instance that has left. Empty if none has.
    pub(super) gone: Arc<Vec<u64>>,
}

impl ShownLevel {
    pub(super) fn new(top: TopLevel) -> Self {
        Self { top: Arc::new(top), gone: Arc::default() }
    }

    pub(super) fn view<'a>(&'a self, trees: &'a [Bvh]) -> TopLevelView<'a> {
        TopLevelView {
            nodes: &self.top.nodes,
            instances: &self.top.instances,
            gone: &self.gone,
            trees,
            facts: self.top.facts,
            padding: self.top.padding,
        }
    }

    /// Leaves an instance out from now on. Snapshots taken before still show it.
    pub(super) fn leave_out(&mut self, index: u32) {
        let gone = Arc::make_mut(&mut self.gone);
        gone.resize(self.top.instances.len().div_ceil(64), 0);
        gone[index as usize / 64] |= 1 << (index % 64);
    }

    /// How many instances it shows.
    pub(super) fn len(&self) -> usize {
        let gone: u32 = self.gone.iter().map(|bits| bits.count_ones()).sum();
        self.top.instances.len() - gone as usize
    }

    /// The box of all instances that it shows.
    pub(super) fn bounds(&self, trees: &[Bvh]) -> Aabb {
        if self.gone.is_empty() {
            return self.top.facts.bounds();
        }
        let mut bounds = Aabb::EMPTY;
        for (index, instance) in self.top.instances.iter().enumerate() {
            if !self.is_gone(index) {
                let tree = trees[instance.tree as usize].view();
                bounds.extend_box(&placed_bounds(tree, &instance.transform));
            }
        }
        bounds
    }

    pub(super) fn is_gone(&self, index: usize) -> bool {
        self.gone.get(index / 64).is_some_and(|bits| bits >> (index % 64) & 1 != 0)
    }
}
