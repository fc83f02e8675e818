//! What is baked and asked, natively and on WebAssembly, to compare the bytes.

use std::time::Duration;

use hitscan::glam::Vec3;
use hitscan::import::Format;
use hitscan::scene::Instance;
use hitscan::{
    BadTriangles, BakeReport, Builder, Bvh, Import, Layers, Mesh, Quality, Query, Ray, Scene,
    Sphere,
};

/// What a bake gave: the file's bytes.
pub(crate) type Bytes = Result<Vec<u8>, String>;

/// Bakes a model in each quality: a GLB file's bytes; or a number of triangles as `u32` and nine
/// `f32` for each, all little-endian; or triangles that are hard to bake, if there are no bytes.
/// The files' bytes follow each other, each with answers to questions behind it.
pub(crate) fn bake(model: &[u8], threads: Option<usize>) -> Bytes {
    let mut all = Vec::new();
    for quality in [Quality::Fast, Quality::Balanced, Quality::Best] {
        let mut builder = Builder::new().quality(quality).bad_triangles(BadTriangles::Skip);
        if let Some(threads) = threads {
            builder = builder.threads(threads);
        }
        let baked = if model.starts_with(b"glTF") {
            let import = Import::from_bytes(model, Format::Gltf, "model.glb", None);
            builder.bake(&import.map_err(|error| error.to_string())?)
        } else {
            let soup = if model.is_empty() { hard() } else { positions(model) };
            builder.bake(&[Mesh::from_soup(soup)])
        };
        let (bvh, report) = baked.map_err(|error| error.to_string())?;
        check_times(&report)?;
        let bytes = bvh.to_bytes();
        check_files(&bvh, &bytes)?;
        all.extend(bytes);
        all.extend(answers(&bvh)?);
    }
    Ok(all)
}

fn positions(bytes: &[u8]) -> Vec<[f32; 3]> {
    let number = |at: &[u8]| f32::from_le_bytes([at[0], at[1], at[2], at[3]]);
    let point = |at: &[u8]| [number(at), number(&at[4..]), number(&at[8..])];
    bytes[4..].chunks_exact(12).map(point).collect()
}

/// Triangles with zeros of both signs, with tiny, huge and missing numbers, without area, and long
/// ones in all directions.
fn hard() -> Vec<[f32; 3]> {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state >> 33
    };
    let mut positions = Vec::new();
    for triangle in 0..30_000 {
        let mut number = || match (triangle % 100, random()) {
            (0, bits) => f32::from_bits((bits << 1 ^ bits >> 7) as u32),
            (1, bits) => f32::from_bits(bits as u32 & 0x807f_ffff),
            (2..10, bits) => [0.0, -0.0, 1.0, -1.0][bits as usize >> 5 & 3],
            (10..20, bits) => (bits % 64) as f32 * 50.0,
            (_, bits) => (bits % 2001) as f32 * 0.001 - 1.0,
        };
        let base = [0; 3].map(|_| number() * 100.0);
        for _ in 0..3 {
            positions.push(base.map(|x| x + number()));
        }
    }
    positions
}

/// Times are there where there is a clock, and zero elsewhere.
fn check_times(report: &BakeReport) -> Result<(), String> {
    let no_clock = cfg!(all(target_family = "wasm", target_os = "unknown"));
    let is_zero = report.total == Duration::ZERO;
    let stages: Duration = report.stages.iter().map(|stage| stage.time).sum();
    (is_zero == no_clock && stages <= report.total && report.stages.len() == 4)
        .then_some(())
        .ok_or_else(|| format!("times: {:?}, {:?}", report.total, report.stages))
}

/// Trees and scenes are read back from bytes. Without files, those who ask for one get an error.
fn check_files(bvh: &Bvh, bytes: &[u8]) -> Result<(), String> {
    let again = Bvh::from_bytes(bytes).map_err(|error| error.to_string())?;
    let mut scene = Scene::new();
    for instance in [Instance::new(again), Instance::new(Sphere::new([0.0; 3], 1.0))] {
        scene.insert(instance).map_err(|error| error.to_string())?;
    }
    scene.commit();
    let scene = Scene::from_bytes(&scene.to_bytes()).map_err(|error| error.to_string())?;
    if cfg!(all(target_family = "wasm", target_os = "unknown")) {
        let errors = [
            bvh.save("tree.hbvh").err().map(|error| error.to_string()),
            scene.save("scene.hscn").err().map(|error| error.to_string()),
            Bvh::open("tree.hbvh").err().map(|error| error.to_string()),
            Scene::open("scene.hscn").err().map(|error| error.to_string()),
            Import::open("model.glb").err().map(|error| error.to_string()),
        ];
        if let Some(at) = errors.iter().position(Option::is_none) {
            return Err(format!("file {at} is there: {errors:?}"));
        }
    }
    Ok(())
}

/// Answers of the tree to a batch that would go to threads, and to others.
fn answers(bvh: &Bvh) -> Bytes {
    let (from, size, query) = (bvh.bounds().center(), bvh.bounds().size(), Query::new());
    let place = |i: u32| Vec3::new((i % 37) as f32, (i % 53) as f32, (i % 71) as f32) / 70.0;
    let rays: Vec<_> = (0..5000).map(|i| Ray::new(from, (place(i) - 0.4) * size)).collect();
    let (mut hits, mut answers) = (vec![None; rays.len()], Vec::new());
    bvh.closest_hit_batch(&rays, &query, &mut hits).map_err(|error| error.to_string())?;
    for hit in hits.into_iter().flatten() {
        answers.extend(hit.triangle.to_le_bytes());
        answers.extend([hit.t, hit.u, hit.v].into_iter().flat_map(f32::to_le_bytes));
    }
    let near = bvh.closest_point(from + size, f32::INFINITY, &query);
    answers.extend(near.map_or(0.0, |near| near.distance).to_le_bytes());
    answers.extend(format!("{:?}", bvh.contains(from, Layers::ALL)).into_bytes());
    Ok(answers)
}
