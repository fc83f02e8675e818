//! The triangles near a point.

use glam::Vec3;

use super::snapshot::Snapshot;
use crate::error::BatchError;
use crate::geometry::{ConvexShape, NearShape};
use crate::query::in_chunks;
use crate::traverse::{
    ClosestPoint, MAX_ORDERED, NearInScene, NearShapeInScene, Query, SceneQuery, ShapeDistance,
    in_order, sort_near,
};

/// The question about a point: the point, and how far away counts.
type Sphere = (Vec3, f32);

impl Snapshot {
    /// The point of all instances that is closest to `point`, if it is no farther away than
    /// `max_distance`: the answer of [`Bvh::closest_point`](crate::Bvh::closest_point) for the
    /// triangles [in the world](crate::scene#points-and-shapes), with all that is promised there.
    /// Of triangles that are equally near it is the one of the lowest handle, then mesh, then
    /// triangle.
    ///
    /// Nothing is allocated.
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Mesh, Query};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    /// let (wall, _report) = Builder::new().bake(&[wall])?;
    /// let mut scene = Scene::new();
    /// let [near, _far] = [3.0, 9.0].map(|z| {
    ///     let at = Affine3A::from_translation(Vec3::Z * z);
    ///     scene.insert(Instance::new(wall.clone()).with_transform(at))
    /// });
    /// let now = scene.commit();
    /// let found = now.closest_point([1.0, 1.0, 5.0], 10.0, &Query::new()).expect("it is there");
    /// assert_eq!(found.hit.instance, near?);
    /// assert_eq!((found.point, found.distance), (Vec3::new(1.0, 1.0, 3.0), 2.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn closest_point(
        &self,
        point: impl Into<Vec3>,
        max_distance: f32,
        query: &Query<'_>,
    ) -> Option<ClosestPoint> {
        let sphere = (point.into(), max_distance);
        self.ask(sphere, SceneQuery::new(query), |near| near.closest())
    }

    /// Whether anything is as near to `point` as `max_distance`, or nearer: whether a sphere
    /// touches an instance. Faster than [`closest_point`](Self::closest_point).
    #[must_use]
    #[inline]
    pub fn any_within(&self, point: impl Into<Vec3>, max_distance: f32, query: &Query<'_>) -> bool {
        let sphere = (point.into(), max_distance);
        self.ask(sphere, SceneQuery::new(query), |near| near.any())
    }

    /// All triangles as near to `point` as `max_distance`, or nearer, each triangle of each
    /// instance once with its closest point: the nearest first, then by handle, mesh and triangle,
    /// as [`Bvh::all_within`](crate::Bvh::all_within) says of one tree. The list's old contents are
    /// replaced, and its memory is reused.
    #[inline]
    pub fn all_within(
        &self,
        point: impl Into<Vec3>,
        max_distance: f32,
        query: &Query<'_>,
        near: &mut Vec<ClosestPoint>,
    ) {
        near.clear();
        let sphere = (point.into(), max_distance);
        self.ask(sphere, SceneQuery::new(query), |question| question.all(near));
        sort_near(near);
    }

    /// The closest point to each of many: the same as [`closest_point`](Self::closest_point), on
    /// all threads as [`closest_hit_batch`](Self::closest_hit_batch), in any order of points.
    ///
    /// # Errors
    ///
    /// If `near` is not as long as `points`; then nothing is written.
    pub fn closest_point_batch(
        &self,
        points: &[Vec3],
        max_distance: f32,
        query: &Query<'_>,
        near: &mut [Option<ClosestPoint>],
    ) -> Result<(), BatchError> {
        let facts = &self.0.of_trees.facts.boxes;
        in_chunks(points, near, |first, points, near| {
            let mut keys = [0; MAX_ORDERED];
            let parts = points.chunks(MAX_ORDERED).zip(near.chunks_mut(MAX_ORDERED));
            for (part, (points, near)) in parts.enumerate() {
                for i in in_order(facts, points, &mut keys) {
                    let question = SceneQuery { query, index: first + part * MAX_ORDERED + i };
                    let sphere = (points[i], max_distance);
                    near[i] = self.ask(sphere, question, |near| near.closest());
                }
            }
        })
    }
}

impl Snapshot {
    /// The triangle of all instances that is nearest to a shape, if it is no farther away than
    /// `max_distance`: as [`Bvh::closest_to_shape`](crate::Bvh::closest_to_shape), for the
    /// triangles [in the world](crate::scene#points-and-shapes). Of triangles that are equally near
    /// it is the one of the lowest handle, then mesh, then triangle.
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Aabb, Builder, Mesh, Query};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    /// let (wall, _report) = Builder::new().bake(&[wall])?;
    /// let mut scene = Scene::new();
    /// let [_far, near] = [9.0, 3.0].map(|z| {
    ///     let at = Affine3A::from_translation(Vec3::Z * z);
    ///     scene.insert(Instance::new(wall.clone()).with_transform(at))
    /// });
    /// let crate_of_wood = Aabb::from_min_max([0.0, 0.0, 4.5], [1.0, 1.0, 5.0]);
    /// let found = scene.commit().closest_to_shape(crate_of_wood, 10.0, &Query::new()).unwrap();
    /// assert_eq!((found.hit.instance, found.distance), (near?, 1.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn closest_to_shape(
        &self,
        shape: impl Into<ConvexShape>,
        max_distance: f32,
        query: &Query<'_>,
    ) -> Option<ShapeDistance> {
        self.nearest_to(&NearShape::new(&shape.into())?, max_distance, query)
    }

    pub(crate) fn nearest_to(
        &self,
        shape: &NearShape,
        max_distance: f32,
        query: &Query<'_>,
    ) -> Option<ShapeDistance> {
        // Also false for NaN.
        let is_sound = max_distance >= 0.0;
        let question =
            NearShapeInScene { tops: &self.tops(), query: SceneQuery::new(query), shape };
        is_sound.then(|| question.nearest(max_distance))?
    }

    #[inline(always)]
    fn ask<R>(
        &self,
        (point, max_distance): Sphere,
        query: SceneQuery<'_>,
        question: impl FnOnce(&NearInScene<'_>) -> R,
    ) -> R {
        let tops = &self.tops();
        question(&NearInScene { tops, query, point: point.to_array(), max_distance })
    }
}
