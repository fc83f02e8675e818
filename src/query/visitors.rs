//! The three questions: the nearest hit, any hit, all hits.

use smallvec::SmallVec;

use super::traverse::Visitor;
use super::{Face, Facing, Hit, Query};
use crate::bvh::{BvhView, MeshRecord};
use crate::geometry::TriangleHit;

/// Which triangles a query sees, and how they are told to the caller.
#[derive(Clone, Copy)]
pub(crate) struct Sieve<'a, F> {
    tree: &'a BvhView<'a>,
    facing: Facing,
    /// `None` where every mesh of the tree is in one of the query's layers.
    mask: Option<u32>,
    filter: F,
}

impl<'a, F: Fn(&Hit) -> bool> Sieve<'a, F> {
    pub(crate) fn new(tree: &'a BvhView<'a>, query: &Query, filter: F) -> Self {
        let mask = (tree.facts.common_mask & query.mask == 0).then_some(query.mask);
        Self {
            tree,
            facing: query.facing,
            mask,
            filter,
        }
    }

    #[inline(always)]
    fn faces(&self, hit: &TriangleHit) -> bool {
        match self.facing {
            Facing::Both => true,
            Facing::Front => hit.front,
            Facing::Back => !hit.front,
        }
    }

    /// The hit in the caller's numbers, if the query sees it.
    #[inline(always)]
    fn sift(&self, hit: TriangleHit, id: u32, slot: u32) -> Option<Hit> {
        if !self.faces(&hit) {
            return None;
        }
        let hit = translate(self.tree, hit, id, slot, self.mask)?;
        (self.filter)(&hit).then_some(hit)
    }
}

/// A hit in the caller's numbers, unless its mesh is in none of the layers asked for.
#[inline(always)]
fn translate(
    tree: &BvhView<'_>,
    hit: TriangleHit,
    id: u32,
    slot: u32,
    mask: Option<u32>,
) -> Option<Hit> {
    // The last mesh that begins at or before the triangle; empty meshes begin where the next
    // one does and come before it.
    let mesh = tree
        .meshes
        .partition_point(|mesh| mesh.first_triangle <= id)
        .checked_sub(1)?;
    let record = tree.meshes.get(mesh)?;
    if mask.is_some_and(|mask| record.mask & mask == 0) {
        return None;
    }
    let swapped = record.flags & MeshRecord::SWAPPED != 0;
    let has_material = record.flags & MeshRecord::MATERIALS != 0;
    Some(Hit {
        t: hit.t,
        u: if swapped { hit.v } else { hit.u },
        v: if swapped { hit.u } else { hit.v },
        face: if hit.front { Face::Front } else { Face::Back },
        mesh: mesh as u32,
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
pub(crate) struct Closest<'a, F> {
    sieve: Sieve<'a, F>,
    t_max: f32,
    best: Option<(u32, Hit)>,
}

impl<'a, F: Fn(&Hit) -> bool> Closest<'a, F> {
    pub(crate) fn new(sieve: Sieve<'a, F>, t_max: f32) -> Self {
        Self {
            sieve,
            t_max,
            best: None,
        }
    }

    pub(crate) fn into_hit(self) -> Option<Hit> {
        self.best.map(|(_, hit)| hit)
    }
}

impl<F: Fn(&Hit) -> bool> Visitor for Closest<'_, F> {
    const ORDERED: bool = true;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn visit(&mut self, hit: TriangleHit, id: u32, slot: u32) -> bool {
        // Hits past `t_max` do not get here, so this one is nearer or as near.
        if let Some((best, at)) = &self.best
            && hit.t == at.t
            && id >= *best
        {
            return true;
        }
        if let Some(hit) = self.sieve.sift(hit, id, slot) {
            self.t_max = hit.t;
            self.best = Some((id, hit));
        }
        true
    }
}

/// Stops at the first hit.
pub(crate) struct Any<'a, F> {
    sieve: Sieve<'a, F>,
    t_max: f32,
    pub(crate) found: bool,
}

impl<'a, F: Fn(&Hit) -> bool> Any<'a, F> {
    pub(crate) fn new(sieve: Sieve<'a, F>, t_max: f32) -> Self {
        Self {
            sieve,
            t_max,
            found: false,
        }
    }
}

impl<F: Fn(&Hit) -> bool> Visitor for Any<'_, F> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn visit(&mut self, hit: TriangleHit, id: u32, slot: u32) -> bool {
        self.found = self.sieve.sift(hit, id, slot).is_some();
        !self.found
    }
}

/// Collects every hit, in no order.
pub(crate) struct All<'a, F> {
    sieve: Sieve<'a, F>,
    t_max: f32,
    hits: &'a mut SmallVec<[Hit; 4]>,
}

impl<'a, F: Fn(&Hit) -> bool> All<'a, F> {
    pub(crate) fn new(sieve: Sieve<'a, F>, t_max: f32, hits: &'a mut SmallVec<[Hit; 4]>) -> Self {
        Self { sieve, t_max, hits }
    }
}

impl<F: Fn(&Hit) -> bool> Visitor for All<'_, F> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn visit(&mut self, hit: TriangleHit, id: u32, slot: u32) -> bool {
        self.hits.extend(self.sieve.sift(hit, id, slot));
        true
    }
}
