//! The rooms of `src`: which may import which, and how.
//!
//! - A room imports only from the rooms below it that [`ROOMS`] lists.
//! - It takes a name from the room that owns it, as `crate::room::Name`: not from a file within
//!   that room, not from another room that shows the name too, not from `lib.rs`.
//! - Clocks, threads, processes and files are not there on every machine: only the files that
//!   [`MACHINE`] lists ask for them.
//! - Files make no circle. An import counts for the file that defines the name, wherever it was
//!   taken from. A module file that only shows its children's names does not depend on them.
//!
//! Test code is exempt.

mod budget;
mod scan;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use scan::{Module, Modules, Path};

/// Every room with the rooms that it may import from, from bottom to top.
const ROOMS: &[(&str, &[&str])] = &[
    ("array", &[]),
    ("error", &[]),
    ("platform", &["error"]),
    ("geometry", &["array", "error", "platform"]),
    ("mesh", &["error", "platform", "geometry"]),
    ("simd", &["array", "error", "platform"]),
    ("bvh", &["error", "platform", "geometry", "mesh", "simd"]),
    ("import", &["error", "platform", "geometry", "mesh", "bvh"]),
    // The same bytes on every machine: a bake knows no instruction set.
    ("bake", &["error", "platform", "geometry", "mesh", "bvh", "import"]),
    ("traverse", &["array", "error", "platform", "geometry", "simd", "bvh"]),
    ("query", &["error", "platform", "geometry", "mesh", "simd", "bvh", "traverse"]),
    ("file", &["error", "platform", "geometry", "bvh"]),
    (
        "scene",
        &[
            "error", "platform", "geometry", "mesh", "simd", "bvh", "import", "bake", "traverse",
            "query", "file",
        ],
    ),
    ("world", &["bvh", "scene"]),
    ("character", &["geometry", "bvh", "traverse", "query", "scene", "world"]),
    ("explain", &["error", "geometry", "simd", "bvh", "traverse", "query", "scene", "world"]),
    (
        "record",
        &[
            "error", "platform", "geometry", "simd", "bvh", "traverse", "query", "file", "scene",
            "world",
        ],
    ),
    (
        "visibility",
        &["error", "platform", "geometry", "bvh", "traverse", "query", "scene", "world"],
    ),
    // Pages only.
    ("what_to_expect", &[]),
    ("with_bevy", &[]),
    ("in_a_browser", &[]),
];

/// Parts of the standard library that end the program, or fail, where the machine lacks them (on
/// `wasm32-unknown-unknown` all of them), and the files that may use each.
const MACHINE: &[(&str, &[&str])] = &[
    ("std::time::Instant", &["platform/clock.rs"]),
    ("std::time::SystemTime", &[]),
    // Where there are none, a thread cannot be started, which is an error.
    ("std::thread", &["record/writing.rs"]),
    ("std::process", &["platform/process.rs"]),
    ("std::env", &[]),
    ("std::net", &[]),
    // Where there are no files, these return errors.
    (
        "std::fs",
        &[
            "bvh/metadata.rs",
            "file/mapped.rs",
            "file/open.rs",
            "file/read.rs",
            "file/write.rs",
            "import/gltf/buffers.rs",
            "import/open.rs",
            "record/reading.rs",
            "scene/file/read.rs",
        ],
    ),
];

