//! Scenes: every answer is that of all instances asked in turn, whatever happened before.

use crate::{scenes, support};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use hitscan::glam::{Affine3A, Mat3, Vec3};
use hitscan::scene::{Instance, Scene, Snapshot};
use hitscan::{Builder, Bvh, Facing, Hit, InstanceId, Mesh, Query, Ray, SceneErrorKind, Triangle};

use scenes::{Change, instruction_sets, map, offset_and_turn};
use support::{Random, long};

/// A tree, and its triangles for brute force.
struct Model {
    bvh: Bvh,
    triangles: Vec<(u32, u32, Triangle)>,
}

impl Model {
    fn new(meshes: &[Mesh]) -> Self {
        let (bvh, _) = Builder::new().bake(meshes).unwrap();
        let triangles = bvh.triangles().map(|t| (t.mesh, t.triangle, t.vertices)).collect();
        Self { bvh, triangles }
    }

    /// Every hit of a ray in the tree's coordinates, by brute force.
    fn hits(&self, local: &Ray, query_mask: u32, facing: Facing) -> Vec<(f32, u32, u32)> {
        let mut hits = Vec::new();
        for &(mesh, triangle, vertices) in &self.triangles {
            let mask = self.bvh.mesh(mesh).unwrap().mask;
            if mask & query_mask == 0 {
                continue;
            }
            if let Some(hit) = vertices.intersect(local) {
                let faces = match facing {
                    Facing::Both => true,
                    Facing::Front => hit.face == hitscan::Face::Front,
                    Facing::Back => hit.face == hitscan::Face::Back,
                };
                if faces {
                    hits.push((hit.t, mesh, triangle));
                }
            }
        }
        hits
    }
}

fn models() -> Vec<Model> {
    let triangle = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let mut ball = scenes::sphere(9, 6, 1.0, Vec3::ZERO);
    ball.mask = 0b110;
    let mut far = scenes::sphere(7, 5, 1.0, Vec3::new(3000.0, -200.0, 10.0));
    far.mask = 0b011;
    vec![
        Model::new(&[triangle]),
        Model::new(&[ball, scenes::soup(30, 1.0, 0.7, 4)]),
        Model::new(&[scenes::terrain(6, 8)]),
        Model::new(&[far]),
        Model::new(&[]),
    ]
}

/// An invertible map of any kind.
fn any_transform(random: &mut Random, extent: f32) -> Affine3A {
    let place = offset_and_turn(random, extent);
    let change = match random.below(5) {
        0 => return Affine3A::from_translation(place.0),
        1 => Change::None,
        2 => Change::Scaled,
        3 => Change::ScaledByAxis,
        _ => Change::Sheared,
    };
    map(random, change, place)
}

/// What is in a scene, as a plain list.
#[derive(Clone)]
struct Listed {
    model: usize,
    mask: u32,
    user_id: u64,
    is_enabled: bool,
    transform: Affine3A,
}

type List = BTreeMap<InstanceId, Listed>;

/// Every hit in all instances, in order.
fn brute_force(
    list: &List,
    models: &[Model],
    snapshot: &Snapshot,
    ray: &Ray,
    mask: u32,
    facing: Facing,
) -> Vec<(f32, InstanceId, u32, u32)> {
    let mut all = Vec::new();
    for (&id, listed) in list {
        if !listed.is_enabled
            || listed.mask & mask == 0
            || models[listed.model].triangles.is_empty()
        {
            continue;
        }
        let local = snapshot.local_ray(id, ray).expect("it is shown");
        let hits = models[listed.model].hits(&local, mask, facing);
        all.extend(hits.into_iter().map(|(t, mesh, triangle)| (t, id, mesh, triangle)));
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2, a.3).cmp(&(b.1, b.2, b.3))));
    all
}

fn key(hit: &Hit) -> (f32, InstanceId, u32, u32) {
    (hit.t, hit.instance, hit.mesh, hit.triangle)
}

