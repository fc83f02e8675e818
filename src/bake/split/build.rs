//! References into a binary tree.

use std::mem;

use super::super::bounds::Bounds;
use super::super::buffers::Buffers;
use super::super::bvh2::{Bvh2, Bvh2Node, Child, NodePool, PRIM_FLAG, SERIAL_LIMIT, SerialNodes};
use super::super::pass::{PIECE_LEN, Pass};
use super::super::prim_ref::{PARALLEL_LEN, PrimRef, centroids, move_to};
use super::super::progress::{ProgressMonitor, STAGE_UNITS};
use super::super::triangles::InputTriangle;
use super::super::{BakeOptions, no_memory};
use super::binned::ObjectSplit;
use super::denormal;
use super::median::split_at_median;
use super::spatial::{Partition, SpatialSplit};
use super::sweep_sah::{self, SWEEP_MAX};
use crate::bvh::LANES;
use crate::error::BakeError;
use crate::platform::{memory, parallel};

/// The work of making the references, a part of the whole.
const BEGIN: u32 = STAGE_UNITS / 16;

/// The most references: children are numbered with 31 bits.
pub(in crate::bake) const MAX_REFERENCES: usize = PRIM_FLAG as usize;

/// Builds the tree, of at most `MAX_REFERENCES` references.
pub(crate) fn split(
    kept: &mut [InputTriangle],
    options: &BakeOptions,
    buffers: &mut Buffers,
    monitor: &ProgressMonitor<'_>,
) -> Result<Bvh2, BakeError> {
    let count = kept.len();
    if count == 0 {
        return Ok(Bvh2 {
            nodes: Vec::new(),
            packed: 0,
            prims: Vec::new(),
            root: None,
            references: 0,
        });
    }
    let room = options.spatial_budget * count as f64;
    let places = (count + room as usize).min(MAX_REFERENCES);
    let no_memory = |error| no_memory("references", error);
    let old = mem::take(&mut buffers.prims);
    let mut prims = memory::zeros(old, places).map_err(no_memory)?;
    let old = mem::take(&mut buffers.nodes);
    let mut nodes = memory::zeros(old, places - 1).map_err(no_memory)?;
    let pass = Pass::new(monitor, BEGIN, count);
    let mut bounds = refer(kept, &mut prims[..count], pass);
    let needs_scaling = denormal::needs_scaling(&bounds);
    if needs_scaling {
        denormal::scale_up(kept, &mut prims, &mut bounds, monitor);
    }
    let work = TreeBuilder { kept, options, whole: bounds.half_area(), monitor };
    let set = Set { prims: &mut prims, first: 0, count, bounds, depth: 0 };
    let places = NodePool::new(&mut nodes);
    let (root, references) = work.build(set, &places, STAGE_UNITS - BEGIN);
    let packed = places.packed();
    monitor.check()?;
    if needs_scaling {
        denormal::scale_back(kept, &mut prims, &mut nodes, monitor);
        monitor.check()?;
    }
    Ok(Bvh2 { nodes, packed, prims, root: Some(root), references })
}

/// Makes the references to all triangles; the box of it all.
fn refer(kept: &[InputTriangle], prims: &mut [PrimRef], pass: Pass<'_, '_>) -> Bounds {
    let chunks = kept.chunks(PIECE_LEN).zip(prims.chunks_mut(PIECE_LEN)).enumerate();
    let refer = |(chunk, (kept, prims)): (usize, (&[InputTriangle], &mut [PrimRef]))| {
        let mut bounds = Bounds::EMPTY;
        for (i, (kept, prim)) in pass.over(kept).iter().zip(prims).enumerate() {
            *prim = PrimRef::new((chunk * PIECE_LEN + i) as u32, &kept.corners);
            bounds.merge(&Bounds::of(prim));
        }
        bounds
    };
    let bounds = parallel::map_each(true, chunks.collect(), refer);
    bounds.iter().fold(Bounds::EMPTY, Bounds::merged)
}

fn bounds_of_all(prims: &[PrimRef], pass: Pass<'_, '_>) -> Bounds {
    let of = |prims: &[PrimRef]| Bounds::of_all(pass.over(prims));
    parallel::fold(prims, PARALLEL_LEN, of, |a, b| a.merged(&b))
}

/// A set of references to be made a subtree of.
struct Set<'a> {
    /// The references, and spare room behind them.
    prims: &'a mut [PrimRef],
    /// Where their places begin in the whole tree.
    first: usize,
    count: usize,
    /// The box of it all.
    bounds: Bounds,
    /// The binary levels above.
    depth: u32,
}

/// A set parted in two.
struct SplitResult {
    /// How many there are on either side, and their places.
    parted: Partition,
    left: Bounds,
    right: Bounds,
}

/// What is the same for all sets.
struct TreeBuilder<'a, 'm> {
    kept: &'a [InputTriangle],
    options: &'a BakeOptions,
    /// Half the surface area of everything.
    whole: f64,
    monitor: &'a ProgressMonitor<'m>,
}

