//! A scene as it was at a commit.

use std::fmt;
use std::sync::{Arc, OnceLock};

use glam::{Affine3A, Vec3};

use super::closed::ClosedTrees;
use super::instance_tree::{ShownLevel, ShownLevels};
use crate::bvh::{Bvh, placed_bounds};
use crate::geometry::{
    Aabb, Face, Feature, FeaturePoints, Ray, SurfacePoint, Triangle, Volume, leave_as_seen,
};
use crate::traverse::{
    Hit, InstanceId, PlacedInstance, SceneQuery, TopLevels, VolumesInScene, volume_bounds,
};

/// A scene as it was at a commit: all questions are asked of one.
///
/// It never changes, and answers from any number of threads at once, while its scene is changed
/// and committed. It is a handle: a clone costs one reference count. Snapshots share what has not
/// changed between them. So keep as many as you like: [`rewind`](crate::scene#rewind) shows how
/// to ask what was where some time ago.
#[derive(Clone)]
pub struct Snapshot(pub(super) Arc<Frame>);

/// What a snapshot shows.
pub(super) struct Frame {
    /// Instances with trees.
    pub(super) of_trees: ShownLevels,
    /// Instances with volumes.
    pub(super) of_volumes: ShownLevels,
    pub(super) trees: Arc<Vec<Bvh>>,
    /// Made when it is first asked for.
    pub(super) closed: OnceLock<ClosedTrees>,
    pub(super) commit: u64,
}

impl Snapshot {
    /// How many instances there are, disabled ones not counted, nor those without triangles or
    /// with empty volumes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.levels().map(ShownLevel::len).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of commits before it, and itself.
    #[must_use]
    pub fn commit_number(&self) -> u64 {
        self.0.commit
    }

