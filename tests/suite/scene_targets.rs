//! Questions of scenes that meet volumes: [`Query::targets`]. One volume is judged by brute force
//! over its corners, edges and faces; many volumes are asked each alone.
//!
//! `HITSCAN_LONG=100` asks 100,000 questions about one volume.

mod judge;
mod many;
mod real;

use crate::{scenes, support};

use self::judge::Solid;
use self::real::Real3;
use hitscan::geometry::{ConvexHull, Feature, RayCone, Turn, Volume};
use hitscan::glam::{Affine3A, Vec3};
use hitscan::query::SnapOptions;
use hitscan::scene::{Instance, Scene, Snapshot};
use hitscan::{
    Aabb, Builder, Capsule, Contact, ConvexShape, Face, Hit, InstanceId, Mesh, Obb, Query, Ray,
    Sphere, StartContacts, Targets,
};
use scenes::{Change, instruction_sets, map, offset_and_turn};
use support::{Random, long};

fn real(v: Vec3) -> Real3 {
    v.into()
}

const CHANGES: [Change; 4] = [Change::None, Change::Scaled, Change::ScaledByAxis, Change::Sheared];

fn volume(random: &mut Random, kind: usize) -> Volume {
    let at = random.in_box(Vec3::splat(-1.0), Vec3::splat(1.0));
    let half = random.in_box(Vec3::splat(0.0), Vec3::splat(2.0));
    match kind % 7 {
        0 => Aabb::from_center_half_size(at, half).into(),
        1 => Aabb::from_center_half_size(at.round(), half.round()).into(),
        2 => Aabb::from_center_half_size(at, half.with_y(0.0)).into(),
        3 => {
            let turn = Affine3A::from_axis_angle(random.direction(), 6.0 * random.unit());
            Obb::from_transform(&turn, Aabb::from_center_half_size(at, half)).unwrap().into()
        }
        4 => Sphere::new(at, half.x).into(),
        5 => Capsule::new(at, at + half, half.y).into(),
        _ => Capsule::new(at.round(), at.round() + Vec3::Y, half.y.round()).into(),
    }
}

fn transform(random: &mut Random, kind: usize) -> Affine3A {
    let place = offset_and_turn(random, [4.0, 4.0, 4.0, 3e4][kind % 4]);
    match kind / 4 % 6 {
        0 => Affine3A::IDENTITY,
        1 => Affine3A::from_translation(place.0.round()),
        kind => map(random, CHANGES[kind - 2], place),
    }
}

fn shape(random: &mut Random, kind: usize, at: Vec3, size: f32) -> ConvexShape {
    let around = |random: &mut Random, size: f32| at + size * random.direction();
    match kind % 9 {
        0 => Aabb::from_points([at, around(random, size)]).into(),
        1 => Aabb::from_center_half_size(at.round(), [size.round(), 0.0, size.round()]).into(),
        2 => Sphere::new(at, size * random.unit()).into(),
        3 => Sphere::new(at.round(), [size, size.round(), 0.0][random.below(3)]).into(),
        4 => Capsule::new(at, around(random, size), size * random.unit()).into(),
        5 => {
            let at = at.round();
            Capsule::new(at, at + Vec3::Y, [size.round(), 0.0][random.below(2)]).into()
        }
        6 => {
            let turn = Affine3A::from_axis_angle(random.direction(), 6.0 * random.unit());
            let local = Aabb::from_center_half_size([0.0; 3], size * random.direction().abs());
            let turn = Affine3A::from_translation(at) * turn;
            Obb::from_transform(&turn, local).unwrap().into()
        }
        _ => {
            let points: Vec<Vec3> = (0..5 + kind % 4).map(|_| around(random, size)).collect();
            let ball = |_| Sphere::new(at, size).into();
            ConvexHull::from_points(points).map_or_else(ball, ConvexShape::from)
        }
    }
}

/// Places and sizes that mostly touch a volume.
fn near(random: &mut Random, volume: &Volume) -> (Vec3, f32) {
    let bounds = volume.bounds();
    let half = 0.5 * (bounds.max - bounds.min);
    let size = half.max_element().max(0.25);
    let reach = half + 1.5 * size * random.unit();
    let at = bounds.center() + reach * random.in_box(Vec3::splat(-1.0), Vec3::splat(1.0));
    (at, size * [0.1, 0.5, 1.0, 2.0][random.below(4)])
}

