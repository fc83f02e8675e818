//! A hit, and a reusable list of hits.

use std::ops::Deref;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::geometry::Face;

/// Where a ray met the level, in the caller's own numbers.
// (In this order, for many are written as vectors.)
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[non_exhaustive]
#[repr(C)]
pub struct Hit {
    /// Distance in units of the ray's direction: the exact value, rounded once.
    pub t: f32,
    /// Weight of the triangle's second vertex, in the caller's order.
    pub u: f32,
    /// Weight of the triangle's third vertex, in the caller's order.
    pub v: f32,
    /// The side that was met.
    pub face: Face,
    /// The mesh, as numbered in the bake.
    pub mesh: u32,
    /// The triangle, as numbered in its mesh (dropped ones counted).
    pub triangle: u32,
    /// The mesh's user id.
    pub user_id: u64,
    /// The triangle's number from the mesh's `materials`, if it has any.
    pub material: Option<u32>,
    /// Where the tree keeps the triangle.
    pub(crate) slot: u32,
}

impl PartialEq for Hit {
    /// Compares all that a caller sees; where the tree keeps the triangle is not a part of
    /// that.
    fn eq(&self, other: &Self) -> bool {
        let key = |hit: &Self| {
            (hit.t, hit.u, hit.v, hit.face, hit.mesh, hit.triangle, hit.user_id, hit.material)
        };
        key(self) == key(other)
    }
}

/// Hits in order of distance; keep one and reuse it, and queries allocate nothing.
#[derive(Clone, Debug, Default)]
pub struct HitList {
    pub(crate) hits: SmallVec<[Hit; 4]>,
}

impl HitList {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes all hits out and keeps the memory.
    pub fn clear(&mut self) {
        self.hits.clear();
    }
}

impl Deref for HitList {
    type Target = [Hit];

    fn deref(&self) -> &[Hit] {
        &self.hits
    }
}

impl<'a> IntoIterator for &'a HitList {
    type Item = &'a Hit;
    type IntoIter = std::slice::Iter<'a, Hit>;

    fn into_iter(self) -> Self::IntoIter {
        self.hits.iter()
    }
}
