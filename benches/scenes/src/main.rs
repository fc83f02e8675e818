//! Measures hitscan's scenes of instances against Embree's and tinybvh's: one run, the same scenes
//! and rays.

mod embree;
#[path = "../../peers/src/embree_packet.rs"]
mod embree_packet;
#[path = "../../peers/src/embree_ray.rs"]
mod embree_ray;
#[path = "../../peers/src/embree_scene.rs"]
#[expect(dead_code, reason = "rays need more of it")]
mod embree_scene;
#[path = "../../peers/src/machine.rs"]
#[expect(dead_code, reason = "rays need more of it")]
mod machine;
#[cfg(feature = "tinybvh")]
mod tinybvh;
#[cfg(feature = "tinybvh")]
#[path = "../../peers/native/src/tinybvh_ray.rs"]
mod tinybvh_ray;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use embree::{Embree, Mode};
use hitscan::glam::{Affine3A, Quat, Vec3};
use hitscan::scene::{Instance, Scene, Snapshot};
use hitscan::{Builder, Bvh, InstanceId, Mesh, Query, Ray, Hit};
use hitscan_levels::Level;
use hitscan_levels::math::Random;

const USAGE: &str = "\
Measures hitscan's scenes of instances against Embree's.

    HITSCAN_MESHES=FOLDER HITSCAN_EMBREE=LIBRARY cargo run --release -- [OPTIONS] MODEL...

    --only A,B    of build, build-large, move-some, move-all, static, rays, decay
                  (default: all but build-large)
    --passes N    timed passes (default: 7)
    --threads N   of Embree's builds (default: 1)

MODEL is the name of a `.tri` file in HITSCAN_MESHES: what stands there.
";

/// What is compared.
trait Peer {
    fn name(&self) -> &str;
    fn set_transform(&mut self, instance: usize, transform: &[f32; 12]);
    fn commit(&mut self);
    /// Infinite where nothing is hit.
    fn closest(&mut self, rays: &[Ray], t: &mut [f32]);
    fn any(&mut self, rays: &[Ray], found: &mut [bool]);
}

struct Ours {
    scene: Scene,
    ids: Vec<InstanceId>,
    now: Snapshot,
}

impl Ours {
    fn new() -> Self {
        let scene = Scene::new();
        let now = scene.snapshot().clone();
        Self { scene, ids: Vec::new(), now }
    }

    fn insert(&mut self, bvh: &Bvh, transform: &[f32; 12]) {
        let instance = Instance::new(bvh.clone());
        let transform = Affine3A::from_cols_array(transform);
        let id = self.scene.insert(instance.with_transform(transform)).expect("invertible");
        self.ids.push(id);
    }
}

impl Peer for Ours {
    fn name(&self) -> &str {
        "hitscan"
    }

    fn set_transform(&mut self, instance: usize, transform: &[f32; 12]) {
        let transform = Affine3A::from_cols_array(transform);
        self.scene.set_transform(self.ids[instance], transform).expect("invertible");
    }

    fn commit(&mut self) {
        self.now = self.scene.commit();
    }

    fn closest(&mut self, rays: &[Ray], t: &mut [f32]) {
        let query = Query::new();
        for (ray, t) in rays.iter().zip(t) {
            *t = self.now.closest_hit(ray, &query).map_or(f32::INFINITY, |hit| hit.t);
        }
    }

    fn any(&mut self, rays: &[Ray], found: &mut [bool]) {
        let query = Query::new();
        for (ray, found) in rays.iter().zip(found) {
            *found = self.now.any_hit(ray, &query);
        }
    }
}

/// Our batches, on one thread.
struct OursInBatches {
    now: Snapshot,
    hits: Vec<Option<Hit>>,
}

impl Peer for OursInBatches {
    fn name(&self) -> &str {
        "hitscan-batch"
    }

    fn set_transform(&mut self, _: usize, _: &[f32; 12]) {}

    fn commit(&mut self) {}

