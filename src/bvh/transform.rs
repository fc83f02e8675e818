//! Trees that move as a whole.

#[cfg(test)]
mod bounds;

use glam::Affine3A;

use super::cost::subtree_area;
use super::pieces::{Motion, is_large, move_tree};
use super::records::BoxRows;
use super::refit::RefitReport;
use super::tree::Bvh;
use super::view::TreeView;
use super::{LANES, LeafBlock, Node, UNUSED_COORDINATE, UNUSED_ID, WIDTH};
use crate::error::{RefitError, RefitErrorKind};
use crate::geometry::{Aabb, determinant, is_finite, round_down, round_up, transform_point};
use crate::platform::{parallel, prefetch_ahead};

impl Bvh {
    /// Moves the whole tree: every vertex by [`transform_point`](crate::geometry::transform_point),
    /// every box by [`Aabb::transformed`](crate::Aabb::transformed). Where spatial splits cut
    /// triangles, boxes are made slightly larger to allow for rounding. No box gets too small, but
    /// a rotated box is larger than its contents; after many moves a [`refit`](Self::refit) makes
    /// them tight again. Fronts stay fronts when the map mirrors (see
    /// [`is_mirroring`](crate::geometry::is_mirroring)). Takes time in proportion to the size of
    /// the tree, on all threads of the feature `parallel`, and memory as [`refit`](Self::refit).
    ///
    /// The map is applied to the tree as it is now, and every move adds rounding errors. So do not
    /// move one tree frame by frame. Keep the original and move a clone of it each time. If the
    /// whole tree moves, it is usually better to [move the rays](crate::Ray::transformed), by the
    /// inverse map. Other clones of the tree stay where they are.
    ///
    /// # Errors
    ///
    /// If the map has no inverse, or takes a coordinate out of the range of `f32`. After
    /// an error the tree is unchanged.
    pub fn apply_transform(&mut self, transform: &Affine3A) -> Result<RefitReport, RefitError> {
        let determinant = determinant(transform);
        if !transform.is_finite() {
            let message = format!("the transform has a NaN or an infinity: {transform:?}");
            return Err(RefitError::new(RefitErrorKind::NonFinite, message));
        }
        if determinant == 0.0 {
            let message = format!("the transform's determinant is zero: {transform:?}");
            return Err(RefitError::new(RefitErrorKind::Singular, message));
        }
        let mirrors = determinant < 0.0;
        parallel::on_pool(is_large(self.view().nodes), || {
            check_finite(self.view(), transform)?;
            let map = Map { transform: *transform, elements: transform.to_cols_array(), mirrors };
            let ends = self.piece_ends();
            let report = self.moving(|nodes, blocks, areas| {
                let states = move_tree(&map, &ends, nodes, blocks, areas);
                if states.iter().any(|state| state.has_cuts) {
                    // The tree's box holds all vertices, whatever a file's boxes say of the parts.
                    let mut bounds = nodes[0].bounds(0);
                    for state in &states {
                        bounds.extend_box(&state.whole.bounds());
                    }
                    nodes[0].set_bounds(0, &bounds);
                    areas[0] = subtree_area(&nodes[0], |below| areas[below]);
                }
            });
            if mirrors {
                let turned = self.view().meshes.iter().map(|mesh| !mesh.is_swapped());
                let turned: Vec<_> = turned.enumerate().collect();
                self.set_swapped(turned.into_iter());
            }
            Ok(report)
        })
    }
}

/// A map, ready to be applied to rows of coordinates.
struct Map {
    transform: Affine3A,
    /// Column by column.
    elements: [f32; 12],
    mirrors: bool,
}

/// All ones where it holds, so that the compiler keeps lanes in vector registers.
fn mask(condition: bool) -> u32 {
    u32::from(condition).wrapping_neg()
}

/// `a` where the mask is set, else `b`.
fn select(mask: u32, a: f32, b: f32) -> f32 {
    f32::from_bits(a.to_bits() & mask | b.to_bits() & !mask)
}

/// What was found in a piece of the tree.
struct Found {
    /// A leaf holds parts of triangles.
    has_cuts: bool,
    /// The boxes of the moved triangles in each lane of leaf blocks.
    whole: BoxRows,
}

impl Default for Found {
    fn default() -> Self {
        Self { has_cuts: false, whole: BoxRows::EMPTY }
    }
}

impl Motion for Map {
    type State = Found;

    fn move_node(
        &self,
        found: &mut Found,
        node: &mut Node,
        blocks: &mut [LeafBlock],
        first: usize,
    ) {
        let before = *node;
        self.move_boxes(node);
        for (lane, block) in before.leaves() {
            let block = &mut blocks[block - first];
            prefetch_ahead(std::slice::from_ref(block));
            let triangles = block.bounds();
            self.move_triangles(block);
            found.whole.extend(block);
            if !before.bounds(lane).contains_box(&triangles) {
                node.set_bounds(lane, &padded(&node.bounds(lane), &triangles, &self.transform));
                found.has_cuts = true;
            }
        }
    }

    /// Boxes stay nested when they move, but padded ones may stick out of those above them.
    fn enclose(&self, present: &Aabb, below: &Aabb) -> Aabb {
        let mut bounds = *present;
        bounds.extend_box(below);
        bounds
    }
}

