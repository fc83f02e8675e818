//! What the callers of many rays are told, worked out eight at a time.
//!
//! Many unlike rays are put side by side before the first are worked out: what is written number by number,
//! and read as a vector right away, is waited for. Neighbours mostly hit triangles of one block or two, of which
//! vectors are made without that.

use super::collector::corners;
use super::report::{NOWHERE, OnMesh, kept_at, report};
use crate::bvh::{LANES, LeafBlock, TreeView};
use crate::geometry::{Corners, Ray};
use crate::simd::{Isa, opaque};
use crate::traverse::hit::Hit;
use crate::traverse::packet::{Lanes, Mask, Packet, ROW, WHOLE_ROW};
use crate::traverse::ray::exact_hit::{ABREAST, Abreast, Each, LocatedAbreast, locate_abreast};

/// Unlike rays are put side by side so many at a time.
pub(crate) const SOME: usize = 4 * ABREAST;

/// Unlike rays side by side that hit something, and where.
pub(crate) struct Unlike {
    count: usize,
    abreast: [Abreast; SOME / ABREAST],
    located: [LocatedAbreast; SOME / ABREAST],
    /// Each ray's number, its triangle's, and where that is kept.
    hits: [(usize, u32, u32); SOME],
}

impl Unlike {
    /// Nobody.
    pub(crate) const NONE: Self = Self {
        count: 0,
        abreast: [Abreast::ROOM; SOME / ABREAST],
        located: [LocatedAbreast::ROOM; SOME / ABREAST],
        hits: [(0, 0, 0); SOME],
    };

    /// Takes rays, [`SOME`] at the most, and works out where they hit: `found` brings where a ray's triangle is
    /// kept, or `NOWHERE`, by the ray's number. Results of those that hit nothing are written.
    #[inline(always)]
    pub(crate) fn take<I: Isa>(
        &mut self,
        tree: &TreeView<'_>,
        found: impl Iterator<Item = (usize, u32)>,
        rays: &[Ray],
        results: &mut [Option<Hit>],
    ) {
        debug_assert_eq!(self.count, 0, "what was worked out before is written");
        let mut count = 0;
        for (number, slot) in found {
            let Some((block, lane)) = kept_at(tree, slot) else {
                results[number] = None;
                continue;
            };
            let eight = &mut self.abreast[count / ABREAST];
            eight.set_ray(count, &rays[number]);
            eight.set_triangle(count, &corners(block, lane));
            self.hits[count] = (number, block.id[lane], slot);
            count += 1;
        }
        self.count = count;
        let eights = self.abreast[..count.div_ceil(ABREAST)].iter();
        for (eight, located) in eights.zip(&mut self.located) {
            *located = eight.locate::<I>();
        }
    }

    /// Writes the results of those that hit something.
    #[inline(always)]
    pub(crate) fn write(&mut self, tree: &TreeView<'_>, rays: &[Ray], results: &mut [Option<Hit>]) {
        let count = std::mem::take(&mut self.count);
        let eights = self.abreast.iter().zip(&self.located);
        for ((eight, located), hits) in eights.zip(self.hits[..count].chunks(ABREAST)) {
            for (i, &(number, id, slot)) in hits.iter().enumerate() {
                let located = located.one(i, &rays[number], &|| eight.corners(i));
                results[number] = located.and_then(|located| report(tree, id, slot, &located));
            }
        }
    }
}

/// Writes the results of the rays of a packet that have bits, row by row; they may have hit the triangles
/// kept at these slots.
#[inline(always)]
pub(crate) fn report_rows<I: Isa>(
    isa: I,
    tree: &TreeView<'_>,
    packet: &Packet,
    rows: &[u32],
    taken: Mask,
    slots: &Lanes,
    rays: &[Ray],
    results: &mut [Option<Hit>],
) {
    let mut mesh = OnMesh::NONE;
    for (i, &first) in rows.iter().enumerate() {
        let (slots, first) = (slots.row(i).map(f32::to_bits), first as usize);
        if taken >> (i * ROW) & WHOLE_ROW == WHOLE_ROW
            && let Some(results) = results[first..].first_chunk_mut()
        {
            if slots == [NOWHERE; ROW] {
                *results = [None; ROW];
                continue;
            }
            if let Some(hits) = Row::of(isa, tree, &slots)
                && hits.report(isa, tree, packet, i, &slots, &mut mesh, results)
            {
                continue;
            }
        }
        let found = (0..ROW).filter(|lane| taken >> (i * ROW + lane) & 1 != 0);
        let found = found.map(|lane| (first + lane, slots[lane]));
        let mut unlike = Unlike::NONE;
        unlike.take::<I>(tree, found, rays, results);
        unlike.write(tree, rays, results);
    }
}

const _: () = assert!(ROW == ABREAST);
const _: () = assert!(ROW == LANES);

/// Rows of a leaf block: the vertices' numbers, and then the triangles'.
const BLOCK_ROWS: usize = size_of::<LeafBlock>() / size_of::<Each<u32>>();

/// The triangles that a row of rays hit, one each: the columns of their blocks.
#[repr(align(64))]
struct Row([Each<u32>; BLOCK_ROWS]);

impl Row {
    /// Those kept at some slots, if there is one at each.
    #[inline(always)]
    fn of<I: Isa>(isa: I, tree: &TreeView<'_>, slots: &Each<u32>) -> Option<Self> {
        let mut columns = [[0; ABREAST]; BLOCK_ROWS];
        let mut left = (1u32 << ABREAST) - 1;
        while left != 0 {
            // Neighbours often hit the same one, or others of the same block.
            let number = slots[left.trailing_zeros() as usize % ABREAST] / LANES as u32;
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
        packet: &Packet,
        row: usize,
        slots: &Each<u32>,
        mesh: &mut OnMesh,
        results: &mut [Option<Hit>; ABREAST],
    ) -> bool {
        // (A compiler would put a vector together of the first and the rest.)
        let ids = opaque(&self.0[BLOCK_ROWS - 1]);
        if !mesh.has(ids[0]) {
            *mesh = OnMesh::of(tree, ids[0]).unwrap_or(OnMesh::NONE);
        }
        let (origins, dirs) = (packet.origins(row), packet.dirs(row));
        let located = locate_abreast::<I>(origins, dirs, |i| self.corners(i));
        let mut plain = [0; ABREAST];
        for i in 0..ABREAST {
            plain[i] = located.sure[i] & u32::from(mesh.has(ids[i]));
        }
        if plain != [1; ABREAST] {
            return false;
        }
        mesh.report_abreast::<I::Leaf>(isa, ids, slots, &located, results);
        for (result, &id) in results.iter_mut().zip(ids) {
            mesh.report_material(tree, id, result);
        }
        true
    }
}
