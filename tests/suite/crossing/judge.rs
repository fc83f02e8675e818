//! How deep a shape is in a triangle, in whole numbers of any length: independent of the crate.
//!
//! The triangle less the shape without its radius is a polytope. How far it reaches in a direction
//! is how far the shape has to move there. The least of that is found among the normals of its
//! faces, the ways to its vertices and those across its edges. If it is negative, the two are
//! apart.

use hitscan::ConvexShape;
use hitscan::glam::Vec3;
use num_bigint::{BigInt, Sign};

type Point = [BigInt; 3];

/// A shape without its radius: its points, the normals of its faces, the directions of its edges.
/// Numbers are in units of `2^-scale`.
pub(crate) struct Judge {
    points: Vec<Point>,
    normals: Vec<Point>,
    edges: Vec<Point>,
    radius: f64,
    corners: [Point; 3],
    scale: i32,
    /// The largest coordinate involved.
    pub(crate) size: f64,
}

/// The exponent of the lowest bit, for zero any.
fn lowest(x: f64) -> i32 {
    if x == 0.0 { 0 } else { exponent(x) + mantissa(x).trailing_zeros() as i32 }
}

fn mantissa(x: f64) -> u64 {
    x.to_bits() & ((1 << 52) - 1) | 1 << 52
}

fn exponent(x: f64) -> i32 {
    (x.to_bits() >> 52 & 0x7ff) as i32 - 1075
}

/// In units of `2^-scale`, of which it is a whole multiple.
fn whole(x: f64, scale: i32) -> BigInt {
    if x == 0.0 {
        return BigInt::from(0);
    }
    let shift = exponent(x) + scale;
    let number = if shift >= 0 {
        BigInt::from(mantissa(x)) << shift
    } else {
        assert!(mantissa(x).trailing_zeros() as i32 >= -shift, "{x:e} {scale}");
        BigInt::from(mantissa(x) >> -shift)
    };
    if x < 0.0 { -number } else { number }
}

fn real(x: &BigInt) -> f64 {
    let (sign, digits) = x.to_u64_digits();
    let size = digits.iter().rev().fold(0.0, |sum, &digit| sum * 2f64.powi(64) + digit as f64);
    if sign == Sign::Minus { -size } else { size }
}

fn sub(a: &Point, b: &Point) -> Point {
    [0, 1, 2].map(|k| &a[k] - &b[k])
}

fn cross(a: &Point, b: &Point) -> Point {
    [[1, 2], [2, 0], [0, 1]].map(|[p, q]: [usize; 2]| &a[p] * &b[q] - &a[q] * &b[p])
}

fn dot(a: &Point, b: &Point) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn is_zero(v: &Point) -> bool {
    v.iter().all(|x| x.sign() == Sign::NoSign)
}

impl Judge {
    pub(crate) fn new(shape: &ConvexShape, corners: [Vec3; 3]) -> Self {
        let numbers: Vec<f32> = match shape {
            ConvexShape::Aabb(bounds) => [bounds.min, bounds.max].map(|v| v.to_array()).concat(),
            ConvexShape::Obb(obb) => {
                let local = obb.local_box();
                let columns = obb.transform().to_cols_array();
                [local.min.to_array(), local.max.to_array()]
                    .concat()
                    .into_iter()
                    .chain(columns)
                    .collect()
            }
            ConvexShape::Sphere(sphere) => sphere.center.to_array().to_vec(),
            ConvexShape::Capsule(capsule) => [capsule.a, capsule.b].map(|v| v.to_array()).concat(),
            ConvexShape::Hull(hull) => hull.points().flat_map(|v| v.to_array()).collect(),
            _ => unreachable!("no other shape"),
        };
        let all = || numbers.iter().copied().chain(corners.iter().flat_map(|v| v.to_array()));
        let unit = -all().map(|x| lowest(x.into())).min().unwrap();
        // Products of two numbers, of boxes in any position, and pushes, are whole as well.
        let largest = all().fold(1e-30f64, |most, x| most.max(f64::from(x).abs()));
        let scale = (2 * unit).max(unit).max(64 - exponent(largest) - 52);
        let point = |v: Vec3| v.to_array().map(|x| whole(x.into(), scale));
        let corners_exact = corners.map(point);
        let (mut points, mut normals, mut edges, mut radius) = (vec![], vec![], vec![], 0.0);
        match shape {
            ConvexShape::Aabb(bounds) => {
                points = (0..8).map(|i| point(bounds.corner(i))).collect();
                normals = [Vec3::X, Vec3::Y, Vec3::Z]
                    .map(|v| v.to_array().map(|x| BigInt::from(x as i32)))
                    .to_vec();
                edges = normals.clone();
            }
            ConvexShape::Obb(obb) => {
                let (map, local) = (obb.transform(), obb.local_box());
                let columns = map.matrix3.to_cols_array_2d();
                points = (0..8)
                    .map(|i| {
                        let corner = local.corner(i).to_array();
                        [0, 1, 2].map(|k| {
                            let product =
                                |j: usize| f64::from(columns[j][k]) * f64::from(corner[j]);
                            let products = (0..3).map(|j| whole(product(j), scale));
                            whole(map.translation[k].into(), scale) + products.sum::<BigInt>()
                        })
                    })
                    .collect();
                edges = columns.map(|v| v.map(|x| whole(x.into(), unit))).to_vec();
                normals = vec![
                    cross(&edges[0], &edges[1]),
                    cross(&edges[1], &edges[2]),
                    cross(&edges[2], &edges[0]),
                ];
            }
            ConvexShape::Sphere(sphere) => {
                (points, radius) = (vec![point(sphere.center)], sphere.radius.into());
            }
            ConvexShape::Capsule(capsule) => {
                (points, radius) =
                    (vec![point(capsule.a), point(capsule.b)], capsule.radius.into());
                edges = vec![sub(&points[1], &points[0])];
            }
            ConvexShape::Hull(hull) => {
                points = hull.points().map(point).collect();
                (normals, edges) = faces_and_edges(&points);
            }
            _ => {}
        }
        let reach = points.iter().flatten().fold(0.0, |most: f64, x| most.max(real(x).abs()));
        let size = largest.max(reach * 2f64.powi(-scale)) + radius;
        Self { points, normals, edges, radius, corners: corners_exact, scale, size }
    }

