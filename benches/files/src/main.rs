//! Measures how fast baked trees load, beside what people use instead: one run, in turn, warm
//! page cache, all cores. `benches/README.md` explains the rows and holds the last table.

mod naive;
mod tinybvh;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use hitscan::file::MapOptions;
use hitscan::mesh::{Indices, Positions};
use hitscan::{Aabb, Builder, Bvh, MeshView, Quality, Query, Ray};
use hitscan_levels::Level;

const USAGE: &str = "\
Measures how fast baked trees load.

    HITSCAN_MESHES=FOLDER cargo run --release -- [SCENE]...

Scenes are names of `.tri` files, or `terrain`; pc_cave, jam_city and terrain if none is named.
";

/// Triangles of the terrain.
const TERRAIN: usize = 4_000_000;
/// Timed passes; the fastest and the middle one are told.
const PASSES: usize = 15;

fn main() -> Result<(), String> {
    let mut scenes: Vec<String> = std::env::args().skip(1).collect();
    if scenes.iter().any(|scene| scene.starts_with('-')) {
        print!("{USAGE}");
        return Ok(());
    }
    if scenes.is_empty() {
        scenes = ["pc_cave", "jam_city", "terrain"].map(str::to_owned).into();
    }
    let folder = std::env::var_os("HITSCAN_MESHES").map(PathBuf::from);
    for scene in &scenes {
        measure(scene, &Level::load(scene, folder.as_deref(), TERRAIN)?)?;
    }
    Ok(())
}

/// One way to get a tree from a file.
struct Row<'a> {
    name: &'static str,
    path: &'a Path,
    load: Box<dyn Fn() + 'a>,
    seconds: Vec<f64>,
}

fn measure(scene: &str, level: &Level) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let [ours, bincode, serde, tiny] =
        ["ours", "bincode", "serde", "tinybvh"].map(|name| folder.path().join(name));
    let vertices = level.triangles.as_flattened();
    let bake = |quality: Quality| {
        let start = Instant::now();
        let baked = Builder::new()
            .quality(quality)
            .bake(&[MeshView::new(Positions::Arrays(vertices), Indices::None)])
            .map_err(|error| error.to_string());
        baked.map(|(tree, _)| (tree, start.elapsed().as_secs_f64()))
    };
    // The second of each: the first one waits for the system's memory.
    bake(Quality::Fast)?;
    let (_, fast) = bake(Quality::Fast)?;
    let (tree, seconds) = bake(Quality::Balanced)?;
    tree.save(&ours).map_err(|error| error.to_string())?;
    drop(tree);
    let bytes = std::fs::read(&ours).map_err(|error| error.to_string())?;
    let aligned = &*Box::leak(Box::new(Aligned::new(&bytes)));
    let naive = naive::Tree::new(&level.triangles);
    naive.save(&bincode);
    naive.save_serde(&serde);
    drop(naive);
    let wide: Vec<[f32; 4]> = vertices.iter().map(|&[x, y, z]| [x, y, z, 0.0]).collect();
    tinybvh::save(&wide, &tiny);

    let mut rows = [
        row("hitscan, mapped unchecked", &ours, || {
            // SAFETY: this process has just saved the file in a folder of its own.
            let map = unsafe { Bvh::open_mapped_unchecked(&ours, &MapOptions::new()) };
            black_box(map.expect("loads"));
        }),
        row("hitscan, mapped", &ours, || {
            // SAFETY: as above.
            let map = unsafe { Bvh::open_mapped(&ours, &MapOptions::new()) };
            black_box(map.expect("loads"));
        }),
        row("hitscan, borrowed", &ours, || {
            black_box(Bvh::from_owner(aligned).expect("loads"));
        }),
        row("hitscan, open", &ours, || {
            black_box(Bvh::open(&ours).expect("loads"));
        }),
        row("bincode, naive tree", &bincode, || {
            black_box(naive::Tree::load(&bincode));
        }),
        row("serde + bincode, naive tree", &serde, || {
            black_box(naive::Tree::load_serde(&serde));
        }),
        row("tinybvh Load (no vertices)", &tiny, || {
            tinybvh::load(&wide, &tiny);
        }),
    ];
    for pass in 0..=PASSES {
        for row in &mut rows {
            let start = Instant::now();
            (row.load)();
            if pass > 0 {
                row.seconds.push(start.elapsed().as_secs_f64());
            }
        }
    }

    println!("### {scene}\n");
    println!(
        "{} triangles, baked by `Balanced` in {seconds:.2} s (by `Fast` in {fast:.2} s).\n",
        level.triangles.len()
    );
    println!("| | milliseconds | GB/s | bytes | bytes a triangle |\n|---|---|---|---|---|");
    for row in &mut rows {
        row.seconds.sort_by(f64::total_cmp);
        let (least, middle) = (row.seconds[0], row.seconds[PASSES / 2]);
        let bytes = std::fs::metadata(row.path).map_or(0, |file| file.len());
        println!(
            "| {} | {:.3} ({:.3}) | {:.1} ({:.1}) | {bytes} | {:.1} |",
            row.name,
            least * 1e3,
            middle * 1e3,
            bytes as f64 / least / 1e9,
            bytes as f64 / middle / 1e9,
            bytes as f64 / level.triangles.len() as f64
        );
    }
    drop(rows);
    println!("\n{}\n", touched_by_a_ray(&ours)?);
    Ok(())
}

