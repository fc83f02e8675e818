//! Whether a point is inside or outside, and how far.

use glam::Vec3;

use crate::bvh::{Bvh, Solids};
use crate::error::InsideError;
use crate::traverse::{InsideQuery, Layers, PointLocation};

impl Bvh {
    /// Whether `point` is inside a closed surface, on it or outside.
    ///
    /// - **Which surfaces.** The surfaces of the meshes in these layers, with both sides of their
    ///   triangles. A mesh that is closed is a surface by itself. Meshes that close each other, as
    ///   the parts of an object that have different materials, are one surface together. So a crate
    ///   that reaches through the wall of a house is solid on both sides.
    /// - **Inside** is where the winding number of a surface is not zero. It does not matter
    ///   whether fronts look outwards, as in a statue, or inwards, as in a room. A shell within a
    ///   shell encloses a hollow if it is wound the other way, in the same mesh.
    /// - **Exactness.** The whole answer is exact. Crossings of the triangles with one ray are
    ///   counted without rounding, and a ray through edges, through vertices or in the plane of a
    ///   triangle needs no other. A point on a triangle is [`OnSurface`](PointLocation::OnSurface),
    ///   even if it is inside another surface.
    ///
    /// A point that is not finite is outside.
    ///
    /// The first call for a tree, or after a [`refit`](Self::refit) or
    /// [`apply_transform`](Self::apply_transform), finds out which meshes are closed: that takes
    /// expected O(n log n) for n triangles, and as much memory as
    /// [`Topology::of`](crate::mesh::Topology::of). From then on nothing is allocated, and expected
    /// time grows with the number of triangles along the shortest way out of the tree's bounds,
    /// along an axis.
    ///
    /// # Errors
    ///
    /// No matter where the point is:
    ///
    /// - [`Open`](crate::InsideErrorKind::Open),
    ///   [`MixedWinding`](crate::InsideErrorKind::MixedWinding) and
    ///   [`Hidden`](crate::InsideErrorKind::Hidden), if one of those meshes is not closed: an edge
    ///   belongs to an odd number of triangles, or triangles that share an edge are wound in
    ///   different ways, or the layers hide a mesh that others need to be closed. Edges
    ///   match if their ends have the same coordinates, as in
    ///   [`Topology`](crate::mesh::Topology). Triangles that the bake has skipped are missing.
    /// - [`DoubleSided`](crate::InsideErrorKind::DoubleSided), if a mesh, or meshes that close each
    ///   other, have a part that would enclose something, but is there twice, once in each
    ///   direction, so that its winding number is zero. A part is triangles that are connected
    ///   through edges. Which vertices they are made of, and along which diagonals faces are cut,
    ///   does not matter. Cards, which enclose nothing, may be there in both directions, alone or
    ///   beside a solid: they change nothing. So may walls between rooms of one part. A surface
    ///   that is there twice in the *same* direction has the winding number 2, and two closed
    ///   meshes in one place are two surfaces: both have an inside.
    ///
    /// ```
    /// use hitscan::query::PointLocation;
    /// use hitscan::{Builder, InsideErrorKind, Layers, Mesh};
    ///
    /// let corners = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
    /// let rock = Mesh::new(corners, vec![0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]).with_mask(1);
    /// let floor = Mesh::from_soup(vec![[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[rock, floor.with_mask(2)])?;
    ///
    /// let solid = Layers::of(1);
    /// assert_eq!(bvh.contains([1.0, 1.0, 1.0], solid)?, PointLocation::Inside);
    /// assert_eq!(bvh.contains([2.0, 2.0, 0.0], solid)?, PointLocation::OnSurface);
    /// assert_eq!(bvh.contains([2.0, 2.0, 1.0], solid)?, PointLocation::Outside);
    /// // A floor has no inside.
    /// let error = bvh.contains([1.0, 1.0, 1.0], Layers::ALL).unwrap_err();
    /// assert_eq!((error.kind(), error.mesh()), (InsideErrorKind::Open, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contains(
        &self,
        point: impl Into<Vec3>,
        layers: Layers,
    ) -> Result<PointLocation, InsideError> {
        let (tree, query, point) = (self.view(), &layers.query(), point.into().to_array());
        let solids = self.closed_solids(query.mask)?;
        Ok(InsideQuery { tree, query, solids, point, place: None }.location())
    }

    /// How far `point` is from the nearest triangle: less than zero inside a closed surface, zero
    /// on it, more than zero outside. `None` if that is farther than `max_distance`, which may be
    /// infinite, or if the point is not finite.
    ///
    /// The absolute value is the distance of the point that [`closest_point`](Self::closest_point)
    /// finds with [both sides](crate::Facing::Both) of all triangles, also of triangles within
    /// another solid. The sign follows from [`contains`](Self::contains). Both are exact. A small
    /// `max_distance` helps.
    ///
    /// # Errors
    ///
    /// As [`contains`](Self::contains), no matter where the point is.
    ///
    /// ```
    /// use hitscan::{Builder, Layers, Mesh};
    ///
    /// let corners = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
    /// let rock = Mesh::new(corners, vec![0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]);
    /// let (bvh, _report) = Builder::new().bake(&[rock])?;
    ///
    /// assert_eq!(bvh.signed_distance([1.0, 0.5, 1.0], 9.0, Layers::ALL)?, Some(-0.5));
    /// assert_eq!(bvh.signed_distance([1.0, -3.0, 1.0], 9.0, Layers::ALL)?, Some(3.0));
    /// assert_eq!(bvh.signed_distance([1.0, -3.0, 1.0], 2.0, Layers::ALL)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn signed_distance(
        &self,
        point: impl Into<Vec3>,
        max_distance: f32,
        layers: Layers,
    ) -> Result<Option<f32>, InsideError> {
        let (query, point) = (&layers.query(), point.into());
        let solids = self.closed_solids(query.mask)?;
        let Some(near) = self.closest_point(point, max_distance, query) else { return Ok(None) };
        let (tree, point) = (self.view(), point.to_array());
        let location = InsideQuery { tree, query, solids, point, place: None }.location();
        Ok(Some(signed(near.distance, location)))
    }

    /// What the meshes in the layers `mask` enclose, if they are closed.
    pub(crate) fn closed_solids(&self, mask: u32) -> Result<&Solids, InsideError> {
        let solids = self.solids();
        solids.check_closed(self.view().meshes, mask, |mesh| self.mesh_name(mesh))?;
        Ok(solids)
    }
}

/// A distance from the nearest triangle, less than zero inside.
pub(crate) fn signed(distance: f32, location: PointLocation) -> f32 {
    if location == PointLocation::Inside { -distance } else { distance }
}
