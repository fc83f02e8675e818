//! The first try at the time at which a box along the axes touches a triangle: in `f64`, with one
//! bound on all errors of an axis.

use super::quick_times::Times;
use crate::array::Each;
use crate::geometry::vec3_f64::{Corners, Vec3F64, max, max_abs, min, sub};

/// A number on an axis may be off by this much, for each unit of the axis and of the largest
/// number.
///
/// **Lemma 103 (quick times of boxes).** Let `e = 2^-53`, and `z` be four times the largest
/// coordinate and twice the largest of the motion. Edges are off by `e` times themselves, vertices
/// as seen from the box by `2 e z`, sides by `e z`. Let `s` be the sum of the magnitudes of the
/// products, or numbers, that an axis is made of. It is off by `4 e s` at most. So heights are off
/// by `9 e s z`, what the box reaches by `8 e s z`, their sum rounds by `2 e s z`, and the speed,
/// for a time up to 1, is off by `7 e s z`. That is 26 in all.
///
/// Nothing underflows or overflows.
const ROOM: f64 = 1.0 / (1u64 << 48) as f64;

/// A box and a triangle. Vertices are seen from the box, and doubled as the motion is.
pub(super) struct QuickBox {
    vertices: [Vec3F64; 3],
    edges: [Vec3F64; 3],
    /// From face to face.
    sides: Vec3F64,
    motion: Vec3F64,
}

/// Box and triangle touch on an axis while the heights of the triangle are within `radius` of the
/// height of the box.
struct OnAxis {
    heights: [f64; 3],
    radius: f64,
    speed: f64,
    /// The sum of the magnitudes of what the axis is made of.
    size: f64,
}

impl QuickBox {
    /// As [`Solid::first_touch`](super::axes::Solid::first_touch): `None` if it is in doubt.
    #[inline(always)]
    pub(super) fn first_touch(
        local: &[[f32; 3]; 2],
        motion: [f32; 3],
        corners: &Corners,
        bound: f32,
    ) -> Option<Option<f32>> {
        let (quick, largest) = Self::new(local, motion, corners);
        let (mut times, room) = (Times::ALL, ROOM * largest);
        let narrow = |times: &mut Times, on: OnAxis| {
            times.narrow(on.least_and_most(), on.speed, room * on.size);
        };
        for k in 0..3 {
            narrow(&mut times, quick.along(k));
        }
        narrow(&mut times, quick.on_normal());
        if times.are_after(bound) {
            return Some(None);
        }
        for edge in 0..3 {
            for k in 0..3 {
                narrow(&mut times, quick.across(edge, k));
            }
        }
        times.first(bound)
    }

    /// And `z` of Lemma 103.
    #[inline(always)]
    fn new([from, to]: &[[f32; 3]; 2], motion: [f32; 3], corners: &Corners) -> (Self, f64) {
        let real = |v: [f32; 3]| v.each(f64::from);
        let corners = (*corners).each(real);
        let (low, high) = (real(*from), real(*to));
        let motion = motion.each(|x| 2.0 * f64::from(x));
        let far = [corners[0], corners[1], corners[2], low, high].into_iter().map(max_abs);
        let largest = 4.0 * far.fold(0.0, max) + max_abs(motion);
        let vertices = corners.each(|v| [0, 1, 2].each(|k| 2.0 * v[k] - low[k] - high[k]));
        let edges = [0, 1, 2].each(|i| sub(corners[(i + 1) % 3], corners[i]));
        (Self { vertices, edges, sides: sub(high, low), motion }, largest)
    }

    /// An axis of coordinates.
    #[inline(always)]
    fn along(&self, k: usize) -> OnAxis {
        let heights = self.vertices.each(|vertex| vertex[k]);
        OnAxis { heights, radius: self.sides[k], speed: self.motion[k], size: 1.0 }
    }

    /// The triangle's normal.
    #[inline(always)]
    fn on_normal(&self) -> OnAxis {
        let (normal, size) = normal(self.edges[0], self.edges[1]);
        let radius = (0..3).fold(0.0, |sum, k| sum + normal[k].abs() * self.sides[k]);
        let height = |of: Vec3F64| normal[0] * of[0] + normal[1] * of[1] + normal[2] * of[2];
        OnAxis { heights: self.vertices.each(height), radius, speed: height(self.motion), size }
    }

    /// The axis across an edge of the triangle, the one from vertex `i`, and the edges of the box
    /// along coordinate `k`.
    #[inline(always)]
    fn across(&self, i: usize, k: usize) -> OnAxis {
        let (edge, sides) = (self.edges[i], self.sides);
        let (p, q) = ((k + 1) % 3, (k + 2) % 3);
        let height = |of: Vec3F64| edge[p] * of[q] - edge[q] * of[p];
        // The edge's ends have the same height.
        let (ends, third) = (height(self.vertices[i]), height(self.vertices[(i + 2) % 3]));
        let radius = edge[p].abs() * sides[q] + edge[q].abs() * sides[p];
        let size = edge[p].abs() + edge[q].abs();
        OnAxis { heights: [ends, third, third], radius, speed: height(self.motion), size }
    }
}

impl OnAxis {
    #[inline(always)]
    fn least_and_most(&self) -> [f64; 2] {
        let [a, b, c] = self.heights;
        [min(min(a, b), c) - self.radius, max(max(a, b), c) + self.radius]
    }
}

fn normal(a: Vec3F64, b: Vec3F64) -> (Vec3F64, f64) {
    let (mut normal, mut size) = ([0.0; 3], 0.0);
    for k in 0..3 {
        let (p, q) = ((k + 1) % 3, (k + 2) % 3);
        let products = [a[p] * b[q], a[q] * b[p]];
        normal[k] = products[0] - products[1];
        size += products[0].abs() + products[1].abs();
    }
    (normal, size)
}

