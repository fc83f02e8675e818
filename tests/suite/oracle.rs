//! Every instruction set equals brute force: the tree, the boxes, the conservative tests and the
//! order of the walk change no bit.
//!
//! Rays of all kinds are cast in every real mesh of up to 100,000 triangles and in a dozen
//! generated scenes. For each ray, the scalar reference tests all triangles, and `closest_hit`,
//! `any_hit` and `all_hits` must agree on every instruction set: `t`, `u` and `v` to the bit, ids,
//! face, user id and material; with other intervals, for one side, with masks, and with a filter;
//! on trees with spatial splits and without.
//!
//! By default this is 40 rays in each mesh of up to 30,000 triangles. With `HITSCAN_LONG=500` it
//! is 20,000 rays in every mesh.

use crate::support;
mod rays;
mod scenes;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hitscan::{
    BadTriangles, Builder, Bvh, Face, Facing, Hit, InstructionSet, Mesh, Quality, Query, Ray,
};
use rays::KINDS;
use support::{Expected, Judge, Random, before_each, long, shared_mesh, shared_names};

fn instruction_sets() -> Vec<InstructionSet> {
    let isas = InstructionSet::available();
    println!("kernels: {isas:?}");
    isas
}

/// Counts of what was tested, to show that the tests are not empty.
#[derive(Clone, Copy, Default)]
struct Seen {
    rays: [usize; KINDS.len()],
    hits: [usize; KINDS.len()],
    queries: usize,
    ties: usize,
    backs: usize,
    swapped: usize,
}

impl Seen {
    fn add(&mut self, other: &Self) {
        for kind in 0..KINDS.len() {
            self.rays[kind] += other.rays[kind];
            self.hits[kind] += other.hits[kind];
        }
        self.queries += other.queries;
        self.ties += other.ties;
        self.backs += other.backs;
        self.swapped += other.swapped;
    }

    fn print(&self, name: &str, triangles: usize) {
        println!(
            "{name:36} {triangles:>7} triangles {:>7} rays {:>9} queries, {:>6} rays hit, \
             {:>6} ties, no difference",
            self.rays.iter().sum::<usize>(),
            self.queries,
            self.hits.iter().sum::<usize>(),
            self.ties,
        );
    }
}

/// One query for a ray, and brute force's answer.
struct Question {
    ray: Ray,
    query: Query<'static>,
    facing: Facing,
    mask: u32,
    filtered: bool,
}

impl Question {
    fn new(ray: Ray) -> Self {
        Self { ray, query: Query::new(), facing: Facing::Both, mask: u32::MAX, filtered: false }
    }

    fn sees(&self, hit: &Expected) -> bool {
        let faces = match self.facing {
            Facing::Both => true,
            Facing::Front => hit.face == Face::Front,
            Facing::Back => hit.face == Face::Back,
        };
        faces
            && hit.mask & self.mask != 0
            && (self.ray.t_min <= hit.t && hit.t <= self.ray.t_max)
            && (!self.filtered || filter(hit.mesh, hit.triangle))
    }
}

fn filter(mesh: u32, triangle: u32) -> bool {
    !(mesh + triangle).is_multiple_of(3)
}

/// Queries for a ray whose whole line has the hits `line`.
fn questions(ray: &Ray, line: &[Expected], random: &mut Random) -> Vec<Question> {
    let mut questions = vec![Question::new(*ray)];
    let facing = [Facing::Front, Facing::Back][random.below(2)];
    questions.push(Question { query: Query::new().facing(facing), facing, ..Question::new(*ray) });
    let mask = [1, 2, 4, 8, 16, 3, 12, 0, 1 << 31][random.below(9)];
    questions.push(Question { query: Query::new().mask(mask), mask, ..Question::new(*ray) });
    questions.push(Question { filtered: true, ..Question::new(*ray) });
    // Intervals that end at a hit, or just before one.
    if !line.is_empty() {
        let t = line[random.below(line.len().min(8))].t;
        let (low, high) = [
            (t, t),
            (f32::NEG_INFINITY, t),
            (f32::NEG_INFINITY, t.next_down()),
            (t, f32::INFINITY),
            (t.next_up(), f32::INFINITY),
            (t, t.next_down()),
        ][random.below(6)];
        questions.push(Question::new(ray.with_range(low, high)));
    }
    questions
}

/// Both kinds of tree: with each triangle in one leaf, and cut by spatial splits.
const QUALITIES: [Quality; 3] = [Quality::Balanced, Quality::Best, Quality::Fast];

/// Every tree with every instruction set.
fn every<'a>(
    trees: &[Bvh],
    isas: &'a [InstructionSet],
) -> impl Iterator<Item = (usize, &'a InstructionSet)> {
    (0..trees.len()).flat_map(move |tree| isas.iter().map(move |isa| (tree, isa)))
}

