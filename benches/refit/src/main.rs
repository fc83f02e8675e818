//! Measures refits of hitscan's trees against Embree's, tinybvh's and a copy of as many bytes: one
//! run, the same triangles, in turn.

mod embree;
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

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use embree::Embree;
use hitscan::glam::{Affine3A, Vec3};
use hitscan::{Builder, Bvh, Indices, MeshView, Positions, Query, Ray};
use hitscan_levels::math::Random;
use hitscan_levels::{Level, Triangle};

const USAGE: &str = "\
Measures refits of hitscan's trees against Embree's and tinybvh's.

    HITSCAN_MESHES=FOLDER HITSCAN_EMBREE=LIBRARY cargo run --release -- [OPTIONS] SCENE...

    --threads N     of hitscan, Embree and the copy (default: 1)
    --passes N      timed passes (default: 15)
    --terrain N     triangles of the scene `terrain` (default: 1000000)
    --meshes N      meshes along two axes, N * N in all (default: 10)
    --ours          without the peers

SCENE is the name of a `.tri` file in HITSCAN_MESHES, or `terrain`.
";

/// A level in parts of as many triangles each, with shared vertices.
struct Parts {
    /// Vertices and indices of each.
    meshes: Vec<(Vec<[f32; 3]>, Vec<u32>)>,
    diagonal: f32,
}

impl Parts {
    /// `side` strips along x, and each in as many parts along z.
    fn new(level: Level, side: usize) -> Self {
        let diagonal = level.diagonal() as f32;
        let mut triangles = level.triangles;
        let mut meshes = Vec::new();
        let along = |axis: usize| {
            move |a: &Triangle, b: &Triangle| {
                let middle = |t: &Triangle| t[0][axis] + t[1][axis] + t[2][axis];
                middle(a).total_cmp(&middle(b))
            }
        };
        triangles.sort_by(along(0));
        let strip = triangles.len().div_ceil(side);
        for strip in triangles.chunks_mut(strip) {
            strip.sort_by(along(2));
            for part in strip.chunks(strip.len().div_ceil(side)) {
                meshes.push(weld(part));
            }
        }
        Self { meshes, diagonal }
    }

    /// All positions, slightly deformed unless `frame` is 0.
    fn frame(&self, frame: usize) -> Vec<Vec<[f32; 3]>> {
        let (by, along) = (frame as f32 * 0.002 * self.diagonal, 20.0 / self.diagonal);
        let moved = |&[x, y, z]: &[f32; 3]| {
            [x, y + by * (along * x).sin(), z + by * (along * (x + y)).cos()]
        };
        self.meshes.iter().map(|(vertices, _)| vertices.iter().map(moved).collect()).collect()
    }

    fn views<'a>(&'a self, frame: &'a [Vec<[f32; 3]>]) -> Vec<MeshView<'a>> {
        let meshes = self.meshes.iter().zip(frame);
        let view = |((_, indices), positions): (&'a (_, Vec<u32>), &'a Vec<[f32; 3]>)| {
            MeshView::new(Positions::Arrays(positions), Indices::U32(indices))
        };
        meshes.map(view).collect()
    }

    /// The indices into all positions.
    fn indices(&self) -> Vec<[u32; 3]> {
        let mut all = Vec::new();
        let mut before = 0;
        for (vertices, indices) in &self.meshes {
            let (triangles, _) = indices.as_chunks::<3>();
            all.extend(triangles.iter().map(|triangle| triangle.map(|index| before + index)));
            before += vertices.len() as u32;
        }
        all
    }
}

/// Triangles whose equal corners are one vertex.
fn weld(triangles: &[Triangle]) -> (Vec<[f32; 3]>, Vec<u32>) {
    let mut numbers = HashMap::new();
    let mut vertices = Vec::new();
    let number = |corner: &[f32; 3]| {
        *numbers.entry(corner.map(f32::to_bits)).or_insert_with(|| {
            vertices.push(*corner);
            vertices.len() as u32 - 1
        })
    };
    let indices = triangles.iter().flatten().map(number).collect();
    (vertices, indices)
}

/// The fastest and the middle pass of each row, in the order in which they were first measured.
#[derive(Default)]
struct Times {
    rows: Vec<(String, Vec<f64>)>,
}

impl Times {
    fn measure(&mut self, name: &str, counts: bool, work: impl FnOnce()) {
        let start = Instant::now();
        work();
        let time = start.elapsed().as_secs_f64();
        if !counts {
            return;
        }
        match self.rows.iter_mut().find(|row| row.0 == name) {
            Some(row) => row.1.push(time),
            None => self.rows.push((name.to_owned(), vec![time])),
        }
    }

    fn print(mut self) {
        println!("\n| | milliseconds | of hitscan's refit |\n|---|---|---|");
        let mut first = None;
        for (name, times) in &mut self.rows {
            times.sort_by(f64::total_cmp);
            let [least, middle] = [times[0], times[times.len() / 2]].map(|time| time * 1e3);
            let [of_least, of_middle] = *first.get_or_insert([least, middle]);
            println!(
                "| {name} | {least:.3} ({middle:.3}) | {:.3} ({:.3}) |",
                least / of_least,
                middle / of_middle
            );
        }
    }
}

