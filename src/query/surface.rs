//! The triangles of a tree: the triangle of a hit with its point and normal, the triangle of a
//! number, and all.

use glam::Vec3;

use crate::bvh::{Bvh, LANES, MeshRecord};
use crate::geometry::{Aabb, Face, Feature, FeaturePoints, Ray, Triangle, leave};
use crate::traverse::Hit;
#[cfg(feature = "visibility")]
use crate::traverse::InstanceId;

/// One of a tree's [`triangles`](Bvh::triangles).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshTriangle {
    /// The mesh, as numbered in the bake.
    pub mesh: u32,
    /// The triangle, as numbered in its mesh.
    pub triangle: u32,
    /// Its vertices as they are stored: see [`Bvh::triangle`].
    pub vertices: Triangle,
}

impl Bvh {
    /// The triangle of a hit, as it is stored: moved by its mesh's transform and, where that
    /// mirrors, with its second and third vertex swapped, so that it is counter-clockwise as seen
    /// from the front. `None` for a hit of another tree that has no such triangle.
    ///
    /// A hit's weights are in the caller's order of vertices: in a mesh that was mirrored, `v` is
    /// the weight of the second stored vertex. [`point`](Self::point) takes care of it, as
    /// [`feature_points`](Self::feature_points) does of features.
    #[must_use]
    pub fn triangle(&self, hit: &Hit) -> Option<Triangle> {
        Some(self.triangle_of(hit)?.0)
    }

