use glam::{Affine3A, Mat3, Vec3};

use super::*;
use crate::array::Each;
use crate::geometry::{ConvexHull, Obb};
use crate::test_rng::{bits, number, point};

/// How far a point is outside, along the normals, in units of what it may be.
fn outside(bounds: &TurnedBounds, point: Vec3F64) -> f64 {
    let from = sub(point, bounds.center);
    let reach = bounds.error.iter().sum::<f64>();
    bounds.normals.iter().fold(f64::NEG_INFINITY, |most, &normal| {
        let side = bounds.sides.iter().fold(0.0, |sum, &side| sum + dot(normal, side).abs());
        most.max((dot(normal, from).abs() - side) / reach)
    })
}

fn turn(state: &mut u64) -> Mat3 {
    let axis = Vec3::from(point(state, 1.0, false)).normalize_or(Vec3::X);
    Mat3::from_axis_angle(axis, 3.0 * number(state))
}

/// Also with an origin that is far from the box, sheared, and flat.
#[test]
fn all_corners_of_a_box_are_inside_and_on_three_faces() {
    let mut state = 3;
    for i in 0..if cfg!(miri) { 20 } else { 3_000 } {
        let size = [1.0, 1e-30, 1e25, 1e3][i % 4];
        let axes = turn(&mut state) * [Mat3::IDENTITY, turn(&mut state)][i / 4 % 2];
        let mut columns = axes.to_cols_array_2d().map(|column| column.map(|x| x * size));
        columns[1] = [0, 1, 2].map(|k| columns[1][k] + columns[0][k] * [0.0, 0.7][i / 8 % 2]);
        let [a, b, c] = columns;
        let (low, high) = (point(&mut state, 1.0, false), point(&mut state, 1.0, false));
        let far = [0.0, 1e5][i / 16 % 2];
        let mut local = [f32::min, f32::max].map(|f| [0, 1, 2].map(|k| f(low[k], high[k]) + far));
        if i % 5 == 0 {
            local[1][1] = local[0][1];
        }
        // Back to about zero.
        let origin = [0, 1, 2].map(|k| -far * (a[k] + b[k] + c[k]));
        let bounds = TurnedBounds::new(&[a, b, c, origin], &local);
        assert!(max_abs(bounds.error) <= 1e-6 * f64::from(size), "{bounds:?}");
        for corner in 0..8 {
            let at = [0, 1, 2].map(|i: usize| f64::from(local[corner >> i & 1][i]));
            let at = product([a, b, c].map(|column| column.each(f64::from)), at);
            let at = add(at, origin.each(f64::from));
            let off = outside(&bounds, at);
            // It is a corner, so it is on each of the faces.
            assert!(off.abs() <= 1.0, "{off}: {bounds:?}");
        }
    }
}

/// The hull of a box's corners has the box.
#[test]
fn a_hull_is_inside_and_has_a_small_box() {
    let (mut state, mut turned) = (5, 0);
    for i in 0..if cfg!(miri) { 3 } else { 300 } {
        let size = [1.0, 1e-20, 1e15][i % 3];
        let axes = turn(&mut state);
        let half = [0, 1, 2].map(|_| size * (0.2 + number(&mut state).abs()));
        let points: Vec<Vec3> = if i / 3 % 2 == 0 {
            (0..8)
                .map(|corner| {
                    axes * Vec3::from(
                        [0, 1, 2].map(
                            |k: usize| {
                                if corner >> k & 1 == 0 { half[k] } else { -half[k] }
                            },
                        ),
                    )
                })
                .collect()
        } else {
            let thin = Vec3::new(1.0, 1.0, 0.1);
            (0..12).map(|_| axes * (thin * Vec3::from(point(&mut state, size, false)))).collect()
        };
        let hull = ConvexHull::from_points(points).expect("it is not flat");
        let Some(bounds) = hull.turned_bounds() else { continue };
        turned += 1;
        for point in hull.points() {
            assert!(outside(&bounds, point.to_array().each(f64::from)) <= 1.0, "{hull:?}");
        }
        if i / 3 % 2 == 0 {
            let expected = half.iter().map(|&x| f64::from(x)).product::<f64>();
            assert!((bounds.volume() / expected - 1.0).abs() < 1e-4, "{hull:?}");
        }
    }
    println!("{turned} are turned");
    assert!(cfg!(miri) || turned > 200);
}

/// Points that are nearly on a line have no box of their own.
#[test]
fn axes_that_are_no_frame_are_refused() {
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    assert!(TurnedBounds::along(&[x, y, z], &points).is_some());
    assert!(TurnedBounds::along(&[[0.0; 3], y, z], &points).is_none());
    assert!(TurnedBounds::along(&[x, y, scale(z, 1.0 + 1e-9)], &points).is_none());
    assert!(TurnedBounds::along(&[x, [1e-9, 1.0, 0.0], z], &points).is_none());
    assert!(TurnedBounds::along(&[[f64::NAN; 3], y, z], &points).is_none());
    assert!(TurnedBounds::along(&[x, y, z], &[]).is_none());
}

#[test]
fn a_box_in_a_tree_holds_what_the_inverse_takes_there() {
    let mut state = 7;
    for i in 0..if cfg!(miri) { 20 } else { 2_000 } {
        let scales = Vec3::new(1.0, [1.0, 0.05][i % 2], [1.0, -7.0][i / 2 % 2]);
        let linear = turn(&mut state) * Mat3::from_diagonal(scales) * turn(&mut state);
        let to = Vec3::from(point(&mut state, [1.0, 1e5][i / 4 % 2], false));
        let map = Affine3A::from_mat3_translation(linear, to);
        let transform = InstanceTransform::new(&map).expect("it can be inverted");
        let axes = turn(&mut state);
        let center = to + Vec3::from(point(&mut state, 3.0, false));
        let half = Vec3::from(point(&mut state, 1.0, false)).abs();
        let axes = [axes.x_axis, axes.y_axis, axes.z_axis];
        let (columns, local) =
            Obb::from_axes(center, axes, half).expect("sound").columns_and_local();
        let bounds = TurnedBounds::new(&columns, &local);
        let there = bounds.to_local(&transform);
        assert!(there.is_turned());
        for _ in 0..4 {
            // A corner, or a point inside.
            let [x, y, z] = [0, 1, 2].map(|k: usize| {
                let part =
                    [-1.0, 1.0, f64::from(number(&mut state))][bits(&mut state) as usize % 3];
                scale(bounds.sides[k], part)
            });
            let point = add(bounds.center, add(x, add(y, z)));
            let from = sub(point, transform.translation().each(f64::from));
            let point = product(transform.inverse(), from);
            assert!(outside(&there, point) <= 1.0, "{map:?} {bounds:?}");
        }
    }
    let aligned = TurnedBounds::new(&ALONG_AXES, &[[0.0; 3], [1.0, 2.0, 3.0]]);
    assert!(!aligned.is_turned());
    let moved = Affine3A::from_scale_rotation_translation(
        Vec3::new(2.0, 1.0, 3.0),
        glam::Quat::IDENTITY,
        Vec3::ONE,
    );
    assert!(!aligned.to_local(&InstanceTransform::new(&moved).expect("sound")).is_turned());
}
