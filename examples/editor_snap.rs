//! What an editor asks: what is under the cursor, what it snaps to, and what a rectangle selects.
//!
//! `cargo run --release --example editor_snap`
//!
//! All of it comes from a camera and a scene: no geometry is computed by hand. The cursor snaps to
//! corners first, then to edges, and never to the diagonals that cut quads into triangles.

use std::collections::HashMap;
use std::error::Error;

use hitscan::geometry::{Camera, Containment, DepthRange, Feature};
use hitscan::glam::camera::rh::{proj::directx, view::look_at_mat4};
use hitscan::glam::{Affine3A, Quat, Vec2, Vec3};
use hitscan::query::{Hidden, SnapOptions};
use hitscan::scene::{Instance, Scene};
use hitscan::{Builder, Hit, Layers, Mesh, Query};

/// Edges that bend less, by about 10 degrees, are no edges to snap to.
const FLAT: f32 = 0.985;
/// How near the cursor must come.
const PIXELS: f32 = 12.0;

fn main() -> Result<(), Box<dyn Error>> {
    // The top of a table, and a crate that stands on it twice.
    let mut scene = Scene::new();
    let (top, _) = Builder::new().bake(&[cuboid(Vec3::new(2.0, 0.1, 1.0))])?;
    let (small, _) = Builder::new().bake(&[cuboid(Vec3::splat(0.3))])?;
    scene.insert(Instance::new(top).with_name("top"))?;
    for (name, x) in [("left crate", -1.0), ("right crate", 1.0)] {
        let turn = Quat::from_rotation_y(0.4);
        let at = Affine3A::from_rotation_translation(turn, Vec3::new(x, 0.4, 0.0));
        scene.insert(Instance::new(&small).with_name(name).with_transform(at))?;
    }
    let now = scene.commit();

    // Once for each tree, when it is loaded.
    let edges: HashMap<_, _> =
        now.instances().filter_map(|id| Some((id, now.bvh(id)?.edges(FLAT)))).collect();
    let hard = |hit: &Hit, feature: Feature| edges[&hit.instance].is_hard(hit, feature);
    let options = SnapOptions::new().features(&hard).hidden(Hidden::LeftOut);

    let (eye, size) = (Vec3::new(0.0, 3.0, 5.0), [800.0, 600.0]);
    let projection = directx::perspective(0.9, size[0] / size[1], 0.1, 100.0);
    let view = look_at_mat4(eye, Vec3::ZERO, Vec3::Y);
    let camera = Camera::new(&view, &projection, size, DepthRange::ZeroToOne).ok_or("no camera")?;
    let query = Query::new();
    let name = |hit: &Hit| now.name(hit.instance).unwrap_or("nothing").to_owned();

    // A corner of the right crate is where the cursor goes, and then some pixels beside it.
    let corner = now.transform(now.instances().last().ok_or("empty")?).ok_or("not shown")?;
    let corner = corner.transform_point3(Vec3::splat(0.3));
    let cursor = camera.project(corner).ok_or("behind the camera")?.truncate();
    for beside in [[3.0, -2.0], [-30.0, -5.0], [-150.0, 120.0]] {
        let cursor = cursor + Vec2::from(beside);
        let ray = camera.ray(cursor).ok_or("no ray")?;
        let under = now.closest_hit(&ray, &query).map(|hit| name(&hit));
        let cone = camera.cone(cursor, PIXELS).ok_or("no cone")?;
        let snap = now.snap(&cone, &options, &query).vertex_first();
        println!("at {cursor:.0}, over {}:", under.as_deref().unwrap_or("nothing"));
        match snap {
            Some(snap) => println!(
                "  snaps to {:?} of the {} at {:.3}, {:.1} pixels away",
                snap.feature,
                name(&snap.hit),
                snap.point,
                snap.closeness * PIXELS
            ),
            None => println!("  snaps to nothing"),
        }
        if beside == [3.0, -2.0] {
            let snap = snap.ok_or("a corner is near")?;
            assert!(snap.point.distance(corner) < 1e-5, "it is the corner");
        }
    }

    // A rectangle around the right half of the picture.
    let rectangle = camera.frustum([[400.0, 0.0], [800.0, 600.0]]).ok_or("no frustum")?;
    let mut selected = Vec::new();
    now.all_instance_overlaps(rectangle, Layers::ALL, &mut selected);
    println!("the rectangle:");
    for found in &selected {
        let how = match found.containment {
            Containment::Inside => "holds",
            Containment::Touching => "touches",
        };
        println!("  {how} the {}", now.name(found.instance).unwrap_or("nameless"));
    }
    let holds: Vec<_> = selected.iter().map(|found| found.containment).collect();
    assert_eq!(holds, [Containment::Touching, Containment::Inside]);
    Ok(())
}

/// A box of quads, each of two triangles, with its fronts outwards.
fn cuboid(half: Vec3) -> Mesh {
    let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] });
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]);
    Mesh::new((0..8).map(corner).collect(), triangles.collect())
}
