//! Whether two convex shapes touch.

use super::aabb::Aabb;
use super::convex_core::{Core, Points, TOLERANCE};
use super::convex_shape::ConvexShape;
use super::core_distance::nearest;
use super::shape::Shape;
use super::support::Support;
use super::vec3_f64::{max, scale};

#[cfg(test)]
mod tests;

impl Shape {
    /// Whether two shapes have a point in common. False if one is empty.
    ///
    /// Computed in `f64`. Shapes that are apart by less than 2^-40 of the largest coordinate of
    /// both touch; for an oriented box, of the largest number that its corners are summed up from.
    /// Surfaces belong to shapes, and so does the space inside: a box overlaps a shape within it.
    /// Of a frustum or a box along the axes only the part near the other shape counts, so that one
    /// that reaches to infinity is as exact as any.
    ///
    /// Finds the nearest points of both (Gilbert, Johnson and Keerthi, "A fast procedure for
    /// computing the distance between complex objects in three-dimensional space", 1988), and ends
    /// as soon as there is a plane between them.
    ///
    /// ```
    /// use hitscan::geometry::Shape;
    /// use hitscan::{Aabb, Capsule, Sphere};
    ///
    /// let trigger = Shape::from(Aabb::from_min_max([0.0; 3], [4.0, 2.0, 4.0]));
    /// let player = |x: f32| Capsule::new([x, 0.5, 1.0], [x, 1.5, 1.0], 0.5);
    /// assert!(trigger.overlaps(player(2.0)) && trigger.overlaps(player(4.5)));
    /// assert!(!trigger.overlaps(player(4.75)));
    /// assert!(!trigger.overlaps(Sphere::new([5.0, 3.0, 2.0], 1.4)));
    /// ```
    #[must_use]
    pub fn overlaps(&self, other: impl Into<ConvexShape>) -> bool {
        self.overlaps_shape(&other.into().into())
    }

    /// The same for two that are both of this type, of which `other` is no frustum.
    pub(crate) fn overlaps_shape(&self, other: &Self) -> bool {
        let bounds = || Support::of(self).map_or(Aabb::EMPTY, |support| support.bounds());
        Core::near(other, bounds).is_some_and(|other| self.overlaps_core(&other))
    }

    fn overlaps_core(&self, other: &Core) -> bool {
        Core::near(self, || other.bounds()).is_some_and(|core| core.touches(other))
    }
}

impl Core {
    fn touches(&self, other: &Self) -> bool {
        let radius = self.radius + other.radius;
        let size = max(radius, max(self.size, other.size));
        if size == 0.0 || radius == f64::INFINITY {
            return true;
        }
        let in_units = |core: &Self| -> Points {
            core.points.iter().map(|&point| scale(point, 1.0 / size)).collect()
        };
        let reach = radius / size + TOLERANCE;
        let is_decided = |at_least: f64, at_most: f64| at_most <= reach || at_least > reach;
        let (one, other) = (in_units(self), in_units(other));
        nearest(&one, &other, [0.0; 3], &is_decided).at_least <= reach
    }
}
