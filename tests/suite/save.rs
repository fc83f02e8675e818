//! Saving is atomic: if the process is killed or the disk is full, there is the whole old file or
//! the whole new one.
//!
//! The process that is killed is a second run of this test binary, with one of the ignored tests.

use crate::{scenes, support};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use hitscan::{Builder, Bvh};
use support::{Random, long};

/// The file that the child process saves to.
const TARGET: &str = "HITSCAN_TEST_SAVE";

/// Two different trees.
fn trees() -> [Bvh; 2] {
    [1, 2].map(|seed| {
        let mesh = scenes::terrain(60 + 20 * seed as usize, seed);
        Builder::new().bake(&[mesh]).expect("sound").0
    })
}

fn child(test: &str, target: &Path) -> Vec<String> {
    assert!(target.is_absolute());
    let program = std::env::current_exe().expect("this program");
    let program = program.to_str().expect("a path in Unicode").to_owned();
    let test = format!("save::{test}");
    [&program, "--exact", &test, "--ignored", "--nocapture"].map(str::to_owned).to_vec()
}

fn temporary_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|e| e == "tmp")).collect()
}

#[test]
#[ignore = "the process that `a_killed_save_leaves_a_whole_file` kills"]
fn saves_until_killed() {
    let Some(target) = std::env::var_os(TARGET) else {
        return;
    };
    let trees = trees();
    println!("\nsaving");
    loop {
        for tree in &trees {
            tree.save(&target).expect("it can be written");
        }
    }
}

/// Full size: `HITSCAN_LONG=10` for two hundred kills.
#[test]
fn a_killed_save_leaves_a_whole_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("level.hbvh");
    let trees = trees();
    trees[0].save(&target).expect("it can be written");
    let mut random = Random::new(9);
    let command = child("saves_until_killed", &target);
    let (mut found, mut interrupted) = ([0; 2], 0);
    for _ in 0..20 * long() {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .env(TARGET, &target)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("this program starts");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let began = output.lines().map_while(Result::ok).any(|line| line == "saving");
        assert!(began, "the child saves");
        sleep(Duration::from_micros(random.below(20_000) as u64));
        child.kill().expect("it was running");
        child.wait().expect("it ends");

        let file = Bvh::open(&target).expect("a whole file");
        let which = trees.iter().position(|tree| *tree == file);
        found[which.expect("one of the two")] += 1;
        for leftover in temporary_files(folder.path()) {
            interrupted += 1;
            fs::remove_file(leftover).expect("it can be removed");
        }
    }
    println!("killed: {found:?} whole files, {interrupted} saves were interrupted");
    assert!(interrupted > 0, "no save was interrupted");
}

#[test]
#[ignore = "the process whose files may not grow, of `a_full_disk_leaves_the_old_file`"]
fn saves_too_much() {
    let Some(target) = std::env::var_os(TARGET) else {
        return;
    };
    let error = trees()[1].save(&target).expect_err("there is no room");
    println!("\n{error}");
}

/// A limit on the size of files stands for a full disk.
#[test]
#[cfg(unix)]
fn a_full_disk_leaves_the_old_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("level.hbvh");
    let trees = trees();
    trees[0].save(&target).expect("it can be written");
    let size = trees[1].to_bytes().len();
    let command = child("saves_too_much", &target);
    // In blocks of 512 bytes.
    for limit in (0..8).map(|part| part * size / 8 / 512).chain([size / 512 - 1]) {
        let output = Command::new("sh")
            .arg("-c")
            .arg(format!("trap '' XFSZ; ulimit -f {limit}; exec \"$@\""))
            .arg("sh")
            .args(&command)
            .env(TARGET, &target)
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{limit}: {output:?}");
        let name = target.display().to_string();
        let told = said.lines().find(|line| line.starts_with(&name));
        println!("after {limit} blocks: {}", told.expect("an error with the path"));
        assert!(trees[0] == Bvh::open(&target).expect("the old file"));
        assert_eq!(temporary_files(folder.path()), [] as [PathBuf; 0]);
    }
}
