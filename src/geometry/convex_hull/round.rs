//! Hulls in place of round shapes.

use glam::Vec3;

use super::ConvexHull;
use crate::array::Each;
use crate::error::{HullError, HullErrorKind};
use crate::geometry::sine::sine_and_cosine;
use crate::geometry::vec3_f64::{Vec3F64, add, cross, scale, sub, to_f32, to_f64, unit};

impl ConvexHull {
    /// A prism of `sides` sides in a cylinder, whose middle line leads from `a` to `b`: its corners
    /// are on the circles at both ends, computed in `f64` and rounded once, the same on every
    /// machine.
    ///
    /// The sides reach up to `radius * cos(pi / sides)`: of 16 sides 98.1 % of the radius, of 32
    /// sides 99.5 %. For sides that touch the cylinder from outside, give a radius larger by as
    /// much. There is no shape that is a cylinder, or a cone, without sides: answers about shapes
    /// are exact for what their numbers describe.
    ///
    /// # Errors
    ///
    /// [`Argument`](HullErrorKind::Argument) if `sides` is not from 3 to 32, or the radius is
    /// negative; otherwise as [`from_points`](Self::from_points) says. It is flat if the radius is
    /// zero, or the ends are in one place.
    ///
    /// ```
    /// use hitscan::glam::Vec3;
    /// use hitscan::{Builder, ConvexHull, Mesh, Query};
    ///
    /// let floor = Mesh::from_soup(vec![[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[floor])?;
    /// let barrel = ConvexHull::cylinder(Vec3::Y, 3.0 * Vec3::Y, 0.5, 16)?;
    /// let fall = bvh.first_contact(&barrel, [0.0, -4.0, 0.0], &Query::new()).expect("the floor");
    /// assert_eq!((fall.t, fall.normal), (0.25, Vec3::Y));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cylinder(
        a: impl Into<Vec3>,
        b: impl Into<Vec3>,
        radius: f32,
        sides: u32,
    ) -> Result<Self, HullError> {
        let (a, b) = (a.into(), b.into());
        let ring = ring([a, b], radius, sides, Self::MOST_CORNERS / 2)?;
        let at = |end: Vec3| ring.iter().map(move |&out| to_f32(add(to_f64(end), out)));
        Self::from_points(at(a).chain(at(b)))
    }

    /// A pyramid of `sides` sides in a cone, with a circle about `base` and a tip: the corners of
    /// its base are on the circle, as in [`cylinder`](Self::cylinder).
    ///
    /// # Errors
    ///
    /// [`Argument`](HullErrorKind::Argument) if `sides` is not from 3 to 63, or the radius is
    /// negative; otherwise as [`from_points`](Self::from_points) says.
    ///
    /// ```
    /// use hitscan::glam::Vec3;
    /// use hitscan::{ConvexHull, HullErrorKind};
    ///
    /// let cone = ConvexHull::cone(Vec3::ZERO, 2.0 * Vec3::Y, 0.5, 8)?;
    /// assert_eq!(cone.points().count(), 9);
    /// let refused = ConvexHull::cone(Vec3::ZERO, Vec3::Y, 0.5, 2).unwrap_err();
    /// assert_eq!(refused.kind(), HullErrorKind::Argument);
    /// # Ok::<(), hitscan::HullError>(())
    /// ```
    pub fn cone(
        base: impl Into<Vec3>,
        tip: impl Into<Vec3>,
        radius: f32,
        sides: u32,
    ) -> Result<Self, HullError> {
        let (base, tip) = (base.into(), tip.into());
        let ring = ring([base, tip], radius, sides, Self::MOST_CORNERS - 1)?;
        let at_base = ring.iter().map(|&out| to_f32(add(to_f64(base), out)));
        Self::from_points(at_base.chain([tip]))
    }
}

