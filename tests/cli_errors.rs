//! Broken inputs at each subcommand: one line on standard error (warnings about a model may come
//! before it), exit code 1, and with `--json` an object on standard output.
#![cfg(feature = "cli")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const FLOOR: &str = "o floor\nv 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\n";

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hitscan")).current_dir(folder).args(args).output().unwrap()
}

/// Runs with and without `--json`. Checks that nothing is left behind.
fn refused(folder: &Path, args: &[&str], json: bool) {
    let names = || {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let plain = run(folder, args);
    let said = String::from_utf8(plain.stderr).unwrap();
    assert_eq!(plain.status.code(), Some(1), "{args:?}: {said}");
    let lines: Vec<&str> = said.lines().collect();
    let (error, warnings) = lines.split_last().unwrap();
    assert!(error.starts_with("hitscan: ") && said.ends_with('\n'), "{args:?}: {said}");
    assert!(!error.starts_with("hitscan: warning: "), "{args:?}: {said}");
    for warning in warnings {
        assert!(warning.starts_with("hitscan: warning: "), "{args:?}: {said}");
    }
    assert!(plain.stdout.is_empty(), "{args:?}");
    if json {
        let output = run(folder, &[args, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), said, "{args:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let expected = error.trim_start_matches("hitscan: ");
        assert_eq!(answer, serde_json::json!({ "schema": 1, "error": expected }), "{args:?}");
    }
    assert_eq!(names(), before, "{args:?}");
}

/// A folder with a baked `level.hbvh`.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("floor.obj"), FLOOR).unwrap();
    assert!(run(folder.path(), &["bake", "floor.obj", "-o", "level.hbvh"]).status.success());
    folder
}

#[test]
fn broken_models_give_one_line() {
    let folder = folder();
    let path = folder.path();
    let models: [(&str, &[u8]); 12] = [
        ("empty.obj", b""),
        ("word.obj", b"v 0 0 zero\nf 1 1 1\n"),
        ("range.obj", b"v 0 0 0\nf 1 2 3\n"),
        ("flat.obj", b"v 0 0 0\nv 1 1 1\nv 2 2 2\nf 1 2 3\n"),
        ("short.glb", b"glTF\x02\0\0\0"),
        ("brace.gltf", b"{\"asset\": "),
        ("version.gltf", b"{\"asset\": {\"version\": \"1.0\"}}"),
        ("head.ply", b"ply\nformat ascii 1.0\n"),
        (
            "nan.stl",
            b"solid\nfacet\nouter loop\nvertex nan 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
            endloop\nendfacet\nendsolid\n",
        ),
        ("counts.off", b"OFF\n3\n"),
        ("model.fbx", b"Kaydara FBX Binary"),
        ("control.obj", b"v 0 0 \x1b[31m\n"),
    ];
    for (name, bytes) in models {
        fs::write(path.join(name), bytes).unwrap();
        refused(path, &["bake", name, "-o", "out.hbvh"], true);
    }
    refused(path, &["bake", "not-there.obj", "-o", "out.hbvh"], true);
    refused(path, &["bake", ".", "-o", "out.hbvh"], true);
    refused(path, &["bake", "floor.obj", "-o", "not-there/out.hbvh"], true);
    refused(path, &["bake", "floor.obj", "-o", "out.hbvh", "--user-data", "not-there"], true);
    refused(path, &["bake", "floor.obj", "-o", "out.hbvh", "--rays", "floor.obj"], true);
    refused(path, &["bake", "floor.obj", "-o", "out.hbvh", "--memory-limit", "0"], true);
}

#[test]
fn broken_trees_give_one_line() {
    let folder = folder();
    let path = folder.path();
    let sound = fs::read(path.join("level.hbvh")).unwrap();
    let mut files = vec![
        ("empty.hbvh".to_owned(), Vec::new()),
        ("model.hbvh".to_owned(), FLOOR.as_bytes().to_vec()),
        ("head.hbvh".to_owned(), sound[..64].to_vec()),
        ("short.hbvh".to_owned(), sound[..sound.len() - 1].to_vec()),
        ("long.hbvh".to_owned(), [&sound[..], b"x"].concat()),
    ];
    for part in 0..8 {
        let mut damaged = sound.clone();
        damaged[part * sound.len() / 8] ^= 0x10;
        files.push((format!("damaged{part}.hbvh"), damaged));
    }
    fs::write(path.join("rays.bin"), [0; 32]).unwrap();
    for (name, bytes) in &files {
        fs::write(path.join(name), bytes).unwrap();
    }
    let names = files.iter().map(|(name, _)| name.as_str()).chain(["not-there.hbvh", "."]);
    for name in names {
        refused(path, &["info", name], true);
        refused(path, &["info", name, "--stats"], true);
        refused(path, &["ray", name, "--from", "0,0,1", "--dir", "0,0,-1"], true);
        refused(path, &["ray", name, "--from", "0,0,1", "--to", "0,0,-1", "--all"], true);
        refused(path, &["rays", name, "--input", "rays.bin", "--output", "hits.bin"], false);
        refused(path, &["export", name, "-o", "out.obj"], false);
        refused(path, &["export", name, "-o", "out.glb"], false);
    }
    refused(path, &["export", "level.hbvh", "-o", "not-there/out.obj"], false);
}

#[test]
fn broken_ray_files_give_one_line() {
    let folder = folder();
    let path = folder.path();
    for length in [1, 4, 12, 31, 33, 63, 65, 95, 32 * 1000 + 1, 32 * 70000 - 1] {
        fs::write(path.join("rays.bin"), vec![0; length]).unwrap();
        let args = ["rays", "level.hbvh", "--input", "rays.bin", "--output", "hits.bin"];
        refused(path, &args, false);
    }
}

#[test]
fn a_wrong_command_line_is_json_too() {
    let folder = folder();
    let wrong: [&[&str]; 10] = [
        &["bake"],
        &["bake", "-", "-o", "out.hbvh"],
        &["bake", "floor.obj"],
        &["bake", "floor.obj", "-o", "floor.obj"],
        &["bake", "floor.obj", "-o", "out.hbvh", "--quality", "good"],
        &["info"],
        &["ray", "level.hbvh"],
        &["ray", "level.hbvh", "--from", "0,0,0", "--dir", "0,0,0"],
        &["ray", "level.hbvh", "--from", "0,0", "--dir", "0,0,1"],
        &["fly"],
    ];
    for args in wrong {
        let output = run(folder.path(), &[args, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["schema"], 1, "{args:?}");
        assert!(!answer["error"].as_str().unwrap().is_empty(), "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
    // Help is not an error, and not JSON.
    let help = run(folder.path(), &["bake", "--help", "--json"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(serde_json::from_slice::<Value>(&help.stdout).is_err());
}
