//! The scene itself: what its owner changes.

use std::fmt;
use std::sync::Arc;

use glam::Affine3A;

use super::instance::Instance;
use super::instance_tree::ShownLevel;
use super::levels::Levels;
use super::slots::{Change, Entry, Occupancy, Slot, Slots, shared_name};
use super::snapshot::{Frame, Snapshot};
use super::trees::Trees;
use crate::bvh::{Bvh, placed_bounds};
use crate::error::{SceneError, SceneErrorKind};
use crate::geometry::{InstanceTransform, TransformFault};
use crate::platform::parallel;
use crate::traverse::{InstanceFacts, InstanceId};

/// Trees that stand in many places, and move.
///
/// Changes are made through handles and take effect together at [`commit`](Self::commit). Until
/// then all questions see the scene of the last one. See [`scene`](crate::scene) for an overview.
#[derive(Clone)]
pub struct Scene {
    slots: Slots,
    trees: Trees,
    levels: Levels,
    shown: Snapshot,
}

impl Default for Scene {
    fn default() -> Self {
        let (slots, trees, levels) = (Slots::default(), Trees::default(), Levels::default());
        let shown = show(&levels, &trees, 0);
        Self { slots, trees, levels, shown }
    }
}

impl Scene {
    /// A scene without instances.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts an instance into the scene and returns its handle. Takes constant time.
    ///
    /// # Errors
    ///
    /// If the transform is not finite or cannot be inverted (see [`SceneErrorKind::Singular`]), if
    /// the name has more than 65,535 bytes, or if there are 2^30 instances.
    pub fn insert(&mut self, instance: Instance) -> Result<InstanceId, SceneError> {
        self.slots.check_room(1)?;
        let Instance { bvh, transform, mask, user_id, name } = instance;
        let (transform, name) = (place(&transform)?, shared_name(&name)?);
        let bounds = placed_bounds(bvh.view(), &transform);
        let tree = self.trees.add(&bvh);
        Ok(self.slots.insert(Entry { transform, tree, mask, user_id }, bounds, name))
    }

    /// Puts many instances into the scene at once, on all threads, and returns their handles: the
    /// same as [`insert`](Self::insert) of each in turn.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert), of the first that is wrong. Then none is put in.
    pub fn insert_many(&mut self, instances: &[Instance]) -> Result<Vec<InstanceId>, SceneError> {
        self.slots.check_room(instances.len())?;
        let placed = parallel::map_small(instances, |_, instance| {
            let transform = place(&instance.transform)?;
            let name = shared_name(&instance.name)?;
            Ok((transform, placed_bounds(instance.bvh.view(), &transform), name))
        });
        let placed: Result<Vec<_>, _> = placed.into_iter().collect();
        let insert = |(instance, (transform, bounds, name)): (&Instance, _)| {
            let &Instance { ref bvh, mask, user_id, .. } = instance;
            let tree = self.trees.add(bvh);
            self.slots.insert(Entry { transform, tree, mask, user_id }, bounds, name)
        };
        Ok(instances.iter().zip(placed?).map(insert).collect())
    }

    /// Takes an instance out of the scene. Its handle is stale from now on, although it is shown
    /// until the next commit. Takes logarithmic time.
    ///
    /// # Errors
    ///
    /// If the handle is stale.
    pub fn remove(&mut self, instance: InstanceId) -> Result<(), SceneError> {
        let entry = self.slots.remove(instance)?;
        self.trees.remove(entry.tree);
        Ok(())
    }

    /// Moves an instance. Takes constant time.
    ///
    /// # Errors
    ///
    /// If the handle is stale, or the transform is as in [`insert`](Self::insert).
    pub fn set_transform(
        &mut self,
        instance: InstanceId,
        transform: Affine3A,
    ) -> Result<(), SceneError> {
        let transform = place(&transform)?;
        let trees = &self.trees;
        self.slots.change(instance, Change::Moved, |slot, entry| {
            entry.transform = transform;
            slot.bounds = placed_bounds(trees.get(entry.tree).view(), &transform);
        })
    }

