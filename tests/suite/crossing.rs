//! Shapes that stick in needles and slivers: after a push of `depth` along `normal` they are out,
//! and no way out is shorter. Held against whole numbers of any length.
//!
//! `HITSCAN_LONG=500` asks 100,000 questions of each kind of shape.

use crate::{scenes, support};
mod judge;

use hitscan::geometry::{ConvexHull, ConvexShape, TriangleContact};
use hitscan::glam::{Affine3A, Quat, Vec3};
use hitscan::scene::{Instance, Scene};
use hitscan::{Aabb, Builder, Capsule, Mesh, Obb, Query, Sphere, Triangle};
use judge::Judge;
use scenes::instruction_sets;
use support::{Random, in_world, long};

/// What `depth` and `normal` may be wrong by, in parts of the largest coordinate involved: four
/// roundings.
const TOLERANCE: f64 = 4.0 * f32::EPSILON as f64;
/// How much longer than the shortest way out a way may be.
const LONGER: f64 = 1e-3;

/// What was seen of some contacts.
#[derive(Debug, Default)]
struct Seen {
    crossings: usize,
    /// What is left after the push, in parts of the tolerance.
    left: f64,
    /// By how much the way is too long, in parts of what is allowed.
    too_long: f64,
    /// How many are longer by one part in 1,000, without any tolerance.
    strictly_too_long: usize,
}

impl Seen {
    /// Looks at a contact of a motion of zero. Everything that is wrong is told.
    fn look(
        &mut self,
        shape: &ConvexShape,
        corners: [Vec3; 3],
        push: Option<(Vec3, f32)>,
    ) -> Result<(), String> {
        let judge = Judge::new(shape, corners);
        let (shortest, tolerance) = (judge.depth([0.0; 3]), judge.size * TOLERANCE);
        let context = || format!("{shape:?} {corners:?} {push:?}, the shortest: {shortest:e}");
        let Some((normal, depth)) = push else {
            // The judge's own roundings.
            return if shortest <= 1e-12 * judge.size { Ok(()) } else { Err(context()) };
        };
        self.crossings += 1;
        let normal = normal.to_array().map(f64::from);
        let along = |way: f64| judge.depth(normal.map(|x| x * way));
        let depth = f64::from(depth);
        self.left = self.left.max(along(depth) / tolerance);
        let longer = depth - shortest;
        self.too_long = self.too_long.max(longer / (shortest * LONGER + tolerance));
        self.strictly_too_long += usize::from(longer > shortest * LONGER);
        if along(depth + tolerance) > 1e-12 * judge.size {
            return Err(format!("{} left, {}", along(depth), context()));
        }
        if longer > shortest.max(0.0) * LONGER + tolerance {
            return Err(format!("too long, {}", context()));
        }
        Ok(())
    }

    fn look_at(&mut self, shape: &ConvexShape, corners: [Vec3; 3]) -> Result<(), String> {
        let contact = shape.first_contact(Vec3::ZERO, &triangle(corners));
        if let Some(TriangleContact { t, normal, face_normal, .. }) = contact {
            let is_unit = |v: Vec3| (v.length() - 1.0).abs() < 1e-6;
            assert!(t == 0.0 && is_unit(normal) && is_unit(face_normal), "{contact:?}");
        }
        self.look(shape, corners, contact.map(|contact| (contact.normal, contact.depth)))
    }
}

fn triangle([a, b, c]: [Vec3; 3]) -> Triangle {
    Triangle::new(a, b, c)
}

fn log_range(random: &mut Random, low: f32, high: f32) -> f32 {
    (random.range(low.ln(), high.ln())).exp()
}

/// A triangle that is 10 to a million times as long as wide.
struct Needle {
    corners: [Vec3; 3],
    size: f32,
    /// The direction that it is long in, and one across.
    along: Vec3,
    side: Vec3,
}

