//! Whole subtrees of a few references: planes between any two centroids are tried, which for so few
//! is cheaper than bins.

use glam::Vec4;

use super::super::areas::AreaScale;
use super::super::bounds::Bounds;
use super::super::bvh2::{Child, PRIM_FLAG, SerialNodes};
use super::super::prim_ref::PrimRef;
use super::super::weight::weight;
use super::super::{Axes, BakeOptions, Leaves};

/// The most references.
pub(super) const SWEEP_MAX: usize = 16;

/// Builds the subtree of all `prims`, [`SWEEP_MAX`] at most, down to single ones or to leaves.
pub(super) fn build(
    prims: &mut [PrimRef],
    first: usize,
    nodes: &mut SerialNodes,
    bounds: &Bounds,
    options: &BakeOptions,
) -> Child {
    let count = prims.len();
    let mut boxes = [Bounds::EMPTY; SWEEP_MAX];
    let mut indices = [0; SWEEP_MAX];
    for (i, prim) in prims.iter().enumerate() {
        (boxes[i], indices[i]) = (Bounds::of(prim), prim.index);
    }
    let mut builder = SweepBuilder {
        prims,
        first,
        leaves: options.leaves,
        most: options.leaf_triangles as usize,
        boxes,
        indices,
        lefts: [Bounds::EMPTY; SWEEP_MAX],
        rights: [Bounds::EMPTY; SWEEP_MAX],
    };
    match options.axes {
        Axes::All => {
            let mut orders = [IDENTITY_ORDER; 3];
            for (axis, order) in orders.iter_mut().enumerate() {
                builder.sort(&mut order[..count], axis);
            }
            builder.build(&mut orders, 0, count, bounds, nodes)
        }
        Axes::Widest => builder.build(&mut [IDENTITY_ORDER], 0, count, bounds, nodes),
    }
}

/// The subtree.
struct SweepBuilder<'a> {
    /// A place for each reference.
    prims: &'a mut [PrimRef],
    /// Where its places begin in the whole tree.
    first: usize,
    leaves: Leaves,
    /// The most of them in a leaf.
    most: usize,
    boxes: [Bounds; SWEEP_MAX],
    indices: [u32; SWEEP_MAX],
    /// The boxes of those before each place in an order, and of those from there on.
    lefts: [Bounds; SWEEP_MAX],
    rights: [Bounds; SWEEP_MAX],
}

/// References in some order, by their places in [`Few::boxes`]. A subtree has a range of it.
type Order = [u8; SWEEP_MAX];
const IDENTITY_ORDER: Order = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

