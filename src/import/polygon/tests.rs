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

/// How often the triangles cover a point in the plane z = 0.
fn cover(points: &[[f32; 3]], triangles: &[u32], [x, y]: [f64; 2]) -> usize {
    let at = |i: u32| points[i as usize].map(f64::from);
    let covers = |t: &[u32]| {
        let corners = [at(t[0]), at(t[1]), at(t[2])];
        let side = |k: usize| {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            orientation([a[0], a[1]], [b[0], b[1]], [x, y])
        };
        let sides = [side(0), side(1), side(2)];
        sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0)
    };
    triangles.chunks(3).filter(|t| covers(t)).count()
}

/// How often the outline goes round a point.
fn winding(points: &[[f32; 3]], [x, y]: [f64; 2]) -> isize {
    let mut turns = 0;
    for i in 0..points.len() {
        let [a, b] = [i, (i + 1) % points.len()].map(|i| points[i].map(f64::from));
        let side = orientation([a[0], a[1]], [b[0], b[1]], [x, y]);
        turns += isize::from(a[1] <= y && b[1] > y && side > 0.0);
        turns -= isize::from(b[1] <= y && a[1] > y && side < 0.0);
    }
    turns
}

/// Every corner as the first, both directions, the polygon as it is and sheared: each inner
/// point is covered once, none outside is.
fn check_exact_cover(outline: &[[i32; 2]]) {
    let n = outline.len();
    for turn in (0..n).step_by(1 + n / 16) {
        for (reversed, sheared) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut points: Vec<[f32; 3]> = (0..n)
                .map(|i| outline[(i + turn) % n].map(|v| v as f32))
                .map(|[x, y]| if sheared { [2. * x + y, 3. * y - x, 0.] } else { [x, y, 0.] })
                .collect();
            if reversed {
                points.reverse();
            }
            let corners: Vec<u32> = (0..n as u32).collect();
            let mut triangles = Vec::new();
            let fault = Triangulator::default().triangulate(&corners, &points, &mut triangles);
            let what = format!("{points:?}: {triangles:?}");
            assert_eq!(fault, None, "{what}");
            assert_eq!(triangles.len(), 3 * (n - 2), "{what}");
            let (area, _) = area(&points, &triangles);
            assert_eq!(area < 0.0, reversed, "{what}");
            for t in triangles.chunks(3) {
                let [a, b, c] = [0, 1, 2].map(|k| points[t[k] as usize].map(f64::from));
                let size = orientation([a[0], a[1]], [b[0], b[1]], [c[0], c[1]]);
                assert!(if reversed { size <= 0.0 } else { size >= 0.0 }, "{t:?} of {what}");
            }
            if turn == 0 {
                for x in -9..30 {
                    for y in -9..30 {
                        // Off all lines through corners.
                        let p = [f64::from(x) + 0.367_841, f64::from(y) + 0.141_592_7];
                        let turns = winding(&points, p).unsigned_abs();
                        assert!(turns <= 1, "the outline of this test is wrong");
                        assert_eq!(cover(&points, &triangles, p), turns, "{p:?} in {what}");
                    }
                }
            }
        }
    }
}

#[test]
fn spikes_cover_nothing() {
    for outline in [
        // Out of an edge, out of a corner, bent, into the inside, along an edge, two at a place.
        &[[0, 0], [4, 0], [4, 4], [2, 4], [2, 6], [2, 4], [0, 4]][..],
        &[[0, 0], [4, 0], [4, 4], [6, 6], [4, 4], [0, 4]],
        &[[0, 0], [4, 0], [4, 4], [4, 6], [4, 4], [0, 4]],
        &[[0, 0], [4, 0], [4, 4], [2, 4], [2, 6], [3, 7], [2, 6], [2, 4], [0, 4]],
        &[[0, 0], [4, 0], [4, 4], [2, 4], [2, 2], [2, 4], [0, 4]],
        &[[0, 0], [4, 0], [4, 4], [2, 4], [2, 2], [1, 2], [2, 2], [2, 4], [0, 4]],
        &[[0, 0], [4, 0], [4, 4], [2, 4], [3, 4], [0, 4]],
        &[[0, 0], [4, 0], [4, 4], [-2, 4], [0, 4]],
        &[[0, 0], [4, 0], [4, 4], [2, 4], [2, 6], [2, 4], [1, 5], [2, 4], [0, 4]],
        &[[0, 0], [4, 0], [4, 4], [2, 4], [2, 6], [2, 5], [2, 7], [2, 4], [0, 4]],
        // From a concave corner, to the opposite edge, and corners that repeat.
        &[[0, 0], [4, 0], [4, 4], [2, 2], [2, 6], [2, 2], [0, 4]],
        &[[0, 0], [4, 0], [4, 4], [2, 4], [2, 0], [2, 4], [0, 4]],
        &[[0, 0], [0, 0], [4, 0], [4, 4], [4, 4], [4, 4], [2, 1], [0, 4]],
    ] {
        check_exact_cover(outline);
    }
}

