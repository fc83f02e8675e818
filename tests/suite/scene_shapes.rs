//! Questions about points and shapes in scenes: their answers are those of one tree of all
//! triangles as they are in the world, bit for bit, on every instruction set; and those of brute
//! force with the reference functions.
//!
//! `HITSCAN_LONG=20` asks twenty times as many questions.

use crate::nearest::judge;
use crate::sweeps::resting;
use crate::{scenes, support};
mod rests;

use std::cmp::Ordering;

use hitscan::geometry::{ConvexHull, ConvexShape, Feature, Frustum, Shape, is_mirroring};
use hitscan::glam::{Affine3A, Mat3, Quat, Vec3};
use hitscan::scene::{Instance, Scene, Snapshot};
use hitscan::{
    Aabb, Builder, Bvh, Capsule, ClosestPoint, Contact, Facing, Hit, InstanceId, InstructionSet,
    Mesh, Obb, Overlap, Quality, Query, Sphere, Triangle,
};

use judge::Distance;
use scenes::{Change, instruction_sets, map, offset_and_turn};
use support::{Random, in_world, long};

/// A tree, and which of its meshes were mirrored when it was baked.
struct Model {
    bvh: Bvh,
    is_swapped: Vec<bool>,
}

impl Model {
    fn new(meshes: &[Mesh]) -> Self {
        let (bvh, _) = Builder::new().quality(Quality::Best).bake(meshes).unwrap();
        let is_swapped = meshes.iter().map(|mesh| is_mirroring(&mesh.transform)).collect();
        Self { bvh, is_swapped }
    }
}

fn models() -> Vec<Model> {
    let triangle = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let far = Affine3A::from_translation(Vec3::new(900.0, -200.0, 10.0));
    vec![
        Model::new(&[triangle]),
        Model::new(&[scenes::sphere(9, 6, 1.0, Vec3::ZERO), scenes::soup(30, 2.0, 0.7, 4)]),
        Model::new(&scenes::level(3)),
        Model::new(&[scenes::city(20, 5)]),
        Model::new(&[scenes::soup(40, 3.0, 3.0, 6).with_transform(far)]),
        Model::new(&[]),
    ]
}

/// An invertible map of any kind.
fn any_transform(random: &mut Random, extent: f32) -> Affine3A {
    let place = offset_and_turn(random, extent);
    let (offset, turn) = place;
    let change = match random.below(7) {
        0 => return Affine3A::from_translation(offset.round()),
        1 => Change::None,
        2 => Change::Scaled,
        3 => Change::ScaledByAxis,
        // Quarter turns, mirrored or not, so that things touch.
        4 => {
            let columns = [[Vec3::Y, Vec3::NEG_X, Vec3::Z], [Vec3::Z, Vec3::Y, Vec3::X]];
            let [a, b, c] = columns[random.below(2)];
            return Affine3A::from_mat3_translation(Mat3::from_cols(a, b, c), offset.round());
        }
        5 => {
            let thin = Vec3::new(1.0, 1.0, random.range(1e-3, 0.1));
            return Affine3A::from_scale_rotation_translation(thin, turn, offset);
        }
        _ => Change::Sheared,
    };
    map(random, change, place)
}

/// A triangle in the world, and whose it is.
struct InWorld {
    instance: InstanceId,
    /// Whether the instance is in the query's layers, and the mesh too.
    layers: [u32; 2],
    mesh: u32,
    triangle: u32,
    /// Whether weights are reported in another order.
    is_swapped: bool,
    vertices: Triangle,
    user_id: u64,
    material: Option<u32>,
}

/// A scene, its triangles in the world, and a tree of these.
struct World {
    snapshot: Snapshot,
    triangles: Vec<InWorld>,
    /// Each triangle is a mesh of its own, of the same number.
    bvh: Bvh,
}

