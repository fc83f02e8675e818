//! The padding of Lemma 92 against rays whose roundings go the wrong way: it is never too small,
//! and more than a third of it is needed.

use glam::{Affine3A, Mat3, Vec3};

use super::padding;
use crate::geometry::{InstanceTransform, Ray};
use crate::test_rng::{climb, number};
use crate::traverse::ray::setup::EPSILON;

/// How far the line in the world is from the moved point of the line in the tree's coordinates, in
/// units of Lemma 21, as a part of the padding. The point is at `t` 1.
fn needed(numbers: &[f32; 18]) -> Option<f64> {
    let sizes = numbers.iter().all(|x| (1e-3..16.0).contains(&x.abs()));
    let [a, b, c, to, origin, dir] = [0, 3, 6, 9, 12, 15].map(|i| Vec3::from_slice(&numbers[i..]));
    let map = Affine3A::from_mat3_translation(Mat3::from_cols(a, b, c), to);
    let transform = InstanceTransform::new(&map).ok().filter(|_| sizes)?;
    let local = transform.ray_to_local(&Ray::new(origin, dir));
    let double = |v: Vec3| v.to_array().map(f64::from);
    let [origin, dir, to] = [origin, dir, to].map(double);
    let columns = [a, b, c].map(double);
    let (local_origin, local_dir) = (double(local.origin), double(local.dir));
    let q = [0, 1, 2].map(|k| local_origin[k] + local_dir[k]);
    let (mut off, mut scale) = (0f64, 0f64);
    for k in 0..3 {
        let moved = columns[0][k] * q[0] + columns[1][k] * q[1] + columns[2][k] * q[2] + to[k];
        off = off.max((moved - (origin[k] + dir[k])).abs());
        scale = scale.max(origin[k].abs() + moved.abs().max(to[k].abs()));
    }
    let unit = f64::from(EPSILON) * scale;
    Some(off / unit / f64::from(padding(transform.amplification())))
}

#[test]
fn the_padding_of_instances_is_enough_and_a_third_of_it_is_needed() {
    let state = &mut 1;
    let starts: Vec<[f32; 18]> = (0..if cfg!(miri) { 1 } else { 12 })
        .map(|i| {
            let axis = Vec3::from_array([0; 3].map(|_| number(state))).normalize();
            let turn = Mat3::from_axis_angle(axis, [0.01, 0.5, 2.0][i % 3]);
            let mut start = [0.0; 18];
            start[..9].copy_from_slice(&turn.to_cols_array());
            let rest: &mut [f32] = &mut start[9..];
            for x in rest {
                *x = number(state) + 0.1;
            }
            start
        })
        .collect();
    let steps = if cfg!(miri) { 20 } else { 20_000 };
    let (worst, numbers) = climb(&starts, steps, needed);
    assert!(worst <= 1.0, "{worst} {numbers:?}");
    assert!(cfg!(miri) || worst > 0.34, "{worst}");
}
