//! The three questions: the nearest hit, any hit, all hits.

use smallvec::SmallVec;

use super::locate::{ABREAST, Abreast, Located, locate};
use super::visitor::{Glimpse, Met, Sure, Visitor, corners};
use super::{Face, Facing, Hit, Query};
use crate::bvh::{BvhView, LANES, MeshRecord};
use crate::geometry::{Ray, meet};
use crate::simd::Isa;

/// The caller's own say in what counts as a hit.
pub(crate) trait Filter {
    /// Whether it accepts everything, so that nobody need ask.
    const TRIVIAL: bool;

    fn accepts(&self, hit: &Hit) -> bool;
}

/// No filter.
#[derive(Clone, Copy)]
pub(crate) struct Every;

impl Filter for Every {
    const TRIVIAL: bool = true;

    #[inline(always)]
    fn accepts(&self, _: &Hit) -> bool {
        true
    }
}

impl<F: Fn(&Hit) -> bool> Filter for F {
    const TRIVIAL: bool = false;

    #[inline(always)]
    fn accepts(&self, hit: &Hit) -> bool {
        self(hit)
    }
}

/// Which triangles a query sees.
#[derive(Clone, Copy)]
pub(crate) struct Sieve<'a, F> {
    pub(crate) tree: &'a BvhView<'a>,
    pub(crate) query: &'a Query,
    pub(crate) filter: F,
}

impl<F: Filter> Sieve<'_, F> {
    /// Whether every mesh of the tree is in one of the query's layers.
    #[inline(always)]
    fn sees_all_meshes(&self) -> bool {
        self.tree.facts.common_mask & self.query.mask != 0
    }

    /// Whether the query sees every triangle.
    #[inline(always)]
    fn is_open(&self) -> bool {
        F::TRIVIAL && self.sees_all_meshes() && self.query.facing == Facing::Both
    }

    /// Whether the query sees the triangle.
    #[inline(always)]
    fn sees(&self, ray: &Ray, met: Met<'_>) -> bool {
        let faces = match self.query.facing {
            Facing::Both => true,
            Facing::Front => met.meeting.front,
            Facing::Back => !met.meeting.front,
        };
        let in_layer =
            || mesh_of(self.tree, met.id).is_some_and(|(_, mesh)| mesh.mask & self.query.mask != 0);
        faces
            && (self.sees_all_meshes() || in_layer())
            && (F::TRIVIAL
                || translate(self.tree, ray, met).is_some_and(|hit| self.filter.accepts(&hit)))
    }
}

/// The mesh of a triangle.
#[inline(always)]
fn mesh_of<'a>(tree: &BvhView<'a>, id: u32) -> Option<(u32, &'a MeshRecord)> {
    let number = MeshRecord::find(tree.meshes, id)?;
    Some((number as u32, tree.meshes.get(number)?))
}

