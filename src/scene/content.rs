//! What is shown, for a hash of it.

use super::snapshot::Snapshot;
use crate::bvh::Bvh;
use crate::geometry::Volume;
use crate::traverse::InstanceId;

/// All of an instance that answers depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShownInstance<'a> {
    pub(crate) id: InstanceId,
    pub(crate) mask: u32,
    /// The columns of the matrix, then the translation.
    pub(crate) transform: [f32; 12],
    pub(crate) stands: Standing<'a>,
}

/// What stands at an instance.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Standing<'a> {
    Tree(&'a Bvh),
    /// In the world.
    Volume(&'a Volume),
}

impl Snapshot {
    /// All instances that are shown, in the order of their handles: whatever led to them.
    pub(crate) fn shown(&self) -> Vec<ShownInstance<'_>> {
        let frame = &*self.0;
        let levels = frame.of_trees.iter().chain(frame.of_volumes.iter());
        let mut shown: Vec<_> = levels
            .flat_map(|level| {
                level.instances().filter_map(|(leaf, placed)| {
                    let stands = match level.volume_at(leaf) {
                        Some(volume) => Standing::Volume(volume),
                        None => Standing::Tree(frame.trees.get(placed.tree as usize)?),
                    };
                    let transform = placed.transform.transform().to_cols_array();
                    Some(ShownInstance { id: placed.id, mask: placed.mask, transform, stands })
                })
            })
            .collect();
        shown.sort_unstable_by_key(|instance| instance.id);
        shown
    }
}
