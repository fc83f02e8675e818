//! A level inside the executable: baked by `build.rs`, used in place, never copied.
//!
//! `cargo run --manifest-path examples/bake_in_build_rs/Cargo.toml`

use std::error::Error;

use hitscan::file::Aligned;
use hitscan::{Bvh, Query, Ray};

static LEVEL: &Aligned<[u8]> =
    &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/level.hbvh")));

fn main() -> Result<(), Box<dyn Error>> {
    let bvh = Bvh::from_owner(LEVEL)?;
    let ray = Ray::new([0.0, 20.0, 0.0], [0.0, -1.0, 0.0]);
    let hit = bvh.closest_hit(&ray, &Query::new()).ok_or("nothing there")?;
    let name = bvh.mesh_name(hit.mesh).unwrap_or_default();
    println!("{} bytes in the executable; {} m below: `{name}`", LEVEL.0.len(), hit.t);
    Ok(())
}