fn alone(volume: Volume, transform: Affine3A) -> Option<(Snapshot, InstanceId, Volume)> {
    let mut scene = Scene::new();
    let id = scene.insert(Instance::new(volume).with_transform(transform).with_user_id(7)).ok()?;
    let now = scene.commit();
    let placed = now.world_volume(id)?;
    Some((now, id, placed))
}

const VOLUMES: Targets = Targets::Volumes;

#[test]
fn points_near_one_volume_are_the_judges() {
    let isas = instruction_sets();
    let (mut random, mut inside) = (Random::new(1), 0);
    for i in 0..1_000 * long() {
        let (volume, transform) = (volume(&mut random, i), transform(&mut random, i / 7));
        let Some((now, id, placed)) = alone(volume, transform) else { continue };
        let (at, _) = near(&mut random, &placed);
        let judge = Solid::of_volume(&placed);
        let point = Solid::of_point(real(at));
        let expected = judge.distance(&point).max(0.0);
        let slack = 1e-12 * judge.size.max(point.size) + 1e-7 * expected;
        let query = Query::new().targets(VOLUMES).instruction_set(isas[i % isas.len()]);
        let found = now.closest_point(at, f32::INFINITY, &query).expect("it is there");
        let what = format!("{i} {placed:?} {at} {found:?} {expected}");
        assert!((f64::from(found.distance) - expected).abs() <= slack, "{what}");
        assert_eq!((found.hit.instance, found.hit.user_id, found.hit.t), (id, 7, found.distance));
        assert!(found.hit.is_volume(), "{what}");
        assert_eq!(found.hit.face == Face::Back, found.distance == 0.0, "{what}");
        // The point is where it says, on the surface if that is seen from outside.
        let of_point = Solid::of_point(real(found.point));
        let rounding = 2e-7 * judge.size.max(point.size);
        assert!(judge.distance(&of_point) <= rounding, "{what}");
        let way = (real(found.point) - real(at)).length();
        assert!((way - expected).abs() <= 4.0 * rounding, "{what}");
        let surface = now.point(&found.hit).expect("on the volume");
        assert_eq!(now.triangle(&found.hit), None);
        let normal = real(now.normal(&found.hit).expect("on the volume"));
        assert!((normal.length() - 1.0).abs() < 1e-6);
        let height = |p: Vec3| normal.dot(real(p));
        let highest = judge.points.iter().map(|p| normal.dot(*p)).fold(f64::MIN, f64::max);
        let top = highest + judge.radius;
        assert!((height(surface) - top).abs() <= 4.0 * rounding, "{what} {surface} {normal:?}");
        if found.distance > 0.0 {
            assert!(
                (real(surface) - real(found.point)).length() <= 8.0 * rounding,
                "{what} {surface}"
            );
        } else {
            inside += 1;
            assert_eq!(found.point, at);
        }
        for (distance, is_near) in
            [(found.distance.next_up(), true), (0.999 * found.distance, false)]
        {
            let is_near = is_near || found.distance == 0.0;
            assert_eq!(now.any_within(at, distance, &query), is_near, "{what}");
        }
    }
    assert!(inside > 50 * long(), "{inside}");
}