/// A ray from somewhere, mostly at one of the instances.
fn some_ray(random: &mut Random, list: &List, extent: f32) -> Ray {
    let origin = random.in_box(Vec3::splat(-1.5 * extent), Vec3::splat(1.5 * extent));
    let dir = match list.values().nth(random.below(list.len().max(1))) {
        Some(listed) if random.below(8) != 0 => {
            let local = [Vec3::ZERO, Vec3::splat(0.3), Vec3::new(3000.0, -200.0, 10.0)];
            let at = listed.transform.transform_point3(local[random.below(3)]);
            at + random.direction() * random.range(0.0, 1.0) - origin
        }
        _ => random.direction(),
    };
    let ray = Ray::new(origin, dir * random.range(0.1, 3.0));
    match random.below(6) {
        0 => ray.with_range(0.0, 1.0),
        1 => ray.with_range(-5.0, f32::INFINITY),
        2 => ray.with_range(f32::NEG_INFINITY, 0.0),
        _ => ray,
    }
}

/// Compares every question of a ray with brute force. The number of hits.
fn compare(list: &List, models: &[Model], snapshot: &Snapshot, ray: &Ray, mask: u32) -> usize {
    let mut found = 0;
    for facing in [Facing::Both, Facing::Front, Facing::Back] {
        let all = brute_force(list, models, snapshot, ray, mask, facing);
        found += all.len();
        for isa in hitscan::InstructionSet::available() {
            let query = Query::new().facing(facing).mask(mask).instruction_set(isa);
            let closest = snapshot.closest_hit(ray, &query);
            assert_eq!(closest.as_ref().map(key), all.first().copied(), "{isa} {ray:?}");
            assert_eq!(snapshot.any_hit(ray, &query), !all.is_empty(), "{isa} {ray:?}");
            let mut hits = Vec::new();
            snapshot.all_hits(ray, &query, &mut hits);
            assert_eq!(hits.iter().map(key).collect::<Vec<_>>(), all, "{isa} {ray:?}");

            // The second instance of those that are hit, by a filter.
            if let Some(&(_, first, ..)) = all.first() {
                let is_other = |hit: &Hit| hit.instance != first;
                let rest = query.filter(&is_other);
                let second = all.iter().find(|(_, id, ..)| *id != first).copied();
                let closest = snapshot.closest_hit(ray, &rest);
                assert_eq!(closest.as_ref().map(key), second, "{isa} {ray:?}");
                assert_eq!(snapshot.any_hit(ray, &rest), second.is_some());
            }
        }
    }
    found
}

#[test]
fn every_ray_has_the_answers_of_all_instances_in_turn() {
    instruction_sets();
    let models = models();
    let mut random = Random::new(5);
    let mut found = 0;
    for (round, extent) in [1.0, 10.0, 1e5].into_iter().cycle().take(6 * long()).enumerate() {
        let (mut scene, mut list) = (Scene::new(), List::new());
        for _ in 0..[1, 5, 17, 40, 300][round % 5] {
            let transform = any_transform(&mut random, extent);
            let (model, mask) = (random.below(models.len()), 1 << random.below(3) | 1);
            let instance = Instance::new(models[model].bvh.clone());
            let id = scene.insert(instance.with_transform(transform).with_mask(mask)).unwrap();
            list.insert(id, Listed { model, mask, user_id: 0, is_enabled: true, transform });
        }
        let snapshot = scene.commit();
        for _ in 0..60 {
            let ray = some_ray(&mut random, &list, extent);
            found += compare(&list, &models, &snapshot, &ray, [u32::MAX, 0b10][random.below(2)]);
        }
    }
    assert!(found > 500, "{found}");
}

