//! Budgets: the lines of code of each room, and the comment lines with a pronoun where a noun
//! reads better. A change that needs more raises a number here and says why in its commit.

use std::collections::BTreeMap;
use std::fs;

use super::{Modules, read_src, src};

/// The most lines of code of each room: without comments, blank lines and tests.
const LINES: &[(&str, usize)] = &[
    ("array", 40),
    ("bake", 3100),
    ("bin", 10800),
    ("bvh", 1950),
    ("character", 600),
    ("error", 270),
    ("explain", 1250),
    ("file", 1800),
    ("geometry", 9000),
    ("import", 4350),
    ("lib", 70),
    ("mesh", 1150),
    ("platform", 400),
    ("query", 1100),
    ("record", 2950),
    ("scene", 3450),
    ("simd", 1900),
    ("traverse", 11800),
    ("visibility", 400),
    ("world", 40),
];

/// Phrases in which a comment leaves its noun out, and on how many lines of `src` they may stand.
const PHRASES: [&str; 4] = ["that of", "those of", "as of", "what is"];
const PHRASE_LINES: usize = 60;

/// Lines that are neither blank nor comments, before the tests of the file.
fn lines_of_code(source: &str) -> usize {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or(source);
    let lines = code.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

fn phrases_in(source: &str) -> usize {
    let comments = source.lines().filter_map(|line| Some(line.split_once("//")?.1));
    let has_phrase = |comment: &str| {
        let comment = comment.to_lowercase();
        PHRASES.iter().any(|phrase| {
            comment.match_indices(phrase).any(|(at, _)| {
                let (before, after) = (&comment[..at], &comment[at + phrase.len()..]);
                !before.ends_with(char::is_alphanumeric)
                    && !after.starts_with(char::is_alphanumeric)
            })
        })
    };
    comments.filter(|comment| has_phrase(comment)).count()
}

#[test]
fn every_room_keeps_to_its_lines() {
    let library = Modules::read("lib.rs", &read_src);
    let binary = Modules::read("bin/hitscan/main.rs", &read_src);
    let mut lines = BTreeMap::<&str, usize>::new();
    for module in library.by_path.values().chain(binary.by_path.values()) {
        let room = module.file.split(['/', '.']).next().expect("a name");
        *lines.entry(room).or_default() += lines_of_code(&read_src(&module.file).expect("a file"));
    }
    println!("{lines:?}, {} in all", lines.values().sum::<usize>());
    for (room, lines) in lines {
        let budget = LINES.iter().find(|(name, _)| *name == room).map_or(0, |(_, most)| *most);
        assert!(lines <= budget, "{room} has {lines} lines of code, and a budget of {budget}");
    }
}

#[test]
fn comments_name_what_they_speak_of() {
    let (mut folders, mut count) = (vec![src()], 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("src can be read") {
            let path = entry.expect("src can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                count += phrases_in(&fs::read_to_string(path).expect("a text"));
            }
        }
    }
    assert!(count <= PHRASE_LINES, "{count} lines of comments have one of {PHRASES:?}");
}

#[test]
fn lines_and_phrases_are_counted() {
    let source =
        "//! A page.\n\nfn f() {\n    // As of now.\n    g()\n}\n#[cfg(test)]\nmod tests {\n}";
    assert_eq!((lines_of_code(source), phrases_in(source)), (3, 1));
    assert_eq!(phrases_in("// It has offices.\n/// What isolates.\nlet x = \"that of\";"), 0);
    assert_eq!(phrases_in("a(); // that of b\n/// Those of.\n//! what is"), 3);
}
