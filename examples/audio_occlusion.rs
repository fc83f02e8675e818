//! Audio occlusion: how much do walls muffle a sound?
//!
//! `cargo run --release --features import --example audio_occlusion`
//!
//! All hits between a sound and a listener say how much wall the sound goes through: from each
//! front face, where the line enters, to the next back face, where it leaves.

use std::error::Error;
use std::path::Path;

use hitscan::glam::Vec3;
use hitscan::{Builder, Bvh, Face, Hit, Import, Query, Ray};

fn main() -> Result<(), Box<dyn Error>> {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/level.glb");
    let (bvh, _report) = Builder::new().bake(&Import::open(model)?)?;

    let forge = Vec3::new(25.0, 1.7, 21.0);
    let listeners = [
        ("the forge", Vec3::new(33.0, 1.6, 27.0)),
        ("the courtyard", Vec3::new(9.5, 2.4, 10.2)),
        ("the library", Vec3::new(18.5, 1.7, -19.5)),
        ("the crypt", Vec3::new(-34.0, -2.6, -12.5)),
    ];
    let mut hits = Vec::new(); // keeps its memory from query to query
    for (name, listener) in listeners {
        let (walls, metres) = walls_between(&bvh, forge, listener, &mut hits);
        let distance = forge.distance(listener);
        // 6 dB for each doubling of the distance, and 12 dB for each metre of wall.
        let decibels = -20.0 * distance.log10() - 12.0 * metres;
        println!("{name}: {distance:.0} m, {walls} walls, {metres:.2} m of wall, {decibels:.0} dB");
    }
    Ok(())
}

/// How many walls are between two points, and how thick they are together.
fn walls_between(bvh: &Bvh, from: Vec3, to: Vec3, hits: &mut Vec<Hit>) -> (usize, f32) {
    let ray = Ray::between(from, to);
    bvh.all_hits(&ray, &Query::new(), hits);
    // Solids may overlap, so count how many the line is in. Hits come in order of `t`. On an edge
    // that two triangles share there may be two hits at one `t`: they add no thickness, but such a
    // wall counts twice. `max(0)` takes care of what is open, such as a leaf's back.
    let (mut inside, mut entered, mut walls, mut thickness) = (0i32, 0.0, 0, 0.0);
    for hit in hits.iter() {
        if hit.face == Face::Front {
            if inside == 0 {
                (entered, walls) = (hit.t, walls + 1);
            }
            inside += 1;
        } else {
            if inside == 1 {
                thickness += hit.t - entered;
            }
            inside = (inside - 1).max(0);
        }
    }
    (walls, thickness * ray.dir.length())
}
