//! Why a triangle does not stop a shape that moves: against a plain reference over all triangles.
//! For boxes it is in whole numbers, of its own; for other shapes it asks one triangle at a time.

use std::collections::BTreeMap;

use super::checked;
use super::reference::{Case, Point, World, cross, dot, minus};
use crate::support::Random;
use hitscan::explain::{Gap, WhyNotContact};
use hitscan::geometry::ConvexShape;
use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Instance, Scene};
use hitscan::{Aabb, Builder, Bvh, Capsule, Facing, Hit, Query, Sphere};

/// A shape and its motion.
#[derive(Debug)]
struct Way {
    shape: ConvexShape,
    /// The corners, if it is a box.
    corners: Option<[Point; 2]>,
    /// Twice the middle of the shape.
    middle: Point,
    motion: Point,
}

#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Reason {
    /// Its `t`, and the least one of all.
    First(f32, f32),
    Later(f32, f32),
    Filter(f32),
    Facing(f32),
    PastEnd(f32),
    NeverTouched,
    Mask,
    Skipped,
}

impl Way {
    fn new(random: &mut Random, world: &World, case: &Case) -> Self {
        let whole = |random: &mut Random, half: usize| {
            [0; 3].map(|_: i64| random.below(2 * half + 1) as i64 - half as i64)
        };
        let (a, size) = (whole(random, 6), [0; 3].map(|_: i64| random.below(3) as i64));
        let b = [0, 1, 2].map(|k| a[k] + size[k]);
        let middle = [0, 1, 2].map(|k| a[k] + b[k]);
        let point = |p: Point| Vec3::from_array(p.map(|x| x as f32));
        let radius = random.below(5) as f32 * 0.25;
        let (shape, corners) = match random.below(4) {
            0 => (Capsule::new(point(a), point(b), radius).into(), None),
            1 => (Sphere::new(0.5 * point(middle), radius).into(), None),
            _ => (Aabb::from_min_max(point(a), point(b)).into(), Some([a, b])),
        };
        let mut motion = whole(random, 4);
        // Most towards the triangle: some not far enough, some past it.
        if random.below(3) != 0 {
            let ([p, q, r], _) = world.vertices(case.mesh, case.triangle);
            let to = [0, 1, 2].map(|k| (p[k] + q[k] + 2 * r[k]) / 4 - a[k]);
            motion = match random.below(3) {
                0 => to.map(|x| x / 2),
                1 => to,
                _ => to.map(|x| 2 * x),
            };
        }
        Self { shape, corners, middle, motion }
    }

    fn motion(&self) -> Vec3 {
        Vec3::from_array(self.motion.map(|x| x as f32))
    }

    /// When it first touches a triangle, however far it has to go.
    fn touches(&self, bvh: &Bvh, corners: [Point; 3], numbers: (u32, u32)) -> Option<f32> {
        const LONGER: f32 = 64.0;
        match self.corners {
            Some(of_box) => box_touches(of_box, self.motion, corners),
            None => {
                let triangle = bvh.mesh_triangle(numbers.0, numbers.1)?;
                let contact = self.shape.first_contact(self.motion() * LONGER, &triangle)?;
                Some(contact.t * LONGER)
            }
        }
    }
}

/// When a box that moves first touches a triangle: the first time at which all axes, one by one,
/// show them together.
fn box_touches([min, max]: [Point; 2], motion: Point, [a, b, c]: [Point; 3]) -> Option<f32> {
    let units = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let sides = [minus(b, a), minus(c, b), minus(a, c)];
    let mut axes = vec![cross(sides[0], sides[1])];
    axes.extend(units);
    axes.extend(units.iter().flat_map(|&unit| sides.map(|side| cross(unit, side))));
    // From one fraction to another.
    let (mut from, mut to) = ((0i128, 1i128), None::<(i128, i128)>);
    for axis in axes.into_iter().filter(|&axis| axis != [0; 3]) {
        let of_triangle = [a, b, c].map(|corner| i128::from(dot(axis, corner)));
        let low =
            |k: usize| i128::from(axis[k]) * i128::from(if axis[k] < 0 { max[k] } else { min[k] });
        let high =
            |k: usize| i128::from(axis[k]) * i128::from(if axis[k] < 0 { min[k] } else { max[k] });
        let of_box = [low(0) + low(1) + low(2), high(0) + high(1) + high(2)];
        let speed = i128::from(dot(axis, motion));
        let [least, most] = [of_triangle.iter().min()?, of_triangle.iter().max()?];
        let (mut first, mut last) = (least - of_box[1], most - of_box[0]);
        if speed == 0 {
            if first > 0 || last < 0 {
                return None;
            }
            continue;
        }
        if speed < 0 {
            (first, last) = (-last, -first);
        }
        let (first, last) = ((first, speed.abs()), (last, speed.abs()));
        if first.0 * from.1 > from.0 * first.1 {
            from = first;
        }
        if to.is_none_or(|to| last.0 * to.1 < to.0 * last.1) {
            to = Some(last);
        }
    }
    let is_past = to.is_some_and(|to| to.0 * from.1 < from.0 * to.1);
    (!is_past).then_some((from.0 as f64 / from.1 as f64) as f32)
}

