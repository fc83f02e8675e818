use glam::{Affine3A, Vec3};

use crate::scene::{Instance, Scene, Snapshot};
use crate::traverse::InstanceId;
use crate::{Builder, Bvh, InstructionSet, Mesh, Query, Ray};

fn model() -> Bvh {
    let triangle = vec![[-0.3, 0.0, -0.3], [0.0, 0.0, 0.3], [0.3, 0.0, -0.3]];
    Builder::new().bake(&[Mesh::from_soup(triangle)]).unwrap().0
}

/// The place of a number on a square.
fn place(number: usize) -> Affine3A {
    Affine3A::from_translation(Vec3::new((number % 40) as f32, 0.0, (number / 40) as f32))
}

/// A scene of this many instances, committed.
fn scene(model: &Bvh, count: usize) -> (Scene, Vec<InstanceId>) {
    let mut scene = Scene::new();
    let instance = |i| Instance::new(model.clone()).with_transform(place(i));
    let ids = scene.insert_many(&(0..count).map(instance).collect::<Vec<_>>()).unwrap();
    scene.commit();
    (scene, ids)
}

/// How many instances each tree shows: those that stand still, are new, and move.
fn counts(snapshot: &Snapshot) -> [usize; 3] {
    snapshot.0.of_trees.levels.each_ref().map(|level| level.len())
}

/// The instance met from above at the place of a number.
fn at(snapshot: &Snapshot, number: usize) -> Option<InstanceId> {
    let from = Vec3::from(place(number).translation) + Vec3::Y;
    let hit = snapshot.closest_hit(&Ray::new(from, Vec3::NEG_Y), &Query::new());
    hit.map(|hit| hit.instance)
}

#[test]
fn what_is_new_is_put_into_the_large_tree() {
    let model = &model();
    let (mut scene, mut ids) = scene(model, 1000);
    let before = scene.snapshot().clone();
    assert_eq!(counts(&before), [1000, 0, 0]);
    let add = |scene: &mut Scene, number: usize| {
        let instance = Instance::new(model.clone()).with_transform(place(number));
        scene.insert(instance.with_name(format!("number {number}"))).unwrap()
    };
    ids.extend((1000..1016).map(|i| add(&mut scene, i)));
    assert_eq!(counts(&scene.commit()), [1000, 16, 0]);
    // Forty go and one comes, in the place of one of them. Thirty others move.
    let gone: Vec<_> = ids.drain(..40).collect();
    for id in &gone {
        scene.remove(*id).unwrap();
    }
    ids.push(add(&mut scene, 1016));
    for (i, id) in ids[..30].iter().enumerate() {
        scene.set_transform(*id, place(40 + i)).unwrap();
    }
    let patched = scene.commit();
    assert_eq!(counts(&patched), [977, 0, 0]);
    // Others have taken the leaves of some of those that left.
    assert_eq!(patched.0.of_trees.levels[0].gone(), 40 + 30 - 47);
    assert!(patched.instances().eq({
        let mut ids = ids.clone();
        ids.sort_unstable();
        ids
    }));
    for (i, &id) in ids.iter().enumerate() {
        let number = i + 40;
        assert_eq!(at(&patched, number), Some(id), "{number}");
        let name = if number < 1000 { String::new() } else { format!("number {number}") };
        assert_eq!(patched.name(id), Some(&*name));
        assert_eq!(patched.transform(id), Some(place(number)));
    }
    assert!((0..40).all(|number| at(&patched, number).is_none()));
    assert!(gone.iter().all(|&id| patched.name(id).is_none()));
    assert!((0..1000).all(|number| at(&before, number).is_some()));
    assert_eq!((at(&patched, 1017), at(&before, 1000)), (None, None));
    assert!(gone.iter().all(|&id| before.name(id) == Some("")));
    let (mut fresh, _) = self::scene(model, 0);
    for number in 40..1017 {
        add(&mut fresh, number);
    }
    assert_eq!(patched.bounds(), fresh.commit().bounds());
}

