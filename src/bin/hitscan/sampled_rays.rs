//! Sampled rays: what the cost of a level is counted over, and what two levels are asked.

use hitscan::glam::Vec3;
use hitscan::{Aabb, Ray};

use crate::random::Random;

/// Rays from points in a box in all directions, without an end. The same box gives the same rays,
/// and a smaller count the first of them. Half of the points are near the middle, where a level
/// mostly is. None in an empty box.
pub(crate) fn through_box(bounds: &Aabb, count: usize) -> impl Iterator<Item = Ray> + use<> {
    let Aabb { min, max } = *bounds;
    let mut random = Random(0);
    let mut unit = move || random.fraction() as f32;
    let count = if min.cmple(max).all() { count } else { 0 };
    (0..count).map(move |i| {
        let part = if i % 2 == 0 { 1.0 } else { 0.5 };
        let mut at = |k: usize| {
            let place = 0.5 + part * (unit() - 0.5);
            // No difference, which may overflow. The roundings must not lead out of the box.
            (min[k] * (1.0 - place) + max[k] * place).clamp(min[k], max[k])
        };
        let origin = Vec3::new(at(0), at(1), at(2));
        // In the unit ball, so that no direction is more likely.
        let dir = loop {
            let v = 2.0 * Vec3::new(unit(), unit(), unit()) - Vec3::ONE;
            if (1e-3..=1.0).contains(&v.length_squared()) {
                break v;
            }
        };
        Ray::new(origin, dir)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_start_in_the_box_and_lead_everywhere() {
        for size in [2.0, f32::MAX, 1e-40] {
            let bounds = Aabb::from_min_max([-size, 0.0, size], [size, size, size]);
            let rays: Vec<Ray> = through_box(&bounds, 1000).collect();
            assert_eq!(rays.len(), 1000);
            assert!(rays.iter().all(|ray| bounds.contains(ray.origin) && ray.dir.is_finite()));
            for axis in 0..3 {
                let forward = rays.iter().filter(|ray| ray.dir[axis] > 0.0).count();
                assert!((400..600).contains(&forward), "{forward}");
            }
            // The first ones are the same.
            assert!(through_box(&bounds, 10).eq(rays[..10].iter().copied()));
        }
        assert_eq!(through_box(&Aabb::EMPTY, 1000).count(), 0);
    }
}
