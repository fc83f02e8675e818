//! Instances: trees and volumes that are put into a scene.

use glam::Affine3A;

use super::body::Body;

/// A tree or a volume to be placed in a scene: which, where, in which layers, and the caller's
/// number and name for it.
///
/// A tree is shared, not copied: place one as often as you like.
///
/// ```
/// use hitscan::glam::{Affine3A, Vec3};
/// use hitscan::scene::{Instance, Scene};
/// use hitscan::{Builder, Mesh};
///
/// let crate_top = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
/// let (bvh, _report) = Builder::new().bake(&[crate_top])?;
/// let mut scene = Scene::new();
/// for i in 0..3 {
///     let at = Affine3A::from_translation(Vec3::new(2.0 * i as f32, 1.0, 0.0));
///     scene.insert(Instance::new(bvh.clone()).with_transform(at).with_user_id(i))?;
/// }
/// assert_eq!(scene.commit().len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Instance {
    /// What stands there.
    pub body: Body,
    /// From the body's coordinates to the world's. It may mirror, shear, and scale each axis
    /// differently. Default: none.
    pub transform: Affine3A,
    /// Layers: a query sees the instances whose layers have a bit in common with its mask, and in
    /// them the meshes of which that is true as well. Default: all bits set.
    pub mask: u32,
    /// The caller's number. Default: 0.
    pub user_id: u64,
    /// The caller's name. Several may have the same. Default: empty, which takes no memory.
    pub name: String,
}

impl Instance {
    /// A tree where it was baked, or a volume where its numbers say, in all layers.
    #[must_use]
    pub fn new(body: impl Into<Body>) -> Self {
        let (body, transform, name) = (body.into(), Affine3A::IDENTITY, String::new());
        Self { body, transform, mask: u32::MAX, user_id: 0, name }
    }

    /// The same at another place.
    #[must_use]
    pub fn with_transform(self, transform: Affine3A) -> Self {
        Self { transform, ..self }
    }

    /// The same in other layers.
    #[must_use]
    pub fn with_mask(self, mask: u32) -> Self {
        Self { mask, ..self }
    }

    /// The same with a number of the caller's.
    #[must_use]
    pub fn with_user_id(self, user_id: u64) -> Self {
        Self { user_id, ..self }
    }

    /// The same with a name, to [find](crate::Scene::find) it by.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }
}
