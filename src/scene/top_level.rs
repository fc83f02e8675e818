//! A tree of instances, built once and then shared by all snapshots that show it.

use std::sync::{Arc, OnceLock};

use crate::bvh::{Bvh, Facts, Node, placed_bounds};
use crate::geometry::Aabb;
use crate::traverse::{InstanceId, PlacedTree, TopLevelView, padding};

use super::build::{Item, build};

/// A tree of instances. It never changes.
#[derive(Debug)]
pub(super) struct TopLevel {
    nodes: Vec<Node>,
    /// In the order of the leaves.
    instances: Vec<PlacedTree>,
    facts: Facts,
    padding: f32,
    /// The place of each handle and its leaf, in order: made when it is first asked for.
    leaves: OnceLock<Vec<(u32, u32)>>,
}

impl Default for TopLevel {
    fn default() -> Self {
        let (nodes, instances, leaves) = (Vec::new(), Vec::new(), OnceLock::new());
        Self { nodes, instances, facts: Facts::EMPTY, padding: 0.0, leaves }
    }
}

impl TopLevel {
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
        let padding = padding(amplification);
        Self { nodes, instances, facts, padding, leaves: OnceLock::new() }
    }

    pub(super) fn instances(&self) -> &[PlacedTree] {
        &self.instances
    }

    /// The leaf of an instance.
    fn leaf(&self, id: InstanceId) -> Option<usize> {
        let leaves = self.leaves.get_or_init(|| {
            let slots = self.instances.iter().map(|instance| instance.id.slot);
            let mut leaves: Vec<_> = slots.zip(0..).collect();
            leaves.sort_unstable();
            leaves
        });
        let at = leaves.binary_search_by_key(&id.slot, |&(slot, _)| slot).ok()?;
        let leaf = leaves[at].1 as usize;
        (self.instances[leaf].id == id).then_some(leaf)
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

    /// An instance, if it is shown here.
    pub(super) fn get(&self, id: InstanceId) -> Option<&PlacedTree> {
        let leaf = self.top.leaf(id)?;
        (!self.is_gone(leaf)).then(|| &self.top.instances[leaf])
    }

    /// The handles of all instances that it shows, in no order.
    pub(super) fn ids(&self) -> impl Iterator<Item = InstanceId> + '_ {
        let instances = self.top.instances.iter().enumerate();
        let shown = instances.filter(|(index, _)| !self.is_gone(*index));
        shown.map(|(_, instance)| instance.id)
    }

    fn is_gone(&self, index: usize) -> bool {
        self.gone.get(index / 64).is_some_and(|bits| bits >> (index % 64) & 1 != 0)
    }
}
