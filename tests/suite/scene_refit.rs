//! Trees that are refitted where they stand in a scene.

use crate::{scenes, support};

use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Instance, Scene, Snapshot};
use hitscan::{Builder, Bvh, InstanceId, Mesh, Query, Ray};
use support::Random;

/// A skin that bends.
fn bent(random: &mut Random, rest: &Mesh) -> Mesh {
    let wave = random.direction() * random.range(0.0, 2.0);
    let mut mesh = rest.clone();
    for position in &mut mesh.positions {
        let [x, y, z] = *position;
        *position = [x + wave.x * y * y, y + wave.y * x, z + wave.z * x * y];
    }
    mesh
}

fn assert_same(one: &Snapshot, other: &Snapshot, random: &mut Random) -> usize {
    assert_eq!(one.bounds(), other.bounds());
    assert!(one.instances().eq(other.instances()));
    for id in one.instances() {
        assert_eq!(one.instance_bounds(id), other.instance_bounds(id));
    }
    let mut hits = 0;
    for _ in 0..200 {
        let at = random.in_box(Vec3::splat(-6.0), Vec3::splat(6.0));
        let ray = Ray::new(at, random.direction());
        let query = &Query::new();
        let hit = one.closest_hit(&ray, query);
        assert_eq!(hit, other.closest_hit(&ray, query));
        assert_eq!(one.closest_point(at, 3.0, query), other.closest_point(at, 3.0, query));
        hits += usize::from(hit.is_some());
    }
    hits
}

/// The tree of an instance takes turns with another one; a third instance shares its first tree.
#[test]
fn a_skin_that_bends_is_hit_where_it_is() {
    let mut random = Random::new(4);
    let rest = scenes::sphere(12, 9, 1.5, Vec3::ZERO);
    let (mut next, _) = Builder::new().bake(std::slice::from_ref(&rest)).unwrap();
    let mut other = Bvh::from_bytes(&next.to_bytes()).unwrap();
    let shared = other.clone();
    let places = [Vec3::ZERO, Vec3::X * 3.0, Vec3::NEG_X * 3.0].map(|at| {
        Affine3A::from_rotation_translation(hitscan::glam::Quat::from_rotation_y(at.x), at)
    });
    let mut scene = Scene::new();
    let ids: Vec<InstanceId> = places
        .iter()
        .map(|&at| scene.insert(Instance::new(&shared).with_transform(at)).unwrap())
        .collect();
    let first = scene.commit();
    let (mut hits, mut kept) = (0, Vec::new());
    for frame in 0..40 {
        let skin = bent(&mut random, &rest);
        next.refit(&[skin.view()]).unwrap();
        scene.replace(ids[0], &next).unwrap();
        if frame % 7 == 0 {
            scene.set_transform(ids[0], places[0] * Affine3A::from_rotation_x(0.1)).unwrap();
        }
        let now = scene.commit();
        std::mem::swap(&mut next, &mut other);

        // The same in a scene that has no past.
        let mut fresh = Scene::new();
        for &id in &ids {
            let (mut bvh, _) = Builder::new().bake(std::slice::from_ref(&rest)).unwrap();
            if id == ids[0] {
                bvh.refit(&[skin.view()]).unwrap();
            }
            let at = scene.transform(id).unwrap();
            assert_eq!(fresh.insert(Instance::new(bvh).with_transform(at)).unwrap(), id);
        }
        let expected = fresh.commit();
        hits += assert_same(&now, &expected, &mut random);
        if frame % 10 == 0 {
            kept.push((now, expected));
        }
    }
    assert!(hits > 500, "{hits}");
    // Snapshots show what they showed, although their trees have been refitted since.
    for (then, expected) in &kept {
        assert_same(then, expected, &mut random);
    }
    assert_eq!(first.bvh(ids[0]), Some(&shared));
    assert_eq!(scene.tree_number(ids[1]).unwrap(), scene.tree_number(ids[2]).unwrap());
    assert_ne!(scene.tree_number(ids[0]).unwrap(), scene.tree_number(ids[1]).unwrap());
    for &id in &ids {
        scene.replace(id, &next).unwrap();
        assert_eq!(scene.tree_number(id).unwrap(), scene.tree_number(ids[0]).unwrap());
    }
}
