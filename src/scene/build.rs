//! Builds the tree over the boxes of instances: nodes of sixteen, from the top down.

use crate::bvh::{LEAF, Node, WIDTH};
use crate::geometry::Aabb;
use crate::platform::parallel;

#[cfg(test)]
pub(super) mod tests;

/// Past this level of nodes, groups are halved: then no tree is deeper than `MAX_DEPTH`.
const MAX_SAH_DEPTH: u32 = 40;
/// The places at which a group may be split, and one.
const BINS: usize = 8;
/// A subtree of no more items is the work of one thread.
const SERIAL_LIMIT: usize = 8192;

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
    const EMPTY: Self = Self { first: 0, len: 0, bounds: Extent::EMPTY, centers: Extent::EMPTY };

    /// All of a slice.
    fn new(items: &[Item]) -> Self {
        let mut group = Self::EMPTY;
        for item in items {
            group.add(item);
        }
        group
    }

    /// Adds an item at the end.
    #[inline(always)]
    fn add(&mut self, item: &Item) {
        self.bounds.extend(&item.low, &item.high);
        let center = item.center();
        self.centers.extend(&center, &center);
        self.len += 1;
    }

    /// By the surface area heuristic.
    fn cost(&self) -> f32 {
        self.bounds.area() * self.len as f32
    }

    /// Adds items of another group at the end.
    fn append(&mut self, other: &Self) {
        self.bounds.extend(&other.bounds.low, &other.bounds.high);
        self.centers.extend(&other.centers.low, &other.centers.high);
        self.len += other.len;
    }
}

/// Builds a tree over the items, which are put in the order of its leaves: leaf `i` is item `i`.
/// It is no deeper than `MAX_DEPTH`.
pub(super) fn build(items: &mut [Item]) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(items.len().div_ceil(WIDTH / 2));
    if !items.is_empty() {
        let all = Group::new(items);
        build_node(Part { items, first: 0 }, &all, 0, &mut nodes);
    }
    nodes
}

/// Items of a subtree, and the leaf of the first.
struct Part<'a> {
    items: &'a mut [Item],
    first: u32,
}

impl Part<'_> {
    fn of(&mut self, group: &Group) -> Part<'_> {
        let items = &mut self.items[group.first..group.first + group.len];
        Part { items, first: self.first + group.first as u32 }
    }
}

/// Appends the node of a group, which is all of the part, and all nodes below it.
fn build_node(mut part: Part<'_>, group: &Group, depth: u32, nodes: &mut Vec<Node>) {
    let (groups, len) = divide(part.items, group, depth < MAX_SAH_DEPTH);
    let groups = &groups[..len];
    let inline = inlined(groups);
    let mut below = if part.items.len() > SERIAL_LIMIT {
        build_apart(&mut part, groups, &inline, depth + 1)
    } else {
        Vec::new()
    }
    .into_iter();
    let number = nodes.len();
    nodes.push(Node::EMPTY);
    let mut lane = 0;
    for (group, inline) in groups.iter().zip(inline) {
        if inline {
            let Part { items, first } = part.of(group);
            for (item, leaf) in items.iter().zip(first..) {
                let bounds = Extent { low: item.low, high: item.high }.bounds();
                nodes[number].set_bounds(lane, &bounds);
                nodes[number].child[lane] = LEAF | leaf;
                lane += 1;
            }
        } else {
            nodes[number].set_bounds(lane, &group.bounds.bounds());
            nodes[number].child[lane] = nodes.len() as u32;
            lane += 1;
            match below.next() {
                Some(subtree) => append(nodes, &subtree),
                None => build_node(part.of(group), group, depth + 1, nodes),
            }
        }
    }
}

