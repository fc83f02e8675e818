//! Lemmas 22 to 24 against inputs whose roundings go the wrong way. A search keeps what comes
//! nearest to a bound: none may be exceeded, and none may be much larger than the largest error
//! found.
//!
//! The truth is computed in `f64`, whose errors are less than a millionth of the bounds.

use super::*;
use crate::geometry::Corners;
use crate::simd::{self, InstructionSet, Isa, Task};
use crate::test_rng::{climb, number};

/// A ray whose direction's largest component is the last, and a triangle.
struct Case {
    origin: [f32; 3],
    dir: [f32; 3],
    corners: Corners,
}

impl Case {
    fn new(numbers: &[f32; 15]) -> Option<Self> {
        let point = |i: usize| [0, 1, 2].map(|k| numbers[3 * i + k]);
        let (origin, dir, corners) = (point(0), point(1), [point(2), point(3), point(4)]);
        let fits = numbers.iter().all(|x| x.abs() < 16.0)
            && dir[2].abs() >= 1.0
            && dir[0].abs() <= dir[2].abs()
            && dir[1].abs() <= dir[2].abs();
        fits.then_some(Self { origin, dir, corners })
    }
}

/// What the test computes in lane 0.
struct Computed {
    vertices: [[f32; 3]; 3],
    delta: f32,
    values: [f32; 3],
    tolerance: f32,
    edge_on: bool,
    t: [f32; 2],
}

fn first<V: Vector>(vector: V) -> f32 {
    let mut lanes = [0.0; 16];
    vector.replace_at(&mut lanes, 0);
    lanes[0]
}

impl Task for &Case {
    type Output = Computed;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Computed {
        let splat = |x: f32| I::Leaf::splat(isa, x);
        // As in `set_up_ray`, but for the least error.
        let z_inverse = 1.0 / self.dir[2];
        let shear = [self.dir[0] * z_inverse, self.dir[1] * z_inverse];
        let terms = TriangleTerms {
            origin: self.origin.map(splat),
            shear: shear.map(splat),
            z_inverse: splat(z_inverse),
            z_min: splat(-1e9),
            z_max: splat(1e9),
            delta: splat(0.0),
        };
        let corners = self.corners.map(|corner| corner.map(splat));
        let sheared = Sheared::of(&terms.origin, &terms.shear, terms.delta, corners);
        let edges = Edges::of(&terms, corners);
        let (values, tolerance) = (edges.values.map(first), first(edges.tolerance));
        let verdict = edges.judge(&terms);
        Computed {
            vertices: sheared.vertices.map(|vertex| vertex.map(first)),
            delta: first(sheared.delta),
            values,
            tolerance,
            edge_on: verdict.unbounded & 1 != 0,
            t: [first(verdict.t_lo), first(verdict.t_hi)],
        }
    }
}

/// The same without rounding.
struct Truth {
    vertices: [[f64; 3]; 3],
    values: [f64; 3],
    /// Where the line meets the triangle, if it does.
    t: Option<f64>,
}

impl Truth {
    fn of(case: &Case) -> Self {
        let [dx, dy, dz] = case.dir.map(f64::from);
        let vertices = case.corners.map(|corner| {
            let [x, y, z] = [0, 1, 2].map(|k| f64::from(corner[k]) - f64::from(case.origin[k]));
            [x - z * (dx / dz), y - z * (dy / dz), z]
        });
        let [a, b, c] = vertices;
        let edge = |c: [f64; 3], b: [f64; 3]| c[0] * b[1] - c[1] * b[0];
        let [u, v, w] = [edge(c, b), edge(a, c), edge(b, a)];
        let hit = u.min(v).min(w) > 0.0 || u.max(v).max(w) < 0.0;
        let t = hit.then(|| (a[2] * u + b[2] * v + c[2] * w) / (u + v + w) / dz);
        Self { vertices, values: [u, v, w], t }
    }
}

/// The best that a search finds on each instruction set, plain code first.
fn search(
    name: &str,
    starts: &[[f32; 15]],
    ratio: impl Fn(&Computed, &Truth) -> Option<f64>,
) -> f64 {
    let mut best = 0f64;
    for isa in InstructionSet::available() {
        let steps = if cfg!(miri) { 2 } else { 6000 };
        let (found, numbers) = climb(starts, steps, |numbers| {
            let case = Case::new(numbers)?;
            let ratio = ratio(&simd::run(isa, &case), &Truth::of(&case))?;
            assert!(ratio <= 1.0, "{name}, {isa}: {ratio} at {numbers:?}");
            Some(ratio)
        });
        println!("{name}, {isa}: {found:.3} at {numbers:?}");
        best = best.max(found);
    }
    best
}

/// Lines along a diagonal, close to a corner of a triangle or between two corners, at a depth next
/// to a power of two: there roundings are large.
fn starts() -> Vec<[f32; 15]> {
    let mut state = 7;
    let mut starts: Vec<[f32; 15]> = Vec::new();
    for i in 0..6 {
        let (size, y) = ([0.02, 0.1, 0.5][i % 3], [1.0, -1.0][i % 2]);
        let mut numbers = [
            [0.0, 0.0, 0.0],
            [1.0, y, 1.01],
            [1.0 + size, (1.0 + size) * y, 1.0],
            [1.0 - size, (1.0 - size) * y, 1.0],
            [1.0 + size, (1.0 - size) * y, 1.0],
        ];
        for x in numbers.as_flattened_mut() {
            *x += 1e-3 * number(&mut state);
        }
        starts.push(*numbers.as_flattened().as_array().expect("fifteen"));
    }
    starts
}

