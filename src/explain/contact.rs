//! Why a triangle does not stop a shape that moves.

use glam::Vec3;

use super::suspect::{Place, Refused, Suspect, Unseen, from_unseen};
use super::why_not::MeshWhyNot;
use crate::bvh::Bvh;
use crate::geometry::{Aabb, ConvexShape, Sweep, Triangle};
use crate::scene::Snapshot;
use crate::traverse::{Contact, InstanceId, Query};
use crate::world::{World, of_either};

/// Why a triangle does not stop a shape that moves: the first reason that holds, in the order of
/// this list. Which one it is, is decided as in every query, without rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum WhyNotContact {
    /// The scene shows no tree at this instance: see
    /// [`WhyNot::NoInstance`](super::WhyNot::NoInstance).
    NoInstance,
    /// There is no mesh of this number.
    NoMesh,
    /// The mesh has no triangle of this number.
    NoTriangle {
        /// How many it has.
        triangles: u32,
    },
    /// The triangle is in no leaf: see [`WhyNot::Skipped`](super::WhyNot::Skipped).
    Skipped,
    /// The instance's mask has no bit of the query's.
    InstanceMask {
        /// The instance's mask.
        mask: u32,
    },
    /// The mesh's mask has no bit of the query's.
    MeshMask {
        /// The mesh's mask.
        mask: u32,
    },
    /// The shape is empty, or the motion is not finite: then nothing is touched.
    InvalidSweep,
    /// A corner of the triangle in the world is beyond the range of `f32`, so it is not there.
    BeyondRange,
    /// The shape passes it, and would pass it on a longer way in this direction, too.
    NeverTouched(Gap),
    /// The shape would touch it, but only past the end of its motion.
    PastEnd {
        /// When, in units of the motion: more than 1.
        t: f32,
        /// How far the two are apart on the way up to the end.
        gap: Gap,
    },
    /// The shape's middle starts on the side that does not count: see [`Query::facing`].
    Facing {
        /// The contact that is refused.
        contact: Contact,
    },
    /// The query's filter does not accept the contact.
    Filter {
        /// The contact that is refused.
        contact: Contact,
    },
    /// The shape touches it, and something else before it; or at the same time, where
    /// [`Bvh::first_contact`](crate::Bvh::first_contact) says which of them comes first.
    Later {
        /// Where the shape touches the triangle.
        contact: Contact,
        /// What it touches first.
        by: Contact,
    },
    /// The triangle stops the shape after all: this is the answer of
    /// [`Bvh::first_contact`](crate::Bvh::first_contact).
    First(Contact),
}
from_unseen!(WhyNotContact);

/// How a shape passes a triangle, where it is nearest on its way. All numbers are rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gap {
    /// How far the two are apart.
    pub distance: f32,
    /// When, in units of the motion: 0 to 1. If they are as near all the time, one of these times.
    pub t: f32,
    /// The point of the triangle.
    pub point: Vec3,
    /// The point of the shape, as it then is.
    pub on_shape: Vec3,
}

impl Bvh {
    /// Why the first contact of a shape that moves by `motion` is not with this triangle.
    ///
    /// Takes about the time of some queries with a filter.
    ///
    /// ```
    /// use hitscan::explain::WhyNotContact;
    /// use hitscan::{Builder, Mesh, Query, Sphere};
    ///
    /// let wall = |z: f32| Mesh::from_soup(vec![[0.0, 0.0, z], [4.0, 0.0, z], [0.0, 4.0, z]]);
    /// let (bvh, _report) = Builder::new().bake(&[wall(5.0), wall(2.0)])?;
    /// let ball = Sphere::new([1.0, 1.0, 0.0], 0.5);
    /// let why = |motion: [f32; 3]| bvh.why_not_contact(ball, motion, &Query::new(), 0, 0);
    ///
    /// // The first wall is behind the second, too far away for a short way, or beside the way.
    /// let WhyNotContact::Later { contact, by } = why([0.0, 0.0, 9.0]) else { panic!() };
    /// assert_eq!((contact.t, by.t, by.hit.mesh), (0.5, 1.5 / 9.0, 1));
    /// let WhyNotContact::PastEnd { t, gap } = why([0.0, 0.0, 3.0]) else { panic!() };
    /// assert_eq!((t, gap.distance, gap.t), (1.5, 1.5, 1.0));
    /// let WhyNotContact::NeverTouched(gap) = why([0.0, 0.0, -3.0]) else { panic!() };
    /// assert_eq!((gap.distance, gap.t), (4.5, 0.0));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn why_not_contact(
        &self,
        shape: impl Into<ConvexShape>,
        motion: impl Into<Vec3>,
        query: &Query<'_>,
        mesh: u32,
        triangle: u32,
    ) -> WhyNotContact {
        let place = Place::in_tree(mesh, Some(triangle));
        why_not_contact(World::Tree(self), place, &shape.into(), motion.into(), query).reason
    }

    /// Why the first contact of a shape that moves by `motion` is with no triangle of this mesh:
    /// the reason of the triangle that comes nearest to it. That is one that is touched; else one
    /// that would be touched past the end; else the one that is passed at the least distance.
    ///
    /// Takes about the time of some queries with a filter, and O(n) time for the n triangles of the
    /// mesh if none is touched.
    #[must_use]
    pub fn why_not_contact_mesh(
        &self,
        shape: impl Into<ConvexShape>,
        motion: impl Into<Vec3>,
        query: &Query<'_>,
        mesh: u32,
    ) -> MeshWhyNot<WhyNotContact> {
        let place = Place::in_tree(mesh, None);
        why_not_contact(World::Tree(self), place, &shape.into(), motion.into(), query)
    }
}

