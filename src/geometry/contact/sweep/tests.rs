use super::*;
use crate::geometry::distance::point_distance::Feature;
use crate::geometry::vec3_f64::{Vec3F64, add, cross, dot, max_abs, scale, sub, to_f64};
use crate::geometry::{Capsule, Obb, Sphere};
use crate::test_rng::{bits, point};

/// A shape as all points within a radius of the convex hull of some points.
struct Judge {
    points: Vec<Vec3F64>,
    radius: f64,
    /// The normals of the faces, in both directions.
    normals: Vec<Vec3F64>,
}

impl Judge {
    fn of(shape: &ConvexShape, size: f64) -> Self {
        let (points, radius) = match shape {
            ConvexShape::Aabb(bounds) => (bounds.corners().to_vec(), 0.0),
            ConvexShape::Obb(obb) => ((0..8).map(|i| obb.corner(i)).collect(), 0.0),
            ConvexShape::Sphere(sphere) => (vec![sphere.center], sphere.radius),
            ConvexShape::Capsule(capsule) => (vec![capsule.a, capsule.b], capsule.radius),
            ConvexShape::Hull(hull) => (hull.points().collect(), 0.0),
        };
        let points: Vec<_> = points.into_iter().map(to_f64).collect();
        let mut judge = Self { points, radius: radius.into(), normals: Vec::new() };
        for a in &judge.points {
            for b in &judge.points {
                for c in &judge.points {
                    let (one, other) = (sub(*b, *a), sub(*c, *a));
                    let Some(normal) = unit(cross(one, other), size * size) else { continue };
                    if judge.least(normal) > dot(normal, *a) - 1e-5 * size {
                        judge.normals.push(scale(normal, -1.0));
                    }
                }
            }
        }
        judge
    }

    fn center(&self) -> Vec3 {
        let sum = self.points.iter().fold([0.0; 3], |sum, &point| add(sum, point));
        Vec3::from(sum.map(|x| (x / self.points.len() as f64) as f32))
    }

    /// The least height over a plane through zero with this unit normal.
    fn least(&self, normal: Vec3F64) -> f64 {
        let heights = self.points.iter().map(|&point| dot(normal, point));
        heights.fold(f64::INFINITY, f64::min) - self.radius
    }

    fn distance(&self, of: Vec3F64) -> f64 {
        match self.points[..] {
            [a] => length(sub(of, a)) - self.radius,
            [a, b] => {
                let (way, edge) = (sub(of, a), sub(b, a));
                let part = (dot(way, edge) / dot(edge, edge)).clamp(0.0, 1.0);
                length(sub(way, scale(edge, part))) - self.radius
            }
            _ => {
                let heights = self.normals.iter().map(|&n| self.least(scale(n, -1.0)) + dot(n, of));
                heights.fold(0.0, f64::max)
            }
        }
    }
}

fn length(v: Vec3F64) -> f64 {
    dot(v, v).sqrt()
}

/// Of unit length, unless it is too short for the size of what it is made of.
fn unit(v: Vec3F64, size: f64) -> Option<Vec3F64> {
    (max_abs(v) > 1e-4 * size).then(|| scale(v, 1.0 / length(v)))
}

fn shape(state: &mut u64, kind: usize, size: f32) -> ConvexShape {
    let (is_whole, is_thin) = (bits(state).is_multiple_of(3), bits(state).is_multiple_of(4));
    let mut any = |part: f32| Vec3::from(point(state, part * size, is_whole));
    let (at, other, part) = (any(1.0), any(1.0), any(0.5).abs() + 0.125 * size);
    let radius = if is_thin { 0.0 } else { part.x };
    match kind % 5 {
        0 => Aabb::from_points([at - part, at + part]).into(),
        1 => {
            let turn = glam::Quat::from_scaled_axis(any(2.0) / size);
            let map = glam::Affine3A::from_rotation_translation(turn, at);
            Obb::from_transform(&map, Aabb::from_points([-part, part])).expect("sound").into()
        }
        2 => Sphere::new(at, radius).into(),
        3 => Capsule::new(at, other, radius).into(),
        _ => {
            let corners = [at + part, at - part, at + part * Vec3::new(-1.0, 1.0, 1.0)];
            let points = corners.into_iter().chain([other, any(1.0), any(1.0)]);
            let hull = ConvexHull::from_points(points.collect::<Vec<_>>());
            hull.map_or(Sphere::new(at, size).into(), |hull| (&hull).into())
        }
    }
}

