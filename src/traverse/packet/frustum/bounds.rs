//! Lemmas 41 and 42 against inputs whose roundings go the wrong way.
//!
//! The truth is computed in `f64`, whose errors are less than a millionth of the bounds.

use super::*;
use crate::geometry::round_up;
use crate::simd::{self, InstructionSet, Isa, Task};
use crate::test_rng::{climb, number};
use crate::traverse::packet::lanes::{Lanes, RAYS};
use crate::traverse::packet::triangle_test::RelativeRays;

fn at(x: f32) -> Interval {
    Interval { min: x, max: x }
}

/// The best that a search finds on any instruction set.
fn search<const N: usize>(
    name: &str,
    starts: &[[f32; N]],
    score: impl Fn(InstructionSet, &[f32; N]) -> Option<f64>,
) -> f64 {
    let mut best = 0f64;
    for isa in InstructionSet::available() {
        let steps = if cfg!(miri) { 2 } else { 3000 };
        let (found, numbers) = climb(starts, steps, |numbers| score(isa, numbers));
        println!("{name}, {isa}: {found:.3} at {numbers:?}");
        best = best.max(found);
    }
    best
}

/// A frustum around rays that start in one point, and a box, on the first axis and the last.
struct Reach {
    origin: [f32; 2],
    shear: f32,
    slope: f32,
    planes: [[f32; 2]; 2],
}

impl Reach {
    /// With the smallest slope with which some ray passes through the box.
    fn new(&[x, x_max, origin_x, z, z_max, origin_z, shear]: &[f32; 7]) -> Option<Self> {
        let number = f64::from;
        let axis = |min: f32, max: f32, origin: f32| {
            (number(min) + number(max) - 2.0 * number(origin), number(max) - number(min))
        };
        let ((center, size), (depth, thick)) = (axis(x, x_max, origin_x), axis(z, z_max, origin_z));
        let beside = (center - depth * number(shear)).abs() - size - thick * number(shear).abs();
        let slope = round_up(beside / (depth.abs() + thick));
        let fits = x <= x_max && z <= z_max && shear.abs() <= 1.0 && (0.0..0.5).contains(&slope);
        let planes = [[x, x_max], [z, z_max]];
        fits.then_some(Self { origin: [origin_x, origin_z], shear, slope, planes })
    }

    /// No coordinate of the box and the rays is larger.
    fn scale(&self) -> f32 {
        let size = |i: usize| {
            larger(self.planes[i][0].abs(), self.planes[i][1].abs()) + self.origin[i].abs()
        };
        larger(size(0), size(1))
    }
}

/// The part of the margin that it takes to keep the box.
impl Task for &Reach {
    type Output = f64;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> f64 {
        let origins = [at(self.origin[0]), at(0.0), at(self.origin[1])];
        let shears = [at(self.shear), at(0.0)];
        let mut frustum = Frustum::new(origins, shears, None, self.scale());
        frustum.slope[0] = self.slope;
        let margin = frustum.box_margin[0];
        let mut node = Node::EMPTY;
        for (k, [min, max]) in [self.planes[0], [0.0; 2], self.planes[1]].into_iter().enumerate() {
            (node.min[k][0], node.max[k][0]) = (min, max);
        }
        let rows = BlockRows::BY_LAST_AXIS[2];
        let [x, z] = [0, 2].map(|k| frustum.doubled_boxes::<I::Wide>(isa, &rows, &node, k, 0));
        let mut reaches = |part: f64| {
            frustum.box_margin[0] = (f64::from(margin) * part) as f32;
            frustum.reaches(0, x, z) & 1 != 0
        };
        assert!(reaches(1.0), "a box is lost");
        let (mut less, mut enough) = (0.0, 1.0);
        if reaches(less) {
            return 0.0;
        }
        for _ in 0..10 {
            let middle = 0.5 * (less + enough);
            if reaches(middle) { enough = middle } else { less = middle }
        }
        enough
    }
}

#[test]
fn boxes_are_kept_by_a_margin_that_rounding_needs_a_third_of() {
    let mut state = 7;
    let mut number = || number(&mut state);
    let random = |_| {
        let [x, z] = [number() - 0.5, number() - 0.5];
        [x, x + 0.5, number(), z, z + 0.5, number(), 0.9 * number()]
    };
    // Found by a longer search.
    let mut starts = vec![[
        -0.49836135,
        0.5017217,
        -8.170332e-6,
        -0.5027393,
        -0.50184685,
        -2.5417967e-5,
        0.99652135,
    ]];
    starts.extend((0..3).map(random));
    let found = search("box", &starts, |isa, numbers| {
        let reach = Reach::new(numbers)?;
        (0.1..16.0).contains(&reach.scale()).then(|| simd::run(isa, &reach))
    });
    assert!(cfg!(miri) || found > 1.0 / 3.0, "{found}");
}

/// Rays from one point in all directions between two, one of these rays, and an edge that it passes
/// so closely that it may hit a triangle with the edge.
struct Passing {
    shears: [Interval; 2],
    shear: [f32; 2],
    corners: [[f32; 3]; 2],
}

/// An edge function of that ray, as computed and without rounding, and its tolerance, with and
/// without what Lemma 42 adds for products.
struct EdgeError {
    error: f64,
    tolerance: f64,
    without_products: f64,
}

