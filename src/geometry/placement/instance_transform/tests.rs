//! Maps of instances against exact arithmetic.

use std::cmp::Ordering;

use glam::{Affine3A, Mat3, Vec3};
use num_rational::BigRational;

use super::*;
use crate::test_rng::{bits, number};

fn exact(x: impl Into<f64>) -> BigRational {
    BigRational::from_float(x.into()).expect("finite")
}

fn long() -> usize {
    std::env::var("HITSCAN_LONG").map_or(1, |n| n.parse().unwrap_or(1))
}

/// Numbers of very different sizes.
fn wild(state: &mut u64, range: i32) -> f32 {
    let exponent = (bits(state) % (2 * range as u64 + 1)) as i32 - range;
    number(state) * 2f32.powi(exponent)
}

fn any_map(state: &mut u64) -> Affine3A {
    let range = [0, 2, 12][bits(state) as usize % 3];
    let mut column = || Vec3::from_array([0; 3].map(|_| wild(state, range)));
    let linear = Mat3::from_cols(column(), column(), column());
    Affine3A::from_mat3_translation(linear, column())
}

/// The point as the map moves it, without rounding.
fn moved(transform: &Affine3A, point: [f32; 3]) -> [BigRational; 3] {
    let m = transform.to_cols_array().map(exact);
    let p = point.map(exact);
    [0, 1, 2].map(|k| &m[k] * &p[0] + &m[3 + k] * &p[1] + &m[6 + k] * &p[2] + &m[9 + k])
}

/// The sign of a sum, without rounding: by an expansion whose last number is the largest (Shewchuk,
/// "Adaptive Precision Floating-Point Arithmetic", 1997).
fn sign_of_sum(terms: &[f64]) -> Ordering {
    let (mut expansion, mut len) = ([0f64; 8], 0);
    for &term in terms {
        let mut sum = term;
        for part in &mut expansion[..len] {
            let (a, b) = (sum, *part);
            sum = a + b;
            let b_part = sum - a;
            *part = (a - (sum - b_part)) + (b - b_part);
        }
        expansion[len] = sum;
        len += 1;
    }
    let largest = expansion[..len].iter().rev().find(|&&part| part != 0.0);
    largest.map_or(Ordering::Equal, |part| part.total_cmp(&0.0))
}

#[test]
fn moved_boxes_hold_all_corners_and_hardly_more() {
    let state = &mut 1;
    let count = if cfg!(miri) { 5 } else { 20_000 * long() };
    let mut checked = 0;
    for i in 0..count {
        let map = any_map(state);
        let Ok(placed) = InstanceTransform::new(&map) else { continue };
        let range = [0, 10][bits(state) as usize % 2];
        let corner = |state: &mut u64| [0; 3].map(|_| wild(state, range));
        let (a, b) = (corner(state), corner(state));
        let local = Aabb::from_points([a, b]);
        // Every second map takes a corner to about zero, where the least is lost.
        let at = placed.point_to_world(a.into());
        let (map, placed) = match bits(state).is_multiple_of(2) && at.is_finite() {
            true => {
                let map = Affine3A { translation: map.translation - glam::Vec3A::from(at), ..map };
                (map, InstanceTransform::new(&map).expect("as before"))
            }
            false => (map, placed),
        };
        let world = placed.bounds_to_world(&local);
        for corner in local.corners() {
            assert!(world.contains(placed.point_to_world(corner)), "{map:?} {local:?}");
        }
        let m = map.to_cols_array().map(f64::from);
        for k in 0..3 {
            // Larger by less than four units in the last place of the largest term.
            let terms = [0, 1, 2].map(|axis| {
                let side = local.min[axis].abs().max(local.max[axis].abs());
                m[3 * axis + k].abs() * f64::from(side)
            });
            let size = terms.iter().fold(m[9 + k].abs(), |size, x| size.max(*x));
            let more = 4.0 * (size / f64::from(1 << 23) + f64::from(f32::from_bits(1)));
            let (min, max) = (f64::from(world.min[k]), f64::from(world.max[k]));
            let (mut touches_min, mut touches_max) = (false, false);
            for corner in local.corners() {
                let p = corner.to_array().map(f64::from);
                // Products of two `f32` are exact.
                let [x, y, z, to] = [m[k] * p[0], m[3 + k] * p[1], m[6 + k] * p[2], m[9 + k]];
                let beyond = |bound: f64, more: f64| {
                    let terms = [x, y, z, to, -bound, more];
                    if i < 1000 {
                        let sum = terms.iter().fold(exact(0.0), |sum, &term| sum + exact(term));
                        assert_eq!(sum.cmp(&exact(0.0)), sign_of_sum(&terms));
                    }
                    sign_of_sum(&terms)
                };
                assert!(beyond(min, 0.0).is_ge() && beyond(max, 0.0).is_le(), "{map:?} {local:?}");
                touches_min |= beyond(min, -more).is_le();
                touches_max |= beyond(max, more).is_ge();
            }
            assert!(touches_min && touches_max, "{map:?} {local:?}");
        }
        checked += 1;
    }
    println!("{checked} boxes");
    assert!(checked > count / 2);
}

