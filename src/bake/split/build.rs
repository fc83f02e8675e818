//! The binary tree, built top-down.

use super::super::bounds::Bounds;
use super::super::bvh2::{Bvh2, Bvh2Node, Child, NodePool, PRIM_FLAG, SERIAL_LIMIT, SerialNodes};
use super::super::preset::Preset;
use super::super::prim_ref::{PrimRef, bounds_of, centroid_bounds, move_to, refer_to};
use super::super::progress::{Pass, ProgressMonitor, STAGE_UNITS};
use super::super::triangles::InputTriangle;
use super::binned::ObjectSplit;
use super::denormal;
use super::median::split_at_median;
use super::sah::Side;
use super::spatial::{Partition, SpatialSplit};
use super::sweep_sah::{self, SWEEP_MAX};
use crate::bvh::LANES;
use crate::error::BakeError;
use crate::platform::{memory, parallel};

/// The work of making the references.
const REFER_UNITS: u32 = STAGE_UNITS / 16;

/// The most references: children are numbered with 31 bits.
pub(in crate::bake) const MAX_REFERENCES: usize = PRIM_FLAG as usize;

/// The most levels of the binary tree. Near it, sets are split at the median. Game levels stay far
/// below. Triangles of sizes from 2^-100 to 2^100 do not: each level splits off a few of the
/// largest, after a pass over all the others.
const MAX_LEVELS: usize = 40;

/// Spatial splits are tried where the two sides of the best object split overlap by more than this
/// fraction of the whole tree's surface area.
const MIN_OVERLAP: f64 = 1e-4;

/// Builds the tree, of at most [`MAX_REFERENCES`].
pub(in crate::bake) fn split(
    triangles: &mut [InputTriangle],
    preset: &Preset,
    monitor: &ProgressMonitor<'_>,
) -> Result<Bvh2, BakeError> {
    let count = triangles.len();
    if count == 0 {
        let (nodes, prims) = (Vec::new(), Vec::new());
        return Ok(Bvh2 { nodes, serial_nodes: 0, prims, root: None, references: 0 });
    }
    let spare = preset.spatial_budget * count as f64;
    let places = (count + spare as usize).min(MAX_REFERENCES);
    let out_of_memory = |error| BakeError::out_of_memory("references", error);
    let mut prims = memory::zeros(places).map_err(out_of_memory)?;
    let mut nodes = memory::zeros(places - 1).map_err(out_of_memory)?;
    let pass = Pass::new(monitor, REFER_UNITS, count);
    let mut bounds = refer_to(triangles, &mut prims[..count], pass);
    let needs_scaling = denormal::needs_scaling(&bounds);
    if needs_scaling {
        denormal::scale_up(triangles, &mut prims, &mut bounds, monitor);
    }
    let builder = TreeBuilder { triangles, preset, whole_area: bounds.half_area(), monitor };
    let set = Set { prims: &mut prims, first: 0, count, bounds, depth: 0 };
    let pool = NodePool::new(&mut nodes);
    let (root, references) = builder.build(set, &pool, STAGE_UNITS - REFER_UNITS);
    let serial_nodes = pool.serial_nodes();
    monitor.check()?;
    if needs_scaling {
        denormal::scale_back(triangles, &mut prims, &mut nodes, monitor);
        monitor.check()?;
    }
    Ok(Bvh2 { nodes, serial_nodes, prims, root: Some(root), references })
}

/// A set of references that becomes a subtree.
struct Set<'a> {
    /// The references, and spare places behind them.
    prims: &'a mut [PrimRef],
    /// The index of the first place in the whole tree.
    first: usize,
    count: usize,
    bounds: Bounds,
    /// The binary levels above.
    depth: usize,
}

/// The two sides of a split set.
struct SplitResult {
    partition: Partition,
    left: Bounds,
    right: Bounds,
}

/// The data that all sets share.
struct TreeBuilder<'a, 'm> {
    triangles: &'a [InputTriangle],
    preset: &'a Preset,
    /// Half the surface area of the whole tree's box.
    whole_area: f64,
    monitor: &'a ProgressMonitor<'m>,
}

impl TreeBuilder<'_, '_> {
    /// Builds a subtree, which is `units` of work. Returns its root and how many references are in
    /// it. If the bake does not go on, it must not be used.
    fn build(&self, set: Set<'_>, pool: &NodePool<'_>, units: u32) -> (Child, usize) {
        // A single reference is serial, however many spare places it has.
        if set.count == 1 || set.prims.len() < SERIAL_LIMIT {
            let mut nodes = SerialNodes::with_capacity(set.prims.len().min(SERIAL_LIMIT));
            let (root, references) = self.build_serial(set, &mut nodes);
            self.monitor.advance(units);
            return (pool.append(&nodes, root), references);
        }
        let (first, count, bounds) = (set.first, set.count, set.bounds);
        // Three passes over the set. The rest of the units is for the two sides.
        let own_units = units / levels(count) as u32;
        let pass = Pass::new(self.monitor, own_units / 3, count);
        let Some([left_set, right_set]) = self.split(set, pass) else {
            return (PRIM_FLAG | first as u32, 1);
        };
        let work = |set: &Set<'_>| set.count as f64 * levels(set.count) as f64;
        let on_left = work(&left_set) / (work(&left_set) + work(&right_set));
        let left_units = (f64::from(units - own_units) * on_left) as u32;
        let right_units = units - own_units - left_units;

        let (left, right) = parallel::join(
            true,
            || self.build(left_set, pool, left_units),
            || self.build(right_set, pool, right_units),
        );
        let root = pool.push(Bvh2Node::new(&bounds, left.0, right.0));
        (root, left.1 + right.1)
    }

