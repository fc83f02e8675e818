//! The command line: rays and hits as CSV and JSON lines.

use crate::command_line::Folder;

const CSV: &str = "-4,5,-4,0,-1,0\n1.25,5,1.25,0,-1,0,0,2\n-4,5,-4,0,-1,0,0,4\n";
const JSON: &str = "{\"origin\":[-4,5,-4],\"dir\":[0,-1,0]}\n\
    {\"dir\":[0,-1,0],\"origin\":[1.25,5,1.25],\"t_max\":2}\n\
    {\"origin\":[-4,5,-4],\"dir\":[0,-1,0],\"t_min\":0,\"t_max\":4}\n";

fn csv() -> String {
    CSV.replacen("-1,0\n", "-1,0,,\n", 1)
}

fn records() -> Vec<u8> {
    let numbers = [
        [-4.0, 5.0, -4.0, 0.0, -1.0, 0.0, 0.0, f32::INFINITY],
        [1.25, 5.0, 1.25, 0.0, -1.0, 0.0, 0.0, 2.0],
        [-4.0, 5.0, -4.0, 0.0, -1.0, 0.0, 0.0, 4.0],
    ];
    numbers.as_flattened().iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The same answers from every format of rays, in every format of hits.
#[test]
fn formats_give_the_same_hits() {
    let folder = Folder::with_scene();
    folder.write("rays.csv", csv());
    folder.write("rays.jsonl", JSON);
    folder.write("rays.bin", records());
    for level in ["level.hbvh", "level.hscn"] {
        for to in ["hits.csv", "hits.jsonl", "hits.bin"] {
            let mut first = None;
            for from in ["rays.csv", "rays.jsonl", "rays.bin"] {
                folder.ok(&["rays", level, "-i", from, "-o", to]);
                let hits = std::fs::read(folder.path(to)).unwrap();
                assert_eq!(*first.get_or_insert_with(|| hits.clone()), hits, "{from}");
            }
        }
    }
    let tree = ["rays", "level.hbvh", "-i", "rays.csv", "-o"];
    folder.ok(&[&tree[..], &["hits.csv"]].concat());
    assert_eq!(
        folder.read("hits.csv"),
        "hit,t,u,v,facing,mesh,triangle,user_id\n\
         true,5,0.2777778,0.13888889,front,0,0,0\nfalse,,,,,,,\nfalse,,,,,,,\n"
            .replace("0.2777778,0.13888889", &weights(&folder))
    );
    folder.ok(&[&tree[..], &["hits.jsonl", "--any"]].concat());
    assert_eq!(folder.read("hits.jsonl"), "{\"hit\":true}\n{\"hit\":false}\n{\"hit\":false}\n");
    assert_eq!(
        folder.ok(&[&tree[..], &["-", "--to", "csv", "--any"]].concat()),
        "hit\ntrue\nfalse\nfalse\n"
    );
    let scene = ["rays", "level.hscn", "-i", "rays.jsonl", "--from", "jsonl", "-o", "-"];
    let hits = folder.ok(&[&scene[..], &["--to", "jsonl"]].concat());
    let hits: Vec<serde_json::Value> =
        hits.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&hits[0]["t"], &hits[0]["instance"]), (&5.into(), &0.into()));
    assert_eq!(
        (&hits[0]["facing"], &hits[1]),
        (&"front".into(), &serde_json::json!({"hit": false}))
    );
}

/// The weights that the library reports.
fn weights(folder: &Folder) -> String {
    use hitscan::{Bvh, Query, Ray};
    let bvh = Bvh::open(folder.path("level.hbvh")).unwrap();
    let ray = Ray::new([-4.0, 5.0, -4.0], [0.0, -1.0, 0.0]);
    let hit = bvh.closest_hit(&ray, &Query::new()).unwrap();
    format!("{},{}", hit.u, hit.v)
}

#[test]
fn a_header_names_the_columns() {
    let folder = Folder::with_level();
    folder
        .write("rays.csv", "dir_x,dir_y,dir_z,origin_x,origin_y,origin_z,t_max\n0,-1,0,-4,5,-4,\n");
    folder.ok(&["rays", "level.hbvh", "-i", "rays.csv", "-o", "hits.csv", "--any"]);
    assert_eq!(folder.read("hits.csv"), "hit\ntrue\n");
    folder.write("rays.csv", "");
    folder.ok(&["rays", "level.hbvh", "-i", "rays.csv", "-o", "hits.csv", "--any"]);
    assert_eq!(folder.read("hits.csv"), "hit\n");
    // A bake is tuned by the same files.
    folder.write("rays.csv", CSV.lines().next().unwrap());
    let bake = ["bake", "level.obj", "-o", "tuned.hbvh", "--rays", "rays.csv"];
    assert_eq!(folder.json(&bake)["rays"], 1);
}

/// More rays than are in memory at a time.
#[test]
fn long_texts_stream() {
    let folder = Folder::with_level();
    let count = (1 << 18) + 5;
    folder.write("rays.csv", "-4,5,-4,0,-1,0\n".repeat(count));
    folder.ok(&["rays", "level.hbvh", "-i", "rays.csv", "-o", "hits.csv", "--any"]);
    assert_eq!(folder.read("hits.csv").lines().count(), count + 1);
}

#[test]
fn errors_name_the_file_and_the_line() {
    let folder = Folder::with_level();
    let cases = [
        ("a.csv", "1,2,3\n", "line 1: 3 values where 6 are expected"),
        ("a.csv", "1,2,3,4,5,6\n1,2,3,4,5\n", "line 2: 5 values where 6 are expected"),
        ("a.csv", "1,2,3,4,5,6,7\n1,2,3,4,5,6\n", "line 2: 6 values where 7 are expected"),
        ("a.csv", "1,2,3,4,5,x\n", "line 1: dir_z: `x` is not a number"),
        ("a.csv", "x,y\n1,2\n", "line 1: there is no column `x`"),
        ("a.csv", "origin_x,origin_x\n", "line 1: the column origin_x is there twice"),
        ("a.csv", "1,2,3,4,5,6,7,8,9\n", "line 1: 9 values where 8 are expected"),
        ("a.jsonl", "{\n", "line 1, column 1: EOF while parsing an object"),
        ("a.jsonl", "\n5\n", "line 2, column 1: invalid type: integer `5`, expected an object"),
        ("a.jsonl", "{\"origin\":[1,2,3]}\n", "line 1, column 18: missing field `dir`"),
        ("a.jsonl", "{\"dir\":[1,2,true]}\n", "line 1, column 17: expected a number"),
        ("a.ndjson", "{\"direction\":[1,2,3]}\n", "line 1, column 12: unknown field `direction`"),
    ];
    for (name, text, reason) in cases {
        folder.write(name, text);
        let said = folder.fails(1, &["rays", "level.hbvh", "-i", name, "-o", "hits.bin"]);
        assert!(said.starts_with(&format!("hitscan: {name}: {reason}")), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(!folder.path("hits.bin").exists());
    }
    folder.write("a.csv", b"1,2,3,4,5,\xff\n");
    let said = folder.fails(1, &["rays", "level.hbvh", "-i", "a.csv", "-o", "hits.bin"]);
    assert_eq!(said, "hitscan: a.csv: line 1: it is not UTF-8 text\n");
    folder.fails(2, &["rays", "level.hbvh", "-i", "a.csv", "-o", "hits.bin", "--from", "xml"]);
}
