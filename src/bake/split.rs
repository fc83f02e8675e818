//! References into a binary tree.

use std::mem;

use super::binary::{Binary, BinaryTree, Child, PRIM};
use super::buffers::Buffers;
use super::few::{self, FEW};
use super::gather::Kept;
use super::halve::halve;
use super::monitor::{Monitor, WHOLE};
use super::object::ObjectPlane;
use super::pass::Pass;
use super::prim::{Extent, Prim};
use super::spatial::{Parted, SpatialPlane};
use super::{BakeOptions, Leaves, tiny};
use crate::bvh::LANES;
use crate::geometry::half_area;
use crate::{BakeError, parallel};

/// Sets from this size on are worth another thread.
const FORK: usize = 4096;
/// Subtrees of less than this size are told to the monitor as a whole.
const REPORT: usize = 1024;
/// The work of making the references, a part of the whole.
const BEGIN: u32 = WHOLE / 16;

/// The most references: children are numbered with 31 bits.
pub(super) const MOST: usize = PRIM as usize;

/// Builds the tree, of at most `MOST` references.
pub(crate) fn split(
    kept: &mut [Kept],
    options: &BakeOptions,
    buffers: &mut Buffers,
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
    let old = mem::take(&mut buffers.prims);
    let mut prims = monitor.filled(old, "references", places, BEGIN / 2, prim)?;
    let node = |_| Binary::default();
    let old = mem::take(&mut buffers.nodes);
    let mut nodes = monitor.filled(old, "inner nodes", places - 1, BEGIN / 4, node)?;
    let mut whole = Extent::of(&prims[..count], Pass::new(monitor, BEGIN / 4, count));
    let is_tiny = tiny::is_tiny(&whole);
    if is_tiny {
        tiny::enlarge(kept, &mut prims, &mut whole);
    }
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
    let (root, references) = work.build(set, 0, WHOLE - BEGIN);
    monitor.check()?;
    if is_tiny {
        tiny::shrink(kept, &mut prims, &mut nodes);
    }
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
    /// Builds a subtree, which is `units` of work; returns it and how many references are in it. If
    /// the bake is not to go on, it is not to be used.
    fn build(&self, set: Set<'_>, depth: u32, units: u32) -> (Child, usize) {
        let Set {
            prims,
            nodes,
            first,
            count,
        } = set;
        let nothing = (PRIM | first as u32, 1);
        if count == 1 || !self.monitor.goes_on() {
            return nothing;
        }
        // Three ways over the set; what is left is for the two sides.
        let own = if count >= REPORT {
            units / levels(count)
        } else {
            0
        };
        let pass = Pass::new(self.monitor, own / 3, count);
        let extent = Extent::of(&prims[..count], pass);
        let Some(parted) = self.part(prims, count, &extent, depth, pass) else {
            return nothing;
        };
        let (mut left_units, mut right_units) = (0, 0);
        if count >= REPORT {
            let work = |count: usize| count as f64 * f64::from(levels(count.max(2)));
            let on_left = work(parted.left) / (work(parted.left) + work(parted.right));
            left_units = (f64::from(units - own) * on_left) as u32;
            right_units = units - own - left_units;
        }

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
                left = self.build(set, depth + 1, left_units);
            },
            || {
                let set = Set {
                    prims: right_prims,
                    nodes: right_nodes,
                    first: first + places,
                    count: parted.right,
                };
                right = self.build(set, depth + 1, right_units);
            },
        );
        node[0] = Binary {
            min: extent.min,
            left: left.0,
            max: extent.max,
            right: right.0,
        };
        if units > 0 && count < REPORT {
            self.monitor.advance(units);
        }
        ((first + places - 1) as u32, left.1 + right.1)
    }

    /// Parts the first `count` of `prims` in two; `None` if the bake is not to go on.
    ///
    /// Out of line, so that the many kilobytes of bins that this needs are not on the stack once for
    /// each level of the recursion.
    #[inline(never)]
    fn part(
        &self,
        prims: &mut [Prim],
        count: usize,
        extent: &Extent,
        depth: u32,
        pass: Pass<'_, '_>,
    ) -> Option<Parted> {
        // Ways that are not always gone.
        let asked = Pass::new(self.monitor, 0, count);
        let set = &mut prims[..count];
        if self.options.leaves == Leaves::FirstFit && count <= self.options.leaf_triangles as usize
        {
            // It will be a leaf, and how it is parted is of no importance.
            return Some(share(prims, count, count / 2));
        }
        if depth + levels(count) > self.options.depth {
            let left = halve(set, extent, asked)?;
            return Some(share(prims, count, left));
        }
        if count <= FEW {
            let left = few::part(set);
            return Some(share(prims, count, left));
        }
        let object = ObjectPlane::best(set, extent, self.options.bins as usize, pass);
        if prims.len() > count
            && count > 4 * LANES
            && object
                .as_ref()
                .is_none_or(|plane| plane.overlap() > self.options.spatial_gate * self.whole)
            && let Some(spatial) = SpatialPlane::best(&prims[..count], extent, self.kept, asked)
            && spatial.place.cost
                < object
                    .as_ref()
                    .map_or(extent.cost(count), |plane| plane.place.cost)
        {
            let parted = spatial.part(prims, count, self.kept, asked);
            if parted.is_some() || !self.monitor.goes_on() {
                return parted;
            }
            let left = halve(&mut prims[..count], extent, asked)?;
            return Some(share(prims, count, left));
        }
        if !self.monitor.goes_on() {
            return None;
        }
        let set = &mut prims[..count];
        let left = match object {
            Some(plane) => plane.part(set, pass)?,
            None => halve(set, extent, asked)?,
        };
        Some(share(prims, count, left))
    }
}

/// Levels of a tree of so many references, more than one, that halves them: that of single ones
/// counted.
fn levels(count: usize) -> u32 {
    usize::BITS - (count - 1).leading_zeros() + 1
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
