//! A hit.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::instance_id::InstanceId;
use crate::geometry::{Face, SurfacePlace};

/// Where a ray hits a level or a scene, in the caller's own numbers.
///
/// The tree gives more: [`Bvh::triangle`](crate::Bvh::triangle),
/// [`Bvh::point`](crate::Bvh::point), [`Bvh::normal`](crate::Bvh::normal),
/// [`Bvh::mesh_name`](crate::Bvh::mesh_name), [`Bvh::material_name`](crate::Bvh::material_name).
/// Of a hit in a scene, [`Snapshot`](crate::Snapshot) gives the same, in the world.
///
/// **A volume** is told of as a hit too, if [`Query::targets`](crate::Query::targets) asks for
/// volumes. Then [`is_volume`](Self::is_volume) is true: `instance` is its instance, `mesh` is
/// `u32::MAX`, `user_id` is the number of the instance, and there is no material. `triangle`, `u`
/// and `v` say where on its surface it is hit, or seen from inside, which place is nearest:
/// [`Snapshot::point`](crate::Snapshot::point) and [`Snapshot::normal`](crate::Snapshot::normal)
/// read them. `face` is the front if it is seen from outside, and the back from inside.
///
/// Two hits are equal if all of their public fields are. The same ray gives equal hits in all trees
/// that were baked from the same meshes, whatever their [quality](crate::Quality).
// In this order, because many are written as vectors, and without gaps: a picture's hits are
// megabytes. So what makes an option of the material is beside the face.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(into = "PlainHit", from = "PlainHit")]
#[non_exhaustive]
#[repr(C)]
pub struct Hit {
    /// Distance in units of the ray's direction: the exact value, rounded once.
    pub t: f32,
    /// Barycentric weight of the triangle's second vertex, in the caller's order: 0 to 1.
    pub u: f32,
    /// Barycentric weight of the triangle's third vertex, in the caller's order: 0 to 1.
    pub v: f32,
    /// The side that the ray hits.
    pub face: Face,
    pub(crate) has_material: bool,
    /// The mesh, as numbered in the bake.
    pub mesh: u32,
    /// The triangle, as numbered in its mesh (skipped ones counted).
    pub triangle: u32,
    /// The mesh's user id.
    pub user_id: u64,
    /// Meaningless without `has_material`.
    pub(crate) material: u32,
    /// Where the tree keeps the triangle, for a fast way back to it. Not a part of the answer:
    /// comparisons, text and serde ignore it.
    pub(crate) slot: u32,
    /// The instance of a [scene](crate::scene) that is hit: [`InstanceId::NONE`] where a tree is
    /// asked by itself. The other fields are as in the tree of the instance, but `t` is in units of
    /// the ray's direction in the world. The front stays the front, even if it is mirrored.
    pub instance: InstanceId,
}

const _: () = assert!(size_of::<Hit>() == 48 && size_of::<Option<Hit>>() == 48);

impl PartialEq for Hit {
    fn eq(&self, other: &Self) -> bool {
        let key = |hit: &Self| {
            let place = (hit.t, hit.u, hit.v, hit.face);
            let number = (hit.instance, hit.mesh, hit.triangle);
            (place, number, hit.user_id, hit.material())
        };
        key(self) == key(other)
    }
}

impl fmt::Debug for Hit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlainHit { t, u, v, face, mesh, triangle, user_id, material, instance } =
            &PlainHit::from(*self);
        f.debug_struct("Hit")
            .field("t", t)
            .field("u", u)
            .field("v", v)
            .field("face", face)
            .field("mesh", mesh)
            .field("triangle", triangle)
            .field("user_id", user_id)
            .field("material", material)
            .field("instance", instance)
            .finish()
    }
}

impl Hit {
    /// The triangle's material number, if its mesh has `materials`.
    #[must_use]
    pub fn material(&self) -> Option<u32> {
        self.has_material.then_some(self.material)
    }

    /// Whether a [volume](crate::scene#volumes) is hit, and no triangle.
    ///
    /// ```
    /// use hitscan::glam::Vec3;
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Query, Ray, Sphere, Targets};
    ///
    /// let mut scene = Scene::new();
    /// scene.insert(Instance::new(Sphere::new([0.0, 0.0, 9.0], 2.0)).with_user_id(7))?;
    /// let now = scene.commit();
    /// let query = Query::new().targets(Targets::Both);
    /// let hit = now.closest_hit(&Ray::new([0.0; 3], [0.0, 0.0, 1.0]), &query).expect("ahead");
    /// assert!(hit.is_volume());
    /// assert_eq!((hit.t, hit.user_id), (7.0, 7));
    /// assert_eq!(now.point(&hit), Some(7.0 * Vec3::Z));
    /// assert_eq!((now.normal(&hit), now.triangle(&hit)), (Some(Vec3::NEG_Z), None));
    /// # Ok::<(), hitscan::SceneError>(())
    /// ```
    #[must_use]
    pub fn is_volume(&self) -> bool {
        self.mesh == u32::MAX
    }

    /// The hit of a volume of an instance, with the user id of that.
    pub(crate) fn of_volume(
        (instance, user_id): (InstanceId, u64),
        (t, face): (f32, Face),
        SurfacePlace { part, weights: [u, v] }: SurfacePlace,
    ) -> Self {
        let (has_material, material) = (false, 0);
        let (mesh, triangle, slot) = (u32::MAX, part, u32::MAX);
        Self { t, u, v, face, has_material, mesh, triangle, user_id, material, slot, instance }
    }

    /// Where on the surface of a volume it is.
    pub(crate) fn surface_place(&self) -> Option<SurfacePlace> {
        let place = SurfacePlace { part: self.triangle, weights: [self.u, self.v] };
        self.is_volume().then_some(place)
    }

    /// Different for each triangle of each instance, and for each volume. Of equally near ones the
    /// lowest comes first.
    pub(crate) fn key(&self) -> (InstanceId, u32, u32) {
        let triangle = if self.is_volume() { 0 } else { self.triangle };
        (self.instance, self.mesh, triangle)
    }
}

/// Puts the hits of a walk in order of `t`, then of their keys, and those that were found twice
/// into one: a triangle that a spatial split cut is in several leaves.
pub(crate) fn sort_hits(hits: &mut Vec<Hit>) {
    hits.sort_unstable_by(|a, b| {
        // No hit has a NaN; minus zero is zero.
        let by_t = a.t.partial_cmp(&b.t).unwrap_or(std::cmp::Ordering::Equal);
        by_t.then_with(|| (a.key(), a.slot).cmp(&(b.key(), b.slot)))
    });
    hits.dedup_by_key(|hit| hit.key());
}

/// A hit as text and serde show it.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Hit")]
struct PlainHit {
    t: f32,
    u: f32,
    v: f32,
    face: Face,
    mesh: u32,
    triangle: u32,
    user_id: u64,
    material: Option<u32>,
    instance: InstanceId,
}

impl From<Hit> for PlainHit {
    fn from(hit: Hit) -> Self {
        let Hit { t, u, v, face, mesh, triangle, user_id, instance, .. } = hit;
        Self { t, u, v, face, mesh, triangle, user_id, material: hit.material(), instance }
    }
}

impl From<PlainHit> for Hit {
    fn from(plain: PlainHit) -> Self {
        let PlainHit { t, u, v, face, mesh, triangle, user_id, material, instance } = plain;
        let (has_material, material) = (material.is_some(), material.unwrap_or_default());
        let slot = u32::MAX;
        Self { t, u, v, face, has_material, mesh, triangle, user_id, material, slot, instance }
    }
}
