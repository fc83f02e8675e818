use glam::Affine3A;

use super::*;

#[test]
fn all_questions_go_to_the_kind() {
    let bounds = Aabb::from_min_max([1.0, -1.0, -1.0], [3.0, 1.0, 1.0]);
    let obb = Obb::from_transform(&Affine3A::IDENTITY, bounds).expect("sound");
    let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
    for volume in [
        Volume::from(bounds),
        obb.into(),
        Sphere::new([2.0, 0.0, 0.0], 1.0).into(),
        Capsule::new([2.0, 0.0, 0.0], [2.0, 0.0, 0.0], 1.0).into(),
    ] {
        assert!(!volume.is_empty());
        let around = volume.bounds();
        assert!(around.contains_box(&bounds) && bounds.expanded([1e-6; 3]).contains_box(&around));
        assert!(volume.contains([3.0, 0.0, 0.0]) && !volume.contains([3.1, 0.0, 0.0]));
        let interval = volume.ray_interval(&ray).expect("it is in the way");
        assert_eq!((interval.enter, interval.exit), (1.0, 3.0));
        assert!(volume.intersects_ray(&ray) && !volume.intersects_ray(&ray.with_range(4.0, 9.0)));
        assert!(Shape::from(volume).overlaps(volume));
    }
    for empty in [
        Volume::from(Aabb::EMPTY),
        Sphere::new([0.0; 3], -1.0).into(),
        Sphere::new([f32::NAN; 3], 1.0).into(),
        Capsule::new([0.0; 3], [f32::INFINITY; 3], 1.0).into(),
    ] {
        assert!(empty.is_empty() && !empty.intersects_ray(&ray));
        assert!(empty.bounds().is_empty(), "{empty:?}");
    }
}
