//! The command line: questions about points and shapes.

use hitscan::InstructionSet;
use serde_json::{Value, json};

use crate::command_line::Folder;

fn contains(text: &str, rows: &[&str]) {
    for row in rows {
        assert!(text.contains(row), "no {row:?} in {text}");
    }
}

fn names(answer: &Value) -> Vec<&str> {
    let triangles = answer["triangles"].as_array().unwrap();
    triangles.iter().map(|found| found["mesh_name"].as_str().unwrap()).collect()
}

#[test]
fn near_shows_the_closest_point() {
    let folder = Folder::with_scene();
    let near = ["near", "level.hbvh", "--point", "-4,2,-4"];
    let rows = [
        "mesh       0 floor\ntriangle   0\npoint      -4,0,-4\nnormal     0,1,0\n",
        "distance   2\nfeature    face\nfacing     front\nuser id    0\nmaterial   0 soil\n",
    ];
    contains(&folder.ok(&near), &rows);
    let answer = folder.json(&near);
    let found = &answer["triangles"][0];
    assert_eq!((&answer["found"], &found["distance"]), (&true.into(), &2.0.into()));
    assert_eq!((&found["point"], &found["feature"]), (&json!([-4.0, 0.0, -4.0]), &"face".into()));
    assert!(found.get("instance").is_none());
    // An edge of the rock, which lies beyond the floor.
    let corner = folder.json(&["near", "level.hbvh", "--point", "2,-1,-1", "--mask", "4"]);
    assert_eq!(names(&corner), ["rock"]);
    let feature = corner["triangles"][0]["feature"].as_str().unwrap();
    assert!(feature.starts_with("edge "), "{feature}");
    // Nothing is an answer, too.
    let far = [&near[..], &["--within", "1.5"]].concat();
    assert_eq!(folder.ok(&far), "nothing is near\n");
    assert_eq!(folder.json(&far), json!({ "schema": 1, "found": false, "triangles": [] }));
    let any = [&near[..], &["--within", "2", "--any"]].concat();
    assert_eq!(folder.ok(&any), "something is near\n");
    assert_eq!(folder.json(&any), json!({ "schema": 1, "found": true }));
    let back = [&near[..], &["--within", "2", "--any", "--facing", "back"]].concat();
    assert_eq!(folder.ok(&back), "nothing is near\n");
}

#[test]
fn near_lists_what_is_within_a_distance_in_order() {
    let folder = Folder::with_scene();
    let all = ["near", "level.hbvh", "--point", "1,3,1", "--within", "3", "--all"];
    let answer = folder.json(&all);
    // Three sides of the rock meet at its top, a unit away.
    assert_eq!(names(&answer), ["rock", "rock", "rock", "floor", "rock"]);
    let text = folder.ok(&all);
    contains(&text, &["  distance  feature    mesh   triangle  facing  name, material\n"]);
    assert_eq!(text.lines().count(), 6, "{text}");
    contains(&text, &["    3.0000  face "]);
    // In a scene with its instance; the second one is mirrored, 10 units along x.
    let scene = ["near", "level.hscn", "--point", "9,3,1"];
    let found = folder.json(&[&scene[..], &["--mask", "4"]].concat())["triangles"][0].clone();
    assert_eq!((&found["instance"], &found["instance_name"]), (&1.into(), &"away".into()));
    assert_eq!((&found["point"], &found["instance_user_id"]), (&json!([9.0, 2.0, 1.0]), &7.into()));
    contains(&folder.ok(&scene), &["instance   1 away\nits id     7\nmesh       1 rock\n"]);
}

