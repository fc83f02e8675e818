//! What the caller is told of a hit.

use crate::bvh::{BvhView, LANES, LeafBlock, MeshRecord};
use crate::geometry::{Corners, Ray};
use crate::query::locate::{ABREAST, Abreast, Located, LocatedAbreast};
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

/// A hit in the caller's numbers, all but where it is.
#[derive(Clone, Copy)]
struct Somewhere {
    hit: Hit,
    /// Whether the caller's second vertex is the tree's third.
    swapped: bool,
}

impl Somewhere {
    /// On the triangle of this number, which is kept at `slot`.
    #[inline(always)]
    fn on(tree: &BvhView<'_>, id: u32, slot: u32) -> Option<Self> {
        let (mesh, record) = mesh_of(tree, id)?;
        let has_material = record.flags & MeshRecord::MATERIALS != 0;
        Some(Self {
            hit: Hit {
                t: 0.0,
                u: 0.0,
                v: 0.0,
                face: Face::Front,
                mesh,
                triangle: id - record.first_triangle,
                user_id: record.user_id,
                material: if has_material {
                    tree.materials.get(id as usize).copied()
                } else {
                    None
                },
                slot,
            },
            swapped: record.flags & MeshRecord::SWAPPED != 0,
        })
    }

    #[inline(always)]
    fn at(self, located: &Located) -> Hit {
        let mut hit = self.hit;
        hit.place(self.swapped, located);
        hit
    }
}

impl Hit {
    /// Says where it is.
    #[inline(always)]
    fn place(&mut self, swapped: bool, located: &Located) {
        let &Located { t, u, v, front } = located;
        self.t = t;
        (self.u, self.v) = if swapped { (v, u) } else { (u, v) };
        self.face = if front { Face::Front } else { Face::Back };
    }
}

/// A hit in the caller's numbers.
#[inline(always)]
pub(super) fn report(tree: &BvhView<'_>, id: u32, slot: u32, located: &Located) -> Option<Hit> {
    Some(Somewhere::on(tree, id, slot)?.at(located))
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

/// Hits that are worked out side by side, some vectors of them.
const MOST: usize = 4 * ABREAST;

/// Writes the results of `MOST` rays at most that hit something: `found` brings where a ray's triangle
/// is kept, or `NOWHERE`, by the ray's number. `false` if there are no more.
#[inline(always)]
pub(super) fn report_some(
    tree: &BvhView<'_>,
    found: &mut impl Iterator<Item = (usize, u32)>,
    rays: &[Ray],
    results: &mut [Option<Hit>],
) -> bool {
    let mut abreast = [Abreast::ROOM; MOST / ABREAST];
    let mut hits = [(0, 0, 0); MOST];
    let mut count = 0;
    for (number, slot) in found {
        let Some((block, lane)) = kept_at(tree, slot) else {
            results[number] = None;
            continue;
        };
        abreast[count / ABREAST].set(count, &rays[number], &corners(block, lane));
        hits[count] = (number, block.id[lane], slot);
        count += 1;
        if count == MOST {
            break;
        }
    }
    for (abreast, hits) in abreast.iter().zip(hits[..count].chunks(ABREAST)) {
        let located = abreast.locate();
        for (i, &(number, id, slot)) in hits.iter().enumerate() {
            let located = located.one(i, &rays[number], &|| abreast.corners(i));
            results[number] = located.and_then(|located| report(tree, id, slot, &located));
        }
    }
    count == MOST
}

/// A triangle, and what there is to say of hits on it.
pub(super) struct Known {
    slot: u32,
    corners: Corners,
    /// All but where; none, if there is no such triangle.
    hit: Option<Hit>,
    swapped: bool,
}

impl Known {
    pub(super) const NOTHING: Self = Self {
        slot: NOWHERE,
        corners: [[0.0; 3]; 3],
        hit: None,
        swapped: false,
    };

    /// Looks up the triangle kept at `slot`.
    #[inline(always)]
    fn look_up(&mut self, tree: &BvhView<'_>, slot: u32) {
        if self.slot == slot {
            return;
        }
        self.slot = slot;
        self.hit = None;
        if let Some((block, lane)) = kept_at(tree, slot) {
            self.corners = corners(block, lane);
            if let Some(somewhere) = Somewhere::on(tree, block.id[lane], slot) {
                self.hit = Some(somewhere.hit);
                self.swapped = somewhere.swapped;
            }
        }
    }
}

/// Writes the results of `ABREAST` neighbours, of which many hit the same triangle as the one before:
/// what there is to say of it is looked up once.
#[inline(always)]
pub(super) fn report_neighbours(
    tree: &BvhView<'_>,
    mut abreast: Abreast,
    slots: &[u32; ABREAST],
    rays: &[Ray],
    results: &mut [Option<Hit>; ABREAST],
    known: &mut Known,
) {
    // A bit for each whose triangle is another than that of the one before.
    let mut first = 1u32 << ABREAST | 1;
    for i in 1..ABREAST {
        first |= u32::from(slots[i] != slots[i - 1]) << i;
    }
    if first == 1 << ABREAST | 1 {
        known.look_up(tree, slots[0]);
        let Some(hit) = known.hit else {
            results.fill(None);
            return;
        };
        let located = abreast.locate_on(&known.corners);
        if located.sure == [true; ABREAST] {
            let LocatedAbreast {
                t, u, v, minus_det, ..
            } = &located;
            let (u, v) = if known.swapped { (v, u) } else { (u, v) };
            for (i, result) in results.iter_mut().enumerate() {
                let hit = result.insert(hit);
                hit.t = t[i];
                hit.u = u[i];
                hit.v = v[i];
                hit.face = if minus_det[i] < 0.0 {
                    Face::Front
                } else {
                    Face::Back
                };
            }
            return;
        }
        results.fill(Some(hit));
        let swapped = if known.swapped { u32::MAX } else { 0 };
        place(results, rays, swapped, &located, |_| known.corners);
        return;
    }
    let mut swapped = 0;
    let mut at = 0;
    while at < results.len() {
        first &= first - 1;
        let next = first.trailing_zeros() as usize;
        known.look_up(tree, slots[at]);
        if known.hit.is_some() {
            let same = (1 << next) - (1 << at);
            abreast.set_triangles(same, &known.corners);
            swapped |= if known.swapped { same } else { 0 };
        }
        for result in results[at..].iter_mut().take(next - at) {
            *result = known.hit;
        }
        at = next;
    }
    let located = abreast.locate();
    place(results, rays, swapped, &located, |i| abreast.corners(i));
}

/// Says where hits are, of whose triangles all else is said.
#[inline(always)]
fn place(
    results: &mut [Option<Hit>; ABREAST],
    rays: &[Ray],
    swapped: u32,
    located: &LocatedAbreast,
    corners: impl Fn(usize) -> Corners,
) {
    for (i, (result, ray)) in results.iter_mut().zip(rays).enumerate() {
        if let Some(hit) = result {
            match located.one(i, ray, &|| corners(i)) {
                Some(located) => hit.place(swapped >> i & 1 != 0, &located),
                None => *result = None,
            }
        }
    }
}
