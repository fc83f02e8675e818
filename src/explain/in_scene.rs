//! Why a ray does not hit a triangle of a scene.

use super::why_not::{MeshWhyNot, WhyNot};
use crate::geometry::Ray;
use crate::scene::Snapshot;
use crate::traverse::{InstanceId, Query, QueryFilter};

impl Snapshot {
    /// Why the nearest hit of a ray is not on this triangle of this instance: as
    /// [`Bvh::why_not`](crate::Bvh::why_not). The triangle is tested in the coordinates of the
    /// instance's tree, as in every query of a ray; what is nearer may be of any instance.
    ///
    /// ```
    /// use hitscan::explain::WhyNot;
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let door = Mesh::from_soup(vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 3.0, 0.0]]);
    /// let (door, _report) = Builder::new().bake(&[door])?;
    /// let mut scene = Scene::new();
    /// let at = |z: f32| Affine3A::from_translation(Vec3::new(0.0, 0.0, z));
    /// let far = scene.insert(Instance::new(door.clone()).with_transform(at(9.0)))?;
    /// let near = scene.insert(Instance::new(door).with_transform(at(2.0)))?;
    /// let now = scene.commit();
    /// let ray = Ray::new([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    /// let query = Query::new();
    /// let WhyNot::Nearer { t, by } = now.why_not(&ray, &query, far, 0, 0) else { panic!() };
    /// assert_eq!((t, by.t, by.instance), (9.0, 2.0, near));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn why_not(
        &self,
        ray: &Ray,
        query: &Query<'_>,
        instance: InstanceId,
        mesh: u32,
        triangle: u32,
    ) -> WhyNot {
        let Some((bvh, local)) = self.bvh(instance).zip(self.local_ray(instance, ray)) else {
            return WhyNot::NoInstance;
        };
        if let Some(reason) = self.refuses(query, instance) {
            return reason;
        }
        let query = &query.with_triangles();
        let filter = QueryFilter::in_instance(bvh.view(), query, (instance, 0), None);
        bvh.why_not_in(&filter, &local, mesh, triangle, &|| self.closest_hit(ray, query))
    }

    /// Why the nearest hit of a ray is on no triangle of this mesh of this instance: as
    /// [`Bvh::why_not_mesh`](crate::Bvh::why_not_mesh).
    #[must_use]
    pub fn why_not_mesh(
        &self,
        ray: &Ray,
        query: &Query<'_>,
        instance: InstanceId,
        mesh: u32,
    ) -> MeshWhyNot {
        let whole = |reason| MeshWhyNot { triangle: None, reason };
        let Some((bvh, local)) = self.bvh(instance).zip(self.local_ray(instance, ray)) else {
            return whole(WhyNot::NoInstance);
        };
        if let Some(reason) = self.refuses(query, instance) {
            return whole(reason);
        }
        let query = &query.with_triangles();
        let filter = QueryFilter::in_instance(bvh.view(), query, (instance, 0), None);
        bvh.why_not_mesh_in(&filter, &local, mesh, &|| self.closest_hit(ray, query))
    }

    /// The reason, if the query does not see the instance.
    fn refuses(&self, query: &Query<'_>, instance: InstanceId) -> Option<WhyNot> {
        let mask = self.instance_mask(instance)?;
        (mask & query.mask == 0).then_some(WhyNot::InstanceMask { mask })
    }
}