    fn closest(&mut self, rays: &[Ray], t: &mut [f32]) {
        self.hits.resize(rays.len(), None);
        self.now.closest_hit_batch(rays, &Query::new(), &mut self.hits).expect("as many");
        for (hit, t) in self.hits.iter().zip(t) {
            *t = hit.map_or(f32::INFINITY, |hit| hit.t);
        }
    }

    fn any(&mut self, rays: &[Ray], found: &mut [bool]) {
        self.now.any_hit_batch(rays, &Query::new(), found).expect("as many");
    }
}

struct Models {
    triangles: Vec<Vec<[[f32; 3]; 3]>>,
    bvhs: Vec<Bvh>,
    /// What makes each about two units wide, around the origin.
    fit: Vec<Affine3A>,
}

/// Where instances stand: on a square of ground, each in its own cell, turned and scaled.
fn places(count: usize, models: &Models, seed: u64) -> Vec<(usize, [f32; 12])> {
    let mut random = Random(seed);
    let side = (count as f64).sqrt().ceil();
    (0..count)
        .map(|i| {
            let model = random.next() as usize % models.bvhs.len();
            let cell = (i as f64 % side, (i as f64 / side).floor());
            let at = Vec3::new(
                (4.0 * (cell.0 + 0.8 * random.unit())) as f32,
                (2.0 * random.unit()) as f32,
                (4.0 * (cell.1 + 0.8 * random.unit())) as f32,
            );
            (model, placed(models, model, at, &mut random))
        })
        .collect()
}

/// Where another instance comes in place of one: anywhere on the ground.
fn elsewhere(model: usize, count: usize, models: &Models, random: &mut Random) -> [f32; 12] {
    let side = 4.0 * (count as f64).sqrt();
    let mut along = || (side * random.unit()) as f32;
    let (x, z) = (along(), along());
    placed(models, model, Vec3::new(x, 1.0, z), random)
}

fn placed(models: &Models, model: usize, at: Vec3, random: &mut Random) -> [f32; 12] {
    let turn = Quat::from_rotation_y(6.3 * random.unit() as f32);
    let scale = Vec3::splat((0.7 + 0.8 * random.unit()) as f32);
    let map = Affine3A::from_scale_rotation_translation(scale, turn, at) * models.fit[model];
    map.to_cols_array()
}

struct Bench {
    models: Models,
    embree: Option<PathBuf>,
    passes: usize,
    threads: usize,
}

impl Bench {
    fn ours(&self, places: &[(usize, [f32; 12])]) -> (Ours, f64) {
        let start = Instant::now();
        let mut ours = Ours::new();
        for (model, transform) in places {
            ours.insert(&self.models.bvhs[*model], transform);
        }
        ours.commit();
        (ours, start.elapsed().as_secs_f64())
    }

    fn embree(&self, mode: Mode, places: &[(usize, [f32; 12])]) -> Option<(Embree, f64)> {
        let path = self.embree.as_ref()?;
        let (mut embree, scenes) = Embree::new(path, mode, &self.models.triangles, self.threads);
        let start = Instant::now();
        for (model, transform) in places {
            embree.insert(scenes[*model], transform);
        }
        embree.commit();
        Some((embree, start.elapsed().as_secs_f64()))
    }

    /// All peers over the same places, with the seconds that each build took.
    fn peers(&self, places: &[(usize, [f32; 12])], modes: &[Mode]) -> Vec<(Box<dyn Peer>, f64)> {
        let (ours, time) = self.ours(places);
        let mut peers: Vec<(Box<dyn Peer>, f64)> = vec![(Box::new(ours), time)];
        for &mode in modes {
            if let Some((embree, time)) = self.embree(mode, places) {
                peers.push((Box::new(embree), time));
            }
        }
        #[cfg(feature = "tinybvh")]
        {
            let mut peer = tinybvh::TinyBvh::new(&self.models.triangles);
            let start = Instant::now();
            for (model, transform) in places {
                peer.insert(*model, transform);
            }
            peer.commit();
            let time = start.elapsed().as_secs_f64();
            peers.push((Box::new(peer), time));
        }
        peers
    }

