//! What a query is to find: its options and its filter.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::hit::Hit;
use super::instance_hit::SceneHit;
use crate::simd::InstructionSet;

/// The sides of a triangle that count.
///
/// For a ray it is the side that the ray hits. For a point it is the side of the triangle's plane
/// that the point is on. For a shape it is the side that the middle of the shape is on, at the
/// start if the shape moves; for a frustum, the side that its
/// [`eye`](crate::geometry::Frustum::eye) is on. A point in the plane is in front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Facing {
    /// Both sides.
    #[default]
    Both,
    /// Only triangles whose front the ray hits, or that are seen from the front.
    Front,
    /// Only triangles whose back the ray hits, or that are seen from behind.
    Back,
}

/// What a query looks for. The default sees every triangle from both sides.
///
/// It is a plain value: make it once and use it for any number of rays. A filter, if there is one,
/// is a part of it.
///
/// ```
/// use hitscan::{Builder, Facing, Mesh, Query, Ray};
///
/// let walls = [1.0, 2.0, 3.0].map(|z| {
///     Mesh::from_soup(vec![[0.0, 0.0, z], [4.0, 0.0, z], [0.0, 4.0, z]])
/// });
/// let (bvh, _report) = Builder::new().bake(&walls)?;
/// let ray = Ray::new([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
///
/// assert_eq!(bvh.closest_hit(&ray, &Query::new()).unwrap().mesh, 0);
/// assert_eq!(bvh.closest_hit(&ray, &Query::new().facing(Facing::Front)), None);
/// // All but the first wall.
/// let hit = bvh.closest_hit(&ray, &Query::new().filter(|hit| hit.mesh != 0)).unwrap();
/// assert_eq!((hit.mesh, hit.t), (1, 2.0));
/// # Ok::<(), hitscan::BakeError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Query<F = AcceptAll> {
    pub(crate) options: QueryOptions,
    pub(crate) filter: F,
}

/// The options of a [`Query`].
#[derive(Clone, Copy)]
pub(crate) struct QueryOptions {
    pub(crate) facing: Facing,
    pub(crate) mask: u32,
    pub(crate) isa: InstructionSet,
}

impl Default for Query {
    fn default() -> Self {
        let isa = InstructionSet::detect();
        let options = QueryOptions { facing: Facing::Both, mask: u32::MAX, isa };
        Self { options, filter: AcceptAll }
    }
}

impl Query {
    /// Every triangle from both sides, with the fastest instruction set of this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl<F> Query<F> {
    /// The same query for these sides only. Default: [`Facing::Both`].
    #[must_use]
    pub fn facing(mut self, facing: Facing) -> Self {
        self.options.facing = facing;
        self
    }

    /// The same query for meshes that are in one of these layers: those with
    /// `mesh.mask & mask != 0`. Default: all bits set.
    #[must_use]
    pub fn mask(mut self, mask: u32) -> Self {
        self.options.mask = mask;
        self
    }

    /// The same query with this instruction set. All of them give the same bits, so this is for
    /// tests and measurements. Default: [`InstructionSet::detect`].
    #[must_use]
    pub fn instruction_set(mut self, isa: InstructionSet) -> Self {
        self.options.isa = isa;
        self
    }

    /// The same query for hits that a function accepts, in place of any other filter.
    ///
    /// The function must depend on nothing but the hit: it may be called with any hit within the
    /// ray's interval, any number of times and in any order, and in a batch on several threads at
    /// once. It is called only for hits that could be the answer. Where an option such as
    /// [`mask`](Self::mask) is enough, use that instead: it is faster.
    #[must_use]
    pub fn filter<G: Fn(&Hit) -> bool>(self, accepts: G) -> Query<G> {
        Query { options: self.options, filter: accepts }
    }

    /// As [`filter`](Self::filter), for a function that is also given the ray's index in the batch:
    /// 0 where there is one ray only.
    ///
    /// ```
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let agents = [1.0, 2.0].map(|z| {
    ///     Mesh::from_soup(vec![[0.0, 0.0, z], [4.0, 0.0, z], [0.0, 4.0, z]])
    /// });
    /// let (bvh, _report) = Builder::new().bake(&agents)?;
    /// // Ray number `i` is cast by agent number `i`, who does not see itself.
    /// let rays = [Ray::new([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]); 2];
    /// let query = Query::new().filter_by_ray(|ray, hit| hit.mesh != ray as u32);
    /// let mut hits = [None; 2];
    /// bvh.closest_hits(&rays, &query, &mut hits)?;
    /// assert_eq!(hits.map(|hit| hit.unwrap().mesh), [1, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn filter_by_ray<G: Fn(usize, &Hit) -> bool>(self, accepts: G) -> Query<ByRay<G>> {
        Query { options: self.options, filter: ByRay(accepts) }
    }

    /// As [`filter`](Self::filter), for a [scene](crate::scene): the function is also given the
    /// index of the ray or point, and the hit with its instance.
    ///
    /// ```
    /// use hitscan::glam::Affine3A;
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]]);
    /// let (wall, _report) = Builder::new().bake(&[wall])?;
    /// let mut scene = Scene::new();
    /// let near = scene.insert(Instance::new(wall.clone()))?;
    /// let far = Affine3A::from_translation([0.0, 0.0, 3.0].into());
    /// let far = scene.insert(Instance::new(wall).with_transform(far))?;
    /// let now = scene.commit();
    ///
    /// let ray = Ray::new([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    /// assert_eq!(now.closest_hit(&ray, &Query::new()).unwrap().instance, near);
    /// let others = Query::new().filter_in_scene(|_ray, hit| hit.instance != near);
    /// assert_eq!(now.closest_hit(&ray, &others).unwrap().instance, far);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn filter_in_scene<G: Fn(usize, &SceneHit) -> bool>(
        self,
        accepts: G,
    ) -> Query<ByInstance<G>> {
        Query { options: self.options, filter: ByInstance(accepts) }
    }
}