#[test]
fn instances_that_move_are_apart_until_they_rest() {
    let model = &model();
    let (mut scene, ids) = scene(model, 1000);
    let moved = |scene: &mut Scene, ids: &[InstanceId], by: usize| {
        for (i, &id) in ids.iter().enumerate() {
            let up = Affine3A::from_translation(Vec3::Y * 0.01 * by as f32);
            scene.set_transform(id, up * place(i)).unwrap();
        }
        scene.commit()
    };
    // They are put into the large tree twice before they count as moving.
    assert_eq!(counts(&moved(&mut scene, &ids[..36], 1)), [1000, 0, 0]);
    assert_eq!(counts(&moved(&mut scene, &ids[..36], 2)), [1000, 0, 0]);
    for commit in 3..9 {
        let now = moved(&mut scene, &ids[..36], commit);
        assert_eq!(counts(&now), [964, 0, 36]);
        assert!((0..1000).all(|i| at(&now, i) == Some(ids[i])));
    }
    // Fifteen go on: then the others are put back, when they have rested for eight commits.
    for commit in 9..16 {
        assert_eq!(counts(&moved(&mut scene, &ids[..15], commit)), [964, 0, 36]);
    }
    let now = moved(&mut scene, &ids[..15], 16);
    assert_eq!(counts(&now), [985, 0, 15]);
    assert!((0..1000).all(|i| at(&now, i) == Some(ids[i])));
    // What else changes takes those along that do not move in the same commit.
    for id in &ids[900..917] {
        scene.set_mask(*id, 1).unwrap();
    }
    assert_eq!(counts(&moved(&mut scene, &ids[..14], 17)), [986, 0, 14]);
    // An eighth, and more, are all built into one tree.
    assert_eq!(counts(&moved(&mut scene, &ids[..200], 18)), [1000, 0, 0]);
}

/// What stands still, is new and moves is met by batches too: by rays that go together, and by
/// those that do not.
#[test]
fn batches_go_through_all_three_trees() {
    let model = &model();
    let (mut scene, mut ids) = scene(model, 1000);
    for commit in 1..9 {
        for (i, &id) in ids[..36].iter().enumerate() {
            let up = Affine3A::from_translation(Vec3::Y * 0.01 * commit as f32);
            scene.set_transform(id, up * place(i)).unwrap();
        }
        scene.commit();
    }
    for number in 1000..1010 {
        let instance = Instance::new(model.clone()).with_transform(place(number));
        ids.push(scene.insert(instance).unwrap());
    }
    let now = scene.commit();
    assert_eq!(counts(&now), [964, 10, 36]);

    // By turns, so that each tree is the only one with a hit for some rays.
    let down = |number: usize, off: Vec3| {
        let from = Vec3::from(place(number).translation) + Vec3::Y + off;
        Ray::new(from, Vec3::NEG_Y - off)
    };
    let numbers = || (0..1010).map(|i| i * 601 % 1010);
    let apart = |number: usize| {
        let (s, c) = (number as f32 * 2.4).sin_cos();
        down(number, Vec3::new(0.8 * s, 0.0, 0.8 * c))
    };
    let alike: Vec<Ray> = (0..1010).map(|number| down(number, Vec3::ZERO)).collect();
    let apart: Vec<Ray> = numbers().map(apart).collect();
    for isa in InstructionSet::available() {
        let query = &Query::new().instruction_set(isa);
        for (rays, numbers) in
            [(&alike, (0..1010).collect()), (&apart, numbers().collect::<Vec<_>>())]
        {
            let (mut hits, mut found) = (vec![None; rays.len()], vec![false; rays.len()]);
            now.closest_hit_batch(rays, query, &mut hits).unwrap();
            now.any_hit_batch(rays, query, &mut found).unwrap();
            for (i, number) in numbers.into_iter().enumerate() {
                let hit = hits[i].map(|hit| hit.instance);
                assert_eq!((hit, found[i]), (Some(ids[number]), true), "{isa}: {number}");
            }
        }
    }
}

#[test]
fn a_tree_of_which_an_eighth_has_gone_is_built_anew() {
    let (mut scene, ids) = scene(&model(), 1000);
    for id in &ids[..125] {
        scene.remove(*id).unwrap();
    }
    let now = scene.commit();
    assert_eq!((counts(&now), now.0.of_trees.levels[0].gone()), ([875, 0, 0], 125));
    scene.remove(ids[125]).unwrap();
    let now = scene.commit();
    assert_eq!((counts(&now), now.0.of_trees.levels[0].gone()), ([874, 0, 0], 0));
    for id in &ids[126..] {
        scene.remove(*id).unwrap();
    }
    assert_eq!(counts(&scene.commit()), [0; 3]);
}

/// As characters whose trees are refitted in each frame.
#[test]
fn what_is_replaced_again_and_again_moves() {
    let model = model();
    let (mut scene, ids) = scene(&model, 1000);
    let refitted = self::model();
    for frame in 0..10 {
        for &id in &ids[..30] {
            scene.replace(id, if frame % 2 == 0 { &refitted } else { &model }).unwrap();
        }
        let now = scene.commit();
        if frame > 3 {
            assert_eq!(counts(&now), [970, 0, 30]);
        }
        assert_eq!([0, 29, 30, 999].map(|i| at(&now, i)), [0, 29, 30, 999].map(|i| Some(ids[i])));
    }
}