fn reason(world: &World, bvh: &Bvh, case: &Case, way: &Way, numbers: (u32, u32)) -> Reason {
    let alone = alone(world, bvh, case, way, numbers);
    let Reason::First(t, _) = alone else { return alone };
    let all = world.numbers().filter_map(|other| match self::alone(world, bvh, case, way, other) {
        Reason::First(t, _) => Some(t),
        _ => None,
    });
    let least = all.fold(t, f32::min);
    if least < t { Reason::Later(t, least) } else { Reason::First(t, least) }
}

/// Without the others.
fn alone(world: &World, bvh: &Bvh, case: &Case, way: &Way, (mesh, triangle): (u32, u32)) -> Reason {
    let ([a, b, c], mirrored) = world.vertices(mesh, triangle);
    let normal = cross(minus(b, a), minus(c, a));
    if normal == [0; 3] {
        return Reason::Skipped;
    }
    if world.mesh_mask(mesh) & case.mask == 0 {
        return Reason::Mask;
    }
    let Some(t) = way.touches(bvh, [a, b, c], (mesh, triangle)) else {
        return Reason::NeverTouched;
    };
    if t > 1.0 {
        return Reason::PastEnd(t);
    }
    let height = dot(minus(way.middle, a.map(|x| 2 * x)), normal);
    let front = if mirrored { height <= 0 } else { height >= 0 };
    if case.facing != Facing::Both && front != (case.facing == Facing::Front) {
        return Reason::Facing(t);
    }
    match case.filters && !case.accepts(mesh, triangle) {
        true => Reason::Filter(t),
        false => Reason::First(t, t),
    }
}

impl Reason {
    fn rank(&self) -> usize {
        match self {
            Self::First(..) => 0,
            Self::Later(..) => 1,
            Self::Filter(_) => 2,
            Self::Facing(_) => 3,
            Self::PastEnd(_) => 4,
            Self::NeverTouched => 5,
            Self::Mask => 6,
            Self::Skipped => 7,
        }
    }

    fn is_like(&self, found: &WhyNotContact) -> bool {
        match (*self, found) {
            // Of several at the same time, the rules of `first_contact` choose.
            (Self::First(t, _), WhyNotContact::First(contact)) => t == contact.t,
            (Self::First(a, b) | Self::Later(a, b), WhyNotContact::Later { contact, by }) => {
                (a, b) == (contact.t, by.t)
            }
            (Self::Filter(t), WhyNotContact::Filter { contact }) => t == contact.t,
            (Self::Facing(t), WhyNotContact::Facing { contact }) => t == contact.t,
            (Self::PastEnd(a), WhyNotContact::PastEnd { t, .. }) => a == *t,
            (Self::NeverTouched, WhyNotContact::NeverTouched(_)) => true,
            (Self::Mask, WhyNotContact::MeshMask { .. }) => true,
            (Self::Skipped, WhyNotContact::Skipped) => true,
            _ => false,
        }
    }
}

fn rank_of(found: &WhyNotContact) -> usize {
    match found {
        WhyNotContact::First(_) => 0,
        WhyNotContact::Later { .. } => 1,
        WhyNotContact::Filter { .. } => 2,
        WhyNotContact::Facing { .. } => 3,
        WhyNotContact::PastEnd { .. } => 4,
        WhyNotContact::NeverTouched(_) => 5,
        WhyNotContact::MeshMask { .. } => 6,
        WhyNotContact::Skipped => 7,
        other => panic!("{other:?}"),
    }
}

