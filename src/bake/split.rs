//! References into a binary tree.

use super::binary::{Binary, BinaryTree, Child, PRIM};
use super::few::{self, FEW};
use super::gather::Kept;
use super::monitor::Monitor;
use super::object::ObjectPlane;
use super::prim::{Extent, Prim};
use super::spatial::{Parted, SpatialPlane};
use super::{BakeOptions, Leaves, Stage, no_memory};
use crate::bvh::LANES;
use crate::geometry::half_area;
use crate::{BakeError, memory, parallel};

/// Sets from this size on are worth another thread.
const FORK: usize = 4096;
/// Subtrees of this size are told to the monitor.
const REPORT: usize = 1024;

/// The most references: children are numbered with 31 bits.
pub(super) const MOST: usize = PRIM as usize;

/// Builds the tree, of at most `MOST` references.
pub(crate) fn split(
    kept: &[Kept],
    options: &BakeOptions,
    monitor: &Monitor<'_>,
) -> Result<BinaryTree, BakeError> {
    let count = kept.len();
    if count == 0 {
        return Ok(BinaryTree {
            nodes: Vec::new(),
            prims: Vec::new(),
            root: None,
            references: 0,
        });
    }
    let room = options.spatial_budget * count as f64;
    let places = (count + room as usize).min(MOST);
    let prim = |i: usize| {
        let kept = kept.get(i);
        kept.map_or(Prim::empty(0), |kept| Prim::new(i as u32, &kept.corners))
    };
    let failed = |error| no_memory("references", error);
    let mut prims = memory::filled(places, prim).map_err(failed)?;
    let mut nodes = memory::filled(places - 1, |_| Binary::default()).map_err(failed)?;
    let whole = Extent::of(&prims[..count]);
    let work = Work {
        kept,
        options,
        whole: half_area(&whole.min, &whole.max),
        monitor,
    };
    let set = Set {
        prims: &mut prims,
        nodes: &mut nodes,
        first: 0,
        count,
    };
    let (root, references) = work.build(set, 0);
    Ok(BinaryTree {
        nodes,
        prims,
        root: Some(root),
        references,
    })
}

/// A set of references to be made a subtree of, and its places.
struct Set<'a> {
    /// The references, and spare room behind them.
    prims: &'a mut [Prim],
    /// Places for the inner nodes, one less.
    nodes: &'a mut [Binary],
    /// Where its places begin in the whole tree.
    first: usize,
    count: usize,
}

/// What is the same for all sets.
struct Work<'a, 'm> {
    kept: &'a [Kept],
    options: &'a BakeOptions,
    /// Half the surface area of everything.
    whole: f64,
    monitor: &'a Monitor<'m>,
}

impl Work<'_, '_> {
    /// Builds a subtree; returns it and how many references are in it.
    fn build(&self, set: Set<'_>, depth: u32) -> (Child, usize) {
        let Set {
            prims,
            nodes,
            first,
            count,
        } = set;
        if count == 1 || self.monitor.is_cancelled() {
            return (PRIM | first as u32, 1);
        }
        let extent = Extent::of(&prims[..count]);
        let parted = self.part(prims, count, &extent, depth);

        let places = parted.left_places;
        let (left_prims, right_prims) = prims.split_at_mut(places);
        let (left_nodes, rest) = nodes.split_at_mut(places - 1);
        let (node, right_nodes) = rest.split_at_mut(1);
        let mut left = (0, 0);
        let mut right = (0, 0);
        parallel::join(
            count >= FORK,
            || {
                let set = Set {
                    prims: left_prims,
                    nodes: left_nodes,
                    first,
                    count: parted.left,
                };
                left = self.build(set, depth + 1);
            },
            || {
                let set = Set {
                    prims: right_prims,
                    nodes: right_nodes,
                    first: first + places,
                    count: parted.right,
                };
                right = self.build(set, depth + 1);
            },
        );
        node[0] = Binary {
            min: extent.min,
            left: left.0,
            max: extent.max,
            right: right.0,
        };
        if count >= REPORT {
            // What the children have not told.
            let told = |n: usize| if n >= REPORT { n } else { 0 };
            let untold = count.saturating_sub(told(parted.left) + told(parted.right));
            self.monitor.advance(Stage::Split, untold);
        }
        ((first + places - 1) as u32, left.1 + right.1)
    }

    /// Parts the first `count` of `prims` in two.
    ///
    /// Out of line, so that the many kilobytes of bins that this needs are not on the stack once for
    /// each level of the recursion.
    #[inline(never)]
    fn part(&self, prims: &mut [Prim], count: usize, extent: &Extent, depth: u32) -> Parted {
        let set = &mut prims[..count];
        let levels = usize::BITS - (count - 1).leading_zeros();
        if self.options.leaves == Leaves::FirstFit && count <= self.options.leaf_triangles as usize
        {
            // It will be a leaf, and how it is parted is of no importance.
            return share(prims, count, count / 2);
        }
        if depth + levels >= self.options.depth {
            let left = halve(set, extent);
            return share(prims, count, left);
        }
        if count <= FEW {
            let left = few::part(set);
            return share(prims, count, left);
        }
        let object = ObjectPlane::best(set, extent, self.options.bins as usize);
        if prims.len() > count
            && count > 4 * LANES
            && object
                .as_ref()
                .is_none_or(|plane| plane.overlap() > self.options.spatial_gate * self.whole)
            && let Some(spatial) = SpatialPlane::best(&prims[..count], extent, self.kept)
            && spatial.place.cost
                < object
                    .as_ref()
                    .map_or(extent.cost(count), |plane| plane.place.cost)
        {
            if let Some(parted) = spatial.part(prims, count, self.kept) {
                return parted;
            }
            let left = halve(&mut prims[..count], extent);
            return share(prims, count, left);
        }
        let set = &mut prims[..count];
        let left = match object {
            Some(plane) => plane.part(set),
            None => halve(set, extent),
        };
        share(prims, count, left)
    }
}

/// Gives both sides of a parted set their shares of the spare room.
fn share(prims: &mut [Prim], count: usize, left: usize) -> Parted {
    let right = count - left;
    let parted = Parted::new(prims.len(), left, right);
    let share = parted.left_places - left;
    if share > 0 {
        // The order of the references is free, so only those that are in the way move.
        let moved = share.min(right);
        prims.copy_within(left..left + moved, left + right.max(share));
    }
    parted
}

/// Halves the set by count, along the widest axis of the centroids. Numbers break ties, so that
/// the outcome is one only.
fn halve(prims: &mut [Prim], extent: &Extent) -> usize {
    let width = |k: usize| f64::from(extent.centroid_max[k]) - f64::from(extent.centroid_min[k]);
    let axis = (1..3).fold(0, |best, k| if width(k) > width(best) { k } else { best });
    let half = prims.len() / 2;
    prims.select_nth_unstable_by(half, |a, b| {
        let by_place = a.centroid(axis).total_cmp(&b.centroid(axis));
        by_place.then_with(|| a.order(b))
    });
    // The selection fixes which references go where, but leaves their order to the standard
    // library's taste.
    let (left, right) = prims.split_at_mut(half);
    left.sort_unstable_by(Prim::order);
    right.sort_unstable_by(Prim::order);
    half
}
