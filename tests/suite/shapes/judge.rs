//! Shapes and triangles in rational numbers, by other ways than the crate's.

use hitscan::glam::{Vec3, Vec4};
use hitscan::{Obb, Triangle};
use num_bigint::BigInt;
use num_rational::BigRational;

type Rational = BigRational;
type Point = [Rational; 3];

fn rational(x: f32) -> Rational {
    Rational::from_float(x).expect("finite")
}

fn zero() -> Rational {
    Rational::from_integer(BigInt::from(0))
}

fn one() -> Rational {
    Rational::from_integer(BigInt::from(1))
}

fn point(v: Vec3) -> Point {
    v.to_array().map(rational)
}

fn minus(a: &Point, b: &Point) -> Point {
    [0, 1, 2].map(|k| &a[k] - &b[k])
}

fn dot(a: &Point, b: &Point) -> Rational {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn cross(a: &Point, b: &Point) -> Point {
    [0, 1, 2].map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        &a[i] * &b[j] - &a[j] * &b[i]
    })
}

/// The points with `normal . p + offset >= 0`.
pub(crate) struct HalfSpace {
    normal: Point,
    offset: Rational,
}

impl HalfSpace {
    fn height(&self, p: &Point) -> Rational {
        dot(&self.normal, p) + &self.offset
    }
}

/// Apart, touching or inside: 0, 1 or 2.
pub(crate) fn in_half_spaces(spaces: &[HalfSpace], triangle: &Triangle) -> u8 {
    let corners = [triangle.v0, triangle.v1, triangle.v2].map(point);
    if spaces.iter().all(|space| corners.iter().all(|p| space.height(p) >= zero())) {
        return 2;
    }
    // Clipped in space, point by point.
    let mut polygon = corners.to_vec();
    for space in spaces {
        let mut clipped = Vec::new();
        for (i, a) in polygon.iter().enumerate() {
            let b = &polygon[(i + 1) % polygon.len()];
            let (from, to) = (space.height(a), space.height(b));
            if from >= zero() {
                clipped.push(a.clone());
            }
            if &from * &to < zero() {
                let t = &from / (&from - &to);
                clipped.push([0, 1, 2].map(|k| &a[k] + &t * (&b[k] - &a[k])));
            }
        }
        polygon = clipped;
    }
    u8::from(!polygon.is_empty())
}

pub(crate) fn of_planes(planes: &[Vec4]) -> Vec<HalfSpace> {
    let of =
        |plane: &Vec4| HalfSpace { normal: point(plane.truncate()), offset: rational(plane.w) };
    planes.iter().map(of).collect()
}

/// By the inverse of the map.
pub(crate) fn of_obb(obb: &Obb) -> Vec<HalfSpace> {
    let transform = obb.transform();
    let columns = transform.to_cols_array_2d().map(|column| column.map(rational));
    let [a, b, c, origin] = &columns;
    let determinant = dot(a, &cross(b, c));
    let rows = [cross(b, c), cross(c, a), cross(a, b)];
    let mut spaces = Vec::new();
    for (k, row) in rows.iter().enumerate() {
        let row = [0, 1, 2].map(|i| &row[i] / &determinant);
        let at = dot(&row, origin);
        let [min, max] = [obb.local_box().min[k], obb.local_box().max[k]].map(rational);
        spaces.push(HalfSpace { normal: row.clone(), offset: -&at - min });
        spaces.push(HalfSpace { normal: row.map(|x| -x), offset: at + max });
    }
    spaces
}

/// The squared distance of the hulls of two sets of points: for each pair of subsets that spans
/// independent directions, the least distance of their spans, if the points of it are in the hulls.
pub(crate) fn squared_distance(one_set: &[Vec3], other_set: &[Vec3]) -> Rational {
    let points = |set: &[Vec3]| -> Vec<Point> { set.iter().map(|&p| point(p)).collect() };
    distance_of_points(&points(one_set), &points(other_set))
}

fn distance_of_points(one_set: &[Point], other_set: &[Point]) -> Rational {
    let mut best: Option<Rational> = None;
    let subset = |points: &[Point], bits: usize| -> Vec<Point> {
        (0..points.len()).filter(|i| bits >> i & 1 == 1).map(|i| points[i].clone()).collect()
    };
    for i in 1..1 << one_set.len() {
        for j in 1..1 << other_set.len() {
            let distance = of_spans(&subset(one_set, i), &subset(other_set, j));
            if let Some(distance) = distance
                && best.as_ref().is_none_or(|best| distance < *best)
            {
                best = Some(distance);
            }
        }
    }
    best.expect("vertices are apart by something")
}

fn of_spans(one_set: &[Point], other_set: &[Point]) -> Option<Rational> {
    let way = minus(&other_set[0], &one_set[0]);
    // The point `way + sum of weight * direction` with the least length.
    let directions: Vec<Point> = one_set[1..]
        .iter()
        .map(|p| minus(&one_set[0], p))
        .chain(other_set[1..].iter().map(|p| minus(p, &other_set[0])))
        .collect();
    let n = directions.len();
    let mut rows: Vec<Vec<Rational>> = directions
        .iter()
        .map(|a| {
            let products = directions.iter().map(|b| dot(a, b));
            products.chain(std::iter::once(-dot(a, &way))).collect()
        })
        .collect();
    for i in 0..n {
        let pivot = (i..n).find(|&r| rows[r][i] != zero())?;
        rows.swap(i, pivot);
        let by = rows[i][i].clone();
        for x in &mut rows[i] {
            *x /= &by;
        }
        for r in (0..n).filter(|&r| r != i) {
            let by = rows[r][i].clone();
            for k in 0..=n {
                let off = &by * &rows[i][k];
                rows[r][k] -= off;
            }
        }
    }
    let weights: Vec<&Rational> = rows.iter().map(|row| &row[n]).collect();
    let (first, second) = weights.split_at(one_set.len() - 1);
    let is_inside = |weights: &[&Rational]| {
        let sum = weights.iter().fold(zero(), |sum, &x| sum + x);
        sum <= one() && weights.iter().all(|&x| *x >= zero())
    };
    if !is_inside(first) || !is_inside(second) {
        return None;
    }
    let mut to = way;
    for (direction, weight) in directions.iter().zip(&weights) {
        to = [0, 1, 2].map(|k| &to[k] + *weight * &direction[k]);
    }
    Some(dot(&to, &to))
}