#[test]
fn rays_of_any_size_have_the_answers_of_all_instances_in_turn() {
    let models = models();
    let mut random = Random::new(6);
    let mut found = 0;
    for exponent in [-38, -30, -12, 12, 30, 36] {
        let size = 10f32.powi(exponent);
        let (mut scene, mut list) = (Scene::new(), List::new());
        for _ in 0..12 {
            let scale = size.clamp(1e-17, 1e17);
            let transform =
                Affine3A::from_scale(Vec3::splat(scale)) * any_transform(&mut random, 4.0);
            let model = random.below(3);
            let instance = Instance::new(models[model].bvh.clone()).with_transform(transform);
            let id = scene.insert(instance).unwrap();
            list.insert(id, Listed { model, mask: 1, user_id: 0, is_enabled: true, transform });
        }
        let snapshot = scene.commit();
        for _ in 0..20 {
            let mut ray = some_ray(&mut random, &list, 4.0);
            ray.origin *= size.clamp(1e-17, 1e17);
            if random.below(2) == 0 {
                ray.dir *= size;
            }
            found += compare(&list, &models, &snapshot, &ray, u32::MAX);
        }
        for bad in [f32::NAN, f32::INFINITY] {
            let ray = Ray::new([bad, 0.0, 0.0], [1.0, 0.0, 0.0]);
            assert_eq!(snapshot.closest_hit(&ray, &Query::new()), None);
            assert!(!snapshot.any_hit(&Ray::new([0.0; 3], [0.0, bad, 0.0]), &Query::new()));
        }
        assert!(!snapshot.any_hit(&Ray::new([0.0; 3], [0.0; 3]), &Query::new()));
    }
    assert!(found > 100, "{found}");
}

#[test]
fn whatever_is_done_to_a_scene_its_answers_are_those_of_a_plain_list() {
    let models = models();
    let mut random = Random::new(7);
    let (mut scene, mut list, mut stale) = (Scene::new(), List::new(), Vec::new());
    let mut kept: Vec<(Snapshot, List)> = Vec::new();
    let mut found = 0;
    for step in 0..20_000 * long() {
        let some = list.keys().nth(random.below(list.len().max(1))).copied();
        // It grows past what the small trees hold, shrinks again, and now and then is emptied.
        let grows = step / 1500 % 2 == 0;
        match (random.below(12), some) {
            (0..=2, _) | (_, None) if grows || list.is_empty() => {
                let (model, mask) = (random.below(models.len()), 1 << random.below(3));
                let (transform, user_id) = (any_transform(&mut random, 20.0), step as u64);
                let instance = Instance::new(models[model].bvh.clone())
                    .with_transform(transform)
                    .with_mask(mask)
                    .with_user_id(user_id);
                let id = scene.insert(instance).unwrap();
                let listed = Listed { model, mask, user_id, is_enabled: true, transform };
                assert!(list.insert(id, listed).is_none());
            }
            (0..=2, Some(id)) => {
                scene.remove(id).unwrap();
                list.remove(&id);
                stale.push(id);
            }
            (3..=5, Some(id)) => {
                let transform = any_transform(&mut random, 20.0);
                scene.set_transform(id, transform).unwrap();
                list.get_mut(&id).unwrap().transform = transform;
            }
            (6, Some(id)) => {
                let mask = 1 << random.below(3);
                scene.set_mask(id, mask).unwrap();
                list.get_mut(&id).unwrap().mask = mask;
            }
            (7, Some(id)) => {
                let listed = list.get_mut(&id).unwrap();
                listed.is_enabled = !listed.is_enabled;
                if listed.is_enabled { scene.enable(id) } else { scene.disable(id) }.unwrap();
            }
            (8, Some(id)) => {
                let model = random.below(models.len());
                scene.replace(id, &models[model].bvh).unwrap();
                list.get_mut(&id).unwrap().model = model;
            }
            (9, Some(id)) => {
                let user_id = u64::from(random.next());
                scene.set_user_id(id, user_id).unwrap();
                list.get_mut(&id).unwrap().user_id = user_id;
            }
            (10, _) => {
                let snapshot = scene.commit();
                assert_eq!(scene.len(), list.len());
                if random.below(4) == 0 {
                    kept.push((snapshot, list.clone()));
                }
                if kept.len() > 3 {
                    kept.swap_remove(random.below(kept.len()));
                }
            }
            _ => {}
        }
        if let Some(&id) = stale.last() {
            assert!(!scene.contains_instance(id));
            let refused = scene.set_transform(id, Affine3A::IDENTITY).unwrap_err();
            assert_eq!(refused.kind(), SceneErrorKind::StaleHandle);
            assert_eq!(scene.remove(id).unwrap_err().kind(), SceneErrorKind::StaleHandle);
        }
        if step % 40 == 0 && !kept.is_empty() {
            let (snapshot, list) = &kept[random.below(kept.len())];
            let shown = list.iter().filter(|(_, listed)| {
                listed.is_enabled && !models[listed.model].triangles.is_empty()
            });
            let shown: Vec<_> = shown.collect();
            assert_eq!(snapshot.len(), shown.len());
            let ids: Vec<_> = snapshot.instances().collect();
            assert!(shown.iter().map(|&(&id, _)| id).eq(ids.iter().copied()));
            if let Some(&(&id, listed)) = shown.get(random.below(shown.len().max(1))) {
                assert_eq!(snapshot.user_id(id), Some(listed.user_id));
                assert_eq!(snapshot.transform(id), Some(listed.transform));
                assert_eq!(snapshot.bvh(id), Some(&models[listed.model].bvh));
            }
            let ray = some_ray(&mut random, list, 20.0);
            found += compare(list, &models, snapshot, &ray, [u32::MAX, 0b100][random.below(2)]);
        }
    }
    assert!(found > 300, "{found}");
    assert!(stale.len() > 500);
}

