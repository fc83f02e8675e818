//! The subtrees that a walk has put off.

use std::mem::MaybeUninit;

use super::descend::NODES_AT_ONCE;
use super::prefetch::prefetch_child;
use crate::bvh::{LEAF, MAX_DEPTH, TreeView, WIDTH};
use crate::simd::{Entry, Isa, SORTED, last_key, sort_children};

/// Enough for every tree that passes validation, and no more. Who is put off lies no deeper in the tree than who is
/// put off later, and the last are met first. So nodes of a level are met when there is nobody of the level below
/// but who is met along with them: their children are then all that there are on that. At most [`NODES_AT_ONCE`] are met at a
/// time, and each such step leaves that much more than it takes away; but the root is alone.
const STACK: usize = (MAX_DEPTH as usize - 1) * NODES_AT_ONCE * (WIDTH - 1) + WIDTH;

/// Where the entries are kept: as many, and those that are written at once whether they are there or not.
pub(crate) type Room = [MaybeUninit<Entry>; STACK + WIDTH];

/// The subtrees to come back to, the nearest of each node's last.
pub(crate) struct Stack<'a> {
    entries: &'a mut Room,
    top: &'a mut usize,
}

impl<'a> Stack<'a> {
    pub(crate) fn room() -> Room {
        [const { MaybeUninit::uninit() }; STACK + WIDTH]
    }

    /// An empty one. Its height is apart from the entries, or it would live in memory as they do.
    #[inline(always)]
    pub(crate) fn new(entries: &'a mut Room, top: &'a mut usize) -> Self {
        Self { entries, top }
    }

    /// Takes the children of a node whose bits are set: keeps all but the nearest, and returns the lane of
    /// that; or, unordered, the last, for the bake puts the cheapest there.
    ///
    /// # Safety
    /// The walk is that of a valid tree. The mask has one bit at least, and none past those of lanes.
    #[inline(always)]
    pub(crate) unsafe fn push_rest(
        &mut self,
        mut mask: u32,
        enter: &[f32; WIDTH],
        ordered: bool,
        child: impl Fn(usize) -> u32,
    ) -> usize {
        debug_assert!(mask != 0 && mask < 1 << WIDTH);
        let mut first;
        if ordered {
            first = mask.trailing_zeros() as usize;
            mask &= mask - 1;
        } else {
            first = 31 - mask.leading_zeros() as usize;
            mask ^= 1 << first;
        }
        // SAFETY: the caller's mask has no bits past the lanes.
        let enters = |lane: usize| unsafe { enter.get_unchecked(lane).to_bits() as i32 };
        let mut soonest = enters(first);
        let floor = *self.top;
        while mask != 0 {
            let mut lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            let mut t = enters(lane);
            if ordered && t < soonest {
                std::mem::swap(&mut t, &mut soonest);
                std::mem::swap(&mut lane, &mut first);
            }
            let entry = Entry { key: t, child: child(lane) };
            let mut at = *self.top;
            // SAFETY: a valid tree's walk holds at most `STACK` entries, and those below `top` are
            // written.
            unsafe {
                while ordered && at > floor {
                    let below = self.entries.get_unchecked(at - 1).assume_init();
                    if below.key >= entry.key {
                        break;
                    }
                    self.entries.get_unchecked_mut(at).write(below);
                    at -= 1;
                }
                self.entries.get_unchecked_mut(at).write(entry);
            }
            *self.top += 1;
        }
        first
    }

    /// As [`push_rest`](Self::push_rest), ordered, in more steps and without branches: the nearest child itself.
    ///
    /// # Safety
    /// As for `push_rest`.
    #[inline(always)]
    pub(crate) unsafe fn push_and_pop<I: Isa>(
        &mut self,
        isa: I,
        mask: u32,
        enter: &[f32; WIDTH],
        child: &[u32; WIDTH],
    ) -> u32 {
        debug_assert!(mask != 0);
        // SAFETY: as the mask has a bit, an entry has just been written on top.
        unsafe {
            self.push_all(isa, mask, enter, child, true);
            *self.top -= 1;
            self.entries.get_unchecked(*self.top).assume_init_ref().child
        }
    }

