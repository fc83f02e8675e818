//! A plain reference: why a ray does not hit a triangle, in integers, over all triangles.

use crate::support::Random;
use hitscan::explain::WhyNot;
use hitscan::glam::{Affine3A, Vec3};
use hitscan::{Facing, Mesh, Ray};

pub(crate) type Point = [i64; 3];

/// The mask of a mesh, and whether it is mirrored in x.
type Kind = (u32, bool);

/// Meshes of whole coordinates.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) triangles: Vec<(Kind, Vec<[Point; 3]>)>,
}

/// A question.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) ray: Ray,
    origin: Point,
    dir: Point,
    pub(crate) mask: u32,
    pub(crate) facing: Facing,
    pub(crate) filters: bool,
    pub(crate) mesh: u32,
    pub(crate) triangle: u32,
}

/// What a triangle is to a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reason {
    Skipped,
    Mask,
    InPlane,
    Parallel(f64),
    /// The distance, and for each edge its distance if the line is outside of it.
    OutsideEdge(f64, [Option<f64>; 3]),
    OutsideInterval(f32),
    Facing(f32),
    Filter(f32),
    /// Its `t`, and the numbers of what is first.
    Nearer(f32, (u32, u32)),
    Hit(f32),
}

pub(crate) const NAMES: [&str; 10] = [
    "skipped", "mask", "in plane", "parallel", "outside", "interval", "facing", "filter", "nearer",
    "hit",
];

impl World {
    pub(crate) fn new(random: &mut Random) -> Self {
        let coordinate = |random: &mut Random| random.below(9) as i64 - 4;
        let point = |random: &mut Random| [0; 3].map(|_: i64| coordinate(random));
        let mesh = |random: &mut Random| {
            let kind = (1 << random.below(3), random.below(3) == 0);
            let count = 2 + random.below(6);
            let triangle = |random: &mut Random| {
                let (a, b, c) = (point(random), point(random), point(random));
                // Some have no area.
                if random.below(10) == 0 { [a, b, b] } else { [a, b, c] }
            };
            (kind, (0..count).map(|_| triangle(random)).collect())
        };
        Self { triangles: (0..3).map(|_| mesh(random)).collect() }
    }

    pub(crate) fn meshes(&self) -> Vec<Mesh> {
        let mesh = |((mask, mirrored), triangles): &(Kind, Vec<[Point; 3]>)| {
            let vertices = triangles.iter().flatten().map(|p| p.map(|x| x as f32)).collect();
            let x = if *mirrored { -1.0 } else { 1.0 };
            let scale = Affine3A::from_scale(Vec3::new(x, 1.0, 1.0));
            Mesh::from_soup(vertices).with_mask(*mask).with_transform(scale)
        };
        self.triangles.iter().map(mesh).collect()
    }

    pub(crate) fn mesh_mask(&self, mesh: u32) -> u32 {
        self.triangles[mesh as usize].0.0
    }

    /// The vertices where they stand, in the caller's order, and whether they are mirrored.
    pub(crate) fn vertices(&self, mesh: u32, triangle: u32) -> ([Point; 3], bool) {
        let ((_, mirrored), triangles) = &self.triangles[mesh as usize];
        let moved = |[x, y, z]: Point| [if *mirrored { -x } else { x }, y, z];
        (triangles[triangle as usize].map(moved), *mirrored)
    }

