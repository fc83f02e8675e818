//! The questions of a snapshot.

#[cfg(test)]
mod tests;

use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::snapshot::Snapshot;
use crate::error::BatchError;
use crate::geometry::Ray;
use crate::query::{MIN_ANY, in_chunks};
use crate::simd;
use crate::traverse::{
    AllInstances, AnyInstance, CastInScene, ClosestInstance, Hit, Keep, KeepBest, ManyInScene,
    Query, SceneQuery, VolumesInScene, sort_hits, trace_batch,
};

impl Snapshot {
    /// The nearest hit at `t_min <= t <= t_max`, or `None`. Of equally near ones it is the hit of
    /// the lowest handle, then mesh, then triangle.
    ///
    /// With [`Query::targets`] [volumes](crate::scene#volumes) are hit too: where the ray enters
    /// one, or at `t_min` if it starts inside.
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
    /// assert_eq!((hit.instance, hit.t), (near, 2.0));
    ///
    /// scene.set_transform(near, at(20.0))?;
    /// let after = scene.commit();
    /// assert_eq!(after.closest_hit(&ray, &Query::new()).unwrap().instance, far);
    /// assert_eq!(before.closest_hit(&ray, &Query::new()).unwrap().instance, near);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn closest_hit(&self, ray: &Ray, query: &Query<'_>) -> Option<Hit> {
        let (query, targets) = (SceneQuery::new(query), query.targets);
        let mut hit = None;
        if targets.has_triangles() {
            hit = self.cast(ray, query, ClosestInstance::default()).0;
        }
        if targets.has_volumes() {
            hit = self.volumes(query, |volumes| volumes.closest_hit(ray, hit));
        }
        hit
    }

    /// Whether there is any hit at `t_min <= t <= t_max`: the question for lines of sight and
    /// shadows, and faster than the nearest hit.
    #[must_use]
    pub fn any_hit(&self, ray: &Ray, query: &Query<'_>) -> bool {
        self.any(ray, SceneQuery::new(query))
    }

    /// Every hit at `t_min <= t <= t_max`, each triangle of each instance and each volume once, in
    /// order of `t`, then handle, mesh and triangle. The list's old contents are replaced, and its
    /// memory is reused.
    pub fn all_hits(&self, ray: &Ray, query: &Query<'_>, hits: &mut Vec<Hit>) {
        self.all(ray, SceneQuery::new(query), hits);
    }

    /// Calls `each` with every hit in order, as [`all_hits`](Self::all_hits) gives them, until it
    /// breaks. The hits are collected in `buffer` and sorted there first; reuse one buffer.
    pub fn for_each_hit(
        &self,
        ray: &Ray,
        query: &Query<'_>,
        buffer: &mut Vec<Hit>,
        each: impl FnMut(&Hit) -> ControlFlow<()>,
    ) {
        self.all_hits(ray, query, buffer);
        let _ = buffer.iter().try_for_each(each);
    }

    /// The nearest hit of each ray: the same bits as [`closest_hit`](Self::closest_hit), whatever
    /// the number of threads, and faster even on one. As in
    /// [`Bvh::closest_hit_batch`](crate::Bvh::closest_hit_batch), neighbours that are alike go
    /// through the scene together, others many at a time. With the feature `parallel`, more than
    /// 1,024 rays are divided among threads.
    ///
    /// # Errors
    ///
    /// If `hits` is not as long as `rays`; then nothing is written.
    pub fn closest_hit_batch(
        &self,
        rays: &[Ray],
        query: &Query<'_>,
        hits: &mut [Option<Hit>],
    ) -> Result<(), BatchError> {
        in_chunks(rays, hits, |first, rays, hits| {
            self.closest_hit_chunk(first, rays, query, hits);
        })
    }

    /// Whether each ray hits anything: the same as [`any_hit`](Self::any_hit), together and on all
    /// threads as [`closest_hit_batch`](Self::closest_hit_batch).
    ///
    /// # Errors
    ///
    /// If `found` is not as long as `rays`; then nothing is written.
    pub fn any_hit_batch(
        &self,
        rays: &[Ray],
        query: &Query<'_>,
        found: &mut [bool],
    ) -> Result<(), BatchError> {
        in_chunks(rays, found, |first, rays, found| {
            self.any_hit_chunk(first, rays, query, found);
        })
    }

    /// Every hit of each ray, in a list for each: the same as [`all_hits`](Self::all_hits), on all
    /// threads as [`closest_hit_batch`](Self::closest_hit_batch). Lists keep their memory.
    ///
    /// # Errors
    ///
    /// If `hits` is not as long as `rays`; then nothing is written.
    pub fn all_hits_batch(
        &self,
        rays: &[Ray],
        query: &Query<'_>,
        hits: &mut [Vec<Hit>],
    ) -> Result<(), BatchError> {
        in_chunks(rays, hits, |first, rays, hits| {
            self.all_hits_chunk(first, rays, query, hits);
        })
    }
}

