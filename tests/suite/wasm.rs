//! Bakes on WebAssembly, as in a browser, have the bytes of native ones, import included, and so
//! have answers. Without threads, a clock and files nothing ends the program.
//!
//! `.ci/wasm-bake/run` builds the module, which the variable `HITSCAN_WASM` names, and starts this
//! test. Full size, three real meshes: `HITSCAN_LONG=4`.

use crate::support;
#[path = "../wasm/bake.rs"]
mod bakes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use bakes::bake;
use support::{long, shared_meshes, shared_names};

/// What a bake under Node gives, with this many threads of its own; 0 for none.
fn under_node(module: &Path, model: &Path, threads: usize) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wasm/run.mjs");
    let status = Command::new("node")
        .args([Path::new(run), module, model, &out])
        .arg(threads.to_string())
        .status()
        .expect("Node is there");
    assert!(status.success(), "{}", model.display());
    fs::read(out).expect("it was written")
}

#[test]
fn bakes_under_node_have_the_bytes_of_native_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let hard = folder.path().join("hard");
    fs::write(&hard, []).expect("a file");
    let level = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/data/level.glb"));
    let mut models = vec![level, hard];
    if long() > 1
        && let Some(folder) = shared_meshes()
    {
        let names = shared_names(100_000).into_iter().rev().take(long() - 1);
        models.extend(names.map(|name| folder.join(name).with_extension("tri")));
    }
    let module = std::env::var_os("HITSCAN_WASM").map(PathBuf::from);
    if module.is_none() {
        println!("only natively: HITSCAN_WASM names no module (see .ci/wasm-bake/run)");
    }
    for model in models {
        let native = bake(&fs::read(&model).expect("it can be read"), None).expect("it is sound");
        let what = model.display();
        println!("{what}: {} bytes", native.len());
        for threads in [0, 4] {
            let Some(module) = &module else { break };
            let found = under_node(module, &model, threads);
            let differs = native.iter().zip(&found).position(|(a, b)| a != b);
            assert!(found == native, "{what}: {} bytes, {differs:?} differs", found.len());
        }
    }
}
