//! The triangle of a level that is nearest to a shape.

use crate::bvh::Bvh;
use crate::geometry::{ConvexShape, NearShape};
use crate::traverse::{Query, ShapeDistance, ShapeQuery};

impl Bvh {
    /// The triangle of the level that is nearest to a shape, how far away it is, and where the two
    /// are nearest, if it is no farther away than `max_distance`, which may be infinite. Of
    /// triangles that are equally near, as distances are reported, it is the one of the lowest
    /// mesh, then triangle number. `None` if nothing is near enough, if the shape is empty, or if
    /// `max_distance` is negative or NaN.
    ///
    /// - **Zero means that they touch**, decided without rounding, as
    ///   [`any_overlap`](Self::any_overlap) does. Nothing that touches has another distance.
    /// - **Other distances** are computed in `f64`, by a search for nearest points. They are off by
    ///   no more than 2^-40 of the largest coordinate of the shape and the triangle, and then
    ///   rounded; of an oriented box, of the largest number that its corners are summed up from.
    ///   Nothing depends on the instruction set.
    ///
    /// With [`Facing::Front`](crate::Facing::Front) only triangles count whose front side the
    /// middle of the shape is on. The query's filter is called with [`ShapeDistance::hit`].
    ///
    /// Expected time grows with the logarithm of the number of triangles; in the midst of many that
    /// the shape touches, with their number. A small `max_distance` helps. Nothing is allocated,
    /// unless very many boxes are about as near.
    ///
    /// ```
    /// use hitscan::glam::Vec3;
    /// use hitscan::{Builder, Capsule, Mesh, Query};
    ///
    /// let step = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 0.0, -4.0], [0.0, 0.0, -4.0]];
    /// let (bvh, _report) = Builder::new().bake(&[Mesh::new(step, vec![0, 1, 2, 0, 2, 3])])?;
    ///
    /// // How much room has a character?
    /// let body = |y: f32| Capsule::new([1.0, y, 3.0], [1.0, y + 1.0, 3.0], 0.5);
    /// let near = bvh.closest_to_shape(body(4.0), 9.0, &Query::new()).expect("it is there");
    /// assert_eq!((near.distance, near.point), (4.5, Vec3::X));
    /// assert_eq!(near.on_shape, Vec3::new(1.0, 3.6, 2.7));
    /// assert_eq!(bvh.closest_to_shape(body(4.0), 4.0, &Query::new()), None);
    /// # Ok::<(), hitscan::BakeError>(())
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
        let filter = &self.accepted_by(query);
        is_sound.then(|| ShapeQuery { filter, shape }.nearest(max_distance))?
    }
}