/// Splits a group into as many as a node has children: the largest first, until all would fit into
/// a node of their own. The groups, and how many they are.
fn divide(items: &mut [Item], group: &Group, by_sah: bool) -> ([Group; WIDTH], usize) {
    let mut groups = [Group { first: 0, ..*group }; WIDTH];
    let mut len = 1;
    while len < WIDTH {
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
    (groups, len)
}

/// The groups whose items are children of the node themselves: the rest of its width takes whole
/// groups, the largest first.
fn inlined(groups: &[Group]) -> [bool; WIDTH] {
    let mut inline = [false; WIDTH];
    let mut used = groups.len();
    let mut order: [usize; WIDTH] = std::array::from_fn(|i| i);
    let order = &mut order[..groups.len()];
    order.sort_by(|&a, &b| groups[b].bounds.area().total_cmp(&groups[a].bounds.area()));
    for &mut i in order {
        if used - 1 + groups[i].len <= WIDTH {
            used += groups[i].len - 1;
            inline[i] = true;
        }
    }
    inline
}

/// Builds the subtrees of all groups that are not inlined, on several threads.
fn build_apart(
    part: &mut Part<'_>,
    groups: &[Group],
    inline: &[bool; WIDTH],
    depth: u32,
) -> Vec<Vec<Node>> {
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_unstable_by_key(|&i| groups[i].first);
    let (mut rest, mut first) = (&mut *part.items, part.first);
    let mut parts: [Option<Part<'_>>; WIDTH] = [const { None }; WIDTH];
    for i in order {
        let (items, others) = rest.split_at_mut(groups[i].len);
        if !inline[i] {
            parts[i] = Some(Part { items, first });
        }
        (rest, first) = (others, first + groups[i].len as u32);
    }
    // In the order of the lanes.
    let parts = parts.into_iter().enumerate().filter_map(|(i, part)| Some((i, part?))).collect();
    parallel::map_each(true, parts, |(i, part)| {
        let mut nodes = Vec::with_capacity(part.items.len().div_ceil(WIDTH / 2));
        build_node(part, &groups[i], depth, &mut nodes);
        nodes
    })
}

/// Appends a subtree that was built by itself.
fn append(nodes: &mut Vec<Node>, subtree: &[Node]) {
    let first = nodes.len() as u32;
    nodes.extend(subtree.iter().map(|node| {
        let mut node = *node;
        for lane in 0..node.len() {
            if node.leaf(lane).is_none() {
                node.child[lane] += first;
            }
        }
        node
    }));
}

/// Splits a group of two or more items where the surface area heuristic is least, of a few places
/// on an axis (Wald 2007, "On fast Construction of SAH-based Bounding Volume Hierarchies").
fn split(items: &mut [Item], group: &Group, by_sah: bool) -> [Group; 2] {
    let slice = &mut items[group.first..group.first + group.len];
    let best = if by_sah { Split::best(slice, &group.centers) } else { None };
    let sides = match best {
        Some(split) => {
            split.partition(slice);
            split.sides
        }
        None => halve(slice, &group.centers),
    };
    let [left, right] = sides;
    let middle = group.first + left.len;
    [Group { first: group.first, ..left }, Group { first: middle, ..right }]
}

/// Splits at the median: where all centres are alike, or groups must get smaller.
fn halve(items: &mut [Item], centers: &Extent) -> [Group; 2] {
    let axis = centers.longest_axis();
    let middle = items.len() / 2;
    items.select_nth_unstable_by(middle, |a, b| {
        let by_center = a.center()[axis].total_cmp(&b.center()[axis]);
        by_center.then(a.number().cmp(&b.number()))
    });
    let (left, right) = items.split_at(middle);
    [Group::new(left), Group::new(right)]
}

/// Where a group is split: items whose bin is below `bin` go to the left.
struct Split {
    bin: usize,
    bins: Binning,
    /// The items left and right of it.
    sides: [Group; 2],
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

    /// NaN falls into the first.
    #[inline(always)]
    fn bin(&self, item: &Item) -> usize {
        const LAST: f32 = (BINS - 1) as f32;
        // From 2^23 on, the last bits of a number are its integer part. This takes half the time
        // of a conversion, which has to look for numbers that are out of range.
        const INTEGER: f32 = (1 << 23) as f32;
        let at = (item.low[self.axis] + item.high[self.axis] - self.low) * self.scale - 0.5;
        let at = if at > 0.0 { at } else { 0.0 };
        let at = if at < LAST { at } else { LAST };
        (at + INTEGER).to_bits() as usize % BINS
    }
}

impl Split {
    /// The best place on the axis along which the centres lie farthest apart. To try the other axes
    /// too takes twice as long and makes rays hardly faster.
    fn best(items: &[Item], centers: &Extent) -> Option<Self> {
        let bins = Binning::new(centers, centers.longest_axis());
        let mut filled = [Group::EMPTY; BINS];
        for item in items {
            filled[bins.bin(item)].add(item);
        }
        // The items right of each place.
        let mut right = [Group::EMPTY; BINS + 1];
        for bin in (1..BINS).rev() {
            right[bin] = right[bin + 1];
            right[bin].append(&filled[bin]);
        }
        let mut best: Option<(f32, Self)> = None;
        let mut left = Group::EMPTY;
        for bin in 1..BINS {
            left.append(&filled[bin - 1]);
            let right = right[bin];
            if left.len == 0 || right.len == 0 {
                continue;
            }
            let cost = left.cost() + right.cost();
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, Self { bin, bins, sides: [left, right] }));
            }
        }
        best.map(|(_, split)| split)
    }

    /// Puts the items of the left side first.
    fn partition(&self, items: &mut [Item]) {
        let mut left = 0;
        for i in 0..items.len() {
            // Swapped in any case: a branch would be mispredicted half of the time.
            let is_left = self.bins.bin(&items[i]) < self.bin;
            items.swap(left, i);
            left += usize::from(is_left);
        }
    }
}
