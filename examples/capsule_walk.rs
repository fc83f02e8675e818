//! A character walks through the level: over the hills of the garden, around the fountain, along a
//! wall to the door of the library, up the stairs, and around the gallery.
//!
//! `cargo run --release --features import --example capsule_walk`
//!
//! Three calls make a controller: `penetrations` gives the planes of what is near, `slide` bends a
//! motion along them, `first_contact` says how far the way is free. The character never touches
//! anything, and its path is the same on every instruction set. It is drawn over a plan of the
//! level: from the green square to the red one, blue on the ground and yellow on the gallery.

use std::error::Error;
use std::fs::File;

use hitscan::geometry::{Capsule, SlidePlane, slide};
use hitscan::glam::Vec3;
use hitscan::{Aabb, Builder, Bvh, Face, Import, InstructionSet, Query, Ray};

const RADIUS: f32 = 0.4;
/// The distance that is kept from everything.
const SKIN: f32 = 0.02;
/// How high a step can be, and how far down the ground is followed.
const STEP: f32 = 0.2;
/// The upward part of the normal of the steepest ground to stand on. That of the edge of a step, as
/// the round end of the capsule meets it, is the same for a step of half the radius.
const STEEPEST: f32 = 0.5;
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

struct Walker<'a> {
    bvh: &'a Bvh,
    query: Query<'static>,
    feet: Vec3,
    /// How far it falls in a step; zero on the ground.
    fall: f32,
}

/// 1.8 metres high.
fn body(feet: Vec3, skin: f32) -> Capsule {
    Capsule::new(feet + RADIUS * Vec3::Y, feet + (1.8 - RADIUS) * Vec3::Y, RADIUS + skin)
}

impl Walker<'_> {
    /// The end of a motion, or a little before something is in the way: with its normal.
    fn go(&self, feet: Vec3, motion: Vec3) -> (Vec3, Option<Vec3>) {
        let contact = self.bvh.first_contact(body(feet, 0.0), motion, &self.query);
        let Some(contact) = contact else { return (feet + motion, None) };
        let before = contact.t - 0.1 * SKIN / motion.length();
        (feet + motion * before.max(0.0), Some(contact.normal))
    }

    /// The end of a motion that bends along what is in the way.
    fn glide(&self, start: Vec3, motion: Vec3) -> Vec3 {
        let (mut feet, mut contacts) = (start, Vec::new());
        for _ in 0..4 {
            self.bvh.penetrations(body(feet, SKIN), &self.query, &mut contacts);
            let mut planes: Vec<_> = contacts.iter().map(SlidePlane::from).collect();
            // What is too steep is a wall.
            let steep = planes.iter_mut().filter(|plane| plane.normal.y < STEEPEST);
            steep.for_each(|plane| plane.normal.y = plane.normal.y.min(0.0));
            match self.go(feet, slide(start + motion - feet, &planes)) {
                (end, None) => return end,
                (stop, Some(_)) => feet = stop,
            }
        }
        feet
    }

    fn step(&mut self, motion: Vec3) {
        // Over a step if that leads to ground, else along it.
        for lift in if self.fall > 0.0 { [0.0; 2] } else { [STEP, 0.0] } {
            let (over, _) = self.go(self.feet, lift * Vec3::Y);
            let ahead = self.glide(over, motion);
            let down = over.y - self.feet.y + if self.fall > 0.0 { self.fall } else { STEP };
            let (landed, ground) = self.go(ahead, down * Vec3::NEG_Y);
            if ground.is_some_and(|normal| normal.y > STEEPEST) {
                return (self.feet, self.fall) = (landed, 0.0);
            }
        }
        self.fall += GRAVITY;
        self.feet = self.glide(self.feet, motion + self.fall * Vec3::NEG_Y);
    }
}

fn walk(bvh: &Bvh, query: Query<'static>) -> Vec<Vec3> {
    let feet = Vec3::new(ROUTE[0], 2.0, ROUTE[1]);
    let (mut walker, mut path) = (Walker { bvh, query, feet, fall: GRAVITY }, vec![]);
    for &[x, z] in ROUTE.as_chunks().0 {
        let way = |feet: Vec3| Vec3::new(x - feet.x, 0.0, z - feet.z);
        while path.len() < 5_000 && (way(walker.feet).length() > 0.1 || walker.fall > 0.0) {
            walker.step(way(walker.feet).clamp_length_max(PACE));
            path.push(walker.feet);
            assert!(!bvh.any_overlap(body(walker.feet, 0.0), &query), "touching: {}", walker.feet);
        }
    }
    // On the gallery.
    let end = Vec3::new(21.5, 3.57, -18.5);
    assert!(walker.feet.distance(end) < 0.15, "stuck at {}", walker.feet);
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
    let path = walk(&bvh, query);
    for isa in InstructionSet::available() {
        assert_eq!(path, walk(&bvh, query.instruction_set(isa)), "{isa}");
    }
    println!("{} steps, the same everywhere: target/capsule_walk.png", path.len());
    draw(&bvh, &query, &path)
}