/// A contact is what the judge says of the two, that far along the way.
#[track_caller]
fn judge_contact(
    (shape, volume): (&ConvexShape, &Volume),
    motion: Vec3,
    contact: &Contact,
    random: &mut Random,
) {
    let what = format!("{shape:?}\n{volume:?}\n{motion}\n{contact:?}");
    let (one, other, motion) = (Solid::of(shape), Solid::of_volume(volume), real(motion));
    let t = f64::from(contact.t);
    assert!((0.0..=1.0).contains(&t), "{what}");
    let size = one.size.max(other.size);
    // Roundings of `t`, and of the normal, which may turn what is far from the origin.
    let slack = 1.3e-7 * motion.length() * t + 1e-10 * size;
    let there = one.moved(motion * t);
    let distance = there.distance(&other);
    assert!(distance <= slack, "{distance} at {t}: {what}");
    if t > 0.0 {
        let before = one.moved(motion * (t * 0.999)).distance(&other);
        assert!(before >= -slack, "{before}: {what}");
        assert!(distance >= -slack, "{distance}: {what}");
        assert_eq!(contact.depth, 0.0, "{what}");
    }
    let normal = real(contact.normal);
    assert!((normal.length() - 1.0).abs() < 1e-6, "{what}");
    let (depth, extent) = (f64::from(contact.depth), 4e-7 * size);
    let room = there.room(&other, normal);
    assert!((room + depth).abs() <= slack + extent, "room {room}: {what}");
    if t == 0.0 {
        for _ in 0..20 {
            let direction = real(random.direction());
            let nearby = (normal + direction * 0.1 * f64::from(random.unit())).normalized();
            for direction in [direction.normalized(), nearby] {
                let room = one.room(&other, direction);
                assert!(-room >= depth - slack - extent, "{room} along {direction:?}: {what}");
            }
        }
    } else {
        assert!(normal.dot(motion) <= 1e-6 * motion.length(), "{what}");
    }
    // The point is on the volume, and on the shape once that is out.
    let point = Solid::of_point(real(contact.point));
    let near = 4.0 * (slack + extent);
    let on_volume = other.distance(&point);
    assert!(on_volume <= near, "{on_volume}: {what}");
    let on_shape = there.moved(normal * depth).distance(&point);
    assert!(on_shape <= near, "{on_shape}: {what}");
    let height = normal.dot(real(contact.point));
    let top = other.points.iter().map(|p| normal.dot(*p)).fold(f64::MIN, f64::max) + other.radius;
    assert!((height - top).abs() <= near, "{height} {top}: {what}");
}

#[test]
fn sweeps_against_one_volume_are_the_judges() {
    let isas = instruction_sets();
    let (mut random, mut counts) = (Random::new(2), [0; 3]);
    for i in 0..1_000 * long() {
        let (volume, transform) = (volume(&mut random, i), transform(&mut random, i / 7));
        let Some((now, id, placed)) = alone(volume, transform) else { continue };
        let (at, size) = near(&mut random, &placed);
        let shape = shape(&mut random, i / 3, at, size);
        let motion = match random.below(4) {
            0 => Vec3::ZERO,
            1 => random.direction() * size * 3.0,
            2 => (placed.bounds().center() - at).round(),
            _ => placed.bounds().center() - at + 0.5 * size * random.direction(),
        };
        let query = Query::new().targets(VOLUMES).instruction_set(isas[i % isas.len()]);
        let found = now.first_contact(&shape, motion, &query);
        let mut all = Vec::new();
        now.all_contacts(&shape, motion, &query, &mut all);
        assert_eq!(all.first().copied(), found);
        let Some(contact) = found else {
            counts[0] += 1;
            let (one, other) = (Solid::of(&shape), Solid::of_volume(&placed));
            let size = one.size.max(other.size).max(real(motion).length());
            let distance = |t: f64| one.moved(real(motion) * t).distance(&other);
            // Its least value, since it is convex.
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..60 {
                let [a, b] = [(2.0 * low + high) / 3.0, (low + 2.0 * high) / 3.0];
                if distance(a) < distance(b) { high = b } else { low = a }
            }
            let least = distance(low).min(distance(1.0)).min(distance(0.0));
            assert!(least >= -1e-10 * size, "{least}: {shape:?}\n{placed:?}\n{motion}");
            continue;
        };
        counts[if contact.t == 0.0 { 1 } else { 2 }] += 1;
        assert_eq!((contact.hit.instance, contact.hit.t), (id, contact.t));
        judge_contact((&shape, &placed), motion, &contact, &mut random);

        let opposed = query.start_contacts(StartContacts::Opposed);
        let is_left = contact.t == 0.0 && real(contact.normal).dot(real(motion)) >= 0.0;
        let expected = if is_left { None } else { found };
        assert_eq!(now.first_contact(&shape, motion, &opposed), expected);

        let mut planes = Vec::new();
        now.penetrations(&shape, &query, &mut planes);
        let resting = now.first_contact(&shape, Vec3::ZERO, &query);
        assert!(planes.first().copied() == resting && planes.len() < 2);
        assert_eq!(resting.is_some(), now.any_overlap(&shape, &query));
    }
    println!("{counts:?}");
    assert!(counts.iter().all(|&count| count > 100 * long()), "{counts:?}");
}