    /// Puts off all children of a node whose bits are set, the nearest last; or, unordered, as they come.
    ///
    /// # Safety
    /// The walk is that of a valid tree. The mask has no bits past those of lanes.
    #[inline(always)]
    pub(crate) unsafe fn push_all<I: Isa>(
        &mut self,
        isa: I,
        mask: u32,
        enter: &[f32; WIDTH],
        child: &[u32; WIDTH],
        ordered: bool,
    ) {
        debug_assert!(mask < 1 << WIDTH);
        debug_assert!(*self.top + mask.count_ones() as usize <= STACK);
        let entries = self.entries.as_mut_ptr();
        // SAFETY: below the top are at most `STACK` entries of a valid tree's walk, and the room is
        // `WIDTH` longer: for all that may be written at once. As many as there are bits are.
        unsafe {
            let to = entries.add(*self.top);
            if mask.count_ones() as usize > SORTED {
                push_many(enter, child, mask, &mut *to.cast());
            } else if ordered {
                isa.sort_children(enter, child, mask, &mut *to.cast());
            } else {
                isa.list_children(child, mask, &mut *to.cast());
            }
        }
        *self.top += mask.count_ones() as usize;
    }

    /// The last subtree, if it begins with a node and the ray enters it at `t_max` at the latest, or hardly later;
    /// `t_max` is not minus zero.
    ///
    /// # Safety
    /// The walk is that of a valid tree.
    #[inline(always)]
    pub(crate) unsafe fn pop_node(&mut self, t_max: f32) -> Option<u32> {
        // SAFETY: `last` asks for no more than this function does.
        let entry = unsafe { self.last() }?;
        if entry.key <= last_key(t_max) && entry.child & LEAF == 0 {
            let child = entry.child;
            *self.top -= 1;
            Some(child)
        } else {
            None
        }
    }

    /// Asks memory for the last subtree's node or leaf block, if there is one.
    ///
    /// # Safety
    /// The walk is that of this tree, and it is valid.
    #[inline(always)]
    pub(crate) unsafe fn prefetch_top(&self, tree: &TreeView<'_>) {
        // SAFETY: the caller's walk is what `last` asks for.
        if let Some(entry) = unsafe { self.last() } {
            prefetch_child(tree, entry.child);
        }
    }

    /// The last entry.
    ///
    /// # Safety
    /// The walk is that of a valid tree.
    #[inline(always)]
    unsafe fn last(&self) -> Option<&Entry> {
        let last = self.top.checked_sub(1)?;
        // SAFETY: the top is not past `STACK`, and all below it is written.
        Some(unsafe { self.entries.get_unchecked(last).assume_init_ref() })
    }

    /// The last subtree that the ray enters at `t_max` at the latest, or hardly later; `t_max` is not minus zero.
    ///
    /// # Safety
    /// The walk is that of a valid tree.
    #[inline(always)]
    pub(crate) unsafe fn pop(&mut self, t_max: f32) -> Option<u32> {
        let last = last_key(t_max);
        while *self.top > 0 {
            *self.top -= 1;
            // SAFETY: entries below the old `top` are written.
            let entry = unsafe { self.entries.get_unchecked(*self.top).assume_init_ref() };
            if entry.key <= last {
                return Some(entry.child);
            }
        }
        None
    }
}

/// More children than vectors sort, in plain code.
#[cold]
#[inline(never)]
fn push_many(
    enter: &[f32; WIDTH],
    child: &[u32; WIDTH],
    mask: u32,
    to: &mut [MaybeUninit<Entry>; WIDTH],
) {
    sort_children(enter, child, mask, to);
}