#[test]
fn of_instances_at_the_same_place_the_lowest_handle_is_hit() {
    let models = models();
    let mut scene = Scene::new();
    let instance = || Instance::new(models[0].bvh.clone());
    let ids: Vec<_> = (0..40).map(|_| scene.insert(instance()).unwrap()).collect();
    let ray = Ray::new([0.2, 0.2, -1.0], [0.0, 0.0, 1.0]);
    let mut hits = Vec::new();
    for first in 0..ids.len() {
        let snapshot = scene.commit();
        assert_eq!(snapshot.closest_hit(&ray, &Query::new()).unwrap().instance, ids[first]);
        snapshot.all_hits(&ray, &Query::new(), &mut hits);
        assert!(hits.iter().map(|hit| hit.instance).eq(ids[first..].iter().copied()));
        scene.remove(ids[first]).unwrap();
    }
    assert!(scene.commit().is_empty());
    // The lowest place is used again, with another handle.
    let again = scene.insert(instance()).unwrap();
    assert!(!ids.contains(&again) && again > ids[0] && again < ids[1]);
    assert_eq!(InstanceId::from_bits(again.to_bits()), Some(again));
}

#[test]
fn maps_that_cannot_be_inverted_are_refused_and_nothing_changes() {
    let models = models();
    let mut scene = Scene::new();
    let id = scene.insert(Instance::new(models[1].bvh.clone())).unwrap();
    let flat = Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0));
    // Its determinant is a rounding in `f64`.
    let nearly = Mat3::from_cols(
        Vec3::new(0.1, 0.2, 0.3),
        Vec3::new(0.7, 1.1, 1.3),
        Vec3::new(0.8, 1.3, 1.6),
    );
    let nearly = Affine3A::from_mat3(nearly);
    let infinite = Affine3A::from_translation(Vec3::new(0.0, f32::INFINITY, 0.0));
    let nan = Affine3A::from_scale(Vec3::splat(f32::NAN));
    let huge = Affine3A::from_scale(Vec3::splat(1e30));
    for (transform, kind) in [
        (flat, SceneErrorKind::Singular),
        (nearly, SceneErrorKind::Singular),
        (Affine3A::ZERO, SceneErrorKind::Singular),
        (huge, SceneErrorKind::Singular),
        (infinite, SceneErrorKind::NonFinite),
        (nan, SceneErrorKind::NonFinite),
    ] {
        assert_eq!(scene.set_transform(id, transform).unwrap_err().kind(), kind, "{transform}");
        let instance = Instance::new(models[2].bvh.clone()).with_transform(transform);
        assert_eq!(scene.insert(instance).unwrap_err().kind(), kind, "{transform}");
    }
    assert_eq!(scene.len(), 1);
    assert_eq!(scene.transform(id).unwrap(), Affine3A::IDENTITY);
    // A decal is flat, but not quite.
    scene.set_transform(id, Affine3A::from_scale(Vec3::new(1.0, 1e-9, 1.0))).unwrap();
}

