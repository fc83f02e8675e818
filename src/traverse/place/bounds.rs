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

/// As [`map_of`], with a translation of some of the least numbers above zero.
pub(crate) fn tiny_map_of(numbers: &[f32]) -> Option<InstanceTransform> {
    let mut map = map_of(numbers)?.transform();
    map.translation *= TINY;
    InstanceTransform::new(&map).ok()
}

/// What makes some of the least numbers above zero of ordinary ones.
pub(crate) const TINY: f32 = f32::from_bits(4);

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
        let facts = facts_of_point(point);
        let place = Place::new(&transform, &facts);
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

/// Where the roundings of the least numbers are all that counts.
#[test]
fn tiny_points_come_back_to_within_the_error_and_a_third_of_it_is_needed() {
    let score = |numbers: &[f32; 15]| {
        let transform = tiny_map_of(numbers)?;
        let point = [numbers[12], numbers[13], numbers[14]].map(|x| x * TINY);
        let facts = facts_of_point(point);
        let place = Place::new(&transform, &facts);
        let [moved, ..] = place.corners(&[point; 3]);
        let (local, error) = (transform.point_to_local(moved), place.error_in_tree(0.0));
        let off = |k: usize| (local[k] - f64::from(point[k])).abs() / error[k];
        let [low, high] = place.box_to_world([point; 2]);
        assert!((0..3).all(|k| low[k] <= moved[k].into() && f64::from(moved[k]) <= high[k]));
        Some(off(0).max(off(1)).max(off(2)))
    };
    let (worst, numbers) = climb(&starts(12), steps(), score);
    println!("{worst} of the error at {numbers:?}");
    assert!(worst <= 1.0, "{worst} {numbers:?}");
    assert!(cfg!(miri) || worst > 0.33, "{worst}");
}

/// Lemma 93 by the boxes of the world: how much of the room on each side is used.
#[test]
fn moved_boxes_hold_moved_points_and_half_of_their_room_is_needed() {
    let score = |numbers: &[f32; 15]| {
        let (transform, point) = (map_of(numbers)?, [numbers[12], numbers[13], numbers[14]]);
        let facts = facts_of_point(point);
        let place = Place::new(&transform, &facts);
        let [moved, ..] = place.corners(&[point; 3]);
        let [low, high] = place.box_to_world([point; 2]);
        let off = |k: usize| {
            let (middle, half) = ((low[k] + high[k]) * 0.5, (high[k] - low[k]) * 0.5);
            (f64::from(moved[k]) - middle).abs() / half.max(1e-300)
        };
        Some(off(0).max(off(1)).max(off(2)))
    };
    let (worst, numbers) = climb(&starts(12), steps(), score);
    println!("{worst} of the room at {numbers:?}");
    assert!(worst <= 1.0, "{worst} {numbers:?}");
    assert!(cfg!(miri) || worst > 0.5, "{worst}");
}

/// Coordinates that are only renamed, or are the same in all of a tree, need no room.
#[test]
fn boxes_of_what_is_not_rounded_are_what_they_were() {
    let columns = [[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [0.3, 0.0, 0.0]];
    let [a, b, c] = columns.map(Vec3::from);
    let map = Affine3A::from_mat3_translation(Mat3::from_cols(a, b, c), Vec3::new(0.1, 0.0, 0.0));
    let transform = InstanceTransform::new(&map).expect("sound");
    let facts = Facts {
        min: [1.0, -3.3, 0.7],
        max: [2.0, 5.5, 0.7],
        size: [2.0, 5.5, 0.7, 0.0],
        ..Facts::EMPTY
    };
    let place = Place::new(&transform, &facts);
    let at = f64::from(place.corners(&[[1.0, 0.0, 0.7]; 3])[0][0]);
    let [low, high] = place.box_to_world([[1.1, -3.3, 0.7], [1.9, 0.1, 0.7]]);
    let numbers = [at, f64::from(-3.3f32), -f64::from(1.9f32)];
    assert_eq!((low, high), (numbers, [at, f64::from(0.1f32), -f64::from(1.1f32)]));
}

#[test]
fn stretched_axes_are_no_longer_than_vectors_in_the_world() {
    let score = |numbers: &[f32; 15]| {
        let (transform, point) = (map_of(numbers)?, [numbers[12], numbers[13], numbers[14]]);
        let facts = facts_of_point(point);
        let place = Place::new(&transform, &facts);
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