impl World {
    fn new(snapshot: Snapshot, placed: &[(InstanceId, &Model, u32)]) -> Self {
        let mut placed = placed.to_vec();
        placed.sort_by_key(|(id, ..)| *id);
        let mut triangles = Vec::new();
        for (instance, model, mask) in placed {
            let Some(map) = snapshot.transform(instance) else { continue };
            let is_mirrored = is_mirroring(&map);
            let mut all: Vec<_> = model.bvh.triangles().collect();
            all.sort_by_key(|one| (one.mesh, one.triangle));
            for one in all {
                let Triangle { v0, v1, v2 } = one.vertices;
                let [a, b, c] = [v0, v1, v2].map(|corner| in_world(&map, corner));
                let vertices =
                    if is_mirrored { Triangle::new(a, c, b) } else { Triangle::new(a, b, c) };
                let mesh = model.bvh.mesh(one.mesh).unwrap();
                triangles.push(InWorld {
                    instance,
                    layers: [mask, mesh.mask],
                    user_id: mesh.user_id,
                    material: model.bvh.triangle_material(one.mesh, one.triangle),
                    mesh: one.mesh,
                    triangle: one.triangle,
                    is_swapped: model.is_swapped[one.mesh as usize] != is_mirrored,
                    vertices,
                });
            }
        }
        let mesh = |one: &InWorld| {
            let Triangle { v0, v1, v2 } = one.vertices;
            let soup = Mesh::from_soup([v0, v1, v2].map(|corner| corner.to_array()).to_vec());
            let mesh = soup.with_user_id(one.user_id);
            match one.material {
                Some(material) => mesh.with_materials(vec![material]),
                None => mesh,
            }
        };
        let meshes: Vec<Mesh> = triangles.iter().map(mesh).collect();
        let (bvh, _) = Builder::new().quality(Quality::Fast).bake(&meshes).unwrap();
        Self { snapshot, triangles, bvh }
    }

