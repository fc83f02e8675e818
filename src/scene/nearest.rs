//! The triangles near a point.

use glam::Vec3;

use super::query::{SharedFilter, unshared};
use super::snapshot::Snapshot;
use crate::error::BatchError;
use crate::query::in_chunks;
use crate::traverse::{
    ClosestPoint, InInstance, MAX_ORDERED, NearInScene, Query, QueryOptions, SceneFilter,
    SceneQuery, in_order,
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
    /// assert_eq!(found.instance, near?);
    /// assert_eq!((found.found.point, found.found.distance), (Vec3::new(1.0, 1.0, 3.0), 2.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn closest_point<F: SceneFilter>(
        &self,
        point: impl Into<Vec3>,
        max_distance: f32,
        query: &Query<F>,
    ) -> Option<InInstance<ClosestPoint>> {
        self.closest_to((point.into(), max_distance), SceneQuery::new(query))
    }

    /// Whether anything is as near to `point` as `max_distance`, or nearer: whether a sphere
    /// touches an instance. Faster than [`closest_point`](Self::closest_point).
    #[must_use]
    #[inline]
    pub fn any_within<F: SceneFilter>(
        &self,
        point: impl Into<Vec3>,
        max_distance: f32,
        query: &Query<F>,
    ) -> bool {
        self.any_near((point.into(), max_distance), SceneQuery::new(query))
    }

    /// All triangles as near to `point` as `max_distance`, or nearer, each triangle of each
    /// instance once with its closest point: the nearest first, then by handle, mesh and triangle,
    /// as [`Bvh::all_within`](crate::Bvh::all_within) says of one tree. The list's old contents are
    /// replaced, and its memory is reused.
    #[inline]
    pub fn all_within<F: SceneFilter>(
        &self,
        point: impl Into<Vec3>,
        max_distance: f32,
        query: &Query<F>,
        near: &mut Vec<InInstance<ClosestPoint>>,
    ) {
        self.all_near((point.into(), max_distance), SceneQuery::new(query), near);
    }

    /// The closest point to each of many: the same as [`closest_point`](Self::closest_point), on
    /// all threads as [`closest_hits`](Self::closest_hits), in any order of points. A
    /// [filter](Query::filter_in_scene) is given the index of the point.
    ///
    /// # Errors
    ///
    /// If `near` is not as long as `points`; then nothing is written.
    pub fn closest_points<F: SceneFilter + Sync>(
        &self,
        points: &[Vec3],
        max_distance: f32,
        query: &Query<F>,
        near: &mut [Option<InInstance<ClosestPoint>>],
    ) -> Result<(), BatchError> {
        let filter = query.shared_scene_filter();
        self.closest_to_many((points, max_distance), &query.options, filter, near)
    }
}

/// Nothing here depends on the type of a user's filter: kernels are compiled in this crate only.
impl Snapshot {
    fn closest_to(
        &self,
        sphere: Sphere,
        query: SceneQuery<'_>,
    ) -> Option<InInstance<ClosestPoint>> {
        self.ask(sphere, query, |near| near.closest())
    }

    fn any_near(&self, sphere: Sphere, query: SceneQuery<'_>) -> bool {
        self.ask(sphere, query, |near| near.any())
    }

    fn all_near(
        &self,
        sphere: Sphere,
        query: SceneQuery<'_>,
        near: &mut Vec<InInstance<ClosestPoint>>,
    ) {
        near.clear();
        self.ask(sphere, query, |question| question.all(near));
        near.sort_unstable_by(|a, b| {
            a.found.distance.total_cmp(&b.found.distance).then(a.key().cmp(&b.key()))
        });
        // A triangle that a spatial split cut is in several leaves.
        near.dedup_by_key(|near| near.key());
    }

    fn closest_to_many(
        &self,
        (points, max_distance): (&[Vec3], f32),
        options: &QueryOptions,
        filter: Option<SharedFilter<'_>>,
        near: &mut [Option<InInstance<ClosestPoint>>],
    ) -> Result<(), BatchError> {
        let facts = &self.0.of_trees.facts.boxes;
        in_chunks(points, near, |first, points, near| {
            let mut keys = [0; MAX_ORDERED];
            let parts = points.chunks(MAX_ORDERED).zip(near.chunks_mut(MAX_ORDERED));
            for (part, (points, near)) in parts.enumerate() {
                for i in in_order(facts, points, &mut keys) {
                    let index = first + part * MAX_ORDERED + i;
                    let query = SceneQuery { options, filter: unshared(filter), index };
                    near[i] = self.closest_to((points[i], max_distance), query);
                }
            }
        })
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
