//! The children of a node that a ray meets, put on its stack without a branch.

use super::Vector;

/// # Safety
/// As for [`Vector`], for every method.
pub(crate) trait Heap {
    /// Some eights of numbers.
    type Eights: Vector;
    unsafe fn load_eights(from: impl Fn(usize) -> *const f32) -> Self::Eights;
    unsafe fn splat_eights(x: impl Fn(usize) -> f32) -> Self::Eights;

    /// Writes the children whose bits are set, and where the ray enters them, farthest first if `ordered`. Up to sixteen of both
    /// are written.
    unsafe fn push<const ORDERED: bool>(
        enter: &[f32; 16],
        child: &[u32; 16],
        mask: u32,
        keys: *mut u32,
        children: *mut u32,
    ) {
        unsafe {
            let mut rest = mask;
            let mut count = 0;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let key = enter[lane].to_bits();
                let mut at = count;
                while ORDERED && at > 0 && *keys.add(at - 1) < key {
                    *keys.add(at) = *keys.add(at - 1);
                    *children.add(at) = *children.add(at - 1);
                    at -= 1;
                }
                *keys.add(at) = key;
                *children.add(at) = child[lane];
                count += 1;
            }
        }
    }

    unsafe fn keep(keys: *mut u32, children: *mut u32, count: usize, most: f32) -> usize {
        let mut kept = 0;
        for i in 0..count {
            unsafe {
                let key = *keys.add(i);
                *keys.add(kept) = key;
                *children.add(kept) = *children.add(i);
                kept += usize::from(key <= most.to_bits());
            }
        }
        kept
    }

    unsafe fn prefetch(_line: *const u8) {}
    unsafe fn prefetch_w(_line: *const u8) {}
}
