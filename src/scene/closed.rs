//! Which trees stand in which layers of a scene: what has to be closed for inside to mean anything.

use super::instance_tree::ShownLevels;
use crate::bvh::{Bvh, placed_bounds};
use crate::error::{InsideError, InsideErrorKind};
use crate::traverse::InstanceId;

/// The trees of a snapshot, each once for all instances of the same layers.
#[derive(Debug)]
pub(super) struct ClosedTrees(Vec<TreeInLayers>);

/// A tree, and the layers of instances where it stands.
#[derive(Debug)]
struct TreeInLayers {
    tree: u32,
    mask: u32,
    /// Whether triangles may be missing, with coordinates beyond the range of `f32`.
    is_cut: bool,
    /// Of several such instances the lowest.
    instance: InstanceId,
}

impl ClosedTrees {
    /// Takes O(n log n) for n instances.
    pub(super) fn new(levels: &ShownLevels, trees: &[Bvh]) -> Self {
        let is_large = !levels.facts.boxes.bounds().size().is_finite();
        let instances = levels.iter().flat_map(|level| level.instances());
        let mut all: Vec<_> = instances
            .map(|(_, at)| {
                let bounds = || placed_bounds(trees[at.tree as usize].view(), &at.transform);
                let is_cut = is_large && !(bounds().min.is_finite() && bounds().max.is_finite());
                TreeInLayers { tree: at.tree, mask: at.mask, is_cut, instance: at.id }
            })
            .collect();
        let key = |one: &TreeInLayers| (one.tree, one.mask, one.is_cut);
        all.sort_unstable_by_key(|one| (key(one), one.instance));
        all.dedup_by_key(|one| key(one));
        all.sort_unstable_by_key(|one| one.instance);
        Self(all)
    }

    /// An error for the first instance in the layers `mask` with a mesh there that is not closed.
    pub(super) fn check<'a>(
        &self,
        trees: &[Bvh],
        mask: u32,
        name: impl Fn(InstanceId) -> Option<&'a str>,
    ) -> Result<(), InsideError> {
        for one in self.0.iter().filter(|one| one.mask & mask != 0) {
            let bvh = &trees[one.tree as usize];
            let seen = bvh.view().meshes.iter().position(|mesh| mesh.mask & mask != 0);
            let closed = match seen {
                Some(mesh) if one.is_cut => Err(cut(mesh as u32)),
                _ => bvh.closed_solids(mask).map(drop),
            };
            closed.map_err(|error| {
                let name = match name(one.instance) {
                    None | Some("") => format!("{:?}", one.instance),
                    Some(name) => format!("{:?} ({name:?})", one.instance),
                };
                error.in_instance(one.instance.to_bits(), &name)
            })?;
        }
        Ok(())
    }
}

#[cold]
fn cut(mesh: u32) -> InsideError {
    let message = "it reaches beyond the range of coordinates, so triangles may be missing";
    InsideError::in_mesh(InsideErrorKind::Open, mesh, message.to_owned())
}
