//! Broken inputs at each subcommand: one line on standard error (warnings about a model may come
//! before it), exit code 1, and with `--json` an object on standard output.

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
        refused(path, &["near", name, "--point", "0,0,1"], true);
        refused(path, &["overlap", name, "--sphere", "0,0,1,2"], true);
        refused(path, &["sweep", name, "--sphere", "0,0,1,2", "--by", "0,0,-1"], true);
        refused(path, &["inside", name, "--point", "0,0,1"], true);
        refused(path, &["check", name, "--max-cost", "9"], true);
        refused(path, &["verify", name, "--rays", "8"], true);
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
fn a_folder_in_place_of_a_file_is_called_a_folder() {
    let folder = folder();
    let path = folder.path();
    for name in ["a.obj", "a.gltf", "a.hbvh", "a.bin", "a.md"] {
        fs::create_dir(path.join(name)).unwrap();
    }
    fs::write(path.join("rays.bin"), [0; 32]).unwrap();
    let cases: [(&str, &[&str]); 12] = [
        ("a.obj", &["bake", "a.obj", "-o", "out.hbvh"]),
        ("a.gltf", &["bake", "floor.obj", "a.gltf", "-o", "out.hbvh"]),
        ("a.hbvh", &["bake", "floor.obj", "-o", "a.hbvh"]),
        ("a.bin", &["bake", "floor.obj", "-o", "out.hbvh", "--user-data", "a.bin"]),
        ("a.bin", &["bake", "floor.obj", "-o", "out.hbvh", "--rays", "a.bin"]),
        ("a.hbvh", &["info", "a.hbvh"]),
        ("a.hbvh", &["ray", "a.hbvh", "--from", "0,0,1", "--dir", "0,0,-1"]),
        ("a.hbvh", &["rays", "a.hbvh", "-i", "rays.bin", "-o", "hits.bin"]),
        ("a.bin", &["rays", "level.hbvh", "-i", "a.bin", "-o", "hits.bin"]),
        ("a.bin", &["rays", "level.hbvh", "-i", "rays.bin", "-o", "a.bin"]),
        ("a.hbvh", &["export", "a.hbvh", "-o", "out.obj"]),
        ("a.obj", &["export", "level.hbvh", "-o", "a.obj"]),
    ];
    for (name, args) in cases {
        refused(path, args, matches!(args[0], "bake" | "info" | "ray"));
        let said = String::from_utf8(run(path, args).stderr).unwrap();
        assert!(said.starts_with(&format!("hitscan: {name}: ")), "{args:?}: {said}");
        assert!(said.ends_with("it is a folder, not a file\n"), "{args:?}: {said}");
    }
}

/// In all commands that read it: a baked file, a model, rays, a recording.
#[test]
fn a_missing_input_has_one_text() {
    let folder = crate::command_line::Folder::with_level();
    let ray = ["--from", "0,1,0", "--dir", "0,0,1"];
    let commands: [&[&str]; 13] = [
        &["info", "no"],
        &["export", "no", "-o", "a.obj"],
        &["render", "no", "-o", "a.png"],
        &["render", "level.hbvh", "-o", "a.png", "--rays", "no"],
        &["diff", "no", "level.hbvh"],
        &["diff", "level.hbvh", "no"],
        &["why", "no"],
        &["why", "level.hbvh", "--rays", "no"],
        &["check", "no", "--max-depth", "9"],
        &["rays", "level.hbvh", "--input", "no", "--output", "a.csv"],
        &["ray", "no", ray[0], ray[1], ray[2], ray[3]],
        &["bake", "no", "-o", "a.hbvh"],
        &["replay", "no", "level.hbvh"],
    ];
    for extension in ["hbvh", "hscn", "obj", "glb", "csv", "jsonl", "bin", "hrays"] {
        for command in commands {
            let is_model = ["obj", "glb"].contains(&extension);
            if (command[0] == "bake") != is_model {
                continue;
            }
            let file = format!("no.{extension}");
            let args: Vec<&str> =
                command.iter().map(|arg| if *arg == "no" { &*file } else { *arg }).collect();
            let said = folder.fails(1, &args);
            assert_eq!(said, format!("hitscan: {file}: there is no such file\n"), "{args:?}");
        }
    }
}

