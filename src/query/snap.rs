//! The vertices and edges under a cursor.

use crate::bvh::Bvh;
use crate::geometry::{Ray, RayCone};
use crate::traverse::{Query, SnapOptions, SnapSearch, Snaps};

impl Bvh {
    /// The vertex and the point of an edge that are nearest to a ray, of all in a cone around it:
    /// what the cursor of an editor snaps to.
    ///
    /// - **Nearest** is what has the least distance from the ray's line *in parts of the cone's
    ///   radius* at its place along the ray. For a cone of some pixels, from
    ///   [`Camera::cone`](crate::geometry::Camera::cone), it is the nearest to the cursor on the
    ///   screen. Of equally near ones it is the one with the least `t`, then of the lowest
    ///   mesh, triangle and number. Places outside of the ray's interval do not count: an edge
    ///   counts with the part that is within.
    /// - **Both.** An edge is seldom farther than its ends, so editors take a vertex first:
    ///   [`Snaps::vertex_first`].
    /// - **What counts** is what the query accepts, by the hit of the triangle ([`Snap::hit`]) that
    ///   has the vertex or the edge, and [`SnapOptions::features`]. What lies behind a surface
    ///   counts too, unless [`SnapOptions::hidden`] leaves it out.
    /// - **Exactness.** Distances are computed in `f64`, and are the same on every machine. A place
    ///   at the cone's surface is in it or not, by what `f64` rounds. A vertex has its own bits.
    ///
    /// Takes time in proportion to the number of triangles whose boxes are near the cone, times
    /// its logarithm, and memory for the boxes. It is plain code: for a cursor, not for thousands
    /// of rays. Each candidate that may be hidden costs a ray.
    ///
    /// ```
    /// use hitscan::geometry::{Feature, RayCone};
    /// use hitscan::glam::Vec3;
    /// use hitscan::query::SnapOptions;
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let quad = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
    /// let (bvh, _report) = Builder::new().bake(&[Mesh::new(quad, vec![0, 1, 2, 0, 2, 3])])?;
    /// let cursor = |x: f32, y: f32| {
    ///     RayCone::new(Ray::new([x, y, 9.0], [0.0, 0.0, -1.0]), 0.0, 0.05)
    /// };
    ///
    /// let edges = bvh.edges(0.9998);
    /// let hard = |hit: &_, feature| edges.is_hard(hit, feature);
    /// let options = SnapOptions::new().features(&hard);
    /// // Near the lower side, but far from its ends.
    /// let snaps = bvh.snap(&cursor(1.0, 0.25), &options, &Query::new());
    /// let edge = snaps.vertex_first().expect("it is within a twentieth of the distance");
    /// assert_eq!((edge.point, edge.feature), (Vec3::X, Feature::Edge(0)));
    /// assert_eq!((edge.distance, edge.hit.t), (0.25, 9.0));
    /// // Near a corner.
    /// let corner = bvh.snap(&cursor(3.8, 0.25), &options, &Query::new()).vertex_first().unwrap();
    /// assert_eq!((corner.point, corner.feature), (4.0 * Vec3::X, Feature::Vertex(1)));
    /// // On the diagonal, which is no edge of the quad.
    /// assert_eq!(bvh.snap(&cursor(2.0, 2.0), &options, &Query::new()).vertex_first(), None);
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    ///
    /// [`Snap::hit`]: crate::query::Snap::hit
    #[must_use]
    pub fn snap(&self, cone: &RayCone, options: &SnapOptions<'_>, query: &Query<'_>) -> Snaps {
        let is_blocked = &|ray: &Ray| self.any_hit(ray, query);
        let Some(mut search) = SnapSearch::new(cone, options, is_blocked) else {
            return Snaps::default();
        };
        search.search(&self.accepted_by(query));
        search.snaps()
    }
}
