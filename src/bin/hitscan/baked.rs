//! Baked files: a tree, or a scene of trees. The first bytes tell which.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use hitscan::scene::file::is_scene;
use hitscan::{Bvh, InstanceId, Scene};

use crate::failure::Failure;

#[allow(clippy::large_enum_variant, reason = "there is one of it")]
pub(crate) enum Baked {
    Tree(Bvh),
    Scene(Scene),
}

impl Baked {
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let opened = match begins_as_scene(path) {
            true => Scene::open(path).map(Self::Scene),
            false => Bvh::open(path).map(Self::Tree),
        };
        opened.map_err(|error| Failure::in_file(path, &error))
    }
}

/// A pipe is not read here, because bytes that are read are gone from it. It can hold a tree.
fn begins_as_scene(path: &Path) -> bool {
    let mut start = Vec::new();
    if path.is_file()
        && let Ok(file) = File::open(path)
    {
        let _ = file.take(8).read_to_end(&mut start);
    }
    is_scene(&start)
}

/// The number of an instance in its file: a scene that was just opened has its handles in the order
/// of the file.
pub(crate) fn instance_number(instance: InstanceId) -> u32 {
    instance.to_bits() as u32
}