/// Contacts are judged by planes: at `t` the plane through the point, across the normal, is between
/// shape and triangle, and there is no shorter way out of a triangle that is touched at the start.
#[test]
fn normals_and_points_are_where_shape_and_triangle_touch() {
    let (mut state, mut later, mut deep, mut apart) = (17, [0; 5], [0; 5], 0);
    for i in 0..if cfg!(miri) { 10 } else { 6_000 } {
        let size = [1.0, 2f32.powi(30), 2f32.powi(-30)][i / 40 % 3];
        let shape = shape(&mut state, i, size);
        let judge = Judge::of(&shape, size.into());
        let is_whole = bits(&mut state).is_multiple_of(3);
        let mut any = |part: f32| Vec3::from(point(&mut state, part * size, is_whole));
        let away = any([0.0, 2.0][i / 5 % 2]);
        let triangle = Triangle::new(away + any(1.0), away + any(1.0), away + any(1.0));
        let target = (triangle.v0 + triangle.v1) * 0.25 + triangle.v2 * 0.5;
        let way = target - judge.center();
        let motion = [Vec3::ZERO, any(0.5), way, way * 2.0, way * 100.0][i / 10 % 5];
        let corners = triangle.to_arrays().map(|corner| corner.map(f64::from));
        let [a, b, c] = corners;
        let size = f64::from(size);
        let Some(face) = unit(cross(sub(b, a), sub(c, a)), size * size) else { continue };
        let Some(contact) = shape.first_contact(motion, &triangle) else {
            apart += 1;
            continue;
        };
        let context = format!("{shape:?} {motion} {triangle:?} {contact:?}");
        let normal = to_f64(contact.normal);
        let most = |normal: Vec3F64| {
            corners.iter().fold(f64::NEG_INFINITY, |most, &corner| most.max(dot(normal, corner)))
        };
        let (t, depth) = (f64::from(contact.t), f64::from(contact.depth));
        let moved = scale(to_f64(motion), t);
        assert!((length(normal) - 1.0).abs() < 1e-6, "{context}");

        // The plane between them. For a segment it is found from a distance of some roundings.
        let near = if judge.radius == 0.0 && judge.points.len() == 2 { 1e-2 } else { 1e-4 } * size;
        let gap = judge.least(normal) + dot(normal, moved) + depth - most(normal);
        assert!(gap.abs() < near, "{gap} {context}");
        let at = to_f64(contact.point);
        if t > 0.0 {
            assert!((dot(normal, at) - most(normal)).abs() < near, "{context}");
            assert!(dot(normal, to_f64(motion)) < 1e-6 * size, "{context}");
            assert_eq!(depth, 0.0, "{context}");
            later[i % 5] += 1;
        } else if depth > 0.0 {
            deep[i % 5] += 1;
        }
        // The point is in both.
        let off = judge.distance(sub(at, moved));
        assert!(off < 1e-4 * size, "{off} {context}");
        let (u, v) = (f64::from(contact.u), f64::from(contact.v));
        let weights = [1.0 - u - v, u, v];
        let of_weights = add(scale(a, weights[0]), add(scale(b, u), scale(c, v)));
        assert!(max_abs(sub(of_weights, at)) < 1e-5 * size, "{context}");
        assert!(weights.iter().all(|&weight| weight > -1e-6), "{context}");
        match contact.feature {
            Feature::Face => {}
            Feature::Edge(i) => {
                assert!(weights[(usize::from(i) + 2) % 3].abs() < 1e-6, "{context}");
            }
            Feature::Vertex(i) => {
                assert!((weights[usize::from(i)] - 1.0).abs() < 1e-6, "{context}");
            }
        }
        // The side of the face.
        let side = to_f64(contact.face_normal);
        let is_face = length(sub(side, face)).min(length(add(side, face))) < 1e-5;
        assert!(is_face && dot(side, normal) > -1e-6, "{context}");
        // No way out is shorter.
        if t == 0.0 {
            let mut ways = judge.normals.clone();
            ways.push(face);
            for edge in [sub(b, a), sub(c, b), sub(a, c)] {
                let from = judge.points[0];
                ways.extend(
                    judge
                        .points
                        .iter()
                        .filter_map(|&to| unit(cross(sub(to, from), edge), size * size)),
                );
            }
            ways.extend((0..20).filter_map(|_| unit(to_f64(any(1.0)), size)));
            for way in ways.iter().flat_map(|&way| [way, scale(way, -1.0)]) {
                assert!(most(way) - judge.least(way) > depth - 1e-4 * size, "{way:?} {context}");
            }
        }
    }
    println!("{later:?} later, {deep:?} at the start, {apart} apart");
    assert!(cfg!(miri) || later.iter().chain(&deep).all(|&count| count > 40) && apart > 500);
}

