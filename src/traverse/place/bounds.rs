//! Searches for inputs that need the bounds of Lemmas 93 to 95.

use glam::{Affine3A, Mat3, Vec3};

use super::*;
use crate::test_rng::{climb, number};

/// Turned, sheared and thin maps, each with a number of other numbers.
pub(crate) fn starts<const N: usize>(count: usize) -> Vec<[f32; N]> {
    let state = &mut 1;
    let maps = (0..count).map(|i| {
        let axis = Vec3::from_array([0; 3].map(|_| number(state))).normalize();
        let turn = Mat3::from_axis_angle(axis, [0.01, 0.5, 2.0][i % 3]);
        let other = Mat3::from_diagonal(Vec3::new(1.0, 0.3, [1.0, 0.02][i % 2]));
        let shear = Mat3::from_cols(Vec3::X, Vec3::new(0.7, 1.0, 0.0), Vec3::Z);
        let mut start = [0.0; N];
        start[..9]
            .copy_from_slice(&(turn * other * [Mat3::IDENTITY, shear][i / 2 % 2]).to_cols_array());
        let rest: &mut [f32] = &mut start[9..];
        for x in rest {
            *x = number(state) + 0.1;
        }
        start
    });
    maps.collect()
}

/// The map of the first twelve numbers, unless one of all is very large or small.
pub(crate) fn map_of(numbers: &[f32]) -> Option<InstanceTransform> {
    let sizes = numbers.iter().all(|x| (1e-3..16.0).contains(&x.abs()));
    let [a, b, c, to] = [0, 3, 6, 9].map(|i| Vec3::from_slice(&numbers[i..]));
    let map = Affine3A::from_mat3_translation(Mat3::from_cols(a, b, c), to);
    InstanceTransform::new(&map).ok().filter(|_| sizes)
}

/// The facts of a tree of one point.
pub(crate) fn facts_of_point(point: [f32; 3]) -> Facts {
    let [x, y, z] = point.map(f32::abs);
    Facts { min: point, max: point, size: [x, y, z, 0.0], ..Facts::EMPTY }
}

pub(crate) fn steps() -> usize {
    if cfg!(miri) { 20 } else { 10_000 }
}

#[test]
fn points_come_back_to_within_the_error_and_half_of_it_is_needed() {
    let score = |numbers: &[f32; 15]| {
        let (transform, point) = (map_of(numbers)?, [numbers[12], numbers[13], numbers[14]]);
        let place = Place::new(&transform, &facts_of_point(point));
        let [moved, ..] = place.corners(&[point; 3]);
        assert!((0..3).all(|k| f64::from(moved[k].abs()) <= place.reach()[k]));
        let (local, error) = (transform.point_to_local(moved), place.error_in_tree(0.0));
        let off = |k: usize| (local[k] - f64::from(point[k])).abs() / error[k];
        Some(off(0).max(off(1)).max(off(2)))
    };
    let (worst, numbers) = climb(&starts(12), steps(), score);
    println!("{worst} of the error at {numbers:?}");
    assert!(worst <= 1.0, "{worst} {numbers:?}");
    assert!(cfg!(miri) || worst > 0.5, "{worst}");
}

#[test]
fn stretched_axes_are_no_longer_than_vectors_in_the_world() {
    let score = |numbers: &[f32; 15]| {
        let (transform, point) = (map_of(numbers)?, [numbers[12], numbers[13], numbers[14]]);
        let place = Place::new(&transform, &facts_of_point(point));
        let ([a, b, c], stretch) = (transform.linear(), place.stretch());
        let [x, y, z] = point.map(f64::from);
        let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let moved = length([0, 1, 2].map(|k| a[k] * x + b[k] * y + c[k] * z));
        Some(length([stretch[0] * x, stretch[1] * y, stretch[2] * z]) / moved)
    };
    let (worst, numbers) = climb(&starts(12), steps(), score);
    println!("{worst} of the length at {numbers:?}");
    assert!(worst <= 1.0 + 1e-12, "{worst} {numbers:?}");
    assert!(cfg!(miri) || worst > 0.99, "{worst}");

    // Columns that are near to each other: only their volume says something.
    let near = |numbers: &[f32; 15]| {
        let [a, b, c] = map_of(numbers)?.linear().map(|v| {
            let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            v.map(|x| x / length)
        });
        let dot = |a: [f64; 3], b: [f64; 3]| (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]).abs();
        (dot(a, b) + dot(a, c) > 1.0 && dot(a, b) + dot(b, c) > 1.0).then(|| score(numbers))?
    };
    let mut starts = starts::<15>(6);
    for start in &mut starts {
        start[..9]
            .copy_from_slice(&[1.0, 0.1, 0.0, 0.9, 0.3, 0.1, 0.7, -0.2, 0.4].map(|x| x + 0.01));
    }
    let (worst, numbers) = climb(&starts, steps(), near);
    println!("{worst} of the length at {numbers:?}");
    assert!(worst <= 1.0 + 1e-12, "{worst} {numbers:?}");
    assert!(cfg!(miri) || worst > 0.5, "{worst}");
}