    /// How far the shape has to move to leave the triangle by the shortest way, once it has been
    /// pushed: less than zero if they are apart.
    pub(crate) fn depth(&self, push: [f64; 3]) -> f64 {
        // In units that are far below those of `f32`.
        let unit = 2f64.powi(-self.scale);
        let push = push.map(|x| whole((x / unit).round(), 0));
        let points: Vec<Point> =
            self.points.iter().map(|point| [0, 1, 2].map(|k| &point[k] + &push[k])).collect();
        let [a, b, c] = &self.corners;
        let sides = [sub(b, a), sub(c, b), sub(a, c)];
        let mut faces = self.normals.clone();
        faces.push(cross(&sides[0], &sides[1]));
        faces.extend(
            self.edges.iter().flat_map(|edge| sides.each_ref().map(|side| cross(edge, side))),
        );
        faces.retain(|normal| !is_zero(normal));

        let reach = |direction: &Point| {
            let heights = |of: &[Point]| {
                let all: Vec<BigInt> = of.iter().map(|point| dot(direction, point)).collect();
                (all.iter().min().unwrap().clone(), all.iter().max().unwrap().clone())
            };
            let ((low, high), (least, most)) = (heights(&self.corners), heights(&points));
            let way = (high - least).min(most - low);
            real(&way) / real(&dot(direction, direction)).sqrt() * unit
        };
        // On a line there always is a direction across.
        let mut best = if faces.is_empty() { 0.0 } else { f64::INFINITY };
        for direction in &faces {
            best = best.min(reach(direction));
        }
        if self.points.len() <= 2 {
            let edges = || self.edges.iter().chain(&sides).filter(|edge| !is_zero(edge));
            for corner in &self.corners {
                for from in
                    points.iter().map(|point| sub(corner, point)).filter(|from| !is_zero(from))
                {
                    best = best.min(reach(&from));
                    for edge in edges() {
                        let (square, along) = (dot(edge, edge), dot(&from, edge));
                        let foot = [0, 1, 2].map(|k| &from[k] * &square - &edge[k] * &along);
                        if !is_zero(&foot) {
                            best = best.min(reach(&foot));
                        }
                    }
                }
            }
        }
        self.radius + best
    }
}

/// Of a hull, by all planes through three of its points. Directions that are no edge's do no harm.
fn faces_and_edges(points: &[Point]) -> (Vec<Point>, Vec<Point>) {
    let (mut normals, mut edges) = (vec![], vec![]);
    let count = points.len();
    for i in 0..count {
        for j in i + 1..count {
            let edge = sub(&points[j], &points[i]);
            let mut is_edge = false;
            for k in (0..count).filter(|&k| k != i && k != j) {
                let normal = cross(&edge, &sub(&points[k], &points[i]));
                let heights = points.iter().map(|point| dot(&normal, &sub(point, &points[i])));
                let signs: Vec<Sign> = heights.map(|height| height.sign()).collect();
                let has_both = signs.contains(&Sign::Plus) && signs.contains(&Sign::Minus);
                let is_face = !has_both && !is_zero(&normal);
                is_edge |= is_face;
                if is_face && k > j {
                    normals.push(normal);
                }
            }
            if is_edge {
                edges.push(edge);
            }
        }
    }
    (normals, edges)
}
