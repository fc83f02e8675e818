//! End-point overlap: surface that is in a box without belonging to the subtree below it.

use super::cost::{LEAF_COST, NODE_COST};
use super::{Bvh, LEAF, LeafBlock, Node, ROOT, TreeView};
use crate::platform::parallel;

/// The most triangles of the sample.
const MAX_SAMPLE: usize = 1 << 15;
/// The sample is cut short once this many nodes were visited. In most levels a triangle takes some
/// ten nodes; where all boxes overlap, all of them.
const NODES_ENOUGH: usize = 1 << 21;
/// Triangles that one thread takes at a time.
const CHUNK: usize = 1 << 8;

impl Bvh {
    /// The end-point overlap of the tree (Aila, Karras and Laine 2013, "On Quality Metrics of
    /// Bounding Volume Hierarchies"): the expected needless work of a ray because of where it
    /// *ends*, in node tests. It is the fraction of all surface that lies in a box but does not
    /// belong to the subtree below it, summed over all boxes. Zero where there is no surface.
    ///
    /// The cost by the surface area heuristic
    /// ([`TreeStats::sah_cost`](super::TreeStats::sah_cost)) assumes rays that go through
    /// everything. For rays that hit something soon, this one counts as much.
    ///
    /// Computed at each call, in up to a few seconds, on all threads. In trees with more than
    /// 32,768 references to triangles, an even sample of at most that many is used. The same tree
    /// gives the same number, with any number of threads.
    #[must_use]
    pub fn epo_cost(&self) -> f64 {
        let view = self.view();
        let places: usize = view.blocks.iter().map(LeafBlock::len).sum();
        let step = places.div_ceil(MAX_SAMPLE).max(1);
        let mut sample = Vec::new();
        let mut next = 0;
        for block in view.blocks {
            while next < block.len() {
                sample.push((block.id[next], block.corners(next)));
                next += step;
            }
            next -= block.len();
        }
        // In an order of which any beginning is spread over the whole tree. The sample doubles
        // until it is enough.
        let order = spread(sample.len());
        let (mut foreign, mut all, mut nodes) = (0.0, 0.0, 0);
        let mut done = 0;
        while done < order.len() && nodes < NODES_ENOUGH {
            let next = &order[done..order.len().min((2 * done).max(1))];
            done += next.len();
            let chunks: Vec<_> = next.chunks(CHUNK).collect();
            let sums = parallel::map(&chunks, |chunk| {
                let (mut sum, mut area) = (Found::default(), 0.0);
                for &number in *chunk {
                    let (id, corners) = &sample[number];
                    let surface = Surface::new(corners);
                    let found = foreign_below(view, ROOT, *id, &surface);
                    sum.foreign += found.foreign;
                    sum.nodes += found.nodes;
                    area += surface.area();
                }
                (sum, area)
            });
            for (sum, area) in sums {
                foreign += sum.foreign;
                nodes += sum.nodes;
                all += area;
            }
        }
        if all > 0.0 { foreign / all } else { 0.0 }
    }
}

/// Searches a node and all below it for the triangle `id`.
fn foreign_below(view: &TreeView<'_>, node: u32, id: u32, surface: &Surface) -> Found {
    let mut found = Found::default();
    let Some(node) = view.nodes.get(node as usize) else {
        return found;
    };
    found.nodes = 1;
    for lane in 0..node.len() {
        let inside = surface.within(node, lane);
        if inside.len == 0 {
            continue;
        }
        let child = node.child[lane];
        let (has_it, price) = if child & LEAF == 0 {
            let below = foreign_below(view, child, id, &inside);
            found.foreign += below.foreign;
            found.nodes += below.nodes;
            (below.has_it, NODE_COST)
        } else {
            let block = view.blocks.get((child & !LEAF) as usize);
            (block.is_some_and(|block| block.id.contains(&id)), LEAF_COST)
        };
        found.has_it |= has_it;
        if !has_it {
            found.foreign += f64::from(price) * inside.area();
        }
    }
    found
}

/// What a search for a triangle finds below a node.
#[derive(Clone, Copy, Default)]
struct Found {
    /// Whether the triangle is there.
    has_it: bool,
    /// The area of it in each box that does not hold it, times the cost to test the contents of the
    /// box, summed.
    foreign: f64,
    /// How many nodes were visited.
    nodes: usize,
}

