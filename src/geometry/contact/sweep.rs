//! Shapes that move until they touch something.

use glam::Vec3;

use super::triangle_contact::{Rank, Touch, TriangleContact, Wanted, Way};
use super::{moving_capsule, moving_solid};
use crate::array::Each;
use crate::geometry::aabb::Aabb;
use crate::geometry::convex_hull::ConvexHull;
use crate::geometry::convex_shape::ConvexShape;
use crate::geometry::exact::aligned_box::AlignedBox;
use crate::geometry::exact::axes::Solid;
use crate::geometry::exact::near_segment::Segment;
use crate::geometry::exact::turned_box::{TurnedBox, has_volume};
use crate::geometry::shape::{Shape, finite_bounds};
use crate::geometry::support::Support;
use crate::geometry::triangle::Triangle;
use crate::geometry::turned_bounds::{ALONG_AXES, TurnedBounds};
use crate::geometry::vec3_f64::{Corners, is_finite, scale, unit};

#[cfg(test)]
mod tests;

impl ConvexShape {
    /// Where the shape first touches a triangle if it moves by `motion`, without turning. `None` if
    /// it does not, or if the shape is empty, or a number of the motion or the triangle is not
    /// finite.
    ///
    /// This is the reference that [`Bvh::first_contact`](crate::Bvh::first_contact) equals. There
    /// it is told which numbers are exact and which are rounded.
    ///
    /// ```
    /// use hitscan::geometry::{ConvexShape, Feature};
    /// use hitscan::glam::Vec3;
    /// use hitscan::{Sphere, Triangle};
    ///
    /// let ball = ConvexShape::from(Sphere::new([0.0, 5.0, 0.0], 1.0));
    /// let floor = Triangle::new([-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]);
    /// let contact = ball.first_contact([0.0, -8.0, 0.0], &floor).expect("it falls");
    /// assert_eq!((contact.t, contact.point, contact.normal), (0.5, Vec3::ZERO, Vec3::Y));
    /// assert_eq!((contact.feature, contact.depth), (Feature::Face, 0.0));
    /// assert_eq!(ball.first_contact([8.0, 0.0, 0.0], &floor), None);
    /// ```
    #[must_use]
    pub fn first_contact(
        &self,
        motion: impl Into<Vec3>,
        triangle: &Triangle,
    ) -> Option<TriangleContact> {
        let (sweep, corners) = (Sweep::new(self, motion.into())?, triangle.to_arrays());
        Some(sweep.contact(&corners, &sweep.first_touch(&corners, 1.0)?))
    }
}

/// A shape that moves.
pub(crate) struct Sweep {
    body: Body,
    motion: [f32; 3],
    /// Around the shape at the start.
    bounds: Aabb,
    center: Vec3,
}

enum Body {
    Solid(AnySolid),
    Capsule { segment: Segment, radius: f32 },
}

/// A shape with faces and edges.
enum AnySolid {
    AlignedBox(AlignedBox),
    TurnedBox(TurnedBox),
    Hull(ConvexHull),
}

impl Sweep {
    /// `None` if the shape is empty, or the motion is not finite.
    pub(crate) fn new(shape: &ConvexShape, motion: Vec3) -> Option<Self> {
        if !motion.is_finite() {
            return None;
        }
        let of = |body: Body, shape: Shape| {
            let (bounds, center) = (Support::of(&shape)?.bounds(), shape.center());
            Some(Self { body, motion: motion.to_array(), bounds, center })
        };
        match shape {
            ConvexShape::Aabb(bounds) => {
                let local = finite_bounds(bounds)?;
                of(Body::Solid(AnySolid::AlignedBox(AlignedBox(local))), (*bounds).into())
            }
            ConvexShape::Obb(obb) => {
                let (columns, local) = obb.columns_and_local();
                let solid = match columns {
                    ALONG_AXES => AnySolid::AlignedBox(AlignedBox(local)),
                    _ => AnySolid::TurnedBox(TurnedBox { columns, local }),
                };
                has_volume(&columns).then(|| of(Body::Solid(solid), (*obb).into()))?
            }
            ConvexShape::Sphere(sphere) => {
                let segment = [sphere.center.to_array(); 2];
                of(Body::Capsule { segment, radius: sphere.radius }, (*sphere).into())
            }
            ConvexShape::Capsule(capsule) => {
                let segment = [capsule.a.to_array(), capsule.b.to_array()];
                of(Body::Capsule { segment, radius: capsule.radius }, (*capsule).into())
            }
            ConvexShape::Hull(hull) => {
                of(Body::Solid(AnySolid::Hull(hull.clone())), hull.bounds().into())
            }
        }
    }

    pub(crate) fn motion(&self) -> [f32; 3] {
        self.motion
    }

    /// A box around the shape at the start.
    pub(crate) fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// A point in the middle of the shape at the start.
    pub(crate) fn center(&self) -> Vec3 {
        self.center
    }

    /// The segment that everything is within a radius of, and that radius, of a sphere or capsule.
    pub(crate) fn core(&self) -> (Option<Segment>, f32) {
        match self.body {
            Body::Capsule { segment, radius } => (Some(segment), radius),
            _ => (None, 0.0),
        }
    }