#[test]
fn points_and_normals_are_those_of_the_moved_triangle() {
    let models = models();
    let mut random = Random::new(9);
    let mut checked = 0;
    for _ in 0..400 {
        let mut scene = Scene::new();
        let transform = any_transform(&mut random, 5.0);
        let model = &models[random.below(3)];
        let instance = Instance::new(model.bvh.clone()).with_transform(transform);
        let id = scene.insert(instance).unwrap();
        let snapshot = scene.commit();
        let aim = transform.transform_point3(Vec3::splat(0.2)) + 0.1 * random.direction();
        let origin = 20.0 * random.direction();
        let ray = Ray::new(origin, aim - origin);
        let Some(hit) = snapshot.closest_hit(&ray, &Query::new()) else { continue };
        checked += 1;
        let triangle = model.bvh.triangle(&hit).unwrap();
        let [v0, v1, v2] =
            [triangle.v0, triangle.v1, triangle.v2].map(|v| transform.transform_point3(v));
        let normal = (v1 - v0).cross(v2 - v0) * transform.matrix3.determinant().signum();
        let (point, found) = (snapshot.point(&hit).unwrap(), snapshot.normal(&hit).unwrap());
        assert!((found - normal.normalize()).length() < 1e-3, "{transform:?} {triangle:?}");
        assert!((point - ray.at(hit.t)).length() < 1e-3 * 20.0);
        assert!((point - v0).dot(found).abs() < 1e-4);
        // The front is where the ray comes from if it hits the front.
        assert_eq!(found.dot(ray.dir) < 0.0, hit.face == hitscan::Face::Front);
        assert!(snapshot.bounds().expanded([1e-3; 3]).contains(point));
        assert_eq!(
            snapshot.local_ray(id, &ray).map(|local| model.bvh.closest_hit(&local, &Query::new())),
            Some(Some(scenes::in_tree(hit)))
        );
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn batches_have_the_answers_of_single_rays() {
    let models = models();
    let mut random = Random::new(10);
    let (mut scene, mut list) = (Scene::new(), List::new());
    for _ in 0..200 {
        let transform = any_transform(&mut random, 20.0);
        let model = random.below(models.len());
        let instance = Instance::new(models[model].bvh.clone()).with_transform(transform);
        let id = scene.insert(instance).unwrap();
        list.insert(id, Listed { model, mask: 1, user_id: 0, is_enabled: true, transform });
    }
    let snapshot = scene.commit();
    let rays: Vec<Ray> = (0..3000).map(|_| some_ray(&mut random, &list, 20.0)).collect();
    let query = Query::new();
    let mut hits = vec![None; rays.len()];
    snapshot.closest_hit_batch(&rays, &query, &mut hits).unwrap();
    let mut found = vec![false; rays.len()];
    snapshot.any_hit_batch(&rays, &query, &mut found).unwrap();
    let mut all = vec![Vec::new(); rays.len()];
    snapshot.all_hits_batch(&rays, &query, &mut all).unwrap();
    let by_ray =
        query.filter_by_index(&|ray, hit: &Hit| (ray + hit.triangle as usize).is_multiple_of(2));
    let mut filtered = vec![None; rays.len()];
    snapshot.closest_hit_batch(&rays, &by_ray, &mut filtered).unwrap();
    let plain = query.filter(&|hit: &Hit| hit.triangle.is_multiple_of(2));
    let mut even = vec![None; rays.len()];
    snapshot.closest_hit_batch(&rays, &plain, &mut even).unwrap();
    for (i, ray) in rays.iter().enumerate() {
        assert_eq!(hits[i], snapshot.closest_hit(ray, &query));
        assert_eq!(found[i], hits[i].is_some());
        assert_eq!(all[i].first().map(key), hits[i].as_ref().map(key));
        let is_own = |hit: &&Hit| (i + hit.triangle as usize).is_multiple_of(2);
        assert_eq!(filtered[i].as_ref().map(key), all[i].iter().find(is_own).map(key));
        let is_even = |hit: &&Hit| hit.triangle.is_multiple_of(2);
        assert_eq!(even[i].as_ref().map(key), all[i].iter().find(is_even).map(key));
    }
    assert!(hits.iter().filter(|hit| hit.is_some()).count() > 500);
    let refused = snapshot.closest_hit_batch(&rays, &query, &mut hits[1..]);
    assert!(refused.is_err());
}

/// Runs on this many threads, where there are threads.
fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "parallel")]
    return rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work);
    #[cfg(not(feature = "parallel"))]
    {
        let _ = threads;
        work()
    }
}

