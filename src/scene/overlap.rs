//! What touches a shape.

use std::ops::ControlFlow;

use super::snapshot::Snapshot;
use crate::error::BatchError;
use crate::geometry::Shape;
use crate::query::for_each_shape;
use crate::traverse::{
    InstanceOverlap, InstancesTouching, Layers, Overlap, OverlapInScene, Query, SceneQuery,
    sort_overlaps,
};

impl Snapshot {
    /// Whether any triangle of an instance touches a shape: as
    /// [`Bvh::any_overlap`](crate::Bvh::any_overlap), for the triangles
    /// [in the world](crate::scene#points-and-shapes). With [`Query::targets`] also whether any
    /// [volume](crate::scene#volumes) does, as [`Shape::overlaps`] says.
    #[must_use]
    #[inline]
    pub fn any_overlap(&self, shape: impl Into<Shape>, query: &Query<'_>) -> bool {
        self.any_touching(&shape.into(), SceneQuery::new(query))
    }

    /// All triangles of instances that touch a shape, each once, in order of handle, mesh and
    /// triangle: as [`Bvh::all_overlaps`](crate::Bvh::all_overlaps) says of one tree, for the
    /// triangles [in the world](crate::scene#points-and-shapes). The list's old contents are
    /// replaced, and its memory is reused.
    ///
    /// With [`Query::targets`] also all [volumes](crate::scene#volumes) that it touches, as
    /// [`Shape::overlaps`] says: the triggers that a character is in, or what a rectangle on the
    /// screen selects. For a point, ask with a sphere of radius zero.
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
    /// assert!(overlaps.iter().map(|overlap| overlap.hit.instance).eq([ids[0], ids[1]]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn all_overlaps(
        &self,
        shape: impl Into<Shape>,
        query: &Query<'_>,
        overlaps: &mut Vec<Overlap>,
    ) {
        self.all_touching(&shape.into(), SceneQuery::new(query), overlaps);
    }

    /// The instances that touch a shape, in order of their handles, each with whether the shape
    /// holds all of it: for an editor that selects with a rectangle, by the
    /// [frustum](crate::geometry::Camera::frustum) of that. As
    /// [`Bvh::all_mesh_overlaps`](crate::Bvh::all_mesh_overlaps) says of meshes, for the triangles
    /// [in the world](crate::scene#points-and-shapes) of meshes in these layers. The list's old
    /// contents are replaced, and its memory is reused.
    ///
    /// An instance whose [box](Self::instance_bounds) the shape holds is inside without a look at
    /// its triangles. Volumes are not looked at: ask [`all_overlaps`](Self::all_overlaps) for
    /// [`Targets::Volumes`](crate::Targets::Volumes).
    ///
    /// ```
    /// use hitscan::geometry::Containment;
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Aabb, Builder, Layers, Mesh};
    ///
    /// let plate = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
    /// let (plate, _report) = Builder::new().bake(&[plate])?;
    /// let mut scene = Scene::new();
    /// let ids = [0.0, 2.0, 4.0].map(|x| {
    ///     let at = Affine3A::from_translation(Vec3::X * x);
    ///     scene.insert(Instance::new(plate.clone()).with_transform(at)).unwrap()
    /// });
    /// let mut found = Vec::new();
    /// let region = Aabb::from_min_max([-1.0; 3], [2.5, 1.0, 1.0]);
    /// scene.commit().all_instance_overlaps(region, Layers::ALL, &mut found);
    /// let found = found.iter().map(|one| (one.instance, one.containment));
    /// assert!(found.eq([(ids[0], Containment::Inside), (ids[1], Containment::Touching)]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn all_instance_overlaps(
        &self,
        shape: impl Into<Shape>,
        layers: Layers,
        instances: &mut Vec<InstanceOverlap>,
    ) {
        self.instances_touching(&shape.into(), &layers.query(), instances);
    }

    /// Whether any triangle of an instance touches each of many shapes: the same as
    /// [`any_overlap`](Self::any_overlap), on all threads as
    /// [`Bvh::any_overlap_batch`](crate::Bvh::any_overlap_batch).
    ///
    /// # Errors
    ///
    /// If `touched` is not as long as `shapes`; then nothing is written.
    pub fn any_overlap_batch(
        &self,
        shapes: &[Shape],
        query: &Query<'_>,
        touched: &mut [bool],
    ) -> Result<(), BatchError> {
        for_each_shape(shapes, touched, |index, shape| {
            self.any_touching(shape, SceneQuery { query, index })
        })
    }
}

impl Snapshot {
    fn any_touching(&self, shape: &Shape, query: SceneQuery<'_>) -> bool {
        let (targets, mut any) = (query.query.targets, false);
        if targets.has_triangles() {
            OverlapInScene { tops: &self.tops(), query, shape }.for_each(|_| {
                any = true;
                ControlFlow::Break(())
            });
        }
        any || (targets.has_volumes() && self.volumes(query, |volumes| volumes.any_overlap(shape)))
    }

    fn instances_touching(
        &self,
        shape: &Shape,
        query: &Query<'_>,
        instances: &mut Vec<InstanceOverlap>,
    ) {
        instances.clear();
        let question = InstancesTouching { tops: &self.tops(), query, shape };
        question.for_each(&mut |found| instances.push(found));
        instances.sort_unstable_by_key(|found| found.instance);
    }

    fn all_touching(&self, shape: &Shape, query: SceneQuery<'_>, overlaps: &mut Vec<Overlap>) {
        overlaps.clear();
        if query.query.targets.has_triangles() {
            OverlapInScene { tops: &self.tops(), query, shape }.for_each(|report| {
                overlaps.extend(report());
                ControlFlow::Continue(())
            });
        }
        if query.query.targets.has_volumes() {
            self.volumes(query, |volumes| volumes.all_overlaps(shape, overlaps));
        }
        sort_overlaps(overlaps);
    }
}
