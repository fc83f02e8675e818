//! Polygons into triangles, by the rule that the module `import` states.

/// The limit of point tests for each corner. Ear clipping is quadratic, and a hostile polygon
/// has as many corners as fit into its file.
const MAX_TESTS_PER_CORNER: usize = 4096;

/// Triangulates polygons by ear clipping, and keeps its buffers for the next polygon.
#[derive(Default)]
pub(super) struct Triangulator {
    points: Vec<[f64; 2]>,
    reflex: Vec<usize>,
    before: Vec<usize>,
    after: Vec<usize>,
}

impl Triangulator {
    /// Appends the `corners.len() - 2` triangles of a polygon, three corners each.
    pub(super) fn triangulate(
        &mut self,
        corners: &[u32],
        positions: &[[f32; 3]],
        triangles: &mut Vec<u32>,
    ) {
        if corners.len() > 3 && self.project(corners, positions).is_some() && !self.is_convex() {
            self.clip_ears(corners, triangles);
        } else if let Some((&first, rest)) = corners.split_first() {
            for pair in rest.windows(2) {
                triangles.extend([first, pair[0], pair[1]]);
            }
        }
    }

    /// Projects the corners onto the coordinate plane that the polygon faces most, turned
    /// counter-clockwise. `None` if the normal is zero or not finite or a corner is missing.
    fn project(&mut self, corners: &[u32], positions: &[[f32; 3]]) -> Option<()> {
        let position = |corner: u32| positions.get(corner as usize);
        // Relative to the first corner, so that polygons far from zero keep their shape.
        let origin = position(*corners.first()?)?;
        let at = |corner: u32| {
            let p = position(corner)?;
            Some([0, 1, 2].map(|k| f64::from(p[k]) - f64::from(origin[k])))
        };
        // Newell's normal: twice the signed areas of the projections along the three axes.
        let mut normal = [0.0; 3];
        let mut a = at(*corners.last()?)?;
        for &corner in corners {
            let b = at(corner)?;
            for (k, n) in normal.iter_mut().enumerate() {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                *n += a[i] * b[j] - a[j] * b[i];
            }
            a = b;
        }
        let size = normal.map(f64::abs);
        if !(size[0] + size[1] + size[2]).is_finite() {
            return None;
        }
        let mut axis = 0;
        for k in [1, 2] {
            if size[k] > size[axis] {
                axis = k;
            }
        }
        if size[axis] == 0.0 {
            return None;
        }
        let (mut i, mut j) = ((axis + 1) % 3, (axis + 2) % 3);
        if normal[axis] < 0.0 {
            (i, j) = (j, i);
        }
        self.points.clear();
        self.points.extend(corners.iter().filter_map(|&c| at(c)).map(|p| [p[i], p[j]]));
        Some(())
    }

    fn is_convex(&self) -> bool {
        let n = self.points.len();
        (0..n).all(|b| {
            let (a, c) = ((b + n - 1) % n, (b + 1) % n);
            orientation(self.points[a], self.points[b], self.points[c]) > 0.0
        })
    }

    fn clip_ears(&mut self, corners: &[u32], triangles: &mut Vec<u32>) {
        let n = corners.len();
        let points = &self.points;
        let (before, after) = (&mut self.before, &mut self.after);
        before.clear();
        before.extend((0..n).map(|i| (i + n - 1) % n));
        after.clear();
        after.extend((0..n).map(|i| (i + 1) % n));
        let is_reflex = |before: &[usize], after: &[usize], i: usize| {
            orientation(points[before[i]], points[i], points[after[i]]) <= 0.0
        };
        // Only reflex corners can lie inside an ear. A convex one stays convex.
        self.reflex.clear();
        self.reflex.extend((0..n).filter(|&i| is_reflex(before, after, i)));

        let mut tests_left = n.saturating_mul(MAX_TESTS_PER_CORNER);
        let mut left = n;
        let mut tried = 0;
        let mut ear = 0;
        while left > 3 && tried < left && tests_left > 0 {
            let (a, b, c) = (before[ear], ear, after[ear]);
            let triangle = [points[a], points[b], points[c]];
            tests_left = tests_left.saturating_sub(1 + self.reflex.len());
            let free = orientation(triangle[0], triangle[1], triangle[2]) > 0.0
                && !self.reflex.iter().any(|&i| {
                    // A corner at the same point as a corner of the ear does not block it:
                    // polygons with holes repeat the points where a hole meets the outline.
                    i != a
                        && i != c
                        && !triangle.contains(&points[i])
                        && contains(triangle, points[i])
                });
            ear = c;
            if !free {
                tried += 1;
                continue;
            }
            triangles.extend([corners[a], corners[b], corners[c]]);
            after[a] = c;
            before[c] = a;
            left -= 1;
            tried = 0;
            self.reflex.retain(|&i| (i != a && i != c) || is_reflex(before, after, i));
        }
        let first = ear;
        let mut b = after[first];
        for _ in 0..left - 2 {
            let c = after[b];
            triangles.extend([corners[first], corners[b], corners[c]]);
            b = c;
        }
    }
}

