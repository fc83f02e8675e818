//! The questions of a snapshot.

#[cfg(test)]
mod tests;

use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::snapshot::Snapshot;
use crate::error::BatchError;
use crate::geometry::Ray;
use crate::query::in_chunks;
use crate::simd;
use crate::traverse::{
    AllInstances, AnyInstance, CastInScene, ClosestInstance, HitList, Keep, KeepBest, ManyInScene,
    Query, QueryOptions, SceneFilter, SceneHit, SceneQuery, trace_batch,
};

impl Snapshot {
    /// The nearest hit at `t_min <= t <= t_max`, or `None`. Of equally near ones it is the hit of
    /// the lowest handle, then mesh, then triangle.
    ///
    /// Each instance is asked with the ray in the coordinates of its tree, computed in `f64` and
    /// rounded once. In these coordinates the answer is the answer of
    /// [`Bvh::closest_hit`](crate::Bvh::closest_hit), with all that is promised there.
    ///
    /// Expected time grows with the logarithm of the number of instances. Nothing is allocated. A
    /// ray with coordinates beyond 3e10 or a direction outside 1e-9 to 1e9 asks all instances.
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let door = Mesh::from_soup(vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 3.0, 0.0]]);
    /// let (door, _report) = Builder::new().bake(&[door])?;
    /// let mut scene = Scene::new();
    /// let at = |z: f32| Affine3A::from_translation(Vec3::new(0.0, 0.0, z));
    /// let far = scene.insert(Instance::new(door.clone()).with_transform(at(9.0)))?;
    /// let near = scene.insert(Instance::new(door).with_transform(at(2.0)))?;
    /// let before = scene.commit();
    ///
    /// let ray = Ray::new([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    /// let hit = before.closest_hit(&ray, &Query::new()).unwrap();
    /// assert_eq!((hit.instance, hit.hit.t), (near, 2.0));
    ///
    /// scene.set_transform(near, at(20.0))?;
    /// let after = scene.commit();
    /// assert_eq!(after.closest_hit(&ray, &Query::new()).unwrap().instance, far);
    /// assert_eq!(before.closest_hit(&ray, &Query::new()).unwrap().instance, near);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn closest_hit<F: SceneFilter>(&self, ray: &Ray, query: &Query<F>) -> Option<SceneHit> {
        self.closest(ray, SceneQuery::new(query))
    }

    /// Whether there is any hit at `t_min <= t <= t_max`: the question for lines of sight and
    /// shadows, and faster than the nearest hit.
    #[must_use]
    #[inline]
    pub fn any_hit<F: SceneFilter>(&self, ray: &Ray, query: &Query<F>) -> bool {
        self.any(ray, SceneQuery::new(query))
    }

    /// Every hit at `t_min <= t <= t_max`, each triangle of each instance once, in order of `t`,
    /// then handle, mesh and triangle. The list's old contents are replaced, and its memory is
    /// reused.
    #[inline]
    pub fn all_hits<F: SceneFilter>(
        &self,
        ray: &Ray,
        query: &Query<F>,
        hits: &mut HitList<SceneHit>,
    ) {
        self.all(ray, SceneQuery::new(query), hits);
    }

    /// Calls `each` with every hit in order, as [`all_hits`](Self::all_hits) gives them, until it
    /// breaks. The hits are collected in `buffer` and sorted there first; reuse one buffer.
    pub fn for_each_hit<F: SceneFilter>(
        &self,
        ray: &Ray,
        query: &Query<F>,
        buffer: &mut HitList<SceneHit>,
        each: impl FnMut(&SceneHit) -> ControlFlow<()>,
    ) {
        self.all_hits(ray, query, buffer);
        let _ = buffer.iter().try_for_each(each);
    }

    /// The nearest hit of each ray: the same bits as [`closest_hit`](Self::closest_hit), whatever
    /// the number of threads, and faster even on one. As in
    /// [`Bvh::closest_hits`](crate::Bvh::closest_hits), neighbours that are alike go through the
    /// scene together, others many at a time; and with the feature `parallel`, more than 1,024 rays
    /// are divided among threads.
    ///
    /// # Errors
    ///
    /// If `hits` is not as long as `rays`; then nothing is written.
    pub fn closest_hits<F: SceneFilter + Sync>(
        &self,
        rays: &[Ray],
        query: &Query<F>,
        hits: &mut [Option<SceneHit>],
    ) -> Result<(), BatchError> {
        self.closest_of_many(rays, &query.options, query.shared_scene_filter(), hits)
    }

    /// Whether each ray hits anything: the same as [`any_hit`](Self::any_hit), together and on all
    /// threads as [`closest_hits`](Self::closest_hits).
    ///
    /// # Errors
    ///
    /// If `found` is not as long as `rays`; then nothing is written.
    pub fn any_hits<F: SceneFilter + Sync>(
        &self,
        rays: &[Ray],
        query: &Query<F>,
        found: &mut [bool],
    ) -> Result<(), BatchError> {
        self.any_of_many(rays, &query.options, query.shared_scene_filter(), found)
    }

    /// Every hit of each ray, in a list for each: the same as [`all_hits`](Self::all_hits), on all
    /// threads as [`closest_hits`](Self::closest_hits). Lists keep their memory.
    ///
    /// # Errors
    ///
    /// If `hits` is not as long as `rays`; then nothing is written.
    pub fn all_hits_many<F: SceneFilter + Sync>(
        &self,
        rays: &[Ray],
        query: &Query<F>,
        hits: &mut [HitList<SceneHit>],
    ) -> Result<(), BatchError> {
        self.all_of_many(rays, &query.options, query.shared_scene_filter(), hits)
    }
}

