//! A tree of instances, built once and then shared by all snapshots that show it.

use std::sync::{Arc, OnceLock};

use super::patch::{TooDeep, put_in, take_out};
use crate::bvh::{Bvh, Keyed, Node, placed_bounds};
use crate::geometry::{Aabb, Volume};
use crate::traverse::{
    Gone, InstanceFacts, InstanceId, LEVELS, PlacedInstance, TopLevel, TopLevelView, TopLevels,
    volume_bounds,
};

/// The place of an instance that is gone, and was before the tree was copied: others may have the
/// same handle, or its place.
const NONE: u32 = u32::MAX;

/// A tree of instances. It never changes.
#[derive(Debug)]
pub(super) struct InstanceTree {
    top: TopLevel,
    /// The leaves of instances with names, in order.
    names: Vec<(u32, Arc<str>)>,
    /// The leaf of each instance, by the place of its handle: made when it is first asked for.
    leaves: OnceLock<Vec<Keyed>>,
}

impl Default for InstanceTree {
    fn default() -> Self {
        Self { top: TopLevel::EMPTY, names: Vec::new(), leaves: OnceLock::new() }
    }
}

impl InstanceTree {
    /// A tree of these nodes, over these instances, or also their volumes, in the order of its
    /// leaves. Leaves with names are in order too.
    pub(super) fn new(
        nodes: Vec<Node>,
        instances: Vec<PlacedInstance>,
        volumes: Vec<Volume>,
        names: Vec<(u32, Arc<str>)>,
    ) -> Self {
        let mut facts = InstanceFacts::new(&nodes);
        for instance in &instances {
            facts.add(instance);
        }
        let top = TopLevel { nodes, instances, volumes, facts };
        Self { top, names, leaves: OnceLock::new() }
    }

    pub(super) fn instances(&self) -> &[PlacedInstance] {
        &self.top.instances
    }

    /// The leaf of an instance.
    fn leaf(&self, id: InstanceId) -> Option<u32> {
        let leaves = self.leaves.get_or_init(|| {
            let slots = self.instances().iter().map(|instance| instance.id.slot).zip(0..);
            let slots = slots.filter(|&(slot, _)| slot != NONE);
            let mut leaves: Vec<_> = slots.map(|(slot, leaf)| Keyed::new(slot, leaf)).collect();
            Keyed::sort(&mut leaves);
            leaves
        });
        let at = leaves.binary_search_by_key(&id.slot, |leaf| leaf.key()).ok()?;
        let leaf = leaves[at].number();
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

    /// Puts instances with their boxes, and their volumes if such stand there, into a copy of the
    /// tree, and shows that from now on. Snapshots taken before keep the old one. The tree must
    /// have instances. `names` are the names of the new ones, by their order. Gives their leaves.
    pub(super) fn put_in(
        &mut self,
        added: &[(Aabb, PlacedInstance)],
        volumes: &[Volume],
        names: Vec<(u32, Arc<str>)>,
    ) -> Result<Vec<u32>, TooDeep> {
        let mut gone = Gone::clone(&self.gone);
        let mut top = self.tree.top.clone();
        take_out(&mut top.nodes, |leaf| gone.contains(leaf));
        // The leaves of instances that are gone, then others.
        let leaves: Vec<u32> =
            gone.iter().chain(top.instances.len() as u32..).take(added.len()).collect();
        for ((bounds, instance), &leaf) in added.iter().zip(&leaves) {
            put_in(&mut top.nodes, leaf, bounds)?;
            set_or_push(&mut top.instances, leaf, *instance);
        }
        for (volume, &leaf) in volumes.iter().zip(&leaves) {
            set_or_push(&mut top.volumes, leaf, *volume);
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
        for (leaf, instance) in self.instances() {
            bounds.extend_box(&match self.tree.top.volumes.get(leaf as usize) {
                Some(volume) => volume_bounds(volume),
                None => placed_bounds(trees[instance.tree as usize].view(), &instance.transform),
            });
        }
        bounds
    }

    /// An instance, if it is shown here.
    pub(super) fn get(&self, id: InstanceId) -> Option<&PlacedInstance> {
        let leaf = self.tree.leaf(id)?;
        (!self.gone.contains(leaf)).then(|| &self.tree.instances()[leaf as usize])
    }

    /// The volume of an instance in the world, if it is shown here.
    pub(super) fn volume(&self, id: InstanceId) -> Option<Volume> {
        let leaf = self.tree.leaf(id).filter(|&leaf| !self.gone.contains(leaf))?;
        self.tree.top.volumes.get(leaf as usize).copied()
    }

    /// The volume at a leaf, if volumes stand here.
    #[cfg(feature = "record")]
    pub(super) fn volume_at(&self, leaf: u32) -> Option<&Volume> {
        self.tree.top.volumes.get(leaf as usize)
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
    pub(super) fn instances(&self) -> impl Iterator<Item = (u32, &PlacedInstance)> {
        let instances = (0..).zip(self.tree.instances());
        instances.filter(|&(leaf, _)| !self.gone.contains(leaf))
    }
}

fn set_or_push<T>(all: &mut Vec<T>, at: u32, value: T) {
    match all.get_mut(at as usize) {
        Some(place) => *place = value,
        None => all.push(value),
    }
}

/// All trees of instances of one kind as a snapshot shows them.
#[derive(Debug)]
pub(super) struct ShownLevels {
    pub(super) levels: [ShownLevel; LEVELS],
    /// Of all of them.
    pub(super) facts: InstanceFacts,
}

impl ShownLevels {
    pub(super) fn new(levels: [ShownLevel; LEVELS]) -> Self {
        let facts = levels.iter().filter_map(ShownLevel::facts);
        let facts = facts.reduce(|one, other| one.merged(&other));
        Self { facts: facts.unwrap_or(InstanceFacts::EMPTY), levels }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &ShownLevel> {
        self.levels.iter()
    }

    /// What kernels see. `trees` are those that stand there.
    pub(super) fn view<'a>(&'a self, trees: &'a [Bvh]) -> TopLevels<'a> {
        let levels = self.levels.each_ref().map(ShownLevel::view);
        TopLevels { levels, facts: &self.facts, trees }
    }

    /// The box of all instances that are shown.
    pub(super) fn bounds(&self, trees: &[Bvh]) -> Aabb {
        let mut bounds = Aabb::EMPTY;
        for level in &self.levels {
            bounds.extend_box(&level.bounds(trees));
        }
        bounds
    }
}