/// Positive if the path from `a` over `b` to `c` turns left.
fn orientation(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
}

fn contains(triangle: [[f64; 2]; 3], p: [f64; 2]) -> bool {
    let [a, b, c] = triangle;
    orientation(a, b, p) >= 0.0 && orientation(b, c, p) >= 0.0 && orientation(c, a, p) >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangulate(points: &[[f32; 3]]) -> Vec<u32> {
        let corners: Vec<u32> = (0..points.len() as u32).collect();
        let mut out = Vec::new();
        Triangulator::default().triangulate(&corners, points, &mut out);
        out
    }

    /// Sum of the triangles' areas, and whether all are counter-clockwise.
    fn area(points: &[[f32; 3]], triangles: &[u32]) -> (f64, bool) {
        let at = |i: u32| points[i as usize].map(f64::from);
        let mut sum = 0.0;
        let mut forward = true;
        for t in triangles.chunks(3) {
            let (a, b, c) = (at(t[0]), at(t[1]), at(t[2]));
            let z = orientation([a[0], a[1]], [b[0], b[1]], [c[0], c[1]]);
            forward &= z > 0.0;
            sum += 0.5 * z;
        }
        (sum, forward)
    }

    #[test]
    fn convex_is_a_fan_from_the_first_corner() {
        let square = [[0., 0., 5.], [1., 0., 5.], [1., 1., 5.], [0., 1., 5.]];
        assert_eq!(triangulate(&square), [0, 1, 2, 0, 2, 3]);
        let mut clockwise = square;
        clockwise.reverse();
        assert_eq!(triangulate(&clockwise), [0, 1, 2, 0, 2, 3]);
    }

    #[test]
    fn concave_quad_is_filled_inside() {
        // A dart: the fan from its first corner would lie partly outside.
        let dart = [[2., 0., 0.], [0.5, 0.5, 0.], [0., 2., 0.], [0., 0., 0.]];
        let triangles = triangulate(&dart);
        assert_eq!(triangles.len(), 6);
        assert_eq!(area(&dart, &triangles), (1.0, true));
    }

    #[test]
    fn collinear_corners_make_no_degenerate_triangle() {
        let square =
            [[0., 0., 0.], [1., 0., 0.], [2., 0., 0.], [2., 1., 0.], [2., 2., 0.], [0., 2., 0.]];
        let triangles = triangulate(&square);
        assert_eq!(triangles.len(), 12);
        assert_eq!(area(&square, &triangles), (4.0, true));
    }

    #[test]
    fn comb_is_filled_whole() {
        let mut comb = vec![[100., -1., 0.], [100., 0., 0.]];
        for i in (0..100).rev() {
            comb.push([i as f32 + 0.5, 10., 0.]);
            comb.push([i as f32, 0., 0.]);
        }
        comb.push([0., -1., 0.]);
        let triangles = triangulate(&comb);
        assert_eq!(triangles.len(), 3 * (comb.len() - 2));
        let (sum, forward) = area(&comb, &triangles);
        assert!(forward);
        assert!((sum - 600.0).abs() < 1e-9, "{sum}");
    }

    #[test]
    fn odd_polygons_make_n_minus_2_triangles() {
        let bow = [[0., 0., 0.], [1., 1., 0.], [1., 0., 0.], [0., 1., 0.]];
        assert_eq!(triangulate(&bow).len(), 6);
        assert_eq!(triangulate(&[[1., 2., 3.]; 7]).len(), 15);
        assert_eq!(triangulate(&[[f32::NAN; 3]; 5]), [0, 1, 2, 0, 2, 3, 0, 3, 4]);
        assert_eq!(triangulate(&[[f32::MAX, f32::INFINITY, 0.]; 4]).len(), 6);
        assert!(triangulate(&[[0.; 3]; 2]).is_empty());
        assert!(triangulate(&[]).is_empty());
        let mut out = Vec::new();
        Triangulator::default().triangulate(&[7, 8, 9, 10], &[], &mut out);
        assert_eq!(out, [7, 8, 9, 7, 9, 10]);
    }

    #[test]
    fn a_hostile_polygon_takes_bounded_time() {
        // A spiral of random turns: nearly every corner blocks nearly every ear.
        let mut state = 1_u32;
        let points: Vec<[f32; 3]> = (0..20_000)
            .map(|_| {
                let mut next = || {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 8) as f32
                };
                [next(), next(), 0.0]
            })
            .collect();
        assert_eq!(triangulate(&points).len(), 3 * (points.len() - 2));
    }
}