pub(crate) fn square(x: f32) -> Rational {
    rational(x) * rational(x)
}

/// Whether a distance, given by its square, is within a radius, and exactly as large.
pub(crate) fn is_within(squared: &Rational, radius: f32) -> (bool, bool) {
    let square = square(radius);
    (*squared <= square, *squared == square)
}

/// The squared distance of a triangle and the hull of some points at a time of their motion.
pub(crate) fn distance_at(points: &[Vec3], motion: Vec3, t: f64, triangle: &Triangle) -> Rational {
    let t = Rational::from_float(t).expect("finite");
    let moved: Vec<Point> = points.iter().map(|&p| along(&point(p), &t, motion)).collect();
    distance_of_points(&moved, &[triangle.v0, triangle.v1, triangle.v2].map(point))
}

/// The least squared distance of a triangle and the hull of some points in all of their motion.
pub(crate) fn least_distance(points: &[Vec3], motion: Vec3, triangle: &Triangle) -> Rational {
    let mut swept: Vec<Point> = points.iter().map(|&p| point(p)).collect();
    let moved: Vec<Point> = swept.iter().map(|p| along(p, &one(), motion)).collect();
    swept.extend(moved);
    distance_of_points(&swept, &[triangle.v0, triangle.v1, triangle.v2].map(point))
}

fn along(p: &Point, t: &Rational, motion: Vec3) -> Point {
    let motion = point(motion);
    [0, 1, 2].map(|k| &p[k] + t * &motion[k])
}

/// The first time from 0 to 1 at which half spaces that move have a common point with a triangle:
/// the least of the vertices of all that is possible. A place is two weights and a time.
pub(crate) fn first_time(
    spaces: &[HalfSpace],
    motion: Vec3,
    triangle: &Triangle,
) -> Option<Rational> {
    let whole = |x: i32| Rational::from_integer(BigInt::from(x));
    let [a, b, c] = [triangle.v0, triangle.v1, triangle.v2].map(point);
    let (e1, e2, motion) = (minus(&b, &a), minus(&c, &a), point(motion));
    // Factors of the weights and the time, and what is added: not negative where it is possible.
    let mut limits: Vec<(Point, Rational)> =
        [([1, 0, 0], 0), ([0, 1, 0], 0), ([-1, -1, 0], 1), ([0, 0, 1], 0), ([0, 0, -1], 1)]
            .map(|(factors, add)| (factors.map(whole), whole(add)))
            .to_vec();
    limits.extend(spaces.iter().map(|space| {
        let factors =
            [dot(&space.normal, &e1), dot(&space.normal, &e2), -dot(&space.normal, &motion)];
        (factors, space.height(&a))
    }));
    let mut first: Option<Rational> = None;
    for i in 0..limits.len() {
        for j in 0..i {
            for k in 0..j {
                let rows = [&limits[i], &limits[j], &limits[k]];
                let [x, y, z] = rows.map(|row| &row.0);
                let [yz, zx, xy] = [cross(y, z), cross(z, x), cross(x, y)];
                let determinant = dot(x, &yz);
                if determinant == zero() {
                    continue;
                }
                let at = [0, 1, 2].map(|n| {
                    let sum = &rows[0].1 * &yz[n] + &rows[1].1 * &zx[n] + &rows[2].1 * &xy[n];
                    -sum / &determinant
                });
                let is_earlier = first.as_ref().is_none_or(|first| at[2] < *first);
                if is_earlier && limits.iter().all(|(f, add)| dot(f, &at) + add >= zero()) {
                    first = Some(at[2].clone());
                }
            }
        }
    }
    first
}

/// Whether a number is the nearest to the exact one.
pub(crate) fn rounds_to(exact: &Rational, x: f32) -> bool {
    let middle = |other: f32| (rational(x) + rational(other)) / (one() + one());
    middle(x.next_down()) <= *exact && *exact <= middle(x.next_up())
}

/// Of the hull of some points: each plane through three of them that has all others on one side.
pub(crate) fn of_points(points: &[Vec3]) -> Vec<HalfSpace> {
    let points: Vec<Point> = points.iter().map(|&p| point(p)).collect();
    let mut spaces = Vec::new();
    for k in 0..points.len() {
        for j in 0..k {
            for i in 0..j {
                let [a, b, c] = [i, j, k].map(|i| &points[i]);
                for normal in [cross(&minus(b, a), &minus(c, a)), cross(&minus(c, a), &minus(b, a))]
                {
                    let space = HalfSpace { offset: -dot(&normal, a), normal };
                    let has_all = points.iter().all(|p| space.height(p) >= zero());
                    if has_all && points.iter().any(|p| space.height(p) > zero()) {
                        spaces.push(space);
                    }
                }
            }
        }
    }
    spaces
}
