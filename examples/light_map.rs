//! A light map: a room whose walls keep the light that falls on them.
//!
//! `cargo run --release --features visibility --example light_map`
//!
//! Each side of the room and of the things in it is a grid of texels. Every texel casts rays to a
//! lamp, and into the sky over it. `target/light_map.png` shows the room, drawn from the texels.

use std::error::Error;
use std::fs::{File, create_dir_all};
use std::path::Path;
use std::time::Instant;

use hitscan::glam::Vec3;
use hitscan::{Builder, Bvh, Face, Hit, Mesh, Query, Ray};

/// Texels for each metre.
const DENSITY: f32 = 20.0;
/// Rays into the sky over a texel, and how far they look.
const SAMPLES: u16 = 256;
const REACH: f32 = 1.5;
const AMBIENT: Vec3 = Vec3::new(0.16, 0.20, 0.27);
const LAMP: Vec3 = Vec3::new(5.6, 4.8, 3.4);
/// The lamp is a square of this side below the ceiling, of this many points each way.
const LAMP_AT: Vec3 = Vec3::new(0.6, 2.7, -0.4);
const LAMP_SIDE: f32 = 0.5;
const LAMP_POINTS: usize = 5;

const WIDTH: usize = 800;
const HEIGHT: usize = 500;

/// A parallelogram of texels: its corner, and the two sides that meet there.
struct Side {
    corner: Vec3,
    along: Vec3,
    up: Vec3,
    columns: usize,
    rows: usize,
    /// `None` where a texel is inside a thing.
    light: Vec<Option<Vec3>>,
}

impl Side {
    /// The front is to where `along`, `up` and it are right-handed.
    fn new(corner: Vec3, along: Vec3, up: Vec3) -> Self {
        let texels = |side: Vec3| (side.length() * DENSITY).ceil() as usize;
        Self { corner, along, up, columns: texels(along), rows: texels(up), light: Vec::new() }
    }

    fn mesh(&self) -> Mesh {
        let Self { corner, along, up, .. } = *self;
        let corners = [corner, corner + along, corner + along + up, corner + up];
        Mesh::new(corners.map(|corner| corner.to_array()).to_vec(), vec![0, 1, 2, 0, 2, 3])
    }

    /// The texels as points of the mesh's two triangles: the center of each, row by row.
    fn texels<'a>(&'a self, bvh: &'a Bvh, mesh: u32) -> impl Iterator<Item = Hit> + 'a {
        let center = |i: usize, count: usize| (i as f32 + 0.5) / count as f32;
        (0..self.columns * self.rows).filter_map(move |i| {
            let (x, y) =
                (center(i % self.columns, self.columns), center(i / self.columns, self.rows));
            match x >= y {
                true => bvh.hit_at(mesh, 0, x - y, y),
                false => bvh.hit_at(mesh, 1, x, y - x),
            }
        })
    }

    /// The light at a hit, between the four texels around it. Texels inside things do not count:
    /// they would darken the foot of what stands on them.
    fn light_at(&self, hit: &Hit) -> Option<Vec3> {
        let (x, y) = match hit.triangle {
            0 => (hit.u + hit.v, hit.v),
            _ => (hit.u, hit.u + hit.v),
        };
        let place = |at: f32, count: usize| {
            let at = (at * count as f32 - 0.5).clamp(0.0, (count - 1) as f32);
            let next = (at as usize + 1).min(count - 1);
            [(at as usize, 1.0 - at.fract()), (next, at.fract())]
        };
        let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
        for (y, low) in place(y, self.rows) {
            for (x, left) in place(x, self.columns) {
                if let Some(light) = self.light[y * self.columns + x] {
                    let weight = low * left;
                    (sum, weights) = (sum + weight * light, weights + weight);
                }
            }
        }
        (weights > 0.0).then(|| sum / weights)
    }
}

