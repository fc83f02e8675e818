//! What a hit has met: the triangle, the point on it, and its normal.

use glam::Vec3;

use crate::bvh::{BvhView, MeshRecord};
use crate::geometry::Triangle;
use crate::traverse::collect::block_and_lane;
use crate::traverse::hit::Hit;

impl BvhView<'_> {
    /// The triangle that a hit names, as it is stored: moved by its mesh's transform and, where
    /// that mirrors, with its second and third vertex changed over, so that it is seen counter-clockwise from the
    /// front. `None` for a hit of another tree, where that can be told.
    ///
    /// A hit's weights are in the caller's order of vertices: of a mesh that was mirrored, `v` is the second
    /// stored vertex's. [`point`](Self::point) knows.
    #[must_use]
    pub fn triangle(&self, hit: &Hit) -> Option<Triangle> {
        Some(self.met(hit)?.0)
    }

    /// The point that a hit names, by its weights on the triangle: however far the ray has come, off the triangle by
    /// no more than the rounding of its coordinates (see [`Triangle::point_at`]; [`Ray::at`](crate::Ray::at) is as
    /// far off as `t` is rounded). `None` for a hit of another tree, where that can be told.
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]])
    ///     .with_transform(Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0)));
    /// let (bvh, _) = Builder::new().bake(&[wall])?;
    /// let ray = Ray::new([-1.0, 2.0, 5.0], [0.0, 0.0, -1.0]);
    /// let hit = bvh.closest_hit(&ray, &Query::new()).unwrap();
    /// assert_eq!(bvh.point(&hit), Some(Vec3::new(-1.0, 2.0, 0.0)));
    /// assert_eq!(bvh.normal(&hit), Some(Vec3::Z));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn point(&self, hit: &Hit) -> Option<Vec3> {
        let (triangle, mesh) = self.met(hit)?;
        let swapped = mesh.flags & MeshRecord::SWAPPED != 0;
        let (u, v) = if swapped { (hit.v, hit.u) } else { (hit.u, hit.v) };
        Some(triangle.point_at(u, v))
    }

    /// The normal of the triangle that a hit names, of unit length, pointing to the front (see
    /// [`Triangle::unit_normal`]). `None` for a hit of another tree, where that can be told.
    #[must_use]
    pub fn normal(&self, hit: &Hit) -> Option<Vec3> {
        Some(self.triangle(hit)?.unit_normal())
    }

    /// The triangle, and the mesh that it is of.
    fn met(&self, hit: &Hit) -> Option<(Triangle, &MeshRecord)> {
        let (block, lane) = block_and_lane(self, hit.slot)?;
        let mesh = self.meshes.get(hit.mesh as usize)?;
        if block.id[lane] != mesh.first_triangle.checked_add(hit.triangle)? {
            return None;
        }
        let [v0, v1, v2] = block.corners(lane).map(Vec3::from_array);
        Some((Triangle { v0, v1, v2 }, mesh))
    }
}
