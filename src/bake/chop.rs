//! What the parts of a triangle between many parallel planes would be like: roughly, to find out what
//! a cut would cost, not to do it.

use glam::Vec4;

use super::bounds::{Bounds, greater, lesser};

/// A triangle as planes across one axis meet it: in a line from its longest edge to one of the others.
pub(super) struct Sections {
    axis: usize,
    /// Where it begins, has its middle corner, and ends.
    at: [f32; 3],
    longest: Edge,
    /// From the lowest corner to the middle one, and on from there.
    others: [Edge; 2],
}

/// An edge upwards.
#[derive(Clone, Copy)]
struct Edge {
    from: Vec4,
    at: f32,
    /// The way for a step of one along the axis; no numbers where the edge makes no step.
    way: Vec4,
}

impl Edge {
    #[inline(always)]
    fn point(&self, at: f32) -> Vec4 {
        self.from + self.way * (at - self.at)
    }
}

impl Sections {
    #[inline(always)]
    pub(super) fn new(corners: &[[f32; 3]; 3], axis: usize) -> Self {
        let [a, b, c] = [corners[0][axis], corners[1][axis], corners[2][axis]];
        // The first of the lowest and the last of the highest, which are never one.
        let low = if b < a { 1 } else { 0 };
        let low = if c < corners[low][axis] { 2 } else { low };
        let high = if b >= a { 1 } else { 0 };
        let high = if c >= corners[high][axis] { 2 } else { high };
        let middle = (3 - low - high) % 3;
        let at = [
            corners[low][axis],
            corners[middle][axis],
            corners[high][axis],
        ];
        let corner = |i: usize| Vec4::new(corners[i][0], corners[i][1], corners[i][2], 0.0);
        let (low, middle, high) = (corner(low), corner(middle), corner(high));
        let steps = Vec4::new(at[2] - at[0], at[1] - at[0], at[2] - at[1], 1.0);
        let [whole, first, second, _] = (Vec4::ONE / steps).to_array();
        let edge = |from: Vec4, at: f32, to: Vec4, part: f32| Edge {
            from,
            at,
            way: (to - from) * part,
        };
        Self {
            axis,
            at,
            longest: edge(low, at[0], high, whole),
            others: [
                edge(low, at[0], middle, first),
                edge(middle, at[1], high, second),
            ],
        }
    }

    /// The ends of the line in which the plane at `at` meets the triangle, or its end nearest to there.
    #[inline(always)]
    fn line(&self, at: f32) -> [Vec4; 2] {
        let at = lesser(greater(at, self.at[0]), self.at[2]);
        let other = &self.others[usize::from(at >= self.at[1])];
        [self.longest.point(at), other.point(at)]
    }

    /// Tells the boxes of what lies in `bounds` and between neighbours of these planes, with the numbers of
    /// the planes below; the first and the last plane are at the ends of `bounds`.
    #[inline(always)]
    pub(super) fn parts(
        &self,
        bounds: &Bounds,
        planes: &[f32],
        mut part: impl FnMut(usize, &Bounds),
    ) {
        let last = planes.len() - 1;
        let (middle, middle_at) = (self.others[1].from, Vec4::splat(self.at[1]));
        let mut low = bounds.min[self.axis];
        let mut line = self.line(low);
        for (i, &plane) in planes.iter().enumerate().skip(1) {
            let high = if i < last {
                plane
            } else {
                bounds.max[self.axis]
            };
            let next = self.line(high);
            let within =
                Vec4::splat(low).cmple(middle_at) & middle_at.cmple(Vec4::splat(high));
            let corner = Vec4::select(within, middle, line[0]);
            let mut between = Bounds::EMPTY;
            // What is no number changes nothing.
            for point in [line[0], line[1], corner, next[0], next[1]] {
                between.extend(&point.to_array());
            }
            if let Some(between) = between.within(bounds) {
                part(i - 1, &between);
            }
            (low, line) = (high, next);
        }
    }
}
