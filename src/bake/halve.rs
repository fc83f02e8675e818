//! Sets of references halved by count, where no plane is of use.

use super::bounds::Bounds;
use super::object::part;
use super::pass::Pass;
use super::prim::{CHUNK, Prim};
use crate::parallel;

/// Halves the set along the widest axis of the centroids, and returns how many are on the left;
/// `None` if the bake is not to go on. Numbers break ties, so that the outcome is one only.
pub(super) fn halve(prims: &mut [Prim], centroids: &Bounds, pass: Pass<'_, '_>) -> Option<usize> {
    let axis = centroids.widest();
    let half = prims.len() / 2;
    select(prims, half, axis, pass)?;
    // The selection fixes which references go where, but leaves their order to chance.
    let (left, right) = prims.split_at_mut(half);
    let sides = parallel::join(
        right.len() > CHUNK,
        || sort(left, 0..1 << 32, pass),
        || sort(right, 0..1 << 32, pass),
    );
    sides.0.and(sides.1).map(|()| half)
}

/// Puts the `half` least references by centroid, and of equals by [`Prim::order`], to the front.
fn select(prims: &mut [Prim], half: usize, axis: usize, pass: Pass<'_, '_>) -> Option<()> {
    let mut rest = prims;
    let mut half = half;
    if rest.len() > CHUNK {
        // What the standard library's selection does not: ask on the way whether to go on.
        let median = Selection::of(rest, half, axis, pass)?;
        part(rest, |prim| key(prim, axis) < median.key, pass)?;
        rest = &mut rest[median.less..];
        half -= median.less;
        part(rest, |prim| key(prim, axis) == median.key, pass)?;
        rest = &mut rest[..median.equal];
    }
    if half < rest.len() {
        rest.select_nth_unstable_by(half, |a, b| {
            let by_place = a.centroid(axis).total_cmp(&b.centroid(axis));
            by_place.then_with(|| a.order(b))
        });
    }
    pass.goes_on().then_some(())
}

/// A reference's place and its triangle's number, such that they are in the order of these keys.
/// Only parts of one triangle can share one.
fn key(prim: &Prim, axis: usize) -> u64 {
    let bits = prim.centroid(axis).to_bits();
    let place = if bits >> 31 == 0 {
        bits | 1 << 31
    } else {
        !bits
    };
    u64::from(place) << 32 | u64::from(prim.index)
}

/// The key of the reference that is at a place in the order.
struct Selection {
    key: u64,
    /// How many have a lesser one.
    less: usize,
    /// How many have it.
    equal: usize,
}

/// Bits of a key that are found at a time.
const DIGIT: u32 = 11;

impl Selection {
    /// Digit by digit from the highest, by counts of the keys that begin with those found.
    fn of(prims: &[Prim], place: usize, axis: usize, pass: Pass<'_, '_>) -> Option<Self> {
        let mut found = Self {
            key: 0,
            less: 0,
            equal: prims.len(),
        };
        let mut unknown = u64::BITS;
        while unknown > 0 {
            let known = u64::MAX.checked_shl(unknown).unwrap_or(0);
            unknown = unknown.saturating_sub(DIGIT);
            let digit = |key: u64| (key & !known) >> unknown;
            let count = |prims: &[Prim]| {
                let mut counts = vec![0; 1 << DIGIT];
                for prim in pass.over(prims) {
                    let key = key(prim, axis);
                    if key & known == found.key {
                        counts[digit(key) as usize] += 1;
                    }
                }
                counts
            };
            let merge = |mut counts: Vec<usize>, others: Vec<usize>| {
                counts.iter_mut().zip(others).for_each(|(a, b)| *a += b);
                counts
            };
            let counts = parallel::fold(prims, CHUNK, count, merge);
            let mut next = 0;
            while found.less + counts[next] <= place {
                found.less += counts[next];
                next += 1;
                if next == counts.len() {
                    return None;
                }
            }
            found.key |= (next as u64) << unknown;
            found.equal = counts[next];
        }
        pass.goes_on().then_some(found)
    }
}

/// Puts references, the numbers of whose triangles are in a range, in order.
fn sort(prims: &mut [Prim], range: std::ops::Range<u64>, pass: Pass<'_, '_>) -> Option<()> {
    let middle = range.start.midpoint(range.end);
    // Of one triangle there are not many.
    if prims.len() <= CHUNK || middle == range.start {
        prims.sort_unstable_by(Prim::order);
        return pass.goes_on().then_some(());
    }
    let below = |prim: &Prim| u64::from(prim.index) < middle;
    let left = part(prims, below, pass)?;
    let (left, right) = prims.split_at_mut(left);
    let sides = parallel::join(
        right.len() > CHUNK,
        || sort(left, range.start..middle, pass),
        || sort(right, middle..range.end, pass),
    );
    sides.0.and(sides.1)
}
