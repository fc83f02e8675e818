//! Boxes into a binary tree, by the binned surface area heuristic (Wald 2007).
//!
//! The tree goes down to single triangles: which of its nodes stay is decided by
//! [`collapse`](super::collapse). A tree of `n` triangles has `2 n - 1` nodes, stored depth
//! first, so every subtree knows its place in the array before it is built, and threads never
//! meet.

use super::gather::Prim;
use super::monitor::Monitor;
use super::{Stage, parallel};

/// A node of the binary tree. Its left child follows it; its right child follows the left
/// child's `2 * left_count - 1` nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binary {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
    /// Triangles below.
    pub(crate) count: u32,
    /// Triangles below the left child; for a single triangle, which one it is.
    pub(crate) left: u32,
}

impl Binary {
    pub(crate) const EMPTY: Self = Self {
        min: [f32::INFINITY; 3],
        max: [f32::NEG_INFINITY; 3],
        count: 0,
        left: 0,
    };

    /// Half the surface area, in `f64`: no finite box overflows.
    pub(crate) fn half_area(&self) -> f64 {
        half_area(&self.min, &self.max)
    }

    /// How many nodes after this one its right child is.
    pub(crate) fn right(&self) -> usize {
        2 * self.left as usize
    }
}

pub(crate) fn half_area(min: &[f32; 3], max: &[f32; 3]) -> f64 {
    let [x, y, z] = [0, 1, 2].map(|k| f64::from(max[k]) - f64::from(min[k]));
    x * y + y * z + z * x
}

const BINS: usize = 32;
/// Below this many triangles half the bins do as well.
const FEW: usize = 64;
/// No path is longer than this, however the triangles lie: when it comes near, sets are halved
/// by count.
const MAX_DEPTH: u32 = 60;
/// Sets from this size on are worth another thread.
const FORK: usize = 4096;
/// Sets from this size on are binned by several threads.
const CHUNK: usize = 1 << 15;
/// Subtrees of this size are told to the monitor.
const REPORT: usize = 1024;

/// Builds the tree. `prims` comes back in the order of the leaves.
pub(crate) fn split(prims: &mut [Prim], monitor: &Monitor<'_>) -> Vec<Binary> {
    if prims.is_empty() {
        return Vec::new();
    }
    let mut nodes = vec![Binary::EMPTY; 2 * prims.len() - 1];
    build(prims, &mut nodes, 0, monitor);
    nodes
}

fn build(prims: &mut [Prim], nodes: &mut [Binary], depth: u32, monitor: &Monitor<'_>) {
    if monitor.is_cancelled() {
        return;
    }
    let count = prims.len();
    let extent = parallel::fold(prims, CHUNK, Extent::of, Extent::merge);
    nodes[0] = Binary {
        min: extent.min,
        max: extent.max,
        count: count as u32,
        left: 0,
    };
    if count == 1 {
        nodes[0].left = prims[0].index;
        return;
    }
    let left = partition(prims, &extent, depth);
    nodes[0].left = left as u32;
    let (left_prims, right_prims) = prims.split_at_mut(left);
    let (left_nodes, right_nodes) = nodes[1..].split_at_mut(2 * left - 1);
    parallel::join(
        count >= FORK,
        || build(left_prims, left_nodes, depth + 1, monitor),
        || build(right_prims, right_nodes, depth + 1, monitor),
    );
    if count >= REPORT {
        // What the children have not told.
        let told = |n: usize| if n >= REPORT { n } else { 0 };
        monitor.advance(Stage::Split, count - told(left) - told(count - left));
    }
}

/// Orders the triangles so that the first `n` returned go left.
fn partition(prims: &mut [Prim], extent: &Extent, depth: u32) -> usize {
    let count = prims.len();
    let levels = usize::BITS - (count - 1).leading_zeros();
    if depth + levels >= MAX_DEPTH {
        return halve(prims, extent);
    }
    let bins = if count < FEW { BINS / 2 } else { BINS };
    let grid = Grid::new(extent, bins);
    let filled = parallel::fold(
        prims,
        CHUNK,
        |prims| Filled::of(prims, &grid),
        Filled::merge,
    );
    match filled.best(bins) {
        Some(plane) => {
            let left = swap_partition(prims, |prim| grid.bin(prim, plane.axis) < plane.bin);
            debug_assert_eq!(left, plane.left);
            left
        }
        None => halve(prims, extent),
    }
}

/// Halves the set by count, along the widest axis of the centroids. Ids break ties, so that the
/// outcome is one only.
fn halve(prims: &mut [Prim], extent: &Extent) -> usize {
    let width = |k: usize| f64::from(extent.centroid_max[k]) - f64::from(extent.centroid_min[k]);
    let axis = (1..3).fold(0, |best, k| if width(k) > width(best) { k } else { best });
    let half = prims.len() / 2;
    let key = |prim: &Prim| centroid(prim, axis);
    prims.select_nth_unstable_by(half, |a, b| {
        key(a).total_cmp(&key(b)).then(a.index.cmp(&b.index))
    });
    // The selection fixes which triangles go where, but leaves their order to the standard
    // library's taste.
    let (left, right) = prims.split_at_mut(half);
    left.sort_unstable_by_key(|prim| prim.index);
    right.sort_unstable_by_key(|prim| prim.index);
    half
}

