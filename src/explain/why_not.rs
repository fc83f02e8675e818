//! Why a ray does not hit a triangle.

use glam::Vec3;

use crate::bvh::{Bvh, MeshRecord, TreeView};
use crate::geometry::{Passing, Ray, Triangle};
use crate::traverse::{Hit, Query, QueryFilter, Refusal, Verdict, judge};

/// Why a ray does not hit a triangle, or is not answered with it: the first reason that holds, in
/// the order of this list. Which one it is, is decided as in every query, without rounding.
///
/// Edges are numbered in the caller's order of vertices: an edge leads from the vertex of its
/// number to the next one, as in [`Feature::Edge`](crate::Feature::Edge). Points and distances are
/// in the coordinates of the tree, in a scene in the coordinates of the instance's tree.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum WhyNot {
    /// The scene shows no tree at this instance: there is no such instance, it is disabled, or a
    /// volume stands there.
    NoInstance,
    /// There is no mesh of this number.
    NoMesh,
    /// The mesh has no triangle of this number.
    NoTriangle {
        /// How many it has.
        triangles: u32,
    },
    /// The triangle is in no leaf: the bake skipped it, as it has no area, a coordinate that is not
    /// finite, or an index out of range.
    Skipped,
    /// The triangle has lost its area since the bake: see
    /// [`Triangle::is_degenerate`](crate::Triangle::is_degenerate).
    NoArea,
    /// The instance's mask has no bit of the query's.
    InstanceMask {
        /// The instance's mask.
        mask: u32,
    },
    /// The mesh's mask has no bit of the query's.
    MeshMask {
        /// The mesh's mask.
        mask: u32,
    },
    /// The ray can hit nothing: see [`Ray`].
    InvalidRay,
    /// The ray runs in the triangle's plane.
    InPlane,
    /// The ray is parallel to the triangle's plane, beside it.
    Parallel {
        /// The distance from the plane.
        distance: f32,
    },
    /// The ray's line meets the triangle's plane outside of the triangle.
    OutsideEdge {
        /// The edge that is nearest to the line there.
        edge: u8,
        /// How far outside of it, measured in the plane, to the nearest point of the edge.
        distance: f32,
        /// Where the line meets the plane.
        point: Vec3,
        /// The point of the edge that is nearest to that.
        closest: Vec3,
        /// Where the line meets the plane, in units of the ray's direction. It may be outside of
        /// the ray's interval.
        t: f32,
    },
    /// The ray's line meets the triangle outside of the ray's interval.
    OutsideInterval {
        /// Where, in units of the ray's direction. Infinite if it is beyond the range of `f32`.
        t: f32,
    },
    /// The ray hits the side that does not count: see [`Query::facing`].
    Facing {
        /// The hit that is refused.
        hit: Hit,
    },
    /// The query's filter does not accept the hit.
    Filter {
        /// The hit that is refused.
        hit: Hit,
    },
    /// The ray hits the triangle, and something else before it; or at the same `t`, with lower
    /// numbers.
    Nearer {
        /// Where the ray hits the triangle.
        t: f32,
        /// What it hits first.
        by: Hit,
    },
    /// The triangle is hit after all: this is the answer of
    /// [`Bvh::closest_hit`](crate::Bvh::closest_hit).
    Hit(Hit),
}

/// Why a question is not answered with a mesh: one about a ray, a point
/// ([`WhyNotNearest`](super::WhyNotNearest)) or a shape that moves
/// ([`WhyNotContact`](super::WhyNotContact)).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshWhyNot<R = WhyNot> {
    /// The triangle that the reason is about: the one that comes nearest to being the answer.
    /// `None` if the reason holds for the whole mesh, or all its triangles were skipped.
    pub triangle: Option<u32>,
    /// The reason.
    pub reason: R,
}

impl Bvh {
    /// Why the nearest hit of a ray is not on this triangle.
    ///
    /// Takes about the time of a query, and some microseconds. The first call for a tree takes as
    /// long as [`mesh_triangle`](Self::mesh_triangle) says.
    ///
    /// ```
    /// use hitscan::explain::WhyNot;
    /// use hitscan::{Builder, Facing, Mesh, Query, Ray};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[wall.with_mask(2)])?;
    /// let ray = Ray::new([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    /// let why = |ray: &Ray, query: &Query| bvh.why_not(ray, query, 0, 0);
    /// assert!(matches!(why(&ray, &Query::new()), WhyNot::Hit(hit) if hit.t == 1.0));
    /// assert_eq!(why(&ray, &Query::new().mask(1)), WhyNot::MeshMask { mask: 2 });
    /// let front = Query::new().facing(Facing::Front);
    /// assert!(matches!(why(&ray, &front), WhyNot::Facing { .. }));
    /// let short = ray.with_range(0.0, 0.5);
    /// assert_eq!(why(&short, &Query::new()), WhyNot::OutsideInterval { t: 1.0 });
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn why_not(&self, ray: &Ray, query: &Query<'_>, mesh: u32, triangle: u32) -> WhyNot {
        let query = &query.with_triangles();
        let filter = QueryFilter::new(self.view(), query);
        self.why_not_in(&filter, ray, mesh, triangle, &|| self.closest_hit(ray, query))
    }

