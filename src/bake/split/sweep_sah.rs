//! Object splits of small sets, down to single references or leaves: the planes between any two
//! centroids in sorted order are tried (sweep SAH). For so few this is cheaper than bins.

use glam::Vec4;

use super::super::bounds::Bounds;
use super::super::bvh2::{Bvh2Node, Child, PRIM_FLAG, SerialNodes};
use super::super::preset::{Axes, Leaves, Preset};
use super::super::prim_ref::PrimRef;
use super::sah::{AreaScale, set_cost};
use crate::bvh::LANES;

/// The most references.
pub(super) const SWEEP_MAX: usize = 16;

/// Builds the subtree of all `prims`, at most [`SWEEP_MAX`]. `first` is the index of their first
/// place in the whole tree.
pub(super) fn build(
    prims: &mut [PrimRef],
    first: usize,
    nodes: &mut SerialNodes,
    bounds: &Bounds,
    preset: &Preset,
) -> Child {
    let count = prims.len();
    let mut boxes = [Bounds::EMPTY; SWEEP_MAX];
    let mut indices = [0; SWEEP_MAX];
    for (i, prim) in prims.iter().enumerate() {
        (boxes[i], indices[i]) = (prim.bounds(), prim.index);
    }
    let mut builder = SweepBuilder {
        prims,
        first,
        leaves: preset.leaves,
        boxes,
        indices,
        lefts: [Bounds::EMPTY; SWEEP_MAX],
        rights: [Bounds::EMPTY; SWEEP_MAX],
    };
    match preset.axes {
        Axes::All => {
            let mut orders = [UNSORTED; 3];
            for (axis, order) in orders.iter_mut().enumerate() {
                builder.sort(&mut order[..count], axis);
            }
            builder.build(&mut orders, 0, count, bounds, nodes)
        }
        Axes::Widest => builder.build(&mut [UNSORTED], 0, count, bounds, nodes),
    }
}

struct SweepBuilder<'a> {
    /// Where the references are written.
    prims: &'a mut [PrimRef],
    /// The index of the first place in the whole tree.
    first: usize,
    leaves: Leaves,
    boxes: [Bounds; SWEEP_MAX],
    indices: [u32; SWEEP_MAX],
    /// The boxes of the references before each place of an order, and of those from there on.
    lefts: [Bounds; SWEEP_MAX],
    rights: [Bounds; SWEEP_MAX],
}

/// References in some order, as indices of [`SweepBuilder::boxes`]. A subtree has a range of it.
type Order = [u8; SWEEP_MAX];
const UNSORTED: Order = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

