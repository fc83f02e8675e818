//! Picking: which triangle is under the mouse?
//!
//! `cargo run --release --example pick [X Y]`, in pixels of an 800 x 600 window.
//!
//! The ray comes from the inverse of the matrix that draws the scene, so the triangle that is
//! picked is the one on the screen. You only have to say which depth values the near and the far
//! plane have. Here the same camera is set up with standard and with reversed, infinite depth, and
//! both pick the same triangle.

use std::error::Error;

use hitscan::geometry::DepthRange;
use hitscan::glam::camera::rh::{proj::directx, view};
use hitscan::glam::{Affine3A, Mat4, Vec2, Vec3};
use hitscan::{Builder, Bvh, Mesh, Query, Ray};

const WINDOW: Vec2 = Vec2::new(800.0, 600.0);

fn main() -> Result<(), Box<dyn Error>> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<f32>());
    let mouse = match (numbers.next(), numbers.next()) {
        (Some(x), Some(y)) => Vec2::new(x?, y?),
        _ => WINDOW / 2.0,
    };

    // A floor and the lid of a crate. A user id is any number, such as an entity's.
    let floor = quad().with_transform(Affine3A::from_scale(Vec3::splat(20.0)));
    let lid = quad().with_transform(Affine3A::from_translation(Vec3::Y));
    let (bvh, _) = Builder::new().bake(&[
        floor.with_name("floor").with_user_id(100),
        lid.with_name("lid of the crate").with_user_id(200),
    ])?;

    // The camera, in the two usual conventions.
    let camera = view::look_at_mat4(Vec3::new(3.0, 4.0, 5.0), Vec3::new(0.3, 1.0, -0.2), Vec3::Y);
    let (fov, aspect, near, far) = (1.0, WINDOW.x / WINDOW.y, 0.1, 1000.0);
    let standard = directx::perspective(fov, aspect, near, far);
    let reversed = directx::perspective_infinite_reverse(fov, aspect, near);

    println!("the mouse is at {mouse}");
    pick(&bvh, mouse, standard * camera, DepthRange::ZeroToOne);
    pick(&bvh, mouse, reversed * camera, DepthRange::OneToZero);
    Ok(())
}

fn pick(bvh: &Bvh, mouse: Vec2, view_projection: Mat4, depth: DepthRange) {
    let inverse = view_projection.inverse();
    let Some(ray) = Ray::from_screen(mouse, WINDOW, &inverse, depth) else {
        println!("{depth:?}: this camera cannot be inverted");
        return;
    };
    match bvh.closest_hit(&ray, &Query::new()) {
        Some(hit) => println!(
            "{depth:?}: `{}` (user id {}), triangle {}, at {}",
            bvh.mesh_name(hit.mesh).unwrap_or_default(),
            hit.user_id,
            hit.triangle,
            ray.at(hit.t),
        ),
        None => println!("{depth:?}: no hit"),
    }
}

/// A square of two units in the plane y = 0 that faces up.
fn quad() -> Mesh {
    let corner = |x, z| [x, 0.0, z];
    Mesh::new(
        vec![corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)],
        vec![0, 1, 2, 0, 2, 3],
    )
}
