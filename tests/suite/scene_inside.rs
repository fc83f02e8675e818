//! Inside and outside in scenes: every answer is the one of winding numbers of the triangles in the
//! world, on every instruction set, whatever the transforms are.
//!
//! `HITSCAN_LONG=20` asks about twenty times as many points.

use crate::inside::judge::{Solid, location};
use crate::inside::{cuboid, joined, torus, turned};
use crate::{scenes, support};

use hitscan::geometry::is_mirroring;
use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Instance, Scene, Snapshot};
use hitscan::{
    Builder, Bvh, InsideErrorKind, InstanceId, InstructionSet, Layers, Mesh, PointLocation,
    Quality, Query, Triangle,
};
use scenes::{Change, map, offset_and_turn};
use support::{Random, in_world, long};

/// A tree, and which of its meshes are surfaces together.
struct Model {
    bvh: Bvh,
    surfaces: Vec<Vec<u32>>,
}

fn models() -> Vec<Model> {
    let model = |meshes: &[Mesh], surfaces: &[&[u32]]| {
        let builder = Builder::new().quality(Quality::Best).spatial_budget(0.5);
        let (bvh, _) = builder.bake(meshes).unwrap();
        Model { bvh, surfaces: surfaces.iter().map(|meshes| meshes.to_vec()).collect() }
    };
    // A box in two parts that close each other, and one that reaches into it.
    let whole = cuboid([-1.0; 3], [1.0; 3]);
    let (positions, indices) = (whole.positions.clone(), whole.indices.clone().unwrap());
    let part = |indices: &[u32]| Mesh::new(positions.clone(), indices.to_vec());
    let halves = [part(&indices[..18]), part(&indices[18..]), cuboid([0.0; 3], [2.0; 3])];
    let hollow = [cuboid([-2.0; 3], [2.0; 3]), turned(cuboid([-1.0; 3], [1.0; 3]))];
    vec![
        model(&[scenes::sphere(12, 8, 2.0, Vec3::ZERO)], &[&[0]]),
        model(&[torus(9, 6, [2.0, 0.8])], &[&[0]]),
        model(&halves, &[&[0, 1], &[2]]),
        model(&[joined(hollow)], &[&[0]]),
    ]
}

/// The surfaces of an instance in the world.
fn in_the_world(model: &Model, transform: &Affine3A) -> Vec<Vec<Triangle>> {
    let of_surface = |meshes: &Vec<u32>| {
        let all = model.bvh.triangles().filter(|one| meshes.contains(&one.mesh));
        let moved = all.map(|one| {
            let Triangle { v0, v1, v2 } = one.vertices;
            let [a, b, c] = [v0, v1, v2].map(|corner| in_world(transform, corner));
            if is_mirroring(transform) { Triangle::new(a, c, b) } else { Triangle::new(a, b, c) }
        });
        moved.collect()
    };
    model.surfaces.iter().map(of_surface).collect()
}

/// A point next to a triangle, on it, or anywhere among them.
fn point(random: &mut Random, kind: usize, all: &[Triangle]) -> Vec3 {
    let one = all[random.below(all.len())];
    let (other, middle) = (all[random.below(all.len())].v0, (one.v0 + one.v1 + one.v2) / 3.0);
    match kind % 8 {
        0 => one.v0,
        1 => (one.v0 + one.v1) * 0.5,
        2 => middle,
        3 => middle + random.direction() * one.v0.distance(one.v1) * 1e-3,
        4 => Vec3::new(one.v0.x, other.y, one.v0.z),
        5 => Vec3::from(one.v0.to_array().map(f32::next_up)),
        _ => middle.lerp((other + one.v0) * 0.5, random.unit()),
    }
}

fn assert_located(snapshot: &Snapshot, solids: &[Solid], at: Vec3, seen: &mut [usize; 4]) {
    let Some(expected) = location(solids, at) else {
        seen[3] += 1;
        return;
    };
    for isa in InstructionSet::available() {
        let layers = Layers::of(1).instruction_set(isa);
        assert_eq!(snapshot.contains(at, layers).expect("closed"), expected, "{at:?} on {isa}");
    }
    seen[expected as usize] += 1;
    let query = &Query::new().mask(1);
    let near = snapshot.closest_point(at, f32::INFINITY, query).expect("finite").distance;
    let signed = snapshot.signed_distance(at, f32::INFINITY, Layers::of(1)).expect("closed");
    let is_inside = expected == PointLocation::Inside;
    assert_eq!(signed, Some(if is_inside { -near } else { near }), "{at:?}");
    assert_eq!(snapshot.signed_distance(at, near.next_down(), Layers::of(1)).unwrap(), None);
}

