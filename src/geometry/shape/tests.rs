use super::*;
use crate::test_rng::bits;

fn triangle() -> Triangle {
    Triangle::new([0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0])
}

/// Ways to touch, each with one that just does not.
#[test]
fn touching_is_an_overlap() {
    let box_at = |x: f32, y: f32| Aabb::from_min_max([x, y, 0.0], [x + 1.0, y + 1.0, 1.0]);
    // A corner of the box on the slanted edge; faces in one plane.
    for (shape, touches) in [
        (Shape::from(box_at(2.0, 2.0)), true),
        (box_at(2.0, 2.0000002).into(), false),
        (Sphere::new([1.0, 1.0, 3.0], 3.0).into(), true),
        (Sphere::new([1.0, 1.0, 3.0000002], 3.0).into(), false),
        (Capsule::new([1.0, 1.0, 3.0], [1.0, 1.0, 9.0], 3.0).into(), true),
        (Capsule::new([7.0, 4.0, 0.0], [4.0, 7.0, 0.0], 24.5f32.sqrt()).into(), true),
        (Capsule::new([7.0, 4.0, 0.0], [4.0, 7.0, 0.0], 4.9497).into(), false),
        (Triangle::new([2.0, 2.0, 0.0], [5.0, 5.0, 3.0], [5.0, 5.0, -3.0]).into(), true),
        (Triangle::new([2.0, 2.0000002, 0.0], [5.0, 5.0, 3.0], [5.0, 5.0, -3.0]).into(), false),
    ] {
        let expected = touches.then_some(Containment::Touching);
        assert_eq!(shape.overlap(&triangle()), expected, "{shape:?}");
    }
}

#[test]
fn a_flat_or_a_thin_shape_may_hold_a_triangle() {
    let flat = Aabb::from_min_max([0.0; 3], [4.0, 4.0, 0.0]);
    assert_eq!(Shape::from(flat).overlap(&triangle()), Some(Containment::Inside));
    let larger = Triangle::new([-1.0, -1.0, 0.0], [9.0, -1.0, 0.0], [-1.0, 9.0, 0.0]);
    assert_eq!(Shape::from(larger).overlap(&triangle()), Some(Containment::Inside));
    assert_eq!(Shape::from(triangle()).overlap(&larger), Some(Containment::Touching));
    assert_eq!(Shape::from(triangle()).overlap(&triangle()), Some(Containment::Inside));
    let point = Triangle::new([1.0; 3], [1.0; 3], [1.0; 3]);
    assert_eq!(Shape::from(point).overlap(&point), Some(Containment::Inside));
    let segment = Triangle::new([0.0, 0.0, -1.0], [0.0, 0.0, 3.0], [0.0, 0.0, 1.0]);
    assert_eq!(Shape::from(segment).overlap(&triangle()), Some(Containment::Touching));
    assert_eq!(Shape::from(segment).overlap(&point), None);
}

/// Boxes and triangles on a small grid, so that they often just touch.
#[test]
fn a_box_is_the_same_shape_in_any_of_its_forms() {
    let mut state = 7;
    let mut number = || (bits(&mut state) % 5) as f32;
    let turn = glam::Mat3::from_cols(Vec3::Y, Vec3::Z * 2.0, Vec3::X);
    let mirror = glam::Mat3::from_diagonal(Vec3::new(-1.0, 4.0, 0.5));
    let mut seen = [0; 3];
    for i in 0..if cfg!(miri) { 20 } else { 3_000 } {
        let mut point = || Vec3::new(number(), number(), number());
        let local = Aabb::from_points([point(), point()]);
        let matrix = [glam::Mat3::IDENTITY, turn, mirror][i % 3];
        let map = glam::Affine3A::from_mat3_translation(matrix, point() - 2.0);
        let bounds = local.transformed(&map);
        let corners = [point(), point(), point()].map(|p| bounds.min + (p - 1.5) * bounds.size());
        let triangle = Triangle::new(corners[0], corners[1], corners[2]);
        let obb = Obb::from_transform(&map, local).expect("not flat");
        let [low, high] = [bounds.min, bounds.max];
        let planes = [0, 1, 2]
            .map(|k| glam::Vec3::AXES[k])
            .map(|axis| [axis.extend(-low.dot(axis)), (-axis).extend(high.dot(axis))]);
        let frustum = Frustum::from_planes(planes.as_flattened(), low).expect("finite");
        let found = Shape::from(bounds).overlap(&triangle);
        assert_eq!(Shape::from(obb).overlap(&triangle), found, "{obb:?} {triangle:?}");
        assert_eq!(Shape::from(frustum).overlap(&triangle), found, "{frustum:?} {triangle:?}");
        let inside = corners.iter().all(|&corner| bounds.contains(corner));
        assert_eq!(found == Some(Containment::Inside), inside, "{bounds:?} {triangle:?}");
        seen[found.map_or(0, |found| 1 + found as usize)] += 1;
    }
    assert!(cfg!(miri) || seen.iter().all(|&seen| seen >= 20), "{seen:?}");
}

