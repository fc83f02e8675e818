//! What a query is to find: its options and its filter.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::hit::Hit;
use super::instance_id::InstanceId;
use crate::simd::InstructionSet;

/// The sides of a triangle that count.
///
/// For a ray it is the side that the ray hits. For a point it is the side of the triangle's plane
/// that the point is on. For a shape it is the side that the middle of the shape is on, at the
/// start if the shape moves; for a frustum, the side that its
/// [`eye`](crate::geometry::Frustum::eye) is on. A point in the plane is in front.
///
/// The front of a [volume](crate::scene#volumes) is its outside. So `Front` leaves out the volumes
/// that a ray starts in, or that hold the point or the middle of the shape.
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

/// Which contacts of a moving shape at its start count: those with triangles that it touches or
/// overlaps before it moves. For [`first_contact`](crate::Bvh::first_contact) and
/// [`all_contacts`](crate::Bvh::all_contacts) of trees and scenes; nothing else looks at it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum StartContacts {
    /// All: a shape that touches something at the start is stopped there, in any direction.
    #[default]
    All,
    /// Only those that the motion opposes: `normal.dot(motion) < 0`, computed in `f64` from the
    /// normal that the contact reports. So a contact at `t = 0` that the motion leaves, or slides
    /// along, is left out, and so are all of them if the motion is zero. Contacts at a later `t`
    /// always count.
    ///
    /// A triangle that is left out once is left out for the whole motion. That is safe: triangle
    /// and shape are convex, so the shape never gets deeper into the triangle, along the normal,
    /// than it was at the start.
    Opposed,
}

/// What a question can find: triangles, [volumes](crate::scene#volumes) of a scene, or both. A tree
/// that is asked by itself has no volumes: a query for these alone finds nothing there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Targets {
    /// Triangles only: no volume is in the way.
    #[default]
    Triangles,
    /// Volumes only.
    Volumes,
    /// Both: what comes first of all.
    Both,
}

impl Targets {
    pub(crate) fn has_triangles(self) -> bool {
        self != Self::Volumes
    }

    pub(crate) fn has_volumes(self) -> bool {
        self != Self::Triangles
    }
}

/// What a query looks for. The default sees every triangle from both sides.
///
/// It is a plain value: make it once and use it for any number of rays. A filter, if there is one,
/// is a part of it, which it borrows. One without a filter, or whose filter is a `fn`, is a
/// `Query<'static>`, which a struct can keep.
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
/// let hit = bvh.closest_hit(&ray, &Query::new().filter(&|hit| hit.mesh != 0)).unwrap();
/// assert_eq!((hit.mesh, hit.t), (1, 2.0));
/// # Ok::<(), hitscan::BakeError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Query<'f> {
    pub(crate) facing: Facing,
    pub(crate) start: StartContacts,
    pub(crate) mask: u32,
    pub(crate) isa: InstructionSet,
    pub(crate) targets: Targets,
    /// Not [`InstanceId::NONE`].
    pub(crate) except: Option<InstanceId>,
    pub(crate) filter: UserFilter<'f>,
}

/// The user's filter. It is called through a pointer, so that kernels are compiled once, in this
/// crate, and not for each filter of a program.
#[derive(Clone, Copy)]
pub(crate) enum UserFilter<'f> {
    /// Every hit is accepted.
    None,
    ByHit(&'f (dyn Fn(&Hit) -> bool + Sync)),
    ByIndex(&'f (dyn Fn(usize, &Hit) -> bool + Sync)),
}

impl Default for Query<'_> {
    fn default() -> Self {
        let isa = InstructionSet::detect();
        let (facing, start) = (Facing::Both, StartContacts::All);
        let (targets, except, filter) = (Targets::Triangles, None, UserFilter::None);
        Self { facing, start, mask: u32::MAX, isa, targets, except, filter }
    }
}

impl<'f> Query<'f> {
    /// Every triangle from both sides, with the fastest instruction set of this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same query for these sides only. Default: [`Facing::Both`].
    #[must_use]
    pub fn facing(mut self, facing: Facing) -> Self {
        self.facing = facing;
        self
    }

    /// The same query for meshes that are in one of these layers: those with
    /// `mesh.mask & mask != 0`. In a scene, for such meshes of instances with
    /// `instance.mask & mask != 0`. Default: all bits set.
    #[must_use]
    pub fn mask(mut self, mask: u32) -> Self {
        self.mask = mask;
        self
    }