    /// Moves many instances at once, on all threads: the same as
    /// [`set_transform`](Self::set_transform) of each in turn.
    ///
    /// # Errors
    ///
    /// As [`set_transform`](Self::set_transform), of the first that is wrong. Then none is moved.
    pub fn set_transforms(
        &mut self,
        transforms: &[(InstanceId, Affine3A)],
    ) -> Result<(), SceneError> {
        let placed = parallel::map_small(transforms, |_, (instance, transform)| {
            let transform = place(transform)?;
            Ok((transform, placed_bounds(self.bvh(*instance)?.view(), &transform)))
        });
        let placed: Result<Vec<_>, _> = placed.into_iter().collect();
        for (&(instance, _), (transform, bounds)) in transforms.iter().zip(placed?) {
            self.slots.change(instance, Change::Moved, |slot, entry| {
                (entry.transform, slot.bounds) = (transform, bounds);
            })?;
        }
        Ok(())
    }

    /// Puts another tree in the place of an instance: a refitted one, or a broken window.
    ///
    /// # Errors
    ///
    /// If the handle is stale.
    pub fn replace(&mut self, instance: InstanceId, bvh: &Bvh) -> Result<(), SceneError> {
        let &Entry { transform, tree: before, .. } = self.slots.get(instance)?;
        let bounds = placed_bounds(bvh.view(), &transform);
        let tree = self.trees.add(bvh);
        self.trees.remove(before);
        self.slots.change(instance, Change::Set, |slot, entry| {
            (entry.tree, slot.bounds) = (tree, bounds);
        })
    }

    /// Puts an instance into other layers: see [`Instance::mask`].
    ///
    /// # Errors
    ///
    /// If the handle is stale.
    pub fn set_mask(&mut self, instance: InstanceId, mask: u32) -> Result<(), SceneError> {
        self.slots.change(instance, Change::Set, |_, entry| entry.mask = mask)
    }

    /// Gives an instance another number of the caller's.
    ///
    /// # Errors
    ///
    /// If the handle is stale.
    pub fn set_user_id(&mut self, instance: InstanceId, user_id: u64) -> Result<(), SceneError> {
        self.slots.change(instance, Change::Set, |_, entry| entry.user_id = user_id)
    }

    /// Gives an instance another name. An empty one is none.
    ///
    /// # Errors
    ///
    /// If the handle is stale, or the name has more than 65,535 bytes.
    pub fn set_name(&mut self, instance: InstanceId, name: &str) -> Result<(), SceneError> {
        self.slots.set_name(instance, name)
    }

    /// Shows an instance again that was [disabled](Self::disable).
    ///
    /// # Errors
    ///
    /// If the handle is stale.
    pub fn enable(&mut self, instance: InstanceId) -> Result<(), SceneError> {
        let enable = |slot: &mut Slot, _: &mut Entry| slot.occupancy = Occupancy::Enabled;
        self.slots.change(instance, Change::Set, enable)
    }

    /// Hides an instance from all questions. It keeps its handle and can be changed.
    ///
    /// # Errors
    ///
    /// If the handle is stale.
    pub fn disable(&mut self, instance: InstanceId) -> Result<(), SceneError> {
        let disable = |slot: &mut Slot, _: &mut Entry| slot.occupancy = Occupancy::Disabled;
        self.slots.change(instance, Change::Set, disable)
    }

    /// Makes all changes since the last commit visible, and returns the scene as it is now.
    /// Snapshots taken before stay as they are.
    ///
    /// Takes time in proportion to what has changed and to what is moving. Now and then it takes
    /// longer: when a 256th of the instances is new, they are put into a copy of the tree of all
    /// that stands still; when an eighth of them has changed since that was built, it is built
    /// anew. So rays take as long as in a scene that was just built, nearly.
    pub fn commit(&mut self) -> Snapshot {
        self.levels.commit(&mut self.slots);
        self.shown = show(&self.levels, &self.trees, self.shown.commit() + 1);
        self.shown.clone()
    }

