//! Trees whose triangles move.

mod meshes;

use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

use self::meshes::MovedMeshes;
use super::cost::{sah_cost_of, subtree_area};
use super::pieces::{is_large, move_tree};
use super::tree::Bvh;
use super::{LeafBlock, MeshRecord, Node};
use crate::error::{RefitError, RefitErrorKind};
use crate::mesh::MeshView;
use crate::platform::parallel;

/// How a refit or a move changed the tree. Costs are as in [`Bvh::stats`](crate::Bvh::stats), but
/// summed up in another order: the last digits may differ.
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
    /// `meshes` are the meshes of the bake, in the same order and with the same indices; positions
    /// and transforms are taken from them, all else stays as baked. A triangle that the bake
    /// skipped stays out. One that has no area now is missed until it has one again. The shape of
    /// the tree does not change: [`RefitReport::cost_ratio`] shows when to bake again. If few of
    /// the meshes move, [`refit_mesh`](Self::refit_mesh) takes less time.
    ///
    /// Takes time in proportion to the number of vertices and triangles, on all threads of the
    /// feature `parallel`; the tree is the same for any number of them. Nodes and triangles are
    /// written in place, with 8 bytes a node besides. If a clone, a mapping or another owner holds
    /// the tree's memory too, it is copied first.
    ///
    /// # Errors
    ///
    /// If a coordinate is not finite, or the meshes are not the meshes of the bake. Compared are
    /// the number of meshes, the numbers of vertices and triangles of each, and a hash of its
    /// indices. After an error the tree is unchanged.
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
        let records = self.view().meshes;
        if meshes.len() != records.len() {
            let message = format!(
                "the tree was baked from {} meshes, and {} are given",
                records.len(),
                meshes.len()
            );
            return Err(RefitError::new(RefitErrorKind::Mismatch, message));
        }
        let worthwhile = is_large(self.view().nodes);
        parallel::on_pool(worthwhile, || {
            let moved = MovedMeshes::check(self.view().meshes, 0, meshes, worthwhile)?;
            moved.check_finite(self.view().blocks.iter())?;
            let ends = self.piece_ends();
            let report = self.moving(|nodes, blocks, areas| {
                move_tree(&moved, &ends, nodes, blocks, areas);
            });
            self.set_swapped(moved.mirrored());
            Ok(report)
        })
    }

    /// Moves the triangles of one mesh, as [`refit`](Self::refit) moves the triangles of all
    /// meshes: a door that opens costs the door, not the level. `mesh` is the mesh with this
    /// `number` in the bake.
    ///
    /// Boxes around its triangles fit tightly again, and so do those above, up to the root. When
    /// each mesh has been given, the tree is what a `refit` with all of them makes.
    ///
    /// The first call for a tree takes time in proportion to the whole tree: it finds where the
    /// triangles of each mesh are, for all clones, and remembers it in 4 bytes for each node, leaf
    /// block and mesh, and for each mesh of each leaf block: usually 1 to 3 bytes a triangle. If
    /// others hold the tree's memory too, it is copied. After that, a call takes O(m + k log k)
    /// time, for a mesh of m vertices and triangles below k nodes. It runs on the calling thread,
    /// so if most of a large level moves, `refit` is better.
    ///
    /// # Errors
    ///
    /// As for `refit`; and if there is no mesh of this number. After an error the tree is
    /// unchanged.
    ///
    /// # Example
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 1.0], [9.0, 0.0, 1.0], [0.0, 9.0, 1.0]]);
    /// let mut door = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
    /// let (mut bvh, _) = Builder::new().bake(&[wall, door.clone()])?;
    /// let ray = Ray::new([0.2, 0.2, -1.0], [0.0, 0.0, 1.0]);
    /// assert_eq!(bvh.closest_hit(&ray, &Query::new()).unwrap().mesh, 1);
    ///
    /// door.transform = Affine3A::from_translation(Vec3::new(0.0, 3.0, 0.0));
    /// bvh.refit_mesh(1, &door.view())?;
    /// assert_eq!(bvh.closest_hit(&ray, &Query::new()).unwrap().mesh, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn refit_mesh(
        &mut self,
        number: u32,
        mesh: &MeshView<'_>,
    ) -> Result<RefitReport, RefitError> {
        let count = self.mesh_count();
        if number >= count {
            let message =
                format!("the tree was baked from {count} meshes: there is no mesh {number}");
            return Err(RefitError::new(RefitErrorKind::Mismatch, message));
        }
        let number = number as usize;
        let records = self.view().meshes;
        let moved = MovedMeshes::check(records, number, std::slice::from_ref(mesh), false)?;
        let places = self.places();
        let blocks = places.blocks_of(number).iter();
        moved.check_finite(blocks.map(|&block| &self.view().blocks[block as usize]))?;
        let report = self.moving(|nodes, blocks, areas| {
            // The greatest number comes first, and children come after their parents: so every
            // child is done first.
            let mut changed = BinaryHeap::new();
            let mut last_mesh = 0;
            for &number in places.blocks_of(number) {
                let block = &mut blocks[number as usize];
                moved.move_triangles(block, &mut last_mesh);
                let (node, lane) = places.above_block(number);
                nodes[node].set_bounds(lane, &block.bounds());
                changed.push(node);
            }
            let mut last = None;
            while let Some(node) = changed.pop() {
                if last.replace(node) == Some(node) {
                    continue;
                }
                areas[node] = subtree_area(&nodes[node], |below| areas[below]);
                if let Some((above, lane)) = places.above_node(node) {
                    let bounds = nodes[node].whole();
                    nodes[above].set_bounds(lane, &bounds);
                    changed.push(above);
                }
            }
        });
        self.set_swapped(moved.mirrored());
        Ok(report)
    }

    /// Lets `change` move the triangles and boxes of this handle. It also gets the areas of all
    /// subtrees, which must be right again when it returns.
    pub(super) fn moving(
        &mut self,
        change: impl FnOnce(&mut [Node], &mut [LeafBlock], &mut [f64]),
    ) -> RefitReport {
        self.change(|nodes, blocks, areas| {
            let sah_before = sah_cost_of(nodes, blocks.len(), areas);
            change(nodes, blocks, areas);
            RefitReport { sah_before, sah_after: sah_cost_of(nodes, blocks.len(), areas) }
        })
    }

    /// Notes of meshes, by number, whether the second and third vertex of their stored triangles
    /// are swapped now.
    pub(super) fn set_swapped(&mut self, swapped: impl Iterator<Item = (usize, bool)>) {
        let records = self.view().meshes;
        let is_other = |&(mesh, swapped): &(usize, bool)| records[mesh].is_swapped() != swapped;
        let others: Vec<usize> = swapped.filter(is_other).map(|(mesh, _)| mesh).collect();
        if others.is_empty() {
            return;
        }
        let mut records = records.to_vec();
        for mesh in others {
            records[mesh].flags ^= MeshRecord::SWAPPED;
        }
        self.replace_meshes(records);
    }
}