impl Passing {
    fn new(&[shear_x, shear_y, slope_x, slope_y, ref corners @ ..]: &[f32; 10]) -> Option<Self> {
        let corners: [[f32; 3]; 2] = *corners.as_chunks().0.as_array().expect("two points");
        let shears = [(shear_x, slope_x), (shear_y, slope_y)].map(|(shear, slope): (f32, f32)| {
            Interval { min: shear - slope.abs(), max: shear + slope.abs() }
        });
        let fits = |k: usize| shears[k].max_abs() <= 1.0 && shears[k].center_radius().1 <= 0.25;
        let near = corners.as_flattened().iter().all(|x| x.abs() < 4.0);
        let shear = [shear_x + slope_x, shear_y + slope_y];
        (fits(0) && fits(1) && near).then_some(Self { shears, shear, corners })
    }
}

impl Task for &Passing {
    type Output = Option<EdgeError>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Option<EdgeError> {
        let [b, c] = self.corners;
        let scale = self.corners.as_flattened().iter().fold(0.1, |most, x| larger(most, x.abs()));
        let frustum = Frustum::new([at(0.0); 3], self.shears, None, scale);
        let mut block = LeafBlock::EMPTY;
        block.set_corners(0, &[b, b, c]);
        let mut tests = TriangleTests::zeroed();
        let rows = BlockRows::BY_LAST_AXIS[2];
        frustum.intersect_triangles::<I::Leaf>(isa, &rows, &block, &mut tests);
        let mut rays = RelativeRays::zeroed();
        let shear = self.shear.map(Lanes::splat);
        rays.set_lines::<I::Wide>((isa, RAYS), &frustum.central, [&Lanes::splat(0.0); 3], &shear);
        let test = tests.splat::<I::Wide>(isa, 0);
        let mut computed = Lanes::splat(0.0);
        computed.store(0, test.edges[0].evaluate::<false>(&rays, 0));
        let mut tolerance = Lanes::splat(0.0);
        tolerance.store(0, test.tolerance);
        let (computed, tolerance) = (f64::from(computed.0[0]), f64::from(tolerance.0[0]));

        let number = f64::from;
        let from = |shear: [f32; 2], v: [f32; 3]| {
            [0, 1].map(|k| number(v[k]) - number(v[2]) * number(shear[k]))
        };
        let most =
            |v: [[f64; 2]; 2]| v.as_flattened().iter().fold(0f64, |most, x| most.max(x.abs()));
        let (p, q) = (from(self.shear, b), from(self.shear, c));
        let central = [from(frustum.central.shear, b), from(frustum.central.shear, c)];
        let wide = most([[0, 1].map(|k| central[0][k] - central[1][k]); 2]);
        let range = (number(b[2]) - number(c[2])).abs();
        if most([p, q]) > wide + range * number(frustum.slope_sum) {
            return None;
        }
        let (m, depth) = (most(central), number(larger(b[2].abs(), c[2].abs())));
        let products = m * (m + number(frustum.slope_sum) * depth);
        Some(EdgeError {
            error: (computed - (q[0] * p[1] - q[1] * p[0])).abs(),
            tolerance,
            without_products: tolerance - 24.0 * number(EPSILON) * products,
        })
    }
}

/// Lemma 42 says why its bound is wide. A part of it is for products, and without that part edges
/// would be lost, those far from the central ray and short beside that distance.
#[test]
fn edge_functions_of_packets_are_within_their_bound() {
    let mut state = 7;
    let starts: Vec<[f32; 10]> = (0..8)
        .map(|i| {
            let mut number = || number(&mut state);
            let (shear, slope) = ([0.5, -0.3][i % 2], [0.249, -0.1][i / 2 % 2]);
            let (size, depth) = ([1e-3, 0.1][i / 4], 0.8 + 0.2 * number());
            let mut corner = |side: f32| {
                let z = depth + size * number();
                let along = (shear + slope) * z;
                [along + side * size, along - side * size, z]
            };
            let ([a, b, c], [d, e, f]) = (corner(0.3), corner(-0.3));
            [shear, shear, slope, slope, a, b, c, d, e, f]
        })
        .collect();
    // Found by longer searches.
    let wide = [
        0.2411566,
        -0.11811492,
        -0.058351412,
        -0.09529735,
        0.19971815,
        -0.2625464,
        0.03482331,
        -0.24447548,
        0.14624552,
        0.03139119,
    ];
    let short = [
        -0.5,
        -0.49999997,
        -0.24857178,
        -0.2489444,
        -0.5433275,
        -0.54387707,
        0.726023,
        -0.54300916,
        -0.5436539,
        0.7255289,
    ];
    let error = |isa: InstructionSet, numbers: &[f32; 10]| {
        let error = simd::run(isa, &Passing::new(numbers)?)?;
        assert!(error.error <= error.tolerance, "{isa}: {numbers:?}");
        Some(error)
    };
    let found = search("edge function", &[vec![wide], starts.clone()].concat(), |isa, numbers| {
        error(isa, numbers).map(|error| error.error / error.tolerance)
    });
    assert!(cfg!(miri) || found > 1.0 / 12.0, "{found}");
    let found = search("products", &[vec![short], starts].concat(), |isa, numbers| {
        error(isa, numbers).map(|error| error.error / error.without_products)
    });
    assert!(cfg!(miri) || found > 1.0, "{found}");
}
