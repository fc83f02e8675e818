//! Splits at the median: by count, where no plane is of use.

use super::super::bounds::Bounds;
use super::super::prim_ref::{PARALLEL_LEN, PrimRef, ordered_bits};
use super::super::progress::Pass;
use super::binned::partition;
use crate::platform::parallel;

/// Splits the set in half along the widest axis of the centroids, and returns how many are on the
/// left; `None` if the bake does not go on. Indices break ties, so the outcome is unique.
pub(super) fn split_at_median(
    prims: &mut [PrimRef],
    centroids: &Bounds,
    pass: Pass<'_, '_>,
) -> Option<usize> {
    let axis = centroids.widest_axis();
    let half = prims.len() / 2;
    let median = median_key(prims, half, axis, pass)?;
    let less = partition(prims, |prim| sort_key(prim, axis) < median, pass)?;
    if less < half {
        // Parts of the median's triangle share its key. There are few of them.
        let rest = &mut prims[less..];
        let equal = partition(rest, |prim| sort_key(prim, axis) == median, pass)?;
        rest[..equal].sort_unstable_by_key(PrimRef::order_key);
    }
    Some(half)
}

/// A key that is in the order of the centroids, then of the triangles. Only parts of one triangle
/// can share a key.
fn sort_key(prim: &PrimRef, axis: usize) -> u64 {
    u64::from(ordered_bits(prim.centroid(axis))) << 32 | u64::from(prim.index)
}

/// Bits of a key that a pass of the radix selection finds.
const RADIX_BITS: u32 = 11;

/// The key at a place of the sorted order. Radix selection: digit by digit from the highest, by
/// counting the keys that begin with the digits found, until few keys are left.
fn median_key(prims: &[PrimRef], place: usize, axis: usize, pass: Pass<'_, '_>) -> Option<u64> {
    let (mut found, mut unknown) = (0, u64::BITS);
    let (mut place, mut candidates) = (place, prims.len());
    while candidates > PARALLEL_LEN && unknown > 0 {
        let known = known_bits(unknown);
        unknown = unknown.saturating_sub(RADIX_BITS);
        let digit = |key: u64| (key & !known) >> unknown;
        let count = |prims: &[PrimRef]| {
            let mut counts = vec![0; 1 << RADIX_BITS];
            for prim in pass.over(prims) {
                let key = sort_key(prim, axis);
                if key & known == found {
                    counts[digit(key) as usize] += 1;
                }
            }
            counts
        };
        let merge = |mut counts: Vec<usize>, others: Vec<usize>| {
            counts.iter_mut().zip(others).for_each(|(a, b)| *a += b);
            counts
        };
        let counts = parallel::fold(prims, PARALLEL_LEN, count, merge);
        // No digit is found if the bake does not go on.
        let next = counts.iter().position(|&count| {
            let is_here = place < count;
            if !is_here {
                place -= count;
            }
            is_here
        })?;
        found |= (next as u64) << unknown;
        candidates = counts[next];
    }
    let known = known_bits(unknown);
    let matching = |prims: &[PrimRef]| {
        let keys = pass.over(prims).iter().map(|prim| sort_key(prim, axis));
        keys.filter(|key| key & known == found).collect()
    };
    let merge = |mut keys: Vec<u64>, others: Vec<u64>| {
        keys.extend(others);
        keys
    };
    let mut keys = parallel::fold(prims, PARALLEL_LEN, matching, merge);
    if !pass.keep_going() {
        return None;
    }
    Some(*keys.select_nth_unstable(place).1)
}

/// The bits of a key that are known, if the last `unknown` are not.
fn known_bits(unknown: u32) -> u64 {
    u64::MAX.checked_shl(unknown).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::bake::prim_ref::centroid_bounds;
    use crate::bake::progress::ProgressMonitor;
    use crate::test_rng::bits;

    fn assert_splits_as_a_sort_does(prims: &[PrimRef], what: &str) {
        let mut callback = |_| ControlFlow::Continue(());
        let monitor = ProgressMonitor::new(&mut callback);
        let pass = Pass::new(&monitor, 0, prims.len());
        let centroids = centroid_bounds(prims, pass);
        let (mut halved, mut sorted) = (prims.to_vec(), prims.to_vec());
        let half = prims.len() / 2;
        let left = split_at_median(&mut halved, &centroids, pass);
        assert_eq!(left, Some(half), "{what}");
        let axis = centroids.widest_axis();
        sorted.sort_by(|a, b| {
            let by_place = a.centroid(axis).total_cmp(&b.centroid(axis));
            by_place.then_with(|| a.order_key().cmp(&b.order_key()))
        });
        // The order within a half does not matter.
        let [halved, sorted] = [&mut halved, &mut sorted].map(|prims| {
            let left = &mut prims[..half];
            left.sort_by_key(PrimRef::order_key);
            &*left
        });
        let mut left = halved.iter().zip(sorted);
        assert!(left.all(|(a, b)| a.order_key() == b.order_key()), "{what}");
    }

    #[test]
    fn halves_are_those_of_a_sort() {
        let mut state = 5;
        let mut below = |n: usize| (bits(&mut state) % n as u64) as usize;
        for count in [2, 3, 10, 101, PARALLEL_LEN, PARALLEL_LEN + 7, 3 * PARALLEL_LEN] {
            for (places, triangles) in
                [(1, count), (1, 1), (2, count), (9, 40), (count, count), (1 << 20, count)]
            {
                for size in [1.0, 1e-40, -3.0, 3e38] {
                    let mut prim = || {
                        let at = size * below(places) as f32 / places as f32;
                        // Parts of a triangle may differ on another axis only.
                        PrimRef::new(below(triangles) as u32, &[[at, below(3) as f32, 0.0]; 3])
                    };
                    let prims: Vec<_> = (0..count).map(|_| prim()).collect();
                    let what = format!("{count}, {places}, {triangles}, {size}");
                    assert_splits_as_a_sort_does(&prims, &what);
                }
            }
        }
    }
}