/// The sides of a box: seen from inside for a room, and from outside, without a bottom, for a thing
/// that stands on the floor.
fn sides(center: Vec3, along: Vec3, height: f32, depth: f32, face: Face) -> Vec<Side> {
    let (x, y) = (along, Vec3::Y * height);
    let z = along.cross(Vec3::Y).normalize() * depth;
    let low = center - (x + z) / 2.0;
    let mut sides =
        vec![(low, x, y), (low + x, z, y), (low + x + z, -x, y), (low + z, -z, y), (low + y, x, z)];
    if face == Face::Back {
        sides.push((low + z, x, -z));
    }
    let turned = |(corner, a, b)| match face {
        Face::Front => Side::new(corner, b, a),
        Face::Back => Side::new(corner, a, b),
    };
    sides.into_iter().map(turned).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let mut room = sides(Vec3::ZERO, 6.0 * Vec3::X, 3.0, 5.0, Face::Back);
    let crate_along = Vec3::new(0.9, 0.0, 0.5);
    room.extend(sides(Vec3::new(1.6, 0.0, -1.3), crate_along, 1.0, 1.0, Face::Front));
    room.extend(sides(Vec3::new(-1.4, 0.0, -0.9), 0.5 * Vec3::X, 3.0, 0.5, Face::Front));
    let meshes: Vec<Mesh> = room.iter().map(Side::mesh).collect();
    let (bvh, _report) = Builder::new().bake(&meshes)?;

    let texels: Vec<Hit> =
        room.iter().zip(0..).flat_map(|(side, mesh)| side.texels(&bvh, mesh)).collect();
    let light = light(&bvh, &texels)?;
    let mut rest = &light[..];
    for side in &mut room {
        let (own, others) = rest.split_at(side.columns * side.rows);
        (side.light, rest) = (own.to_vec(), others);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/light_map.png");
    create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    write(&path, &picture(&bvh, &room)?)?;
    println!("{} texels, {:.2?}: {}", texels.len(), start.elapsed(), path.display());
    Ok(())
}

/// The light on each texel; `None` where it is inside a thing.
fn light(bvh: &Bvh, texels: &[Hit]) -> Result<Vec<Option<Vec3>>, Box<dyn Error>> {
    // Off the surface. Rays to the lamp and to the sky are all on this side of it.
    let leaving = |hit: &Hit| bvh.ray_from(hit, bvh.normal(hit)?);
    let points: Vec<Ray> = texels.iter().filter_map(leaving).collect();
    let skies: Vec<Ray> = points.iter().map(|ray| ray.with_range(0.0, REACH)).collect();
    let blocked = bvh.occlusion(&skies, SAMPLES, &Query::new());

    let step = |i: usize| LAMP_SIDE * ((i as f32 + 0.5) / LAMP_POINTS as f32 - 0.5);
    let lamp: Vec<[f32; 3]> = (0..LAMP_POINTS * LAMP_POINTS)
        .map(|i| {
            (LAMP_AT + Vec3::new(step(i % LAMP_POINTS), 0.0, step(i / LAMP_POINTS))).to_array()
        })
        .collect();
    let from: Vec<_> = points.iter().map(|ray| ray.origin.to_array()).collect();
    let seen = bvh.visibility(&from, &lamp, &Query::new())?;

    let light = points.iter().enumerate().map(|(i, ray)| {
        // The first thing over a texel inside a crate is the back of the crate.
        let over = bvh.closest_hit(ray, &Query::new());
        if over.is_some_and(|over| over.face == Face::Back) {
            return None;
        }
        let falls_in = |to: usize| {
            let way = Vec3::from_array(lamp[to]) - ray.origin;
            let distance = way.length();
            // By the cosine at the texel and at the lamp, which shines down.
            let cosines = ray.dir.dot(way).max(0.0) * way.y.max(0.0) / (distance * distance);
            cosines / (distance * distance)
        };
        let direct = seen.seen_from(i).map(falls_in).sum::<f32>() / lamp.len() as f32;
        Some(AMBIENT * (1.0 - blocked[i]) + LAMP * direct)
    });
    Ok(light.collect())
}

/// The room from one of its corners, four rays for each pixel.
fn picture(bvh: &Bvh, room: &[Side]) -> Result<Vec<u8>, Box<dyn Error>> {
    let (eye, target) = (Vec3::new(2.8, 2.2, 2.35), Vec3::new(-0.9, 0.9, -1.5));
    let ahead = (target - eye).normalize();
    let right = ahead.cross(Vec3::Y).normalize();
    let up = right.cross(ahead);
    let rays: Vec<Ray> = (0..4 * WIDTH * HEIGHT)
        .map(|i| {
            let at = |i: usize, count: usize| (2 * i + 1) as f32 / (4 * count) as f32 - 0.5;
            let (x, y) = (at(i % (2 * WIDTH), WIDTH), at(i / (2 * WIDTH), HEIGHT));
            let y = y * HEIGHT as f32 / WIDTH as f32;
            Ray::new(eye, ahead + 1.7 * (x * right - y * up))
        })
        .collect();
    let mut hits = vec![None; rays.len()];
    bvh.closest_hit_batch(&rays, &Query::new(), &mut hits)?;
    let light = |hit: &Option<Hit>| {
        hit.and_then(|hit| room.get(hit.mesh as usize)?.light_at(&hit)).unwrap_or_default()
    };
    let pixel = |i: usize| {
        let first = 4 * WIDTH * (i / WIDTH) + 2 * (i % WIDTH);
        let four = [first, first + 1, first + 2 * WIDTH, first + 2 * WIDTH + 1];
        let mean = four.map(|i| light(&hits[i])).into_iter().sum::<Vec3>() / 4.0;
        // About as a screen shows light.
        mean.to_array().map(|light| (255.0 * light.clamp(0.0, 1.0).sqrt()) as u8)
    };
    Ok((0..WIDTH * HEIGHT).flat_map(pixel).collect())
}

fn write(path: &Path, pixels: &[u8]) -> Result<(), Box<dyn Error>> {
    let mut png = png::Encoder::new(File::create(path)?, WIDTH as u32, HEIGHT as u32);
    png.set_color(png::ColorType::Rgb);
    png.write_header()?.write_image_data(pixels)?;
    Ok(())
}
