//! The first try at the time at which a box along the axes touches a triangle: in `f64`, with one
//! bound on all errors of an axis.

use crate::geometry::vec3_f64::{Corners, Vec3F64, each, max, max_abs, min, sub};

/// What is on an axis may be off by this much, for each unit of the axis and of the largest number.
///
/// **Lemma 103 (quick times of boxes).** Let `e = 2^-53`, and `z` be four times the largest
/// coordinate and twice the largest of the motion. Edges are off by `e` times themselves, vertices
/// as seen from the box by `2 e z`, sides by `e z`. Let `s` be the sum of the magnitudes of the
/// products, or numbers, that an axis is made of. It is off by `4 e s` at most. So heights are off
/// by `9 e s z`, what the box reaches by `8 e s z`, their sum rounds by `2 e s z`, and the speed,
/// for a time up to 1, is off by `7 e s z`. That is 26 in all.
///
/// With this on the safe side, three roundings of a quotient are left, for which `SPARE` has room.
/// Nothing underflows or overflows.
const ROOM: f64 = 1.0 / (1u64 << 48) as f64;
const SPARE: f64 = 1.0 / (1u64 << 50) as f64;

/// As [`first_touch`](super::aligned_box::first_touch): `None` if it is in doubt.
#[inline(always)]
pub(super) fn quick(
    [from, to]: &[[f32; 3]; 2],
    motion: [f32; 3],
    corners: &Corners,
    bound: f32,
) -> Option<Option<f32>> {
    let real = |v: [f32; 3]| each(v, f64::from);
    let corners = each(*corners, real);
    let (low, high) = (real(*from), real(*to));
    let motion = each(motion, |x| 2.0 * f64::from(x));
    let far = [corners[0], corners[1], corners[2], low, high].into_iter().map(max_abs);
    let far = far.fold(0.0, max);
    let room = ROOM * (4.0 * far + max_abs(motion));
    // Doubled.
    let vertices = each(corners, |v| each([0, 1, 2], |k| 2.0 * v[k] - low[k] - high[k]));
    let sides = sub(high, low);
    let edges = each([0, 1, 2], |i| sub(corners[(i + 1) % 3], corners[i]));

    let mut times = Times { enter: [0.0; 2], exit: [1.0; 2] };
    for k in 0..3 {
        let heights = each(vertices, |vertex| vertex[k]);
        times.on_axis(heights, sides[k], motion[k], room);
    }
    let (normal, size) = normal(edges[0], edges[1]);
    let radius = (0..3).fold(0.0, |sum, k| sum + normal[k].abs() * sides[k]);
    let height = |of: Vec3F64| normal[0] * of[0] + normal[1] * of[1] + normal[2] * of[2];
    times.on_axis(each(vertices, height), radius, height(motion), room * size);
    if times.are_after(bound) {
        return Some(None);
    }
    for i in 0..3 {
        let edge = edges[i];
        let size = each(edge, f64::abs);
        for k in 0..3 {
            let (p, q) = ((k + 1) % 3, (k + 2) % 3);
            let height = |of: Vec3F64| edge[p] * of[q] - edge[q] * of[p];
            // The edge's ends have the same height.
            let (edge, third) = (height(vertices[i]), height(vertices[(i + 2) % 3]));
            let radius = size[p] * sides[q] + size[q] * sides[p];
            times.on_axis([edge, third, third], radius, height(motion), room * (size[p] + size[q]));
        }
    }
    times.first(bound)
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

/// Bounds on when the last axis is entered and the first is left.
struct Times {
    enter: [f64; 2],
    exit: [f64; 2],
}

impl Times {
    #[inline(always)]
    fn on_axis(&mut self, [a, b, c]: [f64; 3], radius: f64, speed: f64, room: f64) {
        let least = min(min(a, b), c) - radius;
        let most = max(max(a, b), c) + radius;
        let (low, high) = if speed < 0.0 { (-most, -least) } else { (least, most) };
        // Zero times infinity is NaN, and says nothing.
        let inverse = 1.0 / speed.abs();
        self.enter[0] = max((low - room) * inverse, self.enter[0]);
        self.enter[1] = max((low + room) * inverse, self.enter[1]);
        self.exit[0] = min((high - room) * inverse, self.exit[0]);
        self.exit[1] = min((high + room) * inverse, self.exit[1]);
    }

    /// A time before which it is not touched.
    #[inline(always)]
    fn least(&self) -> f64 {
        self.enter[0] * (1.0 - SPARE)
    }

    /// Whether it is certainly not touched at `bound` or before.
    #[inline(always)]
    fn are_after(&self, bound: f32) -> bool {
        let least = self.least();
        least > 1.0 || least as f32 > bound || least > self.exit[1] * (1.0 + SPARE)
    }

    #[inline(always)]
    fn first(&self, bound: f32) -> Option<Option<f32>> {
        if self.are_after(bound) {
            return Some(None);
        }
        // It is touched by then.
        let most = self.enter[1] * (1.0 + SPARE);
        let t = most as f32;
        let is_certain = most <= self.exit[0] * (1.0 - SPARE) && self.least() as f32 == t;
        is_certain.then_some((t <= bound).then_some(t))
    }
}

#[cfg(test)]
mod tests {
    use super::super::aligned_box::AlignedBox;
    use super::super::axes::exact;
    use super::super::bigint::Int3392;
    use super::*;
    use crate::test_rng::{bits, point};

    /// What is certain is what integers say, to the last bit, and most is certain.
    #[test]
    fn quick_times_are_exact_or_in_doubt() {
        let (mut state, mut touching, mut later, mut unclear) = (5, 0, 0, 0);
        for i in 0..if cfg!(miri) { 20 } else { 8_000 } {
            let size = [1.0, 1e-30, 1e30, 1e3][i % 4];
            let grid = i / 4 % 4 == 0;
            let mut next = |size: f32| point(&mut state, size, grid);
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
            let truth = exact(&AlignedBox::<Int3392>::new(&local, motion, &corners));
            let t = truth.unwrap_or(0.7);
            for bound in [1.0, t, t.next_down().max(0.0), t * 0.5] {
                let expected = truth.filter(|&t| t <= bound).map(f32::to_bits);
                match quick(&local, motion, &corners, bound) {
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
}