    /// A box around the shape in axes of its own: of a box in any position this is the box itself.
    /// A hull has one if it is clearly smaller than the box along the axes of coordinates. The axes
    /// may be the axes of coordinates all the same.
    pub(crate) fn turned_bounds(&self) -> Option<TurnedBounds> {
        match &self.body {
            Body::Solid(AnySolid::TurnedBox(TurnedBox { columns, local })) => {
                Some(TurnedBounds::new(columns, local))
            }
            Body::Solid(AnySolid::Hull(hull)) => hull.turned_bounds(),
            _ => None,
        }
    }

    /// Whether the shortest way out of a triangle is never longer than one along an axis of
    /// coordinates. Of other shapes an axis may be in doubt, and left out.
    pub(crate) fn has_depth_of_boxes(&self) -> bool {
        matches!(self.body, Body::Solid(AnySolid::AlignedBox(_)) | Body::Capsule { .. })
    }

    /// When it first touches a triangle, if it does so at `bound` or before.
    #[inline]
    pub(crate) fn first_touch(&self, corners: &Corners, bound: f32) -> Option<FirstTouch<'_>> {
        self.wanted_touch(corners, &Wanted::until(bound))
    }

    /// When it first touches a triangle, if that matters.
    #[inline]
    pub(crate) fn wanted_touch(
        &self,
        corners: &Corners,
        wanted: &Wanted,
    ) -> Option<FirstTouch<'_>> {
        if !is_finite(corners) {
            return None;
        }
        match &self.body {
            Body::Solid(solid) => {
                let t = solid.first_touch(self.motion, corners, wanted.until)?;
                Some(FirstTouch { t, details: Details::Of(solid) })
            }
            Body::Capsule { segment, radius } => {
                let touch = moving_capsule::touch(segment, *radius, self.motion, corners, wanted)?;
                Some(FirstTouch { t: touch.t, details: Details::Known(touch) })
            }
        }
    }

    /// What decides whether a first touch of these corners comes before another.
    #[inline]
    pub(crate) fn rank(&self, corners: &Corners, first: &FirstTouch<'_>) -> Rank {
        let way = match first.details {
            Details::Known(touch) => touch.way,
            Details::Of(solid) => solid.way(self.motion, corners, first.t),
        };
        way.rank(first.t, self.motion.each(f64::from), corners)
    }

    /// All that is told of a first touch of these corners.
    #[inline]
    pub(crate) fn contact(&self, corners: &Corners, first: &FirstTouch<'_>) -> TriangleContact {
        let touch = match first.details {
            Details::Known(touch) => touch,
            Details::Of(solid) => solid.touch(self.motion, corners, first.t),
        };
        touch.contact(self.motion.each(f64::from), corners)
    }
}

impl AnySolid {
    #[inline]
    fn first_touch(&self, motion: [f32; 3], corners: &Corners, bound: f32) -> Option<f32> {
        match self {
            Self::AlignedBox(solid) => solid.first_touch(motion, corners, bound),
            Self::TurnedBox(solid) => solid.first_touch(motion, corners, bound),
            Self::Hull(hull) => hull.polytope().first_touch(motion, corners, bound),
        }
    }

    #[inline]
    fn touch(&self, motion: [f32; 3], corners: &Corners, t: f32) -> Touch {
        match self {
            Self::AlignedBox(solid) => moving_solid::touch(solid, motion, corners, t),
            Self::TurnedBox(solid) => moving_solid::touch(solid, motion, corners, t),
            Self::Hull(hull) => moving_solid::touch(hull.polytope(), motion, corners, t),
        }
    }

    #[inline]
    fn way(&self, motion: [f32; 3], corners: &Corners, t: f32) -> Way {
        match self {
            Self::AlignedBox(solid) => moving_solid::way(solid, motion, corners, t),
            Self::TurnedBox(solid) => moving_solid::way(solid, motion, corners, t),
            Self::Hull(hull) => moving_solid::way(hull.polytope(), motion, corners, t),
        }
    }
}

/// When a shape first touches a triangle. The rest is left open where it takes long: most first
/// touches are not told of.
#[derive(Clone, Copy)]
pub(crate) struct FirstTouch<'a> {
    pub(crate) t: f32,
    details: Details<'a>,
}

impl FirstTouch<'_> {
    /// The depth of its rank, if that is known already.
    pub(crate) fn depth(&self) -> Option<f32> {
        match self.details {
            Details::Known(touch) => Some(touch.way.rounded_depth()),
            Details::Of(_) => None,
        }
    }

    /// About the direction from the shape to the triangle, of unit length, if that is known already
    /// and not at the start, or else zero.
    pub(crate) fn ahead(&self) -> [f64; 3] {
        match self.details {
            Details::Known(touch) if self.t > 0.0 => unit(scale(touch.way.direction, -1.0)),
            _ => [0.0; 3],
        }
    }
}

#[derive(Clone, Copy)]
enum Details<'a> {
    Known(Touch),
    Of(&'a AnySolid),
}
