//! Sample rays, to estimate how likely a ray is to hit a box: the ray distribution heuristic of
//! Bittner and Havran ("RDH: Ray Distribution Heuristics for Construction of Spatial Data
//! Structures", 2009), used for the collapse and not for the split.

use glam::{Vec3, Vec3A};

use super::triangles::InputTriangle;
use crate::bvh::chance;
use crate::geometry::{Ray, half_area};

/// The most given rays that are used.
const MAX_RAYS: usize = 1 << 16;

/// In a box that fewer rays hit, surface areas alone decide.
const MIN_RAYS: usize = 16;
/// At most three quarters of the rays that hit a box go on into a part of it, and at most half if
/// there are more than this many. Otherwise every node would test every ray where boxes are alike.
const HALVE_ABOVE: usize = 1024;
/// At most one ray is generated for this many triangles.
const TRIANGLES_PER_RAY: usize = 4;
/// Rays generated for each given ray: with fewer of them, rays unlike the given ones might cost
/// more.
const GENERATED_PER_GIVEN: usize = 2;
/// A box counts this many additional rays that hit its parts as their surface areas say, so that
/// few hits do not decide by accident.
const AREA_WEIGHT: f64 = 32.0;

/// The least and the greatest corner of a box.
type Corners<'a> = (&'a [f32; 3], &'a [f32; 3]);

/// The rays that hit a box.
#[derive(Clone, Copy)]
pub(super) struct RaySet {
    /// Where the sample rays begin, in a list of which they are the last.
    first: usize,
    /// The chance that a ray that hits the whole tree's box is one of them, per unit of half the
    /// box's surface area.
    density: f64,
}

impl RaySet {
    /// The chance that a ray hits the box, whose half surface area is `area`.
    pub(super) fn chance(&self, area: f64) -> f64 {
        area * self.density
    }

    /// Moves the rays from the end of `rays` to a list of their own.
    pub(super) fn split_off(self, rays: &mut Vec<u32>) -> (Self, Vec<u32>) {
        let its_rays = rays.split_off(self.first);
        (Self { first: 0, ..self }, its_rays)
    }
}

/// Rays that stand for the rays of the queries to come.
pub(super) struct RaySample(Vec<SlabRay>);

/// A ray for a fast slab test. It rounds, unlike
/// [`Aabb::intersects_ray`](crate::Aabb::intersects_ray): no hit depends on it.
struct SlabRay {
    origin: Vec3A,
    reciprocal: Vec3A,
    t_min: f32,
    t_max: f32,
}

impl SlabRay {
    /// `None` for a ray that can hit nothing.
    fn new(ray: Ray) -> Option<Self> {
        // Finite, because infinity times zero would be NaN.
        let reciprocal = ray.dir.map(|d| (1.0 / d).clamp(f32::MIN, f32::MAX));
        ray.is_castable().then_some(Self {
            origin: ray.origin.into(),
            reciprocal: reciprocal.into(),
            t_min: ray.t_min,
            t_max: ray.t_max,
        })
    }

    #[inline(always)]
    fn hits(&self, min: &[f32; 3], max: &[f32; 3]) -> bool {
        let to_min = (Vec3A::from_array(*min) - self.origin) * self.reciprocal;
        let to_max = (Vec3A::from_array(*max) - self.origin) * self.reciprocal;
        let enters = to_min.min(to_max).max_element();
        let leaves = to_min.max(to_max).min_element();
        enters.max(self.t_min) <= leaves.min(self.t_max)
    }
}

/// At most [`MAX_RAYS`] of the caller's rays, evenly spaced.
pub(super) fn thin_out(rays: Vec<Ray>) -> Vec<Ray> {
    let step = rays.len().div_ceil(MAX_RAYS).max(1);
    rays.into_iter().step_by(step).collect()
}

impl RaySample {
    /// The given rays, and generated ones: none if `generated` is 0, else that many, or more if
    /// many are given, or fewer if there are few triangles.
    pub(super) fn new(given: &[Ray], generated: usize, triangles: &[InputTriangle]) -> Self {
        let given = given.iter().copied();
        let mut rays: Vec<SlabRay> = given.filter_map(SlabRay::new).collect();
        if generated > 0 {
            let count = generated.max(GENERATED_PER_GIVEN * rays.len());
            rays.extend(generate(count, triangles).filter_map(SlabRay::new));
        }
        Self(rays)
    }

    /// The rays that hit the box of the whole tree, and the list of their indices.
    pub(super) fn whole(&self, (min, max): Corners<'_>) -> (RaySet, Vec<u32>) {
        let rays = self.0.iter().zip(0..);
        let hitting = rays.filter(|(ray, _)| ray.hits(min, max)).map(|(_, index)| index);
        (RaySet { first: 0, density: 1.0 / half_area(min, max) }, hitting.collect())
    }

