//! The instances of a scene as its owner changes them, by handle.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::num::NonZeroU32;
use std::sync::Arc;

use super::body::Body;
use super::volumes::Volumes;
use crate::error::{SceneError, SceneErrorKind};
use crate::geometry::{Aabb, InstanceTransform, Volume};
use crate::platform::prefetch_slice;
use crate::traverse::{InstanceId, NUMBER, PlacedInstance};

/// An instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) transform: InstanceTransform,
    /// The number of its tree in [`Trees`](super::trees::Trees), or of its volume in [`Volumes`].
    pub(super) body: u32,
    pub(super) mask: u32,
    pub(super) user_id: u64,
}

/// What stands at the instances in a place: always the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Tree,
    Volume,
}
const KINDS: usize = 2;

impl Kind {
    pub(super) fn of(body: &Body) -> Self {
        match body {
            Body::Bvh(_) => Self::Tree,
            Body::Volume(_) => Self::Volume,
        }
    }
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
    /// It is new or removed, or something else than its transform and its body changed.
    Set,
    /// It has another transform or another body, and so another box.
    Moved,
}

/// Whether a place for an instance has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occupancy {
    Free,
    Disabled,
    Enabled,
}

/// A place for an instance: what a commit looks at. It goes through these many times, so they are
/// small, and apart from the instances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    generation: NonZeroU32,
    pub(super) kind: Kind,
    pub(super) occupancy: Occupancy,
    pub(super) change: Change,
    pub(super) place: Option<Place>,
    /// The commit in which it last moved.
    pub(super) moved_at: u64,
    /// How often it has moved since it last rested.
    pub(super) moves: u8,
    /// The box of its triangles, or of its volume, in the world.
    pub(super) bounds: Aabb,
}

impl Slot {
    /// Whether snapshots show the instance.
    pub(super) fn is_shown(&self) -> bool {
        self.occupancy == Occupancy::Enabled && !self.bounds.is_empty()
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    slots: Vec<Slot>,
    /// The instance in each; anything where there is none.
    entries: Vec<Entry>,
    pub(super) volumes: Volumes,
    /// The names of instances that have one, by place.
    names: HashMap<u32, Arc<str>>,
    /// Places of each kind that are free, lowest first: so handles depend on the order of calls
    /// only.
    free: [BinaryHeap<Reverse<u32>>; KINDS],
    /// Those with a [`Change`].
    changed: [Vec<u32>; KINDS],
    len: usize,
}

impl Slots {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Checks that there is room for more instances.
    pub(super) fn check_room(&self, more: usize) -> Result<(), SceneError> {
        let free: usize = self.free.iter().map(BinaryHeap::len).sum();
        if self.slots.len() - free + more > MAX_INSTANCES as usize {
            let message = format!("a scene holds at most {MAX_INSTANCES} instances");
            return Err(SceneError::new(SceneErrorKind::TooLarge, message));
        }
        Ok(())
    }

    /// Puts an instance into the lowest place of its kind that is free. There must be room.
    pub(super) fn insert(
        &mut self,
        kind: Kind,
        entry: Entry,
        bounds: Aabb,
        name: Option<Arc<str>>,
    ) -> InstanceId {
        let slot = match self.free[kind as usize].pop() {
            Some(Reverse(slot)) => {
                self.entries[slot as usize] = entry;
                slot
            }
            None => {
                self.slots.push(Slot {
                    generation: NonZeroU32::MIN,
                    kind,
                    occupancy: Occupancy::Free,
                    change: Change::None,
                    place: None,
                    moved_at: 0,
                    moves: 0,
                    bounds,
                });
                self.entries.push(entry);
                self.slots.len() as u32 - 1
            }
        };
        let place = &mut self.slots[slot as usize];
        (place.occupancy, place.bounds) = (Occupancy::Enabled, bounds);
        place.moves = 0;
        let id = InstanceId { slot, generation: place.generation };
        if let Some(name) = name {
            self.names.insert(slot, name);
        }
        self.len += 1;
        self.mark(slot, Change::Set);
        id
    }

    /// Takes an instance out. Its handle is stale from now on.
    pub(super) fn remove(&mut self, id: InstanceId) -> Result<(Kind, Entry), SceneError> {
        let (kind, &entry) = self.get(id)?;
        let slot = &mut self.slots[id.slot as usize];
        slot.occupancy = Occupancy::Free;
        self.names.remove(&id.slot);
        // A place whose generations are used up stays empty.
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free[kind as usize].push(Reverse(id.slot));
        }
        self.len -= 1;
        self.mark(id.slot, Change::Set);
        Ok((kind, entry))
    }

    /// The place of an instance, if it is there.
    fn find(&self, id: InstanceId) -> Result<usize, SceneError> {
        let at = id.slot as usize;
        let slot = self.slots.get(at).filter(|slot| slot.generation == id.generation);
        let is_there = slot.is_some_and(|slot| slot.occupancy != Occupancy::Free);
        if is_there { Ok(at) } else { Err(stale(id)) }
    }