    fn build(&self, count: usize) {
        let places = places(count, &self.models, 1);
        let mut best = vec![f64::INFINITY; 4];
        let mut names = Vec::new();
        for _ in 0..self.passes.min(3) {
            let modes = [Mode::Dynamic, Mode::Fast];
            names = Vec::new();
            for (i, (peer, time)) in self.peers(&places, &modes).into_iter().enumerate() {
                best[i] = best[i].min(time);
                names.push(peer.name().to_owned());
            }
        }
        println!("\nbuild of {count} instances, ms");
        print(&names, &best, 1e3);
    }

    /// Moves some instances, and commits.
    fn moves(&self, count: usize, movers: usize) {
        let places = places(count, &self.models, 1);
        let mut peers = self.peers(&places, &[Mode::Dynamic, Mode::Fast]);
        let mut best = vec![f64::INFINITY; peers.len()];
        let stride = count / movers;
        for pass in 0..self.passes + 3 {
            let mut random = Random(pass as u64 + 7);
            let moved: Vec<_> = (0..movers)
                .map(|i| {
                    let (model, old) = places[i * stride];
                    let at = Vec3::new(old[9], old[10], old[11]);
                    let at = at + Vec3::splat(random.unit() as f32);
                    (i * stride, placed(&self.models, model, at, &mut random))
                })
                .collect();
            for (i, (peer, _)) in peers.iter_mut().enumerate() {
                let start = Instant::now();
                for (instance, transform) in &moved {
                    peer.set_transform(*instance, transform);
                }
                peer.commit();
                let time = start.elapsed().as_secs_f64();
                if pass >= 3 {
                    best[i] = best[i].min(time);
                }
            }
        }
        println!("\ncommit after {movers} of {count} instances moved, ms");
        let names: Vec<_> = peers.iter().map(|(peer, _)| peer.name().to_owned()).collect();
        print(&names, &best, 1e3);
    }

    fn rays(&self, count: usize) {
        let places = places(count, &self.models, 1);
        let batches = OursInBatches { now: self.ours(&places).0.now, hits: Vec::new() };
        let packets = [false, true].map(|coherent| Mode::Packets { coherent });
        let modes = [Mode::Fast, Mode::Robust, packets[0], packets[1]];
        let mut peers = self.peers(&places, &modes);
        peers.insert(1, (Box::new(batches), 0.0));
        self.time_rays(count, &mut peers);
    }

    /// Rays through a scene after many changes, and through one of the same instances built anew.
    fn decay(&self, count: usize, operations: usize, each_commit: usize) {
        let mut now = places(count, &self.models, 1);
        let (mut ours, _) = self.ours(&now);
        let mut random = Random(5);
        let start = Instant::now();
        for operation in 0..operations {
            let at = random.next() as usize % now.len();
            let old = now[at].1;
            let near =
                Vec3::new(old[9], old[10], old[11]) + Vec3::splat(random.unit() as f32 - 0.5);
            let (model, transform) =
                (now[at].0, placed(&self.models, now[at].0, near, &mut random));
            match random.next() % 4 {
                // One goes, and another comes elsewhere.
                0 => {
                    let transform = elsewhere(model, count, &self.models, &mut random);
                    ours.scene.remove(ours.ids.swap_remove(at)).expect("it is there");
                    now.swap_remove(at);
                    ours.insert(&self.models.bvhs[model], &transform);
                    now.push((model, transform));
                }
                // A row of neighbours moves on.
                1 => {
                    for i in at..(at + 4).min(now.len()) {
                        let mut moved = now[i].1;
                        moved[9] += 0.25;
                        ours.set_transform(i, &moved);
                        now[i].1 = moved;
                    }
                }
                _ => {
                    ours.set_transform(at, &transform);
                    now[at] = (model, transform);
                }
            }
            if operation % each_commit == each_commit - 1 {
                ours.commit();
            }
        }
        let commits = operations / each_commit;
        let each = start.elapsed().as_secs_f64() / commits as f64;
        println!("\n{operations} operations in {commits} commits, {:.3} ms each", 1e3 * each);
        let (fresh, _) = self.ours(&now);
        let mut peers: Vec<(Box<dyn Peer>, f64)> =
            vec![(Box::new(fresh), 0.0), (Box::new(ours), 0.0)];
        println!("first built anew, then after these operations:");
        self.time_rays(count, &mut peers);
    }