/// Where a box lies on a face, an edge or a vertex, or stands on one of its own.
#[test]
fn the_point_is_the_middle_of_what_touches() {
    let cube = |at: [f32; 3]| ConvexShape::from(Aabb::from_center_half_size(at, [1.0; 3]));
    let points: Vec<Vec3> = (0..8)
        .map(|i| Vec3::from([i, i >> 1, i >> 2].map(|bit| (2 * (bit & 1) - 1) as f32)))
        .collect();
    let hull = |at: [f32; 3]| {
        let points = points.iter().map(|&point| point + Vec3::from(at));
        ConvexShape::from(&ConvexHull::from_points(points).expect("a cube"))
    };
    let on_edge = |at: [f32; 3]| {
        let axes = [Vec3::new(1.0, 1.0, 0.0), Vec3::new(-1.0, 1.0, 0.0), Vec3::Z];
        ConvexShape::from(Obb::from_axes(at, axes, [0.5, 0.5, 2.0]).expect("sound"))
    };
    let floor = [[-9.0, 0.0, -9.0], [-9.0, 0.0, 27.0], [27.0, 0.0, -9.0]];
    let ridge = [[-9.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, -9.0, 0.0]];
    let tip = [[0.25, 0.0, 0.5], [9.0, -9.0, 0.0], [-9.0, -9.0, 0.0]];
    let turned = |[a, b, c]: [[f32; 3]; 3], by: usize| [[a, b, c], [c, a, b], [b, c, a]][by];
    for by in 0..3 {
        let next = |i: usize| ((i + by) % 3) as u8;
        for make in [&cube as &dyn Fn([f32; 3]) -> ConvexShape, &hull] {
            for (corners, at, point, feature) in [
                (floor, [0.5, 3.0, -0.5], [0.5, 0.0, -0.5], Feature::Face),
                (ridge, [0.5, 3.0, 0.25], [0.5, 0.0, 0.0], Feature::Edge(next(0))),
                (tip, [0.5, 3.0, 0.25], [0.25, 0.0, 0.5], Feature::Vertex(next(0))),
            ] {
                let [a, b, c] = turned(corners, by);
                let contact = make(at).first_contact([0.0, -4.0, 0.0], &Triangle::new(a, b, c));
                let contact = contact.expect("it falls");
                let found = (contact.t, contact.normal, contact.feature);
                assert_eq!(found, (0.5, Vec3::Y, feature), "{at:?} {contact:?}");
                assert!((contact.point - Vec3::from(point)).length() < 1e-6, "{contact:?}");
            }
        }
        let [a, b, c] = turned(floor, by);
        let contact =
            on_edge([0.5, 3.0, 1.0]).first_contact([0.0, -4.0, 0.0], &Triangle::new(a, b, c));
        let contact = contact.expect("it falls");
        assert_eq!((contact.t, contact.normal), (0.5, Vec3::Y), "{contact:?}");
        assert!((contact.point - Vec3::new(0.5, 0.0, 1.0)).length() < 1e-6, "{contact:?}");
    }
}