impl Map {
    /// Row `row` of the map applied, as [`transform_point`] does it.
    #[inline(always)]
    fn row(&self, row: usize, [x, y, z]: [f32; 3]) -> f32 {
        let m = &self.elements;
        m[row] * x + m[3 + row] * y + m[6 + row] * z + m[9 + row]
    }

    fn move_triangles(&self, block: &mut LeafBlock) {
        let used = block.id.map(|id| mask(id != UNUSED_ID));
        let unused = f32::from_bits(UNUSED_COORDINATE);
        for vertex in &mut block.vertex {
            let [x, y, z] = *vertex;
            for (row, moved) in vertex.iter_mut().enumerate() {
                for lane in 0..LANES {
                    let coordinate = self.row(row, [x[lane], y[lane], z[lane]]);
                    moved[lane] = select(used[lane], coordinate, unused);
                }
            }
        }
        if self.mirrors {
            block.vertex.swap(1, 2);
        }
    }

    /// Each box as by [`Aabb::transformed`]: they are finite, and stay so.
    fn move_boxes(&self, node: &mut Node) {
        let Node { min, max, child } = *node;
        let used = child.map(|child| mask(child != 0));
        for row in 0..3 {
            // For each axis the planes that make the sum least and greatest.
            let is_swapped = [0, 1, 2].map(|axis| self.elements[3 * axis + row] < 0.0);
            let low = [0, 1, 2].map(|axis| if is_swapped[axis] { max[axis] } else { min[axis] });
            let high = [0, 1, 2].map(|axis| if is_swapped[axis] { min[axis] } else { max[axis] });
            for lane in 0..WIDTH {
                let least = self.row(row, low.map(|planes| planes[lane]));
                let greatest = self.row(row, high.map(|planes| planes[lane]));
                node.min[row][lane] = select(used[lane], least, f32::INFINITY);
                node.max[row][lane] = select(used[lane], greatest, f32::NEG_INFINITY);
            }
        }
    }
}

/// An error if a coordinate would leave the range of `f32`.
fn check_finite(view: &TreeView<'_>, transform: &Affine3A) -> Result<(), RefitError> {
    // A box within another moves to a box within the other's, and so do points; padding grows with
    // the box too. So it is enough that the whole tree's box stays in range, and only if it does
    // not, all others are looked at.
    let whole = view.facts.bounds();
    let is_in_range = |bounds: &Aabb| bounds.min.is_finite() && bounds.max.is_finite();
    if is_in_range(&padded(&whole.transformed(transform), &whole, transform)) {
        return Ok(());
    }
    let out_of_range = |what: &str, number: usize| {
        let message = format!("{what} {number} would get a coordinate beyond the range of f32");
        Err(RefitError::new(RefitErrorKind::NonFinite, message))
    };
    for (number, block) in view.blocks.iter().enumerate() {
        for lane in 0..block.len() {
            let moved =
                block.corners(lane).map(|p| transform_point(transform, p.into()).to_array());
            if !is_finite(&moved) {
                return out_of_range("a triangle of leaf block", number);
            }
        }
    }
    for (number, node) in view.nodes.iter().enumerate() {
        for lane in 0..node.len() {
            let block = node.leaf(lane).map(|leaf| view.blocks[leaf].bounds());
            if !is_in_range(&moved_box(&node.bounds(lane), block.as_ref(), transform).0) {
                return out_of_range("a box of node", number);
            }
        }
    }
    Ok(())
}

/// The moved box of a child, and whether it holds parts of triangles. `block` is the box of its
/// triangles before the move, if it is a leaf.
fn moved_box(bounds: &Aabb, block: Option<&Aabb>, transform: &Affine3A) -> (Aabb, bool) {
    let moved = bounds.transformed(transform);
    match block {
        Some(block) if !bounds.contains_box(block) => (padded(&moved, block, transform), true),
        _ => (moved, false),
    }
}

/// The moved box of a leaf that holds parts of triangles. `triangles` is the box of the whole
/// triangles before the move.
///
/// **Lemma 19 (moved boxes).** A box of a part, moved and padded by 12 * 2^-24 of the sum of
/// absolute terms that make up each coordinate, holds the moved part. Proof: a point of the part
/// is a mean of vertices, which move with an error below 5 * 2^-24 of that sum each, so the point
/// does too.
/// The corners of the box, clamped to `triangles`, move with the same error, and rounding keeps
/// order. That is 10 * 2^-24 in all; the rest covers the rounding of the sum below.
fn padded(bounds: &Aabb, triangles: &Aabb, transform: &Affine3A) -> Aabb {
    let m = transform.to_cols_array().map(|x| f64::from(x).abs());
    let size = |k: usize| f64::from(triangles.min[k].abs().max(triangles.max[k].abs()));
    let mut bounds = *bounds;
    for row in 0..3 {
        let sum = m[row] * size(0) + m[3 + row] * size(1) + m[6 + row] * size(2) + m[9 + row];
        // The last term covers underflow.
        let pad = sum * (12.0 / (1 << 24) as f64) + f64::from(f32::MIN_POSITIVE);
        bounds.min[row] = round_down(f64::from(bounds.min[row]) - pad);
        bounds.max[row] = round_up(f64::from(bounds.max[row]) + pad);
    }
    bounds
}
