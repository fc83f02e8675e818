//! Polygons into triangles, in the way that the module `import` states.

/// Tests that cutting may take for each corner: ear cutting is quadratic, and a
/// hostile polygon has as many corners as its file has room for.
const STEPS_A_CORNER: usize = 4096;

/// Cuts polygons, and keeps its buffers for the next one.
#[derive(Default)]
pub(super) struct Cutter {
    points: Vec<[f64; 2]>,
    reflex: Vec<usize>,
    before: Vec<usize>,
    after: Vec<usize>,
}

impl Cutter {
    /// Appends the `corners.len() - 2` triangles of a polygon, three corners each.
    pub(super) fn cut(
        &mut self,
        corners: &[u32],
        position: impl Fn(u32) -> Option<[f32; 3]>,
        triangles: &mut Vec<u32>,
    ) {
        if corners.len() > 3 && self.project(corners, position) && !self.is_convex() {
            self.cut_ears(corners, triangles);
        } else if let Some((&first, rest)) = corners.split_first() {
            for pair in rest.windows(2) {
                triangles.extend([first, pair[0], pair[1]]);
            }
        }
    }

    /// Lays the corners into the coordinate plane that the polygon faces most, turned
    /// counter-clockwise. `false` if it faces nowhere or a corner is not there.
    fn project(&mut self, corners: &[u32], position: impl Fn(u32) -> Option<[f32; 3]>) -> bool {
        // Relative to the first corner, so that polygons far from zero keep their shape.
        let Some(origin) = corners.first().and_then(|&c| position(c)) else {
            return false;
        };
        let at = |corner: u32| {
            let p = position(corner)?;
            Some([0, 1, 2].map(|k| f64::from(p[k]) - f64::from(origin[k])))
        };
        // Newell's normal: twice the areas of the three shadows.
        let mut normal = [0.0; 3];
        let Some(mut a) = corners.last().and_then(|&c| at(c)) else {
            return false;
        };
        for &corner in corners {
            let Some(b) = at(corner) else { return false };
            for (k, n) in normal.iter_mut().enumerate() {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                *n += a[i] * b[j] - a[j] * b[i];
            }
            a = b;
        }
        let size = normal.map(f64::abs);
        if !(size[0] + size[1] + size[2]).is_finite() {
            return false;
        }
        let mut axis = 0;
        for k in [1, 2] {
            if size[k] > size[axis] {
                axis = k;
            }
        }
        if size[axis] == 0.0 {
            return false;
        }
        let (mut i, mut j) = ((axis + 1) % 3, (axis + 2) % 3);
        if normal[axis] < 0.0 {
            (i, j) = (j, i);
        }
        self.points.clear();
        self.points.extend(corners.iter().filter_map(|&c| at(c)).map(|p| [p[i], p[j]]));
        true
    }

    fn is_convex(&self) -> bool {
        let n = self.points.len();
        (0..n).all(|b| {
            let (a, c) = ((b + n - 1) % n, (b + 1) % n);
            turn(self.points[a], self.points[b], self.points[c]) > 0.0
        })
    }

