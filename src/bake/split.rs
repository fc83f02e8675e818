//! References into a binary tree.

use std::mem;

use super::binary::{Binary, BinaryTree, Child, PRIM};
use super::buffers::Buffers;
use super::bounds::Bounds;
use super::few::{self, FEW};
use super::gather::Kept;
use super::halve::halve;
use super::monitor::{Monitor, WHOLE};
use super::object::ObjectPlane;
use super::pass::{PIECE, Pass};
use super::prim::{CHUNK, Prim, centroids};
use super::spatial::{Parted, SpatialPlane};
use super::{BakeOptions, Leaves, no_memory, tiny};
use crate::bvh::LANES;
use crate::{BakeError, memory, parallel};

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
    let no_memory = |error| no_memory("references", error);
    let old = mem::take(&mut buffers.prims);
    let mut prims = memory::zeros(old, places).map_err(no_memory)?;
    let old = mem::take(&mut buffers.nodes);
    let mut nodes = memory::zeros(old, places - 1).map_err(no_memory)?;
    let pass = Pass::new(monitor, BEGIN, count);
    let mut bounds = refer(kept, &mut prims[..count], pass);
    let is_tiny = tiny::is_tiny(&bounds);
    if is_tiny {
        tiny::enlarge(kept, &mut prims, &mut bounds);
    }
    let work = Work {
        kept,
        options,
        whole: bounds.half_area(),
        monitor,
    };
    let set = Set {
        prims: &mut prims,
        nodes: &mut nodes,
        first: 0,
        count,
        bounds,
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

/// Makes the references to all triangles; the box of it all.
fn refer(kept: &[Kept], prims: &mut [Prim], pass: Pass<'_, '_>) -> Bounds {
    let chunks = kept.chunks(PIECE).zip(prims.chunks_mut(PIECE)).enumerate();
    let refer = |(chunk, (kept, prims)): (usize, (&[Kept], &mut [Prim]))| {
        let mut bounds = Bounds::EMPTY;
        for (i, (kept, prim)) in pass.over(kept).iter().zip(prims).enumerate() {
            *prim = Prim::new((chunk * PIECE + i) as u32, &kept.corners);
            bounds.merge(&Bounds::of(prim));
        }
        bounds
    };
    let bounds = parallel::map_each(true, chunks.collect(), refer);
    bounds.iter().fold(Bounds::EMPTY, Bounds::merged)
}

fn bounds_of_all(prims: &[Prim], pass: Pass<'_, '_>) -> Bounds {
    let of = |prims: &[Prim]| Bounds::of_all(pass.over(prims));
    parallel::fold(prims, CHUNK, of, |a, b| a.merged(&b))
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
    /// The box of it all.
    bounds: Bounds,
}

/// A set parted in two.
struct Halves {
    /// How many there are on either side, and their places.
    parted: Parted,
    left: Bounds,
    right: Bounds,
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
            bounds,
        } = set;
        let nothing = (PRIM | first as u32, 1);
        if count == 1 || !self.monitor.goes_on() {
            return nothing;
        }
        // At worst every level sets one apart.
        if count == 2 || (count <= FEW && depth as usize + count <= self.options.depth as usize) {
            let leaf = match self.options.leaves {
                Leaves::FirstFit => self.options.leaf_triangles as usize,
                Leaves::Cheapest => 1,
            };
            let (prims, nodes) = (&mut prims[..count], &mut nodes[..count - 1]);
            return (few::build(prims, nodes, first, &bounds, leaf), count);
        }
        // Three ways over the set; what is left is for the two sides.
        let own = if count >= REPORT {
            units / levels(count)
        } else {
            0
        };
        let pass = Pass::new(self.monitor, own / 3, count);
        let Some(halves) = self.part(prims, count, &bounds, depth, pass) else {
            return nothing;
        };
        let Halves { parted, .. } = halves;
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
                    bounds: halves.left,
                };
                left = self.build(set, depth + 1, left_units);
            },
            || {
                let set = Set {
                    prims: right_prims,
                    nodes: right_nodes,
                    first: first + places,
                    count: parted.right,
                    bounds: halves.right,
                };
                right = self.build(set, depth + 1, right_units);
            },
        );
        node[0] = Binary {
            min: bounds.min(),
            left: left.0,
            max: bounds.max(),
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
        bounds: &Bounds,
        depth: u32,
        pass: Pass<'_, '_>,
    ) -> Option<Halves> {
        // Ways that are not always gone.
        let asked = Pass::new(self.monitor, 0, count);
        let centroids = centroids(&prims[..count], pass);
        if depth + levels(count) > self.options.depth {
            return halves(prims, count, &centroids, asked);
        }
        let set = &mut prims[..count];
        let object = ObjectPlane::best(set, bounds, &centroids, self.options.bins as usize, pass);
        if prims.len() > count
            && count > 4 * LANES
            && object
                .as_ref()
                .is_none_or(|plane| plane.overlap() > self.options.spatial_gate * self.whole)
            && let Some(spatial) = SpatialPlane::best(&prims[..count], bounds, self.kept, asked)
            && spatial.place.cost()
                < object
                    .as_ref()
                    .map_or(bounds.cost(count as u32), |plane| plane.place.cost())
        {
            let parted = spatial.part(prims, count, self.kept, asked);
            let Some(parted) = parted else {
                return halves(prims, count, &centroids, asked);
            };
            return Some(Halves::of(prims, parted, asked));
        }
        if !self.monitor.goes_on() {
            return None;
        }
        let Some(plane) = object else {
            return halves(prims, count, &centroids, asked);
        };
        let left = plane.part(&mut prims[..count], pass)?;
        Some(Halves {
            parted: share(prims, count, left),
            left: plane.place.left.bounds,
            right: plane.place.right.bounds,
        })
    }
}

impl Halves {
    /// Looks at the references themselves.
    fn of(prims: &[Prim], parted: Parted, pass: Pass<'_, '_>) -> Self {
        let (left, right) = prims.split_at(parted.left_places);
        Self {
            left: bounds_of_all(&left[..parted.left], pass),
            right: bounds_of_all(&right[..parted.right], pass),
            parted,
        }
    }
}

/// Halves a set by count; `None` if the bake is not to go on.
fn halves(
    prims: &mut [Prim],
    count: usize,
    centroids: &Bounds,
    pass: Pass<'_, '_>,
) -> Option<Halves> {
    let left = halve(&mut prims[..count], centroids, pass)?;
    let parted = share(prims, count, left);
    Some(Halves::of(prims, parted, pass))
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
