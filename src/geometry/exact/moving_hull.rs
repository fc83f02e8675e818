//! Convex hulls as solids that move.

use super::axes::{Numbers, Solid, enters_by, estimate, exact};
use super::bigint::Int3392;
use super::number::Ordered;
use super::polytope::{Polytope, PolytopeAxes, Unseen};
use super::quick_hull::{on_axes_that_matter, quick_hull};
use crate::geometry::vec3_f64::Corners;

impl Solid for Polytope {
    type Axes<'a, N: Ordered> = PolytopeAxes<'a, N>;

    #[inline]
    fn axes<N: Ordered>(&self, motion: [f32; 3], corners: &Corners) -> PolytopeAxes<'_, N> {
        self.seen_axes(motion, corners)
    }

    #[inline(always)]
    fn quick(&self, motion: [f32; 3], corners: &Corners, bound: f32) -> Option<Option<f32>> {
        quick_hull(self, &self.axes(motion, corners), bound)
    }

    fn is_in_by(&self, moving: &PolytopeAxes<'_, f64>, last: f64) -> bool {
        on_axes_that_matter(self, moving, &mut |_, heights, speed, _| {
            enters_by(heights, speed, last)
        })
    }

    fn axes_that_matter(&self, moving: &PolytopeAxes<'_, f64>) -> Numbers {
        let mut numbers = Numbers::new();
        on_axes_that_matter(self, moving, &mut |number, _, _, _| {
            numbers.push(number as u16);
            true
        });
        numbers.sort_unstable();
        numbers
    }

    #[inline(never)]
    fn slow(&self, motion: [f32; 3], corners: &Corners) -> Option<f32> {
        estimate(&self.axes(motion, corners), 1.0).unwrap_or_else(|| {
            let points = Unseen(&self.points);
            exact(&PolytopeAxes::<Int3392, _>::new(self, points, motion, corners))
        })
    }
}
