//! Volumes in scenes: every answer is that of all volumes asked in turn, whatever happened before,
//! and of instances with trees nothing is seen.

use crate::{scenes, support};
use std::collections::BTreeMap;

use hitscan::geometry::{ConvexHull, Frustum, Shape, Volume};
use hitscan::glam::{Affine3A, Vec3, Vec4};
use hitscan::scene::{Body, Instance, Scene, Snapshot};
use hitscan::{
    Aabb, Builder, Bvh, Capsule, InstanceId, InstructionSet, Layers, Mesh, Obb, Query, Ray,
    SceneErrorKind, Sphere, Targets, Triangle,
};

use scenes::{Change, instruction_sets, map, offset_and_turn};
use support::{Random, long};

const EXTENT: f32 = 20.0;

fn some_map(random: &mut Random) -> Affine3A {
    let place = offset_and_turn(random, EXTENT);
    match random.below(5) {
        0 => Affine3A::from_translation(place.0.round()),
        1 => map(random, Change::None, place),
        2 => map(random, Change::Scaled, place),
        3 => map(random, Change::ScaledByAxis, place),
        _ => map(random, Change::Sheared, place),
    }
}

fn some_volume(random: &mut Random) -> Volume {
    let at = random.in_box(Vec3::splat(-1.0), Vec3::splat(1.0));
    let half = random.in_box(Vec3::splat(0.0), Vec3::splat(2.0));
    let bounds = Aabb::from_center_half_size(at, half);
    match random.below(8) {
        // Flat.
        0 => Aabb::from_center_half_size(at, half.with_y(0.0)).into(),
        // Without an extent, at whole numbers: so that things touch.
        1 => Aabb::from_center_half_size(at.round(), Vec3::ZERO).into(),
        2 | 3 => bounds.into(),
        4 => Obb::from_transform(&some_map(random), bounds).expect("sound").into(),
        5 | 6 => Sphere::new(at, half.x).into(),
        _ => Capsule::new(at, at + half, half.y).into(),
    }
}

fn some_shape(random: &mut Random) -> Shape {
    let reach = Vec3::splat(1.2 * EXTENT);
    let at = random.in_box(-reach, reach);
    let size = [0.0, 0.5, 3.0, 3.0, 15.0][random.below(5)];
    let other = at + size * random.direction();
    match random.below(8) {
        0 => Aabb::from_points([at, other]).into(),
        7 => {
            let points: Vec<Vec3> = (0..9).map(|_| at + size * random.direction()).collect();
            ConvexHull::from_points(points).map_or(Sphere::new(at, size).into(), Shape::from)
        }
        1 => {
            let local = Aabb::from_center_half_size(Vec3::ZERO, Vec3::splat(size));
            let turned = Affine3A::from_translation(at) * Affine3A::from_rotation_y(1.0);
            Obb::from_transform(&turned, local).expect("sound").into()
        }
        2 => Sphere::new(at, size).into(),
        3 => Sphere::new(at.round(), size.round()).into(),
        4 => Capsule::new(at, other, 0.1 * size).into(),
        5 => Triangle::new(at, other, at + size * random.direction()).into(),
        _ => {
            // All that is on one side of some planes.
            let planes = [(); 4].map(|()| {
                let normal = random.direction();
                Vec4::from((normal, size - normal.dot(at)))
            });
            Frustum::from_planes(&planes[..1 + random.below(4)], at).expect("sound").into()
        }
    }
}

fn some_ray(random: &mut Random, now: &Snapshot, list: &List) -> Ray {
    let reach = Vec3::splat(1.5 * EXTENT);
    let origin = match random.below(9) {
        0 => 1e7 * random.direction(),
        // Beyond what kernels do.
        1 => 1e12 * random.direction(),
        _ => random.in_box(-reach, reach),
    };
    let target = list.keys().nth(random.below(list.len().max(1)));
    let target = target.and_then(|&id| now.world_volume(id)).map(|volume| volume.bounds().center());
    let dir = match target {
        Some(target) if random.below(8) != 0 => target - origin,
        _ => random.direction(),
    };
    let ray = Ray::new(origin, dir);
    match random.below(5) {
        0 => ray.with_range(0.0, 1.0),
        1 => ray.with_range(-2.0, 0.5),
        2 => ray.with_range(0.9, f32::INFINITY),
        _ => ray,
    }
}