#[test]
fn rays_at_one_volume_hit_its_surface() {
    let isas = instruction_sets();
    let (mut random, mut counts) = (Random::new(3), [0; 3]);
    for i in 0..1_000 * long() {
        let (volume, transform) = (volume(&mut random, i), transform(&mut random, i / 7));
        let Some((now, id, placed)) = alone(volume, transform) else { continue };
        let (at, size) = near(&mut random, &placed);
        let to = placed.bounds().center() + 0.7 * size * random.direction();
        let ray = match random.below(4) {
            0 => Ray::new(at, to - at).with_range(-1.0, 2.0),
            1 => Ray::new(at - 1e3 * (to - at), to - at),
            2 => Ray::new(at.round(), Vec3::NEG_Y),
            _ => Ray::new(at, to - at),
        };
        let query = Query::new().targets(VOLUMES).instruction_set(isas[i % isas.len()]);
        let found = now.closest_hit(&ray, &query);
        let interval = placed.ray_interval(&ray).and_then(|interval| interval.clipped(&ray));
        assert_eq!(found.map(|hit| hit.t), interval.map(|interval| interval.enter));
        let Some(hit) = found else {
            counts[0] += 1;
            continue;
        };
        let what = format!("{placed:?} {ray:?} {hit:?}");
        assert_eq!((hit.instance, hit.is_volume(), hit.material()), (id, true, None));
        let begins_inside = hit.face == Face::Back;
        counts[if begins_inside { 1 } else { 2 }] += 1;
        assert!(!begins_inside || hit.t == ray.t_min, "{what}");
        let judge = Solid::of_volume(&placed);
        let [point, normal] = [now.point(&hit), now.normal(&hit)].map(|v| v.expect("there"));
        let start = Real3::from(ray.origin) + Real3::from(ray.dir) * f64::from(hit.t);
        let rounding = 4e-7 * judge.size + 1e-7 * real(ray.dir).length() * f64::from(hit.t).abs();
        let height = |p: Real3| p.dot(real(normal));
        let top = judge.points.iter().map(|&p| height(p)).fold(f64::MIN, f64::max) + judge.radius;
        assert!((height(real(point)) - top).abs() <= rounding, "{what} {point} {normal}");
        let outside = judge.distance(&Solid::of_point(real(point)));
        assert!(outside.abs() <= rounding, "{what} {point}");
        if !begins_inside {
            assert!(normal.dot(ray.dir) <= 1e-3 * ray.dir.length(), "{what} {normal}");
            assert!((real(point) - start).length() <= 40.0 * rounding, "{what} {point}");
        }
        // It leaves outwards for good, and inwards at once.
        for dir in [normal, random.direction(), ray.dir] {
            let off = now.ray_from(&hit, dir).expect("there");
            let again = now.closest_hit(&off, &query);
            if normal.dot(dir) > 1e-6 * dir.length() {
                assert_eq!(again, None, "{what} {off:?}");
            } else if normal.dot(dir) < -1e-6 * dir.length() && again.is_some() {
                assert_eq!(again.map(|hit| hit.t), Some(0.0), "{what}");
            }
        }
        assert_eq!((now.triangle(&hit), now.material_name(&hit)), (None, None));
        assert_eq!(now.mesh_name(&hit), None);
        assert_eq!(now.feature_points(&hit, Feature::Face), None);
    }
    println!("{counts:?}");
    assert!(counts.iter().all(|&count| count > 20 * long()), "{counts:?}");
}

