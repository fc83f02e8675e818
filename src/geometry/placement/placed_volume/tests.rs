use glam::Vec3;

use super::*;
use crate::test_rng::{number, point};

fn place(linear: Mat3, to: Vec3) -> InstanceTransform {
    InstanceTransform::new(&Affine3A::from_mat3_translation(linear, to)).expect("sound")
}

#[test]
fn scaled_shapes_are_exact() {
    let turned = Mat3::from_cols(Vec3::Y * 3.0, Vec3::NEG_X * 3.0, Vec3::Z * -3.0);
    let map = place(turned, Vec3::new(10.0, 20.0, 30.0));
    let sphere = map.sphere_to_world(&Sphere::new([1.0, 2.0, 3.0], 0.5));
    assert_eq!(sphere, Sphere::new([4.0, 23.0, 21.0], 1.5));
    let capsule = map.capsule_to_world(&Capsule::new([1.0, 2.0, 3.0], [0.0; 3], 0.7));
    assert_eq!(capsule, Capsule::new([4.0, 23.0, 21.0], [10.0, 20.0, 30.0], 3.0 * 0.7));
    let bounds = Aabb::from_min_max([0.0; 3], [1.0, 2.0, 3.0]);
    let expected = Aabb::from_min_max([4.0, 20.0, 21.0], [10.0, 23.0, 30.0]);
    let Ok(Volume::Obb(placed)) = map.volume_to_world(&bounds.into()) else { panic!() };
    assert_eq!(placed.bounds(), expected);
    let shift = Affine3A::from_translation(Vec3::new(-1.0, 0.0, 0.5));
    let obb = Obb::from_transform(&shift, bounds).expect("sound");
    let obb = map.obb_to_world(&obb).expect("sound");
    let moved = Vec3::new(0.0, -3.0, -1.5);
    assert_eq!(obb.bounds(), Aabb::from_min_max(expected.min + moved, expected.max + moved));
}

#[test]
fn stretched_spheres_hold_what_becomes_of_them_and_no_more() {
    let state = &mut 5;
    for i in 0..if cfg!(miri) { 4 } else { 400 } {
        let columns = [0; 3].map(|_| Vec3::from(point(state, [1.0, 1e-15, 1e15][i % 3], false)));
        let map = Affine3A::from_mat3_translation(
            Mat3::from_cols_array_2d(&columns.map(|column| column.to_array())),
            Vec3::ZERO,
        );
        let Ok(map) = InstanceTransform::new(&map) else { continue };
        let stretch = map.stretch();
        // The longest of many directions, made longer step by step.
        let mut longest = 0f64;
        for _ in 0..3 {
            let mut v = [0; 3].map(|_| f64::from(number(state)));
            for _ in 0..200 {
                let moved = product(map.linear(), v);
                let length = (dot(moved, moved) / dot(v, v)).sqrt();
                assert!(length <= stretch * (1.0 + 1e-14), "{length} {stretch}");
                longest = longest.max(length);
                v = map.linear().map(|column| dot(column, moved) / (stretch * stretch));
            }
        }
        assert!(longest > stretch * 0.999, "{longest} {stretch} {columns:?}");
    }
}

#[test]
fn what_has_no_room_or_no_end_has_no_place() {
    use VolumeFault::{Singular, TooFar, Unsound};
    let map = place(Mat3::IDENTITY, Vec3::ZERO);
    let least = f32::from_bits(1);
    for (volume, fault) in [
        (Volume::from(Aabb::EMPTY), Unsound),
        (Aabb { max: Vec3::INFINITY, min: Vec3::ZERO }.into(), Unsound),
        (Aabb { max: Vec3::ONE, min: Vec3::new(0.0, f32::NAN, 0.0) }.into(), Unsound),
        (Aabb { max: Vec3::ONE.with_z(-least), min: Vec3::ZERO }.into(), Unsound),
        (Sphere::new([0.0; 3], -1.0).into(), Unsound),
        (Sphere::new([0.0; 3], -least).into(), Unsound),
        (Sphere::new([0.0; 3], f32::INFINITY).into(), Unsound),
        (Sphere::new([0.0; 3], f32::NEG_INFINITY).into(), Unsound),
        (Sphere::new([f32::MAX; 3], 1e38).into(), TooFar),
        (Capsule::new([0.0; 3], [f32::NAN; 3], 1.0).into(), Unsound),
        (Capsule::new([0.0; 3], [1.0; 3], -least).into(), Unsound),
        (Capsule::new([0.0; 3], [1.0; 3], f32::NAN).into(), Unsound),
    ] {
        assert_eq!(map.volume_to_world(&volume), Err(fault), "{volume:?}");
    }
    let large = place(Mat3::from_diagonal(Vec3::splat(1e18)), Vec3::ZERO);
    let huge = Affine3A::from_scale(Vec3::splat(1e30));
    let obb = Obb::from_transform(&huge, Aabb::from_min_max([0.0; 3], [1.0; 3]));
    assert_eq!(large.obb_to_world(&obb.expect("sound")), Err(TooFar));
    let nearly_flat = Mat3::from_cols(
        Vec3::new(8_388_608.0, 8_388_607.0, 0.0),
        Vec3::new(8_388_609.0, 8_388_608.0, 0.0),
        Vec3::Z,
    );
    let unit = Aabb::from_min_max([0.0; 3], [1.0; 3]);
    let obb = Obb::from_transform(&Affine3A::from_mat3(nearly_flat), unit);
    let obb = obb.expect("its volume is 1");
    assert_eq!(map.volume_to_world(&obb.into()), Err(Singular));
}