/// Swaps those for which `left` holds to the front and returns their number.
fn swap_partition(prims: &mut [Prim], left: impl Fn(&Prim) -> bool) -> usize {
    let (mut front, mut back) = (0, prims.len());
    loop {
        while front < back && left(&prims[front]) {
            front += 1;
        }
        while front < back && !left(&prims[back - 1]) {
            back -= 1;
        }
        if front >= back {
            return front;
        }
        prims.swap(front, back - 1);
        front += 1;
        back -= 1;
    }
}

/// Twice the centre of a box would overflow for the largest; the sum of halves does not.
#[inline(always)]
fn centroid(prim: &Prim, axis: usize) -> f32 {
    0.5 * prim.min[axis] + 0.5 * prim.max[axis]
}

#[inline(always)]
fn lesser(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// The box of a set of triangles, and of their centroids.
#[derive(Clone, Copy)]
struct Extent {
    min: [f32; 3],
    max: [f32; 3],
    centroid_min: [f32; 3],
    centroid_max: [f32; 3],
}

impl Extent {
    fn of(prims: &[Prim]) -> Self {
        let mut extent = Self {
            min: [f32::INFINITY; 3],
            max: [f32::NEG_INFINITY; 3],
            centroid_min: [f32::INFINITY; 3],
            centroid_max: [f32::NEG_INFINITY; 3],
        };
        for prim in prims {
            for k in 0..3 {
                let c = centroid(prim, k);
                extent.min[k] = lesser(extent.min[k], prim.min[k]);
                extent.max[k] = greater(extent.max[k], prim.max[k]);
                extent.centroid_min[k] = lesser(extent.centroid_min[k], c);
                extent.centroid_max[k] = greater(extent.centroid_max[k], c);
            }
        }
        extent
    }

    fn merge(mut self, other: Self) -> Self {
        for k in 0..3 {
            self.min[k] = lesser(self.min[k], other.min[k]);
            self.max[k] = greater(self.max[k], other.max[k]);
            self.centroid_min[k] = lesser(self.centroid_min[k], other.centroid_min[k]);
            self.centroid_max[k] = greater(self.centroid_max[k], other.centroid_max[k]);
        }
        self
    }
}

/// How centroids fall into bins.
struct Grid {
    origin: [f32; 3],
    scale: [f32; 3],
    last: f32,
}

impl Grid {
    fn new(extent: &Extent, bins: usize) -> Self {
        let scale = [0, 1, 2].map(|k| {
            let width = extent.centroid_max[k] - extent.centroid_min[k];
            // Zero keeps all centroids in one bin where they are one, or too far apart or too
            // near to tell: such a set is halved by count.
            let scale = bins as f32 / width;
            if width > 0.0 && scale.is_finite() {
                scale
            } else {
                0.0
            }
        });
        Self {
            origin: extent.centroid_min,
            scale,
            last: (bins - 1) as f32,
        }
    }

    #[inline(always)]
    fn bin(&self, prim: &Prim, axis: usize) -> usize {
        let at = (centroid(prim, axis) - self.origin[axis]) * self.scale[axis];
        // Rounding may carry the last centroid past the last bin.
        lesser(at, self.last) as usize
    }
}

#[derive(Clone, Copy)]
struct Bin {
    min: [f32; 3],
    max: [f32; 3],
    count: u32,
}

impl Bin {
    const EMPTY: Self = Self {
        min: [f32::INFINITY; 3],
        max: [f32::NEG_INFINITY; 3],
        count: 0,
    };

    #[inline(always)]
    fn extend(&mut self, min: &[f32; 3], max: &[f32; 3], count: u32) {
        for k in 0..3 {
            self.min[k] = lesser(self.min[k], min[k]);
            self.max[k] = greater(self.max[k], max[k]);
        }
        self.count += count;
    }

    /// Half the area times the triangles; nothing for nothing.
    fn cost(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            half_area(&self.min, &self.max) * f64::from(self.count)
        }
    }
}

/// All bins of the three axes.
struct Filled([[Bin; BINS]; 3]);

/// Where to split: triangles in bins below `bin` go left.
struct Plane {
    axis: usize,
    bin: usize,
    left: usize,
}

impl Filled {
    fn of(prims: &[Prim], grid: &Grid) -> Self {
        let mut filled = Self([[Bin::EMPTY; BINS]; 3]);
        for prim in prims {
            for axis in 0..3 {
                filled.0[axis][grid.bin(prim, axis)].extend(&prim.min, &prim.max, 1);
            }
        }
        filled
    }

    fn merge(mut self, other: Self) -> Self {
        for (row, others) in self.0.iter_mut().zip(&other.0) {
            for (bin, other) in row.iter_mut().zip(others) {
                bin.extend(&other.min, &other.max, other.count);
            }
        }
        self
    }

    /// The plane of least cost; the first of equals. `None` if all triangles share a bin on
    /// every axis.
    fn best(&self, bins: usize) -> Option<Plane> {
        let mut best = None;
        let mut least = f64::INFINITY;
        for (axis, row) in self.0.iter().enumerate() {
            let mut right_cost = [0.0; BINS];
            let mut right = Bin::EMPTY;
            for i in (1..bins).rev() {
                right.extend(&row[i].min, &row[i].max, row[i].count);
                right_cost[i] = right.cost();
            }
            let mut left = Bin::EMPTY;
            let total = right.count + row[0].count;
            for i in 1..bins {
                left.extend(&row[i - 1].min, &row[i - 1].max, row[i - 1].count);
                let cost = left.cost() + right_cost[i];
                if left.count > 0 && left.count < total && cost < least {
                    least = cost;
                    best = Some(Plane {
                        axis,
                        bin: i,
                        left: left.count as usize,
                    });
                }
            }
        }
        best
    }
}