/// The reference's word on the triangle kept at `slot`, and what is made of it.
#[inline(always)]
fn meet_at<R>(
    tree: &BvhView<'_>,
    ray: &Ray,
    slot: u32,
    then: impl FnOnce(Met<'_>) -> Option<R>,
) -> Option<R> {
    let (block, lane) = (slot as usize / LANES, slot as usize % LANES);
    let block = tree.blocks.get(block)?;
    let meeting = &meet(ray, &|| corners(block, lane))?;
    then(Met {
        meeting,
        block,
        id: block.id[lane],
        slot,
    })
}

/// A hit in the caller's numbers.
#[inline(always)]
fn translate(tree: &BvhView<'_>, ray: &Ray, met: Met<'_>) -> Option<Hit> {
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

/// A hit in the caller's numbers.
#[inline(always)]
fn report(tree: &BvhView<'_>, id: u32, slot: u32, located: &Located) -> Option<Hit> {
    let (mesh, record) = mesh_of(tree, id)?;
    let swapped = record.flags & MeshRecord::SWAPPED != 0;
    let has_material = record.flags & MeshRecord::MATERIALS != 0;
    let &Located { t, u, v, front } = located;
    Some(Hit {
        t,
        u: if swapped { v } else { u },
        v: if swapped { u } else { v },
        face: if front { Face::Front } else { Face::Back },
        mesh,
        triangle: id - record.first_triangle,
        user_id: record.user_id,
        material: if has_material {
            tree.materials.get(id as usize).copied()
        } else {
            None
        },
        slot,
    })
}

/// Keeps the nearest hit; of equally near ones that of the lowest (mesh, triangle).
///
/// On the way it is enough to know where the tree keeps the triangle and about where it is: what
/// the caller is told is worked out once, at the end.
#[derive(Clone, Copy)]
pub(crate) struct Closest<'a, F> {
    sieve: &'a Sieve<'a, F>,
    t_max: f32,
    /// The best so far is at this `t`, or farther if it is not settled.
    least: f32,
    slot: u32,
    /// Its number among all triangles, if it is settled.
    id: Option<u32>,
}

/// Where no triangle is kept.
const NOWHERE: u32 = u32::MAX;

impl<F> Closest<'_, F> {
    /// Whether the triangle kept at `slot` is the best so far.
    fn is_best(&self, slot: u32) -> bool {
        let id = |slot: u32| {
            let block = self.sieve.tree.blocks.get(slot as usize / LANES)?;
            Some(block.id[slot as usize % LANES])
        };
        self.slot != NOWHERE && id(slot) == id(self.slot)
    }
}

impl<'a, F: Filter> Visitor for Closest<'a, F> {
    type Input = &'a Sieve<'a, F>;
    type Output = Option<Hit>;

    #[inline(always)]
    fn new(sieve: &'a Sieve<'a, F>, t_max: f32) -> Self {
        Self {
            sieve,
            t_max,
            least: f32::INFINITY,
            slot: NOWHERE,
            id: None,
        }
    }

    const ORDERED: bool = true;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn glimpse(&mut self, sure: Sure) -> Glimpse {
        if !self.sieve.is_open() {
            return Glimpse::Unclear;
        }
        // Only if it is nearer beyond doubt need nobody know what the best so far was; unless it is
        // that, in another of the leaves that a spatial split put it into.
        if sure.most >= self.least {
            return if self.is_best(sure.slot) {
                Glimpse::Taken
            } else {
                Glimpse::Unclear
            };
        }
        self.slot = sure.slot;
        self.id = None;
        self.least = sure.least;
        if sure.most < self.t_max {
            self.t_max = sure.most;
        }
        Glimpse::Taken
    }

    fn settle(&mut self, ray: &Ray) {
        if self.slot != NOWHERE && self.id.is_none() {
            meet_at(self.sieve.tree, ray, self.slot, |met| {
                Some(self.visit(ray, met))
            });
        }
    }

    fn visit(&mut self, ray: &Ray, met: Met<'_>) -> bool {
        // Hits past `t_max` do not get here, so this one is nearer or as near.
        let worse = met.meeting.t == self.least && self.id.is_some_and(|id| met.id >= id);
        if !worse && self.sieve.sees(ray, met) {
            self.t_max = met.meeting.t;
            self.least = met.meeting.t;
            self.slot = met.slot;
            self.id = Some(met.id);
        }
        true
    }

    #[inline(always)]
    unsafe fn finish<I: Isa>(self, ray: &Ray) -> Option<Hit> {
        if self.slot == NOWHERE {
            return None;
        }
        let tree = self.sieve.tree;
        let (block, lane) = (self.slot as usize / LANES, self.slot as usize % LANES);
        let block = tree.blocks.get(block)?;
        // SAFETY: the caller vouches for the CPU.
        let located = unsafe { locate::<I::Pair>(ray, &|| corners(block, lane))? };
        report(tree, block.id[lane], self.slot, &located)
    }

