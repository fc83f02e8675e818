//! The command line: the built binary, run on tiny files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A triangle in the plane z = 0 whose front faces +z. Rays through (1, 2) hit it at u = 0.25,
/// v = 0.5, without any rounding.
const FLOOR: &str = "o floor\nv 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\n";

/// A triangle at z = -1 whose front faces -z, after one without area.
const CELLAR: &str = "o cellar\nv 0 0 -1\nv 0 4 -1\nv 4 0 -1\nf 1 1 2\nf 1 2 3\n";

/// A temporary folder, and the binary to run in it.
struct Folder {
    dir: TempDir,
}

impl Folder {
    fn new() -> Self {
        Self { dir: TempDir::new().unwrap() }
    }

    /// A folder with `level.hbvh` baked from `FLOOR` (mesh 0) and `CELLAR` (mesh 1).
    fn with_level() -> Self {
        let folder = Self::new();
        folder.write("floor.obj", FLOOR);
        folder.write("cellar.obj", CELLAR);
        folder.ok(&["bake", "floor.obj", "cellar.obj", "-o", "level.hbvh"]);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hitscan"));
        command.current_dir(self.dir.path()).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.pipe(args, b"")
    }

    /// Runs with these bytes as standard input.
    fn pipe(&self, args: &[&str], input: &[u8]) -> Output {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // On another thread: the child writes while it reads.
        let writer = std::thread::spawn(move || {
            // A child that stops at an error does not read to the end.
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output
    }

    /// Runs, checks for success and returns standard output.
    fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, args: &[&str]) -> Value {
        let text = self.ok(args);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
    }

    /// Runs, checks for exit code 1 and one line on standard error, and returns that line.
    fn bad_input(&self, args: &[&str]) -> String {
        one_line(&self.run(args))
    }

    /// Runs, checks for exit code 2 and returns standard error.
    fn usage(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {output:?}");
        assert!(output.stdout.is_empty(), "{args:?}: {output:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

fn one_line(output: &Output) -> String {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text.starts_with("hitscan: "), "{text:?}");
    assert!(text.ends_with('\n'), "{text:?}");
    assert_eq!(text.lines().count(), 1, "{text:?}");
    text
}

/// As the program writes numbers of a thousand or more.
fn with_commas(number: usize) -> String {
    if number < 1000 {
        number.to_string()
    } else {
        format!("{},{:03}", number / 1000, number % 1000)
    }
}

fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in {text:?}");
    }
}

// bake

#[test]
fn bake_prints_a_report_and_no_progress_bar_in_a_pipe() {
    let folder = Folder::new();
    folder.write("cellar.obj", CELLAR);
    let output = folder.run(&["bake", "cellar.obj", "-o", "level.hbvh"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    let bytes = folder.read("level.hbvh").len();
    contains(
        &String::from_utf8(output.stdout).unwrap(),
        &[
            &format!("level.hbvh ({} bytes)", with_commas(bytes)),
            "in 2, kept 1",
            "1 without area, 0 not finite, 0 with indices out of range",
            "nodes ",
            "leaves ",
            "depth ",
            "SAH cost",
            "per triangle",
            "import ",
            "save ",
        ],
    );
    assert_eq!(folder.files(), ["cellar.obj", "level.hbvh"]);
}

#[test]
fn bake_puts_meshes_into_layers() {
    let folder = Folder::new();
    let one = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let faces = "o glass pane\nf 1 2 3\no wall\nf 1 2 3\nusemtl leaves\no tree\nf 1 2 3\n";
    folder.write("level.obj", format!("{one}{faces}"));
    let layers = ["--layer", "glass*=2", "--layer", "material:leaves=4", "--layer", "door=1"];
    let bake = ["bake", "level.obj", "-o", "level.hbvh", "--json"];
    let report = folder.json(&[&bake[..], &layers[..]].concat());
    assert_eq!(report["warnings"], serde_json::json!(["--layer: nothing matches 'door'"]));
    let info = folder.json(&["info", "level.hbvh", "--json"]);
    let masks: Vec<&Value> =
        info["meshes"].as_array().unwrap().iter().map(|mesh| &mesh["mask"]).collect();
    assert_eq!(masks, [4, u32::MAX, 16]);
    let output = folder.run(&[&bake[..], &["--layer", "glass=32"]].concat());
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn bake_prints_the_report_as_json() {
    let folder = Folder::new();
    folder.write("floor.obj", FLOOR);
    folder.write("cellar.obj", CELLAR);
    let report = folder.json(&["bake", "floor.obj", "cellar.obj", "-o", "a.hbvh", "--json"]);
    assert_eq!(report["output"], "a.hbvh");
    assert_eq!(report["file_bytes"], folder.read("a.hbvh").len());
    assert_eq!(report["meshes"], 2);
    assert_eq!(report["triangles_in"], 3);
    assert_eq!(report["triangles_kept"], 2);
    assert_eq!(report["skipped_degenerate"], 1);
    assert_eq!(report["skipped_non_finite"], 0);
    assert_eq!(report["skipped_out_of_range"], 0);
    for number in ["nodes", "leaves", "depth", "sah_cost", "bytes_per_triangle"] {
        assert!(report[number].is_number(), "{number} in {report}");
    }
    assert!(report["seconds"].as_f64().unwrap() >= 0.0);
    let stages = report["stages"].as_array().unwrap();
    assert_eq!(stages.first().unwrap()["stage"], "import");
    assert_eq!(stages.last().unwrap()["stage"], "save");
    assert!(stages.iter().all(|stage| stage["seconds"].is_number()));
    assert_eq!(report["warnings"], serde_json::json!([]));
}

#[test]
fn bake_writes_the_report_as_a_page() {
    let folder = Folder::new();
    folder.write("floor.obj", FLOOR);
    folder.write("<cellar>|.obj", CELLAR);
    let bake = ["bake", "floor.obj", "<cellar>|.obj", "-o", "a.hbvh", "--report"];
    for file in ["page.html", "page.MD"] {
        for done in ["baked", "up to date"] {
            folder.ok(&[&bake[..], &[file][..]].concat());
            let page = String::from_utf8(folder.read(file)).unwrap();
            contains(
                &page,
                &["a.hbvh", "in 3, kept 2", "EPO cost", "SAH cost", "Time", "floor.obj"],
            );
            assert_eq!(page.contains("up to date"), done == "up to date");
            // Names of files are escaped.
            assert!(!page.contains("<cellar>") && !page.contains("<cellar"), "{page}");
            if file == "page.html" {
                contains(&page, &["<!doctype html>", "<svg", "&lt;cellar&gt;|.obj"]);
                assert!(!page.contains("http"), "{page}");
            } else {
                contains(&page, &["## Time", "\\|.obj", "| 2 | 1 (100.0 %) |"]);
            }
        }
        folder.ok(&["bake", "floor.obj", "-o", "a.hbvh"]);
    }
    let message = folder.usage(&[&bake[..], &["page.txt"][..]].concat());
    contains(&message, &[".md or .html"]);
    folder.usage(&[&bake[..], &["a.hbvh"][..]].concat());
    folder.usage(&["bake", "floor.obj", "-o", "b.hbvh", "--report", "floor.obj"]);

    // The triangle without area is listed by mesh and number.
    let report = folder.json(&["bake", "floor.obj", "<cellar>|.obj", "-o", "b.hbvh", "--json"]);
    let skipped = report["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), 1);
    assert_eq!((&skipped[0]["mesh"], &skipped[0]["reason"]), (&1.into(), &"Degenerate".into()));
    if cfg!(target_os = "linux") {
        assert!(report["peak_bytes"].as_u64().unwrap() > 1_000_000);
    }
}

#[test]
fn bake_warns_of_edges_that_nearly_match() {
    let folder = Folder::new();
    let wall = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    folder.write("a.obj", format!("o left\n{wall}"));
    folder.write("b.obj", "o right\nv 1.0000001 0 0\nv 0 1 0\nv 1 1 0\nf 1 3 2\n");
    let bake = ["bake", "a.obj", "b.obj", "-o", "level.hbvh"];
    for done in ["baked", "up to date"] {
        let output = folder.run(&bake);
        let parts = [
            "warning: edges: 2 of 6 open edges have a gap to others",
            "(nearly matching 2, T-junctions 0), and rays can slip through",
            "between mesh 0 `left` and mesh 1 `right`",
            ",0,0 ",
            "weld vertices",
        ];
        assert!(output.status.success(), "{output:?}");
        let warning = String::from_utf8(output.stderr).unwrap();
        assert_eq!(warning.lines().count(), 1, "{warning}");
        contains(&warning, &parts);
        let rows = [
            done,
            "2 (0 closed)",
            "6 open, 2 of them with a gap (nearly matching 2, T-junctions 0), \
             0 T-junctions without a gap, 0 of inconsistent winding, 0 non-manifold",
        ];
        contains(&String::from_utf8(output.stdout).unwrap(), &rows);
    }
    let report = folder.json(&[&bake[..], &["--json", "--report", "page.md"]].concat());
    let edges = serde_json::json!({
        "open": 6, "inconsistent": 0, "non_manifold": 0,
        "nearly_matching": 2, "t_junctions": 0, "exact_t_junctions": 0,
    });
    assert_eq!((&report["edges"], &report["closed_meshes"]), (&edges, &0.into()));
    assert_eq!(report["warnings"].as_array().unwrap().len(), 1);
    let page = String::from_utf8(folder.read("page.md")).unwrap();
    let counts = "(nearly matching 2, T-junctions 0)";
    let said = ["6 open, 2 of them with a gap", "2 of 6 open edges", "2 open edges have a gap"];
    contains(&page, &said);
    // The row, the warning and the advice say the same.
    assert_eq!(page.matches(counts).count(), 3, "{page}");
}

#[test]
fn bake_refuses_to_exceed_the_memory_limit() {
    let folder = Folder::with_level();
    let args = ["bake", "floor.obj", "-o", "a.hbvh", "--memory-limit"];
    let message = folder.bad_input(&[&args[..], &["0"][..]].concat());
    contains(&message, &["floor.obj", "about 1 MB", "no more than 0 MB"]);
    folder.ok(&[&args[..], &["1"][..]].concat());
}

#[test]
fn bake_gives_the_same_bytes_with_any_number_of_threads() {
    let folder = Folder::new();
    folder.write("floor.obj", FLOOR);
    folder.write("cellar.obj", CELLAR);
    let inputs = ["bake", "floor.obj", "cellar.obj"];
    folder.ok(&[&inputs[..], &["-o", "one.hbvh", "--threads", "1"]].concat());
    folder.ok(&[&inputs[..], &["-o", "two.hbvh", "--threads", "2"]].concat());
    folder.ok(&[&inputs[..], &["-o", "all.hbvh"]].concat());
    assert_eq!(folder.read("one.hbvh"), folder.read("two.hbvh"));
    assert_eq!(folder.read("one.hbvh"), folder.read("all.hbvh"));
}

#[test]
fn bake_does_nothing_if_the_output_is_up_to_date() {
    let folder = Folder::new();
    folder.write("floor.obj", FLOOR);
    folder.write("spawn.bin", b"here");
    let bake = |more: &[&str]| {
        let args = [&["bake", "floor.obj", "-o", "level.hbvh", "--json"], more].concat();
        let report: Value = serde_json::from_str(&folder.ok(&args)).unwrap();
        let modified = fs::metadata(folder.path("level.hbvh")).unwrap().modified();
        (report["up_to_date"].as_bool().unwrap(), modified.unwrap())
    };
    let (done, first) = bake(&[]);
    assert!(!done);
    let good = folder.read("level.hbvh");
    assert_eq!(bake(&[]), (true, first));
    contains(
        &folder.ok(&["bake", "floor.obj", "-o", "level.hbvh"]),
        &["up to date", "level.hbvh", "in 1, kept 1"],
    );
    // The number of threads may change; quality, options, user data, rays and inputs may not.
    assert_eq!(bake(&["--threads", "2"]), (true, first));
    assert!(!bake(&["--force"]).0);
    assert_eq!(folder.read("level.hbvh"), good);
    assert!(!bake(&["--quality", "best"]).0);
    assert!(bake(&["--quality", "best"]).0);
    assert!(!bake(&["--skip-bad"]).0);
    assert!(!bake(&["--user-data", "spawn.bin"]).0);
    assert!(bake(&["--user-data", "spawn.bin"]).0);
    folder.write("spawn.bin", b"there");
    assert!(!bake(&["--user-data", "spawn.bin"]).0);
    contains(&folder.ok(&["info", "level.hbvh"]), &["user data  5 bytes"]);
    assert!(!bake(&[]).0);
    folder.write("rays.bin", [0; 64]);
    assert!(!bake(&["--rays", "rays.bin"]).0);
    assert!(bake(&["--rays", "rays.bin"]).0);
    folder.write("rays.bin", [0; 32]);
    assert!(!bake(&["--rays", "rays.bin"]).0);
    assert!(!bake(&[]).0);
    folder.write("floor.obj", format!("# moved\n{FLOOR}"));
    assert!(!bake(&[]).0);
    assert!(bake(&[]).0);
    // A damaged output is baked again.
    let mut damaged = folder.read("level.hbvh");
    let good = damaged.clone();
    damaged[400] ^= 1;
    folder.write("level.hbvh", &damaged);
    assert!(!bake(&[]).0);
    assert_eq!(folder.read("level.hbvh"), good);

    let args = ["bake", "floor.obj", "-o", "spawn.bin", "--user-data", "spawn.bin"];
    assert!(!folder.run(&args).status.success());
    assert_eq!(folder.read("spawn.bin"), b"there");
}

#[test]
#[cfg(unix)]
fn bake_writes_into_a_pipe_without_reading_from_it() {
    let folder = Folder::new();
    folder.write("floor.obj", FLOOR);
    folder.ok(&["bake", "floor.obj", "-o", "level.hbvh"]);
    let output = Command::new("sh")
        .args(["-c", "\"$0\" bake floor.obj -o /dev/stdout | head -c 100000 > piped"])
        .arg(env!("CARGO_BIN_EXE_hitscan"))
        .current_dir(folder.dir.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let (good, piped) = (folder.read("level.hbvh"), folder.read("piped"));
    assert_eq!(piped[..good.len()], good);
}

#[test]
fn bake_refuses_models_without_triangles() {
    let folder = Folder::new();
    folder.write("points.obj", "v 0 0 0\nv 1 0 0\n");
    folder.write("empty.obj", "");
    folder.write("lines.obj", "o flat\nv 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nf 1 1 1\n");
    for empty in ["points.obj", "empty.obj"] {
        let output = folder.run(&["bake", empty, "-o", "out.hbvh"]);
        assert_eq!(output.status.code(), Some(1));
        let error = format!("hitscan: {empty}: whole file: there are no triangles to bake\n");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), error);
    }
    contains(
        &folder.bad_input(&["bake", "lines.obj", "-o", "out.hbvh"]),
        &["lines.obj: ", "none of 2 triangles", "2 without area"],
    );
    // Beside another model, an empty one gives a warning only.
    folder.write("floor.obj", FLOOR);
    let output = folder.run(&["bake", "floor.obj", "empty.obj", "-o", "out.hbvh"]);
    assert_eq!(output.status.code(), Some(0));
    let warning = "hitscan: warning: empty.obj: geometry: there is no triangle\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), warning);
    for name in ["floor.obj", "out.hbvh"] {
        fs::remove_file(folder.path(name)).unwrap();
    }
    assert_eq!(folder.files(), ["empty.obj", "lines.obj", "points.obj"]);
}

#[test]
fn bake_names_the_file_that_is_bad() {
    let folder = Folder::new();
    folder.write("floor.obj", FLOOR);
    folder.write("index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    folder.write("word.obj", "v 0 0 zero\n");
    folder.write("broken.glb", b"glTF\x02\0\0\0\xff\xff\xff\xff");
    folder.write("unknown.xyz", "what is this?");
    let before = folder.files();
    for bad in ["index.obj", "word.obj", "broken.glb", "unknown.xyz", "not-there.obj"] {
        let line = folder.bad_input(&["bake", bad, "-o", "out.hbvh"]);
        assert!(line.starts_with(&format!("hitscan: {bad}: ")), "{line:?}");
    }
    let line = folder.bad_input(&["bake", "floor.obj", "word.obj", "-o", "out.hbvh"]);
    contains(&line, &["hitscan: word.obj: "]);
    assert_eq!(folder.files(), before, "nothing was written");
}

/// A binary STL of one triangle with these corners.
fn stl(corners: [[f32; 3]; 3]) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend([0; 12]);
    bytes.extend(corners.iter().flatten().flat_map(|x| x.to_le_bytes()));
    bytes.extend([0; 2]);
    bytes
}

#[test]
fn bake_refuses_or_skips_bad_triangles() {
    let folder = Folder::new();
    folder.write("floor.obj", FLOOR);
    folder.write("nan.stl", stl([[0.0, 0.0, f32::NAN], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]));
    let both = ["bake", "floor.obj", "nan.stl", "-o", "out.hbvh"];
    let line = folder.bad_input(&both);
    contains(&line, &["hitscan: nan.stl: ", "mesh 1", "triangle 0"]);
    assert!(line.ends_with("or skip bad triangles with --skip-bad\n"), "{line:?}");
    folder.write("large.obj", "v 1e39 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let line = folder.bad_input(&["bake", "large.obj", "-o", "out.hbvh"]);
    contains(&line, &["a coordinate is NaN, infinite or beyond the range of f32"]);
    let report = folder.json(&[&both[..], &["--skip-bad", "--json"]].concat());
    assert_eq!(report["triangles_in"], 2);
    assert_eq!(report["skipped_non_finite"], 1);
    // The skipped triangle keeps its number.
    assert_eq!(folder.json(&["info", "out.hbvh", "--json"])["meshes"][1]["triangles"], 1);
}

#[test]
fn bake_does_not_overwrite_its_input() {
    let folder = Folder::new();
    folder.write("floor.obj", FLOOR);
    contains(&folder.usage(&["bake", "floor.obj", "-o", "./floor.obj"]), &["floor.obj"]);
    assert_eq!(folder.read("floor.obj"), FLOOR.as_bytes());
}

#[test]
fn bake_overwrites_files_of_other_kinds_only_with_force() {
    let folder = Folder::new();
    folder.write("floor.obj", FLOOR);
    for other in [&b"o house\n"[..], b"g", &[b'x'; 5000]] {
        folder.write("house.obj", other);
        contains(
            &folder.usage(&["bake", "floor.obj", "-o", "house.obj"]),
            &["house.obj", "--force"],
        );
        assert_eq!(folder.read("house.obj"), other);
    }
    folder.ok(&["bake", "floor.obj", "-o", "house.obj", "--force"]);
    let baked = folder.read("house.obj");
    // An empty file, or a part of a baked file, may be overwritten.
    for old in [&b""[..], &baked[..20], &baked[..1000], &baked] {
        folder.write("level.hbvh", old);
        folder.ok(&["bake", "floor.obj", "-o", "level.hbvh"]);
        assert_eq!(folder.read("level.hbvh"), baked);
    }
}

#[test]
fn a_failed_bake_prints_its_warnings() {
    let folder = Folder::new();
    folder.write("lines.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n");
    let output = folder.run(&["bake", "lines.obj", "-o", "out.hbvh"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    let warning = "hitscan: warning: lines.obj: line 3: a face of 2 corners is skipped\n";
    assert!(said.starts_with(warning), "{said:?}");
    contains(&said, &["no triangles to bake"]);
}

#[test]
fn materials_keep_their_names() {
    let folder = Folder::new();
    // In two files, so that the numbers of the second file's materials change.
    for (file, name) in [("a.obj", "stone"), ("b.obj", "water")] {
        let y = if name == "stone" { 0 } else { -5 };
        let corners = format!("v -9 {y} -9\nv -9 {y} 9\nv 9 {y} 9\nv 9 {y} -9\n");
        folder.write(file, format!("{corners}usemtl {name}\nf 1 2 3\nf 1 3 4\n"));
    }
    folder.ok(&["bake", "a.obj", "b.obj", "-o", "level.hbvh"]);
    let down = ["ray", "level.hbvh", "--from", "1,9,2", "--dir", "0,-1,0", "--all"];
    contains(&folder.ok(&down), &["front   a, stone\n", "front   b, water\n"]);
    let below = ["ray", "level.hbvh", "--from", "1,-1,2", "--dir", "0,-1,0"];
    contains(&folder.ok(&below), &["material   1 water\n"]);
    let answer = folder.json(&[&down[..], &["--json"]].concat());
    assert_eq!(answer["hits"][1]["material"], 1);
    assert_eq!(answer["hits"][1]["material_name"], "water");
}

#[test]
fn bake_refuses_an_output_in_a_missing_folder() {
    let folder = Folder::new();
    folder.write("floor.obj", FLOOR);
    let out = Path::new("not-there").join("out.hbvh");
    let out = out.to_str().unwrap();
    let line = folder.bad_input(&["bake", "floor.obj", "-o", out]);
    assert!(line.starts_with(&format!("hitscan: {out}: ")), "{line:?}");
    contains(&line, &["there is no folder `not-there`"]);
}

// info

#[test]
fn info_shows_what_is_in_a_file() {
    let folder = Folder::with_level();
    let info = folder.json(&["info", "level.hbvh", "--json"]);
    assert_eq!(info["file"], "level.hbvh");
    assert_eq!(info["file_bytes"], folder.read("level.hbvh").len());
    assert_eq!(info["sound"], true);
    assert!(info["format_version"].is_u64());
    assert!(!info["builder"].as_str().unwrap().is_empty());
    let hash = |text: &str| format!("{:016x}", xxhash_rust::xxh3::xxh3_64(text.as_bytes()));
    assert_eq!(
        info["sources"],
        serde_json::json!([
            { "name": "floor.obj", "hash": hash(FLOOR) },
            { "name": "cellar.obj", "hash": hash(CELLAR) },
        ])
    );
    assert_eq!(info["bounds"]["min"], serde_json::json!([0.0, 0.0, -1.0]));
    assert_eq!(info["bounds"]["max"], serde_json::json!([4.0, 4.0, 0.0]));
    assert_eq!(info["triangles_in"], 3);
    assert_eq!(info["triangles_kept"], 2);
    let meshes = info["meshes"].as_array().unwrap();
    assert_eq!(meshes.len(), 2);
    for (number, (name, triangles)) in [("floor", 1), ("cellar", 2)].into_iter().enumerate() {
        assert_eq!(meshes[number]["mesh"], number);
        assert_eq!(meshes[number]["name"], name);
        assert_eq!(meshes[number]["triangles"], triangles);
        assert!(meshes[number]["user_id"].is_u64());
        assert_eq!(meshes[number]["mask"], u32::MAX);
    }

    contains(
        &folder.ok(&["info", "level.hbvh"]),
        &["sound      yes", "in 3, kept 2", "0,0,-1 to 4,4,0", "floor", "cellar", "ffffffff"],
    );
}

#[test]
fn info_shows_the_shape_of_the_tree_on_request() {
    let folder = Folder::with_level();
    let plain = folder.json(&["info", "level.hbvh", "--json"]);
    assert!(plain.get("stats").is_none());
    let with_stats = folder.json(&["info", "level.hbvh", "--json", "--stats"]);
    assert_eq!(with_stats["stats"]["leaves_by_level"], serde_json::json!([1]));
    contains(
        &folder.ok(&["info", "level.hbvh", "--stats"]),
        &["a ray ", "meets 1.00 nodes", "fill       2: 1", "levels     1: 1"],
    );
}

#[cfg(target_os = "linux")]
#[test]
fn file_names_that_are_not_utf8_go_into_json_as_the_help_says() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let name = std::ffi::OsStr::from_bytes(b"h\xf6he.obj");
    fs::write(folder.dir.path().join(name), FLOOR).unwrap();
    let output =
        folder.command(&["bake", "-o", "out.hbvh", "--json"]).arg(name).output().expect("it runs");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["sources"][0]["name"], "h\u{fffd}he.obj");
    contains(&folder.ok(&["--help"]), &["bytes that are not UTF-8 become U+FFFD"]);
}

#[test]
fn info_stores_source_names_without_directories() {
    let folder = Folder::new();
    fs::create_dir(folder.path("models")).unwrap();
    fs::write(folder.path("models").join("floor.obj"), FLOOR).unwrap();
    let input = Path::new("models").join("floor.obj");
    folder.ok(&["bake", input.to_str().unwrap(), "-o", "level.hbvh"]);
    let info = folder.json(&["info", "level.hbvh", "--json"]);
    assert_eq!(info["sources"][0]["name"], "floor.obj");
}

#[test]
fn damaged_files_are_refused_by_every_command() {
    let folder = Folder::with_level();
    let mut damaged = folder.read("level.hbvh");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    folder.write("damaged.hbvh", &damaged);
    folder.write("short.hbvh", &folder.read("level.hbvh")[..middle]);
    folder.write("empty.hbvh", "");
    folder.write("model.hbvh", FLOOR);
    folder.write("rays.bin", "");
    for file in ["damaged.hbvh", "short.hbvh", "empty.hbvh", "model.hbvh", "not-there.hbvh"] {
        let start = format!("hitscan: {file}: ");
        for args in [
            &["info", file][..],
            &["ray", file, "--from", "0,0,0", "--dir", "0,0,1"],
            &["rays", file, "--input", "rays.bin", "--output", "hits.bin"],
            &["export", file, "-o", "out.obj"],
        ] {
            let line = folder.bad_input(args);
            assert!(line.starts_with(&start), "{args:?}: {line:?}");
        }
        let output = folder.run(&["info", file, "--json"]);
        assert!(one_line(&output).starts_with(&start));
        let info: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(info["schema"], 1);
        assert!(info["error"].as_str().unwrap().starts_with(&start[9..]));
    }
    assert!(!folder.path("hits.bin").exists());
}

#[test]
fn control_characters_in_names_are_escaped() {
    let folder = Folder::new();
    folder.write("evil.obj", FLOOR.replace("floor", "a\u{1b}[31mb"));
    folder.ok(&["bake", "evil.obj", "-o", "level.hbvh"]);
    for args in
        [&["info", "level.hbvh"][..], &["ray", "level.hbvh", "--from", "1,2,5", "--dir", "0,0,-1"]]
    {
        let text = folder.ok(args);
        assert!(!text.contains('\u{1b}'), "{text:?}");
        contains(&text, &[r"a\u{1b}[31mb"]);
    }
}

// ray

#[test]
fn ray_finds_the_closest_hit() {
    let folder = Folder::with_level();
    let down = ["ray", "level.hbvh", "--from", "1,2,5", "--dir", "0,0,-2"];
    contains(
        &folder.ok(&down),
        &[
            "mesh       0 floor\n",
            "triangle   0\n",
            "point      1,2,0\n",
            "normal     0,0,1\n",
            "distance   5 (t 2.5)\n",
            "facing     front\n",
            "user id    ",
        ],
    );
    let answer = folder.json(&[&down[..], &["--json"]].concat());
    assert_eq!(answer["hit"], true);
    assert_eq!(answer["hits"].as_array().unwrap().len(), 1);
    let hit = &answer["hits"][0];
    assert_eq!(hit["mesh"], 0);
    assert_eq!(hit["mesh_name"], "floor");
    assert_eq!(hit["triangle"], 0);
    assert_eq!(hit["point"], serde_json::json!([1.0, 2.0, 0.0]));
    assert_eq!(hit["normal"], serde_json::json!([0.0, 0.0, 1.0]));
    assert_eq!(hit["distance"], 5.0);
    assert_eq!(hit["t"], 2.5);
    assert_eq!(hit["u"], 0.25);
    assert_eq!(hit["v"], 0.5);
    assert_eq!(hit["facing"], "front");
    assert!(hit["user_id"].is_u64());
    assert!(hit.get("material").is_some());
}

#[test]
fn ray_lists_all_hits_in_order() {
    let folder = Folder::with_level();
    let up = ["ray", "level.hbvh", "--from", "1,1,-5", "--dir", "0,0,1", "--all"];
    let answer = folder.json(&[&up[..], &["--json"]].concat());
    let rows = answer["hits"].as_array().unwrap().iter().map(|hit| {
        let field = |name: &str| hit[name].to_string().replace('"', "");
        format!("{} {} {} {}", field("t"), field("mesh_name"), field("triangle"), field("facing"))
    });
    // The triangle without area is counted, so the cellar's only real one is number 1.
    assert_eq!(rows.collect::<Vec<_>>(), ["4.0 cellar 1 front", "5.0 floor 0 back"]);
    // In text, a line for each under a head.
    let text = folder.ok(&up);
    let lines: Vec<Vec<_>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["distance", "t", "mesh", "triangle", "facing", "name,", "material"]);
    assert_eq!(lines[1], ["4.0000", "4.000000", "1", "1", "front", "cellar"]);
    assert_eq!(lines[2], ["5.0000", "5.000000", "0", "0", "back", "floor"]);
    assert_eq!(lines.len(), 3);
    // One hit alone is shown in full.
    let one = folder.ok(&[&up[..], &["--facing", "back"]].concat());
    contains(&one, &["facing     back\n", "normal     0,0,1\n"]);
}

#[test]
fn rays_see_the_side_and_the_layers_they_are_told_to() {
    let folder = Folder::with_level();
    let up = ["ray", "level.hbvh", "--from", "1,1,-5", "--dir", "0,0,1", "--json"];
    let nearest = |rest: &[&str]| {
        let answer = folder.json(&[&up[..], rest].concat());
        answer["hits"][0]["mesh_name"].as_str().map(str::to_owned)
    };
    assert_eq!(nearest(&["--facing", "both"]).unwrap(), "cellar");
    assert_eq!(nearest(&["--facing", "front"]).unwrap(), "cellar");
    assert_eq!(nearest(&["--facing", "back"]).unwrap(), "floor");
    assert_eq!(nearest(&["--mask", "0x80000000"]).unwrap(), "cellar");
    assert_eq!(nearest(&["--mask", "4"]).unwrap(), "cellar");
    assert_eq!(nearest(&["--mask", "0"]), None);
    for wrong in ["-1", "0x1ffffffff", "4294967296", "0x", "all", ""] {
        folder.usage(&[&up[..6], &["--mask", wrong]].concat());
    }
    folder.usage(&[&up[..6], &["--facing", "up"]].concat());
}

#[test]
fn completions_and_the_manual_name_every_command() {
    let folder = Folder::new();
    for args in [&["completions", "bash"][..], &["completions", "zsh"], &["man"]] {
        let text = folder.ok(args);
        contains(&text, &["bake", "info", "rays", "completions"]);
    }
    contains(&folder.ok(&["man"]), &[".TH", "memory\\-limit"]);
    folder.usage(&["completions", "dos"]);
}

#[test]
fn bake_says_that_it_does_not_read_standard_input() {
    let folder = Folder::new();
    contains(&folder.usage(&["bake", "-", "-o", "level.hbvh"]), &["not from standard input"]);
    assert!(folder.files().is_empty());
}

#[test]
fn a_report_opens_with_advice() {
    let folder = Folder::new();
    // A wall across many small triangles: it costs far more than its part of the triangles.
    let mut text = String::from("o wall\nv -9 -9 0\nv 99 -9 0\nv 9 99 9\nf 1 2 3\no gravel\n");
    for i in 0..300 {
        let (x, y, n) = (i % 20, i / 20, 3 * i + 4);
        text += &format!("v {x} {y} 1\nv {x}.5 {y} 1\nv {x} {y}.5 1\nf {n} {} {}\n", n + 1, n + 2);
    }
    folder.write("level.obj", text + "f 1 1 2\n");
    folder.ok(&["bake", "level.obj", "-o", "level.hbvh", "--report", "level.md"]);
    let page = String::from_utf8(folder.read("level.md")).unwrap();
    let advice = page.split("## ").nth(1).unwrap();
    contains(
        advice,
        &[
            "What to do",
            "1 of 302 triangles are not in the tree",
            "Mesh 0",
            "wall",
            "0.3 %",
            "--quality best",
        ],
    );
}

#[test]
fn ray_with_any_answers_yes_or_no() {
    let folder = Folder::with_level();
    let any = |rest: &[&str]| folder.ok(&[&["ray", "level.hbvh", "--any"], rest].concat());
    assert_eq!(any(&["--from", "1,2,5", "--to", "1,2,0"]), "hit\n");
    assert_eq!(any(&["--from", "1,2,5", "--to", "1,2,0.5"]), "no hit\n");
    assert_eq!(any(&["--from", "1,2,5", "--dir", "0,0,1"]), "no hit\n");
    let args = ["ray", "level.hbvh", "--any", "--json", "--from", "1,2,5"];
    let answer = folder.json(&[&args[..], &["--to", "1,2,0"]].concat());
    assert_eq!(answer, serde_json::json!({ "schema": 1, "hit": true }));
    let answer = folder.json(&[&args[..], &["--to", "1,2,1"]].concat());
    assert_eq!(answer, serde_json::json!({ "schema": 1, "hit": false }));
}

#[test]
fn a_ray_that_misses_is_a_success() {
    let folder = Folder::with_level();
    for rest in [
        &["--dir", "-1,0,0"][..],
        &["--dir=-1,-0.5,-1e-3"],
        &["--to", "-1,-2,4.5"],
        &["--dir", "-1,0,0", "--all"],
    ] {
        let args = [&["ray", "level.hbvh", "--from", "-1,-2,5"], rest].concat();
        assert_eq!(folder.ok(&args), "no hit\n", "{args:?}");
        let answer = folder.json(&[&args[..], &["--json"]].concat());
        assert_eq!(
            answer,
            serde_json::json!({ "schema": 1, "hit": false, "hits": [] }),
            "{args:?}"
        );
    }
}

#[test]
fn ray_refuses_a_wrong_command_line() {
    let folder = Folder::with_level();
    let from = ["ray", "level.hbvh", "--from", "0,0,0"];
    for rest in [
        &[][..],
        &["--dir", "0,0,1", "--to", "0,0,1"],
        &["--dir", "0,0,1", "--all", "--any"],
        &["--dir", "0,0"],
        &["--dir", "0,0,1,2"],
        &["--dir", "0,0,up"],
        &["--dir", "0,0,0"],
        &["--dir", "0,-0,0"],
        &["--dir", "0,0,nan"],
        &["--dir", "0,0,inf"],
        &["--dir", "0,0,1e99"],
        &["--dir", ""],
    ] {
        folder.usage(&[&from[..], rest].concat());
    }
    // Two points that give no direction.
    let same = folder.usage(&["ray", "level.hbvh", "--from", "1,2,0", "--to", "1,2,-0"]);
    contains(&same, &["--from and --to are the same point: a ray that goes nowhere hits nothing"]);
    let far = folder.usage(&["ray", "level.hbvh", "--from", "3e38,0,0", "--to=-3e38,0,0"]);
    contains(&far, &["--to is so far from --from"]);
    // Masks.
    for (mask, message) in [
        ("0xfffffffff", "a mask has 32 bits"),
        ("4294967296", "a mask has 32 bits"),
        ("1.5", "expected a number, such as 5 or 0x0f"),
        ("0x", "expected a number, such as 5 or 0x0f"),
    ] {
        let said = folder.usage(&[&from[..], &["--dir", "0,0,1", "--mask", mask]].concat());
        contains(&said, &[message]);
        assert!(!said.contains("number too large"), "{said}");
    }
    folder.usage(&["ray", "level.hbvh", "--dir", "0,0,1"]);
    folder.usage(&["ray", "--from", "0,0,0", "--dir", "0,0,1"]);
}

// rays

/// A ray's record: origin, direction, t_min, t_max.
fn ray([x, y, z, t_min, dx, dy, dz, t_max]: [f32; 8]) -> [u8; 32] {
    let numbers = [x, y, z, dx, dy, dz, t_min, t_max];
    let mut record = [0; 32];
    for (bytes, number) in record.chunks_exact_mut(4).zip(numbers) {
        bytes.copy_from_slice(&number.to_le_bytes());
    }
    record
}

/// A hit's record.
fn hit(t: f32, u: f32, v: f32, flags: u32, mesh: u32, triangle: u32, user_id: u64) -> [u8; 32] {
    let mut record = Vec::new();
    record.extend([t, u, v].into_iter().flat_map(f32::to_le_bytes));
    record.extend([flags, mesh, triangle].into_iter().flat_map(u32::to_le_bytes));
    record.extend(user_id.to_le_bytes());
    record.try_into().unwrap()
}

/// A NaN with unusual bits, which must come back unchanged.
const ODD_NAN: u32 = 0x7f81_2345;

/// Records of rays, of their closest hits with the user ids that the bake gave, and of any-hit
/// results.
fn rays_and_hits(folder: &Folder) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let info = folder.json(&["info", "level.hbvh", "--json"]);
    let id = |mesh: usize| info["meshes"][mesh]["user_id"].as_u64().unwrap();
    let inf = f32::INFINITY;
    let miss = |t_max: f32| hit(t_max, 0.0, 0.0, 0, 0, 0, 0);
    let cases = [
        // From above, with a direction of length two: the floor's front.
        (ray([1.0, 2.0, 5.0, 0.0, 0.0, 0.0, -2.0, inf]), hit(2.5, 0.25, 0.5, 3, 0, 0, id(0))),
        // From between: the cellar's back. Its second vertex lies on the y axis.
        (ray([1.0, 2.0, -0.5, 0.0, 0.0, 0.0, -1.0, inf]), hit(0.5, 0.5, 0.25, 1, 1, 1, id(1))),
        // From below: the cellar's front.
        (ray([1.0, 2.0, -2.0, 0.0, 0.0, 0.0, 1.0, 8.0]), hit(1.0, 0.5, 0.25, 3, 1, 1, id(1))),
        // Both ends of the interval belong to it.
        (ray([1.0, 2.0, 5.0, 5.0, 0.0, 0.0, -1.0, 5.0]), hit(5.0, 0.25, 0.5, 3, 0, 0, id(0))),
        // A negative t_min looks back.
        (ray([1.0, 2.0, 5.0, -9.0, 0.0, 0.0, 1.0, 0.0]), hit(-6.0, 0.5, 0.25, 3, 1, 1, id(1))),
        // Misses: too short, beside the level, away from it, no direction, t_min > t_max.
        (ray([1.0, 2.0, 5.0, 0.0, 0.0, 0.0, -1.0, 4.5]), miss(4.5)),
        (ray([9.0, 9.0, 5.0, 0.0, 0.0, 0.0, -1.0, 7.0]), miss(7.0)),
        (ray([1.0, 2.0, 5.0, 0.0, 0.0, 0.0, 1.0, inf]), miss(inf)),
        (ray([1.0, 2.0, 5.0, 0.0, 0.0, 0.0, 0.0, -0.0]), miss(-0.0)),
        (ray([1.0, 2.0, 5.0, 9.0, 0.0, 0.0, -1.0, 1.0]), miss(1.0)),
        // NaN and infinity.
        (ray([f32::NAN, 2.0, 5.0, 0.0, 0.0, 0.0, -1.0, 3.0]), miss(3.0)),
        (ray([1.0, 2.0, 5.0, 0.0, 0.0, inf, -1.0, 3.0]), miss(3.0)),
        (
            ray([1.0, 2.0, 5.0, 0.0, 0.0, 0.0, -1.0, f32::from_bits(ODD_NAN)]),
            miss(f32::from_bits(ODD_NAN)),
        ),
    ];
    let any = cases.iter().flat_map(|(_, record)| {
        let mut any = [0; 32];
        any[12] = record[12] & 1;
        any
    });
    (
        cases.iter().flat_map(|(ray, _)| *ray).collect(),
        cases.iter().flat_map(|(_, record)| *record).collect(),
        any.collect(),
    )
}

#[test]
fn rays_writes_records_as_the_help_describes_them() {
    let folder = Folder::with_level();
    let (rays, hits, any) = rays_and_hits(&folder);
    folder.write("rays.bin", &rays);
    let files = ["rays", "level.hbvh", "--input", "rays.bin", "--output", "hits.bin"];
    let output = folder.run(&files);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said:?}");
    contains(&said, &["13 rays, 5 hits", "rays per second"]);
    assert_eq!(folder.read("hits.bin"), hits);

    // This overwrites the file of the first run.
    folder.ok(&["rays", "level.hbvh", "-i", "rays.bin", "-o", "hits.bin", "--any"]);
    assert_eq!(folder.read("hits.bin"), any);
    assert!(!folder.files().iter().any(|name| name.contains("tmp")), "{:?}", folder.files());
}

#[test]
fn rays_counts_one_ray_and_one_hit() {
    let folder = Folder::with_level();
    folder.write("one.bin", ray([1.0, 2.0, 5.0, 0.0, 0.0, 0.0, -1.0, 9.0]));
    let output = folder.run(&["rays", "level.hbvh", "-i", "one.bin", "-o", "hits.bin"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("1 ray, 1 hit, "), "{said:?}");
}

#[test]
fn rays_streams_through_pipes() {
    let folder = Folder::with_level();
    let (rays, hits, any) = rays_and_hits(&folder);
    let stream = ["rays", "level.hbvh", "--input", "-", "--output", "-"];
    let output = folder.pipe(&stream, &rays);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(output.stdout, hits);
    let output = folder.pipe(&[&stream[..], &["--any", "--threads", "1"]].concat(), &rays);
    assert_eq!(output.stdout, any);
}

#[test]
fn rays_writes_the_same_bytes_on_every_instruction_set_and_any_number_of_threads() {
    let folder = Folder::with_level();
    let (rays, hits, any) = rays_and_hits(&folder);
    let mut variants = vec![vec!["--isa", "auto"]];
    variants.push(vec!["--threads", "1"]);
    variants.push(vec!["--threads", "3"]);
    for isa in hitscan::InstructionSet::available() {
        variants.push(vec!["--isa", isa.name()]);
    }
    assert!(variants.len() > 3);
    for variant in variants {
        let args = ["rays", "level.hbvh", "--input", "-", "--output", "-"];
        let args = [&args[..], &variant].concat();
        assert_eq!(folder.pipe(&args, &rays).stdout, hits, "{variant:?}");
        let args = [&args[..], &["--any"]].concat();
        assert_eq!(folder.pipe(&args, &rays).stdout, any, "{variant:?}");
    }
}

#[test]
fn rays_names_an_instruction_set_that_the_machine_lacks() {
    let folder = Folder::with_level();
    let lacking = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
    let args = ["rays", "level.hbvh", "--input", "-", "--output", "-", "--isa"];
    let lacks = folder.usage(&[&args[..], &[lacking]].concat());
    let has = hitscan::InstructionSet::available()[0];
    contains(&lacks, &[&format!("this CPU or this build lacks `{lacking}`; it has auto, {has}")]);
    contains(&folder.usage(&[&args[..], &["mmx"]].concat()), &["mmx", "scalar", "avx512"]);
    folder.usage(&["rays", "level.hbvh", "--input", "-", "--output", "-", "--threads", "0"]);
    folder.usage(&["rays", "level.hbvh", "--input", "-"]);
}

#[test]
fn rays_refuses_half_a_record_and_leaves_the_output_unchanged() {
    let folder = Folder::with_level();
    let (rays, _, _) = rays_and_hits(&folder);
    folder.write("rays.bin", &rays[..3 * 32 + 5]);
    folder.write("hits.bin", "as it was");
    let before = folder.files();
    let args = ["rays", "level.hbvh", "--input", "rays.bin", "--output", "hits.bin"];
    contains(&folder.bad_input(&args), &["hitscan: rays.bin: byte 96: "]);
    assert_eq!(folder.read("hits.bin"), b"as it was");
    assert_eq!(folder.files(), before);

    let args = ["rays", "level.hbvh", "--input", "-", "--output", "-"];
    contains(&one_line(&folder.pipe(&args, &rays[..31])), &["standard input: byte 0: "]);
    let args = ["rays", "level.hbvh", "--input", "not-there", "--output", "hits.bin"];
    contains(&folder.bad_input(&args), &["hitscan: not-there: "]);
    let args = ["rays", "level.hbvh", "--input", "rays.bin", "--output", "level.hbvh"];
    folder.usage(&args);
}

#[test]
fn rays_writes_an_empty_file_for_an_empty_file() {
    let folder = Folder::with_level();
    folder.write("rays.bin", "");
    let args = ["rays", "level.hbvh", "--input", "rays.bin", "--output", "hits.bin"];
    folder.ok(&args);
    assert!(folder.read("hits.bin").is_empty());
}

#[test]
fn rays_keeps_order_and_offsets_over_more_than_one_chunk() {
    let folder = Folder::with_level();
    let (some, hits, _) = rays_and_hits(&folder);
    // More than the 2^18 rays that are in memory at a time, and not a multiple of them.
    let times = (1 << 18) / (some.len() / 32) + 1;
    let mut rays = some.repeat(times);
    let args = ["rays", "level.hbvh", "--input", "-", "--output", "-"];
    assert!(folder.pipe(&args, &rays).stdout == hits.repeat(times));
    let place = format!("standard input: byte {}: ", rays.len());
    rays.push(0);
    contains(&one_line(&folder.pipe(&args, &rays)), &[&place]);
}

// export

#[test]
fn export_writes_a_model_that_bakes_to_the_same_triangles() {
    use hitscan::Bvh;

    let folder = Folder::new();
    // A mesh of two materials, one without, and one without a name; a triangle without area.
    let corners = "v 0 0 0\nv 0.1 0 -4\nv 1e-7 3.3333333 0\nv 5 6 7\n";
    let faces = "usemtl stone\nf 1 2 3\nf 1 1 2\nusemtl glass\nf 2 3 4\n";
    let model = format!("{corners}f 4 2 1\no wall \\here\n{faces}o plain\nf 1 3 4\nf 4 3 2\n");
    folder.write("model.obj", model);
    folder.ok(&["bake", "model.obj", "-o", "level.hbvh"]);
    let level = Bvh::open(folder.path("level.hbvh")).unwrap();
    for out in ["out.obj", "out.glb", "OUT.GLB"] {
        assert_eq!(folder.ok(&["export", "level.hbvh", "-o", out]), "");
        folder.ok(&["bake", out, "-o", "again.hbvh"]);
        let again = Bvh::open(folder.path("again.hbvh")).unwrap();
        let name = |bvh: &Bvh, mesh: u32, number: u32| {
            let material = bvh.triangle_material(mesh, number);
            material.and_then(|m| bvh.material_name(m)).map(str::to_owned)
        };
        let content = |bvh: &Bvh| -> Vec<_> {
            let all = bvh.triangles();
            all.map(|t| (t.mesh, t.vertices, name(bvh, t.mesh, t.triangle))).collect()
        };
        assert_eq!(content(&again), content(&level), "{out}");
        for mesh in 0..level.mesh_count() {
            let (before, after) = (level.mesh_name(mesh).unwrap(), again.mesh_name(mesh).unwrap());
            assert!(after.contains(before), "{out}: {before} became {after}");
        }
    }
    assert!(!folder.files().iter().any(|name| name.contains("tmp")), "{:?}", folder.files());
    contains(&folder.usage(&["export", "level.hbvh", "-o", "out.stl"]), &[".obj", ".glb"]);
    contains(&folder.bad_input(&["export", "level.hbvh", "-o", "no/out.obj"]), &["no"]);
    contains(&folder.bad_input(&["export", "model.obj", "-o", "out.obj"]), &["model.obj"]);
}

/// The help says so: a bake of a model gives the same hits, but mirrored triangles have their
/// weights the other way round, which `diff` tells of.
#[test]
fn export_keeps_fronts_of_what_is_mirrored() {
    let folder = crate::command_line::Folder::with_scene();
    let hit = |file: &str, from: &str| {
        let args = ["ray", file, "--from", from, "--dir", "0.1,-1,0.05"];
        folder.json(&args)["hits"][0].clone()
    };
    let number = |value: &Value| value.as_f64().unwrap();
    for model in ["out.obj", "out.glb"] {
        folder.ok(&["export", "level.hscn", "-o", model]);
        folder.ok(&["bake", model, "-o", "out.hbvh"]);
        for (from, is_mirrored) in [("1.25,5,1.25", false), ("8.25,5,1.25", true)] {
            let (scene, tree) = (hit("level.hscn", from), hit("out.hbvh", from));
            for key in ["triangle", "normal", "facing"] {
                assert_eq!(scene[key], tree[key], "{model} {from} {key}: {scene} {tree}");
            }
            let near = |one: f64, other: f64| (one - other).abs() < 1e-5;
            assert!(near(number(&scene["t"]), number(&tree["t"])), "{scene} {tree}");
            let weights = |hit: &Value| [number(&hit["u"]), number(&hit["v"])];
            let ([u, v], mut other) = (weights(&scene), weights(&tree));
            assert!(!near(u, v), "they tell the order");
            if is_mirrored {
                other.reverse();
            }
            assert!(near(u, other[0]) && near(v, other[1]), "{scene} {tree}");
        }
    }
    let help = folder.ok(&["export", "--help"]);
    assert!(help.contains("change places") && help.contains("diff"), "{help}");
}

// all commands

#[test]
fn a_closed_standard_output_is_no_error() {
    let folder = Folder::with_level();
    folder.write("rays.bin", ray([1.0, 2.0, 5.0, 0.0, 0.0, 0.0, -1.0, 9.0]).repeat(100_000));
    for args in [
        &["rays", "level.hbvh", "--input", "rays.bin", "--output", "-"][..],
        &["info", "level.hbvh"],
        &["ray", "level.hbvh", "--from", "1,2,5", "--dir", "0,0,-1"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = folder.command(args);
        let child = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
        assert!(output.stderr.is_empty(), "{args:?}: {output:?}");
    }
}

#[test]
fn help_shows_examples() {
    let folder = Folder::new();
    contains(&folder.ok(&["--help"]), &["Example:", "Exit codes:", "bake", "info", "ray", "rays"]);
    let commands = ["bake", "check", "export", "info", "inside", "near", "overlap", "ray", "rays"];
    let more = ["render", "replay", "report", "sweep", "verify", "why", "why-not"];
    for command in commands.into_iter().chain(more) {
        let help = folder.ok(&[command, "--help"]);
        contains(&help, &["Example", &format!("hitscan {command} ")]);
        // As the help of the program says.
        assert_eq!(
            help.lines().any(|line| line.trim_start().starts_with("--json")),
            !["rays", "export", "render", "report"].contains(&command),
            "{help}"
        );
    }
    let version = concat!("hitscan ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(folder.ok(&["--version"]), version);
}

#[test]
fn a_wrong_command_line_exits_2() {
    let folder = Folder::new();
    folder.usage(&[]);
    folder.usage(&["fly"]);
    folder.usage(&["bake"]);
    folder.usage(&["bake", "a.obj"]);
    folder.usage(&["bake", "-o", "a.hbvh"]);
    folder.usage(&["bake", "a.obj", "-o", "a.hbvh", "--threads", "0"]);
    folder.usage(&["bake", "a.obj", "-o", "a.hbvh", "--threads", "many"]);
    folder.usage(&["info"]);
    folder.usage(&["info", "a.hbvh", "--colour"]);
}