fn box_and_hull(min: Vec3, max: Vec3) -> [ConvexShape; 2] {
    let bounds = Aabb::from_min_max(min, max);
    [bounds.into(), (&ConvexHull::from_points(bounds.corners()).expect("not flat")).into()]
}

/// The edge of a box comes to the edge of a floor: the time of its lower face and the time of its
/// side are equal, but `f64` rounds the one and not the other.
#[test]
fn the_face_of_the_triangle_comes_before_its_edge() {
    let mut state = 23;
    for _ in 0..300 {
        let mut whole = |size: u32| (bits(&mut state) >> (32 - size)) as f32;
        let (height, beside) = (whole(20) + 1.0, whole(20) + 1.0);
        let corners = [[0.0; 3], [whole(20) + 9.0, 0.0, 0.0], [whole(20), 0.0, -whole(20) - 1.0]];
        let [a, b, c] = corners;
        let min = Vec3::new(-1.0, height, beside);
        for shape in box_and_hull(min, min + Vec3::new(4.0, whole(20) + 1.0, whole(20) + 1.0)) {
            let contact =
                shape.first_contact([0.0, -2.0 * height, -2.0 * beside], &Triangle::new(a, b, c));
            let contact = contact.expect("it comes to the edge");
            assert_eq!((contact.t, contact.normal), (0.5, Vec3::Y), "{shape:?} {contact:?}");
        }
    }
}

/// A box that is as deep in a floor as over its border.
#[test]
fn of_ways_out_that_are_as_short_the_first_is_taken() {
    let mut state = 29;
    for _ in 0..300 {
        let mut whole = |size: u32| (bits(&mut state) >> (32 - size)) as f32;
        let deep = whole(20) + 1.0;
        let [a, b, c] = [[0.0, 0.0, -9e6], [-whole(20) - 9e6, 0.0, 0.0], [0.0, 0.0, 9e6]];
        let (min, max) = (Vec3::new(-deep, -deep, -1.0), Vec3::new(9e6, 9e6, 1.0));
        for shape in box_and_hull(min, max) {
            for motion in [Vec3::ZERO, Vec3::X, Vec3::NEG_Y] {
                let contact = shape.first_contact(motion, &Triangle::new(a, b, c));
                let contact = contact.expect("it overlaps");
                assert_eq!((contact.depth, contact.normal), (deep, Vec3::Y), "{contact:?}");
            }
        }
        let half = Vec3::Y * deep;
        let triangle = Triangle::new([-deep, 0.0, -9e6], [-deep, 0.0, 9e6], [9e6, 0.0, 0.0]);
        let capsule = ConvexShape::from(Capsule::new(-half, half, 1.0));
        let contact = capsule.first_contact(Vec3::NEG_Y, &triangle).expect("it overlaps");
        assert_eq!((contact.depth, contact.normal), (deep + 1.0, Vec3::Y), "{contact:?}");
        // In the middle it goes back to where it came from.
        let [one, other] = box_and_hull(-Vec3::splat(deep), Vec3::splat(deep));
        let shapes = [one, other, Capsule::new(half, -half, 1.0).into()];
        for shape in shapes {
            let normal = |motion: f32| {
                let motion = Vec3::Y * motion;
                let border = Triangle::new([-9e6, 0.0, -9e6], [-9e6, 0.0, 9e6], [9e6, 0.0, 0.0]);
                shape.first_contact(motion, &border).map(|contact| contact.normal)
            };
            assert_eq!([-1.0, 0.0, 1.0].map(normal), [Vec3::Y, Vec3::Y, -Vec3::Y].map(Some));
        }
    }
}

