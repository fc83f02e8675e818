//! Questions in scenes of every size, from the least numbers above zero to 1e30, are those of exact
//! arithmetic with the triangles as they are in the world.
//!
//! `HITSCAN_LONG=1050` asks 100,000 questions.

use crate::nearest::judge;
use crate::shapes::judge as exact;
use crate::support;

use std::cmp::Ordering;

use hitscan::geometry::{ConvexHull, Shape, is_mirroring};
use hitscan::glam::{Affine3A, Mat3, Quat, Vec3, Vec4};
use hitscan::query::MeshTriangle;
use hitscan::scene::{Instance, Scene, Snapshot};
use hitscan::{
    Aabb, Builder, Bvh, Capsule, ConvexShape, Hit, InstanceId, InstructionSet, Mesh, Obb, Query,
    Ray, Sphere, Triangle,
};

use exact::HalfSpace;
use judge::Distance;
use support::{Random, in_world, long};

/// The handle, the mesh and the triangle.
type Key = (InstanceId, u32, u32);

/// A scene, its triangles where they were baked, and as they are in the world.
struct World {
    snapshot: Snapshot,
    baked: Vec<(Key, Triangle)>,
    moved: Vec<(Key, Triangle)>,
}

impl World {
    fn new(placed: &[(&Bvh, Affine3A)]) -> Self {
        let mut scene = Scene::new();
        let mut ids = Vec::new();
        for &(bvh, map) in placed {
            let instance = Instance::new(bvh.clone()).with_transform(map);
            ids.push(scene.insert(instance).expect("a sound map"));
        }
        let snapshot = scene.commit();
        let (mut baked, mut all) = (Vec::new(), Vec::new());
        for (&(bvh, map), &id) in placed.iter().zip(&ids) {
            for MeshTriangle { mesh, triangle, vertices, .. } in bvh.triangles() {
                let Triangle { v0, v1, v2 } = vertices;
                let [a, b, c] = [v0, v1, v2].map(|corner| in_world(&map, corner));
                let [b, c] = if is_mirroring(&map) { [c, b] } else { [b, c] };
                baked.push(((id, mesh, triangle), vertices));
                all.push(((id, mesh, triangle), Triangle::new(a, b, c)));
            }
        }
        baked.sort_by_key(|one| one.0);
        all.sort_by_key(|one| one.0);
        Self { snapshot, baked, moved: all }
    }
}

fn key(hit: &Hit) -> Key {
    (hit.instance, hit.mesh, hit.triangle)
}

/// Some triangles of about a size: anywhere, or on a grid; some share corners.
fn model(random: &mut Random, size: f32) -> Bvh {
    let is_whole = random.below(2) == 0;
    let count = 1 + random.below(11);
    let mut corners: Vec<[f32; 3]> = Vec::new();
    for i in 0..3 * count {
        let old = if i > 2 && random.below(4) == 0 { Some(corners[random.below(i)]) } else { None };
        corners.push(old.unwrap_or_else(|| {
            let at = random.in_box(Vec3::splat(-4.0), Vec3::splat(4.0));
            (if is_whole { at.round() } else { at } * size).to_array()
        }));
    }
    Builder::new().bake(&[Mesh::from_soup(corners)]).expect("sound").0
}

/// A map about as large as `scale`, to about as far away as `extent`.
fn any_map(random: &mut Random, scale: f32, extent: f32) -> Affine3A {
    let turn = match random.below(4) {
        0 => Quat::IDENTITY,
        1 => Quat::from_axis_angle(random.direction(), random.range(-0.01, 0.01)),
        _ => Quat::from_axis_angle(random.direction(), random.range(0.0, 6.3)),
    };
    let mut side = || random.range(0.3, 1.0) * [1.0, 1.0, -1.0][random.below(3)];
    let sides = Vec3::new(side(), side(), side());
    let change = match random.below(5) {
        0 => Mat3::IDENTITY,
        1 => Mat3::from_diagonal(Vec3::splat(sides.x)),
        2 => Mat3::from_diagonal(sides),
        3 => Mat3::from_diagonal(Vec3::new(sides.x, 1.0, 1e-3 * sides.z)),
        _ => Mat3::from_cols(
            Vec3::new(1.0, sides.x, 0.0),
            Vec3::new(-sides.y, 1.0, 0.3),
            Vec3::new(0.0, sides.z * 0.5, -1.0),
        ),
    };
    let to = match random.below(4) {
        0 => Vec3::ZERO,
        1 => extent * random.direction(),
        2 => 4.0 * extent * random.direction(),
        _ => 1e4 * extent * random.direction(),
    };
    Affine3A::from_mat3_translation(Mat3::from_quat(turn) * change * scale, to)
}

