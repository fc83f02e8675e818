//! Boxes in any position that move.

use super::axes::{Axes, Axis, Solid, estimate, exact};
use super::bigint::{Int1024, Int3392};
use super::number::{Estimate, Number, Ordered, cross, difference, dot, point};
use super::quick_times::{CrossAxes, quick};
use crate::array::Each;
use crate::geometry::vec3_f64::{Corners, max, max_abs};

/// A box, by the columns of the map that takes it from `local` to its place. The last one is the
/// translation.
pub(in crate::geometry) struct TurnedBox {
    pub(in crate::geometry) columns: [[f32; 3]; 4],
    pub(in crate::geometry) local: [[f32; 3]; 2],
}

/// The axes are the triangle's normal, the normals of the faces of the box, and the axes across an
/// edge of each (Gottschalk, Lin and Manocha, "OBBTree", 1996). They are enough for flat boxes and
/// triangles without an area, too: a flat shape is the part that all shapes which are a little
/// thicker have in common.
pub(in crate::geometry) struct TurnedBoxAxes<N> {
    columns: [[N; 3]; 3],
    edges: [[N; 3]; 3],
    /// From the middle of the box to the vertices.
    vertices: [[N; 3]; 3],
    /// From face to face.
    sides: [[N; 3]; 3],
    motion: [N; 3],
}

impl Solid for TurnedBox {
    type Axes<'a, N: Ordered> = TurnedBoxAxes<N>;

    #[inline(always)]
    fn axes<N: Ordered>(&self, motion: [f32; 3], corners: &Corners) -> TurnedBoxAxes<N> {
        let (&[a, b, c, origin], &[min, max]) = (&self.columns, &self.local);
        let vertex = |corner: [f32; 3]| {
            [0, 1, 2].each(|k| {
                N::sum_of([
                    [2.0, corner[k]],
                    [-2.0, origin[k]],
                    [-a[k], min[0]],
                    [-a[k], max[0]],
                    [-b[k], min[1]],
                    [-b[k], max[1]],
                    [-c[k], min[2]],
                    [-c[k], max[2]],
                ])
            })
        };
        let side =
            |column: [f32; 3], i: usize| column.each(|x| N::sum_of([[x, max[i]], [-x, min[i]]]));
        TurnedBoxAxes {
            columns: [a, b, c].each(point),
            edges: [0, 1, 2].each(|i| difference(corners[(i + 1) % 3], corners[i])),
            vertices: (*corners).each(vertex),
            sides: [side(a, 0), side(b, 1), side(c, 2)],
            motion: motion.each(|x| N::sum_of([[2.0, x]])),
        }
    }

    #[inline(always)]
    fn quick(&self, motion: [f32; 3], corners: &Corners, bound: f32) -> Option<Option<f32>> {
        quick(&self.axes(motion, corners), self.largest(motion, corners), bound)
    }

    #[inline(never)]
    fn slow(&self, motion: [f32; 3], corners: &Corners) -> Option<f32> {
        estimate(&self.axes(motion, corners), 1.0)
            .unwrap_or_else(|| exact(&self.axes::<Int3392>(motion, corners)))
    }
}

impl TurnedBox {
    /// `z` of Lemma 104.
    #[inline(always)]
    pub(super) fn largest(&self, motion: [f32; 3], corners: &Corners) -> f64 {
        let most = |v: [f32; 3]| max_abs(v.each(f64::from));
        let ([a, b, c, origin], [min, max_corner]) = (&self.columns, &self.local);
        let along = |column: &[f32; 3], i: usize| {
            most(*column) * (f64::from(min[i]).abs() + f64::from(max_corner[i]).abs())
        };
        let sides = along(a, 0) + along(b, 1) + along(c, 2);
        let far = corners.iter().fold(most(motion), |far, &corner| max(most(corner), far));
        2.0 * (most(*origin) + far) + sides
    }
}

impl<N: Ordered> Axes<N> for TurnedBoxAxes<N> {
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
        let [one, other] = self.factors(number);
        let normal = cross(one, other);
        let [x, y, z] = self.sides.refs().each(|side| dot(&normal, side).abs());
        let radius = x.add(&y).add(&z);
        let solid = [radius.negative(), radius];
        Axis::new(normal, &self.vertices, solid, &self.motion)
    }
}

impl<N> TurnedBoxAxes<N> {
    /// Each axis is across two vectors.
    #[inline(always)]
    fn factors(&self, number: usize) -> [&[N; 3]; 2] {
        let Self { columns, edges, .. } = self;
        match number {
            0 => [&edges[0], &edges[1]],
            1..4 => [&columns[number % 3], &columns[(number + 1) % 3]],
            _ => [&columns[(number - 4) / 3], &edges[(number - 4) % 3]],
        }
    }
}

impl CrossAxes for TurnedBoxAxes<f64> {
    #[inline(always)]
    fn factors(&self, number: usize) -> [[f64; 3]; 2] {
        self.factors(number).each(|factor| *factor)
    }
}

