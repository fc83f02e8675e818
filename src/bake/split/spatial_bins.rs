//! Bins for spatial splits: what the parts of triangles between parallel planes look like. The
//! boxes of the parts are rounded. They tell what a cut would cost and are not kept.

use glam::Vec4;

use super::super::bounds::{Bounds, greater, lesser};
use super::super::prim_ref::PrimRef;
use super::super::triangles::InputTriangle;
use super::binned::ROUND_TO_INT;
use super::sah::Bins;

/// Slabs on each axis.
pub(super) const SLABS: usize = 16;

/// The bins of the three axes.
pub(super) type SpatialBins = [Bins<SLABS>; 3];

/// The planes between the slabs.
pub(super) struct SlabGrid {
    /// `planes[axis][i]` is the lower end of slab `i`.
    pub(super) planes: [[f32; SLABS + 1]; 3],
    origin: Vec4,
    scale: Vec4,
    /// Which axes are tried.
    axes: [bool; 3],
}

impl SlabGrid {
    pub(super) fn new(bounds: &Bounds) -> Self {
        let mut grid = Self {
            planes: [[0.0; SLABS + 1]; 3],
            origin: Vec4::from_array(bounds.min),
            scale: Vec4::ZERO,
            axes: [true; 3],
        };
        for k in 0..3 {
            // In `f64`, where no width overflows.
            let (min, max) = (f64::from(bounds.min[k]), f64::from(bounds.max[k]));
            for (i, at) in grid.planes[k].iter_mut().enumerate() {
                *at = (min + (max - min) * (i as f64 / SLABS as f64)) as f32;
            }
            let scale = (SLABS as f64 / (max - min)) as f32;
            grid.scale[k] = if scale.is_finite() { scale } else { 0.0 };
        }
        grid
    }

    /// Drops axes along which some references, evenly spaced, span more than half of the slabs on
    /// average: a plane would cut that many of them, and finding it would take as long.
    pub(super) fn choose_axes(&mut self, prims: &[PrimRef]) {
        const SAMPLE: usize = 64;
        let mut spans = [0; 3];
        for i in 0..SAMPLE {
            let [first, last] = self.span(&prims[i * prims.len() / SAMPLE]);
            for axis in 0..3 {
                spans[axis] += last[axis].saturating_sub(first[axis]) as usize;
            }
        }
        self.axes = spans.map(|span| 2 * span <= SAMPLE * SLABS);
    }

    /// The first and the last slab that a reference lies in, on each axis. The fourth lanes are
    /// padding. Less than a thousandth of a slab does not count, so that rounding does not matter
    /// for references that end at a plane.
    #[inline(always)]
    fn span(&self, prim: &PrimRef) -> [[u32; 4]; 2] {
        let Bounds { min, max } = prim.bounds();
        let slab = |ends: [f32; 4], slack: f32| -> [u32; 4] {
            let at = (Vec4::from_array(ends) - self.origin) * self.scale;
            let at = (at + Vec4::splat(slack - 0.5)).max(Vec4::ZERO);
            let at = at.min(Vec4::splat((SLABS - 1) as f32));
            bytemuck::cast((at + Vec4::splat(ROUND_TO_INT)).to_array())
        };
        [slab(min, 1.0 / 1024.0), slab(max, -1.0 / 1024.0)]
    }
}

/// References of a batch: their spans are found first, then those across planes are cut, so that
/// few branches depend on which they are.
const BATCH: usize = 64;

/// What lies in a single slab. The last place is for what does not, and is ignored.
#[derive(Clone, Copy)]
struct UncutBins {
    boxes: [Bounds; SLABS + 1],
    counts: [u32; SLABS + 1],
}

/// A reference that lies across planes of an axis.
#[derive(Clone, Copy, Default)]
struct Straddler {
    /// Its index in the batch.
    prim: u8,
    axis: u8,
    first: u8,
    last: u8,
}

/// Fills the bins of the three axes.
pub(super) fn fill(prims: &[PrimRef], grid: &SlabGrid, triangles: &[InputTriangle]) -> SpatialBins {
    let mut filled = [Bins::EMPTY; 3];
    let empty = UncutBins { boxes: [Bounds::EMPTY; SLABS + 1], counts: [0; SLABS + 1] };
    let mut uncut = [empty; 3];
    for prims in prims.chunks(BATCH) {
        let mut straddlers = [Straddler::default(); 3 * BATCH];
        let mut count = 0;
        for (i, prim) in prims.iter().enumerate() {
            let bounds = prim.bounds();
            let [firsts, lasts] = grid.span(prim);
            for axis in 0..3 {
                if !grid.axes[axis] {
                    continue;
                }
                let first = firsts[axis] as usize % SLABS;
                let last = lasts[axis] as usize % SLABS;
                let straddles = first < last;
                straddlers[count] = Straddler {
                    prim: i as u8,
                    axis: axis as u8,
                    first: first as u8,
                    last: last as u8,
                };
                count += usize::from(straddles);
                let slab = (first + usize::from(straddles) * SLABS).min(SLABS);
                uncut[axis].boxes[slab].merge(&bounds);
                uncut[axis].counts[slab] += 1;
            }
        }
        for straddler in &straddlers[..count] {
            let prim = &prims[usize::from(straddler.prim)];
            let bins = &mut filled[usize::from(straddler.axis)];
            straddler.add_parts(prim, grid, triangles, bins);
        }
    }
    for (bins, uncut) in filled.iter_mut().zip(&uncut) {
        for slab in 0..SLABS {
            bins.boxes[slab].merge(&uncut.boxes[slab]);
            bins.entries[slab] += uncut.counts[slab];
            bins.exits[slab] += uncut.counts[slab];
        }
    }
    filled
}

