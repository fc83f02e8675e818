//! What stops a shape that moves, and what it has to be pushed out of.

use glam::Vec3;

use super::snapshot::Snapshot;
use crate::error::BatchError;
use crate::geometry::{ConvexShape, Sweep, Turn, Turning};
use crate::query::{TurningContact, advance, for_each_shape, leave_out_inner_edges};
use crate::traverse::{Contact, Query, SceneQuery, StartContacts, SweepInScene, sort_contacts};

impl Snapshot {
    /// What a shape touches first if it moves by `motion`, without turning: as
    /// [`Bvh::first_contact`](crate::Bvh::first_contact), for the triangles
    /// [in the world](crate::scene#points-and-shapes). The instances stand still meanwhile. Of
    /// several first contacts it is the one that is chosen there, with the handle before the
    /// numbers of mesh and triangle.
    ///
    /// With [`Query::targets`] [volumes](crate::scene#volumes) stop it too.
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Capsule, Mesh, Query};
    ///
    /// let plate = Mesh::from_soup(vec![[-4.0, 0.0, -4.0], [0.0, 0.0, 4.0], [4.0, 0.0, -4.0]]);
    /// let (plate, _report) = Builder::new().bake(&[plate])?;
    /// let mut scene = Scene::new();
    /// scene.insert(Instance::new(plate.clone()))?;
    /// let lift = scene.insert(Instance::new(plate))?;
    /// scene.set_transform(lift, Affine3A::from_translation(Vec3::Y * 2.0))?;
    ///
    /// // A character falls onto the lift.
    /// let body = Capsule::new([0.0, 5.5, 0.0], [0.0, 6.5, 0.0], 0.5);
    /// let fall = scene.commit().first_contact(body, [0.0, -6.0, 0.0], &Query::new()).unwrap();
    /// assert_eq!((fall.hit.instance, fall.t, fall.normal), (lift, 0.5, Vec3::Y));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn first_contact(
        &self,
        shape: impl Into<ConvexShape>,
        motion: impl Into<Vec3>,
        query: &Query<'_>,
    ) -> Option<Contact> {
        self.first_touched(&shape.into(), motion.into(), SceneQuery::new(query))
    }

    /// How far a shape gets that moves by `motion` and turns meanwhile: as
    /// [`Bvh::first_contact_turning`](crate::Bvh::first_contact_turning), for the triangles
    /// [in the world](crate::scene#points-and-shapes). The instances stand still meanwhile, and no
    /// volume is in the way.
    ///
    /// ```
    /// use hitscan::geometry::Turn;
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, ConvexHull, Mesh, Query, TurningEnd};
    ///
    /// let plate = Mesh::from_soup(vec![[-4.0, 0.0, -4.0], [0.0, 0.0, 4.0], [4.0, 0.0, -4.0]]);
    /// let (plate, _report) = Builder::new().bake(&[plate])?;
    /// let mut scene = Scene::new();
    /// scene.insert(Instance::new(plate).with_transform(Affine3A::from_translation(Vec3::Y)))?;
    ///
    /// // A pole that tumbles down.
    /// let pole = ConvexHull::cylinder([0.0, 5.0, 0.0], [0.0, 7.0, 0.0], 0.125, 8)?;
    /// let tumble = Turn::new([0.0, 6.0, 0.0], Vec3::X, 1.0);
    /// let (now, query) = (scene.commit(), Query::new());
    /// let end = now.first_contact_turning(&pole, [0.0, -8.0, 0.0], &tumble, 0.01, &query);
    /// let end = end.expect("it falls");
    /// assert!(end.near.distance <= 0.01 && end.end == TurningEnd::Near);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn first_contact_turning(
        &self,
        shape: impl Into<ConvexShape>,
        motion: impl Into<Vec3>,
        turn: &Turn,
        tolerance: f32,
        query: &Query<'_>,
    ) -> Option<TurningContact> {
        let turning = Turning::new(&shape.into(), motion.into(), turn)?;
        advance(&turning, tolerance, &|shape, within| self.nearest_to(shape, within, query))
    }

    /// All triangles of instances (with [`Query::targets`], all volumes) that a shape touches if it
    /// moves by `motion` and nothing stops it: each once, where it is touched first, in the order
    /// in which [`first_contact`](Self::first_contact) chooses. The list's old contents are
    /// replaced, and its memory is reused.
    #[inline]
    pub fn all_contacts(
        &self,
        shape: impl Into<ConvexShape>,
        motion: impl Into<Vec3>,
        query: &Query<'_>,
        contacts: &mut Vec<Contact>,
    ) {
        self.all_touched(&shape.into(), motion.into(), SceneQuery::new(query), contacts);
    }

    /// The planes that a shape at rest has to be pushed out of, or touches, in all instances
    /// together: as [`Bvh::penetrations`](crate::Bvh::penetrations), for the triangles
    /// [in the world](crate::scene#points-and-shapes). So a floor of many instances in one plane is
    /// one plane. With [`Query::targets`] each volume that it touches is one plane more: no volume
    /// is left out, and none makes others be left out.
    ///
    /// ```
    /// use hitscan::geometry::{SlidePlane, slide};
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Capsule, Mesh, Query};
    ///
    /// let corners = vec![[0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [4.0, 0.0, 4.0], [4.0, 0.0, 0.0]];
    /// let tile = Mesh::new(corners, vec![0, 1, 2, 0, 2, 3]);
    /// let (tile, _report) = Builder::new().bake(&[tile])?;
    /// let mut scene = Scene::new();
    /// for x in [-4.0, 0.0] {
    ///     let at = Affine3A::from_translation(Vec3::X * x);
    ///     scene.insert(Instance::new(tile.clone()).with_transform(at))?;
    /// }
    /// // A character between two tiles, too deep.
    /// let at = Vec3::new(0.0, -0.125, 2.0);
    /// let body = Capsule::new(at + Vec3::Y * 0.5, at + Vec3::Y * 1.5, 0.5);
    /// let mut contacts = Vec::new();
    /// scene.commit().penetrations(body, &Query::new(), &mut contacts);
    /// let planes: Vec<SlidePlane> = contacts.iter().map(SlidePlane::from).collect();
    /// assert_eq!(planes.len(), 1);
    /// assert_eq!(at + slide(Vec3::ZERO, &planes), Vec3::new(0.0, 0.0, 2.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn penetrations(
        &self,
        shape: impl Into<ConvexShape>,
        query: &Query<'_>,
        contacts: &mut Vec<Contact>,
    ) {
        let shape = shape.into();
        let query = query.start_contacts(StartContacts::All);
        self.all_contacts(&shape, Vec3::ZERO, &query, contacts);
        leave_out_inner_edges(&shape, contacts, &|hit| self.triangle(hit));
    }

    /// What each of many shapes touches first, each with a motion of its own: the same as
    /// [`first_contact`](Self::first_contact), on all threads as
    /// [`Bvh::first_contact_batch`](crate::Bvh::first_contact_batch).
    ///
    /// # Errors
    ///
    /// If `contacts` is not as long as `moving`; then nothing is written.
    pub fn first_contact_batch(
        &self,
        moving: &[(ConvexShape, Vec3)],
        query: &Query<'_>,
        contacts: &mut [Option<Contact>],
    ) -> Result<(), BatchError> {
        for_each_shape(moving, contacts, |index, (shape, motion)| {
            self.first_touched(shape, *motion, SceneQuery { query, index })
        })
    }
}

impl Snapshot {
    fn first_touched(
        &self,
        shape: &ConvexShape,
        motion: Vec3,
        query: SceneQuery<'_>,
    ) -> Option<Contact> {
        let sweep = &Sweep::new(shape, motion)?;
        let (targets, mut first) = (query.query.targets, None);
        if targets.has_triangles() {
            first = SweepInScene { tops: &self.tops(), query, sweep }.first();
        }
        if targets.has_volumes() {
            first = self.volumes(query, |volumes| volumes.first_contact(shape, motion, first));
        }
        first
    }

    fn all_touched(
        &self,
        shape: &ConvexShape,
        motion: Vec3,
        query: SceneQuery<'_>,
        contacts: &mut Vec<Contact>,
    ) {
        contacts.clear();
        let Some(sweep) = &Sweep::new(shape, motion) else { return };
        if query.query.targets.has_triangles() {
            SweepInScene { tops: &self.tops(), query, sweep }.all(contacts);
        }
        if query.query.targets.has_volumes() {
            self.volumes(query, |volumes| volumes.all_contacts(shape, motion, contacts));
        }
        sort_contacts(contacts);
    }
}
