//! Baked files: a tree, or a scene of trees. The first bytes tell which.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use hitscan::mesh::Topology;
use hitscan::scene::file::is_scene;
use hitscan::{Bvh, InstanceId, Mesh, Scene, Triangle};

use super::Level;
use crate::terminal::failure::Failure;
use crate::terminal::text;

#[allow(clippy::large_enum_variant, reason = "there is one of it")]
pub(crate) enum Baked {
    Tree(Bvh),
    Scene(Scene),
}

impl Baked {
    /// Opens a file of either kind. Its extension may tell otherwise, which is said.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let opened = match begins_as_scene(path) {
            true => Scene::open(path).map(Self::Scene),
            false => Bvh::open(path).map(Self::Tree),
        };
        let baked = opened.map_err(|error| Failure::opening(path, &error))?;
        let is_scene = matches!(baked, Self::Scene(_));
        if let Some(what) = wrong_extension(path, is_scene) {
            text::say(&format!("hitscan: warning: {}: this is {what}", path.display()));
        }
        Ok(baked)
    }

    /// What questions are asked of.
    pub(crate) fn level(&self) -> Level<'_> {
        match self {
            Self::Tree(bvh) => Level::Tree(bvh),
            Self::Scene(scene) => Level::Scene(scene),
        }
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

/// What the file is, if its name says that it is something else.
pub(crate) fn wrong_extension(path: &Path, is_scene: bool) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match (extension.as_str(), is_scene) {
        ("hbvh", true) => Some("a scene, but .hbvh is the extension of trees: name it .hscn"),
        ("hscn", false) => Some("a tree, but .hscn is the extension of scenes: name it .hbvh"),
        _ => None,
    }
}

/// Each tree of a scene once.
pub(crate) fn trees_of(scene: &Scene) -> Vec<&Bvh> {
    let mut trees = Vec::new();
    for id in scene.instances() {
        if let (Ok(tree), Ok(bvh)) = (scene.tree_number(id), scene.bvh(id))
            && tree as usize == trees.len()
        {
            trees.push(bvh);
        }
    }
    trees
}

/// The number of an instance in its file: a scene that was just opened has its handles in the order
/// of the file.
pub(crate) fn instance_number(instance: InstanceId) -> u32 {
    instance.to_bits() as u32
}

/// How the edges of a tree's triangles fit together, as they are in the tree.
pub(crate) fn topology(bvh: &Bvh) -> Topology {
    let soup = |mesh| {
        let corners = bvh.mesh_triangles(mesh).flat_map(|one| {
            let Triangle { v0, v1, v2 } = one.vertices;
            [v0, v1, v2].map(|corner| corner.to_array())
        });
        Mesh::from_soup(corners.collect())
    };
    Topology::of(&(0..bvh.mesh_count()).map(soup).collect::<Vec<_>>())
}

/// Of the tree alone, without names and header.
pub(crate) fn bytes_per_triangle(bvh: &Bvh) -> f64 {
    let summary = bvh.metadata().summary;
    summary.tree_bytes as f64 / summary.triangles_kept.max(1) as f64
}
