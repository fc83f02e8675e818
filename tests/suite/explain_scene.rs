//! The walk of a ray through a scene, step by step: it counts what the query counts, and ends with
//! its answer.

use std::collections::BTreeSet;

use crate::scenes;
use crate::support::{Random, long};
use hitscan::explain::{End, Entry, SceneBelow, SceneStep, SceneWalk};
use hitscan::glam::{Affine3A, Quat, Vec3};
use hitscan::query::Question;
use hitscan::scene::{Instance, Scene};
use hitscan::{Aabb, Builder, Facing, Hit, Mesh, Query, Ray, Snapshot};

/// Trees in many places, of which some stand still, some are new, some move, and some are gone; and
/// volumes, which rays at triangles do not meet.
fn scene(random: &mut Random) -> Scene {
    let (level, _) = Builder::new().bake(&scenes::level(1)).unwrap();
    let (terrain, _) = Builder::new().bake(&[scenes::terrain(8, 1)]).unwrap();
    let mut scene = Scene::new();
    let place = |random: &mut Random| {
        let axis = random.in_box(Vec3::splat(-1.0), Vec3::ONE).normalize_or(Vec3::Y);
        let turn = Quat::from_axis_angle(axis, random.in_box(Vec3::ZERO, Vec3::ONE).x * 6.0);
        let scale = random.in_box(Vec3::splat(0.2), Vec3::splat(1.5));
        let at = random.in_box(Vec3::splat(-60.0), Vec3::splat(60.0));
        Affine3A::from_scale_rotation_translation(scale, turn, at)
    };
    let insert = |scene: &mut Scene, random: &mut Random, i: usize| {
        let bvh = if i.is_multiple_of(3) { level.clone() } else { terrain.clone() };
        let instance = Instance::new(bvh).with_transform(place(random)).with_mask(1 << (i % 4));
        scene.insert(instance).unwrap()
    };
    let ids: Vec<_> = (0..100).map(|i| insert(&mut scene, random, i)).collect();
    for _ in 0..5 {
        scene.commit();
        for id in ids.iter().step_by(33) {
            scene.set_transform(*id, place(random)).unwrap();
        }
    }
    scene.commit();
    insert(&mut scene, random, 0);
    insert(&mut scene, random, 1);
    scene.commit();
    scene.remove(ids[5]).unwrap();
    let around = Aabb::from_min_max([-50.0; 3], [50.0; 3]);
    scene.insert(Instance::new(around)).unwrap();
    scene.commit();
    scene
}

#[test]
fn steps_are_as_many_as_the_query_counts_and_end_with_its_answer() {
    let random = &mut Random::new(5);
    let mut met = BTreeSet::new();
    for _ in 0..2 * long() {
        let scene = scene(random);
        let now = scene.snapshot();
        for i in 0..150 {
            let bounds = now.bounds();
            let (from, to) =
                (random.in_box(bounds.min, bounds.max), random.in_box(bounds.min, bounds.max));
            let ray = match i % 5 {
                0 => Ray::between(from, to),
                // Beyond what box tests in `f32` can do: all instances are asked.
                1 if i % 50 == 1 => Ray::new(from * 1e32, -from),
                _ => Ray::new(from, to - from),
            };
            let odd = |hit: &Hit| hit.triangle % 2 == 1;
            for query in [
                Query::new(),
                Query::new().mask(5),
                Query::new().facing(Facing::Front).filter(&odd),
            ] {
                check_walk(now, &ray, &query, &mut met);
            }
        }
    }
    let expected = ["gone", "interval-over", "level 0", "level 1", "level 2", "left out", "masked"];
    let all = ["nothing left", "past best"];
    assert!(expected.iter().chain(&all).all(|name| met.contains(name)), "{met:?}");
}