/// Makes all queries for one ray. An error says what differs.
fn try_ray(
    judge: &Judge,
    trees: &[Bvh],
    isas: &[InstructionSet],
    ray: &Ray,
    kind: usize,
    random: &mut Random,
    seen: &mut Seen,
) -> Result<(), String> {
    let whole = ray.with_range(f32::NEG_INFINITY, f32::INFINITY);
    let line = judge.all(&whole, Facing::Both, u32::MAX);
    let mut list = Vec::new();
    for question in questions(ray, &line, random) {
        let Question { ray, query, facing, mask, filtered } = &question;
        let expected: Vec<_> = line.iter().filter(|hit| question.sees(hit)).collect();
        for (tree, &isa) in every(trees, isas) {
            let bvh = &trees[tree];
            let query = query.instruction_set(isa);
            let accept = |hit: &Hit| !filtered || filter(hit.mesh, hit.triangle);
            // Half of the queries follow another of the same ray.
            let follows = random.below(2) == 0;
            let view = &bvh;
            let apart = before_each(view, &query, follows);
            apart();
            let closest = bvh.closest_hit(ray, &query.filter(&accept));
            apart();
            let any = bvh.any_hit(ray, &query.filter(&accept));
            apart();
            bvh.all_hits(ray, &query.filter(&accept), &mut list);
            let context = || {
                format!(
                    "{:?}, {isa}: {ray:?} {facing:?} {mask:#x} filtered: {filtered}, \
                     follows: {follows}",
                    QUALITIES[tree]
                )
            };
            let closest_is = match (&closest, expected.first()) {
                (None, None) => true,
                (Some(hit), Some(expected)) => expected.is(hit),
                _ => false,
            };
            if !closest_is {
                return Err(format!(
                    "{}: closest_hit says {closest:?}, brute force {:?}",
                    context(),
                    expected.first()
                ));
            }
            if any == expected.is_empty() {
                return Err(format!("{}: any_hit says {any}", context()));
            }
            let all_are = list.len() == expected.len()
                && list.iter().zip(&expected).all(|(hit, expected)| expected.is(hit));
            if !all_are {
                let (all, expected) = (list.len(), expected.len());
                return Err(format!(
                    "{}: all_hits has {all} hits, brute force {expected}: {list:?}",
                    context()
                ));
            }
            seen.queries += 3;
        }
    }

    // The reference's hits of the bounded ray are those of the line, cut off.
    let bounded = judge.triangles.iter().filter(|judged| judge.hit(judged, ray).is_some());
    let inside = line.iter().filter(|hit| ray.t_min <= hit.t && hit.t <= ray.t_max);
    if kind == 0 && bounded.count() != inside.clone().count() {
        return Err(format!("{ray:?}: the reference does not cut where it should"));
    }
    let hits: Vec<_> = inside.collect();
    if let Some(first) = hits.first() {
        // The hit's triangle, as the tree stores it.
        let at = judge
            .triangles
            .binary_search_by_key(&(first.mesh, first.triangle), |j| (j.mesh, j.number))
            .expect("brute force hit it");
        for bvh in trees {
            let hit = bvh.closest_hit(ray, &Query::new()).expect("as above");
            if bvh.triangle(&hit) != Some(judge.triangles[at].triangle) {
                return Err(format!("{ray:?}: the tree has another triangle"));
            }
        }
        seen.swapped += usize::from(judge.triangles[at].swapped);
        seen.backs += usize::from(first.face == Face::Back);
        seen.ties += usize::from(hits.len() > 1 && hits[1].t == first.t);
    }
    seen.rays[kind] += 1;
    seen.hits[kind] += usize::from(!hits.is_empty());
    Ok(())
}

/// Casts `count` rays in a scene, on all cores.
fn try_scene(name: &str, meshes: &[Mesh], count: usize) -> Seen {
    let isas = InstructionSet::available();
    let trees = QUALITIES.map(|quality| {
        let baked = Builder::new().quality(quality).bake(meshes);
        baked.expect("the scene can be baked").0
    });
    let judge = Judge::new(meshes);
    let next = AtomicUsize::new(0);
    let total = Mutex::new(Seen::default());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut seen = Seen::default();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        break;
                    }
                    // Seeded by the ray's number, so that it is the same on any thread.
                    let mut random = Random::new((number as u64) << 20 ^ name.len() as u64);
                    let kind = number % KINDS.len();
                    let ray = rays::ray(kind, &judge, &trees[0], &mut random);
                    let tried = try_ray(&judge, &trees, &isas, &ray, kind, &mut random, &mut seen);
                    if let Err(error) = tried {
                        panic!("{name}, ray {number} ({}): {error}", KINDS[kind]);
                    }
                }
                total.lock().unwrap().add(&seen);
            });
        }
    });
    let seen = total.into_inner().unwrap();
    seen.print(name, judge.triangles.len());
    seen
}

