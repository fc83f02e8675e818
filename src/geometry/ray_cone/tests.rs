use super::*;
use crate::test_rng::number;

fn vector(state: &mut u64, size: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| size * number(state)))
}

/// A cone of any kind: round or pointed, growing or not, far away, short, backwards.
fn any_cone(state: &mut u64, kind: usize) -> RayCone {
    let away = [0.0, 0.0, 1e3, 1e6][kind % 4];
    let dir = vector(state, 1.0) * [1.0, 30.0, 1e-3][kind % 3];
    let mut ray = Ray::new(vector(state, 4.0) + away * vector(state, 1.0), dir);
    if kind.is_multiple_of(5) {
        ray = ray.with_range(-2.0 * number(state).abs(), 3.0 * number(state).abs());
    }
    let (radius, growth) = (number(state).abs(), 0.3 * number(state).abs());
    match kind % 7 {
        0 => RayCone::new(ray, radius, 0.0),
        1 => RayCone::new(ray, 0.0, growth),
        2 => RayCone::new(ray, radius, -growth),
        3 => RayCone::new(ray, -radius, growth),
        _ => RayCone::new(ray, radius, growth),
    }
}

#[test]
fn segments_have_their_best_point() {
    let (mut state, mut found, mut inner) = (1, 0, 0);
    for kind in 0..6_000 {
        let cone = any_cone(&mut state, kind);
        let Some(prepared) = PreparedCone::new(&cone) else { continue };
        let size = [0.1, 1.0, 6.0][kind / 7 % 3];
        let middle = cone.ray.at(number(&mut state).abs() * 8.0) + vector(&mut state, 0.5 * size);
        let ends = [(); 2].map(|()| middle + vector(&mut state, size));
        let best = prepared.segment(ends);
        let [a, b] = ends.map(to_f64);
        // Not through `f32`, which would move them.
        let samples = (0..=400).map(|i| {
            let point = add(a, scale(sub(b, a), f64::from(i) / 400.0));
            prepared.seen(&prepared.beside(point), middle, 0.0)
        });
        for sample in samples.flatten() {
            let best = best.expect("a point of it is in the cone");
            assert!(best.score <= sample.score + 1e-9, "{cone:?} {ends:?} {best:?} {sample:?}");
        }
        if let Some(best) = best {
            found += 1;
            inner += usize::from(best.along > 0.0 && best.along < 1.0);
            assert!((0.0..=1.0).contains(&best.score) && (0.0..=1.0).contains(&best.along));
            let reached =
                prepared.seen(&prepared.beside(add(a, scale(sub(b, a), best.along))), middle, 0.0);
            // It may be at the cone's surface or the end of the ray.
            if let Some(reached) = reached {
                assert!((reached.score - best.score).abs() < 1e-6);
            }
        }
    }
    assert!(found > 1_000 && inner > 500, "{found} {inner}");
}

#[test]
fn no_point_of_a_box_has_a_lesser_score() {
    let (mut state, mut out, mut scored) = (2, 0, 0);
    for kind in 0..4_000 {
        let cone = any_cone(&mut state, kind);
        let Some(prepared) = PreparedCone::new(&cone) else { continue };
        let low = cone.ray.at(number(&mut state).abs() * 8.0) + vector(&mut state, 3.0);
        let high = low + vector(&mut state, 2.0).abs();
        let least = prepared.least_score([low, high].map(to_f64));
        out += usize::from(least.is_none());
        for _ in 0..20 {
            let part = vector(&mut state, 1.0).abs();
            let point = (low + (high - low) * part).clamp(low, high);
            let Some(seen) = prepared.point(point) else { continue };
            let least = least.expect("a point of it is in the cone");
            assert!(least <= seen.score, "{cone:?} {low} {high} {point}");
            scored += usize::from(least > 0.0);
        }
    }
    assert!(out > 500 && scored > 500, "{out} {scored}");
}

#[test]
fn what_is_not_sound_holds_nothing() {
    let ray = Ray::new([0.0; 3], [0.0, 0.0, 1.0]);
    for (radius, growth) in [(f32::NAN, 0.0), (0.0, f32::NAN), (f32::INFINITY, 0.0)] {
        assert!(PreparedCone::new(&RayCone::new(ray, radius, growth)).is_none());
    }
    assert!(PreparedCone::new(&RayCone::new(ray.with_range(1.0, 0.0), 1.0, 1.0)).is_none());
    assert!(PreparedCone::new(&RayCone::new(Ray::new([0.0; 3], [0.0; 3]), 1.0, 1.0)).is_none());
    // A line through the tip, and a cylinder without a radius, hold the points of the line.
    let line = PreparedCone::new(&RayCone::new(ray, 0.0, 0.0)).unwrap();
    assert!(line.point(Vec3::Z).is_some() && line.point(Vec3::new(1e-30, 0.0, 1.0)).is_none());
    let crossed = line.segment([Vec3::new(-1.0, 0.0, 2.0), Vec3::new(1.0, 0.0, 2.0)]).unwrap();
    assert_eq!((crossed.point, crossed.distance), (2.0 * Vec3::Z, 0.0));
    for far in [f32::MAX, f32::INFINITY, f32::NAN] {
        assert!(line.point(Vec3::splat(far)).is_none());
        let _ = line.segment([Vec3::ZERO, Vec3::splat(far)]);
        let _ = line.least_score([[0.0; 3], [f64::from(far); 3]]);
    }
}

#[test]
fn a_point_is_seen_from_where_the_cone_begins() {
    let ray = Ray::new([0.0; 3], [0.0, 0.0, 1.0]);
    let sight = |radius: f32, growth: f32, point: Vec3| {
        let cone = PreparedCone::new(&RayCone::new(ray, radius, growth)).unwrap();
        cone.line_of_sight(&cone.point(point).expect("in the cone"))
    };
    let point = Vec3::new(2.0, 0.0, 8.0);
    // From the tip, from the near plane, and parallel.
    assert_eq!(sight(0.0, 0.5, point).dir, -point);
    assert_eq!(sight(1.0, 0.375, point).dir, Vec3::new(-1.5, 0.0, -8.0));
    assert_eq!(sight(3.0, 0.0, point).dir, Vec3::new(0.0, 0.0, -8.0));
    assert_eq!((sight(3.0, 0.0, point).origin, sight(3.0, 0.0, point).t_max), (point, 1.0));
}