    /// The point of a hit, from its weights on the triangle: off the triangle by no more than the
    /// rounding of its coordinates, however far the ray has travelled (see [`Triangle::point_at`]).
    /// [`Ray::at`](crate::Ray::at) is as far off as `t` is rounded. `None` as in
    /// [`triangle`](Self::triangle).
    ///
    /// A ray from this point, with `t_min` 0, mostly hits the triangle itself again: the point is
    /// in its plane, or behind it by a rounding. [`ray_from`](Self::ray_from) gives a ray that
    /// leaves.
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
        let (triangle, mesh) = self.triangle_of(hit)?;
        let (u, v) = if mesh.is_swapped() { (hit.v, hit.u) } else { (hit.u, hit.v) };
        Some(triangle.point_at(u, v))
    }

    /// The points of a part of a hit's triangle, as a [closest point](crate::ClosestPoint::feature)
    /// or a [contact](crate::Contact::feature) names it: the ends of an edge, say. They are stored
    /// vertices, bit for bit, and span the part that the found point is on.
    ///
    /// Their order is the caller's, as in the indices or the soup that was baked: an edge leads
    /// from the vertex of its number to the next one, and [`Feature::Face`] gives all three
    /// vertices in that order. Nothing that mirrors changes it, neither the mesh's transform nor
    /// [`apply_transform`](Self::apply_transform); [`triangle`](Self::triangle) then has the second
    /// and the third swapped.
    ///
    /// `None` as in `triangle`, or if there is no edge or vertex of this number.
    ///
    /// ```
    /// use hitscan::geometry::{Feature, FeaturePoints};
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::{Builder, Mesh, Query};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]])
    ///     .with_transform(Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0)));
    /// let (bvh, _) = Builder::new().bake(&[wall])?;
    /// let near = bvh.closest_point([-9.0, 0.0, 0.0], f32::INFINITY, &Query::new()).unwrap();
    /// assert_eq!(near.feature, Feature::Vertex(1));
    /// let corner = bvh.feature_points(&near.hit, near.feature);
    /// assert_eq!(corner, Some(FeaturePoints::Vertex(Vec3::new(-4.0, 0.0, 0.0))));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn feature_points(&self, hit: &Hit, feature: Feature) -> Option<FeaturePoints> {
        let (Triangle { v0, v1, v2 }, mesh) = self.triangle_of(hit)?;
        let [v1, v2] = if mesh.is_swapped() { [v2, v1] } else { [v1, v2] };
        Triangle { v0, v1, v2 }.feature_points(feature)
    }

    /// A ray that leaves a surface: from a hit's [`point`](Self::point) along `dir`, for bounces,
    /// ambient occlusion and shadows. It never meets the triangle of the hit, nor any other in the
    /// same plane.
    ///
    /// Its origin is the point, moved along one axis to the first number beyond the triangle's
    /// plane and 2^-20 of the triangle's size away from it, on the side that `dir` leads to. (If
    /// `dir` runs in the plane, on the side that was hit.) So there is no epsilon to choose: the
    /// origin is as near to the plane as rounding allows, or a millionth of the triangle's size if
    /// that is more. What lies nearer to the triangle than that is not seen. All that is farther is
    /// hit as by any other ray. Close to an edge, rounding can put the origin behind a neighbour
    /// that is in another plane: see
    /// [what to expect](crate::what_to_expect#leaving-a-surface).
    ///
    /// The origin depends on the hit and the side only: cast many rays to one side from one origin,
    /// as the example `floor_plan` does.
    ///
    /// `t` is any from 0 on: shorten the ray with [`with_range`](Ray::with_range). `None` as in
    /// [`triangle`](Self::triangle).
    ///
    /// ```
    /// use hitscan::glam::Vec3;
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let ramp = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [3.0, 0.7, 0.0], [0.0, 0.4, -3.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[ramp])?;
    /// let hit = bvh.closest_hit(&Ray::new([0.7, 9.0, -0.9], [0.0, -1.0, 0.0]), &Query::new());
    /// let hit = hit.expect("the ramp is there");
    ///
    /// // Ambient occlusion: what lies within two units, in these directions?
    /// let directions = [[0.0, 1.0, 0.0], [0.5, 0.8, 0.1], [-0.3, 0.6, 0.7]];
    /// let rays = directions.map(|dir| bvh.ray_from(&hit, dir).unwrap().with_range(0.0, 2.0));
    /// let mut occluded = [true; 3];
    /// bvh.any_hit_batch(&rays, &Query::new(), &mut occluded)?;
    /// assert_eq!(occluded, [false; 3]);
    ///
    /// // Shadow: is a light in sight? `dir` keeps its length, so `t` is 1 at the light.
    /// let light = Vec3::new(2.0, 5.0, 1.0);
    /// let to_light = light - bvh.point(&hit).unwrap();
    /// let shadow = bvh.ray_from(&hit, to_light).unwrap().with_range(0.0, 1.0);
    /// assert!(!bvh.any_hit(&shadow, &Query::new()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn ray_from(&self, hit: &Hit, dir: impl Into<Vec3>) -> Option<Ray> {
        let ray = Ray::new(self.point(hit)?, dir);
        Some(leave(&ray, &self.triangle(hit)?, hit.face == Face::Front))
    }

    /// A point of a triangle as a hit, though no ray found it: a texel of a light map, or a sample
    /// point. [`point`](Self::point), [`normal`](Self::normal) and [`ray_from`](Self::ray_from)
    /// take it as any other, with all that is promised there.
    ///
    /// `u` and `v` are the weights of the triangle's second and third vertex, in the caller's
    /// order, as in hits. They are 0 to 1 together; with others the point is beside the triangle,
    /// in its plane. `t` is 0 and [`face`](Hit::face) is the front: set it to the back for rays
    /// that run in the plane and shall leave there. `None` if there is no such triangle, or the
    /// bake skipped it.
    ///
    /// The first call takes the time that [`mesh_triangle`](Self::mesh_triangle) says; from then on
    /// it is a binary search.
    ///
    /// ```
    /// use hitscan::{Builder, Mesh, Query};
    ///
    /// let ramp = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [3.0, 0.7, 0.0], [0.0, 0.4, -3.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[ramp])?;
    /// let texel = bvh.hit_at(0, 0, 0.3, 0.2).expect("the ramp is there");
    /// assert!(bvh.point(&texel).unwrap().distance([0.9, 0.29, -0.6].into()) < 1e-6);
    /// let up = bvh.ray_from(&texel, [0.1, 1.0, -0.2]).unwrap();
    /// assert!(!bvh.any_hit(&up, &Query::new()));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[cfg(feature = "visibility")]
    #[must_use]
    pub fn hit_at(&self, mesh: u32, triangle: u32, u: f32, v: f32) -> Option<Hit> {
        let slot = self.slot(self.triangle_id(mesh, triangle)?)?;
        let user_id = self.view().meshes.get(mesh as usize)?.user_id;
        let material = self.triangle_material(mesh, triangle);
        Some(Hit {
            t: 0.0,
            u,
            v,
            face: Face::Front,
            has_material: material.is_some(),
            mesh,
            triangle,
            user_id,
            material: material.unwrap_or_default(),
            slot,
            instance: InstanceId::NONE,
        })
    }

    /// The normal of a hit's triangle, of unit length, pointing to the front (see
    /// [`Triangle::unit_normal`]). If [`face`](Hit::face) is the back, its negative points to where
    /// the ray came from. `None` as in [`triangle`](Self::triangle).
    #[must_use]
    pub fn normal(&self, hit: &Hit) -> Option<Vec3> {
        Some(self.triangle(hit)?.unit_normal())
    }

    /// The triangle of a number in a mesh, as [`triangle`](Self::triangle) gives the triangle of a
    /// hit. `None` if there is no such triangle, or the bake skipped it.
    ///
    /// The first call for a tree, or for any of its clones, sorts the triangles in a table of 8
    /// bytes for each; from then on it is a binary search.
    ///
    /// ```
    /// use hitscan::{Builder, Mesh};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[wall])?;
    /// assert_eq!(bvh.mesh_triangle(0, 0).unwrap().v1.x, 4.0);
    /// assert_eq!(bvh.mesh_triangle(0, 1), None);
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn mesh_triangle(&self, mesh: u32, triangle: u32) -> Option<Triangle> {
        let slot = self.slot(self.triangle_id(mesh, triangle)?)?;
        Some(self.stored(slot)?.1)
    }

    /// The material of a triangle by its number in a mesh, as [hits](Hit::material) have it; `None`
    /// if there is no such triangle, or its mesh has no materials.
    #[must_use]
    pub fn triangle_material(&self, mesh: u32, triangle: u32) -> Option<u32> {
        let id = self.triangle_id(mesh, triangle)?;
        let view = self.view();
        let has_materials = view.meshes[mesh as usize].flags & MeshRecord::MATERIALS != 0;
        has_materials.then(|| view.materials.get(id as usize).copied()).flatten()
    }

    /// All triangles of the tree, each once, in order of mesh and triangle. Those that the bake
    /// skipped are missing. The first call takes the time that
    /// [`mesh_triangle`](Self::mesh_triangle) says.
    ///
    /// ```
    /// use hitscan::{Builder, Mesh};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[wall.clone(), wall])?;
    /// assert!(bvh.triangles().map(|t| (t.mesh, t.triangle)).eq([(0, 0), (1, 0)]));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    pub fn triangles(&self) -> impl Iterator<Item = MeshTriangle> + '_ {
        (0..self.mesh_count()).flat_map(|mesh| self.mesh_triangles(mesh))
    }

    /// The triangles of one mesh, as [`triangles`](Self::triangles) gives the triangles of all
    /// meshes: none if there is no such mesh. Each takes constant time, after a binary search for
    /// the first.
    ///
    /// ```
    /// use hitscan::{Builder, Mesh};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[wall.clone(), wall])?;
    /// let area: f32 = bvh.mesh_triangles(1).map(|found| found.vertices.area()).sum();
    /// assert_eq!(area, 8.0);
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    pub fn mesh_triangles(&self, mesh: u32) -> impl Iterator<Item = MeshTriangle> + '_ {
        let record = self.view().meshes.get(mesh as usize).copied();
        let ids = record.map_or(0..0, |record| {
            record.first_triangle..record.first_triangle.saturating_add(record.triangle_count)
        });
        let slots = self.slots();
        let at = |id: u32| slots.partition_point(|slot| slot.key() < id);
        let (first, last) = (at(ids.start), at(ids.end));
        slots[first..last].iter().filter_map(move |slot| {
            let triangle = slot.key() - ids.start;
            Some(MeshTriangle { mesh, triangle, vertices: self.stored(slot.number())?.1 })
        })
    }

    /// The box of one mesh's triangles, as tight as it can be: each side has a vertex on it.
    /// [`Aabb::EMPTY`] if the bake has skipped all of its triangles; `None` if there is no such
    /// mesh.
    ///
    /// The first call for a tree, or after its triangles have moved, takes O(n log m) for n
    /// triangles of m meshes, and 24 bytes for each mesh. From then on it takes constant time.
    ///
    /// ```
    /// use hitscan::{Aabb, Builder, Mesh};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[wall])?;
    /// let bounds = Aabb::from_min_max([0.0, 0.0, 1.0], [4.0, 4.0, 1.0]);
    /// assert_eq!((bvh.mesh_bounds(0), bvh.mesh_bounds(1)), (Some(bounds), None));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn mesh_bounds(&self, mesh: u32) -> Option<Aabb> {
        self.all_mesh_bounds().get(mesh as usize).copied()
    }

    /// The number among all triangles of one in a mesh.
    fn triangle_id(&self, mesh: u32, triangle: u32) -> Option<u32> {
        let mesh = self.view().meshes.get(mesh as usize)?;
        (triangle < mesh.triangle_count).then(|| mesh.first_triangle + triangle)
    }

    /// The id and the vertices in a lane of a leaf block.
    pub(super) fn stored(&self, slot: u32) -> Option<(u32, Triangle)> {
        let block = self.view().blocks.get(slot as usize / LANES)?;
        let lane = slot as usize % LANES;
        let [v0, v1, v2] = block.corners(lane).map(Vec3::from_array);
        Some((block.id[lane], Triangle { v0, v1, v2 }))
    }

    /// The triangle of a hit, and its mesh.
    fn triangle_of(&self, hit: &Hit) -> Option<(Triangle, &MeshRecord)> {
        let id = self.triangle_id(hit.mesh, hit.triangle)?;
        let mesh = self.view().meshes.get(hit.mesh as usize)?;
        match self.stored(hit.slot) {
            Some((found, triangle)) if found == id => Some((triangle, mesh)),
            // The hit is from elsewhere: from serde, or another tree.
            _ => Some((self.stored(self.slot(id)?)?.1, mesh)),
        }
    }
}