impl<F> fmt::Debug for Query<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query")
            .field("facing", &self.options.facing)
            .field("mask", &self.options.mask)
            .field("instruction_set", &self.options.isa)
            .finish_non_exhaustive()
    }
}

/// The filter of a [`Query`]: [none](AcceptAll), a [function of the hit](Query::filter), or a
/// [function of the ray's index and the hit](Query::filter_by_ray).
///
/// Sealed: no other filters are possible.
pub trait HitFilter: sealed::Sealed {
    /// Whether it accepts every hit, so that it need not be called.
    #[doc(hidden)]
    fn accepts_all(&self) -> bool {
        false
    }

    /// Whether it accepts a hit of a ray.
    #[doc(hidden)]
    fn accepts(&self, ray: usize, hit: &Hit) -> bool;
}

/// No filter: every hit is accepted.
#[derive(Clone, Copy, Debug, Default)]
pub struct AcceptAll;

/// A filter that is given the ray's index: see [`Query::filter_by_ray`].
#[derive(Clone, Copy, Debug)]
pub struct ByRay<F>(F);

/// A filter that is given the hit with its instance: see [`Query::filter_in_scene`].
#[derive(Clone, Copy, Debug)]
pub struct ByInstance<F>(pub(crate) F);

/// The filter of a [`Query`] of a scene: any [`HitFilter`], which is given the hit in the tree of
/// the instance, or a [function of the ray's index and the scene's hit](Query::filter_in_scene).
///
/// Sealed: no other filters are possible.
pub trait SceneFilter: sealed::Sealed {
    /// Whether it accepts every hit, so that it need not be called.
    #[doc(hidden)]
    fn accepts_all_in_scene(&self) -> bool {
        false
    }

    /// Whether it accepts a hit of a ray.
    #[doc(hidden)]
    fn accepts_in_scene(&self, ray: usize, hit: &SceneHit) -> bool;
}

impl<F: HitFilter> SceneFilter for F {
    fn accepts_all_in_scene(&self) -> bool {
        self.accepts_all()
    }

    fn accepts_in_scene(&self, ray: usize, hit: &SceneHit) -> bool {
        self.accepts(ray, &hit.hit)
    }
}

impl<F: Fn(usize, &SceneHit) -> bool> SceneFilter for ByInstance<F> {
    fn accepts_in_scene(&self, ray: usize, hit: &SceneHit) -> bool {
        (self.0)(ray, hit)
    }
}

mod sealed {
    use super::{AcceptAll, ByInstance, ByRay, Hit, SceneHit};

    pub trait Sealed {}

    impl Sealed for AcceptAll {}
    impl<F: Fn(&Hit) -> bool> Sealed for F {}
    impl<F: Fn(usize, &Hit) -> bool> Sealed for ByRay<F> {}
    impl<F: Fn(usize, &SceneHit) -> bool> Sealed for ByInstance<F> {}
}

impl HitFilter for AcceptAll {
    fn accepts_all(&self) -> bool {
        true
    }

    fn accepts(&self, _: usize, _: &Hit) -> bool {
        true
    }
}

impl<F: Fn(&Hit) -> bool> HitFilter for F {
    fn accepts(&self, _: usize, hit: &Hit) -> bool {
        self(hit)
    }
}

impl<F: Fn(usize, &Hit) -> bool> HitFilter for ByRay<F> {
    fn accepts(&self, ray: usize, hit: &Hit) -> bool {
        (self.0)(ray, hit)
    }
}

// Methods of queries erase the type of the filter at once, so that nothing else depends on it.
impl<F: HitFilter> Query<F> {
    #[inline]
    pub(crate) fn hit_filter(&self) -> Option<&dyn HitFilter> {
        if self.filter.accepts_all() { None } else { Some(&self.filter) }
    }

    #[inline]
    pub(crate) fn shared_hit_filter(&self) -> Option<&(dyn HitFilter + Sync)>
    where
        F: Sync,
    {
        if self.filter.accepts_all() { None } else { Some(&self.filter) }
    }
}

impl<F: SceneFilter> Query<F> {
    #[inline]
    pub(crate) fn scene_filter(&self) -> Option<&dyn SceneFilter> {
        if self.filter.accepts_all_in_scene() { None } else { Some(&self.filter) }
    }

    #[inline]
    pub(crate) fn shared_scene_filter(&self) -> Option<&(dyn SceneFilter + Sync)>
    where
        F: Sync,
    {
        if self.filter.accepts_all_in_scene() { None } else { Some(&self.filter) }
    }
}
