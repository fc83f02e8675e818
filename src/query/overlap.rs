//! What touches a shape.

use std::ops::ControlFlow;

use super::many_rays::for_each_shape;
use crate::bvh::Bvh;
use crate::error::BatchError;
use crate::geometry::Shape;
use crate::traverse::{Overlap, OverlapQuery, Query, QueryFilter, sort_overlaps};

impl Bvh {
    /// Whether any triangle touches a shape: a box along the axes or in any position, a sphere, a
    /// capsule, a convex hull, a camera's frustum, a triangle. Faster than
    /// [`all_overlaps`](Self::all_overlaps), and exact as it is.
    ///
    /// ```
    /// use hitscan::{Builder, Capsule, Mesh, Query};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 3.0], [4.0, 0.0, 3.0], [0.0, 4.0, 3.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[wall])?;
    /// // May a character stand there?
    /// let body = |z: f32| Capsule::new([1.0, 0.5, z], [1.0, 1.5, z], 0.5);
    /// assert!(bvh.any_overlap(body(2.5), &Query::new()));
    /// assert!(!bvh.any_overlap(body(2.4999998), &Query::new()));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn any_overlap(&self, shape: impl Into<Shape>, query: &Query<'_>) -> bool {
        self.accepted_by(query).any_overlap(&shape.into())
    }

    /// All triangles that touch a shape, each once, in order of mesh and triangle, with whether the
    /// shape holds all of it. The list's old contents are replaced, and its memory is reused.
    ///
    /// Decided without rounding, for the shape and the triangles that the numbers describe:
    /// [`Shape::overlap`] says the same of each. Touching is enough. An empty shape touches
    /// nothing. Takes time in proportion to the number of triangles whose boxes are near the shape.
    ///
    /// With [`Facing::Front`](crate::Facing::Front) only triangles count whose front side the
    /// middle of the shape is on, or [`Frustum::eye`](crate::geometry::Frustum::eye). The query's
    /// filter is called with [`Overlap::hit`].
    ///
    /// ```
    /// use hitscan::geometry::Containment;
    /// use hitscan::{Aabb, Builder, Mesh, Query};
    ///
    /// let walls = [1.0, 2.0, 3.0].map(|z| {
    ///     Mesh::from_soup(vec![[0.0, 0.0, z], [4.0, 0.0, z], [0.0, 4.0, z + 0.5]])
    /// });
    /// let (bvh, _report) = Builder::new().bake(&walls)?;
    /// let region = Aabb::from_min_max([0.0, 0.0, 2.0], [4.0, 4.0, 3.0]);
    /// let mut overlaps = Vec::new();
    /// bvh.all_overlaps(region, &Query::new(), &mut overlaps);
    /// let found = overlaps.iter().map(|overlap| (overlap.hit.mesh, overlap.containment));
    /// assert!(found.eq([(1, Containment::Inside), (2, Containment::Touching)]));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[inline]
    pub fn all_overlaps(
        &self,
        shape: impl Into<Shape>,
        query: &Query<'_>,
        overlaps: &mut Vec<Overlap>,
    ) {
        self.accepted_by(query).all_overlaps(&shape.into(), overlaps);
    }

    /// Whether any triangle touches each of many shapes: the same as
    /// [`any_overlap`](Self::any_overlap), for spawn points or a brush. A filter
    /// [by index](Query::filter_by_index) is told which shape asks.
    ///
    /// With the feature `parallel`, more than 64 are divided among threads as the rays of
    /// [`closest_hit_batch`](Self::closest_hit_batch) are. Nothing is allocated for a shape.
    ///
    /// # Errors
    ///
    /// If `touched` is not as long as `shapes`; then nothing is written.
    ///
    /// ```
    /// use hitscan::{Builder, Mesh, Query, Shape, Sphere};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 3.0], [4.0, 0.0, 3.0], [0.0, 4.0, 3.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[wall])?;
    /// let shapes = [1.0, 2.0].map(|z| Shape::from(Sphere::new([1.0, 1.0, z], 1.0)));
    /// let mut touched = [false; 2];
    /// bvh.any_overlap_batch(&shapes, &Query::new(), &mut touched)?;
    /// assert_eq!(touched, [false, true]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn any_overlap_batch(
        &self,
        shapes: &[Shape],
        query: &Query<'_>,
        touched: &mut [bool],
    ) -> Result<(), BatchError> {
        for_each_shape(shapes, touched, |index, shape| {
            self.accepted_in_batch(query, index).any_overlap(shape)
        })
    }
}

impl QueryFilter<'_> {
    fn any_overlap(&self, shape: &Shape) -> bool {
        let mut any = false;
        OverlapQuery { filter: self, shape }.for_each(|_, _| {
            any = true;
            ControlFlow::Break(())
        });
        any
    }

    fn all_overlaps(&self, shape: &Shape, overlaps: &mut Vec<Overlap>) {
        overlaps.clear();
        OverlapQuery { filter: self, shape }.for_each(|query, touching| {
            overlaps.extend(query.report(touching));
            ControlFlow::Continue(())
        });
        sort_overlaps(overlaps);
    }
}