    /// The same query with these contacts at the start of a motion. Default:
    /// [`StartContacts::All`].
    ///
    /// ```
    /// use hitscan::glam::Vec3;
    /// use hitscan::{Builder, Capsule, Mesh, Query, StartContacts};
    ///
    /// let floor = vec![[-9.0, 0.0, -9.0], [-9.0, 0.0, 9.0], [9.0, 0.0, -9.0]];
    /// let wall = vec![[-2.0, 0.0, -9.0], [-2.0, 9.0, -9.0], [-2.0, 0.0, 9.0]];
    /// let (bvh, _report) = Builder::new().bake(&[floor, wall].map(Mesh::from_soup))?;
    ///
    /// // A character that rests on the floor, and walks to the wall.
    /// let body = Capsule::new([0.0, 0.5, 0.0], [0.0, 1.5, 0.0], 0.5);
    /// let ahead = 3.0 * Vec3::NEG_X;
    /// assert_eq!(bvh.first_contact(body, ahead, &Query::new()).map(|floor| floor.t), Some(0.0));
    /// let query = Query::new().start_contacts(StartContacts::Opposed);
    /// let wall = bvh.first_contact(body, ahead, &query).expect("in the way");
    /// assert_eq!((wall.hit.mesh, wall.t), (1, 0.5));
    /// // Down is against the floor.
    /// assert_eq!(bvh.first_contact(body, Vec3::NEG_Y, &query).map(|floor| floor.t), Some(0.0));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn start_contacts(mut self, start: StartContacts) -> Self {
        self.start = start;
        self
    }

    /// The same query for triangles, volumes, or both. Default: [`Targets::Triangles`].
    ///
    /// Masks and filters hold for volumes too: a volume has the mask of its instance, and a filter
    /// sees it as [`Hit`] says.
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Capsule, Mesh, Query, Ray, Targets};
    ///
    /// let wall = Mesh::from_soup(vec![[9.0, -9.0, -9.0], [9.0, 9.0, -9.0], [9.0, 0.0, 9.0]]);
    /// let (level, _report) = Builder::new().bake(&[wall])?;
    /// let mut scene = Scene::new();
    /// let level = scene.insert(Instance::new(level))?;
    /// let player = Capsule::new([0.0, 0.4, 0.0], [0.0, 1.4, 0.0], 0.4);
    /// let at = |x: f32| Affine3A::from_translation(Vec3::X * x);
    /// let _shooter = scene.insert(Instance::new(player).with_transform(at(-2.0)))?;
    /// let player = scene.insert(Instance::new(player).with_transform(at(5.0)))?;
    /// let now = scene.commit();
    ///
    /// let shot = Ray::new([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]);
    /// let first = |query: &Query| now.closest_hit(&shot, query).map(|hit| (hit.instance, hit.t));
    /// assert_eq!(first(&Query::new()), Some((level, 9.0)));
    /// assert_eq!(first(&Query::new().targets(Targets::Both)), Some((player, 4.6)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn targets(mut self, targets: Targets) -> Self {
        self.targets = targets;
        self
    }

    /// The same query without one instance of a scene, in place of any other that was left out: a
    /// shooter, say, or the character who moves. [`InstanceId::NONE`] leaves out none.
    ///
    /// Faster than a [`filter`](Self::filter), which may be set besides: the instance is not looked
    /// at.
    ///
    /// ```
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Capsule, Query, Ray, Targets};
    ///
    /// let mut scene = Scene::new();
    /// let body = |x: f32| Instance::new(Capsule::new([x, 0.4, 0.0], [x, 1.4, 0.0], 0.4));
    /// let shooter = scene.insert(body(0.0))?;
    /// let enemy = scene.insert(body(8.0))?;
    /// let now = scene.commit();
    ///
    /// // From the eyes of the shooter, which are inside of his own capsule.
    /// let shot = Ray::new([0.0, 1.6, 0.0], [1.0, -0.05, 0.0]);
    /// let query = Query::new().targets(Targets::Both);
    /// assert_eq!(now.closest_hit(&shot, &query).map(|hit| hit.instance), Some(shooter));
    /// let others = query.except(shooter);
    /// assert_eq!(now.closest_hit(&shot, &others).map(|hit| hit.instance), Some(enemy));
    /// # Ok::<(), hitscan::SceneError>(())
    /// ```
    #[must_use]
    pub fn except(mut self, instance: InstanceId) -> Self {
        self.except = (instance != InstanceId::NONE).then_some(instance);
        self
    }

    /// The same query with this instruction set. All of them give the same bits, so this is for
    /// tests and measurements. Default: [`InstructionSet::detect`].
    #[must_use]
    pub fn instruction_set(mut self, isa: InstructionSet) -> Self {
        self.isa = isa;
        self
    }

    /// The same query for hits that a function accepts, in place of any other filter. In a scene,
    /// [`Hit::instance`] tells whose hit it is.
    ///
    /// The function must depend on nothing but the hit: it may be called with any hit within the
    /// ray's interval, any number of times and in any order, and in a batch on several threads at
    /// once. It is called only for hits that could be the answer. Where an option such as
    /// [`mask`](Self::mask) is enough, use that instead: it is faster.
    ///
    /// A query that is used in several statements borrows a function that has a name:
    ///
    /// ```
    /// use hitscan::{Builder, Hit, Mesh, Query, Ray};
    ///
    /// let wall = |z: f32| Mesh::from_soup(vec![[0.0, 0.0, z], [4.0, 0.0, z], [0.0, 4.0, z]]);
    /// let (bvh, _report) = Builder::new().bake(&[wall(1.0), wall(2.0), wall(3.0)])?;
    /// let ray = Ray::new([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    ///
    /// let first = bvh.closest_hit(&ray, &Query::new()).unwrap();
    /// let behind = |hit: &Hit| hit.mesh != first.mesh;
    /// let query = Query::new().filter(&behind);
    /// assert_eq!(bvh.closest_hit(&ray, &query).unwrap().mesh, 1);
    /// assert!(bvh.any_hit(&ray, &query));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn filter(mut self, accepts: &'f (dyn Fn(&Hit) -> bool + Sync)) -> Self {
        self.filter = UserFilter::ByHit(accepts);
        self
    }

    /// As [`filter`](Self::filter), for a function that is also given the index of the ray or the
    /// point in its batch: 0 where there is one only.
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
    /// let query = Query::new().filter_by_index(&|i, hit| hit.mesh != i as u32);
    /// let mut hits = [None; 2];
    /// bvh.closest_hit_batch(&rays, &query, &mut hits)?;
    /// assert_eq!(hits.map(|hit| hit.unwrap().mesh), [1, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn filter_by_index(mut self, accepts: &'f (dyn Fn(usize, &Hit) -> bool + Sync)) -> Self {
        self.filter = UserFilter::ByIndex(accepts);
        self
    }
}

