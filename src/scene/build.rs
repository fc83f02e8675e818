//! Builds the tree over the boxes of instances: nodes of sixteen, from the top down.

use crate::bvh::{LEAF, Node, WIDTH};
use crate::geometry::Aabb;

#[cfg(test)]
mod tests;

/// Past this level of nodes, groups are halved: then no tree is deeper than `MAX_DEPTH`.
const MAX_SAH_DEPTH: u32 = 40;
/// The places at which a group may be split, and one.
const BINS: usize = 8;

/// A box to build over. The fourth lanes are no coordinates: the first is the box's number.
#[derive(Clone, Copy)]
pub(super) struct Item {
    low: [f32; 4],
    high: [f32; 4],
}

impl Item {
    /// The box must not be empty.
    pub(super) fn new(bounds: &Aabb, number: u32) -> Self {
        let ([a, b, c], [d, e, f]) = (bounds.min.to_array(), bounds.max.to_array());
        Self { low: [a, b, c, f32::from_bits(number)], high: [d, e, f, 0.0] }
    }

    pub(super) fn number(&self) -> u32 {
        self.low[3].to_bits()
    }

    /// Twice the centre: it may be infinite.
    #[inline(always)]
    fn center(&self) -> [f32; 4] {
        std::array::from_fn(|k| self.low[k] + self.high[k])
    }
}

/// The least and the greatest of some coordinates. Lanes as in [`Item`].
#[derive(Clone, Copy)]
struct Extent {
    low: [f32; 4],
    high: [f32; 4],
}

impl Extent {
    const EMPTY: Self = Self { low: [f32::INFINITY; 4], high: [f32::NEG_INFINITY; 4] };

    #[inline(always)]
    fn extend(&mut self, low: &[f32; 4], high: &[f32; 4]) {
        for k in 0..4 {
            self.low[k] = if low[k] < self.low[k] { low[k] } else { self.low[k] };
            self.high[k] = if high[k] > self.high[k] { high[k] } else { self.high[k] };
        }
    }

    fn size(&self, k: usize) -> f32 {
        self.high[k] - self.low[k]
    }

    fn longest_axis(&self) -> usize {
        let [x, y, z] = [0, 1, 2].map(|k| self.size(k));
        if x >= y && x >= z { 0 } else { 1 + usize::from(z > y) }
    }

    /// Half the surface area.
    fn area(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|k| self.size(k));
        x * y + y * z + z * x
    }

    fn bounds(&self) -> Aabb {
        let ([a, b, c, _], [d, e, f, _]) = (self.low, self.high);
        Aabb::from_min_max([a, b, c], [d, e, f])
    }
}

/// Items that lie next to each other in the slice.
#[derive(Clone, Copy)]
struct Group {
    first: usize,
    len: usize,
    bounds: Extent,
    /// Of [`Item::center`].
    centers: Extent,
}

impl Group {
    fn new(items: &[Item], first: usize, len: usize) -> Self {
        let (mut bounds, mut centers) = (Extent::EMPTY, Extent::EMPTY);
        for item in &items[first..first + len] {
            bounds.extend(&item.low, &item.high);
            let center = item.center();
            centers.extend(&center, &center);
        }
        Self { first, len, bounds, centers }
    }
}

/// Builds a tree over the items, which are put in the order of its leaves: leaf `i` is item `i`.
/// It is no deeper than `MAX_DEPTH`.
pub(super) fn build(items: &mut [Item]) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(items.len().div_ceil(WIDTH / 2));
    if !items.is_empty() {
        let all = Group::new(items, 0, items.len());
        build_node(items, &all, 0, &mut nodes);
    }
    nodes
}