fn needle(random: &mut Random) -> Needle {
    let size = log_range(random, 1e-3, 1e6);
    let width = size / log_range(random, 10.0, 1e6);
    let far = [0.0, 0.0, 0.0, 1.0, 30.0, 1000.0][random.below(6)] * size;
    let along = if random.below(4) == 0 { Vec3::X } else { random.direction() };
    let side = along.cross(random.direction()).normalize_or(Vec3::Y);
    let a = random.direction() * far;
    let b = a + along * size;
    let c = match random.below(3) {
        // A spike, at the one end or the other, or a flat cap.
        0 => b + side * width,
        1 => a + side * width,
        _ => a + along * size * random.range(0.05, 0.95) + side * width,
    };
    let mut corners = [a, b, c];
    match random.below(16) {
        // In whole units, so that shapes are in its plane or along its edges exactly.
        0 | 1 => {
            let unit = f32::exp2(size.log2().floor() - 10.0);
            corners = corners.map(|corner| (corner / unit).round() * unit);
        }
        // Without an area, exactly or nearly so.
        2 => corners[2] = [a, b, (a + b) * 0.5, a + (b - a) * 0.3][random.below(4)],
        3 if random.below(4) == 0 => corners = [a; 3],
        _ => {}
    }
    corners.rotate_left(random.below(3));
    if random.below(2) == 0 {
        corners.swap(0, 1);
    }
    Needle { corners, size, along, side }
}

/// About a point of a triangle.
fn point_of(random: &mut Random, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let (u, v) = (random.unit(), random.unit());
    let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
    match random.below(8) {
        0 => a,
        1 => a + (b - a) * u,
        _ => a + (b - a) * u + (c - a) * v,
    }
}

/// A direction that is often a special one.
fn direction(random: &mut Random, along: Vec3, side: Vec3) -> Vec3 {
    match random.below(8) {
        0 => along,
        1 => side,
        2 => along.cross(side),
        3 => (along + side * random.range(-1.0, 1.0)).normalize(),
        4 => (along + random.direction() * log_range(random, 1e-6, 0.1)).normalize(),
        5 => [Vec3::X, Vec3::Y, Vec3::NEG_Z][random.below(3)],
        _ => random.direction(),
    }
}

const KINDS: [&str; 5] = ["sphere", "capsule", "box", "turned box", "hull"];

/// A shape of a kind that sticks in a needle.
fn shape_in(random: &mut Random, kind: usize, needle: &Needle) -> ConvexShape {
    let Needle { corners, size, along, side } = *needle;
    loop {
        let (at, face) = (point_of(random, corners), along.cross(side));
        let way = direction(random, along, side);
        let radius = size * log_range(random, 1e-5, 10.0);
        let radius = if random.below(8) == 0 { 0.0 } else { radius };
        let half = Vec3::from([(); 3].map(|()| size * log_range(random, 1e-3, 1.0)));
        return match kind {
            0 => {
                let off = [0.0, 0.0, 1e-7, 1e-3, 0.5][random.below(5)] * radius;
                Sphere::new(at + if random.below(2) == 0 { face } else { side } * off, radius)
                    .into()
            }
            1 => {
                let length = size * log_range(random, 1e-3, 10.0);
                let [from, to] =
                    [(0.5, 0.5), (0.1, 0.9), (0.0, 1.0), (0.0, 0.0)][random.below(4)].into();
                Capsule::new(at - way * length * from, at + way * length * to, radius).into()
            }
            2 => {
                let center = at + half * random.in_box(Vec3::splat(-0.99), Vec3::splat(0.99));
                Aabb::from_center_half_size(center, half).into()
            }
            3 => {
                let turn = match random.below(3) {
                    0 => Quat::from_rotation_arc(Vec3::X, way),
                    1 => Quat::from_rotation_y(random.range(0.0, 6.0)),
                    _ => Quat::from_rotation_arc(Vec3::Z, random.direction()),
                };
                let off = turn * (half * random.in_box(Vec3::splat(-0.99), Vec3::splat(0.99)));
                let map = Affine3A::from_rotation_translation(turn, at + off);
                let local = Aabb::from_center_half_size(Vec3::ZERO, half);
                let Some(shape) = Obb::from_transform(&map, local) else { continue };
                shape.into()
            }
            _ => {
                let turn = Quat::from_rotation_arc(Vec3::X, way);
                let around = || Vec3::from([(); 3].map(|()| 1.0));
                let points = (0..4 + random.below(4))
                    .map(|_| at + turn * (half * random.in_box(-around(), around())))
                    .collect::<Vec<_>>();
                let Ok(hull) = ConvexHull::from_points(points) else { continue };
                hull.into()
            }
        };
    }
}