#[test]
fn why_not_contact_is_as_the_reference_says() {
    let random = &mut Random::new(23);
    let mut met = BTreeMap::<usize, usize>::new();
    for _ in 0..checked(1000) {
        let world = World::new(random);
        let (bvh, _) = Builder::new().bake(&world.meshes()).unwrap();
        let case = Case::new(random, &world);
        let way = Way::new(random, &world, &case);
        let accepts = |hit: &Hit| case.accepts(hit.mesh, hit.triangle);
        let mut query = Query::new().mask(case.mask).facing(case.facing);
        if case.filters {
            query = query.filter(&accepts);
        }
        let numbers = (case.mesh, case.triangle);
        let expected = reason(&world, &bvh, &case, &way, numbers);
        let (shape, motion) = (&way.shape, way.motion());
        let found = bvh.why_not_contact(shape, motion, &query, numbers.0, numbers.1);
        assert!(expected.is_like(&found), "{case:?}\n{way:?}\n{expected:?}\n{found:?}\n{world:?}");
        *met.entry(rank_of(&found)).or_default() += 1;
        let first = bvh.first_contact(shape, motion, &query);
        match found {
            WhyNotContact::First(contact) => assert_eq!(first, Some(contact)),
            WhyNotContact::Later { by, .. } => assert_eq!(first, Some(by)),
            WhyNotContact::NeverTouched(gap) | WhyNotContact::PastEnd { gap, .. } => {
                check_gap(&bvh, &way, numbers, &gap);
            }
            _ => {}
        }

        // Moved by whole numbers, in a scene with nothing else, all is as in the tree.
        let mut scene = Scene::new();
        let by = Vec3::new(3.0, -2.0, 5.0);
        let at = Affine3A::from_translation(-by);
        let instance = scene.insert(Instance::new(bvh.clone()).with_transform(at)).unwrap();
        let now = scene.commit();
        let moved = moved(shape, -by);
        let in_scene = now.why_not_contact(&moved, motion, &query, instance, numbers.0, numbers.1);
        assert!(expected.is_like(&in_scene), "{case:?}\n{expected:?}\n{in_scene:?}");

        // A mesh has the best reason of its triangles.
        let whole = bvh.why_not_contact_mesh(shape, motion, &query, case.mesh);
        let of_mesh = world.numbers().filter(|&(mesh, _)| mesh == case.mesh);
        let ranks = of_mesh.map(|other| reason(&world, &bvh, &case, &way, other).rank());
        let best = ranks.min().unwrap();
        // Of several that are first at the same time, one of another mesh may be chosen.
        let rank = rank_of(&whole.reason);
        assert!(rank == best || (rank, best) == (1, 0), "{case:?}\n{way:?}\n{whole:?}\n{world:?}");
        if let Some(triangle) = whole.triangle {
            let of_it = bvh.why_not_contact(shape, motion, &query, case.mesh, triangle);
            assert_eq!(of_it, whole.reason);
        }
        let same = now.why_not_contact_mesh(&moved, motion, &query, instance, case.mesh);
        assert_eq!((same.triangle, rank_of(&same.reason)), (whole.triangle, rank));
    }
    println!("{met:?}");
    assert!((0..8).all(|rank| met.get(&rank).is_some_and(|&count| count >= 10)), "{met:?}");
}

fn moved(shape: &ConvexShape, by: Vec3) -> ConvexShape {
    match shape {
        ConvexShape::Aabb(bounds) => Aabb::from_min_max(bounds.min + by, bounds.max + by).into(),
        ConvexShape::Sphere(sphere) => Sphere::new(sphere.center + by, sphere.radius).into(),
        ConvexShape::Capsule(one) => Capsule::new(one.a + by, one.b + by, one.radius).into(),
        other => panic!("{other:?}"),
    }
}