/// The layers that count, for questions that have no other options. A mesh or an instance is in a
/// layer if its mask has the layer's bit.
///
/// ```
/// use hitscan::{Builder, Layers, Mesh};
///
/// let quad = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
/// let card = Mesh::new(quad, vec![0, 1, 2, 0, 2, 3]).with_mask(0b01);
/// let (bvh, _report) = Builder::new().bake(&[card])?;
/// // The card is not closed, so it has no inside; but it is not in the other layer.
/// assert!(bvh.contains([0.0; 3], Layers::ALL).is_err());
/// assert!(bvh.contains([0.0; 3], Layers::of(0b10)).is_ok());
/// # Ok::<(), hitscan::BakeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layers {
    mask: u32,
    isa: Option<InstructionSet>,
}

impl Layers {
    /// All layers: all meshes and instances but those whose mask is zero.
    pub const ALL: Self = Self::of(u32::MAX);

    /// The layers of these bits.
    #[must_use]
    pub const fn of(mask: u32) -> Self {
        Self { mask, isa: None }
    }

    /// The same layers, asked with this instruction set: see [`Query::instruction_set`].
    #[must_use]
    pub fn instruction_set(mut self, isa: InstructionSet) -> Self {
        self.isa = Some(isa);
        self
    }

    /// The query for them.
    pub(crate) fn query(self) -> Query<'static> {
        let query = Query::new().mask(self.mask);
        self.isa.map_or(query, |isa| query.instruction_set(isa))
    }
}

impl fmt::Debug for Query<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query")
            .field("facing", &self.facing)
            .field("start_contacts", &self.start)
            .field("mask", &self.mask)
            .field("targets", &self.targets)
            .field("except", &self.except)
            .field("instruction_set", &self.isa)
            .field("has_filter", &self.has_filter())
            .finish()
    }
}

impl Query<'_> {
    /// The same query, which sees triangles at least.
    #[cfg(feature = "stats")]
    pub(crate) fn with_triangles(mut self) -> Self {
        if self.targets == Targets::Volumes {
            self.targets = Targets::Both;
        }
        self
    }

    /// Whether hits are accepted or refused one by one.
    #[inline(always)]
    pub(crate) fn has_filter(&self) -> bool {
        !matches!(self.filter, UserFilter::None)
    }

    /// Whether a hit is not of the instance that is left out, and the filter, if there is one,
    /// accepts it as one of the first ray or point of a batch.
    pub(crate) fn accepts(&self, hit: &Hit) -> bool {
        self.except != Some(hit.instance) && self.accepts_of(0, hit)
    }

    /// Whether the filter, if there is one, accepts a hit of the ray or the point of this index.
    pub(crate) fn accepts_of(&self, index: usize, hit: &Hit) -> bool {
        match self.filter {
            UserFilter::None => true,
            UserFilter::ByHit(accepts) => accepts(hit),
            UserFilter::ByIndex(accepts) => accepts(index, hit),
        }
    }
}
