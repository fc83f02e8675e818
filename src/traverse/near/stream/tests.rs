use glam::Vec3;

use crate::simd::InstructionSet;
use crate::test_rng::number;
use crate::{Builder, Mesh, Query};

/// The triangles of a fan: more than are kept for a point.
const SIDES: u32 = if cfg!(miri) { 10 } else { 30 };

/// Large triangles that are all over each other, so that many boxes are near, and fans, of which
/// all triangles are equally near to points over their tips.
fn heap_and_fans(state: &mut u64) -> (Mesh, Vec<Vec3>) {
    let mut point = |size: f32| Vec3::new(number(state), number(state), number(state)) * size;
    let mut corners = Vec::new();
    for _ in 0..if cfg!(miri) { 20 } else { 3_000 } {
        let center = point(10.0);
        corners.extend([(); 3].map(|()| (center + point(3.0)).to_array()));
    }
    let mut tips = Vec::new();
    for k in 0..if cfg!(miri) { 2 } else { 20 } {
        let tip = Vec3::new(20.0 + 4.0 * k as f32, 0.0, 0.5);
        let around = |i: u32| {
            let angle = i as f32 * std::f32::consts::TAU / SIDES as f32;
            (tip + Vec3::new(angle.cos(), angle.sin(), -0.1)).to_array()
        };
        for i in 0..SIDES {
            corners.extend([tip.to_array(), around(i), around(i + 1)]);
        }
        tips.push(tip + Vec3::Z);
    }
    (Mesh::from_soup(corners), tips)
}

/// With as little room for each point as tests have, some are searched for by themselves: those
/// over fans since too many triangles are kept, and the first ones, which have no bound, since too
/// many boxes are.
#[test]
fn points_of_a_batch_have_the_answers_of_single_ones() {
    let state = &mut 5;
    let (mesh, tips) = heap_and_fans(state);
    let (bvh, _) = Builder::new().bake(&[mesh]).expect("sound");
    let count = if cfg!(miri) { 14 } else { 700 };
    let mut points: Vec<Vec3> = (0..count)
        .map(|i| {
            let size = [5.0, 15.0, 1e4][i % 3];
            Vec3::new(number(state), number(state), number(state)) * size
        })
        .collect();
    points.extend(tips);
    points[7] = Vec3::NAN;
    points[11] = Vec3::new(f32::INFINITY, 0.0, 0.0);
    points[13] = Vec3::splat(f32::MAX);
    let slow = if cfg!(miri) { InstructionSet::available().len() - 1 } else { 0 };
    for isa in InstructionSet::available().into_iter().skip(slow) {
        let query = Query::new().instruction_set(isa);
        for limit in [f32::INFINITY, 2.0, 0.0, -1.0] {
            let alone = points.iter().map(|&point| bvh.closest_point(point, limit, &query));
            let alone: Vec<_> = alone.collect();
            assert!(limit < 1.0 || alone.iter().flatten().count() > 9);
            let mut near = vec![None; points.len()];
            // Fewer than are in flight, a few more, and all.
            for count in [1, 9, 40.min(points.len()), points.len()] {
                near.fill(None);
                let result =
                    bvh.closest_point_batch(&points[..count], limit, &query, &mut near[..count]);
                result.expect("as many");
                assert_eq!(near[..count], alone[..count], "{isa} {limit} {count}");
            }
        }
    }
}

/// The distance by way of a neighbor is rounded: here by half of itself.
#[test]
fn the_least_numbers_there_are_bound_no_point() {
    let unit = f32::from_bits(1);
    let corners = vec![[0.0; 3], [unit, 0.0, 0.0], [0.0, unit, 0.0]];
    let (bvh, _) = Builder::new().bake(&[Mesh::from_soup(corners)]).expect("sound");
    for isa in InstructionSet::available() {
        let query = Query::new().instruction_set(isa);
        for at in [[-unit, -unit, 0.0], [unit, unit, unit], [3.0 * unit, 0.0, -unit]] {
            let points = [Vec3::from(at); if cfg!(miri) { 10 } else { 100 }];
            let mut near = points.map(|_| None);
            let alone = bvh.closest_point(points[0], f32::INFINITY, &query);
            assert!(alone.is_some());
            bvh.closest_point_batch(&points, f32::INFINITY, &query, &mut near).expect("as many");
            assert!(near.iter().all(|near| *near == alone), "{isa} {at:?}");
        }
    }
}