/// What stands where, as a plain list.
struct Listed {
    volume: Volume,
    transform: Affine3A,
    mask: u32,
    is_enabled: bool,
}

type List = BTreeMap<InstanceId, Listed>;

/// The volumes that a query sees, in the world, in the order of handles.
fn seen(now: &Snapshot, list: &List, mask: u32) -> Vec<(InstanceId, Volume)> {
    let seen = list.iter().filter(|(_, listed)| listed.is_enabled && listed.mask & mask != 0);
    seen.map(|(&id, _)| (id, now.world_volume(id).expect("it is shown"))).collect()
}

/// The volumes that touch a shape.
fn touching(now: &Snapshot, shape: impl Into<Shape>, query: &Query<'_>) -> Vec<InstanceId> {
    let mut overlaps = vec![];
    now.all_overlaps(shape, &query.targets(Targets::Volumes), &mut overlaps);
    overlaps.iter().map(|overlap| overlap.hit.instance).collect()
}

#[track_caller]
fn check(now: &Snapshot, list: &List, random: &mut Random, isa: InstructionSet) -> usize {
    let mask = [u32::MAX, 1, 6, 0][random.below(4)];
    let layers = Layers::of(mask).instruction_set(isa);
    let seen = seen(now, list, mask);
    let ray = &some_ray(random, now, list);
    let mut expected: Vec<_> = seen
        .iter()
        .filter_map(|(id, volume)| {
            let interval = volume.ray_interval(ray)?.clipped(ray)?;
            Some((*id, interval.enter, interval.exit, interval.origin_inside))
        })
        .collect();
    // It is stable.
    expected.sort_by(|a, b| a.1.partial_cmp(&b.1).expect("a number"));
    let mut hits = vec![];
    now.all_volume_hits(ray, layers, &mut hits);
    let found: Vec<_> =
        hits.iter().map(|hit| (hit.instance, hit.enter, hit.exit, hit.origin_inside)).collect();
    assert_eq!(found, expected, "{ray:?}");
    let query = Query::new().targets(Targets::Volumes).mask(mask).instruction_set(isa);
    let closest = now.closest_hit(ray, &query).map(|hit| (hit.instance, hit.t));
    assert_eq!(closest, hits.first().map(|hit| (hit.instance, hit.enter)), "{ray:?}");
    assert_eq!(now.any_hit(ray, &query), closest.is_some());

    let shape = some_shape(random);
    let expected: Vec<_> =
        seen.iter().filter(|(_, volume)| shape.overlaps(*volume)).map(|(id, _)| *id).collect();
    let touching = touching(now, &shape, &query);
    assert_eq!(touching, expected, "{shape:?}");
    assert_eq!(now.any_overlap(shape, &query), !expected.is_empty());
    hits.len() + touching.len()
}