/// Ten to the power of `exponent`, also where that is below the range of `f32`: then the least
/// number above zero.
fn power(exponent: i32) -> f32 {
    (10f64.powi(exponent) as f32).max(f32::from_bits(1))
}

/// A world of about a size: how trees and maps share it is left to chance.
fn world(random: &mut Random, exponent: i32) -> World {
    let mut placed = Vec::new();
    let trees: Vec<(Bvh, i32)> = (0..1 + random.below(3))
        .map(|_| {
            let most = (exponent + 16).min(35);
            let least = (exponent - 16).max(-45);
            let own = least + random.below((most - least + 1) as usize) as i32;
            (model(random, power(own)), own)
        })
        .collect();
    for _ in 0..1 + random.below(5) {
        let (bvh, own) = &trees[random.below(trees.len())];
        let scale = power((exponent - own).clamp(-17, 17)) * random.range(0.5, 2.0);
        placed.push((bvh, any_map(random, scale, power(exponent))));
    }
    World::new(&placed)
}

/// A shape, and what it is to the judge.
struct Case {
    shape: ConvexShape,
    /// The same for overlaps, which are asked of all but hulls.
    bounds: Aabb,
    what: What,
}

enum What {
    /// All within a radius of the hull of some points.
    Round(Vec<Vec3>, f32),
    Flat(Vec<HalfSpace>),
}

fn case(random: &mut Random, at: Vec3, size: f32) -> Case {
    let mut around = |size: f32| at + size * random.direction();
    let points = [at, around(size), around(size), around(3.0 * size), around(size)];
    let radius = [0.0, size, size * random.unit(), f32::from_bits(1)][random.below(4)];
    let round = |points: &[Vec3], shape: ConvexShape| {
        let bounds = Aabb::from_points(points.iter().copied()).expanded([radius; 3]);
        let what = What::Round(points.to_vec(), radius);
        Case { shape, bounds, what }
    };
    let ball = || {
        let ball = Sphere::new(at, radius);
        round(&[at], ball.into())
    };
    match random.below(7) {
        0 | 1 => ball(),
        2 | 3 => {
            let capsule = Capsule::new(at, points[1], radius);
            round(&points[..2], capsule.into())
        }
        4 => {
            let bounds = Aabb::from_points([at, points[1]]);
            let planes = [0, 1, 2].map(|k| {
                let mut axis = Vec4::ZERO;
                axis[k] = 1.0;
                [axis.with_w(-bounds.min[k]), (-axis).with_w(bounds.max[k])]
            });
            let what = What::Flat(exact::of_planes(planes.as_flattened()));
            Case { shape: bounds.into(), bounds, what }
        }
        5 => {
            let turn = Quat::from_axis_angle(random.direction(), random.range(0.0, 6.0));
            let map = Affine3A::from_rotation_translation(turn, at);
            let local = Aabb::from_center_half_size([0.0; 3], size * random.direction().abs());
            let Some(obb) = Obb::from_transform(&map, local) else { return ball() };
            let (bounds, what) = (obb.bounds(), What::Flat(exact::of_obb(&obb)));
            Case { shape: obb.into(), bounds, what }
        }
        _ => {
            let Ok(hull) = ConvexHull::from_points(points) else { return ball() };
            let (bounds, what) = (hull.bounds(), What::Flat(exact::of_points(&points)));
            Case { shape: hull.into(), bounds, what }
        }
    }
}