type Table<'a> = &'a [(&'a str, &'a [&'a str])];

/// What is wrong, a line for each fault.
type Faults = Vec<String>;

struct Rules<'a> {
    modules: &'a Modules,
    root: &'a Module,
    /// The table of a library. A binary is one room.
    rooms: Option<Table<'a>>,
    faults: Faults,
    /// For each file the files that it needs.
    needs: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

fn faults_in<'a>(modules: &'a Modules, rooms: Option<Table<'a>>) -> Faults {
    let root = &modules.by_path[&Vec::new()];
    let mut rules = Rules { modules, root, rooms, faults: Vec::new(), needs: BTreeMap::new() };
    for module in modules.by_path.values() {
        for import in &module.imports {
            let is_shown_only = import.is_reexport && !module.words.contains(&import.name);
            rules.import(module, &import.path, is_shown_only);
        }
        for path in &module.paths {
            rules.import(module, path, false);
        }
    }
    for room in &root.children {
        if rooms.is_some_and(|rooms| rooms.iter().all(|(name, _)| name != room)) {
            rules.faults.push(format!("{room} is not in the table of rooms"));
        }
    }
    rules.faults.extend(circles(&rules.needs));
    rules.faults
}

impl<'a> Rules<'a> {
    fn import(&mut self, from: &'a Module, path: &Path, is_shown_only: bool) {
        let Some(whole) = self.absolute(from, &path.segments) else { return };
        let place = format!("{}:{}: `{}`", from.file, path.line, path.segments.join("::"));
        if whole.is_empty() || whole.last().is_some_and(|last| last == "*") {
            self.faults.push(format!("{place} hides what it imports"));
            return;
        }
        let Some((owner, is_item)) = self.owner(&whole, 0) else { return };
        if self.rooms.is_some() {
            let faults = self.faults_of(from, path, &whole, owner);
            self.faults.extend(faults.into_iter().map(|fault| format!("{place} {fault}")));
        }
        if is_item && !is_shown_only && owner.file != from.file {
            self.needs.entry(&from.file).or_default().insert(&owner.file);
        }
    }

    /// The path from the crate's root, if it names something of this crate.
    fn absolute(&self, from: &Module, segments: &[String]) -> Option<Vec<String>> {
        let first = segments[0].as_str();
        let (base, rest) = match first {
            "crate" => (Vec::new(), &segments[1..]),
            "self" => (from.path.clone(), &segments[1..]),
            "super" => {
                let ups = segments.iter().take_while(|segment| *segment == "super").count();
                let depth = from.path.len().saturating_sub(ups);
                (from.path[..depth].to_vec(), &segments[ups..])
            }
            _ if from.children.contains(first) => (from.path.clone(), segments),
            _ => {
                let import = from.imports.iter().find(|import| import.name == first)?;
                // Another crate's name, as in `use glam;`, leads to itself.
                (import.path.segments[0] != first).then_some(())?;
                (self.absolute(from, &import.path.segments)?, &segments[1..])
            }
        };
        Some([&base, rest].concat())
    }

    /// The module that defines what the path names, and whether that is an item of it, not the
    /// module itself. `None` for what belongs to another crate or to tests.
    fn owner(&self, whole: &[String], hops: usize) -> Option<(&'a Module, bool)> {
        assert!(hops < 20, "{whole:?} leads round and round");
        let mut module = self.root;
        for (i, name) in whole.iter().enumerate() {
            if module.children.contains(name) {
                module = self.modules.by_path.get(&whole[..=i])?;
            } else if let Some(import) = module.imports.iter().find(|found| found.name == *name) {
                let path = self.absolute(module, &import.path.segments)?;
                return self.owner(&[&path, &whole[i + 1..]].concat(), hops + 1);
            } else {
                return Some((module, true));
            }
        }
        Some((module, false))
    }

    /// What is wrong with a path into another room.
    fn faults_of(&self, from: &Module, path: &Path, whole: &[String], owner: &Module) -> Faults {
        let mut faults = Vec::new();
        let Some(room) = from.path.first() else { return faults };
        let other = &whole[0];
        if room == other {
            return faults;
        }
        if !self.root.children.contains(other) {
            return vec!["goes through lib.rs".into()];
        }
        let below = self.rooms.unwrap_or_default().iter().find(|(name, _)| name == room);
        if !below.is_some_and(|(_, below)| below.contains(&other.as_str())) {
            faults.push(format!("is an import from {other}, which {room} must not know"));
        }
        if path.segments[0] == "super" {
            faults.push(format!("leaves {room} by `super`"));
        }
        // A room may show a module. Its items are then named through that module.
        if path.segments[0] == "crate"
            && whole.len() > 2
            && self.modules.by_path.contains_key(&whole[..2])
        {
            faults.push(format!("goes past what {other} shows"));
        }
        if owner.path.first().is_some_and(|owner| owner != other) {
            faults.push(format!("belongs to {}", owner.path[0]));
        }
        faults
    }
}

/// What asks for a part of the machine that it must not take for granted.
fn faults_of_machine(modules: &Modules) -> Faults {
    let mut faults = Faults::new();
    for module in modules.by_path.values() {
        let imports = module.imports.iter().map(|import| &import.path);
        for path in imports.chain(&module.paths) {
            let whole = path.segments.join("::");
            let is_within = |inner: &str, outer: &str| {
                let rest = inner.strip_prefix(outer);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
            };
            // `use std::time` would hide which part of it is used.
            let is_fault = MACHINE.iter().any(|(part, files)| {
                let is_named = is_within(&whole, part) || whole != "std" && is_within(part, &whole);
                is_named && !files.contains(&module.file.as_str())
            });
            if is_fault {
                faults.push(format!("{}:{}: `{whole}`", module.file, path.line));
            }
        }
    }
    faults
}

/// The shortest circle through each file that lies on one, each circle once.
fn circles(needs: &BTreeMap<&str, BTreeSet<&str>>) -> Faults {
    let mut told = BTreeSet::new();
    let mut faults = Vec::new();
    for &start in needs.keys() {
        let Some(circle) = shortest_circle(needs, start) else { continue };
        if told.insert(circle.iter().copied().collect::<BTreeSet<_>>()) {
            faults.push(format!("a circle: {} -> {start}", circle.join(" -> ")));
        }
    }
    faults
}

fn shortest_circle<'a>(
    needs: &BTreeMap<&'a str, BTreeSet<&'a str>>,
    start: &'a str,
) -> Option<Vec<&'a str>> {
    let mut ways = vec![vec![start]];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            for &next in needs.get(way[way.len() - 1]).into_iter().flatten() {
                if next == start {
                    return Some(way);
                }
                if seen.insert(next) {
                    longer.push([&way[..], &[next]].concat());
                }
            }
        }
        ways = longer;
    }
    None
}