#[test]
fn an_output_in_a_missing_folder_is_refused_alike() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("rays.bin"), [0; 32]).unwrap();
    for args in [
        &["bake", "floor.obj", "-o", "none/out"][..],
        &["rays", "level.hbvh", "-i", "rays.bin", "-o", "none/out"],
        &["export", "level.hbvh", "-o", "none/out.obj"],
    ] {
        refused(path, args, args[0] == "bake");
        let said = String::from_utf8(run(path, args).stderr).unwrap();
        let reason = ": cannot be written: there is no folder `none`\n";
        assert!(said.starts_with("hitscan: none/out") && said.ends_with(reason), "{said}");
    }
}

#[test]
fn a_wrong_length_in_the_header_of_a_glb_is_named() {
    let folder = folder();
    let path = folder.path();
    assert!(run(path, &["export", "level.hbvh", "-o", "floor.glb"]).status.success());
    let sound = fs::read(path.join("floor.glb")).unwrap();
    let size = sound.len() as u32;
    for length in [0, 11, 12, 19, 20, 123, size - 1, size + 1, 655_308] {
        let mut bytes = sound.clone();
        bytes[8..12].copy_from_slice(&length.to_le_bytes());
        fs::write(path.join("wrong.glb"), bytes).unwrap();
        let output = run(path, &["bake", "wrong.glb", "-o", "out.hbvh"]);
        let said = String::from_utf8(output.stderr).unwrap();
        let reason = format!("byte 8: the header says {length} bytes, the file has {size}");
        assert_eq!(said.lines().last().unwrap(), format!("hitscan: wrong.glb: {reason}"));
    }
    // The file itself is cut.
    fs::write(path.join("wrong.glb"), &sound[..sound.len() - 9]).unwrap();
    let output = run(path, &["bake", "wrong.glb", "-o", "out.hbvh"]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("the header says"));
}

#[test]
fn messages_say_what_is_missing() {
    let folder = folder();
    let path = folder.path();
    let models: [(&str, &[u8], &str); 6] = [
        ("empty.glb", b"", "whole file: it is empty (0 bytes)"),
        ("empty.gltf", b"", "whole file: it is empty (0 bytes)"),
        (
            "above.obj",
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n",
            "line 4: vertex 9 does not exist: the file has 3",
        ),
        (
            "below.obj",
            b"v 0 0 0\nv 1 0 0\nf 1 2 -3\nv 0 1 0\n",
            "line 3: vertex -3 does not exist: 2 stand before this line",
        ),
        ("zero.obj", b"v 0 0 0\nf 1 1 0\n", "line 2: '0': vertices are numbered from 1"),
        ("none.obj", b"v 0 0 0\n", "whole file: there are no triangles to bake"),
    ];
    for (name, bytes, reason) in models {
        fs::write(path.join(name), bytes).unwrap();
        let output = run(path, &["bake", name, "-o", "out.hbvh"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said, format!("hitscan: {name}: {reason}\n"));
    }
}

#[test]
fn a_wrong_command_line_is_one_whole_line_of_json() {
    let folder = folder();
    let missing = "the following required arguments were not provided: ";
    let cases: [(&[&str], &str); 9] = [
        (&["bake"], &format!("{missing}--output <OUT.hbvh>, <IN>...")),
        (&["info"], &format!("{missing}<FILE>")),
        (&["ray", "level.hbvh"], &format!("{missing}--from <x,y,z>, <--dir <x,y,z>|--to <x,y,z>>")),
        (
            &["bake", "floor.obj", "-o", "out.hbvh", "--quality", "foo"],
            "invalid value 'foo' for '--quality <QUALITY>' [possible values: fast, balanced, best]",
        ),
        (
            &["bake", "floor.obj", "-o", "out.hbvh", "--quality", "fastt"],
            "invalid value 'fastt' for '--quality <QUALITY>' [possible values: fast, balanced, \
             best]; tip: a similar value exists: 'fast'",
        ),
        (
            &["info", "level.hbvh", "--stat"],
            "unexpected argument '--stat' found; tip: a similar argument exists: '--stats'",
        ),
        (
            &["--quality", "bake"],
            "unexpected argument '--quality' found; tip: 'bake --quality' exists",
        ),
        // These have no `--json`: the error is JSON all the same.
        (
            &["rays", "level.hbvh", "-i", "rays.bin", "-o", "hits.bin"],
            "unexpected argument '--json' found",
        ),
        (&["export", "level.hbvh", "-o", "out.obj"], "unexpected argument '--json' found"),
    ];
    for (args, error) in cases {
        let output = run(folder.path(), &[args, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer, serde_json::json!({ "schema": 1, "error": error }), "{args:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!said.contains("as a value"), "{args:?}: {said}");
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
