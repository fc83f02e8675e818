//! Bake, open and every kind of query on the project's own level, with answers checked.

#[path = "../examples/server_tick.rs"]
mod server_tick;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use hitscan::geometry::PreparedRay;
use hitscan::glam::{Vec2, Vec3};
use hitscan::query::MeshTriangle;
use hitscan::{Aabb, Builder, Bvh, Import, InstructionSet, Mesh, Query, Ray};

/// Eyes, targets and lights from `data/README.md`: hall, cloister, library, corridor, waterworks.
const PLACES: [[[f32; 3]; 3]; 5] = [
    [[-29.0, 1.7, 17.0], [-29.0, 4.5, -10.0], [-26.0, 4.0, 2.0]],
    [[-17.0, 1.7, 15.3], [-16.5, 1.6, -10.0], [-17.0, 2.8, 0.0]],
    [[18.5, 1.7, -19.5], [4.0, 3.2, -27.0], [11.5, 5.0, -21.5]],
    [[-17.5, 1.7, 19.0], [10.0, 1.5, 19.4], [0.0, 2.5, 19.2]],
    [[37.2, 1.7, 14.5], [29.0, 3.0, -8.0], [30.0, 5.0, 0.0]],
];
/// Rays along a side of each picture.
const SIDE: usize = 64;

fn level() -> Vec<Mesh> {
    Import::open(concat!(env!("CARGO_MANIFEST_DIR"), "/data/level.glb"))
        .expect("the level is sound")
        .meshes
}

