//! What `hitscan info` shows of a scene.

use hitscan::geometry::Volume;
use hitscan::scene::Body;
use hitscan::scene::file::FORMAT_VERSION;
use hitscan::{Bvh, Scene};
use serde::Serialize;

use crate::level::baked::instance_number;
use crate::terminal::text::{self, Rows};

#[derive(Serialize)]
pub(crate) struct SceneReport {
    file: String,
    file_bytes: u64,
    sound: bool,
    format_version: u32,
    /// Each tree once.
    triangles_stored: u64,
    /// Each as often as it stands somewhere.
    triangles_placed: u64,
    trees: Vec<TreeRow>,
    instances: Vec<InstanceRow>,
}

#[derive(Serialize)]
struct TreeRow {
    tree: usize,
    instances: u64,
    meshes: u32,
    triangles: u64,
    tree_bytes: u64,
    /// In hexadecimal; `null` for a tree that was changed after its bake.
    content_hash: Option<String>,
}

#[derive(Serialize)]
struct InstanceRow {
    instance: u32,
    name: String,
    /// `null` if a volume stands there.
    tree: Option<usize>,
    /// Its kind; `null` if a tree stands there.
    volume: Option<&'static str>,
    enabled: bool,
    mask: u32,
    user_id: u64,
    transform: [f32; 12],
}

impl TreeRow {
    fn new(tree: usize, bvh: &Bvh) -> Self {
        let summary = bvh.metadata().summary;
        Self {
            tree,
            instances: 0,
            meshes: bvh.mesh_count(),
            triangles: summary.triangles_kept,
            tree_bytes: summary.tree_bytes,
            content_hash: bvh.content_hash().map(|hash| format!("{hash:016x}")),
        }
    }
}

fn kind(volume: &Volume) -> &'static str {
    match volume {
        Volume::Aabb(_) => "box",
        Volume::Obb(_) => "obb",
        Volume::Sphere(_) => "sphere",
        Volume::Capsule(_) => "capsule",
        _ => "other",
    }
}

impl SceneReport {
    /// Of a scene that was just opened.
    pub(crate) fn new(file: String, file_bytes: u64, scene: &Scene) -> Self {
        let (mut trees, mut instances) = (Vec::<TreeRow>::new(), Vec::new());
        for id in scene.instances() {
            // The handle is the scene's own.
            let Ok(instance) = scene.instance(id) else { continue };
            let tree = scene.tree_number(id).ok().map(|tree| tree as usize);
            if let (Body::Bvh(bvh), Some(tree)) = (&instance.body, tree) {
                if tree == trees.len() {
                    trees.push(TreeRow::new(tree, bvh));
                }
                trees[tree].instances += 1;
            }
            instances.push(InstanceRow {
                instance: instance_number(id),
                name: instance.name,
                tree,
                volume: match instance.body {
                    Body::Volume(volume) => Some(kind(&volume)),
                    _ => None,
                },
                enabled: scene.is_enabled(id).unwrap_or_default(),
                mask: instance.mask,
                user_id: instance.user_id,
                transform: instance.transform.to_cols_array(),
            });
        }
        Self {
            file,
            file_bytes,
            sound: true,
            format_version: FORMAT_VERSION,
            triangles_stored: trees.iter().map(|tree| tree.triangles).sum(),
            triangles_placed: trees.iter().map(|tree| tree.triangles * tree.instances).sum(),
            trees,
            instances,
        }
    }

    pub(crate) fn to_text(&self) -> String {
        let mut rows = Rows::default();
        rows.add("scene", format!("{} ({} bytes)", self.file, text::count(self.file_bytes)));
        rows.add("format", format!("version {}", self.format_version));
        rows.add("sound", "yes");
        let (stored, placed) =
            (text::count(self.triangles_stored), text::count(self.triangles_placed));
        rows.add("triangles", format!("stored {stored}, placed {placed}"));
        rows.add("trees", text::count(self.trees.len()));
        rows.add("instances", text::count(self.instances.len()));
        let mut text = rows.to_text();
        if !self.trees.is_empty() {
            text += "\n  tree  instances  triangles  meshes           bytes\n";
        }
        for TreeRow { tree, instances, meshes, triangles, tree_bytes, .. } in &self.trees {
            let [instances, triangles, bytes] =
                [*instances, *triangles, *tree_bytes].map(text::count);
            text += &format!("{tree:>6} {instances:>10} {triangles:>10} {meshes:>7} {bytes:>15}\n");
        }
        if !self.instances.is_empty() {
            text += "\n  instance    tree              user id     mask  at, name\n";
        }
        for row in &self.instances {
            let InstanceRow { instance, name, enabled, mask, user_id, transform, .. } = row;
            // A volume is in no tree.
            let tree = row.tree.map(|tree| tree.to_string());
            let tree = tree.as_deref().or(row.volume).unwrap_or_default();
            let at = text::point([transform[9], transform[10], transform[11]]);
            let (name, state) = (text::printable(name), if *enabled { "" } else { " (disabled)" });
            text += &format!(
                "{instance:>10} {tree:>7} {user_id:>20} {mask:08x}  {at}  {name}{state}\n"
            );
        }
        text
    }
}
