//! Records the frames of a game, in a level and a scene, and asks everything again.
//!
//! `cargo run --release --features import,record --example record_frame [FRAMES LEVEL]`
//!
//! It writes the recording to FRAMES (.hrays) and the baked level to LEVEL (.hbvh), which
//! `hitscan replay FRAMES LEVEL` takes.

use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread;

use hitscan::glam::{Affine3A, Vec3};
use hitscan::record::{Content, Recorded, Recorder, Recording};
use hitscan::scene::{Instance, Scene};
use hitscan::{
    Aabb, BatchError, Builder, Bvh, Capsule, Import, InstructionSet, Mesh, Query, Ray, Snapshot,
    Targets,
};

const FRAMES: u64 = 5;

/// Bots look at each other and walk, in the level alone.
fn bots(level: &Recorded<Bvh>, frame: u64) -> Result<(), BatchError> {
    let query = &Query::new();
    let eyes = (0..24).map(|i| {
        let turn = 0.26 * i as f32 + 0.01 * frame as f32;
        Vec3::new(12.0 * turn.cos(), 1.7, 12.0 * turn.sin())
    });
    let eyes: Vec<Vec3> = eyes.collect();
    let pairs = eyes.iter().flat_map(|&a| eyes.iter().map(move |&b| Ray::between(a, b)));
    let lines: Vec<Ray> = pairs.collect();
    level.any_hit_batch(&lines, query, &mut vec![false; lines.len()])?;

    let walks = level.with_tag("bots' steps");
    for eye in eyes {
        let body = Capsule::new(eye - Vec3::Y, eye, 0.3);
        let _stop = walks.first_contact(body, [0.2, 0.0, 0.1], query);
        // A bot does not stand on what it may fall through.
        let is_floor = |hit: &hitscan::Hit| !hit.triangle.is_multiple_of(7);
        let below = Ray::new(eye, Vec3::NEG_Y);
        let _ground = walks.closest_hit(&below, &query.filter(&is_floor));
    }
    Ok(())
}

/// A shot in the scene, where a door moves, and the trigger that the player is in.
fn player(now: &Recorded<Snapshot>, frame: u64) {
    let aim = Vec3::new(1.0, -0.01 * frame as f32, 0.3);
    let _hit = now.closest_hit(&Ray::new([0.0, 1.7, 0.0], aim), &Query::new());
    let body = Capsule::new([0.0, 0.4, 0.0], [0.0, 1.4, 0.0], 0.4);
    let triggers = Query::new().targets(Targets::Volumes);
    now.all_overlaps(body, &triggers, &mut Vec::new());
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let mut path = |name| args.next().unwrap_or_else(|| std::env::temp_dir().join(name));
    let (frames, baked) = (path("frames.hrays"), path("level.hbvh"));
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/level.glb");
    let (level, _report) = Builder::new().bake(&Import::open(model)?)?;
    level.save(&baked)?;

    let door = Mesh::from_soup(vec![[3.0, 0.0, -2.0], [3.0, 3.0, -2.0], [3.0, 0.0, 2.0]]);
    let (door, _report) = Builder::new().bake(&[door])?;
    let mut scene = Scene::new();
    scene.insert(Instance::new(level.clone()))?;
    let door = scene.insert(Instance::new(door))?;
    scene.insert(Instance::new(Aabb::from_min_max([-1.0; 3], [1.0; 3])).with_name("trigger"))?;

    // The game: two threads, which share one file.
    let recorder = Recorder::to_writer(File::create(&frames)?);
    let mut bots_ask = recorder.with_tag("bots").wrap(&level);
    let mut player_asks = recorder.with_tag("player");
    let mut snapshots = Vec::new();
    for frame in 0..FRAMES {
        scene.set_transform(door, Affine3A::from_translation(Vec3::Y * 0.1 * frame as f32))?;
        let now = scene.commit();
        bots_ask.set_frame(frame);
        player_asks.set_frame(frame);
        let shot = player_asks.wrap(&now);
        thread::scope(|scope| {
            scope.spawn(|| player(&shot, frame));
            bots(&bots_ask, frame)
        })?;
        snapshots.push(now);
    }
    recorder.flush()?;

    // Elsewhere: each question is asked of what it was asked of.
    let recording = Recording::open(&frames)?;
    let (mut asked, mut different) = (0, 0);
    for isa in InstructionSet::available() {
        for record in recording.records() {
            let record = record?;
            let answer = match record.content {
                Content::Tree(_) => record.ask(&level, isa),
                Content::Scene(_) => record.ask(&snapshots[record.frame as usize], isa),
            };
            if let Some(difference) = record.difference(&answer.ok_or("of its kind")?) {
                println!("{isa}: {difference}");
                different += 1;
            }
            asked += 1;
        }
    }
    println!("{}: {FRAMES} frames, {} bytes", frames.display(), frames.metadata()?.len());
    println!("{asked} records asked again, {different} answers differ");
    Ok(())
}