#[test]
fn overlap_tells_what_is_all_inside() {
    let folder = Folder::with_scene();
    let boxed = ["overlap", "level.hbvh", "--box", "4,3,4,0.5,-1,0.5"];
    let answer = folder.json(&boxed);
    assert_eq!(names(&answer), ["floor", "rock", "rock", "rock", "rock"]);
    let triangles = answer["triangles"].as_array().unwrap();
    let how: Vec<_> = triangles.iter().map(|found| &found["containment"]).collect();
    assert_eq!(how, ["touching", "inside", "inside", "inside", "inside"]);
    contains(&folder.ok(&boxed), &["   how       mesh", "  inside        1          3  "]);
    for (shape, touches) in [
        (["--sphere", "-4,1,-4,1"], true),
        (["--sphere", "-4,1,-4,0.999"], false),
        (["--capsule", "-4,1,-4,-4,3,-4,1"], true),
        (["--capsule", "-4,1,-4,-4,3,-4,0.999"], false),
        (["--hull", "-4,0,-4;-3,1,-4;-4,1,-3;-4,2,-4"], true),
        (["--hull", "-4,0.001,-4;-3,1,-4;-4,1,-3;-4,2,-4"], false),
        (["--box", "-4,0.5,-4,-3,1,-3"], false),
    ] {
        for isa in InstructionSet::available() {
            let any = ["overlap", "level.hbvh", "--any", "--isa", isa.name()];
            let said = folder.ok(&[&any[..], &shape[..]].concat());
            let expected = if touches { "something touches it\n" } else { "nothing touches it\n" };
            assert_eq!(said, expected, "{shape:?}");
        }
    }
    let text = folder.ok(&["overlap", "level.hscn", "--sphere", "8,1,1,1", "--mask", "4"]);
    contains(&text, &["   how      instance   mesh", "away, rock, stone\n"]);
}