/// Whether the boxes of a shape that moves and a triangle are so far apart that nothing touches.
fn is_far(bounds: &Aabb, motion: Vec3, triangle: &Triangle) -> bool {
    let Triangle { v0, v1, v2 } = *triangle;
    let all = Aabb::from_points([v0, v1, v2]);
    (0..3).any(|k| {
        let [low, high] = [bounds.min[k], bounds.max[k]].map(f64::from);
        let way = f64::from(motion[k]);
        let (low, high) = (low.min(low + way), high.max(high + way));
        let room = 1e-5 * (low.abs() + high.abs() + way.abs()) + 1e-44;
        f64::from(all.max[k]) < low - room || f64::from(all.min[k]) > high + room
    })
}

impl Case {
    fn touches(&self, triangle: &Triangle) -> bool {
        match &self.what {
            What::Round(points, radius) => {
                let Triangle { v0, v1, v2 } = *triangle;
                exact::is_within(&exact::squared_distance(points, &[v0, v1, v2]), *radius).0
            }
            What::Flat(spaces) => exact::in_half_spaces(spaces, triangle) > 0,
        }
    }

    fn touches_on_its_way(&self, motion: Vec3, triangle: &Triangle) -> bool {
        match &self.what {
            What::Round(points, radius) => {
                exact::is_within(&exact::least_distance(points, motion, triangle), *radius).0
            }
            What::Flat(spaces) => exact::first_time(spaces, motion, triangle).is_some(),
        }
    }
}

/// How many questions were asked and how many triangles were found: near points, touching shapes,
/// touched by moving ones, hit by rays.
#[derive(Debug, Default)]
struct Counts {
    asked: usize,
    found: [usize; 4],
}

fn place(random: &mut Random, world: &World, size: f32) -> Vec3 {
    let Some(all) = (!world.moved.is_empty()).then_some(&world.moved) else {
        return size * random.direction();
    };
    let Triangle { v0, v1, v2 } = all[random.below(all.len())].1;
    match random.below(5) {
        0 | 1 => v0,
        2 => v0 * 0.5 + v1 * 0.5,
        3 => v0 * 0.5 + v1 * 0.25 + v2 * 0.25,
        _ => v0 + size * random.direction(),
    }
}

/// The nearest triangle, and those within its distance. How many these are.
fn ask_near(world: &World, at: Vec3, query: &Query) -> usize {
    let now = &world.snapshot;
    let mut nearest: Vec<(Distance, Key)> = Vec::new();
    for (key, triangle) in &world.moved {
        let distance = Distance::of(at, triangle);
        match nearest.first().map(|first| distance.compare(&first.0)) {
            Some(Ordering::Greater) => {}
            Some(Ordering::Equal) => nearest.push((distance, *key)),
            _ => nearest = vec![(distance, *key)],
        }
    }
    let found = now.closest_point(at, f32::INFINITY, query);
    assert_eq!(found.as_ref().map(|one| key(&one.hit)), nearest.first().map(|one| one.1), "{at:?}");
    if let (Some(found), Some((distance, key_of_it))) = (found, nearest.first()) {
        let reach = found.distance;
        assert!(distance.rounds_to(reach), "{at:?} {reach}");
        let is_within = distance.cmp(reach) != Ordering::Greater;
        let near = now.closest_point(at, reach, query);
        assert_eq!(near.map(|one| key(&one.hit)), is_within.then_some(*key_of_it), "{at:?}");
        assert_eq!(now.any_within(at, reach, query), is_within, "{at:?}");
        let (mut all, mut expected) = (Vec::new(), Vec::new());
        now.all_within(at, reach, query, &mut all);
        let mut keys: Vec<Key> = all.iter().map(|one| key(&one.hit)).collect();
        for (key, triangle) in &world.moved {
            if Distance::of(at, triangle).cmp(reach) != Ordering::Greater {
                expected.push(*key);
            }
        }
        keys.sort_unstable();
        assert_eq!(keys, expected, "{at:?}");
        return keys.len();
    }
    0
}