/// Asks about many shapes of a kind: alone, in trees, and in scenes.
fn ask(kind: usize) {
    let (mut random, mut seen) = (Random::new(56 + kind as u64), Seen::default());
    let (sets, mut contacts, mut placed, mut wrong) = (instruction_sets(), vec![], vec![], vec![]);
    let count = 200 * long();
    for i in 0..count {
        let needle = needle(&mut random);
        let (shape, corners) = (shape_in(&mut random, kind, &needle), needle.corners);
        wrong.extend(seen.look_at(&shape, corners).err());
        let [a, b, c] = corners;
        let triangle = triangle(corners);
        if triangle.is_degenerate() || i % 4 != 0 {
            continue;
        }
        // The same in a tree, by each question.
        let expected = shape.first_contact(Vec3::ZERO, &triangle);
        let expected = expected.map(|contact| (contact.normal, contact.depth, contact.feature));
        let away = (c - a) * 3.0;
        let other = [a + away * 9.0, b + away * 9.0, c + away * 10.0];
        let all = corners.into_iter().chain(other);
        let mesh = Mesh::from_soup(all.map(|corner| corner.to_array()).collect());
        let (bvh, _) = Builder::new().threads(1).bake(&[mesh]).unwrap();
        let query = Query::new().instruction_set(sets[i / 4 % sets.len()]);
        let is_needle = |number: u32| number == 0;
        bvh.all_contacts(&shape, Vec3::ZERO, &query, &mut contacts);
        let is_alone = contacts.len() == 1 && is_needle(contacts[0].hit.triangle);
        contacts.retain(|contact| is_needle(contact.hit.triangle));
        let found =
            contacts.first().map(|contact| (contact.normal, contact.depth, contact.feature));
        assert_eq!(found, expected, "{shape:?} {triangle:?}");
        if let Some(first) = bvh.first_contact(&shape, Vec3::ZERO, &query)
            && is_needle(first.hit.triangle)
        {
            assert_eq!(Some((first.normal, first.depth, first.feature)), expected, "{shape:?}");
        }
        // A way that leads into another triangle is not used.
        bvh.penetrations(&shape, &query, &mut contacts);
        for contact in contacts.iter().filter(|_| is_alone) {
            assert_eq!(
                Some((contact.normal, contact.depth, contact.feature)),
                expected,
                "{shape:?}"
            );
        }

        // In a scene, where the triangle is another one if it is turned.
        let mut scene = Scene::new();
        let turn =
            [Quat::IDENTITY, Quat::from_rotation_arc(Vec3::X, random.direction())][i / 4 % 2];
        let map = Affine3A::from_rotation_translation(turn, random.direction() * a.length());
        scene.insert(Instance::new(bvh.clone()).with_transform(map)).unwrap();
        let snapshot = scene.commit();
        let [along, side] = [needle.along, needle.side].map(|v| turn * v);
        let world = Needle { corners: corners.map(|v| in_world(&map, v)), along, side, ..needle };
        let (shape, world) = (shape_in(&mut random, kind, &world), world.corners);
        snapshot.all_contacts(&shape, Vec3::ZERO, &query, &mut placed);
        placed.retain(|contact| is_needle(contact.hit.triangle));
        let found = placed.first().map(|contact| (contact.normal, contact.depth));
        wrong.extend(seen.look(&shape, world, found).err());
    }
    let name = KINDS[kind];
    println!("{name}: {} of {count} wrong, {seen:?}", wrong.len());
    assert!(wrong.is_empty(), "{name}, {} wrong: {}", wrong.len(), wrong[0]);
    assert!(seen.crossings * 2 > count, "{seen:?}");
}

