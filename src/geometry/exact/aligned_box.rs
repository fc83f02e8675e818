//! Boxes along the axes of coordinates that move.

use super::axes::{Axes, Axis, Solid, estimate, exact};
use super::bigint::Int3392;
use super::int128::span;
use super::number::{Ordered, cross, difference};
use super::quick_box::QuickBox;
use crate::array::Each;
use crate::geometry::vec3_f64::Corners;

/// A box along the axes, by two corners.
pub(in crate::geometry) struct AlignedBox(pub(in crate::geometry) [[f32; 3]; 2]);

/// As [`TurnedBoxAxes`](super::turned_box::TurnedBoxAxes), of a box along the axes: the same
/// numbers, without multiplications by zero or one.
pub(in crate::geometry) struct AlignedBoxAxes<N> {
    edges: [[N; 3]; 3],
    /// From the middle of the box to the vertices.
    vertices: [[N; 3]; 3],
    /// From face to face.
    sides: [N; 3],
    motion: [N; 3],
}

impl Solid for AlignedBox {
    type Axes<'a, N: Ordered> = AlignedBoxAxes<N>;

    #[inline(always)]
    fn axes<N: Ordered>(&self, motion: [f32; 3], corners: &Corners) -> AlignedBoxAxes<N> {
        let Self([min, max]) = self;
        let at = |corner: [f32; 3], k: usize| {
            N::sum_of([[2.0, corner[k]], [-1.0, min[k]], [-1.0, max[k]]])
        };
        AlignedBoxAxes {
            edges: [0, 1, 2].each(|i| difference(corners[(i + 1) % 3], corners[i])),
            vertices: (*corners).each(|corner| [0, 1, 2].each(|k| at(corner, k))),
            sides: [0, 1, 2].each(|k| N::sum_of([[1.0, max[k]], [-1.0, min[k]]])),
            motion: motion.each(|x| N::sum_of([[2.0, x]])),
        }
    }

    #[inline(always)]
    fn quick(&self, motion: [f32; 3], corners: &Corners, bound: f32) -> Option<Option<f32>> {
        QuickBox::first_touch(&self.0, motion, corners, bound)
    }

    #[inline(never)]
    fn slow(&self, motion: [f32; 3], corners: &Corners) -> Option<f32> {
        let doubt = if is_on_grid(&self.0, motion, corners) { 0.0 } else { 1.0 };
        estimate(&self.axes(motion, corners), doubt)
            .unwrap_or_else(|| exact(&self.axes::<Int3392>(motion, corners)))
    }
}

impl<N: Ordered> AlignedBoxAxes<N> {
    /// The axis along two of the coordinates, `p` and `q`. `normal` is the same in full.
    #[inline(always)]
    fn across(&self, [p, q]: [usize; 2], along: [N; 2], normal: [N; 3]) -> Axis<N> {
        let of = |v: &[N; 3]| along[0].mul(&v[p]).add(&along[1].mul(&v[q]));
        let heights = self.vertices.refs().each(of);
        let radius = along[0].mul(&self.sides[p]).abs().add(&along[1].mul(&self.sides[q]).abs());
        Axis::of(normal, heights, [radius.negative(), radius], of(&self.motion))
    }
}

impl<N: Ordered> Axes<N> for AlignedBoxAxes<N> {
    #[inline(always)]
    fn count(&self) -> usize {
        13
    }

    #[inline(always)]
    fn faces(&self) -> usize {
        3
    }

    #[inline(always)]
    fn axis(&self, number: usize) -> Axis<N> {
        let Self { edges, vertices, sides, motion } = self;
        let zero = N::from_f32(0.0);
        match number {
            0 => {
                let normal = cross(&edges[0], &edges[1]);
                let [x, y, z] = [0, 1, 2].each(|k: usize| normal[k].mul(&sides[k]).abs());
                let radius = x.add(&y).add(&z);
                Axis::new(normal, vertices, [radius.negative(), radius], motion)
            }
            1..4 => {
                let k = number - 1;
                let mut normal = [zero; 3];
                normal[k] = N::from_f32(1.0);
                let solid = [sides[k].negative(), sides[k]];
                Axis::of(normal, vertices.refs().each(|vertex| vertex[k]), solid, motion[k])
            }
            _ => {
                let (k, edge) = ((number - 4) / 3, &edges[(number - 4) % 3]);
                let (p, q) = ((k + 1) % 3, (k + 2) % 3);
                let mut normal = [zero; 3];
                // Zeros with the signs that the products have.
                normal[k] = zero.mul(&edge[q]).sub(&zero.mul(&edge[p]));
                normal[p] = zero.mul(&edge[k]).sub(&edge[q]);
                normal[q] = edge[p].sub(&zero.mul(&edge[k]));
                self.across([p, q], [edge[q].negative(), edge[p]], normal)
            }
        }
    }
}