#[test]
fn beside_an_edge_the_face_is_on_the_side_that_the_shape_comes_from() {
    let triangle = Triangle::new([0.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, 0.0]);
    let cube = ConvexShape::from(Aabb::from_min_max([-3.0, -1.0, -1.0], [-2.0, 1.0, 1.0]));
    let sides = [-0.125, 0.0, 0.125].map(|y| {
        let contact = cube.first_contact([4.0, y, 0.0], &triangle).expect("the edge");
        assert_eq!((contact.t, contact.normal), (0.5, -Vec3::X));
        contact.face_normal
    });
    assert_eq!(sides, [Vec3::Y, Vec3::Y, -Vec3::Y]);
}

#[test]
fn contacts_are_in_order_of_time_then_depth_then_face() {
    let floor = [[-9.0, 0.0, -9.0], [-9.0, 0.0, 27.0], [27.0, 0.0, -9.0]];
    let rank = |y: f32, beside: f32| {
        let ball = ConvexShape::from(Sphere::new([beside, y, 0.0], 1.0));
        let sweep = Sweep::new(&ball, Vec3::new(0.0, -8.0, 0.0)).expect("not empty");
        let first = sweep.first_touch(&floor, 1.0).expect("it falls");
        let (rank, contact) = (sweep.rank(&floor, &first), sweep.contact(&floor, &first));
        assert_eq!([rank.t, rank.depth], [contact.t, contact.depth]);
        assert_eq!(rank.is_beside, contact.normal != contact.face_normal);
        rank
    };
    let [deep, shallow, early, late] = [0.5, 0.75, 3.0, 5.0].map(|y| rank(y, 0.0));
    let beside = Rank { t: early.t, ..rank(3.0, -9.5) };
    assert!(beside.is_beside);
    let ordered = [deep, shallow, early, beside, late];
    for (i, one) in ordered.iter().enumerate() {
        for (j, other) in ordered.iter().enumerate() {
            assert_eq!(one.cmp(other), i.cmp(&j), "{one:?} {other:?}");
        }
    }
}

#[test]
fn a_sweep_knows_its_shape_and_its_way() {
    let cube = ConvexShape::from(Aabb::from_min_max([1.0; 3], [3.0; 3]));
    let sweep = Sweep::new(&cube, Vec3::new(4.0, 5.0, 6.0)).expect("not empty");
    assert_eq!(sweep.motion(), [4.0, 5.0, 6.0]);
    let (bounds, inner) = (sweep.bounds(), Aabb::from_min_max([1.0; 3], [3.0; 3]));
    assert!(bounds.contains_box(&inner) && bounds.size().max_element() < 2.00001);
    assert_eq!(sweep.center(), Vec3::splat(2.0));
}

#[test]
fn a_point_that_moves_is_a_ray() {
    let (mut state, mut seen) = (31, [0; 2]);
    for _ in 0..2_000 {
        let mut any = || Vec3::from(point(&mut state, 1.0, false));
        let triangle = Triangle::new(any(), any(), any());
        let (from, part) = (any(), any().abs());
        let to = triangle.point_at(part.x * 0.5, part.y * 0.5);
        let motion = (to - from) * (part.z + 0.5);
        let ray = crate::geometry::Ray::new(from, motion).with_range(0.0, 1.0);
        let expected = triangle.intersect(&ray).map(|hit| hit.t);
        for shape in [Sphere::new(from, 0.0).into(), Capsule::new(from, from, 0.0).into()] {
            let shape: ConvexShape = shape;
            let found = shape.first_contact(motion, &triangle);
            assert_eq!(found.map(|contact| contact.t), expected, "{from} {motion} {triangle:?}");
            seen[usize::from(found.is_some())] += 1;
        }
        // It does not look back, nor beyond its way.
        let sweep = Sweep::new(&Sphere::new(from, 0.0).into(), motion).expect("not empty");
        let bound = expected.map_or(0.0, f32::next_down);
        assert!(sweep.first_touch(&triangle.to_arrays(), bound).is_none());
        let back = ConvexShape::from(Sphere::new(from, 0.0)).first_contact(-motion, &triangle);
        assert_eq!(back, None);
    }
    assert!(seen.iter().all(|&count| count > 500), "{seen:?}");
}

