//! A shape that moves and turns ends before it touches anything, and near to it.

use hitscan::geometry::{ConvexHull, ConvexShape, Turn};
use hitscan::glam::{Affine3A, Quat, Vec3};
use hitscan::scene::{Instance, Scene};
use hitscan::{Aabb, Builder, Bvh, Capsule, Mesh, Obb, Query, Sphere, TurningContact, TurningEnd};

use crate::support::{Random, long};

/// Where a motion takes the space of a shape until a time.
fn place(motion: Vec3, turn: &Turn, t: f32) -> Affine3A {
    let rotation = Quat::from_axis_angle(turn.axis.normalize(), turn.angle * t);
    Affine3A::from_translation(turn.center + motion * t)
        * Affine3A::from_quat(rotation)
        * Affine3A::from_translation(-turn.center)
}

/// The shape there, as far as `f32` can tell.
fn moved(shape: &ConvexShape, place: &Affine3A) -> ConvexShape {
    let point = |point: Vec3| place.transform_point3(point);
    match shape {
        ConvexShape::Sphere(Sphere { center, radius, .. }) => {
            Sphere::new(point(*center), *radius).into()
        }
        ConvexShape::Capsule(Capsule { a, b, radius, .. }) => {
            Capsule::new(point(*a), point(*b), *radius).into()
        }
        ConvexShape::Aabb(bounds) => Obb::from_transform(place, *bounds).expect("sound").into(),
        ConvexShape::Hull(hull) => hull.transformed(place).expect("sound").into(),
        _ => unreachable!("no other kind is made here"),
    }
}

fn shape(random: &mut Random, at: Vec3) -> ConvexShape {
    let around = |random: &mut Random| at + 0.7 * random.direction();
    match random.below(4) {
        0 => Sphere::new(at, 0.5 * random.unit()).into(),
        1 => Capsule::new(at, around(random), 0.2).into(),
        2 => Aabb::from_center_half_size(at, 0.6 * random.direction().abs()).into(),
        _ => {
            let points: Vec<Vec3> = (0..12).map(|_| around(random)).collect();
            ConvexHull::from_points(points).expect("not flat").into()
        }
    }
}

fn level(random: &mut Random) -> Bvh {
    let corners = (0..90).flat_map(|_| {
        let at = 5.0 * random.direction();
        [0; 3].map(|_| (at + random.direction()).to_array())
    });
    Builder::new().bake(&[Mesh::from_soup(corners.collect())]).expect("sound").0
}

/// Looks at many times, whether the way is as free as it is told to be.
fn check(
    near: &dyn Fn(&ConvexShape) -> f32,
    (shape, motion, turn): (&ConvexShape, Vec3, &Turn),
    (tolerance, found): (f32, Option<TurningContact>),
) {
    let distance = |t: f32| near(&moved(shape, &place(motion, turn, t)));
    let end = found.map_or(1.0, |found| found.t);
    if end > 0.0 {
        for i in 0..=40 {
            let t = end * i as f32 / 40.0;
            assert!(distance(t) > 0.0, "{shape:?} {motion} {turn:?} {t} of {found:?}");
        }
    }
    if let Some(found) = found {
        assert_eq!(found.end, TurningEnd::Near, "{shape:?} {motion} {turn:?}");
        assert!(found.near.distance <= tolerance);
        assert!((distance(found.t) - found.near.distance).abs() < 1e-4);
    }
}

#[test]
fn ways_are_free_until_something_is_near() {
    let mut random = Random::new(11);
    let (mut stopped, mut free, mut at_start) = (0, 0, 0);
    for _ in 0..4 {
        let bvh = level(&mut random);
        for i in 0..60 * long() {
            let at = 5.0 * random.direction() * random.unit();
            let shape = shape(&mut random, at);
            let motion = [3.0, 0.0, 6.0][i % 3] * random.direction();
            let center = at + random.direction() * [0.0, 1.0][i % 2];
            let turn = Turn::new(center, 3.0 * random.direction(), random.range(-4.0, 4.0));
            let tolerance = [0.1, 0.01, 0.001][i / 3 % 3];
            let query = Query::new();
            let found = bvh.first_contact_turning(&shape, motion, &turn, tolerance, &query);
            let near = |shape: &ConvexShape| {
                let near = bvh.closest_to_shape(shape, f32::INFINITY, &Query::new());
                near.expect("there are triangles").distance
            };
            check(&near, (&shape, motion, &turn), (tolerance, found));
            match found {
                None => free += 1,
                Some(TurningContact { t: 0.0, .. }) => at_start += 1,
                Some(_) => stopped += 1,
            }
        }
    }
    assert!(stopped > 30 && free > 20 && at_start > 10, "{stopped} {free} {at_start}");
}

