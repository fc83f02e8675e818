//! A tree of instances, built once and then shared by all snapshots that show it.

use std::sync::{Arc, OnceLock};

use super::patch::{TooDeep, put_in, take_out};
use crate::bvh::{Bvh, Node, placed_bounds};
use crate::geometry::Aabb;
use crate::traverse::{Gone, InstanceFacts, InstanceId, PlacedTree, TopLevel, TopLevelView};

/// The place of an instance that is gone, and was before the tree was copied: others may have the
/// same handle, or its place.
const NONE: u32 = u32::MAX;

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
        let mut facts = InstanceFacts::new(&nodes);
        for instance in &instances {
            facts.add(instance);
        }
        let top = TopLevel { nodes, instances, facts };
        Self { top, names, leaves: OnceLock::new() }
    }

    pub(super) fn instances(&self) -> &[PlacedTree] {
        &self.top.instances
    }

    /// The leaf of an instance.
    fn leaf(&self, id: InstanceId) -> Option<u32> {
        let leaves = self.leaves.get_or_init(|| {
            let slots = self.instances().iter().map(|instance| instance.id.slot).zip(0..);
            let mut leaves: Vec<_> = slots.filter(|&(slot, _)| slot != NONE).collect();
            leaves.sort_unstable();
            leaves
        });
        let at = leaves.binary_search_by_key(&id.slot, |&(slot, _)| slot).ok()?;
        let leaf = leaves[at].1;
        (self.instances()[leaf as usize].id == id).then_some(leaf)
    }
}

/// A tree of instances as a snapshot shows it: without those that have left it since.
#[derive(Clone, Debug, Default)]
pub(super) struct ShownLevel {
    pub(super) tree: Arc<InstanceTree>,
    gone: Arc<Gone>,
}

impl ShownLevel {
    pub(super) fn new(tree: InstanceTree) -> Self {
        Self { tree: Arc::new(tree), gone: Arc::default() }
    }

    pub(super) fn view(&self) -> TopLevelView<'_> {
        TopLevelView { top: &self.tree.top, gone: &self.gone }
    }

    /// Leaves an instance out from now on. Snapshots taken before still show it.
    pub(super) fn leave_out(&mut self, leaf: u32) {
        Arc::make_mut(&mut self.gone).insert(leaf);
    }

    /// Puts instances with their boxes into a copy of the tree, and shows that from now on.
    /// Snapshots taken before keep the old one. The tree must have instances. `names` are those of
    /// the new ones, by their order. Gives their leaves.
    pub(super) fn put_in(
        &mut self,
        added: &[(Aabb, PlacedTree)],
        names: Vec<(u32, Arc<str>)>,
    ) -> Result<Vec<u32>, TooDeep> {
        let mut gone = Gone::clone(&self.gone);
        let mut top = self.tree.top.clone();
        take_out(&mut top.nodes, |leaf| gone.contains(leaf));
        // The leaves of what is gone, then others.
        let leaves: Vec<u32> =
            gone.iter().chain(top.instances.len() as u32..).take(added.len()).collect();
        for ((bounds, instance), &leaf) in added.iter().zip(&leaves) {
            put_in(&mut top.nodes, leaf, bounds)?;
            match top.instances.get_mut(leaf as usize) {
                Some(place) => *place = *instance,
                None => top.instances.push(*instance),
            }
        }
        // Those that are gone still count here: that does no harm.
        top.facts = InstanceFacts::new(&top.nodes).widened(&top.facts);
        for (_, instance) in added {
            top.facts.add(instance);
        }
        let kept = self.tree.names.iter().filter(|(leaf, _)| !gone.contains(*leaf));
        let added = names.into_iter().map(|(number, name)| (leaves[number as usize], name));
        let mut names: Vec<_> = kept.cloned().chain(added).collect();
        names.sort_unstable_by_key(|&(leaf, _)| leaf);
        for &leaf in &leaves {
            gone.remove(leaf);
        }
        for leaf in gone.iter() {
            top.instances[leaf as usize].id.slot = NONE;
        }
        let tree = InstanceTree { top, names, leaves: OnceLock::new() };
        *self = Self { tree: Arc::new(tree), gone: Arc::new(gone) };
        Ok(leaves)
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
            return self.tree.top.facts.boxes.bounds();
        }
        let mut bounds = Aabb::EMPTY;
        for (_, instance) in self.instances() {
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

    /// What the tests of boxes need to know, if there are boxes.
    pub(super) fn facts(&self) -> Option<InstanceFacts> {
        let top = &self.tree.top;
        (!top.nodes.is_empty()).then_some(top.facts)
    }

    /// All instances that it shows, with their leaves.
    pub(super) fn instances(&self) -> impl Iterator<Item = (u32, &PlacedTree)> {
        let instances = (0..).zip(self.tree.instances());
        instances.filter(|&(leaf, _)| !self.gone.contains(leaf))
    }
}