/// Whether the map of these columns keeps volumes above zero.
pub(in crate::geometry) fn has_volume(columns: &[[f32; 3]; 4]) -> bool {
    fn determinant<N: Number>(columns: &[[f32; 3]; 4]) -> Option<i32> {
        let [a, b, c] = [0, 1, 2].each(|k: usize| point::<N>(columns[k]));
        dot(&cross(&a, &b), &c).sign()
    }
    let sign = determinant::<Estimate>(columns).or_else(|| determinant::<Int1024>(columns));
    sign != Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::turned_bounds::ALONG_AXES;
    use crate::test_rng::{bits, point};

    /// A clear answer in `f64` is the answer of integers, to the last bit, and most are clear.
    #[test]
    fn estimates_are_exact_or_in_doubt() {
        let (mut state, mut touching, mut apart, mut unclear) = (5, 0, 0, 0);
        for i in 0..if cfg!(miri) { 20 } else { 6_000 } {
            let size = [1.0, 1e-30, 1e30, 1e3][i % 4];
            let grid = i / 4 % 3 == 0;
            let mut point = |size: f32| point(&mut state, size, grid);
            let mut columns = ALONG_AXES;
            if i / 12 % 2 == 0 {
                columns = [point(1.0), point(1.0), point(1.0), point(size)];
            }
            let (a, b) = (point(size * 0.5), point(size * 0.5));
            let local = [f32::min, f32::max].map(|f| [0, 1, 2].map(|k| f(a[k], b[k])));
            let motion = point([size, size * 8.0, 0.0][i / 24 % 3]);
            let mut corners = [point(size), point(size), point(size)];
            match i / 72 % 5 {
                0 => corners[2] = corners[0],
                1 => corners[1] = corners[2],
                _ => {}
            }
            if !has_volume(&columns) {
                continue;
            }
            let solid = TurnedBox { columns, local };
            let truth = exact(&solid.axes::<Int3392>(motion, &corners));
            match estimate(&solid.axes(motion, &corners), 1.0) {
                None => unclear += 1,
                Some(found) => {
                    let bits = |t: Option<f32>| t.map(f32::to_bits);
                    assert_eq!(bits(found), bits(truth), "{columns:?} {local:?} {motion:?}");
                    *(if found.is_some() { &mut touching } else { &mut apart }) += 1;
                }
            }
        }
        println!("{touching} touch, {apart} are apart, {unclear} unclear");
        assert!(cfg!(miri) || (touching > 700 && apart > 2_000));
    }

    /// A whole number of at most this many bits, or its negative.
    fn whole(state: &mut u64, size: u32) -> f32 {
        let number = (bits(state) >> (32 - size)) as f32;
        if bits(state) >> 31 == 0 { number } else { -number }
    }

    /// A vertex comes to a face, an edge or a corner of the box: exactly, or off by less than the
    /// roundings of `f64`, which does not hold the products. Also at a time that is in the middle
    /// of two numbers, and while the box slides along the face.
    #[test]
    fn estimates_of_boxes_that_just_touch_are_exact_or_in_doubt() {
        let (mut state, mut clear, mut unclear) = (9, [0; 2], 0);
        for i in 0..if cfg!(miri) { 20 } else { 8_000 } {
            let mut point = |size: u32| [(); 3].map(|()| whole(&mut state, size));
            let times = |v: [f32; 3], by: f32| v.map(|x| x * by);
            let (mut axes, mut motion) = ([point(19), point(19), point(19)], times(point(19), 2.0));
            let local = [[-1.0, -2.0, -1.0], [2.0, 1.0, 1.0]];
            let (mut origin, mut t) = ([0.0; 3], [0.5, 0.5, 1.0, 0.0][i % 4]);
            match i / 4 % 5 {
                0 => origin = times(point(10), 512.0),
                // Nearly there: the vertex is placed as if this were zero.
                1 => origin = times(point(4), 2f32.powi(-26 - i as i32 / 20 % 12)),
                kind @ 2..4 => {
                    motion = [0, 1, 2].map(|k| (axes[1][k] - axes[2][k]) * 2.0);
                    if kind == 3 {
                        origin = times(point(4), 2f32.powi(-26 - i as i32 / 20 % 12));
                    }
                }
                _ => {
                    axes = axes.map(|axis| axis.map(|x| (x / 32.0).trunc() * 512.0));
                    origin = point(4);
                    motion = times(origin, -(2f32.powi(25)));
                    t = 0.5;
                }
            }
            let mut on = point(1);
            on[i / 20 % 3] = local[i / 60 % 2][i / 20 % 3];
            let touched = [0, 1, 2].map(|k| {
                let moved = motion[k] * t + if i / 4 % 5 == 0 { origin[k] } else { 0.0 };
                (0..3).fold(moved, |sum, j| sum + axes[j][k] * on[j])
            });
            let corners = [touched, point(22), point(22)];
            let columns = [axes[0], axes[1], axes[2], origin];
            if !has_volume(&columns) {
                continue;
            }
            let solid = TurnedBox { columns, local };
            let truth = exact(&solid.axes::<Int3392>(motion, &corners));
            match estimate(&solid.axes(motion, &corners), 1.0) {
                None => unclear += 1,
                Some(found) => {
                    let bits = |t: Option<f32>| t.map(f32::to_bits);
                    assert_eq!(bits(found), bits(truth), "{columns:?} {motion:?} {corners:?}");
                    clear[usize::from(found.is_some())] += 1;
                }
            }
        }
        println!("{clear:?} apart and touching, {unclear} unclear");
        assert!(cfg!(miri) || clear[0] > 10 && clear[1] > 4_000 && unclear > 200);
    }

    #[test]
    fn a_map_has_a_volume_unless_its_exact_determinant_is_zero() {
        let mut state = 3;
        for _ in 0..200 {
            let mut point = || [(); 3].map(|()| whole(&mut state, 22));
            let (a, b) = (point(), point());
            let sum = [0, 1, 2].map(|k| a[k] + b[k]);
            assert!(!has_volume(&[a, b, sum, a]), "{a:?} {b:?}");
            let beside = [sum[0] + 1.0, sum[1], sum[2]];
            let is_flat = a[1] * b[2] == a[2] * b[1];
            assert!(has_volume(&[a, b, beside, a]) || is_flat, "{a:?} {b:?}");
            assert!(has_volume(&[b, a, beside, a]) || is_flat, "{a:?} {b:?}");
        }
        assert!(has_volume(&ALONG_AXES));
    }
}
