//! What the caller is told of a hit.

use crate::bvh::{BvhView, LANES, LeafBlock, MeshRecord};
use crate::geometry::Ray;
use crate::query::locate::Located;
use crate::query::visitor::{Met, corners};
use crate::query::{Face, Hit};

/// Where no triangle is kept.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The block and the lane that a triangle is kept in.
#[inline(always)]
pub(super) fn kept_at<'a>(tree: &BvhView<'a>, slot: u32) -> Option<(&'a LeafBlock, usize)> {
    let (block, lane) = (slot as usize / LANES, slot as usize % LANES);
    Some((tree.blocks.get(block)?, lane))
}

/// The mesh of a triangle.
#[inline(always)]
pub(super) fn mesh_of<'a>(tree: &BvhView<'a>, id: u32) -> Option<(u32, &'a MeshRecord)> {
    let number = MeshRecord::find(tree.meshes, id)?;
    Some((number as u32, tree.meshes.get(number)?))
}

/// What there is to say of all hits on a mesh.
#[derive(Clone, Copy)]
pub(super) struct OnMesh {
    /// The number of its first triangle, and how many there are.
    first: u32,
    count: u32,
    mesh: u32,
    user_id: u64,
    /// Whether the caller's second vertex is the tree's third.
    swapped: bool,
    has_materials: bool,
}

impl OnMesh {
    /// No triangle is of this one.
    pub(super) const NONE: Self = Self {
        first: 0,
        count: 0,
        mesh: 0,
        user_id: 0,
        swapped: false,
        has_materials: false,
    };

    /// The mesh of this triangle.
    #[inline(always)]
    pub(super) fn of(tree: &BvhView<'_>, id: u32) -> Option<Self> {
        let (mesh, record) = mesh_of(tree, id)?;
        Some(Self {
            first: record.first_triangle,
            count: record.triangle_count,
            mesh,
            user_id: record.user_id,
            swapped: record.flags & MeshRecord::SWAPPED != 0,
            has_materials: record.flags & MeshRecord::MATERIALS != 0,
        })
    }

    /// Whether a triangle is of this mesh.
    #[inline(always)]
    pub(super) fn has(&self, id: u32) -> bool {
        id.wrapping_sub(self.first) < self.count
    }

    /// Writes a hit on the triangle of this number, which is kept at `slot`; all but its material.
    /// (Straight to where it goes: what is put together in parts and then copied is waited for.)
    #[inline(always)]
    pub(super) fn report(&self, id: u32, slot: u32, located: &Located, result: &mut Option<Hit>) {
        let &Located { t, u, v, front } = located;
        let (u, v) = if self.swapped { (v, u) } else { (u, v) };
        *result = Some(Hit {
            t,
            u,
            v,
            face: if front { Face::Front } else { Face::Back },
            mesh: self.mesh,
            triangle: id - self.first,
            user_id: self.user_id,
            material: None,
            slot,
        });
    }

    /// Writes the material of a triangle that was hit.
    #[inline(always)]
    pub(super) fn report_material(&self, tree: &BvhView<'_>, id: u32, result: &mut Option<Hit>) {
        if self.has_materials
            && let Some(hit) = result
        {
            hit.material = tree.materials.get(id as usize).copied();
        }
    }
}

/// A hit in the caller's numbers.
#[inline(always)]
pub(super) fn report(tree: &BvhView<'_>, id: u32, slot: u32, located: &Located) -> Option<Hit> {
    let mesh = OnMesh::of(tree, id)?;
    let mut result = None;
    mesh.report(id, slot, located, &mut result);
    mesh.report_material(tree, id, &mut result);
    result
}

/// A hit in the caller's numbers.
#[inline(always)]
pub(super) fn translate(tree: &BvhView<'_>, ray: &Ray, met: Met<'_>) -> Option<Hit> {
    let lane = met.slot as usize % LANES;
    let (u, v) = met.meeting.weights(ray, &|| corners(met.block, lane));
    let located = Located {
        t: met.meeting.t,
        u,
        v,
        front: met.meeting.front,
    };
    report(tree, met.id, met.slot, &located)
}