/// The rays of each kind: pinhole cameras, a mirror bounce from their hits, lines to a light, and
/// rays straight down on a corner of the triangle that was hit. The last go exactly through a
/// vertex, which takes the exact test.
fn rays(bvh: &Bvh) -> [(&'static str, Vec<Ray>); 4] {
    let (mut primary, mut bounce, mut shadow) = (Vec::new(), Vec::new(), Vec::new());
    let mut corner = Vec::new();
    for [eye, target, light] in PLACES.map(|place| place.map(Vec3::from_array)) {
        let forward = (target - eye).normalize();
        let right = forward.cross(Vec3::Y).normalize();
        let up = right.cross(forward);
        for i in 0..SIDE * SIDE {
            let at = Vec2::new((i % SIDE) as f32, (i / SIDE) as f32) / SIDE as f32 - 0.5;
            let ray = Ray::new(eye, forward + 1.4 * at.x * right - 1.4 * at.y * up);
            primary.push(ray);
            let Some(hit) = bvh.closest_hit(&ray, &Query::new()) else {
                continue;
            };
            let normal = bvh.normal(&hit).expect("it was hit");
            let facing = if normal.dot(ray.dir) < 0.0 { normal } else { -normal };
            let point = ray.at(hit.t) + 1e-3 * facing;
            bounce.push(Ray::new(point, ray.dir - 2.0 * ray.dir.dot(facing) * facing));
            shadow.push(Ray::between(point, light));
            let v0 = bvh.triangle(&hit).expect("it was hit").v0;
            corner.push(Ray::new(v0 + Vec3::Y, Vec3::NEG_Y));
        }
    }
    [("primary", primary), ("bounce", bounce), ("shadow", shadow), ("corner", corner)]
}

fn bakes(criterion: &mut Criterion) {
    let meshes = level();
    let triangles: usize = meshes.iter().map(Mesh::triangle_count).sum();
    let mut group = criterion.benchmark_group("bake");
    group.sample_size(10).throughput(Throughput::Elements(triangles as u64));
    group.bench_function("level", |bencher| {
        bencher.iter(|| {
            let (bvh, report) = Builder::new().bake(black_box(&meshes)).unwrap();
            assert_eq!(report.summary.triangles_kept, triangles as u64);
            bvh
        });
    });
    group.finish();
}

fn opens(criterion: &mut Criterion) {
    let (bvh, _) = Builder::new().bake(&level()).unwrap();
    let bytes = bvh.to_bytes();
    let mut group = criterion.benchmark_group("open");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("from_bytes", |bencher| {
        bencher.iter(|| Bvh::from_bytes(black_box(&bytes)).unwrap());
    });
    group.finish();
    assert!(Bvh::from_bytes(&bytes).unwrap() == bvh);
}

fn queries(criterion: &mut Criterion) {
    let (bvh, _) = Builder::new().bake(&level()).unwrap();
    let kinds = rays(&bvh);
    // Every instruction set must give these hits.
    let expected = |rays: &[Ray]| -> Vec<_> {
        let query = Query::new().instruction_set(InstructionSet::available()[0]);
        rays.iter().map(|ray| bvh.closest_hit(ray, &query)).collect()
    };
    for (kind, rays) in &kinds {
        let mut group = criterion.benchmark_group(*kind);
        group.sample_size(20).throughput(Throughput::Elements(rays.len() as u64));
        let expected = expected(rays);
        let blocked = expected.iter().flatten().count();
        for isa in InstructionSet::available() {
            let query = Query::new().instruction_set(isa);
            let closest = || rays.iter().map(|ray| bvh.closest_hit(black_box(ray), &query));
            assert!(closest().eq(expected.iter().copied()), "{isa}: other hits");
            group.bench_function(BenchmarkId::new("closest_hit", isa), |bencher| {
                bencher.iter(|| assert_eq!(closest().flatten().count(), blocked));
            });
            group.bench_function(BenchmarkId::new("any_hit", isa), |bencher| {
                bencher.iter(|| {
                    let any = rays.iter().filter(|ray| bvh.any_hit(black_box(ray), &query));
                    assert_eq!(any.count(), blocked);
                });
            });
            group.bench_function(BenchmarkId::new("all_hits", isa), |bencher| {
                let mut hits = Vec::new();
                bencher.iter(|| {
                    let first = rays.iter().filter(|ray| {
                        bvh.all_hits(black_box(ray), &query, &mut hits);
                        !hits.is_empty()
                    });
                    assert_eq!(first.count(), blocked);
                });
            });
            group.bench_function(BenchmarkId::new("closest_hit_batch", isa), |bencher| {
                let mut hits = vec![None; rays.len()];
                bencher.iter(|| {
                    bvh.closest_hit_batch(black_box(rays), &query, &mut hits).unwrap();
                });
                assert_eq!(hits, expected);
            });
            group.bench_function(BenchmarkId::new("any_hits", isa), |bencher| {
                let mut found = vec![false; rays.len()];
                bencher.iter(|| {
                    bvh.any_hit_batch(black_box(rays), &query, &mut found).unwrap();
                });
                assert_eq!(found.iter().filter(|&&found| found).count(), blocked);
            });
        }
        group.finish();
    }
}

/// Single rays against the boxes of things that are in no tree.
fn boxes(criterion: &mut Criterion) {
    let (bvh, _) = Builder::new().bake(&level()).unwrap();
    let [_, (_, rays), ..] = rays(&bvh);
    let rays: Vec<&Ray> = rays.iter().step_by(100).collect();
    let around = |triangle: MeshTriangle| triangle.vertices.bounds().expanded([0.5; 3]);
    let boxes: Vec<Aabb> = bvh.triangles().step_by(599).map(around).collect();
    let expected = |ray: &Ray| boxes.iter().filter(|b| b.intersects_ray(ray)).count();
    let expected: usize = rays.iter().map(|ray| expected(ray)).sum();
    let mut group = criterion.benchmark_group("boxes");
    group.throughput(Throughput::Elements((rays.len() * boxes.len()) as u64));
    let mut count = |name: &str, hits: &dyn Fn(&Ray) -> usize| {
        let all = || rays.iter().map(|ray| hits(black_box(ray))).sum::<usize>();
        group.bench_function(name, |bencher| bencher.iter(|| assert_eq!(all(), expected)));
    };
    count("Aabb::intersects_ray", &|ray| boxes.iter().filter(|b| b.intersects_ray(ray)).count());
    count("PreparedRay::intersects", &|ray| {
        let ray = PreparedRay::new(*ray);
        boxes.iter().filter(|bounds| ray.intersects(bounds)).count()
    });
    count("PreparedRay::interval", &|ray| {
        let ray = PreparedRay::new(*ray);
        let clipped = |bounds: &Aabb| ray.interval(bounds)?.clipped(ray.ray());
        boxes.iter().filter_map(clipped).count()
    });
    group.finish();
}

/// The tick of the example `server_tick`.
fn ticks(criterion: &mut Criterion) {
    let (bvh, _) = Builder::new().bake(&level()).unwrap();
    let players = server_tick::players(&bvh);
    assert_eq!(players.len(), server_tick::PLAYERS);
    let expected = server_tick::tick(&bvh, &players).unwrap();
    let mut group = criterion.benchmark_group("tick");
    group.sample_size(20).throughput(Throughput::Elements(players.len() as u64));
    group.bench_function("server", |bencher| {
        bencher.iter(|| {
            let tick = server_tick::tick(black_box(&bvh), &players).unwrap();
            assert!(tick.strikes == expected.strikes && tick.blast == expected.blast);
        });
    });
    group.finish();
}

/// Batches whose questions and answers are recorded, into a ring and to a file.
#[cfg(feature = "record")]
fn recorded(criterion: &mut Criterion) {
    use hitscan::record::{Keep, Recorder, Ring};

    let (bvh, _) = Builder::new().bake(&level()).unwrap();
    for (kind, rays) in &rays(&bvh)[..3] {
        let mut group = criterion.benchmark_group(format!("recorded/{kind}"));
        group.sample_size(20).throughput(Throughput::Elements(rays.len() as u64));
        let (mut hits, mut expected) = (vec![None; rays.len()], vec![None; rays.len()]);
        bvh.closest_hit_batch(rays, &Query::new(), &mut expected).unwrap();
        group.bench_function("not", |bencher| {
            bencher.iter(|| bvh.closest_hit_batch(rays, &Query::new(), &mut hits).unwrap());
        });
        let ring = Ring::new(Keep::Bytes(16 << 20));
        let file = tempfile::tempfile().unwrap();
        let recorders = [("ring", ring.recorder()), ("file", Recorder::to_writer(file))];
        for (name, recorder) in recorders {
            let recorded = recorder.wrap(&bvh);
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    recorded.closest_hit_batch(rays, &Query::new(), &mut hits).unwrap();
                });
            });
            recorder.flush().unwrap();
            assert_eq!(hits, expected);
        }
        group.finish();
    }
}

#[cfg(not(feature = "record"))]
fn recorded(_: &mut Criterion) {}

criterion_group!(benches, bakes, opens, queries, boxes, ticks, recorded);
criterion_main!(benches);
