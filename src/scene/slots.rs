//! The instances of a scene as its owner changes them, by handle.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU32;

use crate::error::{SceneError, SceneErrorKind};
use crate::geometry::{Aabb, InstanceTransform};
use crate::traverse::{InstanceId, PlacedTree};

/// An instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) transform: InstanceTransform,
    /// The box of its triangles in the world.
    pub(super) bounds: Aabb,
    /// Its number in [`Trees`](super::trees::Trees).
    pub(super) tree: u32,
    pub(super) mask: u32,
    pub(super) user_id: u64,
    pub(super) is_enabled: bool,
}

/// Where an instance is in the trees that snapshots show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) level: u8,
    pub(super) leaf: u32,
}

/// How an instance has changed since the last commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    None,
    /// It is new or removed, or something else than its transform changed.
    Set,
    Moved,
}

/// A place for an instance.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    generation: NonZeroU32,
    pub(super) entry: Option<Entry>,
    pub(super) place: Option<Place>,
    pub(super) change: Change,
    /// The commit in which it last moved.
    pub(super) moved_at: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    slots: Vec<Slot>,
    /// Places that are free, lowest first: so handles depend on the order of calls only.
    free: BinaryHeap<Reverse<u32>>,
    /// Those with a [`Change`].
    changed: Vec<u32>,
    len: usize,
}

impl Slots {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Puts an instance into the lowest free place.
    pub(super) fn insert(&mut self, entry: Entry) -> Result<InstanceId, SceneError> {
        let slot = match self.free.pop() {
            Some(Reverse(slot)) => slot,
            None => {
                let slot = self.slots.len() as u32;
                if slot >= MAX_INSTANCES {
                    let message = format!("a scene holds at most {MAX_INSTANCES} instances");
                    return Err(SceneError::new(SceneErrorKind::TooLarge, message));
                }
                let (generation, change) = (NonZeroU32::MIN, Change::None);
                self.slots.push(Slot { generation, entry: None, place: None, change, moved_at: 0 });
                slot
            }
        };
        self.slots[slot as usize].entry = Some(entry);
        self.len += 1;
        self.mark(slot, Change::Set);
        Ok(InstanceId { slot, generation: self.slots[slot as usize].generation })
    }

    /// Takes an instance out. Its handle is stale from now on.
    pub(super) fn remove(&mut self, id: InstanceId) -> Result<Entry, SceneError> {
        let entry = *self.get(id)?;
        let slot = &mut self.slots[id.slot as usize];
        slot.entry = None;
        // A place whose generations are used up stays empty.
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free.push(Reverse(id.slot));
        }
        self.len -= 1;
        self.mark(id.slot, Change::Set);
        Ok(entry)
    }

    pub(super) fn get(&self, id: InstanceId) -> Result<&Entry, SceneError> {
        let slot = self.slots.get(id.slot as usize);
        let slot = slot.filter(|slot| slot.generation == id.generation);
        slot.and_then(|slot| slot.entry.as_ref()).ok_or_else(|| stale(id))
    }

    /// Changes an instance.
    pub(super) fn change(
        &mut self,
        id: InstanceId,
        change: Change,
        with: impl FnOnce(&mut Entry),
    ) -> Result<(), SceneError> {
        self.get(id)?;
        if let Some(entry) = &mut self.slots[id.slot as usize].entry {
            with(entry);
        }
        self.mark(id.slot, change);
        Ok(())
    }

    fn mark(&mut self, slot: u32, change: Change) {
        let marked = &mut self.slots[slot as usize].change;
        if *marked == Change::None {
            self.changed.push(slot);
        }
        *marked = change.max(*marked);
    }

    /// The places that changed since this was last asked.
    pub(super) fn take_changed(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.changed)
    }

    pub(super) fn slot(&self, slot: u32) -> &Slot {
        &self.slots[slot as usize]
    }

    pub(super) fn slot_mut(&mut self, slot: u32) -> &mut Slot {
        &mut self.slots[slot as usize]
    }

    /// What a snapshot shows of an instance that is there.
    pub(super) fn placed(&self, slot: u32) -> Option<PlacedTree> {
        let Slot { generation, entry, .. } = &self.slots[slot as usize];
        let &Entry { transform, tree, mask, user_id, .. } = entry.as_ref()?;
        let id = InstanceId { slot, generation: *generation };
        Some(PlacedTree { transform, tree, mask, user_id, id })
    }
}

/// The leaves of a tree are numbered with 31 bits.
const MAX_INSTANCES: u32 = 1 << 30;

#[cold]
fn stale(id: InstanceId) -> SceneError {
    let message = format!("{id:?} is not the handle of an instance of this scene, or no longer");
    SceneError::new(SceneErrorKind::StaleHandle, message)
}
