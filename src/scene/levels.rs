//! The trees of a scene: one of what moves, one of what is new, one of all that stands still.
//!
//! A commit builds the small ones anew. So it costs what has changed, and not what is there:
//!
//! - What moves goes to the first tree. When more than half of it has rested for [`REST`] commits,
//!   that goes on to the second.
//! - What is new, or changed otherwise, goes to the second.
//! - When the second has more than a [part](NEW_PART) of the third, both become one. So does the
//!   third when a [part](GONE_PART) of it has gone: then it is built anew without.
//!
//! What leaves the third tree is only marked. Which tree an instance is in changes no answer.

use super::build::{Item, build};
use super::instance_tree::{InstanceTree, ShownLevel};
use super::slots::{Change, Place, Slots};
use crate::platform::parallel;

/// The trees.
const MOVING: u8 = 0;
const NEW: u8 = 1;
const STILL: u8 = 2;
pub(super) const LEVELS: usize = 3;

/// The commits after which what has not moved counts as resting.
const REST: u64 = 16;
/// The most instances of the second tree; or a part of those of the third, if that is more.
const MIN_NEW: usize = 256;
const NEW_PART: usize = 64;
/// At most this part of the third is gone.
const GONE_PART: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct Levels {
    shown: [ShownLevel; LEVELS],
    commits: u64,
}

impl Default for Levels {
    fn default() -> Self {
        let shown = [(); LEVELS].map(|()| ShownLevel::new(InstanceTree::default()));
        Self { shown, commits: 0 }
    }
}

impl Levels {
    pub(super) fn shown(&self) -> &[ShownLevel; LEVELS] {
        &self.shown
    }

    /// Brings the trees up to date with what has changed.
    pub(super) fn commit(&mut self, slots: &mut Slots) {
        self.commits += 1;
        let changed = slots.take_changed();
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
                let moves = change == Change::Moved && before.is_some();
                if moves {
                    slot.moved_at = self.commits;
                }
                let stays = before.is_some_and(|place| place.level == MOVING);
                added[if moves || stays { MOVING } else { NEW } as usize].push(number);
            }
        }

        if left[MOVING as usize] > 0 || !added[MOVING as usize].is_empty() {
            let mut moving = self.members(slots, MOVING, left[MOVING as usize]);
            moving.append(&mut added[MOVING as usize]);
            let rests = |&number: &u32| slots.slot(number).moved_at + REST <= self.commits;
            if 2 * moving.iter().filter(|number| rests(number)).count() > moving.len() {
                added[NEW as usize].extend(moving.iter().copied().filter(rests));
                moving.retain(|number| !rests(number));
            }
            self.build(slots, MOVING, moving);
        }
        if left[NEW as usize] > 0 || !added[NEW as usize].is_empty() {
            let mut new = self.members(slots, NEW, left[NEW as usize]);
            new.append(&mut added[NEW as usize]);
            let still = self.shown[STILL as usize].tree.instances().len();
            if new.len() > MIN_NEW.max(still / NEW_PART) {
                let mut all = self.members(slots, STILL, 0);
                all.append(&mut new);
                self.build(slots, STILL, all);
            }
            self.build(slots, NEW, new);
        }
        let still = &self.shown[STILL as usize];
        if still.gone() * GONE_PART > still.tree.instances().len() {
            let still = self.members(slots, STILL, 0);
            self.build(slots, STILL, still);
        }
    }

    /// The instances that are still in a tree, which this many at least have left.
    fn members(&self, slots: &Slots, level: u8, left: usize) -> Vec<u32> {
        let instances = self.shown[level as usize].tree.instances();
        if left == instances.len() {
            return Vec::new();
        }
        let instances = instances.iter().zip(0..);
        let members = instances.filter_map(|(instance, leaf)| {
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
        self.shown[level as usize] = ShownLevel::new(InstanceTree::new(nodes, instances, names));
    }
}
