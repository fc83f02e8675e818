//! The command line: `check` and `verify`.

use hitscan::InstructionSet;
use serde_json::{Value, json};

use crate::command_line::Folder;

#[test]
fn check_passes_at_the_value_and_fails_below_it() {
    let folder = Folder::with_scene();
    let generous = ["--max-cost", "1e9", "--max-bytes-per-triangle", "1e9", "--max-depth", "9"];
    let edges = ["--max-open-edges", "9", "--max-gaps", "9"];
    for level in ["level.hbvh", "level.hscn"] {
        let check = [&["check", level], &generous[..], &edges].concat();
        let report = folder.json(&check);
        assert_eq!(report["passed"], true);
        let gates = report["gates"].as_array().unwrap();
        assert_eq!(gates.len(), 5);
        // Three open edges of the floor; the rock has none.
        assert_eq!((&gates[3]["gate"], &gates[3]["value"]), (&"open edges".into(), &3.0.into()));
        assert_eq!(gates[0].get("tree").is_some(), level == "level.hscn");
        let cost = gates[0]["value"].as_f64().unwrap();
        assert!(cost > 1.0 && cost < 20.0, "{cost}");
        assert_eq!(folder.json(&check), report, "the same on every run");
        let option = |name: &str| format!("--max-{}", name.replace(' ', "-"));
        for gate in gates {
            let value = gate["value"].as_f64().unwrap();
            let option = option(gate["gate"].as_str().unwrap());
            let at = folder.run(&["check", level, &option, &value.to_string()]);
            assert_eq!(at.status.code(), Some(0), "{at:?}");
            if value == 0.0 {
                continue;
            }
            let below = (value - 1.0).max(0.0).to_string();
            let below = folder.run(&["check", level, &option, &below]);
            assert_eq!(below.status.code(), Some(3), "{below:?}");
            let said = String::from_utf8(below.stderr).unwrap();
            assert!(said.contains("is above the limit") && said.lines().count() == 1, "{said}");
            let text = String::from_utf8(below.stdout).unwrap();
            assert!(text.contains("failed") && text.ends_with("1 of 1 gate failed\n"), "{text}");
        }
    }
    // The report is printed as JSON even if a gate fails.
    let failed = folder.run(&["check", "level.hbvh", "--max-cost", "0", "--json"]);
    assert_eq!(failed.status.code(), Some(3));
    let report: Value = serde_json::from_slice(&failed.stdout).unwrap();
    assert_eq!((&report["passed"], &report["gates"][0]["passed"]), (&false.into(), &false.into()));
}

#[test]
fn verify_finds_no_difference_and_the_same_hash() {
    let folder = Folder::with_scene();
    for level in ["level.hbvh", "level.hscn"] {
        let verify = ["verify", level, "--rays", "2000"];
        let report = folder.json(&verify);
        assert_eq!((&report["difference_count"], &report["differences"]), (&0.into(), &json!([])));
        assert_eq!((&report["rays"], &report["brute_force_rays"]), (&2000.into(), &2000.into()));
        let sets = InstructionSet::available().len();
        assert_eq!(report["instruction_sets"].as_array().unwrap().len(), sets);
        assert!(report["hits"].as_u64().unwrap() > 500, "{report}");
        let text = folder.ok(&verify);
        let hash = report["answers"].as_str().unwrap();
        assert!(hash.len() == 16 && text.ends_with(&format!("\nanswers    {hash}\n")), "{text}");
        let other = folder.json(&["verify", level, "--rays", "2001"]);
        assert_ne!(other["answers"], report["answers"]);
    }
}

/// Answers of all kinds for a level of fixed numbers: the same on every machine.
#[test]
fn the_hash_is_the_same_on_every_machine() {
    let folder = Folder::with_scene();
    let hashes = ["level.hbvh", "level.hscn"]
        .map(|level| folder.json(&["verify", level, "--rays", "1000"])["answers"].clone());
    assert_eq!(hashes, ["48c3ca57b2ce737b", "6cb4bb7d80a06f8d"]);
}

#[test]
fn verify_bakes_the_source_again() {
    let folder = Folder::with_level();
    let verify = ["verify", "level.hbvh", "--rays", "8", "--source", "level.obj"];
    assert_eq!(folder.json(&verify)["source"], "same");
    folder.ok(&["bake", "level.obj", "-o", "best.hbvh", "--quality", "best", "--skip-bad"]);
    let best = ["verify", "best.hbvh", "--rays", "8", "--source", "level.obj"];
    assert!(folder.ok(&best).contains("source     same\n"));
    folder.write("level.obj", crate::command_line::LEVEL.replace("v 3 0 1", "v 4 0 1"));
    let output = folder.run(&verify);
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stderr).unwrap();
    let reason = "1 difference: the bake of the source has another content hash\n";
    assert_eq!(said, format!("hitscan: level.hbvh: {reason}"));
    assert!(String::from_utf8(output.stdout).unwrap().contains("differs    the bake"));
}

#[test]
fn verify_bakes_a_scene_again() {
    let folder = Folder::with_level();
    folder.ok(&["export", "level.hbvh", "-o", "level.glb"]);
    folder.ok(&["bake", "--instanced", "level.glb", "-o", "level.hscn", "--layer", "rock=3"]);
    let verify = ["verify", "level.hscn", "--rays", "8", "--source", "level.glb"];
    assert_eq!(folder.json(&verify)["source"], "same");
    folder.ok(&["bake", "level.obj", "-o", "level.hbvh", "--layer", "rock=3"]);
    let other = folder.run(&["verify", "level.hscn", "--rays", "8", "--source", "level.obj"]);
    assert_eq!(other.status.code(), Some(3));
}

#[test]
fn wrong_gates_exit_2() {
    let folder = Folder::with_level();
    let cases: [&[&str]; 10] = [
        &["check"],
        &["check", "level.hbvh"],
        &["check", "level.hbvh", "--max-cost", "-1"],
        &["check", "level.hbvh", "--max-cost", "nan"],
        &["check", "level.hbvh", "--max-cost", "inf"],
        &["check", "level.hbvh", "--max-depth", "1.5"],
        &["check", "level.hbvh", "--max-open-edges", "-1"],
        &["verify"],
        &["verify", "level.hbvh", "--rays", "0"],
        &["verify", "level.hbvh", "--rays", "99999999999"],
    ];
    for args in cases {
        assert!(folder.fails(2, args).starts_with("error: "), "{args:?}");
    }
    for source in ["none.obj", "level.hbvh", "."] {
        let said = folder.fails(1, &["verify", "level.hbvh", "--source", source]);
        assert!(said.starts_with("hitscan: ") && said.lines().count() == 1, "{said}");
    }
}
