//! Levels of all kinds, alone and in scenes.

use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Instance, Scene};
use hitscan::{
    Aabb, Builder, Bvh, Capsule, InstructionSet, Mesh, Obb, Query, Ray, Sphere, Triangle,
};

use crate::scenes::{Change, city, map, needles, offset_and_turn, rays_at, sphere, terrain};
use crate::support::Random;

pub(crate) struct Worlds {
    pub(crate) levels: Vec<Level>,
    pub(crate) scenes: Vec<(Scene, Vec<Ray>)>,
    pub(crate) queries: Vec<Query<'static>>,
}

pub(crate) struct Level {
    pub(crate) meshes: Vec<Mesh>,
    pub(crate) tree: Bvh,
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) rays: Vec<Ray>,
    /// Rays of all kinds of batches.
    pub(crate) many: Vec<Ray>,
}

impl Worlds {
    pub(crate) fn new() -> Self {
        let far = Affine3A::from_translation(Vec3::new(1e6, -7e5, 3e5));
        let levels: Vec<_> = [
            city(20, 3),
            city(12, 3).with_transform(far),
            city(12, 3).with_transform(Affine3A::from_scale(Vec3::splat(1e30))),
            sphere(24, 12, 9.0, Vec3::ZERO),
            sphere(5, 4, 1.0, Vec3::splat(0.3)),
            terrain(20, 1),
            needles(),
            wide(),
            deep(),
        ]
        .into_iter()
        .map(Level::new)
        .collect();
        let random = &mut Random::new(5);
        let scenes = (0..3).map(|kind| scene(&levels, kind, random)).collect();
        let queries = InstructionSet::available().into_iter();
        let queries = queries.map(|isa| Query::new().instruction_set(isa)).collect();
        Self { scenes, queries, levels }
    }
}

impl Level {
    fn new(mesh: Mesh) -> Self {
        let meshes = vec![mesh];
        let triangles = crate::scenes::triangles(&crate::support::Judge::new(&meshes));
        let random = &mut Random::new(7);
        let rays = rays_at(random, &triangles, 24);
        let many = many(random, &rays);
        let (tree, _) = Builder::new().bake(&meshes).unwrap();
        Self { meshes, tree, triangles, rays, many }
    }
}

/// Coherent rays in front of each ray, and the rays themselves again and again.
fn many(random: &mut Random, rays: &[Ray]) -> Vec<Ray> {
    let mut many = Vec::new();
    for ray in &rays[..4] {
        for _ in 0..64 {
            let off = random.direction() * ray.dir.length() * 1e-2;
            many.push(Ray { dir: ray.dir + off, ..*ray });
        }
        many.extend((0..70).map(|_| rays[random.below(rays.len())]));
    }
    many
}

/// Triangles whose numbers have the largest range that there is.
fn wide() -> Mesh {
    let random = &mut Random::new(9);
    let mut number = || {
        let exponent = random.below(250) as i32 - 140;
        let number = random.range(-1.0, 1.0) * 2f32.powi(exponent.clamp(-120, 120));
        if exponent > 100 { random.range(-1.0, 1.0) } else { number }
    };
    Mesh::from_soup((0..60).map(|_| [number(), number(), number()]).collect())
}

/// Sizes in geometric progression: the deepest trees.
fn deep() -> Mesh {
    let corner = |i: usize, x: f32| {
        let size = (100.0 - (i % 230) as f32).exp2();
        [[size + x, 0.0, 0.0], [size, size, 0.0], [size, 0.0, size]]
    };
    Mesh::from_soup((0..300).flat_map(|i| corner(i, (i / 230) as f32)).collect())
}

/// Instances that stand still, have come since, and move; and volumes.
fn scene(levels: &[Level], kind: usize, random: &mut Random) -> (Scene, Vec<Ray>) {
    let extent = [3.0, 30.0, 1e30][kind];
    let mut scene = Scene::new();
    let mut insert = |scene: &mut Scene| {
        let place = offset_and_turn(random, extent);
        let change = [Change::None, Change::Scaled, Change::Sheared][random.below(3)];
        let map = map(random, change, place);
        let at = |instance: Instance| instance.with_transform(map);
        let ball = Sphere::new([0.0; 3], 1.0);
        let volume: Instance = match random.below(4) {
            0 => Instance::new(ball),
            1 => Instance::new(Capsule::new([0.0; 3], [1.0; 3], 0.5)),
            2 => Instance::new(Aabb::from_min_max([0.0; 3], [1.0; 3])),
            _ => {
                let unit = Aabb::from_min_max([0.0; 3], [1.0; 3]);
                Instance::new(Obb::from_transform(&map, unit).expect("it can be inverted"))
            }
        };
        let _ = scene.insert(at(volume));
        let tree = &levels[random.below(levels.len())].tree;
        scene.insert(at(Instance::new(tree))).ok()
    };
    let ids: Vec<_> = (0..150).filter_map(|_| insert(&mut scene)).collect();
    scene.commit();
    for round in 0..3 {
        for &id in ids.iter().skip(round).step_by(20) {
            let transform = scene.transform(id).unwrap();
            let moved = transform * Affine3A::from_translation(Vec3::X * 0.1);
            let _ = scene.set_transform(id, moved);
        }
        insert(&mut scene);
        scene.commit();
    }
    let mut rays = Vec::new();
    for _ in 0..24 {
        let [from, to] = [1.5, 1.0].map(|size| random.direction() * extent * size);
        rays.push(Ray::new(from, to - from));
    }
    rays.push(Ray::new(random.direction() * 1e20, random.direction()));
    (scene, rays)
}

/// A tree larger than the caches, and shuffled rays for it. Made on a thread of its own, because
/// the question comes on a small one.
pub(crate) fn large() -> (Bvh, Vec<Ray>) {
    let make = || {
        let random = &mut Random::new(6);
        let bake = Builder::new().quality(hitscan::Quality::Fast).bake(&[terrain(420, 3)]);
        let (tree, _) = bake.expect("a sound mesh");
        let bounds = tree.bounds();
        let ray = |_| Ray::new(random.in_box(bounds.min, bounds.max), random.direction());
        let rays = (0..20_000).map(ray).collect();
        (tree, rays)
    };
    std::thread::spawn(make).join().expect("a tree")
}