    /// The rays that hit a box within another, whose half surface area is `outer_area` and which
    /// the rays `outer` hit. Those must be the last of `rays`; the result is appended.
    #[inline(always)]
    pub(super) fn within(
        &self,
        outer: RaySet,
        outer_area: f64,
        (min, max): Corners<'_>,
        rays: &mut Vec<u32>,
    ) -> RaySet {
        let first = rays.len();
        let all = first - outer.first;
        if all < MIN_RAYS {
            return RaySet { first, ..outer };
        }
        for i in outer.first..first {
            let ray = rays[i];
            if self.0[ray as usize].hits(min, max) {
                rays.push(ray);
            }
        }
        let area = half_area(min, max);
        let some = rays.len() - first;
        let by_area = AREA_WEIGHT * chance(area, outer_area);
        let chance = (some as f64 + by_area) / (all as f64 + AREA_WEIGHT);
        let most = if all > HALVE_ABOVE { all / 2 } else { all - all / 4 };
        if some > most {
            // Evenly spaced.
            for i in 0..most {
                rays[first + i] = rays[first + i * some / most];
            }
            rays.truncate(first + most);
        }
        // A box without area costs nothing, whatever its density.
        let density =
            if area > 0.0 { outer.density * outer_area * chance / area } else { outer.density };
        RaySet { first, density }
    }
}

/// Up to `count` rays that begin at random points of triangles and have random directions. Every
/// triangle counts the same, whatever its size: many small triangles are where there is something
/// to look at, and few rays come near the large ones that enclose a level.
fn generate(count: usize, triangles: &[InputTriangle]) -> impl Iterator<Item = Ray> {
    let step = triangles.len().div_ceil(count.max(1)).max(TRIANGLES_PER_RAY);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let triangles = triangles.iter().step_by(step).take(count);
    triangles.map(move |triangle| Ray::new(random.point_on(triangle), random.direction()))
}