impl Straddler {
    /// Adds the reference's parts to the bins of its axis.
    #[inline(always)]
    fn add_parts(
        &self,
        prim: &PrimRef,
        grid: &SlabGrid,
        triangles: &[InputTriangle],
        bins: &mut Bins<SLABS>,
    ) {
        let axis = usize::from(self.axis);
        let first = usize::from(self.first);
        let corners = &triangles[prim.index as usize].corners;
        let planes = &grid.planes[axis][first..usize::from(self.last) + 2];
        let (mut entry, mut exit) = (None, first);
        TriangleSections::new(corners, axis).parts(&prim.bounds(), planes, |slab, part| {
            bins.boxes[first + slab].merge(part);
            entry.get_or_insert(first + slab);
            exit = first + slab;
        });
        if let Some(entry) = entry {
            bins.entries[entry] += 1;
            bins.exits[exit] += 1;
        }
    }
}

/// A triangle and the planes across an axis. Each plane meets it in a segment from its longest edge
/// to one of the other two.
struct TriangleSections {
    axis: usize,
    /// Where the triangle begins, has its middle corner, and ends.
    at: [f32; 3],
    longest: Edge,
    /// From the lowest corner to the middle one, and from there to the highest.
    others: [Edge; 2],
}

/// An edge, upwards along the axis.
#[derive(Clone, Copy)]
struct Edge {
    from: Vec4,
    at: f32,
    /// The way for a step of one along the axis; NaN or infinite if the edge makes no step.
    slope: Vec4,
}

impl Edge {
    #[inline(always)]
    fn point(&self, at: f32) -> Vec4 {
        self.from + self.slope * (at - self.at)
    }
}

impl TriangleSections {
    #[inline(always)]
    fn new(corners: &[[f32; 3]; 3], axis: usize) -> Self {
        let [a, b, c] = [corners[0][axis], corners[1][axis], corners[2][axis]];
        // The first of the lowest and the last of the highest, which are never the same.
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
        let edge = |from: Vec4, at: f32, to: Vec4, reciprocal: f32| Edge {
            from,
            at,
            slope: (to - from) * reciprocal,
        };
        Self {
            axis,
            at,
            longest: edge(low, at[0], high, whole),
            others: [edge(low, at[0], middle, first), edge(middle, at[1], high, second)],
        }
    }

    /// The ends of the segment in which the plane at `at` meets the triangle. For a plane beside
    /// the triangle, its nearest end.
    #[inline(always)]
    fn segment(&self, at: f32) -> [Vec4; 2] {
        let at = lesser(greater(at, self.at[0]), self.at[2]);
        let other = &self.others[usize::from(at >= self.at[1])];
        [self.longest.point(at), other.point(at)]
    }

    /// Calls `part` for each part between neighbouring planes, with the index of the plane below
    /// and the part's box within `bounds`. The first and the last plane are taken to be at the ends
    /// of `bounds`.
    #[inline(always)]
    fn parts(&self, bounds: &Bounds, planes: &[f32], mut part: impl FnMut(usize, &Bounds)) {
        let last = planes.len() - 1;
        let (middle, middle_at) = (self.others[1].from, Vec4::splat(self.at[1]));
        let mut low = bounds.min[self.axis];
        let mut segment = self.segment(low);
        for (i, &plane) in planes.iter().enumerate().skip(1) {
            let high = if i < last { plane } else { bounds.max[self.axis] };
            let next = self.segment(high);
            let within = Vec4::splat(low).cmple(middle_at) & middle_at.cmple(Vec4::splat(high));
            let corner = Vec4::select(within, middle, segment[0]);
            let mut between = Bounds::EMPTY;
            // NaN changes nothing.
            for point in [segment[0], segment[1], corner, next[0], next[1]] {
                between.extend(&point.to_array());
            }
            if let Some(between) = between.intersection(bounds) {
                part(i - 1, &between);
            }
            (low, segment) = (high, next);
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

        /// As if the triangle were cut at one plane after the other, except for rounding.
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
                    prim = cut(&prim, &corners, before.0, at)[side].expect("a part there");
                }
            }
            let (min, max) = (prim.min[axis], prim.max[axis]);
            prop_assume!(max - min > 1e-3);
            let planes: Vec<f32> = (0..=slabs)
                .map(|i| min + (max - min) * i as f32 / slabs as f32)
                .collect();

            let mut found = vec![None; slabs];
            TriangleSections::new(&corners, axis).parts(&prim.bounds(), &planes, |slab, part| {
                assert!(found[slab].is_none(), "slab {slab} twice");
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
                    let low = found.min[k] - expected.min[k];
                    let high = found.max[k] - expected.max[k];
                    for difference in [low, high] {
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
    fn a_triangle_across_all_slabs_has_a_part_in_each() {
        let corners = [[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [0.0, 8.0, 2.0]];
        let planes = [0.0, 2.0, 4.0, 6.0, 8.0];
        let mut parts = Vec::new();
        let bounds = PrimRef::new(0, &corners).bounds();
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
