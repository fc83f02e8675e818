//! Rays that stand for those that will be asked: how likely one is to meet a box. (The ray distribution
//! heuristic of Bittner and Havran 2009, for which nodes stay, not for planes.)

use glam::{Vec3, Vec3A};

use super::triangles::InputTriangle;
use crate::bvh::chance;
use crate::geometry::Ray;
use crate::geometry::half_area;

/// The most rays that are of use.
pub(super) const MAX_RAYS: usize = 1 << 16;

/// What is in a box that fewer rays meet is met as surface areas say.
const MIN_RAYS: usize = 16;
/// At most three quarters of the rays that meet a box go on into a part of it (half, if they are more than so
/// many): where boxes are much the same, each would otherwise be looked at by all.
const HALVE_ABOVE: usize = 1024;
/// No more than one ray is made up for so many triangles.
const TRIANGLES_PER_RAY: usize = 4;
/// Rays made up for each that is given: fewer, and others than were given might cost more for it.
const GENERATED_PER_GIVEN: usize = 2;
/// So many rays more would meet the parts of a box as their surface areas say, so that little is
/// left to chance.
const AREA_WEIGHT: f64 = 32.0;

/// The least and the greatest corner of a box.
type Ends<'a> = (&'a [f32; 3], &'a [f32; 3]);

/// The rays that meet a box.
#[derive(Clone, Copy)]
pub(super) struct RaySet {
    /// Where those of the sample begin in a list that ends with them.
    first: usize,
    /// How likely a ray that meets the box of everything is to be one of them, a unit of half the surface area.
    density: f64,
}

impl RaySet {
    /// How likely a ray is to be one of those that meet a box of half the surface area `area`.
    pub(super) fn chance(&self, area: f64) -> f64 {
        area * self.density
    }

    /// With a list of their own, in which they are no longer the last of `rays`.
    pub(super) fn alone(self, rays: &mut Vec<u32>) -> (Self, Vec<u32>) {
        let its = rays.split_off(self.first);
        (Self { first: 0, ..self }, its)
    }
}

/// Some rays.
pub(crate) struct RaySample(Vec<SlabRay>);

/// A ray, for a slab test: a quick one that rounds ([`Aabb::intersects_ray`](crate::Aabb::intersects_ray) does not), for no hit
/// depends on the answer.
struct SlabRay {
    origin: Vec3A,
    reciprocal: Vec3A,
    t_min: f32,
    t_max: f32,
}

impl SlabRay {
    /// `None` for a ray that hits nothing whatever is there.
    fn new(ray: Ray) -> Option<Self> {
        // Not infinite, or what is zero would make it no number at all.
        let reciprocal = ray.dir.map(|d| (1.0 / d).clamp(f32::MIN, f32::MAX));
        ray.is_castable().then_some(Self {
            origin: ray.origin.into(),
            reciprocal: reciprocal.into(),
            t_min: ray.t_min,
            t_max: ray.t_max,
        })
    }

    #[inline(always)]
    fn meets(&self, min: &[f32; 3], max: &[f32; 3]) -> bool {
        let to_min = (Vec3A::from_array(*min) - self.origin) * self.reciprocal;
        let to_max = (Vec3A::from_array(*max) - self.origin) * self.reciprocal;
        let enters = to_min.min(to_max).max_element();
        let leaves = to_min.max(to_max).min_element();
        enters.max(self.t_min) <= leaves.min(self.t_max)
    }
}

/// As many of the caller's rays as are of use, evenly taken.
pub(super) fn thin_out(rays: Vec<Ray>) -> Vec<Ray> {
    let step = rays.len().div_ceil(MAX_RAYS).max(1);
    rays.into_iter().step_by(step).collect()
}

impl RaySample {
    /// Of given rays; and of `test_rng` ones, or more if there are many of the others, but none for 0. Of few
    /// triangles there are fewer.
    pub(super) fn new(given: &[Ray], test_rng: usize, kept: &[InputTriangle]) -> Self {
        let given = given.iter().copied();
        let mut lines: Vec<SlabRay> = given.filter_map(SlabRay::new).collect();
        if test_rng > 0 {
            let count = test_rng.max(GENERATED_PER_GIVEN * lines.len());
            lines.extend(generate(count, kept).filter_map(SlabRay::new));
        }
        Self(lines)
    }

