//! Layers: glass stops a walker but not a bullet, leaves stop neither but hide.
//!
//! `cargo run --release --example layers`
//!
//! Each mesh has a mask of 32 bits, and so has each query. A query sees the meshes with which it
//! shares a bit. That costs nothing, unlike a filter, which is called for each hit in question.

use std::error::Error;

use hitscan::{Builder, Mesh, Query, Ray};

const SOLID: u32 = 1 << 0;
const GLASS: u32 = 1 << 1;
const LEAVES: u32 = 1 << 2;

fn main() -> Result<(), Box<dyn Error>> {
    // Three sheets across the way, one behind the other.
    let sheet = |z: f32| Mesh::from_soup(vec![[-9.0, -9.0, z], [9.0, -9.0, z], [0.0, 9.0, z]]);
    let (mut bvh, _report) = Builder::new().bake(&[
        sheet(1.0).with_name("hedge").with_mask(LEAVES),
        sheet(2.0).with_name("window").with_mask(GLASS),
        sheet(3.0).with_name("wall").with_mask(SOLID),
    ])?;
    let ahead = Ray::new([0.0, 0.0, 0.0], [0.0, 0.0, 1.0]);

    let walk = Query::new().mask(SOLID | GLASS);
    let shoot = Query::new().mask(SOLID);
    let see = Query::new().mask(SOLID | LEAVES);
    for (what, query) in [("walk", &walk), ("shoot", &shoot), ("see", &see)] {
        let hit = bvh.closest_hit(&ahead, query).ok_or("the wall is behind them all")?;
        println!("{what}: stopped by the {}", bvh.mesh_name(hit.mesh).unwrap_or_default());
    }

    // The window breaks. Only its mask changes; clones of the tree keep theirs.
    let before = bvh.clone();
    bvh.set_mask(1, 0).ok_or("mesh 1 is the window")?;
    for (when, bvh) in [("before", &before), ("now", &bvh)] {
        let hit = bvh.closest_hit(&ahead, &walk).ok_or("the wall stands")?;
        println!("walk, {when}: stopped by the {}", bvh.mesh_name(hit.mesh).unwrap_or_default());
    }

    // What a mask cannot say, a filter can: everything but what is nearer than 2.5.
    let far = Query::new().filter(&|hit| hit.t > 2.5);
    let hit = bvh.closest_hit(&ahead, &far).ok_or("the wall is farther")?;
    println!("beyond 2.5: the {}", bvh.mesh_name(hit.mesh).unwrap_or_default());
    Ok(())
}
