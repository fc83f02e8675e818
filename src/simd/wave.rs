//! What a wave of rays needs of an instruction set: the same steps for each of them, whatever it
//! meets.
//!
//! A processor goes ahead into the next rays' steps while it waits for one ray's, but only if no
//! branch depends on what a ray meets, for it mostly guesses such a branch wrong.

use super::Vector;

/// Children of a node: as many as a ray may put off at once.
pub(crate) const CHILDREN: usize = 16;

/// Subtrees that are put off go as two lists: where they are, and where the ray enters them as a
/// *key*, the bits of a number that is not negative, of which the last four may be anything.
///
/// # Safety
///
/// As for [`Vector`], for every method.
pub(crate) trait Wave {
    /// Whether what is below is free of branches. (What is given here is not.)
    const PAYS: bool = false;

    /// Some eights of numbers: the leaf blocks that are met at once.
    type Eights: Vector;

    /// Eight numbers from each address.
    ///
    /// # Safety
    /// As for the trait; the addresses must point to eight readable numbers each.
    unsafe fn load_eights(from: impl Fn(usize) -> *const f32) -> Self::Eights;

    /// Each number eight times.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn splat_eights(number: impl Fn(usize) -> f32) -> Self::Eights;

    /// Eight numbers to each address, the first ones last.
    ///
    /// # Safety
    /// As for the trait; there must be room for eight numbers at each address.
    unsafe fn store_eights(eights: Self::Eights, to: impl Fn(usize) -> *mut f32);

    /// Writes the children whose bits are set, and, if they are to be in order, their keys, the
    /// farthest first.
    ///
    /// # Safety
    /// As for the trait; there must be room for [`CHILDREN`] at both addresses.
    #[inline(always)]
    unsafe fn put_off<const ORDERED: bool>(
        enter: &[f32; CHILDREN],
        child: &[u32; CHILDREN],
        mut mask: u32,
        keys: *mut u32,
        children: *mut u32,
    ) {
        let mut count = 0;
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize % CHILDREN;
            mask &= mask - 1;
            let key = enter[lane].to_bits();
            let mut at = count;
            // SAFETY: no more are written than there are children, and none is read before it is.
            unsafe {
                while ORDERED && at > 0 && *keys.add(at - 1) < key {
                    *keys.add(at) = *keys.add(at - 1);
                    *children.add(at) = *children.add(at - 1);
                    at -= 1;
                }
                *keys.add(at) = key;
                *children.add(at) = child[lane];
            }
            count += 1;
        }
    }

    /// Drops all but those of the first `count` that are entered at `most` at the latest, and says how
    /// many are left.
    ///
    /// # Safety
    /// As for the trait; at both addresses `count` must have been written, and there must be room for
    /// [`CHILDREN`] more.
    #[inline(always)]
    unsafe fn keep(keys: *mut u32, children: *mut u32, count: usize, most: f32) -> usize {
        let last = last_key(most);
        let mut kept = 0;
        for i in 0..count {
            // SAFETY: the caller vouches for `count` of both, and `kept` is not more than `i`.
            unsafe {
                let key = *keys.add(i);
                *keys.add(kept) = key;
                *children.add(kept) = *children.add(i);
                kept += usize::from(key as i32 <= last);
            }
        }
        kept
    }
}

/// The last key of what is entered at `most` at the latest. (Signed, like all keys: if `most` is
/// negative, none is.)
#[inline(always)]
pub(crate) fn last_key(most: f32) -> i32 {
    (most.to_bits() | (CHILDREN as u32 - 1)) as i32
}