    pub(super) fn get(&self, id: InstanceId) -> Result<(Kind, &Entry), SceneError> {
        let at = self.find(id)?;
        Ok((self.slots[at].kind, &self.entries[at]))
    }

    /// Gives an instance a name.
    pub(super) fn set_name(&mut self, id: InstanceId, name: &str) -> Result<(), SceneError> {
        self.find(id)?;
        match shared_name(name)? {
            Some(name) => self.names.insert(id.slot, name),
            None => self.names.remove(&id.slot),
        };
        self.mark(id.slot, Change::Set);
        Ok(())
    }

    pub(super) fn name(&self, id: InstanceId) -> Result<&str, SceneError> {
        self.find(id)?;
        Ok(self.names.get(&id.slot).map_or("", |name| name))
    }

    /// The names of the instances in some places, each with its number in that order.
    pub(super) fn names_of(&self, slots: impl Iterator<Item = u32>) -> Vec<(u32, Arc<str>)> {
        if self.names.is_empty() {
            return Vec::new();
        }
        let name = |(slot, number)| Some((number, self.names.get(&slot)?.clone()));
        slots.zip(0..).filter_map(name).collect()
    }

    pub(super) fn is_enabled(&self, id: InstanceId) -> Result<bool, SceneError> {
        Ok(self.slots[self.find(id)?].occupancy == Occupancy::Enabled)
    }

    /// The handles of all instances, in order.
    pub(super) fn ids(&self) -> impl Iterator<Item = InstanceId> + '_ {
        let there =
            self.slots.iter().zip(0..).filter(|(slot, _)| slot.occupancy != Occupancy::Free);
        there.map(|(slot, number)| InstanceId { slot: number, generation: slot.generation })
    }

    /// Changes an instance.
    pub(super) fn change(
        &mut self,
        id: InstanceId,
        change: Change,
        with: impl FnOnce(&mut Slot, &mut Entry, &mut Volumes),
    ) -> Result<(), SceneError> {
        let at = self.find(id)?;
        with(&mut self.slots[at], &mut self.entries[at], &mut self.volumes);
        self.mark(id.slot, change);
        Ok(())
    }

    fn mark(&mut self, slot: u32, change: Change) {
        let Slot { kind, change: marked, .. } = &mut self.slots[slot as usize];
        if *marked == Change::None {
            self.changed[*kind as usize].push(slot);
        }
        *marked = change.max(*marked);
    }

    /// The places of a kind that changed since this was last asked.
    pub(super) fn take_changed(&mut self, kind: Kind) -> Vec<u32> {
        std::mem::take(&mut self.changed[kind as usize])
    }

    /// The places of instances of a kind that snapshots show.
    pub(super) fn shown(&self, kind: Kind) -> impl Iterator<Item = u32> + '_ {
        let is_shown = move |slot: &Slot| slot.kind == kind && slot.is_shown();
        self.slots.iter().zip(0..).filter(move |(slot, _)| is_shown(slot)).map(|(_, n)| n)
    }

    pub(super) fn slot(&self, slot: u32) -> &Slot {
        &self.slots[slot as usize]
    }

    pub(super) fn slot_mut(&mut self, slot: u32) -> &mut Slot {
        &mut self.slots[slot as usize]
    }

    /// Prefetches what [`placed`](Self::placed) reads.
    pub(super) fn prefetch(&self, slot: u32) {
        prefetch_slice(&self.entries[slot as usize..][..1]);
    }

    /// What a snapshot shows of an instance.
    pub(super) fn placed(&self, slot: u32) -> PlacedInstance {
        let id = InstanceId { slot, generation: self.slots[slot as usize].generation };
        let &Entry { transform, body, mask, user_id } = &self.entries[slot as usize];
        PlacedInstance { transform, tree: body, mask, user_id, id }
    }

    /// The volume of an instance, in the world.
    pub(super) fn placed_volume(&self, slot: u32) -> Volume {
        self.volumes.get(self.entries[slot as usize].body).placed
    }
}

/// The leaves of a tree are numbered with 30 bits.
pub(super) const MAX_INSTANCES: u32 = 1 << 30;
const _: () = assert!(MAX_INSTANCES - 1 <= NUMBER);
/// The most bytes of a name.
pub(super) const MAX_NAME: usize = (1 << 16) - 1;

/// A name as it is stored: `None` if it is empty.
pub(super) fn shared_name(name: &str) -> Result<Option<Arc<str>>, SceneError> {
    if name.len() > MAX_NAME {
        let message = format!("a name has at most {MAX_NAME} bytes, not {}", name.len());
        return Err(SceneError::new(SceneErrorKind::TooLarge, message));
    }
    Ok((!name.is_empty()).then(|| name.into()))
}

#[cold]
fn stale(id: InstanceId) -> SceneError {
    let message = format!("{id:?} is not the handle of an instance of this scene, or no longer");
    SceneError::new(SceneErrorKind::StaleHandle, message)
}
