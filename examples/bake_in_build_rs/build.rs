//! Bakes the level when the model changes.

use std::error::Error;
use std::path::Path;

use hitscan::{Builder, Import, Quality};

fn main() -> Result<(), Box<dyn Error>> {
    let model = "../../data/level.glb";
    println!("cargo::rerun-if-changed={model}");
    let import = Import::open(model)?;
    for warning in &import.warnings {
        println!("cargo::warning={warning}");
    }
    let (bvh, _report) = Builder::new().quality(Quality::Best).bake(&import)?;
    bvh.save(Path::new(&std::env::var("OUT_DIR")?).join("level.hbvh"))?;
    Ok(())
}