#[test]
fn rays_in_the_coordinates_of_a_tree_are_rounded_once() {
    let state = &mut 2;
    let mut near = 0;
    for _ in 0..if cfg!(miri) { 5 } else { 4000 } {
        let map = any_map(state);
        let Ok(placed) = InstanceTransform::new(&map) else { continue };
        let ray = Ray::new([0; 3].map(|_| wild(state, 4)), [0; 3].map(|_| wild(state, 4)));
        let local = placed.ray_to_local(&ray);
        // Moved back, origin and direction are the ray's again, but for the rounding of each
        // number, amplified.
        let linear = Affine3A { translation: glam::Vec3A::ZERO, ..map };
        for (map, from, to) in [(map, ray.origin, local.origin), (linear, ray.dir, local.dir)] {
            let back = moved(&map, to.to_array());
            let offset = map.translation.to_array();
            let size = (0..3).map(|k| from[k].abs() + offset[k].abs()).fold(0.0, f32::max);
            for k in 0..3 {
                let (a, b) = (&back[k], &exact(from[k]));
                let error = if a > b { a - b } else { b - a };
                // 2^-24 for the rounding to `f32`.
                let unit = f64::from(size) * f64::from(placed.amplification()) / (1 << 24) as f64;
                assert!(error <= exact(1.0001 * unit), "{map:?} {ray:?}");
                near += u32::from(error > exact(0.3 * unit));
            }
        }
    }
    assert!(cfg!(miri) || near > 0);
}

#[test]
fn maps_without_an_inverse_are_refused() {
    let state = &mut 3;
    let mut refused = 0;
    for _ in 0..5000 {
        let whole = |state: &mut u64| [0; 3].map(|_| (bits(state) % 7) as f32 - 3.0);
        let (a, b) = (whole(state), whole(state));
        let (s, t) = ((bits(state) % 5) as f32 - 2.0, (bits(state) % 5) as f32 - 2.0);
        let flat = [0, 1, 2].map(|k| s * a[k] + t * b[k]);
        // Numbers that are not whole, so that the determinant is mostly a rounding.
        let scale = 0.1 + number(state).abs();
        let columns = [a, b, flat].map(|column| Vec3::from(column.map(|x| x * scale)));
        let linear = Mat3::from_cols(columns[0], columns[1], columns[2]);
        let is_flat = {
            let [a, b, c] = columns.map(|column| column.to_array().map(exact));
            let cross = |i: usize, j: usize| &a[i] * &b[j] - &a[j] * &b[i];
            &cross(1, 2) * &c[0] + &cross(2, 0) * &c[1] + &cross(0, 1) * &c[2] == exact(0.0)
        };
        let result = InstanceTransform::new(&Affine3A::from_mat3(linear));
        if is_flat {
            assert_eq!(result.unwrap_err(), TransformFault::Singular, "{linear:?}");
            refused += 1;
        }
    }
    assert!(refused > 500, "{refused}");
    for (size, is_ok) in [(1e17, true), (1e-17, true), (1e20, false), (1e-20, false)] {
        let scale = Affine3A::from_scale(Vec3::splat(size));
        assert_eq!(InstanceTransform::new(&scale).is_ok(), is_ok);
    }
}

#[test]
fn sides_of_a_box_of_any_size_are_amplified_by_one_and_rotations_by_little() {
    let scale = Affine3A::from_scale(Vec3::new(1e-9, 1.0, 1e9));
    assert_eq!(InstanceTransform::new(&scale).unwrap().amplification(), 1.0);
    let state = &mut 4;
    for _ in 0..1000 {
        let axis = Vec3::from_array([0; 3].map(|_| number(state))).normalize();
        let turn = Affine3A::from_axis_angle(axis, 3.0 * number(state));
        let amplification = InstanceTransform::new(&turn).unwrap().amplification();
        assert!((1.0..3.001).contains(&amplification), "{amplification}");
        let stretched = turn * Affine3A::from_scale(Vec3::new(1e-6, 1.0, 1e3));
        let amplification = InstanceTransform::new(&stretched).unwrap().amplification();
        assert!((1.0..3.001).contains(&amplification), "{amplification}");
    }
}

#[test]
fn transforms_come_back_as_they_were_given() {
    let state = &mut 5;
    for _ in 0..100 {
        let map = any_map(state);
        if let Ok(placed) = InstanceTransform::new(&map) {
            assert_eq!(placed.transform(), map);
        }
    }
}

