//! How an instance has moved between two commits.

use glam::{Affine3A, Vec3};

use super::snapshot::Snapshot;
use crate::traverse::InstanceId;

impl Snapshot {
    /// How an instance has moved since an earlier snapshot: the map from where a point of it was in
    /// the world to where it is, its transform now times the inverse of the one before. `None` if
    /// it is not shown in both.
    ///
    /// Each number is computed in `f64` and rounded once. Far from the origin the translation of a
    /// map that turns is large, and so is its rounding: [`carried`](Self::carried) moves a point
    /// without it.
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Mat3, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Mesh};
    ///
    /// let plate = Mesh::from_soup(vec![[-4.0, 0.0, -4.0], [0.0, 0.0, 4.0], [4.0, 0.0, -4.0]]);
    /// let (plate, _report) = Builder::new().bake(&[plate])?;
    /// let mut scene = Scene::new();
    /// let wheel = scene.insert(Instance::new(plate))?;
    /// let before = scene.commit();
    /// // A quarter turn around a pole at x = 8.
    /// let quarter = Mat3::from_cols(Vec3::NEG_Z, Vec3::Y, Vec3::X);
    /// let turn = Affine3A::from_mat3_translation(quarter, Vec3::new(8.0, 0.0, 8.0));
    /// scene.set_transform(wheel, turn)?;
    /// let now = scene.commit();
    ///
    /// assert_eq!(now.motion_since(&before, wheel), Some(turn));
    /// let end = now.carried(&before, wheel, [1.0, 0.5, 0.0]);
    /// assert_eq!(end, Some(Vec3::new(8.0, 0.5, 7.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn motion_since(&self, before: &Self, instance: InstanceId) -> Option<Affine3A> {
        let [to, from] = [self.placed(instance)?, before.placed(instance)?];
        Some(to.transform.motion_since(&from.transform))
    }

    /// Where a point of the world has gone that moved along with an instance since an earlier
    /// snapshot: what stands on a platform. `None` if the instance is not shown in both. Computed
    /// in `f64`, each coordinate rounded once.
    #[must_use]
    pub fn carried(
        &self,
        before: &Self,
        instance: InstanceId,
        point: impl Into<Vec3>,
    ) -> Option<Vec3> {
        let [to, from] = [self.placed(instance)?, before.placed(instance)?];
        Some(to.transform.carried(&from.transform, point.into()))
    }
}
