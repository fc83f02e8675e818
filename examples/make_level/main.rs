//! Makes `data/level.glb`, the level that the tests, benches and examples use.
//!
//! ```text
//! cargo run --example make_level              writes data/level.glb
//! cargo run --example make_level -- --check   makes it again and compares; exits 1 if it differs
//! ```
//!
//! The bytes are the same on every machine: see [`maths`].

use std::{fs, path::Path, process::ExitCode};

mod catalogue;
mod cloister;
mod east;
mod field;
mod foliage;
mod furniture;
mod glb;
mod hall;
mod level;
mod library;
mod machines;
mod masonry;
mod material;
mod maths;
mod mesh;
mod place;
mod polygon;
mod props;
mod refectory;
mod scene;
mod shapes;
mod south;
mod stairs;
mod statues;
mod storeys;
mod walls;
mod west;
mod works;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = match arguments.as_slice() {
        [] => false,
        [only] if only == "--check" => true,
        _ => {
            eprintln!("usage: make_level [--check]");
            return ExitCode::from(2);
        }
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/level.glb");
    let scene = level::build();
    let file = glb::write(&scene);
    println!(
        "{} triangles shown, {} stored; {} models, {} nodes, {} materials; {} bytes",
        scene.triangles(),
        scene.models.iter().map(scene::Model::triangles).sum::<usize>(),
        scene.models.len(),
        scene.nodes.len(),
        material::Material::ALL.len(),
        file.len(),
    );
    if check {
        if fs::read(&path).is_ok_and(|stored| stored == file) {
            println!("data/level.glb is what this program makes");
            return ExitCode::SUCCESS;
        }
        eprintln!("data/level.glb is missing or differs from what this program makes");
        return ExitCode::FAILURE;
    }
    if let Err(error) = fs::write(&path, file) {
        eprintln!("data/level.glb: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