#[test]
fn points_are_where_the_winding_numbers_of_the_world_say() {
    let models = models();
    let (mut random, mut seen, mut mirrored) = (Random::new(1), [0; 4], 0);
    let kinds = [Change::None, Change::Scaled, Change::ScaledByAxis, Change::Sheared];
    for (extent, away) in [(3.0, 0.0), (6.0, 0.0), (5.0, 4e4), (4.0, 3e6)] {
        let mut scene = Scene::new();
        let mut surfaces = Vec::new();
        for i in 0..12 {
            let model = &models[random.below(models.len())];
            let (offset, turn) = offset_and_turn(&mut random, extent);
            let place = (offset + away, turn);
            let transform = match i {
                0 => Affine3A::from_translation(offset.round() + away),
                _ => map(&mut random, kinds[i % 4], place),
            };
            mirrored += usize::from(is_mirroring(&transform));
            scene.insert(Instance::new(&model.bvh).with_transform(transform)).unwrap();
            surfaces.extend(in_the_world(model, &transform));
        }
        // Of other layers, and open: it does not matter.
        let open = Mesh::from_soup(vec![[0.0; 3], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]]);
        let (open, _) = Builder::new().bake(&[open.clone().with_mask(2), open]).unwrap();
        scene.insert(Instance::new(open).with_mask(4)).unwrap();
        let snapshot = scene.commit();
        let all: Vec<_> = surfaces.concat();
        let solids: Vec<_> = surfaces.into_iter().map(Solid::new).collect();
        for kind in 0..400 * long() {
            let at = point(&mut random, kind, &all);
            assert_located(&snapshot, &solids, at, &mut seen);
        }
        for at in [Vec3::NAN, Vec3::INFINITY, Vec3::splat(f32::MAX)] {
            assert_eq!(snapshot.contains(at, Layers::of(1)).unwrap(), PointLocation::Outside);
        }
    }
    println!("{seen:?} inside, on the surface, outside, not certain");
    assert!(seen[0] > 200 && seen[1] > 200 && seen[2] > 200 && mirrored > 5, "{seen:?}");
    assert!(seen[3] * 4 < seen[0] + seen[2], "{seen:?}");
}

/// A tree of one closed and one open mesh, in layers 1 and 2.
fn half_open() -> Bvh {
    let open = Mesh::from_soup(vec![[0.0; 3], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]]);
    let closed = cuboid([-1.0; 3], [1.0; 3]);
    Builder::new().bake(&[closed.with_mask(1), open.with_mask(2).with_name("flag")]).unwrap().0
}

fn refused(snapshot: &Snapshot, layers: u32) -> Option<(InsideErrorKind, InstanceId, u32)> {
    // No matter where the point is.
    let far = snapshot.signed_distance([1e6; 3], 1.0, Layers::of(layers)).err();
    let error = snapshot.contains([0.0; 3], Layers::of(layers)).err();
    let what = |error: hitscan::InsideError| (error.kind(), error.instance(), error.mesh());
    let (error, far) = (error.map(what), far.map(what));
    assert_eq!(error, far);
    error
}

#[test]
fn the_lowest_instance_that_is_not_closed_is_named() {
    let (bvh, mut scene) = (half_open(), Scene::new());
    let at = |x: f32| Instance::new(&bvh).with_transform(Affine3A::from_translation(Vec3::X * x));
    let solid = scene.insert(at(0.0).with_mask(1)).unwrap();
    let both = [5.0, 9.0].map(|x| scene.insert(at(x).with_name("mast")).unwrap());
    let snapshot = scene.commit();
    let open = |instance| Some((InsideErrorKind::Open, instance, 1));
    assert_eq!(refused(&snapshot, 1), None);
    assert_eq!(refused(&snapshot, 2), open(both[0]));
    assert_eq!(refused(&snapshot, 3), open(solid));
    assert_eq!(refused(&snapshot, 4), None);
    let error = snapshot.contains([0.0; 3], Layers::of(2)).unwrap_err();
    let message = error.to_string();
    assert!(
        message.starts_with(&format!("{:?} (\"mast\"): mesh 1 (\"flag\")", both[0])),
        "{message}"
    );
    assert_eq!(bvh.contains([0.0; 3], Layers::ALL).unwrap_err().instance(), InstanceId::NONE);

    // The answer is the snapshot's, whatever becomes of the scene.
    scene.disable(both[0]).unwrap();
    let without = scene.commit();
    assert_eq!(refused(&snapshot, 2), open(both[0]));
    assert_eq!(refused(&without, 2), open(both[1]));
    scene.set_mask(both[1], 1).unwrap();
    assert_eq!(refused(&scene.commit(), 2), None);
    assert_eq!(refused(&Scene::new().commit(), 3), None);
}

#[test]
fn meshes_of_two_instances_do_not_close_each_other() {
    let whole = cuboid([-1.0; 3], [1.0; 3]);
    let indices = whole.indices.clone().unwrap();
    let mut scene = Scene::new();
    for part in [&indices[..18], &indices[18..]] {
        let half = Mesh::new(whole.positions.clone(), part.to_vec());
        scene.insert(Instance::new(Builder::new().bake(&[half]).unwrap().0)).unwrap();
    }
    assert!(matches!(refused(&scene.commit(), 1), Some((InsideErrorKind::Open, ..))));
}

#[test]
fn what_reaches_beyond_the_range_of_coordinates_is_open() {
    let box_of = |size: f32| cuboid([-size; 3], [size; 3]);
    let (far, _) = Builder::new().bake(&[box_of(1e30).with_mask(2), box_of(1e29)]).unwrap();
    let mut scene = Scene::new();
    let near = scene.insert(Instance::new(&far)).unwrap();
    assert_eq!(refused(&scene.commit(), 1), None);
    assert_eq!(scene.snapshot().contains([0.0; 3], Layers::of(1)).unwrap(), PointLocation::Inside);
    let huge = Affine3A::from_scale(Vec3::splat(1e12));
    scene.set_transform(near, huge).unwrap();
    assert_eq!(refused(&scene.commit(), 1), Some((InsideErrorKind::Open, near, 1)));
    assert_eq!(refused(&scene.commit(), 2), Some((InsideErrorKind::Open, near, 0)));
}
