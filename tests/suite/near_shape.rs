//! The triangle nearest to a shape is the one that brute force over all triangles finds, in trees
//! and in scenes; and distances are what the parts of both say.

use std::ops::{Add, Mul, Sub};

use hitscan::geometry::{ConvexHull, ConvexShape, Shape};
use hitscan::glam::{Affine3A, Quat, Vec3};
use hitscan::scene::{Instance, Scene};
use hitscan::{
    Aabb, Builder, Bvh, Capsule, Facing, Hit, Mesh, Obb, Quality, Query, ShapeDistance, Sphere,
    Triangle,
};

use crate::support::{Random, in_world, long};

/// Any shape about a place: some touch, some are flat, some are points.
fn shape(random: &mut Random, at: Vec3, size: f32) -> ConvexShape {
    let around = |random: &mut Random| at + size * random.direction();
    let turned = |random: &mut Random| {
        let turn = Quat::from_axis_angle(random.direction(), random.range(0.0, 6.0));
        Affine3A::from_rotation_translation(turn, at)
    };
    match random.below(8) {
        0 => Sphere::new(at, size * random.unit()).into(),
        1 => Sphere::new(at, 0.0).into(),
        2 => Capsule::new(at, around(random), 0.3 * size).into(),
        3 => Aabb::from_points([at, around(random)]).into(),
        4 => Aabb::from_points([at, at]).into(),
        5 => {
            let local = Aabb::from_center_half_size([0.0; 3], size * random.direction().abs());
            Obb::from_transform(&turned(random), local).expect("a rotation").into()
        }
        6 => {
            let box_of = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|x| x as f32 * size));
            let hull = ConvexHull::from_points(box_of).expect("a box");
            hull.transformed(&turned(random)).expect("a rotation").into()
        }
        _ => {
            let points: Vec<Vec3> = (0..4 + random.below(20)).map(|_| around(random)).collect();
            let ball = |_| Sphere::new(at, size).into();
            ConvexHull::from_points(points).map_or_else(ball, ConvexShape::from)
        }
    }
}

/// Triangles of all sizes, some on a grid, so that several are equally near.
fn level(random: &mut Random, count: usize) -> Vec<Mesh> {
    let mut meshes = Vec::new();
    for part in 0..3 {
        let mut corners = Vec::new();
        for i in 0..count {
            let mut at = 10.0 * random.direction() * random.unit();
            let size = [0.3, 1.0, 6.0][i % 3];
            if part == 0 {
                at = at.round();
            }
            for _ in 0..3 {
                let corner = at + size * random.direction();
                corners.push(if part == 0 { corner.round() } else { corner }.to_array());
            }
        }
        meshes.push(Mesh::from_soup(corners));
    }
    meshes
}

/// The nearest of all triangles, by the reference: distance, mesh and triangle.
fn by_force(
    triangles: &[(u32, u32, Triangle)],
    shape: &ConvexShape,
    most: f32,
    accepts: &dyn Fn(u32, &Triangle) -> bool,
) -> Option<(f32, u32, u32)> {
    let near = triangles.iter().filter(|(_, number, triangle)| accepts(*number, triangle));
    let near = near.filter_map(|(mesh, number, triangle)| {
        Some((shape.distance(triangle).filter(|&distance| distance <= most)?, *mesh, *number))
    });
    near.min_by(|a, b| a.partial_cmp(b).expect("numbers"))
}

fn key(found: Option<ShapeDistance>) -> Option<(f32, u32, u32)> {
    found.map(|near| (near.distance, near.hit.mesh, near.hit.triangle))
}

fn triangles(bvh: &Bvh) -> Vec<(u32, u32, Triangle)> {
    bvh.triangles().map(|one| (one.mesh, one.triangle, one.vertices)).collect()
}