fn triangle() -> Bvh {
    let triangle = vec![[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
    Builder::new().bake(&[Mesh::from_soup(triangle)]).unwrap().0
}

/// Instances with volumes and with trees come and go, and move, in the same places.
#[test]
fn whatever_is_done_the_answers_are_those_of_a_plain_list() {
    let isas = instruction_sets();
    let mut random = Random::new(39);
    let mut scene = Scene::new();
    let tree = triangle();
    let (mut list, mut trees) = (List::new(), Vec::new());
    let mut kept: Vec<(Snapshot, Vec<Option<Volume>>, Vec<InstanceId>)> = Vec::new();
    let mut found = 0;
    for round in 0..600 * long() {
        let many = if round % 50 == 0 { 200 } else { 6 };
        for _ in 0..random.below(many) {
            let id = list.keys().nth(random.below(list.len().max(1))).copied();
            match (random.below(10), id) {
                (0..3, _) | (_, None) => {
                    let (volume, transform) = (some_volume(&mut random), some_map(&mut random));
                    let mask = 1 << random.below(3);
                    let instance = Instance::new(volume).with_transform(transform).with_mask(mask);
                    match scene.insert(instance) {
                        Ok(id) => {
                            let listed = Listed { volume, transform, mask, is_enabled: true };
                            list.insert(id, listed);
                        }
                        Err(error) => panic!("{error}"),
                    }
                }
                (3, Some(id)) if list.len() > 20 => {
                    scene.remove(id).unwrap();
                    list.remove(&id);
                    assert_eq!(scene.volume(id).unwrap_err().kind(), SceneErrorKind::StaleHandle);
                }
                (3..6, Some(id)) => {
                    let transform = some_map(&mut random);
                    scene.set_transform(id, transform).unwrap();
                    list.get_mut(&id).unwrap().transform = transform;
                }
                (6, Some(id)) => {
                    let volume = some_volume(&mut random);
                    scene.replace(id, volume).unwrap();
                    list.get_mut(&id).unwrap().volume = volume;
                }
                (7, Some(id)) => {
                    let listed = list.get_mut(&id).unwrap();
                    listed.is_enabled = !listed.is_enabled;
                    match listed.is_enabled {
                        true => scene.enable(id).unwrap(),
                        false => scene.disable(id).unwrap(),
                    }
                }
                (8, _) => {
                    let instance = Instance::new(&tree).with_transform(some_map(&mut random));
                    trees.push(scene.insert(instance).unwrap());
                }
                _ if !trees.is_empty() => {
                    let id = trees.swap_remove(random.below(trees.len()));
                    scene.remove(id).unwrap();
                }
                _ => {}
            }
        }
        let now = scene.commit();
        trees.sort_unstable();
        let shown = list.values().filter(|listed| listed.is_enabled);
        assert_eq!(now.len(), shown.count() + trees.len());
        found += check(&now, &list, &mut random, isas[round % isas.len()]);

        // Rays at triangles see no volumes.
        let ray = &some_ray(&mut random, &now, &list);
        let each = trees.iter().filter_map(|&id| {
            let local = now.local_ray(id, ray)?;
            Some((now.bvh(id)?.closest_hit(&local, &Query::new())?.t, id))
        });
        let expected = each.min_by(|a, b| a.partial_cmp(b).expect("no NaN"));
        let hit = now.closest_hit(ray, &Query::new());
        assert_eq!(hit.map(|hit| (hit.t, hit.instance)), expected);

        // What was kept stays as it was.
        if round % 20 == 0 {
            let ids: Vec<_> = list.keys().copied().collect();
            kept.push((now.clone(), ids.iter().map(|&id| now.world_volume(id)).collect(), ids));
        }
        if round % 90 == 0 {
            for (then, volumes, ids) in &kept {
                assert!(ids.iter().map(|&id| then.world_volume(id)).eq(volumes.iter().copied()));
            }
        }
        for (&id, listed) in list.iter().skip(round % 7).step_by(13) {
            assert_eq!(scene.volume(id).unwrap(), listed.volume);
            assert_eq!(scene.transform(id).unwrap(), listed.transform);
            assert!(now.bvh(id).is_none());
        }
    }
    println!("{found} found");
    assert!(found > 1_500, "{found}");
}

/// The same volumes one by one, at once, and from a file give the same answers.
#[test]
fn many_at_once_and_files_give_the_same() {
    let mut random = Random::new(5);
    let instances: Vec<_> = (0..3_000)
        .map(|i| {
            let instance = Instance::new(some_volume(&mut random)).with_name(format!("{i}"));
            instance.with_transform(some_map(&mut random)).with_mask(i)
        })
        .collect();
    let [mut one_by_one, mut at_once] = [Scene::new(), Scene::new()];
    let ids: Vec<_> = instances.iter().map(|i| one_by_one.insert(i.clone()).unwrap()).collect();
    assert_eq!(at_once.insert_many(&instances).unwrap(), ids);
    let moves: Vec<_> = ids.iter().step_by(3).map(|&id| (id, some_map(&mut random))).collect();
    for &(id, transform) in &moves {
        one_by_one.set_transform(id, transform).unwrap();
    }
    at_once.set_transforms(&moves).unwrap();
    let from_file = Scene::from_bytes(&one_by_one.to_bytes()).unwrap();
    let [one, other] = [one_by_one.commit(), at_once.commit()];
    let third = from_file.snapshot();
    assert!(ids.iter().all(|&id| one.world_volume(id) == other.world_volume(id)));
    assert!(ids.iter().all(|&id| one.world_volume(id) == third.world_volume(id)));
    for _ in 0..200 {
        let shape = some_shape(&mut random);
        let lists = [&one, &other, third].map(|now| touching(now, &shape, &Query::new()));
        assert!(lists[0] == lists[1] && lists[0] == lists[2]);
    }
}

/// A volume in the world is what the map makes of it, or holds it.
#[test]
fn volumes_in_the_world_hold_what_becomes_of_them() {
    let mut random = Random::new(11);
    for i in 0..300 {
        let mut scene = Scene::new();
        let transform = some_map(&mut random);
        let to_world = |p: Vec3| {
            let columns = transform.to_cols_array_2d().map(|column| column.map(f64::from));
            let p = p.to_array().map(f64::from);
            let sum = |k: usize| (0..3).map(|i| columns[i][k] * p[i]).sum::<f64>() + columns[3][k];
            Vec3::from([0, 1, 2].map(|k| sum(k) as f32))
        };
        let volume = some_volume(&mut random);
        if volume.is_empty() {
            continue;
        }
        let id = scene.insert(Instance::new(volume).with_transform(transform)).unwrap();
        let placed = scene.commit().world_volume(id).unwrap();
        // Points of the surface.
        let mut points: Vec<Vec3> = vec![];
        match volume {
            Volume::Aabb(bounds) => {
                points.extend(bounds.corners().map(to_world));
                assert_eq!(Obb::from_transform(&transform, bounds).map(Volume::from), Some(placed));
            }
            Volume::Obb(obb) => points.extend((0..8).map(|i| to_world(obb.corner(i)))),
            Volume::Sphere(ball) => points
                .extend((0..20).map(|_| to_world(ball.center + ball.radius * random.direction()))),
            Volume::Capsule(capsule) => points
                .extend((0..20).map(|_| to_world(capsule.a + capsule.radius * random.direction()))),
            _ => {}
        }
        for point in points {
            let size = 1e-5 * (1.0 + point.abs().max_element());
            let near = Sphere::new(point, size);
            assert!(Shape::from(near).overlaps(placed), "{i}: {point} {volume:?} {placed:?}");
        }
    }
}

#[test]
fn what_is_wrong_is_refused_and_changes_nothing() {
    let mut scene = Scene::new();
    let ball = Sphere::new([1.0, 0.0, 0.0], 2.0);
    let volume = scene.insert(Instance::new(ball)).unwrap();
    let tree = scene.insert(Instance::new(triangle())).unwrap();
    let kind = |result: Result<(), hitscan::SceneError>| result.unwrap_err().kind();
    assert_eq!(kind(scene.replace(volume, triangle())), SceneErrorKind::WrongBody);
    assert_eq!(kind(scene.replace(tree, ball)), SceneErrorKind::WrongBody);
    assert_eq!(scene.bvh(volume).unwrap_err().kind(), SceneErrorKind::WrongBody);
    assert_eq!(scene.tree_number(volume).unwrap_err().kind(), SceneErrorKind::WrongBody);
    assert_eq!(scene.volume(tree).unwrap_err().kind(), SceneErrorKind::WrongBody);
    let infinite: [Volume; 4] = [
        Sphere::new([f32::NAN, 0.0, 0.0], 1.0).into(),
        Sphere::new([0.0; 3], f32::INFINITY).into(),
        Capsule::new([0.0; 3], [0.0; 3], f32::NAN).into(),
        Aabb { min: Vec3::ZERO, max: Vec3::INFINITY }.into(),
    ];
    for wrong in infinite {
        let count = scene.len();
        assert_eq!(kind(scene.replace(volume, wrong)), SceneErrorKind::InvalidVolume);
        let error = scene.insert(Instance::new(wrong)).unwrap_err();
        assert_eq!(error.kind(), SceneErrorKind::InvalidVolume, "{error}");
        let many = [Instance::new(ball), Instance::new(wrong)];
        assert!(scene.insert_many(&many).is_err() && scene.len() == count);
    }
    for (place, is_wrong) in [(1e38, false), (f32::MAX, true)] {
        let transform = Affine3A::from_translation(Vec3::splat(place));
        let result = scene.set_transforms(&[(tree, Affine3A::IDENTITY), (volume, transform)]);
        assert_eq!(result.is_err(), is_wrong);
    }
    scene.set_transform(volume, Affine3A::IDENTITY).unwrap();
    assert_eq!(scene.volume(volume).unwrap(), ball.into());
    let Body::Volume(found) = scene.instance(volume).unwrap().body else { panic!() };
    assert_eq!(found, ball.into());
    let now = scene.commit();
    assert_eq!(now.world_volume(volume), Some(ball.into()));
    assert_eq!((now.world_volume(tree), now.bvh(volume)), (None, None));
    assert!(now.bvh(tree).is_some());
}

/// Q7: a volume that holds no point, or has no end, is refused in every way into a scene, in words
/// that state the rule, and the scene stays as it is. What is only flat is a volume.
#[test]
fn volumes_that_cannot_be_are_refused_in_every_way() {
    let least = f32::from_bits(1);
    let [zero, one] = [Vec3::ZERO, Vec3::ONE];
    let empty: &[Volume] = &[
        Sphere::new(zero, -1.0).into(),
        Sphere::new(zero, -least).into(),
        Sphere::new(one, -f32::MAX).into(),
        Capsule::new(zero, one, -0.5).into(),
        Capsule::new(zero, zero, -least).into(),
        Aabb { min: one, max: zero }.into(),
        Aabb { min: zero, max: one.with_y(-least) }.into(),
        Aabb { min: zero.with_z(1.0000001), max: one }.into(),
    ];
    let (nan, infinite) = (f32::NAN, f32::INFINITY);
    let not_finite: &[Volume] = &[
        Aabb::EMPTY.into(),
        Aabb { min: -Vec3::INFINITY, max: Vec3::INFINITY }.into(),
        Aabb { min: zero.with_x(nan), max: one }.into(),
        Aabb { min: zero, max: one.with_z(nan) }.into(),
        Aabb { min: zero, max: one.with_z(infinite) }.into(),
        Sphere::new(zero, nan).into(),
        Sphere::new(zero, infinite).into(),
        Sphere::new(zero, -infinite).into(),
        Sphere::new(zero.with_y(-infinite), 1.0).into(),
        Sphere::new(zero.with_z(nan), -1.0).into(),
        Capsule::new(zero, one, nan).into(),
        Capsule::new(zero.with_x(nan), one, 1.0).into(),
        Capsule::new(zero, one.with_x(infinite), 1.0).into(),
    ];
    let far = 3e38;
    let only_there: &[Volume] = &[
        Aabb { min: zero, max: one * far }.into(),
        Sphere::new(one * far, 1.0).into(),
        Sphere::new(zero, far).into(),
        Capsule::new(zero, one.with_x(-far), 0.5).into(),
        Obb::from_axes(one * far, [Vec3::X, Vec3::Y, Vec3::Z], one).expect("sound").into(),
    ];
    let flat = Obb::from_axes(zero, [Vec3::X, Vec3::X + 1e-7 * Vec3::Y, Vec3::Z], one);
    let nearly_flat: Volume = flat.expect("sound").into();
    let sound: &[Volume] = &[
        Aabb { min: zero, max: zero }.into(),
        Aabb { min: zero, max: one.with_y(0.0) }.into(),
        Aabb { min: -zero, max: Vec3::X * 2.0 }.into(),
        Sphere::new(zero, 0.0).into(),
        Sphere::new(zero, -0.0).into(),
        Capsule::new(zero, zero, 0.0).into(),
        Obb::from_axes(zero, [Vec3::X, Vec3::Y, Vec3::Z], zero).expect("sound").into(),
    ];

    let mut scene = Scene::new();
    let ball: Volume = Sphere::new([50.0, 0.0, 0.0], 2.0).into();
    let there = scene.insert(Instance::new(ball)).unwrap();
    let mut all_refuse = |wrong: Volume, scale: f32, words: &str| {
        let at = Affine3A::from_scale(Vec3::splat(scale));
        scene.set_transform(there, at).unwrap();
        let before = scene.to_bytes();
        let instance = Instance::new(wrong).with_transform(at);
        let many = [Instance::new(ball), instance.clone()];
        let errors = [
            scene.insert(instance).unwrap_err(),
            scene.insert_many(&many).unwrap_err(),
            scene.replace(there, wrong).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.kind(), SceneErrorKind::InvalidVolume, "{wrong:?}");
            assert!(error.to_string().contains(words), "{error}");
        }
        assert!(scene.to_bytes() == before, "{wrong:?}");
    };
    let rule = "a volume must hold a point and have finite numbers";
    empty.iter().chain(not_finite).for_each(|&volume| all_refuse(volume, 1.0, rule));
    only_there.iter().for_each(|&volume| all_refuse(volume, 8.0, "finite numbers in the world"));
    all_refuse(nearly_flat, 1.0, "must be one for instances");

    for &volume in only_there {
        let id = scene.insert(Instance::new(volume)).unwrap();
        let grown = Affine3A::from_scale(Vec3::splat(8.0));
        let errors = [
            scene.set_transform(id, grown).unwrap_err(),
            scene.set_transforms(&[(there, grown), (id, grown)]).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.kind(), SceneErrorKind::InvalidVolume, "{volume:?}");
            assert!(error.to_string().contains("finite numbers in the world"), "{error}");
        }
        scene.remove(id).unwrap();
    }
    for &volume in sound {
        let id = scene.insert(Instance::new(volume)).unwrap();
        let (now, query) = (scene.commit(), Query::new().targets(Targets::Volumes));
        assert_eq!(touching(&now, Sphere::new(zero, 0.0), &query), [id], "{volume:?}");
        let ray = Ray::new(-Vec3::X, Vec3::X);
        let hit = now.closest_hit(&ray, &query).map(|hit| hit.instance);
        assert_eq!(hit, Some(id), "{volume:?}");
        scene.replace(id, volume).unwrap();
        let again = Scene::from_bytes(&scene.to_bytes()).unwrap();
        let volumes = again.instances().map(|id| again.volume(id).unwrap());
        assert!(volumes.eq([ball, volume]), "{volume:?}");
        scene.remove(id).unwrap();
    }

    // What is asked about may be anything.
    scene.insert(Instance::new(Aabb { min: -one, max: one })).unwrap();
    scene.insert(Instance::new(triangle())).unwrap();
    let (now, mut touched) = (scene.commit(), vec![]);
    let query = Query::new().targets(Targets::Volumes);
    for &volume in empty.iter().chain(not_finite) {
        let is_all = match volume {
            Volume::Aabb(bounds) => !bounds.is_empty(),
            Volume::Sphere(ball) => ball.radius == infinite,
            _ => false,
        };
        assert_eq!(touching(&now, volume, &query).is_empty(), !is_all, "{volume:?}");
        assert_eq!(now.any_overlap(volume, &query), is_all, "{volume:?}");
        now.all_overlaps(volume, &Query::new(), &mut touched);
        assert_eq!(touched.is_empty(), !is_all, "{volume:?}");
        assert_eq!(now.any_overlap(volume, &Query::new()), is_all, "{volume:?}");
    }
}

