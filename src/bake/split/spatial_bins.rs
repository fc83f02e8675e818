//! What the parts of a triangle between many parallel planes would be like: roughly, to find out what
//! a cut would cost, not to do it.

use glam::Vec4;

use super::super::bounds::{Bounds, greater, lesser};

/// A triangle as planes across one axis meet it: in a line from its longest edge to one of the others.
pub(super) struct TriangleSections {
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

impl TriangleSections {
    #[inline(always)]
    pub(super) fn new(corners: &[[f32; 3]; 3], axis: usize) -> Self {
        let [a, b, c] = [corners[0][axis], corners[1][axis], corners[2][axis]];
        // The first of the lowest and the last of the highest, which are never one.
        let low = if b < a { 1 } else { 0 };
        let low = if c < corners[low][axis] { 2 } else { low };
        let high = if b >= a { 1 } else { 0 };
        let high = if c >= corners[high][axis] { 2 } else { high };
        let middle = (3 - low - high) % 3;
        let at = [corners[low][axis], corners[middle][axis], corners[high][axis]];
        let corner = |i: usize| Vec4::new(corners[i][0], corners[i][1], corners[i][2], 0.0);
        let (low, middle, high) = (corner(low), corner(middle), corner(high));
        let steps = Vec4::new(at[2] - at[0], at[1] - at[0], at[2] - at[1], 1.0);
        let [whole, first, second, _] = (Vec4::ONE / steps).to_array();
        let edge =
            |from: Vec4, at: f32, to: Vec4, part: f32| Edge { from, at, way: (to - from) * part };
        Self {
            axis,
            at,
            longest: edge(low, at[0], high, whole),
            others: [edge(low, at[0], middle, first), edge(middle, at[1], high, second)],
        }
    }

    /// The ends of the line in which the plane at `at` meets the triangle, or its end nearest to there.
    #[inline(always)]
    fn line(&self, at: f32) -> [Vec4; 2] {
        let at = lesser(greater(at, self.at[0]), self.at[2]);
        let other = &self.others[usize::from(at >= self.at[1])];
        [self.longest.point(at), other.point(at)]
    }

    /// Tells the boxes of what lies in `bounds` and between neighbours of these planes, with the
    /// numbers of the planes below; the first and the last plane are at the ends of `bounds`.
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
            let high = if i < last { plane } else { bounds.max[self.axis] };
            let next = self.line(high);
            let within = Vec4::splat(low).cmple(middle_at) & middle_at.cmple(Vec4::splat(high));
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bake::prim_ref::PrimRef;
    use crate::bake::split::clip::cut;

    fn coordinate() -> impl Strategy<Value = f32> {
        prop_oneof![-10f32..10.0, (-4i8..4).prop_map(f32::from)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// As if the triangle were cut at one plane after the other, but for roundings.
        #[test]
        fn parts_are_as_cuts_make_them(
            corners in prop::array::uniform3(prop::array::uniform3(coordinate())),
            before in (0usize..3, 0f32..0.4, 0.6f32..1.0),
            axis in 0usize..3,
            slabs in 2usize..9,
        ) {
            // A part of the triangle, or all of it.
            let mut prim = PrimRef::new(7, &corners);
            let (min, max) = (prim.min[before.0], prim.max[before.0]);
            let at = |part: f32| min + (max - min) * part;
            for (at, side) in [(at(before.1), 1), (at(before.2), 0)] {
                if min < at && at < max {
                    prim = cut(&prim, &corners, before.0, at)[side].expect("it goes there");
                }
            }
            let (min, max) = (prim.min[axis], prim.max[axis]);
            prop_assume!(max - min > 1e-3);
            let planes: Vec<f32> = (0..=slabs)
                .map(|i| min + (max - min) * i as f32 / slabs as f32)
                .collect();

            let mut found = vec![None; slabs];
            TriangleSections::new(&corners, axis).parts(&Bounds::of(&prim), &planes, |slab, part| {
                assert!(found[slab].is_none(), "told twice of slab {slab}");
                found[slab] = Some(*part);
            });
            let mut rest = Some(prim);
            for (slab, found) in found.iter().enumerate() {
                let at = planes[slab + 1];
                let expected = match rest {
                    Some(whole) if slab + 1 < slabs && at < whole.max[axis] => {
                        let [below, above] = cut(&whole, &corners, axis, at);
                        rest = above;
                        below
                    }
                    whole => {
                        rest = None;
                        whole
                    }
                };
                let (Some(found), Some(expected)) = (found, expected) else {
                    continue;
                };
                for k in 0..3 {
                    let differences = [found.min[k] - expected.min[k], found.max[k] - expected.max[k]];
                    for difference in differences {
                        prop_assert!(
                            difference.abs() < 1e-3,
                            "slab {slab}: {found:?}, and not {expected:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_triangle_across_all_slabs_is_in_each() {
        let corners = [[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [0.0, 8.0, 2.0]];
        let planes = [0.0, 2.0, 4.0, 6.0, 8.0];
        let mut parts = Vec::new();
        let bounds = Bounds::of(&PrimRef::new(0, &corners));
        TriangleSections::new(&corners, 0).parts(&bounds, &planes, |slab, part| {
            parts.push((slab, part.min(), part.max()));
        });
        let part = |slab: usize| {
            let low = 2.0 * slab as f32;
            (slab, [low, 0.0, 0.0], [low + 2.0, 8.0 - low, 2.0 - low / 4.0])
        };
        assert_eq!(parts, [part(0), part(1), part(2), part(3)]);
    }
}
