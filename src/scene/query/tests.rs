//! Batches against single rays. In tests the stacks of a stream are small, so that some rays need
//! the walks for single rays, in the tree of instances and in those that stand there.

use glam::{Affine3A, Vec3};

use crate::bake::Builder;
use crate::geometry::Ray;
use crate::mesh::Mesh;
use crate::scene::{Instance, Scene};
use crate::simd::InstructionSet;
use crate::test_rng::number;
use crate::traverse::Query;

#[test]
fn rays_of_a_stream_with_small_stacks_hit_what_each_hits_alone() {
    let state = &mut 3;
    let mut point = |size: f32| Vec3::from_array([0; 3].map(|_| size * number(state)));
    let triangles = if cfg!(miri) { 20 } else { 300 };
    let corners = (0..triangles).flat_map(|_| {
        let middle = point(1.0);
        [(); 3].map(|()| (middle + point(0.8)).to_array())
    });
    let mesh = Mesh::from_soup(corners.collect::<Vec<_>>());
    let (bvh, _) = Builder::new().bake(&[mesh]).unwrap();
    let mut scene = Scene::new();
    for _ in 0..if cfg!(miri) { 20 } else { 400 } {
        let at = Affine3A::from_translation(point(2.0));
        scene.insert(Instance::new(bvh.clone()).with_transform(at)).unwrap();
    }
    let snapshot = scene.commit();
    let rays: Vec<Ray> = (0..if cfg!(miri) { 20 } else { 400 })
        .map(|i| {
            let ray = Ray::new(point(4.0), point(1.0));
            // A short range, so that some find nothing on a long way.
            if i % 2 == 0 { ray.with_range(0.0, 0.02) } else { ray.with_range(-1.0, 9.0) }
        })
        .collect();
    let query = Query::new();
    let alone: Vec<_> = rays.iter().map(|ray| snapshot.closest_hit(ray, &query)).collect();
    assert!(cfg!(miri) || alone.iter().flatten().count() > 50);
    for isa in InstructionSet::available() {
        let query = query.instruction_set(isa);
        let (mut hits, mut found) = (vec![None; rays.len()], vec![false; rays.len()]);
        snapshot.closest_hit_batch(&rays, &query, &mut hits).unwrap();
        snapshot.any_hit_batch(&rays, &query, &mut found).unwrap();
        for (i, alone) in alone.iter().enumerate() {
            assert_eq!(&hits[i], alone, "{isa}: {:?}", rays[i]);
            assert_eq!(found[i], alone.is_some(), "{isa}: {:?}", rays[i]);
        }
    }
}
