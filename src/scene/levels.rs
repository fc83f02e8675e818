//! The trees of instances of a scene: one of all that stands still, one of all that is new, one of
//! all that moves. Instances with volumes have three trees of their own.
//!
//! A commit builds the small ones anew. So its cost depends on the changes, and not on the size of
//! the scene. But rays take longer the more there is in the small ones, so the large one gets all
//! that it can:
//!
//! - An instance moves when it has changed its place [three times](MOVES), with less than
//!   [eight commits](REST) between. It rests when it has not moved for as many.
//! - What moves goes to the third tree. When more than half of that rests, it goes on to the
//!   second.
//! - Instances that are new, or changed otherwise, go to the second.
//! - When the second has more than a [part](NEW_PART) of the first, it is put into a copy of that,
//!   with all of the third that does not move in this commit.
//! - One tree of all is built when more than an [eighth](PART) would have been put into the large
//!   one since it was built, and when more than an eighth of all would be in the small ones. When
//!   more than an eighth of the large one is gone, it is built anew without.
//!
//! What leaves the first tree is only marked. Which tree an instance is in changes no answer.

use super::build::{Item, build};
use super::instance_tree::{InstanceTree, ShownLevel};
use super::slots::{Change, Kind, Place, Slots};
use crate::geometry::Volume;
use crate::platform::parallel;
use crate::traverse::LEVELS;

#[cfg(test)]
mod tests;

/// The trees, in the order in which questions go through them: most is found in the first.
const STILL: u8 = 0;
const NEW: u8 = 1;
const MOVING: u8 = 2;

/// The moves after which an instance counts as moving.
const MOVES: u8 = 3;
/// The commits after which what has not moved counts as resting.
const REST: u64 = 8;
/// The most instances of the second tree; or a part of the instances of the first, if that is more.
const MIN_NEW: usize = 16;
const NEW_PART: usize = 256;
/// At most this part of the instances is in the small trees; or has been put into the large one
/// since it was built; or is gone from it.
const PART: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct Levels {
    /// Of the instances.
    kind: Kind,
    shown: [ShownLevel; LEVELS],
    commits: u64,
    /// How many instances have been put into the first tree since it was built.
    patched: usize,
}

impl Levels {
    pub(super) fn new(kind: Kind) -> Self {
        Self { kind, shown: Default::default(), commits: 0, patched: 0 }
    }

    pub(super) fn shown(&self) -> &[ShownLevel; LEVELS] {
        &self.shown
    }

    /// Brings the trees up to date with what has changed.
    pub(super) fn commit(&mut self, slots: &mut Slots) {
        self.commits += 1;
        let changed = slots.take_changed(self.kind);
        if changed.is_empty() {
            return;
        }
        // How many have left each tree.
        let mut left = [0; LEVELS];
        let mut added: [Vec<u32>; LEVELS] = Default::default();
        for &number in &changed {
            let slot = slots.slot_mut(number);
            let change = std::mem::replace(&mut slot.change, Change::None);
            let before = slot.place.take();
            if let Some(Place { level, leaf }) = before {
                if level == STILL {
                    self.shown[STILL as usize].leave_out(leaf);
                } else {
                    left[level as usize] += 1;
                }
            }
            if slot.is_shown() {
                // What moves before it was ever shown is as good as new.
                if change == Change::Moved && before.is_some() {
                    let goes_on = slot.moved_at + REST > self.commits;
                    slot.moves = if goes_on { slot.moves.saturating_add(1) } else { 1 };
                    slot.moved_at = self.commits;
                }
                let stays = before.is_some_and(|place| place.level == MOVING);
                let moves = stays || slot.moves >= MOVES;
                added[if moves { MOVING } else { NEW } as usize].push(number);
            }
        }

        let count = |level: u8| {
            let level = level as usize;
            self.shown[level].len() - left[level] + added[level].len()
        };
        let apart = count(MOVING) + count(NEW);
        if apart * PART > apart + self.shown[STILL as usize].len() {
            self.build_all(slots);
            return;
        }
        if left[MOVING as usize] > 0 || !added[MOVING as usize].is_empty() {
            let mut moving = self.members(slots, MOVING, left[MOVING as usize]);
            moving.append(&mut added[MOVING as usize]);
            let (resting, going_on) = self.split_resting(slots, &moving, REST);
            if resting.len() > going_on.len() {
                added[NEW as usize].extend(resting);
                moving = going_on;
            }
            self.build(slots, MOVING, moving);
        }
        if left[NEW as usize] > 0 || !added[NEW as usize].is_empty() {
            let mut new = self.members(slots, NEW, left[NEW as usize]);
            new.append(&mut added[NEW as usize]);
            if new.len() > MIN_NEW.max(self.shown[STILL as usize].len() / NEW_PART) {
                let moving = self.members(slots, MOVING, 0);
                let (mut resting, going_on) = self.split_resting(slots, &moving, 1);
                new.append(&mut resting);
                if !self.put_into_still(slots, &new) {
                    self.build_all(slots);
                    return;
                }
                if going_on.len() < moving.len() {
                    self.build(slots, MOVING, going_on);
                }
                new.clear();
            }
            self.build(slots, NEW, new);
        }
        let still = &self.shown[STILL as usize];
        if still.gone() * PART > still.tree.instances().len() {
            let still = self.members(slots, STILL, 0);
            self.build(slots, STILL, still);
        }
    }

