//! What a shape has to be pushed out of.

use glam::Vec3;
use smallvec::SmallVec;

use crate::bvh::Bvh;
use crate::geometry::{
    Capsule, ConvexShape, Corners, PointDistance, Sphere, Triangle, difference, dot,
};
use crate::traverse::{Contact, Hit, Query, StartContacts};

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
    /// data about edges, so it holds between tiles, at T-junctions, and after a refit. Contacts
    /// with faces are looked at first, then those with edges and vertices, of each the deepest
    /// first:
    ///
    /// - **A contact with an edge or a vertex** is left out if its point is on or behind a plane
    ///   that is kept: once the shape is out of the kept plane, that point is not in the shape.
    /// - **A contact with a face** is left out if its whole triangle is: once the shape is out of
    ///   the kept plane, this is between the two. So of the same plane twice one remains.
    ///
    /// "On a plane" includes four roundings of the largest coordinate of both triangles.
    ///
    /// **A shape that goes through triangles**, as a capsule whose middle segment does, has a
    /// plane, too: the plane of the shortest way out of the triangle. If this way leads past an
    /// edge where another triangle goes on, it is not used: the plane is then the plane of the
    /// shortest remaining way, to either side or past an edge without a neighbour. So a character
    /// that is deep in a floor is lifted.
    ///
    /// **After a push** the shape may be in others, which it meets on its way: ask again. Two or
    /// three times are enough in most places. Between walls that have closed there is no way out.
    ///
    /// With [`Facing::Front`](crate::Facing::Front) only triangles count whose front side the
    /// middle of the shape is on. [`first_contact`](Self::first_contact) with a motion of zero
    /// gives the deepest contact before any is left out.
    ///
    /// The list's old contents are replaced, and its memory is reused. A call takes as long as
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
}

/// Leaves out contacts that add no plane. All with volumes remain: each of these is one plane.
pub(crate) fn leave_out_inner_edges(
    shape: &ConvexShape,
    contacts: &mut Vec<Contact>,
    triangle_of: &dyn Fn(&Hit) -> Option<Triangle>,
) {
    contacts.sort_unstable_by(|a, b| a.is_beside().cmp(&b.is_beside()).then(a.cmp(b)));
    let corners = |contact: &Contact| Some(triangle_of(&contact.hit)?.to_arrays());
    let triangles: SmallVec<[Option<Corners>; 16]> = contacts.iter().map(corners).collect();
    let mut own = triangles.iter().copied();
    let mut kept = SmallVec::<[Plane; 8]>::new();
    contacts.retain_mut(|contact| {
        let corners = own.next().flatten();
        if contact.hit.is_volume() {
            return true;
        }
        let Some(corners) = corners else { return false };
        let mut plane = Plane::new(contact.normal, &corners);
        let point = [contact.point.to_array()];
        let points = if contact.is_beside() { &point } else { corners.as_slice() };
        if kept.iter().any(|kept| kept.has_behind(points, plane.size)) {
            return false;
        }
        if contact.is_beside() && goes_through(shape, contact) && plane.leads_into(&triangles) {
            plane = plane.other_way_out(contact.face_normal, shape, &triangles);
            contact.normal = plane.normal;
            contact.depth = plane.depth(shape);
        }
        kept.push(plane);
        true
    });
    contacts.sort_unstable_by(Contact::cmp);
}

/// Whether the shape goes through the triangle, or may do so: then the contact's normal is one of
/// several ways out. A sphere or a capsule does not as long as its middle is outside.
fn goes_through(shape: &ConvexShape, contact: &Contact) -> bool {
    match shape {
        ConvexShape::Sphere(Sphere { radius, .. })
        | ConvexShape::Capsule(Capsule { radius, .. }) => contact.depth >= *radius,
        ConvexShape::Aabb(_) | ConvexShape::Obb(_) | ConvexShape::Hull(_) => true,
    }
}

/// The plane of a contact: the triangle is behind it, and touches it.
struct Plane {
    normal: Vec3,
    corners: Corners,
    /// The corner that is on the plane. The contact's point may be behind it, where the shape goes
    /// through the triangle.
    on: usize,
    /// The largest coordinate of the triangle.
    size: f32,
}

impl Plane {
    fn new(normal: Vec3, corners: &Corners) -> Self {
        let size = largest(corners);
        let mut plane = Self { normal, corners: *corners, on: 0, size };
        for corner in [1, 2] {
            if plane.height(corners[corner]) > 0.0 {
                plane.on = corner;
            }
        }
        plane
    }

    fn height(&self, point: [f32; 3]) -> f64 {
        let normal = self.normal.to_array().map(f64::from);
        dot(normal, difference(point, self.corners[self.on]))
    }

    /// How far the shape is behind the plane.
    fn depth(&self, shape: &ConvexShape) -> f32 {
        let normal = self.normal.to_array().map(f64::from);
        let height = dot(normal, self.corners[self.on].map(f64::from));
        (height - shape.lowest(self.normal)).max(0.0) as f32
    }

    /// Four roundings of the largest coordinate of this triangle, and of one with coordinates up to
    /// `size`.
    fn tolerance(&self, size: f32) -> f32 {
        4.0 * f32::EPSILON * self.size.max(size)
    }

    /// Whether points of a triangle with coordinates up to `size` are on the plane or behind.
    fn has_behind(&self, points: &[[f32; 3]], size: f32) -> bool {
        let tolerance = f64::from(self.tolerance(size));
        points.iter().all(|&point| self.height(point) <= tolerance)
    }

    /// Whether a triangle goes on where this one touches the plane: then there is no way out.
    fn leads_into(&self, triangles: &[Option<Corners>]) -> bool {
        triangles.iter().flatten().any(|other| {
            let tolerance = self.tolerance(largest(other));
            let is_on = |point| self.height(point).abs() <= f64::from(tolerance);
            let meets = |points: &Corners, triangle| {
                points.iter().any(|&point| {
                    let is_near = || PointDistance::new(point, triangle);
                    is_on(point) && is_near().is_within(tolerance, point, triangle)
                })
            };
            !self.has_behind(other, largest(other))
                && (meets(&self.corners, other) || meets(other, &self.corners))
        })
    }

    /// The shortest way out to one of the sides of the triangle, or past an edge where no other
    /// triangle goes on.
    fn other_way_out(
        &self,
        face: Vec3,
        shape: &ConvexShape,
        triangles: &[Option<Corners>],
    ) -> Self {
        let [a, b, c] = self.corners.map(Vec3::from);
        let past = |from: Vec3, to: Vec3, opposite: Vec3| {
            let normal = (to - from).cross(face).normalize_or_zero();
            if normal.dot(opposite - from) > 0.0 { -normal } else { normal }
        };
        let sides = [face, -face].map(|normal| Self::new(normal, &self.corners));
        let edges = [past(a, b, c), past(b, c, a), past(c, a, b)]
            .map(|normal| Self::new(normal, &self.corners))
            .into_iter()
            .filter(|plane| plane.normal != Vec3::ZERO && !plane.leads_into(triangles));
        let [front, back] = sides;
        let shorter = |one: Self, other: Self| {
            if other.depth(shape) < one.depth(shape) { other } else { one }
        };
        edges.fold(shorter(front, back), shorter)
    }
}

fn largest(corners: &Corners) -> f32 {
    corners.as_flattened().iter().fold(0.0, |size, x| x.abs().max(size))
}
