//! A thousand platforms that move at sixty updates a second, while rays are cast between them.
//!
//! `cargo run --release --example moving_platforms`
//!
//! The platforms are one small tree, placed a thousand times over a field of ten thousand pillars
//! that stand still. Each frame moves all platforms, commits, and casts rays down. A character
//! falls onto the first platform, which carries it up, down and around. It prints how long the
//! frames take.

use std::error::Error;
use std::time::Instant;

use hitscan::character::MoveOptions;
use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Instance, Scene, Snapshot};
use hitscan::{Builder, Bvh, Capsule, InstanceId, Mesh, Query, Ray};

const PLATFORMS: usize = 1_000;
const PILLARS: usize = 10_000;
const RAYS: usize = 10_000;
const FRAMES: usize = 120;

/// A box around the origin, of this half size.
fn bake_box(half: Vec3) -> Result<Bvh, Box<dyn Error>> {
    let corner = |i: u32| {
        let sign = |bit: u32| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
        (half * Vec3::new(sign(0), sign(1), sign(2))).to_array()
    };
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let indices = quads.iter().flat_map(|[a, b, c, d]| [*a, *b, *c, *a, *c, *d]).collect();
    let (bvh, _report) =
        Builder::new().bake(&[Mesh::new((0..8).map(corner).collect(), indices)])?;
    Ok(bvh)
}

/// Where the `i`th of some things stands on the ground.
fn cell(i: usize, count: usize) -> Vec3 {
    let side = (count as f32).sqrt().ceil() as usize;
    let at = |k: usize| 400.0 * (k as f32 + 0.5) / side as f32 - 200.0;
    Vec3::new(at(i % side), 0.0, at(i / side))
}

/// A character that falls, or stands on something.
struct Passenger {
    feet: Vec3,
    ground: Option<InstanceId>,
}

impl Passenger {
    /// A step: carried by what it stands on, then down if there is nothing.
    fn step(&mut self, before: &Snapshot, now: &Snapshot) {
        let (options, query) = (MoveOptions::new(), Query::new());
        let body = |feet: Vec3| Capsule::new(feet + 0.4 * Vec3::Y, feet + 1.4 * Vec3::Y, 0.4);
        if let Some(ground) = self.ground {
            self.feet += now.ride(before, ground, body(self.feet), &options, &query).translation;
        }
        let fall = 0.2 * Vec3::NEG_Y;
        let moved = now.move_and_slide(body(self.feet), fall, &options, &query);
        self.feet += moved.translation;
        self.ground = moved.ground.map(|ground| ground.hit.instance);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (platform, pillar) =
        (bake_box(Vec3::new(3.0, 0.2, 3.0))?, bake_box(Vec3::new(0.5, 2.0, 0.5))?);
    let mut scene = Scene::new();
    for i in 0..PILLARS {
        let at = Affine3A::from_translation(cell(i, PILLARS));
        scene.insert(Instance::new(pillar.clone()).with_transform(at))?;
    }
    let ids = (0..PLATFORMS)
        .map(|_| scene.insert(Instance::new(platform.clone())))
        .collect::<Result<Vec<_>, _>>()?;
    let rays: Vec<Ray> =
        (0..RAYS).map(|i| Ray::new(cell(i, RAYS) + 20.0 * Vec3::Y, Vec3::NEG_Y)).collect();

    let mut hits = vec![None; RAYS];
    let mut times = Vec::new();
    let offset = Vec3::new(1.5, 0.0, 0.5);
    let mut one = Passenger { feet: cell(0, PLATFORMS) + offset + 10.0 * Vec3::Y, ground: None };
    let mut before = scene.commit();
    for frame in 0..FRAMES {
        let start = Instant::now();
        for (i, &id) in ids.iter().enumerate() {
            let phase = frame as f32 / 60.0 + i as f32;
            let height = Vec3::Y * (5.0 + 3.0 * phase.sin());
            let turn = Affine3A::from_rotation_y(phase);
            let at = Affine3A::from_translation(cell(i, PLATFORMS) + height);
            scene.set_transform(id, at * turn)?;
        }
        let now = scene.commit();
        let committed = start.elapsed();
        one.step(&before, &now);
        now.closest_hit_batch(&rays, &Query::new(), &mut hits)?;
        times.push((committed, start.elapsed()));
        before = now;
    }
    let on_platforms = hits.iter().flatten().filter(|hit| ids.contains(&hit.instance)).count();
    println!("{on_platforms} of {RAYS} rays end on platforms");
    let at = before.transform(ids[0]).ok_or("the first platform is there")?;
    let (place, top) = (at.inverse().transform_point3(one.feet), at.translation.y + 0.2);
    println!("the character is at a height of {:.3}, its platform at {top:.3}", one.feet.y);
    println!("on the platform it is at x = {:.3}, z = {:.3}", place.x, place.z);

    let mut whole: Vec<_> = times.iter().map(|(_, whole)| whole.as_secs_f64() * 1e3).collect();
    whole.sort_by(f64::total_cmp);
    let moves: f64 = times.iter().map(|(moves, _)| moves.as_secs_f64() * 1e3).sum();
    println!("{:.2} ms a frame for moves and commit, in the mean", moves / FRAMES as f64);
    println!("{:.2} ms a frame with the rays: median of {FRAMES}", whole[FRAMES / 2]);
    let (least, width) = (whole[0], (whole[FRAMES - 1] - whole[0]) / 10.0);
    for bin in 0..10 {
        let (low, high) = (least + width * bin as f64, least + width * (bin + 1) as f64);
        let count = whole.iter().filter(|&&time| low <= time && (time < high || bin == 9));
        let count = count.count();
        println!("{low:6.2} to {high:6.2} ms  {:3} {}", count, "#".repeat(count.div_ceil(2)));
    }
    Ok(())
}
