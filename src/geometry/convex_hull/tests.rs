use super::*;
use crate::test_rng::number;

#[test]
fn a_cube_has_six_faces_and_twelve_edges_with_any_points_inside() {
    let mut points = Vec::new();
    for i in 0..27 {
        points.push([i % 3, i / 3 % 3, i / 9].map(|x| x as f32 - 1.0));
    }
    let hull = ConvexHull::from_points(points.clone()).expect("a cube");
    assert_eq!((hull.polytope().faces.len(), hull.polytope().edges.len()), (6, 12));
    assert_eq!(hull.bounds(), Aabb::from_min_max([-1.0; 3], [1.0; 3]));
    assert_eq!(hull.points().count(), 26);
    points.extend(points.clone());
    assert_eq!(ConvexHull::from_points(points), Some(hull));
}

/// Euler's formula, where no four points are in a plane.
#[test]
fn points_on_a_sphere_have_a_hull_of_triangles() {
    let mut state = 1;
    for count in [4, 5, 9, 30, if cfg!(miri) { 10 } else { 64 }] {
        let points: Vec<Vec3> = (0..count)
            .map(|_| Vec3::from([0; 3].map(|_| number(&mut state))).normalize() * 1e5)
            .collect();
        let hull = ConvexHull::from_points(points).expect("not flat");
        let [faces, edges] = [hull.polytope().faces.len(), hull.polytope().edges.len()];
        assert_eq!((faces, edges), (2 * count - 4, 3 * count - 6));
    }
}

#[test]
fn what_has_no_volume_or_too_many_points_is_no_hull() {
    let flat = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [7.0, 9.0, 1.0]];
    assert_eq!(ConvexHull::from_points(flat), None);
    assert_eq!(ConvexHull::from_points([[0.0; 3]; 9]), None);
    assert_eq!(ConvexHull::from_points(Vec::<Vec3>::new()), None);
    let nearly = flat.into_iter().chain([[0.5, 0.5, 1.0f32.next_up()]]);
    assert!(ConvexHull::from_points(nearly.clone()).is_some());
    assert_eq!(ConvexHull::from_points(nearly.chain([[f32::NAN; 3]])), None);
    let many = |count: u32| (0..count).map(|i| Vec3::new(i as f32, (i * i) as f32, (i % 5) as f32));
    assert!(ConvexHull::from_points(many(65)).is_none());
}

/// Where many points are in planes or on lines, all is decided in integers.
#[test]
#[cfg_attr(miri, ignore = "slow")]
fn of_points_in_planes_and_on_lines_no_face_or_edge_comes_twice() {
    let circle = |i: u32, y: f32| {
        let angle = i as f32 * 0.3;
        Vec3::new(angle.cos(), y, angle.sin())
    };
    let ring = |count: u32, y: f32| (0..count).map(move |i| circle(i, y));
    let count = |points: Vec<Vec3>| {
        let hull = ConvexHull::from_points(points)?;
        Some([hull.points().count(), hull.polytope().faces.len(), hull.polytope().edges.len()])
    };
    assert_eq!(count(ring(21, 0.0).chain(ring(21, 1.0)).collect()), Some([42, 23, 63]));
    // Two pyramids on one ring.
    let tips = [Vec3::Y, -Vec3::Y];
    assert_eq!(count(ring(21, 0.0).chain(tips).collect()), Some([23, 42, 63]));
    // The middle ring is on the faces, as far as rounding lets it.
    assert!(count((0..3).flat_map(|y| ring(21, y as f32)).collect()).is_some());
    assert_eq!(count(ring(21, 0.1).collect()), None);
    assert_eq!(
        count((0..64).map(|i| Vec3::new(0.1, 0.3, 0.7) * (1 << (i % 20)) as f32).collect()),
        None
    );
    assert_eq!(count((0..64).map(|i| Vec3::new(0.5, 0.25, -0.75) * i as f32).collect()), None);
    let grid = (0..64).map(|i| Vec3::new((i % 4) as f32, (i / 4 % 4) as f32, (i / 16) as f32));
    assert_eq!(count(grid.collect()), Some([56, 6, 12]));
}