fn check_walk(now: &Snapshot, ray: &Ray, query: &Query, met: &mut BTreeSet<&'static str>) {
    let closest = now.closest_hit(ray, query);
    let walk = now.explain(ray, query, Question::ClosestHit);
    assert_eq!(walk.stats(), now.query_stats(ray, query, Question::ClosestHit), "{ray:?}");
    assert_eq!(walk.hit, closest, "{ray:?}");
    check_steps(now, &walk, ray, met);
    met.insert(match walk.end {
        End::NothingNearer { left_out: 0 } => "nothing nearer",
        End::NothingNearer { .. } => "left out",
        End::IntervalOver => "interval-over",
        End::NothingLeft => "nothing left",
        end => panic!("{end:?}"),
    });
    assert_eq!(closest.is_some(), matches!(walk.end, End::NothingNearer { .. }));

    let any = now.explain(ray, query, Question::AnyHit);
    assert_eq!(any.stats(), now.query_stats(ray, query, Question::AnyHit), "{ray:?}");
    assert_eq!(any.hit.is_some(), closest.is_some());
    assert_eq!(any.end == End::FirstHit, closest.is_some());
    let accepted = any.hit.is_none_or(|hit| {
        let mut all = Vec::new();
        now.all_hits(ray, query, &mut all);
        all.contains(&hit)
    });
    assert!(accepted, "{ray:?}");
}

fn check_steps(now: &Snapshot, walk: &SceneWalk, ray: &Ray, met: &mut BTreeSet<&'static str>) {
    let mut best = None::<Hit>;
    let mut entered = BTreeSet::new();
    for step in &walk.steps {
        match step {
            SceneStep::Node { level, children, .. } => {
                met.insert(["level 0", "level 1", "level 2"][usize::from(*level)]);
                for child in children {
                    let inside = child.bounds.ray_interval(ray);
                    let inside = inside.and_then(|interval| interval.clipped(ray));
                    match child.entry {
                        Entry::Enters { .. } => match child.below {
                            SceneBelow::Instance(id) => assert!(entered.insert(id)),
                            SceneBelow::Masked { .. } => {
                                met.insert("masked");
                            }
                            SceneBelow::Gone => {
                                met.insert("gone");
                            }
                            _ => {}
                        },
                        Entry::PastBest { t } => {
                            met.insert("past best");
                            assert!(best.is_some_and(|best| t >= best.t));
                        }
                        _ => assert_eq!(inside, None),
                    }
                }
            }
            SceneStep::Instance { instance, transform, ray: local, walk } => {
                assert_eq!(now.local_ray(*instance, ray), Some(*local));
                assert_eq!(now.transform(*instance), Some(*transform));
                entered.remove(instance);
                if let Some(hit) = walk.hit {
                    assert!(hit.instance == *instance);
                    assert!(best.is_none_or(|best| hit.t <= best.t), "{hit:?} {best:?}");
                    if best.is_none_or(|best| (hit.t, *instance) < (best.t, best.instance)) {
                        best = Some(hit);
                    }
                }
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(best, walk.hit);
}

#[test]
fn a_walk_that_cannot_begin_says_why() {
    let ray = Ray::new([0.0; 3], [0.0, 0.0, 1.0]);
    let mut scene = Scene::new();
    let end = |scene: &Scene, ray: Ray| {
        scene.snapshot().explain(&ray, &Query::new(), Question::ClosestHit).end
    };
    scene.commit();
    assert_eq!(end(&scene, ray), End::EmptyTree);
    let (empty, _) = Builder::new().bake(&[] as &[Mesh]).unwrap();
    scene.insert(Instance::new(empty)).unwrap();
    scene.insert(Instance::new(Aabb::from_min_max([-1.0; 3], [1.0; 3]))).unwrap();
    scene.commit();
    assert_eq!(end(&scene, ray), End::EmptyTree);
    let (level, _) = Builder::new().bake(&scenes::level(1)).unwrap();
    scene.insert(Instance::new(level)).unwrap();
    scene.commit();
    assert_eq!(end(&scene, ray.with_range(2.0, 1.0)), End::InvalidRay);
    assert!(matches!(end(&scene, ray), End::NothingNearer { .. } | End::NothingLeft));
}