fn row<'a>(name: &'static str, path: &'a Path, load: impl Fn() + 'a) -> Row<'a> {
    Row {
        name,
        path,
        load: Box::new(load),
        seconds: Vec::new(),
    }
}

/// How much of the file an unchecked opening and a first ray bring into memory.
fn touched_by_a_ray(path: &Path) -> Result<String, String> {
    // SAFETY: this process has just saved the file in a folder of its own.
    let map = unsafe { Bvh::open_mapped_unchecked(path, &MapOptions::new()) }.map_err(|e| e.to_string())?;
    let Aabb { min, max } = map.bounds();
    let ray = Ray::between(min.with_y(max.y), max.with_y(min.y));
    let opened = resident(path);
    let before = faults();
    let hit = map.closest_hit(&ray, &Query::new());
    let faults = faults() - before;
    let asked = resident(path);
    Ok(format!(
        "A first ray through the unchecked mapping ({}) met {faults} page faults; {opened} KiB of \
         the file were resident before it and {asked} KiB after it.",
        if hit.is_some() { "a hit" } else { "a miss" }
    ))
}

/// KiB of a mapped file that this process has in memory, as Linux tells it.
fn resident(path: &Path) -> u64 {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    let path = path.to_string_lossy();
    let mut lines = maps.lines().skip_while(|line| !line.ends_with(&*path));
    let line = lines.find_map(|line| line.strip_prefix("Rss:"));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB"));
    number
        .and_then(|number| number.trim().parse().ok())
        .unwrap_or(0)
}

/// Page faults of this thread so far, those that needed no disk and those that did.
fn faults() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap_or_default();
    // Behind the name, which may hold anything, in the order of proc(5): fields 10 and 12.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let fields = fields.split_whitespace();
    let numbers: Vec<u64> = fields.map(|field| field.parse().unwrap_or(0)).collect();
    numbers.get(7).copied().unwrap_or(0) + numbers.get(9).copied().unwrap_or(0)
}

/// A copy of bytes on a 64-byte boundary.
struct Aligned {
    chunks: Vec<hitscan::file::Aligned<[u8; 64]>>,
    length: usize,
}

impl Aligned {
    fn new(bytes: &[u8]) -> Self {
        let chunk = |bytes: &[u8]| {
            let mut chunk = [0; 64];
            chunk[..bytes.len()].copy_from_slice(bytes);
            hitscan::file::Aligned(chunk)
        };
        Self {
            chunks: bytes.chunks(64).map(chunk).collect(),
            length: bytes.len(),
        }
    }

}

impl AsRef<[u8]> for Aligned {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: chunks lie one behind the other, without padding, and there are enough.
        unsafe { std::slice::from_raw_parts(self.chunks.as_ptr().cast(), self.length) }
    }
}