#[test]
fn spheres_leave_needles_by_the_shortest_way() {
    ask(0);
}

#[test]
fn capsules_leave_needles_by_the_shortest_way() {
    ask(1);
}

#[test]
fn boxes_leave_needles_by_the_shortest_way() {
    ask(2);
}

#[test]
fn turned_boxes_leave_needles_by_the_shortest_way() {
    ask(3);
}

#[test]
fn hulls_leave_needles_by_the_shortest_way() {
    ask(4);
}

/// A capsule whose segment goes through a needle: the face's normal is 2.2 long, not 0.4. Then the
/// same needle with other first corners, a needle inside that is a hundred times as thin, and one
/// that is far away.
#[test]
fn a_capsule_through_a_needle_leaves_it_past_an_edge() {
    let (a, b) = ([3.0515294, 6.0019693, -2.3901553], [5.139402, 3.9604416, -0.39862752]);
    let capsule = ConvexShape::from(Capsule::new(a, b, 0.4));
    let needle: [Vec3; 3] = [
        Vec3::new(-0.26871097, 0.30621564, -0.39300418),
        Vec3::new(6.386324, 7.5927973, -2.010488),
        Vec3::new(6.386741, 7.592254, -2.0112166),
    ];
    let mut seen = Seen::default();
    let mut looks = |shape: &ConvexShape, needle: [Vec3; 3]| {
        seen.look_at(shape, needle).unwrap();
        let contact = shape.first_contact(Vec3::ZERO, &triangle(needle)).unwrap();
        assert!(contact.normal != contact.face_normal && (0.4..0.401).contains(&contact.depth));
        contact
    };
    let first = looks(&capsule, needle);
    for turned in [[1, 2, 0], [2, 0, 1], [1, 0, 2]] {
        let contact = looks(&capsule, turned.map(|i| needle[i]));
        assert_eq!((contact.normal, contact.depth), (first.normal, first.depth));
    }
    let across = needle[2] - needle[1];
    looks(&capsule, [needle[0], needle[1] + across * 0.458, needle[1] + across * 0.468]);
    let far = Vec3::new(-64.0, 32.0, 128.0);
    let moved = Capsule::new(Vec3::from(a) + far, Vec3::from(b) + far, 0.4).into();
    looks(&moved, needle.map(|corner| corner + far));
}

/// A segment that just reaches a face, in the middle and at a corner, and spheres with a center on
/// needles.
#[test]
fn centers_on_needles_are_pushed_out_along_the_face() {
    let mut seen = Seen::default();
    for width in [1.0, 1e-3, 1e-6, 1e-9] {
        let needle = [Vec3::ZERO, Vec3::new(8.0, 0.0, 0.0), Vec3::new(8.0, 0.0, width)];
        for at in [Vec3::new(4.0, 0.0, width * 0.25), Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0)] {
            let ball = ConvexShape::from(Sphere::new(at, 0.25));
            let stick = Capsule::new(at, at + Vec3::Y * 3.0, 0.25).into();
            for shape in [ball, stick] {
                seen.look_at(&shape, needle).unwrap();
                let contact = shape.first_contact(Vec3::ZERO, &triangle(needle)).unwrap();
                assert_eq!((contact.normal.abs(), contact.depth), (Vec3::Y, 0.25), "{contact:?}");
                assert_eq!(contact.normal, contact.face_normal);
            }
        }
    }
    assert_eq!(seen.strictly_too_long, 0);
}