#[test]
fn many_at_once_are_as_one_by_one_on_any_number_of_threads() {
    const COUNT: usize = 20_000;
    let models = models();
    let mut random = Random::new(12);
    let mut places = || {
        let place = |_| (random.below(4), any_transform(&mut random, 100.0));
        (0..COUNT).map(place).collect::<Vec<_>>()
    };
    let (first, then) = (places(), places());
    let instances = first.iter().zip(0..).map(|(&(model, transform), number)| {
        let instance = Instance::new(models[model].bvh.clone());
        instance.with_transform(transform).with_user_id(number)
    });
    let instances: Vec<_> = instances.collect();
    let one_by_one = || {
        let mut scene = Scene::new();
        let ids = instances.iter().map(|instance| scene.insert(instance.clone()).unwrap());
        let ids: Vec<_> = ids.collect();
        let before = scene.commit();
        for (&id, &(_, transform)) in ids.iter().zip(&then) {
            scene.set_transform(id, transform).unwrap();
        }
        (ids, before, scene.commit())
    };
    let at_once = || {
        let mut scene = Scene::new();
        let ids = scene.insert_many(&instances).unwrap();
        let before = scene.commit();
        let moves: Vec<_> = ids.iter().copied().zip(then.iter().map(|place| place.1)).collect();
        scene.set_transforms(&moves).unwrap();
        (ids, before, scene.commit())
    };
    let rays = (0..1500).map(|_| {
        let from = random.in_box(Vec3::splat(-100.0), Vec3::splat(100.0));
        Ray::new(from, random.direction())
    });
    let rays: Vec<_> = rays.collect();
    let answers = |(ids, before, after): (Vec<InstanceId>, Snapshot, Snapshot)| {
        let hits = [before, after].map(|snapshot| {
            let mut hits = vec![None; rays.len()];
            snapshot.closest_hit_batch(&rays, &Query::new(), &mut hits).unwrap();
            assert!(snapshot.instances().eq(ids.iter().copied()));
            assert!(hits.iter().flatten().count() > rays.len() / 4);
            (snapshot.bounds(), hits)
        });
        (ids, hits)
    };
    let expected = on_threads(1, || answers(one_by_one()));
    assert!(on_threads(1, || answers(at_once())) == expected);
    assert!(on_threads(2, || answers(at_once())) == expected);
    assert!(on_threads(2, || answers(one_by_one())) == expected);
}