#[test]
fn generated_scenes_equal_brute_force() {
    instruction_sets();
    let count = (450 * long()).min(20_000);
    let mut all = Seen::default();
    for (name, meshes) in scenes::all() {
        let seen = try_scene(&name, &meshes, count);
        assert!(seen.hits.iter().sum::<usize>() > count / 20, "{name}: few rays hit anything");
        all.add(&seen);
    }
    for (kind, name) in KINDS.iter().enumerate() {
        println!("{name:10} {:>8} rays {:>8} hit", all.rays[kind], all.hits[kind]);
        assert!(all.hits[kind] > all.rays[kind] / 10, "{name}: few rays hit anything");
    }
    println!("{} ties, {} back faces, {} on mirrored meshes", all.ties, all.backs, all.swapped);
    assert!(all.ties > count / 5 && all.backs > count / 5 && all.swapped > count / 5);
}

/// Sixteen triangles that lie nearly along a ray, which hits or narrowly misses them. For some,
/// `f32` cannot tell the side and the distance.
fn slivers(ray: &Ray, random: &mut Random) -> Mesh {
    let mut corners = Vec::new();
    for _ in 0..16 {
        let middle = ray.origin + ray.dir * random.range(0.2, 1.0);
        let length = 10f32.powf(random.range(-4.0, 0.0));
        let thickness = length * 10f32.powf(random.range(-8.0, -2.0));
        for _ in 0..3 {
            let along = ray.dir * random.range(-length, length);
            corners.push(middle + along + random.direction() * thickness);
        }
    }
    Mesh::from_soup(corners.iter().map(|corner| corner.to_array()).collect())
}

#[test]
fn slivers_along_rays_equal_brute_force() {
    let isas = instruction_sets();
    let kind = KINDS.iter().position(|&kind| kind == "graze").unwrap();
    let mut seen = Seen::default();
    let count = 3000 * long();
    for number in 0..count {
        let mut random = Random::new(number as u64);
        let far = [0.0, 1.0, 100.0][random.below(3)];
        let ray = Ray::new(random.direction() * far, random.direction());
        let meshes = [slivers(&ray, &mut random)];
        let trees = QUALITIES.map(|quality| {
            let builder = Builder::new().quality(quality);
            let baked = builder.bad_triangles(BadTriangles::Skip).bake(&meshes);
            baked.expect("the scene can be baked").0
        });
        let judge = Judge::new(&meshes);
        let tried = try_ray(&judge, &trees, &isas, &ray, kind, &mut random, &mut seen);
        if let Err(error) = tried {
            panic!("ray {number}: {error}");
        }
    }
    seen.print("slivers", 16);
    assert!(seen.hits[kind] > count / 2);
}

/// A real mesh in four parts, with different ids, masks and materials.
fn parts(name: &str) -> Option<Vec<Mesh>> {
    let mesh = shared_mesh(name)?;
    let part = mesh.positions.len() / 12 * 3 + 3;
    let parts = mesh.positions.chunks(part).enumerate();
    Some(
        parts
            .map(|(number, positions)| {
                let mesh = Mesh::from_soup(positions.to_vec())
                    .with_user_id(1 << (60 - number))
                    .with_mask(1 << number | 16);
                if number % 2 == 1 {
                    let count = mesh.triangle_count() as u32;
                    mesh.with_materials((0..count).map(|i| i / 3).collect())
                } else {
                    mesh
                }
            })
            .collect(),
    )
}

#[test]
fn real_meshes_equal_brute_force() {
    instruction_sets();
    let most = if long() == 1 { 30_000 } else { 100_000 };
    let mut all = Seen::default();
    let names = shared_names(most);
    for name in &names {
        let meshes = parts(name).expect("it was there just now");
        all.add(&try_scene(name, &meshes, 40 * long()));
    }
    all.print(&format!("{} real meshes", names.len()), 0);
    if !names.is_empty() {
        let (hits, rays) = (all.hits.iter().sum::<usize>(), all.rays.iter().sum::<usize>());
        assert!(hits > rays / 3, "few rays hit anything");
    }
}

#[cfg(feature = "import")]
#[test]
fn the_projects_level_equals_brute_force() {
    instruction_sets();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/level.glb");
    let meshes = hitscan::Import::open(path).expect("the level is sound").meshes;
    let seen = try_scene("data/level.glb", &meshes, (40 * long()).min(20_000));
    let (hits, rays) = (seen.hits.iter().sum::<usize>(), seen.rays.iter().sum::<usize>());
    assert!(hits > rays / 3, "few rays hit anything");
}