/// Nothing here depends on the type of a user's filter: kernels are compiled in this crate only.
impl Snapshot {
    fn closest(&self, ray: &Ray, query: SceneQuery<'_>) -> Option<SceneHit> {
        self.cast(ray, query, ClosestInstance::default()).0
    }

    fn any(&self, ray: &Ray, query: SceneQuery<'_>) -> bool {
        self.cast(ray, query, AnyInstance::default()).0
    }

    fn all(&self, ray: &Ray, query: SceneQuery<'_>, hits: &mut HitList<SceneHit>) {
        hits.clear();
        self.cast(ray, query, AllInstances(&mut hits.hits));
        hits.sort();
    }

    /// Casts a ray with the query's instruction set, and gives what was kept.
    #[inline(always)]
    fn cast<K: Keep>(&self, ray: &Ray, query: SceneQuery<'_>, kept: K) -> K {
        let tops = &self.tops();
        simd::run(query.options.isa, CastInScene { tops, ray, query, kept })
    }

    // Not generic, or a program that calls them would compile the kernels again.
    fn closest_of_many(
        &self,
        rays: &[Ray],
        options: &QueryOptions,
        filter: Option<SharedFilter<'_>>,
        hits: &mut [Option<SceneHit>],
    ) -> Result<(), BatchError> {
        cast_many::<ClosestInstance>(self, rays, options, filter, hits)
    }

    fn any_of_many(
        &self,
        rays: &[Ray],
        options: &QueryOptions,
        filter: Option<SharedFilter<'_>>,
        found: &mut [bool],
    ) -> Result<(), BatchError> {
        cast_many::<AnyInstance>(self, rays, options, filter, found)
    }

    fn all_of_many(
        &self,
        rays: &[Ray],
        options: &QueryOptions,
        filter: Option<SharedFilter<'_>>,
        hits: &mut [HitList<SceneHit>],
    ) -> Result<(), BatchError> {
        in_chunks(rays, hits, |first, rays, hits| {
            for (i, (ray, hits)) in rays.iter().zip(hits).enumerate() {
                let query = SceneQuery { options, filter: unshared(filter), index: first + i };
                self.all(ray, query, hits);
            }
        })
    }
}

/// A filter that any thread may call.
pub(super) type SharedFilter<'a> = &'a (dyn SceneFilter + Sync);

/// The same for one thread.
pub(super) fn unshared(filter: Option<SharedFilter<'_>>) -> Option<&dyn SceneFilter> {
    filter.map(|filter| filter as _)
}

/// Fills `results` with the answers to many rays.
fn cast_many<K: KeepBest<Answer: Send>>(
    snapshot: &Snapshot,
    rays: &[Ray],
    options: &QueryOptions,
    filter: Option<SharedFilter<'_>>,
    results: &mut [K::Answer],
) -> Result<(), BatchError> {
    let (tops, kept) = (&snapshot.tops(), PhantomData::<fn() -> K>);
    in_chunks(rays, results, |first, rays, results| {
        let batch = ManyInScene { tops, first, rays, options, filter: unshared(filter), kept };
        trace_batch(batch, options.isa, results);
    })
}