    /// Why the nearest hit of a ray is on no triangle of this mesh: the reason of the triangle that
    /// comes nearest to it. That is one that is hit; else one that the ray's line meets; else the
    /// one that the line passes at the least distance.
    ///
    /// Takes O(n) time for the n triangles of the mesh.
    #[must_use]
    pub fn why_not_mesh(&self, ray: &Ray, query: &Query<'_>, mesh: u32) -> MeshWhyNot {
        let query = &query.with_triangles();
        let filter = QueryFilter::new(self.view(), query);
        self.why_not_mesh_in(&filter, ray, mesh, &|| self.closest_hit(ray, query))
    }

    /// `closest` gives the answer of the query.
    pub(super) fn why_not_in(
        &self,
        filter: &QueryFilter<'_>,
        ray: &Ray,
        mesh: u32,
        triangle: u32,
        closest: &dyn Fn() -> Option<Hit>,
    ) -> WhyNot {
        let Some(record) = self.view().meshes.get(mesh as usize) else { return WhyNot::NoMesh };
        let triangles = record.triangle_count;
        if triangle >= triangles {
            return WhyNot::NoTriangle { triangles };
        }
        let id = record.first_triangle + triangle;
        let stored = self.slot(id).zip(self.mesh_triangle(mesh, triangle));
        let Some((slot, vertices)) = stored else { return WhyNot::Skipped };
        if vertices.is_degenerate() {
            return WhyNot::NoArea;
        }
        if !filter.accepts_mesh(id) {
            return WhyNot::MeshMask { mask: record.mask };
        }
        if !ray.is_castable() {
            return WhyNot::InvalidRay;
        }
        match judge(filter, ray, slot) {
            None => WhyNot::Skipped,
            Some(Verdict::Missed) => missed(&vertices, ray, record),
            Some(Verdict::OutsideInterval(t)) => WhyNot::OutsideInterval { t },
            Some(Verdict::Refused(Refusal::Mask, _)) => WhyNot::MeshMask { mask: record.mask },
            Some(Verdict::Refused(Refusal::Facing, hit)) => WhyNot::Facing { hit },
            Some(Verdict::Refused(Refusal::Filter, hit)) => WhyNot::Filter { hit },
            Some(Verdict::Accepted(hit)) => match closest() {
                Some(by) if by.key() != hit.key() => WhyNot::Nearer { t: hit.t, by },
                _ => WhyNot::Hit(hit),
            },
        }
    }

    pub(super) fn why_not_mesh_in(
        &self,
        filter: &QueryFilter<'_>,
        ray: &Ray,
        mesh: u32,
        closest: &dyn Fn() -> Option<Hit>,
    ) -> MeshWhyNot {
        let whole = |reason| MeshWhyNot { triangle: None, reason };
        let Some(record) = self.view().meshes.get(mesh as usize) else {
            return whole(WhyNot::NoMesh);
        };
        if record.triangle_count == 0 {
            return whole(WhyNot::NoTriangle { triangles: 0 });
        }
        let first = self.mesh_triangles(mesh).next();
        let Some(first) = first else { return whole(WhyNot::Skipped) };
        if !filter.accepts_mesh(record.first_triangle + first.triangle) {
            return whole(WhyNot::MeshMask { mask: record.mask });
        }
        if !ray.is_castable() {
            return whole(WhyNot::InvalidRay);
        }
        let ranks = self.mesh_triangles(mesh).filter_map(|one| {
            let slot = self.slot(record.first_triangle + one.triangle)?;
            let rank = rank(judge(filter, ray, slot)?, &one.vertices, ray);
            Some((rank, one.triangle))
        });
        let best = ranks.min_by(|((a, x), _), ((b, y), _)| a.cmp(b).then(x.total_cmp(y)));
        let triangle = best.map_or(first.triangle, |(_, triangle)| triangle);
        let reason = self.why_not_in(filter, ray, mesh, triangle, closest);
        MeshWhyNot { triangle: Some(triangle), reason }
    }
}

/// How near a triangle comes to being the answer: the reason's place, then a distance.
fn rank(verdict: Verdict, vertices: &Triangle, ray: &Ray) -> (u8, f64) {
    match verdict {
        Verdict::Accepted(hit) => (0, f64::from(hit.t)),
        Verdict::Refused(Refusal::Filter, hit) => (1, f64::from(hit.t)),
        Verdict::Refused(_, hit) => (2, f64::from(hit.t)),
        Verdict::OutsideInterval(t) => {
            let (t, t_min, t_max) = (f64::from(t), f64::from(ray.t_min), f64::from(ray.t_max));
            (3, if t < t_min { t_min - t } else { t - t_max })
        }
        Verdict::Missed => (4, vertices.about_miss(ray)),
    }
}

/// Why the line of a ray does not meet a triangle.
fn missed(vertices: &Triangle, ray: &Ray, mesh: &MeshRecord) -> WhyNot {
    match vertices.passing(ray) {
        Passing::InPlane => WhyNot::InPlane,
        Passing::Parallel { distance } => WhyNot::Parallel { distance },
        Passing::TooFar { t } => WhyNot::OutsideInterval { t },
        Passing::Outside { edge, distance, point, t, closest } => {
            // With the second and third vertex swapped, the edges lead the other way round.
            let edge = if mesh.is_swapped() { 2 - edge } else { edge };
            WhyNot::OutsideEdge { edge, distance, point, closest, t }
        }
    }
}

/// The numbers of mesh and triangle of one among all.
pub(super) fn numbers(tree: &TreeView<'_>, id: u32) -> Option<(u32, u32)> {
    let mesh = MeshRecord::find(tree.meshes, id)?;
    Some((mesh as u32, id - tree.meshes.get(mesh)?.first_triangle))
}
