//! The vertices and edges under a cursor.

use super::snapshot::Snapshot;
use crate::geometry::{Ray, RayCone};
use crate::traverse::{Query, SceneQuery, SnapOptions, SnapSearch, Snaps, snap_in_scene};

impl Snapshot {
    /// The vertex and the point of an edge that are nearest to a ray, of all in a cone around it:
    /// as [`Bvh::snap`](crate::Bvh::snap), for the triangles
    /// [in the world](crate::scene#points-and-shapes) of all instances. Of equally near ones the
    /// handle decides before the numbers of mesh and triangle. Nothing snaps to a volume, but with
    /// [`Query::targets`] volumes hide what is behind them.
    #[must_use]
    pub fn snap(&self, cone: &RayCone, options: &SnapOptions<'_>, query: &Query<'_>) -> Snaps {
        let is_blocked = &|ray: &Ray| self.any_hit(ray, query);
        let Some(mut search) = SnapSearch::new(cone, options, is_blocked) else {
            return Snaps::default();
        };
        if query.targets.has_triangles() {
            snap_in_scene(&self.tops(), SceneQuery::new(query), &mut search);
        }
        search.snaps()
    }
}