    /// Those that meet the box of everything, which is of this half area; and their numbers.
    pub(super) fn whole(&self, (min, max): Ends<'_>) -> (RaySet, Vec<u32>) {
        let lines = self.0.iter().zip(0..);
        let met = lines.filter(|(line, _)| line.meets(min, max));
        let density = 1.0 / half_area(min, max);
        let first = 0;
        (RaySet { first, density }, met.map(|(_, ray)| ray).collect())
    }

    /// Those that meet a box in one of half the surface area `around`, which `met` meet. They are the last
    /// of `rays`, and so are then those that meet the box within.
    #[inline(always)]
    pub(super) fn within(
        &self,
        met: RaySet,
        around: f64,
        (min, max): Ends<'_>,
        rays: &mut Vec<u32>,
    ) -> RaySet {
        let first = rays.len();
        if first - met.first < MIN_RAYS {
            return RaySet { first, ..met };
        }
        for i in met.first..first {
            let ray = rays[i];
            if self.0[ray as usize].meets(min, max) {
                rays.push(ray);
            }
        }
        let area = half_area(min, max);
        let (all, some) = (first - met.first, rays.len() - first);
        let by_area = AREA_WEIGHT * chance(area, around);
        let chance = (some as f64 + by_area) / (all as f64 + AREA_WEIGHT);
        let most = if all > HALVE_ABOVE { all / 2 } else { all - all / 4 };
        if some > most {
            // Evenly taken.
            for i in 0..most {
                rays[first + i] = rays[first + i * some / most];
            }
            rays.truncate(first + most);
        }
        // What has no area costs nothing, wherever it is.
        let density = if area > 0.0 { met.density * around * chance / area } else { met.density };
        RaySet { first, density }
    }
}

/// Up to `count` rays that begin anywhere on a triangle and go anywhere. Every triangle counts the same,
/// however large it is: where there are many, there is something to see, and few rays come near the large
/// ones that close a level off.
fn generate(count: usize, kept: &[InputTriangle]) -> impl Iterator<Item = Ray> {
    let step = kept.len().div_ceil(count.max(1)).max(TRIANGLES_PER_RAY);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let triangles = kept.iter().step_by(step).take(count);
    triangles.map(move |triangle| Ray::new(random.point_on(triangle), random.direction()))
}