impl SweepBuilder<'_> {
    /// Builds the subtree of the references at `begin..begin + count` of the orders: one in order of the
    /// centroids on each axis, or a single one that may be changed.
    fn build<const ORDERS: usize>(
        &mut self,
        orders: &mut [Order; ORDERS],
        begin: usize,
        count: usize,
        bounds: &Bounds,
        nodes: &mut SerialNodes,
    ) -> Child {
        let place = self.first + begin;
        if count == 1 {
            self.write(&orders[0], begin);
            return PRIM_FLAG | place as u32;
        }
        let node = nodes.place();
        let (left, right);
        if self.is_leaf(&orders[0][begin..begin + count], bounds) {
            for i in begin..begin + count {
                self.write(&orders[0], i);
            }
            left = PRIM_FLAG | place as u32;
            right = PRIM_FLAG | (place + count - 1) as u32;
        } else {
            let (on_left, sides) = self.part(orders, begin, count, bounds);
            left = self.build(orders, begin, on_left, &sides[0], nodes);
            right = self.build(orders, begin + on_left, count - on_left, &sides[1], nodes);
        }
        nodes.set(node, bounds, left, right);
        node
    }

    /// Whether some references, two or more, are parted no further.
    fn is_leaf(&self, some: &[u8], bounds: &Bounds) -> bool {
        if some.len() == 2 {
            return true;
        }
        some.len() <= self.most
            && match self.leaves {
                Leaves::FirstFit => true,
                Leaves::Cheapest => self.fills_box(some, bounds),
            }
    }

    /// Whether the boxes of some references fill the one around them, such that no parts of them would be much
    /// smaller: twice, since two triangles often have one box (those of a rectangle).
    fn fills_box(&self, some: &[u8], bounds: &Bounds) -> bool {
        let half_areas = some.iter().map(|&i| self.box_of(i).half_area());
        half_areas.sum::<f64>() >= 2.0 * bounds.half_area()
    }

    /// Writes the reference at `place` of an order.
    fn write(&mut self, order: &Order, place: usize) {
        let i = usize::from(order[place]);
        self.prims[place] = PrimRef::of(self.indices[i], &self.boxes[i]);
    }

    fn box_of(&self, i: u8) -> &Bounds {
        &self.boxes[usize::from(i) % SWEEP_MAX]
    }

    /// Puts some references in order of their centroids on an axis; (almost) equal ones by their places.
    fn sort(&self, some: &mut [u8], axis: usize) {
        // Whole numbers in the order of the centroids, all different: their last bits are the places.
        const { assert!(SWEEP_MAX == 16) }
        let mut keys = [i32::MAX; SWEEP_MAX];
        for (key, &i) in keys.iter_mut().zip(&*some) {
            let bounds = self.box_of(i);
            let bits = (bounds.min[axis] + bounds.max[axis]).to_bits() as i32;
            let ordered = bits ^ (bits >> 31 & i32::MAX);
            *key = ordered & !15 | i32::from(i);
        }
        // By counting those before, without a branch.
        let mut places = [0; SWEEP_MAX];
        for before in &keys[..some.len()] {
            for (place, key) in places.iter_mut().zip(&keys) {
                *place += u32::from(before < key);
            }
        }
        let mut sorted = [0; SWEEP_MAX];
        for (&place, &key) in places.iter().zip(&keys[..some.len()]) {
            sorted[place as usize % SWEEP_MAX] = key as u8 % 16;
        }
        some.copy_from_slice(&sorted[..some.len()]);
    }

    /// Parts the references at `begin..begin + count` such that it is cheapest by the surface area
    /// heuristic. Of (almost) equal planes it is the one that halves best, or many triangles in one
    /// place would make a chain; then the first, axis by axis. Returns how many go left, and both
    /// sides' boxes.
    fn part<const ORDERS: usize>(
        &mut self,
        orders: &mut [Order; ORDERS],
        begin: usize,
        count: usize,
        bounds: &Bounds,
    ) -> (usize, [Bounds; 2]) {
        if ORDERS == 1 {
            let some = &mut orders[0][begin..begin + count];
            self.sort(some, self.widest(some));
        }
        let (number, place) = match AreaScale::within(bounds) {
            Some(areas) => self.cheapest(orders, begin, count, &areas),
            None => (0, count / 2),
        };
        let (left, right) = orders[number][begin..begin + count].split_at(place);
        let bounds = |side: &[u8]| {
            let boxes = side.iter().map(|&i| self.box_of(i));
            boxes.fold(Bounds::EMPTY, |all, one| all.merged(one))
        };
        let sides = [bounds(left), bounds(right)];
        if ORDERS > 1 {
            partition_orders(orders, number, begin, count, place);
        }
        (place, sides)
    }

    /// The order and the place in it where to part.
    fn cheapest<const ORDERS: usize>(
        &mut self,
        orders: &[Order; ORDERS],
        begin: usize,
        count: usize,
        areas: &AreaScale,
    ) -> (usize, usize) {
        // A cost's bits but for the last, which say how far from the middle it is on which side,
        // and in which order: of positive numbers, the lesser has the lesser bits. Where there is
        // no plane, all are set.
        const LAST: i32 = 63;
        let mut last = [i32::MAX; SWEEP_MAX];
        for (place, last) in last.iter_mut().enumerate().take(count).skip(1) {
            let off = (2 * place).abs_diff(count) / 2;
            *last = (off << 3 | usize::from(2 * place > count)) as i32;
        }
        let mut least = [i32::MAX; 4];
        for (number, order) in orders.iter().enumerate() {
            let order = &order[begin..begin + count];
            let mut right = Bounds::EMPTY;
            for place in (1..count).rev() {
                right.merge(self.box_of(order[place]));
                self.rights[place] = right;
            }
            let mut left = Bounds::EMPTY;
            for place in 1..count {
                left.merge(self.box_of(order[place - 1]));
                self.lefts[place] = left;
            }
            let (lefts, _) = self.lefts.as_chunks::<4>();
            let (rights, _) = self.rights.as_chunks::<4>();
            for four in 0..count.div_ceil(4) {
                let lefts = areas.of(&lefts[four]).to_array();
                let rights = areas.of(&rights[four]).to_array();
                for i in 0..4 {
                    let place = 4 * four + i;
                    let on_right = count.wrapping_sub(place);
                    let left_cost = lefts[i] * weight(place as u32);
                    let cost = left_cost + rights[i] * weight(on_right as u32);
                    let bits = cost.to_bits() as i32 & (i32::MAX - LAST);
                    let key = bits | last[place] | (number << 1) as i32;
                    least[i] = least[i].min(key);
                }
            }
        }
        let least = least.into_iter().fold(i32::MAX, i32::min) & LAST;
        let off = least as usize >> 3;
        let half = count / 2;
        let place = match least & 1 {
            0 => half - off,
            _ => count - half + off,
        };
        (least as usize >> 1 & 3, place)
    }

    /// The axis on which the centroids of some references lie furthest apart.
    fn widest(&self, some: &[u8]) -> usize {
        let mut centroids = Bounds::EMPTY;
        for &i in some {
            let bounds = self.box_of(i);
            let centroid = Vec4::from_array(bounds.min) + Vec4::from_array(bounds.max);
            centroids.extend(&centroid.to_array());
        }
        centroids.widest()
    }
}

