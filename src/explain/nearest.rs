//! Why a triangle is not the nearest to a point.

use crate::bvh::Bvh;
use crate::traverse::{ClosestPoint, Facing, Hit, Query};

/// Why a triangle is not the nearest to a point: the first reason that holds, in the order of this
/// list. Which one it is, is decided as in every query, without rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum WhyNotNearest {
    /// There is no mesh of this number.
    NoMesh,
    /// The mesh has no triangle of this number.
    NoTriangle {
        /// How many it has.
        triangles: u32,
    },
    /// The triangle is in no leaf: see [`WhyNot::Skipped`](super::WhyNot::Skipped).
    Skipped,
    /// The mesh's mask has no bit of the query's.
    MeshMask {
        /// The mesh's mask.
        mask: u32,
    },
    /// The point is not finite, or the limit is below zero or no number: then nothing is near.
    InvalidPoint,
    /// The triangle is farther away than the limit.
    TooFar {
        /// Its distance.
        distance: f32,
    },
    /// The point is on the side that does not count: see [`Query::facing`].
    Facing {
        /// The triangle's point that is nearest.
        found: ClosestPoint,
    },
    /// The query's filter does not accept the triangle.
    Filter {
        /// The triangle's point that is nearest.
        found: ClosestPoint,
    },
    /// Something else is nearer; or as near, with lower numbers.
    Nearer {
        /// The triangle's point that is nearest.
        found: ClosestPoint,
        /// What is nearer.
        by: ClosestPoint,
    },
    /// The triangle is the nearest after all: this is the answer of
    /// [`Bvh::closest_point`](crate::Bvh::closest_point).
    Nearest(ClosestPoint),
}

impl Bvh {
    /// Why the point nearest to `point` within `max_distance` is not on this triangle.
    ///
    /// Takes about the time of three queries with a filter.
    ///
    /// ```
    /// use hitscan::explain::WhyNotNearest;
    /// use hitscan::{Builder, Mesh, Query};
    ///
    /// let wall = |z: f32| Mesh::from_soup(vec![[0.0, 0.0, z], [4.0, 0.0, z], [0.0, 4.0, z]]);
    /// let (bvh, _report) = Builder::new().bake(&[wall(5.0), wall(2.0)])?;
    /// let why = |limit: f32| bvh.why_not_nearest([1.0, 1.0, 0.0], limit, &Query::new(), 0, 0);
    /// assert_eq!(why(3.0), WhyNotNearest::TooFar { distance: 5.0 });
    /// let WhyNotNearest::Nearer { found, by } = why(9.0) else { panic!() };
    /// assert_eq!((found.distance, by.distance, by.hit.mesh), (5.0, 2.0, 1));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn why_not_nearest(
        &self,
        point: impl Into<glam::Vec3>,
        max_distance: f32,
        query: &Query<'_>,
        mesh: u32,
        triangle: u32,
    ) -> WhyNotNearest {
        let point = point.into();
        let Some(record) = self.view().meshes.get(mesh as usize) else {
            return WhyNotNearest::NoMesh;
        };
        let triangles = record.triangle_count;
        if triangle >= triangles {
            return WhyNotNearest::NoTriangle { triangles };
        }
        if self.slot(record.first_triangle + triangle).is_none() {
            return WhyNotNearest::Skipped;
        }
        if record.mask & query.mask == 0 {
            return WhyNotNearest::MeshMask { mask: record.mask };
        }
        // The same questions, asked of this triangle alone.
        let is_it = |hit: &Hit| (hit.mesh, hit.triangle) == (mesh, triangle);
        let alone = |limit: f32, facing: Facing| {
            let query = Query::new().mask(query.mask).facing(facing).filter(&is_it);
            self.closest_point(point, limit, &query)
        };
        let Some(found) = alone(max_distance, Facing::Both) else {
            return match alone(f32::INFINITY, Facing::Both) {
                Some(found) if max_distance >= 0.0 => {
                    WhyNotNearest::TooFar { distance: found.distance }
                }
                _ => WhyNotNearest::InvalidPoint,
            };
        };
        if alone(max_distance, query.facing).is_none() {
            return WhyNotNearest::Facing { found };
        }
        let both = |hit: &Hit| is_it(hit) && query.accepts(hit);
        let filtered = Query::new().mask(query.mask).facing(query.facing).filter(&both);
        if self.closest_point(point, max_distance, &filtered).is_none() {
            return WhyNotNearest::Filter { found };
        }
        match self.closest_point(point, max_distance, query) {
            Some(by) if !is_it(&by.hit) => WhyNotNearest::Nearer { found, by },
            _ => WhyNotNearest::Nearest(found),
        }
    }
}