    /// The same, on this thread.
    fn build_serial(&self, set: Set<'_>, nodes: &mut SerialNodes) -> (Child, usize) {
        let (first, count, bounds) = (set.first, set.count, set.bounds);
        if count == 1 || !self.monitor.keep_going() {
            return (PRIM_FLAG | first as u32, 1);
        }
        // At worst every level splits off a single reference.
        let may_chain = set.depth + count <= MAX_LEVELS;
        if count == 2 || (count <= SWEEP_MAX && may_chain) {
            let prims = &mut set.prims[..count];
            return (sweep_sah::build(prims, first, nodes, &bounds, self.preset), count);
        }
        let node = nodes.len();
        nodes.push(Bvh2Node::default());
        let Some([left, right]) = self.split(set, Pass::new(self.monitor, 0, count)) else {
            return (PRIM_FLAG | first as u32, 1);
        };
        let left = self.build_serial(left, nodes);
        let right = self.build_serial(right, nodes);
        nodes[node] = Bvh2Node::new(&bounds, left.0, right.0);
        (node as Child, left.1 + right.1)
    }

    /// Splits a set in two; `None` if the bake does not go on.
    fn split<'a>(&self, set: Set<'a>, pass: Pass<'_, '_>) -> Option<[Set<'a>; 2]> {
        let result = self.split_prims(set.prims, set.count, &set.bounds, set.depth, pass)?;
        let Partition { left, right, left_places } = result.partition;
        let (left_prims, right_prims) = set.prims.split_at_mut(left_places);
        let (first, depth) = (set.first, set.depth + 1);
        Some([
            Set { prims: left_prims, first, count: left, bounds: result.left, depth },
            Set {
                prims: right_prims,
                first: first + left_places,
                count: right,
                bounds: result.right,
                depth,
            },
        ])
    }

    /// Whether a spatial split may be cheaper than this object split.
    fn may_gain(&self, split: &ObjectSplit) -> bool {
        let [overlap, around] = split.overlap();
        overlap > MIN_OVERLAP * self.whole_area && around > 0.0
    }

    /// Splits the first `count` of `prims` in two; `None` if the bake does not go on.
    ///
    /// Out of line, so that the many kilobytes of bins are not on the stack once for each level of
    /// the recursion.
    #[inline(never)]
    fn split_prims(
        &self,
        prims: &mut [PrimRef],
        count: usize,
        bounds: &Bounds,
        depth: usize,
        pass: Pass<'_, '_>,
    ) -> Option<SplitResult> {
        // For passes that are not always made: they count as no work.
        let extra_pass = Pass::new(self.monitor, 0, count);
        let centroids = centroid_bounds(&prims[..count], pass);
        if depth + levels(count) > MAX_LEVELS {
            return median_split(prims, count, &centroids, extra_pass);
        }
        let set = &mut prims[..count];
        let object = ObjectSplit::best(set, bounds, &centroids, self.preset, pass);
        let object_cost = || match &object {
            Some(split) => split.plane.cost(),
            None => Side { bounds: *bounds, count: count as u32 }.cost(),
        };
        if prims.len() > count
            && count > 4 * LANES
            && object.as_ref().is_none_or(|split| self.may_gain(split))
            && let Some(spatial) =
                SpatialSplit::best(&prims[..count], bounds, self.triangles, extra_pass)
            && spatial.plane.cost() < object_cost()
        {
            let partition = spatial.partition(prims, count, self.triangles, extra_pass);
            let Some(partition) = partition else {
                return median_split(prims, count, &centroids, extra_pass);
            };
            return Some(SplitResult::new(prims, partition, extra_pass));
        }
        if !self.monitor.keep_going() {
            return None;
        }
        let Some(split) = object else {
            return median_split(prims, count, &centroids, extra_pass);
        };
        let left = split.partition(&mut prims[..count], pass)?;
        Some(SplitResult {
            partition: share_places(prims, count, left, extra_pass),
            left: split.plane.left.bounds,
            right: split.plane.right.bounds,
        })
    }
}

impl SplitResult {
    /// Computes the boxes of both sides.
    fn new(prims: &[PrimRef], partition: Partition, pass: Pass<'_, '_>) -> Self {
        let (left, right) = prims.split_at(partition.left_places);
        Self {
            left: bounds_of(&left[..partition.left], pass),
            right: bounds_of(&right[..partition.right], pass),
            partition,
        }
    }
}

/// Splits a set at the median; `None` if the bake does not go on.
fn median_split(
    prims: &mut [PrimRef],
    count: usize,
    centroids: &Bounds,
    pass: Pass<'_, '_>,
) -> Option<SplitResult> {
    let left = split_at_median(&mut prims[..count], centroids, pass)?;
    let partition = share_places(prims, count, left, pass);
    Some(SplitResult::new(prims, partition, pass))
}

/// Levels of a balanced tree of this many references, the level of single references included.
fn levels(count: usize) -> usize {
    (usize::BITS - count.saturating_sub(1).leading_zeros() + 1) as usize
}

/// Gives both sides of a split set their shares of the spare places.
fn share_places(prims: &mut [PrimRef], count: usize, left: usize, pass: Pass<'_, '_>) -> Partition {
    let partition = Partition::new(prims.len(), left, count - left);
    // In their order, so that places that stay unused change nothing.
    move_to(prims, left..count, partition.left_places, pass);
    partition
}
