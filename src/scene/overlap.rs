//! What touches a shape.

use std::ops::ControlFlow;

use super::snapshot::Snapshot;
use crate::geometry::Shape;
use crate::traverse::{
    AcceptAll, InInstance, Overlap, OverlapInScene, Query, QueryOptions, SceneFilter, SceneQuery,
};

// Without a filter, kernels are compiled in this crate, by the functions that are not generic.
impl Snapshot {
    /// Whether any triangle of an instance touches a shape: as
    /// [`Bvh::any_overlap`](crate::Bvh::any_overlap), for the triangles
    /// [in the world](crate::scene#points-and-shapes).
    #[must_use]
    #[inline]
    pub fn any_overlap<F: SceneFilter>(&self, shape: impl Into<Shape>, query: &Query<F>) -> bool {
        let shape = &shape.into();
        if F::ACCEPTS_ALL {
            self.any_of_all_overlaps(shape, &query.options)
        } else {
            any(self, shape, &query.options, &query.filter)
        }
    }

    /// All triangles of instances that touch a shape, each once, in order of handle, mesh and
    /// triangle: as [`Bvh::all_overlaps`](crate::Bvh::all_overlaps) says of one tree, for the
    /// triangles [in the world](crate::scene#points-and-shapes). The list's old contents are
    /// replaced, and its memory is reused.
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Mesh, Query, Sphere};
    ///
    /// let crate_top = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[crate_top])?;
    /// let mut scene = Scene::new();
    /// let ids = [0.0, 2.0, 4.0].map(|x| {
    ///     let at = Affine3A::from_translation(Vec3::X * x);
    ///     scene.insert(Instance::new(bvh.clone()).with_transform(at)).unwrap()
    /// });
    /// let mut overlaps = Vec::new();
    /// let explosion = Sphere::new([1.5, 0.5, 0.0], 1.0);
    /// scene.commit().all_overlaps(explosion, &Query::new(), &mut overlaps);
    /// assert!(overlaps.iter().map(|overlap| overlap.instance).eq([ids[0], ids[1]]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn all_overlaps<F: SceneFilter>(
        &self,
        shape: impl Into<Shape>,
        query: &Query<F>,
        overlaps: &mut Vec<InInstance<Overlap>>,
    ) {
        let shape = &shape.into();
        overlaps.clear();
        if F::ACCEPTS_ALL {
            self.all_of_all_overlaps(shape, &query.options, overlaps);
        } else {
            all(self, shape, &query.options, &query.filter, overlaps);
        }
        overlaps.sort_unstable_by_key(|overlap| overlap.key());
        // A triangle that a spatial split cut is in several leaves.
        overlaps.dedup_by_key(|overlap| overlap.key());
    }

    fn any_of_all_overlaps(&self, shape: &Shape, options: &QueryOptions) -> bool {
        any(self, shape, options, &AcceptAll)
    }

    fn all_of_all_overlaps(
        &self,
        shape: &Shape,
        options: &QueryOptions,
        overlaps: &mut Vec<InInstance<Overlap>>,
    ) {
        all(self, shape, options, &AcceptAll, overlaps);
    }
}

#[inline(always)]
fn any<F: SceneFilter>(
    snapshot: &Snapshot,
    shape: &Shape,
    options: &QueryOptions,
    filter: &F,
) -> bool {
    let (tops, query) = (&snapshot.tops(), SceneQuery { options, filter, index: 0 });
    let mut any = false;
    OverlapInScene { tops, query, shape }.for_each(|_| {
        any = true;
        ControlFlow::Break(())
    });
    any
}

#[inline(always)]
fn all<F: SceneFilter>(
    snapshot: &Snapshot,
    shape: &Shape,
    options: &QueryOptions,
    filter: &F,
    overlaps: &mut Vec<InInstance<Overlap>>,
) {
    let (tops, query) = (&snapshot.tops(), SceneQuery { options, filter, index: 0 });
    OverlapInScene { tops, query, shape }.for_each(|report| {
        overlaps.extend(report());
        ControlFlow::Continue(())
    });
}
