//! What the callers of many rays are told, worked out eight at a time.
//!
//! Many are put side by side before the first are worked out: what is written number by number, and read
//! as a vector right away, is waited for.

use super::report::{OnMesh, kept_at, report};
use crate::bvh::BvhView;
use crate::geometry::Ray;
use crate::query::Hit;
use crate::query::locate::{ABREAST, Abreast, Each};
use crate::query::packet::{Lanes, Mask, Packet, ROW, ROWS, WHOLE_ROW};
use crate::query::visitor::corners;

/// Unlike rays are put side by side so many at a time.
const SOME: usize = 4 * ABREAST;

/// Writes the results of rays that may have hit something: `found` brings where a ray's triangle is kept,
/// or `NOWHERE`, by the ray's number.
#[inline(always)]
pub(super) fn report_unlike(
    tree: &BvhView<'_>,
    mut found: impl Iterator<Item = (usize, u32)>,
    rays: &[Ray],
    results: &mut [Option<Hit>],
) {
    let mut count = SOME;
    while count == SOME {
        let mut abreast = [Abreast::ROOM; SOME / ABREAST];
        let mut hits = [(0, 0, 0); SOME];
        count = 0;
        for (number, slot) in found.by_ref() {
            let Some((block, lane)) = kept_at(tree, slot) else {
                results[number] = None;
                continue;
            };
            let eight = &mut abreast[count / ABREAST];
            eight.set_ray(count, &rays[number]);
            eight.set_triangle(count, &corners(block, lane));
            hits[count] = (number, block.id[lane], slot);
            count += 1;
            if count == SOME {
                break;
            }
        }
        for (eight, hits) in abreast.iter().zip(hits[..count].chunks(ABREAST)) {
            let located = eight.locate();
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
pub(super) fn report_rows(
    tree: &BvhView<'_>,
    packet: &Packet,
    rows: &[u32],
    taken: Mask,
    slots: &Lanes,
    rays: &[Ray],
    results: &mut [Option<Hit>],
) {
    let slots_of = |i: usize| slots.some(i * ROW).map(f32::to_bits);
    let mut hits = [const { None }; ROWS];
    for (i, hits) in hits.iter_mut().enumerate().take(rows.len()) {
        if taken >> (i * ROW) & WHOLE_ROW == WHOLE_ROW {
            let row = hits.insert(Row {
                abreast: Abreast::of(packet.origins(i * ROW), packet.dirs(i * ROW)),
                ids: [0; ABREAST],
            });
            if !row.set_triangles(tree, &slots_of(i)) {
                *hits = None;
            }
        }
    }
    let mut mesh = OnMesh::NONE;
    for (i, &first) in rows.iter().enumerate() {
        let (slots, first) = (slots_of(i), first as usize);
        if let Some(results) = results[first..].first_chunk_mut()
            && let Some(hits) = &hits[i]
            && hits.report(tree, &slots, &mut mesh, results)
        {
            continue;
        }
        let found = (0..ROW).filter(|lane| taken >> (i * ROW + lane) & 1 != 0);
        let found = found.map(|lane| (first + lane, slots[lane]));
        report_unlike(tree, found, rays, results);
    }
}

const _: () = assert!(ROW == ABREAST);

/// A row of rays, and the triangles that they hit.
struct Row {
    abreast: Abreast,
    /// The triangles' numbers.
    ids: Each<u32>,
}

impl Row {
    /// Takes up the triangles, if there is one for each ray.
    #[inline(always)]
    fn set_triangles(&mut self, tree: &BvhView<'_>, slots: &Each<u32>) -> bool {
        // Neighbours often hit the same one.
        if slots.iter().all(|&slot| slot == slots[0]) {
            let Some((block, lane)) = kept_at(tree, slots[0]) else {
                return false;
            };
            self.ids = [block.id[lane]; ABREAST];
            self.abreast.set_one_triangle(&corners(block, lane));
            return true;
        }
        for (i, &slot) in slots.iter().enumerate() {
            let Some((block, lane)) = kept_at(tree, slot) else {
                return false;
            };
            self.ids[i] = block.id[lane];
            self.abreast.set_triangle(i, &corners(block, lane));
        }
        true
    }

    /// Writes their results, if nothing is out of the way: no ray that missed, none that needs the exact
    /// test, and no triangle of another mesh than the first. Remembers that mesh.
    #[inline(always)]
    fn report(
        &self,
        tree: &BvhView<'_>,
        slots: &Each<u32>,
        mesh: &mut OnMesh,
        results: &mut [Option<Hit>; ABREAST],
    ) -> bool {
        let ids = &self.ids;
        if !mesh.has(ids[0]) {
            *mesh = OnMesh::of(tree, ids[0]).unwrap_or(OnMesh::NONE);
        }
        let located = self.abreast.locate();
        let mut plain = 1;
        for (&id, &sure) in ids.iter().zip(&located.sure) {
            plain &= sure & u32::from(mesh.has(id));
        }
        if plain == 0 {
            return false;
        }
        for (i, result) in results.iter_mut().enumerate() {
            mesh.report(ids[i], slots[i], &located.plain(i), result);
        }
        for (result, &id) in results.iter_mut().zip(ids) {
            mesh.report_material(tree, id, result);
        }
        true
    }
}
