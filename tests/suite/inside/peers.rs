//! Faults that are known of other libraries, each as a test of the right answer. Only the trait is
//! theirs, the numbers are ours.

use hitscan::glam::Vec3;
use hitscan::{Builder, Bvh, InsideErrorKind, Layers, Mesh, PointLocation};

use super::{cuboid, joined, turned};
use crate::scenes;
use crate::support::Random;

fn bake(mesh: Mesh) -> Bvh {
    Builder::new().bake(&[mesh]).expect("sound").0
}

fn location(bvh: &Bvh, point: impl Into<Vec3>) -> PointLocation {
    bvh.contains(point, Layers::ALL).expect("closed")
}

/// Warp 1836: by the normals of vertices and edges, points outside a tetrahedron are inside.
#[test]
fn points_beyond_the_edges_of_a_tetrahedron_are_outside() {
    let mut random = Random::new(7);
    for i in 0..200 {
        let mut corner = || random.in_box(Vec3::splat(-1.0), Vec3::splat(1.0));
        // From plump to as thin as a needle, or a plate.
        let flat = Vec3::new(1.0, [1.0, 0.1, 1e-3][i % 3], [1.0, 1e-3, 1.0, 1e-5][i % 4]);
        let corners = [corner(), corner(), corner(), corner()].map(|corner| corner * flat);
        let positions = corners.map(|corner| corner.to_array()).to_vec();
        let bvh = bake(Mesh::new(positions, vec![0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0]));
        let ends = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        let middle = (corners[0] + corners[1] + corners[2] + corners[3]) * 0.25;
        assert_eq!(location(&bvh, middle), PointLocation::Inside, "{corners:?}");
        for (a, b) in ends {
            let on_edge = (corners[a] + corners[b]) * 0.5;
            for size in [1e-3, 0.5, 2.0] {
                let beyond = on_edge + (on_edge - middle) * size;
                assert_eq!(location(&bvh, beyond), PointLocation::Outside, "{corners:?} {beyond}");
                let beyond = corners[a] + (corners[a] - middle) * size;
                assert_eq!(location(&bvh, beyond), PointLocation::Outside, "{corners:?} {beyond}");
            }
        }
    }
}

/// Open3D 5669: a grid of points around a ball, in line with its vertices, has streaks of wrong
/// signs. Each is right, and signs change only at the surface.
#[test]
fn a_grid_around_a_ball_has_no_streaks() {
    let ball = bake(scenes::sphere(32, 16, 0.75, Vec3::ZERO));
    let count = 24;
    let at = |i: usize| -0.8 + 1.6 * i as f32 / count as f32;
    let mut inside = 0;
    for i in 0..=count {
        for j in 0..=count {
            for k in 0..=count {
                let point = Vec3::new(at(i), at(j), at(k));
                let found = location(&ball, point);
                // All flat triangles are between these.
                if point.length() < 0.73 {
                    assert_eq!(found, PointLocation::Inside, "{point}");
                    inside += 1;
                } else if point.length() > 0.7501 {
                    assert_eq!(found, PointLocation::Outside, "{point}");
                }
            }
        }
    }
    assert!(inside > 2_000);
}

/// Open3D 5105: a ray that just touches the edge or the corner of a cube counts as one that enters.
#[test]
fn points_in_line_with_edges_and_corners_of_a_cube_are_outside() {
    let cube = bake(cuboid([0.0; 3], [1.0; 3]));
    for x in [-1.0, 0.0, 0.5, 1.0, 2.0] {
        for y in [-1.0, 0.0, 0.5, 1.0, 2.0] {
            for z in [-1.0, 0.0, 0.5, 1.0, 2.0] {
                let all = [x, y, z];
                let expected = if all.iter().any(|x| !(0.0..=1.0).contains(x)) {
                    PointLocation::Outside
                } else if all == [0.5; 3] {
                    PointLocation::Inside
                } else {
                    PointLocation::OnSurface
                };
                assert_eq!(location(&cube, all), expected, "{all:?}");
            }
        }
    }
}

/// libigl 2348: the distance is not as exact as its sign allows.
#[test]
fn a_signed_distance_is_as_exact_as_the_distance() {
    let cube = bake(cuboid([-3.0; 3], [3.0; 3]));
    for (x, distance) in [(2.9f32, 2.9f32 - 3.0), (0.0, -3.0), (3.1, 3.1 - 3.0), (1e6, 1e6 - 3.0)] {
        let found = cube.signed_distance([x, 0.0, 0.0], f32::INFINITY, Layers::ALL).unwrap();
        assert_eq!(found, Some(distance));
    }
    let last = 3.0f32.next_down();
    let found = cube.signed_distance([last, 0.0, 0.0], 1.0, Layers::ALL).unwrap();
    assert_eq!(found, Some(last - 3.0));
}

/// libigl 644: triangles that are there twice, with both windings, turn everything over.
#[test]
fn a_sheet_within_a_ball_changes_nothing() {
    let positions = vec![[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]];
    let sheet = Mesh::new(positions, vec![0, 1, 2, 2, 1, 0]);
    let ball = bake(joined([scenes::sphere(16, 8, 1.0, Vec3::ZERO), sheet]));
    for z in [-0.5, -1e-20, 1e-20, 0.5] {
        assert_eq!(location(&ball, [0.1, 0.1, z]), PointLocation::Inside);
        assert_eq!(location(&ball, [0.1, 0.1, z + 2.0]), PointLocation::Outside);
    }
    assert_eq!(location(&ball, [0.1, 0.1, 0.0]), PointLocation::OnSurface);
}

/// trimesh 85: a ray from a point outside that passes through the edges of several triangles.
#[test]
fn edges_in_line_with_a_point_are_crossed_once() {
    // Wedges on a floor, whose upper edges are in one line.
    let wedge = |x: f32| {
        let corners = [[0.0, 0.0], [0.0, 2.0], [1.0, 1.0]];
        let ends = [x, x + 1.0].map(|x| corners.map(|[z, y]| [x, y, z]));
        let indices = vec![0, 1, 2, 3, 5, 4, 0, 3, 4, 0, 4, 1, 1, 4, 5, 1, 5, 2, 2, 5, 3, 2, 3, 0];
        Mesh::new(ends.concat(), indices)
    };
    let walls = cuboid([-4.0, -3.0, -3.0], [40.0, 5.0, 3.0]);
    let wedges = bake(joined((0..5).map(|i| wedge(2.0 * i as f32)).chain([turned(walls)])));
    for i in 0..4 {
        let x = 2.0 * i as f32;
        // In the walls, turned inwards, a winding number is -1, and 0 within the wedges.
        let inside = PointLocation::Inside;
        for (y, z) in [(1.0, 1.0), (2.0, 0.0), (0.0, 0.0)] {
            assert_eq!(location(&wedges, [x + 1.5, y, z]), inside);
            assert_eq!(location(&wedges, [x + 0.5, y, z]), PointLocation::OnSurface);
        }
        assert_eq!(location(&wedges, [x + 1.5, 1.0, 0.5]), inside);
    }
}

/// CGAL 1288: of a surface with a hole, some points have the wrong sign, and nothing tells.
#[test]
fn a_surface_with_a_hole_is_told() {
    let mut ball = scenes::sphere(16, 8, 1.0, Vec3::ZERO);
    ball.indices.as_mut().expect("it has indices").drain(30..33);
    let error = bake(ball).contains([0.0; 3], Layers::ALL).unwrap_err();
    assert_eq!(error.kind(), InsideErrorKind::Open);
}
