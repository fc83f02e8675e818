//! Replays every committed input of the fuzz targets, so that no fault that a fuzzer found comes
//! back.

#![cfg(feature = "import")]

use std::fs;
use std::path::PathBuf;

#[path = "fuzz/bodies/mod.rs"]
mod bodies;

/// Runs a target on all its inputs, and on every prefix and a few mutations of the small ones.
fn replay(target: &str, body: fn(&[u8])) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(target);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("the corpus is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no inputs in {}", folder.display());
    let mut tried = 0;
    for file in &files {
        let input = fs::read(file).expect("an input");
        // Printed, so that a panic shows which input it was.
        println!("{}", file.display());
        body(&input);
        let step = input.len() / 64 + 1;
        for at in (0..input.len()).step_by(step) {
            body(&input[..at]);
            let mut changed = input.clone();
            changed[at] ^= 1 << (at % 8);
            body(&changed);
            tried += 2;
        }
    }
    // A target whose file is missing would be replayed here, but never fuzzed. (`.gitignore` once
    // kept such a file out of the repository.)
    assert!(folder.join("../../targets").join(format!("{target}.rs")).is_file());
    println!("{target}: {} inputs, {tried} more made of them", files.len());
}

#[test]
fn open() {
    replay("open", bodies::open);
}

#[test]
fn scene() {
    replay("scene", bodies::scene);
}

#[test]
fn import() {
    replay("import", bodies::import);
}

#[test]
fn bake() {
    replay("bake", bodies::bake);
}
