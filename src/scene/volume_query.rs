//! The part of a ray that is in volumes.

use std::cmp::Ordering;

use super::snapshot::Snapshot;
use crate::geometry::Ray;
use crate::traverse::{Layers, SceneQuery, VolumeHit};

impl Snapshot {
    /// Every [volume](crate::scene#volumes) that a ray is in within `t_min..=t_max`, with where it
    /// enters and where it leaves, in order of where it enters, then by handle. The list's old
    /// contents are replaced, and its memory is reused.
    ///
    /// [`all_hits`](Self::all_hits) with [`Query::targets`](crate::Query::targets) knows filters,
    /// triangles and normals, but not where the ray leaves a volume.
    ///
    /// ```
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Layers, Ray, Sphere};
    ///
    /// let mut scene = Scene::new();
    /// let fog = scene.insert(Instance::new(Sphere::new([0.0, 0.0, 8.0], 3.0)))?;
    /// let mut hits = Vec::new();
    /// let view = Ray::new([0.0; 3], [0.0, 0.0, 1.0]).with_range(0.0, 10.0);
    /// scene.commit().all_volume_hits(&view, Layers::ALL, &mut hits);
    /// assert_eq!((hits[0].instance, hits[0].enter, hits[0].exit), (fog, 5.0, 10.0));
    /// # Ok::<(), hitscan::SceneError>(())
    /// ```
    pub fn all_volume_hits(&self, ray: &Ray, layers: Layers, hits: &mut Vec<VolumeHit>) {
        hits.clear();
        let query = &layers.query();
        self.volumes(SceneQuery::new(query), |volumes| volumes.all_intervals(ray, hits));
        hits.sort_unstable_by(|a, b| {
            let order = a.enter.partial_cmp(&b.enter);
            order.unwrap_or(Ordering::Equal).then(a.instance.cmp(&b.instance))
        });
    }
}