/// Whether nothing on the axes of a box is rounded, which is common in levels that are built on a
/// grid.
///
/// **Lemma 87 (grids).** Let all numbers be whole multiples of a unit, below 2^15 of them, and the
/// box along the axes. Sides are below 2^16 and a normal below 2^33. A vertex, doubled and as seen
/// from the doubled middle, is below 2^17, and a height below 2^52. With the radius it is below
/// 2^53.
fn is_on_grid(local: &[[f32; 3]; 2], motion: [f32; 3], corners: &Corners) -> bool {
    let numbers = local.as_flattened().iter().chain(&motion).chain(corners.as_flattened());
    let (low, high) = span(numbers);
    high - low <= 15
}

#[cfg(test)]
mod tests {
    use super::super::number::Estimate;
    use super::super::turned_box::TurnedBox;
    use super::*;
    use crate::geometry::turned_bounds::ALONG_AXES;
    use crate::test_rng::point;

    fn bits(axis: &Axis<Estimate>) -> Vec<u64> {
        let Axis { normal, heights, solid, low, high, speed } = axis;
        let normal_bits = normal.iter().map(|x| x.value.to_bits());
        // But for the signs of zeros.
        let numbers = heights.iter().chain(solid).chain([low, high, speed]);
        let numbers = numbers.map(|x| (x.value + 0.0).to_bits());
        let errors = normal.iter().chain(heights).chain(solid).chain([low, high, speed]);
        normal_bits.chain(numbers).chain(errors.map(|x| x.error().to_bits())).collect()
    }

    #[test]
    fn axes_are_those_of_any_box() {
        let mut state = 3;
        for i in 0..if cfg!(miri) { 20 } else { 4_000 } {
            let mut next = || point(&mut state, [1.0, 1e-30, 1e30, 1e3][i % 4], i / 4 % 2 == 0);
            let (a, b) = (next(), next());
            let local = [f32::min, f32::max].map(|f| [0, 1, 2].map(|k| f(a[k], b[k])));
            let (motion, mut corners) = (next(), [next(), next(), next()]);
            if i / 8 % 4 == 0 {
                corners[1][i / 32 % 3] = corners[0][i / 32 % 3];
            }
            let aligned = AlignedBox(local).axes::<Estimate>(motion, &corners);
            let any = TurnedBox { columns: ALONG_AXES, local };
            let any = any.axes::<Estimate>(motion, &corners);
            for number in 0..any.count() {
                let [one, other] = [aligned.axis(number), any.axis(number)];
                assert_eq!(bits(&one), bits(&other), "{number}: {local:?} {motion:?} {corners:?}");
            }
        }
    }

    /// A clear answer in `f64` is the answer of integers, and on a grid all but all are clear.
    #[test]
    fn nothing_is_rounded_on_a_grid() {
        let (mut state, mut on_grid, mut clear, mut touching) = (5, 0, 0, 0);
        for i in 0..if cfg!(miri) { 20 } else { 4_000 } {
            let size = [1.0, 1e-30, 1e30, 1e3][i % 4];
            let mut next = |size: f32| point(&mut state, size, i / 4 % 2 == 0);
            let (a, b) = (next(size * 0.5), next(size * 0.5));
            let local = [f32::min, f32::max].map(|f| [0, 1, 2].map(|k| f(a[k], b[k])));
            let motion = next([size, size * 8.0, 0.0][i / 8 % 3]);
            let corners = [next(size), next(size), next(size)];
            if !is_on_grid(&local, motion, &corners) {
                continue;
            }
            on_grid += 1;
            let truth = exact(&AlignedBox(local).axes::<Int3392>(motion, &corners));
            touching += usize::from(truth.is_some());
            if let Some(found) = estimate(&AlignedBox(local).axes(motion, &corners), 0.0) {
                let bits = |t: Option<f32>| t.map(f32::to_bits);
                assert_eq!(bits(found), bits(truth), "{local:?} {motion:?} {corners:?}");
                clear += 1;
            }
        }
        println!("{on_grid} on a grid, {clear} clear, {touching} touch");
        assert!(cfg!(miri) || (on_grid > 500 && touching > 100 && clear * 20 >= on_grid * 19));
    }

    #[test]
    fn a_grid_has_fifteen_bits() {
        let is_grid = |far: f32| {
            let corners = [[1.0, 2.0, 3.0], [far, 2.0, 1.0], [3.0, 0.0, 0.0]];
            is_on_grid(&[[0.0; 3], [1.0; 3]], [4.0, 0.0, 0.0], &corners)
        };
        assert!(is_grid(32767.0) && is_grid(16384.0));
        assert!(!is_grid(32768.0) && !is_grid(32766.5));
    }
}
