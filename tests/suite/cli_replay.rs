//! `hitscan replay`: the built binary, run on tiny files.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Output};

use hitscan::glam::Vec3;
use hitscan::record::{Recorder, Recording};
use hitscan::scene::Instance;
use hitscan::{Builder, Bvh, InstructionSet, Mesh, Query, Ray, Scene, Sphere};
use serde_json::Value;
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    /// A folder with `level.hbvh`, `moved.hbvh`, in which the wall is elsewhere, `level.hscn`, and
    /// `frame.hrays`, what was asked of the first and of the scene.
    fn new() -> Self {
        let folder = Self(TempDir::new().unwrap());
        let [level, moved] = [3.0, 4.0].map(bake);
        level.save(folder.path("level.hbvh")).unwrap();
        moved.save(folder.path("moved.hbvh")).unwrap();
        let mut scene = Scene::new();
        scene.insert(Instance::new(level.clone())).unwrap();
        scene.insert(Instance::new(Sphere::new([0.0; 3], 1.0))).unwrap();
        let now = scene.commit();
        scene.save(folder.path("level.hscn")).unwrap();

        let mut recorder = Recorder::to_writer(File::create(folder.path("frame.hrays")).unwrap());
        let mut bots = recorder.with_tag("bots").wrap(&level);
        bots.set_frame(5);
        let ray = |x: f32| Ray::new([x, 0.5, 0.0], Vec3::Z);
        let rays = [ray(9.0), ray(0.5), ray(1.0)];
        bots.closest_hit_batch(&rays, &Query::new(), &mut [None; 3]).unwrap();
        let none = |_: &hitscan::Hit| false;
        let _ = bots.any_hit(&ray(0.5), &Query::new().filter(&none));
        let doors = bots.with_tag("doors\n");
        let _ = doors.closest_point([0.5, 0.5, 0.0], 9.0, &Query::new());
        recorder.set_frame(6);
        let player = recorder.with_tag("player").wrap(&now);
        let _ = player.closest_hit(&ray(0.5), &Query::new());
        player.all_volume_hits(&ray(0.5), hitscan::Layers::ALL, &mut Vec::new());
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hitscan"));
        command.current_dir(self.0.path()).arg("replay").args(args).output().unwrap()
    }

    /// Standard output and standard error.
    fn says(&self, code: i32, args: &[&str]) -> [String; 2] {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
    }

    fn json(&self, code: i32, args: &[&str]) -> Value {
        let [out, _] = self.says(code, &[args, &["--json"]].concat());
        serde_json::from_str(&out).unwrap()
    }
}

fn bake(z: f32) -> Bvh {
    let wall = Mesh::from_soup(vec![[0.0, 0.0, z], [4.0, 0.0, z], [0.0, 4.0, z]]);
    Builder::new().bake(&[wall]).unwrap().0
}

#[test]
fn equal_answers_are_a_success() {
    let folder = Folder::new();
    let sets = InstructionSet::available();
    for isa in sets.iter().map(|isa| isa.name()) {
        for threads in ["1", "2"] {
            let args = ["frame.hrays", "level.hbvh", "--isa", isa, "--threads", threads];
            let [out, err] = folder.says(0, &args);
            assert_eq!(err, "");
            let lines: Vec<Vec<&str>> =
                out.lines().map(|line| line.split_whitespace().collect()).collect();
            assert_eq!(lines[0], ["tag", "kind", "records", "asked", "different"]);
            assert_eq!(lines[1], ["bots", "any_hit", "1", "1", "0"]);
            assert_eq!(lines[2], ["bots", "closest_hit_batch", "1", "3", "0"]);
            // Nothing in a tag breaks a line.
            assert_eq!(lines[3], ["doors\\n", "closest_point", "1", "1", "0"]);
            assert!(out.contains("\nskipped: 2 records\n"), "{out}");
            let end = format!("\n3 records, all answers are equal ({isa})\n");
            assert!(out.ends_with(&end), "{out}");
        }
    }
    let report = folder.json(0, &["frame.hrays", "level.hscn"]);
    assert_eq!(report["schema"], 1);
    assert_eq!((&report["records"], &report["skipped"]), (&2.into(), &3.into()));
    assert_eq!(report["level_is_recorded"], true);
    assert!(report["difference"].is_null() && report["cut_at"].is_null());
    assert_eq!(report["rows"][0]["kind"], "closest_hit");
    let of_tag = folder.json(0, &["frame.hrays", "level.hbvh", "--tag", "bots"]);
    assert_eq!((&of_tag["records"], &of_tag["skipped"]), (&2.into(), &3.into()));
}

