//! Why a triangle is not the nearest to a point.

use glam::Vec3;

use super::suspect::{Place, Refused, Suspect, Unseen, from_unseen};
use super::why_not::MeshWhyNot;
use crate::bvh::Bvh;
use crate::scene::Snapshot;
use crate::traverse::{ClosestPoint, InstanceId, Query};
use crate::world::{World, of_either};

/// Why a triangle is not the nearest to a point: the first reason that holds, in the order of this
/// list. Which one it is, is decided as in every query, without rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum WhyNotNearest {
    /// The scene shows no tree at this instance: see
    /// [`WhyNot::NoInstance`](super::WhyNot::NoInstance).
    NoInstance,
    /// There is no mesh of this number.
    NoMesh,
    /// The mesh has no triangle of this number.
    NoTriangle {
        /// How many it has.
        triangles: u32,
    },
    /// The triangle is in no leaf: see [`WhyNot::Skipped`](super::WhyNot::Skipped).
    Skipped,
    /// The instance's mask has no bit of the query's.
    InstanceMask {
        /// The instance's mask.
        mask: u32,
    },
    /// The mesh's mask has no bit of the query's.
    MeshMask {
        /// The mesh's mask.
        mask: u32,
    },
    /// The point is not finite, or the limit is below zero or no number: then nothing is near.
    InvalidPoint,
    /// A corner of the triangle in the world is beyond the range of `f32`, so it is not there.
    BeyondRange,
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
        /// The nearer point.
        by: ClosestPoint,
    },
    /// The triangle is the nearest after all: this is the answer of
    /// [`Bvh::closest_point`](crate::Bvh::closest_point).
    Nearest(ClosestPoint),
}
from_unseen!(WhyNotNearest);

impl Bvh {
    /// Why the point nearest to `point` within `max_distance` is not on this triangle.
    ///
    /// Takes about the time of some queries with a filter.
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
        point: impl Into<Vec3>,
        max_distance: f32,
        query: &Query<'_>,
        mesh: u32,
        triangle: u32,
    ) -> WhyNotNearest {
        let place = Place::in_tree(mesh, Some(triangle));
        why_not_nearest(World::Tree(self), place, point.into(), max_distance, query).reason
    }

    /// Why the point nearest to `point` within `max_distance` is on no triangle of this mesh: the
    /// reason of the triangle that comes nearest to it.
    ///
    /// Takes about the time of some queries with a filter.
    #[must_use]
    pub fn why_not_nearest_mesh(
        &self,
        point: impl Into<Vec3>,
        max_distance: f32,
        query: &Query<'_>,
        mesh: u32,
    ) -> MeshWhyNot<WhyNotNearest> {
        let place = Place::in_tree(mesh, None);
        why_not_nearest(World::Tree(self), place, point.into(), max_distance, query)
    }
}

impl Snapshot {
    /// Why the point nearest to `point` within `max_distance` is not on this triangle of this
    /// instance: as [`Bvh::why_not_nearest`], for the triangle
    /// [in the world](crate::scene#points-and-shapes). What is nearer may be of any instance.
    ///
    /// ```
    /// use hitscan::explain::WhyNotNearest;
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Mesh, Query};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    /// let (wall, _report) = Builder::new().bake(&[wall])?;
    /// let mut scene = Scene::new();
    /// let at = |z: f32| Affine3A::from_translation(Vec3::Z * z);
    /// let far = scene.insert(Instance::new(wall.clone()).with_transform(at(5.0)))?;
    /// let near = scene.insert(Instance::new(wall).with_transform(at(2.0)))?;
    /// let now = scene.commit();
    /// let why = now.why_not_nearest([1.0, 1.0, 0.0], 9.0, &Query::new(), far, 0, 0);
    /// let WhyNotNearest::Nearer { found, by } = why else { panic!() };
    /// assert_eq!((found.distance, by.distance, by.hit.instance), (5.0, 2.0, near));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn why_not_nearest(
        &self,
        point: impl Into<Vec3>,
        max_distance: f32,
        query: &Query<'_>,
        instance: InstanceId,
        mesh: u32,
        triangle: u32,
    ) -> WhyNotNearest {
        let place = Place { instance, mesh, triangle: Some(triangle) };
        why_not_nearest(World::Scene(self), place, point.into(), max_distance, query).reason
    }

    /// Why the point nearest to `point` within `max_distance` is on no triangle of this mesh of
    /// this instance: as [`Bvh::why_not_nearest_mesh`].
    #[must_use]
    pub fn why_not_nearest_mesh(
        &self,
        point: impl Into<Vec3>,
        max_distance: f32,
        query: &Query<'_>,
        instance: InstanceId,
        mesh: u32,
    ) -> MeshWhyNot<WhyNotNearest> {
        let place = Place { instance, mesh, triangle: None };
        why_not_nearest(World::Scene(self), place, point.into(), max_distance, query)
    }
}

fn why_not_nearest(
    world: World<'_>,
    place: Place,
    point: Vec3,
    max_distance: f32,
    query: &Query<'_>,
) -> MeshWhyNot<WhyNotNearest> {
    let query = &query.with_triangles();
    let of_all = |reason| MeshWhyNot { triangle: place.triangle, reason };
    let suspect = match Suspect::find(world, place, query) {
        Ok(suspect) => suspect,
        Err(unseen) => return of_all(unseen.into()),
    };
    let within = |limit: f32, query: &Query<'_>| -> Option<ClosestPoint> {
        of_either!(world, asked => asked.closest_point(point, limit, query))
    };
    let Some((found, refused)) = suspect.alone(query, |query| within(max_distance, query)) else {
        let anywhere = suspect.unrefused(query, |query| within(f32::INFINITY, query));
        return match anywhere {
            _ if !point.is_finite() || max_distance.is_nan() || max_distance < 0.0 => {
                of_all(WhyNotNearest::InvalidPoint)
            }
            None => of_all(WhyNotNearest::BeyondRange),
            Some(found) => {
                let reason = WhyNotNearest::TooFar { distance: found.distance };
                MeshWhyNot { triangle: Some(found.hit.triangle), reason }
            }
        };
    };
    let reason = match refused {
        Some(Refused::ByFacing) => WhyNotNearest::Facing { found },
        Some(Refused::ByFilter) => WhyNotNearest::Filter { found },
        None => match within(max_distance, query) {
            Some(by) if !suspect.is_on(&by.hit) => WhyNotNearest::Nearer { found, by },
            _ => WhyNotNearest::Nearest(found),
        },
    };
    MeshWhyNot { triangle: Some(found.hit.triangle), reason }
}
