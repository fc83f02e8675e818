//! References into a binary tree.

use std::mem;

use super::binary::{Binary, BinaryTree, Child, Nodes, PACKED, PRIM, Packed};
use super::bounds::Bounds;
use super::buffers::Buffers;
use super::few::{self, FEW};
use super::gather::Kept;
use super::halve::halve;
use super::monitor::{Monitor, WHOLE};
use super::object::ObjectPlane;
use super::pass::{PIECE, Pass};
use super::prim::{CHUNK, Prim, centroids, move_to};
use super::spatial::{Parted, SpatialPlane};
use super::{BakeOptions, no_memory, tiny};
use crate::bvh::LANES;
use crate::error::BakeError;
use crate::platform::{memory, parallel};

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
            packed: 0,
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
        tiny::enlarge(kept, &mut prims, &mut bounds, monitor);
    }
    let work = Work { kept, options, whole: bounds.half_area(), monitor };
    let set = Set { prims: &mut prims, first: 0, count, bounds, depth: 0 };
    let places = Nodes::new(&mut nodes);
    let (root, references) = work.build(set, &places, WHOLE - BEGIN);
    let packed = places.packed();
    monitor.check()?;
    if is_tiny {
        tiny::shrink(kept, &mut prims, &mut nodes, monitor);
        monitor.check()?;
    }
    Ok(BinaryTree { nodes, packed, prims, root: Some(root), references })
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

/// A set of references to be made a subtree of.
struct Set<'a> {
    /// The references, and spare room behind them.
    prims: &'a mut [Prim],
    /// Where their places begin in the whole tree.
    first: usize,
    count: usize,
    /// The box of it all.
    bounds: Bounds,
    /// The binary levels above.
    depth: u32,
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
    /// Builds a subtree, which is `units` of work; returns it and how many references are in it. If the
    /// bake is not to go on, it is not to be used.
    fn build(&self, set: Set<'_>, nodes: &Nodes<'_>, units: u32) -> (Child, usize) {
        // One alone is packed, whatever room it has got.
        if set.count == 1 || set.prims.len() < PACKED {
            let mut packed = Packed::new(set.prims.len().min(PACKED));
            let (root, references) = self.build_packed(set, &mut packed);
            self.monitor.advance(units);
            return (nodes.add_packed(&packed, root), references);
        }
        let (first, count, bounds) = (set.first, set.count, set.bounds);
        // Three ways over the set; what is left is for the two sides.
        let own = units / levels(count);
        let pass = Pass::new(self.monitor, own / 3, count);
        let Some([left_set, right_set]) = self.part(set, pass) else {
            return (PRIM | first as u32, 1);
        };
        let work = |set: &Set<'_>| set.count as f64 * f64::from(levels(set.count));
        let on_left = work(&left_set) / (work(&left_set) + work(&right_set));
        let left_units = (f64::from(units - own) * on_left) as u32;
        let right_units = units - own - left_units;

        let (left, right) = parallel::join(
            true,
            || self.build(left_set, nodes, left_units),
            || self.build(right_set, nodes, right_units),
        );
        let root = nodes.add(Binary::new(&bounds, left.0, right.0));
        (root, left.1 + right.1)
    }

    /// The same, on this thread.
    fn build_packed(&self, set: Set<'_>, nodes: &mut Packed) -> (Child, usize) {
        let (first, count, bounds) = (set.first, set.count, set.bounds);
        if count == 1 || !self.monitor.goes_on() {
            return (PRIM | first as u32, 1);
        }
        // At worst every level sets one apart.
        let may_chain = set.depth as usize + count <= self.options.depth as usize;
        if count == 2 || (count <= FEW && may_chain) {
            let prims = &mut set.prims[..count];
            let root = few::build(prims, first, nodes, &bounds, self.options);
            return (root, count);
        }
        let node = nodes.place();
        let Some([left, right]) = self.part(set, Pass::new(self.monitor, 0, count)) else {
            return (PRIM | first as u32, 1);
        };
        let left = self.build_packed(left, nodes);
        let right = self.build_packed(right, nodes);
        nodes.set(node, &bounds, left.0, right.0);
        (node, left.1 + right.1)
    }

    /// Parts a set in two; `None` if the bake is not to go on.
    fn part<'a>(&self, set: Set<'a>, pass: Pass<'_, '_>) -> Option<[Set<'a>; 2]> {
        let halves = self.halves(set.prims, set.count, &set.bounds, set.depth, pass)?;
        let Parted { left, right, left_places } = halves.parted;
        let (left_prims, right_prims) = set.prims.split_at_mut(left_places);
        let left = Set {
            prims: left_prims,
            first: set.first,
            count: left,
            bounds: halves.left,
            depth: set.depth + 1,
        };
        let right = Set {
            prims: right_prims,
            first: set.first + left_places,
            count: right,
            bounds: halves.right,
            depth: set.depth + 1,
        };
        Some([left, right])
    }

    /// Whether a spatial split of `count` references may be worth more than this plane.
    fn may_gain(&self, count: usize, plane: &ObjectPlane) -> bool {
        let [overlap, around] = plane.overlap();
        overlap > self.options.spatial_gate * self.whole
            && around * count as f64 > self.options.spatial_gain * plane.place.cost()
    }

    /// Parts the first `count` of `prims` in two; `None` if the bake is not to go on.
    ///
    /// Out of line, so that the many kilobytes of bins that this needs are not on the stack once for
    /// each level of the recursion.
    #[inline(never)]
    fn halves(
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
        let object = ObjectPlane::best(set, bounds, &centroids, self.options, pass);
        if prims.len() > count
            && count > 4 * LANES
            && object.as_ref().is_none_or(|plane| self.may_gain(count, plane))
            && let Some(spatial) = SpatialPlane::best(&prims[..count], bounds, self.kept, asked)
            && spatial.place.cost()
                < object.as_ref().map_or(bounds.cost(count as u32), |plane| plane.place.cost())
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
            parted: share(prims, count, left, asked),
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
    let parted = share(prims, count, left, pass);
    Some(Halves::of(prims, parted, pass))
}

/// Levels of a tree of so many references that halves them: that of single ones counted.
fn levels(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros() + 1
}

/// Gives both sides of a parted set their shares of the spare room.
fn share(prims: &mut [Prim], count: usize, left: usize, pass: Pass<'_, '_>) -> Parted {
    let parted = Parted::new(prims.len(), left, count - left);
    // In their order, so that room that is not used changes nothing.
    move_to(prims, left..count, parted.left_places, pass);
    parted
}