/// Chunks of a batch: `first` is the number of the first ray.
impl Snapshot {
    pub(crate) fn closest_hit_chunk(
        &self,
        first: usize,
        rays: &[Ray],
        query: &Query<'_>,
        hits: &mut [Option<Hit>],
    ) {
        self.cast_many::<ClosestInstance>(first, rays, query, hits, |volumes, ray, hit| {
            *hit = volumes.closest_hit(ray, *hit);
        });
    }

    pub(crate) fn any_hit_chunk(
        &self,
        first: usize,
        rays: &[Ray],
        query: &Query<'_>,
        found: &mut [bool],
    ) {
        if rays.len() < MIN_ANY {
            for (i, (ray, found)) in rays.iter().zip(found).enumerate() {
                *found = self.any(ray, SceneQuery { query, index: first + i });
            }
            return;
        }
        self.cast_many::<AnyInstance>(first, rays, query, found, |volumes, ray, found| {
            *found = *found || volumes.any_hit(ray);
        });
    }

    pub(crate) fn all_hits_chunk(
        &self,
        first: usize,
        rays: &[Ray],
        query: &Query<'_>,
        hits: &mut [Vec<Hit>],
    ) {
        for (i, (ray, hits)) in rays.iter().zip(hits).enumerate() {
            self.all(ray, SceneQuery { query, index: first + i }, hits);
        }
    }

    #[inline(always)]
    fn any(&self, ray: &Ray, query: SceneQuery<'_>) -> bool {
        let targets = query.query.targets;
        (targets.has_triangles() && self.cast(ray, query, AnyInstance::default()).0)
            || (targets.has_volumes() && self.volumes(query, |volumes| volumes.any_hit(ray)))
    }

    fn all(&self, ray: &Ray, query: SceneQuery<'_>, hits: &mut Vec<Hit>) {
        hits.clear();
        if query.query.targets.has_triangles() {
            self.cast(ray, query, AllInstances(hits));
        }
        if query.query.targets.has_volumes() {
            self.volumes(query, |volumes| volumes.all_hits(ray, hits));
        }
        sort_hits(hits);
    }

    /// Casts a ray with the query's instruction set, and gives what was kept.
    #[inline(always)]
    fn cast<K: Keep>(&self, ray: &Ray, query: SceneQuery<'_>, kept: K) -> K {
        let tops = &self.tops();
        simd::run(query.query.isa, CastInScene { tops, ray, query, kept })
    }

    /// Fills `results` with the answers to many rays. `add` adds what volumes say to an answer.
    fn cast_many<K: KeepBest<Answer: Send + Default>>(
        &self,
        first: usize,
        rays: &[Ray],
        query: &Query<'_>,
        results: &mut [K::Answer],
        add: fn(&VolumesInScene<'_>, &Ray, &mut K::Answer),
    ) {
        if query.targets.has_triangles() {
            let (tops, kept) = (&self.tops(), PhantomData::<fn() -> K>);
            trace_batch(ManyInScene { tops, first, rays, query, kept }, query.isa, results);
        } else {
            results.fill_with(K::Answer::default);
        }
        if query.targets.has_volumes() {
            for (i, (ray, result)) in rays.iter().zip(results).enumerate() {
                let query = SceneQuery { query, index: first + i };
                self.volumes(query, |volumes| add(volumes, ray, result));
            }
        }
    }
}
