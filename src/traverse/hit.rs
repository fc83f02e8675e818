//! A hit, and a reusable list of hits.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::geometry::Face;

/// Where a ray hits the level, in the caller's own numbers.
///
/// The tree gives more: [`Bvh::triangle`](crate::Bvh::triangle),
/// [`Bvh::point`](crate::Bvh::point), [`Bvh::normal`](crate::Bvh::normal),
/// [`Bvh::mesh_name`](crate::Bvh::mesh_name), [`Bvh::material_name`](crate::Bvh::material_name).
///
/// Two hits are equal if all of their public fields are. The same ray gives equal hits in all trees
/// that were baked from the same meshes, whatever their [quality](crate::Quality).
// In this order, because many are written as vectors.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[non_exhaustive]
#[repr(C)]
pub struct Hit {
    /// Distance in units of the ray's direction: the exact value, rounded once.
    pub t: f32,
    /// Barycentric weight of the triangle's second vertex, in the caller's order: 0 to 1.
    pub u: f32,
    /// Barycentric weight of the triangle's third vertex, in the caller's order: 0 to 1.
    pub v: f32,
    /// The side that the ray hits.
    pub face: Face,
    /// The mesh, as numbered in the bake.
    pub mesh: u32,
    /// The triangle, as numbered in its mesh (skipped ones counted).
    pub triangle: u32,
    /// The mesh's user id.
    pub user_id: u64,
    /// The triangle's material number, if its mesh has `materials`.
    pub material: Option<u32>,
    /// Where the tree keeps the triangle, for a fast way back to it. Not a part of the answer:
    /// comparisons, text and serde ignore it.
    #[serde(skip, default = "nowhere")]
    pub(crate) slot: u32,
}

/// The `slot` of a hit that did not come from a query.
fn nowhere() -> u32 {
    u32::MAX
}

impl PartialEq for Hit {
    fn eq(&self, other: &Self) -> bool {
        let key = |hit: &Self| {
            (hit.t, hit.u, hit.v, hit.face, hit.mesh, hit.triangle, hit.user_id, hit.material)
        };
        key(self) == key(other)
    }
}

impl fmt::Debug for Hit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { t, u, v, face, mesh, triangle, user_id, material, slot: _ } = self;
        f.debug_struct("Hit")
            .field("t", t)
            .field("u", u)
            .field("v", v)
            .field("face", face)
            .field("mesh", mesh)
            .field("triangle", triangle)
            .field("user_id", user_id)
            .field("material", material)
            .finish()
    }
}

/// A reusable list of hits in order of distance: a slice of [`Hit`]s, or of
/// [`SceneHit`](crate::SceneHit)s.
///
/// The first four hits are stored in the list itself. Reuse one list, and queries rarely allocate.
#[derive(Clone, Debug)]
pub struct HitList<H = Hit> {
    pub(crate) hits: SmallVec<[H; 4]>,
}

impl<H> Default for HitList<H> {
    fn default() -> Self {
        Self { hits: SmallVec::new() }
    }
}

impl<H> HitList<H> {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes all hits and keeps the memory.
    pub fn clear(&mut self) {
        self.hits.clear();
    }

    /// Puts the hits of a walk in order of `t`, then of their keys, and those that were found twice
    /// into one: a triangle that a spatial split cut is in several leaves.
    pub(crate) fn sort_by_key<K: Ord>(
        &mut self,
        hit_of: impl Fn(&H) -> &Hit,
        key: impl Fn(&H) -> K,
    ) {
        self.hits.sort_unstable_by(|a, b| {
            // No hit has a NaN; minus zero is zero.
            let (left, right) = (hit_of(a), hit_of(b));
            let by_t = left.t.partial_cmp(&right.t).unwrap_or(std::cmp::Ordering::Equal);
            by_t.then_with(|| (key(a), left.slot).cmp(&(key(b), right.slot)))
        });
        self.hits.dedup_by(|a, b| key(a) == key(b));
    }
}

impl HitList {
    pub(crate) fn sort(&mut self) {
        self.sort_by_key(|hit| hit, |hit| (hit.mesh, hit.triangle));
    }
}

impl<H> Deref for HitList<H> {
    type Target = [H];

    fn deref(&self) -> &[H] {
        &self.hits
    }
}

impl<'a, H> IntoIterator for &'a HitList<H> {
    type Item = &'a H;
    type IntoIter = std::slice::Iter<'a, H>;

    fn into_iter(self) -> Self::IntoIter {
        self.hits.iter()
    }
}