/// Puts those that go left, the first `place` of order `number`'s range, first in all orders.
fn partition_orders(orders: &mut [Order], number: usize, begin: usize, count: usize, place: usize) {
    let on_left = &orders[number][begin..begin + place];
    let left_ones = on_left.iter().fold(0u32, |all, &i| all | 1 << i);
    for order in orders {
        let before = *order;
        let (mut left, mut right) = (begin, begin + place);
        for &i in &before[begin..begin + count] {
            let goes_left = left_ones >> i & 1 != 0;
            let at = if goes_left { left } else { right };
            order[at % SWEEP_MAX] = i;
            left += usize::from(goes_left);
            right += usize::from(!goes_left);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bake::Quality;
    use crate::bake::bvh2::{Bvh2Node, NodePool};

    /// The levels below a child; each of its references is counted, and lies in its box.
    fn check(
        prims: &[PrimRef],
        nodes: &[Bvh2Node],
        child: Child,
        seen: &mut [u32],
    ) -> (usize, Bounds) {
        if child & PRIM_FLAG != 0 {
            let prim = &prims[(child & !PRIM_FLAG) as usize];
            seen[prim.index as usize] += 1;
            return (0, Bounds::of(prim));
        }
        let node = &nodes[child as usize];
        let (levels, bounds) = match node.run() {
            Some(run) => {
                let run = &prims[run];
                run.iter().for_each(|prim| seen[prim.index as usize] += 1);
                (0, Bounds::of_all(run))
            }
            None => {
                let left = check(prims, nodes, node.left, seen);
                let right = check(prims, nodes, node.right, seen);
                (left.0.max(right.0), left.1.merged(&right.1))
            }
        };
        assert_eq!((node.min, node.max), (bounds.min(), bounds.max()));
        (levels + 1, bounds)
    }

    fn levels(mut prims: Vec<PrimRef>, options: &BakeOptions) -> usize {
        let count = prims.len();
        let bounds = Bounds::of_all(&prims);
        let mut packed = SerialNodes::new(count);
        let root = build(&mut prims, 0, &mut packed, &bounds, options);
        let mut nodes = vec![Bvh2Node::default(); count - 1];
        let root = NodePool::new(&mut nodes).append(&packed, root);
        let mut seen = vec![0; count];
        let (levels, _) = check(&prims, &nodes, root, &mut seen);
        assert_eq!(seen, vec![1; count]);
        levels
    }

    fn reference() -> impl Strategy<Value = [[f32; 3]; 3]> {
        let coordinate = prop_oneof![-10f32..10.0, (-2i8..2).prop_map(f32::from), -1e38f32..1e38];
        prop::array::uniform3(prop::array::uniform3(coordinate))
    }

    proptest! {
        #[test]
        fn every_reference_is_in_one_place_and_its_box(
            corners in prop::collection::vec(reference(), 2..=SWEEP_MAX),
            fast in any::<bool>(),
        ) {
            let quality = if fast { Quality::Fast } else { Quality::Balanced };
            let prims = corners.iter().enumerate();
            let prims = prims.map(|(i, corners)| PrimRef::new(i as u32, corners)).collect();
            levels(prims, &quality.options());
        }
    }

    /// Where no plane is better than another, they would otherwise come to lie in a chain.
    #[test]
    fn what_is_in_one_place_is_halved() {
        for count in 2..=SWEEP_MAX {
            for quality in [Quality::Fast, Quality::Balanced] {
                let corners = [[1.0, 2.0, 3.0], [1.5, 2.0, 3.0], [1.0, 2.0, 4.0]];
                let prims = (0..count).map(|i| PrimRef::new(i as u32, &corners)).collect();
                let levels = levels(prims, &quality.options());
                assert!(1 << levels < 2 * count, "{levels} levels for {count}");
            }
        }
    }

    /// Squares of two triangles each, every one so far from the one before.
    fn squares(count: usize, step: f32) -> Vec<PrimRef> {
        let corners = (0..2 * count).map(|i| {
            let x = step * (i / 2) as f32;
            let third = [[x + 1.0, 0.0, 0.0], [x, 1.0, 0.0]][i % 2];
            [[x, 0.0, 0.0], [x + 1.0, 1.0, 0.0], third]
        });
        let prims = corners.enumerate();
        prims.map(|(i, c)| PrimRef::new(i as u32, &c)).collect()
    }

    #[test]
    fn what_fills_its_box_is_a_leaf_as_it_is() {
        let balanced = Quality::Balanced.options();
        // Side by side, and with gaps between: a leaf of all, or one for each square.
        assert_eq!(levels(squares(4, 1.0), &balanced), 1);
        assert_eq!(levels(squares(4, 1.5), &balanced), 3);
        assert_eq!(levels(squares(4, 1.5), &Quality::Fast.options()), 1);
        // Too many for one.
        assert_eq!(levels(squares(5, 1.0), &balanced), 2);
        let three = BakeOptions { leaf_triangles: 3, ..balanced };
        assert_eq!(levels(squares(2, 1.0), &three), 2);
    }
}