/// All numbers below `count`, in the order of their bits read backwards.
fn spread(count: usize) -> Vec<usize> {
    let bits = count.next_power_of_two().trailing_zeros();
    let reversed = |i: usize| i.reverse_bits().checked_shr(usize::BITS - bits).unwrap_or(0);
    (0..1 << bits).map(reversed).filter(|&i| i < count).collect()
}

/// A triangle, or a part of it: a convex polygon.
#[derive(Clone, Copy)]
struct Surface {
    points: [[f64; 3]; Self::MAX_POINTS],
    len: usize,
}

impl Surface {
    /// Each of a box's six planes cuts off a corner and leaves two.
    const MAX_POINTS: usize = 3 + 6;

    fn new(corners: &[[f32; 3]; 3]) -> Self {
        let mut points = [[0.0; 3]; Self::MAX_POINTS];
        for (point, corner) in points.iter_mut().zip(corners) {
            *point = corner.map(f64::from);
        }
        Self { points, len: 3 }
    }

    fn points(&self) -> &[[f64; 3]] {
        &self.points[..self.len]
    }

    fn push(&mut self, point: [f64; 3]) {
        // Rounding may give a point more than there is room for.
        if let Some(place) = self.points.get_mut(self.len) {
            *place = point;
            self.len += 1;
        }
    }

    /// The part in a child's box (Sutherland and Hodgman 1974, "Reentrant Polygon Clipping").
    fn within(&self, node: &Node, lane: usize) -> Self {
        let mut rest = *self;
        for axis in 0..3 {
            let (min, max) = (node.min[axis][lane], node.max[axis][lane]);
            rest = rest.cut(axis, |x| x - f64::from(min));
            rest = rest.cut(axis, |x| f64::from(max) - x);
        }
        rest
    }

    /// The part where `distance` of a coordinate is not negative.
    fn cut(&self, axis: usize, distance: impl Fn(f64) -> f64) -> Self {
        if self.points().iter().all(|point| distance(point[axis]) >= 0.0) {
            return *self;
        }
        let mut rest = Self { len: 0, ..*self };
        let mut before = self.points[self.len.saturating_sub(1)];
        for &point in self.points() {
            let (from, to) = (distance(before[axis]), distance(point[axis]));
            if (from < 0.0) != (to < 0.0) {
                let part = from / (from - to);
                rest.push([0, 1, 2].map(|k| before[k] + part * (point[k] - before[k])));
            }
            if to >= 0.0 {
                rest.push(point);
            }
            before = point;
        }
        rest
    }

    fn area(&self) -> f64 {
        let mut sum = [0.0; 3];
        let origin = self.points[0];
        for pair in self.points().windows(2) {
            let [a, b] = [0, 1].map(|i| [0, 1, 2].map(|k| pair[i][k] - origin[k]));
            for k in 0..3 {
                let [x, y] = [(k + 1) % 3, (k + 2) % 3];
                sum[k] += a[x] * b[y] - a[y] * b[x];
            }
        }
        0.5 * (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bake::{Builder, Quality};
    use crate::mesh::Mesh;
    use crate::test_rng;

    #[test]
    fn every_number_comes_once_and_the_first_are_far_apart() {
        for count in 0..70 {
            let mut order = spread(count);
            if count == 64 {
                assert_eq!(order[..4], [0, 32, 16, 48]);
            }
            order.sort_unstable();
            assert!(order.into_iter().eq(0..count));
        }
    }

    /// Triangles through the whole of a cube: each lies in almost all boxes.
    #[test]
    #[cfg_attr(miri, ignore = "takes many minutes there")]
    fn what_overlaps_throughout_is_told_from_few() {
        let mut state = 1;
        let mut number = || test_rng::number(&mut state);
        let corners: Vec<[f32; 3]> =
            (0..3 * 20_000).map(|_| [number(), number(), number()]).collect();
        let builder = Builder::new().quality(Quality::Fast);
        let (bvh, _) = builder.bake(&[Mesh::from_soup(corners)]).unwrap();
        let cost = bvh.epo_cost();
        println!("{cost} of {} nodes", bvh.view().nodes.len());
        // Most of the nodes, of which each costs something.
        assert!(cost > 0.1 * bvh.view().nodes.len() as f64, "{cost}");
    }
}
