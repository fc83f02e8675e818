//! A camera that looks through walls: what is between it and the character is drawn faded.
//!
//! `cargo run --release --features import --example camera_walls`
//!
//! A ray from the camera would find what hides one point. The body itself, moved to the camera,
//! touches what hides any part of it: [`Bvh::all_contacts`] gives that in order, and of each mesh
//! the first contact counts.

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;

use hitscan::geometry::DepthRange;
use hitscan::glam::camera::rh::{proj::directx, view};
use hitscan::glam::{Vec2, Vec3};
use hitscan::{Builder, Bvh, Capsule, Hit, Import, Query, Ray};

const SIZE: [usize; 2] = [900, 560];
const SAMPLES: usize = 32;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let level = folder.join("data/level.glb");
    let (mut bvh, _report) = Builder::new().bake(&Import::open(level)?)?;
    let body = Capsule::new([-29.0, 0.5, 6.0], [-29.0, 1.5, 6.0], 0.4);
    let camera = Vec3::new(-52.0, 17.0, 26.0);

    let (mut contacts, mut walls) = (Vec::new(), HashSet::new());
    bvh.all_contacts(body, camera - body.b, &Query::new(), &mut contacts);
    contacts.retain(|contact| walls.insert(contact.hit.mesh));
    for contact in &contacts {
        let name = bvh.mesh_name(contact.hit.mesh).unwrap_or_default();
        println!("after {:2.0} % of the way to the camera: `{name}`", 100.0 * contact.t);
        // What is faded loses the bit that the picture's rays look for.
        bvh.set_mask(contact.hit.mesh, !1);
    }

    let (solid_only, all) = (Query::new().mask(1), Query::new());
    let viewport = Vec2::from(SIZE.map(|pixels| pixels as f32));
    let lens = directx::perspective(0.62, viewport.x / viewport.y, 0.1, 500.0);
    let inverse = (lens * view::look_at_mat4(camera, body.b, Vec3::Y)).inverse();
    let (mut pixels, mut above) = (Vec::new(), vec![None; SIZE[0]]);
    for y in 0..SIZE[1] {
        let center = |x: usize| Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
        let ray = |x| Ray::from_screen(center(x), viewport, &inverse, DepthRange::ZeroToOne);
        let rays = (0..SIZE[0]).map(ray).collect::<Option<Vec<_>>>().ok_or("no such camera")?;
        let [mut solid, mut first] = [vec![None; SIZE[0]], vec![None; SIZE[0]]];
        bvh.closest_hit_batch(&rays, &solid_only, &mut solid)?;
        bvh.closest_hit_batch(&rays, &all, &mut first)?;
        let sky = solid.iter().flatten().filter_map(|hit| sky(&bvh, hit));
        let sky: Vec<Ray> = sky.flatten().collect();
        let mut blocked = vec![false; sky.len()];
        bvh.any_hit_batch(&sky, &solid_only, &mut blocked)?;
        let is_free = |(ray, blocked): (&Ray, &bool)| !blocked && !body.intersects_ray(ray);
        let mut free = sky.iter().zip(&blocked).map(is_free);
        let mut left = None;
        for (x, ray) in rays.iter().enumerate() {
            let floor = solid[x].map(|_| {
                let part = free.by_ref().take(SAMPLES).filter(|free| *free).count();
                Vec3::new(0.96, 0.92, 0.85) * (0.2 + 0.8 * part as f32 / SAMPLES as f32)
            });
            let before = ray.with_range(0.0, solid[x].map_or(f32::INFINITY, |hit| hit.t));
            let mut color = match body.ray_interval(ray).and_then(|i| i.clipped(&before)) {
                Some(part) => Vec3::new(1.0, 0.4, 0.1) * (0.4 + 0.7 * (part.exit - part.enter)),
                None => floor.unwrap_or(Vec3::new(0.75, 0.83, 0.92)),
            };
            // What is faded is a veil with outlines.
            let wall = first[x].filter(|hit: &Hit| walls.contains(&hit.mesh));
            let face = wall.and_then(|hit| Some((hit.mesh, bvh.normal(&hit)?)));
            let strength = if face != left || face != above[x] { 0.75 } else { 0.25 };
            if face.or(left).or(above[x]).is_some() {
                color = color.lerp(Vec3::new(0.3, 0.55, 0.85), strength);
            }
            (left, above[x]) = (face, face);
            pixels.extend((color * 255.0).to_array().map(|c| c as u8));
        }
    }
    let path = folder.join("target/camera_walls.png");
    std::fs::create_dir_all(folder.join("target"))?;
    let mut png = png::Encoder::new(std::fs::File::create(&path)?, SIZE[0] as u32, SIZE[1] as u32);
    png.set_color(png::ColorType::Rgb);
    png.write_header()?.write_image_data(&pixels)?;
    println!("{} meshes are faded: {}", contacts.len(), path.display());
    Ok(())
}

/// Rays from a hit into all directions of its side, not longer than six metres.
fn sky(bvh: &Bvh, hit: &Hit) -> Option<impl Iterator<Item = Ray> + use<>> {
    let normal = bvh.normal(hit)?;
    let leaving = bvh.ray_from(hit, normal)?.with_range(0.0, 6.0);
    Some((0..SAMPLES).map(move |i| {
        let height = (i as f32 + 0.5) / SAMPLES as f32;
        let flat = Vec2::from_angle(2.4 * i as f32) * (1.0 - height * height).sqrt();
        let dir = Vec3::new(flat.x, height, flat.y);
        Ray { dir: dir * dir.dot(normal).signum(), ..leaving }
    }))
}