#[test]
fn parts_joined_by_bridges_are_filled() {
    for outline in [
        // Two squares; three in a row; two that meet in a point; one in the notch of another.
        &[
            [0, 0],
            [4, 0],
            [4, 2],
            [8, 2],
            [8, 0],
            [12, 0],
            [12, 4],
            [8, 4],
            [8, 2],
            [4, 2],
            [4, 4],
            [0, 4],
        ][..],
        &[
            [0, 0],
            [4, 0],
            [8, 0],
            [12, 0],
            [16, 0],
            [20, 0],
            [20, 4],
            [16, 4],
            [16, 0],
            [12, 0],
            [12, 4],
            [8, 4],
            [8, 0],
            [4, 0],
            [4, 4],
            [0, 4],
        ],
        &[[0, 0], [4, 0], [4, 4], [8, 4], [8, 8], [4, 8], [4, 4], [0, 4]],
        &[
            [0, 0],
            [9, 0],
            [9, 9],
            [6, 9],
            [6, 3],
            [5, 4],
            [5, 6],
            [4, 6],
            [4, 4],
            [5, 4],
            [6, 3],
            [3, 3],
            [3, 9],
            [0, 9],
        ],
        // A hole; a hole that touches the outline; two holes from one corner.
        &[[0, 0], [9, 0], [9, 9], [0, 9], [0, 0], [3, 3], [3, 6], [6, 6], [6, 3], [3, 3]],
        &[[0, 0], [9, 0], [9, 9], [0, 9], [0, 0], [3, 6], [6, 3]],
        // A hole whose bridge bends, once and twice.
        &[
            [0, 0],
            [9, 0],
            [9, 9],
            [0, 9],
            [0, 0],
            [1, 4],
            [4, 6],
            [6, 6],
            [6, 4],
            [4, 4],
            [4, 6],
            [1, 4],
        ],
        &[
            [0, 0],
            [9, 0],
            [9, 9],
            [0, 9],
            [0, 0],
            [1, 4],
            [2, 2],
            [4, 6],
            [6, 6],
            [6, 4],
            [4, 4],
            [4, 6],
            [2, 2],
            [1, 4],
        ],
        &[
            [0, 0],
            [9, 0],
            [9, 9],
            [0, 9],
            [0, 0],
            [1, 5],
            [1, 7],
            [3, 7],
            [1, 5],
            [0, 0],
            [5, 1],
            [7, 3],
            [7, 1],
            [5, 1],
        ],
    ] {
        check_exact_cover(outline);
    }
}

/// Random trees of squares in a grid, joined by bridges, with spikes, holes and squares that
/// touch at a point.
#[test]
fn random_outlines_that_touch_themselves_are_filled() {
    let mut state = 7_u32;
    let mut random = move |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % below
    };
    for _ in 0..100 {
        let mut outline = Vec::new();
        let mut seen = [[false; 3]; 3];
        grow(0, 0, &mut seen, &mut random, &mut outline);
        check_exact_cover(&outline);
    }
}

fn grow(
    i: usize,
    j: usize,
    seen: &mut [[bool; 3]; 3],
    random: &mut impl FnMut(u32) -> u32,
    outline: &mut Vec<[i32; 2]>,
) {
    seen[i][j] = true;
    let (x, y) = (10 * i as i32, 10 * j as i32);
    let add = |outline: &mut Vec<[i32; 2]>, points: &[[i32; 2]]| {
        outline.extend(points.iter().map(|p| [x + p[0], y + p[1]]));
    };
    add(outline, &[[0, 0]]);
    let right_edge = random(4);
    match random(5) {
        0 => add(outline, &[[1, 2], [1, 3], [2, 3], [1, 2], [0, 0]]),
        1 => add(outline, &[[1, 2], [0, 0]]),
        2 => add(outline, &[[1, 2], [2, 1], [1, 2], [0, 0], [0, 0]]),
        3 if right_edge != 2 => add(outline, &[[4, 2], [0, 0]]),
        _ => {}
    }
    add(outline, &[[4, 0]]);
    if i < 2 && !seen[i + 1][j] && random(3) > 0 {
        grow(i + 1, j, seen, random, outline);
        add(outline, &[[10, 0], [4, 0]]);
    }
    let edge: &[[i32; 2]] = match right_edge {
        0 => &[[4, 1], [4, 3]],
        1 => &[[4, 3], [6, 3], [6, 2], [6, 3], [4, 3]],
        2 => &[[3, 2]],
        _ => &[],
    };
    add(outline, edge);
    add(outline, &[[4, 4]]);
    match random(4) {
        0 => add(outline, &[[6, 4], [6, 6], [4, 6], [4, 4]]),
        1 => add(outline, &[[6, 6], [6, 8], [6, 6], [4, 4]]),
        2 => add(outline, &[[6, 6], [8, 6], [8, 8], [6, 6], [4, 4]]),
        _ => {}
    }
    add(outline, &[[0, 4]]);
    if j < 2 && !seen[i][j + 1] && random(3) > 0 {
        grow(i, j + 1, seen, random, outline);
        add(outline, &[[0, 10], [0, 4]]);
    }
}

#[test]
fn polygons_that_cross_themselves_cause_a_warning() {
    let fault = |points: &[[f32; 3]]| {
        let corners: Vec<u32> = (0..points.len() as u32).collect();
        let mut out = Vec::new();
        let fault = Triangulator::default().triangulate(&corners, points, &mut out);
        assert_eq!(out.len(), 3 * (points.len() - 2));
        fault
    };
    let bow = [[0., 0., 0.], [2., 2., 0.], [2., 0., 0.], [0., 2., 0.]];
    assert_eq!(fault(&bow), Some(CROSSING));
    let uneven_bow = [[0., 0., 0.], [2., 2., 0.], [2., 0., 0.], [0., 3., 0.]];
    assert_eq!(fault(&uneven_bow), Some(CROSSING));
    // On a line, on a point, and not finite: nothing that could be seen.
    assert_eq!(fault(&[[0., 0., 0.], [1., 1., 1.], [3., 3., 3.], [2., 2., 2.]]), None);
    assert_eq!(fault(&[[1., 2., 3.]; 6]), None);
    assert_eq!(fault(&[[f32::NAN; 3]; 5]), None);
}