/// Copies with all threads.
fn copy(from: &[u8], to: &mut [u8], threads: usize) {
    let piece = from.len().div_ceil(threads).max(1);
    rayon::scope(|scope| {
        for (from, to) in from.chunks(piece).zip(to.chunks_mut(piece)) {
            scope.spawn(move |_| to.copy_from_slice(from));
        }
    });
}

struct Options {
    threads: usize,
    passes: usize,
    has_peers: bool,
}

fn measure(parts: &Parts, options: &Options) {
    let frames: Vec<_> = (0..2).map(|frame| parts.frame(frame)).collect();
    let views = [parts.views(&frames[0]), parts.views(&frames[1])];
    let (mut bvh, report) = Builder::new().bake(&views[0]).expect("finite");
    let mut alone = bvh.clone();
    let flat: Vec<Vec<[f32; 3]>> = frames.iter().map(|frame| frame.concat()).collect();
    let indices = parts.indices();
    println!("{} triangles, {} meshes", indices.len(), parts.meshes.len());
    println!("{} bytes of nodes and leaf blocks", report.summary.tree_bytes);

    let path = std::env::var_os("HITSCAN_EMBREE").map(PathBuf::from);
    let path = path.filter(|_| options.has_peers);
    let threads = options.threads;
    let mut embree = path.map(|path| Embree::new(&path, threads, &flat[0], indices.clone()));
    #[cfg(feature = "tinybvh")]
    let mut tinybvh = options.has_peers.then(|| tinybvh::Trees::new(&flat[0], &indices));

    let bytes = vec![1_u8; report.summary.tree_bytes as usize];
    let mut to = vec![2_u8; bytes.len()];
    let map = Affine3A::from_rotation_y(1e-3);
    let mut times = Times::default();
    for pass in 0..options.passes + 2 {
        let (frame, counts) = (1 - pass % 2, pass >= 2);
        let views = &views[frame];
        times.measure("refit", counts, || _ = bvh.refit(views).expect("the same meshes"));
        times.measure("transform", counts, || _ = alone.apply_transform(&map).expect("a rotation"));
        let mut shared = bvh.clone();
        times.measure("refit of a clone", counts, || {
            _ = shared.refit(views).expect("the same meshes");
        });
        drop(shared);
        let mesh = pass * 37 % views.len();
        times.measure("refit_mesh", counts, || {
            _ = bvh.refit_mesh(mesh as u32, &views[mesh]).expect("the same mesh");
        });
        if let Some(embree) = &mut embree {
            embree.write(&flat[frame]);
            times.measure("Embree", counts, || embree.refit());
            check(&bvh, embree, counts);
        }
        #[cfg(feature = "tinybvh")]
        if let Some(trees) = &mut tinybvh {
            trees.write(&flat[frame], &indices);
            times.measure("tinybvh, MBVH8", counts, || trees.refit_wide());
            times.measure("tinybvh, MBVH8 and BVH8_CPU", counts, || trees.refit_for_rays());
        }
        times.measure("copy, one thread", counts, || to.copy_from_slice(&bytes));
        times.measure("copy, all threads", counts, || copy(&bytes, &mut to, threads));
    }
    times.print();
}

/// Both refitted trees give the same hits.
fn check(bvh: &Bvh, embree: &Embree, counts: bool) {
    if counts {
        return;
    }
    let bounds = bvh.bounds();
    let mut random = Random(5);
    let mut point =
        || bounds.min + bounds.size() * Vec3::from_array([(); 3].map(|()| random.unit() as f32));
    let (mut hits, mut alike) = (0, 0);
    for _ in 0..10_000 {
        let ray = Ray::between(point(), point());
        let ours = bvh.closest_hit(&ray, &Query::new()).map_or(f32::INFINITY, |hit| hit.t);
        let theirs = embree.closest(&ray);
        hits += usize::from(ours < f32::INFINITY);
        alike += usize::from(ours == theirs || (ours - theirs).abs() < 1e-3);
    }
    println!("{hits} of 10000 rays hit; {alike} as in Embree");
}

fn main() -> ExitCode {
    let mut options = Options { threads: 1, passes: 15, has_peers: true };
    let (mut terrain, mut side, mut names) = (1_000_000, 10, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|n| n.parse().ok()).expect("a number");
        match argument.as_str() {
            "--threads" => options.threads = number(),
            "--passes" => options.passes = number(),
            "--terrain" => terrain = number(),
            "--meshes" => side = number(),
            "--ours" => options.has_peers = false,
            "--help" => {
                print!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            _ => names.push(argument),
        }
    }
    if names.is_empty() {
        eprint!("{USAGE}");
        return ExitCode::from(2);
    }
    // This thread works along, as it does in TBB's pool.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).use_current_thread();
    pool.build_global().expect("threads can be started");
    println!("{}, {} threads, {} passes", machine::cpu_name(), options.threads, options.passes);
    let folder = std::env::var_os("HITSCAN_MESHES").map(PathBuf::from);
    for name in &names {
        println!("\n{name}");
        match Level::load(name, folder.as_deref(), terrain) {
            Ok(level) => measure(&Parts::new(level, side), &options),
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::from(2);
            }
        }
    }
    ExitCode::SUCCESS
}