    fn time_rays(&self, instances: usize, peers: &mut [(Box<dyn Peer>, f64)]) {
        let side = 4.0 * (instances as f64).sqrt();
        let mut random = Random(3);
        let mut point = |height: f64| {
            Vec3::new(
                (side * random.unit()) as f32,
                (height * random.unit()) as f32,
                (side * random.unit()) as f32,
            )
        };
        let count = 50_000;
        // From above the ground at instances a few cells away.
        let random_rays: Vec<Ray> = (0..count)
            .map(|_| {
                let from = point(8.0);
                let to = from
                    + 0.1 * (point(8.0) - Vec3::new(side as f32 / 2.0, 0.0, side as f32 / 2.0));
                Ray::new(from, (to - from) * Vec3::new(1.0, 0.0, 1.0) + Vec3::Y * (1.0 - from.y))
            })
            .collect();
        println!("\nrays through {instances} instances, ns a ray");
        self.time_kind("random", &random_rays, false, peers);
        let [bounce, shadow] = from_hits(&random_rays, side, &mut *peers[0].0);
        self.time_kind("bounce", &bounce, false, peers);
        self.time_kind("shadow", &shadow, true, peers);
        let picture = pictures(side);
        self.time_kind("picture", &picture, false, peers);
        let [bounce, shadow] = from_hits(&picture, side, &mut *peers[0].0);
        self.time_kind("picture, bounce", &bounce, false, peers);
        self.time_kind("picture, shadow", &shadow, true, peers);
    }

    fn time_kind(
        &self,
        kind: &str,
        rays: &[Ray],
        is_any: bool,
        peers: &mut [(Box<dyn Peer>, f64)],
    ) {
        let names: Vec<_> = peers.iter().map(|(peer, _)| peer.name().to_owned()).collect();
        let mut best = vec![f64::INFINITY; peers.len()];
        let mut answers =
            vec![(vec![f32::INFINITY; rays.len()], vec![false; rays.len()]); peers.len()];
        for _ in 0..self.passes {
            for (i, (peer, _)) in peers.iter_mut().enumerate() {
                let start = machine::thread_time();
                if is_any {
                    peer.any(rays, &mut answers[i].1);
                } else {
                    peer.closest(rays, &mut answers[i].0);
                }
                best[i] = best[i].min((machine::thread_time() - start) as f64);
            }
        }
        let same = |i: usize| {
            let all = (0..rays.len()).filter(|&k| {
                let (a, b) = (answers[0].0[k], answers[i].0[k]);
                (a == b || (a - b).abs() < 1e-3 * a.abs() + 1e-3)
                    && answers[0].1[k] == answers[i].1[k]
            });
            all.count() as f64 / rays.len() as f64
        };
        let others: Vec<String> = (1..peers.len()).map(|i| format!("{:.5}", same(i))).collect();
        println!("{kind}: {} rays ({} alike)", rays.len(), others.join(", "));
        print(&names, &best, 1.0 / rays.len() as f64);
    }
}

/// Four pictures from above the ground, line by line.
fn pictures(side: f64) -> Vec<Ray> {
    const SIZE: usize = 256;
    let side = side as f32;
    let mut rays = Vec::new();
    for camera in 0..4 {
        let from = side
            * Vec3::new([0.2, 0.8, 0.5, 0.3][camera], 0.0, [0.3, 0.6, 0.1, 0.9][camera])
            + 7.0 * Vec3::Y;
        let forward = Quat::from_rotation_y(1.7 * camera as f32) * Vec3::new(0.0, -0.35, 1.0);
        let right = forward.cross(Vec3::Y).normalize();
        let up = right.cross(forward);
        for pixel in 0..SIZE * SIZE {
            let at = |i: usize| (i as f32 + 0.5) / SIZE as f32 - 0.5;
            let (x, y) = (at(pixel % SIZE), at(pixel / SIZE));
            rays.push(Ray::new(from, forward + x * right - y * up));
        }
    }
    rays
}

