//! The command line: help fits a screen, and its examples work when they are pasted.

use std::path::Path;

use crate::command_line::Folder;

const COMMANDS: [&str; 18] = [
    "bake",
    "check",
    "completions",
    "diff",
    "export",
    "info",
    "inside",
    "man",
    "near",
    "overlap",
    "ray",
    "rays",
    "render",
    "report",
    "sweep",
    "verify",
    "why",
    "why-not",
];

#[test]
fn help_fits_a_screen() {
    let folder = Folder::with_level();
    for command in COMMANDS {
        let help = folder.ok(&[command, "--help"]);
        let most = if command.starts_with("why") { 45 } else { 52 };
        assert!(help.lines().count() <= most, "{command}: {} lines", help.lines().count());
        let wide = help.lines().find(|line| line.chars().count() > 100);
        assert_eq!(wide, None, "{command}");
    }
}

/// The lines after one that begins with "Example".
fn examples(help: &str) -> Vec<&str> {
    let mut lines = help.lines().peekable();
    let mut examples = Vec::new();
    while let Some(line) = lines.next() {
        if line.starts_with("Example") {
            while let Some(example) = lines.next_if(|line| line.starts_with("  ")) {
                examples.push(example.trim());
            }
        }
    }
    examples
}

#[test]
#[cfg(unix)]
fn examples_work_when_pasted() {
    let binary = Path::new(env!("CARGO_BIN_EXE_hitscan")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    for command in COMMANDS.map(Some).into_iter().chain([None]) {
        let folder = Folder::with_level();
        let help = command
            .map_or_else(|| folder.ok(&["--help"]), |command| folder.ok(&[command, "--help"]));
        let examples = examples(&help);
        assert!(!examples.is_empty(), "{command:?}");
        // What the examples speak of.
        folder.write("props.obj", "o prop\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        folder.write("rays.bin", [0; 64]);
        folder.ok(&["export", "level.hbvh", "-o", "level.glb"]);
        folder.ok(&["export", "level.hbvh", "-o", "forest.glb"]);
        let layers = ["--layer", "*=0", "--layer", "rock*=2", "--force"];
        folder.ok(&[&["bake", "level.glb", "-o", "level.hbvh"], &layers[..]].concat());
        for example in examples {
            let mut shell = std::process::Command::new("bash");
            shell.args(["-c", example]).current_dir(folder.path("")).env("PATH", &path);
            let output = shell.output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{example}: {output:?}");
            assert!(
                output.stderr.is_empty()
                    || example.contains(" rays ")
                    || example.contains(" render "),
                "{example}: {output:?}"
            );
        }
    }
}
