//! Triangles and convex sets that are given by half spaces: boxes, frusta, triangles.
//!
//! Each half space gives the heights of the triangle's three vertices over its plane: numbers that
//! are not negative inside. All else follows from the signs of these heights and of their
//! determinants.

use smallvec::SmallVec;

use super::number::{Number, cross, difference, dot, point};
use crate::array::Each;
use crate::geometry::containment::Containment;
use crate::geometry::vec3_f64::Corners;

/// The heights of three vertices over a plane, or a line in the plane of the triangle's weights.
pub(in crate::geometry) type Heights<N> = [N; 3];

/// The most half spaces.
pub(in crate::geometry) const MOST: usize = 6;

/// Whether a triangle has a point in all of at most [`MOST`] half spaces. The outer `None` says
/// that a sign is in doubt.
///
/// **Lemma 81 (clipping by weights).** A point of the triangle is three weights that are not
/// negative and not all zero; its height over a plane is the sum of the vertices' heights times
/// their weights. So each plane is a line in the plane of the weights, and the triangle of all
/// weights is clipped by one line after the other (Sutherland and Hodgman, "Reentrant Polygon
/// Clipping", 1974). Every vertex of the clipped polygon is where two of the lines meet: the cross
/// product of their coefficients. It is on the inner side of a third line if a determinant of
/// heights is not negative. The order of the two is kept so that the weights of the vertex are not
/// negative: let `a` and `b` be neighbours, in order, on the line `l`, with `a x b` a positive
/// multiple of `l`, and `h` a line with `a` inside and `b` outside. Then `l x h` is a positive
/// multiple of `(a x b) x h = (a . h) b - (b . h) a`, a sum of both with positive factors.
/// (Likewise `h x l`, where `h` is left.) This also holds when the polygon has become a segment or
/// a point.
pub(in crate::geometry) fn clip<N: Number>(heights: &[Heights<N>]) -> Option<Option<Containment>> {
    let [zero, one] = [0.0, 1.0].each(N::from_f32);
    let edges = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    let lines: SmallVec<[&Heights<N>; 3 + MOST]> = edges.iter().chain(heights).collect();

    let mut inside = [true; 3];
    for height in heights {
        let mut outside = 0;
        for (height, inside) in height.iter().zip(&mut inside) {
            let is_below = height.sign()? < 0;
            outside += usize::from(is_below);
            *inside &= !is_below;
        }
        if outside == 3 {
            return Some(None);
        }
    }
    if inside == [true; 3] {
        return Some(Some(Containment::Inside));
    }
    if inside.contains(&true) {
        return Some(Some(Containment::Touching));
    }

    let corner = |k: usize| Vertex { lines: [(k + 1) % 3, (k + 2) % 3], next: (k + 2) % 3 };
    let mut polygon = Polygon::from_iter([0, 1, 2].each(corner));
    for line in 3..lines.len() {
        let mut sides = SmallVec::<[i32; 3 + MOST]>::new();
        for &Vertex { lines: [a, b], .. } in &polygon {
            sides.push(dot(&cross(lines[a], lines[b]), lines[line]).sign()?);
        }
        let mut clipped = Polygon::new();
        for (i, &vertex) in polygon.iter().enumerate() {
            let (side, next_side) = (sides[i], sides[(i + 1) % sides.len()]);
            if side >= 0 {
                let next = if side == 0 && next_side < 0 { line } else { vertex.next };
                clipped.push(Vertex { next, ..vertex });
            }
            if side > 0 && next_side < 0 {
                clipped.push(Vertex { lines: [vertex.next, line], next: line });
            } else if side < 0 && next_side > 0 {
                clipped.push(Vertex { lines: [line, vertex.next], next: vertex.next });
            }
        }
        polygon = clipped;
    }
    Some((!polygon.is_empty()).then_some(Containment::Touching))
}

/// A vertex of the clipped polygon: the lines that meet in it, in order, and the line that leads to
/// the next vertex.
#[derive(Clone, Copy)]
struct Vertex {
    lines: [usize; 2],
    next: usize,
}

/// Each line adds one vertex at most.
type Polygon = SmallVec<[Vertex; 3 + MOST]>;

/// Of the six faces of an axis-aligned box.
pub(in crate::geometry) fn of_box<N: Number>(
    [min, max]: &[[f32; 3]; 2],
    corners: &Corners,
) -> [Heights<N>; 6] {
    let [a, b, c]: [[N; 3]; 3] = (*corners).each(|corner| difference(corner, *min));
    let [d, e, f]: [[N; 3]; 3] = (*corners).each(|corner| difference(*max, corner));
    let [[x, y, z], [p, q, r]] = [
        [0, 1, 2].each(|k: usize| [a[k], b[k], c[k]]),
        [0, 1, 2].each(|k: usize| [d[k], e[k], f[k]]),
    ];
    [x, y, z, p, q, r]
}

