//! A temporary folder, and the built binary to run in it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A floor, a rock on it, and a post in a second place. The floor is at y = 0 and faces up; the
/// rock is a closed tetrahedron with a corner at 1,0,1 and edges of length 2 along the axes.
pub(crate) const LEVEL: &str = "o floor\nv -9 0 -9\nv 0 0 9\nv 9 0 -9\nusemtl soil\nf 1 2 3\n\
    o rock\nv 1 0 1\nv 3 0 1\nv 1 2 1\nv 1 0 3\nusemtl stone\nf 4 6 5\nf 4 5 7\nf 4 7 6\nf 5 6 7\n";

pub(crate) struct Folder(TempDir);

impl Folder {
    /// With the model `level.obj`, and `level.hbvh`: mesh 0 is the floor in layer 1, mesh 1 is the
    /// rock in layer 2.
    pub(crate) fn with_level() -> Self {
        let folder = Self(TempDir::new().unwrap());
        folder.write("level.obj", LEVEL);
        let layers = ["--layer", "floor=1", "--layer", "rock=2"];
        folder.ok(&[&["bake", "level.obj", "-o", "level.hbvh"], &layers[..]].concat());
        folder
    }

    /// Besides, `level.hscn`: the level, and the rock a second time 10 units along x, by the name
    /// `away`, mirrored.
    pub(crate) fn with_scene() -> Self {
        use hitscan::glam::{Affine3A, Vec3};
        use hitscan::scene::Instance;
        let folder = Self::with_level();
        let level = hitscan::Bvh::open(folder.path("level.hbvh")).unwrap();
        let mut scene = hitscan::Scene::new();
        scene.insert(Instance::new(level.clone()).with_name("here")).unwrap();
        let away = Affine3A::from_translation(Vec3::X * 10.0)
            * Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
        let away = Instance::new(level).with_transform(away).with_mask(4).with_name("away");
        scene.insert(away.with_user_id(7)).unwrap();
        scene.commit();
        scene.save(folder.path("level.hscn")).unwrap();
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hitscan"));
        command.current_dir(self.0.path()).args(args).output().unwrap()
    }

    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The answer with `--json`, whose schema is 1.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let value: Value = serde_json::from_str(&self.ok(&[args, &["--json"]].concat())).unwrap();
        assert_eq!(value["schema"], 1);
        value
    }

    /// Runs, checks for an exit code and an empty standard output, and returns standard error.
    pub(crate) fn fails(&self, code: i32, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
        assert!(output.stdout.is_empty(), "{args:?}: {output:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}