    pub(crate) fn numbers(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..).zip(&self.triangles).flat_map(|(mesh, (_, triangles))| {
            (0..triangles.len() as u32).map(move |triangle| (mesh, triangle))
        })
    }

    pub(crate) fn reason(&self, case: &Case) -> Reason {
        self.reason_of(case, case.mesh, case.triangle)
    }

    fn reason_of(&self, case: &Case, mesh: u32, triangle: u32) -> Reason {
        let by_itself = self.alone(case, mesh, triangle);
        let Reason::Hit(t) = by_itself else { return by_itself };
        let hits =
            self.numbers().filter_map(|(mesh, triangle)| match self.alone(case, mesh, triangle) {
                Reason::Hit(t) => Some((t, (mesh, triangle))),
                _ => None,
            });
        let first = hits.min_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
        if first.1 == (mesh, triangle) { Reason::Hit(t) } else { Reason::Nearer(t, first.1) }
    }

    /// Without the others.
    fn alone(&self, case: &Case, mesh: u32, triangle: u32) -> Reason {
        let ([a, b, c], mirrored) = self.vertices(mesh, triangle);
        let (e1, e2) = (minus(b, a), minus(c, a));
        let normal = cross(e1, e2);
        if normal == [0; 3] {
            return Reason::Skipped;
        }
        if self.mesh_mask(mesh) & case.mask == 0 {
            return Reason::Mask;
        }
        let s = minus(case.origin, a);
        let (det, height) = (-dot(case.dir, normal), dot(s, normal));
        if det == 0 {
            let distance = height.abs() as f64 / (dot(normal, normal) as f64).sqrt();
            return if height == 0 { Reason::InPlane } else { Reason::Parallel(distance) };
        }
        let q = cross(s, case.dir);
        let (u, v) = (dot(e2, q), -dot(e1, q));
        let t = height as f64 / det as f64;
        // The weight of the vertex that is not on it: of the edge from the first vertex on, of the
        // second, of the third.
        let sides = [v, det - u - v, u].map(|weight| weight.signum() * det.signum());
        if sides.contains(&-1) {
            let (from, along) = (floats(case.origin), floats(case.dir));
            let at = [0, 1, 2].map(|k| from[k] + along[k] * t);
            let edges = [(a, b), (b, c), (c, a)].map(|(from, to)| segment(from, to, at));
            let outside = [0, 1, 2].map(|i| (sides[i] < 0).then_some(edges[i]));
            let least = edges.into_iter().fold(f64::INFINITY, f64::min);
            return Reason::OutsideEdge(least, outside);
        }
        let t = t as f32;
        if t < case.ray.t_min || t > case.ray.t_max {
            return Reason::OutsideInterval(t);
        }
        let front = (det > 0) != mirrored;
        if case.facing != Facing::Both && front != (case.facing == Facing::Front) {
            return Reason::Facing(t);
        }
        if case.filters && !case.accepts(mesh, triangle) {
            return Reason::Filter(t);
        }
        Reason::Hit(t)
    }

    /// The best rank of a mesh's triangles; those without area do not count, unless all are so.
    pub(crate) fn best_of_mesh(&self, case: &Case) -> u8 {
        let reasons = self.numbers().filter(|&(mesh, _)| mesh == case.mesh);
        let ranks = reasons.map(|(mesh, triangle)| self.reason_of(case, mesh, triangle).rank());
        ranks.min().unwrap()
    }

    /// Whether a query for the nearest point counts a triangle.
    pub(crate) fn counts_near(&self, case: &Case, mesh: u32, triangle: u32) -> bool {
        let ([a, b, c], mirrored) = self.vertices(mesh, triangle);
        let normal = cross(minus(b, a), minus(c, a));
        let height = dot(minus(case.origin, a), normal);
        let height = if mirrored { -height } else { height };
        let faces = match case.facing {
            Facing::Both => true,
            Facing::Front => height >= 0,
            Facing::Back => height < 0,
        };
        normal != [0; 3]
            && self.mesh_mask(mesh) & case.mask != 0
            && faces
            && case.accepts(mesh, triangle)
    }
}

impl Case {
    pub(crate) fn new(random: &mut Random, world: &World) -> Self {
        let whole = |random: &mut Random, half: usize| {
            [0; 3].map(|_: i64| random.below(2 * half + 1) as i64 - half as i64)
        };
        let mesh = random.below(world.triangles.len()) as u32;
        let triangle = random.below(world.triangles[mesh as usize].1.len()) as u32;
        let mut origin = whole(random, 6);
        let mut dir = whole(random, 3);
        // Most at a point of the triangle, or a lattice point near it.
        if random.below(4) != 0 {
            let ([a, b, c], _) = world.vertices(mesh, triangle);
            let at = [0, 1, 2].map(|k| (a[k] + b[k] + 2 * c[k]) / 4);
            dir = minus(at, origin);
        }
        // Some in the triangle's plane.
        if random.below(16) == 0 {
            let ([a, b, c], _) = world.vertices(mesh, triangle);
            (origin, dir) = (minus(minus(a, b), minus([0; 3], a)), minus(b, c));
        }
        if dir == [0; 3] {
            dir = [0, 1, 0];
        }
        let quarter = |random: &mut Random| random.below(12) as f32 * 0.25;
        let (t_min, t_max) = match random.below(3) {
            0 => (0.0, f32::INFINITY),
            1 => (-quarter(random), quarter(random)),
            _ => (0.0, quarter(random)),
        };
        let ray = Ray::new(origin.map(|x| x as f32), dir.map(|x| x as f32));
        Self {
            ray: ray.with_range(t_min, t_max),
            origin,
            dir,
            mask: if random.below(3) == 0 { 1 << random.below(3) } else { u32::MAX },
            facing: [Facing::Both, Facing::Both, Facing::Front, Facing::Back][random.below(4)],
            filters: random.below(3) == 0,
            mesh,
            triangle,
        }
    }