    #[inline(always)]
    unsafe fn finish_all<'b, I: Isa>(
        mut visitors: impl Iterator<Item = (usize, &'b Self)>,
        rays: &[Ray],
        results: &mut [Option<Hit>],
    ) where
        Self: 'b,
    {
        while report_some(&mut visitors, rays, results) {}
    }
}

/// Hits that are worked out side by side, some vectors of them.
const MOST: usize = 4 * ABREAST;

/// Writes the results of `MOST` rays at most that hit something. `false` if there are no more.
#[inline(always)]
fn report_some<'a, 'b: 'a, F: 'b>(
    visitors: &mut impl Iterator<Item = (usize, &'a Closest<'b, F>)>,
    rays: &[Ray],
    results: &mut [Option<Hit>],
) -> bool {
    let mut abreast = [Abreast::ROOM; MOST / ABREAST];
    let mut hits = [(0, 0, 0); MOST];
    let mut count = 0;
    let mut tree = None;
    for (number, visitor) in visitors {
        let slot = visitor.slot as usize;
        let Some(block) = visitor.sieve.tree.blocks.get(slot / LANES) else {
            results[number] = None;
            continue;
        };
        tree = Some(visitor.sieve.tree);
        abreast[count / ABREAST].set(count, &rays[number], &corners(block, slot % LANES));
        hits[count] = (number, block.id[slot % LANES], visitor.slot);
        count += 1;
        if count == MOST {
            break;
        }
    }
    let Some(tree) = tree else { return false };
    for (abreast, hits) in abreast.iter().zip(hits[..count].chunks(ABREAST)) {
        let located = abreast.locate();
        for (i, &(number, id, slot)) in hits.iter().enumerate() {
            let located = abreast.one(i, &rays[number], &located);
            results[number] = located.and_then(|located| report(tree, id, slot, &located));
        }
    }
    count == MOST
}

/// Stops at the first hit.
#[derive(Clone, Copy)]
pub(crate) struct Any<'a, F> {
    sieve: &'a Sieve<'a, F>,
    t_max: f32,
    found: bool,
}

impl<'a, F: Filter> Visitor for Any<'a, F> {
    type Input = &'a Sieve<'a, F>;
    type Output = bool;

    #[inline(always)]
    fn new(sieve: &'a Sieve<'a, F>, t_max: f32) -> Self {
        Self {
            sieve,
            t_max,
            found: false,
        }
    }

    const ORDERED: bool = false;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn glimpse(&mut self, _: Sure) -> Glimpse {
        if !self.sieve.is_open() {
            return Glimpse::Unclear;
        }
        self.found = true;
        Glimpse::Enough
    }

    #[inline(always)]
    fn visit(&mut self, ray: &Ray, met: Met<'_>) -> bool {
        self.found = self.sieve.sees(ray, met);
        !self.found
    }

    #[inline(always)]
    unsafe fn finish<I: Isa>(self, _: &Ray) -> bool {
        self.found
    }
}

/// Collects every hit, in no order; a triangle that is in several leaves, from each that it is met
/// in.
pub(crate) struct All<'a, F> {
    sieve: &'a Sieve<'a, F>,
    t_max: f32,
    hits: &'a mut SmallVec<[Hit; 4]>,
}

impl<'a, F: Filter> Visitor for All<'a, F> {
    type Input = (&'a Sieve<'a, F>, &'a mut SmallVec<[Hit; 4]>);
    type Output = ();

    #[inline(always)]
    fn new((sieve, hits): Self::Input, t_max: f32) -> Self {
        Self { sieve, t_max, hits }
    }

    const ORDERED: bool = false;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn visit(&mut self, ray: &Ray, met: Met<'_>) -> bool {
        if self.sieve.sees(ray, met) {
            self.hits.extend(translate(self.sieve.tree, ray, met));
        }
        true
    }

    #[inline(always)]
    unsafe fn finish<I: Isa>(self, _: &Ray) {}
}
