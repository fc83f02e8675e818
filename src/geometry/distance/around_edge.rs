//! How triangles stand around an edge that they share.

use std::cmp::Ordering;

use crate::array::Each;
use crate::geometry::exact::{area_side, origin_side};
use crate::geometry::ray::Ray;
use crate::geometry::vec3_f64::Corners;

/// A half plane that ends at the line of an edge: the number of its plane, and which half it is.
pub(crate) type HalfPlane = (usize, i32);

/// Whether a point is in the plane of a triangle. Exact.
pub(crate) fn is_in_plane(point: [f32; 3], corners: &Corners) -> bool {
    side_of_plane(point, corners) == 0
}

/// For each triangle at an edge the half plane that it is in, by its third corner. Planes are
/// numbered as they stand around the edge. `None` if a triangle has no area. Decided without
/// rounding.
pub(crate) fn half_planes(ends: [[f32; 3]; 2], apexes: &[[f32; 3]]) -> Option<Vec<HalfPlane>> {
    let mut found = Vec::with_capacity(apexes.len());
    for &apex in apexes {
        found.push((0, half(ends, apex)?));
    }
    let [a, b] = ends;
    let Some(&first) = apexes.first() else { return Some(found) };
    // On which side of the first triangle's plane each is. The planes are in order of the angle by
    // which the first has to be turned: from zero to half a turn.
    let sides: Vec<i32> = apexes.iter().map(|&apex| side_of_plane(apex, &[a, b, first])).collect();
    let order = |&i: &usize, &j: &usize| match (sides[i], sides[j]) {
        (0, 0) => Ordering::Equal,
        (0, _) => Ordering::Less,
        (_, 0) => Ordering::Greater,
        (one, other) => 0.cmp(&(one * other * side_of_plane(apexes[j], &[a, b, apexes[i]]))),
    };
    let mut numbers: Vec<usize> = (0..apexes.len()).collect();
    numbers.sort_unstable_by(order);
    for pair in 1..numbers.len() {
        let (before, here) = (numbers[pair - 1], numbers[pair]);
        found[here].0 = found[before].0 + usize::from(order(&before, &here).is_ne());
    }
    Some(found)
}

/// On which side of an edge's line a point is, in the plane of both: the sign of the area that they
/// span, as seen along the first axis along which there is one. `None` if the three are on a line.
fn half([a, b]: [[f32; 3]; 2], apex: [f32; 3]) -> Option<i32> {
    let seen = |axis: usize| [a, b, apex].each(|at| [at[(axis + 1) % 3], at[(axis + 2) % 3]]);
    (0..3).map(|axis| area_side(&seen(axis))).find(|&side| side != 0)
}

/// Not inlined: a sort compares in many places.
#[inline(never)]
fn side_of_plane(point: [f32; 3], corners: &Corners) -> i32 {
    origin_side(&Ray::new(point, [1.0, 0.0, 0.0]), corners)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_rng::number;

    #[test]
    fn half_planes_are_those_of_angles() {
        let ends = [[1.0, -2.0, 0.5], [1.0, -2.0, 4.5]];
        let directions = [(1, 0), (0, 1), (-1, 0), (3, 1), (-3, -1), (2, 2), (-1, 4), (1, -4)];
        let state = &mut 3;
        for _ in 0..200 {
            let count = 1 + (number(state).abs() * 1e6) as usize % 12;
            let chosen: Vec<_> = (0..count)
                .map(|_| directions[(number(state).abs() * 1e6) as usize % directions.len()])
                .collect();
            let apexes: Vec<_> = chosen
                .iter()
                .map(|&(x, y)| {
                    let far = 2f32.powi((number(state).abs() * 1e6) as i32 % 40 - 20);
                    let up = (number(state) * 64.0).round();
                    [1.0 + far * x as f32, -2.0 + far * y as f32, up]
                })
                .collect();
            let found = half_planes(ends, &apexes).expect("all have areas");
            for i in 0..count {
                for j in 0..count {
                    let ((a, b), (c, d)) = (chosen[i], chosen[j]);
                    let (cross, dot) = (a * d - b * c, a * c + b * d);
                    assert_eq!(found[i].0 == found[j].0, cross == 0, "{chosen:?} {found:?}");
                    assert_eq!(found[i] == found[j], cross == 0 && dot > 0, "{found:?}");
                }
            }
        }
        assert_eq!(half_planes(ends, &[]), Some(vec![]));
        assert_eq!(half_planes(ends, &[[9.0; 3], [1.0, -2.0, 7.0]]), None);
    }

    #[test]
    fn a_plane_is_left_by_the_least_step() {
        let corners = [[0.1, 0.2, 0.3], [0.7, -0.4, 0.9], [-0.3, 0.6, 0.1]];
        assert!(corners.iter().all(|&corner| is_in_plane(corner, &corners)));
        let near = [0.7, -0.4, f32::next_up(0.9)];
        assert!(!is_in_plane(near, &corners));
    }
}