impl Snapshot {
    /// Why the first contact of a shape that moves by `motion` is not with this triangle of this
    /// instance: as [`Bvh::why_not_contact`], for the triangle
    /// [in the world](crate::scene#points-and-shapes). What is touched before it may be of any
    /// instance.
    ///
    /// ```
    /// use hitscan::explain::WhyNotContact;
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Mesh, Query, Sphere};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    /// let (wall, _report) = Builder::new().bake(&[wall])?;
    /// let mut scene = Scene::new();
    /// let at = |z: f32| Affine3A::from_translation(Vec3::Z * z);
    /// let far = scene.insert(Instance::new(wall.clone()).with_transform(at(5.0)))?;
    /// let near = scene.insert(Instance::new(wall).with_transform(at(2.0)))?;
    /// let now = scene.commit();
    /// let ball = Sphere::new([1.0, 1.0, 0.0], 0.5);
    /// let why = now.why_not_contact(ball, [0.0, 0.0, 9.0], &Query::new(), far, 0, 0);
    /// let WhyNotContact::Later { contact, by } = why else { panic!() };
    /// assert_eq!((contact.t, by.hit.instance), (0.5, near));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn why_not_contact(
        &self,
        shape: impl Into<ConvexShape>,
        motion: impl Into<Vec3>,
        query: &Query<'_>,
        instance: InstanceId,
        mesh: u32,
        triangle: u32,
    ) -> WhyNotContact {
        let place = Place { instance, mesh, triangle: Some(triangle) };
        why_not_contact(World::Scene(self), place, &shape.into(), motion.into(), query).reason
    }

    /// Why the first contact of a shape that moves by `motion` is with no triangle of this mesh of
    /// this instance: as [`Bvh::why_not_contact_mesh`].
    #[must_use]
    pub fn why_not_contact_mesh(
        &self,
        shape: impl Into<ConvexShape>,
        motion: impl Into<Vec3>,
        query: &Query<'_>,
        instance: InstanceId,
        mesh: u32,
    ) -> MeshWhyNot<WhyNotContact> {
        let place = Place { instance, mesh, triangle: None };
        why_not_contact(World::Scene(self), place, &shape.into(), motion.into(), query)
    }
}

fn why_not_contact(
    world: World<'_>,
    place: Place,
    shape: &ConvexShape,
    motion: Vec3,
    query: &Query<'_>,
) -> MeshWhyNot<WhyNotContact> {
    let query = &query.with_triangles();
    let of_all = |reason| MeshWhyNot { triangle: place.triangle, reason };
    let suspect = match Suspect::find(world, place, query) {
        Ok(suspect) => suspect,
        Err(unseen) => return of_all(unseen.into()),
    };
    let Some(sweep) = Sweep::new(shape, motion) else {
        return of_all(WhyNotContact::InvalidSweep);
    };
    let by = |motion: Vec3, query: &Query<'_>| -> Option<Contact> {
        of_either!(world, asked => asked.first_contact(shape, motion, query))
    };
    let Some((contact, refused)) = suspect.alone(query, |query| by(motion, query)) else {
        let way = Way { shape, motion, start: sweep.bounds() };
        let found = not_touched(&suspect, &way, query, &by);
        return found.unwrap_or_else(|| of_all(WhyNotContact::BeyondRange));
    };
    let reason = match refused {
        Some(Refused::ByFacing) => WhyNotContact::Facing { contact },
        Some(Refused::ByFilter) => WhyNotContact::Filter { contact },
        None => match by(motion, query) {
            Some(by) if !suspect.is_on(&by.hit) => WhyNotContact::Later { contact, by },
            _ => WhyNotContact::First(contact),
        },
    };
    MeshWhyNot { triangle: Some(contact.hit.triangle), reason }
}

