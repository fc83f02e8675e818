//! What one ray alone needs of an instruction set.

use super::Vector;
use super::wave::CHILDREN;

/// A subtree to come back to.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Entry {
    /// Where the ray enters it: a key, as [`Wave`](super::Wave) has them, or all bits of the number. They are in
    /// the same order as the numbers, and sooner compared, for none is negative.
    pub(crate) key: i32,
    pub(crate) child: u32,
}

/// What is best for a ray that has a processor to itself is not what is best for many: it waits for one result
/// after the other, and the widest vectors may be no sooner there.
///
/// # Safety
///
/// As for [`Vector`], for every method.
pub(crate) trait Lone {
    /// So many boxes of a node are met at once.
    type Boxes: Vector;

    /// Whether [`put_off_sorted`](Self::put_off_sorted) pays for a ray of which nobody knows what it will meet: it
    /// takes more steps, but none is a branch that would be guessed wrong. Such a ray then meets nodes side by side.
    const SORTS: bool = false;

    /// Writes the children whose bits are set, [`SORTED`] at most, in the order of their lanes, as if they were entered
    /// at zero. (Who [sorts](Self::SORTS) has a way of its own; this is what tests hold it against.)
    ///
    /// # Safety
    /// As for the trait; there must be room for them, and for [`SORTED`].
    #[inline(always)]
    unsafe fn put_off_unsorted(child: &[u32; CHILDREN], mut mask: u32, mut to: *mut Entry) {
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize % CHILDREN;
            mask &= mask - 1;
            let child = child[lane];
            // SAFETY: no more are written than there are bits.
            unsafe {
                *to = Entry { key: 0, child };
                to = to.add(1);
            }
        }
    }

    /// Writes the children whose bits are set, [`SORTED`] at most, the farthest first. (Their keys may be off by the
    /// last four bits.) What is given here, in plain code, takes any number.
    ///
    /// # Safety
    /// As for the trait; there must be room for them, and for [`SORTED`].
    #[inline(always)]
    unsafe fn put_off_sorted(
        enter: &[f32; CHILDREN],
        child: &[u32; CHILDREN],
        mut mask: u32,
        to: *mut Entry,
    ) {
        let mut count = 0;
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize % CHILDREN;
            mask &= mask - 1;
            let entry = Entry { key: enter[lane].to_bits() as i32, child: child[lane] };
            let mut at = count;
            // SAFETY: no more are written than there are bits, and none is read before it is.
            unsafe {
                while at > 0 && (*to.add(at - 1)).key < entry.key {
                    *to.add(at) = *to.add(at - 1);
                    at -= 1;
                }
                *to.add(at) = entry;
            }
            count += 1;
        }
    }
}

/// More children than so many are rarely met.
pub(crate) const SORTED: u32 = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{self, InstructionSet, Isa, Task};
    use crate::test_rng;

    /// Children that are put off: where each is entered, and which of them.
    struct PutOff<'a>(&'a [f32; CHILDREN], u32);

    impl Task for PutOff<'_> {
        type Output = Vec<u32>;

        #[inline(always)]
        unsafe fn run<I: Isa>(self) -> Vec<u32> {
            let Self(enter, mask) = self;
            let children = std::array::from_fn(|i| 100 + i as u32);
            let mut entries = [Entry { key: -1, child: 0 }; SORTED as usize];
            // SAFETY: the caller vouches for the instruction set, and there is room.
            unsafe { I::put_off_sorted(enter, &children, mask, entries.as_mut_ptr()) };
            let entries = &entries[..mask.count_ones() as usize];
            for &Entry { key, child } in entries {
                let bits = enter[child as usize - 100].to_bits();
                assert_eq!(key as u32 | 15, bits | 15, "{child}");
            }
            entries.iter().map(|entry| entry.child).collect()
        }
    }

    /// The same as they come.
    struct PutOffUnsorted(u32);

    impl Task for PutOffUnsorted {
        type Output = Vec<u32>;

        #[inline(always)]
        unsafe fn run<I: Isa>(self) -> Vec<u32> {
            let children = std::array::from_fn(|i| 100 + i as u32);
            let mut entries = [Entry { key: -1, child: 0 }; SORTED as usize];
            // SAFETY: the caller vouches for the instruction set, and there is room.
            unsafe { I::put_off_unsorted(&children, self.0, entries.as_mut_ptr()) };
            let entries = &entries[..self.0.count_ones() as usize];
            assert!(entries.iter().all(|entry| entry.key == 0));
            entries.iter().map(|entry| entry.child).collect()
        }
    }

    #[test]
    fn unsorted_children_are_put_off_by_their_lanes() {
        let few = (0..1u32 << CHILDREN).filter(|mask| mask.count_ones() <= SORTED);
        for mask in few.step_by(if cfg!(miri) { 999 } else { 1 }) {
            let lanes = (0..CHILDREN as u32).filter(|lane| mask >> lane & 1 != 0);
            let expected: Vec<u32> = lanes.map(|lane| 100 + lane).collect();
            for isa in InstructionSet::available() {
                let put_off = simd::run(isa, PutOffUnsorted(mask));
                assert_eq!(put_off, expected, "{isa}: {mask:x}");
            }
        }
    }

    #[test]
    fn all_children_are_put_off_and_the_nearest_last() {
        let mut state = 3;
        let mut number = || test_rng::number(&mut state).abs();
        let mut sizes = 0;
        for round in 0..if cfg!(miri) { 20 } else { 20_000 } {
            // Few of them, many, and where the ray begins within several.
            let few = (number() * 65536.0) as u32 & (number() * 65536.0) as u32;
            let mask = [few, few | (number() * 65536.0) as u32][round % 2] & 0xffff;
            if mask.count_ones() > SORTED {
                continue;
            }
            sizes |= 1 << mask.count_ones();
            let floor = [0.0, 0.4][round / 2 % 2];
            let enter = [(); CHILDREN].map(|()| (number() - floor).max(0.0));
            for isa in InstructionSet::available() {
                let put_off = simd::run(isa, PutOff(&enter, mask));
                let lanes = put_off.iter().fold(0, |lanes, child| lanes | 1 << (child - 100));
                assert_eq!(lanes, mask, "{isa}");
                let near = |child: u32| enter[child as usize - 100].to_bits() >> 4;
                let in_order = put_off.is_sorted_by(|&a, &b| near(a) >= near(b));
                assert!(in_order, "{isa}: {mask:x}, {enter:?}");
            }
        }
        assert!(cfg!(miri) || sizes == (2 << SORTED) - 1, "{sizes:b}");
    }
}