#[test]
fn of_many_at_once_all_are_taken_or_none() {
    let models = models();
    let mut scene = Scene::new();
    let flat = Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0));
    let instance = Instance::new(models[1].bvh.clone());
    let wrong = instance.clone().with_transform(flat);
    let refused = scene.insert_many(&[instance.clone(), wrong]).unwrap_err();
    assert_eq!((refused.kind(), scene.len()), (SceneErrorKind::Singular, 0));
    let ids = scene.insert_many(&[instance.clone(), instance]).unwrap();
    let up = Affine3A::from_translation(Vec3::Y);
    for (moves, kind) in [
        (vec![(ids[0], up), (ids[1], flat)], SceneErrorKind::Singular),
        (vec![(ids[0], up), (InstanceId::from_bits(7 << 32 | 9).unwrap(), up)], {
            SceneErrorKind::StaleHandle
        }),
    ] {
        assert_eq!(scene.set_transforms(&moves).unwrap_err().kind(), kind);
        assert_eq!(scene.transform(ids[0]).unwrap(), Affine3A::IDENTITY);
    }
    // Of two moves of one instance the last holds.
    scene.set_transforms(&[(ids[0], Affine3A::IDENTITY), (ids[0], up)]).unwrap();
    assert_eq!(scene.transform(ids[0]).unwrap(), up);
}

#[test]
fn snapshots_can_be_asked_from_other_threads_while_the_scene_changes() {
    fn is_shared<T: Send + Sync + Clone + std::fmt::Debug>() {}
    is_shared::<Snapshot>();
    is_shared::<Scene>();
    let models = models();
    let mut scene = Scene::new();
    let instance = Instance::new(models[0].bvh.clone());
    let ids: Vec<_> = (0..50).map(|_| scene.insert(instance.clone()).unwrap()).collect();
    let latest = Mutex::new((0, scene.commit()));
    let is_over = AtomicBool::new(false);
    let read = || {
        let (mut frames, mut last) = (0, 0);
        loop {
            // Looked at first, so that the last frame is seen.
            let is_last = is_over.load(Ordering::Acquire);
            let (frame, snapshot) = latest.lock().unwrap().clone();
            // All instances are where this frame put them: never half a change.
            let mut hits = Vec::new();
            let ray = Ray::new([frame as f32 + 0.2, 0.2, -1.0], [0.0, 0.0, 1.0]);
            snapshot.all_hits(&ray, &Query::new(), &mut hits);
            assert_eq!(hits.len(), 50);
            assert!(hits.iter().all(|hit| snapshot.user_id(hit.instance) == Some(frame)));
            frames += u32::from(frame != last);
            last = frame;
            if is_last {
                return frames;
            }
        }
    };
    std::thread::scope(|scope| {
        let readers = [(); 3].map(|()| scope.spawn(read));
        for frame in 1..=300u64 {
            for &id in &ids {
                let at = Affine3A::from_translation(Vec3::X * frame as f32);
                scene.set_transform(id, at).unwrap();
                scene.set_user_id(id, frame).unwrap();
            }
            let now = (frame, scene.commit());
            *latest.lock().unwrap() = now;
            std::thread::yield_now();
        }
        is_over.store(true, Ordering::Release);
        let frames = readers.map(|reader| reader.join().unwrap());
        println!("frames seen: {frames:?}");
        assert!(frames.iter().all(|&frames| frames > 0));
    });
}