/// The way of a shape.
struct Way<'a> {
    shape: &'a ConvexShape,
    motion: Vec3,
    /// Around the shape at the start.
    start: Aabb,
}

/// The reason of the triangle that comes nearest to being touched. `None` if none is there.
fn not_touched(
    suspect: &Suspect<'_>,
    way: &Way<'_>,
    query: &Query<'_>,
    by: &dyn Fn(Vec3, &Query<'_>) -> Option<Contact>,
) -> Option<MeshWhyNot<WhyNotContact>> {
    let triangles = suspect.triangles();
    let mut bounds = way.start;
    for (_, triangle) in &triangles {
        bounds.extend_box(&triangle.bounds());
    }
    let (longer, factor) = lengthened(way.motion, &bounds);
    if let Some(contact) = suspect.unrefused(query, |query| by(longer, query)) {
        let number = contact.hit.triangle;
        let one: Vec<_> = triangles.into_iter().filter(|(other, _)| *other == number).collect();
        let (_, gap) = way.nearest(&one)?;
        // The product is exact, and rounded only where it is beyond the range of `f32`.
        let t = (f64::from(contact.t) * factor) as f32;
        let reason = WhyNotContact::PastEnd { t, gap };
        return Some(MeshWhyNot { triangle: Some(number), reason });
    }
    let (number, gap) = way.nearest(&triangles)?;
    Some(MeshWhyNot { triangle: Some(number), reason: WhyNotContact::NeverTouched(gap) })
}

/// A motion that leads out of a box from wherever it starts there, and how many times as long it
/// is: a power of two, so that neither it nor a time is rounded.
fn lengthened(motion: Vec3, bounds: &Aabb) -> (Vec3, f64) {
    let across = (0..3).map(|k| f64::from(bounds.max[k]) - f64::from(bounds.min[k]));
    let across = across.fold(0.0, f64::max);
    let (mut longer, mut factor) = (motion, 1.0);
    while f64::from(longer.abs().max_element()) <= across
        && (2.0 * longer).is_finite()
        && factor < MOST
        && motion != Vec3::ZERO
    {
        (longer, factor) = (2.0 * longer, 2.0 * factor);
    }
    (longer, factor)
}

/// How many times as long a way may become: past this, times would be rounded.
const MOST: f64 = (1u128 << 100) as f64;

impl Way<'_> {
    /// The triangle that is passed at the least distance, the first of equal ones.
    fn nearest(&self, triangles: &[(u32, Triangle)]) -> Option<(u32, Gap)> {
        let Self { shape, motion, start } = *self;
        let mut whole = start;
        whole.extend_box(&Aabb { min: start.min + motion, max: start.max + motion });
        let (mut best, mut least) = (None, f64::INFINITY);
        for (number, triangle) in triangles {
            if between(&whole, &triangle.bounds()) > least {
                continue;
            }
            let Some(found) = shape.clearance(motion, triangle) else { continue };
            if found.distance < least {
                least = found.distance;
                let point = |p: [f64; 3]| Vec3::from_array(p.map(|x| x as f32));
                best = Some((
                    *number,
                    Gap {
                        distance: found.distance as f32,
                        t: found.t as f32,
                        point: point(found.point),
                        on_shape: point(found.on_shape),
                    },
                ));
            }
        }
        best
    }
}

/// A distance that two boxes are apart at least, less a little for roundings.
fn between(a: &Aabb, b: &Aabb) -> f64 {
    let gap = |k: usize| {
        let (a, b) = ([a.min[k], a.max[k]].map(f64::from), [b.min[k], b.max[k]].map(f64::from));
        (b[0] - a[1]).max(a[0] - b[1]).max(0.0)
    };
    let largest = [a.min, a.max, b.min, b.max].map(|v| v.abs().max_element());
    let largest = f64::from(largest.into_iter().fold(0.0, f32::max));
    let square = [0, 1, 2].map(gap).iter().map(|gap| gap * gap).sum::<f64>();
    square.sqrt() - 1e-5 * largest
}
