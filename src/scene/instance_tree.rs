//! A tree of instances, built once and then shared by all snapshots that show it.

use std::sync::{Arc, OnceLock};

use crate::bvh::{Bvh, Facts, Node, placed_bounds};
use crate::geometry::Aabb;
use crate::traverse::{Gone, InstanceId, PlacedTree, TopLevel, TopLevelView, padding};

/// A tree of instances. It never changes.
#[derive(Debug)]
pub(super) struct InstanceTree {
    top: TopLevel,
    /// The leaves of instances with names, in order.
    names: Vec<(u32, Arc<str>)>,
    /// The place of each handle and its leaf, in order: made when it is first asked for.
    leaves: OnceLock<Vec<(u32, u32)>>,
}

impl Default for InstanceTree {
    fn default() -> Self {
        Self { top: TopLevel::EMPTY, names: Vec::new(), leaves: OnceLock::new() }
    }
}

impl InstanceTree {
    /// A tree of these nodes, over these instances in the order of its leaves. Leaves with names
    /// are in order too.
    pub(super) fn new(
        nodes: Vec<Node>,
        instances: Vec<PlacedTree>,
        names: Vec<(u32, Arc<str>)>,
    ) -> Self {
        let mut facts = Facts::new(&nodes, &[]);
        let mut amplification = 0f32;
        for PlacedTree { transform, .. } in &instances {
            for (size, offset) in facts.size.iter_mut().zip(transform.translation()) {
                *size = size.max(offset.abs());
            }
            amplification = amplification.max(transform.amplification());
        }
        let padding = padding(amplification);
        Self { top: TopLevel { nodes, instances, facts, padding }, names, leaves: OnceLock::new() }
    }

    pub(super) fn instances(&self) -> &[PlacedTree] {
        &self.top.instances
    }

    /// The leaf of an instance.
    fn leaf(&self, id: InstanceId) -> Option<u32> {
        let leaves = self.leaves.get_or_init(|| {
            let slots = self.instances().iter().map(|instance| instance.id.slot);
            let mut leaves: Vec<_> = slots.zip(0..).collect();
            leaves.sort_unstable();
            leaves
        });
        let at = leaves.binary_search_by_key(&id.slot, |&(slot, _)| slot).ok()?;
        let leaf = leaves[at].1;
        (self.instances()[leaf as usize].id == id).then_some(leaf)
    }
}

/// A tree of instances as a snapshot shows it: without those that have left it since.
#[derive(Clone, Debug)]
pub(super) struct ShownLevel {
    pub(super) tree: Arc<InstanceTree>,
    gone: Arc<Gone>,
}

impl ShownLevel {
    pub(super) fn new(tree: InstanceTree) -> Self {
        Self { tree: Arc::new(tree), gone: Arc::default() }
    }

    pub(super) fn view<'a>(&'a self, trees: &'a [Bvh]) -> TopLevelView<'a> {
        TopLevelView { top: &self.tree.top, gone: &self.gone, trees }
    }

    /// Leaves an instance out from now on. Snapshots taken before still show it.
    pub(super) fn leave_out(&mut self, leaf: u32) {
        Arc::make_mut(&mut self.gone).insert(leaf);
    }

    /// How many instances have been left out.
    pub(super) fn gone(&self) -> usize {
        self.gone.len()
    }

    /// How many instances it shows.
    pub(super) fn len(&self) -> usize {
        self.tree.instances().len() - self.gone()
    }

    /// The box of all instances that it shows.
    pub(super) fn bounds(&self, trees: &[Bvh]) -> Aabb {
        if self.gone() == 0 {
            return self.tree.top.facts.bounds();
        }
        let mut bounds = Aabb::EMPTY;
        for instance in self.instances() {
            let tree = trees[instance.tree as usize].view();
            bounds.extend_box(&placed_bounds(tree, &instance.transform));
        }
        bounds
    }

    /// An instance, if it is shown here.
    pub(super) fn get(&self, id: InstanceId) -> Option<&PlacedTree> {
        let leaf = self.tree.leaf(id)?;
        (!self.gone.contains(leaf)).then(|| &self.tree.instances()[leaf as usize])
    }

    /// The name of an instance, empty if it has none; `None` if it is not shown here.
    pub(super) fn name(&self, id: InstanceId) -> Option<&str> {
        let leaf = self.tree.leaf(id).filter(|&leaf| !self.gone.contains(leaf))?;
        let names = &self.tree.names;
        let at = names.binary_search_by_key(&leaf, |&(leaf, _)| leaf);
        Some(at.map_or("", |at| &names[at].1))
    }

    /// All instances that it shows.
    pub(super) fn instances(&self) -> impl Iterator<Item = &PlacedTree> {
        let instances = self.tree.instances().iter().zip(0..);
        instances.filter(|&(_, leaf)| !self.gone.contains(leaf)).map(|(instance, _)| instance)
    }
}
