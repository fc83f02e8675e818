//! What stops a shape that moves.

use glam::Vec3;

use super::many_rays::for_each_shape;
use crate::bvh::Bvh;
use crate::error::BatchError;
use crate::geometry::{ConvexShape, Sweep};
use crate::traverse::{Contact, Query, SweepQuery};

impl Bvh {
    /// What a shape touches first if it moves by `motion`, without turning: a box along the axes or
    /// in any position, a sphere, a capsule, a convex hull. `None` if the way is free, if the shape
    /// is empty, or if the motion is not finite.
    ///
    /// - **A shape that touches or overlaps something at the start** touches it at `t = 0`,
    ///   no matter which way it moves. `normal` is then the shortest way out of that triangle, and
    ///   [`depth`](Contact::depth) its length: zero if they just touch. A motion of zero asks for
    ///   just that. With [`Query::start_contacts`] only those count that the motion opposes: so a
    ///   character that touches the floor can walk along it.
    /// - **Of several first contacts** it is the deepest, then one whose normal is the normal of
    ///   its face, then the contact with the lowest mesh, then triangle. Times are compared as they
    ///   are reported. So on a flat floor the normal is the floor's, however it is cut into
    ///   triangles.
    /// - **Exactness.** Whether a triangle is touched at all is decided without rounding, for the
    ///   shape, the motion and the triangle that the numbers describe; the end of the way counts.
    ///   Triangles without an area are touched as the segments and points that they are. `t` is the
    ///   exact value, rounded once. `point`, `normal` and `depth` are computed in `f64`, or more
    ///   precisely where the triangle is thin; [`depth`](Contact::depth) says what a push leaves.
    /// - **A sphere of radius zero** touches what a [`Ray`](crate::Ray) from 0 to 1 hits, at the
    ///   same `t`, and besides what such a ray misses: triangles that it runs in the plane of, or
    ///   that have no area. As there, it is the rounded `t` that is from 0 to 1: a triangle past
    ///   the end by less than a rounding is touched at 1. (A `t` of minus zero is reported as
    ///   zero.)
    ///
    /// With [`Facing::Front`](crate::Facing::Front) only triangles count whose front side the
    /// middle of the shape is on at the start. The query's filter is called with [`Contact::hit`].
    /// Nothing is allocated.
    ///
    /// ```
    /// use hitscan::geometry::Feature;
    /// use hitscan::glam::Vec3;
    /// use hitscan::{Builder, Capsule, Mesh, Query};
    ///
    /// let step = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 0.0, -4.0], [0.0, 0.0, -4.0]];
    /// let (bvh, _report) = Builder::new().bake(&[Mesh::new(step, vec![0, 1, 2, 0, 2, 3])])?;
    ///
    /// // A character falls onto the step, and hits the edge of it from the side.
    /// let body = |at: [f32; 3]| Capsule::new(at, Vec3::from(at) + Vec3::Y, 0.5);
    /// let fall = bvh.first_contact(body([1.0, 2.5, -1.0]), [0.0, -4.0, 0.0], &Query::new());
    /// let fall = fall.expect("the step is below");
    /// assert_eq!((fall.t, fall.normal, fall.feature), (0.5, Vec3::Y, Feature::Face));
    /// assert_eq!(fall.point, Vec3::new(1.0, 0.0, -1.0));
    ///
    /// let walk = bvh.first_contact(body([2.0, -0.5, 2.5]), [0.0, 0.0, -4.0], &Query::new());
    /// let walk = walk.expect("the step is ahead");
    /// assert_eq!((walk.t, walk.normal, walk.feature), (0.5, Vec3::Z, Feature::Edge(0)));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn first_contact(
        &self,
        shape: impl Into<ConvexShape>,
        motion: impl Into<Vec3>,
        query: &Query<'_>,
    ) -> Option<Contact> {
        self.first_contact_of(0, &shape.into(), motion.into(), query)
    }

    /// All triangles that a shape touches if it moves by `motion` and nothing stops it: each once,
    /// where it is touched first. In the order in which [`first_contact`](Self::first_contact)
    /// chooses: by `t`, the deeper first, then those with faces, then by mesh and triangle. The
    /// list's old contents are replaced, and its memory is reused.
    ///
    /// ```
    /// use hitscan::{Aabb, Builder, Mesh, Query};
    ///
    /// let walls = [3.0, 1.0, 2.0].map(|z| {
    ///     Mesh::from_soup(vec![[0.0, 0.0, z], [4.0, 0.0, z], [0.0, 4.0, z]])
    /// });
    /// let (bvh, _report) = Builder::new().bake(&walls)?;
    /// let crate_of_wood = Aabb::from_min_max([0.5, 0.5, -0.5], [1.0, 1.0, 0.0]);
    /// let mut contacts = Vec::new();
    /// bvh.all_contacts(crate_of_wood, [0.0, 0.0, 2.0], &Query::new(), &mut contacts);
    /// let found = contacts.iter().map(|contact| (contact.hit.mesh, contact.t));
    /// assert!(found.eq([(1, 0.5), (2, 1.0)]));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[inline]
    pub fn all_contacts(
        &self,
        shape: impl Into<ConvexShape>,
        motion: impl Into<Vec3>,
        query: &Query<'_>,
        contacts: &mut Vec<Contact>,
    ) {
        contacts.clear();
        let Some(sweep) = &Sweep::new(&shape.into(), motion.into()) else { return };
        SweepQuery { filter: &self.accepted_by(query), sweep }.all(contacts);
    }

    /// What each of many shapes touches first, each with a motion of its own: the same as
    /// [`first_contact`](Self::first_contact), for the projectiles or the bodies of a frame. A
    /// filter [by index](Query::filter_by_index) is told which of them asks.
    ///
    /// With the feature `parallel`, more than 64 are divided among threads as the rays of
    /// [`closest_hit_batch`](Self::closest_hit_batch) are. Nothing is allocated for a shape.
    ///
    /// # Errors
    ///
    /// If `contacts` is not as long as `moving`; then nothing is written.
    ///
    /// ```
    /// use hitscan::geometry::ConvexShape;
    /// use hitscan::glam::Vec3;
    /// use hitscan::{Builder, Mesh, Query, Sphere};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 3.0], [4.0, 0.0, 3.0], [0.0, 4.0, 3.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[wall])?;
    /// let moving = [1.0, 2.0].map(|speed| {
    ///     (ConvexShape::from(Sphere::new([1.0, 1.0, 0.0], 1.0)), Vec3::Z * 2.0 * speed)
    /// });
    /// let mut contacts = [None; 2];
    /// bvh.first_contact_batch(&moving, &Query::new(), &mut contacts)?;
    /// assert_eq!(contacts.map(|contact| contact.unwrap().t), [1.0, 0.5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn first_contact_batch(
        &self,
        moving: &[(ConvexShape, Vec3)],
        query: &Query<'_>,
        contacts: &mut [Option<Contact>],
    ) -> Result<(), BatchError> {
        for_each_shape(moving, contacts, |index, (shape, motion)| {
            self.first_contact_of(index, shape, *motion, query)
        })
    }

    fn first_contact_of(
        &self,
        index: usize,
        shape: &ConvexShape,
        motion: Vec3,
        query: &Query<'_>,
    ) -> Option<Contact> {
        let sweep = &Sweep::new(shape, motion)?;
        SweepQuery { filter: &self.accepted_in_batch(query, index), sweep }.first()
    }
}
