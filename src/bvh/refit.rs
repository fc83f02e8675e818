//! Trees whose triangles move.

#[cfg(test)]
mod bounds;

use std::borrow::Cow;

use glam::{Affine3A, Vec3};
use serde::{Deserialize, Serialize};

use super::{Bvh, LeafBlock, MeshRecord, Node, sah_cost};
use crate::error::{RefitError, RefitErrorKind};
use crate::geometry::Aabb;
use crate::geometry::{Triangle, determinant, is_finite, round_down, round_up, transform_point};
use crate::mesh::MeshView;
use crate::mesh::{Placement, index_hash};

/// How a refit or a move changed the tree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RefitReport {
    /// Expected cost of a random ray by the surface area heuristic, before.
    pub sah_before: f64,
    /// The same after.
    pub sah_after: f64,
}

impl RefitReport {
    /// The estimated cost after, divided by before. If it is much more than 1, bake again. 1 for
    /// an empty tree.
    #[must_use]
    pub fn cost_ratio(&self) -> f64 {
        if self.sah_before > 0.0 { self.sah_after / self.sah_before } else { 1.0 }
    }
}

impl Bvh {
    /// Moves the triangles to where the meshes have them now, and fits every box tightly
    /// around them, from the leaves up. Boxes then hold whole triangles, so the gain of spatial
    /// splits is lost. Other clones of the tree keep the old positions.
    ///
    /// `meshes` are those of the bake, in the same order and with the same indices; positions
    /// and transforms are taken from them, all else stays as baked. A triangle that the bake
    /// skipped stays out. One that has no area now is missed until it has one again. The shape of
    /// the tree does not change: [`RefitReport::cost_ratio`] shows when to bake again. Takes time
    /// and memory in proportion to the number of triangles.
    ///
    /// # Errors
    ///
    /// If a coordinate is not finite, or the meshes are not those of the bake. Compared are the
    /// number of meshes, the numbers of vertices and triangles of each, and a hash of its indices.
    /// After an error the tree is unchanged.
    ///
    /// # Example
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::{Builder, Mesh, MeshView, Query, Ray};
    ///
    /// let gate = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    /// let mut meshes = [gate];
    /// let (mut bvh, _) = Builder::new().bake(&meshes)?;
    /// // It opens upwards.
    /// meshes[0].transform = Affine3A::from_translation(Vec3::new(0.0, 3.0, 0.0));
    /// let views: Vec<_> = meshes.iter().map(MeshView::from).collect();
    /// bvh.refit(&views)?;
    /// let through = Ray::between([1.0, 1.0, -1.0], [1.0, 1.0, 1.0]);
    /// assert!(!bvh.any_hit(&through, &Query::new()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn refit(&mut self, meshes: &[MeshView<'_>]) -> Result<RefitReport, RefitError> {
        self.check_meshes(meshes)?;
        let view = self.view();
        let placements: Vec<_> = meshes.iter().map(Placement::new).collect();
        let mut blocks = view.blocks.to_vec();
        for block in &mut blocks {
            for lane in 0..block.len() {
                let id = block.id[lane];
                let Some(mesh) = MeshRecord::find(view.meshes, id) else {
                    continue;
                };
                let triangle = (id - view.meshes[mesh].first_triangle) as usize;
                let moved = placements[mesh].triangle(&meshes[mesh], triangle);
                let Some(corners) = moved.map(Triangle::to_arrays).filter(is_finite) else {
                    let message = format!(
                        "mesh {mesh}: triangle {triangle}: a coordinate is NaN, infinite or beyond \
                         the range of f32"
                    );
                    return Err(RefitError::new(RefitErrorKind::NonFinite, message));
                };
                block.set_corners(lane, &corners);
            }
        }

