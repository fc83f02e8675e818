//! The results of a packet.

use super::{Lanes, Mask, Packet, ROW, WHOLE_ROW};
use crate::bvh::{LANES, LeafBlock, TreeView};
use crate::geometry::{Corners, Ray};
use crate::simd::{Isa, opaque};
use crate::traverse::collect::batch::ExactHitBatch;
use crate::traverse::collect::report::{HitMesh, NO_SLOT};
use crate::traverse::hit::Hit;
use crate::traverse::ray::exact_hit::{RAYS_AT_ONCE, X8, exact_hit_x8};

/// Writes the results of the rays of a packet that have bits, row by row; they may have hit the triangles
/// kept at these slots.
#[inline(always)]
pub(crate) fn report_rows<I: Isa>(
    isa: I,
    tree: &TreeView<'_>,
    packet: &Packet,
    (rows, taken): (&[u32], Mask),
    slots: &Lanes,
    rays: &[Ray],
    results: &mut [Option<Hit>],
) {
    let mut mesh = HitMesh::NONE;
    for (i, &first) in rows.iter().enumerate() {
        let (slots, first) = (slots.row(i).map(f32::to_bits), first as usize);
        if taken >> (i * ROW) & WHOLE_ROW == WHOLE_ROW
            && let Some(results) = results[first..].first_chunk_mut()
        {
            if slots == [NO_SLOT; ROW] {
                *results = [None; ROW];
                continue;
            }
            if let Some(hits) = Row::of(isa, tree, &slots)
                && hits.report(isa, tree, (packet, i), &slots, &mut mesh, results)
            {
                continue;
            }
        }
        let found = (0..ROW).filter(|lane| taken >> (i * ROW + lane) & 1 != 0);
        let found = found.map(|lane| (first + lane, slots[lane]));
        let mut batch = ExactHitBatch::EMPTY;
        batch.compute::<I>(tree, found, rays, results);
        batch.write(tree, rays, results);
    }
}

const _: () = assert!(ROW == RAYS_AT_ONCE);
const _: () = assert!(ROW == LANES);

/// Rows of a leaf block: the vertices' numbers, and then the triangles'.
const BLOCK_ROWS: usize = size_of::<LeafBlock>() / size_of::<X8<u32>>();

/// The triangles that a row of rays hit, one each: the columns of their blocks.
#[repr(align(64))]
struct Row([X8<u32>; BLOCK_ROWS]);

impl Row {
    /// Those kept at some slots, if there is one at each.
    #[inline(always)]
    fn of<I: Isa>(isa: I, tree: &TreeView<'_>, slots: &X8<u32>) -> Option<Self> {
        let mut columns = [[0; RAYS_AT_ONCE]; BLOCK_ROWS];
        let mut left = (1u32 << RAYS_AT_ONCE) - 1;
        while left != 0 {
            // Neighbours often hit the same one, or others of the same block.
            let number = slots[left.trailing_zeros() as usize % RAYS_AT_ONCE] / LANES as u32;
            let block = tree.blocks.get(number as usize)?;
            left &= !isa.select_columns(number, bytemuck::cast_ref(block), slots, &mut columns);
        }
        Some(Self(columns))
    }

    /// A ray's triangle.
    #[inline(always)]
    fn corners(&self, lane: usize) -> Corners {
        let number = |row: usize| f32::from_bits(self.0[row][lane]);
        [0, 3, 6].map(|row| [number(row), number(row + 1), number(row + 2)])
    }

    /// Writes their results, if nothing is out of the way: no ray that missed, none that needs the exact
    /// test, and no triangle of another mesh than the first. Remembers that mesh.
    #[inline(always)]
    fn report<I: Isa>(
        &self,
        isa: I,
        tree: &TreeView<'_>,
        (packet, row): (&Packet, usize),
        slots: &X8<u32>,
        mesh: &mut HitMesh,
        results: &mut [Option<Hit>; RAYS_AT_ONCE],
    ) -> bool {
        // (A compiler would put a vector together of the first and the rest.)
        let ids = opaque(&self.0[BLOCK_ROWS - 1]);
        if !mesh.has(ids[0]) {
            *mesh = HitMesh::of(tree, ids[0]).unwrap_or(HitMesh::NONE);
        }
        let (origins, dirs) = (packet.origins(row), packet.dirs(row));
        let hit_point = exact_hit_x8::<I>(origins, dirs, |i| self.corners(i));
        let mut plain = [0; RAYS_AT_ONCE];
        for i in 0..RAYS_AT_ONCE {
            plain[i] = hit_point.exact[i] & u32::from(mesh.has(ids[i]));
        }
        if plain != [1; RAYS_AT_ONCE] {
            return false;
        }
        mesh.report_x8::<I::Leaf>(isa, ids, slots, &hit_point, results);
        for (result, &id) in results.iter_mut().zip(ids) {
            mesh.report_material(tree, id, result);
        }
        true
    }
}
