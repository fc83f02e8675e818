//! Hits in the user's numbers.

use std::mem::offset_of;

use bytemuck::Zeroable;

use super::{ExactCandidate, corners};
use crate::array::Each;
use crate::bvh::{LANES, LeafBlock, MeshRecord, TreeView};
use crate::geometry::{Face, Ray};
use crate::simd::Vector;
use crate::traverse::hit::Hit;
use crate::traverse::instance_id::InstanceId;
use crate::traverse::ray::exact_hit::{HitPoint, HitPointX8, RAYS_AT_ONCE, X8};

/// The slot of no triangle.
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// The leaf block and the lane of a triangle.
#[inline(always)]
pub(crate) fn block_and_lane<'a>(tree: &TreeView<'a>, slot: u32) -> Option<(&'a LeafBlock, usize)> {
    let (block, lane) = (slot as usize / LANES, slot as usize % LANES);
    Some((tree.blocks.get(block)?, lane))
}

/// The mesh of a triangle.
#[inline(always)]
pub(crate) fn mesh_of<'a>(tree: &TreeView<'a>, id: u32) -> Option<(u32, &'a MeshRecord)> {
    let number = MeshRecord::find(tree.meshes, id)?;
    Some((number as u32, tree.meshes.get(number)?))
}

/// A mesh that is hit; zeros if there is none yet.
#[derive(Clone, Copy, Zeroable)]
pub(crate) struct HitMesh {
    number: u32,
    record: MeshRecord,
}

impl HitMesh {
    /// The mesh of this triangle.
    #[inline(always)]
    pub(crate) fn of(tree: &TreeView<'_>, id: u32) -> Option<Self> {
        let (number, &record) = mesh_of(tree, id)?;
        Some(Self { number, record })
    }

    /// Whether a triangle is of this mesh.
    #[inline(always)]
    pub(crate) fn has(&self, id: u32) -> bool {
        id.wrapping_sub(self.record.first_triangle) < self.record.triangle_count
    }

    /// The user's weights, from the weights of the tree's second and third vertex.
    #[inline(always)]
    fn weights<T>(&self, u: T, v: T) -> (T, T) {
        if self.record.flags & MeshRecord::SWAPPED != 0 { (v, u) } else { (u, v) }
    }

    /// Writes a hit on the triangle with this id, all but its material. It is written in place: a
    /// hit written in parts elsewhere and then copied would stall.
    #[inline(always)]
    pub(crate) fn report(
        &self,
        id: u32,
        slot: u32,
        hit_point: &HitPoint,
        result: &mut Option<Hit>,
    ) {
        let &HitPoint { t, u, v, front } = hit_point;
        let (u, v) = self.weights(u, v);
        *result = Some(Hit {
            t,
            u,
            v,
            face: if front { Face::Front } else { Face::Back },
            has_material: false,
            mesh: self.number,
            triangle: id - self.record.first_triangle,
            user_id: self.record.user_id,
            material: 0,
            slot,
            instance: InstanceId::NONE,
        });
    }

    /// Writes the hits of several rays, all but their materials.
    #[inline(always)]
    pub(crate) fn report_x8<V: Vector>(
        &self,
        isa: V::Isa,
        ids: &X8<u32>,
        slots: &X8<u32>,
        hit_point: &HitPointX8,
        results: &mut [Option<Hit>; RAYS_AT_ONCE],
    ) {
        let HitPointX8 { t, u, v, back, .. } = hit_point;
        let (u, v) = self.weights(u, v);
        let (mut face, mut triangle, mut slot) = ([0f32; 8], [0f32; 8], [0f32; 8]);
        for i in 0..RAYS_AT_ONCE {
            face[i] = f32::from_bits(u32::from(back[i]).to_le());
            triangle[i] = f32::from_bits(ids[i] - self.record.first_triangle);
            slot[i] = f32::from_bits(slots[i]);
        }
        let all = |number: u32| [f32::from_bits(number); RAYS_AT_ONCE];
        let [low, high] = halves(self.record.user_id);
        let (low, high) = ([low; RAYS_AT_ONCE], [high; RAYS_AT_ONCE]);
        let InstanceId { slot: nowhere, generation } = InstanceId::NONE;
        let hits = results.as_mut_ptr().cast::<f32>();
        // SAFETY: these are all numbers of each hit: `face` holds a valid face, and that there is
        // no material.
        unsafe {
            write_fours::<V>(isa, [t, u, v, &face], hits);
            write_fours::<V>(isa, [&all(self.number), &triangle, &low, &high], hits.add(4));
            let rest = [&all(0), &slot, &all(nowhere), &all(generation.get())];
            write_fours::<V>(isa, rest, hits.add(8));
        }
    }