        let mut nodes = view.nodes.to_vec();
        // Children come after their parents, so backwards every child is done first.
        for at in (0..nodes.len()).rev() {
            for lane in 0..nodes[at].len() {
                let bounds = match nodes[at].leaf(lane) {
                    Some(leaf) => blocks[leaf].bounds(),
                    None => nodes[nodes[at].child[lane] as usize].whole(),
                };
                nodes[at].set_bounds(lane, &bounds);
            }
        }
        let mirrored = placements.iter().map(Placement::mirrored);
        Ok(self.moved(nodes, blocks, mirrored))
    }

    /// Moves the whole tree: every vertex by [`transform_point`](crate::geometry::transform_point),
    /// every box by [`Aabb::transformed`](crate::Aabb::transformed). Where spatial splits cut
    /// triangles, boxes are made slightly larger to allow for rounding. No box gets too small, but
    /// a rotated box is larger than what is in it; after many moves a [`refit`](Self::refit) makes
    /// them tight again. Fronts stay fronts when the map mirrors (see
    /// [`is_mirroring`](crate::geometry::is_mirroring)). Takes time and memory in proportion to the
    /// size of the tree.
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
    pub fn transform(&mut self, transform: &Affine3A) -> Result<RefitReport, RefitError> {
        let determinant = determinant(transform);
        if !transform.is_finite() {
            let message = format!("the transform has a NaN or an infinity: {transform:?}");
            return Err(RefitError::new(RefitErrorKind::NonFinite, message));
        }
        if determinant == 0.0 {
            let message = format!("the transform's determinant is zero: {transform:?}");
            return Err(RefitError::new(RefitErrorKind::Singular, message));
        }
        let out_of_range = |what: &str, number: usize| {
            let message = format!("{what} {number} would get a coordinate beyond the range of f32");
            RefitError::new(RefitErrorKind::NonFinite, message)
        };

        let view = self.view();
        let mut blocks = view.blocks.to_vec();
        for (number, block) in blocks.iter_mut().enumerate() {
            for lane in 0..block.len() {
                let mut corners = block
                    .corners(lane)
                    .map(|p| transform_point(transform, Vec3::from_array(p)).to_array());
                if !is_finite(&corners) {
                    return Err(out_of_range("a triangle of leaf block", number));
                }
                if determinant < 0.0 {
                    corners.swap(1, 2);
                }
                block.set_corners(lane, &corners);
            }
        }
        let mut nodes = view.nodes.to_vec();
        let mut any_cut = false;
        for (number, node) in nodes.iter_mut().enumerate() {
            for lane in 0..node.len() {
                let old = node.bounds(lane);
                let mut bounds = old.transformed(transform);
                if let Some(block) = node.leaf(lane).map(|leaf| &view.blocks[leaf])
                    && !old.contains_box(&block.bounds())
                {
                    bounds = padded(&bounds, &block.bounds(), transform);
                    any_cut = true;
                }
                if !(bounds.min.is_finite() && bounds.max.is_finite()) {
                    return Err(out_of_range("a box of node", number));
                }
                node.set_bounds(lane, &bounds);
            }
        }
        if any_cut {
            // The tree's box holds all vertices, whatever a file's boxes say of the parts.
            let mut bounds = nodes[0].bounds(0);
            for block in &blocks {
                bounds.extend_box(&block.bounds());
            }
            nodes[0].set_bounds(0, &bounds);
            // Padded boxes may stick out of those above them.
            for at in (0..nodes.len()).rev() {
                for lane in 0..nodes[at].len() {
                    if nodes[at].leaf(lane).is_none() {
                        let mut bounds = nodes[at].bounds(lane);
                        bounds.extend_box(&nodes[nodes[at].child[lane] as usize].whole());
                        nodes[at].set_bounds(lane, &bounds);
                    }
                }
            }
        }

        let turned = view.meshes.iter().map(|mesh| mesh.is_swapped() != (determinant < 0.0));
        let swapped: Vec<bool> = turned.collect();
        Ok(self.moved(nodes, blocks, swapped.into_iter()))
    }

    /// Puts moved nodes and leaf blocks in place. `swapped` says of each mesh whether its
    /// triangles' second and third vertex are swapped now.
    fn moved(
        &mut self,
        nodes: Vec<Node>,
        blocks: Vec<LeafBlock>,
        swapped: impl Iterator<Item = bool>,
    ) -> RefitReport {
        let view = self.view();
        let report = RefitReport { sah_before: sah_cost(view.nodes), sah_after: sah_cost(&nodes) };
        let mut meshes = Cow::Borrowed(view.meshes);
        for (mesh, swapped) in swapped.enumerate() {
            if meshes[mesh].is_swapped() != swapped {
                meshes.to_mut()[mesh].flags ^= MeshRecord::SWAPPED;
            }
        }
        let meshes = match meshes {
            Cow::Owned(meshes) => Some(meshes),
            Cow::Borrowed(_) => None,
        };
        self.replace(Some(nodes), Some(blocks), meshes);
        report
    }

    fn check_meshes(&self, meshes: &[MeshView<'_>]) -> Result<(), RefitError> {
        let mismatch = |message| Err(RefitError::new(RefitErrorKind::Mismatch, message));
        let records = self.view().meshes;
        if meshes.len() != records.len() {
            return mismatch(format!(
                "the tree was baked from {} meshes, and {} are given",
                records.len(),
                meshes.len()
            ));
        }
        for (number, (record, mesh)) in records.iter().zip(meshes).enumerate() {
            let given = (mesh.positions().len(), mesh.triangle_count());
            let baked = (record.vertex_count as usize, record.triangle_count as usize);
            if given != baked {
                return mismatch(format!(
                    "mesh {number} was baked with {} vertices and {} triangles, and is given \
                     with {} and {}",
                    baked.0, baked.1, given.0, given.1
                ));
            }
            if index_hash(mesh, &|_| true) != record.index_hash {
                return mismatch(format!("mesh {number} was baked with other indices"));
            }
        }
        Ok(())
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
