//! Which meshes of a tree enclose volumes.

use super::{Keyed, LANES, LeafBlock, MeshRecord};
use crate::error::{InsideError, InsideErrorKind};
use crate::geometry::Aabb;
use crate::mesh::{Indices, MeshView, Positions, Solid, solids};

/// What a tree's triangles enclose.
pub(crate) struct Solids {
    /// For each mesh the number of its solid.
    of_mesh: Vec<u32>,
    /// The box of each solid.
    bounds: Vec<Aabb>,
    /// Those that are open, are there twice, or are closed only with all of their meshes.
    doubtful: Vec<Solid>,
    /// Whether no triangle is in several leaf blocks.
    pub(crate) each_triangle_once: bool,
}

impl Solids {
    /// Takes expected O(n log n) for n triangles. `slots` says where each is in the blocks,
    /// `mesh_bounds` are the boxes of the meshes.
    pub(super) fn new(
        meshes: &[MeshRecord],
        blocks: &[LeafBlock],
        slots: &[Keyed],
        mesh_bounds: &[Aabb],
    ) -> Self {
        let mut soups: Vec<Vec<[f32; 3]>> = vec![Vec::new(); meshes.len()];
        for one in slots {
            let (id, slot) = (one.key(), one.number());
            let Some(mesh) = MeshRecord::find(meshes, id) else { continue };
            let corners = blocks[slot as usize / LANES].corners(slot as usize % LANES);
            soups[mesh].extend(corners);
        }
        let views: Vec<_> = soups
            .iter()
            .map(|soup| MeshView::new(Positions::Arrays(soup), Indices::None))
            .collect();
        let solids = solids(&views);
        let mut of_mesh = vec![0; views.len()];
        let mut bounds = vec![Aabb::EMPTY; solids.len()];
        for (number, solid) in solids.iter().enumerate() {
            for &mesh in &solid.meshes {
                of_mesh[mesh as usize] = number as u32;
                bounds[number].extend_box(&mesh_bounds[mesh as usize]);
            }
        }
        let is_doubtful = |solid: &Solid| {
            solid.open.is_some() || solid.cancelled.is_some() || solid.meshes.len() > 1
        };
        let references: usize = blocks.iter().map(LeafBlock::len).sum();
        Self {
            of_mesh,
            bounds,
            doubtful: solids.into_iter().filter(is_doubtful).collect(),
            each_triangle_once: references == slots.len(),
        }
    }

    /// The mesh of a triangle, the number of its solid, and the solid's box.
    #[inline]
    pub(crate) fn of_triangle(
        &self,
        meshes: &[MeshRecord],
        id: u32,
    ) -> Option<(usize, u32, &Aabb)> {
        let mesh = MeshRecord::find(meshes, id)?;
        let solid = *self.of_mesh.get(mesh)?;
        Some((mesh, solid, self.bounds.get(solid as usize)?))
    }

    /// An error if a mesh in the layers `mask` is open, or would be without one that is hidden, or
    /// if a part of it is there twice, once in each direction.
    pub(crate) fn check_closed<'a>(
        &self,
        meshes: &[MeshRecord],
        mask: u32,
        mesh_name: impl Fn(u32) -> Option<&'a str>,
    ) -> Result<(), InsideError> {
        let is_seen = |mesh: &u32| meshes[*mesh as usize].mask & mask != 0;
        let name = |mesh: u32| match mesh_name(mesh) {
            None | Some("") => format!("mesh {mesh}"),
            Some(name) => format!("mesh {mesh} ({name:?})"),
        };
        for Solid { meshes, open, cancelled } in &self.doubtful {
            let Some(&seen) = meshes.iter().find(|mesh| is_seen(mesh)) else { continue };
            if let Some(edge) = open {
                let (kind, what) = match edge.triangles % 2 {
                    0 => (InsideErrorKind::MixedWinding, "which are wound in different ways"),
                    _ => (InsideErrorKind::Open, "so the surface is not closed"),
                };
                let ([from, to], count, mesh) = (edge.ends, edge.triangles, edge.mesh);
                let (name, plural) = (name(mesh), if count == 1 { "" } else { "s" });
                let message = format!(
                    "{name}: the edge from {from:?} to {to:?} belongs to {count} triangle{plural}, \
                     {what}"
                );
                return Err(InsideError::in_mesh(kind, mesh, message));
            }
            if let &Some((mesh, corners)) = cancelled {
                let message = format!(
                    "{}: the surface that the triangle {corners:?} belongs to is there twice, once \
                     in each direction, so that neither side of it is inside",
                    name(mesh)
                );
                return Err(InsideError::in_mesh(InsideErrorKind::DoubleSided, mesh, message));
            }
            if let Some(&hidden) = meshes.iter().find(|mesh| !is_seen(mesh)) {
                let message = format!(
                    "{} is closed only together with {}, which the query's mask hides",
                    name(seen),
                    name(hidden)
                );
                return Err(InsideError::in_mesh(InsideErrorKind::Hidden, seen, message));
            }
        }
        Ok(())
    }
}
