//! A character walks through the level: over the hills of the garden, around the fountain, along a
//! wall to the door of the library, up the stairs, and around the gallery.
//!
//! `cargo run --release --features import --example capsule_walk`
//!
//! `move_and_slide` does it all: it slides along walls, climbs the stairs, follows the ground down,
//! and says what the character stands on. It never touches anything, and its path is the same on
//! every instruction set. It is drawn over a plan of the level: from the green square to the red
//! one, blue on the ground and yellow on the gallery.

use std::error::Error;
use std::fs::File;
use std::time::Instant;

use hitscan::character::MoveOptions;
use hitscan::glam::Vec3;
use hitscan::{Aabb, Builder, Bvh, Capsule, Face, Import, InstructionSet, Query, Ray};

/// Three metres a second, at sixty steps a second.
const PACE: f32 = 3.0 / 60.0;
const GRAVITY: f32 = 9.81 / 60.0 / 60.0;
/// The layer of what is walked through.
const PLANTS: u32 = 1 << 1;

/// Where to go, x and z in turn: straight ahead, as far as walls and columns let it.
const ROUTE: [f32; 18] = [
    -8.5, 3.0, 2.0, 6.0, 5.0, 0.0, 2.0, -14.0, 12.0, -19.0, -1.3, -18.1, -1.5, -27.4, 21.5, -26.9,
    21.5, -18.5,
];

/// 1.8 metres high.
fn body(feet: Vec3) -> Capsule {
    Capsule::new(feet + 0.4 * Vec3::Y, feet + 1.4 * Vec3::Y, 0.4)
}

fn walk(bvh: &Bvh, query: Query<'static>) -> Vec<Vec3> {
    let options = MoveOptions::new();
    let (mut feet, mut fall) = (Vec3::new(ROUTE[0], 2.0, ROUTE[1]), GRAVITY);
    let mut path = vec![];
    for &[x, z] in ROUTE.as_chunks().0 {
        let way = |feet: Vec3| Vec3::new(x - feet.x, 0.0, z - feet.z);
        while path.len() < 5_000 && (way(feet).length() > 0.1 || fall > 0.0) {
            let motion = way(feet).clamp_length_max(PACE) - fall * Vec3::Y;
            let moved = bvh.move_and_slide(body(feet), motion, &options, &query);
            feet += moved.translation;
            fall = if moved.ground.is_some() { 0.0 } else { fall + GRAVITY };
            path.push(feet);
            assert!(!bvh.any_overlap(body(feet), &query), "touching: {feet}");
        }
    }
    // On the gallery.
    let end = Vec3::new(21.5, 3.57, -18.5);
    assert!(feet.distance(end) < 0.15, "stuck at {feet}");
    path
}

/// The level around a path, cut open: what is lower is lighter, walls are dark.
fn draw(bvh: &Bvh, query: &Query, path: &[Vec3]) -> Result<(), Box<dyn Error>> {
    let bounds = Aabb::from_points(path.iter().copied()).expanded([3.0, 0.0, 3.0]);
    let pixel = (bounds.max.x - bounds.min.x) / 900.0;
    let (width, rows) = (900, ((bounds.max.z - bounds.min.z) / pixel) as usize);
    let (mut pixels, mut hits) = (vec![[60; 3]; width * rows], Vec::new());
    for (i, color) in pixels.iter_mut().enumerate() {
        let offset = pixel * Vec3::new((i % width) as f32, 0.0, (i / width) as f32);
        let ray = |dir| Ray::new(bounds.min.with_y(2.2) + offset, dir);
        // From in a wall, the way up leaves more than it enters.
        bvh.all_hits(&ray(Vec3::Y), query, &mut hits);
        let is_in_wall = 2 * hits.iter().filter(|hit| hit.face == Face::Back).count() > hits.len();
        if let Some(floor) = bvh.closest_hit(&ray(Vec3::NEG_Y), query).filter(|_| !is_in_wall) {
            *color = [80 + (floor.t * 70.0) as u8; 3];
        }
    }
    let mut mark = |at: Vec3, size: usize, color: [u8; 3]| {
        let corner = (at - bounds.min) / pixel - size as f32 * 0.5;
        for row in (corner.z as usize..).take(size) {
            pixels[row * width + corner.x as usize..][..size].fill(color);
        }
    };
    for (feet, high) in path.iter().map(|feet| (*feet, (feet.y * 60.0) as u8)) {
        mark(feet, 6, [30 + high, 90 + high / 2, 255 - high]);
    }
    mark(path[0], 20, [0, 150, 60]);
    mark(path[path.len() - 1], 20, [220, 30, 30]);
    std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/target"))?;
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/target/capsule_walk.png");
    let mut png = png::Encoder::new(File::create(file)?, width as u32, rows as u32);
    png.set_color(png::ColorType::Rgb);
    Ok(png.write_header()?.write_image_data(pixels.as_flattened())?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut level = Import::open(concat!(env!("CARGO_MANIFEST_DIR"), "/data/level.glb"))?;
    for plants in ["material:leaves", "material:grass*"] {
        level.find_meshes(plants).iter().for_each(|&mesh| level.meshes[mesh].mask = PLANTS);
    }
    let (bvh, _report) = Builder::new().bake(&level)?;
    let query = Query::new().mask(!PLANTS);
    let start = Instant::now();
    let path = walk(&bvh, query);
    let each = start.elapsed().as_secs_f64() * 1e6 / path.len() as f64;
    for isa in InstructionSet::available() {
        assert_eq!(path, walk(&bvh, query.instruction_set(isa)), "{isa}");
    }
    println!("{} steps, the same everywhere: target/capsule_walk.png", path.len());
    println!("{each:.1} us a step, with a check that it touches nothing");
    draw(&bvh, &query, &path)
}