/// The determinant is zero, but not in `f64`.
#[test]
fn a_box_that_its_map_flattens_is_empty() {
    let [a, b] = [[5465959.0, 3184444.0, 6616292.0], [1761229.0, 787352.0, 4092439.0]];
    let [a, b] = [a, b].map(Vec3::from);
    let obb = Obb::from_axes([0.0; 3], [a, b, a + b], [1.0; 3]).expect("not flat in f64");
    assert_eq!(Shape::from(obb).overlap(&triangle()), None);
}

#[test]
fn empty_shapes_touch_nothing() {
    let [nan, far] = [f32::NAN, f32::INFINITY].map(Vec3::splat);
    let origin = Vec3::ZERO;
    let mut shapes: Vec<Shape> =
        vec![Aabb::EMPTY.into(), Triangle::new(nan, origin, origin).into()];
    for radius in [-1.0, -f32::INFINITY, f32::NAN] {
        shapes.push(Sphere::new(origin, radius).into());
        shapes.push(Capsule::new(origin, [0.0, 0.0, 1.0], radius).into());
    }
    for center in [nan, far, -far] {
        for radius in [0.0, 1.0, f32::MAX, f32::INFINITY] {
            shapes.push(Sphere::new(center, radius).into());
            shapes.push(Capsule::new(origin, center, radius).into());
            shapes.push(Capsule::new(center, origin, radius).into());
        }
    }
    for shape in shapes {
        assert_eq!(shape.overlap(&triangle()), None, "{shape:?}");
    }
}

/// Products of these coordinates are rounded: only integers tell that there is no area.
#[test]
fn a_triangle_whose_vertices_are_on_a_line_is_a_segment() {
    let to = Vec3::new(0.1, 0.2, 0.3);
    let line = Shape::from(Triangle::new(to, [0.0; 3], to * 2.0));
    let at = |corner: Vec3| Triangle::new(corner, [1.0; 3], [1.0, 2.0, 1.0]);
    assert_eq!(line.overlap(&at(to * 2.0)), Some(Containment::Touching));
    assert_eq!(line.overlap(&at(to * 2.1)), None);
}

#[test]
fn every_shape_has_a_finite_middle() {
    let [huge, far] = [f32::MAX, f32::INFINITY].map(Vec3::splat);
    let transform = glam::Affine3A::from_translation(huge);
    let local = Aabb::from_min_max(huge, huge);
    for shape in [
        Shape::from(Aabb { min: -far, max: far }),
        Aabb { min: huge, max: far }.into(),
        Aabb::EMPTY.into(),
        Obb::from_transform(&transform, local).expect("finite").into(),
        Capsule::new(huge, huge, 1.0).into(),
        Triangle::new(huge, huge, huge).into(),
    ] {
        assert!(shape.center().is_finite(), "{shape:?}");
    }
    assert_eq!(Shape::from(triangle()).center().to_array(), [4.0 / 3.0, 4.0 / 3.0, 0.0]);
}