/// Appends the node of a group and all below it.
fn build_node(items: &mut [Item], group: &Group, depth: u32, nodes: &mut Vec<Node>) -> u32 {
    let mut groups = [*group; WIDTH];
    let mut len = 1;
    // The largest first, until all fit into a node or there are as many as a node has children.
    while len < WIDTH {
        let by_sah = depth < MAX_SAH_DEPTH;
        // Of equally large ones that with the most items.
        let size = |&i: &usize| {
            let Group { len, bounds, .. } = &groups[i];
            (if by_sah { bounds.area() } else { 0.0 }, *len)
        };
        let large = (0..len).filter(|&i| groups[i].len > WIDTH);
        let by_size = |a: &usize, b: &usize| {
            let ((a, items_a), (b, items_b)) = (size(a), size(b));
            a.total_cmp(&b).then(items_a.cmp(&items_b))
        };
        let Some(at) = large.max_by(by_size) else { break };
        let [left, right] = split(items, &groups[at], by_sah);
        groups[at] = left;
        groups[len] = right;
        len += 1;
    }
    // What is left of the width takes the items of whole groups, the largest first.
    let mut inline = [false; WIDTH];
    let mut used = len;
    let mut order: [usize; WIDTH] = std::array::from_fn(|i| i);
    order[..len].sort_by(|&a, &b| groups[b].bounds.area().total_cmp(&groups[a].bounds.area()));
    for &i in &order[..len] {
        if used - 1 + groups[i].len <= WIDTH {
            used += groups[i].len - 1;
            inline[i] = true;
        }
    }
    let number = nodes.len();
    nodes.push(Node::EMPTY);
    let mut lane = 0;
    for i in 0..len {
        let group = groups[i];
        if inline[i] {
            for at in group.first..group.first + group.len {
                let item = items[at];
                let bounds = Extent { low: item.low, high: item.high }.bounds();
                nodes[number].set_bounds(lane, &bounds);
                nodes[number].child[lane] = LEAF | at as u32;
                lane += 1;
            }
        } else {
            let child = build_node(items, &group, depth + 1, nodes);
            nodes[number].set_bounds(lane, &group.bounds.bounds());
            nodes[number].child[lane] = child;
            lane += 1;
        }
    }
    number as u32
}

/// Splits a group of two or more items where the surface area heuristic is least, of a few places
/// on an axis (Wald 2007, "On fast Construction of SAH-based Bounding Volume Hierarchies").
fn split(items: &mut [Item], group: &Group, by_sah: bool) -> [Group; 2] {
    let slice = &mut items[group.first..group.first + group.len];
    let plane = if by_sah { best_plane(slice, &group.centers) } else { None };
    let left = match plane {
        Some(plane) => partition(slice, &plane),
        None => {
            // All centres are alike, or the group must be halved.
            let axis =
                (0..3).max_by(|&a, &b| group.centers.size(a).total_cmp(&group.centers.size(b)));
            let axis = axis.unwrap_or(0);
            let middle = slice.len() / 2;
            slice.select_nth_unstable_by(middle, |a, b| {
                let by_center = a.center()[axis].total_cmp(&b.center()[axis]);
                by_center.then(a.number().cmp(&b.number()))
            });
            middle
        }
    };
    [Group::new(items, group.first, left), Group::new(items, group.first + left, group.len - left)]
}

/// Where a group is split: items whose bin is below `bin` go to the left.
struct Plane {
    bin: usize,
    bins: Binning,
}

/// Which bin an item falls into.
#[derive(Clone, Copy)]
struct Binning {
    axis: usize,
    low: f32,
    scale: f32,
}

impl Binning {
    fn new(centers: &Extent, axis: usize) -> Self {
        let scale = BINS as f32 / centers.size(axis);
        let scale = if scale.is_finite() { scale } else { 0.0 };
        Self { axis, low: centers.low[axis], scale }
    }

    /// What is no number falls into the first.
    #[inline(always)]
    fn bin(&self, item: &Item) -> usize {
        let at = (item.low[self.axis] + item.high[self.axis] - self.low) * self.scale;
        (at as usize).min(BINS - 1)
    }
}

/// The best place on the axis along which the centres lie farthest apart. To try the other axes too
/// takes twice as long and makes rays hardly faster.
fn best_plane(items: &[Item], centers: &Extent) -> Option<Plane> {
    let axis = centers.longest_axis();
    let bins = Binning::new(centers, axis);
    let mut filled = [(Extent::EMPTY, 0u32); BINS];
    for item in items {
        let (bounds, count) = &mut filled[bins.bin(item)];
        bounds.extend(&item.low, &item.high);
        *count += 1;
    }
    let mut right = [(0f32, 0u32); BINS];
    let (mut bounds, mut count) = (Extent::EMPTY, 0);
    for bin in (1..BINS).rev() {
        bounds.extend(&filled[bin].0.low, &filled[bin].0.high);
        count += filled[bin].1;
        right[bin] = (bounds.area(), count);
    }
    let mut best: Option<(f32, usize)> = None;
    let (mut bounds, mut count) = (Extent::EMPTY, 0);
    for bin in 1..BINS {
        bounds.extend(&filled[bin - 1].0.low, &filled[bin - 1].0.high);
        count += filled[bin - 1].1;
        let (area, after) = right[bin];
        if count == 0 || after == 0 {
            continue;
        }
        let cost = bounds.area() * count as f32 + area * after as f32;
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, bin));
        }
    }
    best.map(|(_, bin)| Plane { bin, bins })
}

/// Puts the items of the left side first, and gives their number.
fn partition(items: &mut [Item], plane: &Plane) -> usize {
    let mut left = 0;
    for i in 0..items.len() {
        if plane.bins.bin(&items[i]) < plane.bin {
            items.swap(left, i);
            left += 1;
        }
    }
    left
}