    pub(crate) fn accepts(&self, mesh: u32, triangle: u32) -> bool {
        !(mesh + triangle).is_multiple_of(3)
    }
}

impl Reason {
    /// Whether the library says the same.
    pub(crate) fn is_like(&self, found: &WhyNot) -> bool {
        let near = |a: f64, b: f32| (a - f64::from(b)).abs() <= 1e-5 * a.max(1.0);
        match (*self, *found) {
            (Self::Skipped, WhyNot::Skipped) | (Self::InPlane, WhyNot::InPlane) => true,
            (Self::Mask, WhyNot::MeshMask { .. }) => true,
            (Self::Parallel(d), WhyNot::Parallel { distance }) => near(d, distance),
            (
                Self::OutsideEdge(d, edges),
                WhyNot::OutsideEdge { edge, distance, point, closest, .. },
            ) => {
                let between = point.distance(closest);
                let same =
                    near(d, distance) && (between - distance).abs() < 1e-4 * distance.max(1.0);
                same && edges[usize::from(edge)].is_some_and(|d| near(d, distance))
            }
            (Self::OutsideInterval(a), WhyNot::OutsideInterval { t }) => a == t,
            (Self::Facing(a), WhyNot::Facing { hit }) => a == hit.t,
            (Self::Filter(a), WhyNot::Filter { hit }) => a == hit.t,
            (Self::Nearer(a, first), WhyNot::Nearer { t, by }) => {
                a == t && first == (by.mesh, by.triangle)
            }
            (Self::Hit(a), WhyNot::Hit(hit)) => a == hit.t,
            _ => false,
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        let at = match self {
            Self::Skipped => 0,
            Self::Mask => 1,
            Self::InPlane => 2,
            Self::Parallel(_) => 3,
            Self::OutsideEdge(..) => 4,
            Self::OutsideInterval(_) => 5,
            Self::Facing(_) => 6,
            Self::Filter(_) => 7,
            Self::Nearer(..) => 8,
            Self::Hit(_) => 9,
        };
        NAMES[at]
    }

    /// How near to being the answer, the answer first.
    fn rank(&self) -> u8 {
        match self {
            Self::Hit(_) => 0,
            Self::Nearer(..) => 1,
            Self::Filter(_) => 2,
            Self::Facing(_) => 3,
            Self::OutsideInterval(_) => 4,
            Self::OutsideEdge(..) => 5,
            Self::Parallel(_) | Self::InPlane => 6,
            Self::Mask => 7,
            Self::Skipped => 8,
        }
    }

    pub(crate) fn rank_of(found: &WhyNot) -> u8 {
        match found {
            WhyNot::Hit(_) => 0,
            WhyNot::Nearer { .. } => 1,
            WhyNot::Filter { .. } => 2,
            WhyNot::Facing { .. } => 3,
            WhyNot::OutsideInterval { .. } => 4,
            WhyNot::OutsideEdge { .. } => 5,
            WhyNot::Parallel { .. } | WhyNot::InPlane => 6,
            WhyNot::MeshMask { .. } => 7,
            WhyNot::Skipped => 8,
            _ => u8::MAX,
        }
    }
}

fn floats(p: Point) -> [f64; 3] {
    p.map(|x| x as f64)
}

pub(crate) fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn dot(a: Point, b: Point) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The distance from a point to a segment.
fn segment(from: Point, to: Point, point: [f64; 3]) -> f64 {
    let (from, along) = (floats(from), floats(minus(to, from)));
    let sum = |f: &dyn Fn(usize) -> f64| f(0) + f(1) + f(2);
    let reach = sum(&|k| (point[k] - from[k]) * along[k]) / sum(&|k| along[k] * along[k]);
    let reach = reach.clamp(0.0, 1.0);
    sum(&|k| (from[k] + along[k] * reach - point[k]).powi(2)).sqrt()
}