/// The points are where they should be, and no others are nearer at any of some times.
fn check_gap(bvh: &Bvh, way: &Way, (mesh, triangle): (u32, u32), gap: &Gap) {
    let vertices = bvh.mesh_triangle(mesh, triangle).unwrap();
    let motion = way.motion();
    let Gap { distance, t, point, on_shape, .. } = *gap;
    assert!(distance > 0.0 && (0.0..=1.0).contains(&t), "{gap:?}");
    assert!((point.distance(on_shape) - distance).abs() < 1e-4, "{gap:?}");
    assert!(vertices.closest_point(point).distance(point) < 1e-4, "{gap:?}");
    let apart = |at: Vec3| match &way.shape {
        ConvexShape::Aabb(bounds) => bounds.closest_point(at).distance(at),
        ConvexShape::Sphere(sphere) => sphere.center.distance(at) - sphere.radius,
        ConvexShape::Capsule(one) => {
            let along = one.b - one.a;
            let part = (at - one.a).dot(along) / along.length_squared().max(1e-9);
            (one.a + along * part.clamp(0.0, 1.0)).distance(at) - one.radius
        }
        other => panic!("{other:?}"),
    };
    assert!(apart(on_shape - motion * t).abs() < 1e-4, "{way:?} {gap:?}");
    for i in 0..=8 {
        for (u, v) in [(0, 0), (4, 0), (0, 4), (2, 2), (1, 1), (2, 1), (0, 2), (2, 0)] {
            let (u, v) = (u as f32 / 4.0, v as f32 / 4.0);
            let (e1, e2) = (vertices.v1 - vertices.v0, vertices.v2 - vertices.v0);
            let other = apart(vertices.v0 + e1 * u + e2 * v - motion * (i as f32 / 8.0));
            assert!(other >= distance - 1e-4, "{way:?} {gap:?} {other}");
        }
    }
}

#[test]
fn what_is_not_there_is_said_to_be_missing() {
    let flat = [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0f32]];
    let whole = [[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0f32]];
    let mesh = hitscan::Mesh::from_soup([flat, whole].concat());
    let (bvh, _) = Builder::new().bake(&[mesh]).unwrap();
    let (ball, up) = (Sphere::new([1.0, 1.0, 0.0], 0.5), [0.0, 0.0, 9.0]);
    let query = Query::new();
    let why = |mesh, triangle| bvh.why_not_contact(ball, up, &query, mesh, triangle);
    assert_eq!(why(0, 0), WhyNotContact::Skipped);
    assert!(matches!(why(0, 1), WhyNotContact::First(_)));
    assert_eq!(why(0, 2), WhyNotContact::NoTriangle { triangles: 2 });
    assert_eq!(why(1, 0), WhyNotContact::NoMesh);
    let nan = [f32::NAN; 3];
    assert_eq!(bvh.why_not_contact(ball, nan, &query, 0, 1), WhyNotContact::InvalidSweep);
    let empty = Sphere::new([0.0; 3], -1.0);
    assert_eq!(bvh.why_not_contact(empty, up, &query, 0, 1), WhyNotContact::InvalidSweep);
    // A shape that stays where it is, a motion that is tiny, and one that is huge.
    let still = bvh.why_not_contact(ball, [0.0; 3], &query, 0, 1);
    assert!(matches!(still, WhyNotContact::NeverTouched(gap) if gap.distance == 0.5), "{still:?}");
    let tiny = bvh.why_not_contact(ball, [0.0, 0.0, 1e-30], &query, 0, 1);
    assert!(matches!(tiny, WhyNotContact::PastEnd { t, .. } if t == 0.5 / 1e-30), "{tiny:?}");
    let huge = bvh.why_not_contact(ball, [0.0, f32::MAX, 0.0], &query, 0, 1);
    assert!(matches!(huge, WhyNotContact::NeverTouched(gap) if gap.distance == 0.5), "{huge:?}");

    let mut scene = Scene::new();
    let shown = scene.insert(Instance::new(bvh.clone()).with_mask(4)).unwrap();
    let far = Affine3A::from_translation(Vec3::splat(f32::MAX));
    let far = Affine3A::from_scale(Vec3::splat(4.0)) * far;
    let beyond = scene.insert(Instance::new(bvh).with_transform(far));
    let now = scene.commit();
    let why = |instance, query: &Query| now.why_not_contact(ball, up, query, instance, 0, 1);
    assert_eq!(why(shown, &query.mask(3)), WhyNotContact::InstanceMask { mask: 4 });
    assert!(matches!(why(shown, &query), WhyNotContact::First(_)));
    assert!(beyond.is_err());
}
