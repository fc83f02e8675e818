//! The numbers of a question. Each is asked in many ways: see [`crate::answer`].

use hitscan::glam::{Affine3A, Mat4, Quat, Vec3};
use hitscan::{Aabb, Capsule, ConvexHull, Obb, Ray, Shape, Sphere, Triangle};

/// The numbers.
pub(crate) struct Question {
    pub(crate) ray: Ray,
    pub(crate) a: Vec3,
    pub(crate) b: Vec3,
    pub(crate) c: Vec3,
    pub(crate) radius: f32,
    pub(crate) motion: Vec3,
    pub(crate) bounds: Aabb,
    pub(crate) transform: Affine3A,
}

/// A xorshift generator (Marsaglia 2003).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        low + (high - low) * ((self.0 >> 40) as f32 / 16_777_216.0)
    }

    fn point(&mut self, low: Vec3, high: Vec3) -> Vec3 {
        let [x, y, z] = [0, 1, 2].map(|k| self.between(low[k], high[k]));
        Vec3::new(x, y, z)
    }
}

impl Question {
    /// Questions about a level of this size. Every eighth ray runs along an axis.
    pub(crate) fn list(level: &Aabb, count: usize) -> Vec<Self> {
        let mut random = Random::new(2);
        let (low, high, size) = (level.min, level.max, level.size().max_element());
        let one = |i: usize| {
            let origin = random.point(low, high);
            let axis = Vec3::AXES[i % 3];
            let dir = if i.is_multiple_of(8) { axis } else { random.point(low, high) - origin };
            let t_max = if i.is_multiple_of(5) { 0.5 } else { f32::INFINITY };
            let [a, b, c] = [0.0, 0.1, 0.1].map(|reach| {
                let away = Vec3::splat(reach * size);
                if reach == 0.0 { random.point(low, high) } else { random.point(-away, away) }
            });
            let radius = random.between(0.0, 0.05 * size);
            let motion = random.point(Vec3::splat(-size), Vec3::splat(size)) * 0.2;
            let half = random.point(Vec3::ZERO, Vec3::splat(0.05 * size));
            let turn = Quat::from_xyzw(b.x, b.y, c.x, 1.0 + size).normalize();
            Self {
                ray: Ray::new(origin, dir).with_range(0.0, t_max),
                a,
                b: a + b,
                c: a + c,
                radius,
                motion,
                bounds: Aabb::from_min_max(a - half, a + half),
                transform: Affine3A::from_rotation_translation(turn, a * 0.5),
            }
        };
        (0..count).map(one).collect()
    }

    /// All numbers in a row: 43.
    pub(crate) fn numbers(&self) -> Vec<f32> {
        let Self { ray, a, b, c, radius, motion, bounds, transform } = self;
        let ray = [&ray.origin.to_array()[..], &ray.dir.to_array(), &[ray.t_min, ray.t_max]];
        let points = [*a, *b, *c, *motion, bounds.min, bounds.max].map(|point| point.to_array());
        let matrix = Mat4::from(*transform).to_cols_array();
        [ray.concat(), points.as_flattened().to_vec(), vec![*radius], matrix.to_vec()].concat()
    }

    /// Shapes of these numbers.
    pub(crate) fn shapes(&self) -> Vec<Shape> {
        let mut shapes: Vec<Shape> = vec![
            self.bounds.into(),
            Sphere::new(self.a, self.radius).into(),
            Capsule::new(self.a, self.b, self.radius).into(),
            Triangle::new(self.a, self.b, self.c).into(),
        ];
        shapes.extend(self.obb().map(Shape::from));
        shapes.extend(self.hull().map(Shape::from));
        shapes
    }

    /// The box, turned.
    pub(crate) fn obb(&self) -> Option<Obb> {
        Obb::from_transform(&self.transform, self.bounds)
    }

    /// The hull of four points.
    pub(crate) fn hull(&self) -> Option<ConvexHull> {
        ConvexHull::from_points([self.a, self.b, self.c, self.a + self.motion]).ok()
    }
}
