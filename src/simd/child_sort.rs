//! Sorts the children of a node, the farthest first.

use std::mem::MaybeUninit;

/// The most children of a node.
pub(super) const CHILDREN: usize = 16;

/// The most children that an instruction set sorts at once. A ray rarely enters more.
pub(crate) const SORTED: usize = 8;

/// A subtree to come back to.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Entry {
    /// The `t` at which the ray enters it, as bits; the last four may be anything. It is not
    /// negative, so the bits are ordered like the numbers and compare faster.
    pub(crate) key: i32,
    pub(crate) child: u32,
}

/// Room for as many as are sorted at once.
pub(super) type Sorted = [MaybeUninit<Entry>; SORTED];

/// The greatest key of a subtree that the ray enters at `t <= most`. Keys are signed, so if `most`
/// is negative, no key is as low.
#[inline(always)]
pub(crate) fn last_key(most: f32) -> i32 {
    (most.to_bits() | (CHILDREN as u32 - 1)) as i32
}

/// The children whose bits are set, the farthest first, and how many they are, in plain code.
#[inline(always)]
pub(super) fn sorted(
    enter: &[f32; CHILDREN],
    child: &[u32; CHILDREN],
    mut mask: u32,
) -> ([Entry; CHILDREN], usize) {
    let mut entries = [Entry { key: 0, child: 0 }; CHILDREN];
    let mut count = 0;
    while mask != 0 {
        let lane = mask.trailing_zeros() as usize % CHILDREN;
        mask &= mask - 1;
        let entry = Entry { key: enter[lane].to_bits() as i32, child: child[lane] };
        let mut at = count;
        while at > 0 && entries[at - 1].key < entry.key {
            entries[at] = entries[at - 1];
            at -= 1;
        }
        entries[at] = entry;
        count += 1;
    }
    (entries, count)
}

/// Writes the children whose bits are set, the farthest first, in plain code.
///
/// # Panics
/// If there is no room for them.
#[inline(always)]
pub(crate) fn sort_children(
    enter: &[f32; CHILDREN],
    child: &[u32; CHILDREN],
    mask: u32,
    to: &mut [MaybeUninit<Entry>],
) {
    let (entries, count) = sorted(enter, child, mask);
    for (to, &entry) in to[..count].iter_mut().zip(&entries) {
        to.write(entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{self, InstructionSet, Isa, Task};
    use crate::test_rng;

    /// Entries that were initialized before the sort.
    fn initialized(entries: &Sorted) -> [Entry; SORTED] {
        // SAFETY: both tests pass entries that were initialized.
        entries.map(|entry| unsafe { entry.assume_init() })
    }

    /// Sorts these children: where the ray enters each, and which of them.
    struct Sort<'a>(&'a [f32; CHILDREN], u32);

    impl Task for Sort<'_> {
        type Output = Vec<u32>;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Vec<u32> {
            let Self(enter, mask) = self;
            let children = std::array::from_fn(|i| 100 + i as u32);
            let mut entries = [MaybeUninit::new(Entry { key: -1, child: 0 }); SORTED];
            isa.sort_children(enter, &children, mask, &mut entries);
            let entries = initialized(&entries);
            let entries = &entries[..mask.count_ones() as usize];
            for &Entry { key, child } in entries {
                let bits = enter[child as usize - 100].to_bits();
                assert_eq!(key as u32 | 15, bits | 15, "{child}");
            }
            entries.iter().map(|entry| entry.child).collect()
        }
    }

    /// Lists these children.
    struct List(u32);

    impl Task for List {
        type Output = Vec<u32>;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Vec<u32> {
            let children = std::array::from_fn(|i| 100 + i as u32);
            let mut entries = [MaybeUninit::new(Entry { key: -1, child: 0 }); SORTED];
            isa.list_children(&children, self.0, &mut entries);
            let entries = initialized(&entries);
            let entries = &entries[..self.0.count_ones() as usize];
            assert!(entries.iter().all(|entry| entry.key == 0));
            entries.iter().map(|entry| entry.child).collect()
        }
    }

    #[test]
    fn children_are_listed_by_their_lanes() {
        let few = (0..1u32 << CHILDREN).filter(|mask| mask.count_ones() <= SORTED as u32);
        for mask in few.step_by(if cfg!(miri) { 999 } else { 1 }) {
            let lanes = (0..CHILDREN as u32).filter(|lane| mask >> lane & 1 != 0);
            let expected: Vec<u32> = lanes.map(|lane| 100 + lane).collect();
            for isa in InstructionSet::available() {
                let sorted = simd::run(isa, List(mask));
                assert_eq!(sorted, expected, "{isa}: {mask:x}");
            }
        }
    }

    #[test]
    fn children_are_sorted_and_the_nearest_comes_last() {
        let mut state = 3;
        let mut number = || test_rng::number(&mut state).abs();
        let mut sizes = 0;
        for round in 0..if cfg!(miri) { 20 } else { 20_000 } {
            // Few children and many, and rays that begin inside several.
            let few = (number() * 65536.0) as u32 & (number() * 65536.0) as u32;
            let mask = [few, few | (number() * 65536.0) as u32][round % 2] & 0xffff;
            if mask.count_ones() > SORTED as u32 {
                continue;
            }
            sizes |= 1 << mask.count_ones();
            let floor = [0.0, 0.4][round / 2 % 2];
            let enter = [(); CHILDREN].map(|()| (number() - floor).max(0.0));
            for isa in InstructionSet::available() {
                let sorted = simd::run(isa, Sort(&enter, mask));
                let lanes = sorted.iter().fold(0, |lanes, child| lanes | 1 << (child - 100));
                assert_eq!(lanes, mask, "{isa}");
                let near = |child: u32| enter[child as usize - 100].to_bits() >> 4;
                let in_order = sorted.is_sorted_by(|&a, &b| near(a) >= near(b));
                assert!(in_order, "{isa}: {mask:x}, {enter:?}");
            }
        }
        assert!(cfg!(miri) || sizes == (2 << SORTED) - 1, "{sizes:b}");
    }
}