/// Ways that graze an edge, exactly and by one number too far.
#[test]
fn what_grazes_touches() {
    let triangle = Triangle::new([4.0, 0.0, -9.0], [4.0, 0.0, 9.0], [9.0, -5.0, 0.0]);
    let contact = |height: f32, length: f32| {
        let capsule = Capsule::new([0.0, height, 0.0], [0.0, height, length], 1.0);
        ConvexShape::from(capsule).first_contact([8.0, 0.0, 0.0], &triangle)
    };
    for length in [0.0, 2.0] {
        let found = contact(1.0, length).expect("it grazes");
        assert!((found.t - 0.5).abs() < 1e-6, "{found:?}");
        assert!((found.normal - Vec3::Y).length() < 1e-3, "{found:?}");
        assert_eq!(contact(1.0f32.next_up(), length), None);
    }
    // Less than all roundings away on the way, and at the start.
    let off = -(2f32.powi(-60));
    let beside = Triangle::new([4.0, off, -9.0], [4.0, off, 9.0], [9.0, -5.0, 0.0]);
    for b in [[0.0, 1.0, 0.0], [0.0, 1.0, 2.0]] {
        let capsule = ConvexShape::from(Capsule::new([0.0, 1.0, 0.0], b, 1.0));
        assert_eq!(capsule.first_contact([8.0, 0.0, 0.0], &beside), None, "{b:?}");
        let found = capsule.first_contact([8.0, 2.0 * off, 0.0], &beside);
        assert!(found.is_some(), "{b:?}");
    }
    let ball = ConvexShape::from(Sphere::new([4.0, 1.0, 0.0], 1.0));
    assert_eq!(ball.first_contact(Vec3::Y, &beside), None);
    let found = ball.first_contact(-Vec3::Y, &beside).expect("it is in the way");
    assert_eq!((found.t, found.depth, found.normal), (-off, 0.0, Vec3::Y));
    // At the end of the way.
    for (floor, touches) in [(0.0, true), (off, false)] {
        let floor = Triangle::new([-9.0, floor, -9.0], [-9.0, floor, 27.0], [27.0, floor, -9.0]);
        let ball = ConvexShape::from(Sphere::new([0.0, 2.0, 0.0], 1.0));
        let found = ball.first_contact(Vec3::NEG_Y, &floor);
        assert_eq!(found.map(|contact| contact.t), touches.then_some(1.0));
    }
    // Beside it at the start, and touching it.
    for (height, touches) in [(1.0, true), (1.0f32.next_up(), false)] {
        let ball = ConvexShape::from(Sphere::new([4.0, height, 0.0], 1.0));
        let found = ball.first_contact(Vec3::Y, &triangle);
        assert_eq!(found.map(|contact| (contact.t, contact.depth)), touches.then_some((0.0, 0.0)));
    }
}

/// A capsule or a sphere and a triangle without an area, all on a line.
#[test]
fn on_a_line_the_way_out_is_across_it() {
    for (along, motion, normal) in [
        (Vec3::X, Vec3::NEG_Y, Vec3::Y),
        (Vec3::X, Vec3::new(3.0, 0.0, -4.0), Vec3::Z),
        (Vec3::X, Vec3::X, Vec3::Y),
        (Vec3::Y, Vec3::ZERO, Vec3::X),
        (Vec3::new(3.0, 0.0, 4.0), Vec3::NEG_Z, Vec3::new(-0.8, 0.0, 0.6)),
    ] {
        for [a, b, c] in [[-1.0, 2.0, 3.0], [2.0, 2.0, -1.0], [2.0, -1.0, -1.0]] {
            let triangle = Triangle::new(along * a, along * b, along * c);
            for length in [0.0, 0.5, 9.0] {
                let capsule = ConvexShape::from(Capsule::new(-along * length, along * length, 2.0));
                let contact = capsule.first_contact(motion, &triangle).expect("it overlaps");
                assert_eq!((contact.t, contact.depth), (0.0, 2.0), "{contact:?}");
                assert!((contact.normal - normal).length() < 1e-6, "{along} {contact:?}");
            }
        }
    }
}