    fn find(&self, hit: &Hit) -> &InWorld {
        let key = (hit.instance, hit.mesh, hit.triangle);
        let of = |one: &InWorld| (one.instance, one.mesh, one.triangle);
        let at = self.triangles.binary_search_by_key(&key, of).expect("it is one of the scene");
        &self.triangles[at]
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
struct Asked {
    facing: Facing,
    mask: u32,
    /// Only triangles of some numbers.
    some: bool,
}

impl Asked {
    fn any(random: &mut Random) -> Self {
        let facing = [Facing::Both, Facing::Both, Facing::Front, Facing::Back][random.below(4)];
        let mask = [u32::MAX, u32::MAX, 0b0110, 1][random.below(4)];
        Self { facing, mask, some: random.below(3) == 0 }
    }

    fn sees(&self, one: &InWorld) -> bool {
        let in_layers = one.layers.iter().all(|layers| layers & self.mask != 0);
        in_layers && (!self.some || !one.triangle.is_multiple_of(3))
    }
}

/// What was found, in a form of which both kinds of answer can be compared.
trait Answer: Copy + PartialEq + std::fmt::Debug {
    fn hit(&mut self) -> &mut Hit;
    fn feature(&mut self) -> Option<&mut Feature>;

    /// An answer of the tree of the world as the scene gives it.
    fn of_scene(mut self, world: &World) -> Self {
        let one = &world.triangles[self.hit().mesh as usize];
        let hit = self.hit();
        (hit.instance, hit.mesh, hit.triangle) = (one.instance, one.mesh, one.triangle);
        if one.is_swapped {
            std::mem::swap(&mut hit.u, &mut hit.v);
            if let Some(feature) = self.feature() {
                *feature = mirrored(*feature);
            }
        }
        self
    }

    /// An answer of a scene as the tree of the instance gives it.
    fn of_tree(mut self) -> Self {
        *self.hit() = scenes::in_tree(*self.hit());
        self
    }
}

impl Answer for ClosestPoint {
    fn hit(&mut self) -> &mut Hit {
        &mut self.hit
    }
    fn feature(&mut self) -> Option<&mut Feature> {
        Some(&mut self.feature)
    }
}
impl Answer for Contact {
    fn hit(&mut self) -> &mut Hit {
        &mut self.hit
    }
    fn feature(&mut self) -> Option<&mut Feature> {
        Some(&mut self.feature)
    }
}
impl Answer for Overlap {
    fn hit(&mut self) -> &mut Hit {
        &mut self.hit
    }
    fn feature(&mut self) -> Option<&mut Feature> {
        None
    }
}

/// The same part, where the second and third vertex have changed places.
fn mirrored(feature: Feature) -> Feature {
    match feature {
        Feature::Face => Feature::Face,
        Feature::Edge(i) => Feature::Edge([2, 1, 0][usize::from(i)]),
        Feature::Vertex(i) => Feature::Vertex([0, 2, 1][usize::from(i)]),
    }
}

fn of_scene<A: Answer>(all: &[A], world: &World) -> Vec<A> {
    all.iter().map(|one| one.of_scene(world)).collect()
}

/// Runs `ask` with a query of the world and the same of the scene, on each instruction set.
macro_rules! for_each_query {
    ($world:expr, $asked:expr, |$of_world:ident, $of_scene:ident, $isa:ident| $body:block) => {
        let (world, asked): (&World, Asked) = ($world, $asked);
        let base = Query::new().facing(asked.facing);
        let sees = |hit: &Hit| asked.sees(&world.triangles[hit.mesh as usize]);
        let $of_world = base.filter(&sees);
        for $isa in InstructionSet::available() {
            let base = base.mask(asked.mask).instruction_set($isa);
            let is_flat = |one: &InWorld| one.vertices.is_degenerate();
            if asked.some || world.triangles.iter().any(is_flat) {
                // The tree of the world has no triangles without area.
                let sees = |hit: &Hit| {
                    let one = world.find(hit);
                    (!asked.some || !one.triangle.is_multiple_of(3)) && !is_flat(one)
                };
                let $of_scene = base.filter(&sees);
                $body
            } else {
                let $of_scene = base;
                $body
            }
        }
    };
}

/// What is near a point. The number of triangles.
fn compare_near(world: &World, point: Vec3, within: f32, asked: Asked) -> usize {
    let (mut near, mut all) = (Vec::new(), Vec::new());
    let mut found = 0;
    for_each_query!(world, asked, |of_world, of_scene_query, isa| {
        let context = format!("{isa} {point:?} {within} {asked:?}");
        for within in [f32::INFINITY, within] {
            let expected = world.bvh.closest_point(point, within, &of_world);
            let closest = world.snapshot.closest_point(point, within, &of_scene_query);
            let expected = expected.map(|one| one.of_scene(world));
            assert_eq!(closest, expected, "{context}");
            if let Some(one) = closest {
                let vertices = world.snapshot.triangle(&one.hit);
                assert_eq!(vertices, Some(world.find(&one.hit).vertices));
            }
        }
        world.bvh.all_within(point, within, &of_world, &mut all);
        world.snapshot.all_within(point, within, &of_scene_query, &mut near);
        assert_eq!(near, of_scene(&all, world), "{context}");
        let any = world.snapshot.any_within(point, within, &of_scene_query);
        assert_eq!(any, !all.is_empty(), "{context}");
        found = all.len();
    });
    found
}

/// What touches a shape. The number of triangles.
fn compare_overlaps(world: &World, shape: Shape, asked: Asked) -> usize {
    let (mut overlaps, mut all) = (Vec::new(), Vec::new());
    let mut found = 0;
    for_each_query!(world, asked, |of_world, of_scene_query, isa| {
        let context = format!("{isa} {shape:?} {asked:?}");
        world.bvh.all_overlaps(&shape, &of_world, &mut all);
        world.snapshot.all_overlaps(&shape, &of_scene_query, &mut overlaps);
        assert_eq!(overlaps, of_scene(&all, world), "{context}");
        let any = world.snapshot.any_overlap(&shape, &of_scene_query);
        assert_eq!(any, !all.is_empty(), "{context}");
        found = all.len();
    });
    found
}

/// What a shape touches on its way. The number of triangles.
fn compare_contacts(world: &World, shape: &ConvexShape, motion: Vec3, asked: Asked) -> usize {
    let (mut contacts, mut all) = (Vec::new(), Vec::new());
    let mut found = 0;
    for_each_query!(world, asked, |of_world, of_scene_query, isa| {
        let context = format!("{isa} {shape:?} {motion:?} {asked:?}");
        world.bvh.all_contacts(shape, motion, &of_world, &mut all);
        world.snapshot.all_contacts(shape, motion, &of_scene_query, &mut contacts);
        assert_eq!(contacts, of_scene(&all, world), "{context}");
        let expected = world.bvh.first_contact(shape, motion, &of_world);
        let first = world.snapshot.first_contact(shape, motion, &of_scene_query);
        let expected = expected.map(|one| one.of_scene(world));
        assert_eq!(first, expected, "{context}");
        found = all.len();
        world.bvh.penetrations(shape, &of_world, &mut all);
        world.snapshot.penetrations(shape, &of_scene_query, &mut contacts);
        assert_eq!(contacts, of_scene(&all, world), "{context}");
    });
    found
}

/// A place near a triangle, on one of its corners, or anywhere.
fn place(random: &mut Random, world: &World, size: f32) -> Vec3 {
    if world.triangles.is_empty() {
        return random.direction();
    }
    let Triangle { v0, v1, v2 } = world.triangles[random.below(world.triangles.len())].vertices;
    match random.below(6) {
        0 => v0,
        1 => (v0 + v1) * 0.5,
        2 => v0 * 0.5 + v1 * 0.25 + v2 * 0.25,
        3 => (v0 + size * random.direction()).round(),
        4 => v0 + 1e-3 * size * random.direction(),
        _ => v0 + 4.0 * size * random.direction(),
    }
}

fn convex_shape(random: &mut Random, at: Vec3, size: f32) -> ConvexShape {
    let around = |random: &mut Random| at + size * random.direction();
    match random.below(6) {
        0 => Aabb::from_points([at, around(random)]).into(),
        1 => Sphere::new(at, size * random.unit()).into(),
        2 => Sphere::new(at, 0.0).into(),
        3 => Capsule::new(at, around(random), 0.3 * size).into(),
        4 => {
            let turn = Quat::from_axis_angle(random.direction(), random.range(0.0, 6.0));
            let map = Affine3A::from_rotation_translation(turn, at);
            let local = Aabb::from_center_half_size([0.0; 3], size * random.direction().abs());
            Obb::from_transform(&map, local).expect("a rotation").into()
        }
        _ => {
            let corners: Vec<Vec3> = (0..6).map(|_| around(random)).collect();
            match ConvexHull::from_points(corners) {
                Ok(hull) => hull.into(),
                Err(_) => Sphere::new(at, size).into(),
            }
        }
    }
}

fn shape(random: &mut Random, at: Vec3, size: f32) -> Shape {
    let around = |random: &mut Random| at + size * random.direction();
    match random.below(10) {
        0 => Aabb::from_points([at, around(random)]).into(),
        9 => {
            let points: Vec<Vec3> = (0..7).map(|_| around(random)).collect();
            ConvexHull::from_points(points).map_or(Sphere::new(at, size).into(), Shape::from)
        }
        1 => {
            // A column without ends.
            let size = Vec3::new(size, f32::INFINITY, size);
            Aabb { min: at - size, max: at + size }.into()
        }
        2 | 3 => Sphere::new(at, size * random.unit()).into(),
        4 => Capsule::new(at, around(random), 0.3 * size).into(),
        5 => {
            let turn = Quat::from_axis_angle(random.direction(), random.range(0.0, 6.0));
            let map = Affine3A::from_rotation_translation(turn, at);
            let local = Aabb::from_center_half_size([0.0; 3], size * random.direction().abs());
            Obb::from_transform(&map, local).expect("a rotation").into()
        }
        6 => Triangle::new(at, around(random), around(random)).into(),
        7 => Triangle::new(at, at, around(random)).into(),
        _ => {
            let mut plane = |_| {
                let normal = random.direction();
                normal.extend(-normal.dot(at) + size * random.unit())
            };
            let planes: Vec<_> = (0..5).map(&mut plane).collect();
            Frustum::from_planes(&planes, at).expect("finite").into()
        }
    }
}

/// Asks every kind of question `count` times. How much was found of each.
fn ask_all(world: &World, random: &mut Random, count: usize, size: f32) -> [usize; 3] {
    let mut found = [0; 3];
    for _ in 0..count {
        let size = size * [0.03, 0.3, 1.0, 4.0][random.below(4)];
        let at = place(random, world, size);
        found[0] += compare_near(world, at, size, Asked::any(random));
        let shape = shape(random, at, size);
        found[1] += compare_overlaps(world, shape, Asked::any(random));
        let convex = convex_shape(random, at, size);
        let way = match random.below(4) {
            0 => Vec3::ZERO,
            1 => place(random, world, size) - at,
            2 => (random.direction() * 8.0 * size).round(),
            _ => random.direction() * 3.0 * size,
        };
        found[2] += compare_contacts(world, &convex, way, Asked::any(random));
    }
    found
}

#[test]
fn every_question_has_the_answers_of_one_tree_of_the_world() {
    instruction_sets();
    let models = models();
    let mut random = Random::new(5);
    let mut found = [0; 3];
    for (round, extent) in [3.0, 40.0, 1e5].into_iter().cycle().take(6 * long()).enumerate() {
        let mut scene = Scene::new();
        let mut placed = Vec::new();
        for _ in 0..[1, 6, 20, 60][round % 4] {
            let (model, mask) = (&models[random.below(models.len())], 1 << random.below(3) | 1);
            let transform = any_transform(&mut random, extent);
            let instance = Instance::new(model.bvh.clone()).with_transform(transform);
            placed.push((scene.insert(instance.with_mask(mask)).unwrap(), model, mask));
        }
        // In all three trees of a snapshot, moved, hidden and removed.
        for step in 0..3 {
            scene.commit();
            for i in 0..placed.len() / 4 {
                let (id, ..) = placed[(4 * i + step) % placed.len()];
                match random.below(8) {
                    0 => drop(scene.disable(id)),
                    1 => drop(scene.remove(id)),
                    _ => drop(scene.set_transform(id, any_transform(&mut random, extent))),
                }
            }
        }
        let world = World::new(scene.commit(), &placed);
        let more = ask_all(&world, &mut random, 25, 1.0);
        found = [0, 1, 2].map(|i| found[i] + more[i]);
    }
    println!("{found:?} near points, touching shapes, and touched by moving ones");
    assert!(found.iter().all(|&found| found > 300), "{found:?}");
}

#[test]
fn scenes_of_any_size_have_the_answers_of_one_tree_of_the_world() {
    let models = models();
    let mut random = Random::new(6);
    let mut found = [0; 3];
    for exponent in [-36, -30, -12, 12, 17, 30, 32, 36] {
        // The maps themselves may not be that large or small, the coordinates of trees may.
        let size = 10f32.powi(exponent);
        let map = size.clamp(1e-16, 1e16);
        let rest = Affine3A::from_scale(Vec3::splat(size / map));
        let triangles = [scenes::soup(20, 1.0, 0.7, 4), scenes::city(4, 5)];
        let model = Model::new(&triangles.map(|mesh| mesh.with_transform(rest)));
        let mut scene = Scene::new();
        let mut placed = Vec::new();
        for model in [&model, &model, &models[0], &model, &model] {
            let transform = any_transform(&mut random, 4.0);
            let transform = Affine3A::from_scale(Vec3::splat(map)) * transform;
            let instance = Instance::new(model.bvh.clone()).with_transform(transform);
            placed.push((scene.insert(instance).unwrap(), model, u32::MAX));
        }
        let world = World::new(scene.commit(), &placed);
        let more = ask_all(&world, &mut random, 12 * long(), size);
        found = [0, 1, 2].map(|i| found[i] + more[i]);
    }
    println!("{found:?} near points, touching shapes, and touched by moving ones");
    assert!(found.iter().all(|&found| found > 200), "{found:?}");
}

/// One instance where it was baked is the tree itself.
#[test]
fn a_scene_of_one_tree_where_it_was_baked_has_its_answers() {
    let mut random = Random::new(7);
    for (what, meshes) in scenes::many() {
        let (bvh, _) = Builder::new().quality(Quality::Best).bake(&meshes).unwrap();
        let mut scene = Scene::new();
        let id = scene.insert(Instance::new(bvh.clone())).unwrap();
        let now = scene.commit();
        let whole = bvh.bounds().max - bvh.bounds().min;
        let mut found = 0;
        for _ in 0..20 * long() {
            let size = whole.max_element() * [0.01, 0.1, 0.5][random.below(3)];
            let at = random.in_box(bvh.bounds().min - whole * 0.1, bvh.bounds().max);
            let query = Query::new().facing(Asked::any(&mut random).facing);
            let one = bvh.closest_point(at, size, &query);
            let other = now.closest_point(at, size, &query);
            assert_eq!(other.map(Answer::of_tree), one, "{what} {at}");
            assert!(other.is_none_or(|other| other.hit.instance == id));

            let (shape, convex) =
                (shape(&mut random, at, size), convex_shape(&mut random, at, size));
            let (mut one, mut other) = (Vec::new(), Vec::new());
            bvh.all_overlaps(&shape, &query, &mut one);
            now.all_overlaps(&shape, &query, &mut other);
            assert!(
                other.iter().map(|other| other.of_tree()).eq(one.iter().copied()),
                "{what} {shape:?}"
            );
            found += one.len();

            let motion = random.direction() * size;
            let (mut one, mut other) = (Vec::new(), Vec::new());
            bvh.all_contacts(&convex, motion, &query, &mut one);
            now.all_contacts(&convex, motion, &query, &mut other);
            assert!(
                other.iter().map(|other| other.of_tree()).eq(one.iter().copied()),
                "{what} {convex:?}"
            );
            let first = now.first_contact(&convex, motion, &query);
            assert_eq!(first.map(Answer::of_tree), one.first().copied(), "{what} {convex:?}");
            found += one.len();
        }
        assert!(found > 100, "{what} {found}");
    }
}

#[test]
fn many_points_have_the_answers_of_one() {
    let models = models();
    let mut random = Random::new(8);
    let mut scene = Scene::new();
    for i in 0..40 {
        let transform = any_transform(&mut random, 20.0);
        let bvh = models[i % models.len()].bvh.clone();
        scene.insert(Instance::new(bvh).with_transform(transform)).unwrap();
    }
    let now = scene.commit();
    let points: Vec<Vec3> =
        (0..3000).map(|_| random.in_box(Vec3::splat(-30.0), Vec3::splat(30.0))).collect();
    let mut near = vec![None; points.len()];
    let odd = Query::new().filter_by_index(&|i, hit| hit.triangle as usize % 2 == i % 2);
    now.closest_point_batch(&points, 2.0, &odd, &mut near).unwrap();
    let mut found = 0;
    for (i, (&point, &near)) in points.iter().zip(&near).enumerate() {
        let is_own = |hit: &Hit| hit.triangle as usize % 2 == i % 2;
        assert_eq!(near, now.closest_point(point, 2.0, &Query::new().filter(&is_own)));
        found += usize::from(near.is_some());
    }
    assert!(found > 300 && found < 2900, "{found}");
    now.closest_point_batch(&points, f32::INFINITY, &Query::new(), &mut near).unwrap();
    for (&point, &near) in points.iter().zip(&near) {
        assert_eq!(near, now.closest_point(point, f32::INFINITY, &Query::new()));
    }
    assert!(now.closest_point_batch(&points, 1.0, &Query::new(), &mut near[1..]).is_err());
}

/// Brute force with the public reference functions, also where triangles lose their area.
#[test]
fn triangles_without_area_in_the_world_are_segments_and_points() {
    let model = Model::new(&[scenes::soup(60, 1.0, 0.7, 9)]);
    let mut random = Random::new(9);
    let (mut flat, mut touched) = (0, 0);
    for offset in [1e4, 1e6, 3e7] {
        let mut scene = Scene::new();
        let mut placed = Vec::new();
        for _ in 0..4 {
            let at = Vec3::new(offset, -offset, offset) + random.direction() * 4.0;
            let transform = Affine3A::from_translation(at) * any_transform(&mut random, 1.0);
            let instance = Instance::new(model.bvh.clone()).with_transform(transform);
            placed.push((scene.insert(instance).unwrap(), &model, u32::MAX));
        }
        let world = World::new(scene.commit(), &placed);
        flat += world.triangles.iter().filter(|one| one.vertices.is_degenerate()).count();
        for _ in 0..20 * long() {
            let at = place(&mut random, &world, 3.0);
            let size = random.range(0.1, 5.0);
            touched += against_references(&world, &mut random, at, size);
        }
    }
    assert!(flat > 100 && touched > 300, "{flat} {touched}");
}

/// The number of triangles that shapes touch.
fn against_references(world: &World, random: &mut Random, at: Vec3, size: f32) -> usize {
    let query = Query::new();
    let closest = world.snapshot.closest_point(at, f32::INFINITY, &query).expect("there is one");
    let distances: Vec<_> =
        world.triangles.iter().map(|one| (Distance::of(at, &one.vertices), one)).collect();
    let best = distances
        .iter()
        .reduce(|best, one| if one.0.compare(&best.0) == Ordering::Less { one } else { best });
    let (distance, one) = best.expect("there is one");
    let key = |one: &InWorld| (one.instance, one.mesh, one.triangle);
    assert_eq!(key(world.find(&closest.hit)), key(one), "{at}");
    assert!(distance.rounds_to(closest.distance), "{at}");

    let (shape, mut overlaps) = (shape(random, at, size), Vec::new());
    world.snapshot.all_overlaps(&shape, &query, &mut overlaps);
    let touching =
        world.triangles.iter().filter_map(|one| Some((key(one), shape.overlap(&one.vertices)?)));
    let found = overlaps.iter().map(|one| (key(world.find(&one.hit)), one.containment));
    assert!(found.eq(touching), "{shape:?}");

    let (convex, motion) = (convex_shape(random, at, size), random.direction() * size);
    let mut contacts = Vec::new();
    world.snapshot.all_contacts(&convex, motion, &query, &mut contacts);
    let mut found: Vec<_> = contacts
        .iter()
        .map(|one| (one.t, one.point, one.normal, one.depth))
        .zip(contacts.iter().map(|one| key(world.find(&one.hit))))
        .collect();
    found.sort_by_key(|(_, key)| *key);
    let touching = world.triangles.iter().filter_map(|one| {
        let contact = convex.first_contact(motion, &one.vertices)?;
        Some(((contact.t, contact.point, contact.normal, contact.depth), key(one)))
    });
    assert!(touching.eq(found), "{convex:?} {motion:?}");
    overlaps.len() + contacts.len()
}

#[test]
fn what_is_no_question_has_no_answer() {
    let (mut near, mut contacts) = (Vec::new(), Vec::new());
    for scene in [Scene::new(), {
        let mut scene = Scene::new();
        scene.insert(Instance::new(models()[2].bvh.clone())).unwrap();
        scene
    }] {
        let now = { scene }.commit();
        let query = Query::new();
        for bad in [f32::NAN, f32::INFINITY] {
            assert_eq!(now.closest_point([0.0, bad, 0.0], 1.0, &query), None);
            now.all_contacts(Sphere::new([0.0; 3], 1.0), [bad, 0.0, 0.0], &query, &mut contacts);
            assert!(contacts.is_empty());
        }
        for bad in [f32::NAN, -1.0] {
            assert_eq!(now.closest_point([0.0; 3], bad, &query), None);
            now.all_within([0.0; 3], bad, &query, &mut near);
            assert!(near.is_empty() && !now.any_within([0.0; 3], bad, &query));
            assert!(!now.any_overlap(Sphere::new([0.0; 3], bad), &query));
        }
        assert!(!now.any_overlap(Aabb::EMPTY, &query));
        assert_eq!(now.first_contact(Aabb::EMPTY, [1.0; 3], &query), None);
        let whole = now.any_overlap(Frustum::from_planes(&[], [0.0; 3]).unwrap(), &query);
        assert_eq!(whole, !now.is_empty());
    }
}

/// Corners that would be past the range of `f32` are in no answer, and hide no other.
#[test]
fn what_is_too_large_for_the_world_is_not_there() {
    let tall = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 3e38, 0.0]];
    let near = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];
    let model = Model::new(&[Mesh::from_soup([tall, near].concat())]);
    let mut scene = Scene::new();
    let transform = Affine3A::from_scale(Vec3::splat(4.0));
    scene.insert(Instance::new(model.bvh).with_transform(transform)).unwrap();
    let now = scene.commit();
    let mut overlaps = Vec::new();
    for isa in InstructionSet::available() {
        let query = Query::new().instruction_set(isa);
        let found = now.closest_point([0.5, 0.5, -1.0], f32::INFINITY, &query).unwrap();
        assert_eq!((found.hit.triangle, found.distance), (1, 5.0));
        now.all_overlaps(Sphere::new([0.5; 3], 9.0), &query, &mut overlaps);
        assert!(overlaps.iter().map(|one| one.hit.triangle).eq([1]));
        let ball = Sphere::new([0.5, 0.5, -1.0], 0.5);
        let contact = now.first_contact(ball, [0.0, 0.0, 9.0], &query).unwrap();
        assert_eq!((contact.hit.triangle, contact.t), (1, 0.5));
    }
}