    /// The box of all instances.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let mut bounds = self.0.of_trees.bounds(&self.0.trees);
        bounds.extend_box(&self.0.of_volumes.bounds(&self.0.trees));
        bounds
    }

    /// The box of an instance in the world, which questions compare with: of its volume, or of its
    /// tree. That one holds all triangles [in the world](crate::scene#points-and-shapes). It is not
    /// as tight as can be: it is made of the moved boxes of the root's children, of which there are
    /// up to sixteen, and rounded outwards. If nothing is turned or sheared, no side is farther out
    /// than by some roundings.
    ///
    /// `None` if the instance is not shown here. Takes logarithmic time, however large the tree is.
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Aabb, Builder, Mesh};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]]);
    /// let (wall, _report) = Builder::new().bake(&[wall])?;
    /// let mut scene = Scene::new();
    /// let at = Affine3A::from_translation(Vec3::Z);
    /// let wall = scene.insert(Instance::new(wall).with_transform(at))?;
    /// let bounds = scene.commit().instance_bounds(wall).expect("it is shown");
    /// let tight = Aabb::from_min_max([0.0, 0.0, 2.0], [4.0, 4.0, 2.0]);
    /// assert!(bounds.contains_box(&tight) && tight.expanded([1e-5; 3]).contains_box(&bounds));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn instance_bounds(&self, instance: InstanceId) -> Option<Aabb> {
        if let Some(volume) = self.world_volume(instance) {
            return Some(volume_bounds(&volume));
        }
        let placed = self.placed_tree(instance)?;
        Some(placed_bounds(self.tree_of(placed)?.view(), &placed.transform))
    }

    /// The tree of an instance; `None` if it is not shown here, or a volume stands there.
    #[must_use]
    pub fn bvh(&self, instance: InstanceId) -> Option<&Bvh> {
        self.tree_of(self.placed_tree(instance)?)
    }

    /// The volume of an instance [in the world](crate::scene#volumes); `None` if it is not shown
    /// here, or a tree stands there.
    #[must_use]
    pub fn world_volume(&self, instance: InstanceId) -> Option<Volume> {
        self.0.of_volumes.iter().find_map(|level| level.volume(instance))
    }

    /// Where an instance is; `None` if it is not shown here.
    #[must_use]
    pub fn transform(&self, instance: InstanceId) -> Option<Affine3A> {
        Some(self.placed(instance)?.transform.transform())
    }

    /// The caller's number of an instance; `None` if it is not shown here.
    #[must_use]
    pub fn user_id(&self, instance: InstanceId) -> Option<u64> {
        Some(self.placed(instance)?.user_id)
    }

    /// The name of an instance, empty if it has none; `None` if it is not shown here. Takes
    /// logarithmic time, as all that is asked of one instance.
    #[must_use]
    pub fn name(&self, instance: InstanceId) -> Option<&str> {
        self.levels().find_map(|level| level.name(instance))
    }

    /// A ray in the coordinates of an instance, as questions ask its tree: computed in
    /// `f64`, each number rounded once. `t` keeps its meaning. `None` if the instance is not shown
    /// here.
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Mesh, Ray};
    ///
    /// let mesh = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[mesh])?;
    /// let at = Affine3A::from_scale_rotation_translation(
    ///     Vec3::splat(2.0), Default::default(), Vec3::new(0.0, 0.0, 8.0));
    /// let mut scene = Scene::new();
    /// let instance = scene.insert(Instance::new(bvh).with_transform(at))?;
    /// let ray = Ray::new([2.0, 4.0, 0.0], [0.0, 0.0, 1.0]);
    /// let local = scene.commit().local_ray(instance, &ray).unwrap();
    /// assert_eq!(local, Ray::new([1.0, 2.0, -4.0], [0.0, 0.0, 0.5]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn local_ray(&self, instance: InstanceId, ray: &Ray) -> Option<Ray> {
        Some(self.placed(instance)?.transform.ray_to_local(ray))
    }

    /// The point of a hit in the world: the point of [`Bvh::point`], moved by the instance's
    /// transform and rounded once more. Of a volume, the point of its surface: where a ray enters
    /// it or a shape touches it, or the nearest, seen from inside. `None` if the hit is none of
    /// this snapshot.
    #[must_use]
    pub fn point(&self, hit: &Hit) -> Option<Vec3> {
        if hit.is_volume() {
            return Some(self.surface_point(hit)?.point());
        }
        let placed = self.placed_tree(hit.instance)?;
        let point = self.tree_of(placed)?.point(hit)?;
        Some(placed.transform.point_to_world(point))
    }

    /// The normal of a hit in the world, of unit length, pointing to the front: the normal of
    /// [`Bvh::normal`], moved by the inverse transposed, so that it is right under any transform.
    /// Of a volume, the normal of its surface at the [`point`](Self::point), outwards. `None` if
    /// the hit is none of this snapshot.
    #[must_use]
    pub fn normal(&self, hit: &Hit) -> Option<Vec3> {
        if hit.is_volume() {
            return Some(self.surface_point(hit)?.normal());
        }
        let placed = self.placed_tree(hit.instance)?;
        let normal = self.tree_of(placed)?.normal(hit)?;
        Some(placed.transform.normal_to_world(normal))
    }

    /// A ray that leaves a surface, as [`Bvh::ray_from`] gives it for a tree: from a hit's
    /// [`point`](Self::point) along `dir`. It never meets the triangle of the hit, nor any other of
    /// the same instance in the same plane, wherever the instance stands and however it is scaled.
    ///
    /// The origin is moved in the tree's coordinates, until the [local ray](Self::local_ray) starts
    /// beyond the triangle's plane: by a millionth of the triangle's size, or, where that is less,
    /// by as much as `f32` has to round in the world. `t` is any from 0 on: shorten the ray with
    /// [`with_range`](Ray::with_range). `None` if the hit is none of this snapshot.
    ///
    /// From a volume, outwards, it does not meet the volume: it starts a millionth of the largest
    /// coordinate of the volume away, or farther if it has to. Inwards it starts inside.
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let roof = Mesh::from_soup(vec![[0.0, 0.3, 0.0], [0.0, 0.0, 9.0], [9.0, 0.1, 0.0]]);
    /// let (roof, _report) = Builder::new().bake(&[roof])?;
    /// let mut scene = Scene::new();
    /// let far_and_small = Affine3A::from_scale_rotation_translation(
    ///     Vec3::splat(0.1), Default::default(), Vec3::new(7_000.0, 50.0, -3_000.0));
    /// scene.insert(Instance::new(roof).with_transform(far_and_small))?;
    /// let now = scene.commit();
    ///
    /// let rain = Ray::new([7_000.2, 90.0, -2_999.8], [0.0, -1.0, 0.0]);
    /// let hit = now.closest_hit(&rain, &Query::new()).expect("the roof is there");
    /// let splash = now.ray_from(&hit, [0.3, 1.0, 0.1]).unwrap();
    /// assert_eq!(now.closest_hit(&splash, &Query::new()), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn ray_from(&self, hit: &Hit, dir: impl Into<Vec3>) -> Option<Ray> {
        if let Some(place) = hit.surface_place() {
            return self.world_volume(hit.instance)?.ray_from(&place, dir.into());
        }
        let placed = self.placed_tree(hit.instance)?;
        let (bvh, transform, dir) = (self.tree_of(placed)?, &placed.transform, dir.into());
        let local = transform.ray_to_local(&Ray::new(Vec3::ZERO, dir));
        let local = Ray::new(bvh.point(hit)?, local.dir);
        let in_world = |local: &Ray| Ray::new(transform.point_to_world(local.origin), dir);
        let seen = |local: &Ray| transform.ray_to_local(&in_world(local));
        let front = hit.face == Face::Front;
        Some(in_world(&leave_as_seen(&local, &bvh.triangle(hit)?, front, &seen)))
    }

    /// A point of a triangle of an instance as a hit, as [`Bvh::hit_at`] gives it for a tree.
    /// `None` if the instance is not shown here, or its tree has no such triangle.
    #[cfg(feature = "visibility")]
    #[must_use]
    pub fn hit_at(
        &self,
        instance: InstanceId,
        mesh: u32,
        triangle: u32,
        u: f32,
        v: f32,
    ) -> Option<Hit> {
        Some(Hit { instance, ..self.bvh(instance)?.hit_at(mesh, triangle, u, v)? })
    }

    /// The triangle of a hit [in the world](crate::scene#points-and-shapes), counter-clockwise as
    /// seen from the front: the triangle of [`Bvh::triangle`], moved; if the instance is mirrored,
    /// with its second and third corner swapped once more. `None` if the hit is none of this
    /// snapshot, or of a volume.
    #[must_use]
    pub fn triangle(&self, hit: &Hit) -> Option<Triangle> {
        self.triangle_to_world(hit.instance, &self.bvh(hit.instance)?.triangle(hit)?)
    }

    /// A triangle of an instance's tree, in the world.
    pub(crate) fn triangle_to_world(
        &self,
        instance: InstanceId,
        triangle: &Triangle,
    ) -> Option<Triangle> {
        let transform = &self.placed_tree(instance)?.transform;
        let Triangle { v0, v1, v2 } = *triangle;
        let [a, b, c] = [v0, v1, v2].map(|corner| transform.point_to_world(corner));
        Some(match transform.is_mirroring() {
            true => Triangle::new(a, c, b),
            false => Triangle::new(a, b, c),
        })
    }

    /// The points [in the world](crate::scene#points-and-shapes) of a part of a hit's triangle: the
    /// points of [`Bvh::feature_points`], moved, in the caller's order of vertices, whatever
    /// mirrors. `None` if the hit is none of this snapshot, or of a volume, or there is no edge or
    /// vertex of this number.
    ///
    /// ```
    /// use hitscan::geometry::FeaturePoints;
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Capsule, Mesh, Query};
    ///
    /// let step = Mesh::from_soup(vec![[0.0, 1.0, 0.0], [0.0, 1.0, 4.0], [4.0, 1.0, 0.0]]);
    /// let (step, _report) = Builder::new().bake(&[step])?;
    /// let mut scene = Scene::new();
    /// let mirror = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    /// scene.insert(Instance::new(step).with_transform(mirror))?;
    /// let now = scene.commit();
    ///
    /// // The edge of a step, which stops a character.
    /// let body = Capsule::new([3.0, 1.0, 1.0], [3.0, 2.0, 1.0], 0.5);
    /// let contact = now.first_contact(body, [-4.0, 0.0, 0.0], &Query::new()).unwrap();
    /// let edge = now.feature_points(&contact.hit, contact.feature);
    /// let ends = [Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 1.0, 4.0)];
    /// assert_eq!(edge, Some(FeaturePoints::Edge(ends)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn feature_points(&self, hit: &Hit, feature: Feature) -> Option<FeaturePoints> {
        let placed = self.placed_tree(hit.instance)?;
        let points = self.tree_of(placed)?.feature_points(hit, feature)?;
        Some(points.map(|point| placed.transform.point_to_world(point)))
    }

    /// The name of the mesh of a hit, as [`Bvh::mesh_name`]; of a volume, the name of its instance.
    /// `None` if the hit is none of this snapshot, or there is no name.
    #[must_use]
    pub fn mesh_name(&self, hit: &Hit) -> Option<&str> {
        if hit.is_volume() {
            self.world_volume(hit.instance)?;
            return self.name(hit.instance).filter(|name| !name.is_empty());
        }
        self.bvh(hit.instance)?.mesh_name(hit.mesh)
    }

    /// The name of the material of a hit, as [`Bvh::material_name`]. `None` if the hit is none of
    /// this snapshot, or there is no material or it has no name.
    #[must_use]
    pub fn material_name(&self, hit: &Hit) -> Option<&str> {
        self.bvh(hit.instance)?.material_name(hit.material()?)
    }

    /// All instances that are shown, in the order of their handles.
    pub fn instances(&self) -> impl ExactSizeIterator<Item = InstanceId> + use<> {
        let shown = self.levels().flat_map(ShownLevel::instances);
        let mut ids: Vec<_> = shown.map(|(_, instance)| instance.id).collect();
        ids.sort_unstable();
        ids.into_iter()
    }

    /// What kernels see of the instances with trees.
    pub(crate) fn tops(&self) -> TopLevels<'_> {
        self.0.of_trees.view(&self.0.trees)
    }

    /// Asks a question about the instances with volumes.
    pub(super) fn volumes<R>(
        &self,
        query: SceneQuery<'_>,
        ask: impl FnOnce(&VolumesInScene<'_>) -> R,
    ) -> R {
        let tops = &self.0.of_volumes.view(&[]);
        ask(&VolumesInScene { tops, query })
    }

    /// The layers of an instance; `None` if it is not shown here.
    #[cfg(feature = "stats")]
    pub(crate) fn instance_mask(&self, instance: InstanceId) -> Option<u32> {
        Some(self.placed(instance)?.mask)
    }

    /// The normals of faces of a volume that are as near to a point as `reach`; none of a tree.
    pub(crate) fn volume_normals(
        &self,
        instance: InstanceId,
        point: Vec3,
        reach: f32,
    ) -> impl Iterator<Item = Vec3> {
        let volume = self.world_volume(instance);
        volume.into_iter().flat_map(move |volume| volume.normals_near(point, reach))
    }

    /// The point and the normal of a hit of a volume.
    fn surface_point(&self, hit: &Hit) -> Option<SurfacePoint> {
        self.world_volume(hit.instance)?.surface_point(&hit.surface_place()?)
    }

    fn levels(&self) -> impl Iterator<Item = &ShownLevel> {
        self.0.of_trees.iter().chain(self.0.of_volumes.iter())
    }

    pub(super) fn placed(&self, instance: InstanceId) -> Option<&PlacedInstance> {
        self.levels().find_map(|level| level.get(instance))
    }

    fn placed_tree(&self, instance: InstanceId) -> Option<&PlacedInstance> {
        self.0.of_trees.iter().find_map(|level| level.get(instance))
    }

    fn tree_of(&self, placed: &PlacedInstance) -> Option<&Bvh> {
        self.0.trees.get(placed.tree as usize)
    }
}

/// The numbers of instances and trees: the instances themselves would be megabytes of text.
impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("commit", &self.commit_number())
            .field("instances", &self.len())
            .field("trees", &self.0.trees.len())
            .field("bounds", &self.bounds())
            .finish_non_exhaustive()
    }
}
