//! The mesh or triangle that is not the answer.

use hitscan::explain::MeshWhyNot;
use hitscan::{Bvh, InstanceId};

use super::answer::Answer;
use crate::level::Level;

/// Where a mesh is that is not the answer.
pub(super) struct Suspect<'a> {
    pub(super) level: Level<'a>,
    pub(super) bvh: &'a Bvh,
    /// `NONE` in a tree.
    pub(super) instance: InstanceId,
    pub(super) mesh: u32,
    /// None for all of the mesh.
    pub(super) triangle: Option<u32>,
}

impl Suspect<'_> {
    /// The reason of the triangle that is asked about, or of the one that speaks for its mesh.
    pub(super) fn reason<R>(
        &self,
        of_triangle: impl FnOnce(u32) -> R,
        of_mesh: impl FnOnce() -> MeshWhyNot<R>,
    ) -> (Option<u32>, R) {
        match self.triangle {
            Some(number) => (Some(number), of_triangle(number)),
            None => {
                let MeshWhyNot { triangle, reason, .. } = of_mesh();
                (triangle, reason)
            }
        }
    }

    /// The start of an answer.
    pub(super) fn answer(&self, triangle: Option<u32>) -> Answer {
        Answer {
            mesh: self.mesh,
            mesh_name: self.bvh.mesh_name(self.mesh).unwrap_or_default().to_owned(),
            triangle,
            ..Answer::default()
        }
    }
}