#[test]
fn points_are_moved_exactly_and_rounded_once() {
    let state = &mut 6;
    for _ in 0..if cfg!(miri) { 5 } else { 500 } {
        let map = any_map(state);
        let Ok(placed) = InstanceTransform::new(&map) else { continue };
        let point = [0; 3].map(|_| wild(state, 4));
        let (found, moved) = (placed.point_to_world(point.into()), moved(&map, point));
        let m = map.to_cols_array();
        for k in 0..3 {
            let size = (0..3).map(|axis| (m[3 * axis + k] * point[axis]).abs()).sum::<f32>();
            let (found, moved) = (exact(found[k]), &moved[k]);
            let error = if &found > moved { &found - moved } else { moved - &found };
            let bound = f64::from(size + m[9 + k].abs()) / (1 << 23) as f64;
            assert!(error <= exact(bound), "{map:?} {point:?}");
        }
        let rows = placed.rows();
        let columns = map.matrix3.to_cols_array_2d();
        assert!((0..3).all(|i| (0..3).all(|j| rows[i][j] == columns[j][i])));
        assert_eq!(placed.translation(), map.translation.to_array());
    }
}

#[test]
fn normals_stay_normal_to_what_is_moved_and_on_the_same_side() {
    let state = &mut 7;
    let mut mirrored = 0;
    for _ in 0..500 {
        let column = |state: &mut u64| Vec3::from_array([0; 3].map(|_| number(state)));
        let linear = Mat3::from_cols(column(state), column(state), column(state));
        let placed = match InstanceTransform::new(&Affine3A::from_mat3(linear)) {
            Ok(placed) if placed.amplification() < 20.0 => placed,
            _ => continue,
        };
        mirrored += usize::from(linear.determinant() < 0.0);
        let normal = column(state).normalize();
        let found = placed.normal_to_world(normal);
        assert!((found.length() - 1.0).abs() < 1e-6);
        let (a, b) = normal.any_orthonormal_pair();
        for along in [a, b] {
            assert!((linear * along).normalize().dot(found).abs() < 1e-4, "{linear}");
        }
        assert!((linear * normal).dot(found) > 0.0, "{linear}");
    }
    assert!(mirrored > 50);
}

#[test]
fn boxes_hold_what_the_roundings_of_f64_lose() {
    // The least x is `at` and a little less, the greatest is `-at` and a little more: by 2^-60,
    // which `f64` cannot add to them.
    let tiny = 1.0 / (1 << 30) as f32;
    let shear = Mat3::from_cols(Vec3::X, Vec3::new(tiny, 1.0, 0.0), Vec3::Z);
    for (x, to) in [(0.0, 1.0), (1.0, 1.0), (2.0, 2.0)] {
        for sign in [1.0, -1.0] {
            let map = Affine3A::from_mat3_translation(shear, sign * Vec3::new(to, 0.0, 0.0));
            let placed = InstanceTransform::new(&map).unwrap();
            let at = sign * (x + to);
            let local = Aabb::from_points([[sign * x, -sign * tiny, 0.0], [sign * x, 0.0, 0.0]]);
            let world = placed.bounds_to_world(&local);
            if sign > 0.0 {
                assert!(world.min.x < at && world.max.x >= at, "{world:?}");
            } else {
                assert!(world.max.x > at && world.min.x <= at, "{world:?}");
            }
        }
    }
}

/// What stands on a tree that moves: exactly, but for the inverse, which is rounded in `f64`.
#[test]
fn points_are_carried_from_one_place_to_the_next() {
    let mut state = 12;
    for _ in 0..1000 * long() {
        let mut place = || loop {
            if let Ok(place) = InstanceTransform::new(&any_map(&mut state)) {
                return place;
            }
        };
        let [before, now] = [place(), place()];
        let local = [0; 3].map(|_| number(&mut state));
        let from = before.point_to_world(local.into());
        let carried = now.carried(&before, from);
        // As far as the rounding of `from` tells where the point was.
        let size = |v: Vec3| f64::from(v.abs().max_element());
        let (linear, inverse) = (now.linear().as_flattened().to_vec(), before.inverse());
        let stretch = linear.iter().fold(0f64, |most, x| most.max(x.abs()))
            * inverse.as_flattened().iter().fold(0f64, |most, x| most.max(x.abs()));
        let to = now.point_to_world(local.into());
        let offset = size(Vec3::from(before.translation())) + size(from);
        let off = f64::from(f32::EPSILON) * (20.0 * stretch * offset + 2.0 * size(to));
        assert!(size(carried - to) <= off, "{carried} and {to}, {off}");
        // The map does the same, but for the rounding of its numbers.
        let mapped = now.motion_since(&before).transform_point3(from);
        let size_of_map = 3.0 * stretch * offset + f64::from(size(to) as f32);
        let off = off
            + 20.0
                * f64::from(f32::EPSILON)
                * (3.0 * size_of_map + size(Vec3::from(now.translation())));
        assert!(size(mapped - carried) <= off, "{mapped} and {carried}, {off}");
    }
    let still = InstanceTransform::new(&Affine3A::from_translation(Vec3::X)).expect("sound");
    assert_eq!(still.motion_since(&still), Affine3A::IDENTITY);
    assert_eq!(still.carried(&still, Vec3::new(0.1, 0.2, 0.3)), Vec3::new(0.1, 0.2, 0.3));
}