/// The ways from the middle of a circle, across a line, to some points of it.
fn ring(line: [Vec3; 2], radius: f32, sides: u32, most: usize) -> Result<Vec<Vec3F64>, HullError> {
    if !(3..=most).contains(&(sides as usize)) {
        let message = format!("expected 3 to {most} sides, found {sides}");
        return Err(HullError::new(HullErrorKind::Argument, message));
    }
    if radius < 0.0 {
        let message = format!("expected a radius from zero on, found {radius}");
        return Err(HullError::new(HullErrorKind::Argument, message));
    }
    let [a, b] = line.each(to_f64);
    let along = unit(sub(b, a));
    let mut least = [0.0; 3];
    let smallest = along.iter().fold(f64::INFINITY, |least, x| least.min(x.abs()));
    least[(0..3).find(|&k| along[k].abs() == smallest).unwrap_or(0)] = 1.0;
    let beside = unit(cross(along, least));
    let across = cross(along, beside);
    let point = |i: u32| {
        let angle = std::f64::consts::TAU * f64::from(i) / f64::from(sides);
        let [sine, cosine] = sine_and_cosine(angle).each(|part| part * f64::from(radius));
        add(scale(beside, cosine), scale(across, sine))
    };
    Ok((0..sides).map(point).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_on_the_circles_and_sides_are_as_many_as_asked() {
        let (a, b) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(2.0, 4.0, 1.0));
        let along = (b - a).normalize();
        for sides in [3, 4, 7, 16, 32] {
            let prism = ConvexHull::cylinder(a, b, 0.5, sides).expect("sound");
            assert_eq!(prism.points().count(), 2 * sides as usize);
            for point in prism.points() {
                let height = (point - a).dot(along);
                let off = (point - a - along * height).length() - 0.5;
                assert!(off.abs() < 1e-6 && height.abs().min((height - 3.0).abs()) < 1e-6);
            }
            let pyramid = ConvexHull::cone(a, b, 0.5, sides).expect("sound");
            assert_eq!(pyramid.points().count(), sides as usize + 1);
        }
        // Along an axis no face is bent by roundings.
        let upright = ConvexHull::cylinder(Vec3::Y, 3.0 * Vec3::Y, 0.3, 12).expect("sound");
        let count = |of: fn(&[u64]) -> usize| of(&upright.polytope().topology.on);
        assert_eq!(count(|on| on.len()), 14);
        assert_eq!(count(|on| on.iter().filter(|on| on.count_ones() == 12).count()), 2);
    }

    #[test]
    fn what_is_no_cylinder_or_cone_is_refused() {
        let kind = |hull: Result<ConvexHull, HullError>| hull.err().map(|error| error.kind());
        let cylinder =
            |b: Vec3, radius, sides| kind(ConvexHull::cylinder(Vec3::ZERO, b, radius, sides));
        assert_eq!(cylinder(Vec3::Y, 1.0, 32), None);
        for sides in [0, 2, 33, u32::MAX] {
            assert_eq!(cylinder(Vec3::Y, 1.0, sides), Some(HullErrorKind::Argument));
        }
        assert_eq!(cylinder(Vec3::Y, -1.0, 8), Some(HullErrorKind::Argument));
        assert_eq!(cylinder(Vec3::Y, 0.0, 8), Some(HullErrorKind::Flat));
        assert_eq!(cylinder(Vec3::ZERO, 1.0, 8), Some(HullErrorKind::Flat));
        assert_eq!(cylinder(Vec3::NAN, 1.0, 8), Some(HullErrorKind::NonFinite));
        assert_eq!(cylinder(Vec3::Y, f32::NAN, 8), Some(HullErrorKind::NonFinite));
        assert_eq!(kind(ConvexHull::cone(Vec3::ZERO, Vec3::Y, 1.0, 63)), None);
        assert_eq!(
            kind(ConvexHull::cone(Vec3::ZERO, Vec3::Y, 1.0, 64)),
            Some(HullErrorKind::Argument)
        );
    }
}