#[cfg(test)]
mod tests {
    use super::super::aligned_box::AlignedBox;
    use super::super::axes::{Solid, exact};
    use super::super::bigint::Int3392;
    use super::*;
    use crate::test_rng::{bits, point};

    /// A certain answer is the answer of integers, to the last bit, and most answers are certain.
    #[test]
    fn quick_times_are_exact_or_in_doubt() {
        let (mut state, mut touching, mut later, mut unclear) = (5, 0, 0, 0);
        for i in 0..if cfg!(miri) { 20 } else { 8_000 } {
            let size = [1.0, 1e-30, 1e30, 1e3][i % 4];
            let grid = i / 4 % 4 == 0;
            let mixed = i / 16 % 2 == 0;
            let mut next = |size: f32| {
                let point = point(&mut state, size, grid);
                let mut scale = || f32::exp2(-((bits(&mut state) % 24) as f32));
                if mixed { point.map(|x| x * scale()) } else { point }
            };
            let (a, b) = (next(size * 0.5), next(size * 0.5));
            let local = [f32::min, f32::max].map(|f| [0, 1, 2].map(|k| f(a[k], b[k])));
            let mut motion = next([size, size * 8.0, 0.0, size][i / 24 % 4]);
            let mut corners = [next(size), next(size), next(size)];
            match bits(&mut state) % 8 {
                0 => corners[2] = corners[0],
                1 => corners = [corners[1]; 3],
                2 => corners = corners.map(|[x, _, z]| [x, motion[1], z]),
                3 => motion = [0.0, motion[1], 0.0],
                // It just touches, or all but touches.
                4 => corners[0] = [0, 1, 2].map(|k| local[i / 8 % 2][k] + motion[k] * 0.5),
                _ => {}
            }
            let truth = exact(&AlignedBox(local).axes::<Int3392>(motion, &corners));
            let t = truth.unwrap_or(0.7);
            for bound in [1.0, t, t.next_down().max(0.0), t * 0.5] {
                let expected = truth.filter(|&t| t <= bound).map(f32::to_bits);
                match QuickBox::first_touch(&local, motion, &corners, bound) {
                    None => unclear += 1,
                    Some(found) => {
                        let found = found.map(f32::to_bits);
                        assert_eq!(found, expected, "{local:?} {motion:?} {corners:?} {bound}");
                        *(if found.is_some() { &mut touching } else { &mut later }) += 1;
                    }
                }
            }
        }
        println!("{touching} touch, {later} later, {unclear} unclear");
        assert!(cfg!(miri) || (touching > 4_000 && later > 12_000 && unclear < 4_000));
    }

    /// A whole number of at most 24 bits, times up to 2^12.
    fn whole(state: &mut u64) -> f32 {
        let number = (bits(state) >> 8) as f32 * f32::exp2((bits(state) % 13) as f32);
        if bits(state).is_multiple_of(2) { number } else { -number }
    }

    /// The largest part of the bound of Lemma 103 that random boxes and triangles need, for axes
    /// across edges and for normals: they are compared with integers.
    #[test]
    fn axes_are_off_by_no_more_than_their_room() {
        type Whole = [i128; 3];
        let minus = |a: Whole, b: Whole| [0, 1, 2].map(|k| a[k] - b[k]);
        let cross = |a: Whole, b: Whole| {
            [[1, 2], [2, 0], [0, 1]].map(|[p, q]: [usize; 2]| a[p] * b[q] - a[q] * b[p])
        };
        let dot = |a: Whole, b: Whole| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let (mut state, mut worst) = (3, [0f64; 2]);
        for _ in 0..if cfg!(miri) { 10 } else { 300_000 } {
            let mut next = || [(); 3].map(|()| whole(&mut state));
            let (a, b, motion, corners) = (next(), next(), next(), [next(), next(), next()]);
            let local = [f32::min, f32::max].map(|f| [0, 1, 2].map(|k| f(a[k], b[k])));
            let (quick, largest) = QuickBox::new(&local, motion, &corners);

            let exact = |v: [f32; 3]| v.map(|x| x as i128);
            let [low, high] = local.map(exact);
            let points = corners.map(exact);
            let vertices = points.map(|v| minus(minus(v, low), minus(high, v)));
            let edges = [0, 1, 2].map(|i: usize| minus(points[(i + 1) % 3], points[i]));
            let (sides, motion) = (minus(high, low), exact(motion).map(|x| 2 * x));
            let part = |on: OnAxis, axis: Whole| {
                let heights = vertices.map(|vertex| dot(axis, vertex));
                let radius = dot(axis.map(i128::abs), sides);
                let least = heights.iter().min().map_or(0, |least| least - radius);
                let most = heights.iter().max().map_or(0, |most| most + radius);
                let off = |found: f64, exact: i128| (found as i128 - exact).unsigned_abs() as f64;
                let [found_least, found_most] = on.least_and_most();
                let ends = off(found_least, least).max(off(found_most, most));
                (ends + off(on.speed, dot(axis, motion))) / (ROOM * largest * on.size)
            };
            let normal = cross(edges[0], edges[1]);
            worst[1] = worst[1].max(part(quick.on_normal(), normal));
            for i in 0..3 {
                for k in 0..3 {
                    let mut side = [0; 3];
                    side[k] = 1;
                    worst[0] = worst[0].max(part(quick.across(i, k), cross(side, edges[i])));
                }
            }
        }
        println!("{worst:?}");
        assert!(worst.iter().all(|&part| part <= 1.0), "{worst:?}");
        assert!(cfg!(miri) || worst.iter().all(|&part| part > 0.04), "{worst:?}");
    }
}
