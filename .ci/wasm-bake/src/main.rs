//! Bakes a model natively: `wasm-bake model out`.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [model, out] = &paths[..] else { return Err("give a model and a path to write to".into()) };
    std::fs::write(out, wasm_bake::bake(&std::fs::read(model)?, None)?)?;
    Ok(())
}
