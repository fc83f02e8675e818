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
    /// With [`Query::targets`] [volumes](crate::scene#volumes) count too. They are solid: a point
    /// inside is its own closest point, at the distance zero. Distances of volumes are computed in
    /// `f64` and rounded; they are compared with others as they are reported, then handles decide.
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
        self.closest((point.into(), max_distance), SceneQuery::new(query))
    }

    /// Whether anything is as near to `point` as `max_distance`, or nearer: whether a sphere
    /// touches an instance. Faster than [`closest_point`](Self::closest_point).
    #[must_use]
    #[inline]
    pub fn any_within(&self, point: impl Into<Vec3>, max_distance: f32, query: &Query<'_>) -> bool {
        let (point, query) = (point.into(), SceneQuery::new(query));
        let targets = query.query.targets;
        (targets.has_triangles() && self.ask((point, max_distance), query, |near| near.any()))
            || (targets.has_volumes()
                && self.volumes(query, |volumes| volumes.any_within(point, max_distance)))
    }

    /// All triangles as near to `point` as `max_distance`, or nearer, each triangle of each
    /// instance (with [`Query::targets`] each volume) once with its closest point: the nearest
    /// first, then by handle, mesh and triangle, as [`Bvh::all_within`](crate::Bvh::all_within)
    /// says of one tree. The list's old contents are replaced, and its memory is reused.
    #[inline]
    pub fn all_within(
        &self,
        point: impl Into<Vec3>,
        max_distance: f32,
        query: &Query<'_>,
        near: &mut Vec<ClosestPoint>,
    ) {
        near.clear();
        let (point, query) = (point.into(), SceneQuery::new(query));
        let targets = query.query.targets;
        if targets.has_triangles() {
            self.ask((point, max_distance), query, |question| question.all(near));
        }
        if targets.has_volumes() {
            self.volumes(query, |volumes| volumes.all_within(point, max_distance, near));
        }
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
        in_chunks(points, near, |first, points, near| {
            self.closest_point_chunk(first, points, max_distance, query, near);
        })
    }

    /// A chunk of a batch: `first` is the number of the first point.
    pub(crate) fn closest_point_chunk(
        &self,
        first: usize,
        points: &[Vec3],
        max_distance: f32,
        query: &Query<'_>,
        near: &mut [Option<ClosestPoint>],
    ) {
        let facts = &self.0.of_trees.facts.boxes;
        let mut keys = [0; MAX_ORDERED];
        let parts = points.chunks(MAX_ORDERED).zip(near.chunks_mut(MAX_ORDERED));
        for (part, (points, near)) in parts.enumerate() {
            for i in in_order(facts, points, &mut keys) {
                let question = SceneQuery { query, index: first + part * MAX_ORDERED + i };
                near[i] = self.closest((points[i], max_distance), question);
            }
        }
    }
}

impl Snapshot {
    /// The triangle of all instances that is nearest to a shape, if it is no farther away than
    /// `max_distance`: as [`Bvh::closest_to_shape`](crate::Bvh::closest_to_shape), for the
    /// triangles [in the world](crate::scene#points-and-shapes). Of triangles that are equally near
    /// it is the one of the lowest handle, then mesh, then triangle. No volume is looked at.
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
        let is_sound = max_distance >= 0.0 && query.targets.has_triangles();
        let question =
            NearShapeInScene { tops: &self.tops(), query: SceneQuery::new(query), shape };
        is_sound.then(|| question.nearest(max_distance))?
    }

    #[inline(always)]
    fn closest(&self, sphere: Sphere, query: SceneQuery<'_>) -> Option<ClosestPoint> {
        let (targets, mut near) = (query.query.targets, None);
        if targets.has_triangles() {
            near = self.ask(sphere, query, |near| near.closest());
        }
        if targets.has_volumes() {
            let (point, max_distance) = sphere;
            near = self.volumes(query, |volumes| volumes.closest_point(point, max_distance, near));
        }
        near
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