    /// Writes the material of a hit.
    #[inline(always)]
    pub(crate) fn report_material(&self, tree: &TreeView<'_>, id: u32, result: &mut Option<Hit>) {
        if self.record.flags & MeshRecord::MATERIALS != 0
            && let Some(hit) = result
            && let Some(&material) = tree.materials.get(id as usize)
        {
            (hit.has_material, hit.material) = (true, material);
        }
    }
}

const _: () = {
    // The fours that `report_x8` writes, and the number of a face.
    assert!(size_of::<Option<Hit>>() == size_of::<Hit>() && Face::Back as u8 == 1);
    assert!(offset_of!(Hit, t) == 0 && offset_of!(Hit, u) == 4 && offset_of!(Hit, v) == 8);
    assert!(offset_of!(Hit, face) == 12 && offset_of!(Hit, mesh) == 16);
    assert!(offset_of!(Hit, triangle) == 20 && offset_of!(Hit, user_id) == 24);
    assert!(offset_of!(Hit, material) == 32 && offset_of!(Hit, slot) == 36);
    assert!(offset_of!(Hit, has_material) == 13 && offset_of!(Hit, instance) == 40);
    assert!(offset_of!(InstanceId, slot) == 0 && offset_of!(InstanceId, generation) == 4);
};

/// The halves of a user id, in memory order.
#[inline(always)]
fn halves(id: u64) -> [f32; 2] {
    let [a, b, c, d, e, f, g, h] = id.to_ne_bytes();
    [[a, b, c, d], [e, f, g, h]].each(f32::from_ne_bytes)
}

/// Writes each column of four rows to one result.
///
/// # Safety
/// `to` points into the first of eight results, at four numbers of it that may hold these rows.
#[inline(always)]
unsafe fn write_fours<V: Vector>(isa: V::Isa, rows: [&X8<f32>; 4], to: *mut f32) {
    const NUMBERS: usize = size_of::<Option<Hit>>() / size_of::<f32>();
    let mut first = 0;
    while first < RAYS_AT_ONCE {
        let fours = V::transpose_fours(rows.each(|row| V::load_at(isa, row, first)));
        for (i, fours) in fours.into_iter().enumerate() {
            let mut columns = [0f32; RAYS_AT_ONCE];
            fours.replace_at(&mut columns, 0);
            let columns = columns.as_chunks::<4>().0;
            for (j, column) in columns.iter().enumerate().take(V::LANES / 4) {
                // SAFETY: the place in the result of this column that `to` is in the first.
                unsafe {
                    let to = to.add((first + 4 * j + i) * NUMBERS);
                    to.cast::<[f32; 4]>().write(*column);
                }
            }
        }
        first += V::LANES;
    }
}

/// The hit on a triangle, in the user's numbers.
#[inline(always)]
pub(crate) fn report(tree: &TreeView<'_>, id: u32, slot: u32, hit_point: &HitPoint) -> Option<Hit> {
    let mesh = HitMesh::of(tree, id)?;
    let mut result = None;
    mesh.report(id, slot, hit_point, &mut result);
    mesh.report_material(tree, id, &mut result);
    result
}

/// An exact hit, in the user's numbers.
#[inline(always)]
pub(crate) fn report_exact(
    tree: &TreeView<'_>,
    ray: &Ray,
    candidate: ExactCandidate<'_>,
) -> Option<Hit> {
    let lane = candidate.slot as usize % LANES;
    let (u, v) = candidate.hit.barycentrics(ray, &|| corners(candidate.block, lane));
    let hit_point = HitPoint { t: candidate.hit.t, u, v, front: candidate.hit.front };
    report(tree, candidate.id, candidate.slot, &hit_point)
}