#[test]
fn the_first_difference_is_shown_with_both_values() {
    let folder = Folder::new();
    let [out, err] = folder.says(3, &["frame.hrays", "moved.hbvh"]);
    let note = "hitscan: warning: moved.hbvh: its hash is none of those recorded; it is compared \
                all the same\nhitscan: frame.hrays: 2 questions answered otherwise\n";
    assert_eq!(err, note);
    assert!(out.contains("\n3 records, 2 with another answer ("), "{out}");
    assert!(out.contains("first: record 0, tag `bots`, frame 5, closest_hit_batch, item 1\n"));
    assert!(
        out.contains("\n  recorded  Hit { t: 3.0,") && out.contains("\n  found     Hit { t: 4.0,")
    );

    let report = folder.json(3, &["frame.hrays", "moved.hbvh", "--tag", "doors\n"]);
    assert_eq!((&report["schema"], &report["different"]), (&1.into(), &1.into()));
    assert_eq!(report["level_is_recorded"], false);
    let difference = &report["difference"];
    assert_eq!((&difference["record"], &difference["frame"]), (&2.into(), &5.into()));
    assert_eq!(
        (&difference["tag"], &difference["kind"]),
        (&"doors\n".into(), &"closest_point".into())
    );
    let [recorded, found] = ["recorded", "found"].map(|key| difference[key].as_str().unwrap());
    assert!(recorded.contains("distance: 3.0") && found.contains("distance: 4.0"));
}

#[test]
fn times_and_counts_are_shown() {
    let folder = Folder::new();
    let [out, _] = folder.says(0, &["frame.hrays", "level.hbvh", "--bench"]);
    assert!(out.lines().next().unwrap().ends_with("ns each    nodes triangles"), "{out}");
    let report = folder.json(0, &["frame.hrays", "level.hbvh", "--bench"]);
    let rows = report["rows"].as_array().unwrap();
    for row in rows {
        assert!(row["seconds"].as_f64().unwrap() > 0.0);
    }
    // Of the three rays one passes by the level, and looks at its one node only.
    assert_eq!((&rows[1]["nodes"], &rows[1]["triangles"]), (&3.into(), &2.into()));
    assert!(rows[2]["nodes"].is_null());
}

#[test]
fn bad_input_is_one_line() {
    let folder = Folder::new();
    let bytes = fs::read(folder.path("frame.hrays")).unwrap();
    let fails = |code: i32, args: &[&str], reason: &str| {
        let [out, err] = folder.says(code, args);
        assert_eq!(out, "");
        assert_eq!(err, format!("hitscan: {reason}\n"));
        let report = folder.json(code, args);
        assert_eq!((&report["schema"], &report["error"]), (&1.into(), &reason.into()));
    };
    let mut damaged = bytes.clone();
    damaged[100] ^= 1;
    fs::write(folder.path("damaged.hrays"), damaged).unwrap();
    fs::write(folder.path("empty.hrays"), b"").unwrap();
    let damage = "damaged.hrays: byte 16: the checksum of a block is wrong: the file was damaged";
    fails(1, &["damaged.hrays", "level.hbvh"], damage);
    fails(1, &["empty.hrays", "level.hbvh"], "empty.hrays: there is no whole record in it");
    let swapped = "level.hbvh: this is a baked tree, not a recording";
    fails(1, &["level.hbvh", "frame.hrays"], swapped);
    let recording =
        "frame.hrays: this is a recording of questions; `hitscan replay` asks them again";
    fails(1, &["frame.hrays", "frame.hrays"], recording);
    let tag = "frame.hrays: no record has the tag `cats`";
    fails(1, &["frame.hrays", "level.hbvh", "--tag", "cats"], tag);
    let kind = "frame.hrays: all was asked of scenes, and the level is a tree";
    fails(1, &["frame.hrays", "level.hbvh", "--tag", "player"], kind);
    fails(1, &[".", "level.hbvh"], ".: it is a folder, not a file");
    assert_eq!(folder.run(&["frame.hrays"]).status.code(), Some(2));

    // What is before a cut is compared. The second block is the player's.
    fs::write(folder.path("cut.hrays"), &bytes[..bytes.len() - 1]).unwrap();
    let cut_at = Recording::open(folder.path("cut.hrays")).unwrap().cut_at().unwrap();
    let [out, err] = folder.says(0, &["cut.hrays", "level.hbvh"]);
    assert_eq!(
        err,
        format!("hitscan: warning: cut.hrays: cut off in the block at byte {cut_at}\n")
    );
    assert!(out.contains("\n3 records, all answers are equal"), "{out}");
    assert_eq!(folder.json(0, &["cut.hrays", "level.hbvh"])["cut_at"], cut_at);
    let scenes = "cut.hrays: all was asked of trees, and the level is a scene";
    assert_eq!(folder.says(1, &["cut.hrays", "level.hscn"])[1], format!("hitscan: {scenes}\n"));
}