impl TreeBuilder<'_, '_> {
    /// Builds a subtree, which is `units` of work; returns it and how many references are in it. If the
    /// bake is not to go on, it is not to be used.
    fn build(&self, set: Set<'_>, nodes: &NodePool<'_>, units: u32) -> (Child, usize) {
        // One alone is packed, whatever room it has got.
        if set.count == 1 || set.prims.len() < SERIAL_LIMIT {
            let mut packed = SerialNodes::new(set.prims.len().min(SERIAL_LIMIT));
            let (root, references) = self.build_serial(set, &mut packed);
            self.monitor.advance(units);
            return (nodes.append(&packed, root), references);
        }
        let (first, count, bounds) = (set.first, set.count, set.bounds);
        // Three ways over the set; what is left is for the two sides.
        let own = units / levels(count);
        let pass = Pass::new(self.monitor, own / 3, count);
        let Some([left_set, right_set]) = self.part(set, pass) else {
            return (PRIM_FLAG | first as u32, 1);
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
        let root = nodes.add(Bvh2Node::new(&bounds, left.0, right.0));
        (root, left.1 + right.1)
    }

    /// The same, on this thread.
    fn build_serial(&self, set: Set<'_>, nodes: &mut SerialNodes) -> (Child, usize) {
        let (first, count, bounds) = (set.first, set.count, set.bounds);
        if count == 1 || !self.monitor.keep_going() {
            return (PRIM_FLAG | first as u32, 1);
        }
        // At worst every level sets one apart.
        let may_chain = set.depth as usize + count <= self.options.depth as usize;
        if count == 2 || (count <= SWEEP_MAX && may_chain) {
            let prims = &mut set.prims[..count];
            let root = sweep_sah::build(prims, first, nodes, &bounds, self.options);
            return (root, count);
        }
        let node = nodes.place();
        let Some([left, right]) = self.part(set, Pass::new(self.monitor, 0, count)) else {
            return (PRIM_FLAG | first as u32, 1);
        };
        let left = self.build_serial(left, nodes);
        let right = self.build_serial(right, nodes);
        nodes.set(node, &bounds, left.0, right.0);
        (node, left.1 + right.1)
    }

    /// Parts a set in two; `None` if the bake is not to go on.
    fn part<'a>(&self, set: Set<'a>, pass: Pass<'_, '_>) -> Option<[Set<'a>; 2]> {
        let halves = self.halves(set.prims, set.count, &set.bounds, set.depth, pass)?;
        let Partition { left, right, left_places } = halves.parted;
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
    fn may_gain(&self, count: usize, plane: &ObjectSplit) -> bool {
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
        prims: &mut [PrimRef],
        count: usize,
        bounds: &Bounds,
        depth: u32,
        pass: Pass<'_, '_>,
    ) -> Option<SplitResult> {
        // Ways that are not always gone.
        let asked = Pass::new(self.monitor, 0, count);
        let centroids = centroids(&prims[..count], pass);
        if depth + levels(count) > self.options.depth {
            return halves(prims, count, &centroids, asked);
        }
        let set = &mut prims[..count];
        let object = ObjectSplit::best(set, bounds, &centroids, self.options, pass);
        if prims.len() > count
            && count > 4 * LANES
            && object.as_ref().is_none_or(|plane| self.may_gain(count, plane))
            && let Some(spatial) = SpatialSplit::best(&prims[..count], bounds, self.kept, asked)
            && spatial.place.cost()
                < object.as_ref().map_or(bounds.cost(count as u32), |plane| plane.place.cost())
        {
            let parted = spatial.part(prims, count, self.kept, asked);
            let Some(parted) = parted else {
                return halves(prims, count, &centroids, asked);
            };
            return Some(SplitResult::of(prims, parted, asked));
        }
        if !self.monitor.keep_going() {
            return None;
        }
        let Some(plane) = object else {
            return halves(prims, count, &centroids, asked);
        };
        let left = plane.partition(&mut prims[..count], pass)?;
        Some(SplitResult {
            parted: share(prims, count, left, asked),
            left: plane.place.left.bounds,
            right: plane.place.right.bounds,
        })
    }
}

impl SplitResult {
    /// Looks at the references themselves.
    fn of(prims: &[PrimRef], parted: Partition, pass: Pass<'_, '_>) -> Self {
        let (left, right) = prims.split_at(parted.left_places);
        Self {
            left: bounds_of_all(&left[..parted.left], pass),
            right: bounds_of_all(&right[..parted.right], pass),
            parted,
        }
    }
}

/// SplitResult a set by count; `None` if the bake is not to go on.
fn halves(
    prims: &mut [PrimRef],
    count: usize,
    centroids: &Bounds,
    pass: Pass<'_, '_>,
) -> Option<SplitResult> {
    let left = split_at_median(&mut prims[..count], centroids, pass)?;
    let parted = share(prims, count, left, pass);
    Some(SplitResult::of(prims, parted, pass))
}

/// Levels of a tree of so many references that halves them: that of single ones counted.
fn levels(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros() + 1
}

/// Gives both sides of a parted set their shares of the spare room.
fn share(prims: &mut [PrimRef], count: usize, left: usize, pass: Pass<'_, '_>) -> Partition {
    let parted = Partition::new(prims.len(), left, count - left);
    // In their order, so that room that is not used changes nothing.
    move_to(prims, left..count, parted.left_places, pass);
    parted
}
