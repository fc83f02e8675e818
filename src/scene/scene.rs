//! The scene itself: what its owner changes.

use std::fmt;
use std::sync::{Arc, OnceLock};

use glam::Affine3A;

use super::body::{Body, PlacedBody};
use super::instance::Instance;
use super::instance_tree::ShownLevels;
use super::levels::Levels;
use super::slots::{Change, Entry, Kind, Occupancy, Slots, shared_name};
use super::snapshot::{Frame, Snapshot};
use super::trees::Trees;
use crate::bvh::Bvh;
use crate::error::{SceneError, SceneErrorKind};
use crate::geometry::{InstanceTransform, TransformFault, Volume};
use crate::platform::parallel;
use crate::traverse::InstanceId;

/// Trees and volumes that stand in many places, and move.
///
/// Changes are made through handles and take effect together at [`commit`](Self::commit). Until
/// then all questions see the scene of the last one. See [`scene`](crate::scene) for an overview.
#[derive(Clone)]
pub struct Scene {
    slots: Slots,
    trees: Trees,
    tree_levels: Levels,
    volume_levels: Levels,
    shown: Snapshot,
}

impl Default for Scene {
    fn default() -> Self {
        let (slots, trees) = (Slots::default(), Trees::default());
        let [tree_levels, volume_levels] = [Kind::Tree, Kind::Volume].map(Levels::new);
        let shown = show([&tree_levels, &volume_levels], &trees, 0);
        Self { slots, trees, tree_levels, volume_levels, shown }
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
    /// a volume is empty or not finite (see [`SceneErrorKind::InvalidVolume`]), if the name has
    /// more than 65,535 bytes, or if there are 2^30 instances.
    pub fn insert(&mut self, instance: Instance) -> Result<InstanceId, SceneError> {
        self.slots.check_room(1)?;
        let placed = placed(&instance)?;
        Ok(self.put(&instance, placed))
    }

    /// Puts many instances into the scene at once, on all threads, and returns their handles: the
    /// same as [`insert`](Self::insert) of each in turn.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert), of the first that is wrong. Then none is put in.
    pub fn insert_many(&mut self, instances: &[Instance]) -> Result<Vec<InstanceId>, SceneError> {
        self.slots.check_room(instances.len())?;
        let placed = parallel::map_small(instances, |_, instance| placed(instance));
        let placed: Result<Vec<_>, _> = placed.into_iter().collect();
        let put = |(instance, placed): (&Instance, _)| self.put(instance, placed);
        Ok(instances.iter().zip(placed?).map(put).collect())
    }

    /// Puts in an instance that stands as this says. There must be room.
    fn put(&mut self, instance: &Instance, placed: Placed) -> InstanceId {
        let Placed { transform, placed_body, name } = placed;
        let &Instance { ref body, mask, user_id, .. } = instance;
        let kind = Kind::of(body);
        let body = self.add_body(body, &placed_body);
        self.slots.insert(kind, Entry { transform, body, mask, user_id }, placed_body.bounds, name)
    }

    /// The number of a body, for one more instance.
    fn add_body(&mut self, body: &Body, placed: &PlacedBody) -> u32 {
        match body {
            Body::Bvh(bvh) => self.trees.add(bvh),
            Body::Volume(local) => self.slots.volumes.add(*local, placed),
        }
    }

    /// An instance no longer has this body.
    fn remove_body(&mut self, kind: Kind, number: u32) {
        match kind {
            Kind::Tree => self.trees.remove(number),
            Kind::Volume => self.slots.volumes.remove(number),
        }
    }

    /// Takes an instance out of the scene. Its handle is stale from now on, although it is shown
    /// until the next commit. Takes logarithmic time.
    ///
    /// # Errors
    ///
    /// If the handle is stale.
    pub fn remove(&mut self, instance: InstanceId) -> Result<(), SceneError> {
        let (kind, entry) = self.slots.remove(instance)?;
        self.remove_body(kind, entry.body);
        Ok(())
    }

    /// Moves an instance. Takes constant time.
    ///
    /// # Errors
    ///
    /// If the handle is stale, or the transform or the volume is as in [`insert`](Self::insert).
    pub fn set_transform(
        &mut self,
        instance: InstanceId,
        transform: Affine3A,
    ) -> Result<(), SceneError> {
        // By reference, here and below: 10,000 moves take 8 % less time without the copies.
        let placed = InstanceTransform::new(&transform);
        let placed = placed.as_ref().map_err(|&fault| refused(fault, &transform))?;
        let placed_body = self.placed_body(instance, placed)?;
        self.move_to(instance, placed, &placed_body)
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
            Ok((transform, self.placed_body(*instance, &transform)?))
        });
        let placed: Result<Vec<_>, _> = placed.into_iter().collect();
        for (&(instance, _), (transform, placed_body)) in transforms.iter().zip(&placed?) {
            self.move_to(instance, transform, placed_body)?;
        }
        Ok(())
    }

    /// How the body of an instance stands with another transform.
    fn placed_body(
        &self,
        instance: InstanceId,
        transform: &InstanceTransform,
    ) -> Result<PlacedBody, SceneError> {
        let (kind, entry) = self.slots.get(instance)?;
        match kind {
            Kind::Tree => Ok(PlacedBody::of_tree(self.trees.get(entry.body), transform)),
            Kind::Volume => {
                PlacedBody::of_volume(&self.slots.volumes.get(entry.body).local, transform)
            }
        }
    }

    /// Moves an instance, so that it stands as this says.
    fn move_to(
        &mut self,
        instance: InstanceId,
        transform: &InstanceTransform,
        placed_body: &PlacedBody,
    ) -> Result<(), SceneError> {
        self.slots.change(instance, Change::Moved, |slot, entry, volumes| {
            (entry.transform, slot.bounds) = (*transform, placed_body.bounds);
            if slot.kind == Kind::Volume {
                volumes.set_placed(entry.body, placed_body);
            }
        })
    }

    /// Puts another tree in the place of one: a [refitted](crate::scene#trees-that-are-refitted)
    /// one, or a broken window. Or another volume in the place of one. The instance keeps its
    /// handle, and gets the box of the other body. Takes constant time, as a move. If it is
    /// replaced again and again, it counts as moving.
    ///
    /// # Errors
    ///
    /// If the handle is stale; or if one is a tree and the other a volume, or the volume is as in
    /// [`insert`](Self::insert).
    pub fn replace(
        &mut self,
        instance: InstanceId,
        body: impl Into<Body>,
    ) -> Result<(), SceneError> {
        let (kind, &Entry { transform, body: before, .. }) = self.slots.get(instance)?;
        let body = body.into();
        if Kind::of(&body) != kind {
            return Err(wrong_body(kind));
        }
        let placed_body = PlacedBody::of(&body, &transform)?;
        // In this order, for it may be the same tree.
        let number = self.add_body(&body, &placed_body);
        self.remove_body(kind, before);
        self.slots.change(instance, Change::Moved, |slot, entry, _| {
            (entry.body, slot.bounds) = (number, placed_body.bounds);
        })
    }

    /// Puts an instance into other layers: see [`Instance::mask`].
    ///
    /// # Errors
    ///
    /// If the handle is stale.
    pub fn set_mask(&mut self, instance: InstanceId, mask: u32) -> Result<(), SceneError> {
        self.slots.change(instance, Change::Set, |_, entry, _| entry.mask = mask)
    }

    /// Gives an instance another number of the caller's.
    ///
    /// # Errors
    ///
    /// If the handle is stale.
    pub fn set_user_id(&mut self, instance: InstanceId, user_id: u64) -> Result<(), SceneError> {
        self.slots.change(instance, Change::Set, |_, entry, _| entry.user_id = user_id)
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
        self.set_occupancy(instance, Occupancy::Enabled)
    }

    /// Hides an instance from all questions. It keeps its handle and can be changed.
    ///
    /// # Errors
    ///
    /// If the handle is stale.
    pub fn disable(&mut self, instance: InstanceId) -> Result<(), SceneError> {
        self.set_occupancy(instance, Occupancy::Disabled)
    }

    fn set_occupancy(
        &mut self,
        instance: InstanceId,
        occupancy: Occupancy,
    ) -> Result<(), SceneError> {
        self.slots.change(instance, Change::Set, |slot, _, _| slot.occupancy = occupancy)
    }

    /// Makes all changes since the last commit visible, and returns the scene as it is now.
    /// Snapshots taken before stay as they are.
    ///
    /// Takes time in proportion to the number of changed and of moving instances. Now and then it
    /// takes longer: when a 256th of the instances is new, they are put into a copy of the tree of
    /// all that stands still; when an eighth of them has changed since that was built, it is built
    /// anew. So rays take as long as in a scene that was just built, nearly.
    pub fn commit(&mut self) -> Snapshot {
        self.tree_levels.commit(&mut self.slots);
        self.volume_levels.commit(&mut self.slots);
        let levels = [&self.tree_levels, &self.volume_levels];
        self.shown = show(levels, &self.trees, self.shown.commit_number() + 1);
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

    /// Whether the handle belongs to an instance, committed or not.
    #[must_use]
    pub fn contains_instance(&self, instance: InstanceId) -> bool {
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
        let (kind, &Entry { transform, body, mask, user_id }) = self.slots.get(instance)?;
        let body = match kind {
            Kind::Tree => self.trees.get(body).into(),
            Kind::Volume => self.slots.volumes.get(body).local.into(),
        };
        let (transform, name) = (transform.transform(), self.slots.name(instance)?.to_owned());
        Ok(Instance { body, transform, mask, user_id, name })
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
    /// If the handle is stale, or a volume stands there.
    pub fn bvh(&self, instance: InstanceId) -> Result<&Bvh, SceneError> {
        Ok(self.trees.get(self.tree_number(instance)?))
    }

    /// The volume of an instance as it is now, committed or not: in the coordinates of the
    /// instance, as it was put in.
    ///
    /// # Errors
    ///
    /// If the handle is stale, or a tree stands there.
    pub fn volume(&self, instance: InstanceId) -> Result<Volume, SceneError> {
        match self.slots.get(instance)? {
            (Kind::Volume, entry) => Ok(self.slots.volumes.get(entry.body).local),
            (kind, _) => Err(wrong_body(kind)),
        }
    }

    /// The number of an instance's tree: instances that share their tree have the same. In a scene
    /// that was just read from a file, trees are numbered as in the file.
    ///
    /// # Errors
    ///
    /// If the handle is stale, or a volume stands there.
    pub fn tree_number(&self, instance: InstanceId) -> Result<u32, SceneError> {
        match self.slots.get(instance)? {
            (Kind::Tree, entry) => Ok(entry.body),
            (kind, _) => Err(wrong_body(kind)),
        }
    }

    /// Where an instance is now, committed or not.
    ///
    /// # Errors
    ///
    /// If the handle is stale.
    pub fn transform(&self, instance: InstanceId) -> Result<Affine3A, SceneError> {
        Ok(self.slots.get(instance)?.1.transform.transform())
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

fn show(levels: [&Levels; 2], trees: &Trees, commit: u64) -> Snapshot {
    let [of_trees, of_volumes] = levels.map(|levels| ShownLevels::new(levels.shown().clone()));
    let (trees, closed) = (trees.shown().clone(), OnceLock::new());
    Snapshot(Arc::new(Frame { of_trees, of_volumes, trees, closed, commit }))
}

/// An instance that has been checked, and where it stands.
struct Placed {
    transform: InstanceTransform,
    placed_body: PlacedBody,
    name: Option<Arc<str>>,
}

fn placed(instance: &Instance) -> Result<Placed, SceneError> {
    let transform = place(&instance.transform)?;
    let placed_body = PlacedBody::of(&instance.body, &transform)?;
    Ok(Placed { transform, placed_body, name: shared_name(&instance.name)? })
}

#[cold]
fn wrong_body(kind: Kind) -> SceneError {
    let message = match kind {
        Kind::Tree => "a tree stands there, not a volume",
        Kind::Volume => "a volume stands there, not a tree",
    };
    SceneError::new(SceneErrorKind::WrongBody, message)
}

fn place(transform: &Affine3A) -> Result<InstanceTransform, SceneError> {
    InstanceTransform::new(transform).map_err(|fault| refused(fault, transform))
}

#[cold]
fn refused(fault: TransformFault, transform: &Affine3A) -> SceneError {
    match fault {
        TransformFault::NonFinite => {
            let message = format!("a transform must be finite, but is {transform:?}");
            SceneError::new(SceneErrorKind::NonFinite, message)
        }
        TransformFault::Singular => {
            let message = format!("a transform must be invertible, but is {transform:?}");
            SceneError::new(SceneErrorKind::Singular, message)
        }
    }
}
