//! A triangle's box, cut in two by a plane.

use super::super::bounds::{Bounds, greater, lesser};
use super::super::prim_ref::PrimRef;
use crate::geometry::{round_down, round_up};

/// Cuts a triangle's reference at the plane where coordinate `axis` is `at`: the part below and the
/// part above, or `None` where nothing of the triangle can be.
///
/// The boxes are conservative (Lemma 10 below). So a query that tests the exact triangle in every
/// leaf that it reaches loses no hit to the cut. Stich, Friedrich and Dietrich (2009) cut the same
/// way, but round to nearest.
///
/// **Lemma 10 (clipped boxes).** Every point of the exact triangle that lies in the reference's box
/// lies in the box of one of the parts. *Proof.* The part of a triangle on one side of a plane is
/// the convex hull of the corners on that side and of the points where edges cross the plane. Each
/// box holds those corners, and bounds on those points: `crossing` computes a coordinate with seven
/// roundings, each of at most 2^-53 of the sum of the sizes of both ends, and widens it by 2^-50 of
/// that sum, but never beyond the ends. Intersection with the reference's box is exact.
pub(super) fn cut(
    prim: &PrimRef,
    corners: &[[f32; 3]; 3],
    axis: usize,
    at: f32,
) -> [Option<PrimRef>; 2] {
    let (mut below, mut above) = (Bounds::EMPTY, Bounds::EMPTY);
    let point = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
    for (i, a) in corners.iter().enumerate() {
        if a[axis] <= at {
            below.extend(&point(*a));
        }
        if a[axis] >= at {
            above.extend(&point(*a));
        }
        let b = &corners[(i + 1) % 3];
        let crosses = (a[axis] < at && at < b[axis]) || (b[axis] < at && at < a[axis]);
        if crosses {
            let from = f64::from(a[axis]);
            let part = (f64::from(at) - from) / (f64::from(b[axis]) - from);
            let (mut low, mut high) = ([at; 3], [at; 3]);
            for k in [(axis + 1) % 3, (axis + 2) % 3] {
                (low[k], high[k]) = crossing(a[k], b[k], part);
            }
            for side in [&mut below, &mut above] {
                side.extend(&point(low));
                side.extend(&point(high));
            }
        }
    }
    [below, above].map(|side| {
        let part = side.intersection(&prim.bounds())?;
        Some(PrimRef::with_bounds(prim.index, &part))
    })
}

/// Bounds on a coordinate of the point that divides an edge from `a` to `b` at `part` (Lemma 10).
fn crossing(a: f32, b: f32, part: f64) -> (f32, f32) {
    let (wide_a, wide_b) = (f64::from(a), f64::from(b));
    let at = wide_a + part * (wide_b - wide_a);
    let slack = (wide_a.abs() + wide_b.abs()) * (1.0 / (1u64 << 50) as f64);
    let (least, most) = (lesser(a, b), greater(a, b));
    (greater(round_down(at - slack), least), lesser(round_up(at + slack), most))
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use proptest::prelude::*;

    use super::*;

    fn exact(x: f32) -> BigRational {
        BigRational::from_float(x).expect("finite")
    }

    fn holds(part: &Option<PrimRef>, point: &[BigRational; 3]) -> bool {
        part.is_some_and(|part| {
            (0..3).all(|k| exact(part.min[k]) <= point[k] && point[k] <= exact(part.max[k]))
        })
    }

    /// Where the triangle's edges cross the plane, exactly.
    fn crossings(corners: &[[f32; 3]; 3], axis: usize, at: f32) -> Vec<[BigRational; 3]> {
        let edges = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| (&corners[i], &corners[j]));
        let crosses = |&(a, b): &(&[f32; 3], &[f32; 3])| (a[axis] < at) != (b[axis] < at);
        let point = |(a, b): (&[f32; 3], &[f32; 3])| {
            let part = (exact(at) - exact(a[axis])) / (exact(b[axis]) - exact(a[axis]));
            [0, 1, 2].map(|k| exact(a[k]) + (exact(b[k]) - exact(a[k])) * part.clone())
        };
        edges.into_iter().filter(crosses).map(point).collect()
    }

    fn coordinate() -> impl Strategy<Value = f32> {
        prop_oneof![-10f32..10.0, (-4i8..4).prop_map(f32::from), -1e-30f32..1e-30, -1e30f32..1e30]
    }

    fn triangle() -> impl Strategy<Value = [[f32; 3]; 3]> {
        prop::array::uniform3(prop::array::uniform3(coordinate()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// No exact point of a triangle is lost, however often it is cut. The point where an edge
        /// crosses a plane is in the parts on both sides.
        #[test]
        fn parts_cover_the_exact_triangle(
            corners in triangle(),
            cuts in prop::collection::vec((0usize..3, 0f32..1.0), 1..5),
            weights in (0u32..=64, 0u32..=64),
        ) {
            let (u, v) = (weights.0, weights.1 * (64 - weights.0) / 64);
            let weight = |w: u32| BigRational::new(BigInt::from(w), BigInt::from(64));
            let point = [0, 1, 2].map(|k| {
                let [a, b, c] = corners.map(|corner| exact(corner[k]));
                a * weight(64 - u - v) + b * weight(u) + c * weight(v)
            });
            let mut part = PrimRef::new(7, &corners);
            for (axis, at) in cuts {
                let at = part.min[axis] * (1.0 - at) + part.max[axis] * at;
                if !(part.min[axis] < at && at < part.max[axis]) {
                    continue;
                }
                let parts = cut(&part, &corners, axis, at);
                for side in parts.iter().flatten() {
                    let shared = side.bounds().intersection(&part.bounds());
                    prop_assert!(side.index == 7 && shared.is_some());
                    for k in 0..3 {
                        prop_assert!(part.min[k] <= side.min[k] && side.max[k] <= part.max[k]);
                    }
                }
                prop_assert!(parts[0].is_none_or(|below| below.max[axis] <= at));
                prop_assert!(parts[1].is_none_or(|above| above.min[axis] >= at));
                for crossing in crossings(&corners, axis, at) {
                    if holds(&Some(part), &crossing) {
                        let both = parts.iter().all(|part| holds(part, &crossing));
                        prop_assert!(both, "{crossing:?} is not in both of {parts:?}");
                    }
                }
                let held = parts.iter().find(|part| holds(part, &point));
                prop_assert!(held.is_some(), "{point:?} is in neither of {parts:?}");
                part = held.and_then(|part| *part).expect("as above");
            }
        }
    }

    #[test]
    fn a_part_is_no_larger_than_it_must_be() {
        let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 1.0]];
        let [below, above] = cut(&PrimRef::new(0, &corners), &corners, 0, 2.0);
        let (below, above) = (below.expect("a part"), above.expect("a part"));
        assert_eq!((below.min, below.max), ([0.0; 3], [2.0, 4.0, 1.0]));
        assert_eq!((above.min, above.max[0]), ([2.0, 0.0, 0.0], 4.0));
        assert!((2.0..2.0 + 1e-6).contains(&above.max[1]), "{above:?}");
        assert!((0.5..0.5 + 1e-6).contains(&above.max[2]), "{above:?}");
    }
}
