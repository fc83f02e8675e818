use super::*;

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