#[test]
fn the_nearest_triangle_is_that_of_brute_force() {
    let mut random = Random::new(5);
    let (mut touching, mut apart, mut none) = (0, 0, 0);
    for quality in [Quality::Fast, Quality::Best] {
        let meshes = level(&mut random, 60);
        let (bvh, _) = Builder::new().quality(quality).bake(&meshes).expect("sound");
        let all = triangles(&bvh);
        for i in 0..150 * long() {
            let at = 14.0 * random.direction() * random.unit();
            let at = if i % 4 == 0 { at.round() } else { at };
            let shape = shape(&mut random, at, [0.3, 1.0, 4.0][i % 3]);
            let most = [f32::INFINITY, f32::INFINITY, 0.0, 0.7][i % 4];
            let query = Query::new();
            let found = bvh.closest_to_shape(&shape, most, &query);
            assert_eq!(key(found), by_force(&all, &shape, most, &|_, _| true), "{shape:?}");
            match found {
                Some(near) if near.distance == 0.0 => touching += 1,
                Some(_) => apart += 1,
                None => none += 1,
            }
            let odd = |hit: &Hit| hit.triangle % 2 == 1;
            let found = bvh.closest_to_shape(&shape, most, &query.filter(&odd));
            let right = by_force(&all, &shape, most, &|number, _| number % 2 == 1);
            assert_eq!(key(found), right, "{shape:?}");
            // Zero if something is touched, and only then.
            let is_touching = found.is_some_and(|near| near.distance == 0.0);
            assert_eq!(bvh.any_overlap(&shape, &query.filter(&odd)), is_touching);
        }
    }
    assert!(touching > 20 && apart > 50 && none > 10, "{touching} {apart} {none}");
}

#[test]
fn only_triangles_count_whose_front_side_the_shape_is_on() {
    let wall = |z: f32| [[0.0, 0.0, z], [4.0, 0.0, z], [0.0, 4.0, z]];
    let (bvh, _) =
        Builder::new().bake(&[1.0, -2.0].map(|z| Mesh::from_soup(wall(z).into()))).unwrap();
    let ball = Sphere::new([1.0, 1.0, 0.0], 0.5);
    let ask = |facing| key(bvh.closest_to_shape(ball, 9.0, &Query::new().facing(facing)));
    assert_eq!(ask(Facing::Both), Some((0.5, 0, 0)));
    assert_eq!(ask(Facing::Front), Some((1.5, 1, 0)));
    assert_eq!(ask(Facing::Back), Some((0.5, 0, 0)));
}

#[test]
fn the_nearest_triangle_of_a_scene_is_that_of_brute_force() {
    let mut random = Random::new(6);
    let (bvh, _) = Builder::new().bake(&level(&mut random, 12)).expect("sound");
    let mut scene = Scene::new();
    let mut ids = Vec::new();
    for i in 0..9 {
        let turn = Quat::from_axis_angle(random.direction(), random.range(0.0, 6.0));
        let scale = [Vec3::ONE, Vec3::new(-0.5, 2.0, 1.0), Vec3::splat(0.1)][i % 3];
        let at = 20.0 * random.direction();
        let transform = Affine3A::from_scale_rotation_translation(scale, turn, at);
        let transform = if i % 4 == 0 { Affine3A::from_translation(at.round()) } else { transform };
        let instance = Instance::new(bvh.clone()).with_transform(transform);
        ids.push(scene.insert(instance).expect("sound"));
    }
    scene.commit();
    scene.remove(ids.remove(3)).expect("it is there");
    scene.set_transform(ids[5], Affine3A::from_rotation_x(0.3)).expect("sound");
    let now = scene.commit();
    let mut all = Vec::new();
    for &id in &ids {
        let map = now.transform(id).expect("it is there");
        all.extend(triangles(&bvh).into_iter().map(
            |(mesh, number, Triangle { v0, v1, v2, .. })| {
                let [a, b, c] = [v0, v1, v2].map(|corner| in_world(&map, corner));
                (id, mesh, number, Triangle::new(a, b, c))
            },
        ));
    }
    for i in 0..60 * long() {
        let at = 25.0 * random.direction() * random.unit();
        let shape = shape(&mut random, at, [0.3, 1.0, 4.0][i % 3]);
        let most = [f32::INFINITY, 3.0][i % 2];
        let found = now.closest_to_shape(&shape, most, &Query::new());
        let near = all.iter().filter_map(|(id, mesh, number, triangle)| {
            let distance = shape.distance(triangle).filter(|&distance| distance <= most)?;
            Some((distance, *id, *mesh, *number))
        });
        let best = near.min_by(|a, b| a.partial_cmp(b).expect("numbers"));
        let found =
            found.map(|near| (near.distance, near.hit.instance, near.hit.mesh, near.hit.triangle));
        assert_eq!(found, best, "{shape:?}");
    }
}

/// A vector of `f64`.
#[derive(Clone, Copy)]
struct DVec3([f64; 3]);

