//! The boxes of meshes.

use super::{LeafBlock, MeshRecord};
use crate::geometry::Aabb;

/// The box of each mesh.
pub(super) fn mesh_bounds(meshes: &[MeshRecord], blocks: &[LeafBlock]) -> Vec<Aabb> {
    let mut bounds = vec![Aabb::EMPTY; meshes.len()];
    for block in blocks {
        for lane in 0..block.len() {
            let Some(mesh) = MeshRecord::find(meshes, block.id[lane]) else { continue };
            let Some(bounds) = bounds.get_mut(mesh) else { continue };
            for corner in block.corners(lane) {
                bounds.extend_point(corner);
            }
        }
    }
    bounds
}
