use glam::Vec3;

use super::*;
use crate::geometry::triangle::Triangle;
use crate::test_rng::{bits, point};

/// A tetrahedron is crossed once more on one side than on the other exactly if the point is inside.
#[test]
fn rays_along_all_axes_agree_with_the_sides_of_planes() {
    let (mut state, mut inside, mut on_surface) = (3, 0, 0);
    for i in 0..if cfg!(miri) { 30 } else { 30_000 } {
        let size = [1.0, 1e-30, 1e30, f32::MIN_POSITIVE, f32::MAX * 0.25][i % 5];
        let mut any = || point(&mut state, size, i / 5 % 2 == 0);
        let corners = [any(), any(), any(), any()];
        let mut origin = any();
        match i / 10 % 4 {
            0 => origin = corners[0],
            1 => origin[i / 40 % 3] = corners[1][i / 40 % 3],
            2 => origin = [0, 1, 2].map(|k| corners[k][k]),
            _ => origin = origin.map(|x| x * 0.25),
        }
        if bits(&mut state).is_multiple_of(4) {
            origin = origin.map(f32::next_up);
        }
        let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]].map(|f| f.map(|i| corners[i]));
        let is_flat = faces.iter().any(|&[a, b, c]| Triangle::new(a, b, c).is_degenerate());
        let seen = Ray::new(origin, [1.0, 0.0, 0.0]);
        let side = |from: [f32; 3], face| origin_side(&Ray::new(from, [1.0, 0.0, 0.0]), face);
        // The fourth corner is behind the first face, or the tetrahedron is turned inside out.
        let turn = -side(corners[3], &faces[0]);
        if is_flat || turn == 0 || !Vec3::from(origin).is_finite() {
            continue;
        }
        let sides = faces.map(|face| origin_side(&seen, &face) * turn);
        let is_out = sides.contains(&1);
        let expected = match sides.contains(&0) {
            _ if is_out => Some(0),
            true => None,
            false => Some(turn),
        };
        (inside, on_surface) =
            (inside + usize::from(!is_out), on_surface + usize::from(expected.is_none()));
        for axis in 0..3 {
            for is_forwards in [false, true] {
                let ray = AxisRay { origin, axis, is_forwards };
                let crossings = faces.map(|face| ray.crossing(&face));
                let sum = crossings.iter().try_fold(0, |sum, crossing| match crossing {
                    Crossing::None => Some(sum),
                    Crossing::Origin => None,
                    Crossing::Through(way) => Some(sum + way),
                });
                assert_eq!(sum, expected, "{ray:?} {corners:?}");
            }
        }
    }
    println!("{inside} inside, {on_surface} of them on the surface");
    assert!(cfg!(miri) || (inside > 2_000 && on_surface > 1_500));
}

/// The shortest way out is taken, and points outside need none.
#[test]
fn a_ray_leaves_a_box_by_the_nearest_side() {
    let bounds = Aabb::from_min_max([-4.0, -2.0, 0.0], [4.0, 2.0, 9.0]);
    let way = |origin: [f32; 3]| {
        let ray = AxisRay::out_of(&bounds, origin)?;
        Some((ray.axis, ray.is_forwards))
    };
    assert_eq!(way([3.5, 0.0, 4.0]), Some((0, true)));
    assert_eq!(way([0.0, -1.0, 4.0]), Some((1, false)));
    assert_eq!(way([0.0, 0.0, 1.0]), Some((2, false)));
    assert_eq!(way([0.0, 0.0, 9.5]), None);
    assert_eq!(way([f32::NAN, 0.0, 1.0]), None);
    assert!(AxisRay::out_of(&Aabb::EMPTY, [0.0; 3]).is_none());
    let ray = AxisRay::out_of(&bounds, [3.5, 0.0, 4.0]).expect("it is inside");
    assert_eq!(ray.within(&bounds), Aabb::from_min_max([3.5, 0.0, 4.0], [4.0, 0.0, 4.0]));
}

/// A triangle ahead is crossed in the direction of the axis and in no other.
#[test]
fn a_ray_crosses_what_is_ahead() {
    for axis in 0..3 {
        let place = |along: f32, beside: [f32; 2]| {
            let mut point = [along; 3];
            [point[(axis + 1) % 3], point[(axis + 2) % 3]] = beside;
            point
        };
        let at = |along: f32| [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|p| place(along, p));
        let ray = |is_forwards: bool| AxisRay { origin: [0.0; 3], axis, is_forwards };
        let crossings = |corners: Corners| [false, true].map(|way| ray(way).crossing(&corners));
        assert_eq!(crossings(at(2.0)), [Crossing::None, Crossing::Through(1)]);
        assert_eq!(crossings(at(-2.0)), [Crossing::Through(-1), Crossing::None]);
        assert_eq!(crossings(at(0.0)), [Crossing::Origin; 2]);
        let beside = at(2.0).map(|mut point| {
            point[(axis + 1) % 3] += 4.0;
            point
        });
        assert_eq!(crossings(beside), [Crossing::None; 2]);
        // On the ray, without an area.
        let needle = [2.0, 3.0, 5.0].map(|along| place(along, [0.0; 2]));
        assert_eq!(crossings(needle), [Crossing::None; 2]);
    }
}