impl SweepBuilder<'_> {
    /// Builds the subtree of the references at `begin..begin + count` of the orders. There is an
    /// order for each axis, sorted by centroids, or a single one that may be sorted anew.
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
        let node = nodes.len();
        nodes.push(Bvh2Node::default());
        let (left, right);
        if self.is_unsplit(&orders[0][begin..begin + count], bounds) {
            for i in begin..begin + count {
                self.write(&orders[0], i);
            }
            left = PRIM_FLAG | place as u32;
            right = PRIM_FLAG | (place + count - 1) as u32;
        } else {
            let (on_left, sides) = self.split(orders, begin, count, bounds);
            left = self.build(orders, begin, on_left, &sides[0], nodes);
            right = self.build(orders, begin + on_left, count - on_left, &sides[1], nodes);
        }
        nodes[node] = Bvh2Node::new(bounds, left, right);
        node as Child
    }

    /// Whether two or more references are split no further.
    fn is_unsplit(&self, set: &[u8], bounds: &Bounds) -> bool {
        if set.len() == 2 {
            return true;
        }
        set.len() <= LANES
            && match self.leaves {
                Leaves::FirstFit => true,
                Leaves::Cheapest => self.fills_box(set, bounds),
            }
    }

    /// Whether the boxes of some references fill the box around them twice, so that parts of the
    /// set would be hardly smaller. Twice, because the two triangles of a rectangle share a box.
    fn fills_box(&self, set: &[u8], bounds: &Bounds) -> bool {
        let half_areas = set.iter().map(|&i| self.bounds(i).half_area());
        half_areas.sum::<f64>() >= 2.0 * bounds.half_area()
    }

    /// Writes the reference at a place of an order.
    fn write(&mut self, order: &Order, place: usize) {
        let i = usize::from(order[place]);
        self.prims[place] = PrimRef::with_bounds(self.indices[i], &self.boxes[i]);
    }

    fn bounds(&self, i: u8) -> &Bounds {
        &self.boxes[usize::from(i) % SWEEP_MAX]
    }

    /// Sorts references by their centroids on an axis, and those that are equal or almost equal by
    /// index.
    fn sort(&self, set: &mut [u8], axis: usize) {
        // Integers in the order of the centroids, whose last four bits are the indices.
        const { assert!(SWEEP_MAX == 16) }
        let mut keys = [i32::MAX; SWEEP_MAX];
        for (key, &i) in keys.iter_mut().zip(&*set) {
            let bounds = self.bounds(i);
            let bits = (bounds.min[axis] + bounds.max[axis]).to_bits() as i32;
            let ordered = bits ^ (bits >> 31 & i32::MAX);
            *key = ordered & !15 | i32::from(i);
        }
        // The place of a key is the number of lesser keys: no branches.
        let mut places = [0; SWEEP_MAX];
        for before in &keys[..set.len()] {
            for (place, key) in places.iter_mut().zip(&keys) {
                *place += u32::from(before < key);
            }
        }
        let mut sorted = [0; SWEEP_MAX];
        for (&place, &key) in places.iter().zip(&keys[..set.len()]) {
            sorted[place as usize % SWEEP_MAX] = key as u8 % 16;
        }
        set.copy_from_slice(&sorted[..set.len()]);
    }

    /// Splits the references at `begin..begin + count` at the cheapest plane. Of planes that cost
    /// almost the same, it takes the one nearest to the middle, so that triangles in one place do
    /// not make a chain; then the first. Returns how many go left, and the boxes of both sides.
    fn split<const ORDERS: usize>(
        &mut self,
        orders: &mut [Order; ORDERS],
        begin: usize,
        count: usize,
        bounds: &Bounds,
    ) -> (usize, [Bounds; 2]) {
        if ORDERS == 1 {
            let set = &mut orders[0][begin..begin + count];
            self.sort(set, self.widest_axis(set));
        }
        let (number, place) = match AreaScale::new(bounds) {
            Some(areas) => self.cheapest_plane(orders, begin, count, &areas),
            None => (0, count / 2),
        };
        let (left, right) = orders[number][begin..begin + count].split_at(place);
        let bounds = |side: &[u8]| {
            let boxes = side.iter().map(|&i| self.bounds(i));
            boxes.fold(Bounds::EMPTY, |all, one| all.merged(one))
        };
        let sides = [bounds(left), bounds(right)];
        if ORDERS > 1 {
            partition(orders, number, begin, count, place);
        }
        (place, sides)
    }

    /// The order and the place in it where to split.
    fn cheapest_plane<const ORDERS: usize>(
        &mut self,
        orders: &[Order; ORDERS],
        begin: usize,
        count: usize,
        areas: &AreaScale,
    ) -> (usize, usize) {
        // A key has the bits of a cost except the last six. Those hold the distance from the
        // middle, the order's number and the side of the middle. Costs are positive, so their bits
        // are in the same order. All bits are set where there is no plane.
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
                right.merge(self.bounds(order[place]));
                self.rights[place] = right;
            }
            let mut left = Bounds::EMPTY;
            for place in 1..count {
                left.merge(self.bounds(order[place - 1]));
                self.lefts[place] = left;
            }
            let (lefts, _) = self.lefts.as_chunks::<4>();
            let (rights, _) = self.rights.as_chunks::<4>();
            for four in 0..count.div_ceil(4) {
                let lefts = areas.half_areas(&lefts[four]).to_array();
                let rights = areas.half_areas(&rights[four]).to_array();
                for i in 0..4 {
                    let place = 4 * four + i;
                    let on_right = count.wrapping_sub(place);
                    let left_cost = lefts[i] * set_cost(place as u32);
                    let cost = left_cost + rights[i] * set_cost(on_right as u32);
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

    /// The axis along which the centroids of some references are spread furthest.
    fn widest_axis(&self, set: &[u8]) -> usize {
        let mut centroids = Bounds::EMPTY;
        for &i in set {
            let bounds = self.bounds(i);
            let centroid = Vec4::from_array(bounds.min) + Vec4::from_array(bounds.max);
            centroids.extend(&centroid.to_array());
        }
        centroids.widest_axis()
    }
}

/// Moves the references that go left, the first `place` in the range of order `number`, to the
/// front of that range in all orders.
fn partition(orders: &mut [Order], number: usize, begin: usize, count: usize, place: usize) {
    let on_left = &orders[number][begin..begin + place];
    let left_bits = on_left.iter().fold(0u32, |all, &i| all | 1 << i);
    for order in orders {
        let before = *order;
        let (mut left, mut right) = (begin, begin + place);
        for &i in &before[begin..begin + count] {
            let goes_left = left_bits >> i & 1 != 0;
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
    use crate::bake::bvh2::NodePool;
    use crate::bvh::Quality;

    fn bounds_of(prims: &[PrimRef]) -> Bounds {
        prims.iter().fold(Bounds::EMPTY, |all, prim| all.merged(&prim.bounds()))
    }

    /// The levels below a child. Counts its references and checks that they lie in its box.
    fn check(
        prims: &[PrimRef],
        nodes: &[Bvh2Node],
        child: Child,
        seen: &mut [u32],
    ) -> (usize, Bounds) {
        if child & PRIM_FLAG != 0 {
            let prim = &prims[(child & !PRIM_FLAG) as usize];
            seen[prim.index as usize] += 1;
            return (0, prim.bounds());
        }
        let node = &nodes[child as usize];
        let (levels, bounds) = match node.prim_range() {
            Some(range) => {
                let range = &prims[range];
                range.iter().for_each(|prim| seen[prim.index as usize] += 1);
                (0, bounds_of(range))
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

    fn levels(mut prims: Vec<PrimRef>, quality: Quality) -> usize {
        let count = prims.len();
        let bounds = bounds_of(&prims);
        let mut serial = SerialNodes::with_capacity(count);
        let root = build(&mut prims, 0, &mut serial, &bounds, &Preset::new(quality, None));
        let mut nodes = vec![Bvh2Node::default(); count - 1];
        let root = NodePool::new(&mut nodes).append(&serial, root);
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
            levels(prims, quality);
        }
    }

    /// Where no plane is better than another, they would otherwise make a chain.
    #[test]
    fn references_in_one_place_are_split_in_half() {
        for count in 2..=SWEEP_MAX {
            for quality in [Quality::Fast, Quality::Balanced] {
                let corners = [[1.0, 2.0, 3.0], [1.5, 2.0, 3.0], [1.0, 2.0, 4.0]];
                let prims = (0..count).map(|i| PrimRef::new(i as u32, &corners)).collect();
                let levels = levels(prims, quality);
                assert!(1 << levels < 2 * count, "{levels} levels for {count}");
            }
        }
    }

    /// Squares of two triangles each, `step` apart.
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
    fn a_set_that_fills_its_box_is_a_leaf() {
        // Side by side they make one leaf, with gaps between them one for each square.
        assert_eq!(levels(squares(4, 1.0), Quality::Balanced), 1);
        assert_eq!(levels(squares(4, 1.5), Quality::Balanced), 3);
        assert_eq!(levels(squares(4, 1.5), Quality::Fast), 1);
        // Too many for one leaf.
        assert_eq!(levels(squares(5, 1.0), Quality::Balanced), 2);
    }
}
