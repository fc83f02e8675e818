//! Whether a point is inside or outside, and how far.

use glam::Vec3;

use super::closed::ClosedTrees;
use super::snapshot::Snapshot;
use crate::error::InsideError;
use crate::query::signed;
use crate::traverse::{InsideInScene, Layers, PointLocation, Query};

impl Snapshot {
    /// Whether `point` is inside a closed surface of an instance, on one or outside all: as
    /// [`Bvh::contains`](crate::Bvh::contains), for the triangles
    /// [in the world](crate::scene#points-and-shapes), with all that is promised there.
    ///
    /// Meshes in these layers count, where instances in these layers stand. Each instance has
    /// surfaces of its own: meshes of two instances do not close each other, and instances that
    /// reach into each other are solid on both sides. No transform opens a surface, for equal
    /// vertices stay equal. Volumes have no inside here: ask
    /// [`all_overlaps`](Self::all_overlaps) for [`Targets::Volumes`](crate::Targets::Volumes).
    ///
    /// The first call for a tree finds out which of its meshes are closed, as there, and the first
    /// for a snapshot where the trees stand: O(n log n) for n instances. From then on nothing is
    /// allocated. A call looks at each tree, once for each mask of its instances, whether it is
    /// closed, and then only at instances whose boxes hold the point.
    ///
    /// # Errors
    ///
    /// As [`Bvh::contains`](crate::Bvh::contains), no matter where the point is: for the lowest
    /// handle that has a mesh in these layers which is not closed. The error names it:
    /// [`InsideError::instance`]. An instance whose box reaches beyond the range of `f32` is
    /// [`Open`](crate::InsideErrorKind::Open), for triangles may be missing there.
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::query::PointLocation;
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Layers, Mesh};
    ///
    /// let corners = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
    /// let rock = Mesh::new(corners, vec![0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]);
    /// let (rock, _report) = Builder::new().bake(&[rock])?;
    /// let floor = Mesh::from_soup(vec![[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]]);
    /// let (floor, _report) = Builder::new().bake(&[floor])?;
    /// let mut scene = Scene::new();
    /// let mirrored = Affine3A::from_scale_rotation_translation(
    ///     Vec3::new(-2.0, 1.0, 1.0), Default::default(), Vec3::X * 10.0);
    /// scene.insert(Instance::new(rock).with_mask(1).with_transform(mirrored))?;
    /// let floor = scene.insert(Instance::new(floor).with_mask(2))?;
    /// let now = scene.commit();
    ///
    /// let solid = Layers::of(1);
    /// assert_eq!(now.contains([8.0, 1.0, 1.0], solid)?, PointLocation::Inside);
    /// assert_eq!(now.contains([2.0, 0.0, 0.0], solid)?, PointLocation::OnSurface);
    /// assert_eq!(now.contains([1.0, 1.0, 1.0], solid)?, PointLocation::Outside);
    /// assert_eq!(now.signed_distance([8.0, 0.5, 1.0], 9.0, solid)?, Some(-0.5));
    /// // A floor has no inside.
    /// assert_eq!(now.contains([8.0, 1.0, 1.0], Layers::ALL).unwrap_err().instance(), floor);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contains(
        &self,
        point: impl Into<Vec3>,
        layers: Layers,
    ) -> Result<PointLocation, InsideError> {
        let query = &layers.query();
        self.check_closed(query.mask)?;
        Ok(self.location(query, point.into()))
    }

    /// How far `point` is from the nearest triangle of an instance: less than zero inside a closed
    /// surface, zero on it, more than zero outside. `None` if that is farther than `max_distance`,
    /// which may be infinite, or if the point is not finite. As
    /// [`Bvh::signed_distance`](crate::Bvh::signed_distance), from [`closest_point`] and
    /// [`contains`](Self::contains).
    ///
    /// # Errors
    ///
    /// As [`contains`](Self::contains), no matter where the point is.
    ///
    /// [`closest_point`]: Self::closest_point
    pub fn signed_distance(
        &self,
        point: impl Into<Vec3>,
        max_distance: f32,
        layers: Layers,
    ) -> Result<Option<f32>, InsideError> {
        let (query, point) = (&layers.query(), point.into());
        self.check_closed(query.mask)?;
        let near = self.closest_point(point, max_distance, query);
        Ok(near.map(|near| signed(near.distance, self.location(query, point))))
    }

    /// An error if a mesh in the layers `mask` is not closed.
    fn check_closed(&self, mask: u32) -> Result<(), InsideError> {
        let (levels, trees) = (&self.0.of_trees, &self.0.trees);
        let closed = self.0.closed.get_or_init(|| ClosedTrees::new(levels, trees));
        closed.check(trees, mask, |instance| self.name(instance))
    }

    fn location(&self, query: &Query<'_>, point: Vec3) -> PointLocation {
        InsideInScene { tops: &self.tops(), query, point: point.to_array() }.location()
    }
}