fn ask(world: &World, random: &mut Random, exponent: i32, counts: &mut Counts) {
    let size = power(exponent - random.below(4) as i32);
    let at = place(random, world, size);
    let sets = InstructionSet::available();
    let query = Query::new().instruction_set(sets[random.below(sets.len())]);
    let now = &world.snapshot;

    counts.found[0] += ask_near(world, at, &query);
    let far = power(random.below(84) as i32 - 45).min(1e38) * random.direction();
    ask_near(world, if far.is_finite() { at + far } else { at }, &query);

    // What touches a shape.
    let case = case(random, at, size);
    let shape = Shape::from(&case.shape);
    let touching: Vec<Key> = (world.moved.iter())
        .filter(|(_, triangle)| !is_far(&case.bounds, Vec3::ZERO, triangle))
        .filter(|(_, triangle)| case.touches(triangle))
        .map(|one| one.0)
        .collect();
    let mut overlaps = Vec::new();
    now.all_overlaps(&shape, &query, &mut overlaps);
    let keys: Vec<Key> = overlaps.iter().map(|one| key(&one.hit)).collect();
    assert_eq!(keys, touching, "{query:?} {shape:?}");
    assert_eq!(now.any_overlap(&shape, &query), !touching.is_empty(), "{shape:?}");
    counts.found[1] += touching.len();
    counts.asked += 1;

    // What it touches on its way. A point is a ray, whose times at the ends are as they are
    // rounded: it stays where it is.
    let is_point = matches!(case.what, What::Round(ref points, 0.0) if points.len() == 1);
    let motion = match random.below(4) {
        _ if is_point => Vec3::ZERO,
        0 => Vec3::ZERO,
        1 => place(random, world, size) - at,
        2 => power(exponent + 1) * random.direction(),
        _ => size * random.direction(),
    };
    let touched: Vec<Key> = (world.moved.iter())
        .filter(|(_, triangle)| !is_far(&case.bounds, motion, triangle))
        .filter(|(_, triangle)| case.touches_on_its_way(motion, triangle))
        .map(|one| one.0)
        .collect();
    let mut contacts = Vec::new();
    now.all_contacts(&case.shape, motion, &query, &mut contacts);
    let mut keys: Vec<Key> = contacts.iter().map(|one| key(&one.hit)).collect();
    keys.sort_unstable();
    assert_eq!(keys, touched, "{query:?} {:?} {motion:?}", case.shape);
    let first = now.first_contact(&case.shape, motion, &query);
    let is_first = first.map(|one| (key(&one.hit), one.t));
    let expected = contacts.first().map(|one| (key(&one.hit), one.t));
    assert_eq!(is_first, expected, "{query:?} {:?} {motion:?}", case.shape);
    counts.found[2] += touched.len();

    // What a ray hits: that is decided in the coordinates of each tree.
    let origin = place(random, world, 4.0 * size);
    let ray = Ray::new(origin, (at - origin) * [1.0, 0.3, -2.0][random.below(3)]);
    let mut hits = Vec::new();
    now.all_hits(&ray, &query, &mut hits);
    let mut expected: Vec<(Key, f32)> = Vec::new();
    for (key, triangle) in &world.baked {
        let local = now.local_ray(key.0, &ray).expect("it is there");
        expected.extend(triangle.intersect(&local).map(|hit| (*key, hit.t)));
    }
    expected.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let keys: Vec<_> = hits.iter().map(|hit: &Hit| (key(hit), hit.t)).collect();
    assert_eq!(keys, expected, "{query:?} {ray:?}");
    let closest = now.closest_hit(&ray, &query);
    assert_eq!(closest.map(|hit| (key(&hit), hit.t)), expected.first().copied(), "{ray:?}");
    assert_eq!(now.any_hit(&ray, &query), !expected.is_empty(), "{ray:?}");
    counts.found[3] += expected.len();
    counts.asked += 4;
}

#[test]
fn answers_of_scenes_of_every_size_are_those_of_exact_arithmetic() {
    let mut counts = Counts::default();
    let mut random = Random::new(45);
    for round in 0..2 * long() {
        // Half of them of numbers of which only some bits are left.
        let exponent = if round % 2 == 0 {
            -45 + random.below(10) as i32
        } else {
            -45 + random.below(76) as i32
        };
        let world = world(&mut random, exponent);
        for _ in 0..12 {
            ask(&world, &mut random, exponent, &mut counts);
        }
    }
    println!("{counts:?}");
    assert!(counts.found.iter().all(|&found| found > long()), "{counts:?}");
}