impl DVec3 {
    fn of(point: Vec3) -> Self {
        Self(point.to_array().map(f64::from))
    }
    fn dot(self, Self([x, y, z]): Self) -> f64 {
        self.0[0] * x + self.0[1] * y + self.0[2] * z
    }
    fn cross(self, Self(b): Self) -> Self {
        let a = self.0;
        Self([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
    }
    fn length(self) -> f64 {
        self.dot(self).sqrt()
    }
}

impl Add for DVec3 {
    type Output = Self;
    fn add(self, Self([x, y, z]): Self) -> Self {
        Self([self.0[0] + x, self.0[1] + y, self.0[2] + z])
    }
}

impl Sub for DVec3 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other * -1.0
    }
}

impl Mul<f64> for DVec3 {
    type Output = Self;
    fn mul(self, by: f64) -> Self {
        Self(self.0.map(|x| x * by))
    }
}

/// The distance of two triangles: from each edge of one to the other. Of segments and triangles in
/// `f64`, by the closest points of both.
fn of_triangles(one: &[DVec3; 3], other: &[DVec3; 3]) -> f64 {
    let edges = |t: &[DVec3; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let mut least = f64::INFINITY;
    for (a, b) in [(one, other), (other, one)] {
        for point in a {
            least = least.min(point_to_triangle(*point, b));
        }
        for edge in edges(a) {
            if crosses(edge, b) {
                return 0.0;
            }
        }
    }
    for a in edges(one) {
        for b in edges(other) {
            least = least.min(of_segments(a, b));
        }
    }
    least
}

fn point_to_triangle(p: DVec3, &[a, b, c]: &[DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a);
    let inside = [(a, b), (b, c), (c, a)]
        .iter()
        .all(|(from, to)| normal.dot((*to - *from).cross(p - *from)) >= 0.0);
    let on_edges = [(a, b), (b, c), (c, a)].map(|(from, to)| of_segments([p, p], [from, to]));
    let least = on_edges.into_iter().fold(f64::INFINITY, f64::min);
    if inside { least.min((p - a).dot(normal).abs() / normal.length()) } else { least }
}

fn crosses([from, to]: [DVec3; 2], &[a, b, c]: &[DVec3; 3]) -> bool {
    let normal = (b - a).cross(c - a);
    let (x, y) = ((from - a).dot(normal), (to - a).dot(normal));
    if (x > 0.0) == (y > 0.0) {
        return false;
    }
    let p = from + (to - from) * (x / (x - y));
    [(a, b), (b, c), (c, a)].iter().all(|(u, v)| normal.dot((*v - *u).cross(p - *u)) >= 0.0)
}

fn of_segments([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    // Where the lines are nearest, or at an end of one.
    let to_segment = |p: DVec3, from: DVec3, to: DVec3| {
        let way = to - from;
        let square = way.dot(way);
        let at = if square > 0.0 { ((p - from).dot(way) / square).clamp(0.0, 1.0) } else { 0.0 };
        (p - from - way * at).length()
    };
    let ends = [to_segment(a, c, d), to_segment(b, c, d), to_segment(c, a, b), to_segment(d, a, b)];
    let least = ends.into_iter().fold(f64::INFINITY, f64::min);
    let (u, v, w) = (b - a, d - c, a - c);
    let across = u.cross(v);
    let square = across.dot(across);
    if square == 0.0 {
        return least;
    }
    let s = -(w.cross(v).dot(across)) / square;
    let t = -(w.cross(u).dot(across)) / square;
    let is_within = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
    if is_within { least.min((w + u * s - v * t).length()) } else { least }
}

#[test]
fn distances_of_boxes_are_those_of_their_sides() {
    let mut random = Random::new(7);
    let (mut apart, mut inside) = (0, 0);
    for i in 0..2000 * long() {
        let unit = [1.0, 1e3, 1e-4][i % 3];
        let at = unit * 3.0 * random.direction() * random.unit();
        let half = unit * random.direction().abs();
        let turn = Quat::from_axis_angle(random.direction(), random.range(0.0, 6.0));
        let local = Aabb::from_center_half_size([0.0; 3], half);
        let place = Affine3A::from_rotation_translation(turn, at);
        let obb = Obb::from_transform(&place, local).expect("a rotation");
        let corners: Vec<Vec3> = (0..8).map(|i| local.corner(i)).collect();
        let hull = ConvexHull::from_points(corners).and_then(|hull| hull.transformed(&place));
        let corners = [0; 3].map(|_| unit * 3.0 * random.direction() * random.unit());
        let triangle = Triangle::new(corners[0], corners[1], corners[2]);
        let in_f64 = corners.map(DVec3::of);
        let sides = [
            [0, 1, 3],
            [0, 3, 2],
            [4, 5, 7],
            [4, 7, 6],
            [0, 1, 5],
            [0, 5, 4],
            [2, 3, 7],
            [2, 7, 6],
            [0, 2, 6],
            [0, 6, 4],
            [1, 3, 7],
            [1, 7, 5],
        ];
        let of_box = |corners: &[DVec3]| {
            let of_side = |side: &[usize; 3]| of_triangles(&side.map(|i| corners[i]), &in_f64);
            sides.iter().map(of_side).fold(f64::INFINITY, f64::min)
        };
        let m = place.to_cols_array_2d().map(|column| DVec3(column.map(f64::from)));
        let moved = |i: usize| {
            let [x, y, z] = local.corner(i).to_array().map(f64::from);
            m[0] * x + m[1] * y + m[2] * z + m[3]
        };
        let mut check = |shape: &ConvexShape, corners: &[DVec3], room: f64| {
            let (found, right) = (shape.distance(&triangle).expect("finite"), of_box(corners));
            assert_eq!(found == 0.0, Shape::from(shape).overlap(&triangle).is_some());
            if found == 0.0 {
                inside += 1;
                return;
            }
            apart += 1;
            let off = (f64::from(found) - right).abs();
            let most = f64::from(unit) * room + right / f64::from(1 << 24);
            assert!(off <= most, "{shape:?} {triangle:?}: {found} {right}");
        };
        check(&obb.into(), &(0..8).map(moved).collect::<Vec<_>>(), 2f64.powi(-28));
        if let Ok(hull) = &hull {
            let of_hull: Vec<DVec3> = hull.points().map(DVec3::of).collect();
            if of_hull.len() == 8 {
                // Its sides are bent by roundings of corners.
                check(&hull.into(), &of_hull, 2f64.powi(-18));
            }
        }
    }
    assert!(apart > 500 && inside > 100, "{apart} {inside}");
}

#[test]
fn far_away_flat_and_endless_shapes_have_distances() {
    let floor = Triangle::new([-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]);
    let distance = |shape: ConvexShape| shape.distance(&floor);
    let all = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
    assert_eq!(distance(all.into()), Some(0.0));
    let above = Aabb { min: Vec3::new(f32::NEG_INFINITY, 0.1, -1e30), max: Vec3::INFINITY };
    assert_eq!(distance(above.into()), Some(0.1));
    assert_eq!(distance(Sphere::new([0.0, 1e20, 0.0], 1e10).into()), Some(1e20));
    assert_eq!(distance(Sphere::new([0.0; 3], f32::INFINITY).into()), Some(0.0));
    assert_eq!(
        distance(Sphere::new([0.0, f32::MIN_POSITIVE, 0.0], 0.0).into()),
        Some(f32::MIN_POSITIVE)
    );
    assert_eq!(distance(Sphere::new([0.0; 3], -1.0).into()), None);
    assert_eq!(distance(Aabb::EMPTY.into()), None);
    let ball = ConvexShape::from(Sphere::new([0.0; 3], 1.0));
    assert_eq!(ball.distance(&Triangle::new([f32::NAN; 3], [0.0; 3], [1.0; 3])), None);
    // A triangle without an area is the segment or the point that it spans.
    assert_eq!(
        ball.distance(&Triangle::new([3.0; 3], [3.0, 0.0, 0.0], [3.0, 0.0, 0.0])),
        Some(2.0)
    );
    let (bvh, _) = Builder::new().bake(&[] as &[Mesh]).expect("empty");
    assert_eq!(bvh.closest_to_shape(&ball, f32::INFINITY, &Query::new()), None);
    let soup = [floor.v0, floor.v1, floor.v2].map(|corner| corner.to_array()).to_vec();
    let (bvh, _) = Builder::new().bake(&[Mesh::from_soup(soup)]).expect("sound");
    for most in [-1.0, f32::NAN] {
        assert_eq!(bvh.closest_to_shape(&ball, most, &Query::new()), None);
    }
}