/// Numbers that look like chance: splitmix64 (Steele, Lea and Flood 2014).
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
        // Of coordinates so large that their difference is infinite, too.
        a * (1.0 - u - v) + b * u + c * v
    }

    /// Of no certain length.
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

    const UNIT: Ends<'_> = (&[0.0; 3], &[1.0; 3]);

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
        /// Against the points of the ray that lie deepest in the box, but for those that only touch it.
        #[test]
        fn a_ray_meets_the_boxes_that_it_goes_through(
            origin in point(), dir in point(), a in point(), b in point(), t_max in 0f32..4.0,
        ) {
            prop_assume!(dir != [0.0; 3]);
            let [min, max]: [[f32; 3]; 2] = [f32::min, f32::max].map(|end| [0, 1, 2].map(|k| end(a[k], b[k])));
            let ray = Ray::new(origin, dir).with_range(0.0, t_max);
            let depth = |t: f64| {
                let depths = (0..3).map(|k| {
                    let at = f64::from(origin[k]) + t * f64::from(dir[k]);
                    (at - f64::from(min[k])).min(f64::from(max[k]) - at)
                });
                depths.fold(f64::INFINITY, f64::min)
            };
            // It is concave: so the deepest point is found by thirds.
            let (mut low, mut high) = (0.0, f64::from(t_max));
            for _ in 0..200 {
                let (one, two) = ((2.0 * low + high) / 3.0, (low + 2.0 * high) / 3.0);
                if depth(one) < depth(two) { low = one } else { high = two }
            }
            let deepest = depth(low).max(depth(high));
            prop_assume!(deepest.abs() > 1e-4);
            let met = sample(vec![ray]).0[0].meets(&min, &max);
            prop_assert_eq!(met, deepest > 0.0);
        }
    }

    #[test]
    fn chances_are_of_rays_where_there_are_some_and_of_areas_elsewhere() {
        let up = |x: f32| Ray::new([x, 0.5, -1.0], [0.0, 0.0, 1.0]);
        let left: Ends<'_> = (&[0.0; 3], &[0.5, 1.0, 1.0]);
        let right: Ends<'_> = (&[0.5, 0.0, 0.0], &[1.0; 3]);
        let chances = |rays: Vec<Ray>| {
            let sample = sample(rays);
            let (whole, mut numbers) = sample.whole(UNIT);
            assert_eq!(whole.chance(3.0), 1.0);
            let count = numbers.len();
            let chances = [left, right].map(|part| {
                numbers.truncate(count);
                let met = sample.within(whole, 3.0, part, &mut numbers);
                met.chance(half_area(part.0, part.1))
            });
            (count, chances)
        };
        let by_area = 2.0 / 3.0;
        assert_eq!(chances(vec![]), (0, [by_area; 2]));
        // Too few, and those that go by.
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
    fn what_is_below_a_part_is_in_proportion() {
        let ray = Ray::new([0.25, 0.5, -1.0], [0.0, 0.0, 1.0]);
        let sample = sample(vec![ray; 100]);
        let (whole, mut rays) = sample.whole(UNIT);
        let right: Ends<'_> = (&[0.5, 0.0, 0.0], &[1.0; 3]);
        let met = sample.within(whole, 3.0, right, &mut rays);
        // None of the rays comes here: areas tell.
        let (around, part) = (half_area(right.0, right.1), half_area(&[0.5; 3], right.1));
        let below = sample.within(met, around, (&[0.5; 3], &[1.0; 3]), &mut rays);
        let ratio = below.chance(part) / met.chance(around);
        assert!((ratio - part / around).abs() < 1e-12);
    }

    /// Where all boxes are the same, each node would be looked at by all rays.
    #[test]
    fn fewer_go_on_even_if_all_could() {
        for count in [MIN_RAYS, 100, HALVE_ABOVE, 5 * HALVE_ABOVE] {
            let up = Ray::new([0.5, 0.5, -1.0], [0.0, 0.0, 1.0]);
            let sample = sample(vec![up; count]);
            let (mut met, mut rays) = sample.whole(UNIT);
            let mut looks = 0;
            for _ in 0..60 {
                let before = rays.len();
                looks += before - met.first;
                met = sample.within(met, 3.0, UNIT, &mut rays);
                assert_eq!(met.chance(3.0), 1.0);
            }
            assert_eq!(rays.len(), met.first);
            assert!(looks <= 4 * count, "{looks} of {count}");
        }
    }

    #[test]
    fn rays_that_hit_nothing_do_not_count() {
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
    fn made_up_rays_begin_on_triangles_of_any_size() {
        let corners = [[f32::MAX, 0.0, 1.0], [f32::MIN, 0.0, 1.0], [0.0, f32::MAX, 1.0]];
        let tiny = [[1e-40, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 1e-40, 1.0]];
        let kept: Vec<_> = [corners, tiny].repeat(50);
        let kept: Vec<_> =
            kept.into_iter().map(|corners| InputTriangle { corners, id: 0 }).collect();
        for count in [0, 1, 7, 100, 1000] {
            let rays: Vec<_> = generate(count, &kept).collect();
            let most = count.min(kept.len() / TRIANGLES_PER_RAY);
            assert!(rays.len() <= most && 2 * rays.len() >= most, "{count}");
            assert!(rays.iter().all(|ray| ray.origin.is_finite() && ray.origin.z == 1.0));
            assert_eq!(RaySample::new(&[], count, &kept).0.len(), rays.len());
            // With given ones there are more of them, if any.
            let given = [Ray::new([0.0; 3], [1.0; 3]); 20];
            let with = RaySample::new(&given, count, &kept).0.len();
            let more = generate(count.max(GENERATED_PER_GIVEN * given.len()), &kept).count();
            assert_eq!(with, given.len() + if count > 0 { more } else { 0 });
        }
        assert_eq!(generate(10, &[]).count(), 0);
    }
}