/// Hits that no question gave, and questions that make no sense.
#[test]
fn whatever_is_asked_it_answers() {
    let mut scene = Scene::new();
    let ids = [0, 1, 2, 3, 4, 5, 6].map(|kind| {
        let volume = volume(&mut Random::new(4), kind);
        scene.insert(Instance::new(volume).with_name(format!("volume {kind}"))).expect("sound")
    });
    let now = scene.commit();
    let query = Query::new().targets(Targets::Both);
    let ray = Ray::new([0.0, 9.0, 0.0], [0.0, -1.0, 0.0]);
    let good = now.closest_hit(&ray, &query).expect("below");
    assert!(now.mesh_name(&good).is_some_and(|name| name.starts_with("volume ")));
    let copy = |of: fn(&mut Hit)| {
        let mut hit = good;
        of(&mut hit);
        hit
    };
    for hit in [
        copy(|hit| hit.triangle = 99),
        copy(|hit| hit.instance = InstanceId::NONE),
        copy(|hit| hit.mesh = 0),
    ] {
        assert_eq!((now.point(&hit), now.normal(&hit)), (None, None));
        assert_eq!(now.ray_from(&hit, Vec3::Y), None);
    }
    let odd = copy(|hit| (hit.u, hit.v) = (f32::NAN, -7.0));
    assert!(now.point(&odd).is_some_and(Vec3::is_finite));

    let numbers = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -0.0, 1e-40];
    for a in numbers {
        for b in numbers {
            let point = Vec3::new(a, b, 0.5);
            let shapes: [ConvexShape; 4] = [
                Sphere::new(point, b).into(),
                Capsule::new(point, [0.0; 3], a).into(),
                Aabb { min: point, max: Vec3::splat(a) }.into(),
                Aabb { min: Vec3::splat(-b), max: point }.into(),
            ];
            for shape in &shapes {
                for motion in [Vec3::ZERO, Vec3::Y, point] {
                    let contact = now.first_contact(shape, motion, &query);
                    let is_sound = |contact: Contact| {
                        (0.0..=1.0).contains(&contact.t)
                            && contact.depth >= 0.0
                            && contact.normal.is_finite()
                            && contact.point.is_finite()
                    };
                    assert!(contact.is_none_or(is_sound), "{shape:?} {motion} {contact:?}");
                }
                let _ = now.any_overlap(shape, &query);
            }
            let near = now.closest_point(point, b, &query);
            assert!(near.is_none_or(|near| near.distance <= b && near.distance >= 0.0));
            for ray in [Ray::new(point, [b, a, 1.0]), Ray::new([0.0; 3], point).with_range(a, b)] {
                let hit = now.closest_hit(&ray, &query);
                assert!(hit.is_none_or(|hit| hit.t.is_finite()), "{ray:?} {hit:?}");
            }
        }
    }
    assert_eq!(ids.len(), now.len());
}

/// Nearest triangles, casts that turn and snapping know no volumes: what asks for these alone finds
/// nothing, and what asks for both finds the triangle.
#[test]
fn questions_that_see_triangles_only_pass_volumes_by() {
    let wall = Mesh::from_soup(vec![[-4.0, -4.0, 9.0], [4.0, -4.0, 9.0], [0.0, 4.0, 9.0]]);
    let (wall, _) = Builder::new().bake(&[wall]).unwrap();
    let mut scene = Scene::new();
    let wall = scene.insert(Instance::new(wall)).unwrap();
    scene.insert(Instance::new(Sphere::new([0.0, 0.0, 4.0], 1.0))).unwrap();
    let now = scene.commit();
    let (ball, ahead) = (Sphere::new([0.0; 3], 0.5), 12.0 * Vec3::Z);
    let turn = Turn::new([0.0; 3], Vec3::Y, 0.5);
    let corner = Ray::new([0.0, 4.0, 0.0], [0.0, 0.0, 1.0]);
    let cone = RayCone::new(corner, 0.5, 0.0);
    for isa in instruction_sets() {
        for targets in [Targets::Triangles, Targets::Volumes, Targets::Both] {
            let query = &Query::new().instruction_set(isa).targets(targets);
            let near = now.closest_to_shape(ball, 100.0, query).map(|near| near.hit.instance);
            let turned = now.first_contact_turning(ball, ahead, &turn, 0.01, query);
            let turned = turned.map(|contact| contact.near.hit.instance);
            let snaps = now.snap(&cone, &SnapOptions::new(), query);
            let vertex = snaps.vertex.map(|snap| snap.hit.instance);
            let expected = (targets != Targets::Volumes).then_some(wall);
            assert_eq!([near, turned, vertex], [expected; 3], "{targets:?}");
        }
    }
}