/// Of the planes `xyz . p + w >= 0`.
pub(in crate::geometry) fn of_planes<N: Number>(
    planes: &[[f32; 4]; 6],
    corners: &Corners,
) -> [Heights<N>; 6] {
    let one = N::from_f32(1.0);
    planes.each(|plane| {
        let [x, y, z, w] = plane.each(N::from_f32);
        (*corners).each(|corner| dot(&[x, y, z], &point(corner)).add(&w.mul(&one)))
    })
}

/// Of the six faces of a parallelepiped: the box `local`, moved by the map of these columns, the
/// last of which is the translation. `None` if the map's determinant is in doubt.
///
/// A local coordinate times the determinant is a normal times the point.
pub(in crate::geometry) fn of_parallelepiped<N: Number>(
    columns: &[[f32; 3]; 4],
    [min, max]: &[[f32; 3]; 2],
    corners: &Corners,
) -> Option<[Heights<N>; 6]> {
    let one = N::from_f32(1.0);
    let [a, b, c] = [0, 1, 2].each(|i: usize| columns[i].each(N::from_f32));
    let normals = [cross(&b, &c), cross(&c, &a), cross(&a, &b)];
    let determinant = dot(&a, &normals[0]);
    let side = determinant.sign()?;
    let turn = |x: N| if side < 0 { x.negative() } else { x };
    let determinant = turn(determinant);
    let from_origin = corners.each(|corner| difference(corner, columns[3]));
    Some([0, 1, 2, 3, 4, 5].each(|i| {
        let k = i % 3;
        from_origin.each(|way| {
            let local = turn(dot(&normals[k], &way)).mul(&one);
            let bound = |bound: f32| determinant.mul(&N::from_f32(bound));
            if side == 0 {
                // The map is flat: no point is inside.
                N::from_f32(-1.0)
            } else if i < 3 {
                local.sub(&bound(min[k]))
            } else {
                bound(max[k]).sub(&local)
            }
        })
    }))
}

/// Of a triangle that has an area: its plane, from both sides, and the planes through its edges.
pub(in crate::geometry) fn of_triangle<N: Number>(
    triangle: &Corners,
    corners: &Corners,
) -> [Heights<N>; 5] {
    let edge = |i: usize| difference(triangle[(i + 1) % 3], triangle[i]);
    let normal: [N; 3] = cross(&edge(0), &edge(1));
    [0, 1, 2, 3, 4].each(|i: usize| {
        let inward = match i {
            0 => normal,
            1 => normal.each(|x| x.negative()),
            i => cross(&normal, &edge(i - 2)),
        };
        let vertex = triangle[i.saturating_sub(2)];
        corners.each(|corner| dot(&inward, &difference(corner, vertex)))
    })
}

/// Whether a triangle has an area; `None` if it is in doubt.
pub(in crate::geometry) fn has_area<N: Number>(triangle: &Corners) -> Option<bool> {
    let edge = |i: usize| difference(triangle[i], triangle[0]);
    let signs = cross::<N>(&edge(1), &edge(2)).each(|x| x.sign());
    if signs.iter().any(|sign| matches!(sign, Some(-1 | 1))) {
        return Some(true);
    }
    signs.iter().all(Option::is_some).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::exact::Int1024;
    use crate::test_rng::bits;

    /// Whether a point of the triangle is in all half spaces: then one where two of the lines meet
    /// is.
    fn meet(heights: &[[i32; 3]]) -> bool {
        let mut lines = vec![[1, 0, 0], [0, 1, 0], [0, 0, 1]];
        lines.extend(heights);
        let is_inside = |p: [i32; 3]| {
            p != [0; 3] && lines.iter().all(|l| l[0] * p[0] + l[1] * p[1] + l[2] * p[2] >= 0)
        };
        lines.iter().any(|a| {
            lines.iter().any(|b| {
                let turn = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
                is_inside([turn(1, 2), turn(2, 0), turn(0, 1)])
            })
        })
    }

    #[test]
    fn a_triangle_is_clipped_by_any_half_spaces() {
        let mut state = 1;
        let mut seen = [0; 3];
        for i in 0..if cfg!(miri) { 100 } else { 6_000 } {
            let size = [2, 3, 9][i % 3];
            let mut number = || bits(&mut state) as i32 % (2 * size + 1) - size;
            let heights: Vec<[i32; 3]> =
                (0..1 + i / 3 % MOST).map(|_| [number(), number(), number()]).collect();
            let expected = if heights.as_flattened().iter().all(|&height| height >= 0) {
                Some(Containment::Inside)
            } else {
                meet(&heights).then_some(Containment::Touching)
            };
            let exact: Vec<Heights<Int1024>> = heights
                .iter()
                .map(|heights| heights.map(|height| Int1024::from_f32(height as f32)))
                .collect();
            assert_eq!(clip(&exact), Some(expected), "{heights:?}");
            seen[expected.map_or(0, |found| 1 + found as usize)] += 1;
        }
        assert!(cfg!(miri) || seen.iter().all(|&seen| seen >= 20), "{seen:?}");
    }
}