    /// The scene as it was at the last commit; empty before the first.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.shown
    }

    /// How many instances there are now, disabled ones included, committed or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the handle is that of an instance, committed or not.
    #[must_use]
    pub fn contains(&self, instance: InstanceId) -> bool {
        self.slots.get(instance).is_ok()
    }

    /// The handles of all instances as they are now, disabled ones included, committed or not, in
    /// order.
    pub fn instances(&self) -> impl Iterator<Item = InstanceId> + '_ {
        self.slots.ids()
    }

    /// The first instance with a name, in the order of handles; `None` if there is none. Takes time
    /// in proportion to the number of instances.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<InstanceId> {
        self.instances().find(|&id| self.slots.name(id).is_ok_and(|found| found == name))
    }

    /// All that is known of an instance as it is now, committed or not: inserted elsewhere, it
    /// gives another such instance.
    ///
    /// # Errors
    ///
    /// If the handle is stale.
    pub fn instance(&self, instance: InstanceId) -> Result<Instance, SceneError> {
        let &Entry { transform, tree, mask, user_id, .. } = self.slots.get(instance)?;
        let (bvh, transform) = (self.trees.get(tree).clone(), transform.transform());
        let name = self.slots.name(instance)?.to_owned();
        Ok(Instance { bvh, transform, mask, user_id, name })
    }

    /// Whether questions see an instance, once that is committed: it is not
    /// [disabled](Self::disable).
    ///
    /// # Errors
    ///
    /// If the handle is stale.
    pub fn is_enabled(&self, instance: InstanceId) -> Result<bool, SceneError> {
        self.slots.is_enabled(instance)
    }

    /// The tree of an instance as it is now, committed or not.
    ///
    /// # Errors
    ///
    /// If the handle is stale.
    pub fn bvh(&self, instance: InstanceId) -> Result<&Bvh, SceneError> {
        Ok(self.trees.get(self.slots.get(instance)?.tree))
    }

    /// The number of an instance's tree: instances that share their tree have the same. In a scene
    /// that was just read from a file, trees are numbered as in the file.
    ///
    /// # Errors
    ///
    /// If the handle is stale.
    pub fn tree_number(&self, instance: InstanceId) -> Result<u32, SceneError> {
        Ok(self.slots.get(instance)?.tree)
    }

    /// Where an instance is now, committed or not.
    ///
    /// # Errors
    ///
    /// If the handle is stale.
    pub fn transform(&self, instance: InstanceId) -> Result<Affine3A, SceneError> {
        Ok(self.slots.get(instance)?.transform.transform())
    }
}

/// The number of instances, and what was last committed.
impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scene")
            .field("instances", &self.len())
            .field("shown", &self.shown)
            .finish_non_exhaustive()
    }
}

fn show(levels: &Levels, trees: &Trees, commit: u64) -> Snapshot {
    let (levels, trees) = (levels.shown().clone(), trees.shown().clone());
    let facts = levels.iter().filter_map(ShownLevel::facts);
    let facts = facts.reduce(|one, other| one.merged(&other)).unwrap_or(InstanceFacts::EMPTY);
    Snapshot(Arc::new(Frame { levels, facts, trees, commit }))
}

fn place(transform: &Affine3A) -> Result<InstanceTransform, SceneError> {
    InstanceTransform::new(transform).map_err(|fault| match fault {
        TransformFault::NonFinite => {
            let message = format!("a transform must be finite, but is {transform:?}");
            SceneError::new(SceneErrorKind::NonFinite, message)
        }
        TransformFault::Singular => {
            let message = format!("a transform must be invertible, but is {transform:?}");
            SceneError::new(SceneErrorKind::Singular, message)
        }
    })
}