/// Millions of units away, and seen through masks and on the border.
#[test]
fn what_only_touches_is_found_in_any_tree_of_volumes() {
    let mut scene = Scene::new();
    let query = Query::new();
    for offset in [0.0, 4096.0, 1e7, -3e9] {
        // Beside many others, so that boxes of nodes decide.
        let ids: Vec<_> = (0..400)
            .map(|i| {
                let at = Vec3::new(offset + 4.0 * (i % 20) as f32, 0.0, 4.0 * (i / 20) as f32);
                let unit = Aabb::from_min_max([0.0; 3], [1.0; 3]);
                let instance = Instance::new(unit);
                scene.insert(instance.with_transform(Affine3A::from_translation(at))).unwrap()
            })
            .collect();
        let now = scene.commit();
        for (i, &id) in ids.iter().enumerate() {
            let bounds = now.world_volume(id).unwrap().bounds();
            let Some(Volume::Obb(obb)) = now.world_volume(id) else { panic!() };
            let corner = obb.corner(7);
            let above = Vec3::new(corner.x, corner.y + 2.0, corner.z);
            for ball in [Sphere::new(corner, 0.0), Sphere::new(above, 2.0)] {
                assert!(touching(&now, ball, &query).contains(&id), "{offset} {i}");
            }
            let down = Ray::new(Vec3::new(corner.x, 9.0, corner.z), Vec3::NEG_Y);
            let mut hits = vec![];
            now.all_volume_hits(&down, Layers::ALL, &mut hits);
            assert!(hits.iter().any(|hit| hit.instance == id), "{offset} {i} {bounds:?}");
        }
        ids.iter().for_each(|&id| scene.remove(id).unwrap());
    }
}
