//! The questions about volumes.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::snapshot::Snapshot;
use crate::geometry::{Ray, Shape};
use crate::traverse::{InstanceId, Layers, VolumeHit, VolumesInScene};

impl Snapshot {
    /// The [volume](crate::scene#volumes) that a ray is in first within `t_min..=t_max`, or `None`:
    /// the one with the least [`enter`](VolumeHit::enter), and of equally near ones
    /// the volume of the lowest handle.
    ///
    /// It sees no triangles. Where both count, ask first for one, then for the other up to there:
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Layers, Mesh, Query, Ray, Sphere};
    ///
    /// let wall = Mesh::from_soup(vec![[9.0, -9.0, -9.0], [9.0, 9.0, -9.0], [9.0, 0.0, 9.0]]);
    /// let (level, _report) = Builder::new().bake(&[wall])?;
    /// let mut scene = Scene::new();
    /// scene.insert(Instance::new(level))?;
    /// let at = |x: f32| Affine3A::from_translation(Vec3::X * x);
    /// let ball = Sphere::new([0.0; 3], 1.0);
    /// let near = scene.insert(Instance::new(ball).with_transform(at(5.0)))?;
    /// let _behind_the_wall = scene.insert(Instance::new(ball).with_transform(at(20.0)))?;
    /// let now = scene.commit();
    ///
    /// let mut cursor = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
    /// if let Some(hit) = now.closest_hit(&cursor, &Query::new()) {
    ///     cursor = cursor.with_range(0.0, hit.t);
    /// }
    /// let picked = now.closest_volume_hit(&cursor, Layers::ALL).expect("the near ball");
    /// assert_eq!((picked.instance, picked.enter), (near, 4.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn closest_volume_hit(&self, ray: &Ray, layers: Layers) -> Option<VolumeHit> {
        VolumesInScene { tops: &self.volumes(), query: &layers.query() }.closest(ray)
    }

    /// Whether a ray is in any [volume](crate::scene#volumes) within `t_min..=t_max`.
    #[must_use]
    pub fn any_volume_hit(&self, ray: &Ray, layers: Layers) -> bool {
        VolumesInScene { tops: &self.volumes(), query: &layers.query() }.any(ray)
    }

    /// Every [volume](crate::scene#volumes) that a ray is in within `t_min..=t_max`, in order of
    /// where it enters, then by handle. The list's old contents are replaced, and its memory is
    /// reused.
    pub fn all_volume_hits(&self, ray: &Ray, layers: Layers, hits: &mut Vec<VolumeHit>) {
        hits.clear();
        VolumesInScene { tops: &self.volumes(), query: &layers.query() }.all(ray, hits);
        hits.sort_unstable_by(|a, b| {
            let order = a.enter.partial_cmp(&b.enter);
            order.unwrap_or(Ordering::Equal).then(a.instance.cmp(&b.instance))
        });
    }

    /// Whether any [volume](crate::scene#volumes) has a point in common with a shape, as
    /// [`Shape::overlaps`] says.
    #[must_use]
    pub fn any_volume_overlap(&self, shape: impl Into<Shape>, layers: Layers) -> bool {
        let mut any = false;
        self.for_each_volume(&shape.into(), layers, |_| {
            any = true;
            ControlFlow::Break(())
        });
        any
    }

    /// Every [volume](crate::scene#volumes) that has a point in common with a shape, as
    /// [`Shape::overlaps`] says, in order of handles: the triggers that a character is in, or what
    /// a rectangle on the screen selects. For a point, ask with a sphere of radius zero. The list's
    /// old contents are replaced, and its memory is reused.
    ///
    /// ```
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Aabb, Capsule, Layers, Sphere};
    ///
    /// let mut scene = Scene::new();
    /// let doorway = Aabb::from_min_max([0.0; 3], [1.0, 2.0, 4.0]);
    /// let doorway = scene.insert(Instance::new(doorway).with_name("doorway"))?;
    /// let fire = scene.insert(Instance::new(Sphere::new([3.0, 0.0, 2.0], 1.5)))?;
    /// let now = scene.commit();
    ///
    /// let player = |x: f32| Capsule::new([x, 0.4, 2.0], [x, 1.4, 2.0], 0.4);
    /// let mut entered = Vec::new();
    /// let mut walk_to = |x: f32| {
    ///     now.all_volume_overlaps(player(x), Layers::ALL, &mut entered);
    ///     entered.clone()
    /// };
    /// assert_eq!(walk_to(-1.0), []);
    /// assert_eq!(walk_to(1.25), [doorway, fire]);
    /// assert_eq!(walk_to(2.0), [fire]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn all_volume_overlaps(
        &self,
        shape: impl Into<Shape>,
        layers: Layers,
        found: &mut Vec<InstanceId>,
    ) {
        found.clear();
        self.for_each_volume(&shape.into(), layers, |instance| {
            found.push(instance);
            ControlFlow::Continue(())
        });
        found.sort_unstable();
    }

    fn for_each_volume(
        &self,
        shape: &Shape,
        layers: Layers,
        found: impl FnMut(InstanceId) -> ControlFlow<()>,
    ) {
        let volumes = VolumesInScene { tops: &self.volumes(), query: &layers.query() };
        volumes.for_each_touching(shape, found);
    }
}