/// The generator splitmix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    /// At least 0 and less than 1.
    fn number(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (bits >> 40) as f32 / (1 << 24) as f32
    }

    fn point_on(&mut self, triangle: &InputTriangle) -> Vec3 {
        let [mut u, mut v] = [self.number(), self.number()];
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        let [a, b, c] = triangle.corners.map(Vec3::from_array);
        // This form is finite even if differences of corners are not.
        a * (1.0 - u - v) + b * u + c * v
    }

    /// A direction of a length between 0.1 and 1.
    fn direction(&mut self) -> Vec3 {
        loop {
            let point = Vec3::from_array([(); 3].map(|()| 2.0 * self.number() - 1.0));
            let length = point.length_squared();
            if (0.01..=1.0).contains(&length) {
                return point;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const UNIT: Corners<'_> = (&[0.0; 3], &[1.0; 3]);

    fn sample(rays: Vec<Ray>) -> RaySample {
        RaySample::new(&thin_out(rays), 0, &[])
    }

    fn coordinate() -> impl Strategy<Value = f32> {
        prop_oneof![(-3i8..4).prop_map(f32::from), -3f32..3.0]
    }

    fn point() -> impl Strategy<Value = [f32; 3]> {
        prop::array::uniform3(coordinate())
    }

    proptest! {
        /// Against the point of the ray that lies deepest in the box. Rays that only touch the box
        /// are left out.
        #[test]
        fn a_ray_hits_the_boxes_that_it_goes_through(
            origin in point(), dir in point(), a in point(), b in point(), t_max in 0f32..4.0,
        ) {
            prop_assume!(dir != [0.0; 3]);
            let corner = |end: fn(f32, f32) -> f32| [0, 1, 2].map(|k| end(a[k], b[k]));
            let (min, max) = (corner(f32::min), corner(f32::max));
            let ray = Ray::new(origin, dir).with_range(0.0, t_max);
            let depth = |t: f64| {
                let depths = (0..3).map(|k| {
                    let at = f64::from(origin[k]) + t * f64::from(dir[k]);
                    (at - f64::from(min[k])).min(f64::from(max[k]) - at)
                });
                depths.fold(f64::INFINITY, f64::min)
            };
            // The depth is concave, so a ternary search finds its maximum.
            let (mut low, mut high) = (0.0, f64::from(t_max));
            for _ in 0..200 {
                let (one, two) = ((2.0 * low + high) / 3.0, (low + 2.0 * high) / 3.0);
                if depth(one) < depth(two) { low = one } else { high = two }
            }
            let deepest = depth(low).max(depth(high));
            prop_assume!(deepest.abs() > 1e-4);
            let hitting = sample(vec![ray]).0[0].hits(&min, &max);
            prop_assert_eq!(hitting, deepest > 0.0);
        }
    }

    #[test]
    fn chances_come_from_rays_where_there_are_enough_and_from_areas_elsewhere() {
        let up = |x: f32| Ray::new([x, 0.5, -1.0], [0.0, 0.0, 1.0]);
        let left: Corners<'_> = (&[0.0; 3], &[0.5, 1.0, 1.0]);
        let right: Corners<'_> = (&[0.5, 0.0, 0.0], &[1.0; 3]);
        let chances = |rays: Vec<Ray>| {
            let sample = sample(rays);
            let (whole, mut numbers) = sample.whole(UNIT);
            assert_eq!(whole.chance(3.0), 1.0);
            let count = numbers.len();
            let chances = [left, right].map(|part| {
                numbers.truncate(count);
                let hitting = sample.within(whole, 3.0, part, &mut numbers);
                hitting.chance(half_area(part.0, part.1))
            });
            (count, chances)
        };
        let by_area = 2.0 / 3.0;
        assert_eq!(chances(vec![]), (0, [by_area; 2]));
        // Too few rays, and rays that miss.
        assert_eq!(chances(vec![up(0.25); MIN_RAYS - 1]), (MIN_RAYS - 1, [by_area; 2]));
        assert_eq!(chances(vec![up(2.0); 1000]), (0, [by_area; 2]));

        let (count, [on_left, on_right]) =
            chances([vec![up(0.25); 900], vec![up(0.75); 100]].concat());
        assert_eq!(count, 1000);
        let expected = |some: f64| (some + AREA_WEIGHT * by_area) / (1000.0 + AREA_WEIGHT);
        assert!((on_left - expected(900.0)).abs() < 1e-12, "{on_left}");
        assert!((on_right - expected(100.0)).abs() < 1e-12, "{on_right}");
    }

    #[test]
    fn below_a_box_that_no_ray_hits_areas_decide() {
        let ray = Ray::new([0.25, 0.5, -1.0], [0.0, 0.0, 1.0]);
        let sample = sample(vec![ray; 100]);
        let (whole, mut rays) = sample.whole(UNIT);
        let right: Corners<'_> = (&[0.5, 0.0, 0.0], &[1.0; 3]);
        let hitting = sample.within(whole, 3.0, right, &mut rays);
        // No ray hits this box.
        let (around, part) = (half_area(right.0, right.1), half_area(&[0.5; 3], right.1));
        let below = sample.within(hitting, around, (&[0.5; 3], &[1.0; 3]), &mut rays);
        let ratio = below.chance(part) / hitting.chance(around);
        assert!((ratio - part / around).abs() < 1e-12);
    }

    /// Otherwise every node would test every ray where all boxes are the same.
    #[test]
    fn fewer_rays_go_on_even_if_all_could() {
        for count in [MIN_RAYS, 100, HALVE_ABOVE, 5 * HALVE_ABOVE] {
            let up = Ray::new([0.5, 0.5, -1.0], [0.0, 0.0, 1.0]);
            let sample = sample(vec![up; count]);
            let (mut hitting, mut rays) = sample.whole(UNIT);
            let mut looks = 0;
            for _ in 0..60 {
                let before = rays.len();
                looks += before - hitting.first;
                hitting = sample.within(hitting, 3.0, UNIT, &mut rays);
                assert_eq!(hitting.chance(3.0), 1.0);
            }
            assert_eq!(rays.len(), hitting.first);
            assert!(looks <= 4 * count, "{looks} of {count}");
        }
    }

    #[test]
    fn rays_that_can_hit_nothing_do_not_count() {
        let nan = f32::NAN;
        let sound = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
        let unsound = [
            Ray::new([nan, 0.0, 0.0], [1.0, 0.0, 0.0]),
            Ray::new([0.0; 3], [f32::INFINITY, 0.0, 0.0]),
            Ray::new([0.0; 3], [0.0; 3]),
            sound.with_range(1.0, 0.0),
            sound.with_range(0.0, nan),
        ];
        assert_eq!(sample(unsound.to_vec()).0.len(), 0);
        assert_eq!(sample(vec![sound; MAX_RAYS * 2 + 1]).0.len(), MAX_RAYS * 2 / 3 + 1);
    }

    #[test]
    fn generated_rays_begin_on_triangles_of_any_size() {
        let corners = [[f32::MAX, 0.0, 1.0], [f32::MIN, 0.0, 1.0], [0.0, f32::MAX, 1.0]];
        let tiny = [[1e-40, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 1e-40, 1.0]];
        let triangles: Vec<_> = [corners, tiny].repeat(50);
        let triangles: Vec<_> =
            triangles.into_iter().map(|corners| InputTriangle { corners, id: 0 }).collect();
        for count in [0, 1, 7, 100, 1000] {
            let rays: Vec<_> = generate(count, &triangles).collect();
            let most = count.min(triangles.len() / TRIANGLES_PER_RAY);
            assert!(rays.len() <= most && 2 * rays.len() >= most, "{count}");
            assert!(rays.iter().all(|ray| ray.origin.is_finite() && ray.origin.z == 1.0));
            assert_eq!(RaySample::new(&[], count, &triangles).0.len(), rays.len());
            // With given rays more are generated, if any.
            let given = [Ray::new([0.0; 3], [1.0; 3]); 20];
            let with = RaySample::new(&given, count, &triangles).0.len();
            let more = generate(count.max(GENERATED_PER_GIVEN * given.len()), &triangles).count();
            assert_eq!(with, given.len() + if count > 0 { more } else { 0 });
        }
        assert_eq!(generate(10, &[]).count(), 0);
    }
}