fn src() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn read_src(file: &str) -> Option<String> {
    fs::read_to_string(src().join(file)).ok()
}

#[test]
fn src_keeps_to_its_rooms() {
    let library = Modules::read("lib.rs", &read_src);
    let binary = Modules::read("bin/hitscan/main.rs", &read_src);
    let mut faults = faults_in(&library, Some(ROOMS));
    faults.extend(faults_in(&binary, None));
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn no_clock_thread_or_file_is_taken_for_granted() {
    let faults = faults_of_machine(&Modules::read("lib.rs", &read_src));
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    let faults_in = |file: &'static str, source: &'static str| {
        let files = [("lib.rs", "mod platform; mod bake;"), ("platform/mod.rs", "mod clock;")];
        let read = |name: &str| match name == file {
            true => Some(source.to_owned()),
            false => {
                let known = files.iter().find(|(known, _)| *known == name);
                let empty = ["bake.rs", "platform/clock.rs"].contains(&name);
                known.map(|(_, source)| *source).or(empty.then_some("")).map(str::to_owned)
            }
        };
        faults_of_machine(&Modules::read("lib.rs", &read))
    };
    for source in [
        "use std::time::Instant;",
        "use std::time::{Duration, Instant as Now};",
        "fn f() { let start = std::time::Instant::now(); }",
        "use std::time; fn f() { time::Instant::now(); }",
        "fn f() { std::thread::available_parallelism(); }",
        "use std::{fs, io};",
        "fn f() { std::env::temp_dir(); }",
        "use std::process;",
    ] {
        assert_eq!(faults_in("bake.rs", source).len(), 1, "{source}");
    }
    assert_eq!(faults_in("bake.rs", "use std::time::Duration; use std::io;"), Faults::new());
    assert_eq!(faults_in("platform/clock.rs", "use std::time::Instant;"), Faults::new());
}

#[test]
fn every_room_lies_above_those_that_it_imports_from() {
    for (i, (room, below)) in ROOMS.iter().enumerate() {
        for other in *below {
            assert!(ROOMS[..i].iter().any(|(name, _)| name == other), "{room} imports {other}");
        }
    }
}

#[test]
fn every_file_of_src_is_read() {
    let library = Modules::read("lib.rs", &read_src);
    let binary = Modules::read("bin/hitscan/main.rs", &read_src);
    let modules = || library.by_path.values().chain(binary.by_path.values());
    let seen: BTreeSet<&str> = modules().map(|module| module.file.as_str()).collect();
    let is_test = |file: &str| {
        let mut tests = library.test_only.iter().chain(&binary.test_only);
        tests.any(|test| file.strip_prefix(test).is_some_and(|rest| rest.starts_with(['.', '/'])))
    };
    let mut folders = vec![src()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("src can be read") {
            let path = entry.expect("src can be read").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let file = path.strip_prefix(src()).expect("it lies in src").to_string_lossy();
            let file = file.replace('\\', "/");
            assert!(seen.contains(file.as_str()) || is_test(&file), "{file} is in no module");
        }
    }
    let imports: usize = modules().map(|module| module.imports.len()).sum();
    assert!(imports > 300, "only {imports} imports were found");
}

/// The faults of a small crate with the rooms `low`, `middle` and `high`.
fn faults(files: &[(&str, &str)]) -> Faults {
    let rooms: Table = &[("low", &[]), ("middle", &["low"]), ("high", &["low", "middle"])];
    let sound = [
        ("lib.rs", "pub mod high; mod low; mod middle; pub use low::Low; pub struct Root;"),
        ("low.rs", "pub struct Low;"),
        ("middle/mod.rs", "mod file; pub mod shown; pub use file::Middle;"),
        ("middle/file.rs", "pub struct Middle;"),
        ("middle/shown.rs", "pub fn function() {}"),
        ("high.rs", "use crate::low::Low; use crate::middle::{self, Middle};"),
    ];
    let read = |file: &str| {
        let found = files.iter().chain(&sound).find(|(name, _)| *name == file);
        found.map(|(_, source)| (*source).to_owned())
    };
    faults_in(&Modules::read("lib.rs", &read), Some(rooms))
}

#[track_caller]
fn assert_fault(files: &[(&str, &str)], expected: &str) {
    let faults = faults(files);
    assert!(faults.len() == 1 && faults[0].contains(expected), "{faults:?}");
}

#[test]
fn a_crate_that_keeps_the_rules_has_no_fault() {
    assert_eq!(faults(&[]), Faults::new());
    let shown = "use crate::middle::shown; fn f() { shown::function() }";
    assert_eq!(faults(&[("high.rs", shown)]), Faults::new());
}

#[test]
fn an_import_from_a_room_above_is_reported() {
    let fault = "is an import from middle, which low must not know";
    let low = |text| [("low.rs", text)];
    assert_fault(&low("pub struct Low; use crate::middle::Middle as _;"), fault);
    assert_fault(&low("pub struct Low; use crate::{middle::{Middle}};"), fault);
    assert_fault(&low("pub struct Low; fn f(m: &crate::middle::Middle) {}"), fault);
    assert_fault(&low("pub struct Low; fn f() { use crate::middle::Middle; }"), fault);
    assert_fault(&low("pub struct Low; mod m { use crate::middle::Middle; }"), fault);
    assert_fault(
        &low("pub struct Low; macro_rules! m { () => { $crate::middle::Middle } }"),
        fault,
    );
    assert_fault(&low("pub struct Low; #[cfg(any(test, unix))] use crate::middle::Middle;"), fault);
}

#[test]
fn a_room_that_the_table_lacks_is_reported() {
    let lib = "mod high; mod low; mod middle; mod new;";
    assert_fault(&[("lib.rs", lib), ("new.rs", "")], "new is not in the table of rooms");
}

#[test]
fn a_circle_of_files_is_reported() {
    let files = [
        ("middle/mod.rs", "mod a; mod b; mod c; pub use a::Middle;"),
        ("middle/a.rs", "use super::b::B; pub struct Middle(B);"),
        ("middle/b.rs", "use super::c::C; pub struct B(C);"),
        ("middle/c.rs", "pub struct C; fn f() { super::a::f() }"),
    ];
    assert_fault(&files, "a circle: middle/a.rs -> middle/b.rs -> middle/c.rs -> middle/a.rs");
}

#[test]
fn an_import_counts_for_the_file_that_defines_the_name() {
    let circle = "a circle: middle/a.rs -> middle/b.rs -> middle/a.rs";
    let page = "mod a; mod b; pub use a::Middle; pub use b::B;";
    let a = "use super::B; pub struct Middle(B);";
    let files = |b| [("middle/mod.rs", page), ("middle/a.rs", a), ("middle/b.rs", b)];
    assert_eq!(faults(&files("pub struct B;")), Faults::new());
    assert_fault(&files("use super::Middle; pub struct B;"), circle);
    assert_fault(&files("pub struct B; fn f(a: crate::middle::Middle) {}"), circle);
    assert_fault(&files("use super::a; pub struct B; fn f() { a::f() }"), circle);
    assert_eq!(faults(&files("use super::a; pub struct B;")), Faults::new());
}

#[test]
fn a_child_needs_its_parent_only_for_what_the_parent_defines() {
    let child = ("middle/file.rs", "use super::Shared; pub struct Middle(Shared);");
    let page = |text| [("middle/mod.rs", text), child];
    let shown_only = "mod file; mod shown; pub use file::Middle; pub struct Shared;";
    assert_eq!(faults(&page(shown_only)), Faults::new());
    assert_fault(
        &page("mod file; mod shown; pub use file::Middle; pub struct Shared; fn f(m: Middle) {}"),
        "a circle: middle/file.rs -> middle/mod.rs -> middle/file.rs",
    );
}

#[test]
fn a_way_past_the_owner_room_is_reported() {
    let high = |text| [("high.rs", text)];
    let fault = "goes past what middle shows";
    assert_fault(&high("use crate::middle::file::Middle;"), fault);
    assert_fault(&high("use crate::middle::shown::function;"), fault);
    assert_fault(&high("fn f() { crate::middle::shown::function() }"), fault);
    assert_fault(&high("use super::middle::Middle;"), "leaves high by `super`");
}

#[test]
fn a_way_through_lib_rs_is_reported() {
    let high = |text| [("high.rs", text)];
    assert_fault(&high("use crate::Low;"), "`crate::Low` goes through lib.rs");
    assert_fault(&high("use crate::{Root, low::Low};"), "`crate::Root` goes through lib.rs");
    assert_fault(&high("use super::Low;"), "`super::Low` goes through lib.rs");
    assert_fault(&high("fn f(low: crate::Low) {}"), "`crate::Low` goes through lib.rs");
    assert_fault(&high("use crate as root;"), "`crate` hides what it imports");
}

#[test]
fn a_way_through_a_third_room_is_reported() {
    let page = "mod file; mod shown; pub use file::Middle; pub use crate::low::Low;";
    let files = [("middle/mod.rs", page), ("high.rs", "use crate::middle::Low;")];
    assert_fault(&files, "`crate::middle::Low` belongs to low");
}

#[test]
fn an_import_of_everything_is_reported() {
    assert_fault(&[("high.rs", "use crate::low::*;")], "`crate::low::*` hides what it imports");
    assert_eq!(faults(&[("high.rs", "use std::arch::x86_64::*;")]), Faults::new());
}

#[test]
fn comments_strings_and_tests_import_nothing() {
    let low = r##"
        pub struct Low;
        // use crate::middle::Middle;
        /// use crate::middle::Middle;
        /* use crate::middle::Middle; /* */ use crate::middle::Middle; */
        const A: &str = "\"; use crate::middle::Middle;";
        const B: &str = r#""; use crate::middle::Middle;"#;
        const C: &[u8] = b"; use crate::middle::Middle;";
        const D: [char; 3] = ['"', '\'', 'x'];
        fn f<'a>(a: &'a str, b: impl Fn() -> &'a str + use<'a>) {}
        #[cfg(test)]
        use crate::middle::{Middle, shown};
        #[cfg(test)]
        mod elsewhere;
        #[cfg(all(test, unix))]
        #[allow(dead_code)]
        mod tests { use crate::middle::Middle; fn f() { crate::middle::f() } }
        const E: char = '"'; const F: char = '"';
        pub(in crate::low) struct G;
    "##;
    assert_eq!(faults(&[("low.rs", low)]), Faults::new());
    // What stands behind them is read.
    let behind = format!("{low} use crate::middle::Middle;");
    assert_fault(&[("low.rs", &behind)], "low.rs:20: `crate::middle::Middle`");
}
