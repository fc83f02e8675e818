//! What a shape has to be pushed out of.

use glam::Vec3;
use smallvec::SmallVec;

use crate::bvh::Bvh;
use crate::geometry::{ConvexShape, Corners, difference, dot};
use crate::traverse::{Contact, HitFilter, Query};

impl Bvh {
    /// The planes that a shape at rest has to be pushed out of, or touches: what a character needs
    /// that has been moved into a wall, or is about to slide along it.
    ///
    /// Each [`Contact`] stands for a plane. The shape is out if it has moved by
    /// [`depth`](Contact::depth) along [`normal`](Contact::normal), or a longer way whose dot
    /// product with the normal is the depth; a depth of zero says that it just touches. The deepest
    /// comes first, then as in [`all_contacts`](Self::all_contacts). `t` is zero. With
    /// [`slide`](crate::geometry::slide) the planes become one motion.
    ///
    /// These are the contacts of a motion of zero without those that edges inside of a surface add:
    /// a flat floor is one plane, however it is cut, and from however many meshes. That needs no
    /// data about edges, so it holds between tiles, at T-junctions, and after a refit. Going from
    /// the deepest contact on, those with faces first, one is left out if it is on a kept plane or
    /// behind it:
    ///
    /// - **a contact with an edge or a vertex**, if its point is: once the shape is out of the kept
    ///   plane, that point is not in the shape;
    /// - **a contact with a face**, if its whole triangle is: once the shape is out of the kept
    ///   plane, this is between the two. So of the same plane twice one remains.
    ///
    /// "On a plane" includes four roundings of the largest coordinate of both triangles.
    ///
    /// A shape that has left all these planes may be in others, which it meets on its way: ask
    /// again after a push. Two or three times are enough in most places. A shape that is deeper
    /// than triangles are large may get planes that push it past edges inside of a surface.
    ///
    /// A capsule whose middle segment goes through a triangle has a plane, too: the shortest way
    /// out of this triangle, to one side of it or past one of its edges. With
    /// [`Facing::Front`](crate::Facing::Front) triangles count whose front the middle of the shape
    /// is on. [`first_contact`](Self::first_contact) with a motion of zero gives the deepest
    /// contact before any is left out.
    ///
    /// The list's old contents are replaced, and its memory is reused. The time is that of
    /// `all_contacts`, and then each contact is compared with the planes that are kept.
    ///
    /// ```
    /// use hitscan::geometry::{SlidePlane, slide};
    /// use hitscan::glam::Vec3;
    /// use hitscan::{Builder, Capsule, Mesh, Query};
    ///
    /// // A floor in four pieces, and a wall.
    /// let floor = [[-8.0, 0.0, -8.0], [-8.0, 0.0, 8.0], [8.0, 0.0, 8.0], [8.0, 0.0, -8.0]];
    /// let wall = [[2.0, 0.0, -8.0], [2.0, 0.0, 8.0], [2.0, 9.0, 8.0]];
    /// let corners = [floor.as_slice(), &[[0.0; 3]], &wall].concat();
    /// let indices = vec![0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4, 5, 6, 7];
    /// let (bvh, _report) = Builder::new().bake(&[Mesh::new(corners, indices)])?;
    ///
    /// // A character, too deep in both.
    /// let body = |at: Vec3| Capsule::new(at + Vec3::Y * 0.5, at + Vec3::Y * 1.5, 0.5);
    /// let at = Vec3::new(1.75, -0.125, 0.25);
    /// let mut contacts = Vec::new();
    /// bvh.penetrations(body(at), &Query::new(), &mut contacts);
    /// let found = contacts.iter().map(|contact| (contact.normal, contact.depth));
    /// assert!(found.eq([(Vec3::NEG_X, 0.25), (Vec3::Y, 0.125)]));
    ///
    /// let planes: Vec<SlidePlane> = contacts.iter().map(SlidePlane::from).collect();
    /// let at = at + slide(Vec3::ZERO, &planes);
    /// assert_eq!(at, Vec3::new(1.5, 0.0, 0.25));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[inline]
    pub fn penetrations<F: HitFilter>(
        &self,
        shape: impl Into<ConvexShape>,
        query: &Query<F>,
        contacts: &mut Vec<Contact>,
    ) {
        self.all_contacts(shape, Vec3::ZERO, query, contacts);
        self.leave_out_inner_edges(contacts);
    }

    fn leave_out_inner_edges(&self, contacts: &mut Vec<Contact>) {
        let is_beside = |contact: &Contact| contact.normal != contact.face_normal;
        contacts.sort_unstable_by(|a, b| is_beside(a).cmp(&is_beside(b)).then(a.cmp(b)));
        let mut kept = SmallVec::<[KeptPlane; 8]>::new();
        contacts.retain(|contact| {
            let Some(triangle) = self.triangle(&contact.hit) else { return false };
            let plane = KeptPlane::new(contact.normal, &triangle.to_arrays());
            let point = [contact.point.to_array()];
            let points = if is_beside(contact) { &point[..] } else { &plane.corners };
            let is_new = !kept.iter().any(|kept| kept.has_behind(points, plane.size));
            if is_new {
                kept.push(plane);
            }
            is_new
        });
        contacts.sort_unstable_by(Contact::cmp);
    }
}

/// The plane of a contact: the triangle is behind it, and touches it.
struct KeptPlane {
    normal: [f64; 3],
    corners: Corners,
    /// The corner that is on the plane. The contact's point may be behind it, where the shape goes
    /// through the triangle.
    on: usize,
    /// The largest coordinate of the triangle.
    size: f32,
}

/// Of the largest coordinate: four roundings.
const TOLERANCE: f64 = 4.0 * f32::EPSILON as f64;

impl KeptPlane {
    fn new(normal: Vec3, corners: &Corners) -> Self {
        let size = corners.as_flattened().iter().fold(0.0, |size, x| x.abs().max(size));
        let mut plane =
            Self { normal: normal.to_array().map(f64::from), corners: *corners, on: 0, size };
        for corner in [1, 2] {
            if plane.height(corners[corner]) > 0.0 {
                plane.on = corner;
            }
        }
        plane
    }

    fn height(&self, point: [f32; 3]) -> f64 {
        dot(self.normal, difference(point, self.corners[self.on]))
    }

    /// Whether points of a triangle with coordinates up to `size` are on the plane or behind.
    fn has_behind(&self, points: &[[f32; 3]], size: f32) -> bool {
        let tolerance = TOLERANCE * f64::from(size.max(self.size));
        points.iter().all(|&point| self.height(point) <= tolerance)
    }
}
