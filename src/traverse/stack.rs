//! The subtrees that a walk has put off.

use std::mem::MaybeUninit;

use super::prefetch::prefetch_node;
use crate::bvh::{LEAF, MAX_DEPTH, Node, WIDTH};
use crate::simd::{Entry, Isa, SORTED, last_key, sort_children};

/// The most nodes that are tested side by side.
pub(crate) const NODES_AT_ONCE: usize = 3;

/// Entries enough for every valid tree.
///
/// Lemma 20 (height of the stack). An entry never lies deeper in the tree than one pushed after it,
/// and the last is popped first. So when nodes of a level are tested, nothing of the level below is
/// on the stack but the nodes that are tested with them: their children are all that there are of
/// that level. Each step tests at most [`NODES_AT_ONCE`] nodes and pushes `WIDTH` children for
/// each, in place of the nodes themselves. The root is tested alone.
const STACK: usize = (MAX_DEPTH as usize - 1) * NODES_AT_ONCE * (WIDTH - 1) + WIDTH;

/// Room for the entries, and for those past the top that a vector writes along with them.
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

    /// An empty one. Its height is apart from the entries, so that it can stay in a register.
    #[inline(always)]
    pub(crate) fn new(entries: &'a mut Room, top: &'a mut usize) -> Self {
        Self { entries, top }
    }

    /// Pushes the children of a node whose bits are set, all but the nearest, and gives the lane of
    /// that; or, unordered, of the last, where the bake puts the cheapest.
    ///
    /// # Safety
    /// The walk goes through a valid tree. The mask has one bit at least, and none past the bits of
    /// lanes.
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

    /// As [`push_rest`](Self::push_rest), ordered, with more instructions and without branches:
    /// the nearest child itself.
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

    /// Pushes all children of a node whose bits are set, the nearest last; or, unordered, as they
    /// come.
    ///
    /// # Safety
    /// The walk goes through a valid tree. The mask has no bits past the bits of lanes.
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
        // SAFETY: a valid tree's walk has at most `STACK` entries (Lemma 20), and the room is
        // `WIDTH` longer, for all that may be written at once. One entry for each bit is written.
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

    /// Pops the last subtree if it begins with a node and is entered at `limit` at the latest, or
    /// hardly later. `limit` is not minus zero.
    ///
    /// # Safety
    /// The walk goes through a valid tree.
    #[inline(always)]
    pub(crate) unsafe fn pop_node(&mut self, limit: f32) -> Option<u32> {
        // SAFETY: `last` asks for no more than this function does.
        let entry = unsafe { self.last() }?;
        if entry.key <= last_key(limit) && entry.child & LEAF == 0 {
            let child = entry.child;
            *self.top -= 1;
            Some(child)
        } else {
            None
        }
    }

    /// Prefetches the node or leaf block of the last subtree, if there is one.
    ///
    /// # Safety
    /// The walk goes through the valid tree with these nodes.
    #[inline(always)]
    pub(crate) unsafe fn prefetch_top(&self, nodes: &[Node], prefetch_leaf: impl FnOnce(u32)) {
        // SAFETY: the caller's walk is what `last` asks for.
        if let Some(entry) = unsafe { self.last() } {
            if entry.child & LEAF != 0 {
                prefetch_leaf(entry.child & !LEAF);
            } else {
                prefetch_node(nodes, entry.child);
            }
        }
    }

    /// The last entry.
    ///
    /// # Safety
    /// The walk goes through a valid tree.
    #[inline(always)]
    unsafe fn last(&self) -> Option<&Entry> {
        let last = self.top.checked_sub(1)?;
        // SAFETY: the top is not past `STACK`, and all below it is written.
        Some(unsafe { self.entries.get_unchecked(last).assume_init_ref() })
    }

    /// Pops subtrees up to one that is entered at `limit` at the latest, or hardly later. `limit`
    /// is not minus zero.
    ///
    /// # Safety
    /// The walk goes through a valid tree.
    #[inline(always)]
    pub(crate) unsafe fn pop(&mut self, limit: f32) -> Option<u32> {
        let last = last_key(limit);
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

/// Sorts more children than vectors do.
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