#[test]
fn sweep_shows_what_stops_a_shape_and_the_way_out() {
    let folder = Folder::with_scene();
    let fall = ["sweep", "level.hbvh", "--sphere", "-4,3,-4,1", "--by", "0,-4,0"];
    let rows = [
        "mesh       0 floor\ntriangle   0\npoint      -4,0,-4\nnormal     0,1,0\n",
        "distance   2 (t 0.5)\ndepth      0\nfeature    face\n",
    ];
    contains(&folder.ok(&fall), &rows);
    let answer = folder.json(&fall);
    assert_eq!((&answer["triangles"][0]["t"], answer.get("way_out")), (&0.5.into(), None));
    let free = ["sweep", "level.hbvh", "--sphere", "-4,3,-4,1", "--by", "0,1,0"];
    assert_eq!(folder.ok(&free), "the way is free\n");
    assert_eq!(folder.json(&free)["found"], false);
    // Through the rock into the floor.
    let through =
        ["sweep", "level.hbvh", "--sphere", "1.25,5,1.25,0.125", "--by", "0,-9,0", "--all"];
    let answer = folder.json(&through);
    // The underside of the rock lies on the floor.
    assert_eq!(names(&answer), ["rock", "floor", "rock"]);
    let times: Vec<f64> =
        answer["triangles"].as_array().unwrap().iter().map(|f| f["t"].as_f64().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");

    let stuck = ["sweep", "level.hbvh", "--sphere", "-4,0.75,-4,1", "--by", "0,0,0"];
    let text = folder.ok(&stuck);
    contains(&text, &["mesh       0 floor\n", "depth      0.25\n", "way out    0,0.25,0\n"]);
    assert_eq!(folder.json(&stuck)["way_out"], json!([0.0, 0.25, 0.0]));
    let all = folder.json(&[&stuck[..], &["--all"]].concat());
    assert_eq!(all["triangles"][0]["depth"], 0.25);
    let clear = ["sweep", "level.hscn", "--box", "-4,1,-4,-3,2,-3", "--by", "0,0,0"];
    assert_eq!(folder.ok(&clear), "it is free\n");
    let in_scene = ["sweep", "level.hscn", "--sphere", "8.5,5,1.25,0.125", "--by", "0,-9,0"];
    contains(&folder.ok(&in_scene), &["instance   1 away\n", "mesh       1 rock\n"]);
}

#[test]
fn inside_tells_the_side_and_the_signed_distance() {
    let folder = Folder::with_scene();
    for (point, location, distance) in [
        ("1.25,0.5,1.5", "inside", -0.25),
        ("1,0.5,1.5", "on surface", 0.0),
        ("1.25,0.5,-1", "outside", 2.0),
    ] {
        let ask = ["inside", "level.hbvh", "--point", point, "--mask", "4"];
        let text = folder.ok(&ask);
        assert_eq!(text, format!("location   {location}\ndistance   {distance}\n"));
        let expected = json!({ "schema": 1, "location": location, "signed_distance": distance });
        assert_eq!(folder.json(&ask), expected);
    }
    let none = folder.json(&["inside", "level.hbvh", "--point", "0,0,0", "--mask", "64"]);
    assert_eq!(none["signed_distance"], Value::Null);
    let open = folder.fails(1, &["inside", "level.hbvh", "--point", "0,1,0"]);
    contains(&open, &["hitscan: level.hbvh: mesh 0 `floor` has no inside: the edge from "]);
    contains(&open, &["so the surface is not closed; choose closed meshes with --mask\n"]);
    assert_eq!(open.lines().count(), 1);
    // The second instance is mirrored.
    for (point, location) in [("8.75,0.5,1.5", "inside"), ("8.75,0.5,-1", "outside")] {
        let ask = ["inside", "level.hscn", "--point", point, "--mask", "4"];
        let distance = if location == "inside" { -0.25 } else { 2.0 };
        let expected = json!({ "schema": 1, "location": location, "signed_distance": distance });
        assert_eq!(folder.json(&ask), expected);
    }
    let scene = folder.fails(1, &["inside", "level.hscn", "--point", "0,1,0"]);
    let reason = "hitscan: level.hscn: instance 0 `here`, mesh 0 `floor` has no inside: the edge ";
    contains(&scene, &[reason]);
}

#[test]
fn wrong_questions_exit_2() {
    let folder = Folder::with_scene();
    let cases: [(&[&str], &str); 22] = [
        (&["near", "level.hbvh"], "--point"),
        (&["near", "level.hbvh", "--point", "1,2"], "three numbers"),
        (&["near", "level.hbvh", "--point", "1,2,nan"], "finite"),
        (&["near", "level.hbvh", "--point", "1,2,3", "--within", "-1"], "from zero on"),
        (&["near", "level.hbvh", "--point", "1,2,3", "--within", "inf"], "from zero on"),
        (&["near", "level.hbvh", "--point", "1,2,3", "--all"], "--within"),
        (&["near", "level.hbvh", "--point", "1,2,3", "--any"], "--within"),
        (&["near", "level.hbvh", "--point", "1,2,3", "--isa", "mmx"], "mmx"),
        (&["overlap", "level.hbvh"], "--sphere"),
        (&["overlap", "level.hbvh", "--sphere", "1,2,3"], "four numbers"),
        (&["overlap", "level.hbvh", "--sphere", "1,2,3,-1"], "radius"),
        (&["overlap", "level.hbvh", "--box", "1,2,3,4,5"], "six numbers"),
        (&["overlap", "level.hbvh", "--capsule", "1,2,3,4,5,6"], "seven numbers"),
        (&["overlap", "level.hbvh", "--hull", "1,2,3;4,5,6"], "in a plane"),
        (&["overlap", "level.hbvh", "--hull", ""], "three numbers"),
        (&["overlap", "level.hbvh", "--sphere", "1,2,3,4", "--box", "0,0,0,1,1,1"], "cannot be"),
        (&["sweep", "level.hbvh", "--sphere", "1,2,3,4"], "--by"),
        (&["sweep", "level.hbvh", "--by", "1,2,3"], "--sphere"),
        (&["sweep", "level.hbvh", "--sphere", "1,2,3,4", "--by", "1,2"], "three numbers"),
        (&["sweep", "level.hbvh", "--sphere", "1,2,3,1e39", "--by", "1,2,3"], "finite"),
        (&["inside", "level.hbvh"], "--point"),
        (&["inside", "level.hbvh", "--point", "1,2,3", "--facing", "back"], "--facing"),
    ];
    for (args, part) in cases {
        let said = folder.fails(2, args);
        assert!(said.contains(part) && said.starts_with("error: "), "{args:?}: {said}");
    }
    let points: Vec<_> = (0..65).map(|i| format!("{i},{},{}", i * i, i * i * i)).collect();
    let said = folder.fails(2, &["overlap", "level.hbvh", "--hull", &points.join(";")]);
    assert!(said.contains("more than 64 corners"), "{said}");
}