    fn cut_ears(&mut self, corners: &[u32], triangles: &mut Vec<u32>) {
        let n = corners.len();
        let points = &self.points;
        let (before, after) = (&mut self.before, &mut self.after);
        before.clear();
        before.extend((0..n).map(|i| (i + n - 1) % n));
        after.clear();
        after.extend((0..n).map(|i| (i + 1) % n));
        let is_reflex = |before: &[usize], after: &[usize], i: usize| {
            turn(points[before[i]], points[i], points[after[i]]) <= 0.0
        };
        // Only reflex corners can lie inside an ear. A convex one stays convex.
        self.reflex.clear();
        self.reflex.extend((0..n).filter(|&i| is_reflex(before, after, i)));

        let mut steps = n.saturating_mul(STEPS_A_CORNER);
        let mut left = n;
        let mut tried = 0;
        let mut ear = 0;
        while left > 3 && tried < left && steps > 0 {
            let (a, b, c) = (before[ear], ear, after[ear]);
            let triangle = [points[a], points[b], points[c]];
            steps = steps.saturating_sub(1 + self.reflex.len());
            let free = turn(triangle[0], triangle[1], triangle[2]) > 0.0
                && !self.reflex.iter().any(|&i| {
                    // Corners that lie on a corner of the ear do not block it: that is
                    // how a hole is joined to its outline.
                    i != a
                        && i != c
                        && !triangle.contains(&points[i])
                        && covers(triangle, points[i])
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

/// Positive where a path from `a` over `b` to `c` turns left.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
}

fn covers(triangle: [[f64; 2]; 3], p: [f64; 2]) -> bool {
    let [a, b, c] = triangle;
    turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(points: &[[f32; 3]]) -> Vec<u32> {
        let corners: Vec<u32> = (0..points.len() as u32).collect();
        let mut out = Vec::new();
        Cutter::default().cut(&corners, |i| points.get(i as usize).copied(), &mut out);
        out
    }

    /// Sum of the triangles' areas, and whether each lies the right way round.
    fn area(points: &[[f32; 3]], triangles: &[u32]) -> (f64, bool) {
        let at = |i: u32| points[i as usize].map(f64::from);
        let mut sum = 0.0;
        let mut forward = true;
        for t in triangles.chunks(3) {
            let (a, b, c) = (at(t[0]), at(t[1]), at(t[2]));
            let z = turn([a[0], a[1]], [b[0], b[1]], [c[0], c[1]]);
            forward &= z > 0.0;
            sum += 0.5 * z;
        }
        (sum, forward)
    }

    #[test]
    fn convex_is_a_fan_from_the_first_corner() {
        let square = [[0., 0., 5.], [1., 0., 5.], [1., 1., 5.], [0., 1., 5.]];
        assert_eq!(cut(&square), [0, 1, 2, 0, 2, 3]);
        let mut clockwise = square;
        clockwise.reverse();
        assert_eq!(cut(&clockwise), [0, 1, 2, 0, 2, 3]);
    }

    #[test]
    fn concave_quad_is_cut_inside() {
        // A dart: the fan from its first corner would lie partly outside.
        let dart = [[2., 0., 0.], [0.5, 0.5, 0.], [0., 2., 0.], [0., 0., 0.]];
        let triangles = cut(&dart);
        assert_eq!(triangles.len(), 6);
        assert_eq!(area(&dart, &triangles), (1.0, true));
    }

    #[test]
    fn collinear_corners_make_no_degenerate_triangle() {
        let square =
            [[0., 0., 0.], [1., 0., 0.], [2., 0., 0.], [2., 1., 0.], [2., 2., 0.], [0., 2., 0.]];
        let triangles = cut(&square);
        assert_eq!(triangles.len(), 12);
        assert_eq!(area(&square, &triangles), (4.0, true));
    }

    #[test]
    fn comb_is_cut_whole() {
        let mut comb = vec![[100., -1., 0.], [100., 0., 0.]];
        for i in (0..100).rev() {
            comb.push([i as f32 + 0.5, 10., 0.]);
            comb.push([i as f32, 0., 0.]);
        }
        comb.push([0., -1., 0.]);
        let triangles = cut(&comb);
        assert_eq!(triangles.len(), 3 * (comb.len() - 2));
        let (sum, forward) = area(&comb, &triangles);
        assert!(forward);
        assert!((sum - 600.0).abs() < 1e-9, "{sum}");
    }

    #[test]
    fn anything_makes_two_triangles_less_than_corners() {
        let bow = [[0., 0., 0.], [1., 1., 0.], [1., 0., 0.], [0., 1., 0.]];
        assert_eq!(cut(&bow).len(), 6);
        assert_eq!(cut(&[[1., 2., 3.]; 7]).len(), 15);
        assert_eq!(cut(&[[f32::NAN; 3]; 5]), [0, 1, 2, 0, 2, 3, 0, 3, 4]);
        assert_eq!(cut(&[[f32::MAX, f32::INFINITY, 0.]; 4]).len(), 6);
        assert!(cut(&[[0.; 3]; 2]).is_empty());
        assert!(cut(&[]).is_empty());
        let mut out = Vec::new();
        Cutter::default().cut(&[7, 8, 9, 10], |_| None, &mut out);
        assert_eq!(out, [7, 8, 9, 7, 9, 10]);
    }

    #[test]
    fn a_hostile_polygon_ends() {
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
        assert_eq!(cut(&points).len(), 3 * (points.len() - 2));
    }
}
