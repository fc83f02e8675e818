//! Whole subtrees of a few references: planes between any two centroids are tried, which for so few
//! is cheaper than bins.

use super::areas::{Areas, key, plane};
use super::binary::{Binary, Child, PRIM};
use super::bounds::Bounds;
use super::prim::Prim;

/// The most references.
pub(super) const FEW: usize = 16;

/// The subtree.
pub(super) struct Few<'a> {
    /// A place for each reference.
    prims: &'a mut [Prim],
    /// Places for the inner nodes, one less.
    nodes: &'a mut [Binary],
    /// Where its places begin in the whole tree.
    first: usize,
    /// Sets of at most so many are not parted.
    leaf: usize,
    boxes: [Bounds; FEW],
    indices: [u32; FEW],
    /// The references in order of their centroids, axis by axis; (almost) equal ones as they come. A subtree
    /// has the same range of each.
    orders: [[u8; FEW]; 3],
}

/// Builds the subtree of all `prims`, [`FEW`] at most, down to single ones or sets of at most `leaf`.
pub(super) fn build(
    prims: &mut [Prim],
    nodes: &mut [Binary],
    first: usize,
    bounds: &Bounds,
    leaf: usize,
) -> Child {
    let count = prims.len();
    let mut boxes = [Bounds::EMPTY; FEW];
    let mut indices = [0; FEW];
    for (i, prim) in prims.iter().enumerate() {
        (boxes[i], indices[i]) = (Bounds::of(prim), prim.index);
    }
    let mut few = Few {
        orders: orders(prims),
        prims,
        nodes,
        first,
        leaf,
        boxes,
        indices,
    };
    few.build(0, count, bounds)
}

/// The references' places in order of their centroids, axis by axis.
fn orders(prims: &[Prim]) -> [[u8; FEW]; 3] {
    // Whole numbers in the order of the centroids, all different: the last bits are the places.
    const { assert!(FEW == 16) }
    let mut keys = [[i32::MAX; FEW]; 3];
    for (i, prim) in prims.iter().enumerate() {
        let centroids = prim.centroids().to_array();
        for axis in 0..3 {
            let bits = centroids[axis].to_bits() as i32;
            let ordered = bits ^ (bits >> 31 & i32::MAX);
            keys[axis][i] = ordered & !15 | i as i32;
        }
    }
    let mut orders = [[0; FEW]; 3];
    for (order, keys) in orders.iter_mut().zip(&keys) {
        // By counting those before, without a branch.
        let mut places = [0; FEW];
        for before in &keys[..prims.len()] {
            for (place, key) in places.iter_mut().zip(keys) {
                *place += u32::from(before < key);
            }
        }
        for (i, &place) in places[..prims.len()].iter().enumerate() {
            order[place as usize % FEW] = i as u8;
        }
    }
    orders
}

impl Few<'_> {
    /// Builds the subtree of the references at `begin..begin + count` of the orders.
    fn build(&mut self, begin: usize, count: usize, bounds: &Bounds) -> Child {
        let place = self.first + begin;
        if count == 1 {
            self.put(begin);
            return PRIM | place as u32;
        }
        let (left, node);
        if count <= self.leaf.max(2) {
            for i in begin..begin + count {
                self.put(i);
            }
            left = PRIM | place as u32;
            node = (begin, PRIM | (place + count - 1) as u32);
        } else {
            let (on_left, sides) = self.part(begin, count, bounds);
            left = self.build(begin, on_left, &sides[0]);
            let right = self.build(begin + on_left, count - on_left, &sides[1]);
            node = (begin + on_left - 1, right);
        }
        let (at, right) = node;
        self.nodes[at] = Binary {
            min: bounds.min(),
            left,
            max: bounds.max(),
            right,
        };
        (self.first + at) as u32
    }

    /// Writes the reference at `place` of the first order.
    fn put(&mut self, place: usize) {
        let i = usize::from(self.orders[0][place]);
        self.prims[place] = Prim::of(self.indices[i], &self.boxes[i]);
    }

    /// Parts the references at `begin..begin + count` such that it is cheapest by the surface area heuristic. Of
    /// equal planes it is the one that halves best, or many triangles in one place would make a
    /// chain; then the first, axis by axis. Returns how many go left, and both sides' boxes.
    fn part(&mut self, begin: usize, count: usize, bounds: &Bounds) -> (usize, [Bounds; 2]) {
        let areas = Areas::within(bounds);
        // Of those before, and of those from each place on.
        let mut lefts = [[Bounds::EMPTY; FEW]; 3];
        let mut rights = [[Bounds::EMPTY; FEW]; 3];
        let mut least = u64::MAX;
        for axis in 0..3 {
            let order = &self.orders[axis][begin..begin + count];
            let (lefts, rights) = (&mut lefts[axis], &mut rights[axis]);
            let mut right = Bounds::EMPTY;
            for place in (1..count).rev() {
                right.merge(&self.boxes[usize::from(order[place]) & (FEW - 1)]);
                rights[place] = right;
            }
            let mut left = Bounds::EMPTY;
            for place in 1..count {
                left.merge(&self.boxes[usize::from(order[place - 1]) & (FEW - 1)]);
                lefts[place] = left;
            }
            let (lefts, _) = lefts.as_chunks::<4>();
            let (rights, _) = rights.as_chunks::<4>();
            for (four, (lefts, rights)) in lefts.iter().zip(rights).enumerate() {
                if 4 * four >= count {
                    break;
                }
                let (lefts, rights) = (areas.of(lefts).to_array(), areas.of(rights).to_array());
                for i in 0..4 {
                    let place = 4 * four + i;
                    let on_left = lefts[i] * place as i32 as f32;
                    // Of no references, or of fewer, the cost is infinite or no number.
                    let cost = on_left + rights[i] * (count as i32 - place as i32) as f32;
                    let rank = (2 * place).abs_diff(count) as u16;
                    least = least.min(key(cost, rank, (axis * FEW + place) as u16));
                }
            }
        }
        let plane = plane(least).map_or(count / 2, usize::from);
        let (axis, place) = (plane / FEW, plane % FEW);
        // The other orders, those that go left first.
        let chosen = self.orders[axis];
        let goes_left = chosen[begin..begin + place]
            .iter()
            .fold(0u32, |all, &i| all | 1 << i);
        for order in &mut self.orders {
            let before = *order;
            let (mut left, mut right) = (begin, begin + place);
            for &i in &before[begin..begin + count] {
                let goes_left = goes_left >> i & 1 != 0;
                let at = if goes_left { left } else { right };
                order[at & (FEW - 1)] = i;
                left += usize::from(goes_left);
                right += usize::from(!goes_left);
            }
        }
        (place, [lefts[axis][place], rights[axis][place]])
    }
}