#[test]
fn the_order_of_insertion_changes_no_answer() {
    let models = models();
    let mut random = Random::new(11);
    let places: Vec<_> =
        (0..400).map(|_| (random.below(models.len()), any_transform(&mut random, 20.0))).collect();
    let put = |order: &[usize]| {
        let mut scene = Scene::new();
        let mut which = BTreeMap::new();
        for &i in order {
            let (model, transform) = places[i];
            let instance = Instance::new(models[model].bvh.clone()).with_transform(transform);
            which.insert(scene.insert(instance).unwrap(), i);
            // Commits in between put instances into other trees.
            if i % 50 == 0 {
                scene.commit();
            }
        }
        (scene.commit(), which)
    };
    let mut order: Vec<_> = (0..places.len()).collect();
    let (one, in_one) = put(&order);
    for i in (1..order.len()).rev() {
        order.swap(i, random.below(i + 1));
    }
    let (other, in_other) = put(&order);
    assert_eq!(one.bounds(), other.bounds());
    let (mut one_hits, mut other_hits) = (Vec::new(), Vec::new());
    let mut found = 0;
    for _ in 0..2000 {
        let (from, to) = (20.0 * random.direction(), 10.0 * random.direction());
        let ray = Ray::between(from, to).with_range(0.0, f32::INFINITY);
        one.all_hits(&ray, &Query::new(), &mut one_hits);
        other.all_hits(&ray, &Query::new(), &mut other_hits);
        // Instances by what they are, for handles differ.
        let key = |which: &BTreeMap<InstanceId, usize>, hit: &Hit| {
            (hit.t.to_bits(), which[&hit.instance], hit.mesh, hit.triangle)
        };
        let mut ones: Vec<_> = one_hits.iter().map(|hit| key(&in_one, hit)).collect();
        let mut others: Vec<_> = other_hits.iter().map(|hit| key(&in_other, hit)).collect();
        ones.sort_unstable();
        others.sort_unstable();
        assert_eq!(ones, others);
        let closest = one.closest_hit(&ray, &Query::new()).map(|hit| hit.t);
        assert_eq!(closest, other.closest_hit(&ray, &Query::new()).map(|hit| hit.t));
        found += ones.len();
    }
    assert!(found > 500, "{found}");
}

/// Names follow their instances through commits, moves and levels; a snapshot keeps those of its
/// time.
#[test]
fn names_follow_instances() {
    let (bvh, _) = Builder::new().bake(&[] as &[Mesh]).unwrap();
    let (one, _) = Builder::new()
        .bake(&[Mesh::from_soup(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])])
        .unwrap();
    let mut scene = Scene::new();
    let name = |i: usize| if i.is_multiple_of(3) { String::new() } else { format!("crate {i}") };
    let ids: Vec<_> = (0..400)
        .map(|i| scene.insert(Instance::new(one.clone()).with_name(name(i))).unwrap())
        .collect();
    let hidden = scene.insert(Instance::new(bvh).with_name("nothing")).unwrap();
    assert_eq!(scene.snapshot().name(ids[1]), None);
    let first = scene.commit();
    assert_eq!((first.name(hidden), scene.find("nothing")), (None, Some(hidden)));
    for tick in 0..40 {
        for (i, &id) in ids.iter().enumerate().skip(tick % 7).step_by(7) {
            let at = Affine3A::from_translation(Vec3::splat((tick * i) as f32));
            let is_removed = i == 5 && tick > 20;
            assert_eq!(scene.set_transform(id, at).is_err(), is_removed);
        }
        if tick == 20 {
            scene.set_name(ids[3], "found").unwrap();
            scene.set_name(ids[4], "").unwrap();
            scene.remove(ids[5]).unwrap();
            assert!(scene.set_name(ids[5], "late").is_err());
        }
        let now = scene.commit();
        for (i, &id) in ids.iter().enumerate() {
            let expected = match i {
                3 if tick >= 20 => Some("found".to_owned()),
                4 if tick >= 20 => Some(String::new()),
                5 if tick >= 20 => None,
                _ => Some(name(i)),
            };
            assert_eq!(now.name(id).map(str::to_owned), expected, "{i} at {tick}");
            assert_eq!(scene.instance(id).ok().map(|instance| instance.name), expected);
        }
    }
    assert!(ids.iter().enumerate().all(|(i, &id)| first.name(id) == Some(&name(i))));
    assert_eq!(scene.find("found"), Some(ids[3]));
    assert_eq!(scene.find("crate 5"), None);
    // The place of a removed one gets another handle, and no name of before.
    let new = scene.insert(Instance::new(one)).unwrap();
    assert_eq!((scene.commit().name(new), scene.snapshot().name(ids[5])), (Some(""), None));
}