/// A bounce from where each of these rays hits, and a ray from there to the light.
fn from_hits(rays: &[Ray], side: f64, peer: &mut dyn Peer) -> [Vec<Ray>; 2] {
    let mut t = vec![f32::INFINITY; rays.len()];
    peer.closest(rays, &mut t);
    let mut random = Random(4);
    let light = Vec3::new(side as f32 / 2.0, 30.0, side as f32 / 2.0);
    let (mut bounce, mut shadow) = (Vec::new(), Vec::new());
    for (ray, &t) in rays.iter().zip(&t) {
        if t < f32::INFINITY {
            let at = ray.at(t * 0.999);
            let d = random.direction();
            let d = Vec3::new(d[0] as f32, d[1] as f32, d[2] as f32);
            let d = if d.dot(ray.dir) > 0.0 { -d } else { d };
            bounce.push(Ray::new(at, d));
            shadow.push(Ray::between(at, light));
        }
    }
    [bounce, shadow]
}

/// A line for each peer: its time, and how it compares with the first.
fn print(names: &[String], times: &[f64], unit: f64) {
    for (name, time) in names.iter().zip(times) {
        println!("    {name:16} {:10.3}   {:6.2}", time * unit, time / times[0]);
    }
}

fn main() -> ExitCode {
    let (mut names, mut only) =
        (Vec::new(), String::from("build,move-some,move-all,static,rays,decay"));
    let (mut passes, mut threads) = (7, 1);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--only" => only = arguments.next().expect("--only needs a value"),
            "--passes" => passes = arguments.next().and_then(|n| n.parse().ok()).expect("a number"),
            "--threads" => {
                threads = arguments.next().and_then(|n| n.parse().ok()).expect("a number")
            }
            "--help" => {
                print!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            name => names.push(name.to_owned()),
        }
    }
    let folder = std::env::var_os("HITSCAN_MESHES").map(PathBuf::from);
    let mut models = Models { triangles: Vec::new(), bvhs: Vec::new(), fit: Vec::new() };
    for name in &names {
        let level = match Level::load(name, folder.as_deref(), 0) {
            Ok(level) => level,
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::from(2);
            }
        };
        let soup = level.triangles.as_flattened().to_vec();
        let (bvh, _) = Builder::new().bake(&[Mesh::from_soup(soup)]).expect("finite");
        let bounds = bvh.bounds();
        let scale = 2.0 / bounds.size().max_element();
        let fit =
            Affine3A::from_scale(Vec3::splat(scale)) * Affine3A::from_translation(-bounds.center());
        println!("{name}: {} triangles", level.triangles.len());
        models.triangles.push(level.triangles);
        models.bvhs.push(bvh);
        models.fit.push(fit);
    }
    if names.is_empty() {
        eprint!("{USAGE}");
        return ExitCode::from(2);
    }
    let embree = std::env::var_os("HITSCAN_EMBREE").map(PathBuf::from);
    let bench = Bench { models, embree, passes, threads };
    let is_asked = |what: &str| only.split(',').any(|word| word == what);
    if is_asked("build") {
        bench.build(10_000);
        bench.build(100_000);
    }
    if is_asked("build-large") {
        bench.build(1_700_000);
    }
    if is_asked("move-some") {
        bench.moves(100_000, 1_000);
    }
    if is_asked("move-all") {
        bench.moves(10_000, 10_000);
    }
    if is_asked("static") {
        for count in [1_000, 10_000, 100_000, 1_000_000] {
            bench.moves(count, 100);
        }
    }
    if is_asked("rays") {
        bench.rays(10_000);
    }
    if is_asked("decay") {
        for each_commit in [1, 10, 100, 1_000] {
            bench.decay(10_000, 1_000_000, each_commit);
        }
    }
    ExitCode::SUCCESS
}