fn difference(computed: f32, exact: f64) -> f64 {
    (f64::from(computed) - exact).abs()
}

#[test]
fn sheared_coordinates_are_off_by_up_to_half_their_bound() {
    let found = search("coordinate", &starts(), |computed, truth| {
        let off = |i: usize, k: usize| difference(computed.vertices[i][k], truth.vertices[i][k]);
        let largest = [0, 1, 2].map(|i| off(i, 0).max(off(i, 1)));
        Some(largest.into_iter().fold(0.0, f64::max) / f64::from(computed.delta))
    });
    assert!(cfg!(miri) || found > 0.5, "{found}");
}

#[test]
fn edge_functions_are_off_by_more_than_a_third_of_their_bound() {
    // Found by a longer search.
    let worst = [
        4.8339367e-5,
        -0.00061386824,
        0.00022786856,
        0.9948808,
        -0.9977663,
        1.0093834,
        1.0144129,
        -1.0216726,
        1.0204966,
        0.9720599,
        -1.0027322,
        1.0002306,
        1.0239066,
        -1.000614,
        1.0251851,
    ];
    let found = search("edge function", &[vec![worst], starts()].concat(), |computed, truth| {
        let off = [0, 1, 2].map(|i| difference(computed.values[i], truth.values[i]));
        Some(off.into_iter().fold(0.0, f64::max) / f64::from(computed.tolerance))
    });
    assert!(cfg!(miri) || found > 1.0 / 3.0, "{found}");
}

/// Lemma 24 says why this bound is wide.
#[test]
fn a_sum_of_edge_functions_that_is_off_by_its_size_counts_as_edge_on() {
    let worst = [
        7.957362e-5,
        -0.00042982088,
        -0.0003542304,
        1.0003068,
        -1.000841,
        1.0112987,
        1.0388658,
        -1.0401549,
        1.0143151,
        0.95411545,
        -1.0263785,
        1.0001806,
        1.0285131,
        -0.9578624,
        1.0032283,
    ];
    let found = search("sum", &[vec![worst], starts()].concat(), |computed, truth| {
        let [u, v, w] = computed.values;
        let off = difference(u + v + w, truth.values.iter().sum());
        Some(off / f64::from(EDGE_ON * computed.tolerance))
    });
    assert!(cfg!(miri) || found > 1.0 / 8.0, "{found}");
}

/// Triangles that are steep to the ray and small beside their depths.
#[test]
fn hits_are_within_the_bounds_of_their_depth() {
    let mut state = 3;
    let steep = |i: usize| {
        let (near, size) = ([0.5, 0.1, 0.7][i % 3], [1e-3, 1e-5][i % 2]);
        let mut numbers = [
            [0.0, 0.0, 0.0],
            [1.0, 1.0, 1.0001],
            [1.01, 1.01, 1.01],
            [near + size, near - size, near],
            [near - size, near + size, near],
        ];
        for x in numbers.as_flattened_mut() {
            *x += 0.1 * size * number(&mut state);
        }
        *numbers.as_flattened().as_array().expect("fifteen")
    };
    let steep: Vec<[f32; 15]> = (0..6).map(steep).collect();
    let found = search("depth", &[steep, starts()].concat(), |computed, truth| {
        let (exact, [t_lo, t_hi]) = (truth.t?, computed.t.map(f64::from));
        if computed.edge_on {
            return Some(0.0);
        }
        // A reference rounds `t` too.
        let exact = f64::from(exact as f32);
        Some((2.0 * exact - t_lo - t_hi).abs() / (t_hi - t_lo))
    });
    assert!(cfg!(miri) || found > 1.0 / 8.0, "{found}");
}

/// Candidates with these bounds, all of them certain.
fn candidates(bounds: &[[f32; 2]]) -> Candidates {
    let all = ((1u32 << bounds.len()) - 1) as u8;
    let mut candidates = Candidates {
        t_lo: [0.0; LANES],
        t_hi: [0.0; LANES],
        possible: all,
        certain: all,
        unbounded: 0,
    };
    for (lane, [t_lo, t_hi]) in bounds.iter().enumerate() {
        (candidates.t_lo[lane], candidates.t_hi[lane]) = (*t_lo, *t_hi);
    }
    candidates
}

/// Bounds that touch may belong to hits at the same `t`, and then the lower id counts. (No bounds
/// of the test above are so narrow, but the choice does not depend on that.)
#[test]
fn a_triangle_whose_bounds_touch_those_of_the_nearest_stays() {
    assert_eq!(nearest(&candidates(&[[1.0, 2.0], [2.0, 3.0]])), (0, 0b11));
    assert_eq!(nearest(&candidates(&[[2.0, 3.0], [1.0, 2.0]])), (1, 0b11));
    assert_eq!(nearest(&candidates(&[[2.0, 2.0], [2.0, 2.0]])), (0, 0b11));
    let above = 2.0f32.next_up();
    assert_eq!(nearest(&candidates(&[[1.0, 2.0], [above, 3.0], [0.0, 4.0]])), (0, 0b101));
    // Bounds that mean nothing rule nothing out.
    let unbounded = Candidates { unbounded: 0b10, ..candidates(&[[1.0, 2.0], [5.0, 6.0]]) };
    assert_eq!(nearest(&unbounded), (0, 0b11));
}
