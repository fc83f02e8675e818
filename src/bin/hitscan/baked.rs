//! Baked files: a tree, or a scene of trees. The first bytes tell which.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use hitscan::glam::Vec3;
use hitscan::scene::file::is_scene;
use hitscan::{
    BatchError, Bvh, ClosestPoint, Contact, ConvexShape, Hit, InstanceId, Overlap, Query, Ray,
    Scene,
};

use crate::failure::Failure;
use crate::text;

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
        let baked = opened.map_err(|error| Failure::in_file(path, &error))?;
        let is_scene = matches!(baked, Self::Scene(_));
        if let Some(what) = wrong_extension(path, is_scene) {
            text::say(&format!("hitscan: warning: {}: this is {what}", path.display()));
        }
        Ok(baked)
    }

    /// The tree of a hit; `None` for a hit of something else.
    pub(crate) fn tree_of(&self, hit: &Hit) -> Option<&Bvh> {
        match self {
            Self::Tree(bvh) => Some(bvh),
            Self::Scene(scene) => scene.snapshot().bvh(hit.instance),
        }
    }
}

/// Trees and scenes answer the same questions, under the same names.
macro_rules! questions {
    ($($name:ident($($arg:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Baked {
            $(pub(crate) fn $name(&self, $($arg: $type),*) -> $answer {
                match self {
                    Self::Tree(bvh) => bvh.$name($($arg),*),
                    Self::Scene(scene) => scene.snapshot().$name($($arg),*),
                }
            })*
        }
    };
}
questions! {
    any_hit(ray: &Ray, query: &Query<'_>) -> bool;
    closest_hit(ray: &Ray, query: &Query<'_>) -> Option<Hit>;
    all_hits(ray: &Ray, query: &Query<'_>, hits: &mut Vec<Hit>) -> ();
    any_hit_batch(rays: &[Ray], query: &Query<'_>, hits: &mut [bool]) -> Result<(), BatchError>;
    closest_hit_batch(
        rays: &[Ray], query: &Query<'_>, hits: &mut [Option<Hit>]
    ) -> Result<(), BatchError>;
    any_within(point: Vec3, distance: f32, query: &Query<'_>) -> bool;
    closest_point(point: Vec3, distance: f32, query: &Query<'_>) -> Option<ClosestPoint>;
    all_within(
        point: Vec3, distance: f32, query: &Query<'_>, near: &mut Vec<ClosestPoint>
    ) -> ();
    closest_point_batch(
        points: &[Vec3], distance: f32, query: &Query<'_>, near: &mut [Option<ClosestPoint>]
    ) -> Result<(), BatchError>;
    any_overlap(shape: &ConvexShape, query: &Query<'_>) -> bool;
    all_overlaps(shape: &ConvexShape, query: &Query<'_>, overlaps: &mut Vec<Overlap>) -> ();
    first_contact(shape: &ConvexShape, motion: Vec3, query: &Query<'_>) -> Option<Contact>;
    all_contacts(
        shape: &ConvexShape, motion: Vec3, query: &Query<'_>, contacts: &mut Vec<Contact>
    ) -> ();
    penetrations(shape: &ConvexShape, query: &Query<'_>, contacts: &mut Vec<Contact>) -> ();
    normal(hit: &Hit) -> Option<Vec3>;
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