/// The columns of a rotation times 2^-7, and its siblings: turned, mirrored and sheared maps, of
/// which the world of the same tree is smaller or larger.
fn maps_of_denormal_worlds() -> Vec<Affine3A> {
    let columns = [
        [0.0024835626, 0.0074072243, 9.9295285e-6],
        [-0.005456763, 0.0018225079, 0.0052855806],
        [0.005009073, -0.0016872005, 0.00575306],
    ];
    let [a, b, c] = columns.map(Vec3::from);
    let turned = Mat3::from_cols(a, b, c);
    let shear = Mat3::from_cols(Vec3::X, Vec3::new(0.9, 1.0, 0.3), Vec3::new(0.0, -0.4, 1.0));
    let to = Vec3::new(3e-43, -7e-44, 1.4e-45);
    [
        turned,
        turned * Mat3::from_diagonal(Vec3::new(-1.0, 1.0, 1.0)),
        turned * shear,
        turned * 128.0,
        turned * 1e-3,
        shear * 0.25,
        Mat3::from_diagonal(Vec3::new(0.01, 3.0, -0.2)),
    ]
    .iter()
    .flat_map(|&linear| [Vec3::ZERO, to].map(|to| Affine3A::from_mat3_translation(linear, to)))
    .collect()
}

#[test]
fn what_touches_at_a_denormal_vertex_is_found() {
    let mut random = Random::new(4);
    let mut touched = 0;
    for (size, map) in [1e-42, 1e-41, 3e-44, 1e-38]
        .into_iter()
        .flat_map(|size| maps_of_denormal_worlds().into_iter().map(move |map| (size, map)))
    {
        // Four triangles around a vertex, and one beside them.
        let at = |x: f32, y: f32, z: f32| [x * size, y * size, z * size];
        let middle = at(0.31, -0.57, 0.83);
        let ring = [at(1.0, 0.2, 0.9), at(0.1, 0.9, -0.3), at(-1.0, 0.1, 0.4), at(0.3, -1.0, -0.2)];
        let mut soup: Vec<[f32; 3]> =
            (0..4).flat_map(|i| [middle, ring[i], ring[(i + 1) % 4]]).collect();
        soup.extend([at(1.0, 1.0, 1.0), at(0.9, 1.0, 1.1), at(1.0, 1.2, 1.0)]);
        let (bvh, _) = Builder::new().bake(&[Mesh::from_soup(soup)]).expect("sound");
        let world = World::new(&[(&bvh, map)]);
        for isa in InstructionSet::available() {
            let query = Query::new().instruction_set(isa);
            for (_, triangle) in &world.moved {
                let vertex = [triangle.v0, triangle.v1, triangle.v2][random.below(3)];
                let here: Vec<Key> = (world.moved.iter())
                    .filter(|(_, other)| Distance::of(vertex, other).cmp(0.0).is_eq())
                    .map(|one| one.0)
                    .collect();
                let now = &world.snapshot;
                let (mut overlaps, mut contacts) = (Vec::new(), Vec::new());
                let point = Aabb::from_points([vertex]);
                let (ball, rod) = (Sphere::new(vertex, 0.0), Capsule::new(vertex, vertex, 0.0));
                let shapes: [ConvexShape; 3] = [ball.into(), rod.into(), point.into()];
                for shape in shapes {
                    now.all_overlaps(Shape::from(&shape), &query, &mut overlaps);
                    let keys: Vec<Key> = overlaps.iter().map(|one| key(&one.hit)).collect();
                    assert_eq!(keys, here, "{isa} {map:?} {shape:?}");
                    now.all_contacts(&shape, Vec3::ZERO, &query, &mut contacts);
                    assert!(contacts.iter().all(|one| one.t == 0.0));
                    let mut keys: Vec<Key> = contacts.iter().map(|one| key(&one.hit)).collect();
                    keys.sort_unstable();
                    assert_eq!(keys, here, "{isa} {map:?} {shape:?}");
                    touched += keys.len();
                }
                let nearest = now.closest_point(vertex, 0.0, &query).expect("it is there");
                assert_eq!((key(&nearest.hit), nearest.distance), (here[0], 0.0));
            }
        }
    }
    println!("{touched} touched");
    assert!(touched > 1_000);
}
