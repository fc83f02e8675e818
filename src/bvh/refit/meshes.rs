//! Meshes whose triangles have moved: checked, and written to leaf blocks.

use super::super::pieces::Motion;
use super::super::{LeafBlock, MeshRecord, Node, UNUSED_ID};
use crate::error::{RefitError, RefitErrorKind};
use crate::geometry::{Aabb, Corners, Triangle, is_finite};
use crate::mesh::{MeshView, Placement, Positions, index_hash};
use crate::platform::{parallel, prefetch_ahead};

/// A mesh whose triangles move.
struct MovedMesh<'a> {
    number: usize,
    /// The number of its first triangle among the triangles of all meshes.
    first: u32,
    count: u32,
    view: MeshView<'a>,
    positions: Positions<'a>,
    placement: Placement,
}

/// Meshes that were found to be the meshes of the bake, in order.
pub(super) struct MovedMeshes<'a> {
    meshes: Vec<MovedMesh<'a>>,
    /// No vertex is placed out of the range of `f32`.
    is_in_range: bool,
}

impl<'a> MovedMeshes<'a> {
    /// Checks whether meshes are the meshes of the bake. The first of them has the number `first`.
    pub(super) fn check(
        records: &[MeshRecord],
        first: usize,
        meshes: &[MeshView<'a>],
        worthwhile: bool,
    ) -> Result<Self, RefitError> {
        let records = &records[first..first + meshes.len()];
        let given: Vec<_> = (first..).zip(records).zip(meshes).collect();
        let check = |((number, record), mesh)| check_mesh(number, record, mesh);
        let is_in_range =
            |mesh: &MeshView<'_>| Placement::new(mesh).keeps_finite(mesh.positions().magnitude());
        let (checked, are_in_range) = parallel::join(
            worthwhile,
            || parallel::map_each(worthwhile, given.clone(), check),
            || parallel::map_each(worthwhile, meshes.iter().collect(), is_in_range),
        );
        checked.into_iter().collect::<Result<(), _>>()?;
        let moved = given.into_iter().map(|((number, record), mesh)| MovedMesh {
            number,
            first: record.first_triangle,
            count: record.triangle_count,
            view: *mesh,
            positions: mesh.positions(),
            placement: Placement::new(mesh),
        });
        let is_in_range = are_in_range.into_iter().all(|is_in_range| is_in_range);
        Ok(Self { meshes: moved.collect(), is_in_range })
    }

    /// An error if a coordinate of a triangle in these leaf blocks is not finite.
    pub(super) fn check_finite<'b>(
        &self,
        mut blocks: impl Iterator<Item = &'b LeafBlock>,
    ) -> Result<(), RefitError> {
        // A vertex that is not may be of triangles that the bake skipped.
        let mut at = 0;
        if self.is_in_range {
            return Ok(());
        }
        blocks.try_for_each(|block| {
            for id in block.id {
                let Some((mesh, triangle)) = self.find(id, &mut at) else { continue };
                if mesh.corners(triangle).is_none_or(|corners| !is_finite(&corners)) {
                    let message = format!(
                        "mesh {}: triangle {triangle}: a coordinate is NaN, infinite or beyond the \
                         range of f32",
                        mesh.number
                    );
                    return Err(RefitError::new(RefitErrorKind::NonFinite, message));
                }
            }
            Ok(())
        })
    }

    /// The mesh of a triangle, and its number there. `at` is where one was found last.
    #[inline(always)]
    fn find(&self, id: u32, at: &mut usize) -> Option<(&MovedMesh<'a>, u32)> {
        let within = |mesh: &MovedMesh<'_>| id.wrapping_sub(mesh.first) < mesh.count;
        if !self.meshes.get(*at).is_some_and(within) {
            // Empty meshes begin where the next one does, and come before it.
            *at = self.meshes.partition_point(|mesh| mesh.first <= id).checked_sub(1)?;
        }
        let mesh = &self.meshes[*at];
        within(mesh).then(|| (mesh, id - mesh.first))
    }

    /// Writes the triangles of a leaf block that are of these meshes. `at` is as in `find`.
    #[inline(always)]
    pub(super) fn move_triangles(&self, block: &mut LeafBlock, at: &mut usize) {
        let ids = block.id;
        for (lane, &id) in ids.iter().enumerate().take_while(|&(_, &id)| id != UNUSED_ID) {
            // The indices are as in the bake, so there always is such a triangle. (Unless a file
            // says otherwise: then the lane stays as it is.)
            if let Some((mesh, triangle)) = self.find(id, at)
                && let Some(corners) = mesh.corners(triangle)
            {
                block.set_corners(lane, &corners);
            }
        }
    }

    /// Of each mesh whether the second and third vertex of its triangles are swapped.
    pub(super) fn mirrored(&self) -> impl Iterator<Item = (usize, bool)> {
        self.meshes.iter().map(|mesh| (mesh.number, mesh.placement.mirrored()))
    }
}

impl Motion for MovedMeshes<'_> {
    type State = usize;

    fn move_node(&self, at: &mut usize, node: &mut Node, blocks: &mut [LeafBlock], first: usize) {
        for (_, block) in node.leaves() {
            let block = &mut blocks[block - first];
            prefetch_ahead(std::slice::from_ref(block));
            self.move_triangles(block, at);
        }
        // Not at once: what has just been written number by number cannot be read in rows yet.
        for (lane, block) in node.leaves() {
            node.set_bounds(lane, &blocks[block - first].bounds());
        }
    }

    fn enclose(&self, _: &Aabb, below: &Aabb) -> Aabb {
        *below
    }
}

impl MovedMesh<'_> {
    /// The corners of a triangle as a bake places them.
    #[inline(always)]
    fn corners(&self, triangle: u32) -> Option<Corners> {
        let corners = self.view.triangle_indices(triangle as usize)?;
        self.placement.place(&self.positions, corners).map(Triangle::to_arrays)
    }
}

/// An error if it is not the mesh that was baked.
fn check_mesh(number: usize, record: &MeshRecord, mesh: &MeshView<'_>) -> Result<(), RefitError> {
    let mismatch = |message| Err(RefitError::new(RefitErrorKind::Mismatch, message));
    let given = (mesh.positions().len(), mesh.triangle_count());
    let baked = (record.vertex_count as usize, record.triangle_count as usize);
    if given != baked {
        return mismatch(format!(
            "mesh {number} was baked with {} vertices and {} triangles, and is given with {} \
             and {}",
            baked.0, baked.1, given.0, given.1
        ));
    }
    if index_hash(mesh, &|_| true) != record.index_hash {
        return mismatch(format!("mesh {number} was baked with other indices"));
    }
    Ok(())
}