#[test]
fn without_a_turn_it_ends_a_little_before_the_first_contact() {
    let mut random = Random::new(12);
    let bvh = level(&mut random);
    let mut stopped = 0;
    for _ in 0..200 * long() {
        let at = 5.0 * random.direction() * random.unit();
        let (shape, motion) = (shape(&mut random, at), 5.0 * random.direction());
        let turn = Turn::new(at, Vec3::Y, 0.0);
        let found = bvh.first_contact_turning(&shape, motion, &turn, 1e-3, &Query::new());
        let right = bvh.first_contact(&shape, motion, &Query::new());
        match (found, right) {
            (Some(found), Some(right)) => {
                stopped += 1;
                assert!(found.t <= right.t, "{shape:?} {motion}");
            }
            // It only came near.
            (Some(found), None) => assert!(found.near.distance > 0.0),
            (None, right) => assert_eq!(right, None, "{shape:?} {motion}"),
        }
    }
    assert!(stopped > 50, "{stopped}");
}

#[test]
fn scenes_say_the_same_of_a_tree_that_is_not_moved() {
    let mut random = Random::new(13);
    let bvh = level(&mut random);
    let mut scene = Scene::new();
    scene.insert(Instance::new(bvh.clone())).expect("sound");
    let now = scene.commit();
    for _ in 0..60 {
        let at = 5.0 * random.direction() * random.unit();
        let (shape, motion) = (shape(&mut random, at), 4.0 * random.direction());
        let turn = Turn::new(at, random.direction(), 2.0);
        let key = |found: Option<TurningContact>| {
            found.map(|found| (found.t, found.near.distance, found.near.hit.triangle, found.end))
        };
        let in_tree = bvh.first_contact_turning(&shape, motion, &turn, 0.01, &Query::new());
        let in_scene = now.first_contact_turning(&shape, motion, &turn, 0.01, &Query::new());
        assert_eq!(key(in_tree), key(in_scene));
    }
}

#[test]
fn numbers_that_make_no_sense_end_soon() {
    let mut random = Random::new(14);
    let bvh = level(&mut random);
    let ball = Sphere::new([0.0; 3], 0.5);
    let ask = |shape: ConvexShape, motion: Vec3, turn: Turn, tolerance: f32| {
        bvh.first_contact_turning(&shape, motion, &turn, tolerance, &Query::new())
    };
    let still = Turn::new([0.0; 3], Vec3::Y, 0.0);
    let far = 20.0 * Vec3::X;
    assert!(ask(ball.into(), Vec3::ZERO, still, 0.0).is_none());
    for bad in [f32::NAN, f32::INFINITY] {
        assert!(ask(ball.into(), Vec3::splat(bad), still, 0.01).is_none());
        assert!(ask(ball.into(), far, Turn { angle: bad, ..still }, 0.01).is_none());
        assert!(ask(ball.into(), far, Turn { center: Vec3::splat(bad), ..still }, 0.01).is_none());
        assert!(ask(Sphere::new([0.0; 3], bad).into(), far, still, 0.01).is_none());
    }
    assert!(ask(ball.into(), far, Turn { axis: Vec3::ZERO, ..still }, 0.01).is_none());
    assert!(ask(ball.into(), far, still, f32::NAN).is_none());
    // Everything is near enough.
    assert_eq!(ask(ball.into(), far, still, f32::INFINITY).map(|found| found.t), Some(0.0));
    // A capsule that whirls through the level, and has to be asked about many times.
    let pole = Capsule::new([0.0; 3], [0.0, 3.0, 0.0], 0.1);
    for tolerance in [0.0, -1.0, 1e-9] {
        let whirl = Turn::new([0.0; 3], Vec3::X, 1e6);
        let found = ask(pole.into(), Vec3::ZERO, whirl, tolerance);
        assert!(found.is_none_or(|found| (0.0..=1.0).contains(&found.t)));
    }
}