    /// Puts instances into the first tree, unless that had better be built anew.
    fn put_into_still(&mut self, slots: &mut Slots, new: &[u32]) -> bool {
        let still = &mut self.shown[STILL as usize];
        if (self.patched + new.len()) * PART > still.len() {
            return false;
        }
        let added = parallel::map_small(new, |_, &number| {
            (slots.slot(number).bounds, slots.placed(number))
        });
        let volumes = volumes_of(self.kind, slots, new.iter().copied());
        let names = slots.names_of(new.iter().copied());
        let Ok(leaves) = still.put_in(&added, &volumes, names) else { return false };
        for (&number, leaf) in new.iter().zip(leaves) {
            slots.slot_mut(number).place = Some(Place { level: STILL, leaf });
        }
        self.patched += new.len();
        true
    }

    /// Builds one tree of all instances.
    fn build_all(&mut self, slots: &mut Slots) {
        *self = Self { commits: self.commits, ..Self::new(self.kind) };
        let all = slots.shown(self.kind).collect();
        self.build(slots, STILL, all);
    }

    /// Of some instances, those that have not moved for some commits, and the others.
    fn split_resting(&self, slots: &Slots, numbers: &[u32], commits: u64) -> (Vec<u32>, Vec<u32>) {
        let rests = |&number: &u32| slots.slot(number).moved_at + commits <= self.commits;
        numbers.iter().partition(|&number| rests(number))
    }

    /// The instances that are still in a tree, which this many at least have left.
    fn members(&self, slots: &Slots, level: u8, left: usize) -> Vec<u32> {
        let shown = &self.shown[level as usize];
        if left == shown.len() {
            return Vec::new();
        }
        let members = shown.instances().filter_map(|(leaf, instance)| {
            let slot = instance.id.slot;
            (slots.slot(slot).place == Some(Place { level, leaf })).then_some(slot)
        });
        members.collect()
    }

    fn build(&mut self, slots: &mut Slots, level: u8, members: Vec<u32>) {
        let items = members.iter().map(|&slot| Item::new(&slots.slot(slot).bounds, slot));
        let mut items: Vec<_> = items.collect();
        let nodes = build(&mut items);
        for (item, leaf) in items.iter().zip(0..) {
            slots.slot_mut(item.number()).place = Some(Place { level, leaf });
        }
        let instances = parallel::map_small(&items, |leaf, item| {
            // Instances that stand near each other may lie far apart in memory.
            if let Some(ahead) = items.get(leaf + 4) {
                slots.prefetch(ahead.number());
            }
            slots.placed(item.number())
        });
        let names = slots.names_of(items.iter().map(Item::number));
        let volumes = volumes_of(self.kind, slots, items.iter().map(Item::number));
        let tree = InstanceTree::new(nodes, instances, volumes, names);
        self.shown[level as usize] = ShownLevel::new(tree);
        if level == STILL {
            self.patched = 0;
        }
    }
}

/// The volumes of the instances in these places, if they have such.
fn volumes_of(kind: Kind, slots: &Slots, places: impl Iterator<Item = u32>) -> Vec<Volume> {
    match kind {
        Kind::Tree => Vec::new(),
        Kind::Volume => places.map(|place| slots.placed_volume(place)).collect(),
    }
}
