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
    AcceptAll, AllInstances, AnyInstance, ByInstance, CastInScene, ClosestInstance, HitList, Keep,
    KeepBest, ManyInScene, Query, QueryOptions, SceneFilter, SceneHit, SceneQuery, trace_batch,
};

// Without a filter, kernels are compiled in this crate, by the functions that are not generic.
impl Snapshot {
    /// The nearest hit at `t_min <= t <= t_max`, or `None`. Of equally near ones it is that of the
    /// lowest handle, then mesh, then triangle.
    ///
    /// Each instance is asked with the ray in the coordinates of its tree, computed in `f64` and
    /// rounded once. In these coordinates the answer is that of
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
        self.closest(ray, query, 0)
    }

    /// Whether there is any hit at `t_min <= t <= t_max`: the question for lines of sight and
    /// shadows, and faster than the nearest hit.
    #[must_use]
    #[inline]
    pub fn any_hit<F: SceneFilter>(&self, ray: &Ray, query: &Query<F>) -> bool {
        self.any(ray, query, 0)
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
        self.all(ray, query, 0, hits);
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
        let accepts = |ray: usize, hit: &SceneHit| query.filter.accepts_in_scene(ray, hit);
        let filter: Option<AnyFilter<'_>> = if F::ACCEPTS_ALL { None } else { Some(&accepts) };
        self.closest_of_many(rays, &query.options, filter, hits)
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
        let accepts = |ray: usize, hit: &SceneHit| query.filter.accepts_in_scene(ray, hit);
        let filter: Option<AnyFilter<'_>> = if F::ACCEPTS_ALL { None } else { Some(&accepts) };
        self.any_of_many(rays, &query.options, filter, found)
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
        each_ray(rays, hits, |i, ray, hits| self.all(ray, query, i, hits))
    }

    #[inline(always)]
    fn closest<F: SceneFilter>(
        &self,
        ray: &Ray,
        query: &Query<F>,
        index: usize,
    ) -> Option<SceneHit> {
        if F::ACCEPTS_ALL {
            self.closest_of_all(ray, &query.options)
        } else {
            cast(
                self,
                ray,
                SceneQuery { options: &query.options, filter: &query.filter, index },
                ClosestInstance::default(),
            )
            .0
        }
    }

    #[inline(always)]
    fn any<F: SceneFilter>(&self, ray: &Ray, query: &Query<F>, index: usize) -> bool {
        if F::ACCEPTS_ALL {
            self.any_of_all(ray, &query.options)
        } else {
            cast(
                self,
                ray,
                SceneQuery { options: &query.options, filter: &query.filter, index },
                AnyInstance::default(),
            )
            .0
        }
    }

    #[inline(always)]
    fn all<F: SceneFilter>(
        &self,
        ray: &Ray,
        query: &Query<F>,
        index: usize,
        hits: &mut HitList<SceneHit>,
    ) {
        hits.clear();
        if F::ACCEPTS_ALL {
            self.all_of_all(ray, &query.options, hits);
        } else {
            cast(
                self,
                ray,
                SceneQuery { options: &query.options, filter: &query.filter, index },
                AllInstances(&mut hits.hits),
            );
        }
        hits.sort();
    }

    fn closest_of_all(&self, ray: &Ray, options: &QueryOptions) -> Option<SceneHit> {
        cast(self, ray, unfiltered(options), ClosestInstance::default()).0
    }

    fn any_of_all(&self, ray: &Ray, options: &QueryOptions) -> bool {
        cast(self, ray, unfiltered(options), AnyInstance::default()).0
    }

    fn closest_of_many(
        &self,
        rays: &[Ray],
        options: &QueryOptions,
        filter: Option<AnyFilter<'_>>,
        hits: &mut [Option<SceneHit>],
    ) -> Result<(), BatchError> {
        cast_many::<ClosestInstance>(self, rays, options, filter, hits)
    }

    fn any_of_many(
        &self,
        rays: &[Ray],
        options: &QueryOptions,
        filter: Option<AnyFilter<'_>>,
        found: &mut [bool],
    ) -> Result<(), BatchError> {
        cast_many::<AnyInstance>(self, rays, options, filter, found)
    }

    fn all_of_all(&self, ray: &Ray, options: &QueryOptions, hits: &mut HitList<SceneHit>) {
        cast(self, ray, unfiltered(options), AllInstances(&mut hits.hits));
    }
}

fn unfiltered(options: &QueryOptions) -> SceneQuery<'_, AcceptAll> {
    SceneQuery { options, filter: &AcceptAll, index: 0 }
}

/// Casts a ray with the query's instruction set, and gives what was kept.
#[inline(always)]
fn cast<F: SceneFilter, K: Keep>(
    snapshot: &Snapshot,
    ray: &Ray,
    query: SceneQuery<'_, F>,
    kept: K,
) -> K {
    let tops = &snapshot.tops();
    simd::run(query.options.isa, CastInScene { tops, ray, query, kept })
}

/// A filter called through a pointer, so that the kernels of batches are compiled once and not for
/// each filter of a program.
type AnyFilter<'a> = &'a (dyn Fn(usize, &SceneHit) -> bool + Sync);

/// Fills `results` with the answers to many rays.
fn cast_many<K: KeepBest<Answer: Send>>(
    snapshot: &Snapshot,
    rays: &[Ray],
    options: &QueryOptions,
    filter: Option<AnyFilter<'_>>,
    results: &mut [K::Answer],
) -> Result<(), BatchError> {
    let (tops, kept) = (&snapshot.tops(), PhantomData::<fn() -> K>);
    in_chunks(rays, results, |first, rays, results| match filter {
        None => {
            let filter = &AcceptAll;
            let batch = ManyInScene { tops, first, rays, options, filter, kept };
            trace_batch(batch, options.isa, results);
        }
        Some(accepts) => {
            let filter = &ByInstance(accepts);
            let batch = ManyInScene { tops, first, rays, options, filter, kept };
            trace_batch(batch, options.isa, results);
        }
    })
}

/// Fills `results` with an answer for each ray, which is given with its index.
fn each_ray<R: Send>(
    rays: &[Ray],
    results: &mut [R],
    answer: impl Fn(usize, &Ray, &mut R) + Sync,
) -> Result<(), BatchError> {
    in_chunks(rays, results, |first, rays, results| {
        for (i, (ray, result)) in rays.iter().zip(results).enumerate() {
            answer(first + i, ray, result);
        }
    })
}
