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

    /// Whether a ray of which nobody knows what it will meet puts children off by [`put_off_sorted`](Self::put_off_sorted): in
    /// more steps, but without a branch that would be guessed wrong.
    const SORTS: bool = false;

    /// Writes the children whose bits are set, the farthest first.
    ///
    /// # Safety
    /// As for the trait; there must be room for [`CHILDREN`].
    #[inline(always)]
    unsafe fn put_off_sorted(
        enter: &[f32; CHILDREN],
        child: &[u32; CHILDREN],
        mask: u32,
        to: *mut Entry,
    ) {
        // SAFETY: the caller vouches for it.
        unsafe { put_off_one_by_one(enter, child, mask, to) }
    }
}

/// [`Lone::put_off_sorted`] in plain code.
///
/// # Safety
/// There must be room for [`CHILDREN`].
#[cold]
#[inline(never)]
pub(super) unsafe fn put_off_one_by_one(
    enter: &[f32; CHILDREN],
    child: &[u32; CHILDREN],
    mut mask: u32,
    to: *mut Entry,
) {
    let mut count = 0;
    while mask != 0 {
        let lane = mask.trailing_zeros() as usize % CHILDREN;
        mask &= mask - 1;
        let entry = Entry {
            key: enter[lane].to_bits() as i32,
            child: child[lane],
        };
        let mut at = count;
        // SAFETY: no more are written than there are children, and none is read before it is.
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
