//! The command line on scenes: the built binary, run on tiny files.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use hitscan::{Bvh, Query, Ray, Scene};
use serde_json::Value;
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    /// A folder with `props.gltf`: a floor, once, and a post that three nodes and two copies show.
    /// It lies a metre above each of its places, and faces up.
    fn new() -> Self {
        let folder = Self(TempDir::new().unwrap());
        let floor = [[-50.0, 0.0, -50.0], [-50.0, 0.0, 50.0], [50.0, 0.0, 0.0f32]];
        let post = [[-1.0, 1.0, -1.0], [-1.0, 1.0, 1.0], [1.0, 1.0, 0.0f32]];
        let places = [[20.0, 0.0, 0.0], [30.0, 0.0, 0.0f32]];
        let numbers = floor.iter().chain(&post).chain(&places).flatten();
        let bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
        folder.write("props.bin", &bytes);
        let accessor = |view: u32, count: u32| {
            format!(r#"{{"bufferView":{view},"componentType":5126,"count":{count},"type":"VEC3"}}"#)
        };
        let gltf = format!(
            r#"{{"asset":{{"version":"2.0"}},
            "buffers":[{{"uri":"props.bin","byteLength":96}}],
            "bufferViews":[{{"buffer":0,"byteLength":36}},
            {{"buffer":0,"byteOffset":36,"byteLength":36}},
            {{"buffer":0,"byteOffset":72,"byteLength":24}}],
            "accessors":[{},{},{}],"materials":[{{"name":"stone"}},{{"name":"wood"}}],
            "meshes":[{{"name":"floor","primitives":[{{"attributes":{{"POSITION":0}},
            "material":0}}]}},{{"name":"post","primitives":[{{"attributes":{{"POSITION":1}},
            "material":1}}]}}],
            "nodes":[{{"mesh":0}},{{"mesh":1,"name":"gate","extras":{{"user_id":77}}}},
            {{"mesh":1,"name":"fence","translation":[10,0,0]}},
            {{"mesh":1,"name":"row","extensions":{{"EXT_mesh_gpu_instancing":
            {{"attributes":{{"TRANSLATION":2}}}}}}}}]}}"#,
            accessor(0, 3),
            accessor(1, 3),
            accessor(2, 2)
        );
        folder.write("props.gltf", gltf.as_bytes());
        folder
    }

    fn with_scene() -> Self {
        let folder = Self::new();
        folder.ok(&["bake", "--instanced", "props.gltf", "-o", "props.hscn"]);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hitscan"));
        command.current_dir(self.0.path()).args(args).output().unwrap()
    }

    fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(args)).unwrap()
    }

    /// Runs, checks for an exit code, and returns standard error.
    fn fails(&self, code: i32, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
        assert!(output.stdout.is_empty(), "{args:?}: {output:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

#[test]
fn a_bake_keeps_repeated_meshes_and_says_what_that_saved() {
    let folder = Folder::new();
    let bake = ["bake", "--instanced", "props.gltf", "-o", "props.hscn"];
    let text = folder.ok(&bake);
    for row in ["baked      props.hscn (", "trees      2\n", "instances  5\n"] {
        assert!(text.contains(row), "{text}");
    }
    assert!(text.contains("triangles  stored 2, placed 5\n"), "{text}");
    let file = fs::read(folder.path("props.hscn")).unwrap();

    let again = folder.json(&[&bake[..], &["--json"]].concat());
    assert_eq!((&again["up_to_date"], &again["instances"]), (&true.into(), &5.into()));
    assert_eq!(again["file_bytes"], file.len());
    assert_eq!((&again["triangles_stored"], &again["triangles_placed"]), (&2.into(), &5.into()));
    let bytes = again["tree_bytes"].as_u64().unwrap();
    assert_eq!(again["copies_bytes"].as_u64().unwrap() * 2, bytes * 5);
    assert!(fs::read(folder.path("props.hscn")).unwrap() == file);
    let forced = folder.json(&[&bake[..], &["--json", "--force"]].concat());
    assert_eq!(forced["up_to_date"], false);
    assert!(fs::read(folder.path("props.hscn")).unwrap() == file);
    // Something else: baked again.
    let other = folder.json(&[&bake[..], &["--json", "--layer", "gate*=3"]].concat());
    assert_eq!(other["up_to_date"], false);

    let scene = Scene::open(folder.path("props.hscn")).unwrap();
    let masks: Vec<_> = scene.instances().map(|id| scene.instance(id).unwrap().mask).collect();
    assert_eq!(masks, [!0, 8, !0, !0, !0]);
}

/// Rays get the hits of the level in one piece.
#[test]
fn rays_hit_what_they_hit_in_one_piece() {
    let folder = Folder::with_scene();
    folder.ok(&["bake", "props.gltf", "-o", "props.hbvh"]);
    let whole = Bvh::open(folder.path("props.hbvh")).unwrap();
    let scene = Scene::open(folder.path("props.hscn")).unwrap();
    let mut bytes = Vec::new();
    let mut expected = Vec::new();
    for i in 0..400 {
        let from = [(i % 80) as f32 * 0.5 - 4.0, 3.0, (i / 80) as f32 * 0.4 - 0.8];
        let ray = Ray::new(from, [0.0, -1.0, 0.0]);
        let numbers = ray.origin.to_array().into_iter().chain(ray.dir.to_array());
        let numbers = numbers.chain([ray.t_min, ray.t_max]);
        bytes.extend(numbers.flat_map(|number| number.to_le_bytes()));
        expected.push(whole.closest_hit(&ray, &Query::new()));
    }
    folder.write("rays.bin", &bytes);
    folder.ok(&["rays", "props.hscn", "-i", "rays.bin", "-o", "hits.bin"]);
    folder.ok(&["rays", "props.hscn", "-i", "rays.bin", "-o", "any.bin", "--any"]);
    let hits = fs::read(folder.path("hits.bin")).unwrap();
    let any = fs::read(folder.path("any.bin")).unwrap();
    assert_eq!((hits.len(), any.len()), (400 * 32, 400 * 32));
    let ids: Vec<_> = scene.instances().collect();
    let mut seen = [0; 5];
    for (i, expected) in expected.iter().enumerate() {
        let word = |bytes: &[u8], at: usize| {
            u32::from_le_bytes(bytes[32 * i + at..][..4].try_into().unwrap())
        };
        let flags = word(&hits, 12);
        assert_eq!(flags & 1, u32::from(expected.is_some()));
        assert_eq!(word(&any, 12), flags & 1);
        let Some(expected) = expected else { continue };
        assert_eq!(f32::from_bits(word(&hits, 0)), expected.t);
        assert_eq!(flags & 2, 2, "all face up");
        let instance = (flags >> 2) as usize;
        seen[instance] += 1;
        let name = scene.instance(ids[instance]).unwrap().name;
        let found = whole.mesh_name(expected.mesh).unwrap();
        assert_eq!(if name.is_empty() { "floor" } else { &name }, found);
        // The number of the mesh in its tree.
        assert_eq!((word(&hits, 16), word(&hits, 20)), (0, 0));
    }
    assert!(seen.iter().all(|&count| count > 2), "{seen:?}");
}

#[test]
fn one_ray_names_its_instance() {
    let folder = Folder::with_scene();
    let ray = ["ray", "props.hscn", "--from", "0,9,0", "--dir", "0,-1,0"];
    let text = folder.ok(&ray);
    for row in ["instance   1 gate/post\n", "its id     77\n", "mesh       0 post\n"] {
        assert!(text.contains(row), "{text}");
    }
    assert!(text.contains("material   1 wood\n"), "{text}");
    let json = folder.json(&[&ray[..], &["--json"]].concat());
    let hit = &json["hits"][0];
    assert_eq!((&hit["instance"], &hit["instance_name"]), (&1.into(), &"gate/post".into()));
    assert_eq!((&hit["instance_user_id"], &hit["t"]), (&77.into(), &8.0.into()));
    assert_eq!(hit["point"], serde_json::json!([0.0, 1.0, 0.0]));
    assert_eq!(hit["normal"], serde_json::json!([0.0, 1.0, 0.0]));
    assert_eq!(hit["material_name"], "wood");
    let json = folder.json(&[&ray[..], &["--json", "--all"]].concat());
    let numbers: Vec<_> = json["hits"].as_array().unwrap().iter().map(|h| &h["instance"]).collect();
    assert_eq!(numbers, [1, 0]);
    let text = folder.ok(&[&ray[..], &["--all"]].concat());
    assert!(text.contains("instance   mesh") && text.contains("gate/post, post, wood"), "{text}");
    assert_eq!(folder.ok(&[&ray[..], &["--any"]].concat()), "hit\n");
    let up = ["ray", "props.hscn", "--from", "0,9,0", "--dir", "0,1,0"];
    assert_eq!(folder.ok(&up), "no hit\n");
    // In a tree nothing is said of instances.
    folder.ok(&["bake", "props.gltf", "-o", "props.hbvh"]);
    let json = folder.json(&["ray", "props.hbvh", "--from", "0,9,0", "--dir", "0,-1,0", "--json"]);
    assert!(json["hits"][0].get("instance").is_none());
}

#[test]
fn info_lists_trees_and_instances() {
    let folder = Folder::with_scene();
    let text = folder.ok(&["info", "props.hscn"]);
    for part in
        ["triangles  stored 2, placed 5\n", "instances  5\n", "gate/post", "30,0,0  row/post"]
    {
        assert!(text.contains(part), "{text}");
    }
    let json = folder.json(&["info", "props.hscn", "--json"]);
    assert_eq!((&json["format_version"], &json["sound"]), (&2.into(), &true.into()));
    assert_eq!(json["trees"][1]["instances"], 4);
    assert_eq!(json["instances"][2]["name"], "fence/post");
    assert_eq!(json["instances"][2]["transform"][9], 10.0);
    assert_eq!(json["instances"][1]["user_id"], 77);
}

#[test]
fn what_does_not_go_together_is_said() {
    let folder = Folder::with_scene();
    let bake = ["bake", "--instanced", "props.gltf", "-o", "other.hscn"];
    for (option, value) in [("--user-data", "props.bin"), ("--rays", "r.bin")] {
        let error = folder.fails(2, &[&bake[..], &[option, value]].concat());
        assert!(error.contains("--instanced") && error.contains(option), "{error}");
    }
    let error = folder.fails(2, &["info", "props.hscn", "--stats"]);
    assert!(error.contains("--stats is for a tree"), "{error}");
    let error = folder.fails(1, &[&bake[..], &["--layer", "material:wood=2"]].concat());
    assert!(error.contains("the material of mesh 'post', which repeats"), "{error}");
    let error = folder.fails(1, &["bake", "props.hscn", "-o", "other.hbvh"]);
    assert!(error.contains("a baked file is no model"), "{error}");
    assert!(!folder.path("other.hscn").exists());

    // A scene is no model that was named as the output by mistake.
    folder.ok(&["bake", "props.gltf", "-o", "props.hbvh"]);
    fs::copy(folder.path("props.hscn"), folder.path("props.hbvh")).unwrap();
    folder.ok(&["bake", "props.gltf", "-o", "props.hbvh"]);
    folder.write("notes.txt", b"a text");
    let error = folder.fails(2, &["bake", "--instanced", "props.gltf", "-o", "notes.txt"]);
    assert!(error.contains("is not a baked tree or scene: use --force"), "{error}");

    folder.write("empty.obj", b"v 0 0 0\n");
    let error = folder.fails(1, &["bake", "--instanced", "empty.obj", "-o", "other.hscn"]);
    assert!(error.contains("there are no triangles to bake"), "{error}");
}

#[test]
fn an_extension_that_tells_otherwise_is_refused_or_said() {
    let folder = Folder::with_scene();
    let error = folder.fails(2, &["bake", "props.gltf", "-o", "tree.hscn"]);
    let reason = "the output `tree.hscn` would be a tree, but .hscn is the extension of scenes";
    assert!(error.contains(reason) && error.contains("--instanced"), "{error}");
    let error = folder.fails(2, &["bake", "--instanced", "props.gltf", "-o", "scene.HBVH"]);
    let reason = "the output `scene.HBVH` would be a scene, but .hbvh is the extension of trees";
    assert!(error.contains(reason), "{error}");
    assert!(!folder.path("tree.hscn").exists() && !folder.path("scene.HBVH").exists());

    folder.ok(&["bake", "props.gltf", "-o", "props.hbvh"]);
    fs::rename(folder.path("props.hscn"), folder.path("scene.hbvh")).unwrap();
    fs::rename(folder.path("props.hbvh"), folder.path("tree.hscn")).unwrap();
    for (name, what) in [("scene.hbvh", "a scene, but .hbvh"), ("tree.hscn", "a tree, but .hscn")] {
        let output = folder.run(&["info", name]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && said.lines().count() == 1, "{said}");
        assert!(said.starts_with(&format!("hitscan: warning: {name}: this is {what}")), "{said}");
    }
}

/// A scene in a pipe: the message speaks of files, not of calls.
#[test]
#[cfg(unix)]
fn messages_speak_of_the_command_line() {
    let folder = Folder::with_scene();
    let output = Command::new("sh")
        .args(["-c", "cat props.hscn | \"$0\" info /dev/stdin"])
        .arg(env!("CARGO_BIN_EXE_hitscan"))
        .current_dir(folder.0.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("give its file") && !said.contains("Scene::"), "{said}");
}

/// Baked again, the exported triangles are hit where the scene is.
#[test]
fn a_scene_is_exported_in_the_world() {
    let folder = Folder::with_scene();
    let scene = Scene::open(folder.path("props.hscn")).unwrap();
    for model in ["props.obj", "props.glb"] {
        folder.ok(&["export", "props.hscn", "-o", model]);
        folder.ok(&["bake", model, "-o", "again.hbvh"]);
        let bvh = Bvh::open(folder.path("again.hbvh")).unwrap();
        let names: Vec<_> = (0..bvh.mesh_count()).map(|m| bvh.mesh_name(m).unwrap()).collect();
        let plain = |name: &str| name.split('/').take(3).collect::<Vec<_>>().join("/");
        assert_eq!(plain(names[0]), "instance 0/floor", "{names:?}");
        assert_eq!(plain(names[1]), "gate/post/post");
        // In an OBJ, two meshes of the same name are one.
        assert_eq!(names.len(), if model == "props.obj" { 4 } else { 5 });
        for i in 0..400 {
            let from = [(i % 80) as f32 * 0.5 - 4.0, 3.0, (i / 80) as f32 * 0.4 - 0.8];
            let ray = Ray::new(from, [0.0, -1.0, 0.0]);
            let hit = scene.snapshot().closest_hit(&ray, &Query::new());
            let again = bvh.closest_hit(&ray, &Query::new());
            assert_eq!(hit.map(|hit| hit.t), again.map(|hit| hit.t));
            let names = hit.map(|hit| scene.snapshot().material_name(&hit).unwrap().to_owned());
            let again = again.map(|hit| bvh.material_name(hit.material().unwrap()).unwrap());
            assert_eq!(names.as_deref(), again);
        }
    }
}

#[test]
fn damaged_scenes_are_refused() {
    let folder = Folder::with_scene();
    let mut bytes = fs::read(folder.path("props.hscn")).unwrap();
    let last = bytes.len() / 2;
    bytes[last] ^= 1;
    folder.write("props.hscn", &bytes);
    for command in [
        &["info", "props.hscn"][..],
        &["ray", "props.hscn", "--from", "0,9,0", "--dir", "0,-1,0"],
        &["rays", "props.hscn", "-i", "props.bin", "-o", "hits.bin"],
    ] {
        let error = folder.fails(1, command);
        assert!(error.starts_with("hitscan: props.hscn: "), "{error}");
        assert!(error.contains("damaged") || error.contains("not a sound"), "{error}");
    }
}
